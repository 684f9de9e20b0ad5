//! Straight-line programs.
//!
//! ```text
//! registers   constants | variables | results, in order
//! run         as many results as it is long: register[next] = code(register[a], register[b])
//! ```
//! Nothing is overwritten, so that after a sweep every intermediate result can be looked at.
use super::Formula;
use super::algebra::sign;
use super::domain::DomainError;
use super::expressions::{Expression, Expressions, Origin, SourceText};
use crate::math;

/// Expressions, ready to be evaluated in one sweep.
#[derive(Clone, Debug)]
pub struct Program {
    pub(super) constants: Vec<f64>,
    /// How many variables are read, counted from the first slot.
    pub(super) variables: usize,
    pub(super) runs: Vec<Run>,
    /// Of all runs, one after the other.
    pub(super) operands: Vec<[u32; 2]>,
    /// How many results there are.
    pub(super) count: usize,
    /// The registers of the outputs.
    pub(super) outputs: Vec<u32>,
    /// Registers that may be infinite without any output showing it.
    pub(super) watched: Vec<u32>,
    /// What the variables and the results come from.
    pub(super) origins: Vec<Origin>,
    pub(super) texts: Vec<SourceText>,
}

/// Memory of programs, used again from sweep to sweep.
#[derive(Clone, Debug, Default)]
pub struct Registers {
    registers: Vec<f64>,
}

/// Instructions with the same code, none of which needs the result of another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) code: Code,
    pub(super) length: u32,
}

/// What an instruction does with `a`, and with `b` if it takes two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Code {
    Add,
    Subtract,
    Multiply,
    Divide,
    Cube,
    Reciprocal,
    SquareRoot,
    /// To the whole power that `b` itself is.
    WholePower,
    Power,
    Sine,
    Cosine,
    /// Both. The results of a run are first all sines, then all cosines.
    SineCosine,
    Tangent,
    ArcSine,
    ArcCosine,
    ArcTangent,
    ArcTangent2,
    HyperbolicSine,
    HyperbolicCosine,
    HyperbolicTangent,
    Exponential,
    Logarithm,
    Absolute,
    Sign,
    Minimum,
    Maximum,
}

impl Program {
    /// The values of formulas, one after the other; a vector gives three.
    pub fn values(formulas: &[&Formula]) -> Self {
        let mut expressions = Expressions::new();
        let values = values(&mut expressions, formulas);
        expressions.compile(&values)
    }

    /// The values of formulas, then their derivatives by the variables in the given slots, row by row.
    pub fn with_jacobian(formulas: &[&Formula], slots: &[usize]) -> Self {
        let mut expressions = Expressions::new();
        let mut outputs = values(&mut expressions, formulas);
        for row in 0..outputs.len() {
            let gradient = expressions.gradient(outputs[row], slots);
            outputs.extend(gradient);
        }
        expressions.compile(&outputs)
    }

    /// The value of a formula, its gradient, and its matrix of second derivatives row by row.
    pub fn with_hessian(formula: &Formula, slots: &[usize]) -> Self {
        let mut expressions = Expressions::new();
        let value = expressions.scalar(formula);
        let mut outputs = vec![value];
        outputs.extend(expressions.gradient(value, slots));
        outputs.extend(expressions.hessian(value, slots));
        expressions.compile(&outputs)
    }

    /// How many numbers it computes.
    pub fn outputs(&self) -> usize {
        self.outputs.len()
    }

    /// How many instructions a sweep takes.
    pub fn length(&self) -> usize {
        self.operands.len()
    }

    /// Whether it may read the variable in a slot, or one behind it.
    pub(crate) fn reads(&self, slot: usize) -> bool {
        self.variables > slot
    }

    /// Memory of the size it needs.
    pub fn workspace(&self) -> Registers {
        Registers {
            registers: vec![0.0; self.count_registers()],
        }
    }

    /// Computes the outputs from the variables. Allocates nothing once the workspace has its size.
    ///
    /// On an error the outputs have been written all the same, infinities and all.
    ///
    /// # Panics
    /// If there are fewer variables than the formulas name, or `out` is not as long as there are outputs.
    pub fn evaluate(&self, x: &[f64], workspace: &mut Registers, out: &mut [f64]) -> Result<(), DomainError> {
        assert!(
            x.len() >= self.variables,
            "the formulas need {} variables",
            self.variables
        );
        assert_eq!(out.len(), self.outputs.len(), "outputs");
        let count = self.count_registers();
        if workspace.registers.len() < count {
            workspace.registers.resize(count, 0.0);
        }
        let registers = &mut workspace.registers[..count];
        let (constants, rest) = registers.split_at_mut(self.constants.len());
        constants.copy_from_slice(&self.constants);
        rest[..self.variables].copy_from_slice(&x[..self.variables]);

        self.sweep(registers);

        for (value, register) in out.iter_mut().zip(&self.outputs) {
            *value = registers[*register as usize];
        }
        let watched = self.watched.iter().map(|register| registers[*register as usize]);
        if all_finite(out.iter().copied()) && all_finite(watched) {
            Ok(())
        } else {
            Err(self.diagnose(registers))
        }
    }

    pub(super) fn count_registers(&self) -> usize {
        self.constants.len() + self.variables + self.count
    }

    /// Fills the registers that are computed, each from those before it.
    pub(super) fn sweep<R: Register>(&self, registers: &mut [R]) {
        self.sweep_inlined(registers);
    }

    /// The same within the caller, with the instructions that are used there.
    #[inline(always)]
    pub(super) fn sweep_inlined<R: Register>(&self, registers: &mut [R]) {
        let mut rest = self.operands.as_slice();
        let mut first = self.constants.len() + self.variables;
        for run in &self.runs {
            let operands;
            (operands, rest) = rest.split_at(run.length as usize);
            let (known, results) = registers.split_at_mut(first);
            first += operands.len();
            match run.code {
                Code::Add => each2(known, operands, results, |a, b| a + b),
                Code::Subtract => each2(known, operands, results, |a, b| a - b),
                Code::Multiply => each2(known, operands, results, |a, b| a * b),
                Code::Divide => each2(known, operands, results, |a, b| a / b),
                Code::Cube => each(known, operands, results, |a| a * a * a),
                Code::Reciprocal => each(known, operands, results, |a| 1.0 / a),
                Code::SquareRoot => each(known, operands, results, f64::sqrt),
                Code::WholePower => {
                    for ([a, power], result) in operands.iter().zip(results) {
                        result.set_whole_power(&known[*a as usize], *power as i32);
                    }
                }
                Code::Power => each2(known, operands, results, math::powf),
                Code::Sine => each(known, operands, results, math::sin),
                Code::Cosine => each(known, operands, results, math::cos),
                Code::SineCosine => {
                    first += operands.len();
                    let (sines, cosines) = results.split_at_mut(operands.len());
                    for (([a, _], sine), cosine) in operands.iter().zip(sines).zip(cosines) {
                        R::set_sine_and_cosine(&known[*a as usize], sine, cosine);
                    }
                }
                Code::Tangent => each(known, operands, results, math::tan),
                Code::ArcSine => each(known, operands, results, math::asin),
                Code::ArcCosine => each(known, operands, results, math::acos),
                Code::ArcTangent => each(known, operands, results, math::atan),
                Code::ArcTangent2 => each2(known, operands, results, math::atan2),
                Code::HyperbolicSine => each(known, operands, results, math::sinh),
                Code::HyperbolicCosine => each(known, operands, results, math::cosh),
                Code::HyperbolicTangent => each(known, operands, results, math::tanh),
                Code::Exponential => each(known, operands, results, math::exp),
                Code::Logarithm => each(known, operands, results, math::ln),
                Code::Absolute => each(known, operands, results, f64::abs),
                Code::Sign => each(known, operands, results, sign),
                Code::Minimum => each2(known, operands, results, f64::min),
                Code::Maximum => each2(known, operands, results, f64::max),
            }
        }
    }
}

/// Without a branch for each: adding one to an exponent of ones carries into the sign.
fn all_finite(values: impl Iterator<Item = f64>) -> bool {
    let exponent = f64::INFINITY.to_bits();
    let carry = values.fold(0, |carry, value| {
        carry | ((value.to_bits() & exponent) + (1 << (f64::MANTISSA_DIGITS - 1)))
    });
    carry >> 63 == 0
}

/// What a register holds: a number, or one for each of several values.
pub(super) trait Register {
    /// Becomes what `act` makes of another.
    fn set(&mut self, a: &Self, act: impl Fn(f64) -> f64);
    /// Becomes what `act` makes of two others.
    fn set2(&mut self, a: &Self, b: &Self, act: impl Fn(f64, f64) -> f64);
    /// Becomes a whole power of another.
    #[inline(always)]
    fn set_whole_power(&mut self, a: &Self, power: i32) {
        self.set(a, |a| math::powi(a, power));
    }
    /// Two become the sine and the cosine of another.
    fn set_sine_and_cosine(a: &Self, sine: &mut Self, cosine: &mut Self);
}

impl Register for f64 {
    #[inline(always)]
    fn set(&mut self, a: &Self, act: impl Fn(f64) -> f64) {
        *self = act(*a);
    }

    #[inline(always)]
    fn set2(&mut self, a: &Self, b: &Self, act: impl Fn(f64, f64) -> f64) {
        *self = act(*a, *b);
    }

    #[inline(always)]
    fn set_sine_and_cosine(a: &Self, sine: &mut Self, cosine: &mut Self) {
        (*sine, *cosine) = math::sin_cos(*a);
    }
}

#[inline(always)]
fn each<R: Register>(known: &[R], operands: &[[u32; 2]], results: &mut [R], act: impl Fn(f64) -> f64) {
    for ([a, _], result) in operands.iter().zip(results) {
        result.set(&known[*a as usize], &act);
    }
}

#[inline(always)]
fn each2<R: Register>(known: &[R], operands: &[[u32; 2]], results: &mut [R], act: impl Fn(f64, f64) -> f64) {
    for ([a, b], result) in operands.iter().zip(results) {
        result.set2(&known[*a as usize], &known[*b as usize], &act);
    }
}

fn values(expressions: &mut Expressions, formulas: &[&Formula]) -> Vec<Expression> {
    let each = formulas.iter().map(|formula| expressions.components(formula));
    each.collect::<Vec<_>>().concat()
}

//! Expressions → program: each expression that is needed becomes one instruction.
//!
//! ```text
//! a + (−1)·b  → a − b       sin a and cos a → computed together
//! a^2, a^3    → products    a^−1   → 1/a      a^(n/2) → (√a)^n
//! ```
use super::expressions::{Expression, Expressions, Operation};
use super::function::Function;
use super::program::{Code, Program};
use super::schedule::schedule;
use std::collections::BTreeMap;

/// What computes an expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instruction {
    pub(super) code: Code,
    pub(super) a: Expression,
    pub(super) b: Operand,
    pub(super) result: Expression,
    /// The second result, of those that have two.
    pub(super) second: Option<Expression>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    /// Not looked at.
    None,
    Of(Expression),
    Value(f64),
    /// Not a register, but the number itself.
    Whole(i32),
}

impl Program {
    pub(super) fn new(expressions: &Expressions, outputs: &[Expression]) -> Self {
        let mut needed = vec![false; expressions.nodes.len()];
        for output in outputs {
            needed[output.index()] = true;
        }
        let mut constants = Numbers::default();
        let mut variables = 0;
        let mut instructions = Vec::new();
        for index in (0..needed.len()).rev() {
            if !needed[index] {
                continue;
            }
            match expressions.nodes[index].operation {
                Operation::Constant(bits) => constants.insert(f64::from_bits(bits)),
                Operation::Variable(slot) => variables = variables.max(slot as usize + 1),
                operation => {
                    let (code, a, b) = expressions.select(operation);
                    needed[a.index()] = true;
                    match b {
                        Operand::Of(b) => needed[b.index()] = true,
                        Operand::Value(value) => constants.insert(value),
                        Operand::None | Operand::Whole(_) => {}
                    }
                    let result = Expression(index as u32);
                    instructions.push(Instruction {
                        code,
                        a,
                        b,
                        result,
                        second: None,
                    });
                }
            }
        }
        instructions.reverse();
        // Of a sine and its cosine, the first one computes both.
        instructions.retain_mut(|instruction| {
            let result = instruction.result;
            let partner = expressions
                .partner(result)
                .filter(|partner| needed[partner.index()]);
            let Some(partner) = partner else {
                return true;
            };
            let (sine, cosine) = match instruction.code {
                Code::Sine => (result, partner),
                _ => (partner, result),
            };
            instruction.code = Code::SineCosine;
            instruction.result = sine;
            instruction.second = Some(cosine);
            result < partner
        });
        schedule(expressions, &instructions, constants, variables, outputs)
    }
}

impl Expressions {
    fn select(&self, operation: Operation) -> (Code, Expression, Operand) {
        match operation {
            // Neither is asked for.
            Operation::Constant(_) | Operation::Variable(_) => (Code::Multiply, Expression(0), Operand::None),
            Operation::Add(a, b) => match (self.negated(a), self.negated(b)) {
                (_, Some(b)) => (Code::Subtract, a, Operand::Of(b)),
                (Some(a), None) => (Code::Subtract, b, Operand::Of(a)),
                (None, None) => (Code::Add, a, Operand::Of(b)),
            },
            Operation::Multiply(a, b) => (Code::Multiply, a, Operand::Of(b)),
            Operation::Divide(a, b) => (Code::Divide, a, Operand::Of(b)),
            Operation::Power(a, exponent) => self.select_power(a, f64::from_bits(exponent)),
            Operation::PowerOf(a, b) => (Code::Power, a, Operand::Of(b)),
            Operation::Sign(a) => (Code::Sign, a, Operand::None),
            Operation::Apply2(function, a, b) => {
                let code = match function {
                    Function::Atan2 => Code::ArcTangent2,
                    Function::Min => Code::Minimum,
                    _ => Code::Maximum,
                };
                (code, a, Operand::Of(b))
            }
            Operation::Apply(function, a) => {
                let code = match function {
                    Function::Sin => Code::Sine,
                    Function::Cos => Code::Cosine,
                    Function::Tan => Code::Tangent,
                    Function::Asin => Code::ArcSine,
                    Function::Acos => Code::ArcCosine,
                    Function::Atan => Code::ArcTangent,
                    Function::Sinh => Code::HyperbolicSine,
                    Function::Cosh => Code::HyperbolicCosine,
                    Function::Tanh => Code::HyperbolicTangent,
                    Function::Exp => Code::Exponential,
                    Function::Log => Code::Logarithm,
                    Function::Sqrt => Code::SquareRoot,
                    _ => Code::Absolute,
                };
                (code, a, Operand::None)
            }
        }
    }

    fn select_power(&self, a: Expression, exponent: f64) -> (Code, Expression, Operand) {
        let whole = |exponent: f64| exponent.fract() == 0.0 && exponent.abs() <= 1024.0;
        let root = self.find(Operation::Power(a, 0.5_f64.to_bits()));
        match (exponent, root) {
            (0.5, _) => (Code::SquareRoot, a, Operand::None),
            (2.0, _) => (Code::Multiply, a, Operand::Of(a)),
            (3.0, _) => (Code::Cube, a, Operand::None),
            (-1.0, _) => (Code::Reciprocal, a, Operand::None),
            (-0.5, Some(root)) => (Code::Reciprocal, root, Operand::None),
            (1.5, Some(root)) => (Code::Cube, root, Operand::None),
            _ if whole(exponent) => (Code::WholePower, a, Operand::Whole(exponent as i32)),
            (_, Some(root)) if whole(2.0 * exponent) => {
                (Code::WholePower, root, Operand::Whole((2.0 * exponent) as i32))
            }
            _ => (Code::Power, a, Operand::Value(exponent)),
        }
    }

    /// What an expression is the negative of.
    fn negated(&self, a: Expression) -> Option<Expression> {
        match self.operation(a) {
            Operation::Multiply(factor, rest) if self.known_value(factor) == Some(-1.0) => Some(rest),
            _ => None,
        }
    }

    /// The cosine of what an expression is the sine of, and the other way round.
    fn partner(&self, expression: Expression) -> Option<Expression> {
        match self.operation(expression) {
            Operation::Apply(Function::Sin, a) => self.find(Operation::Apply(Function::Cos, a)),
            Operation::Apply(Function::Cos, a) => self.find(Operation::Apply(Function::Sin, a)),
            _ => None,
        }
    }
}

/// Different numbers, and the place of each.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    pub(super) list: Vec<f64>,
    pub(super) places: BTreeMap<u64, u32>,
}

impl Numbers {
    fn insert(&mut self, value: f64) {
        let next = self.list.len() as u32;
        let place = self.places.entry(value.to_bits()).or_insert(next);
        if *place == next {
            self.list.push(value);
        }
    }
}

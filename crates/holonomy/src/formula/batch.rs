//! A program of one variable for many of its values.
//!
//! ```text
//! register k   one number for each of LANES values, side by side
//! ```
//! Each value is computed as in a sweep of its own, operation by operation: the bits are the same.
use super::algebra::sign;
use super::program::{Code, Program};

/// How many values a sweep takes.
const LANES: usize = 32;

type Lanes = [f64; LANES];

/// Memory of sweeps over many values, used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch {
    registers: Vec<Lanes>,
}

impl Program {
    /// Gives the outputs for each value of the first variable, in their order; not a number where there is none.
    /// Outputs that are not asked for are left out.
    pub(crate) fn each<const OUTPUTS: usize>(
        &self,
        values: &mut [f64],
        batch: &mut Batch,
        mut give: impl FnMut(&mut f64, [f64; OUTPUTS]),
    ) {
        let constants = self.constants.len();
        batch.registers.resize(self.count_registers(), [0.0; LANES]);
        for (register, constant) in batch.registers.iter_mut().zip(&self.constants) {
            *register = [*constant; LANES];
        }
        for values in values.chunks_mut(LANES) {
            // The last sweep computes its first value again in the lanes that are left.
            let mut lanes = [values[0]; LANES];
            lanes[..values.len()].copy_from_slice(values);
            if self.variables > 0 {
                batch.registers[constants..constants + self.variables].fill(lanes);
            }
            self.sweep_lanes(&mut batch.registers);
            let register = |register: &u32| &batch.registers[*register as usize];
            for (lane, value) in values.iter_mut().enumerate() {
                let all = self.outputs.iter().chain(&self.watched);
                let sound = all.into_iter().all(|k| register(k)[lane].is_finite());
                give(
                    value,
                    std::array::from_fn(|k| match self.outputs.get(k) {
                        Some(output) if sound => register(output)[lane],
                        _ => f64::NAN,
                    }),
                );
            }
        }
    }

    fn sweep_lanes(&self, registers: &mut [Lanes]) {
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
                        *result = known[*a as usize].map(|a| a.powi(*power as i32));
                    }
                }
                Code::Power => each2(known, operands, results, f64::powf),
                Code::Sine => each(known, operands, results, f64::sin),
                Code::Cosine => each(known, operands, results, f64::cos),
                Code::SineCosine => {
                    first += operands.len();
                    let (sines, cosines) = results.split_at_mut(operands.len());
                    for (([a, _], sine), cosine) in operands.iter().zip(sines).zip(cosines) {
                        for (lane, a) in known[*a as usize].iter().enumerate() {
                            (sine[lane], cosine[lane]) = a.sin_cos();
                        }
                    }
                }
                Code::Tangent => each(known, operands, results, f64::tan),
                Code::ArcSine => each(known, operands, results, f64::asin),
                Code::ArcCosine => each(known, operands, results, f64::acos),
                Code::ArcTangent => each(known, operands, results, f64::atan),
                Code::ArcTangent2 => each2(known, operands, results, f64::atan2),
                Code::HyperbolicSine => each(known, operands, results, f64::sinh),
                Code::HyperbolicCosine => each(known, operands, results, f64::cosh),
                Code::HyperbolicTangent => each(known, operands, results, f64::tanh),
                Code::Exponential => each(known, operands, results, f64::exp),
                Code::Logarithm => each(known, operands, results, f64::ln),
                Code::Absolute => each(known, operands, results, f64::abs),
                Code::Sign => each(known, operands, results, sign),
                Code::Minimum => each2(known, operands, results, f64::min),
                Code::Maximum => each2(known, operands, results, f64::max),
            }
        }
    }
}

#[inline(always)]
fn each(known: &[Lanes], operands: &[[u32; 2]], results: &mut [Lanes], act: impl Fn(f64) -> f64) {
    for ([a, _], result) in operands.iter().zip(results) {
        let a = &known[*a as usize];
        for lane in 0..LANES {
            result[lane] = act(a[lane]);
        }
    }
}

#[inline(always)]
fn each2(known: &[Lanes], operands: &[[u32; 2]], results: &mut [Lanes], act: impl Fn(f64, f64) -> f64) {
    for ([a, b], result) in operands.iter().zip(results) {
        let (a, b) = (&known[*a as usize], &known[*b as usize]);
        for lane in 0..LANES {
            result[lane] = act(a[lane], b[lane]);
        }
    }
}

//! A program of one variable for many of its values.
//!
//! ```text
//! register k   one number for each of WIDTH values, side by side
//! ```
//! Each value is computed as in a sweep of its own, operation by operation: the bits are the same.
use super::program::{Program, Register};
use crate::{math, simd::Lanes};

/// How many values a sweep takes.
const WIDTH: usize = 32;

/// Memory of sweeps over many values, used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch {
    registers: Vec<Lanes<WIDTH>>,
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
        batch.registers.resize(self.count_registers(), Lanes::all(0.0));
        for (register, constant) in batch.registers.iter_mut().zip(&self.constants) {
            *register = Lanes::all(*constant);
        }
        for values in values.chunks_mut(WIDTH) {
            // The last sweep computes its first value again in the lanes that are left.
            let mut lanes = Lanes::all(values[0]);
            lanes.0[..values.len()].copy_from_slice(values);
            if self.variables > 0 {
                batch.registers[constants..constants + self.variables].fill(lanes);
            }
            self.sweep(&mut batch.registers);
            let register = |register: &u32| &batch.registers[*register as usize].0;
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
}

impl Register for Lanes<WIDTH> {
    #[inline(always)]
    fn set(&mut self, a: &Self, act: impl Fn(f64) -> f64) {
        for (result, a) in self.0.iter_mut().zip(&a.0) {
            *result = act(*a);
        }
    }

    #[inline(always)]
    fn set2(&mut self, a: &Self, b: &Self, act: impl Fn(f64, f64) -> f64) {
        for (result, (a, b)) in self.0.iter_mut().zip(a.0.iter().zip(&b.0)) {
            *result = act(*a, *b);
        }
    }

    #[inline(always)]
    fn set_sine_and_cosine(a: &Self, sine: &mut Self, cosine: &mut Self) {
        for (a, (sine, cosine)) in a.0.iter().zip(sine.0.iter_mut().zip(&mut cosine.0)) {
            (*sine, *cosine) = math::sin_cos(*a);
        }
    }
}

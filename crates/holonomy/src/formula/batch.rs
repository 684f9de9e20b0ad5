//! A program of one variable for many of its values.
//!
//! ```text
//! register k   one number for each of LANES values, side by side
//! ```
//! Each value is computed as in a sweep of its own, operation by operation: the bits are the same.
use super::program::{Program, Register};

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
            self.sweep(&mut batch.registers);
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
}

impl Register for Lanes {
    #[inline(always)]
    fn set(&mut self, a: &Self, act: impl Fn(f64) -> f64) {
        for (result, a) in self.iter_mut().zip(a) {
            *result = act(*a);
        }
    }

    #[inline(always)]
    fn set2(&mut self, a: &Self, b: &Self, act: impl Fn(f64, f64) -> f64) {
        for (result, (a, b)) in self.iter_mut().zip(a.iter().zip(b)) {
            *result = act(*a, *b);
        }
    }

    #[inline(always)]
    fn set_sine_and_cosine(a: &Self, sine: &mut Self, cosine: &mut Self) {
        for (a, (sine, cosine)) in a.iter().zip(sine.iter_mut().zip(cosine)) {
            (*sine, *cosine) = a.sin_cos();
        }
    }
}

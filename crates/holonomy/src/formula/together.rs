//! A program at eight points side by side.
//!
//! ```text
//! register k   one number for each of eight points
//! ```
//! Each point is computed as in a sweep of its own, operation by operation: the bits are the same.
use super::program::{Program, Register};
use crate::{
    math,
    simd::{Eight, Kernel, LANES, Level, Vector},
};

/// Registers of one program at eight points, used again from sweep to sweep.
#[derive(Clone, Debug)]
pub(crate) struct Together {
    registers: Vec<Eight>,
    level: Level,
}

impl Program {
    /// Registers for it, with its constants.
    pub(crate) fn together(&self) -> Together {
        let mut registers = vec![Eight::all(0.0); self.count_registers()];
        for (register, constant) in registers.iter_mut().zip(&self.constants) {
            *register = Eight::all(*constant);
        }
        Together {
            registers,
            level: Level::best(),
        }
    }

    /// Computes everything from the variables at eight points; whether [`Program::evaluate`] succeeds at all of them.
    ///
    /// # Panics
    /// If there are fewer variables than the formulas name, or the registers are those of another program.
    pub(crate) fn evaluate_together(&self, x: &[Eight], memory: &mut Together) -> bool {
        let registers = memory.registers.as_mut_slice();
        assert_eq!(registers.len(), self.count_registers(), "registers");
        let first = self.constants.len();
        for (register, x) in registers[first..].iter_mut().zip(&x[..self.variables]) {
            *register = *x;
        }
        let mut sound = false;
        memory.level.run(Sweep {
            program: self,
            registers,
            sound: &mut sound,
        });
        sound
    }

    /// An output at the points of the last sweep.
    #[inline(always)]
    pub(crate) fn output<'m>(&self, memory: &'m Together, output: usize) -> &'m Eight {
        &memory.registers[self.outputs[output] as usize]
    }
}

struct Sweep<'a> {
    program: &'a Program,
    registers: &'a mut [Eight],
    sound: &'a mut bool,
}

impl Kernel for Sweep<'_> {
    #[inline(always)]
    fn run<V: Vector>(self, token: V::Token) {
        self.program.sweep_inlined(self.registers);
        // Zero as long as all are finite.
        let mut stray = V::all(token, 0.0);
        for list in [&self.program.outputs, &self.program.watched] {
            for register in list {
                stray = stray + V::load(token, &self.registers[*register as usize]) * 0.0;
            }
        }
        *self.sound = stray.are_within(0.0);
    }
}

impl Register for Eight {
    #[inline(always)]
    fn set(&mut self, a: &Self, act: impl Fn(f64) -> f64) {
        for l in 0..LANES {
            self[l] = act(a[l]);
        }
    }

    #[inline(always)]
    fn set2(&mut self, a: &Self, b: &Self, act: impl Fn(f64, f64) -> f64) {
        for l in 0..LANES {
            self[l] = act(a[l], b[l]);
        }
    }

    #[inline(always)]
    fn set_whole_power(&mut self, a: &Self, power: i32) {
        // The loop of `math::powi` around that of the lanes.
        let (mut square, mut rest, mut product) = (*a, power.unsigned_abs(), Self::all(1.0));
        loop {
            if rest & 1 == 1 {
                for l in 0..LANES {
                    product[l] *= square[l];
                }
            }
            rest >>= 1;
            if rest == 0 {
                break;
            }
            for l in 0..LANES {
                square[l] *= square[l];
            }
        }
        if power < 0 {
            for l in 0..LANES {
                product[l] = 1.0 / product[l];
            }
        }
        *self = product;
    }

    #[inline(always)]
    fn set_sine_and_cosine(a: &Self, sine: &mut Self, cosine: &mut Self) {
        for l in 0..LANES {
            (sine[l], cosine[l]) = math::sin_cos(a[l]);
        }
    }
}

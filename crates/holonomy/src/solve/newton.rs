//! Newton's method for a few unknowns.
use super::{Corrections, Lu, Stop, Unsolved};
use crate::math;

/// Work space of the method.
#[derive(Clone, Debug, Default)]
pub struct Newton {
    lu: Lu,
    correction: Vec<f64>,
    rest: Vec<f64>,
}

/// Corrections it is given.
pub(crate) const MAX_ITERATIONS: u32 = 30;
const MAX_HALVINGS: u32 = 200;

impl Newton {
    /// Solves `F(x) = 0` from where x is. `at` writes the Jacobian, row by row, and `−F`; where it fails, as
    /// beyond the speed of light, the last correction is taken back by half. `singular` is the error where the
    /// Jacobian has no inverse, or the corrections do not end. An x that overflows is left for the caller to see.
    pub fn solve<E>(
        &mut self,
        x: &mut [f64],
        singular: E,
        mut at: impl FnMut(&[f64], &mut [f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.correction.clear();
        self.rest.resize(x.len(), 0.0);
        let mut corrections = Corrections::new(MAX_ITERATIONS);
        let mut halvings = 0;
        loop {
            if let Err(error) = at(x, self.lu.reset(x.len()), &mut self.rest) {
                if self.correction.is_empty() || halvings == MAX_HALVINGS {
                    return Err(error);
                }
                halvings += 1;
                for (x, correction) in x.iter_mut().zip(&mut self.correction) {
                    *correction *= 0.5;
                    *x -= *correction;
                }
                continue;
            }
            if !self.lu.solve(&mut self.rest) {
                return Err(singular);
            }
            self.correction.clone_from(&self.rest);
            let (mut change, mut size) = (0.0_f64, 0.0_f64);
            for (x, correction) in x.iter_mut().zip(&self.correction) {
                *x += correction;
                change = math::larger(change, correction.abs());
                size = size.max(x.abs());
            }
            match corrections.is_last(change, Stop::quadratic(size)) {
                Ok(false) => {}
                Ok(true) | Err(Unsolved::NotFinite) => return Ok(()),
                Err(Unsolved::NotConverged { .. }) => return Err(singular),
            }
        }
    }
}

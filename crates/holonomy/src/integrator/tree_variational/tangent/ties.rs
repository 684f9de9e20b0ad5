//! Rigid strings in a linearised step: those that are taut are constraints as any, those that are slack have no impulse.
//!
//! ```text
//! taut     g = 0 at the start,  λ ≠ 0,  μ ≠ 0
//! slack    g < 0 at the start,  λ = 0,  μ = 0
//! ```
//! Anything else is a change of what is taut, where a step has a derivative on each side and none in common.
use crate::tree::{ConstraintRows, TETHER_ROUNDING, TETHER_TOLD, Tree};

/// The strings of a tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Ties {
    rows: Vec<usize>,
    slack: Vec<usize>,
}

impl Ties {
    pub(super) fn new(tree: &Tree) -> Self {
        Self {
            rows: tree.tethers().map(|tether| tether.row).collect(),
            slack: Vec::new(),
        }
    }

    /// Tells what is slack in a step; the equation of what changes is the error.
    pub(super) fn tell(&mut self, start: &ConstraintRows, lambda: &[f64], mu: &[f64]) -> Result<(), usize> {
        self.slack.clear();
        for row in &self.rows {
            let short = start.value[*row] < -TETHER_TOLD * TETHER_ROUNDING * start.scale[*row];
            match (short, lambda[*row] != 0.0, mu[*row] != 0.0) {
                (false, true, true) => {}
                (true, false, false) => self.slack.push(*row),
                _ => return Err(*row),
            }
        }
        Ok(())
    }

    /// Makes the equations of what is slack those of its impulse alone, in a matrix between equations.
    pub(super) fn cut(&self, matrix: &mut [f64]) {
        self.hold(matrix);
        let m = matrix.len().isqrt();
        for row in &self.slack {
            matrix[row * m + row] = 1.0;
        }
    }

    /// Zeros in its rows and columns.
    pub(super) fn hold(&self, matrix: &mut [f64]) {
        let m = matrix.len().isqrt();
        for row in &self.slack {
            for k in 0..m {
                (matrix[row * m + k], matrix[k * m + row]) = (0.0, 0.0);
            }
        }
    }

    /// What its equations are: they are met.
    pub(super) fn clear(&self, values: &mut [f64]) {
        for row in &self.slack {
            values[*row] = 0.0;
        }
    }
}

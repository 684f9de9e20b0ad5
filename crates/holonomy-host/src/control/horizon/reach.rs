//! Whether inputs reach what is missed of the constraints.
//!
//! ```text
//! c = what is missed, each by its weight,   J = ∂c/∂u,   d = −Jᵀ c without inputs that their limits hold
//! share = (c · J d)² / (|c|² |J d|²)                  what the steepest descent takes away of |c|², to first order
//! ```
//! Behind the edge of what can be reached c is across all that inputs change, and the share is nothing.
use super::{Aim, Parts, Search, Stages, Tried};
use nalgebra::{DMatrix, DVector};

impl<S: Stages> Search<'_, S> {
    /// That share; one if nothing is missed.
    pub(super) fn reached(&self, now: &Tried<S::Point>, parts: &Parts) -> f64 {
        let count = now.inputs.len();
        let missed = |k: usize| -> DVector<f64> {
            let each = now.values[k].iter().zip(&self.task.terms);
            let each = each.map(|(value, term)| {
                term.weights[k - 1]
                    * match term.aim {
                        Aim::Small => 0.0,
                        Aim::Zero => *value,
                        Aim::AtMostZero => value.max(0.0),
                    }
            });
            DVector::from_iterator(self.task.terms.len(), each)
        };
        let weighted = |k: usize| -> DMatrix<f64> {
            let mut slopes = parts.slopes[k - 1].clone();
            for (mut row, term) in slopes.row_iter_mut().zip(&self.task.terms) {
                row *= term.weights[k - 1];
            }
            slopes
        };
        let Some((first, _)) = parts.steps.first() else {
            return 1.0;
        };
        let n = first.ncols();
        let mut pulled = DVector::<f64>::zeros(n);
        let mut descent: Vec<DVector<f64>> = Vec::with_capacity(count);
        for k in (0..count).rev() {
            pulled += weighted(k + 1).tr_mul(&missed(k + 1));
            let (a, b) = &parts.steps[k];
            let mut way = -b.tr_mul(&pulled);
            for (i, (u, (low, high))) in now.inputs[k].iter().zip(&self.task.bounds).enumerate() {
                if (u <= low && way[i] < 0.0) || (u >= high && way[i] > 0.0) {
                    way[i] = 0.0;
                }
            }
            descent.push(way);
            pulled = a.tr_mul(&pulled);
        }
        let mut moved = DVector::<f64>::zeros(n);
        let (mut along, mut all, mut size) = (0.0, 0.0, 0.0);
        for (k, way) in descent.iter().rev().enumerate() {
            let (a, b) = &parts.steps[k];
            moved = a * moved + b * way;
            let (c, mut change) = (missed(k + 1), weighted(k + 1) * &moved);
            // What is not missed may change.
            for (change, c) in change.iter_mut().zip(&c) {
                if *c == 0.0 {
                    *change = 0.0;
                }
            }
            along += c.dot(&change);
            all += c.norm_squared();
            size += change.norm_squared();
        }
        match (all > 0.0, size > 0.0) {
            (false, _) => 1.0,
            (true, false) => 0.0,
            (true, true) => along * along / (all * size),
        }
    }
}

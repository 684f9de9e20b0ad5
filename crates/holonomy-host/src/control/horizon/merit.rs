//! What a motion costs, and what the constraints that it misses add to that.
use super::{Aim, Search, Stages, Tried};
use nalgebra::{DMatrix, DVector};

impl<S: Stages> Search<'_, S> {
    pub(super) fn cost(&self, tried: &Tried<S::Point>) -> f64 {
        let effort = |input: &Vec<f64>| -> f64 {
            let each = input.iter().zip(&self.task.effort);
            each.map(|(u, weight)| weight * u * u).sum()
        };
        let mut cost: f64 = tried.inputs.iter().map(effort).sum();
        for (k, values) in tried.values.iter().enumerate().skip(1) {
            for (value, term) in values.iter().zip(&self.task.terms) {
                if term.aim == Aim::Small {
                    cost += term.weights[k - 1] * value * value;
                }
            }
        }
        cost
    }

    /// The cost with what violations add.
    pub(super) fn merit(&self, tried: &Tried<S::Point>) -> f64 {
        let mut merit = tried.cost;
        for (k, values) in tried.values.iter().enumerate().skip(1) {
            for (j, value) in values.iter().enumerate() {
                let term = &self.task.terms[j];
                let size = term.weights[k - 1];
                if term.aim == Aim::Small || size == 0.0 {
                    continue;
                }
                let (lambda, mu) = (self.held[j].lambda[k], self.weight);
                let value = size * value;
                merit += match term.aim {
                    Aim::AtMostZero => {
                        let pressed = (lambda + mu * value).max(0.0);
                        (pressed * pressed - lambda * lambda) / (2.0 * mu)
                    }
                    _ => lambda * value + 0.5 * mu * value * value,
                };
            }
        }
        merit
    }

    /// The largest violation of a constraint, and its term.
    pub(super) fn violation(&self, values: &[Vec<f64>]) -> (f64, Option<usize>) {
        let mut worst = (0.0_f64, None);
        for (k, values) in values.iter().enumerate().skip(1) {
            for (j, (value, term)) in values.iter().zip(&self.task.terms).enumerate() {
                let off = term.weights[k - 1]
                    * match term.aim {
                        Aim::Small => 0.0,
                        Aim::Zero => value.abs(),
                        Aim::AtMostZero => value.max(0.0),
                    };
                if !(off <= worst.0) {
                    worst = (off, Some(j));
                }
            }
        }
        worst
    }

    /// Gradient and curvature of what a point costs.
    pub(super) fn expanded(
        &self,
        k: usize,
        values: &[f64],
        slopes: &DMatrix<f64>,
    ) -> (DVector<f64>, DMatrix<f64>) {
        let n = slopes.ncols();
        let (mut gradient, mut curvature) = (DVector::zeros(n), DMatrix::zeros(n, n));
        for (j, (value, term)) in values.iter().zip(&self.task.terms).enumerate() {
            let size = term.weights[k - 1];
            if size == 0.0 {
                continue;
            }
            let (first, second) = match term.aim {
                Aim::Small => (2.0 * size * value, 2.0 * size),
                aim => {
                    let pressed = self.held[j].lambda[k] + self.weight * size * value;
                    match aim == Aim::AtMostZero && pressed <= 0.0 {
                        true => continue,
                        false => (size * pressed, size * size * self.weight),
                    }
                }
            };
            let row = slopes.row(j).transpose();
            gradient.axpy(first, &row, 1.0);
            curvature.ger(second, &row, &row, 1.0);
        }
        (gradient, curvature)
    }

    /// The multipliers that the violations ask for.
    pub(super) fn multiply(&mut self, values: &[Vec<f64>]) {
        for (k, values) in values.iter().enumerate().skip(1) {
            for (j, value) in values.iter().enumerate() {
                let term = &self.task.terms[j];
                let lambda = &mut self.held[j].lambda[k];
                let size = term.weights[k - 1];
                match term.aim {
                    Aim::Small => {}
                    Aim::Zero => *lambda += self.weight * size * value,
                    Aim::AtMostZero => *lambda = (*lambda + self.weight * size * value).max(0.0),
                }
            }
        }
    }
}

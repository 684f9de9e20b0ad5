//! Second derivatives of steps and terms, by differences: what turns the sweeps of Gauss and Newton into those of Newton.
use super::{Aim, Direction, Parts, Search, Stages, Tried};
use nalgebra::{DMatrix, DVector};

impl<S: Stages> Search<'_, S> {
    /// The step with second derivatives, and with as much weight on changes of inputs as it needs to have a minimum.
    pub(super) fn curved(&mut self, tried: &Tried<S::Point>, parts: &Parts) -> Option<Direction> {
        let before = self.regularised;
        let found = [0.0, 1e-3, 1e-2, 0.1, 1.0, 10.0].into_iter().find_map(|weight| {
            self.regularised = before.max(weight);
            self.backward(tried, parts, true)
        });
        self.regularised = before;
        found
    }

    /// The second derivative of `v · Φ` by the point and the inputs; `None` where a point near it has no step.
    pub(super) fn bent_step(
        &mut self,
        k: usize,
        tried: &Tried<S::Point>,
        v: &DVector<f64>,
    ) -> Option<DMatrix<f64>> {
        let (from, to, input) = (&tried.points[k], &tried.points[k + 1], &tried.inputs[k]);
        let unit = self.stages.unit(from);
        let n = unit.len();
        // Inputs act as strongly as the change of the point they make.
        let size = n + input.len();
        let scale = |i: usize| {
            if i < n {
                unit[i]
            } else {
                1e-3 * (1.0 + input[i - n].abs())
            }
        };
        let stages = &mut *self.stages;
        second_derivatives(size, scale, |change| {
            let point = stages.moved(from, &change.rows(0, n).into_owned());
            let input: Vec<f64> = (input.iter().zip(change.iter().skip(n)))
                .map(|(u, d)| u + d)
                .collect();
            let next = stages.next(k, &point, &input).ok()?;
            Some(v.dot(&stages.apart(to, &next)))
        })
    }

    /// The second derivatives of terms, as much as each matters.
    pub(super) fn bent_terms(&mut self, k: usize, tried: &Tried<S::Point>) -> DMatrix<f64> {
        let (at, values) = (&tried.points[k], &tried.values[k]);
        let unit = self.stages.unit(at);
        let n = unit.len();
        let each = self.task.terms.iter().enumerate();
        let forces: Vec<f64> = each
            .map(|(j, term)| {
                let size = term.weights[k - 1];
                let pressed = self.held[j].lambda[k] + self.weight * size * values[j];
                match term.aim {
                    Aim::Small => 2.0 * size * values[j],
                    Aim::AtMostZero => size * pressed.max(0.0),
                    Aim::Zero => size * pressed,
                }
            })
            .collect();
        if forces.iter().all(|force| *force == 0.0) {
            return DMatrix::zeros(n, n);
        }
        let stages = &mut *self.stages;
        let found = second_derivatives(
            n,
            |i| unit[i],
            |change| {
                let point = stages.moved(at, change);
                let values = stages.values(k, &point);
                Some(
                    values
                        .iter()
                        .zip(&forces)
                        .map(|(value, force)| value * force)
                        .sum(),
                )
            },
        );
        found.unwrap_or_else(|| DMatrix::zeros(n, n))
    }
}

/// Second derivatives of a number by central differences: `½ (f(i + j) + f(−i−j) − f(i) − f(−i) − f(j) − f(−j)) + f(0)`.
fn second_derivatives(
    size: usize,
    scale: impl Fn(usize) -> f64,
    mut value: impl FnMut(&DVector<f64>) -> Option<f64>,
) -> Option<DMatrix<f64>> {
    let along = |of: &[usize], sign: f64| {
        let mut change = DVector::zeros(size);
        for i in of {
            change[*i] += sign * scale(*i);
        }
        change
    };
    let middle = value(&DVector::zeros(size))?;
    let mut sides = Vec::with_capacity(size);
    for i in 0..size {
        sides.push(value(&along(&[i], 1.0))? + value(&along(&[i], -1.0))? - 2.0 * middle);
    }
    let mut out = DMatrix::zeros(size, size);
    for i in 0..size {
        out[(i, i)] = sides[i] / (scale(i) * scale(i));
        for j in 0..i {
            let both = value(&along(&[i, j], 1.0))? + value(&along(&[i, j], -1.0))? - 2.0 * middle;
            out[(i, j)] = 0.5 * (both - sides[i] - sides[j]) / (scale(i) * scale(j));
            out[(j, i)] = out[(i, j)];
        }
    }
    out.iter().all(|x: &f64| x.is_finite()).then_some(out)
}

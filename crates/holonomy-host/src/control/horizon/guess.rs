//! Where a search begins: a motion held near points, and how heavy violations are at first.
use super::{Aim, Parts, Search, Stages, Tried};
use nalgebra::{DMatrix, DVector};

/// How much heavier violations are at first where the guess has inputs.
const TRUSTED: f64 = 10.0;
/// A guess whose violations take less than this part of its effort to undo is near the best: it gets multipliers.
const NEARLY_MET: f64 = 0.3;

impl<S: Stages> Search<'_, S> {
    /// The motion that feedback keeps near points.
    pub(super) fn held_near(&mut self, points: Vec<S::Point>) -> Result<Tried<S::Point>, S::Fault> {
        let rest = self.cut(&vec![0.0; self.task.bounds.len()]);
        let inputs = vec![rest; points.len() - 1];
        let held = self.tried(points, inputs);
        let mut parts = Parts {
            steps: Vec::new(),
            slopes: Vec::new(),
        };
        for (k, input) in held.inputs.iter().enumerate() {
            let to = self.stages.next(k, &held.points[k], input)?;
            parts
                .steps
                .push(self.stages.linearised(k, &held.points[k], input, &to)?);
            parts.slopes.push(self.stages.slopes(k + 1, &held.points[k + 1]));
        }
        let gains = self
            .backward(&held, &parts, false)
            .map(|direction| direction.gains);
        let (mut points, mut inputs) = (vec![held.points[0].clone()], Vec::new());
        for k in 0..held.inputs.len() {
            let away = self.stages.apart(&held.points[k], &points[k]);
            let input = match &gains {
                Some(gains) => {
                    let answer = &gains[k] * away;
                    let wanted = held.inputs[k].iter().zip(&answer).map(|(u, d)| u + d);
                    self.cut(&wanted.collect::<Vec<_>>())
                }
                None => held.inputs[k].clone(),
            };
            points.push(self.stages.next(k, &points[k], &input)?);
            inputs.push(input);
        }
        Ok(self.tried(points, inputs))
    }

    /// A weight of violations with which they cost about what it takes to undo them: of constraints at the end, the inverse
    /// of `S = J (2R)⁻¹ Jᵀ`, J = ∂c/∂u. A guess with inputs is not given up for small violations, and where they are small
    /// it gets the multipliers with which it is as good as it can be, `S λ = −J u`.
    pub(super) fn first_weight(&mut self, tried: &Tried<S::Point>, parts: &Parts) {
        let last = tried.inputs.len();
        let (Some(slopes), true) = (parts.slopes.last(), last > 0) else {
            return;
        };
        let ends: Vec<usize> = (self.task.terms.iter().enumerate())
            .filter(|(_, term)| term.aim != Aim::Small && term.weights[last - 1] != 0.0)
            .map(|(j, _)| j)
            .collect();
        let mut rows = Vec::new();
        for j in &ends {
            let mut row = slopes.row(*j) * self.task.terms[*j].weights[last - 1];
            let mut all = Vec::new();
            for (a, b) in parts.steps.iter().rev() {
                all.extend((&row * b).iter());
                row = &row * a;
            }
            rows.push(all);
        }
        let inverse: Vec<f64> = self
            .task
            .effort
            .iter()
            .map(|r| 1.0 / (2.0 * r.max(1e-12)))
            .collect();
        let m = inverse.len();
        let paired = |a: &[f64], b: &[f64]| -> f64 {
            let each = a.iter().zip(b).enumerate();
            each.map(|(i, (a, b))| a * b * inverse[i % m]).sum()
        };
        let mut reach: Vec<f64> = rows.iter().map(|row| paired(row, row)).collect();
        reach.retain(|sum| *sum > 0.0 && sum.is_finite());
        reach.sort_by(f64::total_cmp);
        let weight = reach.get(reach.len() / 2).map_or(1.0, |middle| 1.0 / middle);
        self.weight = weight.clamp(1e-8, 1e8);
        let asked: Vec<f64> = tried.inputs.iter().rev().flatten().copied().collect();
        if asked.iter().all(|u| *u == 0.0) {
            return;
        }
        self.weight *= TRUSTED;
        let count = ends.len();
        let mut square = DMatrix::from_fn(count, count, |i, j| paired(&rows[i], &rows[j]));
        let size = square.diagonal().amax();
        for i in 0..count {
            square[(i, i)] += 1e-9 * size;
        }
        let Some(factors) = square.cholesky() else {
            return;
        };
        let off = DVector::from_fn(count, |i, _| {
            self.task.terms[ends[i]].weights[last - 1] * tried.values[last][ends[i]]
        });
        let along = DVector::from_fn(count, |i, _| {
            -rows[i].iter().zip(&asked).map(|(c, u)| c * u).sum::<f64>()
        });
        // ½ cᵀ S⁻¹ c is the least effort that takes the violations away.
        if 0.5 * off.dot(&factors.solve(&off)) > NEARLY_MET * tried.cost {
            return;
        }
        for (j, value) in ends.iter().zip(factors.solve(&along).iter()) {
            self.held[*j].lambda[last] = match self.task.terms[*j].aim {
                Aim::AtMostZero => value.max(0.0),
                _ => *value,
            };
        }
    }
}

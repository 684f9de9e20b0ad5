//! One sweep: a motion with its derivatives, the step that its quadratic model asks for, and how much of it is taken.
use super::{Parts, Search, Stages, Tried};
use crate::control::boxed;
use nalgebra::{DMatrix, DVector};

/// Halvings of the step.
const HALVINGS: usize = 24;

/// What a backward sweep finds.
pub(super) struct Direction {
    pub(super) change: Vec<DVector<f64>>,
    pub(super) gains: Vec<DMatrix<f64>>,
    /// First and second derivative of the merit by the share of the step.
    pub(super) slope: f64,
    pub(super) bend: f64,
}

impl Direction {
    /// What the whole step promises to gain.
    pub(super) fn promised(&self) -> f64 {
        -(self.slope + 0.5 * self.bend)
    }
}

impl<S: Stages> Search<'_, S> {
    pub(super) fn cut(&self, input: &[f64]) -> Vec<f64> {
        let each = input.iter().zip(&self.task.bounds);
        each.map(|(u, (low, high))| u.clamp(*low, *high)).collect()
    }

    /// The motion under given inputs.
    pub(super) fn rolled(
        &mut self,
        start: S::Point,
        inputs: Vec<Vec<f64>>,
    ) -> Result<Tried<S::Point>, S::Fault> {
        let mut points = Vec::with_capacity(inputs.len() + 1);
        points.push(start);
        for (k, input) in inputs.iter().enumerate() {
            let next = self.stages.next(k, &points[k], input)?;
            points.push(next);
        }
        Ok(self.tried(points, inputs))
    }

    pub(super) fn tried(&mut self, points: Vec<S::Point>, inputs: Vec<Vec<f64>>) -> Tried<S::Point> {
        let mut values = vec![Vec::new()];
        for (k, point) in points.iter().enumerate().skip(1) {
            values.push(self.stages.values(k, point));
        }
        let mut tried = Tried {
            points,
            inputs,
            values,
            cost: 0.0,
            merit: 0.0,
        };
        tried.cost = self.cost(&tried);
        tried.merit = self.merit(&tried);
        tried
    }

    pub(super) fn linearised(&mut self, tried: &Tried<S::Point>) -> Result<Parts, S::Fault> {
        let mut parts = Parts {
            steps: Vec::with_capacity(tried.inputs.len()),
            slopes: Vec::with_capacity(tried.inputs.len()),
        };
        for (k, input) in tried.inputs.iter().enumerate() {
            let (from, to) = (&tried.points[k], &tried.points[k + 1]);
            parts.steps.push(self.stages.linearised(k, from, input, to)?);
            parts.slopes.push(self.stages.slopes(k + 1, to));
        }
        Ok(parts)
    }

    /// The step that the quadratic model asks for; `None` where that has no minimum.
    pub(super) fn backward(
        &mut self,
        tried: &Tried<S::Point>,
        parts: &Parts,
        newton: bool,
    ) -> Option<Direction> {
        let count = tried.inputs.len();
        let mut change = vec![DVector::zeros(0); count];
        let mut gains = vec![DMatrix::zeros(0, 0); count];
        let (mut slope, mut bend) = (0.0, 0.0);
        let (mut v, mut vv) = self.expanded(count, &tried.values[count], &parts.slopes[count - 1]);
        if newton {
            vv += self.bent_terms(count, tried);
        }
        for k in (0..count).rev() {
            let (a, b) = &parts.steps[k];
            let input = &tried.inputs[k];
            let m = input.len();
            let effort = DVector::from_iterator(m, self.task.effort.iter().map(|r| 2.0 * r));
            let qu = b.tr_mul(&v) + DVector::from_column_slice(input).component_mul(&effort);
            let vb = &vv * b;
            let mut quu = b.tr_mul(&vb) + DMatrix::from_diagonal(&effort);
            let mut qux = vb.tr_mul(a);
            let mut qxx = a.tr_mul(&(&vv * a));
            if newton {
                let bent = self.bent_step(k, tried, &v)?;
                let n = a.ncols();
                quu += bent.view((n, n), (m, m));
                qux += bent.view((n, 0), (m, n));
                qxx += bent.view((0, 0), (n, n));
            }
            let mut heavier = quu.clone();
            let scale = effort.amax().max(quu.diagonal().amax());
            for i in 0..m {
                heavier[(i, i)] += self.regularised * scale;
            }
            let limits: Vec<(f64, f64)> = (input.iter().zip(&self.task.bounds))
                .map(|(u, (low, high))| (low - u, high - u))
                .collect();
            let solved = boxed::minimum(&heavier, &qu, &limits)?;
            let mut gain = DMatrix::zeros(m, a.ncols());
            solved.answer(&qux, &mut gain);
            let step = solved.place;
            slope += step.dot(&qu);
            bend += step.dot(&(&quu * &step));
            let mut vx = a.tr_mul(&v);
            vx += gain.tr_mul(&(&quu * &step + &qu)) + qux.tr_mul(&step);
            let quu_gain = &quu * &gain;
            let cross = gain.tr_mul(&qux);
            let mut vxx = qxx + gain.tr_mul(&quu_gain) + &cross + cross.transpose();
            if k > 0 {
                let (gradient, curvature) = self.expanded(k, &tried.values[k], &parts.slopes[k - 1]);
                vx += gradient;
                vxx += curvature;
                if newton {
                    vxx += self.bent_terms(k, tried);
                }
            }
            vv = (&vxx + vxx.transpose()) * 0.5;
            v = vx;
            if !v.iter().chain(vv.iter()).all(|x| x.is_finite()) {
                return None;
            }
            change[k] = step;
            gains[k] = gain;
        }
        Some(Direction {
            change,
            gains,
            slope,
            bend,
        })
    }

    /// The largest share of the step that makes it better as it promises.
    pub(super) fn forward(
        &mut self,
        now: &Tried<S::Point>,
        direction: &Direction,
    ) -> Option<(Tried<S::Point>, f64)> {
        let mut share = 1.0;
        for _ in 0..HALVINGS {
            if let Some(tried) = self.stepped(now, direction, share) {
                let promised = -(share * direction.slope + 0.5 * share * share * direction.bend);
                let gained = now.merit - tried.merit;
                // What is left of a difference of large numbers is rounding.
                let rounding = 4.0 * f64::EPSILON * now.merit.abs();
                if gained >= 1e-4 * promised - rounding && tried.merit.is_finite() {
                    return Some((tried, share));
                }
            }
            share *= 0.5;
        }
        None
    }

    pub(super) fn stepped(
        &mut self,
        now: &Tried<S::Point>,
        direction: &Direction,
        share: f64,
    ) -> Option<Tried<S::Point>> {
        let count = now.inputs.len();
        let mut points = Vec::with_capacity(count + 1);
        let mut inputs = Vec::with_capacity(count);
        points.push(now.points[0].clone());
        for k in 0..count {
            let away = self.stages.apart(&now.points[k], &points[k]);
            let answer = &direction.change[k] * share + &direction.gains[k] * away;
            let wanted: Vec<f64> = now.inputs[k].iter().zip(&answer).map(|(u, d)| u + d).collect();
            let input = self.cut(&wanted);
            if !input.iter().all(|u| u.is_finite()) {
                return None;
            }
            let next = self.stages.next(k, &points[k], &input).ok()?;
            points.push(next);
            inputs.push(input);
        }
        Some(self.tried(points, inputs))
    }

    /// Makes the next step shorter; `false` if it cannot be shorter.
    pub(super) fn more_careful(&mut self) -> bool {
        self.regularised = (self.regularised * 10.0).max(1e-8);
        self.regularised < 1e8
    }
}

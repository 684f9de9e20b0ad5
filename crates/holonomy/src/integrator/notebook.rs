//! The scheme of Beckman's notebook for one body on a ball joint, kept to reproduce it and to show what is wrong.
//!
//! ```text
//! τ   = the moment in space at the attitude of the step before          late by one step
//! ω⁺  = ω + ∫₀ʰ I⁻¹(Rᵀτ − ω × Iω) dt                                     with τ and R frozen
//! q⁺  = q + ∫₀ʰ ½ q(0, ω) dt,  q⁺ ← q⁺/|q⁺|                              with the old ω frozen
//! ```
//! Each integral is taken by Runge and Kutta's or Fehlberg's method, but what is frozen makes the whole of first order,
//! and anti-damped: for small swings of frequency Ω, `(λ−1)²λ + h²Ω² = 0`, `|λ| ≈ 1 + h²Ω²`. Half of that is due to the
//! old ω, half to the late moment.
//!
//! The notebook's RKF45 shortens a step whose error estimate is above 1e-10 and returns the state after the *short*
//! step, while its caller goes on by h: it loses time. So it does here.
//!
//! `State::carry` holds the attitude before the last step.
use super::{Fault, Integrator, StepInfo, tableaux};
use crate::{
    Vec3,
    geometry::so3,
    math,
    system::{Scratch, State, System, Tag},
    tree::Tree,
};
use nalgebra::Matrix3;
use std::sync::Arc;

/// The notebook's scheme.
pub struct Notebook {
    tree: Arc<Tree>,
    /// About the joint, in the body.
    inertia: Matrix3<f64>,
    inverse: Matrix3<f64>,
    rule: NotebookRule,
    scratch: Scratch,
    /// The work of each source in this step, `h P(t, q, v)`: of first order, as the rest.
    done: Vec<f64>,
}

/// An explicit Runge–Kutta method: stages, result, and estimate of the error.
struct NotebookRule {
    a: Vec<Vec<f64>>,
    b: Vec<f64>,
    error: Vec<f64>,
}

/// Names the attitude before the last step.
const TAG: Tag = Tag::new(*b"late", 1);
/// The error of a step that RKF45 accepts.
const ACCEPTED: f64 = 1e-10;
/// Stages of the larger method.
const STAGES: usize = 6;

impl Notebook {
    /// With the classical method of Runge and Kutta. `None` unless the tree is one body on a ball joint, with neither
    /// forces in the joint nor constraints.
    pub fn rk4(tree: Arc<Tree>) -> Option<Self> {
        let classical = &tableaux::CLASSICAL;
        let rule = NotebookRule {
            a: classical.a.iter().map(|row| row.to_vec()).collect(),
            b: classical.b.to_vec(),
            error: Vec::new(),
        };
        Self::new(tree, rule)
    }

    /// With Fehlberg's, as the notebook has it.
    pub fn rkf45(tree: Arc<Tree>) -> Option<Self> {
        let pair = tableaux::fehlberg();
        let tableaux::Estimate::Single(error) = pair.error else {
            return None;
        };
        let rule = NotebookRule {
            a: pair.a,
            b: pair.b,
            error,
        };
        Self::new(tree, rule)
    }

    fn new(tree: Arc<Tree>, rule: NotebookRule) -> Option<Self> {
        let lone = tree.lone_body().filter(|lone| !lone.free && !lone.held)?;
        let inertia: Matrix3<f64> = lone.inertia.matrix().fixed_view::<3, 3>(3, 3).into();
        let inverse = inertia.try_inverse()?;
        let scratch = tree.scratch();
        let done = vec![0.0; tree.layout().conserved.sources.len()];
        Some(Self {
            done,
            tree,
            inertia,
            inverse,
            rule,
            scratch,
        })
    }

    /// The moment about the joint at an attitude, in space: what would turn the body if it were at rest.
    fn moment(&mut self, t: f64, q: &[f64]) -> Vec3 {
        let (mut rate, mut acceleration) = ([0.0; 4], [0.0; 3]);
        self.tree
            .rate(t, q, &[0.0; 3], &mut rate, &mut acceleration, &mut self.scratch);
        so3::matrix(q) * (self.inertia * Vec3::from(acceleration))
    }
}

impl Notebook {
    /// Adds the work of the sources over a step from the state, before it is moved.
    fn deliver(&mut self, state: &mut State, omega: &Vec3, h: f64) {
        if self.done.is_empty() {
            return;
        }
        let (mut rate, mut acceleration) = ([0.0; 4], [0.0; 3]);
        let (t, q, v) = (state.t, &state.q, omega.as_slice());
        let scratch = &mut self.scratch;
        self.tree.rate(t, q, v, &mut rate, &mut acceleration, scratch);
        self.tree.powers(t, q, v, &acceleration, &mut self.done, scratch);
        self.done.iter_mut().for_each(|power| *power *= h);
        state.add_work(&self.done);
    }
}

impl NotebookRule {
    /// y after a time h, and the size of the error.
    fn step<const N: usize>(
        &self,
        y: [f64; N],
        h: f64,
        slope: &impl Fn(&[f64; N]) -> [f64; N],
    ) -> ([f64; N], f64) {
        let mut slopes = [[0.0; N]; STAGES];
        let combined = |slopes: &[[f64; N]; STAGES], weights: &[f64]| {
            let mut sum = [0.0; N];
            for (weight, slope) in weights.iter().zip(slopes) {
                for (sum, slope) in sum.iter_mut().zip(slope) {
                    *sum += h * weight * slope;
                }
            }
            sum
        };
        let moved = |by: [f64; N]| std::array::from_fn(|k| y[k] + by[k]);
        for i in 0..self.b.len() {
            slopes[i] = slope(&moved(combined(&slopes, &self.a[i])));
        }
        let error = combined(&slopes, &self.error);
        let size = error.iter().map(|e| e * e).sum::<f64>().sqrt();
        (moved(combined(&slopes, &self.b)), size)
    }

    /// y after a time h, or after the first shorter one that is accurate enough.
    fn shortened<const N: usize>(
        &self,
        y: [f64; N],
        h: f64,
        slope: impl Fn(&[f64; N]) -> [f64; N],
        info: &mut StepInfo,
    ) -> [f64; N] {
        let mut length = h;
        loop {
            let (next, error) = self.step(y, length, &slope);
            if !(error > ACCEPTED) {
                return next;
            }
            info.rejected += 1;
            length *= 0.9 * math::powf(ACCEPTED / error, 0.2);
        }
    }
}

impl Integrator for Notebook {
    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        super::check_finite(&state.q, &state.p, 1)?;
        let mut q = [0.0; 4];
        q.copy_from_slice(&state.q);
        let carried = state.carried(TAG).and_then(|carry| carry.try_into().ok());
        let before: [f64; 4] = carried.unwrap_or(q);
        let moment = self.moment(state.t, &before);
        let (inertia, inverse) = (self.inertia, self.inverse);
        let omega = inverse * Vec3::new(state.p[0], state.p[1], state.p[2]);
        let frozen = so3::matrix(&q).tr_mul(&moment);

        let mut info = StepInfo {
            evaluations: 1,
            ..StepInfo::default()
        };
        let euler = |omega: &[f64; 3]| {
            let omega = Vec3::from(*omega);
            (inverse * (frozen - omega.cross(&(inertia * omega)))).into()
        };
        let next_omega: [f64; 3] = self.rule.shortened(omega.into(), h, euler, &mut info);
        let turn = [0.0, 0.5 * omega.x, 0.5 * omega.y, 0.5 * omega.z];
        let mut next_q = self
            .rule
            .shortened(q, h, |q: &[f64; 4]| so3::product(q, &turn), &mut info);
        self.tree.project(&mut next_q, &mut []);
        let next_p: [f64; 3] = (inertia * Vec3::from(next_omega)).into();
        super::check_finite(&next_q, &next_p, 1)?;

        self.deliver(state, &omega, h);
        state.q.copy_from_slice(&next_q);
        state.p.copy_from_slice(&next_p);
        state.t += h;
        let carry = state.carry_for(TAG);
        carry.clear();
        carry.extend(q);
        Ok(info)
    }
}

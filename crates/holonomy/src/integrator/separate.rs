use super::{Cause, Fault, StepInfo, force::Force};
use crate::{
    Vec3,
    spheres::{Spheres, view, view_mut},
    system::State,
};
use std::sync::Arc;

/// What one-step methods for separate bodies have in common: move every body with the gradient at
/// the start, then give it its momentum with the gradient at the end.
pub(super) struct Separate {
    system: Arc<Spheres>,
    force: Force,
    next_q: Vec<f64>,
    next_p: Vec<f64>,
}

/// One body at one end of a step.
pub(super) struct End {
    pub(super) q: Vec3,
    /// At the start its momentum π; at the end what the first half of the step left for the second.
    pub(super) p: Vec3,
    /// ∂V/∂q.
    pub(super) gradient: Vec3,
    /// Mᵢᵢ.
    pub(super) mass: f64,
}

impl Separate {
    /// `None` when the inertia matrix couples the spheres.
    pub(super) fn new(system: Arc<Spheres>) -> Option<Self> {
        let size = 3 * system.len();
        system.inertia().is_diagonal().then(|| Self {
            force: Force::new(system.clone()),
            system,
            next_q: vec![0.0; size],
            next_p: vec![0.0; size],
        })
    }

    /// `advance` gives the new direction and what is left for `finish`, which gives the new momentum.
    pub(super) fn step(
        &mut self,
        state: &mut State,
        h: f64,
        advance: impl Fn(&End) -> Result<(Vec3, Vec3), Cause>,
        finish: impl Fn(&End) -> Vec3,
    ) -> Result<StepInfo, Fault> {
        let (q, pi) = (view(&state.q), view(&state.p));
        let (next_q, next_pi) = (view_mut(&mut self.next_q), view_mut(&mut self.next_p));
        let inertia = self.system.inertia();
        let before = self.force.evaluations;

        let gradient = self.force.at(q)?;
        for i in 0..q.len() {
            let start = End {
                q: q[i],
                p: pi[i],
                gradient: gradient[i],
                mass: inertia.diagonal(i),
            };
            (next_q[i], next_pi[i]) = advance(&start).map_err(|cause| Fault { cause, body: Some(i) })?;
        }
        let gradient = self.force.at(next_q)?;
        for i in 0..q.len() {
            let end = End {
                q: next_q[i],
                p: next_pi[i],
                gradient: gradient[i],
                mass: inertia.diagonal(i),
            };
            next_pi[i] = finish(&end);
        }
        super::check_finite(&self.next_q, &self.next_p, self.system.len())?;

        std::mem::swap(&mut state.q, &mut self.next_q);
        std::mem::swap(&mut state.p, &mut self.next_p);
        state.t += h;
        Ok(StepInfo {
            evaluations: self.force.evaluations - before,
            ..StepInfo::default()
        })
    }
}

/// What is under a square root: negative when the step is too large.
pub(super) fn non_negative(x: f64) -> Result<f64, Cause> {
    match x {
        _ if x >= 0.0 => Ok(x),
        _ if x.is_nan() => Err(Cause::NotFinite),
        _ => Err(Cause::TooLarge),
    }
}

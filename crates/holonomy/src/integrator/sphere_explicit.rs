//! Explicit variational integrator on (S²)ⁿ for diagonal inertia.
//!
//! ```text
//! π̃ᵢ = πᵢ − ½h qᵢ × ∂ᵢV(q)
//! qᵢ⁺ = d × qᵢ + √(1−|d|²) qᵢ,   d = h π̃ᵢ / Mᵢᵢ       (3.17)
//! πᵢ⁺ = π̃ᵢ − ½h qᵢ⁺ × ∂ᵢV(q⁺)                         (3.18)
//! ```
//! Lee, Leok & McClamroch (2009), Corollary 3. No solution once `|d| > 1`.
use super::{Cause, Fault, Integrator, StepInfo, force::Force};
use crate::{
    Vec3,
    geometry::s2,
    spheres::{Spheres, view, view_mut},
    system::State,
};
use std::sync::Arc;

/// Explicit variational integrator on (S²)ⁿ.
pub struct SphereExplicit {
    system: Arc<Spheres>,
    force: Force,
    next_q: Vec<f64>,
    next_p: Vec<f64>,
}

impl SphereExplicit {
    /// `None` when the inertia matrix couples the spheres.
    pub fn new(system: Arc<Spheres>) -> Option<Self> {
        let size = 3 * system.len();
        system.inertia().is_diagonal().then(|| Self {
            force: Force::new(system.clone()),
            system,
            next_q: vec![0.0; size],
            next_p: vec![0.0; size],
        })
    }
}

impl Integrator for SphereExplicit {
    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        let (q, pi) = (view(&state.q), view(&state.p));
        let (next_q, next_pi) = (view_mut(&mut self.next_q), view_mut(&mut self.next_p));
        let inertia = self.system.inertia();
        let before = self.force.evaluations;

        let gradient = self.force.at(q);
        for i in 0..q.len() {
            let kicked = pi[i] - q[i].cross(&gradient[i]) * (0.5 * h);
            let d = kicked * (h / inertia.diagonal(i));
            next_q[i] = s2::advance(&q[i], &d).ok_or_else(|| no_advance(i, &d))?;
            next_pi[i] = kicked;
        }
        let gradient = self.force.at(next_q);
        for i in 0..q.len() {
            let kicked = next_pi[i] - next_q[i].cross(&gradient[i]) * (0.5 * h);
            next_pi[i] = s2::tangent(&next_q[i], &kicked);
        }
        super::check_finite(&self.next_q, &self.next_p)?;

        std::mem::swap(&mut state.q, &mut self.next_q);
        std::mem::swap(&mut state.p, &mut self.next_p);
        state.t += h;
        Ok(StepInfo {
            evaluations: self.force.evaluations - before,
            ..StepInfo::default()
        })
    }
}

/// Why [`s2::advance`] found no point for the rotation `w` of a body.
pub(super) fn no_advance(body: usize, w: &Vec3) -> Fault {
    let cause = if w.iter().all(|x| x.is_finite()) {
        Cause::TooLarge
    } else {
        Cause::NotFinite
    };
    Fault {
        cause,
        body: Some(body),
    }
}

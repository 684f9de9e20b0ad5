//! RATTLE on the Cartesian positions of separate bodies, one length constraint each.
//!
//! ```text
//! pᵢ = πᵢ × qᵢ                                                  Cartesian momentum over the length
//! x̃ᵢ = qᵢ + (h/Mᵢ)(pᵢ − ½h ∂ᵢV(q)),     qᵢ⁺ = x̃ᵢ − μᵢ qᵢ with |qᵢ⁺| = 1
//! μ = c / (b + √(b² − c)),   b = x̃ᵢ·qᵢ,   c = |x̃ᵢ|² − 1           (small root, no cancellation)
//! pᵢ⁺ = (Mᵢ/h)(qᵢ⁺ − qᵢ) − ½h ∂ᵢV(q⁺), made perpendicular to qᵢ⁺;     πᵢ⁺ = qᵢ⁺ × pᵢ⁺
//! ```
//! Andersen (1983). The constraint is solved exactly, so its error is that of one rounding. On the
//! constraint manifold this is the same map as [`super::SphereExplicit`], written in other variables.
use super::{Cause, Fault, Integrator, StepInfo, force::Force};
use crate::{
    geometry::s2,
    spheres::{Spheres, view, view_mut},
    system::State,
};
use std::sync::Arc;

/// RATTLE for separate bodies.
pub struct Rattle {
    system: Arc<Spheres>,
    force: Force,
    next_q: Vec<f64>,
    next_p: Vec<f64>,
}

impl Rattle {
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

impl Integrator for Rattle {
    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        let (q, pi) = (view(&state.q), view(&state.p));
        let (next_q, next_pi) = (view_mut(&mut self.next_q), view_mut(&mut self.next_p));
        let inertia = self.system.inertia();
        let before = self.force.evaluations;

        let gradient = self.force.at(q);
        for i in 0..q.len() {
            let mass = inertia.diagonal(i);
            let p = pi[i].cross(&q[i]);
            // x̃ = q + s; b and c from s, which is small, and from what q lacks of unit length.
            let s = (p - gradient[i] * (0.5 * h)) * (h / mass);
            let along = q[i].dot(&s);
            let (b, c) = (
                1.0 + along,
                2.0 * along + s.norm_squared() - s2::length_defect(&q[i]),
            );
            let root = b * b - c;
            if root.is_nan() {
                return Err(Fault {
                    cause: Cause::NotFinite,
                    body: Some(i),
                });
            }
            if root < 0.0 {
                return Err(Fault {
                    cause: Cause::TooLarge,
                    body: Some(i),
                });
            }
            let moved = s - q[i] * (c / (b + root.sqrt()));
            next_q[i] = q[i] + moved;
            next_pi[i] = moved * (mass / h);
        }
        let gradient = self.force.at(next_q);
        for i in 0..q.len() {
            let p = next_pi[i] - gradient[i] * (0.5 * h);
            // q × p: what is along q drops out, which is the projection.
            next_pi[i] = next_q[i].cross(&p);
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

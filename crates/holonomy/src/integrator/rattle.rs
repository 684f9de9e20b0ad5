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
use super::{
    Fault, Integrator, StepInfo,
    separate::{End, Separate, non_negative},
};
use crate::{geometry::s2, spheres::Spheres, system::State};
use std::sync::Arc;

/// RATTLE for separate bodies.
pub struct Rattle(Separate);

impl Rattle {
    /// `None` when the inertia matrix couples the spheres.
    pub fn new(system: Arc<Spheres>) -> Option<Self> {
        Separate::new(system).map(Self)
    }
}

impl Integrator for Rattle {
    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        let advance = |start: &End| {
            let p = start.p.cross(&start.q);
            // x̃ = q + s; b and c from s, which is small, and from what q lacks of unit length.
            let s = (p - start.gradient * (0.5 * h)) * (h / start.mass);
            let along = start.q.dot(&s);
            let (b, c) = (
                1.0 + along,
                2.0 * along + s.norm_squared() - s2::length_defect(&start.q),
            );
            let root = non_negative(b * b - c)?.sqrt();
            let moved = s - start.q * (c / (b + root));
            Ok((start.q + moved, moved * (start.mass / h)))
        };
        let finish = |end: &End| {
            let p = end.p - end.gradient * (0.5 * h);
            // q × p: what is along q drops out, which is the projection.
            end.q.cross(&p)
        };
        self.0.step(state, h, advance, finish)
    }
}

//! The discrete Hamel integrator of Zenkov–Leok–Bloch, for separate bodies on spheres.
//!
//! Hamel's equations in a frame that turns with the body and does not spin about its direction are
//! those of `(Ω, Γ)`, the angular velocity and the vertical as the frame sees them. Discretised by
//! the midpoint rule, (22)–(24) of the paper, they are the implicit midpoint rule for these
//! variables. Written with spatial vectors, body by body:
//!
//! ```text
//! f = ½h (ω + ½Δω)                                  half the rotation of the step, F = cay(f)
//! Δω = −(h/2M) [ q × ∂V(q) + Fᵀ(q⁺ × ∂V(q⁺)) ]      torques averaged in the body's frame
//! q⁺ = F q,        ω⁺ = F (ω + Δω)
//! ```
//! In uniform gravity `|Γ|²`, `Γ·Ω` and the energy are quadratic in `(Ω, Γ)`, so length, vertical
//! momentum and energy are conserved exactly: [`uniform`] steps these variables. In any other potential
//! [`iterated`] steps `(q, π)`; length is conserved, momentum is not, and of the energy nothing is
//! promised. The increments are added with compensation in both, so that rounding hardly
//! accumulates.
//!
//! The paper calls the method symplectic. It is not: the defect ‖JᵀΩJ−Ω‖ is of order h³ and measured
//! in the tests.
mod iterated;
mod uniform;

use super::{Fault, Integrator, StepInfo};
use crate::{Vec3, spheres::Spheres, system::State};
use iterated::Iterated;
use std::sync::Arc;
use uniform::Uniform;

/// The discrete Hamel integrator.
pub struct SphereHamel(Box<dyn Integrator>);

impl SphereHamel {
    /// `None` when the inertia matrix couples the spheres. The iterations are those of potentials other
    /// than uniform gravity.
    pub fn new(system: Arc<Spheres>, max_iterations: u32) -> Option<Self> {
        if !system.are_separate() {
            return None;
        }
        Some(Self(match system.uniform_gradient() {
            Some(gradient) => Box::new(Uniform::new(&system, &gradient)),
            None => Box::new(Iterated::new(system, max_iterations)),
        }))
    }
}

impl Integrator for SphereHamel {
    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        self.0.attempt(state, h)
    }
}

/// `a + b + lost`, rounded, and what was lost (Kahan).
fn sum(a: &Vec3, b: &Vec3, lost: &Vec3) -> (Vec3, Vec3) {
    let small = b + lost;
    let total = a + small;
    (total, small - (total - a))
}

/// `(cay(f) − I) x = 2 (f × x + f × (f × x)) / (1 + |f|²)`.
fn rotation_increment(f: &Vec3, x: &Vec3) -> Vec3 {
    let crossed = f.cross(x);
    (crossed + f.cross(&crossed)) * (2.0 / (1.0 + f.norm_squared()))
}

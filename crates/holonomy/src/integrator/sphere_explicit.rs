//! Explicit variational integrator on (S²)ⁿ for diagonal inertia.
//!
//! ```text
//! π̃ᵢ = πᵢ − ½h qᵢ × ∂ᵢV(q)
//! qᵢ⁺ = d × qᵢ + √(1−|d|²) qᵢ,   d = h π̃ᵢ / Mᵢᵢ       (3.17)
//! πᵢ⁺ = π̃ᵢ − ½h qᵢ⁺ × ∂ᵢV(q⁺)                         (3.18)
//! ```
//! Lee, Leok & McClamroch (2009), Corollary 3. No solution once `|d| > 1`. Order 4, 6 or 8 by composition.
use super::{
    Fault, Integrator, StepInfo, Work,
    separate::{End, Moved, Rule, Separate, Stage},
};
use crate::{Vec3, geometry::s2, spheres::Spheres, system::State};
use std::sync::Arc;

/// Explicit variational integrator on (S²)ⁿ.
pub struct SphereExplicit(Separate);

impl SphereExplicit {
    /// Order 2; `None` when the inertia matrix couples the spheres.
    pub fn new(system: Arc<Spheres>) -> Option<Self> {
        Separate::new(system).map(Self)
    }

    /// Raised to order 4, 6 or 8 as by [`super::Composition`], for less; `None` for other orders.
    pub fn with_order(self, order: u32) -> Option<Self> {
        self.0.with_order(order).map(Self)
    }
}

impl Integrator for SphereExplicit {
    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        Work::of_one(|work| self.advance(state, h, 1, work))
    }

    fn advance(&mut self, state: &mut State, h: f64, count: u64, work: &mut Work) -> Result<(), Fault> {
        self.0.advance(state, h, count, work, &Explicit)
    }
}

struct Explicit;

impl Rule for Explicit {
    #[inline]
    fn advance(&self, start: &End, stage: &Stage) -> Moved {
        let kicked = start.kicked(stage.before);
        let d = kicked * (stage.motion / start.mass);
        let room = 1.0 - d.norm_squared();
        Moved {
            q: s2::beside(&start.q, &d.cross(&start.q), room.sqrt() - 1.0),
            p: kicked - start.stray(),
            room,
        }
    }

    #[inline]
    fn finish(&self, end: &End, stage: &Stage) -> Vec3 {
        end.kicked(stage.after)
    }
}

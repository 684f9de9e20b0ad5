//! Explicit variational integrator on (S²)ⁿ for diagonal inertia.
//!
//! ```text
//! π̃ᵢ = πᵢ − ½h qᵢ × ∂ᵢV(q)
//! qᵢ⁺ = d × qᵢ + √(1−|d|²) qᵢ,   d = h π̃ᵢ / Mᵢᵢ       (3.17)
//! πᵢ⁺ = π̃ᵢ − ½h qᵢ⁺ × ∂ᵢV(q⁺)                         (3.18)
//! ```
//! Lee, Leok & McClamroch (2009), Corollary 3. No solution once `|d| > 1`.
use super::{
    Cause, Fault, Integrator, StepInfo,
    separate::{End, Separate},
};
use crate::{geometry::s2, spheres::Spheres, system::State};
use std::sync::Arc;

/// Explicit variational integrator on (S²)ⁿ.
pub struct SphereExplicit(Separate);

impl SphereExplicit {
    /// `None` when the inertia matrix couples the spheres.
    pub fn new(system: Arc<Spheres>) -> Option<Self> {
        Separate::new(system).map(Self)
    }
}

impl Integrator for SphereExplicit {
    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        let advance = |start: &End| {
            let kicked = start.p - start.q.cross(&start.gradient) * (0.5 * h);
            let d = kicked * (h / start.mass);
            let next = s2::advance(&start.q, &d).ok_or_else(|| {
                let finite = d.iter().all(|x| x.is_finite());
                if finite { Cause::TooLarge } else { Cause::NotFinite }
            })?;
            Ok((next, kicked))
        };
        let finish = |end: &End| {
            let kicked = end.p - end.q.cross(&end.gradient) * (0.5 * h);
            s2::tangent(&end.q, &kicked)
        };
        self.0.step(state, h, advance, finish)
    }
}

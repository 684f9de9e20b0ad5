//! Explicit variational integrator on (S²)ⁿ for diagonal inertia.
//!
//! ```text
//! π̃ᵢ = πᵢ − ½h qᵢ × ∂ᵢV(q)
//! qᵢ⁺ = d × qᵢ + √(1−|d|²) qᵢ,   d = h π̃ᵢ / Mᵢᵢ       (3.17)
//! πᵢ⁺ = π̃ᵢ − ½h qᵢ⁺ × ∂ᵢV(q⁺)                         (3.18)
//! ```
//! Lee, Leok & McClamroch (2009), Corollary 3. No solution once `|d| > 1`. Order 4, 6 or 8 by composition.
use super::separate::{BodyRule, End, Moved, Separate, Stage};
use crate::{
    geometry::s2,
    simd::{Real, Triple},
};

/// Explicit variational integrator on (S²)ⁿ, of order 2, 4, 6 or 8.
pub type SphereExplicit = Separate<Explicit>;

/// What it does to one body.
pub struct Explicit;

impl BodyRule for Explicit {
    #[inline(always)]
    fn advance<T: Real>(start: &End<T>, stage: &Stage) -> Moved<T> {
        let kicked = start.kicked(stage.before);
        let d = kicked.scaled(stage.motion / start.mass);
        let room = d.x.constant(1.0) - d.norm_squared();
        Moved {
            q: s2::beside(start.q, d.cross(start.q), room.sqrt() - 1.0),
            p: kicked - start.stray(),
            room,
        }
    }

    #[inline(always)]
    fn finish<T: Real>(end: &End<T>, stage: &Stage) -> Triple<T> {
        end.kicked(stage.after)
    }
}

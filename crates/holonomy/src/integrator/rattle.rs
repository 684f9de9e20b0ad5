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
use super::separate::{BodyRule, End, Moved, Separate, Stage};
use crate::{
    geometry::s2,
    simd::{Real, Triple},
};

/// RATTLE for separate bodies.
pub type Rattle = Separate<Positions>;

/// What it does to one body.
pub struct Positions;

impl BodyRule for Positions {
    #[inline(always)]
    fn advance<T: Real>(start: &End<T>, stage: &Stage) -> Moved<T> {
        let h = stage.motion;
        let p = start.p.cross(start.q);
        // x̃ = q + s; b and c from s, which is small, and from what q lacks of unit length.
        let s = (p - start.gradient.scaled(stage.before)).scaled(h / start.mass);
        let along = start.q.dot(s);
        let (b, c) = (along + 1.0, along * 2.0 + s.norm_squared() - s2::lacking(start.q));
        let room = b * b - c;
        let moved = s - start.q * (c / (b + room.sqrt()));
        Moved {
            q: start.q + moved,
            p: moved.scaled(start.mass / h),
            room,
        }
    }

    #[inline(always)]
    fn finish<T: Real>(end: &End<T>, stage: &Stage) -> Triple<T> {
        // q × p: what is along q drops out, which is the projection.
        end.q.cross(end.p - end.gradient.scaled(stage.after))
    }
}

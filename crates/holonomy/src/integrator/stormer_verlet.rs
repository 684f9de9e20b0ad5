//! The generalized Störmer–Verlet method of Zenkov, Leok & Bloch (2012), (25)–(26), for separate bodies.
//!
//! The equations of a point on the sphere, `q̇ = p/M`, `ṗ = f(q) − |p|²/M q` with the force
//! `f = −∂V + (q·∂V) q` along the sphere, kicked implicitly, drifted, and kicked explicitly:
//!
//! ```text
//! p½ = p + ½h (f(q) − |p½|²/M q)       quadratic in p½:
//!      p½ = c − μ q,  c = p + ½h f(q),  μ = (h/2M)|p½|² = (h/2M)|c|² · 2/(1 + √(1 − (h/M)²|c|²))
//! q⁺ = q + (h/M) p½
//! p⁺ = p½ + ½h (f(q⁺) − |p½|²/M q⁺)
//! ```
//! with `p = π × q`. The paper calls the first line linearly implicit; it is quadratic and solved in
//! closed form. If `|q| = 1` and `q·p = 0` before, both hold after, and the map is that of
//! [`super::SphereExplicit`]. Nothing puts it back there: rounding errors of the length accumulate.
use super::separate::{BodyRule, End, Moved, Separate, Stage};
use crate::simd::{Real, Triple};

/// The generalized Störmer–Verlet method.
pub type StormerVerlet = Separate<Verlet>;

/// What it does to one body.
pub struct Verlet;

impl BodyRule for Verlet {
    #[inline(always)]
    fn advance<T: Real>(start: &End<T>, stage: &Stage) -> Moved<T> {
        let h = stage.motion;
        let p = start.p.cross(start.q);
        let c = p + along_sphere(start).scaled(stage.before);
        let square = c.norm_squared() * (h / start.mass) * (h / start.mass);
        let room = square.constant(1.0) - square;
        let mu = square * (start.mass / h) / (room.sqrt() + 1.0);
        let half = c - start.q * mu;
        Moved {
            q: start.q + half.scaled(h / start.mass),
            p: half,
            room,
        }
    }

    #[inline(always)]
    fn finish<T: Real>(end: &End<T>, stage: &Stage) -> Triple<T> {
        let squared = end.p.norm_squared();
        let pull = end.q * (squared / squared.constant(end.mass));
        end.q
            .cross(end.p + (along_sphere(end) - pull).scaled(stage.after))
    }
}

/// `−∂V + (q·∂V) q`.
#[inline(always)]
fn along_sphere<T: Real>(end: &End<T>) -> Triple<T> {
    end.q * end.q.dot(end.gradient) - end.gradient
}

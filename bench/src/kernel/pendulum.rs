//! One spherical pendulum, explicit variational step.
//!
//! ```text
//! π̃ = π − ½h q × ∂V,   q⁺ = d × q + √(1−|d|²) q with d = h π̃/M,   π⁺ = π̃ − ½h q⁺ × ∂V
//! ```
use super::{V, advanced, cross, dot, plus, scaled};

/// A pendulum of mass m and length l: M = m l², ∂V = −m l g.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pendulum {
    /// Direction.
    pub q: V,
    /// Momentum.
    pub p: V,
    /// M.
    pub inertia: f64,
    /// ∂V/∂q, constant.
    pub gradient: V,
}

impl Pendulum {
    /// Takes steps of `h`. With `keep`, direction and momentum stay on the manifold to the last digit as in the
    /// engine: it costs the length of q far below rounding. Without, they are left to rounding.
    pub fn run(&mut self, h: f64, steps: u64, keep: bool) {
        match keep {
            true => self.steps::<true>(h, steps),
            false => self.steps::<false>(h, steps),
        }
    }

    #[inline(always)]
    fn steps<const KEEP: bool>(&mut self, h: f64, steps: u64) {
        let Self {
            mut q,
            mut p,
            inertia,
            gradient,
        } = *self;
        let (half, turn) = (-0.5 * h, h / inertia);
        for _ in 0..steps {
            let kicked = plus(p, half, cross(q, gradient));
            let d = scaled(kicked, turn);
            if KEEP {
                // Rounding leaves something of p along q; it must not grow.
                let kept = plus(kicked, -dot(q, p), q);
                q = advanced(q, d);
                p = plus(kept, half, cross(q, gradient));
            } else {
                q = plus(cross(d, q), (1.0 - dot(d, d)).sqrt(), q);
                p = plus(kicked, half, cross(q, gradient));
            }
        }
        (self.q, self.p) = (q, p);
    }
}

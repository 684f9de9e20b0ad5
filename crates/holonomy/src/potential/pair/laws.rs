//! Laws that have a name.
//!
//! ```text
//! Lennard-Jones   f(s) = 4ε t³(t³ − 1),  f′(s) = −12ε/ρ² t⁴(2t³ − 1),   t = ρ²/s,  ρ = σ/R
//! cotangent       f(c) = −γ c/√(1 − c²),  f′(c) = −γ/(1 − c²)^{3/2}
//! ```
use super::{Argument, PairLaw};
use crate::simd::Real;

/// Lennard-Jones, `f = 4ε[(σ/r)¹² − (σ/r)⁶]` with `r = R |a − b|`.
#[derive(Clone, Debug)]
pub struct LennardJones {
    /// ρ².
    square: f64,
    /// 4ε.
    depth: f64,
    /// −12ε/ρ².
    scale: f64,
}

impl LennardJones {
    /// With the depth ε (J), the distance σ (m) at which the energy is zero, and the radius R (m) of the sphere that
    /// carries the points.
    pub fn new(epsilon: f64, sigma: f64, radius: f64) -> Self {
        let reduced = sigma / radius;
        let square = reduced * reduced;
        Self {
            square,
            depth: 4.0 * epsilon,
            scale: -12.0 * epsilon / square,
        }
    }
}

impl PairLaw for LennardJones {
    #[inline(always)]
    fn at<R: Real>(&self, s: R) -> (R, R) {
        let t = s.constant(self.square) / s;
        let cube = t * t * t;
        let energy = cube * self.depth * (cube - 1.0);
        (energy, t * self.scale * cube * (cube + cube - 1.0))
    }
}

/// Gravitation on the sphere, `f = −γ cot θ = −γ c / √(1−c²)` with `c = a·b`.
#[derive(Clone, Debug)]
pub struct Cotangent {
    /// Strength γ, J.
    pub strength: f64,
}

impl PairLaw for Cotangent {
    fn argument(&self) -> Argument {
        Argument::Cosine
    }

    #[inline(always)]
    fn at<R: Real>(&self, c: R) -> (R, R) {
        let square = c.constant(1.0) - c * c;
        let sine = square.sqrt();
        let strength = c.constant(-self.strength);
        (strength * c / sine, strength / (square * sine))
    }
}

use super::{Potential, Symmetry};
use crate::Vec3;

/// The same law between all pairs of the first `count` points: `V = Σ_{i<j} f(rᵢ, rⱼ)`.
#[derive(Clone, Debug)]
pub struct Pairs<L> {
    /// The law f.
    pub law: L,
    /// How many points take part.
    pub count: usize,
}

/// Energy between two points; depends on their relative position only through rotation invariants.
pub trait PairLaw: Send + Sync {
    /// Energy of the pair.
    fn energy(&self, a: &Vec3, b: &Vec3) -> f64;
    /// Derivatives with respect to a and b.
    fn gradient(&self, a: &Vec3, b: &Vec3) -> (Vec3, Vec3);
}

impl<L: PairLaw> Potential for Pairs<L> {
    fn energy(&self, points: &[Vec3]) -> f64 {
        let points = &points[..self.count];
        let mut total = 0.0;
        for (i, a) in points.iter().enumerate() {
            for b in &points[i + 1..] {
                total += self.law.energy(a, b);
            }
        }
        total
    }

    fn add_gradient(&self, points: &[Vec3], gradient: &mut [Vec3]) {
        let (points, gradient) = (&points[..self.count], &mut gradient[..self.count]);
        for i in 0..points.len() {
            let a = points[i];
            let mut sum = Vec3::zeros();
            for (b, out) in points[i + 1..].iter().zip(&mut gradient[i + 1..]) {
                let (on_a, on_b) = self.law.gradient(&a, b);
                sum += on_a;
                *out += on_b;
            }
            gradient[i] += sum;
        }
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::All
    }
}

/// Lennard-Jones, `f = 4ε[(σ/r)¹² − (σ/r)⁶]` with `r = R |a − b|`.
#[derive(Clone, Debug)]
pub struct LennardJones {
    /// Depth ε, J.
    pub epsilon: f64,
    /// Distance σ at which the energy is zero, m.
    pub sigma: f64,
    /// Radius R of the sphere that carries the points, m.
    pub radius: f64,
}

impl PairLaw for LennardJones {
    fn energy(&self, a: &Vec3, b: &Vec3) -> f64 {
        let reduced = self.sigma / self.radius;
        let s2 = reduced * reduced / (a - b).norm_squared();
        let s6 = s2 * s2 * s2;
        4.0 * self.epsilon * (s6 * s6 - s6)
    }

    fn gradient(&self, a: &Vec3, b: &Vec3) -> (Vec3, Vec3) {
        let reduced = self.sigma / self.radius;
        let d = a - b;
        let inverse = 1.0 / d.norm_squared();
        let s2 = reduced * reduced * inverse;
        let s6 = s2 * s2 * s2;
        let on_a = d * (24.0 * self.epsilon * inverse * (s6 - 2.0 * s6 * s6));
        (on_a, -on_a)
    }
}

/// Gravitation on the sphere, `f = −γ cot θ = −γ c / √(1−c²)` with `c = a·b`.
#[derive(Clone, Debug)]
pub struct Cotangent {
    /// Strength γ, J.
    pub strength: f64,
}

impl PairLaw for Cotangent {
    fn energy(&self, a: &Vec3, b: &Vec3) -> f64 {
        let c = a.dot(b);
        -self.strength * c / (1.0 - c * c).sqrt()
    }

    fn gradient(&self, a: &Vec3, b: &Vec3) -> (Vec3, Vec3) {
        let c = a.dot(b);
        let s = 1.0 - c * c;
        let slope = -self.strength / (s * s.sqrt());
        (b * slope, a * slope)
    }
}

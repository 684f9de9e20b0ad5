use super::{Potential, Symmetry};
use crate::{Vec3, math};

/// Magnetic dipoles that turn about fixed pivots.
///
/// ```text
/// V = Σ_{i<j} μ νᵢνⱼ / (4π rᵢⱼ³) [ qᵢ·qⱼ − 3 (qᵢ·r̂ᵢⱼ)(qⱼ·r̂ᵢⱼ) ]
/// ```
#[derive(Clone, Debug)]
pub struct Dipoles {
    pairs: Vec<Pair>,
    symmetry: Symmetry,
}

#[derive(Clone, Debug)]
struct Pair {
    i: usize,
    j: usize,
    /// `μ νᵢνⱼ / (4π rᵢⱼ³)`, J.
    strength: f64,
    /// Unit vector from pivot i to pivot j.
    axis: Vec3,
}

impl Dipoles {
    /// Dipoles of moments `νᵢ` (A m²) at the pivots, in a medium of the given permeability (N/A²).
    pub fn new(pivots: &[Vec3], moments: &[f64], permeability: f64) -> Self {
        let mut pairs = Vec::with_capacity(pivots.len() * pivots.len().saturating_sub(1) / 2);
        for i in 0..pivots.len() {
            for j in i + 1..pivots.len() {
                let r = pivots[j] - pivots[i];
                let distance = r.norm();
                let strength = permeability * moments[i] * moments[j]
                    / (4.0 * std::f64::consts::PI * math::powi(distance, 3));
                pairs.push(Pair {
                    i,
                    j,
                    strength,
                    axis: r / distance,
                });
            }
        }
        let symmetry = Symmetry::fixing(pairs.iter().map(|pair| &pair.axis));
        Self { pairs, symmetry }
    }
}

impl Potential for Dipoles {
    fn energy(&self, q: &[Vec3]) -> f64 {
        self.pairs
            .iter()
            .map(|Pair { i, j, strength, axis }| {
                strength * (q[*i].dot(&q[*j]) - 3.0 * q[*i].dot(axis) * q[*j].dot(axis))
            })
            .sum()
    }

    fn add_gradient(&self, q: &[Vec3], gradient: &mut [Vec3]) {
        for Pair { i, j, strength, axis } in &self.pairs {
            gradient[*i] += (q[*j] - axis * (3.0 * axis.dot(&q[*j]))) * *strength;
            gradient[*j] += (q[*i] - axis * (3.0 * axis.dot(&q[*i]))) * *strength;
        }
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn add_hessian(&self, _: &[Vec3], direction: &[Vec3], change: &mut [Vec3]) -> bool {
        // The gradient is linear.
        self.add_gradient(direction, change);
        true
    }

    fn points_needed(&self) -> usize {
        self.pairs.iter().map(|pair| pair.j + 1).max().unwrap_or(0)
    }

    fn symmetry(&self) -> Symmetry {
        self.symmetry
    }
}

use super::{Potential, Symmetry};
use crate::Vec3;

/// Linear spring between two points, `V = ½ κ (|rₐ − r_b| − ℓ)²`.
#[derive(Clone, Debug)]
pub struct Spring {
    /// The two points a and b.
    pub between: [usize; 2],
    /// Stiffness κ, N/m.
    pub stiffness: f64,
    /// Rest length ℓ, m.
    pub length: f64,
}

impl Potential for Spring {
    fn energy(&self, points: &[Vec3]) -> f64 {
        let [a, b] = self.between;
        let stretch = (points[a] - points[b]).norm() - self.length;
        0.5 * self.stiffness * stretch * stretch
    }

    fn add_gradient(&self, points: &[Vec3], gradient: &mut [Vec3]) {
        let [a, b] = self.between;
        let d = points[a] - points[b];
        // κ (|d| − ℓ) d/|d|; without a rest length the direction is not needed.
        let pull = if self.length == 0.0 {
            d * self.stiffness
        } else {
            d * (self.stiffness * (1.0 - self.length / d.norm()))
        };
        gradient[a] += pull;
        gradient[b] -= pull;
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::All
    }

    fn members(&self) -> Option<&[usize]> {
        Some(&self.between)
    }

    /// `κ (1 − ℓ/|d|) + κ ℓ/|d| n nᵀ` and its negative, n = d/|d|.
    fn hessian(&self, points: &[Vec3], out: &mut [f64]) -> bool {
        let [a, b] = self.between;
        let d = points[a] - points[b];
        let (mut across, mut along) = (self.stiffness, 0.0);
        if self.length != 0.0 {
            let square = d.norm_squared();
            let slack = self.stiffness * self.length / square.sqrt();
            (across, along) = (self.stiffness - slack, slack / square);
        }
        for k in 0..3 {
            for l in 0..3 {
                let value = along * d[k] * d[l] + if k == l { across } else { 0.0 };
                out[6 * k + l] = value;
                out[6 * k + 3 + l] = -value;
                out[6 * (3 + k) + l] = -value;
                out[6 * (3 + k) + 3 + l] = value;
            }
        }
        true
    }

    fn drawn_as_spring(&self) -> Option<[usize; 2]> {
        Some(self.between)
    }

    fn is_translation_invariant(&self) -> bool {
        true
    }
}

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
}

use super::{Potential, Symmetry};
use crate::Vec3;

/// Elastic joints between consecutive directions, with `cos θ = qᵢ·qⱼ`.
///
/// ```text
/// cosine    V = κ (1 − cos θ)       ≈ ½ κ θ²
/// quartic   V = ½ κ (1 − cos θ)²    ≈ ⅛ κ θ⁴   (Lee–Leok–McClamroch: no stiffness at small angles)
/// ```
#[derive(Clone, Debug)]
pub struct Bending {
    /// Pairs of directions that a joint connects.
    pub joints: Vec<[usize; 2]>,
    /// Directions joined to a wall that points along a fixed unit vector.
    pub clamps: Vec<(Vec3, usize)>,
    /// Stiffness κ, N m.
    pub stiffness: f64,
    /// Energy of a joint.
    pub law: BendingLaw,
}

/// Energy of one elastic joint as a function of its angle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BendingLaw {
    /// `κ (1 − cos θ)`.
    Cosine,
    /// `½ κ (1 − cos θ)²`.
    Quartic,
}

impl Bending {
    fn joint_energy(&self, cosine: f64) -> f64 {
        let bend = 1.0 - cosine;
        match self.law {
            BendingLaw::Cosine => self.stiffness * bend,
            BendingLaw::Quartic => 0.5 * self.stiffness * bend * bend,
        }
    }

    /// `d²V/d(cos θ)²`.
    #[cfg(not(target_arch = "wasm32"))]
    fn joint_curvature(&self) -> f64 {
        match self.law {
            BendingLaw::Cosine => 0.0,
            BendingLaw::Quartic => self.stiffness,
        }
    }

    /// `dV/d cos θ`.
    fn joint_slope(&self, cosine: f64) -> f64 {
        match self.law {
            BendingLaw::Cosine => -self.stiffness,
            BendingLaw::Quartic => -self.stiffness * (1.0 - cosine),
        }
    }
}

impl Potential for Bending {
    fn energy(&self, points: &[Vec3]) -> f64 {
        let joints = self.joints.iter().map(|[i, j]| points[*i].dot(&points[*j]));
        let clamps = self.clamps.iter().map(|(wall, i)| wall.dot(&points[*i]));
        clamps.chain(joints).map(|c| self.joint_energy(c)).sum()
    }

    fn add_gradient(&self, points: &[Vec3], gradient: &mut [Vec3]) {
        for (wall, i) in &self.clamps {
            gradient[*i] += wall * self.joint_slope(wall.dot(&points[*i]));
        }
        for [i, j] in &self.joints {
            let slope = self.joint_slope(points[*i].dot(&points[*j]));
            gradient[*i] += points[*j] * slope;
            gradient[*j] += points[*i] * slope;
        }
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn add_hessian(&self, points: &[Vec3], direction: &[Vec3], change: &mut [Vec3]) -> bool {
        let curvature = self.joint_curvature();
        for (wall, i) in &self.clamps {
            change[*i] += wall * (curvature * wall.dot(&direction[*i]));
        }
        for [i, j] in &self.joints {
            let (a, b, da, db) = (points[*i], points[*j], direction[*i], direction[*j]);
            let slope = self.joint_slope(a.dot(&b));
            let turned = curvature * (da.dot(&b) + a.dot(&db));
            change[*i] += db * slope + b * turned;
            change[*j] += da * slope + a * turned;
        }
        true
    }

    fn points_needed(&self) -> usize {
        let joined = self.joints.iter().flatten();
        let all = joined.chain(self.clamps.iter().map(|(_, i)| i));
        all.max().map_or(0, |k| k + 1)
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::fixing(self.clamps.iter().map(|(wall, _)| wall))
    }
}

//! Potential energies. A potential is a function of points; each family of systems decides what
//! the points are and pulls the gradient back. In [`crate::spheres::Spheres`] the first `n` points
//! are the directions of the bodies themselves, then come the points placed on links.
mod autodiff;
mod bending;
mod dipole;
mod gravity;
mod pair;
mod spring;

pub use autodiff::{Autodiff, Scalar, SmoothPotential};
pub use bending::{Bending, BendingLaw};
pub use dipole::Dipoles;
pub use gravity::Gravity;
pub use pair::{Cotangent, LennardJones, PairLaw, Pairs};
pub use spring::Spring;

use crate::Vec3;

/// A potential energy that depends on points.
pub trait Potential: Send + Sync {
    /// The energy, J.
    fn energy(&self, points: &[Vec3]) -> f64;
    /// Adds `∂V/∂rₖ` to `gradient[k]`.
    fn add_gradient(&self, points: &[Vec3], gradient: &mut [Vec3]);
    /// The rotations of all points that leave the energy (or, for gravity, the forces) unchanged:
    /// they decide which angular momenta are conserved.
    fn symmetry(&self) -> Symmetry {
        Symmetry::None
    }
    /// Whether its gradient is the same everywhere.
    fn is_uniform(&self) -> bool {
        false
    }
    /// The way things fall under this potential, if it has one.
    fn down(&self) -> Option<Vec3> {
        None
    }
}

/// Rotations that leave a potential unchanged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Symmetry {
    /// All rotations.
    All,
    /// Rotations about one axis (a unit vector).
    About(Vec3),
    /// None.
    None,
}

impl Symmetry {
    /// What is left when both must hold.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::All, s) | (s, Self::All) => s,
            (Self::About(a), Self::About(b)) if parallel(&a, &b) => self,
            _ => Self::None,
        }
    }

    /// Rotations that leave each of these vectors where it is.
    pub fn fixing<'a>(vectors: impl IntoIterator<Item = &'a Vec3>) -> Self {
        vectors
            .into_iter()
            .filter(|v| v.norm() > 0.0)
            .fold(Self::All, |s, v| s.and(Self::About(v.normalize())))
    }
}

/// Up to the rounding of the vectors' own components.
fn parallel(a: &Vec3, b: &Vec3) -> bool {
    a.cross(b).norm() <= 1e-14
}

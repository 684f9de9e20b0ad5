//! Potential energies. A potential is a function of points; each family of systems decides what
//! the points are and pulls the gradient back. In [`crate::spheres::Spheres`] the first `n` points
//! are the directions of the bodies themselves, then come the points placed on links.
mod autodiff;
mod bending;
mod dipole;
mod fault;
mod formula;
mod given;
mod gravity;
mod pair;
mod spring;
mod symmetry;

pub use autodiff::{Autodiff, Scalar, SmoothPotential};
pub use bending::{Bending, BendingLaw};
pub use dipole::Dipoles;
pub use fault::{FaultSlot, PotentialFault};
pub use formula::FormulaPotential;
pub use given::{GivenPotential, PointEnergy};
pub use gravity::Gravity;
pub use pair::{
    Argument, Cotangent, Cutoff, CutoffError, KnownLaw, LennardJones, NearPairs, PairFormula, PairLaw, Pairs,
};
pub use spring::Spring;
pub(crate) use symmetry::scattered;
pub use symmetry::{Carriers, Configuration, Symmetry};

use crate::{Vec3, formula::SubExpression, system::Undefined};
use std::sync::Arc;

/// A potential energy that depends on points.
///
/// One of one's own, with its gradient:
///
/// ```
/// use holonomy::{Vec3, potential::{Potential, Symmetry}, spheres::{Body, Spheres, SpheresParts}, system::System};
///
/// /// `V = ½ k (q·a)²`: a body that is drawn to the plane across a unit vector a.
/// struct Plane { normal: Vec3, stiffness: f64 }
///
/// impl Potential for Plane {
///     fn energy(&self, points: &[Vec3]) -> f64 {
///         0.5 * self.stiffness * points[0].dot(&self.normal).powi(2)
///     }
///     fn add_gradient(&self, points: &[Vec3], gradient: &mut [Vec3]) {
///         gradient[0] += self.normal * (self.stiffness * points[0].dot(&self.normal));
///     }
///     fn points_needed(&self) -> usize {
///         1
///     }
///     fn symmetry(&self) -> Symmetry {
///         Symmetry::About(self.normal)
///     }
/// }
///
/// let spheres = Spheres::new(SpheresParts {
///     bodies: vec![Body::point("bob", 1.0, 1.0)],
///     potentials: vec![Box::new(Plane { normal: Vec3::z(), stiffness: 2.0 })],
///     ..SpheresParts::default()
/// })?;
/// // Its symmetry decides what is measured.
/// assert_eq!(spheres.layout().conserved.invariants, ["angular momentum z"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// Where only the energy is at hand, [`Autodiff`] finds the gradient.
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
    /// What is left of the symmetry where points are carried by something: by default, rotations that move no anchor.
    ///
    /// Right for energies of directions, and of differences of places; others must look for themselves.
    fn symmetry_on(&self, carriers: &Carriers<'_>) -> Symmetry {
        self.symmetry().and(carriers.anchors)
    }
    /// The points it depends on; `None` if it does not say, and may depend on all.
    fn members(&self) -> Option<&[usize]> {
        None
    }
    /// How many points there must be for it: one more than the largest number of those it depends on.
    fn points_needed(&self) -> usize {
        let members = self.members().unwrap_or_default();
        members.iter().max().map_or(0, |k| k + 1)
    }
    /// Second derivatives in the coordinates of its members, row by row; `false` if it has none to give, and
    /// differences of the gradient must do.
    fn hessian(&self, points: &[Vec3], out: &mut [f64]) -> bool {
        let _ = (points, out);
        false
    }
    /// Adds to `change[k]` how `∂V/∂rₖ` changes, to the first order, where the points move in a direction; `false` if it
    /// has no exact second derivatives to give. Steps have derivatives where all potentials have.
    #[cfg(not(target_arch = "wasm32"))]
    fn add_hessian(&self, points: &[Vec3], direction: &[Vec3], change: &mut [Vec3]) -> bool {
        if self.is_uniform() {
            return true;
        }
        let Some(members) = self.members() else {
            return false;
        };
        let size = 3 * members.len();
        // Most are of two or three points.
        let (mut few, mut many) = ([0.0; 81], Vec::new());
        let matrix = match few.get_mut(..size * size) {
            Some(few) => few,
            None => {
                many.resize(size * size, 0.0);
                &mut many[..]
            }
        };
        if !self.hessian(points, matrix) {
            return false;
        }
        for (place, row) in matrix.chunks_exact(size).enumerate() {
            let terms = row
                .iter()
                .enumerate()
                .map(|(l, a)| a * direction[members[l / 3]][l % 3]);
            change[members[place / 3]][place % 3] += terms.sum::<f64>();
        }
        true
    }
    /// Whether it is known to stay the same when all points are moved alike: such potentials keep momentum.
    fn is_translation_invariant(&self) -> bool {
        false
    }
    /// Whether its gradient is the same everywhere.
    fn is_uniform(&self) -> bool {
        false
    }
    /// The way things fall under this potential, if it has one.
    fn down(&self) -> Option<Vec3> {
        None
    }
    /// The two points that it is drawn between as a spring, if it is one.
    fn drawn_as_spring(&self) -> Option<[usize; 2]> {
        None
    }
    /// What has no value, or no derivative, at these points, if it is known; its number is that in `expressions`.
    fn undefined(&self, points: &[Vec3]) -> Option<Undefined> {
        let _ = points;
        None
    }
    /// The expressions that [`Undefined`] numbers.
    fn expressions(&self) -> Vec<SubExpression> {
        Vec::new()
    }
    /// Where it reports that it failed, if it can: the same slot at every call.
    fn faults(&self) -> Option<Arc<FaultSlot>> {
        None
    }
    /// What it did with lists of neighbours, if it has any.
    fn list_work(&self) -> Option<ListWork> {
        None
    }
}

/// How often lists of neighbours were used, and made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListWork {
    /// Evaluations of an energy or a gradient.
    pub evaluations: u64,
    /// How often the list of a point was made, the first time included: on average, rounded up.
    pub rebuilds: u64,
}

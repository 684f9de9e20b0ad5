//! Exact gradients for potentials written once over a generic scalar.
//! The only file that names the dual-number crate.
use super::{Potential, Symmetry};
use crate::Vec3;
use nalgebra::Vector3;
#[cfg(not(target_arch = "wasm32"))]
use num_dual::HyperDual64;
use num_dual::{Dual64, DualNum};
use std::sync::Mutex;

/// Numbers a smooth potential computes with: `f64`, or dual numbers that carry a derivative.
pub trait Scalar: DualNum<Primitive = f64> + Copy {}
impl<T: DualNum<Primitive = f64> + Copy> Scalar for T {}

/// A potential given by its energy alone; wrap it in [`Autodiff`] for the gradient.
pub trait SmoothPotential: Send + Sync {
    /// The points it depends on, in the order in which `energy` receives them.
    fn points(&self) -> &[usize];
    /// The energy, J.
    fn energy<S: Scalar>(&self, points: &[Vector3<S>]) -> S;
    /// Rotations that leave it unchanged.
    fn symmetry(&self) -> Symmetry {
        Symmetry::None
    }
}

/// Gives a [`SmoothPotential`] its gradient by forward differentiation: one evaluation per
/// coordinate it depends on.
///
/// Its elementary functions are those of the dual-number crate, hence of the platform: unlike those of
/// [`crate::math`], their last bits may differ from machine to machine.
pub struct Autodiff<P> {
    potential: P,
    /// Dual copies of the points, reused. A second thread that finds it taken makes its own.
    seeded: Mutex<Vec<Vector3<Dual64>>>,
}

impl<P: SmoothPotential> Autodiff<P> {
    /// Wraps a potential.
    pub fn new(potential: P) -> Self {
        Self {
            potential,
            seeded: Mutex::default(),
        }
    }

    fn differentiate(&self, points: &[Vec3], gradient: &mut [Vec3], seeded: &mut Vec<Vector3<Dual64>>) {
        let members = self.potential.points();
        seeded.clear();
        seeded.extend(members.iter().map(|k| points[*k].map(Dual64::from)));
        for (slot, k) in members.iter().enumerate() {
            for axis in 0..3 {
                seeded[slot][axis].eps = 1.0;
                gradient[*k][axis] += self.potential.energy(seeded).eps;
                seeded[slot][axis].eps = 0.0;
            }
        }
    }
}

impl<P: SmoothPotential> Potential for Autodiff<P> {
    fn energy(&self, points: &[Vec3]) -> f64 {
        let members: Vec<Vec3> = self.potential.points().iter().map(|k| points[*k]).collect();
        self.potential.energy(&members)
    }

    fn add_gradient(&self, points: &[Vec3], gradient: &mut [Vec3]) {
        match self.seeded.try_lock() {
            Ok(mut seeded) => self.differentiate(points, gradient, &mut seeded),
            Err(_) => self.differentiate(points, gradient, &mut Vec::new()),
        }
    }

    /// One evaluation per coordinate, of numbers that carry both derivatives.
    #[cfg(not(target_arch = "wasm32"))]
    fn add_hessian(&self, points: &[Vec3], direction: &[Vec3], change: &mut [Vec3]) -> bool {
        let members = self.potential.points();
        let along = |k: &usize| {
            let place = |axis| HyperDual64::new(points[*k][axis], direction[*k][axis], 0.0, 0.0);
            Vector3::new(place(0), place(1), place(2))
        };
        let mut seeded: Vec<Vector3<HyperDual64>> = members.iter().map(along).collect();
        for (slot, k) in members.iter().enumerate() {
            for axis in 0..3 {
                seeded[slot][axis].eps2 = 1.0;
                change[*k][axis] += self.potential.energy(&seeded).eps1eps2;
                seeded[slot][axis].eps2 = 0.0;
            }
        }
        true
    }

    fn points_needed(&self) -> usize {
        self.potential.points().iter().max().map_or(0, |k| k + 1)
    }

    fn symmetry(&self) -> Symmetry {
        self.potential.symmetry()
    }
}

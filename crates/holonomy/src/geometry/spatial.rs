//! Inertia of a rigid body.
//!
//! ```text
//! f = m (v + ω × c)              momentum (f, n) of the twist (v, ω)
//! n = I ω + c × f                c the centre of mass, I the moment of inertia about it
//! ```
use super::se3::{Pose, Twist, Wrench, angular, join, linear};
use crate::{Vec3, order};
use nalgebra::{DMatrix, Matrix3, Matrix6, SymmetricEigen};

/// Mass, centre of mass and moment of inertia about the centre, in the axes of one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidInertia {
    /// Mass m, kg.
    pub mass: f64,
    /// Centre of mass c, m.
    pub centre: Vec3,
    /// Moment of inertia I about the centre, with products of inertia, kg m².
    pub moment: Matrix3<f64>,
}

/// Why an inertia is not that of a body.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum RigidInertiaError {
    /// A mass below zero, or a number that is not finite.
    #[error("the mass {0} kg is not a mass; give zero or more")]
    Mass(f64),
    /// The matrix is not symmetric.
    #[error("the moment of inertia is not symmetric: its products differ by {0:.1e} kg m²")]
    NotSymmetric(f64),
    /// A principal moment is negative.
    #[error("a principal moment of inertia is negative: {0:.3e} kg m²; check the signs of the products")]
    Negative(f64),
    /// One principal moment is larger than the other two together, which no distribution of mass has.
    #[error(
        "principal moments of inertia {0:.3e}, {1:.3e} and {2:.3e} kg m² violate the triangle inequality: the largest is more than the sum of the others"
    )]
    Triangle(f64, f64, f64),
    /// Moment of inertia without mass.
    #[error("a moment of inertia without mass; give a mass")]
    Massless,
}

/// Principal moments may be off by this fraction of the largest: digits of printed numbers.
const PRINTED: f64 = 1e-6;

impl RigidInertia {
    /// No mass.
    pub fn zero() -> Self {
        Self::point(0.0, Vec3::zeros())
    }

    /// A point mass.
    pub fn point(mass: f64, centre: Vec3) -> Self {
        Self {
            mass,
            centre,
            moment: Matrix3::zeros(),
        }
    }

    /// A body with principal moments along the axes of the frame.
    pub fn diagonal(mass: f64, centre: Vec3, moments: [f64; 3]) -> Self {
        Self {
            mass,
            centre,
            moment: Matrix3::from_diagonal(&Vec3::from(moments)),
        }
    }

    /// A thin uniform rod between two points.
    pub fn rod(mass: f64, from: Vec3, to: Vec3) -> Self {
        let d = to - from;
        let moment = (Matrix3::identity() * d.norm_squared() - d * d.transpose()) * (mass / 12.0);
        Self {
            mass,
            centre: (from + to) * 0.5,
            moment,
        }
    }

    /// A uniform box with its edges along the axes.
    pub fn cuboid(mass: f64, centre: Vec3, edges: Vec3) -> Self {
        let s = edges.component_mul(&edges) * (mass / 12.0);
        Self::diagonal(mass, centre, [s.y + s.z, s.x + s.z, s.x + s.y])
    }

    /// The same body in another frame.
    pub fn moved(&self, to_from: &Pose) -> Self {
        let r = to_from.rotation.to_rotation_matrix().into_inner();
        Self {
            mass: self.mass,
            centre: to_from.point(&self.centre),
            moment: r * self.moment * r.transpose(),
        }
    }

    /// Both bodies as one.
    pub fn and(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        if mass == 0.0 {
            return Self {
                moment: self.moment + other.moment,
                ..*self
            };
        }
        let centre = (self.centre * self.mass + other.centre * other.mass) / mass;
        let about = |body: &Self| {
            let d = body.centre - centre;
            body.moment + (Matrix3::identity() * d.norm_squared() - d * d.transpose()) * body.mass
        };
        Self {
            mass,
            centre,
            moment: about(self) + about(other),
        }
    }

    /// Momentum of a twist.
    #[inline]
    pub fn momentum(&self, twist: &Twist) -> Wrench {
        let w = angular(twist);
        let force = (linear(twist) + w.cross(&self.centre)) * self.mass;
        join(&force, &(self.moment * w + self.centre.cross(&force)))
    }

    /// The matrix that takes twists to momenta.
    #[inline]
    pub fn matrix(&self) -> Matrix6<f64> {
        let c = self.centre.cross_matrix() * self.mass;
        let moment = self.moment - self.centre.cross_matrix() * c;
        let mut out = Matrix6::zeros();
        for i in 0..3 {
            out[(i, i)] = self.mass;
            for j in 0..3 {
                out[(i, 3 + j)] = -c[(i, j)];
                out[(3 + i, j)] = c[(i, j)];
                out[(3 + i, 3 + j)] = moment[(i, j)];
            }
        }
        out
    }

    /// Whether mechanics can be done with it: numbers that are finite, a symmetric moment, and only with mass.
    pub fn check_numbers(&self) -> Result<(), RigidInertiaError> {
        if !(self.mass >= 0.0 && self.mass.is_finite() && self.centre.iter().all(|x| x.is_finite())) {
            return Err(RigidInertiaError::Mass(self.mass));
        }
        let skew = (self.moment - self.moment.transpose()).abs().max();
        let size = self.moment.abs().max();
        if !(skew <= PRINTED * size) {
            return Err(RigidInertiaError::NotSymmetric(skew));
        }
        if size > 0.0 && self.mass == 0.0 {
            return Err(RigidInertiaError::Massless);
        }
        Ok(())
    }

    /// Whether some body has this inertia.
    pub fn check(&self) -> Result<(), RigidInertiaError> {
        self.check_numbers()?;
        let mut principal: [f64; 3] = principal(&self.moment).0.into();
        order::sort_by(&mut principal, f64::total_cmp);
        let [a, b, c] = principal;
        if a < -PRINTED * c.abs() || c < 0.0 {
            return Err(RigidInertiaError::Negative(a));
        }
        if c > (a + b) * (1.0 + PRINTED) + PRINTED * c {
            return Err(RigidInertiaError::Triangle(a, b, c));
        }
        Ok(())
    }
}

/// Principal moments, and the axes in the columns of a matrix. By the routine for matrices of any size, which is there
/// anyhow: each size of its own is a kilobyte and a half of what a browser loads.
pub(crate) fn principal(moment: &Matrix3<f64>) -> (Vec3, Matrix3<f64>) {
    let eigen = SymmetricEigen::new(DMatrix::from_column_slice(3, 3, moment.as_slice()));
    (
        Vec3::from_column_slice(eigen.eigenvalues.as_slice()),
        Matrix3::from_column_slice(eigen.eigenvectors.as_slice()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn momentum_is_the_matrix_and_does_not_depend_on_the_frame() {
        let body = RigidInertia {
            mass: 2.0,
            centre: Vec3::new(0.3, -0.2, 0.5),
            moment: Matrix3::new(0.4, 0.05, -0.02, 0.05, 0.5, 0.03, -0.02, 0.03, 0.3),
        };
        body.check().unwrap_or_else(|e| panic!("{e}"));
        let pose = Pose::translation(Vec3::new(1.0, 2.0, -0.5)) * Pose::turn(Vec3::new(1.0, 2.0, 3.0), 0.7);
        let v = join(&Vec3::new(0.1, 0.7, -0.4), &Vec3::new(1.0, -2.0, 0.5));
        assert!((body.matrix() * v - body.momentum(&v)).norm() < 1e-14);
        let there = body.moved(&pose).momentum(&pose.twist(&v));
        assert!((there - pose.wrench(&body.momentum(&v))).norm() < 1e-13);
        let rod = RigidInertia::rod(3.0, Vec3::zeros(), Vec3::x() * 2.0);
        let half = RigidInertia::rod(1.5, Vec3::zeros(), Vec3::x());
        let both = half.and(&RigidInertia::rod(1.5, Vec3::x(), Vec3::x() * 2.0));
        assert!((both.matrix() - rod.matrix()).norm() < 1e-14);
    }

    #[test]
    fn impossible_inertias_are_named() {
        let diagonal = |m| RigidInertia::diagonal(1.0, Vec3::zeros(), m);
        assert!(diagonal([1.0, 1.0, 2.0]).check().is_ok());
        assert!(matches!(
            diagonal([1.0, 1.0, 2.1]).check(),
            Err(RigidInertiaError::Triangle(..))
        ));
        assert!(matches!(
            diagonal([-1.0, 2.0, 2.0]).check(),
            Err(RigidInertiaError::Negative(_))
        ));
        assert!(matches!(
            RigidInertia::point(f64::NAN, Vec3::zeros()).check(),
            Err(RigidInertiaError::Mass(_))
        ));
        let mut skew = diagonal([1.0, 1.0, 1.0]);
        skew.moment[(0, 1)] = 0.1;
        assert!(matches!(skew.check(), Err(RigidInertiaError::NotSymmetric(_))));
        skew.mass = 0.0;
        skew.moment[(0, 1)] = 0.0;
        assert_eq!(skew.check(), Err(RigidInertiaError::Massless));
    }
}

//! Rigid motions, twists and wrenches.
//!
//! ```text
//! twist   V = (v, ω)       v the velocity of the point of the body at the origin of the frame
//! wrench  W = (f, n)       n the moment about that origin;  power W·V
//!
//! V' = Ad_g V:   ω' = Rω,  v' = Rv + p × ω'          g = (R, p) takes the frame of V to that of V'
//! W' = Ad_g⁻ᵀ W: f' = Rf,  n' = Rn + p × f'
//! ad_A B  = A × B  = (ω_A × v_B + v_A × ω_B,  ω_A × ω_B)
//! ad*_A W = A ×* W = (ω_A × f,  ω_A × n + v_A × f),         (A × B)·W = −B·(A ×* W)
//! ```
//! The order (v, ω) is that of the cable report; its (8) and (13) are read as `docs/reading.md` 5.2 corrects them.
use crate::{Vec3, geometry::so3};
use nalgebra::{Matrix3, Matrix6, UnitQuaternion, Vector6};

/// Velocity of a rigid body, `(v, ω)`.
pub type Twist = Vector6<f64>;
/// Force and moment, `(f, n)`.
pub type Wrench = Vector6<f64>;

/// A rigid motion, named by its frames: `world_from_body` takes coordinates in the body to the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Rotation R.
    pub rotation: UnitQuaternion<f64>,
    /// Translation p.
    pub translation: Vec3,
}

impl Pose {
    /// No motion.
    pub fn identity() -> Self {
        Self::translation(Vec3::zeros())
    }

    /// A translation alone.
    pub fn translation(translation: Vec3) -> Self {
        Self {
            rotation: UnitQuaternion::identity(),
            translation,
        }
    }

    /// A rotation alone.
    pub fn rotation(rotation: UnitQuaternion<f64>) -> Self {
        Self {
            rotation,
            translation: Vec3::zeros(),
        }
    }

    /// A rotation about an axis through the origin by an angle.
    pub fn turn(axis: Vec3, angle: f64) -> Self {
        Self::rotation(so3::about(&axis.normalize(), angle))
    }

    /// The motion back.
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.inverse();
        Self {
            rotation,
            translation: -(rotation * self.translation),
        }
    }

    /// Where a point goes.
    pub fn point(&self, r: &Vec3) -> Vec3 {
        self.rotation * r + self.translation
    }

    /// A direction, turned.
    pub fn direction(&self, r: &Vec3) -> Vec3 {
        self.rotation * r
    }

    /// `Ad_g V`.
    pub fn twist(&self, twist: &Twist) -> Twist {
        let turn = self.rotation * angular(twist);
        join(
            &(self.rotation * linear(twist) + self.translation.cross(&turn)),
            &turn,
        )
    }

    /// `Ad_g⁻ᵀ W`.
    pub fn wrench(&self, wrench: &Wrench) -> Wrench {
        let force = self.rotation * linear(wrench);
        join(
            &force,
            &(self.rotation * angular(wrench) + self.translation.cross(&force)),
        )
    }

    /// The matrix of `Ad_g`.
    pub fn adjoint(&self) -> Matrix6<f64> {
        let r = self.rotation.to_rotation_matrix().into_inner();
        let mut out = Matrix6::zeros();
        out.fixed_view_mut::<3, 3>(0, 0).copy_from(&r);
        out.fixed_view_mut::<3, 3>(3, 3).copy_from(&r);
        let coupling: Matrix3<f64> = self.translation.cross_matrix() * r;
        out.fixed_view_mut::<3, 3>(0, 3).copy_from(&coupling);
        out
    }
}

impl std::ops::Mul for Pose {
    type Output = Self;

    fn mul(self, inner: Self) -> Self {
        Self {
            rotation: self.rotation * inner.rotation,
            translation: self.point(&inner.translation),
        }
    }
}

/// `(v, ω)` or `(f, n)` from its halves.
#[inline]
pub fn join(first: &Vec3, second: &Vec3) -> Vector6<f64> {
    Vector6::new(first.x, first.y, first.z, second.x, second.y, second.z)
}

/// The first half: the velocity of a twist, the force of a wrench.
#[inline]
pub fn linear(x: &Vector6<f64>) -> Vec3 {
    Vec3::new(x[0], x[1], x[2])
}

/// The second half: the angular velocity of a twist, the moment of a wrench.
#[inline]
pub fn angular(x: &Vector6<f64>) -> Vec3 {
    Vec3::new(x[3], x[4], x[5])
}

/// `A × B`, the Lie bracket of twists.
#[inline]
pub fn cross(a: &Twist, b: &Twist) -> Twist {
    let (w, v) = (angular(a), linear(a));
    let turn = angular(b);
    join(&(w.cross(&linear(b)) + v.cross(&turn)), &w.cross(&turn))
}

/// `A ×* W`, how a wrench changes that is carried along with the twist A.
#[inline]
pub fn cross_wrench(a: &Twist, wrench: &Wrench) -> Wrench {
    let (w, v) = (angular(a), linear(a));
    let force = linear(wrench);
    join(&w.cross(&force), &(w.cross(&angular(wrench)) + v.cross(&force)))
}

/// A twist about the point `d` further on, same axes: `v + ω × d`.
#[inline]
pub fn twist_at(twist: &Twist, d: &Vec3) -> Twist {
    let w = angular(twist);
    join(&(linear(twist) + w.cross(d)), &w)
}

/// A wrench about the point `d` further back, same axes: `n + d × f`.
#[inline]
pub fn wrench_from(wrench: &Wrench, d: &Vec3) -> Wrench {
    let force = linear(wrench);
    join(&force, &(angular(wrench) + d.cross(&force)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pose(k: f64) -> Pose {
        let axis = Vec3::new((1.1 * k).sin(), (0.4 * k).cos(), (2.3 * k).sin());
        Pose::translation(Vec3::new(k.cos(), 1.0, (3.0 * k).sin())) * Pose::turn(axis, 1.3 * k)
    }

    fn six(k: f64) -> Vector6<f64> {
        Vector6::from_fn(|i, _| (1.7 * k + 0.9 * i as f64).sin())
    }

    #[test]
    fn poses_act_as_a_group_on_points_twists_and_wrenches() {
        for k in 1..40 {
            let (k, eps) = (f64::from(k), 1e-14);
            let (a, b) = (pose(k), pose(k + 0.5));
            let r = Vec3::new(k.sin(), 0.3, -1.0);
            assert!(((a * b).point(&r) - a.point(&b.point(&r))).norm() < eps);
            assert!((a.inverse().point(&a.point(&r)) - r).norm() < eps);
            let (v, w) = (six(k), six(2.0 * k));
            assert!(((a * b).twist(&v) - a.twist(&b.twist(&v))).norm() < eps);
            assert!((a.adjoint() * v - a.twist(&v)).norm() < eps);
            // Power does not depend on the frame; the velocity of a point neither.
            assert!((a.twist(&v).dot(&a.wrench(&w)) - v.dot(&w)).abs() < eps);
            let at = |v: &Twist, r: &Vec3| linear(v) + angular(v).cross(r);
            assert!((at(&a.twist(&v), &a.point(&r)) - a.direction(&at(&v, &r))).norm() < eps);
            // Ad is a homomorphism of brackets, and ×* is dual to ×.
            assert!((cross(&a.twist(&v), &a.twist(&w)) - a.twist(&cross(&v, &w))).norm() < 1e-13);
            let u = six(3.0 * k);
            assert!((cross(&v, &w).dot(&u) + w.dot(&cross_wrench(&v, &u))).abs() < eps);
            let d = Vec3::new(0.2, k.cos(), 0.7);
            let shift = Pose::translation(-d);
            assert!((twist_at(&v, &d) - shift.twist(&v)).norm() < eps);
            assert!((wrench_from(&w, &d) - shift.inverse().wrench(&w)).norm() < eps);
        }
    }
}

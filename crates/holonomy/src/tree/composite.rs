//! Rigid bodies taken together, about one point.
//!
//! ```text
//! f = m v + ω × h,   n = h × v + J ω          h = Σ m r,  J = Σ (I − m r̂ r̂)
//! ```
use crate::{
    Vec3,
    geometry::{
        RigidInertia,
        se3::{Wrench, join},
    },
};
use nalgebra::Matrix3;

/// Mass, first and second moments.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Composite {
    mass: f64,
    first: Vec3,
    second: Matrix3<f64>,
}

impl Composite {
    /// One body whose frame has its origin at `o`.
    #[inline]
    pub(crate) fn of(body: &RigidInertia, o: &Vec3) -> Self {
        let r = o + body.centre;
        let first = r * body.mass;
        Self {
            mass: body.mass,
            first,
            // −m r̂ r̂ = m (r² − r rᵀ)
            second: body.moment + Matrix3::from_diagonal_element(r.dot(&first)) - first * r.transpose(),
        }
    }

    /// Momentum of a twist `(v, ω)`.
    pub(crate) fn momentum(&self, v: &Vec3, w: &Vec3) -> Wrench {
        join(
            &(v * self.mass + w.cross(&self.first)),
            &(self.first.cross(v) + self.second * w),
        )
    }
}

impl std::ops::AddAssign<&Self> for Composite {
    fn add_assign(&mut self, other: &Self) {
        self.mass += other.mass;
        self.first += other.first;
        self.second += other.second;
    }
}

//! Spheres, rotations and rigid motions: what moves where, without charts.
mod euler;
mod icosphere;
pub mod s2;
pub mod se3;
pub mod so3;
mod spatial;

pub use euler::{EulerOrder, EulerOrderError};
pub use icosphere::Icosphere;
pub use se3::Pose;
pub(crate) use spatial::principal;
pub use spatial::{RigidInertia, RigidInertiaError};

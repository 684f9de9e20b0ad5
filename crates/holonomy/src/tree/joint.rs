//! Joints, and the primitive ones they are made of.
//!
//! ```text
//! world_from_body = world_from_parent · parent_from_joint · J(q) · joint_from_body
//!
//! revolute    J = turn by q about a            prismatic   J = shift by q along a
//! screw       J = turn by q about a and shift by (pitch) q along it
//! universal   J = turn by q₁ about a₁, then by q₂ about a₂
//! spherical   J = rotation, a unit quaternion;  velocity: ω in the frame behind the joint
//! free        J = shift by (x, y, z), then rotation
//! ```
use crate::{
    Vec3,
    geometry::{Pose, so3},
};

/// How a body moves relative to its parent. Axes need not be unit vectors.
pub enum Joint {
    /// Not at all.
    Fixed,
    /// About an axis.
    Revolute {
        /// The axis, in the joint frame.
        axis: Vec3,
    },
    /// Along an axis.
    Prismatic {
        /// The axis, in the joint frame.
        axis: Vec3,
    },
    /// About and along an axis.
    Screw {
        /// The axis, in the joint frame.
        axis: Vec3,
        /// Advance per radian, m.
        pitch: f64,
    },
    /// About two axes, one after the other.
    Universal {
        /// The axes, in the joint frame at angles zero.
        axes: [Vec3; 2],
    },
    /// About a point.
    Spherical,
    /// Freely.
    Free,
    /// As a function of time says, about (pitch per radian) or along an axis.
    Driven {
        /// The axis, in the joint frame.
        axis: Vec3,
        /// What the coordinate does.
        along: Along,
        /// The coordinate as a function of time.
        motion: Motion,
    },
    /// About two axes, one after the other, both as functions of time say.
    DrivenUniversal {
        /// The axes, in the joint frame at angles zero.
        axes: [Vec3; 2],
        /// The angles.
        motions: [Motion; 2],
    },
    /// Freely about a point that moves as functions of time say. What turns it as a function of time is a constraint,
    /// [`Attitude::Driven`](super::Attitude::Driven).
    DrivenFree {
        /// The position, in the joint frame.
        position: [Motion; 3],
    },
}

/// What the one coordinate of a driven joint does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Along {
    /// An angle about the axis.
    Turn,
    /// A length along the axis.
    Shift,
    /// An angle, with this advance per radian.
    Screw(f64),
}

/// Value, rate and acceleration at a time.
pub type Motion = Box<dyn Fn(f64) -> (f64, f64, f64) + Send + Sync>;

/// A primitive joint in its own frame, where its axis is z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum JointKind {
    Fixed,
    /// Turns by `turn · q` about z and moves by `advance · q` along it.
    Screw {
        turn: f64,
        advance: f64,
    },
    Translation,
    Ball,
    /// A screw whose coordinate is a function of time.
    Driven {
        turn: f64,
        advance: f64,
        motion: usize,
    },
}

impl JointKind {
    /// How far it turns about its axis for one of its coordinate.
    pub(crate) fn turn(self) -> f64 {
        match self {
            Self::Screw { turn, .. } | Self::Driven { turn, .. } => turn,
            _ => 0.0,
        }
    }

    /// Numbers in q and in v.
    pub(crate) fn sizes(self) -> (usize, usize) {
        match self {
            Self::Fixed => (0, 0),
            Self::Screw { .. } => (1, 1),
            Self::Translation => (3, 3),
            Self::Ball => (4, 3),
            Self::Driven { .. } => (1, 0),
        }
    }
}

/// A rotation that takes z to the given axis.
pub(crate) fn align(axis: &Vec3) -> Pose {
    // Half a turn about the bisector would do for all but −z; the shortest turn is closer to what a reader expects.
    let turn = so3::shortest(&Vec3::z(), axis);
    Pose::rotation(turn.unwrap_or_else(|| so3::about(&Vec3::x(), std::f64::consts::PI)))
}

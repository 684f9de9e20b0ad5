//! What a viewer draws: shapes, given once, and where they are in every state.
//!
//! ```
//! use holonomy::{Vec3, scene::{Poses, Shape}, spheres::{Body, Spheres, SpheresParts}, system::System};
//!
//! let pendulum = Spheres::new(SpheresParts {
//!     gravity: Vec3::new(0.0, 0.0, -9.81),
//!     ..SpheresParts::chain([Body::point("upper", 1.0, 1.0), Body::point("lower", 1.0, 0.5)])
//! })?;
//! let state = pendulum.state(&[Vec3::x(), -Vec3::z()], &[Vec3::zeros(); 2])?;
//! let (scene, mut poses) = (pendulum.scene(), Poses::default());
//! pendulum.poses(&state, &mut poses, &mut pendulum.scratch());
//! for shape in &scene.shapes {
//!     if let Shape::Rod { from, to, .. } = shape {
//!         // From (0, 0, 0) to (1, 0, 0), and from there to (1, 0, -0.5).
//!         println!("{:?} to {:?}", poses.points[*from], poses.points[*to]);
//!     }
//! }
//! # assert_eq!(poses.points[..2], [[1.0, 0.0, 0.0], [1.0, 0.0, -0.5]]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! Places are in metres. Quaternions are `[w, x, y, z]`, from the axes of a frame to those of the world.
use crate::system::Names;
use serde::{Deserialize, Serialize};

/// What a system looks like. Systems in generalized coordinates look as their
/// [`Picture`](crate::lagrangian::Picture) says; without one, and for systems of others, the scene is empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// Names of the bodies that have a frame, one per pose in [`Poses::frames`].
    pub frames: Names,
    /// Names of the points, one per place in [`Poses::points`]. Those of `System::sites` come first.
    pub points: Names,
    /// What is drawn.
    pub shapes: Vec<Shape>,
    /// The way things fall, a unit vector, where there is gravity.
    pub down: Option<[f64; 3]>,
    /// The longest part, m: to choose cameras by. Of a picture, the largest distance between two points at the start.
    pub size: f64,
}

/// Where everything is in one state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Poses {
    /// Poses of the bodies that have a frame.
    pub frames: Vec<FramePose>,
    /// Places of the points, m; not a number where a formula has no value.
    pub points: Vec<[f64; 3]>,
}

impl Poses {
    /// Nothing is anywhere; memory is kept.
    pub fn clear(&mut self) {
        self.frames.clear();
        self.points.clear();
    }
}

/// Where a frame is, and how it is turned.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FramePose {
    /// Its origin, m.
    pub position: [f64; 3],
    /// Unit quaternion `[w, x, y, z]`, with w ≥ 0.
    pub rotation: [f64; 4],
}

/// A direction that is fixed in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// The number of the frame; `None` for the world.
    pub frame: Option<usize>,
    /// A unit vector in its axes.
    pub direction: [f64; 3],
}

/// One thing to draw. Bodies are numbered as in the layout, points and frames as in the [`Scene`]; radii are hints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Shape {
    /// A straight rigid part of a body, between two points: its length never changes.
    Rod {
        /// The body.
        body: usize,
        /// Where it begins.
        from: usize,
        /// Where it ends.
        to: usize,
        /// How thick, m.
        radius: f64,
    },
    /// A point mass.
    Mass {
        /// The body.
        body: usize,
        /// The point.
        at: usize,
        /// How large, m.
        radius: f64,
    },
    /// The uniform box that has the inertia of a rigid body: what it is made of, not what it looks like.
    Inertia {
        /// The body, and its frame.
        body: usize,
        /// The centre of mass in that frame, m.
        centre: [f64; 3],
        /// From the axes of the box to those of the frame.
        rotation: [f64; 4],
        /// Lengths of its edges, m.
        edges: [f64; 3],
    },
    /// A joint between a body and its parent, or the world.
    Joint {
        /// The body behind it.
        body: usize,
        /// How it moves.
        joint: JointShape,
        /// Where it is on the parent.
        from: usize,
        /// Where the body begins: the same place, unless the joint slides.
        to: usize,
        /// What it turns about or slides along.
        axes: Vec<Axis>,
        /// Whether it follows a function of time.
        driven: bool,
    },
    /// A point fixed in space, on which something hangs.
    Pivot {
        /// The point.
        at: usize,
    },
    /// Points at a given distance along a line: a string, a cable, or a massless rod.
    Cable {
        /// The name of the constraint.
        name: String,
        /// Two points or more.
        through: Vec<usize>,
    },
    /// Two points that are one.
    Pin {
        /// The name of the constraint.
        name: String,
        /// The points.
        between: [usize; 2],
    },
    /// A plane that a point stays on.
    Plane {
        /// The name of the constraint.
        name: String,
        /// The point that stays on it.
        at: usize,
        /// A point of the plane.
        on: usize,
        /// Its normal.
        normal: Axis,
    },
    /// A spring.
    Spring {
        /// Its ends.
        between: [usize; 2],
    },
    /// A damper.
    Damper {
        /// Its ends.
        between: [usize; 2],
    },
    /// An elastic beam, which leaves its ends along two axes: a cubic curve.
    Beam {
        /// Its ends.
        between: [usize; 2],
        /// Along the beam, at its ends.
        axes: [Axis; 2],
        /// Its length at rest, m.
        length: f64,
    },
    /// A point of a system in generalized coordinates, named by the author of the model.
    Point {
        /// The point.
        at: usize,
    },
    /// A line of no given length through points, straight from one to the next.
    Line {
        /// Two points or more; the first again at the end where it is closed.
        through: Vec<usize>,
    },
    /// The sphere that bodies move on.
    Sphere {
        /// Its centre.
        centre: usize,
        /// Its radius, m.
        radius: f64,
    },
}

/// How a joint moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JointShape {
    /// Not at all.
    Fixed,
    /// About an axis.
    Revolute,
    /// Along an axis.
    Prismatic,
    /// About and along an axis.
    Screw,
    /// About two axes.
    Universal,
    /// About a point.
    Spherical,
    /// Freely.
    Free,
}

impl std::fmt::Display for JointShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Fixed => "fixed",
            Self::Revolute => "revolute",
            Self::Prismatic => "prismatic",
            Self::Screw => "screw",
            Self::Universal => "universal",
            Self::Spherical => "spherical",
            Self::Free => "free",
        })
    }
}

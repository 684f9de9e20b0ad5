//! Bodies and joints of a tree as they are written, for programs that write them in another format.
use super::TreeDraft;
use holonomy::{
    Vec3,
    geometry::{Pose, RigidInertia},
    tree::{Constraint, Joint, JointForce},
};

/// A tree as it is written: what moves, before the engine puts it together.
pub struct TreeOutline {
    /// Bodies, each after its parent; segments of cables are among them.
    pub bodies: Vec<OutlineBody>,
    /// Constraints that couple coordinates.
    pub couplings: Vec<OutlineCoupling>,
    /// m/s², the way things fall.
    pub gravity: Vec3,
}

/// A body and its joint.
pub struct OutlineBody {
    /// Its name.
    pub name: String,
    /// The body it is joined to; `None` for the world.
    pub parent: Option<usize>,
    /// The joint, in whose frame the body is where that is at zero.
    pub joint: Joint,
    /// A name that the joint has for itself.
    pub joint_name: Option<String>,
    /// Where the joint is on the parent.
    pub at: Pose,
    /// In the frame of the body.
    pub inertia: RigidInertia,
    /// What acts in the joint. Efforts that see more than the joint are not among them.
    pub forces: Vec<JointForce>,
    /// Least and largest position, where nothing stops it there.
    pub limits: Option<[f64; 2]>,
}

/// `Σ factor × coordinate = constant`.
pub struct OutlineCoupling {
    /// The name of the constraint.
    pub name: String,
    /// Body, number of the coordinate in its joint, and factor.
    pub terms: Vec<(usize, usize, f64)>,
    /// The right-hand side.
    pub constant: f64,
}

impl TreeDraft {
    pub(crate) fn outline(self) -> Option<TreeOutline> {
        let bodies = self.bodies.list.into_iter().map(|entry| {
            let placed = entry.placed?;
            Some(OutlineBody {
                name: entry.name,
                parent: entry.parent,
                joint: placed.joint,
                joint_name: placed.name.map(|name| name.value),
                at: placed.at,
                inertia: entry.inertia,
                forces: placed.forces,
                limits: placed.limits,
            })
        });
        let couplings = self
            .constraints
            .into_iter()
            .filter_map(|entry| match entry.constraint {
                Constraint::Coupling { terms, constant } => Some(OutlineCoupling {
                    name: entry.name,
                    terms,
                    constant,
                }),
                _ => None,
            });
        Some(TreeOutline {
            bodies: bodies.collect::<Option<_>>()?,
            couplings: couplings.collect(),
            gravity: self.gravity,
        })
    }
}

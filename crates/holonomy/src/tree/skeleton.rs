//! Bodies and joints become nodes: one for each primitive joint, with what is rigidly behind it.
//!
//! ```text
//! parent node ── before ── primitive joint ── (next primitive) ── behind ── body
//! before = (parent node from parent body) (parent from joint) (turn to the axis)
//! behind = (turn back from the axis) (joint from body)
//! ```
use super::{
    SitePlace, TreeError,
    build::{RigidBody, Site},
    joint::{Along, Joint, JointKind, Motion, align},
};
use crate::{
    Vec3,
    geometry::{Pose, RigidInertia},
    system::Base,
};
use nalgebra::Matrix3;

/// One primitive joint and what is rigidly behind it.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) parent: Option<usize>,
    /// The body it belongs to.
    pub(crate) body: usize,
    pub(crate) kind: JointKind,
    /// From the frame before the joint to the parent's node frame.
    pub(crate) rotation: Matrix3<f64>,
    pub(crate) translation: Vec3,
    /// Whether that rotation is none.
    pub(crate) aligned: bool,
    /// In the frame behind the joint.
    pub(crate) inertia: RigidInertia,
    /// What a rotor that is geared to the joint adds to its own entries of M.
    pub(crate) armature: f64,
    /// Where its numbers begin in q and v.
    pub(crate) q: usize,
    pub(crate) v: usize,
    /// Numbers in v.
    pub(crate) dofs: usize,
}

/// Bodies that have been joined, each after its parent.
#[derive(Default)]
pub(super) struct Skeleton {
    pub(super) nodes: Vec<Node>,
    /// The last node of each body, and from its frame to the body's own.
    pub(super) body_nodes: Vec<usize>,
    pub(super) node_from_body: Vec<Pose>,
    pub(super) motions: Vec<Motion>,
    /// Names of coordinates and velocities, and where quaternions begin, with the names of their bodies.
    pub(super) coordinates: Vec<String>,
    pub(super) velocities: Vec<String>,
    pub(super) rotations: Vec<(usize, String)>,
    /// Numbers in q and v.
    pub(super) in_q: usize,
    pub(super) in_v: usize,
}

impl Skeleton {
    /// Joins a body, or says what is wrong with it; its inertia may be one that no body has. Its coordinates are called
    /// after its joint, if that has a name, or else after itself.
    pub(super) fn join(
        &mut self,
        body: RigidBody,
        as_given: bool,
        joint: Option<&str>,
    ) -> Result<(), TreeError> {
        let (number, name) = (self.body_nodes.len(), &body.name);
        if body.parent.is_some_and(|parent| parent >= number) {
            return Err(TreeError::Order { body: name.clone() });
        }
        let sound = match as_given {
            true => body.inertia.check_numbers(),
            false => body.inertia.check(),
        };
        sound.map_err(|fault| TreeError::Inertia {
            body: name.clone(),
            fault,
        })?;
        let label = joint.unwrap_or(name);
        labels(label, &body.joint, &mut self.coordinates, &mut self.velocities);
        if matches!(
            body.joint,
            Joint::Spherical | Joint::Free | Joint::DrivenFree { .. }
        ) {
            // The quaternion is the last of its coordinates.
            self.rotations.push((self.coordinates.len() - 4, name.clone()));
        }
        let (primitives, last_from_joint) = primitives(name, body.joint, &mut self.motions)?;
        let mut parent = body.parent.map(|p| self.body_nodes[p]);
        let mut before = body
            .parent
            .map_or_else(Pose::identity, |p| self.node_from_body[p]);
        before = before * body.parent_from_joint;
        let behind = last_from_joint * body.joint_from_body;
        let last = primitives.len() - 1;
        for (k, (pose, kind)) in primitives.into_iter().enumerate() {
            let inertia = if k == last {
                body.inertia.moved(&behind)
            } else {
                RigidInertia::zero()
            };
            parent = Some(self.push(parent, number, &(before * pose), kind, inertia));
            before = Pose::identity();
        }
        self.body_nodes.push(self.nodes.len() - 1);
        self.node_from_body.push(behind);
        Ok(())
    }

    /// Adds a node and returns its number.
    fn push(
        &mut self,
        parent: Option<usize>,
        body: usize,
        before: &Pose,
        kind: JointKind,
        inertia: RigidInertia,
    ) -> usize {
        let (coordinates, dofs) = kind.sizes();
        let mut rotation = before.rotation.to_rotation_matrix().into_inner();
        // Turned back by as much as before, up to rounding.
        let aligned = (rotation - Matrix3::identity()).abs().max() <= 4.0 * f64::EPSILON;
        if aligned {
            rotation = Matrix3::identity();
        }
        self.nodes.push(Node {
            parent,
            body,
            kind,
            rotation,
            translation: before.translation,
            aligned,
            inertia,
            armature: 0.0,
            q: self.in_q,
            v: self.in_v,
            dofs,
        });
        (self.in_q, self.in_v) = (self.in_q + coordinates, self.in_v + dofs);
        self.nodes.len() - 1
    }

    /// Where a site is, on its node.
    pub(super) fn place(&self, site: &Site) -> SitePlace {
        match site.body {
            None => SitePlace {
                node: None,
                position: site.position,
            },
            Some(body) => SitePlace {
                node: Some(self.body_nodes[body]),
                position: self.node_from_body[body].point(&site.position),
            },
        }
    }

    /// Where drawn links begin: sites at the origins of their bodies' joints, these at their parents' unless they are
    /// free.
    pub(super) fn bases(&self, sites: &[Site]) -> Vec<Base> {
        let origin = |body: usize| Base::Site(sites.len() + body);
        let of_sites = sites.iter().map(|site| match site.body {
            Some(body) => origin(body),
            None => Base::Fixed(site.position),
        });
        let of_bodies = (0..self.body_nodes.len()).map(|body| {
            let first = (self.nodes.iter())
                .find(|node| node.body == body)
                .unwrap_or(&self.nodes[self.body_nodes[body]]);
            match first.parent {
                _ if first.kind == JointKind::Translation => origin(body),
                Some(parent) => origin(self.nodes[parent].body),
                None => Base::Fixed(first.translation),
            }
        });
        of_sites.chain(of_bodies).collect()
    }
}

/// What a joint is made of: primitives with the poses before them, and the pose behind the last.
fn primitives(
    name: &str,
    joint: Joint,
    motions: &mut Vec<Motion>,
) -> Result<(Vec<(Pose, JointKind)>, Pose), TreeError> {
    let unit = |axis: Vec3| {
        axis.try_normalize(0.0)
            .filter(|a| a.iter().all(|x| x.is_finite()))
            .ok_or_else(|| TreeError::Axis {
                body: name.to_owned(),
            })
    };
    let one = |axis: Vec3, kind: JointKind| -> Result<_, TreeError> {
        let turn = align(&unit(axis)?);
        Ok((vec![(turn, kind)], turn.inverse()))
    };
    let two = |axes: [Vec3; 2], kinds: [JointKind; 2]| -> Result<_, TreeError> {
        let [a, b] = [unit(axes[0])?, unit(axes[1])?];
        if a.cross(&b).norm() <= 1e-9 {
            return Err(TreeError::Parallel {
                body: name.to_owned(),
            });
        }
        let (first, second) = (align(&a), align(&b));
        let parts = vec![(first, kinds[0]), (first.inverse() * second, kinds[1])];
        Ok((parts, second.inverse()))
    };
    let screw = |turn, advance| JointKind::Screw { turn, advance };
    let mut driven = |(turn, advance), motion: Motion| {
        motions.push(motion);
        JointKind::Driven {
            turn,
            advance,
            motion: motions.len() - 1,
        }
    };
    match joint {
        Joint::Fixed => Ok((vec![(Pose::identity(), JointKind::Fixed)], Pose::identity())),
        Joint::Revolute { axis } => one(axis, screw(1.0, 0.0)),
        Joint::Prismatic { axis } => one(axis, screw(0.0, 1.0)),
        Joint::Screw { axis, pitch } => one(axis, screw(1.0, pitch)),
        Joint::Universal { axes } => two(axes, [screw(1.0, 0.0); 2]),
        Joint::DrivenUniversal { axes, motions: given } => {
            let [a, b] = given.map(|motion| driven((1.0, 0.0), motion));
            two(axes, [a, b])
        }
        Joint::DrivenFree { position } => {
            let kinds = position.map(|motion| driven((0.0, 1.0), motion));
            let mut back = Pose::identity();
            let mut parts = Vec::new();
            for (k, kind) in kinds.into_iter().enumerate() {
                let turn = align(&Vec3::ith(k, 1.0));
                parts.push((back * turn, kind));
                back = turn.inverse();
            }
            parts.push((back, JointKind::Ball));
            Ok((parts, Pose::identity()))
        }
        Joint::Spherical => Ok((vec![(Pose::identity(), JointKind::Ball)], Pose::identity())),
        Joint::Free => {
            let parts = [JointKind::Translation, JointKind::Ball].map(|kind| (Pose::identity(), kind));
            Ok((parts.to_vec(), Pose::identity()))
        }
        Joint::Driven { axis, along, motion } => {
            let (turn, advance) = match along {
                Along::Turn => (1.0, 0.0),
                Along::Shift => (0.0, 1.0),
                Along::Screw(pitch) => (1.0, pitch),
            };
            one(axis, driven((turn, advance), motion))
        }
    }
}

/// Names of the coordinates and velocities of a joint.
fn labels(name: &str, joint: &Joint, coordinates: &mut Vec<String>, velocities: &mut Vec<String>) {
    let mut axes = |coordinate: &str, velocity: &str, axes: &[&str]| {
        for axis in axes {
            if !coordinate.is_empty() {
                coordinates.push(format!("{coordinate}.{name}{axis}"));
            }
            if !velocity.is_empty() {
                velocities.push(format!("{velocity}.{name}{axis}"));
            }
        }
    };
    let xyz = [".x", ".y", ".z"];
    match joint {
        Joint::Fixed => {}
        Joint::Revolute { .. } | Joint::Screw { .. } => axes("theta", "omega", &[""]),
        Joint::Prismatic { .. } => axes("slide", "speed", &[""]),
        Joint::Universal { .. } => axes("theta", "omega", &[".1", ".2"]),
        Joint::DrivenUniversal { .. } => axes("theta", "", &[".1", ".2"]),
        Joint::Spherical | Joint::Free | Joint::DrivenFree { .. } => {
            match joint {
                Joint::Free => axes("position", "velocity", &xyz),
                Joint::DrivenFree { .. } => axes("position", "", &xyz),
                _ => {}
            }
            axes("quaternion", "", &[".w", ".x", ".y", ".z"]);
            axes("", "omega", &xyz);
        }
        Joint::Driven {
            along: Along::Shift, ..
        } => axes("slide", "", &[""]),
        Joint::Driven { .. } => axes("theta", "", &[""]),
    }
}

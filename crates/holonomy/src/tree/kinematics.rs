//! Where the bodies are and how they move.
//!
//! ```text
//! X_i = X_p (fixed_i) J_i(q)                     outward, X = (R, o)
//! S_i = (advance, turn) R_i e_z  at o_i          screw
//!       (R_i, 0), (0, R_i)                       translation, ball: three columns
//! V_i = V_p + S_i v_i                            V_p shifted from o_p to o_i
//! ```
use super::{JointKind, Node, SitePlace, Tree};
use crate::{
    Vec3,
    geometry::{
        RigidInertia,
        se3::{Twist, Wrench, angular, join, linear, twist_at},
        so3,
    },
    math,
};
use nalgebra::{Matrix3, Vector6};

/// Pose and twist of what is behind one joint, in the axes of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Rotation `R` to the world.
    pub rotation: Matrix3<f64>,
    /// Origin `o` in the world.
    pub origin: Vec3,
    /// From the parent's origin to this one.
    pub offset: Vec3,
    /// Inertia at the origin.
    pub inertia: RigidInertia,
    /// Twist of the parent, at this origin.
    pub carried: Twist,
    /// Twist at the origin.
    pub twist: Twist,
}

/// Poses and twists of a whole tree.
#[derive(Clone, Debug, Default)]
pub struct Kinematics {
    /// One frame per primitive joint, in the order of the bodies.
    pub frames: Vec<Frame>,
}

impl Kinematics {
    /// Places the tree. Twists are left as they were.
    pub fn place(&mut self, tree: &Tree, q: &[f64]) {
        self.pose(tree, q);
        self.turn_inertia(tree);
    }

    /// Places the tree, but leaves inertias as they were.
    pub(crate) fn pose(&mut self, tree: &Tree, q: &[f64]) {
        self.fit(tree);
        for (i, node) in tree.nodes.iter().enumerate() {
            let (before, frame) = self.frames.split_at_mut(i);
            frame[0].pose(node.parent.map(|parent| &before[parent]), node, &q[node.q..]);
        }
    }

    /// Makes room for a tree.
    pub(crate) fn fit(&mut self, tree: &Tree) {
        if self.frames.len() != tree.nodes.len() {
            self.frames.clear();
            self.frames.resize(tree.nodes.len(), Frame::AT_REST);
        }
    }

    /// Inertias of a tree that has been posed.
    pub(crate) fn turn_inertia(&mut self, tree: &Tree) {
        for (frame, node) in self.frames.iter_mut().zip(&tree.nodes) {
            let (body, rotation) = (&node.inertia, &frame.rotation);
            if body.mass > 0.0 {
                frame.inertia = RigidInertia {
                    mass: body.mass,
                    centre: rotation * body.centre,
                    moment: rotation * body.moment * rotation.transpose(),
                };
            }
        }
    }

    /// Twists of a placed tree: velocities v, and rates of the driven joints.
    pub fn set_moving(&mut self, tree: &Tree, v: &[f64], driven: &[f64]) {
        for (i, node) in tree.nodes.iter().enumerate() {
            let carried = match node.parent {
                None => Twist::zeros(),
                Some(parent) => twist_at(&self.frames[parent].twist, &self.frames[i].offset),
            };
            let frame = &mut self.frames[i];
            frame.carried = carried;
            frame.twist = carried + frame.joint_twist(node.kind, &v[node.v..node.v + node.dofs], driven);
        }
    }

    /// Where a site is.
    #[inline]
    pub(crate) fn site(&self, site: &SitePlace) -> Vec3 {
        match site.node {
            None => site.position,
            Some(node) => self.frames[node].origin + self.frames[node].rotation * site.position,
        }
    }

    /// The velocity of a site.
    pub(crate) fn site_velocity(&self, site: &SitePlace) -> Vec3 {
        let Some(node) = site.node else {
            return Vec3::zeros();
        };
        let frame = &self.frames[node];
        linear(&frame.twist) + angular(&frame.twist).cross(&(frame.rotation * site.position))
    }
}

impl Frame {
    const AT_REST: Self = Self {
        rotation: Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        origin: Vec3::new(0.0, 0.0, 0.0),
        offset: Vec3::new(0.0, 0.0, 0.0),
        inertia: RigidInertia {
            mass: 0.0,
            centre: Vec3::new(0.0, 0.0, 0.0),
            moment: Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        },
        carried: Vector6::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        twist: Vector6::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };

    /// Where a joint's coordinates put what is behind it.
    #[inline]
    pub(crate) fn pose(&mut self, parent: Option<&Self>, node: &Node, q: &[f64]) {
        // The frame before the joint, from the parent.
        let (origin, rotation) = match parent {
            None => (Vec3::zeros(), node.rotation),
            Some(parent) if node.aligned => (parent.origin, parent.rotation),
            Some(parent) => (parent.origin, parent.rotation * node.rotation),
        };
        self.offset = match parent {
            None => node.translation,
            Some(parent) => parent.rotation * node.translation,
        };
        self.rotation = rotation;
        match node.kind {
            JointKind::Fixed => {}
            JointKind::Screw { turn, advance } | JointKind::Driven { turn, advance, .. } => {
                if advance != 0.0 {
                    self.offset += rotation.column(2) * (advance * q[0]);
                }
                if turn != 0.0 {
                    let (s, c) = math::sin_cos(turn * q[0]);
                    let (x, y) = (rotation.column(0), rotation.column(1));
                    self.rotation.set_column(0, &(x * c + y * s));
                    self.rotation.set_column(1, &(y * c - x * s));
                }
            }
            JointKind::Translation => self.offset += rotation * Vec3::new(q[0], q[1], q[2]),
            JointKind::Ball => self.rotation = rotation * so3::matrix(&q[..4]),
        }
        self.origin = origin + self.offset;
    }

    /// Column k of S.
    #[inline]
    pub(crate) fn screw(&self, kind: JointKind, k: usize) -> Twist {
        match kind {
            JointKind::Screw { turn, advance } | JointKind::Driven { turn, advance, .. } => {
                let axis: Vec3 = self.rotation.column(2).into();
                join(&(axis * advance), &(axis * turn))
            }
            JointKind::Translation => join(&self.rotation.column(k).into(), &Vec3::zeros()),
            JointKind::Ball => join(&Vec3::zeros(), &self.rotation.column(k).into()),
            JointKind::Fixed => Twist::zeros(),
        }
    }

    /// Column k of S times a wrench.
    #[inline]
    pub(crate) fn along(&self, kind: JointKind, k: usize, wrench: &Wrench) -> f64 {
        let axis = |k: usize| Vec3::from(self.rotation.column(k));
        match kind {
            JointKind::Screw { turn, advance } | JointKind::Driven { turn, advance, .. } => {
                let moment = turn * axis(2).dot(&angular(wrench));
                if advance == 0.0 {
                    moment
                } else {
                    moment + advance * axis(2).dot(&linear(wrench))
                }
            }
            JointKind::Translation => axis(k).dot(&linear(wrench)),
            JointKind::Ball => axis(k).dot(&angular(wrench)),
            JointKind::Fixed => 0.0,
        }
    }

    /// `S v`.
    #[inline]
    pub(crate) fn joint_twist(&self, kind: JointKind, v: &[f64], driven: &[f64]) -> Twist {
        match kind {
            JointKind::Screw { .. } => self.screw(kind, 0) * v[0],
            JointKind::Driven { motion, .. } => self.screw(kind, 0) * driven[motion],
            JointKind::Translation => join(&(self.rotation * Vec3::new(v[0], v[1], v[2])), &Vec3::zeros()),
            JointKind::Ball => join(&Vec3::zeros(), &(self.rotation * Vec3::new(v[0], v[1], v[2]))),
            JointKind::Fixed => Twist::zeros(),
        }
    }
}

//! What a tree is made of, for people.
use super::{Constraint, JointKind, Tree};
use crate::{
    Vec3,
    diagnostics::Part,
    scene::JointShape,
    system::{Expected, MultiplierUnit, Rope},
};

/// A body as it is joined.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyDescription {
    /// The body it is joined to; `None` for the world.
    pub parent: Option<usize>,
    /// The kind of its joint.
    pub joint: JointShape,
    /// Whether the joint follows a function of time.
    pub driven: bool,
    /// The axes of the joint in the frame of the parent, at zero.
    pub axes: Vec<Vec3>,
    /// Mass, kg.
    pub mass: f64,
}

impl Tree {
    /// One of the bodies.
    pub fn describe(&self, body: usize) -> BodyDescription {
        let nodes = &self.nodes[self.first_node(body)..=self.body_nodes[body]];
        let parent = nodes[0].parent.map(|node| self.nodes[node].body);
        let mut axes = Vec::new();
        // Axes of later primitives are seen from the frame of those before them.
        let mut turned = match parent {
            Some(parent) => self.node_from_body[parent]
                .rotation
                .inverse()
                .to_rotation_matrix(),
            None => nalgebra::Rotation3::identity(),
        }
        .into_inner();
        for node in nodes {
            turned *= node.rotation;
            if matches!(node.kind, JointKind::Screw { .. } | JointKind::Driven { .. }) {
                axes.push(turned.column(2).into());
            }
        }
        let (joint, driven) = self.joint_shape(body);
        BodyDescription {
            parent,
            joint,
            driven,
            axes,
            mass: nodes.iter().map(|node| node.inertia.mass).sum(),
        }
    }

    /// What its joints do, one by one; those that follow a function of time do nothing of their own.
    pub(crate) fn parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        for node in &self.nodes {
            match node.kind {
                JointKind::Screw { turn: 0.0, .. } => parts.push(Part::Length(node.q)),
                JointKind::Screw { .. } => parts.push(Part::Angle(node.q)),
                JointKind::Translation => parts.extend((node.q..node.q + 3).map(Part::Length)),
                JointKind::Ball => parts.push(Part::Rotation(node.q)),
                JointKind::Fixed | JointKind::Driven { .. } => {}
            }
        }
        parts
    }

    /// Units of the multipliers, where they have one.
    pub(super) fn multiplier_units(&self) -> Vec<MultiplierUnit> {
        let turns = |body: usize, k: usize| {
            let node = &self.nodes[self.first_node(body)];
            matches!(node.kind, JointKind::Screw { turn, .. } if turn != 0.0)
                || (node.kind == JointKind::Ball && k < 3)
        };
        let mut units = Vec::new();
        for (_, constraint) in &self.constraints {
            if let Constraint::Closing(closing) = constraint {
                let unit = |turns| {
                    if turns {
                        MultiplierUnit::NewtonMetre
                    } else {
                        MultiplierUnit::Newton
                    }
                };
                units.extend(closing.turns().into_iter().map(unit));
                continue;
            }
            let unit = match constraint {
                Constraint::Orientation { .. } => MultiplierUnit::NewtonMetre,
                Constraint::Coupling { terms, .. } => {
                    let turning = terms.iter().filter(|(body, k, _)| turns(*body, *k)).count();
                    match turning {
                        0 => MultiplierUnit::Newton,
                        all if all == terms.len() => MultiplierUnit::NewtonMetre,
                        _ => MultiplierUnit::Unknown,
                    }
                }
                _ => MultiplierUnit::Newton,
            };
            units.extend((0..constraint.rows()).map(|_| unit));
        }
        units
    }

    /// What a person expects of a motion.
    pub(super) fn expected(&self, limits: &[(usize, [f64; 2])], ropes: Vec<Rope>) -> Expected {
        let mut out = Expected {
            ropes,
            ..Expected::default()
        };
        let mut row = 0;
        for (_, constraint) in &self.constraints {
            match constraint {
                Constraint::Cable { .. } => out.pulling.push(row),
                Constraint::Route(route) if !route.slack => out.pulling.extend(row..row + route.rows()),
                Constraint::Distance { .. } => out.perhaps_pulling.push(row),
                _ => {}
            }
            row += constraint.rows();
        }
        let limits = limits.iter().filter(|(body, _)| *body < self.len());
        out.limits = limits
            .map(|(body, limits)| (self.offsets(*body).0, *limits))
            .collect();
        out
    }

    /// Why momenta are conserved, or why none is.
    pub fn why_kept(&self) -> &'static str {
        if !self.conserved.is_empty() {
            return "gravity, the joints to the world, forces and constraints are the same whichever way the whole lies";
        }
        if !self.motions.is_empty() {
            return "joints are driven from outside";
        }
        if !self.wrenches.is_empty() {
            return "wrenches act from outside";
        }
        if self.feedback.iter().any(|force| force.anchors().is_none()) {
            return "forces act from outside";
        }
        if self.constraints.iter().any(|(_, c)| !c.is_internal(self)) {
            return "a constraint holds on to the world";
        }
        "gravity, a joint to the world or a potential minds where the whole is, and how it is turned"
    }
}

//! What a tree is made of, for people.
use super::{Constraint, Kind, Tree};
use crate::Vec3;

/// A body as it is joined.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyDescription {
    /// The body it is joined to; `None` for the world.
    pub parent: Option<usize>,
    /// The kind of its joint.
    pub joint: &'static str,
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
            if matches!(node.kind, Kind::Screw { .. } | Kind::Driven { .. }) {
                axes.push(turned.column(2).into());
            }
        }
        let screw = |turn: f64, advance: f64| match (turn != 0.0, advance != 0.0) {
            (true, true) => "screw",
            (true, false) => "revolute",
            _ => "prismatic",
        };
        let (joint, driven) = match (nodes[0].kind, nodes.len()) {
            (Kind::Fixed, _) => ("fixed", false),
            (Kind::Screw { .. }, 2) => ("universal", false),
            (Kind::Screw { turn, advance }, _) => (screw(turn, advance), false),
            (Kind::Driven { turn, advance, .. }, _) => (screw(turn, advance), true),
            (Kind::Ball, _) => ("spherical", false),
            (Kind::Translation, _) => ("free", false),
        };
        BodyDescription {
            parent,
            joint,
            driven,
            axes,
            mass: nodes.iter().map(|node| node.inertia.mass).sum(),
        }
    }

    /// Units of the multipliers, where they have one.
    pub(super) fn multiplier_units(&self) -> Vec<&'static str> {
        let turns = |body: usize, k: usize| {
            let node = &self.nodes[self.first_node(body)];
            matches!(node.kind, Kind::Screw { turn, .. } if turn != 0.0) || (node.kind == Kind::Ball && k < 3)
        };
        let mut units = Vec::new();
        for (_, constraint) in &self.constraints {
            let unit = match constraint {
                Constraint::Orientation { .. } => "N m",
                Constraint::Coupling { terms, .. } => {
                    let turning = terms.iter().filter(|(body, k, _)| turns(*body, *k)).count();
                    match turning {
                        0 => "N",
                        all if all == terms.len() => "N m",
                        _ => "",
                    }
                }
                _ => "N",
            };
            units.extend((0..constraint.rows()).map(|_| unit));
        }
        units
    }

    /// Why momenta are kept, or why none is.
    pub fn why_kept(&self) -> &'static str {
        if !self.kept.is_empty() {
            return "gravity, the joints to the world, forces and constraints are the same whichever way the whole lies";
        }
        if !self.motions.is_empty() {
            return "joints are driven from outside";
        }
        if !self.wrenches.is_empty() {
            return "wrenches act from outside";
        }
        if self.constraints.iter().any(|(_, c)| !c.is_internal(self)) {
            return "a constraint holds on to the world";
        }
        "gravity, a joint to the world or a potential minds where the whole is, and how it is turned"
    }
}

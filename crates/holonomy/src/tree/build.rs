use super::{
    SitePlace, Tree,
    constraint::Constraint,
    forces::{JointForce, Wrench},
    invariants,
    joint::{Along, Joint, Kind, Motion, align},
    links::{Link, PotentialSites},
};
use crate::{
    Vec3,
    geometry::{Pose, RigidInertia, RigidInertiaError},
    potential::Potential,
    system::{Base, Layout},
};
use nalgebra::Matrix3;

/// A body and the joint that carries it.
pub struct Body {
    /// Unique name.
    pub name: String,
    /// The body it is joined to, one before it in the list; `None` for the world.
    pub parent: Option<usize>,
    /// The joint.
    pub joint: Joint,
    /// Where the joint is on the parent.
    pub parent_from_joint: Pose,
    /// Where the body is behind the joint.
    pub joint_from_body: Pose,
    /// Inertia in the body's frame.
    pub inertia: RigidInertia,
}

/// A named point on a body or in the world; potentials see the sites as points, in their order.
#[derive(Clone, Debug)]
pub struct Site {
    /// Unique name.
    pub name: String,
    /// The body; `None` for the world.
    pub body: Option<usize>,
    /// Where, in the body's frame.
    pub position: Vec3,
}

/// What a [`Tree`] is made of.
#[derive(Default)]
pub struct TreeParts {
    /// Bodies, each after its parent.
    pub bodies: Vec<Body>,
    /// Bodies whose inertia is taken as it is, even if no distribution of mass has it.
    pub as_given: Vec<usize>,
    /// Sites.
    pub sites: Vec<Site>,
    /// Acceleration of gravity, m/s², the way things fall.
    pub gravity: Vec3,
    /// Potentials that depend on sites.
    pub potentials: Vec<Box<dyn Potential>>,
    /// Links between sites.
    pub links: Vec<Link>,
    /// Forces in joints, with the body whose joint it is.
    pub joint_forces: Vec<(usize, JointForce)>,
    /// Wrenches on bodies.
    pub wrenches: Vec<Wrench>,
    /// Constraints, with names.
    pub constraints: Vec<(String, Constraint)>,
}

/// Why parts make no tree. Bodies and sites are given by their number.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TreeError {
    /// A body does not come after its parent.
    #[error("body `{0}` does not come after its parent; list parents first, without cycles")]
    Order(String),
    /// An axis is zero or not finite.
    #[error("the joint of body `{0}` has no axis: give a vector that is not zero")]
    Axis(String),
    /// The two axes of a universal joint are parallel.
    #[error("the axes of the universal joint of body `{0}` are parallel; use a revolute joint")]
    Parallel(String),
    /// An inertia that no body has.
    #[error("body `{0}`: {1}")]
    Inertia(String, RigidInertiaError),
    /// A joint that carries nothing.
    #[error(
        "the joint of body `{0}` moves nothing that has inertia; give the body, or a body behind it, mass"
    )]
    Massless(String),
    /// Something is placed on a body that is not there.
    #[error("{0} is on body number {1}, which does not exist")]
    NoBody(String, usize),
    /// A constraint that cannot be.
    #[error("constraint `{0}`: {1}")]
    Constraint(String, &'static str),
    /// A link, by its number, that cannot be.
    #[error("link number {0}: {1}")]
    Link(usize, &'static str),
    /// A potential of sites that do not exist.
    #[error("potential number {0} depends on sites that do not exist")]
    Potential(usize),
    /// A force that does not fit its joint.
    #[error("a force in the joint of body `{0}` does not fit: {1}")]
    Force(String, &'static str),
}

/// One primitive joint and what is rigidly behind it.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) parent: Option<usize>,
    /// The body it belongs to.
    pub(crate) body: usize,
    pub(crate) kind: Kind,
    /// From the frame before the joint to the parent's node frame.
    pub(crate) rotation: Matrix3<f64>,
    pub(crate) translation: Vec3,
    /// Whether that rotation is none.
    pub(crate) aligned: bool,
    /// In the frame behind the joint.
    pub(crate) inertia: RigidInertia,
    /// Where its numbers begin in q and v.
    pub(crate) q: usize,
    pub(crate) v: usize,
    /// Numbers in v.
    pub(crate) dofs: usize,
}

/// What a joint is made of: primitives with the poses before them, and the pose behind the last.
fn primitives(
    name: &str,
    joint: Joint,
    motions: &mut Vec<Motion>,
) -> Result<(Vec<(Pose, Kind)>, Pose), TreeError> {
    let unit = |axis: Vec3| {
        axis.try_normalize(0.0)
            .filter(|a| a.iter().all(|x| x.is_finite()))
            .ok_or_else(|| TreeError::Axis(name.to_owned()))
    };
    let one = |axis: Vec3, kind: Kind| -> Result<_, TreeError> {
        let turn = align(&unit(axis)?);
        Ok((vec![(turn, kind)], turn.inverse()))
    };
    let screw = |turn, advance| Kind::Screw { turn, advance };
    match joint {
        Joint::Fixed => Ok((vec![(Pose::identity(), Kind::Fixed)], Pose::identity())),
        Joint::Revolute { axis } => one(axis, screw(1.0, 0.0)),
        Joint::Prismatic { axis } => one(axis, screw(0.0, 1.0)),
        Joint::Screw { axis, pitch } => one(axis, screw(1.0, pitch)),
        Joint::Universal { axes } => {
            let [a, b] = [unit(axes[0])?, unit(axes[1])?];
            if a.cross(&b).norm() <= 1e-9 {
                return Err(TreeError::Parallel(name.to_owned()));
            }
            let (first, second) = (align(&a), align(&b));
            let kind = screw(1.0, 0.0);
            Ok((
                vec![(first, kind), (first.inverse() * second, kind)],
                second.inverse(),
            ))
        }
        Joint::Spherical => Ok((vec![(Pose::identity(), Kind::Ball)], Pose::identity())),
        Joint::Free => {
            let parts = [Kind::Translation, Kind::Ball].map(|kind| (Pose::identity(), kind));
            Ok((parts.to_vec(), Pose::identity()))
        }
        Joint::Driven { axis, along, motion } => {
            let (turn, advance) = match along {
                Along::Turn => (1.0, 0.0),
                Along::Shift => (0.0, 1.0),
                Along::Screw(pitch) => (1.0, pitch),
            };
            motions.push(motion);
            let motion = motions.len() - 1;
            one(
                axis,
                Kind::Driven {
                    turn,
                    advance,
                    motion,
                },
            )
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
        Joint::Spherical | Joint::Free => {
            if matches!(joint, Joint::Free) {
                axes("position", "velocity", &xyz);
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

impl Tree {
    /// Puts a tree together, or says what is wrong with its parts.
    pub fn new(parts: TreeParts) -> Result<Self, TreeError> {
        let mut layout = Layout {
            bodies: parts.bodies.iter().map(|b| b.name.clone()).collect(),
            down: parts.gravity.try_normalize(0.0),
            ..Layout::default()
        };
        let names = layout.bodies.clone();
        let (mut nodes, mut motions): (Vec<Node>, _) = (Vec::new(), Vec::new());
        let (mut body_nodes, mut node_from_body): (Vec<usize>, Vec<Pose>) = (Vec::new(), Vec::new());
        let (mut coordinates, mut velocities) = (Vec::new(), Vec::new());
        let (mut q, mut v) = (0, 0);
        for (i, body) in parts.bodies.into_iter().enumerate() {
            let name = &names[i];
            if body.parent.is_some_and(|parent| parent >= i) {
                return Err(TreeError::Order(name.clone()));
            }
            let sound = match parts.as_given.contains(&i) {
                true => body.inertia.check_numbers(),
                false => body.inertia.check(),
            };
            sound.map_err(|e| TreeError::Inertia(name.clone(), e))?;
            labels(name, &body.joint, &mut coordinates, &mut velocities);
            if matches!(body.joint, Joint::Spherical | Joint::Free) {
                // The quaternion is the last of its coordinates.
                layout.rotations.push((coordinates.len() - 4, name.clone()));
            }
            let (primitives, last_from_joint) = primitives(name, body.joint, &mut motions)?;
            let mut parent = body.parent.map(|p| body_nodes[p]);
            let mut before = body.parent.map_or_else(Pose::identity, |p| node_from_body[p]);
            before = before * body.parent_from_joint;
            let behind = last_from_joint * body.joint_from_body;
            let count = primitives.len();
            for (k, (pose, kind)) in primitives.into_iter().enumerate() {
                before = before * pose;
                let inertia = if k + 1 == count {
                    body.inertia.moved(&behind)
                } else {
                    RigidInertia::zero()
                };
                let (in_q, dofs) = kind.sizes();
                let mut rotation = before.rotation.to_rotation_matrix().into_inner();
                // Turned back by as much as before, up to rounding.
                let aligned = (rotation - Matrix3::identity()).abs().max() <= 4.0 * f64::EPSILON;
                if aligned {
                    rotation = Matrix3::identity();
                }
                nodes.push(Node {
                    parent,
                    body: i,
                    kind,
                    rotation,
                    translation: before.translation,
                    aligned,
                    inertia,
                    q,
                    v,
                    dofs,
                });
                (q, v) = (q + in_q, v + dofs);
                parent = Some(nodes.len() - 1);
                before = Pose::identity();
            }
            body_nodes.push(nodes.len() - 1);
            node_from_body.push(behind);
        }
        let place = |what: String, body: Option<usize>, position: &Vec3| match body {
            None => Ok(SitePlace {
                node: None,
                position: *position,
            }),
            Some(b) if b < names.len() => Ok(SitePlace {
                node: Some(body_nodes[b]),
                position: node_from_body[b].point(position),
            }),
            Some(b) => Err(TreeError::NoBody(what, b)),
        };
        let mut sites = Vec::new();
        for site in &parts.sites {
            sites.push(place(format!("site `{}`", site.name), site.body, &site.position)?);
        }
        let bad = parts.joint_forces.iter().map(|(b, _)| ("a joint force", *b));
        let bad = bad.chain(parts.wrenches.iter().map(|w| ("a wrench", w.body)));
        if let Some((what, b)) = bad.into_iter().find(|(_, b)| *b >= names.len()) {
            return Err(TreeError::NoBody(what.to_owned(), b));
        }
        (layout.coordinates, layout.velocities) = (coordinates.into(), velocities.into());
        layout.bases = bases(&parts.sites, &nodes, &body_nodes);
        let named = parts.sites.iter().map(|site| site.name.clone());
        layout.sites = named.chain(layout.bodies.iter().cloned()).collect();
        let count = sites.len();
        let potentials = parts.potentials.iter();
        let potential_sites: Vec<_> = potentials.map(|v| PotentialSites::of(&**v, count)).collect();
        let missing = |v: &PotentialSites| v.members.iter().any(|site| *site >= count);
        if let Some(number) = potential_sites.iter().position(missing) {
            return Err(TreeError::Potential(number));
        }
        let mut expressions = Vec::new();
        for potential in &parts.potentials {
            expressions.push(layout.expressions.len() as u32);
            layout.expressions.extend(potential.expressions());
        }
        let mut tree = Self {
            nodes,
            body_nodes,
            node_from_body,
            sites,
            motions,
            gravity: parts.gravity,
            potentials: parts.potentials,
            potential_sites,
            expressions,
            links: Vec::new(),
            joint_forces: parts.joint_forces,
            wrenches: parts.wrenches,
            constraint_rows: parts.constraints.iter().map(|(_, c)| c.rows()).sum(),
            constraints: parts.constraints,
            kept: Vec::new(),
            roots: Vec::new(),
            coordinates: q,
            velocities: v,
            layout,
        };
        tree.bind_links(parts.links)?;
        tree.layout.driven = tree.is_driven();
        tree.check_joint_forces()?;
        tree.check_constraints()?;
        tree.check_inertia()?;
        tree.roots = (0..tree.nodes.len())
            .filter(|i| tree.nodes[*i].parent.is_none())
            .collect();
        tree.kept = invariants::find(&tree);
        tree.layout.invariants = tree.kept.iter().map(invariants::Kept::name).collect();
        tree.layout.multipliers = tree
            .constraints
            .iter()
            .flat_map(|(name, c)| {
                c.suffixes()
                    .into_iter()
                    .map(move |suffix| format!("{name}{suffix}"))
            })
            .collect();
        tree.layout.strings = tree
            .constraints
            .iter()
            .filter_map(|(_, constraint)| match constraint {
                Constraint::Distance { between, .. } => Some(between.to_vec()),
                Constraint::Cable { through, .. } => Some(through.clone()),
                _ => None,
            })
            .collect();
        tree.layout.multiplier_units = tree.multiplier_units();
        if tree.layout.down.is_none() {
            tree.layout.down = tree.potentials.iter().find_map(|v| v.down());
        }
        Ok(tree)
    }

    /// Every joint must move some inertia, in some configuration; the articulated inertia tells.
    fn check_inertia(&self) -> Result<(), TreeError> {
        // A configuration that is special in no way.
        let mut q = self.zero(0.0);
        for (k, x) in q.iter_mut().enumerate() {
            *x += 0.3 * (1.0 + 1.7 * k as f64).sin();
        }
        match self.idle_at(&q) {
            None => Ok(()),
            Some(body) => Err(TreeError::Massless(self.layout.bodies[body].clone())),
        }
    }
}

/// Where drawn links begin: sites at the origins of their bodies' joints, these at their parents' unless they are free.
fn bases(sites: &[Site], nodes: &[Node], body_nodes: &[usize]) -> Vec<Base> {
    let origin = |body: usize| Base::Site(sites.len() + body);
    let of_sites = sites.iter().map(|site| match site.body {
        Some(body) => origin(body),
        None => Base::Fixed(site.position),
    });
    let of_bodies = (0..body_nodes.len()).map(|body| {
        let first = nodes
            .iter()
            .find(|node| node.body == body)
            .unwrap_or(&nodes[body_nodes[body]]);
        match first.parent {
            _ if first.kind == Kind::Translation => origin(body),
            Some(parent) => origin(nodes[parent].body),
            None => Base::Fixed(first.translation),
        }
    });
    of_sites.chain(of_bodies).collect()
}

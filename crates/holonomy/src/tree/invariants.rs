//! Momenta that symmetry keeps: which motions of the whole tree leave everything as it is.
use super::{
    Act, JointForce, JointKind, Tree,
    feedback::BoundForce,
    links::{BoundLink, PotentialSites},
};
use crate::{
    Vec3,
    geometry::se3::{Wrench, angular, linear, wrench_from},
    potential::Symmetry,
};

/// A momentum that is conserved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Momentum {
    /// Along a direction.
    Linear(Vec3),
    /// About an axis through a point.
    Angular { point: Vec3, axis: Vec3 },
}

impl Momentum {
    pub(super) fn name(&self) -> String {
        match self {
            Self::Linear(axis) => format!("momentum {}", axis_name(axis)),
            Self::Angular { axis, .. } => format!("angular momentum {}", axis_name(axis)),
        }
    }

    /// From the momentum of everything about the origin of the world.
    pub(super) fn value(&self, total: &Wrench) -> f64 {
        match self {
            Self::Linear(axis) => axis.dot(&linear(total)),
            Self::Angular { point, axis } => axis.dot(&(angular(total) - point.cross(&linear(total)))),
        }
    }
}

/// What a root lets the tree behind it do as a whole.
enum Freedom {
    All,
    About(Vec3),
    Axis(Vec3, Vec3),
    Along(Vec3),
    None,
}

/// Nodes that are joined to the world, rigidly or by their own joint.
pub(super) fn roots(tree: &Tree) -> Vec<usize> {
    let mut world = vec![false; tree.nodes.len()];
    let mut roots = Vec::new();
    for (i, node) in tree.nodes.iter().enumerate() {
        if node.parent.is_none_or(|parent| world[parent]) {
            world[i] = node.kind == JointKind::Fixed;
            if !world[i] {
                roots.push(i);
            }
        }
    }
    roots
}

/// Nodes with armature through which the tree moves as a whole: joints to the world, and the rotation of a free one.
pub(super) fn rotors(tree: &Tree) -> Vec<usize> {
    let roots = roots(tree);
    let whole = |i: &usize| {
        let node = &tree.nodes[*i];
        let free = node.kind == JointKind::Ball
            && node
                .parent
                .is_some_and(|p| roots.contains(&p) && tree.nodes[p].body == node.body);
        node.armature != 0.0 && (free || roots.contains(i))
    };
    (0..tree.nodes.len()).filter(whole).collect()
}

/// What armature adds to the momentum of everything about the origin of the world.
pub(super) fn rotor_momentum(tree: &Tree, frames: &[super::Frame], v: &[f64]) -> Wrench {
    let mut total = Wrench::zeros();
    for i in &tree.rotors {
        let (node, frame) = (&tree.nodes[*i], &frames[*i]);
        for k in 0..node.dofs {
            // A force along a direction, or a moment about it, works as much on a screw that only shifts or turns.
            let push = frame.screw(node.kind, k) * (node.armature * v[node.v + k]);
            total += wrench_from(&push, &frame.origin);
        }
    }
    total
}

fn freedom(tree: &Tree, root: usize, frame: &super::Frame) -> Freedom {
    let node = &tree.nodes[root];
    let axis: Vec3 = frame.rotation.column(2).into();
    // Internal forces of other joints do not matter; a force in a root's own joint pushes off the world.
    let pushed = tree.joint_forces.iter().any(|(body, force)| {
        *body == node.body && !matches!(force, JointForce::Damper { coefficient } if *coefficient == 0.0)
    }) || tree
        .feedback
        .iter()
        .any(|force| matches!(force.act, Act::Effort { body, .. } if body == node.body));
    match node.kind {
        _ if pushed => Freedom::None,
        JointKind::Translation => Freedom::All,
        JointKind::Ball => Freedom::About(frame.origin),
        JointKind::Screw { advance: 0.0, .. } => Freedom::Axis(frame.origin, axis),
        JointKind::Screw { turn: 0.0, .. } => Freedom::Along(axis),
        _ => Freedom::None,
    }
}

/// The momenta a tree keeps.
pub(super) fn find(tree: &Tree) -> Vec<Momentum> {
    let pinned = tree.constraints.iter().any(|(_, c)| !c.is_internal(tree))
        || tree.feedback.iter().any(|force| force.anchors().is_none());
    if !tree.wrenches.is_empty() || !tree.motions.is_empty() || pinned {
        return Vec::new();
    }
    let mut kinematics = super::Kinematics::default();
    kinematics.place(tree, &tree.zero(0.0));
    let freedoms: Vec<Freedom> = roots(tree)
        .into_iter()
        .map(|root| freedom(tree, root, &kinematics.frames[root]))
        .collect();
    let mut conserved = linear_momenta(tree, &freedoms);
    conserved.extend(angular_momenta(tree, &freedoms));
    conserved
}

fn linear_momenta(tree: &Tree, freedoms: &[Freedom]) -> Vec<Momentum> {
    let free = |sites: &PotentialSites| sites.invariant && world(tree, sites).next().is_none();
    let tied = |link: &BoundLink| link.ends().iter().any(|end| end.node.is_none());
    let held = |force: &BoundForce| force.anchors().is_none_or(|anchors| !anchors.is_empty());
    if !tree.potential_sites.iter().all(free) || tree.links.iter().any(tied) || tree.feedback.iter().any(held)
    {
        return Vec::new();
    }
    let level = |a: &Vec3| a.dot(&tree.gravity).abs() <= 1e-14 * tree.gravity.norm();
    [Vec3::x(), Vec3::y(), Vec3::z()]
        .into_iter()
        .filter(level)
        .filter(|a| {
            freedoms.iter().all(|f| match f {
                Freedom::All => true,
                Freedom::Along(axis) => axis.cross(a).norm() <= 1e-14,
                _ => false,
            })
        })
        .map(Momentum::Linear)
        .collect()
}

fn angular_momenta(tree: &Tree, freedoms: &[Freedom]) -> Vec<Momentum> {
    let mut symmetry = Symmetry::fixing([&tree.gravity]);
    let mut points: Vec<Vec3> = Vec::new();
    for f in freedoms {
        match f {
            Freedom::All => {}
            Freedom::About(point) => points.push(*point),
            Freedom::Axis(point, axis) => {
                points.push(*point);
                symmetry = symmetry.and(Symmetry::About(*axis));
            }
            Freedom::Along(_) | Freedom::None => return Vec::new(),
        }
    }
    for (potential, sites) in tree.potentials.iter().zip(&tree.potential_sites) {
        symmetry = symmetry.and(potential.symmetry());
        points.extend(world(tree, sites));
        // Rotations are about the origin, if it matters where all the points are.
        points.extend((!sites.invariant).then(Vec3::zeros));
    }
    for link in &tree.links {
        let anchors = link.ends().iter().filter(|end| end.node.is_none());
        let anchors: Vec<Vec3> = anchors.map(|end| end.position).collect();
        // A beam that is held does not let go of any direction.
        if matches!(link, BoundLink::Beam(_)) && !anchors.is_empty() {
            return Vec::new();
        }
        points.extend(anchors);
    }
    points.extend(tree.feedback.iter().filter_map(BoundForce::anchors).flatten());
    // Points that must stay where they are fix the line through them.
    let point = points.first().copied().unwrap_or_else(Vec3::zeros);
    for other in &points {
        symmetry = symmetry.and(Symmetry::fixing([&(other - point)]));
    }
    let axes = match symmetry {
        Symmetry::All => vec![Vec3::x(), Vec3::y(), Vec3::z()],
        Symmetry::About(axis) => vec![towards_positive(axis)],
        Symmetry::None => Vec::new(),
    };
    axes.into_iter()
        .map(|axis| Momentum::Angular { point, axis })
        .collect()
}

/// The points in the world that a potential depends on.
fn world<'a>(tree: &'a Tree, sites: &'a PotentialSites) -> impl Iterator<Item = Vec3> + 'a {
    let sites = sites.members.iter().map(|site| &tree.sites[*site]);
    sites.filter(|site| site.node.is_none()).map(|site| site.position)
}

/// The axis or its opposite, whichever has its last component that is not zero positive.
fn towards_positive(axis: Vec3) -> Vec3 {
    match axis.iter().rev().find(|x| x.abs() > 1e-12) {
        Some(x) if *x < 0.0 => -axis,
        _ => axis,
    }
}

fn axis_name(axis: &Vec3) -> String {
    for (name, e) in [("x", Vec3::x()), ("y", Vec3::y()), ("z", Vec3::z())] {
        if (axis - e).norm() <= 1e-12 {
            return name.to_owned();
        }
    }
    format!("({:.3}, {:.3}, {:.3})", axis.x, axis.y, axis.z)
}

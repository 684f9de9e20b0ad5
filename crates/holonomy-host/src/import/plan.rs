//! What the model will say: bodies in their order, joints that move, couplings, names.
//!
//! A joint whose motion moves no mass, `Sᵀ (Σ_{j ⪰ i} I_j) S = 0`, has no equation of motion. It is held where it is,
//! which changes nothing for the others: its row and column of the mass matrix are zero.
use super::{
    ledger::{Ledger, Remark},
    order,
    read::child,
    robot::{Joint, Kind, Link, Robot},
};
use holonomy::{
    Vec3,
    geometry::{Pose, RigidInertia, RigidInertiaError},
};
use holonomy_model::Problems;
use nalgebra::Vector6;
use std::{collections::HashSet, ops::Range};

pub(super) struct ImportPlan {
    pub(super) root: usize,
    /// Parents come before their children.
    pub(super) bodies: Vec<Body>,
    pub(super) couplings: Vec<Coupling>,
    pub(super) changed: Vec<Remark>,
}

pub(super) struct Body {
    pub(super) link: usize,
    /// `None` for a root that moves freely.
    pub(super) joint: Option<usize>,
    /// `None` for the world.
    pub(super) parent: Option<usize>,
    pub(super) name: String,
    /// What its joint is called, if that has coordinates.
    pub(super) joint_name: Option<String>,
    /// The joint is held: it moves nothing.
    pub(super) held: bool,
    pub(super) inertia: RigidInertia,
    /// No body has this inertia.
    pub(super) impossible: bool,
}

/// `Σ factor · q = constant`.
pub(super) struct Coupling {
    pub(super) name: String,
    pub(super) joint: usize,
    pub(super) terms: Vec<(usize, f64)>,
    pub(super) constant: f64,
}

pub(super) fn plan(robot: &Robot<'_, '_>, floating: bool, problems: &Problems) -> Option<ImportPlan> {
    let (root, order) = order::order(robot, problems)?;
    let mut plan = ImportPlan {
        root,
        bodies: Vec::new(),
        couplings: Vec::new(),
        changed: Vec::new(),
    };
    plan.add_bodies(robot, &order, floating);
    plan.merge_massless(robot, problems)?;
    plan.hold(robot);
    plan.judge(robot);
    plan.couple(robot, problems)?;
    let moves = |body: &Body| match body.joint {
        Some(joint) => !body.held && robot.joints[joint].kind != Kind::Fixed,
        None => !body.held,
    };
    if !plan.bodies.iter().any(moves) {
        let report = problems.error(robot.links[root].span.clone(), "nothing in this robot can move");
        return match floating {
            true => report.help("no link has mass: give one of them an `<inertial>`"),
            false => report.help("add `--floating` if its root moves freely"),
        }
        .none();
    }
    Some(plan)
}

impl ImportPlan {
    fn add_bodies(&mut self, robot: &Robot<'_, '_>, order: &[usize], floating: bool) {
        let mut names: HashSet<String> = HashSet::from(["world".to_owned()]);
        // Coordinates are called after joints, and those of a floating root after its link.
        let mut joints: HashSet<String> = names.clone();
        let root = floating.then_some((self.root, None));
        let others = order.iter().map(|k| (robot.joints[*k].child, Some(*k)));
        for (link, joint) in root.into_iter().chain(others) {
            let parent = joint.and_then(|joint: usize| {
                let parent = robot.joints[joint].parent;
                self.bodies.iter().position(|body| body.link == parent)
            });
            let Link {
                name: written, span, ..
            } = &robot.links[link];
            let name = usable(written, "link", &mut names);
            // The bodies between the parts of a planar joint have names, too.
            if joint.is_some_and(|joint| robot.joints[joint].kind == Kind::Planar) {
                names.extend(["x", "y"].map(|letter| format!("{name}-{letter}")));
            }
            let joint_name = match joint.map(|joint| &robot.joints[joint]) {
                Some(joint) if joint.kind != Kind::Fixed => {
                    let name = usable(&joint.name, "joint", &mut joints);
                    if joint.kind == Kind::Planar {
                        joints.extend(["x", "y"].map(|letter| format!("{name}-{letter}")));
                    }
                    Some(name)
                }
                Some(_) => None,
                None => {
                    joints.insert(name.clone());
                    None
                }
            };
            if name != *written {
                let detail = format!("is called `{name}`");
                self.remark(
                    "link",
                    written,
                    "renamed",
                    &detail,
                    "names have letters, digits, `-` and `_`",
                    span,
                );
            }
            self.bodies.push(Body {
                link,
                joint,
                parent,
                name,
                joint_name,
                held: false,
                inertia: robot.links[link].inertia,
                impossible: false,
            });
        }
        for joint in order.iter().map(|k| &robot.joints[*k]) {
            let length = joint.axis.norm();
            if joint.kind.has_axis() && (length - 1.0).abs() > 1e-4 {
                let detail = format!("has length {length:.6}");
                self.remark(
                    "joint",
                    &joint.name,
                    "axis",
                    &detail,
                    "only its direction counts",
                    &joint.span,
                );
            }
            if joint.kind == Kind::Planar {
                let why = "two prismatic joints and a revolute one, with massless bodies between";
                self.remark("joint", &joint.name, "planar", "", why, &joint.span);
            }
        }
    }

    pub(super) fn remark(
        &mut self,
        owner: &str,
        name: &str,
        what: &str,
        detail: &str,
        why: &str,
        span: &Range<usize>,
    ) {
        self.changed.push(Remark {
            owner: owner.to_owned(),
            name: super::ledger::flat(name),
            what: what.to_owned(),
            detail: super::ledger::flat(detail),
            why: why.to_owned(),
            span: span.clone(),
        });
    }

    /// Moments of inertia of links without mass go to the body that they are fixed to.
    fn merge_massless(&mut self, robot: &Robot<'_, '_>, problems: &Problems) -> Option<()> {
        for k in (0..self.bodies.len()).rev() {
            let body = &self.bodies[k];
            if body.inertia.mass > 0.0 || body.inertia.moment.amax() == 0.0 {
                continue;
            }
            let link = &robot.links[body.link];
            let fixed = body.joint.map(|joint| &robot.joints[joint]);
            let Some(joint) = fixed.filter(|joint| joint.kind == Kind::Fixed) else {
                problems
                    .error(
                        link.span.clone(),
                        format!("the link `{}` has a moment of inertia and no mass", link.name),
                    )
                    .help("give it mass, or remove its `<inertial>`");
                continue;
            };
            let moved = body.inertia.moved(&joint.origin.pose()).moment;
            let into = match body.parent {
                Some(parent) => {
                    self.bodies[parent].inertia.moment += moved;
                    robot.links[joint.parent].name.as_str()
                }
                None => "world",
            };
            self.bodies[k].inertia = RigidInertia::zero();
            let detail = format!("goes to `{into}`");
            let why = "it goes to the link that this one is fixed to";
            self.remark(
                "link",
                &link.name,
                "inertia without mass",
                &detail,
                why,
                &link.span,
            );
        }
        (!problems.has_errors()).then_some(())
    }

    /// Holds the joints that move nothing.
    fn hold(&mut self, robot: &Robot<'_, '_>) {
        let mut poses: Vec<Pose> = Vec::new();
        for (k, body) in self.bodies.iter().enumerate() {
            let before = body.parent.map_or_else(Pose::identity, |parent| poses[parent]);
            let at = match body.joint {
                Some(joint) => robot.joints[joint].origin.pose() * displaced(&robot.joints[joint], k),
                None => Pose::identity(),
            };
            poses.push(before * at);
        }
        let mut carried: Vec<RigidInertia> = self
            .bodies
            .iter()
            .zip(&poses)
            .map(|(body, pose)| body.inertia.moved(pose))
            .collect();
        for k in (0..self.bodies.len()).rev() {
            if let Some(parent) = self.bodies[k].parent {
                carried[parent] = carried[parent].and(&carried[k]);
            }
            let inertia = carried[k].moved(&Pose::translation(-poses[k].translation));
            let size = inertia.matrix().amax();
            let joint = self.bodies[k].joint.map(|joint| &robot.joints[joint]);
            let scalar = joint.filter(|joint| joint.kind.is_scalar());
            self.bodies[k].held = match scalar {
                Some(joint) => {
                    let axis = poses[k].direction(&joint.axis.normalize());
                    let (shift, turn) = match joint.kind {
                        Kind::Prismatic => (axis, Vec3::zeros()),
                        _ => (Vec3::zeros(), axis),
                    };
                    let twist = Vector6::new(shift.x, shift.y, shift.z, turn.x, turn.y, turn.z);
                    // What is left by cancellation alone is no inertia.
                    !(inertia.momentum(&twist).dot(&twist) > 1e-12 * size)
                }
                None => size == 0.0,
            };
        }
        for k in 0..self.bodies.len() {
            let joint = self.bodies[k].joint.map(|joint| &robot.joints[joint]);
            if let Some(joint) = joint.filter(|joint| self.bodies[k].held && joint.kind != Kind::Fixed) {
                let what = format!("{} held at zero", joint.kind.name());
                let why = "it moves nothing that has inertia";
                self.remark("joint", &joint.name, &what, "", why, &joint.span);
            }
        }
    }

    /// Inertias that no body has stay as they are, and are named.
    fn judge(&mut self, robot: &Robot<'_, '_>) {
        for k in 0..self.bodies.len() {
            let Err(error) = self.bodies[k].inertia.check() else {
                continue;
            };
            self.bodies[k].impossible = true;
            let link = &robot.links[self.bodies[k].link];
            let why = match error {
                RigidInertiaError::Negative(_) => {
                    "no body has it: a principal moment is negative; taken as given"
                }
                _ => {
                    "no body has it: the largest principal moment exceeds the sum of the others; taken as given"
                }
            };
            self.remark("link", &link.name, "inertia", &error.to_string(), why, &link.span);
        }
    }

    /// Marks what the model says.
    pub(super) fn mark(&self, robot: &Robot<'_, '_>, ledger: &Ledger) {
        ledger.carry(robot.node, &["name"]);
        for link in &robot.links {
            ledger.carry(link.node, &["name"]);
        }
        let origin = |node| {
            if let Some(origin) = child(node, "origin") {
                ledger.carry(origin, &["xyz", "rpy"]);
            }
        };
        for body in &self.bodies {
            if let Some(inertial) = robot.links[body.link].inertial {
                ledger.carry(inertial, &[]);
                origin(inertial);
                let parts = [
                    ("mass", &["value"][..]),
                    ("inertia", &["ixx", "ixy", "ixz", "iyy", "iyz", "izz"]),
                ];
                for (tag, attributes) in parts {
                    if let Some(part) = child(inertial, tag) {
                        ledger.carry(part, attributes);
                    }
                }
            }
            let Some(joint) = body.joint.map(|joint| &robot.joints[joint]) else {
                continue;
            };
            ledger.carry(joint.node, &["name", "type"]);
            origin(joint.node);
            for tag in ["parent", "child"] {
                if let Some(node) = child(joint.node, tag) {
                    ledger.carry(node, &["link"]);
                }
            }
            if body.held {
                continue;
            }
            if let Some(axis) = child(joint.node, "axis").filter(|_| joint.kind.has_axis()) {
                ledger.carry(axis, &["xyz"]);
            }
            if let Some(dynamics) = child(joint.node, "dynamics").filter(|_| joint.kind.can_be_damped()) {
                ledger.carry(dynamics, &["damping"]);
                // No friction is what the model says.
                if joint.friction == 0.0 {
                    ledger.carry(dynamics, &["friction"]);
                }
            }
        }
        let coupled = self
            .couplings
            .iter()
            .filter_map(|coupling| robot.joints[coupling.joint].mimic.as_ref());
        for mimic in coupled {
            ledger.carry(mimic.node, &["joint", "multiplier", "offset"]);
        }
    }
}

/// The motion of a joint in a configuration that is special in no way.
fn displaced(joint: &Joint<'_, '_>, k: usize) -> Pose {
    let x = 0.4 + 0.3 * (1.0 + 1.7 * k as f64).sin();
    let anywhere = Pose::turn(Vec3::new(0.3, -0.5, 0.8), x);
    match joint.kind {
        Kind::Fixed => Pose::identity(),
        Kind::Revolute | Kind::Continuous => Pose::turn(joint.axis, x),
        Kind::Prismatic => Pose::translation(joint.axis.normalize() * x),
        Kind::Planar => Pose::turn(joint.axis, x),
        Kind::Spherical => anywhere,
        Kind::Floating => Pose::translation(Vec3::new(x, -x, 0.5 * x)) * anywhere,
    }
}

/// A name that model files can use and that is not yet taken.
pub(super) fn usable(written: &str, what: &str, taken: &mut HashSet<String>) -> String {
    let allowed = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_';
    let mut name: String = written
        .chars()
        .map(|c| if allowed(c) { c } else { '_' })
        .collect();
    if name.chars().all(|letter| letter.is_ascii_digit()) || name == "world" {
        name = format!("{what}_{name}");
    }
    let mut unique = name.clone();
    let mut count = 1;
    while !taken.insert(unique.clone()) {
        count += 1;
        unique = format!("{name}_{count}");
    }
    unique
}

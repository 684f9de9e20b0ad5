//! Links and joints of a URDF file, as they are written there.
//!
//! ```text
//! parent_from_child = shift(xyz) · Rz(yaw) Ry(pitch) Rx(roll) · J(q)        rpy = "roll pitch yaw"
//! link_from_inertial likewise;  I is about the centre of mass, in the axes of the inertial frame
//! ```
use super::read::{child, number_or, numbers, opening, required};
use holonomy::{
    Vec3,
    geometry::{Pose, RigidInertia},
};
use holonomy_model::Problems;
use nalgebra::{Matrix3, UnitQuaternion};
use roxmltree::Node;
use std::{collections::HashMap, ops::Range};

pub(super) struct Robot<'a, 'i> {
    pub(super) node: Node<'a, 'i>,
    pub(super) name: String,
    pub(super) links: Vec<Link<'a, 'i>>,
    pub(super) joints: Vec<Joint<'a, 'i>>,
}

pub(super) struct Link<'a, 'i> {
    pub(super) node: Node<'a, 'i>,
    pub(super) name: String,
    pub(super) span: Range<usize>,
    pub(super) inertial: Option<Node<'a, 'i>>,
    /// In the frame of the link; zero if there is none.
    pub(super) inertia: RigidInertia,
}

pub(super) struct Joint<'a, 'i> {
    pub(super) node: Node<'a, 'i>,
    pub(super) name: String,
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
    pub(super) parent: usize,
    pub(super) child: usize,
    pub(super) origin: Origin,
    /// Zero where the joint has none.
    pub(super) axis: Vec3,
    pub(super) damping: f64,
    pub(super) friction: f64,
    /// Least and largest position, where the joint has both.
    pub(super) limits: Option<[f64; 2]>,
    pub(super) mimic: Option<Mimic<'a, 'i>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Kind {
    Revolute,
    Continuous,
    Prismatic,
    Fixed,
    Planar,
    Floating,
    Spherical,
}

impl Kind {
    const ALL: [(&'static str, Self); 7] = [
        ("revolute", Self::Revolute),
        ("continuous", Self::Continuous),
        ("prismatic", Self::Prismatic),
        ("fixed", Self::Fixed),
        ("planar", Self::Planar),
        ("floating", Self::Floating),
        ("spherical", Self::Spherical),
    ];

    pub(super) fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, kind)| *kind == self);
        found.map_or("", |(name, _)| name)
    }

    /// Whether its position is one number.
    pub(super) fn is_scalar(self) -> bool {
        matches!(self, Self::Revolute | Self::Continuous | Self::Prismatic)
    }

    pub(super) fn has_axis(self) -> bool {
        self.is_scalar() || self == Self::Planar
    }

    pub(super) fn can_be_damped(self) -> bool {
        self.is_scalar() || self == Self::Spherical
    }
}

/// A place and a rotation, as they are written.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Origin {
    pub(super) xyz: [f64; 3],
    pub(super) rpy: [f64; 3],
}

impl Origin {
    pub(super) fn pose(&self) -> Pose {
        let [roll, pitch, yaw] = self.rpy;
        let turn = UnitQuaternion::from_euler_angles(roll, pitch, yaw);
        Pose::translation(Vec3::from(self.xyz)) * Pose::rotation(turn)
    }
}

/// `q = multiplier · q_other + offset`.
pub(super) struct Mimic<'a, 'i> {
    pub(super) node: Node<'a, 'i>,
    pub(super) joint: usize,
    pub(super) multiplier: f64,
    pub(super) offset: f64,
}

pub(super) fn read<'a, 'i>(node: Node<'a, 'i>, problems: &Problems) -> Option<Robot<'a, 'i>> {
    let of_tag = |tag: &'static str| node.children().filter(move |child| child.has_tag_name(tag));
    let links: Vec<Link<'_, '_>> = of_tag("link")
        .filter_map(|link| read_link(link, problems))
        .collect();
    if of_tag("link").next().is_none() {
        return problems
            .error(opening(node), "the robot has no links")
            .help("a URDF file holds `<link>` and `<joint>` elements in `<robot>`; is it the right file?")
            .none();
    }
    unique(
        "links",
        links.iter().map(|link| (link.name.as_str(), &link.span)),
        problems,
    );
    let by_name: HashMap<&str, usize> = links
        .iter()
        .enumerate()
        .map(|(k, l)| (l.name.as_str(), k))
        .collect();
    let mut joints: Vec<Joint<'_, '_>> = Vec::new();
    let mut mimics = Vec::new();
    for element in of_tag("joint") {
        if let Some((joint, mimic)) = read_joint(element, &by_name, problems) {
            mimics.extend(mimic.map(|mimic| (joints.len(), mimic)));
            joints.push(joint);
        }
    }
    unique(
        "joints",
        joints.iter().map(|joint| (joint.name.as_str(), &joint.span)),
        problems,
    );
    // Names can only be looked up when all joints are known, and only if all were read.
    if problems.has_errors() {
        return None;
    }
    for (follower, mimic) in mimics {
        joints[follower].mimic = read_mimic(mimic, &joints, follower, problems);
    }
    let name = node
        .attribute("name")
        .map(str::trim)
        .filter(|name| !name.is_empty());
    Some(Robot {
        node,
        name: name.unwrap_or("robot").to_owned(),
        links,
        joints,
    })
}

fn unique<'a>(what: &str, names: impl Iterator<Item = (&'a str, &'a Range<usize>)>, problems: &Problems) {
    let mut seen = HashMap::new();
    for (name, span) in names {
        if seen.insert(name, ()).is_some() {
            problems
                .error(span.clone(), format!("there are two {what} named `{name}`"))
                .help("give one of them another name");
        }
    }
}

fn read_name(node: Node<'_, '_>, problems: &Problems) -> Option<(String, Range<usize>)> {
    let tag = node.tag_name().name();
    let (name, span) = required(node, "name", &format!("a {tag}"), problems)?;
    if name.trim().is_empty() {
        return problems
            .error(opening(node), format!("a {tag} has an empty name"))
            .help("give it a name of its own")
            .none();
    }
    Some((name.to_owned(), span))
}

fn read_origin(node: Node<'_, '_>, of: &str, problems: &Problems) -> Option<Origin> {
    let Some(origin) = child(node, "origin") else {
        return Some(Origin::default());
    };
    let three = |attribute: &str| match origin.has_attribute(attribute) {
        true => numbers::<3>(origin, attribute, of, problems),
        false => Some([0.0; 3]),
    };
    let (xyz, rpy) = (three("xyz"), three("rpy"));
    Some(Origin { xyz: xyz?, rpy: rpy? })
}

fn read_link<'a, 'i>(node: Node<'a, 'i>, problems: &Problems) -> Option<Link<'a, 'i>> {
    let (name, span) = read_name(node, problems)?;
    let inertial = child(node, "inertial");
    let inertia = match inertial {
        Some(inertial) => read_inertia(inertial, &format!("link `{name}`"), problems)?,
        None => RigidInertia::zero(),
    };
    Some(Link {
        node,
        name,
        span,
        inertial,
        inertia,
    })
}

fn read_inertia(node: Node<'_, '_>, of: &str, problems: &Problems) -> Option<RigidInertia> {
    let origin = read_origin(node, of, problems);
    let part = |tag: &str, example: &str| {
        child(node, tag).or_else(|| {
            problems
                .error(opening(node), format!("the inertial of {of} has no `{tag}`"))
                .help(format!(
                    "add `{example}`, or remove the inertial: a link without one has no mass"
                ))
                .none()
        })
    };
    let mass = part("mass", "<mass value=\"1\"/>").and_then(|mass| {
        let [value] = numbers::<1>(mass, "value", of, problems)?;
        if value < 0.0 {
            let (_, span) = required(mass, "value", of, problems)?;
            return problems
                .error(span, format!("the mass of {of} is negative: {value} kg"))
                .help("a mass is zero or more")
                .none();
        }
        Some(value)
    });
    let moment = part(
        "inertia",
        "<inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/>",
    );
    let moment = moment.and_then(|node| {
        let all = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"].map(|key| numbers::<1>(node, key, of, problems));
        let [xx, xy, xz, yy, yz, zz] = all.map(|value| value.map(|[value]| value));
        let (xx, xy, xz, yy, yz, zz) = (xx?, xy?, xz?, yy?, yz?, zz?);
        Some(Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz))
    });
    let (origin, mass, moment) = (origin?, mass?, moment?);
    let moment = match origin.rpy {
        // Not one digit is lost where nothing is turned.
        [0.0, 0.0, 0.0] => moment,
        _ => {
            let r = origin.pose().rotation.to_rotation_matrix().into_inner();
            let turned = r * moment * r.transpose();
            (turned + turned.transpose()) * 0.5
        }
    };
    Some(RigidInertia {
        mass,
        centre: Vec3::from(origin.xyz),
        moment,
    })
}

type Read<'a, 'i> = (Joint<'a, 'i>, Option<Node<'a, 'i>>);

fn read_joint<'a, 'i>(
    node: Node<'a, 'i>,
    links: &HashMap<&str, usize>,
    problems: &Problems,
) -> Option<Read<'a, 'i>> {
    let (name, span) = read_name(node, problems)?;
    let of = format!("joint `{name}`");
    let kind = required(node, "type", &of, problems).and_then(|(text, span)| {
        let found = Kind::ALL.iter().find(|(name, _)| *name == text);
        match found {
            Some((_, kind)) => Some(*kind),
            None => problems
                .error(span, format!("{of} is of the type `{text}`, which is not known"))
                .suggest(text, Kind::ALL.iter().map(|(name, _)| *name))
                .none(),
        }
    });
    let link = |tag: &str| {
        let Some(element) = child(node, tag) else {
            return problems
                .error(opening(node), format!("{of} has no `{tag}`"))
                .help(format!("add `<{tag} link=\"…\"/>`"))
                .none();
        };
        let (link, span) = required(element, "link", &of, problems)?;
        match links.get(link) {
            Some(found) => Some(*found),
            None => problems
                .error(
                    span,
                    format!("the {tag} of {of} is `{link}`, and there is no such link"),
                )
                .suggest(link, links.keys().copied())
                .none(),
        }
    };
    let (parent, child_link) = (link("parent"), link("child"));
    let origin = read_origin(node, &of, problems);
    let axis = match kind {
        Some(kind) if kind.has_axis() => read_axis(node, &of, problems),
        _ => Some(Vec3::zeros()),
    };
    let dynamics = child(node, "dynamics").filter(|_| kind.is_some_and(Kind::can_be_damped));
    let value = |attribute: &str| match dynamics {
        Some(dynamics) => number_or(dynamics, attribute, 0.0, &of, problems),
        None => Some(0.0),
    };
    let (damping, friction) = (value("damping"), value("friction"));
    let damping = damping.and_then(|damping| match dynamics {
        Some(dynamics) if damping < 0.0 => problems
            .error(
                opening(dynamics),
                format!("the damping of {of} is negative: {damping}"),
            )
            .help("damping takes energy away: give zero or more")
            .none(),
        _ => Some(damping),
    });
    let limit = child(node, "limit").filter(|_| matches!(kind, Some(Kind::Revolute | Kind::Prismatic)));
    let bound = |attribute: &str| match limit.filter(|limit| limit.has_attribute(attribute)) {
        Some(limit) => numbers::<1>(limit, attribute, &of, problems).map(|[bound]| Some(bound)),
        None => Some(None),
    };
    let (lower, upper) = (bound("lower"), bound("upper"));
    let limits = match (limit, lower.flatten().zip(upper.flatten())) {
        (Some(limit), Some((lower, upper))) if lower > upper => problems
            .error(
                opening(limit),
                format!("the limits of {of} are in the wrong order: from {lower} to {upper}"),
            )
            .help("write the smaller one as `lower`")
            .none(),
        (_, ends) => Some(ends.filter(|(lower, upper)| lower < upper)),
    };
    let mimic = child(node, "mimic").filter(|_| kind.is_some_and(Kind::is_scalar));
    Some((
        Joint {
            node,
            kind: kind?,
            parent: parent?,
            child: child_link?,
            origin: origin?,
            axis: axis?,
            damping: damping?,
            friction: friction?,
            limits: limits?.map(|(lower, upper)| [lower, upper]),
            mimic: None,
            name,
            span,
        },
        mimic,
    ))
}

fn read_axis(node: Node<'_, '_>, of: &str, problems: &Problems) -> Option<Vec3> {
    let Some(axis) = child(node, "axis") else {
        return Some(Vec3::x());
    };
    let vector = Vec3::from(numbers::<3>(axis, "xyz", of, problems)?);
    let length = vector.norm();
    if length > 0.0 && length.is_finite() {
        return Some(vector);
    }
    let (_, span) = required(axis, "xyz", of, problems)?;
    problems
        .error(span, format!("the axis of {of} is zero and has no direction"))
        .help("give a direction such as `xyz=\"0 0 1\"`, or make the joint `fixed`")
        .none()
}

fn read_mimic<'a, 'i>(
    node: Node<'a, 'i>,
    joints: &[Joint<'a, 'i>],
    follower: usize,
    problems: &Problems,
) -> Option<Mimic<'a, 'i>> {
    let of = format!("the mimic of joint `{}`", joints[follower].name);
    let (name, span) = required(node, "joint", &of, problems)?;
    let multiplier = number_or(node, "multiplier", 1.0, &of, problems);
    let offset = number_or(node, "offset", 0.0, &of, problems);
    let found = joints.iter().position(|joint| joint.name == name);
    let report = match found {
        None => problems
            .error(span, format!("{of} follows `{name}`, and there is no such joint"))
            .suggest(name, joints.iter().map(|joint| joint.name.as_str())),
        Some(other) if other == follower => problems
            .error(span, format!("{of} follows itself"))
            .help("name another joint, or remove `mimic`"),
        Some(other) if !joints[other].kind.is_scalar() && joints[other].kind != Kind::Fixed => problems
            .error(
                span,
                format!("{of} follows `{name}`, whose position is not one number"),
            )
            .help("only revolute, continuous and prismatic joints can be followed"),
        Some(joint) => {
            return Some(Mimic {
                node,
                joint,
                multiplier: multiplier?,
                offset: offset?,
            });
        }
    };
    report.none()
}

//! A tree as links and joints.
//!
//! ```text
//! parent_from_child = shift(xyz) · Rz(yaw) Ry(pitch) Rx(roll) · J(q)        rpy = "roll pitch yaw"
//! ```
use super::{ExportError, mimic::Mimic};
use holonomy::{
    Vec3,
    geometry::{EulerOrder, Pose, RigidInertia},
    tree::{Along, Joint, JointForce},
};
use holonomy_model::{OutlineBody, TreeOutline};
use std::{collections::HashSet, fmt::Write};

/// Attributes that the format asks for stand for nothing there.
const NONE: f64 = 1e9;

/// The link that does not move.
const WORLD: &str = "world";

/// One joint of a file; a universal joint is two.
struct Written<'a> {
    name: String,
    parent: &'a str,
    child: &'a str,
    kind: &'static str,
    at: Option<&'a Pose>,
    axis: Option<&'a Vec3>,
    of: &'a OutlineBody,
    effort: Option<f64>,
}

/// The text, and what is in it in words.
pub(super) fn write(
    title: &str,
    outline: &TreeOutline,
    mimics: &[Option<Mimic>],
    efforts: &[Option<f64>],
) -> Result<(String, String), ExportError> {
    let floats = floating_base(outline);
    let names = joint_names(outline);
    let between = between_names(outline);
    let name = if title.is_empty() { "robot" } else { title };
    let mut text = format!("<?xml version=\"1.0\"?>\n<robot name=\"{}\">\n", escaped(name));
    let mut links = outline.bodies.len();
    if !floats {
        let _ = writeln!(text, "  <link name=\"{WORLD}\"/>");
        links += 1;
    }
    for (body, between) in outline.bodies.iter().zip(&between) {
        if let Some(between) = between {
            let _ = writeln!(text, "  <link name=\"{}\"/>", escaped(between));
            links += 1;
        }
        write_link(&mut text, body);
    }
    let mut joints = 0;
    for (k, body) in outline.bodies.iter().enumerate() {
        if floats && body.parent.is_none() {
            continue;
        }
        let parent = body.parent.map_or(WORLD, |parent| &outline.bodies[parent].name);
        let one = |kind: &'static str, axis| Written {
            name: names[k].clone(),
            parent,
            child: &body.name,
            kind,
            at: Some(&body.at),
            axis,
            of: body,
            effort: efforts[k],
        };
        let refused = |kind| {
            Err(ExportError::Joint {
                body: body.name.clone(),
                kind,
            })
        };
        let turns = if ends(body).is_some() {
            "revolute"
        } else {
            "continuous"
        };
        let written = match &body.joint {
            Joint::Fixed => vec![one("fixed", None)],
            Joint::Revolute { axis } => vec![one(turns, Some(axis))],
            Joint::Prismatic { axis } => vec![one("prismatic", Some(axis))],
            Joint::Free | Joint::DrivenFree { .. } => vec![one("floating", None)],
            Joint::Driven { axis, along, .. } => match along {
                Along::Turn => vec![one(turns, Some(axis))],
                Along::Shift => vec![one("prismatic", Some(axis))],
                Along::Screw(_) => return refused("screw"),
            },
            Joint::Universal { axes } | Joint::DrivenUniversal { axes, .. } => {
                let between = between[k].as_deref().unwrap_or_default();
                vec![
                    Written {
                        name: format!("{}-1", names[k]),
                        child: between,
                        ..one("continuous", Some(&axes[0]))
                    },
                    Written {
                        name: format!("{}-2", names[k]),
                        parent: between,
                        at: None,
                        ..one("continuous", Some(&axes[1]))
                    },
                ]
            }
            Joint::Screw { .. } => return refused("screw"),
            Joint::Spherical => return refused("spherical"),
        };
        joints += written.len();
        let mimic = mimics[k]
            .as_ref()
            .map(|mimic| (names[mimic.leader].as_str(), mimic));
        for joint in written {
            write_joint(&mut text, &joint, mimic);
        }
    }
    text += "</robot>\n";
    let counted = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    };
    let mut words = format!("{}, {}", counted(links, "link"), counted(joints, "joint"));
    let following = mimics.iter().flatten().count();
    match following {
        0 => {}
        1 => words += ", 1 of which follows another",
        _ => words += &format!(", {following} of which follow others"),
    }
    if floats {
        let root = outline.bodies.iter().find(|body| body.parent.is_none());
        let root = root.map_or("", |body| &body.name);
        words += &format!("; the root `{root}` moves freely: read it with a floating base");
    }
    Ok((text, words))
}

/// Whether all stands on one body that moves freely, which is then the root.
fn floating_base(outline: &TreeOutline) -> bool {
    let mut roots = outline.bodies.iter().filter(|body| body.parent.is_none());
    let first = roots.next();
    let free = first.is_some_and(|body| {
        matches!(body.joint, Joint::Free) && body.at.rotation == Pose::identity().rotation
    });
    free && roots.next().is_none() && first.is_some_and(|body| body.at.translation == Vec3::zeros())
}

/// Joints are called as their coordinates are: by their own name, or by that of their body.
fn joint_names(outline: &TreeOutline) -> Vec<String> {
    let named = outline.bodies.iter().filter_map(|body| body.joint_name.clone());
    let mut taken: HashSet<String> = named.collect();
    let names = outline.bodies.iter().map(|body| match &body.joint_name {
        Some(name) => name.clone(),
        None => unique(body.name.clone(), "-joint", &mut taken),
    });
    names.collect()
}

/// Links between the two halves of universal joints.
fn between_names(outline: &TreeOutline) -> Vec<Option<String>> {
    let mut taken: HashSet<String> = outline.bodies.iter().map(|body| body.name.clone()).collect();
    taken.insert(WORLD.to_owned());
    let names = outline.bodies.iter().map(|body| {
        let universal = matches!(
            body.joint,
            Joint::Universal { .. } | Joint::DrivenUniversal { .. }
        );
        universal.then(|| unique(format!("{}-cross", body.name), "-", &mut taken))
    });
    names.collect()
}

fn unique(mut name: String, more: &str, taken: &mut HashSet<String>) -> String {
    while !taken.insert(name.clone()) {
        name += more;
    }
    name
}

fn write_link(text: &mut String, body: &OutlineBody) {
    let name = escaped(&body.name);
    let RigidInertia { mass, centre, moment } = &body.inertia;
    if *mass == 0.0 {
        let _ = writeln!(text, "  <link name=\"{name}\"/>");
        return;
    }
    let _ = writeln!(text, "  <link name=\"{name}\">\n    <inertial>");
    if *centre != Vec3::zeros() {
        let _ = writeln!(text, "      <origin xyz=\"{}\"/>", vector(centre));
    }
    let _ = writeln!(text, "      <mass value=\"{}\"/>", number(*mass));
    let entry = |i: usize, j: usize| number(moment[(i, j)]);
    let _ = writeln!(
        text,
        "      <inertia ixx=\"{}\" ixy=\"{}\" ixz=\"{}\" iyy=\"{}\" iyz=\"{}\" izz=\"{}\"/>",
        entry(0, 0),
        entry(0, 1),
        entry(0, 2),
        entry(1, 1),
        entry(1, 2),
        entry(2, 2)
    );
    text.push_str("    </inertial>\n  </link>\n");
}

/// Least and largest position: a warning or a stop.
pub(super) fn ends(body: &OutlineBody) -> Option<[f64; 2]> {
    let stop = body.forces.iter().find_map(|force| match force {
        JointForce::Stop(stop) => Some(stop.limits),
        _ => None,
    });
    stop.or(body.limits)
}

fn write_joint(text: &mut String, joint: &Written<'_>, mimic: Option<(&str, &Mimic)>) {
    let _ = writeln!(
        text,
        "  <joint name=\"{}\" type=\"{}\">\n    <parent link=\"{}\"/>\n    <child link=\"{}\"/>",
        escaped(&joint.name),
        joint.kind,
        escaped(joint.parent),
        escaped(joint.child)
    );
    if let Some(at) = joint.at {
        let mut origin = String::new();
        if at.translation != Vec3::zeros() {
            origin += &format!(" xyz=\"{}\"", vector(&at.translation));
        }
        let rpy = rpy(at);
        if rpy != Vec3::zeros() {
            origin += &format!(" rpy=\"{}\"", vector(&rpy));
        }
        if !origin.is_empty() {
            let _ = writeln!(text, "    <origin{origin}/>");
        }
    }
    if let Some(axis) = joint.axis {
        let unit = (axis.norm_squared() - 1.0).abs() < 1e-15;
        let axis = if unit { *axis } else { axis.normalize() };
        let _ = writeln!(text, "    <axis xyz=\"{}\"/>", vector(&axis));
    }
    let effort = joint.effort;
    let bounds = match (joint.kind, ends(joint.of)) {
        ("revolute" | "prismatic", Some(ends)) => Some(ends),
        ("prismatic", None) => Some([-NONE, NONE]),
        _ => None,
    };
    if bounds.is_some() || (effort.is_some() && joint.axis.is_some()) {
        let bounds = bounds.map_or_else(String::new, |[least, most]| {
            format!(" lower=\"{}\" upper=\"{}\"", number(least), number(most))
        });
        let effort = number(effort.unwrap_or(NONE));
        let velocity = number(NONE);
        let _ = writeln!(
            text,
            "    <limit{bounds} effort=\"{effort}\" velocity=\"{velocity}\"/>"
        );
    }
    if joint.axis.is_some() {
        write_losses(text, &joint.of.forces);
    }
    if let Some((
        leader,
        Mimic {
            multiplier, offset, ..
        },
    )) = mimic
    {
        let _ = writeln!(
            text,
            "    <mimic joint=\"{}\" multiplier=\"{}\" offset=\"{}\"/>",
            escaped(leader),
            number(*multiplier),
            number(*offset)
        );
    }
    text.push_str("  </joint>\n");
}

fn write_losses(text: &mut String, forces: &[JointForce]) {
    let (mut damping, mut friction) = (0.0, 0.0);
    for force in forces {
        match force {
            JointForce::Damper { coefficient } => damping += coefficient,
            JointForce::Friction { effort, .. } => friction += effort,
            _ => {}
        }
    }
    if damping != 0.0 || friction != 0.0 {
        let (damping, friction) = (number(damping), number(friction));
        let _ = writeln!(
            text,
            "    <dynamics damping=\"{damping}\" friction=\"{friction}\"/>"
        );
    }
}

/// Roll, pitch and yaw, to digits that rounding leaves.
fn rpy(at: &Pose) -> Vec3 {
    let q = &at.rotation;
    let [yaw, pitch, roll] = EulerOrder::ZYX.angles(&[q.w, q.i, q.j, q.k]);
    Vec3::new(roll, pitch, yaw).map(|angle| (angle * 1e15).round() / 1e15)
}

fn vector(v: &Vec3) -> String {
    format!("{} {} {}", number(v.x), number(v.y), number(v.z))
}

/// The shortest text that gives the same number.
fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if (1e-4..1e7).contains(&size) => value.to_string(),
        _ => format!("{value:e}"),
    }
}

/// The text of an attribute.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '"' => out += "&quot;",
            letter if letter.is_control() => out.push('?'),
            letter => out.push(letter),
        }
    }
    out
}

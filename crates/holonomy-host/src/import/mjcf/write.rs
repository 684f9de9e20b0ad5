//! The model as text.
//!
//! ```text
//! frame behind joint k = frame of the body in the file, shifted to the anchor a_k
//! at = pos − a_parent + R(quat) a_1 for the first joint,  a_k − a_(k−1) for the others, less axis · ref of a slide
//! turned = R(quat) R(axis, −ref)
//! ```
use super::{
    equality::Term,
    joint::{Joint, Kind},
    world::World,
};
use crate::import::{
    Options,
    ledger::{self, Remark, flat},
    write::{head, number, quoted, vector, write_inertia},
};
use holonomy::{
    Vec3,
    geometry::{Pose, so3},
};
use nalgebra::UnitQuaternion;
use std::{fmt::Write, path::Path};

pub(super) struct Written {
    pub(super) text: String,
    pub(super) carried: String,
    /// By `[[body]]`: the body of the file.
    pub(super) bodies: Vec<usize>,
}

pub(super) fn write(
    from: &str,
    title: &str,
    world: &mut World<'_>,
    ignored: &[Remark],
    options: Options<'_>,
) -> Written {
    let carried = carried(world);
    let file = Path::new(from)
        .file_name()
        .map_or(from.into(), |name| name.to_string_lossy());
    let mut text = format!("# From {}: {carried}.\n", flat(&file));
    let lists = [
        ("Ignored", ledger::lines(ignored, options.all)),
        ("Changed", ledger::lines(&world.changed, options.all)),
    ];
    for (heading, lines) in lists {
        if !lines.is_empty() {
            text += &format!("#\n# {heading}:\n");
        }
        for line in lines {
            text += &format!("#   {line}\n");
        }
    }
    text += &format!("\ntitle = {}\nspace = \"tree\"\n", quoted(title));
    text += &format!("gravity = {}\n", vector(&world.globals.gravity));
    if !world.controls.is_empty() {
        text += "\n[parameters]\n";
    }
    for control in &world.controls {
        let value = number(control.value);
        let _ = writeln!(text, "{} = {value}  # {}", control.parameter, flat(&control.of));
    }
    if !world.formula_names.is_empty() {
        text += "\n# What formulas of efforts see.\n[names]\n";
    }
    for (name, body) in &world.formula_names {
        let _ = writeln!(text, "{name} = {}", quoted(body));
    }
    let mut bodies = Vec::new();
    for k in 0..world.bodies.len() {
        write_body(&mut text, world, k, &mut bodies);
    }
    for site in world.sites.iter().filter(|site| site.body.is_none()) {
        let at = vector(&site.pose.translation);
        let _ = write!(text, "\n[[site]]\nname = {}\nat = {at}\n", quoted(&site.name));
    }
    for section in &world.sections {
        text += section;
    }
    text += "\n[method]\nname = \"tree-variational\"\n";
    let step = world.globals.step.unwrap_or(0.002);
    text += &format!("\n[run]\nstep = {}", number(step));
    text += "                           # s\nduration = 10.0\nevery = 10\n";
    Written {
        text,
        carried,
        bodies,
    }
}

fn carried(world: &World<'_>) -> String {
    let joints = world.bodies.iter().flat_map(|body| &body.joints);
    let mut kinds: Vec<Kind> = joints.map(|joint| joint.kind).collect();
    kinds.sort();
    let counts: Vec<String> = kinds
        .chunk_by(|a, b| a == b)
        .map(|same| format!("{} {}", same.len(), same[0].name()))
        .collect();
    let mut out = format!(
        "{}, {}",
        counted(world.bodies.len(), "body", "bodies"),
        counted(kinds.len(), "joint", "joints")
    );
    if !counts.is_empty() {
        out += &format!(" ({})", counts.join(", "));
    }
    if !world.sites.is_empty() {
        out += &format!(", {}", counted(world.sites.len(), "site", "sites"));
    }
    if !world.tendons.is_empty() {
        out += &format!(", {}", counted(world.tendons.len(), "tendon", "tendons"));
    }
    if world.constraints > 0 {
        out += &format!(", {}", counted(world.constraints, "equality", "equalities"));
    }
    if !world.controls.is_empty() {
        out += &format!(", {}", counted(world.controls.len(), "actuator", "actuators"));
    }
    out
}

fn counted(count: usize, one: &str, many: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {many}"),
    }
}

fn write_body(text: &mut String, world: &World<'_>, k: usize, bodies: &mut Vec<usize>) {
    let count = world.bodies[k].joints.len();
    let body = &world.bodies[k];
    let before = body.parent.map(|parent| &world.bodies[parent]);
    let shift = before.map_or_else(Vec3::zeros, |parent| parent.anchor());
    let mut parent = before.map(|parent| parent.name.as_str());
    let mut pose = Pose::translation(-shift) * body.pose;
    let mut anchor = Vec3::zeros();
    if body.joints.is_empty() {
        bodies.push(k);
        head(
            text,
            &body.name,
            parent,
            &format!("kind = \"fixed\"{}", placed(&pose)),
            "",
        );
    }
    for (i, joint) in body.joints.iter().enumerate() {
        let shifted = pose * Pose::translation(joint.anchor - anchor);
        let name = joint.body.as_str();
        let comment = format!("  # {}", joint.kind.name());
        head(text, name, parent, &joint_text(joint, &shifted), &comment);
        bodies.push(k);
        if i + 1 < count {
            text.push_str("mass = 0\n");
            write_joint_forces(text, joint);
        }
        (parent, pose, anchor) = (Some(name), Pose::identity(), joint.anchor);
    }
    let anchor = body.anchor();
    let mut inertia = body.inertia;
    inertia.centre -= anchor;
    write_inertia(text, &inertia, body.impossible);
    if let Some(joint) = body.joints.last() {
        write_joint_forces(text, joint);
        if joint.kind == Kind::Free && joint.start.is_none() {
            write_start(text, &body.pose);
        }
    }
    let sites = world.sites.iter().filter(|site| site.body == Some(k));
    let sites: Vec<String> = sites
        .map(|site| {
            let at = vector(&(site.pose.translation - anchor));
            format!("{} = {at}", key(&site.name))
        })
        .collect();
    if !sites.is_empty() {
        let _ = writeln!(text, "sites = {{ {} }}", sites.join(", "));
    }
}

fn joint_text(joint: &Joint, pose: &Pose) -> String {
    let name = format!("name = {}", quoted(&joint.label));
    let axis = vector(&joint.axis);
    let limits = joint.limits.map_or_else(String::new, |[least, most]| {
        format!(", limits = [{}, {}]", number(least), number(most))
    });
    match joint.kind {
        Kind::Hinge => {
            let back = match joint.reference {
                0.0 => *pose,
                angle => *pose * Pose::rotation(so3::about(&joint.axis, -angle)),
            };
            format!(
                "kind = \"revolute\", {name}, axis = {axis}{}{limits}",
                placed(&back)
            )
        }
        Kind::Slide => {
            let back = *pose * Pose::translation(joint.axis * -joint.reference);
            format!(
                "kind = \"prismatic\", {name}, axis = {axis}{}{limits}",
                placed(&back)
            )
        }
        Kind::Ball => format!("kind = \"spherical\", {name}{}", placed(pose)),
        // Its coordinates are those of the world.
        Kind::Free => format!("kind = \"free\", {name}"),
    }
}

fn write_joint_forces(text: &mut String, joint: &Joint) {
    let list = |numbers: &[f64]| {
        let numbers: Vec<String> = numbers.iter().map(|x| number(*x)).collect();
        format!("[{}]", numbers.join(", "))
    };
    let mut say = |key: &str, value: String| {
        let _ = writeln!(text, "{key} = {value}");
    };
    match (&joint.start, joint.kind) {
        (Some(q), Kind::Free) => {
            say("position", list(&q[..3]));
            say("orientation", list(&q[3..]));
        }
        (Some(q), Kind::Ball) => say("orientation", list(q)),
        (Some(q), _) if q[0] != 0.0 => say("position", number(q[0])),
        (None, _) if joint.reference != 0.0 => say("position", number(joint.reference)),
        _ => {}
    }
    match (&joint.speed, joint.kind) {
        (Some(v), Kind::Free) => {
            say("velocity", list(&v[..3]));
            say("angular_velocity", list(&v[3..]));
        }
        (Some(v), Kind::Ball) => say("angular_velocity", list(v)),
        (Some(v), _) if v[0] != 0.0 => say("velocity", number(v[0])),
        _ => {}
    }
    if let Some([stiffness, rest]) = joint.spring {
        let rest = match rest {
            0.0 => String::new(),
            rest => format!(", rest = {}", number(rest)),
        };
        let _ = writeln!(text, "spring = {{ stiffness = {}{rest} }}", number(stiffness));
    }
    if joint.damping != 0.0 {
        let _ = writeln!(text, "damping = {}", number(joint.damping));
    }
    if joint.armature != 0.0 {
        let _ = writeln!(text, "armature = {}", number(joint.armature));
    }
    if joint.friction != 0.0 {
        let _ = writeln!(text, "friction = {}", number(joint.friction));
    }
    if let Some(effort) = joint.whole_effort() {
        let _ = writeln!(text, "effort = {}", quoted(&effort));
    }
}

fn write_start(text: &mut String, pose: &Pose) {
    if pose.translation != Vec3::zeros() {
        let _ = writeln!(text, "position = {}", vector(&pose.translation));
    }
    if pose.rotation != UnitQuaternion::identity() {
        let _ = writeln!(text, "orientation = {}", quaternion(&pose.rotation));
    }
}

pub(super) fn quaternion(turn: &UnitQuaternion<f64>) -> String {
    let numbers = [turn.w, turn.i, turn.j, turn.k].map(number);
    format!("[{}]", numbers.join(", "))
}

/// Terms of a coupling.
pub(super) fn terms(world: &World<'_>, all: &[Term]) -> String {
    let term = |(joint, factor): &Term| {
        let body = quoted(&world.joint_at(*joint).body);
        format!("{{ body = {body}, factor = {} }}", number(*factor))
    };
    all.iter().map(term).collect::<Vec<_>>().join(", ")
}

/// `, at = […], turned = […]` as far as they say something.
fn placed(pose: &Pose) -> String {
    let mut out = String::new();
    if pose.translation != Vec3::zeros() {
        out += &format!(", at = {}", vector(&pose.translation));
    }
    let turn = &pose.rotation;
    if turn.i != 0.0 || turn.j != 0.0 || turn.k != 0.0 {
        out += &format!(", turned = {}", quaternion(turn));
    }
    out
}

/// A key of a table: bare, or between quotes.
fn key(name: &str) -> String {
    let bare = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    match !name.is_empty() && name.chars().all(bare) {
        true => name.to_owned(),
        false => quoted(name),
    }
}

//! The model as text: readable, with as few digits as give the same numbers back.
use super::{
    Options,
    ledger::{self, Remark, flat},
    plan::{Body, ImportPlan},
    robot::{Joint, Kind, Robot},
};
use holonomy::{Vec3, geometry::RigidInertia};
use std::{fmt::Write, path::Path};

pub(super) struct Written {
    pub(super) text: String,
    /// What was carried over, in words.
    pub(super) carried: String,
}

const END: &str = r#"
# A loop is closed here, by sections such as
#   [[constraint]]
#   name = "loop"
#   kind = "weld"
#   between = ["one-link/site", "other-link/site"]

[method]
name = "tree-variational"

[run]
step = 0.001                           # s
duration = 10.0
every = 10
"#;

pub(super) fn write(
    from: &str,
    robot: &Robot<'_, '_>,
    plan: &ImportPlan,
    ignored: &[Remark],
    options: Options<'_>,
) -> Written {
    let carried = carried(robot, plan);
    let file = Path::new(from)
        .file_name()
        .map_or(from.into(), |name| name.to_string_lossy());
    let mut text = format!("# From {}: {carried}.\n", flat(&file));
    let lists = [
        ("Ignored", ledger::lines(ignored, options.all)),
        ("Changed", ledger::lines(&plan.changed, options.all)),
    ];
    for (heading, lines) in lists {
        if !lines.is_empty() {
            text += &format!("#\n# {heading}:\n");
        }
        for line in lines {
            text += &format!("#   {line}\n");
        }
    }
    text += &format!("\ntitle = {}\nspace = \"tree\"\n", quoted(&robot.name));
    text += "gravity = [0, 0, -9.81]                # m/s²; URDF does not say\n";
    for body in &plan.bodies {
        write_body(&mut text, body, robot, plan);
    }
    for coupling in &plan.couplings {
        let _ = write!(
            text,
            "\n[[constraint]]\nname = {}\nkind = \"coupling\"\n",
            quoted(&coupling.name)
        );
        let terms: Vec<String> = coupling
            .terms
            .iter()
            .map(|(body, factor)| {
                let body = quoted(&plan.bodies[*body].name);
                format!("{{ body = {body}, factor = {} }}", number(*factor))
            })
            .collect();
        let _ = writeln!(text, "terms = [{}]", terms.join(", "));
        if coupling.constant != 0.0 {
            let _ = writeln!(text, "constant = {}", number(coupling.constant));
        }
    }
    text += END;
    Written { text, carried }
}

fn carried(robot: &Robot<'_, '_>, plan: &ImportPlan) -> String {
    let counted = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    };
    let mut kinds: Vec<Kind> = robot.joints.iter().map(|joint| joint.kind).collect();
    kinds.sort();
    let counts: Vec<String> = kinds
        .chunk_by(|a, b| a == b)
        .map(|same| format!("{} {}", same.len(), same[0].name()))
        .collect();
    let mut out = format!(
        "{}, {}",
        counted(robot.links.len(), "link"),
        counted(robot.joints.len(), "joint")
    );
    if !counts.is_empty() {
        out += &format!(" ({})", counts.join(", "));
    }
    if !plan.couplings.is_empty() {
        out += &format!(", {}", counted(plan.couplings.len(), "coupling"));
    }
    let root = flat(&robot.links[plan.root].name);
    match plan.bodies.iter().any(|body| body.joint.is_none()) {
        true => out + &format!("; the root `{root}` moves freely"),
        false => out + &format!("; the root `{root}` is the world"),
    }
}

fn write_body(text: &mut String, body: &Body, robot: &Robot<'_, '_>, plan: &ImportPlan) {
    let parent = body.parent.map(|parent| plan.bodies[parent].name.as_str());
    let joint = body.joint.map(|joint| &robot.joints[joint]);
    let placed = joint.map_or_else(String::new, placed);
    let limits = joint.and_then(|joint| joint.limits);
    let limits = limits.map_or_else(String::new, |[least, most]| {
        format!(", limits = [{}, {}]", number(least), number(most))
    });
    let axis = joint.map_or_else(Vec3::zeros, |joint| joint.axis);
    let kind = match joint {
        None => Kind::Floating,
        Some(_) if body.held => Kind::Fixed,
        Some(joint) => joint.kind,
    };
    let comment = match joint {
        Some(joint) => format!("  # {} joint `{}`", joint.kind.name(), flat(&joint.name)),
        None => "  # the root".to_owned(),
    };
    let name = |suffix: &str| match &body.joint_name {
        Some(name) => format!(", name = {}", quoted(&format!("{name}{suffix}"))),
        None => String::new(),
    };
    let about = |kind: &str, axis: &Vec3, suffix: &str| {
        format!("kind = \"{kind}\"{}, axis = {}", name(suffix), vector(axis))
    };
    let joint_text = match kind {
        Kind::Fixed => format!("kind = \"fixed\"{placed}"),
        Kind::Revolute | Kind::Continuous => about("revolute", &axis, "") + &placed + &limits,
        Kind::Prismatic => about("prismatic", &axis, "") + &placed + &limits,
        Kind::Spherical => format!("kind = \"spherical\"{}{placed}", name("")),
        Kind::Floating => format!("kind = \"free\"{}{placed}", name("")),
        Kind::Planar => about("revolute", &axis, ""),
    };
    if kind == Kind::Planar {
        let [x, y] = plane(&axis);
        let between = ["x", "y"].map(|letter| format!("{}-{letter}", body.name));
        head(
            text,
            &between[0],
            parent,
            &(about("prismatic", &x, "-x") + &placed),
            &comment,
        );
        text.push_str("mass = 0\n");
        head(
            text,
            &between[1],
            Some(&between[0]),
            &about("prismatic", &y, "-y"),
            "",
        );
        text.push_str("mass = 0\n");
        head(text, &body.name, Some(&between[1]), &joint_text, "");
    } else {
        head(text, &body.name, parent, &joint_text, &comment);
    }
    write_inertia(text, &body.inertia, body.impossible);
    let damping = joint.filter(|_| !body.held).map_or(0.0, |joint| joint.damping);
    if damping != 0.0 {
        let _ = writeln!(text, "damping = {}", number(damping));
    }
}

pub(super) fn head(text: &mut String, name: &str, parent: Option<&str>, joint: &str, comment: &str) {
    let _ = write!(text, "\n[[body]]\nname = {}\n", quoted(name));
    if let Some(parent) = parent {
        let _ = writeln!(text, "parent = {}", quoted(parent));
    }
    let _ = writeln!(text, "joint = {{ {joint} }}{comment}");
}

pub(super) fn write_inertia(text: &mut String, inertia: &RigidInertia, impossible: bool) {
    let _ = writeln!(text, "mass = {}", number(inertia.mass));
    if inertia.mass == 0.0 {
        return;
    }
    if inertia.centre != Vec3::zeros() {
        let _ = writeln!(text, "centre = {}", vector(&inertia.centre));
    }
    let moment = &inertia.moment;
    if moment.amax() == 0.0 {
        return;
    }
    let off = [moment[(0, 1)], moment[(0, 2)], moment[(1, 2)]];
    let rows: Vec<String> = match off {
        [0.0, 0.0, 0.0] => (0..3).map(|k| number(moment[(k, k)])).collect(),
        _ => (0..3).map(|k| vector(&moment.row(k).transpose())).collect(),
    };
    let _ = writeln!(text, "inertia = [{}]", rows.join(", "));
    if impossible {
        text.push_str("as_given = true                        # no body has this inertia\n");
    }
}

/// `, at = […], turned = { euler = […] }` as far as they are not zero: URDF turns about z last, and so does `euler`.
fn placed(joint: &Joint<'_, '_>) -> String {
    let mut out = String::new();
    let [roll, pitch, yaw] = joint.origin.rpy;
    if joint.origin.xyz != [0.0; 3] {
        out += &format!(", at = {}", vector(&Vec3::from(joint.origin.xyz)));
    }
    if joint.origin.rpy != [0.0; 3] {
        out += &format!(
            ", turned = {{ euler = {} }}",
            vector(&Vec3::new(yaw, pitch, roll))
        );
    }
    out
}

/// Two directions in the plane with this normal; x and y for z.
fn plane(normal: &Vec3) -> [Vec3; 2] {
    let n = normal.normalize();
    let first = match n.iter().position(|x| x.abs() == 1.0) {
        Some(k) => Vec3::ith((k + 1) % 3, n[k]),
        None => Vec3::ith(n.iamin(), 1.0).cross(&n).normalize(),
    };
    [first, n.cross(&first)]
}

pub(super) fn vector(v: &Vec3) -> String {
    format!("[{}, {}, {}]", number(v.x), number(v.y), number(v.z))
}

/// The shortest text that gives the same number.
pub(super) fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if (1e-4..1e7).contains(&size) => value.to_string(),
        _ => format!("{value:e}"),
    }
}

/// A TOML string.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            letter if letter.is_control() => {
                let _ = write!(out, "\\u{:04X}", letter as u32);
            }
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

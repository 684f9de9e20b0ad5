//! `joint = { … }` of a body, and where and how fast it starts.
use super::{drives, laws::Laws, rotation, stops, tables};
use crate::{Located, Place, Section, Unit, spec::JointKind};
use holonomy::{
    Vec3,
    geometry::Pose,
    tree::{Along, Joint, JointForce, Turning},
};
use nalgebra::{Quaternion, UnitQuaternion};

/// A joint, where it is on the parent, and how it starts.
pub(super) struct Placed {
    pub(super) joint: Joint,
    pub(super) at: Pose,
    pub(super) q: Vec<f64>,
    pub(super) v: Vec<f64>,
    pub(super) forces: Vec<JointForce>,
    /// Of rotors geared to it, as it feels them.
    pub(super) armature: Option<f64>,
    /// Least and largest position, where they are given.
    pub(super) limits: Option<[f64; 2]>,
    /// How it is turned as a function of time, where that is given.
    pub(super) turning: Option<Turning>,
    /// Where its `effort` is written.
    pub(super) effort: Option<Place>,
    /// A name of its own.
    pub(super) name: Option<Located<String>>,
}

impl Placed {
    /// From the body to its parent, at the start.
    pub(super) fn parent_from_body(&self) -> Pose {
        self.at * displacement(&self.joint, &self.q)
    }
}

/// What a joint does at a position.
fn displacement(joint: &Joint, q: &[f64]) -> Pose {
    let turn = |axis: &Vec3, angle: f64| Pose::turn(axis.normalize(), angle);
    let shift = |axis: &Vec3, length: f64| Pose::translation(axis.normalize() * length);
    let rotation = |q: &[f64]| {
        Pose::rotation(UnitQuaternion::from_quaternion(Quaternion::new(
            q[0], q[1], q[2], q[3],
        )))
    };
    match joint {
        Joint::Fixed => Pose::identity(),
        Joint::Revolute { axis } => turn(axis, q[0]),
        Joint::Prismatic { axis } => shift(axis, q[0]),
        Joint::Screw { axis, pitch } => shift(axis, pitch * q[0]) * turn(axis, q[0]),
        Joint::Universal { axes } => turn(&axes[0], q[0]) * turn(&axes[1], q[1]),
        Joint::Spherical => rotation(q),
        Joint::Free | Joint::DrivenFree { .. } => {
            Pose::translation(Vec3::new(q[0], q[1], q[2])) * rotation(&q[3..])
        }
        Joint::DrivenUniversal { axes, .. } => turn(&axes[0], q[0]) * turn(&axes[1], q[1]),
        Joint::Driven { axis, along, .. } => {
            let q = q[0];
            match along {
                Along::Turn => turn(axis, q),
                Along::Shift => shift(axis, q),
                Along::Screw(pitch) => shift(axis, pitch * q) * turn(axis, q),
            }
        }
    }
}

/// Reads the joint of a body and all keys of the body that are about it.
pub(super) fn read<'a>(body: &Section<'a>, of: &str, laws: &Laws<'a>) -> Option<Placed> {
    let problems = body.problems();
    let has_driven = body.has("driven");
    if !body.has("joint") {
        return body
            .lacks(
                &["joint"],
                body.place(),
                format!("missing `joint` in {}", body.label()),
            )
            .help("add `joint = { kind = \"revolute\", axis = [0, 1, 0] }`, or another kind")
            .none();
    }
    let section = body.optional("joint").table()?;
    let kind = section
        .required("kind")
        .choice_of("kind of joint", JointKind::WORDS);
    let name = section.optional("name").name();
    let at = section.optional("at").vector();
    let sound_at = at.is_some() == section.has("at");
    let turned = rotation::read(&section, "turned");
    let Some(kind) = kind else {
        section.finish_unread();
        return None;
    };
    let joint = read_kind(&section, kind.value);
    let stop_given = section.is_table("limits");
    let limits = match stop_given {
        true => Some(None),
        false => read_limits(&section, kind.value),
    };
    let one_way = matches!(kind.value, "revolute" | "prismatic" | "screw");
    let stop = match stop_given && one_way {
        true => stops::stop(&section, kind.value, laws),
        false => None,
    };
    if stop_given && !one_way {
        section.refuse(&[("limits", "to a revolute, prismatic or screw joint")]);
    }
    let limits_place = section.value_place("limits");
    section.finish();
    if has_driven && let (Some(place), true) = (limits_place, stop_given) {
        return problems
            .error(
                place,
                "a driven joint has no stop: its formula says where it is at all times",
            )
            .help("write `limits = [from, to]`, which only warns, or remove `driven`")
            .none();
    }
    let drive = match has_driven {
        true => Some(drives::read(body, kind.value, laws)),
        false => None,
    };
    let armature = match has_driven || kind.value == "fixed" {
        true => Some(None),
        false => read_armature(body, kind.value),
    };
    let (start, forces) = if let Some(drive) = &drive {
        refuse_with_driven(body)?;
        let start = drive.as_ref().map(|drive| drive.start(laws.start));
        (start.map(|start| (start.q, start.v)), Some(Vec::new()))
    } else {
        (
            read_start(body, kind.value),
            read_forces(body, kind.value, (of, laws)),
        )
    };
    let (joint, turning) = match (joint?, drive) {
        (joint, None) => (joint, None),
        (joint, Some(drive)) => drive?.joint(joint),
    };
    let at = Pose::translation(at.map_or_else(Vec3::zeros, |at| at.value.into())) * Pose::rotation(turned?);
    let ((q, v), mut forces) = (start?, forces?);
    if stop_given {
        forces.push(JointForce::Stop(stop?));
    }
    sound_at.then_some(Placed {
        joint,
        at,
        q,
        v,
        forces,
        armature: armature?,
        limits: limits?,
        turning,
        effort: body.value_place("effort"),
        name: name.map(|name| name.map(str::to_owned)),
    })
}

/// `limits` of a joint with one coordinate, if there are any.
fn read_limits(section: &Section<'_>, kind: &str) -> Option<Option<[f64; 2]>> {
    if !matches!(kind, "revolute" | "prismatic" | "screw") {
        section.refuse(&[("limits", "to a revolute, prismatic or screw joint")]);
        return Some(None);
    }
    if !section.has("limits") {
        return Some(None);
    }
    let given = section.optional("limits").vector_n(2, units(kind).0)?;
    match given.value[..] {
        [least, most] if least < most => Some(Some([least, most])),
        _ => section
            .problems()
            .error(given.place, "`limits` are not a smaller and a larger position")
            .help("write the smaller first: `limits = [-1, 1]`")
            .none(),
    }
}

fn read_kind(section: &Section<'_>, kind: &str) -> Option<Joint> {
    Some(match kind {
        "revolute" => Joint::Revolute {
            axis: axis(section, "axis")?,
        },
        "prismatic" => Joint::Prismatic {
            axis: axis(section, "axis")?,
        },
        "screw" => {
            let axis = axis(section, "axis");
            let pitch = section.required("pitch").number();
            Joint::Screw {
                axis: axis?,
                pitch: pitch?.value,
            }
        }
        "universal" => Joint::Universal { axes: axes(section)? },
        "spherical" => Joint::Spherical,
        "free" => Joint::Free,
        _ => Joint::Fixed,
    })
}

/// A vector that has a direction.
pub(super) fn axis<'a>(section: &Section<'a>, key: &'a str) -> Option<Vec3> {
    let axis = section.required(key).vector_in(Unit::NONE)?;
    direction(&axis, key, section)
}

pub(crate) fn direction(axis: &Located<[f64; 3]>, key: &str, section: &Section<'_>) -> Option<Vec3> {
    let vector = Vec3::from(axis.value);
    let norm = vector.norm();
    if norm > 0.0 && norm.is_finite() && (1.0 / norm).is_finite() {
        return Some(vector);
    }
    section
        .problems()
        .error(
            axis.place.clone(),
            format!("`{key}` is zero, or too large, and has no direction"),
        )
        .help(format!(
            "give a vector such as `{key} = [0, 0, 1]`; its length does not matter"
        ))
        .none()
}

fn axes(section: &Section<'_>) -> Option<[Vec3; 2]> {
    let given = section.required("axes").vectors()?;
    let problems = section.problems();
    let [a, b] = given.value[..] else {
        return problems
            .error(
                given.place,
                format!("a universal joint turns about 2 axes, got {}", given.value.len()),
            )
            .help("write `axes = [[1, 0, 0], [0, 1, 0]]`")
            .none();
    };
    let [a, b] = [a, b].map(|axis| direction(&Located::new(axis, given.place.clone()), "axes", section));
    let axes = [a?, b?];
    if axes[0].normalize().cross(&axes[1].normalize()).norm() <= 1e-9 {
        return problems
            .error(given.place, "the axes of a universal joint are parallel")
            .help("give two different axes, or make the joint `revolute`")
            .none();
    }
    Some(axes)
}

fn refuse_with_driven(body: &Section<'_>) -> Option<()> {
    let mut sound = Some(());
    for key in [
        "position",
        "velocity",
        "orientation",
        "angular_velocity",
        "spring",
        "damping",
        "armature",
        "effort",
        "effort_limit",
        "friction",
        "friction_velocity",
    ] {
        if !body.has(key) {
            continue;
        }
        let place = body.value_place(key).unwrap_or_else(|| body.place());
        let message = format!("a driven joint has no `{key}`: its formula says where it is at all times");
        body.problems()
            .error(place, message)
            .help(format!("remove `{key}` or `driven`"));
        sound = None;
    }
    sound
}

/// Units of the coordinate and of the velocity of a joint with one coordinate.
fn units(kind: &str) -> (Unit, Unit) {
    match kind {
        "prismatic" => (Unit::METRE, Unit::METRE_PER_SECOND),
        _ => (Unit::RADIAN, Unit::RADIAN_PER_SECOND),
    }
}

/// Coordinates and velocities at the start.
fn read_start(body: &Section<'_>, kind: &str) -> Option<(Vec<f64>, Vec<f64>)> {
    let (length, speed) = units(kind);
    let or_zero = |given: Option<Vec<f64>>, key: &'static str, count: usize| match given {
        None if body.has(key) => None,
        None => Some(vec![0.0; count]),
        given => given,
    };
    let three = |key: &'static str, unit: Unit| {
        let given = body.optional(key).vector_in(unit);
        or_zero(given.map(|given| given.value.to_vec()), key, 3)
    };
    match kind {
        "revolute" | "prismatic" | "screw" => {
            let one = |key: &'static str, unit: Unit| {
                let given = body.optional(key).number_in(unit);
                or_zero(given.map(|given| vec![given.value]), key, 1)
            };
            let (q, v) = (one("position", length), one("velocity", speed));
            Some((q?, v?))
        }
        "universal" => {
            let two = |key: &'static str, unit: Unit| {
                let given = body.optional(key).vector_n(2, unit);
                or_zero(given.map(|given| given.value), key, 2)
            };
            let (q, v) = (two("position", length), two("velocity", speed));
            Some((q?, v?))
        }
        "spherical" => {
            let q = rotation::quaternion(body, "orientation");
            let v = three("angular_velocity", Unit::RADIAN_PER_SECOND);
            Some((q?.to_vec(), v?))
        }
        "free" => {
            let place = three("position", Unit::METRE);
            let turn = rotation::quaternion(body, "orientation");
            let velocity = three("velocity", Unit::METRE_PER_SECOND);
            let spin = three("angular_velocity", Unit::RADIAN_PER_SECOND);
            Some(([place?, turn?.to_vec()].concat(), [velocity?, spin?].concat()))
        }
        _ => Some((Vec::new(), Vec::new())),
    }
}

/// `armature`, if there is any; `None` if it is wrong.
fn read_armature(body: &Section<'_>, kind: &str) -> Option<Option<f64>> {
    let unit = match kind {
        "prismatic" => Unit::KILOGRAM,
        "free" => Unit::ANY,
        _ => Unit::KILOGRAM_METRE_SQUARED,
    };
    let given = body.optional("armature").non_negative(unit);
    (given.is_some() == body.has("armature")).then(|| given.map(|given| given.value))
}

/// `spring`, `damping`, `effort` and `friction`.
fn read_forces<'a>(
    body: &Section<'a>,
    kind: &str,
    (name, laws): (&str, &Laws<'a>),
) -> Option<Vec<JointForce>> {
    let problems = body.problems();
    let mut forces = Vec::new();
    if kind == "fixed" {
        return Some(forces);
    }
    let mut sound = true;
    let ball = matches!(kind, "spherical" | "free");
    let (stiffness, damping) = match kind {
        "prismatic" => (Unit::NEWTON_PER_METRE, Unit::NEWTON_SECOND_PER_METRE),
        "free" => (Unit::ANY, Unit::ANY),
        _ => (
            Unit::NEWTON_METRE_PER_RADIAN,
            Unit::NEWTON_METRE_SECOND_PER_RADIAN,
        ),
    };
    if let Some(spring) = body.optional("spring").table() {
        if !ball && spring.holds("energy") {
            let text = spring.required("energy").formula();
            let law = text.and_then(|text| laws.energy(&text, problems));
            sound &= law.is_some();
            forces.extend(law.map(JointForce::Potential));
        } else {
            let stiffness = laws.non_negative(&spring, "stiffness", stiffness);
            let rest = match ball {
                false => laws.number(&spring, "rest", units(kind).0),
                true => None,
            };
            sound &= stiffness.is_some() && (rest.is_some() || !spring.holds("rest"));
            forces.extend(stiffness.map(|stiffness| JointForce::Spring {
                stiffness: stiffness.value,
                rest: rest.map_or(0.0, |rest| rest.value),
            }));
        }
        spring.finish();
    } else {
        sound &= !body.has("spring");
    }
    if body.is_array("damping") {
        let each = dampers(body, kind, damping);
        sound &= each.is_some();
        forces.extend(each.map(JointForce::Dampers));
    } else {
        let coefficient = body.optional("damping").non_negative(damping);
        sound &= coefficient.is_some() == body.has("damping");
        forces.extend(coefficient.map(|c| JointForce::Damper { coefficient: c.value }));
    }
    if !ball {
        let limit = stops::limit(body, kind);
        sound &= limit.is_some();
        if let Some(place) = body.value_place("effort_limit").filter(|_| !body.has("effort")) {
            problems
                .error(place, "`effort_limit` without `effort`")
                .help("add the `effort` that it limits, or remove it");
            sound = false;
        }
        if body.is_table("effort") {
            let unit = match kind {
                "prismatic" => Unit::NEWTON,
                _ => Unit::NEWTON_METRE,
            };
            let table = body.optional("effort").table();
            let spline = table.and_then(|table| tables::spline(table, unit));
            sound &= spline.is_some();
            let law = spline.map(|spline| Laws::effort_table(spline, limit.flatten()));
            forces.extend(law.map(JointForce::Effort));
        } else if let Some(text) = body.optional("effort").formula() {
            let law = laws.effort(name, text, limit.flatten());
            forces.extend(law.map(JointForce::Effort));
        }
        let friction = stops::friction(body, kind);
        sound &= friction.is_some();
        forces.extend(friction.flatten());
    }
    sound.then_some(forces)
}

/// One number for each velocity of a joint; of a free one also two, for the position and for the rotation.
fn dampers(body: &Section<'_>, kind: &str, unit: Unit) -> Option<Vec<f64>> {
    let given = body.optional("damping").numbers_in(unit)?;
    let problems = body.problems();
    if let Some(wrong) = given.value.iter().find(|c| !(c.value >= 0.0)) {
        return problems
            .error(wrong.place.clone(), "`damping` must be at least zero")
            .help("a damper takes energy away; what drives is an `effort`")
            .none();
    }
    let numbers: Vec<f64> = given.value.iter().map(|c| c.value).collect();
    let (count, words) = match kind {
        "universal" => (2, "two angles"),
        "spherical" => (3, "angular velocities about x, y and z of the body"),
        "free" => (
            6,
            "velocities, three and three, or two numbers for position and rotation",
        ),
        _ => (1, "one velocity"),
    };
    match numbers[..] {
        [place, turn] if kind == "free" => Some(vec![place, place, place, turn, turn, turn]),
        _ if numbers.len() == count => Some(numbers),
        _ => problems
            .error(
                given.place,
                format!("`damping` of a {kind} joint has {} numbers", numbers.len()),
            )
            .help(format!("give one number for all, or one for each of its {words}"))
            .none(),
    }
}

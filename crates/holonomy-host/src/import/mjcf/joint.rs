//! Joints of an MJCF file.
use super::{actuator::clamped, settings::Globals, values::Item};
use holonomy::{
    Vec3,
    geometry::{Pose, so3},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Hinge,
    Slide,
    Ball,
    Free,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Hinge => "hinge",
            Self::Slide => "slide",
            Self::Ball => "ball",
            Self::Free => "free",
        }
    }

    /// Numbers in `qpos` and `qvel`.
    pub(super) fn sizes(self) -> (usize, usize) {
        match self {
            Self::Hinge | Self::Slide => (1, 1),
            Self::Ball => (4, 3),
            Self::Free => (7, 6),
        }
    }
}

pub(super) struct Joint {
    pub(super) written: Option<String>,
    /// What its coordinates are called after.
    pub(super) label: String,
    pub(super) kind: Kind,
    /// Where it is, in the frame of the body; the origin for slides and free joints.
    pub(super) anchor: Vec3,
    pub(super) axis: Vec3,
    /// The position at which the body is where the file has it.
    pub(super) reference: f64,
    pub(super) limits: Option<[f64; 2]>,
    /// Where springs of tendons find it when they take their length.
    pub(super) spring_reference: f64,
    /// Stiffness, and the position at which the spring does not pull.
    pub(super) spring: Option<[f64; 2]>,
    pub(super) damping: f64,
    pub(super) friction: f64,
    /// Inertia of its rotor.
    pub(super) armature: f64,
    /// Of tendons along it, as a formula.
    pub(super) effort: Option<String>,
    /// Of its actuators, and between what bounds all of them together act.
    pub(super) pull: Option<String>,
    pub(super) pull_range: Option<[f64; 2]>,
    /// The body of the model that it carries.
    pub(super) body: String,
    /// Where it starts, and how fast, if a keyframe says so.
    pub(super) start: Option<Vec<f64>>,
    pub(super) speed: Option<Vec<f64>>,
}

impl Joint {
    pub(super) fn free(label: String) -> Self {
        Self {
            written: None,
            label,
            kind: Kind::Free,
            anchor: Vec3::zeros(),
            axis: Vec3::z(),
            reference: 0.0,
            spring_reference: 0.0,
            limits: None,
            spring: None,
            damping: 0.0,
            friction: 0.0,
            armature: 0.0,
            effort: None,
            pull: None,
            pull_range: None,
            body: String::new(),
            start: None,
            speed: None,
        }
    }

    /// How the body lies against where the file has it, with the joint at its spring reference.
    pub(super) fn at_spring_reference(&self) -> Pose {
        let by = self.spring_reference - self.reference;
        match self.kind {
            Kind::Hinge => {
                let turn = Pose::rotation(so3::about(&self.axis, by));
                Pose::translation(self.anchor) * turn * Pose::translation(-self.anchor)
            }
            Kind::Slide => Pose::translation(self.axis * by),
            Kind::Ball | Kind::Free => Pose::identity(),
        }
    }

    /// Whether its position is one number.
    pub(super) fn is_scalar(&self) -> bool {
        matches!(self.kind, Kind::Hinge | Kind::Slide)
    }

    pub(super) fn add_effort(&mut self, force: &str) {
        add(&mut self.effort, force);
    }

    pub(super) fn add_pull(&mut self, force: &str) {
        add(&mut self.pull, force);
    }

    /// All that acts in it, as a formula.
    pub(super) fn whole_effort(&self) -> Option<String> {
        let mut out = self.effort.clone();
        if let Some(pull) = &self.pull {
            add(&mut out, &clamped(pull, self.pull_range));
        }
        out
    }
}

fn add(sum: &mut Option<String>, force: &str) {
    *sum = Some(match sum.take() {
        Some(before) => format!("{before} + {force}"),
        None => force.to_owned(),
    });
}

pub(super) fn read(item: &Item<'_>, globals: &Globals) -> Option<Joint> {
    let mut joint = Joint::free(String::new());
    joint.written = item
        .document
        .attribute(item.id, "name")
        .map(|name| name.value.clone());
    item.carry(&["name"]);
    if item.document.tag(item.id) == "freejoint" {
        return Some(joint);
    }
    item.carry(&["type"]);
    joint.kind = match item.word("type") {
        None | Some("hinge") => Kind::Hinge,
        Some("slide") => Kind::Slide,
        Some("ball") => Kind::Ball,
        Some("free") => Kind::Free,
        Some(other) => {
            let (id, found) = item.find("type")?;
            return item
                .document
                .error_at(
                    id,
                    found.value_span.clone(),
                    format!("a joint is of the type `{other}`, which is not known"),
                )
                .suggest(other, ["hinge", "slide", "ball", "free"])
                .none();
        }
    };
    if matches!(joint.kind, Kind::Hinge | Kind::Ball) {
        joint.anchor = item.vector("pos", [0.0; 3])?;
    }
    // The place of a slide and of a free joint does not matter.
    item.carry(&["pos"]);
    let stiffness = item.numbers("stiffness", 1, [0.0; 4])?;
    let damping = item.numbers("damping", 1, [0.0; 4])?;
    joint.armature = item.number("armature", 0.0)?;
    item.carry(&["armature"]);
    let linear = |terms: [f64; 4]| terms[1..] == [0.0; 3];
    if damping[0] < 0.0 || stiffness[0] < 0.0 || joint.armature < 0.0 {
        return item
            .document
            .error(item.id, "stiffness, damping or armature of a joint is negative")
            .help("give zero or more")
            .none();
    }
    // Nothing is what the model says of zeros.
    let none = |name: &str| item.find(name).is_some_and(|(_, found)| zeros(&found.value));
    for name in ["stiffness", "damping", "frictionloss", "ref", "springref"] {
        if none(name) {
            item.carry(&[name]);
        }
    }
    if linear(damping) {
        item.carry(&["damping"]);
        joint.damping = if globals.off.dampers { 0.0 } else { damping[0] };
    }
    if matches!(joint.kind, Kind::Free | Kind::Ball) {
        return Some(joint);
    }
    joint.axis = item.direction("axis", [0.0, 0.0, 1.0])?;
    item.carry(&["axis", "ref"]);
    let angle = |x: f64| match globals.settings.degrees && joint.kind == Kind::Hinge {
        true => x.to_radians(),
        false => x,
    };
    joint.reference = angle(item.number("ref", 0.0)?);
    joint.spring_reference = angle(item.number("springref", 0.0)?);
    if linear(stiffness) {
        item.carry(&["stiffness", "springref"]);
        let rest = joint.spring_reference;
        joint.spring = (stiffness[0] > 0.0 && !globals.off.springs).then_some([stiffness[0], rest]);
    }
    let friction = item.number("frictionloss", 0.0)?;
    if friction > 0.0 {
        item.carry(&["frictionloss"]);
        joint.friction = if globals.off.friction { 0.0 } else { friction };
    }
    let limits = item.ends("limited", "range", &globals.settings)?;
    joint.limits = limits.map(|ends| ends.map(angle));
    joint.pull_range = item.ends("actuatorfrclimited", "actuatorfrcrange", &globals.settings)?;
    item.carry(&["actuatorfrcrange", "actuatorfrclimited"]);
    Some(joint)
}

fn zeros(text: &str) -> bool {
    text.split_whitespace().all(|word| word.parse() == Ok(0.0))
}

//! What acts on one side only: `limits = { … }` of a joint and `[[string]]`; `friction` and `effort_limit` of a body.
use super::{bodies::TreeBodies, laws::Laws, links::LinkEntry, parts::part_name, sites::Sites};
use crate::{Section, Unit};
use holonomy::tree::{ElasticString, JointForce, Link, OneSided, Stop};

/// Where nothing is said, both set in over this part of the way between the limits, or of the length of the string.
const SMOOTHING: f64 = 1e-3;

/// The speed below which dry friction is viscous, where nothing is said, rad/s or m/s.
const SLOW: f64 = 0.01;

/// Stiffness, damping and smoothing, of something of a size.
fn one_sided<'a>(
    section: &Section<'a>,
    laws: &Laws<'a>,
    size: Option<f64>,
    [length, stiffness, damping]: [Unit; 3],
) -> Option<OneSided> {
    let stiffness = laws.positive(section, "stiffness", stiffness);
    let damper = section.optional("damping").non_negative(damping);
    let smoothing = section.optional("smoothing").non_negative(length);
    let sound = damper.is_some() == section.has("damping") && smoothing.is_some() == section.has("smoothing");
    let damping = damper.as_ref().map_or(0.0, |c| c.value);
    if let Some(smoothing) = &smoothing
        && smoothing.value == 0.0
        && damping > 0.0
    {
        return section
            .problems()
            .error(
                smoothing.place.clone(),
                "with `smoothing = 0` the damper sets in with a jump, and steps across it are of first order",
            )
            .help("give a way over which it sets in, leave `smoothing` out, or leave `damping` out")
            .none();
    }
    let law = OneSided {
        stiffness: stiffness?.value,
        damping,
        smoothing: smoothing.map_or(SMOOTHING * size?, |way| way.value),
    };
    sound.then_some(law)
}

/// `limits = { from, to, stiffness, damping, smoothing }`.
pub(super) fn stop<'a>(joint: &Section<'a>, kind: &str, laws: &Laws<'a>) -> Option<Stop> {
    let section = joint.optional("limits").table()?;
    let units = match kind {
        "prismatic" => [Unit::METRE, Unit::NEWTON_PER_METRE, Unit::NEWTON_SECOND_PER_METRE],
        _ => [
            Unit::RADIAN,
            Unit::NEWTON_METRE_PER_RADIAN,
            Unit::NEWTON_METRE_SECOND_PER_RADIAN,
        ],
    };
    let from = section.required("from").number_in(units[0]);
    let to = section.required("to").number_in(units[0]);
    let way = from
        .as_ref()
        .zip(to.as_ref())
        .map(|(from, to)| to.value - from.value);
    let law = one_sided(&section, laws, way, units);
    let problems = section.problems();
    section.finish();
    let (from, to) = (from?, to?);
    if from.value >= to.value {
        return problems
            .error(to.place, "`to` is not beyond `from`")
            .help("write the smaller position as `from`: `limits = { from = -1, to = 1, stiffness = 1e4 }`")
            .none();
    }
    Some(Stop {
        limits: [from.value, to.value],
        law: law?,
    })
}

/// `friction` and `friction_velocity`; `None` if they are wrong.
pub(super) fn friction(body: &Section<'_>, kind: &str) -> Option<Option<JointForce>> {
    let speed = match kind {
        "prismatic" => Unit::METRE_PER_SECOND,
        _ => Unit::RADIAN_PER_SECOND,
    };
    let effort = body.optional("friction").non_negative(force(kind));
    let velocity = body.optional("friction_velocity").positive(speed);
    if effort.is_some() != body.has("friction") || velocity.is_some() != body.has("friction_velocity") {
        return None;
    }
    let Some(effort) = effort else {
        let Some(velocity) = velocity else {
            return Some(None);
        };
        return body
            .problems()
            .error(velocity.place, "`friction_velocity` without `friction`")
            .help("add `friction`, in N m or N, or remove it")
            .none();
    };
    Some((effort.value > 0.0).then(|| JointForce::Friction {
        effort: effort.value,
        velocity: velocity.map_or(SLOW, |velocity| velocity.value),
    }))
}

/// Unit of the effort of a joint.
fn force(kind: &str) -> Unit {
    match kind {
        "prismatic" => Unit::NEWTON,
        _ => Unit::NEWTON_METRE,
    }
}

/// `effort_limit`; `None` if it is wrong.
pub(super) fn limit(body: &Section<'_>, kind: &str) -> Option<Option<f64>> {
    let limit = body.optional("effort_limit").positive(force(kind));
    (limit.is_some() == body.has("effort_limit")).then(|| limit.map(|limit| limit.value))
}

/// `[[string]]`.
pub(super) fn read_strings<'a>(
    root: &Section<'a>,
    bodies: &TreeBodies,
    sites: &Sites,
    laws: &Laws<'a>,
) -> Vec<LinkEntry> {
    let mut all = Vec::new();
    for (index, section) in root.optional("string").tables().into_iter().enumerate() {
        let name = part_name(&section, "string", index);
        let place = section.place();
        let string = string(&section, bodies, sites, laws);
        section.finish();
        all.extend(string.map(|string| LinkEntry {
            name,
            link: Link::String(string),
            kind: "string",
            place,
        }));
    }
    all
}

fn string<'a>(
    section: &Section<'a>,
    bodies: &TreeBodies,
    sites: &Sites,
    laws: &Laws<'a>,
) -> Option<ElasticString> {
    let problems = section.problems();
    let through = section.required("through").references();
    let length = laws.positive(section, "length", Unit::METRE);
    let units = [Unit::METRE, Unit::NEWTON_PER_METRE, Unit::NEWTON_SECOND_PER_METRE];
    let law = one_sided(section, laws, length.as_ref().map(|length| length.value), units);
    let through = through?;
    let found = sites.resolve_all(&through.value, bodies, problems);
    if through.value.len() < 2 {
        return problems
            .error(through.place, "a string runs through 2 sites or more")
            .help("write `through = [\"hook\", \"load/ring\"]`")
            .none();
    }
    let found = found?;
    let body = |site: usize| sites.list[site].body;
    if found.iter().all(|site| body(*site) == body(found[0])) {
        return problems
            .error(
                through.place,
                "all sites of this string are on one body, or in the world",
            )
            .help("name sites of two bodies, or of a body and the world")
            .none();
    }
    Some(ElasticString {
        through: found,
        length: length?.value,
        law: law?,
    })
}

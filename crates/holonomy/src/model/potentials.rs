//! `[[potential]]`, by kind.
use super::{Section, Spanned, Unit, bodies, bodies::Bodies};
use crate::{
    Vec3,
    potential::{Bending, BendingLaw, Cotangent, Dipoles, Gravity, LennardJones, Pairs, Potential, Spring},
    spheres::Point,
    system::Base,
};
use std::ops::Range;

/// The potentials of a model and the points they act on.
#[derive(Default)]
pub(super) struct Potentials {
    pub(super) list: Vec<Box<dyn Potential>>,
    pub(super) spans: Vec<Range<usize>>,
    pub(super) points: Vec<Point>,
}

type Read = fn(&Section<'_>, &Bodies, &mut Vec<Point>) -> Option<Box<dyn Potential>>;

/// Every kind of potential and how it is read.
const KINDS: &[(&str, Read)] = &[
    ("gravity", gravity),
    ("spring", spring),
    ("bending", bending),
    ("dipoles", dipoles),
    ("lennard-jones", lennard_jones),
    ("cotangent", cotangent),
];

/// Reads all potentials. Without bodies only the kinds can be checked.
pub(super) fn read(root: &Section<'_>, bodies: Option<&Bodies>) -> Option<Potentials> {
    let mut all = Potentials::default();
    let mut ok = true;
    for section in root.optional("potential").tables() {
        let names: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
        let kind = section.required("kind").choice(&names);
        let read = kind.and_then(|kind| KINDS.iter().find(|(name, _)| *name == kind.value));
        let (Some((_, read)), Some(bodies)) = (read, bodies) else {
            ok = false;
            continue;
        };
        let span = section.span();
        match read(&section, bodies, &mut all.points) {
            Some(potential) => {
                all.list.push(potential);
                all.spans.push(span);
            }
            None => ok = false,
        }
        section.finish();
    }
    ok.then_some(all)
}

fn gravity(section: &Section<'_>, bodies: &Bodies, _: &mut Vec<Point>) -> Option<Box<dyn Potential>> {
    let acceleration: Vec3 = section
        .required("acceleration")
        .vector(Unit::METRE_PER_SECOND_SQUARED)?
        .value
        .into();
    let offset = -acceleration.dot(&bodies.anchored);
    Some(Box::new(Gravity {
        acceleration,
        weights: bodies.first_moments.clone(),
        offset,
    }))
}

/// Between two bodies, or between a body and a fixed `anchor`; `at` tells where on the links, from
/// their bases, and is their ends if left out.
fn spring(section: &Section<'_>, bodies: &Bodies, points: &mut Vec<Point>) -> Option<Box<dyn Potential>> {
    let problems = section.problems();
    let stiffness = section.required("stiffness").positive(Unit::NEWTON_PER_METRE);
    let length = section.required("rest_length").non_negative(Unit::METRE);
    let anchor = section.optional("anchor").vector(Unit::METRE);
    let between = section.required("between").references();
    let at = section.optional("at").numbers(Unit::METRE);
    let between = between?;
    let wanted = if section.has("anchor") { 1 } else { 2 };
    if between.value.len() != wanted {
        let message = format!(
            "a spring {} joins {wanted} {}",
            if wanted == 1 {
                "with an `anchor`"
            } else {
                "without an `anchor`"
            },
            if wanted == 1 { "body" } else { "bodies" }
        );
        return problems
            .error(between.span, message)
            .help("write `between = [\"a\", \"b\"]`, or `between = [\"a\"]` and `anchor = [x, y, z]`")
            .none();
    }
    let names = bodies.names();
    let members: Option<Vec<usize>> = between
        .value
        .iter()
        .map(|b| b.resolve("body", &names, problems))
        .collect::<Vec<_>>()
        .into_iter()
        .collect();
    let members = members?;
    if wanted == 2 && members[0] == members[1] {
        return problems
            .error(between.span, "a spring cannot join a body to itself")
            .none();
    }
    let at: Option<Spanned<Vec<f64>>> = match at {
        Some(at) if at.value.len() != wanted => {
            let message = format!(
                "`at` has {} numbers for {wanted} {}",
                at.value.len(),
                if wanted == 1 { "body" } else { "bodies" }
            );
            return problems.error(at.span, message).none();
        }
        Some(at) => Some(at),
        None if section.has("at") => return None,
        None => None,
    };
    let (stiffness, length) = (stiffness?.value, length?.value);
    if section.has("anchor") && anchor.is_none() {
        return None;
    }
    let mut ends = Vec::with_capacity(2);
    for (k, body) in members.into_iter().enumerate() {
        let distance = at.as_ref().map_or(bodies.bodies[body].length, |at| at.value[k]);
        ends.push(point(Point::On { body, distance }, points));
    }
    if let Some(anchor) = anchor {
        ends.push(point(Point::Fixed(anchor.value.into()), points));
    }
    let first = bodies.bodies.len();
    Some(Box::new(Spring {
        between: [first + ends[0], first + ends[1]],
        stiffness,
        length,
    }))
}

/// The number of a point in the list, which it joins if it is new.
fn point(point: Point, points: &mut Vec<Point>) -> usize {
    points
        .iter()
        .position(|known| *known == point)
        .unwrap_or_else(|| {
            points.push(point);
            points.len() - 1
        })
}

/// A joint at the base of every body that hangs on another, and with `clamp` at the fixed bases.
fn bending(section: &Section<'_>, bodies: &Bodies, _: &mut Vec<Point>) -> Option<Box<dyn Potential>> {
    let stiffness = section.required("stiffness").positive(Unit::NEWTON_METRE);
    let law = section.optional("law").choice(&["cosine", "quartic"]);
    if section.has("law") && law.is_none() {
        return None;
    }
    let clamp = section.optional("clamp").vector(Unit::NONE);
    let wall = match clamp {
        Some(clamp) => Some(bodies::unit(&clamp, "clamp", section.problems())?),
        None if section.has("clamp") => return None,
        None => None,
    };
    let stiffness = stiffness?.value;
    let (mut joints, mut clamps) = (Vec::new(), Vec::new());
    for (i, body) in bodies.bodies.iter().enumerate() {
        match (body.base, wall) {
            (Base::Site(parent), _) => joints.push([parent, i]),
            (Base::Fixed(_), Some(wall)) => clamps.push((wall, i)),
            (Base::Fixed(_), None) => {}
        }
    }
    if joints.is_empty() && clamps.is_empty() {
        return section
            .error("there is nothing to bend: no body hangs on another")
            .help("give bodies a `parent`, use `[chain]`, or add `clamp = [x, y, z]`")
            .none();
    }
    let law = match law.map_or("cosine", |law| law.value) {
        "quartic" => BendingLaw::Quartic,
        _ => BendingLaw::Cosine,
    };
    Some(Box::new(Bending {
        joints,
        clamps,
        stiffness,
        law,
    }))
}

fn dipoles(section: &Section<'_>, bodies: &Bodies, _: &mut Vec<Point>) -> Option<Box<dyn Potential>> {
    let moment = section.required("moment").number(Unit::AMPERE_METRE_SQUARED);
    let mut pivots = Vec::with_capacity(bodies.bodies.len());
    for body in &bodies.bodies {
        let Base::Fixed(pivot) = body.base else {
            let message = format!(
                "dipoles turn about fixed pivots, but `{}` hangs on another body",
                body.name
            );
            return section
                .error(message)
                .help("give every body a `pivot` and no `parent`")
                .none();
        };
        pivots.push(pivot);
    }
    for (i, a) in pivots.iter().enumerate() {
        if let Some(j) = pivots[..i].iter().position(|b| a == b) {
            let names = bodies.names();
            let message = format!("`{}` and `{}` have the same pivot", names[j], names[i]);
            return section
                .error(message)
                .help("dipoles need different places: set their `pivot`")
                .none();
        }
    }
    /// Of the vacuum, N/A².
    const PERMEABILITY: f64 = 4e-7 * std::f64::consts::PI;
    let moments = vec![moment?.value; pivots.len()];
    Some(Box::new(Dipoles::new(&pivots, &moments, PERMEABILITY)))
}

fn lennard_jones(section: &Section<'_>, bodies: &Bodies, _: &mut Vec<Point>) -> Option<Box<dyn Potential>> {
    let epsilon = section.required("epsilon").positive(Unit::JOULE);
    let sigma = section.required("sigma").positive(Unit::METRE);
    let radius = on_one_sphere(section, bodies)?;
    let law = LennardJones {
        epsilon: epsilon?.value,
        sigma: sigma?.value,
        radius,
    };
    Some(Box::new(Pairs {
        law,
        count: bodies.bodies.len(),
    }))
}

fn cotangent(section: &Section<'_>, bodies: &Bodies, _: &mut Vec<Point>) -> Option<Box<dyn Potential>> {
    let strength = section.required("strength").number(Unit::JOULE);
    on_one_sphere(section, bodies)?;
    Some(Box::new(Pairs {
        law: Cotangent {
            strength: strength?.value,
        },
        count: bodies.bodies.len(),
    }))
}

/// The radius of the sphere that all bodies move on.
fn on_one_sphere(section: &Section<'_>, bodies: &Bodies) -> Option<f64> {
    let first = &bodies.bodies[0];
    match bodies
        .bodies
        .iter()
        .find(|b| b.base != first.base || b.length != first.length)
    {
        None if matches!(first.base, Base::Fixed(_)) => Some(first.length),
        other => {
            let name = &other.unwrap_or(first).name;
            let message = format!("bodies must move on one sphere, but `{name}` has another base or length");
            section
                .error(message)
                .help("give all bodies the same `pivot` and `length`, and no `parent`")
                .none()
        }
    }
}

//! `[[potential]]`, by kind.
pub(super) mod formula;
mod pairs;

use super::{Located, Place, Section, bodies, bodies::Bodies, given_functions};
use holonomy::{
    Vec3,
    potential::{Bending, BendingLaw, Dipoles, GivenPotential, Gravity, Potential, Spring},
    spheres::Point,
    system::Base,
};

/// The potentials of a model and the points they act on.
#[derive(Default)]
pub(super) struct Potentials {
    pub(super) list: Vec<Box<dyn Potential>>,
    pub(super) places: Vec<Place>,
    pub(super) kinds: Vec<&'static str>,
    pub(super) points: Vec<Point>,
}

/// Reads one kind. All its keys are read before it asks for [`sound`] bodies.
type Read = fn(&Section<'_>, Option<&Bodies>, &mut Vec<Point>) -> Option<Box<dyn Potential>>;

/// Every kind of potential and how it is read.
const KINDS: &[(&str, Read)] = &[
    ("gravity", gravity),
    ("spring", spring),
    ("bending", bending),
    ("dipoles", dipoles),
    ("lennard-jones", pairs::lennard_jones),
    ("cotangent", pairs::cotangent),
    ("pairs", pairs::formula),
    ("formula", formula::read),
    ("given", given),
];

/// The kinds of potentials.
pub(super) fn kinds() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|(name, _)| *name)
}

/// Reads all potentials. Without bodies only their keys can be checked.
pub(super) fn read(root: &Section<'_>, bodies: Option<&Bodies>) -> Option<Potentials> {
    let mut all = Potentials::default();
    let mut ok = true;
    let names: Vec<&str> = kinds().collect();
    for section in root.optional("potential").tables() {
        let kind = section.required("kind").choice_of("kind of potential", &names);
        let Some((kind, read)) = kind.and_then(|kind| KINDS.iter().find(|(name, _)| *name == kind.value))
        else {
            ok = false;
            section.finish_unread();
            continue;
        };
        let place = section.value_place("energy").unwrap_or_else(|| section.place());
        match read(&section, bodies, &mut all.points) {
            Some(potential) => {
                all.list.push(potential);
                all.places.push(place);
                all.kinds.push(kind);
            }
            None => ok = false,
        }
        section.finish();
    }
    ok.then_some(all)
}

/// Of the ends of bodies, in their order.
fn given(
    section: &Section<'_>,
    bodies: Option<&Bodies>,
    points: &mut Vec<Point>,
) -> Option<Box<dyn Potential>> {
    let function = given_functions::named(section);
    let named = section.required("points").references()?;
    let names = bodies?.names();
    let members: Vec<Option<usize>> = (named.value.iter())
        .map(|body| body.resolve("body", &names, section.problems()))
        .collect();
    let members: Vec<usize> = members.into_iter().collect::<Option<_>>()?;
    let bodies = sound(bodies)?;
    let first = bodies.bodies.len();
    let place = |body: usize| {
        let distance = bodies.bodies[body].length;
        first + point(Point::On { body, distance }, points)
    };
    let members = members.into_iter().map(place).collect();
    Some(Box::new(GivenPotential::new(function?, members)))
}

/// The bodies, if more than their names can be relied on.
fn sound(bodies: Option<&Bodies>) -> Option<&Bodies> {
    bodies.filter(|bodies| bodies.sound)
}

fn gravity(section: &Section<'_>, bodies: Option<&Bodies>, _: &mut Vec<Point>) -> Option<Box<dyn Potential>> {
    let acceleration = section.required("acceleration").vector();
    let bodies = sound(bodies)?;
    let acceleration: Vec3 = acceleration?.value.into();
    Some(Box::new(Gravity::on(acceleration, &bodies.bodies)))
}

/// Between two bodies, or between a body and a fixed `anchor`; `at` tells where on the links, from
/// their bases, and is their ends if left out.
fn spring(
    section: &Section<'_>,
    bodies: Option<&Bodies>,
    points: &mut Vec<Point>,
) -> Option<Box<dyn Potential>> {
    let problems = section.problems();
    let stiffness = section.required("stiffness").number();
    let length = section.required("rest_length").number();
    let anchor = section.optional("anchor").vector();
    let between = section.required("between").references();
    let at = section.optional("at").numbers();
    let between = between?;
    let wanted = if section.has("anchor") { 1 } else { 2 };
    let given = between.value.len();
    if given != wanted {
        let help = "write `between = [\"a\", \"b\"]`, or `between = [\"a\"]` and `anchor = [x, y, z]`";
        return match (given, wanted) {
            (_, 1) => problems.error(
                between.place,
                format!("a spring with an `anchor` joins 1 body, got {given}"),
            ),
            (1, _) => {
                let message = "a spring joins 2 bodies, or 1 body and an `anchor`; got 1 body";
                section.lacks(&["anchor"], between.place, message)
            }
            _ => problems.error(between.place, format!("a spring joins 2 bodies, got {given}")),
        }
        .help(help)
        .none();
    }
    if let Some(at) = at.as_ref().filter(|at| at.value.len() != wanted) {
        let (numbers, bodies) = match wanted {
            1 => ("1 number", "1 body"),
            _ => ("2 numbers", "2 bodies"),
        };
        problems
            .error(
                at.place.clone(),
                format!("`at` must be {numbers} for {bodies}, got {}", at.value.len()),
            )
            .help("give the distance from the base of each body in `between`, in their order");
        return None;
    }
    let names = bodies?.names();
    let members: Vec<Option<usize>> = between
        .value
        .iter()
        .map(|b| b.resolve("body", &names, problems))
        .collect();
    let members: Vec<usize> = members.into_iter().collect::<Option<_>>()?;
    if wanted == 2 && members[0] == members[1] {
        return problems
            .error(between.place, "a spring cannot join a body to itself")
            .help("name two bodies, or one body and an `anchor = [x, y, z]`")
            .none();
    }
    let bodies = sound(bodies)?;
    if (section.has("anchor") && anchor.is_none()) || (section.has("at") && at.is_none()) {
        return None;
    }
    let (stiffness, length) = (stiffness?.value, length?.value);
    let mut ends = Vec::with_capacity(2);
    let mut places = Vec::with_capacity(2);
    for (k, body) in members.into_iter().enumerate() {
        let reach = bodies.bodies[body].length;
        let distance = match &at {
            Some(at) => on_link(&at.value[k], body, bodies, section)?,
            None => reach,
        };
        ends.push(point(Point::On { body, distance }, points));
        places.push(bodies.place(body, distance));
    }
    if let Some(anchor) = anchor {
        ends.push(point(Point::Fixed(anchor.value.into()), points));
        places.push(anchor.value.into());
    }
    if length > 0.0 && (places[0] - places[1]).norm() <= 1e-9 * length {
        return problems
            .error(
                between.place,
                "the ends of this spring are at the same place at the start, so it has no direction",
            )
            .help("move them apart, or set `rest_length = 0`")
            .none();
    }
    let first = bodies.bodies.len();
    Some(Box::new(Spring {
        between: [first + ends[0], first + ends[1]],
        stiffness,
        length,
    }))
}

/// A distance from the base of a body that lies on it.
pub(super) fn on_link(
    distance: &Located<f64>,
    body: usize,
    bodies: &Bodies,
    section: &Section<'_>,
) -> Option<f64> {
    let reach = bodies.bodies[body].length;
    let least = if bodies.is_needle(body) { -reach } else { 0.0 };
    let slack = 1e-9 * reach;
    if (least - slack..=reach + slack).contains(&distance.value) {
        return Some(distance.value);
    }
    let name = &bodies.bodies[body].name;
    section
        .problems()
        .error(
            distance.place.clone(),
            format!("`{name}` has no point at {} m from its base", distance.value),
        )
        .help(format!("it reaches from {least} m to {reach} m"))
        .none()
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
fn bending(section: &Section<'_>, bodies: Option<&Bodies>, _: &mut Vec<Point>) -> Option<Box<dyn Potential>> {
    let stiffness = section.required("stiffness").number();
    let law = section.optional("law").choice();
    let clamp = section.optional("clamp").vector();
    let wall = clamp.and_then(|clamp| bodies::unit(&clamp, "clamp", section.problems()));
    if (section.has("law") && law.is_none()) || (section.has("clamp") && wall.is_none()) {
        return None;
    }
    let bodies = sound(bodies)?;
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
            .lacks(
                &["clamp"],
                section.place(),
                "there is nothing to bend: no body hangs on another",
            )
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
        stiffness: stiffness?.value,
        law,
    }))
}

fn dipoles(section: &Section<'_>, bodies: Option<&Bodies>, _: &mut Vec<Point>) -> Option<Box<dyn Potential>> {
    let moment = section.required("moment").number();
    let bodies = sound(bodies)?;
    enough_but_not_too_many(section, bodies, MOST_DIPOLES, "")?;
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

/// Pairs of dipoles are kept in memory, 48 bytes each.
const MOST_DIPOLES: usize = 4_000;

/// Potentials between all pairs need some, and cannot have too many; `more` says how there can be more.
fn enough_but_not_too_many(section: &Section<'_>, bodies: &Bodies, most: usize, more: &str) -> Option<()> {
    let count = bodies.bodies.len();
    if count == 1 {
        let message = "this potential does nothing: there is only one body";
        section.problems().note(section.place(), message);
    }
    if count <= most {
        return Some(());
    }
    section
        .error(format!(
            "{count} bodies are too many for a potential between all pairs"
        ))
        .help(format!("at most {most} are possible{more}"))
        .none()
}

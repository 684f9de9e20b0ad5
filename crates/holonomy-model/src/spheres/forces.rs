//! `[[damper]]` and `[[force]]` of bodies on spheres: what has no potential.
use crate::{
    Place, Section,
    bodies::Bodies,
    lagrangian::texts::understood,
    potentials::{formula::sight, on_link},
};
use holonomy::{
    Vec3,
    formula::{Formula, FormulaError, Kind, Scope},
    spheres::{Damping, Seen, SphereAct, SphereForce, SphereLaw, Spheres},
    system::Base,
};

/// Forces, and where they are written.
#[derive(Default)]
pub(super) struct Forces {
    pub(super) list: Vec<SphereForce>,
    pub(super) places: Vec<Place>,
}

/// Reads all of them. Without bodies only their keys can be checked.
pub(super) fn read(root: &Section<'_>, bodies: Option<&Bodies>) -> Option<Forces> {
    let mut all = Forces::default();
    let mut ok = true;
    for section in root.optional("damper").tables() {
        match damper(&section, bodies) {
            Some(force) => {
                all.list.push(force);
                all.places.push(section.place());
            }
            None => ok = false,
        }
        section.finish();
    }
    for (number, section) in root.optional("force").tables().into_iter().enumerate() {
        match force(&section, number, bodies) {
            Some(force) => {
                all.list.push(force);
                all.places.push(section.place());
            }
            None => ok = false,
        }
        section.finish();
    }
    ok.then_some(all)
}

fn damper(section: &Section<'_>, bodies: Option<&Bodies>) -> Option<SphereForce> {
    let (one, has_one) = (section.optional("body").reference(), section.has("body"));
    let relative = section.optional("relative").boolean();
    let has_relative = section.has("relative");
    let coefficient = section.required("damping").number();
    let bodies = bodies?;
    let body = one.and_then(|one| one.resolve("body", &bodies.names(), section.problems()));
    if body.is_some() != has_one || relative.is_some() != has_relative {
        return None;
    }
    let coefficient = coefficient?.value;
    let bodies = bodies.sound.then_some(&bodies.bodies)?;
    let relative = relative.is_some_and(|relative| relative.value);
    let of = |body: usize| Damping {
        body,
        against: match bodies[body].base {
            Base::Site(parent) if relative => Some(parent),
            _ => None,
        },
        coefficient,
    };
    let what = if relative { "joint damper" } else { "damper" };
    Some(match body {
        Some(body) => SphereForce {
            name: format!("{what} {}", bodies[body].name),
            act: SphereAct::Damper(vec![of(body)]),
        },
        None => SphereForce {
            name: format!("{what}s"),
            act: SphereAct::Damper((0..bodies.len()).map(of).collect()),
        },
    })
}

fn force(section: &Section<'_>, number: usize, bodies: Option<&Bodies>) -> Option<SphereForce> {
    let problems = section.problems();
    let (name, has_name) = (section.optional("name").name(), section.has("name"));
    let body = section.required("body").reference();
    let (at, has_at) = (section.optional("at").number(), section.has("at"));
    let [force, torque] = ["force", "torque"].map(|key| (section.has(key), section.optional(key).formulas()));
    let is_force = force.0;
    let given = match (force, torque) {
        ((true, _), (true, _)) => problems
            .error(
                section.key_place("torque").unwrap_or_else(|| section.place()),
                "both `force` and `torque` say what acts",
            )
            .help("keep one of them; two sections may act on the same body")
            .none(),
        ((false, _), (false, _)) => section
            .lacks(&["force", "torque"], section.place(), "nothing says what acts")
            .help("add `force = [\"…\", \"…\", \"…\"]` in N, or `torque` in N m")
            .none(),
        ((true, given), _) | (_, (_, given)) => given,
    };
    if let Some(place) = section.key_place("at").filter(|_| !is_force) {
        problems
            .error(place, "a torque acts on the whole body")
            .help("remove `at`, or give a `force`");
        return None;
    }
    let seen = sight(section, bodies, declare, "", "");
    let bodies = bodies?;
    let body = body.and_then(|body| body.resolve("body", &bodies.names(), problems));
    let (seen, given) = (seen?, given?);
    let mut components = Vec::new();
    for text in &given.value {
        components.push(understood(text, "force", None, &seen.meanings, problems));
    }
    let components: Vec<_> = components.into_iter().collect::<Option<_>>()?;
    let formulas: Vec<&Formula> = components.iter().map(|written| &written.formula).collect();
    if (has_name && name.is_none()) || (has_at && at.is_none()) {
        return None;
    }
    let places = bodies.sound.then(|| seen.places(bodies, section))??;
    let body = body?;
    let distance = match &at {
        Some(at) => on_link(at, body, bodies, section)?,
        None => bodies.bodies[body].length,
    };
    let key = if is_force { "force" } else { "torque" };
    let Some(law) = SphereLaw::new(&formulas, |vector| what_is_seen(bodies, places[vector])) else {
        let count: usize = formulas
            .iter()
            .map(|f| if f.kind() == Kind::Vector { 3 } else { 1 })
            .sum();
        return problems
            .error(
                given.place,
                format!("`{key}`: expected 3 components, got {count}"),
            )
            .help(format!("write `{key} = [\"…\", \"…\", \"…\"]`"))
            .none();
    };
    let name = name.map_or_else(|| format!("force-{}", number + 1), |name| name.value.to_owned());
    Some(SphereForce {
        name: format!("{key} {name}"),
        act: match is_force {
            true => SphereAct::Force { body, distance, law },
            false => SphereAct::Torque { body, law },
        },
    })
}

/// Makes a vector known by a name, with its rate; and time.
fn declare(scope: &mut Scope, name: &str, vector: usize) -> Result<(), FormulaError> {
    scope.time(SphereLaw::TIME);
    let [slot, rate] = SphereLaw::slots(vector);
    scope.coordinate(name, Kind::Vector, slot, rate)
}

/// A direction, or a place: the base of the first link, and all links on the way.
fn what_is_seen(bodies: &Bodies, (body, distance): (usize, Option<f64>)) -> Seen {
    let Some(distance) = distance else {
        return Spheres::direction_seen(body);
    };
    let mut parts = vec![(body, distance)];
    let mut base = bodies.bodies[body].base;
    while let Base::Site(parent) = base {
        parts.push((parent, bodies.bodies[parent].length));
        base = bodies.bodies[parent].base;
    }
    Seen {
        base: match base {
            Base::Fixed(base) => base,
            Base::Site(_) => Vec3::zeros(),
        },
        parts,
    }
}

//! `[[constraint]]`, by kind.
mod joints;

use super::{
    bodies::TreeBodies,
    joint::direction,
    laws::Laws,
    pulleys::{self, Pulleys},
    rotation,
    sites::Sites,
};
use crate::{Located, Place, Reference, Section, Unit, parse_quantity, spec::TreeConstraint};
use holonomy::{
    Vec3,
    tree::{Attitude, ClosingJoint, Constraint, Length, Route, Waypoint},
};

/// A constraint, what it is called, and where it is written.
pub(super) struct ConstraintEntry {
    pub(super) name: String,
    pub(super) place: Place,
    pub(super) words: String,
    pub(super) constraint: Constraint,
}

pub(super) fn read<'a>(
    root: &Section<'a>,
    bodies: &TreeBodies,
    (sites, pulleys): (&Sites, &Pulleys),
    laws: &Laws<'a>,
) -> Vec<ConstraintEntry> {
    let mut all: Vec<ConstraintEntry> = Vec::new();
    let kinds = TreeConstraint::SECTION.kinds.iter();
    let kinds: Vec<&str> = kinds.map(|(kind, _)| *kind).collect();
    for (index, section) in root.optional("constraint").tables().into_iter().enumerate() {
        let problems = section.problems();
        let given = section.optional("name").name();
        let kind = section.required("kind").choice_of("kind of constraint", &kinds);
        let name = match &given {
            Some(given) => given.value.to_owned(),
            None => format!("constraint-{}", index + 1),
        };
        if let Some(given) = given.filter(|given| all.iter().any(|entry| entry.name == given.value)) {
            problems
                .error(
                    given.place,
                    format!("there are two constraints named `{}`", given.value),
                )
                .help("give one of them another name");
        }
        let Some(kind) = kind else {
            section.finish_unread();
            continue;
        };
        let made = match kind.value {
            "coincide" => coincide(&section, bodies, sites),
            "distance" => distance(&section, bodies, sites, laws),
            "plane" => plane(&section, bodies, sites),
            "orientation" => orientation(&section, bodies),
            "weld" => weld(&section, bodies, sites),
            "coupling" => coupling(&section, bodies),
            "hinge" => joints::closing(&section, bodies, sites, ClosingJoint::Hinge),
            "universal" => joints::closing(&section, bodies, sites, ClosingJoint::Universal),
            "cylindrical" => joints::closing(&section, bodies, sites, ClosingJoint::Cylindrical),
            "rolling" => joints::rolling(&section, bodies, sites),
            "blade" => joints::blade(&section, bodies, sites),
            _ => cable(&section, bodies, (sites, pulleys), laws),
        };
        let place = section.place();
        section.finish();
        for constraint in made.into_iter().flatten() {
            all.push(ConstraintEntry {
                name: name.clone(),
                place: place.clone(),
                words: kind.value.to_owned(),
                constraint,
            });
        }
    }
    all
}

fn coincide(section: &Section<'_>, bodies: &TreeBodies, sites: &Sites) -> Option<Vec<Constraint>> {
    let between = sites.between(section, bodies);
    let given = section.optional("directions").vectors();
    let directions = match given {
        None if section.has("directions") => return None,
        None => vec![Vec3::x(), Vec3::y(), Vec3::z()],
        Some(given) => {
            let vectors: Vec<Vec3> = given.value.iter().map(|v| Vec3::from(*v)).collect();
            let unit: Vec<Vec3> = vectors.iter().filter_map(|v| v.try_normalize(0.0)).collect();
            if unit.len() != vectors.len() || !independent(&unit) {
                return section
                    .problems()
                    .error(given.place, "`directions` are not one to three independent vectors")
                    .help("leave it out for all three, or write `directions = [[1, 0, 0], [0, 0, 1]]` for a plane mechanism")
                    .none();
            }
            unit
        }
    };
    Some(vec![Constraint::Coincidence {
        between: between?,
        directions,
    }])
}

fn independent(unit: &[Vec3]) -> bool {
    match unit {
        [a] => a.iter().all(|x| x.is_finite()),
        [a, b] => a.cross(b).norm() > 1e-9,
        [a, b, c] => a.cross(b).dot(c).abs() > 1e-9,
        _ => false,
    }
}

fn distance<'a>(
    section: &Section<'a>,
    bodies: &TreeBodies,
    sites: &Sites,
    laws: &Laws<'a>,
) -> Option<Vec<Constraint>> {
    let between = sites.between(section, bodies);
    let length = length(section, laws);
    let (between, length) = (between?, length?);
    Some(vec![match goes_slack(section) {
        true => Constraint::Tether {
            through: between.to_vec(),
            length,
        },
        false => Constraint::Distance { between, length },
    }])
}

fn goes_slack(section: &Section<'_>) -> bool {
    let slack = section.optional("slack").boolean();
    slack.is_some_and(|slack| slack.value)
}

/// A length: a number, a quantity, a formula of parameters and `t`, or a table of times and values.
fn length<'a>(section: &Section<'a>, laws: &Laws<'a>) -> Option<Length> {
    let key = "length";
    let text = section.text(key).unwrap_or_default();
    let changes = parse_quantity(text, Unit::METRE).is_err() && text.contains('t');
    let constant = laws.is_formula(text, Unit::METRE) && !has_time(text);
    let motion = match () {
        () if constant => return Some(Length::Fixed(laws.positive(section, key, Unit::METRE)?.value)),
        () if changes || section.is_table(key) || laws.is_formula(text, Unit::METRE) => {
            laws.driven(section, key, Unit::METRE)?
        }
        () => return Some(Length::Fixed(section.required(key).positive(Unit::METRE)?.value)),
    };
    let start = motion(laws.start).0;
    if start > 0.0 {
        return Some(Length::Driven(motion));
    }
    let place = section.value_place(key).unwrap_or_else(|| section.place());
    let message = format!("`length` must be positive, but at the start it is {start} m");
    section
        .problems()
        .error(place, message)
        .help("change the formula, the table, or the parameters")
        .none()
}

/// Whether a formula uses the time.
fn has_time(text: &str) -> bool {
    let mut words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    words.any(|word| word == "t")
}

fn plane(section: &Section<'_>, bodies: &TreeBodies, sites: &Sites) -> Option<Vec<Constraint>> {
    let problems = section.problems();
    let site = section.required("site").reference();
    let on = section.required("on").reference();
    let normal = section.required("normal").vector();
    let normal = normal.and_then(|normal| direction(&normal, "normal", section));
    let [site, on] = [site, on].map(|given| given.and_then(|given| sites.resolve(&given, bodies, problems)));
    Some(vec![Constraint::Plane {
        site: site?,
        on: on?,
        normal: normal?,
    }])
}

fn orientation(section: &Section<'_>, bodies: &TreeBodies) -> Option<Vec<Constraint>> {
    let problems = section.problems();
    let body = section.required("body").reference();
    let against = section.optional("against").reference();
    let relative = rotation::read(section, "turned");
    let to = body.and_then(|body| body.resolve("body", &bodies.names(), problems));
    let from = match against {
        Some(against) => bodies.resolve(&against, problems)?,
        None => None,
    };
    Some(vec![Constraint::Orientation {
        from,
        to: to?,
        relative: Attitude::Fixed(relative?),
    }])
}

/// Points that coincide, on bodies that are turned alike.
fn weld(section: &Section<'_>, bodies: &TreeBodies, sites: &Sites) -> Option<Vec<Constraint>> {
    let between = sites.between(section, bodies);
    let relative = rotation::read(section, "turned");
    let (between, relative) = (between?, relative?);
    let (from, to, relative) = match between.map(|site| sites.list[site].body) {
        [from, Some(to)] => (from, to, relative),
        [Some(to), None] => (None, to, relative.inverse()),
        [None, None] => return None,
    };
    let (directions, relative) = (vec![Vec3::x(), Vec3::y(), Vec3::z()], Attitude::Fixed(relative));
    Some(vec![
        Constraint::Coincidence { between, directions },
        Constraint::Orientation { from, to, relative },
    ])
}

fn coupling(section: &Section<'_>, bodies: &TreeBodies) -> Option<Vec<Constraint>> {
    let problems = section.problems();
    let mut terms = Vec::new();
    for term in section.required("terms").tables() {
        let body = term.required("body").reference();
        let factor = term.required("factor").number();
        let coordinate = term.optional("coordinate").count();
        term.finish();
        let body = body.and_then(|body| body.resolve("body", &bodies.names(), problems));
        let coordinate = coordinate.map_or(0, |k| k.value - 1);
        terms.push((|| Some((body?, coordinate, factor?.value)))());
    }
    let constant = section.optional("constant").number();
    let terms: Vec<_> = terms.into_iter().collect::<Option<_>>()?;
    if terms.is_empty() {
        if section.is_array("terms") {
            section.error("the coupling has no terms").help(
                "give one or more, the sum of whose factors times coordinates is the constant: `terms = [{ body = \"a\", factor = 2 }, { body = \"b\", factor = -1 }]`",
            );
        }
        return None;
    }
    Some(vec![Constraint::Coupling {
        terms,
        constant: constant.map_or(0.0, |constant| constant.value),
    }])
}

fn cable<'a>(
    section: &Section<'a>,
    bodies: &TreeBodies,
    (sites, pulleys): (&Sites, &Pulleys),
    laws: &Laws<'a>,
) -> Option<Vec<Constraint>> {
    let problems = section.problems();
    let through = section.required("through").references();
    let over = |reference: &Located<Reference<'_>>| pulleys::named(pulleys, reference).is_some();
    let runs_over = (through.iter().flat_map(|list| &list.value)).any(over);
    let slack = goes_slack(section);
    let given = !runs_over || section.has("length");
    let length = if given { Some(length(section, laws)) } else { None };
    let through = through?;
    let stops = through.value.iter();
    let stops = stops.map(|reference| pulleys::stop(pulleys, sites, reference, bodies, problems));
    let stops: Vec<Option<Waypoint>> = stops.collect();
    if through.value.len() < 2 {
        return problems
            .error(through.place, "a cable runs through 2 sites or more")
            .help("write `through = [\"winch\", \"pulley\", \"load/hook\"]`")
            .none();
    }
    let stops: Vec<Waypoint> = stops.into_iter().collect::<Option<_>>()?;
    let name = |k: usize| stops[k].pulley.as_ref().map(|pulley| &pulley.name);
    for k in 0..stops.len() {
        let Some(twice) = name(k).filter(|twice| (0..k).any(|j| name(j) == Some(twice))) else {
            continue;
        };
        let message = format!("the cable runs over pulley `{twice}` twice");
        return problems
            .error(through.value[k].place.clone(), message)
            .help("add another `[[pulley]]` there")
            .none();
    }
    let length = match length {
        Some(length) => Some(length?),
        None => None,
    };
    Some(vec![match (runs_over, length) {
        (false, Some(length)) => {
            let through = stops.iter().map(|stop| stop.site).collect();
            match slack {
                true => Constraint::Tether { through, length },
                false => Constraint::Cable { through, length },
            }
        }
        (_, length) => {
            let mut route = Route::new(stops, length);
            route.slack = slack;
            Constraint::Route(route)
        }
    }])
}

//! `[[pulley]]`: circles that cables run over.
use super::{bodies::TreeBodies, joint::direction, sites::Sites};
use crate::{Located, Problems, Reference, Section, Unit};
use holonomy::{
    Vec3,
    tree::{Pulley, Sheave, Side, Waypoint},
};

/// Pulleys by their names; none where one was not understood.
pub(super) type Pulleys = Vec<(String, Option<Waypoint>)>;

pub(super) fn read(root: &Section<'_>, bodies: &TreeBodies, sites: &mut Sites) -> Pulleys {
    let mut all = Pulleys::new();
    for section in root.optional("pulley").tables() {
        let problems = section.problems();
        let name = section.required("name").name();
        let radius = section.required("radius").positive(Unit::METRE);
        let body = section.optional("body").reference();
        let site = section.optional("site").reference();
        let axis = section.optional("axis").vector();
        let swivel = section
            .optional("swivel")
            .boolean()
            .is_some_and(|given| given.value);
        let side = section.optional("side").choice();
        let has_side = section.holds("side");
        let place = section.place();
        let axis = axis.map(|axis| direction(&axis, "axis", &section));
        let one = |report: &str, help: &str| {
            problems
                .error(place.clone(), report.to_owned())
                .help(help.to_owned());
        };
        let held = match (body, site, axis, swivel) {
            (Some(body), None, None, false) => {
                let found = body.resolve("body", &bodies.names(), problems);
                found.map(|body| (centre(body, sites), Sheave::Turning))
            }
            (None, Some(site), Some(axis), false) => {
                let found = sites.resolve(&site, bodies, problems);
                found.zip(axis).map(|(site, axis)| (site, Sheave::Sliding(axis)))
            }
            (None, Some(site), None, true) => {
                let found = sites.resolve(&site, bodies, problems);
                found.map(|site| (site, Sheave::Swivel))
            }
            (None, Some(_), None, false) => {
                one(
                    "the pulley has no axis",
                    "write `axis = [0, 1, 0]`, or `swivel = true` for one that turns to the cable",
                );
                None
            }
            _ => {
                one(
                    "a pulley is a `body`, or has its centre at a `site` with an `axis` or `swivel = true`",
                    "write `body = \"wheel\"` if the cable turns it, or `site = \"jib/tip\"` and `axis` if it slides",
                );
                None
            }
        };
        if !swivel && !has_side {
            section
                .lacks(&["side"], place.clone(), "the pulley does not say on which side the cable runs")
                .help("write `side = \"over\"`, `\"under\"`, or, seen with the axis towards you, `\"left\"` or `\"right\"`");
        }
        section.finish();
        let side = match side.map(|side| side.value) {
            Some("under") => Side::Under,
            Some("left") => Side::Left,
            Some("right") => Side::Right,
            _ => Side::Over,
        };
        let Some(name) = name else { continue };
        if all.iter().any(|(other, _)| other == name.value) {
            problems
                .error(
                    name.place.clone(),
                    format!("there are two pulleys named `{}`", name.value),
                )
                .help("give one of them another name");
        }
        let stop = radius.zip(held).map(|(radius, (site, sheave))| {
            let pulley = Pulley {
                name: name.value.to_owned(),
                radius: radius.value,
                sheave,
                side,
            };
            Waypoint {
                site,
                pulley: Some(pulley),
            }
        });
        all.push((name.value.to_owned(), stop));
    }
    all
}

/// The site at the origin of a body: one that is there, or a new one.
fn centre(body: usize, sites: &mut Sites) -> usize {
    let there = |site: &holonomy::tree::Site| site.body == Some(body) && site.position == Vec3::zeros();
    sites.list.iter().position(there).unwrap_or_else(|| {
        let taken = |name: &str| {
            let mut own = sites.list.iter().filter(|site| site.body == Some(body));
            own.any(|site| site.name == name)
        };
        let mut name = "centre".to_owned();
        while taken(&name) {
            name.push('_');
        }
        sites
            .list
            .push(holonomy::tree::Site::on(body, name, Vec3::zeros()));
        sites.list.len() - 1
    })
}

/// The pulley that a cable names.
pub(super) fn named<'p>(
    pulleys: &'p Pulleys,
    reference: &Located<Reference<'_>>,
) -> Option<&'p Option<Waypoint>> {
    let Reference::Name(given) = reference.value else {
        return None;
    };
    let found = pulleys.iter().find(|(name, _)| name == given);
    found.map(|(_, stop)| stop)
}

/// What a cable runs through: a pulley, or a site.
pub(super) fn stop(
    pulleys: &Pulleys,
    sites: &Sites,
    reference: &Located<Reference<'_>>,
    bodies: &TreeBodies,
    problems: &Problems,
) -> Option<Waypoint> {
    if let Some(found) = named(pulleys, reference) {
        return found.clone();
    }
    if let (Reference::Name(given), false) = (&reference.value, pulleys.is_empty()) {
        let names = bodies.names();
        let paths: Vec<String> = (0..sites.list.len()).map(|k| sites.path(k, &names)).collect();
        let own = sites.list.iter().map(|site| site.name.as_str());
        let known = pulleys.iter().map(|(name, _)| name.as_str());
        let known: Vec<&str> = known.chain(paths.iter().map(String::as_str)).collect();
        if !known.contains(given) && !own.into_iter().any(|name| name == *given) {
            let message = format!("there is no site or pulley named `{given}`");
            let report = problems.error(reference.place.clone(), message);
            return report.suggest(given, known).none();
        }
    }
    sites.resolve(reference, bodies, problems).map(Waypoint::point)
}

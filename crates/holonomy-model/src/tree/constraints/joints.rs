//! Joints that close loops, what rolls, and blades.
use crate::{
    Section, Unit,
    tree::{bodies::TreeBodies, joint::direction, sites::Sites},
};
use holonomy::{
    Vec3,
    tree::{Blade, Closing, ClosingJoint, Constraint, Rolling},
};

fn vector(section: &Section<'_>, key: &'static str) -> Option<Vec3> {
    let given = section.required(key).vector()?;
    direction(&given, key, section)
}

/// The vector if there is one; `None` if it is wrong.
fn optional_vector(section: &Section<'_>, key: &'static str) -> Option<Option<Vec3>> {
    match section.has(key) {
        true => Some(Some(vector(section, key)?)),
        false => Some(None),
    }
}

pub(super) fn closing(
    section: &Section<'_>,
    bodies: &TreeBodies,
    sites: &Sites,
    joint: ClosingJoint,
) -> Option<Vec<Constraint>> {
    let between = sites.between(section, bodies);
    let axis = vector(section, "axis");
    let end_axis = match joint {
        ClosingJoint::Universal => vector(section, "end_axis").map(Some),
        _ => optional_vector(section, "end_axis"),
    };
    let (between, axis, end_axis) = (between?, axis?, end_axis?);
    let axes = [axis, end_axis.unwrap_or(axis)];
    Some(vec![Constraint::Closing(Closing::new(joint, between, axes))])
}

/// A site by the key, which must be on a body.
fn moving_site(
    section: &Section<'_>,
    key: &'static str,
    bodies: &TreeBodies,
    sites: &Sites,
) -> Option<usize> {
    let problems = section.problems();
    let given = section.required(key).reference()?;
    let place = given.place.clone();
    let site = sites.resolve(&given, bodies, problems)?;
    if sites.list[site].body.is_some() {
        return Some(site);
    }
    problems
        .error(place, "this site is in the world, and does not move")
        .help(format!("name a site of a body: `{key} = \"wheel/centre\"`"))
        .none()
}

pub(super) fn rolling(section: &Section<'_>, bodies: &TreeBodies, sites: &Sites) -> Option<Vec<Constraint>> {
    let problems = section.problems();
    let site = moving_site(section, "site", bodies, sites);
    let axis = optional_vector(section, "axis");
    let radius = section.required("radius").positive(Unit::METRE);
    let on = section.required("on").reference();
    let normal = vector(section, "normal");
    let on_place = on.as_ref().map(|on| on.place.clone());
    let on = on.and_then(|on| sites.resolve(&on, bodies, problems));
    let (site, axis, radius, on, normal) = (site?, axis?, radius?.value, on?, normal?);
    if sites.list[site].body == sites.list[on].body {
        return problems
            .error(on_place?, "a body does not roll on itself")
            .help("name a site of another body, or of the world")
            .none();
    }
    Some(vec![Constraint::Rolling(match axis {
        Some(axis) => Rolling::disk(site, axis, radius, on, normal),
        None => Rolling::sphere(site, radius, on, normal),
    })])
}

pub(super) fn blade(section: &Section<'_>, bodies: &TreeBodies, sites: &Sites) -> Option<Vec<Constraint>> {
    let site = moving_site(section, "site", bodies, sites);
    let across = vector(section, "across");
    Some(vec![Constraint::Blade(Blade {
        site: site?,
        across: across?,
    })])
}

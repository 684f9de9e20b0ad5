//! `[force]`, `[[constraint]]`, `[invariants]` and `periodic`.
use super::{
    names::{Name, Names},
    texts::{self, Written, depends},
};
use crate::{Problems, Section};
use holonomy::{
    formula::{Formula, Kind},
    lagrangian::Slots,
};

/// One force for every coordinate, in their order; none at all without `[force]`.
pub(super) fn read_forces(root: &Section<'_>, names: &Names) -> Option<Vec<Written>> {
    let Some(section) = root.optional("force").table() else {
        return (!root.has("force")).then(Vec::new);
    };
    let problems = root.problems();
    let mut all: Vec<Option<Written>> = names.list.iter().map(|_| None).collect();
    let mut ok = names.sound;
    for key in section.keys() {
        let text = section.optional(key.value).formula();
        let Some(index) = names.coordinate(&section, &key) else {
            ok = false;
            continue;
        };
        let name = format!("force.{}", key.value);
        let kind = Some(names.list[index].kind);
        all[index] = text.and_then(|text| texts::understood(&text, &name, kind, names, problems));
        ok &= all[index].is_some();
    }
    let place = section.place();
    section.finish();
    let each = all.into_iter().zip(&names.list).map(|(force, name)| {
        let nothing = match name.kind {
            Kind::Vector => "[0, 0, 0]",
            Kind::Scalar => "0",
        };
        force.or_else(|| {
            let formula = Formula::parse(nothing, &names.scope).ok()?;
            let name = format!("force.{}", name.text);
            Some(Written::implied(name, place.clone(), formula))
        })
    });
    let forces: Option<Vec<Written>> = each.collect();
    forces.filter(|_| ok)
}

/// `[invariants]`: what is to be measured, by name.
pub(super) fn read_invariants(root: &Section<'_>, names: &Names) -> Option<Vec<Written>> {
    let Some(section) = root.optional("invariants").table() else {
        return (!root.has("invariants")).then(Vec::new);
    };
    let each: Vec<Option<Written>> = section
        .keys()
        .map(|key| {
            let text = section.optional(key.value).formula()?;
            texts::scalar(&text, key.value, names, root.problems())
        })
        .collect();
    section.finish();
    each.into_iter().collect()
}

/// `[[constraint]]` with a `formula` that is kept at zero, and perhaps a `name`.
pub(super) fn read_constraints(root: &Section<'_>, names: &Names) -> Option<Vec<Written>> {
    let mut all: Vec<Option<Written>> = Vec::new();
    let mut taken: Vec<String> = Vec::new();
    let list = root.optional("constraint").tables();
    let ok = !list.is_empty() || !root.holds("constraint");
    for section in list {
        let problems = section.problems();
        let given = section.optional("name").name();
        let text = section.required("formula").formula();
        let name = given.as_ref().map_or_else(
            || format!("constraint-{}", all.len() + 1),
            |name| name.value.to_owned(),
        );
        let again = taken.contains(&name);
        if again {
            let place = given.map_or_else(|| section.place(), |name| name.place);
            problems
                .error(place, format!("two constraints are called `{name}`"))
                .help("choose another name");
        }
        let written = text.and_then(|text| texts::scalar(&text, &name, names, problems));
        all.push(written.filter(|written| is_holonomic(written, names, problems) && !again));
        taken.push(name);
        section.finish();
    }
    all.into_iter().collect::<Option<_>>().filter(|_| ok)
}

/// Whether a constraint depends on coordinates, perhaps on time, and on nothing else.
fn is_holonomic(constraint: &Written, names: &Names, problems: &Problems) -> bool {
    let slots = names.slots;
    let of = |slot: fn(Slots, usize) -> usize| -> Vec<usize> {
        (0..slots.coordinates).map(|a| slot(slots, a)).collect()
    };
    let place = constraint.place.clone();
    if depends(&constraint.formula, &of(Slots::velocity)) {
        problems
            .error(
                place,
                "a constraint depends on coordinates and time, but this one has a velocity in it",
            )
            .help(
                "integrate it by hand if that can be done; velocities that are kept at zero belong in a `[frame]`",
            );
        return false;
    }
    if !depends(&constraint.formula, &of(Slots::coordinate)) {
        let message = format!("`{}` does not depend on any coordinate", constraint.name);
        problems
            .error(place, message)
            .help("write what is to stay zero, such as `x^2 + y^2 - l^2`");
        return false;
    }
    true
}

pub(super) fn read_periodic(root: &Section<'_>, names: &Names) -> Option<Vec<usize>> {
    let Some(list) = root.optional("periodic").strings() else {
        return (!root.has("periodic")).then(Vec::new);
    };
    let mut found = Vec::new();
    for name in &list.value {
        let index = names.coordinate(root, name)?;
        let problem = |message: String| root.problems().error(name.place.clone(), message);
        if names.list[index].kind == Kind::Vector {
            return problem(format!(
                "`{}` is a vector, and only numbers can be angles",
                name.value
            ))
            .help("remove it")
            .none();
        }
        let place = names.list[..index].iter().map(Name::size).sum();
        if found.contains(&place) {
            return problem(format!("`{}` is listed twice", name.value))
                .help("remove one of them")
                .none();
        }
        found.push(place);
    }
    Some(found)
}

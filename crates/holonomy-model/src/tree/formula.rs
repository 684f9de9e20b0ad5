//! `kind = "formula"`: an energy as a formula of the places of sites.
//!
//! ```text
//! energy = "0.5*k*(norm(tip - hook) - l0)^2"        names of sites are their places
//! points = { a = "rod/tip" }                        others, by names of their own
//! ```
use super::{bodies::TreeBodies, sites::Sites};
use crate::{
    Section,
    lagrangian::{
        names::Names,
        texts::{define, report, scalar},
        values,
    },
    potentials::formula::declare,
};
use holonomy::{formula::Scope, potential::FormulaPotential};

pub(super) fn read(section: &Section<'_>, bodies: &TreeBodies, sites: &Sites) -> Option<FormulaPotential> {
    let problems = section.problems();
    let text = section.required("energy").formula();
    let parameters = values::parameters_of(section, &[]);
    let (mut scope, mut points) = scope(bodies, sites);
    let mut ok = true;
    if let Some(table) = section.optional("points").table() {
        for key in table.keys() {
            let reference = table.optional(key.value).reference();
            let site = reference.and_then(|reference| sites.resolve(&reference, bodies, problems));
            let declared = declare(&mut scope, key.value, points.len());
            ok &= site.is_some() && declared.is_ok();
            if let Err(error) = declared {
                report(error, key.place.clone(), problems);
            }
            // Known even if it is wrong, so that the formula is not blamed for it.
            points.push(site.unwrap_or_default());
        }
        table.finish();
    } else {
        ok &= !section.has("points");
    }
    let _ = section.has("definitions");
    ok &= values::enter(&parameters, &mut scope, Some(problems));
    let mut meanings = Names::of(scope);
    ok &= define(section, &mut meanings).is_some();
    let energy = scalar(&text?, "energy", &meanings, problems);
    let energy = energy.filter(|_| ok)?;
    let potential = FormulaPotential::with_hessian(&energy.formula, |vector| points[vector]);
    if potential.is_constant() {
        let message = "this potential does nothing: no site is in its formula";
        problems.note(section.place(), message);
    }
    Some(potential)
}

/// Names that the formula may use for sites: their own, if no other site has it. The sites by number.
fn scope(bodies: &TreeBodies, sites: &Sites) -> (Scope, Vec<usize>) {
    let (mut scope, mut points) = (Scope::new(), Vec::new());
    scope.hint(
        "t",
        "a potential does not change with time; what does is a `[[wrench]]`, or `effort` in a joint",
    );
    let names = bodies.names();
    for (number, site) in sites.list.iter().enumerate() {
        let name = site.name.as_str();
        let alone = sites.list.iter().filter(|other| other.name == name).count() == 1;
        if alone && declare(&mut scope, name, points.len()).is_ok() {
            points.push(number);
            continue;
        }
        let path = sites.path(number, &names);
        let stem = name.split('-').next().unwrap_or(name);
        let why = match alone {
            true => format!("`{name}` cannot be written in a formula; use another name"),
            false => format!("several sites are called `{name}`; give one a name"),
        };
        scope.hint(stem, format!("{why}: `points = {{ a = \"{path}\" }}`"));
    }
    for name in names {
        let stem = name.split('-').next().unwrap_or(name);
        scope.hint(
            stem,
            format!("`{name}` is a body; give it a site, and a name: `points = {{ a = \"{name}/…\" }}`"),
        );
    }
    (scope, points)
}

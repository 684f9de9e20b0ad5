//! `space = "lagrangian"`: coordinates, parameters, formulas, and how it starts.
mod start;
mod values;

use super::{FormulaText, Problems, Section, Spanned};
use crate::{
    formula::{Expressions, Formula, FormulaError, Kind, Scope},
    integrator::catalog::Mechanism,
    lagrangian::{Formulas, Lagrangian, declare},
    system::State,
};
use start::Start;
use std::{ops::Range, sync::Arc};

/// A mechanism in generalized coordinates whose text was understood.
pub(super) struct Draft {
    names: Vec<String>,
    periodic: Vec<usize>,
    lagrangian: Written,
    forces: Vec<(usize, Written)>,
    constraints: Vec<Written>,
    start: Start,
}

/// A formula, what it is called in messages, and where it is written.
pub(super) struct Written {
    name: String,
    span: Range<usize>,
    formula: Formula,
}

/// Keys that are sought in a model on spheres.
pub(super) const HOMES: &[(&str, &str)] = &[
    ("coordinates", HERE),
    ("parameters", HERE),
    ("definitions", HERE),
    ("lagrangian", HERE),
    ("force", HERE),
    ("constraint", HERE),
    ("velocity", HERE),
    ("momentum", HERE),
    ("periodic", HERE),
];
const HERE: &str = "in a model with `space = \"lagrangian\"`";

/// Keys of a model on spheres.
const ELSEWHERE: &[(&str, &str)] = &[
    ("body", THERE),
    ("chain", THERE),
    ("grid", THERE),
    ("icosphere", THERE),
    ("inertia", THERE),
    ("potential", THERE),
    ("swirl", THERE),
];
const THERE: &str = "in a model with `space = \"spheres\"`";

/// Second derivatives by all pairs are formed as expressions: a second or so for this many.
const MOST_COORDINATES: usize = 64;

pub(super) fn read(root: &Section<'_>) -> Option<Draft> {
    let names = read_names(root);
    // Everything else is read even so, for the sake of its own mistakes.
    let known: Vec<&str> = names
        .iter()
        .flat_map(|names| names.iter().map(|name| name.value))
        .collect();
    let mut scope = Scope::new();
    values::read_parameters(root, &mut scope);
    let constants = scope.clone();
    let declared = declare_names(root, &mut scope, names.as_deref().unwrap_or_default());
    let defined = define(root, &mut scope);
    let sound = names.is_some() && declared && defined;

    let lagrangian = root
        .required("lagrangian")
        .formula()
        .and_then(|text| understood(&text, "lagrangian".to_owned(), &scope, root.problems()));
    let forces = read_forces(root, &known, &scope);
    let constraints = read_constraints(root, known.len(), &scope);
    let periodic = read_periodic(root, &known);
    let start = start::read(root, &known, &constants);
    root.refuse(ELSEWHERE);
    if !sound {
        return None;
    }
    Some(Draft {
        names: known.iter().map(|name| (*name).to_owned()).collect(),
        periodic: periodic?,
        lagrangian: lagrangian?,
        forces: forces?,
        constraints: constraints?,
        start: start?,
    })
}

impl Draft {
    /// The mechanism and where it starts.
    pub(super) fn build(self, problems: &Problems) -> Option<(Mechanism, State)> {
        let forces: Vec<(usize, Formula)> = self
            .forces
            .iter()
            .map(|(i, force)| (*i, force.formula.clone()))
            .collect();
        let constraints: Vec<Formula> = self.constraints.iter().map(|g| g.formula.clone()).collect();
        let n = self.names.len();
        let formulas = Formulas::new(n, &self.lagrangian.formula, &forces, &constraints);
        let multipliers: Vec<String> = self.constraints.iter().map(|g| g.name.clone()).collect();
        let system = Lagrangian::new(Box::new(formulas), &self.names)
            .with_periodic(&self.periodic)
            .with_multipliers(multipliers);
        let state = start::state(&system, &self, problems)?;
        Some((Mechanism::Lagrangian(Arc::new(system)), state))
    }
}

fn read_names<'a>(root: &Section<'a>) -> Option<Vec<Spanned<&'a str>>> {
    let names = root
        .required("coordinates")
        .with("names, as `coordinates = [\"x\", \"y\"]`")
        .strings()?;
    let problems = root.problems();
    if names.value.is_empty() {
        return problems
            .error(names.span, "there are no coordinates")
            .help("name at least one: `coordinates = [\"theta\"]`")
            .none();
    }
    if names.value.len() > MOST_COORDINATES {
        let message = format!(
            "{} coordinates are too many for formulas, which take at most {MOST_COORDINATES}",
            names.value.len()
        );
        return problems
            .error(names.span, message)
            .help("chains, trees and many bodies have families of their own, such as `space = \"spheres\"`")
            .none();
    }
    Some(names.value)
}

/// Gives the coordinates their meaning; `false` if one of them cannot have it.
fn declare_names(root: &Section<'_>, scope: &mut Scope, names: &[Spanned<&str>]) -> bool {
    let texts: Vec<&str> = names.iter().map(|name| name.value).collect();
    let errors = declare(scope, &texts);
    for (index, error) in &errors {
        report(error.clone(), names[*index].span.clone(), root.problems());
    }
    errors.is_empty()
}

/// Reads `[definitions]`; `false` if one of them is wrong.
fn define(root: &Section<'_>, scope: &mut Scope) -> bool {
    let Some(section) = root.optional("definitions").table() else {
        return !root.has("definitions");
    };
    let keys: Vec<Spanned<&str>> = section.keys().collect();
    let texts: Vec<Option<FormulaText<'_>>> = keys
        .iter()
        .map(|key| section.optional(key.value).formula())
        .collect();
    let ok = texts.iter().all(Option::is_some);
    let (keys, texts): (Vec<_>, Vec<_>) = keys
        .into_iter()
        .zip(texts)
        .filter_map(|(key, text)| Some((key, text?)))
        .unzip();
    let pairs: Vec<(&str, &str)> = keys
        .iter()
        .zip(&texts)
        .map(|(key, text)| (key.value, text.value))
        .collect();
    let errors = scope.define(&pairs).err().unwrap_or_default();
    for wrong in &errors {
        let span = match wrong.in_name {
            true => keys[wrong.index].span.clone(),
            false => texts[wrong.index].locate(wrong.error.span.clone()),
        };
        report(wrong.error.clone(), span, root.problems());
    }
    section.finish();
    ok && errors.is_empty()
}

/// A formula that is a number.
fn understood(text: &FormulaText<'_>, name: String, scope: &Scope, problems: &Problems) -> Option<Written> {
    match Formula::parse_as(Kind::Scalar, text.value, scope) {
        Ok(formula) => Some(Written {
            name,
            span: text.span.clone(),
            formula,
        }),
        Err(errors) => {
            for error in errors {
                let span = text.locate(error.span.clone());
                report(error, span, problems);
            }
            None
        }
    }
}

fn report(error: FormulaError, span: Range<usize>, problems: &Problems) {
    let report = problems.error(span, error.message);
    if let Some(help) = error.help {
        report.help(help);
    }
}

/// Which coordinate a key names.
fn coordinate(section: &Section<'_>, key: &Spanned<&str>, names: &[&str]) -> Option<usize> {
    let found = names.iter().position(|name| *name == key.value);
    if found.is_none() && !names.is_empty() {
        section
            .problems()
            .error(key.span.clone(), format!("`{}` is not a coordinate", key.value))
            .suggest(key.value, names.iter().copied());
    }
    found
}

fn read_forces(root: &Section<'_>, names: &[&str], scope: &Scope) -> Option<Vec<(usize, Written)>> {
    let Some(section) = root.optional("force").table() else {
        return (!root.has("force")).then(Vec::new);
    };
    let each: Vec<Option<(usize, Written)>> = section
        .keys()
        .map(|key| {
            let text = section.optional(key.value).formula();
            let index = coordinate(&section, &key, names);
            let written = text
                .and_then(|text| understood(&text, format!("force.{}", key.value), scope, root.problems()));
            Some((index?, written?))
        })
        .collect();
    section.finish();
    each.into_iter().collect()
}

/// `[[constraint]]` with a `formula` that is kept at zero, and perhaps a `name`.
fn read_constraints(root: &Section<'_>, n: usize, scope: &Scope) -> Option<Vec<Written>> {
    let mut all: Vec<Option<Written>> = Vec::new();
    for section in root.optional("constraint").tables() {
        let name = section.optional("name").name();
        let text = section.required("formula").formula();
        let name = name.map_or_else(
            || format!("constraint-{}", all.len() + 1),
            |name| name.value.to_owned(),
        );
        let problems = section.problems();
        let written = text.and_then(|text| understood(&text, name, scope, problems));
        all.push(written.filter(|written| is_holonomic(written, n, problems)));
        section.finish();
    }
    all.into_iter().collect()
}

/// Whether a constraint depends on coordinates and time only.
fn is_holonomic(constraint: &Written, n: usize, problems: &Problems) -> bool {
    let mut expressions = Expressions::new();
    let value = expressions.scalar(&constraint.formula);
    let slopes = expressions.gradient(value, &(n..2 * n).collect::<Vec<_>>());
    let holonomic = slopes
        .iter()
        .all(|slope| expressions.known_value(*slope) == Some(0.0));
    if !holonomic {
        problems
            .error(
                constraint.span.clone(),
                "a constraint depends on coordinates and time, but this one has a velocity in it",
            )
            .help("integrate it by hand if that can be done; velocities that are kept at zero belong in a `[frame]`");
    }
    holonomic
}

fn read_periodic(root: &Section<'_>, names: &[&str]) -> Option<Vec<usize>> {
    let Some(list) = root.optional("periodic").strings() else {
        return (!root.has("periodic")).then(Vec::new);
    };
    let found: Vec<Option<usize>> = list
        .value
        .iter()
        .map(|name| coordinate(root, name, names))
        .collect();
    found.into_iter().collect()
}

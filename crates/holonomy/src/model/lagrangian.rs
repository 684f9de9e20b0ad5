//! `space = "lagrangian"`: coordinates, parameters, formulas, and how it starts.
mod describe;
mod frame;
mod start;
pub(super) mod values;

use super::{FormulaText, Problems, Section, Spanned};
use crate::{
    formula::{Expressions, Formula, FormulaError, Kind, Scope},
    hamel::Slots,
    integrator::catalog::Mechanism,
    lagrangian::{Formulas, Lagrangian},
    system::State,
};
use frame::Framed;
use start::Start;
use std::{ops::Range, sync::Arc};

/// A mechanism in generalized coordinates whose text was understood.
pub(super) struct Draft {
    coordinates: Vec<Name>,
    periodic: Vec<usize>,
    lagrangian: Written,
    forces: Vec<Written>,
    constraints: Vec<Written>,
    invariants: Vec<(String, Formula)>,
    frame: Option<Framed>,
    start: Start,
    parameters: Vec<(String, Vec<f64>)>,
    definitions: Vec<(String, String)>,
}

/// A coordinate: a number, or a vector.
#[derive(Clone)]
pub(super) struct Name {
    text: String,
    kind: Kind,
}

impl Name {
    /// What its components are called.
    fn components(&self) -> Vec<String> {
        match self.kind {
            Kind::Scalar => vec![self.text.clone()],
            Kind::Vector => ["x", "y", "z"]
                .map(|axis| format!("{}.{axis}", self.text))
                .to_vec(),
        }
    }

    fn size(&self) -> usize {
        match self.kind {
            Kind::Scalar => 1,
            Kind::Vector => 3,
        }
    }
}

/// A formula, what it is called in messages, and where it is written.
pub(super) struct Written {
    name: String,
    span: Range<usize>,
    pub(super) formula: Formula,
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
    ("invariants", HERE),
    ("frame", HERE),
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
    // Everything is read even if something is wrong, for the sake of its own mistakes.
    let names = read_names(root);
    let coordinates: Vec<Name> = names.iter().flatten().map(|name| read_kind(root, name)).collect();
    let quasi_velocities = frame::names(root);
    let parameters = values::read_parameters(root);
    let mut constants = Scope::new();
    values::enter(&parameters, &mut constants, None);
    let declared = declare(
        names.as_deref().unwrap_or_default(),
        &coordinates,
        &quasi_velocities,
        root,
    );
    let sound = names.is_some() && declared.is_some();
    let (slots, mut scope) = declared.unwrap_or((NONE, constants.clone()));
    let entered = sound && values::enter(&parameters, &mut scope, Some(root.problems()));
    let sound = define(root, &mut scope) && entered;

    let lagrangian = root
        .required("lagrangian")
        .formula()
        .and_then(|text| understood(&text, "lagrangian", Kind::Scalar, &scope, root.problems()));
    let forces = read_forces(root, &coordinates, &scope);
    let constraints = read_constraints(root, slots, &scope);
    let invariants = read_invariants(root, &scope);
    let periodic = read_periodic(root, &coordinates);
    let frame = frame::read(root, &quasi_velocities, slots, &scope);
    let rates: Vec<Name> = match &frame {
        Some(Some(frame)) => frame.free_names(),
        _ => coordinates.clone(),
    };
    let start = start::read(root, &coordinates, &rates, &constants);
    root.refuse(ELSEWHERE);
    if !sound {
        return None;
    }
    Some(Draft {
        coordinates,
        periodic: periodic?,
        lagrangian: lagrangian?,
        forces: forces?,
        constraints: constraints?,
        invariants: invariants?,
        frame: frame?,
        start: start?,
        parameters: parameters.iter().map(values::Parameter::described).collect(),
        definitions: scope.definitions().collect(),
    })
}

impl Draft {
    /// The mechanism and where it starts.
    pub(super) fn build(self, problems: &Problems) -> Option<(Mechanism, State)> {
        if let Some(framed) = &self.frame {
            return frame::build(framed, &self, problems);
        }
        let constraints: Vec<Formula> = self.constraints.iter().map(|g| g.formula.clone()).collect();
        let names = self.component_names();
        let formulas = Formulas::new(
            names.len(),
            &self.lagrangian.formula,
            &self.force_formulas(),
            &constraints,
            &self.invariants,
        );
        let multipliers: Vec<String> = self.constraints.iter().map(|g| g.name.clone()).collect();
        let system = Lagrangian::new(Box::new(formulas), &names)
            .with_periodic(&self.periodic)
            .with_multipliers(multipliers);
        let state = start::state(&system, &self, problems)?;
        Some((Mechanism::Lagrangian(Arc::new(system)), state))
    }

    fn component_names(&self) -> Vec<String> {
        self.coordinates.iter().flat_map(Name::components).collect()
    }

    /// Forces on all components, or none.
    fn force_formulas(&self) -> Vec<Formula> {
        self.forces.iter().map(|force| force.formula.clone()).collect()
    }
}

/// Of a model whose names are no good.
const NONE: Slots = Slots {
    coordinates: 0,
    quasi_velocities: 0,
};

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

/// A coordinate whose start is an array is a vector.
fn read_kind(root: &Section<'_>, name: &Spanned<&str>) -> Name {
    let vector = root.array_within("start", name.value);
    Name {
        text: name.value.to_owned(),
        kind: if vector { Kind::Vector } else { Kind::Scalar },
    }
}

/// A scope in which coordinates and quasi-velocities have their meaning.
fn declare(
    spans: &[Spanned<&str>],
    coordinates: &[Name],
    quasi_velocities: &[Spanned<&str>],
    root: &Section<'_>,
) -> Option<(Slots, Scope)> {
    let names: Vec<(&str, Kind)> = coordinates.iter().map(|name| (&*name.text, name.kind)).collect();
    let others: Vec<(&str, Kind)> = quasi_velocities
        .iter()
        .map(|name| (name.value, Kind::Scalar))
        .collect();
    match Slots::scope(&names, &others) {
        Ok(found) => Some(found),
        Err((index, error)) => {
            let span = spans.iter().chain(quasi_velocities).nth(index);
            report(
                error,
                span.map_or(0..0, |name| name.span.clone()),
                root.problems(),
            );
            None
        }
    }
}

/// Reads `[definitions]`; `false` if one of them is wrong.
pub(super) fn define(root: &Section<'_>, scope: &mut Scope) -> bool {
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

/// A formula that is a number, or a vector.
pub(super) fn understood(
    text: &FormulaText<'_>,
    name: &str,
    kind: Kind,
    scope: &Scope,
    problems: &Problems,
) -> Option<Written> {
    match Formula::parse_as(kind, text.value, scope) {
        Ok(formula) => Some(Written {
            name: name.to_owned(),
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

pub(super) fn report(error: FormulaError, span: Range<usize>, problems: &Problems) {
    let report = problems.error(span, error.message);
    if let Some(help) = error.help {
        report.help(help);
    }
}

/// Which of the names a key is.
fn named(section: &Section<'_>, key: &Spanned<&str>, names: &[Name], what: &str) -> Option<usize> {
    let found = names.iter().position(|name| name.text == key.value);
    if found.is_none() && !names.is_empty() {
        section
            .problems()
            .error(key.span.clone(), format!("`{}` is not a {what}", key.value))
            .suggest(key.value, names.iter().map(|name| name.text.as_str()));
    }
    found
}

/// One force for every coordinate, in their order; none at all without `[force]`.
fn read_forces(root: &Section<'_>, names: &[Name], scope: &Scope) -> Option<Vec<Written>> {
    let Some(section) = root.optional("force").table() else {
        return (!root.has("force")).then(Vec::new);
    };
    let mut all: Vec<Option<Written>> = names.iter().map(|_| None).collect();
    let mut ok = true;
    for key in section.keys() {
        let text = section.optional(key.value).formula();
        let Some(index) = named(&section, &key, names, "coordinate") else {
            ok = false;
            continue;
        };
        let name = format!("force.{}", key.value);
        all[index] =
            text.and_then(|text| understood(&text, &name, names[index].kind, scope, root.problems()));
        ok &= all[index].is_some();
    }
    let span = section.span();
    section.finish();
    let each = all.into_iter().zip(names).map(|(force, name)| {
        let nothing = if name.kind == Kind::Vector {
            "[0, 0, 0]"
        } else {
            "0"
        };
        force.or_else(|| {
            Some(Written {
                name: format!("force.{}", name.text),
                span: span.clone(),
                formula: Formula::parse(nothing, scope).ok()?,
            })
        })
    });
    let forces: Option<Vec<Written>> = each.collect();
    forces.filter(|_| ok)
}

/// `[invariants]`: what is to be measured, by name.
fn read_invariants(root: &Section<'_>, scope: &Scope) -> Option<Vec<(String, Formula)>> {
    let Some(section) = root.optional("invariants").table() else {
        return (!root.has("invariants")).then(Vec::new);
    };
    let each: Vec<Option<(String, Formula)>> = section
        .keys()
        .map(|key| {
            let text = section.optional(key.value).formula()?;
            let written = understood(&text, key.value, Kind::Scalar, scope, root.problems())?;
            Some((written.name, written.formula))
        })
        .collect();
    section.finish();
    each.into_iter().collect()
}

/// `[[constraint]]` with a `formula` that is kept at zero, and perhaps a `name`.
fn read_constraints(root: &Section<'_>, slots: Slots, scope: &Scope) -> Option<Vec<Written>> {
    let mut all: Vec<Option<Written>> = Vec::new();
    for section in root.optional("constraint").tables() {
        let name = section.optional("name").name();
        let text = section.required("formula").formula();
        let name = name.map_or_else(
            || format!("constraint-{}", all.len() + 1),
            |name| name.value.to_owned(),
        );
        let problems = section.problems();
        let written = text.and_then(|text| understood(&text, &name, Kind::Scalar, scope, problems));
        all.push(written.filter(|written| is_holonomic(written, slots, problems)));
        section.finish();
    }
    all.into_iter().collect()
}

/// Whether a constraint depends on coordinates and time only.
fn is_holonomic(constraint: &Written, slots: Slots, problems: &Problems) -> bool {
    let mut expressions = Expressions::new();
    let value = expressions.scalar(&constraint.formula);
    let rates = (0..slots.coordinates).map(|a| slots.velocity(a));
    let slopes = expressions.gradient(value, &rates.collect::<Vec<_>>());
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

fn read_periodic(root: &Section<'_>, names: &[Name]) -> Option<Vec<usize>> {
    let Some(list) = root.optional("periodic").strings() else {
        return (!root.has("periodic")).then(Vec::new);
    };
    let mut found = Vec::new();
    for name in &list.value {
        let index = named(root, name, names, "coordinate")?;
        if names[index].kind == Kind::Vector {
            let message = format!("`{}` is a vector, and only numbers can be angles", name.value);
            return root.problems().error(name.span.clone(), message).none();
        }
        found.push(names[..index].iter().map(Name::size).sum());
    }
    Some(found)
}

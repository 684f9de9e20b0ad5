//! `kind = "formula"`: the energy as a formula of places and directions.
//!
//! ```text
//! energy = "0.5*k*(norm(upper - low) - l0)^2"       names of bodies are the places of their ends
//! points = { low = "body-2", mid = { body = "upper", at = "0.5 m" } }
//! directions = { u = "upper" }
//! ```
use super::{on_link, point, sound};
use crate::{
    Located, Reference, Section, Unit,
    bodies::Bodies,
    lagrangian::{
        names::Names,
        texts::{define, report, scalar},
        values,
    },
};
use holonomy::{
    formula::{Kind, Scope},
    potential::{FormulaPotential, Potential},
    spheres::Point,
};

/// What a vector of the formula is, of a body.
#[derive(Clone)]
enum Vector {
    /// The place at a distance from its base, or at its end.
    Place(Option<Located<f64>>),
    Direction,
}

/// What formulas of a section may name, in the order of their vectors.
pub(crate) struct Sight {
    pub(crate) meanings: Names,
    vectors: Vec<(usize, Vector)>,
    pub(crate) ok: bool,
}

/// Makes a vector known by a name.
pub(crate) type Declare = fn(&mut Scope, &str, usize) -> Result<(), holonomy::formula::FormulaError>;

pub(super) fn read(
    section: &Section<'_>,
    bodies: Option<&Bodies>,
    points: &mut Vec<Point>,
) -> Option<Box<dyn Potential>> {
    let text = section.required("energy").formula();
    let sight = sight(section, bodies, declare, "t", OF_TIME);
    let Sight {
        meanings,
        vectors,
        mut ok,
    } = sight?;
    let energy = scalar(&text?, "energy", &meanings, section.problems());
    let bodies = sound(bodies)?;
    let places = places(&vectors, bodies, section, &mut ok);
    let energy = energy.filter(|_| ok)?;
    let count = bodies.bodies.len();
    let potential = FormulaPotential::new(&energy.formula, |vector| match places[vector] {
        (body, None) => body,
        (body, Some(distance)) => count + point(Point::On { body, distance }, points),
    });
    if potential.is_constant() {
        let message = "this potential does nothing: no body is in its formula";
        section.problems().note(section.place(), message);
    }
    Some(Box::new(potential))
}

const OF_TIME: &str = "a potential does not change with time; what does is a `[[force]]`, or belongs in a model with `space = \"lagrangian\"`";

/// Reads the names that formulas of a section may use; `None` without bodies. All keys are read before.
pub(crate) fn sight(
    section: &Section<'_>,
    bodies: Option<&Bodies>,
    declare: Declare,
    hinted: &str,
    hint: &str,
) -> Option<Sight> {
    let parameters = values::parameters_of(section, &[]);
    let given = [
        read_given(section, "points", true),
        read_given(section, "directions", false),
    ];
    let _ = section.has("definitions");
    let bodies = bodies?;
    let names = bodies.names();
    let (mut scope, mut vectors) = scope(&names, declare);
    if !hint.is_empty() {
        scope.hint(hinted, hint);
    }
    let mut ok = true;
    for (key, reference, vector) in given.iter().flat_map(|(list, _)| list) {
        let body = reference
            .as_ref()
            .and_then(|reference| reference.resolve("body", &names, section.problems()));
        let declared = declare(&mut scope, key.value, vectors.len());
        ok &= body.is_some() && declared.is_ok();
        if let Err(error) = declared {
            report(error, key.place.clone(), section.problems());
        }
        // Known even if it is wrong, so that the formula is not blamed for it.
        vectors.push(match body {
            Some(body) => (body, vector.clone()),
            None => (0, Vector::Direction),
        });
    }
    ok &= given.iter().all(|(_, ok)| *ok);
    ok &= values::enter(&parameters, &mut scope, Some(section.problems()));
    let mut meanings = Names::of(scope);
    ok &= define(section, &mut meanings).is_some();
    Some(Sight {
        meanings,
        vectors,
        ok,
    })
}

impl Sight {
    /// What each vector is, of bodies that can be relied on: the body, and how far from its base if it is a place.
    pub(crate) fn places(&self, bodies: &Bodies, section: &Section<'_>) -> Option<Vec<(usize, Option<f64>)>> {
        let mut ok = self.ok;
        let places = places(&self.vectors, bodies, section, &mut ok);
        ok.then_some(places)
    }
}

fn places(
    vectors: &[(usize, Vector)],
    bodies: &Bodies,
    section: &Section<'_>,
    ok: &mut bool,
) -> Vec<(usize, Option<f64>)> {
    let mut places = Vec::with_capacity(vectors.len());
    for (body, vector) in vectors {
        places.push(match vector {
            Vector::Direction => (*body, None),
            Vector::Place(at) => {
                let distance = match at {
                    Some(at) => on_link(at, *body, bodies, section),
                    None => Some(bodies.bodies[*body].length),
                };
                *ok &= distance.is_some();
                (*body, Some(distance.unwrap_or_default()))
            }
        });
    }
    places
}

/// Names that the formula may use for bodies: the places of their ends.
fn scope(names: &[&str], declare: Declare) -> (Scope, Vec<(usize, Vector)>) {
    let (mut scope, mut vectors) = (Scope::new(), Vec::new());
    for (body, name) in names.iter().copied().enumerate() {
        if declare(&mut scope, name, vectors.len()).is_ok() {
            vectors.push((body, Vector::Place(None)));
            continue;
        }
        // A formula reads `link-1` as a difference, and does not know `link`.
        let stem = name.split('-').next().unwrap_or(name);
        let what = match stem == name {
            true => format!("`{name}`"),
            false => format!("a name with `-`, such as `{name}`,"),
        };
        scope.hint(
            stem,
            format!("{what} cannot be written in a formula; use another: `points = {{ a = \"{name}\" }}`"),
        );
    }
    (scope, vectors)
}

/// Makes a vector known by a name.
pub(crate) fn declare(
    scope: &mut Scope,
    name: &str,
    vector: usize,
) -> Result<(), holonomy::formula::FormulaError> {
    scope.variable(name, Kind::Vector, 3 * vector)?;
    scope.hint(
        &format!("{name}'"),
        "a potential depends on where bodies are, not on how they move",
    );
    Ok(())
}

type GivenNames<'a> = Vec<(Located<&'a str>, Option<Located<Reference<'a>>>, Vector)>;

/// A table of names for bodies; whether all of it was understood.
fn read_given<'a>(section: &Section<'a>, key: &'a str, places: bool) -> (GivenNames<'a>, bool) {
    let Some(table) = section.optional(key).table() else {
        return (Vec::new(), !section.has(key));
    };
    let mut names = Vec::new();
    let mut ok = true;
    for key in table.keys() {
        let mut given = if places {
            Vector::Place(None)
        } else {
            Vector::Direction
        };
        let body = if places && table.is_table(key.value) {
            let Some(point) = table.optional(key.value).table() else {
                continue;
            };
            let body = point.required("body").reference();
            let at = point.optional("at").number_in(Unit::METRE);
            ok &= at.is_some() == point.has("at");
            given = Vector::Place(at);
            point.finish();
            body
        } else {
            table.optional(key.value).reference()
        };
        ok &= body.is_some();
        names.push((key, body, given));
    }
    table.finish();
    (names, ok)
}

//! Numbers that formulas may be used for: parameters, and where a motion starts.
use super::{names::excuse, texts::report};
use crate::{FormulaText, Located, Problems, Section, Unit, parse_quantity};
use holonomy::formula::{Formula, FormulaError, Kind, Program, Scope};

/// A parameter and its key.
pub(crate) struct Parameter<'a> {
    key: Located<&'a str>,
    /// None if it is wrong, which has been reported.
    value: Option<Amount>,
}

impl Parameter<'_> {
    /// Its name and its components.
    pub(crate) fn described(&self) -> Option<(String, Vec<f64>)> {
        let components = match self.value? {
            Amount::Number(number) => vec![number],
            Amount::Vector(vector) => vector.to_vec(),
        };
        Some((self.key.value.to_owned(), components))
    }
}

/// A number or a vector.
#[derive(Clone, Copy)]
pub(crate) enum Amount {
    Number(f64),
    Vector([f64; 3]),
}

/// What a value may be made of, and what is known but of no use for it.
pub(super) struct Constants<'a> {
    scope: Scope,
    coordinates: &'a [&'a str],
    later: Vec<&'a str>,
}

impl<'a> Constants<'a> {
    /// Values made of all parameters.
    pub(super) fn new(parameters: &[Parameter<'_>], coordinates: &'a [&'a str]) -> Self {
        Self {
            scope: scope_of(parameters),
            coordinates,
            later: Vec::new(),
        }
    }

    /// Whether a text that is no quantity was meant to be a formula rather.
    fn is_formula(&self, text: &str) -> bool {
        let mut words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        let known = |word: &str| {
            let others = self.coordinates.iter().chain(&self.later);
            self.scope.names().chain(others.copied()).any(|name| name == word)
        };
        Formula::parse(text, &self.scope).is_ok() || text.contains(['(', '*', '+']) || words.any(known)
    }

    /// What is wrong with a name that is known but of no use.
    fn explain(&self, error: FormulaError, text: &str) -> FormulaError {
        let word = text.get(error.span.clone()).unwrap_or_default();
        let name = word.trim_end_matches('\'');
        let (message, help) = if self.later.contains(&name) {
            (
                format!("`{name}` is not known before it is given"),
                "parameters are made of those above them: change their order",
            )
        } else if self.coordinates.contains(&name) && !self.scope.names().any(|known| known == name) {
            (
                format!("`{word}` changes with time, and this value does not"),
                "make it of numbers and parameters",
            )
        } else {
            return error;
        };
        FormulaError {
            message,
            help: Some(help.to_owned()),
            ..error
        }
    }
}

/// Reads `[parameters]` of a model.
pub(super) fn read_parameters<'a>(root: &Section<'a>, coordinates: &[&str]) -> Vec<Parameter<'a>> {
    let mut parameters = strays(root);
    parameters.extend(parameters_of(root, coordinates));
    parameters
}

/// Reads `parameters`: numbers, quantities, vectors, or formulas of the parameters before them.
pub(crate) fn parameters_of<'a>(root: &Section<'a>, coordinates: &[&str]) -> Vec<Parameter<'a>> {
    let mut parameters = Vec::new();
    let Some(section) = root.optional("parameters").table() else {
        return parameters;
    };
    let mut before = Constants {
        scope: Scope::new(),
        coordinates,
        later: section.keys().map(|key| key.value).collect(),
    };
    for key in section.keys() {
        let value = value(&section, key.value, &before);
        let mut parameter = Parameter { key, value };
        if let Err(error) = enter_one(&parameter, &mut before.scope) {
            report(error, parameter.key.place.clone(), section.problems());
            parameter.value = None;
        }
        before.later.retain(|name| *name != parameter.key.value);
        parameters.push(parameter);
    }
    section.finish();
    parameters
}

/// Numbers at the top of the model that belong in `[parameters]`.
fn strays<'a>(root: &Section<'a>) -> Vec<Parameter<'a>> {
    let elsewhere = |key: &str| {
        let run = super::super::run::IN_RUN.iter().map(|(name, _)| *name);
        run.chain(["title", "space", "lagrangian"])
            .any(|name| name == key)
    };
    let found: Vec<Located<&str>> = root
        .keys()
        .filter(|key| root.is_quantity(key.value) && !elsewhere(key.value))
        .collect();
    for key in &found {
        root.refuse(&[(key.value, "in `[parameters]`")]);
    }
    let given = root.keys_within(&["parameters"]);
    let absent = |key: &Located<&str>| !given.iter().any(|other| other.value == key.value);
    let broken = |key| Parameter { key, value: None };
    found.into_iter().filter(absent).map(broken).collect()
}

/// A scope of nothing but the parameters.
pub(crate) fn scope_of(parameters: &[Parameter<'_>]) -> Scope {
    let mut scope = Scope::new();
    enter(parameters, &mut scope, None);
    scope
}

/// Gives the parameters their meaning; `false` if one of them cannot have it, which is reported if wanted.
pub(crate) fn enter(parameters: &[Parameter<'_>], scope: &mut Scope, problems: Option<&Problems>) -> bool {
    let mut ok = true;
    for parameter in parameters {
        ok &= parameter.value.is_some();
        if let Err(error) = enter_one(parameter, scope) {
            ok = false;
            if let Some(problems) = problems {
                report(error, parameter.key.place.clone(), problems);
            }
        }
    }
    ok
}

fn enter_one(parameter: &Parameter<'_>, scope: &mut Scope) -> Result<(), FormulaError> {
    match parameter.value {
        Some(Amount::Number(number)) => scope.parameter(parameter.key.value, number),
        Some(Amount::Vector(vector)) => scope.vector_parameter(parameter.key.value, vector),
        None => {
            excuse(parameter.key.value, scope);
            Ok(())
        }
    }
}

/// With blanks for line breaks.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A number or, if it is an array, a vector.
pub(super) fn value<'a>(section: &Section<'a>, key: &'a str, constants: &Constants<'_>) -> Option<Amount> {
    if section.is_array(key) {
        return vector(section, key, constants).map(Amount::Vector);
    }
    number(section, key, constants).map(|number| Amount::Number(number.value))
}

/// Three of them, each a number, a quantity or a formula.
fn vector<'a>(section: &Section<'a>, key: &'a str, constants: &Constants<'_>) -> Option<[f64; 3]> {
    let is_formula = |text: &str| parse_quantity(text, Unit::ANY).is_err() && constants.is_formula(text);
    if section.texts_within(key).len() != 3
        || !section.texts_within(key).into_iter().flatten().any(is_formula)
    {
        return section
            .optional(key)
            .vector_in(Unit::ANY)
            .map(|vector| vector.value);
    }
    let texts = section.optional(key).formulas()?.value;
    let mut components = [Some(0.0); 3];
    for (text, component) in texts.iter().zip(&mut components) {
        *component = match parse_quantity(text.value, Unit::ANY) {
            Ok(number) => Some(number),
            Err(_) => constant(text, key, constants, section.problems()),
        };
    }
    let [x, y, z] = components;
    Some([x?, y?, z?])
}

/// A number, a quantity such as `"30 deg"`, or a formula of parameters such as `"pi/3"`.
fn number<'a>(section: &Section<'a>, key: &'a str, constants: &Constants<'_>) -> Option<Located<f64>> {
    match section.text(key) {
        Some(text) if parse_quantity(text, Unit::ANY).is_err() && constants.is_formula(text) => {
            let text = section.optional(key).formula()?;
            let value = constant(&text, key, constants, section.problems())?;
            Some(Located::new(value, text.place))
        }
        _ => section.optional(key).number_in(Unit::ANY),
    }
}

fn constant(
    text: &FormulaText<'_>,
    key: &str,
    constants: &Constants<'_>,
    problems: &Problems,
) -> Option<f64> {
    let formula = match Formula::parse_as(Kind::Scalar, text.value, &constants.scope) {
        Ok(formula) => formula,
        Err(errors) => {
            for error in errors {
                let place = text.locate(error.span.clone());
                report(constants.explain(error, text.value), place, problems);
            }
            return None;
        }
    };
    let program = Program::values(&[&formula]);
    let mut value = [0.0];
    match program.evaluate(&[], &mut program.workspace(), &mut value) {
        Ok(()) => Some(value[0]),
        Err(error) => problems
            .error(
                text.place.clone(),
                on_one_line(&format!("`{key}` has no value: {error}")),
            )
            .help("change it, or the parameters it is made of")
            .none(),
    }
}

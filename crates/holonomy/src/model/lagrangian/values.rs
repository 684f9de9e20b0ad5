//! Numbers that formulas may be used for: parameters, and where a motion starts.
use super::report;
use crate::{
    formula::{Formula, FormulaError, Kind, Program, Scope},
    model::{FormulaText, Problems, Section, Spanned, Unit, parse_quantity},
};

/// A parameter and its key.
pub(in crate::model) struct Parameter<'a> {
    key: Spanned<&'a str>,
    value: Value,
}

impl Parameter<'_> {
    /// Its name and its components.
    pub(super) fn described(&self) -> (String, Vec<f64>) {
        let components = match self.value {
            Value::Number(number) => vec![number],
            Value::Vector(vector) => vector.to_vec(),
            Value::Wrong => Vec::new(),
        };
        (self.key.value.to_owned(), components)
    }
}

/// A number or a vector.
pub(in crate::model) enum Value {
    Number(f64),
    Vector([f64; 3]),
    /// Something else, which has been reported.
    Wrong,
}

/// Reads `[parameters]`: numbers, quantities, vectors, or formulas of the parameters before them.
pub(in crate::model) fn read_parameters<'a>(root: &Section<'a>) -> Vec<Parameter<'a>> {
    let Some(section) = root.optional("parameters").table() else {
        return Vec::new();
    };
    let mut parameters = Vec::new();
    let mut before = Scope::new();
    for key in section.keys() {
        let value = value(&section, key.value, &before).unwrap_or(Value::Wrong);
        let parameter = Parameter { key, value };
        enter_one(&parameter, &mut before).ok();
        parameters.push(parameter);
    }
    section.finish();
    parameters
}

/// Gives the parameters their meaning; `false` if one of them cannot have it, which is reported if wanted.
pub(in crate::model) fn enter(
    parameters: &[Parameter<'_>],
    scope: &mut Scope,
    problems: Option<&Problems>,
) -> bool {
    let mut ok = true;
    for parameter in parameters {
        if let Err(error) = enter_one(parameter, scope) {
            ok = false;
            if let Some(problems) = problems {
                report(error, parameter.key.span.clone(), problems);
            }
        }
    }
    ok
}

fn enter_one(parameter: &Parameter<'_>, scope: &mut Scope) -> Result<(), FormulaError> {
    match parameter.value {
        Value::Number(number) => scope.parameter(parameter.key.value, number),
        Value::Vector(vector) => scope.vector_parameter(parameter.key.value, vector),
        Value::Wrong => scope.broken(parameter.key.value),
    }
}

/// A number or, if it is an array, a vector.
pub(super) fn value<'a>(section: &Section<'a>, key: &'a str, scope: &Scope) -> Option<Value> {
    if section.is_array(key) {
        let vector = section.optional(key).vector(Unit::ANY);
        return vector.map(|vector| Value::Vector(vector.value));
    }
    number(section, key, scope).map(|number| Value::Number(number.value))
}

/// A number, a quantity such as `"30 deg"`, or a formula of parameters such as `"pi/3"`.
fn number<'a>(section: &Section<'a>, key: &'a str, scope: &Scope) -> Option<Spanned<f64>> {
    match section.text(key) {
        Some(text) if parse_quantity(text, Unit::ANY).is_err() && is_formula(text, scope) => {
            let text = section.optional(key).formula()?;
            let value = constant(&text, key, scope, section.problems())?;
            Some(Spanned::new(value, text.span))
        }
        _ => section.optional(key).number(Unit::ANY),
    }
}

/// Whether a text that is no quantity was meant to be a formula rather.
fn is_formula(text: &str, scope: &Scope) -> bool {
    let mut words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    Formula::parse(text, scope).is_ok()
        || text.contains(['(', '*', '+'])
        || words.any(|word| scope.names().any(|name| name == word))
}

fn constant(text: &FormulaText<'_>, key: &str, scope: &Scope, problems: &Problems) -> Option<f64> {
    let formula = match Formula::parse_as(Kind::Scalar, text.value, scope) {
        Ok(formula) => formula,
        Err(errors) => {
            for error in errors {
                let span = text.locate(error.span.clone());
                report(error, span, problems);
            }
            return None;
        }
    };
    let program = Program::values(&[&formula]);
    let mut value = [0.0];
    match program.evaluate(&[], &mut program.workspace(), &mut value) {
        Ok(()) => Some(value[0]),
        Err(error) => problems
            .error(text.span.clone(), format!("`{key}` has no value: {error}"))
            .none(),
    }
}

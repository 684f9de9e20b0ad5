//! Numbers that formulas may be used for: parameters, and where a motion starts.
use super::report;
use crate::{
    formula::{Formula, Kind, Program, Scope},
    model::{FormulaText, Problems, Section, Spanned, Unit, parse_quantity},
};

/// Reads `[parameters]`: numbers, quantities, vectors, or formulas of the parameters before them.
pub(super) fn read_parameters(root: &Section<'_>, scope: &mut Scope) {
    let Some(section) = root.optional("parameters").table() else {
        return;
    };
    for key in section.keys() {
        let entered = if section.is_array(key.value) {
            section
                .optional(key.value)
                .vector(Unit::ANY)
                .map(|vector| scope.vector_parameter(key.value, vector.value))
        } else {
            number(&section, key.value, scope).map(|number| scope.parameter(key.value, number.value))
        };
        if let Some(Err(error)) = entered {
            report(error, key.span, section.problems());
        }
    }
    section.finish();
}

/// A number, a quantity such as `"30 deg"`, or a formula of parameters such as `"pi/3"`.
pub(super) fn number<'a>(section: &Section<'a>, key: &'a str, scope: &Scope) -> Option<Spanned<f64>> {
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

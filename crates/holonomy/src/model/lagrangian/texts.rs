//! Formulas of a model, and where they are written.
use super::names::{Names, excuse};
use crate::{
    formula::{Expressions, Formula, FormulaError, Kind},
    model::{FormulaText, Problems, Section, Spanned},
};
use std::ops::Range;

/// A formula, what it is called in messages, and where it is written.
#[derive(Clone)]
pub(in crate::model) struct Written {
    pub(super) name: String,
    pub(super) span: Range<usize>,
    pub(in crate::model) formula: Formula,
    /// Where its text begins; unknown if it has escapes.
    start: Option<usize>,
}

impl Written {
    pub(super) fn new(text: &FormulaText<'_>, name: &str, formula: Formula) -> Self {
        let inner = text.locate(0..text.value.len());
        Self {
            name: name.to_owned(),
            span: text.span.clone(),
            formula,
            start: (inner.len() == text.value.len()).then_some(inner.start),
        }
    }

    /// What is not written at all.
    pub(super) fn implied(name: String, span: Range<usize>, formula: Formula) -> Self {
        Self {
            name,
            span,
            formula,
            start: None,
        }
    }

    /// Where a part of it is written.
    pub(super) fn find(&self, part: &str) -> Option<Range<usize>> {
        let at = self.formula.text().find(part).filter(|_| !part.is_empty())?;
        Some(match self.start {
            Some(start) => start + at..start + at + part.len(),
            None => self.span.clone(),
        })
    }
}

/// An expression of a layout, without what says that it is differentiated.
pub(super) fn undifferentiated(expression: &str) -> &str {
    let after = expression.split_once("derivative of ");
    after.map_or(expression, |(_, text)| text)
}

/// A formula that is a number.
pub(in crate::model) fn scalar(
    text: &FormulaText<'_>,
    name: &str,
    names: &Names,
    problems: &Problems,
) -> Option<Written> {
    understood(text, name, Some(Kind::Scalar), names, problems)
}

/// A formula that is a number, a vector, or either.
pub(super) fn understood(
    text: &FormulaText<'_>,
    name: &str,
    kind: Option<Kind>,
    names: &Names,
    problems: &Problems,
) -> Option<Written> {
    if !names.judged {
        return None;
    }
    let formula = match kind {
        Some(kind) => Formula::parse_as(kind, text.value, &names.scope),
        None => Formula::parse(text.value, &names.scope),
    };
    match formula {
        Ok(formula) => Some(Written::new(text, name, formula)),
        Err(errors) => {
            for error in errors {
                let span = text.locate(error.span.clone());
                report(error, span, problems);
            }
            None
        }
    }
}

pub(in crate::model) fn report(error: FormulaError, span: Range<usize>, problems: &Problems) {
    let report = problems.error(span, error.message);
    if let Some(help) = error.help {
        report.help(help);
    }
}

/// Reads `[definitions]` and gives them their meaning; `None` if one of them is wrong.
pub(in crate::model) fn define(root: &Section<'_>, names: &mut Names) -> Option<Vec<Written>> {
    let Some(section) = root.optional("definitions").table() else {
        let absent = !root.has("definitions");
        names.judged &= absent;
        return absent.then(Vec::new);
    };
    let mut keys: Vec<Spanned<&str>> = Vec::new();
    let mut texts: Vec<FormulaText<'_>> = Vec::new();
    let mut ok = true;
    for key in section.keys() {
        match section.optional(key.value).formula() {
            Some(text) => {
                keys.push(key);
                texts.push(text);
            }
            None => {
                ok = false;
                names.scope.broken(key.value).ok();
            }
        }
    }
    section.finish();
    if !names.judged {
        return None;
    }
    let pairs: Vec<(&str, &str)> = keys
        .iter()
        .zip(&texts)
        .map(|(key, text)| (key.value, text.value))
        .collect();
    for wrong in names.scope.define(&pairs).err().unwrap_or_default() {
        ok = false;
        let span = match wrong.in_name {
            true => keys[wrong.index].span.clone(),
            false => texts[wrong.index].locate(wrong.error.span.clone()),
        };
        if wrong.in_name {
            excuse(keys[wrong.index].value, &mut names.scope);
        }
        report(wrong.error, span, root.problems());
    }
    let each = keys.iter().zip(&texts).map(|(key, text)| {
        let formula = Formula::parse(text.value, &names.scope).ok()?;
        Some(Written::new(text, key.value, formula))
    });
    let each: Option<Vec<Written>> = each.collect();
    each.filter(|_| ok)
}

/// Whether a formula changes with one of the slots.
pub(super) fn depends(formula: &Formula, slots: &[usize]) -> bool {
    let mut expressions = Expressions::new();
    let components = expressions.components(formula);
    components.into_iter().any(|component| {
        let slopes = expressions.gradient(component, slots);
        let zero = |slope: &_| expressions.known_value(*slope) == Some(0.0);
        !slopes.iter().all(zero)
    })
}

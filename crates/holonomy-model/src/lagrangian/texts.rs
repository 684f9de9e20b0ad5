//! Formulas of a model, and where they are written.
use super::names::{Names, excuse};
use crate::{FormulaText, Located, Path, Place, Problems, Section};
use holonomy::formula::{Expressions, Formula, FormulaError, Kind};

/// The components of a vector, as they are written: a list of formulas, or one that is a vector.
pub(super) struct Components {
    pub(super) parts: Vec<Written>,
    pub(super) place: Place,
    /// Numbers that they are together.
    pub(super) given: usize,
}

/// Reads them, each by the function given.
pub(super) fn components<'a>(
    section: &Section<'a>,
    key: &'a str,
    read: impl FnMut(&FormulaText<'_>) -> Option<Written>,
) -> Option<Components> {
    let (texts, place): (Vec<FormulaText<'_>>, Place) = if section.is_array(key) {
        let list = section.optional(key).formulas()?;
        (list.value, list.place)
    } else {
        let text = section.optional(key).formula()?;
        let place = text.place.clone();
        (vec![text], place)
    };
    // All are read before any is missed, so that every mistake is reported.
    let parts: Vec<Option<Written>> = texts.iter().map(read).collect();
    let parts: Vec<Written> = parts.into_iter().collect::<Option<_>>()?;
    let size = |part: &Written| if part.formula.kind() == Kind::Vector { 3 } else { 1 };
    let given = parts.iter().map(size).sum();
    Some(Components { parts, place, given })
}

/// A formula, what it is called in messages, and where it is written.
#[derive(Clone)]
pub(crate) struct Written {
    pub(super) name: String,
    pub(super) place: Place,
    pub(crate) formula: Formula,
    /// The path to it, unless it is not written at all.
    path: Option<Path>,
}

impl Written {
    pub(super) fn new(text: &FormulaText<'_>, name: &str, formula: Formula) -> Self {
        Self {
            name: name.to_owned(),
            place: text.place.clone(),
            formula,
            path: Some(text.path().clone()),
        }
    }

    /// What is not written at all.
    pub(super) fn implied(name: String, place: Place, formula: Formula) -> Self {
        Self {
            name,
            place,
            formula,
            path: None,
        }
    }

    /// Where a part of it is written.
    pub(super) fn find(&self, part: &str) -> Option<Place> {
        let at = self.formula.text().find(part).filter(|_| !part.is_empty())?;
        Some(match &self.path {
            Some(path) => Place::Within(path.clone(), at..at + part.len()),
            None => self.place.clone(),
        })
    }
}

/// A formula that is a number.
pub(crate) fn scalar(
    text: &FormulaText<'_>,
    name: &str,
    names: &Names,
    problems: &Problems,
) -> Option<Written> {
    understood(text, name, Some(Kind::Scalar), names, problems)
}

/// A formula that is a number, a vector, or either.
pub(crate) fn understood(
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
                let place = text.locate(error.span.clone());
                report(error, place, problems);
            }
            None
        }
    }
}

pub(crate) fn report(error: FormulaError, place: Place, problems: &Problems) {
    let report = problems.error(place, error.message);
    if let Some(help) = error.help {
        report.help(help);
    }
}

/// Reads `[definitions]` and gives them their meaning; `None` if one of them is wrong.
pub(crate) fn define(root: &Section<'_>, names: &mut Names) -> Option<Vec<Written>> {
    let Some(section) = root.optional("definitions").table() else {
        let absent = !root.has("definitions");
        names.judged &= absent;
        return absent.then(Vec::new);
    };
    let mut keys: Vec<Located<&str>> = Vec::new();
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
        let place = match wrong.in_name {
            true => keys[wrong.index].place.clone(),
            false => texts[wrong.index].locate(wrong.error.span.clone()),
        };
        if wrong.in_name {
            excuse(keys[wrong.index].value, &mut names.scope);
        }
        report(wrong.error, place, root.problems());
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

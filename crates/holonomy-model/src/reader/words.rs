use std::ops::Range;

use super::{Field, Given, Located, Section, elements};
use crate::path::{Path, Place};
use crate::problem::{excerpt, listed};
use crate::spec::Kind;
use crate::value::Value;

/// The text of a formula, and where it stands in the model.
#[derive(Clone, Debug, PartialEq)]
pub struct FormulaText<'a> {
    /// The text.
    pub value: &'a str,
    /// The whole value.
    pub place: Place,
    path: Path,
}

impl<'a> FormulaText<'a> {
    /// Of a value that is a text, or a number as it stands.
    fn of(given: &Given<'a>) -> Option<Self> {
        let value = match given.value {
            Value::Text(text) => text.as_str(),
            Value::Number(number) => number.as_str(),
            _ => return None,
        };
        Some(Self {
            value,
            place: given.place(),
            path: given.path.clone(),
        })
    }

    /// The path to it.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// A part of the text, in bytes of it.
    pub fn locate(&self, part: Range<usize>) -> Place {
        Place::Within(self.path.clone(), part)
    }
}

/// What stands for a number that changes: a formula, or a table of times and values.
#[derive(Debug)]
pub enum FormulaOrTable<'a> {
    /// A formula.
    Formula(FormulaText<'a>),
    /// A table, to be read.
    Table(Section<'a>),
}

impl<'a> Field<'_, 'a> {
    /// A list of formulas and tables.
    pub fn formulas_or_tables(self) -> Option<Located<Vec<FormulaOrTable<'a>>>> {
        let value = self.value("[\"…\"]")?;
        let Value::List(list) = value.value else {
            return self
                .wrong_type(&value, "an array of formulas")
                .help(format!("write `{} = [\"…\", …]`", self.shown_key()))
                .none();
        };
        let key = self.shown_key();
        let each = elements(list, &value.path).enumerate().map(|(index, element)| {
            if let Value::Table(table) = element.value {
                let label = self.section.part(format!("component {} of `{key}`", index + 1));
                let section = Section::new(table, element.path, label, None, self.section.problems);
                return Some(FormulaOrTable::Table(section));
            }
            let formula = FormulaText::of(&element);
            if formula.is_none() {
                self.wrong_type(&element, "an array of formulas")
                    .help("write each between quotes");
            }
            formula.map(FormulaOrTable::Formula)
        });
        let each: Vec<_> = each.collect();
        Some(Located::new(
            each.into_iter().collect::<Option<_>>()?,
            value.place(),
        ))
    }

    /// A formula: text, or a number.
    pub fn formula(self) -> Option<FormulaText<'a>> {
        let value = self.value("\"…\"")?;
        let formula = FormulaText::of(&value);
        if formula.is_none() {
            self.wrong_type(&value, "a formula")
                .help("write one formula between quotes");
        }
        formula
    }

    /// A list of formulas.
    pub fn formulas(self) -> Option<Located<Vec<FormulaText<'a>>>> {
        let value = self.value("[\"…\"]")?;
        let Value::List(list) = value.value else {
            return self
                .wrong_type(&value, "an array of formulas")
                .help(format!("write `{} = [\"…\", …]`", self.shown_key()))
                .none();
        };
        let each = elements(list, &value.path).map(|element| {
            let formula = FormulaText::of(&element);
            if formula.is_none() {
                self.wrong_type(&element, "an array of formulas")
                    .help("write each between quotes");
            }
            formula
        });
        let formulas: Vec<_> = each.collect();
        Some(Located::new(
            formulas.into_iter().collect::<Option<_>>()?,
            value.place(),
        ))
    }

    /// Any text.
    pub fn string(self) -> Option<Located<&'a str>> {
        let value = self.value("\"…\"")?;
        self.text(value)
    }

    fn text(&self, value: Given<'a>) -> Option<Located<&'a str>> {
        match value.value {
            Value::Text(text) => Some(Located::new(text, value.place())),
            _ => self
                .wrong_type(&value, "a string")
                .help("write it between quotes")
                .none(),
        }
    }

    /// A list of texts.
    pub fn strings(self) -> Option<Located<Vec<Located<&'a str>>>> {
        let value = self.value("[\"…\"]")?;
        let Value::List(list) = value.value else {
            return self
                .wrong_type(&value, "an array of strings")
                .help(format!(
                    "write `{} = [\"{}\"]`",
                    self.shown_key(),
                    value.value.as_text().map_or("…".to_owned(), excerpt)
                ))
                .none();
        };
        let each = elements(list, &value.path);
        let texts: Vec<_> = each.map(|element| self.string_of(&element)).collect();
        Some(Located::new(
            texts.into_iter().collect::<Option<_>>()?,
            value.place(),
        ))
    }

    /// One of the words that the table of keys lists.
    pub fn choice(self) -> Option<Located<&'static str>> {
        match self.kind() {
            Some(Kind::Choice(words)) => self.choice_in(words),
            _ => self.choice_in(&[]),
        }
    }

    /// One of the given words.
    pub fn choice_in<'c>(self, choices: &[&'c str]) -> Option<Located<&'c str>> {
        let what = format!("`{}`", self.shown_key());
        self.choice_of(&what, choices)
    }

    /// One of the given words; `what` tells what they are, for messages.
    pub fn choice_of<'c>(self, what: &str, choices: &[&'c str]) -> Option<Located<&'c str>> {
        let key = self.shown_key();
        let problems = self.section.problems;
        let value = self.value_or(
            || self.shown_key(),
            || match listed(choices.iter().copied()) {
                Some(list) => format!("add `{key} = \"…\"`, one of {list}"),
                None => format!("add `{key} = \"…\"`"),
            },
        )?;
        let given = self.text(value)?;
        let found = choices.iter().find(|choice| **choice == given.value);
        if found.is_none() {
            let message = format!("`{}` is not a known {what}", excerpt(given.value));
            problems
                .error(given.place.clone(), message)
                .suggest(given.value, choices.iter().copied());
        }
        found.map(|choice| Located::new(*choice, given.place))
    }

    /// A name for something in the model: letters, digits, `-` and `_`, and not digits alone, so that it can be told
    /// from a number and be part of a path.
    pub fn name(self) -> Option<Located<&'a str>> {
        let problems = self.section.problems;
        let given = self.string()?;
        let allowed = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_';
        let digits = given.value.chars().all(|letter| letter.is_ascii_digit());
        if given.value.chars().all(allowed) && !digits {
            return Some(given);
        }
        let message = format!("`{}` cannot be used as a name", excerpt(given.value));
        let help = match given.value.contains('{') {
            true => "braces stand around formulas of an index, in a section with `repeat = …`",
            false => "use letters, digits, `-` and `_`, and not digits alone",
        };
        problems.error(given.place, message).help(help).none()
    }

    /// `true` or `false`.
    pub fn boolean(self) -> Option<Located<bool>> {
        let value = self.value("true")?;
        match value.value {
            Value::Boolean(answer) => Some(Located::new(*answer, value.place())),
            _ => self
                .wrong_type(&value, "`true` or `false`")
                .help("write `true` or `false` without quotes")
                .none(),
        }
    }

    fn string_of(&self, element: &Given<'a>) -> Option<Located<&'a str>> {
        match element.value {
            Value::Text(text) => Some(Located::new(text, element.place())),
            _ => self
                .wrong_type(element, "an array of strings")
                .help("write it between quotes")
                .none(),
        }
    }
}

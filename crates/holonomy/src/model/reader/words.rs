use std::borrow::Cow;
use std::ops::Range;

use toml::de::DeValue;

use super::{Field, Spanned};
use crate::model::problem::{excerpt, listed};

/// The text of a formula, and where it lies in the model.
#[derive(Clone, Debug, PartialEq)]
pub struct FormulaText<'a> {
    /// The text.
    pub value: &'a str,
    /// The whole value, with its quotes, in the span space of the [`Source`](crate::model::Source).
    pub span: Range<usize>,
    /// Where the text begins; unknown if it has escapes.
    start: Option<usize>,
}

impl<'a> FormulaText<'a> {
    /// Of a value that is a text, or a number as it stands.
    pub(super) fn of(value: &Spanned<&'a DeValue<'a>>) -> Option<Self> {
        let (text, plain) = match value.value {
            DeValue::String(Cow::Borrowed(text)) => (*text, true),
            DeValue::String(Cow::Owned(text)) => (text.as_str(), false),
            DeValue::Integer(digits) => (digits.as_str(), true),
            DeValue::Float(number) => (number.as_str(), true),
            _ => return None,
        };
        // Quotes before the text: none (an override, a number), one, or three and perhaps a line break.
        let quotes = match (value.span.len().checked_sub(text.len()), plain) {
            (Some(0), true) => Some(0),
            (Some(2), true) => Some(1),
            (Some(around @ 6..=8), true) => Some(around - 3),
            _ => None,
        };
        Some(Self {
            value: text,
            span: value.span.clone(),
            start: quotes.map(|quotes| value.span.start + quotes),
        })
    }

    /// Where a part of the text lies, in bytes of it; the whole value if it is not known. The end is the quote behind
    /// the text, if there is one.
    pub fn locate(&self, part: Range<usize>) -> Range<usize> {
        match self.start.filter(|_| !self.value.is_empty()) {
            Some(start) if part.is_empty() => start + part.start..(start + part.end + 1).min(self.span.end),
            Some(start) => start + part.start..start + part.end,
            None => self.span.clone(),
        }
    }
}

impl<'a> Field<'_, 'a> {
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
    pub fn formulas(self) -> Option<Spanned<Vec<FormulaText<'a>>>> {
        let value = self.value("[\"…\"]")?;
        let DeValue::Array(array) = value.value else {
            return self
                .wrong_type(&value, "an array of formulas")
                .help(format!("write `{} = [\"…\", …]`", self.shown_key()))
                .none();
        };
        let each = array.iter().map(|element| {
            let element = Spanned::new(element.get_ref(), element.span());
            let formula = FormulaText::of(&element);
            if formula.is_none() {
                self.wrong_type(&element, "an array of formulas")
                    .help("write each between quotes");
            }
            formula
        });
        let formulas: Vec<_> = each.collect();
        Some(Spanned::new(
            formulas.into_iter().collect::<Option<_>>()?,
            value.span,
        ))
    }

    /// Any text.
    pub fn string(self) -> Option<Spanned<&'a str>> {
        let value = self.value("\"…\"")?;
        self.text(value)
    }

    fn text(&self, value: Spanned<&'a DeValue<'a>>) -> Option<Spanned<&'a str>> {
        match value.value {
            DeValue::String(text) => Some(Spanned::new(text.as_ref(), value.span)),
            _ => self
                .wrong_type(&value, "a string")
                .help("write it between quotes")
                .none(),
        }
    }

    /// A list of texts.
    pub fn strings(self) -> Option<Spanned<Vec<Spanned<&'a str>>>> {
        let value = self.value("[\"…\"]")?;
        let DeValue::Array(array) = value.value else {
            return self
                .wrong_type(&value, "an array of strings")
                .help(format!(
                    "write `{} = [\"{}\"]`",
                    self.shown_key(),
                    value.value.as_str().map_or("…".to_owned(), excerpt)
                ))
                .none();
        };
        let texts: Vec<_> = array.iter().map(|element| self.string_of(element)).collect();
        Some(Spanned::new(
            texts.into_iter().collect::<Option<_>>()?,
            value.span,
        ))
    }

    /// One of the given words.
    pub fn choice<'c>(self, choices: &[&'c str]) -> Option<Spanned<&'c str>> {
        let what = format!("`{}`", self.shown_key());
        self.choice_of(&what, choices)
    }

    /// One of the given words; `what` tells what they are, for messages.
    pub fn choice_of<'c>(self, what: &str, choices: &[&'c str]) -> Option<Spanned<&'c str>> {
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
                .error(given.span.clone(), message)
                .suggest(given.value, choices.iter().copied());
        }
        found.map(|choice| Spanned::new(*choice, given.span))
    }

    /// A name for something in the model: letters, digits, `-` and `_`, and not digits alone, so that it can be told
    /// from a number and be part of a path.
    pub fn name(self) -> Option<Spanned<&'a str>> {
        let problems = self.section.problems;
        let given = self.string()?;
        let allowed = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_';
        let digits = given.value.chars().all(|letter| letter.is_ascii_digit());
        if given.value.chars().all(allowed) && !digits {
            return Some(given);
        }
        let message = format!("`{}` cannot be used as a name", excerpt(given.value));
        problems
            .error(given.span, message)
            .help("use letters, digits, `-` and `_`, and not digits alone")
            .none()
    }

    /// `true` or `false`.
    pub fn boolean(self) -> Option<Spanned<bool>> {
        let value = self.value("true")?;
        match value.value {
            DeValue::Boolean(answer) => Some(Spanned::new(*answer, value.span)),
            _ => self
                .wrong_type(&value, "`true` or `false`")
                .help("write `true` or `false` without quotes")
                .none(),
        }
    }

    fn string_of(&self, element: &'a toml::Spanned<DeValue<'a>>) -> Option<Spanned<&'a str>> {
        match element.get_ref() {
            DeValue::String(text) => Some(Spanned::new(Cow::as_ref(text), element.span())),
            other => {
                let message = format!(
                    "`{}` must be an array of strings, got {}",
                    self.shown_key(),
                    super::kind(other)
                );
                self.error(element.span(), message)
                    .help("write it between quotes")
                    .none()
            }
        }
    }
}

use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::problem::{Problems, Report, excerpt};

pub use reference::Reference;

mod numbers;
mod reference;
#[cfg(test)]
mod tests;
mod words;

/// A table of a model that is being read, key by key.
///
/// Reading never stops at an error: what is wrong goes to the [`Problems`], the value is `None`, and the next key is
/// read. Keys that were asked for are remembered, so that [`finish`](Self::finish) can refuse all others.
///
/// ```text
/// let mass = body.required("mass").positive(Unit::KILOGRAM);
/// let spin = body.optional("angular_velocity").vector(Unit::RADIAN_PER_SECOND);
/// body.finish();
/// ```
#[derive(Debug)]
pub struct Section<'a> {
    table: &'a DeTable<'a>,
    span: Range<usize>,
    label: String,
    problems: &'a Problems,
    asked: RefCell<Vec<&'a str>>,
}

/// A value and the text it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it was written, in the span space of the [`Source`](super::source::Source).
    pub span: Range<usize>,
}

impl<T> Spanned<T> {
    /// A value with the text it comes from.
    pub fn new(value: T, span: Range<usize>) -> Self {
        Self { value, span }
    }

    /// Another value of the same text.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Spanned<U> {
        Spanned {
            value: change(self.value),
            span: self.span,
        }
    }
}

/// One key of a [`Section`], about to be read as some type.
///
/// Each reading method gives `None` if the key is absent or its value wrong; either way everything worth saying has
/// been reported then.
#[derive(Debug)]
pub struct Field<'s, 'a> {
    section: &'s Section<'a>,
    key: &'a str,
    required: bool,
}

impl<'a> Section<'a> {
    pub(super) fn new(
        table: &'a DeTable<'a>,
        span: Range<usize>,
        label: String,
        problems: &'a Problems,
    ) -> Self {
        Self {
            table,
            span,
            label,
            problems,
            asked: RefCell::default(),
        }
    }

    /// A key that must be there.
    pub fn required(&self, key: &'a str) -> Field<'_, 'a> {
        self.asked.borrow_mut().push(key);
        Field {
            section: self,
            key,
            required: true,
        }
    }

    /// A key that may be there.
    pub fn optional(&self, key: &'a str) -> Field<'_, 'a> {
        self.asked.borrow_mut().push(key);
        Field {
            section: self,
            key,
            required: false,
        }
    }

    /// Whether the key is there, whatever its value.
    pub fn has(&self, key: &'a str) -> bool {
        self.asked.borrow_mut().push(key);
        self.table.contains_key(key)
    }

    /// Where the key is written, to point at it.
    pub fn key_span(&self, key: &str) -> Option<Range<usize>> {
        self.table.get_key_value(key).map(|(key, _)| key.span())
    }

    /// All keys, for tables whose keys are names chosen by the author.
    pub fn keys(&self) -> impl Iterator<Item = Spanned<&'a str>> + use<'a> {
        self.table
            .keys()
            .map(|key| Spanned::new(key.get_ref().as_ref(), key.span()))
    }

    /// The header of the table, or the whole of it if it is written in one line.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// What messages call it: ``body `upper` ``, `spring 2`; empty for the whole model.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Where problems go.
    pub fn problems(&self) -> &'a Problems {
        self.problems
    }

    /// Reports an error about the section as a whole.
    pub fn error(&self, message: impl Into<String>) -> Report<'a> {
        self.problems.error(self.span(), message)
    }

    /// Refuses every key that was not asked for.
    pub fn finish(self) {
        let mut known = HashSet::new();
        let mut asked = self.asked.borrow().clone();
        asked.retain(|key| known.insert(*key));
        for key in self.keys().filter(|key| !known.contains(key.value)) {
            let message = format!("unknown key `{}`{}", excerpt(key.value), self.place());
            self.problems
                .error(key.span, message)
                .suggest(key.value, asked.iter().copied());
        }
    }

    /// ` in body 2`, to be put at the end of a message.
    fn place(&self) -> String {
        if self.label.is_empty() {
            String::new()
        } else {
            format!(" in {}", self.label)
        }
    }

    /// What messages call a part of this section.
    fn part(&self, part: String) -> String {
        if self.label.is_empty() {
            part
        } else {
            format!("{part} of {}", self.label)
        }
    }
}

impl<'a> Field<'_, 'a> {
    /// A table, `[key]` or `key = { … }`.
    pub fn table(self) -> Option<Section<'a>> {
        let value = self.value_or(|| format!("[{}]", self.shown_key()))?;
        match &value.value {
            DeValue::Table(table) => {
                let label = self.section.part(format!("`{}`", self.shown_key()));
                Some(Section::new(table, value.span, label, self.section.problems))
            }
            DeValue::Array(array)
                if !array.is_empty() && array.iter().all(|element| element.get_ref().is_table()) =>
            {
                let message = format!("there can be only one `{}`", self.shown_key());
                self.section
                    .problems
                    .error(value.span, message)
                    .help(format!("write `[{}]`", self.shown_key()));
                None
            }
            _ => self
                .wrong_type(&value, "a table")
                .help(format!("write a section `[{}]`", self.shown_key()))
                .none(),
        }
    }

    /// The tables `[[key]]`, each labelled by its `name` or else by its number; none if the key is absent.
    pub fn tables(self) -> Vec<Section<'a>> {
        let Some(value) = self.value_or(|| format!("[[{}]]", self.shown_key())) else {
            return Vec::new();
        };
        let DeValue::Array(array) = value.value else {
            self.wrong_type(&value, "a list of tables")
                .help(format!("write `[[{}]]`", self.shown_key()));
            return Vec::new();
        };
        let mut sections = Vec::with_capacity(array.len());
        for (index, element) in array.iter().enumerate() {
            if let DeValue::Table(table) = element.get_ref() {
                let name = table
                    .get("name")
                    .and_then(|name| name.get_ref().as_str())
                    .filter(|name| !name.is_empty());
                let label = match name {
                    Some(name) => format!("{} `{}`", self.shown_key(), excerpt(name)),
                    None => format!("{} {}", self.shown_key(), index + 1),
                };
                sections.push(Section::new(
                    table,
                    element.span(),
                    self.section.part(label),
                    self.section.problems,
                ));
            } else {
                let element = Spanned::new(element.get_ref(), element.span());
                self.wrong_type(&element, "a list of tables")
                    .help(format!("write `[[{}]]`", self.shown_key()));
            }
        }
        sections
    }

    /// The value as it stands; its absence is reported if it is required.
    fn value(&self) -> Option<Spanned<&'a DeValue<'a>>> {
        self.value_or(|| self.shown_key())
    }

    /// As [`value`](Self::value), where a whole section is missing under another name.
    fn value_or(&self, name: impl FnOnce() -> String) -> Option<Spanned<&'a DeValue<'a>>> {
        let found = self
            .section
            .table
            .get(self.key)
            .map(|value| Spanned::new(value.get_ref(), value.span()));
        if found.is_none() && self.required {
            let name = if self.section.label.is_empty() {
                name()
            } else {
                self.shown_key()
            };
            self.section
                .error(format!("missing `{name}`{}", self.section.place()));
        }
        found
    }

    /// The key as messages show it.
    fn shown_key(&self) -> String {
        excerpt(self.key)
    }

    fn error(&self, span: Range<usize>, message: impl Into<String>) -> Report<'a> {
        self.section.problems.error(span, message)
    }

    fn wrong_type(&self, value: &Spanned<&DeValue<'_>>, expected: &str) -> Report<'a> {
        let message = format!(
            "`{}` must be {expected}, got {}",
            self.shown_key(),
            kind(value.value)
        );
        self.error(value.span.clone(), message)
    }
}

/// The type of a value with its article, for messages.
fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}

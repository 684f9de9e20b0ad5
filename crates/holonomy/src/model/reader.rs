use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::problem::{Problems, Report, excerpt, listed, nearest};
use super::units::{Unit, parse_quantity};

pub use reference::Reference;
pub use words::FormulaText;

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
    /// Keys that were missed, with the number of the problem that says so.
    missed: RefCell<Vec<(&'a str, usize)>>,
    /// Sections that may be within this one, and whether there may be several of them.
    sections: RefCell<Vec<(&'a str, bool)>>,
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
    example: &'static str,
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
            missed: RefCell::default(),
            sections: RefCell::default(),
        }
    }

    /// A key that must be there.
    pub fn required(&self, key: &'a str) -> Field<'_, 'a> {
        self.asked.borrow_mut().push(key);
        Field {
            section: self,
            key,
            required: true,
            example: "",
        }
    }

    /// A key that may be there.
    pub fn optional(&self, key: &'a str) -> Field<'_, 'a> {
        self.asked.borrow_mut().push(key);
        Field {
            section: self,
            key,
            required: false,
            example: "",
        }
    }

    /// Whether the key is there, whatever its value.
    pub fn has(&self, key: &'a str) -> bool {
        self.asked.borrow_mut().push(key);
        self.table.contains_key(key)
    }

    /// The text that the key has, if that is what it has; nothing is reported.
    pub fn text(&self, key: &str) -> Option<&'a str> {
        self.table.get(key)?.get_ref().as_str()
    }

    /// Whether the value of the key is an array.
    pub fn is_array(&self, key: &str) -> bool {
        self.table
            .get(key)
            .is_some_and(|value| value.get_ref().is_array())
    }

    /// Whether the value of the key is a table.
    pub fn is_table(&self, key: &str) -> bool {
        self.table
            .get(key)
            .is_some_and(|value| value.get_ref().is_table())
    }

    /// Whether a table within has an array under a key; nothing is remembered or reported.
    pub fn array_within(&self, table: &str, key: &str) -> bool {
        let within = self.table.get(table).and_then(|value| value.get_ref().as_table());
        within
            .and_then(|table| table.get(key))
            .is_some_and(|value| value.get_ref().is_array())
    }

    /// The keys of a table within, reached by a path of keys; nothing is remembered or reported.
    pub fn keys_within(&self, path: &[&str]) -> Vec<Spanned<&'a str>> {
        let within = |table: &'a DeTable<'a>, key: &&str| table.get(*key)?.get_ref().as_table();
        let found = path.iter().try_fold(self.table, within);
        found.map_or_else(Vec::new, |table| {
            let each = table.keys();
            each.map(|key| Spanned::new(key.get_ref().as_ref(), key.span()))
                .collect()
        })
    }

    /// Whether the value of the key is a number, or a text that is a quantity; nothing is remembered or reported.
    pub fn is_quantity(&self, key: &str) -> bool {
        match self.table.get(key).map(toml::Spanned::get_ref) {
            Some(DeValue::Integer(_) | DeValue::Float(_)) => true,
            Some(DeValue::String(text)) => parse_quantity(text, Unit::ANY).is_ok(),
            _ => false,
        }
    }

    /// Whether the key is there; nothing is remembered.
    pub fn holds(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Where the key is written, to point at it.
    pub fn key_span(&self, key: &str) -> Option<Range<usize>> {
        self.table.get_key_value(key).map(|(key, _)| key.span())
    }

    /// Where the value of the key is written, to point at it.
    pub fn value_span(&self, key: &str) -> Option<Range<usize>> {
        self.table.get(key).map(toml::Spanned::span)
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

    /// Reports an error that comes from the absence of these keys: if one of them turns out to be misspelt, that is
    /// reported instead.
    pub fn lacks(&self, keys: &[&'a str], span: Range<usize>, message: impl Into<String>) -> Report<'a> {
        let report = self.problems.error(span, message);
        let missed = keys.iter().map(|key| (*key, report.index()));
        self.missed.borrow_mut().extend(missed);
        report
    }

    /// Refuses keys that belong to another place, given as pairs of a key and that place, and were not asked for.
    pub fn refuse(&self, homes: &[(&'a str, &str)]) {
        for (key, home) in homes {
            let Some(span) = self.key_span(key).filter(|_| !self.asked.borrow().contains(key)) else {
                continue;
            };
            let shown = self.shown(key);
            let place = if self.label.is_empty() && shown.starts_with("key") {
                " at the top of the model"
            } else {
                &self.place()
            };
            self.problems
                .error(span, format!("unknown {shown}{place}"))
                .help(format!("it belongs {home}"));
            self.asked.borrow_mut().push(key);
        }
    }

    /// Refuses every key that was not asked for.
    pub fn finish(self) {
        self.judge_keys(true);
    }

    /// As [`finish`](Self::finish) where it is not known which keys there may be: refuses only those that seem to be
    /// one that was missed.
    pub fn finish_unread(self) {
        self.judge_keys(false);
    }

    fn judge_keys(self, all: bool) {
        let mut known = HashSet::new();
        let mut asked = self.asked.borrow().clone();
        asked.retain(|key| known.insert(*key));
        // A key that is there was hardly meant a second time, unless an override sets it.
        let (present, absent): (Vec<&str>, Vec<&str>) =
            asked.iter().partition(|key| self.table.contains_key(**key));
        for key in self.keys().filter(|key| !known.contains(key.value)) {
            let near = nearest(key.value, absent.iter().copied());
            let present = nearest(key.value, present.iter().copied());
            let message = format!("unknown {}{}", self.shown(key.value), self.place());
            let mut missed = self.missed.borrow_mut();
            let slot = missed.iter().position(|(missed, _)| near == Some(*missed));
            let report = match slot.map(|slot| missed.swap_remove(slot).1) {
                Some(index) => {
                    missed.retain(|(_, other)| *other != index);
                    self.problems.instead_of(index, key.span, message)
                }
                None if all => self.problems.error(key.span, message),
                None => continue,
            };
            let near: Vec<String> = [near, present]
                .into_iter()
                .flatten()
                .map(|near| self.bracketed(near))
                .collect();
            match (near.as_slice(), listed(asked.iter().copied())) {
                ([near], _) => report.help(format!("did you mean `{near}`?")),
                ([near, other], _) => report.help(format!("did you mean `{near}` or `{other}`?")),
                (_, Some(list)) => report.help(format!("known here: {list}")),
                (_, None) => report,
            };
        }
    }

    /// A key that is asked for, with the brackets of its header if it is that of a section.
    fn bracketed(&self, key: &str) -> String {
        let sections = self.sections.borrow();
        let section = sections.iter().find(|(name, _)| *name == key);
        match section.filter(|_| self.label.is_empty()) {
            Some((_, true)) => format!("[[{key}]]"),
            Some((_, false)) => format!("[{key}]"),
            None => key.to_owned(),
        }
    }

    /// A key as messages show it, or the section of that name.
    fn shown(&self, key: &str) -> String {
        let name = excerpt(key);
        match self.table.get(key).map(|value| value.get_ref()) {
            Some(DeValue::Table(_)) if self.label.is_empty() => format!("section `[{name}]`"),
            Some(DeValue::Array(array))
                if self.label.is_empty()
                    && !array.is_empty()
                    && array.iter().all(|element| element.get_ref().is_table()) =>
            {
                format!("section `[[{name}]]`")
            }
            _ => format!("key `{name}`"),
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

    /// What the header of a table within it says.
    fn header(&self, key: &str) -> String {
        let name = self
            .label
            .strip_prefix('`')
            .and_then(|label| label.strip_suffix('`'));
        match name {
            Some(name) => format!("{name}.{}", excerpt(key)),
            None => excerpt(key),
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
    /// What the section should have, told if it is missing.
    pub fn with(self, example: &'static str) -> Self {
        Self { example, ..self }
    }

    /// A table, `[key]` or `key = { … }`.
    pub fn table(self) -> Option<Section<'a>> {
        let key = self.shown_key();
        self.section.sections.borrow_mut().push((self.key, false));
        let value = self.value_or(
            || format!("[{key}]"),
            || {
                let path = self.section.header(self.key);
                match self.example {
                    "" => format!("add a section `[{path}]`"),
                    example => format!("add a section `[{path}]` with {example}"),
                }
            },
        )?;
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
                .help(format!("write a section `[{}]`", self.section.header(self.key)))
                .none(),
        }
    }

    /// The tables `[[key]]`, each labelled by its `name` or else by its number and `kind`; none if the key is absent.
    pub fn tables(self) -> Vec<Section<'a>> {
        let key = self.shown_key();
        self.section.sections.borrow_mut().push((self.key, true));
        let value = self.value_or(|| format!("[[{key}]]"), || format!("add `[[{key}]]`"));
        let Some(value) = value else {
            return Vec::new();
        };
        let DeValue::Array(array) = value.value else {
            if value.value.is_table() {
                self.error(value.span, format!("`{key}` must be a list, got a single one"))
                    .help(format!("write `[[{key}]]`, with double brackets"));
            } else {
                self.wrong_type(&value, "a list of tables")
                    .help(format!("write `[[{key}]]`"));
            }
            return Vec::new();
        };
        let mut sections = Vec::with_capacity(array.len());
        for (index, element) in array.iter().enumerate() {
            if let DeValue::Table(table) = element.get_ref() {
                let text = |key: &str| {
                    let value = table.get(key)?.get_ref();
                    value.as_str().filter(|text| !text.is_empty()).map(excerpt)
                };
                let number = index + 1;
                let label = match (text("name"), text("kind")) {
                    (Some(name), _) => format!("{key} `{name}`"),
                    (None, Some(kind)) => format!("{key} {number} (`{kind}`)"),
                    (None, None) => format!("{key} {number}"),
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
                    .help(format!("write `[[{key}]]`"));
            }
        }
        sections
    }

    /// The value as it stands; its absence is reported if it is required, with what could stand there.
    fn value(&self, example: &str) -> Option<Spanned<&'a DeValue<'a>>> {
        self.value_or(
            || self.shown_key(),
            || format!("add `{} = {example}`", self.shown_key()),
        )
    }

    /// As [`value`](Self::value), for quantities.
    fn quantity(&self, example: &str, unit: Unit) -> Option<Spanned<&'a DeValue<'a>>> {
        self.value_or(
            || self.shown_key(),
            || match unit.symbol() {
                "1" => format!("add `{} = {example}`", self.shown_key()),
                _ => format!("add `{} = {example}`, {}", self.shown_key(), unit.describe()),
            },
        )
    }

    /// As [`value`](Self::value), where a whole section is missing under another name.
    fn value_or(
        &self,
        name: impl FnOnce() -> String,
        help: impl FnOnce() -> String,
    ) -> Option<Spanned<&'a DeValue<'a>>> {
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
            let message = format!("missing `{name}`{}", self.section.place());
            self.section
                .lacks(&[self.key], self.section.span(), message)
                .help(help());
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
pub(super) fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}

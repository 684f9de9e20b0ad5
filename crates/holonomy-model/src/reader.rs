use std::cell::RefCell;

use super::knob::{Knob, Reading};
use super::path::{Path, Place};
use super::problem::{Problems, Report, excerpt};
use super::run::ONE_OUTPUT;
use super::spec::{self, Key, Kind};
use super::units::{Unit, parse_quantity};
use super::value::{Table, Value};

pub use reference::Reference;
pub use words::{FormulaOrTable, FormulaText};

mod keys;
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
    table: &'a Table,
    path: Path,
    label: String,
    /// What it may have: its own keys, and for the model as a whole those that every model has.
    keys: [&'static [Key]; 2],
    problems: &'a Problems,
    asked: RefCell<Vec<&'a str>>,
    /// Keys that were missed, with the number of the problem that says so.
    missed: RefCell<Vec<(&'a str, usize)>>,
    /// Sections that may be within this one, and whether there may be several of them.
    sections: RefCell<Vec<(&'a str, bool)>>,
}

/// A value and where it stands in the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub place: Place,
}

impl<T> Located<T> {
    /// A value with the place where it stands.
    pub fn new(value: T, place: Place) -> Self {
        Self { value, place }
    }

    /// Another value at the same place.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Located<U> {
        Located {
            value: change(self.value),
            place: self.place,
        }
    }
}

/// A value as it stands in the model, and the path to it.
#[derive(Clone, Debug)]
pub(crate) struct Given<'a> {
    value: &'a Value,
    path: Path,
}

impl Given<'_> {
    fn place(&self) -> Place {
        Place::Value(self.path.clone())
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
    /// The whole model, to be read.
    pub fn root(table: &'a Table, problems: &'a Problems) -> Self {
        Self {
            keys: spec::top_keys(table),
            ..Self::new(table, Path::root(), String::new(), None, problems)
        }
    }

    fn new(table: &'a Table, path: Path, label: String, kind: Option<Kind>, problems: &'a Problems) -> Self {
        let own = match kind {
            Some(Kind::Section(keys) | Kind::Sections(keys)) => keys.of(table),
            _ => &[],
        };
        Self {
            table,
            path,
            label,
            keys: [own, &[]],
            problems,
            asked: RefCell::default(),
            missed: RefCell::default(),
            sections: RefCell::default(),
        }
    }

    /// A key that must be there.
    pub fn required(&self, key: &'a str) -> Field<'_, 'a> {
        self.ask(key);
        Field {
            section: self,
            key,
            required: true,
            example: "",
        }
    }

    /// A key that may be there.
    pub fn optional(&self, key: &'a str) -> Field<'_, 'a> {
        self.ask(key);
        Field {
            section: self,
            key,
            required: false,
            example: "",
        }
    }

    /// Whether the key is there, whatever its value.
    pub fn has(&self, key: &'a str) -> bool {
        self.ask(key);
        self.table.contains_key(key)
    }

    fn ask(&self, key: &'a str) {
        self.problems.record(|| Reading::Key(self.path.key(key)));
        self.asked.borrow_mut().push(key);
    }

    /// The text that the key has, if that is what it has; nothing is reported.
    pub fn text(&self, key: &str) -> Option<&'a str> {
        self.table.get(key)?.as_text()
    }

    /// Whether the value of the key is an array.
    pub fn is_array(&self, key: &str) -> bool {
        self.table.get(key).is_some_and(|value| value.as_list().is_some())
    }

    /// Whether the value of the key is a table.
    pub fn is_table(&self, key: &str) -> bool {
        self.table
            .get(key)
            .is_some_and(|value| value.as_table().is_some())
    }

    /// Whether the value of the key is an array of arrays.
    pub fn is_nested(&self, key: &str) -> bool {
        let list = self.table.get(key).and_then(Value::as_list);
        list.is_some_and(|list| list.iter().any(|element| element.as_list().is_some()))
    }

    /// The texts of an array, and nothing for its other elements.
    pub(crate) fn texts_within(&self, key: &str) -> Vec<Option<&'a str>> {
        let list = self.table.get(key).and_then(Value::as_list);
        list.unwrap_or_default().iter().map(Value::as_text).collect()
    }

    /// Whether a table within has an array under a key; nothing is remembered or reported.
    pub fn array_within(&self, table: &str, key: &str) -> bool {
        let within = self.table.get(table).and_then(Value::as_table);
        within
            .and_then(|table| table.get(key))
            .is_some_and(|value| value.as_list().is_some())
    }

    /// A number of a table within, which may be a quantity; nothing is remembered or reported.
    pub(crate) fn number_within(&self, table: &str, key: &str, unit: Unit) -> Option<f64> {
        match self.table.get(table)?.as_table()?.get(key)? {
            Value::Number(number) => Some(number.value()),
            Value::Text(text) => parse_quantity(text, unit).ok(),
            _ => None,
        }
    }

    /// The keys of a table within, reached by a path of keys; nothing is remembered or reported.
    pub fn keys_within(&self, path: &[&str]) -> Vec<Located<&'a str>> {
        let within =
            |(table, at): (&'a Table, Path), key: &&str| Some((table.get(key)?.as_table()?, at.key(key)));
        let found = path.iter().try_fold((self.table, self.path.clone()), within);
        found.map_or_else(Vec::new, |(table, at)| keys_of(table, at).collect())
    }

    /// Whether the value of the key is a number, or a text that is a quantity; nothing is remembered or reported.
    pub fn is_quantity(&self, key: &str) -> bool {
        match self.table.get(key) {
            Some(Value::Number(_)) => true,
            Some(Value::Text(text)) => parse_quantity(text, Unit::ANY).is_ok(),
            _ => false,
        }
    }

    /// Whether the key is there; nothing is remembered.
    pub fn holds(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// The key, to point at it.
    pub fn key_place(&self, key: &str) -> Option<Place> {
        let there = self.table.contains_key(key);
        there.then(|| Place::Key(self.path.key(key)))
    }

    /// The value of the key, to point at it.
    pub fn value_place(&self, key: &str) -> Option<Place> {
        let there = self.table.contains_key(key);
        there.then(|| Place::Value(self.path.key(key)))
    }

    /// All keys, for tables whose keys are names chosen by the author.
    pub fn keys(&self) -> impl Iterator<Item = Located<&'a str>> + use<'a> {
        keys_of(self.table, self.path.clone())
    }

    /// The section as a whole, to point at it.
    pub fn place(&self) -> Place {
        Place::Value(self.path.clone())
    }

    /// Where it is in the model.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn path(&self) -> &Path {
        &self.path
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
        self.problems.error(self.place(), message)
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

/// The keys of the table at a path.
fn keys_of(table: &Table, path: Path) -> impl Iterator<Item = Located<&str>> {
    let keys = table.keys();
    keys.map(move |key| Located::new(key, Place::Key(path.key(key))))
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
        match value.value {
            Value::Table(table) => {
                let label = self.section.part(format!("`{}`", self.shown_key()));
                Some(Section::new(
                    table,
                    value.path,
                    label,
                    self.kind(),
                    self.section.problems,
                ))
            }
            list if list.is_list_of_tables() => {
                let message = format!("there can be only one `{}`", self.shown_key());
                let help = match self.key {
                    "output" => ONE_OUTPUT.to_owned(),
                    _ => format!("write `[{}]`", self.shown_key()),
                };
                self.error(value.place(), message).help(help).none()
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
        let Value::List(list) = value.value else {
            if value.value.as_table().is_some() {
                self.error(value.place(), format!("`{key}` must be a list, got a single one"))
                    .help(format!("write `[[{key}]]`, with double brackets"));
            } else {
                self.wrong_type(&value, "a list of tables")
                    .help(format!("write `[[{key}]]`"));
            }
            return Vec::new();
        };
        let mut sections = Vec::with_capacity(list.len());
        for (index, element) in elements(list, &value.path).enumerate() {
            if let Value::Table(table) = element.value {
                let text = |key: &str| {
                    let text = table.get(key)?.as_text();
                    text.filter(|text| !text.is_empty()).map(excerpt)
                };
                let number = index + 1;
                let label = match (text("name"), text("kind")) {
                    (Some(name), _) => format!("{key} `{name}`"),
                    (None, Some(kind)) => format!("{key} {number} (`{kind}`)"),
                    (None, None) => format!("{key} {number}"),
                };
                let label = self.section.part(label);
                let kind = self.kind();
                sections.push(Section::new(
                    table,
                    element.path,
                    label,
                    kind,
                    self.section.problems,
                ));
            } else {
                self.wrong_type(&element, "a list of tables")
                    .help(format!("write `[[{key}]]`"));
            }
        }
        sections
    }

    /// The value as it stands; its absence is reported if it is required, with what could stand there.
    fn value(&self, example: &str) -> Option<Given<'a>> {
        self.value_or(
            || self.shown_key(),
            || format!("add `{} = {example}`", self.shown_key()),
        )
    }

    /// As [`value`](Self::value), for quantities.
    fn quantity(&self, example: &str, unit: Unit) -> Option<Given<'a>> {
        self.value_or(
            || self.shown_key(),
            || match unit.symbol() {
                "1" => format!("add `{} = {example}`", self.shown_key()),
                _ => format!("add `{} = {example}`, {}", self.shown_key(), unit.describe()),
            },
        )
    }

    /// As [`value`](Self::value), where a whole section is missing under another name.
    fn value_or(&self, name: impl FnOnce() -> String, help: impl FnOnce() -> String) -> Option<Given<'a>> {
        let path = self.section.path.key(self.key);
        let found = self.section.table.get(self.key);
        if found.is_none() && self.required {
            let name = if self.section.label.is_empty() {
                name()
            } else {
                self.shown_key()
            };
            let message = format!("missing `{name}`{}", self.section.within());
            self.section
                .lacks(&[self.key], Place::Missing(path.clone()), message)
                .help(help());
        }
        found.map(|value| Given { value, path })
    }

    /// What the table of keys says that it takes; `None` where the author chooses the keys.
    fn kind(&self) -> Option<Kind> {
        let mut keys = self.section.keys.iter().copied().flatten();
        keys.find(|key| key.name == self.key).map(|key| key.kind)
    }

    /// Remembers a number that was read, with what it must be.
    fn record(&self, given: &Given<'_>, component: Option<usize>, knob: impl FnOnce(Knob) -> Knob) {
        let name = || match component {
            Some(index) => format!("component {} of `{}`", index + 1, self.shown_key()),
            None => format!("`{}`", self.shown_key()),
        };
        let problems = self.section.problems;
        problems.record(|| Reading::Number(knob(Knob::new(given.path.clone(), self.section.part(name())))));
    }

    /// The key as messages show it.
    fn shown_key(&self) -> String {
        excerpt(self.key)
    }

    fn error(&self, place: Place, message: impl Into<String>) -> Report<'a> {
        self.section.problems.error(place, message)
    }

    fn wrong_type(&self, value: &Given<'_>, expected: &str) -> Report<'a> {
        let message = format!(
            "`{}` must be {expected}, got {}",
            self.shown_key(),
            value.value.kind()
        );
        self.error(value.place(), message)
    }
}

/// The elements of the list at a path.
fn elements<'a>(list: &'a [Value], path: &Path) -> impl Iterator<Item = Given<'a>> {
    let each = list.iter().enumerate();
    each.map(|(index, value)| Given {
        value,
        path: path.element(index),
    })
}

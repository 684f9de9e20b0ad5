//! A model as data: what a text, a program or a page hands over, before anything in it has been understood.
mod edit;
mod number;
mod segments;
mod serial;

pub use edit::EditError;
pub(crate) use edit::USAGE;
pub use number::Number;
pub(crate) use segments::{Segment, split_path};

use crate::path::{Path, Step};
use indexmap::IndexMap;

/// A value of a model.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A name, a choice, a quantity with its unit, or a formula.
    Text(String),
    /// A number, in SI where it is a quantity.
    Number(Number),
    /// `true` or `false`.
    Boolean(bool),
    /// A date. No key of a model takes one, but a text may have it, and is told so.
    Date(String),
    /// Several values.
    List(Vec<Value>),
    /// A section.
    Table(Table),
}

/// Keys and their values, in the order in which they were given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    entries: IndexMap<String, Value>,
}

/// Tables and lists may be nested this deep; what walks through values by recursion relies on it.
pub(crate) const DEEPEST: usize = 32;

impl Value {
    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The elements, if it is a list.
    pub fn as_list(&self) -> Option<&[Value]> {
        match self {
            Self::List(list) => Some(list),
            _ => None,
        }
    }

    /// The table, if it is one.
    pub fn as_table(&self) -> Option<&Table> {
        match self {
            Self::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<&Number> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    /// Whether it is a list of tables, and not an empty one.
    pub(crate) fn is_list_of_tables(&self) -> bool {
        let tables = |list: &[Value]| !list.is_empty() && list.iter().all(|value| value.as_table().is_some());
        self.as_list().is_some_and(tables)
    }

    /// What it is, with its article, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "a string",
            Self::Number(_) => "a number",
            Self::Boolean(_) => "a boolean",
            Self::Date(_) => "a date",
            Self::List(_) => "an array",
            Self::Table(_) => "a table",
        }
    }
}

impl Table {
    /// A table with nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries.get(key)
    }

    /// The value of a key, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.entries.get_mut(key)
    }

    /// Whether the key is there.
    pub fn contains_key(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// Gives a key its value: in the place of the one it had, or behind all others.
    pub fn insert(&mut self, key: impl Into<String>, value: impl Into<Value>) {
        self.entries.insert(key.into(), value.into());
    }

    /// Takes a key away; the order of the others stays.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        self.entries.shift_remove(key)
    }

    /// The keys and their values.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &Value)> + ExactSizeIterator {
        self.entries.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// The keys.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.entries.keys().map(String::as_str)
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The value at a path; `None` if there is none.
    pub fn at(&self, path: &Path) -> Option<&Value> {
        let steps = path.steps();
        let (first, rest) = steps.split_first()?;
        let Step::Key(key) = first else { return None };
        rest.iter()
            .try_fold(self.get(key)?, |value, step| match (value, step) {
                (Value::Table(table), Step::Key(key)) => table.get(key),
                (Value::List(list), Step::Element(index)) => list.get(*index),
                _ => None,
            })
    }

    /// The numbers of the entries and elements that lead to a path, as far as it is there.
    pub(crate) fn numbers(&self, path: &Path) -> Vec<usize> {
        let mut numbers = Vec::new();
        let (mut table, mut list): (Option<&Table>, Option<&[Value]>) = (Some(self), None);
        for step in path.steps() {
            let found = match (step, table, list) {
                (Step::Key(key), Some(table), _) => {
                    let found = table.entries.get_full(&**key);
                    found.map(|(number, _, value)| (number, value))
                }
                (Step::Element(index), _, Some(list)) => list.get(*index).map(|value| (*index, value)),
                _ => None,
            };
            let Some((number, value)) = found else { break };
            numbers.push(number);
            (table, list) = (value.as_table(), value.as_list());
        }
        numbers
    }

    /// Where values are nested too deeply, if they are.
    pub(crate) fn too_deep(&self) -> Option<Path> {
        let root = Path::root();
        let mut open: Vec<(&Value, Path, usize)> = Vec::new();
        open.extend(self.iter().map(|(key, value)| (value, root.key(key), 1)));
        while let Some((value, path, depth)) = open.pop() {
            match value {
                Value::Table(_) | Value::List(_) if depth > DEEPEST => return Some(path),
                Value::Table(table) => {
                    open.extend(table.iter().map(|(key, value)| (value, path.key(key), depth + 1)));
                }
                Value::List(list) => {
                    let each = list.iter().enumerate();
                    open.extend(each.map(|(index, value)| (value, path.element(index), depth + 1)));
                }
                _ => {}
            }
        }
        None
    }
}

impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Table {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let each = entries.into_iter();
        Self {
            entries: each.map(|(key, value)| (key.into(), value.into())).collect(),
        }
    }
}

impl IntoIterator for Table {
    type Item = (String, Value);
    type IntoIter = indexmap::map::IntoIter<String, Value>;
    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number.into())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number.into())
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Number(number.into())
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::Number((number as u64).into())
    }
}

impl From<bool> for Value {
    fn from(answer: bool) -> Self {
        Self::Boolean(answer)
    }
}

impl From<Table> for Value {
    fn from(table: Table) -> Self {
        Self::Table(table)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(list: Vec<T>) -> Self {
        Self::List(list.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Value>, const N: usize> From<[T; N]> for Value {
    fn from(list: [T; N]) -> Self {
        Self::List(list.into_iter().map(Into::into).collect())
    }
}

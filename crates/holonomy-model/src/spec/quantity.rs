//! Numbers, formulas and references, as a program writes them.
use super::entry::{Entry, list, wrong};
use crate::path::{Path, Place};
use crate::problem::Problems;
use crate::value::Value;

/// A number in SI, or a text: a quantity with its unit, or a formula where one may stand.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// In SI.
    Number(f64),
    /// As it is written: `30 deg`, `5 ms`.
    Text(String),
}

/// Three numbers, along x, y and z.
pub type Vector = [Quantity; 3];

impl Default for Quantity {
    fn default() -> Self {
        Self::Number(0.0)
    }
}

impl From<f64> for Quantity {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Quantity {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// A vector of numbers in SI.
pub fn vector(components: [f64; 3]) -> Vector {
    components.map(Quantity::Number)
}

impl Entry for Quantity {
    fn read(value: &Value, path: &Path, problems: &Problems) -> Option<Self> {
        match value {
            Value::Number(number) => Some(Self::Number(number.value())),
            Value::Text(text) => Some(Self::Text(text.clone())),
            _ => wrong(value, path, "a number or a quantity", problems),
        }
    }

    fn write(&self) -> Value {
        match self {
            Self::Number(number) => (*number).into(),
            Self::Text(text) => text.as_str().into(),
        }
    }
}

impl<T: Entry, const N: usize> Entry for [T; N] {
    fn read(value: &Value, path: &Path, problems: &Problems) -> Option<Self> {
        let list: Vec<T> = list(value, path, problems)?;
        let count = list.len();
        match list.try_into() {
            Ok(array) => Some(array),
            Err(_) => {
                let message = format!("expected {N} components, got {count}");
                problems.error(Place::Value(path.clone()), message).none()
            }
        }
    }

    fn write(&self) -> Value {
        Value::List(self.iter().map(T::write).collect())
    }
}

/// One, or several.
#[derive(Clone, Debug, PartialEq)]
pub enum OneOrMore<T> {
    /// One, by itself.
    One(T),
    /// A list of them.
    More(Vec<T>),
}

impl<T: Entry> Entry for OneOrMore<T> {
    fn read(value: &Value, path: &Path, problems: &Problems) -> Option<Self> {
        match value {
            Value::List(_) => list(value, path, problems).map(Self::More),
            _ => T::read(value, path, problems).map(Self::One),
        }
    }

    fn write(&self) -> Value {
        match self {
            Self::One(one) => one.write(),
            Self::More(list) => Value::List(list.iter().map(T::write).collect()),
        }
    }
}

impl<T: Default> Default for OneOrMore<T> {
    fn default() -> Self {
        Self::One(T::default())
    }
}

impl<T: From<f64>> From<f64> for OneOrMore<T> {
    fn from(number: f64) -> Self {
        Self::One(number.into())
    }
}

impl From<&str> for OneOrMore<Quantity> {
    fn from(text: &str) -> Self {
        Self::One(text.into())
    }
}

impl<const N: usize> From<[f64; N]> for OneOrMore<Quantity> {
    fn from(numbers: [f64; N]) -> Self {
        Self::More(numbers.into_iter().map(Quantity::Number).collect())
    }
}

/// Rows of numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix(pub Vec<Vec<Quantity>>);

impl Entry for Matrix {
    fn read(value: &Value, path: &Path, problems: &Problems) -> Option<Self> {
        let Value::List(rows) = value else {
            return wrong(value, path, "a matrix", problems);
        };
        let rows = rows.iter().enumerate();
        let each: Vec<Option<Vec<Quantity>>> = rows
            .map(|(index, row)| list(row, &path.element(index), problems))
            .collect();
        each.into_iter().collect::<Option<_>>().map(Self)
    }

    fn write(&self) -> Value {
        let row = |row: &Vec<Quantity>| Value::List(row.iter().map(Quantity::write).collect());
        Value::List(self.0.iter().map(row).collect())
    }
}

/// A formula, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Formula(pub String);

impl From<&str> for Formula {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl Entry for Formula {
    fn read(value: &Value, path: &Path, problems: &Problems) -> Option<Self> {
        match value {
            Value::Text(text) => Some(Self(text.clone())),
            Value::Number(number) => Some(Self(number.as_str().to_owned())),
            _ => wrong(value, path, "a formula", problems),
        }
    }

    fn write(&self) -> Value {
        self.0.as_str().into()
    }
}

/// A body, a site or the like, by its name or path, or by its number from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// By name, or by a path such as `mast/top`.
    Name(String),
    /// By number, counted from 1.
    Number(u64),
}

impl Default for Target {
    fn default() -> Self {
        Self::Name(String::new())
    }
}

impl From<&str> for Target {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl Entry for Target {
    fn read(value: &Value, path: &Path, problems: &Problems) -> Option<Self> {
        match value {
            Value::Text(name) => Some(Self::Name(name.clone())),
            _ => u64::read(value, path, problems).map(Self::Number),
        }
    }

    fn write(&self) -> Value {
        match self {
            Self::Name(name) => name.as_str().into(),
            Self::Number(number) => (*number).into(),
        }
    }
}

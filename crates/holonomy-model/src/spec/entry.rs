//! What values of a model are made of, each read from data and written to it.
use super::key::Key;
use crate::path::{Path, Place};
use crate::problem::{Problems, excerpt};
use crate::value::{Table, Value};
use std::borrow::Cow;

/// What a value can be read as.
pub(crate) trait Entry: Sized {
    /// `None` if it is wrong, which has been reported.
    fn read(value: &Value, path: &Path, problems: &Problems) -> Option<Self>;
    fn write(&self) -> Value;
}

/// What can stand under a key, or be absent.
pub(crate) trait Slot: Sized {
    fn take(value: Option<&Value>, path: &Path, problems: &Problems) -> Option<Self>;
    /// `None` leaves the key out.
    fn give(&self) -> Option<Value>;
}

impl<T: Entry> Slot for T {
    fn take(value: Option<&Value>, path: &Path, problems: &Problems) -> Option<Self> {
        match value {
            Some(value) => T::read(value, path, problems),
            None => problems
                .error(Place::Missing(path.clone()), "it is missing")
                .none(),
        }
    }

    fn give(&self) -> Option<Value> {
        Some(self.write())
    }
}

impl<T: Entry> Slot for Option<T> {
    fn take(value: Option<&Value>, path: &Path, problems: &Problems) -> Option<Self> {
        match value {
            Some(value) => T::read(value, path, problems).map(Some),
            None => Some(None),
        }
    }

    fn give(&self) -> Option<Value> {
        self.as_ref().map(T::write)
    }
}

/// An empty list is the same as none.
impl<T: Entry> Slot for Vec<T> {
    fn take(value: Option<&Value>, path: &Path, problems: &Problems) -> Option<Self> {
        match value {
            Some(value) => list(value, path, problems),
            None => Some(Vec::new()),
        }
    }

    fn give(&self) -> Option<Value> {
        let list = || Value::List(self.iter().map(T::write).collect());
        (!self.is_empty()).then(list)
    }
}

/// Values under names that the author chooses; none at all is the same as an empty section.
#[derive(Clone, Debug, PartialEq)]
pub struct Named<T>(pub Vec<(String, T)>);

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T, U: Into<T>, const N: usize> From<[(&str, U); N]> for Named<T> {
    fn from(entries: [(&str, U); N]) -> Self {
        let each = entries.into_iter();
        Self(
            each.map(|(name, value)| (name.to_owned(), value.into()))
                .collect(),
        )
    }
}

impl<T: Entry> Slot for Named<T> {
    fn take(value: Option<&Value>, path: &Path, problems: &Problems) -> Option<Self> {
        let Some(value) = value else {
            return Some(Self::default());
        };
        let Value::Table(table) = value else {
            return wrong(value, path, "a table", problems);
        };
        let each = table.iter().map(|(name, value)| {
            let value = T::read(value, &path.key(name), problems)?;
            Some((name.to_owned(), value))
        });
        let each: Vec<Option<(String, T)>> = each.collect();
        each.into_iter().collect::<Option<_>>().map(Self)
    }

    fn give(&self) -> Option<Value> {
        let each = self.0.iter();
        let table = || {
            each.map(|(name, value)| (name.as_str(), value.write()))
                .collect::<Table>()
        };
        (!self.0.is_empty()).then(|| table().into())
    }
}

impl Entry for String {
    fn read(value: &Value, path: &Path, problems: &Problems) -> Option<Self> {
        match value {
            Value::Text(text) => Some(text.clone()),
            _ => wrong(value, path, "a string", problems),
        }
    }

    fn write(&self) -> Value {
        self.as_str().into()
    }
}

impl Entry for bool {
    fn read(value: &Value, path: &Path, problems: &Problems) -> Option<Self> {
        match value {
            Value::Boolean(answer) => Some(*answer),
            _ => wrong(value, path, "`true` or `false`", problems),
        }
    }

    fn write(&self) -> Value {
        (*self).into()
    }
}

/// Whole numbers up to here are exact in a double.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Entry for u64 {
    fn read(value: &Value, path: &Path, problems: &Problems) -> Option<Self> {
        let number = value.as_number();
        let whole = number.and_then(|number| match number.whole() {
            Some(whole) => u64::try_from(whole).ok(),
            None => Some(number.value())
                .filter(|value| value.fract() == 0.0 && (0.0..=EXACT).contains(value))
                .map(|value| value as u64),
        });
        match whole {
            Some(whole) => Some(whole),
            None => wrong(value, path, "a whole number", problems),
        }
    }

    fn write(&self) -> Value {
        (*self).into()
    }
}

pub(super) fn wrong<T>(value: &Value, path: &Path, expected: &str, problems: &Problems) -> Option<T> {
    let message = format!("it must be {expected}, got {}", value.kind());
    problems.error(Place::Value(path.clone()), message).none()
}

pub(super) fn list<T: Entry>(value: &Value, path: &Path, problems: &Problems) -> Option<Vec<T>> {
    let Value::List(list) = value else {
        return wrong(value, path, "a list", problems);
    };
    let each = list.iter().enumerate();
    let each: Vec<Option<T>> = each
        .map(|(index, value)| T::read(value, &path.element(index), problems))
        .collect();
    each.into_iter().collect()
}

/// The table of a section, all of whose keys are known.
pub(super) fn table<'v>(
    value: &'v Value,
    path: &Path,
    keys: &[Key],
    problems: &Problems,
) -> Option<&'v Table> {
    let Value::Table(table) = value else {
        return wrong(value, path, "a table", problems);
    };
    let mut sound = Some(table);
    for unknown in table
        .keys()
        .filter(|name| !keys.iter().any(|key| key.name == *name))
    {
        let message = format!("unknown key `{}`", excerpt(unknown));
        problems
            .error(Place::Key(path.key(unknown)), message)
            .suggest(unknown, keys.iter().map(|key| key.name));
        sound = None;
    }
    sound
}

/// The kind of a section, and the rest of it.
pub(super) fn kind<'v>(
    value: &'v Value,
    path: &Path,
    kinds: &[&'static str],
    problems: &Problems,
) -> Option<(&'static str, Cow<'v, Value>)> {
    let Value::Table(table) = value else {
        return wrong(value, path, "a table", problems);
    };
    let at = path.key("kind");
    let given = match table.get("kind") {
        Some(given) => given,
        None => return problems.error(Place::Missing(at), "it is missing").none(),
    };
    let kind = word(given, &at, kinds, problems)?;
    let mut rest = table.clone();
    rest.remove("kind");
    Some((kind, Cow::Owned(rest.into())))
}

/// A section of a kind.
pub(super) fn of_kind(kind: &str, part: &impl Entry) -> Value {
    let mut table = Table::from_iter([("kind", kind)]);
    if let Value::Table(rest) = part.write() {
        for (key, value) in rest {
            table.insert(key, value);
        }
    }
    table.into()
}

/// One of the words.
pub(super) fn word(
    value: &Value,
    path: &Path,
    words: &[&'static str],
    problems: &Problems,
) -> Option<&'static str> {
    let Value::Text(given) = value else {
        return wrong(value, path, "a string", problems);
    };
    let found = words.iter().find(|word| *word == given).copied();
    if found.is_none() {
        problems
            .error(
                Place::Value(path.clone()),
                format!("`{}` is not known here", excerpt(given)),
            )
            .suggest(given, words.iter().copied());
    }
    found
}

//! Values set by path, as `--set` does and programs may.
use super::segments::{Segment, segments_of};
use super::{Table, Value};
use crate::path::{Path, Step, is_number};
use crate::problem::{excerpt, suggestion};

/// Why a path does not lead to a value that can be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The path is empty.
    #[error("there is no key")]
    NoKey,
    /// There is nothing between two dots.
    #[error("a key is empty")]
    EmptyKey,
    /// Quotes within a key.
    #[error("`{key}` is not a key")]
    NotAKey {
        /// The key as given.
        key: String,
    },
    /// An element of a list that is not there.
    #[error("there is no list `{key}`")]
    NoList {
        /// The name of the list.
        key: String,
        /// The lists that are there.
        lists: Vec<String>,
    },
    /// A list without elements.
    #[error("`{list}` is empty")]
    EmptyList {
        /// The path of the list.
        list: String,
    },
    /// An element beyond the last.
    #[error("`{list}` has no element {number}")]
    NoElement {
        /// The path of the list.
        list: String,
        /// The number as given.
        number: String,
        /// How many elements there are.
        count: usize,
    },
    /// An element of a name that none has.
    #[error("`{list}` has no element called `{name}`")]
    NoElementCalled {
        /// The path of the list.
        list: String,
        /// The name as given.
        name: String,
        /// The names and kinds of its elements.
        known: Vec<String>,
    },
    /// An element of a name that several have.
    #[error("{count} elements of `{list}` are called `{name}`")]
    Ambiguous {
        /// The path of the list.
        list: String,
        /// The name as given.
        name: String,
        /// How many have it.
        count: usize,
        /// The number of the first of them, counted from 1.
        first: usize,
    },
    /// A key of something that has none.
    #[error("`{path}` is {kind}, so it has no `{key}`")]
    NoTable {
        /// The path of what has no keys.
        path: String,
        /// What it is, with its article.
        kind: &'static str,
        /// The key.
        key: String,
    },
    /// An element that was to be removed.
    #[error("an element of a list cannot be taken away")]
    Element,
}

impl EditError {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        let strings = |list: &[String], word: &str| suggestion(word, list.iter().map(String::as_str));
        match self {
            Self::NoKey | Self::EmptyKey => Some(USAGE.to_owned()),
            Self::NotAKey { .. } | Self::EmptyList { .. } | Self::Element => None,
            Self::NoList { key, lists } => strings(lists, key),
            Self::NoElement { count: 1, .. } => Some("there is only 1".to_owned()),
            Self::NoElement { count, .. } => Some(format!("they are numbered 1 to {count}")),
            Self::NoElementCalled { list, known, .. } if known.is_empty() => {
                Some(format!("give a number, such as `{list}.1`"))
            }
            Self::NoElementCalled { name, known, .. } => strings(known, name),
            Self::Ambiguous { list, first, .. } => Some(format!("give a number, such as `{list}.{first}`")),
            Self::NoTable { path, .. } => Some(format!("write `{path}=…`")),
        }
    }
}

/// How an override is written.
pub(crate) const USAGE: &str = "write a path and a value, such as `run.step=0.01`";

impl Table {
    /// The path that a text such as `body.upper.joint` stands for.
    ///
    /// Keys are joined by dots. Elements of lists are addressed by their number from 1 or by their `name` or `kind`.
    /// Keys may be new, elements may not.
    pub fn find(&self, path: &str) -> Result<Path, EditError> {
        let segments = segments_of(path).map_err(|(_, error)| error)?;
        self.resolve(&segments).map_err(|(_, error)| error)
    }

    /// Sets the value at a path; tables on the way that are not there are made.
    pub fn set(&mut self, path: &str, value: impl Into<Value>) -> Result<Path, EditError> {
        let path = self.find(path)?;
        self.put(&path, value.into());
        Ok(path)
    }

    /// Takes the key at a path away, if it is there.
    pub fn unset(&mut self, path: &str) -> Result<(), EditError> {
        let path = self.find(path)?;
        match self.take(&path) {
            true => Ok(()),
            false => Err(EditError::Element),
        }
    }

    /// Sets the value at a path that was found.
    pub(crate) fn put(&mut self, path: &Path, value: Value) {
        let (Some(before), Some(last)) = (path.parent(), path.last()) else {
            return;
        };
        match (self.reach(before), last) {
            (Some(Reached::Table(table)), Step::Key(key)) => table.insert(&**key, value),
            (Some(Reached::List(list)), Step::Element(index)) => {
                if let Some(element) = list.get_mut(*index) {
                    *element = value;
                }
            }
            _ => {}
        }
    }

    /// Removes the key at a path that was found; `false` if it is no key but an element.
    pub(crate) fn take(&mut self, path: &Path) -> bool {
        let (Some(before), Some(Step::Key(key))) = (path.parent(), path.last()) else {
            return false;
        };
        let there = before.parent().is_none() || self.at(before).is_some();
        if there && let Some(Reached::Table(table)) = self.reach(before) {
            table.remove(key);
        }
        true
    }

    /// The table or list at a path, made if it is a table that is not there.
    fn reach(&mut self, path: &Path) -> Option<Reached<'_>> {
        let mut reached = Reached::Table(self);
        for step in path.steps() {
            let value = match (reached, step) {
                (Reached::Table(table), Step::Key(key)) => {
                    if !table.contains_key(key) {
                        table.insert(&**key, Table::new());
                    }
                    table.get_mut(key)?
                }
                (Reached::List(list), Step::Element(index)) => list.get_mut(*index)?,
                _ => return None,
            };
            reached = match value {
                Value::Table(table) => Reached::Table(table),
                Value::List(list) => Reached::List(list),
                _ => return None,
            };
        }
        Some(reached)
    }

    /// The path that keys stand for; with an error, the number of the key that is wrong.
    pub(crate) fn resolve(&self, segments: &[Segment]) -> Result<Path, (usize, EditError)> {
        let mut path = Path::root();
        let mut trail = String::new();
        let mut place = Known::Table(self);
        for (number, Segment { key, .. }) in segments.iter().enumerate() {
            let next = segments.get(number + 1);
            let value = match place {
                Known::Table(table) => {
                    path = path.key(key);
                    let value = table.get(key);
                    if value.is_none() && next.is_some_and(|next| is_number(&next.key)) {
                        return Err((number, no_list(table, key)));
                    }
                    value
                }
                Known::List(list) => {
                    let index = element(list, key, &trail).map_err(|error| (number, error))?;
                    path = path.element(index);
                    list.get(index)
                }
                Known::Nothing => {
                    if next.is_some_and(|next| is_number(&next.key)) {
                        return Err((number, no_list(&Table::new(), key)));
                    }
                    path = path.key(key);
                    None
                }
            };
            if !trail.is_empty() {
                trail.push('.');
            }
            trail.push_str(key);
            place = match (value, next) {
                (None, _) => Known::Nothing,
                (Some(Value::Table(table)), _) => Known::Table(table),
                (Some(Value::List(list)), _) => Known::List(list),
                (Some(_), None) => Known::Nothing,
                (Some(other), Some(next)) => {
                    let error = EditError::NoTable {
                        path: excerpt(&trail),
                        kind: other.kind(),
                        key: excerpt(&next.key),
                    };
                    return Err((number + 1, error));
                }
            };
        }
        Ok(path)
    }
}

enum Reached<'t> {
    Table(&'t mut Table),
    List(&'t mut Vec<Value>),
}

enum Known<'t> {
    Table(&'t Table),
    List(&'t [Value]),
    Nothing,
}

fn no_list(table: &Table, key: &str) -> EditError {
    let lists = table.iter().filter(|(_, value)| value.as_list().is_some());
    EditError::NoList {
        key: excerpt(key),
        lists: lists.map(|(key, _)| key.to_owned()).collect(),
    }
}

/// The index of the element of a list that a key names.
fn element(list: &[Value], key: &str, trail: &str) -> Result<usize, EditError> {
    let path = excerpt(trail);
    if is_number(key) {
        let number = key.parse::<usize>().ok();
        return match (
            number.filter(|number| (1..=list.len()).contains(number)),
            list.len(),
        ) {
            (Some(number), _) => Ok(number - 1),
            (None, 0) => Err(EditError::EmptyList { list: path }),
            (None, count) => Err(EditError::NoElement {
                list: path,
                number: key.to_owned(),
                count,
            }),
        };
    }
    let called = |attribute: &str| -> Vec<(usize, &str)> {
        let tables = list
            .iter()
            .enumerate()
            .filter_map(|(index, value)| Some((index, value.as_table()?)));
        tables
            .filter_map(|(index, table)| Some((index, table.get(attribute)?.as_text()?)))
            .collect()
    };
    let (names, kinds) = (called("name"), called("kind"));
    for known in [&names, &kinds] {
        let mut matches = known
            .iter()
            .filter(|(_, name)| *name == key)
            .map(|(index, _)| *index);
        match (matches.next(), matches.count()) {
            (None, _) => {}
            (Some(index), 0) => return Ok(index),
            (Some(index), others) => {
                return Err(EditError::Ambiguous {
                    list: path,
                    name: excerpt(key),
                    count: others + 1,
                    first: index + 1,
                });
            }
        }
    }
    let known = names.iter().chain(&kinds).map(|(_, name)| (*name).to_owned());
    Err(EditError::NoElementCalled {
        list: path,
        name: excerpt(key),
        known: known.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> Table {
        let body = |name: &str| Table::from_iter([("name", name)]);
        let mut table = Table::new();
        table.insert("body", vec![body("upper"), body("lower")]);
        table.insert("x", [1.0, 2.0]);
        table
    }

    #[test]
    fn values_are_set_and_taken_away_by_path() {
        let mut table = model();
        assert_eq!(
            table.set("body.lower.mass", 2.0).map(|path| path.to_string()),
            Ok("body.2.mass".to_owned())
        );
        assert_eq!(
            table.set("run.step", "5 ms").map(|path| path.to_string()),
            Ok("run.step".to_owned())
        );
        let at = |table: &Table, path: &str| table.find(path).ok().and_then(|path| table.at(&path).cloned());
        assert_eq!(at(&table, "body.2.mass"), Some(2.0.into()));
        assert_eq!(at(&table, "run.step"), Some("5 ms".into()));
        assert_eq!(table.unset("run.step"), Ok(()));
        assert_eq!(table.unset("nothing.here"), Ok(()));
        assert_eq!(at(&table, "run.step"), None);
        assert!(!table.contains_key("nothing"));
        assert_eq!(table.unset("x.1"), Err(EditError::Element));
    }

    #[test]
    fn a_wrong_path_is_refused() {
        let mut table = model();
        let before = table.clone();
        for (path, error) in [
            ("", "there is no key"),
            ("a..b", "a key is empty"),
            ("body.3.mass", "`body` has no element 3"),
            ("body.uper", "`body` has no element called `uper`"),
            ("bodies.1", "there is no list `bodies`"),
            ("x.1.y", "`x.1` is a number, so it has no `y`"),
            ("a=b", "`a=b` is not a key"),
        ] {
            let found = table.set(path, 1.0).map_err(|error| error.to_string());
            assert_eq!(found, Err(error.to_owned()), "{path}");
        }
        assert_eq!(table, before);
    }
}

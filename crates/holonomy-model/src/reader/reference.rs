use super::{Field, Given, Located, elements};
use crate::problem::{Problems, excerpt};
use crate::value::Value;

/// How one thing of a model speaks of another, such as a body of its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference<'a> {
    /// By its name, or by a path such as `mast/top`.
    Name(&'a str),
    /// By its number, counted from 1.
    Index(usize),
}

impl Located<Reference<'_>> {
    /// The position of what is meant in the list of names, counted from 0; `what` is the word for messages (`body`).
    /// Things without a name have an empty one.
    pub fn resolve<S: AsRef<str>>(&self, what: &str, names: &[S], problems: &Problems) -> Option<usize> {
        match self.value {
            Reference::Index(index) if (1..=names.len()).contains(&index) => Some(index - 1),
            Reference::Index(index) => {
                let message = format!("there is no {what} {index}");
                problems
                    .error(self.place.clone(), message)
                    .help(match names.len() {
                        0 => "there are none".to_owned(),
                        1 => "there is only 1".to_owned(),
                        count => format!("there are {count}, counted from 1"),
                    })
                    .none()
            }
            Reference::Name(name) => {
                let position = names
                    .iter()
                    .position(|known| !name.is_empty() && known.as_ref() == name);
                if let (None, Some((first, last))) = (position, numbered(name, names)) {
                    let message = format!("there is no {what} named `{}`", excerpt(name));
                    problems
                        .error(self.place.clone(), message)
                        .help(format!("they are numbered from `{first}` to `{last}`"));
                } else if position.is_none() {
                    let known = names.iter().map(AsRef::as_ref).filter(|known| !known.is_empty());
                    let message = format!("there is no {what} named `{}`", excerpt(name));
                    problems.error(self.place.clone(), message).suggest(name, known);
                }
                position
            }
        }
    }
}

/// The first and the last of the names that differ from this one in their number only, as `link-1` does.
fn numbered<'n, S: AsRef<str>>(name: &str, names: &'n [S]) -> Option<(&'n str, &'n str)> {
    let stem = |name: &'n str| name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let own = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let mut alike = names
        .iter()
        .map(AsRef::as_ref)
        .filter(|known| own.len() < name.len() && stem(known) == own && known.len() > own.len());
    let first = alike.next()?;
    Some((first, alike.next_back()?))
}

impl<'a> Field<'_, 'a> {
    /// A reference by name or by number.
    pub fn reference(self) -> Option<Located<Reference<'a>>> {
        let value = self.value("\"…\"")?;
        self.reference_of(value)
    }

    /// A list of references by name or by number.
    pub fn references(self) -> Option<Located<Vec<Located<Reference<'a>>>>> {
        let value = self.value("[\"…\"]")?;
        let Value::List(list) = value.value else {
            return self
                .wrong_type(&value, "an array of names")
                .help(format!("write `{} = [\"…\"]`", self.shown_key()))
                .none();
        };
        let each = elements(list, &value.path);
        let references: Vec<_> = each.map(|element| self.reference_of(element)).collect();
        Some(Located::new(
            references.into_iter().collect::<Option<_>>()?,
            value.place(),
        ))
    }

    fn reference_of(&self, value: Given<'a>) -> Option<Located<Reference<'a>>> {
        let reference = match value.value {
            Value::Text(name) => Reference::Name(name),
            Value::Number(digits) if digits.is_whole() => match digits.whole().map(usize::try_from) {
                Some(Ok(index)) if index > 0 => Reference::Index(index),
                _ => {
                    let message = format!("`{}` cannot be {digits}", self.shown_key());
                    return self
                        .error(value.place(), message)
                        .help("give a name, or a number counted from 1")
                        .none();
                }
            },
            _ => return self.wrong_type(&value, "a name or a number").none(),
        };
        Some(Located::new(reference, value.place()))
    }
}

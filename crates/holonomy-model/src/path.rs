use std::fmt::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use serde::{Serialize, Serializer};

/// Where a value stands in a model: keys, and numbers of elements, from the top.
///
/// Written as `--set` takes it: `body.2.joint.axis`, with elements counted from 1. Cheap to clone.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Path(Option<Arc<Last>>);

#[derive(PartialEq, Eq, Hash)]
struct Last {
    before: Path,
    step: Step,
}

/// One step of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// To the value of a key of a table.
    Key(Box<str>),
    /// To an element of a list, counted from 0.
    Element(usize),
}

impl Path {
    /// The model as a whole.
    pub fn root() -> Self {
        Self(None)
    }

    /// The path to a key of the table at this one.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        self.then(Step::Key(key.into()))
    }

    /// The path to an element, counted from 0, of the list at this one.
    #[must_use]
    pub fn element(&self, index: usize) -> Self {
        self.then(Step::Element(index))
    }

    fn then(&self, step: Step) -> Self {
        let before = self.clone();
        Self(Some(Arc::new(Last { before, step })))
    }

    /// The path without its last step; `None` for the model as a whole.
    pub fn parent(&self) -> Option<&Path> {
        self.0.as_ref().map(|last| &last.before)
    }

    /// The last step; `None` for the model as a whole.
    pub fn last(&self) -> Option<&Step> {
        self.0.as_ref().map(|last| &last.step)
    }

    /// All steps, from the top.
    pub fn steps(&self) -> Vec<&Step> {
        let mut steps = Vec::new();
        let mut path = self;
        while let Some(last) = &path.0 {
            steps.push(&last.step);
            path = &last.before;
        }
        steps.reverse();
        steps
    }
}

impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.steps().into_iter().enumerate() {
            if index > 0 {
                formatter.write_char('.')?;
            }
            match step {
                Step::Key(key) if is_bare(key) && !is_number(key) => formatter.write_str(key)?,
                Step::Key(key) => write!(formatter, "{key:?}")?,
                Step::Element(index) => write!(formatter, "{}", index + 1)?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Path({self})")
    }
}

impl Serialize for Path {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Whether a key needs no quotes.
pub(crate) fn is_bare(key: &str) -> bool {
    let bare = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    !key.is_empty() && key.chars().all(bare)
}

/// Whether a part of a path is the number of an element.
pub(crate) fn is_number(part: &str) -> bool {
    !part.is_empty() && part.chars().all(|letter| letter.is_ascii_digit())
}

/// What a problem is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// A value; of a section written as text, its header.
    Value(Path),
    /// The name of a key.
    Key(Path),
    /// A key that is not there.
    Missing(Path),
    /// Bytes of a value that is text, as in a formula.
    Within(Path, Range<usize>),
    /// Bytes of a text that is no model yet, in the span space of its [`Source`](crate::Source).
    Text(Range<usize>),
}

impl Place {
    /// The model as a whole.
    pub fn model() -> Self {
        Self::Value(Path::root())
    }

    /// The path to what it is about; `None` for a text that is no model yet.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Value(path) | Self::Key(path) | Self::Missing(path) | Self::Within(path, _) => Some(path),
            Self::Text(_) => None,
        }
    }
}

impl From<Range<usize>> for Place {
    fn from(span: Range<usize>) -> Self {
        Self::Text(span)
    }
}

impl From<&Place> for Place {
    fn from(place: &Place) -> Self {
        place.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_shown_as_overrides_take_it() {
        let path = Path::root()
            .key("body")
            .element(1)
            .key("joint")
            .key("axis")
            .element(0);
        assert_eq!(path.to_string(), "body.2.joint.axis.1");
        assert_eq!(
            path.parent().map(Path::to_string).as_deref(),
            Some("body.2.joint.axis")
        );
        assert_eq!(Path::root().to_string(), "");
        assert_eq!(
            Path::root().key("a.b").key("1").key("").to_string(),
            "\"a.b\".\"1\".\"\""
        );
    }
}

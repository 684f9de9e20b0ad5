//! The tables of keys: what each section of a model may have.
use crate::path::{Path, Step};
use crate::units::Unit;
use crate::value::{Table, Value};

/// A key of a section.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// What it is called.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// Whether it must be there.
    pub required: bool,
    /// What it means, in a line or two; empty without the feature `documents`.
    pub about: &'static str,
}

/// What a key takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Any text.
    Text,
    /// A name: letters, digits, `-` and `_`.
    Name,
    /// `true` or `false`.
    Boolean,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number between these.
    Count(usize, usize),
    /// A number in SI, or a text with a unit.
    Number(Unit, Bound),
    /// One number, or several.
    Numbers(Unit, Bound),
    /// Three numbers.
    Vector(Unit),
    /// Several vectors.
    Vectors(Unit),
    /// Rows of numbers.
    Matrix(Unit),
    /// A number, a vector, or a formula of parameters.
    Value,
    /// A formula.
    Formula,
    /// Several formulas.
    Formulas,
    /// The name of a thing of this sort, or its number from 1.
    Reference(&'static str),
    /// Several of them.
    References(&'static str),
    /// Several names.
    Names,
    /// A quaternion, an axis and an angle, or Euler angles.
    Rotation,
    /// A formula of `t`, or a table of times and values.
    Motion(Unit),
    /// Several of them.
    Motions(Unit),
    /// A formula of `t` and of what forces see, or a table of times and values.
    Law(Unit),
    /// Several of them.
    Laws(Unit),
    /// A section.
    Section(&'static Keys),
    /// Any number of sections.
    Sections(&'static Keys),
    /// A section whose keys are names that the author chooses, and what each takes.
    Named(&'static Kind),
}

/// Which numbers will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// All that are finite.
    Finite,
    /// Those greater than zero.
    Positive,
    /// Those not less than zero.
    NotNegative,
}

/// The keys of a section, for each of its kinds if it has some.
#[derive(Clone, Copy, Debug)]
pub struct Keys {
    /// What the section is, in a line or two; empty without the feature `documents`.
    pub about: &'static str,
    /// The kinds, with what tells them apart under the key `kind`; one with an empty name if there are none.
    pub kinds: &'static [(&'static str, &'static [Key])],
}

impl Keys {
    /// The keys that a given table may have.
    pub fn of(&self, table: &Table) -> &'static [Key] {
        let kind = table.get("kind").and_then(Value::as_text).unwrap_or_default();
        match self.kinds {
            [(_, keys)] => keys,
            kinds => kinds
                .iter()
                .find(|(name, _)| *name == kind)
                .map_or(&[], |(_, keys)| keys),
        }
    }
}

/// The key that a path leads to in a table that has these keys; `None` if it is not known there.
pub(crate) fn find(keys: &'static [Key], table: &Table, path: &Path) -> Option<&'static Key> {
    let steps = path.steps();
    let mut steps = steps.into_iter().peekable();
    let mut keys = keys;
    let mut table = table;
    loop {
        let Step::Key(name) = steps.next()? else {
            return None;
        };
        let key = keys.iter().find(|key| *key.name == **name)?;
        let mut value = table.get(name);
        let within = match key.kind {
            Kind::Section(within) => within,
            Kind::Sections(within) => {
                if let Some(Step::Element(index)) = steps.next_if(|step| matches!(step, Step::Element(_))) {
                    value = value.and_then(Value::as_list).and_then(|list| list.get(*index));
                }
                within
            }
            _ => return Some(key),
        };
        if steps.peek().is_none() {
            return Some(key);
        }
        table = value?.as_table()?;
        keys = within.of(table);
        // What tells the kinds apart is a key of each.
        if within.kinds.len() > 1
            && steps
                .peek()
                .is_some_and(|step| **step == Step::Key("kind".into()))
        {
            return Some(&KIND);
        }
    }
}

/// The key that tells kinds of sections apart.
pub(crate) const KIND: Key = Key {
    name: "kind",
    kind: Kind::Text,
    required: true,
    about: "Which kind it is.",
};

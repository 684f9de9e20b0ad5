//! `coordinates`, and what names mean in formulas.
use super::texts::report;
use crate::{Located, Problems, Section, problem::excerpt};
use holonomy::{
    formula::{FormulaError, Kind, Scope},
    lagrangian::Slots,
};

/// A coordinate: a number, or a vector.
#[derive(Clone)]
pub(crate) struct Name {
    pub(super) text: String,
    pub(super) kind: Kind,
}

impl Name {
    /// What its components are called.
    pub(super) fn components(&self) -> Vec<String> {
        match self.kind {
            Kind::Scalar => vec![self.text.clone()],
            Kind::Vector => ["x", "y", "z"]
                .map(|axis| format!("{}.{axis}", self.text))
                .to_vec(),
        }
    }

    pub(super) fn size(&self) -> usize {
        match self.kind {
            Kind::Scalar => 1,
            Kind::Vector => 3,
        }
    }
}

/// What names mean in formulas.
pub(crate) struct Names {
    pub(super) list: Vec<Name>,
    pub(super) slots: Slots,
    pub(crate) scope: Scope,
    /// Whether all of them have a meaning.
    pub(super) sound: bool,
    /// Whether formulas can be understood, and what is wrong with them is not a consequence.
    pub(super) judged: bool,
}

/// Second derivatives by all pairs are formed as expressions: a second or so for this many.
const MOST: usize = 64;

/// The names that are listed; `None` if it is not known which they are.
pub(super) fn coordinates<'a>(root: &Section<'a>) -> Option<Vec<Located<&'a str>>> {
    let problems = root.problems();
    if !root.holds("coordinates") {
        let started = root.keys_within(&["start"]);
        let names: Vec<String> = started
            .iter()
            .map(|name| format!("\"{}\"", excerpt(name.value)))
            .collect();
        let list = if names.is_empty() || names.len() > 8 {
            "\"x\", \"y\"".to_owned()
        } else {
            names.join(", ")
        };
        let _ = root.has("coordinates");
        return root
            .lacks(&["coordinates"], root.place(), "missing `coordinates`")
            .help(format!("add `coordinates = [{list}]` at the top"))
            .none();
    }
    let names = root.optional("coordinates").strings()?;
    if names.value.is_empty() {
        return problems
            .error(names.place, "there are no coordinates")
            .help("name at least one: `coordinates = [\"theta\"]`")
            .none();
    }
    let sizes = names.value.iter().map(|name| read_kind(root, name).size());
    let count: usize = sizes.sum();
    if count > MOST {
        let message = format!("{count} coordinates are too many for formulas, which take at most {MOST}");
        return problems
            .error(names.place, message)
            .help("chains and many bodies have a family of their own, `space = \"spheres\"`")
            .none();
    }
    Some(names.value)
}

/// A coordinate whose start is an array is a vector; so is one that has a vector for a velocity.
fn read_kind(root: &Section<'_>, name: &Located<&str>) -> Name {
    let moves = || !root.holds("frame") && root.array_within("velocity", name.value);
    let vector = root.array_within("start", name.value) || moves();
    Name {
        text: name.value.to_owned(),
        kind: if vector { Kind::Vector } else { Kind::Scalar },
    }
}

impl Names {
    /// Names of something else than coordinates.
    pub(crate) fn of(scope: Scope) -> Self {
        Self {
            list: Vec::new(),
            slots: Slots {
                coordinates: 0,
                quasi_velocities: 0,
            },
            scope,
            sound: true,
            judged: true,
        }
    }

    /// Gives coordinates and quasi-velocities their meaning, and reports those that can have none.
    pub(super) fn declare(
        root: &Section<'_>,
        coordinates: Option<&[Located<&str>]>,
        quasi_velocities: &[Located<&str>],
    ) -> Self {
        let mut names = Self {
            list: Vec::new(),
            slots: Slots {
                coordinates: 0,
                quasi_velocities: 0,
            },
            scope: Scope::new(),
            sound: false,
            judged: false,
        };
        let Some(coordinates) = coordinates else {
            return names;
        };
        if let Some(first) = quasi_velocities.get(MOST) {
            let message = format!("more than {MOST} quasi-velocities are too many");
            root.problems().error(first.place.clone(), message);
            return names;
        }
        names.list = coordinates.iter().map(|name| read_kind(root, name)).collect();
        let mut left: Vec<&Located<&str>> = coordinates.iter().chain(quasi_velocities).collect();
        let mut count = coordinates.len();
        let mut refused = Vec::new();
        loop {
            let (first, second) = left.split_at(count);
            let first: Vec<(&str, Kind)> = first
                .iter()
                .map(|name| (name.value, read_kind(root, name).kind))
                .collect();
            let second: Vec<(&str, Kind)> = second.iter().map(|name| (name.value, Kind::Scalar)).collect();
            match Slots::scope(&first, &second) {
                Ok((slots, scope)) => {
                    (names.slots, names.scope) = (slots, scope);
                    break;
                }
                Err((index, error)) => {
                    let name = left.remove(index);
                    let twice = index < count && first[..index].iter().any(|(other, _)| *other == name.value);
                    count -= usize::from(index < count);
                    refused.push(name.value);
                    refuse(name, twice, coordinates, error, root.problems());
                }
            }
        }
        names.sound = refused.is_empty();
        // A name that every formula knows as something else makes nonsense of formulas; others are just not blamed.
        names.judged = !refused.iter().any(|name| is_reserved(name));
        for name in refused {
            excuse(name, &mut names.scope);
        }
        names
    }

    /// The coordinates, if it is known which they are.
    pub(super) fn coordinates(&self) -> Option<&[Name]> {
        self.sound.then_some(self.list.as_slice())
    }

    /// Which of the coordinates a key is; if it is none, that is reported.
    pub(super) fn coordinate(&self, section: &Section<'_>, key: &Located<&str>) -> Option<usize> {
        named(section, key, self.coordinates()?, "coordinate")
    }
}

/// Reports a name that can have no meaning.
fn refuse(
    name: &Located<&str>,
    twice: bool,
    coordinates: &[Located<&str>],
    error: FormulaError,
    problems: &Problems,
) {
    let stem = name.value.strip_suffix('\'');
    let stem = stem.filter(|stem| coordinates.iter().any(|other| other.value == *stem));
    let place = name.place.clone();
    match stem {
        Some(stem) => {
            problems
                .error(place, format!("`{0}'` is the velocity of `{0}`", excerpt(stem)))
                .help("remove it: velocities come with their coordinates");
        }
        None if twice => {
            problems
                .error(place, format!("`{}` is listed twice", excerpt(name.value)))
                .help("remove one of them");
        }
        None => report(error, place, problems),
    }
}

/// Which of the names a key is; if it is none, that is reported.
pub(super) fn named(section: &Section<'_>, key: &Located<&str>, names: &[Name], what: &str) -> Option<usize> {
    let found = names.iter().position(|name| name.text == key.value);
    if found.is_none() {
        section
            .problems()
            .error(
                key.place.clone(),
                format!("`{}` is not a {what}", excerpt(key.value)),
            )
            .suggest(key.value, names.iter().map(|name| name.text.as_str()));
    }
    found
}

/// Whether no scope takes it although it is a name.
fn is_reserved(name: &str) -> bool {
    let mut scope = Scope::new();
    let letters = name
        .chars()
        .all(|letter| letter.is_alphanumeric() || letter == '_');
    letters && !name.starts_with(|letter: char| letter.is_numeric()) && scope.parameter(name, 0.0).is_err()
}

/// Formulas that use a name whose meaning is wrong are not blamed, nor if it is not a name, like `spring-rate`.
pub(super) fn excuse(name: &str, scope: &mut Scope) {
    let parts = name.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    for part in parts {
        scope
            .broken(part.trim_start_matches(|letter: char| letter.is_numeric()))
            .ok();
    }
}

//! What can be wrong with names and states, in every family.
use super::Layout;
use std::{collections::HashSet, fmt, hash::Hash};

/// What bears a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A body.
    Body,
    /// A point on a body or in the world.
    Site,
    /// A constraint.
    Constraint,
    /// A generalized coordinate.
    Coordinate,
    /// A quasi-velocity.
    QuasiVelocity,
    /// A point of a picture.
    Point,
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Body => "body",
            Self::Site => "site",
            Self::Constraint => "constraint",
            Self::Coordinate => "coordinate",
            Self::QuasiVelocity => "quasi-velocity",
            Self::Point => "point",
        })
    }
}

/// Why names cannot tell things apart.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// A name is missing.
    #[error("{what} number {} has no name; give it one", number + 1)]
    Empty {
        /// What has none.
        what: Named,
        /// Its number, from zero.
        number: usize,
    },
    /// Two things have one name.
    #[error("the name `{name}` is given to a {what} twice; change one of them")]
    Twice {
        /// What they are.
        what: Named,
        /// The name.
        name: String,
    },
}

impl StateError {
    /// Whether there are as many finite numbers as a layout has coordinates and velocities.
    pub(crate) fn check(layout: &Layout, q: &[f64], v: &[f64]) -> Result<(), Self> {
        let parts = [
            ("coordinates", &layout.coordinates, q),
            ("velocities", &layout.velocities, v),
        ];
        for (part, names, numbers) in parts {
            let (given, wanted) = (numbers.len(), names.len());
            if given != wanted {
                return Err(Self::Count { part, given, wanted });
            }
        }
        for (_, names, numbers) in parts {
            if let Some(k) = numbers.iter().position(|x| !x.is_finite()) {
                let name = names[k].clone();
                return Err(Self::NotFinite { name });
            }
        }
        Ok(())
    }
}

/// Whether each has a name of its own.
pub(crate) fn check_names<'a>(what: Named, names: impl Iterator<Item = &'a str>) -> Result<(), NameError> {
    check_names_in(what, names.map(|name| ((), name)))
}

/// Whether each has a name of its own among those of its group.
pub(crate) fn check_names_in<'a, G: Eq + Hash>(
    what: Named,
    names: impl Iterator<Item = (G, &'a str)>,
) -> Result<(), NameError> {
    let mut known = HashSet::with_capacity(names.size_hint().0);
    for (number, (group, name)) in names.enumerate() {
        if name.is_empty() {
            return Err(NameError::Empty { what, number });
        }
        if !known.insert((group, name)) {
            let name = name.to_owned();
            return Err(NameError::Twice { what, name });
        }
    }
    Ok(())
}

/// Why coordinates and velocities make no state.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StateError {
    /// Too many or too few numbers or vectors.
    #[error("there are {given} {part}, and the system has {wanted}; give one for each")]
    Count {
        /// What they are.
        part: &'static str,
        /// How many are given.
        given: usize,
        /// How many there should be.
        wanted: usize,
    },
    /// A number that is not finite.
    #[error("`{name}` starts with a number that is not finite; check how it was computed")]
    NotFinite {
        /// The body, coordinate or velocity.
        name: String,
    },
    /// A direction or quaternion that has not length one.
    #[error("the direction or quaternion of `{name}` has length {length}; divide it by its length")]
    NotUnit {
        /// The body.
        name: String,
        /// How long it is.
        length: f64,
    },
    /// An angular velocity with a part along the direction, about which nothing turns.
    #[error("the angular velocity of `{name}` has {along} rad/s along its direction; take that part away")]
    Along {
        /// The body.
        name: String,
        /// That part.
        along: f64,
    },
}

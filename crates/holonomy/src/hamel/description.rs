//! What a frame made of formulas is given by.
//!
//! ```text
//! slots      q 0…n | q' n…2n | t 2n | ξ 2n+1…2n+1+k
//! ```
use crate::formula::{Formula, FormulaError, Kind, Scope};
use std::fmt;

/// Where the variables of the formulas are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slots {
    /// Number n of coordinates; a vector counts three times.
    pub coordinates: usize,
    /// Number k of quasi-velocities; a vector counts three times.
    pub quasi_velocities: usize,
}

impl Slots {
    /// Of coordinate a.
    pub fn coordinate(self, a: usize) -> usize {
        a
    }

    /// Of its velocity.
    pub fn velocity(self, a: usize) -> usize {
        self.coordinates + a
    }

    /// Of time.
    pub fn time(self) -> usize {
        2 * self.coordinates
    }

    /// Of quasi-velocity i.
    pub fn quasi_velocity(self, i: usize) -> usize {
        2 * self.coordinates + 1 + i
    }

    /// Coordinates and quasi-velocities with their names, in order, and a scope in which these and time are known.
    ///
    /// The error is about the name of the given number, coordinates first.
    pub fn scope(
        coordinates: &[(&str, Kind)],
        quasi_velocities: &[(&str, Kind)],
    ) -> Result<(Self, Scope), (usize, FormulaError)> {
        let count = |list: &[(&str, Kind)]| list.iter().map(|(_, kind)| size(*kind)).sum();
        let slots = Self {
            coordinates: count(coordinates),
            quasi_velocities: count(quasi_velocities),
        };
        let mut scope = Scope::new();
        scope.time(slots.time());
        let (mut a, mut i) = (0, 0);
        for (place, (name, kind)) in coordinates.iter().enumerate() {
            scope
                .coordinate(name, *kind, slots.coordinate(a), slots.velocity(a))
                .map_err(|error| (place, error))?;
            a += size(*kind);
        }
        for (place, (name, kind)) in quasi_velocities.iter().enumerate() {
            scope
                .variable(name, *kind, slots.quasi_velocity(i))
                .map_err(|error| (coordinates.len() + place, error))?;
            i += size(*kind);
        }
        Ok((slots, scope))
    }
}

fn size(kind: Kind) -> usize {
    match kind {
        Kind::Scalar => 1,
        Kind::Vector => 3,
    }
}

/// The formulas of a mechanism in a frame, read in the scope of its [`Slots`].
#[derive(Clone, Debug)]
pub struct FrameFormulas<'a> {
    /// Where the variables are.
    pub slots: Slots,
    /// One list per quasi-velocity, of formulas with n components together, in coordinates alone.
    pub fields: &'a [Vec<Formula>],
    /// L, in velocities `q'`, quasi-velocities, or both.
    pub lagrangian: &'a Formula,
    /// Formulas with n components together: forces on the coordinates. Or none.
    pub forces: &'a [Formula],
    /// First integrals to be measured.
    pub invariants: &'a [(String, Formula)],
}

/// Why formulas do not make a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameError {
    /// There is not one field for every quasi-velocity.
    FieldCount {
        /// Lists of formulas.
        given: usize,
        /// Quasi-velocities.
        wanted: usize,
    },
    /// A field does not have one component for every coordinate.
    FieldComponents {
        /// The field.
        field: usize,
        /// Its components.
        given: usize,
        /// Coordinates.
        wanted: usize,
    },
    /// A field changes with time, velocities or quasi-velocities.
    FieldMoves {
        /// The field.
        field: usize,
    },
    /// The forces do not have one component for every coordinate.
    ForceComponents {
        /// Their components.
        given: usize,
        /// Coordinates.
        wanted: usize,
    },
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FieldCount { given, wanted } => write!(
                f,
                "there are {given} fields for {wanted} quasi-velocities; each quasi-velocity needs its field"
            ),
            Self::FieldComponents { field, given, wanted } => write!(
                f,
                "field {} has {given} components; there are {wanted} coordinates, and it needs one for each",
                field + 1
            ),
            Self::FieldMoves { field } => write!(
                f,
                "field {} depends on time or on velocities; fields are functions of the coordinates",
                field + 1
            ),
            Self::ForceComponents { given, wanted } => write!(
                f,
                "the forces have {given} components; there are {wanted} coordinates, and each needs one"
            ),
        }
    }
}

impl std::error::Error for FrameError {}

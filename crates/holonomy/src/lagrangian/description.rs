//! What a mechanism made of formulas is given by.
//!
//! ```text
//! slots      q 0…n | q' n…2n | t 2n | ξ 2n+1…2n+1+k | u 2n+1+k
//! ```
use crate::formula::{Formula, FormulaError, Kind, Scope};

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

    /// Of all velocities, those of coordinates and quasi-velocities.
    pub fn moving(self) -> Vec<usize> {
        let velocities = (0..self.coordinates).map(|a| self.velocity(a));
        let others = (0..self.quasi_velocities).map(|i| self.quasi_velocity(i));
        velocities.chain(others).collect()
    }

    /// Of what goes along a curve of a [`Picture`](super::Picture), in radians from 0 to 2π.
    pub fn along(self) -> usize {
        2 * self.coordinates + 1 + self.quasi_velocities
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

/// The formulas of a mechanism, read in the scope of its [`Slots`].
#[derive(Clone, Debug)]
pub struct Formulas<'a> {
    /// Where the variables are.
    pub slots: Slots,
    /// L, in velocities `q'`, quasi-velocities, or both.
    pub lagrangian: &'a Formula,
    /// One list per quasi-velocity, of formulas with n components together, in coordinates alone. None without a frame.
    pub fields: &'a [Vec<Formula>],
    /// Formulas with n components together: forces on the coordinates. Or none.
    pub forces: &'a [Formula],
    /// Numbers that are zero, in coordinates and time; none in a frame.
    pub constraints: &'a [Formula],
    /// First integrals to be measured.
    pub invariants: &'a [(String, Formula)],
}

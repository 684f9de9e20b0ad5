//! `space = "lagrangian"`: generalized coordinates and formulas.
use super::entry::{Entry, Named};
use super::quantity::{Formula, OneOrMore, Quantity, Vector};
use super::section::section;
use super::{Key, Keys, Kind};
use crate::{Path, Problems, Unit, Value};

section! {
    /// A model in generalized coordinates.
    Lagrangian {
        /// The names of the coordinates. One whose start is a list of three numbers is a vector.
        coordinates: Vec<String>, required Kind::Names;
        /// Coordinates that are angles, to be reported within ±π.
        periodic: Vec<String>, optional Kind::Names;
        /// The kinetic minus the potential energy, in J; `x'` is the velocity of `x`.
        lagrangian: Formula, required Kind::Formula;
        /// Numbers by name.
        parameters: Named<ParameterValue>, optional Kind::Named(&Kind::Value);
        /// Parts of formulas by name.
        definitions: Named<Formula>, optional Kind::Named(&Kind::Formula);
        /// Generalized forces by coordinate.
        forces = "force": Named<Formula>, optional Kind::Named(&Kind::Formula);
        /// Formulas that stay zero.
        constraints = "constraint": Vec<FormulaConstraint>, optional Kind::Sections(&FormulaConstraint::SECTION);
        /// What is measured during the run, by name.
        invariants: Named<Formula>, optional Kind::Named(&Kind::Formula);
        /// Quasi-velocities, for motions that roll without slipping and the like.
        frame: Option<MovingFrame>, optional Kind::Section(&MovingFrame::SECTION);
        /// Points that are drawn, by name: three formulas of coordinates and time, or one that is a vector, in m.
        points: Named<OneOrMore<Formula>>, optional Kind::Named(&Kind::Formulas);
        /// Lines that are drawn.
        lines = "line": Vec<DrawnLine>, optional Kind::Sections(&DrawnLine::SECTION);
        /// The way up for drawing, where there is gravity; z is drawn upwards if it is left out.
        up: Option<Vector>, optional Kind::Vector(Unit::NONE);
        /// The coordinates at the start.
        start: Named<ParameterValue>, required Kind::Named(&Kind::Value);
        /// Their velocities at the start, or the quasi-velocities of a frame; zero if left out.
        velocity: Named<ParameterValue>, optional Kind::Named(&Kind::Value);
        /// Their momenta at the start, in place of velocities.
        momentum: Named<ParameterValue>, optional Kind::Named(&Kind::Value);
    }
}

section! {
    /// A formula of coordinates and time that stays zero.
    FormulaConstraint {
        /// What it is called; `constraint-1` and so on if it has no name.
        name: Option<String>, optional Kind::Name;
        /// What stays zero.
        formula: Formula, required Kind::Formula;
    }
}

section! {
    /// A line that is drawn, through points or along a curve.
    DrawnLine {
        /// Names of two points or more, in the order in which it goes through them.
        through: Vec<String>, optional Kind::Names;
        /// Whether the last point is joined to the first.
        closed: Option<bool>, optional Kind::Boolean;
        /// In place of points a curve: three formulas, or one that is a vector, in which `u` goes from 0 to 2π.
        curve: Option<OneOrMore<Formula>>, optional Kind::Formulas;
    }
}

section! {
    /// Quasi-velocities and their fields.
    MovingFrame {
        /// Quasi-velocities that stay zero.
        constrained: Vec<String>, optional Kind::Names;
        /// For each quasi-velocity its field: one component for every coordinate.
        fields: Named<OneOrMore<Formula>>, required Kind::Named(&Kind::Formulas);
    }
}

/// A number, a vector, or a formula of parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterValue {
    /// A number, a quantity or a formula.
    Number(Quantity),
    /// Three numbers.
    Vector(Vector),
}

impl Entry for ParameterValue {
    fn read(value: &Value, path: &Path, problems: &Problems) -> Option<Self> {
        match value {
            Value::List(_) => Vector::read(value, path, problems).map(Self::Vector),
            _ => Quantity::read(value, path, problems).map(Self::Number),
        }
    }

    fn write(&self) -> Value {
        match self {
            Self::Number(number) => number.write(),
            Self::Vector(vector) => vector.write(),
        }
    }
}

impl From<f64> for ParameterValue {
    fn from(number: f64) -> Self {
        Self::Number(number.into())
    }
}

impl From<&str> for ParameterValue {
    fn from(text: &str) -> Self {
        Self::Number(text.into())
    }
}

impl From<[f64; 3]> for ParameterValue {
    fn from(components: [f64; 3]) -> Self {
        Self::Vector(super::vector(components))
    }
}

//! Joints, rotations and motions of trees.
use super::entry::{Entry, wrong};
use super::key::Bound::{Finite, NotNegative, Positive};
use super::quantity::{Formula, OneOrMore, Quantity, Target, Vector, vector};
use super::section::{choice, section};
use super::{Key, Keys, Kind};
use crate::units::Unit;
use crate::{Path, Problems, Value};

choice! {
    /// The kinds of joints.
    JointKind {
        /// None: the body is part of its parent.
        Fixed = "fixed",
        /// A hinge.
        Revolute = "revolute",
        /// A slide.
        Prismatic = "prismatic",
        /// A screw.
        Screw = "screw",
        /// Two hinges in a row.
        Universal = "universal",
        /// A ball joint.
        Spherical = "spherical",
        /// None: the body moves freely.
        Free = "free",
    }
}

section! {
    /// How a body moves against its parent.
    Joint {
        /// Which kind it is.
        kind: JointKind, required Kind::Choice(JointKind::WORDS);
        /// What its coordinates and its effort are called after; the name of the body if left out.
        name: Option<String>, optional Kind::Name;
        /// Where it is on the parent; the origin if left out.
        at: Option<Vector>, optional Kind::Vector(Unit::METRE);
        /// How its axes are turned against those of the parent; not at all if left out.
        turned: Option<Rotation>, optional Kind::Rotation;
        /// The axis of a revolute, prismatic or screw joint; its length does not matter.
        axis: Option<Vector>, optional Kind::Vector(Unit::NONE);
        /// The two axes of a universal joint.
        axes: Vec<Vector>, optional Kind::Vectors(Unit::NONE);
        /// The way along a screw per angle, in m/rad.
        pitch: Option<Quantity>, optional Kind::Number(Unit::ANY, Finite);
        /// The least and largest position of a revolute, prismatic or screw joint. Nothing stops it there: a run says where it
        /// went beyond. `{ from, to, stiffness, damping, smoothing }` stops it, by a spring and a damper.
        limits: Option<Limits>, optional Kind::Numbers(Unit::ANY, Finite);
    }
}

section! {
    /// A stop at both ends of the way of a joint.
    JointStop {
        /// The least position.
        from: Quantity, required Kind::Number(Unit::ANY, Finite);
        /// The largest.
        to: Quantity, required Kind::Number(Unit::ANY, Finite);
        /// Effort per way beyond them.
        stiffness: Quantity, required Kind::Number(Unit::ANY, Positive);
        /// Effort per velocity there; none if left out. It never pulls back.
        damping: Option<Quantity>, optional Kind::Number(Unit::ANY, NotNegative);
        /// The way over which both set in; a thousandth of that between the limits if left out.
        smoothing: Option<Quantity>, optional Kind::Number(Unit::ANY, NotNegative);
    }
}

/// How far a joint goes.
#[derive(Clone, Debug, PartialEq)]
pub enum Limits {
    /// The least and largest position that is meant; nothing stops it there.
    Meant(OneOrMore<Quantity>),
    /// A spring and a damper beyond them.
    Stop(JointStop),
}

impl Entry for Limits {
    fn read(value: &Value, path: &Path, problems: &Problems) -> Option<Self> {
        match value {
            Value::Table(_) => JointStop::read(value, path, problems).map(Self::Stop),
            _ => OneOrMore::read(value, path, problems).map(Self::Meant),
        }
    }

    fn write(&self) -> Value {
        match self {
            Self::Meant(limits) => limits.write(),
            Self::Stop(stop) => stop.write(),
        }
    }
}

impl Joint {
    /// A hinge about an axis.
    pub fn revolute(axis: [f64; 3]) -> Self {
        Self {
            kind: JointKind::Revolute,
            axis: Some(vector(axis)),
            ..Self::default()
        }
    }

    /// A slide along an axis.
    pub fn prismatic(axis: [f64; 3]) -> Self {
        Self {
            kind: JointKind::Prismatic,
            axis: Some(vector(axis)),
            ..Self::default()
        }
    }

    /// A ball joint.
    pub fn spherical() -> Self {
        Self {
            kind: JointKind::Spherical,
            ..Self::default()
        }
    }

    /// No joint: the body moves freely.
    pub fn free() -> Self {
        Self {
            kind: JointKind::Free,
            ..Self::default()
        }
    }

    /// The same at another point of the parent.
    #[must_use]
    pub fn at(self, place: [f64; 3]) -> Self {
        Self {
            at: Some(vector(place)),
            ..self
        }
    }
}

section! {
    /// A spring in a joint: `stiffness` with `rest`, or `energy`.
    JointSpring {
        /// Its effort per coordinate.
        stiffness: Option<Quantity>, optional Kind::Number(Unit::ANY, NotNegative);
        /// The coordinate at which it does not pull; zero if left out.
        rest: Option<Quantity>, optional Kind::Number(Unit::ANY, Finite);
        /// Its energy: a formula of `q`.
        energy: Option<Formula>, optional Kind::Formula;
    }
}

section! {
    /// A rotation about an axis.
    AxisAngle {
        /// The axis; its length does not matter.
        axis: Vector, required Kind::Vector(Unit::NONE);
        /// The angle.
        angle: Quantity, required Kind::Number(Unit::RADIAN, Finite);
    }
}

section! {
    /// A rotation by Euler angles.
    EulerAngles {
        /// The angles, in the order of the axes.
        euler: Vector, required Kind::Vector(Unit::RADIAN);
        /// The axes, one turn after the other; `zyx` if left out.
        order: Option<String>, optional Kind::Text;
    }
}

section! {
    /// A rotation by roll, pitch and yaw.
    RollPitchYaw {
        /// The three angles.
        rpy: Vector, required Kind::Vector(Unit::RADIAN);
    }
}

/// A rotation.
#[derive(Clone, Debug, PartialEq)]
pub enum Rotation {
    /// A unit quaternion, `[w, x, y, z]`.
    Quaternion([Quantity; 4]),
    /// About an axis.
    AxisAngle(AxisAngle),
    /// By Euler angles.
    Euler(EulerAngles),
    /// By roll, pitch and yaw.
    RollPitchYaw(RollPitchYaw),
}

impl Entry for Rotation {
    fn read(value: &Value, path: &Path, problems: &Problems) -> Option<Self> {
        match value {
            Value::List(_) => Entry::read(value, path, problems).map(Self::Quaternion),
            Value::Table(table) if table.contains_key("euler") => {
                EulerAngles::read(value, path, problems).map(Self::Euler)
            }
            Value::Table(table) if table.contains_key("rpy") => {
                RollPitchYaw::read(value, path, problems).map(Self::RollPitchYaw)
            }
            Value::Table(_) => AxisAngle::read(value, path, problems).map(Self::AxisAngle),
            _ => wrong(value, path, "a rotation", problems),
        }
    }

    fn write(&self) -> Value {
        match self {
            Self::Quaternion(quaternion) => quaternion.write(),
            Self::AxisAngle(turn) => turn.write(),
            Self::Euler(angles) => angles.write(),
            Self::RollPitchYaw(angles) => angles.write(),
        }
    }
}

section! {
    /// Values at times, with a smooth curve through them.
    MotionTable {
        /// A file of columns beside the model; its numbers are put into the model as it is loaded.
        file: Option<String>, optional Kind::Text;
        /// The times, or the column of the file that has them; the first if left out.
        times: Option<Column>, optional Kind::Numbers(Unit::SECOND, Finite);
        /// The values at them, or the column of the file; the second if left out.
        values: Option<Column>, optional Kind::Numbers(Unit::ANY, Finite);
    }
}

section! {
    /// What drives a spherical or a free joint.
    DrivenPlace {
        /// The position of a free joint: three formulas of `t`, or tables.
        position: Vec<Motion>, optional Kind::Motions(Unit::METRE);
        /// Its rotation vector: three formulas of `t`, or tables.
        rotation: Vec<Motion>, optional Kind::Motions(Unit::RADIAN);
        /// In place of `rotation`: a file of columns beside the model.
        file: Option<String>, optional Kind::Text;
        /// In place of `rotation`: times, or the column of the file.
        times: Option<Column>, optional Kind::Numbers(Unit::SECOND, Finite);
        /// Unit quaternions `[w, x, y, z]` at them, or four columns of the file.
        quaternions: Vec<Column>, optional Kind::Matrix(Unit::NONE);
    }
}

/// Numbers, or the column of a file that has them, by its name or its number from 1.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// These numbers.
    Numbers(Vec<Quantity>),
    /// A column.
    Of(Target),
}

impl From<&str> for Column {
    fn from(name: &str) -> Self {
        Self::Of(name.into())
    }
}

impl From<Vec<Quantity>> for Column {
    fn from(numbers: Vec<Quantity>) -> Self {
        Self::Numbers(numbers)
    }
}

impl Entry for Column {
    fn read(value: &Value, path: &Path, problems: &Problems) -> Option<Self> {
        match value {
            Value::List(_) => super::entry::list(value, path, problems).map(Self::Numbers),
            _ => Target::read(value, path, problems).map(Self::Of),
        }
    }

    fn write(&self) -> Value {
        match self {
            Self::Numbers(numbers) => Value::List(numbers.iter().map(Quantity::write).collect()),
            Self::Of(column) => column.write(),
        }
    }
}

/// What drives a joint.
#[derive(Clone, Debug, PartialEq)]
pub enum Drive {
    /// One coordinate.
    One(Motion),
    /// Each of the angles of a universal joint.
    Each(Vec<Motion>),
    /// A spherical or a free joint.
    Place(DrivenPlace),
}

impl From<f64> for Drive {
    fn from(number: f64) -> Self {
        Self::One(number.into())
    }
}

impl From<&str> for Drive {
    fn from(text: &str) -> Self {
        Self::One(text.into())
    }
}

impl From<Motion> for Drive {
    fn from(motion: Motion) -> Self {
        Self::One(motion)
    }
}

impl Entry for Drive {
    fn read(value: &Value, path: &Path, problems: &Problems) -> Option<Self> {
        let places = ["position", "rotation", "quaternions"];
        match value {
            Value::List(_) => super::entry::list(value, path, problems).map(Self::Each),
            Value::Table(table) if places.iter().any(|key| table.contains_key(key)) => {
                DrivenPlace::read(value, path, problems).map(Self::Place)
            }
            _ => Motion::read(value, path, problems).map(Self::One),
        }
    }

    fn write(&self) -> Value {
        match self {
            Self::One(motion) => motion.write(),
            Self::Each(motions) => Value::List(motions.iter().map(Motion::write).collect()),
            Self::Place(place) => place.write(),
        }
    }
}

/// A number or a formula of `t`, or a table of times and values.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// A number, a quantity, or a formula of `t` and of parameters.
    Formula(Quantity),
    /// A table.
    Table(MotionTable),
}

impl Default for Motion {
    fn default() -> Self {
        Self::Formula(Quantity::default())
    }
}

impl From<f64> for Motion {
    fn from(number: f64) -> Self {
        Self::Formula(number.into())
    }
}

impl From<&str> for Motion {
    fn from(text: &str) -> Self {
        Self::Formula(text.into())
    }
}

impl Entry for Motion {
    fn read(value: &Value, path: &Path, problems: &Problems) -> Option<Self> {
        match value {
            Value::Table(_) => MotionTable::read(value, path, problems).map(Self::Table),
            _ => Quantity::read(value, path, problems).map(Self::Formula),
        }
    }

    fn write(&self) -> Value {
        match self {
            Self::Formula(formula) => formula.write(),
            Self::Table(table) => table.write(),
        }
    }
}

//! Models as typed data, for programs.
//!
//! A [`Spec`] is what a model file says, as structs: built with plain struct syntax, serializable, and written to and
//! read from text. Every section is declared once, by the macro `section!`; from that declaration come the struct, the
//! table of its keys with their units and bounds, reading, writing, "did you mean", and the reference of the guide.
//!
//! A double pendulum, made by a program and run for a second:
//!
//! ```
//! use holonomy_model::spec::{Gravity, MethodChoice, RunLength, Spec, SphereBody, Spheres, System, vector};
//!
//! let upper = SphereBody {
//!     name: Some("upper".to_owned()),
//!     mass: 1.0.into(),
//!     direction: vector([0.6, 0.0, -0.8]),
//!     ..SphereBody::default()
//! };
//! let lower = SphereBody {
//!     name: Some("lower".to_owned()),
//!     parent: Some("upper".into()),
//!     length: Some("50 cm".into()),
//!     ..upper.clone()
//! };
//! let gravity = Gravity { acceleration: vector([0.0, 0.0, -9.81]) };
//! let spec = Spec {
//!     title: "Double pendulum".to_owned(),
//!     system: System::Spheres(Spheres {
//!         bodies: vec![upper, lower],
//!         potentials: vec![gravity.into()],
//!         ..Spheres::default()
//!     }),
//!     method: MethodChoice::new("sphere-implicit"),
//!     run: RunLength::new(0.01, 1.0),
//!     output: None,
//!     state: None,
//!     inputs: Vec::new(),
//!     ..Spec::default()
//! };
//! let model = spec.build().map_err(|problems| problems[0].clone())?;
//! let mut simulation = model.simulation();
//! let before = simulation.system().energy(&simulation.state).total();
//! simulation.advance(model.schedule.steps)?;
//! let after = simulation.system().energy(&simulation.state).total();
//! assert!((after - before).abs() < 1e-2);
//!
//! // The same as text, which loads to the same model.
//! assert!(spec.to_toml().contains("length = \"50 cm\""));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
mod control;
mod entry;
mod joint;
mod key;
mod lagrangian;
mod quantity;
mod reference;
mod run;
mod section;
mod spheres;
#[cfg(test)]
mod tests;
mod tree;

pub use control::{ControlBound, ControlGoal, ControlTask, When};
pub use entry::Named;
pub use joint::{
    AxisAngle, Column, Drive, DrivenPlace, EulerAngles, Joint, JointKind, JointSpring, JointStop, Limits,
    Motion, MotionTable, RollPitchYaw, Rotation,
};
pub use key::{Bound, Key, Keys, Kind};
pub use lagrangian::{DrawnLine, FormulaConstraint, Lagrangian, MovingFrame, ParameterValue};
pub use quantity::{Formula, Matrix, OneOrMore, Quantity, Target, Vector, vector};
pub use reference::reference;
pub(crate) use run::MOST_STEPS;
pub use run::{
    Forcing, GivenStart, InputFeedback, InputForce, MethodChoice, Output, RunLength, Solver, TrajectoryFormat,
};
pub use spheres::{
    Bending, BendingLaw, BodyEnergy, BodyPoint, BodySpring, Chain, Cotangent, Dipoles, Gravity, Grid,
    IcosphereBodies, LennardJones, PairEnergy, PointOnBody, SphereBody, SpherePotential, SphereShape,
    SphereStart, Spheres, Spiral, Swirl,
};
pub use tree::{
    BodyWrench, Cable, CableKind, CableLength, Coincide, Coupling, CouplingTerm, Damper, Distance,
    ElasticBeam, Orientation, Plane, PulleySide, QuadraticDrag, RigidMoments, RopePulley, SiteEnergy,
    SiteForce, SitePoint, SiteSpring, SlackString, Tree, TreeBody, TreeConstraint, TreePotential, TreeShape,
    TreeStart, Weld, WrenchAxes,
};

use crate::{Model, Path, Problem, Problems, Source, Table, Value};
use entry::Entry;
use section::{choice, section};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// A model as typed data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spec {
    /// What it is called, for people.
    pub title: String,
    /// What moves, and how it starts.
    pub system: System,
    /// How the motion is computed.
    pub method: MethodChoice,
    /// How far it runs.
    pub run: RunLength,
    /// How the trajectory is written.
    pub output: Option<Output>,
    /// Where it starts, in place of what the system says.
    pub state: Option<GivenStart>,
    /// Generalized forces that a program sets while it takes steps.
    pub inputs: Vec<InputForce>,
    /// How `holonomy control` seeks inputs.
    pub control: Option<ControlTask>,
    /// What these are to bring about.
    pub goals: Vec<ControlGoal>,
    /// Between what outputs are to stay.
    pub bounds: Vec<ControlBound>,
}

/// What moves, by family.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one in a model, and programs write it"
)]
pub enum System {
    /// Bodies on spheres.
    Spheres(Spheres),
    /// Generalized coordinates and formulas.
    Lagrangian(Lagrangian),
    /// Jointed rigid bodies.
    Tree(Tree),
}

impl Default for System {
    fn default() -> Self {
        Self::Spheres(Spheres::default())
    }
}

choice! {
    /// The families of systems.
    Space {
        /// Bodies whose directions are points of the unit sphere.
        Spheres = "spheres",
        /// Generalized coordinates and formulas.
        Lagrangian = "lagrangian",
        /// Jointed rigid bodies.
        Tree = "tree",
    }
}

section! {
    /// What every model has.
    Common {
        /// What the model is called, for people.
        title: Option<String>, optional Kind::Text;
        /// The family. `tree` must be said; the others follow from their keys.
        space: Option<Space>, optional Kind::Choice(Space::WORDS);
        /// How the motion is computed.
        method: MethodChoice, required Kind::Section(&MethodChoice::SECTION);
        /// How far the model runs.
        run: RunLength, required Kind::Section(&RunLength::SECTION);
        /// How the trajectory is written.
        output: Option<Output>, optional Kind::Section(&Output::SECTION);
        /// Where it starts, in place of what its bodies say.
        state: Option<GivenStart>, optional Kind::Section(&GivenStart::SECTION);
        /// Generalized forces that a program sets; zero in a run of the command.
        inputs = "input": Vec<InputForce>, optional Kind::Sections(&InputForce::SECTION);
        /// How `holonomy control` seeks inputs.
        control: Option<ControlTask>, optional Kind::Section(&ControlTask::SECTION);
        /// What these inputs are to bring about.
        goals = "goal": Vec<ControlGoal>, optional Kind::Sections(&ControlGoal::SECTION);
        /// Between what outputs are to stay under them.
        bounds = "bound": Vec<ControlBound>, optional Kind::Sections(&ControlBound::SECTION);
    }
}

impl Space {
    /// The family that `space` names, or else the one whose keys there are.
    fn of(table: &Table) -> Self {
        let any = |keys: &[&str]| keys.iter().any(|key| table.contains_key(key));
        let given = table.get("space").and_then(Value::as_text);
        match given {
            Some("tree") => Self::Tree,
            Some("lagrangian") => Self::Lagrangian,
            Some(_) => Self::Spheres,
            None if any(&["lagrangian", "coordinates"])
                && !any(&["body", "chain", "grid", "icosphere", "spiral"]) =>
            {
                Self::Lagrangian
            }
            None => Self::Spheres,
        }
    }

    /// The keys of a model of this family, besides those that every model has.
    pub fn keys(self) -> &'static [Key] {
        match self {
            Self::Spheres => Spheres::KEYS,
            Self::Lagrangian => Lagrangian::KEYS,
            Self::Tree => Tree::KEYS,
        }
    }
}

/// What may stand at the top of a model.
pub(crate) fn top_keys(table: &Table) -> [&'static [Key]; 2] {
    [Common::KEYS, Space::of(table).keys()]
}

/// Whether there may be several sections of this name at the top of some model.
pub(crate) fn is_list(name: &str) -> bool {
    let mut keys = [Common::KEYS, Spheres::KEYS, Lagrangian::KEYS, Tree::KEYS]
        .into_iter()
        .flatten();
    keys.any(|key| key.name == name && matches!(key.kind, Kind::Sections(_)))
}

/// The key that a path in a model leads to; `None` if it is not known there.
pub fn key_at(table: &Table, path: &Path) -> Option<&'static Key> {
    let own = || key::find(Space::of(table).keys(), table, path);
    key::find(Common::KEYS, table, path).or_else(own)
}

impl Spec {
    /// Builds the model. All errors are reported at once, each with the path of what it is about.
    pub fn build(&self) -> Result<Model, Vec<Problem>> {
        crate::build(&self.to_table())
    }

    /// The model as a table of values.
    pub fn to_table(&self) -> Table {
        let (space, system) = match &self.system {
            System::Spheres(spheres) => (Space::Spheres, spheres.write()),
            System::Lagrangian(lagrangian) => (Space::Lagrangian, lagrangian.write()),
            System::Tree(tree) => (Space::Tree, tree.write()),
        };
        let common = Common {
            title: (!self.title.is_empty()).then(|| self.title.clone()),
            space: Some(space),
            method: self.method.clone(),
            run: self.run.clone(),
            output: self.output.clone(),
            state: self.state.clone(),
            inputs: self.inputs.clone(),
            control: self.control.clone(),
            goals: self.goals.clone(),
            bounds: self.bounds.clone(),
        };
        let mut table = Table::new();
        let (Value::Table(mut common), Value::Table(system)) = (common.write(), system) else {
            return table;
        };
        for key in ["title", "space"] {
            if let Some(value) = common.remove(key) {
                table.insert(key, value);
            }
        }
        for (key, value) in system.into_iter().chain(common) {
            table.insert(key, value);
        }
        table
    }

    /// The model as text, which loads to the same bits.
    pub fn to_toml(&self) -> String {
        crate::to_toml(&self.to_table(), "")
    }

    /// Reads what a table says. Only its shape is checked; [`build`](Self::build) checks what it means.
    pub fn from_table(table: &Table) -> Result<Self, Vec<Problem>> {
        let problems = Problems::new();
        if let Some(path) = table.too_deep() {
            let message = "tables and arrays are nested too deeply";
            problems.error(crate::Place::Value(path), message);
            return Err(problems.into_ordered(table));
        }
        let document = crate::Document::of_data(table, &problems);
        let spec = Self::read(document.table(), &problems).filter(|_| !problems.has_errors());
        spec.ok_or_else(|| document.origins.gather(problems.into_ordered(document.table())))
    }

    /// Reads what a text says, as [`from_table`](Self::from_table) does; problems have their places in the text.
    pub fn from_text(source: &Source) -> Result<Self, Vec<Problem>> {
        let problems = Problems::new();
        let Some(document) = crate::parse(source, &problems) else {
            return Err(problems.into_sorted());
        };
        let spec = Self::read(document.table(), &problems).filter(|_| !problems.has_errors());
        spec.ok_or_else(|| document.located(problems))
    }

    fn read(table: &Table, problems: &Problems) -> Option<Self> {
        let (mut common, mut own) = (Table::new(), Table::new());
        for (key, value) in table.iter() {
            let shared = Common::KEYS.iter().any(|known| known.name == key);
            let part = if shared { &mut common } else { &mut own };
            part.insert(key, value.clone());
        }
        let (root, own) = (Path::root(), Value::Table(own));
        let system = match Space::of(table) {
            Space::Spheres => Spheres::read(&own, &root, problems).map(System::Spheres),
            Space::Lagrangian => Lagrangian::read(&own, &root, problems).map(System::Lagrangian),
            Space::Tree => Tree::read(&own, &root, problems).map(System::Tree),
        };
        let common = Common::read(&common.into(), &root, problems);
        let (common, system) = (common?, system?);
        Some(Self {
            title: common.title.unwrap_or_default(),
            system,
            method: common.method,
            run: common.run,
            output: common.output,
            state: common.state,
            inputs: common.inputs,
            control: common.control,
            goals: common.goals,
            bounds: common.bounds,
        })
    }
}

/// As the table of values.
impl Serialize for Spec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_table().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Spec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let table = Table::deserialize(deserializer)?;
        Self::from_table(&table).map_err(|problems| {
            let list: Vec<String> = problems.iter().map(ToString::to_string).collect();
            D::Error::custom(list.join("; "))
        })
    }
}

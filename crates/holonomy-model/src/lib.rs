//! Models of mechanical systems as data: a [`Table`] of values → a mechanism, a state, a method and a schedule; or a
//! list of problems, each with the path of what it is about. Text is one way to make a table: [`load`] finds the line and
//! column of every problem too. Rendering them is the caller's business.
//!
//! `value` and `path` are the data; `source`, `parse`, `overrides` and `resolved` know text; `repeat` makes many sections of
//! one; `reader` takes a table key by key; `spheres` (with `bodies` and `potentials`), `lagrangian`, `tree` and `run` know the words of the language.
#![deny(clippy::disallowed_types)]
// Unit tests may check against the functions of the platform.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod bodies;
mod catenary;
pub mod control;
mod description;
mod files;
mod fingerprint;
mod given;
mod given_functions;
mod input;
mod knob;
mod lagrangian;
mod of_time;
mod overrides;
mod parse;
mod path;
mod potentials;
mod problem;
mod reader;
mod record;
mod render;
mod repeat;
mod resolved;
mod run;
pub mod scenario;
mod source;
pub mod spec;
mod spheres;
mod start;
mod starts;
mod tree;
mod units;
mod value;

pub use description::Description;
pub use files::Files;
pub use given_functions::Functions;
pub use holonomy::formula::nearest;
pub use input::{Feedback, Input, Own, Watched, velocity_named, watched};
pub use knob::Knob;
pub use parse::{Document, Marked, parse};
pub use path::{Path, Place, Step};
pub use problem::{Problem, Problems, Report, Severity};
pub use reader::{Field, FormulaOrTable, FormulaText, Located, Reference, Section};
pub use record::{Outputs, output_suggestion};
pub use render::render;
pub use run::Format;
pub use source::{Location, Source};
pub use starts::Starts;
pub use tree::{OutlineBody, OutlineCoupling, TreeOutline};
pub use units::{QuantityError, Unit, parse_quantity};
pub use value::{EditError, Number, Table, Value};

use knob::Reading;

use holonomy::{
    geometry::EulerOrder,
    integrator::{
        Integrator,
        catalog::{Method, Options},
    },
    simulation::{Checkpoint, Fingerprint, Label, ResumeError, Schedule, Simulation},
    system::{Family, Mechanism, State},
};
use std::sync::{Mutex, PoisonError};

/// A model, ready to run.
pub struct Model {
    /// What it is called, for people.
    pub title: String,
    /// What moves.
    pub mechanism: Mechanism,
    /// Where it starts.
    pub state: State,
    /// How it is stepped.
    pub method: &'static Method,
    /// Options of the method.
    pub options: Options,
    /// How far it runs.
    pub schedule: Schedule,
    /// How the trajectory is written.
    pub format: Format,
    /// Euler angles that the trajectory has beside its quaternions, if it is to have any.
    pub attitude: Option<EulerOrder>,
    /// What is recorded beside the state.
    pub outputs: Outputs,
    /// What a program may push while it takes steps.
    pub inputs: Vec<Input>,
    /// What inputs are to bring about, if they are to be sought.
    pub control: Option<control::Control>,
    /// What was understood of the text, in words.
    pub description: Description,
    /// The model as data, with all overrides in it.
    pub table: Table,
    /// Things worth knowing that are not errors.
    pub notes: Vec<Problem>,
    /// What a program has handed over for it.
    pub functions: Functions,
    /// The method as the loader made it, to see whether it fits: the first simulation takes it.
    made: Mutex<Option<Made>>,
}

/// A method, made for the mechanism of a model.
struct Made {
    method: &'static str,
    options: Options,
    integrator: Box<dyn Integrator>,
}

impl Model {
    /// A simulation that starts where the model does.
    pub fn simulation(&self) -> Simulation {
        self.simulation_by(self.integrator(), &self.options)
    }

    /// A simulation that goes on where a checkpoint was made, with the options it was made with: those that depend on
    /// the length of a run may have changed since.
    pub fn resume(&self, checkpoint: &Checkpoint) -> Result<Simulation, ResumeError> {
        let options = &checkpoint.label().options;
        let integrator = match self.method.build_with(&self.mechanism, options) {
            Ok(integrator) => integrator,
            Err(_) => {
                return Err(ResumeError::Options {
                    checkpoint: options.clone(),
                    simulation: self.options.clone(),
                });
            }
        };
        let mut simulation = self.simulation_by(integrator, options);
        simulation.resume(checkpoint)?;
        Ok(simulation)
    }

    /// A simulation from another state. It has no label: its checkpoints belong to nothing.
    pub fn simulation_from(&self, state: State) -> Simulation {
        Simulation::new(
            self.mechanism.system(),
            self.integrator(),
            state,
            self.schedule.step,
        )
    }

    fn simulation_by(&self, integrator: Box<dyn Integrator>, options: &Options) -> Simulation {
        let label = Label {
            method: self.method.name.to_owned(),
            options: options.clone(),
            model: Some(self.fingerprint()),
        };
        let system = self.mechanism.system();
        Simulation::new(system, integrator, self.state.clone(), self.schedule.step).labelled(label)
    }

    /// The same model, starting from a state and for as long as a schedule says.
    pub fn started(&self, state: State, schedule: Schedule) -> Self {
        Self {
            title: self.title.clone(),
            mechanism: self.mechanism.clone(),
            state,
            method: self.method,
            options: self.options.clone(),
            schedule,
            format: self.format,
            attitude: self.attitude,
            outputs: self.outputs.clone(),
            inputs: self.inputs.clone(),
            control: self.control.clone(),
            description: self.description.clone(),
            table: self.table.clone(),
            notes: self.notes.clone(),
            functions: self.functions.clone(),
            made: Mutex::new(None),
        }
    }

    /// The model as text that loads to the same model, with all overrides in it.
    pub fn to_toml(&self) -> String {
        to_toml(&self.table, "")
    }

    /// Bodies and joints as they are written, if it is a tree.
    pub fn outline(&self) -> Option<TreeOutline> {
        let problems = Problems::with_functions(&self.functions);
        match draft(&self.table, &problems)?.drafted {
            Draft::Tree(draft) => draft.outline(),
            Draft::Spheres(_) | Draft::Lagrangian(_) => None,
        }
    }

    /// Every number of the model that can be turned, in the order in which they are read.
    pub fn knobs(&self) -> Vec<Knob> {
        let mut known = std::collections::HashSet::new();
        let numbers = numbers(&self.table).into_iter();
        numbers.filter(|knob| known.insert(knob.path.clone())).collect()
    }

    /// The same model with another value at a path, such as `body.upper.mass`.
    pub fn with(&self, path: &str, value: impl Into<Value>) -> Result<Model, ChangeError> {
        self.with_all([(path, value.into())])
    }

    /// The same model with other values at several paths.
    pub fn with_all<'p>(
        &self,
        values: impl IntoIterator<Item = (&'p str, Value)>,
    ) -> Result<Model, ChangeError> {
        let mut table = self.table.clone();
        let mut starts = true;
        for (path, value) in values {
            starts &= self.only_starts(path);
            table.set(path, value)?;
        }
        build_beside(&table, starts.then_some(self), &self.functions).map_err(ChangeError::Refused)
    }

    /// Whether the key at a path says where a motion starts, and nothing about what moves: models that differ in such
    /// keys alone share their mechanism.
    pub fn only_starts(&self, path: &str) -> bool {
        let mut keys = path.split('.').map(str::trim);
        let first = keys.next();
        let last = keys.rfind(|key| key.parse::<usize>().is_err());
        matches!(
            (&self.mechanism, first, last),
            (
                Mechanism::Lagrangian(_),
                Some("start" | "velocity" | "momentum"),
                _
            ) | (
                Mechanism::Spheres(_),
                Some("body" | "start"),
                Some("direction" | "angular_velocity")
            )
        )
    }

    /// A number that tells the model from others that move differently: the SHA-256 of it as data, without `title`,
    /// `[output]`, and `duration`, `steps` and `every` of `[run]`.
    pub fn fingerprint(&self) -> Fingerprint {
        fingerprint::fingerprint(&self.table)
    }

    /// The method with what it promises under its options, and for this mechanism.
    pub fn promises(&self) -> Method {
        self.method.promising(&self.options).promising_on(&self.mechanism)
    }

    /// The method, made for the mechanism.
    pub fn integrator(&self) -> Box<dyn Integrator> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Both may have been changed since.
        match made.filter(|made| made.method == self.method.name && made.options == self.options) {
            Some(made) => made.integrator,
            None => match self.method.build_with(&self.mechanism, &self.options) {
                Ok(integrator) => integrator,
                Err(_) => unreachable!("the loader has built it once"),
            },
        }
    }
}

/// Why a model cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChangeError {
    /// There is no such place.
    #[error(transparent)]
    Path(#[from] EditError),
    /// The model with the new value cannot be used.
    #[error("{}", .0.first().map(ToString::to_string).unwrap_or_default())]
    Refused(Vec<Problem>),
}

/// Reads a model from text. All errors of a text are reported at once, in the order of the text.
pub fn load(source: &Source) -> Result<Model, Vec<Problem>> {
    load_with(source, &Functions::default())
}

/// The same of a model that may name functions that the program hands over.
pub fn load_with(source: &Source, functions: &Functions) -> Result<Model, Vec<Problem>> {
    let problems = Problems::with_functions(&functions.beside(source.files()));
    let document = parse(source, &problems);
    let model = document
        .as_ref()
        .and_then(|document| read(document.table(), None, &problems));
    let failed = problems.has_errors();
    let list = match document {
        Some(document) => document.located(problems),
        None => problems.into_sorted(),
    };
    finish(model, failed, list)
}

/// Builds a model from data. All errors are reported at once, in the order of the table, each with the path of what it
/// is about.
pub fn build(table: &Table) -> Result<Model, Vec<Problem>> {
    build_with(table, &Functions::default())
}

/// The same of a model that may name functions that the program hands over.
pub fn build_with(table: &Table, functions: &Functions) -> Result<Model, Vec<Problem>> {
    build_beside(table, None, functions)
}

/// The same of a model that differs from another in its start alone, and shares its mechanism.
fn build_beside(table: &Table, other: Option<&Model>, functions: &Functions) -> Result<Model, Vec<Problem>> {
    let problems = Problems::with_functions(functions);
    if let Some(path) = table.too_deep() {
        problems.error(Place::Value(path), "tables and arrays are nested too deeply");
        return finish(None, true, problems.into_ordered(table));
    }
    if repeat::is_in(table) {
        let document = Document::of_data(table, &problems);
        let model = read(document.table(), None, &problems);
        let failed = problems.has_errors();
        let list = problems.into_ordered(document.table());
        return finish(model, failed, document.origins.gather(list));
    }
    let model = read(table, other, &problems);
    let failed = problems.has_errors();
    finish(model, failed, problems.into_ordered(table))
}

/// Writes a model as TOML text that parses to the same values, bit for bit, headed by a comment.
pub fn to_toml(table: &Table, header: &str) -> String {
    resolved::write(table, header)
}

fn finish(model: Option<Model>, failed: bool, list: Vec<Problem>) -> Result<Model, Vec<Problem>> {
    match model {
        Some(model) if !failed => Ok(Model { notes: list, ..model }),
        _ => Err(list),
    }
}

/// What was understood of a model: its title, its mechanism, and how it is run.
struct Understood {
    title: String,
    drafted: Draft,
    run: run::Run,
    /// A start in place of that of the drafted mechanism.
    given: Option<given::GivenState>,
    inputs: Vec<input::Named>,
    control: Option<control::Asked>,
}

/// Reads all keys, but builds nothing.
fn draft(table: &Table, problems: &Problems) -> Option<Understood> {
    let root = Section::root(table, problems);
    if root.keys().next().is_none() {
        return root
            .error("the model is empty")
            .help("it needs bodies (`[[body]]` or `[chain]`) or a `lagrangian`, a `[method]` and a `[run]`")
            .none();
    }
    let title = root.optional("title").string();
    let family = read_family(&root);
    let drafted = match family {
        Family::Spheres => spheres::read(&root).map(Draft::Spheres),
        Family::Tree => tree::read(&root).map(Draft::Tree),
        Family::Lagrangian | Family::Framed => lagrangian::read(&root).map(Draft::Lagrangian),
    };
    let run = run::read(&root, family);
    let given = given::read(&root);
    let inputs = input::read(&root);
    let control = control::read(&root);
    root.refuse(run::IN_RUN);
    root.finish();
    Some(Understood {
        title: title.map_or_else(String::new, |title| title.value.to_owned()),
        drafted: drafted?,
        run: run?,
        given,
        inputs,
        control,
    })
}

/// Every number of a model, in the order in which they are read.
fn numbers(table: &Table) -> Vec<Knob> {
    let problems = Problems::recording();
    draft(table, &problems);
    let readings = problems.into_readings().into_iter();
    readings
        .filter_map(|reading| match reading {
            Reading::Number(knob) => Some(knob),
            Reading::Key(_) => None,
        })
        .collect()
}

fn read(table: &Table, other: Option<&Model>, problems: &Problems) -> Option<Model> {
    let Understood {
        title,
        drafted,
        run,
        given,
        inputs,
        control,
    } = draft(table, problems)?;
    if problems.has_errors() {
        return None;
    }
    let description = match &drafted {
        Draft::Spheres(draft) => draft.description(),
        Draft::Lagrangian(draft) => draft.description(),
        Draft::Tree(draft) => draft.description(),
    };
    let known = other.map(|other| &other.mechanism);
    let (mechanism, state, inputs) = match drafted {
        Draft::Spheres(draft) => {
            let (mechanism, state) = draft.build(known, run.start_time, problems)?;
            let otherwise = "write a `[[force]]`: on spheres inputs are set by programs";
            let layout = mechanism.system().layout().clone();
            let inputs = input::find(inputs, &layout, &|_| false, otherwise, problems);
            (mechanism, state, inputs)
        }
        Draft::Lagrangian(draft) => draft.build(known, run.start_time, inputs, problems)?,
        Draft::Tree(draft) => draft.build(&run.schedule, run.start_time, inputs, problems)?,
    };
    let state = match given {
        Some(given) => given.state(&mechanism, state, problems)?,
        None => state,
    };
    let made_for = run.method.family.is_some() && !run.method.for_comparison;
    let impulses = made_for && !matches!(mechanism, Mechanism::Spheres(_));
    let stepped = (!impulses).then_some(run.method.name);
    let outputs = record::outputs(run.record, mechanism.system().layout(), stepped, problems);
    let control = control.map(|asked| control::find(asked, &inputs, mechanism.system().layout(), problems));
    if !problems.has_errors() {
        start::check(&mechanism, &state, table, problems);
    }
    // A method that fits a mechanism fits it from any start.
    let fits =
        other.is_some_and(|other| (other.method.name, &other.options) == (run.method.name, &run.options));
    let made = match fits {
        true => None,
        false => match run.method.build_with(&mechanism, &run.options) {
            Ok(integrator) => Some(Made {
                method: run.method.name,
                options: run.options.clone(),
                integrator,
            }),
            Err(unsupported) => problems
                .error(
                    run.method_place,
                    format!("`{}` needs {}", unsupported.method, unsupported.needs),
                )
                .help(format!("use `{}`", unsupported.instead))
                .none(),
        },
    };
    Some(Model {
        title,
        mechanism,
        state,
        method: run.method,
        options: run.options,
        schedule: run.schedule,
        format: run.format,
        attitude: run.attitude,
        outputs,
        inputs,
        control,
        description,
        table: {
            let mut table = table.clone();
            problems.put_inlined(&mut table);
            table
        },
        notes: Vec::new(),
        functions: problems.functions().clone(),
        made: Mutex::new(made),
    })
}

/// The family that `space` names, or else the one whose keys there are.
fn read_family(root: &Section<'_>) -> Family {
    let space = root.optional("space").choice();
    let any = |keys: &[&str]| keys.iter().any(|key| root.holds(key));
    let typed =
        any(&["lagrangian", "coordinates"]) && !any(&["body", "chain", "grid", "icosphere", "spiral"]);
    let lagrangian = match &space {
        Some(space) if space.value == "spheres" && typed => {
            root.problems()
                .error(
                    space.place.clone(),
                    "a model with `coordinates` and a `lagrangian` is not on spheres",
                )
                .help("write `space = \"lagrangian\"`");
            true
        }
        Some(space) => space.value == "lagrangian",
        None => typed,
    };
    if space.as_ref().is_some_and(|space| space.value == "tree") {
        return Family::Tree;
    }
    match (lagrangian, root.holds("frame")) {
        (false, _) => Family::Spheres,
        (true, false) => Family::Lagrangian,
        (true, true) => Family::Framed,
    }
}

/// A mechanism whose text was understood.
#[expect(clippy::large_enum_variant, reason = "there is one at a time")]
enum Draft {
    Spheres(spheres::SpheresDraft),
    Lagrangian(lagrangian::LagrangianDraft),
    Tree(tree::TreeDraft),
}

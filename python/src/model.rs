//! A model, ready to run: immutable.
use crate::{
    errors,
    functions::{AddressEnergy, CallableEnergy, Raised},
    run::{Run, RunOptions},
    simulation::Simulation,
    values,
    watch::watched,
};
use holonomy::{
    output::Output,
    system::{Mechanism, Scratch},
    tree::{Seek, Settling},
};
use holonomy_cli::words;
use holonomy_host::{beside, start::RecordedState, trajectory};
use holonomy_model::{self as model, ChangeError, Functions, Problem, Source, Table};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyDict, PyList},
};
use std::{path::Path, sync::Arc, sync::atomic::AtomicBool};

/// Numbers, row by row.
type Rows = Vec<Vec<f64>>;

/// A model: what moves, from where, by which method and how long.
#[pyclass(frozen, module = "holonomy._engine")]
pub(crate) struct Model {
    pub(crate) name: String,
    pub(crate) model: Arc<model::Model>,
    /// Where exceptions of its callables wait.
    pub(crate) raised: Raised,
    /// The text it was read from, for the places of its notes.
    source: Option<Source>,
}

impl Model {
    fn of(name: &str, model: model::Model, raised: &Raised) -> Self {
        Self {
            name: name.to_owned(),
            model: Arc::new(model),
            raised: raised.clone(),
            source: None,
        }
    }

    pub(crate) fn shared(name: &str, model: &Arc<model::Model>, raised: &Raised) -> Self {
        Self {
            name: name.to_owned(),
            model: model.clone(),
            raised: raised.clone(),
            source: None,
        }
    }

    fn load(py: Python<'_>, name: &str, source: Source) -> PyResult<Self> {
        let model = py.detach(|| model::load(&source));
        let model = model.map_err(|problems| errors::model_error(py, Some(&source), &problems))?;
        Ok(Self {
            source: Some(source),
            ..Self::of(name, model, &Raised::default())
        })
    }

    /// A model of a table, whose problems have paths.
    pub(crate) fn build(
        py: Python<'_>,
        name: &str,
        table: &Table,
        functions: &Functions,
        raised: &Raised,
    ) -> PyResult<Self> {
        let model = py.detach(|| model::build_with(table, functions));
        if let Some(error) = raised.take() {
            return Err(error);
        }
        let model = model.map_err(|problems| errors::model_error(py, None, &problems))?;
        Ok(Self::of(name, model, raised))
    }
}

#[pymethods]
impl Model {
    /// A scenario, a model file, or a folder with a `model.toml`.
    #[staticmethod]
    fn open(py: Python<'_>, name: &str) -> PyResult<Self> {
        let (run, source) = words::opened(name).map_err(|error| errors::unopened(py, error))?;
        Self::load(py, &run, source)
    }

    /// A model in TOML.
    #[staticmethod]
    fn parse(py: Python<'_>, text: &str, name: &str) -> PyResult<Self> {
        let source = Source::new(name, text).beside(beside::within(Path::new("")));
        Self::load(py, name, source)
    }

    /// A model as a dictionary.
    #[staticmethod]
    fn from_dict(py: Python<'_>, table: &Bound<'_, PyDict>, name: &str) -> PyResult<Self> {
        let table = values::to_table(table)?;
        // Files that it names are sought where Python works.
        let functions = Functions::default().beside(&beside::within(Path::new("")));
        Self::build(py, name, &table, &functions, &Raised::default())
    }

    /// The same model with other values at paths; `None` takes a key away.
    fn changed(&self, py: Python<'_>, changes: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut table = self.model.table.clone();
        let mut starts = Vec::new();
        let mut only_starts = true;
        for (path, value) in changes {
            let path: String = path
                .extract()
                .map_err(|_| PyTypeError::new_err("keys of a model are texts"))?;
            let refused = |error| -> PyErr {
                let change = ChangeError::Path(error);
                errors::plain(py, "ModelError", &sentence(&change))
            };
            if value.is_none() {
                only_starts = false;
                table.unset(&path).map_err(refused)?;
                continue;
            }
            let value = values::to_value(&value).map_err(|error| named(py, &path, error))?;
            only_starts &= self.model.only_starts(&path);
            table.set(&path, value.clone()).map_err(refused)?;
            starts.push((path, value));
        }
        if only_starts {
            let values = starts.iter().map(|(path, value)| (path.as_str(), value.clone()));
            let model = self.model.with_all(values);
            if let Some(error) = self.raised.take() {
                return Err(error);
            }
            let model = model.map_err(|error| match error {
                ChangeError::Refused(problems) => errors::model_error(py, None, &problems),
                error => errors::plain(py, "ModelError", &sentence(&error)),
            })?;
            return Ok(Self::of(&self.name, model, &self.raised));
        }
        Self::build(py, &self.name, &table, &self.model.functions, &self.raised)
    }

    /// The same model called otherwise.
    fn renamed(&self, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            model: self.model.clone(),
            raised: self.raised.clone(),
            source: self.source.clone(),
        }
    }

    /// The same model with a potential of one's own: a callable, or the address of a compiled function.
    fn with_potential(
        &self,
        py: Python<'_>,
        name: &str,
        function: &Bound<'_, PyAny>,
        points: Vec<String>,
    ) -> PyResult<Self> {
        let energy: Arc<dyn holonomy::potential::PointEnergy> = match function.extract::<usize>() {
            Ok(address) => Arc::new(AddressEnergy::new(address)?),
            Err(_) if function.is_callable() => Arc::new(CallableEnergy::new(
                function.clone().unbind(),
                self.raised.clone(),
            )),
            Err(_) => {
                return Err(PyTypeError::new_err(
                    "a potential is a callable or a numba `cfunc`",
                ));
            }
        };
        let functions = self.model.functions.with(name, energy);
        let mut table = self.model.table.clone();
        let mut potential = Table::new();
        potential.insert("kind", "given");
        potential.insert("function", name);
        potential.insert(
            "points",
            model::Value::List(points.into_iter().map(Into::into).collect()),
        );
        let mut list = match table.get("potential") {
            Some(model::Value::List(list)) => list.clone(),
            _ => Vec::new(),
        };
        list.push(model::Value::Table(potential));
        table.insert("potential", model::Value::List(list));
        Self::build(py, &self.name, &table, &functions, &self.raised)
    }

    /// The same model starting from a recorded state of a run.
    #[pyo3(signature = (folder, at=None))]
    fn started_from(&self, py: Python<'_>, folder: &str, at: Option<f64>) -> PyResult<Self> {
        let state =
            RecordedState::open(Path::new(folder), at).map_err(|error| errors::start_error(py, error))?;
        let section = state
            .section(&self.model)
            .map_err(|error| errors::start_error(py, error))?;
        let mut table = self.model.table.clone();
        table.insert("state", section);
        Self::build(py, &self.name, &table, &self.model.functions, &self.raised)
    }

    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    #[getter]
    fn title(&self) -> &str {
        &self.model.title
    }

    #[getter]
    fn method(&self) -> &'static str {
        self.model.method.name
    }

    #[getter]
    fn step(&self) -> f64 {
        self.model.schedule.step
    }

    #[getter]
    fn steps(&self) -> u64 {
        self.model.schedule.steps
    }

    #[getter]
    fn every(&self) -> u64 {
        self.model.schedule.every
    }

    #[getter]
    fn family(&self) -> &'static str {
        match &self.model.mechanism {
            Mechanism::Spheres(_) => "spheres",
            Mechanism::Lagrangian(_) => "lagrangian",
            Mechanism::Tree(_) => "tree",
        }
    }

    #[getter]
    fn fingerprint(&self) -> String {
        self.model.fingerprint().to_string()
    }

    #[getter]
    fn coordinates(&self) -> Vec<String> {
        self.model
            .mechanism
            .system()
            .layout()
            .coordinates
            .iter()
            .cloned()
            .collect()
    }

    #[getter]
    fn velocities(&self) -> Vec<String> {
        self.model
            .mechanism
            .system()
            .layout()
            .velocities
            .iter()
            .cloned()
            .collect()
    }

    #[getter]
    fn multipliers(&self) -> Vec<String> {
        self.model.mechanism.system().layout().multipliers.clone()
    }

    #[getter]
    fn bodies(&self) -> Vec<String> {
        self.model
            .mechanism
            .system()
            .layout()
            .words
            .bodies
            .iter()
            .cloned()
            .collect()
    }

    #[getter]
    fn invariants(&self) -> Vec<String> {
        self.model
            .mechanism
            .system()
            .layout()
            .conserved
            .invariants
            .clone()
    }

    /// Names of the inputs that it declares.
    #[getter]
    fn inputs(&self) -> Vec<String> {
        self.model.inputs.iter().map(|input| input.name.clone()).collect()
    }

    /// Names of all that can be recorded.
    #[getter]
    fn recordable(&self) -> Vec<String> {
        Output::names(self.model.mechanism.system().layout())
    }

    /// Names of the columns of a run.
    #[getter]
    fn columns(&self) -> Vec<String> {
        trajectory::columns(&self.model)
    }

    /// Whether it needs functions of this process, which neither text nor pickle can hold.
    #[getter]
    fn has_functions(&self) -> bool {
        !self.model.functions.is_empty()
    }

    /// The text it was read from, if it was.
    #[getter]
    fn text(&self) -> Option<&str> {
        self.source.as_ref().map(Source::text)
    }

    fn to_toml(&self) -> String {
        self.model.to_toml()
    }

    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        values::to_dict(py, &self.model.table)
    }

    /// Notes on what was read otherwise than it was written.
    fn notes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for note in &self.model.notes {
            list.append(errors::described(py, self.source.as_ref(), note)?)?;
        }
        Ok(list)
    }

    /// Every number that can be turned: path, label, value, unit, least, most.
    #[expect(clippy::type_complexity, reason = "a row of a table")]
    fn knobs(&self) -> Vec<(String, String, f64, &'static str, Option<f64>, Option<f64>)> {
        let knobs = self.model.knobs().into_iter();
        knobs
            .map(|knob| {
                (
                    knob.path.to_string(),
                    knob.label,
                    knob.value,
                    knob.unit,
                    knob.least,
                    knob.most,
                )
            })
            .collect()
    }

    fn explain(&self) -> String {
        words::explained(&self.model, &self.name)
    }

    /// Where a tree is in equilibrium, as JSON.
    fn settle(&self, py: Python<'_>, nearest: bool) -> PyResult<String> {
        let Mechanism::Tree(tree) = &self.model.mechanism else {
            return Err(PyValueError::new_err(
                "only trees settle: the model has no `space = \"tree\"`",
            ));
        };
        let seek = if nearest { Seek::Nearest } else { Seek::Minimum };
        let settling = Settling {
            seek,
            ..Settling::default()
        };
        let found = py.detach(|| tree.settle(&self.model.state.q, &settling));
        let found = found.map_err(|error| errors::plain(py, "SettleError", &error.to_string()))?;
        Ok(words::settled(&self.name, tree, &found))
    }

    /// A simulation that starts where the model does.
    fn simulation(&self) -> Simulation {
        Simulation::new(&self.name, &self.model, self.model.simulation(), &self.raised)
    }

    /// Runs it: see `holonomy.Model.run`.
    fn run(&self, py: Python<'_>, options: &Bound<'_, PyDict>) -> PyResult<(Run, Option<Py<PyAny>>)> {
        Run::make(py, self, RunOptions::read(options)?)
    }

    /// What the exact motion conserves at the start, by name.
    fn conserved(&self) -> Vec<(String, f64)> {
        let system = self.model.mechanism.system();
        let mut measured = holonomy::system::Measurement::default();
        let mut scratch: Scratch = system.scratch();
        system.measure(&self.model.state, &mut measured, &mut scratch);
        let names = system.layout().conserved.invariants.iter().cloned();
        let energy = std::iter::once(("energy".to_owned(), measured.energy.total()));
        energy.chain(names.zip(measured.invariants)).collect()
    }

    /// The motion in closed form at these times, where it is known: coordinates and momenta, row by row.
    fn exact(&self, py: Python<'_>, times: Vec<f64>) -> Option<(Rows, Rows)> {
        let solution = py.detach(|| holonomy::exact::solution(&self.model.mechanism, &self.model.state))?;
        Some(
            times
                .into_iter()
                .map(|t| {
                    let state = solution.at(t);
                    (state.q, state.p)
                })
                .unzip(),
        )
    }

    /// The end of the motion after so long, by a very exact method or in closed form: q, p, and what is known of it.
    fn reference(&self, py: Python<'_>, duration: f64) -> PyResult<(Vec<f64>, Vec<f64>, String, f64)> {
        use holonomy_report::{certificate::Effort, converge, run::Control};
        let stop = AtomicBool::new(false);
        let (found, signal) = watched(py, 0, &stop, || {
            let mut control = Control {
                stop: &stop,
                progress: &mut |_| {},
                effort: Effort::None,
            };
            converge::reference(&self.model, duration, &mut control)
        });
        if let Some(signal) = signal {
            return Err(signal);
        }
        let (state, reference) =
            found.map_err(|error| errors::plain(py, "HolonomyError", &words::Sentence::sentence(error)))?;
        Ok((state.q, state.p, reference.to_string(), reference.accuracy))
    }
}

/// What is wrong with a change, and what helps.
fn sentence(error: &ChangeError) -> String {
    let help = match error {
        ChangeError::Path(error) => error.help(),
        ChangeError::Refused(problems) => problems
            .first()
            .and_then(|problem: &Problem| problem.help.clone()),
    };
    match help {
        Some(help) => format!("{error}; {help}"),
        None => error.to_string(),
    }
}

/// An exception about the value at a path.
fn named(py: Python<'_>, path: &str, error: PyErr) -> PyErr {
    let message = format!("`{path}`: {}", error.value(py));
    match error.is_instance_of::<PyTypeError>(py) {
        true => PyTypeError::new_err(message),
        false => PyValueError::new_err(message),
    }
}

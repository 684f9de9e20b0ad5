//! A simulation that one can hold: it steps, is pushed, is saved and goes on.
//!
//! ```text
//! with a force f:   p ← p + h/2 f(t, q, v)     a step of the method     p ← p + h/2 f(t + h, q, v)
//! ```
//! These are the discrete Lagrange–d'Alembert equations with the force shared by both ends of the step; each half is
//! taken by Heun's rule, since f may depend on v.
use crate::{
    errors,
    functions::{Force, Raised},
    run::{Run, RunOptions},
    values, watch,
};
use holonomy::{
    Vec3,
    output::{Output, Readings},
    simulation::{self as engine, RunError, Schedule},
    spheres,
    system::{Measurement, Mechanism, Scratch, State},
};
use holonomy_host::saved::SavedSimulation;
use holonomy_model::{self as model, output_suggestion, velocity_named};
use numpy::{PyArray1, PyArray2, PyArrayMethods, ToPyArray, ndarray::ArrayView2};
use pyo3::{
    exceptions::{PyKeyError, PyTypeError, PyValueError},
    prelude::*,
    types::{PyBytes, PyDict},
};
use std::{collections::HashMap, fs, io::Write, path::Path, sync::Arc, time::Instant};
use sync_wrapper::SyncWrapper;

/// A live state of a model.
#[pyclass(subclass, module = "holonomy._engine")]
pub(crate) struct Simulation {
    /// Only one thread has it at a time.
    live: SyncWrapper<LiveState>,
}

/// The simulation itself.
struct LiveState {
    name: String,
    model: Arc<model::Model>,
    simulation: engine::Simulation,
    raised: Raised,
    force: Option<Force>,
    /// What a step costs, s; not known before the first.
    cost: f64,
    measured: Measurement,
    scratch: Scratch,
    readings: Readings,
    /// Where inputs and velocities of a name are, and their scale; found when first asked for.
    places: HashMap<String, (usize, f64)>,
    push: Vec<f64>,
    velocity: Vec<f64>,
}

/// Steps that take less are taken without letting other threads go on, s.
const SHORT: f64 = 2e-5;
/// Signals are looked for so often, s.
const LOOK: f64 = 0.04;
/// Numbers of a state that are worth several threads.
const LARGE: usize = 3000;

impl Simulation {
    pub(crate) fn new(
        name: &str,
        model: &Arc<model::Model>,
        simulation: engine::Simulation,
        raised: &Raised,
    ) -> Self {
        let scratch = simulation.system().scratch();
        let live = LiveState {
            name: name.to_owned(),
            model: model.clone(),
            simulation,
            raised: raised.clone(),
            force: None,
            cost: f64::INFINITY,
            measured: Measurement::default(),
            scratch,
            readings: Readings::default(),
            places: HashMap::new(),
            push: Vec::new(),
            velocity: Vec::new(),
        };
        Self {
            live: SyncWrapper::new(live),
        }
    }
}

impl LiveState {
    fn measure(&mut self) -> &Measurement {
        let system = self.simulation.system().clone();
        system.measure(&self.simulation.state, &mut self.measured, &mut self.scratch);
        &self.measured
    }

    /// Rows of three where there is a direction for each body, else a plain list.
    fn array<'py>(&self, py: Python<'py>, numbers: &[f64]) -> PyResult<Bound<'py, PyAny>> {
        match &self.model.mechanism {
            Mechanism::Spheres(_) if numbers.len().is_multiple_of(3) => {
                let rows = ArrayView2::from_shape((numbers.len() / 3, 3), numbers).map_err(errors::failed)?;
                Ok(rows.to_pyarray(py).into_any())
            }
            _ => Ok(PyArray1::from_slice(py, numbers).into_any()),
        }
    }

    /// Another simulation in the same state.
    fn again(&self, py: Python<'_>) -> PyResult<engine::Simulation> {
        let again = self.model.resume(&self.simulation.checkpoint());
        again.map_err(|error| errors::plain(py, "ResumeError", &error.to_string()))
    }

    /// Why steps ended: what a callable raised, or what stopped them. Callables can be used again.
    fn failure(&self, py: Python<'_>, error: &RunError) -> PyErr {
        for slot in self.simulation.system().faults() {
            slot.clear();
        }
        self.raised
            .take()
            .unwrap_or_else(|| errors::step_error(py, error, &format!("the run failed {error}")))
    }

    /// So many steps without a force.
    fn advance(&mut self, py: Python<'_>, steps: u64) -> PyResult<()> {
        if steps as f64 * self.cost < SHORT {
            return match self.simulation.advance(steps) {
                Ok(_) => Ok(()),
                Err(error) => Err(self.failure(py, &error)),
            };
        }
        let pool = (self.simulation.state.q.len() >= LARGE)
            .then(|| watch::pool(0))
            .flatten();
        let mut left = steps;
        let mut some = 16;
        while left > 0 {
            let now = left.min(some);
            let start = Instant::now();
            let simulation = &mut self.simulation;
            let taken = py.detach(|| match &pool {
                Some(pool) => pool.install(|| simulation.advance(now)),
                None => simulation.advance(now),
            });
            if let Err(error) = taken {
                return Err(self.failure(py, &error));
            }
            self.cost = start.elapsed().as_secs_f64() / now as f64;
            some = ((LOOK / self.cost.max(1e-9)) as u64).clamp(1, 1 << 40);
            left -= now;
            py.check_signals()?;
        }
        Ok(())
    }

    /// A push of h/2 f, by Heun's rule where the force depends on the velocity.
    fn pushed(&mut self, input: Option<&[f64]>) -> PyResult<()> {
        let half = 0.5 * self.simulation.step_size();
        let system = self.simulation.system().clone();
        let count = self.simulation.state.p.len();
        self.push.resize(count, 0.0);
        self.velocity.resize(count, 0.0);
        let mut force = vec![0.0; count];
        if let Some(own) = &self.force {
            let State { t, q, p, .. } = &self.simulation.state;
            system.velocity(*t, q, p, &mut self.velocity, &mut self.scratch);
            own.evaluate(*t, q, &self.velocity, &mut self.push)?;
            let mut middle = p.clone();
            for (middle, push) in middle.iter_mut().zip(&self.push) {
                *middle += 0.5 * half * push;
            }
            system.velocity(*t, q, &middle, &mut self.velocity, &mut self.scratch);
            own.evaluate(*t, q, &self.velocity, &mut force)?;
        }
        if let Some(input) = input {
            for (force, input) in force.iter_mut().zip(input) {
                *force += input;
            }
        }
        let State { q, p, .. } = &mut self.simulation.state;
        if matches!(self.model.mechanism, Mechanism::Spheres(_)) {
            // What would turn a direction about itself does nothing.
            for (force, q) in spheres::view_mut(&mut force).iter_mut().zip(spheres::view(q)) {
                let q: &Vec3 = q;
                *force -= q * q.dot(force);
            }
        }
        for (p, force) in p.iter_mut().zip(&force) {
            *p += half * force;
        }
        Ok(())
    }

    /// Steps under a force. One that fails leaves the state before it.
    fn advance_forced(&mut self, py: Python<'_>, steps: u64, input: Option<&[f64]>) -> PyResult<()> {
        let mut before = self.simulation.state.clone();
        let mut looked = Instant::now();
        for _ in 0..steps {
            before.copy_from(&self.simulation.state);
            let taken = self.pushed(input).and_then(|()| {
                let taken = self.simulation.step();
                taken.map_err(|error| self.failure(py, &error))?;
                self.pushed(input)
            });
            if let Err(error) = taken {
                self.simulation.state.copy_from(&before);
                return Err(error);
            }
            if looked.elapsed().as_secs_f64() > LOOK {
                py.check_signals()?;
                py.detach(|| {});
                looked = Instant::now();
            }
        }
        Ok(())
    }

    /// The velocity that an input acts along, and its scale: of an input that the model declares, or of what moves.
    fn place_of(&mut self, name: &str) -> PyResult<(usize, f64)> {
        if let Some(place) = self.places.get(name) {
            return Ok(*place);
        }
        let layout = self.simulation.system().layout();
        let declared = self.model.inputs.iter().find(|input| input.name == name);
        let declared = declared.map(|input| (input.velocity, input.scale));
        let place = declared.or_else(|| Some((velocity_named(name, layout)?, 1.0)));
        let Some(place) = place else {
            let inputs = self.model.inputs.iter().map(|input| input.name.as_str());
            let near = model::nearest(name, inputs.chain(layout.velocities.iter().map(String::as_str)));
            let help = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            return Err(PyKeyError::new_err(format!(
                "nothing moves that is called `{name}`{help}"
            )));
        };
        self.places.insert(name.to_owned(), place);
        Ok(place)
    }

    /// A force of inputs: one number for each velocity, or some by their names.
    fn inputs(&mut self, given: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
        let count = self.simulation.state.p.len();
        let mut force = vec![0.0; count];
        if let Ok(table) = given.cast::<PyDict>() {
            for (name, value) in table {
                let name: String = name.extract()?;
                let value: f64 = value
                    .extract()
                    .map_err(|_| PyTypeError::new_err(format!("the input `{name}` is not a number")))?;
                let (place, scale) = self.place_of(&name)?;
                force[place] += scale * value;
            }
        } else {
            let wanted = format!("inputs are {count} numbers, one for each velocity, or some by name");
            let numbers = values::to_numbers(given)
                .map_err(|error| PyTypeError::new_err(format!("{wanted}: {}", error.value(given.py()))))?;
            if numbers.len() != count {
                let words = format!("{wanted}, got {}", numbers.len());
                return Err(PyValueError::new_err(words));
            }
            force = numbers;
        }
        match force.iter().all(|force| force.is_finite()) {
            true => Ok(force),
            false => Err(PyValueError::new_err("an input is not finite")),
        }
    }
}

#[pymethods]
impl Simulation {
    /// Takes steps.
    #[pyo3(signature = (n=1, inputs=None))]
    fn step(&mut self, py: Python<'_>, n: i64, inputs: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let Ok(n) = u64::try_from(n) else {
            return Err(PyValueError::new_err(
                "the number of steps is not negative; a negative `step_size` goes back",
            ));
        };
        let live = self.live.get_mut();
        match inputs {
            None if live.force.is_none() => live.advance(py, n),
            None => live.advance_forced(py, n, None),
            Some(given) => {
                let input = live.inputs(given)?;
                live.advance_forced(py, n, Some(&input))
            }
        }
    }

    /// From now on a force of time, coordinates and velocities acts: a callable, the address of a compiled function, or
    /// nothing.
    fn set_force(&mut self, force: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let live = self.live.get_mut();
        live.force = match force {
            None => None,
            Some(force) => Some(match force.extract::<usize>() {
                Ok(address) => Force::at(address)?,
                Err(_) if force.is_callable() => Force::Callable(force.clone().unbind()),
                Err(_) => return Err(PyTypeError::new_err("a force is a callable or a numba `cfunc`")),
            }),
        };
        Ok(())
    }

    #[getter]
    fn t(&mut self) -> f64 {
        let live = self.live.get_mut();
        live.simulation.state.t
    }

    #[getter]
    fn steps(&mut self) -> u64 {
        let live = self.live.get_mut();
        live.simulation.steps()
    }

    #[getter]
    fn step_size(&mut self) -> f64 {
        let live = self.live.get_mut();
        live.simulation.step_size()
    }

    #[setter]
    fn set_step_size(&mut self, h: f64) -> PyResult<()> {
        let live = self.live.get_mut();
        if !(h.is_finite() && h != 0.0) {
            return Err(PyValueError::new_err("a step is a finite number other than zero"));
        }
        live.simulation.set_step(h);
        Ok(())
    }

    #[getter]
    fn name(&mut self) -> &str {
        let live = self.live.get_mut();
        &live.name
    }

    #[getter]
    fn q<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let live = self.live.get_mut();
        live.array(py, &live.simulation.state.q)
    }

    #[getter]
    fn p<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let live = self.live.get_mut();
        live.array(py, &live.simulation.state.p)
    }

    #[getter]
    fn velocity<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let live = self.live.get_mut();
        let system = live.simulation.system().clone();
        let State { t, q, p, .. } = &live.simulation.state;
        live.velocity.resize(p.len(), 0.0);
        system.velocity(*t, q, p, &mut live.velocity, &mut live.scratch);
        live.array(py, &live.velocity)
    }

    /// Multipliers that keep the constraints at this moment.
    #[getter]
    fn multipliers<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let live = self.live.get_mut();
        let measured = live.measure();
        PyArray1::from_slice(py, &measured.multipliers)
    }

    #[getter]
    fn energy(&mut self) -> f64 {
        let live = self.live.get_mut();
        live.measure().energy.total()
    }

    #[getter]
    fn kinetic(&mut self) -> f64 {
        let live = self.live.get_mut();
        live.measure().energy.kinetic
    }

    #[getter]
    fn potential(&mut self) -> f64 {
        let live = self.live.get_mut();
        live.measure().energy.potential
    }

    /// Conserved momenta by name.
    #[getter]
    fn invariants<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let live = self.live.get_mut();
        let system = live.simulation.system().clone();
        let values = live.measure().invariants.clone();
        let dict = PyDict::new(py);
        for (name, value) in system.layout().conserved.invariants.iter().zip(values) {
            dict.set_item(name, value)?;
        }
        Ok(dict)
    }

    /// Largest violation of a constraint; `None` where there is none.
    #[getter]
    fn violation(&mut self) -> Option<f64> {
        let live = self.live.get_mut();
        live.measure().constraint
    }

    /// Positions of the sites that are drawn, a row each.
    #[getter]
    fn sites<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let live = self.live.get_mut();
        let system = live.simulation.system();
        let mut places = vec![Vec3::zeros(); system.layout().drawing.bases.len()];
        let State { t, q, .. } = &live.simulation.state;
        system.sites(*t, q, &mut places);
        let flat: Vec<f64> = places.iter().flat_map(|place| place.iter().copied()).collect();
        PyArray1::from_vec(py, flat).reshape([places.len(), 3])
    }

    /// What can be recorded, by its name: a number or an array.
    fn output<'py>(&mut self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let live = self.live.get_mut();
        let system = live.simulation.system().clone();
        let Some(output) = Output::find(name, system.layout()) else {
            let help = output_suggestion(name, system.layout());
            return Err(PyKeyError::new_err(format!(
                "there is no output `{name}`; {help}"
            )));
        };
        live.measure();
        let state = &live.simulation.state;
        let values = live
            .readings
            .take(std::slice::from_ref(&output), &*system, state, &live.measured);
        match output.width() {
            1 if output.components.is_empty() => Ok(values[0].into_pyobject(py)?.into_any()),
            _ => Ok(PyArray1::from_slice(py, values).into_any()),
        }
    }

    /// Goes to a configuration and velocities; what is left out stays.
    #[pyo3(signature = (q=None, velocity=None, t=None))]
    fn set(
        &mut self,
        q: Option<&Bound<'_, PyAny>>,
        velocity: Option<&Bound<'_, PyAny>>,
        t: Option<f64>,
    ) -> PyResult<()> {
        let live = self.live.get_mut();
        let [q, velocity] = [("q", q), ("velocity", velocity)].map(|(what, given)| {
            let numbers = |given: &Bound<'_, PyAny>| {
                values::to_numbers(given).map_err(|error| {
                    PyTypeError::new_err(format!(
                        "`{what}` is a list of numbers: {}",
                        error.value(given.py())
                    ))
                })
            };
            given.map(numbers).transpose()
        });
        let (q, velocity) = (q?, velocity?);
        let system = live.simulation.system().clone();
        let mut state = live.simulation.state.clone();
        let mut v = vec![0.0; state.p.len()];
        system.velocity(state.t, &state.q, &state.p, &mut v, &mut live.scratch);
        let fits = |what: &str, given: &[f64], count: usize| match given.len() == count {
            _ if given.iter().any(|x| !x.is_finite()) => Err(PyValueError::new_err(format!(
                "`{what}` has a number that is not finite"
            ))),
            true => Ok(()),
            false => {
                let words = format!("`{what}` has {count} numbers, got {}", given.len());
                Err(PyValueError::new_err(words))
            }
        };
        if let Some(q) = q {
            fits("q", &q, state.q.len())?;
            state.q = q;
        }
        if let Some(given) = velocity {
            fits("velocity", &given, v.len())?;
            v = given;
        }
        if let Some(t) = t {
            fits("t", &[t], 1)?;
            state.t = t;
        }
        let mut p = vec![0.0; v.len()];
        system.momentum(state.t, &state.q, &v, &mut p, &mut live.scratch);
        let mut next = State::new(state.t, state.q, p);
        next.work = vec![0.0; state.work.len()];
        let mut measured = Measurement::default();
        system.measure(&next, &mut measured, &mut live.scratch);
        if !next.is_finite() || !measured.energy.total().is_finite() {
            return Err(PyValueError::new_err("the energy has no value in that state"));
        }
        if measured.manifold.max > OFF {
            let words = format!(
                "`q` leaves its manifold by {:.1e}: directions are unit vectors, and so are quaternions",
                measured.manifold.max
            );
            return Err(PyValueError::new_err(words));
        }
        if let Some(off) = measured.constraint.filter(|off| *off > OFF) {
            let words = format!("`q` violates a constraint by {off:.1e}");
            return Err(PyValueError::new_err(words));
        }
        let (mut q, mut v) = (next.q.clone(), v);
        system.project(&mut q, &mut v);
        system.momentum(next.t, &q, &v, &mut next.p, &mut live.scratch);
        next.q = q;
        live.simulation.state = next;
        Ok(())
    }

    /// As bytes, from which it goes on to the bit.
    fn checkpoint<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let live = self.live.get_mut();
        if !live.model.functions.is_empty() || live.force.is_some() {
            let words = "a simulation with functions of this process cannot be saved";
            return Err(PyValueError::new_err(words));
        }
        Ok(PyBytes::new(py, &live.saved().to_bytes()))
    }

    /// Writes it to a file, whole or not at all.
    fn save(&mut self, path: &str) -> PyResult<()> {
        let live = self.live.get_mut();
        if !live.model.functions.is_empty() || live.force.is_some() {
            let words = "a simulation with functions of this process cannot be saved";
            return Err(PyValueError::new_err(words));
        }
        let hidden = format!("{path}.part");
        let write = || {
            let mut file = fs::File::create(&hidden)?;
            file.write_all(&live.saved().to_bytes())?;
            file.sync_all()?;
            fs::rename(&hidden, path)
        };
        write().map_err(|error| {
            let _ = fs::remove_file(&hidden);
            errors::disk(path, &error)
        })
    }

    /// The simulation of a file.
    #[staticmethod]
    fn open(py: Python<'_>, path: &str) -> PyResult<Self> {
        let bytes = fs::read(Path::new(path)).map_err(|error| errors::disk(path, &error))?;
        Self::of_bytes(py, &bytes, path)
    }

    /// The simulation of bytes.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        Self::of_bytes(py, bytes, "the checkpoint")
    }

    /// Another one in the same state.
    fn copy(&mut self, py: Python<'_>) -> PyResult<Self> {
        let live = self.live.get_mut();
        let simulation = live.again(py)?;
        let mut copy = Simulation::new(&live.name, &live.model, simulation, &live.raised);
        copy.live.get_mut().force = match &live.force {
            None => None,
            Some(Force::Address(function)) => Some(Force::Address(*function)),
            Some(Force::Callable(callable)) => Some(Force::Callable(callable.clone_ref(py))),
        };
        Ok(copy)
    }

    /// Runs on and records: see `holonomy.Simulation.run`.
    fn record(
        &mut self,
        py: Python<'_>,
        steps: u64,
        every: u64,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<(Run, Option<Py<PyAny>>)> {
        let live = self.live.get_mut();
        if live.force.is_some() {
            let words = "a run has no force of Python: take steps, or write the force into the model";
            return Err(PyValueError::new_err(words));
        }
        let schedule = Schedule {
            step: live.simulation.step_size(),
            steps,
            every: every.max(1),
        };
        let model = Arc::new(live.model.started(live.simulation.state.clone(), schedule));
        let simulation = live.again(py)?;
        let options = RunOptions::read(options)?;
        let (run, error) = Run::taken(py, &live.name, &model, simulation, &live.raised, options)?;
        if let Some(end) = run.end() {
            let resumed = live.simulation.resume(end);
            resumed.map_err(|error| errors::plain(py, "ResumeError", &error.to_string()))?;
        }
        Ok((run, error))
    }

    /// The text of its model.
    fn model_toml(&mut self) -> String {
        let live = self.live.get_mut();
        live.model.to_toml()
    }
}

/// Numbers that are off by more than this are no rounded ones.
const OFF: f64 = 1e-6;

impl LiveState {
    fn saved(&self) -> SavedSimulation {
        SavedSimulation {
            name: self.name.clone(),
            model: self.model.to_toml(),
            checkpoint: self.simulation.checkpoint(),
        }
    }
}

impl Simulation {
    fn of_bytes(py: Python<'_>, bytes: &[u8], path: &str) -> PyResult<Self> {
        let saved = SavedSimulation::from_bytes(bytes).map_err(|error| errors::damaged(py, path, &error))?;
        let source = model::Source::new(path, &saved.model);
        let model = py
            .detach(|| model::load(&source))
            .map_err(|problems| errors::model_error(py, Some(&source), &problems))?;
        let simulation = model
            .resume(&saved.checkpoint)
            .map_err(|error| errors::plain(py, "ResumeError", &error.to_string()))?;
        Ok(Self::new(
            &saved.name,
            &Arc::new(model),
            simulation,
            &Raised::default(),
        ))
    }
}

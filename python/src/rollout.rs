//! Runs as maps that can be differentiated.
use crate::{errors, functions::Raised, model::Model, watch::watched};
use holonomy::derivative::{GradientCertificate, MEANINGLESS};
use holonomy_host::rollout::{self as host, Given, Ins, Outs, RolloutError};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::{exceptions::PyValueError, prelude::*, types::PyDict};
use std::sync::{Mutex, MutexGuard, PoisonError, atomic::AtomicBool};

/// Numbers, many rows of them one after the other.
type Numbers<'py> = Bound<'py, PyArray1<f64>>;
type Read<'py> = PyReadonlyArray1<'py, f64>;

/// The runs of a model, as a map.
#[pyclass(frozen, module = "holonomy._engine")]
pub(crate) struct Rollout {
    rollout: host::Rollout,
    inputs: Vec<String>,
    raised: Raised,
}

#[pymethods]
impl Rollout {
    #[new]
    #[pyo3(signature = (model, parameters, outputs, steps, every))]
    fn new(
        py: Python<'_>,
        model: &Model,
        parameters: Vec<String>,
        outputs: Option<Vec<String>>,
        steps: usize,
        every: usize,
    ) -> PyResult<Self> {
        let rollout = host::Rollout::new(&model.model, &parameters, outputs.as_deref(), steps, every);
        Ok(Self {
            rollout: rollout.map_err(|error| failed(py, error))?,
            inputs: model
                .model
                .inputs
                .iter()
                .map(|input| input.name.clone())
                .collect(),
            raised: model.raised.clone(),
        })
    }

    /// Paths of the numbers, and their values in the model.
    fn numbers(&self) -> Vec<(String, f64)> {
        self.rollout.numbers()
    }

    /// Where the model starts: q, then p.
    fn start<'py>(&self, py: Python<'py>) -> Numbers<'py> {
        PyArray1::from_vec(py, self.rollout.start())
    }

    /// Names of the inputs.
    fn inputs(&self) -> Vec<String> {
        self.inputs.clone()
    }

    /// Names of the columns of outputs.
    fn columns(&self) -> Vec<String> {
        self.rollout.columns()
    }

    /// Steps after which outputs are read.
    fn samples(&self) -> Vec<usize> {
        self.rollout.samples()
    }

    fn steps(&self) -> usize {
        self.rollout.steps()
    }

    /// Takes a run; what is not given is that of the model.
    fn take(
        &self,
        py: Python<'_>,
        start: Option<Read<'_>>,
        numbers: Option<Read<'_>>,
        inputs: Option<Read<'_>>,
    ) -> PyResult<Rolled> {
        let given = Given {
            start: start.map(owned),
            numbers: numbers.map(owned),
            inputs: inputs.map(owned),
        };
        let stop = AtomicBool::new(false);
        let (taken, signal) = watched(py, 0, &stop, || self.rollout.take(given, &stop));
        if let Some(error) = signal.or_else(|| self.raised.take()) {
            return Err(error);
        }
        Ok(Rolled {
            taken: Mutex::new(taken.map_err(|error| failed(py, error))?),
            raised: self.raised.clone(),
        })
    }
}

/// A run that was taken, with its derivatives.
#[pyclass(frozen, module = "holonomy._engine")]
pub(crate) struct Rolled {
    taken: Mutex<host::Taken>,
    raised: Raised,
}

#[pymethods]
impl Rolled {
    /// Where it ended: q, then p.
    fn end<'py>(&self, py: Python<'py>) -> Numbers<'py> {
        PyArray1::from_slice(py, &self.lock().end)
    }

    /// What was read, sample by sample.
    fn outputs<'py>(&self, py: Python<'py>) -> Numbers<'py> {
        PyArray1::from_slice(py, &self.lock().read)
    }

    /// What so many changes of start, numbers and inputs make of end and outputs.
    fn push<'py>(
        &self,
        py: Python<'py>,
        start: Read<'py>,
        numbers: Read<'py>,
        inputs: Read<'py>,
        count: usize,
    ) -> PyResult<(Numbers<'py>, Numbers<'py>)> {
        let ins = Ins {
            start: owned(start),
            numbers: owned(numbers),
            inputs: owned(inputs),
        };
        let outs = self.watch(py, |taken, stop| taken.push(&ins, count, stop))?;
        Ok((
            PyArray1::from_vec(py, outs.end),
            PyArray1::from_vec(py, outs.outputs),
        ))
    }

    /// What so many gradients by end and outputs are by start, numbers and inputs; and by how much they grew.
    fn pull<'py>(
        &self,
        py: Python<'py>,
        end: Read<'py>,
        outputs: Read<'py>,
        count: usize,
    ) -> PyResult<(Numbers<'py>, Numbers<'py>, Numbers<'py>, f64)> {
        let outs = Outs {
            end: owned(end),
            outputs: owned(outputs),
        };
        let (ins, growth) = self.watch(py, |taken, stop| taken.pull(&outs, count, stop))?;
        Ok((
            PyArray1::from_vec(py, ins.start),
            PyArray1::from_vec(py, ins.numbers),
            PyArray1::from_vec(py, ins.inputs),
            growth,
        ))
    }

    /// What gradients through it are worth.
    fn certificate<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found: GradientCertificate = self.watch(py, |taken, stop| taken.certificate(stop))?;
        let data = PyDict::new(py);
        data.set_item("time", found.time)?;
        data.set_item("pairing", found.pairing)?;
        data.set_item("duality", found.duality)?;
        let momenta = PyDict::new(py);
        for momentum in found.momenta {
            momenta.set_item(momentum.name, (momentum.change, momentum.error))?;
        }
        data.set_item("momenta", momenta)?;
        data.set_item("growth", found.growth)?;
        data.set_item("exponent", found.exponent.map(|exponent| exponent.value))?;
        data.set_item("horizon", found.horizon)?;
        Ok(data)
    }

    /// The growth of a gradient that has lost half of its digits.
    #[classattr]
    #[allow(non_upper_case_globals)]
    const meaningless: f64 = MEANINGLESS;
}

impl Rolled {
    fn lock(&self) -> MutexGuard<'_, host::Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch<R: Send>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut host::Taken, &AtomicBool) -> Result<R, RolloutError> + Send,
    ) -> PyResult<R> {
        let stop = AtomicBool::new(false);
        let (found, signal) = watched(py, 0, &stop, || act(&mut self.lock(), &stop));
        if let Some(error) = signal.or_else(|| self.raised.take()) {
            return Err(error);
        }
        found.map_err(|error| failed(py, error))
    }
}

fn owned(numbers: Read<'_>) -> Vec<f64> {
    numbers.as_array().iter().copied().collect()
}

/// A run that failed is an error of its step, all else one of what was given.
fn failed(py: Python<'_>, error: RolloutError) -> PyErr {
    match &error {
        RolloutError::Step { step, t, .. } => {
            let data = PyDict::new(py);
            let filled = data.set_item("step", step).and_then(|()| data.set_item("t", t));
            filled.map_or_else(
                |error| error,
                |()| errors::raised(py, "StepError", &error.to_string(), &data),
            )
        }
        RolloutError::Model(_) => errors::plain(py, "ModelError", &error.to_string()),
        RolloutError::Stopped => errors::failed(error),
        _ => PyValueError::new_err(error.to_string()),
    }
}

//! Several methods, and several steps, on one model.
use crate::{errors, functions::Raised, model::Model, run::effort, watch::watched};
use holonomy_cli::words::Sentence;
use holonomy_host::compare as host;
use holonomy_model as model;
use holonomy_report::{
    certificate::Effort,
    compare::{self as report, NoPrecision, NotRun},
    converge as report_converge, figures,
    run::Control,
};
use numpy::PyArray1;
use pyo3::{exceptions::PyRuntimeError, prelude::*};
use std::sync::{Mutex, MutexGuard, PoisonError, atomic::AtomicBool};

/// An array of numbers.
type Numbers<'py> = Bound<'py, PyArray1<f64>>;

/// Several methods side by side.
#[pyclass(frozen, module = "holonomy._engine")]
pub(crate) struct Comparison {
    comparison: Mutex<report::Comparison>,
    page: String,
}

#[pymethods]
impl Comparison {
    /// What was measured, as JSON.
    fn to_json(&self) -> String {
        self.lock().to_json()
    }

    /// The methods that ran.
    fn ran(&self) -> Vec<String> {
        self.lock().ran().map(|(method, _)| method.to_owned()).collect()
    }

    /// Those that did not, and why.
    fn not_run(&self) -> Vec<(String, String)> {
        let comparison = self.lock();
        let failed = comparison
            .entries
            .iter()
            .filter_map(|entry| Some((entry.method.clone(), entry.result.as_ref().err()?.to_string())));
        failed.collect()
    }

    /// |E − E₀| of a method over time: t and the error, as it was drawn.
    fn energy<'py>(&self, py: Python<'py>, method: &str) -> PyResult<(Numbers<'py>, Numbers<'py>)> {
        let comparison = self.lock();
        let found = comparison.ran().find(|(name, _)| *name == method);
        let Some((_, outcome)) = found else {
            return Err(PyRuntimeError::new_err(format!("`{method}` did not run")));
        };
        let points = outcome.series.energy.points();
        let (t, error): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
        Ok((PyArray1::from_vec(py, t), PyArray1::from_vec(py, error)))
    }

    fn verdict(&self) -> String {
        self.lock().verdict().to_string()
    }

    fn figure(&self) -> String {
        figures::compare(&self.lock())
    }

    /// The page, in one file.
    fn page(&self) -> &str {
        &self.page
    }
}

impl Comparison {
    fn lock(&self) -> MutexGuard<'_, report::Comparison> {
        self.comparison.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs a model by several methods, each given as a model of its own or as the reason why there is none.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    name: &str,
    candidates: Vec<(String, Candidate)>,
    certify: &str,
    threads: usize,
    with_page: bool,
) -> PyResult<Comparison> {
    let effort = effort(certify)?;
    let raised: Vec<Raised> = candidates
        .iter()
        .filter_map(|(_, found)| match found {
            Candidate::Model(model) => Some(model.get().raised.clone()),
            Candidate::Refused(_) => None,
        })
        .collect();
    let candidates = candidates.into_iter().map(|(method, found)| {
        let model = match found {
            Candidate::Model(model) => {
                let model = &model.get().model;
                Ok(model.started(model.state.clone(), model.schedule))
            }
            Candidate::Refused(message) => Err(NotRun::Refused { message, help: None }),
        };
        (method, model)
    });
    let candidates: Vec<(String, Result<model::Model, NotRun>)> = candidates.collect();
    let stop = AtomicBool::new(false);
    let ((comparison, page), signal) = watched(py, threads, &stop, || {
        let control = Control {
            stop: &stop,
            progress: &mut |_| {},
            effort,
        };
        let (comparison, first) = host::compare(name, candidates, &mut |_| {}, control);
        let control = Control {
            stop: &stop,
            progress: &mut |_| {},
            effort: Effort::None,
        };
        let precision = match first.filter(|_| with_page) {
            Some(model) => {
                host::precision(&comparison, model, &mut |_| {}, control).map_err(NoPrecision::from)
            }
            None => Err(NoPrecision::NothingRan),
        };
        let page = comparison.page(&precision, "the Python package");
        (comparison, page)
    });
    if let Some(signal) = signal.or_else(|| raised.iter().find_map(Raised::take)) {
        return Err(signal);
    }
    Ok(Comparison {
        comparison: Mutex::new(comparison),
        page,
    })
}

/// A model, or the reason why there is none.
#[derive(FromPyObject)]
pub(crate) enum Candidate {
    Model(Py<Model>),
    Refused(String),
}

/// Errors of a model's method for several steps: as JSON, and the figure.
#[pyfunction]
pub(crate) fn converge(py: Python<'_>, model: Py<Model>, steps: Vec<f64>) -> PyResult<(String, String)> {
    let model = model.get();
    let stop = AtomicBool::new(false);
    let (found, signal) = watched(py, 0, &stop, || {
        let control = Control {
            stop: &stop,
            progress: &mut |_| {},
            effort: Effort::None,
        };
        report_converge::converge(&model.model, &model.name, &steps, &mut |_| {}, control)
    });
    if let Some(signal) = signal {
        return Err(signal);
    }
    let found = found.map_err(|error| errors::plain(py, "HolonomyError", &error.sentence()))?;
    let title = match model.model.title.as_str() {
        "" => &model.name,
        title => title,
    };
    Ok((found.to_json(), figures::converge(title, &found)))
}

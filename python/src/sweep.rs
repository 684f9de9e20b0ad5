//! Many cases of a model.
use crate::{errors, model::Model, run::effort, watch::watched};
use holonomy_host::sweep::{
    self, Axis, AxisValues, CaseColumn, CaseRow, Samples, Setting, Spread, axes_of_table,
};
use numpy::PyArray1;
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyDict, PyList},
};
use std::{path::Path, sync::atomic::AtomicBool};

/// Cases of a model, whose keys take the values of axes.
#[pyclass(frozen, module = "holonomy._engine")]
pub(crate) struct Plan {
    plan: sweep::Plan,
}

/// What a key takes: `"0:1:5"` and the like, as the command reads it; or numbers or words.
fn axis(py: Python<'_>, key: &str, given: &Bound<'_, PyAny>, unit: &str) -> PyResult<Axis> {
    if let Ok(text) = given.extract::<String>() {
        return Axis::parse(&format!("{key}={text}")).map_err(|error| errors::sweep_error(py, error));
    }
    if given.len().is_ok_and(|count| count == 0) {
        return Err(errors::plain(py, "SweepError", &format!("`{key}` has no values")));
    }
    if let Ok(words) = given.extract::<Vec<String>>() {
        return Ok(Axis {
            key: key.to_owned(),
            text: format!("{key}={}", words.join(",")),
            unit: String::new(),
            values: AxisValues::Words(words),
        });
    }
    let Ok(numbers) = given.extract::<Vec<f64>>() else {
        return Err(PyTypeError::new_err(format!(
            "the values of `{key}` are numbers, or texts"
        )));
    };
    if let Some(bad) = numbers.iter().find(|number| !number.is_finite()) {
        return Err(PyValueError::new_err(format!(
            "`{key}` has a value that is not finite: {bad}"
        )));
    }
    let texts: Vec<String> = numbers.iter().map(|number| format!("{number:?}{unit}")).collect();
    Ok(Axis {
        key: key.to_owned(),
        text: format!("{key}={}", texts.join(",")),
        unit: unit.to_owned(),
        values: AxisValues::Numbers(numbers),
    })
}

/// The table in the folder of a sweep, a column each.
#[pyfunction]
pub(crate) fn read_cases<'py>(py: Python<'py>, folder: &str) -> PyResult<Bound<'py, PyDict>> {
    let columns = py.detach(|| sweep::read_cases(Path::new(folder)));
    let table = PyDict::new(py);
    for (name, column) in columns.map_err(|error| errors::sweep_error(py, error))? {
        match column {
            CaseColumn::Numbers(numbers) if name == "case" => {
                let cases = numbers.into_iter().map(|number| number as i64).collect();
                table.set_item(name, PyArray1::from_vec(py, cases))?;
            }
            CaseColumn::Numbers(numbers) => table.set_item(name, PyArray1::from_vec(py, numbers))?,
            CaseColumn::Words(words) => table.set_item(name, PyList::new(py, words)?)?,
        }
    }
    Ok(table)
}

#[pymethods]
impl Plan {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "keywords of a Python call")]
    fn new(
        py: Python<'_>,
        model: Py<Model>,
        axes: Vec<(String, Bound<'_, PyAny>, String)>,
        zip: bool,
        samples: Option<u64>,
        seed: u64,
        spread: &str,
        measures: Vec<String>,
        certify: &str,
        trajectories: Option<f64>,
    ) -> PyResult<Self> {
        let axes = axes.iter().map(|(key, values, unit)| axis(py, key, values, unit));
        let axes: Vec<Axis> = axes.collect::<PyResult<_>>()?;
        Self::of(
            py,
            &model,
            axes,
            zip,
            samples,
            seed,
            spread,
            &measures,
            certify,
            trajectories,
        )
    }

    /// Cases from a table in Parquet or CSV.
    #[staticmethod]
    fn of_table(
        py: Python<'_>,
        model: Py<Model>,
        table: &str,
        measures: Vec<String>,
        certify: &str,
    ) -> PyResult<Self> {
        let axes = axes_of_table(Path::new(table)).map_err(|error| errors::sweep_error(py, error))?;
        Self::of(
            py,
            &model,
            axes,
            true,
            None,
            1,
            "independent",
            &measures,
            certify,
            None,
        )
    }

    #[getter]
    fn count(&self) -> u64 {
        self.plan.count()
    }

    #[getter]
    fn parts(&self) -> u64 {
        self.plan.parts()
    }

    /// What it is of, as JSON: the same wherever it runs.
    fn describe(&self) -> PyResult<String> {
        serde_json::to_string(&self.plan.describe()).map_err(errors::failed)
    }

    /// Names of the columns of the table.
    fn columns(&self) -> Vec<String> {
        self.plan.describe().columns
    }

    /// Runs all cases in memory: a column each.
    fn collect<'py>(
        &self,
        py: Python<'py>,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let stop = AtomicBool::new(false);
        let show = shown(progress.as_ref());
        let (rows, signal) = watched(py, threads, &stop, || self.plan.collect(&stop, &show));
        if let Some(signal) = signal {
            return Err(signal);
        }
        self.table(py, &rows)
    }

    /// Runs the cases that are not finished into a folder: whether it is whole, and how many failed.
    fn sweep(
        &self,
        py: Python<'_>,
        folder: &str,
        replace: bool,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(bool, u64, u64)> {
        let stop = AtomicBool::new(false);
        let show = shown(progress.as_ref());
        let (swept, signal) = watched(py, threads, &stop, || {
            self.plan
                .sweep(Path::new(folder), replace, "the Python package", &stop, &show)
        });
        if let Some(signal) = signal {
            return Err(signal);
        }
        let swept = swept.map_err(|error| errors::sweep_error(py, error))?;
        Ok((swept.whole, swept.before, swept.failed))
    }

    /// Makes the folder that others fill part by part.
    fn begin(&self, py: Python<'_>, folder: &str, replace: bool) -> PyResult<()> {
        self.plan
            .begin(Path::new(folder), replace)
            .map_err(|error| errors::sweep_error(py, error))
    }

    /// Computes one part of the folder: how many cases were computed.
    fn make_part(&self, py: Python<'_>, folder: &str, number: u64) -> PyResult<Option<u64>> {
        let stop = AtomicBool::new(false);
        let (made, signal) = watched(py, 1, &stop, || {
            self.plan.make_part(Path::new(folder), number, &stop)
        });
        if let Some(signal) = signal {
            return Err(signal);
        }
        made.map_err(|error| errors::sweep_error(py, error))
    }

    /// The settings of a case, by key.
    fn settings<'py>(&self, py: Python<'py>, case: u64) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (axis, setting) in self.plan.axes().iter().zip(self.plan.settings(case)) {
            match (setting, axis.unit.as_str()) {
                (Setting::Number(number), "") => dict.set_item(&axis.key, number)?,
                (Setting::Number(number), unit) => dict.set_item(&axis.key, format!("{number:?} {unit}"))?,
                (Setting::Word(word), _) => dict.set_item(&axis.key, word)?,
            }
        }
        Ok(dict)
    }
}

impl Plan {
    #[expect(clippy::too_many_arguments, reason = "keywords of a Python call")]
    fn of(
        py: Python<'_>,
        model: &Py<Model>,
        axes: Vec<Axis>,
        zip: bool,
        count: Option<u64>,
        seed: u64,
        spread: &str,
        measures: &[String],
        certify: &str,
        trajectories: Option<f64>,
    ) -> PyResult<Self> {
        let spread = match spread {
            "independent" => Spread::Independent,
            "latin" => Spread::Latin,
            "sobol" => Spread::Sobol,
            _ => {
                return Err(PyValueError::new_err(
                    "`spread` is \"independent\", \"latin\" or \"sobol\"",
                ));
            }
        };
        let effort = effort(certify)?;
        let model = &model.get().model;
        let model = model.started(model.state.clone(), model.schedule);
        let samples = Samples { count, seed, spread };
        let plan = sweep::Plan::new(model, axes, zip, samples, measures, effort);
        let mut plan = plan.map_err(|error| errors::sweep_error(py, error))?;
        if let Some(gigabytes) = trajectories {
            plan.keep_trajectories(gigabytes * 1e9)
                .map_err(|error| errors::sweep_error(py, error))?;
        }
        Ok(Self { plan })
    }

    fn table<'py>(&self, py: Python<'py>, rows: &[CaseRow]) -> PyResult<Bound<'py, PyDict>> {
        let table = PyDict::new(py);
        let cases: Vec<i64> = rows.iter().map(|row| row.case as i64).collect();
        table.set_item("case", PyArray1::from_vec(py, cases))?;
        for (k, axis) in self.plan.axes().iter().enumerate() {
            let settings = rows.iter().map(|row| self.plan.settings(row.case).swap_remove(k));
            if axis.has_words() {
                let words = settings.map(|setting| match setting {
                    Setting::Word(word) => word,
                    Setting::Number(number) => number.to_string(),
                });
                table.set_item(&axis.key, PyList::new(py, words.collect::<Vec<_>>())?)?;
            } else {
                let numbers = settings.map(|setting| match setting {
                    Setting::Number(number) => number,
                    Setting::Word(_) => f64::NAN,
                });
                table.set_item(&axis.key, PyArray1::from_vec(py, numbers.collect()))?;
            }
        }
        for (k, name) in self.plan.results().iter().enumerate() {
            let numbers = rows
                .iter()
                .map(|row| row.numbers.get(k).copied().flatten().unwrap_or(f64::NAN));
            table.set_item(name, PyArray1::from_vec(py, numbers.collect()))?;
        }
        for (k, name) in ["structure", "path", "message"].into_iter().enumerate() {
            let words = rows
                .iter()
                .map(|row| row.words.get(k).cloned().unwrap_or_default());
            table.set_item(name, PyList::new(py, words.collect::<Vec<_>>())?)?;
        }
        Ok(table)
    }
}

/// Shows how many cases are done, a few times a second at most.
fn shown(callable: Option<&Py<PyAny>>) -> impl Fn(u64, u64) + Sync {
    let last = std::sync::Mutex::new(std::time::Instant::now());
    move |done, cases| {
        let Some(callable) = callable else { return };
        let due = last.try_lock().is_ok_and(|mut last| {
            let due = last.elapsed().as_millis() >= 100 || done == cases;
            if due {
                *last = std::time::Instant::now();
            }
            due
        });
        if due {
            Python::attach(|py| {
                // What shows progress cannot end the work; Ctrl-C can.
                let _ = callable.bind(py).call1((done, cases));
            });
        }
    }
}

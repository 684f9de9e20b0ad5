//! Errors of Rust as exceptions of `holonomy.errors`, with their data.
use holonomy::simulation::RunError;
use holonomy_cli::words::{Sentence, Unopened};
use holonomy_host::{
    folder::FolderError, resume::GoOnError, start::StartError, sweep::SweepError,
    trajectory::read::TrajectoryError, unfinished::UnfinishedError,
};
use holonomy_model::{self as model, Problem, Severity, Source};
use pyo3::{
    exceptions::{PyFileNotFoundError, PyOSError, PyRuntimeError},
    prelude::*,
    types::{PyDict, PyList},
};
use std::io;

/// Problems that are written out.
const MOST: usize = 50;

/// An exception of the package, by its name.
pub(crate) fn raised(py: Python<'_>, name: &str, message: &str, data: &Bound<'_, PyDict>) -> PyErr {
    let make = || -> PyResult<PyErr> {
        let class = py.import("holonomy.errors")?.getattr(name)?;
        let made = class.call((message,), Some(data))?;
        Ok(PyErr::from_value(made))
    };
    make().unwrap_or_else(|error| error)
}

/// A plain exception of the package.
pub(crate) fn plain(py: Python<'_>, name: &str, message: &str) -> PyErr {
    raised(py, name, message, &PyDict::new(py))
}

/// A model that cannot be used. Without a text its problems have paths, and no lines.
pub(crate) fn model_error(py: Python<'_>, source: Option<&Source>, problems: &[Problem]) -> PyErr {
    let make = || -> PyResult<PyErr> {
        let list = PyList::empty(py);
        for problem in problems {
            list.append(described(py, source, problem)?)?;
        }
        let text = match source {
            Some(source) => model::render(source, problems, false, MOST),
            None => problems.iter().map(|problem| format!("{problem}\n")).collect(),
        };
        let data = PyDict::new(py);
        data.set_item("problems", list)?;
        Ok(raised(py, "ModelError", text.trim_end(), &data))
    };
    make().unwrap_or_else(|error| error)
}

/// A problem as a dictionary.
pub(crate) fn described<'py>(
    py: Python<'py>,
    source: Option<&Source>,
    problem: &Problem,
) -> PyResult<Bound<'py, PyDict>> {
    let data = PyDict::new(py);
    let severity = match problem.severity {
        Severity::Error => "error",
        Severity::Note => "note",
    };
    data.set_item("severity", severity)?;
    data.set_item("message", &problem.message)?;
    data.set_item("help", &problem.help)?;
    data.set_item("path", problem.place.path().map(ToString::to_string))?;
    let place = source
        .filter(|_| problem.span != (0..0))
        .map(|source| source.locate(problem.span.clone()));
    data.set_item("line", place.as_ref().map(|place| place.line))?;
    data.set_item("column", place.as_ref().map(|place| place.column))?;
    data.set_item("origin", place.as_ref().map(|place| place.origin))?;
    Ok(data)
}

/// A run that failed.
pub(crate) fn step_error(py: Python<'_>, error: &RunError, message: &str) -> PyErr {
    let make = || -> PyResult<PyErr> {
        let data = PyDict::new(py);
        data.set_item("t", error.t)?;
        data.set_item("step", error.step)?;
        data.set_item("limit", error.source.step().and_then(|step| step.limit))?;
        Ok(raised(py, "StepError", message, &data))
    };
    make().unwrap_or_else(|error| error)
}

pub(crate) fn unopened(py: Python<'_>, error: Unopened) -> PyErr {
    match error.source {
        Some(source) if source.kind() == io::ErrorKind::NotFound => {
            PyFileNotFoundError::new_err(error.message)
        }
        Some(_) => PyOSError::new_err(error.message),
        None => plain(py, "ModelError", &error.message),
    }
}

pub(crate) fn folder_error(error: FolderError) -> PyErr {
    PyOSError::new_err(error.sentence())
}

pub(crate) fn sweep_error(py: Python<'_>, error: SweepError) -> PyErr {
    match error {
        SweepError::Folder(_) | SweepError::Disk { .. } => PyOSError::new_err(error.sentence()),
        error => plain(py, "SweepError", &error.sentence()),
    }
}

pub(crate) fn go_on_error(py: Python<'_>, error: GoOnError) -> PyErr {
    match error {
        GoOnError::BadModel { text, problems } => model_error(py, Some(&text), &problems),
        GoOnError::Folder(error) => folder_error(error),
        error => plain(py, "ResumeError", &error.sentence()),
    }
}

pub(crate) fn start_error(py: Python<'_>, error: StartError) -> PyErr {
    match error {
        StartError::BadModel { text, problems } => model_error(py, Some(&text), &problems),
        error => plain(py, "ResumeError", &error.sentence()),
    }
}

pub(crate) fn trajectory_error(error: &TrajectoryError) -> PyErr {
    PyOSError::new_err(error.to_string())
}

pub(crate) fn damaged(py: Python<'_>, path: &str, error: &UnfinishedError) -> PyErr {
    plain(py, "ResumeError", &format!("{path} cannot be used: {error}"))
}

pub(crate) fn disk(path: &str, error: &io::Error) -> PyErr {
    let message = format!("cannot use {path}: {error}");
    match error.kind() {
        io::ErrorKind::NotFound => PyFileNotFoundError::new_err(message),
        _ => PyOSError::new_err(message),
    }
}

pub(crate) fn failed(message: impl ToString) -> PyErr {
    PyRuntimeError::new_err(message.to_string())
}

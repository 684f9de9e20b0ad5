//! What there is: methods, scenarios, robots, reproductions; and the command itself.
use crate::{errors, watch::watched};
use holonomy::integrator::catalog;
use holonomy_host::{
    import::{self, Options},
    play::{Opened, PLAYGROUND, fragment},
};
use holonomy_model::{Source, scenario};
use holonomy_reproduce as reproduction;
use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyDict, PyList},
};
use std::{ffi::OsString, fs, path::Path, sync::atomic::AtomicBool};

/// Every method, as a dictionary each.
#[pyfunction]
pub(crate) fn methods(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for method in catalog::METHODS {
        let entry = PyDict::new(py);
        entry.set_item("name", method.name)?;
        entry.set_item("summary", method.summary)?;
        entry.set_item("reference", method.reference)?;
        entry.set_item("order", method.order)?;
        entry.set_item("symplectic", method.symplectic)?;
        entry.set_item("symmetric", method.symmetric)?;
        entry.set_item("bounded_energy", method.bounded_energy)?;
        entry.set_item("on_manifold", method.on_manifold)?;
        entry.set_item("differentiable", method.differentiable)?;
        entry.set_item("adaptive", method.adaptive)?;
        entry.set_item("for_comparison", method.for_comparison)?;
        entry.set_item("options", method.options)?;
        list.append(entry)?;
    }
    Ok(list)
}

/// Every scenario: its name, title, and what to see in it.
#[pyfunction]
pub(crate) fn scenarios() -> Vec<(&'static str, String, &'static str)> {
    let all = scenario::SCENARIOS.iter();
    all.map(|scenario| (scenario.name, scenario.title(), scenario.summary()))
        .collect()
}

/// A robot in URDF as a model: its text, what was carried over, what was ignored, what was changed.
#[pyfunction]
pub(crate) fn import_urdf(
    py: Python<'_>,
    path: &str,
    floating: bool,
) -> PyResult<(String, String, Vec<String>, Vec<String>)> {
    let text = fs::read_to_string(Path::new(path)).map_err(|error| errors::disk(path, &error))?;
    let source = Source::new(path, text);
    let options = Options {
        floating,
        all: true,
        ..Options::default()
    };
    let import = py
        .detach(|| import::urdf(&source, options))
        .map_err(|problems| errors::model_error(py, Some(&source), &problems))?;
    if !import.refused.is_empty() {
        return Err(errors::model_error(py, Some(&source), &import.refused));
    }
    Ok((
        import.model,
        import.carried.to_string(),
        import::lines(&import.ignored, true),
        import::lines(&import.changed, true),
    ))
}

/// Names and titles of what can be reproduced, and from which document.
#[pyfunction]
pub(crate) fn reproductions() -> Vec<(&'static str, &'static str, &'static str)> {
    reproduction::items()
        .map(|item| (item.name, item.title, item.document.name()))
        .collect()
}

/// Computes figures and tables of the documents again, into a folder: what became of each item.
#[pyfunction]
pub(crate) fn reproduce(
    py: Python<'_>,
    names: Vec<String>,
    folder: &str,
    again: bool,
    threads: usize,
) -> PyResult<Vec<(String, Option<String>)>> {
    for name in &names {
        if !reproduction::items().any(|item| item.name == name) {
            return Err(PyValueError::new_err(format!(
                "there is no item `{name}`; `holonomy.reproductions()` lists them"
            )));
        }
    }
    let wanted: Vec<&'static reproduction::Item> = reproduction::items()
        .filter(|item| names.is_empty() || names.iter().any(|name| name == item.name))
        .collect();
    let stop = AtomicBool::new(false);
    let (found, signal) = watched(py, threads, &stop, || {
        let control = reproduction::Control {
            stop: &stop,
            threads: match threads {
                0 => std::thread::available_parallelism().map_or(1, usize::from),
                threads => threads,
            },
            progress: &|_| {},
        };
        reproduction::reproduce(&wanted, Path::new(folder), again, &control)
    });
    if let Some(signal) = signal {
        return Err(signal);
    }
    let found = found.map_err(errors::folder_error)?;
    let each = found
        .into_iter()
        .map(|(item, result)| (item.name.to_owned(), result.err().map(|error| error.to_string())));
    Ok(each.collect())
}

/// The page of the playground, and the fragment of an address with which it opens a model.
#[pyfunction]
pub(crate) fn playground(name: Option<&str>, text: Option<&str>) -> (&'static [u8], String) {
    let opened = match (name, text) {
        (Some(name), None) => fragment(Opened::Scenario(name)),
        (_, Some(text)) => fragment(Opened::Text(text)),
        (None, None) => String::new(),
    };
    (PLAYGROUND, opened)
}

/// The command `holonomy`, with these words behind its name; its exit code.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    let all = std::iter::once(OsString::from("holonomy")).chain(words).collect();
    py.detach(|| holonomy_cli::main_with(all))
}

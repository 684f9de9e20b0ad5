//! The core of the Python package `holonomy`: models, simulations, runs and sweeps, thin over the host and the command.
//!
//! ```text
//! values    Python values ⇄ values of a model
//! errors    errors of Rust as exceptions with data
//! model     Model: what moves, from where, how and how long
//! functions energies and forces that Python hands over
//! simulation Simulation: a live state
//! run       Run: what a run left, with its certificate
//! several   comparisons and convergence
//! studies   linearisation, orbits, control, fits, efforts, gradients
//! rollout   Rollout: runs as a map with derivatives
//! sweep     Plan: many cases
//! watch     work that can be interrupted, and threads
//! ```
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod catalog;
mod errors;
mod functions;
mod model;
mod rollout;
mod run;
mod several;
mod simulation;
mod studies;
mod sweep;
mod values;
mod watch;

use pyo3::prelude::*;

/// The compiled core of `holonomy`. Use the package; names here may change.
#[pymodule]
mod _engine {
    #[pymodule_export]
    use crate::catalog::{command, import_urdf, methods, playground, reproduce, reproductions, scenarios};
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::rollout::{Rolled, Rollout};
    #[pymodule_export]
    use crate::run::Run;
    #[pymodule_export]
    use crate::several::{Comparison, compare, converge};
    #[pymodule_export]
    use crate::simulation::Simulation;
    #[pymodule_export]
    use crate::studies::{Study, control, fit, gradient, inverse, linearize, orbit};
    #[pymodule_export]
    use crate::sweep::{Plan, read_cases};

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}

//! Random texts for as long as one likes: formulas, model files, and whole models, robots and command lines given to the
//! command.
//!
//! The tests are those of `cargo xtask test`, which try a fixed number of texts. Each goes on for the given time, and
//! fails if something panics, takes more memory or time than it may, an error points outside its text, or a result has
//! numbers that are not finite or bits that its own model does not give again.
use crate::{Outcome, gate};

const SECONDS: u64 = 60;

/// Runs every fuzz test for that many seconds, or for a minute.
pub(crate) fn run(seconds: Option<&str>) -> Outcome {
    let seconds = match seconds.map(str::parse::<u64>) {
        None => SECONDS,
        Some(Ok(seconds)) => seconds,
        Some(Err(_)) => return Err("usage: cargo xtask fuzz [SECONDS], a whole number".to_owned()),
    };
    let tests = [
        "test",
        "--package",
        "holonomy",
        "--package",
        "holonomy-model",
        "--package",
        "holonomy-cli",
        "--lib",
        "--test",
        "it",
        "fuzz::",
        "--",
        "--nocapture",
    ];
    let mut command = gate::cargo_command(&tests);
    gate::finish(command.env("HOLONOMY_FUZZ_SECONDS", seconds.to_string()))
}

//! The stages of `cargo xtask test`. The first that fails ends it.
//!
//! ```text
//! format      rustfmt has nothing to change
//! documents   paths that they name exist, links lead somewhere, lines are not too long
//! generated   generated documents are those of the catalog
//! lint        clippy has nothing to say
//! build       the command builds
//! tests       all tests, those in the documentation too
//! reference   the reference documentation builds without warnings
//! examples    run
//! benches     run, each once
//! commands    of the documents end as they should, and their models are read
//! pages       of commands are HTML and open in Chromium without a complaint; skipped without npm, network or Chromium
//! robots      of a public collection import, and have Pinocchio's mass matrices; skipped without Python or network
//! ```
use crate::{Outcome, documents, generated, pages, robots, root, shell};
use std::{
    process::Command,
    time::{Duration, Instant},
};

type Stage = (&'static str, fn() -> Outcome);

/// Cheap ones first. All cargo calls are `--release`, so that they share what is built.
const STAGES: &[Stage] = &[
    ("format", format),
    ("documents", documents::check),
    ("generated", generated::check),
    ("lint", lint),
    ("build", build),
    ("tests", tests),
    ("reference", reference),
    ("examples", examples),
    ("benches", benches),
    ("commands", shell::run_documents),
    ("pages", pages::run),
    ("robots", robots::run),
];

/// Runs all stages, or the one that is named.
pub(crate) fn run(only: Option<&str>) -> Outcome {
    let start = Instant::now();
    let wanted = |(name, _): &&Stage| only.is_none_or(|only| only == *name);
    let stages: Vec<&Stage> = STAGES.iter().filter(wanted).collect();
    if stages.is_empty() {
        let names: Vec<&str> = STAGES.iter().map(|(name, _)| *name).collect();
        return Err(format!("there is no such stage; they are {}", names.join(", ")));
    }
    for (number, (name, stage)) in stages.iter().enumerate() {
        println!("\n== {}/{} {name}", number + 1, stages.len());
        let before = Instant::now();
        match stage() {
            Ok(()) => println!("== {name}: passed in {}", seconds(before.elapsed())),
            Err(message) => {
                println!(
                    "\n== {name}: FAILED after {}\n{message}",
                    seconds(before.elapsed())
                );
                println!("\n{number} passed, 1 failed");
                return Err(format!("`cargo xtask test` stopped at the stage `{name}`"));
            }
        }
    }
    println!("\nall stages in {}", seconds(start.elapsed()));
    println!("{} passed, 0 failed", stages.len());
    Ok(())
}

fn format() -> Outcome {
    cargo(&["fmt", "--all", "--check"])
}

fn lint() -> Outcome {
    let all = [
        "clippy",
        "--release",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ];
    cargo(&all)
}

/// What `cargo holonomy` builds.
fn build() -> Outcome {
    cargo(&["build", "--release", "--package", "holonomy-cli"])
}

fn tests() -> Outcome {
    cargo(&["test", "--release", "--workspace"])
}

/// Only libraries: the command has the name of the engine, and their pages would collide.
fn reference() -> Outcome {
    let mut command = cargo_command(&["doc", "--release", "--no-deps", "--workspace", "--lib"]);
    finish(command.env("RUSTDOCFLAGS", "-D warnings"))
}

fn examples() -> Outcome {
    let folder = root().join("crates/holonomy/examples");
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| {
            entry
                .ok()?
                .file_name()
                .to_str()?
                .strip_suffix(".rs")
                .map(str::to_owned)
        })
        .collect();
    names.sort();
    for name in names {
        cargo(&[
            "run",
            "--release",
            "--quiet",
            "--package",
            "holonomy",
            "--example",
            &name,
        ])?;
    }
    Ok(())
}

fn benches() -> Outcome {
    let names = ["--bench", "steps", "--bench", "formula", "--bench", "trees"];
    cargo(&[&["bench", "--package", "holonomy"], &names[..], &["--", "--test"]].concat())
}

fn cargo(arguments: &[&str]) -> Outcome {
    finish(&mut cargo_command(arguments))
}

pub(crate) fn cargo_command(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

pub(crate) fn finish(command: &mut Command) -> Outcome {
    let words: Vec<_> = command
        .get_args()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let line = format!("cargo {}", words.join(" "));
    println!("   {line}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{line}`: {status}")),
        Err(error) => Err(format!("`{line}` cannot be started: {error}")),
    }
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

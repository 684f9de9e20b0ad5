//! The two tiers: `cargo xtask quick` while one works, `cargo xtask test` before one commits.
//!
//! ```text
//! format      rustfmt has nothing to change                                                              quick
//! documents   paths that they name exist, links lead somewhere, the drawing of the crates is true        quick
//! site        documents and scenarios become pages whose links and anchors all lead somewhere
//! lint        clippy has nothing to say                                                                  quick
//! tests       all tests; in `quick` those that are not marked as long                                    quick
//! doctests    the programs in the reference documentation run
//! reference   the reference documentation builds without warnings
//! portable    the pure crates build for WebAssembly, and without default features
//! packages    the libraries can be published, and nothing newer than `rust-version` is used
//! licences    of what we depend on are allowed; skipped without cargo-deny
//! web         bundles of `web/` are those of their sources; types and tests of these, skipped without `npm ci`
//! build       the command, the examples and the programs of the benchmark build as they are shipped
//! generated   generated documents are those of the catalog
//! commands    of the documents end as they should, and their models are read
//! bits        runs come to the stored bits: natively, without glibc's fused products, and in WebAssembly, which is
//!             skipped without node or the compiler's target
//! examples    run
//! benches     run, each once
//! pages       of commands are HTML and open in Chromium without a complaint; skipped without npm, network or Chromium
//! browser     what moves on pages does so in Chromium; skipped without Chromium, Node, Python or network
//! python      the package installs into a fresh environment; its types, tests, examples; skipped without Python or network
//! robots      of a public collection import, and have Pinocchio's or MuJoCo's mass matrices; skipped without Python or network
//! tables      of runs and sweeps are read by pandas, polars and DuckDB to the bit; skipped without Python or network
//! ```
//!
//! There are two lanes, one in `target/debug` and one in `target/release`, because cargo does one thing at a time in each
//! of them. What is slow there uses one core: the engine built for release in one piece, and the end of the tests.
use crate::{
    Outcome, bits, browser, documents, generated, packages, pages, python_package, robots, root, shell, site,
    tables, web,
};
use std::{
    path::PathBuf,
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

type Stage = (&'static str, fn() -> Outcome);

/// Tests are optimised here, too (`[profile.dev]` in `Cargo.toml`), and integers that overflow are found.
const IN_DEBUG: &[Stage] = &[
    ("format", format),
    ("documents", documents::check),
    ("site", site::check),
    ("lint", lint),
    ("tests", tests),
    ("doctests", doctests),
    ("reference", reference),
    ("portable", packages::portable),
    ("packages", packages::publishable),
    ("licences", packages::licences),
    ("web", web::check),
];
/// What people get: the command, the examples and the pages.
const IN_RELEASE: &[Stage] = &[
    ("build", build),
    ("generated", generated::check),
    ("commands", shell::run_documents),
    ("bits", bits::run),
    ("examples", examples),
    ("benches", benches),
    ("pages", pages::run),
    ("browser", browser::run),
    ("python", python_package::run),
    ("robots", robots::run),
    ("tables", tables::run),
];

/// `cargo xtask quick`.
pub(crate) fn quick() -> Outcome {
    let stages = [
        ("format", format as fn() -> Outcome),
        ("documents", documents::check),
        ("lint", lint),
        ("tests", short_tests),
    ];
    let start = Instant::now();
    for stage in &stages {
        here(stage)?;
    }
    println!("\nquick: {} passed in {}", stages.len(), seconds(start.elapsed()));
    Ok(())
}

/// `cargo xtask test`: both lanes at once. A stage that fails is the last of both.
pub(crate) fn run() -> Outcome {
    let start = Instant::now();
    let failed = AtomicBool::new(false);
    let lanes = std::thread::scope(|scope| {
        let lanes = [IN_DEBUG, IN_RELEASE].map(|stages| scope.spawn(|| lane(stages, &failed)));
        lanes.map(|lane| lane.join().unwrap_or_default())
    });
    println!();
    for (name, took, _) in lanes.iter().flatten() {
        println!("{name:<12}{:>8}", seconds(*took));
    }
    let all: Vec<&Ran> = lanes.iter().flatten().collect();
    let wrong: Vec<&str> = all
        .iter()
        .filter(|(.., passed)| !passed)
        .map(|(name, ..)| *name)
        .collect();
    println!("all stages in {}", seconds(start.elapsed()));
    println!("{} passed, {} failed", all.len() - wrong.len(), wrong.len());
    match wrong.is_empty() && all.len() == IN_DEBUG.len() + IN_RELEASE.len() {
        true => Ok(()),
        false => Err(format!("`cargo xtask test` stopped at `{}`", wrong.join("`, `"))),
    }
}

/// A stage, how long it took, and whether it passed.
type Ran = (&'static str, Duration, bool);

/// `cargo xtask test STAGE`.
pub(crate) fn one(name: &str) -> Outcome {
    let mut all = IN_DEBUG.iter().chain(IN_RELEASE);
    match all.clone().find(|stage| stage.0 == name) {
        Some(stage) => here(stage),
        None => {
            let names: Vec<&str> = all.by_ref().map(|(name, _)| *name).collect();
            Err(format!("there is no such stage; they are {}", names.join(", ")))
        }
    }
}

/// A stage in this process, whose words appear as they come.
fn here((name, stage): &Stage) -> Outcome {
    println!("\n== {name}");
    let before = Instant::now();
    let outcome = stage();
    let took = seconds(before.elapsed());
    match outcome {
        Ok(()) => {
            println!("== {name}: passed in {took}");
            Ok(())
        }
        Err(message) => {
            println!("\n{message}\n== {name}: FAILED after {took}");
            Err(format!("stopped at the stage `{name}`"))
        }
    }
}

/// Stages one after the other, each a process of its own, whose words appear together when it is done.
fn lane(stages: &'static [Stage], failed: &AtomicBool) -> Vec<Ran> {
    let mut ran = Vec::new();
    for (name, _) in stages {
        if failed.load(Ordering::Relaxed) {
            break;
        }
        println!("   {name} begins");
        let start = Instant::now();
        let program = std::env::current_exe().unwrap_or_else(|_| "xtask".into());
        let mut stage = Command::new(program);
        let stage = stage.args(["test", name]).env("CARGO_TERM_COLOR", "always");
        let passed = match stage.stdin(Stdio::null()).output() {
            Ok(output) => {
                let words = [output.stderr, output.stdout].concat();
                print!("{}", String::from_utf8_lossy(&words));
                output.status.success()
            }
            Err(error) => {
                println!("the stage `{name}` cannot be started: {error}");
                false
            }
        };
        if !passed {
            failed.store(true, Ordering::Relaxed);
        }
        ran.push((*name, start.elapsed(), passed));
    }
    ran
}

fn format() -> Outcome {
    cargo(&["fmt", "--all", "--check"])
}

fn lint() -> Outcome {
    cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])
}

/// Those without `#[ignore = "long: …"]`; see CONTRIBUTING.md.
fn short_tests() -> Outcome {
    cargo(TESTS)
}

/// All but those of the night.
fn tests() -> Outcome {
    cargo(&[TESTS, &["--", "--include-ignored", "--skip", "overnight_"]].concat())
}

const TESTS: &[&str] = &["test", "--workspace", "--lib", "--bins", "--tests"];

fn doctests() -> Outcome {
    cargo(&["test", "--workspace", "--doc"])
}

/// Only libraries: the command has the name of the engine, and their pages would collide.
fn reference() -> Outcome {
    let mut command = cargo_command(&["doc", "--no-deps", "--workspace", "--lib"]);
    finish(command.env("RUSTDOCFLAGS", "-D warnings"))
}

/// All that stages run in release, in one command: another choice of packages has other features, and the engine would
/// be compiled again.
pub(crate) fn build() -> Outcome {
    cargo(&["build", "--release", "--workspace", "--bins", "--examples"])
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
    build()?;
    for name in names {
        let program = target().join("release/examples").join(&name);
        let mut command = Command::new(program.with_extension(std::env::consts::EXE_EXTENSION));
        finish(command.current_dir(root()).stdout(Stdio::null()))?;
    }
    Ok(())
}

fn benches() -> Outcome {
    let names = ["--bench", "steps", "--bench", "formula", "--bench", "trees"];
    cargo(&[&["bench", "--workspace"], &names[..], &["--", "--test"]].concat())
}

/// Where cargo puts things.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

pub(crate) fn cargo(arguments: &[&str]) -> Outcome {
    finish(&mut cargo_command(arguments))
}

pub(crate) fn cargo_command(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

pub(crate) fn finish(command: &mut Command) -> Outcome {
    let line = line(command);
    println!("   {line}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{line}`: {status}")),
        Err(error) => Err(format!("`{line}` cannot be started: {error}")),
    }
}

/// What a command writes to its standard output.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let line = line(command);
    let output = command
        .output()
        .map_err(|e| format!("`{line}` cannot be started: {e}"))?;
    match output.status.success() {
        true => String::from_utf8(output.stdout).map_err(|e| format!("`{line}`: {e}")),
        false => {
            let told = String::from_utf8_lossy(&output.stderr);
            Err(format!("`{line}`: {}\n{told}", output.status))
        }
    }
}

/// As one would type it.
fn line(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program());
    let words = std::iter::once(name).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

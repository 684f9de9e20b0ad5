//! Chores of the repository.
//!
//! ```text
//! cargo xtask quick           format, lint and the tests that take no time: while one works
//! cargo xtask test            everything that must hold: what the CI runs
//! cargo xtask test STAGE      one stage of it
//! cargo xtask docs            rewrites the generated documents
//! cargo xtask site            documents, scenarios and playground as pages in target/site; --with-reproduce
//! cargo xtask bench [ROW …]   ours, straight-line kernels and peers side by side; --list, --quick, --instructions
//! cargo xtask scaling         cost of a step against the number of links
//! cargo xtask robots [store]  trees against Pinocchio; or writes the stored reference of that
//! cargo xtask tables          of runs and sweeps, as pandas, polars and DuckDB read them
//! cargo xtask bits [store]    hashes of what all scenarios come to, against those stored; or writes these
//! cargo xtask bits all        10 000 steps of every scenario by every method: natively, in node and in Chromium
//! cargo xtask web [NAME]      builds the bundles of web/ that the crates embed: player, playground
//! cargo xtask web speed       steps of the playground's engine beside native ones
//! cargo xtask wheel           a wheel of the Python package in target/wheels, tried in a fresh environment
//! cargo xtask fuzz [SECONDS]  random texts, for a minute or so long
//! ```
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it talks to people")]

mod bench;
mod bits;
mod browser;
mod documents;
mod drawing;
mod engine;
mod fuzz;
mod gate;
mod generated;
mod markdown;
mod packages;
mod pages;
mod python;
mod python_package;
mod robots;
mod shell;
mod site;
mod tables;
mod web;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

const USAGE: &str = "usage: cargo xtask quick | test [STAGE] | docs | site [--with-reproduce] | bench [ROW …] | scaling | robots [store] | tables | bits [store | all] | web [NAME | speed] | wheel | fuzz [SECONDS]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["quick"] => gate::quick(),
        ["test"] => gate::run(),
        ["test", stage] => gate::one(stage),
        ["docs"] => generated::write(),
        ["site", ref rest @ ..] => site::run(rest),
        ["bench", ref rest @ ..] => bench::run(rest),
        ["scaling"] => bench::scaling(),
        ["robots"] => robots::run(),
        ["robots", "store"] => robots::store(),
        ["tables"] => tables::run(),
        ["bits"] => bits::run(),
        ["bits", "store"] => bits::store(),
        ["bits", "all"] => engine::all_bits(),
        ["web"] => web::build(None),
        ["web", "speed"] => engine::speed(),
        ["web", name] => web::build(Some(name)),
        ["wheel"] => python_package::wheel(),
        ["fuzz"] => fuzz::run(None),
        ["fuzz", seconds] => fuzz::run(Some(seconds)),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// What went wrong, in words.
type Outcome = Result<(), String>;

/// The folder of the repository.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

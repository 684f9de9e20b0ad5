//! Chores of the repository.
//!
//! ```text
//! cargo xtask test            everything that must hold: what the CI runs
//! cargo xtask test STAGE      one stage of it
//! cargo xtask docs            rewrites the generated documents
//! cargo xtask bench [ROW …]   ours, straight-line kernels and peers side by side; --list, --quick, --instructions
//! cargo xtask scaling         cost of a step against the number of links
//! cargo xtask robots [store]  trees against Pinocchio; or writes the stored reference of that
//! cargo xtask fuzz [SECONDS]  random texts, for a minute or so long
//! ```
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it talks to people")]

mod bench;
mod documents;
mod fuzz;
mod gate;
mod generated;
mod markdown;
mod pages;
mod python;
mod robots;
mod scaling;
mod shell;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

const USAGE: &str =
    "usage: cargo xtask test [STAGE] | docs | bench [ROW …] | scaling | robots [store] | fuzz [SECONDS]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["test"] => gate::run(None),
        ["test", stage] => gate::run(Some(stage)),
        ["docs"] => generated::write(),
        ["bench", ref rest @ ..] => bench::run(rest),
        ["scaling"] => scaling::print(),
        ["robots"] => robots::run(),
        ["robots", "store"] => robots::store(),
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

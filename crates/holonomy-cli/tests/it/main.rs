//! The command as people and programs meet it: the real program, in directories of its own.
#![allow(missing_docs)]
mod can_a_run_be_interrupted;
mod can_a_run_start_from_another;
mod do_all_say_the_same;
mod do_files_appear_whole;
mod do_formats_agree;
mod does_a_report_move;
mod does_a_run_repeat;
mod fuzz;
mod is_a_page_served_safely;
mod is_a_sweep_one_table;
mod is_a_sweep_safe;
mod is_anybody_hurt;
mod is_anything_lost;
mod is_the_json_as_promised;
mod what_do_studies_say;
mod what_do_inputs_do;
mod what_if_the_disk_fails;
mod what_is_a_bad_input;
mod what_is_a_formula;
mod what_does_it_depend_on;
mod what_is_imported;
mod what_is_in_a_film;
mod what_is_recorded;
mod what_is_linear;
mod what_settles;
mod when_does_time_begin;

use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};
use tempfile::TempDir;

/// A directory to run the command in.
struct Place {
    directory: TempDir,
}

/// What the command did.
struct Done {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Place {
    fn new() -> Self {
        Self {
            directory: TempDir::new().expect("a temporary directory"),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The command, not yet started; arguments are separated by blanks.
    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_holonomy"));
        command
            .args(arguments.split_whitespace())
            .current_dir(self.directory.path())
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &str) -> Done {
        self.command(arguments)
            .output()
            .expect("the command starts")
            .into()
    }

    /// Runs something that must succeed and gives what it printed.
    fn good(&self, arguments: &str) -> String {
        let done = self.run(arguments);
        assert_eq!(done.code, Some(0), "{arguments}\n{}", done.err);
        done.out
    }

    /// Runs something that must succeed and print JSON and nothing else.
    fn json(&self, arguments: &str) -> Value {
        serde_json::from_str(&self.good(arguments)).expect("exactly one JSON value")
    }

    /// Names of all files in a directory, also of hidden ones, sorted.
    fn files(&self, directory: &str) -> Vec<String> {
        names(&self.path(directory))
    }
}

impl From<Output> for Done {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Self {
            code: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("a directory");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

fn read_json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("a file");
    serde_json::from_str(&text).expect("JSON")
}

/// The files of a finished run.
const RUN: [&str; 10] = [
    ".holonomy",
    "configurations.svg",
    "energy.svg",
    "film.json",
    "model.toml",
    "report.html",
    "summary.json",
    "trajectory.parquet",
    "trajectory.svg",
    "views.svg",
];

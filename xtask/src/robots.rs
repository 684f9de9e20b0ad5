//! Trees against Pinocchio, and every robot of `example-robot-data`: `tests/robots/compare.py`.
//!
//! Needs Python 3.11 or newer, and the network once: both packages go to an environment in `target/robots`. Without
//! them the stage is skipped, and says so. What it once computed is stored in `tests/robots/reference.json` and tested
//! everywhere.
use crate::{Outcome, gate, python, read, root, shell};
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// The gate's stage, and `cargo xtask robots`.
pub(crate) fn run() -> Outcome {
    compare(&[])
}

/// Writes the stored reference again.
pub(crate) fn store() -> Outcome {
    let file = root().join("tests/robots/reference.json");
    compare(&["--store", &file.display().to_string()])
}

fn compare(more: &[&str]) -> Outcome {
    let folder = root().join("target/robots");
    let python = match environment(&folder) {
        Ok(python) => python,
        Err(why) => {
            println!("   SKIPPED: {why}");
            println!("   SKIPPED: robots and random trees were NOT compared with Pinocchio");
            return Ok(());
        }
    };
    for package in [
        ["--package", "holonomy-cli", "--bin", "holonomy"],
        ["--package", "holonomy", "--example", "tree_matrices"],
    ] {
        gate::finish(&mut gate::cargo_command(
            &[&["build", "--release"], &package[..]].concat(),
        ))?;
    }
    let command = shell::binary()?;
    let examples = command.with_file_name("examples");
    let mut script = Command::new(python);
    script
        .arg(root().join("tests/robots/compare.py"))
        .arg("--holonomy")
        .arg(&command)
        .arg("--matrices")
        .arg(
            examples
                .join("tree_matrices")
                .with_extension(std::env::consts::EXE_EXTENSION),
        )
        .arg("--work")
        .arg(folder.join("models"))
        .args(more)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    match script.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`tests/robots/compare.py`: {status}")),
        Err(error) => Err(format!("Python cannot be started: {error}")),
    }
}

/// The Python of an environment with the packages of `requirements.txt`, or why there is none.
fn environment(folder: &Path) -> Result<PathBuf, String> {
    let wanted = read(&root().join("tests/robots/requirements.txt"))?;
    let venv = folder.join("venv");
    let python = python::of(&venv);
    let stamp = venv.join("installed.txt");
    if python.exists() && read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    println!("   making {} (once)", venv.display());
    let own = python::own();
    quietly(
        Command::new(&own).args(["-c", "import sys, tomllib, venv"]),
        "Python 3.11 or newer",
    )?;
    quietly(
        Command::new(&own).args(["-m", "venv", "--clear"]).arg(&venv),
        "a virtual environment",
    )?;
    let mut install = python::install(&python);
    install
        .arg("--requirement")
        .arg(root().join("tests/robots/requirements.txt"));
    quietly(&mut install, "the packages `pin` and `example-robot-data`")?;
    std::fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(python)
}

/// Runs something that may be impossible here; the error is what could not be had, and why.
fn quietly(command: &mut Command, what: &str) -> Outcome {
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            let last = text.lines().rev().find(|line| !line.trim().is_empty());
            Err(format!(
                "{what} cannot be had: {}",
                last.unwrap_or_default().trim()
            ))
        }
        Err(error) => Err(format!("{what} cannot be had: {error}")),
    }
}

//! Trees against Pinocchio, and every robot of `example-robot-data`: `tests/robots/compare.py`.
//!
//! Needs Python 3.11 or newer, and the network once: both packages go to an environment in `target/robots`. Without
//! them the stage is skipped, and says so. What it once computed is stored in `tests/robots/reference.json` and tested
//! everywhere.
use crate::{Outcome, gate, python, root, shell};
use std::process::Command;

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
    let wanted = root().join("tests/robots/requirements.txt");
    let python = match python::environment(&folder, &wanted, "the packages `pin` and `example-robot-data`") {
        Ok(python) => python,
        Err(why) => {
            println!("   SKIPPED: {why}");
            println!("   SKIPPED: robots and random trees were NOT compared with Pinocchio");
            return Ok(());
        }
    };
    gate::build()?;
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

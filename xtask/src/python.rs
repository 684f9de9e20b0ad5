//! Environments of Python, for programs that we are compared with, and for those that drive browsers.
use crate::{Outcome, read};
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// The Python of an environment below a folder, with the packages that a file requires; or why there is none.
pub(crate) fn environment(folder: &Path, requirements: &Path, what: &str) -> Result<PathBuf, String> {
    let wanted = read(requirements)?;
    let venv = folder.join("venv");
    let python = of(&venv);
    let stamp = venv.join("installed.txt");
    if python.exists() && read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    println!("   making {} (once)", venv.display());
    let own = own();
    quietly(
        Command::new(&own).args(["-c", "import sys, tomllib, venv"]),
        "Python 3.11 or newer",
    )?;
    quietly(
        Command::new(&own).args(["-m", "venv", "--clear"]).arg(&venv),
        "a virtual environment",
    )?;
    quietly(install(&python).arg("--requirement").arg(requirements), what)?;
    std::fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(python)
}

/// The Python that makes environments: `PYTHON`, or `python3`.
pub(crate) fn own() -> String {
    std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

/// That of an environment.
pub(crate) fn of(venv: &Path) -> PathBuf {
    match cfg!(windows) {
        true => venv.join("Scripts/python.exe"),
        false => venv.join("bin/python"),
    }
}

/// `pip install`, which gives up in time where there is no network; what to install is left to say.
pub(crate) fn install(python: &Path) -> Command {
    let mut command = Command::new(python);
    command.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--retries",
        "2",
        "--timeout",
        "60",
    ]);
    command
}

/// Runs a script of ours to its end.
pub(crate) fn script(command: &mut Command, name: &str) -> Outcome {
    match command.env("PYTHONDONTWRITEBYTECODE", "1").status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{name}`: {status}")),
        Err(error) => Err(format!("Python cannot be started: {error}")),
    }
}

/// Runs something that may be impossible here; the error is what could not be had, and why.
pub(crate) fn quietly(command: &mut Command, what: &str) -> Outcome {
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

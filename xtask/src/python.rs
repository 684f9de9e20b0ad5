//! Environments of Python, for programs that we are compared with.
use std::{
    path::{Path, PathBuf},
    process::Command,
};

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

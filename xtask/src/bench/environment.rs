//! A Python environment with the peers, in `target/bench/venv`.
use crate::{python, read, root};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
};

pub(super) struct Environment {
    pub(super) folder: PathBuf,
    /// Without Python there are no peers.
    python: Option<PathBuf>,
    /// For every line of the requirements, why it could not be installed; empty if it was.
    packages: BTreeMap<String, String>,
}

impl Environment {
    /// Makes it, or what is missing of it. Packages are installed one by one; what fails is remembered and not tried
    /// again before its line changes or the folder is deleted.
    pub(super) fn new(folder: &Path) -> Result<Self, String> {
        let requirements = read(&root().join("bench/peers/requirements.txt"))?;
        let venv = folder.join("venv");
        let python = python::of(&venv);
        let mut environment = Self {
            folder: folder.to_owned(),
            python: None,
            packages: BTreeMap::new(),
        };
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        if !python.exists() {
            println!("   making {} (once)", venv.display());
            if let Err(why) = quietly(Command::new(python::own()).args(["-m", "venv"]).arg(&venv)) {
                println!("   no peers: Python with `venv` is needed: {why}");
                return Ok(environment);
            }
        }
        let lines = requirements.lines().map(str::trim);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let stamp = venv.join(format!("installed-{line}.txt"));
            let why = match read(&stamp) {
                Ok(why) => why,
                Err(_) => {
                    println!("   installing {line} (once)");
                    let why = quietly(python::install(&python).arg(line))
                        .err()
                        .unwrap_or_default();
                    std::fs::write(&stamp, &why).map_err(|e| format!("{}: {e}", stamp.display()))?;
                    why
                }
            };
            if !why.is_empty() {
                println!("   {line} cannot be installed: {why}");
            }
            environment.packages.insert(line.to_owned(), why);
        }
        environment.python = Some(python);
        Ok(environment)
    }

    /// A peer, ready to be started: one thread, its libraries found.
    pub(super) fn peer(&self, arguments: &[&str]) -> Result<Command, String> {
        let python = self.python.as_ref().ok_or("there is no Python environment")?;
        let mut command = pinned(python);
        command
            .arg(root().join("bench/peers/peer.py"))
            .args(arguments)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("NUMBA_CACHE_DIR", self.folder.join("numba"))
            .env("LD_LIBRARY_PATH", self.folder.join("venv/lib"));
        Ok(command)
    }

    /// A script of the peers' folder, on as many cores as it takes.
    pub(super) fn script(&self, name: &str) -> Result<Command, String> {
        let python = self.python.as_ref().ok_or("there is no Python environment")?;
        let mut command = Command::new(python);
        command
            .arg(root().join("bench/peers").join(name))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("NUMBA_CACHE_DIR", self.folder.join("numba"));
        Ok(command)
    }

    /// Packages that are there, and those that are not.
    pub(super) fn versions(&self) -> Vec<String> {
        let said = |(line, why): (&String, &String)| match why.is_empty() {
            true => line.replace("==", " "),
            false => format!("{} cannot be installed here", line.replace("==", " ")),
        };
        self.packages.iter().map(said).collect()
    }
}

/// A program on one core, where the system can be told so.
pub(super) fn pinned(program: &Path) -> Command {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let taskset = Path::new("/usr/bin/taskset");
    if !taskset.exists() {
        return Command::new(program);
    }
    let mut command = Command::new(taskset);
    command.args(["-c", &(cores - 1).to_string()]).arg(program);
    command
}

/// The error is the last line that was said.
fn quietly(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|e| e.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let telling = |line: &&str| line.contains("rror");
    let line = text.lines().rev().find(telling).or(text.lines().last());
    Err(line.unwrap_or("it failed and said nothing").trim().to_owned())
}

//! Trees against Pinocchio, and every robot of `example-robot-data`: `tests/robots/compare.py`. Machines in MJCF, those
//! of `dm_control` and `gymnasium`, against MuJoCo: `tests/robots/mjcf_compare.py`. Stored accelerations and motions of
//! MuJoCo are computed again: `tests/robots/parts/parts.py`, `tests/robots/motion/motion.py`.
//!
//! Needs Python 3.11 or newer, and the network once: packages go to environments in `target/robots` and `target/mjcf`.
//! Without them the stage is skipped, and says so. What it once computed is stored in `tests/robots/reference.json` and
//! `tests/robots/mjcf/reference.json` and tested everywhere.
use crate::{Outcome, gate, python, root, shell};
use std::{path::PathBuf, process::Command};

/// The gate's stage, and `cargo xtask robots`.
pub(crate) fn run() -> Outcome {
    PINOCCHIO.compare(&[])?;
    MUJOCO.compare(&[])?;
    MUJOCO.compute("--check")
}

/// Writes the stored reference again.
pub(crate) fn store() -> Outcome {
    for peer in [&PINOCCHIO, &MUJOCO] {
        let file = root().join(peer.reference);
        peer.compare(&["--store", &file.display().to_string()])?;
    }
    MUJOCO.compute("--store")
}

/// Another program, and what is compared with it.
struct Peer {
    name: &'static str,
    packages: &'static str,
    folder: &'static str,
    requirements: &'static str,
    script: &'static str,
    reference: &'static str,
    what: &'static str,
    /// Scripts that compute by themselves what is stored beside them.
    computed: &'static [&'static str],
}

const PINOCCHIO: Peer = Peer {
    name: "Pinocchio",
    packages: "the packages `pin` and `example-robot-data`",
    folder: "target/robots",
    requirements: "tests/robots/requirements.txt",
    script: "tests/robots/compare.py",
    reference: "tests/robots/reference.json",
    what: "robots and random trees",
    computed: &[],
};

const MUJOCO: Peer = Peer {
    name: "MuJoCo",
    packages: "the packages `mujoco`, `dm_control`, `gymnasium` and `scipy`",
    folder: "target/mjcf",
    requirements: "tests/robots/mjcf/requirements.txt",
    script: "tests/robots/mjcf_compare.py",
    reference: "tests/robots/mjcf/reference.json",
    what: "machines in MJCF",
    computed: &["tests/robots/parts/parts.py", "tests/robots/motion/motion.py"],
};

impl Peer {
    /// The Python to ask, or none, which is said.
    fn python(&self) -> Option<PathBuf> {
        let wanted = root().join(self.requirements);
        match python::environment(&root().join(self.folder), &wanted, self.packages) {
            Ok(python) => Some(python),
            Err(why) => {
                println!("   SKIPPED: {why}");
                println!("   SKIPPED: {} were NOT compared with {}", self.what, self.name);
                None
            }
        }
    }

    /// Computes again what is stored, to check it or to store it: the file has the name of the script.
    fn compute(&self, flag: &str) -> Outcome {
        let Some(python) = self.python() else {
            return Ok(());
        };
        for script in self.computed {
            let path = root().join(script);
            let mut command = Command::new(&python);
            command.arg(&path).arg(flag).arg(path.with_extension("json"));
            python::script(&mut command, script)?;
        }
        Ok(())
    }

    fn compare(&self, more: &[&str]) -> Outcome {
        let folder = root().join(self.folder);
        let Some(python) = self.python() else {
            return Ok(());
        };
        gate::build()?;
        let command = shell::binary()?;
        let examples = command.with_file_name("examples");
        let mut script = Command::new(python);
        script
            .arg(root().join(self.script))
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
            .args(more);
        python::script(&mut script, self.script)
    }
}

//! Tables of runs and sweeps as pandas, polars and DuckDB read them: `tests/tables/read.py`.
//!
//! Needs Python 3.11 or newer, and the network once: the packages go to an environment in `target/tables`. Without them
//! the stage is skipped, and says so.
use crate::{Outcome, gate, python, root, shell};
use std::process::Command;

/// The gate's stage, and `cargo xtask tables`.
pub(crate) fn run() -> Outcome {
    let folder = root().join("target/tables");
    let wanted = root().join("tests/tables/requirements.txt");
    let python = match python::environment(&folder, &wanted, "the packages `pandas`, `polars` and `duckdb`") {
        Ok(python) => python,
        Err(why) => {
            println!("   SKIPPED: {why}");
            println!("   SKIPPED: tables were NOT read by pandas, polars and DuckDB");
            return Ok(());
        }
    };
    gate::build()?;
    let mut script = Command::new(python);
    script
        .arg(root().join("tests/tables/read.py"))
        .arg("--holonomy")
        .arg(shell::binary()?)
        .arg("--work")
        .arg(folder.join("work"));
    python::script(&mut script, "tests/tables/read.py")
}

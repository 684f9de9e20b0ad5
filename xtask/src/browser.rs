//! Pages in Chromium, driven by Playwright: every script in `web/test`.
//!
//! Needs Chromium, which is installed where that is possible, Node, Python and, once, the network; says what is missing.
use crate::{Outcome, gate, pages, python, root};
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// The gate's stage.
pub(crate) fn run() -> Outcome {
    let tools = match tools() {
        Ok(tools) => tools,
        Err(why) => {
            println!("   SKIPPED: {why}");
            println!("   SKIPPED: pages were NOT driven in Chromium");
            return Ok(());
        }
    };
    for script in scripts()? {
        // On a busy machine a browser may be slower than the script waits: what fails is what fails twice.
        if let Err(why) = drive(&tools, &script) {
            println!("   once more, because {why}");
            drive(&tools, &script)?;
        }
    }
    Ok(())
}

fn drive(tools: &Tools, script: &Path) -> Outcome {
    let mut python = Command::new(&tools.python);
    python.arg(script).current_dir(root());
    gate::finish(
        python
            .env("CHROMIUM", tools.chromium)
            .env("PYTHONDONTWRITEBYTECODE", "1"),
    )
}

/// A Python with Playwright, and the browser that it drives.
pub(crate) struct Tools {
    pub(crate) python: PathBuf,
    pub(crate) chromium: &'static str,
}

/// What is needed, or what is missing.
pub(crate) fn tools() -> Result<Tools, String> {
    let chromium = pages::chromium().ok_or("there is no Chromium: install Debian's package `chromium`")?;
    if Command::new("node").arg("--version").output().is_err() {
        return Err("node cannot be started: install Node 20 or newer".to_owned());
    }
    let wanted = root().join("web/test/requirements.txt");
    let python = python::environment(
        &gate::target().join("browser"),
        &wanted,
        "the package `playwright`",
    )?;
    Ok(Tools { python, chromium })
}

fn scripts() -> Result<Vec<PathBuf>, String> {
    let folder = root().join("web/test");
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "py"))
        .collect();
    found.sort();
    Ok(found)
}

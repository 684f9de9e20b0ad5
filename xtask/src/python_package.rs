//! The Python package as people get it: installed into a fresh environment, its types, tests and examples; and its wheel.
//!
//! Needs Python 3.10 or newer and the network. Without them the stage is skipped, and says so.
use crate::{Outcome, documents, gate, markdown, python, read, root, shell};
use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

/// What tests need besides the package.
const TOOLS: &[&str] = &["maturin>=1.9,<2", "jax", "mypy", "numba", "pytest", "scipy"];
const EXTRAS: &str = ".[plot,pandas,xarray]";

/// The gate's stage.
pub(crate) fn run() -> Outcome {
    let folder = gate::target().join("python");
    let python = match fresh(&folder.join("venv")).and_then(|python| tools(&python).map(|()| python)) {
        Ok(python) => python,
        Err(why) => {
            println!("   SKIPPED: {why}");
            println!("   SKIPPED: the Python package was NOT installed and tested");
            return Ok(());
        }
    };
    gate::build()?;
    let start = Instant::now();
    let mut install = python::install(&python);
    // What is built for release already is not built again.
    install
        .arg(EXTRAS)
        .current_dir(root())
        .env("CARGO_TARGET_DIR", gate::target());
    gate::finish(&mut install)?;
    println!("   installed in {:.1} s", start.elapsed().as_secs_f64());
    check_types(&python, &folder)?;
    test(&python, &folder)?;
    examples(&python, &folder)
}

/// A new environment, in place of the one that was there.
fn fresh(venv: &Path) -> Result<PathBuf, String> {
    let own = python::own();
    let is_new = "import sys, venv; sys.exit(0 if sys.version_info >= (3, 10) else 'it is ' + sys.version)";
    python::quietly(Command::new(&own).args(["-c", is_new]), "Python 3.10 or newer")?;
    let mut make = Command::new(&own);
    make.args(["-m", "venv", "--clear"]).arg(venv);
    python::quietly(&mut make, "a virtual environment")?;
    Ok(python::of(venv))
}

fn tools(python: &Path) -> Outcome {
    python::quietly(
        python::install(python).args(TOOLS),
        "the packages maturin, jax, mypy, numba, pytest and scipy",
    )
}

/// A command in a folder where only what is installed can be imported.
fn installed(python: &Path, folder: &Path, words: &[&OsStr]) -> Command {
    let mut command = Command::new(python);
    command
        .args(words)
        .current_dir(folder)
        .env_remove("PYTHONPATH")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("MPLBACKEND", "Agg");
    command
}

fn check_types(python: &Path, folder: &Path) -> Outcome {
    let words = ["-m", "mypy.stubtest", "holonomy._engine"].map(OsStr::new);
    gate::finish(&mut installed(python, folder, &words))?;
    let settings = root().join("pyproject.toml");
    let words = ["-m", "mypy", "--package", "holonomy", "--config-file"].map(OsStr::new);
    gate::finish(installed(python, folder, &words).arg(settings))
}

/// The tests, and the examples in docstrings of what is installed.
fn test(python: &Path, folder: &Path) -> Outcome {
    let words = ["-m", "pytest", "-p", "no:cacheprovider", "--durations=5", "-c"].map(OsStr::new);
    let mut tests = installed(python, folder, &words);
    tests
        .arg(root().join("pyproject.toml"))
        .arg(root().join("python/tests"))
        .env("HOLONOMY", shell::binary()?);
    gate::finish(&mut tests)?;
    let words = [
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "--doctest-modules",
        "--doctest-ignore-import-errors",
        "--pyargs",
        "holonomy",
    ];
    gate::finish(&mut installed(python, folder, &words.map(OsStr::new)))
}

/// Programs in the documents: those of `python/README.md`, and elsewhere those marked `python run`. Blocks of one document
/// are one program.
fn examples(python: &Path, folder: &Path) -> Outcome {
    let front = Path::new("python/README.md").to_owned();
    for path in std::iter::once(front.clone()).chain(documents::all()?) {
        let (blocks, _) = markdown::split(&read(&root().join(&path))?);
        let wanted = blocks.iter().filter(|block| {
            let shown = block.says("no-run") || (path != front && !block.says("run"));
            block.language() == "python" && !shown
        });
        let lines = wanted.flat_map(|block| block.lines.iter().map(|(_, line)| format!("{line}\n")));
        let program: String = lines.collect();
        if !program.is_empty() {
            let words = ["-c", &program].map(OsStr::new);
            let start = Instant::now();
            let told = gate::output(&mut installed(python, folder, &words));
            told.map_err(|why| format!("{}: {why}", path.display()))?;
            let took = start.elapsed().as_secs_f64();
            println!("   the program of {} ran in {took:.1} s", path.display());
        }
    }
    Ok(())
}

/// `cargo xtask wheel`: a wheel in `target/wheels`, which is then installed and used.
pub(crate) fn wheel() -> Outcome {
    let folder = gate::target().join("wheel");
    let wanted = root().join("python/wheel-requirements.txt");
    let python = python::environment(&folder, &wanted, "the packages `maturin` and `ziglang`")?;
    let wheels = gate::target().join("wheels");
    let mut build = Command::new(&python);
    build
        .args(["-m", "maturin", "build", "--release", "--out"])
        .arg(&wheels)
        .current_dir(root());
    if cfg!(target_os = "linux") {
        // The oldest glibc that Rust itself works with, which zig links for: any Linux since 2014.
        build.args(["--zig", "--compatibility", "manylinux2014"]);
        // Where maturin looks for a Python that has zig.
        let own = python.parent().map(Path::to_owned);
        let others = std::env::var_os("PATH").unwrap_or_default();
        let all = own.into_iter().chain(std::env::split_paths(&others));
        build.env("PATH", std::env::join_paths(all).map_err(|e| e.to_string())?);
    }
    let start = std::time::SystemTime::now();
    gate::finish(build.env("CARGO_TARGET_DIR", gate::target()))?;
    let made = newest(&wheels, start)?;
    let clean = fresh(&folder.join("clean"))?;
    gate::finish(python::install(&clean).arg(&made))?;
    let program = "import holonomy as hl; print('  ', hl.run('double-spherical-pendulum', duration=10))";
    gate::finish(&mut installed(&clean, &folder, &["-c", program].map(OsStr::new)))?;
    let shown = ["-m", "pip", "show", "holonomy"].map(OsStr::new);
    gate::finish(&mut installed(&clean, &folder, &shown))?;
    println!("   {}", made.display());
    Ok(())
}

/// The wheel that was just made.
fn newest(folder: &Path, since: std::time::SystemTime) -> Result<PathBuf, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let age = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "whl"))
        .filter(|path| age(path).is_some_and(|made| made >= since))
        .max_by_key(|path| age(path))
        .ok_or_else(|| format!("{} has no new wheel", folder.display()))
}

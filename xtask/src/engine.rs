//! The engine of the playground beside the native one: the same bits for every scenario by every method, in node and in
//! Chromium, and how fast it is.
//!
//! The module is the one in the built page, so that what people get is what is compared. `cargo xtask bits all` takes
//! 10 000 steps of each, and a module without SIMD too; the gate takes as many as it has time for.
use crate::{
    Outcome, browser,
    gate::{self, cargo_command, finish, output},
    packages::{WASM, wasm},
    root,
};
use std::{
    path::{Path, PathBuf},
    process::Command,
};

const PAGE: &str = "crates/holonomy-host/assets/playground.html";
const PACKAGE: &str = "holonomy-web";

/// Steps of each run; fewer where numbers of the state times steps are more than `work`.
struct Length {
    steps: &'static str,
    work: &'static str,
}

const IN_THE_GATE: Length = Length {
    steps: "1000",
    work: "1000",
};
const ALL: Length = Length {
    steps: "10000",
    work: "400000",
};

/// A part of the gate's stage `bits`.
pub(crate) fn bits() -> Outcome {
    compare_all(&IN_THE_GATE, &[root().join(PAGE)])
}

/// `cargo xtask bits all`.
pub(crate) fn all_bits() -> Outcome {
    compare_all(&ALL, &[root().join(PAGE), module("")?])
}

/// `cargo xtask web speed`.
pub(crate) fn speed() -> Outcome {
    let native = native()?;
    let mut node = Command::new("node");
    node.arg(test("speed.mjs")).arg(root().join(PAGE)).arg(native);
    finish(&mut node)
}

fn compare_all(length: &Length, modules: &[PathBuf]) -> Outcome {
    let here = output(Command::new(native()?).args(["bits", length.steps, length.work]))?;
    for module in modules {
        let name = module
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let arguments = |command: &mut Command| {
            command.arg(module).args([length.steps, length.work]);
        };
        let mut node = Command::new("node");
        if node.arg("--version").output().is_err() {
            println!("   SKIPPED: bits of {name} were NOT compared in node: install Node 20 or newer");
            return Ok(());
        }
        let mut node = Command::new("node");
        node.arg(test("bits.mjs"));
        arguments(&mut node);
        compare(&format!("{name} in node"), &here, &output(&mut node)?)?;
        match browser::tools() {
            Ok(tools) => {
                let mut python = Command::new(&tools.python);
                python.arg(test("bits.py")).arg(tools.chromium);
                arguments(&mut python);
                compare(&format!("{name} in Chromium"), &here, &output(&mut python)?)?;
            }
            Err(why) => println!("   SKIPPED: bits of {name} were NOT compared in Chromium: {why}"),
        }
    }
    Ok(())
}

fn test(name: &str) -> PathBuf {
    root().join("web/engine/test").join(name)
}

/// The native program.
fn native() -> Result<PathBuf, String> {
    gate::build()?;
    let program = gate::target().join("release").join(PACKAGE);
    Ok(program.with_extension(std::env::consts::EXE_EXTENSION))
}

/// The engine for WebAssembly, built with these flags in a folder of its own.
fn module(flags: &str) -> Result<PathBuf, String> {
    wasm()?;
    let folder = gate::target().join("plain");
    let package = ["build", "--package", PACKAGE, "--lib", "--profile", "web"];
    let mut cargo = cargo_command(&[&package[..], &["--target", WASM, "--target-dir"]].concat());
    finish(cargo.arg(&folder).env("RUSTFLAGS", flags))?;
    let module: &Path = "web/holonomy_web.wasm".as_ref();
    Ok(folder.join(WASM).join(module))
}

/// Lines `hash steps scenario method` of the native program against hashes alone.
fn compare(who: &str, here: &str, there: &str) -> Outcome {
    let (ours, theirs): (Vec<&str>, Vec<&str>) = (here.lines().collect(), there.lines().collect());
    let differ: Vec<&str> = (ours.iter().zip(&theirs))
        .filter(|(ours, theirs)| theirs.is_empty() || ours.split(' ').next() != Some(**theirs))
        .map(|(ours, _)| ours.split_once(' ').map_or(*ours, |(_, name)| name))
        .collect();
    if ours.len() == theirs.len() && differ.is_empty() && !ours.is_empty() {
        println!("   {who}: {} runs come to the same bits as here", ours.len());
        return Ok(());
    }
    Err(format!(
        "{who}: {} runs, {} here, and {} come to other bits: {}",
        theirs.len(),
        ours.len(),
        differ.len(),
        differ.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wrong_hash_is_found_by_its_name() {
        let here = "00aa 10 kepler rk4\n00bb 3 puppet euler\n";
        assert_eq!(compare("there", here, "00aa\n00bb\n"), Ok(()));
        let wrong = compare("there", here, "00aa\n00bc\n").expect_err("another hash");
        assert!(wrong.contains("1 come to other bits: 3 puppet euler"), "{wrong}");
        for there in ["00aa\n", "", "00aa\n00bb\n00cc\n", "00a\n00bb\n"] {
            assert!(compare("there", here, there).is_err(), "{there}");
        }
        assert!(compare("there", "", "").is_err());
    }
}

//! The same bits everywhere: `bits/` natively, without glibc's fused products, and in WebAssembly, against
//! `tests/bits.txt`.
//!
//! WebAssembly needs node and the target of the compiler (`rustup target add wasm32-unknown-unknown`); without them
//! that part is skipped, and says so.
use crate::{
    Outcome, engine,
    gate::{self, cargo_command, finish, output},
    packages::{WASM, wasm},
    read, root,
};
use std::{path::PathBuf, process::Command};

/// glibc then takes the functions that it has for processors without these.
const NO_FUSED_PRODUCTS: &str =
    "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F,-AVX2_Usable,-FMA_Usable,-AVX512F_Usable";

/// The gate's stage, and `cargo xtask bits`.
pub(crate) fn run() -> Outcome {
    let stored = read(&golden())?;
    let program = native()?;
    compare("native", &stored, &output(&mut Command::new(&program))?)?;
    if cfg!(all(target_os = "linux", target_env = "gnu")) {
        let mut without = Command::new(&program);
        let printed = output(without.env("GLIBC_TUNABLES", NO_FUSED_PRODUCTS))?;
        compare("glibc without fused products", &stored, &printed)?;
    }
    match web_assembly()? {
        Ok(mut node) => compare("WebAssembly in node", &stored, &output(&mut node)?)?,
        Err(why) => {
            println!("   SKIPPED: {why}");
            println!("   SKIPPED: bits were NOT compared with WebAssembly");
        }
    }
    engine::bits()
}

/// Writes the stored hashes again.
pub(crate) fn store() -> Outcome {
    let printed = output(&mut Command::new(native()?))?;
    let file = golden();
    std::fs::write(&file, printed).map_err(|e| format!("{}: {e}", file.display()))
}

fn golden() -> PathBuf {
    root().join("tests/bits.txt")
}

/// The program that prints hashes and names.
fn native() -> Result<PathBuf, String> {
    gate::build()?;
    Ok(gate::target()
        .join("release")
        .join("holonomy-bits")
        .with_extension(std::env::consts::EXE_EXTENSION))
}

/// Node with the module, or why there is none.
fn web_assembly() -> Result<Result<Command, String>, String> {
    if Command::new("node").arg("--version").output().is_err() {
        return Ok(Err("node cannot be started".to_owned()));
    }
    if let Err(why) = wasm() {
        return Ok(Err(why));
    }
    let package = ["rustc", "--release", "--package", "holonomy-bits", "--lib"];
    let options = [
        "--no-default-features",
        "--target",
        WASM,
        "--crate-type",
        "cdylib",
    ];
    finish(&mut cargo_command(&[&package[..], &options].concat()))?;
    let mut node = Command::new("node");
    node.arg(root().join("bits/run.mjs"))
        .arg(gate::target().join(WASM).join("release/holonomy_bits.wasm"));
    Ok(Ok(node))
}

/// Hashes against those stored; names, where there are any, too.
fn compare(who: &str, stored: &str, printed: &str) -> Outcome {
    let (known, found): (Vec<&str>, Vec<&str>) = (stored.lines().collect(), printed.lines().collect());
    let differ: Vec<&str> = (known.iter().zip(&found))
        .filter(|(known, found)| !known.starts_with(**found))
        .map(|(known, _)| known.split_once(' ').map_or(*known, |(_, name)| name))
        .collect();
    if known.len() == found.len() && differ.is_empty() {
        println!("   {who}: {} hashes as stored", known.len());
        return Ok(());
    }
    Err(format!(
        "{who}: {} hashes, {} are stored, and {} differ: {}\nif the arithmetic was meant to change: `cargo xtask bits store`",
        found.len(),
        known.len(),
        differ.len(),
        differ.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_compared_with_and_without_names() {
        let stored = "00aa one own\n00bb two own\n";
        assert_eq!(compare("here", stored, stored), Ok(()));
        assert_eq!(compare("here", stored, "00aa\n00bb\n"), Ok(()));
        let wrong = compare("here", stored, "00aa\n00bc\n").expect_err("a wrong hash");
        assert!(wrong.contains("1 differ: two own"), "{wrong}");
        assert!(compare("here", stored, "00aa\n").is_err());
        assert!(compare("here", stored, "00aa one own\n00bb three own\n").is_err());
    }
}

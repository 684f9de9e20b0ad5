//! Makes a table of the scenarios: a program in WebAssembly has no files.
use std::{env, error::Error, fmt::Write as _, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../scenarios");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    let mut table = String::from("&[\n");
    for name in names {
        let file = folder.join(&name).join("model.toml").canonicalize()?;
        writeln!(table, "({name:?}, include_str!({file:?})),")?;
    }
    table.push(']');
    fs::write(Path::new(&env::var("OUT_DIR")?).join("scenarios.rs"), table)?;
    Ok(())
}

//! Embeds every folder of `scenarios/` as an entry of a table: name, model, README; of this only the beginning without
//! the feature `documents`.
use std::{env, fmt::Write, fs, path::PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    // `scenarios` is a link to the repository's: a package has a copy, and a checkout without links a small file.
    let linked = here.join("scenarios");
    let folder = if linked.is_dir() {
        linked
    } else {
        here.join("../../scenarios")
    };
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).into_iter().flatten() {
        let path = entry?.path();
        if path.join("model.toml").is_file() && path.join("README.md").is_file() {
            names.push(path);
        }
    }
    if names.is_empty() {
        return Err(format!("{} has no scenarios", folder.display()).into());
    }
    names.sort();
    let mut table = String::from("&[\n");
    for path in names {
        let path = path.canonicalize()?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let (model, readme) = (path.join("model.toml"), path.join("README.md"));
        println!("cargo::rerun-if-changed={}", path.display());
        let readme = match env::var_os("CARGO_FEATURE_DOCUMENTS") {
            Some(_) => format!("include_str!({readme:?})"),
            None => format!("{:?}", beginning(&fs::read_to_string(readme)?)),
        };
        writeln!(
            table,
            "    Scenario {{ name: {name:?}, model: include_str!({model:?}), readme: {readme} }},"
        )?;
    }
    table.push_str("]\n");
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("scenarios.rs"), table)?;
    Ok(())
}

/// The first line that is neither empty nor a heading, which `Scenario::summary` shows.
fn beginning(readme: &str) -> &str {
    let said = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    readme.lines().find(said).unwrap_or_default()
}

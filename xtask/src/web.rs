//! Bundles of TypeScript and WebAssembly that the crates embed: `cargo xtask web` builds them, and the gate refuses those
//! that are older than their sources.
//!
//! `web/bundles.txt` has two hashes for each bundle: of its sources, and of the bundle. Only what can change a bundle is a
//! source: of Rust neither comments nor tests, so that their authors need not build WebAssembly. `Cargo.lock` is none
//! either, because most of it is not in the page: that the page comes to the same bits is for another test to show.
use crate::{
    Outcome, gate,
    packages::{WASM, wasm},
    read, root,
};
use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

const RECORD: &str = "web/bundles.txt";
/// The crate that becomes WebAssembly, its package and its profile.
const ENGINE: &str = "web/engine";
const PACKAGE: &str = "holonomy-web";
const PROFILE: &str = "web";

/// What is built, and from what: files and folders.
struct Bundle {
    name: &'static str,
    file: &'static str,
    sources: &'static [&'static str],
}

const BUNDLES: &[Bundle] = &[
    Bundle {
        name: "player",
        file: "crates/holonomy-report/assets/player.js",
        sources: &[
            "web/build.mjs",
            "web/package-lock.json",
            "web/src/player",
            "web/src/scene",
        ],
    },
    Bundle {
        name: "playground",
        file: "crates/holonomy-host/assets/playground.html",
        sources: &[
            "web/build.mjs",
            "web/package-lock.json",
            "web/src/engine",
            "web/src/playground",
            "web/src/scene",
            "web/engine/Cargo.toml",
            "web/engine/src",
            "crates/holonomy/src",
            "crates/holonomy-model/src",
            "crates/holonomy-report/src",
            "scenarios",
        ],
    },
];

/// `cargo xtask web [NAME]`: all bundles, or one.
pub(crate) fn build(only: Option<&str>) -> Outcome {
    let chosen: Vec<&Bundle> = BUNDLES
        .iter()
        .filter(|bundle| only.is_none_or(|name| name == bundle.name))
        .collect();
    if chosen.is_empty() {
        return Err("there is no such bundle; they are player and playground".to_owned());
    }
    npm(&["ci", "--prefer-offline"])?;
    npm(&["run", "check"])?;
    let mut node = Command::new("node");
    node.current_dir(root().join("web")).arg("build.mjs");
    node.args(chosen.iter().map(|bundle| bundle.name));
    if chosen.iter().any(|bundle| bundle.name == "playground") && root().join(ENGINE).exists() {
        node.arg("--wasm").arg(engine()?);
    }
    gate::finish(&mut node)?;
    let mut record =
        String::from("# Written by `cargo xtask web`: hashes of the sources and of the bundle.\n");
    for bundle in BUNDLES {
        let line = match chosen.iter().any(|one| one.name == bundle.name) {
            true => bundle.line()?,
            // As it was: the gate will say if that is wrong.
            false => recorded(bundle.name)?.unwrap_or_default(),
        };
        // Writing to a string does not fail.
        let _ = writeln!(record, "{line}");
    }
    fs::write(root().join(RECORD), record).map_err(|e| format!("{RECORD}: {e}"))
}

/// The gate's stage: bundles are those of their sources, types are right, and parts that need no browser pass.
pub(crate) fn check() -> Outcome {
    let mut wrong = Vec::new();
    for bundle in BUNDLES {
        let Bundle { name, file, .. } = bundle;
        let stored = recorded(name)?.unwrap_or_default();
        let (old, new): (Vec<&str>, String) = (stored.split(' ').collect(), bundle.line()?);
        let new: Vec<&str> = new.split(' ').collect();
        if old.get(1) != new.get(1) {
            wrong.push(format!(
                "`{file}` is older than its sources: run `cargo xtask web {name}` and commit what it writes"
            ));
        } else if old.get(2) != new.get(2) {
            wrong.push(format!(
                "`{file}` is not what was built from its sources: run `cargo xtask web {name}`"
            ));
        }
    }
    if !wrong.is_empty() {
        return Err(wrong.join("\n"));
    }
    println!("   {} bundles are those of their sources", BUNDLES.len());
    if !root().join("web/node_modules").exists() {
        println!(
            "   SKIPPED: types of web/src were NOT checked, nor its parts tested: `npm ci` in web/ has not been run"
        );
        return Ok(());
    }
    npm(&["run", "check"])?;
    npm(&["test"])
}

/// The engine for WebAssembly.
fn engine() -> Result<PathBuf, String> {
    wasm()?;
    let package = ["build", "--package", PACKAGE, "--lib", "--profile", PROFILE];
    let mut cargo = gate::cargo_command(&[&package[..], &["--target", WASM]].concat());
    gate::finish(cargo.env("CARGO_ENCODED_RUSTFLAGS", flags().join("\u{1f}")))?;
    let name = PACKAGE.replace('-', "_");
    Ok(gate::target()
        .join(WASM)
        .join(PROFILE)
        .join(name)
        .with_extension("wasm"))
}

/// SIMD; and what makes the engine smaller and leaves its speed: functions that are not marked for it are copied into
/// their callers only if they are small, loops are not unrolled in part, and not vectorised, because the code that gains
/// by it has vectors of its own.
const CODE: &[&str] = &[
    "-Ctarget-feature=+simd128",
    "-Cno-vectorize-loops",
    "-Cllvm-args=-inline-threshold=5",
    "-Cllvm-args=-unroll-runtime=false",
    "-Cllvm-args=-unroll-allow-partial=false",
];

/// For the compiler: [`CODE`], and no paths of this machine in messages of panics, so that all machines build the same
/// page.
fn flags() -> Vec<String> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let registry = home.unwrap_or_default().join("registry/src");
    let registries = fs::read_dir(registry).into_iter().flatten();
    let folders = registries.filter_map(|entry| Some(entry.ok()?.path()));
    let paths = folders.chain([root()]);
    let remapped = paths.map(|path| format!("--remap-path-prefix={}=", path.display()));
    let code = CODE.iter().map(|flag| (*flag).to_owned());
    code.chain(remapped).collect()
}

fn npm(arguments: &[&str]) -> Outcome {
    let mut npm = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    npm.current_dir(root().join("web"))
        .args(["--silent"])
        .args(arguments);
    gate::finish(&mut npm)
        .map_err(|e| format!("{e}\nNode 20 or newer with npm is needed, and the network once"))
}

/// The line of a bundle in the record.
fn recorded(name: &str) -> Result<Option<String>, String> {
    let path = root().join(RECORD);
    if !path.exists() {
        return Ok(None);
    }
    let text = read(&path)?;
    Ok(text
        .lines()
        .find(|line| line.split(' ').next() == Some(name))
        .map(str::to_owned))
}

impl Bundle {
    /// Name, hash of the sources, hash of the bundle.
    fn line(&self) -> Result<String, String> {
        let mut files = Vec::new();
        for source in self.sources {
            collect(Path::new(source), &mut files)?;
        }
        files.sort();
        let mut sources = Hash::default();
        for file in &files {
            sources.add(file.to_string_lossy().replace('\\', "/").as_bytes());
            let text = read(&root().join(file))?;
            match file.extension().is_some_and(|e| e == "rs") {
                true => significant(&text).for_each(|line| sources.add(line.as_bytes())),
                false => text.lines().for_each(|line| sources.add(line.as_bytes())),
            }
        }
        let mut bundle = Hash::default();
        let text = read(&root().join(self.file))?;
        text.lines().for_each(|line| bundle.add(line.as_bytes()));
        Ok(format!("{} {:016x} {:016x}", self.name, sources.0, bundle.0))
    }
}

/// Lines that a compiler sees, up to a module of tests, which is the end of a file.
fn significant(text: &str) -> impl Iterator<Item = &str> {
    let lines: Vec<&str> = text.lines().collect();
    let opens = |at: usize| {
        let module = lines[at..].iter().find(|line| line.starts_with("mod "));
        lines[at] == "#[cfg(test)]" && module.is_some_and(|line| line.ends_with('{'))
    };
    let end = (0..lines.len()).find(|at| opens(*at)).unwrap_or(lines.len());
    let code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    lines.into_iter().take(end).filter(code)
}

/// Files below a path, which need not exist.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Outcome {
    let place = root().join(path);
    if place.is_file() {
        files.push(path.to_owned());
    } else if place.is_dir() {
        let entries = fs::read_dir(&place).map_err(|e| format!("{}: {e}", place.display()))?;
        for entry in entries {
            let entry = entry.map_err(|e| format!("{}: {e}", place.display()))?;
            collect(&path.join(entry.file_name()), files)?;
        }
    }
    Ok(())
}

/// FNV-1a of lines: enough to notice a change, and the same wherever lines end by two characters.
struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    fn add(&mut self, line: &[u8]) {
        for byte in line.iter().chain(b"\n") {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_tests_are_no_sources_of_a_page() {
        let head = "//! Of.\n#[cfg(test)]\nmod more;\nfn f() -> u8 {\n    // Why.\n\n    1 // one\n}\n\n";
        let text = format!("{head}#[cfg(test)]\n#[expect(x)]\nmod tests {{\n    fn g() {{}}\n}}\n");
        let lines: Vec<&str> = significant(&text).collect();
        assert_eq!(
            lines,
            ["#[cfg(test)]", "mod more;", "fn f() -> u8 {", "    1 // one", "}"]
        );
    }

    #[test]
    fn a_changed_line_is_another_hash() {
        let hash = |lines: &[&str]| {
            let mut hash = Hash::default();
            lines.iter().for_each(|line| hash.add(line.as_bytes()));
            hash.0
        };
        assert_eq!(hash(&["a", "b"]), hash(&["a", "b"]));
        assert_ne!(hash(&["a", "b"]), hash(&["a", "c"]));
        assert_ne!(hash(&["a", "b"]), hash(&["ab"]));
    }

    #[test]
    fn sources_exist() {
        for bundle in BUNDLES {
            let mut files = Vec::new();
            for source in bundle.sources {
                collect(Path::new(source), &mut files).expect("files");
            }
            assert!(
                files.iter().any(|file| file.ends_with("build.mjs")),
                "{}",
                bundle.name
            );
            assert!(files.len() > 10, "{}: {files:?}", bundle.name);
        }
    }
}

//! The crates as others see them: pure ones elsewhere than here, libraries in a registry, and what they bring along.
use crate::{Outcome, gate, read, root};
use serde_json::Value;
use std::{
    path::Path,
    process::{Command, Stdio},
};

/// Crates that know no files, clock, threads or terminal: what a page in a browser loads. Those that do not exist yet
/// are left out.
const PURE: &[&str] = &["holonomy", "holonomy-model", "holonomy-report"];
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// The pure crates build for WebAssembly and here, without default features.
pub(crate) fn portable() -> Outcome {
    let members = Workspace::read()?;
    let pure = PURE.iter().filter(|name| members.has(name));
    let packages: Vec<&str> = pure.flat_map(|name| ["--package", *name]).collect();
    let check = [&["check", "--no-default-features"], &packages[..]].concat();
    gate::cargo(&check)?;
    if let Err(why) = wasm() {
        println!("   SKIPPED: nothing was built for {WASM}: {why}");
        return Ok(());
    }
    gate::cargo(&[&check[..], &["--target", WASM]].concat())
}

/// The standard library for WebAssembly is here, or can be had.
pub(crate) fn wasm() -> Outcome {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut library = Command::new(rustc);
    library.args(["--print", "target-libdir", "--target", WASM]);
    let folder = gate::output(&mut library)?;
    if Path::new(folder.trim()).exists() {
        return Ok(());
    }
    let added = Command::new("rustup").args(["target", "add", WASM]).status();
    match added {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`rustup target add {WASM}`: {status}")),
        Err(error) => Err(format!(
            "its standard library is missing, and rustup too: {error}"
        )),
    }
}

/// The crates can be packed, and the engine built from its package; nothing is newer than `rust-version` says.
pub(crate) fn publishable() -> Outcome {
    let workspace = Workspace::read()?;
    let public: Vec<&Member> = workspace.0.iter().filter(|member| member.publish).collect();
    for member in &public {
        for (what, there) in [("a description", member.described), ("keywords", member.keywords)] {
            if !there {
                return Err(format!("`{}` is to be published without {what}", member.name));
            }
        }
    }
    let names: Vec<&str> = public
        .iter()
        .flat_map(|m| ["--package", m.name.as_str()])
        .collect();
    // Uncommitted changes are those that one is working on. All are packed; the engine is also built from its archive,
    // as anybody's dependency would be. To build all of them so takes minutes: `cargo publish` does.
    let pack = ["package", "--allow-dirty"];
    gate::cargo(&[&pack[..], &["--no-verify"], &names[..]].concat())?;
    gate::cargo(&[&pack[..], &["--package", PURE[0]]].concat())?;
    rust_version()
}

/// The oldest compiler that is promised builds it: clippy reads `rust-version` and finds what is newer in the standard
/// library, no library needs a newer one, and the CI builds with it.
fn rust_version() -> Outcome {
    let manifest = read(&root().join("Cargo.toml"))?;
    let promised = manifest
        .lines()
        .find_map(|line| line.strip_prefix("rust-version = "));
    let promised = promised.ok_or("no `rust-version`")?.trim_matches('"');
    for file in ["clippy.toml", "crates/holonomy/clippy.toml"] {
        if read(&root().join(file)).is_ok_and(|text| text.lines().any(|line| line.starts_with("msrv"))) {
            return Err(format!(
                "`{file}` has an `msrv` of its own: leave it to `rust-version`"
            ));
        }
    }
    let mut command = gate::cargo_command(&["metadata", "--format-version", "1"]);
    let json: Value = serde_json::from_str(&gate::output(&mut command)?).map_err(|e| e.to_string())?;
    for package in json["packages"].as_array().into_iter().flatten() {
        if let Some(needed) = package["rust_version"].as_str()
            && parts(needed) > parts(promised)
        {
            let name = &package["name"];
            return Err(format!(
                "{name} needs Rust {needed}, and `rust-version` is {promised}"
            ));
        }
    }
    let workflow = read(&root().join(".github/workflows/ci.yml"))?;
    if !workflow.contains(&format!("rust: \"{promised}\"")) {
        return Err(format!(
            "`rust-version` is {promised}, and `.github/workflows/ci.yml` does not build with it"
        ));
    }
    println!("   rust-version {promised}, and no library needs a newer one");
    Ok(())
}

/// `1.95` as `[1, 95]`, and equal to `1.95.0`.
fn parts(version: &str) -> Vec<u32> {
    let mut parts: Vec<u32> = version.split('.').filter_map(|part| part.parse().ok()).collect();
    while parts.last() == Some(&0) {
        parts.pop();
    }
    parts
}

/// cargo-deny finds nothing that `deny.toml` forbids. Advisories change without us: the CI looks at them.
pub(crate) fn licences() -> Outcome {
    let mut version = gate::cargo_command(&["deny", "--version"]);
    let here = version.stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !here.is_ok_and(|status| status.success()) {
        println!(
            "   SKIPPED: licences were NOT checked: there is no cargo-deny (`cargo install cargo-deny`)"
        );
        return Ok(());
    }
    gate::cargo(&["deny", "check", "licenses", "bans", "sources"])
}

/// The members of the workspace, by `cargo metadata`.
pub(crate) struct Workspace(Vec<Member>);

struct Member {
    name: String,
    /// The names of all it needs to be built, here and elsewhere; not what its tests need.
    needs: Vec<String>,
    /// Below `crates`.
    is_crate: bool,
    publish: bool,
    described: bool,
    keywords: bool,
}

impl Workspace {
    pub(crate) fn read() -> Result<Self, String> {
        let mut command = gate::cargo_command(&["metadata", "--no-deps", "--format-version", "1"]);
        let text = gate::output(&mut command)?;
        let json: Value = serde_json::from_str(&text).map_err(|e| format!("`cargo metadata`: {e}"))?;
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let member = |package: &Value| Member {
            name: text(&package["name"]),
            needs: list(&package["dependencies"])
                .iter()
                .filter(|dependency| dependency["kind"] != "dev")
                .map(|dependency| text(&dependency["name"]))
                .collect(),
            is_crate: Path::new(&text(&package["manifest_path"])).starts_with(root().join("crates")),
            // `publish = false` is an empty list of registries.
            publish: package["publish"].is_null(),
            described: package["description"].is_string(),
            keywords: !list(&package["keywords"]).is_empty(),
        };
        Ok(Self(list(&json["packages"]).iter().map(member).collect()))
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|member| member.name == name)
    }

    /// Who needs whom among the crates below `crates` and the Python package: the needed one first. Tools may use all of
    /// them.
    pub(crate) fn arrows(&self) -> Vec<(&str, &str)> {
        let ours = || {
            let members = self.0.iter();
            members.filter(|member| member.is_crate || member.name == "holonomy-py")
        };
        let needs = |member: &'_ Member, name: &str| member.needs.iter().any(|needed| needed == name);
        ours()
            .flat_map(|user| {
                let needed = ours().filter(move |member| needs(user, &member.name));
                needed.map(|needed| (needed.name.as_str(), user.name.as_str()))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(parts("1.100") > parts("1.95") && parts("1.95.1") > parts("1.95"));
        assert_eq!(parts("1.95.0"), parts("1.95"));
    }
}

//! Documents written by the program: the table of methods, the reference of model files, the figure of the README.
use crate::{Outcome, gate, read, root, shell};
use serde_json::Value;
use std::{fmt::Write, process::Command};

const METHODS_FILE: &str = "docs/methods.md";
/// The run whose figure is on the first page, and that figure.
const FIGURE_RUN: &str = "holonomy run double-spherical-pendulum";
const FIGURE: &str = "runs/double-spherical-pendulum/trajectory.svg";
const FIGURE_FILE: &str = "docs/figures/double-spherical-pendulum.svg";

/// Writes all of them.
pub(crate) fn write() -> Outcome {
    gate::cargo(&["build", "--release", "--package", "holonomy-cli"])?;
    store(METHODS_FILE, methods()?.as_bytes())?;
    // The test that compares it also writes it.
    let reference = [
        "test",
        "--package",
        "holonomy-model",
        "--test",
        "it",
        "the_reference_in_the_guide",
    ];
    gate::finish(gate::cargo_command(&reference).env("UPDATE_SNAPSHOTS", "1"))?;
    let figure = shell::file_of(FIGURE_RUN, FIGURE)?;
    store(FIGURE_FILE, &figure)
}

/// The table is the catalog's. The figure is not compared: its last digits depend on the machine's arithmetic.
pub(crate) fn check() -> Outcome {
    if read(&root().join(METHODS_FILE))? == methods()? {
        return Ok(());
    }
    Err(format!(
        "`{METHODS_FILE}` differs from the catalog: run `cargo xtask docs`"
    ))
}

fn store(path: &str, bytes: &[u8]) -> Outcome {
    println!("{path}");
    std::fs::write(root().join(path), bytes).map_err(|e| format!("{path}: {e}"))
}

/// From what the command says of its catalog.
fn methods() -> Result<String, String> {
    let said = gate::output(Command::new(shell::binary()?).args(["methods", "--json"]))?;
    let catalog: Vec<Value> =
        serde_json::from_str(&said).map_err(|e| format!("`holonomy methods --json`: {e}"))?;
    let mut text = String::from(
        "<!-- Written by `cargo xtask docs` from crates/holonomy/src/integrator/catalog. -->\n\
         # Methods\n\n\
         Every method of the catalog and what it promises. The property tests in `crates/holonomy/tests/it` measure\n\
         every promise, and that what is not promised does not hold. How to choose: [guide/methods.md](guide/methods.md).\n\n\
         - *Symplectic*: keeps the symplectic form.\n\
         - *Momentum*: keeps every momentum that a symmetry of the system keeps; *uniform gravity*: only there.\n\
         - *Energy*: its error stays bounded; it does not drift.\n\
         - *Symmetric*: a step back undoes a step.\n\
         - *On the manifold*: unit lengths stay within rounding.\n\
         - *Adaptive*: chooses its own steps; `step` is the sampling interval of its dense output.\n\
         - *Derivatives*: exact ones of a step, for `linearize`, `orbit` and `control`, where the model allows it.\n\n\
         | name | order | symplectic | momentum | energy | symmetric | on the manifold | adaptive | derivatives | options | what it is | reference |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let yes = |property: bool| if property { "yes" } else { "–" };
    for method in &catalog {
        let word = |key: &str| method[key].as_str().unwrap_or_default();
        let holds = |key: &str| yes(method[key] == true);
        let options = method["options"].as_array().into_iter().flatten();
        let options: Vec<String> = options
            .filter_map(Value::as_str)
            .map(|o| format!("`{o}`"))
            .collect();
        let options = if options.is_empty() {
            "–".to_owned()
        } else {
            options.join(" ")
        };
        let momentum = match word("momentum") {
            "uniform gravity" => "uniform gravity",
            kept => yes(kept == "always"),
        };
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            word("name"),
            method["order"],
            holds("symplectic"),
            momentum,
            holds("bounded_energy"),
            holds("symmetric"),
            holds("on_manifold"),
            holds("adaptive"),
            holds("differentiable"),
            options,
            word("summary"),
            word("reference"),
        );
    }
    Ok(text)
}

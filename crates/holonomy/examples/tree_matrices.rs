//! The equations of motion of a tree, `M(q) v̇ + c(q, v) + w(q) = τ`, term by term.
//!
//! Without arguments it prints them for a double pendulum. With `-` it answers requests, one JSON object per line on
//! the standard input, and one on the standard output:
//!
//! ```text
//! { "model": "robot.toml", "states": [{ "q": […], "v": […] }, …] }
//! { "coordinates": ["theta.arm", …], "velocities": […], "states": [{ "mass": […], "coriolis": […], "weight": […] }, …] }
//! ```
//! Quaternions are `[w, x, y, z]`; `mass` is M row by row. States without numbers ask for names alone.
#![allow(clippy::print_stdout, missing_docs)]
use holonomy::{
    system::{Mechanism, System},
    tree::Tree,
};
use holonomy_model::{self as model, Source};
use serde_json::{Value, json};
use std::{error::Error, fs, io, sync::Arc};

const PENDULUM: &str = r#"
space = "tree"
gravity = [0, 0, -9.81]

[[body]]
name = "upper"
joint = { kind = "revolute", axis = [0, 1, 0] }
mass = 1
shape = "rod"
to = [0, 0, -1]

[[body]]
name = "lower"
parent = "upper"
joint = { kind = "revolute", axis = [0, 1, 0], at = [0, 0, -1] }
mass = 1
shape = "rod"
to = [0, 0, -1]

[method]
name = "tree-variational"

[run]
step = 0.01
duration = 1
"#;

fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().nth(1).as_deref() != Some("-") {
        let tree = read("the pendulum", PENDULUM)?;
        println!("{:#}", matrices(&tree, &[0.4, -0.7], &[1.0, 2.0]));
        return Ok(());
    }
    for line in io::stdin().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let path = request["model"].as_str().ok_or("a request without `model`")?;
        let answer = match read(path, &fs::read_to_string(path)?) {
            Ok(tree) => answer(&tree, &request)?,
            Err(error) => json!({ "error": error.to_string() }),
        };
        println!("{answer}");
    }
    Ok(())
}

fn read(name: &str, text: &str) -> Result<Arc<Tree>, Box<dyn Error>> {
    let source = Source::new(name, text);
    let model = model::load(&source).map_err(|problems| model::render(&source, &problems, false, 10))?;
    match model.mechanism {
        Mechanism::Tree(tree) => Ok(tree),
        _ => Err("the model is no tree".into()),
    }
}

fn answer(tree: &Tree, request: &Value) -> Result<Value, Box<dyn Error>> {
    let numbers = |value: &Value, count: usize| -> Result<Vec<f64>, Box<dyn Error>> {
        let list: Vec<f64> = serde_json::from_value(value.clone())?;
        match list.len() == count {
            true => Ok(list),
            false => Err(format!("{} numbers instead of {count}", list.len()).into()),
        }
    };
    let mut states = Vec::new();
    for state in request["states"].as_array().into_iter().flatten() {
        let q = numbers(&state["q"], tree.coordinates())?;
        let v = numbers(&state["v"], tree.velocities())?;
        states.push(matrices(tree, &q, &v));
    }
    let layout = tree.layout();
    Ok(json!({ "coordinates": *layout.coordinates, "velocities": *layout.velocities, "states": states }))
}

fn matrices(tree: &Tree, q: &[f64], v: &[f64]) -> Value {
    json!({ "mass": tree.mass_matrix(q), "coriolis": tree.coriolis(q, v), "weight": tree.weight(q) })
}

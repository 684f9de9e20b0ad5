use super::{EVERY, imported, loaded, tree};
use holonomy::system::System;
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect()
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |largest, value| largest.max(value.abs()))
}

/// Stored with 12 digits; both programs sum some hundred products.
const TOLERANCE: f64 = 1e-9;

#[test]
fn mass_matrix_bias_and_gravity_are_those_that_are_stored() {
    let text = include_str!("../../../../tests/robots/reference.json");
    let stored: Value = serde_json::from_str(text).unwrap();
    let cases = stored["cases"].as_array().unwrap();
    assert!(cases.len() >= 8);
    for (k, case) in cases.iter().enumerate() {
        let text = match case["model"].as_str() {
            Some(text) => text.to_owned(),
            None => imported(EVERY, case["floating"].as_bool().unwrap()).model,
        };
        let tree = tree(&loaded(&text));
        let velocities: Vec<&str> = case["velocities"]
            .as_array()
            .unwrap()
            .iter()
            .map(|x| x.as_str().unwrap())
            .collect();
        assert_eq!(*tree.layout().velocities, velocities, "case {k}");
        for state in case["states"].as_array().unwrap() {
            let (q, v) = (numbers(&state["q"]), numbers(&state["v"]));
            let ours = [tree.mass_matrix(&q), tree.coriolis(&q, &v), tree.weight(&q)];
            for (ours, name) in ours.iter().zip(["mass", "coriolis", "weight"]) {
                let theirs = numbers(&state[name]);
                assert_eq!(ours.len(), theirs.len());
                let error = largest(ours.iter().zip(&theirs).map(|(a, b)| a - b));
                let size = largest(theirs.iter().copied());
                assert!(
                    error <= TOLERANCE * size,
                    "case {k}, {name}: {error:.1e} of {size:.1e}"
                );
            }
        }
    }
}

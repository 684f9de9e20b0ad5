//! Scenarios against MuJoCo at a fine step: `tests/robots/motion/motion.py` writes the mechanisms again and has the numbers.
use super::feedback::{assert_second_order, ended};
use crate::common::scenario;

/// Errors at steps h, h/2 and h/4 fall by four, and what they tend to is where MuJoCo arrives.
fn compare(name: &str) {
    let text = include_str!("../../../../../tests/robots/motion/motion.json");
    let stored: serde_json::Value = serde_json::from_str(text).unwrap();
    let mut cases = stored["cases"].as_array().unwrap().iter();
    let case = cases.find(|case| case["scenario"] == name).unwrap();
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let expected = case["q"].as_object().unwrap();
    let (duration, known) = (number(&case["duration"]), number(&case["error"]));
    let ends: Vec<Vec<f64>> = (case["steps"].as_array().unwrap().iter())
        .map(|step| {
            let overrides = [format!("run.step={step}"), format!("run.duration={duration}")];
            let model = scenario(name, &[&overrides[0], &overrides[1]]);
            let coordinates = model.mechanism.system().layout().coordinates.clone();
            let (state, _) = ended(&model);
            assert!((state.t - duration).abs() < 1e-9);
            let of = |name: &String| {
                let at = coordinates.iter().position(|other| other == name);
                state.q[at.unwrap_or_else(|| panic!("no coordinate {name}"))]
            };
            expected.keys().map(of).collect()
        })
        .collect();
    let worst = |found: &[f64]| {
        let apart = found
            .iter()
            .zip(expected.values())
            .map(|(a, b)| (a - number(b)).abs());
        apart.fold(0.0, f64::max)
    };
    let errors = [&ends[0], &ends[1], &ends[2]].map(|found| worst(found));
    // The term of h² drops out; of a symmetric method the next is that of h⁴.
    let limit: Vec<f64> = ends[1]
        .iter()
        .zip(&ends[2])
        .map(|(b, c)| (4.0 * c - b) / 3.0)
        .collect();
    println!("{name}: {errors:?}, in the limit {:.1e}", worst(&limit));
    assert_second_order(errors);
    assert!(errors[2] > 30.0 * known, "the reference is not fine enough");
    assert!(worst(&limit) < errors[2] / 30.0 + known, "{:e}", worst(&limit));
}

#[test]
fn feedback_arm() {
    compare("feedback-arm");
}

#[test]
fn drone() {
    compare("drone");
}

#[test]
#[ignore = "long: 1750 steps of a platform on six legs"]
fn stewart_platform() {
    compare("stewart-platform");
}

#[test]
#[ignore = "long: 2100 steps of a bridge of fifty bodies"]
fn suspension_bridge() {
    compare("suspension-bridge");
}

#[test]
fn rolling_disk() {
    compare("rolling-disk");
}

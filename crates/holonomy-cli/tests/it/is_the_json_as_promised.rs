use super::{Place, read_json};
use serde_json::Value;

fn keys(value: &Value) -> Vec<&str> {
    let object = value.as_object().expect("an object");
    object.keys().map(String::as_str).collect()
}

#[test]
fn the_summary_has_the_promised_keys() {
    let place = Place::new();
    let summary = place.json("run double-spherical-pendulum --steps 200 --json");
    // Sorted, as the parser gives them.
    let promised = [
        "certificate",
        "constraints",
        "driven",
        "energy",
        "final_state",
        "manifold",
        "method",
        "momentum",
        "multipliers",
        "samples",
        "scenario",
        "solver",
        "step",
        "steps",
        "steps_per_second",
        "t_end",
        "wall_seconds",
    ];
    assert_eq!(keys(&summary), promised);
    let energy = [
        "drift_per_second",
        "drift_standard_error",
        "final",
        "in_motion",
        "initial",
        "max_abs_error",
        "mean_abs_error",
    ];
    assert_eq!(keys(&summary["energy"]), energy);
    assert_eq!(keys(&summary["manifold"]), ["max_error", "mean_error"]);
    assert_eq!(
        keys(&summary["solver"]),
        ["evaluations", "max_iterations", "mean_iterations"]
    );
    assert_eq!(keys(&summary["final_state"]), ["carry", "omega", "p", "q", "t"]);
    let momentum = summary["momentum"].as_array().expect("a list");
    assert_eq!(momentum.len(), 1);
    assert_eq!(keys(&momentum[0]), ["initial", "max_error", "name"]);
    assert!(summary["constraints"].is_null());

    assert_eq!(summary["scenario"], "double-spherical-pendulum");
    assert_eq!(
        (&summary["steps"], &summary["samples"]),
        (&200.into(), &201.into())
    );
    assert_eq!(summary["t_end"], 2.0);
    assert_eq!(summary["final_state"]["q"].as_array().map(Vec::len), Some(6));
}

#[test]
fn the_file_and_the_output_are_the_same_text() {
    let place = Place::new();
    let out = place.good("run spherical-pendulum --steps 100 --json");
    let file = std::fs::read_to_string(place.path("runs/spherical-pendulum/summary.json"));
    assert_eq!(file.expect("a file"), out);
}

#[test]
fn notes_and_progress_do_not_reach_the_standard_output() {
    let place = Place::new();
    let done = place.run("run spherical-pendulum --duration 0.996 --no-files --json");
    assert!(done.err.contains("not a whole number of steps"), "{}", done.err);
    assert!(serde_json::from_str::<Value>(&done.out).is_ok());
    let quiet = place.run("run spherical-pendulum --duration 0.996 --no-files --json --quiet");
    assert_eq!(quiet.err, "");
}

#[test]
fn a_failed_run_prints_its_summary_too() {
    let place = Place::new();
    let done = place.run("run double-spherical-pendulum --method euler --step 0.1 --steps 100000 --json");
    assert_eq!(done.code, Some(1));
    let summary: Value = serde_json::from_str(&done.out).expect("one JSON value");
    let error = summary["error"].as_str().expect("an error");
    assert!(done.err.contains(error));
    assert!(summary["energy"]["initial"].is_number());
    // It ended before what is measured ceased to be finite.
    assert!(summary["energy"]["mean_abs_error"].is_number());
    assert_eq!(
        read_json(&place.path("runs/double-spherical-pendulum/summary.json")),
        summary
    );
}

#[test]
fn adaptive_methods_count_their_own_steps() {
    let place = Place::new();
    let summary = place.json("run spherical-pendulum --method rk45 --steps 100 --no-files --json");
    assert!(summary["solver"]["substeps"].as_u64() > Some(0));
    assert!(summary["solver"]["rejected"].is_u64());
}

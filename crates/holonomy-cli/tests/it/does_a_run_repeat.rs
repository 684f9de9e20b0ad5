use super::Place;

#[test]
fn two_runs_give_the_same_bits() {
    let place = Place::new();
    let command = "run double-spherical-pendulum --steps 2000 --no-files --json";
    let (first, second) = (place.json(command), place.json(command));
    assert_eq!(first["final_state"], second["final_state"]);
    assert_eq!(first["energy"], second["energy"]);
}

#[test]
fn the_model_of_a_run_runs_again_as_it_is() {
    let place = Place::new();
    let first = place.json(
        "run pendulum-chain --set chain.links=5 --step 0.003 --steps 500 --every 7 --method sphere-implicit-4 \
         --format csv --out first --json",
    );
    let second = place.json("run first/model.toml --out second --json");
    for key in [
        "final_state",
        "energy",
        "step",
        "steps",
        "samples",
        "method",
        "momentum",
    ] {
        assert_eq!(first[key], second[key], "{key}");
    }
    assert_eq!(second["scenario"], "first");
    assert_eq!(place.files("first"), place.files("second"));
    // A directory stands for the model in it.
    let third = place.json("run first --no-files --json");
    assert_eq!(first["final_state"], third["final_state"]);

    let model = std::fs::read_to_string(place.path("first/model.toml")).expect("a file");
    assert!(model.starts_with("# Made by `holonomy run pendulum-chain --set chain.links=5 "));
}

#[test]
fn the_model_of_a_run_runs_where_it_lies() {
    let place = Place::new();
    let first = place.json("run spherical-pendulum --steps 100 --json");
    let second = place.json("run runs/spherical-pendulum/model.toml --json");
    assert_eq!(first["final_state"], second["final_state"]);
    assert_eq!(second["scenario"], "spherical-pendulum");
    assert_eq!(
        place.files("runs"),
        ["spherical-pendulum", "spherical-pendulum-again"]
    );
}

#[test]
fn recording_less_does_not_change_the_motion() {
    let place = Place::new();
    let all = place.json("run spherical-pendulum --steps 1000 --no-files --json");
    let few = place.json("run spherical-pendulum --steps 1000 --every 300 --format csv --json");
    assert_eq!(all["final_state"], few["final_state"]);
    // Steps 0, 300, 600, 900 and the last.
    assert_eq!(few["samples"], 5);
    let csv = std::fs::read_to_string(place.path("runs/spherical-pendulum/trajectory.csv"));
    assert_eq!(csv.expect("a file").lines().count(), 6);
}

#[test]
fn numbers_in_the_summary_are_exact() {
    let place = Place::new();
    let summary = place.json("run spherical-pendulum --steps 10 --format csv --json");
    let csv = std::fs::read_to_string(place.path("runs/spherical-pendulum/trajectory.csv")).expect("a file");
    let last: Vec<f64> = csv
        .lines()
        .last()
        .expect("a row")
        .split(',')
        .map(|x| x.parse().expect("a number"))
        .collect();
    let list = |key: &str| -> Vec<f64> {
        let list = summary["final_state"][key].as_array().expect("a list");
        list.iter().map(|x| x.as_f64().expect("a number")).collect()
    };
    assert_eq!(last[0], summary["final_state"]["t"].as_f64().expect("a number"));
    assert_eq!(last[3..6], list("q"));
    assert_eq!(last[6..9], list("omega"));
}

use super::Place;

#[test]
fn a_comparison_has_a_row_for_every_method_also_for_those_that_fail() {
    let place = Place::new();
    let methods = "sphere-implicit,rk45,sphere-explicit,euler";
    let out = place.good(&format!(
        "compare double-spherical-pendulum --methods {methods} --step 0.1 --steps 20000 --set method.rtol=1e-4"
    ));
    let line = |name: &str| {
        let found = out.lines().position(|line| line.starts_with(name));
        let found = found.unwrap_or_else(|| panic!("no {name} in\n{out}"));
        out.lines().skip(found).take(2).collect::<Vec<_>>().join("\n")
    };
    assert!(
        line("sphere-explicit ").contains("needs separate bodies"),
        "{out}"
    );
    assert!(line("euler ").contains("failed at step "), "{out}");
    assert!(!line("rk45 ").contains("failed"), "{out}");
    let folder = "runs/double-spherical-pendulum-compare";
    assert_eq!(
        place.files(folder),
        [".holonomy", "compare.html", "compare.json", "compare.svg"]
    );

    let refused = place.run("compare double-spherical-pendulum --methods rk4 --steps 10");
    assert_eq!(refused.code, Some(2), "{}", refused.err);
}

#[test]
fn a_comparison_in_json_is_a_summary_per_method() {
    let place = Place::new();
    let both = place.json(
        "compare double-spherical-pendulum --methods sphere-implicit,sphere-explicit,rk4 --steps 500 --no-files --json",
    );
    let methods = both["methods"].as_array().expect("a list");
    let alone = place.json("run double-spherical-pendulum --steps 500 --no-files --json");
    assert_eq!(methods[0]["energy"], alone["energy"]);
    assert_eq!(methods[0]["final_state"], alone["final_state"]);
    assert_eq!(methods[1]["method"], "sphere-explicit");
    assert!(methods[1]["error"].is_string());
    // A symplectic method keeps the unit length to the last bit, a conventional one does not.
    let length = |index: usize| {
        methods[index]["manifold"]["max_error"]
            .as_f64()
            .expect("a number")
    };
    assert!(length(0) < 1e-15 && length(2) > 1e-15);
}

#[test]
fn a_comparison_of_which_nothing_runs_fails() {
    let place = Place::new();
    let done =
        place.run("compare double-spherical-pendulum --methods euler --step 1 --steps 20000 --no-files");
    assert_eq!(done.code, Some(1), "{}", done.out);
    // The model is wrong for every method: that is not a comparison.
    let done = place.run("compare double-spherical-pendulum --methods rk4,euler --step -1");
    assert_eq!(done.code, Some(2));
    assert!(done.err.contains("1 | --step -1"), "{}", done.err);
}

#[test]
fn measured_orders_are_the_declared_ones() {
    let place = Place::new();
    for (method, order) in [("sphere-implicit", 2.0), ("rk4", 4.0), ("euler", 1.0)] {
        let study = place.json(&format!(
            "converge double-spherical-pendulum --method {method} --steps 0.004,0.002,0.001,0.0005 --duration 1 \
             --out {method} --json"
        ));
        let measured = study["order"].as_f64().expect("an order");
        // Four halvings in the asymptotic regime show the exponent to a few percent.
        assert!((measured - order).abs() < 0.1, "{method}: {measured}");
        assert_eq!(study["declared_order"], order as u64);
        assert!(study["reference"]["accuracy"].as_f64().expect("a number") < 1e-11);
        assert_eq!(study["points"].as_array().map(Vec::len), Some(4));
        assert_eq!(
            place.files(method),
            [".holonomy", "converge.html", "converge.json", "converge.svg"]
        );
    }
}

#[test]
fn errors_below_the_accuracy_of_the_reference_do_not_count() {
    let place = Place::new();
    let out = place.good(
        "converge spherical-pendulum --method sphere-explicit-8 --steps 0.02,0.01,0.005 --duration 1 --no-files",
    );
    assert!(out.contains("at the accuracy of the reference"), "{out}");
    assert!(
        out.contains("reference closed form (elliptic functions)"),
        "{out}"
    );
}

#[test]
fn steps_that_cannot_be_compared_are_refused() {
    let place = Place::new();
    for (arguments, expected) in [
        ("--steps 0.3 --duration 1", "does not divide"),
        ("--steps 0.1,abc", "`--steps abc`"),
        ("--steps 0.1,-2", "not positive"),
        ("--steps 0.1 --method rk45", "chooses its own steps"),
        ("--steps 0.1 --duration -1", "1 | --duration -1"),
    ] {
        let done = place.run(&format!("converge spherical-pendulum {arguments}"));
        assert_eq!(done.code, Some(2), "{}", done.err);
        assert!(done.err.contains(expected), "{}", done.err);
    }
    assert!(place.files(".").is_empty());
}

#[test]
fn the_catalog_is_shown_in_full() {
    let place = Place::new();
    let catalog = place.json("methods --json");
    let text = place.good("methods");
    let methods = catalog.as_array().expect("a list");
    assert_eq!(text.lines().count(), methods.len() + 1);
    for (method, line) in methods.iter().zip(text.lines().skip(1)) {
        let name = method["name"].as_str().expect("a name");
        assert_eq!(line.split_whitespace().next(), Some(name));
        assert!(line.contains(method["summary"].as_str().expect("a summary")));
        assert!(line.contains(method["reference"].as_str().expect("a reference")));
    }
}

use super::{Place, read_json};
use std::fs;

/// The worked example of the guide.
fn trolley(place: &Place) {
    let guide = include_str!("../../../../docs/guide/gradient.md");
    let (_, rest) = guide
        .split_once("```toml file=trolley.toml\n")
        .expect("the model");
    let (model, _) = rest.split_once("```").expect("its end");
    fs::write(place.path("trolley.toml"), model).expect("a file");
}

#[test]
fn the_guide_ranks_what_decides() {
    let place = Place::new();
    trolley(&place);
    let text = place.good("gradient trolley.toml --of load --out where");
    for part in [
        "parameters.M",
        "push",
        "input, held",
        "tangent against adjoint",
        "theta'",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    for file in ["gradient.csv", "gradient.html", "gradient.json", "gradient.svg"] {
        assert!(place.files("where").iter().any(|name| name == file), "{file}");
    }
    let found = read_json(&place.path("where/gradient.json"));
    let slopes = found["slopes"].as_array().expect("a list");
    let slope = |name: &str| {
        let own = slopes.iter().find(|slope| slope["name"] == name).expect("a name");
        own["slope"].as_f64().expect("a number")
    };
    // Against two runs, whose central difference is off by the square of the offset.
    let end = |length: f64| {
        let summary = place.json(&format!(
            "run trolley.toml --set parameters.l={length} --no-files --json --certify none"
        ));
        let outputs = summary["outputs"].as_array().expect("a list").clone();
        outputs[0]["final"].as_f64().expect("a number")
    };
    let differences = (end(6.001) - end(5.999)) / 0.002;
    let own = slope("parameters.l");
    assert!(
        (own - differences).abs() < 1e-6 * own.abs().max(1.0),
        "{own} {differences}"
    );
    // The place does not matter to the motion, only to where it is.
    assert!((slope("x") - 1.0).abs() < 1e-12);
}

/// What rolls: a velocity for each way it can move, and not for each coordinate.
#[test]
fn a_sleigh_depends_on_where_it_starts() {
    let place = Place::new();
    let found = place.json("gradient chaplygin-sleigh --of energy --by start --no-files --json");
    let slopes = found["slopes"].as_array().expect("a list");
    let of = |name: &str| {
        let own = slopes.iter().find(|slope| slope["name"] == name);
        own.and_then(|slope| slope["slope"].as_f64()).expect(name)
    };
    assert_eq!(slopes.len(), 5, "{slopes:?}");
    // The energy at the end is that at the start, ½ m v² + ½ (i + m a²) ω², but for rounding of 400 steps.
    for (name, exact) in [
        ("forward", -1.2),
        ("turn", 0.05 * (0.5 + 1.2 * 0.09)),
        ("x", 0.0),
        ("y", 0.0),
        ("theta", 0.0),
    ] {
        assert!((of(name) - exact).abs() < 1e-11, "{name}: {}", of(name));
    }
    let text = place.good("gradient chaplygin-sleigh --of x --no-files");
    assert!(!text.contains("NaN"), "{text}");
    let text = place.good("linearize chaplygin-sleigh --set velocity.turn=0 --no-files");
    assert!(text.contains("0.592"), "{text}");
}

#[test]
fn what_has_no_gradient_is_said() {
    let place = Place::new();
    trolley(&place);
    let guide = include_str!("../../../../docs/guide/trees.md");
    let (_, rest) = guide.split_once("file=tree-rough.toml\n").expect("a model");
    let (rough, _) = rest.split_once("```").expect("its end");
    fs::write(place.path("rough.toml"), rough).expect("a file");
    for (command, code, said) in [
        (
            "gradient trolley.toml --of lod --no-files",
            2,
            "there is no output named `lod`",
        ),
        (
            "gradient double-plane-pendulum --of lower --no-files",
            2,
            "`--of lower.x`",
        ),
        (
            "gradient trolley.toml --of load --at=-1 --no-files",
            2,
            "not after the start",
        ),
        (
            "gradient trolley.toml --of load --at soon --no-files",
            2,
            "--at soon",
        ),
        (
            "gradient trolley.toml --of load --by parameters.L --no-files",
            2,
            "did you mean `parameters.l`?",
        ),
        (
            "gradient trolley.toml --of load --method rk4 --no-files",
            2,
            "`--method M`: midpoint",
        ),
        ("gradient trolley.toml --of work.friction --no-files", 2, "error"),
        (
            "gradient trolley.toml --of t --no-files",
            1,
            "does not depend on the state",
        ),
        (
            "gradient rough.toml --of energy --no-files",
            2,
            "`holonomy sweep`",
        ),
        (
            "gradient kepler --of energy --by inputs --no-files",
            2,
            "[[input]]",
        ),
        (
            "gradient scissor-lift --of energy --no-files --quiet --by nothing",
            2,
            "`--by` takes",
        ),
    ] {
        let done = place.run(command);
        assert_eq!(done.code, Some(code), "{command}\n{}{}", done.out, done.err);
        assert!(done.err.contains(said), "{command}\n{}", done.err);
    }
    // Chaos is no error: the sentence comes first, and the numbers are there.
    let text = place.good("gradient double-plane-pendulum --of lower.z --at 60 --by start --no-files");
    assert!(text.contains("means nothing") && text.contains("chaos"), "{text}");
    let json = place.json("gradient double-plane-pendulum --of lower.z --at 60 --by start --no-files --json");
    assert!(
        json["worth"]["horizon"]
            .as_f64()
            .is_some_and(|horizon| horizon < 60.0)
    );
}

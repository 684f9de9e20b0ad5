use super::Place;
use std::fs;

/// The model of the guide.
fn cart_pole(place: &Place) {
    let guide = include_str!("../../../../docs/guide/control.md");
    for name in ["cart-pole.toml", "swing.toml"] {
        let (_, rest) = guide.split_once(&format!("file={name}\n")).expect("a model");
        let (text, _) = rest.split_once("```").expect("its end");
        fs::write(place.path(name), text).expect("a file");
    }
}

fn column(text: &str, name: &str) -> Vec<f64> {
    let mut lines = text.lines();
    let place = (lines.next().expect("a head").split(','))
        .position(|head| head == name)
        .expect("the column");
    lines
        .map(|line| {
            line.split(',')
                .nth(place)
                .expect("a field")
                .parse()
                .expect("a number")
        })
        .collect()
}

#[test]
fn inputs_that_are_found_bring_a_run_to_its_goals() {
    let place = Place::new();
    cart_pole(&place);
    let found = place.json("control cart-pole.toml --out swing --json");
    assert_eq!(found["found"], "best");
    let motion = fs::read_to_string(place.path("swing/motion.csv")).expect("the motion");
    let theta = column(&motion, "theta");
    let end = theta.last().expect("a row");
    // Goals are met to the tolerance of the search.
    assert!((end - std::f64::consts::PI).abs() < 1e-8, "{end}");
    // A run of the model with the inputs as forces is the same motion, step by step. What rounding does to the first step
    // an upright pole makes about a thousand times larger.
    place.good("run swing/model.toml --out again --format csv");
    let run = fs::read_to_string(place.path("again/trajectory.csv")).expect("the trajectory");
    for name in ["x", "theta"] {
        let (found, run) = (column(&motion, name), column(&run, name));
        assert_eq!(found.len(), run.len());
        for (found, run) in found.iter().zip(&run) {
            assert!((found - run).abs() < 1e-9, "{name}: {found} {run}");
        }
    }
    // And the inputs of that motion are those that were found.
    let back = place.json("inverse cart-pole.toml swing --json --no-files");
    assert_eq!(back["possible"], true);
    let forward = back["forward"].as_f64().expect("a number");
    assert!(forward < 1e-10, "{forward}");
    let efforts = |of: &serde_json::Value| -> Vec<f64> {
        let list = of["efforts"].as_array().expect("a list");
        list.iter()
            .map(|row| row[0].as_f64().expect("a number"))
            .collect()
    };
    for (found, back) in efforts(&found).iter().zip(efforts(&back)) {
        // A momentum of one unit in its last digit is an effort of 4e-14 / h² = 2e-11, added up over forty steps.
        assert!((found - back).abs() < 1e-8, "{found} {back}");
    }
}

#[test]
fn a_task_that_cannot_be_done_is_said_in_a_sentence() {
    let place = Place::new();
    cart_pole(&place);
    for (arguments, code, said) in [
        (
            "control cart-pole.toml --set goal.1.of=y --no-files",
            2,
            "there is no output named `y`",
        ),
        (
            "control cart-pole.toml --set goal.1.of=thta --no-files",
            2,
            "did you mean `theta`",
        ),
        (
            "control cart-pole.toml --set input.1.max=-30 --no-files",
            2,
            "`max` is less than `min`",
        ),
        (
            "control cart-pole.toml --set control.effort.pull=1 --no-files",
            2,
            "there is no input named `pull`",
        ),
        (
            "control cart-pole.toml --set method.name=rkf45 --no-files",
            2,
            "chooses its own steps",
        ),
        ("control kepler --no-files", 2, "the model has no inputs"),
        (
            "control cart-pole.toml --hold --no-files",
            2,
            "what a deviation from its motion costs",
        ),
        // A push of a tenth of a newton swings nothing up.
        (
            "control cart-pole.toml --set input.1.min=-0.1 --set input.1.max=0.1 --set control.sweeps=60 --out weak",
            1,
            "what was asked for was not found",
        ),
    ] {
        let done = place.run(arguments);
        assert_eq!(done.code, Some(code), "{arguments}\n{}{}", done.out, done.err);
        assert!(done.err.contains(said), "{arguments}\n{}", done.err);
    }
    // Nothing of it is lost.
    assert!(place.path("weak/inputs.csv").exists());
}

#[test]
fn a_model_is_found_again_from_its_own_data() {
    let place = Place::new();
    cart_pole(&place);
    place.good("run swing.toml --out truth --format csv");
    let text = fs::read_to_string(place.path("truth/trajectory.csv")).expect("the trajectory");
    let (t, theta) = (column(&text, "t"), column(&text, "theta"));
    let mut data = "t,theta\n".to_owned();
    for (t, theta) in t.iter().zip(&theta).step_by(10) {
        data += &format!("{t:?},{theta:?}\n");
    }
    fs::write(place.path("data.csv"), &data).expect("a file");
    let off = "--set parameters.l=0.7 --set parameters.c=0.3 --set start.theta=0.8";
    let free = "--free parameters.l,parameters.c=0:5,start.theta";
    let found = place.json(&format!(
        "fit swing.toml data.csv {free} {off} --json --out fitted"
    ));
    for (number, truth) in found["numbers"]
        .as_array()
        .expect("a list")
        .iter()
        .zip([0.8, 0.1, 1.0])
    {
        let value = number["value"].as_f64().expect("a number");
        assert!((value - truth).abs() < 1e-8, "{number}");
    }
    assert_eq!(found["undetermined"].as_array().map(Vec::len), Some(0));
    assert!(
        place.good("run fitted/model.toml --no-files").contains("swing")
            || place.path("fitted/fit.html").exists()
    );

    // Mass and damping only appear as a quotient.
    let free = "--free parameters.m,parameters.c,parameters.l";
    let found = place.json(&format!(
        "fit swing.toml data.csv {free} --set parameters.c=0.2 --json --no-files"
    ));
    let lost = found["undetermined"].as_array().expect("a list");
    assert_eq!(lost.len(), 1, "{found:#}");
    let names: Vec<&str> = (lost[0]["parts"].as_array().expect("a list").iter())
        .map(|part| part[0].as_str().expect("a name"))
        .collect();
    assert_eq!(names, ["parameters.m", "parameters.c"]);
    assert!(found["numbers"][0]["error"].is_null() && !found["numbers"][2]["error"].is_null());

    // What is wrong with data is said.
    for (name, text, said) in [
        ("nan.csv", data.replacen("1.0", "nan", 2), "data"),
        ("gap.csv", data.replacen("\n0.1,", "\n,", 1), "there is no `t`"),
        (
            "other.csv",
            data.replace("theta", "phi"),
            "the model has no output named `phi`",
        ),
        (
            "back.csv",
            format!("{data}0.5,1\n"),
            "is not later than the one before it",
        ),
        (
            "timeless.csv",
            data.replacen("t,", "s,", 1),
            "the model has no output named `s`",
        ),
    ] {
        fs::write(place.path(name), text).expect("a file");
        let done = place.run(&format!("fit swing.toml {name} --free parameters.l --no-files"));
        assert_eq!(done.code, Some(2), "{name}\n{}{}", done.out, done.err);
        assert!(
            name == "nan.csv" || done.err.contains(said),
            "{name}\n{}",
            done.err
        );
    }
    for (free, said) in [
        ("parameters.k", "the model has no number"),
        ("run.steps", "no number"),
        ("parameters.l=2:1", "is not `KEY`"),
    ] {
        let done = place.run(&format!("fit swing.toml data.csv --free {free} --no-files"));
        assert_eq!(done.code, Some(2), "{free}\n{}{}", done.out, done.err);
        assert!(done.err.contains(said), "{free}\n{}", done.err);
    }
}

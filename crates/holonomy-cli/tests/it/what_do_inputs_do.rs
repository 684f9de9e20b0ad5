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

/// What `control` writes, started a little aside: the inputs alone lose the pole, with the gains it comes up.
#[test]
fn a_disturbed_swing_up_is_held_by_the_feedback_that_was_written() {
    let place = Place::new();
    cart_pole(&place);
    let found = place.json("control cart-pole.toml --out swing --json");
    let whole = fs::read_to_string(place.path("swing/model.toml")).expect("the model");
    let sections: Vec<&str> = whole.split("\n[").collect();
    let fed = |section: &&&str| section.contains("input.feedback");
    assert_eq!(sections.iter().filter(fed).count() % 4, 0, "{whole}");
    let open: Vec<&str> = sections.iter().filter(|section| !fed(section)).copied().collect();
    fs::write(place.path("swing/open.toml"), open.join("\n[")).expect("a file");
    let missed = |model: &str, start: &str| -> f64 {
        place.good(&format!(
            "run swing/{model} --set start.theta={start} --out {model}-{start} --format csv"
        ));
        let text =
            fs::read_to_string(place.path(&format!("{model}-{start}/trajectory.csv"))).expect("a trajectory");
        let theta = column(&text, "theta");
        let end = theta.last().expect("a row") - std::f64::consts::PI;
        (end - std::f64::consts::TAU * (end / std::f64::consts::TAU).round()).abs()
    };
    let held = found["closed_growth"].as_f64().expect("a number");
    for start in ["0.01", "0.03", "-0.03"] {
        let size = start.parse::<f64>().expect("a number").abs();
        // To first order no deviation grows more than that, measured in the largest coordinate or momentum of a unit.
        let (open, fed) = (missed("open.toml", start), missed("model.toml", start));
        assert!(fed < held * size, "{start}: {fed} {held}");
        assert!(open > 5.0 * size, "{start}: {open}");
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

    // What is wrong with data is said, and where.
    let late = format!("{data}9.5,1\n");
    for (name, text, said) in [
        (
            "nan.csv",
            data.replacen("\n0.1,", "\n0.1,nan\n0.15,", 1),
            "nan.csv, line 3, column 2: `nan` of `theta`",
        ),
        (
            "word.csv",
            data.replacen("t,theta\n", "t,theta\n-,1\n", 1),
            "word.csv, line 2, column 1: `-` of `t`",
        ),
        (
            "gap.csv",
            data.replacen("\n0.1,", "\n0.1,\n0.15,", 1),
            "gap.csv, line 3, column 2: there is no `theta`",
        ),
        (
            "short.csv",
            data.replacen("\n0.1,", "\n0.1\n0.15,", 1),
            "short.csv, line 3: it has 1 fields",
        ),
        (
            "other.csv",
            data.replace("theta", "phi"),
            "other.csv, line 1, column 2: the model has no output named `phi`",
        ),
        (
            "back.csv",
            data.replacen("\n0.2,", "\n0.05,", 1),
            "back.csv, line 4, column 1: the time 0.05 s is not later than the one before it, 0.1 s",
        ),
        (
            "timeless.csv",
            data.replacen("t,", "s,", 1),
            "the model has no output named `s`",
        ),
        (
            "late.csv",
            late,
            "column 1: the time is 9.5 s, and the run ends at 2 s",
        ),
        (
            "early.csv",
            data.replacen("\n0.0,", "\n-1.0,", 1),
            "early.csv, line 2, column 1: the time is -1 s",
        ),
        (
            "empty.csv",
            "t,theta\n".to_owned(),
            "empty.csv has nothing but times, or no rows",
        ),
    ] {
        fs::write(place.path(name), text).expect("a file");
        let done = place.run(&format!("fit swing.toml {name} --free parameters.l --no-files"));
        assert_eq!(done.code, Some(2), "{name}\n{}{}", done.out, done.err);
        assert!(done.err.contains(said), "{name}\n{}", done.err);
    }
    let done = place.run("fit swing.toml data.csv --free parameters.l --segments 1000 --no-files");
    assert_eq!(done.code, Some(2), "{}", done.err);
    assert!(done.err.contains("--segments 10` or less"), "{}", done.err);
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

/// A double pendulum, over so long a time that a search in one stretch goes on and on: what was found so far is kept.
#[test]
fn an_interrupted_fit_keeps_the_best_so_far() {
    let place = Place::new();
    fs::write(
        place.path("double.toml"),
        r#"
coordinates = ["a", "b"]
lagrangian = "a'^2 + 0.5*b'^2 + a'*b'*cos(a - b) + 2*g*cos(a) + g*cos(b)"
[parameters]
g = 9.81
[start]
a = 2
b = 2.5
[method]
name = "midpoint"
[run]
step = 0.001
duration = 60
"#,
    )
    .expect("a file");
    let mut data = "t,a,b\n".to_owned();
    for k in 0..600_u32 {
        let t = f64::from(k) * 0.1;
        data += &format!("{t:?},{:?},{:?}\n", t.sin(), (1.3 * t).cos());
    }
    fs::write(place.path("data.csv"), data).expect("a file");
    let child = place
        .command("fit double.toml data.csv --free parameters.g --free start.a --out fitted --json")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the command starts");
    // Time to begin; the search takes minutes in the dev profile.
    std::thread::sleep(std::time::Duration::from_secs(2));
    let sent = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("kill");
    assert!(sent.success());
    let done: super::Done = child.wait_with_output().expect("the command ends").into();
    assert_eq!(done.code, Some(1), "{}", done.err);
    let found = super::read_json(&place.path("fitted/fit.json"));
    assert_eq!(found["stopped"], true);
    assert!(place.path("fitted/fit.html").exists() && place.path("fitted/model.toml").exists());
}

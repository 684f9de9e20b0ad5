//! Sessions as a page drives them, against simulations of the engine itself.
use holonomy_model::{Source, load, scenario};
use holonomy_web::{
    RunSpec, Session, Setting,
    calls::{Operation, answer},
    scenarios,
};
use serde_json::{Value, json};

fn text(name: &str) -> &'static str {
    scenario::find(name).expect("a scenario").model
}

fn opened(name: &str, specs: &[RunSpec]) -> Session {
    let mut session = Session::default();
    session.load(text(name), &[]).expect("it loads");
    session.open(specs, false).expect("it opens");
    session
}

fn advance(session: &mut Session, seconds: f64, most: f64) {
    session.begin(seconds);
    while !session.slice(most) {}
}

fn by(method: &str, step: f64) -> RunSpec {
    RunSpec {
        method: Some(method.to_owned()),
        step: Some(step),
    }
}

/// Where the engine comes to without a session.
fn straight(name: &str, method: &str, step: f64, steps: u64) -> u64 {
    let mut source = Source::new(name, text(name));
    source.without(&["method"]);
    source
        .with_override(format!("method.name={method}"))
        .with_override(format!("run.step={step}"));
    let mut simulation = load(&source).expect("it loads").simulation();
    simulation.advance(steps).expect("it goes on");
    simulation.state.digest()
}

/// `[k, t, energy, kinetic, energy at start, length, constraint, failed]`.
fn head(session: &mut Session, run: usize) -> [f64; 8] {
    session.frame(run);
    session.doubles()[..8].try_into().expect("a frame")
}

#[test]
fn runs_side_by_side_are_at_the_same_time_with_the_bits_of_the_engine() {
    let name = "double-spherical-pendulum";
    for most in [1.0, 7.0, 1e9] {
        let mut session = opened(name, &[by("sphere-implicit", 0.01), by("rk4", 0.004)]);
        // Frames of 1/60 s, in which 1 or 2, and 4 or 5 steps end.
        for _ in 0..60 {
            advance(&mut session, 1.0 / 60.0, most);
        }
        let (a, b) = (head(&mut session, 0), head(&mut session, 1));
        assert_eq!((a[0], b[0]), (100.0, 250.0));
        assert!((a[1] - 1.0).abs() < 1e-12 && (b[1] - 1.0).abs() < 1e-12);
        assert_eq!(
            session.hash(0),
            Some(straight(name, "sphere-implicit", 0.01, 100))
        );
        assert_eq!(session.hash(1), Some(straight(name, "rk4", 0.004, 250)));
    }
}

#[test]
fn a_seek_gives_the_same_bits_and_the_run_goes_on_from_there() {
    for (name, method) in [
        ("double-spherical-pendulum", "sphere-implicit"),
        ("four-bar", "tree-variational"),
        ("kepler", "dop853"),
    ] {
        let mut session = opened(name, &[by(method, 0.005)]);
        advance(&mut session, 10.0, 1e9);
        let end = session.hash(0);
        session.seek(3.7);
        assert_eq!(
            session.hash(0),
            Some(straight(name, method, 0.005, 740)),
            "{name}"
        );
        assert_eq!(session.frame(0), 1, "one row");
        advance(&mut session, 10.0 - 3.7, 1e9);
        assert_eq!(session.hash(0), end, "{name}");
        // Nothing lies before the start, nor behind what was reached.
        session.seek(-5.0);
        assert_eq!(head(&mut session, 0)[..2], [0.0, 0.0]);
        session.seek(1e9);
        assert_eq!(session.hash(0), end, "{name}");
    }
}

#[test]
fn rows_for_plots_are_few_in_order_and_end_at_the_frame() {
    let mut session = opened(
        "spherical-pendulum",
        &[by("sphere-explicit", 0.001), by("rk4", 0.001)],
    );
    session.frame(0);
    advance(&mut session, 1.0, 8.0);
    for run in [0, 1] {
        let rows = session.frame(run);
        assert!((50..=70).contains(&rows), "{rows}");
        // 8 + q 3 + v 3 + one momentum, then rows of 6 + 3 + 3.
        let numbers = session.doubles();
        let trace = &numbers[numbers.len() - 12 * rows..];
        let times: Vec<f64> = trace.chunks_exact(12).map(|row| row[0]).collect();
        assert!(times.is_sorted_by(|a, b| a < b));
        assert!(
            (times[rows - 1] - numbers[1]).abs() < 0.02,
            "the last row is near the frame"
        );
        for row in trace.chunks_exact(12) {
            assert!((row[1] - numbers[4]).abs() < 1e-3 && row[3] < 1e-3 && row[4] < 1e-6 && row[5].is_nan());
        }
    }
    // Without a step there is no row.
    assert_eq!(session.frame(0), 0);
}

#[test]
fn a_run_that_fails_says_why_and_the_other_goes_on() {
    let name = "double-spherical-pendulum";
    let mut session = opened(name, &[by("sphere-implicit", 3.0), by("sphere-implicit", 0.01)]);
    advance(&mut session, 30.0, 64.0);
    let (a, b) = (head(&mut session, 0), head(&mut session, 1));
    assert_eq!((a[7], b[7]), (1.0, 0.0), "{a:?}");
    assert!((b[1] - 30.0).abs() < 1e-9);
    let why = session
        .describe(0)
        .and_then(|described| described.failed)
        .expect("a sentence");
    assert!(why.starts_with("the run failed at step "), "{why}");
    let certificate = ask(&mut session, Operation::Certificate, &["0"]);
    assert_eq!(certificate["tone"], "bad", "{certificate}");
    // Alone it is done at once.
    let mut session = opened(name, &[by("sphere-implicit", 3.0)]);
    session.begin(1e6);
    assert!((0..100).any(|_| session.slice(1e3)));
}

#[test]
fn a_changed_model_goes_on_where_the_runs_are() {
    let name = "double-spherical-pendulum";
    let mut session = opened(name, &[by("sphere-implicit", 0.01)]);
    advance(&mut session, 1.0, 1e9);
    session.frame(0);
    let before: Vec<f64> = session.doubles()[8..14].to_vec();
    let settings = [Setting {
        path: "body.upper.mass".to_owned(),
        value: "3".to_owned(),
    }];
    session.load(text(name), &settings).expect("it loads");
    let opened = session
        .open(&[by("sphere-implicit", 0.01), by("rk4", 0.01)], true)
        .expect("it opens");
    assert_eq!(opened.restarted, None);
    for run in [0, 1] {
        let now = head(&mut session, run);
        assert!((now[1] - 1.0).abs() < 1e-12);
        session.frame(run);
        assert_eq!(session.doubles()[8..14], before, "the same directions");
    }
    advance(&mut session, 1.0, 1e9);
    session.seek(0.0);
    assert!(
        (head(&mut session, 0)[1] - 1.0).abs() < 1e-12,
        "the start is where it was taken over"
    );
    // A model of other bodies starts afresh, and says so.
    session.load(text("kepler"), &[]).expect("it loads");
    let opened = session.open(&[RunSpec::default()], true).expect("it opens");
    assert!(
        opened
            .restarted
            .expect("a reason")
            .contains("the same coordinates")
    );
    assert_eq!(head(&mut session, 0)[1], 0.0);
}

#[test]
fn a_swarm_of_a_chaotic_motion_spreads() {
    let mut session = opened("double-spherical-pendulum", &[by("sphere-implicit", 0.01)]);
    session.swarm(50, 1e-6);
    let spread = |session: &mut Session| {
        let sizes = session.swarm_frame();
        assert_eq!((sizes.count, sizes.shown.len(), sizes.q, sizes.v), (50, 2, 6, 6));
        let floats = session.floats();
        assert_eq!(floats.len(), 50 * (6 + 6 + 6) + 1);
        assert!(floats.iter().all(|x| x.is_finite()));
        f64::from(floats[floats.len() - 1])
    };
    let first = spread(&mut session);
    // 9.81 m of arm and 1e-6 rad, twice.
    assert!((1e-6..3e-5).contains(&first), "{first}");
    advance(&mut session, 40.0, 16.0);
    let last = spread(&mut session);
    assert!(last > 30.0 * first, "{first} {last}");
    session.seek(0.0);
    assert_eq!(session.swarm_frame().count, 0);
    // A loop at rest: speeds differ after a step.
    let mut session = opened("scissor-lift", &[RunSpec::default()]);
    session.swarm(8, 1e-3);
    advance(&mut session, 0.5, 16.0);
    let _ = session.swarm_frame();
    let floats = session.floats();
    assert!(floats[floats.len() - 1] > 1e-6);
}

#[test]
fn certificates_are_those_of_the_judge() {
    for (method, tone, word) in [
        ("sphere-implicit", "good", "structure right"),
        ("euler", "bad", "do not trust it"),
    ] {
        let Ok(_) = holonomy::integrator::catalog::find(method) else {
            panic!("{method}");
        };
        let mut session = opened("double-spherical-pendulum", &[by(method, 0.005)]);
        for _ in 0..40 {
            advance(&mut session, 0.5, 64.0);
            ask(&mut session, Operation::Certificate, &["0"]);
        }
        let certificate = ask(&mut session, Operation::Certificate, &["0"]);
        assert_eq!(
            (&certificate["tone"], &certificate["word"]),
            (&json!(tone), &json!(word)),
            "{certificate:#}"
        );
        let answers = certificate["answers"].as_array().expect("answers");
        let questions: Vec<&str> = answers
            .iter()
            .filter_map(|each| each["question"].as_str())
            .collect();
        assert_eq!(questions, ["structure", "path", "prediction"]);
        assert_eq!(answers[0]["tone"], tone, "{certificate:#}");
        let rows = certificate["rows"].as_array().expect("rows");
        let what: Vec<&str> = rows.iter().filter_map(|row| row["what"].as_str()).collect();
        assert_eq!(what[..2], ["energy", "angular momentum z"], "{what:?}");
        for subject in [
            "unit length",
            "symplectic form",
            "order",
            "reversal",
            "predictability",
        ] {
            assert!(what.contains(&subject), "{what:?}");
        }
        assert!(!what.contains(&"cost"));
        // It does not disturb the run.
        assert_eq!(
            session.hash(0),
            Some(straight("double-spherical-pendulum", method, 0.005, 4000))
        );
    }
}

fn ask(session: &mut Session, operation: Operation, request: &[&str]) -> Value {
    let words = request.iter().map(|word| format!("{}:{word}", word.len()));
    let text = answer(session, operation, words.collect::<String>().as_bytes());
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn of_many_bodies_few_rows_are_measured_and_the_last_is_the_frame() {
    let mut session = opened("molecules-on-a-sphere", &[RunSpec::default()]);
    session.frame(0);
    let step = load(&Source::new("", text("molecules-on-a-sphere")))
        .expect("it loads")
        .schedule
        .step;
    advance(&mut session, 12.0 * step, 1.0);
    let rows = session.frame(0);
    // 4096 numbers are those of 2 states of 642 molecules.
    assert!((1..=3).contains(&rows), "{rows}");
    let numbers = session.doubles();
    let last = &numbers[numbers.len() - 22..];
    assert_eq!(last[..2], [numbers[1], numbers[2]], "time and energy");
    assert!((numbers[1] - 12.0 * step).abs() < 1e-12);
}

#[test]
fn a_lagrangian_becomes_a_model() {
    let formula = " m*l^2*theta'^2/2 + m*g*l*cos(theta)";
    let (parameters, start) = (
        ["m", "1", "l", "50 cm", "g", "9.81"],
        ["theta=", "pi/3", "theta'", "0.5"],
    );
    let request = [&[formula, "10 ms", "20"][..], &parameters, &start].concat();
    let text = ask(&mut Session::default(), Operation::FromLagrangian, &request);
    let text = text.as_str().expect("a text");
    let model = load(&Source::new("typed", text)).unwrap_or_else(|p| panic!("{text}{p:?}"));
    assert_eq!((model.schedule.step, model.schedule.steps), (0.01, 2000));
    assert!((model.state.q[0] - std::f64::consts::FRAC_PI_3).abs() < 1e-15);
    // p = m l² θ'
    assert!((model.state.p[0] - 0.125).abs() < 1e-15);
}

#[test]
fn every_scenario_loads_opens_and_moves() {
    for entry in scenarios() {
        let mut session = Session::default();
        let loaded = ask(&mut session, Operation::Load, &[entry.text]);
        assert_eq!(loaded["ok"], true, "{}: {loaded}", entry.name);
        let step = loaded["model"]["step"].as_f64().expect("a step");
        let opened = ask(&mut session, Operation::Open, &["0", "", ""]);
        assert_eq!(opened["ok"], true, "{}", entry.name);
        let sizes = &opened["opened"]["sizes"][0];
        let size = |key: &str| sizes[key].as_u64().expect("a size") as usize;
        assert_eq!(
            size("columns"),
            loaded["model"]["traceColumns"].as_array().expect("columns").len()
        );
        assert_eq!(
            size("points"),
            loaded["model"]["scene"]["points"]
                .as_array()
                .expect("points")
                .len()
        );
        session.frame(0);
        let first = session.doubles()[8..].to_vec();
        session.begin(3.0 * step);
        for _ in 0..4 {
            if session.slice(4.0) {
                break;
            }
        }
        let rows = session.frame(0);
        assert_eq!(
            session.floats().len(),
            3 * size("points") + 7 * size("frames") + size("heat"),
            "{}",
            entry.name
        );
        let numbers = 8 + size("q") + size("v") + size("momenta") + rows * size("columns");
        assert_eq!(session.doubles().len(), numbers, "{}", entry.name);
        assert!(rows > 0 && session.doubles()[7] == 0.0, "{}", entry.name);
        assert!(session.floats().iter().all(|x| x.is_finite()));
        assert_ne!(
            first[..size("q") + size("v")],
            session.doubles()[8..8 + size("q") + size("v")],
            "{}",
            entry.name
        );
    }
}

#[test]
fn what_cannot_be_understood_is_answered() {
    let mut session = Session::default();
    for operation in Operation::ALL {
        for request in [&b""[..], b"4:null", b"7:1e9", b"5:1e9993:NaN", b"1:\xff", b"17"] {
            let text = answer(&mut session, operation, request);
            assert!(
                serde_json::from_str::<Value>(&text).is_ok(),
                "{operation:?} {text}"
            );
        }
    }
    session.begin(f64::NAN);
    assert!(session.slice(f64::NAN));
    assert_eq!((session.frame(3), session.hash(0)), (0, None));
    let mut session = opened("kepler", &[RunSpec::default()]);
    session.begin(f64::INFINITY);
    assert!(session.slice(1.0));
    session.seek(f64::NAN);
    session.swarm(3, f64::NAN);
    session.begin(1.0);
    while !session.slice(1e6) {}
    let bad = session.load("title = 3\n", &[]).expect_err("a wrong model");
    assert!(bad.iter().any(|problem| problem.place.is_some()));
    let refused = session
        .open(&[by("sphere-implicit", 0.01)], false)
        .expect_err("a method for spheres");
    assert!(refused[0].message.contains("needs"), "{refused:?}");
    assert!(session.open(&[by("midpoint", -1.0)], true).is_err());
    // The runs before are still there.
    assert_eq!(session.runs(), 1);
}

use super::{Done, Place, RUN, read_json};
use std::{
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// Starts a run without end and waits until it is under way.
fn begin(place: &Place) -> Child {
    let child = place
        .command("run double-spherical-pendulum --duration inf --out run --json")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let begun = place.path("run/.trajectory.parquet.part");
    let deadline = Instant::now() + Duration::from_secs(60);
    while !begun.exists() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    // Time for some steps.
    std::thread::sleep(Duration::from_millis(200));
    child
}

fn end(child: Child, signal: &str) -> Done {
    let sent = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status()
        .expect("kill");
    assert!(sent.success());
    child.wait_with_output().expect("the command ends").into()
}

#[test]
fn an_interrupted_run_keeps_what_was_computed() {
    for signal in ["-INT", "-TERM"] {
        let place = Place::new();
        let done = end(begin(&place), signal);
        assert_eq!(done.code, Some(0), "{}", done.err);
        assert_eq!(place.files("run"), RUN);
        let summary = read_json(&place.path("run/summary.json"));
        assert_eq!(summary["stopped"], true);
        let printed: serde_json::Value = serde_json::from_str(&done.out).expect("one JSON value");
        assert_eq!(printed, summary);
        // The last state is a sample too, whatever the step it was stopped at.
        let step = summary["step"].as_f64().expect("a number");
        let steps = summary["steps"].as_u64().expect("a count");
        assert_eq!(summary["t_end"].as_f64(), Some(steps as f64 * step));
        assert_eq!(summary["samples"].as_u64(), Some(steps + 1));
    }
}

/// A model of the guide that can be pushed.
fn cart_pole(place: &Place) {
    let guide = include_str!("../../../../docs/guide/control.md");
    let (_, rest) = guide.split_once("file=cart-pole.toml\n").expect("a model");
    let (text, _) = rest.split_once("```").expect("its end");
    std::fs::write(place.path("cart-pole.toml"), text).expect("a file");
}

/// Starts something that takes long, and interrupts it a second after it has its folder: it ends with this code.
fn interrupted(place: &Place, arguments: &str, code: i32) -> (Done, serde_json::Value) {
    let child = place
        .command(&format!("{arguments} --out long --json"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let deadline = Instant::now() + Duration::from_secs(60);
    while !place.path("long").exists() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_secs(1));
    let done = end(child, "-INT");
    assert_eq!(done.code, Some(code), "{arguments}\n{}", done.err);
    let printed = serde_json::from_str(&done.out).expect("one JSON value");
    (done, printed)
}

#[test]
fn an_interrupted_search_for_inputs_keeps_the_best_so_far() {
    let place = Place::new();
    cart_pole(&place);
    let (_, found) = interrupted(&place, "control cart-pole.toml --set run.step=0.0002", 1);
    assert_eq!(found, read_json(&place.path("long/control.json")));
    assert_eq!(found["found"], "stopped");
    assert_eq!(found["efforts"].as_array().map(Vec::len), Some(10_000));
    for file in [
        "control.html",
        "gains.csv",
        "inputs.csv",
        "model.toml",
        "motion.csv",
    ] {
        assert!(place.path(&format!("long/{file}")).exists(), "{file}");
    }
    // What it has is a model that runs.
    place.good("run long/model.toml --steps 10 --no-files");
}

#[test]
fn interrupted_inverse_dynamics_keep_the_inputs_so_far() {
    let place = Place::new();
    cart_pole(&place);
    place.good("run cart-pole.toml --set run.step=0.001 --set start.theta=1 --steps 300000 --out motion --format csv");
    let (_, found) = interrupted(
        &place,
        "inverse cart-pole.toml motion --set run.step=0.001 --set start.theta=1",
        0,
    );
    assert_eq!(found["stopped"], true);
    let count = found["efforts"].as_array().map_or(0, Vec::len);
    assert!(0 < count && count < 300_000, "{count}");
    let rows = std::fs::read_to_string(place.path("long/inputs.csv")).expect("the inputs");
    assert_eq!(rows.lines().count(), count + 1);
}

#[test]
fn an_interrupted_branch_keeps_its_orbits_so_far() {
    let place = Place::new();
    let (_, found) = interrupted(
        &place,
        "orbit plane-pendulum --period 2.05 --energy 1:15:100000 --most 100000",
        0,
    );
    assert_eq!(found["stopped"], true);
    assert!(!found["orbits"].as_array().expect("a list").is_empty());
    place.good("run long/orbit.toml --no-files");
}

#[test]
fn interrupted_exponents_keep_what_was_averaged_and_the_matrices() {
    let place = Place::new();
    let (_, found) = interrupted(
        &place,
        "linearize henon-heiles --lyapunov --set run.duration=1000000",
        0,
    );
    let duration = found["lyapunov"]["duration"].as_f64().expect("a number");
    assert!(0.0 < duration && duration < 1e6, "{duration}");
    // Energy is kept: exponents come in pairs.
    let sum = found["lyapunov"]["sum"].as_f64().expect("a number");
    assert!(sum.abs() < 1e-6, "{sum}");
    assert!(place.path("long/A.csv").exists() || place.path("long/matrices.npz").exists());
}

#[test]
fn two_runs_do_not_share_a_directory() {
    let place = Place::new();
    let first = begin(&place);
    let second = place.run("run spherical-pendulum --steps 10 --out run --force");
    assert_eq!(second.code, Some(1));
    assert!(
        second.err.contains("another run is writing to run"),
        "{}",
        second.err
    );
    let done = end(first, "-INT");
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(place.files("run"), RUN);
}

#[test]
fn nobody_listens_any_more() {
    let place = Place::new();
    for arguments in [
        "list",
        "methods",
        "methods --json",
        "run spherical-pendulum --steps 1000 --no-files",
    ] {
        let mut child = place
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        drop(child.stdout.take());
        let done: Done = child.wait_with_output().expect("the command ends").into();
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{arguments}");
    }
}

#[test]
fn an_output_that_is_full_is_an_error() {
    let place = Place::new();
    let full = std::fs::File::options().write(true).open("/dev/full");
    let Ok(full) = full else {
        return;
    };
    let done: Done = place
        .command("list")
        .stdout(full)
        .output()
        .expect("the command starts")
        .into();
    assert_eq!(done.code, Some(1));
    assert!(
        done.err.contains("cannot write to the standard output"),
        "{}",
        done.err
    );
}

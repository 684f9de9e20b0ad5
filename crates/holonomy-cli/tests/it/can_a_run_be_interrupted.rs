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

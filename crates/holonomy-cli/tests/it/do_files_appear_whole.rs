use super::{Done, Place, RUN};
use std::{fs, process::Command};

#[test]
fn a_run_leaves_its_files_and_nothing_else() {
    let place = Place::new();
    let out = place.good("run spherical-pendulum --steps 100");
    assert_eq!(place.files("runs/spherical-pendulum"), RUN);
    assert!(out.contains("runs/spherical-pendulum/"), "{out}");
    for figure in ["energy.svg", "trajectory.svg"] {
        let text = fs::read_to_string(place.path("runs/spherical-pendulum").join(figure)).expect("a file");
        assert!(text.starts_with("<svg ") && text.trim_end().ends_with("</svg>"));
    }
}

#[test]
fn an_earlier_run_is_not_overwritten_without_force() {
    let place = Place::new();
    place.good("run spherical-pendulum --steps 100");
    let summary = place.path("runs/spherical-pendulum/summary.json");
    let before = fs::read_to_string(&summary).expect("a file");
    let refused = place.run("run spherical-pendulum --steps 50");
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.err.contains("--force") && refused.err.contains("--out"),
        "{}",
        refused.err
    );
    assert_eq!(fs::read_to_string(&summary).expect("a file"), before);

    place.good("run spherical-pendulum --steps 50 --force --format csv");
    // The trajectory of the earlier run has another format and would belong to no run.
    let expected = [
        ".holonomy",
        "configurations.svg",
        "energy.svg",
        "film.json",
        "model.toml",
        "report.html",
        "summary.json",
        "trajectory.csv",
        "trajectory.svg",
        "views.svg",
    ];
    assert_eq!(place.files("runs/spherical-pendulum"), expected);
    assert_ne!(fs::read_to_string(&summary).expect("a file"), before);
}

#[test]
fn other_files_in_the_directory_stay() {
    let place = Place::new();
    fs::create_dir(place.path("mine")).expect("a directory");
    fs::write(place.path("mine/notes.txt"), "keep me").expect("a file");
    place.good("run spherical-pendulum --steps 10 --out mine");
    place.good("run spherical-pendulum --steps 10 --out mine --force");
    assert_eq!(
        fs::read_to_string(place.path("mine/notes.txt")).expect("a file"),
        "keep me"
    );
}

#[test]
fn no_files_means_none() {
    let place = Place::new();
    place.good("run spherical-pendulum --steps 10 --no-files");
    place.good("compare spherical-pendulum --methods rk4 --steps 10 --no-files");
    place.good("converge spherical-pendulum --steps 0.1,0.05 --duration 1 --no-files");
    assert!(place.files(".").is_empty());
}

#[test]
fn a_directory_that_cannot_be_made_is_an_error() {
    let place = Place::new();
    fs::write(place.path("file"), "").expect("a file");
    let done = place.run("run spherical-pendulum --steps 10 --out file/run");
    assert_eq!(done.code, Some(1));
    assert!(
        done.err.contains("cannot create the directory file/run"),
        "{}",
        done.err
    );
    assert!(done.err.contains("--no-files"), "{}", done.err);
    assert_eq!(done.out, "");
}

/// Runs the command where files cannot grow beyond 64 blocks of 512 bytes, as on a full disk.
fn on_a_full_disk(place: &Place, arguments: &str) -> Done {
    let program = env!("CARGO_BIN_EXE_holonomy");
    let script = format!("trap '' XFSZ; ulimit -f 64; exec '{program}' {arguments}");
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(place.path("."))
        .output();
    output.expect("a shell").into()
}

#[test]
fn a_full_disk_is_an_error_and_leaves_no_half_file() {
    for format in ["parquet", "csv", "npz"] {
        let place = Place::new();
        let arguments = format!("run double-spherical-pendulum --steps 10000 --format {format} --json");
        let done = on_a_full_disk(&place, &arguments);
        assert_eq!(done.code, Some(1), "{}", done.err);
        let expected = format!("cannot write runs/double-spherical-pendulum/trajectory.{format}");
        assert!(done.err.contains(&expected), "{}", done.err);
        let summary: serde_json::Value = serde_json::from_str(&done.out).expect("the summary");
        assert!(
            summary["error"]
                .as_str()
                .is_some_and(|error| error.contains(&expected))
        );
        assert!(place.files(".").is_empty(), "{:?}", place.files("."));
    }
}

#[test]
fn a_full_disk_leaves_the_earlier_run_as_it_was() {
    let place = Place::new();
    place.good("run double-spherical-pendulum --steps 20");
    let folder = place.path("runs/double-spherical-pendulum");
    let contents = || RUN.map(|name| fs::read(folder.join(name)).expect("a file"));
    let before = contents();
    let done = on_a_full_disk(&place, "run double-spherical-pendulum --steps 10000 --force");
    assert_eq!(done.code, Some(1), "{}", done.err);
    assert_eq!(place.files("runs/double-spherical-pendulum"), RUN);
    assert!(contents() == before);
}

#[test]
fn a_failed_run_keeps_what_was_computed() {
    let place = Place::new();
    let done = place.run("run double-spherical-pendulum --step 1.5 --steps 100 --format csv");
    assert_eq!(done.code, Some(1), "{}", done.out);
    let error = done.err;
    assert!(
        error.contains("body `upper`") || error.contains("body `lower`"),
        "{error}"
    );
    assert!(
        error.contains("the largest step that works here is about"),
        "{error}"
    );
    let folder = "runs/double-spherical-pendulum";
    let expected = [
        ".holonomy",
        "energy.svg",
        "film.json",
        "model.toml",
        "report.html",
        "summary.json",
        "trajectory.csv",
        "trajectory.svg",
    ];
    assert_eq!(place.files(folder), expected);
    let summary = super::read_json(&place.path(folder).join("summary.json"));
    assert!(summary["error"].is_string());
    assert_eq!(summary["stopped"], serde_json::Value::Null);
    let csv = fs::read_to_string(place.path(folder).join("trajectory.csv")).expect("a file");
    let rows = csv.lines().count() as u64 - 1;
    assert_eq!(Some(rows), summary["samples"].as_u64());
}

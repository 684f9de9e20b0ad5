use super::Place;
use std::fs;

/// Runs something that is wrong: exit code 2, nothing printed; gives the complaint.
fn complaint(place: &Place, arguments: &str) -> String {
    let done = place.run(arguments);
    assert_eq!(done.code, Some(2), "{arguments}\n{}", done.err);
    assert_eq!(done.out, "", "{arguments}");
    done.err
}

#[test]
fn an_unknown_scenario_gets_a_suggestion() {
    let place = Place::new();
    for command in [
        "run",
        "check",
        "show",
        "compare --methods rk4",
        "converge --steps 0.1",
    ] {
        let err = complaint(&place, &format!("{command} doubel-spherical-pendulum"));
        assert!(err.contains("did you mean `double-spherical-pendulum`?"), "{err}");
    }
    let err = complaint(&place, "run weather");
    assert!(err.contains("`holonomy list`"), "{err}");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let place = Place::new();
    let err = complaint(&place, "run models/none.toml");
    assert!(err.contains("cannot read models/none.toml"), "{err}");
    fs::write(place.path("bytes.toml"), [0xff, 0xfe]).expect("a file");
    let err = complaint(&place, "check bytes.toml");
    assert!(err.contains("bytes.toml is not a text"), "{err}");
}

#[test]
fn a_wrong_flag_is_underlined_where_it_is() {
    let place = Place::new();
    let flags = [
        ("--step", "-1", "^^"),
        ("--step", "abc", "^^^"),
        ("--duration", "0", "^"),
        ("--duration", "1e300", "^^^^^"),
        ("--steps", "1.5", "^^^"),
        ("--steps", "many", "^^^^"),
        ("--every", "0", "^"),
        ("--format", "xml", "^^^"),
        ("--method", "rk44", "^^^^"),
    ];
    for (flag, value, underline) in flags {
        let err = complaint(&place, &format!("run spherical-pendulum {flag} {value} --json"));
        assert!(err.contains(&format!("1 | {flag} {value}\n")), "{err}");
        let line = format!("  | {}{underline}\n", " ".repeat(flag.len() + 1));
        assert!(err.contains(&line), "{err}");
    }
    let err = complaint(&place, "run spherical-pendulum --method rk44");
    assert!(err.contains("did you mean `rk4`?"), "{err}");
    let err = complaint(&place, "compare spherical-pendulum --methods rk4,rk44");
    assert!(err.contains("did you mean `rk4`?"), "{err}");
    assert!(place.files(".").is_empty());
}

#[test]
fn a_wrong_key_is_underlined_where_it_is() {
    let place = Place::new();
    let err = complaint(&place, "check spherical-pendulum --set run.stepp=1");
    assert!(
        err.contains("--set run.stepp=1") && err.contains("did you mean `step"),
        "{err}"
    );
    complaint(&place, "check spherical-pendulum --set nonsense");
}

#[test]
fn all_errors_of_a_file_are_shown_with_their_places() {
    let place = Place::new();
    let text = "[[body]]\nmass = -1\ndirection = [0, 0, 2]\n\n[method]\nname = \"rk4\"\n\n[run]\nstep = 0\nsteps = 1\n";
    fs::write(place.path("bad.toml"), text).expect("a file");
    let err = complaint(&place, "check bad.toml");
    for place in ["bad.toml:2:8", "bad.toml:3:13", "bad.toml:9:8"] {
        assert!(err.contains(place), "{place}\n{err}");
    }
    assert!(err.contains("3 errors in bad.toml"), "{err}");
    assert!(!err.contains('\u{1b}'), "no colours in a file");
}

#[test]
fn very_many_errors_are_counted_but_not_all_shown() {
    let place = Place::new();
    let bodies: String = (0..60)
        .map(|_| "[[body]]\nmass = -1\ndirection = [0, 0, 1]\n")
        .collect();
    let text = format!("{bodies}[method]\nname = \"rk4\"\n[run]\nstep = 1\nsteps = 1\n");
    fs::write(place.path("bad.toml"), text).expect("a file");
    let err = complaint(&place, "run bad.toml");
    assert_eq!(err.matches(" must be positive").count(), 50, "{err}");
    assert!(err.contains("… and 10 more"), "{err}");
}

#[test]
fn flags_that_contradict_each_other_are_refused() {
    let place = Place::new();
    for arguments in [
        "run spherical-pendulum --steps 10 --duration 1",
        "run spherical-pendulum --no-files --out x",
        "run spherical-pendulum --step",
        "run",
        "compare spherical-pendulum",
        "converge spherical-pendulum",
        "fly",
    ] {
        complaint(&place, arguments);
    }
    let blank = place
        .command("run spherical-pendulum")
        .args(["--step", " "])
        .output();
    assert_eq!(blank.expect("the command starts").status.code(), Some(2));
}

#[test]
fn a_good_model_is_called_good() {
    let place = Place::new();
    let out = place.good("check double-spherical-pendulum-as-published");
    assert_eq!(
        out,
        "ok: 2 bodies, sphere-implicit, 10 000 steps of 0.01 s, energy -0.75 J\n"
    );
    let out =
        place.good("check spherical-pendulum --set run.duration= --set run.steps=1000 --set run.step=0.1");
    assert!(
        out.starts_with("ok: 1 body, ") && out.contains("1000 steps of 0.1 s"),
        "{out}"
    );
}

#[test]
fn what_is_shown_can_be_checked_and_run() {
    let place = Place::new();
    let list = place.good("list");
    for name in list.lines().filter_map(|line| line.split_whitespace().next()) {
        let text = place.good(&format!("show {name}"));
        fs::write(place.path("shown.toml"), text).expect("a file");
        assert_eq!(
            place.good("check shown.toml"),
            place.good(&format!("check {name}"))
        );
        assert!(!place.good(&format!("show {name} --readme")).is_empty());
    }
}

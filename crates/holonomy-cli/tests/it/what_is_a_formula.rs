//! Lagrangians: typed on the command line, explained, run, and written to files.
use super::{Done, Place};
use serde_json::Value;
use std::fs;

const PENDULUM: [&str; 10] = [
    "-e",
    "0.5*m*l^2*theta'^2 + m*g*l*cos(theta)",
    "--param",
    "m=1",
    "--param",
    "l=1",
    "--param",
    "g=9.81 m/s^2",
    "--start",
    "theta=1",
];

/// Runs a command whose arguments have blanks in them.
fn run(place: &Place, command: &str, arguments: &[&str]) -> Done {
    let done = place.command(command).args(arguments).output();
    done.expect("the command starts").into()
}

fn good(place: &Place, command: &str, arguments: &[&str]) -> String {
    let done = run(place, command, arguments);
    assert_eq!(done.code, Some(0), "{command} {arguments:?}\n{}", done.err);
    done.out
}

/// Something wrong: exit code 2, nothing printed; gives the complaint.
fn complaint(place: &Place, command: &str, arguments: &[&str]) -> String {
    let done = run(place, command, arguments);
    assert_eq!(done.code, Some(2), "{command} {arguments:?}\n{}", done.err);
    assert_eq!(done.out, "", "{command} {arguments:?}");
    done.err
}

#[test]
fn a_formula_runs_without_a_file_and_its_model_runs_again() {
    let place = Place::new();
    let json = good(
        &place,
        "run --step 0.01 --duration 10 --json --save pendulum.toml",
        &PENDULUM,
    );
    let summary: Value = serde_json::from_str(&json).expect("one JSON value");
    assert_eq!(
        (&summary["scenario"], &summary["method"]),
        (&"formula".into(), &"midpoint".into())
    );
    assert_eq!(
        (&summary["manifold"], &summary["driven"]),
        (&Value::Null, &false.into())
    );
    assert!(summary["energy"]["max_abs_error"].as_f64() < Some(1e-4));
    assert_eq!(summary["coordinates"][0]["name"], "theta");
    assert_eq!(summary["coordinates"][0]["initial"], 1.0);
    assert_eq!(summary["velocities"][0]["name"], "theta'");
    assert_eq!(
        summary["final_state"]["velocity"][0],
        summary["velocities"][0]["final"]
    );
    assert_eq!(
        place.files("runs/formula"),
        [
            ".holonomy",
            "coordinates.svg",
            "energy.svg",
            "film.json",
            "model.toml",
            "phase.svg",
            "report.html",
            "summary.json",
            "trajectory.parquet"
        ]
    );
    let again = place.json("run pendulum.toml --json --no-files");
    assert_eq!(again["final_state"], summary["final_state"]);
    let again = place.json("run runs/formula --json --no-files");
    assert_eq!(again["final_state"], summary["final_state"]);
    // The file is the user's now.
    fs::write(place.path("pendulum.toml"), "# mine\n").expect("a file");
    let err = complaint(&place, "check --save pendulum.toml", &PENDULUM);
    assert!(err.contains("pendulum.toml exists already"), "{err}");
}

#[test]
fn points_and_lines_make_a_picture() {
    let place = Place::new();
    let seen = [
        "--point",
        "pivot=[0, 0, 0]",
        "--point",
        "bob=l*sin(theta), 0, -l*cos(theta)",
        "--line",
        "pivot, bob",
    ];
    let arguments = [&PENDULUM[..], &seen].concat();
    good(
        &place,
        "run --step 0.01 --duration 2 --save seen.toml",
        &arguments,
    );
    assert!(place.files("runs/formula").contains(&"trajectory.svg".to_owned()));
    let model = fs::read_to_string(place.path("seen.toml")).expect("a file");
    assert!(model.contains("through = [\"pivot\", \"bob\"]"), "{model}");
    assert!(
        model.contains("bob = [\"l*sin(theta)\", \"0\", \"-l*cos(theta)\"]"),
        "{model}"
    );
    let wrong = [
        &PENDULUM[..],
        &["--point", "bob=l*sin(thta), 0, 0", "--line", "bob,pivt"],
    ]
    .concat();
    let err = complaint(&place, "check", &wrong);
    assert!(
        err.contains("`thta` has no meaning here") && err.contains("no point named `pivt`"),
        "{err}"
    );
    let err = complaint(&place, "check", &[&PENDULUM[..], &["--point", "bob"]].concat());
    assert!(
        err.contains("--point bob=") && err.contains("there is no `=`"),
        "{err}"
    );
}

#[test]
fn studies_and_checks_take_formulas() {
    let place = Place::new();
    let out = good(&place, "check", &PENDULUM);
    assert_eq!(out, "ok: 1 coordinate, midpoint, energy -5.30037 J\n");
    let out = good(
        &place,
        "compare --methods midpoint,rk4 --step 0.01 --duration 1 --no-files",
        &PENDULUM,
    );
    assert!(out.contains("midpoint") && !out.contains("length"), "{out}");
    let json = good(
        &place,
        "converge --steps 0.05,0.025,0.0125 --duration 5 --no-files --json",
        &PENDULUM,
    );
    let study: Value = serde_json::from_str(&json).expect("one JSON value");
    assert!(
        study["order"]
            .as_f64()
            .is_some_and(|order| (order - 2.0).abs() < 0.05)
    );
}

#[test]
fn mistakes_are_underlined_in_the_words_of_the_user() {
    let place = Place::new();
    let plane = "0.5*(x'^2 + y'^2) - y";
    let cases: [(&[&str], &str, &str); 7] = [
        (
            &["-e", "0.5*m*x'^2", "--start", "x=1"],
            "`m` has no meaning here",
            "1 | -e 0.5*m*x'^2\n  |        ^\n",
        ),
        (
            &["-e", plane, "--start", "x=1"],
            "`y'` is a velocity, but the coordinate `y` has no start",
            "1 | -e 0.5*(x'^2 + y'^2) - y\n  |                ^^\n",
        ),
        (
            &["-e", "m*x'^2", "--param", "m=1 kgg", "--start", "x=1"],
            "unknown unit `kgg`",
            "1 | --param m=1 kgg\n  |           ^^^^^\n",
        ),
        (
            &["-e", "x'^2", "--start", "x=1, x'=zz"],
            "`zz`",
            "1 | --start x=1, x'=zz\n  |                 ^^\n",
        ),
        (
            &["-e", "x'^2", "--start", "x=1", "--start", "x=2"],
            "`x` is given twice",
            "1 | --start x=1 --start x=2\n  |                     ^\n",
        ),
        (
            &[
                "-e",
                plane,
                "--start",
                "x=0, y=2",
                "--constraint",
                "x^2 + y^2 - 1",
            ],
            "the start does not satisfy `constraint-1`",
            "1 | --start x=0, y=2\n  | ^^^^^^^^^^^^^^^^\n",
        ),
        (
            &["-e", "x'^2", "--start", "x=1", "--force-on", "y=-x'"],
            "`y` is not a coordinate",
            "1 | --force-on y=-x'\n  |            ^\n",
        ),
    ];
    for (arguments, message, shown) in cases {
        let err = complaint(&place, "run --step 0.1 --duration 1", arguments);
        assert!(err.contains(message) && err.contains(shown), "{err}");
        assert!(err.contains("1 error in command line"), "{err}");
    }
    assert!(place.files(".").is_empty());
}

#[test]
fn what_is_missing_or_too_much_is_said() {
    let place = Place::new();
    let err = complaint(&place, "run", &PENDULUM);
    assert!(err.contains("add `--step 0.01 --duration 10` (in s)"), "{err}");
    let err = complaint(&place, "compare --methods rk4 --step 0.1", &PENDULUM);
    assert!(err.contains("add `--duration 10` (in s)"), "{err}");
    let err = complaint(&place, "converge --steps 0.1", &PENDULUM);
    assert!(err.contains("add `--duration 10` (in s)"), "{err}");
    let err = complaint(&place, "check spherical-pendulum", &PENDULUM);
    assert!(
        err.contains("both the model `spherical-pendulum` and a formula"),
        "{err}"
    );
    let forced = ["--force", "theta=-c*theta'"];
    let err = complaint(&place, "run", &[&PENDULUM[..], &forced].concat());
    assert!(err.contains("`--force-on theta=-c*theta'`"), "{err}");
    let err = complaint(&place, "check", &["-e", "1"]);
    assert!(err.contains("such as `--start theta=1`"), "{err}");
    for (word, reason) in [
        ("m", "there is no `=`"),
        ("=1", "there is no name before `=`"),
        ("m= ", "there is no value after `=`"),
    ] {
        let err = complaint(
            &place,
            "check",
            &["-e", "x'^2", "--start", "x=1", "--param", word],
        );
        assert!(err.contains(reason), "{err}");
    }
    complaint(&place, "run spherical-pendulum --param m=1", &[]);
}

#[test]
fn a_failed_run_says_where_it_was() {
    let place = Place::new();
    for method in ["rk4", "midpoint"] {
        let done = run(
            &place,
            &format!("run --method {method} --step 0.01 --duration 5 --no-files"),
            &["-e", "0.5*x'^2 - log(x)", "--start", "x=1, x'=-3"],
        );
        assert_eq!(done.code, Some(1), "{}", done.err);
        assert!(done.err.contains("the run failed at step"), "{}", done.err);
        assert!(done.err.contains("log(x)"), "{}", done.err);
        assert!(done.err.contains("the state before it: x = 0.0"), "{}", done.err);
        assert!(done.err.contains(", x' = -"), "{}", done.err);
    }
}

#[test]
fn driven_systems_have_no_energy_error_but_a_balance() {
    let place = Place::new();
    let damped = [&PENDULUM[..], &["--force-on", "theta=-0.2*theta'"]].concat();
    let out = good(&place, "run --step 0.01 --duration 10 --no-files", &damped);
    assert!(
        out.contains("work of force theta") && out.contains("|E − E₀ − W|") && out.contains("balanced"),
        "{out}"
    );
    assert!(
        !out.contains("drift") && !out.contains("|E − E₀|") && !out.contains("unit length"),
        "{out}"
    );
    assert!(out.lines().all(|line| line.chars().count() <= 100), "{out}");
}

/// A damper can only take energy. RK4 with a step beyond its stability makes 10²⁷ J of half a joule, and says how much
/// the damper took meanwhile: that is no balance.
#[test]
fn a_damper_that_brings_energy_is_not_believed() {
    let place = Place::new();
    let drag = ["-e", "0.5*x'^2", "--start", "x=0, x'=1", "--force-on", "x=-40*x'"];
    let json = |step: &str| {
        let command = format!("run --method rk4 --step {step} --duration 2 --no-files --json");
        let summary: Value = serde_json::from_str(&good(&place, &command, &drag)).expect("one JSON value");
        let line = summary["certificate"]["lines"].as_array().expect("lines")[0].clone();
        (summary, line)
    };
    let (wrong, line) = json("0.1");
    assert!(wrong["energy"]["final"].as_f64() > Some(1e27), "{wrong}");
    assert!(
        wrong["balance"]["sources"][0]["value"].as_f64() < Some(-1e27),
        "{wrong}"
    );
    assert_eq!(
        (&line["verdict"], &line["reason"]),
        (&"bad".into(), &"unbalanced".into())
    );
    assert_eq!(wrong["certificate"]["conclusion"]["verdict"], "bad");
    // Where it is stable, all of the half joule goes into the damper.
    let (right, line) = json("0.01");
    let taken = right["balance"]["sources"][0]["value"]
        .as_f64()
        .expect("a number");
    assert!((taken + 0.5).abs() < 1e-3, "{right}");
    assert_eq!(
        (&line["verdict"], &line["reason"]),
        (&"good".into(), &"balanced".into())
    );
}

/// The columns of the work are the numbers of the summary.
#[test]
fn work_is_in_the_trajectory() {
    let place = Place::new();
    let damped = [&PENDULUM[..], &["--force-on", "theta=-0.2*theta' + cos(t)"]].concat();
    good(
        &place,
        "run --step 0.01 --duration 1 --format csv --out damped",
        &damped,
    );
    let (names, rows) = super::do_formats_agree::read_csv(&place.path("damped/trajectory.csv"));
    let column = names
        .iter()
        .position(|name| name == "work.force theta")
        .expect("a column");
    let summary = super::read_json(&place.path("damped/summary.json"));
    assert_eq!(rows[0][column], 0.0);
    let last = rows.last().expect("a row")[column];
    assert_eq!(summary["balance"]["sources"][0]["value"].as_f64(), Some(last));
    assert_eq!(summary["final_state"]["work"][0].as_f64(), Some(last));
}

/// A rod with a mass, turning and swinging.
const ROD: &str = r#"
coordinates = ["x", "y"]
lagrangian = "0.5*(x'^2 + y'^2) - 9.81*y"
[[constraint]]
name = "rod"
formula = "x^2 + y^2 - 1"
[start]
x = 0.6
y = -0.8
[method]
name = "midpoint"
[run]
step = 0.01
duration = 2
"#;

#[test]
fn constraints_are_reported_with_their_multipliers() {
    let place = Place::new();
    fs::write(place.path("rod.toml"), ROD).expect("a file");
    let out = place.good("run rod.toml --format csv");
    assert!(
        out.contains("largest |g|") && out.contains("λ of rod at the end"),
        "{out}"
    );
    assert!(place.files("runs/rod").contains(&"constraint.svg".to_owned()));
    assert!(place.files("runs/rod").contains(&"path.svg".to_owned()));
    assert!(!place.files("runs/rod").contains(&"trajectory.svg".to_owned()));
    let csv = fs::read_to_string(place.path("runs/rod/trajectory.csv")).expect("a file");
    assert_eq!(
        csv.lines().next(),
        Some("t,kinetic,potential,x,y,x',y',lambda.rod")
    );
    let last: Vec<f64> = csv
        .lines()
        .last()
        .expect("a row")
        .split(',')
        .map(|x| x.parse().expect("a number"))
        .collect();
    // Newton along the rod: 2 λ = v² − 9.81 y.
    let force = last[5] * last[5] + last[6] * last[6] - 9.81 * last[4];
    assert!((2.0 * last[7] - force).abs() < 1e-9, "{last:?}");
    for method in ["midpoint", "rk4"] {
        let summary = place.json(&format!("run rod.toml --method {method} --no-files --json"));
        assert_eq!(summary["multipliers"][0]["name"], "rod");
        let end = summary["multipliers"][0]["value"].as_f64().expect("a number");
        assert!((end - last[7]).abs() < 0.02, "{method}: {end}");
    }
}

#[test]
fn angles_are_wrapped_in_files_but_not_in_the_state() {
    let place = Place::new();
    let spinning = [
        "-e",
        "0.5*a'^2 + cos(a)",
        "--start",
        "a=0, a'=5",
        "--periodic",
        "a",
    ];
    good(&place, "run --step 0.01 --duration 10 --format csv", &spinning);
    let csv = fs::read_to_string(place.path("runs/formula/trajectory.csv")).expect("a file");
    let angles = csv.lines().skip(1).map(|line| {
        line.split(',')
            .nth(3)
            .expect("a")
            .parse::<f64>()
            .expect("a number")
    });
    let angles: Vec<f64> = angles.collect();
    let wraps = angles.windows(2).filter(|pair| pair[1] < pair[0]).count();
    assert!(angles.iter().all(|angle| angle.abs() <= std::f64::consts::PI) && wraps > 3);
    let summary = super::read_json(&place.path("runs/formula/summary.json"));
    assert!(summary["final_state"]["q"][0].as_f64() > Some(30.0));
    assert_eq!(
        summary["coordinates"][0]["final"].as_f64(),
        angles.last().copied()
    );
    // No line of the figures crosses from edge to edge.
    for figure in ["coordinates.svg", "phase.svg"] {
        let text = fs::read_to_string(place.path("runs/formula").join(figure)).expect("a file");
        let curve = text
            .lines()
            .find(|line| line.contains("#0072b2"))
            .expect("a curve");
        assert!(curve.matches('M').count() > wraps, "{figure}");
    }
}

#[test]
fn names_with_primes_read_back_in_every_format() {
    let place = Place::new();
    fs::write(place.path("rod.toml"), ROD).expect("a file");
    for format in ["csv", "parquet", "npz"] {
        place.good(&format!("run rod.toml --format {format} --out {format}"));
    }
    let csv = super::do_formats_agree::read_csv(&place.path("csv/trajectory.csv"));
    assert_eq!(
        csv,
        super::do_formats_agree::read_parquet(&place.path("parquet/trajectory.parquet"))
    );
    let npz = super::do_formats_agree::read_npz(&place.path("npz/trajectory.npz"));
    assert_eq!(npz.len(), csv.0.len());
    for (index, name) in csv.0.iter().enumerate() {
        let column: Vec<f64> = csv.1.iter().map(|row| row[index]).collect();
        assert_eq!(npz[name], (format!("({},)", csv.1.len()), column), "{name}");
    }
}

#[test]
fn a_model_is_explained() {
    let place = Place::new();
    fs::write(place.path("rod.toml"), ROD).expect("a file");
    let out = place.good("explain rod.toml");
    for part in [
        "Lagrangian of 2 coordinates with 1 constraint",
        "0.5*(x'^2 + y'^2) - 9.81*y",
        "d/dt (x') = -λ(rod)*(2*x)",
        "energy          -7.848 J: kinetic 0 J, potential -7.848 J",
        "[ 1  0 ]\n                  [ 0  1 ]",
        "x'': -4.7088, y'': -3.5316",
        "rod: g = 0, λ = 3.924",
        "1 degree of freedom left",
        "recommended     midpoint: ",
        "200 steps of 0.01 s with midpoint",
    ] {
        assert!(out.contains(part), "{part}\n{out}");
    }
    assert!(out.lines().all(|line| line.chars().count() <= 100), "{out}");
    let polar = [
        "-e",
        "0.5*(r'^2 + r^2*phi'^2) + k/r",
        "--param",
        "k=1",
        "--start",
        "r=1, phi=0, phi'=1.2",
    ];
    let out = good(&place, "explain", &polar);
    for part in [
        "d/dt (r^2*phi') = 0",
        "cyclic          phi",
        "conserved       momentum phi = 1.2",
        "parameters      k = 1",
        "recommended     midpoint-4: ",
    ] {
        assert!(out.contains(part), "{part}\n{out}");
    }
    assert!(!out.contains("this model"), "{out}");
}

#[test]
fn bodies_on_spheres_are_explained() {
    let place = Place::new();
    let out = place.good("explain double-spherical-pendulum");
    for part in [
        "2 bodies on unit spheres",
        "bodies          upper, lower",
        "that of links: 1 body begins on another",
        "potentials      gravity",
        "conserved       angular momentum z = 144.354 kg m²/s",
        "recommended     sphere-implicit: ",
    ] {
        assert!(out.contains(part), "{part}\n{out}");
    }
    let out = place.good("explain magnetic-dipoles");
    assert!(
        out.contains("diagonal") && out.contains("recommended     sphere-split-4: "),
        "{out}"
    );
    let list = place.good("list");
    for name in list.lines().filter_map(|line| line.split_whitespace().next()) {
        let out = place.good(&format!("explain {name}"));
        assert!(out.lines().all(|line| line.chars().count() <= 100), "{out}");
    }
}

#[test]
fn a_motion_that_is_not_that_of_the_mechanism_is_called_so() {
    let place = Place::new();
    let note = |step: &str| {
        let run = [
            "double-plane-pendulum",
            "--no-files",
            "--duration",
            "50",
            "--step",
            step,
        ];
        good(&place, "run", &run).contains("✗ wrong")
    };
    // The equations of such a step have solutions, but they are not near the motion.
    assert!(note("5"));
    assert!(!note("0.01"));
}

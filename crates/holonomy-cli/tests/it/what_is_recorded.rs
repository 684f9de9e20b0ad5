use super::{
    Place,
    do_formats_agree::{read_csv, read_npz, read_parquet},
    is_a_sweep_one_table::rows,
    read_json,
};

const ARM: &str = "space = 'tree'
gravity = [0, 0, -9.81]

[[body]]
name = 'arm'
joint = { kind = 'revolute', axis = [0, 1, 0] }
mass = 1.0
shape = 'rod'
to = [0, 0, -0.8]
position = 1.0
damping = 0.1
sites = { hand = [0, 0, -0.8] }

[method]
name = 'tree-variational'

[run]
step = 0.01
steps = 60
every = 4

[output]
record = ['hand', 'hand.velocity.x', 'arm.effort', 'energy', 'theta.arm', 'work.damper arm']
";

fn arm(place: &Place, text: &str) {
    std::fs::write(place.path("arm.toml"), text).expect("a file");
}

#[test]
fn every_format_has_the_same_outputs() {
    let place = Place::new();
    arm(&place, ARM);
    for format in ["csv", "parquet", "npz"] {
        place.good(&format!("run arm.toml --format {format} --out {format}"));
    }
    let (names, rows) = read_csv(&place.path("csv/trajectory.csv"));
    // What the state has anyway is there once.
    assert_eq!(
        names.join(" "),
        "t kinetic potential theta.arm omega.arm work.damper arm hand.x hand.y hand.z hand.velocity.x arm.effort energy"
    );
    assert_eq!(rows.len(), 16);
    for row in &rows {
        let [
            _,
            kinetic,
            potential,
            theta,
            omega,
            _,
            x,
            _,
            z,
            vx,
            effort,
            energy,
        ] = row[..]
        else {
            panic!("{row:?}")
        };
        assert!((x + 0.8 * theta.sin()).abs() < 1e-14 && (z + 0.8 * theta.cos()).abs() < 1e-14);
        assert!((vx + 0.8 * omega * theta.cos()).abs() < 1e-13);
        assert!((effort + 0.1 * omega).abs() < 1e-15);
        assert!((energy - kinetic - potential).abs() < 1e-14);
    }
    assert_eq!(
        (names.clone(), rows.clone()),
        read_parquet(&place.path("parquet/trajectory.parquet"))
    );
    let arrays = read_npz(&place.path("npz/trajectory.npz"));
    for (k, name) in names.iter().enumerate() {
        let column: Vec<f64> = rows.iter().map(|row| row[k]).collect();
        assert_eq!(arrays[name].1, column, "{name}");
    }
    // Bodies on spheres have two arrays of vectors, and one of numbers for each output.
    let flags = "--steps 10 --record lower,upper.velocity.z --format npz --out spheres";
    place.good(&format!("run double-spherical-pendulum {flags}"));
    let arrays = read_npz(&place.path("spheres/trajectory.npz"));
    let (shape, q) = &arrays["q"];
    assert_eq!(shape, "(11, 2, 3)");
    let tips: Vec<f64> = q.chunks_exact(6).map(|q| 9.81 * (q[2] + q[5])).collect();
    let z = &arrays["lower.z"].1;
    assert!(
        z.iter().zip(&tips).all(|(z, sum)| (z - sum).abs() < 1e-13),
        "{z:?}"
    );
    assert_eq!(arrays["upper.velocity.z"].0, "(11,)");
    // They are read back where a run is made longer.
    place.good("resume spheres --steps 15 --quiet");
    assert_eq!(
        read_npz(&place.path("spheres/trajectory.npz"))["lower.z"].1.len(),
        16
    );
}

#[test]
fn summary_and_report_have_what_is_recorded() {
    let place = Place::new();
    arm(&place, ARM);
    place.good("run arm.toml --format csv --out run");
    let (names, rows) = read_csv(&place.path("run/trajectory.csv"));
    let summary = read_json(&place.path("run/summary.json"));
    let outputs = summary["outputs"].as_array().expect("outputs");
    assert_eq!(outputs.len(), 8);
    for output in outputs {
        let name = output["name"].as_str().expect("a name");
        let k = names.iter().position(|own| own == name).expect("a column");
        let column: Vec<f64> = rows.iter().map(|row| row[k]).collect();
        let mean = column.iter().sum::<f64>() / column.len() as f64;
        let expected = [
            ("min", column.iter().copied().fold(f64::INFINITY, f64::min)),
            ("max", column.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
            ("mean", mean),
            ("final", column[column.len() - 1]),
        ];
        for (key, value) in expected {
            let found = output[key].as_f64().expect("a number");
            assert!(
                (found - value).abs() <= 1e-14 * (1.0 + value.abs()),
                "{name} {key}"
            );
        }
    }
    assert_eq!(outputs[0]["unit"], "m");
    let report = std::fs::read_to_string(place.path("run/report.html")).expect("a report");
    assert!(report.contains("What was recorded") && report.contains("hand.velocity.x (m/s)"));
    assert!(place.path("run/outputs.svg").exists());
    // What is recorded without being asked for has no figure.
    arm(&place, ARM.split("[output]").next().expect("a model"));
    place.good("run arm.toml --out plain");
    let summary = read_json(&place.path("plain/summary.json"));
    assert_eq!(summary["outputs"][2]["name"], "hand.z");
    assert!(!place.path("plain/outputs.svg").exists());
}

#[test]
fn a_run_with_outputs_goes_on_to_the_bit() {
    let place = Place::new();
    arm(&place, ARM);
    for format in ["csv", "npz", "parquet"] {
        place.good(&format!(
            "run arm.toml --format {format} --out whole-{format} --certify none"
        ));
        let pieces = format!("pieces-{format}");
        place.good(&format!(
            "run arm.toml --format {format} --steps 20 --checkpoint 3 --out {pieces} --certify none"
        ));
        place.good(&format!(
            "resume {pieces} --steps 44 --checkpoint 5 --certify none"
        ));
        place.good(&format!("resume {pieces} --steps 60 --certify none"));
        let [one, other] = ["whole", "pieces"].map(|name| {
            let folder = format!("{name}-{format}");
            let file = std::fs::read(place.path(&format!("{folder}/trajectory.{format}"))).expect("a file");
            let figure =
                std::fs::read_to_string(place.path(&format!("{folder}/outputs.svg"))).expect("a figure");
            let summary = read_json(&place.path(&format!("{folder}/summary.json")));
            (file, figure, summary["outputs"].to_string())
        });
        assert!(one == other, "{format}");
    }
}

#[test]
fn wrong_names_are_shown_where_they_stand() {
    let place = Place::new();
    arm(&place, ARM);
    for (arguments, said) in [
        ("run arm.toml --record hand,hnd.x", "did you mean `hand.x`?"),
        ("run arm.toml --record hand,hand", "`hand` is listed twice"),
        ("run arm.toml --record ,", "`record` names nothing"),
        (
            "run arm.toml --set output.record=moon",
            "there is nothing to record named `moon`",
        ),
        (
            "sweep arm.toml --vary body.arm.mass=1:2:2 --measure max(hnd.x)",
            "did you mean `hand.x`?",
        ),
        (
            "sweep arm.toml --vary body.arm.mass=1:2:2 --measure max(hand)",
            "write `hand.x`",
        ),
    ] {
        let done = place.run(arguments);
        assert_eq!(done.code, Some(2), "{arguments}\n{}", done.err);
        assert!(done.err.contains(said), "{arguments}\n{}", done.err);
    }
    arm(&place, &ARM.replace("'arm.effort'", "'arm.efort'"));
    let done = place.run("run arm.toml");
    assert_eq!(done.code, Some(2));
    assert!(done.err.contains("arm.toml:23:38"), "{}", done.err);
    // One name needs no list.
    arm(&place, ARM);
    place.good("run arm.toml --set output.record=hand.z --no-files");
}

#[test]
fn a_sweep_measures_what_can_be_recorded() {
    let place = Place::new();
    arm(&place, ARM);
    place.good("run arm.toml --format csv --out run");
    let flags = "--measure max(hand.z) --measure min(hand.velocity.x) --measure final(arm.effort)";
    place.good(&format!(
        "sweep arm.toml --vary body.arm.position=1.0,0.5 --out swept {flags}"
    ));
    let (names, cases, _) = rows(&place, "swept/cases.parquet");
    let of = |name: &str| -> f64 {
        let place = names.iter().position(|own| own == name);
        let place = place.unwrap_or_else(|| panic!("{name}: {names:?}"));
        cases[0][place]
    };
    let summary = read_json(&place.path("run/summary.json"));
    let recorded = |name: &str, key: &str| {
        let outputs = summary["outputs"].as_array().expect("outputs");
        let found = outputs.iter().find(|output| output["name"] == name);
        found.expect("an output")[key].as_f64().expect("a number")
    };
    assert_eq!(of("max(hand.z)"), recorded("hand.z", "max"));
    assert_eq!(of("min(hand.velocity.x)"), recorded("hand.velocity.x", "min"));
    assert_eq!(of("final(arm.effort)"), recorded("arm.effort", "final"));
    // What the model itself records has its statistics in the table.
    for statistic in ["min", "max", "mean", "final"] {
        assert_eq!(of(&format!("hand.z.{statistic}")), recorded("hand.z", statistic));
    }
}

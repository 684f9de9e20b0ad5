//! `run.start_time` of a model whose formulas know the time: runs that go on, runs from others, and sweeps.
use super::{Place, do_formats_agree::read_csv, is_a_sweep_one_table::rows};

const SWING: &str = r#"
space = "tree"
gravity = [0, 0, -9.81]
parameters = { push = 0.8 }

[[body]]
name = "base"
joint = { kind = "prismatic", axis = [1, 0, 0] }
mass = 0.0
driven = "0.1*sin(3*t)"

[[body]]
name = "rod"
parent = "base"
joint = { kind = "revolute", axis = [0, 1, 0] }
mass = 1.0
shape = "rod"
to = [0, 0, -1]
position = 0.4
effort = "push*sin(2*t) - 0.1*v"

[method]
name = "tree-variational"

[run]
step = 0.002
duration = 2.0
start_time = 1.25
"#;

fn swing() -> Place {
    let place = Place::new();
    std::fs::write(place.path("swing.toml"), SWING).expect("a model");
    place
}

fn recorded(place: &Place, folder: &str) -> Vec<Vec<f64>> {
    read_csv(&place.path(&format!("{folder}/trajectory.csv"))).1
}

const CSV: &str = "--every 50 --format csv --certify none";

#[test]
fn a_run_that_begins_late_goes_on_to_the_bit() {
    let place = swing();
    place.good(&format!("run swing.toml --steps 1000 {CSV} --out whole"));
    place.good(&format!(
        "run swing.toml --steps 600 {CSV} --checkpoint 200 --out part"
    ));
    place.good("resume part --steps 1000 --certify none");
    let (whole, part) = (recorded(&place, "whole"), recorded(&place, "part"));
    assert_eq!(whole, part);
    // t₀ + k h, and no sum of steps.
    for (k, row) in whole.iter().enumerate() {
        assert_eq!(row[0], 1.25 + (50 * k) as f64 * 0.002);
    }
    // What formulas see is that time: another gives another motion.
    place.good(&format!(
        "run swing.toml --set run.start_time=0 --steps 1000 {CSV} --out early"
    ));
    let early = recorded(&place, "early");
    assert!(
        (early[20][5] - whole[20][5]).abs() > 0.1,
        "{:?} {:?}",
        early[20],
        whole[20]
    );
}

#[test]
fn a_run_from_another_takes_its_time_whatever_the_model_says() {
    let place = swing();
    place.good(&format!("run swing.toml --steps 1000 {CSV} --out whole"));
    place.good(&format!("run swing.toml --steps 600 {CSV} --out first"));
    let on = format!("--steps 400 {CSV}");
    place.good(&format!("run swing.toml --from first {on} --out second"));
    place.good(&format!(
        "run swing.toml --from whole@2.45 --set run.start_time=7 {on} --out third"
    ));
    let whole = recorded(&place, "whole");
    for folder in ["second", "third"] {
        let rest = recorded(&place, folder);
        assert_eq!(rest.len(), 9);
        for (expected, found) in whole[12..].iter().zip(&rest) {
            // Places and the velocity; work of sources begins anew.
            assert!((expected[0] - found[0]).abs() < 1e-14, "{folder}");
            for k in [3, 4, 5] {
                // 400 steps from digits that are all there, solved to rounding.
                assert!(
                    (expected[k] - found[k]).abs() < 1e-10,
                    "{folder}: {expected:?} {found:?}"
                );
            }
        }
    }
}

#[test]
fn cases_of_a_sweep_begin_when_they_say() {
    let place = swing();
    for (vary, key, values) in [
        ("parameters.push=0:1:3", "parameters.push", [0.0, 0.5, 1.0]),
        ("run.start_time=0:3:3", "run.start_time", [0.0, 1.5, 3.0]),
    ] {
        place.good(&format!(
            "sweep swing.toml --steps 300 --vary {vary} --out cases --force"
        ));
        let (columns, table, _) = rows(&place, "cases/cases.parquet");
        let end = columns
            .iter()
            .position(|name| name == "final.theta.rod")
            .expect("a column");
        for (row, value) in table.iter().zip(values) {
            let alone = place.json(&format!(
                "run swing.toml --steps 300 --set {key}={value} --no-files --json --certify none"
            ));
            let last = alone["final_state"]["q"]
                .as_array()
                .and_then(|q| q.last())
                .expect("the rod");
            assert_eq!(last.as_f64(), Some(row[end]), "{key} = {value}");
            let begins = if key == "run.start_time" { value } else { 1.25 };
            assert_eq!(alone["t_end"].as_f64(), Some(begins + 300.0 * 0.002));
        }
    }
}

//! Many cases: each is the run that it would be alone, none is computed twice, and none stops the others.
use super::{Place, names};
use parquet::{
    file::reader::{FileReader, SerializedFileReader},
    record::RowAccessor,
};
use std::{fs::File, process::Stdio, thread::sleep, time::Duration};

const SWEEP: &str =
    "sweep double-plane-pendulum --steps 400 --vary start.a=0.2:2.8:6 --vary start.b=-1,1 --quiet";

/// The table as rows: the first columns of each are the case and its settings.
pub(super) fn rows(place: &Place, path: &str) -> (Vec<String>, Vec<Vec<f64>>, Vec<String>) {
    let reader = SerializedFileReader::new(File::open(place.path(path)).expect("a table")).expect("Parquet");
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let names: Vec<String> = (0..schema.num_columns())
        .map(|k| schema.column(k).name().to_owned())
        .collect();
    let (mut numbers, mut messages) = (Vec::new(), Vec::new());
    for row in reader.get_row_iter(None).expect("rows") {
        let row = row.expect("a row");
        let number = |k: usize| {
            row.get_double(k)
                .or_else(|_| row.get_long(k).map(|whole| whole as f64))
                .unwrap_or(f64::NAN)
        };
        numbers.push((0..names.len()).map(number).collect());
        let message = row.get_string(names.len() - 1).expect("a message");
        messages.push(message.clone());
    }
    (names, numbers, messages)
}

/// Every case ends where the run of the same model does, to the last bit, and on any number of threads.
#[test]
fn a_case_is_the_run_that_it_would_be_alone() {
    let place = Place::new();
    place.good(&format!("{SWEEP} --threads 1 --out one"));
    place.good(&format!("{SWEEP} --threads 2 --out two"));
    let bytes = |name: &str| std::fs::read(place.path(name)).expect("a table");
    assert_eq!(bytes("one/cases.parquet"), bytes("two/cases.parquet"));
    assert_eq!(
        place.files("one"),
        [
            ".holonomy",
            "cases.parquet",
            "model.toml",
            "sweep.html",
            "sweep.json"
        ]
    );
    let (columns, table, _) = rows(&place, "one/cases.parquet");
    assert_eq!(table.len(), 12);
    let column = |name: &str| columns.iter().position(|own| own == name).expect("a column");
    for (case, row) in table.iter().enumerate() {
        assert_eq!(row[0], case as f64);
        let (one, two) = (row[column("start.a")], row[column("start.b")]);
        let alone = place.json(&format!(
            "run double-plane-pendulum --steps 400 --set start.a={one:?} --set start.b={two} --no-files --json --certify none"
        ));
        let end: Vec<f64> = ["a", "b"]
            .iter()
            .map(|name| row[column(&format!("final.{name}"))])
            .collect();
        for (k, found) in end.iter().enumerate() {
            let turns =
                (alone["final_state"]["q"][k].as_f64().expect("a number") - found) / std::f64::consts::TAU;
            // The table has angles within ±π, the summary counts turns: the same up to whole ones, and rounding of them.
            assert!(
                (turns - turns.round()).abs() < 1e-15 * (1.0 + turns.abs()),
                "case {case}: {turns}"
            );
        }
        assert_eq!(
            alone["energy"]["initial"].as_f64(),
            Some(row[column("energy.initial")])
        );
        assert_eq!(
            alone["energy"]["final"].as_f64(),
            Some(row[column("energy.final")])
        );
    }
}

/// Killed without warning, several times: what was finished is not computed again, and the table is that of a sweep
/// without a break.
#[test]
fn a_sweep_that_is_killed_goes_on() {
    let place = Place::new();
    let sweep = "sweep double-plane-pendulum --steps 20000 --vary start.a=0.2:2.8:60 --quiet";
    place.good(&format!("{sweep} --out whole"));
    let mut killed = 0;
    for pause in [60, 120, 200, 90, 150] {
        let mut child = place
            .command(&format!("{sweep} --out broken --threads 1"))
            .stdout(Stdio::null())
            .spawn()
            .expect("it starts");
        sleep(Duration::from_millis(pause));
        killed += u32::from(child.try_wait().expect("a child").is_none());
        child.kill().expect("it is killed");
        child.wait().expect("it ends");
        if place.path("broken/cases.parquet").exists() {
            break;
        }
    }
    assert!(killed > 0, "the machine is too fast for this test");
    if !place.path("broken/cases.parquet").exists() {
        place.good(&format!("{sweep} --out broken"));
    }
    let bytes = |name: &str| std::fs::read(place.path(name)).expect("a table");
    assert_eq!(bytes("whole/cases.parquet"), bytes("broken/cases.parquet"));
    // A line that was cut off is computed again, and whole ones are not.
    let again = place.run(&format!("{sweep} --out broken"));
    assert_eq!(again.code, Some(2), "{}", again.err);
    assert!(again.err.contains("it is finished"), "{}", again.err);
}

/// A case that cannot be, or cannot go on, is a row with its reason.
#[test]
fn a_case_that_fails_is_a_row() {
    let place = Place::new();
    place
        .good("sweep henon-heiles --vary start.y=0,3,30 --method rk4 --steps 2000 --every 1 --quiet --out s");
    let (_, table, messages) = rows(&place, "s/cases.parquet");
    assert_eq!(table.len(), 3);
    assert_eq!(messages[0], "");
    assert!(
        messages[2].starts_with("at step 6") && messages[2].contains("has no value"),
        "{messages:?}"
    );
    place.good("sweep spherical-pendulum --vary run.step=0.01,-1 --steps 10 --quiet --out t");
    let (_, table, messages) = rows(&place, "t/cases.parquet");
    assert_eq!((table.len(), messages[0].as_str()), (2, ""));
    assert!(messages[1].contains("positive"), "{messages:?}");
    // The first too.
    place.good("sweep spherical-pendulum --vary run.step=-1,0.01 --steps 10 --quiet --out u");
    let (_, _, messages) = rows(&place, "u/cases.parquet");
    assert!(
        messages[0].contains("positive") && messages[1].is_empty(),
        "{messages:?}"
    );
}

/// Random cases have the mean and the spread that were asked for, and those of a Latin hypercube one in each interval.
#[test]
fn random_cases_are_those_of_their_seed() {
    let place = Place::new();
    let sweep = "sweep plane-pendulum --steps 1 --vary start.theta=uniform:0:1 --samples 200 --latin --quiet";
    place.good(&format!("{sweep} --seed 5 --out a"));
    place.good(&format!("{sweep} --seed 5 --out b --threads 1"));
    place.good(&format!("{sweep} --seed 6 --out c"));
    let values = |folder: &str| -> Vec<f64> {
        let (_, table, _) = rows(&place, &format!("{folder}/cases.parquet"));
        table.iter().map(|row| row[1]).collect()
    };
    assert_eq!(values("a"), values("b"));
    assert_ne!(values("a"), values("c"));
    let mut strata: Vec<u64> = values("a").iter().map(|value| (value * 200.0) as u64).collect();
    strata.sort_unstable();
    assert!(strata.into_iter().eq(0..200));
    // Sobol's sequence has one in each interval too, for powers of two, and the same points wherever the others stand.
    let sweep = "sweep plane-pendulum --steps 1 --vary start.theta=uniform:0:1 --vary run.step=1e-3,2e-3 --samples 128 --sobol --quiet";
    place.good(&format!("{sweep} --seed 5 --out d"));
    place.good(&format!("{sweep} --seed 6 --out e --threads 1"));
    let (one, other) = (values("d"), values("e"));
    assert_eq!(one[..128], one[128..]);
    assert_ne!(one, other);
    for values in [one, other] {
        let mut strata: Vec<u64> = values[..128].iter().map(|value| (value * 128.0) as u64).collect();
        strata.sort_unstable();
        assert!(strata.into_iter().eq(0..128));
    }
}

/// The same cases, as pandas, polars and DuckDB write them: `tests/tables/make.py`.
#[test]
fn tables_of_others_are_read() {
    let place = Place::new();
    let tables = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/tables");
    let csv = "start.theta [deg],run.every,method.name\n10,1,midpoint\n20,2,rk4\n30.5,3,midpoint\n20,2,midpoint\n\
               -40,2,rk4\n0.1,1,rk4\n";
    std::fs::write(place.path("cases.csv"), csv).expect("a file");
    place.good("sweep plane-pendulum --steps 6 --vary-table cases.csv --quiet --out csv");
    let (columns, expected, _) = rows(&place, "csv/cases.parquet");
    assert_eq!(columns[..4], ["case", "start.theta", "run.every", "method.name"]);
    assert_eq!(expected.len(), 6);
    for name in ["pandas", "polars", "duckdb", "categories"] {
        place.good(&format!(
            "sweep plane-pendulum --steps 6 --vary-table {tables}/{name}.parquet --quiet --out {name}"
        ));
        let (_, found, _) = rows(&place, &format!("{name}/cases.parquet"));
        for (found, expected) in found.iter().zip(&expected) {
            for (column, (found, expected)) in found.iter().zip(expected).enumerate() {
                // One of the tables has angles in single precision.
                let near = (found - expected).abs() <= 1e-7 * (1.0 + expected.abs());
                let same = found == expected || found.is_nan() && expected.is_nan();
                assert!(
                    same || name == "categories" && near,
                    "{name}, {}: {found} and {expected}",
                    columns[column]
                );
            }
        }
        assert_eq!(found.len(), 6);
    }
    let done = place.run(&format!(
        "sweep plane-pendulum --steps 6 --vary-table {tables}/hole.parquet --out hole"
    ));
    assert_eq!(done.code, Some(2), "{}", done.err);
    assert!(
        done.err.contains("row 4: there is no `run.every`"),
        "{}",
        done.err
    );
    std::fs::write(place.path("broken.parquet"), "PAR1 and nothing else").expect("a file");
    let done = place.run("sweep plane-pendulum --steps 6 --vary-table broken.parquet --out hole");
    assert_eq!(done.code, Some(2), "{}", done.err);
    assert!(done.err.contains("cannot be read as Parquet"), "{}", done.err);
}

/// The trajectory of a case is that of the run that it would be alone, byte by byte, also of one that fails.
#[test]
fn trajectories_are_those_of_runs() {
    let place = Place::new();
    for format in ["parquet", "csv", "npz"] {
        place.good(&format!(
            "sweep henon-heiles --vary start.y=0,30 --method rk4 --steps 300 --every 7 --trajectories --format {format} \
             --quiet --out {format}"
        ));
        assert_eq!(
            names(&place.path(format).join("cases")),
            [format!("000000.{format}"), format!("000001.{format}")]
        );
        for (case, y) in [0, 30].into_iter().enumerate() {
            let run = format!("{format}-{case}");
            let done = place.run(&format!(
                "run henon-heiles --set start.y={y} --method rk4 --steps 300 --every 7 --format {format} --certify none \
                 --out {run}"
            ));
            assert_eq!(done.code, Some(case as i32), "{}", done.err);
            let alone = std::fs::read(place.path(&run).join(format!("trajectory.{format}"))).expect("a file");
            let swept = place
                .path(format)
                .join("cases")
                .join(format!("00000{case}.{format}"));
            assert!(std::fs::read(swept).expect("a file") == alone, "{run}");
        }
    }
    let done = place.run(
        "sweep henon-heiles --vary start.y=0:0.1:1000 --steps 1000000 --every 1 --trajectories --quiet --out large",
    );
    assert_eq!(done.code, Some(2), "{}", done.err);
    assert!(
        done.err.contains("GB") && done.err.contains("--most-gigabytes"),
        "{}",
        done.err
    );
    assert!(!place.path("large").exists());
}

/// The page names the worst cases, and each of its commands runs the case that it says.
#[test]
fn the_page_has_the_command_of_each_case() {
    let place = Place::new();
    place.good(
        "sweep double-plane-pendulum --vary start.a=10deg:170deg:4 --vary run.step=0.01,0.3 --vary method.name=rk4,midpoint \
         --duration 3 --trajectories --quiet --out s",
    );
    let page = std::fs::read_to_string(place.path("s/sweep.html")).expect("a page");
    assert!(page.contains("A sweep of 16 cases; all ran to the end"));
    assert!(page.contains("href=\"cases/0000") && page.contains("not tested"));
    let commands: Vec<&str> = page
        .lines()
        .map(|line| line.rsplit("<code>").next().unwrap_or(line))
        .filter(|line| line.starts_with("holonomy run s/model.toml"))
        .map(|line| line.split("</code>").next().unwrap_or(line))
        .collect();
    assert_eq!(commands.len(), 12, "{page}");
    let (columns, table, _) = rows(&place, "s/cases.parquet");
    let energy = columns
        .iter()
        .position(|own| own == "energy.final")
        .expect("a column");
    for command in &commands[..3] {
        let script = command.replacen("holonomy", env!("CARGO_BIN_EXE_holonomy"), 1);
        let status = std::process::Command::new("sh")
            .args(["-c", &format!("{script} --certify none --quiet")])
            .current_dir(place.path("."))
            .stdout(Stdio::null())
            .status();
        assert!(status.expect("a shell").success(), "{command}");
        let folder = command.rsplit(' ').next().expect("a folder");
        let case: usize = folder["case-".len()..].parse().expect("a number");
        let summary = super::read_json(&place.path(folder).join("summary.json"));
        assert_eq!(
            summary["energy"]["final"].as_f64(),
            Some(table[case][energy]),
            "{command}"
        );
    }
}

#[test]
fn measures_are_those_of_the_motion() {
    let place = Place::new();
    // A harmonic oscillator from rest at 1: it passes zero at π/2, and is at −1 at the latest.
    place
        .command("sweep --vary start.x=1,2 --step 0.001 --duration 4 --quiet --out s")
        .args(["-e", "0.5*x'^2 - 0.5*x^2", "--start", "x=1"])
        .args([
            "--measure",
            "first(x < 0)",
            "--measure",
            "min(x)",
            "--measure",
            "final(energy)",
        ])
        .status()
        .expect("it runs");
    let (columns, table, _) = rows(&place, "s/cases.parquet");
    let column = |name: &str| columns.iter().position(|own| own == name).expect("a column");
    for (row, size) in table.iter().zip([1.0, 2.0]) {
        // The midpoint rule is late by h²/12 of the time.
        assert!(
            (row[column("first(x < 0)")] - std::f64::consts::FRAC_PI_2).abs() < 1e-6,
            "{row:?}"
        );
        assert!((row[column("min(x)")] + size).abs() < 1e-6 * size, "{row:?}");
        assert!(
            (row[column("final(energy)")] - 0.5 * size * size).abs() < 1e-6,
            "{row:?}"
        );
    }
}

#[test]
fn what_is_wrong_with_a_sweep_is_said() {
    let place = Place::new();
    std::fs::write(place.path("cases.csv"), "start.theta,start.phi\n0.1,0.2\n0.3\n").expect("a file");
    std::fs::write(place.path("unnamed.csv"), "start.theta,\n0.1,2\n").expect("a file");
    std::fs::write(place.path("hole.csv"), "start.theta,step\n0.1,\n").expect("a file");
    for (arguments, word) in [
        ("", "nothing varies"),
        ("--vary start.nonsense=0:1:3", "start.nonsense"),
        ("--vary start.theta=", "no values"),
        ("--vary start.theta=0:1:0", "no values"),
        ("--vary start.theta=0:1:2 --vary start.theta=1,2", "varies twice"),
        (
            "--vary start.theta=0:1:2 --vary run.step=1e-3,2e-3,3e-3 --zip",
            "same number of values",
        ),
        ("--vary start.theta=normal:0:1", "--samples"),
        ("--vary start.theta=0:1:2 --samples 5", "--samples"),
        ("--vary start.theta=0:1:2 --measure top(theta)", "max(NAME)"),
        (
            "--vary start.theta=0:1:2 --measure max(alpha)",
            "there is no `alpha`",
        ),
        ("--vary-table none.csv", "none.csv"),
        ("--vary-table cases.csv", "line 3"),
        ("--vary-table hole.csv", "there is no `step`"),
        ("--vary-table unnamed.csv", "column 2 has no name"),
        ("--vary start.theta=0:1:2 --sobol", "`--sobol`"),
        ("--vary run.step=-1,-2", "positive"),
    ] {
        let done = place.run(&format!("sweep plane-pendulum --steps 5 {arguments} --out s"));
        assert_eq!(done.code, Some(2), "{arguments}: {}", done.err);
        assert!(done.err.contains(word), "{arguments}: {}", done.err);
        assert!(!place.path("s").exists(), "{arguments}");
    }
    let done = place.run("sweep plane-pendulum --steps 5 --vary start.theta=0:1:2 --no-files");
    assert_eq!(done.code, Some(2), "{}", done.err);
    assert!(done.err.contains("a sweep is its files"), "{}", done.err);
    let done = place.run("sweep plane-pendulum --duration inf --vary start.theta=0:1:2 --out s");
    assert_eq!(done.code, Some(2), "{}", done.err);
    assert!(done.err.contains("never end"), "{}", done.err);
    // Another sweep in the same folder, and a folder with other things in it.
    place.good("sweep plane-pendulum --steps 5 --vary start.theta=0:1:3 --quiet --out s");
    let done = place.run("sweep plane-pendulum --steps 5 --vary start.theta=0:1:4 --quiet --out s");
    assert_eq!(done.code, Some(2));
    assert!(done.err.contains("holds another sweep: its axes"), "{}", done.err);
    place.good("sweep plane-pendulum --steps 5 --vary start.theta=0:1:4 --quiet --out s --force");
    std::fs::create_dir(place.path("mine")).expect("a directory");
    std::fs::write(place.path("mine/notes.txt"), "keep").expect("a file");
    let done =
        place.run("sweep plane-pendulum --steps 5 --vary start.theta=0:1:4 --quiet --out mine --force");
    assert_eq!(done.code, Some(2), "{}", done.err);
    assert_eq!(names(&place.path("mine")), ["notes.txt"]);
}

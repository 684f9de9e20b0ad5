use super::{Done, Place, names};
use serde_json::Value;
use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The same numbers in every run of the tests.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

fn begin(place: &Place, arguments: &str) -> Child {
    place
        .command(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts")
}

/// Everything that a run left, but for how long it took, and what says by whom it was made.
pub(super) fn result(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let files = names(folder).into_iter().filter(|name| {
        !matches!(
            name.as_str(),
            "model.toml" | "report.html" | "checkpoint.bin" | ".holonomy"
        )
    });
    files
        .map(|name| {
            let bytes = fs::read(folder.join(&name)).expect("a file");
            match name.as_str() {
                "summary.json" => (name, without_time(&bytes)),
                _ => (name, bytes),
            }
        })
        .collect()
}

fn without_time(summary: &[u8]) -> Vec<u8> {
    let mut summary: Value = serde_json::from_slice(summary).expect("a summary");
    summary["wall_seconds"] = Value::Null;
    summary["steps_per_second"] = Value::Null;
    let lines = summary["certificate"]["lines"].as_array_mut().expect("lines");
    lines.retain(|line| line["evidence"]["wall"].is_null());
    summary.to_string().into_bytes()
}

pub(super) fn assert_same(found: &Path, expected: &Path) {
    let [found, expected] = [found, expected].map(result);
    let list = |files: &[(String, Vec<u8>)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(list(&found), list(&expected));
    for ((name, found), (_, expected)) in found.iter().zip(&expected) {
        assert!(found == expected, "{name} differs");
    }
}

/// Cases of a sweep that are finished, in its parts: whole lines.
fn finished(folder: &Path) -> usize {
    let Ok(parts) = fs::read_dir(folder.join("parts")) else {
        return 0;
    };
    let texts = parts.map(|part| fs::read(part.expect("a part").path()).unwrap_or_default());
    texts
        .map(|text| text.iter().filter(|byte| **byte == b'\n').count())
        .sum()
}

/// Kills a sweep at random moments, goes on with the same command, and compares what comes of it with one without a
/// break: its table and all its trajectories, byte by byte. What was finished stays finished. How often it was killed.
fn killed_sweep(place: &Place, dice: &mut Dice, round: usize) -> usize {
    let format = ["parquet", "csv", "npz"][round % 3];
    let trajectories = match round % 4 {
        3 => String::new(),
        _ => format!("--trajectories --format {format}"),
    };
    let sweep = format!(
        "sweep henon-heiles --vary start.y=0:0.8:150 --method rk4 --steps 4000 --every 20 --quiet {trajectories}"
    );
    let (whole, broken) = (
        format!("whole-sweep-{}", round % 12),
        format!("broken-sweep-{round}"),
    );
    if !place.path(&whole).exists() {
        place.good(&format!("{sweep} --out {whole}"));
    }
    let again = format!("{sweep} --out {broken}");
    let mut child = begin(place, &again);
    let (mut kills, mut before) = (0, 0);
    loop {
        thread::sleep(Duration::from_millis(10 + dice.roll(300)));
        if let Some(status) = child.try_wait().expect("a child") {
            let table = place.path(&broken).join("cases.parquet").exists();
            assert!(table, "{status}");
            break;
        }
        child.kill().expect("a child to kill");
        child.wait().expect("a child");
        kills += 1;
        let now = finished(&place.path(&broken));
        // Parts go once the table has its place, or is sure to get it.
        let decided = place.path(&broken).join(".holonomy").exists();
        assert!(now >= before || decided, "{now} of {before}");
        before = now;
        child = begin(place, &again);
    }
    let (found, expected) = (place.path(&broken), place.path(&whole));
    assert_eq!(names(&found), names(&expected));
    let mut files = vec!["cases.parquet".to_owned(), "sweep.json".to_owned()];
    if !trajectories.is_empty() {
        let cases = names(&found.join("cases"));
        assert_eq!(cases, names(&expected.join("cases")));
        files.extend(cases.into_iter().map(|name| format!("cases/{name}")));
    }
    for name in files {
        let [one, other] = [&found, &expected].map(|folder| fs::read(folder.join(&name)).expect("a file"));
        assert!(one == other, "{name} differs");
    }
    fs::remove_dir_all(found).expect("a folder");
    kills
}

/// Kills runs and sweeps at random moments with SIGKILL, goes on, kills that too, and compares what comes of it with one
/// without a break.
fn killed(times: usize) {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let place = Place::new();
    // A driven one, an adaptive method, and one whose end is not a sample of its schedule.
    let runs = [
        "double-spherical-pendulum --steps 20001 --every 2",
        "damped-pendulum --steps 6000 --every 3",
        "spherical-pendulum --method dop853 --steps 12000",
    ];
    let (mut kills, mut round) = (0, 0);
    while kills < times {
        kills += killed_sweep(&place, &mut dice, round);
        let format = ["parquet", "csv", "npz"][round % 3];
        let run = format!("run {} --format {format} --certify none", runs[round / 3 % 3]);
        let (whole, broken) = (format!("whole-{}", round % 9), format!("broken-{round}"));
        round += 1;
        if !place.path(&whole).exists() {
            place.good(&format!("{run} --out {whole}"));
        }
        let steps = 300 + dice.roll(2000);
        let mut child = begin(&place, &format!("{run} --out {broken} --checkpoint {steps}"));
        loop {
            thread::sleep(Duration::from_millis(20 + dice.roll(400)));
            if child.try_wait().expect("a child").is_some() {
                break;
            }
            child.kill().expect("a child to kill");
            child.wait().expect("a child");
            kills += 1;
            if !place.path(&broken).exists() {
                // It had not even begun.
                child = begin(&place, &format!("{run} --out {broken} --checkpoint {steps}"));
                continue;
            }
            let waiting = place.path(&format!("{broken}/.unfinished.part")).exists();
            if waiting {
                let refused = place.run(&format!("{run} --out {broken}"));
                assert_eq!(refused.code, Some(2), "{}", refused.err);
                assert!(refused.err.contains("holonomy resume broken"), "{}", refused.err);
            }
            child = match waiting {
                true => begin(
                    &place,
                    &format!("resume {broken} --certify none --checkpoint {steps}"),
                ),
                // It was killed before it could say what it is, or after it was done.
                false => begin(&place, &format!("{run} --out {broken} --checkpoint {steps}")),
            };
        }
        // A run that is done, or whose end was decided when it was killed.
        let _ = place.run(&format!("resume {broken} --certify none"));
        assert_same(&place.path(&broken), &place.path(&whole));
        let hidden: Vec<String> = place
            .files(&broken)
            .into_iter()
            .filter(|name| name.ends_with(".part"))
            .collect();
        assert!(hidden.is_empty(), "{hidden:?}");
        fs::remove_dir_all(place.path(&broken)).expect("a folder");
    }
}

#[test]
fn what_was_killed_goes_on_as_if_it_had_not_been() {
    killed(6);
}

#[test]
#[ignore = "long: two hundred kills"]
fn overnight_runs_and_sweeps_that_are_killed_two_hundred_times_go_on() {
    killed(200);
}

/// Runs the command where files cannot grow beyond so many blocks of 512 bytes, as on a full disk.
fn on_a_full_disk(place: &Place, blocks: u64, arguments: &str) -> Done {
    let program = env!("CARGO_BIN_EXE_holonomy");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec '{program}' {arguments}");
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(place.path("."))
        .output();
    output.expect("a shell").into()
}

#[test]
#[ignore = "long: it takes megabytes to fill a disk beside what is kept of a run"]
fn a_run_on_a_full_disk_goes_on_when_there_is_room() {
    let place = Place::new();
    // What is kept of it fits where its trajectory does not.
    let run = "run pendulum-chain --set chain.links=40 --steps 14000 --every 1 --certify none";
    for format in ["csv", "parquet", "npz"] {
        place.good(&format!("{run} --format {format} --out whole"));
        let file = place.path("whole").join(format!("trajectory.{format}"));
        let whole = fs::metadata(file).expect("a file").len();
        let full = on_a_full_disk(
            &place,
            whole * 9 / 10 / 512,
            &format!("{run} --format {format} --out {format}"),
        );
        let expected = format!("cannot write {format}/trajectory.{format}");
        assert!(
            full.code == Some(1) && full.err.contains(&expected),
            "{}",
            full.err
        );
        let resume = format!("and `holonomy resume {format}` goes on");
        assert!(full.err.contains(&resume), "{}", full.err);
        let again = place.run(&format!("resume {format} --certify none"));
        assert!(again.err.contains("goes on behind step"), "{}", again.err);
        assert_same(&place.path(format), &place.path("whole"));
        fs::remove_dir_all(place.path("whole")).expect("a folder");
    }
}

#[test]
fn a_checkpoint_that_cannot_be_written_leaves_the_one_before() {
    let place = Place::new();
    let run = "run spherical-pendulum --steps 40000 --every 4 --format csv --certify none";
    place.good(&format!("{run} --out whole"));
    // The trajectory fits into it to the end; what is kept grows beyond it.
    let whole = fs::metadata(place.path("whole/trajectory.csv"))
        .expect("a file")
        .len();
    let blocks = whole / 512 + 8;
    let done = on_a_full_disk(&place, blocks, &format!("{run} --out broken --checkpoint 2000"));
    if done.code == Some(0) {
        assert_same(&place.path("broken"), &place.path("whole"));
    } else {
        assert!(done.err.contains("holonomy resume broken"), "{}", done.err);
        place.good("resume broken --certify none");
        assert_same(&place.path("broken"), &place.path("whole"));
    }
}

#[test]
fn a_finished_run_is_made_longer() {
    let place = Place::new();
    for format in ["parquet", "csv", "npz"] {
        for checkpoint in ["none", "1000"] {
            let run = format!("run four-bar --every 7 --format {format} --certify none");
            place.good(&format!("{run} --steps 701 --checkpoint {checkpoint} --out one"));
            assert!(!place.path("one/checkpoint.bin").exists(), "it was short");
            place.good(&format!("{run} --steps 301 --checkpoint 100 --out two"));
            assert!(place.path("two/checkpoint.bin").exists());
            place.good("resume two --steps 500 --checkpoint 100 --certify none");
            place.good("resume two --steps 701 --certify none");
            assert_same(&place.path("two"), &place.path("one"));
            for folder in ["one", "two"] {
                fs::remove_dir_all(place.path(folder)).expect("a folder");
            }
        }
    }
}

#[test]
fn a_run_that_was_stopped_goes_on() {
    let place = Place::new();
    let run = "run double-spherical-pendulum --steps 300000 --every 11 --certify none";
    place.good(&format!("{run} --out whole"));
    let mut child = begin(&place, &format!("{run} --out broken --checkpoint 1000"));
    thread::sleep(Duration::from_millis(300));
    let sent = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status();
    assert!(sent.expect("kill").success());
    assert!(child.wait().expect("a child").success());
    let stopped = super::read_json(&place.path("broken/summary.json"))["stopped"] == true;
    match stopped {
        true => drop(place.good("resume broken --certify none")),
        false => assert_eq!(place.run("resume broken").code, Some(2)),
    }
    assert_same(&place.path("broken"), &place.path("whole"));
}

#[test]
fn what_cannot_go_on_is_told_why() {
    let place = Place::new();
    let told = |arguments: &str, expected: &str| {
        let done = place.run(arguments);
        assert_eq!(done.code, Some(2), "{arguments}: {}", done.err);
        assert!(done.err.contains(expected), "{arguments}: {}", done.err);
    };
    told("resume nowhere", "nowhere holds no run");
    fs::create_dir(place.path("empty")).expect("a directory");
    told("resume empty", "empty holds no run");
    place.good("run spherical-pendulum --steps 300 --checkpoint 100 --out run");
    told("resume run", "the run in run is over");
    told("resume run --steps 200", "has 300 steps, and is to have 200");
    let model = fs::read_to_string(place.path("run/model.toml")).expect("a model");
    let changed = model.replace("step = 0.01", "step = 0.02");
    assert_ne!(model, changed);
    fs::write(place.path("run/model.toml"), &changed).expect("a file");
    told("resume run --steps 400", "`run.step` was 0.01 and is 0.02");
    let changed = model
        .replace("sphere-explicit", "rk4")
        .replace("sphere-implicit", "rk4");
    fs::write(place.path("run/model.toml"), &changed).expect("a file");
    told("resume run --steps 400", "`method.name` was");
    fs::write(place.path("run/model.toml"), &model).expect("a file");
    let mut kept = fs::read(place.path("run/checkpoint.bin")).expect("a file");
    let middle = kept.len() / 2;
    kept[middle] ^= 1;
    fs::write(place.path("run/checkpoint.bin"), &kept).expect("a file");
    told("resume run --steps 400", "it is damaged");
    told(
        "run spherical-pendulum --checkpoint often --no-files",
        "100000 steps",
    );
}

#[test]
fn a_step_that_takes_minutes_is_stopped_at_once() {
    let place = Place::new();
    // One sample after millions of swings.
    let mut child = begin(
        &place,
        "run double-spherical-pendulum --method dop853 --step 1e8 --steps 3 --out run",
    );
    thread::sleep(Duration::from_millis(1500));
    let sent = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status();
    assert!(sent.expect("kill").success());
    let deadline = Instant::now() + Duration::from_secs(20);
    while child.try_wait().expect("a child").is_none() {
        if Instant::now() > deadline {
            child.kill().expect("a child to kill");
            panic!("it goes on");
        }
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(super::read_json(&place.path("run/summary.json"))["stopped"], true);
}

#[test]
fn a_second_interrupt_leaves_nothing_but_what_a_run_can_go_on_with() {
    for (checkpoint, left) in [("none", false), ("1000", true)] {
        let place = Place::new();
        let run = format!(
            "run double-spherical-pendulum --duration inf --every 20 --out run --checkpoint {checkpoint}"
        );
        let mut child = begin(&place, &run);
        thread::sleep(Duration::from_millis(700));
        // The second comes before the first was seen to.
        let id = child.id().to_string();
        for _ in 0..2 {
            let _ = Command::new("kill").args(["-INT", &id]).status();
            thread::sleep(Duration::from_millis(1));
        }
        let code = child.wait().expect("a child").code();
        if code == Some(130) {
            let found = place.path("run").exists() && place.path("run/.unfinished.part").exists();
            assert_eq!(found, left, "{checkpoint}");
            if !left {
                assert!(!place.path("run").exists() || place.files("run").is_empty());
            }
        }
    }
}

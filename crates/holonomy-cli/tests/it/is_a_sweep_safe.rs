//! Sweeps that are killed, whose disk is full, or whose folder belongs to somebody else.
use super::{Done, Place, names};
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    thread::sleep,
    time::Duration,
};

const SWEEP: &str = "sweep plane-pendulum --steps 5 --vary start.theta=0:1:4 --quiet";

fn refused(place: &Place, arguments: &str, code: i32, expected: &str) {
    let done = place.run(arguments);
    assert_eq!(done.code, Some(code), "{arguments}: {}", done.err);
    assert!(done.err.contains(expected), "{arguments}: {}", done.err);
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).expect("a file")
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let place = Place::new();
    let target = place.path("precious");
    let link = |path: &str| {
        let path = place.path(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        std::os::unix::fs::symlink(&target, path).expect("a link");
    };
    let is_precious = || fs::read_to_string(&target).expect("a file") == "precious";
    fs::write(&target, "precious").expect("a file");
    // Hidden files of a sweep that goes on, and what it would write at its end.
    place.good(&format!("{SWEEP} --trajectories --out whole"));
    let unfinished = read(&place.path("whole/sweep.json"));
    for name in [
        ".cases.parquet.part",
        ".sweep.html.part",
        "parts/part-000001.jsonl",
        "cases/.000002.parquet.part",
        "cases/000002.parquet",
    ] {
        fs::create_dir(place.path("s")).expect("a directory");
        fs::write(place.path("s/.unfinished-sweep.part"), &unfinished).expect("a file");
        link(&format!("s/{name}"));
        place.good(&format!("{SWEEP} --trajectories --out s"));
        assert!(is_precious(), "{name}");
        assert_eq!(names(&place.path("s")), names(&place.path("whole")), "{name}");
        fs::remove_dir_all(place.path("s")).expect("a directory");
    }
    // A directory that is a link to another.
    fs::create_dir(place.path("elsewhere")).expect("a directory");
    fs::write(place.path("elsewhere/part-000000.jsonl"), "precious").expect("a file");
    for name in ["parts", "cases"] {
        fs::create_dir(place.path("s")).expect("a directory");
        fs::write(place.path("s/.unfinished-sweep.part"), &unfinished).expect("a file");
        std::os::unix::fs::symlink(place.path("elsewhere"), place.path("s").join(name)).expect("a link");
        refused(
            &place,
            &format!("{SWEEP} --trajectories --out s"),
            1,
            "cannot make s/",
        );
        assert_eq!(names(&place.path("elsewhere")), ["part-000000.jsonl"]);
        fs::remove_dir_all(place.path("s")).expect("a directory");
    }
}

#[test]
fn force_removes_what_a_sweep_put_there_and_nothing_else() {
    let place = Place::new();
    place.good(&format!("{SWEEP} --trajectories --out s"));
    for name in ["s/notes.txt", "s/cases/notes.txt", "s/cases/my.parquet"] {
        fs::write(place.path(name), "mine").expect("a file");
    }
    place.good(&format!("{SWEEP} --out s --force"));
    assert_eq!(names(&place.path("s/cases")), ["my.parquet", "notes.txt"]);
    assert!(place.files("s").contains(&"notes.txt".to_owned()));
    // A file under a name of ours that somebody else put there.
    fs::remove_file(place.path("s/.holonomy")).expect("a file");
    refused(
        &place,
        &format!("{SWEEP} --out s --force"),
        2,
        "which holonomy did not put there",
    );
    // Nor a run.
    place.good("run plane-pendulum --steps 5 --out run");
    let before = names(&place.path("run"));
    refused(&place, &format!("{SWEEP} --out run --force"), 2, "its contents");
    assert_eq!(names(&place.path("run")), before);
}

#[test]
fn places_that_cannot_hold_a_sweep_are_told() {
    let place = Place::new();
    fs::write(place.path("file"), "mine").expect("a file");
    refused(
        &place,
        &format!("{SWEEP} --out file"),
        1,
        "cannot create the directory file",
    );
    assert_eq!(read(&place.path("file")), b"mine");
    refused(
        &place,
        &format!("{SWEEP} --out file/s"),
        1,
        "cannot create the directory",
    );
    fs::create_dir(place.path("other")).expect("a directory");
    fs::write(place.path("other/sweep.json"), "{}").expect("a file");
    refused(&place, &format!("{SWEEP} --out other"), 2, "holds another sweep");
    // The superuser may write everywhere but there.
    if Path::new("/proc/self").is_dir() {
        refused(&place, &format!("{SWEEP} --out /proc/self/s"), 1, "cannot create");
    }
}

#[test]
fn two_sweeps_do_not_share_a_folder() {
    let place = Place::new();
    let long = "sweep double-plane-pendulum --steps 2000000 --vary start.a=0.2:2.8:60 --quiet --out s";
    let mut child = place
        .command(long)
        .stdout(Stdio::null())
        .spawn()
        .expect("it starts");
    while !place.path("s/parts").exists() {
        sleep(Duration::from_millis(20));
    }
    refused(&place, long, 2, "is writing to s");
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
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

/// The table is larger than its parts may be, the page larger than the table, and a part larger than a block.
#[test]
fn a_full_disk_loses_nothing() {
    let place = Place::new();
    let sweep = "sweep double-plane-pendulum --steps 20 --vary start.a=0.2:2.8:400 --quiet";
    for trajectories in ["", "--trajectories"] {
        let sweep = format!("{sweep} {trajectories}");
        place.good(&format!("{sweep} --out whole"));
        for blocks in [1, 4, 60] {
            let full = on_a_full_disk(&place, blocks, &format!("{sweep} --out s"));
            assert_eq!(full.code, Some(1), "{blocks}: {}", full.err);
            assert!(full.err.contains("cannot write s"), "{}", full.err);
            assert!(full.err.contains("the same command goes on"), "{}", full.err);
            for name in ["s/cases.parquet", "s/.cases.parquet.part"] {
                assert!(!place.path(name).exists(), "{blocks}: {name}");
            }
        }
        place.good(&format!("{sweep} --out s"));
        for name in ["cases.parquet", "sweep.json"] {
            assert!(read(&place.path("s").join(name)) == read(&place.path("whole").join(name)));
        }
        assert_eq!(names(&place.path("s")), names(&place.path("whole")));
        for name in ["s", "whole"] {
            fs::remove_dir_all(place.path(name)).expect("a directory");
        }
    }
}

/// A real file system that is full, where one can be mounted.
#[cfg(target_os = "linux")]
#[test]
#[expect(clippy::print_stderr, reason = "a test that is left out says why")]
fn a_small_disk_that_is_full_loses_nothing() {
    let place = Place::new();
    fs::create_dir(place.path("small")).expect("a directory");
    let mount = |arguments: &[&str]| {
        let done = Command::new(arguments[0])
            .args(&arguments[1..])
            .current_dir(place.path("."))
            .stderr(Stdio::null())
            .status();
        done.is_ok_and(|status| status.success())
    };
    if !mount(&["mount", "-t", "tmpfs", "-o", "size=256k", "none", "small"]) {
        eprintln!("skipped: no file system can be mounted here");
        return;
    }
    let sweep = "sweep double-plane-pendulum --steps 200 --every 10 --vary start.a=0.2:2.8:300 --trajectories --quiet";
    place.good(&format!("{sweep} --out whole"));
    let full = place.run(&format!("{sweep} --out small/s"));
    let code = full.code;
    let larger = mount(&["mount", "-o", "remount,size=16m", "small"]);
    let again = place.run(&format!("{sweep} --out small/s --json"));
    let same = ["cases.parquet", "cases/000123.parquet", "cases/000299.parquet"].map(|name| {
        fs::read(place.path("small/s").join(name)).ok() == fs::read(place.path("whole").join(name)).ok()
    });
    assert!(mount(&["umount", "small"]));
    assert_eq!(code, Some(1), "{}", full.err);
    assert!(full.err.contains("No space left"), "{}", full.err);
    assert!(larger);
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert_eq!(same, [true; 3]);
}

//! A disk that refuses: `tests/disk/fails.c`, loaded before the C library, lets calls fail from the k-th on or at random.
#![expect(
    clippy::print_stdout,
    reason = "a test that is skipped says why, and one that fails what it had tried"
)]
use super::{
    Done, Place,
    is_anything_lost::{assert_same, result},
    names,
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// How the disk refuses.
#[derive(Clone, Copy, Debug)]
enum Refusal {
    /// From this call on.
    From(u64),
    /// One call in so many, by this seed.
    Random { one_in: u64, seed: u64 },
}

/// What it says: that it is broken, or full.
const ERRORS: [(u64, &str); 2] = [(5, "os error 5"), (28, "os error 28")];

/// The library, or nothing where it cannot be made.
fn library() -> Option<&'static Path> {
    static LIBRARY: OnceLock<Option<PathBuf>> = OnceLock::new();
    let made = LIBRARY.get_or_init(|| {
        if !cfg!(all(target_os = "linux", target_env = "gnu")) {
            println!("skipped: calls are caught by a library for Linux with glibc");
            return None;
        }
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/disk/fails.c");
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fails-{}.so", std::process::id()));
        let compiler = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"])
            .args([&library, &source])
            .status();
        match compiler {
            Err(error) => {
                println!("skipped: no C compiler `cc`: {error}");
                None
            }
            Ok(status) => {
                assert!(status.success(), "{} does not compile", source.display());
                Some(library)
            }
        }
    });
    made.as_deref()
}

impl Place {
    /// The command on a disk that counts calls below a folder.
    fn on_the_disk(&self, library: &Path, folder: &str, arguments: &str) -> Command {
        let mut command = self.command(arguments);
        let here = fs::canonicalize(self.path(".")).expect("a directory");
        command
            .env("LD_PRELOAD", library)
            .env("DISK_BELOW", here.join(folder));
        command
    }

    /// How many calls can fail below a folder; not the same ones on a broken and on a full disk.
    fn calls(&self, library: &Path, folder: &str, arguments: &str, error: u64) -> u64 {
        let count = self.path("calls");
        let done = self
            .on_the_disk(library, folder, arguments)
            .env("DISK_COUNT", &count)
            .env("DISK_ERROR", error.to_string())
            .output();
        assert!(done.expect("the command starts").status.success());
        let text = fs::read_to_string(&count).expect("a count");
        text.trim().parse().expect("a number")
    }

    /// The command on a disk that fails.
    fn refused(
        &self,
        library: &Path,
        folder: &str,
        arguments: &str,
        refusal: Refusal,
        (error, reason): (u64, &str),
    ) -> Done {
        let mut command = self.on_the_disk(library, folder, arguments);
        command.env("DISK_ERROR", error.to_string());
        match refusal {
            Refusal::From(call) => command.env("DISK_FROM", call.to_string()),
            Refusal::Random { one_in, seed } => command
                .env("DISK_ONE_IN", one_in.to_string())
                .env("DISK_SEED", seed.to_string()),
        };
        let done: Done = command.output().expect("the command starts").into();
        let told = done.code == Some(1)
            && done.err.contains(reason)
            && done.err.contains(folder)
            && done.err.contains("help: ");
        // Of a sweep that is whole, parts may be left.
        let may = matches!(refusal, Refusal::Random { .. }) || arguments.starts_with("sweep");
        let went_well = done.code == Some(0) && may;
        assert!(
            told || went_well,
            "{arguments}, {refusal:?}, {reason}: {:?}\n{}",
            done.code,
            done.err
        );
        done
    }
}

/// Some of the calls of a command, or all.
fn some(calls: u64, count: u64) -> impl Iterator<Item = u64> {
    let count = count.min(calls);
    (0..count).map(move |k| 1 + k * (calls - 1) / (count - 1).max(1))
}

/// Calls that fail: so many places from which on all do, and as many seeds by which a few do.
fn refusals(calls: u64, count: u64) -> impl Iterator<Item = Refusal> {
    let random = (0..count).map(|seed| Refusal::Random {
        one_in: 5 + 7 * (seed % 4),
        seed,
    });
    some(calls, count).map(Refusal::From).chain(random)
}

/// Runs on a disk that fails, goes on when it works again, and compares with a run on a good disk.
fn runs(count: u64) {
    let Some(library) = library() else { return };
    let place = Place::new();
    let formats = ["csv", "parquet", "npz"].into_iter();
    for ((format, error), checkpoint) in formats.zip(ERRORS.into_iter().cycle()).flat_map(|pair| {
        // Rows reach the file on the way of the longer one.
        [(pair, "300 --steps 1501"), (pair, "4000 --steps 24000")]
    }) {
        let run = format!(
            "run double-spherical-pendulum --every 1 --format {format} --certify none --checkpoint {checkpoint}"
        );
        let whole = format!("whole-{format}");
        let calls = place.calls(library, &whole, &format!("{run} --out {whole} --force"), error.0);
        assert!(calls > 50, "{calls}");
        for refusal in refusals(calls, count) {
            let context = format!("{run}, {refusal:?}, {error:?}");
            let done = place.refused(library, "broken", &format!("{run} --out broken"), refusal, error);
            if done.code == Some(1) {
                let again = place.run("resume broken --certify none");
                match again.code {
                    Some(0) => {}
                    // All was there but for the places of the files.
                    Some(2) if again.err.contains("is over") => {}
                    // It had hardly begun.
                    _ => {
                        assert!(again.err.contains("holds no run"), "{context}: {}", again.err);
                        assert!(!done.err.contains("holonomy resume"), "{context}: {}", done.err);
                        place.good(&format!("{run} --out broken"));
                    }
                }
            }
            println!("{context}");
            assert_same(&place.path("broken"), &place.path(&whole));
            let hidden: Vec<String> = place
                .files("broken")
                .into_iter()
                .filter(|name| name.ends_with(".part"))
                .collect();
            assert!(hidden.is_empty() || done.code == Some(0), "{context}: {hidden:?}");
            fs::remove_dir_all(place.path("broken")).expect("a folder");
        }
        fs::remove_dir_all(place.path(&whole)).expect("a folder");
    }
}

/// A run that replaces another, or makes it longer, on a disk that fails: there is the one or the other, whole.
fn replaced(count: u64) {
    let Some(library) = library() else { return };
    let place = Place::new();
    let old = "run four-bar --every 7 --format csv --certify none --checkpoint 100 --steps 301";
    let anew = "run spherical-pendulum --format npz --certify none --checkpoint 100 --steps 400 --force";
    let longer = "--steps 650 --certify none --checkpoint 100";
    place.good(&format!("{old} --out old"));
    for (number, (new, error)) in [anew, longer].into_iter().zip(ERRORS).enumerate() {
        let command = |folder: &str| match number {
            0 => format!("{new} --out {folder}"),
            _ => format!("resume {folder} {new}"),
        };
        let begin = |folder: &str| {
            let _ = fs::remove_dir_all(place.path(folder));
            fs::create_dir(place.path(folder)).expect("a folder");
            for name in place.files("old") {
                fs::copy(place.path("old").join(&name), place.path(folder).join(&name)).expect("a copy");
            }
        };
        begin("new");
        let calls = place.calls(library, "new", &command("new"), error.0);
        for refusal in refusals(calls, count) {
            begin("broken");
            let done = place.refused(library, "broken", &command("broken"), refusal, error);
            println!("{}, {refusal:?}, {error:?}", command("broken"));
            // Who looks finishes what was decided.
            place.good("report broken");
            let visible = |folder: &str| -> Vec<(String, Vec<u8>)> {
                let files = result(&place.path(folder)).into_iter();
                files.filter(|(name, _)| !name.ends_with(".part")).collect()
            };
            let found = visible("broken");
            let is_new = found == visible("new");
            assert!(is_new || found == visible("old"), "{:?}", place.files("broken"));
            assert!(is_new || done.code == Some(1));
            if !is_new {
                place.good(&command("broken"));
                assert_same(&place.path("broken"), &place.path("new"));
            }
        }
    }
}

/// The same for sweeps: the same command goes on.
fn sweeps(count: u64) {
    let Some(library) = library() else { return };
    let place = Place::new();
    for (format, error) in ["parquet", "csv", "npz", "none"]
        .into_iter()
        .zip(ERRORS.into_iter().cycle())
    {
        let trajectories = match format {
            "none" => String::new(),
            _ => format!("--trajectories --format {format}"),
        };
        let sweep = format!(
            "sweep henon-heiles --vary start.y=0:0.8:9 --method rk4 --steps 900 --every 3 --quiet {trajectories}"
        );
        let whole = format!("whole-{format}");
        let calls = place.calls(library, &whole, &format!("{sweep} --out {whole}"), error.0);
        for refusal in refusals(calls, count) {
            let context = format!("{sweep}, {refusal:?}, {error:?}");
            let again = format!("{sweep} --out broken");
            let done = place.refused(library, "broken", &again, refusal, error);
            println!("{context}");
            if done.code == Some(1) || place.path("broken/parts").exists() {
                let done = place.run(&again);
                let ended = done.code == Some(2) && done.err.contains("it is finished");
                assert!(done.code == Some(0) || ended, "{context}: {}", done.err);
            }
            let (found, expected) = (place.path("broken"), place.path(&whole));
            assert_eq!(names(&found), names(&expected), "{context}");
            let mut files = vec!["cases.parquet".to_owned(), "sweep.json".to_owned()];
            if format != "none" {
                let cases = names(&expected.join("cases"));
                assert_eq!(names(&found.join("cases")), cases, "{context}");
                files.extend(cases.into_iter().map(|name| format!("cases/{name}")));
            }
            for name in files {
                let [one, other] = [&found, &expected].map(|folder| fs::read(folder.join(&name)));
                assert!(
                    one.expect("a file") == other.expect("a file"),
                    "{context}: {name}"
                );
            }
            fs::remove_dir_all(found).expect("a folder");
        }
    }
}

#[test]
fn who_replaces_a_run_on_a_disk_that_fails_leaves_it_or_is_whole() {
    replaced(2);
}

#[test]
#[ignore = "long: sixty runs on a disk that fails"]
fn a_run_on_a_disk_that_fails_goes_on_when_it_works() {
    runs(5);
}

#[test]
#[ignore = "long: thirty runs on a disk that fails"]
fn a_run_is_not_hurt_by_its_successor_on_a_disk_that_fails() {
    replaced(8);
}

#[test]
#[ignore = "long: fifty sweeps on a disk that fails"]
fn a_sweep_on_a_disk_that_fails_goes_on_when_it_works() {
    sweeps(6);
}

#[test]
#[ignore = "long: a disk that fails at more than a thousand places"]
fn overnight_runs_and_sweeps_go_on_wherever_the_disk_failed() {
    runs(120);
    replaced(120);
    sweeps(120);
}

//! Whatever a model, a robot or a command line says, the command ends with a result or a sentence, in bounded memory and
//! time; a result has finite numbers, and its `model.toml` gives the same bits. `cargo xtask fuzz` goes on for longer.
use super::{Done, Place};
use serde_json::Value;
use std::{
    fs,
    process::Command,
    time::{Duration, Instant},
};

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides.max(1)
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.roll(list.len())]
    }
}

const SCENARIOS: &[&str] = &[
    "spherical-pendulum",
    "double-spherical-pendulum",
    "damped-pendulum",
    "kepler",
    "four-bar",
    "heavy-top",
    "magnetic-dipoles",
    "elastic-cable",
    "chaplygin-sleigh",
    "pendulum-chain",
];

const VALUES: &[&str] = &[
    "0",
    "-1",
    "1e308",
    "-1e308",
    "1e-308",
    "nan",
    "inf",
    "1e5",
    "''",
    "'x'",
    "[]",
    "[0, 0, 0]",
    "{}",
    "true",
    "'1 km'",
    "'1e999 m'",
    "99999999999999999999",
    "[1, 2]",
    "'sin(x)'",
    "2024-01-01",
];

/// A text in which a few places are changed.
fn mutated(text: &str, dice: &mut Dice) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..1 + dice.roll(3) {
        let at = dice.roll(lines.len());
        match dice.roll(7) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[at].clone()),
            2 => {
                let other = dice.roll(lines.len());
                lines.swap(at, other);
            }
            3 | 4 => {
                if let Some((key, _)) = lines[at].split_once('=') {
                    lines[at] = format!("{key}= {}", dice.of(VALUES));
                }
            }
            5 => {
                // A digit, a letter or a sign becomes another.
                let mut letters: Vec<char> = lines[at].chars().collect();
                let place = dice.roll(letters.len());
                if let Some(letter) = letters.get_mut(place) {
                    *letter = char::from(b' ' + dice.roll(95) as u8);
                }
                lines[at] = letters.into_iter().collect();
            }
            _ => {
                let mut cut = dice.roll(lines[at].len() + 1);
                while !lines[at].is_char_boundary(cut) {
                    cut -= 1;
                }
                lines[at].truncate(cut);
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    lines.join("\n")
}

/// The command with two gigabytes and half a minute of processor time.
fn bounded(place: &Place, arguments: &[String]) -> Done {
    let output = Command::new("sh")
        .args(["-c", "ulimit -v 2000000; ulimit -t 30; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_holonomy"))
        .args(arguments)
        .current_dir(place.path("."))
        .output();
    output.expect("a shell").into()
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

fn assert_ended(done: &Done, about: &str) {
    let ended = matches!(done.code, Some(0..=2)) && !done.err.contains("panicked");
    assert!(ended, "{about}\n{:?}\n{}", done.code, done.err);
    if done.code != Some(0) {
        assert!(done.err.contains("error"), "{about}: it ended without a word");
    }
}

/// A run that succeeded: its numbers are finite, and its model runs again to the same bits.
fn assert_sound(place: &Place, about: &str) {
    let read =
        |name: &str| fs::read(place.path(name)).unwrap_or_else(|error| panic!("{name}: {error}\n{about}"));
    let summary: Value = serde_json::from_slice(&read("out/summary.json")).expect("a summary");
    for number in [
        &summary["t_end"],
        &summary["energy"]["initial"],
        &summary["energy"]["final"],
        &summary["energy"]["max_abs_error"],
    ] {
        assert!(number.is_f64(), "{number}\n{about}");
    }
    for part in ["q", "p"] {
        let numbers = summary["final_state"][part].as_array().expect("numbers");
        assert!(numbers.iter().all(Value::is_number), "{part}\n{about}");
    }
    let again = bounded(
        place,
        &words("run out/model.toml --out again --quiet --certify none"),
    );
    assert_eq!(again.code, Some(0), "{}\n{about}", again.err);
    assert!(
        read("out/trajectory.csv") == read("again/trajectory.csv"),
        "other bits\n{about}"
    );
}

/// Whether it ran.
fn try_model(dice: &mut Dice) -> bool {
    let place = Place::new();
    let text = place.good(&format!("show {}", dice.of(SCENARIOS)));
    let text = mutated(&text, dice);
    fs::write(place.path("m.toml"), &text).expect("a file");
    let run = "run m.toml --steps 15 --every 2 --out out --quiet --certify none --format csv --threads 1";
    let done = bounded(&place, &words(run));
    assert_ended(&done, &text);
    if done.code == Some(0) {
        assert_sound(&place, &text);
    }
    done.code == Some(0)
}

const FLAGS: &[&str] = &[
    "--step",
    "--steps",
    "--duration",
    "--every",
    "--method",
    "--format",
    "--set",
    "--checkpoint",
    "--certify",
    "--threads",
    "--json",
    "--quiet",
    "--force",
];
const WORDS: &[&str] = &[
    "0",
    "1",
    "-1",
    "0.01",
    "1e-3",
    "7",
    "nan",
    "inf",
    "1e308",
    "rk4",
    "dop853",
    "sphere-implicit",
    "midpoint",
    "csv",
    "npz",
    "run.every=3",
    "method.rtol=1e-3",
    "title=\u{1b}[2J",
    "x",
    "",
    "=",
    "none",
    "full",
    "5 steps",
    "10 ms",
    "body.1.mass=0",
    "chain.links=1000000000",
    "🦀",
];

fn try_command_line(dice: &mut Dice) -> bool {
    let place = Place::new();
    // Bounded, whatever follows.
    let mut arguments = words("run NAME --steps 9 --out out");
    arguments[1] = dice.of(SCENARIOS).to_owned();
    for _ in 0..1 + dice.roll(4) {
        let flag = dice.of(FLAGS);
        if flag == "--steps" || arguments.iter().any(|word| word == flag) {
            continue;
        }
        arguments.push(flag.to_owned());
        if !matches!(flag, "--json" | "--quiet" | "--force") {
            arguments.push(dice.of(WORDS).to_owned());
        }
    }
    let done = bounded(&place, &arguments);
    assert_ended(&done, &format!("{arguments:?}"));
    let hidden = |name: &String| name.ends_with(".part");
    if place.path("out").exists() {
        assert!(!place.files("out").iter().any(hidden), "{arguments:?}");
    }
    done.code == Some(0)
}

fn try_robot(dice: &mut Dice) -> bool {
    let place = Place::new();
    let robot = include_str!("../../../../tests/robots/every-joint.urdf");
    let text = match dice.roll(3) {
        0 => mutated(&robot.replace("><", ">\n<"), dice),
        // A value becomes another.
        _ => {
            let mut parts: Vec<&str> = robot.split('"').collect();
            let place = 1 + 2 * dice.roll(parts.len() / 2);
            parts[place] = dice.of(&[
                "0", "1e308", "-1", "nan", "x", "0 0 1", "1 2", "", "&lt;", "0.3", "fixed",
            ]);
            parts.join("\"")
        }
    };
    fs::write(place.path("robot.urdf"), &text).expect("a file");
    let done = bounded(&place, &words("import robot.urdf --output robot.toml --quiet"));
    assert_ended(&done, &text);
    if done.code != Some(0) {
        return false;
    }
    let run = "run robot.toml --step 0.001 --steps 3 --out out --quiet --certify none --format csv";
    let ran = bounded(&place, &words(run));
    assert_ended(&ran, &text);
    if ran.code == Some(0) {
        assert_sound(&place, &text);
    }
    ran.code == Some(0)
}

#[test]
fn the_command_ends_well_whatever_it_is_given() {
    let seconds = std::env::var("HOLONOMY_FUZZ_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok());
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    let (start, mut tried, mut good) = (Instant::now(), 0, [0; 3]);
    loop {
        let kind = [0, 0, 1, 2][tried % 4];
        let tries = [try_model, try_command_line, try_robot];
        good[kind] += usize::from(tries[kind](&mut dice));
        tried += 1;
        let enough = match seconds {
            Some(seconds) => start.elapsed() >= Duration::from_secs(seconds),
            None => tried == 40,
        };
        if enough {
            // Some run, and most models do not: both ways were tried.
            assert!(
                good.iter().all(|good| (1..tried / 2).contains(good)),
                "{good:?} of {tried}"
            );
            return;
        }
    }
}

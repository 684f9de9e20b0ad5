//! Any text yields a model or errors with spans in range, never a panic. `cargo xtask fuzz` goes on for longer.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    reason = "a test may look at the clock, and say what it did"
)]

use super::*;
use crate::reader::Section;
use crate::resolved::write;
use crate::units::Unit;
use crate::value::DEEPEST;
use std::time::{Duration, Instant};

const MODELS: &[&str] = &[
    r#"title = "Double spherical pendulum"
space = "spheres"

[[body]]                              # a link
name = "upper"
mass = 1.0
length = "981 cm"
direction = [0.8660254037844386, 0, 0.5]
angular_velocity = [-0.4330127018922193, "20 deg/s", 0.75]

[[body]]
name = "lower"
parent = "upper"
mass = 1

[[potential]]
kind = "gravity"
acceleration = [0, 0, 9.81]           # m/s², the way things fall

[method]
name = "sphere-implicit"

[run]
step = 0.01
duration = 1e2
every = 5
"#,
    r#"title = 'Pitch and cone-roll'
coordinates = ["delta", "eta"]
lagrangian = """0.5*m*c^2*(delta'^2 + cos(delta)^2*eta'^2)
 - m*g*c*cos(delta)*cos(eta)"""
parameters = { m = 1.0, c = 1.2, g = 9.81 }
start = { delta = "10 deg", eta = "5°", nested = { a.b = [{ c = 1979-05-27 }] } }
inertia = [[1, 0], [0, 0x10]]
"#,
];

const PIECES: &[&str] = &[
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "=",
    ",",
    ".",
    "\"",
    "'",
    "\"\"\"",
    "\n",
    "\r",
    "#",
    "\\",
    "\\u",
    " ",
    "−",
    "é",
    "😀",
    "\u{feff}",
    "\0",
    "1e999",
    "nan",
    "-inf",
    "-1",
    "0",
    "0x",
    "99999999999999999999999",
    "true",
    "a.b.c",
    "[[body]]",
    "[run]",
    "mass",
    "{}",
    "[[[[[[[[",
    "[1,2]",
    "\"5 furlongs\"",
    "1979-05-27T07:32:00Z",
    "name = \"upper\"\n",
    "kind = 3\n",
];

const OVERRIDES: &[&str] = &[
    "body.1.mass=3",
    "body.upper.mass=\"2 kg\"",
    "run.step=5 ms",
    "method.name=rk4",
    "potential.gravity.acceleration=[0,0,1]",
    "parameters.m={a=[1,2]}",
    "x.y.\"z\"=1",
    "inertia.1.2=7",
    "title=",
];

struct Dice(u64);

impl Dice {
    /// A number below `sides`; 0 if there are none.
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize).checked_rem(sides).unwrap_or(0)
    }

    fn mutate(&mut self, text: &mut String) {
        for _ in 0..1 + self.roll(4) {
            let length = text.len();
            let from = text.floor_char_boundary(self.roll(length + 1));
            let to = text.floor_char_boundary(from + self.roll(12)).max(from);
            match self.roll(4) {
                0 => drop(text.drain(from..to)),
                1 => text.insert_str(from, PIECES[self.roll(PIECES.len())]),
                2 => text.replace_range(from..to, PIECES[self.roll(PIECES.len())]),
                _ => {
                    let start = text.floor_char_boundary(self.roll(length + 1));
                    let end = text.floor_char_boundary(start + self.roll(40)).max(start);
                    let copied = text[start..end].to_owned();
                    text.insert_str(from, &copied);
                }
            }
        }
    }
}

/// Reads every key of every table in every way.
fn read_all(section: &Section<'_>, depth: usize) {
    for key in section.keys().map(|key| key.value) {
        section.optional(key).number_in(Unit::KILOGRAM);
        section.optional(key).positive(Unit::RADIAN);
        section.optional(key).non_negative(Unit::NONE);
        section.optional(key).vector_in(Unit::RADIAN_PER_SECOND);
        section.optional(key).vectors_in(Unit::METRE);
        section.optional(key).vector_n(2, Unit::NONE);
        section.optional(key).numbers_in(Unit::NONE);
        section.optional(key).matrix_in(Unit::NONE);
        section.optional(key).count_in(1..=1000);
        section.optional(key).string();
        section.optional(key).strings();
        section.optional(key).name();
        section.optional(key).boolean();
        section.optional(key).choice_in(&["gravity", "spring"]);
        section.optional(key).references();
        if let Some(reference) = section.optional(key).reference() {
            reference.resolve("body", &["upper", "lower"], section.problems());
        }
        section
            .required(key)
            .table()
            .iter()
            .for_each(|table| read_all(table, depth + 1));
        section
            .required(key)
            .tables()
            .iter()
            .for_each(|table| read_all(table, depth + 1));
    }
    assert!(depth <= DEEPEST + 1);
}

const TEXTS: usize = 20_000;

/// How long to go on; `None` for a fixed number of texts.
fn seconds() -> Option<Duration> {
    let seconds = std::env::var("HOLONOMY_FUZZ_SECONDS").ok()?;
    seconds.parse().ok().map(Duration::from_secs)
}

#[test]
fn any_text_yields_a_model_or_errors_with_spans_in_range() {
    let mut dice = Dice(2);
    let (mut good, mut bad) = (0, 0);
    let (seconds, start) = (seconds(), Instant::now());
    for round in 0.. {
        if seconds.map_or(round == TEXTS, |seconds| start.elapsed() >= seconds) {
            break;
        }
        let mut text = MODELS[round % MODELS.len()].to_owned();
        dice.mutate(&mut text);
        let mut source = Source::new("fuzz", text);
        for _ in 0..dice.roll(3) {
            let mut given = OVERRIDES[dice.roll(OVERRIDES.len())].to_owned();
            if dice.roll(2) == 0 {
                dice.mutate(&mut given);
            }
            source.with_override(given);
        }
        let end = source.end();
        let problems = Problems::new();
        let located: Vec<Problem>;
        if let Some(document) = parse(&source, &problems) {
            good += 1;
            let written = write(&document.table, "header");
            let again = parse(&Source::new("again", &written), &Problems::new());
            assert!(
                again.is_some_and(|again| again.table == document.table),
                "{}\n---\n{written}",
                source.text()
            );
            let root = Section::root(&document.table, &problems);
            read_all(&root, 0);
            Section::root(&document.table, &problems).finish();
            root.finish();
            located = document.located(problems);
        } else {
            bad += 1;
            assert!(problems.has_errors());
            located = problems.into_sorted();
        }
        for problem in located {
            assert!(
                problem.span.start <= problem.span.end && problem.span.end <= end,
                "{problem:?}"
            );
            assert!(
                !problem.message.is_empty() && !problem.message.contains('\n'),
                "{problem:?}"
            );
            let location = source.locate(problem.span.clone());
            assert!(location.text.get(location.local).is_some(), "{problem:?}");
        }
    }
    println!("{} texts, {good} of them tables", good + bad);
    let tenth = (good + bad) / 10;
    assert!(good > tenth && bad > tenth, "{good} good, {bad} bad");
}

//! `cargo xtask bench`: ours, straight-line kernels and peers on the same work, in turn.
//!
//! ```text
//! cargo xtask bench                  every row; writes bench/results.md and the figures beside it
//! cargo xtask bench ROW …            some rows, shown and not written
//! cargo xtask bench --list           the rows
//! cargo xtask bench --quick          fewer and shorter repetitions
//! cargo xtask bench --instructions   instructions per step of ours and the kernels, counted by callgrind
//! ```
//! Everybody is a process that is asked for one repetition at a time: `bench/src/main.rs` and `bench/peers/peer.py`.
mod contest;
mod environment;
mod figures;
mod instructions;
mod precision;
mod report;
mod resources;
mod rows;
mod sweeps;

use crate::{Outcome, gate, root, shell};
use contest::Times;
use environment::Environment;
use precision::Study;
use rows::{Bound, ROWS, Row, Source};
use std::{path::PathBuf, process::Command};

/// How long things may take.
#[derive(Clone, Copy)]
struct Effort {
    quick: bool,
    /// Of a contest, s.
    contest: f64,
    /// Of the long runs, in periods; the longest that one of them may take, s; and of their settings, one in so many.
    periods: f64,
    patience: f64,
    stride: usize,
}

const FULL: Effort = Effort {
    quick: false,
    contest: 12.0,
    periods: 1e4,
    patience: 2.5,
    stride: 1,
};
const QUICK: Effort = Effort {
    quick: true,
    contest: 3.0,
    periods: 300.0,
    patience: 0.15,
    stride: 3,
};

/// What a contest has shown: for every entrant its times, or why there are none.
struct Contest {
    row: &'static Row,
    results: Vec<Result<Times, String>>,
}

/// Something that was asked for, and what came of it.
struct Asked {
    row: String,
    words: String,
    measured: String,
    /// `None` where it could not be measured.
    met: Option<bool>,
}

/// All that was measured.
#[derive(Default)]
struct Findings {
    contests: Vec<Contest>,
    asked: Vec<Asked>,
    studies: Vec<Study>,
    versions: Vec<String>,
}

/// Rows that are no contests.
const OTHERS: [(&str, &str); 6] = [
    (
        "scaling",
        "cost of a step against the number of links, 64 to 4096",
    ),
    (
        "precision",
        "energy error against cost, spherical and double spherical pendulum",
    ),
    ("memory", "10⁶ molecules with a cut-off, a chain of 10⁵ links"),
    ("throughput", "a run that writes its files against the bare steps"),
    ("bits", "the same final state for one and two threads"),
    (
        "sweeps",
        "10⁵ spherical and 10⁴ double spherical pendula from different starts, at equal accuracy",
    ),
];

/// Reads the words after `cargo xtask bench`.
pub(crate) fn run(words: &[&str]) -> Outcome {
    let flags: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| word.starts_with("--"))
        .collect();
    let wanted: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| !word.starts_with("--"))
        .collect();
    if let Some(unknown) = flags
        .iter()
        .find(|flag| !["--list", "--quick", "--instructions"].contains(flag))
    {
        return Err(format!(
            "there is no `{unknown}`; there are --list, --quick and --instructions"
        ));
    }
    if flags.contains(&"--list") {
        list();
        return Ok(());
    }
    let known = |name: &str| ROWS.iter().any(|row| row.id == name) || OTHERS.iter().any(|row| row.0 == name);
    if let Some(unknown) = wanted.iter().find(|name| !known(name)) {
        return Err(format!(
            "there is no row `{unknown}`; `cargo xtask bench --list` shows them"
        ));
    }
    let instructions = flags.contains(&"--instructions");
    let files = wanted.is_empty() || ["memory", "throughput"].iter().any(|name| wanted.contains(name));
    build(files && !instructions)?;
    if instructions {
        return instructions::print(&wanted);
    }
    let effort = if flags.contains(&"--quick") { QUICK } else { FULL };
    let findings = measure(&wanted, effort)?;
    report::print(&findings);
    if wanted.is_empty() {
        report::write(&findings, effort)?;
        figures::write(&findings)?;
    }
    Ok(())
}

fn list() {
    for row in ROWS {
        println!("{:<18} {}", row.id, row.title);
    }
    for (id, title) in OTHERS {
        println!("{id:<18} {title}");
    }
}

/// The program of `bench`, and the command if it takes part.
fn build(command: bool) -> Outcome {
    let packages = ["--package", "holonomy-bench", "--package", "holonomy-cli"];
    let packages = if command { &packages[..] } else { &packages[..2] };
    gate::finish(&mut gate::cargo_command(
        &[&["build", "--release"], packages].concat(),
    ))
}

fn measure(wanted: &[&str], effort: Effort) -> Result<Findings, String> {
    let is_wanted = |id: &str| wanted.is_empty() || wanted.contains(&id);
    let environment = Environment::new(&root().join("target/bench"))?;
    let mut findings = Findings {
        versions: environment.versions(),
        ..Findings::default()
    };
    for row in ROWS.iter().filter(|row| is_wanted(row.id)) {
        println!("== {}: {}", row.id, row.title);
        let results = contest::hold(row, &environment, effort.contest)?;
        let contest = Contest { row, results };
        findings.asked.extend(contest.asked());
        findings.contests.push(contest);
    }
    type Other = fn(&Environment, Effort, &mut Findings) -> Outcome;
    let others: [(&str, Other); 6] = [
        ("scaling", exponent),
        ("precision", precision::study),
        ("memory", resources::memory),
        ("throughput", resources::throughput),
        ("bits", resources::bits),
        ("sweeps", sweeps::hold),
    ];
    for (id, other) in others.into_iter().filter(|(id, _)| is_wanted(id)) {
        println!("== {id}");
        other(&environment, effort, &mut findings)?;
    }
    Ok(findings)
}

fn exponent(_: &Environment, effort: Effort, findings: &mut Findings) -> Outcome {
    let laps = if effort.quick { "3" } else { "12" };
    let output = Command::new(program()?).args(["scaling", laps]).output();
    let output = output.map_err(|e| format!("`holonomy-bench` cannot be started: {e}"))?;
    let table = String::from_utf8_lossy(&output.stdout);
    // Of the first table, that of point masses.
    let exponent = |of: &str| {
        let found = table.lines().find_map(|line| line.strip_prefix(of));
        let value = found.and_then(|value| value.parse::<f64>().ok());
        value.ok_or_else(|| format!("`holonomy-bench scaling` does not say `{of}…`:\n{table}"))
    };
    let (median, fastest) = (exponent("medians ~ links^")?, exponent("fastest ~ links^")?);
    findings.asked.push(Asked {
        row: "scaling".to_owned(),
        words: "fitted exponent ≤ 1.02 from 64 to 4096 links".to_owned(),
        measured: format!("{fastest:.3} (fastest samples), {median:.3} (medians)"),
        met: Some(fastest <= 1.02),
    });
    Ok(())
}

impl Contest {
    /// What the others are compared with: the first that is here.
    fn ours(&self) -> Option<&Times> {
        let mut entrants = self.row.entrants.iter().zip(&self.results);
        let here =
            entrants.find(|(entrant, times)| matches!(entrant.source, Source::Here { .. }) && times.is_ok());
        here.and_then(|(_, times)| times.as_ref().ok())
    }

    fn time(&self, id: &str) -> Option<f64> {
        let entrants = self.row.entrants.iter().zip(&self.results);
        let mut found = entrants.filter(|(entrant, _)| entrant.id == id);
        found
            .next()
            .and_then(|(_, times)| times.as_ref().ok())
            .map(|times| times.least)
    }

    fn asked(&self) -> Vec<Asked> {
        let asked = |ask: &rows::Ask| {
            let value = match (self.time(ask.of), ask.to) {
                (Some(of), None) => Some(of * 1e-3 / self.row.parts),
                (Some(of), Some(to)) => self.time(to).map(|to| of / to),
                (None, _) => None,
            };
            let unit = if ask.to.is_none() { " µs" } else { "×" };
            Asked {
                row: self.row.id.to_owned(),
                words: ask.words.to_owned(),
                measured: value.map_or("not available".to_owned(), |value| {
                    format!("{}{unit}", digits(value))
                }),
                met: value.map(|value| match ask.bound {
                    Bound::AtLeast(least) => value >= least,
                    Bound::AtMost(most) => value <= most,
                }),
            }
        };
        self.row.asks.iter().map(asked).collect()
    }
}

/// Three digits.
fn digits(value: f64) -> String {
    match value.abs() {
        x if x >= 99.95 => format!("{value:.0}"),
        x if x >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// A time in the unit that suits it.
fn duration(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        x if x < 1e3 => (x, "ns"),
        x if x < 1e6 => (x * 1e-3, "µs"),
        x if x < 1e9 => (x * 1e-6, "ms"),
        x => (x * 1e-9, "s"),
    };
    format!("{} {unit}", digits(value))
}

/// `cargo xtask scaling`: the cost of a step against the number of links.
pub(crate) fn scaling() -> Outcome {
    build(false)?;
    gate::finish(Command::new(program()?).arg("scaling"))
}

/// The program of `bench`.
fn program() -> Result<PathBuf, String> {
    shell::built("holonomy-bench")
}

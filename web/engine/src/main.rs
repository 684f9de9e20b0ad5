//! The engine of the playground natively, to compare with: `holonomy-web bits STEPS WORK`, `holonomy-web speed`.
#![expect(clippy::print_stdout, reason = "it talks over a pipe")]

use holonomy_web::{RunSpec, Session, Setting, bits};
use std::{process::ExitCode, time::Instant};

/// Name, scenario, a setting, and steps of a measurement: as in `web/engine/test/speed.mjs`.
type Row = (
    &'static str,
    &'static str,
    Option<(&'static str, &'static str)>,
    u64,
);
const ROWS: [Row; 6] = [
    (
        "pendulum",
        "spherical-pendulum",
        Some(("method.name", "sphere-explicit")),
        200_000,
    ),
    ("double pendulum", "double-spherical-pendulum", None, 50_000),
    ("chain 128", "pendulum-chain", Some(("chain.links", "128")), 2_000),
    ("scissor lift", "scissor-lift", None, 500),
    ("kepler", "kepler", None, 2_000),
    ("molecules", "molecules-on-a-sphere", None, 20),
];
/// Measurements of which the least counts.
const REPEATS: usize = 15;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["bits", steps, work] => match (steps.parse(), work.parse()) {
            (Ok(steps), Ok(work)) => print_bits(steps, work),
            _ => return ExitCode::FAILURE,
        },
        ["speed"] => ROWS.iter().for_each(|(name, scenario, setting, steps)| {
            let nanoseconds = speed(scenario, *setting, *steps);
            println!(
                "{name}\t{}",
                nanoseconds.map_or_else(String::new, |ns| format!("{ns:.1}"))
            );
        }),
        _ => return ExitCode::FAILURE,
    }
    ExitCode::SUCCESS
}

fn print_bits(steps: u64, work: f64) {
    for case in bits::cases() {
        let (hash, taken) = (case.hash(steps, work), case.steps(steps, work));
        println!("{hash:016x} {taken} {} {}", case.scenario.name, case.method.name);
    }
}

/// Nanoseconds of a step, the least of several measurements.
fn speed(scenario: &str, setting: Option<(&str, &str)>, steps: u64) -> Option<f64> {
    let mut session = Session::default();
    let settings = setting.map(|(path, value)| Setting {
        path: path.to_owned(),
        value: value.to_owned(),
    });
    let text = holonomy_model::scenario::find(scenario)?.model;
    session.load(text, settings.as_slice()).ok()?;
    let mut least = f64::INFINITY;
    for _ in 0..REPEATS {
        session.open(&[RunSpec::default()], false).ok()?;
        session.steps(steps);
        let start = Instant::now();
        session.steps(steps);
        least = least.min(start.elapsed().as_nanos() as f64 / steps as f64);
    }
    Some(least)
}

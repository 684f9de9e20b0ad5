//! The findings on the terminal and in `bench/results.md`.
use super::{Contest, Effort, Findings, contest::Times, digits, duration, rows::Source};
use crate::{Outcome, root};
use std::{fmt::Write as _, process::Command};

pub(super) fn print(findings: &Findings) {
    println!();
    for contest in &findings.contests {
        println!("{}: {}", contest.row.id, contest.row.title);
        for (entrant, times) in contest.row.entrants.iter().zip(&contest.results) {
            match times {
                Ok(times) => println!(
                    "  {:<46} {:>10}  {:>9}   {}",
                    entrant.label,
                    duration(times.least),
                    relative(contest, times).unwrap_or_default(),
                    spread(times)
                ),
                Err(why) => println!("  {:<46} not available: {why}", entrant.label),
            }
        }
    }
    for study in &findings.studies {
        println!("\n{}, {} periods\n{}", study.title, study.periods, study.table());
        println!("{}", study.conclusion());
    }
    println!();
    for asked in &findings.asked {
        println!(
            "{:<8} {}: {} -> {}",
            verdict(asked.met),
            asked.row,
            asked.words,
            asked.measured
        );
    }
}

fn verdict(met: Option<bool>) -> &'static str {
    match met {
        Some(true) => "met",
        Some(false) => "NOT met",
        None => "open",
    }
}

/// Times of ours.
fn relative(contest: &Contest, times: &Times) -> Option<String> {
    Some(format!("{}×", digits(times.least / contest.ours()?.least)))
}

fn spread(times: &Times) -> String {
    match times.repetitions {
        0 => "quoted, not measured here".to_owned(),
        count => format!(
            "quartiles {} … {}, {count} repetitions",
            duration(times.quartiles[0]),
            duration(times.quartiles[1])
        ),
    }
}

pub(super) fn write(findings: &Findings, effort: Effort) -> Outcome {
    let path = root().join("bench/results.md");
    std::fs::write(&path, text(findings, effort)).map_err(|e| format!("{}: {e}", path.display()))?;
    println!("\nwrote {}", path.display());
    Ok(())
}

fn text(findings: &Findings, effort: Effort) -> String {
    let mut text = String::from(
        "# Results of `cargo xtask bench`\n\n\
         Written by the command; what is compared, and how the peers are set, is in\n\
         [benchmarks](../docs/benchmarks.md). One row again: `cargo xtask bench ROW`, with the names below.\n\n",
    );
    let _ = writeln!(text, "{}\n", machine());
    if effort.quick {
        text += "This was a `--quick` run: short, and not to be quoted.\n\n";
    }
    text += "## What was asked for\n\n| row | asked for | measured | |\n|---|---|---|---|\n";
    for asked in &findings.asked {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} |",
            asked.row,
            asked.words,
            asked.measured.replace('|', "/"),
            verdict(asked.met)
        );
    }
    text += "\n## Ratios\n\nTime of a step over that of ours, by the fastest repetition of each.\n\n\
             ![Ratios](speed.svg)\n\n| row | work | who | times ours |\n|---|---|---|---|\n";
    for contest in &findings.contests {
        for (entrant, times) in contest.row.entrants.iter().zip(&contest.results) {
            let ratio = times.as_ref().ok().and_then(|times| relative(contest, times));
            let ratio = ratio.unwrap_or_else(|| match times {
                Ok(_) => "–".to_owned(),
                Err(_) => "not available".to_owned(),
            });
            let quoted = if matches!(entrant.source, Source::Quoted(_)) {
                " (quoted)"
            } else {
                ""
            };
            let _ = writeln!(
                text,
                "| `{}` | {} | {} | {ratio}{quoted} |",
                contest.row.id, contest.row.title, entrant.label
            );
        }
    }
    text += "\n## Times\n\nOf a step: the fastest repetition, quartiles, number of repetitions. Processor time; wall time in \
             the rows\nabout threads. Everybody is asked in turn for one repetition after the other.\n\n\
             | row | who | fastest | quartiles | repetitions | program |\n|---|---|---|---|---|---|\n";
    for contest in &findings.contests {
        for (entrant, times) in contest.row.entrants.iter().zip(&contest.results) {
            let _ = match times {
                Ok(times) => writeln!(
                    text,
                    "| `{}` | {} | {} | {} … {} | {} | {} |",
                    contest.row.id,
                    entrant.label,
                    duration(times.least),
                    duration(times.quartiles[0]),
                    duration(times.quartiles[1]),
                    times.repetitions,
                    times.version
                ),
                Err(why) => writeln!(
                    text,
                    "| `{}` | {} | not available | | | {} |",
                    contest.row.id,
                    entrant.label,
                    why.replace('|', "/")
                ),
            };
        }
    }
    text += "\n## Error against cost\n\n![Energy error against cost](precision.svg)\n";
    for study in &findings.studies {
        let _ = write!(
            text,
            "\n{}, {} periods: seconds of processor time for a largest energy error, relative to the largest kinetic\n\
             energy. Above 1 in the columns `ours ahead`, ours is cheaper.\n\n{}\n{}\n",
            study.title,
            study.periods,
            study.table(),
            study.conclusion()
        );
    }
    let _ = write!(text, "\n## Peers\n\n{}.\n", findings.versions.join(", "));
    text
}

/// Where and when.
fn machine() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = cpu.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_once(':'))
            .map(|(_, value)| value.trim().to_owned())
    };
    let vectors = match field("flags").unwrap_or_default() {
        flags if flags.contains("avx512f") => ", AVX-512",
        flags if flags.contains("avx2") => ", AVX2",
        _ => "",
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{}; {cores} cores of {}{vectors}; {}; {}, commit {}.",
        said("date", &["-u", "+%Y-%m-%d %H:%M UTC"]),
        field("model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
        std::env::consts::OS,
        said("rustc", &["--version"]),
        said("git", &["rev-parse", "--short", "HEAD"]),
    )
}

fn said(program: &str, words: &[&str]) -> String {
    let output = Command::new(program).args(words).current_dir(root()).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    text.ok()
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| "unknown".to_owned())
}

//! Memory, throughput of a run with files, and bits.
use super::{Asked, Effort, Environment, Findings, digits, environment::pinned, program};
use crate::{Outcome, root, shell};
use std::{
    fs,
    io::Write,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// Peak memory of a command while it ran, bytes, and how long it took, s.
struct Used {
    peak: f64,
    seconds: f64,
}

/// Runs a command and looks at its peak memory now and then; the system itself keeps the maximum.
fn watch(command: &mut Command) -> Result<Used, String> {
    let start = Instant::now();
    let quiet = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = quiet.spawn().map_err(|e| e.to_string())?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0.0_f64;
    loop {
        if let Ok(text) = fs::read_to_string(&status) {
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
            peak = peak.max(kilobytes.unwrap_or(0.0) * 1024.0);
        }
        match child.try_wait().map_err(|e| e.to_string())? {
            Some(status) if status.success() => break,
            Some(_) => {
                let output = child.wait_with_output().map_err(|e| e.to_string())?;
                let text = String::from_utf8_lossy(&output.stderr).into_owned();
                let line = text.lines().next().unwrap_or("it failed");
                return Err(line.trim().to_owned());
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    match peak > 0.0 {
        true => Ok(Used { peak, seconds }),
        false => Err("this system does not tell the memory of a process".to_owned()),
    }
}

/// The finest mesh of the model language has 655 362 molecules; what 10⁶ would take is scaled from it.
const MOLECULES: f64 = 655_362.0;

pub(super) fn memory(_: &Environment, _: Effort, findings: &mut Findings) -> Outcome {
    let mut command = Command::new(program()?);
    let mut ran = watch(command.args(["steps", &format!("molecules-{MOLECULES}"), "ours", "3"]));
    if let Ok(used) = &mut ran {
        used.peak *= 1e6 / MOLECULES;
    }
    let words = "10⁶ molecules with a cut-off in less than 1 GB (scaled from 655 362)";
    findings.asked.push(bounded(words, ran, 1e9));

    let chain = root().join("bench/models/chain.toml");
    let mut command = Command::new(shell::binary()?);
    command.args([
        "run",
        "--no-files",
        "--quiet",
        "--step",
        "1e-4",
        "--steps",
        "10",
        "--set",
        "chain.links=100000",
    ]);
    let ran = watch(command.arg(chain));
    findings
        .asked
        .push(bounded("a chain of 10⁵ links in less than 100 MB", ran, 1e8));
    Ok(())
}

fn bounded(words: &str, used: Result<Used, String>, limit: f64) -> Asked {
    let met = used.as_ref().ok().map(|used| used.peak < limit);
    let measured = match used {
        Ok(used) => format!("{:.0} MB at the peak, {:.1} s", used.peak * 1e-6, used.seconds),
        Err(why) => format!("not available: {why}"),
    };
    println!("   {words}: {measured}");
    Asked {
        row: "memory".to_owned(),
        words: words.to_owned(),
        measured,
        met,
    }
}

/// What recording and writing every tenth step adds to the steps alone, for one pendulum: by the difference of a long
/// run and one of half the length, so that starting and ending do not count.
pub(super) fn throughput(environment: &Environment, effort: Effort, findings: &mut Findings) -> Outcome {
    let rounds = if effort.quick { 2 } else { 5 };
    let steps: u64 = if effort.quick { 6_000_000 } else { 12_000_000 };
    let out = environment.folder.join("throughput");
    let (mut bare, mut full, mut peaks) = ([f64::INFINITY; 2], [f64::INFINITY; 2], [0.0_f64; 2]);
    for _ in 0..rounds {
        for (k, count) in [steps / 2, steps].into_iter().enumerate() {
            bare[k] = bare[k].min(steps_alone("spherical-pendulum", count)?);
            let _ = fs::remove_dir_all(&out);
            let mut command = Command::new(shell::binary()?);
            command.args([
                "run",
                "spherical-pendulum",
                "--quiet",
                "--every",
                "10",
                "--steps",
                &count.to_string(),
            ]);
            let used = watch(command.arg("--out").arg(&out))?;
            full[k] = full[k].min(used.seconds);
            peaks[k] = peaks[k].max(used.peak);
        }
    }
    let _ = fs::remove_dir_all(&out);
    let slope = |seconds: [f64; 2]| (seconds[1] - seconds[0]) / (steps / 2) as f64 * 1e9;
    let (bare, full) = (slope(bare), slope(full));
    findings.asked.push(Asked {
        row: "throughput".to_owned(),
        words: "recording and writing with `--every 10` at most 10 % of a run of one pendulum".to_owned(),
        measured: format!(
            "{} ns a step with files, {} ns without: {:.0} %",
            digits(full),
            digits(bare),
            100.0 * (full - bare) / bare
        ),
        met: Some(full <= 1.1 * bare),
    });
    findings.asked.push(Asked {
        row: "throughput".to_owned(),
        words: "memory bounded, however long the run".to_owned(),
        measured: format!(
            "{:.1} MB for {} steps, {:.1} MB for {steps}",
            peaks[0] * 1e-6,
            steps / 2,
            peaks[1] * 1e-6
        ),
        met: Some(peaks[1] < 1.1 * peaks[0] + 1e6),
    });
    Ok(())
}

fn steps_alone(row: &str, steps: u64) -> Result<f64, String> {
    let lines = answers(&mut pinned(&program()?), &["serve", row, "ours"], steps)?;
    let wall = lines
        .split_whitespace()
        .nth(1)
        .and_then(|word| word.parse::<f64>().ok());
    wall.map(|wall| wall * 1e-9)
        .ok_or_else(|| format!("it said `{lines}`"))
}

/// What a server says about one repetition.
fn answers(command: &mut Command, words: &[&str], steps: u64) -> Result<String, String> {
    let child = command
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = child.spawn().map_err(|e| e.to_string())?;
    if let Some(mut to) = child.stdin.take() {
        // One that is not available has closed its end.
        let _ = writeln!(to, "{steps}");
    }
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let last = text.lines().last().unwrap_or("").to_owned();
    match last.strip_prefix("unavailable ") {
        Some(why) => Err(why.to_owned()),
        None => Ok(last),
    }
}

pub(super) fn bits(_: &Environment, _: Effort, findings: &mut Findings) -> Outcome {
    for (row, steps) in [
        ("molecules-642", 50),
        ("molecules-10242", 50),
        ("molecules-40962", 20),
    ] {
        let program = program()?;
        let hash = |threads: &str| {
            let line = answers(
                &mut Command::new(&program),
                &["serve", row, "ours", threads],
                steps,
            )?;
            let hash = line.split_whitespace().nth(2).map(str::to_owned);
            hash.ok_or_else(|| format!("it said `{line}`"))
        };
        let (measured, met) = match (hash("1"), hash("2")) {
            (Ok(one), Ok(two)) => (format!("{one} and {two}"), Some(one == two)),
            (Err(why), _) | (_, Err(why)) => (format!("not available: {why}"), None),
        };
        findings.asked.push(Asked {
            row: "bits".to_owned(),
            words: format!("{row}: the same state after {steps} steps for one thread and two"),
            measured,
            met,
        });
    }
    Ok(())
}

//! Serves work over pipes.
//!
//! ```text
//! holonomy-bench serve ROW WHO [THREADS]    says `ready`, then for every line N takes N steps from the start and
//!                                           says `CPU-NANOSECONDS WALL-NANOSECONDS HASH`
//! holonomy-bench steps ROW WHO N            takes N steps and says nothing, for counting instructions
//! holonomy-bench export ROW FILE            positions and velocities of the start, doubles, little-endian
//! holonomy-bench precision SYSTEM METHOD STEP TOLERANCE|- SECONDS
//!                                           says `SECONDS ERROR`, or `failed REASON`
//! holonomy-bench ensemble SYSTEM METHOD|kernel STEP STEPS COUNT THREADS FILE
//!                                           says `SECONDS`, and writes where a thousand of the members end
//! holonomy-bench scaling [LAPS]             tables of the cost of a step against the number of links
//! holonomy-bench chart                      reads panels of curves as JSON, and says the figure in SVG
//! ```
//! What cannot be done is answered by `unavailable REASON`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it talks over pipes")]

use holonomy_bench::{
    cpu_ns,
    ensemble::Ensemble,
    precision::{self, Plan},
    scaling,
    work::{self, hash, open},
};
use holonomy_report::figure::{Axis, Chart, Curve, CurveStyle, Panels};
use serde::Deserialize;
use std::{
    io::{BufRead, Write},
    process::ExitCode,
    time::Instant,
};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["serve", row, who] => serve(row, who),
        ["serve", row, who, threads] => threaded(row, who, threads),
        ["steps", row, who, count] => steps(row, who, count),
        ["export", row, file] => export(row, file),
        ["precision", system, method, step, tolerance, duration] => {
            long_run(&[system, method], [step, tolerance, duration])
        }
        ["ensemble", system, method, step, steps, count, threads, file] => {
            ensemble([system, method], step, [steps, count, threads], file)
        }
        ["scaling"] => tables(scaling::LAPS),
        ["scaling", laps] => {
            let laps = laps.parse().map_err(|e| format!("{laps}: {e}"));
            laps.and_then(tables)
        }
        ["chart"] => chart(),
        _ => Err(
            "serve ROW WHO [THREADS] | steps ROW WHO N | export ROW FILE | precision … | scaling [LAPS] | chart"
                .to_owned(),
        ),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            println!("unavailable {}", message.replace('\n', " "));
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn threaded(row: &str, who: &str, threads: &str) -> Result<(), String> {
    let threads = threads.parse().map_err(|e| format!("{threads}: {e}"))?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|e| e.to_string())?.install(|| serve(row, who))
}

fn serve(row: &str, who: &str) -> Result<(), String> {
    let mut work = open(row, who)?;
    say("ready")?;
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|e| e.to_string())?;
        let steps = line.trim().parse().map_err(|e| format!("{line}: {e}"))?;
        work.reset();
        let (cpu, wall) = (cpu_ns(), Instant::now());
        work.steps(steps)?;
        let (cpu, wall) = (cpu_ns() - cpu, wall.elapsed().as_nanos());
        say(&format!("{cpu} {wall} {:016x}", hash(&work.numbers())))?;
    }
    Ok(())
}

fn say(words: &str) -> Result<(), String> {
    println!("{words}");
    std::io::stdout().flush().map_err(|e| e.to_string())
}

fn steps(row: &str, who: &str, steps: &str) -> Result<(), String> {
    let steps = steps.parse().map_err(|e| format!("{steps}: {e}"))?;
    open(row, who)?.steps(steps)
}

fn export(row: &str, file: &str) -> Result<(), String> {
    let bytes: Vec<u8> = work::start(row)?
        .concat()
        .into_iter()
        .flat_map(f64::to_le_bytes)
        .collect();
    std::fs::write(file, bytes).map_err(|e| format!("{file}: {e}"))
}

fn long_run(names: &[&str; 2], numbers: [&str; 3]) -> Result<(), String> {
    let number = |text: &str| text.parse::<f64>().map_err(|e| format!("{text}: {e}"));
    let [step, tolerance, duration] = numbers;
    let plan = Plan {
        system: names[0],
        method: names[1],
        step: number(step)?,
        tolerance: (tolerance != "-").then(|| number(tolerance)).transpose()?,
        duration: number(duration)?,
    };
    precision::model(&plan)?;
    match precision::run(&plan) {
        Ok(outcome) => say(&format!("{:e} {:e}", outcome.seconds, outcome.error)),
        Err(why) => say(&format!("failed {}", why.replace('\n', " "))),
    }
}

fn ensemble(
    [system, method]: [&str; 2],
    step: &str,
    [steps, count, threads]: [&str; 3],
    file: &str,
) -> Result<(), String> {
    let whole = |text: &str| text.parse::<usize>().map_err(|e| format!("{text}: {e}"));
    let ensemble = Ensemble {
        system,
        method,
        step: step.parse().map_err(|e| format!("{step}: {e}"))?,
        steps: whole(steps)? as u64,
        count: whole(count)?,
        threads: whole(threads)?,
    };
    let (seconds, ends) = ensemble.run()?;
    let bytes: Vec<u8> = ends.into_iter().flat_map(f64::to_le_bytes).collect();
    std::fs::write(file, bytes).map_err(|e| format!("{file}: {e}"))?;
    say(&format!("{seconds:e}"))
}

fn tables(laps: usize) -> Result<(), String> {
    for curve in scaling::curves(laps)? {
        say(&curve.table(laps))?;
    }
    Ok(())
}

/// Panels, one below the other, of curves on logarithmic axes.
#[derive(Deserialize)]
struct Plot {
    title: String,
    subtitle: String,
    caption: String,
    x: String,
    y: String,
    panels: Vec<Vec<PlotCurve>>,
}

#[derive(Deserialize)]
struct PlotCurve {
    name: String,
    points: Vec<(f64, f64)>,
}

fn chart() -> Result<(), String> {
    let plot: Plot = serde_json::from_reader(std::io::stdin()).map_err(|e| e.to_string())?;
    let panel = |curves: Vec<PlotCurve>| Chart {
        title: String::new(),
        x: Axis::log(&plot.x),
        y: Axis::log(&plot.y),
        series: (curves.into_iter())
            .map(|curve| Curve {
                name: curve.name,
                points: curve.points,
                style: CurveStyle::LineAndPoints,
            })
            .collect(),
        guides: vec![],
    };
    let panels = Panels {
        charts: plot.panels.into_iter().map(panel).collect(),
        title: plot.title,
        subtitle: Some(plot.subtitle),
        caption: Some(plot.caption),
    };
    print!("{}", panels.render_with(330.0));
    Ok(())
}

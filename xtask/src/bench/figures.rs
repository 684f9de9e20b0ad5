//! `bench/speed.svg` and `bench/precision.svg`.
use super::{
    Contest, Findings, digits, duration,
    precision::{Kind, Study},
    program,
    rows::Source,
};
use crate::{Outcome, root};
use serde_json::{Value, json};
use std::{
    fmt::Write as _,
    io::Write as _,
    process::{Command, Stdio},
};

pub(super) fn write(findings: &Findings) -> Outcome {
    let write = |name: &str, text: String| {
        let path = root().join("bench").join(name);
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
    };
    write("speed.svg", speed(&findings.contests))?;
    write("precision.svg", precision(&findings.studies)?)
}

const WIDTH: f64 = 900.0;
const LEFT: f64 = 350.0;
const RIGHT: f64 = 70.0;
const LINE: f64 = 22.0;

/// A bar per entrant, from ours to its ratio on a logarithmic axis; the name at its left, the ratio at its end.
fn speed(contests: &[Contest]) -> String {
    let mut lines = Vec::new();
    let mut most = 10.0_f64;
    for contest in contests {
        let Some(ours) = contest.ours() else {
            continue;
        };
        lines.push(Line::Heading(format!(
            "{} (ours {})",
            contest.row.title,
            duration(ours.least)
        )));
        for (entrant, times) in contest.row.entrants.iter().zip(&contest.results) {
            let Ok(times) = times else { continue };
            let ratio = times.least / ours.least;
            if std::ptr::eq(times, ours) {
                continue;
            }
            most = most.max(ratio);
            lines.push(Line::Bar {
                label: entrant.label.to_owned(),
                ratio,
                // Hollow where the number is not from this run.
                quoted: matches!(entrant.source, Source::Quoted(_)),
            });
        }
    }
    let least = 0.1_f64;
    let decades = (most / least).log10().ceil();
    let x = |ratio: f64| LEFT + (WIDTH - LEFT - RIGHT) * (ratio / least).log10() / decades;
    let height = 70.0 + LINE * lines.len() as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" \
         font-size=\"15\">\n<title>Time of a step over that of ours</title>\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    for decade in 0..=decades as i32 {
        let ratio = least * 10f64.powi(decade);
        let (at, wide) = (x(ratio), if decade == 1 { 2 } else { 1 });
        let shade = if decade == 1 { "#000" } else { "#ccc" };
        let _ = writeln!(
            svg,
            "<path d=\"M{at:.1} 40V{:.1}\" stroke=\"{shade}\" stroke-width=\"{wide}\"/>\
             <text x=\"{at:.1}\" y=\"30\" text-anchor=\"middle\">{}</text>",
            height - 20.0,
            power(decade - 1)
        );
    }
    for (number, line) in lines.iter().enumerate() {
        let y = 58.0 + LINE * number as f64;
        let _ = match line {
            Line::Heading(text) => {
                writeln!(
                    svg,
                    "<text x=\"12\" y=\"{y:.1}\" font-weight=\"bold\">{}</text>",
                    escaped(text)
                )
            }
            Line::Bar { label, ratio, quoted } => {
                let (from, to) = (x(1.0).min(x(*ratio)), x(1.0).max(x(*ratio)));
                let fill = if *quoted { "#fff" } else { "#0072b2" };
                let at = if *ratio < 1.0 { x(1.0) } else { to } + 6.0;
                writeln!(
                    svg,
                    "<text x=\"{:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{}</text>\
                     <rect x=\"{from:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"13\" fill=\"{fill}\" stroke=\"#0072b2\"/>\
                     <text x=\"{at:.1}\" y=\"{y:.1}\" stroke=\"#fff\" stroke-width=\"4\" paint-order=\"stroke\">{}×</text>",
                    LEFT - 8.0,
                    escaped(label),
                    y - 12.0,
                    (to - from).max(1.0),
                    digits(*ratio)
                )
            }
        };
    }
    svg += "</svg>\n";
    svg
}

enum Line {
    Heading(String),
    Bar { label: String, ratio: f64, quoted: bool },
}

fn power(exponent: i32) -> String {
    match exponent {
        -1 => "0.1×".to_owned(),
        0 => "ours".to_owned(),
        _ => format!("{}×", 10_i64.pow(exponent as u32)),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// A panel per system: those of ours that are best at some accuracy, and everybody else. `holonomy-bench` draws it.
fn precision(studies: &[Study]) -> Result<String, String> {
    let panel = |study: &Study| {
        let wins = |name: &str| {
            let best = |accuracy: &f64| study.best(*accuracy, |kind| kind == Kind::Ours);
            super::precision::ACCURACIES
                .iter()
                .filter_map(best)
                .any(|best| best.0 == name)
        };
        let shown = study.curves.iter().filter(|curve| !curve.points.is_empty());
        let shown = shown.filter(|curve| curve.kind != Kind::Ours || wins(&curve.name));
        shown
            .map(|curve| json!({ "name": curve.name, "points": curve.points }))
            .collect::<Value>()
    };
    let periods = studies.first().map_or(0.0, |study| study.periods);
    let titles: Vec<&str> = studies.iter().map(|study| study.title).collect();
    let plot = json!({
        "title": format!("Energy error against cost over {periods} periods"),
        "subtitle": format!("From top to bottom: {}.", titles.join(", ")),
        "caption": "Names with `sphere-` are ours; rk4 and dop853 too, for comparison.",
        "x": "processor time (s)",
        "y": "largest energy error / most kinetic energy",
        "panels": studies.iter().map(panel).collect::<Value>(),
    });
    let mut child = Command::new(program()?)
        .arg("chart")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("`holonomy-bench` cannot be started: {e}"))?;
    if let Some(mut input) = child.stdin.take() {
        // What is wrong with it, it says itself.
        let _ = input.write_all(plot.to_string().as_bytes());
    }
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    match output.status.success() {
        true => String::from_utf8(output.stdout).map_err(|e| e.to_string()),
        false => Err(format!("`holonomy-bench chart`: {}", output.status)),
    }
}

//! The summary of a run, for people.
use crate::{
    files::shown,
    output::{bold, dim, grouped, lasting, number, rough, rounded, scientific, with_error},
    table::{Align, Table},
};
use holonomy::model::Model;
use holonomy_host::summary::{EnergySummary, Summary};
use std::path::PathBuf;

/// What a run did, in a table; below it where a few coordinates began and ended.
pub(crate) fn describe(model: &Model, summary: &Summary, folder: Option<&PathBuf>) -> String {
    let title = match model.title.as_str() {
        "" => &summary.scenario,
        title => title,
    };
    let mut rows = Rows::default();
    match summary.driven {
        true => rows.changing_energy(&summary.energy),
        false => rows.energy(&summary.energy),
    }
    rows.kept(summary);
    rows.cost(summary);
    if let Some(folder) = folder {
        let words = format!("{}, begin with report.html", shown(folder));
        rows.0.push(vec![format!("  {}", dim("files")), words]);
    }
    let mut table = Table::new(&[Align::Left, Align::Left, Align::Left]);
    for row in rows.0 {
        table.row(row);
    }
    format!(
        "{}\n{}, {} steps of {} s to t = {} s\n\n{}{}",
        bold(title),
        summary.method,
        grouped(summary.steps),
        summary.step,
        number(summary.t_end),
        table.render(),
        coordinates(summary)
    )
}

/// Rows of three cells: a group, a quantity, its value. One of two cells runs on.
#[derive(Default)]
struct Rows(Vec<Vec<String>>);

/// A motion whose energy error is this part of what is in motion is not that of the mechanism.
const WRONG: f64 = 0.5;
/// What stands still has an energy error all the same: rounding, relative to the energy.
const ROUNDING: f64 = 1e-12;

impl Rows {
    fn row(&mut self, group: &str, what: &str, value: String) {
        self.0
            .push(vec![format!("  {}", dim(group)), what.to_owned(), value]);
    }

    fn energy(&mut self, energy: &EnergySummary) {
        self.row("energy", "at the start", format!("{} J", number(energy.initial)));
        let mean = scientific(energy.mean_abs_error);
        self.row("", "mean |E − E₀|", format!("{mean} J"));
        let largest = scientific(energy.max_abs_error);
        self.row("", "largest |E − E₀|", format!("{largest} J"));
        let rounding = ROUNDING * energy.initial.abs();
        if energy.max_abs_error > (WRONG * energy.in_motion).max(rounding) {
            let note = "is wrong by as much as there is in motion: shorten the step, or take another method";
            self.0.push(vec!["  ".to_owned(), note.to_owned()]);
        }
        if let (Some(drift), Some(error)) = (energy.drift_per_second, energy.drift_standard_error) {
            // Three standard errors: a chance of one in four hundred.
            let verdict = if drift.abs() <= 3.0 * error {
                ", zero within its error"
            } else {
                ""
            };
            self.row("", "drift", format!("{} J/s{verdict}", with_error(drift, error)));
        }
    }

    /// Where the motion itself changes the energy, its change is no error.
    fn changing_energy(&mut self, energy: &EnergySummary) {
        self.row("energy", "at the start", format!("{} J", number(energy.initial)));
        self.row("", "at the end", format!("{} J", number(energy.last)));
        let note = "is not conserved here: forces act or the formulas depend on time";
        self.0.push(vec!["  ".to_owned(), note.to_owned()]);
    }

    /// What should not change besides the energy.
    fn kept(&mut self, summary: &Summary) {
        if let Some(manifold) = &summary.manifold {
            self.row("unit length", "largest |1 − q·q|", rough(manifold.max_error));
        }
        for (index, momentum) in summary.momentum.iter().enumerate() {
            let group = if index == 0 { "momentum" } else { "" };
            let most = rough(momentum.max_error);
            // The unit of a momentum is that of its coordinate, which is not known.
            match momentum.name.strip_prefix("momentum ") {
                Some(coordinate) => self.row(
                    group,
                    &format!("of {coordinate}"),
                    format!("{}, changed by at most {most}", number(momentum.initial)),
                ),
                // Nor is that of what a formula measures.
                None => self.row(
                    group,
                    &momentum.name,
                    match summary.manifold {
                        Some(_) => format!("changed by at most {most} kg m²/s"),
                        None => format!("{}, changed by at most {most}", number(momentum.initial)),
                    },
                ),
            }
        }
        if let Some(constraints) = &summary.constraints {
            self.row("constraint", "largest |g|", rough(constraints.max_error));
        }
        let shown = summary.multipliers.iter().take(MOST);
        for multiplier in shown {
            self.row(
                "",
                &format!("λ of {} at the end", multiplier.name),
                format!("{} {}", number(multiplier.value), multiplier.unit)
                    .trim_end()
                    .to_owned(),
            );
        }
        if let Some(dependent) = &summary.dependent {
            let steps = match dependent.steps == summary.steps {
                true => "every step".to_owned(),
                false => format!("{} of the steps", grouped(dependent.steps)),
            };
            let names = listed(&dependent.constraints);
            let text = format!("say in part the same in {steps}: {names}; their λ share the load");
            self.0.push(vec!["  ".to_owned(), text]);
        }
    }

    fn cost(&mut self, summary: &Summary) {
        let solver = &summary.solver;
        if solver.max_iterations > 0 {
            let value = format!("{:.2}, at most {}", solver.mean_iterations, solver.max_iterations);
            self.row("solver", "iterations per step", value);
        }
        if let (Some(substeps), Some(rejected)) = (solver.substeps, solver.rejected) {
            let value = format!("{}, and {} rejected", grouped(substeps), grouped(rejected));
            self.row("solver", "own steps", value);
        }
        if let Some(rebuilds) = solver.rebuilds {
            self.row(
                "neighbours",
                "lists made",
                format!("{} times per body", grouped(rebuilds)),
            );
        }
        let speed = format!(
            "{} in {}",
            rounded(summary.steps_per_second),
            lasting(summary.wall_seconds)
        );
        self.row("speed", "steps per second", speed);
    }
}

/// A few names, and how many more there are.
fn listed(names: &[String]) -> String {
    let mut text = names.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > MOST {
        text += &format!(" and {} more", names.len() - MOST);
    }
    text
}

/// Coordinates that people read.
const MOST: usize = 8;

/// Where coordinates and velocities began and ended; nothing if there are too many.
fn coordinates(summary: &Summary) -> String {
    if summary.coordinates.is_empty() || summary.coordinates.len() > MOST {
        return String::new();
    }
    let mut table = Table::new(&[Align::Left, Align::Right, Align::Right]);
    table.row(["", "start", "end"].map(dim));
    for moved in summary.coordinates.iter().chain(&summary.velocities) {
        table.row([
            format!("  {}", moved.name),
            number(moved.initial),
            number(moved.last),
        ]);
    }
    format!("\n{}", table.render())
}

//! The summary of a run, for people.
use crate::{
    files::shown,
    output::{self, bold, dim, grouped, lasting, number, rough, rounded, scientific, with_error},
    table::{Align, Table},
};
use holonomy::decimal;
use holonomy_model::Model;
use holonomy_report::{
    summary::Summary,
    verdict::{Conclusion, DriftKind, Evidence, NOT_CONSERVED, Subject},
};
use std::path::PathBuf;

/// What a run did, in a table, and what it comes to; below it where a few coordinates began and ended.
pub(crate) fn describe(model: &Model, summary: &Summary, folder: Option<&PathBuf>) -> String {
    let title = match model.title.as_str() {
        "" => &summary.scenario,
        title => title,
    };
    let mut rows = Rows::default();
    match summary.driven {
        true => rows.changing_energy(summary),
        false => rows.energy(summary),
    }
    rows.conserved(summary);
    rows.constraints(summary);
    if model.outputs.asked {
        rows.outputs(summary);
    }
    rows.warnings(summary);
    rows.cost(summary);
    if let Some(folder) = folder {
        let words = format!("{}, begin with report.html", shown(folder));
        rows.0.push(vec![format!("  {}", dim("files")), words]);
    }
    let mut table = Table::new(&[Align::Left; 4]);
    for row in rows.0 {
        table.row(row);
    }
    let conclusion = &summary.certificate.conclusion;
    format!(
        "{}\n{}, {} steps of {} s to t = {} s\n\n{}\n{}{}",
        bold(title),
        summary.method,
        grouped(summary.steps),
        decimal(summary.step),
        number(summary.t_end),
        answers(conclusion),
        table.render(),
        coordinates(summary)
    )
}

/// The three questions and their answers, and what would be better.
fn answers(conclusion: &Conclusion) -> String {
    let answers = conclusion.answers();
    let answers = answers
        .iter()
        .map(|answer| output::conclusion(answer.verdict, &answer.text));
    let advice = conclusion.advice();
    let advice = advice.iter().map(|advice| output::wrapped_advice(advice));
    answers.chain(advice).collect()
}

/// Columns of outputs that are shown.
const MOST_OUTPUTS: usize = 12;

/// Rows of four cells: a group, a quantity, its value, its verdict. One that has fewer runs on.
#[derive(Default)]
struct Rows(Vec<Vec<String>>);

/// The largest error that the certificate saw, between samples too; that of the samples where it says nothing.
fn seen(summary: &Summary, subject: &Subject, recorded: f64) -> f64 {
    summary.certificate.largest(subject).unwrap_or(recorded)
}

impl Rows {
    /// What its author may not have meant.
    fn warnings(&mut self, summary: &Summary) {
        for (index, warning) in summary.warnings.iter().take(MOST).enumerate() {
            let group = if index == 0 { "look at" } else { "" };
            self.0.push(vec![format!("  {}", dim(group)), warning.describe()]);
        }
        if let Some(more) = summary.warnings.len().checked_sub(MOST).filter(|more| *more > 0) {
            self.0.push(vec!["  ".to_owned(), format!("and {more} more")]);
        }
    }

    fn row(&mut self, group: &str, what: &str, value: String) {
        self.0
            .push(vec![format!("  {}", dim(group)), what.to_owned(), value]);
    }

    /// A row with what the certificate says of its subject.
    fn judged(&mut self, group: &str, what: &str, value: String, summary: &Summary, subject: &Subject) {
        self.row(group, what, value);
        if let (Some(line), Some(row)) = (summary.certificate.line(subject), self.0.last_mut()) {
            row.push(output::verdict(line.verdict, line.word()));
        }
    }

    fn energy(&mut self, summary: &Summary) {
        let energy = &summary.energy;
        self.row("energy", "at the start", format!("{} J", number(energy.initial)));
        let mean = scientific(energy.mean_abs_error);
        self.row("", "mean |E − E₀|", format!("{mean} J"));
        let largest = format!(
            "{} J",
            scientific(seen(summary, &Subject::Energy, energy.max_abs_error))
        );
        self.judged("", "largest |E − E₀|", largest, summary, &Subject::Energy);
        if let Some(drift) = summary.certificate.drift() {
            let mut text = with_error(drift.slope.value, drift.standard_error.value) + " J/s";
            if drift.kind != DriftKind::Real {
                text += &format!(", {}", drift.words());
            }
            self.row("", "drift", text);
        }
    }

    /// Where the motion itself changes the energy, its change is no error, but what is not work is.
    fn changing_energy(&mut self, summary: &Summary) {
        let energy = &summary.energy;
        self.row("energy", "at the start", format!("{} J", number(energy.initial)));
        self.row("", "at the end", format!("{} J", number(energy.last)));
        let Some(balance) = &summary.balance else {
            let note = format!("is not conserved here: {NOT_CONSERVED}");
            self.0.push(vec!["  ".to_owned(), note]);
            return;
        };
        for source in balance.sources.iter().take(MOST) {
            let what = format!("work of {}", source.name);
            self.row("", &what, format!("{} J", number(source.value)));
        }
        if balance.sources.len() > MOST {
            let rest: f64 = balance.sources[MOST..].iter().map(|source| source.value).sum();
            let what = format!("work of {} more", balance.sources.len() - MOST);
            self.row("", &what, format!("{} J", number(rest)));
        }
        let largest = format!(
            "{} J",
            scientific(seen(summary, &Subject::Energy, balance.max_abs_error))
        );
        self.judged("", "largest |E − E₀ − W|", largest, summary, &Subject::Energy);
    }

    /// What should not change besides the energy.
    fn conserved(&mut self, summary: &Summary) {
        if let Some(manifold) = &summary.manifold {
            let value = rough(seen(summary, &Subject::UnitLength, manifold.max_error));
            self.judged(
                "unit length",
                "largest |1 − q·q|",
                value,
                summary,
                &Subject::UnitLength,
            );
        }
        for (index, momentum) in summary.momentum.iter().enumerate() {
            let group = if index == 0 { "conserved" } else { "" };
            let subject = Subject::Momentum {
                name: momentum.name.clone(),
            };
            let line = summary.certificate.line(&subject);
            let unit = line.and_then(|line| match &line.evidence {
                Evidence::MomentumChange { largest, .. } => Some(largest.unit.as_ref()),
                _ => None,
            });
            let value = format!(
                "{}, changed by at most {} {}",
                number(momentum.initial),
                rough(seen(summary, &subject, momentum.max_error)),
                unit.unwrap_or_default()
            );
            let value = value.trim_end().to_owned();
            self.judged(group, &momentum.name, value, summary, &subject);
        }
    }

    /// What the model records by name.
    fn outputs(&mut self, summary: &Summary) {
        for (index, output) in summary.outputs.iter().take(MOST_OUTPUTS).enumerate() {
            let group = if index == 0 { "recorded" } else { "" };
            let [min, max, mean, last] = [output.min, output.max, output.mean, output.last].map(number);
            let unit = match output.unit.as_str() {
                "" => String::new(),
                unit => format!(" {unit}"),
            };
            let value = format!("{min} to {max}{unit}, mean {mean}, at the end {last}");
            self.row(group, &output.name, value);
        }
        if let Some(more @ 1..) = summary.outputs.len().checked_sub(MOST_OUTPUTS) {
            self.row("", &format!("and {more} more"), "in summary.json".to_owned());
        }
    }

    fn constraints(&mut self, summary: &Summary) {
        if let Some(constraints) = &summary.constraints {
            let value = rough(seen(summary, &Subject::Constraints, constraints.max_error));
            self.judged("constraint", "largest |g|", value, summary, &Subject::Constraints);
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
            let text = format!("are redundant in part in {steps}: {names}; their λ share the load");
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

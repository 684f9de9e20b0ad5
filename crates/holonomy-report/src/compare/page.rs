//! The page of a comparison: player, verdicts, curves, work and precision.
use super::{Comparison, Entry, NoPrecision};
use crate::{
    figure::{Axis, Chart, Curve, CurveStyle, Grid},
    figures,
    film::film,
    number::{decimal, rough},
    page::{Cell, Page},
    precision::{Cost, Precision},
    run::Outcome,
    verdict::{Drift, Reason, Subject, Verdict},
};

/// Methods whose curves fit beside each other.
const MOST_BESIDE: usize = 8;

impl Comparison {
    /// The page. `precision` says what exactness costs, or why that could not be measured; `command` made it.
    pub fn page(&self, precision: &Result<Precision, NoPrecision>, command: &str) -> String {
        let title = match self.title.as_str() {
            "" => &self.scenario,
            title => title,
        };
        let subtitle = match self.ran().next() {
            Some((_, outcome)) => format!(
                "{} methods, steps of {} s, until t = {} s",
                self.entries.len(),
                decimal(outcome.summary.step),
                rough(outcome.summary.t_end)
            ),
            None => format!("{} methods, none of which ran", self.entries.len()),
        };
        let mut page = Page::new(title, &subtitle);
        let beside = self.beside();
        if self.ran().next().is_some() {
            page.section("motion", "How they move, and what they lose");
            if let Some(film) = film(self.ran().filter_map(|(_, outcome)| outcome.clip.as_ref())) {
                page.player(
                    &film,
                    Some(("beside", &beside)),
                    "The methods on one clock, thinned and rounded for display.",
                );
            }
            page.figure(
                &figures::compare(self),
                "Magnitudes of the errors on a logarithmic axis; the largest of each stretch of time is drawn.",
            );
        }
        page.section("methods", "Which methods can be trusted here?");
        let whole = self.verdict();
        page.conclusion(whole.verdict, &whole.to_string());
        let rows: Vec<Vec<Cell>> = self.entries.iter().map(row).collect();
        page.table(
            &["method", "verdict", "largest |E − E₀|", "drift", "time", "why"],
            &rows,
        );
        self.certificates(&mut page);
        if self.ran().next().is_some() {
            page.section("series", "Side by side");
            page.named_figure(
                "beside",
                &beside,
                "Each method on its own: a bounded error swings, a drift goes on.",
            );
        }
        page.section("precision", "What exactness costs");
        match precision {
            Ok(precision) => work(&mut page, precision),
            Err(reason) => page.paragraph(&format!("Work and precision were not measured: {reason}.")),
        }
        page.section("command", "The command");
        page.code(command);
        page.finish()
    }

    /// Every line of every certificate: what was watched down, methods across.
    fn certificates(&self, page: &mut Page) {
        let mut subjects: Vec<&Subject> = Vec::new();
        for (_, outcome) in self.ran() {
            for line in &outcome.summary.certificate.lines {
                if line.reason != Reason::Reported && !subjects.contains(&&line.subject) {
                    subjects.push(&line.subject);
                }
            }
        }
        let mut head = vec!["what"];
        head.extend(self.ran().map(|(method, _)| method));
        let rows: Vec<Vec<Cell>> = subjects
            .iter()
            .map(|subject| {
                let cell = |(_, outcome): (&str, &Outcome)| match outcome.summary.certificate.line(subject) {
                    Some(line) => Cell::Verdict(line.verdict, line.word().to_owned()),
                    None => Cell::text("–"),
                };
                std::iter::once(Cell::text(subject.to_string()))
                    .chain(self.ran().map(cell))
                    .collect()
            })
            .collect();
        if !rows.is_empty() {
            page.heading("Line by line");
            page.table(&head, &rows);
        }
    }

    /// Energy against time, each method in axes of its own.
    fn beside(&self) -> String {
        let chart = |(method, outcome): (&str, &Outcome)| {
            let mut points = outcome.series.energy.points();
            let label = if outcome.summary.driven {
                points
                    .iter_mut()
                    .for_each(|point| point.1 += outcome.summary.energy.initial);
                format!("{method}: E (J)")
            } else {
                format!("{method}: E − E₀ (J)")
            };
            Chart {
                title: String::new(),
                x: Axis::time(),
                y: Axis::linear(label),
                series: vec![Curve {
                    name: method.to_owned(),
                    points,
                    style: CurveStyle::Line,
                }],
                guides: vec![],
            }
        };
        let shown = self.ran().take(MOST_BESIDE);
        Grid {
            title: String::new(),
            subtitle: None,
            caption: (self.ran().count() > MOST_BESIDE).then(|| format!("The first {MOST_BESIDE} methods.")),
            charts: shown.map(chart).collect(),
            equal: false,
        }
        .render()
    }
}

fn row(Entry { method, result }: &Entry) -> Vec<Cell> {
    let outcome = match result {
        Ok(outcome) => outcome,
        Err(reason) => {
            let mut row = vec![
                Cell::Code(method.clone()),
                Cell::Verdict(Verdict::Neutral, "did not run".to_owned()),
            ];
            row.extend(["", "", ""].map(Cell::number));
            row.push(Cell::text(reason.to_string()));
            return row;
        }
    };
    let summary = &outcome.summary;
    let conclusion = &summary.certificate.conclusion;
    let largest = match summary.driven {
        true => "–".to_owned(),
        false => format!("{} J", rough(summary.energy.max_abs_error)),
    };
    let drift = summary.certificate.drift();
    let drift = drift.map_or_else(|| "–".to_owned(), Drift::number);
    vec![
        Cell::Code(method.clone()),
        Cell::Verdict(conclusion.verdict, conclusion.word().to_owned()),
        Cell::number(largest),
        Cell::number(drift),
        Cell::number(format!("{} s", rough(summary.wall_seconds))),
        Cell::text(conclusion.to_string().replace('`', "")),
    ]
}

fn work(page: &mut Page, precision: &Precision) {
    page.conclusion(Verdict::Neutral, &precision.conclusion());
    page.paragraph(&format!(
        "The same motion until t = {} s, run with shorter and shorter steps, or with tighter and tighter tolerances where a \
         method chooses its own. Down and to the left is better: less error for less work. Chaos would hide the methods \
         behind the motion, so this is a short part of the run. Reference: {}, accurate to about {}.",
        rough(precision.t_end),
        precision.reference,
        rough(precision.reference.accuracy)
    ));
    for (cost, caption) in [
        (
            Cost::Evaluations,
            "Errors against evaluations of the forces: the same on every machine.",
        ),
        (
            Cost::Seconds,
            "Errors against wall time on this machine, the least of several runs.",
        ),
    ] {
        page.figure(&precision.figure("", cost), caption);
    }
    let rows = precision.curves.iter().map(|curve| {
        let smallest = curve
            .points
            .iter()
            .filter_map(|point| point.error)
            .reduce(f64::min);
        let number = |value: Option<f64>| Cell::number(value.map_or_else(|| "–".to_owned(), rough));
        vec![
            Cell::Code(curve.method.clone()),
            Cell::number(curve.order.to_string()),
            Cell::number(
                curve
                    .slope
                    .map_or_else(|| "–".to_owned(), |slope| format!("{slope:.1}")),
            ),
            number(smallest),
            Cell::text(if curve.geometric { "yes" } else { "no" }),
        ]
    });
    page.table(
        &[
            "method",
            "order",
            "measured slope",
            "smallest error",
            "preserves structure",
        ],
        &rows.collect::<Vec<_>>(),
    );
}

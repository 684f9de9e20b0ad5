//! The page of a comparison: verdicts, curves, work and precision.
use super::{Comparison, Entry};
use crate::{
    figure::{Axis, Chart, Grid, Series as Curve, SeriesStyle},
    figures::{self, rough, uncertain},
    page::{Cell, Page, Verdict},
    precision::{Cost, Precision},
    run::Outcome,
};

/// Methods whose curves fit beside each other.
const MOST_BESIDE: usize = 8;

impl Comparison {
    /// The page. `precision` says what exactness costs, or why that could not be measured; `command` made it.
    pub fn page(&self, precision: &Result<Precision, String>, command: &str) -> String {
        let title = match self.title.as_str() {
            "" => &self.scenario,
            title => title,
        };
        let subtitle = match self.ran().next() {
            Some((_, outcome)) => format!(
                "{} methods, steps of {} s, until t = {} s",
                self.entries.len(),
                outcome.summary.step,
                rough(outcome.summary.t_end)
            ),
            None => format!("{} methods, none of which ran", self.entries.len()),
        };
        let mut page = Page::new(title, &subtitle);
        page.section("methods", "Which methods can be trusted here?");
        let (verdict, conclusion) = self.conclusion();
        page.conclusion(verdict, &conclusion);
        let rows: Vec<Vec<Cell>> = self.entries.iter().map(row).collect();
        page.table(
            &["method", "verdict", "largest |E − E₀|", "drift", "time", "why"],
            &rows,
        );
        self.certificates(&mut page);
        if self.ran().next().is_some() {
            page.section("series", "Side by side");
            page.figure(
                &figures::compare(self),
                "Magnitudes of the errors on a logarithmic axis; the largest of each stretch of time is drawn.",
            );
            page.figure(
                &self.beside(),
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

    fn ran(&self) -> impl Iterator<Item = (&str, &Outcome)> {
        let each = self.entries.iter();
        each.filter_map(|entry| Some((entry.method.as_str(), entry.result.as_ref().ok()?)))
    }

    /// What the runs say, in a sentence or two.
    fn conclusion(&self) -> (Verdict, String) {
        let quoted = |names: Vec<&str>| -> String {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            names.join(", ")
        };
        let of = |wanted: &[Verdict]| -> Vec<&str> {
            let those = self
                .ran()
                .filter(|(_, outcome)| wanted.contains(&outcome.summary.certificate.conclusion.verdict));
            those.map(|(method, _)| method).collect()
        };
        let (good, bad) = (of(&[Verdict::Good]), of(&[Verdict::Bad]));
        let mut text = match (good.len(), self.entries.len()) {
            (0, _) => "None of these runs can be trusted without care.".to_owned(),
            (few, all) if few == all => "All of these runs can be trusted.".to_owned(),
            _ => format!("Runs to trust: {}.", quoted(good.clone())),
        };
        if !bad.is_empty() {
            text += &format!(" Not to be trusted: {}.", quoted(bad));
        }
        let finished = || {
            self.ran()
                .filter(|(_, outcome)| outcome.summary.error.is_none() && !outcome.summary.driven)
        };
        let error = |outcome: &Outcome| outcome.summary.energy.max_abs_error;
        let exact = finished().min_by(|a, b| error(a.1).total_cmp(&error(b.1)));
        let fast = finished().min_by(|a, b| a.1.summary.wall_seconds.total_cmp(&b.1.summary.wall_seconds));
        if let (Some((exact, best)), Some((fast, quickest)), true) = (exact, fast, finished().count() > 1) {
            text += &format!(
                " With this step `{exact}` has the smallest energy error ({} J) and `{fast}` takes the least time ({} s).",
                rough(error(best)),
                rough(quickest.summary.wall_seconds)
            );
        }
        let verdict = if good.is_empty() {
            Verdict::Bad
        } else if good.len() == self.entries.len() {
            Verdict::Good
        } else {
            Verdict::Neutral
        };
        (verdict, text)
    }

    /// Every line of every certificate: what was watched down, methods across.
    fn certificates(&self, page: &mut Page) {
        let mut subjects: Vec<&str> = Vec::new();
        for (_, outcome) in self.ran() {
            for line in &outcome.summary.certificate.lines {
                if !line.word.is_empty() && !subjects.contains(&line.subject.as_str()) {
                    subjects.push(&line.subject);
                }
            }
        }
        let mut head = vec!["what"];
        head.extend(self.ran().map(|(method, _)| method));
        let rows: Vec<Vec<Cell>> = subjects
            .iter()
            .map(|subject| {
                let cell = |(_, outcome): (&str, &Outcome)| {
                    let mut lines = outcome.summary.certificate.lines.iter();
                    match lines.find(|line| line.subject == *subject) {
                        Some(line) => Cell::Verdict(line.verdict, line.word.clone()),
                        None => Cell::text("–"),
                    }
                };
                std::iter::once(Cell::text(*subject))
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
                x: Axis::linear("time (s)"),
                y: Axis::linear(label),
                series: vec![Curve {
                    name: method.to_owned(),
                    points,
                    style: SeriesStyle::Line,
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
            row.push(Cell::text(reason));
            return row;
        }
    };
    let summary = &outcome.summary;
    let energy = &summary.energy;
    let conclusion = &summary.certificate.conclusion;
    let word = match conclusion.verdict {
        Verdict::Good => "trust it",
        Verdict::Doubtful => "with care",
        Verdict::Bad => "do not trust it",
        Verdict::Neutral => "nothing to check",
    };
    let kept = |text: String| if summary.driven { "–".to_owned() } else { text };
    let drift = energy.drift_per_second.zip(energy.drift_standard_error);
    let drift = drift.map_or_else(
        || "–".to_owned(),
        |(slope, error)| format!("{} J/s", uncertain(slope, error)),
    );
    vec![
        Cell::Code(method.clone()),
        Cell::Verdict(conclusion.verdict, word.to_owned()),
        Cell::number(kept(format!("{} J", rough(energy.max_abs_error)))),
        Cell::number(kept(drift)),
        Cell::number(format!("{} s", rough(summary.wall_seconds))),
        Cell::text(conclusion.measured.replace('`', "")),
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
            Cell::Code(curve.method.to_owned()),
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
            "keeps structure",
        ],
        &rows.collect::<Vec<_>>(),
    );
}

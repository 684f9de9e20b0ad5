//! What is said of numbers that were fitted to data: as data, and as a page.
use crate::{
    figure::{Axis, Chart, Curve, CurveStyle, Panels},
    number::{self, rough, uncertain},
    page::{Cell, Page},
    summary::json,
    verdict::Verdict,
};
use serde::Serialize;

/// Numbers of a model that come closest to data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fitted {
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the method.
    pub method: String,
    /// Its step, s.
    pub step: f64,
    /// Where derivatives came from.
    pub derivatives: Derivatives,
    /// Into how many stretches the run was cut, each with a start of its own that is sought.
    pub segments: usize,
    /// By how much they miss each other at most, in parts of what the state moves in one.
    pub gap: f64,
    /// Whether they join, to rounding, to one run.
    pub joined: bool,
    /// Whether the search was stopped.
    pub stopped: bool,
    /// Whether it was not over after as many steps as it may take.
    pub unfinished: bool,
    /// The numbers.
    pub numbers: Vec<FittedNumber>,
    /// What the data do not determine.
    pub undetermined: Vec<Undetermined>,
    /// How far the model is from the data.
    pub columns: Vec<FittedColumn>,
    /// When these were taken, s.
    #[serde(skip)]
    pub times: Vec<f64>,
    /// The sum of squares, in units of the columns, at first and after each step.
    pub history: Vec<f64>,
}

/// Where derivatives come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Derivatives {
    /// Linearised steps.
    Exact,
    /// Differences of runs.
    Differences,
}

/// A number that was fitted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FittedNumber {
    /// Where it stands in the model.
    pub key: String,
    /// What it is, for people.
    pub label: String,
    /// Its unit.
    pub unit: String,
    /// What it was.
    pub before: f64,
    /// What it is.
    pub value: f64,
    /// Its standard error; not a number where the data do not determine it.
    #[serde(with = "number::nullable")]
    pub error: f64,
    /// Whether a bound holds it.
    pub at_bound: bool,
}

/// A direction in which numbers can change together and the data stay as they are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Undetermined {
    /// The numbers, with their changes in parts of themselves; the largest is one.
    pub parts: Vec<(String, f64)>,
}

/// A column of the data, and how far the model is from it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FittedColumn {
    /// The output.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// How much it varies.
    pub spread: f64,
    /// The root of the mean square of the residuals.
    pub off: f64,
    /// The largest residual.
    pub largest: f64,
    /// What was measured.
    #[serde(skip)]
    pub measured: Vec<f64>,
    /// Model minus data.
    #[serde(skip)]
    pub residuals: Vec<f64>,
    /// The model between the data, as times and values.
    #[serde(skip)]
    pub curve: Vec<(f64, f64)>,
}

/// Residuals of this part of what a column varies are of another model.
const POOR: f64 = 0.3;

impl Undetermined {
    /// It in words.
    pub fn sentence(&self) -> String {
        let names = |sign: f64| -> Vec<String> {
            let parts = self.parts.iter().filter(|(_, part)| part * sign > 0.0);
            parts
                .map(|(name, part)| match part.abs() {
                    part if part > 0.999 => format!("`{name}` by 1 %"),
                    part => format!("`{name}` by {} %", rough(part)),
                })
                .collect()
        };
        match (&self.parts[..], names(1.0), names(-1.0)) {
            ([(name, _)], _, _) => format!("nothing that was measured depends on `{name}`"),
            (_, up, down) if down.is_empty() || up.is_empty() => {
                let all = if up.is_empty() { down } else { up };
                format!(
                    "the data stay the same if one raises {} together",
                    all.join(" and ")
                )
            }
            (_, up, down) => format!(
                "the data stay the same if one raises {} and lowers {}",
                up.join(" and "),
                down.join(" and ")
            ),
        }
    }
}

impl Fitted {
    /// The result as JSON text.
    pub fn to_json(&self) -> String {
        json(self)
    }

    /// Whether the search came to its end.
    pub fn is_over(&self) -> bool {
        !self.stopped && !self.unfinished
    }

    /// The largest part of a column that is not explained.
    fn unexplained(&self) -> f64 {
        let parts = self.columns.iter().map(|column| column.off / column.spread);
        parts.fold(0.0, f64::max)
    }

    /// What came of it, in a sentence.
    pub fn conclusion(&self) -> (Verdict, String) {
        let part = rough(100.0 * self.unexplained());
        if !self.joined && !self.stopped {
            return (
                Verdict::Bad,
                format!(
                    "The {} stretches come within {part} % of what the data vary, but miss each other by up to {} % of \
                     what the state moves in one: no run of this model was found that goes along all of the data. Free \
                     others, begin elsewhere with `--set`, or take other `--segments`.",
                    self.segments,
                    rough(100.0 * self.gap),
                ),
            );
        }
        if self.stopped || self.unfinished {
            let why = if self.stopped { "was stopped" } else { "gave up" };
            return (
                Verdict::Doubtful,
                format!(
                    "The search {why}: the model is off by {part} % of what the data vary, and may come closer."
                ),
            );
        }
        if self.unexplained() > POOR {
            return (
                Verdict::Bad,
                format!(
                    "Nothing near these numbers comes closer, and the model is still off by {part} % of what the data vary: \
                     they are of another model, the numbers began too far away, or the motion is chaotic over so long a \
                     time. Free others, begin elsewhere with `--set`, or fit a shorter part of the data."
                ),
            );
        }
        let sure = match self.undetermined.len() {
            0 => "All numbers that were sought are determined by the data.",
            _ => "Some of the numbers are not determined by the data, see below.",
        };
        let verdict = if self.undetermined.is_empty() {
            Verdict::Good
        } else {
            Verdict::Doubtful
        };
        (
            verdict,
            format!("The model comes within {part} % of what the data vary. {sure}"),
        )
    }

    /// How it was sought, in a sentence or two.
    pub fn manner(&self) -> String {
        let derivatives = match self.derivatives {
            Derivatives::Exact => "Derivatives of steps are exact.".to_owned(),
            Derivatives::Differences => format!(
                "Derivatives are differences of runs: `{}` has none of its own for this model and these columns.",
                self.method
            ),
        };
        match self.segments {
            1 => derivatives,
            count => format!(
                "{derivatives} The run was cut into {count} stretches, which {}.",
                match self.joined {
                    true => "join to rounding",
                    false => "do not join",
                }
            ),
        }
    }

    /// Data, model and residuals as text.
    pub fn residuals_csv(&self) -> String {
        let mut text = "t".to_owned();
        for column in &self.columns {
            text += &format!(",{0},model.{0},residual.{0}", column.name);
        }
        text.push('\n');
        for (row, t) in self.times.iter().enumerate() {
            text += &format!("{t:?}");
            for column in &self.columns {
                let (measured, off) = (column.measured[row], column.residuals[row]);
                text += &format!(",{measured:?},{:?},{off:?}", measured + off);
            }
            text.push('\n');
        }
        text
    }

    /// Data and model, and the residuals, for each column.
    pub fn figures(&self) -> Vec<String> {
        let points = |of: &dyn Fn(usize) -> f64| -> Vec<(f64, f64)> {
            self.times
                .iter()
                .enumerate()
                .map(|(row, t)| (*t, of(row)))
                .collect()
        };
        let chart = |label: String, series: Vec<Curve>| Chart {
            title: String::new(),
            x: Axis::time(),
            y: Axis::linear(label),
            series,
            guides: vec![],
        };
        let curve = |name: &str, style: CurveStyle, points: Vec<(f64, f64)>| Curve {
            name: name.to_owned(),
            points,
            style,
        };
        let each = self.columns.iter().take(MOST_FIGURES).map(|column| {
            let label = match column.unit.as_str() {
                "" => column.name.clone(),
                unit => format!("{} ({unit})", column.name),
            };
            let both = vec![
                curve("model", CurveStyle::Line, column.curve.clone()),
                curve("data", CurveStyle::Points, points(&|row| column.measured[row])),
            ];
            let residuals = curve("", CurveStyle::Points, points(&|row| column.residuals[row]));
            Panels {
                title: String::new(),
                subtitle: None,
                caption: None,
                charts: vec![
                    chart(label, both),
                    chart("model − data".to_owned(), vec![residuals]),
                ],
            }
            .render_with(210.0)
        });
        each.collect()
    }

    /// A number with its standard error.
    pub fn written(number: &FittedNumber) -> String {
        let (value, error) = (number.value, number.error);
        match error.is_finite() && error > 0.0 {
            // As many decimals as show the first digit of the error.
            true if error > 1e-12 * value.abs()
                && error < value.abs()
                && (1e-3..1e6).contains(&value.abs()) =>
            {
                let (mut scaled, mut decimals) = (error, 0);
                while scaled < 1.0 {
                    (scaled, decimals) = (10.0 * scaled, decimals + 1);
                }
                format!("{value:.decimals$} ± {error:.decimals$}").replace('-', "−")
            }
            true if error > 5e-4 * value.abs() => uncertain(value, error),
            _ => number::decimal(value),
        }
    }

    /// The page; `command` made it.
    pub fn page(&self, title: &str, command: &str) -> String {
        let mut page = Page::new(title, "numbers of the model, from data");
        page.section("numbers", "What was found");
        let (verdict, text) = self.conclusion();
        page.conclusion(verdict, &text);
        let rows: Vec<Vec<Cell>> = (self.numbers.iter())
            .map(|number| {
                let note = match (number.at_bound, number.error.is_finite()) {
                    (true, _) => "held by its bound",
                    (_, false) => "not determined",
                    _ => "",
                };
                vec![
                    Cell::Code(number.key.clone()),
                    Cell::number(rough(number.before)),
                    Cell::number(Self::written(number)),
                    Cell::number(if number.error.is_finite() {
                        rough(number.error)
                    } else {
                        "–".to_owned()
                    }),
                    Cell::text(number.unit.clone()),
                    Cell::text(note),
                ]
            })
            .collect();
        page.table(&["number", "before", "now", "standard error", "unit", ""], &rows);
        for direction in &self.undetermined {
            page.conclusion(
                Verdict::Doubtful,
                &format!("Not determined: {}.", direction.sentence()),
            );
        }
        page.paragraph(&self.manner());
        page.section("data", "Data and model");
        let rows: Vec<Vec<Cell>> = (self.columns.iter())
            .map(|column| {
                vec![
                    Cell::Code(column.name.clone()),
                    Cell::number(rough(column.spread)),
                    Cell::number(rough(column.off)),
                    Cell::number(rough(column.largest)),
                    Cell::text(column.unit.clone()),
                ]
            })
            .collect();
        page.table(
            &["column", "varies by", "off by", "largest residual", "unit"],
            &rows,
        );
        for (svg, column) in self.figures().iter().zip(&self.columns) {
            page.figure(
                svg,
                &format!("`{}`: data and model, and what lies between.", column.name),
            );
        }
        page.section("command", "The command");
        page.code(command);
        page.finish()
    }
}

/// Columns that are drawn.
const MOST_FIGURES: usize = 12;

//! What is said of inputs that were sought: as data, and as a page.
use crate::{
    figure::{Axis, Chart, Curve, CurveStyle, Guide, Panels},
    number::{decimal, grouped, rough},
    page::{Cell, Page},
    summary::json,
    verdict::Verdict,
};
use serde::Serialize;
use std::fmt::Write;

/// Inputs that were found, and the motion under them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Controlled {
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the method.
    pub method: String,
    /// The step, s.
    pub step: f64,
    /// How many there are.
    pub steps: u64,
    /// When the motion starts, s.
    pub start: f64,
    /// How the search ended.
    pub found: Found,
    /// What was minimised: efforts, and goals that have a weight.
    pub cost: f64,
    /// The largest violation of a goal or a bound.
    pub violation: f64,
    /// How large it may be.
    pub tolerance: f64,
    /// Whether no input changes what is missed, to first order.
    pub beyond: bool,
    /// The output with that violation.
    pub worst: Option<String>,
    /// What was wanted.
    pub goals: Vec<ControlGoal>,
    /// By how much a small deviation at the start has grown at the end, without feedback.
    #[serde(with = "crate::number::nullable")]
    pub open_growth: f64,
    /// The same under the feedback.
    #[serde(with = "crate::number::nullable")]
    pub closed_growth: f64,
    /// Why the model with these inputs does not answer to deviations, if it does not.
    pub not_fed: Option<String>,
    /// What each sweep brought.
    pub sweeps: Vec<ControlSweep>,
    /// Names of the inputs.
    pub inputs: Vec<String>,
    /// Their units, where they are known.
    #[serde(skip)]
    pub input_units: Vec<String>,
    /// The least and the most of each.
    pub limits: Vec<[Option<f64>; 2]>,
    /// The inputs of each step.
    pub efforts: Vec<Vec<f64>>,
    /// Names of what the task is about.
    pub outputs: Vec<String>,
    /// Their units.
    #[serde(skip)]
    pub units: Vec<String>,
    /// Between what each of them is to stay.
    #[serde(skip)]
    pub bounds: Vec<[Option<f64>; 2]>,
    /// Their values before the first step and after each.
    #[serde(skip)]
    pub curves: Vec<Vec<f64>>,
    /// What the columns of gains multiply: displacements and changes of momenta.
    #[serde(skip)]
    pub directions: Vec<String>,
    /// The gains of each step, row by row.
    #[serde(skip)]
    pub gains: Vec<Vec<f64>>,
    /// Names of coordinates and velocities.
    #[serde(skip)]
    pub coordinates: Vec<String>,
    /// Their values before the first step and after each.
    #[serde(skip)]
    pub motion: Vec<Vec<f64>>,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Found {
    /// Nothing near is better.
    Best,
    /// Goals or bounds are not met.
    Unmet,
    /// It was stopped.
    Stopped,
    /// It was not over.
    Unfinished,
}

/// A goal, and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ControlGoal {
    /// The output.
    pub of: String,
    /// Its unit.
    pub unit: String,
    /// What it was to be at the end.
    pub wanted: f64,
    /// What it is there.
    pub reached: f64,
    /// Whether it was to be met.
    pub exact: bool,
}

/// What a sweep brought.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ControlSweep {
    /// The cost after it.
    pub cost: f64,
    /// The largest violation after it.
    pub violation: f64,
    /// The part of its step that was taken.
    pub share: f64,
}

/// A deviation that grows so much is lost in rounding.
const HOPELESS: f64 = 1e12;
/// A deviation that the feedback lets grow so much is not held.
const LOOSE: f64 = 1e3;

impl Controlled {
    /// The result as JSON text.
    pub fn to_json(&self) -> String {
        json(self)
    }

    /// Whether what was asked for was found, or the user ended the search where goals and bounds were met.
    pub fn is_good(&self) -> bool {
        match self.found {
            Found::Best => true,
            Found::Stopped => self.violation <= self.tolerance,
            Found::Unmet | Found::Unfinished => false,
        }
    }

    /// The horizon, s.
    pub fn horizon(&self) -> f64 {
        self.step * self.steps as f64
    }

    /// What came of it, in a sentence.
    pub fn conclusion(&self) -> (Verdict, String) {
        let worst = self.worst.as_deref().unwrap_or("a goal");
        let (off, tolerance) = (rough(self.violation), rough(self.tolerance));
        let met = self.violation <= self.tolerance;
        match self.found {
            Found::Best if self.sweeps.is_empty() => (
                Verdict::Good,
                "The feedback of least cost about the motion was found.".to_owned(),
            ),
            Found::Best => (
                Verdict::Good,
                format!(
                    "Goals and bounds are met to {tolerance}, and no inputs near these cost less than {}.",
                    rough(self.cost)
                ),
            ),
            Found::Unmet if self.beyond => (
                Verdict::Bad,
                format!(
                    "The goals were not reached: `{worst}` is off by {off}, and no small change of the inputs brings it \
                     nearer. It lies at the edge of what can be reached, or beyond, inputs that would help are at their \
                     limits, or the way there begins elsewhere: ask for less, widen `min` and `max`, lengthen \
                     `run.duration`, or give a `[control.guess]`."
                ),
            ),
            Found::Unmet => (
                Verdict::Bad,
                format!(
                    "The goals were not reached: `{worst}` is off by {off}. The inputs cannot do it within their limits and \
                     this time, or not from this guess: widen `min` and `max`, lengthen `run.duration`, or give a \
                     `[control.guess]`."
                ),
            ),
            Found::Stopped if met => (
                Verdict::Doubtful,
                "The search was stopped: goals and bounds are met, but inputs that cost less may be near."
                    .to_owned(),
            ),
            Found::Stopped => (
                Verdict::Doubtful,
                format!("The search was stopped: `{worst}` is still off by {off}."),
            ),
            Found::Unfinished => (
                Verdict::Doubtful,
                format!(
                    "The search gave up after {} sweeps: `{worst}` is off by {off}. Allow more with `control.sweeps`, or \
                     give a `[control.guess]`.",
                    self.sweeps.len()
                ),
            ),
        }
    }

    /// What to know before these inputs are used, in sentences.
    pub fn warnings(&self) -> Vec<String> {
        let mut all = Vec::new();
        if !(self.open_growth < HOPELESS) {
            all.push(format!(
                "Without feedback a deviation at the start grows {}-fold: over so long a time the motion is chaos, and the \
                 inputs alone mean nothing. Shorten `run.duration`, or use the gains.",
                rough(self.open_growth)
            ));
        }
        if !(self.closed_growth < LOOSE) && self.closed_growth > 0.1 * self.open_growth {
            all.push(format!(
                "The feedback does not hold the motion: a deviation at the start still grows {}-fold. The inputs do not reach \
                 what is unstable, or its deviation costs nothing: add inputs, or goals with a weight for all the time.",
                rough(self.closed_growth)
            ));
        }
        all
    }

    fn times(&self) -> impl Iterator<Item = f64> {
        (0..=self.steps).map(|k| self.start + k as f64 * self.step)
    }

    /// The inputs as text: the beginning of each step and its middle, and what acts during it.
    pub fn efforts_csv(&self) -> String {
        let mut text = format!("t,middle,{}\n", self.inputs.join(","));
        for (t, efforts) in self.times().zip(&self.efforts) {
            line(&mut text, &[t, t + 0.5 * self.step], efforts);
        }
        text
    }

    /// The inputs as tables of a model.
    pub fn efforts_toml(&self) -> String {
        let list = |values: &mut dyn Iterator<Item = f64>| -> String {
            let each: Vec<String> = values.map(|value| format!("{value:?}")).collect();
            each.join(", ")
        };
        let times = list(&mut self.times().map(|t| t + 0.5 * self.step).take(self.efforts.len()));
        let mut text = String::new();
        for (k, name) in self.inputs.iter().enumerate() {
            let values = list(&mut self.efforts.iter().map(|efforts| efforts[k]));
            let _ = writeln!(text, "[{name}]\ntimes = [{times}]\nvalues = [{values}]\n");
        }
        text
    }

    /// The gains as text: a row for each step and input.
    pub fn gains_csv(&self) -> String {
        let mut text = format!("t,input,{}\n", self.directions.join(","));
        for (t, gains) in self.times().zip(&self.gains) {
            for (name, row) in self.inputs.iter().zip(gains.chunks(self.directions.len().max(1))) {
                let _ = write!(text, "{t:?},{name}");
                line(&mut text, &[], row);
            }
        }
        text
    }

    /// The motion as text.
    pub fn motion_csv(&self) -> String {
        let mut text = format!("t,{}\n", self.coordinates.join(","));
        for (t, row) in self.times().zip(&self.motion) {
            line(&mut text, &[t], row);
        }
        text
    }

    /// The inputs, the outputs of the task and the convergence, one below the other.
    pub fn figures(&self) -> Vec<(&'static str, &'static str, String)> {
        let mut all = Vec::new();
        let times: Vec<f64> = self.times().collect();
        let panel = |name: String, curve: Vec<(f64, f64)>, guides: Vec<Guide>| Chart {
            title: String::new(),
            x: Axis::time(),
            y: Axis::linear(name),
            series: vec![Curve {
                name: String::new(),
                points: curve,
                style: CurveStyle::Line,
            }],
            guides,
        };
        let stacked = |charts: Vec<Chart>| {
            let height = if charts.len() == 1 { 320.0 } else { 180.0 };
            Panels {
                title: String::new(),
                subtitle: None,
                caption: None,
                charts,
            }
            .render_with(height)
        };
        let inputs = self.inputs.iter().enumerate().map(|(k, name)| {
            // Held over each step.
            let ends = times.windows(2).zip(&self.efforts);
            let curve = ends.flat_map(|(t, efforts)| [(t[0], efforts[k]), (t[1], efforts[k])]);
            let curve: Vec<(f64, f64)> = curve.collect();
            let label = with_unit(name, self.input_units.get(k));
            let limits = limits_near(&curve, &self.limits[k], "limit");
            panel(label, curve, limits)
        });
        all.push((
            "inputs.svg",
            "The inputs, each held over a step.",
            stacked(inputs.take(MOST_PANELS).collect()),
        ));
        let outputs = self.outputs.iter().enumerate().map(|(k, name)| {
            let label = with_unit(name, self.units.get(k));
            let curve = times.iter().zip(&self.curves).map(|(t, values)| (*t, values[k]));
            let curve: Vec<(f64, f64)> = curve.collect();
            let goals = self.goals.iter().filter(|goal| goal.of == *name);
            let goals = goals.map(|goal| Guide::Level {
                value: goal.wanted,
                label: "goal".to_owned(),
            });
            let bounds = (self.bounds.get(k)).map_or_else(Vec::new, |own| limits_near(&curve, own, "bound"));
            let guides = goals.take(1).chain(bounds).collect();
            panel(label, curve, guides)
        });
        all.push((
            "outputs.svg",
            "What the goals and bounds are about.",
            stacked(outputs.take(MOST_PANELS).collect()),
        ));
        if self.sweeps.len() > 1 {
            let over = |name: &str, value: fn(&ControlSweep) -> f64| Chart {
                title: String::new(),
                x: Axis::linear("sweep"),
                y: Axis::log(name),
                series: vec![Curve {
                    name: String::new(),
                    points: (self.sweeps.iter().enumerate())
                        .map(|(k, sweep)| (k as f64 + 1.0, value(sweep)))
                        .collect(),
                    style: CurveStyle::LineAndPoints,
                }],
                guides: vec![],
            };
            let mut charts = vec![over("cost", |sweep| sweep.cost)];
            if self.sweeps.iter().any(|sweep| sweep.violation > 0.0) {
                charts.push(over("largest violation", |sweep| sweep.violation));
            }
            all.push((
                "convergence.svg",
                "The cost and the largest violation after each sweep.",
                stacked(charts),
            ));
        }
        all
    }

    /// The page; `command` made it.
    pub fn page(&self, title: &str, command: &str) -> String {
        let subtitle = format!(
            "inputs for {} steps of {} s of `{}`",
            grouped(self.steps),
            decimal(self.step),
            self.method
        );
        let mut page = Page::new(title, &subtitle.replace('`', ""));
        page.section("found", "What was found");
        let (verdict, text) = self.conclusion();
        page.conclusion(verdict, &text);
        for warning in self.warnings() {
            page.conclusion(Verdict::Doubtful, &warning);
        }
        let rows: Vec<Vec<Cell>> = (self.goals.iter())
            .map(|goal| {
                vec![
                    Cell::text(with_unit(&goal.of, Some(&goal.unit))),
                    Cell::number(rough(goal.wanted)),
                    Cell::number(rough(goal.reached)),
                    Cell::number(rough((goal.reached - goal.wanted).abs())),
                    Cell::text(if goal.exact { "to be met" } else { "has a weight" }),
                ]
            })
            .collect();
        page.table(&["goal", "wanted at the end", "reached", "off by", ""], &rows);
        for (_, caption, svg) in self.figures() {
            page.figure(&svg, caption);
        }
        page.section("stability", "If it starts a little aside");
        page.paragraph(&format!(
            "A small deviation at the start is {} times as large at the end if the inputs are repeated as they are, and {} \
             times under the gains of `gains.csv`: u + K z, z the displacements and the changes of momenta.",
            rough(self.open_growth),
            rough(self.closed_growth)
        ));
        page.paragraph(match &self.not_fed {
            Some(why) => why,
            None => "A run of `model.toml` answers with these gains, from what its forces see in the middle of each step.",
        });
        page.section("command", "The command");
        page.code(command);
        page.finish()
    }
}

/// What a curve is called.
pub(crate) fn with_unit(name: &str, unit: Option<&String>) -> String {
    match unit.map_or("", String::as_str) {
        "" => name.to_owned(),
        unit => format!("{name} ({unit})"),
    }
}

/// Lines at limits that a curve comes near to: one far away would leave nothing of the curve to be seen.
pub(crate) fn limits_near(curve: &[(f64, f64)], limits: &[Option<f64>; 2], label: &str) -> Vec<Guide> {
    let least = curve.iter().map(|(_, y)| *y).fold(f64::INFINITY, f64::min);
    let most = curve.iter().map(|(_, y)| *y).fold(f64::NEG_INFINITY, f64::max);
    let near = |limit: &&f64| (least - (most - least)..=most + (most - least)).contains(*limit);
    let each = limits.iter().flatten().filter(near);
    each.map(|limit| Guide::Level {
        value: *limit,
        label: label.to_owned(),
    })
    .collect()
}

/// Panels that are drawn.
const MOST_PANELS: usize = 12;

fn line(text: &mut String, first: &[f64], rest: &[f64]) {
    let begun = text.is_empty() || text.ends_with('\n');
    for (k, value) in first.iter().chain(rest).enumerate() {
        let comma = if k == 0 && begun { "" } else { "," };
        let _ = write!(text, "{comma}{value:?}");
    }
    text.push('\n');
}

//! What is said of the inputs of a given motion: as data, and as a page.
use crate::{
    control::{limits_near, with_unit},
    figure::{Axis, Chart, Curve, CurveStyle, Panels},
    number::{self, decimal, grouped, rough},
    page::Page,
    summary::json,
    verdict::Verdict,
};
use serde::Serialize;

/// The inputs of a motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Inverted {
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the method.
    pub method: String,
    /// The step, s.
    pub step: f64,
    /// When the motion starts, s.
    pub start: f64,
    /// Whether it was stopped on its way.
    pub stopped: bool,
    /// Names of the inputs.
    pub inputs: Vec<String>,
    /// Their units, where they are known.
    #[serde(skip)]
    pub input_units: Vec<String>,
    /// The least and the most of each.
    #[serde(skip)]
    pub limits: Vec<[Option<f64>; 2]>,
    /// The inputs of each step.
    pub efforts: Vec<Vec<f64>>,
    /// What the inputs could not do, in parts of the momentum.
    pub left: f64,
    /// Whether that is rounding.
    pub possible: bool,
    /// When it was most.
    pub left_at: f64,
    /// Along which velocity.
    pub left_on: String,
    /// The largest deviation of a coordinate where these inputs are run forward again.
    #[serde(with = "number::nullable")]
    pub forward: f64,
    /// Why they could not be.
    pub failed: Option<String>,
}

impl Inverted {
    /// The result as JSON text.
    pub fn to_json(&self) -> String {
        json(self)
    }

    /// What came of it, in a sentence.
    pub fn conclusion(&self) -> (Verdict, String) {
        if !self.possible {
            return (
                Verdict::Bad,
                format!(
                    "The inputs cannot produce this motion: at t = {} s a part of {} of the momentum is missing along `{}`. \
                     It needs a force where no input acts, or more than `min` and `max` allow.",
                    rough(self.left_at),
                    rough(self.left),
                    self.left_on
                ),
            );
        }
        if self.stopped {
            let steps = grouped(self.efforts.len() as u64);
            return (Verdict::Doubtful, format!("It was stopped after {steps} steps."));
        }
        match &self.failed {
            Some(reason) => (
                Verdict::Doubtful,
                format!("The inputs produce the motion step by step, but run forward they fail: {reason}."),
            ),
            None => (
                Verdict::Good,
                format!(
                    "The inputs produce the motion: run forward, coordinates come within {} of it.",
                    rough(self.forward)
                ),
            ),
        }
    }

    /// The inputs as text: the beginning of each step and its middle, and what acts during it.
    pub fn efforts_csv(&self) -> String {
        let mut text = format!("t,middle,{}\n", self.inputs.join(","));
        for (k, efforts) in self.efforts.iter().enumerate() {
            let t = self.start + k as f64 * self.step;
            text += &format!("{t:?},{:?}", t + 0.5 * self.step);
            for effort in efforts {
                text += &format!(",{effort:?}");
            }
            text.push('\n');
        }
        text
    }

    /// The inputs against time.
    pub fn figure(&self) -> String {
        let charts: Vec<Chart> = (self.inputs.iter().enumerate().take(MOST_PANELS))
            .map(|(k, name)| {
                let points: Vec<(f64, f64)> = (self.efforts.iter().enumerate())
                    .map(|(row, efforts)| (self.start + (row as f64 + 0.5) * self.step, efforts[k]))
                    .collect();
                Chart {
                    title: String::new(),
                    x: Axis::time(),
                    y: Axis::linear(with_unit(name, self.input_units.get(k))),
                    guides: limits_near(&points, &self.limits[k], "limit"),
                    series: vec![Curve {
                        name: String::new(),
                        points,
                        style: CurveStyle::Line,
                    }],
                }
            })
            .collect();
        let height = if charts.len() == 1 { 320.0 } else { 180.0 };
        Panels {
            title: String::new(),
            subtitle: None,
            caption: None,
            charts,
        }
        .render_with(height)
    }

    /// The page; `command` made it.
    pub fn page(&self, title: &str, command: &str) -> String {
        let subtitle = format!(
            "inputs of a motion, {} steps of {} s",
            grouped(self.efforts.len() as u64),
            decimal(self.step)
        );
        let mut page = Page::new(title, &subtitle);
        page.section("inputs", "The inputs");
        let (verdict, text) = self.conclusion();
        page.conclusion(verdict, &text);
        page.figure(&self.figure(), "Each input, in the middle of the steps.");
        page.section("command", "The command");
        page.code(command);
        page.finish()
    }
}

/// Panels that are drawn.
const MOST_PANELS: usize = 12;

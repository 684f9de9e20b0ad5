//! What a model records by name, over a run: statistics, and curves of what was asked for.
use crate::{number, series::Envelope};
use holonomy::{
    output::{Output, Readings},
    simulation::Sample,
};
use holonomy_model::Outputs;
use serde::{Deserialize, Serialize};

/// Outputs as they are recorded. Stored beside a checkpoint, it goes on with the run.
#[derive(Default, Serialize, Deserialize)]
pub struct OutputRecord {
    outputs: Vec<Output>,
    asked: bool,
    /// One for each column.
    statistics: Vec<Statistics>,
    #[serde(skip)]
    readings: Readings,
}

/// A number over the samples of a run; what is not a number does not count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// Samples that counted.
    pub samples: u64,
    /// The least.
    pub least: f64,
    /// The largest.
    pub largest: f64,
    /// The mean.
    pub mean: f64,
    /// The last, also if it is not a number.
    pub last: f64,
}

impl Default for Statistics {
    fn default() -> Self {
        Self {
            samples: 0,
            least: f64::NAN,
            largest: f64::NAN,
            mean: f64::NAN,
            last: f64::NAN,
        }
    }
}

impl Statistics {
    /// Takes one more number.
    pub fn push(&mut self, value: f64) {
        self.last = value;
        if value.is_nan() {
            return;
        }
        self.samples += 1;
        // What is not a number is neither less nor larger.
        self.least = self.least.min(value);
        self.largest = self.largest.max(value);
        self.mean = match self.samples {
            1 => value,
            count => self.mean + (value - self.mean) / count as f64,
        };
    }
}

/// The statistics of an output, as a summary has them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutputSummary {
    /// The name of its column.
    pub name: String,
    /// Its unit, where it has one that is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// The least of all samples.
    #[serde(with = "number::nullable")]
    pub min: f64,
    /// The largest.
    #[serde(with = "number::nullable")]
    pub max: f64,
    /// The mean.
    #[serde(with = "number::nullable")]
    pub mean: f64,
    /// The last.
    #[serde(rename = "final", with = "number::nullable")]
    pub last: f64,
}

/// The curves of an output that was asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OutputCurves {
    /// Which.
    pub output: Output,
    /// One for each column.
    pub curves: Vec<Envelope>,
}

/// Outputs that have curves: more do not fit on a page.
pub const MOST_CURVES: usize = 8;

impl OutputRecord {
    /// To record what a model names.
    pub fn new(outputs: &Outputs) -> Self {
        let columns = outputs.list.iter().map(Output::width).sum();
        Self {
            outputs: outputs.list.clone(),
            asked: outputs.asked,
            statistics: vec![Statistics::default(); columns],
            readings: Readings::default(),
        }
    }

    /// Takes one more sample; curves go on too.
    pub fn push(&mut self, sample: &Sample, curves: &mut Vec<OutputCurves>) {
        if self.outputs.is_empty() {
            return;
        }
        let Sample {
            system,
            state,
            measured,
            ..
        } = *sample;
        let values = self.readings.take(&self.outputs, system, state, measured);
        for (statistics, value) in self.statistics.iter_mut().zip(values) {
            statistics.push(*value);
        }
        if !self.asked {
            return;
        }
        if curves.is_empty() {
            let shown = self.outputs.iter().take(MOST_CURVES);
            curves.extend(shown.map(|output| OutputCurves {
                output: output.clone(),
                curves: vec![Envelope::default(); output.width()],
            }));
        }
        let all = curves.iter_mut().flat_map(|output| &mut output.curves);
        for (curve, value) in all.zip(values) {
            if value.is_finite() {
                curve.push(state.t, *value);
            }
        }
    }

    /// The numbers of the last sample that a trajectory has beside the state, in the order of their columns.
    pub fn row(&self, out: &mut Vec<f64>) {
        out.clear();
        let mut values = self.readings.last().iter();
        for output in &self.outputs {
            let own = values.by_ref().take(output.width());
            match output.is_of_the_state() {
                true => own.for_each(drop),
                false => out.extend(own),
            }
        }
    }

    /// The statistics of all columns.
    pub fn summary(&self) -> Vec<OutputSummary> {
        let columns = self.outputs.iter().flat_map(|output| {
            let names = output.columns().into_iter();
            names.map(|name| (name, output.unit.clone()))
        });
        let each = columns.zip(&self.statistics);
        each.map(|((name, unit), statistics)| OutputSummary {
            name,
            unit,
            min: statistics.least,
            max: statistics.largest,
            mean: statistics.mean,
            last: statistics.last,
        })
        .collect()
    }
}

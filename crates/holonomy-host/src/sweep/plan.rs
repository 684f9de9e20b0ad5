//! Which cases a sweep has: the k-th is a function of the plan and of k alone.
use super::{
    Axis, AxisDescription, AxisValues, Description, Measure, Setting, SweepError,
    case::{FIGURES, STATISTICS},
    draw,
    sobol::{self, Sobol},
    table::{Column, ColumnKind},
};
use holonomy::output::Output;
use holonomy_model::{ChangeError, Model, Starts};
use holonomy_report::certificate::Effort;
use serde::{Deserialize, Serialize};

/// Coordinates up to which the end of a run is in the table.
const MOST_COORDINATES: usize = 200;

/// So many steps nobody waits for: `--duration inf`.
const ENDLESS: u64 = 1_000_000_000_000;

/// What varies, and how.
pub struct Plan {
    pub(super) model: Model,
    pub(super) axes: Vec<Axis>,
    pub(super) zip: bool,
    samples: u64,
    spread: Spread,
    seed: u64,
    /// Where the numbers of each axis come from.
    sources: Vec<Source>,
    pub(super) measures: Vec<Measure>,
    pub(super) effort: Effort,
    /// How cases start that differ in numbers of their starts alone, and need not be read.
    pub(super) starts: Option<Starts>,
    /// Whether the trajectory of each case is kept.
    pub(super) trajectories: bool,
}

/// How random axes are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    /// How many cases, for each point of the other axes.
    pub count: Option<u64>,
    /// Where the numbers come from.
    pub seed: u64,
    /// How evenly they lie.
    pub spread: Spread,
}

/// How evenly random cases lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Spread {
    /// Each by itself.
    #[default]
    Independent,
    /// One number in each of so many equally likely intervals, for every axis: a Latin hypercube.
    Latin,
    /// The points of Sobol's sequence, shifted by random bits; the same at every point of the other axes.
    Sobol,
}

/// Where the random numbers of an axis come from.
enum Source {
    Independent,
    /// An order of the intervals.
    Latin(Vec<u32>),
    Sobol(Box<Sobol>),
}

impl Source {
    fn new(samples: Samples, axis: usize, before: usize, count: u64) -> Self {
        match samples.spread {
            Spread::Independent => Self::Independent,
            Spread::Latin => Self::Latin(draw::shuffled(samples.seed, axis as u64, count as usize)),
            Spread::Sobol => Self::Sobol(Box::new(Sobol::new(before, samples.seed))),
        }
    }
}

impl Plan {
    /// A plan, if its axes fit the model and each other: the first case must be one.
    pub fn new(
        model: Model,
        axes: Vec<Axis>,
        zip: bool,
        samples: Samples,
        measures: &[String],
        effort: Effort,
    ) -> Result<Self, SweepError> {
        if axes.is_empty() {
            return Err(SweepError::NoAxis);
        }
        for (index, axis) in axes.iter().enumerate() {
            if axes[..index].iter().any(|other| other.key == axis.key) {
                return Err(SweepError::Twice {
                    key: axis.key.clone(),
                });
            }
        }
        if let Some(empty) = axes.iter().find(|axis| axis.count() == Some(0)) {
            return Err(SweepError::Axis {
                text: empty.text.clone(),
                reason: "it has no values",
            });
        }
        let random = axes.iter().any(|axis| axis.count().is_none());
        let count = match (random, samples.count) {
            (true, Some(count)) if count > 0 => count,
            (true, _) => return Err(SweepError::Samples("random axes need `--samples N`")),
            (false, Some(_)) => {
                return Err(SweepError::Samples(
                    "`--samples` is for `normal:` and `uniform:` axes",
                ));
            }
            (false, None) if samples.spread != Spread::Independent => {
                return Err(SweepError::Samples(
                    "`--latin` and `--sobol` are for `normal:` and `uniform:` axes",
                ));
            }
            (false, None) => 1,
        };
        let drawn = axes.iter().filter(|axis| axis.count().is_none()).count();
        if samples.spread == Spread::Sobol && drawn > sobol::MOST_AXES {
            return Err(SweepError::Samples("`--sobol` is for at most 64 random axes"));
        }
        let fixed: Vec<(&Axis, usize)> = axes
            .iter()
            .filter_map(|axis| Some((axis, axis.count()?)))
            .collect();
        if let (true, Some((one, of_one))) = (zip, fixed.first()) {
            for (other, of_other) in &fixed {
                if of_one != of_other {
                    return Err(SweepError::Uneven {
                        one: one.key.clone(),
                        of_one: *of_one,
                        other: other.key.clone(),
                        of_other: *of_other,
                    });
                }
            }
        }
        let parsed = measures
            .iter()
            .map(|text| Measure::parse(text, model.mechanism.system().layout()));
        let measures = parsed.collect::<Result<_, _>>()?;
        if samples.spread != Spread::Independent && count > sobol::MOST_POINTS {
            return Err(SweepError::TooMany);
        }
        let mut before = 0;
        let mut sources = Vec::with_capacity(axes.len());
        for (k, axis) in axes.iter().enumerate() {
            sources.push(match axis.count() {
                Some(_) => Source::Independent,
                None => Source::new(samples, k, before, count),
            });
            before += usize::from(axis.count().is_none());
        }
        let keys = axes.iter().map(|axis| axis.key.as_str());
        // A second look may try other methods and steps, and needs the model of the case.
        let starts = model.starts(keys).filter(|_| effort == Effort::None);
        let plan = Self {
            starts,
            sources,
            model,
            axes,
            zip,
            samples: count,
            spread: samples.spread,
            seed: samples.seed,
            measures,
            effort,
            trajectories: false,
        };
        if plan.cases().is_none_or(|cases| cases > 1_000_000_000) {
            return Err(SweepError::TooMany);
        }
        plan.check()?;
        Ok(plan)
    }

    /// Whether the model has the keys, and some cases are models: where all that are tried are refused, the first says
    /// why.
    fn check(&self) -> Result<(), SweepError> {
        let settings = self.settings(0);
        for (axis, setting) in self.axes.iter().zip(&settings) {
            if let Err(ChangeError::Path(error)) = self.model.with(&axis.key, axis.value(setting)) {
                return Err(SweepError::Key {
                    key: axis.key.clone(),
                    source: ChangeError::Path(error),
                });
            }
        }
        let Err(source) = self.at(&settings) else {
            return self.check_end();
        };
        if self
            .some_cases()
            .any(|case| self.at(&self.settings(case)).is_ok())
        {
            return self.check_end();
        }
        let keys: Vec<&str> = self.axes.iter().map(|axis| axis.key.as_str()).collect();
        Err(SweepError::Key {
            key: keys.join("`, `"),
            source,
        })
    }

    /// Whether cases end by themselves.
    fn check_end(&self) -> Result<(), SweepError> {
        let model = self.at(&self.settings(0));
        match model.is_ok_and(|model| model.schedule.steps >= ENDLESS) {
            true => Err(SweepError::Endless),
            false => Ok(()),
        }
    }

    /// A few cases from the first to the last, evenly spread.
    pub(super) fn some_cases(&self) -> impl Iterator<Item = u64> {
        const MOST: u64 = 16;
        let cases = self.cases().unwrap_or(u64::MAX);
        let last = u128::from(cases.saturating_sub(1));
        let count = cases.min(MOST);
        (0..count).map(move |k| (u128::from(k) * last / u128::from(count.max(2) - 1)) as u64)
    }

    /// How many cases there are.
    pub(super) fn cases(&self) -> Option<u64> {
        let mut fixed = self.axes.iter().filter_map(Axis::count).map(|len| len as u64);
        let grid = match self.zip {
            true => fixed.next().unwrap_or(1),
            false => fixed.try_fold(1_u64, u64::checked_mul)?,
        };
        grid.checked_mul(self.samples)
    }

    /// What each axis takes in a case. The last axis turns fastest.
    pub fn settings(&self, case: u64) -> Vec<Setting> {
        let sample = case % self.samples;
        let mut point = case / self.samples;
        let mut settings = vec![Setting::Number(f64::NAN); self.axes.len()];
        for (k, axis) in self.axes.iter().enumerate().rev() {
            let place = match axis.count() {
                Some(len) if !self.zip => {
                    let place = point % len as u64;
                    point /= len as u64;
                    place as usize
                }
                _ => point as usize,
            };
            let drawn = || {
                let own = draw::uniform(self.seed, k as u64, case);
                match &self.sources[k] {
                    Source::Independent => own,
                    Source::Latin(order) => (f64::from(order[sample as usize]) + own) / self.samples as f64,
                    Source::Sobol(sequence) => sequence.at(sample),
                }
            };
            settings[k] = match &axis.values {
                AxisValues::Numbers(values) => Setting::Number(values[place]),
                AxisValues::Words(words) => Setting::Word(words[place].clone()),
                AxisValues::Normal { mean, deviation } => {
                    Setting::Number(mean + deviation * draw::normal_quantile(drawn()))
                }
                AxisValues::Uniform { least, most } => Setting::Number(least + (most - least) * drawn()),
            };
        }
        settings
    }

    pub(super) fn at(&self, settings: &[Setting]) -> Result<Model, ChangeError> {
        let values = self.axes.iter().zip(settings);
        self.model
            .with_all(values.map(|(axis, setting)| (axis.key.as_str(), axis.value(setting))))
    }

    /// The axes.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The model of the cases.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Names of the numbers that each case has, in the order of the numbers of its row.
    pub fn results(&self) -> Vec<String> {
        let figures = FIGURES.map(str::to_owned).into_iter();
        let measures = self.measures.iter().map(|measure| measure.text.clone());
        let outputs = self.outputs();
        let outputs = outputs
            .iter()
            .flat_map(|name| STATISTICS.map(|statistic| format!("{name}.{statistic}")));
        figures
            .chain(measures)
            .chain(outputs)
            .chain(self.ends())
            .collect()
    }

    /// Columns of what the model records by name.
    pub(super) fn outputs(&self) -> Vec<String> {
        match self.model.outputs.asked {
            true => self.model.outputs.list.iter().flat_map(Output::columns).collect(),
            false => Vec::new(),
        }
    }

    /// Names of the coordinates and velocities at the end.
    pub(super) fn ends(&self) -> Vec<String> {
        let system = self.model.mechanism.system();
        let layout = system.layout();
        if layout.coordinates.len() > MOST_COORDINATES {
            return Vec::new();
        }
        let names = layout.coordinates.iter().chain(layout.velocities.iter());
        names.map(|name| format!("final.{name}")).collect()
    }

    /// What stands beside the table.
    pub fn describe(&self) -> Description {
        let axes = self.axes.iter().map(|axis| AxisDescription {
            key: axis.key.clone(),
            values: axis.text.clone(),
            unit: axis.unit.clone(),
        });
        Description {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            model: self.model.to_toml(),
            axes: axes.collect(),
            zip: self.zip,
            samples: self.samples,
            spread: self.spread,
            seed: self.seed,
            measures: self.measures.iter().map(|measure| measure.text.clone()).collect(),
            certify: match self.effort {
                Effort::None => "none",
                Effort::Live | Effort::Usual => "usual",
                Effort::Full => "full",
            }
            .to_owned(),
            trajectories: self.trajectories,
            cases: self.cases().unwrap_or(u64::MAX),
            columns: self.columns().into_iter().map(|column| column.name).collect(),
        }
    }

    pub(super) fn columns(&self) -> Vec<Column> {
        let column = |name: &str, kind| Column {
            name: name.to_owned(),
            kind,
        };
        let mut columns = vec![column("case", ColumnKind::Whole)];
        columns.extend(self.axes.iter().map(|axis| {
            let kind = if axis.has_words() {
                ColumnKind::Word
            } else {
                ColumnKind::Number
            };
            column(&axis.key, kind)
        }));
        columns.extend(self.results().iter().map(|name| column(name, ColumnKind::Number)));
        columns.extend(["structure", "path", "message"].map(|name| column(name, ColumnKind::Word)));
        columns
    }
}

//! Many runs of one model, whose keys take the values of axes: one table of cases.
//!
//! The k-th case is a function of the plan and of k alone, so that neither the number of threads nor the order in which
//! cases are finished shows. What is finished is on the disk, and is not computed again.
mod axis;
mod draw;
mod list;
mod measure;
mod part;
mod table;

pub use axis::{Axis, AxisValues, Setting};
pub use list::axes_of_csv;
pub use measure::Measure;
pub use part::CaseRow;

use crate::folder::FolderError;
use holonomy_model::{ChangeError, Model};
use holonomy_report::{
    certificate::Effort,
    run::{Recording, SecondLook, conclude},
    summary::Summary,
    verdict::{Evidence, Subject, Verdict},
};
use measure::Measuring;
use part::Part;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};
use table::{Column, ColumnKind, Field, TableWriter};

/// Files of a sweep: the table, the page, and what they are of.
pub const SWEEP_FILES: &[&str] = &["sweep.json", "model.toml", "cases.parquet", "sweep.html"];
/// Parts in which the cases are computed and kept.
const PARTS: u64 = 256;
/// Cases of a part at most.
const MOST_IN_A_PART: u64 = 1000;
/// Coordinates up to which the end of a run is in the table.
const MOST_COORDINATES: usize = 200;

/// Why a sweep cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// An axis that cannot be read.
    #[error("`--vary {text}`: {reason}")]
    Axis {
        /// The axis.
        text: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A measure that cannot be read.
    #[error("`--measure {text}`: {reason}")]
    Measure {
        /// The measure.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Nothing varies.
    #[error("nothing varies")]
    NoAxis,
    /// Two axes of one key.
    #[error("`{key}` varies twice")]
    Twice {
        /// The key.
        key: String,
    },
    /// Axes that are taken together and are not equally long.
    #[error(
        "with `--zip` all axes have the same number of values: `{one}` has {of_one} and `{other}` {of_other}"
    )]
    Uneven {
        /// An axis.
        one: String,
        /// Its values.
        of_one: usize,
        /// Another.
        other: String,
        /// Its values.
        of_other: usize,
    },
    /// Random axes without a number of cases, or the other way round.
    #[error("{0}")]
    Samples(&'static str),
    /// Too many cases.
    #[error("that is more than 10⁹ cases")]
    TooMany,
    /// A key that the model does not have, or a first case that it refuses.
    #[error("`{key}` cannot vary: {source}")]
    Key {
        /// The key.
        key: String,
        /// What the model says.
        source: ChangeError,
    },
    /// A table of cases that cannot be read.
    #[error("{}: {reason}", path.display())]
    Table {
        /// The table.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The folder holds another sweep.
    #[error("{} holds another sweep: its {what} is not that of this one", path.display())]
    Another {
        /// The folder.
        path: PathBuf,
        /// What differs.
        what: &'static str,
    },
    /// The folder holds this sweep, finished.
    #[error("{} holds this sweep, and it is finished", path.display())]
    Finished {
        /// The folder.
        path: PathBuf,
    },
    /// The disk refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Disk {
        /// What was tried.
        action: &'static str,
        /// On which file or directory.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// The folder cannot be filled.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// What varies, and how.
pub struct Plan {
    model: Model,
    axes: Vec<Axis>,
    zip: bool,
    samples: u64,
    latin: bool,
    seed: u64,
    /// An order of the strata for each random axis of a Latin hypercube.
    strata: Vec<Vec<u32>>,
    measures: Vec<Measure>,
    effort: Effort,
}

/// How random axes are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    /// How many cases, for each point of the other axes.
    pub count: Option<u64>,
    /// Where the numbers come from.
    pub seed: u64,
    /// One number in each of so many equally likely intervals, for every axis: a Latin hypercube.
    pub latin: bool,
}

/// What a sweep is of, as it stands beside its table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// The version of the program.
    pub version: String,
    /// The model that the cases are made from.
    pub model: String,
    /// What varies.
    pub axes: Vec<AxisDescription>,
    /// Whether axes are taken together.
    pub zip: bool,
    /// Random cases for each point of the other axes.
    pub samples: u64,
    /// Whether they are those of a Latin hypercube.
    pub latin: bool,
    /// Where random numbers come from.
    pub seed: u64,
    /// What is measured besides.
    pub measures: Vec<String>,
    /// How much work certificates are worth: `none`, `usual` or `full`.
    pub certify: String,
    /// All cases.
    pub cases: u64,
    /// Columns of the table.
    pub columns: Vec<String>,
}

/// An axis as it stands beside the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AxisDescription {
    /// The key, which is the name of its column.
    pub key: String,
    /// What it takes, as it was written.
    pub values: String,
    /// The unit of its numbers.
    pub unit: String,
}

/// What came of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Swept {
    /// All cases of the plan.
    pub cases: u64,
    /// Those that are finished.
    pub done: u64,
    /// Those that were finished before.
    pub before: u64,
    /// Those that failed or were refused.
    pub failed: u64,
    /// Whether the table was written.
    pub whole: bool,
}

/// Figures that every case has.
const FIGURES: [&str; 12] = [
    "steps",
    "t_end",
    "energy.initial",
    "energy.final",
    "energy.max_error",
    "energy.drift",
    "momentum.max_error",
    "manifold.max_error",
    "constraint.max_error",
    "path.max_share",
    "lyapunov",
    "lyapunov.error",
];

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
        let random = axes.iter().any(|axis| axis.count().is_none());
        let count = match (random, samples.count) {
            (true, Some(count)) if count > 0 => count,
            (true, _) => return Err(SweepError::Samples("random axes need `--samples N`")),
            (false, Some(_)) => {
                return Err(SweepError::Samples(
                    "`--samples` is for `normal:` and `uniform:` axes",
                ));
            }
            (false, None) => 1,
        };
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
        let is_random = |axis: &Axis| axis.count().is_none();
        let order = |(k, axis): (usize, &Axis)| match samples.latin && is_random(axis) && count < 1 << 32 {
            true => draw::shuffled(samples.seed, k as u64, count as usize),
            false => Vec::new(),
        };
        let plan = Self {
            strata: axes.iter().enumerate().map(order).collect(),
            model,
            axes,
            zip,
            samples: count,
            latin: samples.latin && random,
            seed: samples.seed,
            measures,
            effort,
        };
        if plan.cases().is_none_or(|cases| cases > 1_000_000_000) {
            return Err(SweepError::TooMany);
        }
        plan.check()?;
        Ok(plan)
    }

    /// Whether each axis, by itself, can take its first value.
    fn check(&self) -> Result<(), SweepError> {
        let settings = self.settings(0);
        for (axis, setting) in self.axes.iter().zip(&settings) {
            let refused = match self.model.with(&axis.key, axis.value(setting)) {
                Err(ChangeError::Path(error)) => ChangeError::Path(error),
                // What a path does not show: a key that nobody knows.
                Err(ChangeError::Refused(problems)) if self.axes.len() == 1 => ChangeError::Refused(problems),
                _ => continue,
            };
            return Err(SweepError::Key {
                key: axis.key.clone(),
                source: refused,
            });
        }
        // Together they must be a model, too; the message names what is wrong.
        self.at(&settings).map(drop).map_err(|source| SweepError::Key {
            key: self
                .axes
                .iter()
                .map(|axis| axis.key.as_str())
                .collect::<Vec<_>>()
                .join("`, `"),
            source,
        })
    }

    /// How many cases there are.
    fn cases(&self) -> Option<u64> {
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
                match self.strata.get(k).and_then(|order| order.get(sample as usize)) {
                    Some(stratum) => (f64::from(*stratum) + own) / self.samples as f64,
                    None => own,
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

    fn at(&self, settings: &[Setting]) -> Result<Model, ChangeError> {
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

    /// Names of the numbers that each case has, in the order of [`CaseRow::numbers`].
    pub fn results(&self) -> Vec<String> {
        let figures = FIGURES.map(str::to_owned).into_iter();
        let measures = self.measures.iter().map(|measure| measure.text.clone());
        figures.chain(measures).chain(self.ends()).collect()
    }

    /// Names of the coordinates and velocities at the end.
    fn ends(&self) -> Vec<String> {
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
            latin: self.latin,
            seed: self.seed,
            measures: self.measures.iter().map(|measure| measure.text.clone()).collect(),
            certify: match self.effort {
                Effort::None => "none",
                Effort::Live | Effort::Usual => "usual",
                Effort::Full => "full",
            }
            .to_owned(),
            cases: self.cases().unwrap_or(u64::MAX),
            columns: self.columns().into_iter().map(|column| column.name).collect(),
        }
    }

    fn columns(&self) -> Vec<Column> {
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

    /// Runs one case.
    pub fn run(&self, case: u64, stop: &AtomicBool) -> Option<CaseRow> {
        let settings = self.settings(case);
        let results = FIGURES.len() + self.measures.len() + self.ends().len();
        let refused = |message: String| CaseRow {
            case,
            numbers: vec![None; results],
            words: vec!["refused".to_owned(), "not tested".to_owned(), message],
        };
        let model = match self.at(&settings) {
            Ok(model) => model,
            Err(error) => return Some(refused(error.to_string())),
        };
        let mut simulation = model.simulation();
        let mut recording = Recording::default();
        let mut measuring = Measuring::new(&self.measures);
        let result = simulation.run(
            &model.schedule,
            &mut [&mut recording, &mut measuring, &mut Stopping(stop)],
        );
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let second = SecondLook {
            effort: self.effort,
            go_on: &|| !stop.load(Ordering::Relaxed),
        };
        let summary = conclude(&model, "", simulation, recording, result, f64::NAN, &second).summary;
        let mut numbers = figures(&summary);
        numbers.extend(measuring.values());
        numbers.extend(self.end_of(&model, &summary));
        let certificate = &summary.certificate;
        let path = certificate.line(&Subject::Path).map(|line| line.verdict);
        let path = match path {
            Some(verdict) if verdict != Verdict::Neutral => word(verdict),
            _ => "not tested",
        };
        let warnings = summary.warnings.first().map(|warning| warning.describe());
        Some(CaseRow {
            case,
            numbers,
            words: vec![
                match &summary.error {
                    Some(_) => "failed",
                    None => word(certificate.conclusion.structure),
                }
                .to_owned(),
                path.to_owned(),
                summary.error.or(warnings).unwrap_or_default(),
            ],
        })
    }

    /// Coordinates and velocities at the end; nothing where a case has others.
    fn end_of(&self, model: &Model, summary: &Summary) -> Vec<Option<f64>> {
        let names = self.ends();
        let system = model.mechanism.system();
        let layout = system.layout();
        let own = layout.coordinates.iter().chain(layout.velocities.iter());
        if !own.map(|name| format!("final.{name}")).eq(names.iter().cloned()) {
            return vec![None; names.len()];
        }
        let last = &summary.final_state;
        let mut velocity = vec![0.0; last.p.len()];
        system.velocity(last.t, &last.q, &last.p, &mut velocity, &mut system.scratch());
        let q = layout.reported(&last.q);
        q.iter().chain(&velocity).map(|value| finite(*value)).collect()
    }

    /// Runs the cases that are not finished, on all threads, and writes the table when all are.
    pub fn sweep(
        &self,
        folder: &Path,
        replace: bool,
        stop: &AtomicBool,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Swept, SweepError> {
        let cases = self.cases().unwrap_or(0);
        let parts = folder.join("parts");
        self.open(folder, &parts, replace)?;
        let size = cases.div_ceil(PARTS).clamp(1, MOST_IN_A_PART);
        let (done, before, failed) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        let count = |rows: &[CaseRow]| {
            let lost = rows
                .iter()
                .filter(|row| matches!(row.words[0].as_str(), "failed" | "refused"));
            failed.fetch_add(lost.count() as u64, Ordering::Relaxed);
            let now = done.fetch_add(rows.len() as u64, Ordering::Relaxed) + rows.len() as u64;
            progress(now, cases);
        };
        let disk = |action: &'static str, path: PathBuf| {
            move |source: io::Error| SweepError::Disk { action, path, source }
        };
        (0..cases.div_ceil(size)).into_par_iter().try_for_each(|part| {
            let (first, end) = (part * size, ((part + 1) * size).min(cases));
            let path = part::path(&parts, part);
            let whole = part::read(&parts, part, first).map_err(disk("read", path.clone()))?;
            before.fetch_add(whole.len() as u64, Ordering::Relaxed);
            count(&whole);
            if whole.len() as u64 == end - first {
                return Ok(());
            }
            let mut file = Part::open(&parts, part, &whole).map_err(disk("write", path.clone()))?;
            for case in first + whole.len() as u64..end {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let Some(row) = self.run(case, stop) else { break };
                count(std::slice::from_ref(&row));
                file.push(&row).map_err(disk("write", path.clone()))?;
            }
            file.close().map_err(disk("write", path))
        })?;
        let mut swept = Swept {
            cases,
            done: done.into_inner(),
            before: before.into_inner(),
            failed: failed.into_inner(),
            whole: false,
        };
        if swept.done == cases {
            self.write_table(folder, &parts, cases, size)
                .map_err(disk("write", folder.join("cases.parquet")))?;
            swept.whole = true;
        }
        Ok(swept)
    }

    /// Makes the folder, or finds that it holds this sweep.
    fn open(&self, folder: &Path, parts: &Path, replace: bool) -> Result<(), SweepError> {
        let disk = |action: &'static str, path: &Path| {
            let path = path.to_owned();
            move |source: io::Error| SweepError::Disk { action, path, source }
        };
        let description = self.describe();
        let stands = folder.join("sweep.json");
        match fs::read(&stands) {
            Ok(text) if !replace => {
                let found: Option<Description> = serde_json::from_slice(&text).ok();
                let what = match &found {
                    None => Some("sweep.json"),
                    Some(found) => found.difference(&description),
                };
                if let Some(what) = what {
                    let path = folder.to_owned();
                    return Err(SweepError::Another { path, what });
                }
                if folder.join("cases.parquet").exists() {
                    return Err(SweepError::Finished {
                        path: folder.to_owned(),
                    });
                }
                return Ok(());
            }
            Ok(_) => {
                // The parts are ours: `sweep.json` stands beside them.
                for path in [
                    folder.join("cases.parquet"),
                    folder.join("sweep.html"),
                    stands.clone(),
                ] {
                    match fs::remove_file(&path) {
                        Err(error) if error.kind() != io::ErrorKind::NotFound => {
                            return Err(disk("replace", &path)(error));
                        }
                        _ => {}
                    }
                }
                remove_parts(parts).map_err(disk("replace", parts))?;
            }
            Err(_) => {
                let others = fs::read_dir(folder).ok().and_then(|mut entries| entries.next());
                if others.is_some() {
                    let path = folder.to_owned();
                    let what = "contents";
                    return Err(SweepError::Another { path, what });
                }
            }
        }
        fs::create_dir_all(parts).map_err(disk("make", parts))?;
        let header = "Made by `holonomy sweep`: the model of all cases, before their keys are set.";
        place(&folder.join("model.toml"), self.model_text(header).as_bytes())
            .map_err(disk("write", folder))?;
        let text = serde_json::to_vec_pretty(&description).map_err(io::Error::from);
        text.and_then(|text| place(&stands, &text))
            .map_err(disk("write", &stands))
    }

    fn model_text(&self, header: &str) -> String {
        format!("# {header}\n{}", self.model.to_toml())
    }

    /// The table, from the parts in their order.
    fn write_table(&self, folder: &Path, parts: &Path, cases: u64, size: u64) -> io::Result<()> {
        let hidden = folder.join(".cases.parquet.part");
        let mut table = TableWriter::new(File::create(&hidden)?, self.columns())?;
        self.rows(parts, cases, size, &mut |settings, row| {
            let set = settings.iter().map(|setting| match setting {
                Setting::Number(number) => Field::Number(finite(*number)),
                Setting::Word(word) => Field::Word(word.clone()),
            });
            let case = std::iter::once(Field::Whole(row.case as i64));
            let numbers = row.numbers.iter().map(|number| Field::Number(*number));
            let words = row.words.iter().map(|word| Field::Word(word.clone()));
            table.push(case.chain(set).chain(numbers).chain(words))
        })?;
        let mut file = table.finish()?;
        file.flush()?;
        file.sync_all()?;
        fs::rename(&hidden, folder.join("cases.parquet"))?;
        remove_parts(parts)
    }

    fn rows(
        &self,
        parts: &Path,
        cases: u64,
        size: u64,
        take: &mut dyn FnMut(&[Setting], &CaseRow) -> io::Result<()>,
    ) -> io::Result<()> {
        for part in 0..cases.div_ceil(size) {
            for row in part::read(parts, part, part * size)? {
                take(&self.settings(row.case), &row)?;
            }
        }
        Ok(())
    }
}

impl Description {
    /// What differs from another, if anything does.
    fn difference(&self, other: &Self) -> Option<&'static str> {
        let pairs = [
            ("version of the program", self.version == other.version),
            ("model", self.model == other.model),
            ("axes", (&self.axes, self.zip) == (&other.axes, other.zip)),
            (
                "sample",
                (self.samples, self.latin, self.seed) == (other.samples, other.latin, other.seed),
            ),
            ("list of measures", self.measures == other.measures),
            ("`--certify`", self.certify == other.certify),
        ];
        pairs.into_iter().find(|(_, same)| !same).map(|(what, _)| what)
    }
}

/// Writes a file whole or not at all.
fn place(path: &Path, text: &[u8]) -> io::Result<()> {
    let hidden = path.with_extension("part");
    let mut file = File::create(&hidden)?;
    file.write_all(text)?;
    file.sync_all()?;
    fs::rename(hidden, path)
}

/// Removes parts, and the directory if nothing else is in it.
fn remove_parts(parts: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(parts) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("part-") && name.ends_with(".jsonl") {
            fs::remove_file(&path)?;
        }
    }
    // Something of somebody else's stays.
    let _ = fs::remove_dir(parts);
    Ok(())
}

/// Ends a run from outside.
struct Stopping<'a>(&'a AtomicBool);

impl holonomy::simulation::Observer for Stopping<'_> {
    fn observe(&mut self, _: &holonomy::simulation::Sample) -> std::ops::ControlFlow<()> {
        match self.0.load(Ordering::Relaxed) {
            true => std::ops::ControlFlow::Break(()),
            false => std::ops::ControlFlow::Continue(()),
        }
    }
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Good => "good",
        Verdict::Doubtful => "doubtful",
        Verdict::Bad => "bad",
        Verdict::Neutral => "neutral",
    }
}

fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

/// The figures of [`FIGURES`].
fn figures(summary: &Summary) -> Vec<Option<f64>> {
    let certificate = &summary.certificate;
    let share = match certificate.line(&Subject::Path).map(|line| &line.evidence) {
        Some(Evidence::Path(path)) => finite(path.largest.share),
        _ => None,
    };
    let growth = match certificate
        .line(&Subject::Predictability)
        .map(|line| &line.evidence)
    {
        Some(Evidence::Growth(growth)) => Some((growth.exponent.value, growth.error.value)),
        _ => None,
    };
    let energy = &summary.energy;
    let error = match (&summary.balance, summary.driven) {
        (Some(balance), true) => Some(balance.max_abs_error),
        (None, true) => None,
        _ => Some(
            certificate
                .largest(&Subject::Energy)
                .unwrap_or(energy.max_abs_error),
        ),
    };
    let drift = match (&summary.balance, summary.driven) {
        (Some(balance), true) => balance.drift_per_second,
        _ => energy.drift_per_second,
    };
    vec![
        Some(summary.steps as f64),
        finite(summary.t_end),
        finite(energy.initial),
        finite(energy.last),
        error.and_then(finite),
        drift.and_then(finite),
        summary.momentum_error().and_then(finite),
        summary
            .manifold
            .as_ref()
            .and_then(|manifold| finite(manifold.max_error)),
        summary
            .constraints
            .as_ref()
            .and_then(|constraints| finite(constraints.max_error)),
        share,
        growth.and_then(|(value, _)| finite(value)),
        growth.and_then(|(_, error)| finite(error)),
    ]
}

//! A recorded state of an earlier run, to start another model from.
//!
//! ```text
//! without a time    the last state, from summary.json: q and p; v = M(q)⁻¹ p of the model that was run
//! with a time       the recorded sample nearest to it, from the trajectory: q and v
//! ```
//! It becomes the section `[state]` of the new model: so its `model.toml` starts there by itself, with the same bits.
use crate::{
    folder::{Folder, FolderError},
    trajectory::read::{SavedSample, Trajectory, TrajectoryError},
};
use holonomy::system::{TransferError, carried_over};
use holonomy_model::{self as model, Model, Problem, Source, Table, Value};
use holonomy_report::summary::FinalState;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Where an earlier run was at a recorded time.
pub struct RecordedState {
    /// The model that was run.
    model: Model,
    /// The time that was taken, s.
    pub t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
}

/// Why nothing can start from a run.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is no run that has ended.
    #[error("{} holds no run that has ended: there is no `{missing}` in it", path.display())]
    Nothing {
        /// The folder.
        path: PathBuf,
        /// What it should have.
        missing: &'static str,
    },
    /// A file of it cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Its summary does not say where it ended.
    #[error("{} does not say where the run ended: {reason}", path.display())]
    NoState {
        /// The summary.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Its model cannot be read.
    #[error("the model of the run cannot be read")]
    BadModel {
        /// Its text.
        text: Box<Source>,
        /// What is wrong.
        problems: Vec<Problem>,
    },
    /// Its model is another than the one that was run.
    #[error("{} is no longer the model of the run: its states have other sizes", path.display())]
    Changed {
        /// The model.
        path: PathBuf,
    },
    /// There is no sample at such a time.
    #[error("t = {t} s is outside the run, which goes from {first} s to {last} s")]
    Outside {
        /// The time.
        t: f64,
        /// The first sample, s.
        first: f64,
        /// The last, s.
        last: f64,
    },
    /// There are too many numbers to write them into a model.
    #[error("the state has {numbers} numbers, and a model holds at most {MOST}")]
    TooLarge {
        /// How many.
        numbers: usize,
    },
    /// The two models do not fit.
    #[error(transparent)]
    Fit(#[from] TransferError),
    /// The trajectory cannot be read.
    #[error(transparent)]
    Trajectory(#[from] TrajectoryError),
    /// The folder refuses.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// Numbers that a text can hold.
const MOST: usize = 200_000;

/// The part of a summary that says where a run ended.
#[derive(serde::Deserialize)]
struct Ended {
    final_state: FinalState,
}

impl RecordedState {
    /// The last state of the run in a folder, or the recorded one nearest to a time.
    pub fn open(folder: &Path, at: Option<f64>) -> Result<Self, StartError> {
        if folder.is_dir() {
            Folder::settle(folder)?;
        }
        let read = |name: &'static str| {
            let path = folder.join(name);
            fs::read_to_string(&path).map_err(|source| match source.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => StartError::Nothing {
                    path: folder.to_owned(),
                    missing: name,
                },
                _ => StartError::Unreadable { path, source },
            })
        };
        let summary = read("summary.json")?;
        let path = folder.join("model.toml");
        let source = Source::new(path.display().to_string(), read("model.toml")?);
        let model = model::load(&source).map_err(|problems| StartError::BadModel {
            text: Box::new(source),
            problems,
        })?;
        let (t, q, v) = match at {
            Some(at) => sample(folder, &model, at)?,
            None => last(&model, &summary, folder)?,
        };
        Ok(Self { model, t, q, v })
    }

    /// The section `[state]` with which another model starts here.
    pub fn section(&self, to: &Model) -> Result<Table, StartError> {
        let numbers = self.q.len() + self.v.len();
        if numbers > MOST {
            return Err(StartError::TooLarge { numbers });
        }
        let (from, to) = (self.model.mechanism.system(), to.mechanism.system());
        let (q, v) = carried_over(from.layout(), to.layout(), &self.q, &self.v)?;
        let list = |numbers: Vec<f64>| Value::List(numbers.into_iter().map(Value::from).collect());
        let mut table = Table::new();
        table.insert("t", Value::from(self.t));
        table.insert("q", list(q));
        table.insert("v", list(v));
        Ok(table)
    }
}

type Found = (f64, Vec<f64>, Vec<f64>);

fn last(model: &Model, summary: &str, folder: &Path) -> Result<Found, StartError> {
    let no_state = |reason: String| StartError::NoState {
        path: folder.join("summary.json"),
        reason,
    };
    let ended: Ended = serde_json::from_str(summary).map_err(|error| no_state(error.to_string()))?;
    let FinalState { t, q, p, .. } = ended.final_state;
    if ![t].iter().chain(&q).chain(&p).all(|x| x.is_finite()) {
        return Err(no_state("a number of its last state is not finite".to_owned()));
    }
    if (q.len(), p.len()) != (model.state.q.len(), model.state.p.len()) {
        return Err(StartError::Changed {
            path: folder.join("model.toml"),
        });
    }
    let system = model.mechanism.system();
    let mut v = vec![0.0; p.len()];
    system.velocity(t, &q, &p, &mut v, &mut system.scratch());
    Ok((t, q, v))
}

fn sample(folder: &Path, model: &Model, at: f64) -> Result<Found, StartError> {
    let mut trajectory = Trajectory::open(folder, model)?;
    let times = trajectory.times();
    let (first, last) = (times[0], times[times.len() - 1]);
    // Times that were typed are rounded.
    let rounding = 1e-9 * (last - first).max(last.abs());
    if !(first - rounding..=last + rounding).contains(&at) {
        return Err(StartError::Outside { t: at, first, last });
    }
    let after = times.partition_point(|t| *t < at).min(times.len() - 1);
    let before = after.saturating_sub(1);
    let nearest = match at - times[before] <= times[after] - at {
        true => before,
        false => after,
    };
    let system = model.mechanism.system();
    let mut sample = SavedSample::default();
    trajectory.sample(nearest, system.layout(), &mut sample)?;
    Ok((sample.t, sample.q, sample.velocity))
}

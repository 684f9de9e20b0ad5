//! Numbers of a model from measured motion: least squares within bounds, in one run or in stretches that are joined.
//!
//! ```text
//! minimise Σ rᵢ²,   rᵢ = (y(tᵢ; θ) − yᵢ) / size of the column,   low ≤ θ ≤ high
//! ```
//! The search is in `search.rs`, derivatives in `shooting.rs`. Directions of θ in which r has a derivative that vanishes
//! are not determined by the data, however exact these are.
mod certainty;
mod data;
mod search;
mod shooting;

pub use data::Data;

use crate::sweep::SweepError;
use certainty::certainty;
use holonomy_model::{Knob, Model, nearest};
use holonomy_report::fit::{Derivatives, Fitted, FittedColumn, FittedNumber};
use nalgebra::DVector;
use search::{Found, Search};
use shooting::{Halt, Run};
use std::{num::NonZero, sync::atomic::AtomicBool};

/// Why numbers cannot be fitted.
#[derive(Debug, thiserror::Error)]
pub enum FitError {
    /// The table.
    #[error(transparent)]
    Table(#[from] SweepError),
    /// A file that cannot be read.
    #[error("cannot read {path}: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
    /// A table without times.
    #[error("{path} has no column `t`")]
    NoTime {
        /// The file.
        path: String,
    },
    /// A line with too many fields, or too few.
    #[error("{path}, {place}: it has {found} fields, and the first line {wanted}")]
    Fields {
        /// The file.
        path: String,
        /// Which line.
        place: String,
        /// How many.
        found: usize,
        /// How many the first line has.
        wanted: usize,
    },
    /// An empty cell.
    #[error("{path}, {place}, column {column}: there is no `{name}`")]
    Gap {
        /// The file.
        path: String,
        /// Which line.
        place: String,
        /// Which column, from 1.
        column: usize,
        /// What it is called.
        name: String,
    },
    /// Times that do not grow.
    #[error(
        "{path}, {place}, column {column}: the time {t} s is not later than the one before it, {before} s"
    )]
    Times {
        /// The file.
        path: String,
        /// Which line.
        place: String,
        /// Which column, from 1.
        column: usize,
        /// The time.
        t: f64,
        /// The one before it.
        before: f64,
    },
    /// Times before the model starts.
    #[error("{path}, {place}, column {column}: the time is {t} s, and the model starts at {start} s")]
    Early {
        /// The file.
        path: String,
        /// Which line.
        place: String,
        /// Which column, from 1.
        column: usize,
        /// The first time.
        t: f64,
        /// The start.
        start: f64,
    },
    /// Times after the run.
    #[error("{path}, {place}, column {column}: the time is {t} s, and the run ends at {end} s")]
    Late {
        /// The file.
        path: String,
        /// Which line.
        place: String,
        /// Which column, from 1.
        column: usize,
        /// The first time beyond it.
        t: f64,
        /// The end.
        end: f64,
    },
    /// A column of something that the model does not have.
    #[error("{path}, line 1, column {column}: the model has no output named `{name}`")]
    Column {
        /// The file.
        path: String,
        /// Which column, from 1.
        column: usize,
        /// What it is called.
        name: String,
        /// What there is.
        help: String,
    },
    /// Something that is no number.
    #[error("{path}, {place}, column {column}: `{text}` of `{name}` is not a finite number")]
    Words {
        /// The file.
        path: String,
        /// Which line.
        place: String,
        /// Which column, from 1.
        column: usize,
        /// What it is called.
        name: String,
        /// What stands there.
        text: String,
    },
    /// A table of times alone.
    #[error("{path} has nothing but times, or no rows")]
    NoData {
        /// The file.
        path: String,
    },
    /// Nothing that may change.
    #[error("nothing is free: no number of the model may change")]
    NothingFree,
    /// Not a number of the model.
    #[error("the model has no number `{key}`")]
    Key {
        /// What was asked for.
        key: String,
        /// What may have been meant.
        near: Option<String>,
    },
    /// Something that was understood by nobody.
    #[error("`{text}` is not `KEY` or `KEY=LOW:HIGH`")]
    Free {
        /// What was written.
        text: String,
    },
    /// Bounds between which a number cannot be.
    #[error("`{text}` leaves no value: `{key}` is {exists}")]
    Beyond {
        /// What was written.
        text: String,
        /// The number.
        key: String,
        /// Between what it is.
        exists: String,
    },
    /// A number that is none of what moves.
    #[error("`{key}` says how the model is run or what is asked of it: no data can tell")]
    Manner {
        /// Which.
        key: String,
    },
    /// A number that is named twice.
    #[error("`{key}` is to be free twice")]
    Twice {
        /// Which.
        key: String,
    },
    /// An output that was measured twice.
    #[error("{path}, line 1: there are two columns `{name}`")]
    Alike {
        /// The file.
        path: String,
        /// What they are called.
        name: String,
    },
    /// A whole number.
    #[error("`{key}` is a whole number, and only those that vary smoothly can be fitted")]
    Whole {
        /// Which.
        key: String,
    },
    /// Fewer data than unknowns.
    #[error("there are {data} numbers in the table, fewer than the {unknown} that are sought")]
    TooFew {
        /// How many there are.
        data: usize,
        /// How many are sought.
        unknown: usize,
    },
    /// A method that chooses its steps.
    #[error("`{method}` chooses its own steps, whose number jumps as numbers change")]
    Adaptive {
        /// The method.
        method: &'static str,
    },
    /// Stretches under constraints.
    #[error("stretches need a model without constraints: what starts one would have to keep them")]
    Constrained,
    /// More stretches than data.
    #[error("{asked} stretches are more than the data have room for: at most {most}, of two rows each")]
    Stretches {
        /// How many were asked for.
        asked: usize,
        /// How many there may be.
        most: usize,
    },
    /// It was stopped before the model as it is was seen.
    #[error("it was stopped before there was anything to keep")]
    Stopped,
    /// The model as it is cannot be run to the end of the data.
    #[error("the model as it is cannot be run to the end of the data: {0}")]
    Run(String),
}

/// A number that is sought, and what it may be.
#[derive(Clone, Debug)]
pub struct Free {
    knob: Knob,
    bounds: (f64, f64),
    /// Where the model has it at all.
    exists: (f64, f64),
}

/// Into how many stretches a run is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Segments {
    /// As many as its chaos asks for: one, where a small change does not grow much.
    #[default]
    Auto,
    /// So many.
    Count(NonZero<usize>),
}

impl Free {
    /// Reads `KEY` or `KEY=LOW:HIGH`.
    pub fn parse(text: &str, model: &Model) -> Result<Self, FitError> {
        let (key, range) = match text.split_once('=') {
            Some((key, range)) => (key.trim(), Some(range)),
            None => (text.trim(), None),
        };
        let knobs = model.knobs();
        let known = knobs.iter().find(|knob| knob.path.to_string() == key);
        // Elements are called by their names, too.
        let knob = known.or_else(|| {
            let moved = model.table.find(key).ok()?;
            knobs.iter().find(|knob| knob.path == moved)
        });
        let Some(knob) = knob else {
            let names: Vec<String> = knobs.iter().map(|knob| knob.path.to_string()).collect();
            let near = nearest(key, names.iter().map(String::as_str));
            return Err(FitError::Key {
                key: key.to_owned(),
                near: near.map(str::to_owned),
            });
        };
        if knob.whole {
            return Err(FitError::Whole { key: key.to_owned() });
        }
        let path = knob.path.to_string();
        if MANNER.contains(&path.split('.').next().unwrap_or_default()) {
            return Err(FitError::Manner { key: path });
        }
        let mut bounds = (f64::NEG_INFINITY, f64::INFINITY);
        if let Some(least) = knob.least {
            // A mass is above zero: no closer than rounding.
            bounds.0 = if knob.above {
                least + 1e-9 * knob.value.abs()
            } else {
                least
            };
        }
        if let Some(most) = knob.most {
            bounds.1 = most;
        }
        let exists = bounds;
        if let Some(range) = range {
            let ends = range.split_once(':').and_then(|(low, high)| {
                let number = |text: &str, open: f64| match text.trim() {
                    "" => Some(open),
                    text => text.parse().ok().filter(|number: &f64| number.is_finite()),
                };
                Some((number(low, f64::NEG_INFINITY)?, number(high, f64::INFINITY)?))
            });
            let (low, high) = ends
                .filter(|(low, high)| low < high)
                .ok_or_else(|| FitError::Free {
                    text: text.to_owned(),
                })?;
            bounds = (bounds.0.max(low), bounds.1.min(high));
            if !(bounds.0 <= bounds.1) {
                let exists = match (knob.least, knob.most) {
                    (Some(least), Some(most)) => format!("from {least} to {most}"),
                    (Some(least), None) if knob.above => format!("above {least}"),
                    (Some(least), None) => format!("{least} or more"),
                    (None, most) => format!("{} or less", most.unwrap_or(f64::INFINITY)),
                };
                return Err(FitError::Beyond {
                    text: text.to_owned(),
                    key: key.to_owned(),
                    exists,
                });
            }
        }
        Ok(Self {
            knob: knob.clone(),
            bounds,
            exists,
        })
    }
}

/// Sections whose numbers are none of what moves.
const MANNER: [&str; 8] = [
    "run", "method", "output", "control", "goal", "bound", "line", "up",
];
/// Growth of a small change along the data, as a logarithm, up to which one stretch will do: a thousandfold.
const TAME: f64 = 6.9;
/// Growth within one stretch of many: 1.4-fold. Of a double pendulum over 20 s, whose change grows by e²⁶, 37 or 50 stretches
/// were found not to be enough from numbers that are off by a tenth, and 70 to be.
const WITHIN: f64 = 0.35;

impl From<Halt> for FitError {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Stopped => Self::Stopped,
            Halt::Failed(sentence) => Self::Run(sentence),
        }
    }
}

/// Seeks the numbers with which a model comes closest to data. `tell` is told of every step: squares and their number.
pub fn fit(
    model: &Model,
    name: &str,
    data: &Data,
    free: &[Free],
    stop: &AtomicBool,
    tell: &mut dyn FnMut(usize, f64),
) -> Result<(Fitted, Model), FitError> {
    fit_in(model, name, data, free, Segments::Auto, (stop, tell))
}

/// The same in a number of stretches.
pub fn fit_in(
    model: &Model,
    name: &str,
    data: &Data,
    free: &[Free],
    segments: Segments,
    (stop, tell): (&AtomicBool, &mut dyn FnMut(usize, f64)),
) -> Result<(Fitted, Model), FitError> {
    if free.is_empty() {
        return Err(FitError::NothingFree);
    }
    for (k, own) in free.iter().enumerate() {
        if free[..k].iter().any(|other| other.knob.path == own.knob.path) {
            return Err(FitError::Twice {
                key: own.knob.path.to_string(),
            });
        }
    }
    if model.method.adaptive {
        return Err(FitError::Adaptive {
            method: model.method.name,
        });
    }
    let (count, unknown) = (data.count(), free.len());
    if count < unknown {
        return Err(FitError::TooFew { data: count, unknown });
    }
    let mut run = Run::new(model, data, free, stop).map_err(FitError::Run)?;
    let constrained = !model.mechanism.system().layout().multipliers.is_empty();
    match segments {
        Segments::Auto if constrained => {}
        Segments::Auto => match run.growth() {
            Ok(growth) if growth > TAME => {
                run.cut(((growth / WITHIN).ceil() as usize).min(run.telling()));
            }
            // The search finds out by itself that it is to stop.
            Ok(_) | Err(Halt::Stopped) => {}
            Err(halt) => return Err(halt.into()),
        },
        Segments::Count(asked) if asked.get() > 1 => {
            if constrained {
                return Err(FitError::Constrained);
            }
            if asked.get() > run.most() {
                return Err(FitError::Stretches {
                    asked: asked.get(),
                    most: run.most(),
                });
            }
            run.cut(asked.get());
        }
        Segments::Count(_) => {}
    }
    let start = DVector::from_fn(unknown, |k, _| free[k].knob.value);
    let theta = DVector::from_fn(unknown, |k, _| start[k].clamp(free[k].bounds.0, free[k].bounds.1));
    let mut search = Search::new(run);
    let found = search.run(theta, tell)?;
    let best = search.run.with(found.place.theta.as_slice())?;
    let fitted = told(&search.run, name, &found)?;
    Ok((fitted, best))
}

/// What is said of a search.
fn told(run: &Run<'_>, name: &str, found: &Found) -> Result<Fitted, FitError> {
    let (model, data, free) = (run.model, run.data, run.free);
    let theta = found.place.theta.as_slice();
    let sizes: Vec<f64> = (0..theta.len())
        .map(|k| match theta[k] == 0.0 {
            true => run.size(theta, k),
            false => theta[k].abs(),
        })
        .collect();
    let (errors, undetermined) = certainty(&found.slopes, &sizes, found.seen.squares(), free);
    let numbers = (0..theta.len()).map(|k| FittedNumber {
        key: free[k].knob.path.to_string(),
        label: free[k].knob.label.clone(),
        unit: match free[k].knob.unit {
            // Of a plain number, or of one of which only its author knows the unit.
            "1" => String::new(),
            unit => unit.to_owned(),
        },
        before: free[k].knob.value,
        value: theta[k],
        error: errors[k],
        at_bound: theta[k] <= free[k].bounds.0 || theta[k] >= free[k].bounds.1,
    });
    let rows: Vec<&Vec<f64>> = found.seen.shots.iter().flat_map(|shot| &shot.rows).collect();
    let mut curves = run.curves(theta, &found.place.starts)?;
    let columns = data.outputs.iter().enumerate().map(|(column, output)| {
        let offs = (0..rows.len()).map(|row| data.off(rows[row][column], row, column));
        let square: f64 = offs.clone().map(|off| off * off).sum();
        FittedColumn {
            name: output.name.clone(),
            unit: output.unit.clone(),
            spread: data.sizes[column],
            off: (square / rows.len() as f64).sqrt(),
            largest: offs
                .clone()
                .fold(0.0, |largest, off| f64::max(largest, off.abs())),
            measured: data.rows.iter().map(|row| row[column]).collect(),
            residuals: offs.collect(),
            curve: std::mem::take(&mut curves[column]),
        }
    });
    Ok(Fitted {
        scenario: name.to_owned(),
        method: model.method.name.to_owned(),
        step: model.schedule.step,
        derivatives: match run.exact {
            true => Derivatives::Exact,
            false => Derivatives::Differences,
        },
        segments: run.stretches(),
        gap: found.seen.gap(),
        joined: found.seen.gap() <= search::JOINED,
        stopped: found.stopped,
        unfinished: !found.over && !found.stopped,
        numbers: numbers.collect(),
        undetermined,
        columns: columns.collect(),
        times: data.times.clone(),
        history: found.history.clone(),
    })
}

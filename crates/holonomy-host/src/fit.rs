//! Numbers of a model from measured motion: least squares within bounds, after Levenberg and Marquardt.
//!
//! ```text
//! minimise Σ rᵢ²,   rᵢ = (y(tᵢ; θ) − yᵢ) / size of the column
//! (JᵀJ + λ diag JᵀJ) δθ = −Jᵀ r,   low ≤ θ + δθ ≤ high;    λ falls where that helps and grows where it does not
//! ```
//! J by central differences of the whole run, each parameter moved by a small part of its size. Directions of θ in which J
//! has a singular value that vanishes are not determined by the data, however exact these are.
use crate::{
    control::boxed,
    flow::Flow,
    sweep::{AxisValues, SweepError, axes_of_table},
};
use holonomy::output::Output;
use holonomy_model::{Knob, Model, Value, nearest, output_suggestion};
use holonomy_report::fit::{Fitted, FittedColumn, FittedNumber, Undetermined};
use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;
use std::{
    f64::consts::TAU,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

/// Why numbers cannot be fitted.
#[derive(Debug, thiserror::Error)]
pub enum FitError {
    /// The table.
    #[error(transparent)]
    Table(#[from] SweepError),
    /// A table without times.
    #[error("{path} has no column `t`")]
    NoTime {
        /// The file.
        path: String,
    },
    /// Times that do not grow.
    #[error("{path}: the time in row {row} is not later than the one before it")]
    Times {
        /// The file.
        path: String,
        /// Which.
        row: usize,
    },
    /// Times before the model starts.
    #[error("{path}: the first time is {t} s, and the model starts at {start} s")]
    Early {
        /// The file.
        path: String,
        /// The first time.
        t: f64,
        /// The start.
        start: f64,
    },
    /// A column of something that the model does not have.
    #[error("{path}: the model has no output named `{name}`")]
    Column {
        /// The file.
        path: String,
        /// The column.
        name: String,
        /// What there is.
        help: String,
    },
    /// A column of words.
    #[error("{path}: the column `{name}` does not hold numbers only")]
    Words {
        /// The file.
        path: String,
        /// The column.
        name: String,
    },
    /// A table of times alone.
    #[error("{path} has nothing but times")]
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
    /// The model as it is cannot be run to the end of the data.
    #[error("the model as it is cannot be run to the end of the data: {0}")]
    Run(String),
}

/// A number that is sought, and what it may be.
#[derive(Clone, Debug)]
pub struct Free {
    knob: Knob,
    bounds: (f64, f64),
}

/// What was measured.
#[derive(Clone, Debug)]
pub struct Data {
    times: Vec<f64>,
    outputs: Vec<Output>,
    /// For each time the numbers of all outputs.
    rows: Vec<Vec<f64>>,
    /// What residuals of each column are divided by.
    sizes: Vec<f64>,
    /// Columns that are angles, told within ±π.
    turning: Vec<bool>,
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
        }
        Ok(Self {
            knob: knob.clone(),
            bounds,
        })
    }
}

impl Data {
    /// Reads a table of a model's outputs: a column `t`, and one for each output, called as it is recorded.
    pub fn read(path: &Path, model: &Model) -> Result<Self, FitError> {
        let shown = path.display().to_string();
        let layout = model.mechanism.system().layout().clone();
        let mut times = None;
        let (mut outputs, mut columns) = (Vec::new(), Vec::new());
        for axis in axes_of_table(path)? {
            let AxisValues::Numbers(numbers) = axis.values else {
                return Err(FitError::Words {
                    path: shown,
                    name: axis.key,
                });
            };
            if axis.key == "t" {
                times = Some(numbers);
                continue;
            }
            match Output::find(&axis.key, &layout).filter(|output| output.width() == 1) {
                Some(output) => {
                    outputs.push(output);
                    columns.push(numbers);
                }
                None => {
                    let help = output_suggestion(&axis.key, &layout);
                    return Err(FitError::Column {
                        path: shown,
                        name: axis.key,
                        help,
                    });
                }
            }
        }
        let times = times.ok_or_else(|| FitError::NoTime { path: shown.clone() })?;
        if outputs.is_empty() {
            return Err(FitError::NoData { path: shown });
        }
        if let Some(k) = times.windows(2).position(|pair| !(pair[1] > pair[0])) {
            return Err(FitError::Times {
                path: shown,
                row: k + 2,
            });
        }
        let start = model.state.t;
        if let Some(t) = times.first().filter(|t| **t < start) {
            return Err(FitError::Early {
                path: shown,
                t: *t,
                start,
            });
        }
        let sizes = columns.iter().map(|column| {
            let mean = column.iter().sum::<f64>() / column.len() as f64;
            let square: f64 = column.iter().map(|value| (value - mean) * (value - mean)).sum();
            let spread = (square / column.len() as f64).sqrt();
            let largest = column.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
            match (spread > 1e-9 * largest, largest > 0.0) {
                (true, _) => spread,
                (false, true) => largest,
                (false, false) => 1.0,
            }
        });
        let turning = outputs.iter().map(|output: &Output| {
            let place = layout.coordinates.iter().position(|name| *name == output.name);
            place.is_some_and(|k| layout.periodic.get(k) == Some(&true))
        });
        Ok(Self {
            sizes: sizes.collect(),
            turning: turning.collect(),
            rows: (0..times.len())
                .map(|row| columns.iter().map(|column| column[row]).collect())
                .collect(),
            times,
            outputs,
        })
    }

    /// What a model makes of them: a row for each time.
    fn of(&self, model: &Model) -> Result<Vec<Vec<f64>>, String> {
        let mut flow = Flow::new(model);
        let rest = vec![0.0; model.inputs.len()];
        let (start, h) = (model.state.t, model.schedule.step);
        let (mut state, mut k) = (model.state.clone(), 0_u64);
        let mut rows = Vec::with_capacity(self.times.len());
        for time in &self.times {
            let wanted = (time - start) / h;
            // Times of tables are decimals, and those of steps multiples of one.
            while k as f64 + 1.0 <= wanted + 1e-6 {
                state = flow.next(&state, &rest).map_err(|fault| flow.describe(fault))?;
                k += 1;
                state.t = start + k as f64 * h;
            }
            let beyond = time - state.t;
            let row = if beyond > 1e-6 * h {
                let part = flow.part(&state, beyond).map_err(|fault| flow.describe(fault))?;
                flow.read(&self.outputs, &part)
            } else {
                flow.read(&self.outputs, &state)
            };
            rows.push(row);
        }
        Ok(rows)
    }

    /// The residuals in units of their columns.
    fn residuals(&self, rows: &[Vec<f64>]) -> DVector<f64> {
        let width = self.outputs.len();
        DVector::from_fn(rows.len() * width, |i, _| {
            let (row, column) = (i / width, i % width);
            self.off(rows[row][column], row, column) / self.sizes[column]
        })
    }

    /// How far a value is from what was measured.
    fn off(&self, value: f64, row: usize, column: usize) -> f64 {
        let off = value - self.rows[row][column];
        match self.turning[column] {
            true => off - (off / TAU).round() * TAU,
            false => off,
        }
    }
}

/// Parameters are moved by this part of their size for differences.
const OFFSET: f64 = 1e-5;
const MOST: usize = 200;
/// A step that promises less than this part of the squares has nothing left to find.
const NOTHING_LEFT: f64 = 1e-13;
/// Squares of so little are rounding, in units of the columns.
const EXACT: f64 = 1e-26;
/// A direction in which the data change by less than this part of the most is not determined.
const LOST: f64 = 1e-7;

/// Seeks the numbers with which a model comes closest to data. `tell` is told of every step: squares and their number.
pub fn fit(
    model: &Model,
    name: &str,
    data: &Data,
    free: &[Free],
    stop: &AtomicBool,
    tell: &mut dyn FnMut(usize, f64),
) -> Result<(Fitted, Model), FitError> {
    if free.is_empty() {
        return Err(FitError::NothingFree);
    }
    if model.method.adaptive {
        return Err(FitError::Adaptive {
            method: model.method.name,
        });
    }
    let (count, unknown) = (data.times.len() * data.outputs.len(), free.len());
    if count < unknown {
        return Err(FitError::TooFew { data: count, unknown });
    }
    let with = |theta: &DVector<f64>| -> Result<Model, String> {
        let paths: Vec<String> = free.iter().map(|free| free.knob.path.to_string()).collect();
        let values = paths.iter().zip(theta.iter());
        let values = values.map(|(path, value)| (path.as_str(), Value::from(*value)));
        model.with_all(values).map_err(|error| error.to_string())
    };
    let residuals = |theta: &DVector<f64>| -> Result<DVector<f64>, String> {
        Ok(data.residuals(&data.of(&with(theta)?)?))
    };
    let start = DVector::from_fn(unknown, |k, _| free[k].knob.value);
    let mut theta = DVector::from_fn(unknown, |k, _| start[k].clamp(free[k].bounds.0, free[k].bounds.1));
    let size = |theta: &DVector<f64>, k: usize| {
        // Of something that is zero one does not know the size.
        let own = theta[k].abs().max(start[k].abs());
        if own > 0.0 { own } else { 1.0 }
    };
    let jacobian = |theta: &DVector<f64>| -> Result<DMatrix<f64>, String> {
        let columns: Result<Vec<DVector<f64>>, String> = (0..unknown)
            .into_par_iter()
            .map(|k| {
                let step = OFFSET * size(theta, k);
                let (mut high, mut low) = (theta.clone(), theta.clone());
                high[k] = (theta[k] + step).min(free[k].bounds.1);
                low[k] = (theta[k] - step).max(free[k].bounds.0);
                let width = high[k] - low[k];
                Ok((residuals(&high)? - residuals(&low)?) / width)
            })
            .collect();
        Ok(DMatrix::from_columns(&columns?))
    };
    let mut now = residuals(&theta).map_err(FitError::Run)?;
    let mut slopes = jacobian(&theta).map_err(FitError::Run)?;
    let mut damping = 1e-3;
    let mut history = vec![now.norm_squared()];
    let mut over = false;
    let mut stopped = false;
    while !over && history.len() < MOST {
        if stop.load(Ordering::Relaxed) {
            stopped = true;
            break;
        }
        let square = slopes.tr_mul(&slopes);
        let gradient = slopes.tr_mul(&now);
        let mut damped = square.clone();
        let largest = square.diagonal().amax();
        for k in 0..unknown {
            damped[(k, k)] += damping * square[(k, k)].max(1e-12 * largest).max(f64::MIN_POSITIVE);
        }
        let limits: Vec<(f64, f64)> = (0..unknown)
            .map(|k| (free[k].bounds.0 - theta[k], free[k].bounds.1 - theta[k]))
            .collect();
        let found = boxed::minimum(&damped, &gradient, &limits).map(|minimum| minimum.place);
        let before = now.norm_squared();
        let promised = found.as_ref().map_or(0.0, |step| {
            -2.0 * gradient.dot(step) - step.dot(&(&square * step))
        });
        if before <= EXACT * count as f64 || promised <= NOTHING_LEFT * before {
            over = true;
            continue;
        }
        let better = found.and_then(|step| {
            let next = &theta + step;
            let off = residuals(&next).ok()?;
            (off.norm_squared() < before).then_some((next, off))
        });
        match better {
            Some((next, off)) => {
                (theta, now) = (next, off);
                slopes = jacobian(&theta).map_err(FitError::Run)?;
                damping = (damping * 0.1).max(1e-14);
                history.push(now.norm_squared());
                tell(history.len() - 1, now.norm_squared());
            }
            None => {
                damping *= 10.0;
                over = damping > 1e12;
            }
        }
    }
    let best = with(&theta).map_err(FitError::Run)?;
    let rows = data.of(&best).map_err(FitError::Run)?;
    let sizes: Vec<f64> = (0..unknown)
        .map(|k| {
            if theta[k] != 0.0 {
                theta[k].abs()
            } else {
                size(&theta, k)
            }
        })
        .collect();
    let (errors, undetermined) = certainty(&slopes, &sizes, now.norm_squared(), free);
    let numbers = (0..unknown).map(|k| FittedNumber {
        key: free[k].knob.path.to_string(),
        label: free[k].knob.label.clone(),
        unit: match free[k].knob.unit {
            // Of a plain number, or of one of which only its author knows the unit.
            "1" => String::new(),
            unit => unit.to_owned(),
        },
        before: start[k],
        value: theta[k],
        error: errors[k],
        at_bound: theta[k] <= free[k].bounds.0 || theta[k] >= free[k].bounds.1,
    });
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
        }
    });
    let fitted = Fitted {
        scenario: name.to_owned(),
        method: model.method.name.to_owned(),
        step: model.schedule.step,
        stopped,
        unfinished: !over && !stopped,
        numbers: numbers.collect(),
        undetermined,
        columns: columns.collect(),
        times: data.times.clone(),
        history,
    };
    Ok((fitted, best))
}

/// Standard errors, not a number where there is none, and what the data do not determine.
fn certainty(
    slopes: &DMatrix<f64>,
    sizes: &[f64],
    squares: f64,
    free: &[Free],
) -> (Vec<f64>, Vec<Undetermined>) {
    let (count, unknown) = slopes.shape();
    let scaled = DMatrix::from_fn(count, unknown, |i, k| slopes[(i, k)] * sizes[k]);
    // The squared singular values would lose half of the digits: a triangle keeps them.
    let triangle = scaled.qr().r();
    let svd = triangle.svd(false, true);
    let Some(directions) = svd.v_t else {
        return (vec![f64::NAN; unknown], Vec::new());
    };
    let most = svd.singular_values.max();
    let variance = match count > unknown {
        true => squares / (count - unknown) as f64,
        false => f64::NAN,
    };
    let mut sums = vec![0.0; unknown];
    let mut lost = vec![false; unknown];
    let mut undetermined = Vec::new();
    for (value, direction) in svd.singular_values.iter().zip(directions.row_iter()) {
        if *value > LOST * most {
            for k in 0..unknown {
                sums[k] += direction[k] * direction[k] * variance / (value * value);
            }
            continue;
        }
        let largest = direction.iter().fold(0.0_f64, |size, part| size.max(part.abs()));
        let parts: Vec<(String, f64)> = (0..unknown)
            .filter(|k| direction[*k].abs() > 1e-3 * largest)
            .map(|k| {
                lost[k] = true;
                (free[k].knob.path.to_string(), direction[k] / largest)
            })
            .collect();
        undetermined.push(Undetermined { parts });
    }
    let errors = (0..unknown).map(|k| match lost[k] {
        true => f64::NAN,
        false => sizes[k] * sums[k].sqrt(),
    });
    (errors.collect(), undetermined)
}

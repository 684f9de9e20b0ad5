//! Inverse dynamics: the inputs that produce a given motion, from the equations of the steps themselves.
//!
//! ```text
//! Φ(qₖ, p̃ₖ) = (qₖ₊₁, p⁺ₖ₊₁)                   for p̃ₖ, by Newton with ∂q⁺/∂p
//! p̃ₖ − p⁺ₖ = ½ h F (uₖ₋₁ + uₖ)                what inputs must add between two steps, modulo forces of constraints
//! ```
//! The kernel of ∂q⁺/∂p are those forces: a momentum across the constraints changes no step. What is left for inputs are the
//! directions beside it. Of inputs that do the same the smallest are taken, weighed by `control.effort`, within their
//! limits: min Σ rᵢ uᵢ², A u = b, low ≤ u ≤ high.
//!
//! The recursion has one motion of its own, (−1)ᵏ c, which belongs to the momentum at the start. If that is not known, c is
//! taken so that the inputs change least from step to step.
use crate::{
    control::{boxed, units, without_own},
    flow::Flow,
    sweep::{AxisValues, SweepError, axes_of_table},
};
use holonomy::{
    derivative::Minimal,
    integrator::Fault,
    system::{Measurement, State},
};
use holonomy_model::Model;
use holonomy_report::inverse::Inverted;
use nalgebra::{DMatrix, DVector};
use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

/// Why no inputs can be computed.
#[derive(Debug, thiserror::Error)]
pub enum InverseError {
    /// The table.
    #[error(transparent)]
    Table(#[from] SweepError),
    /// A folder without a motion.
    #[error("{} holds no `motion.csv`, `trajectory.csv` or `trajectory.parquet`", .0.display())]
    NoMotion(PathBuf),
    /// A column that is missing.
    #[error("{path} has no column `{name}`")]
    Column {
        /// The file.
        path: String,
        /// The coordinate.
        name: String,
    },
    /// Something that is no number.
    #[error("{path}: in row {row} `{text}` of `{name}` is not a finite number")]
    Words {
        /// The file.
        path: String,
        /// Which row, from 1.
        row: usize,
        /// The coordinate.
        name: String,
        /// What stands there.
        text: String,
    },
    /// Times that are not those of steps.
    #[error("{path}: row {row} is not one step of {step} s after the one before it")]
    Times {
        /// The file.
        path: String,
        /// Which.
        row: usize,
        /// The step.
        step: f64,
    },
    /// Too few rows.
    #[error("{path} has no two rows: there is no motion")]
    Short {
        /// The file.
        path: String,
    },
    /// Nothing that can be chosen.
    #[error("the model has no inputs: nothing can be chosen")]
    NoInputs,
    /// A method without such steps.
    #[error("`{method}` chooses its own steps")]
    Adaptive {
        /// The method.
        method: &'static str,
    },
    /// A motion that no momentum leads to.
    #[error("no momentum leads from row {row} to the next: {reason}")]
    Unreachable {
        /// Which.
        row: usize,
        /// Why.
        reason: String,
    },
}

/// A motion, step by step.
pub struct Motion {
    times: Vec<f64>,
    rows: Vec<Vec<f64>>,
}

/// How far times may be from those of steps, in steps.
const OFF_TIME: f64 = 1e-6;

impl Motion {
    /// Reads the coordinates of a model from a table, or from the table in the folder of a run.
    pub fn read(path: &Path, model: &Model) -> Result<Self, InverseError> {
        let path = match path.is_dir() {
            false => path.to_owned(),
            true => {
                let names = ["motion.csv", "trajectory.csv", "trajectory.parquet"];
                let mut files = names.iter().map(|name| path.join(name));
                files
                    .find(|file| file.exists())
                    .ok_or_else(|| InverseError::NoMotion(path.to_owned()))?
            }
        };
        let shown = path.display().to_string();
        let axes = axes_of_table(&path)?;
        let column = |name: &str| -> Result<Vec<f64>, InverseError> {
            let found = axes.iter().find(|axis| axis.key == name).map(|axis| &axis.values);
            match found {
                Some(AxisValues::Numbers(numbers)) => Ok(numbers.clone()),
                Some(AxisValues::Words(words)) => {
                    let finite = |word: &String| word.parse().is_ok_and(f64::is_finite);
                    let row = words.iter().position(|word| !finite(word)).unwrap_or_default();
                    Err(InverseError::Words {
                        path: shown.clone(),
                        row: row + 1,
                        name: name.to_owned(),
                        text: words.get(row).cloned().unwrap_or_default(),
                    })
                }
                _ => Err(InverseError::Column {
                    path: shown.clone(),
                    name: name.to_owned(),
                }),
            }
        };
        let times = column("t")?;
        let layout = model.mechanism.system().layout().clone();
        let mut columns = (layout.coordinates.iter())
            .map(|name| column(name))
            .collect::<Result<Vec<_>, _>>()?;
        if times.len() < 2 {
            return Err(InverseError::Short { path: shown });
        }
        let h = model.schedule.step;
        if let Some(k) = times
            .windows(2)
            .position(|t| !((t[1] - t[0] - h).abs() <= OFF_TIME * h))
        {
            return Err(InverseError::Times {
                path: shown,
                row: k + 2,
                step: h,
            });
        }
        // Angles of tables end at ±π.
        for (k, column) in columns.iter_mut().enumerate() {
            if layout.periodic.get(k) == Some(&true) {
                for row in 1..column.len() {
                    let turns = ((column[row] - column[row - 1]) / std::f64::consts::TAU).round();
                    column[row] -= turns * std::f64::consts::TAU;
                }
            }
        }
        Ok(Self {
            rows: (0..times.len())
                .map(|row| columns.iter().map(|column| column[row]).collect())
                .collect(),
            times,
        })
    }
}

/// Newton's corrections of a momentum.
const MOST: usize = 50;
/// Singular values below this part of the largest are of forces of constraints.
const ACROSS: f64 = 1e-10;
/// What inputs leave over, in parts of what was needed, where they can do what is asked.
const LEFT: f64 = 1e-9;

/// One step of the motion.
struct Step {
    /// The momentum it starts with, and that it ends with.
    before: Vec<f64>,
    after: Vec<f64>,
    /// Directions of momenta that constraints do not hold.
    free: DMatrix<f64>,
}

/// Computes the inputs of a motion. `tell` is told of every step.
pub fn inverse(
    model: &Model,
    name: &str,
    motion: &Motion,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(usize, usize),
) -> Result<(Inverted, Option<State>), InverseError> {
    if model.inputs.is_empty() {
        return Err(InverseError::NoInputs);
    }
    if model.method.adaptive {
        return Err(InverseError::Adaptive {
            method: model.method.name,
        });
    }
    // What inputs do by themselves is what is sought.
    let bare = without_own(model);
    let model = bare.as_ref().unwrap_or(model);
    let mut flow = Flow::new(model);
    let h = model.schedule.step;
    let count = motion.rows.len() - 1;
    let mut guess = model.state.p.clone();
    let mut steps: Vec<Step> = Vec::with_capacity(count);
    for k in 0..count {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let step = solved(&mut flow, motion, k, &guess)?;
        guess.clone_from(&step.after);
        steps.push(step);
        tell(k + 1, count);
    }
    let count = steps.len();
    let columns = DMatrix::from_fn(model.state.p.len(), model.inputs.len(), |i, k| {
        let input = &model.inputs[k];
        if input.velocity == i { h * input.scale } else { 0.0 }
    });
    let effort: Vec<f64> = match &model.control {
        Some(control) => control.effort.clone(),
        None => vec![1.0; model.inputs.len()],
    };
    let limits: Vec<(f64, f64)> = model.inputs.iter().map(|input| input.limits).collect();
    let one_sided = model.options.one_sided;
    // What inputs must do in each step, given what they did in the last.
    let mut efforts: Vec<Vec<f64>> = Vec::with_capacity(count);
    let mut worst = (0.0_f64, 0_usize, 0_usize);
    let share = if one_sided { 1.0 } else { 0.5 };
    let starts_at = |first: &[f64]| -> Vec<f64> {
        let acted = &columns * DVector::from_column_slice(first) * share;
        steps[0]
            .before
            .iter()
            .zip(acted.iter())
            .map(|(p, acted)| p - acted)
            .collect()
    };
    let first_known = matches(model, motion);
    let mut all = |first: Option<Vec<f64>>| {
        efforts.clear();
        worst = (0.0, 0, 0);
        for (k, step) in steps.iter().enumerate() {
            let had: DVector<f64> = match (k, one_sided, efforts.last()) {
                (0, _, _) => match &first {
                    Some(first) => DVector::from_vec(starts_at(first)),
                    None => DVector::from_column_slice(&model.state.p),
                },
                (_, false, Some(last)) => {
                    DVector::from_column_slice(&steps[k - 1].after)
                        + &columns * DVector::from_column_slice(last) * share
                }
                _ => DVector::from_column_slice(&steps[k - 1].after),
            };
            let needed = DVector::from_column_slice(&step.before) - had;
            let along = step.free.tr_mul(&needed);
            let matrix = step.free.tr_mul(&columns) * share;
            let input = smallest(&matrix, &along, &effort, &limits);
            let left = &along - &matrix * &input;
            // What inputs must do at least, within their limits, may be all that there is.
            let scale = (along.amax().max((&matrix * &input).amax()))
                .max(step.before.iter().fold(0.0, |m: f64, p| m.max(p.abs())));
            let part = left.amax() / scale.max(f64::MIN_POSITIVE);
            if !(part <= worst.0) {
                let over = &step.free * &left;
                worst = (part, k, over.iamax());
            }
            efforts.push(input.iter().copied().collect());
        }
        (efforts.clone(), worst)
    };
    let (found, worst) = match (first_known || one_sided || count < 2, &steps[..]) {
        (true, _) => all(None),
        (false, _) => {
            let (tried, _) = all(Some(vec![0.0; model.inputs.len()]));
            // u + (−1)ᵏ c with the least changes from step to step.
            let first: Vec<f64> = (0..model.inputs.len())
                .map(|i| {
                    let sum: f64 = (tried.windows(2).enumerate())
                        .map(|(k, pair)| {
                            if k % 2 == 0 {
                                pair[1][i] - pair[0][i]
                            } else {
                                pair[0][i] - pair[1][i]
                            }
                        })
                        .sum();
                    tried[0][i] + 0.5 * sum / (count - 1) as f64
                })
                .collect();
            all(Some(first))
        }
    };
    let start = (!first_known && !one_sided && count > 1).then(|| {
        let mut state = model.state.clone();
        state.q.clone_from(&motion.rows[0]);
        state.p = starts_at(&found[0]);
        state.t = motion.times[0];
        along_constraints(model, &mut state);
        state
    });
    // Forward again: what these inputs make of the start.
    let mut state = start.clone().unwrap_or_else(|| model.state.clone());
    state.carry.clear();
    let (mut off, mut failed) = (0.0_f64, None);
    for (k, input) in found.iter().enumerate() {
        match flow.next(&state, input) {
            Ok(next) => state = next,
            Err(fault) => {
                failed = Some(flow.describe(fault));
                break;
            }
        }
        state.t = motion.times[k + 1];
        let each = state.q.iter().zip(&motion.rows[k + 1]);
        off = each.map(|(q, wanted)| (q - wanted).abs()).fold(off, f64::max);
    }
    let layout = model.mechanism.system().layout().clone();
    let inverted = Inverted {
        scenario: name.to_owned(),
        method: model.method.name.to_owned(),
        step: h,
        start: motion.times[0],
        stopped: count < motion.rows.len() - 1,
        inputs: model.inputs.iter().map(|input| input.name.clone()).collect(),
        input_units: units(model),
        limits: (limits.iter())
            .map(|limits| [limits.0, limits.1].map(|limit| limit.is_finite().then_some(limit)))
            .collect(),
        efforts: found,
        left: worst.0,
        possible: worst.0 <= LEFT,
        left_at: motion.times[worst.1],
        left_on: layout.velocities.get(worst.2).cloned().unwrap_or_default(),
        forward: if failed.is_some() { f64::NAN } else { off },
        failed,
    };
    Ok((inverted, start))
}

/// Whether the model starts where the motion does, so that its momentum is that of the motion.
fn matches(model: &Model, motion: &Motion) -> bool {
    let each = model.state.q.iter().zip(&motion.rows[0]);
    let near = each.map(|(q, wanted)| (q - wanted).abs()).fold(0.0, f64::max) <= 1e-9;
    near && (model.state.t - motion.times[0]).abs() <= OFF_TIME * model.schedule.step
}

/// Takes off a momentum what leads across the constraints: no step sees it, but velocities do. Where constraints change with
/// time it stays as it is.
fn along_constraints(model: &Model, state: &mut State) {
    let system = model.mechanism.system();
    if system.layout().multipliers.is_empty() {
        return;
    }
    let off = |t: f64| {
        let (mut measured, mut scratch) = (Measurement::default(), system.scratch());
        let at = State { t, ..state.clone() };
        system.measure(&at, &mut measured, &mut scratch);
        measured.constraint.unwrap_or_default()
    };
    let h = model.schedule.step;
    if [0.7, 1.9]
        .into_iter()
        .any(|later| off(state.t + later * h) > off(state.t) + STANDS)
    {
        return;
    }
    if let Ok(minimal) = Minimal::at(&model.mechanism, state) {
        let rest = vec![0.0; state.p.len()];
        state.p = minimal.change(&minimal.coordinates(&rest, &state.p)).y;
    }
}

/// Constraints that are off by less after a step's time do not change with it.
const STANDS: f64 = 1e-10;

/// The momentum with which a step leads to the next row.
fn solved(flow: &mut Flow, motion: &Motion, k: usize, guess: &[f64]) -> Result<Step, InverseError> {
    let unreachable = |reason: String| InverseError::Unreachable { row: k + 1, reason };
    let mut from = State::new(motion.times[k], motion.rows[k].clone(), guess.to_vec());
    let [half, momenta] = flow.sizes(&from);
    let mut wanted = from.clone();
    wanted.q.clone_from(&motion.rows[k + 1]);
    let mut last = f64::INFINITY;
    let fault = |flow: &Flow, fault: Fault| unreachable(flow.describe(fault));
    let size = motion.rows[k + 1]
        .iter()
        .fold(1.0_f64, |size, q| size.max(q.abs()));
    for _ in 0..MOST {
        let end = match flow.free_step(&from) {
            Ok(end) => end,
            Err(found) => return Err(fault(flow, found)),
        };
        wanted.p.clone_from(&end.p);
        let off = flow.apart(&end, &wanted).rows(0, half).into_owned();
        let block = flow.reach(&from).map_err(|found| fault(flow, found))?;
        let svd = block.svd(true, true);
        let floor = ACROSS * svd.singular_values.max();
        let now = off.amax();
        let settled = now <= 4.0 * f64::EPSILON * size || (now <= 1e-9 * size && now >= 0.25 * last);
        if settled {
            let Some(v_t) = &svd.v_t else {
                return Err(unreachable("its derivative has no decomposition".to_owned()));
            };
            let all = 0..svd.singular_values.len();
            let kept: Vec<usize> = all.filter(|i| svd.singular_values[*i] > floor).collect();
            return Ok(Step {
                before: from.p.clone(),
                after: end.p,
                free: v_t.select_rows(&kept).transpose(),
            });
        }
        last = now;
        let change = svd
            .solve(&off, floor)
            .map_err(|reason| unreachable(reason.to_owned()))?;
        let mut whole = DVector::zeros(half + momenta);
        whole.rows_mut(half, momenta).copy_from(&change);
        let moved = flow.moved(&from, &whole);
        from.p = moved.p;
        if !from.is_finite() {
            break;
        }
    }
    Err(unreachable(format!(
        "at the nearest place a coordinate is off by {last:.1e}; it contradicts the constraints, or the step is too large for it"
    )))
}

/// The smallest inputs with A u = b within limits, and where there are none the ones that come closest.
fn smallest(
    matrix: &DMatrix<f64>,
    right: &DVector<f64>,
    effort: &[f64],
    limits: &[(f64, f64)],
) -> DVector<f64> {
    let m = matrix.ncols();
    let unit = matrix.amax().max(f64::MIN_POSITIVE);
    let (a, b) = (matrix / unit, right / unit);
    let weight = effort.iter().fold(0.0_f64, |most, r| most.max(*r)).max(1e-12);
    // Multipliers of A u = b: of a quadratic function each pass divides the error by this weight.
    let heavy = 1e6;
    let mut square = a.tr_mul(&a) * heavy;
    for i in 0..m {
        square[(i, i)] += (effort[i] / weight).max(1e-9);
    }
    let mut multipliers = DVector::zeros(b.len());
    let mut found = DVector::zeros(m);
    for _ in 0..12 {
        let gradient = a.tr_mul(&(&multipliers - &b * heavy));
        let Some(minimum) = boxed::minimum(&square, &gradient, limits) else {
            return found;
        };
        found = minimum.place;
        let off = &a * &found - &b;
        if off.amax() <= 4.0 * f64::EPSILON * b.amax() {
            break;
        }
        multipliers += off * heavy;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four cables and two directions: the smallest tensions of at least one unit, against the least squares of all ways
    /// to hold some of them at their limit.
    #[test]
    fn tensions_are_the_smallest_that_pull() {
        let matrix = DMatrix::from_row_slice(2, 4, &[0.8, -0.6, 0.3, -0.5, 0.6, 0.8, -0.9, -0.4]);
        let right = DVector::from_vec(vec![0.7, -1.1]);
        let found = smallest(&matrix, &right, &[1.0; 4], &[(1.0, f64::INFINITY); 4]);
        assert!((&matrix * &found - &right).amax() < 1e-12);
        assert!(found.iter().all(|tension| *tension >= 1.0));
        let mut best = f64::INFINITY;
        for held in 0..16_u32 {
            let free: Vec<usize> = (0..4).filter(|i| held >> i & 1 == 0).collect();
            let mut u = DVector::from_element(4, 1.0);
            if !free.is_empty() {
                let rest =
                    &right - &matrix * DVector::from_fn(4, |i, _| if free.contains(&i) { 0.0 } else { 1.0 });
                let part = matrix.select_columns(&free);
                let least = part.svd(true, true).solve(&rest, 1e-12).expect("both sides");
                for (row, i) in free.iter().enumerate() {
                    u[*i] = least[row];
                }
            }
            let fits = (&matrix * &u - &right).amax() < 1e-9 && u.iter().all(|u| *u >= 1.0 - 1e-12);
            if fits {
                best = best.min(u.norm_squared());
            }
        }
        assert!(
            (found.norm_squared() - best).abs() < 1e-9 * best,
            "{} {best}",
            found.norm_squared()
        );
    }
}

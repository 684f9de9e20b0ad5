//! The structure certificate of a run: what the method promises, what was measured, and whether they agree.
//!
//! Energy, momenta, manifold and constraints are judged over the run itself, here. Form, order, reversal and how far
//! ahead positions can be known are measured on the spot by a few more steps, in `spot`. What is promised must hold to
//! rounding. What is not promised is judged by its size: a millionth is less than masses and lengths are known to, and
//! a hundredth is seen in a figure.
mod conclusion;
mod spot;

use crate::{
    figures::{rough, uncertain},
    page::Verdict,
    series::Series,
    summary::{EnergySummary, FinalState, MomentumSummary, Summary},
};
use holonomy::{
    integrator::catalog::Mechanism,
    model::Model,
    system::{Measurement, State},
};
use serde::{Deserialize, Serialize};

/// What can be said of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// The sum of it, in a sentence or two.
    pub conclusion: Line,
    /// Line by line.
    pub lines: Vec<Line>,
}

/// One thing that should be kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// What.
    pub subject: String,
    /// What the method promises of it.
    pub promised: String,
    /// What was measured.
    pub measured: String,
    /// How it stands.
    pub verdict: Verdict,
    /// In a word or two.
    pub word: String,
}

impl Default for Line {
    fn default() -> Self {
        Self {
            subject: String::new(),
            promised: String::new(),
            measured: String::new(),
            verdict: Verdict::Neutral,
            word: String::new(),
        }
    }
}

/// An energy error of this part of what is in motion is another motion.
const WRONG: f64 = 0.5;
/// Relative errors that a figure shows; a bounded energy error of this size asks for a smaller step.
const SEEN: f64 = 1e-2;
/// Relative errors below what masses and lengths are known to.
const UNSEEN: f64 = 1e-6;
/// Slopes that are farther from zero than so many standard errors are drifts: one chance in 16 000.
const SIGNIFICANT: f64 = 4.0;
/// A drift carries the error away, and makes up at least this part of it. Less is the slope of a bounded error whose
/// slow swings the run is too short to average.
const CARRIED: f64 = 0.5;
/// Errors below this fraction are rounding, also after 10⁷ steps: ε √N is 7e-13.
const ROUNDING: f64 = 1e-11;
/// A total energy is rounded to some units in its last place, however little is in motion.
const LAST_PLACES: f64 = 64.0 * f64::EPSILON;
/// What a method promises of a thing that it does not keep.
const NOTHING: &str = "nothing";

impl Certificate {
    /// Certifies a run of a model.
    pub fn new(model: &Model, summary: &Summary, series: &Series) -> Self {
        let mut lines = Vec::new();
        lines.extend(end(summary));
        lines.push(match summary.driven {
            true => changing_energy(&summary.energy),
            false => energy(model, summary),
        });
        let scale = momentum_scale(&model.state, summary);
        let affine = of_affine_symmetry(model, summary, scale);
        for (momentum, affine) in summary.momentum.iter().zip(affine) {
            let promised = affine && model.method.momentum.holds(&model.mechanism);
            lines.push(kept_momentum(promised, momentum, scale));
        }
        lines.extend(manifold(model, summary));
        lines.extend(constraints(model, summary));
        lines.extend(pulls(model, series));
        let ahead = spot::measure(model, summary, &mut lines);
        lines.push(cost(summary));
        Self {
            conclusion: conclusion::conclusion(model, summary, &lines, ahead),
            lines,
        }
    }
}

fn line(subject: &str, promised: &str, measured: String, verdict: Verdict, word: &str) -> Line {
    Line {
        subject: subject.to_owned(),
        promised: promised.to_owned(),
        measured,
        verdict,
        word: word.to_owned(),
    }
}

impl Line {
    fn is_promised(&self) -> bool {
        self.promised != NOTHING && !self.promised.is_empty()
    }
}

/// How a relative error stands that nothing was promised of.
fn by_size(error: f64) -> Verdict {
    match error {
        e if e <= UNSEEN => Verdict::Neutral,
        e if e <= SEEN => Verdict::Doubtful,
        _ => Verdict::Bad,
    }
}

/// The line of a run that did not reach its end.
fn end(summary: &Summary) -> Option<Line> {
    let (measured, verdict, word) = match &summary.error {
        Some(error) => (format!("failed {error}"), Verdict::Bad, "failed"),
        None if summary.stopped => (
            format!("stopped at {} s", rough(summary.t_end)),
            Verdict::Neutral,
            "stopped",
        ),
        None => return None,
    };
    Some(line("end of the run", "", measured, verdict, word))
}

fn changing_energy(energy: &EnergySummary) -> Line {
    let measured = format!(
        "from {} J to {} J; forces act, or something depends on time",
        rough(energy.initial),
        rough(energy.last)
    );
    line("energy", NOTHING, measured, Verdict::Neutral, "changes, rightly")
}

/// Whether the energy drifts: by how much in the run, J.
fn drifted(model: &Model, summary: &Summary) -> Option<f64> {
    let energy = &summary.energy;
    let (slope, error) = (energy.drift_per_second?, energy.drift_standard_error?);
    let total = (slope * (summary.t_end - model.state.t)).abs();
    let seen = slope.abs() > SIGNIFICANT * error && total > ROUNDING * energy.in_motion;
    let carried = !model.method.bounded_energy || total > CARRIED * energy.max_abs_error;
    (seen && carried).then_some(total)
}

fn energy(model: &Model, summary: &Summary) -> Line {
    let energy = &summary.energy;
    let promised = match model.method.bounded_energy {
        true => "bounded, no drift",
        false => NOTHING,
    };
    let rounding = LAST_PLACES * energy.initial.abs() + ROUNDING * energy.in_motion;
    let mut measured = format!("largest error {} J", rough(energy.max_abs_error));
    if energy.in_motion > rounding {
        measured += &format!(
            ", {} of the {} J in motion",
            rough(energy.max_abs_error / energy.in_motion),
            rough(energy.in_motion)
        );
    } else if energy.max_abs_error <= rounding {
        measured += "; nothing moves";
        return line("energy", promised, measured, Verdict::Good, "at rest");
    }
    match (energy.drift_per_second, energy.drift_standard_error) {
        (Some(slope), Some(error)) => {
            measured += &format!("; drift {} J/s", uncertain(slope, error));
        }
        _ => measured += "; too short a run to tell a drift",
    }
    let part = energy.max_abs_error / energy.in_motion;
    let (verdict, word) = match (model.method.bounded_energy, drifted(model, summary)) {
        _ if !(part < WRONG) => (Verdict::Bad, "wrong"),
        (_, None) if energy.max_abs_error <= rounding => (Verdict::Good, "kept to rounding"),
        (true, None) if part > SEEN => (Verdict::Doubtful, "bounded, but large"),
        (true, None) => (Verdict::Good, "bounded"),
        (true, Some(_)) => (Verdict::Doubtful, "drifts"),
        (false, None) => match by_size(part) {
            Verdict::Bad => (Verdict::Bad, "large"),
            other => (other, "no drift seen"),
        },
        (false, Some(total)) => (by_size(part.max(total / energy.in_motion)), "drifts"),
    };
    line("energy", promised, measured, verdict, word)
}

/// What a change of a momentum is compared with: the largest of the momenta, and of all that is stored.
fn momentum_scale(start: &State, summary: &Summary) -> f64 {
    let kept = summary.momentum.iter().map(|momentum| momentum.initial);
    let last = summary.final_state.p.iter().copied();
    let all = start.p.iter().copied().chain(kept).chain(last);
    all.fold(0.0, |m: f64, p| m.max(p.abs()))
}

/// Which of the quantities that a model calls kept come with a symmetry that every discrete Lagrangian has too: those
/// of the form ξ(q)·p with ξ affine in q. A method that keeps momenta need not keep others, such as the axis of an
/// orbit, or a momentum whose symmetry bends the coordinates. Momenta of bodies and trees are of that kind by their
/// making.
fn of_affine_symmetry(model: &Model, summary: &Summary, scale: f64) -> Vec<bool> {
    let mut promised = vec![true; summary.momentum.len()];
    if !matches!(model.mechanism, Mechanism::Lagrangian(_) | Mechanism::Hamel(_)) {
        return promised;
    }
    let system = model.mechanism.system();
    let mut scratch = system.scratch();
    // Where a run ends is no special place, as where it starts may be.
    let FinalState { t, q, p, .. } = &summary.final_state;
    let mut at = |factor: f64, shift: f64| {
        let mut state = State::new(*t, q.clone(), p.clone());
        state.p.iter_mut().for_each(|p| *p *= factor);
        let each = state.q.iter_mut().enumerate();
        each.for_each(|(k, q)| *q += shift * ((k + 1) as f64).sin());
        let mut measured = Measurement::default();
        system.measure(&state, &mut measured, &mut scratch);
        measured.invariants
    };
    let middle = at(1.0, 0.0);
    for (less, more) in [(at(0.0, 0.0), at(2.0, 0.0)), (at(1.0, -1e-2), at(1.0, 1e-2))] {
        for (k, promised) in promised.iter_mut().enumerate() {
            if let (Some(less), Some(middle), Some(more)) = (less.get(k), middle.get(k), more.get(k)) {
                // Rounding is 1e-15 of the scale, a bend over 1e-2 is some 1e-4 of it.
                *promised &= (less - 2.0 * middle + more).abs() <= 1e-9 * scale.max(middle.abs());
            }
        }
    }
    promised
}

fn kept_momentum(promised: bool, momentum: &MomentumSummary, scale: f64) -> Line {
    let kept = momentum.max_error <= ROUNDING * scale;
    let (verdict, word) = match (promised, kept) {
        (_, true) => (Verdict::Good, "kept"),
        (true, false) => (Verdict::Bad, "lost"),
        (false, false) => match by_size(momentum.max_error / scale) {
            Verdict::Neutral => (Verdict::Neutral, "nearly kept"),
            other => (other, "lost"),
        },
    };
    let measured = format!(
        "{} at the start, changed by at most {}",
        rough(momentum.initial),
        rough(momentum.max_error)
    );
    let promised = if promised { "kept" } else { NOTHING };
    line(&momentum.name, promised, measured, verdict, word)
}

fn manifold(model: &Model, summary: &Summary) -> Option<Line> {
    let error = summary.manifold.as_ref()?.max_error;
    let promised = model.method.on_manifold;
    let (verdict, word) = match error {
        // A few units in the last place: three squares are added.
        e if e <= 1e-14 => (Verdict::Good, "on the sphere"),
        _ if promised => (Verdict::Bad, "leaves the sphere"),
        e => match by_size(e) {
            Verdict::Neutral => (Verdict::Neutral, "close to the sphere"),
            other => (other, "leaves the sphere"),
        },
    };
    let promised = if promised { "stays on the sphere" } else { NOTHING };
    let measured = format!("largest |1 − q·q| {}", rough(error));
    Some(line("unit length", promised, measured, verdict, word))
}

fn constraints(model: &Model, summary: &Summary) -> Option<Line> {
    let error = summary.constraints.as_ref()?.max_error;
    let promised = model.method.bounded_energy;
    let (verdict, word) = match error {
        // The equations of a step are solved to 1e-12 and better, in metres and radians.
        e if e <= 1e-10 => (Verdict::Good, "closed"),
        _ if promised => (Verdict::Bad, "open"),
        e => match by_size(e) {
            Verdict::Neutral => (Verdict::Neutral, "nearly closed"),
            other => (other, "open"),
        },
    };
    let promised = if promised { "closed to rounding" } else { NOTHING };
    let measured = format!("largest violation {}", rough(error));
    Some(line("constraints", promised, measured, verdict, word))
}

/// The largest pull of each constraint: tensions of cables, forces of loops.
fn pulls(model: &Model, series: &Series) -> Option<Line> {
    let system = model.mechanism.system();
    let layout = system.layout();
    let each = layout.multipliers.iter().zip(&series.multipliers);
    let largest: Vec<String> = each
        .enumerate()
        .filter_map(|(index, (name, envelope))| {
            let (low, high) = envelope.range()?;
            let unit = layout.multiplier_units.get(index).copied().unwrap_or_default();
            let text = format!("{name} {} … {} {unit}", rough(low), rough(high));
            Some(text.trim_end().to_owned())
        })
        .collect();
    if largest.is_empty() {
        return None;
    }
    let mut measured = largest.join("; ");
    let more = layout.multipliers.len() - largest.len();
    if more > 0 {
        measured += &format!("; and {more} more");
    }
    Some(line("constraint forces", "", measured, Verdict::Neutral, ""))
}

fn cost(summary: &Summary) -> Line {
    let solver = &summary.solver;
    let mut measured = format!(
        "{} s, {} steps per second",
        rough(summary.wall_seconds),
        rough(summary.steps_per_second)
    );
    if solver.max_iterations > 0 {
        measured += &format!(
            "; {:.2} iterations per step, at most {}",
            solver.mean_iterations, solver.max_iterations
        );
    }
    if let (Some(substeps), Some(rejected)) = (solver.substeps, solver.rejected) {
        measured += &format!("; {substeps} steps of its own, {rejected} thrown away");
    }
    line("cost", "", measured, Verdict::Neutral, "")
}

//! The certificate of a run. It answers three questions, each by a measurement: was the structure conserved, how far is
//! the path from the true one, and how far ahead can any path be known.
//!
//! This is the only place that judges a run. Energy, momenta, manifold and constraints are judged over the run itself,
//! here. Form, order and reversal are measured by a few more steps, in `spot`. The run is taken again beside a more
//! exact one in `review`, and `answers` says what that shows. What is promised must hold to rounding. What is not
//! promised is judged by its size: a millionth is less than masses and lengths are known to, and a hundredth is seen in a
//! figure.
mod answers;
mod beside;
mod conclusion;
mod energy;
mod further;
#[cfg(not(target_arch = "wasm32"))]
mod kinks;
mod review;
mod spot;
mod trial;

pub use energy::judge_drift;
pub use further::Further;
pub use review::{Effort, Review};
pub use spot::judge_order;

use crate::{
    series::Series,
    summary::{FinalState, MomentumSummary, Summary},
    verdict::{
        Conclusion, Drift, Evidence, ForceRange, Judgement, Promise, Quantity, Reason, Subject, Unmeasured,
        Verdict, WatchedSteps,
    },
};
use holonomy::{
    integrator::Integrator,
    math,
    system::{Measurement, Mechanism, State, System},
};
use holonomy_model::Model;
use serde::{Deserialize, Serialize};

/// What can be said of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// What it comes to.
    pub conclusion: Conclusion,
    /// What was watched.
    #[serde(default)]
    pub watch: WatchedSteps,
    /// One by one.
    pub lines: Vec<Judgement>,
}

/// Relative errors that a figure shows; a bounded energy error of this size asks for a smaller step.
const SEEN: f64 = 1e-2;
/// Relative errors below what masses and lengths are known to.
const UNSEEN: f64 = 1e-6;
/// Errors below this fraction are rounding, also after 10⁷ steps: ε √N is 7e-13.
const ROUNDING: f64 = 1e-11;
/// Steps up to which that holds; beyond, rounding goes on to wander as √N.
const ROUNDED: f64 = 1e7;

/// What further steps showed of a run; nothing if none were taken.
#[derive(Default)]
pub struct Spot {
    lines: Vec<Judgement>,
    review: Review,
    further: Further,
}

impl Spot {
    /// Takes the steps, with the integrator of a run; none after the moment at which `go_on` is false.
    pub fn measure(
        model: &Model,
        method: &mut dyn Integrator,
        summary: &Summary,
        effort: Effort,
        go_on: &dyn Fn() -> bool,
    ) -> Self {
        let review = Review::new(model, method, summary, effort, go_on);
        Self {
            lines: spot::lines(model, method, summary, &review),
            further: Further::measure(model, method, summary, effort, go_on),
            review,
        }
    }
}

impl Certificate {
    /// Certifies a run of a model. The integrator is that of the run; it takes more steps.
    pub fn new(
        model: &Model,
        integrator: &mut dyn Integrator,
        summary: &Summary,
        series: &Series,
        effort: Effort,
        go_on: &dyn Fn() -> bool,
    ) -> Self {
        let spot = Spot::measure(model, integrator, summary, effort, go_on);
        let mut certificate = Self::judged(model, summary, series, &spot);
        if matches!(certificate.conclusion.verdict, Verdict::Bad | Verdict::Doubtful) {
            certificate.conclusion.better = spot.review.tried(model, !summary.driven, go_on).0;
        }
        certificate
    }

    /// Certifies a run, with what further steps showed, now or before. It takes none itself.
    pub fn judged(model: &Model, summary: &Summary, series: &Series, spot: &Spot) -> Self {
        let system = model.mechanism.system();
        let Spot {
            lines: spot,
            review,
            further,
        } = spot;
        let seen = review.record.as_ref().map(|record| summary.with_more(record));
        let summary = seen.as_ref().unwrap_or(summary);
        let lasted = summary.t_end - model.state.t;
        let mut lines = Vec::new();
        lines.extend(end(summary));
        lines.push(match summary.driven {
            true => energy::changing(model, summary),
            false => energy::conserved(model, summary, *further, review.kinetic),
        });
        let scale = momentum_scale(&model.state, summary);
        let affine = of_affine_symmetry(model, &*system, summary, scale);
        let own = of_the_model(model);
        for (index, (momentum, affine)) in summary.momentum.iter().zip(affine).enumerate() {
            // What forces leave alone is not known of a formula.
            let affine = affine && !(index < own && summary.driven);
            let promised = affine && model.promises().momentum.holds(&model.mechanism);
            let unit = match model.mechanism {
                Mechanism::Spheres(_) => "kg m²/s",
                // That of what a formula measures is not known, nor that of a momentum of its coordinates.
                _ => "",
            };
            let line = conserved_momentum(promised, momentum, scale, unit, summary.steps);
            lines.push(match index < own && !affine && line.reason != Reason::Conserved {
                true => reported(line.subject, line.evidence),
                false => line,
            });
        }
        lines.extend(manifold(model, summary));
        lines.extend(constraints(
            model,
            summary,
            constraint_scale(model, &*system, summary, review),
        ));
        lines.extend(forces(&*system, series));
        lines.extend_from_slice(spot);
        lines.extend(review.kinks.clone());
        let mut path = answers::path(review.path.as_ref(), model.schedule.step);
        let wrong = |line: &Judgement| matches!(line.reason, Reason::Wrong | Reason::Unbalanced);
        let wrong = lines.iter().any(wrong);
        if wrong {
            path = answers::path_beside_a_wrong_energy(path);
        }
        let whole = review.watch.all_for.value >= lasted * (1.0 - f64::EPSILON);
        // What is not the motion of the model says nothing of it, nor what grows by more than e in each step.
        let unresolved = |growing: &beside::Growing| {
            let each = growing.exponent.value * model.schedule.step;
            growing.exponent.is_chaotic() && (wrong || path.verdict == Verdict::Bad || each > 1.0)
        };
        let growth = match review.growth {
            Some(Ok(growing)) if unresolved(&growing) => Some(Err(Unmeasured::NotResolved)),
            found => found,
        };
        let rests = energy::is_at_rest(model, summary);
        let outlook = answers::predictability(growth, lasted, whole, review.flown, rests);
        lines.push(path.clone());
        lines.push(outlook.clone());
        lines.push(cost(summary));
        Self {
            conclusion: conclusion::conclusion(model, summary, &lines, path, outlook),
            watch: review.watch.clone(),
            lines,
        }
    }

    /// What is said of a subject.
    pub fn line(&self, subject: &Subject) -> Option<&Judgement> {
        self.lines.iter().find(|line| line.subject == *subject)
    }

    /// The largest error that was seen of a subject, at recorded samples and between them; `None` where it is not said.
    pub fn largest(&self, subject: &Subject) -> Option<f64> {
        match &self.line(subject)?.evidence {
            Evidence::EnergyError { largest, .. }
            | Evidence::Balance { largest, .. }
            | Evidence::MomentumChange { largest, .. }
            | Evidence::Deviation { largest } => Some(largest.value),
            _ => None,
        }
    }

    /// The slope of the energy error, where it was fitted and the energy is conserved.
    pub fn drift(&self) -> Option<&Drift> {
        match &self.line(&Subject::Energy)?.evidence {
            Evidence::EnergyError { drift, .. } => drift.as_ref(),
            _ => None,
        }
    }
}

/// A promise that a method gives or does not give.
fn promise(given: bool) -> Promise {
    match given {
        true => Promise::Given,
        false => Promise::Withheld,
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

/// Something that is reported and neither promised nor judged.
fn reported(subject: Subject, evidence: Evidence) -> Judgement {
    Judgement {
        subject,
        promise: Promise::Inapplicable,
        evidence,
        verdict: Verdict::Neutral,
        reason: Reason::Reported,
    }
}

/// The line of a run that did not reach its end.
fn end(summary: &Summary) -> Option<Judgement> {
    let (evidence, verdict, reason) = match &summary.error {
        Some(message) => {
            let message = message.clone();
            (Evidence::Failure { message }, Verdict::Bad, Reason::Failed)
        }
        None if summary.stopped => {
            let at = Quantity::new(summary.t_end, "s");
            (Evidence::Stop { at }, Verdict::Neutral, Reason::Stopped)
        }
        None => return None,
    };
    Some(Judgement {
        verdict,
        reason,
        ..reported(Subject::End, evidence)
    })
}

/// What a change of a momentum is compared with: the largest of the momenta, and of all that is stored.
fn momentum_scale(start: &State, summary: &Summary) -> f64 {
    let conserved = summary.momentum.iter().map(|momentum| momentum.initial);
    let last = summary.final_state.p.iter().copied();
    let all = start.p.iter().copied().chain(conserved).chain(last);
    all.fold(0.0, |m: f64, p| m.max(p.abs()))
}

/// How many of the conserved quantities are a model's `[invariants]`: they come first.
fn of_the_model(model: &Model) -> usize {
    match &model.mechanism {
        Mechanism::Lagrangian(lagrangian) => lagrangian.mechanics().invariants().len(),
        _ => 0,
    }
}

/// Which of the quantities that a model calls conserved come with a symmetry that every discrete Lagrangian has too:
/// those of the form ξ(q)·p with ξ affine in q, which the equations of motion do not change. A method that conserves
/// momenta need not conserve others, such as the axis of an orbit, or a momentum whose symmetry bends the coordinates.
/// Momenta of bodies and trees are of that kind by their making.
fn of_affine_symmetry(model: &Model, system: &dyn System, summary: &Summary, scale: f64) -> Vec<bool> {
    let mut promised = vec![true; summary.momentum.len()];
    if !matches!(model.mechanism, Mechanism::Lagrangian(_)) {
        return promised;
    }
    let mut scratch = system.scratch();
    // Where a run ends is no special place, as where it starts may be.
    let FinalState { t, q, p, .. } = &summary.final_state;
    let mut at = |factor: f64, shift: f64| {
        let mut state = State::new(*t, q.clone(), p.clone());
        state.p.iter_mut().for_each(|p| *p *= factor);
        let each = state.q.iter_mut().enumerate();
        each.for_each(|(k, q)| *q += shift * math::sin((k + 1) as f64));
        let mut measured = Measurement::default();
        system.measure(&state, &mut measured, &mut scratch);
        measured.invariants
    };
    let middle = at(1.0, 0.0);
    let slopes = slopes_along_the_motion(system, summary);
    let own = promised
        .iter_mut()
        .zip(slopes)
        .zip(&middle)
        .take(of_the_model(model));
    for ((promised, slope), middle) in own {
        // Over a hundredth of the motion what changes, changes by some 1e-2 of the scale, and what does not is off by
        // the third power of it, 1e-6.
        *promised &= slope.abs() <= 1e-4 * scale.max(middle.abs());
    }
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

/// By how much the equations of motion change each conserved quantity over a hundredth of the motion, where a run ends.
fn slopes_along_the_motion(system: &dyn System, summary: &Summary) -> Vec<f64> {
    let FinalState { t, q, p, .. } = &summary.final_state;
    let (mut scratch, mut measured) = (system.scratch(), Measurement::default());
    let mut v = vec![0.0; p.len()];
    let (mut dq, mut dv) = (vec![0.0; q.len()], v.clone());
    system.velocity(*t, q, p, &mut v, &mut scratch);
    system.rate(*t, q, &v, &mut dq, &mut dv, &mut scratch);
    let largest = |list: &[f64]| list.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let fraction = |rates: &[f64], values: &[f64]| largest(rates) / largest(values).max(f64::MIN_POSITIVE);
    let time = 1e-2 / fraction(&dq, q).max(fraction(&dv, &v));
    if !time.is_finite() {
        return vec![0.0; summary.momentum.len()];
    }
    let mut at = |time: f64| {
        let moved =
            |x: &[f64], dx: &[f64]| -> Vec<f64> { x.iter().zip(dx).map(|(x, dx)| x + time * dx).collect() };
        let (q, v) = (moved(q, &dq), moved(&v, &dv));
        let mut state = State::new(t + time, q, p.clone());
        system.momentum(state.t, &state.q, &v, &mut state.p, &mut scratch);
        system.measure(&state, &mut measured, &mut scratch);
        measured.invariants.clone()
    };
    let (before, after) = (at(-time), at(time));
    before
        .iter()
        .zip(after)
        .map(|(before, after)| 0.5 * (after - before))
        .collect()
}

/// What rounding makes of a quantity in so many steps: a fraction of it.
fn wandered(steps: u64) -> f64 {
    ROUNDING * (steps as f64 / ROUNDED).sqrt().max(1.0)
}

fn conserved_momentum(
    promised: bool,
    momentum: &MomentumSummary,
    scale: f64,
    unit: &'static str,
    steps: u64,
) -> Judgement {
    let conserved = momentum.max_error <= wandered(steps) * scale;
    let (verdict, reason) = match (promised, conserved) {
        (_, true) => (Verdict::Good, Reason::Conserved),
        (true, false) => (Verdict::Bad, Reason::Lost),
        (false, false) => match by_size(momentum.max_error / scale) {
            Verdict::Neutral => (Verdict::Neutral, Reason::NearlyConserved),
            other => (other, Reason::Lost),
        },
    };
    Judgement {
        subject: Subject::Momentum {
            name: momentum.name.clone(),
        },
        promise: promise(promised),
        evidence: Evidence::MomentumChange {
            initial: Quantity::new(momentum.initial, unit),
            largest: Quantity::new(momentum.max_error, unit),
            scale: Quantity::new(scale, unit),
        },
        verdict,
        reason,
    }
}

fn manifold(model: &Model, summary: &Summary) -> Option<Judgement> {
    let error = summary.manifold.as_ref()?.max_error;
    let promised = model.promises().on_manifold;
    let (verdict, reason) = match error {
        // A few units in the last place: three squares are added.
        e if e <= 1e-14 => (Verdict::Good, Reason::OnTheSphere),
        _ if promised => (Verdict::Bad, Reason::LeavesTheSphere),
        e => match by_size(e) {
            Verdict::Neutral => (Verdict::Neutral, Reason::CloseToTheSphere),
            other => (other, Reason::LeavesTheSphere),
        },
    };
    Some(Judgement {
        subject: Subject::UnitLength,
        promise: promise(promised),
        evidence: Evidence::Deviation {
            largest: Quantity::pure(error),
        },
        verdict,
        reason,
    })
}

/// What a violation of constraints is compared with: the largest that there would be if one of the coordinates had moved
/// as far as it does in the run, or, at rest, as it would in a step, and the others had not. One where that is not known.
fn constraint_scale(model: &Model, system: &dyn System, summary: &Summary, review: &Review) -> f64 {
    let mut scratch = system.scratch();
    let mut state = model.state.clone();
    let mut scale = 0.0_f64;
    // What rests moves by rounding.
    let least = match energy::is_at_rest(model, summary) {
        true => energy::way_of_a_step(model),
        false => 0.0,
    };
    for (k, range) in review.ranges.iter().enumerate() {
        let before = state.q[k];
        state.q[k] += range.max(least);
        let mut measured = Measurement::default();
        system.measure(&state, &mut measured, &mut scratch);
        scale = scale.max(measured.constraint.unwrap_or_default());
        state.q[k] = before;
    }
    if scale > 0.0 && scale.is_finite() {
        scale
    } else {
        1.0
    }
}

fn constraints(model: &Model, summary: &Summary, scale: f64) -> Option<Judgement> {
    let error = summary.constraints.as_ref()?.max_error;
    let promised = model.promises().bounded_energy;
    let (verdict, reason) = match error / scale {
        // The equations of a step are solved to 1e-12 and better of that.
        e if e <= 1e-10 => (Verdict::Good, Reason::Satisfied),
        _ if promised => (Verdict::Bad, Reason::Violated),
        e => match by_size(e) {
            Verdict::Neutral => (Verdict::Neutral, Reason::NearlySatisfied),
            other => (other, Reason::Violated),
        },
    };
    Some(Judgement {
        subject: Subject::Constraints,
        promise: promise(promised),
        evidence: Evidence::Deviation {
            // The largest of lengths and angles together.
            largest: Quantity::pure(error),
        },
        verdict,
        reason,
    })
}

/// The range of each multiplier: tensions of cables, forces of loops.
fn forces(system: &dyn System, series: &Series) -> Option<Judgement> {
    let layout = system.layout();
    let each = layout.multipliers.iter().zip(&series.multipliers);
    let range = |(index, (name, envelope)): (usize, (&String, &crate::series::Envelope))| {
        let (least, largest) = envelope.range()?;
        let unit = layout.multiplier_units.get(index).copied().unwrap_or_default();
        let quantity = |value: f64| Quantity::new(value, unit.symbol());
        Some(ForceRange {
            name: name.clone(),
            least: quantity(least),
            largest: quantity(largest),
        })
    };
    let ranges: Vec<ForceRange> = each.enumerate().filter_map(range).collect();
    if ranges.is_empty() {
        return None;
    }
    let more = layout.multipliers.len() - ranges.len();
    Some(reported(
        Subject::ConstraintForces,
        Evidence::Forces { ranges, more },
    ))
}

fn cost(summary: &Summary) -> Judgement {
    let solver = &summary.solver;
    let evidence = Evidence::Cost {
        wall: Quantity::new(summary.wall_seconds, "s"),
        rate: Quantity::new(summary.steps_per_second, "1/s"),
        iterations: (solver.max_iterations > 0).then_some((solver.mean_iterations, solver.max_iterations)),
        adaptive: solver.substeps.zip(solver.rejected),
    };
    reported(Subject::Cost, evidence)
}

//! The structure certificate of a run: what the method promises, what was measured, and whether they agree.
//!
//! This is the only place that judges a run. Energy, momenta, manifold and constraints are judged over the run itself,
//! here. Form, order, reversal and how far ahead positions can be known are measured on the spot by a few more steps,
//! in `spot`. What is promised must hold to rounding. What is not promised is judged by its size: a millionth is less
//! than masses and lengths are known to, and a hundredth is seen in a figure.
mod conclusion;
mod energy;
mod spot;

pub use energy::judge_drift;
pub use spot::{Spot, judge_order};

use crate::{
    series::Series,
    summary::{FinalState, MomentumSummary, Summary},
    verdict::{
        Conclusion, Drift, Evidence, ForceRange, Judgement, Promise, Quantity, Reason, Subject, Verdict,
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
    /// One by one.
    pub lines: Vec<Judgement>,
}

/// Relative errors that a figure shows; a bounded energy error of this size asks for a smaller step.
const SEEN: f64 = 1e-2;
/// Relative errors below what masses and lengths are known to.
const UNSEEN: f64 = 1e-6;
/// Errors below this fraction are rounding, also after 10⁷ steps: ε √N is 7e-13.
const ROUNDING: f64 = 1e-11;

impl Certificate {
    /// Certifies a run of a model. The integrator is that of the run; it takes a few more steps.
    pub fn new(model: &Model, integrator: &mut dyn Integrator, summary: &Summary, series: &Series) -> Self {
        Self::judged(model, summary, series, &Spot::measure(model, integrator, summary))
    }

    /// Certifies a run, with what a few more steps showed, now or before. It takes none itself.
    pub fn judged(model: &Model, summary: &Summary, series: &Series, spot: &Spot) -> Self {
        let system = model.mechanism.system();
        let mut lines = Vec::new();
        lines.extend(end(summary));
        lines.push(match summary.driven {
            true => energy::changing(&summary.energy),
            false => energy::conserved(model, summary),
        });
        let scale = momentum_scale(&model.state, summary);
        let affine = of_affine_symmetry(model, &*system, summary, scale);
        for (momentum, affine) in summary.momentum.iter().zip(affine) {
            let promised = affine && model.promises().momentum.holds(&model.mechanism);
            let unit = match model.mechanism {
                Mechanism::Spheres(_) => "kg m²/s",
                // That of what a formula measures is not known, nor that of a momentum of its coordinates.
                _ => "",
            };
            lines.push(conserved_momentum(promised, momentum, scale, unit));
        }
        lines.extend(manifold(model, summary));
        lines.extend(constraints(model, summary));
        lines.extend(forces(&*system, series));
        lines.extend_from_slice(&spot.lines);
        lines.push(cost(summary));
        Self {
            conclusion: conclusion::conclusion(model, summary, &lines, spot.chaos.clone()),
            lines,
        }
    }

    /// What is said of a subject.
    pub fn line(&self, subject: &Subject) -> Option<&Judgement> {
        self.lines.iter().find(|line| line.subject == *subject)
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

/// Which of the quantities that a model calls conserved come with a symmetry that every discrete Lagrangian has too:
/// those of the form ξ(q)·p with ξ affine in q. A method that conserves momenta need not conserve others, such as the
/// axis of an orbit, or a momentum whose symmetry bends the coordinates. Momenta of bodies and trees are of that kind
/// by their making.
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

fn conserved_momentum(
    promised: bool,
    momentum: &MomentumSummary,
    scale: f64,
    unit: &'static str,
) -> Judgement {
    let conserved = momentum.max_error <= ROUNDING * scale;
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

fn constraints(model: &Model, summary: &Summary) -> Option<Judgement> {
    let error = summary.constraints.as_ref()?.max_error;
    let promised = model.promises().bounded_energy;
    let (verdict, reason) = match error {
        // The equations of a step are solved to 1e-12 and better, in metres and radians.
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

//! What a few more steps show: form, order, reversal, and how far ahead positions can be known.
//!
//! ```text
//! |δ(t)| ≈ |δ(0)| e^(λt)     λ from two runs that start 1e-9 apart
//! error δ of the method or of rounding  →  positions are known until  ln(0.1/δ) / λ
//! ```
use super::{promise, reported};
use crate::{
    summary::Summary,
    verdict::{
        Chaos, Evidence, Judgement, MeasuredOrder, Promise, Quantity, Reason, Subject, Unmeasured, Verdict,
    },
};
use holonomy::{
    diagnostics::{distance, reversal_error, symplecticity_defect_within},
    integrator::Integrator,
    math,
    system::{State, System},
};
use holonomy_model::Model;

/// Reversal and form are measured by differences that are this good, with equations solved to 1e-12.
const DIFFERENCES: f64 = 1e-8;
/// Below this a thing that nobody promised holds all the same.
const BY_CHANCE: f64 = 1e-12;
/// Entries of the momentum up to which the form is measured: 12 steps for each.
const MOST_CANONICAL: usize = 60;
/// Displacements by which the form is measured, rad, m, and in units of the largest momentum: stiff systems need small
/// ones. A defect of the step itself is the same with all of them.
const OFFSETS: [f64; 3] = [5e-3, 5e-4, 5e-5];
/// Measured orders this far from the declared one do not show it: three runs of a few steps leave that much open.
const ORDER_OFF: f64 = 0.35;

/// How far apart two runs start, and where they are far apart.
const APART: f64 = 1e-9;
const FAR: f64 = 1e-3;
/// One step of so many is taken again by each of two runs, to see how fast they diverge: 2 % of the steps in all, and not
/// more steps than show it.
const PART: u64 = 100;
const MOST: u64 = 20_000;
/// In short runs of small systems they take more, up to this many entries of q and to a tenth of the steps.
const ENTRIES: u64 = 60_000;
const PART_OF_SHORT: u64 = 10;
/// Fewer steps show nothing.
const FEWEST: u64 = 25;
/// Regular motions diverge as the time or its square: by 2 or 4 while the time doubles. More is exponential.
const EXPONENTIAL: f64 = 10.0;
/// Positions are known as long as their error is a tenth of what they are measured by.
const KNOWN: f64 = 0.1;

/// Entries of q up to which a run is worth more steps: of larger systems several states would not fit beside each other.
const LARGEST: usize = 200_000;

/// What a few more steps showed; nothing if none were taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spot {
    pub(super) lines: Vec<Judgement>,
    /// Where the motion is chaotic, how much.
    pub(super) chaos: Option<Chaos>,
}

impl Spot {
    /// Takes the steps, with the integrator of a run.
    pub fn measure(model: &Model, method: &mut dyn Integrator, summary: &Summary) -> Self {
        if model.state.q.len() > LARGEST {
            return Self::default();
        }
        let system = &*model.mechanism.system();
        let start = underway(model, method);
        let mut error = f64::EPSILON;
        let mut lines = Vec::new();
        if !model.method.adaptive {
            lines.extend(form(model, system, summary, &start, method));
            let (line, found) = order(model, method);
            lines.push(line);
            error = error.max(found);
            lines.push(reversal(model, &start, method));
        }
        let (line, chaos) = predictability(model, system, summary, &start, error, method);
        lines.push(line);
        Self { lines, chaos }
    }
}

/// A state a few steps from the start, where a run that starts at rest has momenta to compare with.
fn underway(model: &Model, method: &mut dyn Integrator) -> State {
    let mut state = model.state.clone();
    for _ in 0..4 {
        if method.attempt(&mut state, model.schedule.step).is_err() {
            break;
        }
    }
    state.carry.clear();
    state
}

fn form(
    model: &Model,
    system: &dyn System,
    summary: &Summary,
    start: &State,
    method: &mut dyn Integrator,
) -> Option<Judgement> {
    let canonical = system.is_canonical() && summary.constraints.is_none() && !summary.driven;
    if !canonical || model.state.p.len() > MOST_CANONICAL {
        return None;
    }
    let promised = model.promises().symplectic;
    let mut defect = f64::NAN;
    for offset in OFFSETS {
        let found = symplecticity_defect_within(system, method, start, model.schedule.step, offset);
        defect = found.map_or(defect, |found| defect.min(found));
        if defect <= DIFFERENCES {
            break;
        }
    }
    let (verdict, reason) = match (promised, defect) {
        (_, defect) if !defect.is_finite() => (Verdict::Neutral, Reason::Unknown),
        (true, defect) if defect <= DIFFERENCES => (Verdict::Good, Reason::Preserved),
        (true, _) => (Verdict::Bad, Reason::Broken),
        (false, defect) if defect <= BY_CHANCE => (Verdict::Neutral, Reason::PreservedHere),
        (false, _) => (Verdict::Neutral, Reason::NotPreserved),
    };
    Some(Judgement {
        subject: Subject::Form,
        promise: promise(promised),
        evidence: deviation(Some(defect).filter(|defect| defect.is_finite())),
        verdict,
        reason,
    })
}

/// A number that should be zero, or that it could not be measured where the run starts.
fn deviation(found: Option<f64>) -> Evidence {
    match found {
        Some(found) => Evidence::Deviation {
            largest: Quantity::pure(found),
        },
        None => Evidence::Missing {
            why: Unmeasured::AtTheStart,
        },
    }
}

/// `(h, order, error)` from three runs of equal length with steps h, h/2 and h/4, at the first of 1, 4, 16, … times
/// the step at which rounding does not hide it. The error is that of four steps of the run.
fn measured_order(model: &Model, method: &mut dyn Integrator) -> Option<(f64, f64, f64)> {
    let mut end = |h: f64, steps: u32| {
        let mut state = model.state.clone();
        state.carry.clear();
        for _ in 0..steps {
            method.attempt(&mut state, h).ok()?;
        }
        Some(state)
    };
    let mut h = model.schedule.step;
    let mut error = None;
    for _ in 0..6 {
        let (one, two, four) = (end(h, 4)?, end(h / 2.0, 8)?, end(h / 4.0, 16)?);
        let (coarse, fine) = (distance(&one, &two), distance(&two, &four));
        let error = *error.get_or_insert(coarse);
        if fine > 1e-12 {
            return Some((h, math::log2(coarse / fine), error));
        }
        h *= 4.0;
    }
    None
}

/// How a measured order stands beside the declared one; also that of a convergence study.
pub fn judge_order(declared: u32, measured: Option<f64>) -> (Verdict, Reason) {
    let declared = f64::from(declared);
    match measured {
        None => (Verdict::Neutral, Reason::Unknown),
        Some(order) if (order - declared).abs() <= ORDER_OFF => (Verdict::Good, Reason::AsDeclared),
        Some(order) if order > declared => (Verdict::Neutral, Reason::HigherHere),
        Some(_) => (Verdict::Doubtful, Reason::StepTooLarge),
    }
}

fn order(model: &Model, method: &mut dyn Integrator) -> (Judgement, f64) {
    let declared = model.promises().order;
    let found = measured_order(model, method);
    let (verdict, reason) = judge_order(declared, found.map(|(_, order, _)| order));
    let measured = found.map(|(h, order, _)| MeasuredOrder {
        order,
        step: Quantity::new(h, "s"),
    });
    let line = Judgement {
        subject: Subject::Order,
        promise: Promise::Given,
        evidence: Evidence::Order { declared, measured },
        verdict,
        reason,
    };
    (line, found.map_or(0.0, |(_, _, error)| error))
}

fn reversal(model: &Model, start: &State, method: &mut dyn Integrator) -> Judgement {
    let promised = model.promises().symmetric;
    let error = reversal_error(method, start, model.schedule.step).ok();
    let (verdict, reason) = match (promised, error) {
        (_, None) => (Verdict::Neutral, Reason::Unknown),
        (true, Some(error)) if error <= DIFFERENCES => (Verdict::Good, Reason::Undone),
        (true, Some(_)) => (Verdict::Bad, Reason::NotUndone),
        (false, Some(error)) if error <= BY_CHANCE => (Verdict::Neutral, Reason::UndoneHere),
        (false, Some(_)) => (Verdict::Neutral, Reason::NotUndone),
    };
    Judgement {
        subject: Subject::Reversal,
        promise: promise(promised),
        evidence: deviation(error),
        verdict,
        reason,
    }
}

/// The steps that each of two runs may take.
fn allowance(model: &Model, summary: &Summary) -> u64 {
    let affordable = ENTRIES / model.state.q.len().max(1) as u64;
    let more = affordable.min(summary.steps / PART_OF_SHORT);
    (summary.steps / PART).min(MOST).max(more)
}

fn predictability(
    model: &Model,
    system: &dyn System,
    summary: &Summary,
    start: &State,
    error: f64,
    method: &mut dyn Integrator,
) -> (Judgement, Option<Chaos>) {
    let unknown = |why: Unmeasured| {
        let line = Judgement {
            reason: Reason::Unknown,
            ..reported(Subject::Predictability, Evidence::Missing { why })
        };
        (line, None)
    };
    let steps = allowance(model, summary);
    let too_few = |steps: u64| steps < FEWEST;
    if too_few(steps) {
        return unknown(Unmeasured::TooFewSteps);
    }
    let h = model.schedule.step;
    let Some(distances) = separation(model, system, summary, start, steps, method) else {
        return unknown(Unmeasured::NeighbourFails);
    };
    if too_few(distances.len() as u64) {
        return unknown(Unmeasured::ApartAtOnce);
    }
    let ((before, from), (after, to)) = (largest(&distances, 1), largest(&distances, 3));
    let growth = after / before;
    if !(growth > EXPONENTIAL) {
        let evidence = Evidence::Separation {
            distance: Quantity::pure(after),
            after: Quantity::new(distances.len() as f64 * h, "s"),
        };
        let line = Judgement {
            reason: Reason::NoChaosSeen,
            ..reported(Subject::Predictability, evidence)
        };
        return (line, None);
    }
    let rate = math::ln(growth) / ((to - from) as f64 * h);
    let known = |error: f64| Quantity::new(math::ln(KNOWN / error).max(0.0) / rate, "s");
    let chaos = Chaos {
        growth_per_second: math::exp(rate),
        known_until: known(error),
        known_at_best: known(f64::EPSILON),
    };
    let line = Judgement {
        reason: match summary.t_end - model.state.t > chaos.known_until.value {
            true => Reason::Chaotic,
            false => Reason::ChaoticLater,
        },
        ..reported(Subject::Predictability, Evidence::Divergence(chaos.clone()))
    };
    (line, Some(chaos))
}

/// The distances of two runs in their coordinates after each step, until they are far apart; `None` if one of them fails.
fn separation(
    model: &Model,
    system: &dyn System,
    summary: &Summary,
    start: &State,
    steps: u64,
    method: &mut dyn Integrator,
) -> Option<Vec<f64>> {
    let (mut one, mut two) = (start.clone(), start.clone());
    if system.is_canonical() && summary.constraints.is_none() {
        let (mut x, y) = system.canonical(&start.q, &start.q, &start.p);
        // Both go this way, as methods that leave the manifold start beside it.
        (one.q, one.p) = system.state_from_canonical(&start.q, &x, &y);
        x.iter_mut().for_each(|x| *x += APART);
        (two.q, two.p) = system.state_from_canonical(&start.q, &x, &y);
    } else {
        // Constraints on velocities allow another speed.
        two.p.iter_mut().for_each(|p| *p *= 1.0 + APART);
    }
    let mut distances = Vec::with_capacity(steps as usize);
    for k in 1..=steps {
        for state in [&mut one, &mut two] {
            method.attempt(state, model.schedule.step).ok()?;
            state.t = start.t + k as f64 * model.schedule.step;
        }
        let apart = one.q.iter().zip(&two.q);
        let apart = apart.map(|(one, two)| (one - two).abs()).fold(0.0, f64::max);
        distances.push(apart);
        if !(apart < FAR) {
            break;
        }
    }
    Some(distances)
}

/// The largest distance of a quarter of the time, and its step.
fn largest(distances: &[f64], quarter: usize) -> (f64, usize) {
    let bound = |quarter: usize| quarter * distances.len() / 4;
    let range = bound(quarter)..bound(quarter + 1);
    let each = range.map(|k| (distances[k], k));
    each.fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a })
}

//! What a few more steps show where the run starts: form, order, reversal. Coordinates are measured in units of the
//! largest of them.
use super::{Review, energy, promise, review::LOST};
use crate::{
    summary::Summary,
    verdict::{Evidence, Judgement, MeasuredOrder, Promise, Quantity, Reason, Subject, Unmeasured, Verdict},
};
use holonomy::{
    diagnostics::{Momenta, distance_in, reversal_error, symplecticity_defect_within},
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
/// Where the first term of the error vanishes, the second shows: one order more, or two for symmetric methods. Beyond that
/// the step is too large to show any.
const HIGHER: f64 = 2.35;

/// Entries of q up to which a run is worth more steps: of larger systems several states would not fit beside each other.
const LARGEST: usize = 200_000;

/// The lines on form, order and reversal; none for an adaptive method, or where states are too large to take more steps.
pub(super) fn lines(
    model: &Model,
    method: &mut dyn Integrator,
    summary: &Summary,
    review: &Review,
) -> Vec<Judgement> {
    if model.state.q.len() > LARGEST || model.method.adaptive {
        return Vec::new();
    }
    let system = &*model.mechanism.system();
    let start = underway(model, method);
    let unit = if review.magnitude > 0.0 {
        review.magnitude
    } else {
        1.0
    };
    let mut lines = Vec::new();
    lines.extend(form(model, system, summary, &start, method, unit));
    // What rests shows no order, and has momenta of rounding, which no step undoes.
    if !energy::is_at_rest(model, summary) {
        lines.push(order(model, method, unit));
        lines.push(reversal(model, &start, method, unit));
    }
    lines
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
    unit: f64,
) -> Option<Judgement> {
    let canonical = system.is_canonical() && summary.constraints.is_none() && !summary.driven;
    if !canonical || model.state.p.len() > MOST_CANONICAL {
        return None;
    }
    let promised = model.promises().symplectic;
    let mut defect = f64::NAN;
    // Angles that count many turns are small things all the same, and so is a pendulum beside a flywheel.
    let tries = [Momenta::Together, Momenta::Each]
        .into_iter()
        .flat_map(|momenta| {
            [unit, 1.0]
                .into_iter()
                .flat_map(move |unit| OFFSETS.map(|offset| (offset, unit, momenta)))
        });
    for (offset, unit, momenta) in tries {
        let h = model.schedule.step;
        let found = symplecticity_defect_within(system, method, start, h, offset, unit, momenta);
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
/// the step at which rounding does not hide it. The error is that of four such steps.
fn measured_order(model: &Model, method: &mut dyn Integrator, unit: f64) -> Option<(f64, f64, f64)> {
    let mut end = |h: f64, steps: u32| {
        let mut state = model.state.clone();
        state.carry.clear();
        for _ in 0..steps {
            method.attempt(&mut state, h).ok()?;
        }
        Some(state)
    };
    let mut h = model.schedule.step;
    for _ in 0..6 {
        let (one, two, four) = (end(h, 4)?, end(h / 2.0, 8)?, end(h / 4.0, 16)?);
        let (coarse, fine) = (distance_in(&one, &two, unit), distance_in(&two, &four, unit));
        if fine > 1e-12 {
            return Some((h, math::log2(coarse / fine), coarse));
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
        Some(order) if order > declared && order < declared + HIGHER => {
            (Verdict::Neutral, Reason::HigherHere)
        }
        Some(_) => (Verdict::Doubtful, Reason::StepTooLarge),
    }
}

fn order(model: &Model, method: &mut dyn Integrator, unit: f64) -> Judgement {
    let declared = model.promises().order;
    let found = measured_order(model, method, unit);
    let (verdict, reason) = match found {
        // Errors as large as the motion have no order.
        Some((.., error)) if !(error < LOST) => (Verdict::Doubtful, Reason::StepTooLarge),
        _ => judge_order(declared, found.map(|(_, order, _)| order)),
    };
    let measured = found.map(|(h, order, _)| MeasuredOrder {
        order,
        step: Quantity::new(h, "s"),
    });
    Judgement {
        subject: Subject::Order,
        promise: Promise::Given,
        evidence: Evidence::Order { declared, measured },
        verdict,
        reason,
    }
}

fn reversal(model: &Model, start: &State, method: &mut dyn Integrator, unit: f64) -> Judgement {
    let promised = model.promises().symmetric;
    let error = reversal_error(method, start, model.schedule.step, unit).ok();
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

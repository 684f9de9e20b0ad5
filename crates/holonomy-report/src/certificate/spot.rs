//! What a few more steps show where the run starts: form, order, reversal. Coordinates are measured in units of the
//! largest of them.
use super::{
    Review, energy, promise,
    review::{LOST, largest},
};
use crate::{
    summary::Summary,
    verdict::{Evidence, Judgement, MeasuredOrder, Promise, Quantity, Reason, Subject, Unmeasured, Verdict},
};
use holonomy::{
    diagnostics::{Momenta, distance_in, symplecticity_defect_within},
    integrator::Integrator,
    math,
    system::{Mechanism, State, System},
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
        lines.push(reversal(model, summary, &start, method, unit));
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
/// the step at which rounding does not hide it. The error is that of four such steps. A snap of a rigid string shows none:
/// how far it is off depends on where in a step it falls.
fn measured_order(model: &Model, method: &mut dyn Integrator, unit: f64) -> Option<(f64, f64, f64)> {
    let snaps = matches!(&model.mechanism, Mechanism::Tree(tree) if tree.may_go_slack());
    let mut slack: Option<Vec<bool>> = None;
    let mut end = |h: f64, steps: u32| {
        let mut state = model.state.clone();
        state.carry.clear();
        for _ in 0..steps {
            method.attempt(&mut state, h).ok()?;
            if snaps {
                let now: Vec<bool> = state.lambda.iter().map(|lambda| *lambda == 0.0).collect();
                if slack.get_or_insert_with(|| now.clone()) != &now {
                    return None;
                }
            }
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

/// Whether a step back undoes a step where the run starts, or, where nothing moves there, where it ends.
fn reversal(
    model: &Model,
    summary: &Summary,
    start: &State,
    method: &mut dyn Integrator,
    unit: f64,
) -> Judgement {
    let promised = model.promises().symmetric;
    let last = &summary.final_state;
    let end = State::new(last.t, last.q.clone(), last.p.clone());
    let found = match undone(model, start, method, unit) {
        Err(Unmeasured::NothingMoves) => undone(model, &end, method, unit),
        found => found,
    };
    let (verdict, reason) = match (promised, &found) {
        (_, Err(_)) => (Verdict::Neutral, Reason::Unknown),
        (true, Ok(error)) if *error <= DIFFERENCES => (Verdict::Good, Reason::Undone),
        (true, Ok(_)) => (Verdict::Bad, Reason::NotUndone),
        (false, Ok(error)) if *error <= BY_CHANCE => (Verdict::Neutral, Reason::UndoneHere),
        (false, Ok(_)) => (Verdict::Neutral, Reason::NotUndone),
    };
    Judgement {
        subject: Subject::Reversal,
        promise: promise(promised),
        evidence: match found {
            Ok(error) => deviation(Some(error)),
            Err(why) => Evidence::Missing { why },
        },
        verdict,
        reason,
    }
}

/// By how much a step and a step back miss a state: coordinates in the given unit, momenta in units of the largest of
/// these three states. Where that is more than differences are good for, forces that hold each other are in there too:
/// the momentum that they give in a step is what it adds up, and rounds.
///
/// Momenta that are not more than that rounding are none: nothing moves.
fn undone(model: &Model, state: &State, method: &mut dyn Integrator, unit: f64) -> Result<f64, Unmeasured> {
    let h = model.schedule.step;
    let mut back = state.clone();
    let there = match method.attempt(&mut back, h) {
        Ok(_) => back.clone(),
        Err(_) => return Err(Unmeasured::AtTheStart),
    };
    if method.attempt(&mut back, -h).is_err() {
        return Err(Unmeasured::AtTheStart);
    }
    let off = |a: &[f64], b: &[f64]| {
        let each = a.iter().zip(b).map(|(a, b)| (a - b).abs());
        each.fold(0.0, math::larger)
    };
    let position = off(&back.q, &state.q) / unit;
    let momentum = off(&back.p, &state.p);
    let mut scale = largest(&state.p).max(largest(&there.p)).max(largest(&back.p));
    let relative = |scale: f64| if scale > 0.0 { momentum / scale } else { 0.0 };
    let error = math::larger(position, relative(scale));
    // What is as large as what there is, is rounding, or a wrong step: they are told apart by what a step adds up.
    if error <= DIFFERENCES || position.is_nan() || momentum.is_nan() {
        return Ok(error);
    }
    let rounded = energy::rounded_momentum(model, state, unit);
    if scale <= rounded && position <= DIFFERENCES {
        return Err(Unmeasured::NothingMoves);
    }
    scale = scale.max(energy::momentum_of_a_step(model, state));
    let beyond = if momentum <= rounded { 0.0 } else { relative(scale) };
    Ok(math::larger(position, beyond))
}

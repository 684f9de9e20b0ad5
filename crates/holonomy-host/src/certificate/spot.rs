//! What a few more steps show: form, order, reversal, and how far ahead positions can be known.
//!
//! ```text
//! |δ(t)| ≈ |δ(0)| e^(λt)     λ from two runs that start 1e-9 apart
//! error δ of the method or of rounding  →  positions are known until  ln(0.1/δ) / λ
//! ```
use super::{NOTHING, line};
use crate::{certificate::Line, figures::rough, page::Verdict, summary::Summary};
use holonomy::{
    diagnostics::{distance, reversal_error, symplecticity_defect_within},
    integrator::Integrator,
    model::Model,
    system::State,
};

/// Reversal and form are measured by differences that are this good, with equations solved to 1e-12.
const DIFFERENCES: f64 = 1e-8;
/// Below this a thing that nobody promised holds all the same.
const BY_CHANCE: f64 = 1e-12;
/// Entries of the momentum up to which the form is measured: 12 steps for each.
const MOST_CANONICAL: usize = 60;
/// Displacements by which the form is measured, rad, m, and in units of the largest momentum: stiff systems need small
/// ones. A defect of the step itself is the same with all of them.
const OFFSETS: [f64; 3] = [5e-3, 5e-4, 5e-5];
/// Measured orders this far from the declared one do not show it.
const ORDER_OFF: f64 = 0.35;

/// How far apart two runs start, and where they are told apart for good.
const APART: f64 = 1e-9;
const FAR: f64 = 1e-3;
/// One step of so many is taken again by each of two runs, to see how fast they part: 2 % of the steps in all, and not
/// more steps than show it.
const PART: u64 = 100;
const MOST: u64 = 20_000;
/// In short runs of small systems they take more, up to this many entries of q and to a tenth of the steps.
const ENTRIES: u64 = 60_000;
const PART_OF_SHORT: u64 = 10;
/// Fewer steps show nothing.
const FEWEST: u64 = 25;
/// Regular motions part as the time or its square: by 2 or 4 while the time doubles. More is exponential.
const EXPONENTIAL: f64 = 10.0;
/// Positions are known as long as their error is a tenth of what they are measured by.
const KNOWN: f64 = 0.1;

/// How far ahead the motion can be known.
pub(super) enum Ahead {
    /// It was not measured, or the motion is regular.
    Regular,
    /// Chaotic.
    Chaotic {
        /// Until when positions are those of the model, with this step, s.
        here: f64,
        /// Until when they could be, with any method in double precision, s.
        at_best: f64,
    },
}

/// Entries of q up to which a run is worth more steps: of larger systems several states would not fit beside each other.
const LARGEST: usize = 200_000;

/// Adds the lines that a few more steps give.
pub(super) fn measure(model: &Model, summary: &Summary, lines: &mut Vec<Line>) -> Ahead {
    if model.state.q.len() > LARGEST {
        return Ahead::Regular;
    }
    let mut method = model.integrator();
    let start = underway(model, &mut *method);
    let mut error = f64::EPSILON;
    if !model.method.adaptive {
        lines.extend(form(model, summary, &start, &mut *method));
        let (line, found) = order(model, &mut *method);
        lines.push(line);
        error = error.max(found);
        lines.push(reversal(model, &start, &mut *method));
    }
    let (line, ahead) = predictability(model, summary, &start, error, &mut *method);
    lines.push(line);
    ahead
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

fn form(model: &Model, summary: &Summary, start: &State, method: &mut dyn Integrator) -> Option<Line> {
    let system = model.mechanism.system();
    let canonical = system.is_canonical() && summary.constraints.is_none() && !summary.driven;
    if !canonical || model.state.p.len() > MOST_CANONICAL {
        return None;
    }
    let promised = model.method.symplectic;
    let words = if promised { "preserved" } else { NOTHING };
    let mut defect = f64::NAN;
    for offset in OFFSETS {
        let found = symplecticity_defect_within(&*system, method, start, model.schedule.step, offset);
        defect = found.map_or(defect, |found| defect.min(found));
        if defect <= DIFFERENCES {
            break;
        }
    }
    let Some(defect) = Some(defect).filter(|defect| defect.is_finite()) else {
        let measured = "could not be measured where the run starts".to_owned();
        return Some(line(
            "symplectic form",
            words,
            measured,
            Verdict::Neutral,
            "unknown",
        ));
    };
    let (verdict, word) = match (promised, defect) {
        (true, defect) if defect <= DIFFERENCES => (Verdict::Good, "preserved"),
        (true, _) => (Verdict::Bad, "broken"),
        (false, defect) if defect <= BY_CHANCE => (Verdict::Neutral, "preserved here"),
        (false, _) => (Verdict::Neutral, "not preserved"),
    };
    let measured = format!("defect of one step {}", rough(defect));
    Some(line("symplectic form", words, measured, verdict, word))
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
            return Some((h, (coarse / fine).log2(), error));
        }
        h *= 4.0;
    }
    None
}

fn order(model: &Model, method: &mut dyn Integrator) -> (Line, f64) {
    let declared = f64::from(model.method.order);
    let promised = model.method.order.to_string();
    let Some((h, order, error)) = measured_order(model, method) else {
        let measured = "not measurable where the run starts".to_owned();
        let line = line("order", &promised, measured, Verdict::Neutral, "unknown");
        return (line, 0.0);
    };
    let (verdict, word) = if (order - declared).abs() <= ORDER_OFF {
        (Verdict::Good, "as declared")
    } else if order > declared {
        (Verdict::Neutral, "higher here")
    } else {
        (Verdict::Doubtful, "step too large to show it")
    };
    let measured = format!("{order:.2} with steps of {} s", rough(h));
    (line("order", &promised, measured, verdict, word), error)
}

fn reversal(model: &Model, start: &State, method: &mut dyn Integrator) -> Line {
    let promised = model.method.symmetric;
    let words = if promised {
        "a step back undoes a step"
    } else {
        NOTHING
    };
    let Ok(error) = reversal_error(method, start, model.schedule.step) else {
        let measured = "the step cannot be taken back where the run starts".to_owned();
        return line("reversal", words, measured, Verdict::Neutral, "unknown");
    };
    let (verdict, word) = match (promised, error) {
        (true, error) if error <= DIFFERENCES => (Verdict::Good, "undone"),
        (true, _) => (Verdict::Bad, "not undone"),
        (false, error) if error <= BY_CHANCE => (Verdict::Neutral, "undone here"),
        (false, _) => (Verdict::Neutral, "not undone"),
    };
    let measured = format!("off by {}", rough(error));
    line("reversal", words, measured, verdict, word)
}

/// The steps that each of two runs may take.
fn allowance(model: &Model, summary: &Summary) -> u64 {
    let affordable = ENTRIES / model.state.q.len().max(1) as u64;
    let more = affordable.min(summary.steps / PART_OF_SHORT);
    (summary.steps / PART).min(MOST).max(more)
}

fn predictability(
    model: &Model,
    summary: &Summary,
    start: &State,
    error: f64,
    method: &mut dyn Integrator,
) -> (Line, Ahead) {
    const SUBJECT: &str = "predictability";
    let unknown = |measured: &str| {
        let line = line(SUBJECT, "", measured.to_owned(), Verdict::Neutral, "unknown");
        (line, Ahead::Regular)
    };
    let steps = allowance(model, summary);
    let too_few = |steps: u64| steps < FEWEST;
    if too_few(steps) {
        return unknown("not measured: too few steps, or too dear ones");
    }
    let h = model.schedule.step;
    let Some(parting) = parting(model, summary, start, steps, method) else {
        return unknown("not measured: a run that starts beside this one cannot go as far");
    };
    if too_few(parting.len() as u64) {
        return unknown("not measured: two runs that start 10⁻⁹ apart part within a few steps");
    }
    let span = parting.len() as f64 * h;
    let ((before, from), (after, to)) = (largest(&parting, 1), largest(&parting, 3));
    let growth = after / before;
    if !(growth > EXPONENTIAL) {
        let measured = format!(
            "two runs that start 10⁻⁹ apart are {} apart after {} s: no sign of chaos in that time",
            rough(after),
            rough(span)
        );
        return (
            line(SUBJECT, "", measured, Verdict::Neutral, "no chaos seen"),
            Ahead::Regular,
        );
    }
    let rate = growth.ln() / ((to - from) as f64 * h);
    let known = |error: f64| (KNOWN / error).ln().max(0.0) / rate;
    let (here, at_best) = (known(error), known(f64::EPSILON));
    let measured = format!(
        "two runs that start 10⁻⁹ apart part by a factor of {} per second: positions are known until about {} s with \
         this step, and until about {} s with any",
        rough(rate.exp()),
        rough(here),
        rough(at_best)
    );
    let word = match summary.t_end - model.state.t > here {
        true => "chaotic",
        false => "chaotic later",
    };
    let line = line(SUBJECT, "", measured, Verdict::Neutral, word);
    (line, Ahead::Chaotic { here, at_best })
}

/// The distances of two runs in their coordinates after each step, until they are far apart; `None` if one of them fails.
fn parting(
    model: &Model,
    summary: &Summary,
    start: &State,
    steps: u64,
    method: &mut dyn Integrator,
) -> Option<Vec<f64>> {
    let system = model.mechanism.system();
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
    let mut parting = Vec::with_capacity(steps as usize);
    for k in 1..=steps {
        for state in [&mut one, &mut two] {
            method.attempt(state, model.schedule.step).ok()?;
            state.t = start.t + k as f64 * model.schedule.step;
        }
        let apart = one.q.iter().zip(&two.q);
        let apart = apart.map(|(one, two)| (one - two).abs()).fold(0.0, f64::max);
        parting.push(apart);
        if !(apart < FAR) {
            break;
        }
    }
    Some(parting)
}

/// The largest distance of a quarter of the time, and its step.
fn largest(parting: &[f64], quarter: usize) -> (f64, usize) {
    let bound = |quarter: usize| quarter * parting.len() / 4;
    let range = bound(quarter)..bound(quarter + 1);
    let each = range.map(|k| (parting[k], k));
    each.fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a })
}

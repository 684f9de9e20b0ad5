//! The structure certificate of a run: what the method promises, what was measured, and whether they agree.
//!
//! Energy, momenta, manifold and constraints are judged over the run itself. Form, order and reversal are measured on
//! the spot, at the start of the run with its step, by a few steps of a method of the same kind.
use crate::{
    figures::rough,
    page::Verdict,
    summary::{EnergySummary, MomentumSummary, Summary},
};
use holonomy::{
    diagnostics::{distance, reversal_error, symplecticity_defect},
    integrator::Integrator,
    model::Model,
    system::State,
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
/// Slopes that are farther from zero than so many standard errors are drifts: one chance in 16 000.
const SIGNIFICANT: f64 = 4.0;
/// Errors below this fraction are rounding, also after 10⁷ steps: ε √N is 7e-13.
const ROUNDING: f64 = 1e-11;
/// Reversal and form are measured by differences that are this good.
const DIFFERENCES: f64 = 1e-8;
/// Canonical coordinates up to which the form is measured: 12 steps for each.
const MOST_CANONICAL: usize = 60;
/// Measured orders this far from the declared one do not show it.
const ORDER_OFF: f64 = 0.35;

impl Certificate {
    /// Certifies a run of a model.
    pub fn new(model: &Model, summary: &Summary) -> Self {
        let mut lines = Vec::new();
        lines.extend(failure(summary));
        lines.push(match summary.driven {
            true => changing_energy(&summary.energy),
            false => energy(model, summary),
        });
        let scale = momentum_scale(&model.state, summary);
        let each = summary.momentum.iter();
        lines.extend(each.map(|momentum| kept_momentum(model, momentum, scale)));
        lines.extend(manifold(model, summary));
        lines.extend(constraints(model, summary));
        if !model.method.adaptive {
            let mut method = model.integrator();
            let start = underway(model, &mut *method);
            lines.extend(form(model, summary, &start, &mut *method));
            lines.push(order(model, &mut *method));
            lines.push(reversal(model, &start, &mut *method));
        }
        lines.push(cost(summary));
        Self {
            conclusion: conclusion(model, summary, &lines),
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

fn failure(summary: &Summary) -> Option<Line> {
    let asked = "to its end";
    match &summary.error {
        Some(error) => Some(line(
            "run",
            asked,
            format!("failed {error}"),
            Verdict::Bad,
            "failed",
        )),
        None if summary.stopped => {
            let until = format!("stopped at {} s", summary.t_end);
            Some(line("run", asked, until, Verdict::Doubtful, "stopped"))
        }
        None => None,
    }
}

fn changing_energy(energy: &EnergySummary) -> Line {
    let measured = format!("from {} J to {} J", rough(energy.initial), rough(energy.last));
    line(
        "energy",
        "nothing: forces act, or something depends on time",
        measured,
        Verdict::Neutral,
        "changes",
    )
}

/// Whether the energy drifts: by how much in the run, J.
fn drifted(summary: &Summary) -> Option<f64> {
    let energy = &summary.energy;
    let (slope, error) = (energy.drift_per_second?, energy.drift_standard_error?);
    let total = (slope * summary.t_end).abs();
    let seen = slope.abs() > SIGNIFICANT * error && total > ROUNDING * energy.in_motion;
    seen.then_some(total)
}

fn energy(model: &Model, summary: &Summary) -> Line {
    let energy = &summary.energy;
    let part = energy.max_abs_error / energy.in_motion;
    let mut measured = format!("largest error {} J", rough(energy.max_abs_error));
    if part.is_finite() {
        measured += &format!(", {} of the {} J in motion", rough(part), rough(energy.in_motion));
    }
    match (energy.drift_per_second, energy.drift_standard_error) {
        (Some(slope), Some(error)) => {
            measured += &format!("; drift {} ± {} J/s", rough(slope), rough(error));
        }
        _ => measured += "; too short a run to tell a drift",
    }
    let promised = match model.method.bounded_energy {
        true => "bounded, no drift",
        false => "nothing",
    };
    let (verdict, word) = match (model.method.bounded_energy, drifted(summary)) {
        _ if !(part < WRONG) => (Verdict::Bad, "wrong"),
        (_, None) if energy.max_abs_error <= ROUNDING * energy.in_motion => (Verdict::Good, "to rounding"),
        (true, None) => (Verdict::Good, "bounded"),
        (true, Some(_)) => (Verdict::Doubtful, "drifts"),
        (false, None) => (Verdict::Neutral, "no drift seen"),
        (false, Some(_)) => (Verdict::Bad, "drifts"),
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

fn kept_momentum(model: &Model, momentum: &MomentumSummary, scale: f64) -> Line {
    let kept = momentum.max_error <= ROUNDING * scale;
    let (promised, verdict, word) = match (model.method.momentum.holds(&model.mechanism), kept) {
        (true, true) => ("kept", Verdict::Good, "kept"),
        (true, false) => ("kept", Verdict::Bad, "lost"),
        (false, true) => ("nothing", Verdict::Neutral, "kept here"),
        (false, false) => ("nothing", Verdict::Bad, "lost"),
    };
    let measured = format!(
        "{} at the start, changed by at most {}",
        rough(momentum.initial),
        rough(momentum.max_error)
    );
    line(&momentum.name, promised, measured, verdict, word)
}

fn manifold(model: &Model, summary: &Summary) -> Option<Line> {
    let error = summary.manifold.as_ref()?.max_error;
    let promised = model.method.on_manifold;
    let (verdict, word) = match error {
        e if e <= 1e-14 => (Verdict::Good, "on it"),
        e if e <= 1e-10 && !promised => (Verdict::Neutral, "close to it"),
        e if e <= 1e-6 && !promised => (Verdict::Doubtful, "leaves it"),
        _ => (Verdict::Bad, "leaves it"),
    };
    let promised = if promised {
        "stays on the spheres"
    } else {
        "nothing"
    };
    let measured = format!("largest |1 − q·q| {}", rough(error));
    Some(line("unit length", promised, measured, verdict, word))
}

fn constraints(model: &Model, summary: &Summary) -> Option<Line> {
    let error = summary.constraints.as_ref()?.max_error;
    let (verdict, word) = match error {
        e if e <= 1e-10 => (Verdict::Good, "closed"),
        e if e <= 1e-6 => (Verdict::Doubtful, "nearly closed"),
        _ => (Verdict::Bad, "open"),
    };
    let promised = match model.method.bounded_energy {
        true => "closed to rounding",
        false => "nothing",
    };
    let measured = format!("largest violation {}", rough(error));
    Some(line("constraints", promised, measured, verdict, word))
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
    let words = if promised { "preserved" } else { "nothing" };
    let defect = symplecticity_defect(&*system, method, start, model.schedule.step);
    let Some(defect) = defect.ok().filter(|defect| defect.is_finite()) else {
        let measured = "could not be measured where the run starts".to_owned();
        return Some(line(
            "symplectic form",
            words,
            measured,
            Verdict::Neutral,
            "unknown",
        ));
    };
    let (verdict, word) = match (promised, defect <= DIFFERENCES) {
        (true, true) => (Verdict::Good, "preserved"),
        (true, false) => (Verdict::Bad, "broken"),
        (false, true) => (Verdict::Neutral, "preserved here"),
        (false, false) => (Verdict::Neutral, "not preserved"),
    };
    let measured = format!("defect of one step {}", rough(defect));
    Some(line("symplectic form", words, measured, verdict, word))
}

/// `(h, order)` from three runs of equal length with steps h, h/2 and h/4, at the first of 1, 4, 16, … times the
/// step at which rounding does not hide it.
fn measured_order(model: &Model, method: &mut dyn Integrator) -> Option<(f64, f64)> {
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
        let (coarse, fine) = (distance(&one, &two), distance(&two, &four));
        if fine > 1e-12 {
            return Some((h, (coarse / fine).log2()));
        }
        h *= 4.0;
    }
    None
}

fn order(model: &Model, method: &mut dyn Integrator) -> Line {
    let declared = f64::from(model.method.order);
    let promised = model.method.order.to_string();
    let Some((h, order)) = measured_order(model, method) else {
        let measured = "not measurable at the start of this run".to_owned();
        return line("order", &promised, measured, Verdict::Neutral, "unknown");
    };
    let (verdict, word) = if (order - declared).abs() <= ORDER_OFF {
        (Verdict::Good, "as declared")
    } else if order > declared {
        (Verdict::Neutral, "higher here")
    } else {
        (Verdict::Doubtful, "step too large to show it")
    };
    line(
        "order",
        &promised,
        format!("{order:.2} near h = {h} s"),
        verdict,
        word,
    )
}

fn reversal(model: &Model, start: &State, method: &mut dyn Integrator) -> Line {
    let promised = model.method.symmetric;
    let words = if promised {
        "a step back undoes a step"
    } else {
        "nothing"
    };
    let Ok(error) = reversal_error(method, start, model.schedule.step) else {
        let measured = "the step cannot be taken back where the run starts".to_owned();
        return line("reversal", words, measured, Verdict::Neutral, "unknown");
    };
    let (verdict, word) = match (promised, error <= DIFFERENCES) {
        (true, true) => (Verdict::Good, "undone"),
        (true, false) => (Verdict::Bad, "not undone"),
        (false, true) => (Verdict::Neutral, "undone here"),
        (false, false) => (Verdict::Neutral, "not undone"),
    };
    line(
        "reversal",
        words,
        format!("off by {}", rough(error)),
        verdict,
        word,
    )
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
    line("cost", "–", measured, Verdict::Neutral, "")
}

/// The worst that was found decides.
fn conclusion(model: &Model, summary: &Summary, lines: &[Line]) -> Line {
    let method = model.method.name;
    let named = |wanted: Verdict| -> Vec<&str> {
        let those = lines.iter().filter(|line| line.verdict == wanted);
        those.map(|line| line.subject.as_str()).collect()
    };
    let energy = &summary.energy;
    let better = holonomy::integrator::catalog::of_choice(&model.mechanism);
    let (verdict, text) = if let Some(error) = &summary.error {
        let text = format!("This run failed {error}. What it recorded until then is below.");
        (Verdict::Bad, text)
    } else if !summary.driven && !(energy.max_abs_error < WRONG * energy.in_motion) {
        let text = format!(
            "Do not trust this run: the energy is off by {} J, as much as there is in motion ({} J). Take a smaller step.",
            rough(energy.max_abs_error),
            rough(energy.in_motion)
        );
        (Verdict::Bad, text)
    } else if let Some(total) = drifted(summary).filter(|_| !summary.driven && !model.method.bounded_energy) {
        let lasts = summary.t_end * energy.in_motion / total;
        let text = format!(
            "`{method}` promises nothing for long times, and the energy drifts: {} J in {} s. At this rate all that is \
             in motion is gone or doubled after {} s. For long times take `--method {better}`.",
            rough(total),
            summary.t_end,
            rough(lasts)
        );
        (Verdict::Bad, text)
    } else if !named(Verdict::Bad).is_empty() {
        let text = format!(
            "Look at what was lost before you trust this run: {}.",
            named(Verdict::Bad).join(", ")
        );
        (Verdict::Bad, text)
    } else if !named(Verdict::Doubtful).is_empty() {
        let text = format!(
            "Nothing is lost, but look at: {}. A smaller step usually settles it.",
            named(Verdict::Doubtful).join(", ")
        );
        (Verdict::Doubtful, text)
    } else if named(Verdict::Good).is_empty() {
        (
            Verdict::Neutral,
            format!("`{method}` promises nothing that could be checked in this run."),
        )
    } else {
        let text = format!(
            "`{method}` kept what it promises: {}.",
            named(Verdict::Good).join(", ")
        );
        (Verdict::Good, text)
    };
    line("whole", "", text, verdict, "")
}

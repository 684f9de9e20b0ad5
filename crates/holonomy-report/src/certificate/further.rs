//! What more steps show of a slope of the energy: whether what the steps of a method conserve has changed, by some at the
//! start and at the end of the run; and whether the error goes on to grow, in five times the run.
use super::{Effort, judge_drift};
use crate::{summary::Summary, verdict::DriftKind};
use holonomy::{
    diagnostics::second_term,
    integrator::Integrator,
    system::{Mechanism, State},
};
use holonomy_model::Model;

/// States over which the mean is taken at either end: what is left in H̃ of the motion's swings averages out.
const MOST: u64 = 400;
/// This part of the run's steps at most.
const PART: u64 = 50;
/// Slopes that are this many standard errors from zero are worth the steps, and a cause: one chance in 400.
pub(super) const WORTH: f64 = 3.0;

/// So many times the steps of the run are taken after it.
pub(super) const MORE: u64 = 4;

/// What was found; nothing where it was not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Further {
    /// `H̃` at the end less `H̃` at the start, J.
    pub modified: Option<f64>,
    /// Largest |E − E₀| over the run and `MORE` times its steps after it, J.
    pub largest: Option<f64>,
}

impl Further {
    /// Takes the steps, where the energy seems to drift and the method promises that it does not.
    pub(super) fn measure(
        model: &Model,
        method: &mut dyn Integrator,
        summary: &Summary,
        effort: Effort,
        go_on: &dyn Fn() -> bool,
    ) -> Self {
        let promises = model.promises();
        let lasted = summary.t_end - model.state.t;
        let drift = judge_drift(&summary.energy, lasted, promises.bounded_energy, Self::default());
        let Some(drift) = drift.filter(|_| promises.bounded_energy && !summary.driven) else {
            return Self::default();
        };
        let told = drift.slope.value.abs() > WORTH * drift.standard_error.value;
        if effort == Effort::None || !told || drift.kind == DriftKind::Rounding {
            return Self::default();
        }
        let last = &summary.final_state;
        let end = State::new(last.t, last.q.clone(), last.p.clone());
        let short = effort.reach(summary.steps, end.q.len()) == summary.steps;
        Self {
            modified: match promises.verlet {
                true => change(model, method, summary.steps, end.clone()),
                false => None,
            },
            largest: match drift.kind == DriftKind::Real && short {
                true => largest(model, method, summary, end, go_on),
                false => None,
            },
        }
    }
}

/// `H̃` at the end less `H̃` at the start.
fn change(model: &Model, method: &mut dyn Integrator, steps: u64, end: State) -> Option<f64> {
    let states = (steps / PART).min(MOST);
    let first = mean(model, method, model.state.clone(), states)?;
    Some(mean(model, method, end, states)? - first)
}

/// The mean of `E + h² H₂` over so many states from here on; `None` where a step fails.
fn mean(model: &Model, method: &mut dyn Integrator, mut state: State, states: u64) -> Option<f64> {
    let Mechanism::Spheres(spheres) = &model.mechanism else {
        return None;
    };
    let h = model.schedule.step;
    let system = model.mechanism.system();
    state.carry.clear();
    let mut next = || {
        method.attempt(&mut state, h).ok()?;
        Some(state.clone())
    };
    let mut five = [next()?, next()?, next()?, next()?, next()?];
    let mut sum = 0.0;
    for _ in 0..states {
        sum += system.energy(&five[2]).total() + second_term(spheres, &five, h);
        five.rotate_left(1);
        five[4] = next()?;
    }
    let mean = sum / states as f64;
    mean.is_finite().then_some(mean)
}

/// The largest |E − E₀| of the run and of the steps after it; `None` where one fails.
fn largest(
    model: &Model,
    method: &mut dyn Integrator,
    summary: &Summary,
    mut state: State,
    go_on: &dyn Fn() -> bool,
) -> Option<f64> {
    let system = model.mechanism.system();
    let mut most = summary.energy.max_abs_error;
    for k in 0..MORE * summary.steps {
        if k % 64 == 0 && !go_on() {
            return None;
        }
        method.attempt(&mut state, model.schedule.step).ok()?;
        let error = (system.energy(&state).total() - summary.energy.initial).abs();
        // What is not a number stays.
        if !(error <= most) {
            most = error;
        }
    }
    most.is_finite().then_some(most)
}

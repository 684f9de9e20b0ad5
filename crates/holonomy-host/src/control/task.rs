//! The task of a model, `[control]` with its goals and bounds, as terms of a horizon.
use super::{
    fed::{self, Fed},
    horizon::{Aim, Ending, Guess, Plan, Stages, Sweep, Task, Term, UNREACHED, feedback, plan},
    written::{units, without_own},
};
use crate::flow::Flow;
use holonomy::{
    integrator::Fault,
    output::Output,
    simulation::Schedule,
    system::{Mechanism, State},
};
use holonomy_model::{
    Model,
    control::{Control, OfTime},
};
use holonomy_report::control::{ControlGoal, ControlSweep, Controlled, Found};
use nalgebra::{DMatrix, DVector};
use std::{ops::ControlFlow, sync::atomic::AtomicBool};

/// Why no inputs can be sought.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ControlError {
    /// Nothing that can be chosen.
    #[error("the model has no inputs: nothing can be chosen")]
    NoInputs,
    /// Nothing to choose them for.
    #[error("the model does not say what its inputs are for")]
    NoTask,
    /// No deviations are weighed.
    #[error("the model does not say what a deviation from its motion costs")]
    NoWeights,
    /// The method chooses its own steps.
    #[error("`{method}` chooses its own steps, and inputs are sought for given ones")]
    Adaptive {
        /// The method.
        method: &'static str,
    },
    /// A system without canonical coordinates.
    #[error("inputs are not sought for rolling or redundant coordinates: there are no canonical momenta")]
    NotCanonical,
    /// Too many numbers.
    #[error("{steps} steps are too many: gains and derivatives of all of them would take {gigabytes:.0} GB")]
    TooLong {
        /// The steps of the run.
        steps: u64,
        /// What they would take.
        gigabytes: f64,
    },
    /// A goal has no value at some time.
    #[error("the value wanted of `{of}` is not a number at t = {t} s")]
    Undefined {
        /// The output.
        of: String,
        /// When.
        t: f64,
    },
    /// The motion before anything was changed cannot be computed.
    #[error("the motion that the search begins with failed: {0}")]
    Step(String),
}

/// Derivatives and gains may take so much.
const MOST_GIGABYTES: f64 = 4.0;

struct Asked<'a> {
    flow: Flow,
    outputs: Vec<Output>,
    /// Of each term: its sign, and what is taken off.
    parts: Vec<(f64, Wanted<'a>)>,
    counts: Vec<bool>,
    start: f64,
    step: f64,
}

enum Wanted<'a> {
    Number(f64),
    OfTime(&'a OfTime),
}

impl Stages for Asked<'_> {
    type Point = State;
    type Fault = Fault;

    fn next(&mut self, k: usize, from: &State, input: &[f64]) -> Result<State, Fault> {
        let mut next = self.flow.next(from, input)?;
        next.t = self.time(k + 1);
        Ok(next)
    }

    fn linearised(
        &mut self,
        _: usize,
        from: &State,
        input: &[f64],
        to: &State,
    ) -> Result<(DMatrix<f64>, DMatrix<f64>), Fault> {
        self.flow.linearised(from, input, to)
    }

    fn apart(&mut self, from: &State, to: &State) -> DVector<f64> {
        self.flow.apart(from, to)
    }

    fn values(&mut self, k: usize, at: &State) -> Vec<f64> {
        if !self.counts[k] {
            return vec![0.0; self.parts.len()];
        }
        let values = self.flow.read(&self.outputs, at);
        let t = self.time(k);
        let each = values.iter().zip(&self.parts);
        each.map(|(value, (sign, wanted))| {
            let wanted = match wanted {
                Wanted::Number(number) => *number,
                Wanted::OfTime(value) => value.at(t),
            };
            sign * (value - wanted)
        })
        .collect()
    }

    fn slopes(&mut self, k: usize, at: &State) -> DMatrix<f64> {
        if !self.counts[k] {
            return DMatrix::zeros(self.parts.len(), self.flow.directions(at));
        }
        let mut slopes = self.flow.slopes(&self.outputs, at);
        for (mut row, (sign, _)) in slopes.row_iter_mut().zip(&self.parts) {
            row *= *sign;
        }
        slopes
    }

    fn moved(&mut self, from: &State, by: &DVector<f64>) -> State {
        self.flow.moved(from, by)
    }

    fn unit(&mut self, at: &State) -> DVector<f64> {
        self.flow.unit(at)
    }
}

impl Asked<'_> {
    fn time(&self, k: usize) -> f64 {
        self.start + k as f64 * self.step
    }
}

/// What is asked of a model, as terms, and the search's own names of them.
fn asked<'a>(model: &'a Model, control: &'a Control) -> Result<(Asked<'a>, Task), ControlError> {
    let Schedule { step, steps, .. } = model.schedule;
    let count = steps as usize;
    let mut asked = Asked {
        flow: Flow::new(model),
        outputs: Vec::new(),
        parts: Vec::new(),
        counts: vec![false; count + 1],
        start: model.state.t,
        step,
    };
    let mut terms = Vec::new();
    for goal in &control.goals {
        let first = if goal.always { 1 } else { count };
        for k in first..=count {
            let t = asked.time(k);
            if !goal.value.at(t).is_finite() {
                return Err(ControlError::Undefined {
                    of: goal.of.name.clone(),
                    t,
                });
            }
        }
        let mut weights = vec![0.0; count];
        match (goal.always, goal.weight) {
            (true, weight) => {
                weights.fill(step * weight.unwrap_or(1.0));
                weights[count - 1] *= 0.5;
            }
            (false, weight) => weights[count - 1] = weight.unwrap_or(1.0),
        }
        let aim = if goal.weight.is_some() {
            Aim::Small
        } else {
            Aim::Zero
        };
        asked.outputs.push(goal.of.clone());
        asked.parts.push((1.0, Wanted::OfTime(&goal.value)));
        terms.push(Term { aim, weights });
    }
    for bound in &control.bounds {
        let sides = [(bound.min, -1.0), (bound.max, 1.0)];
        for (limit, sign) in sides.into_iter().filter_map(|(limit, sign)| Some((limit?, sign))) {
            asked.outputs.push(bound.of.clone());
            asked.parts.push((sign, Wanted::Number(limit)));
            terms.push(Term {
                aim: Aim::AtMostZero,
                weights: vec![1.0; count],
            });
        }
    }
    for term in &terms {
        for (counts, weight) in asked.counts.iter_mut().skip(1).zip(&term.weights) {
            *counts |= *weight != 0.0;
        }
    }
    let task = Task {
        effort: control.effort.iter().map(|weight| step * weight).collect(),
        bounds: model.inputs.iter().map(|input| input.limits).collect(),
        terms,
        tolerance: control.tolerance,
        most: control.sweeps,
    };
    Ok((asked, task))
}

/// What can be refused before anything is computed.
fn check(model: &Model) -> Result<&Control, ControlError> {
    if model.inputs.is_empty() {
        return Err(ControlError::NoInputs);
    }
    let Some(control) = &model.control else {
        return Err(ControlError::NoTask);
    };
    if model.method.adaptive {
        return Err(ControlError::Adaptive {
            method: model.method.name,
        });
    }
    let system = model.mechanism.system();
    if !system.is_canonical() || matches!(&model.mechanism, Mechanism::Lagrangian(of) if of.is_framed()) {
        return Err(ControlError::NotCanonical);
    }
    let (n, steps) = (2.0 * model.state.p.len() as f64, model.schedule.steps);
    let gigabytes = 8e-9 * steps as f64 * (2.0 * n * n + 4.0 * n * model.inputs.len() as f64);
    match gigabytes > MOST_GIGABYTES {
        true => Err(ControlError::TooLong { steps, gigabytes }),
        false => Ok(control),
    }
}

/// Seeks the inputs that a model asks for, in place of what they do by themselves. `tell` is told of every sweep. With them
/// comes the feedback for a run, if there is one.
pub fn seek(
    model: &Model,
    name: &str,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(usize, &Sweep),
) -> Result<(Controlled, Option<Fed>), ControlError> {
    let control = check(model)?;
    if control.goals.is_empty() {
        return Err(ControlError::NoTask);
    }
    let bare = without_own(model);
    let guess = guess(model, control);
    let model = bare.as_ref().unwrap_or(model);
    let (mut asked, task) = asked(model, control)?;
    let mut count = 0;
    let mut told = |sweep: &Sweep| {
        count += 1;
        tell(count, sweep);
        ControlFlow::Continue(())
    };
    let found = plan(&mut asked, &task, guess, stop, &mut told).or_else(|fault| {
        // A motion that falls is held where it starts, if that is a place to be held.
        let held = Guess::Near(vec![model.state.clone(); model.schedule.steps as usize + 1]);
        plan(&mut asked, &task, held, stop, &mut told).map_err(|_| fault)
    });
    let mut found = found.map_err(|fault| ControlError::Step(asked.flow.describe(fault)))?;
    // At rest the goals may depend on no input, to first order, and there are other ways to them: to and fro.
    for swings in 1..=SWINGS {
        if found.ending != Ending::Unmet {
            break;
        }
        let guess = Guess::Inputs(model.state.clone(), swinging(model, swings));
        if let Ok(other) = plan(&mut asked, &task, guess, stop, &mut told)
            && (other.ending == Ending::Best || other.violation < found.violation)
        {
            found = other;
        }
    }
    Ok(reported(model, name, control, &mut asked, found))
}

/// The feedback that holds a model to its own motion, under the inputs of the guess.
pub fn hold(model: &Model, name: &str) -> Result<(Controlled, Option<Fed>), ControlError> {
    let control = check(model)?;
    if !control.goals.iter().any(|goal| goal.weight.is_some()) {
        return Err(ControlError::NoWeights);
    }
    let Guess::Inputs(start, inputs) = guess(model, control) else {
        unreachable!("inputs are guessed")
    };
    let bare = without_own(model);
    let model = bare.as_ref().unwrap_or(model);
    let (mut asked, mut task) = asked(model, control)?;
    task.terms.retain(|term| term.aim == Aim::Small);
    let kept = control.goals.iter().map(|goal| goal.weight.is_some());
    let kept: Vec<bool> = kept
        .chain(std::iter::repeat(false))
        .take(asked.parts.len())
        .collect();
    let mut keep = kept.iter();
    asked.parts.retain(|_| *keep.next().unwrap_or(&false));
    let mut keep = kept.iter();
    asked.outputs.retain(|_| *keep.next().unwrap_or(&false));
    let found = feedback(&mut asked, &task, start, inputs);
    let found = found.map_err(|fault| ControlError::Step(asked.flow.describe(fault)))?;
    Ok(reported(model, name, control, &mut asked, found))
}

/// How often inputs go to and fro where a search found no way.
const SWINGS: u32 = 3;

/// Inputs that swing, over a third of what they may be.
fn swinging(model: &Model, swings: u32) -> Vec<Vec<f64>> {
    let steps = model.schedule.steps;
    let size = |(low, high): (f64, f64)| match (low.is_finite(), high.is_finite()) {
        (true, true) => (0.5 * (low + high), 0.33 * (high - low)),
        (true, false) => (low + 1.0, 1.0),
        (false, true) => (high - 1.0, 1.0),
        (false, false) => (0.0, 1.0),
    };
    let at = |k: u64, limits: (f64, f64)| {
        let (middle, size) = size(limits);
        let turn = std::f64::consts::TAU * f64::from(swings) * (k as f64 + 0.5) / steps as f64;
        middle + size * turn.sin()
    };
    (0..steps)
        .map(|k| model.inputs.iter().map(|input| at(k, input.limits)).collect())
        .collect()
}

/// Where the search begins: what is said of it, or else what inputs do by themselves.
fn guess(model: &Model, control: &Control) -> Guess<State> {
    let middle = |k: u64| model.state.t + (k as f64 + 0.5) * model.schedule.step;
    let own = (model.inputs.iter()).map(|input| input.own.as_ref().and_then(|own| own.value.clone()));
    let guesses: Vec<Option<OfTime>> = (control.guess.iter().zip(own))
        .map(|(guess, own)| guess.clone().or(own))
        .collect();
    let of = |guess: &Option<OfTime>, k: u64| {
        let value = guess.as_ref().map_or(0.0, |guess| guess.at(middle(k)));
        if value.is_finite() { value } else { 0.0 }
    };
    let inputs = (0..model.schedule.steps)
        .map(|k| guesses.iter().map(|guess| of(guess, k)).collect())
        .collect();
    Guess::Inputs(model.state.clone(), inputs)
}

fn reported(
    model: &Model,
    name: &str,
    control: &Control,
    asked: &mut Asked<'_>,
    plan: Plan<State>,
) -> (Controlled, Option<Fed>) {
    let fed = match plan.gains.is_empty() {
        true => Err("There is no feedback: the costs of deviations have no minimum.".to_owned()),
        false => fed::fed(model, &mut asked.flow, &plan),
    };
    let system = model.mechanism.system();
    let layout = system.layout();
    let last = plan.points.len() - 1;
    let (open, closed) = growth(asked, &plan);
    let mut goals = Vec::new();
    for goal in &control.goals {
        let reached = asked
            .flow
            .read(std::slice::from_ref(&goal.of), &plan.points[last]);
        goals.push(ControlGoal {
            of: goal.of.name.clone(),
            unit: unit(model, &goal.of),
            wanted: goal.value.at(asked.time(last)),
            reached: reached.first().copied().unwrap_or(f64::NAN),
            exact: goal.weight.is_none(),
        });
    }
    let mut outputs: Vec<Output> = Vec::new();
    for output in control
        .goals
        .iter()
        .map(|goal| &goal.of)
        .chain(control.bounds.iter().map(|bound| &bound.of))
    {
        if !outputs.iter().any(|known| known.name == output.name) {
            outputs.push(output.clone());
        }
    }
    let flow = &mut asked.flow;
    let curves: Vec<Vec<f64>> = plan
        .points
        .iter()
        .map(|state| flow.read(&outputs, state))
        .collect();
    let directions = (layout.velocities.iter().map(|name| format!("d.{name}")))
        .chain(layout.velocities.iter().map(|name| format!("p.{name}")));
    let mut scratch = system.scratch();
    let mut velocities = Vec::new();
    for state in &plan.points {
        let mut v = vec![0.0; state.p.len()];
        system.velocity(state.t, &state.q, &state.p, &mut v, &mut scratch);
        velocities.push(v);
    }
    let controlled = Controlled {
        not_fed: fed.as_ref().err().cloned(),
        scenario: name.to_owned(),
        method: model.method.name.to_owned(),
        step: model.schedule.step,
        steps: model.schedule.steps,
        start: model.state.t,
        found: match plan.ending {
            Ending::Best => Found::Best,
            Ending::Unmet => Found::Unmet,
            Ending::Stopped => Found::Stopped,
            Ending::Unfinished => Found::Unfinished,
        },
        cost: plan.cost,
        violation: plan.violation,
        tolerance: control.tolerance,
        beyond: plan.ending == Ending::Unmet && plan.reached < UNREACHED,
        worst: plan
            .worst
            .and_then(|term| asked.outputs.get(term))
            .map(|output| output.name.clone()),
        goals,
        open_growth: open,
        closed_growth: closed,
        sweeps: (plan.history.iter())
            .map(|sweep| ControlSweep {
                cost: sweep.cost,
                violation: sweep.violation,
                share: sweep.share,
            })
            .collect(),
        inputs: model.inputs.iter().map(|input| input.name.clone()).collect(),
        input_units: units(model),
        limits: (model.inputs.iter())
            .map(|input| [input.limits.0, input.limits.1].map(|limit| limit.is_finite().then_some(limit)))
            .collect(),
        efforts: plan.inputs,
        outputs: outputs.iter().map(|output| output.name.clone()).collect(),
        units: outputs.iter().map(|output| unit(model, output)).collect(),
        bounds: (outputs.iter())
            .map(|output| {
                let own = || control.bounds.iter().filter(|bound| bound.of.name == output.name);
                [
                    own().filter_map(|bound| bound.min).reduce(f64::max),
                    own().filter_map(|bound| bound.max).reduce(f64::min),
                ]
            })
            .collect(),
        curves,
        directions: directions.collect(),
        gains: (plan.gains.iter())
            .map(|gain| {
                gain.row_iter()
                    .flat_map(|row| row.iter().copied().collect::<Vec<_>>())
                    .collect()
            })
            .collect(),
        coordinates: layout
            .coordinates
            .iter()
            .cloned()
            .chain(layout.velocities.iter().cloned())
            .collect(),
        motion: (plan.points.iter().zip(velocities))
            .map(|(state, v)| state.q.iter().copied().chain(v).collect())
            .collect(),
    };
    (controlled, fed.ok())
}

/// The unit of an output; coordinates and velocities of trees are called after what they are.
fn unit(model: &Model, output: &Output) -> String {
    let kind = output.name.split_once('.').map(|(kind, _)| kind);
    let own = match (&model.mechanism, kind) {
        (Mechanism::Tree(_), Some("theta")) => "rad",
        (Mechanism::Tree(_), Some("omega")) => "rad/s",
        (Mechanism::Tree(_), Some("slide")) => "m",
        (Mechanism::Tree(_), Some("speed")) => "m/s",
        _ => "",
    };
    match output.unit.is_empty() {
        true => own.to_owned(),
        false => output.unit.clone(),
    }
}

/// By how much a small deviation at the start has grown at the end, without feedback and with it.
fn growth(asked: &mut Asked<'_>, plan: &Plan<State>) -> (f64, f64) {
    let n = asked.flow.directions(&plan.points[0]);
    let scale = asked.flow.unit(&plan.points[0]);
    let mut open = DMatrix::from_diagonal(&scale);
    let mut closed = open.clone();
    for (k, input) in plan.inputs.iter().enumerate() {
        let Ok((a, b)) = asked.flow.linearised(&plan.points[k], input, &plan.points[k + 1]) else {
            return (f64::NAN, f64::NAN);
        };
        open = &a * open;
        closed = match plan.gains.get(k) {
            Some(gain) if gain.ncols() == n => (&a + &b * gain) * closed,
            _ => &a * closed,
        };
    }
    let largest = |mut matrix: DMatrix<f64>| {
        for (mut row, scale) in matrix.row_iter_mut().zip(scale.iter()) {
            row /= *scale;
        }
        match matrix.iter().all(|x| x.is_finite()) {
            true => matrix.singular_values().max(),
            false => f64::INFINITY,
        }
    };
    (largest(open), largest(closed))
}

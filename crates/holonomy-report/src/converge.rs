//! How the error at the end of a run falls with the step.
mod page;

use crate::{
    number::{self, decimal},
    run::{Control, Progress},
    summary::json,
};
use holonomy::{
    diagnostics::{distance, observed_order},
    exact,
    integrator::{
        Integrator,
        catalog::{self, Options},
    },
    math,
    simulation::{Observer, RunError, Schedule, Simulation},
    system::State,
};
use holonomy_model::Model;
use serde::{Deserialize, Serialize};
use std::{fmt, ops::ControlFlow, sync::atomic::Ordering};

/// Errors of one method at several steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Convergence {
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the method.
    pub method: String,
    /// The order that the catalog declares.
    pub declared_order: u32,
    /// The time at which states are compared, s.
    pub t_end: f64,
    /// What they are compared with.
    pub reference: Reference,
    /// Slope of log error against log step, over the points above the floor; `None` below two of them.
    pub order: Option<f64>,
    /// The points, from the largest step to the smallest.
    pub points: Vec<ConvergencePoint>,
}

/// The solution that errors are measured against.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// The method that computed it, or `closed form`.
    pub method: String,
    /// Its relative tolerance; a closed form has none.
    pub rtol: Option<f64>,
    /// Its absolute tolerance.
    pub atol: Option<f64>,
    /// How far it is from a second one: of ten times the tolerance, or for a closed form one that starts again on
    /// its way. Errors below it mean nothing.
    #[serde(with = "number::nullable")]
    pub accuracy: f64,
}

impl Reference {
    /// Errors below this say nothing of a method that took so many steps: ten times the accuracy of the reference, and
    /// what rounding may add up to.
    pub fn floor(&self, steps: u64) -> f64 {
        let rounding = f64::EPSILON * (steps as f64).sqrt();
        10.0 * self.accuracy.max(rounding)
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.rtol, self.atol) {
            (Some(rtol), Some(atol)) => write!(f, "{} with rtol {rtol:e}, atol {atol:e}", self.method),
            _ => write!(f, "{} (elliptic functions)", self.method),
        }
    }
}

/// The error of one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConvergencePoint {
    /// The step, s.
    pub step: f64,
    /// How many were taken.
    pub steps: u64,
    /// Distance from the reference: the largest component of q, and of p in units of its largest; `None` if the run
    /// failed.
    pub error: Option<f64>,
    /// Slope of log error against log step between the point before and this one.
    pub slope: Option<f64>,
    /// Whether the error is above the [floor](Reference::floor).
    pub above_floor: bool,
    /// Why the run failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Why convergence cannot be measured.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConvergeError {
    /// The method chooses its own steps.
    #[error("`{method}` chooses its own steps, so its error does not follow the step that is asked for")]
    Adaptive {
        /// The method.
        method: &'static str,
    },
    /// Steps that do not end where the others end.
    #[error("a step of {} s does not divide the duration of {} s", decimal(*step), decimal(*duration))]
    Uneven {
        /// The step, s.
        step: f64,
        /// The duration, s.
        duration: f64,
    },
    /// The reference could not be computed.
    #[error("the reference solution failed {0}")]
    Reference(Box<RunError>),
    /// The user stopped it.
    #[error("stopped before there was a result")]
    Stopped,
}

const CLOSED_FORM: &str = "closed form";
const REFERENCE: &str = "dop853";
const RTOL: f64 = 1e-13;
const ATOL: f64 = 1e-15;
/// Samples on the way of the reference: chances to stop.
const REFERENCE_SAMPLES: u64 = 64;

/// Errors at the end of the model's run for several steps. `begin` is told what is computed next.
pub fn converge(
    model: &Model,
    scenario: &str,
    steps: &[f64],
    begin: &mut dyn FnMut(&str),
    mut control: Control,
) -> Result<Convergence, ConvergeError> {
    if model.method.adaptive {
        return Err(ConvergeError::Adaptive {
            method: model.method.name,
        });
    }
    let duration = model.schedule.step * model.schedule.steps as f64;
    let mut steps = steps.to_vec();
    steps.sort_by(|a, b| b.total_cmp(a));
    steps.dedup();
    let schedules = steps.iter().map(|&step| whole(step, duration));
    let schedules: Vec<Schedule> = schedules.collect::<Result<_, _>>()?;

    begin("reference");
    let (end, reference) = reference(model, duration, &mut control)?;

    let mut points: Vec<ConvergencePoint> = Vec::with_capacity(schedules.len());
    for schedule in schedules {
        begin(&format!("h = {} s", decimal(schedule.step)));
        let reached = final_state(model, model.integrator(), schedule, &mut control);
        let (error, problem) = match reached {
            Ok(Some(state)) => (Some(distance(&state, &end)), None),
            Ok(None) => return Err(ConvergeError::Stopped),
            Err(error) => (None, Some(error.to_string())),
        };
        let before = points.last().and_then(|point| Some((point.step, point.error?)));
        let slope = before
            .zip(error)
            .map(|((step, before), error)| math::ln(before / error) / math::ln(step / schedule.step));
        let floor = reference.floor(schedule.steps);
        points.push(ConvergencePoint {
            step: schedule.step,
            steps: schedule.steps,
            error,
            slope: slope.filter(|slope| slope.is_finite()),
            above_floor: error.is_some_and(|error| error > floor && error.is_finite()),
            problem,
        });
    }
    let (fitted, errors): (Vec<f64>, Vec<f64>) = points
        .iter()
        .filter(|point| point.above_floor)
        .filter_map(|point| Some((point.step, point.error?)))
        .unzip();
    Ok(Convergence {
        scenario: scenario.to_owned(),
        method: model.method.name.to_owned(),
        declared_order: model.promises().order,
        t_end: duration,
        reference,
        order: (fitted.len() > 1).then(|| observed_order(&fitted, &errors)),
        points,
    })
}

impl Convergence {
    /// The result as JSON text.
    pub fn to_json(&self) -> String {
        json(self)
    }
}

/// The schedule that ends at the duration in equal steps.
fn whole(step: f64, duration: f64) -> Result<Schedule, ConvergeError> {
    let exact = duration / step;
    let steps = exact.round();
    // A quotient of two decimals is off by a few units in the last place.
    if steps < 1.0 || (exact - steps).abs() > 1e-9 * exact {
        return Err(ConvergeError::Uneven { step, duration });
    }
    Ok(Schedule {
        step,
        steps: steps as u64,
        every: steps as u64,
    })
}

/// The end of the motion, in closed form where there is one.
pub fn reference(
    model: &Model,
    duration: f64,
    control: &mut Control,
) -> Result<(State, Reference), ConvergeError> {
    match closed_form(model, duration) {
        Some(known) => Ok(known),
        None => computed(model, duration, control),
    }
}

/// The end of the motion where it is known in closed form.
fn closed_form(model: &Model, duration: f64) -> Option<(State, Reference)> {
    let (start, last) = (model.state.t, model.state.t + duration);
    let solution = exact::solution(&model.mechanism, &model.state)?;
    let end = solution.at(last);
    // Where the motion is unstable, the closed form that starts again on the way shows how much rounding grows.
    let again = [0.25, 0.5, 0.75].map(|part| {
        let on_the_way = solution.at(start + part * duration);
        exact::solution(&model.mechanism, &on_the_way).map(|solution| distance(&solution.at(last), &end))
    });
    let mut accuracy = f64::EPSILON;
    for difference in again {
        accuracy = accuracy.max(difference?);
    }
    let reference = Reference {
        method: CLOSED_FORM.to_owned(),
        rtol: None,
        atol: None,
        accuracy,
    };
    (end.is_finite() && accuracy.is_finite()).then_some((end, reference))
}

/// The end of the motion as a very accurate method finds it.
fn computed(
    model: &Model,
    duration: f64,
    control: &mut Control,
) -> Result<(State, Reference), ConvergeError> {
    let end = computed_with(model, duration, 1.0, control)?;
    let coarser = computed_with(model, duration, 10.0, control)?;
    let reference = Reference {
        method: REFERENCE.to_owned(),
        rtol: Some(RTOL),
        atol: Some(ATOL),
        accuracy: distance(&end, &coarser),
    };
    Ok((end, reference))
}

fn computed_with(
    model: &Model,
    duration: f64,
    looser: f64,
    control: &mut Control,
) -> Result<State, ConvergeError> {
    let options = Options {
        rtol: Some(looser * RTOL),
        atol: Some(looser * ATOL),
        end: Some(model.state.t + duration),
        ..Options::default()
    };
    let built = catalog::find(REFERENCE)
        .ok()
        .map(|method| method.build_with(&model.mechanism, &options));
    let Some(Ok(integrator)) = built else {
        unreachable!("{REFERENCE} fits every mechanism");
    };
    let schedule = Schedule {
        step: duration / REFERENCE_SAMPLES as f64,
        steps: REFERENCE_SAMPLES,
        every: 1,
    };
    match final_state(model, integrator, schedule, control) {
        Ok(Some(state)) => Ok(state),
        Ok(None) => Err(ConvergeError::Stopped),
        Err(error) => Err(ConvergeError::Reference(error)),
    }
}

/// Where a run ends; `None` if it was stopped, the reason if it failed.
fn final_state(
    model: &Model,
    integrator: Box<dyn Integrator>,
    schedule: Schedule,
    control: &mut Control,
) -> Result<Option<State>, Box<RunError>> {
    let (system, state) = (model.mechanism.system(), model.state.clone());
    let mut simulation = Simulation::new(system, integrator, state, schedule.step);
    let mut watch = Watch { schedule, control };
    let report = simulation.run(&schedule, &mut [&mut watch]);
    let report = report.map_err(Box::new)?;
    Ok((!report.stopped).then_some(simulation.state))
}

struct Watch<'a, 'b> {
    schedule: Schedule,
    control: &'a mut Control<'b>,
}

impl Watch<'_, '_> {
    fn look(&mut self, step: u64) -> ControlFlow<()> {
        if self.control.stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        (self.control.progress)(&Progress {
            begun: 0,
            step,
            steps: self.schedule.steps,
            t: step as f64 * self.schedule.step,
            energy_error: f64::NAN,
        });
        ControlFlow::Continue(())
    }
}

impl Observer for Watch<'_, '_> {
    fn observe(&mut self, sample: &holonomy::simulation::Sample) -> ControlFlow<()> {
        self.look(sample.step)
    }

    fn pulse(&mut self, step: u64) -> ControlFlow<()> {
        self.look(step)
    }
}

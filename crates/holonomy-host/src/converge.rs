//! How the error at the end of a run falls with the step.
use crate::{
    run::{Control, Progress},
    summary::json,
};
use holonomy::{
    diagnostics::{distance, observed_order},
    integrator::{
        Integrator,
        catalog::{self, Options},
    },
    model::Model,
    simulation::{Observer, Schedule, Simulation},
    system::State,
};
use serde::Serialize;
use std::{ops::ControlFlow, sync::atomic::Ordering};

/// Errors of one method at several steps.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Convergence {
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the method.
    pub method: &'static str,
    /// The order that the catalog declares.
    pub declared_order: u32,
    /// The time at which states are compared, s.
    pub t_end: f64,
    /// What they are compared with.
    pub reference: Reference,
    /// Slope of log error against log step, over the points above the floor; `None` below two of them.
    pub order: Option<f64>,
    /// The points, from the largest step to the smallest.
    pub points: Vec<Point>,
}

/// The solution that errors are measured against.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reference {
    /// The method that computed it.
    pub method: &'static str,
    /// Its relative tolerance.
    pub rtol: f64,
    /// Its absolute tolerance.
    pub atol: f64,
    /// How far it is from a second one of ten times the tolerance: errors below it mean nothing.
    pub accuracy: f64,
}

/// The error of one step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// The step, s.
    pub step: f64,
    /// How many were taken.
    pub steps: u64,
    /// Distance from the reference: the largest component of q, and of p in units of its largest; `None` if the run
    /// failed.
    pub error: Option<f64>,
    /// Slope of log error against log step between the point before and this one.
    pub slope: Option<f64>,
    /// Whether the error is above the floor, ten times the accuracy of the reference.
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
    #[error("a step of {step} s does not divide the duration of {duration} s")]
    Uneven {
        /// The step, s.
        step: f64,
        /// The duration, s.
        duration: f64,
    },
    /// The reference could not be computed.
    #[error("the reference solution failed {0}")]
    Reference(String),
    /// The user stopped it.
    #[error("stopped before there was a result")]
    Stopped,
}

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
    let reference = reference(model, duration, 1.0, &mut control)?;
    let coarser = self::reference(model, duration, 10.0, &mut control)?;
    let accuracy = distance(&reference, &coarser);

    let mut points: Vec<Point> = Vec::with_capacity(schedules.len());
    for schedule in schedules {
        begin(&format!("h = {} s", schedule.step));
        let end = final_state(model, model.integrator(), schedule, &mut control);
        let (error, problem) = match end {
            Ok(Some(state)) => (Some(distance(&state, &reference)), None),
            Ok(None) => return Err(ConvergeError::Stopped),
            Err(error) => (None, Some(error)),
        };
        let before = points.last().and_then(|point| Some((point.step, point.error?)));
        let slope = before
            .zip(error)
            .map(|((step, before), error)| (before / error).ln() / (step / schedule.step).ln());
        points.push(Point {
            step: schedule.step,
            steps: schedule.steps,
            error,
            slope: slope.filter(|slope| slope.is_finite()),
            above_floor: error.is_some_and(|error| error > 10.0 * accuracy && error.is_finite()),
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
        method: model.method.name,
        declared_order: model.method.order,
        t_end: duration,
        reference: Reference {
            method: REFERENCE,
            rtol: RTOL,
            atol: ATOL,
            accuracy,
        },
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

fn reference(
    model: &Model,
    duration: f64,
    looser: f64,
    control: &mut Control,
) -> Result<State, ConvergeError> {
    let options = Options {
        rtol: Some(looser * RTOL),
        atol: Some(looser * ATOL),
        end: Some(duration),
        ..Options::default()
    };
    let built = catalog::find(REFERENCE).map(|method| (method.build)(&model.mechanism, &options));
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
) -> Result<Option<State>, String> {
    let mut simulation = Simulation {
        system: model.mechanism.system(),
        integrator,
        state: model.state.clone(),
    };
    let mut watch = Watch { schedule, control };
    let report = simulation.run(&schedule, &mut [&mut watch]);
    let report = report.map_err(|error| error.to_string())?;
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

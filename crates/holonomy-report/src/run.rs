//! A run and what it leaves: how it is held, what is recorded of it, and its outcome.
use crate::{
    certificate::{Certificate, Effort},
    film::Clip,
    number::rough,
    outputs::OutputRecord,
    series::Series,
    summary::Summary,
    warning::WarningWatch,
};
use holonomy::{
    diagnostics::Record,
    integrator::Integrator,
    simulation::{Observer, RunError, RunReport, Sample, Simulation},
    system::Measurement,
};
use holonomy_model::Model;
use serde::{Deserialize, Serialize};
use std::{ops::ControlFlow, sync::atomic::AtomicBool};

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Steps taken.
    pub step: u64,
    /// Those that were taken before, by a run that goes on.
    pub begun: u64,
    /// Steps to take.
    pub steps: u64,
    /// Time reached, s.
    pub t: f64,
    /// Largest |E − E₀| so far, J.
    pub energy_error: f64,
}

/// How a run is controlled from outside.
pub struct Control<'a> {
    /// Ends the run when it becomes true.
    pub stop: &'a AtomicBool,
    /// Called several times a second.
    pub progress: &'a mut dyn FnMut(&Progress),
    /// How much work the certificate is worth.
    pub effort: Effort,
}

/// What a run left.
pub struct Outcome {
    /// The numbers.
    pub summary: Summary,
    /// The curves.
    pub series: Series,
    /// What moves, where it was recorded.
    pub clip: Option<Clip>,
}

/// What is recorded of every sample of a run. Stored beside a checkpoint, it goes on with the run.
#[derive(Default, Serialize, Deserialize)]
pub struct Recording {
    /// The figures of the summary.
    pub record: Record,
    /// The curves.
    pub series: Series,
    /// What moves, where a page will show it.
    pub clip: Option<Clip>,
    /// What its author may not have meant.
    pub watch: WarningWatch,
    /// What the model records by name.
    pub outputs: OutputRecord,
}

impl Recording {
    /// Of a run of a model, with what it records by name.
    pub fn of(model: &Model) -> Self {
        Self {
            outputs: OutputRecord::new(&model.outputs),
            ..Self::default()
        }
    }

    /// The same with what moves.
    pub fn filmed(model: &Model) -> Self {
        Self {
            clip: Some(Clip::new(model.method.name)),
            ..Self::of(model)
        }
    }
}

impl Observer for Recording {
    fn observe(&mut self, sample: &Sample) -> ControlFlow<()> {
        let _ = self.record.observe(sample);
        self.series.push(sample);
        self.watch.push(sample);
        self.outputs.push(sample, &mut self.series.outputs);
        if let Some(clip) = &mut self.clip {
            clip.push(sample);
        }
        ControlFlow::Continue(())
    }
}

/// Runs a model from its start, with nobody watching and no clock: its time is not a number.
pub fn run(model: &Model, name: &str) -> Outcome {
    let mut simulation = model.simulation();
    let mut recording = Recording::of(model);
    let result = simulation.run(&model.schedule, &mut [&mut recording]);
    let second = SecondLook {
        effort: Effort::Usual,
        go_on: &|| true,
    };
    conclude(model, name, simulation, recording, result, f64::NAN, &second)
}

/// How a run is looked at again for its certificate.
pub struct SecondLook<'a> {
    /// How much work that is worth.
    pub effort: Effort,
    /// Ends it when it becomes false.
    pub go_on: &'a dyn Fn() -> bool,
}

/// The outcome of a run that has ended. One that failed or was stopped leaves everything up to its last good state.
pub fn conclude(
    model: &Model,
    name: &str,
    simulation: Simulation,
    recording: Recording,
    result: Result<RunReport, RunError>,
    wall_seconds: f64,
    second: &SecondLook,
) -> Outcome {
    // The certificate takes some steps of its own with the same integrator, from the model's start: a large state need
    // not be held twice.
    let (mut outcome, mut integrator) = summarised(model, name, simulation, recording, result, wall_seconds);
    outcome.summary.certificate = Certificate::new(
        model,
        &mut *integrator,
        &outcome.summary,
        &outcome.series,
        second.effort,
        second.go_on,
    );
    outcome
}

/// The same without a certificate, and the method, which can take further steps for one.
pub fn summarised(
    model: &Model,
    name: &str,
    simulation: Simulation,
    recording: Recording,
    result: Result<RunReport, RunError>,
    wall_seconds: f64,
) -> (Outcome, Box<dyn Integrator>) {
    let (report, error) = match result {
        Ok(report) => (report, None),
        Err(error) => {
            let failed = RunReport {
                work: error.work,
                stopped: false,
            };
            (failed, Some(failure(&error, &simulation)))
        }
    };
    let Recording {
        record,
        series,
        mut clip,
        watch,
        outputs,
    } = recording;
    let mut summary = Summary::new(name, model, &simulation, &record, &report, wall_seconds);
    summary.error = error;
    summary.outputs = outputs.summary();
    summary.warnings = watch.warnings(simulation.system().layout());
    if let Some(clip) = &mut clip {
        let ended = match &summary.error {
            Some(error) => Some(format!("the run failed {error}")),
            None => summary
                .stopped
                .then(|| "the run was stopped before its end".to_owned()),
        };
        let note = match summary.driven {
            true => String::new(),
            false => format!("largest |E − E₀| {} J", rough(summary.energy.max_abs_error)),
        };
        clip.close(&simulation, note, ended);
    }
    let outcome = Outcome {
        summary,
        series,
        clip,
    };
    (outcome, simulation.into_integrator())
}

/// Why a run failed, and where it was: of a few generalized coordinates the values are worth reading.
fn failure(error: &RunError, simulation: &Simulation) -> String {
    let (system, state) = (simulation.system(), &simulation.state);
    let layout = system.layout();
    if !layout.generalized || layout.coordinates.len() > MOST_SHOWN {
        return error.to_string();
    }
    let mut measured = Measurement::default();
    system.measure(state, &mut measured, &mut system.scratch());
    let q = layout.reported(&state.q);
    let coordinates = layout.coordinates.iter().zip(q.iter());
    let velocities = layout.velocities.iter().zip(&measured.velocity);
    let values = coordinates.chain(velocities);
    let values: Vec<String> = values
        .map(|(name, value)| format!("{name} = {}", six_digits(*value)))
        .collect();
    format!("{error}; the state before it: {}", values.join(", "))
}

/// Coordinates that a message can name.
const MOST_SHOWN: usize = 8;

/// A number of six digits, with an exponent where it is very large or small.
fn six_digits(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        1e-4..1e6 => {
            let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
            rounded.to_string()
        }
        _ => format!("{value:.5e}"),
    }
}

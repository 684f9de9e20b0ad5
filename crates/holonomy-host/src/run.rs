//! Runs a model under watch: measures, streams the trajectory, reports progress, stops on request.
use crate::{
    certificate::Certificate,
    recorder::{self, Recorder},
    series::Series,
    summary::Summary,
    trajectory::Writer,
};
use holonomy::{
    model::Model,
    simulation::{RunError, RunReport, Simulation},
    system::Measurement,
};
use std::{io, sync::atomic::AtomicBool, time::Instant};

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Steps taken.
    pub step: u64,
    /// Steps to take.
    pub steps: u64,
    /// Time reached, s.
    pub t: f64,
    /// Largest |E − E₀| so far, J.
    pub energy_error: f64,
}

/// The strings by which a run is held.
pub struct Control<'a> {
    /// Ends the run when it becomes true.
    pub stop: &'a AtomicBool,
    /// Called several times a second.
    pub progress: &'a mut dyn FnMut(&Progress),
}

/// What a run left.
pub struct Outcome {
    /// The numbers.
    pub summary: Summary,
    /// The curves.
    pub series: Series,
    /// Why the trajectory could not be written, if it could not; the run then ended early.
    pub disk: Option<io::Error>,
}

/// Runs a model from its start. A run that fails or is stopped leaves everything up to its last good state.
pub fn run(model: &Model, name: &str, trajectory: Option<&mut dyn Writer>, control: Control) -> Outcome {
    let mut simulation = model.simulation();
    let mut recorder = Recorder::new(model, trajectory);
    let start = Instant::now();
    let result = recorder::watched(&mut simulation, &model.schedule, &mut recorder, control);
    let wall_seconds = start.elapsed().as_secs_f64();
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

    let mut summary = Summary::new(name, model, &simulation, &recorder.record, &report, wall_seconds);
    summary.error = error;
    // The certificate takes some steps of its own; a large system need not be held twice.
    drop(simulation);
    summary.certificate = Certificate::new(model, &summary, &recorder.series);
    Outcome {
        summary,
        series: recorder.series,
        disk: recorder.disk,
    }
}

/// Why a run failed, and where it was: of a few generalized coordinates the values are worth reading.
fn failure(error: &RunError, simulation: &Simulation) -> String {
    let (system, state) = (&simulation.system, &simulation.state);
    let layout = system.layout();
    if !layout.bases.is_empty() || layout.coordinates.len() > MOST_SHOWN {
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

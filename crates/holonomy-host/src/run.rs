//! Runs a model under watch: measures, streams the trajectory, reports progress, stops on request.
use crate::{
    certificate::Certificate,
    series::Series,
    summary::Summary,
    trajectory::{Row, Writer, euler_angles},
};
use holonomy::{
    diagnostics::Record,
    geometry::EulerOrder,
    model::Model,
    simulation::{Observer, RunError, RunReport, Sample, Simulation},
    system::Measurement,
};
use std::{
    io,
    ops::ControlFlow,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

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
    let mut watch = Watch::new(model, trajectory, control);
    let start = Instant::now();
    let result = simulation.run(&model.schedule, &mut [&mut watch]);
    let (report, error) = match result {
        Ok(report) => (report, None),
        Err(error) => (error.report, Some(failure(&error, &simulation))),
    };
    watch.see_last(&simulation, &report);
    let wall_seconds = start.elapsed().as_secs_f64();

    let mut summary = Summary::new(name, model, &simulation, &watch.record, &report, wall_seconds);
    summary.error = error;
    summary.certificate = Certificate::new(model, &summary, &watch.series);
    Outcome {
        summary,
        series: watch.series,
        disk: watch.disk,
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

/// Watches a run.
struct Watch<'w, 'c> {
    record: Record,
    series: Series,
    trajectory: Option<&'w mut dyn Writer>,
    attitude: Option<EulerOrder>,
    angles: Vec<f64>,
    disk: Option<io::Error>,
    control: Control<'c>,
    steps: u64,
    step_size: f64,
    /// The step of the last sample.
    seen: Option<u64>,
    reported: Instant,
}

const REPORT_EVERY: Duration = Duration::from_millis(80);

impl<'w, 'c> Watch<'w, 'c> {
    fn new(model: &Model, trajectory: Option<&'w mut dyn Writer>, control: Control<'c>) -> Self {
        Self {
            record: Record::default(),
            series: Series::default(),
            trajectory,
            attitude: model.attitude,
            angles: Vec::new(),
            disk: None,
            control,
            steps: model.schedule.steps,
            step_size: model.schedule.step,
            seen: None,
            reported: Instant::now(),
        }
    }

    /// The state where a run ended early is a sample too.
    fn see_last(&mut self, simulation: &Simulation, report: &RunReport) {
        if self.seen == Some(report.steps) {
            return;
        }
        let system = &*simulation.system;
        let mut measured = Measurement::default();
        system.measure(&simulation.state, &mut measured, &mut system.scratch());
        // There is nothing left to stop.
        let _ = self.observe(&Sample {
            step: report.steps,
            system,
            state: &simulation.state,
            measured: &measured,
        });
    }
}

impl Observer for Watch<'_, '_> {
    fn observe(&mut self, sample: &Sample) -> ControlFlow<()> {
        self.seen = Some(sample.step);
        let _ = self.record.observe(sample);
        self.series.push(sample);
        if let Some(trajectory) = self.trajectory.as_mut().filter(|_| self.disk.is_none()) {
            let energy = sample.measured.energy;
            let layout = sample.system.layout();
            let q = layout.reported(&sample.state.q);
            if let Some(order) = self.attitude {
                euler_angles(layout, &q, order, &mut self.angles);
            }
            let row = Row {
                t: sample.state.t,
                kinetic: energy.kinetic,
                potential: energy.potential,
                q: &q,
                velocity: &sample.measured.velocity,
                multipliers: &sample.measured.multipliers,
                angles: &self.angles,
            };
            if let Err(error) = trajectory.push(&row) {
                self.disk = Some(error);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    fn pulse(&mut self, step: u64) -> ControlFlow<()> {
        if self.control.stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        if self.reported.elapsed() >= REPORT_EVERY {
            self.reported = Instant::now();
            (self.control.progress)(&Progress {
                step,
                steps: self.steps,
                t: step as f64 * self.step_size,
                energy_error: self.record.energy.max_error,
            });
        }
        ControlFlow::Continue(())
    }
}

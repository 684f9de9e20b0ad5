//! The run loop and the things that watch it.
use crate::{
    integrator::{Integrator, StepError, Work},
    system::{Measurement, State, System},
};
use std::{ops::ControlFlow, sync::Arc};

/// A system, a method and a state: all that a run needs.
pub struct Simulation {
    /// What moves.
    pub system: Arc<dyn System>,
    /// How it is stepped.
    pub integrator: Box<dyn Integrator>,
    /// Where it is.
    pub state: State,
}

/// How far a run goes and how often it is looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// Step h, s.
    pub step: f64,
    /// Number of steps.
    pub steps: u64,
    /// A sample every so many steps; the first and the last state are always shown.
    pub every: u64,
}

/// What an observer sees at a recorded step.
pub struct Sample<'a> {
    /// Steps taken so far.
    pub step: u64,
    /// What moves.
    pub system: &'a dyn System,
    /// Where it is.
    pub state: &'a State,
    /// What was measured on it; nothing if no observer of the run [asks for it](Observer::measures).
    pub measured: &'a Measurement,
}

/// Watches a run: records, streams, shows progress, or stops it.
pub trait Observer {
    /// Called with every recorded sample.
    fn observe(&mut self, sample: &Sample) -> ControlFlow<()> {
        let _ = sample;
        ControlFlow::Continue(())
    }

    /// Whether it looks at what was measured. If no observer does, nothing is.
    fn measures(&self) -> bool {
        true
    }

    /// Called every few steps with the number taken so far: a chance to stop between samples.
    fn pulse(&mut self, step: u64) -> ControlFlow<()> {
        let _ = step;
        ControlFlow::Continue(())
    }
}

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunReport {
    /// Steps taken, and what they cost.
    pub work: Work,
    /// Whether an observer stopped it early.
    pub stopped: bool,
}

/// A run that could not go on. The simulation's state is the last good one.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("at step {}, t = {t} s: {message}", work.steps + 1)]
pub struct RunError {
    /// Time of the last good state.
    pub t: f64,
    /// What stopped it, in words, with the body's name.
    pub message: String,
    /// The same as data.
    pub source: StepError,
    /// What was done before.
    pub work: Work,
}

/// Steps between two calls of [`Observer::pulse`]: fewer where there is more to move.
fn pulse_every(state: &State) -> u64 {
    (4096 / (state.q.len() as u64 + 1)).clamp(1, 256)
}

impl Simulation {
    /// Runs a schedule. Time is `t₀ + k h`, never a running sum.
    pub fn run(
        &mut self,
        schedule: &Schedule,
        observers: &mut [&mut dyn Observer],
    ) -> Result<RunReport, RunError> {
        let t0 = self.state.t;
        let pulse_every = pulse_every(&self.state);
        let (mut sample_at, mut pulse_at) = (0, 0);
        let mut work = Work::default();
        let mut scratch = self.system.scratch();
        let mut measured = Measurement::default();
        let measures = observers.iter().any(|observer| observer.measures());
        loop {
            let last = work.steps == schedule.steps;
            let mut stop = false;
            if last || work.steps == sample_at {
                sample_at = work.steps.saturating_add(schedule.every.max(1));
                if measures {
                    self.system.measure(&self.state, &mut measured, &mut scratch);
                }
                let sample = Sample {
                    step: work.steps,
                    system: &*self.system,
                    state: &self.state,
                    measured: &measured,
                };
                for observer in observers.iter_mut() {
                    stop |= observer.observe(&sample).is_break();
                }
            }
            if work.steps == pulse_at {
                pulse_at += pulse_every;
                for observer in observers.iter_mut() {
                    stop |= observer.pulse(work.steps).is_break();
                }
            }
            if last || stop {
                return Ok(RunReport { work, stopped: !last });
            }
            let count = sample_at.min(pulse_at).min(schedule.steps) - work.steps;
            let advanced = self
                .integrator
                .advance(&mut self.state, schedule.step, count, &mut work);
            self.state.t = t0 + work.steps as f64 * schedule.step;
            if advanced.is_err() {
                // Once more, to find out how large a step would have worked.
                match self.integrator.step(&mut self.state, schedule.step) {
                    Ok(info) => work.count(info),
                    Err(source) => {
                        let message = source.describe(self.system.layout());
                        return Err(RunError {
                            t: self.state.t,
                            message,
                            source,
                            work,
                        });
                    }
                }
                self.state.t = t0 + work.steps as f64 * schedule.step;
            }
        }
    }
}

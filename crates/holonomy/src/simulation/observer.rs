use crate::{
    integrator::Work,
    system::{Measurement, State, System},
};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// How far a run goes and how often it is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    /// Step h, s.
    pub step: f64,
    /// Number of steps.
    pub steps: u64,
    /// A sample whenever the steps since the origin of time are a multiple of this; the first and the last state are
    /// always shown.
    pub every: u64,
}

/// What an observer sees at a recorded step.
pub struct Sample<'a> {
    /// Steps since the origin of time: a run that goes on where another ended goes on counting.
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

    /// Called every few steps with the number since the origin of time: a chance to stop between samples.
    fn pulse(&mut self, step: u64) -> ControlFlow<()> {
        let _ = step;
        ControlFlow::Continue(())
    }
}

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunReport {
    /// Steps it took, and what they cost.
    pub work: Work,
    /// Whether an observer stopped it early.
    pub stopped: bool,
}

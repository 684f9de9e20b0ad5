use crate::{
    decimal,
    integrator::Work,
    system::{Layout, Measured, Measurement, State, System},
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

impl Sample<'_> {
    /// What ends a run here: a number that is not finite, or a constraint that cannot be met.
    pub fn fault(&self) -> Option<SampleFault> {
        let Self {
            system,
            state,
            measured,
            ..
        } = self;
        let t = state.t;
        if let Some((number, value)) = measured.not_finite() {
            return Some(SampleFault::NotFinite { number, value, t });
        }
        let (equation, violation) = system.unmet(state, measured)?;
        Some(SampleFault::Unmet {
            equation,
            violation,
            t,
        })
    }
}

/// What is wrong with a recorded state, all of whose coordinates and momenta are finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SampleFault {
    /// A number that was measured is infinite or not a number.
    NotFinite {
        /// Which.
        number: Measured,
        /// What it is.
        value: f64,
        /// When, s.
        t: f64,
    },
    /// A constraint is violated, and nothing nearby meets it: what is driven contradicts it.
    Unmet {
        /// Which of the equations of constraint has the largest violation.
        equation: usize,
        /// That violation, at the nearest place.
        violation: f64,
        /// When, s.
        t: f64,
    },
}

impl SampleFault {
    /// A sentence for people, with names.
    pub fn describe(&self, layout: &Layout) -> String {
        match *self {
            Self::NotFinite { number, value, t } => format!(
                "{} is {value} at t = {} s, where the run was recorded next: the motion has become too large for numbers, or what is measured has no value there; take a smaller step, another method, or another start",
                number.describe(layout),
                decimal(t)
            ),
            Self::Unmet {
                equation,
                violation,
                t,
            } => format!(
                "{} cannot be met at t = {} s, where the run was recorded next, however things move: at the nearest place its violation is {}; change its length, what drives it, or what else holds its ends",
                layout.constraint(equation),
                decimal(t),
                layout.violation(equation, violation)
            ),
        }
    }
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

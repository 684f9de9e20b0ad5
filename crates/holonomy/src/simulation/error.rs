use super::{Fingerprint, Label, observer::SampleFault};
use crate::{
    decimal,
    integrator::{StepError, Work, catalog::Options},
    potential::PotentialFault,
    system::Layout,
};

/// A run that could not go on. The simulation's state is the last good one: that before a step that failed, or that of
/// the sample before one that shows that the run is over.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("at step {step}, t = {} s: {message}", decimal(*t))]
pub struct RunError {
    /// Time of the last good state.
    pub t: f64,
    /// The step that failed, counted from the origin of time.
    pub step: u64,
    /// What stopped it, in words, with the body's name.
    pub message: String,
    /// The same as data.
    pub source: RunFault,
    /// What the run did before.
    pub work: Work,
}

/// What ends a run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunFault {
    /// A step could not be taken.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A potential written by a user failed.
    #[error(transparent)]
    Potential(#[from] PotentialFault),
    /// What was recorded shows that the run is over.
    #[error("{}", .0.describe(&Layout::default()))]
    Sample(SampleFault),
}

impl RunFault {
    /// The step that could not be taken, if it is that.
    pub fn step(&self) -> Option<&StepError> {
        match self {
            Self::Step(error) => Some(error),
            Self::Potential(_) | Self::Sample(_) => None,
        }
    }

    /// A sentence for people, with the body's name.
    pub(super) fn describe(&self, layout: &Layout) -> String {
        match self {
            Self::Step(error) => error.describe(layout),
            Self::Potential(fault) => fault.to_string(),
            Self::Sample(fault) => fault.describe(layout),
        }
    }
}

/// A checkpoint of another simulation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ResumeError {
    /// It was made with another method.
    #[error("the checkpoint was made by {}, and this simulation steps by {}", method(.checkpoint), method(.simulation))]
    Method {
        /// That of the checkpoint; empty if it has no name.
        checkpoint: String,
        /// That of the simulation.
        simulation: String,
    },
    /// The method had other options.
    #[error("the checkpoint was made with other options of the method: {}", differing(.checkpoint, .simulation).join(", "))]
    Options {
        /// Those of the checkpoint.
        checkpoint: Options,
        /// Those of the simulation.
        simulation: Options,
    },
    /// It belongs to another model.
    #[error("the checkpoint belongs to {}, and this is {}", model(.checkpoint), model(.simulation))]
    Model {
        /// That of the checkpoint.
        checkpoint: Option<Fingerprint>,
        /// That of the simulation.
        simulation: Option<Fingerprint>,
    },
    /// It has other sizes.
    #[error("the checkpoint has {} numbers of its {part}, and this simulation has {}", .checkpoint, .simulation)]
    Size {
        /// Which part of the state.
        part: Part,
        /// That of the checkpoint.
        checkpoint: usize,
        /// That of the simulation.
        simulation: usize,
    },
}

/// A part of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// q.
    Configuration,
    /// p.
    Momentum,
    /// λ.
    Multipliers,
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Configuration => "configuration",
            Self::Momentum => "momentum",
            Self::Multipliers => "multipliers",
        })
    }
}

impl Label {
    /// Why a checkpoint of the given label is not one of this simulation.
    pub(super) fn refuses(&self, checkpoint: &Self) -> Option<ResumeError> {
        if self.method != checkpoint.method {
            return Some(ResumeError::Method {
                checkpoint: checkpoint.method.clone(),
                simulation: self.method.clone(),
            });
        }
        if self.model != checkpoint.model {
            return Some(ResumeError::Model {
                checkpoint: checkpoint.model,
                simulation: self.model,
            });
        }
        (self.options != checkpoint.options).then(|| ResumeError::Options {
            checkpoint: checkpoint.options.clone(),
            simulation: self.options.clone(),
        })
    }
}

fn method(name: &str) -> String {
    match name {
        "" => "a method without a name".to_owned(),
        name => format!("`{name}`"),
    }
}

fn model(print: &Option<Fingerprint>) -> String {
    match print {
        Some(print) => format!("model {}", &print.to_string()[..12]),
        None => "a model without a fingerprint".to_owned(),
    }
}

/// The options that differ, each with both values.
fn differing(there: &Options, here: &Options) -> Vec<String> {
    let said = |options: &Options| {
        let Options {
            fixed_point,
            one_sided,
            tolerance,
            max_iterations,
            rtol,
            atol,
            max_step,
            end,
        } = *options;
        let number = |x: Option<f64>| x.map_or_else(|| "not given".to_owned(), |x| x.to_string());
        let iterations = max_iterations.map(f64::from);
        [
            (
                "solver",
                if fixed_point { "fixed-point" } else { "newton" }.to_owned(),
            ),
            (
                "forcing",
                if one_sided { "one-sided" } else { "symmetric" }.to_owned(),
            ),
            ("tolerance", number(tolerance)),
            ("max_iterations", number(iterations)),
            ("rtol", number(rtol)),
            ("atol", number(atol)),
            ("max_step", number(max_step)),
            ("end", number(end)),
        ]
    };
    let pairs = said(there).into_iter().zip(said(here));
    let differing = pairs.filter(|(there, here)| there != here);
    differing
        .map(|((name, there), (_, here))| format!("`{name}` was {there} and is {here}"))
        .collect()
}

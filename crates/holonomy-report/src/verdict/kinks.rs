//! What steps over kinks cost, and its words.
use super::Quantity;
use crate::number::rough;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Kinks of the forces that a run crosses: strings that tighten, stops, dry friction, `abs`, `min` and `max`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kinks {
    /// What was crossed.
    pub names: Vec<String>,
    /// How often, in the steps that were looked at.
    pub crossings: u64,
    /// For how long it was looked at.
    pub covered: Quantity,
    /// The step.
    pub step: Quantity,
    /// From how many states steps over kinks were tried.
    pub tried: u64,
    /// The largest error of one such step beside 64 short ones, in units of the largest coordinate and momentum; `None`
    /// where it could not be measured.
    pub over: Option<f64>,
    /// That of steps beside all kinks.
    pub beside: Option<f64>,
    /// By how much the energy less the work changes otherwise in one such step than in short ones, at most.
    pub energy: Option<Quantity>,
    /// The longest step tried with which a crossing costs no more than steps beside it do now.
    pub resolving: Option<Quantity>,
    /// The shortest that was tried.
    pub shortest: Quantity,
    /// Keys of formulas whose kinks were not followed.
    pub unfollowed: Vec<String>,
}

/// Names that a sentence can hold.
const MOST: usize = 4;

fn listed(names: &[String]) -> String {
    let shown = names[..names.len().min(MOST)].join(", ");
    match names.len().saturating_sub(MOST) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

impl fmt::Display for Kinks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.crossings {
            0 => write!(f, "none was crossed in {}", self.covered)?,
            1 => write!(f, "1 was crossed in {} ({})", self.covered, listed(&self.names))?,
            count => write!(
                f,
                "{count} were crossed in {} ({})",
                self.covered,
                listed(&self.names)
            )?,
        }
        match (self.over, self.beside, &self.energy) {
            (Some(over), Some(beside), Some(energy)) => {
                write!(
                    f,
                    "; of {} tried, a step over one is off by up to {} and {energy}, a step beside them by up to {}",
                    self.tried,
                    rough(over),
                    rough(beside)
                )?;
                match &self.resolving {
                    Some(step) if *step == self.step => {}
                    Some(step) => write!(
                        f,
                        "; steps of {step} over a kink would be off by no more than that"
                    )?,
                    None => write!(
                        f,
                        "; steps down to {} over a kink are off by more, too",
                        self.shortest
                    )?,
                }
            }
            _ if self.crossings > 0 => f.write_str("; what they cost could not be measured")?,
            _ => {}
        }
        match self.unfollowed.is_empty() {
            true => Ok(()),
            false => write!(f, "; those of {} were not followed", listed(&self.unfollowed)),
        }
    }
}

//! Work and precision: how exact the methods are for what they cost.
//!
//! Every method runs the same motion several times, with shorter and shorter steps or, where it chooses its own, with
//! tighter and tighter tolerances. Errors are those of the state at the end, against a reference, and the largest of
//! the energy on the way, against the energy in motion; work is force evaluations and wall time. On logarithmic axes
//! a method of order r is a line of slope −r.
mod conclusion;
mod picture;
#[cfg(test)]
mod tests;

pub use conclusion::{Cost, ErrorKind, Winner};

use crate::{converge::Reference, number, summary::json};
use serde::{Deserialize, Serialize};

/// The methods on one motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Precision {
    /// Name of the scenario.
    pub scenario: String,
    /// The time at which states are compared, s.
    pub t_end: f64,
    /// What they are compared with.
    pub reference: Reference,
    /// What energy errors are divided by, J: the most kinetic energy that there can be.
    #[serde(with = "number::nullable")]
    pub energy_in_motion: f64,
    /// Whether energy is conserved, so that its error means something.
    pub conservative: bool,
    /// The methods, in the order in which they were asked for.
    pub curves: Vec<MethodCurve>,
}

/// One method with several steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodCurve {
    /// Name of the method.
    pub method: String,
    /// The order that the catalog declares.
    pub order: u32,
    /// Whether it promises to preserve structure: the symplectic form, or a bounded energy.
    pub geometric: bool,
    /// Exponent r of error ∝ evaluations⁻ʳ over the points above the floor; `None` below two of them.
    pub slope: Option<f64>,
    /// From little work to much.
    pub points: Vec<PrecisionRun>,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrecisionRun {
    /// The step, s; the mean of those that an adaptive method took.
    pub step: f64,
    /// The relative tolerance of an adaptive method.
    pub tolerance: Option<f64>,
    /// Distance from the reference at the end, as in [`crate::converge::ConvergencePoint::error`]; `None` if the run failed.
    pub error: Option<f64>,
    /// Largest |E − E₀| on the way over the energy in motion; `None` if the run failed.
    pub energy_error: Option<f64>,
    /// Force evaluations.
    pub evaluations: u64,
    /// Wall time of the fastest of several runs, s.
    #[serde(with = "number::nullable")]
    pub seconds: f64,
    /// Whether the error of the state is above what the reference and rounding let us see.
    pub above_floor: bool,
    /// Why the run failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl Precision {
    /// The data as JSON text.
    pub fn to_json(&self) -> String {
        json(self)
    }
}

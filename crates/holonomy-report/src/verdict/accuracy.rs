//! What a second look at a run found, as data: how far its path is from the true one, how fast errors grow, and what
//! would be better.
use super::Quantity;
use crate::number;
use serde::{Deserialize, Serialize};

/// How far a path is from the true one, by a companion that is more exact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Accuracy {
    /// The companion.
    pub companion: Companion,
    /// For how long the two were compared.
    pub covered: Quantity,
    /// Whether that is the whole run.
    pub whole: bool,
    /// The largest error.
    pub largest: PathError,
    /// The error at the end of that time.
    pub last: PathError,
    /// From when on a figure shows it: a hundredth of what the part moves.
    pub seen_from: Option<Quantity>,
    /// From when on it is another path: a tenth of what the part moves.
    pub lost_from: Option<Quantity>,
    /// The part that is lost first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_part: Option<String>,
    /// By how much the run is ahead of the true motion, where most of the error is that; it lags where this is negative.
    pub ahead: Option<Quantity>,
    /// What steps of another kind see of the beginning that run and companion do not; `None` where they agree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missed: Option<Missed>,
}

/// An error that steps see which divide the time otherwise: half a step may fall on the same places of a fast drive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Missed {
    /// After so long.
    pub after: Quantity,
    /// How far the run is off then.
    pub error: PathError,
}

/// A more exact run of the same model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Companion {
    /// Half the step.
    HalfStep,
    /// A hundredth of the tolerances.
    TighterTolerances,
}

/// An error of a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathError {
    /// The part that is farthest off, compared with how far it moves.
    pub part: String,
    /// How far it is off.
    pub distance: Quantity,
    /// As a share of how far it moves.
    #[serde(with = "number::nullable")]
    pub share: f64,
    /// The largest distance of a place.
    pub metres: Option<Quantity>,
    /// The largest angle.
    pub radians: Option<Quantity>,
}

/// How fast errors grow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// The largest Lyapunov exponent.
    pub exponent: Quantity,
    /// Its error.
    pub error: Quantity,
    /// What went beside the run.
    #[serde(default)]
    pub by: Grower,
    /// For how long it was measured.
    pub covered: Quantity,
    /// Whether that is the whole run.
    pub whole: bool,
    /// Until when positions can be known with any method in double precision; `None` where the motion is not chaotic.
    pub known_at_best: Option<Quantity>,
}

/// What shows how errors grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grower {
    /// An exact tangent.
    Tangent,
    /// A copy that starts beside the run.
    #[default]
    Copy,
}

/// What was tried instead, and how it went over the same time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Another method with the same step; `None` for the same method with half the step.
    pub method: Option<String>,
    /// For how long.
    pub covered: Quantity,
    /// Largest |E − E₀|, that of the run over the same time first; `None` where the energy is not conserved.
    pub energy: Option<(Quantity, Quantity)>,
    /// The largest error of the path, as a share of what moves, that of the run first.
    #[serde(with = "number::nullable")]
    pub share: (f64, f64),
}

/// At which steps a run was watched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WatchedSteps {
    /// One in so many was recorded.
    pub recorded: u64,
    /// All were watched for so long from the start, when they were taken again.
    pub all_for: Quantity,
    /// Whether all were watched.
    pub all: bool,
    /// What taking steps again cost, as a share of the steps of the run.
    #[serde(with = "number::nullable")]
    pub cost: f64,
}

impl Default for WatchedSteps {
    fn default() -> Self {
        Self {
            recorded: 1,
            all_for: Quantity::new(0.0, "s"),
            all: false,
            cost: 0.0,
        }
    }
}

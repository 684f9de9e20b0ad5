//! Verdicts on a run, as data: what is judged, what the method promises of it, what was measured, how it stands and
//! why.
//!
//! The terminal, `summary.json`, `report.html` and `compare` read these and judge nothing themselves. They are found
//! in [`crate::certificate`]; their words are in `text`, and nowhere else.
mod accuracy;
mod conclusion;
mod kinks;
mod text;
mod written;

pub use accuracy::{Accuracy, Companion, Grower, Growth, Missed, PathError, Trial, WatchedSteps};
pub use conclusion::{Conclusion, Grounds};
pub use kinks::Kinks;
pub use text::Answer;
pub use text::NOT_CONSERVED;

use crate::number;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use written::WrittenJudgement;

/// How something stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// As it should be.
    Good,
    /// To be looked at.
    Doubtful,
    /// Not as it should be.
    Bad,
    /// Neither: nothing was promised, or nothing could be measured.
    #[default]
    Neutral,
}

/// One thing that was judged. Written with its words beside the data; read back from the data alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "WrittenJudgement", from = "WrittenJudgement")]
pub struct Judgement {
    /// What is judged.
    pub subject: Subject,
    /// What the method promises of it.
    pub promise: Promise,
    /// What was measured.
    pub evidence: Evidence,
    /// How it stands.
    pub verdict: Verdict,
    /// Why.
    pub reason: Reason,
}

/// What is judged.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Subject {
    /// Whether the run reached its end.
    End,
    /// The total energy.
    Energy,
    /// A conserved quantity.
    Momentum {
        /// Its name.
        name: String,
    },
    /// The unit length of directions.
    UnitLength,
    /// The constraints, all together.
    Constraints,
    /// Their multipliers.
    ConstraintForces,
    /// The symplectic form.
    Form,
    /// The order of convergence.
    Order,
    /// Whether a step back undoes a step.
    Reversal,
    /// What steps over kinks of the forces cost.
    Kinks,
    /// How far the path is from the true one.
    Path,
    /// How far ahead any path can be known.
    Predictability,
    /// What the run cost.
    Cost,
}

/// What a method promises of a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Promise {
    /// That it holds.
    Given,
    /// Nothing.
    Withheld,
    /// There is nothing that a method could promise of it.
    Inapplicable,
}

/// A number with its unit; the unit is empty for a pure number and where it is not known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantity {
    /// The number, in that unit.
    #[serde(with = "number::nullable")]
    pub value: f64,
    /// The symbol of the unit.
    #[serde(default, skip_serializing_if = "is_blank")]
    pub unit: Cow<'static, str>,
}

fn is_blank(unit: &impl AsRef<str>) -> bool {
    unit.as_ref().is_empty()
}

impl Quantity {
    /// A number with a unit.
    pub fn new(value: f64, unit: impl Into<Cow<'static, str>>) -> Self {
        let unit = unit.into();
        Self { value, unit }
    }

    /// A number without one.
    pub fn pure(value: f64) -> Self {
        Self::new(value, "")
    }
}

/// What was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Evidence {
    /// The run failed.
    Failure {
        /// Where and why.
        message: String,
    },
    /// The run was stopped.
    Stop {
        /// When.
        at: Quantity,
    },
    /// An energy that the motion itself changes, against the work of what changes it.
    Balance {
        /// At the start.
        initial: Quantity,
        /// At the end.
        last: Quantity,
        /// The work of each source over the run.
        sources: Vec<SourceWork>,
        /// Largest |E − E₀ − W|.
        largest: Quantity,
        /// Energy that went in or out.
        throughput: Quantity,
        /// What can have been in motion without it.
        in_motion: Quantity,
        /// The largest imbalance over the larger of these two; `None` where nothing moves.
        share: Option<f64>,
        /// Slope of a line through the imbalance; `None` for a short run.
        drift: Option<Drift>,
    },
    /// An energy that the motion itself changes, in a run of an earlier version, which measured no work.
    EnergyChange {
        /// At the start.
        initial: Quantity,
        /// At the end.
        last: Quantity,
    },
    /// Error of an energy that is conserved.
    EnergyError {
        /// Largest |E − E₀|.
        largest: Quantity,
        /// What can have been in motion.
        in_motion: Quantity,
        /// The largest error over what is in motion; `None` where nothing moves.
        share: Option<f64>,
        /// Slope of a line through the error; `None` for a short run.
        drift: Option<Drift>,
    },
    /// Change of a conserved quantity.
    MomentumChange {
        /// Its value at the start.
        initial: Quantity,
        /// Its largest change.
        largest: Quantity,
        /// What changes are compared with.
        scale: Quantity,
    },
    /// One number that should be zero.
    Deviation {
        /// The largest that was found.
        largest: Quantity,
    },
    /// Multipliers of the constraints over the run.
    Forces {
        /// Of the first few of them.
        ranges: Vec<ForceRange>,
        /// How many more there are.
        more: usize,
    },
    /// A measured order.
    Order {
        /// The order that the catalog declares.
        declared: u32,
        /// The order that was measured; `None` where it could not be.
        measured: Option<MeasuredOrder>,
    },
    /// What steps over kinks cost.
    Kinks(Box<Kinks>),
    /// The path beside that of a companion.
    Path(Box<Accuracy>),
    /// How fast errors grow.
    Growth(Growth),
    /// What the run cost.
    Cost {
        /// Time that it took.
        wall: Quantity,
        /// Steps per second of it.
        rate: Quantity,
        /// Mean and most iterations of a step; `None` for an explicit method.
        iterations: Option<(f64, u32)>,
        /// Steps that an adaptive method took and threw away.
        adaptive: Option<(u64, u64)>,
    },
    /// It could not be measured.
    Missing {
        /// Why not.
        why: Unmeasured,
    },
}

/// The slope of a line through the energy error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drift {
    /// The slope.
    pub slope: Quantity,
    /// Its standard error.
    pub standard_error: Quantity,
    /// By how much it would have carried the energy away over the run.
    pub total: Quantity,
    /// By how much E + h² H₂ changed from the start to the end, where that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<Quantity>,
    /// The largest error in five times the time, where the steps were taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longer: Option<Quantity>,
    /// What it is.
    pub kind: DriftKind,
}

/// What a fitted slope is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DriftKind {
    /// Not told from zero.
    Zero,
    /// Rounding.
    Rounding,
    /// The slow swings of a bounded error, which the run is too short to average.
    Swing,
    /// The slow swing of a bounded error, which does not go on to grow in five times the time.
    Returns,
    /// The growing h² term of what the steps conserve, which is E + h² H₂.
    Term,
    /// A drift.
    Real,
}

/// Work of what changes the energy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceWork {
    /// What does it, such as `damper elbow`.
    pub name: String,
    /// The work over the run: what it adds to the energy.
    pub work: Quantity,
}

/// The range of a multiplier over a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForceRange {
    /// Name of the constraint.
    pub name: String,
    /// The least.
    pub least: Quantity,
    /// The largest.
    pub largest: Quantity,
}

/// An order and how it was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredOrder {
    /// The order.
    #[serde(with = "number::nullable")]
    pub order: f64,
    /// The largest step in use.
    pub step: Quantity,
}

/// Why something could not be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unmeasured {
    /// Steps cannot be taken as it needs where the run starts.
    AtTheStart,
    /// There are too few steps, or they cost too much.
    TooFewSteps,
    /// A run that starts beside this one fails, or becomes the same.
    NeighbourFails,
    /// The companion fails where the run does not.
    CompanionFails,
    /// The step does not resolve the motion: what grows may be its error.
    NotResolved,
    /// Kinks of formulas are not followed.
    InFormulas,
    /// Nothing moves but by rounding, neither where the run starts nor where it ends.
    NothingMoves,
    /// The method chooses its own steps: a copy beside the run takes others, and what grows is their difference.
    OwnSteps,
    /// It was not asked for.
    NotAsked,
}

/// Why a thing stands as it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The run failed.
    Failed,
    /// The run was stopped.
    Stopped,
    /// The motion itself changes it.
    ChangesRightly,
    /// It changes by the work that was done, but for rounding.
    BalancedToRounding,
    /// It changes by the work that was done.
    Balanced,
    /// It changes by about the work that was done.
    BalancedRoughly,
    /// It changes by something else than the work that was done.
    Unbalanced,
    /// Nothing moves.
    AtRest,
    /// The error is as large as what is in motion.
    Wrong,
    /// No error but rounding.
    ToRounding,
    /// Bounded by more than a figure would hide.
    BoundedButLarge,
    /// Bounded.
    Bounded,
    /// It drifts.
    Drifts,
    /// The error is large.
    Large,
    /// No drift was seen.
    NoDriftSeen,
    /// Conserved.
    Conserved,
    /// Conserved but for little.
    NearlyConserved,
    /// Not conserved.
    Lost,
    /// On the sphere.
    OnTheSphere,
    /// Close to the sphere.
    CloseToTheSphere,
    /// Away from the sphere.
    LeavesTheSphere,
    /// Constraints hold.
    Satisfied,
    /// Constraints hold but for little.
    NearlySatisfied,
    /// Constraints do not hold.
    Violated,
    /// The form is preserved.
    Preserved,
    /// The form is preserved, here and without a promise.
    PreservedHere,
    /// The form is not preserved, against a promise.
    Broken,
    /// The form is not preserved.
    NotPreserved,
    /// The order is the declared one.
    AsDeclared,
    /// The order is above the declared one.
    HigherHere,
    /// The order is below the declared one.
    StepTooLarge,
    /// A step back undoes a step.
    Undone,
    /// It does so here, without a promise.
    UndoneHere,
    /// It does not.
    NotUndone,
    /// Steps over kinks cost no more than others.
    Resolved,
    /// They cost more.
    NotResolved,
    /// No kink was crossed.
    NotCrossed,
    /// Bounded in this run, with a slope that is told from zero.
    BoundedHere,
    /// The mean of the energy follows the motion, and what the steps conserve stays.
    FollowsTheMotion,
    /// Close to the true path.
    Close,
    /// A figure shows the difference.
    Visible,
    /// Another path by the end.
    LostLater,
    /// The step does not resolve the motion.
    LostAtOnce,
    /// Run and companion agree, and both miss something.
    NotSeen,
    /// Close as far as it was compared, which is not the whole run.
    CloseSoFar,
    /// An exponential growth of errors was not seen.
    Regular,
    /// Errors die out.
    Contracting,
    /// Errors grow as an exponential, and positions cease to be known within the run.
    Chaotic,
    /// They would in a longer one.
    ChaoticLater,
    /// Errors grow as the motion itself does.
    FliesOff,
    /// Nothing moves, and what is beside it leaves it.
    Unstable,
    /// It could not be measured.
    Unknown,
    /// It is reported, not judged.
    Reported,
}

//! Why a run cannot be differentiated.
use holonomy_model::ChangeError;

/// Why there is no such map, or no run.
#[derive(Debug, thiserror::Error)]
pub enum RolloutError {
    /// The method has no derivatives.
    #[error(
        "`{method}` has no derivatives of its steps; choose one that is marked `differentiable`, such as `{instead}`"
    )]
    NotDifferentiable {
        /// The method.
        method: &'static str,
        /// One that has.
        instead: &'static str,
    },
    /// Not a number of the model.
    #[error("the model has no number `{key}`{}", .near.as_ref().map_or(String::new(), |near| format!("; did you mean `{near}`?")))]
    Key {
        /// What was asked for.
        key: String,
        /// What may have been meant.
        near: Option<String>,
    },
    /// A whole number.
    #[error("`{0}` is a whole number: nothing changes smoothly with it")]
    Whole(String),
    /// A number without room to both sides.
    #[error(
        "`{key}` = {value} is at its bound: there is no derivative to both sides; move it away from there"
    )]
    Bound {
        /// The number.
        key: String,
        /// Its value.
        value: f64,
    },
    /// An output that the model does not have.
    #[error("the model has no output named `{name}`; {help}")]
    Output {
        /// What was asked for.
        name: String,
        /// What there is.
        help: String,
    },
    /// An output that is not a function of a state.
    #[error("`{0}` is of a whole run, not of one state: it has no derivative here; leave it out")]
    OfRun(String),
    /// An input on something without canonical momentum.
    #[error(
        "the input `{0}` acts on a momentum that is not canonical: put it on a joint with one number, or on a coordinate of a Lagrangian without a frame"
    )]
    Place(String),
    /// Another number of numbers.
    #[error("{what} has {wanted} numbers, got {got}")]
    Count {
        /// Of what.
        what: &'static str,
        /// How many there are.
        wanted: usize,
        /// How many were given.
        got: usize,
    },
    /// A number that is not finite.
    #[error("{0} has a number that is not finite")]
    NotFinite(&'static str),
    /// A start that is no state.
    #[error("the start is no state of the model: {0}")]
    Start(String),
    /// No steps.
    #[error("a run has at least one step, and outputs are read every step or more seldom")]
    Steps,
    /// The numbers make no model.
    #[error("with these numbers there is no model: {0}")]
    Model(#[from] ChangeError),
    /// A step failed.
    #[error("the run failed in step {step}, at t = {t} s: {reason}")]
    Step {
        /// Which, from 1.
        step: usize,
        /// Where it started, s.
        t: f64,
        /// Why.
        reason: String,
    },
    /// It was stopped.
    #[error("it was stopped")]
    Stopped,
}

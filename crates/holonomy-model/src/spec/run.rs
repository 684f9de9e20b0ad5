//! `[method]`, `[run]` and `[output]`.
use super::joint::Motion;
use super::key::Bound::{Finite, Positive};
use super::quantity::Quantity;
use super::section::{choice, section};
use super::{Key, Keys, Kind};
use crate::units::Unit;

choice! {
    /// How the equations of an implicit step are solved.
    Solver {
        /// By Newton's method, to round-off.
        Newton = "newton",
        /// By iteration, to a tolerance.
        FixedPoint = "fixed-point",
    }
}

choice! {
    /// How forces enter a discrete step.
    Forcing {
        /// Half at each end.
        Symmetric = "symmetric",
        /// At one end.
        OneSided = "one-sided",
    }
}

choice! {
    /// How a trajectory is written.
    TrajectoryFormat {
        /// Apache Parquet.
        Parquet = "parquet",
        /// Comma-separated text.
        Csv = "csv",
        /// NumPy arrays.
        Npz = "npz",
    }
}

section! {
    /// How the motion is computed. Which options there are depends on the method: see the table of methods.
    MethodChoice {
        /// One of the catalog.
        name: String, required Kind::Text;
        /// How implicit steps are solved; `newton` if left out.
        solver: Option<Solver>, optional Kind::Choice(Solver::WORDS);
        /// How forces enter; `symmetric` if left out.
        forcing: Option<Forcing>, optional Kind::Choice(Forcing::WORDS);
        /// When the fixed-point solver stops, relative.
        tolerance: Option<Quantity>, optional Kind::Number(Unit::NONE, Positive);
        /// After how many iterations a solver gives up.
        max_iterations: Option<u64>, optional Kind::Count(1, 10_000);
        /// Relative error that an adaptive method aims at in each of its steps.
        rtol: Option<Quantity>, optional Kind::Number(Unit::NONE, Positive);
        /// Absolute error that it aims at.
        atol: Option<Quantity>, optional Kind::Number(Unit::NONE, Positive);
        /// The longest step that it takes; a tenth of the run if left out.
        max_step: Option<Quantity>, optional Kind::Number(Unit::SECOND, Positive);
        /// A time at which one of its own steps ends, as where a run of `ode45` ends; none if left out.
        end: Option<Quantity>, optional Kind::Number(Unit::SECOND, Positive);
    }
}

/// Most steps of a run; in a browser, what can be counted.
pub(crate) const MOST_STEPS: usize = if usize::BITS < 64 {
    usize::MAX
} else {
    1_000_000 * 1_000_000
};

section! {
    /// How far the model runs: `duration` or `steps`.
    RunLength {
        /// The step; for an adaptive method the time between samples.
        step: Quantity, required Kind::Number(Unit::SECOND, Positive);
        /// How long the run is.
        duration: Option<Quantity>, optional Kind::Number(Unit::SECOND, Positive);
        /// How many steps it has.
        steps: Option<u64>, optional Kind::Count(1, MOST_STEPS);
        /// The time at the start, from which formulas of time and what is driven go on; 0 if left out.
        start_time: Option<Quantity>, optional Kind::Number(Unit::SECOND, Finite);
        /// Every how many steps there is a sample; 1 if left out.
        every: Option<u64>, optional Kind::Count(1, usize::MAX);
    }
}

section! {
    /// How the trajectory is written.
    Output {
        /// `parquet` if left out.
        format: Option<TrajectoryFormat>, optional Kind::Choice(TrajectoryFormat::WORDS);
        /// The axes of Euler angles that are written beside the quaternions of a tree, such as `zyx`.
        attitude: Option<String>, optional Kind::Text;
        /// What is recorded beside the state, by name: sites, their velocities, efforts, tensions, momenta, definitions.
        record: Vec<String>, optional Kind::Names;
    }
}

section! {
    /// Where the model starts, in place of what its bodies say. `holonomy run --from` writes it.
    GivenStart {
        /// The time; that of `[run]` if left out.
        t: Option<Quantity>, optional Kind::Number(Unit::SECOND, Finite);
        /// All coordinates, in the order of the columns of a trajectory.
        q: Vec<Quantity>, required Kind::Numbers(Unit::ANY, Finite);
        /// All velocities, in the order of the columns of a trajectory.
        v: Vec<Quantity>, required Kind::Numbers(Unit::ANY, Finite);
    }
}

section! {
    /// A generalized force along one velocity: zero if nothing is said, and what a program sets while it takes steps.
    InputForce {
        /// What it is called.
        name: String, required Kind::Name;
        /// The coordinate or velocity that it acts on.
        on: String, required Kind::Text;
        /// The force for an input of one; 1 if left out.
        scale: Option<Quantity>, optional Kind::Number(Unit::ANY, Finite);
        /// The least that `holonomy control` may choose.
        min: Option<Quantity>, optional Kind::Number(Unit::ANY, Finite);
        /// The most that it may choose.
        max: Option<Quantity>, optional Kind::Number(Unit::ANY, Finite);
        /// What it is in every run; 0 if left out. `holonomy control` and `holonomy inverse` seek something else in its
        /// place.
        value: Option<Motion>, optional Kind::Motion(Unit::ANY);
        /// What is added in answer to the state.
        feedback: Vec<InputFeedback>, optional Kind::Sections(&InputFeedback::SECTION);
    }
}

section! {
    /// How an input answers: it gains `gain` times what a coordinate or a velocity is more than `about`.
    InputFeedback {
        /// The coordinate or velocity, such as `theta'`, `omega.elbow` or, of a joint with one of each, `elbow` and `elbow'`.
        of: String, required Kind::Text;
        /// How much is added for a unit.
        gain: Motion, required Kind::Motion(Unit::ANY);
        /// What it is to be; 0 if left out.
        about: Option<Motion>, optional Kind::Motion(Unit::ANY);
    }
}

impl MethodChoice {
    /// A method of the catalog, without options.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }
}

impl RunLength {
    /// Of a step and a duration, s.
    pub fn new(step: f64, duration: f64) -> Self {
        Self {
            step: step.into(),
            duration: Some(duration.into()),
            ..Self::default()
        }
    }
}

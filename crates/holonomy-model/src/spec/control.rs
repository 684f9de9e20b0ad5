//! `[control]`, `[[goal]]` and `[[bound]]`: what inputs are to bring about.
use super::entry::Named;
use super::joint::Motion;
use super::key::Bound::{Finite, NotNegative, Positive};
use super::quantity::{Formula, Quantity};
use super::section::{choice, section};
use super::{Key, Keys, Kind};
use crate::units::Unit;

choice! {
    /// When something is wanted.
    When {
        /// At the end of the run.
        End = "end",
        /// All the time.
        Always = "always",
    }
}

section! {
    /// What `holonomy control` is to find: inputs of least effort that reach the goals within the bounds.
    ControlTask {
        /// What an input costs, by name: the weight of the integral of its square; 1 if left out.
        effort: Named<Quantity>, optional Kind::Named(&Kind::Number(Unit::ANY, NotNegative));
        /// Where the search begins, by name: a formula of `t` for an input; 0 if left out.
        guess: Named<Formula>, optional Kind::Named(&Kind::Formula);
        /// How far goals and bounds may be missed, in the units of their outputs; 1e-8 if left out.
        tolerance: Option<Quantity>, optional Kind::Number(Unit::NONE, Positive);
        /// After how many sweeps the search gives up; 500 if left out.
        sweeps: Option<u64>, optional Kind::Count(1, 1_000_000);
    }
}

section! {
    /// What an output is to be: exactly at the end of the run, or with a weight as nearly as it is worth.
    ControlGoal {
        /// The output, by any name that can be recorded.
        of: String, required Kind::Text;
        /// What it is to be.
        value: Motion, required Kind::Motion(Unit::ANY);
        /// `end` if left out.
        when: Option<When>, optional Kind::Choice(When::WORDS);
        /// What missing it costs: the weight of the square at the end, or of its integral. Without it the goal is to be met.
        weight: Option<Quantity>, optional Kind::Number(Unit::ANY, Positive);
    }
}

section! {
    /// Between what an output is to stay all the time.
    ControlBound {
        /// The output, by any name that can be recorded.
        of: String, required Kind::Text;
        /// The least that it may be.
        min: Option<Quantity>, optional Kind::Number(Unit::ANY, Finite);
        /// The most that it may be.
        max: Option<Quantity>, optional Kind::Number(Unit::ANY, Finite);
    }
}

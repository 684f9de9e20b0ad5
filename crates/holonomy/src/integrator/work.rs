use super::{Fault, StepInfo};
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// What several steps cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Steps taken.
    pub steps: u64,
    /// Solver iterations, all together.
    pub iterations: u64,
    /// Most iterations in one step.
    pub max_iterations: u32,
    /// Force evaluations.
    pub evaluations: u64,
    /// Steps an adaptive method took on its own mesh.
    pub substeps: u64,
    /// Those it threw away.
    pub rejected: u64,
    /// Steps in which equations of constraint depended on each other.
    pub dependent_steps: u64,
    /// The constraints they belong to, as in [`StepInfo::dependent`].
    pub dependent: u128,
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.steps += other.steps;
        self.iterations += other.iterations;
        self.max_iterations = self.max_iterations.max(other.max_iterations);
        self.evaluations += other.evaluations;
        self.substeps += other.substeps;
        self.rejected += other.rejected;
        self.dependent_steps += other.dependent_steps;
        self.dependent |= other.dependent;
    }
}

impl Work {
    /// Counts a step.
    pub fn count(&mut self, info: StepInfo) {
        self.count_explicit(1, info.evaluations);
        self.iterations += u64::from(info.iterations);
        self.max_iterations = self.max_iterations.max(info.iterations);
        self.substeps += u64::from(info.substeps);
        self.rejected += u64::from(info.rejected);
        self.dependent_steps += u64::from(info.dependent != 0);
        self.dependent |= info.dependent;
    }

    /// What one step cost that was taken as a row of one.
    pub(super) fn of_one(row: impl FnOnce(&mut Self) -> Result<(), Fault>) -> Result<StepInfo, Fault> {
        let mut work = Self::default();
        row(&mut work)?;
        Ok(StepInfo {
            iterations: work.max_iterations,
            evaluations: work.evaluations as u32,
            ..StepInfo::default()
        })
    }

    /// Counts steps that solved nothing, with so many evaluations each.
    pub(super) fn count_explicit(&mut self, steps: u64, evaluations: u32) {
        self.steps += steps;
        self.evaluations += steps * u64::from(evaluations);
    }
}

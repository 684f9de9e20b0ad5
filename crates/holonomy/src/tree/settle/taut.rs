//! Which rigid strings are taut where something settles: `g = 0` with λ ≥ 0, or `g < 0` with λ = 0.
//!
//! Those that are too long for where the search goes become taut there, and of those that push at an equilibrium the
//! one that pushes most is let go, until none is left of either.
use super::{SettleError, SettleSearch, violated};
use crate::tree::{
    ConstraintRows, TETHER_ROUNDING, Tree,
    assemble::{close_by, evaluate_all},
    most_pushing,
};
use nalgebra::DVector;

/// Times that one string may be let go.
const MOST_CHANGES: usize = 4;

/// Equations of strings that are slack.
#[derive(Clone, Debug, Default)]
pub(super) struct Taut {
    slack: Vec<usize>,
    /// How often one was let go.
    changes: usize,
}

impl Taut {
    /// Strings as long as they can be are taut, and those that are too long.
    pub(super) fn at(tree: &Tree, t: f64, q: &[f64]) -> Self {
        let mut rows = ConstraintRows::default();
        if !tree.may_go_slack() {
            return Self::default();
        }
        evaluate_all(tree, t, q, &mut rows);
        let short = |row: &usize| rows.value[*row] < -TETHER_ROUNDING * rows.scale[*row];
        Self {
            slack: tree.tethers().map(|tether| tether.row).filter(short).collect(),
            changes: 0,
        }
    }

    /// The constraints without what is slack.
    pub(super) fn evaluate(&self, tree: &Tree, t: f64, q: &[f64], rows: &mut ConstraintRows) {
        evaluate_all(tree, t, q, rows);
        self.slack.iter().for_each(|row| rows.release(*row));
    }

    /// Moves q to where they hold.
    pub(super) fn close(
        &self,
        tree: &Tree,
        t: f64,
        q: &mut Vec<f64>,
        held: &[bool],
        rows: &mut ConstraintRows,
    ) -> bool {
        close_by(tree, t, q, held, rows, &|q, rows| self.evaluate(tree, t, q, rows))
    }

    /// Lets go what pushes most; whether anything does.
    pub(super) fn loosen(&mut self, tree: &Tree, lambda: &DVector<f64>) -> bool {
        if self.changes >= MOST_CHANGES * tree.tethers().count() {
            return false;
        }
        match most_pushing(tree, &lambda.as_slice()[..tree.constraints()], 1.0) {
            Some(row) => {
                self.slack.push(row);
                self.changes += 1;
                true
            }
            None => false,
        }
    }
}

impl SettleSearch<'_> {
    /// Moves a configuration to where the constraints hold.
    pub(super) fn close(&self, q: &mut Vec<f64>, rows: &mut ConstraintRows) -> bool {
        self.taut.close(self.tree, self.settling.t, q, &self.fixed, rows)
    }

    /// Makes taut what is too long here, and goes to where it is not; whether anything was.
    pub(super) fn tighten(&mut self) -> Result<bool, SettleError> {
        if self.taut.slack.is_empty() {
            return Ok(false);
        }
        let mut rows = ConstraintRows::default();
        evaluate_all(self.tree, self.settling.t, &self.q, &mut rows);
        let before = self.taut.slack.len();
        self.taut
            .slack
            .retain(|row| rows.value[*row] <= TETHER_ROUNDING * rows.scale[*row]);
        if self.taut.slack.len() == before {
            return Ok(false);
        }
        let mut q = self.q.clone();
        if !self.close(&mut q, &mut rows) {
            return Err(violated(self.tree, &rows));
        }
        self.q = q;
        Ok(true)
    }
}

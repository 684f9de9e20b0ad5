//! Equations of velocities in a linearised step: `δ(h c) = ∂(h c)/∂v x + ∂(h c)/∂q δq`, a row of each for every one.
use super::{
    super::{balance::Balance, slip::Slip},
    balls::{Ball, Balls},
};
use crate::tree::{ConstraintRows, Tree};

/// Those of a tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Slips {
    slip: Slip,
    /// `∂(h c)/∂v` and `∂(h c)/∂q`.
    by_v: Vec<f64>,
    by_q: Vec<f64>,
}

impl Slips {
    pub(super) fn new(tree: &Tree) -> Self {
        Self {
            slip: Slip::new(tree),
            ..Self::default()
        }
    }

    /// At a balance that was evaluated.
    pub(super) fn linearise(&mut self, tree: &Tree, balance: &Balance, balls: &Balls) {
        self.slip.linearise(tree, balance, &mut self.by_v, &mut self.by_q);
        for row in self.by_q.chunks_exact_mut(tree.velocities().max(1)) {
            balls.each(row, Ball::at_middle_back);
        }
    }

    /// Calls with the number of each equation and its rows.
    pub(super) fn each(&self, mut with: impl FnMut(usize, &[f64], &[f64])) {
        let count = self.slip.numbers().count().max(1);
        let n = (self.by_v.len() / count).max(1);
        let rows = self.by_v.chunks_exact(n).zip(self.by_q.chunks_exact(n));
        for (k, (by_v, by_q)) in self.slip.numbers().zip(rows) {
            with(k, by_v, by_q);
        }
    }

    /// Writes `h c` where the values of constraints stand.
    pub(super) fn evaluate(&self, tree: &Tree, balance: &Balance, out: &mut ConstraintRows) {
        self.slip.evaluate(tree, balance, out);
    }
}

//! Strings that are rigid and go slack: `g ≤ 0, λ ≥ 0, λ g = 0`, with g as that of a cable.
//!
//! ```text
//! slack      g < 0, or g = 0 and ġ < 0                  λ = 0
//! taut       g = 0 and ġ = 0                            λ ≥ 0 and g̈ = 0, or λ = 0 and g̈ ≤ 0
//! ```
//! How a step meets them is in `integrator/tree_variational/slack.rs`.
#[cfg(not(target_arch = "wasm32"))]
use super::assemble::evaluate_all;
use super::{ConstraintRows, Tree, system::TreeWorkspace};
use nalgebra::DVector;

/// A tether by the number of its constraint, and of its equation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tether {
    pub(crate) constraint: usize,
    pub(crate) row: usize,
}

/// A tether that is shorter by this fraction of the lengths it is a difference of is slack, and not rounded.
pub(crate) const ROUNDING: f64 = 1e-13;
/// What a string is shorter by when it is slack, in roundings: nearer than this the two are not told apart.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) const TOLD: f64 = 1e3;
/// Ends that near each other by this fraction of their speeds do so.
const NEARS: f64 = 1e-10;

impl Tree {
    /// Strings that may go slack, in order.
    pub(crate) fn tethers(&self) -> impl Iterator<Item = Tether> + '_ {
        let mut next = 0;
        let all = self.constraints.iter().enumerate();
        all.filter_map(move |(constraint, (_, kind))| {
            let row = next;
            next += kind.rows();
            kind.goes_slack().then_some(Tether { constraint, row })
        })
    }

    /// Whether a constraint may go slack: only [`TreeVariational`](crate::integrator::TreeVariational) steps it then.
    pub fn may_go_slack(&self) -> bool {
        self.tethers().next().is_some()
    }

    /// Which equations hold on one side only.
    pub(crate) fn one_sided_rows(&self) -> Vec<bool> {
        let mut out = vec![false; self.constraint_rows];
        self.tethers().for_each(|tether| out[tether.row] = true);
        out
    }

    /// The equations of strings that are slack at a configuration, by more than rounding.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn slack_rows(&self, t: f64, q: &[f64]) -> Vec<usize> {
        let mut rows = ConstraintRows::default();
        if !self.may_go_slack() {
            return Vec::new();
        }
        evaluate_all(self, t, q, &mut rows);
        let short = |row: &usize| rows.value[*row] < -TOLD * ROUNDING * rows.scale[*row];
        self.tethers().map(|tether| tether.row).filter(short).collect()
    }

    /// Takes out what is slack.
    pub(super) fn release_slack(&self, rows: &mut ConstraintRows) {
        for Tether { row, .. } in self.tethers() {
            if rows.value[row] <= 0.0 {
                rows.release(row);
            }
        }
    }

    /// Takes out what goes slack with the rates of change given; whether there is any.
    pub(super) fn release_slackening(&self, rates: &mut DVector<f64>, rows: &mut ConstraintRows) -> bool {
        let nearing: Vec<Tether> = self.tethers().filter(|tether| rates[tether.row] < 0.0).collect();
        for tether in &nearing {
            rows.release(tether.row);
            rows.rate[tether.row] = 0.0;
        }
        !nearing.is_empty()
    }

    /// Takes out what is slack, or goes slack at the velocities v.
    pub(super) fn release_idle(&self, v: &[f64], rows: &mut ConstraintRows) {
        for Tether { row, .. } in self.tethers() {
            let g = &rows.jacobian[row * v.len()..(row + 1) * v.len()];
            let terms = g.iter().zip(v).map(|(g, v)| g * v);
            let (rate, size) = terms.fold((rows.rate[row], rows.rate[row].abs()), |(sum, size), term| {
                (sum + term, size + term.abs())
            });
            if rows.value[row] < -ROUNDING * rows.scale[row] || rate < -NEARS * size {
                rows.release(row);
            }
        }
    }
}

impl ConstraintRows {
    /// Takes an equation out.
    pub(super) fn release(&mut self, row: usize) {
        let n = self.jacobian.len() / self.value.len().max(1);
        self.jacobian[row * n..(row + 1) * n].fill(0.0);
        (self.value[row], self.second[row]) = (0.0, 0.0);
    }
}

impl TreeWorkspace {
    /// Solves for the multipliers again without those that would push, the worst first, until none does.
    pub(super) fn release_pushing(&mut self, tree: &Tree) {
        let m = self.lambda.len();
        while let Some(worst) = most_pushing(tree, &self.lambda, 1.0) {
            self.rows.release(worst);
            let n = self.columns.len() / m;
            self.columns[worst * n..(worst + 1) * n].fill(0.0);
            self.solve_multipliers();
            self.lambda[worst] = 0.0;
        }
    }
}

/// The tether whose multiplier, or impulse in a step in this direction of time, pushes most.
pub(crate) fn most_pushing(tree: &Tree, lambda: &[f64], direction: f64) -> Option<usize> {
    let pushes = tree.tethers().map(|tether| tether.row);
    pushes
        .filter(|row| lambda[*row] * direction < 0.0)
        .max_by(|a, b| lambda[*a].abs().total_cmp(&lambda[*b].abs()))
}

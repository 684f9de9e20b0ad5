//! Tethers in a step: constraints `g ≤ 0` that only pull.
//!
//! ```text
//! λ ≥ 0,  g(t+h, q⁺) ≤ 0,        λ g = 0          with the impulse λ at the start of the step
//! μ ≥ 0,  G(q⁺) v⁺ + ∂g/∂t ≤ 0,  μ (…) = 0        with the impulse μ at its end, where g(t+h, q⁺) = 0
//! ```
//! A set of taut ones is tried: it begins with those that pulled in the last step, gains all that are too long at the
//! end, and then loses the one that pushes most, until neither is left. What it meets outwards as it becomes taut is
//! taken whole, and nothing is given back: an inelastic impact, in the step in which it falls. For h < 0 impulses have
//! the other sign.
//!
//! ```text
//! ΔE = −½ λ (ġ⁻ + ġ⁺)|_q − ½ μ ġ⁻|_q⁺             energy of each kick, besides that of a driven length
//! ```
use super::{TreeVariational, newton::Solved};
use crate::{
    integrator::{Cause, Fault},
    system::State,
    tree::{ConstraintRows, Dynamics, TETHER_ROUNDING, Tree, most_pushing},
};

/// What is taut.
#[derive(Clone, Debug, Default)]
pub(super) struct Slack {
    /// The equations of tethers.
    rows: Vec<usize>,
    /// Which equations are met: all but those of tethers that are slack. Empty without tethers.
    taut: Vec<bool>,
    /// By how much slack ones are too long at the end of the step, beyond rounding.
    beyond: Vec<bool>,
    /// Energy that each takes up in the step, J, not positive but for rounding of smooth motion.
    energies: Vec<f64>,
    v: Vec<f64>,
    kept: Vec<f64>,
}

impl Slack {
    pub(super) fn new(tree: &Tree) -> Self {
        let rows: Vec<usize> = tree.tethers().map(|tether| tether.row).collect();
        let equations = if rows.is_empty() { 0 } else { tree.constraints() };
        Self {
            beyond: vec![false; rows.len()],
            energies: vec![0.0; rows.len()],
            taut: vec![true; equations],
            rows,
            ..Self::default()
        }
    }

    pub(super) fn is_none(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether an equation is met in the step.
    pub(super) fn is_taut(&self, row: usize) -> bool {
        self.taut.get(row).is_none_or(|taut| *taut)
    }

    /// The work of each tether in the step.
    pub(super) fn energies(&self) -> &[f64] {
        &self.energies
    }

    /// Foresees what is taut: what was, and what has its full length.
    pub(super) fn foresee(&mut self, state: &State, start: &ConstraintRows, lambda: &mut [f64]) {
        for row in &self.rows {
            let pulled = state.lambda.get(*row).is_some_and(|lambda| *lambda != 0.0);
            let long = start.value[*row] >= -TETHER_ROUNDING * start.scale[*row];
            self.taut[*row] = pulled || long;
            if !self.taut[*row] {
                lambda[*row] = 0.0;
            }
        }
        self.energies.fill(0.0);
    }

    /// Takes what is slack out of the values at the end of a step.
    pub(super) fn hide(&mut self, end: &mut ConstraintRows) {
        for (row, beyond) in self.rows.iter().zip(&mut self.beyond) {
            *beyond = false;
            if !self.taut[*row] {
                *beyond = end.value[*row] > TETHER_ROUNDING * end.scale[*row];
                end.value[*row] = 0.0;
            }
        }
    }

    /// Zero where equations are slack.
    pub(super) fn clear(&self, x: &mut [f64]) {
        for row in self.rows.iter().filter(|row| !self.taut[**row]) {
            x[*row] = 0.0;
        }
    }

    /// Makes the equations of what is slack `x = 0` in a matrix between equations.
    pub(super) fn cut(&self, matrix: &mut [f64]) {
        let m = self.taut.len();
        for row in self.rows.iter().filter(|row| !self.taut[**row]) {
            for k in 0..m {
                (matrix[row * m + k], matrix[k * m + row]) = (0.0, 0.0);
            }
            matrix[row * m + row] = 1.0;
        }
    }

    /// Another set, if this one is wrong.
    fn revise(&mut self, tree: &Tree, lambda: &mut [f64], direction: f64) -> bool {
        if self.beyond.contains(&true) {
            let each = self.rows.iter().zip(&self.beyond);
            each.filter(|(_, beyond)| **beyond)
                .for_each(|(row, _)| self.taut[*row] = true);
            return true;
        }
        self.loosen(tree, lambda, direction)
    }

    /// Slackens what pushes most, if anything does.
    fn loosen(&mut self, tree: &Tree, impulses: &mut [f64], direction: f64) -> bool {
        match most_pushing(tree, impulses, direction) {
            Some(row) => {
                (self.taut[row], impulses[row]) = (false, 0.0);
                true
            }
            None => false,
        }
    }

    /// Slackens everything; whether anything was taut.
    fn let_go(&mut self, lambda: &mut [f64]) -> bool {
        let any = self.rows.iter().any(|row| self.taut[*row]);
        self.rows.iter().for_each(|row| self.taut[*row] = false);
        self.clear(lambda);
        any
    }

    /// Keeps the momenta before the kick at the end of a step.
    pub(super) fn keep(&mut self, p: &[f64]) {
        if !self.is_none() {
            self.kept.clear();
            self.kept.extend_from_slice(p);
        }
    }

    /// Whether the kick at the end has to be found again from the momenta before it, because something would push.
    pub(super) fn take_back(&mut self, tree: &Tree, mu: &mut [f64], p: &mut [f64], direction: f64) -> bool {
        let again = self.loosen(tree, mu, direction);
        if again {
            mu.fill(0.0);
            p.copy_from_slice(&self.kept);
        }
        again
    }

    /// Counts the kicks at the end, by what ġ was before them.
    pub(super) fn count_end(&mut self, mu: &[f64], rates: &[f64]) {
        for (row, energy) in self.rows.iter().zip(&mut self.energies) {
            *energy -= 0.5 * mu[*row] * rates[*row];
        }
    }

    /// Counts the kicks at the start, from momenta p to `pushed`, of a tree that is factorised there.
    fn count_start(
        &mut self,
        tree: &Tree,
        dynamics: &mut Dynamics,
        start: &ConstraintRows,
        lambda: &[f64],
        momenta: [&[f64]; 2],
    ) {
        self.v.resize(tree.velocities(), 0.0);
        for p in momenta {
            dynamics.velocity(tree, p, &mut self.v);
            for (row, energy) in self.rows.iter().zip(&mut self.energies) {
                let n = self.v.len();
                let row_of = &start.jacobian[row * n..(row + 1) * n];
                let rate = row_of.iter().zip(&self.v).map(|(g, v)| g * v).sum::<f64>() + start.rate[*row];
                *energy -= 0.5 * lambda[*row] * rate;
            }
        }
    }
}

impl TreeVariational {
    /// Solves a step from an initial guess, and finds what is taut in it.
    pub(super) fn solve_taut(&mut self, state: &State) -> Result<Solved, Fault> {
        let most = 8 + 4 * self.closure.slack.rows.len();
        let (mut iterations, mut gave_up) = (0, false);
        for _ in 0..most {
            match self.solve(state, None) {
                Ok(solved) => {
                    iterations += solved.iterations;
                    if self.revise() {
                        continue;
                    }
                    self.count_snaps(state);
                    return Ok(Solved { iterations, ..solved });
                }
                Err(fault) => {
                    let closure = &mut self.closure;
                    if gave_up || !closure.slack.let_go(&mut closure.lambda) {
                        return Err(fault);
                    }
                    gave_up = true;
                    self.balance.guess(&self.tree, state, &mut self.mass.dynamics);
                }
            }
        }
        Err(Fault {
            cause: Cause::NotConverged {
                iterations,
                correction: self.closure.worst().1,
            },
            body: None,
        })
    }

    fn revise(&mut self) -> bool {
        let closure = &mut self.closure;
        let direction = self.balance.h.signum();
        closure.slack.revise(&self.tree, &mut closure.lambda, direction)
    }

    fn count_snaps(&mut self, state: &State) {
        let (closure, dynamics) = (&mut self.closure, &mut self.mass.dynamics);
        self.tree.drive_rates(state.t, &mut dynamics.driven);
        closure.push(&state.p, &mut self.balance.p);
        let momenta = [&state.p[..], &self.balance.p[..]];
        let (start, lambda) = (&closure.start, &closure.lambda);
        closure
            .slack
            .count_start(&self.tree, dynamics, start, lambda, momenta);
    }
}

//! Constraints in a step.
//!
//! ```text
//! 0 = Y (p − G(q)ᵀλ) − …,   g(t+h, q⁺) = 0                    for v and λ
//! J x − Y G(q)ᵀ δλ = −r,    h G(q⁺) Y x = −g                   Newton
//!
//! J = L U,   R̂ = h G(q⁺) Y U⁻¹,   Ĉ = L⁻¹ Y G(q)ᵀ
//! (R̂ Ĉ) δλ = −g + R̂ L⁻¹ r,   U x = Ĉ δλ − L⁻¹ r
//!
//! p⁺ −= G(q⁺)ᵀμ,   G(q⁺) v⁺ + ∂g/∂t = 0                        for μ, with M(q⁺) = L U likewise
//! ```
//! The halves of the solution for an equation cost no more than the bodies that carry what it holds on to. The small
//! matrix may be singular: the multipliers are then the shortest that do.
use super::{balance::Balance, coupled::Coupled, inertia::Inertia};
use crate::{
    Vec3,
    system::State,
    tree::{DEPENDENT, Kind, Kinematics, MinNorm, Moving, Rows, Tree},
};
use nalgebra::Matrix3;
use std::ops::Range;

/// Multipliers of one step and what they are computed with.
#[derive(Clone, Debug, Default)]
pub(super) struct Closure {
    start: Rows,
    end: Rows,
    kinematics: Kinematics,
    /// λ and μ, impulses.
    pub(super) lambda: Vec<f64>,
    pub(super) mu: Vec<f64>,
    /// The change of λ that is proposed, and the one that was last made.
    change: Vec<f64>,
    applied: Vec<f64>,
    /// The velocities that each equation depends on.
    supports: Vec<Vec<Range<usize>>>,
    /// `R̂ / h`, `Ĉᵀ` and `R̂ Ĉ`.
    rows: Vec<f64>,
    columns: Vec<f64>,
    schur: MinNorm,
    /// The same for the velocity at the end.
    end_rows: Vec<f64>,
    end_columns: Vec<f64>,
    mobility: MinNorm,
    half: Vec<f64>,
    /// Equations that depended on others in the last step.
    pub(super) dependent: usize,
    /// The constraints they belong to, as in [`StepInfo::dependent`](crate::integrator::StepInfo).
    pub(super) depending: u128,
    /// The largest g at the end of the step, as a fraction of its terms.
    pub(super) open: f64,
}

impl Closure {
    /// Work space for a tree.
    pub(super) fn new(tree: &Tree) -> Self {
        Self {
            supports: tree.supports(),
            ..Self::default()
        }
    }

    /// G at the start, in a placed tree; `None` where the last step ended. The multipliers of the last step,
    /// as impulses, are a first guess.
    pub(super) fn begin(&mut self, tree: &Tree, state: &State, placed: Option<&Kinematics>, impulse: f64) {
        let m = tree.constraints();
        match placed {
            None => std::mem::swap(&mut self.start, &mut self.end),
            Some(kinematics) => {
                let at = Moving {
                    t: state.t,
                    q: &state.q,
                    kinematics,
                    accelerations: None,
                };
                tree.constrain(&at, &mut self.start);
            }
        }
        self.lambda.clear();
        self.lambda.extend((0..m).map(|k| {
            let before = state.lambda.get(k).copied().unwrap_or(0.0);
            if before.is_finite() { impulse * before } else { 0.0 }
        }));
        self.mu.clear();
        self.mu.resize(m, 0.0);
    }

    /// `p − Gᵀλ`, and the sizes of the terms.
    pub(super) fn push(&self, p: &[f64], out: &mut [f64], sizes: &mut [f64]) {
        out.copy_from_slice(p);
        for (size, p) in sizes.iter_mut().zip(p) {
            *size = p.abs();
        }
        let rows = self
            .start
            .jacobian
            .chunks_exact(p.len().max(1))
            .zip(&self.start.terms);
        for ((lambda, runs), (row, terms)) in self.lambda.iter().zip(&self.supports).zip(rows) {
            let term = terms * lambda.abs();
            for run in runs {
                let parts = out[run.clone()].iter_mut().zip(&mut sizes[run.clone()]);
                for ((out, size), g) in parts.zip(&row[run.clone()]) {
                    *out -= g * lambda;
                    *size += term;
                }
            }
        }
    }

    /// g at the end of the step; the largest as a fraction of its terms.
    pub(super) fn evaluate(&mut self, tree: &Tree, t: f64, next_q: &[f64]) -> f64 {
        self.kinematics.pose(tree, next_q);
        self.constrain_end(tree, t, next_q, false);
        let parts = self.end.value.iter().zip(&self.end.scale);
        self.open = parts.fold(0.0, |m: f64, (g, scale)| {
            m.max(if *g == 0.0 { 0.0 } else { g.abs() / scale })
        });
        self.open
    }

    fn constrain_end(&mut self, tree: &Tree, t: f64, next_q: &[f64], derivatives: bool) {
        let at = Moving {
            t,
            q: next_q,
            kinematics: &self.kinematics,
            accelerations: None,
        };
        self.end.values_only = !derivatives;
        tree.constrain(&at, &mut self.end);
    }

    /// Factorises `R J⁻¹ C` at the end last evaluated, for an eliminated J.
    pub(super) fn factorise(
        &mut self,
        tree: &Tree,
        balance: &Balance,
        (t, next_q): (f64, &[f64]),
        solver: &mut Coupled,
    ) {
        self.constrain_end(tree, t, next_q, true);
        self.columns.clone_from(&self.start.jacobian);
        self.rows.clone_from(&self.end.jacobian);
        let n = tree.velocities().max(1);
        for (i, node) in tree.nodes.iter().enumerate() {
            let (Kind::Ball, Some(turn)) = (node.kind, &balance.turns[i]) else {
                continue;
            };
            let (y, range) = (turn.start(), node.v..node.v + 3);
            let transposed = y.transpose();
            let each = self
                .columns
                .chunks_exact_mut(n)
                .zip(self.rows.chunks_exact_mut(n));
            for ((column, row), runs) in each.zip(&self.supports) {
                if runs.iter().any(|run| run.contains(&node.v)) {
                    turn_by(&y, &mut column[range.clone()]);
                    turn_by(&transposed, &mut row[range.clone()]);
                }
            }
        }
        solver.split(tree, &self.supports, &mut self.rows, &mut self.columns);
        let m = self.lambda.len();
        let schur = self.schur.reset(m);
        product(&self.supports, &self.rows, &self.columns, schur);
        for x in schur {
            *x *= balance.h;
        }
        self.schur.factorise(DEPENDENT);
        self.dependent = m - self.schur.rank();
        self.depending = 0;
        let depending = &mut self.depending;
        self.schur
            .dependent(|row| *depending |= 1 << tree.constraint_of(row).min(127));
    }

    /// Turns `L⁻¹r` into `U x` of the correction x that also closes the constraints, with its change of λ.
    pub(super) fn correct(&mut self, h: f64, x: &mut [f64]) {
        let n = x.len().max(1);
        self.change.clear();
        let rows = self.rows.chunks_exact(n).zip(&self.supports).zip(&self.end.value);
        self.change
            .extend(rows.map(|((row, runs), g)| h * dot_within(runs, row, x) - g));
        self.schur.solve(&mut self.change);
        for x in &mut *x {
            *x = -*x;
        }
        for (column, change) in self.columns.chunks_exact(n).zip(&self.change) {
            for (x, c) in x.iter_mut().zip(column) {
                *x += c * change;
            }
        }
    }

    /// Makes the change of λ.
    pub(super) fn apply(&mut self) {
        self.applied.clone_from(&self.change);
        for (lambda, change) in self.lambda.iter_mut().zip(&self.applied) {
            *lambda += change;
        }
    }

    /// Takes back half of the last change of λ.
    pub(super) fn halve(&mut self) {
        for (lambda, change) in self.lambda.iter_mut().zip(&mut self.applied) {
            *change *= 0.5;
            *lambda -= *change;
        }
    }

    /// Makes the velocity at the end, where the constraints were last evaluated, tangent to them. The node
    /// that moves nothing is the error.
    pub(super) fn project(
        &mut self,
        tree: &Tree,
        (t, next_q): (f64, &[f64]),
        next_p: &mut [f64],
        mass: &mut Inertia,
    ) -> Result<(), usize> {
        let (m, n) = (self.lambda.len(), next_p.len());
        self.constrain_end(tree, t, next_q, true);
        mass.factorise(tree, t, &mut self.kinematics)?;
        self.end_rows.clone_from(&self.end.jacobian);
        self.end_columns.clone_from(&self.end.jacobian);
        mass.split(tree, &self.supports, &mut self.end_rows, &mut self.end_columns);
        let mobility = self.mobility.reset(m);
        product(&self.supports, &self.end_rows, &self.end_columns, mobility);
        self.mobility.factorise(DEPENDENT);
        // The second time takes out what rounding left of the first.
        self.half.resize(n, 0.0);
        for _ in 0..2 {
            mass.inward(tree, next_p, &mut self.half);
            self.change.clear();
            let rows = self
                .end_rows
                .chunks_exact(n)
                .zip(&self.supports)
                .zip(&self.end.rate);
            self.change
                .extend(rows.map(|((row, runs), rate)| dot_within(runs, row, &self.half) + rate));
            self.mobility.solve(&mut self.change);
            let rows = self.end.jacobian.chunks_exact(n).zip(&self.supports);
            for ((row, runs), (mu, change)) in rows.zip(self.mu.iter_mut().zip(&self.change)) {
                *mu += change;
                for run in runs {
                    for (p, g) in next_p[run.clone()].iter_mut().zip(&row[run.clone()]) {
                        *p -= g * change;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The product of two vectors, of which the first is zero elsewhere.
fn dot_within(runs: &[Range<usize>], a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for run in runs {
        for (a, b) in a[run.clone()].iter().zip(&b[run.clone()]) {
            sum += a * b;
        }
    }
    sum
}

/// All products of rows with columns, all of them stored one after the other.
fn product(supports: &[Vec<Range<usize>>], rows: &[f64], columns: &[f64], out: &mut [f64]) {
    let m = supports.len();
    let n = rows.len() / m.max(1);
    let each = rows
        .chunks_exact(n.max(1))
        .zip(supports)
        .zip(out.chunks_exact_mut(m.max(1)));
    for ((row, runs), out) in each {
        for (column, out) in columns.chunks_exact(n.max(1)).zip(out) {
            *out = dot_within(runs, row, column);
        }
    }
}

/// `Y x` in place.
fn turn_by(y: &Matrix3<f64>, x: &mut [f64]) {
    let turned = y * Vec3::new(x[0], x[1], x[2]);
    x.copy_from_slice(turned.as_slice());
}

//! Constraints in a step.
//!
//! ```text
//! 0 = Y (p − G(q)ᵀλ) − …,   g(t+h, q⁺) = 0                    for v and λ
//! J x − Y G(q)ᵀ δλ = −r,    h G(q⁺) Y x = −g                   Newton
//! (R J⁻¹ C) δλ = −g + R J⁻¹ r,    R = h G(q⁺) Y,  C = Y G(q)ᵀ
//!
//! p⁺ −= G(q⁺)ᵀμ,   G(q⁺) v⁺ + ∂g/∂t = 0                        for μ
//! ```
//! J⁻¹ by O(n) elimination, one right side per equation. The small matrix may be singular: the
//! multipliers are then the shortest that do.
use super::{balance::Balance, coupled::Coupled, inertia::Inertia};
use crate::{
    Vec3,
    system::State,
    tree::{DEPENDENT, Kind, Kinematics, MinNorm, Moving, Rows, Tree},
};
use nalgebra::Matrix3;

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
    /// `J⁻¹ C` and `Rᵀ`, with one number per equation for each velocity.
    columns: Vec<f64>,
    weighted: Vec<f64>,
    schur: MinNorm,
    /// The same for the velocity at the end: `Gᵀ`, `M⁻¹ Gᵀ` and `G M⁻¹ Gᵀ`.
    across: Vec<f64>,
    lifted: Vec<f64>,
    mobility: MinNorm,
    velocity: Vec<f64>,
    /// Equations that depended on others in the last step.
    pub(super) dependent: usize,
    /// The constraints they belong to, as in [`StepInfo::dependent`](crate::integrator::StepInfo).
    pub(super) depending: u128,
    /// The largest g at the end of the step, as a fraction of its terms.
    pub(super) open: f64,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Closure {
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

    /// `p − Gᵀλ`.
    pub(super) fn push(&self, p: &[f64], out: &mut [f64]) {
        out.copy_from_slice(p);
        let n = p.len();
        for (k, lambda) in self.lambda.iter().enumerate() {
            for (out, g) in out.iter_mut().zip(&self.start.jacobian[k * n..(k + 1) * n]) {
                *out -= g * lambda;
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
        let m = self.lambda.len();
        transpose(&self.start.jacobian, m, &mut self.columns);
        transpose(&self.end.jacobian, m, &mut self.weighted);
        for (i, node) in tree.nodes.iter().enumerate() {
            let (Kind::Ball, Some(turn)) = (node.kind, &balance.turns[i]) else {
                continue;
            };
            let (y, range) = (turn.start(), node.v * m..(node.v + 3) * m);
            turn_each(&mut self.columns[range.clone()], &y);
            turn_each(&mut self.weighted[range], &y.transpose());
        }
        // `solve` changes the sign: −J⁻¹C.
        solver.solve_many(tree, &mut self.columns, m);
        let schur = self.schur.reset(m);
        product(&self.weighted, &self.columns, m, schur);
        for x in schur {
            *x *= -balance.h;
        }
        self.schur.factorise(DEPENDENT);
        self.dependent = m - self.schur.rank();
        self.depending = 0;
        let depending = &mut self.depending;
        self.schur
            .dependent(|row| *depending |= 1 << tree.constraint_of(row).min(127));
    }

    /// Turns `x = −J⁻¹r` into the correction that also closes the constraints, with its change of λ.
    pub(super) fn correct(&mut self, h: f64, x: &mut [f64]) {
        let m = self.lambda.len();
        if m == 0 {
            return;
        }
        self.change.clear();
        self.change.resize(m, 0.0);
        for (x, row) in x.iter().zip(self.weighted.chunks_exact(m)) {
            for (change, r) in self.change.iter_mut().zip(row) {
                *change += r * x;
            }
        }
        for (change, g) in self.change.iter_mut().zip(&self.end.value) {
            *change = -g - h * *change;
        }
        self.schur.solve(&mut self.change);
        for (x, row) in x.iter_mut().zip(self.columns.chunks_exact(m)) {
            *x -= dot(row, &self.change);
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
        transpose(&self.end.jacobian, m, &mut self.across);
        self.lifted.clone_from(&self.across);
        mass.solve_many(tree, &mut self.lifted, m);
        product(&self.across, &self.lifted, m, self.mobility.reset(m));
        self.mobility.factorise(DEPENDENT);
        // The second time takes out what rounding left of the first.
        self.velocity.resize(n, 0.0);
        for _ in 0..2 {
            mass.velocity(tree, next_p, &mut self.velocity);
            self.change.clear();
            for k in 0..m {
                let slip = dot(&self.end.jacobian[k * n..(k + 1) * n], &self.velocity);
                self.change.push(slip + self.end.rate[k]);
            }
            self.mobility.solve(&mut self.change);
            for k in 0..m {
                self.mu[k] += self.change[k];
                for (p, g) in next_p.iter_mut().zip(&self.end.jacobian[k * n..(k + 1) * n]) {
                    *p -= g * self.change[k];
                }
            }
        }
        Ok(())
    }
}

/// From m rows of a matrix to one row of m numbers for each of its columns.
fn transpose(rows: &[f64], m: usize, out: &mut Vec<f64>) {
    let n = rows.len() / m.max(1);
    out.clear();
    out.resize(rows.len(), 0.0);
    for (k, row) in rows.chunks_exact(n.max(1)).enumerate() {
        for (out, x) in out[k..].iter_mut().step_by(m).zip(row) {
            *out = *x;
        }
    }
}

/// `out = Aᵀ B`, for A and B with m numbers in each row.
fn product(a: &[f64], b: &[f64], m: usize, out: &mut [f64]) {
    match m {
        1 => product_of::<1>(a, b, out),
        2 => product_of::<2>(a, b, out),
        3 => product_of::<3>(a, b, out),
        4 => product_of::<4>(a, b, out),
        6 => product_of::<6>(a, b, out),
        8 => product_of::<8>(a, b, out),
        _ => {
            for (a, b) in a.chunks_exact(m).zip(b.chunks_exact(m)) {
                for (out, a) in out.chunks_exact_mut(m).zip(a) {
                    for (out, b) in out.iter_mut().zip(b) {
                        *out += a * b;
                    }
                }
            }
        }
    }
}

/// The same where m is known beforehand.
fn product_of<const M: usize>(a: &[f64], b: &[f64], out: &mut [f64]) {
    let mut sums = [[0.0; M]; M];
    for (a, b) in a.as_chunks::<M>().0.iter().zip(b.as_chunks::<M>().0) {
        for k in 0..M {
            for l in 0..M {
                sums[k][l] += a[k] * b[l];
            }
        }
    }
    out.copy_from_slice(sums.as_flattened());
}

/// `Y` times three rows.
fn turn_each(rows: &mut [f64], y: &Matrix3<f64>) {
    let m = rows.len() / 3;
    for k in 0..m {
        let x = y * Vec3::new(rows[k], rows[m + k], rows[2 * m + k]);
        (rows[k], rows[m + k], rows[2 * m + k]) = (x.x, x.y, x.z);
    }
}

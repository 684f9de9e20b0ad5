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
//! Equations of velocities have `h c` in place of g, and `∂c/∂v` in place of `G(q⁺) Y` (`slip.rs`).
//! Halves of solutions cost no more than the bodies that carry what constraints hold on to. The small matrix may be
//! singular: the multipliers are then the shortest that do.
use super::{balance::Balance, newton::MET, slack::Slack, slip::Slip};
use crate::{
    Vec3, math,
    simd::with_width,
    system::State,
    tree::{ConstraintRows, Factors, JointKind, Kinematics, Mass, MinNorm, Moving, Tree},
};
use nalgebra::Matrix3;

/// Multipliers of one step and what they are computed with.
#[derive(Clone, Debug, Default)]
pub(super) struct Closure {
    pub(super) start: ConstraintRows,
    end: ConstraintRows,
    kinematics: Kinematics,
    /// λ and μ, impulses.
    pub(super) lambda: Vec<f64>,
    pub(super) mu: Vec<f64>,
    /// The change of λ that is proposed, and the one that was last made.
    change: Vec<f64>,
    applied: Vec<f64>,
    /// The velocities that equations depend on.
    among: Vec<usize>,
    slip: Slip,
    /// What is not taut.
    pub(super) slack: Slack,
    /// `R̂ᵀ/h` and Ĉ, with one number per equation for each velocity, and `R̂ Ĉ`.
    rows: Vec<f64>,
    columns: Vec<f64>,
    schur: MinNorm,
    /// The same for the velocity at the end.
    end_rows: Vec<f64>,
    end_columns: Vec<f64>,
    mobility: MinNorm,
    half: Vec<f64>,
    /// Rates of change of the equations at the end, before they act there.
    outward: Vec<f64>,
    /// Equations that depended on others in the last step.
    pub(super) dependent: usize,
    /// The constraints they belong to, as in [`StepInfo::dependent`](crate::integrator::StepInfo).
    pub(super) depending: u128,
    /// The largest g at the end of the step, as a fraction of its terms.
    pub(super) violation: f64,
}

impl Closure {
    /// Work space for a tree.
    pub(super) fn new(tree: &Tree) -> Self {
        Self {
            among: tree.constrained_velocities(),
            slip: Slip::new(tree),
            slack: Slack::new(tree),
            ..Self::default()
        }
    }

    /// G at the start, in a placed tree; `None` where the last step ended. The multipliers of the last step,
    /// as impulses, are an initial guess.
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
        self.slack.foresee(state, &self.start, &mut self.lambda);
    }

    /// Whether an equation holds back no motion at the start, and is not met at the end.
    pub(super) fn is_stretched(&self) -> bool {
        let m = self.lambda.len();
        let rows = self
            .start
            .jacobian
            .chunks_exact((self.start.jacobian.len() / m.max(1)).max(1));
        let parts = rows.zip(&self.end.value).zip(&self.end.scale);
        let mut idle = parts.filter(|((row, _), _)| row.iter().all(|g| *g == 0.0));
        m > 0 && idle.any(|((_, g), scale)| g.abs() > MET * scale)
    }

    /// The equation with the largest violation at the end.
    pub(super) fn worst(&self) -> (usize, f64) {
        let each = self.end.value.iter().map(|g| g.abs()).enumerate();
        each.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default()
    }

    /// Whether what is left of the equations is the rounding of the coordinates, `|g| ≤ ε Σ |G| |q⁺|`: a crank that has turned
    /// a thousand times has fewer digits left for where it stands.
    pub(super) fn is_rounded(&self, tree: &Tree, next_q: &[f64]) -> bool {
        let n = self.start.jacobian.len() / self.lambda.len().max(1);
        let rows = self.start.jacobian.chunks_exact(n.max(1));
        let mut parts = rows.zip(&self.end.value).zip(&self.end.scale);
        parts.all(|((row, g), scale)| {
            let turned = (tree.nodes.iter())
                .filter(|node| matches!(node.kind, JointKind::Screw { .. } | JointKind::Translation))
                .flat_map(|node| (0..node.dofs).map(|k| (row[node.v + k] * next_q[node.q + k]).abs()));
            g.abs() <= MET * scale + f64::EPSILON * turned.sum::<f64>()
        })
    }

    /// `p − Gᵀλ`.
    pub(super) fn push(&self, p: &[f64], out: &mut [f64]) {
        out.copy_from_slice(p);
        let rows = self.start.jacobian.chunks_exact(p.len().max(1));
        for (lambda, row) in self.lambda.iter().zip(rows) {
            for (out, g) in out.iter_mut().zip(row) {
                *out -= g * lambda;
            }
        }
    }

    /// Adds the sizes of the terms that make up `Gᵀλ`.
    pub(super) fn add_sizes(&self, sizes: &mut [f64]) {
        let rows = self.start.jacobian.chunks_exact(sizes.len().max(1));
        for ((lambda, terms), row) in self.lambda.iter().zip(&self.start.terms).zip(rows) {
            let term = terms * lambda.abs();
            for (size, g) in sizes.iter_mut().zip(row) {
                *size += if *g == 0.0 { 0.0 } else { term };
            }
        }
    }

    /// g at the end of the step; the largest as a fraction of its terms.
    pub(super) fn evaluate(&mut self, tree: &Tree, balance: &Balance, next_q: &[f64]) -> f64 {
        self.kinematics.pose(tree, next_q);
        self.constrain_end(tree, balance.end, next_q, false);
        self.slip.evaluate(tree, balance, &mut self.end);
        self.slack.hide(&mut self.end);
        let parts = self.end.value.iter().zip(&self.end.scale);
        self.violation = parts.fold(0.0, |m: f64, (g, scale)| {
            math::larger(m, if *g == 0.0 { 0.0 } else { g.abs() / scale })
        });
        self.violation
    }

    fn constrain_end(&mut self, tree: &Tree, t: f64, next_q: &[f64], jacobian: bool) {
        let at = Moving {
            t,
            q: next_q,
            kinematics: &self.kinematics,
            accelerations: None,
        };
        self.end.values_only = !jacobian;
        tree.constrain(&at, &mut self.end);
    }

    /// Factorises `R J⁻¹ C` at the end last evaluated, for an eliminated J.
    pub(super) fn factorise(
        &mut self,
        tree: &Tree,
        balance: &Balance,
        next_q: &[f64],
        jacobian: &mut Factors<12>,
    ) {
        self.constrain_end(tree, balance.end, next_q, true);
        self.slip.evaluate(tree, balance, &mut self.end);
        self.slack.hide(&mut self.end);
        let m = self.lambda.len();
        transpose(&self.start.jacobian, m, &mut self.columns);
        transpose(&self.end.jacobian, m, &mut self.rows);
        for (i, node) in tree.nodes.iter().enumerate() {
            let (JointKind::Ball, Some(turn)) = (node.kind, &balance.turns[i]) else {
                continue;
            };
            let (y, range) = (turn.start(), node.v * m..(node.v + 3) * m);
            turn_each(&mut self.columns[range.clone()], &y);
            turn_each(&mut self.rows[range], &y.transpose());
        }
        self.slip.slopes(tree, balance, m, &mut self.rows);
        jacobian.split(tree, &self.among, &mut self.rows, &mut self.columns, m);
        let schur = self.schur.reset(m);
        with_width!(m, M => product::<M>(&self.rows, &self.columns, schur));
        for x in schur.iter_mut() {
            *x *= balance.h;
        }
        self.slack.cut(schur);
        self.schur.factorise();
        self.dependent = m - self.schur.rank();
        self.depending = 0;
        let depending = &mut self.depending;
        self.schur
            .dependent(|row| *depending |= 1 << tree.constraint_of(row).min(127));
    }

    /// Turns `L⁻¹r` into `U x` of the correction x that also meets the constraints, with its change of λ.
    pub(super) fn correct(&mut self, h: f64, x: &mut [f64]) {
        let m = self.lambda.len();
        if m == 0 {
            return x.iter_mut().for_each(|x| *x = -*x);
        }
        self.change.clear();
        self.change.resize(m, 0.0);
        with_width!(m, M => times::<M>(&self.rows, x, &mut self.change));
        for (change, g) in self.change.iter_mut().zip(&self.end.value) {
            *change = h * *change - g;
        }
        self.slack.clear(&mut self.change);
        self.schur.solve(&mut self.change);
        with_width!(m, M => combine::<M>(&self.columns, &self.change, x));
    }

    /// Makes the change of λ.
    pub(super) fn apply(&mut self) {
        self.applied.clone_from(&self.change);
        for (lambda, change) in self.lambda.iter_mut().zip(&self.applied) {
            *lambda += change;
        }
    }

    /// The impulse by which constraints hold a driven joint, one of `motions`, at both ends of the step.
    pub(super) fn held_by_drive(&self, motion: usize, motions: usize) -> f64 {
        let at = |rows: &ConstraintRows, impulses: &[f64]| -> f64 {
            let each = impulses.iter().enumerate();
            each.filter(|(_, impulse)| **impulse != 0.0)
                .map(|(k, impulse)| impulse * rows.driven[k * motions + motion])
                .sum()
        };
        at(&self.start, &self.lambda) + at(&self.end, &self.mu)
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
        (t, next_q, direction): (f64, &[f64], f64),
        next_p: &mut [f64],
        mass: &mut Mass,
    ) -> Result<(), usize> {
        let (m, n) = (self.lambda.len(), next_p.len());
        self.constrain_end(tree, t, next_q, true);
        mass.factorise(tree, t, &mut self.kinematics)?;
        transpose(&self.end.jacobian, m, &mut self.end_rows);
        mass.split(tree, &self.among, &mut self.end_rows, &mut self.end_columns, m);
        self.half.resize(n, 0.0);
        self.slack.keep(next_p);
        loop {
            let mobility = self.mobility.reset(m);
            with_width!(m, M => product::<M>(&self.end_rows, &self.end_columns, mobility));
            self.slack.cut(mobility);
            self.mobility.factorise();
            // The second time takes out what rounding left of the first.
            for pass in 0..2 {
                mass.inward(tree, next_p, &mut self.half);
                self.change.clone_from(&self.end.rate);
                with_width!(m, M => times::<M>(&self.end_rows, &self.half, &mut self.change));
                self.slack.clear(&mut self.change);
                if pass == 0 && !self.slack.is_none() {
                    self.outward.clone_from(&self.change);
                }
                self.mobility.solve(&mut self.change);
                for k in 0..m {
                    self.mu[k] += self.change[k];
                    for (p, g) in next_p.iter_mut().zip(&self.end.jacobian[k * n..(k + 1) * n]) {
                        *p -= g * self.change[k];
                    }
                }
            }
            if !self.slack.take_back(tree, &mut self.mu, next_p, direction) {
                self.slack.count_end(&self.mu, &self.outward);
                return Ok(());
            }
        }
    }
}

/// From m rows of a matrix to one row of m numbers for each of its columns.
fn transpose(rows: &[f64], m: usize, out: &mut Vec<f64>) {
    out.resize(rows.len(), 0.0);
    with_width!(m, M => transpose_into::<M>(rows, m, out));
}

fn transpose_into<const M: usize>(rows: &[f64], m: usize, out: &mut [f64]) {
    let m = if M == 0 { m } else { M };
    let n = rows.len() / m.max(1);
    for (j, out) in out.chunks_exact_mut(m.max(1)).enumerate() {
        for k in 0..m {
            out[k] = rows[k * n + j];
        }
    }
}

/// `out += Aᵀ x`.
fn times<const M: usize>(a: &[f64], x: &[f64], out: &mut [f64]) {
    if M == 0 {
        for (row, x) in a.chunks_exact(out.len().max(1)).zip(x) {
            for (out, a) in out.iter_mut().zip(row) {
                *out += a * x;
            }
        }
        return;
    }
    let mut sums = [0.0; M];
    sums.copy_from_slice(out);
    for (row, x) in a.chunks_exact(M.max(1)).zip(x) {
        for k in 0..M {
            sums[k] += row[k] * x;
        }
    }
    out.copy_from_slice(&sums);
}

/// `x = A y − x`.
fn combine<const M: usize>(a: &[f64], y: &[f64], x: &mut [f64]) {
    let m = if M == 0 { y.len() } else { M };
    for (row, x) in a.chunks_exact(m.max(1)).zip(x) {
        let mut sum = 0.0;
        for k in 0..m {
            sum += row[k] * y[k];
        }
        *x = sum - *x;
    }
}

/// `out = Aᵀ B`; zeros are given.
fn product<const M: usize>(a: &[f64], b: &[f64], out: &mut [f64]) {
    if M == 0 {
        let m = out.len().isqrt().max(1);
        for (a, b) in a.chunks_exact(m).zip(b.chunks_exact(m)) {
            for (out, a) in out.chunks_exact_mut(m).zip(a) {
                for (out, b) in out.iter_mut().zip(b) {
                    *out += a * b;
                }
            }
        }
        return;
    }
    let mut sums = [[0.0; M]; M];
    for (a, b) in a.chunks_exact(M.max(1)).zip(b.chunks_exact(M.max(1))) {
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

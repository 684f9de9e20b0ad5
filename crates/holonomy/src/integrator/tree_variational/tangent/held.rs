//! Constraints in a linearised step. The projection at its end is not differentiated: what it solves is.
//!
//! ```text
//! 0 = J x + … − Y Gᵀδλ − Y W_λ δq                                      p enters as p − Gᵀλ,  W_λ = ∂(Gᵀλ)/∂q
//! 0 = G⁺ δq⁺                                                           for δλ:  S = h G⁺ Y J⁻¹ Y Gᵀ
//! δp⁺ = δp − W_μ δq⁺ − G⁺ᵀδμ
//! 0 = G⁺ M⁻¹ (δp⁺ − K δq⁺) + (∂(G⁺v⁺)/∂q) δq⁺                         for δμ:  N = G⁺ M⁻¹ G⁺ᵀ,  K = ∂(M v⁺)/∂q
//! ```
//! Of equations that depend on each other only the shortest change of the multipliers is one: S and N have inverses
//! of that kind. Equations of velocities have `h c(q̄, v) = 0` in place of the second line (`slips.rs`); strings that are
//! slack have `δλ = δμ = 0` (`ties.rs`).
use super::{
    super::balance::Balance,
    balls::{Ball, Balls},
    slips::Slips,
    ties::Ties,
};
use crate::{
    geometry::se3::{Wrench, wrench_from},
    system::State,
    tree::{ConstraintRows, Dynamics, Factors, Kinematics, Load, Middle, MinNorm, Moving, Placement, Tree},
};

/// Why a step with constraints cannot be linearised.
pub(super) enum Unheld {
    /// A node that moves nothing.
    Mass(usize),
    /// An equation that depends on others here and not nearby.
    Singular(usize),
    /// The equation of a string that goes taut or slack.
    Snaps(usize),
}

/// Constraints at both ends.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    pub(super) start: ConstraintRows,
    pub(super) end: ConstraintRows,
    /// What is of velocities, and what may go slack.
    slips: Slips,
    ties: Ties,
    /// `∂²g/∂q∂t` at the end.
    rates: ConstraintRows,
    /// W of both ends, K, and W of one equation.
    at_start: Middle,
    at_end: Middle,
    turning: Middle,
    single: Middle,
    kinematics: Kinematics,
    dynamics: Dynamics,
    loads: Vec<Load>,
    forces: Vec<Wrench>,
    momenta: Vec<Wrench>,
    /// v⁺.
    v: Vec<f64>,
    /// `J⁻¹ Y Gᵀ`, `M⁻¹ G⁺ᵀ` and `∂(G⁺v⁺)/∂q`, a row for each equation.
    columns: Vec<f64>,
    moved: Vec<f64>,
    bends: Vec<f64>,
    /// `S⁻¹` and `N⁻¹`, row by row.
    closing: Vec<f64>,
    projecting: Vec<f64>,
    solver: MinNorm,
    /// How many equations depend on others almost everywhere, once that was asked.
    usual: Option<usize>,
    zeros: Vec<f64>,
    unused: Vec<f64>,
    out: Vec<f64>,
    unit: Vec<f64>,
}

impl Held {
    pub(super) fn new(tree: &Tree) -> Self {
        Self {
            slips: Slips::new(tree),
            ties: Ties::new(tree),
            ..Self::default()
        }
    }

    /// The start of a step: takes the impulse of the constraints from p.
    pub(super) fn begin(&mut self, tree: &Tree, before: &State, lambda: &[f64], p: &mut [f64]) {
        for list in [&mut self.zeros, &mut self.unused] {
            list.clear();
            list.resize(p.len(), 0.0);
        }
        self.kinematics.pose(tree, &before.q);
        let at = Moving {
            t: before.t,
            q: &before.q,
            kinematics: &self.kinematics,
            accelerations: None,
        };
        tree.constrain(&at, &mut self.start);
        add_rows(&self.start.jacobian, lambda, -1.0, p);
        let work = (&mut self.loads, &mut self.forces);
        bend(tree, &at, lambda, work, &mut self.at_start);
    }

    /// The rows of equations of velocities, where the balance was evaluated.
    pub(super) fn slip(&mut self, tree: &Tree, balance: &Balance, balls: &Balls) {
        self.slips.linearise(tree, balance, balls);
    }

    /// Which strings are taut. It is an error if one of them changes that in the step.
    pub(super) fn tie(&mut self, lambda: &[f64], mu: &[f64]) -> Result<(), Unheld> {
        self.ties.tell(&self.start, lambda, mu).map_err(Unheld::Snaps)
    }

    /// Factorises `S`, for the factorised Jacobian of a step.
    pub(super) fn close(
        &mut self,
        tree: &Tree,
        (balance, next_q): (&Balance, &[f64]),
        balls: &Balls,
        factors: &mut Factors<12>,
    ) -> Result<(), Unheld> {
        let (m, n) = (self.start.value.len(), tree.velocities());
        self.columns.clone_from(&self.start.jacobian);
        for column in self.columns.chunks_exact_mut(n) {
            balls.each(column, Ball::start);
            factors.solve(tree, column);
        }
        let matrix = self.solver.reset(m);
        for (l, column) in self.columns.chunks_exact(n).enumerate() {
            self.out.clear();
            self.out.extend_from_slice(column);
            balls.each(&mut self.out, Ball::start);
            for (k, row) in self.end.jacobian.chunks_exact(n).enumerate() {
                matrix[k * m + l] = balance.h * dot(row, &self.out);
            }
            self.slips
                .each(|k, by_v, _| matrix[k * m + l] = dot(by_v, column));
        }
        self.ties.cut(matrix);
        self.invert(tree, (balance.end, next_q), Which::Closing)
    }

    /// The end of a step: what the constraints at the configuration there do to p⁺, which becomes that of the state.
    pub(super) fn finish(
        &mut self,
        tree: &Tree,
        (t, q): (f64, &[f64]),
        mu: &[f64],
        p: &mut [f64],
    ) -> Result<(), Unheld> {
        let (m, n) = (mu.len(), p.len());
        self.constrain_end(tree, (t, q));
        add_rows(&self.end.jacobian, mu, -1.0, p);
        self.move_end(tree, t, p)?;
        self.momenta.clear();
        self.out.resize(n, 0.0);
        self.dynamics.momentum(tree, &self.v, &mut self.out);
        let carried = (0..tree.nodes.len()).map(|i| *self.dynamics.carried(i));
        self.momenta.extend(carried);
        self.turning.terms.clear();
        self.turning.prepare(
            tree,
            &Placement {
                frames: &self.dynamics.kinematics.frames,
                momenta: &self.momenta,
                forces: &[],
                loads: &[],
                efforts: &[],
            },
        );
        let kinematics = &self.dynamics.kinematics;
        let at = Moving {
            t,
            q,
            kinematics,
            accelerations: None,
        };
        let work = (&mut self.loads, &mut self.forces);
        bend(tree, &at, mu, work, &mut self.at_end);
        self.bends.resize(m * n, 0.0);
        for (k, row) in self.bends.chunks_exact_mut(n).enumerate() {
            self.unit.clear();
            self.unit.resize(m, 0.0);
            self.unit[k] = 1.0;
            let work = (&mut self.loads, &mut self.forces);
            bend(tree, &at, &self.unit, work, &mut self.single);
            let driving = Some((&self.dynamics.driven[..], &kinematics.frames[..]));
            let moving = (&self.zeros[..], &self.v[..]);
            self.single.pull(tree, moving, (row, &mut self.unused), driving);
        }
        tree.curve_rates(&at, &mut self.rates);
        for (bend, rate) in self.bends.iter_mut().zip(&self.rates.jacobian) {
            *bend += rate;
        }
        self.moved.clone_from(&self.end.jacobian);
        for column in self.moved.chunks_exact_mut(n) {
            self.out.copy_from_slice(column);
            self.dynamics.solve_mass(tree, &self.out, column);
        }
        let matrix = self.solver.reset(m);
        for (k, row) in self.end.jacobian.chunks_exact(n).enumerate() {
            for (l, column) in self.moved.chunks_exact(n).enumerate() {
                matrix[k * m + l] = dot(row, column);
            }
        }
        self.ties.cut(matrix);
        self.invert(tree, (t, q), Which::Projecting)
    }

    fn constrain_end(&mut self, tree: &Tree, (t, q): (f64, &[f64])) {
        self.dynamics.kinematics.place(tree, q);
        let at = Moving {
            t,
            q,
            kinematics: &self.dynamics.kinematics,
            accelerations: None,
        };
        tree.constrain(&at, &mut self.end);
    }

    /// v⁺, with what it moves.
    fn move_end(&mut self, tree: &Tree, t: f64, p: &[f64]) -> Result<(), Unheld> {
        let dynamics = &mut self.dynamics;
        tree.drive_rates(t, &mut dynamics.driven);
        dynamics.factorise(tree).map_err(Unheld::Mass)?;
        self.v.resize(p.len(), 0.0);
        dynamics.velocity(tree, p, &mut self.v);
        let Dynamics {
            kinematics, driven, ..
        } = dynamics;
        kinematics.set_moving(tree, &self.v, driven);
        Ok(())
    }

    /// g and `G⁺v⁺ + ∂g/∂t` at the end, and p⁺ as the constraints there make it.
    pub(super) fn values(
        &mut self,
        tree: &Tree,
        end: (f64, &[f64]),
        mu: &[f64],
        (balance, p): (&Balance, &mut [f64]),
        out: &mut Vec<f64>,
    ) -> Result<(), Unheld> {
        self.constrain_end(tree, end);
        add_rows(&self.end.jacobian, mu, -1.0, p);
        self.move_end(tree, end.0, p)?;
        self.slips.evaluate(tree, balance, &mut self.end);
        let first = out.len();
        out.extend_from_slice(&self.end.value);
        let rows = self.end.jacobian.chunks_exact(p.len());
        let rates = rows.zip(&self.end.rate);
        out.extend(rates.map(|(row, rate)| dot(row, &self.v) + rate));
        for values in out[first..].chunks_exact_mut(mu.len()) {
            self.ties.clear(values);
        }
        Ok(())
    }

    /// The inverse of the matrix in the solver. Equations that depend on each other here must do so nearby.
    fn invert(&mut self, tree: &Tree, (t, q): (f64, &[f64]), which: Which) -> Result<(), Unheld> {
        let m = self.start.value.len();
        self.solver.factorise();
        let dependent = m - self.solver.rank();
        if dependent > 0 {
            let usual = self.usual.get_or_insert_with(|| tree.usually_dependent(t, q));
            if dependent > *usual {
                let mut first = m;
                self.solver.dependent(|row| first = first.min(row));
                return Err(Unheld::Singular(first));
            }
        }
        let inverse = match which {
            Which::Closing => &mut self.closing,
            Which::Projecting => &mut self.projecting,
        };
        inverse.clear();
        inverse.resize(m * m, 0.0);
        for l in 0..m {
            self.unit.clear();
            self.unit.resize(m, 0.0);
            self.unit[l] = 1.0;
            self.solver.solve(&mut self.unit);
            for k in 0..m {
                inverse[k * m + l] = self.unit[k];
            }
        }
        self.ties.hold(inverse);
        Ok(())
    }

    /// Takes `W_λ δq` from δp.
    pub(super) fn push_start(&mut self, tree: &Tree, dq: &[f64], dp: &mut [f64]) {
        let work = (&mut self.out, &mut self.unused[..], &self.zeros[..]);
        bent(tree, &mut self.at_start, dq, dp, work);
    }

    /// The transpose.
    pub(super) fn pull_start(&mut self, tree: &Tree, dq: &mut [f64], dp: &[f64]) {
        let work = (&mut self.out, &mut self.unused[..], &self.zeros[..]);
        bent_back(tree, &mut self.at_start, dq, dp, work);
    }

    /// δλ for a violation of `G⁺ δq⁺ = 0`, δq⁺ that of δq and x without it.
    pub(super) fn push_lambda(
        &mut self,
        (next, dq, x): (&[f64], &[f64], &[f64]),
        given: &[f64],
        lambda: &mut Vec<f64>,
    ) {
        multiply(&self.end.jacobian, next, &mut self.unit);
        let unit = &mut self.unit;
        self.slips
            .each(|k, by_v, by_q| unit[k] = dot(by_v, x) + dot(by_q, dq));
        for (unit, given) in self.unit.iter_mut().zip(given) {
            *unit += given;
        }
        multiply(&self.closing, &self.unit, lambda);
        lambda.iter_mut().for_each(|x| *x = -*x);
    }

    /// The transpose: what δλ makes of the violation, and what that makes of `δq⁺`, of δq and of x.
    pub(super) fn pull_lambda(
        &mut self,
        lambda: &[f64],
        given: &mut [f64],
        (next, dq, x): (&mut [f64], &mut [f64], &mut [f64]),
    ) {
        given.fill(0.0);
        add_rows(&self.closing, lambda, -1.0, given);
        let unit = &mut self.unit;
        unit.clear();
        unit.extend_from_slice(given);
        self.slips.each(|k, by_v, by_q| {
            unit[k] = 0.0;
            add_rows(by_v, &given[k..=k], 1.0, x);
            add_rows(by_q, &given[k..=k], 1.0, dq);
        });
        add_rows(&self.end.jacobian, &self.unit, 1.0, next);
    }

    /// Adds `J⁻¹ Y Gᵀ δλ` to x, and takes `Gᵀ δλ` from δp.
    pub(super) fn pull_along(&self, lambda: &[f64], x: &mut [f64], dp: &mut [f64]) {
        add_rows(&self.columns, lambda, 1.0, x);
        add_rows(&self.start.jacobian, lambda, -1.0, dp);
    }

    /// The transpose, added to δλ.
    pub(super) fn pull_along_back(&mut self, lambda: &mut [f64], x: &[f64], dp: &[f64]) {
        multiply(&self.columns, x, &mut self.unit);
        multiply(&self.start.jacobian, dp, &mut self.out);
        for (lambda, (x, p)) in lambda.iter_mut().zip(self.unit.iter().zip(&self.out)) {
            *lambda += x - p;
        }
    }

    /// What the constraints at the end make of δp⁺, and δμ.
    pub(super) fn push_end(
        &mut self,
        tree: &Tree,
        dq: &[f64],
        dp: &mut [f64],
        given: &[f64],
        mu: &mut Vec<f64>,
    ) {
        let work = (&mut self.out, &mut self.unused[..], &self.zeros[..]);
        bent(tree, &mut self.at_end, dq, dp, work);
        // `δp⁺ − K δq⁺`, by M⁻¹ of which rows are known.
        self.out.resize(dq.len(), 0.0);
        let still = (dq, &self.zeros[..]);
        self.turning.push(tree, still, &mut self.out, &mut self.unused);
        for (out, dp) in self.out.iter_mut().zip(&*dp) {
            *out = dp - *out;
        }
        multiply(&self.moved, &self.out, &mut self.unit);
        multiply(&self.bends, dq, &mut self.out);
        for (k, (unit, bent)) in self.unit.iter_mut().zip(&self.out).enumerate() {
            *unit += bent + given.get(k).copied().unwrap_or(0.0);
        }
        multiply(&self.projecting, &self.unit, mu);
        add_rows(&self.end.jacobian, mu, -1.0, dp);
    }

    /// The transpose: δq⁺ is added to.
    pub(super) fn pull_end(
        &mut self,
        tree: &Tree,
        dq: &mut [f64],
        dp: &mut [f64],
        given: &mut [f64],
        mu: &mut [f64],
    ) {
        multiply(&self.end.jacobian, dp, &mut self.unit);
        for (mu, g) in mu.iter_mut().zip(&self.unit) {
            *mu -= g;
        }
        given.fill(0.0);
        add_rows(&self.projecting, mu, 1.0, given);
        add_rows(&self.bends, given, 1.0, dq);
        self.unit.clear();
        self.unit.resize(dq.len(), 0.0);
        add_rows(&self.moved, given, 1.0, &mut self.unit);
        let n = dq.len();
        self.out.resize(n, 0.0);
        let moving = (&self.unit[..], &self.zeros[..]);
        let to = (&mut self.out[..], &mut self.unused[..]);
        self.turning.pull(tree, moving, to, None);
        for k in 0..n {
            dq[k] -= self.out[k];
            dp[k] += self.unit[k];
        }
        let work = (&mut self.out, &mut self.unused[..], &self.zeros[..]);
        bent_back(tree, &mut self.at_end, dq, dp, work);
    }
}

/// Which inverse.
#[derive(Clone, Copy)]
enum Which {
    Closing,
    Projecting,
}

/// `∂(Gᵀν)/∂q` at a placement.
fn bend(
    tree: &Tree,
    at: &Moving<'_>,
    multipliers: &[f64],
    (loads, forces): (&mut Vec<Load>, &mut Vec<Wrench>),
    out: &mut Middle,
) {
    loads.clear();
    loads.resize(tree.nodes.len(), Load::default());
    out.terms.clear();
    tree.curve(at, multipliers, loads, &mut out.terms);
    out.terms.finish();
    let frames = &at.kinematics.frames;
    forces.clear();
    forces.extend(loads.iter().map(|load| load.wrench));
    for (i, node) in tree.nodes.iter().enumerate().rev() {
        if let Some(parent) = node.parent {
            let flow = wrench_from(&forces[i], &frames[i].offset);
            forces[parent] += flow;
        }
    }
    out.prepare(
        tree,
        &Placement {
            frames,
            momenta: &[],
            forces,
            loads,
            efforts: &[],
        },
    );
}

/// `δp −= W δq`.
fn bent(
    tree: &Tree,
    by: &mut Middle,
    dq: &[f64],
    dp: &mut [f64],
    (out, unused, zeros): (&mut Vec<f64>, &mut [f64], &[f64]),
) {
    out.resize(dq.len(), 0.0);
    by.push(tree, (dq, zeros), unused, out);
    for (dp, out) in dp.iter_mut().zip(out) {
        *dp -= *out;
    }
}

/// The transpose.
fn bent_back(
    tree: &Tree,
    by: &mut Middle,
    dq: &mut [f64],
    dp: &[f64],
    (out, unused, zeros): (&mut Vec<f64>, &mut [f64], &[f64]),
) {
    out.resize(dq.len(), 0.0);
    by.pull(tree, (zeros, dp), (out, unused), None);
    for (dq, out) in dq.iter_mut().zip(out) {
        *dq -= *out;
    }
}

/// `A x`, by rows.
fn multiply(rows: &[f64], x: &[f64], out: &mut Vec<f64>) {
    out.clear();
    out.extend(rows.chunks_exact(x.len()).map(|row| dot(row, x)));
}

/// `out += s Aᵀ x`, by rows.
fn add_rows(rows: &[f64], x: &[f64], sign: f64, out: &mut [f64]) {
    for (row, x) in rows.chunks_exact(out.len()).zip(x) {
        for (out, a) in out.iter_mut().zip(row) {
            *out += sign * x * a;
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

//! Derivatives of the step of a discrete Lagrangian.
//!
//! ```text
//! u = (d, λ), and under constraints v⁺ and μ
//! F₁ = p + D₁Lᵈ + f⁻ − Gᵀ(q) λ,    F₂ = g(t+h, q + d)
//! F₃ = ∂L/∂v(t+h, q⁺, v⁺) − p⁺,    F₄ = G(q⁺) v⁺ + ∂g/∂t
//! E  = q + d,   p + h Σ wₛ (∂L/∂q + f) − Gᵀ(q) λ − Gᵀ(q⁺) μ
//! ```
//! Blocks are dense: coordinates are few. A row of substeps has one such system for each, and its equations are those of
//! all F, each from where the unknowns before it lead, then the last E.
use super::DiscreteLagrangian;
use crate::{
    derivative::{Change, Differentiable},
    integrator::Fault,
    lagrangian::{Curved, LagrangianWorkspace},
    solve::Lu,
    system::{State, Undefined},
};

/// What is known of a step beside its scratch.
#[derive(Default)]
pub(super) struct Taken {
    /// Unknowns of the last step, of one substep after the other.
    pub(super) solution: Vec<f64>,
    substeps: Vec<Blocks>,
    start: Option<State>,
    curved: Curved,
    /// `[λ, μ]` over h: what is reported.
    reported: f64,
    z: Vec<f64>,
    u: Vec<f64>,
    sum: Vec<f64>,
    rest: Vec<f64>,
}

/// The derivatives of one substep, row by row.
#[derive(Default)]
struct Blocks {
    /// F_u.
    unknowns: Lu,
    /// F_z, E_u and E_z.
    f_z: Vec<f64>,
    e_u: Vec<f64>,
    e_z: Vec<f64>,
}

/// `out += M x`, or of the transpose.
fn add_product(out: &mut [f64], matrix: &[f64], x: &[f64]) {
    for (out, row) in out.iter_mut().zip(matrix.chunks_exact(x.len())) {
        *out += row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
    }
}

fn add_transposed_product(out: &mut [f64], matrix: &[f64], x: &[f64]) {
    for (x, row) in x.iter().zip(matrix.chunks_exact(out.len())) {
        for (out, a) in out.iter_mut().zip(row) {
            *out += a * x;
        }
    }
}

fn zeros(list: &mut Vec<f64>, length: usize) -> &mut [f64] {
    list.clear();
    list.resize(length, 0.0);
    list
}

impl DiscreteLagrangian {
    /// Coordinates, constraints and unknowns of a substep.
    fn sizes(&self) -> (usize, usize, usize) {
        let mechanics = self.system.mechanics();
        let (n, m) = (mechanics.coordinates(), mechanics.constraints());
        (n, m, if m > 0 { 2 * (n + m) } else { n })
    }

    /// Notes the unknowns of the substep that has just been solved.
    pub(super) fn note(&mut self) {
        let (n, m) = (self.next_q.len(), self.end_impulse.len());
        let solution = &mut self.taken.solution;
        solution.extend_from_slice(&self.unknown[..n + m]);
        if m > 0 {
            solution.extend_from_slice(&self.velocity);
            solution.extend_from_slice(&self.end_impulse);
        }
    }

    /// Takes over the unknowns of a substep, and G and its rate at the start.
    fn assume(&mut self, state: &State, h: f64, unknowns: &[f64]) -> Result<(), Undefined> {
        let (n, m, _) = self.sizes();
        self.unknown.clear();
        self.unknown.extend_from_slice(&unknowns[..n + m]);
        self.velocity.clear();
        self.velocity.extend(unknowns[..n].iter().map(|d| d / h));
        self.done.clear();
        self.done.resize(self.system.sources().len(), 0.0);
        if m > 0 {
            let (mechanics, work) = (self.system.mechanics(), &mut self.work.constraint);
            mechanics.constraint(state.t, &state.q, &self.velocity, work)?;
            self.jacobian.clone_from(&work.jacobian);
        }
        Ok(())
    }

    /// The state at the end of a substep whose unknowns were assumed and evaluated, and under constraints `F₃` and `F₄`
    /// there; G(q⁺) is left in the work space.
    fn arrive(
        &mut self,
        state: &mut State,
        h: f64,
        unknowns: &[f64],
        rest: &mut Vec<f64>,
    ) -> Result<(), Undefined> {
        let (n, m, _) = self.sizes();
        state.t += h;
        state.q.copy_from_slice(&self.next_q);
        state.p.copy_from_slice(&self.next_p);
        if m == 0 {
            return Ok(());
        }
        let (v, mu) = unknowns[n + m..].split_at(n);
        let (mechanics, LagrangianWorkspace { at, constraint, .. }) =
            (self.system.mechanics(), &mut self.work);
        mechanics.constraint(state.t, &state.q, v, constraint)?;
        for (k, mu) in mu.iter().enumerate() {
            for i in 0..n {
                state.p[i] -= constraint.jacobian[k * n + i] * mu;
            }
        }
        mechanics.lagrangian(state.t, &state.q, v, &mut at.lagrangian)?;
        rest.extend(at.lagrangian.v.iter().zip(&state.p).map(|(of_v, p)| of_v - p));
        for (row, rate) in constraint.jacobian.chunks_exact(n).zip(&constraint.rate) {
            rest.push(row.iter().zip(v).map(|(g, v)| g * v).sum::<f64>() + rate);
        }
        Ok(())
    }

    /// The derivatives of a substep; the state goes to its end.
    fn differentiate(
        &mut self,
        blocks: &mut Blocks,
        state: &mut State,
        h: f64,
        unknowns: &[f64],
    ) -> Result<(), Undefined> {
        let (n, m, size) = self.sizes();
        self.assume(state, h, unknowns)?;
        let start_t = state.t;
        let mut curved = std::mem::take(&mut self.taken.curved);
        let (f_u, f_z) = (blocks.unknowns.reset(size), zeros(&mut blocks.f_z, size * 2 * n));
        let (e_u, e_z) = (
            zeros(&mut blocks.e_u, 2 * n * size),
            zeros(&mut blocks.e_z, 4 * n * n),
        );
        for (c, w) in self.quadrature {
            self.stage.clear();
            self.stage.extend((0..n).map(|i| state.q[i] + c * unknowns[i]));
            let (mechanics, at, time) = (self.system.mechanics(), &mut self.work.at, start_t + c * h);
            mechanics.lagrangian(time, &self.stage, &self.velocity, &mut at.lagrangian)?;
            mechanics.force(time, &self.stage, &self.velocity, &mut at.force)?;
            let (l, f) = (&at.lagrangian, &at.force);
            let before = h * w * (1.0 - c);
            for i in 0..n {
                for j in 0..n {
                    let (ij, ji) = (i * n + j, j * n + i);
                    let (by_q, by_v) = (l.qq[ij] + f.q[ij], l.vq[ji] + f.v[ij]);
                    let by_d = c * by_q + by_v / h;
                    f_u[i * size + j] += before * by_d - w * (c * l.vq[ij] + l.vv[ij] / h);
                    f_z[i * 2 * n + j] += before * by_q - w * l.vq[ij];
                    e_u[(n + i) * size + j] += h * w * by_d;
                    e_z[(n + i) * 2 * n + j] += h * w * by_q;
                }
            }
        }
        for i in 0..n {
            f_z[i * 2 * n + n + i] = 1.0;
            e_u[i * size + i] = 1.0;
            e_z[i * 2 * n + i] = 1.0;
            e_z[(n + i) * 2 * n + n + i] = 1.0;
        }
        if m > 0 {
            curved.find(&self.system, start_t, &state.q)?;
            for i in 0..n {
                for k in 0..m {
                    f_u[i * size + n + k] = -self.jacobian[k * n + i];
                    e_u[(n + i) * size + n + k] = -self.jacobian[k * n + i];
                }
                for j in 0..n {
                    let bent = curved.weighted(&unknowns[n..n + m], i, j);
                    f_z[i * 2 * n + j] -= bent;
                    e_z[(n + i) * 2 * n + j] -= bent;
                }
            }
        }
        self.evaluate(state, h, false)?;
        let mut rest = std::mem::take(&mut self.taken.rest);
        rest.clear();
        let arrived = self.arrive(state, h, unknowns, &mut rest);
        self.taken.rest = rest;
        arrived?;
        if m > 0 {
            let (v, mu) = unknowns[n + m..].split_at(n);
            curved.find(&self.system, state.t, &state.q)?;
            let (g, l) = (&self.work.constraint.jacobian, &self.work.at.lagrangian);
            for i in 0..n {
                for j in 0..n {
                    let bent = curved.weighted(mu, i, j);
                    e_u[(n + i) * size + j] -= bent;
                    e_z[(n + i) * 2 * n + j] -= bent;
                }
                for k in 0..m {
                    e_u[(n + i) * size + 2 * n + m + k] = -g[k * n + i];
                }
            }
            for i in 0..n {
                let (of_v, p) = (n + m + i, n + i);
                for j in 0..size {
                    f_u[of_v * size + j] = -e_u[p * size + j];
                }
                for j in 0..2 * n {
                    f_z[of_v * 2 * n + j] = -e_z[p * 2 * n + j];
                }
                for j in 0..n {
                    f_u[of_v * size + j] += l.vq[i * n + j];
                    f_z[of_v * 2 * n + j] += l.vq[i * n + j];
                    f_u[of_v * size + n + m + j] += l.vv[i * n + j];
                }
            }
            for k in 0..m {
                let (closed, slip) = (n + k, 2 * n + m + k);
                for j in 0..n {
                    f_u[closed * size + j] = g[k * n + j];
                    f_z[closed * 2 * n + j] = g[k * n + j];
                    let turned = curved.of_speed(k, j, v);
                    f_u[slip * size + j] = turned;
                    f_z[slip * 2 * n + j] = turned;
                    f_u[slip * size + n + m + j] = g[k * n + j];
                }
            }
        }
        self.taken.curved = curved;
        match blocks.unknowns.factorise() {
            true => Ok(()),
            false => Err(Undefined::SingularMass),
        }
    }

    /// Goes through the substeps of a step, from where the unknowns before each lead.
    fn replay(
        &mut self,
        before: &State,
        h: f64,
        solution: &[f64],
        mut each: impl FnMut(&mut Self, usize, &mut State, f64, &[f64]) -> Result<(), Undefined>,
    ) -> Result<State, Fault> {
        let (.., size) = self.sizes();
        let mut state = self.taken.start.take().unwrap_or_else(|| before.clone());
        state.copy_from(before);
        for (k, gamma) in self.substeps.iter().enumerate() {
            let own = &solution[k * size..(k + 1) * size];
            each(self, k, &mut state, gamma * h, own)?;
        }
        Ok(state)
    }
}

impl Differentiable for DiscreteLagrangian {
    fn another(&mut self) -> Box<dyn Differentiable> {
        Box::new(Self::with(
            self.system.clone(),
            self.quadrature,
            self.max_iterations,
            self.substeps,
        ))
    }

    fn solution(&self, out: &mut Vec<f64>) {
        out.clone_from(&self.taken.solution);
    }

    fn linearise(&mut self, before: &State, h: f64, solution: &[f64]) -> Result<(), Fault> {
        let mut substeps = std::mem::take(&mut self.taken.substeps);
        substeps.resize_with(self.substeps.len(), Blocks::default);
        let done = self.replay(before, h, solution, |method, k, state, h, unknowns| {
            method.differentiate(&mut substeps[k], state, h, unknowns)
        });
        self.taken.substeps = substeps;
        self.taken.start = Some(done?);
        self.taken.reported = 1.0 / (self.substeps[self.substeps.len() - 1] * h);
        Ok(())
    }

    fn push(&mut self, change: &mut Change) {
        let (n, m, size) = self.sizes();
        let Taken {
            substeps,
            reported,
            z,
            u,
            ..
        } = &mut self.taken;
        let (of_f, of_e) = match change.equations.len() {
            0 => (&[] as &[f64], &[] as &[f64]),
            all => change.equations.split_at(all - 2 * n),
        };
        zeros(z, 2 * n);
        for (k, blocks) in substeps.iter().enumerate() {
            zeros(u, size);
            z[..n].copy_from_slice(&change.x);
            z[n..].copy_from_slice(&change.y);
            add_product(u, &blocks.f_z, z);
            if let Some(own) = of_f.get(k * size..(k + 1) * size) {
                u.iter_mut().zip(own).for_each(|(u, own)| *u += own);
            }
            u.iter_mut().for_each(|u| *u = -*u);
            blocks.unknowns.substitute(u);
            zeros(&mut change.x, n);
            zeros(&mut change.y, n);
            for (rows, out) in [(0..n, &mut change.x), (n..2 * n, &mut change.y)] {
                add_product(out, &blocks.e_z[rows.start * 2 * n..rows.end * 2 * n], z);
                add_product(out, &blocks.e_u[rows.start * size..rows.end * size], u);
            }
        }
        for (out, of_e) in change.x.iter_mut().chain(&mut change.y).zip(of_e) {
            *out += of_e;
        }
        change.lambda.clear();
        let impulses = (0..m).map(|k| (u[n + k] + u[2 * n + m + k]) * *reported);
        change.lambda.extend(impulses);
    }

    fn pull(&mut self, gradient: &mut Change) {
        let (n, m, size) = self.sizes();
        let Taken {
            substeps,
            reported,
            z,
            u,
            sum,
            ..
        } = &mut self.taken;
        let count = substeps.len();
        gradient.equations.clear();
        gradient.equations.resize(count * size, 0.0);
        gradient.equations.extend_from_slice(&gradient.x);
        gradient.equations.extend_from_slice(&gradient.y);
        for (k, blocks) in substeps.iter().enumerate().rev() {
            zeros(z, 2 * n);
            z[..n].copy_from_slice(&gradient.x);
            z[n..].copy_from_slice(&gradient.y);
            zeros(u, size);
            add_transposed_product(u, &blocks.e_u, z);
            if k + 1 == count {
                for (i, lambda) in gradient.lambda.iter().enumerate() {
                    u[n + i] += lambda * *reported;
                    u[2 * n + m + i] += lambda * *reported;
                }
            }
            u.iter_mut().for_each(|u| *u = -*u);
            blocks.unknowns.substitute_transposed(u);
            gradient.equations[k * size..(k + 1) * size].copy_from_slice(u);
            // E_zᵀ z̄⁺ + F_zᵀ μ.
            zeros(sum, 2 * n);
            add_transposed_product(sum, &blocks.e_z, z);
            add_transposed_product(sum, &blocks.f_z, u);
            gradient.x.copy_from_slice(&sum[..n]);
            gradient.y.copy_from_slice(&sum[n..]);
        }
        zeros(&mut gradient.lambda, m);
    }

    fn equations(
        &mut self,
        before: &State,
        h: f64,
        solution: &[f64],
        out: &mut Vec<f64>,
    ) -> Result<(), Fault> {
        out.clear();
        let end = self.replay(before, h, solution, |method, _, state, h, unknowns| {
            method.assume(state, h, unknowns)?;
            method.evaluate(state, h, false)?;
            out.extend_from_slice(&method.residual);
            method.arrive(state, h, unknowns, out)
        })?;
        out.extend_from_slice(&end.q);
        out.extend_from_slice(&end.p);
        self.taken.start = Some(end);
        Ok(())
    }
}

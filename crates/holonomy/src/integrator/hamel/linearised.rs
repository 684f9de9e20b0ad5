//! Derivatives of the step of the discrete Hamel integrator.
//!
//! ```text
//! u = (q⁺, ξ⁺, ξ),    z = (q, p)                                  free ξ and p; under constraints more, in `held.rs`
//! F₁ = q⁺ − q − h ξ̄ⁱ uᵢ(q̄)
//! F₂ = ∂l/∂ξ⁺ − ∂l/∂ξ − ½h (D + D⁺) − h cᵢⱼᵐ(q̄) p̄ₘ ξ̄ⁱ             all m
//! F₃ = ∂l/∂ξ(t, q, ξ) − p
//! E  = (q⁺, ∂l/∂ξ⁺)
//! uₘᵃ ∂cᵢⱼᵐ = ∂[uᵢ, uⱼ]ᵃ − cᵢⱼᵐ ∂uₘᵃ             so ∂c p̄ = ȳ·(∂[uᵢ, uⱼ] − c ∂u) with U(q̄) ȳ = p̄,  Uᵢₐ = uᵢᵃ
//! ```
//! Changes are those of (q, p). Only in a frame of as many free fields as coordinates they are canonical at the ends,
//! `p = U(q) y`: δp = U δy + (∂U δq) y.
mod conjugate;
mod held;

use super::DiscreteHamel;
use crate::{
    derivative::{Change, Differentiable},
    integrator::Fault,
    lagrangian::{Evaluation, FormulaMemory},
    solve::Lu,
    system::{State, System, Undefined},
};
use conjugate::Conjugate;
use held::Led;

/// The derivatives of a step, row by row.
#[derive(Default)]
pub(super) struct Blocks {
    /// F_u, F_z and E_u.
    unknowns: Lu,
    f_z: Vec<f64>,
    e_u: Vec<f64>,
    /// Of canonical momenta, where there are any.
    canonical: bool,
    start: Conjugate,
    end: Conjugate,
    middle: Conjugate,
    /// Second derivatives of the fields, and the slopes of the bracket term by q̄.
    curvature: Vec<f64>,
    turning: Vec<f64>,
    memory: FormulaMemory,
    led: Led,
    z: Vec<f64>,
    u: Vec<f64>,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `out += factor M x`, and the same of the transpose.
fn add(out: &mut [f64], matrix: &[f64], x: &[f64], factor: f64) {
    for (out, row) in out.iter_mut().zip(matrix.chunks_exact(x.len())) {
        *out += factor * dot(row, x);
    }
}

fn add_transposed(out: &mut [f64], matrix: &[f64], x: &[f64], factor: f64) {
    for (x, row) in x.iter().zip(matrix.chunks_exact(out.len())) {
        for (out, a) in out.iter_mut().zip(row) {
            *out += factor * a * x;
        }
    }
}

fn zeros(list: &mut Vec<f64>, length: usize) -> &mut [f64] {
    list.clear();
    list.resize(length, 0.0);
    list
}

/// `∂Dⱼ/∂q_b`.
fn drive_by_q(at: &Evaluation, n: usize, j: usize, b: usize) -> f64 {
    let (l, u) = (&at.lagrangian, &at.frame);
    let each = (0..n).map(|a| {
        let total = l.q[a] + at.force.value[a];
        u.slopes[(j * n + a) * n + b] * total
            + u.fields[j * n + a] * (l.qq[a * n + b] + at.force.q[a * n + b])
    });
    each.sum()
}

/// `∂Dⱼ/∂ξⁱ`.
fn drive_by_xi(at: &Evaluation, n: usize, j: usize, i: usize) -> f64 {
    let (l, u) = (&at.lagrangian, &at.frame);
    let k = l.v.len();
    (0..n)
        .map(|a| u.fields[j * n + a] * (l.vq[i * n + a] + at.force.v[a * k + i]))
        .sum()
}

impl DiscreteHamel {
    /// How many coordinates, free velocities and constraints there are.
    fn sizes(&self) -> (usize, usize, usize) {
        let mechanics = self.system.mechanics();
        (
            mechanics.coordinates(),
            self.system.free().len(),
            mechanics.constraints(),
        )
    }

    /// Evaluates everything at unknowns that are known.
    fn assume(&mut self, before: &State, h: f64, solution: &[f64], led: &mut Led) -> Result<(), Undefined> {
        let (n, f, m) = self.sizes();
        let (ends, rest) = solution.split_at(n + f);
        let (start, rest) = rest.split_at(f);
        self.unknown.clear();
        self.unknown.extend_from_slice(ends);
        self.start_v.clear();
        self.start_v.extend_from_slice(start);
        self.system.spread(start, &mut self.start_xi);
        self.system
            .evaluate(before.t, &before.q, &self.start_xi, &mut self.start)?;
        self.held.begin(
            &self.system,
            before,
            &self.start,
            &self.start_v,
            &mut self.unknown,
        )?;
        self.unknown.truncate(n + 2 * f);
        self.unknown.extend_from_slice(&rest[..m]);
        self.evaluate(before, h)?;
        match m {
            0 => Ok(()),
            _ => led.arrive(&self.system, before.t + h, (&self.unknown[..n], rest)),
        }
    }

    /// `∂/∂q̄ (cᵢⱼᵐ p̄ₘ ξ̄ⁱ)` in place j·n + b, of all j; zero for those that are constrained.
    fn turn(&self, blocks: &mut Blocks) -> Result<(), Undefined> {
        let (n, k) = (self.mean_q.len(), self.mean_xi.len());
        let turning = zeros(&mut blocks.turning, k * n);
        if self.brackets.constant {
            return Ok(());
        }
        let (u, d) = (&self.middle.fields, &self.middle.slopes);
        let (mechanics, memory) = (self.system.mechanics(), &mut blocks.memory);
        mechanics.frame_curvature(&self.mean_q, &mut blocks.curvature, memory)?;
        blocks.middle.find(&self.middle, n, &self.mean_p)?;
        let (dd, y, bent) = (&blocks.curvature, &blocks.middle.y, &blocks.middle.bent);
        // The way of u_j through the slopes of u_i, along y, and how it changes.
        let along = |i: usize, j: usize, e: usize| -> f64 {
            let mut sum = 0.0;
            for a in 0..n {
                for b in 0..n {
                    let place = (i * n + a) * n + b;
                    sum += y[a] * (d[(j * n + b) * n + e] * d[place] + u[j * n + b] * dd[place * n + e]);
                }
            }
            sum
        };
        for j in self.system.free() {
            for e in 0..n {
                for i in self.system.free() {
                    let c = &self.brackets.c[(i * k + j) * k..(i * k + j + 1) * k];
                    let frame: f64 = c.iter().enumerate().map(|(m, c)| c * bent[m * n + e]).sum();
                    turning[j * n + e] += self.mean_xi[*i] * (along(*j, *i, e) - along(*i, *j, e) - frame);
                }
            }
        }
        Ok(())
    }

    /// Everything at unknowns that were assumed.
    fn differentiate(&self, blocks: &mut Blocks, before: &State, h: f64) -> Result<(), Undefined> {
        let ((n, f, m), k) = (self.sizes(), self.mean_xi.len());
        let (half, free) = (0.5 * h, self.system.free());
        let (size, wide) = (n + 2 * f + Led::unknowns(f, m), n + f);
        self.turn(blocks)?;
        blocks.canonical = self.system.is_canonical();
        if blocks.canonical {
            blocks
                .start
                .find(&self.start.frame, n, &self.start.lagrangian.v)?;
            blocks.end.find(&self.end.frame, n, &self.end.lagrangian.v)?;
        }
        let f_u = blocks.unknowns.reset(size);
        let f_z = zeros(&mut blocks.f_z, size * wide);
        let e_u = zeros(&mut blocks.e_u, wide * size);
        for a in 0..n {
            let (row, row_z) = (a * size, a * wide);
            for b in 0..n {
                let unit = f64::from(u8::from(a == b));
                let slope = |i: usize| self.mean_xi[i] * self.middle.slopes[(i * n + a) * n + b];
                let moved: f64 = half * (0..k).map(slope).sum::<f64>();
                f_u[row + b] = unit - moved;
                f_z[row_z + b] = -unit - moved;
                e_u[row + b] = unit;
            }
            for (column, i) in free.iter().enumerate() {
                let field = half * self.middle.fields[i * n + a];
                f_u[row + n + column] = -field;
                f_u[row + n + f + column] = -field;
            }
        }
        let (start, end) = (&self.start.lagrangian, &self.end.lagrangian);
        let c = |i: usize, j: usize, m: usize| self.brackets.c[(i * k + j) * k + m];
        for (place, j) in free.iter().copied().enumerate() {
            let (two, three) = ((n + place) * size, (n + f + place) * size);
            let (two_z, three_z) = ((n + place) * wide, (n + f + place) * wide);
            let weight = |m: usize| -> f64 { (0..k).map(|i| c(i, j, m) * self.mean_xi[i]).sum() };
            let weights = |of: &[f64], wide: usize, b: usize| -> f64 {
                (0..k).map(|m| weight(m) * of[m * wide + b]).sum()
            };
            for b in 0..n {
                let turning = half * blocks.turning[j * n + b];
                let at_end = drive_by_q(&self.end, n, j, b) + weights(&end.vq, n, b);
                let at_start = drive_by_q(&self.start, n, j, b) + weights(&start.vq, n, b);
                f_u[two + b] = end.vq[j * n + b] - half * at_end - turning;
                f_z[two_z + b] = -start.vq[j * n + b] - half * at_start - turning;
                f_z[three_z + b] = start.vq[j * n + b];
                e_u[two + b] = end.vq[j * n + b];
            }
            for (column, i) in free.iter().copied().enumerate() {
                let through: f64 = (0..k).map(|m| c(i, j, m) * self.mean_p[m]).sum();
                let at_end = drive_by_xi(&self.end, n, j, i) + weights(&end.vv, k, i) + through;
                let at_start = drive_by_xi(&self.start, n, j, i) + weights(&start.vv, k, i) + through;
                f_u[two + n + column] = end.vv[j * k + i] - half * at_end;
                f_u[two + n + f + column] = -start.vv[j * k + i] - half * at_start;
                f_u[three + n + f + column] = start.vv[j * k + i];
                e_u[two + n + column] = end.vv[j * k + i];
            }
            f_z[three_z + n + place] = -1.0;
        }
        if m > 0 {
            let ends = [(&self.start, &self.held.start), (&self.end, &self.held.end)];
            let across = &self.held.across[..];
            let times = (before, h, &self.unknown[..n]);
            blocks
                .led
                .add(&self.system, times, (ends, across), (f_u, f_z, e_u))?;
        }
        match blocks.unknowns.factorise() {
            true => Ok(()),
            false => Err(Undefined::SingularMass),
        }
    }

    /// Works with the work space of derivatives apart.
    fn apart<T>(&mut self, act: impl FnOnce(&mut Self, &mut Blocks) -> T) -> T {
        let mut blocks = std::mem::take(&mut self.blocks);
        let done = act(self, &mut blocks);
        self.blocks = blocks;
        done
    }
}

impl Differentiable for DiscreteHamel {
    fn another(&mut self) -> Box<dyn Differentiable> {
        Box::new(Self::with(self.system.clone(), self.max_iterations))
    }

    fn solution(&self, out: &mut Vec<f64>) {
        out.clear();
        out.extend_from_slice(&self.unknown);
        match self.sizes() {
            (.., 0) => out.extend_from_slice(&self.start_v),
            _ => {
                out.extend_from_slice(&self.end_v);
                out.extend_from_slice(&self.held.last);
            }
        }
    }

    fn linearise(&mut self, before: &State, h: f64, solution: &[f64]) -> Result<(), Fault> {
        Ok(self.apart(|method, blocks| {
            method.assume(before, h, solution, &mut blocks.led)?;
            method.differentiate(blocks, before, h)
        })?)
    }

    fn push(&mut self, change: &mut Change) {
        let (n, f, m) = self.sizes();
        let Blocks {
            unknowns,
            f_z,
            e_u,
            canonical,
            start,
            end,
            led,
            z,
            u,
            ..
        } = &mut self.blocks;
        let size = n + 2 * f + Led::unknowns(f, m);
        zeros(z, n + f);
        z[..n].copy_from_slice(&change.x);
        if *canonical {
            add(&mut z[n..], &start.fields, &change.y, 1.0);
            add(&mut z[n..], &start.bent, &change.x, 1.0);
        } else {
            z[n..].copy_from_slice(&change.y);
        }
        zeros(u, size);
        add(u, f_z, z, -1.0);
        for (u, own) in u.iter_mut().zip(&change.equations) {
            *u -= own;
        }
        unknowns.substitute(u);
        zeros(z, n + f);
        add(z, e_u, u, 1.0);
        for (z, own) in z.iter_mut().zip(change.equations.iter().skip(size)) {
            *z += own;
        }
        change.x.copy_from_slice(&z[..n]);
        change.y.copy_from_slice(&z[n..]);
        if *canonical {
            add(&mut change.y, &end.bent, &change.x, -1.0);
            end.lu.substitute(&mut change.y);
        }
        change.lambda.clear();
        let impulses = led.impulses(n, f, m);
        change
            .lambda
            .extend(impulses.map(|(first, last, per)| (u[first] + u[last]) * per));
    }

    fn pull(&mut self, gradient: &mut Change) {
        let (n, f, m) = self.sizes();
        let Blocks {
            unknowns,
            f_z,
            e_u,
            canonical,
            start,
            end,
            led,
            z,
            u,
            ..
        } = &mut self.blocks;
        if *canonical {
            end.lu.substitute_transposed(&mut gradient.y);
            add_transposed(&mut gradient.x, &end.bent, &gradient.y, -1.0);
        }
        zeros(z, n + f);
        z[..n].copy_from_slice(&gradient.x);
        z[n..].copy_from_slice(&gradient.y);
        zeros(u, n + 2 * f + Led::unknowns(f, m));
        add_transposed(u, e_u, z, -1.0);
        for ((first, last, per), lambda) in led.impulses(n, f, m).zip(&gradient.lambda) {
            u[first] -= lambda * per;
            u[last] -= lambda * per;
        }
        unknowns.substitute_transposed(u);
        gradient.equations.clear();
        gradient.equations.extend_from_slice(u);
        gradient.equations.extend_from_slice(z);
        zeros(z, n + f);
        add_transposed(z, f_z, u, 1.0);
        gradient.x.copy_from_slice(&z[..n]);
        if *canonical {
            add_transposed(&mut gradient.x, &start.bent, &z[n..], 1.0);
            add_transposed(zeros(&mut gradient.y, n), &start.fields, &z[n..], 1.0);
        } else {
            gradient.y.copy_from_slice(&z[n..]);
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
        let (n, f, m) = self.sizes();
        self.apart(|method, blocks| {
            method.assume(before, h, solution, &mut blocks.led)?;
            let (start, end) = (&method.start.lagrangian.v, &method.end.lagrangian.v);
            let free = method.system.free();
            out.clear();
            out.extend((0..n).map(|a| method.unknown[a] - before.q[a] - h * method.slope_q[a]));
            let turned = free.iter().zip(&method.slope_p);
            out.extend(turned.map(|(j, slope)| end[*j] - start[*j] - h * slope));
            let launched = free.iter().zip(&method.start_p);
            out.extend(launched.map(|(j, p)| start[*j] - p));
            let mut arrived = end;
            if m > 0 {
                blocks.led.values(free, (&method.held.end, end), out);
                arrived = &blocks.led.at.lagrangian.v;
            }
            out.extend_from_slice(&method.unknown[..n]);
            out.extend(free.iter().map(|j| arrived[*j]));
            debug_assert_eq!(out.len(), 2 * n + 3 * f + Led::unknowns(f, m));
            Ok::<_, Undefined>(())
        })?;
        Ok(())
    }
}

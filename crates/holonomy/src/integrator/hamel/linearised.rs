//! Derivatives of the step of the discrete Hamel integrator, in a frame of as many fields as coordinates.
//!
//! ```text
//! u = (q⁺, ξ⁺, ξ),    z = (q, p),    p = U(q) y,    Uᵢₐ = uᵢᵃ         y canonical
//! F₁ = q⁺ − q − h ξ̄ⁱ uᵢ(q̄)
//! F₂ = ∂l/∂ξ⁺ − ∂l/∂ξ − ½h (D + D⁺) − h cᵢⱼᵐ(q̄) p̄ₘ ξ̄ⁱ
//! F₃ = ∂l/∂ξ(t, q, ξ) − p
//! E  = (q⁺, ∂l/∂ξ⁺)
//! uₘᵃ ∂cᵢⱼᵐ = ∂[uᵢ, uⱼ]ᵃ − cᵢⱼᵐ ∂uₘᵃ                                  so ∂c p̄ = ȳ·(∂[uᵢ, uⱼ] − c ∂u) with U(q̄) ȳ = p̄
//! ```
//! Changes are canonical at the ends, δp = U δy + (∂U δq) y, and those of (q, p) between.
use super::DiscreteHamel;
use crate::{
    derivative::{Change, Differentiable},
    integrator::Fault,
    lagrangian::{Evaluation, FormulaMemory, FrameFields},
    solve::Lu,
    system::{State, Undefined},
};

/// The derivatives of a step, row by row.
#[derive(Default)]
pub(super) struct Blocks {
    /// F_u, F_z and E_u.
    unknowns: Lu,
    f_z: Vec<f64>,
    e_u: Vec<f64>,
    start: Canonical,
    end: Canonical,
    middle: Canonical,
    /// Second derivatives of the fields, and the slopes of the bracket term by q̄.
    curvature: Vec<f64>,
    turning: Vec<f64>,
    memory: FormulaMemory,
    z: Vec<f64>,
    u: Vec<f64>,
}

/// Momenta of the frame and canonical ones at a point.
#[derive(Default)]
struct Canonical {
    fields: Vec<f64>,
    lu: Lu,
    y: Vec<f64>,
    /// `∂uᵢᵃ/∂qᵇ yₐ` in place i·n + b.
    bent: Vec<f64>,
}

impl Canonical {
    fn find(&mut self, frame: &FrameFields, p: &[f64]) -> Result<(), Undefined> {
        let n = p.len();
        self.fields.clone_from(&frame.fields);
        self.lu.reset(n).copy_from_slice(&frame.fields);
        if !self.lu.factorise() {
            return Err(Undefined::SingularMass);
        }
        self.y.clear();
        self.y.extend_from_slice(p);
        self.lu.substitute(&mut self.y);
        self.bent.clear();
        for i in 0..n {
            for b in 0..n {
                let each = (0..n).map(|a| frame.slopes[(i * n + a) * n + b] * self.y[a]);
                self.bent.push(each.sum());
            }
        }
        Ok(())
    }
}

/// `out += factor M x`, and the same of the transpose.
fn add(out: &mut [f64], matrix: &[f64], x: &[f64], factor: f64) {
    for (out, row) in out.iter_mut().zip(matrix.chunks_exact(x.len())) {
        *out += factor * row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
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
    (0..n)
        .map(|a| u.fields[j * n + a] * (l.vq[i * n + a] + at.force.v[a * n + i]))
        .sum()
}

impl DiscreteHamel {
    /// The unknowns of the step that was taken last.
    pub(super) fn note(&self, out: &mut Vec<f64>) {
        out.clear();
        out.extend_from_slice(&self.unknown);
        out.extend_from_slice(&self.start_v);
    }

    /// Evaluates everything at unknowns that are known.
    fn assume(&mut self, before: &State, h: f64, solution: &[f64]) -> Result<(), Undefined> {
        let n = before.q.len();
        self.unknown.clear();
        self.unknown.extend_from_slice(&solution[..2 * n]);
        self.start_v.clear();
        self.start_v.extend_from_slice(&solution[2 * n..]);
        self.start_xi.clone_from(&self.start_v);
        self.system
            .evaluate(before.t, &before.q, &self.start_xi, &mut self.start)?;
        self.evaluate(before, h)
    }

    /// `∂/∂q̄ (cᵢⱼᵐ p̄ₘ ξ̄ⁱ)` in place j·n + b.
    fn turn(&self, blocks: &mut Blocks) -> Result<(), Undefined> {
        let n = self.mean_q.len();
        let turning = zeros(&mut blocks.turning, n * n);
        if self.brackets.constant {
            return Ok(());
        }
        let (u, d) = (&self.middle.fields, &self.middle.slopes);
        let (mechanics, memory) = (self.system.mechanics(), &mut blocks.memory);
        mechanics.frame_curvature(&self.mean_q, &mut blocks.curvature, memory)?;
        blocks.middle.find(&self.middle, &self.mean_p)?;
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
        for j in 0..n {
            for e in 0..n {
                for (i, xi) in self.mean_xi.iter().enumerate() {
                    let c = &self.brackets.c[(i * n + j) * n..(i * n + j + 1) * n];
                    let frame: f64 = c.iter().enumerate().map(|(m, c)| c * bent[m * n + e]).sum();
                    turning[j * n + e] += xi * (along(j, i, e) - along(i, j, e) - frame);
                }
            }
        }
        Ok(())
    }

    /// Everything at unknowns that were assumed.
    fn differentiate(&self, blocks: &mut Blocks, h: f64) -> Result<(), Undefined> {
        let n = self.mean_q.len();
        let (size, half) = (3 * n, 0.5 * h);
        self.turn(blocks)?;
        blocks.start.find(&self.start.frame, &self.start.lagrangian.v)?;
        blocks.end.find(&self.end.frame, &self.end.lagrangian.v)?;
        let f_u = blocks.unknowns.reset(size);
        let f_z = zeros(&mut blocks.f_z, size * 2 * n);
        let e_u = zeros(&mut blocks.e_u, 2 * n * size);
        let (start, end) = (&self.start.lagrangian, &self.end.lagrangian);
        let c = |i: usize, j: usize, m: usize| self.brackets.c[(i * n + j) * n + m];
        for j in 0..n {
            let (one, two, three) = (j * size, (n + j) * size, (2 * n + j) * size);
            let (one_z, two_z, three_z) = (j * 2 * n, (n + j) * 2 * n, (2 * n + j) * 2 * n);
            let weight = |m: usize| -> f64 { (0..n).map(|i| c(i, j, m) * self.mean_xi[i]).sum() };
            let weights = |of: &[f64], b: usize| -> f64 { (0..n).map(|m| weight(m) * of[m * n + b]).sum() };
            for b in 0..n {
                let unit = f64::from(u8::from(j == b));
                let slope = |i: usize| self.mean_xi[i] * self.middle.slopes[(i * n + j) * n + b];
                let moved: f64 = half * (0..n).map(slope).sum::<f64>();
                f_u[one + b] = unit - moved;
                f_z[one_z + b] = -unit - moved;
                let field = half * self.middle.fields[b * n + j];
                f_u[one + n + b] = -field;
                f_u[one + 2 * n + b] = -field;

                let turning = half * blocks.turning[j * n + b];
                let at_end = drive_by_q(&self.end, n, j, b) + weights(&end.vq, b);
                let at_start = drive_by_q(&self.start, n, j, b) + weights(&start.vq, b);
                f_u[two + b] = end.vq[j * n + b] - half * at_end - turning;
                f_z[two_z + b] = -start.vq[j * n + b] - half * at_start - turning;
                let through: f64 = (0..n).map(|m| c(b, j, m) * self.mean_p[m]).sum();
                let at_end = drive_by_xi(&self.end, n, j, b) + weights(&end.vv, b) + through;
                let at_start = drive_by_xi(&self.start, n, j, b) + weights(&start.vv, b) + through;
                f_u[two + n + b] = end.vv[j * n + b] - half * at_end;
                f_u[two + 2 * n + b] = -start.vv[j * n + b] - half * at_start;

                f_u[three + 2 * n + b] = start.vv[j * n + b];
                f_z[three_z + b] = start.vq[j * n + b];
                f_z[three_z + n + b] = -unit;

                e_u[one + b] = unit;
                e_u[two + b] = end.vq[j * n + b];
                e_u[two + n + b] = end.vv[j * n + b];
            }
        }
        match blocks.unknowns.factorise() {
            true => Ok(()),
            false => Err(Undefined::SingularMass),
        }
    }
}

impl Differentiable for DiscreteHamel {
    fn another(&mut self) -> Box<dyn Differentiable> {
        Box::new(Self::with(self.system.clone(), self.max_iterations))
    }

    fn solution(&self, out: &mut Vec<f64>) {
        self.note(out);
    }

    fn linearise(&mut self, before: &State, h: f64, solution: &[f64]) -> Result<(), Fault> {
        self.assume(before, h, solution)?;
        let mut blocks = std::mem::take(&mut self.blocks);
        let done = self.differentiate(&mut blocks, h);
        self.blocks = blocks;
        Ok(done?)
    }

    fn push(&mut self, change: &mut Change) {
        let Blocks {
            unknowns,
            f_z,
            e_u,
            start,
            end,
            z,
            u,
            ..
        } = &mut self.blocks;
        let n = change.x.len();
        zeros(z, 2 * n);
        z[..n].copy_from_slice(&change.x);
        add(&mut z[n..], &start.fields, &change.y, 1.0);
        add(&mut z[n..], &start.bent, &change.x, 1.0);
        zeros(u, 3 * n);
        add(u, f_z, z, -1.0);
        for (u, own) in u.iter_mut().zip(&change.equations) {
            *u -= own;
        }
        unknowns.substitute(u);
        zeros(z, 2 * n);
        add(z, e_u, u, 1.0);
        for (z, own) in z.iter_mut().zip(change.equations.iter().skip(3 * n)) {
            *z += own;
        }
        change.x.copy_from_slice(&z[..n]);
        change.y.copy_from_slice(&z[n..]);
        add(&mut change.y, &end.bent, &change.x, -1.0);
        end.lu.substitute(&mut change.y);
        change.lambda.clear();
    }

    fn pull(&mut self, gradient: &mut Change) {
        let Blocks {
            unknowns,
            f_z,
            e_u,
            start,
            end,
            z,
            u,
            ..
        } = &mut self.blocks;
        let n = gradient.x.len();
        end.lu.substitute_transposed(&mut gradient.y);
        add_transposed(&mut gradient.x, &end.bent, &gradient.y, -1.0);
        zeros(z, 2 * n);
        z[..n].copy_from_slice(&gradient.x);
        z[n..].copy_from_slice(&gradient.y);
        zeros(u, 3 * n);
        add_transposed(u, e_u, z, -1.0);
        unknowns.substitute_transposed(u);
        gradient.equations.clear();
        gradient.equations.extend_from_slice(u);
        gradient.equations.extend_from_slice(z);
        zeros(z, 2 * n);
        add_transposed(z, f_z, u, 1.0);
        gradient.x.copy_from_slice(&z[..n]);
        add_transposed(&mut gradient.x, &start.bent, &z[n..], 1.0);
        zeros(&mut gradient.y, n);
        add_transposed(&mut gradient.y, &start.fields, &z[n..], 1.0);
        gradient.lambda.clear();
    }

    fn equations(
        &mut self,
        before: &State,
        h: f64,
        solution: &[f64],
        out: &mut Vec<f64>,
    ) -> Result<(), Fault> {
        let n = before.q.len();
        self.assume(before, h, solution)?;
        let (start, end) = (&self.start.lagrangian.v, &self.end.lagrangian.v);
        out.clear();
        out.extend((0..n).map(|a| self.unknown[a] - before.q[a] - h * self.slope_q[a]));
        out.extend((0..n).map(|j| end[j] - start[j] - h * self.slope_p[j]));
        out.extend((0..n).map(|j| start[j] - before.p[j]));
        out.extend_from_slice(&self.unknown[..n]);
        out.extend_from_slice(end);
        Ok(())
    }
}

//! The discrete Hamel equations of Zenkov, Leok & Bloch (2012), (12), for any frame.
//!
//! ```text
//! q⁺ − q = h ξ̄ⁱ uᵢ(q̄)                                              (2), as in (21)
//! p⁺ⱼ − pⱼ = ½h (Dⱼ + D⁺ⱼ) + h cᵢⱼᵐ(q̄) p̄ₘ ξ̄ⁱ                       (12);  free j, all m
//!
//! Dⱼ = uⱼ[l] + uⱼᵃ Qₐ  at (t, q, ξ),     D⁺ⱼ at (t+h, q⁺, ξ⁺)
//! ΔW = ½h (Q·ξ̄ⁱuᵢ(q) + Q⁺·ξ̄ⁱuᵢ(q⁺)),   −½h (∂l/∂t + ∂l/∂t⁺)       work of forces and of explicit time
//!
//! p = ∂l/∂ξ (t, q, ξ),   p⁺ = ∂l/∂ξ (t+h, q⁺, ξ⁺),   q̄ = ½(q + q⁺),  ξ̄ = ½(ξ + ξ⁺),  p̄ = ½(p + p⁺)
//! ```
//! The paper's variables are `q_{k+1/2}` and `ξ_{k,k+1}`; both belong to the same interval, and here they are
//! the state `(q, p)`. The paper leaves the bracket term open. With means, as here, it does no work for any h,
//! because c is skew in i and j. So where the mass matrix is constant, energy is conserved exactly without a potential,
//! and with one that is linear in q if the fields are linear, too; also under nonholonomic constraints. The step is
//! the implicit midpoint rule then, and for the pendulum of the paper it is (22)–(24). Elsewhere the error of the
//! energy is of order h².
//!
//! In the frame of the coordinates the step is the trapezoidal rule for `(q, p)`: the variational midpoint
//! method, seen between its nodes. The method is symmetric. It is not symplectic
//! in general, and in a frame that no reflection of the motion leaves as it is the energy drifts: by 9e-6 J/s for a mass
//! in a bowl of 1.5 J and h = 0.02 s, as h³.
//!
//! Constraints g(t, q) = 0 act at both ends of the step, as in RATTLE: what is above goes from p̂ to p̂⁺ and from ξ̂ to ξ̂⁺,
//! which are those of the momenta beside them, and
//! ```text
//! p̂ = p − Gᵀ(q) λ,      g(t+h, q⁺) = 0,                       Gₖⱼ = uⱼ[gₖ];  free j
//! p⁺ = p̂⁺ − Gᵀ(q⁺) μ,   G(q⁺) ξ⁺ + ∂g/∂t = 0                  for μ;  ΔW = λ·∂g/∂t + μ·∂g/∂t⁺
//! ```
//! So `(q, p)` stay on the constraints and along them, and the step stays symmetric. The two impulses are of the order h,
//! and so are the changes of velocity by them: means over the step have errors of order h², as without.
//!
//! Newton's matrix leaves out ∂c/∂q, which is zero in a Lie algebra; elsewhere corrections fall by a factor of
//! the order h², and more of them are taken.
mod held;
#[cfg(not(target_arch = "wasm32"))]
mod linearised;

use super::{Cause, Fault, Integrator, StepInfo};
use crate::{
    lagrangian::{Brackets, Evaluation, FrameFields, Lagrangian, LagrangianWorkspace},
    solve::{Corrections, Lu, Stop, Unsolved},
    system::{State, Undefined},
};
use held::Held;
use std::sync::Arc;

/// The discrete Hamel integrator.
pub struct DiscreteHamel {
    system: Arc<Lagrangian>,
    max_iterations: u32,
    work: LagrangianWorkspace,
    lu: Lu,
    start: Evaluation,
    end: Evaluation,
    middle: FrameFields,
    brackets: Brackets,
    /// Free ξ of the momentum at the start, all ξ that the step begins with, and their momentum.
    start_v: Vec<f64>,
    start_xi: Vec<f64>,
    start_p: Vec<f64>,
    /// q⁺, then free ξ⁺; under constraints the ξ that the step begins with, and λ.
    unknown: Vec<f64>,
    residual: Vec<f64>,
    end_xi: Vec<f64>,
    mean_q: Vec<f64>,
    mean_xi: Vec<f64>,
    mean_p: Vec<f64>,
    /// `(q⁺ − q)/h` and `(p⁺ − p)/h` by the equations.
    slope_q: Vec<f64>,
    slope_p: Vec<f64>,
    next_q: Vec<f64>,
    next_p: Vec<f64>,
    /// Free ξ at the end.
    end_v: Vec<f64>,
    held: Held,
    /// For derivatives.
    #[cfg(not(target_arch = "wasm32"))]
    blocks: linearised::Blocks,
    /// The work of each source in this step.
    done: Vec<f64>,
}

/// Where the Jacobian lacks the change of c, the next correction is smaller by a factor only.
const INEXACT: Stop = Stop {
    small: 1e-14,
    rounding: 100.0 * 1e-14,
    contraction: 0.5,
};

impl DiscreteHamel {
    /// A method for any system in a frame; `None` without one.
    pub fn new(system: Arc<Lagrangian>, max_iterations: u32) -> Option<Self> {
        system.is_framed().then(|| Self::with(system, max_iterations))
    }

    fn with(system: Arc<Lagrangian>, max_iterations: u32) -> Self {
        let none = Vec::new;
        Self {
            system,
            max_iterations,
            work: LagrangianWorkspace::default(),
            lu: Lu::default(),
            start: Evaluation::default(),
            end: Evaluation::default(),
            middle: FrameFields::default(),
            brackets: Brackets::default(),
            start_v: none(),
            start_xi: none(),
            start_p: none(),
            unknown: none(),
            residual: none(),
            end_xi: none(),
            mean_q: none(),
            mean_xi: none(),
            mean_p: none(),
            slope_q: none(),
            slope_p: none(),
            next_q: none(),
            next_p: none(),
            end_v: none(),
            held: Held::default(),
            #[cfg(not(target_arch = "wasm32"))]
            blocks: linearised::Blocks::default(),
            done: none(),
        }
    }

    /// The right sides of both equations, over h, at the unknown.
    fn evaluate(&mut self, state: &State, h: f64) -> Result<(), Undefined> {
        let (n, f) = (state.q.len(), state.p.len());
        let (next_q, rest) = self.unknown.split_at(n);
        let (next_v, rest) = rest.split_at(f);
        self.system.spread(next_v, &mut self.end_xi);
        self.start_p.clone_from(&state.p);
        if !rest.is_empty() {
            let (v, lambda) = rest.split_at(f);
            let at_end = (state.t + h, next_q, &self.end_xi[..]);
            self.held
                .evaluate(&self.system, at_end, lambda, &mut self.start_p)?;
            self.system.spread(v, &mut self.start_xi);
            self.system
                .evaluate(state.t, &state.q, &self.start_xi, &mut self.start)?;
        }
        self.system
            .evaluate(state.t + h, next_q, &self.end_xi, &mut self.end)?;
        mean(&mut self.mean_q, &state.q, next_q);
        mean(&mut self.mean_xi, &self.start_xi, &self.end_xi);
        mean(&mut self.mean_p, &self.start.lagrangian.v, &self.end.lagrangian.v);
        self.system.mechanics().frame(&self.mean_q, &mut self.middle)?;
        self.system.brackets(&self.middle, &mut self.brackets)?;

        self.slope_q.resize(n, 0.0);
        self.middle.velocity(&self.mean_xi, &mut self.slope_q);
        self.slope_p.clear();
        for (place, j) in self.system.free().iter().enumerate() {
            let drive = 0.5 * (self.start.drive[place] + self.end.drive[place]);
            let turning = self.brackets.term(&self.mean_p, &self.mean_xi, *j);
            self.slope_p.push(drive + turning);
        }
        Ok(())
    }

    /// Left sides minus right sides, and their Jacobian by (q⁺, ξ⁺).
    fn linearise(&mut self, state: &State, h: f64) {
        let (n, free) = (state.q.len(), self.system.free());
        let f = free.len();
        let size = n + f + Held::unknowns(&self.system);
        let k = self.mean_xi.len();
        let l = &self.end.lagrangian;
        // The velocities at the end, and those at the start if they are unknown.
        let ends = [(&self.end, n), (&self.start, n + f)];
        let ends = if size > n + f { &ends[..] } else { &ends[..1] };
        let a = self.lu.reset(size);
        self.residual.clear();
        for row in 0..n {
            self.residual
                .push(self.unknown[row] - state.q[row] - h * self.slope_q[row]);
            for b in 0..n {
                let slope = |i: usize| self.mean_xi[i] * self.middle.slopes[(i * n + row) * n + b];
                let turn: f64 = (0..k).map(slope).sum();
                a[row * size + b] = f64::from(row == b) - 0.5 * h * turn;
            }
            for (_, first) in ends {
                for (column, i) in free.iter().enumerate() {
                    a[row * size + first + column] = -0.5 * h * self.middle.fields[i * n + row];
                }
            }
        }
        for (place, j) in free.iter().enumerate() {
            let row = n + place;
            self.residual
                .push(l.v[*j] - self.start_p[place] - h * self.slope_p[place]);
            // ∂(cᵢⱼᵐ p̄ₘ ξ̄ⁱ) through p̄: half of the weights cᵢⱼᵐ ξ̄ⁱ.
            let weight = |m: usize| -> f64 {
                (0..k)
                    .map(|i| self.brackets.c[(i * k + j) * k + m] * self.mean_xi[i])
                    .sum()
            };
            for b in 0..n {
                let mut drive = 0.0;
                let u = &self.end.frame;
                for row in 0..n {
                    let total = l.q[row] + self.end.force.value[row];
                    drive += u.slopes[(j * n + row) * n + b] * total
                        + u.fields[j * n + row] * (l.qq[row * n + b] + self.end.force.q[row * n + b]);
                }
                let turn: f64 = (0..k).map(|m| weight(m) * l.vq[m * n + b]).sum();
                a[row * size + b] = l.vq[j * n + b] - 0.5 * h * (drive + turn);
            }
            for (at, first) in ends {
                let (l, u) = (&at.lagrangian, &at.frame);
                for (column, i) in free.iter().enumerate() {
                    let drive: f64 = (0..n)
                        .map(|a| u.fields[j * n + a] * (l.vq[i * n + a] + at.force.v[a * k + i]))
                        .sum();
                    let through_p: f64 = (0..k).map(|m| weight(m) * l.vv[m * k + i]).sum();
                    let through_xi: f64 = (0..k)
                        .map(|m| self.brackets.c[(i * k + j) * k + m] * self.mean_p[m])
                        .sum();
                    let own = if *first == n { l.vv[j * k + i] } else { 0.0 };
                    a[row * size + first + column] = own - 0.5 * h * (drive + through_p + through_xi);
                }
            }
        }
        if size > n + f {
            let launched = (&self.start, &self.start_p[..]);
            self.held
                .add(&self.system, launched, (a, size), &mut self.residual);
        }
    }

    /// Adds the solution of the linear equations; what is left to do, as fractions of what there is.
    fn correct(&mut self, state: &State, h: f64) -> NewtonCorrection {
        let (n, f) = (state.q.len(), state.p.len());
        let mut largest = [(0.0_f64, 0); 2];
        let mut sizes = [0.0_f64; 2];
        for (i, correction) in self.residual.iter().enumerate() {
            self.unknown[i] -= correction;
            // Multipliers are as exact as what they act on.
            if i >= n + 2 * f {
                continue;
            }
            let kind = usize::from(i >= n);
            let before = if i < n {
                state.q[i]
            } else {
                self.start_v[(i - n) % f]
            };
            sizes[kind] = sizes[kind]
                .max(self.unknown[i].abs())
                .max(before.abs())
                .max((self.unknown[i] - before).abs());
            if correction.abs() > largest[kind].0 || correction.is_nan() {
                largest[kind] = (correction.abs(), i);
            }
        }
        let reach = h.abs() * self.middle.fields.iter().fold(0.0_f64, |m, u| m.max(u.abs()));
        let [(q, body), (xi, _)] = largest;
        // Quasi-velocities that cannot move a coordinate by a rounding are as good as zero.
        let lost = reach * xi <= 4.0 * f64::EPSILON * sizes[0] && reach > 0.0 && xi.is_finite();
        let fraction = |change: f64, size: f64| if change == 0.0 { 0.0 } else { change / size };
        let xi = if lost { 0.0 } else { fraction(xi, sizes[1]) };
        let fraction_q = fraction(q, sizes[0]);
        let in_q = fraction_q >= xi || fraction_q.is_nan();
        NewtonCorrection {
            fraction: if in_q { fraction_q } else { xi },
            size: if in_q { q } else { largest[1].0 },
            body: in_q.then_some(body),
        }
    }
}

struct NewtonCorrection {
    fraction: f64,
    size: f64,
    /// The coordinate that changed most, if it was one.
    body: Option<usize>,
}

impl Integrator for DiscreteHamel {
    #[cfg(not(target_arch = "wasm32"))]
    fn differentiable(&mut self) -> Option<&mut dyn crate::derivative::Differentiable> {
        match self.system.without_derivatives() {
            None => Some(self),
            Some(_) => None,
        }
    }

    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        let n = state.q.len();
        self.start_v.resize(state.p.len(), 0.0);
        self.system
            .solve_velocity(state.t, &state.q, &state.p, &mut self.start_v, &mut self.work)
            .map_err(undefined)?;
        self.system.spread(&self.start_v, &mut self.start_xi);
        self.system
            .evaluate(state.t, &state.q, &self.start_xi, &mut self.start)
            .map_err(undefined)?;
        self.slope_q.resize(n, 0.0);
        self.start.frame.velocity(&self.start_xi, &mut self.slope_q);
        self.unknown.clear();
        self.unknown
            .extend(state.q.iter().zip(&self.slope_q).map(|(q, dq)| q + h * dq));
        self.unknown.extend_from_slice(&self.start_v);
        self.held
            .begin(&self.system, state, &self.start, &self.start_v, &mut self.unknown)
            .map_err(undefined)?;

        let mut corrections = Corrections::new(self.max_iterations);
        loop {
            self.evaluate(state, h).map_err(undefined)?;
            self.linearise(state, h);
            if !self.lu.solve(&mut self.residual) {
                return Err(undefined(Undefined::SingularMass));
            }
            let NewtonCorrection { fraction, size, body } = self.correct(state, h);
            let stop = match self.brackets.constant {
                true => Stop::quadratic(1.0),
                false => INEXACT,
            };
            let cause = match corrections.is_last(fraction, stop) {
                Ok(true) => break,
                Ok(false) => continue,
                Err(Unsolved::NotFinite) => Cause::NotFinite,
                Err(Unsolved::NotConverged { iterations, .. }) => Cause::NotConverged {
                    iterations,
                    correction: size,
                },
            };
            return Err(Fault { cause, body });
        }
        self.evaluate(state, h).map_err(undefined)?;
        increased(&mut self.next_q, &state.q, h, &self.slope_q);
        increased(&mut self.next_p, &self.start_p, h, &self.slope_p);
        super::check_finite(&self.next_q, &self.next_p, n)?;
        let sources = self.system.sources();
        self.done.clear();
        self.done.resize(sources.len(), 0.0);
        if !sources.is_empty() {
            for at in [&self.start, &self.end] {
                at.frame.velocity(&self.mean_xi, &mut self.slope_q);
                sources.add(at, &self.slope_q, 0.5 * h, &mut self.done);
            }
        }
        let held = !self.held.first.is_empty();
        if held {
            let end = (&mut self.next_p[..], &mut self.end_v, &mut self.held.last);
            let (limit, work) = (self.max_iterations, &mut self.work);
            self.system
                .lead(state.t + h, &self.next_q, end, limit, work)
                .map_err(undefined)?;
            super::check_finite(&self.next_q, &self.next_p, n)?;
            let rate = &self.work.constraint.rate;
            self.held.add_work(&self.system, rate, &mut self.done);
        }

        state.add_work(&self.done);
        std::mem::swap(&mut state.q, &mut self.next_q);
        std::mem::swap(&mut state.p, &mut self.next_p);
        if held {
            // Impulses at both ends of the step; over the step they act as one force.
            let impulses = self.held.first.iter().zip(&self.held.last);
            state.lambda.clear();
            state
                .lambda
                .extend(impulses.map(|(first, last)| (first + last) / h));
        }
        state.t += h;
        Ok(StepInfo {
            iterations: corrections.iterations,
            evaluations: corrections.iterations + 2,
            ..StepInfo::default()
        })
    }
}

fn mean(out: &mut Vec<f64>, a: &[f64], b: &[f64]) {
    out.clear();
    out.extend(a.iter().zip(b).map(|(a, b)| 0.5 * (a + b)));
}

/// `x + h dx`.
fn increased(out: &mut Vec<f64>, x: &[f64], h: f64, dx: &[f64]) {
    out.clear();
    out.extend(x.iter().zip(dx).map(|(x, dx)| x + h * dx));
}

fn undefined(undefined: Undefined) -> Fault {
    Fault {
        cause: Cause::Undefined(undefined),
        body: None,
    }
}

//! Variational integrators for any Lagrangian, from a quadrature of the action over one step.
//!
//! ```text
//! Lᵈ(q, q⁺) = h Σₛ wₛ L(t + cₛh, qₛ, v),    qₛ = q + cₛ(q⁺ − q),   v = (q⁺ − q)/h
//! midpoint             c = ½        w = 1
//! trapezoid            c = 0, 1     w = ½, ½
//! backward-difference  c = 1        w = 1       (the cable report; first order)
//!
//! 0 = p + D₁Lᵈ + f⁻ − Gᵀ(q) λ,       g(t+h, q⁺) = 0                       for q⁺ and λ
//! p⁺ = D₂Lᵈ + f⁺ − Gᵀ(q⁺) μ,         G(q⁺) v⁺ + ∂g/∂t = 0                 for μ
//!
//! D₁Lᵈ = Σ wₛ [h(1−cₛ) ∂L/∂q − ∂L/∂v],    f⁻ = h Σ wₛ (1−cₛ) f(qₛ, v)
//! D₂Lᵈ = Σ wₛ [h cₛ    ∂L/∂q + ∂L/∂v],    f⁺ = h Σ wₛ cₛ     f(qₛ, v)
//! ```
//! The unknown is the increment d = q⁺ − q, and the two lines are added: p⁺ = p + h Σ wₛ (∂L/∂q + f) − Gᵀλ − Gᵀμ.
//! So v = d/h is not spoilt by the rounding of q⁺, and the momentum of a cyclic coordinate stays what it is to the bit.
//!
//! Work of what changes the energy, with the quadrature of the action:
//! ```text
//! ΔW = h Σ wₛ f(qₛ, v)·v,    −h Σ wₛ ∂L/∂t(qₛ, v),    λ·∂g/∂t(t, q) + μ·∂g/∂t(t+h, q⁺)
//! ```
//! Marsden & West (2001). Forces are split as the quadrature is, so forced and damped systems keep
//! the order of the method. The multipliers act at both ends of the step (as in RATTLE), which keeps
//! `(q, p)` on the constraint manifold and its tangent space and the method symmetric.
use super::{
    Fault, Integrator, StepInfo,
    composition::{compose, substeps},
};
use crate::{
    lagrangian::{Lagrangian, LagrangianWorkspace},
    math,
    solve::{Corrections, Lu, Stop},
    system::{State, Undefined},
};
use std::sync::Arc;

#[cfg(not(target_arch = "wasm32"))]
mod linearised;
#[cfg(not(target_arch = "wasm32"))]
mod together;

/// A variational integrator from a quadrature.
pub struct DiscreteLagrangian {
    system: Arc<Lagrangian>,
    quadrature: Quadrature,
    max_iterations: u32,
    /// γ₁ … γₛ of its composition with itself.
    substeps: &'static [f64],
    before: Option<State>,
    /// Eight states side by side.
    #[cfg(not(target_arch = "wasm32"))]
    group: Option<Box<together::Group>>,
    /// For derivatives.
    #[cfg(not(target_arch = "wasm32"))]
    taken: linearised::Taken,
    work: LagrangianWorkspace,
    lu: Lu,
    /// d then λ.
    unknown: Vec<f64>,
    next_q: Vec<f64>,
    residual: Vec<f64>,
    stage: Vec<f64>,
    velocity: Vec<f64>,
    next_p: Vec<f64>,
    /// G at the start.
    jacobian: Vec<f64>,
    /// μ.
    end_impulse: Vec<f64>,
    /// `∂g/∂t` at the start.
    start_rate: Vec<f64>,
    /// The work of each source in this step.
    done: Vec<f64>,
}

/// Nodes and weights of a quadrature over one step.
pub type Quadrature = &'static [(f64, f64)];

/// The midpoint rule.
pub const MIDPOINT: Quadrature = &[(0.5, 1.0)];
/// The trapezoidal rule.
pub const TRAPEZOID: Quadrature = &[(0.0, 0.5), (1.0, 0.5)];
/// The end point, with the backward difference.
pub const BACKWARD: Quadrature = &[(1.0, 1.0)];

/// Corrections below this fraction of the coordinates are rounding, where they no longer contract.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

impl DiscreteLagrangian {
    /// A method for any Lagrangian; `None` in a frame, where these are not its equations.
    pub fn new(system: Arc<Lagrangian>, quadrature: Quadrature, max_iterations: u32) -> Option<Self> {
        (!system.is_framed()).then(|| Self::with(system, quadrature, max_iterations, &[1.0]))
    }

    fn with(
        system: Arc<Lagrangian>,
        quadrature: Quadrature,
        max_iterations: u32,
        substeps: &'static [f64],
    ) -> Self {
        Self {
            system,
            quadrature,
            max_iterations,
            substeps,
            before: None,
            #[cfg(not(target_arch = "wasm32"))]
            group: None,
            #[cfg(not(target_arch = "wasm32"))]
            taken: linearised::Taken::default(),
            work: LagrangianWorkspace::default(),
            lu: Lu::default(),
            unknown: Vec::new(),
            next_q: Vec::new(),
            residual: Vec::new(),
            stage: Vec::new(),
            velocity: Vec::new(),
            next_p: Vec::new(),
            jacobian: Vec::new(),
            end_impulse: Vec::new(),
            start_rate: Vec::new(),
            done: Vec::new(),
        }
    }

    /// Raised to order 4, 6 or 8 by composition, where it is symmetric; `None` for other orders.
    pub fn with_order(self, order: u32) -> Option<Self> {
        let substeps = substeps(order)?;
        Some(Self { substeps, ..self })
    }

    /// Steps to take of those that are wanted: where time matters, one.
    // A page advances one state: its engine is to be small.
    #[cfg(not(target_arch = "wasm32"))]
    fn in_a_row(&self, count: u64) -> u64 {
        match self.system.mechanics().knows_time() {
            true => count.min(1),
            false => count,
        }
    }

    /// The residual of the first line, and its matrix with respect to (d, λ); q⁺, and p⁺ without μ, are left in
    /// `next_q` and `next_p`.
    fn evaluate(&mut self, state: &State, h: f64, matrix: bool) -> Result<(), Undefined> {
        let (n, m) = (state.q.len(), self.system.mechanics().constraints());
        let size = n + m;
        let Self {
            system,
            work,
            lu,
            unknown,
            residual,
            stage,
            velocity,
            next_q,
            next_p,
            jacobian,
            done,
            ..
        } = self;
        residual.clear();
        residual.extend_from_slice(&state.p);
        residual.resize(size, 0.0);
        next_p.clear();
        next_p.extend_from_slice(&state.p);
        next_q.clear();
        next_q.extend((0..n).map(|i| state.q[i] + unknown[i]));
        velocity.clear();
        velocity.extend((0..n).map(|i| unknown[i] / h));
        done.fill(0.0);
        let a = lu.reset(size);
        for (c, w) in self.quadrature {
            stage.clear();
            stage.extend((0..n).map(|i| state.q[i] + c * unknown[i]));
            let time = state.t + c * h;
            system
                .mechanics()
                .lagrangian(time, stage, velocity, &mut work.at.lagrangian)?;
            system
                .mechanics()
                .force(time, stage, velocity, &mut work.at.force)?;
            if !done.is_empty() {
                system.sources().add(&work.at, velocity, h * w, done);
            }
            let (l, f) = (&work.at.lagrangian, &work.at.force);
            let before = h * w * (1.0 - c);
            for i in 0..n {
                residual[i] += before * (l.q[i] + f.value[i]) - w * l.v[i];
                next_p[i] += h * w * (l.q[i] + f.value[i]);
                for j in 0..if matrix { n } else { 0 } {
                    let (ij, ji) = (i * n + j, j * n + i);
                    // qₛ changes by cₛ, v by 1/h.
                    let slope_q = c * (l.qq[ij] + f.q[ij]) + (l.vq[ji] + f.v[ij]) / h;
                    let slope_v = c * l.vq[ij] + l.vv[ij] / h;
                    a[i * size + j] += before * slope_q - w * slope_v;
                }
            }
        }
        if m > 0 {
            system
                .mechanics()
                .constraint(state.t + h, next_q, velocity, &mut work.constraint)?;
            for k in 0..m {
                residual[n + k] = work.constraint.value[k];
                for i in 0..n {
                    residual[i] -= jacobian[k * n + i] * unknown[n + k];
                    next_p[i] -= jacobian[k * n + i] * unknown[n + k];
                    a[i * size + n + k] = -jacobian[k * n + i];
                    a[(n + k) * size + i] = work.constraint.jacobian[k * n + i];
                }
            }
        }
        Ok(())
    }

    /// One step; `known` if it follows another.
    fn step_from(&mut self, state: &mut State, h: f64, mut known: bool) -> Result<StepInfo, Fault> {
        #[cfg(not(target_arch = "wasm32"))]
        self.taken.solution.clear();
        if let [_] = self.substeps {
            return self.substep(state, h, known);
        }
        let mut before = self.before.take();
        let taken = compose(self.substeps, &mut before, state, h, |state, h| {
            self.substep(state, h, std::mem::replace(&mut known, true))
        });
        self.before = before;
        taken
    }

    /// One step of the method of order 2; `known` if it follows another, at whose end L has a value.
    fn substep(&mut self, state: &mut State, h: f64, known: bool) -> Result<StepInfo, Fault> {
        let (n, m) = (state.q.len(), self.system.mechanics().constraints());
        super::check_finite(&state.q, &state.p, n)?;
        self.velocity.resize(n, 0.0);
        let (velocity, work) = (&mut self.velocity, &mut self.work);
        self.system
            .solve_velocity_at(state.t, &state.q, &state.p, velocity, work, known)?;
        self.unknown.clear();
        self.unknown.extend(self.velocity.iter().map(|v| h * v));
        self.unknown.resize(n + m, 0.0);
        if m > 0 {
            let mechanics = self.system.mechanics();
            mechanics.constraint(state.t, &state.q, &self.velocity, &mut self.work.constraint)?;
            self.jacobian.clone_from(&self.work.constraint.jacobian);
            self.start_rate.clone_from(&self.work.constraint.rate);
        }
        self.done.resize(self.system.sources().len(), 0.0);
        let mut corrections = Corrections::new(self.max_iterations);
        loop {
            self.evaluate(state, h, true)?;
            if !self.lu.solve(&mut self.residual) {
                return Err(Undefined::SingularMass.into());
            }
            let (mut change, mut body, mut size) = (0.0_f64, 0, 0.0_f64);
            for i in 0..n + m {
                self.unknown[i] -= self.residual[i];
                if i < n {
                    size = size.max(self.unknown[i].abs());
                    if self.residual[i].abs() > change || self.residual[i].is_nan() {
                        (change, body) = (self.residual[i].abs(), i);
                    }
                }
            }
            // Where little moves, rounding of the coordinates is what is left, and no iteration makes it less.
            let stop = Stop {
                rounding: ROUNDING * largest(&self.next_q),
                contraction: 0.25,
                ..Stop::quadratic(size)
            };
            match corrections.is_last(change, stop) {
                Ok(true) => break,
                Ok(false) => {}
                Err(unsolved) => {
                    return Err(Fault {
                        cause: unsolved.into(),
                        body: Some(body),
                    });
                }
            }
        }
        self.evaluate(state, h, false)?;
        if m > 0 {
            let end = (&mut self.next_p[..], &mut self.velocity, &mut self.end_impulse);
            let (limit, work) = (self.max_iterations, &mut self.work);
            self.system.lead(state.t + h, &self.next_q, end, limit, work)?;
            let (sources, end_rate) = (self.system.sources(), &self.work.constraint.rate);
            sources.add_constraints(&self.unknown[n..], &self.start_rate, &mut self.done);
            sources.add_constraints(&self.end_impulse, end_rate, &mut self.done);
        } else if self.quadrature.iter().all(|(c, _)| *c < 1.0) {
            // The end must have a value, too, although the step does not look there.
            let (time, work) = (state.t + h, &mut self.work.at.lagrangian);
            let mechanics = self.system.mechanics();
            mechanics.lagrangian(time, &self.next_q, &self.velocity, work)?;
        }
        super::check_finite(&self.next_q, &self.next_p, n)?;
        #[cfg(not(target_arch = "wasm32"))]
        self.note();

        // Impulses at both ends of the step; over the step they act as one force.
        state.lambda.clear();
        state.lambda.extend(
            self.unknown[n..]
                .iter()
                .zip(&self.end_impulse)
                .map(|(start, end)| (start + end) / h),
        );
        state.q.copy_from_slice(&self.next_q);
        state.p.copy_from_slice(&self.next_p);
        state.add_work(&self.done);
        state.t += h;
        let iterations = corrections.iterations;
        let evaluations = (iterations + 1) * self.quadrature.len() as u32;
        Ok(StepInfo {
            iterations,
            evaluations,
            ..StepInfo::default()
        })
    }
}

impl Integrator for DiscreteLagrangian {
    fn goes_back(&self) -> bool {
        self.substeps.iter().any(|gamma| *gamma < 0.0)
    }

    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        self.step_from(state, h, false)
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn differentiable(&mut self) -> Option<&mut dyn crate::derivative::Differentiable> {
        Some(self)
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn advance(
        &mut self,
        state: &mut State,
        h: f64,
        count: u64,
        work: &mut super::Work,
    ) -> Result<(), Fault> {
        for k in 0..self.in_a_row(count) {
            work.count(self.step_from(state, h, k > 0)?);
        }
        Ok(())
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn advance_many(&mut self, members: &mut [super::Member], h: f64, count: u64) {
        if !self.goes_together() {
            return super::advance_each(self, members, h, count);
        }
        let count = self.in_a_row(count);
        super::together::in_groups(self, members, h, count, |method, group, steps| {
            method.together(group, h, steps)
        });
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m, x| math::larger(m, x.abs()))
}

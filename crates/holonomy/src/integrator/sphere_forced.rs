//! Discrete Lagrange–d'Alembert equations on (S²)ⁿ: impulses of forces without potential at both ends of a step of any
//! variational method of order 2.
//!
//! ```text
//! π* = π + ½h τ(t, q, ω)                       M(q) ω = π
//! (q⁺, π̂) = Φₕ(q, π*)                          the step without them, (3.9)–(3.10) or (3.17)–(3.18)
//! π⁺ = π̂ + ½h τ(t+h, q⁺, ω⁺)                   M(q⁺) ω⁺ = π⁺: Newton's method for ω⁺, M − ½h ∂τ/∂ω
//!
//! ΔW = ½h τ·½(ω + ω*) + ½h τ⁺·½(ω̂ + ω⁺)        what the impulses change the kinetic energy by, to rounding
//! ```
//! The forces are `f⁻ = ½h f(t, q, q̇)` and `f⁺ = ½h f(t+h, q⁺, q̇⁺)` of Marsden & West (2001), with the velocities of the
//! momenta at both ends, so that the second half undoes the first of a step back: symmetric, and of order 2. Chains take
//! O(n) where each force sees the body alone that it acts on.
#[cfg(not(target_arch = "wasm32"))]
mod impulse;
#[cfg(not(target_arch = "wasm32"))]
mod linearised;

use super::{Cause, Fault, Integrator, StepInfo, check_finite};
use crate::{
    Vec3,
    solve::{Corrections, Lu, Stop},
    spheres::{Block, Inertia, LinkWork, Spheres, Torques, view, view_mut},
    system::{Scratch, State, System},
};
use nalgebra::Matrix3;
use std::sync::Arc;

/// A variational method of order 2 on spheres, with forces.
pub struct SphereForced {
    system: Arc<Spheres>,
    free: Box<dyn Integrator>,
    before: State,
    kick: Kick,
    #[cfg(not(target_arch = "wasm32"))]
    taken: linearised::Taken,
}

/// What one impulse takes.
struct Kick {
    scratch: Scratch,
    implicit: bool,
    torques: Torques,
    omega: Vec<f64>,
    first: Vec<f64>,
    residual: Vec<f64>,
    moment: Vec<Vec3>,
    /// `∂τᵢ/∂ωᵢ`.
    own: Vec<Matrix3<f64>>,
    joints: Vec<LinkWork>,
    lu: Lu,
    work: Vec<f64>,
}

/// Corrections of an end of a step; the dependence is that of a formula on one velocity.
const MOST: u32 = 50;

impl SphereForced {
    /// Around a method for the same system, which knows nothing of the forces.
    pub fn new(
        system: Arc<Spheres>,
        #[cfg_attr(
            target_arch = "wasm32",
            expect(unused_mut, reason = "a page has no derivatives")
        )]
        mut free: Box<dyn Integrator>,
    ) -> Self {
        let size = 3 * system.len();
        Self {
            kick: Kick {
                scratch: system.scratch(),
                implicit: system.forces_see_rates(),
                torques: Torques::default(),
                omega: vec![0.0; size],
                first: vec![0.0; size],
                residual: vec![0.0; size],
                moment: vec![Vec3::zeros(); system.len()],
                own: vec![Matrix3::zeros(); system.len()],
                joints: Vec::new(),
                lu: Lu::default(),
                work: vec![0.0; system.forces().len()],
            },
            before: State::new(0.0, Vec::new(), Vec::new()),
            #[cfg(not(target_arch = "wasm32"))]
            taken: linearised::Taken::new(&mut *free),
            system,
            free,
        }
    }

    fn step(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        self.kick.work.fill(0.0);
        self.kick.explicit(&self.system, state, 0.5 * h)?;
        let mut info = self.free.attempt(state, h)?;
        info.iterations += self.kick.implicit(&self.system, state, 0.5 * h)?;
        check_finite(&state.q, &state.p, self.system.len())?;
        state.add_work(&self.kick.work);
        #[cfg(not(target_arch = "wasm32"))]
        self.note();
        Ok(info)
    }
}

impl Integrator for SphereForced {
    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        self.before.copy_from(state);
        self.step(state, h).inspect_err(|_| state.copy_from(&self.before))
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn differentiable(&mut self) -> Option<&mut dyn crate::derivative::Differentiable> {
        self.taken.is_known().then_some(self)
    }
}

impl Kick {
    /// With the velocity that there is.
    fn explicit(&mut self, system: &Spheres, state: &mut State, h: f64) -> Result<(), Fault> {
        system.velocity(state.t, &state.q, &state.p, &mut self.omega, &mut self.scratch);
        self.first.clone_from(&self.omega);
        system.torques(
            state.t,
            view(&state.q),
            view(&self.omega),
            false,
            &mut self.torques,
        );
        self.push(system, state, h);
        Ok(())
    }

    /// With the velocity that there will be; how often it was corrected.
    fn implicit(&mut self, system: &Spheres, state: &mut State, h: f64) -> Result<u32, Fault> {
        system.velocity(state.t, &state.q, &state.p, &mut self.omega, &mut self.scratch);
        self.first.clone_from(&self.omega);
        let mut corrections = Corrections::new(MOST);
        loop {
            let (q, omega) = (view(&state.q), view(&self.omega));
            system.torques(state.t, q, omega, self.implicit, &mut self.torques);
            if !self.implicit {
                break;
            }
            system.momentum(
                state.t,
                &state.q,
                &self.omega,
                &mut self.residual,
                &mut self.scratch,
            );
            for (r, p) in self.residual.iter_mut().zip(&state.p) {
                *r = p - *r;
            }
            let residual = view_mut(&mut self.residual);
            for (_, body, torque) in &self.torques.each {
                residual[*body] += torque * h;
            }
            if !self.solve(system, q, h) {
                return Err(fault(Cause::TooLarge));
            }
            let (mut most, mut size) = (0.0_f64, 0.0_f64);
            for (omega, change) in self.omega.iter_mut().zip(&self.residual) {
                *omega += change;
                most = most.max(change.abs());
                size = size.max(omega.abs());
                if change.is_nan() {
                    return Err(fault(Cause::NotFinite));
                }
            }
            match corrections.is_last(most, Stop::quadratic(size)) {
                Ok(false) => {}
                Ok(true) => {
                    let (q, omega) = (view(&state.q), view(&self.omega));
                    system.torques(state.t, q, omega, false, &mut self.torques);
                    break;
                }
                Err(_) => {
                    return Err(fault(Cause::NotConverged {
                        iterations: corrections.iterations,
                        correction: most,
                    }));
                }
            }
        }
        self.push(system, state, h);
        Ok(corrections.iterations)
    }

    /// Adds the impulses of the torques, and their work.
    fn push(&mut self, system: &Spheres, state: &mut State, h: f64) {
        self.moment.fill(Vec3::zeros());
        for (_, body, torque) in &self.torques.each {
            self.moment[*body] += torque;
        }
        for (p, moment) in view_mut(&mut state.p).iter_mut().zip(&self.moment) {
            *p += moment * h;
        }
        system.velocity(state.t, &state.q, &state.p, &mut self.omega, &mut self.scratch);
        let (before, after) = (view(&self.first), view(&self.omega));
        for (source, body, torque) in &self.torques.each {
            self.work[*source] += 0.5 * h * torque.dot(&(before[*body] + after[*body]));
        }
    }

    /// `(M − h ∂τ/∂ω) x = r`, in place of r.
    fn solve(&mut self, system: &Spheres, q: &[Vec3], h: f64) -> bool {
        let slopes = &self.torques.slopes;
        match system.inertia() {
            Inertia::Links(links) if slopes.iter().all(|(on, by, _)| on == by) => {
                self.own.fill(Matrix3::zeros());
                for (body, _, slope) in slopes {
                    self.own[*body] += slope * h;
                }
                let own = &self.own;
                let right = |i: usize| q[i].cross_matrix();
                let block = |i: usize, hat: &Matrix3<f64>| {
                    let coupling = links.links()[i].length * links.first_moment(i);
                    let inertia = Matrix3::from_diagonal_element(links.diagonal()[i]);
                    Block {
                        excess: inertia + hat * hat * coupling - own[i],
                        left: -hat,
                    }
                };
                links.solve(
                    &mut self.joints,
                    right,
                    block,
                    bytemuck::cast_slice_mut(&mut self.residual),
                )
            }
            inertia => {
                let n = q.len();
                let a = self.lu.reset(3 * n);
                let mut add = |i: usize, j: usize, block: &Matrix3<f64>| {
                    for r in 0..3 {
                        for c in 0..3 {
                            a[(3 * i + r) * 3 * n + 3 * j + c] += block[(r, c)];
                        }
                    }
                };
                for i in 0..n {
                    add(i, i, &Matrix3::from_diagonal_element(inertia.diagonal(i)));
                    for j in (0..n).filter(|j| *j != i) {
                        let m = inertia.entry(i, j);
                        if m != 0.0 {
                            add(i, j, &(q[i].cross_matrix() * q[j].cross_matrix() * -m));
                        }
                    }
                }
                for (i, j, slope) in slopes {
                    add(*i, *j, &(slope * -h));
                }
                self.lu.solve(&mut self.residual)
            }
        }
    }
}

fn fault(cause: Cause) -> Fault {
    Fault { cause, body: None }
}

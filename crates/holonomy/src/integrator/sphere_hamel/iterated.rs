//! Any potential: Δω of all bodies together, by iteration to a fixed point.
//!
//! ```text
//! π⁺ = π + M (Δω + ½(F−I)Δω)        f is along ω + ½Δω, which F leaves alone
//! ```
use super::{rotation_increment, sum};
use crate::{
    Vec3,
    geometry::s2,
    integrator::{Cause, Fault, Integrator, StepInfo, check_finite, force::Force},
    solve::{Corrections, Stop},
    spheres::{Spheres, view, view_mut},
    system::{State, Tag},
};
use std::sync::Arc;

pub(super) struct Iterated {
    system: Arc<Spheres>,
    force: Force,
    max_iterations: u32,
    /// Angular velocities, q × ∂V at the start, Δω, rotations f.
    omega: Vec<Vec3>,
    torque: Vec<Vec3>,
    change: Vec<Vec3>,
    turn: Vec<Vec3>,
    next: Next,
}

/// Names what rounding has taken.
const TAG: Tag = Tag::new(*b"lost", 1);

/// The result of a step: rounded values and what rounding took from them.
#[derive(Default)]
struct Next {
    q: Vec<f64>,
    p: Vec<f64>,
    carry: Vec<f64>,
}

impl Iterated {
    pub(super) fn new(system: Arc<Spheres>, max_iterations: u32) -> Self {
        let n = system.len();
        Self {
            force: Force::new(system.clone()),
            system,
            max_iterations,
            omega: Vec::with_capacity(n),
            torque: Vec::with_capacity(n),
            change: vec![Vec3::zeros(); n],
            turn: vec![Vec3::zeros(); n],
            next: Next::default(),
        }
    }

    /// Δω, until rounding stops it; the number of iterations.
    fn solve(&mut self, q: &[Vec3], h: f64) -> Result<u32, Fault> {
        let inertia = self.system.inertia();
        let gradient = self.force.at(q)?;
        self.torque.clear();
        self.torque.extend((0..q.len()).map(|i| q[i].cross(&gradient[i])));
        for i in 0..q.len() {
            self.change[i] = self.torque[i] * (-h / inertia.diagonal(i));
        }
        let mut corrections = Corrections::new(self.max_iterations);
        self.next.q.resize(3 * q.len(), 0.0);
        loop {
            for i in 0..q.len() {
                self.turn[i] = (self.omega[i] + self.change[i] * 0.5) * (0.5 * h);
                view_mut(&mut self.next.q)[i] = q[i] + s2::cayley_displacement(&q[i], &self.turn[i]);
            }
            let ends = view(&self.next.q);
            let gradient = self.force.at(ends)?;
            let (mut correction, mut size, mut body) = (0.0_f64, 0.0_f64, 0);
            for i in 0..q.len() {
                let torque = ends[i].cross(&gradient[i]);
                let turned = torque + rotation_increment(&-self.turn[i], &torque);
                let change = (self.torque[i] + turned) * (-0.5 * h / inertia.diagonal(i));
                let moved = (change - self.change[i]).amax();
                if !moved.is_finite() {
                    return Err(Fault {
                        cause: Cause::NotFinite,
                        body: Some(i),
                    });
                }
                if moved > correction {
                    (correction, body) = (moved, i);
                }
                size = size.max(change.amax()).max(self.omega[i].amax());
                self.change[i] = change;
            }
            let stop = Stop {
                small: f64::EPSILON * size,
                rounding: 1e-13 * size,
                contraction: 1.0,
            };
            match corrections.is_last(correction, stop) {
                Ok(true) => return Ok(corrections.iterations),
                Ok(false) => {}
                Err(unsolved) => {
                    return Err(Fault {
                        cause: unsolved.into(),
                        body: Some(body),
                    });
                }
            }
        }
    }
}

impl Integrator for Iterated {
    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        let n = self.system.len();
        let before = self.force.evaluations;
        let inertia = self.system.inertia();
        self.omega.clear();
        let momenta = view(&state.p).iter().enumerate();
        self.omega.extend(momenta.map(|(i, pi)| pi / inertia.diagonal(i)));
        let q = view(&state.q);
        let iterations = self.solve(q, h)?;

        // What earlier steps lost to rounding, if it belongs to this state.
        let lost = Lost::of(state, n);
        let Next {
            q: next_q,
            p: next_p,
            carry,
        } = &mut self.next;
        next_q.resize(3 * n, 0.0);
        next_p.resize(3 * n, 0.0);
        carry.clear();
        carry.resize(6 * n, 0.0);
        for i in 0..n {
            let mass = self.system.inertia().diagonal(i);
            let turn = (self.omega[i] + self.change[i] * 0.5) * (0.5 * h);
            let (mut point, mut point_lost) = sum(
                &q[i],
                &s2::cayley_displacement(&q[i], &turn),
                &lost.map_or_else(Vec3::zeros, |l| l.q[i]),
            );
            let increment = self.change[i] + rotation_increment(&turn, &self.change[i]) * 0.5;
            let (momentum, momentum_lost) = sum(
                &view(&state.p)[i],
                &(increment * mass),
                &lost.map_or_else(Vec3::zeros, |l| l.p[i]),
            );
            // Unit length of the sum of both parts.
            let defect = s2::length_defect(&point) - 2.0 * point.dot(&point_lost);
            let correction = point * (0.5 * defect);
            (point, point_lost) = sum(&point, &correction, &point_lost);
            view_mut(next_q)[i] = point;
            view_mut(next_p)[i] = momentum;
            view_mut(&mut carry[..3 * n])[i] = point_lost;
            view_mut(&mut carry[3 * n..])[i] = momentum_lost;
        }
        check_finite(next_q, next_p, n)?;

        std::mem::swap(&mut state.q, next_q);
        std::mem::swap(&mut state.p, next_p);
        std::mem::swap(state.carry_for(TAG), carry);
        state.t += h;
        Ok(StepInfo {
            iterations,
            evaluations: self.force.evaluations - before,
            ..StepInfo::default()
        })
    }
}

/// What rounding has taken from q and π.
#[derive(Clone, Copy)]
struct Lost<'a> {
    q: &'a [Vec3],
    p: &'a [Vec3],
}

impl<'a> Lost<'a> {
    /// From the carry `lost of q, lost of π`; `None` when the state was not left by this method or
    /// was changed since.
    fn of(state: &'a State, n: usize) -> Option<Self> {
        let carry = state.carried(TAG).filter(|carry| carry.len() == 6 * n)?;
        let (q, p) = carry.split_at(3 * n);
        Some(Self {
            q: view(q),
            p: view(p),
        })
    }
}

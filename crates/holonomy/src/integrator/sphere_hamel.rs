//! The discrete Hamel integrator of document 000, for separate bodies on spheres.
//!
//! Hamel's equations in a frame that turns with the body and does not spin about its direction are
//! those of `(Ω, Γ)`; discretised by the midpoint rule, (22)–(24) of the paper, they are the implicit
//! midpoint rule for these variables. Written with spatial vectors, body by body:
//!
//! ```text
//! f = ½h (ω + ½Δω)                          half the rotation of the step, F = cay(f)
//! Δω = −(h/2M) [ q × ∂V(q) + Fᵀ(q⁺ × ∂V(q⁺)) ]      torques averaged in the body's frame
//! q⁺ = F q,        ω⁺ = F (ω + Δω)
//! ```
//! In uniform gravity `|Γ|²`, `Γ·Ω` and the energy are quadratic in `(Ω, Γ)`, so length, vertical
//! momentum and energy are kept exactly, and Δω follows from one scalar cubic; elsewhere it is
//! iterated to a fixed point. The increments are added with compensation, so that rounding does not
//! accumulate either.
//!
//! The paper calls the method symplectic. It is not: the defect ‖JᵀΩJ−Ω‖ is of order h³ and measured
//! in the tests.
use super::{Cause, Fault, Integrator, StepInfo, force::Force};
use crate::{
    Vec3,
    geometry::s2,
    spheres::{Spheres, view, view_mut},
    system::State,
};
use std::sync::Arc;

/// The discrete Hamel integrator.
pub struct SphereHamel {
    system: Arc<Spheres>,
    force: Force,
    /// ∂V where it is the same everywhere: uniform gravity.
    uniform: Option<Vec<Vec3>>,
    max_iterations: u32,
    /// Angular velocities, q × ∂V at the start, Δω, rotations f.
    omega: Vec<Vec3>,
    torque: Vec<Vec3>,
    change: Vec<Vec3>,
    turn: Vec<Vec3>,
    next: Next,
}

/// The result of a step: rounded values and what rounding took from them.
#[derive(Default)]
struct Next {
    q: Vec<f64>,
    p: Vec<f64>,
    carry: Vec<f64>,
}

impl SphereHamel {
    /// `None` when the inertia matrix couples the spheres.
    pub fn new(system: Arc<Spheres>, max_iterations: u32) -> Option<Self> {
        let n = system.len();
        let uniform = system.uniform_gradient();
        system.inertia().is_diagonal().then(|| Self {
            force: Force::new(system.clone()),
            system,
            uniform,
            max_iterations,
            omega: Vec::with_capacity(n),
            torque: Vec::with_capacity(n),
            change: vec![Vec3::zeros(); n],
            turn: vec![Vec3::zeros(); n],
            next: Next::default(),
        })
    }

    /// Δω in uniform gravity, body by body.
    fn solve_uniform(&mut self, q: &[Vec3], gradient: &[Vec3], h: f64) -> Result<u32, Fault> {
        let mut most = 0;
        for i in 0..q.len() {
            let strength = gradient[i].norm() / self.system.inertia().diagonal(i);
            let Some(up) = gradient[i].try_normalize(0.0) else {
                self.change[i] = Vec3::zeros();
                continue;
            };
            let basis = s2::tangent_basis(&q[i]);
            let (spin, tilt) = (basis.tr_mul(&self.omega[i]), basis.tr_mul(&up));
            let (change, iterations) = cubic([spin.x, spin.y], [tilt.x, tilt.y, q[i].dot(&up)], strength, h)
                .ok_or(Fault {
                    cause: Cause::NotConverged {
                        iterations: 50,
                        correction: f64::NAN,
                    },
                    body: Some(i),
                })?;
            self.change[i] = basis * nalgebra::Vector2::new(change[0], change[1]);
            most = most.max(iterations);
        }
        Ok(most)
    }

    /// Δω in any potential, all bodies together, until rounding stops it.
    fn solve_iteratively(&mut self, q: &[Vec3], h: f64) -> Result<u32, Fault> {
        let inertia = self.system.inertia();
        let gradient = self.force.at(q);
        self.torque.clear();
        self.torque.extend((0..q.len()).map(|i| q[i].cross(&gradient[i])));
        for i in 0..q.len() {
            self.change[i] = self.torque[i] * (-h / inertia.diagonal(i));
        }
        let mut previous = f64::INFINITY;
        self.next.q.resize(3 * q.len(), 0.0);
        for iteration in 1..=self.max_iterations {
            for i in 0..q.len() {
                self.turn[i] = (self.omega[i] + self.change[i] * 0.5) * (0.5 * h);
                view_mut(&mut self.next.q)[i] = q[i] + s2::cayley_displacement(&q[i], &self.turn[i]);
            }
            let ends = view(&self.next.q);
            let gradient = self.force.at(ends);
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
            if correction <= f64::EPSILON * size || (correction <= 1e-13 * size && correction >= previous) {
                return Ok(iteration);
            }
            if iteration == self.max_iterations {
                return Err(Fault {
                    cause: Cause::NotConverged {
                        iterations: iteration,
                        correction,
                    },
                    body: Some(body),
                });
            }
            previous = correction;
        }
        Ok(0)
    }
}

impl Integrator for SphereHamel {
    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        let n = self.system.len();
        let before = self.force.evaluations;
        let inertia = self.system.inertia();
        self.omega.clear();
        self.omega.extend(
            view(&state.p)
                .iter()
                .enumerate()
                .map(|(i, pi)| pi / inertia.diagonal(i)),
        );
        let q = view(&state.q);
        let iterations = match self.uniform.take() {
            Some(gradient) => {
                let solved = self.solve_uniform(q, &gradient, h);
                self.uniform = Some(gradient);
                solved?
            }
            None => self.solve_iteratively(q, h)?,
        };

        // What earlier steps lost to rounding, if it belongs to this state.
        let lost = Carry::of(state, n);
        let Next {
            q: next_q,
            p: next_p,
            carry,
        } = &mut self.next;
        next_q.resize(3 * n, 0.0);
        next_p.resize(3 * n, 0.0);
        carry.clear();
        carry.resize(12 * n, 0.0);
        for i in 0..n {
            let mass = self.system.inertia().diagonal(i);
            let turn = (self.omega[i] + self.change[i] * 0.5) * (0.5 * h);
            let (mut point, mut point_lost) = sum(
                &q[i],
                &s2::cayley_displacement(&q[i], &turn),
                &lost.map_or_else(Vec3::zeros, |l| l.q[i]),
            );
            // f is along ω + ½Δω, so F leaves that alone: F(ω+Δω) − ω = Δω + ½(F−I)Δω.
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
            view_mut(&mut carry[6 * n..9 * n])[i] = point_lost;
            view_mut(&mut carry[9 * n..])[i] = momentum_lost;
        }
        super::check_finite(next_q, next_p, n)?;
        carry[..3 * n].copy_from_slice(next_q);
        carry[3 * n..6 * n].copy_from_slice(next_p);

        std::mem::swap(&mut state.q, next_q);
        std::mem::swap(&mut state.p, next_p);
        std::mem::swap(&mut state.carry, carry);
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
struct Carry<'a> {
    q: &'a [Vec3],
    p: &'a [Vec3],
}

impl<'a> Carry<'a> {
    /// `None` when the state was not left by this method or was changed since.
    fn of(state: &'a State, n: usize) -> Option<Self> {
        if state.carry.len() != 12 * n
            || state.carry[..3 * n] != state.q
            || state.carry[3 * n..6 * n] != state.p
        {
            return None;
        }
        Some(Self {
            q: view(&state.carry[6 * n..9 * n]),
            p: view(&state.carry[9 * n..]),
        })
    }
}

/// `a + b + lost`, rounded, and what was lost (Kahan).
fn sum(a: &Vec3, b: &Vec3, lost: &Vec3) -> (Vec3, Vec3) {
    let small = b + lost;
    let total = a + small;
    (total, small - (total - a))
}

/// `(cay(f) − I) x = 2 (f × x + f × (f × x)) / (1 + |f|²)`.
fn rotation_increment(f: &Vec3, x: &Vec3) -> Vec3 {
    let crossed = f.cross(x);
    (crossed + f.cross(&crossed)) * (2.0 / (1.0 + f.norm_squared()))
}

/// ΔΩ in uniform gravity of strength `s = |∂V|/M`, from the cubic for `S = ½(Γ³ + Γ³⁺)`, and the
/// iterations its solution took:
///
/// ```text
/// 2(S−Γ³)(1−βS)² = (h/4) [ 2(2W−hSP)(1−βS) − a(4Q + h²S²P − 4hSW) ]
/// a = ½hs,  β = ¼h²s,  P = |Ω|²,  Q = Γ¹²+Γ²²,  W = Ω²Γ¹ − Ω¹Γ²
/// Z = ((2Γ¹ − hSΩ²), (2Γ² + hSΩ¹)) / (1−βS),   ΔΩ = a (Z², −Z¹)
/// ```
fn cubic(spin: [f64; 2], tilt: [f64; 3], s: f64, h: f64) -> Option<([f64; 2], u32)> {
    let ([o1, o2], [g1, g2, g3]) = (spin, tilt);
    let (a, beta) = (0.5 * h * s, 0.25 * h * h * s);
    let (p, q, w) = (o1 * o1 + o2 * o2, g1 * g1 + g2 * g2, o2 * g1 - o1 * g2);
    let mut height = g3 + 0.5 * h * w;
    for iteration in 1..=50 {
        let u = 1.0 - beta * height;
        let inner = 2.0 * w - h * height * p;
        let square = 4.0 * q + h * h * height * height * p - 4.0 * h * height * w;
        let value = 2.0 * (height - g3) * u * u - 0.25 * h * (2.0 * inner * u - a * square);
        let slope = 2.0 * u * u
            - 4.0 * beta * (height - g3) * u
            - 0.25
                * h
                * (-2.0 * h * p * u - 2.0 * beta * inner - a * (2.0 * h * h * height * p - 4.0 * h * w));
        let correction = value / slope;
        height -= correction;
        if !height.is_finite() {
            return None;
        }
        // Corrections square; the one after 1e-9 is below rounding.
        if correction.abs() <= 1e-9 {
            let u = 1.0 - beta * height;
            let z = [(2.0 * g1 - h * height * o2) / u, (2.0 * g2 + h * height * o1) / u];
            return Some(([a * z[1], -a * z[0]], iteration));
        }
    }
    None
}

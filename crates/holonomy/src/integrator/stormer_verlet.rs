//! The generalized Störmer–Verlet method of document 000, (25)–(26), for separate bodies.
//!
//! The equations of a point on the sphere, `q̇ = p/M`, `ṗ = f(q) − |p|²/M q` with the force
//! `f = −∂V + (q·∂V) q` along the sphere, kicked implicitly, drifted, and kicked explicitly:
//!
//! ```text
//! p½ = p + ½h (f(q) − |p½|²/M q)       quadratic in p½:
//!      p½ = c − μ q,  c = p + ½h f(q),  μ = (h/2M)|p½|² = (h/2M)|c|² · 2/(1 + √(1 − (h/M)²|c|²))
//! q⁺ = q + (h/M) p½
//! p⁺ = p½ + ½h (f(q⁺) − |p½|²/M q⁺)
//! ```
//! with `p = π × q`. The paper calls the first line linearly implicit; it is quadratic and solved in
//! closed form. If `|q| = 1` and `q·p = 0` before, both hold after, and the map is that of
//! [`super::SphereExplicit`]. Nothing puts it back there: rounding errors of the length accumulate.
use super::{Cause, Fault, Integrator, StepInfo, force::Force};
use crate::{
    Vec3,
    spheres::{Spheres, view, view_mut},
    system::State,
};
use std::sync::Arc;

/// The generalized Störmer–Verlet method.
pub struct StormerVerlet {
    system: Arc<Spheres>,
    force: Force,
    next_q: Vec<f64>,
    next_p: Vec<f64>,
}

impl StormerVerlet {
    /// `None` when the inertia matrix couples the spheres.
    pub fn new(system: Arc<Spheres>) -> Option<Self> {
        let size = 3 * system.len();
        system.inertia().is_diagonal().then(|| Self {
            force: Force::new(system.clone()),
            system,
            next_q: vec![0.0; size],
            next_p: vec![0.0; size],
        })
    }
}

impl Integrator for StormerVerlet {
    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        let (q, pi) = (view(&state.q), view(&state.p));
        let (next_q, next_pi) = (view_mut(&mut self.next_q), view_mut(&mut self.next_p));
        let inertia = self.system.inertia();
        let before = self.force.evaluations;

        let gradient = self.force.at(q);
        for i in 0..q.len() {
            let mass = inertia.diagonal(i);
            let p = pi[i].cross(&q[i]);
            let c = p + along_sphere(&q[i], &gradient[i]) * (0.5 * h);
            let square = c.norm_squared() * (h / mass) * (h / mass);
            if square.is_nan() {
                return Err(Fault {
                    cause: Cause::NotFinite,
                    body: Some(i),
                });
            }
            if square > 1.0 {
                return Err(Fault {
                    cause: Cause::TooLarge,
                    body: Some(i),
                });
            }
            let mu = (mass / h) * square / (1.0 + (1.0 - square).sqrt());
            let half = c - q[i] * mu;
            next_q[i] = q[i] + half * (h / mass);
            next_pi[i] = half;
        }
        let gradient = self.force.at(next_q);
        for i in 0..q.len() {
            let half = next_pi[i];
            let pull = next_q[i] * (half.norm_squared() / inertia.diagonal(i));
            let p = half + (along_sphere(&next_q[i], &gradient[i]) - pull) * (0.5 * h);
            next_pi[i] = next_q[i].cross(&p);
        }
        super::check_finite(&self.next_q, &self.next_p)?;

        std::mem::swap(&mut state.q, &mut self.next_q);
        std::mem::swap(&mut state.p, &mut self.next_p);
        state.t += h;
        Ok(StepInfo {
            evaluations: self.force.evaluations - before,
            ..StepInfo::default()
        })
    }
}

/// `−∂V + (q·∂V) q`.
fn along_sphere(q: &Vec3, gradient: &Vec3) -> Vec3 {
    q * q.dot(gradient) - gradient
}

//! How momenta change with directions and velocities.
//!
//! ```text
//! p = P M v,   P = 1 − q qᵀ              δq = T x,   δv = T w − q (v·T x),   Tᵀ δp = y
//! y = K w − N x                          K = TᵀM T,   N x = σ x + TᵀM q (v·T x),   σᵢ = qᵢ·(M v)ᵢ
//! ```
use crate::{
    Vec3,
    geometry::s2,
    spheres::{InertiaWork, Spheres},
};
use nalgebra::{Matrix3x2, Vector2};

/// A place and the velocities there.
#[derive(Default)]
pub(in crate::integrator) struct Legendre {
    pub(in crate::integrator) q: Vec<Vec3>,
    pub(in crate::integrator) basis: Vec<Matrix3x2<f64>>,
    pub(in crate::integrator) velocity: Vec<Vec3>,
    /// M v.
    pub(in crate::integrator) flow: Vec<Vec3>,
    work: InertiaWork,
    moved: Vec<Vec3>,
    moving: Vec<Vec3>,
}

impl Legendre {
    /// Goes to a place; the velocities there are to be told next.
    pub(in crate::integrator) fn place(&mut self, q: &[Vec3]) {
        self.q.clear();
        self.q.extend_from_slice(q);
        self.basis.clear();
        self.basis.extend(q.iter().map(s2::tangent_basis));
    }

    /// With velocities, one for each body.
    pub(in crate::integrator) fn moves(&mut self, system: &Spheres, velocity: impl Iterator<Item = Vec3>) {
        self.velocity.clear();
        self.velocity.extend(velocity);
        self.flow.resize(self.q.len(), Vec3::zeros());
        (system.inertia()).apply(&self.velocity, &mut self.flow, &mut self.work);
    }

    /// Adds N x.
    pub(in crate::integrator) fn carry(
        &mut self,
        system: &Spheres,
        x: &[Vector2<f64>],
        out: &mut [Vector2<f64>],
    ) {
        self.moved.clear();
        let each = self.q.iter().zip(&self.velocity).zip(self.basis.iter().zip(x));
        (self.moved).extend(each.map(|((q, velocity), (basis, x))| q * velocity.dot(&(basis * x))));
        self.moving.resize(x.len(), Vec3::zeros());
        (system.inertia()).apply(&self.moved, &mut self.moving, &mut self.work);
        for (i, out) in out.iter_mut().enumerate() {
            *out += x[i] * self.q[i].dot(&self.flow[i]) + self.basis[i].tr_mul(&self.moving[i]);
        }
    }

    /// Adds Nᵀ w.
    pub(in crate::integrator) fn carry_back(
        &mut self,
        system: &Spheres,
        w: &[Vector2<f64>],
        out: &mut [Vector2<f64>],
    ) {
        self.moved.clear();
        (self.moved).extend(self.basis.iter().zip(w).map(|(basis, w)| basis * w));
        self.moving.resize(w.len(), Vec3::zeros());
        (system.inertia()).apply(&self.moved, &mut self.moving, &mut self.work);
        for (i, out) in out.iter_mut().enumerate() {
            let through = self.velocity[i] * self.q[i].dot(&self.moving[i]);
            *out += w[i] * self.q[i].dot(&self.flow[i]) + self.basis[i].tr_mul(&through);
        }
    }
}

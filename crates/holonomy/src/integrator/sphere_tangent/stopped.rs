//! The end of a step of a chain that is held: its momentum becomes that of velocities that leave it closed.
//!
//! ```text
//! p⁺ = p̂ − ℓ P⁺μ,   Σ ℓᵢ v⁺ᵢ = 0         p⁺ = P M v⁺
//! K w + ℓT⁺ᵀ δμ = ŷ + N x,   Σ ℓᵢ T⁺w = Σ ℓᵢ qᵢ⁺ (v⁺·T⁺x)ᵢ − δF
//! y⁺ = ŷ − ℓT⁺ᵀ δμ
//! ```
//! F is Σ ℓᵢ v⁺ᵢ. The matrix is symmetric.
use super::{Legendre, Place, Tied};
use crate::{Vec3, spheres::Spheres};
use nalgebra::Vector2;

/// Its derivatives.
#[derive(Default)]
pub(super) struct Stopped {
    legendre: Legendre,
    inertia: Tied,
    rates: Vec<Vector2<f64>>,
}

impl Stopped {
    /// Goes to a place where a chain with these lengths has the momenta p across its directions; the velocity of its end,
    /// or `None` where the inertia is singular.
    pub(super) fn stand(
        &mut self,
        system: &Spheres,
        at: &Place,
        lengths: &[f64],
        p: impl Iterator<Item = Vec3>,
    ) -> Option<Vec3> {
        let basis = &at.basis;
        self.legendre.place(&at.q);
        if !self.inertia.factorise(system.inertia(), [basis, basis], lengths) {
            return None;
        }
        self.rates.clear();
        self.rates
            .extend(basis.iter().zip(p).map(|(basis, p)| basis.tr_mul(&p)));
        self.inertia.solve_free(&mut self.rates);
        let each = basis.iter().zip(&self.rates);
        self.legendre
            .moves(system, each.map(|(basis, rate)| basis * rate));
        let each = lengths.iter().zip(&self.legendre.velocity);
        Some(each.map(|(length, velocity)| velocity * *length).sum())
    }
    /// A change goes through, with one of the equation.
    pub(super) fn push(
        &mut self,
        system: &Spheres,
        (lengths, own): (&[f64], Vec3),
        x: &[Vector2<f64>],
        y: &mut [Vector2<f64>],
    ) {
        let Self {
            legendre,
            inertia,
            rates,
        } = self;
        rates.clear();
        rates.extend_from_slice(y);
        legendre.carry(system, x, rates);
        let mut apart = -own;
        for (i, length) in lengths.iter().enumerate() {
            let bent = legendre.velocity[i].dot(&(legendre.basis[i] * x[i]));
            apart += legendre.q[i] * (bent * length);
        }
        let force = inertia.solve(rates, &apart, false);
        for (i, length) in lengths.iter().enumerate() {
            y[i] -= legendre.basis[i].tr_mul(&force) * *length;
        }
    }

    /// A gradient goes back; that with respect to the equation.
    pub(super) fn pull(
        &mut self,
        system: &Spheres,
        lengths: &[f64],
        x: &mut [Vector2<f64>],
        y: &mut [Vector2<f64>],
    ) -> Vec3 {
        let Self {
            legendre,
            inertia,
            rates,
        } = self;
        let each = lengths.iter().zip(&legendre.basis).zip(&*y);
        let apart: Vec3 = each.map(|((length, basis), y)| basis * y * -*length).sum();
        rates.clear();
        rates.resize(y.len(), Vector2::zeros());
        let force = inertia.solve(rates, &apart, true);
        legendre.carry_back(system, rates, x);
        for (i, length) in lengths.iter().enumerate() {
            let bent = legendre.velocity[i] * (legendre.q[i].dot(&force) * length);
            x[i] += legendre.basis[i].tr_mul(&bent);
            y[i] += rates[i];
        }
        -force
    }
}

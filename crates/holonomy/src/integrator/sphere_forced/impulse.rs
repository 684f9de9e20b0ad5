//! How what an impulse b τ(t, q, ω) makes of the momentum changes with the state it acts in.
//!
//! ```text
//! Tᵀ δ(τ × q) = A x + B w       δτ = ∂τ/∂q δq + ∂τ/∂ω δω,   δω = T x × v + q × T w,   v = q̇ = ω × q
//! at the start  y* = y + b (A x + B w),   K w = y + N x
//! at the end    y⁺ = ŷ + b (A x + B w),   (K − b B) w = ŷ + (N + b A) x − δF
//! ```
//! K and N as in `legendre.rs`; F = Tᵀ(M v) − ŷ − b Tᵀ(τ × q) is the equation for the velocity at the end. K is solved in
//! O(n) for links, and K − b B too where each torque sees the velocity of its own body alone.
use crate::{
    Vec3,
    integrator::{
        Cause, Fault,
        sphere_tangent::{Coupling, Factors, Legendre, Pairs},
    },
    spheres::{Spheres, Torques, Turned},
    system::Undefined,
};
use nalgebra::Vector2;

/// The derivatives of an impulse.
#[derive(Default)]
pub(super) struct Impulse {
    size: f64,
    legendre: Legendre,
    torques: Torques,
    turned: Vec<Turned>,
    /// What K has besides at the end of a step, `−b Bᵢⱼ`.
    couplings: Vec<Coupling>,
    factors: Factors,
    by_rates: bool,
    rates: Vec<Vector2<f64>>,
    right: Vec<Vector2<f64>>,
    first: Vec<Vec3>,
    second: Vec<Vec3>,
    third: Vec<Vec3>,
}

/// Where in a step an impulse acts, and so which velocity it sees.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum End {
    Start,
    Finish,
}

impl Impulse {
    /// Goes to a state, where forces must have slopes; b is `size`.
    pub(super) fn stand(
        &mut self,
        system: &Spheres,
        (t, q, omega): (f64, &[Vec3], &[Vec3]),
        size: f64,
        end: End,
    ) -> Result<(), Fault> {
        self.size = size;
        self.legendre.place(q);
        (self.legendre).moves(system, omega.iter().zip(q).map(|(omega, q)| omega.cross(q)));
        self.by_rates = system.forces_see_rates();
        system.torques(t, q, omega, self.by_rates, &mut self.torques);
        system.turned_torques(t, q, omega, &mut self.turned);
        // A norm has no slope where it is zero.
        let mut slopes = self.torques.slopes.iter().chain(&self.turned);
        if let Some((body, ..)) = slopes.find(|(.., slope)| !slope.iter().all(|x| x.is_finite())) {
            return Err(Fault {
                cause: Cause::NotFinite,
                body: Some(*body),
            });
        }
        if !self.by_rates {
            return Ok(());
        }
        let basis = &self.legendre.basis;
        self.couplings.clear();
        if end == End::Finish {
            let each = self.torques.slopes.iter().map(|(i, k, slope)| {
                // −b Tᵢᵀ (∂τᵢ/∂ωₖ (qₖ × Tₖ w) × qᵢ).
                let moved = slope * q[*k].cross_matrix() * basis[*k];
                (*i, *k, basis[*i].tr_mul(&(q[*i].cross_matrix() * moved)) * size)
            });
            self.couplings.extend(each);
        }
        match self
            .factors
            .factorise(system.inertia(), [basis; 2], &self.couplings)
        {
            true => Ok(()),
            false => Err(Undefined::SingularMass.into()),
        }
    }

    /// A change of what it was becomes that of what it is, at the start of a step.
    pub(super) fn push_start(&mut self, system: &Spheres, x: Pairs<'_>, y: &mut [Vector2<f64>]) {
        if self.by_rates {
            self.rates.clear();
            self.rates.extend_from_slice(y);
            self.legendre.carry(system, x, &mut self.rates);
            self.factors.solve(&mut self.rates, false);
        }
        self.add_forces(x, y);
    }

    /// The same at the end, where the velocity is that after it, with a change of the equations.
    pub(super) fn push_end(
        &mut self,
        system: &Spheres,
        own: Option<Pairs<'_>>,
        x: Pairs<'_>,
        y: &mut [Vector2<f64>],
    ) {
        if self.by_rates {
            let mut right = std::mem::take(&mut self.right);
            right.clear();
            right.extend_from_slice(y);
            if let Some(own) = own {
                right.iter_mut().zip(own).for_each(|(right, own)| *right -= own);
            }
            self.rates.clear();
            self.rates.resize(x.len(), Vector2::zeros());
            self.add_forces(x, &mut right);
            self.right = std::mem::replace(&mut self.rates, right);
            self.legendre.carry(system, x, &mut self.rates);
            self.factors.solve(&mut self.rates, false);
        }
        self.add_forces(x, y);
    }

    /// A gradient goes back.
    pub(super) fn pull_start(&mut self, system: &Spheres, x: &mut [Vector2<f64>], y: &mut [Vector2<f64>]) {
        self.rates.clear();
        self.rates.resize(x.len(), Vector2::zeros());
        self.pull_forces(y, x, true);
        if self.by_rates {
            self.factors.solve(&mut self.rates, true);
            self.legendre.carry_back(system, &self.rates, x);
            y.iter_mut().zip(&self.rates).for_each(|(y, rate)| *y += rate);
        }
    }

    /// The same at the end, and leaves that with respect to the equations.
    pub(super) fn pull_end(
        &mut self,
        system: &Spheres,
        own: &mut [Vector2<f64>],
        x: &mut [Vector2<f64>],
        y: &mut [Vector2<f64>],
    ) {
        own.fill(Vector2::zeros());
        self.rates.clear();
        self.rates.resize(x.len(), Vector2::zeros());
        self.pull_forces(y, x, true);
        if self.by_rates {
            self.factors.solve(&mut self.rates, true);
            let rates = std::mem::take(&mut self.rates);
            self.pull_forces(&rates, x, false);
            self.rates = rates;
            self.legendre.carry_back(system, &self.rates, x);
            for ((own, y), rate) in own.iter_mut().zip(y).zip(&self.rates) {
                *own = -rate;
                *y += rate;
            }
        }
    }

    /// Adds `b (A x + B w)`, w the rates; without them where nothing sees them.
    fn add_forces(&mut self, x: Pairs<'_>, out: &mut [Vector2<f64>]) {
        let Legendre {
            q, basis, velocity, ..
        } = &self.legendre;
        let Self {
            rates,
            first: moved,
            second: faster,
            third: torques,
            ..
        } = self;
        moved.clear();
        moved.extend(basis.iter().zip(x).map(|(basis, x)| basis * x));
        torques.clear();
        torques.resize(x.len(), Vec3::zeros());
        for (i, k, slope) in &self.turned {
            torques[*i] += slope * moved[*k];
        }
        if self.by_rates {
            faster.clear();
            faster.extend(
                (0..x.len()).map(|k| moved[k].cross(&velocity[k]) + q[k].cross(&(basis[k] * rates[k]))),
            );
            for (i, k, slope) in &self.torques.slopes {
                torques[*i] += slope * faster[*k];
            }
        }
        for (i, out) in out.iter_mut().enumerate() {
            *out += basis[i].tr_mul(&torques[i].cross(&q[i])) * self.size;
        }
    }

    /// Adds `b Aᵀ y` to x, and `b Bᵀ y` to the rates if those are asked for.
    fn pull_forces(&mut self, y: Pairs<'_>, x: &mut [Vector2<f64>], and_rates: bool) {
        let Legendre {
            q, basis, velocity, ..
        } = &self.legendre;
        let Self {
            rates,
            first: moved,
            second: faster,
            third: torques,
            ..
        } = self;
        torques.clear();
        torques.extend((0..y.len()).map(|i| q[i].cross(&(basis[i] * y[i])) * self.size));
        moved.clear();
        moved.resize(y.len(), Vec3::zeros());
        for (i, k, slope) in &self.turned {
            moved[*k] += slope.tr_mul(&torques[*i]);
        }
        if self.by_rates {
            faster.clear();
            faster.resize(y.len(), Vec3::zeros());
            for (i, k, slope) in &self.torques.slopes {
                faster[*k] += slope.tr_mul(&torques[*i]);
            }
            for (k, faster) in faster.iter().enumerate() {
                moved[k] += velocity[k].cross(faster);
                if and_rates {
                    rates[k] += basis[k].tr_mul(&faster.cross(&q[k]));
                }
            }
        }
        for (k, x) in x.iter_mut().enumerate() {
            *x += basis[k].tr_mul(&moved[k]);
        }
    }

    /// F but for −ŷ, and `b Tᵀ(τ × q)`, of each body. Where it stood it does no longer.
    pub(super) fn values(
        &mut self,
        system: &Spheres,
        (t, q, omega): (f64, &[Vec3], &[Vec3]),
        size: f64,
    ) -> impl Iterator<Item = (Vector2<f64>, Vector2<f64>)> {
        self.legendre.place(q);
        (self.legendre).moves(system, omega.iter().zip(q).map(|(omega, q)| omega.cross(q)));
        system.torques(t, q, omega, false, &mut self.torques);
        self.first.clear();
        self.first.resize(q.len(), Vec3::zeros());
        for (_, body, torque) in &self.torques.each {
            self.first[*body] += torque * size;
        }
        let Legendre { q, basis, flow, .. } = &self.legendre;
        let each = q.iter().zip(basis).zip(flow.iter().zip(&self.first));
        each.map(|((q, basis), (flow, torque))| {
            let impulse = basis.tr_mul(&torque.cross(q));
            (basis.tr_mul(flow) - impulse, impulse)
        })
    }
}

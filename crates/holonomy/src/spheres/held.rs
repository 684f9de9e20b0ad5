//! The tip of a body held at a fixed point: a chain with two ends.
//!
//! ```text
//! g(q) = b + Σ ℓᵢ qᵢ − r = 0                    over the links from their fixed base b to the tip
//! Mᵢᵢ ω̇ᵢ − … = … − ℓᵢ qᵢ × λ                    (2.9) with the force −λ of the point on the tip
//! Σ ℓᵢ q̈ᵢ = 0,    q̈ᵢ = ω̇ᵢ × qᵢ + ωᵢ × (ωᵢ × qᵢ)    three equations for λ
//! ```
#[cfg(not(target_arch = "wasm32"))]
use super::view;
use super::{Body, Spheres, SpheresError, Workspace, parts::is_finite};
use crate::{Vec3, geometry::s2, math, system::Base};
#[cfg(not(target_arch = "wasm32"))]
use nalgebra::DMatrix;
use nalgebra::Matrix3;

/// What is held, and where.
#[derive(Clone, Debug)]
pub struct Held {
    /// The body whose tip it is.
    pub body: usize,
    /// Where it is held, m.
    pub at: Vec3,
    /// The links from the fixed base to the tip, and that base.
    path: Vec<usize>,
    base: Vec3,
}

/// Turns of a link in one step of [`Held::close`], rad: beyond, what is nearest is far from linear.
const LARGEST_TURN: f64 = 0.3;
const MOST_STEPS: usize = 200;

impl Held {
    /// Of bodies that have been checked.
    pub(super) fn new(bodies: &[Body], body: usize, at: Vec3) -> Result<Self, SpheresError> {
        if body >= bodies.len() {
            let bodies = bodies.len();
            return Err(SpheresError::HeldNoBody { body, bodies });
        }
        let (mut path, mut base) = (vec![body], bodies[body].base);
        while let Base::Site(parent) = base {
            path.push(parent);
            base = bodies[parent].base;
        }
        path.reverse();
        let base = match base {
            Base::Fixed(base) => base,
            Base::Site(_) => unreachable!("no base is left to go to"),
        };
        let held = Self { body, at, path, base };
        let (apart, reach) = (held.span().norm(), held.reach(bodies));
        if !is_finite(&at) || apart > reach {
            let body = bodies[body].name.clone();
            return Err(SpheresError::OutOfReach { body, apart, reach });
        }
        Ok(held)
    }

    /// The links from the fixed base to the tip.
    pub fn links(&self) -> &[usize] {
        &self.path
    }

    /// From the fixed base to where the tip is held, m.
    pub fn span(&self) -> Vec3 {
        self.at - self.base
    }

    /// How long the links to the tip are together.
    fn reach(&self, bodies: &[Body]) -> f64 {
        self.path.iter().map(|i| bodies[*i].length).sum()
    }

    /// g, the way from where the tip should be to where it is.
    fn violation(&self, bodies: &[Body], q: &[Vec3]) -> Vec3 {
        let links = self.path.iter();
        links.fold(self.base - self.at, |sum, i| sum + q[*i] * bodies[*i].length)
    }

    /// `Σ ℓᵢ² (I − qᵢqᵢᵀ)`, the inverse; `None` where the links are in one line.
    fn give(&self, bodies: &[Body], q: &[Vec3]) -> Option<Matrix3<f64>> {
        let mut sum = Matrix3::zeros();
        for i in &self.path {
            sum += (Matrix3::identity() - q[*i] * q[*i].transpose()) * math::powi(bodies[*i].length, 2);
        }
        // What is lost in a line is the third of the eigenvalues; the others are as large as the trace.
        let least = 1e-14 * math::powi(sum.trace() / 3.0, 3);
        sum.try_inverse().filter(|_| sum.determinant() > least)
    }

    /// Turns the links by as little as closes g, with weights ℓ.
    fn close(&self, bodies: &[Body], q: &mut [Vec3]) {
        let rounding = f64::EPSILON * self.reach(bodies);
        let mut before = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            let g = self.violation(bodies, q);
            let size = g.norm();
            // Rounding alone is left where a step no longer helps.
            if size <= rounding || (size >= before && size < 16.0 * rounding) {
                return;
            }
            before = size;
            let Some(give) = self.give(bodies, q) else { return };
            let pull = give * g;
            let turn = |i: usize| q[i].cross(&pull).norm() * bodies[i].length;
            let largest = self.path.iter().map(|i| turn(*i)).fold(0.0, f64::max);
            let pull = pull * (LARGEST_TURN / largest).min(1.0);
            for i in &self.path {
                let moved = q[*i] - s2::tangent(&q[*i], &pull) * bodies[*i].length;
                q[*i] = s2::normalised(&moved.normalize());
            }
        }
    }

    /// Takes from the angular velocities as little as stops ġ.
    fn stop(&self, bodies: &[Body], q: &[Vec3], omega: &mut [Vec3]) {
        let rate: Vec3 = (self.path.iter())
            .map(|i| omega[*i].cross(&q[*i]) * bodies[*i].length)
            .sum();
        if let Some(give) = self.give(bodies, q) {
            let pull = give * rate;
            for i in &self.path {
                omega[*i] -= q[*i].cross(&pull) * bodies[*i].length;
            }
        }
    }
}

impl Spheres {
    /// The tip that is held, if one is.
    pub fn held(&self) -> Option<&Held> {
        self.held.as_ref()
    }

    /// How far the held tip is from where it should be, m.
    pub fn violation(&self, q: &[Vec3]) -> Option<f64> {
        Some(self.held.as_ref()?.violation(&self.bodies, q).norm())
    }

    /// g, and row by row how it changes with canonical coordinates about `origin`, and its rate with angular velocities:
    /// `∂qᵢ/∂x = (I − qqᵀ) T (q·qₒ)` by central projection.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn held_rows(&self, origin: &[f64], q: &[f64]) -> Option<(Vec3, DMatrix<f64>, DMatrix<f64>)> {
        let held = self.held.as_ref()?;
        let (origin, q) = (view(origin), view(q));
        let mut by_places = DMatrix::zeros(3, 2 * q.len());
        let mut by_rates = DMatrix::zeros(3, 3 * q.len());
        for &i in &held.path {
            let length = self.bodies[i].length;
            let moved = s2::tangent_basis(&origin[i]) * q[i].dot(&origin[i]);
            let across = (moved - q[i] * q[i].tr_mul(&moved)) * length;
            by_places.view_mut((0, 2 * i), (3, 2)).copy_from(&across);
            by_rates
                .view_mut((0, 3 * i), (3, 3))
                .copy_from(&(q[i].cross_matrix() * -length));
        }
        Some((held.violation(&self.bodies, q), by_places, by_rates))
    }

    /// `TᵢᵀMᵢⱼTⱼ`, the inertia in canonical coordinates about a configuration.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn canonical_inertia(&self, q: &[f64]) -> DMatrix<f64> {
        let bases: Vec<_> = view(q).iter().map(s2::tangent_basis).collect();
        let mut out = DMatrix::zeros(2 * bases.len(), 2 * bases.len());
        for (i, left) in bases.iter().enumerate() {
            for (j, right) in bases.iter().enumerate() {
                let block = left.tr_mul(right) * self.inertia.entry(i, j);
                out.view_mut((2 * i, 2 * j), (2, 2)).copy_from(&block);
            }
        }
        out
    }

    /// Moves to the nearest configuration that is closed, with velocities that leave it so.
    pub(super) fn close(&self, q: &mut [Vec3], omega: &mut [Vec3]) {
        if let Some(held) = &self.held {
            held.close(&self.bodies, q);
            for i in &held.path {
                omega[*i] = s2::tangent(&q[*i], &omega[*i]);
            }
            held.stop(&self.bodies, q, omega);
        }
    }

    /// Adds to the angular accelerations what the held tip does to them, and gives λ; not a number where the links
    /// are in one line.
    pub(super) fn react(
        &self,
        q: &[Vec3],
        omega: &[Vec3],
        acceleration: &mut [Vec3],
        work: &mut Workspace,
    ) -> Option<Vec3> {
        let held = self.held.as_ref()?;
        let length = |i: usize| self.bodies[i].length;
        let free: Vec3 = (held.path.iter())
            .map(|&i| {
                let towards = omega[i].cross(&omega[i].cross(&q[i]));
                (acceleration[i].cross(&q[i]) + towards) * length(i)
            })
            .sum();
        // What a unit force on the tip along each axis does.
        let Workspace { answers, inertia, .. } = work;
        let mut matrix = Matrix3::zeros();
        for (k, answer) in answers.iter_mut().enumerate() {
            answer.clear();
            answer.resize(q.len(), Vec3::zeros());
            for &i in &held.path {
                answer[i] = q[i].cross(&Vec3::ith(k, length(i)));
            }
            if !self.inertia.solve_angular(q, answer, inertia) {
                return Some(Vec3::repeat(f64::NAN));
            }
            let tip: Vec3 = (held.path.iter())
                .map(|&i| answer[i].cross(&q[i]) * length(i))
                .sum();
            matrix.set_column(k, &tip);
        }
        let lambda = match matrix.lu().solve(&free) {
            Some(lambda) if held.give(&self.bodies, q).is_some() => lambda,
            _ => Vec3::repeat(f64::NAN),
        };
        for (i, acceleration) in acceleration.iter_mut().enumerate() {
            *acceleration -= answers[0][i] * lambda.x + answers[1][i] * lambda.y + answers[2][i] * lambda.z;
        }
        Some(lambda)
    }
}

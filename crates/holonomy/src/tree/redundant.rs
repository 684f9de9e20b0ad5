//! Which constraints are redundant.
//!
//! ```text
//! S = D G M⁻¹ Gᵀ D,   S_kk = 1               how alike the equations are, in the metric of the masses
//! S_kk − s_kᵀ S_II⁻¹ s_k = 0                 equation k follows from the independent ones before it, I
//! c = S_II⁻¹ s_k                             by how much of each
//! ```
use super::{ConstraintRows, Dynamics, Tree, assemble, min_norm::is_independent};

/// An equation of constraint that follows from others.
#[derive(Clone, Debug, PartialEq)]
pub struct Dependence {
    /// Its number.
    pub equation: usize,
    /// The earlier equations it follows from; none if it constrains nothing at all.
    pub on: Vec<usize>,
}

/// Shares of another equation below this are none.
const SHARE: f64 = 1e-6;

impl Tree {
    /// A configuration a little way off, in radians and sizes of the tree, that meets its constraints at t = 0.
    pub fn displaced_on_constraints(&self, q: &[f64], by: &[f64]) -> Option<Vec<f64>> {
        let units = self.units();
        let step = by.iter().zip(&units).map(|(x, unit)| x * unit);
        let step = nalgebra::DVector::from_iterator(by.len(), step);
        let mut q = assemble::displaced(self, q, &step, 1.0);
        let free = vec![false; by.len()];
        assemble::close(self, 0.0, &mut q, &free, &mut ConstraintRows::default()).then_some(q)
    }

    /// How many equations of constraint follow from others near a configuration, but for places where the mechanism is
    /// singular.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn usually_dependent(&self, t: f64, q: &[f64]) -> usize {
        let units = self.units();
        // Small enough to stay on the branch, large enough to be told from rounding; special in no way.
        let push = |k: usize| 0.01 * crate::math::sin(1.0 + 1.7 * k as f64);
        let step = units.iter().enumerate().map(|(k, unit)| push(k) * unit);
        let step = nalgebra::DVector::from_iterator(units.len(), step);
        let mut nearby = assemble::displaced(self, q, &step, 1.0);
        let free = vec![false; units.len()];
        let closed = assemble::close(self, t, &mut nearby, &free, &mut ConstraintRows::default());
        self.dependences(t, if closed { &nearby } else { q }).len()
    }

    /// The equations of constraint that follow from those before them, at a configuration at time t.
    pub fn dependences(&self, t: f64, q: &[f64]) -> Vec<Dependence> {
        let (m, n) = (self.constraints(), self.velocities);
        let mut rows = ConstraintRows::default();
        assemble::evaluate(self, t, q, &mut rows);
        let mut dynamics = Dynamics::default();
        dynamics.kinematics.place(self, q);
        if m == 0 || dynamics.factorise(self).is_err() {
            return Vec::new();
        }
        let row = |k: usize| &rows.jacobian[k * n..(k + 1) * n];
        let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        let mut column = vec![0.0; n];
        // Rows of the Cholesky factor of the independent equations, and their numbers.
        let (mut independent, mut factor): (Vec<usize>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        let mut sizes: Vec<f64> = Vec::new();
        let mut found = Vec::new();
        for k in 0..m {
            dynamics.solve_mass(self, row(k), &mut column);
            let size = dot(row(k), &column).sqrt();
            if !(size > 0.0) {
                found.push(Dependence {
                    equation: k,
                    on: Vec::new(),
                });
                continue;
            }
            let mut next: Vec<f64> = Vec::new();
            for (i, other) in independent.iter().enumerate() {
                let alike = dot(row(*other), &column) / (sizes[i] * size);
                let known = dot(&factor[i][..i], &next);
                next.push((alike - known) / factor[i][i]);
            }
            let rest = 1.0 - dot(&next, &next);
            if is_independent(rest, 1.0) {
                next.push(rest.sqrt());
                factor.push(next);
                independent.push(k);
                sizes.push(size);
                continue;
            }
            // Back substitution gives the shares.
            for i in (0..next.len()).rev() {
                let known: f64 = (i + 1..next.len()).map(|j| factor[j][i] * next[j]).sum();
                next[i] = (next[i] - known) / factor[i][i];
            }
            let on = independent
                .iter()
                .zip(&next)
                .filter(|(_, share)| share.abs() > SHARE);
            found.push(Dependence {
                equation: k,
                on: on.map(|(other, _)| *other).collect(),
            });
        }
        found
    }
}

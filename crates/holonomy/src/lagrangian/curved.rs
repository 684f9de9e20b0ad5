//! Second derivatives of constraints, from how they curve along velocities:
//!
//! ```text
//! C(v) = d²g/dt² = vᵀ H v + 2 b·v + c,     H = ∂²g/∂q∂q,  b = ∂²g/∂q∂t
//! Hᵢᵢ = ½(C(eᵢ) + C(−eᵢ)) − C(0),   bᵢ = ¼(C(eᵢ) − C(−eᵢ)),   2Hᵢⱼ = C(eᵢ + eⱼ) − Hᵢᵢ − Hⱼⱼ − 2bᵢ − 2bⱼ − c
//! ```
//! C is a polynomial of degree two, so that these differences are exact but for rounding, for any mechanics. In a frame C is
//! that along its fields; the mechanics are asked then.
use super::{FormulaMemory, HolonomicConstraint, Lagrangian};
use crate::system::Undefined;

/// How the constraints of a [`Lagrangian`] change to the second order, at one point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Curved {
    /// `∂²gₖ/∂qᵢ∂qⱼ` in place (k·n + i)·n + j.
    hessian: Vec<f64>,
    /// `∂²gₖ/∂qᵢ∂t`.
    by_time: Vec<f64>,
    at: HolonomicConstraint,
    still: Vec<f64>,
    v: Vec<f64>,
    memory: FormulaMemory,
}

impl Curved {
    /// At the point (t, q).
    pub(crate) fn find(&mut self, system: &Lagrangian, t: f64, q: &[f64]) -> Result<(), Undefined> {
        let (n, m) = (q.len(), system.mechanics().constraints());
        let Self {
            hessian,
            by_time,
            at,
            still,
            v,
            memory,
        } = self;
        hessian.clear();
        hessian.resize(m * n * n, 0.0);
        by_time.clear();
        by_time.resize(m * n, 0.0);
        v.clear();
        v.resize(n, 0.0);
        if m == 0 {
            return Ok(());
        }
        if system.is_framed() {
            let mechanics = system.mechanics();
            return mechanics.constraint_curvature(t, q, (hessian, by_time), memory);
        }
        system.mechanics().constraint(t, q, v, at)?;
        still.clone_from(&at.curvature);
        for i in 0..n {
            v[i] = 1.0;
            system.mechanics().constraint(t, q, v, at)?;
            for k in 0..m {
                (hessian[(k * n + i) * n + i], by_time[k * n + i]) = (at.curvature[k], at.curvature[k]);
            }
            v[i] = -1.0;
            system.mechanics().constraint(t, q, v, at)?;
            for k in 0..m {
                let own = &mut hessian[(k * n + i) * n + i];
                *own = 0.5 * (*own + at.curvature[k]) - still[k];
                by_time[k * n + i] = 0.25 * (by_time[k * n + i] - at.curvature[k]);
            }
            v[i] = 0.0;
        }
        for i in 0..n {
            for j in 0..i {
                (v[i], v[j]) = (1.0, 1.0);
                system.mechanics().constraint(t, q, v, at)?;
                (v[i], v[j]) = (0.0, 0.0);
                for k in 0..m {
                    let own = hessian[(k * n + i) * n + i] + hessian[(k * n + j) * n + j];
                    let time = 2.0 * (by_time[k * n + i] + by_time[k * n + j]);
                    let mixed = 0.5 * (at.curvature[k] - own - time - still[k]);
                    hessian[(k * n + i) * n + j] = mixed;
                    hessian[(k * n + j) * n + i] = mixed;
                }
            }
        }
        Ok(())
    }

    /// `∂²gₖ/∂qᵢ∂qⱼ`.
    pub(crate) fn second(&self, k: usize, i: usize, j: usize) -> f64 {
        let n = self.v.len();
        self.hessian[(k * n + i) * n + j]
    }

    /// `∂²gₖ/∂qᵢ∂t`.
    pub(crate) fn timed(&self, k: usize, i: usize) -> f64 {
        self.by_time[k * self.v.len() + i]
    }

    /// `Σ νₖ ∂²gₖ/∂qᵢ∂qⱼ`.
    pub(crate) fn weighted(&self, nu: &[f64], i: usize, j: usize) -> f64 {
        (0..nu.len()).map(|k| nu[k] * self.second(k, i, j)).sum()
    }

    /// `∂(G v + ∂g/∂t)ₖ/∂qⱼ`.
    pub(crate) fn of_speed(&self, k: usize, j: usize, v: &[f64]) -> f64 {
        let n = self.v.len();
        let row = (0..n).map(|i| self.second(k, i, j) * v[i]);
        row.sum::<f64>() + self.timed(k, j)
    }
}

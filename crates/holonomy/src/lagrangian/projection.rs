//! Momenta that lead along the constraints.
//!
//! ```text
//! p⁺ = p − Gᵀμ,    G v(p⁺) + ∂g/∂t = 0,    Gₖⱼ = uⱼ[gₖ]          Newton with the matrix G M⁻¹ Gᵀ
//! ```
use super::{Lagrangian, LagrangianWorkspace};
use crate::{
    math,
    solve::{Corrections, Stop},
    system::Undefined,
};

impl Lagrangian {
    /// Takes what is along Gᵀ out of a momentum, so that its velocity is tangent to the constraints: the momentum, its
    /// velocity and μ. What the constraints are there is left in the work space.
    pub(crate) fn lead(
        &self,
        t: f64,
        q: &[f64],
        (p, v, mu): (&mut [f64], &mut Vec<f64>, &mut Vec<f64>),
        max_iterations: u32,
        work: &mut LagrangianWorkspace,
    ) -> Result<(), Undefined> {
        let (f, m) = (p.len(), self.mechanics.constraints());
        mu.clear();
        mu.resize(m, 0.0);
        v.resize(f, 0.0);
        if self.is_framed() {
            self.mechanics.frame(q, &mut work.at.frame)?;
        }
        let mut corrections = Corrections::new(max_iterations);
        loop {
            self.solve_velocity(t, q, p, v, work)?;
            let LagrangianWorkspace {
                at,
                constraint,
                all,
                lu,
                unknown,
                across,
                ..
            } = &mut *work;
            let all = self.all(v, all);
            self.mechanics.constraint(t, q, all, constraint)?;
            self.mechanics.lagrangian(t, q, all, &mut at.lagrangian)?;
            self.slopes_along(&at.frame, constraint, across);
            // [M Gᵀ; G 0] [·; −δμ] = [0; G v + ∂g/∂t].
            let size = f + m;
            let a = lu.reset(size);
            unknown.clear();
            unknown.resize(size, 0.0);
            let (mut slip, mut speed) = (0.0_f64, 0.0_f64);
            for k in 0..m {
                let row = &across[k * f..(k + 1) * f];
                let along: f64 = row.iter().zip(&*v).map(|(g, v)| g * v).sum();
                let scale: f64 = row.iter().zip(&*v).map(|(g, v)| (g * v).abs()).sum();
                let rate = constraint.rate[k];
                unknown[f + k] = along + rate;
                slip = math::larger(slip, (along + rate).abs());
                speed = speed.max(scale + rate.abs());
                for i in 0..f {
                    a[i * size + f + k] = row[i];
                    a[(f + k) * size + i] = row[i];
                }
            }
            self.fill_mass(a, size, &at.lagrangian.vv);
            if slip <= 4.0 * f64::EPSILON * speed {
                return Ok(());
            }
            if !lu.solve(unknown) {
                return Err(Undefined::SingularMass);
            }
            for k in 0..m {
                let correction = unknown[f + k];
                mu[k] -= correction;
                for i in 0..f {
                    p[i] += across[k * f + i] * correction;
                }
            }
            // What is left after too many is left to the next step.
            if corrections.is_last(slip, Stop::quadratic(speed)) != Ok(false) {
                return Ok(());
            }
        }
    }
}

//! Rates of any mechanism and forces of any potential, one stage after the other.
//!
//! ```text
//! πᵢ = qᵢ × pᵢ = Mᵢᵢ ωᵢ − Σ_{j≠i} Mᵢⱼ qᵢ × (qⱼ × ωⱼ),    Fᵢ = Σ_{j≠i} Mᵢⱼ ωⱼ × qⱼ
//! q̇ᵢ = ωᵢ × qᵢ,   ṗᵢ = ωᵢ × (pᵢ − Fᵢ) − ∂ᵢV(q/|q|)
//! ```
//! Stages are a little off the sphere; a potential sees unit vectors only.
use super::chain::PER_LINK;
use crate::{
    Vec3,
    integrator::{Cause, Fault, force::Force},
    simd::LANES,
    spheres::{InertiaWork, Spheres},
};
use std::sync::Arc;

/// Any inertia.
pub(super) struct General {
    system: Arc<Spheres>,
    q: Vec<Vec3>,
    omega: Vec<Vec3>,
    velocity: Vec<Vec3>,
    coupled: Vec<Vec3>,
    work: InertiaWork,
}

impl General {
    pub(super) fn new(system: Arc<Spheres>) -> Self {
        let none = vec![Vec3::zeros(); system.len()];
        Self {
            system,
            q: none.clone(),
            omega: none.clone(),
            velocity: none.clone(),
            coupled: none,
            work: InertiaWork::default(),
        }
    }

    /// The rates of all bodies at each stage times its weight; forces are −∂V.
    pub(super) fn rates(
        &mut self,
        weights: &[f64],
        forces: &[[f64; LANES]],
        values: &[[f64; LANES]],
        rates: &mut [[f64; LANES]],
    ) -> Result<(), Fault> {
        let inertia = self.system.inertia();
        for (j, weight) in weights.iter().enumerate() {
            for (i, q) in self.q.iter_mut().enumerate() {
                *q = vector(values, PER_LINK * i, j);
                self.omega[i] = q.cross(&vector(values, PER_LINK * i + 3, j));
            }
            if !inertia.solve_angular(&self.q, &mut self.omega, &mut self.work) {
                return Err(Fault {
                    cause: Cause::NotFinite,
                    body: None,
                });
            }
            for (i, velocity) in self.velocity.iter_mut().enumerate() {
                *velocity = self.omega[i].cross(&self.q[i]);
            }
            inertia.apply_coupling(&self.velocity, &mut self.coupled, &mut self.work);
            for (i, velocity) in self.velocity.iter().enumerate() {
                let p = vector(values, PER_LINK * i + 3, j);
                let push = self.omega[i].cross(&(p - self.coupled[i])) + vector(forces, 3 * i, j);
                for k in 0..3 {
                    rates[PER_LINK * i + k][j] = velocity[k] * weight;
                    rates[PER_LINK * i + 3 + k][j] = push[k] * weight;
                }
            }
        }
        Ok(())
    }
}

/// −∂V(q/|q|) at each stage; `unit` is work space.
pub(super) fn forces(
    force: &mut Force,
    stages: usize,
    values: &[[f64; LANES]],
    unit: &mut Vec<Vec3>,
    forces: &mut [[f64; LANES]],
) -> Result<(), Fault> {
    let n = forces.len() / 3;
    for j in 0..stages {
        unit.clear();
        unit.extend((0..n).map(|i| vector(values, PER_LINK * i, j).normalize()));
        force.renew(unit)?;
        for (i, (unit, gradient)) in unit.iter().zip(force.last()).enumerate() {
            let length = vector(values, PER_LINK * i, j).norm();
            let across = (unit * unit.dot(gradient) - gradient) / length;
            (0..3).for_each(|k| forces[3 * i + k][j] = across[k]);
        }
    }
    Ok(())
}

fn vector(of: &[[f64; LANES]], at: usize, lane: usize) -> Vec3 {
    Vec3::new(of[at][lane], of[at + 1][lane], of[at + 2][lane])
}

//! `M = L U` where a step ends: written out for small trees; in sweeps for others, with `U = 1`.
use crate::tree::{Dynamics, Kinematics, Mass, Tree};

#[derive(Clone, Debug)]
pub(super) struct Inertia {
    written: Option<Mass>,
    pub(super) dynamics: Dynamics,
    /// What driven joints add to the momenta.
    driven: Vec<f64>,
    column: Vec<f64>,
    out: Vec<f64>,
}

impl Inertia {
    pub(super) fn new(tree: &Tree) -> Self {
        Self {
            written: Mass::new(tree),
            dynamics: Dynamics::default(),
            driven: Vec::new(),
            column: Vec::new(),
            out: vec![0.0; tree.velocities()],
        }
    }

    /// Factorises M of a tree that has been posed, at time t, and takes its kinematics. The node that moves
    /// nothing is the error.
    pub(super) fn factorise(
        &mut self,
        tree: &Tree,
        t: f64,
        kinematics: &mut Kinematics,
    ) -> Result<(), usize> {
        std::mem::swap(&mut self.dynamics.kinematics, kinematics);
        let Dynamics {
            kinematics, driven, ..
        } = &mut self.dynamics;
        kinematics.turn_inertia(tree);
        tree.drive_rates(t, driven);
        let Some(mass) = &mut self.written else {
            return self.dynamics.factorise(tree);
        };
        mass.factorise(tree, kinematics)?;
        self.driven.clear();
        self.driven.resize(tree.velocities(), 0.0);
        if !driven.is_empty() {
            self.out.fill(0.0);
            kinematics.set_moving(tree, &self.out, driven);
            self.dynamics.momentum(tree, &mut self.driven);
        }
        Ok(())
    }

    /// `L⁻¹ (p − driven)`: the first half of the way from momenta to velocities.
    pub(super) fn inward(&mut self, tree: &Tree, p: &[f64], out: &mut [f64]) {
        let Some(mass) = &self.written else {
            return self.dynamics.velocity(tree, p, out);
        };
        for ((out, p), driven) in out.iter_mut().zip(p).zip(&self.driven) {
            *out = p - driven;
        }
        mass.factors().inward(out);
    }

    /// From `Gᵀ` to `U⁻ᵀ Gᵀ`, and to `L⁻¹ Gᵀ`, with `count` numbers for each velocity; they depend on some.
    pub(super) fn split(
        &mut self,
        tree: &Tree,
        among: &[usize],
        rows: &mut [f64],
        columns: &mut Vec<f64>,
        count: usize,
    ) {
        if let Some(mass) = &self.written {
            mass.factors().inward_many(among, rows, count);
            columns.clear();
            columns.extend_from_slice(rows);
            return mass.factors().scale_many(among, rows, count);
        }
        columns.clear();
        columns.extend_from_slice(rows);
        for k in 0..count {
            self.column.clear();
            self.column.extend(rows[k..].iter().step_by(count));
            self.dynamics.solve_mass(tree, &self.column, &mut self.out);
            for (x, out) in columns[k..].iter_mut().step_by(count).zip(&self.out) {
                *x = *out;
            }
        }
    }
}

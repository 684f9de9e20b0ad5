//! `M⁻¹` where a step ends: written out for small trees, in sweeps for others.
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

    /// The velocity of given momenta.
    pub(super) fn velocity(&mut self, tree: &Tree, p: &[f64], v: &mut [f64]) {
        let Some(mass) = &self.written else {
            return self.dynamics.velocity(tree, p, v);
        };
        for ((v, p), driven) in v.iter_mut().zip(p).zip(&self.driven) {
            *v = p - driven;
        }
        mass.solve(v);
    }

    /// `M⁻¹ f` in place for several f, with `count` numbers for each velocity.
    pub(super) fn solve_many(&mut self, tree: &Tree, f: &mut [f64], count: usize) {
        if let Some(mass) = &self.written {
            return mass.solve_many(f, count);
        }
        for k in 0..count {
            self.column.clear();
            self.column.extend(f[k..].iter().step_by(count));
            self.dynamics.solve_mass(tree, &self.column, &mut self.out);
            for (f, x) in f[k..].iter_mut().step_by(count).zip(&self.out) {
                *f = *x;
            }
        }
    }
}

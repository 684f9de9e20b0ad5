//! The work of what changes the energy, over one step.
//!
//! ```text
//! ΔW = h f(t̄, q̄, v)·v                                                      forces, dampers, wrenches
//! ΔW = J_d (q_d⁺ − q_d)/h,   J_d = p_d⁺ − p_d − h g_d + Gᵀ_d(q) λ + Gᵀ_d(q⁺) μ    driven joints
//! ΔW = −λ ℓ̇(t) − μ ℓ̇(t+h)                                                  driven lengths, attitudes with ω for ℓ̇
//! ΔW = −½ λ (ġ⁻ + ġ⁺) − ½ μ ġ⁻                                             tethers: see `slack.rs`
//! ```
//! `p_d = S_dᵀP` is the momentum of what a driven joint carries, at both ends of the step, and J_d the impulse that its
//! drive has to give. Each is antisymmetric under the reversal of the step, as the step itself: composed to a higher
//! order, the work has that order too.
use super::{balance::Balance, closure::Closure};
use crate::{
    geometry::se3::cross_wrench,
    system::State,
    tree::{DrivenJoint, Dynamics, Tree},
};

/// The work of each source, and work space.
#[derive(Clone, Debug, Default)]
pub(super) struct Delivered {
    /// In this step; empty where there are no sources.
    pub(super) done: Vec<f64>,
    sources: usize,
    h: f64,
    drives: Vec<DrivenJoint>,
    /// `h g_d`.
    pushes: Vec<f64>,
    dynamics: Dynamics,
    q: Vec<f64>,
    v: Vec<f64>,
    p: Vec<f64>,
    momenta: Vec<f64>,
}

impl Delivered {
    /// Work space for a tree.
    pub(super) fn new(tree: &Tree, sources: usize) -> Self {
        let (drives, zeros) = (tree.driven_joints().collect(), vec![0.0; tree.velocities()]);
        Self {
            sources,
            drives,
            v: zeros.clone(),
            p: zeros,
            ..Self::default()
        }
    }

    /// Whether nothing changes the energy.
    pub(super) fn is_none(&self) -> bool {
        self.sources == 0
    }

    /// What acts in the middle of a step that was solved, before its momenta are found.
    pub(super) fn middle(&mut self, tree: &Tree, balance: &Balance, t: f64) {
        tree.force_powers(
            t + balance.reach,
            (&balance.middle, &balance.v, &balance.multipliers),
            &balance.kinematics,
            &mut self.dynamics.loads.looking,
            &mut self.done,
        );
        self.h = balance.h;
        self.done.iter_mut().for_each(|power| *power *= balance.h);
        self.pushes.clear();
        for DrivenJoint { node, .. } in &self.drives {
            let frame = &balance.kinematics.frames[*node];
            let push = balance.forces[*node] - cross_wrench(&frame.carried, &balance.momenta[*node]);
            self.pushes
                .push(balance.h * frame.along(tree.nodes[*node].kind, 0, &push));
        }
    }

    /// Takes back what forces without potential have pushed too much, where all of them act at the start.
    pub(super) fn take_back(&mut self, tree: &Tree, balance: &Balance) {
        let extra = balance.forcing - 1.0;
        for (push, DrivenJoint { node, .. }) in self.pushes.iter_mut().zip(&self.drives) {
            let frame = &balance.kinematics.frames[*node];
            let forced = frame.along(tree.nodes[*node].kind, 0, &balance.forces[*node]);
            *push -= extra * balance.h * forced;
        }
    }

    /// What drives and driven lengths do in a step from a state to `(t⁺, q⁺, p⁺)`.
    pub(super) fn finish(
        &mut self,
        tree: &Tree,
        state: &State,
        (t, q, p): (f64, &[f64], &[f64]),
        closure: &Closure,
    ) {
        if !self.drives.is_empty() {
            self.momenta.clear();
            self.add_momenta(tree, state.t, &state.q, &state.p);
            self.add_momenta(tree, t, q, p);
            let (start, end) = self.momenta.split_at(self.drives.len());
            for (k, DrivenJoint { motion, .. }) in self.drives.iter().enumerate() {
                let held = closure.held_by_drive(*motion, tree.motions.len());
                let impulse = end[k] - start[k] - self.pushes[k] + held;
                let motion = &tree.motions[*motion];
                self.done
                    .push(impulse * (motion(t).0 - motion(state.t).0) / self.h);
            }
        }
        for (row, constraint) in tree.driven_constraints() {
            let rows = row..row + constraint.rows();
            let (start, end) = (&closure.lambda[rows.clone()], &closure.mu[rows]);
            self.done
                .push(constraint.drive_power(state.t, start) + constraint.drive_power(t, end));
        }
        self.done.extend(closure.slack.energies());
    }

    /// Adds the momenta of what driven joints carry to the list.
    fn add_momenta(&mut self, tree: &Tree, t: f64, q: &[f64], p: &[f64]) {
        let dynamics = &mut self.dynamics;
        self.q.clear();
        self.q.extend_from_slice(q);
        tree.drive(t, &mut self.q);
        tree.drive_rates(t, &mut dynamics.driven);
        dynamics.kinematics.place(tree, &self.q);
        match dynamics.factorise(tree) {
            Ok(()) => dynamics.velocity(tree, p, &mut self.v),
            // The motion may go on; what it takes is not known.
            Err(_) => self.v.fill(f64::NAN),
        }
        dynamics.kinematics.set_moving(tree, &self.v, &dynamics.driven);
        dynamics.momentum(tree, &self.v, &mut self.p);
        for DrivenJoint { node, .. } in &self.drives {
            let frame = &dynamics.kinematics.frames[*node];
            let momentum = frame.along(tree.nodes[*node].kind, 0, dynamics.carried(*node));
            self.momenta.push(momentum);
        }
    }
}

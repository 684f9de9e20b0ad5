//! Momentum, velocity and acceleration in O(n).
//!
//! ```text
//! P_i = I_i V_i + Σ_j P_j                        inward, j the nodes that i carries next
//! p_i = S_iᵀ P_i,   V_i = V_p + S_i v_i          for v: `p = M v`, see `factors`
//! p_i += a_i v_i                                 armature, the inertia of a rotor that is geared to the joint
//! ```
//! The same elimination gives accelerations, with `S_iᵀ (Ṗ_i − F_i) = τ_i`, and
//! `M_ij = S_iᵀ (Σ_{k ⪰ j} I_k) S_j` for i an ancestor of j (composite rigid bodies).
use super::{
    Frame, JointKind, Kinematics, Loads, Node, Tree,
    factors::{Column, Factors, Square, Terms, shift},
};
use crate::geometry::se3::{Twist, Wrench, cross, cross_wrench, wrench_from};
use nalgebra::{Matrix3, Matrix6};

/// Work space for the sweeps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dynamics {
    pub(crate) kinematics: Kinematics,
    pub(crate) loads: Loads,
    /// M, factorised.
    pub(crate) factors: Factors<6>,
    /// Momenta of what the nodes carry.
    momenta: Vec<Wrench>,
    /// What joints add to the motion without being asked.
    given: Vec<Twist>,
    /// Accelerations, and what the nodes need for them.
    pub(super) inverse: Vec<(Twist, Wrench)>,
    /// Rates of the driven joints.
    pub(crate) driven: Vec<f64>,
}

/// M: `A = I`, `Γ = Ψ = S`, κ the armature.
struct MassTerms<'a>(&'a Kinematics);

impl Terms<6> for MassTerms<'_> {
    const SYMMETRIC: bool = true;

    fn frames(&self) -> &[Frame] {
        &self.0.frames
    }

    #[inline]
    fn add_body(&self, i: usize, a: &mut Square<6>) {
        *a += self.0.frames[i].inertia.matrix();
    }

    #[inline]
    fn prepare(&self, i: usize, node: &Node, columns: &mut [Column<6>]) -> Matrix3<f64> {
        for (k, column) in columns.iter_mut().enumerate() {
            let screw = self.0.frames[i].screw(node.kind, k);
            (column.gamma, column.psi, column.load) = (screw, screw, Wrench::zeros());
        }
        Matrix3::from_diagonal_element(node.armature)
    }
}

impl Dynamics {
    /// Momenta `p = S P + a v` of a tree that moves with velocities v, and kinetic energy.
    pub(crate) fn momentum(&mut self, tree: &Tree, v: &[f64], p: &mut [f64]) -> f64 {
        let n = tree.nodes.len();
        self.momenta.clear();
        self.momenta.extend(
            self.kinematics
                .frames
                .iter()
                .map(|frame| frame.inertia.momentum(&frame.twist)),
        );
        let frames = &self.kinematics.frames;
        let mut doubled: f64 = self
            .momenta
            .iter()
            .zip(frames)
            .map(|(m, f)| m.dot(&f.twist))
            .sum();
        for i in (0..n).rev() {
            let node = &tree.nodes[i];
            for k in 0..node.dofs {
                p[node.v + k] = frames[i].screw(node.kind, k).dot(&self.momenta[i]);
                if node.armature != 0.0 {
                    let own = node.armature * v[node.v + k];
                    p[node.v + k] += own;
                    doubled += own * v[node.v + k];
                }
            }
            if let Some(parent) = node.parent {
                let flow = wrench_from(&self.momenta[i], &frames[i].offset);
                self.momenta[parent] += flow;
            }
        }
        0.5 * doubled
    }

    /// Momentum of all that a node carries, at its origin; after `momentum`.
    pub(crate) fn carried(&self, node: usize) -> &Wrench {
        &self.momenta[node]
    }

    /// Momentum of all that a root carries, about the origin of the world; after `momentum`.
    pub(crate) fn carried_by(&self, root: usize) -> Wrench {
        wrench_from(&self.momenta[root], &self.kinematics.frames[root].origin)
    }

    /// Factorises M of a placed tree, in sweeps. The node that moves nothing, if there is one, is the error.
    pub(crate) fn factorise(&mut self, tree: &Tree) -> Result<(), usize> {
        self.factors.sweep(tree, &MassTerms(&self.kinematics))
    }

    /// Velocities of given momenta, for a factorised tree whose joints are driven at the rates `driven`.
    pub(crate) fn velocity(&mut self, tree: &Tree, p: &[f64], v: &mut [f64]) {
        self.given.clear();
        for (node, frame) in tree.nodes.iter().zip(&self.kinematics.frames) {
            self.given.push(match node.kind {
                JointKind::Driven { motion, .. } => frame.screw(node.kind, 0) * self.driven[motion],
                _ => Twist::zeros(),
            });
        }
        v.copy_from_slice(p);
        self.factors.sweeps.unload();
        self.factors.sweeps.solve_given(tree, v, &self.given);
    }

    /// Solves `M x = f` for a factorised tree, without what drives it.
    pub(crate) fn solve_mass(&mut self, tree: &Tree, f: &[f64], x: &mut [f64]) {
        x.copy_from_slice(f);
        self.factors.sweeps.solve(tree, x);
    }

    /// Accelerations of a factorised, loaded and moving tree at time t: `S_iᵀ (Ṗ_i − F_i) = τ_i`.
    pub(crate) fn acceleration(&mut self, tree: &Tree, t: f64, dv: &mut [f64]) {
        let bias = self.factors.sweeps.unload();
        self.given.clear();
        for (i, (node, frame)) in tree.nodes.iter().zip(&self.kinematics.frames).enumerate() {
            // Ṗ_j = I a + V ×* (I V) at a point that stays where it is.
            let momentum = frame.inertia.momentum(&frame.twist);
            bias[i] = cross_wrench(&frame.twist, &momentum) - self.loads.loads[i].wrench;
            let mut given = cross(&frame.carried, &(frame.twist - frame.carried));
            if let JointKind::Driven { motion, .. } = node.kind {
                given += frame.screw(node.kind, 0) * tree.motions[motion](t).2;
            }
            self.given.push(given);
        }
        for (dv, effort) in dv.iter_mut().zip(&self.loads.efforts) {
            *dv = effort.value;
        }
        self.factors.sweeps.solve_given(tree, dv, &self.given);
    }

    /// Twists or accelerations of the nodes, from the last elimination.
    pub(crate) fn motion(&self) -> &[Twist] {
        self.factors.sweeps.changes()
    }

    /// The mass matrix of a placed tree, row by row.
    pub(crate) fn mass_matrix(&mut self, tree: &Tree) -> Vec<f64> {
        let (n, m) = (tree.nodes.len(), tree.velocities);
        let frames = &self.kinematics.frames;
        let mut composite: Vec<Matrix6<f64>> = frames.iter().map(|f| f.inertia.matrix()).collect();
        let mut mass = vec![0.0; m * m];
        for j in (0..n).rev() {
            for k in 0..tree.nodes[j].dofs {
                let column = tree.nodes[j].v + k;
                let mut push = composite[j] * frames[j].screw(tree.nodes[j].kind, k);
                let mut i = j;
                loop {
                    let node = &tree.nodes[i];
                    for l in 0..node.dofs {
                        let value = frames[i].screw(node.kind, l).dot(&push);
                        mass[(node.v + l) * m + column] = value;
                        mass[column * m + node.v + l] = value;
                    }
                    let Some(parent) = node.parent else { break };
                    push = wrench_from(&push, &frames[i].offset);
                    i = parent;
                }
            }
            for own in tree.nodes[j].v..tree.nodes[j].v + tree.nodes[j].dofs {
                mass[own * m + own] += tree.nodes[j].armature;
            }
            if let Some(parent) = tree.nodes[j].parent {
                let mut inboard = composite[j];
                shift(&mut inboard, &frames[j].offset);
                composite[parent] += inboard;
            }
        }
        mass
    }
}

impl Tree {
    /// The mass matrix at q, row by row; O(n²).
    pub fn mass_matrix(&self, q: &[f64]) -> Vec<f64> {
        let mut dynamics = Dynamics::default();
        dynamics.kinematics.place(self, q);
        dynamics.mass_matrix(self)
    }
}

//! Momentum, velocity and acceleration in O(n).
//!
//! ```text
//! P_i = A_i V_i + β_i                            inward; A_i = I_i, β_i = 0 at first
//! p_i = S_iᵀ P_i,   V_i = V_p + S_i v_i
//! v_i = D⁻¹ (p_i − S_iᵀ β_i − Uᵀ V_p),           U = A_i S_i,  D = S_iᵀ U
//! A_p += A_i − U D⁻¹ Uᵀ,   β_p += β_i + U D⁻¹ (p_i − S_iᵀ β_i)
//! ```
//! The same elimination gives accelerations, with `S_iᵀ (Ṗ_i − F_i) = τ_i`, and
//! `M_ij = S_iᵀ (Σ_{k ⪰ j} I_k) S_j` for i an ancestor of j (composite rigid bodies).
use super::{Kind, Kinematics, Loads, Tree};
use crate::geometry::se3::{Twist, Wrench, cross, cross_wrench, twist_at, wrench_from};
use nalgebra::{Matrix3, Matrix6};

/// Work space for the sweeps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dynamics {
    pub(crate) kinematics: Kinematics,
    pub(crate) loads: Loads,
    articulated: Vec<Matrix6<f64>>,
    bias: Vec<Wrench>,
    /// Twists or accelerations of the nodes, from the last elimination.
    pub(crate) motion: Vec<Twist>,
    /// Columns S and U, by velocity.
    screws: Vec<Twist>,
    pushed: Vec<Wrench>,
    /// D⁻¹ by node; for one velocity its first entry.
    inverse: Vec<Matrix3<f64>>,
    given: Vec<Twist>,
    forces: Vec<f64>,
    /// Rates of the driven joints.
    pub(crate) driven: Vec<f64>,
}

impl Dynamics {
    /// Momenta `p = S P` of a moving tree, and kinetic energy.
    pub(crate) fn momentum(&mut self, tree: &Tree, p: &mut [f64]) -> f64 {
        let n = tree.nodes.len();
        self.bias.clear();
        self.bias.extend(
            self.kinematics
                .frames
                .iter()
                .map(|frame| frame.inertia.momentum(&frame.twist)),
        );
        let frames = &self.kinematics.frames;
        let doubled: f64 = self.bias.iter().zip(frames).map(|(m, f)| m.dot(&f.twist)).sum();
        for i in (0..n).rev() {
            let node = &tree.nodes[i];
            for k in 0..node.dofs {
                p[node.v + k] = frames[i].screw(node.kind, k).dot(&self.bias[i]);
            }
            if let Some(parent) = node.parent {
                let flow = wrench_from(&self.bias[i], &frames[i].offset);
                self.bias[parent] += flow;
            }
        }
        0.5 * doubled
    }

    /// Momentum of all that a root carries, about the origin of the world; after `momentum`.
    pub(crate) fn carried_by(&self, root: usize) -> Wrench {
        wrench_from(&self.bias[root], &self.kinematics.frames[root].origin)
    }

    /// Articulated inertias of a placed tree. The node that moves nothing, if there is one, is the error.
    pub(crate) fn factorise(&mut self, tree: &Tree) -> Result<(), usize> {
        let (n, m) = (tree.nodes.len(), tree.velocities);
        let frames = &self.kinematics.frames;
        self.articulated.clear();
        self.articulated
            .extend(frames.iter().map(|frame| frame.inertia.matrix()));
        self.screws.resize(m, Twist::zeros());
        self.pushed.resize(m, Wrench::zeros());
        self.inverse.resize(n, Matrix3::zeros());
        for i in (0..n).rev() {
            let (node, frame) = (&tree.nodes[i], &frames[i]);
            let mut a = self.articulated[i];
            let range = node.v..node.v + node.dofs;
            for k in 0..node.dofs {
                let s = frame.screw(node.kind, k);
                self.screws[node.v + k] = s;
                self.pushed[node.v + k] = a * s;
            }
            let (screws, pushed) = (&self.screws[range.clone()], &self.pushed[range]);
            // What is left of the inertia by cancellation alone is no inertia.
            let floor = 1e-12 * a.diagonal().max();
            let moves = |inverse: f64| inverse > 0.0 && inverse * floor < 1.0;
            match node.dofs {
                0 => {}
                1 => {
                    let inverse = 1.0 / screws[0].dot(&pushed[0]);
                    if !moves(inverse) {
                        return Err(i);
                    }
                    self.inverse[i][(0, 0)] = inverse;
                    a -= pushed[0] * (pushed[0] * inverse).transpose();
                }
                _ => {
                    let d = Matrix3::from_fn(|k, l| screws[k].dot(&pushed[l]));
                    let inverse = d.try_inverse().ok_or(i)?;
                    if !(0..3).all(|k| moves(inverse[(k, k)])) {
                        return Err(i);
                    }
                    self.inverse[i] = inverse;
                    for k in 0..3 {
                        let along = pushed[0] * inverse[(k, 0)]
                            + pushed[1] * inverse[(k, 1)]
                            + pushed[2] * inverse[(k, 2)];
                        a -= pushed[k] * along.transpose();
                    }
                }
            }
            let Some(parent) = node.parent else { continue };
            // Rounding that is not symmetric would double at every joint: `U D⁻¹ Uᵀ` is `A S D⁻¹ Sᵀ Aᵀ`.
            let a = shifted(&a, &frame.offset);
            self.articulated[parent] += (a + a.transpose()) * 0.5;
        }
        Ok(())
    }

    /// Solves `S_iᵀ P_i = p_i` for v, with `P = A V + β` of a factorised tree: `bias` holds β and `given`
    /// what joints add to the motion without being asked.
    fn eliminate(&mut self, tree: &Tree, p: &[f64], v: &mut [f64]) {
        let n = tree.nodes.len();
        let frames = &self.kinematics.frames;
        for i in (0..n).rev() {
            let node = &tree.nodes[i];
            let mut bias = self.bias[i];
            if self.given[i] != Twist::zeros() {
                bias += self.articulated[i] * self.given[i];
            }
            let range = node.v..node.v + node.dofs;
            let mut rest = [0.0; 3];
            for (k, j) in range.clone().enumerate() {
                rest[k] = p[j] - self.screws[j].dot(&bias);
            }
            for (k, j) in range.enumerate() {
                v[j] = (0..node.dofs).map(|l| self.inverse[i][(k, l)] * rest[l]).sum();
                bias += self.pushed[j] * v[j];
            }
            if let Some(parent) = node.parent {
                let flow = wrench_from(&bias, &frames[i].offset);
                self.bias[parent] += flow;
            }
        }
        self.motion.resize(n, Twist::zeros());
        for i in 0..n {
            let node = &tree.nodes[i];
            let mut motion = match node.parent {
                None => Twist::zeros(),
                Some(parent) => twist_at(&self.motion[parent], &frames[i].offset),
            };
            let range = node.v..node.v + node.dofs;
            let mut drag = [0.0; 3];
            for (k, j) in range.clone().enumerate() {
                drag[k] = self.pushed[j].dot(&motion);
            }
            motion += self.given[i];
            for (k, j) in range.enumerate() {
                v[j] -= (0..node.dofs)
                    .map(|l| self.inverse[i][(k, l)] * drag[l])
                    .sum::<f64>();
                motion += self.screws[j] * v[j];
            }
            self.motion[i] = motion;
        }
    }

    /// Velocities of given momenta, for a factorised tree whose joints are driven at the rates `driven`.
    pub(crate) fn velocity(&mut self, tree: &Tree, p: &[f64], v: &mut [f64]) {
        self.bias.clear();
        self.bias.resize(tree.nodes.len(), Wrench::zeros());
        self.given.clear();
        for (node, frame) in tree.nodes.iter().zip(&self.kinematics.frames) {
            self.given.push(match node.kind {
                Kind::Driven { motion, .. } => frame.screw(node.kind, 0) * self.driven[motion],
                _ => Twist::zeros(),
            });
        }
        self.eliminate(tree, p, v);
    }

    /// Solves `M x = f` for a factorised tree, without what drives it.
    pub(crate) fn solve_mass(&mut self, tree: &Tree, f: &[f64], x: &mut [f64]) {
        self.bias.clear();
        self.bias.resize(tree.nodes.len(), Wrench::zeros());
        self.given.clear();
        self.given.resize(tree.nodes.len(), Twist::zeros());
        self.eliminate(tree, f, x);
    }

    /// Accelerations of a factorised, loaded and moving tree at time t: `S_iᵀ (Ṗ_i − F_i) = τ_i`.
    pub(crate) fn acceleration(&mut self, tree: &Tree, t: f64, dv: &mut [f64]) {
        self.bias.clear();
        self.given.clear();
        for (i, (node, frame)) in tree.nodes.iter().zip(&self.kinematics.frames).enumerate() {
            // Ṗ_j = I a + V ×* (I V) at a point that stays where it is.
            let momentum = frame.inertia.momentum(&frame.twist);
            self.bias
                .push(cross_wrench(&frame.twist, &momentum) - self.loads.loads[i].wrench);
            let mut given = cross(&frame.carried, &(frame.twist - frame.carried));
            if let Kind::Driven { motion, .. } = node.kind {
                given += frame.screw(node.kind, 0) * tree.motions[motion](t).2;
            }
            self.given.push(given);
        }
        self.forces.clear();
        self.forces.extend(self.loads.efforts.iter().map(|e| e.value));
        let forces = std::mem::take(&mut self.forces);
        self.eliminate(tree, &forces, dv);
        self.forces = forces;
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
            if let Some(parent) = tree.nodes[j].parent {
                let inboard = shifted(&composite[j], &frames[j].offset);
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

/// A matrix from twists to wrenches, both shifted from a point to another `d` before it.
pub(crate) fn shifted(a: &Matrix6<f64>, d: &crate::Vec3) -> Matrix6<f64> {
    let mut a = *a;
    for i in 0..6 {
        let (x, y, z) = (a[(i, 0)], a[(i, 1)], a[(i, 2)]);
        a[(i, 3)] += d.y * z - d.z * y;
        a[(i, 4)] += d.z * x - d.x * z;
        a[(i, 5)] += d.x * y - d.y * x;
    }
    for j in 0..6 {
        let (x, y, z) = (a[(0, j)], a[(1, j)], a[(2, j)]);
        a[(3, j)] += d.y * z - d.z * y;
        a[(4, j)] += d.z * x - d.x * z;
        a[(5, j)] += d.x * y - d.y * x;
    }
    a
}

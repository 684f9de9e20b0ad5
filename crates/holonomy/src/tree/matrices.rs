//! What stands in the equations of motion of a tree, one term at a time.
//!
//! ```text
//! M(q) v̇ + c(q, v) + w(q) = τ
//!
//! a_i = a_p + V_p × S_i v_i,   F_i = I_i a_i + V_i ×* I_i V_i + Σ F_j       accelerations zero in the joints
//! c_i = S_iᵀ F_i,              w_i = −S_iᵀ Σ m_j (g, r_j × g)               r_j from joint i to the centre of j
//! ```
use super::{Dynamics, Kinematics, Tree};
use crate::geometry::se3::{Twist, Wrench, cross, cross_wrench, join, twist_at, wrench_from};

impl Tree {
    /// Forces c in the joints that keep the velocities v as they are where nothing falls: centrifugal and
    /// gyroscopic ones. Driven joints stand still.
    pub fn coriolis(&self, q: &[f64], v: &[f64]) -> Vec<f64> {
        let mut kinematics = Kinematics::default();
        kinematics.place(self, q);
        kinematics.set_moving(self, v, &vec![0.0; self.motions.len()]);
        let mut accelerations: Vec<Twist> = Vec::with_capacity(self.nodes.len());
        let mut needed: Vec<Wrench> = Vec::with_capacity(self.nodes.len());
        for (node, frame) in self.nodes.iter().zip(&kinematics.frames) {
            let carried = match node.parent {
                None => Twist::zeros(),
                Some(parent) => twist_at(&accelerations[parent], &frame.offset),
            };
            let acceleration = carried + cross(&frame.carried, &(frame.twist - frame.carried));
            let momentum = frame.inertia.momentum(&frame.twist);
            needed.push(frame.inertia.momentum(&acceleration) + cross_wrench(&frame.twist, &momentum));
            accelerations.push(acceleration);
        }
        self.in_joints(&kinematics, needed)
    }

    /// Forces w in the joints that hold the tree against gravity, at rest.
    pub fn weight(&self, q: &[f64]) -> Vec<f64> {
        let mut kinematics = Kinematics::default();
        kinematics.place(self, q);
        let needed = kinematics.frames.iter().map(|frame| {
            let force = -self.gravity * frame.inertia.mass;
            join(&force, &frame.inertia.centre.cross(&force))
        });
        let needed = needed.collect();
        self.in_joints(&kinematics, needed)
    }

    /// The body whose joint moves nothing that has inertia at q, if there is one: M is singular there.
    pub fn idle_at(&self, q: &[f64]) -> Option<usize> {
        let mut dynamics = Dynamics::default();
        dynamics.kinematics.place(self, q);
        dynamics.factorise(self).err().map(|node| self.nodes[node].body)
    }

    /// `S_iᵀ Σ_{j ⪰ i} F_j`, from wrenches on the nodes.
    fn in_joints(&self, kinematics: &Kinematics, mut wrenches: Vec<Wrench>) -> Vec<f64> {
        let mut out = vec![0.0; self.velocities];
        for (i, node) in self.nodes.iter().enumerate().rev() {
            let frame = &kinematics.frames[i];
            for k in 0..node.dofs {
                out[node.v + k] = frame.screw(node.kind, k).dot(&wrenches[i]);
            }
            if let Some(parent) = node.parent {
                let flow = wrench_from(&wrenches[i], &frame.offset);
                wrenches[parent] += flow;
            }
        }
        out
    }
}

//! What changes the energy of a tree, and the power of each.
//!
//! ```text
//! dE/dt = Σ τ·v                  forces in joints without potential
//!       + Σ −c l̇²                dampers between sites
//!       + Σ −D l̇                 dampers of strings, while they pull
//!       + Σ W·V                  wrenches on bodies
//!       + Σ f·ṙ, τ v, −T l̇       forces that see the state
//!       + Σ τ_d q̇_d              driven joints,   τ_d = S_dᵀ (Ṗ_d − F_d) + Σ λₖ G_kd
//!       − Σ λₖ ℓ̇ₖ, − λ·ω         driven lengths and attitudes
//!       + 0                      tethers: what they take as they snap tight takes no time
//! ```
//! Ṗ and F are of all that a joint carries; `G_kd = ∂gₖ/∂q_d`. What constraints ask of a driven joint is counted as the
//! joint's, and what they take elsewhere they give elsewhere.
use super::{
    Act, Constraint, ConstraintRows, Dynamics, JointForce, JointKind, Kinematics, Looking, Sight, Tree,
    forces::{Effort, wrench_at},
    links::BoundLink,
};
use crate::{
    geometry::se3::{cross, cross_wrench, join, twist_at, wrench_from},
    system::Layout,
};

/// A driven joint, its motion by number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DrivenJoint {
    pub(crate) node: usize,
    pub(crate) motion: usize,
}

impl Tree {
    /// Names of all that changes the energy: forces in joints, dampers, wrenches, driven joints, driven lengths.
    pub(super) fn source_names(&self) -> Vec<String> {
        let Layout { words, drawing, .. } = &self.layout;
        let body = |body: usize| &words.bodies[body];
        let site = |site: usize| &drawing.sites[site];
        let mut names = Vec::new();
        names.extend(self.unconserving_forces().map(|(number, force)| match force {
            JointForce::Damper { .. } | JointForce::Dampers(_) => format!("damper {}", body(number)),
            JointForce::Stop(_) => format!("stop {}", body(number)),
            JointForce::Friction { .. } => format!("friction {}", body(number)),
            _ => format!("effort {}", body(number)),
        }));
        names.extend(self.links.iter().filter_map(|link| match link {
            BoundLink::Damper { between: [a, b], .. } => Some(format!("damper {}-{}", site(*a), site(*b))),
            BoundLink::String(string) if string.law.damping != 0.0 => Some(self.string_name(string)),
            BoundLink::Beam(_) | BoundLink::String(_) => None,
        }));
        let wrenches = self.wrenches.iter();
        names.extend(wrenches.map(|wrench| format!("wrench {}", body(wrench.body))));
        let feedback = (0..self.feedback.len()).filter(|number| !self.joins_the_last(*number));
        let feedback = feedback.map(|number| &self.feedback[number]);
        names.extend(feedback.map(|force| match force.act {
            Act::Effort { body: number, .. } => format!("effort {}", body(number)),
            Act::Wrench { body: number, .. } => format!("wrench {}", body(number)),
            Act::Force { .. } | Act::Tension { .. } => format!("force {}", force.name),
            Act::Push { .. } => force.name.clone(),
        }));
        let drives = self.driven_joints();
        names.extend(drives.map(|at| {
            let (number, first) = (
                self.nodes[at.node].body,
                self.first_node(self.nodes[at.node].body),
            );
            match self.body_nodes[number] - first {
                0 => format!("drive {}", body(number)),
                _ => format!("drive {}.{}", body(number), at.node - first + 1),
            }
        }));
        names.extend(
            self.driven_constraints()
                .map(|(row, constraint)| match constraint {
                    Constraint::Orientation { to, .. } => format!("drive {}.turn", body(*to)),
                    _ => format!("length {}", self.constraints[self.constraint_of(row)].0),
                }),
        );
        names.extend(
            self.tethers()
                .map(|tether| format!("snap {}", self.constraints[tether.constraint].0)),
        );
        names
    }

    /// Forces in joints without potential, with their bodies.
    fn unconserving_forces(&self) -> impl Iterator<Item = (usize, &JointForce)> {
        let forces = self.joint_forces.iter().map(|(body, force)| (*body, force));
        forces.filter(|(_, force)| match force {
            JointForce::Spring { .. } | JointForce::Potential(_) => false,
            JointForce::Damper { coefficient } => *coefficient != 0.0,
            JointForce::Dampers(each) => each.iter().any(|c| *c != 0.0),
            JointForce::Stop(stop) => stop.law.damping != 0.0,
            JointForce::Effort(_) | JointForce::Friction { .. } => true,
        })
    }

    /// Driven joints, in the order of the sources.
    pub(crate) fn driven_joints(&self) -> impl Iterator<Item = DrivenJoint> + '_ {
        let nodes = self.nodes.iter().enumerate();
        nodes.filter_map(|(node, at)| match at.kind {
            JointKind::Driven { motion, .. } => Some(DrivenJoint { node, motion }),
            _ => None,
        })
    }

    /// Constraints whose length or attitude is driven, with the numbers of their first equations.
    pub(crate) fn driven_constraints(&self) -> impl Iterator<Item = (usize, &Constraint)> {
        let mut next = 0;
        let all = self.constraints.iter().map(move |(_, constraint)| {
            next += constraint.rows();
            (next - constraint.rows(), constraint)
        });
        all.filter(|(_, constraint)| constraint.is_driven())
    }

    /// The powers of forces without potential, at a placement with its twists; the first of the sources.
    pub(crate) fn force_powers(
        &self,
        t: f64,
        (q, v, multipliers): (&[f64], &[f64], &[f64]),
        kinematics: &Kinematics,
        looking: &mut Looking,
        out: &mut Vec<f64>,
    ) {
        out.clear();
        for (body, force) in self.unconserving_forces() {
            let mut power = 0.0;
            for k in self.first_node(body)..=self.body_nodes[body] {
                let node = &self.nodes[k];
                for k in 0..node.dofs {
                    let speed = v[node.v + k];
                    if let JointForce::Dampers(each) = force {
                        let number = node.v + k - self.nodes[self.first_node(body)].v;
                        power -= each[number] * speed * speed;
                        continue;
                    }
                    // A damper is all that a ball joint can have here, and it does not ask for q.
                    let place = if node.kind == JointKind::Ball {
                        0.0
                    } else {
                        q[node.q + k]
                    };
                    let mut effort = Effort::default();
                    force.scalar((t, place, speed), 1.0, &mut effort);
                    power += effort.forced * speed;
                }
            }
            out.push(power);
        }
        out.extend(self.links.iter().filter_map(|link| link.damped_power(kinematics)));
        for wrench in &self.wrenches {
            let node = self.body_nodes[wrench.body];
            let (arm, force, moment) = wrench_at(self, wrench, t, kinematics);
            let whole = join(&force, &(arm.cross(&force) + moment));
            out.push(whole.dot(&kinematics.frames[node].twist));
        }
        let sight = Sight {
            t,
            q,
            v,
            kinematics,
            multipliers,
        };
        self.feedback_powers(&sight, looking, out);
    }

    /// The powers of all sources of a moving and loaded tree with accelerations dv and multipliers λ.
    pub(super) fn source_powers(
        &self,
        t: f64,
        (q, v, dv): (&[f64], &[f64], &[f64]),
        dynamics: &mut Dynamics,
        (rows, lambda): (&ConstraintRows, &[f64]),
        out: &mut Vec<f64>,
    ) {
        let Dynamics {
            kinematics, loads, ..
        } = dynamics;
        self.force_powers(t, (q, v, lambda), kinematics, &mut loads.looking, out);
        if !self.motions.is_empty() {
            dynamics.invert(self, t, dv);
            for DrivenJoint { node, motion } in self.driven_joints() {
                let own = dynamics.inverse[node].1;
                let held: f64 = lambda
                    .iter()
                    .enumerate()
                    .map(|(k, lambda)| lambda * rows.driven[k * self.motions.len() + motion])
                    .sum();
                let frame = &dynamics.kinematics.frames[node];
                let effort = frame.along(self.nodes[node].kind, 0, &own) + held;
                out.push(effort * self.motions[motion](t).1);
            }
        }
        let driven = self.driven_constraints();
        // There are no multipliers where the mass matrix is singular.
        out.extend(driven.map(|(row, constraint)| {
            let lambda = lambda.get(row..row + constraint.rows());
            lambda.map_or(f64::NAN, |lambda| constraint.drive_power(t, lambda))
        }));
        // Snaps take no time.
        out.extend(self.tethers().map(|_| 0.0));
    }
}

impl Dynamics {
    /// Spatial acceleration of each node of a moving and loaded tree, and `Ṗ − F` of all that it carries.
    pub(super) fn invert(&mut self, tree: &Tree, t: f64, dv: &[f64]) {
        let (frames, inverse) = (&self.kinematics.frames, &mut self.inverse);
        inverse.clear();
        for (i, (node, frame)) in tree.nodes.iter().zip(frames).enumerate() {
            let mut acceleration = cross(&frame.carried, &(frame.twist - frame.carried));
            if let Some(parent) = node.parent {
                acceleration += twist_at(&inverse[parent].0, &frame.offset);
            }
            if let JointKind::Driven { motion, .. } = node.kind {
                acceleration += frame.screw(node.kind, 0) * tree.motions[motion](t).2;
            }
            for k in 0..node.dofs {
                acceleration += frame.screw(node.kind, k) * dv[node.v + k];
            }
            let momentum = frame.inertia.momentum(&frame.twist);
            let rate = frame.inertia.momentum(&acceleration) + cross_wrench(&frame.twist, &momentum);
            inverse.push((acceleration, rate - self.loads.loads[i].wrench));
        }
        for (i, node) in tree.nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                let flow = wrench_from(&inverse[i].1, &frames[i].offset);
                inverse[parent].1 += flow;
            }
        }
    }
}

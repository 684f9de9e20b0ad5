//! The mass matrix where a step ends, `M = L U`: written out for small trees, in sweeps for others.
//!
//! ```text
//! M_ij = S_iᵀ (Σ_{k ⪰ j} I_k) S_j         i carries j: composite bodies, about the origin of their root
//! M_jj += a_j                             armature
//! M v + driven = p                        what driven joints add to the momenta
//! ```
use super::{Branched, Composite, Dynamics, Factors, Kinematics, Tree};
use crate::geometry::se3::{Twist, Wrench, angular, linear, twist_at};

/// M, factorised, and all that it is computed with.
#[derive(Clone, Debug)]
pub(crate) struct Mass {
    pub(crate) dynamics: Dynamics,
    bodies: Vec<Composite>,
    screws: Vec<Twist>,
    roots: Vec<usize>,
    /// What driven joints add to the momenta.
    driven: Vec<f64>,
    still: Vec<f64>,
}

impl Mass {
    /// Work space for a tree.
    pub(crate) fn new(tree: &Tree) -> Self {
        let still = vec![0.0; tree.velocities()];
        let mut dynamics = Dynamics::default();
        dynamics.factors = Factors::new(Branched::small(tree));
        Self {
            dynamics,
            bodies: Vec::new(),
            screws: vec![Twist::zeros(); tree.velocities()],
            roots: tree.root_of_each(),
            driven: still.clone(),
            still,
        }
    }

    /// Factorises M of a tree that has been posed, at time t, and takes its kinematics. The node that moves
    /// nothing is the error.
    pub(crate) fn factorise(
        &mut self,
        tree: &Tree,
        t: f64,
        kinematics: &mut Kinematics,
    ) -> Result<(), usize> {
        std::mem::swap(&mut self.dynamics.kinematics, kinematics);
        self.dynamics.kinematics.turn_inertia(tree);
        if self.dynamics.factors.written.is_some() {
            self.write(tree)?;
        } else {
            self.dynamics.factorise(tree)?;
        }
        let Dynamics {
            kinematics, driven, ..
        } = &mut self.dynamics;
        tree.drive_rates(t, driven);
        if !driven.is_empty() {
            kinematics.set_moving(tree, &self.still, driven);
            self.dynamics.momentum(tree, &self.still, &mut self.driven);
        }
        Ok(())
    }

    /// Writes and factorises the entries.
    fn write(&mut self, tree: &Tree) -> Result<(), usize> {
        let Dynamics {
            kinematics, factors, ..
        } = &mut self.dynamics;
        let Some(matrix) = &mut factors.written else {
            return Ok(());
        };
        let frames = &kinematics.frames;
        self.bodies.clear();
        for (i, node) in tree.nodes.iter().enumerate() {
            let o = frames[i].origin - frames[self.roots[i]].origin;
            self.bodies.push(Composite::of(&frames[i].inertia, &o));
            for k in 0..node.dofs {
                self.screws[node.v + k] = twist_at(&frames[i].screw(node.kind, k), &-o);
            }
        }
        for (i, node) in tree.nodes.iter().enumerate().rev() {
            let body = self.bodies[i];
            if let Some(parent) = node.parent {
                self.bodies[parent] += &body;
            }
            for j in node.v..node.v + node.dofs {
                let (way, row, _) = matrix.entries(j);
                let push = body.momentum(&linear(&self.screws[j]), &angular(&self.screws[j]));
                for (entry, carrier) in row.iter_mut().zip(way) {
                    *entry = work(&self.screws[*carrier], &push);
                }
                if let Some(own) = row.last_mut() {
                    *own += node.armature;
                }
            }
        }
        let node_of = |j: usize| tree.nodes.iter().rposition(|node| node.v <= j && node.dofs > 0);
        matrix
            .factorise_symmetric()
            .map_err(|j| node_of(j).unwrap_or_default())
    }

    /// `L⁻¹ (p − driven)`: the first half of the way from momenta to velocities.
    pub(crate) fn inward(&mut self, tree: &Tree, p: &[f64], out: &mut [f64]) {
        for ((out, p), driven) in out.iter_mut().zip(p).zip(&self.driven) {
            *out = p - driven;
        }
        self.dynamics.factors.inward(tree, out);
    }

    /// From `Gᵀ` to `U⁻ᵀ Gᵀ`, and to `L⁻¹ Gᵀ`, as in [`Factors::split`].
    pub(crate) fn split(
        &mut self,
        tree: &Tree,
        among: &[usize],
        rows: &mut [f64],
        columns: &mut Vec<f64>,
        count: usize,
    ) {
        columns.clear();
        columns.extend_from_slice(rows);
        self.dynamics.factors.split(tree, among, rows, columns, count);
    }
}

/// A twist times a wrench.
#[inline]
fn work(twist: &Twist, wrench: &Wrench) -> f64 {
    let ([v], [f]) = (&twist.data.0, &wrench.data.0);
    (v[0] * f[0] + v[1] * f[1] + v[2] * f[2]) + (v[3] * f[3] + v[4] * f[4] + v[5] * f[5])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Vec3,
        geometry::{Pose, RigidInertia},
        tree::{Dynamics, Joint, RigidBody, TreeParts},
    };

    #[test]
    fn velocities_are_those_of_the_sweeps() {
        // A free body far away with two arms, one of them on a fixed joint.
        let y = || Joint::Revolute { axis: Vec3::y() };
        let joints = [
            (None, Joint::Free),
            (Some(0), Joint::Spherical),
            (Some(1), y()),
            (Some(0), Joint::Fixed),
            (Some(3), y()),
        ];
        let bodies = joints
            .into_iter()
            .enumerate()
            .map(|(k, (parent, joint))| RigidBody {
                name: format!("body-{k}"),
                parent,
                joint,
                parent_from_joint: Pose::translation(Vec3::new(0.3, 0.1 * k as f64, -0.2)),
                joint_from_body: Pose::turn(Vec3::x(), 0.4),
                inertia: RigidInertia::cuboid(
                    1.0 + k as f64,
                    Vec3::new(0.1, 0.2, -0.3),
                    Vec3::new(0.4, 0.5, 0.7),
                ),
            });
        let parts = TreeParts {
            bodies: bodies.collect(),
            ..TreeParts::default()
        };
        let tree = Tree::new(parts).expect("a tree");
        let mut q = tree.zero(0.0);
        for (k, x) in q.iter_mut().enumerate() {
            *x += 0.4 * (1.0 + 1.3 * k as f64).sin();
        }
        q[0] += 1e6;
        let mut dynamics = Dynamics::default();
        dynamics.kinematics.place(&tree, &q);
        dynamics.factorise(&tree).expect("inertia");
        let mut mass = Mass::new(&tree);
        assert!(mass.dynamics.factors.written.is_some(), "it is small");
        mass.factorise(&tree, 0.0, &mut dynamics.kinematics.clone())
            .expect("inertia");
        let p: Vec<f64> = (0..tree.velocities()).map(|k| (0.7 * k as f64).cos()).collect();
        let (mut x, mut swept) = (vec![0.0; p.len()], vec![0.0; p.len()]);
        mass.inward(&tree, &p, &mut x);
        mass.dynamics.factors.outward(&mut x);
        dynamics.solve_mass(&tree, &p, &mut swept);
        for (x, swept) in x.iter().zip(&swept) {
            // Positions of 1e6 m are known to 1e-10 m.
            assert!((x - swept).abs() < 1e-9, "{x} {swept}");
        }
    }
}

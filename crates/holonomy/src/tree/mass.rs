//! The mass matrix of a small tree, written out and factorised.
//!
//! ```text
//! M_ij = S_iᵀ (Σ_{k ⪰ j} I_k) S_j         i carries j: composite bodies, about the origin of their root
//! ```
use super::{Branched, Composite, Kinematics, Tree};
use crate::geometry::se3::{Twist, angular, linear, twist_at};

/// M, factorised.
#[derive(Clone, Debug)]
pub(crate) struct Mass {
    matrix: Branched,
    bodies: Vec<Composite>,
    screws: Vec<Twist>,
    roots: Vec<usize>,
}

impl Mass {
    /// For a tree that is small enough.
    pub(crate) fn new(tree: &Tree) -> Option<Self> {
        Some(Self {
            matrix: Branched::small(tree)?,
            bodies: Vec::new(),
            screws: vec![Twist::zeros(); tree.velocities()],
            roots: tree.root_of_each(),
        })
    }

    /// Writes and factorises M of a placed tree. The node that moves nothing is the error.
    pub(crate) fn factorise(&mut self, tree: &Tree, kinematics: &Kinematics) -> Result<(), usize> {
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
                let (way, row, _) = self.matrix.entries(j);
                let push = body.momentum(&linear(&self.screws[j]), &angular(&self.screws[j]));
                for (entry, carrier) in row.iter_mut().zip(way) {
                    *entry = self.screws[*carrier].dot(&push);
                }
            }
        }
        let node_of = |j: usize| tree.nodes.iter().rposition(|node| node.v <= j && node.dofs > 0);
        self.matrix
            .factorise_symmetric()
            .map_err(|j| node_of(j).unwrap_or_default())
    }

    /// Solves `M x = f` in place.
    pub(crate) fn solve(&self, f: &mut [f64]) {
        self.matrix.solve(f);
    }

    /// The same for several, with `count` numbers for each velocity.
    pub(crate) fn solve_many(&self, f: &mut [f64], count: usize) {
        self.matrix.solve_many(f, count);
    }
}

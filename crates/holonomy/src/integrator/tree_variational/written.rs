//! The Jacobian of a step written out, entry by entry, for trees that are small or branch early.
//!
//! ```text
//! A_i = Σ_{j ⪰ i} (turning forces, 0; 0, I)_j          of all that joint i carries: composite bodies
//! ∂r_i/∂x_j = Ψ_iᵀ (A_j Γ_j + Λ_j)                     i carries j
//! ∂r_j/∂x_i = (A_jᵀ Ψ_j + σ_j)ᵀ Γ_i
//! ∂r_i/∂x_i = (A_iᵀ Ψ_i + σ_i)ᵀ Γ_i + κ_i
//! ```
//! All about one point for all that hangs together, the origin of its root: nothing is shifted between joints.
//! See `jacobian.rs` for the symbols.
use super::{
    balance::Balance,
    column::{Seen, prepare},
};
use crate::{
    Vec3,
    tree::{Branched, Column, Composite, Tree, Vector12, dot, stack},
};
use nalgebra::{Matrix3, Vector6};

/// Work space to write the entries.
#[derive(Clone, Debug)]
pub(super) struct EntryWriter {
    columns: Vec<Column<12>>,
    /// A by node: inertia, and how forces turn.
    inertia: Vec<Composite>,
    turning: Vec<TurningForces>,
    /// The node at the root of each.
    roots: Vec<usize>,
    nodes: Vec<usize>,
}

/// Forces fixed in space as bodies turn by θ and move by d: `(f̂ θ, p̂ d + T θ)`.
#[derive(Clone, Copy, Debug, Default)]
struct TurningForces {
    fixed: Vec3,
    placed: Vec3,
    turning: Matrix3<f64>,
}

impl TurningForces {
    fn act(&self, d: &Vec3, theta: &Vec3) -> Vector6<f64> {
        let (f, n) = (
            self.fixed.cross(theta),
            self.placed.cross(d) + self.turning * theta,
        );
        Vector6::new(f.x, f.y, f.z, n.x, n.y, n.z)
    }

    fn act_transposed(&self, f: &Vec3, n: &Vec3) -> Vector6<f64> {
        let (d, theta) = (
            n.cross(&self.placed),
            f.cross(&self.fixed) + self.turning.tr_mul(n),
        );
        Vector6::new(d.x, d.y, d.z, theta.x, theta.y, theta.z)
    }
}

impl EntryWriter {
    /// The entries of a tree that is small enough, with nothing between its bodies.
    pub(super) fn entries(tree: &Tree) -> Option<Branched> {
        Branched::small(tree).filter(|_| !tree.has_links() && !tree.has_feedback())
    }

    /// Work space for a tree.
    pub(super) fn new(tree: &Tree) -> Self {
        let nodes = tree.nodes.iter().enumerate();
        Self {
            columns: vec![Column::default(); tree.velocities()],
            inertia: vec![Composite::default(); tree.nodes.len()],
            turning: vec![TurningForces::default(); tree.nodes.len()],
            roots: tree.root_of_each(),
            nodes: nodes
                .flat_map(|(i, node)| std::iter::repeat_n(i, node.dofs))
                .collect(),
        }
    }

    /// Writes and factorises the Jacobian. The node whose pivot is singular is the error.
    pub(super) fn factorise(
        &mut self,
        tree: &Tree,
        balance: &Balance,
        matrix: &mut Branched,
    ) -> Result<(), usize> {
        let frames = &balance.kinematics.frames;
        for (i, frame) in frames.iter().enumerate() {
            let o = frame.origin - frames[self.roots[i]].origin;
            self.inertia[i] = Composite::of(&frame.inertia, &o);
            let load = &balance.loads.loads[i];
            self.turning[i] = TurningForces {
                fixed: load.fixed,
                placed: load.placed,
                turning: load.turning + crosses(&o, &load.fixed) - crosses(&load.placed, &o),
            };
        }
        for (i, node) in tree.nodes.iter().enumerate().rev() {
            let (inertia, turning) = (self.inertia[i], self.turning[i]);
            if let Some(parent) = node.parent {
                self.inertia[parent] += &inertia;
                let up = &mut self.turning[parent];
                up.fixed += turning.fixed;
                up.placed += turning.placed;
                up.turning += turning.turning;
            }
            if node.dofs == 0 {
                continue;
            }
            let o = frames[i].origin - frames[self.roots[i]].origin;
            let columns = &mut self.columns[node.v..node.v + node.dofs];
            let seen = Seen::from_joint(balance, node, i).from(&o, node.dofs);
            let kappa = prepare(columns, balance, node, i, &seen);
            for column in columns.iter_mut() {
                let [d, theta, v, w] = quarters(&column.gamma);
                column.load += stack(&turning.act(&d, &theta), &inertia.momentum(&v, &w));
                let [f, n, a, b] = quarters(&column.psi);
                column.rho += stack(&turning.act_transposed(&f, &n), &inertia.momentum(&a, &b));
            }
            for k in 0..node.dofs {
                let (_, row, column) = matrix.entries(node.v + k);
                let first = row.len() - 1 - k;
                for l in 0..=k {
                    row[first + l] = dot(&columns[k].rho, &columns[l].gamma) + kappa[(k, l)];
                    column[first + l] = dot(&columns[l].rho, &columns[k].gamma) + kappa[(l, k)];
                }
            }
        }
        for (j, node) in self.nodes.iter().enumerate() {
            let at = &self.columns[j];
            let (way, row, column) = matrix.entries(j);
            let above = way.len() - 1 - (j - tree.nodes[*node].v);
            for (k, i) in way[..above].iter().enumerate() {
                let carrier = &self.columns[*i];
                row[k] = dot(&at.rho, &carrier.gamma);
                column[k] = dot(&carrier.psi, &at.load);
            }
        }
        matrix.factorise().map_err(|j| self.nodes[j])
    }
}

/// `â b̂ = b aᵀ − a·b`.
fn crosses(a: &Vec3, b: &Vec3) -> Matrix3<f64> {
    b * a.transpose() - Matrix3::from_diagonal_element(a.dot(b))
}

fn quarters(x: &Vector12) -> [Vec3; 4] {
    [0, 3, 6, 9].map(|k| Vec3::new(x[k], x[k + 1], x[k + 2]))
}

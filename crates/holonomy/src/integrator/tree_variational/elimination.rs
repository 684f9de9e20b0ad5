//! The exact derivative of the balance, eliminated in O(n).
//!
//! A change x of the velocities moves and speeds up the bodies. Seen from the bodies themselves,
//!
//! ```text
//! η_i = η_p + ½h S_i B x_i                                pose
//! δV_i = δV_p + S_i x_i + ½h (V_p × S_i B) x_i            twist
//! z_i = z_p + Γ_i x_i                                     z = (η, δV)
//!
//! δP_p += δP_i + (½h S_i B x_i) ×* P_i                    and the same for F
//! y_p += y_i + Λ_i x_i                                    y = (δF, δP)
//!
//! δr_i = Ψ_iᵀ y_i + σ_iᵀ z_i + κ_i x_i                   Ψ, σ, κ, Γ, Λ: see `column.rs`
//! ```
//! Changes seen from the body have no term that couples neighbours but those with x: with
//! `y_i = A_i z_i + α_i` (for a body alone `A = diag(turning forces, I)`), the joint is eliminated by
//! an update of the rank of the joint,
//!
//! ```text
//! ρ = Aᵀ Ψ + σ,   D = ρᵀ Γ + κ,   x_i = −D⁻¹ (ρᵀ z_p + Ψᵀ α_i + r_i)
//! A_p += A − (A Γ + Λ) D⁻¹ ρᵀ
//! α_p += α − (A Γ + Λ) D⁻¹ (Ψᵀ α + r_i)
//! ```
//! It is an articulated-body algorithm on twelve numbers that need not be symmetric.
use super::{
    balance::Balance,
    column::{Column, Seen, dot, dot_of, prepare, stack},
};
use crate::{
    Vec3,
    geometry::se3::{twist_at, wrench_from},
    tree::{Matrix12, Tree, Vector12},
};
use nalgebra::{Matrix3, Vector6};

/// The eliminated matrix.
#[derive(Clone, Debug, Default)]
pub(super) struct Elimination {
    columns: Vec<Column>,
    /// D⁻¹ by node.
    inverse: Vec<Matrix3<f64>>,
    offsets: Vec<Vec3>,
    /// Matrices of nodes that have received from their children and not yet given to their parents.
    slots: Vec<Matrix12>,
    slot: Vec<Option<usize>>,
    y: Vec<Vector12>,
}

impl Elimination {
    /// Work space for a tree. A slot is free again once its node has been eliminated: a chain needs one.
    pub(super) fn new(tree: &Tree) -> Self {
        let n = tree.nodes.len();
        let (mut slot, mut free, mut count) = (vec![None; n], Vec::new(), 0);
        for i in (0..n).rev() {
            free.extend(slot[i]);
            if let Some(parent) = tree.nodes[i].parent
                && slot[parent].is_none()
            {
                slot[parent] = Some(free.pop().unwrap_or_else(|| {
                    count += 1;
                    count - 1
                }));
            }
        }
        Self {
            columns: vec![Column::default(); tree.velocities()],
            inverse: vec![Matrix3::zeros(); n],
            offsets: vec![Vec3::zeros(); n],
            slots: vec![Matrix12::zeros(); count],
            slot,
            y: vec![Vector12::zeros(); n],
        }
    }

    /// Eliminates the derivative at the present balance, with what else acts on single nodes, in their order.
    /// The node whose pivot is singular is the error.
    pub(super) fn factorise(
        &mut self,
        tree: &Tree,
        balance: &Balance,
        grounded: &[(usize, Matrix12)],
    ) -> Result<(), usize> {
        let mut grounded = grounded.iter().rev().peekable();
        for matrix in &mut self.slots {
            matrix.fill(0.0);
        }
        for (i, node) in tree.nodes.iter().enumerate().rev() {
            let frame = &balance.kinematics.frames[i];
            self.offsets[i] = frame.offset;
            let mut a = match self.slot[i] {
                Some(slot) => std::mem::replace(&mut self.slots[slot], Matrix12::zeros()),
                None => Matrix12::zeros(),
            };
            add_body(&mut a, balance, i);
            while let Some((_, more)) = grounded.next_if(|(node, _)| *node == i) {
                a += more;
            }
            let columns = &mut self.columns[node.v..node.v + node.dofs];
            let kappa = prepare(columns, balance, node, i, &Seen::from_joint(balance, node, i));
            for column in columns.iter_mut() {
                add_products(&a, column);
            }
            if node.dofs == 1 {
                let d = dot(&columns[0].rho, &columns[0].gamma) + kappa[(0, 0)];
                if !(d.abs() > 0.0 && d.is_finite()) {
                    return Err(i);
                }
                self.inverse[i][(0, 0)] = 1.0 / d;
            } else if node.dofs == 3 {
                let d = kappa + Matrix3::from_fn(|k, l| dot(&columns[k].rho, &columns[l].gamma));
                self.inverse[i] = d.try_inverse().ok_or(i)?;
            }
            let Some(slot) = node.parent.and_then(|parent| self.slot[parent]) else {
                continue;
            };
            for k in 0..node.dofs {
                let mut row = Vector12::zeros();
                for l in 0..node.dofs {
                    row += columns[l].rho * self.inverse[i][(k, l)];
                }
                subtract_product(&mut a, &columns[k].load, &row);
            }
            shift(&mut a, &frame.offset);
            self.slots[slot] += a;
        }
        Ok(())
    }

    /// What acts on the nodes besides, α, as zeros to add to; then comes `solve_loaded`.
    pub(super) fn unload(&mut self) -> &mut [Vector12] {
        self.y.fill(Vector12::zeros());
        &mut self.y
    }

    /// The changes z of the nodes in the last solution.
    pub(super) fn changes(&self) -> &[Vector12] {
        &self.y
    }

    /// Solves `δr = −r` in place: r becomes x.
    pub(super) fn solve(&mut self, tree: &Tree, r: &mut [f64]) {
        self.unload();
        self.solve_loaded(tree, r);
    }

    /// Solves `δr = −r` with α from `unload`.
    pub(super) fn solve_loaded(&mut self, tree: &Tree, r: &mut [f64]) {
        for (i, node) in tree.nodes.iter().enumerate().rev() {
            let mut alpha = self.y[i];
            let columns = &self.columns[node.v..node.v + node.dofs];
            let mut rest = [0.0; 3];
            for (k, column) in columns.iter().enumerate() {
                rest[k] = dot(&column.psi, &alpha) + r[node.v + k];
            }
            for (k, column) in columns.iter().enumerate() {
                let x: f64 = (0..node.dofs).map(|l| self.inverse[i][(k, l)] * rest[l]).sum();
                r[node.v + k] = x;
                alpha -= column.load * x;
            }
            if let Some(parent) = node.parent {
                let (force, momentum) = halves(&alpha);
                let d = &self.offsets[i];
                self.y[parent] += stack(&wrench_from(&force, d), &wrench_from(&momentum, d));
            }
        }
        for (i, node) in tree.nodes.iter().enumerate() {
            let mut z = match node.parent {
                None => Vector12::zeros(),
                Some(parent) => {
                    let (pose, twist) = halves(&self.y[parent]);
                    let d = &self.offsets[i];
                    stack(&twist_at(&pose, d), &twist_at(&twist, d))
                }
            };
            let columns = &self.columns[node.v..node.v + node.dofs];
            let mut drag = [0.0; 3];
            for (k, column) in columns.iter().enumerate() {
                drag[k] = dot(&column.rho, &z);
            }
            for (k, column) in columns.iter().enumerate() {
                let more: f64 = (0..node.dofs).map(|l| self.inverse[i][(k, l)] * drag[l]).sum();
                r[node.v + k] = -r[node.v + k] - more;
                z += column.gamma * r[node.v + k];
            }
            self.y[i] = z;
        }
    }
}

/// `A = (turning forces, 0; 0, I)` of one body.
fn add_body(a: &mut Matrix12, balance: &Balance, i: usize) {
    let (inertia, load) = (&balance.kinematics.frames[i].inertia, &balance.loads.loads[i]);
    let (force, placed) = (load.fixed.cross_matrix(), load.placed.cross_matrix());
    for k in 0..3 {
        for l in 0..3 {
            a[(k, 3 + l)] += force[(k, l)];
            a[(3 + k, l)] += placed[(k, l)];
            a[(3 + k, 3 + l)] += load.turning[(k, l)];
        }
    }
    if inertia.mass > 0.0 {
        let matrix = inertia.matrix();
        for l in 0..6 {
            for k in 0..6 {
                a[(6 + k, 6 + l)] += matrix[(k, l)];
            }
        }
    }
}

fn halves(x: &Vector12) -> (Vector6<f64>, Vector6<f64>) {
    (x.fixed_rows::<6>(0).into(), x.fixed_rows::<6>(6).into())
}

/// `ρ += Aᵀ Ψ` and `Λ += A Γ`.
fn add_products(a: &Matrix12, column: &mut Column) {
    let ([psi], [gamma]) = (&column.psi.data.0, &column.gamma.data.0);
    let ([rho], [load]) = (&mut column.rho.data.0, &mut column.load.data.0);
    for (l, a) in a.data.0.iter().enumerate() {
        rho[l] += dot_of(a, psi);
        for k in 0..12 {
            load[k] += a[k] * gamma[l];
        }
    }
}

/// `A −= x yᵀ`.
fn subtract_product(a: &mut Matrix12, x: &Vector12, y: &Vector12) {
    let ([x], [y]) = (&x.data.0, &y.data.0);
    for (a, y) in a.data.0.iter_mut().zip(y) {
        for k in 0..12 {
            a[k] -= x[k] * y;
        }
    }
}

/// From twists at a point to wrenches there; both to a point `d` before it.
fn shift(a: &mut Matrix12, d: &Vec3) {
    for half in [0, 6] {
        let [x, y, z, to_x, to_y, to_z] = a.data.0[half..half + 6].as_chunks_mut::<6>().0[0].each_mut();
        for i in 0..12 {
            to_x[i] += d.y * z[i] - d.z * y[i];
            to_y[i] += d.z * x[i] - d.x * z[i];
            to_z[i] += d.x * y[i] - d.y * x[i];
        }
    }
    for column in &mut a.data.0 {
        for half in column.as_chunks_mut::<6>().0 {
            half[3] += d.y * half[2] - d.z * half[1];
            half[4] += d.z * half[0] - d.x * half[2];
            half[5] += d.x * half[1] - d.y * half[0];
        }
    }
}

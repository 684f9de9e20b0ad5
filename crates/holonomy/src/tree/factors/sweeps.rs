//! Elimination joint by joint, in O(n): the articulated-body algorithm for matrices that need not be symmetric.
//!
//! With `y_i = A_i z_i + α_i`, where A_i and α_i have taken in what node i carries, a joint is eliminated by an update of
//! its rank,
//!
//! ```text
//! ρ = Aᵀ Ψ + σ,   D = ρᵀ Γ + κ,   x_i = D⁻¹ (r_i − Ψᵀ α_i − ρᵀ z_p)
//! A_p += A − (A Γ + Λ) D⁻¹ ρᵀ
//! α_p += α + (A Γ + Λ) D⁻¹ (r_i − Ψᵀ α)
//! ```
//! inward for A and α, and outward for x and z. Between neighbours all of it is shifted from origin to origin.
use super::{Column, Node, Spatial, Square, Tree, dot, dot_of};
use crate::{
    Vec3,
    geometry::se3::{twist_at, wrench_from},
    tree::Frame,
};
use nalgebra::{Matrix3, Vector6};

/// What a matrix is made of, node by node.
pub(crate) trait Terms<const N: usize> {
    /// Whether it is symmetric and positive: then `Γ = Ψ`, `Λ = σ = 0`, and A of all nodes is stored.
    const SYMMETRIC: bool;
    /// Where the nodes are.
    fn frames(&self) -> &[Frame];
    /// Adds A of one node alone.
    fn add_body(&self, i: usize, a: &mut Square<N>);
    /// Writes Γ and Ψ of a joint, σ in place of ρ, and Λ in place of A Γ + Λ; κ is returned.
    fn prepare(&self, i: usize, node: &Node, columns: &mut [Column<N>]) -> Matrix3<f64>;
}

/// The eliminated matrix.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sweeps<const N: usize> {
    columns: Vec<Column<N>>,
    /// D⁻¹ by node; for one velocity its first entry.
    inverse: Vec<Matrix3<f64>>,
    offsets: Vec<Vec3>,
    /// Matrices A of nodes that have received from their children and not yet given to their parents; of all nodes,
    /// if the matrix is symmetric.
    slots: Vec<Square<N>>,
    slot: Vec<Option<usize>>,
    /// α in the inward sweep, z in the outward one.
    y: Vec<Spatial<N>>,
    /// Nodes on which anything acts in `solve_marked`, and all that carry them.
    marked: Vec<bool>,
}

/// What is left of an inertia by cancellation alone is no inertia.
const CANCELLED: f64 = 1e-12;

impl<const N: usize> Sweeps<N> {
    /// Makes room for a tree. A slot is free again once its node has been eliminated: a chain needs one.
    fn fit(&mut self, tree: &Tree, stored: bool) {
        let n = tree.nodes.len();
        if self.y.len() == n && self.columns.len() == tree.velocities {
            return;
        }
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
        if stored {
            (slot, count) = ((0..n).map(Some).collect(), n);
        }
        *self = Self {
            columns: vec![Column::default(); tree.velocities],
            inverse: vec![Matrix3::zeros(); n],
            offsets: vec![Vec3::zeros(); n],
            slots: vec![Square::zeros(); count],
            slot,
            y: vec![Spatial::zeros(); n],
            marked: vec![false; n],
        };
    }

    /// Eliminates a matrix, with what else acts on single nodes, in their order. The node whose pivot is singular is
    /// the error.
    pub(super) fn factorise<T: Terms<N>>(
        &mut self,
        tree: &Tree,
        terms: &T,
        more: &[(usize, Square<N>)],
    ) -> Result<(), usize> {
        self.fit(tree, T::SYMMETRIC);
        let (frames, mut more) = (terms.frames(), more.iter().rev().peekable());
        for (i, a) in self.slots.iter_mut().enumerate() {
            *a = Square::zeros();
            if T::SYMMETRIC {
                terms.add_body(i, a);
            }
        }
        for (i, node) in tree.nodes.iter().enumerate().rev() {
            self.offsets[i] = frames[i].offset;
            let mut a = match self.slot[i] {
                Some(slot) if T::SYMMETRIC => self.slots[slot],
                Some(slot) => std::mem::replace(&mut self.slots[slot], Square::zeros()),
                None => Square::zeros(),
            };
            if !T::SYMMETRIC {
                terms.add_body(i, &mut a);
            }
            while let Some((_, more)) = more.next_if(|(node, _)| *node == i) {
                a += more;
            }
            let columns = &mut self.columns[node.v..node.v + node.dofs];
            let kappa = terms.prepare(i, node, columns);
            for column in columns.iter_mut() {
                add_products::<N, T>(&a, column);
            }
            self.inverse[i] = pivot::<N, T>(&a, columns, &kappa).ok_or(i)?;
            let Some(slot) = node.parent.and_then(|parent| self.slot[parent]) else {
                continue;
            };
            for k in 0..node.dofs {
                let mut row = Spatial::zeros();
                for l in 0..node.dofs {
                    row += columns[l].rho * self.inverse[i][(k, l)];
                }
                subtract_product(&mut a, &columns[k].load, &row);
            }
            shift(&mut a, &frames[i].offset);
            if T::SYMMETRIC {
                // Rounding that is not symmetric would double at every joint: `U D⁻¹ Uᵀ` is `A S D⁻¹ Sᵀ Aᵀ`.
                a = (a + a.transpose()) * 0.5;
            }
            self.slots[slot] += a;
        }
        Ok(())
    }

    /// What acts on the nodes besides, α, as zeros to add to; then comes `solve_loaded`.
    pub(crate) fn unload(&mut self) -> &mut [Spatial<N>] {
        self.y.fill(Spatial::zeros());
        &mut self.y
    }

    /// Nothing acts on any node; then come `mark` and `solve_marked`.
    pub(super) fn clear_marks(&mut self) {
        self.marked.fill(false);
    }

    /// α of a node on which something acts, to add to: zero at first, as it is of all that carry it.
    pub(super) fn mark(&mut self, tree: &Tree, node: usize) -> &mut Spatial<N> {
        let mut next = Some(node).filter(|node| !self.marked[*node]);
        while let Some(i) = next {
            (self.marked[i], self.y[i]) = (true, Spatial::zeros());
            next = tree.nodes[i].parent.filter(|parent| !self.marked[*parent]);
        }
        &mut self.y[node]
    }

    /// Solves `J x = r` in place, where nothing acts on nodes, or in their joints, but those marked: the others have nothing
    /// to pass inward.
    pub(super) fn solve_marked(&mut self, tree: &Tree, r: &mut [f64]) {
        self.substitute::<false, true>(tree, r, |_| None);
    }

    /// z of the nodes in the last solution.
    pub(crate) fn changes(&self) -> &[Spatial<N>] {
        &self.y
    }

    /// `J⁻¹ r` in place.
    pub(crate) fn solve(&mut self, tree: &Tree, r: &mut [f64]) {
        self.unload();
        self.solve_loaded(tree, r);
    }

    /// Solves `J x = r` in place, with α from `unload`.
    pub(crate) fn solve_loaded(&mut self, tree: &Tree, r: &mut [f64]) {
        self.substitute::<false, false>(tree, r, |_| None);
    }

    /// Solves `Jᵀ x = r` in place, with what acts on z, as y on α, from `unload`; then `changes` are those of y.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn solve_loaded_transposed(&mut self, tree: &Tree, r: &mut [f64]) {
        self.substitute::<true, false>(tree, r, |_| None);
    }

    /// The same where joints add `given` to z, by node. It needs A of the nodes: the matrix must be symmetric.
    pub(crate) fn solve_given(&mut self, tree: &Tree, r: &mut [f64], given: &[Spatial<N>]) {
        self.substitute::<false, false>(tree, r, |i| given.get(i));
    }

    /// With the matrix, or the transposed one: Γ ↔ Ψ, ρ ↔ A Γ + Λ, D⁻¹ transposed; inward from all nodes, or those marked.
    #[inline(always)]
    fn substitute<'g, const TRANSPOSED: bool, const MARKED: bool>(
        &mut self,
        tree: &Tree,
        r: &mut [f64],
        given: impl Fn(usize) -> Option<&'g Spatial<N>>,
    ) {
        let inverse = |d: &Matrix3<f64>, k: usize, l: usize| if TRANSPOSED { d[(l, k)] } else { d[(k, l)] };
        for (i, node) in tree.nodes.iter().enumerate().rev() {
            if MARKED && !self.marked[i] {
                continue;
            }
            let mut alpha = self.y[i];
            if let Some(given) = given(i).filter(|given| **given != Spatial::<N>::zeros()) {
                alpha += self.slots[i] * given;
            }
            let columns = &self.columns[node.v..node.v + node.dofs];
            let mut rest = [0.0; 3];
            for (k, column) in columns.iter().enumerate() {
                let across = if TRANSPOSED { &column.gamma } else { &column.psi };
                rest[k] = r[node.v + k] - dot(across, &alpha);
            }
            for (k, column) in columns.iter().enumerate() {
                let d = &self.inverse[i];
                let x: f64 = (0..node.dofs).map(|l| inverse(d, k, l) * rest[l]).sum();
                r[node.v + k] = x;
                let load = if TRANSPOSED { &column.rho } else { &column.load };
                alpha += load * x;
            }
            if let Some(parent) = node.parent {
                let d = &self.offsets[i];
                self.y[parent] += by_sixes(&alpha, |wrench| wrench_from(wrench, d));
            }
        }
        for (i, node) in tree.nodes.iter().enumerate() {
            let mut z = match node.parent {
                None => Spatial::zeros(),
                Some(parent) => {
                    let d = &self.offsets[i];
                    by_sixes(&self.y[parent], |twist| twist_at(twist, d))
                }
            };
            let columns = &self.columns[node.v..node.v + node.dofs];
            let mut drag = [0.0; 3];
            for (k, column) in columns.iter().enumerate() {
                let rho = if TRANSPOSED { &column.load } else { &column.rho };
                drag[k] = dot(rho, &z);
            }
            if let Some(given) = given(i) {
                z += given;
            }
            for (k, column) in columns.iter().enumerate() {
                let d = &self.inverse[i];
                r[node.v + k] -= (0..node.dofs).map(|l| inverse(d, k, l) * drag[l]).sum::<f64>();
                let gamma = if TRANSPOSED { &column.psi } else { &column.gamma };
                z += gamma * r[node.v + k];
            }
            self.y[i] = z;
        }
    }
}

/// `D⁻¹` of a joint; `None` where D is singular, or not positive if it should be.
#[inline]
fn pivot<const N: usize, T: Terms<N>>(
    a: &Square<N>,
    columns: &[Column<N>],
    kappa: &Matrix3<f64>,
) -> Option<Matrix3<f64>> {
    let entry = |k: usize, l: usize| match T::SYMMETRIC {
        true => dot(&columns[k].psi, &columns[l].load) + kappa[(k, l)],
        false => dot(&columns[k].rho, &columns[l].gamma) + kappa[(k, l)],
    };
    let moves =
        |k: usize, inverse: f64| inverse > 0.0 && inverse * CANCELLED * terms(a, &columns[k].psi) < 1.0;
    match columns.len() {
        0 => Some(Matrix3::zeros()),
        1 => {
            let d = entry(0, 0);
            let regular = match T::SYMMETRIC {
                true => moves(0, 1.0 / d),
                false => d.abs() > 0.0 && d.is_finite(),
            };
            regular.then(|| {
                let mut inverse = Matrix3::zeros();
                inverse[(0, 0)] = 1.0 / d;
                inverse
            })
        }
        _ => {
            let inverse = Matrix3::from_fn(entry).try_inverse()?;
            (!T::SYMMETRIC || (0..3).all(|k| moves(k, inverse[(k, k)]))).then_some(inverse)
        }
    }
}

/// The size of the terms that ΨᵀAΨ is a sum of. Masses and moments of inertia have different units: each by its own.
#[inline]
fn terms<const N: usize>(a: &Square<N>, psi: &Spatial<N>) -> f64 {
    let part = |from: usize| {
        let (mut largest, mut square) = (0.0, 0.0);
        for k in from..from + 3 {
            largest = f64::max(largest, a[(k, k)]);
            square += psi[k] * psi[k];
        }
        largest * square
    };
    f64::max(part(0), part(3))
}

/// A function of spatial vectors, for each of those that z and y are made of.
#[inline]
fn by_sixes<const N: usize>(x: &Spatial<N>, act: impl Fn(&Vector6<f64>) -> Vector6<f64>) -> Spatial<N> {
    let mut out = Spatial::zeros();
    let parts = out.data.0[0].as_chunks_mut::<6>().0;
    for (out, x) in parts.iter_mut().zip(x.data.0[0].as_chunks::<6>().0) {
        *out = act(&Vector6::from(*x)).data.0[0];
    }
    out
}

/// `ρ += Aᵀ Ψ` and `Λ += A Γ`.
#[inline]
fn add_products<const N: usize, T: Terms<N>>(a: &Square<N>, column: &mut Column<N>) {
    let ([psi], [gamma]) = (&column.psi.data.0, &column.gamma.data.0);
    let ([rho], [load]) = (&mut column.rho.data.0, &mut column.load.data.0);
    for (l, a) in a.data.0.iter().enumerate() {
        if !T::SYMMETRIC {
            rho[l] += dot_of(a, psi);
        }
        for k in 0..N {
            load[k] += a[k] * gamma[l];
        }
    }
    if T::SYMMETRIC {
        *rho = *load;
    }
}

/// `A −= x yᵀ`.
#[inline]
fn subtract_product<const N: usize>(a: &mut Square<N>, x: &Spatial<N>, y: &Spatial<N>) {
    let ([x], [y]) = (&x.data.0, &y.data.0);
    for (a, y) in a.data.0.iter_mut().zip(y) {
        for k in 0..N {
            a[k] -= x[k] * y;
        }
    }
}

/// From twists at a point to wrenches there; both to a point `d` before it.
#[inline]
pub(crate) fn shift<const N: usize>(a: &mut Square<N>, d: &Vec3) {
    for half in a.data.0.as_chunks_mut::<6>().0 {
        let [x, y, z, to_x, to_y, to_z] = half;
        for i in 0..N {
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

//! Solutions with the transposed matrix, by the same factors, and what terms of low rank do by themselves.
//!
//! ```text
//! (J + C R)ᵀ x = r:    x = J⁻ᵀ (r − Rᵀ s),   (1 + R J⁻¹ C)ᵀ s = Cᵀ J⁻ᵀ r
//! Jᵀ = Uᵀ Lᵀ                                  where entries are written out
//! ```
use super::{Branched, Factors, LowRank, Spatial, Tree, low_rank::NodeVector};
use crate::simd::{Eight, Vector};

impl<const N: usize> Factors<N> {
    /// `J⁻¹ r` in place.
    pub(crate) fn solve(&mut self, tree: &Tree, r: &mut [f64]) {
        self.inward(tree, r);
        self.outward(r);
    }

    /// `J⁻ᵀ r` in place.
    pub(crate) fn solve_transposed(&mut self, tree: &Tree, r: &mut [f64]) {
        if let Some(written) = &self.written {
            return written.solve_transposed(r);
        }
        let (terms, sweeps) = (&mut self.low_rank, &mut self.sweeps);
        if terms.rank() == 0 {
            sweeps.unload();
            return sweeps.solve_loaded_transposed(tree, r);
        }
        terms.right.copy_from_slice(r);
        sweeps.unload();
        sweeps.solve_loaded_transposed(tree, &mut terms.right);
        terms.s.fill(0.0);
        measure(&terms.columns, sweeps.changes(), &mut terms.s);
        for column in &terms.joint_columns {
            terms.s[column.number] += column.value * terms.right[column.velocity];
        }
        terms.matrix.substitute_transposed(&mut terms.s);
        act(&terms.rows, &terms.s, sweeps.unload());
        for row in &terms.joint_rows {
            r[row.velocity] -= row.value * terms.s[row.number];
        }
        sweeps.solve_loaded_transposed(tree, r);
    }
}

impl Branched {
    /// `A⁻ᵀ b` in place: `Uᵀ` from the leaves, `Lᵀ` from the root.
    fn solve_transposed(&self, b: &mut [f64]) {
        let (rows, columns) = (self.rows.as_flattened(), self.columns.as_flattened());
        for (i, (start, depth)) in self.ways_of.iter().enumerate().rev() {
            let range = 4 * start..4 * start + depth;
            let x = b[i] * rows[range.end];
            b[i] = x;
            for (a, u) in self.ways[range.clone()].iter().zip(&rows[range]) {
                b[*a] -= u * x;
            }
        }
        for (i, (start, depth)) in self.ways_of.iter().enumerate() {
            let range = 4 * start..4 * start + depth;
            let ways = self.ways[range.clone()].iter().zip(&columns[range]);
            b[i] -= ways.map(|(a, l)| l * b[*a]).sum::<f64>();
        }
    }
}

impl Branched {
    /// `A⁻¹ b` in place, for eight right sides.
    #[inline(always)]
    #[expect(
        clippy::needless_range_loop,
        reason = "closures of iterators are not inlined into a kernel"
    )]
    pub(crate) fn solve_together<V: Vector>(&self, token: V::Token, b: &mut [Eight]) {
        let (rows, columns) = (self.rows.as_flattened(), self.columns.as_flattened());
        for i in (0..self.ways_of.len()).rev() {
            let (start, depth) = self.ways_of[i];
            let x = V::load(token, &b[i]);
            for k in 4 * start..4 * start + depth {
                let a = self.ways[k];
                let left: V = V::load(token, &b[a]) - x * columns[k];
                left.store(&mut b[a]);
            }
        }
        for i in 0..self.ways_of.len() {
            let (start, depth) = self.ways_of[i];
            let mut x = V::load(token, &b[i]);
            for k in 4 * start..4 * start + depth {
                x = x - V::load(token, &b[self.ways[k]]) * rows[k];
            }
            let solved: V = x * rows[4 * start + depth];
            solved.store(&mut b[i]);
        }
    }
}

impl<const N: usize> LowRank<N> {
    /// Whether there are no terms.
    pub(crate) fn is_empty(&self) -> bool {
        self.rank == 0 && self.on_one_node.is_empty()
    }

    /// The transpose of [`LowRank::apply`].
    pub(crate) fn apply_transposed(
        &mut self,
        y: &[Spatial<N>],
        r: &[f64],
        z: &mut [Spatial<N>],
        (q, v): (&mut [f64], &mut [f64]),
    ) {
        for (node, matrix) in &self.on_one_node {
            z[*node] += matrix.tr_mul(&y[*node]);
        }
        self.s.clear();
        self.s.resize(self.rank, 0.0);
        measure(&self.columns, y, &mut self.s);
        for column in &self.joint_columns {
            self.s[column.number] += column.value * r[column.velocity];
        }
        act(&self.rows, &self.s, z);
        for row in &self.joint_rows {
            let by = row.value * self.s[row.number];
            let to = if row.rate { &mut *v } else { &mut *q };
            to[row.velocity] += by;
        }
    }
}

fn measure<const N: usize>(rows: &[NodeVector<N>], z: &[Spatial<N>], s: &mut [f64]) {
    for row in rows {
        s[row.number] += row.values.dot(&z[row.node]);
    }
}

fn act<const N: usize>(columns: &[NodeVector<N>], s: &[f64], y: &mut [Spatial<N>]) {
    for column in columns {
        y[column.node].axpy(s[column.number], &column.values, 1.0);
    }
}

//! Matrices with the pattern of a tree: entries only between a velocity and those that carry it.
//!
//! ```text
//! way(i) = a₀ a₁ … i             the velocities from the root to i, i included
//! u_i = (A_ia),  l_i = (A_ai)     a ∈ way(i)
//!
//! A_ab −= A_ai A_ib / A_ii       from the leaves, for a and b that carry i: nothing comes in that was not there
//! ```
//! The way to a velocity begins with the way to each that carries it, so that all loops run along rows that
//! are stored one after the other. Rows are as long as a multiple of four, and loops take four entries at a time:
//! what stands beyond the end of a row is of no meaning. O(Σ d²) for depths d, and O(Σ d) for a solution.
//!
//! `A = L U`, L with units on its diagonal. `L⁻¹ b` has entries where b has, and for what carries those: half of a
//! solution costs no more than their ways.
use super::Tree;
use std::ops::Range;

/// A matrix, and then its factors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Branched {
    /// Where the way to each velocity begins, in fours, and how many are before it on its way.
    ways_of: Vec<(usize, usize)>,
    ways: Vec<usize>,
    /// u, row after row; at the end of a way the diagonal, and once factorised its inverse.
    rows: Vec<[f64; 4]>,
    /// l, column after column; once factorised divided by the diagonal.
    columns: Vec<[f64; 4]>,
    diagonal: Vec<f64>,
}

/// Squares of depths, per velocity, up to which elimination entry by entry costs less than by sweeps.
const SHALLOW: usize = 800;
/// A pivot below this fraction of the entry it was is what cancellation left of nothing.
const CANCELLED: f64 = 1e-14;

impl Branched {
    /// For a tree that is small, or branches early.
    pub(crate) fn small(tree: &Tree) -> Option<Self> {
        let mut depths: Vec<usize> = Vec::new();
        for node in &tree.nodes {
            let before = node.parent.map_or(0, |parent| depths[parent]);
            depths.push(before + node.dofs);
        }
        let squares = depths.iter().zip(&tree.nodes).map(|(d, node)| d * d * node.dofs);
        (squares.sum::<usize>() <= SHALLOW * tree.velocities()).then(|| Self::new(tree))
    }

    fn new(tree: &Tree) -> Self {
        let mut out = Self::default();
        for node in &tree.nodes {
            let mut carrier = node.parent;
            while let Some(c) = carrier.filter(|c| tree.nodes[*c].dofs == 0) {
                carrier = tree.nodes[c].parent;
            }
            let mut carrier = carrier.map(|c| tree.nodes[c].v + tree.nodes[c].dofs - 1);
            for j in node.v..node.v + node.dofs {
                let start = out.ways.len();
                let mut depth = 0;
                if let Some((at, above)) = carrier.map(|c| out.ways_of[c]) {
                    depth = above + 1;
                    out.ways.extend_from_within(4 * at..4 * at + depth);
                }
                out.ways.push(j);
                out.ways.resize((start + depth + 1).next_multiple_of(4), j);
                out.ways_of.push((start / 4, depth));
                carrier = Some(j);
            }
        }
        out.rows = vec![[0.0; 4]; out.ways.len() / 4];
        out.columns = out.rows.clone();
        out
    }

    /// The way to a velocity, and the row and the column to fill along it.
    pub(crate) fn entries(&mut self, i: usize) -> (&[usize], &mut [f64], &mut [f64]) {
        let (start, depth) = self.ways_of[i];
        let (rows, columns) = (self.rows.as_flattened_mut(), self.columns.as_flattened_mut());
        let range = 4 * start..=4 * start + depth;
        (
            &self.ways[range.clone()],
            &mut rows[range.clone()],
            &mut columns[range],
        )
    }

    /// Factorises in place. The velocity whose pivot is zero, or no number, is the error.
    pub(crate) fn factorise(&mut self) -> Result<(), usize> {
        for (i, (start, depth)) in self.ways_of.iter().copied().enumerate().rev() {
            let (above_rows, row) = self.rows.split_at_mut(start);
            let (above_columns, column) = self.columns.split_at_mut(start);
            let end = depth / 4 + 1;
            let (row, column) = (&mut row[..end], &mut column[..end]);
            let inverse = 1.0 / pivot(row[depth / 4][depth % 4], i)?;
            row[depth / 4][depth % 4] = inverse;
            for x in column.as_flattened_mut() {
                *x *= inverse;
            }
            for (k, a) in self.ways[4 * start..4 * start + depth].iter().enumerate() {
                let (at, end) = (self.ways_of[*a].0, k / 4 + 1);
                let (u, l) = (row[k / 4][k % 4], column[k / 4][k % 4]);
                subtract(&mut above_rows[at..at + end], l, &row[..end]);
                subtract(&mut above_columns[at..at + end], u, &column[..end]);
            }
        }
        Ok(())
    }

    /// The same for a symmetric, positive matrix, of which the rows are given.
    pub(crate) fn factorise_symmetric(&mut self) -> Result<(), usize> {
        self.diagonal.clear();
        let rows = self.rows.as_flattened();
        let diagonal = self.ways_of.iter().map(|(start, depth)| rows[4 * start + depth]);
        self.diagonal.extend(diagonal);
        for (i, (start, depth)) in self.ways_of.iter().copied().enumerate().rev() {
            let (above, row) = self.rows.split_at_mut(start);
            let end = depth / 4 + 1;
            let (row, column) = (&mut row[..end], &mut self.columns[start..start + end]);
            let left = pivot(row[depth / 4][depth % 4], i)?;
            if !(left > CANCELLED * self.diagonal[i]) {
                return Err(i);
            }
            let inverse = 1.0 / left;
            for (l, u) in column.iter_mut().zip(&*row) {
                *l = u.map(|u| u * inverse);
            }
            for (k, a) in self.ways[4 * start..4 * start + depth].iter().enumerate() {
                let (at, end) = (self.ways_of[*a].0, k / 4 + 1);
                subtract(&mut above[at..at + end], column[k / 4][k % 4], &row[..end]);
            }
            row[depth / 4][depth % 4] = inverse;
        }
        Ok(())
    }

    /// The first half of a solution, `L⁻¹ b` in place.
    pub(crate) fn inward(&self, b: &mut [f64]) {
        self.inward_within(&[0..self.ways_of.len()], b);
    }

    /// The same where b is zero but for some velocities, with all that carry them: runs of them, in order.
    pub(crate) fn inward_within(&self, runs: &[Range<usize>], b: &mut [f64]) {
        let columns = self.columns.as_flattened();
        for i in runs.iter().rev().flat_map(|run| run.clone().rev()) {
            let (start, depth) = self.ways_of[i];
            let range = 4 * start..4 * start + depth;
            let x = b[i];
            for (a, l) in self.ways[range.clone()].iter().zip(&columns[range]) {
                b[*a] -= l * x;
            }
        }
    }

    /// `U⁻ᵀ b` in place, where b is zero but for some velocities.
    pub(crate) fn transposed_within(&self, runs: &[Range<usize>], b: &mut [f64]) {
        let rows = self.rows.as_flattened();
        for i in runs.iter().rev().flat_map(|run| run.clone().rev()) {
            let (start, depth) = self.ways_of[i];
            let range = 4 * start..4 * start + depth;
            let x = b[i] * rows[range.end];
            b[i] = x;
            for (a, u) in self.ways[range.clone()].iter().zip(&rows[range]) {
                b[*a] -= u * x;
            }
        }
    }

    /// The second half of a solution, `U⁻¹ b` in place.
    pub(crate) fn outward(&self, b: &mut [f64]) {
        let rows = self.rows.as_flattened();
        for (i, (start, depth)) in self.ways_of.iter().enumerate() {
            let range = 4 * start..4 * start + depth;
            // Two sums, each in order: one would wait for every addition.
            let mut sums = [0.0; 2];
            let (pairs, rest) = self.ways[range.clone()].as_chunks::<2>();
            let (row_pairs, row_rest) = rows[range.clone()].as_chunks::<2>();
            for (a, u) in pairs.iter().zip(row_pairs) {
                sums[0] += u[0] * b[a[0]];
                sums[1] += u[1] * b[a[1]];
            }
            for (a, u) in rest.iter().zip(row_rest) {
                sums[0] += u * b[*a];
            }
            b[i] = (b[i] - (sums[0] + sums[1])) * rows[range.end];
        }
    }
}

fn pivot(value: f64, i: usize) -> Result<f64, usize> {
    if value.abs() > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(i)
    }
}

/// `x −= factor y`.
#[inline]
fn subtract(x: &mut [[f64; 4]], factor: f64, y: &[[f64; 4]]) {
    for (x, y) in x.iter_mut().zip(y) {
        for k in 0..4 {
            x[k] -= factor * y[k];
        }
    }
}

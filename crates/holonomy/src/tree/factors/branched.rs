//! Matrices with the pattern of a tree: entries only between a velocity and those that carry it.
//!
//! ```text
//! way(i) = a₀ a₁ … i             the velocities from the root to i, i included
//! u_i = (A_ia),  l_i = (A_ai)     a ∈ way(i)
//!
//! A_ab −= A_ai A_ib / A_ii       from the leaves, for a and b that carry i: no fill-in
//! ```
//! The way to a velocity begins with the way to each that carries it, so that all loops run along rows that
//! are stored one after the other. Rows are as long as a multiple of four, and loops take four entries at a time:
//! what stands beyond the end of a row is padding. O(Σ d²) for depths d, and O(Σ d) for a solution.
//!
//! `A = L U`, L with units on its diagonal. `L⁻¹ b` has entries where b has, and for what carries those.
use super::Tree;
use crate::simd::with_width;

/// Calls for W of `count` things at a time, from the given first one, until all are done.
macro_rules! in_lanes {
    ($count:expr, $first:ident, $w:ident => $call:expr) => {{
        let mut $first = 0;
        while $first < $count {
            let width = match $count - $first {
                few @ 1..=4 => few,
                5 => 4,
                6 | 7 => 6,
                _ => 8,
            };
            with_width!(width, $w => $call);
            $first += width;
        }
    }};
}

/// A matrix, and then its factors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Branched {
    /// Where the way to each velocity begins, in fours, and how many are before it on its way.
    pub(super) ways_of: Vec<(usize, usize)>,
    pub(super) ways: Vec<usize>,
    /// Where the ways of what each velocity carries begin, the last first; and where the list of each begins.
    carried: Vec<usize>,
    carried_by: Vec<usize>,
    /// u, row after row; at the end of a way the diagonal, and once factorised its inverse.
    pub(super) rows: Vec<[f64; 4]>,
    /// l, column after column; once factorised divided by the diagonal.
    pub(super) columns: Vec<[f64; 4]>,
    /// Whether the matrix was factorised as a symmetric one.
    symmetric: bool,
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
        let mut carried = vec![Vec::new(); out.ways_of.len()];
        for (start, depth) in out.ways_of.iter().rev() {
            for a in &out.ways[4 * start..4 * start + depth] {
                carried[*a].push(*start);
            }
        }
        for list in carried {
            out.carried_by.push(out.carried.len());
            out.carried.extend(list);
        }
        out.carried_by.push(out.carried.len());
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
        self.symmetric = false;
        for a in (0..self.ways_of.len()).rev() {
            let (start, depth) = self.ways_of[a];
            in_lanes!(depth / 4 + 1, first, E => self.gather::<E, true>(a, first));
            let diagonal = &mut self.rows[start + depth / 4][depth % 4];
            *diagonal = 1.0 / pivot(*diagonal, a)?;
            let inverse = *diagonal;
            for x in self.columns[start..=start + depth / 4].as_flattened_mut() {
                *x *= inverse;
            }
        }
        Ok(())
    }

    /// The same for a symmetric, positive matrix, of which the rows are given.
    pub(crate) fn factorise_symmetric(&mut self) -> Result<(), usize> {
        self.symmetric = true;
        for a in (0..self.ways_of.len()).rev() {
            let (start, depth) = self.ways_of[a];
            let (at, lane) = (start + depth / 4, depth % 4);
            let whole = self.rows[at][lane];
            in_lanes!(depth / 4 + 1, first, E => self.gather::<E, false>(a, first));
            let left = pivot(self.rows[at][lane], a)?;
            if !(left > CANCELLED * whole) {
                return Err(a);
            }
            let inverse = 1.0 / left;
            for (l, u) in self.columns[start..=at].iter_mut().zip(&self.rows[start..=at]) {
                *l = u.map(|u| u * inverse);
            }
            self.rows[at][lane] = inverse;
        }
        Ok(())
    }

    /// Takes from E fours of a row, and of its column if `BOTH`, what the elimination of all that it carries takes.
    fn gather<const E: usize, const BOTH: bool>(&mut self, a: usize, first: usize) {
        let (start, depth) = self.ways_of[a];
        let (mut row, mut column) = ([[0.0; 4]; E], [[0.0; 4]; E]);
        row.copy_from_slice(&self.rows[start + first..start + first + E]);
        if BOTH {
            column.copy_from_slice(&self.columns[start + first..start + first + E]);
        }
        for at in &self.carried[self.carried_by[a]..self.carried_by[a + 1]] {
            let (rows, columns) = (&self.rows[*at..], &self.columns[*at..]);
            let (u, l) = (rows[depth / 4][depth % 4], columns[depth / 4][depth % 4]);
            subtract(&mut row, l, &rows[first..first + E]);
            if BOTH {
                subtract(&mut column, u, &columns[first..first + E]);
            }
        }
        self.rows[start + first..start + first + E].copy_from_slice(&row);
        if BOTH {
            self.columns[start + first..start + first + E].copy_from_slice(&column);
        }
    }

    /// The first half of a solution, `L⁻¹ b` in place.
    pub(crate) fn inward(&self, b: &mut [f64]) {
        let columns = self.columns.as_flattened();
        for (i, (start, depth)) in self.ways_of.iter().enumerate().rev() {
            let range = 4 * start..4 * start + depth;
            let x = b[i];
            for (a, l) in self.ways[range.clone()].iter().zip(&columns[range]) {
                b[*a] -= l * x;
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

    /// From `Rᵀ` and C to `U⁻ᵀ Rᵀ` and `L⁻¹ C`, as in [`super::Factors::split`].
    pub(crate) fn split(&self, among: &[usize], rows: &mut [f64], columns: &mut [f64], count: usize) {
        if self.symmetric {
            // `U = D Lᵀ`: both are `L⁻¹ C`, the first divided by D.
            in_lanes!(count, first, W => self.inward_lanes::<W>(among, columns, count, first));
            rows.copy_from_slice(columns);
            return self.divide_by_pivots(among, rows, count);
        }
        in_lanes!(count, first, W => self.transposed_lanes::<W>(among, rows, count, first));
        in_lanes!(count, first, W => self.inward_lanes::<W>(among, columns, count, first));
    }

    fn divide_by_pivots(&self, among: &[usize], b: &mut [f64], count: usize) {
        let rows = self.rows.as_flattened();
        for i in among {
            let (start, depth) = self.ways_of[*i];
            for x in &mut b[i * count..(i + 1) * count] {
                *x *= rows[4 * start + depth];
            }
        }
    }

    fn inward_lanes<const W: usize>(&self, among: &[usize], b: &mut [f64], count: usize, first: usize) {
        for i in among.iter().rev() {
            let x: [f64; W] = lanes(b, i * count + first);
            self.subtract_along(*i, &self.columns, &x, b, (count, first));
        }
    }

    fn transposed_lanes<const W: usize>(&self, among: &[usize], b: &mut [f64], count: usize, first: usize) {
        for i in among.iter().rev() {
            let (start, depth) = self.ways_of[*i];
            let inverse = self.rows[start + depth / 4][depth % 4];
            let x = lanes::<W>(b, i * count + first).map(|x| x * inverse);
            b[i * count + first..][..W].copy_from_slice(&x);
            self.subtract_along(*i, &self.rows, &x, b, (count, first));
        }
    }

    /// `B_a −= A_ia x` for all a that carry i.
    #[inline]
    fn subtract_along<const W: usize>(
        &self,
        i: usize,
        entries: &[[f64; 4]],
        x: &[f64; W],
        b: &mut [f64],
        (count, first): (usize, usize),
    ) {
        let (start, depth) = self.ways_of[i];
        let range = 4 * start..4 * start + depth;
        for (a, entry) in self.ways[range.clone()]
            .iter()
            .zip(&entries.as_flattened()[range])
        {
            let at = a * count + first;
            for (b, x) in b[at..at + W].iter_mut().zip(x) {
                *b -= entry * x;
            }
        }
    }
}

/// W numbers from a place on.
#[inline]
fn lanes<const W: usize>(b: &[f64], at: usize) -> [f64; W] {
    let mut out = [0.0; W];
    out.copy_from_slice(&b[at..at + W]);
    out
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

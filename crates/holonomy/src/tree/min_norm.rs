//! Linear systems that may be singular: the solution of least length.
//!
//! ```text
//! D A D = Q R Πᵀ           rows and columns scaled by D = |diag A|^{−1/2}; columns pivoted (Householder)
//! R = (T 0) Z              if rank R < size, from the right
//! y = D Π Zᵀ (T⁻¹ Qᵀ D b, 0)     one solution
//! x = y − N Nᵀ y                 N: the last columns of D Π Zᵀ, made orthonormal
//! ```
//! The rank is the number of diagonal entries of R that [`is_independent`] of the first. Where `D A D = L U` without
//! pivoting has pivots near one, the rank is full, and that will do.
use crate::solve::Lu;

/// What is left of an equation below this fraction is rounding, in matrices of products such as `G M⁻¹ Gᵀ`.
const REDUNDANT: f64 = 1e-11;

/// The rank test for constraints: whether what is left of an equation, once those before it have been taken out, is
/// more than rounding of the whole. Both are products of rows, as squares of lengths are.
pub(crate) fn is_independent(left: f64, whole: f64) -> bool {
    left > REDUNDANT * whole
}

/// Work space and factors, reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct MinNorm {
    size: usize,
    rank: usize,
    /// Whether `D A D = L U` will do.
    plain: bool,
    lu: Lu,
    /// Row by row, and once factorised column by column.
    matrix: Vec<f64>,
    scale: Vec<f64>,
    pivot: Vec<usize>,
    norms: Vec<f64>,
    left: Vec<f64>,
    right: Vec<f64>,
    /// Orthonormal vectors, one after the other, that A takes to zero.
    null: Vec<f64>,
    work: Vec<f64>,
}

impl MinNorm {
    /// Makes room for a matrix of the given size and returns it, zeroed, row by row.
    pub(crate) fn reset(&mut self, size: usize) -> &mut [f64] {
        self.size = size;
        self.matrix.clear();
        self.matrix.resize(size * size, 0.0);
        &mut self.matrix
    }

    /// Independent equations found by the last factorisation.
    pub(crate) fn rank(&self) -> usize {
        self.rank
    }

    /// Calls back with each equation that takes part in a dependence, from the last factorisation.
    pub(crate) fn dependent(&mut self, mut found: impl FnMut(usize)) {
        let (n, r) = (self.size, self.rank);
        for j in r..n {
            // Row j of Z spans what is not determined.
            self.work.clear();
            self.work.resize(n, 0.0);
            self.work[j] = 1.0;
            let mut b = std::mem::take(&mut self.work);
            self.expand(&mut b);
            for (k, share) in b.iter().enumerate() {
                if share.abs() > 1e-6 {
                    found(self.pivot[k]);
                }
            }
            self.work = b;
        }
    }

    /// `Zᵀ b`.
    fn expand(&self, b: &mut [f64]) {
        let (n, r, a) = (self.size, self.rank, &self.matrix);
        for k in 0..r {
            let sum = b[k] + (r..n).map(|j| a[j * n + k] * b[j]).sum::<f64>();
            let sum = self.right[k] * sum;
            b[k] -= sum;
            for j in r..n {
                b[j] -= a[j * n + k] * sum;
            }
        }
    }

    /// Factorises the matrix.
    pub(crate) fn factorise(&mut self) {
        let n = self.size;
        let a = &mut self.matrix;
        self.scale.clear();
        self.scale.extend((0..n).map(|i| {
            let d = a[i * n + i].abs().sqrt();
            if d > 0.0 { 1.0 / d } else { 1.0 }
        }));
        for (row, d) in a.chunks_exact_mut(n.max(1)).zip(&self.scale) {
            for (x, other) in row.iter_mut().zip(&self.scale) {
                *x *= d * other;
            }
        }
        self.rank = n;
        self.null.clear();
        self.lu.reset(n).copy_from_slice(a);
        self.plain = self.lu.factorise_in_order(REGULAR);
        if self.plain {
            return;
        }
        // From rows to columns.
        for i in 0..n {
            for j in 0..i {
                a.swap(i * n + j, j * n + i);
            }
        }
        self.pivot.clear();
        self.pivot.extend(0..n);
        for list in [&mut self.left, &mut self.right, &mut self.norms] {
            list.clear();
            list.resize(n, 0.0);
        }
        let mut first = 0.0;
        for k in 0..n {
            let columns = a[k * n..].chunks_exact(n);
            for (norm, column) in self.norms[k..].iter_mut().zip(columns) {
                *norm = column[k..].iter().map(|x| x * x).sum();
            }
            let best = (k..n)
                .max_by(|i, j| self.norms[*i].total_cmp(&self.norms[*j]))
                .unwrap_or(k);
            let (before, others) = a.split_at_mut((k + 1) * n);
            let column = &mut before[k * n..];
            if best != k {
                self.pivot.swap(k, best);
                column.swap_with_slice(&mut others[(best - k - 1) * n..(best - k) * n]);
                self.norms.swap(k, best);
            }
            let length = self.norms[k].sqrt();
            if k == 0 {
                first = length;
            }
            if !is_independent(length, first) {
                self.rank = k;
                break;
            }
            // v = x ± |x| e, scaled to v₁ = 1; τ in `left`.
            let alpha = column[k];
            let beta = -length.copysign(alpha);
            self.left[k] = (beta - alpha) / beta;
            let v = &mut column[k + 1..];
            for v in &mut *v {
                *v /= alpha - beta;
            }
            for other in others.chunks_exact_mut(n) {
                let (x, rest) = (other[k], &mut other[k + 1..]);
                let along = v.iter().zip(&*rest).fold(x, |sum, (v, x)| sum + v * x);
                let along = self.left[k] * along;
                for (x, v) in rest.iter_mut().zip(&*v) {
                    *x -= v * along;
                }
                other[k] = x - along;
            }
            column[k] = beta;
        }
        self.compress();
        self.find_null();
    }

    /// N, by Gram and Schmidt, twice for the rounding of the first.
    fn find_null(&mut self) {
        let (n, r) = (self.size, self.rank);
        for j in r..n {
            self.work.clear();
            self.work.resize(n, 0.0);
            self.work[j] = 1.0;
            let mut shares = std::mem::take(&mut self.work);
            self.expand(&mut shares);
            let start = self.null.len();
            self.null.resize(start + n, 0.0);
            for (k, share) in shares.iter().enumerate() {
                self.null[start + self.pivot[k]] = share * self.scale[self.pivot[k]];
            }
            self.work = shares;
            let (before, vector) = self.null.split_at_mut(start);
            take_out(before, vector);
            take_out(before, vector);
            let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
            vector.iter_mut().for_each(|x| *x /= length);
        }
    }

    /// `R = (T 0) Z`.
    fn compress(&mut self) {
        let (n, r, a) = (self.size, self.rank, &mut self.matrix);
        if r == n {
            return;
        }
        for k in (0..r).rev() {
            let tail: f64 = (r..n).map(|j| a[j * n + k] * a[j * n + k]).sum();
            if tail == 0.0 {
                continue;
            }
            let alpha = a[k * n + k];
            let beta = -(alpha * alpha + tail).sqrt().copysign(alpha);
            self.right[k] = (beta - alpha) / beta;
            for j in r..n {
                a[j * n + k] /= alpha - beta;
            }
            a[k * n + k] = beta;
            for i in 0..k {
                let mut sum = a[k * n + i];
                for j in r..n {
                    sum += a[j * n + k] * a[j * n + i];
                }
                sum *= self.right[k];
                a[k * n + i] -= sum;
                for j in r..n {
                    a[j * n + i] -= a[j * n + k] * sum;
                }
            }
        }
    }

    /// Solves in place.
    pub(crate) fn solve(&mut self, b: &mut [f64]) {
        let (n, r, a) = (self.size, self.rank, &self.matrix);
        for (b, d) in b.iter_mut().zip(&self.scale) {
            *b *= d;
        }
        if self.plain {
            self.lu.substitute(b);
            for (b, d) in b.iter_mut().zip(&self.scale) {
                *b *= d;
            }
            return;
        }
        for (k, column) in a.chunks_exact(n.max(1)).take(r).enumerate() {
            let (x, rest) = (b[k], &mut b[k + 1..]);
            let v = &column[k + 1..];
            let sum = v.iter().zip(&*rest).fold(x, |sum, (v, x)| sum + v * x);
            let sum = self.left[k] * sum;
            for (x, v) in rest.iter_mut().zip(v) {
                *x -= v * sum;
            }
            b[k] = x - sum;
        }
        for (k, column) in a.chunks_exact(n.max(1)).take(r).enumerate().rev() {
            let x = b[k] / column[k];
            b[k] = x;
            for (b, a) in b[..k].iter_mut().zip(column) {
                *b -= a * x;
            }
        }
        b[r..].fill(0.0);
        if r < n {
            self.expand(b);
        }
        self.work.clear();
        self.work.extend_from_slice(b);
        for k in 0..n {
            let j = self.pivot[k];
            b[j] = self.work[k] * self.scale[j];
        }
        take_out(&self.null, b);
    }
}

/// Takes the parts along orthonormal vectors out of x.
fn take_out(vectors: &[f64], x: &mut [f64]) {
    for vector in vectors.chunks_exact(x.len().max(1)) {
        let along = vector.iter().zip(&*x).fold(0.0, |sum, (v, x)| sum + v * x);
        for (x, v) in x.iter_mut().zip(vector) {
            *x -= v * along;
        }
    }
}

/// Pivots from this on, where the diagonal was one, tell a matrix that is far from singular.
const REGULAR: f64 = 1e-3;

#[cfg(test)]
mod tests {
    use super::*;

    fn solve(size: usize, entry: impl Fn(usize, usize) -> f64, b: &[f64]) -> (Vec<f64>, usize) {
        let mut system = MinNorm::default();
        let a = system.reset(size);
        for i in 0..size {
            for j in 0..size {
                a[i * size + j] = entry(i, j);
            }
        }
        system.factorise();
        let mut x = b.to_vec();
        system.solve(&mut x);
        (x, system.rank())
    }

    #[test]
    fn regular_systems_are_solved() {
        for n in 1..8 {
            let entry = |i: usize, j: usize| {
                ((3 * i + 5 * j + i * j) as f64).cos() + f64::from(u8::from(i == j)) * 3.0
            };
            let exact: Vec<f64> = (0..n).map(|i| 1.0 - i as f64).collect();
            let b: Vec<f64> = (0..n)
                .map(|i| (0..n).map(|j| entry(i, j) * exact[j]).sum())
                .collect();
            let (x, rank) = solve(n, entry, &b);
            assert_eq!(rank, n);
            assert!(x.iter().zip(&exact).all(|(a, b)| (a - b).abs() < 1e-13), "{x:?}");
        }
    }

    #[test]
    fn systems_far_from_singular_are_solved_as_others_are() {
        // A matrix near one, and its rows exchanged: without pivots near one only the first can be eliminated plainly.
        let near = |i: usize, j: usize| ((3 * i + 5 * j) as f64).sin() * 0.1 + f64::from(u8::from(i == j));
        let b = [1.0, -2.0, 0.5, 3.0, 0.1];
        let (plain, rank) = solve(5, near, &b);
        let exchanged: Vec<f64> = (0..5).map(|i| b[4 - i]).collect();
        let (other, other_rank) = solve(5, |i, j| near(4 - i, j), &exchanged);
        assert_eq!((rank, other_rank), (5, 5));
        for (a, b) in plain.iter().zip(&other) {
            assert!((a - b).abs() < 1e-13, "{plain:?} {other:?}");
        }
    }

    #[test]
    fn of_all_solutions_it_is_the_shortest_whatever_the_size_of_the_equations() {
        // One coordinate, held by an equation and by a tenth of it: λ₁ + λ₂/10 = 10, as short as can be.
        let g = [1.0, 0.1];
        let (x, rank) = solve(2, |i, j| g[i] * g[j], &[10.0 * g[0], 10.0 * g[1]]);
        assert_eq!(rank, 1);
        let exact = [10.0 / 1.01, 1.0 / 1.01];
        assert!(
            x.iter().zip(exact).all(|(x, exact)| (x - exact).abs() < 1e-13),
            "{x:?}"
        );
    }

    #[test]
    fn redundant_equations_share_the_load() {
        // Rows of B twice: B Bᵀ has rank 2, and the shortest solution treats equal rows equally.
        let rows = [[1.0, 2.0], [1.0, 2.0], [0.5, -1.0], [0.5, -1.0]];
        let entry = |i: usize, j: usize| rows[i][0] * rows[j][0] + rows[i][1] * rows[j][1];
        let b = [1.0, 1.0, 2.0, 2.0];
        let (x, rank) = solve(4, entry, &b);
        assert_eq!(rank, 2);
        assert!(
            (x[0] - x[1]).abs() < 1e-14 && (x[2] - x[3]).abs() < 1e-14,
            "{x:?}"
        );
        for i in 0..4 {
            let left: f64 = (0..4).map(|j| entry(i, j) * x[j]).sum();
            assert!((left - b[i]).abs() < 1e-13, "{i}: {left}");
        }
    }
}

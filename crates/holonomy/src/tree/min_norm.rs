//! Linear systems that may be singular: the solution of least length.
//!
//! ```text
//! D A D = Q R Πᵀ           rows and columns scaled by D = |diag A|^{−1/2}; columns pivoted (Householder)
//! R = (T 0) Z              if rank R < size, from the right
//! x = D Π Zᵀ (T⁻¹ Qᵀ D b, 0)
//! ```
//! The rank is the number of diagonal entries of R that are more than a fraction of the first.

/// Work space and factors, reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct MinNorm {
    size: usize,
    rank: usize,
    /// Row by row.
    matrix: Vec<f64>,
    scale: Vec<f64>,
    pivot: Vec<usize>,
    norms: Vec<f64>,
    left: Vec<f64>,
    right: Vec<f64>,
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
            let sum = b[k] + (r..n).map(|j| a[k * n + j] * b[j]).sum::<f64>();
            let sum = self.right[k] * sum;
            b[k] -= sum;
            for j in r..n {
                b[j] -= a[k * n + j] * sum;
            }
        }
    }

    /// Factorises the matrix; entries below `tolerance` of the largest count as zero.
    pub(crate) fn factorise(&mut self, tolerance: f64) {
        let n = self.size;
        let a = &mut self.matrix;
        self.scale.clear();
        self.scale.extend((0..n).map(|i| {
            let d = a[i * n + i].abs().sqrt();
            if d > 0.0 { 1.0 / d } else { 1.0 }
        }));
        for i in 0..n {
            for j in 0..n {
                a[i * n + j] *= self.scale[i] * self.scale[j];
            }
        }
        self.pivot.clear();
        self.pivot.extend(0..n);
        for list in [&mut self.left, &mut self.right, &mut self.norms] {
            list.clear();
            list.resize(n, 0.0);
        }
        self.rank = n;
        let mut first = 0.0;
        for k in 0..n {
            for j in k..n {
                self.norms[j] = (k..n).map(|i| a[i * n + j] * a[i * n + j]).sum();
            }
            let best = (k..n)
                .max_by(|i, j| self.norms[*i].total_cmp(&self.norms[*j]))
                .unwrap_or(k);
            if best != k {
                self.pivot.swap(k, best);
                for i in 0..n {
                    a.swap(i * n + k, i * n + best);
                }
                self.norms.swap(k, best);
            }
            let length = self.norms[k].sqrt();
            if k == 0 {
                first = length;
            }
            if !(length > tolerance * first) {
                self.rank = k;
                break;
            }
            // v = x ± |x| e, scaled to v₁ = 1; τ in `left`.
            let alpha = a[k * n + k];
            let beta = -length.copysign(alpha);
            self.left[k] = (beta - alpha) / beta;
            for i in k + 1..n {
                a[i * n + k] /= alpha - beta;
            }
            a[k * n + k] = beta;
            for j in k + 1..n {
                let mut sum = a[k * n + j];
                for i in k + 1..n {
                    sum += a[i * n + k] * a[i * n + j];
                }
                sum *= self.left[k];
                a[k * n + j] -= sum;
                for i in k + 1..n {
                    a[i * n + j] -= a[i * n + k] * sum;
                }
            }
        }
        self.compress();
    }

    /// `R = (T 0) Z`.
    fn compress(&mut self) {
        let (n, r, a) = (self.size, self.rank, &mut self.matrix);
        if r == n {
            return;
        }
        for k in (0..r).rev() {
            let tail: f64 = (r..n).map(|j| a[k * n + j] * a[k * n + j]).sum();
            if tail == 0.0 {
                continue;
            }
            let alpha = a[k * n + k];
            let beta = -(alpha * alpha + tail).sqrt().copysign(alpha);
            self.right[k] = (beta - alpha) / beta;
            for j in r..n {
                a[k * n + j] /= alpha - beta;
            }
            a[k * n + k] = beta;
            for i in 0..k {
                let mut sum = a[i * n + k];
                for j in r..n {
                    sum += a[k * n + j] * a[i * n + j];
                }
                sum *= self.right[k];
                a[i * n + k] -= sum;
                for j in r..n {
                    a[i * n + j] -= a[k * n + j] * sum;
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
        for k in 0..r {
            let sum = b[k] + (k + 1..n).map(|i| a[i * n + k] * b[i]).sum::<f64>();
            let sum = self.left[k] * sum;
            b[k] -= sum;
            for i in k + 1..n {
                b[i] -= a[i * n + k] * sum;
            }
        }
        for k in (0..r).rev() {
            let known: f64 = (k + 1..r).map(|j| a[k * n + j] * b[j]).sum();
            b[k] = (b[k] - known) / a[k * n + k];
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
    }
}

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
        system.factorise(1e-11);
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
    fn equations_that_say_the_same_share_the_load() {
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

/// Dense linear systems by Gaussian elimination with partial pivoting, in a buffer that is reused.
#[derive(Clone, Debug, Default)]
pub struct Lu {
    size: usize,
    /// Row-major; once factorised, U and below it the multipliers L.
    matrix: Vec<f64>,
    /// The row that each row was exchanged with.
    pivots: Vec<usize>,
}

impl Lu {
    /// Makes room for a matrix of the given size and returns it, zeroed, row by row.
    pub fn reset(&mut self, size: usize) -> &mut [f64] {
        self.size = size;
        self.matrix.clear();
        self.matrix.resize(size * size, 0.0);
        &mut self.matrix
    }

    /// Factorises A in place, for [`Lu::substitute`]. `false` when A is singular.
    pub fn factorise(&mut self) -> bool {
        let (n, a) = (self.size, &mut self.matrix);
        self.pivots.clear();
        for k in 0..n {
            let Some(pivot) = (k..n).max_by(|i, j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs())) else {
                return false;
            };
            let value = a[pivot * n + k];
            if !(value.abs() > 0.0 && value.is_finite()) {
                return false;
            }
            self.pivots.push(pivot);
            if pivot != k {
                let (above, below) = a.split_at_mut(pivot * n);
                above[k * n..(k + 1) * n].swap_with_slice(&mut below[..n]);
            }
            let (above, below) = a.split_at_mut((k + 1) * n);
            let row_k = &above[k * n + k + 1..(k + 1) * n];
            for row in below.chunks_exact_mut(n) {
                let factor = row[k] / value;
                row[k] = factor;
                if factor != 0.0 {
                    for (x, y) in row[k + 1..].iter_mut().zip(row_k) {
                        *x -= factor * y;
                    }
                }
            }
        }
        true
    }

    /// Solves `A x = b` in place, with A factorised.
    pub fn substitute(&self, b: &mut [f64]) {
        let (n, a) = (self.size, &self.matrix);
        let known = |row: &[f64], x: &[f64]| -> f64 { row.iter().zip(x).map(|(a, x)| a * x).sum() };
        for (k, pivot) in self.pivots.iter().enumerate() {
            b.swap(k, *pivot);
        }
        for k in 1..n {
            b[k] -= known(&a[k * n..k * n + k], &b[..k]);
        }
        for k in (0..n).rev() {
            let row = &a[k * n..(k + 1) * n];
            b[k] = (b[k] - known(&row[k + 1..], &b[k + 1..])) / row[k];
        }
    }

    /// Solves `A x = b` in place, destroying A. `false` when A is singular.
    pub fn solve(&mut self, b: &mut [f64]) -> bool {
        let regular = self.factorise();
        if regular {
            self.substitute(b);
        }
        regular
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solution_times_matrix_is_the_right_side() {
        let mut lu = Lu::default();
        for n in 1..12 {
            let entry = |i: usize, j: usize| ((7 * i + 3 * j + i * j) as f64 * 0.37).cos();
            lu.reset(n)
                .iter_mut()
                .enumerate()
                .for_each(|(k, x)| *x = entry(k / n, k % n));
            let exact: Vec<f64> = (0..n).map(|i| 1.0 + i as f64).collect();
            let mut x: Vec<f64> = (0..n)
                .map(|i| (0..n).map(|j| entry(i, j) * exact[j]).sum())
                .collect();
            assert!(lu.solve(&mut x));
            // The worst of these matrices has a condition number below 1e5.
            assert!(
                x.iter().zip(&exact).all(|(a, b)| (a - b).abs() < 1e-9),
                "{n}: {x:?}"
            );
        }
    }

    #[test]
    fn a_singular_matrix_is_refused() {
        let mut lu = Lu::default();
        lu.reset(2).copy_from_slice(&[1.0, 2.0, 2.0, 4.0]);
        assert!(!lu.solve(&mut [1.0, 1.0]));
    }
}

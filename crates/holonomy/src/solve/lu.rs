/// Dense linear systems by Gaussian elimination, in a buffer that is reused.
#[derive(Clone, Debug, Default)]
pub struct Lu {
    size: usize,
    /// Row-major; once factorised, U and below it the multipliers L.
    matrix: Vec<f64>,
    /// The row that each row was exchanged with.
    pivots: Vec<usize>,
    /// Whether the diagonal of U is inverted.
    inverted: bool,
}

impl Lu {
    /// Makes room for a matrix of the given size and returns it, zeroed, row by row.
    pub fn reset(&mut self, size: usize) -> &mut [f64] {
        self.size = size;
        self.matrix.clear();
        self.matrix.resize(size * size, 0.0);
        &mut self.matrix
    }

    /// Factorises A in place with partial pivoting, for [`Lu::substitute`]. `false` when A is singular.
    pub fn factorise(&mut self) -> bool {
        let n = self.size;
        self.pivots.clear();
        self.inverted = false;
        for k in 0..n {
            let a = &mut self.matrix;
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
            self.eliminate(k, |x| x / value);
        }
        true
    }

    /// The same without exchanging rows, for pivots near one, of which the inverses will do. `false` as soon as a
    /// pivot is not larger than `least`.
    pub fn factorise_in_order(&mut self, least: f64) -> bool {
        self.pivots.clear();
        self.inverted = true;
        for k in 0..self.size {
            let diagonal = &mut self.matrix[k * self.size + k];
            if !(diagonal.abs() > least) {
                return false;
            }
            *diagonal = 1.0 / *diagonal;
            let inverse = *diagonal;
            self.eliminate(k, |x| x * inverse);
        }
        true
    }

    /// Takes row k out of those below it, as often as `quotient` says of their entries by the pivot.
    #[inline(always)]
    fn eliminate(&mut self, k: usize, quotient: impl Fn(f64) -> f64) {
        let n = self.size;
        let (above, below) = self.matrix.split_at_mut((k + 1) * n);
        let row_k = &above[k * n + k + 1..(k + 1) * n];
        for row in below.chunks_exact_mut(n) {
            let factor = quotient(row[k]);
            row[k] = factor;
            if factor != 0.0 {
                for (x, y) in row[k + 1..].iter_mut().zip(row_k) {
                    *x -= factor * y;
                }
            }
        }
    }

    /// Whether the determinant of A is positive, with A factorised.
    pub fn is_positive(&self) -> bool {
        let negative = (0..self.size).filter(|k| self.matrix[k * self.size + k] < 0.0);
        let exchanged = self.pivots.iter().enumerate().filter(|(k, pivot)| k != *pivot);
        (negative.count() + exchanged.count()).is_multiple_of(2)
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
            let left = b[k] - known(&row[k + 1..], &b[k + 1..]);
            b[k] = if self.inverted {
                left * row[k]
            } else {
                left / row[k]
            };
        }
    }

    /// Solves `Aᵀ x = b` in place, with A factorised: `Uᵀ` and `Lᵀ`, and the exchanges backwards.
    pub fn substitute_transposed(&self, b: &mut [f64]) {
        let (n, a) = (self.size, &self.matrix);
        for k in 0..n {
            let row = &a[k * n..(k + 1) * n];
            b[k] = if self.inverted {
                b[k] * row[k]
            } else {
                b[k] / row[k]
            };
            for j in k + 1..n {
                b[j] -= row[j] * b[k];
            }
        }
        for k in (1..n).rev() {
            for j in 0..k {
                b[j] -= a[k * n + j] * b[k];
            }
        }
        for (k, pivot) in self.pivots.iter().enumerate().rev() {
            b.swap(k, *pivot);
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
            let close = |x: &[f64]| x.iter().zip(&exact).all(|(a, b)| (a - b).abs() < 1e-9);
            assert!(close(&x), "{n}: {x:?}");
            let mut x: Vec<f64> = (0..n)
                .map(|i| (0..n).map(|j| entry(j, i) * exact[j]).sum())
                .collect();
            lu.substitute_transposed(&mut x);
            assert!(close(&x), "{n}, transposed: {x:?}");
        }
    }

    #[test]
    fn pivots_near_one_need_no_exchange() {
        let entry = |i: usize, j: usize| ((3 * i + 5 * j) as f64).sin() * 0.1 + f64::from(u8::from(i == j));
        let b = [1.0, -2.0, 0.5, 3.0, 0.1];
        let (mut pivoted, mut in_order) = (Lu::default(), Lu::default());
        for lu in [&mut pivoted, &mut in_order] {
            let entries = lu.reset(5).iter_mut().enumerate();
            entries.for_each(|(k, x)| *x = entry(k / 5, k % 5));
        }
        assert!(pivoted.factorise() && in_order.factorise_in_order(0.5));
        let (mut x, mut y) = (b, b);
        pivoted.substitute(&mut x);
        in_order.substitute(&mut y);
        // A matrix near one: a few roundings of numbers up to three.
        assert!(
            x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-14),
            "{x:?} {y:?}"
        );
        // Exchanged rows would do, but only with pivoting.
        in_order.reset(2).copy_from_slice(&[0.1, 1.0, 1.0, 0.1]);
        assert!(!in_order.factorise_in_order(0.5));
    }

    #[test]
    fn a_singular_matrix_is_refused() {
        let mut lu = Lu::default();
        lu.reset(2).copy_from_slice(&[1.0, 2.0, 2.0, 4.0]);
        assert!(!lu.solve(&mut [1.0, 1.0]));
    }
}

//! Dense matrices of any size with the same bits on every processor.
//!
//! nalgebra's product of large matrices takes fused products where the processor has them, and its singular values are
//! built on the platform's `hypot`. What is here takes neither.
use nalgebra::{DMatrix, DVector};

/// `A B`, summed in order.
#[must_use]
pub fn product(a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    let mut result = DMatrix::zeros(a.nrows(), b.ncols());
    for (mut column, b) in result.column_iter_mut().zip(b.column_iter()) {
        column.gemv(1.0, a, &b, 0.0);
    }
    result
}

/// `A = U diag(σ) Vᵀ`, by one-sided Jacobi rotations: pairs of columns of A are turned until all are orthogonal.
///
/// ```text
/// ζ = (|b|² − |a|²) / 2a·b,   t = sign ζ/(|ζ| + √(1+ζ²)),   c = 1/√(1+t²):   a ← c (a − t b),  b ← c (b + t a)
/// ```
pub(crate) struct SingularValues {
    /// `U diag(σ)`.
    pub(crate) scaled: DMatrix<f64>,
    /// σ, in no order.
    pub(crate) values: DVector<f64>,
    /// V.
    pub(crate) right: DMatrix<f64>,
}

/// Cosines of columns that count as orthogonal, and lengths of columns, as a fraction of A, that count as rounding.
const ROUNDING: f64 = 5.0 * f64::EPSILON;
/// Convergence is quadratic: ten are many.
const MOST_SWEEPS: usize = 100;

impl SingularValues {
    /// Of finite numbers; `None` without convergence.
    pub(crate) fn new(a: DMatrix<f64>) -> Option<Self> {
        let n = a.ncols();
        let (mut scaled, mut right) = (a, DMatrix::identity(n, n));
        let nothing = ROUNDING * scaled.norm();
        for _ in 0..MOST_SWEEPS {
            let mut turned = false;
            for i in 0..n {
                for j in i + 1..n {
                    let (a, b) = (scaled.column(i), scaled.column(j));
                    let (aa, bb, ab) = (a.norm_squared(), b.norm_squared(), a.dot(&b));
                    let (shorter, longer) = (aa.min(bb).sqrt(), aa.max(bb).sqrt());
                    if shorter <= nothing || ab.abs() <= ROUNDING * shorter * longer {
                        continue;
                    }
                    turned = true;
                    let zeta = (bb - aa) / (2.0 * ab);
                    let tangent = 1.0_f64.copysign(zeta) / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
                    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
                    for matrix in [&mut scaled, &mut right] {
                        for row in 0..matrix.nrows() {
                            let (a, b) = (matrix[(row, i)], matrix[(row, j)]);
                            matrix[(row, i)] = cosine * (a - tangent * b);
                            matrix[(row, j)] = cosine * (b + tangent * a);
                        }
                    }
                }
            }
            if !turned {
                let values = DVector::from_iterator(n, scaled.column_iter().map(|column| column.norm()));
                return Some(Self {
                    scaled,
                    values,
                    right,
                });
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: usize, columns: usize) -> DMatrix<f64> {
        DMatrix::from_fn(rows, columns, |i, j| {
            ((7 * i + 3 * j + i * j) as f64 * 0.37).cos()
        })
    }

    #[test]
    fn products_are_those_of_nalgebra() {
        let (a, b) = (matrix(9, 13), matrix(13, 8));
        // Sums of 13 products of numbers up to 1.
        assert!((product(&a, &b) - &a * &b).amax() < 13.0 * f64::EPSILON);
    }

    #[test]
    fn singular_values_are_those_of_nalgebra_and_compose_to_the_matrix() {
        // Tall, wide, and with columns that depend on others.
        let mut dependent = matrix(12, 7);
        let sum = dependent.column(0) * 2.0 - dependent.column(3);
        dependent.set_column(5, &sum);
        for a in [matrix(12, 7), matrix(4, 9), dependent] {
            let found = SingularValues::new(a.clone()).expect("it converges");
            let mut values: Vec<f64> = found.values.iter().copied().collect();
            values.sort_by(|a, b| b.total_cmp(a));
            let known = a.singular_values();
            // Rounding of all entries: about 10 times the largest value's.
            let tolerance = 100.0 * f64::EPSILON * known[0];
            for (k, value) in values.iter().enumerate() {
                let known = known.get(k).copied().unwrap_or(0.0);
                assert!((value - known).abs() < tolerance, "{value} {known}");
            }
            let again = &found.scaled * found.right.transpose();
            assert!((again - &a).amax() < tolerance);
            let unit = found.right.tr_mul(&found.right) - DMatrix::identity(a.ncols(), a.ncols());
            assert!(unit.amax() < 100.0 * f64::EPSILON);
        }
    }
}

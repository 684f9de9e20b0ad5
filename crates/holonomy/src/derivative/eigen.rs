//! Eigenvalues and eigenvectors of small dense matrices, with what they are accurate to.
//!
//! ```text
//! D⁻¹ A D = Q T Qᵀ                        balanced (Parlett & Reinsch), real Schur form
//! λ = (a + d)/2 ± √((a − d)²/4 + b c)     of a block (a b; c d): no cancellation where a pair is close
//! (A − λ) x = x₀, twice                   inverse iteration; in a group of equal ones each beside the others
//! |δλ| ≈ ε ‖A‖ / |yᴴx|                    y: the left eigenvector; of a group, how far it is spread
//! ```
use crate::math;
use nalgebra::{Complex, DMatrix, DVector, Schur, linalg::balancing};

/// An eigenvalue with its vector.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// λ.
    pub value: Complex<f64>,
    /// How far rounding may have moved it, to its order of magnitude.
    pub error: f64,
    /// x, its largest entry one.
    pub vector: Vec<Complex<f64>>,
    /// How many are equal to it within rounding, itself included.
    pub equal: usize,
}

/// Eigenvalues closer than this fraction of the matrix are one group: √ε and some more.
const EQUAL: f64 = 1e-7;
const MOST_ITERATIONS: usize = 10_000;
const MOST_SHIFTS: usize = 8;

/// All modes of a square matrix, pairs beside each other, from the smallest imaginary part; `None` if it holds what is not
/// finite, or the iteration does not end.
pub fn modes(matrix: &DMatrix<f64>) -> Option<Vec<Mode>> {
    let n = matrix.nrows();
    if n == 0 {
        return Some(Vec::new());
    }
    if !matrix.iter().all(|x| x.is_finite()) {
        return None;
    }
    let mut balanced = matrix.clone();
    let scale = balancing::balance_parlett_reinsch(&mut balanced);
    let norm = balanced.norm().max(f64::MIN_POSITIVE);
    let (_, t) = Schur::try_new(balanced.clone(), f64::EPSILON, MOST_ITERATIONS)?.unpack();
    let mut values = eigenvalues(&t);
    values.sort_by(|a, b| {
        let key = |z: &Complex<f64>| (z.im.abs(), z.re, -z.im);
        let ((a0, a1, a2), (b0, b1, b2)) = (key(a), key(b));
        a0.total_cmp(&b0).then(a1.total_cmp(&b1)).then(a2.total_cmp(&b2))
    });
    let near = |a: Complex<f64>, b: Complex<f64>| size(a - b) <= EQUAL * norm;
    let (right, left) = (Shifted::of(&balanced), Shifted::of(&balanced.transpose()));
    let mut found: Vec<Mode> = Vec::with_capacity(n);
    for (k, value) in values.iter().enumerate() {
        let group: Vec<&Complex<f64>> = values.iter().filter(|other| near(**other, *value)).collect();
        let earlier: Vec<Vec<Complex<f64>>> = (found.iter())
            .filter(|mode| near(mode.value, *value))
            .map(|mode| balanced_back(&mode.vector, &scale))
            .collect();
        let x = right.vector(*value, norm, k, &earlier);
        let error = match group.len() {
            1 => {
                let y = left.vector(value.conj(), norm, k, &[]);
                let cosine = size(dot(&y, &x)) / (length(&y) * length(&x));
                f64::EPSILON * norm / cosine.max(f64::EPSILON)
            }
            _ => group
                .iter()
                .map(|other| size(**other - *value))
                .fold(f64::EPSILON * norm, f64::max),
        };
        let vector = x.iter().zip(scale.iter()).map(|(x, scale)| *x * *scale).collect();
        found.push(Mode {
            value: *value,
            error,
            vector: normalised(vector),
            equal: group.len(),
        });
    }
    Some(found)
}

/// Of a quasi-triangular matrix.
fn eigenvalues(t: &DMatrix<f64>) -> Vec<Complex<f64>> {
    let n = t.nrows();
    let mut values = Vec::with_capacity(n);
    let mut k = 0;
    while k < n {
        if k + 1 == n || t[(k + 1, k)] == 0.0 {
            values.push(Complex::new(t[(k, k)], 0.0));
            k += 1;
            continue;
        }
        let (a, b, c, d) = (t[(k, k)], t[(k, k + 1)], t[(k + 1, k)], t[(k + 1, k + 1)]);
        let (mean, half) = (0.5 * (a + d), 0.5 * (a - d));
        let square = half * half + b * c;
        let root = square.abs().sqrt();
        if square < 0.0 {
            values.extend([Complex::new(mean, root), Complex::new(mean, -root)]);
        } else {
            values.extend([Complex::new(mean + root, 0.0), Complex::new(mean - root, 0.0)]);
        }
        k += 2;
    }
    values
}

/// A matrix whose eigenvectors are found by inverse iteration.
struct Shifted {
    matrix: DMatrix<Complex<f64>>,
}

impl Shifted {
    fn of(matrix: &DMatrix<f64>) -> Self {
        Self {
            matrix: matrix.map(|x| Complex::new(x, 0.0)),
        }
    }

    fn vector(
        &self,
        value: Complex<f64>,
        norm: f64,
        number: usize,
        earlier: &[Vec<Complex<f64>>],
    ) -> Vec<Complex<f64>> {
        let n = self.matrix.nrows();
        let mut aside = f64::EPSILON * norm;
        let shifted = |aside: f64| {
            let mut shifted = self.matrix.clone();
            for k in 0..n {
                shifted[(k, k)] -= value + Complex::new(aside, 0.0);
            }
            shifted.lu()
        };
        let mut factors = shifted(aside);
        // An eigenvalue that is exact leaves nothing to divide by; a little beside it the direction is the same.
        for _ in 0..MOST_SHIFTS {
            if factors.is_invertible() {
                break;
            }
            aside *= 3.0;
            factors = shifted(aside);
        }
        // No direction of a symmetric mechanism is preferred.
        let start = |k: usize| {
            Complex::new(
                math::cos((1 + k * (number + 1)) as f64),
                math::sin((k + 2 * number) as f64),
            )
        };
        let mut x = DVector::from_fn(n, |k, _| start(k));
        for _ in 0..3 {
            let Some(next) = factors.solve(&x) else { break };
            if !next.iter().all(|z| z.re.is_finite() && z.im.is_finite()) {
                break;
            }
            let mut next = normalised(next.as_slice().to_vec());
            for other in earlier {
                let share = dot(other, &next) / Complex::new(length(other) * length(other), 0.0);
                let apart: Vec<_> = next.iter().zip(other).map(|(x, o)| *x - *o * share).collect();
                // Nothing is left of it where there is no other vector.
                if length(&apart) > EQUAL * length(&next) {
                    next = normalised(apart);
                }
            }
            x = DVector::from_vec(next);
        }
        x.as_slice().to_vec()
    }
}

fn size(z: Complex<f64>) -> f64 {
    math::hypot(z.re, z.im)
}

fn length(x: &[Complex<f64>]) -> f64 {
    x.iter().map(|z| z.re * z.re + z.im * z.im).sum::<f64>().sqrt()
}

/// `aᴴ b`.
fn dot(a: &[Complex<f64>], b: &[Complex<f64>]) -> Complex<f64> {
    let products = a.iter().zip(b).map(|(a, b)| a.conj() * *b);
    products.fold(Complex::new(0.0, 0.0), |sum, z| sum + z)
}

fn balanced_back(x: &[Complex<f64>], scale: &DVector<f64>) -> Vec<Complex<f64>> {
    x.iter().zip(scale.iter()).map(|(x, scale)| *x / *scale).collect()
}

fn normalised(x: Vec<Complex<f64>>) -> Vec<Complex<f64>> {
    let largest = x.iter().copied().max_by(|a, b| size(*a).total_cmp(&size(*b)));
    match largest.filter(|z| size(*z) > 0.0) {
        Some(largest) => x.into_iter().map(|z| z / largest).collect(),
        None => x,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rotation by little, a defective pair and a rotation twice: known values, and vectors that are independent.
    #[test]
    fn pairs_that_are_close_keep_their_digits() {
        let angle = 1e-5_f64;
        let (c, s) = (angle.cos() - 1.0, angle.sin());
        let matrix = DMatrix::from_row_slice(2, 2, &[c, -s, s, c]);
        let found = modes(&matrix).expect("modes");
        assert!((found[0].value.im - s).abs() < 1e-20, "{found:?}");

        let jordan = DMatrix::from_row_slice(3, 3, &[1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 3.0]);
        let found = modes(&jordan).expect("modes");
        assert_eq!(
            found.iter().filter(|mode| mode.equal == 2).count(),
            2,
            "{found:?}"
        );

        // Two equal oscillators: four eigenvalues in two groups.
        let mut twice = DMatrix::zeros(4, 4);
        for k in 0..2 {
            (twice[(k, k + 2)], twice[(k + 2, k)]) = (1.0, -4.0);
        }
        let found = modes(&twice).expect("modes");
        for mode in &found {
            assert!(
                (mode.value.im.abs() - 2.0).abs() < 1e-14 && mode.equal == 2,
                "{mode:?}"
            );
            let x = DVector::from_vec(mode.vector.clone());
            let residual = twice.map(|x| Complex::new(x, 0.0)) * &x - &x * mode.value;
            assert!(length(residual.as_slice()) < 1e-13, "{mode:?}");
        }
        let same: Vec<&Mode> = found.iter().filter(|mode| mode.value.im > 0.0).collect();
        let cosine =
            size(dot(&same[0].vector, &same[1].vector)) / (length(&same[0].vector) * length(&same[1].vector));
        assert!(cosine < 1e-6, "{cosine}");
    }
}

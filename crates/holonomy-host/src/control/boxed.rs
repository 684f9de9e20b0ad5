//! A quadratic function within bounds, of a few unknowns.
//!
//! ```text
//! minimise ½ xᵀ H x + gᵀ x,   low ≤ x ≤ high
//! ```
//! Unknowns that want to leave at a bound are held there, the others solve `H x = −g`; Newton steps cut off at the
//! bounds, with a search along them (Bertsekas 1982).
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// Where the function is least.
pub(crate) struct Minimum {
    /// The place.
    pub(crate) place: DVector<f64>,
    /// Unknowns that no bound holds.
    free: Vec<usize>,
    factors: Option<Cholesky<f64, Dyn>>,
}

impl Minimum {
    /// How the place answers where the gradient changes by `slope` times something: −H⁻¹ slope for what is free.
    pub(crate) fn answer(&self, slope: &DMatrix<f64>, out: &mut DMatrix<f64>) {
        let Some(factors) = &self.factors else {
            return;
        };
        let solved = factors.solve(&slope.select_rows(&self.free));
        for (row, i) in self.free.iter().enumerate() {
            out.set_row(*i, &-solved.row(row));
        }
    }
}

const MOST: usize = 100;

/// The minimum; `None` where the matrix is not positive definite.
pub(crate) fn minimum(
    hessian: &DMatrix<f64>,
    gradient: &DVector<f64>,
    limits: &[(f64, f64)],
) -> Option<Minimum> {
    let m = gradient.len();
    let cut = |x: DVector<f64>| -> DVector<f64> {
        DVector::from_iterator(
            m,
            x.iter().zip(limits).map(|(x, (low, high))| x.clamp(*low, *high)),
        )
    };
    let value = |x: &DVector<f64>| 0.5 * x.dot(&(hessian * x)) + gradient.dot(x);
    let mut place = cut(DVector::zeros(m));
    for _ in 0..MOST {
        let slope = hessian * &place + gradient;
        let is_held = |i: usize| {
            let (low, high) = limits[i];
            (place[i] <= low && slope[i] > 0.0) || (place[i] >= high && slope[i] < 0.0)
        };
        let free: Vec<usize> = (0..m).filter(|i| !is_held(*i)).collect();
        if free.is_empty() {
            return Some(Minimum {
                place,
                free,
                factors: None,
            });
        }
        let factors = hessian.select_rows(&free).select_columns(&free).cholesky()?;
        let step = factors.solve(&slope.select_rows(&free));
        let mut whole = DVector::zeros(m);
        for (row, i) in free.iter().enumerate() {
            whole[*i] = -step[row];
        }
        let target = cut(&place + &whole);
        let moved = (&target - &place).amax();
        let size = place.amax().max(target.amax());
        if moved <= 1e-15 * size || moved == 0.0 {
            return Some(Minimum {
                place,
                free,
                factors: Some(factors),
            });
        }
        // Whole steps within the bounds are the end of it.
        let inside = (&place + &whole - &target).amax() == 0.0;
        let before = value(&place);
        let mut share = 1.0;
        let next = loop {
            let next = cut(&place + &whole * share);
            if inside || value(&next) < before || share < 1e-10 {
                break next;
            }
            share *= 0.5;
        };
        place = next;
        if inside {
            let slope = hessian * &place + gradient;
            let leaves = (0..m).any(|i| {
                let (low, high) = limits[i];
                !free.contains(&i)
                    && ((place[i] <= low && slope[i] < 0.0) || (place[i] >= high && slope[i] > 0.0))
            });
            if !leaves {
                return Some(Minimum {
                    place,
                    free,
                    factors: Some(factors),
                });
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against all ways of holding unknowns at their bounds: the least of the minima that lie within.
    #[test]
    fn the_minimum_is_that_of_all_corners_edges_and_faces() {
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
        };
        for _ in 0..200 {
            let root = DMatrix::from_fn(3, 3, |_, _| random());
            let hessian = &root * root.transpose() + DMatrix::identity(3, 3) * 0.1;
            let gradient = DVector::from_fn(3, |_, _| 3.0 * random());
            let limits = [(-0.5, 0.5), (-1.0, 0.2), (0.0, 2.0)];
            let value = |x: &DVector<f64>| 0.5 * x.dot(&(&hessian * x)) + gradient.dot(x);
            let mut best = f64::INFINITY;
            for choice in 0..27_usize {
                let held: Vec<usize> = (0..3).map(|i| choice / 3_usize.pow(i) % 3).collect();
                let mut x = DVector::zeros(3);
                let free: Vec<usize> = (0..3).filter(|i| held[*i] == 2).collect();
                for i in 0..3 {
                    x[i] = [limits[i].0, limits[i].1, 0.0][held[i]];
                }
                if !free.is_empty() {
                    let right = -(&hessian * &x + &gradient).select_rows(&free);
                    let block = hessian.select_rows(&free).select_columns(&free);
                    let solved = block.lu().solve(&right).expect("regular");
                    for (row, i) in free.iter().enumerate() {
                        x[*i] = solved[row];
                    }
                }
                let within = (0..3).all(|i| x[i] >= limits[i].0 && x[i] <= limits[i].1);
                if within {
                    best = best.min(value(&x));
                }
            }
            let found = minimum(&hessian, &gradient, &limits).expect("positive definite");
            assert!(
                (value(&found.place) - best).abs() < 1e-12,
                "{} {best}",
                value(&found.place)
            );
        }
    }
}

//! Tridiagonal systems, eliminated from both ends at once: the two do not wait for each other.
//!
//! ```text
//! bᵢ xᵢ₋₁ + dᵢ xᵢ + aᵢ xᵢ₊₁ = rᵢ
//! from the top       δᵢ = dᵢ − bᵢaᵢ₋₁/δᵢ₋₁,   gᵢ = rᵢ − (bᵢ/δᵢ₋₁) gᵢ₋₁,   then xᵢ = (gᵢ − aᵢ xᵢ₊₁)/δᵢ
//! from the bottom    δᵢ = dᵢ − aᵢbᵢ₊₁/δᵢ₊₁,   gᵢ = rᵢ − (aᵢ/δᵢ₊₁) gᵢ₊₁,   then xᵢ = (gᵢ − bᵢ xᵢ₋₁)/δᵢ
//! the middle row takes in both; two rows are solved by their determinant
//! ```
use crate::simd::Real;

/// Row i stands at place i + 1. Entries that lead out of the matrix are zero, and there are places for all lanes.
pub(super) struct Tridiagonal {
    pub(super) below: Vec<f64>,
    pub(super) own: Vec<f64>,
    pub(super) above: Vec<f64>,
    /// The right side, and then the solution.
    pub(super) x: Vec<f64>,
    /// 1/δ, or of two rows one over the determinant.
    pivot: Vec<f64>,
    rows: usize,
}

/// The most lanes in a group.
const WIDEST: usize = 4;

impl Tridiagonal {
    pub(super) fn new(rows: usize) -> Self {
        let values = |rows: usize| vec![0.0; rows.next_multiple_of(WIDEST) + 2];
        Self {
            below: values(rows),
            own: values(rows),
            above: values(rows),
            x: values(rows),
            pivot: values(rows),
            rows,
        }
    }

    /// The rows of the links in groups: below, own, above and the right side.
    #[inline(always)]
    pub(super) fn groups<const W: usize>(&mut self, count: usize) -> [&mut [[f64; W]]; 4] {
        [
            groups(&mut self.below, count),
            groups(&mut self.own, count),
            groups(&mut self.above, count),
            groups(&mut self.x, count),
        ]
    }

    /// Finds the pivots. They stay for any number of right sides.
    pub(super) fn factor(&mut self) {
        factor(self.rows, [&self.below, &self.own, &self.above], &mut self.pivot);
    }

    /// Solves with the pivots found last.
    pub(super) fn solve(&mut self) {
        solve(
            self.rows,
            [&self.below, &self.own, &self.above],
            &self.pivot,
            &mut self.x,
        );
    }
}

/// Pivots of n rows: below, own and above. The entries that lead out of the matrix are zero.
#[inline(always)]
pub(super) fn factor<T: Real>(n: usize, [below, own, above]: [&[T]; 3], pivot: &mut [T]) {
    let middle = n.div_ceil(2);
    let end = n + 2;
    let (below, own, above) = (&below[..end], &own[..end], &above[..end]);
    let pivot = &mut pivot[..end];
    let (zero, one) = (own[1].constant(0.0), own[1].constant(1.0));
    if n == 2 {
        pivot[1] = one / (own[1] * own[2] - above[1] * below[2]);
        return;
    }
    let (mut top, mut bottom) = (zero, zero);
    for i in 1..middle {
        let j = n + 1 - i;
        top = one / (own[i] - (below[i] * above[i - 1]) * top);
        bottom = one / (own[j] - (above[j] * below[j + 1]) * bottom);
        (pivot[i], pivot[j]) = (top, bottom);
    }
    if n.is_multiple_of(2) {
        let j = middle + 1;
        bottom = one / (own[j] - (above[j] * below[j + 1]) * bottom);
        pivot[j] = bottom;
    }
    let i = middle;
    let (over, under) = (
        (below[i] * above[i - 1]) * top,
        (above[i] * below[i + 1]) * bottom,
    );
    pivot[i] = one / (own[i] - over - under);
}

/// The solution of n rows with their pivots, in the place of the right side.
#[inline(always)]
pub(super) fn solve<T: Real>(n: usize, [below, own, above]: [&[T]; 3], pivot: &[T], x: &mut [T]) {
    let middle = n.div_ceil(2);
    let end = n + 2;
    let (below, own, above) = (&below[..end], &own[..end], &above[..end]);
    let (pivot, x) = (&pivot[..end], &mut x[..end]);
    if n == 2 {
        let (first, second) = (x[1] * own[2] - above[1] * x[2], own[1] * x[2] - below[2] * x[1]);
        (x[1], x[2]) = (first * pivot[1], second * pivot[1]);
        return;
    }
    let zero = own[1].constant(0.0);
    let (mut top, mut bottom) = (zero, zero);
    for i in 1..middle {
        let j = n + 1 - i;
        top = x[i] - (below[i] * pivot[i - 1]) * top;
        bottom = x[j] - (above[j] * pivot[j + 1]) * bottom;
        (x[i], x[j]) = (top, bottom);
    }
    if n.is_multiple_of(2) {
        let j = middle + 1;
        bottom = x[j] - (above[j] * pivot[j + 1]) * bottom;
        x[j] = bottom;
    }
    let i = middle;
    let (over, under) = (
        (below[i] * pivot[i - 1]) * top,
        (above[i] * pivot[i + 1]) * bottom,
    );
    let centre = (x[i] - over - under) * pivot[i];
    x[i] = centre;
    (top, bottom) = (centre, centre);
    if n.is_multiple_of(2) {
        let j = middle + 1;
        bottom = x[j] * pivot[j] - (below[j] * pivot[j]) * bottom;
        x[j] = bottom;
    }
    for i in (1..middle).rev() {
        let j = n + 1 - i;
        top = x[i] * pivot[i] - (above[i] * pivot[i]) * top;
        bottom = x[j] * pivot[j] - (below[j] * pivot[j]) * bottom;
        (x[i], x[j]) = (top, bottom);
    }
}

#[inline(always)]
fn groups<const W: usize>(list: &mut [f64], count: usize) -> &mut [[f64; W]] {
    &mut list[1..].as_chunks_mut().0[..count]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_solution_solves_it() {
        for n in 1..40 {
            let mut system = Tridiagonal::new(n);
            let wave = |i: usize, k: f64| (k * i as f64 + 0.3).sin();
            for i in 1..=n {
                system.below[i] = if i == 1 { 0.0 } else { wave(i, 1.1) };
                system.above[i] = if i == n { 0.0 } else { wave(i, 0.7) };
                system.own[i] = 3.0 + wave(i, 2.3);
            }
            system.factor();
            // Twice: the pivots serve any right side.
            for k in [0.9, 1.7] {
                let right: Vec<f64> = (0..n + 2).map(|i| wave(i, k)).collect();
                system.x[1..=n].copy_from_slice(&right[1..=n]);
                system.solve();
                for i in 1..=n {
                    let (below, above) = (
                        system.below[i] * system.x[i - 1],
                        system.above[i] * system.x[i + 1],
                    );
                    let left = below + system.own[i] * system.x[i] + above;
                    assert!((left - right[i]).abs() < 1e-14, "{n} {i}: {left} {}", right[i]);
                }
            }
        }
    }
}

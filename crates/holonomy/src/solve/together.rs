//! Newton's method in eight lanes: in each what [`super::Lu::solve`] and [`super::Corrections`] do, to the bit.
#![expect(
    clippy::needless_range_loop,
    reason = "closures of iterators are not inlined into a kernel"
)]
use super::QUADRATIC;
use crate::simd::{Eight, LANES, Vector};

/// Solves `A x = b` in place, destroying A, row by row. `false` when A is singular in a lane; what is not a number shows
/// in x.
#[inline(always)]
pub(crate) fn solve_together<V: Vector>(token: V::Token, a: &mut [Eight], b: &mut [Eight]) -> bool {
    let n = b.len();
    for k in 0..n {
        if !exchange(a, b, k) {
            return false;
        }
        let pivot = V::load(token, &a[k * n + k]);
        for i in k + 1..n {
            let factor = V::load(token, &a[i * n + k]) / pivot;
            factor.store(&mut a[i * n + k]);
            let factors = a[i * n + k];
            let mut some_are_zero = false;
            for l in 0..LANES {
                some_are_zero |= factors[l] == 0.0;
            }
            for j in k + 1..n {
                let x = a[i * n + j];
                let moved = V::load(token, &x) - factor * V::load(token, &a[k * n + j]);
                moved.store(&mut a[i * n + j]);
                if some_are_zero {
                    for l in 0..LANES {
                        a[i * n + j][l] = if factors[l] == 0.0 { x[l] } else { a[i * n + j][l] };
                    }
                }
            }
        }
    }
    // What a sum of nothing is: a zero, with its sign.
    let nothing = V::all(token, std::iter::empty::<f64>().sum());
    for k in 1..n {
        let mut known = nothing;
        for j in 0..k {
            known = known + V::load(token, &a[k * n + j]) * V::load(token, &b[j]);
        }
        (V::load(token, &b[k]) - known).store(&mut b[k]);
    }
    for k in (0..n).rev() {
        let mut known = nothing;
        for j in k + 1..n {
            known = known + V::load(token, &a[k * n + j]) * V::load(token, &b[j]);
        }
        let left = V::load(token, &b[k]) - known;
        (left / V::load(token, &a[k * n + k])).store(&mut b[k]);
    }
    true
}

/// Brings the largest entry of column k into row k, in each lane; `false` where there is none.
#[inline(always)]
fn exchange(a: &mut [Eight], b: &mut [Eight], k: usize) -> bool {
    let n = b.len();
    let (mut largest, mut pivot) = ([0.0; LANES], [k; LANES]);
    for l in 0..LANES {
        largest[l] = a[k * n + k][l].abs();
    }
    let mut moves = false;
    for i in k + 1..n {
        for l in 0..LANES {
            // Of equal ones the last.
            let size = a[i * n + k][l].abs();
            let larger = size >= largest[l];
            largest[l] = if larger { size } else { largest[l] };
            pivot[l] = if larger { i } else { pivot[l] };
            moves |= larger;
        }
    }
    let mut regular = true;
    for l in 0..LANES {
        regular &= largest[l] > 0.0 && largest[l] < f64::INFINITY;
    }
    if moves && regular {
        for l in 0..LANES {
            if pivot[l] != k {
                for j in 0..n {
                    let upper = a[k * n + j][l];
                    a[k * n + j][l] = a[pivot[l] * n + j][l];
                    a[pivot[l] * n + j][l] = upper;
                }
                let upper = b[k][l];
                b[k][l] = b[pivot[l]][l];
                b[pivot[l]][l] = upper;
            }
        }
    }
    regular
}

/// [`super::Corrections`] in each lane.
pub(crate) struct CorrectionsTogether {
    /// Lanes that are not done, a bit for each.
    active: u8,
    iterations: [u32; LANES],
    iteration: u32,
    max_iterations: u32,
    previous: Eight,
}

impl CorrectionsTogether {
    /// None yet.
    #[inline(always)]
    pub(crate) fn new(max_iterations: u32) -> Self {
        Self {
            active: u8::MAX,
            iterations: [0; LANES],
            iteration: 0,
            max_iterations,
            previous: Eight::all(f64::INFINITY),
        }
    }

    /// Whether there is a lane that is not done.
    #[inline(always)]
    pub(crate) fn go_on(&self) -> bool {
        self.active != 0
    }

    /// How many each lane took.
    #[inline(always)]
    pub(crate) fn iterations(&self) -> &[u32; LANES] {
        &self.iterations
    }

    /// Adds a correction where the last one was not yet; `false` where there will be no last one.
    #[inline(always)]
    pub(crate) fn add<V: Vector>(
        &mut self,
        token: V::Token,
        unknown: &mut [Eight],
        correction: &[Eight],
        rounding: &Eight,
        contraction: f64,
    ) -> bool {
        let zero = V::all(token, 0.0);
        let (mut change, mut size, mut stray) = (Eight::all(0.0), Eight::all(0.0), zero);
        for i in 0..unknown.len() {
            let (by, from) = (V::load(token, &correction[i]), V::load(token, &unknown[i]));
            stray = stray + by * 0.0;
            let mut moved = Eight::all(0.0);
            (from + by).store(&mut moved);
            for l in 0..LANES {
                let (by, to) = (correction[i][l].abs(), moved[l].abs());
                change[l] = if by > change[l] { by } else { change[l] };
                size[l] = if to > size[l] { to } else { size[l] };
            }
            if self.active == u8::MAX {
                unknown[i] = moved;
            } else {
                for l in 0..LANES {
                    let is_active = self.active & (1 << l) != 0;
                    unknown[i][l] = if is_active { moved[l] } else { unknown[i][l] };
                }
            }
        }
        self.iteration += 1;
        // a ≤ b as a − b ≤ 0, which is the same for finite numbers.
        let (by, size) = (V::load(token, &change), V::load(token, &size));
        let (rounding, previous) = (V::load(token, rounding), V::load(token, &self.previous));
        let small = (by - size * QUADRATIC).within(0.0);
        let stalled = (by - rounding).within(0.0) & (previous * contraction - by).within(0.0);
        let last = (small | stalled) & self.active;
        for l in 0..LANES {
            if last & (1 << l) != 0 {
                self.iterations[l] = self.iteration;
            }
        }
        let finite = stray.within(0.0);
        self.previous = change;
        let good = !self.active | finite;
        self.active &= !last;
        good == u8::MAX && (self.active == 0 || self.iteration < self.max_iterations)
    }
}

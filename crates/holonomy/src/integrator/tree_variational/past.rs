//! What a step takes over from those before it, in `State::carry`.
//!
//! ```text
//! x = (v, λ)                                   the unknowns of a step
//! ∇x_k = x_k − x_{k−1},  ∇²x_k = ∇x_k − ∇x_{k−1},  …
//! x_{k+1} ≈ x_k + ∇x_k + … + ∇ʲ⁻¹x_k            first guess, of the order j whose last error |∇ʲx_k| is least
//!
//! carry = h, steps, age, σ | q, p | x, ∇x, … | t̂, q̂, p̂, v̂, λ̂
//! ```
//! The hats are the place of the derivative that the last step used: where it was made, `age` steps ago, so that
//! a restart makes the same again. What it leaves of the unbalance in one correction grows with its age, as σ age.
//! q and p are where the last step ended; a state that is elsewhere, or asks for another step size, starts
//! afresh.
use super::newton::Solved;
use crate::system::State;

/// Differences that are kept.
const ORDERS: usize = 8;

/// σ before it was measured, and by how much it is believed to fall while it is not.
const UNKNOWN: f64 = 0.03;
const FORGET: f64 = 0.97;

/// Where each part is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Past {
    coordinates: usize,
    velocities: usize,
    unknowns: usize,
}

const H: usize = 0;
const STEPS: usize = 1;
const AGE: usize = 2;
const SIGMA: usize = 3;
const HEAD: usize = 4;

impl Past {
    pub(super) fn new(coordinates: usize, velocities: usize, constraints: usize) -> Self {
        Self {
            coordinates,
            velocities,
            unknowns: velocities + constraints,
        }
    }

    fn differences(&self) -> usize {
        HEAD + self.coordinates + self.velocities
    }

    fn place(&self) -> usize {
        self.differences() + (ORDERS + 1) * self.unknowns
    }

    fn len(&self) -> usize {
        self.place() + 1 + self.coordinates + self.velocities + self.unknowns
    }

    /// Whether the state is where a step of the same size ended.
    pub(super) fn is_known(&self, state: &State, h: f64) -> bool {
        let (carry, q) = (&state.carry, HEAD + self.coordinates);
        carry.len() == self.len()
            && carry[H] == h
            && carry[HEAD..q] == state.q
            && carry[q..self.differences()] == state.p
    }

    /// The place of the last derivative.
    pub(super) fn derivative<'c>(&self, carry: &'c [f64]) -> &'c [f64] {
        &carry[self.place()..]
    }

    /// By how much the last derivative will reduce what is out of balance.
    pub(super) fn rate(&self, carry: &[f64]) -> f64 {
        carry[SIGMA] * carry[AGE]
    }

    /// The first guess of v and λ, and the error of v as a fraction of the motion, foretold from the last one.
    /// Multipliers that are not `determined` stay as they were: what is left open would grow.
    pub(super) fn guess(
        &self,
        carry: &[f64],
        worth: &[f64],
        determined: bool,
        (v, lambda): (&mut [f64], &mut [f64]),
    ) -> f64 {
        let size = |j: usize| {
            let parts = self.difference(carry, j)[..self.velocities].iter().zip(worth);
            let sizes = parts.map(|(x, worth)| x.abs() * worth);
            sizes.fold(0.0, |most, size| if size > most { size } else { most })
        };
        let (mut order, mut least) = (1, f64::INFINITY);
        for j in 1..carry[STEPS] as usize {
            let error = size(j);
            if error < least {
                (order, least) = (j, error);
            }
        }
        self.extrapolate(carry, order, 0, v);
        let order = if determined { order } else { 1 };
        self.extrapolate(carry, order, self.velocities, lambda);
        least / size(0)
    }

    fn difference<'c>(&self, carry: &'c [f64], j: usize) -> &'c [f64] {
        &carry[self.differences() + j * self.unknowns..][..self.unknowns]
    }

    /// `x + ∇x + … + ∇ʲ⁻¹x`, from one unknown on.
    fn extrapolate(&self, carry: &[f64], order: usize, first: usize, out: &mut [f64]) {
        out.fill(0.0);
        for j in (0..order).rev() {
            let difference = &self.difference(carry, j)[first..];
            for (x, d) in out.iter_mut().zip(difference) {
                *x += d;
            }
        }
    }

    /// Records a step: its size, unknowns and iterations, where it ended, and a derivative if it made one.
    pub(super) fn record(
        &self,
        carry: &mut Vec<f64>,
        known: bool,
        (h, solved): (f64, Solved),
        (v, lambda): (&[f64], &[f64]),
        (q, p): (&[f64], &[f64]),
        place: &[f64],
    ) {
        if !known {
            carry.clear();
            carry.resize(self.len(), 0.0);
            carry[SIGMA] = UNKNOWN;
        }
        carry[H] = h;
        // What was not tried for long may do better now.
        carry[SIGMA] = solved
            .kept
            .map_or(FORGET * carry[SIGMA], |rate| rate / carry[AGE]);
        if solved.made > 0 {
            let at = self.place();
            carry[at..].copy_from_slice(place);
            carry[AGE] = 0.0;
        }
        carry[AGE] += 1.0;
        carry[HEAD..HEAD + q.len()].copy_from_slice(q);
        carry[HEAD + q.len()..self.differences()].copy_from_slice(p);
        let columns = &mut carry[self.differences()..];
        for (i, x) in v.iter().chain(lambda).enumerate() {
            let mut difference = *x;
            for column in columns.chunks_exact_mut(self.unknowns).take(ORDERS + 1) {
                let before = std::mem::replace(&mut column[i], difference);
                difference -= before;
            }
        }
        carry[STEPS] = (carry[STEPS] + 1.0).min((ORDERS + 1) as f64);
    }
}

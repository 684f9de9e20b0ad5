//! What a step takes over from those before it, in `State::carry`.
//!
//! ```text
//! x = (v, λ)                                   the unknowns of a step
//! ∇x_k = x_k − x_{k−1},  ∇²x_k = ∇x_k − ∇x_{k−1},  …
//! x_{k+1} ≈ x_k + ∇x_k + … + ∇ʲ⁻¹x_k            initial guess, of the order j whose last error |∇ʲx_k| is least
//!
//! carry = h, steps, age, σ | x, ∇x, … | t̂, q̂, p̂, v̂, λ̂ | μ
//! ```
//! The hats are where the Jacobian that the last step used was evaluated, `age` steps ago, so that
//! a restart factorises the same again. μ, the impulses that ended the last step, is carried where those of both ends of
//! a step are reported together at its start, as trep does. A stale Jacobian contracts the residual at a rate that grows as σ age.
//! Another step size starts afresh.
use super::newton::Solved;
use crate::{
    system::{State, Tag},
    tree::Tree,
};

/// Names what a tree carries.
pub(super) const TAG: Tag = Tag::new(*b"tree", 1);

/// Differences that are stored.
const ORDERS: usize = 8;

/// σ before it was measured, and by how much it is believed to fall while it is not.
const UNKNOWN: f64 = 0.03;
const FORGET: f64 = 0.97;

/// Where each part is.
#[derive(Clone, Copy, Debug)]
pub(super) struct PastUnknowns {
    coordinates: usize,
    velocities: usize,
    unknowns: usize,
    /// Numbers of μ, or none.
    impulses: usize,
}

const H: usize = 0;
const STEPS: usize = 1;
const AGE: usize = 2;
const SIGMA: usize = 3;
const HEAD: usize = 4;

impl PastUnknowns {
    pub(super) fn new(tree: &Tree, with_impulses: bool) -> Self {
        let (velocities, constraints) = (tree.velocities(), tree.constraints());
        Self {
            coordinates: tree.coordinates(),
            velocities,
            unknowns: velocities + constraints,
            impulses: if with_impulses { constraints } else { 0 },
        }
    }

    fn place(&self) -> usize {
        HEAD + (ORDERS + 1) * self.unknowns
    }

    fn impulses(&self) -> usize {
        self.place() + 1 + self.coordinates + self.velocities + self.unknowns
    }

    fn len(&self) -> usize {
        self.impulses() + self.impulses
    }

    /// Whether the state is where a step of the same size ended.
    pub(super) fn is_known(&self, state: &State, h: f64) -> bool {
        let carried = state.carried(TAG);
        carried.is_some_and(|carry| carry.len() == self.len() && carry[H] == h)
    }

    /// Where the last Jacobian was evaluated.
    pub(super) fn jacobian_at<'c>(&self, carry: &'c [f64]) -> &'c [f64] {
        &carry[self.place()..self.impulses()]
    }

    /// μ, where it is carried.
    pub(super) fn ended_with<'c>(&self, carry: &'c [f64]) -> &'c [f64] {
        &carry[self.impulses()..]
    }

    /// The contraction rate to expect of the stale Jacobian.
    pub(super) fn rate(&self, carry: &[f64]) -> f64 {
        carry[SIGMA] * carry[AGE]
    }

    /// The initial guess of v and λ, and the error of v as a fraction of the motion, predicted from the last one.
    /// Multipliers that are not `determined` stay as they were: extrapolated, their free part would grow.
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
        &carry[HEAD + j * self.unknowns..][..self.unknowns]
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

    /// Records a step: its size, unknowns and iterations, and where its Jacobian was evaluated if it needed a new one.
    pub(super) fn record(
        &self,
        carry: &mut Vec<f64>,
        known: bool,
        (h, solved): (f64, Solved),
        (v, lambda, mu): (&[f64], &[f64], &[f64]),
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
            .stale_rate
            .map_or(FORGET * carry[SIGMA], |rate| rate / carry[AGE]);
        if solved.made > 0 {
            let at = self.place();
            carry[at..at + place.len()].copy_from_slice(place);
            carry[AGE] = 0.0;
        }
        carry[AGE] += 1.0;
        let columns = &mut carry[HEAD..];
        for (i, x) in v.iter().chain(lambda).enumerate() {
            let mut difference = *x;
            for column in columns.chunks_exact_mut(self.unknowns).take(ORDERS + 1) {
                let before = std::mem::replace(&mut column[i], difference);
                difference -= before;
            }
        }
        let at = self.impulses();
        carry[at..].copy_from_slice(&mu[..self.impulses]);
        carry[STEPS] = (carry[STEPS] + 1.0).min((ORDERS + 1) as f64);
    }
}

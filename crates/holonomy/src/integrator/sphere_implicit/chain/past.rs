//! What the steps before let expect of the tensions.
//!
//! With `P = T/h`, the momentum of all that hangs on a link, the part along it changes at the end of a step by an
//! impulse, whose rate μ is smooth in time:
//!
//! ```text
//! νᵢ/h = aᵢ + ½(h₋ + h) μᵢ,       aᵢ = Pᵢ·qᵢ at the end of the step before, h₋ long
//! μ ≈ 4μ₁ − 6μ₂ + 4μ₃ − μ₄        after equal steps, or as many of these as there are
//! ```
//! With unequal steps μ belongs to the time `t + (h − h₋)/3`, and is continued along the line of the last two.
use crate::system::{State, Tag};

/// Names what a chain carries.
const TAG: Tag = Tag::new(*b"link", 1);

#[derive(Clone, Copy, Default, PartialEq)]
pub(super) struct PastTensions {
    /// How many values of μ there are, and how many of the last ones belong to equal steps.
    values: usize,
    even: usize,
    /// The last step, h₋, zero if there was none; the time since the last μ, and between the last two.
    step: f64,
    since: f64,
    apart: f64,
}

/// Values of μ that are stored.
pub(super) const MOST: usize = 4;
/// The weights of so many evenly spaced values at the next.
const EVEN: [[f64; MOST]; MOST + 1] = [
    [0.0; MOST],
    [1.0, 0.0, 0.0, 0.0],
    [2.0, -1.0, 0.0, 0.0],
    [3.0, -3.0, 1.0, 0.0],
    [4.0, -6.0, 4.0, -1.0],
];

/// Numbers in the carry that are not per link, and those per link: a and every μ.
const SCALARS: usize = 5;
pub(super) const PER_LINK: usize = 1 + MOST;

/// Opposite steps tell nothing about the rate: none is noted when less than this is left of their sum.
const LEAST_CHANGE: f64 = 0.1;
/// A line is continued by no more than this, in distances of the two values.
const FARTHEST: f64 = 3.0;

impl PastTensions {
    /// Whether it says enough about the next tensions.
    pub(super) fn is_enough(&self) -> bool {
        self.values > 0
    }

    /// How long μ acts before the next step.
    pub(super) fn change(&self, h: f64) -> f64 {
        0.5 * (self.step + h)
    }

    /// Whether μ can be told from the next step.
    pub(super) fn tells(&self, h: f64) -> bool {
        self.step != 0.0 && self.change(h).abs() > LEAST_CHANGE * (self.step.abs() + h.abs())
    }

    /// From the last μ to the next.
    fn until_next(&self, h: f64) -> f64 {
        self.since + (h - self.step) / 3.0
    }

    /// The weights of the last values at the next.
    pub(super) fn weights(&self, h: f64) -> [f64; MOST] {
        if h == self.step && self.even > 1 {
            return EVEN[self.even];
        }
        let slope = self.until_next(h) / self.apart;
        if self.values > 1 && slope.abs() <= FARTHEST {
            return [1.0 + slope, -slope, 0.0, 0.0];
        }
        EVEN[self.values.min(1)]
    }

    /// After a step.
    pub(super) fn next(self, h: f64) -> Self {
        if self.tells(h) {
            Self {
                values: MOST.min(self.values + 1),
                even: if h == self.step {
                    MOST.min(self.even + 1)
                } else {
                    0
                },
                step: h,
                since: h - (h - self.step) / 3.0,
                apart: self.until_next(h),
            }
        } else {
            Self {
                even: 0,
                step: h,
                since: self.since + h,
                ..self
            }
        }
    }

    /// From the carry, with the numbers per link; `None` if it does not belong to this state.
    pub(super) fn recall(state: &State) -> Option<(Self, &[[f64; PER_LINK]])> {
        let (scalars, links) = state.carried(TAG)?.split_first_chunk::<SCALARS>()?;
        let [values, even, step, since, apart] = *scalars;
        if links.len() != state.q.len() / 3 * PER_LINK {
            return None;
        }
        let past = Self {
            values: MOST.min(values as usize),
            even: MOST.min(even as usize),
            step,
            since,
            apart,
        };
        Some((past, links.as_chunks().0))
    }

    /// Into the carry of the state it belongs to, with the numbers per link.
    pub(super) fn store(&self, state: &mut State, links: impl Iterator<Item = [f64; PER_LINK]>) {
        let size = SCALARS + state.q.len() / 3 * PER_LINK;
        let carry = state.carry_for(TAG);
        carry.clear();
        carry.reserve_exact(size);
        carry.extend([
            self.values as f64,
            self.even as f64,
            self.step,
            self.since,
            self.apart,
        ]);
        carry.extend(links.flatten());
    }
}

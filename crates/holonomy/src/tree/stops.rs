//! Stops and dry friction of joints, and efforts that are limited.
//!
//! ```text
//! stop:       τ = −(F + D)(q − q_max, q̇)          beyond the largest position, F and D as in `one_sided.rs`
//!             τ = +(F + D)(q_min − q, −q̇)         beyond the least; F has a potential, D has none
//! friction:   τ = −f tanh(v/v₀),   ∂τ/∂v = −(f/v₀)(1 − tanh²(v/v₀))
//! limited:    τ ↦ τ,  ±τ_max beyond;   derivatives ↦ derivatives, 0 beyond
//! ```
use super::{Law, OneSided, forces::Effort};
use crate::math;

/// Stops at both ends of the way of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// Least and largest position, rad or m.
    pub limits: [f64; 2],
    /// What acts beyond them.
    pub law: OneSided,
}

impl Stop {
    /// Whether the limits are in order, and the law is one.
    pub fn is_sound(&self) -> bool {
        let [least, most] = self.limits;
        least < most && (most - least).is_finite() && self.law.is_sound()
    }

    /// How far beyond a limit a position is, and on which side; not positive between them.
    fn beyond(&self, q: f64) -> (f64, f64) {
        let [least, most] = self.limits;
        if q - most > least - q {
            (q - most, 1.0)
        } else {
            (least - q, -1.0)
        }
    }

    pub(super) fn energy(&self, q: f64) -> f64 {
        self.law.elastic(self.beyond(q).0)[0]
    }

    pub(super) fn push(&self, q: f64, v: f64, weight: f64, out: &mut Effort) {
        let (x, side) = self.beyond(q);
        if x <= 0.0 {
            return;
        }
        let [_, force, stiffness] = self.law.elastic(x);
        out.value -= side * force;
        out.q[0] -= stiffness;
        let [damped, by_x, by_rate] = self.law.damped(x, side * v);
        out.add(weight, -side * damped, -by_x, -by_rate);
    }
}

/// The effort of dry friction and its derivative by v.
pub(super) fn friction(effort: f64, velocity: f64, v: f64) -> [f64; 2] {
    let part = math::tanh(v / velocity);
    [-effort * part, -effort / velocity * (1.0 - part * part)]
}

/// An effort and its derivatives, held within ±`limit`.
#[must_use]
pub fn limited([value, by_q, by_v]: [f64; 3], limit: f64) -> [f64; 3] {
    if value.abs() <= limit || value.is_nan() {
        return [value, by_q, by_v];
    }
    [limit.copysign(value), 0.0, 0.0]
}

/// A law whose effort is held within ±`limit`.
pub fn limited_law<T: 'static>(law: Law<T>, limit: f64) -> Law<T> {
    Box::new(move |at| limited(law(at), limit))
}

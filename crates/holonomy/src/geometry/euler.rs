//! Euler angles: three turns, each about an axis of the body as the turn before left it (intrinsic).
//!
//! ```text
//! q = e_i(α) e_j(β) e_k(γ),   e_i(α) = (cos α/2, sin α/2 · axis i)
//! i = k, l the third axis, ε the sign of (i, j, l):
//!     w = cos β/2 cos σ,   q_i = cos β/2 sin σ,   q_j = sin β/2 cos δ,   q_l = ε sin β/2 sin δ
//!     σ = (α+γ)/2,   δ = (α−γ)/2,   0 ≤ β ≤ π
//! i ≠ k, ε the sign of (i, j, k):
//!     q e_j(−επ/2) = e_i(α) e_j(β − επ/2) e_i(γ),   −π/2 ≤ β ≤ π/2
//! ```
//! Where β is at an end of its range, only one of α ± γ means something; γ is then zero (gimbal lock).
use super::so3;
use crate::math;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// The axes of the three turns, such as `zyx`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EulerOrder {
    axes: [usize; 3],
}

/// Why three letters are no order of axes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EulerOrderError {
    /// Not three letters among x, y, z.
    #[error("`{0}` is no order of Euler angles")]
    Unknown(String),
    /// Two turns about one axis in a row.
    #[error("`{0}` turns about {1} twice in a row, which is one turn")]
    Repeated(String, char),
}

const LETTERS: [char; 3] = ['x', 'y', 'z'];
/// Where sin β/2 or cos β/2 is below this, its partner angle is noise. Angles then describe the rotation to this.
const LOCKED: f64 = 1e-14;

impl EulerOrder {
    /// All orders: six with three axes, six that end on the axis they began with.
    pub const NAMES: [&str; 12] = [
        "zyx", "zxy", "yzx", "yxz", "xzy", "xyz", "zxz", "zyz", "yxy", "yzy", "xyx", "xzx",
    ];

    /// Yaw, pitch and roll.
    pub const ZYX: Self = Self { axes: [2, 1, 0] };

    /// From its letters.
    pub fn parse(text: &str) -> Result<Self, EulerOrderError> {
        let axis = |letter| LETTERS.iter().position(|known| *known == letter);
        let axes: Option<Vec<usize>> = text.chars().map(axis).collect();
        let axes = axes.and_then(|axes| <[usize; 3]>::try_from(axes).ok());
        let axes = axes.ok_or_else(|| EulerOrderError::Unknown(text.to_owned()))?;
        match axes.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(EulerOrderError::Repeated(text.to_owned(), LETTERS[pair[0]])),
            None => Ok(Self { axes }),
        }
    }

    /// The unit quaternion `[w, x, y, z]` of three angles, rad.
    pub fn quaternion(self, angles: [f64; 3]) -> [f64; 4] {
        let turn = |k: usize| {
            let (sine, cosine) = math::sin_cos(0.5 * angles[k]);
            let mut q = [cosine, 0.0, 0.0, 0.0];
            q[1 + self.axes[k]] = sine;
            q
        };
        so3::normalised(so3::product(&so3::product(&turn(0), &turn(1)), &turn(2)))
    }

    /// The angles of a quaternion `[w, x, y, z]` of any length but zero, rad: the first and the last within ±π, the
    /// middle one within ±π/2, or from 0 to π if the first axis is also the last. In gimbal lock the last is zero.
    pub fn angles(self, q: &[f64]) -> [f64; 3] {
        let [i, j, k] = self.axes;
        let proper = i == k;
        let l = 3 - i - j;
        let sign = if (i + 1) % 3 == j { 1.0 } else { -1.0 };
        let mut turned = [q[0], q[1], q[2], q[3]];
        if !proper {
            let mut back = [1.0, 0.0, 0.0, 0.0];
            back[1 + j] = -sign;
            turned = so3::product(&turned, &back);
        }
        let (w, along) = (turned[0], turned[1 + i]);
        let (across, aside) = (turned[1 + j], sign * turned[1 + l]);
        let (cosine, sine) = (math::hypot(w, along), math::hypot(across, aside));
        let (sum, difference) = (math::atan2(along, w), math::atan2(aside, across));
        let (first, last) = if sine <= LOCKED * cosine {
            (2.0 * sum, 0.0)
        } else if cosine <= LOCKED * sine {
            (2.0 * difference, 0.0)
        } else if proper || sign < 0.0 {
            (sum + difference, sum - difference)
        } else {
            // e_i(α) e_j(−b) e_i(γ) = e_i(α+π) e_j(b) e_i(γ−π)
            (sum + difference - PI, sum - difference + PI)
        };
        let turned = 2.0 * math::atan2(sine, cosine);
        let middle = match (proper, sign > 0.0) {
            (true, _) => turned,
            (false, true) => FRAC_PI_2 - turned,
            (false, false) => turned - FRAC_PI_2,
        };
        [wrapped(first), middle, wrapped(last)]
    }
}

/// Within ±π.
fn wrapped(angle: f64) -> f64 {
    angle - (angle / TAU).round() * TAU
}

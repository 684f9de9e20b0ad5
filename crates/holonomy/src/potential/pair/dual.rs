//! A number with its slope, for the second derivative of a law: `f′(x + ε) = f′ + f″ ε`, exactly.
use crate::simd::Real;
use std::ops::{Add, Div, Mul, Sub};

/// `value + slope ε`, ε² = 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dual {
    pub(super) value: f64,
    pub(super) slope: f64,
}

fn dual(value: f64, slope: f64) -> Dual {
    Dual { value, slope }
}

impl Add for Dual {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        dual(self.value + other.value, self.slope + other.slope)
    }
}

impl Sub for Dual {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        dual(self.value - other.value, self.slope - other.slope)
    }
}

impl Mul for Dual {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let slope = self.slope * other.value + self.value * other.slope;
        dual(self.value * other.value, slope)
    }
}

impl Div for Dual {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        dual(value, (self.slope - value * other.slope) / other.value)
    }
}

impl Add<f64> for Dual {
    type Output = Self;
    fn add(self, other: f64) -> Self {
        dual(self.value + other, self.slope)
    }
}

impl Sub<f64> for Dual {
    type Output = Self;
    fn sub(self, other: f64) -> Self {
        dual(self.value - other, self.slope)
    }
}

impl Mul<f64> for Dual {
    type Output = Self;
    fn mul(self, other: f64) -> Self {
        dual(self.value * other, self.slope * other)
    }
}

impl Real for Dual {
    fn constant(self, x: f64) -> Self {
        dual(x, 0.0)
    }

    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        dual(root, 0.5 * self.slope / root)
    }

    fn at_most(self, most: f64) -> Self {
        if self.value < most { self } else { dual(most, 0.0) }
    }

    fn at_least(self, least: f64) -> Self {
        if self.value > least {
            self
        } else {
            dual(least, 0.0)
        }
    }

    fn are_within(self, most: f64) -> bool {
        self.value <= most
    }

    /// What a law does to the plain number leaves no trace of the slope: there is none that would be right.
    fn lane_by_lane<const N: usize, const M: usize>(
        all: [Self; N],
        mut act: impl FnMut([f64; N]) -> [f64; M],
    ) -> [Self; M] {
        act(all.map(|x| x.value)).map(|value| dual(value, f64::NAN))
    }
}

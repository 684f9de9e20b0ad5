//! Numbers and vectors with their first and second derivatives in time.
//!
//! ```text
//! (x, ẋ, ẍ) (y, ẏ, ÿ) = (x y, ẋ y + x ẏ, ẍ y + 2 ẋ ẏ + x ÿ)
//! √x:   ẋ / 2√x,   (ẍ − 2 (√x)˙²) / 2√x
//! θ = atan2(y, x):   θ̇ = (x ẏ − y ẋ) / r²,   θ̈ = (x ÿ − y ẍ − θ̇ (r²)˙) / r²
//! ```
use crate::{Vec3, math};
use std::ops::{Add, Mul, Neg, Sub};

/// A number as a function of time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Jet {
    pub(super) x: f64,
    pub(super) v: f64,
    pub(super) a: f64,
}

/// A vector as a function of time.
#[derive(Clone, Copy, Debug)]
pub(super) struct JetVec {
    pub(super) x: Vec3,
    pub(super) v: Vec3,
    pub(super) a: Vec3,
}

impl Jet {
    pub(super) fn constant(x: f64) -> Self {
        Self { x, v: 0.0, a: 0.0 }
    }

    pub(super) fn sqrt(self) -> Self {
        let x = self.x.sqrt();
        let v = self.v / (2.0 * x);
        let a = (self.a - 2.0 * v * v) / (2.0 * x);
        Self { x, v, a }
    }

    pub(super) fn inverse(self) -> Self {
        let x = 1.0 / self.x;
        let v = -self.v * x * x;
        let a = -self.a * x * x + 2.0 * self.v * self.v * x * x * x;
        Self { x, v, a }
    }

    pub(super) fn atan2(y: Self, x: Self) -> Self {
        let square = x.x * x.x + y.x * y.x;
        let v = (x.x * y.v - y.x * x.v) / square;
        let growth = 2.0 * (x.x * x.v + y.x * y.v);
        let a = (x.x * y.a - y.x * x.a - v * growth) / square;
        let x = math::atan2(y.x, x.x);
        Self { x, v, a }
    }
}

impl Add for Jet {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            x: self.x + other.x,
            v: self.v + other.v,
            a: self.a + other.a,
        }
    }
}

impl Neg for Jet {
    type Output = Self;
    fn neg(self) -> Self {
        self * -1.0
    }
}

impl Sub for Jet {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Jet {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self {
            x: self.x * other.x,
            v: self.v * other.x + self.x * other.v,
            a: self.a * other.x + 2.0 * self.v * other.v + self.x * other.a,
        }
    }
}

impl Mul<f64> for Jet {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self {
            x: self.x * factor,
            v: self.v * factor,
            a: self.a * factor,
        }
    }
}

impl JetVec {
    pub(super) fn constant(x: Vec3) -> Self {
        let (v, a) = (Vec3::zeros(), Vec3::zeros());
        Self { x, v, a }
    }

    pub(super) fn dot(&self, other: &Self) -> Jet {
        Jet {
            x: self.x.dot(&other.x),
            v: self.v.dot(&other.x) + self.x.dot(&other.v),
            a: self.a.dot(&other.x) + 2.0 * self.v.dot(&other.v) + self.x.dot(&other.a),
        }
    }

    pub(super) fn cross(&self, other: &Self) -> Self {
        Self {
            x: self.x.cross(&other.x),
            v: self.v.cross(&other.x) + self.x.cross(&other.v),
            a: self.a.cross(&other.x) + self.v.cross(&other.v) * 2.0 + self.x.cross(&other.a),
        }
    }

    pub(super) fn times(&self, factor: Jet) -> Self {
        Self {
            x: self.x * factor.x,
            v: self.v * factor.x + self.x * factor.v,
            a: self.a * factor.x + self.v * (2.0 * factor.v) + self.x * factor.a,
        }
    }
}

impl Add for JetVec {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            x: self.x + other.x,
            v: self.v + other.v,
            a: self.a + other.a,
        }
    }
}

impl Sub for JetVec {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self {
            x: self.x - other.x,
            v: self.v - other.v,
            a: self.a - other.a,
        }
    }
}

//! Vectors of space, of numbers or of numbers side by side.
use super::Real;
use crate::Vec3;
use std::ops::{Add, Mul, Sub};

/// x, y and z.
#[derive(Clone, Copy, Debug)]
pub struct Triple<T> {
    pub(crate) x: T,
    pub(crate) y: T,
    pub(crate) z: T,
}

impl<T: Real> Triple<T> {
    #[inline(always)]
    pub(crate) fn dot(self, other: Self) -> T {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[inline(always)]
    pub(crate) fn norm_squared(self) -> T {
        self.dot(self)
    }

    #[inline(always)]
    pub(crate) fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }

    /// Times a number that is the same in all lanes.
    #[inline(always)]
    pub(crate) fn scaled(self, factor: f64) -> Self {
        Self {
            x: self.x * factor,
            y: self.y * factor,
            z: self.z * factor,
        }
    }
}

/// Vectors of eight states side by side.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod side {
    use super::Triple;
    use crate::simd::{LANES, Vector};

    /// The same vector in all lanes.
    #[inline(always)]
    pub(crate) fn in_all_lanes<V: Vector>(token: V::Token, vector: Triple<f64>) -> Triple<V> {
        Triple {
            x: V::all(token, vector.x),
            y: V::all(token, vector.y),
            z: V::all(token, vector.z),
        }
    }

    /// Eight vectors from memory.
    #[inline(always)]
    pub(crate) fn load<V: Vector>(token: V::Token, from: &[[f64; LANES]; 3]) -> Triple<V> {
        Triple {
            x: V::load(token, &from[0]),
            y: V::load(token, &from[1]),
            z: V::load(token, &from[2]),
        }
    }

    /// Eight vectors to memory.
    #[inline(always)]
    pub(crate) fn store<V: Vector>(vectors: Triple<V>, to: &mut [[f64; LANES]; 3]) {
        vectors.x.store(&mut to[0]);
        vectors.y.store(&mut to[1]);
        vectors.z.store(&mut to[2]);
    }
}

impl<T: Real> Add for Triple<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self {
            x: self.x + other.x,
            y: self.y + other.y,
            z: self.z + other.z,
        }
    }
}

impl<T: Real> Sub for Triple<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self {
            x: self.x - other.x,
            y: self.y - other.y,
            z: self.z - other.z,
        }
    }
}

impl<T: Real> Mul<T> for Triple<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: T) -> Self {
        Self {
            x: self.x * factor,
            y: self.y * factor,
            z: self.z * factor,
        }
    }
}

impl From<Vec3> for Triple<f64> {
    #[inline(always)]
    fn from(v: Vec3) -> Self {
        Self {
            x: v.x,
            y: v.y,
            z: v.z,
        }
    }
}

impl From<&Vec3> for Triple<f64> {
    #[inline(always)]
    fn from(v: &Vec3) -> Self {
        (*v).into()
    }
}

impl From<Triple<f64>> for Vec3 {
    #[inline(always)]
    fn from(v: Triple<f64>) -> Self {
        Self::new(v.x, v.y, v.z)
    }
}

//! Eight numbers in memory.
use super::LANES;
use std::ops::{Deref, DerefMut};

/// Eight numbers that fill a line of the cache, so that no vector is read from two.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub(crate) struct Eight(pub(crate) [f64; LANES]);

impl Eight {
    /// The same number eight times.
    #[inline(always)]
    pub(crate) const fn all(x: f64) -> Self {
        Self([x; LANES])
    }
}

impl Deref for Eight {
    type Target = [f64; LANES];
    #[inline(always)]
    fn deref(&self) -> &[f64; LANES] {
        &self.0
    }
}

impl DerefMut for Eight {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [f64; LANES] {
        &mut self.0
    }
}

//! Numbers of many pairs side by side: what the loops over pairs work on.
use std::ops::{Deref, DerefMut};

/// A list of numbers that begins with a line of the cache.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Strip<const LENGTH: usize>([f64; LENGTH]);

impl<const LENGTH: usize> Strip<LENGTH> {
    pub(super) const ZERO: Self = Self([0.0; LENGTH]);
}

impl<const LENGTH: usize> Deref for Strip<LENGTH> {
    type Target = [f64; LENGTH];
    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<const LENGTH: usize> DerefMut for Strip<LENGTH> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

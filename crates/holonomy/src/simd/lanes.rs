//! W numbers side by side in plain Rust: the portable fallback of [`Vector`], and what needs no more than the compiler
//! makes of it.
use super::{LANES, Real, Vector};
use std::ops::{Add, Div, Mul, Sub};

/// W numbers, each computed as if it were alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lanes<const W: usize>(pub(crate) [f64; W]);

impl<const W: usize> Lanes<W> {
    /// The same number in all lanes.
    #[inline(always)]
    pub(crate) fn all(value: f64) -> Self {
        Self([value; W])
    }

    /// Lane by lane, with those of another.
    #[inline(always)]
    pub(crate) fn with(self, other: Self, act: impl Fn(f64, f64) -> f64) -> Self {
        Self(std::array::from_fn(|l| act(self.0[l], other.0[l])))
    }
}

macro_rules! lane_by_lane {
    ($($operator:ident $method:ident $symbol:tt)*) => {
        $(
            impl<const W: usize> $operator for Lanes<W> {
                type Output = Self;
                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    self.with(other, |a, b| a $symbol b)
                }
            }
            impl<const W: usize> $operator<f64> for Lanes<W> {
                type Output = Self;
                #[inline(always)]
                fn $method(self, other: f64) -> Self {
                    self.with(Self::all(other), |a, b| a $symbol b)
                }
            }
        )*
    };
}

lane_by_lane! { Add add + Sub sub - Mul mul * Div div / }

impl<const W: usize> Real for Lanes<W> {
    #[inline(always)]
    fn constant(self, x: f64) -> Self {
        Self::all(x)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f64::sqrt))
    }
    #[inline(always)]
    fn at_most(self, most: f64) -> Self {
        Self(self.0.map(|x| x.at_most(most)))
    }
    #[inline(always)]
    fn at_least(self, least: f64) -> Self {
        Self(self.0.map(|x| x.at_least(least)))
    }
    #[inline(always)]
    fn are_within(self, most: f64) -> bool {
        self.0.iter().all(|x| *x <= most)
    }
    #[inline(always)]
    fn lane_by_lane<const N: usize, const M: usize>(
        all: [Self; N],
        mut act: impl FnMut([f64; N]) -> [f64; M],
    ) -> [Self; M] {
        let mut found = [Self::all(0.0); M];
        for l in 0..W {
            let lane = act(all.map(|x| x.0[l]));
            lane.iter().zip(&mut found).for_each(|(x, found)| found.0[l] = *x);
        }
        found
    }
}

impl Vector for Lanes<LANES> {
    type Token = ();
    #[inline(always)]
    fn all((): (), x: f64) -> Self {
        Lanes::all(x)
    }
    #[inline(always)]
    fn load((): (), x: &[f64; LANES]) -> Self {
        Self(*x)
    }
    #[inline(always)]
    fn store(self, x: &mut [f64; LANES]) {
        *x = self.0;
    }
    #[inline(always)]
    fn gather((): (), places: &[[f64; 4]], of: &[u32; LANES]) -> [Self; 3] {
        [0, 1, 2].map(|axis| Self(of.map(|k| places[k as usize][axis])))
    }
    #[inline(always)]
    fn within(self, most: f64) -> u8 {
        (0..LANES).fold(0, |bits, l| bits | u8::from(self.0[l] <= most) << l)
    }
}

/// An expression compiled for common widths; for others the width is 0.
macro_rules! with_width {
    ($width:expr, $w:ident => $call:expr) => {
        with_width!(@ $width, $w, $call, 1 2 3 4 5 6 8)
    };
    (@ $width:expr, $w:ident, $call:expr, $($common:literal)*) => {
        match $width {
            $($common => {
                const $w: usize = $common;
                $call
            })*
            _ => {
                const $w: usize = 0;
                $call
            }
        }
    };
}
pub(crate) use with_width;

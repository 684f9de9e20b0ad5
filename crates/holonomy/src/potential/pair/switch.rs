//! A law that ends: f(s)·S(s), smoothly.
//!
//! ```text
//! v = (s − inner²)/(outer² − inner²), kept within 0 … 1
//! S = (1 − v³)³                       1 up to inner, 0 from outer on, two continuous derivatives
//! S′ = −9 v²(1 − v³)²/(outer² − inner²)
//! (f S)′ = f′ S + f S′
//! ```
//! From outer on both S and S′ are zero to the last bit, if f has a value there: f is asked there at outer.
use super::{Argument, PairLaw, strip};
use crate::{formula::SubExpression, simd::Real, system::Undefined};
use thiserror::Error;

/// Where a law between pairs fades out. Distances are straight ones between unit vectors: those in space, divided by
/// the radius of the sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cutoff {
    inner: f64,
    outer: f64,
    skin: f64,
}

/// Why a cut-off is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CutoffError {
    /// `inner < outer` does not hold.
    #[error("the law must fade out between two distances: a plain cut-off makes the energy jump, and drift")]
    Plain,
    /// A distance is negative, not a number or infinite.
    #[error("distances must be finite and not negative")]
    Distance,
}

impl Cutoff {
    /// The law fades out from `inner` to `outer`. Lists of neighbours reach further by `skin`: a point needs a new one
    /// when it has moved by half of it or more.
    pub fn new(inner: f64, outer: f64, skin: f64) -> Result<Self, CutoffError> {
        // What is too small to be squared would be no cut-off, and what is too large no number.
        let sound = |distance: f64| (0.0..1e100).contains(&distance);
        if ![inner, outer, skin].into_iter().all(sound) {
            return Err(CutoffError::Distance);
        }
        if !(inner * inner < outer * outer) {
            return Err(CutoffError::Plain);
        }
        Ok(Self { inner, outer, skin })
    }

    /// Up to here the law is what it is.
    pub fn inner(&self) -> f64 {
        self.inner
    }

    /// From here on there is nothing.
    pub fn outer(&self) -> f64 {
        self.outer
    }

    /// How much further lists reach.
    pub fn skin(&self) -> f64 {
        self.skin
    }
}

/// Pairs that are asked for at once.
const LENGTH: usize = 256;
type LawStrip = strip::Strip<LENGTH>;

/// A law with a cut-off. It is a function of s, also where the law is one of c: on the sphere c = 1 − s/2.
#[derive(Clone, Debug)]
pub(super) struct Switched<L> {
    pub(super) law: L,
    inner: f64,
    outer: f64,
    /// 1/(outer² − inner²), and −9 times that.
    scale: f64,
    change: f64,
}

impl<L: PairLaw> Switched<L> {
    pub(super) fn new(law: L, cutoff: &Cutoff) -> Self {
        let (inner, outer) = (cutoff.inner * cutoff.inner, cutoff.outer * cutoff.outer);
        let mut scale = 1.0 / (outer - inner);
        // At outer v must be 1, not a digit less.
        while (outer - inner) * scale < 1.0 {
            scale = scale.next_up();
        }
        Self {
            law,
            inner,
            outer,
            scale,
            change: -9.0 * scale,
        }
    }

    /// S and S′.
    #[inline(always)]
    fn switch<R: Real>(&self, s: R) -> (R, R) {
        let v = ((s - self.inner) * self.scale).at_least(0.0).at_most(1.0);
        let square = v * v;
        let w = v.constant(1.0) - square * v;
        let w2 = w * w;
        (w2 * w, square * w2 * self.change)
    }

    /// What the law is asked for.
    #[inline(always)]
    fn asked<R: Real>(&self, s: R) -> R {
        let s = s.at_most(self.outer);
        match self.law.argument() {
            Argument::SquaredDistance => s,
            Argument::Cosine => s.constant(1.0) - s * 0.5,
        }
    }

    /// The slope by s of what the law gave, and its switch.
    #[inline(always)]
    fn joined<R: Real>(&self, s: R, energy: R, slope: R) -> (R, R) {
        let (part, change) = self.switch(s);
        let slope = match self.law.argument() {
            Argument::SquaredDistance => slope,
            Argument::Cosine => slope * -0.5,
        };
        (energy * part, slope * part + energy * change)
    }
}

impl<L: PairLaw> Switched<L> {
    /// From here on there is nothing.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn reaches(&self, s: f64) -> bool {
        s < self.outer
    }
}

impl<L: PairLaw> PairLaw for Switched<L> {
    const BATCHED: bool = L::BATCHED;

    /// `(f S)″ = f″S + 2 f′S′ + f S″`, by s.
    #[cfg(not(target_arch = "wasm32"))]
    fn curvature(&self, s: f64) -> f64 {
        let asked = self.asked(s);
        let (energy, slope) = self.law.at(asked);
        let (by_s, twice) = match self.law.argument() {
            Argument::SquaredDistance => (slope, self.law.curvature(asked)),
            Argument::Cosine => (-0.5 * slope, 0.25 * self.law.curvature(asked)),
        };
        let moving = self.switch(super::dual::Dual { value: s, slope: 1.0 });
        let (part, change, bend) = (moving.0.value, moving.1.value, moving.1.slope);
        twice * part + 2.0 * by_s * change + energy * bend
    }

    #[inline(always)]
    fn at<R: Real>(&self, s: R) -> (R, R) {
        let (energy, slope) = self.law.at(self.asked(s));
        self.joined(s, energy, slope)
    }

    fn energies(&self, x: &mut [f64]) {
        let mut energies = LawStrip::ZERO;
        for x in x.chunks_mut(LENGTH) {
            let energies = &mut energies[..x.len()];
            for (energy, s) in energies.iter_mut().zip(&*x) {
                *energy = self.asked(*s);
            }
            self.law.energies(energies);
            for (energy, x) in energies.iter().zip(x) {
                *x = self.joined(*x, *energy, 0.0).0;
            }
        }
    }

    fn slopes(&self, x: &mut [f64]) {
        let (mut energies, mut slopes) = (LawStrip::ZERO, LawStrip::ZERO);
        for x in x.chunks_mut(LENGTH) {
            let (energies, slopes) = (&mut energies[..x.len()], &mut slopes[..x.len()]);
            for (energy, s) in energies.iter_mut().zip(&*x) {
                *energy = self.asked(*s);
            }
            self.law.energies_and_slopes(energies, slopes);
            for ((energy, slope), x) in energies.iter().zip(&*slopes).zip(x) {
                *x = self.joined(*x, *energy, *slope).1;
            }
        }
    }

    fn undefined(&self, s: f64) -> Option<Undefined> {
        self.law.undefined(self.asked(s))
    }

    fn expressions(&self) -> Vec<SubExpression> {
        self.law.expressions()
    }
}

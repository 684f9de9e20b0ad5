//! The same law between all pairs of points, V = Σ_{i<j} f.
//!
//! ```text
//! f(s),  s = |a − b|²      ∂f/∂a =  2 f′ (a − b)      ∂f/∂b = −2 f′ (a − b)
//! f(c),  c = a·b           ∂f/∂a =    f′ b            ∂f/∂b =    f′ a
//! ```
//! A law is asked for many pairs at once. [`Pairs`] sums over all of them, [`NearPairs`] over those that are near.
mod all;
#[cfg(not(target_arch = "wasm32"))]
mod dual;
mod formula;
mod group;
mod known;
mod laws;
mod lists;
mod mend;
mod near;
mod search;
mod strip;
mod switch;
mod tree;

pub use all::Pairs;
pub use formula::PairFormula;
pub use known::KnownLaw;
pub use laws::{Cotangent, LennardJones};
pub use near::NearPairs;
pub use switch::{Cutoff, CutoffError};

#[cfg(not(target_arch = "wasm32"))]
use crate::Vec3;
use crate::{formula::SubExpression, simd::Real, system::Undefined};

/// What the energy of a pair is a function of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The square of the straight distance, s = |a − b|².
    SquaredDistance,
    /// The cosine of the angle between unit vectors, c = a·b. Off the sphere it is not 1 − s/2.
    Cosine,
}

/// Energy between two points, a function of one number.
pub trait PairLaw: Send + Sync {
    /// Whether many pairs are better asked for at once, by [`PairLaw::energies`] and its like, than eight at a time.
    const BATCHED: bool = false;

    /// What `x` is below.
    fn argument(&self) -> Argument {
        Argument::SquaredDistance
    }

    /// Energy f(x) and slope f′(x). `#[inline(always)]` makes the sums over pairs several times faster.
    fn at<R: Real>(&self, x: R) -> (R, R);

    /// f″(x): exact, for laws that compute with the numbers they are given. Not a number for those that take them apart,
    /// unless they say themselves.
    #[cfg(not(target_arch = "wasm32"))]
    fn curvature(&self, x: f64) -> f64 {
        self.at(dual::Dual { value: x, slope: 1.0 }).1.slope
    }

    /// Puts f(x) in the place of each x.
    fn energies(&self, x: &mut [f64]) {
        for x in x {
            *x = self.at(*x).0;
        }
    }

    /// Puts f′(x) in the place of each x.
    fn slopes(&self, x: &mut [f64]) {
        for x in x {
            *x = self.at(*x).1;
        }
    }

    /// Puts f(x) in the place of each x, and f′(x) beside it.
    fn energies_and_slopes(&self, x: &mut [f64], slopes: &mut [f64]) {
        for (x, slope) in x.iter_mut().zip(slopes) {
            (*x, *slope) = self.at(*x);
        }
    }

    /// What has no value at x, if it is known; its number is that in `expressions`.
    fn undefined(&self, x: f64) -> Option<Undefined> {
        let _ = x;
        None
    }

    /// The expressions that [`Undefined`] numbers.
    fn expressions(&self) -> Vec<SubExpression> {
        Vec::new()
    }
}

/// [`crate::potential::Potential::add_hessian`] of a law between all pairs of points whose argument is of those wanted.
///
/// ```text
/// f(s)   δ(2f′ d) = 2f′ δd + 4f″ (d·δd) d,   d = a − b          f(c)   δ(f′ b) = f′ δb + f″ (δa·b + a·δb) b
/// ```
#[cfg(not(target_arch = "wasm32"))]
fn add_hessian<L: PairLaw>(
    law: &L,
    points: &[Vec3],
    direction: &[Vec3],
    change: &mut [Vec3],
    wanted: impl Fn(f64) -> bool,
) -> bool {
    let argument = law.argument();
    for i in 0..points.len() {
        for j in 0..i {
            let (a, b, da, db) = (points[i], points[j], direction[i], direction[j]);
            let x = argument.of(&a, &b);
            if !wanted(x) {
                continue;
            }
            let (slope, curvature) = (law.at(x).1, law.curvature(x));
            if curvature.is_nan() && slope.is_finite() {
                return false;
            }
            match argument {
                Argument::SquaredDistance => {
                    let (apart, moved) = (a - b, da - db);
                    let term = moved * (2.0 * slope) + apart * (4.0 * curvature * apart.dot(&moved));
                    change[i] += term;
                    change[j] -= term;
                }
                Argument::Cosine => {
                    let turned = curvature * (da.dot(&b) + a.dot(&db));
                    change[i] += db * slope + b * turned;
                    change[j] += da * slope + a * turned;
                }
            }
        }
    }
    true
}

use super::{Cotangent, Cutoff, LennardJones, NearPairs, PairFormula, PairLaw, Pairs};
use crate::potential::Potential;

/// A law of the engine. Its sums are compiled here and not where they are made: a program that is optimised for its size,
/// as that of a page, has them as fast as others.
pub enum KnownLaw {
    /// Lennard-Jones.
    LennardJones(LennardJones),
    /// Gravity on a sphere.
    Cotangent(Cotangent),
    /// A formula.
    Formula(PairFormula),
}

impl KnownLaw {
    /// The sum over all pairs of so many points, or over those within a cut-off.
    pub fn summed(self, count: usize, cutoff: Option<Cutoff>) -> Box<dyn Potential> {
        match self {
            Self::LennardJones(law) => summed(law, count, cutoff),
            Self::Cotangent(law) => summed(law, count, cutoff),
            Self::Formula(law) => summed(law, count, cutoff),
        }
    }
}

fn summed<L: PairLaw + 'static>(law: L, count: usize, cutoff: Option<Cutoff>) -> Box<dyn Potential> {
    match cutoff {
        Some(cutoff) => Box::new(NearPairs::new(law, count, cutoff)),
        None => Box::new(Pairs::new(law, count)),
    }
}

//! Formulas at eight points (t, q, v) side by side: at each what [`Mechanics::lagrangian`](super::Mechanics::lagrangian)
//! and [`Mechanics::force`](super::Mechanics::force) give, to the bit.
use super::{FormulaMechanics, PowerSources};
use crate::{formula::Together, simd::Eight as Numbers};

const NOTHING: Numbers = Numbers::all(0.0);

/// What the formulas of a mechanism are at eight points.
pub(crate) struct TogetherMechanics {
    n: usize,
    /// q, v, t.
    pub(crate) variables: Vec<Numbers>,
    lagrangian: Together,
    momentum: Together,
    force: Option<Together>,
}

impl FormulaMechanics {
    /// Memory for eight points; `None` in a frame and under constraints.
    pub(crate) fn together(&self) -> Option<TogetherMechanics> {
        let n = self.slots.coordinates;
        (self.frame.is_none() && self.constraint.is_none()).then(|| TogetherMechanics {
            n,
            variables: vec![Numbers::all(0.0); 2 * n + 1],
            lagrangian: self.lagrangian.program.together(),
            momentum: self.momentum.program.together(),
            force: self.force.as_ref().map(|force| force.program.together()),
        })
    }

    /// Evaluates the Lagrangian at the variables; whether it has a value at all points.
    pub(crate) fn lagrangian_together(&self, at: &mut TogetherMechanics) -> bool {
        let program = &self.lagrangian.program;
        program.evaluate_together(&at.variables, &mut at.lagrangian)
    }

    /// The same of `∂L/∂v` and `∂²L/∂v²` alone.
    pub(crate) fn momentum_together(&self, at: &mut TogetherMechanics) -> bool {
        let program = &self.momentum.program;
        program.evaluate_together(&at.variables, &mut at.momentum)
    }

    /// The same of the forces.
    pub(crate) fn force_together(&self, at: &mut TogetherMechanics) -> bool {
        match (&self.force, &mut at.force) {
            (Some(force), Some(memory)) => force.program.evaluate_together(&at.variables, memory),
            _ => true,
        }
    }

    /// What was found of `∂L/∂v`, and behind it of `∂²L/∂v²`.
    #[inline(always)]
    pub(crate) fn momentum<'m>(&'m self, at: &'m TogetherMechanics, place: usize) -> &'m Numbers {
        self.momentum.program.output(&at.momentum, place)
    }

    /// What was found there.
    #[inline(always)]
    pub(crate) fn found<'m>(&'m self, at: &'m TogetherMechanics) -> Found<'m> {
        Found { of: self, at }
    }
}

/// Derivatives under the names of [`super::Derivatives`] and [`super::GeneralizedForce`].
#[derive(Clone, Copy)]
pub(crate) struct Found<'m> {
    of: &'m FormulaMechanics,
    at: &'m TogetherMechanics,
}

impl<'m> Found<'m> {
    #[inline(always)]
    fn output(self, place: usize) -> &'m Numbers {
        self.of.lagrangian.program.output(&self.at.lagrangian, place)
    }

    #[inline(always)]
    pub(crate) fn q(self, a: usize) -> &'m Numbers {
        self.output(1 + a)
    }

    #[inline(always)]
    pub(crate) fn v(self, i: usize) -> &'m Numbers {
        self.output(1 + self.at.n + i)
    }

    /// A matrix of second derivatives; three n numbers and the value come before the first.
    #[inline(always)]
    fn second(self, matrix: usize, place: usize) -> &'m Numbers {
        let n = self.at.n;
        self.output(1 + 3 * n + matrix * n * n + place)
    }

    #[inline(always)]
    pub(crate) fn vv(self, place: usize) -> &'m Numbers {
        self.second(0, place)
    }

    #[inline(always)]
    pub(crate) fn vq(self, place: usize) -> &'m Numbers {
        self.second(1, place)
    }

    #[inline(always)]
    pub(crate) fn qq(self, place: usize) -> &'m Numbers {
        self.second(2, place)
    }

    /// `∂L/∂t`, where time is among the sources of power.
    #[inline(always)]
    pub(crate) fn t(self) -> &'m Numbers {
        self.second(3, 0)
    }

    #[inline(always)]
    fn of_force(self, place: usize) -> &'m Numbers {
        match (&self.of.force, &self.at.force) {
            (Some(force), Some(memory)) => force.program.output(memory, place),
            _ => &NOTHING,
        }
    }

    #[inline(always)]
    pub(crate) fn force(self, a: usize) -> &'m Numbers {
        self.of_force(a)
    }

    #[inline(always)]
    pub(crate) fn force_q(self, place: usize) -> &'m Numbers {
        self.of_force(self.at.n + place)
    }

    #[inline(always)]
    pub(crate) fn force_v(self, place: usize) -> &'m Numbers {
        let n = self.at.n;
        self.of_force(n + n * n + place)
    }

    pub(crate) fn sources(self) -> &'m PowerSources {
        &self.of.sources
    }
}

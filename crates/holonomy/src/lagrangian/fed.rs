//! Mechanics with forces that answer to where it is and how it moves.
//!
//! ```text
//! f_a += s (ū(t) + Σ Kⱼ(t) (zⱼ − z̄ⱼ(t))),    zⱼ a coordinate or a velocity
//! ```
//! It is linear in the state: feedback takes Newton's method no more iterations, and derivatives are exact.
use super::{
    Derivatives, FormulaMemory, FrameFields, GeneralizedForce, HolonomicConstraint, Mechanics, PowerSources,
};
use crate::{formula::SubExpression, system::Undefined};

/// A function of time.
pub type OfTime = Box<dyn Fn(f64) -> f64 + Send + Sync>;

/// A force on a coordinate that answers to deviations.
pub struct Answer {
    /// The coordinate it acts on.
    pub on: usize,
    /// What it all is multiplied by.
    pub scale: f64,
    /// The force without deviations.
    pub value: OfTime,
    /// What it answers to.
    pub terms: Vec<AnswerTerm>,
}

/// A number that is to be what a function of time says, and how much is added for each unit that it is more.
pub struct AnswerTerm {
    /// Whether it is a velocity.
    pub rate: bool,
    /// Its place among coordinates or velocities.
    pub number: usize,
    /// How much is added.
    pub gain: OfTime,
    /// What it is to be.
    pub about: OfTime,
}

/// Mechanics without a frame, and answers to its motion.
pub struct Fed {
    of: Box<dyn Mechanics>,
    answers: Vec<Answer>,
}

impl Fed {
    /// Of mechanics without a frame.
    pub fn new(of: Box<dyn Mechanics>, answers: Vec<Answer>) -> Self {
        Self { of, answers }
    }
}

impl Mechanics for Fed {
    fn coordinates(&self) -> usize {
        self.of.coordinates()
    }

    fn fields(&self) -> Option<usize> {
        self.of.fields()
    }

    fn frame(&self, q: &[f64], out: &mut FrameFields) -> Result<(), Undefined> {
        self.of.frame(q, out)
    }

    fn lagrangian(&self, t: f64, q: &[f64], v: &[f64], out: &mut Derivatives) -> Result<(), Undefined> {
        self.of.lagrangian(t, q, v, out)
    }

    fn momentum(&self, t: f64, q: &[f64], v: &[f64], out: &mut Derivatives) -> Result<(), Undefined> {
        self.of.momentum(t, q, v, out)
    }

    fn force(&self, t: f64, q: &[f64], v: &[f64], out: &mut GeneralizedForce) -> Result<(), Undefined> {
        self.of.force(t, q, v, out)?;
        for answer in &self.answers {
            out.value[answer.on] += answer.scale * (answer.value)(t);
            for term in &answer.terms {
                let z = if term.rate { v[term.number] } else { q[term.number] };
                let slope = answer.scale * (term.gain)(t);
                out.value[answer.on] += slope * (z - (term.about)(t));
                let (list, columns) = match term.rate {
                    true => (&mut out.v, v.len()),
                    false => (&mut out.q, q.len()),
                };
                list[answer.on * columns + term.number] += slope;
            }
        }
        Ok(())
    }

    fn constraints(&self) -> usize {
        self.of.constraints()
    }

    fn constraint(
        &self,
        t: f64,
        q: &[f64],
        v: &[f64],
        out: &mut HolonomicConstraint,
    ) -> Result<(), Undefined> {
        self.of.constraint(t, q, v, out)
    }

    fn acts_along(&self, velocity: usize) -> bool {
        self.answers.iter().any(|answer| answer.on == velocity) || self.of.acts_along(velocity)
    }

    fn sources(&self) -> PowerSources {
        let mut sources = self.of.sources();
        sources.forces.extend(self.answers.iter().map(|answer| answer.on));
        sources.forces.sort_unstable();
        sources.forces.dedup();
        sources
    }

    fn invariants(&self) -> &[String] {
        self.of.invariants()
    }

    fn invariant(
        &self,
        t: f64,
        q: &[f64],
        v: &[f64],
        out: &mut Vec<f64>,
        memory: &mut FormulaMemory,
    ) -> Result<(), Undefined> {
        self.of.invariant(t, q, v, out, memory)
    }

    fn kinks(&self) -> usize {
        self.of.kinks()
    }

    fn sides(
        &self,
        t: f64,
        q: &[f64],
        v: &[f64],
        out: &mut Vec<f64>,
        memory: &mut FormulaMemory,
    ) -> Result<(), Undefined> {
        self.of.sides(t, q, v, out, memory)
    }

    fn expressions(&self) -> Vec<SubExpression> {
        self.of.expressions()
    }
}

//! Derivatives of a composition: those of its substeps, one after the other.
//!
//! ```text
//! unknowns     u₁, z₁, u₂, z₂, …, uₛ                 zₖ = (q, p) between the substeps
//! equations    F₁, E₁, F₂, E₂, …, Fₛ, Eₛ             each of a substep from where the unknowns say it starts
//! ```
use super::Composition;
use crate::{
    derivative::{Change, Differentiable},
    integrator::{Fault, Integrator},
    system::State,
};

/// The substeps of a step that was taken, and methods that stand where each of them was linearised.
#[derive(Default)]
pub(super) struct Substeps {
    unknowns: Vec<f64>,
    /// How many of the unknowns are the state at the end of the last substep.
    last: usize,
    each: Vec<Box<dyn Differentiable>>,
    /// Where a substep starts.
    start: Option<State>,
    part: Vec<f64>,
    /// The equations of each substep.
    parts: Vec<Vec<f64>>,
}

impl Substeps {
    pub(super) fn clear(&mut self) {
        self.unknowns.clear();
    }

    /// Notes what a substep has solved, and where it ended.
    pub(super) fn record(&mut self, base: &mut dyn Integrator, end: &State) {
        let Some(base) = base.differentiable() else { return };
        base.solution(&mut self.part);
        self.unknowns.extend_from_slice(&self.part);
        self.unknowns.extend_from_slice(&end.q);
        self.unknowns.extend_from_slice(&end.p);
        self.last = end.q.len() + end.p.len();
    }

    /// Calls back with each substep's number, start and unknowns, and the number of substeps.
    fn visit(
        &mut self,
        before: &State,
        (h, substeps): (f64, &[f64]),
        solution: &[f64],
        mut each: impl FnMut(&mut Box<dyn Differentiable>, &State, f64, &[f64]) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let (q, p) = (before.q.len(), before.p.len());
        let own = (solution.len() + q + p) / substeps.len().max(1) - q - p;
        let start = self.start.get_or_insert_with(|| before.clone());
        start.copy_from(before);
        start.carry.clear();
        for (k, (method, gamma)) in self.each.iter_mut().zip(substeps).enumerate() {
            let at = k * (own + q + p);
            each(method, start, gamma * h, &solution[at..at + own])?;
            if let Some(next) = solution.get(at + own..at + own + q + p) {
                start.q.copy_from_slice(&next[..q]);
                start.p.copy_from_slice(&next[q..]);
                start.t += gamma * h;
            }
        }
        Ok(())
    }
}

impl Composition {
    fn prepare(&mut self) {
        let taken = &mut self.substeps_taken;
        while taken.each.len() < self.substeps.len()
            && let Some(base) = self.base.differentiable()
        {
            taken.each.push(base.another());
        }
        taken.parts.resize(self.substeps.len(), Vec::new());
    }
}

impl Differentiable for Composition {
    fn another(&mut self) -> Box<dyn Differentiable> {
        let base: Box<dyn Integrator> = match self.base.differentiable() {
            Some(base) => base.another(),
            None => unreachable!("a composition of a method without derivatives has none"),
        };
        Box::new(Self {
            base,
            substeps: self.substeps,
            before: None,
            substeps_taken: Substeps::default(),
        })
    }

    fn solution(&self, out: &mut Vec<f64>) {
        let taken = &self.substeps_taken;
        out.clear();
        out.extend_from_slice(&taken.unknowns[..taken.unknowns.len() - taken.last]);
    }

    fn linearise(&mut self, before: &State, h: f64, solution: &[f64]) -> Result<(), Fault> {
        self.prepare();
        let steps = (h, self.substeps);
        self.substeps_taken
            .visit(before, steps, solution, |method, start, h, unknowns| {
                method.linearise(start, h, unknowns)
            })
    }

    fn push(&mut self, change: &mut Change) {
        let Substeps { each, part, .. } = &mut self.substeps_taken;
        let whole = std::mem::take(&mut change.equations);
        change.equations = std::mem::take(part);
        let own = whole.len() / each.len().max(1);
        for (k, method) in each.iter_mut().enumerate() {
            change.equations.clear();
            let range = k * own..(k + 1) * own;
            change.equations.extend_from_slice(&whole[range]);
            method.push(change);
        }
        *part = std::mem::replace(&mut change.equations, whole);
    }

    fn pull(&mut self, gradient: &mut Change) {
        let Substeps { each, parts, .. } = &mut self.substeps_taken;
        for (method, part) in each.iter_mut().zip(&mut *parts).rev() {
            std::mem::swap(&mut gradient.equations, part);
            method.pull(gradient);
            std::mem::swap(&mut gradient.equations, part);
        }
        gradient.equations.clear();
        for part in parts {
            gradient.equations.extend_from_slice(part);
        }
    }

    fn equations(
        &mut self,
        before: &State,
        h: f64,
        solution: &[f64],
        out: &mut Vec<f64>,
    ) -> Result<(), Fault> {
        self.prepare();
        let steps = (h, self.substeps);
        let mut part = std::mem::take(&mut self.substeps_taken.part);
        out.clear();
        let done = self
            .substeps_taken
            .visit(before, steps, solution, |method, start, h, unknowns| {
                method.equations(start, h, unknowns, &mut part)?;
                out.extend_from_slice(&part);
                Ok(())
            });
        self.substeps_taken.part = part;
        done
    }
}

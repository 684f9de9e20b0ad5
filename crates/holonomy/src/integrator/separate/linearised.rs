//! Derivatives of the steps: the unknowns are the directions after each stage.
use super::{BodyRule, Separate, Stage};
use crate::{
    Vec3,
    derivative::{Change, Differentiable},
    integrator::{
        Fault, StepInfo, Work,
        sphere_tangent::{Parts, SphereTangent},
    },
    spheres::view,
    system::State,
};

/// What is known of a step beside its scratch, once derivatives were asked for.
#[derive(Default)]
pub(super) struct Taken {
    tangent: Option<Box<SphereTangent>>,
    looked: bool,
    solution: Vec<f64>,
    substeps: Vec<f64>,
}

impl Taken {
    pub(super) fn is_wanted(&self) -> bool {
        self.tangent.is_some()
    }

    fn parts<'a, R: BodyRule>(substeps: &'a [f64], stages: &'a [Stage]) -> Parts<'a> {
        match R::GREAT_CIRCLES {
            true => Parts::GreatCircles(stages),
            false => Parts::Variational(substeps),
        }
    }
}

impl<R: BodyRule> Separate<R> {
    /// Where a potential has no second derivatives, there are none.
    pub(super) fn has_derivatives(&mut self) -> bool {
        let taken = &mut self.taken;
        if !taken.looked {
            taken.looked = true;
            taken.tangent = SphereTangent::new(self.force.system.clone()).map(Box::new);
            taken.substeps = self.stages.iter().map(|stage| stage.motion).collect();
        }
        taken.is_wanted()
    }

    /// The unknowns of a step. One that was taken before derivatives were asked for noted none, and is taken again.
    fn known<'a>(
        &mut self,
        before: &State,
        h: f64,
        solution: &'a [f64],
    ) -> Result<std::borrow::Cow<'a, [f64]>, Fault> {
        if solution.len() == before.q.len() * self.stages.len() {
            return Ok(solution.into());
        }
        self.attempt_noting(&mut before.clone(), h)?;
        Ok(self.taken.solution.clone().into())
    }

    /// A step that notes its unknowns.
    pub(super) fn attempt_noting(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        let mut solution = std::mem::take(&mut self.taken.solution);
        solution.clear();
        if let Some([gradient]) = self.force.uniform() {
            let done = Work::of_one(|work| {
                let note = |q: Vec3| solution.extend_from_slice(q.as_slice());
                self.advance_alone(*gradient, state, (h, 1), work, note)
            });
            self.taken.solution = solution;
            return done;
        }
        let before = self.force.evaluations;
        let done = self.step_all(state, h, false, Some(&mut solution));
        self.taken.solution = solution;
        done?;
        self.force.remember(view(&state.q));
        Ok(StepInfo {
            evaluations: self.force.evaluations.wrapping_sub(before),
            ..StepInfo::default()
        })
    }
}

impl<R: BodyRule> Differentiable for Separate<R> {
    fn another(&mut self) -> Box<dyn Differentiable> {
        let Some(mut other) = Self::new(self.force.system.clone()) else {
            unreachable!("there is one for this system")
        };
        other.stages.clone_from(&self.stages);
        other.has_derivatives();
        Box::new(other)
    }

    fn solution(&self, out: &mut Vec<f64>) {
        out.clone_from(&self.taken.solution);
    }

    fn linearise(&mut self, before: &State, h: f64, solution: &[f64]) -> Result<(), Fault> {
        let solution = self.known(before, h, solution)?;
        let Taken {
            tangent, substeps, ..
        } = &mut self.taken;
        match tangent {
            Some(tangent) => {
                let parts = Taken::parts::<R>(substeps, &self.stages);
                tangent.linearise(parts, before, h, &solution)
            }
            None => Ok(()),
        }
    }

    fn push(&mut self, change: &mut Change) {
        if let Some(tangent) = &mut self.taken.tangent {
            tangent.push(change);
        }
    }

    fn pull(&mut self, gradient: &mut Change) {
        if let Some(tangent) = &mut self.taken.tangent {
            tangent.pull(gradient);
        }
    }

    fn equations(
        &mut self,
        before: &State,
        h: f64,
        solution: &[f64],
        out: &mut Vec<f64>,
    ) -> Result<(), Fault> {
        let solution = self.known(before, h, solution)?;
        let Taken {
            tangent, substeps, ..
        } = &mut self.taken;
        if let Some(tangent) = tangent {
            let parts = Taken::parts::<R>(substeps, &self.stages);
            tangent.equations(parts, before, h, &solution, out);
        }
        Ok(())
    }
}

//! Derivatives of the steps: the unknowns are the directions after each substep, and the forces that hold a chain.
use super::{SphereImplicit, Way};
use crate::{
    derivative::{Change, Differentiable},
    integrator::{
        Fault,
        sphere_tangent::{Parts, SphereTangent},
    },
    system::State,
};

/// What is known of a step beside its scratch.
#[derive(Default)]
pub(super) struct Taken {
    /// Once derivatives were asked for, if there are any.
    tangent: Option<Box<SphereTangent>>,
    looked: bool,
    pub(super) solution: Vec<f64>,
}

impl SphereImplicit {
    /// Where a potential has no second derivatives, there are none.
    pub(super) fn has_derivatives(&mut self) -> bool {
        if !self.taken.looked {
            self.taken.looked = true;
            self.taken.tangent = SphereTangent::new(self.force.system.clone()).map(Box::new);
        }
        self.taken.tangent.is_some()
    }

    fn substeps(&self) -> &'static [f64] {
        match &self.way {
            Way::General(_) => &[1.0],
            Way::Chain(_, substeps) => substeps,
        }
    }
}

impl Differentiable for SphereImplicit {
    fn another(&mut self) -> Box<dyn Differentiable> {
        let Some(mut other) = Self::new(self.force.system.clone(), self.solver) else {
            unreachable!("there is one for this system")
        };
        if let (Way::Chain(_, own), Way::Chain(_, substeps)) = (&mut other.way, &self.way) {
            *own = substeps;
        }
        other.has_derivatives();
        Box::new(other)
    }

    fn solution(&self, out: &mut Vec<f64>) {
        out.clone_from(&self.taken.solution);
    }

    fn linearise(&mut self, before: &State, h: f64, solution: &[f64]) -> Result<(), Fault> {
        let parts = Parts::Variational(self.substeps());
        match &mut self.taken.tangent {
            Some(tangent) => tangent.linearise(parts, before, h, solution),
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
        let parts = Parts::Variational(self.substeps());
        if let Some(tangent) = &mut self.taken.tangent {
            tangent.equations(parts, before, h, solution, out);
        }
        Ok(())
    }
}

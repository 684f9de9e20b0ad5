use super::Fault;
use crate::{
    Vec3,
    spheres::{Spheres, Workspace},
    system::System,
};
use std::sync::Arc;

/// `∂V/∂q` of a [`Spheres`] system, remembered for the last configuration: the gradient at the end
/// of a step is the one the next step begins with.
pub(super) struct Force {
    system: Arc<Spheres>,
    pub(super) work: Workspace,
    at: Vec<Vec3>,
    gradient: Vec<Vec3>,
    /// Whether there are formulas.
    may_be_undefined: bool,
    /// Evaluations so far.
    pub(super) evaluations: u32,
}

impl Force {
    pub(super) fn new(system: Arc<Spheres>) -> Self {
        let n = system.len();
        let gradient = vec![Vec3::zeros(); n];
        Self {
            may_be_undefined: !system.layout().expressions.is_empty(),
            system,
            work: Workspace::default(),
            at: Vec::with_capacity(n),
            gradient,
            evaluations: 0,
        }
    }

    /// The gradient. A formula that has no value here is a fault; what else is not finite is left to the method.
    pub(super) fn at(&mut self, q: &[Vec3]) -> Result<&[Vec3], Fault> {
        if self.at != q {
            self.at.clear();
            self.system.gradient(q, &mut self.gradient, &mut self.work);
            self.evaluations += 1;
            if self.may_be_undefined {
                let finite = |slope: &Vec3| slope.iter().all(|x| x.is_finite());
                if !self.gradient.iter().all(finite)
                    && let Some(undefined) = self.system.undefined_at(q, &mut self.work)
                {
                    return Err(undefined.into());
                }
            }
            self.at.extend_from_slice(q);
        }
        Ok(&self.gradient)
    }
}

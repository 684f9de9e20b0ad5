use crate::{
    Vec3,
    spheres::{Spheres, Workspace},
};
use std::sync::Arc;

/// `∂V/∂q` of a [`Spheres`] system, remembered for the last configuration: the gradient at the end
/// of a step is the one the next step begins with.
pub(super) struct Force {
    system: Arc<Spheres>,
    pub(super) work: Workspace,
    at: Vec<Vec3>,
    gradient: Vec<Vec3>,
    /// Evaluations so far.
    pub(super) evaluations: u32,
}

impl Force {
    pub(super) fn new(system: Arc<Spheres>) -> Self {
        let n = system.len();
        let gradient = vec![Vec3::zeros(); n];
        Self {
            system,
            work: Workspace::default(),
            at: Vec::with_capacity(n),
            gradient,
            evaluations: 0,
        }
    }

    pub(super) fn at(&mut self, q: &[Vec3]) -> &[Vec3] {
        if self.at != q {
            self.system.gradient(q, &mut self.gradient, &mut self.work);
            self.at.clear();
            self.at.extend_from_slice(q);
            self.evaluations += 1;
        }
        &self.gradient
    }
}

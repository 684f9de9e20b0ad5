use super::Fault;
use crate::{
    Vec3,
    spheres::{Spheres, Workspace},
    system::System,
    threads::{self, parts, pieces},
};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Bodies in one task.
const TASK: usize = 1024;

/// `∂V/∂q` of a [`Spheres`] system, remembered for the last configuration: the gradient at the end
/// of a step is the one the next step begins with.
pub(super) struct Force {
    pub(super) system: Arc<Spheres>,
    pub(super) work: Workspace,
    /// Where the gradient belongs to, if that is known.
    at: Vec<Vec3>,
    is_known: bool,
    gradient: Vec<Vec3>,
    /// Whether it is the same everywhere.
    uniform: bool,
    /// Whether there are formulas.
    may_be_undefined: bool,
    /// Evaluations so far.
    pub(super) evaluations: u32,
}

impl Force {
    pub(super) fn new(system: Arc<Spheres>) -> Self {
        let n = system.len();
        let uniform = system.uniform_gradient();
        Self {
            may_be_undefined: !system.layout().words.expressions.is_empty(),
            system,
            work: Workspace::default(),
            at: Vec::new(),
            is_known: false,
            uniform: uniform.is_some(),
            gradient: uniform.unwrap_or_else(|| vec![Vec3::zeros(); n]),
            evaluations: 0,
        }
    }

    /// The gradient where it is the same everywhere.
    pub(super) fn uniform(&self) -> Option<&[Vec3]> {
        self.uniform.then_some(&self.gradient)
    }

    /// The gradient. A formula that has no value here is a fault; what else is not finite is left to the method.
    pub(super) fn at(&mut self, q: &[Vec3]) -> Result<&[Vec3], Fault> {
        if self.uniform || self.is_at(q) {
            return Ok(&self.gradient);
        }
        self.renew(q)?;
        self.remember(q);
        Ok(&self.gradient)
    }

    /// Whether the gradient found last is that at `q`.
    fn is_at(&self, q: &[Vec3]) -> bool {
        if !self.is_known {
            return false;
        }
        let same = AtomicBool::new(true);
        threads::run(q.len(), (parts(TASK, &self.at), parts(TASK, q)), |_, (at, q)| {
            // All the way, several at a time.
            let equal = |(a, b): (&Vec3, &Vec3)| (a.x == b.x) & (a.y == b.y) & (a.z == b.z);
            let all = at.iter().zip(q).fold(true, |all, pair| all & equal(pair));
            same.fetch_and(all, Ordering::Relaxed);
        });
        same.into_inner()
    }

    /// The gradient at another place than the last, without a look whether it is one. It is not known from here
    /// on where it belongs to, unless [`Force::remember`] says so.
    pub(super) fn renew(&mut self, q: &[Vec3]) -> Result<(), Fault> {
        self.evaluations = self.evaluations.wrapping_add(1);
        if self.uniform {
            return Ok(());
        }
        self.is_known = false;
        self.system.gradient(q, &mut self.gradient, &mut self.work);
        if self.may_be_undefined {
            let finite = |slope: &Vec3| slope.iter().all(|x| x.is_finite());
            if !self.gradient.iter().all(finite)
                && let Some(undefined) = self.system.undefined_at(q, &mut self.work)
            {
                return Err(undefined.into());
            }
        }
        Ok(())
    }

    /// The gradient found last.
    pub(super) fn last(&self) -> &[Vec3] {
        &self.gradient
    }

    /// The gradient found last is that at `q`.
    pub(super) fn remember(&mut self, q: &[Vec3]) {
        if !self.uniform {
            self.is_known = true;
            self.at.resize(q.len(), Vec3::zeros());
            let tasks = (pieces(TASK, &mut self.at), parts(TASK, q));
            threads::run(q.len(), tasks, |_, (at, q)| at.copy_from_slice(q));
        }
    }
}

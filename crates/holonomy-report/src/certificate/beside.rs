//! What goes beside a run and shows how fast errors grow: an exact tangent, or a copy.
//!
//! ```text
//! tangent   δ⁺ = DΦ δ                    where steps of a tree or a Lagrangian have derivatives
//! copy      starts 1e-8 beside the run   elsewhere, and in browsers
//! ```
//! A tangent has no rounding: after long a copy beside a regular motion grows by nothing else. It costs as much as a copy or
//! less, but not on spheres, where steps cost less than their derivatives.
use super::review::Walk;
use crate::verdict::{Grower, Unmeasured};
#[cfg(not(target_arch = "wasm32"))]
use holonomy::{derivative::Tangent, system::Mechanism};
use holonomy::{
    diagnostics::{Exponent, Shadow},
    integrator::Integrator,
    system::State,
};

/// Steps after which it starts: a run that starts at rest has momenta then.
const UNDERWAY: u64 = 4;

/// How errors grow.
#[derive(Clone, Copy)]
pub(super) struct Growing {
    pub(super) exponent: Exponent,
    /// For how long it was measured, s.
    pub(super) covered: f64,
    pub(super) by: Grower,
}

/// What is beside a run, and how far it went away.
pub(super) struct Beside {
    what: What,
    every: u64,
    samples: Vec<(f64, f64)>,
}

enum What {
    NotYet,
    Failed,
    Copy(Box<Shadow>),
    #[cfg(not(target_arch = "wasm32"))]
    Tangent(Box<(Tangent, State)>),
}

impl Beside {
    pub(super) fn new(steps: u64) -> Self {
        Self {
            what: What::NotYet,
            every: steps.div_ceil(4096).max(1),
            samples: Vec::new(),
        }
    }

    /// What shows the growth.
    pub(super) fn grower(&self) -> Grower {
        match self.what {
            #[cfg(not(target_arch = "wasm32"))]
            What::Tangent(_) => Grower::Tangent,
            _ => Grower::Copy,
        }
    }

    /// Takes the step that the run has just taken with this method, or starts beside it.
    pub(super) fn follow(&mut self, walk: &Walk, method: &mut dyn Integrator, run: &State, k: u64, h: f64) {
        if k < UNDERWAY || walk.model.method.adaptive {
            return;
        }
        let growth = match &mut self.what {
            What::Failed => return,
            What::NotYet => {
                self.what = start(walk, method, run);
                return;
            }
            What::Copy(shadow) => {
                let good = method.attempt(&mut shadow.state, h).is_ok();
                shadow.state.t = run.t;
                shadow.growth(run).filter(|_| good)
            }
            #[cfg(not(target_arch = "wasm32"))]
            What::Tangent(beside) => {
                let (tangent, before) = &mut **beside;
                let growth = match method.differentiable() {
                    Some(method) => tangent.growth(method, before, h),
                    None => Ok(None),
                };
                before.copy_from(run);
                match growth {
                    Ok(growth) => growth,
                    // A step without a derivative: a copy takes it, and those after it.
                    Err(_) => {
                        self.samples.clear();
                        self.what = copy(walk, run);
                        return;
                    }
                }
            }
        };
        match growth {
            Some(growth) if k.is_multiple_of(self.every) => self.samples.push((run.t, growth)),
            Some(_) => {}
            None => self.what = What::Failed,
        }
    }

    pub(super) fn exponent(&self) -> Result<Exponent, Unmeasured> {
        match self.what {
            What::Failed => Err(Unmeasured::NeighbourFails),
            _ => Exponent::of(&self.samples).ok_or(Unmeasured::TooFewSteps),
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn start(walk: &Walk, method: &mut dyn Integrator, run: &State) -> What {
    let cheap = !matches!(walk.model.mechanism, Mechanism::Spheres(_));
    if cheap && method.differentiable().is_some() {
        let tangent = Tangent::new(&*walk.system, run, walk.scales);
        return What::Tangent(Box::new((tangent, run.clone())));
    }
    copy(walk, run)
}

#[cfg(target_arch = "wasm32")]
fn start(walk: &Walk, _: &mut dyn Integrator, run: &State) -> What {
    copy(walk, run)
}

fn copy(walk: &Walk, run: &State) -> What {
    let shadow = Shadow::beside(&*walk.system, run, walk.constrained, walk.scales);
    shadow.map_or(What::Failed, |shadow| What::Copy(Box::new(shadow)))
}

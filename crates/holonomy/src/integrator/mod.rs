//! Integrators: maps `State → State` over one step. Each method stands in one file, which opens
//! with its equations, and in one entry of the [`catalog`].
mod adaptive;
pub mod catalog;
mod composition;
mod discrete_lagrangian;
mod force;
mod hamel;
mod notebook;
mod rattle;
mod runge_kutta;
mod separate;
mod sphere_explicit;
mod sphere_forced;
mod sphere_gauss;
mod sphere_hamel;
mod sphere_implicit;
mod sphere_split;
#[cfg(not(target_arch = "wasm32"))]
mod sphere_tangent;
mod stormer_verlet;
mod tableaux;
mod tableaux_dop853;
#[cfg(not(target_arch = "wasm32"))]
mod together;
mod tree_variational;
mod work;

pub use adaptive::Adaptive;
pub use composition::Composition;
pub use discrete_lagrangian::{BACKWARD, DiscreteLagrangian, MIDPOINT, Quadrature, TRAPEZOID};
pub use hamel::DiscreteHamel;
pub use notebook::Notebook;
pub use rattle::Rattle;
pub use runge_kutta::RungeKutta;
pub use sphere_explicit::SphereExplicit;
pub use sphere_forced::SphereForced;
pub use sphere_gauss::SphereGauss;
pub use sphere_hamel::SphereHamel;
pub use sphere_implicit::{Solver, SphereImplicit};
pub use sphere_split::SphereSplit;
pub use stormer_verlet::StormerVerlet;
pub use tree_variational::{Forcing, Rule, TreeOptions, TreeVariational};
pub use work::Work;

use crate::{
    derivative::Differentiable,
    math,
    solve::Unsolved,
    system::{Layout, State, Undefined},
};
use serde::{Deserialize, Serialize};
use std::{
    fmt,
    sync::{Arc, atomic::AtomicBool},
};

/// One step of a numerical method. Holds options and scratch only: the result is a function of
/// the state and the step.
pub trait Integrator: Send {
    /// Advances the state by `h`, which may be negative. On a fault the state is as it was.
    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault>;

    /// Takes up to `count` steps in a row, at least one, and counts them: the same bits as one after the other,
    /// for less. On a fault the state is that after the last good step, and that step is the last counted.
    ///
    /// The time is that of the steps added up. A method whose equations know the time takes one step only, so
    /// that the caller can set it in between.
    fn advance(&mut self, state: &mut State, h: f64, count: u64, work: &mut Work) -> Result<(), Fault> {
        let _ = count;
        self.attempt(state, h).map(|info| work.count(info))
    }

    /// Takes the steps of [`Integrator::advance`] from many states at once, with the same bits as one by one. Members
    /// with a fault stay where they are; a new fault is noted, and the others go on.
    fn advance_many(&mut self, members: &mut [Member], h: f64, count: u64) {
        advance_each(self, members, h, count);
    }

    /// Whether it takes substeps back in time within a step, as orders above two do. What brakes drives there, and steps
    /// that fail may be shorter than others that work.
    fn goes_back(&self) -> bool {
        false
    }

    /// From now on a step that takes long, as one of an adaptive method may, ends with [`Cause::Halted`] soon after this
    /// became true. `false` where no step does.
    fn halt_by(&mut self, halt: Arc<AtomicBool>) -> bool {
        let _ = halt;
        false
    }

    /// The same method with its derivatives; `None` where it has none.
    fn differentiable(&mut self) -> Option<&mut dyn Differentiable> {
        None
    }

    /// Like [`Integrator::attempt`], but finds out how large a step would have worked.
    fn step(&mut self, state: &mut State, h: f64) -> Result<StepInfo, StepError> {
        self.attempt(state, h).map_err(|fault| {
            if fault.cause == Cause::Halted {
                return StepError {
                    fault,
                    limit: None,
                    goes_back: false,
                };
            }
            let mut trial = state.clone();
            let limit = largest_step(h, |h| {
                trial.copy_from(state);
                self.attempt(&mut trial, h).is_ok()
            });
            StepError {
                fault,
                limit,
                goes_back: self.goes_back(),
            }
        })
    }
}

/// Takes the steps of [`Integrator::advance_many`] one member after the other.
fn advance_each<I: Integrator + ?Sized>(integrator: &mut I, members: &mut [Member], h: f64, count: u64) {
    for Member { state, work, fault } in members {
        if fault.is_none() {
            *fault = integrator.advance(state, h, count, work).err();
        }
    }
}

/// One of many states that are advanced at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Where it is.
    pub state: State,
    /// What its steps cost.
    pub work: Work,
    /// Why it stands still, if it does.
    pub fault: Option<Fault>,
}

impl From<State> for Member {
    fn from(state: State) -> Self {
        Self {
            state,
            work: Work::default(),
            fault: None,
        }
    }
}

/// What a step cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepInfo {
    /// Iterations of the nonlinear solver; zero for explicit methods.
    pub iterations: u32,
    /// Evaluations of the forces.
    pub evaluations: u32,
    /// Steps an adaptive method took inside this one, and those it threw away.
    pub substeps: u32,
    /// Substeps whose error was too large.
    pub rejected: u32,
    /// Constraints whose equations depended on each other, one bit each in their order; those from the 128th on
    /// share the last.
    pub dependent: u128,
}

impl std::ops::AddAssign for StepInfo {
    fn add_assign(&mut self, other: Self) {
        self.iterations += other.iterations;
        self.evaluations += other.evaluations;
        self.substeps += other.substeps;
        self.rejected += other.rejected;
        self.dependent |= other.dependent;
    }
}

/// Why a step could not be taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fault {
    /// What happened.
    pub cause: Cause,
    /// The body where it happened, if it was one.
    pub body: Option<usize>,
}

impl From<Undefined> for Fault {
    fn from(undefined: Undefined) -> Self {
        Self {
            cause: Cause::Undefined(undefined),
            body: None,
        }
    }
}

impl From<Unsolved> for Cause {
    fn from(unsolved: Unsolved) -> Self {
        match unsolved {
            Unsolved::NotFinite => Self::NotFinite,
            Unsolved::NotConverged {
                iterations,
                correction,
            } => Self::NotConverged {
                iterations,
                correction,
            },
        }
    }
}

/// What stops a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cause {
    /// A body would turn by more than 90°, where the discrete equations have no solution.
    TooLarge,
    /// A body would turn by half a turn, where rotations of a tree end.
    HalfTurn,
    /// A constraint cannot be met at the end of the step, however things move.
    Unmet {
        /// Which of the equations of constraint has the largest violation.
        equation: usize,
        /// That violation, at the nearest place.
        violation: f64,
    },
    /// A constraint holds back no motion where the step starts, though forces push it off: what it holds is stretched out
    /// or folded, and the equations of the step have no solution.
    Stretched {
        /// Which of the equations of constraint has the largest violation.
        equation: usize,
        /// That violation, where the rest is solved.
        violation: f64,
    },
    /// A rope does not run over a pulley any more as it was laid.
    Rope {
        /// One of the equations of the rope.
        equation: usize,
        /// The pulley, by its number in the words of the layout.
        pulley: usize,
        /// What became of it.
        lost: LostRope,
    },
    /// The equations of constraint depend on each other where a step is to be linearised, and not nearby: the mechanism can
    /// branch there, and what a change becomes is not determined.
    Branching {
        /// Which of the equations is the first that others hold back with it.
        equation: usize,
    },
    /// A string goes taut or slack in a step that is to be linearised: what a change becomes depends on which way it goes.
    Snaps {
        /// The equation of the string.
        equation: usize,
    },
    /// The nonlinear equations were not solved.
    NotConverged {
        /// Iterations taken.
        iterations: u32,
        /// Size of the last correction.
        correction: f64,
    },
    /// A number is infinite or not a number.
    NotFinite,
    /// Something in the equations has no value here.
    Undefined(Undefined),
    /// Somebody [wanted it to end](Integrator::halt_by).
    Halted,
    /// An adaptive method would need steps too small to advance the time.
    ToleranceTooTight {
        /// The step it was about to try, s.
        step: f64,
    },
}

/// How a rope leaves a pulley.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LostRope {
    /// The arc on a pulley that turns with it shrinks to nothing.
    Leaves,
    /// It turns by more than three radians from how it was laid.
    Turns,
    /// What it runs to comes into the pulley.
    Inside,
    /// It goes more than 5° out of the plane of the pulley.
    Strays,
}

impl LostRope {
    fn verb(self) -> &'static str {
        match self {
            Self::Leaves => "leaves",
            Self::Turns => "turns by more than 3 rad from how it was laid on",
            Self::Inside => "runs into",
            Self::Strays => "goes more than 5° out of the plane of",
        }
    }

    fn remedy(self) -> &'static str {
        match self {
            Self::Leaves => {
                "what it turns would slip; hold it down, or give the pulley `site` and `axis` in place of `body`, which a cable may leave"
            }
            Self::Turns => "put a site between, or let the pulley swivel",
            Self::Strays => "turn its axis across the motion, put a site between, or let the pulley swivel",
            Self::Inside => "stop what it pulls before it is there, or make the pulley smaller",
        }
    }
}

/// A step that could not be taken, and the largest that could.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepError {
    /// What happened and where.
    pub fault: Fault,
    /// The largest step that works from the same state, to about 1 %; `None` if none was found.
    pub limit: Option<f64>,
    /// Whether the method takes substeps back in time, so that shorter steps may fail too: see
    /// [`Integrator::goes_back`].
    pub goes_back: bool,
}

impl StepError {
    /// A sentence for people, with the body's name.
    pub fn describe(&self, layout: &Layout) -> String {
        let name = self.fault.body.and_then(|i| layout.words.bodies.get(i));
        let body = name.map_or_else(|| "the state".to_owned(), |name| format!("body `{name}`"));
        let what = match self.fault.cause {
            Cause::TooLarge => format!("the step is too large: {body} would turn by more than 90° in it"),
            Cause::HalfTurn => format!("the step is too large: {body} would make half a turn or more in it"),
            Cause::Unmet { equation, violation } => format!(
                "{} cannot be met at the end of the step, at the nearest place its violation is {}: change its length, what drives it, or what else holds its ends",
                layout.constraint(equation),
                layout.violation(equation, violation)
            ),
            Cause::Stretched { equation, violation } => format!(
                "{} cannot be kept in the step: what it holds is stretched out or folded where the step starts, so that it holds back no motion at first, and forces push it off by {}; make what is stretched out a little longer or shorter, or start a little aside",
                layout.constraint(equation),
                layout.violation(equation, violation)
            ),
            Cause::Rope {
                equation,
                pulley,
                lost,
            } => format!(
                "{} {} pulley `{}` in the step: {}",
                layout.constraint(equation),
                lost.verb(),
                layout.words.pulleys.get(pulley).map_or("", |name| name),
                lost.remedy()
            ),
            Cause::Branching { equation } => format!(
                "the step has no derivative: where it ends {} depends on other constraints, and not nearby, so that the mechanism can branch; take another step size, or start a little aside",
                layout.constraint(equation)
            ),
            Cause::Snaps { equation } => format!(
                "the step has no derivative: {} goes taut or slack in it; differentiate a stretch of the motion in which it stays what it is, or make the string elastic",
                layout.constraint(equation)
            ),
            Cause::NotConverged {
                iterations,
                correction,
            } => format!(
                "the equations of the step were not solved: after {iterations} iterations {body} still moves by {correction:.1e}"
            ),
            Cause::Halted => return "the step was halted".to_owned(),
            Cause::NotFinite => format!("{body} is no longer finite after the step"),
            Cause::Undefined(undefined) => undefined.describe(layout),
            Cause::ToleranceTooTight { step } => format!(
                "the error tolerance cannot be met: {body} would need steps below {step:.1e} s; loosen rtol and atol"
            ),
        };
        let limit = match self.limit {
            Some(limit) => format!("the largest step that works here is about {limit:.3e} s"),
            None => "no smaller step works here either".to_owned(),
        };
        // Forces that brake are what makes the difference.
        let back = match self.goes_back && layout.conserved.driven {
            true => {
                "; this method reaches its order by substeps back in time, in which dampers drive: shorter steps may fail where longer ones work; take the method of order 2"
            }
            false => "",
        };
        format!("{what}; {limit}{back}")
    }
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe(&Layout::default()))
    }
}

impl std::error::Error for StepError {}

/// The first body that holds a number that is not finite, as a fault. Every body has the same share
/// of the coordinates, and of the momenta if there are as many.
fn check_finite(q: &[f64], p: &[f64], bodies: usize) -> Result<(), Fault> {
    let bad = |list: &[f64]| list.iter().position(|x| !x.is_finite());
    let body = match (bad(q), bad(p)) {
        (None, None) => return Ok(()),
        (Some(i), Some(j)) if q.len() == p.len() => Some(i.min(j)),
        (Some(i), _) => Some(i),
        (None, Some(j)) => (q.len() == p.len()).then_some(j),
    };
    Err(Fault {
        cause: Cause::NotFinite,
        body: body.map(|place| place * bodies / q.len()),
    })
}

/// Largest step below `h` that works: halves until one does, then closes in from both sides.
fn largest_step(h: f64, mut works: impl FnMut(f64) -> bool) -> Option<f64> {
    let mut bad = h;
    let mut good = (1..=40).map(|k| h / math::powi(2.0, k)).find(|h| {
        let ok = works(*h);
        if !ok {
            bad = *h;
        }
        ok
    })?;
    for _ in 0..6 {
        let middle = 0.5 * (good + bad);
        if works(middle) {
            good = middle
        } else {
            bad = middle
        }
    }
    Some(good)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::MultiplierUnit;

    /// The unit of a violation comes with the constraint, whatever its name is.
    #[test]
    fn a_violation_is_in_the_unit_of_its_constraint() {
        let layout = Layout {
            multipliers: ["rod.turn.end", "lid", "gear"].map(str::to_owned).to_vec(),
            multiplier_units: vec![
                MultiplierUnit::Newton,
                MultiplierUnit::NewtonMetre,
                MultiplierUnit::Unknown,
            ],
            ..Layout::default()
        };
        let said = |equation: usize| {
            let cause = Cause::Unmet {
                equation,
                violation: 0.25,
            };
            let fault = Fault { cause, body: None };
            StepError {
                fault,
                limit: None,
                goes_back: false,
            }
            .describe(&layout)
        };
        assert!(said(0).contains("violation is 2.5e-1 m:"), "{}", said(0));
        assert!(said(1).contains("violation is 2.5e-1 rad:"), "{}", said(1));
        assert!(said(2).contains("violation is 2.5e-1:"), "{}", said(2));
    }
}

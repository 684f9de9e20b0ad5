//! A simulation that one can hold: it steps, runs, is stored and goes on, with the same bits each way.
//!
//! ```
//! use holonomy::{
//!     integrator::catalog,
//!     simulation::{Checkpoint, Label, Simulation},
//!     system::Mechanism,
//! };
//! use holonomy::{Vec3, spheres::{Body, Spheres, SpheresParts}};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let pendulum = Spheres::new(SpheresParts {
//!     bodies: vec![Body::point("bob", 1.0, 1.0)],
//!     gravity: Vec3::z() * 9.81,
//!     ..SpheresParts::default()
//! })?;
//! let state = pendulum.state(&[Vec3::new(0.6, 0.0, 0.8)], &[Vec3::new(0.0, 1.0, 0.0)])?;
//! let mechanism = Mechanism::Spheres(std::sync::Arc::new(pendulum));
//! let method = catalog::find("sphere-implicit")?;
//! let new = || -> Result<Simulation, Box<dyn std::error::Error>> {
//!     let integrator = method.build(&mechanism)?;
//!     let simulation = Simulation::new(mechanism.system(), integrator, state.clone(), 0.01);
//!     let label = Label { method: method.name.to_owned(), ..Label::default() };
//!     Ok(simulation.labelled(label))
//! };
//!
//! let mut straight = new()?;
//! straight.advance(1000)?;
//!
//! let mut first = new()?;
//! first.advance(317)?;
//! let stored: Vec<u8> = first.checkpoint().to_bytes();
//!
//! let mut second = new()?;
//! second.resume(&Checkpoint::from_bytes(&stored)?)?;
//! second.advance(683)?;
//! assert_eq!(second.state, straight.state); // to the bit, and t = 0 + 1000 h
//! # Ok(())
//! # }
//! ```
mod checkpoint;
mod clock;
mod error;
mod label;
mod observer;
mod together;
mod watch;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use error::{Part, ResumeError, RunError, RunFault};
pub use label::{Fingerprint, Label, NotAFingerprint};
pub use observer::{Observer, RunReport, Sample, SampleFault, Schedule};
pub use together::run_together;

use crate::{
    integrator::{Cause, Integrator, StepInfo, Work},
    potential::{FaultSlot, PotentialFault},
    system::{State, System, TransferError},
};
use clock::Clock;
use std::sync::Arc;
use watch::{Next, Watch};

/// A system, a method and a state, with a clock that counts the steps: all that further steps depend on.
///
/// Time is t₀ + k h, whether steps are taken one by one, in rows, in several runs or after a restart. A step of another
/// size, or a state whose time was changed by hand, makes the present time the origin.
pub struct Simulation {
    /// Where it is. It may be changed by hand between steps.
    pub state: State,
    system: Arc<dyn System>,
    integrator: Box<dyn Integrator>,
    label: Label,
    clock: Clock,
    work: Work,
    /// Where potentials written by users report failures.
    faults: Vec<Arc<FaultSlot>>,
    /// The state before the last step, where potentials may fail.
    before: State,
    /// The last sample that was measured, all of it finite, and its clock.
    good: (State, Clock),
}

impl Simulation {
    /// A simulation by steps of `step` seconds, whose time counts from that of the state.
    pub fn new(system: Arc<dyn System>, integrator: Box<dyn Integrator>, state: State, step: f64) -> Self {
        Self {
            faults: system.faults(),
            system,
            integrator,
            label: Label::default(),
            clock: Clock::new(state.t, step),
            work: Work::default(),
            before: State::new(state.t, Vec::new(), Vec::new()),
            good: (
                State::new(state.t, Vec::new(), Vec::new()),
                Clock::new(state.t, step),
            ),
            state,
        }
    }

    /// The same, with what its checkpoints are to say about it.
    pub fn labelled(self, label: Label) -> Self {
        Self { label, ..self }
    }

    /// What moves.
    pub fn system(&self) -> &Arc<dyn System> {
        &self.system
    }

    /// How it is stepped. Steps taken with it on other states do not count.
    pub fn integrator(&mut self) -> &mut dyn Integrator {
        &mut *self.integrator
    }

    /// The method alone, for other work.
    pub fn into_integrator(self) -> Box<dyn Integrator> {
        self.integrator
    }

    /// What its checkpoints say about it.
    pub fn label(&self) -> &Label {
        &self.label
    }

    /// The step h, s.
    pub fn step_size(&self) -> f64 {
        self.clock.step
    }

    /// Steps of `h` seconds from now on. Where h differs from before, the present time becomes the origin.
    pub fn set_step(&mut self, h: f64) {
        self.clock = self.clock.at(self.state.t, h);
    }

    /// Origin of time t₀, s.
    pub fn origin(&self) -> f64 {
        self.clock.at(self.state.t, self.clock.step).origin
    }

    /// Steps since the origin of time.
    pub fn steps(&self) -> u64 {
        self.clock.at(self.state.t, self.clock.step).count
    }

    /// What all its steps cost, those before a restart included.
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// Takes one step. On a fault the state is as it was.
    pub fn step(&mut self) -> Result<StepInfo, RunError> {
        self.step_by(self.clock.step)
    }

    /// Takes one step of `h` seconds; steps after it are as long.
    pub fn step_by(&mut self, h: f64) -> Result<StepInfo, RunError> {
        self.set_step(h);
        let mut work = Work::default();
        let taken = self.single(&mut work);
        self.work += work;
        taken.map_err(|fault| self.failure(fault, Work::default()))
    }

    /// Takes so many steps; what they cost.
    pub fn advance(&mut self, steps: u64) -> Result<Work, RunError> {
        self.set_step(self.clock.step);
        let mut work = Work::default();
        let mut taken = Ok(());
        while work.steps < steps && taken.is_ok() {
            taken = self.row(steps - work.steps, &mut work);
        }
        self.work += work;
        taken.map_err(|fault| self.failure(fault, work)).map(|()| work)
    }

    /// Runs a schedule from where it is, and shows samples to observers. A second run goes on where the first ended, as
    /// one run of both lengths would have; the state between them is shown by both.
    pub fn run(
        &mut self,
        schedule: &Schedule,
        observers: &mut [&mut dyn Observer],
    ) -> Result<RunReport, RunError> {
        self.set_step(schedule.step);
        let mut work = Work::default();
        let ended = self.watch(schedule, observers, &mut work);
        self.ended(ended, work)
    }

    /// Whether an observer stopped the run.
    fn watch(
        &mut self,
        schedule: &Schedule,
        observers: &mut [&mut dyn Observer],
        work: &mut Work,
    ) -> Result<bool, RunFault> {
        let mut watch = Watch::new(self, schedule, observers);
        loop {
            match watch.look(self, observers, work)? {
                Next::Steps(count) => self.row(count, work)?,
                Next::End { stopped } => return Ok(stopped),
            }
        }
    }

    /// The outcome of a run that cost so much.
    fn ended(&mut self, ended: Result<bool, RunFault>, work: Work) -> Result<RunReport, RunError> {
        self.work += work;
        match ended {
            Ok(stopped) => Ok(RunReport { work, stopped }),
            // The state is that before the step, as where an observer stops a run.
            Err(RunFault::Step(error)) if error.fault.cause == Cause::Halted => {
                Ok(RunReport { work, stopped: true })
            }
            Err(fault) => Err(self.failure(fault, work)),
        }
    }

    /// Where it is, with all that further steps depend on.
    pub fn checkpoint(&self) -> Checkpoint {
        let clock = self.clock.at(self.state.t, self.clock.step);
        Checkpoint::new(&self.label, clock, &self.state, self.work)
    }

    /// Goes to where a checkpoint was made, by a simulation of the same method, options and model.
    pub fn resume(&mut self, checkpoint: &Checkpoint) -> Result<(), ResumeError> {
        if let Some(refused) = self.label.refuses(&checkpoint.label) {
            return Err(refused);
        }
        let (here, there) = (&self.state, &checkpoint.state);
        let multipliers = self.system.layout().multipliers.len();
        for (part, simulation, checkpoint) in [
            (Part::Configuration, here.q.len(), there.q.len()),
            (Part::Momentum, here.p.len(), there.p.len()),
            // There may be none before the first step.
            (Part::Multipliers, multipliers, there.lambda.len()),
        ] {
            let none_yet = part == Part::Multipliers && checkpoint == 0;
            if simulation != checkpoint && !none_yet {
                return Err(ResumeError::Size {
                    part,
                    checkpoint,
                    simulation,
                });
            }
        }
        self.state.copy_from(there);
        self.clock = checkpoint.clock;
        self.work = checkpoint.work;
        Ok(())
    }

    /// Goes on from where another simulation is, of a model that was changed: see [`State::transferred`]. Its time
    /// becomes the origin.
    pub fn take_over(&mut self, other: &Self) -> Result<(), TransferError> {
        self.state = other.state.transferred(&*other.system, &*self.system)?;
        self.clock = Clock::new(self.state.t, self.clock.step);
        Ok(())
    }

    /// Takes up to `count` steps, at least one.
    fn row(&mut self, count: u64, work: &mut Work) -> Result<(), RunFault> {
        if !self.faults.is_empty() {
            return self.single(work).map(|_| ());
        }
        let before = work.steps;
        let advanced = self
            .integrator
            .advance(&mut self.state, self.clock.step, count, work);
        self.clock.count += work.steps - before;
        self.state.t = self.clock.now();
        match advanced {
            Ok(()) => Ok(()),
            // Once more, to find out how large a step would have worked.
            Err(_) => self.single(work).map(|_| ()),
        }
    }

    /// Takes one step; where it fails, finds out how large a step would have worked.
    fn single(&mut self, work: &mut Work) -> Result<StepInfo, RunFault> {
        let h = self.clock.step;
        let guarded = !self.faults.is_empty();
        let info = if guarded {
            self.check_potentials()?;
            self.before.copy_from(&self.state);
            let attempted = self.integrator.attempt(&mut self.state, h);
            if let Err(failed) = self.check_potentials() {
                self.state.copy_from(&self.before);
                return Err(failed.into());
            }
            match attempted {
                Ok(info) => info,
                Err(_) => self.integrator.step(&mut self.state, h)?,
            }
        } else {
            self.integrator.step(&mut self.state, h)?
        };
        work.count(info);
        self.clock.count += 1;
        self.state.t = self.clock.now();
        Ok(info)
    }

    fn check_potentials(&self) -> Result<(), PotentialFault> {
        match self.faults.iter().find_map(|slot| slot.fault()) {
            Some(fault) => Err(fault),
            None => Ok(()),
        }
    }

    fn failure(&self, source: RunFault, work: Work) -> RunError {
        RunError {
            t: self.state.t,
            step: self.clock.count + 1,
            message: source.describe(self.system.layout()),
            source,
            work,
        }
    }
}

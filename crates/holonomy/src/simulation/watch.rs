use super::{Observer, RunFault, Sample, Schedule, Simulation};
use crate::{
    integrator::Work,
    system::{Measurement, Scratch, State},
};

/// How far a run along a schedule is, between its steps.
pub(super) struct Watch {
    steps: u64,
    every: u64,
    pulse_every: u64,
    /// Steps before the run.
    origin: u64,
    /// Steps of the run at which the next sample and the next pulse are due.
    sample_at: u64,
    pulse_at: u64,
    measures: bool,
    measured: Measurement,
    scratch: Scratch,
}

/// What comes next.
pub(super) enum Next {
    /// So many steps.
    Steps(u64),
    /// Nothing: the schedule is done, or an observer stopped the run.
    End { stopped: bool },
}

/// Steps between two calls of [`Observer::pulse`]: fewer where there is more to move.
fn pulse_every(state: &State) -> u64 {
    (16_384 / (state.q.len() as u64 + 1)).clamp(1, 256)
}

impl Watch {
    pub(super) fn new(simulation: &Simulation, schedule: &Schedule, observers: &[&mut dyn Observer]) -> Self {
        Self {
            steps: schedule.steps,
            every: schedule.every.max(1),
            pulse_every: pulse_every(&simulation.state),
            origin: simulation.clock.count,
            sample_at: 0,
            pulse_at: 0,
            measures: observers.iter().any(|observer| observer.measures()),
            measured: Measurement::default(),
            scratch: simulation.system.scratch(),
        }
    }

    /// Shows what is due to the observers, after the steps that are counted in `work`. A sample that is not finite takes
    /// the simulation back to the one before.
    pub(super) fn look(
        &mut self,
        simulation: &mut Simulation,
        observers: &mut [&mut dyn Observer],
        work: &mut Work,
    ) -> Result<Next, RunFault> {
        let step = simulation.clock.count;
        let last = work.steps == self.steps;
        let mut stop = false;
        if last || work.steps == self.sample_at {
            self.sample_at = (step - step % self.every).saturating_add(self.every) - self.origin;
            let Simulation { system, state, .. } = &*simulation;
            if self.measures {
                system.measure(state, &mut self.measured, &mut self.scratch);
                simulation.check_potentials()?;
            }
            let sample = Sample {
                step,
                system: &**system,
                state,
                measured: &self.measured,
            };
            if self.measures
                && let Some(fault) = sample.fault()
            {
                if work.steps > 0 {
                    simulation.state.copy_from(&simulation.good.0);
                    simulation.clock = simulation.good.1;
                    work.steps = simulation.clock.count - self.origin;
                }
                return Err(RunFault::Sample(fault));
            }
            for observer in observers.iter_mut() {
                stop |= observer.observe(&sample).is_break();
            }
            if self.measures {
                simulation.good.0.copy_from(&simulation.state);
                simulation.good.1 = simulation.clock;
            }
        }
        if work.steps == self.pulse_at {
            self.pulse_at += self.pulse_every;
            for observer in observers.iter_mut() {
                stop |= observer.pulse(step).is_break();
            }
        }
        if last || stop {
            return Ok(Next::End { stopped: !last });
        }
        let due = self.sample_at.min(self.pulse_at).min(self.steps);
        Ok(Next::Steps(due - work.steps))
    }
}

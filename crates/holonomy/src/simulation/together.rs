use super::{Next, Observer, RunError, RunFault, RunReport, Schedule, Simulation, Watch};
use crate::{
    integrator::{Member, Work},
    system::State,
};

/// A simulation among others, on its way.
struct Going<'s, 'o> {
    simulation: &'s mut Simulation,
    observers: &'s mut [&'o mut dyn Observer],
    watch: Watch,
    work: Work,
    /// Steps to take until something is due, or how it ended.
    next: Result<u64, Result<bool, RunFault>>,
}

/// Runs simulations of one system by one method along a schedule, each with its own observers, side by side where the
/// method can ([`crate::integrator::Integrator::advance_many`]): what [`Simulation::run`] comes to for each, to the bit. The
/// first one's method takes the steps of all.
pub fn run_together<'s, 'o: 's>(
    simulations: &'s mut [Simulation],
    schedule: &Schedule,
    observers: impl IntoIterator<Item = &'s mut [&'o mut dyn Observer]>,
) -> Vec<Result<RunReport, RunError>> {
    let mut all: Vec<Going> = simulations
        .iter_mut()
        .zip(observers)
        .map(|(simulation, observers)| {
            simulation.set_step(schedule.step);
            Going {
                watch: Watch::new(simulation, schedule, observers),
                simulation,
                observers,
                work: Work::default(),
                next: Ok(0),
            }
        })
        .collect();
    let mut members = Vec::with_capacity(all.len());
    loop {
        all.iter_mut().for_each(Going::look);
        let counts = all.iter().filter_map(|going| going.next.as_ref().ok());
        let Some(count) = counts.min().copied() else {
            break;
        };
        advance(&mut all, &mut members, schedule.step, count);
    }
    all.into_iter()
        .map(|going| {
            let ended = going.next.err().unwrap_or(Ok(false));
            going.simulation.ended(ended, going.work)
        })
        .collect()
}

impl Going<'_, '_> {
    /// Shows what is due.
    fn look(&mut self) {
        if self.next.is_ok() {
            self.next = match self.watch.look(self.simulation, self.observers, &mut self.work) {
                Ok(Next::Steps(count)) => Ok(count),
                Ok(Next::End { stopped }) => Err(Ok(stopped)),
                Err(fault) => Err(Err(fault)),
            };
        }
    }
}

/// So many steps of all that go on.
fn advance(all: &mut [Going], members: &mut Vec<Member>, h: f64, count: u64) {
    // Potentials that may fail are looked at after every step.
    let apart = all.iter().any(|going| !going.simulation.faults.is_empty());
    if apart {
        for going in all.iter_mut().filter(|going| going.next.is_ok()) {
            if let Err(fault) = going.simulation.row(count, &mut going.work) {
                going.next = Err(Err(fault));
            }
        }
        return;
    }
    members.clear();
    for going in all.iter_mut().filter(|going| going.next.is_ok()) {
        let away = State::new(f64::NAN, Vec::new(), Vec::new());
        let state = std::mem::replace(&mut going.simulation.state, away);
        members.push(Member {
            state,
            work: going.work,
            fault: None,
        });
    }
    all[0].simulation.integrator.advance_many(members, h, count);
    let going = all.iter_mut().filter(|going| going.next.is_ok());
    for (going, member) in going.zip(members.drain(..)) {
        let simulation = &mut *going.simulation;
        simulation.clock.count += member.work.steps - going.work.steps;
        simulation.state = member.state;
        simulation.state.t = simulation.clock.now();
        going.work = member.work;
        // Once more, to find out how large a step would have worked.
        if member.fault.is_some()
            && let Err(fault) = simulation.single(&mut going.work)
        {
            going.next = Err(Err(fault));
        }
    }
}

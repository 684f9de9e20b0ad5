//! Records a run: measures its samples, keeps their figures and curves, and writes the trajectory.
//!
//! ```text
//! stepping   states, in batches ──►   recording   Measurement ──► Record, Series, trajectory
//!            ◄── batches to fill again
//! ```
//! The two work at once, on two threads, with a few batches between them: a run of a small system would else wait for
//! its files most of the time. What is recorded is the same. A large state is recorded where it stands, since
//! copies of it cost more than they bring.
//!
//! To be kept on the disk a run stands still between two steps; where it is goes the same way, behind all samples before.
mod batch;
mod follow;
mod halt;
mod keeper;
mod pilot;

pub(crate) use keeper::{Keeper, Recorded};

use crate::{
    trajectory::{Row, Rows, euler_angles},
    unfinished::Interval,
    view::Live,
};
use batch::{BATCH, Batch, Courier, Message};
use halt::Halt;
use holonomy::{
    geometry::EulerOrder,
    simulation::{
        Checkpoint, Observer, RunError, RunFault, RunReport, Sample, SampleFault, Schedule, Simulation,
    },
    system::{Measurement, Scratch, State, System},
};
use holonomy_model::Model;
use holonomy_report::{
    film::film,
    run::{Control, Recording},
};
use pilot::{Found, Pilot};
use std::{io, ops::ControlFlow, sync::atomic::Ordering, sync::mpsc::sync_channel, thread};

/// What is recorded of a run.
pub(crate) struct Recorder<'w> {
    pub(crate) recording: Recording,
    /// Why the trajectory could not be written, if it could not.
    pub(crate) disk: Option<io::Error>,
    /// Whether a part of it may be lost: the disk did not take it, and would not say so again.
    pub(crate) lost: bool,
    /// Who looks on, if anybody may.
    pub(crate) live: Option<&'w Live>,
    /// Who keeps the run on its way, if anybody does.
    pub(crate) keeper: Option<Keeper<'w>>,
    trajectory: Option<&'w mut dyn Rows>,
    attitude: Option<EulerOrder>,
    angles: Vec<f64>,
    outputs: Vec<f64>,
    row: Vec<f64>,
    /// A sample of the schedule has a step that is a multiple of this.
    every: u64,
    /// The step of the last sample.
    pub(crate) seen: Option<u64>,
    /// What was recorded before a last sample that is none of the schedule.
    before_last: Option<Recorded>,
    /// A checkpoint no later than the last sample, and one after it.
    pub(crate) good: Option<Checkpoint>,
    newer: Option<Checkpoint>,
    /// What ended the run, if a sample did. Nothing is recorded from there on.
    over: Option<SampleFault>,
    /// Whether each sample is taken before the next step, because who takes it may end the run there.
    pub(crate) in_step: bool,
}

impl<'w> Recorder<'w> {
    pub(crate) fn new(model: &Model, recording: Recording, trajectory: Option<&'w mut dyn Rows>) -> Self {
        Self {
            recording,
            disk: None,
            lost: false,
            live: None,
            keeper: None,
            trajectory,
            attitude: model.attitude,
            angles: Vec::new(),
            outputs: Vec::new(),
            row: Vec::new(),
            every: model.schedule.every.max(1),
            seen: None,
            before_last: None,
            good: None,
            newer: None,
            over: None,
            in_step: false,
        }
    }

    /// What is recorded up to the last sample of the schedule.
    pub(crate) fn recorded(&mut self) -> Recorded {
        let trajectory = self.trajectory.as_deref();
        self.before_last
            .take()
            .unwrap_or_else(|| Recorded::new(&self.recording, self.seen, trajectory))
    }

    /// Keeps the run, all samples before the checkpoint having been taken.
    fn keep(&mut self, checkpoint: Checkpoint, found: &Found) {
        if self.over.is_some() || self.disk.is_some() {
            return;
        }
        if !self.settle() {
            return found.ended.store(true, Ordering::Relaxed);
        }
        let recorded = self.recorded();
        if let Some(keeper) = &mut self.keeper {
            keeper.keep(&checkpoint, recorded);
        }
        self.newer = Some(checkpoint);
    }

    /// Sees to it that the trajectory is on the disk. Where it is not, nothing that follows can be kept: what a sync that
    /// failed did not write is forgotten by the system, and the next one succeeds.
    pub(crate) fn settle(&mut self) -> bool {
        if let Some(Err(error)) = self.trajectory.as_mut().map(|file| file.settle()) {
            self.disk.get_or_insert(error);
            self.lost = true;
        }
        !self.lost
    }

    fn take(&mut self, sample: &Sample, found: &Found) {
        if self.over.is_none() {
            self.over = sample.fault();
        }
        if self.over.is_some() {
            return found.ended.store(true, Ordering::Relaxed);
        }
        if self.keeper.is_some() && !sample.step.is_multiple_of(self.every) && self.seen.is_some() {
            self.before_last = Some(self.recorded());
        }
        self.seen = Some(sample.step);
        if self.newer.is_some() {
            self.good = self.newer.take();
        }
        let _ = self.recording.observe(sample);
        let error = self.recording.record.energy.max_error.to_bits();
        found.energy_error.store(error, Ordering::Relaxed);
        if let Some(live) = self.live {
            live.offer(|| film(&self.recording.clip));
        }
        let Some(trajectory) = &mut self.trajectory else {
            return;
        };
        let energy = sample.measured.energy;
        let layout = sample.system.layout();
        let q = layout.reported(&sample.state.q);
        if let Some(order) = self.attitude {
            euler_angles(layout, &q, order, &mut self.angles);
        }
        self.recording.outputs.row(&mut self.outputs);
        let row = Row {
            t: sample.state.t,
            kinetic: energy.kinetic,
            potential: energy.potential,
            q: &q,
            velocity: &sample.measured.velocity,
            multipliers: &sample.measured.multipliers,
            work: &sample.state.work,
            angles: &self.angles,
            outputs: &self.outputs,
        };
        row.numbers(&mut self.row);
        // After an error rows stay in memory, so that the run can be kept whole; it ends soon.
        if let Err(error) = trajectory.push(&self.row) {
            self.disk.get_or_insert(error);
            found.ended.store(true, Ordering::Relaxed);
        }
    }
}

/// Batches on their way, some megabytes: steps go on while a piece of the trajectory is being written.
const BETWEEN: usize = 32;

/// Which samples are recorded: a run that stood still shows the state again with which it goes on.
#[derive(Clone, Copy)]
struct Due {
    every: u64,
    /// The last step of the run.
    end: u64,
    seen: Option<u64>,
}

impl Due {
    fn is(&mut self, step: u64) -> bool {
        let scheduled = step.is_multiple_of(self.every) || step == self.end || self.seen.is_none();
        let due = scheduled && self.seen.is_none_or(|seen| seen < step);
        if due {
            self.seen = Some(step);
        }
        due
    }
}

/// Runs a simulation to its end, or until it is stopped, or its trajectory cannot be written.
pub(crate) fn watched(
    simulation: &mut Simulation,
    schedule: &Schedule,
    recorder: &mut Recorder<'_>,
    control: Control<'_>,
) -> Result<RunReport, Box<RunError>> {
    let found = Found::default();
    simulation.set_step(schedule.step);
    let interval = recorder
        .keeper
        .as_ref()
        .map_or(Interval::Never, |keeper| keeper.interval);
    let stop = control.stop;
    let mut pilot = Pilot::new(simulation, schedule, &found, control).keeping(interval);
    pilot.live = recorder.live;
    let due = Due {
        every: schedule.every.max(1),
        end: simulation.steps() + schedule.steps,
        seen: recorder.seen,
    };
    let halt = Halt::new(simulation, stop);
    let large = simulation.state.q.len() + simulation.state.p.len() > BATCH;
    recorder.good.get_or_insert_with(|| simulation.checkpoint());
    let mut result = halt.watching(|| {
        if large
            || recorder.in_step
            || thread::available_parallelism().is_ok_and(|threads| threads.get() == 1)
        {
            let mut here = Here {
                recorder,
                found: &found,
                due,
            };
            legs(simulation, schedule, &mut here, &mut pilot)
        } else {
            beside(simulation, schedule, recorder, due, &mut pilot)
        }
    });
    if let Some(fault) = recorder.over {
        result = Err(wind_back(simulation, recorder, fault));
    }
    // The state where a run ended early is a sample too.
    let steps = simulation.steps();
    if recorder.seen != Some(steps) {
        let mut gauge = Gauge::new(&**simulation.system());
        recorder.take(&gauge.measured(steps, &simulation.state), &found);
    }
    result
}

/// Who is told where a run is when it stands still to be kept.
trait Told: Observer {
    fn tell(&mut self, checkpoint: Checkpoint);
}

/// Runs a simulation in legs, between which it is kept.
fn legs(
    simulation: &mut Simulation,
    schedule: &Schedule,
    told: &mut dyn Told,
    pilot: &mut Pilot<'_, '_>,
) -> Result<RunReport, Box<RunError>> {
    let end = simulation.steps() + schedule.steps;
    let mut all = RunReport::default();
    loop {
        let leg = Schedule {
            steps: end - simulation.steps(),
            ..*schedule
        };
        let ended = simulation.run(&leg, &mut [told, pilot]);
        all.work += match &ended {
            Ok(report) => report.work,
            Err(error) => error.work,
        };
        match ended {
            Ok(report) if report.stopped && pilot.keeps() => told.tell(simulation.checkpoint()),
            Ok(report) => {
                all.stopped = report.stopped;
                return Ok(all);
            }
            Err(error) => {
                return Err(Box::new(RunError {
                    work: all.work,
                    ..error
                }));
            }
        }
    }
}

/// Runs a simulation while another thread records it.
fn beside(
    simulation: &mut Simulation,
    schedule: &Schedule,
    recorder: &mut Recorder<'_>,
    due: Due,
    pilot: &mut Pilot<'_, '_>,
) -> Result<RunReport, Box<RunError>> {
    let (full, to_record) = sync_channel::<Message>(BETWEEN);
    let (emptied, to_fill) = sync_channel::<Batch>(BETWEEN + 2);
    let (system, found) = (simulation.system().clone(), pilot.found);
    thread::scope(|scope| {
        let recording = scope.spawn(|| {
            let (mut gauge, mut state) = (Gauge::new(&*system), State::new(0.0, Vec::new(), Vec::new()));
            // Taken over, so that a panic here lets the other side know.
            let (to_record, emptied) = (to_record, emptied);
            while let Ok(message) = to_record.recv() {
                let mut batch = match message {
                    Message::Checkpoint(checkpoint) => {
                        recorder.keep(*checkpoint, found);
                        continue;
                    }
                    Message::Samples(batch) => batch,
                };
                for (step, numbers) in batch.samples() {
                    batch.restore(numbers, &mut state);
                    recorder.take(&gauge.measured(step, &state), found);
                }
                batch.clear();
                // Nobody fills it once the run is over.
                let _ = emptied.try_send(batch);
            }
        });
        let mut courier = Courier {
            batch: Batch::default(),
            full,
            to_fill,
            due,
        };
        let result = legs(simulation, schedule, &mut courier, pilot);
        courier.hand_over();
        drop(courier);
        if let Err(panic) = recording.join() {
            std::panic::resume_unwind(panic);
        }
        result
    })
}

impl Told for Courier {
    fn tell(&mut self, checkpoint: Checkpoint) {
        self.checkpoint(checkpoint);
    }
}

/// Where a sample ended a run, steps went on before that was known: back to where all was good, and on to the last sample
/// that is, so that what is left does not depend on how far they came.
fn wind_back(simulation: &mut Simulation, recorder: &mut Recorder<'_>, fault: SampleFault) -> Box<RunError> {
    let source = RunFault::Sample(fault);
    let resumed = match &recorder.good {
        Some(good) => simulation.resume(good),
        None => unreachable!("a run that is watched has a start"),
    };
    let first = simulation.steps();
    let steps = recorder.seen.map_or(0, |seen| seen.saturating_sub(first));
    let work = match (resumed, simulation.advance(steps)) {
        (Ok(()), Ok(work)) => work,
        // The same steps went well before.
        (Ok(()), Err(error)) => return Box::new(error),
        (Err(_), _) => unreachable!("a simulation resumes its own checkpoint"),
    };
    Box::new(RunError {
        t: simulation.state.t,
        step: simulation.steps() + 1,
        message: fault.describe(simulation.system().layout()),
        source,
        work,
    })
}

/// Where states are measured.
struct Gauge<'a> {
    system: &'a dyn System,
    measurement: Measurement,
    scratch: Scratch,
}

impl<'a> Gauge<'a> {
    fn new(system: &'a dyn System) -> Self {
        Self {
            system,
            measurement: Measurement::default(),
            scratch: system.scratch(),
        }
    }

    fn measured<'s>(&'s mut self, step: u64, state: &'s State) -> Sample<'s> {
        self.system
            .measure(state, &mut self.measurement, &mut self.scratch);
        Sample {
            step,
            system: self.system,
            state,
            measured: &self.measurement,
        }
    }
}

/// Records on the thread that steps.
struct Here<'r, 'w> {
    recorder: &'r mut Recorder<'w>,
    found: &'r Found,
    due: Due,
}

impl Observer for Here<'_, '_> {
    fn observe(&mut self, sample: &Sample) -> ControlFlow<()> {
        if self.due.is(sample.step) {
            self.recorder.take(sample, self.found);
        }
        match self.found.ended.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

impl Told for Here<'_, '_> {
    fn tell(&mut self, checkpoint: Checkpoint) {
        self.recorder.keep(checkpoint, self.found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use holonomy_model as model;
    use holonomy_model::scenario;
    use holonomy_report::film::film;
    use holonomy_report::run::Progress;
    use std::sync::atomic::AtomicBool;

    fn quiet(stop: &AtomicBool) -> Control<'_> {
        Control {
            stop,
            progress: Box::leak(Box::new(|_: &Progress| {})),
            effort: holonomy_report::certificate::Effort::None,
        }
    }

    #[test]
    fn what_is_recorded_beside_the_run_is_what_is_recorded_on_its_way() {
        // Separate bodies, multipliers that the first state does not have, and more samples than a batch.
        for (name, steps, every) in [("spherical-pendulum", 20_000_u64, 1), ("four-bar", 300, 7)] {
            let mut source = scenario::find(name).expect("a scenario").source();
            source.with_override("run.duration=");
            source.with_override(format!("run.steps={steps}"));
            source.with_override(format!("run.every={every}"));
            let model = model::load(&source).unwrap_or_else(|problems| panic!("{problems:?}"));
            let (stop, found) = (AtomicBool::new(false), Found::default());
            let [mut beside_it, mut on_its_way] =
                [(); 2].map(|()| Recorder::new(&model, Recording::filmed(&model), None));
            let mut simulation = model.simulation();
            let mut pilot = Pilot::new(&simulation, &model.schedule, &found, quiet(&stop));
            let due = Due {
                every,
                end: steps,
                seen: None,
            };
            let report =
                beside(&mut simulation, &model.schedule, &mut beside_it, due, &mut pilot).expect("it runs");
            let mut other = model.simulation();
            let mut here = Here {
                recorder: &mut on_its_way,
                found: &found,
                due,
            };
            let same = other.run(&model.schedule, &mut [&mut here]);
            assert_eq!(
                (report, &simulation.state),
                (same.expect("it runs"), &other.state)
            );
            assert_eq!(beside_it.recording.record.samples, steps.div_ceil(every) + 1);
            for seen in [&beside_it, &on_its_way] {
                assert_eq!(seen.seen, Some(steps));
            }
            let texts = [&beside_it, &on_its_way].map(|seen| {
                let Recording {
                    record, series, clip, ..
                } = &seen.recording;
                let film = film(clip).expect("a film");
                format!("{record:?} {series:?} {film}")
            });
            assert_eq!(texts[0], texts[1], "{name}");
            // A second run goes on counting.
            let again = watched(&mut simulation, &model.schedule, &mut beside_it, quiet(&stop));
            assert_eq!(again.expect("it runs").work.steps, steps);
            assert_eq!(beside_it.seen, Some(2 * steps));
        }
    }
}

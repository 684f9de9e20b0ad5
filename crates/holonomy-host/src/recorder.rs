//! Records a run: measures its samples, keeps their figures and curves, and writes the trajectory.
//!
//! ```text
//! stepping   states, in batches ──►   recording   Measurement ──► Record, Series, trajectory
//!            ◄── batches to fill again
//! ```
//! The two work at once, on two threads, with a few batches between them: a run of a small system would else wait for
//! its files most of the time. What is recorded is the same. A large state is recorded where it stands, since
//! copies of it cost more than they bring.
use crate::{
    trajectory::{Row, Writer, euler_angles},
    view::Live,
};
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
    run::{Control, Progress, Recording},
};
use std::{
    io,
    ops::ControlFlow,
    sync::{
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

/// What is recorded of a run.
pub(crate) struct Recorder<'w> {
    pub(crate) recording: Recording,
    /// Why the trajectory could not be written, if it could not.
    pub(crate) disk: Option<io::Error>,
    /// Who looks on, if anybody may.
    pub(crate) live: Option<&'w Live>,
    trajectory: Option<&'w mut dyn Writer>,
    attitude: Option<EulerOrder>,
    angles: Vec<f64>,
    /// The step of the last sample.
    seen: Option<u64>,
    /// What ended the run, if a sample did. Nothing is recorded from there on.
    over: Option<SampleFault>,
}

impl<'w> Recorder<'w> {
    pub(crate) fn new(model: &Model, recording: Recording, trajectory: Option<&'w mut dyn Writer>) -> Self {
        Self {
            recording,
            disk: None,
            live: None,
            trajectory,
            attitude: model.attitude,
            angles: Vec::new(),
            seen: None,
            over: None,
        }
    }

    fn take(&mut self, sample: &Sample, found: &Found) {
        if self.over.is_none() {
            self.over = sample.fault();
        }
        if self.over.is_some() {
            return found.ended.store(true, Ordering::Relaxed);
        }
        self.seen = Some(sample.step);
        let _ = self.recording.observe(sample);
        let error = self.recording.record.energy.max_error.to_bits();
        found.energy_error.store(error, Ordering::Relaxed);
        if let Some(live) = self.live {
            live.offer(|| film(&self.recording.clip));
        }
        let Some(trajectory) = self.trajectory.as_mut().filter(|_| self.disk.is_none()) else {
            return;
        };
        let energy = sample.measured.energy;
        let layout = sample.system.layout();
        let q = layout.reported(&sample.state.q);
        if let Some(order) = self.attitude {
            euler_angles(layout, &q, order, &mut self.angles);
        }
        let row = Row {
            t: sample.state.t,
            kinetic: energy.kinetic,
            potential: energy.potential,
            q: &q,
            velocity: &sample.measured.velocity,
            multipliers: &sample.measured.multipliers,
            work: &sample.state.work,
            angles: &self.angles,
        };
        if let Err(error) = trajectory.push(&row) {
            self.disk = Some(error);
            found.ended.store(true, Ordering::Relaxed);
        }
    }
}

/// Numbers of a batch: enough that handing it over costs nothing beside filling it.
const BATCH: usize = 1 << 14;
/// Batches on their way, some megabytes: steps go on while a piece of the trajectory is being written.
const BETWEEN: usize = 32;

/// Runs a simulation to its end, or until it is stopped, or its trajectory cannot be written.
pub(crate) fn watched(
    simulation: &mut Simulation,
    schedule: &Schedule,
    recorder: &mut Recorder<'_>,
    control: Control<'_>,
) -> Result<RunReport, Box<RunError>> {
    let found = Found::default();
    simulation.set_step(schedule.step);
    let mut pilot = Pilot::new(simulation, schedule, &found, control);
    pilot.live = recorder.live;
    let large = simulation.state.q.len() + simulation.state.p.len() > BATCH;
    let start = simulation.checkpoint();
    let mut result = if large || thread::available_parallelism().is_ok_and(|threads| threads.get() == 1) {
        simulation
            .run(schedule, &mut [&mut Here(recorder, &found), &mut pilot])
            .map_err(Box::new)
    } else {
        beside(simulation, schedule, recorder, &mut pilot)
    };
    if let Some(fault) = recorder.over {
        result = Err(wind_back(simulation, &start, recorder.seen, fault));
    }
    // The state where a run ended early is a sample too.
    let steps = simulation.steps();
    if recorder.seen != Some(steps) {
        let mut gauge = Gauge::new(&**simulation.system());
        recorder.take(&gauge.measured(steps, &simulation.state), &found);
    }
    result
}

/// Runs a simulation while another thread records it.
fn beside(
    simulation: &mut Simulation,
    schedule: &Schedule,
    recorder: &mut Recorder<'_>,
    pilot: &mut Pilot<'_, '_>,
) -> Result<RunReport, Box<RunError>> {
    let (full, to_record) = sync_channel::<Batch>(BETWEEN);
    let (emptied, to_fill) = sync_channel::<Batch>(BETWEEN + 2);
    let (system, found) = (simulation.system().clone(), pilot.found);
    thread::scope(|scope| {
        let recording = scope.spawn(|| {
            let (mut gauge, mut state) = (Gauge::new(&*system), State::new(0.0, Vec::new(), Vec::new()));
            // Taken over, so that a panic here lets the other side know.
            let (to_record, emptied) = (to_record, emptied);
            while let Ok(mut batch) = to_record.recv() {
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
        };
        let result = simulation.run(schedule, &mut [&mut courier, pilot]);
        courier.hand_over();
        drop(courier);
        if let Err(panic) = recording.join() {
            std::panic::resume_unwind(panic);
        }
        result.map_err(Box::new)
    })
}

/// Where a sample ended a run, steps went on before that was known: back to the start, and on to the last sample that is
/// good, so that what is left does not depend on how far they came.
fn wind_back(
    simulation: &mut Simulation,
    start: &Checkpoint,
    seen: Option<u64>,
    fault: SampleFault,
) -> Box<RunError> {
    let source = RunFault::Sample(fault);
    let resumed = simulation.resume(start);
    let first = simulation.steps();
    let steps = seen.unwrap_or(first) - first;
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

/// What the recording side lets the stepping side know.
#[derive(Default)]
struct Found {
    /// Bits of the largest |E − E₀| so far, J.
    energy_error: AtomicU64,
    /// Whether the run is over: its trajectory cannot be written, or a sample ended it.
    ended: AtomicBool,
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
struct Here<'r, 'w>(&'r mut Recorder<'w>, &'r Found);

impl Observer for Here<'_, '_> {
    fn observe(&mut self, sample: &Sample) -> ControlFlow<()> {
        self.0.take(sample, self.1);
        ControlFlow::Continue(())
    }
}

/// States of equal sizes, one after the other.
#[derive(Default)]
struct Batch {
    steps: Vec<u64>,
    numbers: Vec<f64>,
    /// Sizes of q, p, λ and W.
    sizes: [usize; 4],
}

impl Batch {
    fn push(&mut self, step: u64, state: &State) {
        self.steps.push(step);
        self.sizes = sizes(state);
        self.numbers.push(state.t);
        for part in [&state.q, &state.p, &state.lambda, &state.work] {
            self.numbers.extend_from_slice(part);
        }
    }

    fn samples(&self) -> impl Iterator<Item = (u64, &[f64])> {
        let size = 1 + self.sizes.iter().sum::<usize>();
        self.steps.iter().copied().zip(self.numbers.chunks_exact(size))
    }

    fn restore(&self, numbers: &[f64], state: &mut State) {
        state.t = numbers[0];
        let mut rest = &numbers[1..];
        let parts = [&mut state.q, &mut state.p, &mut state.lambda, &mut state.work];
        for (part, size) in parts.into_iter().zip(self.sizes) {
            let (these, others) = rest.split_at(size);
            part.clear();
            part.extend_from_slice(these);
            rest = others;
        }
    }

    fn clear(&mut self) {
        self.steps.clear();
        self.numbers.clear();
    }
}

/// How many numbers are q, p, λ and W.
fn sizes(state: &State) -> [usize; 4] {
    [&state.q, &state.p, &state.lambda, &state.work].map(Vec::len)
}

/// Carries states to the thread that records.
struct Courier {
    batch: Batch,
    full: SyncSender<Batch>,
    to_fill: Receiver<Batch>,
}

impl Courier {
    fn hand_over(&mut self) {
        let next = self.to_fill.try_recv().unwrap_or_default();
        let batch = std::mem::replace(&mut self.batch, next);
        // Where nobody receives, the recording thread has panicked, which shows when it is joined.
        let _ = self.full.send(batch);
    }
}

impl Observer for Courier {
    fn observe(&mut self, sample: &Sample) -> ControlFlow<()> {
        // The multipliers of a first state may be missing.
        let sizes = sizes(sample.state);
        if !self.batch.steps.is_empty() && (self.batch.sizes != sizes || self.batch.numbers.len() >= BATCH) {
            self.hand_over();
        }
        self.batch.push(sample.step, sample.state);
        ControlFlow::Continue(())
    }

    fn measures(&self) -> bool {
        false
    }
}

/// Shows progress, and stops a run.
struct Pilot<'c, 'f> {
    found: &'f Found,
    control: Control<'c>,
    live: Option<&'f Live>,
    /// Origin of time, s, and the steps since then with which the run began.
    origin: f64,
    first: u64,
    schedule: Schedule,
    reported: Instant,
}

const REPORT_EVERY: Duration = Duration::from_millis(80);

impl<'c, 'f> Pilot<'c, 'f> {
    fn new(simulation: &Simulation, schedule: &Schedule, found: &'f Found, control: Control<'c>) -> Self {
        Self {
            origin: simulation.origin(),
            first: simulation.steps(),
            found,
            control,
            live: None,
            schedule: *schedule,
            reported: Instant::now(),
        }
    }
}

impl Observer for Pilot<'_, '_> {
    fn measures(&self) -> bool {
        false
    }

    fn pulse(&mut self, step: u64) -> ControlFlow<()> {
        let stop = self.control.stop.load(Ordering::Relaxed) || self.found.ended.load(Ordering::Relaxed);
        if stop {
            return ControlFlow::Break(());
        }
        if self.reported.elapsed() >= REPORT_EVERY {
            self.reported = Instant::now();
            if let Some(live) = self.live {
                live.look();
            }
            (self.control.progress)(&Progress {
                step: step - self.first,
                steps: self.schedule.steps,
                t: self.origin + step as f64 * self.schedule.step,
                energy_error: f64::from_bits(self.found.energy_error.load(Ordering::Relaxed)),
            });
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use holonomy_model as model;
    use holonomy_model::scenario;
    use holonomy_report::film::film;

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
                [(); 2].map(|()| Recorder::new(&model, Recording::with_clip(model.method.name), None));
            let mut simulation = model.simulation();
            let mut pilot = Pilot::new(&simulation, &model.schedule, &found, quiet(&stop));
            let report =
                beside(&mut simulation, &model.schedule, &mut beside_it, &mut pilot).expect("it runs");
            let mut other = model.simulation();
            let same = other.run(&model.schedule, &mut [&mut Here(&mut on_its_way, &found)]);
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

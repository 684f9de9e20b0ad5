//! One run: a simulation that is measured at the end of every slice, with what plots, frames and verdicts need of it.
use crate::{
    keyframes::Keyframes,
    live::Live,
    loading::{MOST_NUMBERS, MOST_TRACED},
};
use holonomy::{
    scene::Poses,
    simulation::{Sample, Simulation},
    spheres,
    system::{Measurement, Mechanism, Scratch, TransferError},
};
use holonomy_model::Model;
use serde::Serialize;

/// How a run differs from the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunSpec {
    /// Its method, if it has another one.
    pub method: Option<String>,
    /// Its step, s, if it has another one.
    pub step: Option<f64>,
}

/// How many numbers a frame of a run has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Sizes {
    /// Points of the scene.
    pub points: usize,
    /// Frames of the scene.
    pub frames: usize,
    /// Bodies that are coloured by their kinetic energy.
    pub heat: usize,
    /// Coordinates.
    pub q: usize,
    /// Velocities.
    pub v: usize,
    /// Conserved quantities.
    pub momenta: usize,
    /// Columns of the trace.
    pub columns: usize,
}

/// A run of a model.
pub(crate) struct Run {
    pub(crate) spec: RunSpec,
    pub(crate) model: Model,
    pub(crate) simulation: Simulation,
    pub(crate) measured: Measurement,
    /// What verdicts are made of.
    pub(crate) live: Live,
    /// Why it cannot go on.
    pub(crate) failed: Option<String>,
    scratch: Scratch,
    poses: Poses,
    /// Energy and conserved quantities of the first sample.
    first_energy: f64,
    first_momenta: Vec<f64>,
    /// The latest step that was recorded.
    seen: u64,
    keyframes: Keyframes,
    /// Rows for plots since the last frame.
    trace: Vec<f64>,
    /// From which time on the next row is taken, s.
    next_row: f64,
    /// Whether it has moved since it was measured.
    unseen: bool,
    /// Whether bodies are coloured, and the largest kinetic energy of one so far, J.
    warm: bool,
    hottest: f64,
}

/// Numbers that head a frame.
pub(crate) const HEAD: usize = 8;
/// Columns of the trace before coordinates and velocities.
pub(crate) const TRACE_HEAD: [&str; 6] = ["t", "energy", "kinetic", "momentum", "length", "constraint"];
/// Bodies from which on they are told apart by their warmth.
const MANY: usize = 50;
/// A step is due if no more than this part of it is missing: sums of times are rounded.
const ROUNDED: f64 = 1e-6;

impl Run {
    /// A run from the start of its model, or from where another one is.
    pub(crate) fn new(spec: RunSpec, mut model: Model, from: Option<&Run>) -> Result<Self, TransferError> {
        let mut simulation = model.simulation();
        if let Some(from) = from {
            simulation.take_over(&from.simulation)?;
            // Verdicts are about what happens from here on.
            model.state.copy_from(&simulation.state);
        }
        let system = simulation.system().clone();
        let size = simulation.state.q.len() + simulation.state.p.len();
        let warm = match &model.mechanism {
            Mechanism::Spheres(spheres) => spheres.len() >= MANY && spheres.are_separate(),
            _ => false,
        };
        let mut run = Self {
            spec,
            keyframes: Keyframes::new(simulation.checkpoint(), size),
            measured: Measurement::default(),
            live: Live::default(),
            failed: None,
            scratch: system.scratch(),
            poses: Poses::default(),
            first_energy: 0.0,
            first_momenta: Vec::new(),
            seen: 0,
            trace: Vec::new(),
            next_row: f64::NEG_INFINITY,
            unseen: false,
            warm,
            hottest: 0.0,
            model,
            simulation,
        };
        run.measure();
        run.first_energy = run.measured.energy.total();
        run.first_momenta.clone_from(&run.measured.invariants);
        run.record();
        run.row();
        Ok(run)
    }

    /// Time, s.
    pub(crate) fn t(&self) -> f64 {
        self.simulation.state.t
    }

    /// The step, s.
    pub(crate) fn step(&self) -> f64 {
        self.simulation.step_size()
    }

    /// Takes all steps that end by a time. Rows are at least so many seconds apart.
    pub(crate) fn advance_to(&mut self, t: f64, rows_apart: f64) {
        let Some(count) = self.due(t).filter(|count| *count > 0 && self.failed.is_none()) else {
            return;
        };
        self.take(count);
        self.unseen = true;
        if self.t() >= self.next_row || self.failed.is_some() {
            self.look();
            self.next_row = self.t() + rows_apart - ROUNDED * self.step();
        }
    }

    /// Measures where it is, for plots and verdicts, unless that is done: of many bodies it costs as much as a step.
    pub(crate) fn look(&mut self) {
        if self.unseen {
            self.measure();
            self.record();
            self.row();
        }
    }

    /// Takes exactly so many steps, measuring nothing.
    pub(crate) fn take(&mut self, mut count: u64) {
        while count > 0 && self.failed.is_none() {
            // Not behind the next keyframe; keyframes that were passed before are still there.
            let here = self.simulation.steps();
            let until_next = self.keyframes.next().checked_sub(here).filter(|steps| *steps > 0);
            let steps = until_next.map_or(count, |steps| steps.min(count));
            if let Err(error) = self.simulation.advance(steps) {
                self.failed = Some(error.to_string());
                return;
            }
            if self.simulation.steps() == self.keyframes.next() {
                self.keyframes.push(self.simulation.checkpoint());
            }
            count -= steps;
        }
    }

    /// Steps that end by a time.
    fn due(&self, t: f64) -> Option<u64> {
        let all = (t - self.simulation.origin()) / self.step() + ROUNDED;
        let all = if all > 0.0 { all as u64 } else { 0 };
        all.checked_sub(self.simulation.steps())
    }

    /// Goes to where it was at a time, exactly; to the start for earlier ones.
    pub(crate) fn seek(&mut self, t: f64) {
        let origin = self.simulation.origin();
        let all = ((t - origin) / self.step() + ROUNDED).max(0.0) as u64;
        let step = all.min(self.seen);
        // What it steps by and what it is a run of are the same: it cannot be refused.
        let resumed = self.simulation.resume(self.keyframes.before(step));
        debug_assert!(resumed.is_ok());
        self.failed = None;
        self.take(step - self.simulation.steps().min(step));
        self.measure();
        self.trace.clear();
        self.next_row = f64::NEG_INFINITY;
        self.row();
    }

    /// The latest time that was reached, s.
    pub(crate) fn latest(&self) -> f64 {
        self.simulation.origin() + self.seen as f64 * self.step()
    }

    fn measure(&mut self) {
        let system = self.simulation.system();
        system.measure(&self.simulation.state, &mut self.measured, &mut self.scratch);
        self.unseen = false;
    }

    /// Shows the sample to what verdicts are made of, once.
    fn record(&mut self) {
        let step = self.simulation.steps();
        if step < self.seen || step == self.seen && step > 0 {
            return;
        }
        self.seen = step;
        self.live.take(&Sample {
            step,
            system: &**self.simulation.system(),
            state: &self.simulation.state,
            measured: &self.measured,
        });
    }

    fn row(&mut self) {
        let (state, measured) = (&self.simulation.state, &self.measured);
        let energy = measured.energy;
        let changes = self.first_momenta.iter().zip(&measured.invariants);
        let momentum = changes
            .map(|(first, now)| (now - first).abs())
            .fold(f64::NAN, f64::max);
        let head: [f64; TRACE_HEAD.len()] = [
            state.t,
            energy.total(),
            energy.kinetic,
            momentum,
            self.length(),
            measured.constraint.unwrap_or(f64::NAN),
        ];
        self.trace.extend_from_slice(&head);
        self.trace.extend(state.q.iter().take(MOST_TRACED));
        self.trace.extend(measured.velocity.iter().take(MOST_TRACED));
    }

    fn length(&self) -> f64 {
        match self.model.mechanism {
            Mechanism::Spheres(_) => self.measured.manifold.max,
            _ => f64::NAN,
        }
    }

    pub(crate) fn sizes(&self) -> Sizes {
        let (state, measured) = (&self.simulation.state, &self.measured);
        let scene = self.simulation.system().scene();
        let traced = |count: usize| count.min(MOST_TRACED);
        Sizes {
            points: scene.points.len(),
            frames: scene.frames.len(),
            heat: if self.warm { state.q.len() / 3 } else { 0 },
            q: state.q.len().min(MOST_NUMBERS),
            v: measured.velocity.len().min(MOST_NUMBERS),
            momenta: measured.invariants.len(),
            columns: TRACE_HEAD.len() + traced(state.q.len()) + traced(measured.velocity.len()),
        }
    }

    /// Writes a frame into buffers; gives the number of rows of its trace, which then begins anew.
    pub(crate) fn frame(&mut self, floats: &mut Vec<f32>, doubles: &mut Vec<f64>) -> usize {
        self.look();
        let state = &self.simulation.state;
        self.simulation
            .system()
            .poses(state, &mut self.poses, &mut self.scratch);
        floats.clear();
        floats.extend(self.poses.points.iter().flatten().map(|x| *x as f32));
        let frames = &self.poses.frames;
        floats.extend(frames.iter().flat_map(|frame| frame.position).map(|x| x as f32));
        floats.extend(frames.iter().flat_map(|frame| frame.rotation).map(|x| x as f32));
        self.push_heat(floats);
        let (state, measured) = (&self.simulation.state, &self.measured);
        let head: [f64; HEAD] = [
            self.simulation.steps() as f64,
            state.t,
            measured.energy.total(),
            measured.energy.kinetic,
            self.first_energy,
            self.length(),
            measured.constraint.unwrap_or(f64::NAN),
            if self.failed.is_some() { 1.0 } else { 0.0 },
        ];
        doubles.clear();
        doubles.extend_from_slice(&head);
        doubles.extend(state.q.iter().take(MOST_NUMBERS));
        doubles.extend(measured.velocity.iter().take(MOST_NUMBERS));
        doubles.extend_from_slice(&measured.invariants);
        doubles.extend_from_slice(&self.trace);
        let columns =
            TRACE_HEAD.len() + state.q.len().min(MOST_TRACED) + measured.velocity.len().min(MOST_TRACED);
        let rows = self.trace.len() / columns;
        self.trace.clear();
        rows
    }

    /// Kinetic energies of separate bodies, over the largest so far.
    fn push_heat(&mut self, floats: &mut Vec<f32>) {
        let Mechanism::Spheres(bodies) = &self.model.mechanism else {
            return;
        };
        if !self.warm {
            return;
        }
        let moments = bodies.bodies().iter().map(|body| body.moment);
        let each = spheres::view(&self.measured.velocity).iter().zip(moments);
        let each = each.map(|(omega, moment)| 0.5 * moment * omega.norm_squared());
        self.hottest = each.clone().fold(self.hottest, f64::max);
        let scale = if self.hottest > 0.0 {
            1.0 / self.hottest
        } else {
            0.0
        };
        floats.extend(each.map(|energy| (energy * scale) as f32));
    }
}

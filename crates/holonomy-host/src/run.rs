//! Runs a model under watch: measures, streams the trajectory, reports progress, stops on request.
use crate::{
    folder::FolderError,
    recorder::{self, Keeper, Recorder},
    trajectory::Rows,
    unfinished::Unfinished,
    view::Live,
};
use holonomy::simulation::{Checkpoint, RunError, RunReport, Schedule, Simulation};
use holonomy_model::Model;
use holonomy_report::run::{Control, Outcome, Recording, SecondLook, conclude, summarised};
use std::{io, sync::atomic::Ordering, time::Instant};

/// Runs a model from its start. A run that fails or is stopped leaves everything up to its last good state.
pub fn run(model: &Model, name: &str, control: Control) -> Outcome {
    Course::new(model, name).run(control).outcome
}

/// The same with what moves, for a page. Who looks on while it goes on does so through `live`.
pub fn run_filmed(model: &Model, name: &str, control: Control, live: Option<&Live>) -> Outcome {
    let mut course = Course::new(model, name);
    course.recording = Recording::filmed(model);
    course.live = live;
    course.run(control).outcome
}

/// A run whose trajectory was taken by the caller.
pub struct Taken {
    /// What it left. There is no certificate in its summary: [`holonomy_report::certificate::Certificate::new`] makes one.
    pub outcome: Outcome,
    /// Where it ended, for a simulation that goes on.
    pub end: Checkpoint,
    /// Why it failed, if it did.
    pub error: Option<RunError>,
    /// Whether the rows were all taken.
    pub taken: io::Result<()>,
}

/// Runs a simulation of a model to the end of its schedule, and hands the rows of the trajectory over, in the order of
/// [`crate::trajectory::columns`]; `in_step` before the next step is taken, so that an error ends the run there.
///
/// The start of the model must be the state of the simulation.
pub fn run_taken(
    model: &Model,
    name: &str,
    simulation: Simulation,
    rows: &mut dyn Rows,
    in_step: bool,
    control: Control,
) -> Taken {
    let mut simulation = simulation;
    let mut recorder = Recorder::new(model, Recording::filmed(model), Some(rows));
    recorder.in_step = in_step;
    let start = Instant::now();
    let result = recorder::watched(&mut simulation, &model.schedule, &mut recorder, control);
    let wall_seconds = start.elapsed().as_secs_f64();
    let Recorder { recording, disk, .. } = recorder;
    let end = simulation.checkpoint();
    let result = result.map_err(|error| *error);
    let error = result.as_ref().err().cloned();
    let (outcome, _) = summarised(model, name, simulation, recording, result, wall_seconds);
    Taken {
        outcome,
        end,
        error,
        taken: disk.map_or(Ok(()), Err),
    }
}

/// A run to make, or to go on with.
pub(crate) struct Course<'w> {
    model: &'w Model,
    name: &'w str,
    /// Where it begins.
    pub(crate) simulation: Simulation,
    /// What was recorded before.
    pub(crate) recording: Recording,
    pub(crate) seen: Option<u64>,
    /// If it cannot be written, the run ends early.
    pub(crate) trajectory: Option<&'w mut dyn Rows>,
    pub(crate) live: Option<&'w Live>,
    pub(crate) keeper: Option<Keeper<'w>>,
    /// Time that it took before, s.
    pub(crate) wall_seconds: f64,
}

/// What became of a run.
pub(crate) struct Ran {
    pub(crate) outcome: Outcome,
    pub(crate) written: io::Result<()>,
    /// Where it can go on, and whether it was kept on its way.
    pub(crate) end: Option<(Unfinished, bool)>,
    /// Whether a part of the trajectory may be lost.
    pub(crate) lost: bool,
    /// Why it could not be kept the last time, if it could not.
    pub(crate) refused: Option<FolderError>,
}

impl<'w> Course<'w> {
    pub(crate) fn new(model: &'w Model, name: &'w str) -> Self {
        Self {
            model,
            name,
            simulation: model.simulation(),
            recording: Recording::of(model),
            seen: None,
            trajectory: None,
            live: None,
            keeper: None,
            wall_seconds: 0.0,
        }
    }

    pub(crate) fn run(self, control: Control) -> Ran {
        let Self { model, name, .. } = self;
        let mut simulation = self.simulation;
        let mut recorder = Recorder::new(model, self.recording, self.trajectory);
        (recorder.live, recorder.keeper, recorder.seen) = (self.live, self.keeper, self.seen);
        if recorder.seen.is_some_and(|seen| seen < simulation.steps()) {
            recorder.good = Some(model.simulation().checkpoint());
        }
        let left = Schedule {
            steps: model.schedule.steps.saturating_sub(simulation.steps()),
            ..model.schedule
        };
        let start = Instant::now();
        let (stop, effort) = (control.stop, control.effort);
        let result = recorder::watched(&mut simulation, &left, &mut recorder, control);
        let wall_seconds = self.wall_seconds + start.elapsed().as_secs_f64();
        let end = kept_at_end(&simulation, &mut recorder);
        let Recorder {
            recording,
            disk,
            lost,
            keeper,
            ..
        } = recorder;
        // The work of the whole run, before this program began with it too.
        let work = *simulation.work();
        let result = match result {
            Ok(report) => Ok(RunReport { work, ..report }),
            Err(error) => Err(RunError { work, ..*error }),
        };
        let second = SecondLook {
            effort,
            go_on: &|| !stop.load(Ordering::Relaxed),
        };
        let outcome = conclude(model, name, simulation, recording, result, wall_seconds, &second);
        Ran {
            outcome,
            written: disk.map_or(Ok(()), Err),
            end,
            lost,
            refused: keeper.and_then(|keeper| keeper.refused),
        }
    }
}

/// Where a run that has ended can go on. A long one is kept there: what follows takes time, too.
fn kept_at_end(simulation: &Simulation, recorder: &mut Recorder<'_>) -> Option<(Unfinished, bool)> {
    let long = recorder.keeper.as_ref()?.has_kept();
    let keeps = long && recorder.disk.is_none() && recorder.settle();
    let recorded = recorder.recorded();
    let keeper = recorder.keeper.as_mut()?;
    let checkpoint = simulation.checkpoint();
    match keeps {
        true => keeper.keep(&checkpoint, recorded),
        false => keeper.run.place = Some(keeper.place(&checkpoint, recorded)),
    }
    Some((keeper.run.clone(), long))
}

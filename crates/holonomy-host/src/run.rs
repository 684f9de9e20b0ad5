//! Runs a model under watch: measures, streams the trajectory, reports progress, stops on request.
use crate::{
    recorder::{self, Recorder},
    trajectory::Writer,
    view::Live,
};
use holonomy_model::Model;
use holonomy_report::run::{Control, Outcome, Recording, SecondLook, conclude};
use std::{io, sync::atomic::Ordering, time::Instant};

/// Runs a model from its start. A run that fails or is stopped leaves everything up to its last good state.
pub fn run(model: &Model, name: &str, control: Control) -> Outcome {
    run_writing(model, name, Recording::default(), None, control, None).0
}

/// The same with what moves, for a page. Who looks on while it goes on does so through `live`.
pub fn run_filmed(model: &Model, name: &str, control: Control, live: Option<&Live>) -> Outcome {
    let recording = Recording::with_clip(model.method.name);
    run_writing(model, name, recording, None, control, live).0
}

/// The same with a trajectory. If that cannot be written, the run ends early.
pub(crate) fn run_writing<'w>(
    model: &Model,
    name: &str,
    recording: Recording,
    trajectory: Option<&'w mut dyn Writer>,
    control: Control,
    live: Option<&'w Live>,
) -> (Outcome, io::Result<()>) {
    let mut simulation = model.simulation();
    let mut recorder = Recorder::new(model, recording, trajectory);
    recorder.live = live;
    let start = Instant::now();
    let (stop, effort) = (control.stop, control.effort);
    let result = recorder::watched(&mut simulation, &model.schedule, &mut recorder, control);
    let wall_seconds = start.elapsed().as_secs_f64();
    let Recorder { recording, disk, .. } = recorder;
    let result = result.map_err(|error| *error);
    let second = SecondLook {
        effort,
        go_on: &|| !stop.load(Ordering::Relaxed),
    };
    let outcome = conclude(model, name, simulation, recording, result, wall_seconds, &second);
    (outcome, disk.map_or(Ok(()), Err))
}

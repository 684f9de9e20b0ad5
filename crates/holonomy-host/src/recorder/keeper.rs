//! Keeps a run on the disk while it goes on.
use crate::{
    binary,
    folder::{Folder, FolderError, UNFINISHED},
    trajectory::{Mark, Rows},
    unfinished::{Interval, Standing, Unfinished},
};
use holonomy::simulation::Checkpoint;
use holonomy_report::run::Recording;
use std::time::Instant;

/// Where and how often a run is kept.
pub(crate) struct Keeper<'f> {
    pub(crate) folder: &'f Folder,
    pub(crate) interval: Interval,
    /// What the run is; where, as it was kept last.
    pub(crate) run: Unfinished,
    /// Time that it took before this program began with it, s.
    pub(crate) wall_seconds: f64,
    pub(crate) start: Instant,
    /// Why it could not be kept the last time, if it could not.
    pub(crate) refused: Option<FolderError>,
}

/// What is recorded up to a sample of the schedule. The last state of a run that ends between two of them is a sample of
/// that run only: one that goes on does not have it.
pub(crate) struct Recorded {
    recording: Vec<u8>,
    seen: Option<u64>,
    mark: Mark,
}

impl Recorded {
    pub(crate) fn new(recording: &Recording, seen: Option<u64>, trajectory: Option<&dyn Rows>) -> Self {
        Self {
            // Numbers, lists and texts always have bytes.
            recording: binary::to_bytes(recording).unwrap_or_default(),
            seen,
            mark: trajectory.map(Rows::mark).unwrap_or_default(),
        }
    }
}

impl Keeper<'_> {
    /// Whether it was ever kept on its way.
    pub(crate) fn has_kept(&self) -> bool {
        self.run.place.is_some()
    }

    /// Keeps the run where it is. If that cannot be, what was kept before stays, and the run goes on.
    pub(crate) fn keep(&mut self, checkpoint: &Checkpoint, recorded: Recorded) {
        let place = self.place(checkpoint, recorded);
        self.run.place = Some(place);
        self.refused = self.folder.put(UNFINISHED, &self.run.to_bytes()).err();
        if self.refused.is_none() {
            self.folder.keep();
        }
    }

    /// Where a run is.
    pub(crate) fn place(&self, checkpoint: &Checkpoint, recorded: Recorded) -> Standing {
        Standing {
            simulation: checkpoint.to_bytes(),
            recording: recorded.recording,
            seen: recorded.seen,
            mark: recorded.mark,
            wall_seconds: self.wall_seconds + self.start.elapsed().as_secs_f64(),
        }
    }
}

//! Shows progress, stops a run, and says when it is to be kept.
use crate::{unfinished::Interval, view::Live};
use holonomy::simulation::{Observer, Schedule, Simulation};
use holonomy_report::run::{Control, Progress};
use std::{
    ops::ControlFlow,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::{Duration, Instant},
};

/// What the recording side lets the stepping side know.
#[derive(Default)]
pub(super) struct Found {
    /// Bits of the largest |E − E₀| so far, J.
    pub(super) energy_error: AtomicU64,
    /// Whether the run is over: its trajectory cannot be written, or a sample ended it.
    pub(super) ended: AtomicBool,
}

/// Watches over a run from pulse to pulse.
pub(super) struct Pilot<'c, 'f> {
    pub(super) found: &'f Found,
    control: Control<'c>,
    pub(super) live: Option<&'f Live>,
    /// Origin of time, s, and the steps since then with which the run began.
    origin: f64,
    first: u64,
    schedule: Schedule,
    reported: Instant,
    interval: Interval,
    /// When and where the run was kept last.
    kept: (Instant, u64),
    /// Whether it stopped the run in order to keep it.
    keeps: bool,
}

const REPORT_EVERY: Duration = Duration::from_millis(80);

impl<'c, 'f> Pilot<'c, 'f> {
    pub(super) fn new(
        simulation: &Simulation,
        schedule: &Schedule,
        found: &'f Found,
        control: Control<'c>,
    ) -> Self {
        let first = simulation.steps();
        Self {
            origin: simulation.origin(),
            first,
            found,
            control,
            live: None,
            schedule: *schedule,
            reported: Instant::now(),
            interval: Interval::Never,
            kept: (Instant::now(), first),
            keeps: false,
        }
    }

    /// The same, of a run that is kept now and then.
    pub(super) fn keeping(self, interval: Interval) -> Self {
        Self { interval, ..self }
    }

    /// Whether the run stands still only to be kept.
    pub(super) fn keeps(&mut self) -> bool {
        std::mem::take(&mut self.keeps)
    }

    fn is_time(&self, step: u64) -> bool {
        let (when, at) = self.kept;
        match self.interval {
            Interval::Never => false,
            Interval::Time(interval) => step > at && when.elapsed() >= interval,
            Interval::Steps(steps) => step - at >= steps,
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
                step,
                begun: self.first,
                steps: self.first + self.schedule.steps,
                t: self.origin + step as f64 * self.schedule.step,
                energy_error: f64::from_bits(self.found.energy_error.load(Ordering::Relaxed)),
            });
        }
        if self.is_time(step) {
            self.kept = (Instant::now(), step);
            self.keeps = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

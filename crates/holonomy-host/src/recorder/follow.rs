//! A recorder beside other observers, of a run that nobody else watches.
use super::{Found, Gauge, Recorder};
use holonomy::simulation::{Observer, Sample, Simulation};
use std::{io, ops::ControlFlow, sync::atomic::Ordering};

impl Observer for Recorder<'_> {
    fn observe(&mut self, sample: &Sample) -> ControlFlow<()> {
        let found = Found::default();
        self.take(sample, &found);
        match found.ended.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

impl Recorder<'_> {
    /// The state where a run ended early is a sample too. Whether all could be written.
    pub(crate) fn end(mut self, simulation: &Simulation) -> io::Result<()> {
        let steps = simulation.steps();
        if self.seen != Some(steps) {
            let mut gauge = Gauge::new(&**simulation.system());
            let _ = self.observe(&gauge.measured(steps, &simulation.state));
        }
        self.disk.map_or(Ok(()), Err)
    }
}

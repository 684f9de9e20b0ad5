//! Ends a step that takes long: an adaptive method may take minutes from one sample to the next.
use holonomy::simulation::Simulation;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, Thread},
    time::Duration,
};

/// Hands the wish to stop on to the method.
pub(super) struct Halt<'s> {
    stop: &'s AtomicBool,
    halt: Arc<AtomicBool>,
    /// Whether the method takes notice.
    heard: bool,
}

const LOOK: Duration = Duration::from_millis(50);

impl<'s> Halt<'s> {
    pub(super) fn new(simulation: &mut Simulation, stop: &'s AtomicBool) -> Self {
        let halt = Arc::new(AtomicBool::new(false));
        let heard = simulation.integrator().halt_by(halt.clone());
        Self { stop, halt, heard }
    }

    /// Does something while another thread looks whether it is to stop.
    pub(super) fn watching<R>(&self, act: impl FnOnce() -> R) -> R {
        if !self.heard {
            return act();
        }
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            let watch = scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    if self.stop.load(Ordering::Relaxed) {
                        return self.halt.store(true, Ordering::Relaxed);
                    }
                    thread::park_timeout(LOOK);
                }
            });
            let _end = End(&done, watch.thread().clone());
            act()
        })
    }
}

/// Lets the other thread know when something is done, also by a panic.
struct End<'d>(&'d AtomicBool, Thread);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
        self.1.unpark();
    }
}

impl Drop for Halt<'_> {
    /// The method is used again for the certificate, which looks for itself whether to go on.
    fn drop(&mut self) {
        self.halt.store(false, Ordering::Relaxed);
    }
}

//! States on their way from the thread that steps to the one that records.
use super::Due;
use holonomy::{
    simulation::{Checkpoint, Observer, Sample},
    system::State,
};
use std::{
    ops::ControlFlow,
    sync::mpsc::{Receiver, SyncSender},
};

/// Numbers of a batch: enough that handing it over costs nothing beside filling it.
pub(super) const BATCH: usize = 1 << 14;

/// What the thread that records is told.
pub(super) enum Message {
    Samples(Batch),
    /// All samples before were told; where the run is now.
    Checkpoint(Box<Checkpoint>),
}

/// States of equal sizes, one after the other.
#[derive(Default)]
pub(super) struct Batch {
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

    pub(super) fn samples(&self) -> impl Iterator<Item = (u64, &[f64])> {
        let size = 1 + self.sizes.iter().sum::<usize>();
        self.steps.iter().copied().zip(self.numbers.chunks_exact(size))
    }

    pub(super) fn restore(&self, numbers: &[f64], state: &mut State) {
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

    pub(super) fn clear(&mut self) {
        self.steps.clear();
        self.numbers.clear();
    }
}

/// How many numbers are q, p, λ and W.
fn sizes(state: &State) -> [usize; 4] {
    [&state.q, &state.p, &state.lambda, &state.work].map(Vec::len)
}

/// Carries states to the thread that records.
pub(super) struct Courier {
    pub(super) batch: Batch,
    pub(super) full: SyncSender<Message>,
    pub(super) to_fill: Receiver<Batch>,
    pub(super) due: Due,
}

impl Courier {
    pub(super) fn hand_over(&mut self) {
        let next = self.to_fill.try_recv().unwrap_or_default();
        let batch = std::mem::replace(&mut self.batch, next);
        self.tell(Message::Samples(batch));
    }

    /// Tells of all samples, and where the run is.
    pub(super) fn checkpoint(&mut self, checkpoint: Checkpoint) {
        self.hand_over();
        self.tell(Message::Checkpoint(Box::new(checkpoint)));
    }

    fn tell(&mut self, message: Message) {
        // Where nobody receives, the recording thread has panicked, which shows when it is joined.
        let _ = self.full.send(message);
    }
}

impl Observer for Courier {
    fn observe(&mut self, sample: &Sample) -> ControlFlow<()> {
        if !self.due.is(sample.step) {
            return ControlFlow::Continue(());
        }
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

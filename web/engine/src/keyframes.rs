//! States of a run at equal distances, from which any other is reached again, to the bit.
//!
//! ```text
//! k = 0, s, 2s, 3s, …      when there are too many, every other one makes room and s doubles
//! ```
use holonomy::simulation::Checkpoint;

/// The kept states; the first is that of the start.
pub(crate) struct Keyframes {
    kept: Vec<Checkpoint>,
    spacing: u64,
    most: usize,
}

/// Memory for the keyframes of a run, bytes.
const MEMORY: usize = 24 << 20;
/// Steps between two keyframes at first.
const SPACING: u64 = 16;

impl Keyframes {
    /// For states of so many numbers.
    pub(crate) fn new(start: Checkpoint, numbers: usize) -> Self {
        Self {
            kept: vec![start],
            spacing: SPACING,
            most: (MEMORY / (8 * numbers.max(1))).clamp(8, 256),
        }
    }

    /// The step at which the next one is to be kept.
    pub(crate) fn next(&self) -> u64 {
        self.kept.len() as u64 * self.spacing
    }

    /// Keeps the state at step [`next`](Self::next).
    pub(crate) fn push(&mut self, checkpoint: Checkpoint) {
        self.kept.push(checkpoint);
        if self.kept.len() >= self.most {
            let mut keep = false;
            self.kept.retain(|_| {
                keep = !keep;
                keep
            });
            self.spacing *= 2;
        }
    }

    /// The last one that is not behind a step.
    pub(crate) fn before(&self, step: u64) -> &Checkpoint {
        let index = (step / self.spacing).min(self.kept.len() as u64 - 1);
        &self.kept[index as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_stay_few_and_evenly_spaced() {
        let scenario = holonomy_model::scenario::find("spherical-pendulum").expect("there");
        let mut simulation = holonomy_model::load(&scenario.source())
            .expect("it loads")
            .simulation();
        let mut keyframes = Keyframes::new(simulation.checkpoint(), 1 << 20);
        assert_eq!(keyframes.most, 8);
        for k in 1..=1000_u64 {
            simulation.advance(1).expect("it goes on");
            if k == keyframes.next() {
                keyframes.push(simulation.checkpoint());
            }
            assert!(keyframes.kept.len() < 8);
        }
        for k in [0, 15, 16, 500, 999, 5000] {
            let mut other = holonomy_model::load(&scenario.source())
                .expect("it loads")
                .simulation();
            other.resume(keyframes.before(k)).expect("of the same model");
            assert_eq!(other.steps() % keyframes.spacing, 0);
            assert!(
                other.steps() <= k && k.min(1000) < other.steps() + 2 * keyframes.spacing,
                "{k}"
            );
        }
    }
}

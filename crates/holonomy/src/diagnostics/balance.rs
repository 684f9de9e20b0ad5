use super::drift::{Drift, DriftFit};
use crate::simulation::Sample;
use serde::{Deserialize, Serialize};

/// The balance of energy and work over a run: `E − E₀ − W`, which the exact motion keeps at zero.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BalanceRecord {
    /// Work of each source since the first sample, J, in the order of
    /// [`Conserved::sources`](crate::system::Conserved::sources).
    pub work: Vec<f64>,
    /// `E − E₀ − W` at the last sample, J.
    pub last: f64,
    /// Mean of |E − E₀ − W|.
    pub mean_error: f64,
    /// Largest |E − E₀ − W|; not a number if one of them was not.
    pub max_error: f64,
    /// Energy that went in or out, J: |ΔW| between samples, summed over them and the sources.
    pub throughput: f64,
    /// Work at the first sample.
    first: Vec<f64>,
    samples: u64,
    sum: f64,
    drift: Drift,
}

impl BalanceRecord {
    /// Slope of a line through `E − E₀ − W`, J/s, with its standard error; `None` for a short run.
    pub fn drift(&self) -> Option<DriftFit> {
        self.drift.fit()
    }

    /// Takes one more sample, at which the energy has changed by so much since the first.
    pub(super) fn push(&mut self, sample: &Sample, change: f64) {
        let done = &sample.state.work;
        // A state that was made by hand has none before its first step.
        let now = |k: usize| done.get(k).copied().unwrap_or(0.0);
        if self.samples == 0 {
            let sources = sample.system.layout().conserved.sources.len();
            self.first = (0..sources).map(now).collect();
            self.work = vec![0.0; sources];
        }
        let mut error = change;
        for (k, (work, first)) in self.work.iter_mut().zip(&self.first).enumerate() {
            let since = now(k) - first;
            self.throughput += (since - *work).abs();
            *work = since;
            error -= since;
        }
        self.samples += 1;
        self.last = error;
        self.sum += error.abs();
        self.mean_error = self.sum / self.samples as f64;
        if error.abs() > self.max_error || error.is_nan() {
            self.max_error = error.abs();
        }
        self.drift.push(sample.state.t, error);
    }
}

use super::{
    BalanceRecord,
    drift::{Drift, DriftFit},
};
use crate::{
    math,
    simulation::{Observer, Sample},
};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// Measures a run while it goes, over the recorded samples. Stored beside a checkpoint, it goes on with the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Samples seen.
    pub samples: u64,
    /// Energy, J.
    pub energy: EnergyRecord,
    /// Energy against the work that was done, where something changes it.
    #[serde(default)]
    pub balance: Option<BalanceRecord>,
    /// Mean over samples and bodies, and largest, of `|1 − q·q|`.
    pub manifold_mean: f64,
    /// Largest manifold error.
    pub manifold_max: f64,
    /// First value and largest change of each conserved momentum.
    pub momenta: Vec<(f64, f64)>,
    /// Largest constraint violation, if there are constraints.
    pub constraint: Option<f64>,
    manifold_sum: f64,
}

/// Energy over a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EnergyRecord {
    /// At the first sample.
    pub initial: f64,
    /// At the last sample.
    pub last: f64,
    /// Mean of |E − E₀|.
    pub mean_error: f64,
    /// Largest |E − E₀|.
    pub max_error: f64,
    /// Kinetic energy at the first sample.
    kinetic: f64,
    /// Least and largest potential energy.
    potential: [f64; 2],
    sum: f64,
    drift: Drift,
}

impl EnergyRecord {
    /// Drift per second, with its standard error; `None` for a short run.
    pub fn drift(&self) -> Option<DriftFit> {
        self.drift.fit()
    }

    /// What kinetic energy there can have been, J: that of the start, and the range of the potential energy.
    pub fn in_motion(&self) -> f64 {
        self.kinetic + self.potential[1] - self.potential[0]
    }
}

impl Observer for Record {
    fn observe(&mut self, sample: &Sample) -> ControlFlow<()> {
        let measured = sample.measured;
        let total = measured.energy.total();
        if self.samples == 0 {
            self.energy.initial = total;
            self.energy.kinetic = measured.energy.kinetic;
            self.energy.potential = [measured.energy.potential; 2];
            let driven = sample.system.layout().conserved.driven;
            self.balance = driven.then(BalanceRecord::default);
            self.momenta = measured.invariants.iter().map(|m| (*m, 0.0)).collect();
        }
        self.samples += 1;
        let count = self.samples as f64;

        let error = total - self.energy.initial;
        self.energy.last = total;
        let [least, most] = &mut self.energy.potential;
        *least = least.min(measured.energy.potential);
        *most = math::larger(*most, measured.energy.potential);
        self.energy.sum += error.abs();
        self.energy.mean_error = self.energy.sum / count;
        self.energy.max_error = math::larger(self.energy.max_error, error.abs());
        // The difference, so that the sums do not lose it in a large E₀.
        self.energy.drift.push(sample.state.t, error);
        if let Some(balance) = &mut self.balance {
            balance.push(sample, error);
        }

        self.manifold_sum += measured.manifold.mean;
        self.manifold_mean = self.manifold_sum / count;
        self.manifold_max = math::larger(self.manifold_max, measured.manifold.max);
        for ((first, change), now) in self.momenta.iter_mut().zip(&measured.invariants) {
            *change = math::larger(*change, (now - *first).abs());
        }
        if let Some(error) = measured.constraint {
            self.constraint = Some(self.constraint.map_or(error, |worst| math::larger(worst, error)));
        }
        ControlFlow::Continue(())
    }
}

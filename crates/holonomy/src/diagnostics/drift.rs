use crate::math;
use serde::{Deserialize, Serialize};

/// Fits a straight line to a long series in bounded memory.
///
/// Samples are averaged in blocks of equal count; when there are too many blocks, neighbours are
/// merged. The slope is that of a least-squares line through the block means, and its standard
/// error comes from their scatter about it: oscillation faster than a block averages out instead
/// of passing for noise that it is not. Where neighbouring blocks scatter together, as the random
/// walk of rounding errors does, there are fewer independent ones than blocks; the error is
/// enlarged by the factor √((1+ρ)/(1−ρ)) of their correlation ρ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drift {
    /// Sums of (t, x) and counts of the finished blocks.
    blocks: Vec<[f64; 3]>,
    current: [f64; 3],
    block_size: f64,
}

/// A slope with its standard error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DriftFit {
    /// Change per second.
    pub slope: f64,
    /// Standard error of the slope.
    pub standard_error: f64,
}

const MAX_BLOCKS: usize = 64;
const MIN_BLOCKS: usize = 8;

impl Default for Drift {
    fn default() -> Self {
        Self {
            blocks: Vec::with_capacity(MAX_BLOCKS),
            current: [0.0; 3],
            block_size: 1.0,
        }
    }
}

impl Drift {
    /// Takes one more sample.
    pub fn push(&mut self, t: f64, x: f64) {
        let [ts, xs, n] = &mut self.current;
        *ts += t;
        *xs += x;
        *n += 1.0;
        if *n < self.block_size {
            return;
        }
        self.blocks.push(std::mem::take(&mut self.current));
        if self.blocks.len() == MAX_BLOCKS {
            let merged = self.blocks.chunks_exact(2).map(|pair| {
                let [a, b] = [pair[0], pair[1]];
                [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
            });
            self.blocks = merged.collect();
            self.block_size *= 2.0;
        }
    }

    /// The fitted line; `None` below eight blocks. A last, unfinished block is left out.
    pub fn fit(&self) -> Option<DriftFit> {
        let k = self.blocks.len();
        if k < MIN_BLOCKS {
            return None;
        }
        let means: Vec<(f64, f64)> = self.blocks.iter().map(|[t, x, n]| (t / n, x / n)).collect();
        let count = k as f64;
        let mean_t = means.iter().map(|(t, _)| t).sum::<f64>() / count;
        let mean_x = means.iter().map(|(_, x)| x).sum::<f64>() / count;
        let spread: f64 = means.iter().map(|(t, _)| math::powi(t - mean_t, 2)).sum();
        let slope = means
            .iter()
            .map(|(t, x)| (t - mean_t) * (x - mean_x))
            .sum::<f64>()
            / spread;
        let residuals: Vec<f64> = means
            .iter()
            .map(|(t, x)| x - mean_x - slope * (t - mean_t))
            .collect();
        let scatter: f64 = residuals.iter().map(|r| r * r).sum();
        let together: f64 = residuals.windows(2).map(|pair| pair[0] * pair[1]).sum();
        let correlation = if scatter > 0.0 {
            (together / scatter).clamp(0.0, 0.95)
        } else {
            0.0
        };
        let enlarged = (1.0 + correlation) / (1.0 - correlation);
        Some(DriftFit {
            slope,
            standard_error: (scatter / (count - 2.0) / spread * enlarged).sqrt(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(f: impl Fn(f64) -> f64) -> DriftFit {
        let mut drift = Drift::default();
        for k in 0..100_000 {
            let t = f64::from(k) * 0.01;
            drift.push(t, f(t));
        }
        drift.fit().expect("enough samples")
    }

    #[test]
    fn a_line_is_found() {
        let fit = fit(|t| 3.0 - 2e-3 * t);
        assert!((fit.slope + 2e-3).abs() < 1e-12 && fit.standard_error < 1e-12);
    }

    #[test]
    fn an_oscillation_has_no_slope_and_a_line_under_it_has() {
        let flat = fit(|t| (7.3 * t).sin());
        assert!(flat.slope.abs() < 4.0 * flat.standard_error, "{flat:?}");
        let tilted = fit(|t| (7.3 * t).sin() + 1e-4 * t);
        assert!(tilted.slope > 10.0 * tilted.standard_error, "{tilted:?}");
    }

    #[test]
    fn a_random_walk_is_not_taken_for_a_drift() {
        // 200 walks with steps from a fixed generator: the slope exceeds five errors in few of them.
        let mut state = 0x2545_F491_4F6C_DD1D_u64;
        let mut step = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let alarms = (0..200).filter(|_| {
            let (mut drift, mut x) = (Drift::default(), 0.0);
            for k in 0..4096 {
                x += step();
                drift.push(f64::from(k), x);
            }
            let fit = drift.fit().expect("enough samples");
            fit.slope.abs() > 5.0 * fit.standard_error
        });
        assert!(alarms.count() <= 30);
    }

    #[test]
    fn few_samples_give_no_fit() {
        let mut drift = Drift::default();
        (0..7).for_each(|k| drift.push(f64::from(k), 1.0));
        assert_eq!(drift.fit(), None);
    }
}

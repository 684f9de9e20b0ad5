//! How fast errors grow: the largest Lyapunov exponent, along a run itself.
//!
//! ```text
//! g(t) = ln |δ(t)| / |δ(0)|     of a copy that starts beside the run, and is brought back to it whenever it is far
//! chaotic    g ≈ λ t
//! regular    g ≈ ln t, at most 2 ln t
//! ```
//! λ is the slope of a line through g over the last three quarters of the time: the first one turns δ into the direction
//! that grows. Its error has two parts: the scatter of g, and the slope of 2 ln t over the same time, which a regular
//! motion may have.
use crate::{
    math,
    system::{State, System},
};

/// A copy of a run that starts beside it, and stays near it.
pub struct Shadow {
    /// The copy. It is stepped as the run is.
    pub state: State,
    /// What differences of q and of p are measured in.
    scales: [f64; 2],
    /// What it was brought back by, as a logarithm.
    log: f64,
}

/// An exponent of growth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exponent {
    /// Its value, 1/s.
    pub value: f64,
    /// Its error, 1/s.
    pub error: f64,
}

/// Where the copy starts, in units of the largest coordinate and momentum: far from rounding, and far from where growth
/// ceases to be linear.
const APART: f64 = 1e-8;
/// Farther away and nearer than this it is brought back.
const FAR: f64 = 1e-5;
const NEAR: f64 = 1e-11;
/// Fewer samples show nothing.
const FEWEST: usize = 24;
/// Parts of the time whose means are compared.
const BLOCKS: usize = 12;

impl Shadow {
    /// A copy beside a state; `scales` are the largest coordinate and momentum of the run. `None` where that is no number.
    pub fn beside(system: &dyn System, state: &State, constrained: bool, scales: [f64; 2]) -> Option<Self> {
        let scales = scales.map(|scale| if scale > 0.0 { scale } else { 1.0 });
        let mut copy = state.clone();
        copy.carry.clear();
        // No direction of a symmetric mechanism is preferred.
        let displace = |list: &mut [f64], scale: f64| {
            let each = list.iter_mut().enumerate();
            each.for_each(|(k, x)| *x += APART * scale * math::cos((k + 1) as f64));
        };
        if system.is_canonical() && !constrained {
            let (mut x, y) = system.canonical(&state.q, &state.q, &state.p);
            displace(&mut x, scales[0]);
            (copy.q, copy.p) = system.state_from_canonical(&state.q, &x, &y);
        } else {
            // Constraints hold places, and a step takes momenta but for what they hold. Light parts and heavy ones have
            // velocities that are alike.
            let State { t, q, p, .. } = state;
            let (mut v, mut scratch) = (vec![0.0; p.len()], system.scratch());
            system.velocity(*t, q, p, &mut v, &mut scratch);
            let faster: Vec<f64> = v.iter().map(|v| v + 1.0).collect();
            system.momentum(*t, q, &faster, &mut copy.p, &mut scratch);
            let inertia = copy
                .p
                .iter()
                .zip(p)
                .fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            displace(&mut v, scales[1] / inertia);
            system.momentum(*t, q, &v, &mut copy.p, &mut scratch);
        }
        let mut shadow = Self {
            state: copy,
            scales,
            log: 0.0,
        };
        let apart = shadow.apart(state);
        shadow.log = -math::ln(apart);
        (apart > 0.0 && apart.is_finite()).then_some(shadow)
    }

    /// `ln |δ(t)|/|δ(0)|` beside the run at the same time. `None` where that is not a number.
    pub fn growth(&mut self, run: &State) -> Option<f64> {
        let apart = self.apart(run);
        let growth = self.log + math::ln(apart);
        if !growth.is_finite() {
            return None;
        }
        if !(NEAR..FAR).contains(&apart) {
            let factor = APART / apart;
            let back = |copy: &mut [f64], run: &[f64]| {
                copy.iter_mut()
                    .zip(run)
                    .for_each(|(copy, run)| *copy = run + factor * (*copy - run));
            };
            back(&mut self.state.q, &run.q);
            back(&mut self.state.p, &run.p);
            self.state.carry.clear();
            // What rounding left of it.
            self.log = growth - math::ln(self.apart(run));
        }
        Some(growth)
    }

    fn apart(&self, run: &State) -> f64 {
        let square = |a: &[f64], b: &[f64], scale: f64| -> f64 {
            a.iter().zip(b).map(|(a, b)| math::powi((a - b) / scale, 2)).sum()
        };
        let [of_q, of_p] = self.scales;
        (square(&self.state.q, &run.q, of_q) + square(&self.state.p, &run.p, of_p)).sqrt()
    }
}

impl Exponent {
    /// The exponent of samples `(t, g)`; `None` if there are too few.
    pub fn of(samples: &[(f64, f64)]) -> Option<Self> {
        let (first, last) = (samples.first()?.0, samples.last()?.0);
        let from = first + 0.25 * (last - first);
        let rest: Vec<(f64, f64)> = samples.iter().copied().filter(|(t, _)| *t >= from).collect();
        if rest.len() < FEWEST {
            return None;
        }
        let (value, scatter) = slope(&rest);
        let logarithms: Vec<(f64, f64)> = rest
            .iter()
            .map(|(t, _)| (*t, 2.0 * math::ln(t - first)))
            .collect();
        Some(Self {
            value,
            error: math::hypot(scatter, slope(&logarithms).0),
        })
    }

    /// Whether it is told from zero: errors grow as an exponential.
    pub fn is_chaotic(&self) -> bool {
        self.value > 2.0 * self.error
    }
}

/// Fewer blocks do not show how much they scatter.
const FEWEST_BLOCKS: usize = 4;

/// The slope of samples, from the means of blocks, and its standard error, from how much the means rise from block to
/// block: g is a walk, and not a line with independent errors. A chaotic motion may stick to a regular one for long, so
/// that neighbouring blocks are alike: the error is the largest that blocks, pairs of them, pairs of pairs … give.
fn slope(samples: &[(f64, f64)]) -> (f64, f64) {
    let size = samples.len() / BLOCKS;
    let means: Vec<(f64, f64)> = samples
        .chunks_exact(size)
        .take(BLOCKS)
        .map(|block| {
            let sum = block
                .iter()
                .fold((0.0, 0.0), |sum, (t, g)| (sum.0 + t, sum.1 + g));
            (sum.0 / size as f64, sum.1 / size as f64)
        })
        .collect();
    let mut rises: Vec<f64> = means
        .windows(2)
        .map(|two| (two[1].1 - two[0].1) / (two[1].0 - two[0].0))
        .collect();
    let mut error = 0.0_f64;
    let mut found = 0.0;
    loop {
        let count = rises.len() as f64;
        let mean = rises.iter().sum::<f64>() / count;
        let variance = rises.iter().map(|rise| math::powi(rise - mean, 2)).sum::<f64>() / (count - 1.0);
        if error == 0.0 {
            found = mean;
        }
        error = error.max((variance / count).sqrt());
        if rises.len() < 2 * FEWEST_BLOCKS {
            return (found, error);
        }
        rises = rises.chunks_exact(2).map(|two| 0.5 * (two[0] + two[1])).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(growth: impl Fn(f64) -> f64) -> Exponent {
        let samples: Vec<(f64, f64)> = (1..=4000)
            .map(|k| 0.05 * f64::from(k))
            .map(|t| (t, growth(t)))
            .collect();
        Exponent::of(&samples).expect("enough samples")
    }

    #[test]
    fn powers_of_time_are_no_exponentials() {
        for power in [0.0, 1.0, 2.0] {
            let found = of(|t| power * t.ln() + (9.0 * t).sin());
            assert!(!found.is_chaotic(), "{power}: {found:?}");
            assert!(found.value.abs() <= 1.2 * found.error, "{power}: {found:?}");
        }
        let found = of(|t| 0.4 * t + (9.0 * t).sin());
        assert!(
            found.is_chaotic() && (found.value - 0.4).abs() <= found.error,
            "{found:?}"
        );
        let dies = of(|t| -0.4 * t);
        assert!(
            !dies.is_chaotic() && (dies.value + 0.4).abs() <= dies.error,
            "{dies:?}"
        );
    }
}

//! What the figures need of a run, in bounded memory however long the run is.
mod turning;

pub use turning::Turning;

use crate::{number, outputs::OutputCurves, warmth::Warmth};
use holonomy::{Vec3, simulation::Sample, system::Base};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Errors against time, the paths of a few bodies, and generalized coordinates.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Series {
    /// E − E₀, J.
    pub energy: Envelope,
    /// Largest manifold error of a sample.
    pub manifold: Envelope,
    /// Largest change of any conserved momentum since the start.
    pub momentum: Envelope,
    /// Changes of the first conserved momenta since the start.
    pub momenta: Vec<Envelope>,
    /// Largest constraint violation of a sample.
    pub constraint: Envelope,
    /// Multipliers of the first constraints.
    pub multipliers: Vec<Envelope>,
    /// Where the bodies went.
    pub paths: Paths,
    /// How generalized coordinates moved.
    pub portrait: Portrait,
    /// Kinetic energy over a sphere that many bodies share.
    pub warmth: Warmth,
    /// What the model records by name.
    pub outputs: Vec<OutputCurves>,
    #[serde(with = "number::nullable")]
    initial_energy: f64,
    #[serde(with = "number::nullable")]
    initial_momenta: Vec<f64>,
    samples: u64,
}

impl Series {
    /// Takes one more sample.
    pub fn push(&mut self, sample: &Sample) {
        let (t, measured) = (sample.state.t, sample.measured);
        if self.samples == 0 {
            self.initial_energy = measured.energy.total();
            self.initial_momenta.clone_from(&measured.invariants);
        }
        self.samples += 1;
        self.energy.push(t, measured.energy.total() - self.initial_energy);
        self.manifold.push(t, measured.manifold.max);
        let changes = self.initial_momenta.iter().zip(&measured.invariants);
        if let Some(largest) = changes.map(|(first, now)| (now - first).abs()).reduce(f64::max) {
            self.momentum.push(t, largest);
        }
        let shown = measured.invariants.len().min(MOST_COORDINATES);
        self.momenta.resize_with(shown, Envelope::default);
        let changes = self.initial_momenta.iter().zip(&measured.invariants);
        for (envelope, (first, now)) in self.momenta.iter_mut().zip(changes) {
            envelope.push(t, now - first);
        }
        if let Some(violation) = measured.constraint {
            self.constraint.push(t, violation);
        }
        let shown = measured.multipliers.len().min(MOST_COORDINATES);
        self.multipliers.resize_with(shown, Envelope::default);
        for (envelope, multiplier) in self.multipliers.iter_mut().zip(&measured.multipliers) {
            envelope.push(t, *multiplier);
        }
        self.paths.push(sample);
        self.portrait.push(sample);
        self.warmth.push(sample);
    }
}

/// Generalized coordinates against time, and the latest stretch of their velocities against them. Angles go on
/// beyond ±π here.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Portrait {
    /// The first coordinates against time.
    pub coordinates: Vec<Envelope>,
    /// The latest coordinates and velocities, one list of pairs per coordinate.
    #[serde(with = "number::nullable")]
    pub phases: Vec<VecDeque<(f64, f64)>>,
    /// Times of those pairs, s.
    #[serde(with = "number::nullable")]
    pub times: VecDeque<f64>,
    /// Samples seen.
    pub samples: u64,
}

/// Coordinates that are kept.
const MOST_COORDINATES: usize = 6;
/// Pairs that are kept per coordinate: more make a portrait black.
const MOST_PAIRS: usize = 25_000;

impl Portrait {
    fn push(&mut self, sample: &Sample) {
        let layout = sample.system.layout();
        if !layout.generalized {
            return;
        }
        let t = sample.state.t;
        if self.samples == 0 {
            let count = layout.coordinates.len().min(MOST_COORDINATES);
            self.coordinates.resize_with(count, Envelope::default);
            self.phases.resize_with(count, VecDeque::new);
        }
        self.samples += 1;
        for (envelope, q) in self.coordinates.iter_mut().zip(&sample.state.q) {
            envelope.push(t, *q);
        }
        if self.times.len() >= MOST_PAIRS {
            self.times.pop_front();
            for pairs in &mut self.phases {
                pairs.pop_front();
            }
        }
        self.times.push_back(t);
        let velocity = |i: usize| sample.measured.velocity.get(i).copied().unwrap_or(f64::NAN);
        for (i, (list, q)) in self.phases.iter_mut().zip(&sample.state.q).enumerate() {
            list.push_back((*q, velocity(i)));
        }
    }
}

/// A series of which only the extrema of equal stretches are kept.
///
/// When there are too many stretches, neighbours are joined; the largest and the smallest value are never lost.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Envelope {
    stretches: Vec<Stretch>,
    /// Samples of the last stretch, and those that make it full.
    filled: u64,
    full: u64,
    #[serde(with = "number::nullable")]
    last: Option<(f64, f64)>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Stretch {
    #[serde(with = "number::nullable")]
    low: (f64, f64),
    #[serde(with = "number::nullable")]
    high: (f64, f64),
}

const MOST_STRETCHES: usize = 4096;

impl Envelope {
    /// Takes one more sample.
    pub fn push(&mut self, t: f64, x: f64) {
        self.last = Some((t, x));
        if self.filled == self.full {
            self.filled = 0;
            if self.stretches.len() == MOST_STRETCHES {
                self.stretches = self
                    .stretches
                    .chunks(2)
                    .map(|pair| pair.iter().copied().reduce(Stretch::join).unwrap_or(pair[0]))
                    .collect();
                self.full *= 2;
            }
            self.full = self.full.max(1);
            let point = (t, x);
            self.stretches.push(Stretch {
                low: point,
                high: point,
            });
        } else if let Some(stretch) = self.stretches.last_mut() {
            let point = (t, x);
            *stretch = stretch.join(Stretch {
                low: point,
                high: point,
            });
        }
        self.filled += 1;
    }

    /// The kept points in the order of time, and the last sample.
    pub fn points(&self) -> Vec<(f64, f64)> {
        let mut points = Vec::with_capacity(2 * self.stretches.len() + 1);
        for Stretch { low, high } in &self.stretches {
            let (first, second) = if low.0 <= high.0 { (low, high) } else { (high, low) };
            points.push(*first);
            if second.0 != first.0 {
                points.push(*second);
            }
        }
        if let Some(last) = self.last
            && points.last().is_none_or(|point| point.0 < last.0)
        {
            points.push(last);
        }
        points
    }

    /// The largest magnitude of each of at most `count` stretches: a curve that a logarithmic axis shows well.
    pub fn magnitudes(&self, count: usize) -> Vec<(f64, f64)> {
        let size = self.stretches.len().div_ceil(count.max(1)).max(1);
        let largest = |group: &[Stretch]| {
            let points = group.iter().flat_map(|stretch| [stretch.low, stretch.high]);
            let magnitudes = points.map(|(t, x)| (t, x.abs()));
            magnitudes.reduce(|a, b| if b.1 > a.1 { b } else { a })
        };
        self.stretches.chunks(size).filter_map(largest).collect()
    }

    /// The smallest and the largest value; `None` if nothing was seen.
    pub fn range(&self) -> Option<(f64, f64)> {
        let each = self
            .stretches
            .iter()
            .map(|stretch| (stretch.low.1, stretch.high.1));
        each.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    /// Whether nothing was seen.
    pub fn is_empty(&self) -> bool {
        self.stretches.is_empty()
    }
}

impl Stretch {
    fn join(self, other: Self) -> Self {
        Self {
            low: if other.low.1 < self.low.1 {
                other.low
            } else {
                self.low
            },
            high: if other.high.1 > self.high.1 {
                other.high
            } else {
                self.high
            },
        }
    }
}

/// The latest stretch of the paths of a few sites, and where all sites are now.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Paths {
    /// The bodies whose paths are kept.
    pub bodies: Vec<usize>,
    /// Their positions, one list per body, m.
    #[serde(with = "number::nullable")]
    pub points: Vec<VecDeque<[f64; 3]>>,
    /// Times of those positions, s.
    #[serde(with = "number::nullable")]
    pub times: VecDeque<f64>,
    /// Positions of all sites at the last sample, m.
    #[serde(with = "number::nullable")]
    pub sites: Vec<Vec3>,
    /// Time and positions of all sites at a few times from the start on.
    #[serde(with = "number::nullable")]
    pub snapshots: Vec<(f64, Vec<Vec3>)>,
    /// Samples from one snapshot to the next.
    between: u64,
    /// Whether a site has moved.
    pub moved: bool,
    /// How the first bodies that turn in space do so.
    pub turning: Vec<Turning>,
    /// Samples seen.
    pub samples: u64,
}

/// Bodies whose paths are kept.
const MOST_PATHS: usize = 8;
/// Bodies whose paths are kept if all move on one sphere, where they do not hide each other.
const MOST_ON_A_SPHERE: usize = 2000;
/// Points that are kept of all paths together, if there are few and if there are many.
const MOST_POINTS: usize = 240_000;
const MOST_POINTS_OF_MANY: usize = 15_000;

impl Paths {
    /// Points of one path that are kept.
    fn longest(&self) -> usize {
        match self.bodies.len() {
            count @ 0..=MOST_PATHS => MOST_POINTS / count.max(1),
            count => MOST_POINTS_OF_MANY / count,
        }
    }

    fn push(&mut self, sample: &Sample) {
        let layout = sample.system.layout();
        if self.samples == 0 {
            let count = layout.drawing.bases.len();
            let together = layout
                .drawing
                .bases
                .windows(2)
                .all(|pair| pair[0] == pair[1] && matches!(pair[0], Base::Fixed(_)));
            self.sites = vec![Vec3::zeros(); count];
            let count = layout.drawing.followed();
            self.bodies = spread(count, if together { MOST_ON_A_SPHERE } else { MOST_PATHS });
            self.points = vec![VecDeque::new(); self.bodies.len()];
        }
        sample
            .system
            .sites(sample.state.t, &sample.state.q, &mut self.sites);
        self.remember(sample);
        self.samples += 1;
        if self.times.len() >= self.longest() {
            self.times.pop_front();
            for path in &mut self.points {
                path.pop_front();
            }
        }
        self.times.push_back(sample.state.t);
        for (path, &body) in self.points.iter_mut().zip(&self.bodies) {
            path.push_back(self.sites[body].into());
        }
    }
}

impl Paths {
    /// Keeps what is kept of some samples only, and axes.
    fn remember(&mut self, sample: &Sample) {
        self.between = self.between.max(1);
        if self.samples.is_multiple_of(self.between) && self.sites.len() <= MOST_IN_SNAPSHOTS {
            if self.snapshots.len() == MOST_SNAPSHOTS {
                let mut index = 0;
                self.snapshots.retain(|_| {
                    index += 1;
                    index % 2 == 1
                });
                self.between *= 2;
            }
            if self.samples.is_multiple_of(self.between) {
                self.snapshots.push((sample.state.t, self.sites.clone()));
            }
        }
        let first = self.snapshots.first();
        self.moved |= first.is_none_or(|(_, sites)| *sites != self.sites);
        let turning = sample.system.layout().rotations.len().min(MOST_TURNING);
        self.turning.resize_with(turning, Turning::default);
        for (number, turning) in self.turning.iter_mut().enumerate() {
            turning.push(sample, number);
        }
    }
}

/// Snapshots that are kept at most, at least half of them, and sites up to which they are.
const MOST_SNAPSHOTS: usize = 12;
const MOST_IN_SNAPSHOTS: usize = 4096;
/// Bodies whose axes are kept.
const MOST_TURNING: usize = 2;

/// At most so many of `count` bodies: the first, the last and some between.
pub(crate) fn spread(count: usize, most: usize) -> Vec<usize> {
    if count <= most {
        return (0..count).collect();
    }
    (0..most).map(|k| k * (count - 1) / (most - 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_series_is_kept_as_it_is() {
        let mut envelope = Envelope::default();
        let points: Vec<(f64, f64)> = (0..MOST_STRETCHES)
            .map(|k| (k as f64, (k as f64).sin()))
            .collect();
        points.iter().for_each(|&(t, x)| envelope.push(t, x));
        assert_eq!(envelope.points(), points);
    }

    #[test]
    fn a_long_series_keeps_its_extrema_and_its_ends_in_bounded_memory() {
        for spike in [0, 1, 77_777, 999_998, 999_999] {
            let mut envelope = Envelope::default();
            let value = |k: u32| {
                if k == spike {
                    5.0
                } else {
                    (f64::from(k) * 0.7).sin()
                }
            };
            (0..1_000_000).for_each(|k| envelope.push(f64::from(k), value(k)));
            let points = envelope.points();
            assert!(points.len() <= 2 * MOST_STRETCHES + 1);
            assert!(points.contains(&(f64::from(spike), 5.0)));
            assert!(points.is_sorted_by(|a, b| a.0 < b.0));
            assert_eq!(points.last(), Some(&(999_999.0, value(999_999))));
        }
    }

    #[test]
    fn paths_of_many_bodies_include_the_first_and_the_last() {
        assert_eq!(spread(3, 8), [0, 1, 2]);
        let kept = spread(2048, 8);
        assert_eq!((kept.len(), kept[0], kept[7]), (8, 0, 2047));
    }
}

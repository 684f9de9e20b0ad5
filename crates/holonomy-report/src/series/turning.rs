//! How a body turns in space: where its axes point, and how fast they move.
use super::MOST_PAIRS;
use crate::number;
use holonomy::{Vec3, math, simulation::Sample};
use nalgebra::{Quaternion, UnitQuaternion};
use serde::{Deserialize, Serialize};
use std::{collections::VecDeque, f64::consts::PI};

/// The latest attitudes of a body, against what holds it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Turning {
    /// Times, s.
    #[serde(with = "number::nullable")]
    times: VecDeque<f64>,
    /// Directions of its three axes.
    #[serde(with = "number::nullable")]
    axes: [VecDeque<[f64; 3]>; 3],
    /// Its angular velocity, rad/s, along the axes of what holds it.
    #[serde(with = "number::nullable")]
    spins: VecDeque<[f64; 3]>,
    /// Where the angular velocity is among the velocities, once that was looked for.
    #[serde(skip)]
    omega: Option<usize>,
}

/// The way of an axis on the unit sphere.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisPath {
    /// `x`, `y` or `z`.
    pub axis: &'static str,
    /// Points of it, so near each other that it is an arc; not numbers where it is broken.
    pub points: Vec<[f64; 3]>,
    /// How often it is broken, because more than half a turn lies between two samples: nobody knows which way it went.
    pub breaks: usize,
}

/// The longest straight part of an arc, rad.
const PART: f64 = 0.05;

impl Turning {
    /// Takes one more sample of the rotation of this number.
    pub(super) fn push(&mut self, sample: &Sample, number: usize) {
        let layout = sample.system.layout();
        let Some((at, name)) = layout.rotations.get(number) else {
            return;
        };
        let Some(&[w, x, y, z]) = sample.state.q.get(*at..at + 4) else {
            return;
        };
        let turn = UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z));
        let velocities = &layout.velocities;
        let omega = *self.omega.get_or_insert_with(|| {
            let label = format!("omega.{name}.x");
            let found = velocities.iter().position(|velocity| *velocity == label);
            found.unwrap_or(velocities.len())
        });
        let measured = sample.measured.velocity.get(omega..omega + 3);
        // It is measured along the axes of the body.
        let spin = measured.map_or(Vec3::repeat(f64::NAN), |v| turn * Vec3::from_column_slice(v));
        if self.times.len() >= MOST_PAIRS {
            self.times.pop_front();
            self.spins.pop_front();
            for path in &mut self.axes {
                path.pop_front();
            }
        }
        self.times.push_back(sample.state.t);
        self.spins.push_back(spin.into());
        for (path, axis) in self.axes.iter_mut().zip([Vec3::x(), Vec3::y(), Vec3::z()]) {
            path.push_back((turn * axis).into());
        }
    }

    /// The way of the axis that moves least.
    pub fn steadiest(&self) -> Option<AxisPath> {
        let length = |path: &AxisPath| -> f64 {
            let parts = path.points.windows(2);
            let lengths = parts.map(|pair| (Vec3::from(pair[1]) - Vec3::from(pair[0])).norm());
            lengths.filter(|length| length.is_finite()).sum()
        };
        let paths = (0..3).map(|axis| self.path(axis));
        let paths = paths.filter(|path| !path.points.is_empty());
        paths.min_by(|a, b| length(a).total_cmp(&length(b)))
    }

    fn path(&self, axis: usize) -> AxisPath {
        let at = |k: usize| {
            (
                self.times[k],
                Vec3::from(self.axes[axis][k]),
                Vec3::from(self.spins[k]),
            )
        };
        let mut path = AxisPath {
            axis: ["x", "y", "z"][axis],
            points: Vec::new(),
            breaks: 0,
        };
        for k in 0..self.times.len() {
            if k > 0 {
                let ((t0, from, spin0), (t1, to, spin1)) = (at(k - 1), at(k));
                let h = t1 - t0;
                if h * spin0.norm().max(spin1.norm()) > PI {
                    path.breaks += 1;
                    path.points.push([f64::NAN; 3]);
                } else {
                    let ways = [spin0.cross(&from) * h, spin1.cross(&to) * h];
                    arc(&mut path.points, [from, to], ways);
                }
            }
            path.points.push(self.axes[axis][k]);
        }
        path
    }
}

/// Points between two directions that move by `ways` in the time between them: Hermite's cubic, drawn out to the unit
/// sphere; along a great circle where the velocities are not known.
fn arc(points: &mut Vec<[f64; 3]>, [from, to]: [Vec3; 2], ways: [Vec3; 2]) {
    let chord = (to - from).norm();
    let longest = ways.iter().map(|way| way.norm()).fold(chord, f64::max);
    let parts = (longest / PART).ceil().clamp(1.0, 100.0);
    let known = ways.iter().all(|way| way.iter().all(|x| x.is_finite()));
    let angle = 2.0 * math::asin((0.5 * chord).min(1.0));
    for part in 1..parts as usize {
        let s = part as f64 / parts;
        let r = 1.0 - s;
        let point = match known {
            true => {
                from * (r * r * (1.0 + 2.0 * s)) + to * (s * s * (1.0 + 2.0 * r)) + ways[0] * (s * r * r)
                    - ways[1] * (s * s * r)
            }
            false => from * math::sin(r * angle) + to * math::sin(s * angle),
        };
        // Opposite directions have no way between them that is shorter than the others.
        if let Some(point) = point.try_normalize(1e-6) {
            points.push(point.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A top that spins about its third axis, which goes around the vertical at an angle of half a radian, sampled with
    /// this distance.
    fn top(step: f64, spin: f64, known: bool) -> Turning {
        let mut turning = Turning::default();
        for k in 0..200 {
            let t = f64::from(k) * step;
            let (round, lean) = (
                UnitQuaternion::from_axis_angle(&Vec3::z_axis(), t),
                UnitQuaternion::from_axis_angle(&Vec3::x_axis(), 0.5),
            );
            let turn = round * lean * UnitQuaternion::from_axis_angle(&Vec3::z_axis(), spin * t);
            let omega = Vec3::z() + turn * Vec3::z() * spin;
            turning.times.push_back(t);
            turning
                .spins
                .push_back(if known { omega.into() } else { [f64::NAN; 3] });
            for (path, axis) in turning.axes.iter_mut().zip([Vec3::x(), Vec3::y(), Vec3::z()]) {
                path.push_back((turn * axis).into());
            }
        }
        turning
    }

    #[test]
    fn an_axis_goes_along_its_circle_and_not_along_chords() {
        // Samples are half a radian apart; chords would leave the circle by 1 − cos ¼ of its radius, 0.015.
        for known in [true, false] {
            let path = top(0.5, 0.5, known).steadiest().expect("a path");
            assert_eq!((path.axis, path.breaks), ("z", 0));
            for point in &path.points {
                let point = Vec3::from(*point);
                assert!((point.norm() - 1.0).abs() < 1e-15);
                // Hermite's cubic is off by at most h⁴/384; a great circle, by what it is shorter than the circle.
                let off = (point.z - math::cos(0.5)).abs();
                let most = if known {
                    0.5_f64.powi(4) / 384.0
                } else {
                    0.5 * 0.25 / 8.0
                };
                assert!(off <= most, "{off} of {most}");
            }
            let parts = path.points.windows(2);
            let longest = parts.map(|pair| (Vec3::from(pair[1]) - Vec3::from(pair[0])).norm());
            assert!(longest.fold(0.0, f64::max) < 1.1 * PART);
        }
    }

    #[test]
    fn more_than_half_a_turn_between_samples_is_a_gap() {
        let fast = top(0.5, 8.0, true).steadiest().expect("a path");
        assert_eq!(fast.breaks, 199);
        let slow = top(0.5, 4.0, true).steadiest().expect("a path");
        assert_eq!(slow.breaks, 0);
        assert!(slow.points.iter().all(|point| point[0].is_finite()));
    }
}

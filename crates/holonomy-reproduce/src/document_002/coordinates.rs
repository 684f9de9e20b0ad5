//! Pitch δ and cone roll η: what they mean, and where they fail.
//!
//! ```text
//! cm = c (sin δ, cos δ sin η, cos δ cos η) = R_x(−η) R_y(δ) (0, 0, c)
//! ```
use super::super::{Finding, Published};
use crate::ReproduceError;
use holonomy::Vec3;
use holonomy_report::figure::{Path, Space};
use nalgebra::Rotation3;
use std::{f64::consts::PI, sync::atomic::AtomicBool};

/// Where the bob is, in units of c.
pub(super) fn direction([pitch, roll]: [f64; 2]) -> Vec3 {
    Vec3::new(pitch.sin(), pitch.cos() * roll.sin(), pitch.cos() * roll.cos())
}

pub(super) fn coordinates(_: &AtomicBool) -> Result<Finding, ReproduceError> {
    let turned = |[pitch, roll]: [f64; 2]| {
        let roll = Rotation3::from_axis_angle(&Vec3::x_axis(), -roll);
        roll * Rotation3::from_axis_angle(&Vec3::y_axis(), pitch) * Vec3::z()
    };
    let all = (0..36).flat_map(|i| (0..36).map(move |j| [f64::from(i), f64::from(j)].map(|k| k * PI / 18.0)));
    let apart = all.map(|q| (turned(q) - direction(q)).amax()).fold(0.0, f64::max);
    // The area that a square of angles covers: |∂cm/∂δ × ∂cm/∂η| / c² = cos δ.
    let area = |pitch: f64| pitch.cos().abs();
    let mut finding = Finding {
        parameters: "Drawn for δ = 40° and η = 140°, on the unit sphere; z is up.".to_owned(),
        remark: "The formula is that of the two rotations, and the coordinates are regular where the \
                 pendulum stands upright, as intended. They are singular where it points along ±x, and a \
                 pendulum that swings through comes near: here to cos δ = 0.44."
            .to_owned(),
        command: "holonomy show pitch-cone-roll".to_owned(),
        ..Finding::default()
    };
    // Three products and a sum of numbers of size one.
    finding
        .compare(
            "R_x(−η) R_y(δ) e_z less the printed formula, largest",
            Published::AtMost(4.0 * f64::EPSILON),
            apart,
            "",
        )
        .compare(
            "area covered by a unit square of angles, upright",
            Published::Value {
                value: 1.0,
                within: 1e-15,
            },
            area(0.0),
            "",
        )
        .compare("the same towards ±x", Published::Nothing, area(0.5 * PI), "");
    let (pitch, roll) = (40f64.to_radians(), 140f64.to_radians());
    let arc = |name: &str, count: u32, at: &dyn Fn(f64) -> [f64; 2]| Path {
        name: name.to_owned(),
        points: (0..=count)
            .map(|k| direction(at(f64::from(k) / f64::from(count))).into())
            .collect(),
    };
    let straight = |name: &str, from: [f64; 3], to: [f64; 3]| Path {
        name: name.to_owned(),
        points: vec![from, to],
    };
    let space = Space {
        title: String::new(),
        caption: "Pitch δ leads from the upright direction towards x; cone roll η turns the result about \
                  x, on a cone of constant pitch. Along ±x all η are the same direction."
            .to_owned(),
        spheres: true,
        paths: vec![
            arc("pitch δ", 40, &|share| [share * pitch, 0.0]),
            arc("cone roll η", 40, &|share| [pitch, share * roll]),
            arc("cone of this pitch", 90, &|share| {
                [pitch, roll + share * (2.0 * PI - roll)]
            }),
            straight("singular direction +x", [1.0, 0.0, 0.0], [1.35, 0.0, 0.0]),
            straight("singular direction −x", [-1.0, 0.0, 0.0], [-1.35, 0.0, 0.0]),
        ],
        links: vec![vec![[0.0; 3], direction([pitch, roll]).into()]],
        strings: vec![],
        down: [0.0, 0.0, -1.0],
    };
    finding.figure(space.render(), "Pitch and cone roll of a pendulum.");
    Ok(finding)
}

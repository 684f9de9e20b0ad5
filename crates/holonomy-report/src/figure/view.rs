//! The oblique view of space: an orthographic camera a little above the horizon.

use holonomy::math;

/// How far the camera stands above the horizon, and how far it is turned from the first horizontal axis.
const ELEVATION: f64 = 18.0;
const AZIMUTH: f64 = 55.0;

/// The directions of a page on which space is shown from a little above: to the right, upwards, towards the reader;
/// orthonormal.
#[derive(Clone, Copy, Debug)]
pub struct View {
    right: [f64; 3],
    up: [f64; 3],
    toward: [f64; 3],
    /// The vertical of space, which the page shows upright but foreshortened.
    pub(super) vertical: [f64; 3],
}

impl View {
    /// The view in which `down` points down the page; the third axis points up if it has no direction.
    pub fn with_down(down: [f64; 3]) -> Self {
        let length = dot(down, down).sqrt();
        let vertical = match length.is_normal() {
            true => down.map(|part| -part / length),
            false => [0.0, 0.0, 1.0],
        };
        let (first, second) = horizontal(vertical);
        let (elevation, azimuth) = (ELEVATION.to_radians(), AZIMUTH.to_radians());
        let toward = [0, 1, 2].map(|axis| {
            let level = math::cos(azimuth) * first[axis] + math::sin(azimuth) * second[axis];
            math::cos(elevation) * level + math::sin(elevation) * vertical[axis]
        });
        let right = normalised(cross(vertical, toward));
        Self {
            right,
            up: cross(toward, right),
            toward,
            vertical,
        }
    }

    /// Right, up and depth towards the reader.
    pub fn project(&self, point: [f64; 3]) -> [f64; 3] {
        [
            dot(self.right, point),
            dot(self.up, point),
            dot(self.toward, point),
        ]
    }
}

/// Two directions that form a right-handed frame with the vertical, the first close to a coordinate axis.
pub(super) fn horizontal(vertical: [f64; 3]) -> ([f64; 3], [f64; 3]) {
    // The axis after the one closest to the vertical: x for the vertical z.
    let largest = [0, 1, 2]
        .into_iter()
        .max_by(|&a, &b| vertical[a].abs().total_cmp(&vertical[b].abs()))
        .unwrap_or(2);
    let mut axis = [0.0; 3];
    axis[(largest + 1) % 3] = 1.0;
    let second = normalised(cross(vertical, axis));
    (cross(second, vertical), second)
}

fn normalised(vector: [f64; 3]) -> [f64; 3] {
    let length = dot(vector, vector).sqrt();
    vector.map(|part| part / length)
}

pub(super) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn down_points_down_the_page() {
        let downs = [
            [0.0, 0.0, -9.81],
            [0.0, 0.0, 1.0],
            [0.0, -1.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.3, -0.4, 0.5],
            [0.0; 3],
        ];
        for down in downs {
            let view = View::with_down(down);
            let [right, up, _] = view.project(down);
            assert!(
                right.abs() < 1e-14 && (up < 0.0 || down == [0.0; 3]),
                "{down:?} is drawn along {right}, {up}"
            );
        }
    }

    #[test]
    fn lengths_are_preserved_and_handedness_too() {
        let view = View::with_down([0.3, -0.4, 0.5]);
        let point = [1.0, -2.0, 3.0];
        let projected = view.project(point);
        assert!((dot(projected, projected) - dot(point, point)).abs() < 1e-13);
        let triple = dot(cross(view.right, view.up), view.toward);
        assert!((triple - 1.0).abs() < 1e-14);
    }
}

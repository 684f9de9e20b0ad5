//! The picture of space on the page.

use super::style::{MARGIN, PAGE};
use super::view::View;

/// The largest size of the picture, and the smallest height.
const WIDTH: f64 = PAGE - 2.0 * MARGIN - 40.0;
const HEIGHT: f64 = 620.0;
const LOWEST: f64 = 320.0;

/// From space to pixels, with the origin at the top of the picture.
pub(super) struct Frame {
    view: View,
    pub(super) scale: f64,
    shift: [f64; 2],
    pub(super) height: f64,
}

impl Frame {
    /// The frame that shows all finite points, and the unit sphere if there is one.
    pub(super) fn around<'a>(points: impl Iterator<Item = &'a [f64; 3]>, sphere: bool, view: View) -> Self {
        let projected = points
            .filter(|point| finite(point))
            .map(|point| view.project(*point));
        let outline = [[-1.0, -1.0, 0.0], [1.0, 1.0, 0.0]]
            .into_iter()
            .filter(|_| sphere);
        let start = [[f64::MAX; 2], [f64::MIN; 2]];
        let mut bounds = projected.chain(outline).fold(start, |[low, high], point| {
            [
                [0, 1].map(|axis| point[axis].min(low[axis])),
                [0, 1].map(|axis| point[axis].max(high[axis])),
            ]
        });
        if bounds[0][0] > bounds[1][0] {
            bounds = [[-1.0; 2], [1.0; 2]];
        }
        let size = [0, 1].map(|axis| bounds[1][axis] - bounds[0][axis]);
        let scale = match (WIDTH / size[0]).min(HEIGHT / size[1]) {
            scale if scale.is_finite() => scale,
            _ => 1.0,
        };
        let height = (size[1] * scale).max(LOWEST) + 28.0;
        let middle = [0, 1].map(|axis| 0.5 * (bounds[0][axis] + bounds[1][axis]));
        let shift = [0.5 * PAGE - scale * middle[0], 0.5 * height + scale * middle[1]];
        Self {
            view,
            scale,
            shift,
            height,
        }
    }

    /// A polyline on the page, without points that are not finite.
    pub(super) fn polyline(&self, points: &[[f64; 3]]) -> Vec<(f64, f64)> {
        let seen = points.iter().filter(|point| finite(point));
        seen.map(|point| self.place(*point))
            .map(|[x, y, _]| (x, y))
            .collect()
    }

    /// Right and down on the page, and depth towards the reader, all in pixels.
    pub(super) fn place(&self, point: [f64; 3]) -> [f64; 3] {
        let [x, y, depth] = self.view.project(point);
        [
            self.shift[0] + self.scale * x,
            self.shift[1] - self.scale * y,
            self.scale * depth,
        ]
    }

    pub(super) fn origin(&self) -> [f64; 2] {
        self.shift
    }
}

/// Whether a point can be drawn: squares of larger coordinates overflow.
pub(super) fn finite(point: &[f64; 3]) -> bool {
    point.iter().all(|part| part.abs() < 1e150)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_points_lie_on_the_page() {
        let points = [[1e6, 2e6, 3e6], [1.1e6, 2e6, 3e6], [1e6, 2.5e6, 3.1e6]];
        let frame = Frame::around(points.iter(), false, View::with_down([0.0, -1.0, 0.0]));
        for point in points {
            let [x, y, _] = frame.place(point);
            assert!((MARGIN..PAGE - MARGIN).contains(&x) && (0.0..frame.height).contains(&y));
        }
    }
}

//! A camera that sees the whole motion and stands still.
//!
//! ```text
//! [x, y, z] = right, up, toward of (point − centre)       the view of the figures
//! pixel = middle + scale D/(D − z) [x, −y] + shift        D, the distance of the camera from the centre
//! ```
use holonomy_report::figure::View;

/// From space to pixels.
pub(super) struct Camera {
    view: View,
    centre: [f64; 3],
    /// Of the camera from the centre, m.
    distance: f64,
    /// Pixels per metre at the centre.
    scale: f64,
    shift: [f64; 2],
}

/// A point on the page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) x: f64,
    pub(super) y: f64,
    /// Towards the reader, m.
    pub(super) depth: f64,
    /// Pixels per metre there.
    pub(super) scale: f64,
}

/// The distance in units of what is seen: a normal lens.
const FAR: f64 = 4.0;
/// Of the page, left free around everything.
const MARGIN: f64 = 0.09;

impl Camera {
    /// The camera that sees all these balls, each a centre and a radius in m, on a page of this size.
    pub(super) fn around(balls: &[([f64; 3], f64)], down: Option<[f64; 3]>, size: [u32; 2]) -> Self {
        let view = View::with_down(down.unwrap_or([0.0, 0.0, -1.0]));
        let seen = || {
            balls
                .iter()
                .filter(|(at, radius)| at.iter().all(|part| part.abs() < 1e150) && radius.is_finite())
        };
        let mut low = [f64::MAX; 3];
        let mut high = [f64::MIN; 3];
        for (at, radius) in seen() {
            for axis in 0..3 {
                low[axis] = low[axis].min(at[axis] - radius);
                high[axis] = high[axis].max(at[axis] + radius);
            }
        }
        if low[0] > high[0] {
            (low, high) = ([-1.0; 3], [1.0; 3]);
        }
        let centre = [0, 1, 2].map(|axis| 0.5 * (low[axis] + high[axis]));
        let extent = [0, 1, 2].map(|axis| high[axis] - low[axis]);
        let across = extent.iter().map(|part| part * part).sum::<f64>().sqrt();
        let mut camera = Self {
            view,
            centre,
            distance: if across > 0.0 { FAR * 0.5 * across } else { FAR },
            scale: 1.0,
            shift: [0.0; 2],
        };
        let mut bounds = [[f64::MAX; 2], [f64::MIN; 2]];
        for (at, radius) in seen() {
            let Placed { x, y, scale, .. } = camera.place(*at);
            for (axis, part) in [x, y].into_iter().enumerate() {
                bounds[0][axis] = bounds[0][axis].min(part - radius * scale);
                bounds[1][axis] = bounds[1][axis].max(part + radius * scale);
            }
        }
        if bounds[0][0] > bounds[1][0] {
            bounds = [[-1.0; 2], [1.0; 2]];
        }
        let size = size.map(f64::from);
        let free = MARGIN * size[0].min(size[1]);
        let fit = |axis: usize| (size[axis] - 2.0 * free) / (bounds[1][axis] - bounds[0][axis]);
        let scale = fit(0).min(fit(1));
        // Something that does not move and has no size is in the middle.
        camera.scale = if scale.is_finite() && scale > 0.0 {
            scale
        } else {
            0.1 * size[1]
        };
        camera.shift =
            [0, 1].map(|axis| 0.5 * size[axis] - camera.scale * 0.5 * (bounds[0][axis] + bounds[1][axis]));
        camera
    }

    pub(super) fn place(&self, point: [f64; 3]) -> Placed {
        let [x, y, depth] = self
            .view
            .project([0, 1, 2].map(|axis| point[axis] - self.centre[axis]));
        let scale = self.scale * self.distance / (self.distance - depth).max(1e-3 * self.distance);
        Placed {
            x: self.shift[0] + scale * x,
            y: self.shift[1] - scale * y,
            depth,
            scale,
        }
    }

    /// Where a direction of space points on the page (right, down), and towards the reader.
    pub(super) fn direction(&self, axis: [f64; 3]) -> [f64; 3] {
        let [x, y, toward] = self.view.project(axis);
        [x, -y, toward]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_on_the_page_and_fills_it() {
        let balls = [
            ([1e3, 5.0, 0.0], 0.5),
            ([1e3 + 4.0, 1.0, -2.0], 0.0),
            ([1e3, 0.0, 7.0], 0.1),
        ];
        for size in [[1280, 720], [64, 640]] {
            let camera = Camera::around(&balls, Some([0.0, 0.0, -1.0]), size);
            let placed = balls.map(|(at, radius)| (camera.place(at), radius));
            let mut touched = 0;
            for (axis, length) in size.map(f64::from).into_iter().enumerate() {
                let free = MARGIN * f64::from(size[0].min(size[1]));
                let part = |p: &Placed| [p.x, p.y][axis];
                let least = placed
                    .iter()
                    .map(|(p, r)| part(p) - r * p.scale)
                    .fold(f64::MAX, f64::min);
                let most = placed
                    .iter()
                    .map(|(p, r)| part(p) + r * p.scale)
                    .fold(f64::MIN, f64::max);
                assert!(least > free - 1e-9 * length && most < length - free + 1e-9 * length);
                touched += usize::from((least - free).abs() < 1e-6 * length);
            }
            assert!(touched >= 1);
        }
        // Nearer things are larger, and down is down.
        let camera = Camera::around(&balls, Some([0.0, 0.0, -1.0]), [100, 100]);
        let near = camera.place([1e3 + 4.0, 5.0, 0.0]);
        let far = camera.place([1e3 - 4.0, -5.0, 0.0]);
        assert!(near.depth > far.depth && near.scale > far.scale);
        assert!(camera.direction([0.0, 0.0, -1.0])[1] > 0.0);
    }

    #[test]
    fn nothing_and_a_single_point_have_a_camera() {
        for balls in [vec![], vec![([f64::NAN; 3], 1.0)], vec![([1.0, 2.0, 3.0], 0.0)]] {
            let placed = Camera::around(&balls, None, [200, 100]).place([1.0, 2.0, 3.0]);
            assert!(placed.x.is_finite() && placed.y.is_finite() && placed.scale > 0.0);
        }
    }
}

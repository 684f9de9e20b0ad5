//! What is already drawn in a plot, so that labels find a free place.

/// An upright rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rectangle {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Rectangle {
    pub(super) fn new([left, top]: [f64; 2], [width, height]: [f64; 2]) -> Self {
        Self {
            left,
            top,
            right: left + width,
            bottom: top + height,
        }
    }

    pub(super) fn around([x, y]: [f64; 2], radius: f64) -> Self {
        Self {
            left: x - radius,
            top: y - radius,
            right: x + radius,
            bottom: y + radius,
        }
    }

    pub(super) fn grown(self, by: f64) -> Self {
        Self {
            left: self.left - by,
            top: self.top - by,
            right: self.right + by,
            bottom: self.bottom + by,
        }
    }

    pub(super) fn inside(self, other: Self) -> bool {
        self.left >= other.left
            && self.right <= other.right
            && self.top >= other.top
            && self.bottom <= other.bottom
    }

    fn meets(self, other: Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    /// Whether a segment has a point in the rectangle: the intervals of its parameter between the two pairs
    /// of sides overlap.
    fn meets_segment(self, [start, end]: [(f64, f64); 2]) -> bool {
        let (mut enter, mut leave) = (0.0f64, 1.0f64);
        let slabs = [
            (start.0, end.0, self.left, self.right),
            (start.1, end.1, self.top, self.bottom),
        ];
        for (from, to, low, high) in slabs {
            let length = to - from;
            if length == 0.0 {
                if from < low || from > high {
                    return false;
                }
                continue;
            }
            let (first, second) = ((low - from) / length, (high - from) / length);
            enter = enter.max(first.min(second));
            leave = leave.min(first.max(second));
        }
        enter <= leave
    }
}

/// Lines and rectangles that labels keep away from.
#[derive(Default)]
pub(super) struct Obstacles {
    segments: Vec<[(f64, f64); 2]>,
    rectangles: Vec<Rectangle>,
}

impl Obstacles {
    pub(super) fn add_line(&mut self, points: &[(f64, f64)]) {
        self.segments
            .extend(points.windows(2).map(|pair| [pair[0], pair[1]]));
    }

    pub(super) fn add_rectangle(&mut self, rectangle: Rectangle) {
        self.rectangles.push(rectangle);
    }

    pub(super) fn free(&self, rectangle: Rectangle) -> bool {
        !self.rectangles.iter().any(|other| rectangle.meets(*other))
            && !self
                .segments
                .iter()
                .any(|segment| rectangle.meets_segment(*segment))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_across_a_rectangle_is_found() {
        let mut obstacles = Obstacles::default();
        obstacles.add_line(&[(0.0, 0.0), (100.0, 50.0), (200.0, 50.0)]);
        assert!(!obstacles.free(Rectangle::around([50.0, 25.0], 2.0)));
        assert!(!obstacles.free(Rectangle::new([120.0, 40.0], [10.0, 20.0])));
        assert!(obstacles.free(Rectangle::new([0.0, 30.0], [40.0, 20.0])));
        assert!(obstacles.free(Rectangle::new([120.0, 51.0], [10.0, 20.0])));
    }
}

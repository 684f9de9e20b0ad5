//! A series in pixels.

use super::chart::CurveStyle;
use super::ghosts::JOINTS;
use super::obstacles::{Obstacles, Rectangle};
use super::style::{self, DISTINCT_DASHES, Look, Mark};
use super::svg::{Pen, Svg};
use super::thin;
use holonomy::math;

/// The number of points to which a series is thinned.
const LIMIT: usize = 2000;
/// From this number of separate pieces on, a line is drawn as dots.
const PIECES: usize = 500;
/// From this number of points on, markers are dots.
const MARKERS: usize = 200;
/// The number of markers along a line that only tell it from others.
const SPARSE: usize = 7;

/// A series thinned to what can be seen.
pub(super) struct DrawnCurve {
    pub(super) look: Look,
    /// Whether it is the mechanism, which looks like itself.
    mechanism: bool,
    lines: Vec<Vec<(f64, f64)>>,
    dots: Vec<(f64, f64)>,
    marks: Vec<(f64, f64)>,
}

/// All series of a plot of this width, from their points in pixels; a point without a place is a gap. Curves that are
/// `paths` are told apart by markers, others by dashes where these show.
pub(super) fn all<P: Iterator<Item = Option<(f64, f64)>>>(
    series: impl Iterator<Item = (CurveStyle, P)>,
    width: f64,
    paths: bool,
) -> Vec<DrawnCurve> {
    let curve = |(index, (style, points)): (usize, (CurveStyle, P))| {
        DrawnCurve::new(index, style, pieces(points), width)
    };
    let mut curves: Vec<DrawnCurve> = series.enumerate().map(curve).collect();
    let count = curves.len();
    // Dashes do not show on lines that run up and down all the time, nor on those that retrace themselves.
    let dense = paths
        || curves
            .iter()
            .any(|curve| !curve.mechanism && (curve.length() > 12.0 * width || curve.turns_back()));
    let told_apart = curves
        .iter_mut()
        .enumerate()
        .filter(|(_, curve)| !curve.mechanism);
    for (index, curve) in told_apart.filter(|_| count > 1) {
        if dense {
            curve.look.dash = "";
        }
        let unmarked = curve.look.mark == Mark::Nothing;
        if unmarked && (dense || count > DISTINCT_DASHES || !curve.dots.is_empty()) {
            curve.mark_sparsely(index, index as f64 / count as f64, dense);
        }
    }
    curves
}

/// Draws the curves; the one with the most ink first, so that it does not hide the others.
pub(super) fn draw(svg: &mut Svg, curves: &[DrawnCurve]) {
    let mut sorted: Vec<&DrawnCurve> = curves.iter().collect();
    sorted.sort_by(|a, b| {
        a.mechanism
            .cmp(&b.mechanism)
            .then(b.length().total_cmp(&a.length()))
    });
    sorted.iter().for_each(|curve| curve.draw_lines(svg));
    curves.iter().for_each(|curve| curve.draw_marks(svg));
}

impl DrawnCurve {
    fn new(index: usize, style: CurveStyle, pieces: Vec<Vec<(f64, f64)>>, width: f64) -> Self {
        let total: usize = pieces.iter().map(Vec::len).sum();
        let mechanism = matches!(style, CurveStyle::Rods | CurveStyle::Strings);
        let scattered = style == CurveStyle::Points || (pieces.len() > PIECES && !mechanism);
        let share = |piece: &Vec<(f64, f64)>| (LIMIT * piece.len()).div_ceil(total).max(4);
        let lines = match scattered {
            true => vec![],
            false => pieces
                .iter()
                .map(|piece| thin::line(piece, share(piece)))
                .collect(),
        };
        let rods = style == CurveStyle::Rods;
        let points = match scattered || style == CurveStyle::LineAndPoints {
            true => thin::dots(&pieces.concat(), LIMIT),
            false => vec![],
        };
        let joints = || pieces.iter().filter(|piece| piece.len() <= JOINTS).flatten();
        let (dots, marks) = if rods {
            (vec![], joints().copied().collect())
        } else if points.len() >= MARKERS {
            (points, vec![])
        } else {
            (vec![], points)
        };
        let mark = match marks.len() {
            0 => Mark::Nothing,
            60.. if rods => Mark::Shape(0, 3.4),
            _ if rods => Mark::Shape(0, 4.4),
            1..60 => Mark::Shape(index, 4.8),
            _ => Mark::Shape(index, 3.2),
        };
        let dash = match style {
            CurveStyle::Line => style::dash(index),
            CurveStyle::Dashed => style::broken_dash(index),
            CurveStyle::Points | CurveStyle::LineAndPoints | CurveStyle::Rods | CurveStyle::Strings => "",
        };
        let look = Look {
            colour: match style {
                CurveStyle::Rods => style::ROD,
                CurveStyle::Strings => style::STRING,
                _ => style::colour(index),
            },
            line: None,
            dash,
            mark,
        };
        let mut curve = Self {
            look,
            mechanism,
            lines,
            dots,
            marks,
        };
        let thickness = match curve.length() / width {
            _ if rods => 4.5,
            _ if mechanism => 1.0,
            ..8.0 => 2.1,
            ..25.0 => 1.6,
            _ => 1.1,
        };
        curve.look.line = (!scattered).then_some(thickness);
        curve
    }

    /// Where the curve ends.
    pub(super) fn end(&self) -> Option<(f64, f64)> {
        let line = self.lines.last().and_then(|line| line.last());
        line.or_else(|| self.dots.last())
            .or_else(|| self.marks.last())
            .copied()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.dots.is_empty() && self.marks.is_empty()
    }

    /// Adds the curve to the obstacles.
    pub(super) fn obstruct(&self, obstacles: &mut Obstacles) {
        self.lines.iter().for_each(|line| obstacles.add_line(line));
        let points = self
            .dots
            .iter()
            .chain(&self.marks)
            .chain(self.lines.iter().filter_map(|line| line.first()));
        points.for_each(|&(x, y)| obstacles.add_rectangle(Rectangle::around([x, y], 4.0)));
    }

    /// Puts a few markers along the curve, on its crests if it is dense; the shift staggers the curves.
    fn mark_sparsely(&mut self, index: usize, shift: f64, dense: bool) {
        let points: Vec<(f64, f64)> = self.lines.iter().flatten().chain(&self.dots).copied().collect();
        let reach = if dense && !self.turns_back() {
            points.len() / (12 * SPARSE)
        } else {
            0
        };
        let crest = |mark: usize| {
            let position = (mark as f64 + 0.1 + 0.8 * shift) / SPARSE as f64 * points.len() as f64;
            let window =
                (position as usize).saturating_sub(reach)..=(position as usize + reach).min(points.len() - 1);
            points[window].iter().copied().min_by(|a, b| a.1.total_cmp(&b.1))
        };
        self.marks = if points.len() <= SPARSE {
            points
        } else {
            (0..SPARSE).filter_map(crest).collect()
        };
        self.look.mark = Mark::Shape(index, 4.8);
    }

    fn draw_lines(&self, svg: &mut Svg) {
        let mut pen = Pen::default();
        self.lines
            .iter()
            .for_each(|line| pen.polyline(line.iter().copied()));
        if let Some(width) = self.look.line {
            svg.path(pen.data(), &self.look.stroke(width));
        }
        // Round line caps write dots in the least text.
        let mut pen = Pen::default();
        self.dots.iter().for_each(|&dot| pen.polyline([dot]));
        svg.path(
            pen.data(),
            &format!(
                "stroke=\"{}\" stroke-width=\"3.2\" stroke-linecap=\"round\"",
                self.look.colour
            ),
        );
    }

    fn draw_marks(&self, svg: &mut Svg) {
        if let Mark::Shape(shape, radius) = self.look.mark {
            let data: String = self
                .marks
                .iter()
                .map(|&(x, y)| style::marker(shape, [x, y], radius))
                .collect();
            svg.path(&data, &format!("fill=\"{}\" stroke=\"#fff\"", self.look.colour));
        }
    }

    fn turns_back(&self) -> bool {
        self.lines
            .iter()
            .flat_map(|line| line.windows(2))
            .any(|pair| pair[1].0 < pair[0].0)
    }

    fn length(&self) -> f64 {
        let pairs = self.lines.iter().flat_map(|line| line.windows(2));
        pairs
            .map(|pair| math::hypot(pair[1].0 - pair[0].0, pair[1].1 - pair[0].1))
            .sum()
    }
}

/// The stretches between the gaps.
fn pieces(points: impl Iterator<Item = Option<(f64, f64)>>) -> Vec<Vec<(f64, f64)>> {
    let mut pieces: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut open = false;
    for point in points {
        match (point, pieces.last_mut()) {
            (Some(point), Some(piece)) if open => piece.push(point),
            (Some(point), _) => pieces.push(vec![point]),
            (None, _) => {}
        }
        open = point.is_some();
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curves(style: CurveStyle, count: usize, frequency: f64) -> Vec<DrawnCurve> {
        let wave = move |i: i32| {
            Some((
                f64::from(i) * 0.1,
                200.0 + 100.0 * (f64::from(i) * frequency).sin(),
            ))
        };
        all((0..count).map(|_| (style, (0..8000).map(wave))), 800.0, false)
    }

    #[test]
    fn gaps_separate_pieces() {
        let points = [
            None,
            Some((0.0, 0.0)),
            Some((1.0, 0.0)),
            None,
            None,
            Some((3.0, 0.0)),
            None,
        ];
        assert_eq!(
            pieces(points.into_iter()),
            [vec![(0.0, 0.0), (1.0, 0.0)], vec![(3.0, 0.0)]]
        );
    }

    #[test]
    fn curves_differ_in_dash_or_marker() {
        for (count, frequency) in [(4, 1e-3), (4, 0.3), (12, 1e-3)] {
            for style in [
                CurveStyle::Line,
                CurveStyle::Dashed,
                CurveStyle::Points,
                CurveStyle::LineAndPoints,
            ] {
                let looks: Vec<_> = curves(style, count, frequency)
                    .into_iter()
                    .map(|curve| curve.look)
                    .collect();
                for (index, look) in looks.iter().enumerate() {
                    let same = |other: &&Look| (other.dash, other.mark) == (look.dash, look.mark);
                    let twins = looks[..index]
                        .iter()
                        .filter(same)
                        .filter(|other| count < 6 || other.colour == look.colour);
                    assert_eq!(twins.count(), 0, "{style:?} {index} of {count}");
                }
            }
        }
    }

    #[test]
    fn one_curve_has_no_extra_markers() {
        assert!(curves(CurveStyle::Line, 1, 0.3)[0].marks.is_empty());
        assert_eq!(curves(CurveStyle::Line, 2, 0.3)[1].marks.len(), SPARSE);
    }
}

//! A path of space on the page, stronger where it is nearer.

use super::frame::{Frame, finite};
use super::obstacles::Obstacles;
use super::svg::{Pen, Svg, number};
use super::thin;

/// The number of slices of depth, each with its own strength of line.
const SLICES: usize = 6;
/// Deviations of the drawn polygon from the path that can hardly be seen, in pixels.
const TOLERANCES: [f64; 3] = [0.25, 0.5, 1.0];

/// A path on the page.
pub(super) struct Trace {
    pieces: Vec<Vec<[f64; 3]>>,
    pub(super) colour: String,
    /// Where the whole path starts and ends.
    pub(super) ends: Option<[[f64; 3]; 2]>,
    /// How much of the path is drawn.
    pub(super) share: f64,
}

impl Trace {
    /// The path cut at its gaps and thinned to the limit.
    pub(super) fn new(points: &[[f64; 3]], frame: &Frame, limit: usize, colour: String) -> Self {
        let pieces = points
            .split(|point| !finite(point))
            .filter(|piece| !piece.is_empty());
        let pieces: Vec<Vec<[f64; 3]>> = pieces
            .map(|piece| piece.iter().map(|point| frame.place(*point)).collect())
            .collect();
        let start = pieces.first().and_then(|piece| piece.first()).copied();
        let end = pieces.last().and_then(|piece| piece.last()).copied();
        let mut trace = Self {
            pieces,
            colour,
            ends: start.zip(end).map(|(start, end)| [start, end]),
            share: 1.0,
        };
        for tolerance in TOLERANCES {
            let corners = |piece: &Vec<[f64; 3]>| {
                thin::corners(piece, tolerance)
                    .into_iter()
                    .map(|at| piece[at])
                    .collect()
            };
            trace.pieces = trace.pieces.iter().map(corners).collect();
            if trace.count() <= limit {
                return trace;
            }
        }
        // A curve of many turns: a true stretch of it says more than a coarse polygon of the whole.
        trace.share = limit as f64 / trace.count() as f64;
        trace.keep_last(limit);
        trace
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Adds the trace to the obstacles.
    pub(super) fn obstruct(&self, obstacles: &mut Obstacles) {
        for piece in &self.pieces {
            obstacles.add_line(&piece.iter().map(|&[x, y, _]| (x, y)).collect::<Vec<_>>());
        }
    }

    fn count(&self) -> usize {
        self.pieces.iter().map(Vec::len).sum()
    }

    fn keep_last(&mut self, limit: usize) {
        let mut surplus = self.count().saturating_sub(limit);
        self.pieces.retain_mut(|piece| {
            let dropped = surplus.min(piece.len());
            piece.drain(..dropped);
            surplus -= dropped;
            !piece.is_empty()
        });
    }
}

/// Depth cut into slices, in which lines grow stronger towards the reader.
pub(super) struct Slices {
    middle: f64,
    half: f64,
}

impl Slices {
    /// Slices of the depth that the traces take; the sphere puts the middle at its centre.
    pub(super) fn new(traces: &[Trace], sphere: bool) -> Self {
        let depths = || {
            traces
                .iter()
                .flat_map(|trace| trace.pieces.iter().flatten())
                .map(|point| point[2])
        };
        let (low, high) = (
            depths().fold(f64::MAX, f64::min),
            depths().fold(f64::MIN, f64::max),
        );
        let (middle, half) = if sphere {
            (0.0, high.max(-low))
        } else {
            (0.5 * (low + high), 0.5 * (high - low))
        };
        Self {
            middle,
            half: half.max(f64::MIN_POSITIVE),
        }
    }

    /// Whether a depth is behind the middle.
    pub(super) fn is_behind(&self, depth: f64) -> bool {
        depth < self.middle
    }

    /// Draws what is behind the middle.
    pub(super) fn draw_back(&self, svg: &mut Svg, traces: &[Trace]) {
        (0..SLICES / 2).for_each(|slice| self.draw(svg, traces, slice));
    }

    /// Draws what is before the middle.
    pub(super) fn draw_front(&self, svg: &mut Svg, traces: &[Trace]) {
        (SLICES / 2..SLICES).for_each(|slice| self.draw(svg, traces, slice));
    }

    fn draw(&self, svg: &mut Svg, traces: &[Trace], slice: usize) {
        let nearness = slice as f64 / (SLICES - 1) as f64;
        let (width, opacity) = (number(1.1 + 1.2 * nearness), number(0.5 + 0.5 * nearness));
        for trace in traces {
            let mut pen = Pen::default();
            for piece in &trace.pieces {
                let mut rest = &piece[..];
                while rest.len() > 1 {
                    let first = self.slice(rest[0], rest[1]);
                    let length = rest
                        .windows(2)
                        .take_while(|pair| self.slice(pair[0], pair[1]) == first)
                        .count();
                    if first == slice {
                        pen.polyline(rest[..=length].iter().map(|&[x, y, _]| (x, y)));
                    }
                    rest = &rest[length..];
                }
            }
            let stroke = format!(
                "stroke=\"{}\" stroke-width=\"{width}\" stroke-opacity=\"{opacity}\"",
                trace.colour
            );
            svg.path(pen.data(), &format!("{stroke} stroke-linejoin=\"round\""));
        }
    }

    /// The slice of a segment.
    fn slice(&self, start: [f64; 3], end: [f64; 3]) -> usize {
        let depth = (0.5 * (start[2] + end[2]) - self.middle) / self.half;
        let position = 0.5 * SLICES as f64 * (1.0 + depth);
        (position.max(0.0) as usize).min(SLICES - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::view::View;
    use super::*;

    fn circle(turns: f64, points: usize) -> Vec<[f64; 3]> {
        let angle = |index: usize| turns * std::f64::consts::TAU * index as f64 / points as f64;
        (0..points)
            .map(|index| [angle(index).cos(), angle(index).sin(), 0.1 * angle(index).sin()])
            .collect()
    }

    fn trace(points: &[[f64; 3]], limit: usize) -> Trace {
        let frame = Frame::around(points.iter(), true, View::with_down([0.0, 0.0, -1.0]));
        Trace::new(points, &frame, limit, "#000".into())
    }

    #[test]
    fn a_short_path_is_drawn_whole() {
        let trace = trace(&circle(3.0, 100_000), 1000);
        assert_eq!(trace.share, 1.0);
        assert!(trace.count() < 1000);
    }

    #[test]
    fn of_a_long_path_the_end_is_drawn() {
        let trace = trace(&circle(1000.0, 200_000), 1000);
        assert!(trace.share < 0.1 && trace.count() == 1000);
        let last = trace.pieces.last().and_then(|piece| piece.last()).copied();
        assert_eq!(trace.ends.map(|[_, end]| end), last);
    }
}

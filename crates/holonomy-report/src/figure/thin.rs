//! Long series reduced to what can be seen, in pixels.
//!
//! A series over increasing x keeps the lowest and the highest point of every bucket of columns, hence every
//! spike. A curve that turns back keeps the corners of a polygon close to it (Douglas and Peucker). A cloud
//! of dots keeps one per cell. The extreme points in x and y survive all three.

use std::collections::{BTreeSet, HashSet};

/// A polyline with at most about `limit` points, four times as many when it turns back.
pub(super) fn line(points: &[(f64, f64)], limit: usize) -> Vec<(f64, f64)> {
    if points.len() <= limit {
        return points.to_vec();
    }
    if points.windows(2).all(|pair| pair[0].0 <= pair[1].0) {
        return columns(points, limit);
    }
    let spatial: Vec<[f64; 3]> = points.iter().map(|&(x, y)| [x, y, 0.0]).collect();
    let mut tolerance = 0.3;
    loop {
        let mut kept: BTreeSet<usize> = corners(&spatial, tolerance).into_iter().collect();
        if kept.len() <= 4 * limit {
            kept.extend(extremes(points));
            return kept.into_iter().map(|index| points[index]).collect();
        }
        tolerance *= 2.0;
    }
}

/// At most about `limit` dots.
pub(super) fn dots(points: &[(f64, f64)], limit: usize) -> Vec<(f64, f64)> {
    let mut cell = 1.0;
    let mut kept: BTreeSet<usize> = (0..points.len()).collect();
    while kept.len() > limit {
        let mut taken = HashSet::new();
        kept.retain(|&index| {
            let (x, y) = points[index];
            taken.insert(((x / cell).floor() as i64, (y / cell).floor() as i64))
        });
        cell *= 1.5;
    }
    kept.extend(extremes(points));
    kept.into_iter().map(|index| points[index]).collect()
}

/// Indices of the corners of a polygon that stays within the tolerance of the curve.
pub(super) fn corners(points: &[[f64; 3]], tolerance: f64) -> Vec<usize> {
    // The search for the farthest point is quadratic at worst, so it runs on stretches of bounded length.
    const STRETCH: usize = 512;
    let spaced = spaced(points, tolerance);
    let mut kept = Vec::new();
    let mut start = 0;
    while start < spaced.len() {
        let end = (start + STRETCH).min(spaced.len() - 1);
        let mut keep = vec![false; end - start + 1];
        mark(points, &spaced[start..=end], &mut keep, tolerance);
        kept.extend(
            (start..end)
                .filter(|index| keep[index - start])
                .map(|index| spaced[index]),
        );
        if end == spaced.len() - 1 {
            kept.push(spaced[end]);
            break;
        }
        start = end;
    }
    kept
}

fn columns(points: &[(f64, f64)], limit: usize) -> Vec<(f64, f64)> {
    let (first, last) = (0, points.len() - 1);
    let buckets = (limit / 2).max(1) as f64;
    let width = ((points[last].0 - points[first].0) / buckets).max(f64::MIN_POSITIVE);
    let bucket = |index: usize| ((points[index].0 - points[first].0) / width).floor();
    let mut kept = BTreeSet::from([first, last]);
    let mut start = first;
    for index in 1..=points.len() {
        if index == points.len() || bucket(index) != bucket(start) {
            let run = start..index;
            kept.extend(run.clone().min_by(|&a, &b| points[a].1.total_cmp(&points[b].1)));
            kept.extend(run.max_by(|&a, &b| points[a].1.total_cmp(&points[b].1)));
            start = index;
        }
    }
    kept.into_iter().map(|index| points[index]).collect()
}

/// Indices of points farther than the tolerance from the one kept before, and of the last point.
fn spaced(points: &[[f64; 3]], tolerance: f64) -> Vec<usize> {
    let mut kept: Vec<usize> = Vec::new();
    for (index, point) in points.iter().enumerate() {
        let far = kept
            .last()
            .is_none_or(|&last| distance(*point, points[last]) > tolerance);
        if far || index + 1 == points.len() {
            kept.push(index);
        }
    }
    kept
}

/// Marks the ends and, while it is farther than the tolerance from the chord, the farthest point between.
fn mark(points: &[[f64; 3]], indices: &[usize], keep: &mut [bool], tolerance: f64) {
    let mut pending = vec![(0, indices.len() - 1)];
    while let Some((start, end)) = pending.pop() {
        (keep[start], keep[end]) = (true, true);
        let chord = Chord::new(points[indices[start]], points[indices[end]]);
        let (mut farthest, mut largest) = (start, tolerance * tolerance);
        for index in start + 1..end {
            let offset = chord.squared_distance(points[indices[index]]);
            if offset > largest {
                (farthest, largest) = (index, offset);
            }
        }
        if farthest > start {
            pending.extend([(start, farthest), (farthest, end)]);
        }
    }
}

fn extremes(points: &[(f64, f64)]) -> impl Iterator<Item = usize> {
    let by_x = |a: &usize, b: &usize| points[*a].0.total_cmp(&points[*b].0);
    let by_y = |a: &usize, b: &usize| points[*a].1.total_cmp(&points[*b].1);
    let all = 0..points.len();
    let found = [
        all.clone().min_by(by_x),
        all.clone().max_by(by_x),
        all.clone().min_by(by_y),
        all.max_by(by_y),
    ];
    found.into_iter().flatten()
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    // Pixels are neither so large nor so small that squares of them need care.
    let difference = [0, 1, 2].map(|axis| a[axis] - b[axis]);
    dot(difference, difference).sqrt()
}

/// A straight line between two points, asked for its distance from many.
struct Chord {
    start: [f64; 3],
    along: [f64; 3],
    /// One over its squared length; zero for a chord that is a point.
    inverse: f64,
}

impl Chord {
    fn new(start: [f64; 3], end: [f64; 3]) -> Self {
        let along = [0, 1, 2].map(|axis| end[axis] - start[axis]);
        let length = dot(along, along);
        let inverse = if length > 0.0 { 1.0 / length } else { 0.0 };
        Self {
            start,
            along,
            inverse,
        }
    }

    fn squared_distance(&self, point: [f64; 3]) -> f64 {
        let from_start = [0, 1, 2].map(|axis| point[axis] - self.start[axis]);
        let part = (dot(from_start, self.along) * self.inverse).clamp(0.0, 1.0);
        let away = [0, 1, 2].map(|axis| from_start[axis] - part * self.along[axis]);
        dot(away, away)
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(points: &[(f64, f64)]) -> [f64; 4] {
        let fold = |start: f64, choose: fn(f64, f64) -> f64, part: fn(&(f64, f64)) -> f64| {
            points.iter().map(part).fold(start, choose)
        };
        [
            fold(f64::MAX, f64::min, |point| point.0),
            fold(f64::MIN, f64::max, |point| point.0),
            fold(f64::MAX, f64::min, |point| point.1),
            fold(f64::MIN, f64::max, |point| point.1),
        ]
    }

    #[test]
    fn spikes_survive() {
        let mut points: Vec<_> = (0..100_000)
            .map(|i| (f64::from(i) * 0.008, (f64::from(i) * 0.37).sin()))
            .collect();
        points[43_210].1 = 17.0;
        points[77_777].1 = -23.0;
        let thinned = line(&points, 2000);
        assert!(thinned.len() <= 2002);
        assert_eq!(range(&thinned), range(&points));
        assert_eq!((thinned.first(), thinned.last()), (points.first(), points.last()));
    }

    #[test]
    fn every_column_keeps_its_extremes() {
        let points: Vec<_> = (0..10_000)
            .map(|i| (f64::from(i) / 100.0, f64::from(i * 7919 % 1000)))
            .collect();
        let thinned = line(&points, 200);
        for column in 0..99 {
            let of_column = |points: &[(f64, f64)]| -> Vec<(f64, f64)> {
                points
                    .iter()
                    .copied()
                    .filter(|point| (point.0 / 99.99 * 100.0).floor() as i32 == column)
                    .collect()
            };
            assert_eq!(range(&of_column(&points))[2..], range(&of_column(&thinned))[2..]);
        }
    }

    #[test]
    fn a_closed_curve_keeps_its_shape() {
        let angle = |i: i32| f64::from(i) * std::f64::consts::TAU / 50_000.0;
        let points: Vec<_> = (0..=50_000)
            .map(|i| (300.0 * angle(i).cos(), 200.0 * angle(i).sin()))
            .collect();
        let thinned = line(&points, 2000);
        assert!(thinned.len() < 500);
        assert_eq!(range(&thinned), range(&points));
        for (x, y) in thinned
            .windows(2)
            .map(|pair| (0.5 * (pair[0].0 + pair[1].0), 0.5 * (pair[0].1 + pair[1].1)))
        {
            assert!(
                ((x / 300.0).hypot(y / 200.0) - 1.0).abs() < 0.4 / 200.0,
                "a chord leaves the ellipse"
            );
        }
    }

    #[test]
    fn a_cloud_keeps_its_outline() {
        let points: Vec<_> = (0..200_000)
            .map(|i| (f64::from(i * 17 % 7919), f64::from(i % 6007)))
            .collect();
        let thinned = dots(&points, 2000);
        assert!((500..=2004).contains(&thinned.len()));
        assert_eq!(range(&thinned), range(&points));
    }

    #[test]
    fn short_series_are_left_alone() {
        let points = [(0.0, 1.0), (1.0, 2.0), (0.5, 3.0)];
        assert_eq!(line(&points, 10), points);
        assert_eq!(dots(&points, 10), points);
        assert_eq!(corners(&[[1.0, 2.0, 3.0]], 0.5), [0]);
        assert!(corners(&[], 0.5).is_empty());
    }
}

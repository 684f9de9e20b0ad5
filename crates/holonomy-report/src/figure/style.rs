//! The look of all figures: sizes, colours, dashes, markers.

use super::svg::number;

/// The width of every figure in pixels.
pub(super) const PAGE: f64 = 900.0;
/// The empty border of the page.
pub(super) const MARGIN: f64 = 24.0;

pub(super) const FONT: &str = "Helvetica Neue,Helvetica,Arial,Liberation Sans,DejaVu Sans,sans-serif";
pub(super) const TITLE: f64 = 20.0;
pub(super) const BASE: f64 = 16.0;
pub(super) const SMALL: f64 = 15.0;
/// The distance of two base lines, in font sizes.
pub(super) const LEADING: f64 = 1.35;

pub(super) const INK: &str = "#222";
pub(super) const MUTED: &str = "#555";
pub(super) const GRID: &str = "#e4e4e4";
/// Rods and strings of a mechanism.
pub(super) const ROD: &str = "#3c3c3c";
pub(super) const STRING: &str = "#6b6b6b";

/// Okabe and Ito's palette, with a brown for its yellow, which does not show on white.
const COLOURS: [&str; 8] = [
    "#0072b2", "#d55e00", "#009e73", "#000", "#cc79a7", "#e69f00", "#56b4e9", "#8a3b12",
];
/// The most curves that a legend names; more have their names beside them.
pub(super) const NAMED: usize = COLOURS.len();
/// Their number is prime to the number of colours, so that 40 combinations pass before one returns.
const DASHES: [&str; 5] = ["", "9 4", "2.5 3.5", "12 3.5 2.5 3.5", "5 3"];

/// The colour of the series with this index.
pub(super) fn colour(index: usize) -> &'static str {
    COLOURS[index % COLOURS.len()]
}

/// The dash pattern of the series with this index; the first is a full line.
pub(super) fn dash(index: usize) -> &'static str {
    DASHES[index % DASHES.len()]
}

/// A dash pattern that is never a full line.
pub(super) fn broken_dash(index: usize) -> &'static str {
    DASHES[1 + (index + DASHES.len() - 2) % (DASHES.len() - 1)]
}

/// The number of series that dashes alone tell apart.
pub(super) const DISTINCT_DASHES: usize = DASHES.len();

/// How a series is drawn, in the plot and in the legend.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Look {
    pub(super) colour: &'static str,
    /// The width of the line, if there is one.
    pub(super) line: Option<f64>,
    /// Empty for a full line.
    pub(super) dash: &'static str,
    pub(super) mark: Mark,
}

/// What sits on the points of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mark {
    Nothing,
    /// A shape of this index and radius.
    Shape(usize, f64),
    /// A filled circle with a number in it.
    Number(usize),
}

impl Look {
    /// Attributes of the line.
    pub(super) fn stroke(&self, width: f64) -> String {
        let colour = self.colour;
        let width = number(width);
        let mut attributes =
            format!("stroke=\"{colour}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"");
        attributes += &match self.dash {
            "" => String::from(" stroke-linecap=\"round\""),
            dash => format!(" stroke-dasharray=\"{dash}\""),
        };
        attributes
    }
}

/// A marker as a closed path around a point.
pub(super) fn marker(index: usize, [x, y]: [f64; 2], radius: f64) -> String {
    let polygon = |corners: &[(f64, f64)]| {
        let mut data = String::new();
        for (corner, (dx, dy)) in corners.iter().enumerate() {
            data.push(if corner == 0 { 'M' } else { ' ' });
            data += &format!("{} {}", number(x + dx * radius), number(y + dy * radius));
        }
        data + "z"
    };
    match index % 6 {
        0 => {
            let (left, y, r) = (number(x - radius), number(y), number(radius));
            let across = number(2.0 * radius);
            format!("M{left} {y}a{r} {r} 0 1 0 {across} 0a{r} {r} 0 1 0 -{across} 0z")
        }
        1 => polygon(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        2 => polygon(&[(0.0, -1.25), (1.15, 0.8), (-1.15, 0.8)]),
        3 => polygon(&[(0.0, -1.35), (1.1, 0.0), (0.0, 1.35), (-1.1, 0.0)]),
        4 => polygon(&[(0.0, 1.25), (1.15, -0.8), (-1.15, -0.8)]),
        _ => {
            let (near, far) = (0.42, 1.2);
            let quadrant = [
                (-near, -far),
                (near, -far),
                (near, -near),
                (far, -near),
                (far, near),
                (near, near),
            ];
            let opposite = quadrant.map(|(dx, dy)| (-dx, -dy));
            polygon(&[quadrant, opposite].concat())
        }
    }
}

/// A colour between dark violet (0) and light green (1), even in lightness, as in the map "viridis".
pub(super) fn ramp(fraction: f64) -> String {
    const ANCHORS: [[f64; 3]; 8] = [
        [68.0, 1.0, 84.0],
        [71.0, 44.0, 122.0],
        [59.0, 81.0, 139.0],
        [44.0, 113.0, 142.0],
        [33.0, 144.0, 141.0],
        [39.0, 173.0, 129.0],
        [92.0, 200.0, 99.0],
        [170.0, 220.0, 50.0],
    ];
    let position = fraction.clamp(0.0, 1.0) * (ANCHORS.len() - 1) as f64;
    let index = (position as usize).min(ANCHORS.len() - 2);
    let share = position - index as f64;
    let [red, green, blue] = [0, 1, 2]
        .map(|channel| ANCHORS[index][channel] * (1.0 - share) + ANCHORS[index + 1][channel] * share)
        .map(|channel| channel.round() as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn forty_line_styles_are_distinct() {
        let styles: BTreeSet<_> = (0..40).map(|index| (colour(index), dash(index))).collect();
        assert_eq!(styles.len(), 40);
        assert!((0..10).all(|index| !broken_dash(index).is_empty()));
    }

    type Matrix = [[f64; 3]; 3];

    /// What is seen without one kind of cones, in linear red, green and blue: Machado, Oliveira & Fernandes (2009),
    /// table 1, severity 1. The first is ordinary vision.
    const VISIONS: [Matrix; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ];

    fn product(matrix: &Matrix, v: [f64; 3]) -> [f64; 3] {
        matrix.map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum())
    }

    /// CIE L*a*b* of a colour as one sees it.
    fn lab(colour: &str, vision: &Matrix) -> [f64; 3] {
        let digits: Vec<u32> = colour.chars().filter_map(|c| c.to_digit(16)).collect();
        let channel = |k: usize| match digits.len() {
            3 => 17 * digits[k],
            _ => 16 * digits[2 * k] + digits[2 * k + 1],
        };
        let linear = [0, 1, 2].map(|k| match f64::from(channel(k)) / 255.0 {
            c if c <= 0.04045 => c / 12.92,
            c => ((c + 0.055) / 1.055).powf(2.4),
        });
        let seen = product(vision, linear).map(|c| c.clamp(0.0, 1.0));
        let xyz = product(
            &[
                [0.4124564, 0.3575761, 0.1804375],
                [0.2126729, 0.7151522, 0.0721750],
                [0.0193339, 0.1191920, 0.9503041],
            ],
            seen,
        );
        let [x, y, z] = [xyz[0] / 0.95047, xyz[1], xyz[2] / 1.08883].map(|t| match t {
            t if t > 0.008856 => t.cbrt(),
            t => 7.787 * t + 16.0 / 116.0,
        });
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// The distance of the two colours that are hardest to tell apart.
    fn nearest(colours: &[&str], vision: &Matrix) -> f64 {
        let seen: Vec<[f64; 3]> = colours.iter().map(|colour| lab(colour, vision)).collect();
        let pairs = seen
            .iter()
            .enumerate()
            .flat_map(|(k, a)| seen[..k].iter().map(move |b| (a, b)));
        let distance = |(a, b): (&[f64; 3], &[f64; 3])| {
            a.iter()
                .zip(b)
                .map(|(a, b)| (a - b) * (a - b))
                .sum::<f64>()
                .sqrt()
        };
        pairs.map(distance).fold(f64::MAX, f64::min)
    }

    #[test]
    fn eight_colours_differ_for_every_eye() {
        // As well as the seven of Okabe and Ito do among themselves, and those by five just noticeable differences.
        for vision in &VISIONS {
            let (ours, theirs) = (nearest(&COLOURS, vision), nearest(&COLOURS[..7], vision));
            assert!(ours >= theirs && ours > 5.0 * 2.3, "{ours} of {theirs}");
        }
        assert_eq!((0..NAMED).map(colour).collect::<BTreeSet<_>>().len(), NAMED);
    }

    #[test]
    fn markers_are_closed_and_distinct() {
        let markers: BTreeSet<_> = (0..6).map(|index| marker(index, [0.0, 0.0], 4.0)).collect();
        assert_eq!(markers.len(), 6);
        assert!(
            markers
                .iter()
                .all(|data| data.starts_with('M') && data.ends_with('z'))
        );
    }

    #[test]
    fn the_ramp_starts_and_ends_at_its_anchors() {
        assert_eq!(ramp(0.0), "#440154");
        assert_eq!(ramp(1.0), "#aadc32");
    }
}

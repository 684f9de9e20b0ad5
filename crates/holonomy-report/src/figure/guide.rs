//! Slopes and levels to compare a series with.

use super::axis::Ruler;
use super::chart::Chart;
use super::obstacles::{Obstacles, Rectangle};
use super::style::{MUTED, SMALL};
use super::svg::{Face, Pen, Svg};
use super::text::width;
use holonomy::math;

/// Something to compare a series with.
#[derive(Clone, Debug, PartialEq)]
pub enum Guide {
    /// A triangle of this slope beside a series, where the series follows the slope. On logarithmic axes the
    /// slope is the exponent of a power law.
    Slope {
        /// Units of the vertical axis per unit of the horizontal axis, or decades if an axis is logarithmic.
        slope: f64,
        /// The index of the series.
        beside: usize,
        /// What is written beside the triangle, such as `slope 2`.
        label: String,
    },
    /// A horizontal line.
    Level {
        /// The ordinate.
        value: f64,
        /// What is written beside the line.
        label: String,
    },
}

/// The most points of a series that are compared with a slope.
const SAMPLES: usize = 500;

/// A guide with its place in a plot.
pub(super) struct Placed {
    outline: Vec<(f64, f64)>,
    closed: bool,
    label: String,
    at: [f64; 2],
    anchor: &'static str,
}

/// The plot that a guide is placed in.
pub(super) struct Ground<'a> {
    pub(super) x: &'a Ruler,
    pub(super) y: &'a Ruler,
    pub(super) size: [f64; 2],
}

/// Finds places for the guides of a chart, and adds them to the obstacles.
pub(super) fn place(chart: &Chart, ground: &Ground, obstacles: &mut Obstacles) -> Vec<Placed> {
    let mut all = Vec::new();
    for guide in &chart.guides {
        let candidates = match guide {
            Guide::Slope { slope, beside, label } => triangles(chart, ground, *slope, *beside, label),
            Guide::Level { value, label } => levels(ground, *value, label),
        };
        let conflicts = |candidate: &Placed| candidate.conflicts(ground, obstacles);
        if let Some(best) = candidates.into_iter().min_by_key(conflicts) {
            obstacles.add_line(&best.outline);
            obstacles.add_rectangle(best.label_area());
            all.push(best);
        }
    }
    all
}

impl Placed {
    pub(super) fn draw(&self, svg: &mut Svg) {
        let mut pen = Pen::default();
        pen.polyline(self.outline.iter().copied());
        let attributes = match self.closed {
            true => {
                format!("fill=\"#f0f0f0\" stroke=\"{MUTED}\" stroke-width=\"1.2\" stroke-linejoin=\"round\"")
            }
            false => format!("stroke=\"{MUTED}\" stroke-width=\"1.4\" stroke-dasharray=\"6 4\""),
        };
        svg.path(pen.data(), &attributes);
        svg.text(
            self.at,
            &self.label,
            Face::new(SMALL).anchored(self.anchor).coloured(MUTED).halo(),
        );
    }

    fn label_area(&self) -> Rectangle {
        let length = width(&self.label, SMALL);
        let left = if self.anchor == "end" {
            self.at[0] - length
        } else {
            self.at[0]
        };
        Rectangle::new([left, self.at[1] - 0.85 * SMALL], [length, 1.1 * SMALL])
    }

    /// How much of the guide lies on other things or outside the plot.
    fn conflicts(&self, ground: &Ground, obstacles: &Obstacles) -> usize {
        let page = Rectangle::new([0.0, 0.0], ground.size);
        let mut areas = vec![self.label_area().grown(2.0); 6];
        if self.closed {
            for pair in self.outline.windows(2) {
                let between = |share: f64| {
                    pair.iter()
                        .zip([1.0 - share, share])
                        .fold([0.0, 0.0], |[x, y], (point, part)| {
                            [x + part * point.0, y + part * point.1]
                        })
                };
                areas.extend([0.0, 0.25, 0.5, 0.75].map(|share| Rectangle::around(between(share), 3.5)));
            }
        }
        areas
            .iter()
            .filter(|area| !area.inside(page) || !obstacles.free(**area))
            .count()
    }
}

/// Triangles at several places along the series, right of it and left of it.
fn triangles(chart: &Chart, ground: &Ground, slope: f64, beside: usize, label: &str) -> Vec<Placed> {
    let [plot_width, plot_height] = ground.size;
    let measured: Vec<(f64, f64)> = chart.series.get(beside).map_or(vec![], |series| {
        let held = |&&(x, y): &&(f64, f64)| chart.x.scale.holds(x) && chart.y.scale.holds(y);
        let stride = series.points.len().div_ceil(SAMPLES).max(1);
        series
            .points
            .iter()
            .step_by(stride)
            .filter(held)
            .map(|&(x, y)| (ground.x.measured(x), ground.y.measured(y)))
            .collect()
    });
    // Most of the points that follow the slope lie on one line; others may be lost in rounding errors.
    let tolerance = 0.03 * ground.y.span();
    let intercepts: Vec<f64> = measured.iter().map(|(x, y)| y - slope * x).collect();
    let near = |intercept: f64| {
        intercepts
            .iter()
            .filter(|other| (*other - intercept).abs() < tolerance)
            .count()
    };
    let Some(intercept) = intercepts
        .iter()
        .copied()
        .max_by_key(|intercept| near(*intercept))
    else {
        return vec![];
    };
    let following = measured
        .iter()
        .filter(|(x, y)| (y - slope * x - intercept).abs() < tolerance)
        .map(|(x, _)| *x);
    let (first, last) = following.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));

    // Pixels down per pixel to the right, along the series.
    let descent = -slope * (plot_height / ground.y.span()) / (plot_width / ground.x.span());
    let base = 58f64.min(78.0 / descent.abs().max(1e-9));
    let triangle = |share: f64, right: bool| {
        let x = first + share * (last - first);
        let middle = (
            ground.x.fraction(x) * plot_width,
            (1.0 - ground.y.fraction(slope * x + intercept)) * plot_height,
        );
        let norm = math::hypot(descent, 1.0);
        let side = if right == (descent <= 0.0) {
            15.0 / norm
        } else {
            -15.0 / norm
        };
        let centre = (middle.0 - side * descent, middle.1 + side);
        let from = (centre.0 - 0.5 * base, centre.1 - 0.5 * base * descent);
        let to = (centre.0 + 0.5 * base, centre.1 + 0.5 * base * descent);
        let corner = if right { (to.0, from.1) } else { (from.0, to.1) };
        let (edge, anchor) = if right {
            (corner.0 + 7.0, "start")
        } else {
            (corner.0 - 7.0, "end")
        };
        let at = [edge, 0.5 * (from.1 + to.1) + 0.35 * SMALL];
        Placed {
            outline: vec![from, to, corner, from],
            closed: true,
            label: label.into(),
            at,
            anchor,
        }
    };
    let shares = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9];
    [true, false]
        .into_iter()
        .flat_map(|right| shares.map(|share| triangle(share, right)))
        .collect()
}

/// The line with its label at either end, above or below.
fn levels(ground: &Ground, value: f64, label: &str) -> Vec<Placed> {
    let Some(fraction) = ground.y.place(value) else {
        return vec![];
    };
    let [plot_width, plot_height] = ground.size;
    let y = (1.0 - fraction) * plot_height;
    let places = [
        (plot_width - 6.0, -6.0, "end"),
        (6.0, -6.0, "start"),
        (plot_width - 6.0, 17.0, "end"),
        (6.0, 17.0, "start"),
    ];
    let placed = |(x, dy, anchor): (f64, f64, &'static str)| Placed {
        outline: vec![(0.0, y), (plot_width, y)],
        closed: false,
        label: label.into(),
        at: [x, y + dy],
        anchor,
    };
    places.map(placed).into()
}

//! A number over two axes of a grid, as colours.

use super::style::{BASE, INK, MARGIN, MUTED, PAGE, SMALL, TITLE};
use super::svg::{Face, Svg};
use crate::number::{decimal, rough};
use holonomy::math;

/// A value for each point of a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    /// The heading.
    pub title: String,
    /// What stands along the bottom, and its values from left to right.
    pub across: (String, Vec<f64>),
    /// What stands along the left, and its values from the bottom up.
    pub upwards: (String, Vec<f64>),
    /// Rows from the bottom up, each from left to right; nothing where there is no value.
    pub values: Vec<Vec<Option<f64>>>,
    /// Whether colours follow the logarithm.
    pub logarithmic: bool,
}

/// Cividis (Nuñez, Anderton & Renslow 2018): rising lightness, for every eye.
const COLOURS: [[f64; 3]; 5] = [
    [0.0, 34.0, 78.0],
    [65.0, 77.0, 107.0],
    [124.0, 123.0, 120.0],
    [188.0, 175.0, 111.0],
    [254.0, 232.0, 56.0],
];
/// Where there is no value.
const MISSING: &str = "#e8e8e8";
const LEFT: f64 = 96.0;
const TOP: f64 = 64.0;
const BOTTOM: f64 = 64.0;
const HEIGHT: f64 = 380.0;
/// The colour bar and its numbers.
const BAR: f64 = 22.0;
const RIGHT: f64 = 130.0;
/// Numbers along an axis at most.
const TICKS: usize = 7;

impl HeatMap {
    /// The map as SVG text.
    pub fn render(&self) -> String {
        let mut svg = Svg::default();
        let width = PAGE - LEFT - RIGHT - MARGIN;
        svg.text([MARGIN, 32.0], &self.title, Face::new(TITLE).bold());
        let (columns, rows) = (self.across.1.len().max(1), self.upwards.1.len().max(1));
        let cell = [width / columns as f64, HEIGHT / rows as f64];
        let range = self.range();
        for (j, row) in self.values.iter().enumerate() {
            for (i, value) in row.iter().enumerate() {
                let fill = match (value.and_then(|value| self.height(value)), range) {
                    (Some(value), Some((least, most))) => colour(share(value, least, most)),
                    _ => MISSING.to_owned(),
                };
                let place = [LEFT + i as f64 * cell[0], TOP + HEIGHT - (j + 1) as f64 * cell[1]];
                // A hair wider than the cell, so that no gap shows between two.
                svg.rectangle(place, [cell[0] + 0.3, cell[1] + 0.3], &format!("fill=\"{fill}\""));
            }
        }
        svg.rectangle(
            [LEFT, TOP],
            [width, HEIGHT],
            &format!("stroke=\"{INK}\" stroke-width=\"1\""),
        );
        let small = Face::new(SMALL).coloured(MUTED);
        for i in ticks(columns) {
            let x = LEFT + (i as f64 + 0.5) * cell[0];
            let text = shown(self.across.1.get(i));
            svg.text([x, TOP + HEIGHT + 22.0], &text, small.anchored("middle"));
        }
        for j in ticks(rows) {
            let y = TOP + HEIGHT - (j as f64 + 0.5) * cell[1] + 5.0;
            let text = shown(self.upwards.1.get(j));
            svg.text([LEFT - 8.0, y], &text, small.anchored("end"));
        }
        let label = Face::new(BASE).anchored("middle");
        svg.text([LEFT + 0.5 * width, TOP + HEIGHT + 48.0], &self.across.0, label);
        svg.upward_text([MARGIN, TOP + 0.5 * HEIGHT], &self.upwards.0, label);
        self.bar(&mut svg, LEFT + width + 24.0, range);
        let description = format!("{} over {} and {}", self.title, self.across.0, self.upwards.0);
        svg.document([PAGE, TOP + HEIGHT + BOTTOM], &self.title, &description)
    }

    fn bar(&self, svg: &mut Svg, x: f64, range: Option<(f64, f64)>) {
        let Some((least, most)) = range else { return };
        const PARTS: usize = 64;
        let part = HEIGHT / PARTS as f64;
        for k in 0..PARTS {
            let fill = colour((k as f64 + 0.5) / PARTS as f64);
            let y = TOP + HEIGHT - (k + 1) as f64 * part;
            svg.rectangle([x, y], [BAR, part + 0.3], &format!("fill=\"{fill}\""));
        }
        for k in 0..=4 {
            let part = f64::from(k) / 4.0;
            let value = least + part * (most - least);
            let value = if self.logarithmic {
                math::powf(10.0, value)
            } else {
                value
            };
            let y = TOP + HEIGHT * (1.0 - part) + 5.0;
            svg.text(
                [x + BAR + 8.0, y],
                &rough(value),
                Face::new(SMALL).coloured(MUTED),
            );
        }
    }

    /// A value as colours follow it.
    fn height(&self, value: f64) -> Option<f64> {
        let height = if self.logarithmic {
            math::log10(value)
        } else {
            value
        };
        height.is_finite().then_some(height)
    }

    fn range(&self) -> Option<(f64, f64)> {
        let all = self.values.iter().flatten().flatten();
        let heights = all.filter_map(|value| self.height(*value));
        heights.fold(None, |range, height| {
            let (least, most) = range.unwrap_or((height, height));
            Some((least.min(height), most.max(height)))
        })
    }
}

fn share(value: f64, least: f64, most: f64) -> f64 {
    if most > least {
        (value - least) / (most - least)
    } else {
        0.5
    }
}

fn colour(share: f64) -> String {
    let at = share.clamp(0.0, 1.0) * (COLOURS.len() - 1) as f64;
    let below = (at as usize).min(COLOURS.len() - 2);
    let part = at - below as f64;
    let [r, g, b] = std::array::from_fn(|k| {
        (COLOURS[below][k] + part * (COLOURS[below + 1][k] - COLOURS[below][k])).round() as u8
    });
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Places that get a number: all, or some evenly spaced ones with both ends.
fn ticks(count: usize) -> Vec<usize> {
    if count <= TICKS {
        return (0..count).collect();
    }
    let last = count - 1;
    (0..TICKS)
        .map(|k| (k * last + (TICKS - 1) / 2) / (TICKS - 1))
        .collect()
}

fn shown(value: Option<&f64>) -> String {
    value.map_or_else(String::new, |value| {
        let rounded = format!("{value:.3e}").parse().unwrap_or(*value);
        decimal(rounded)
    })
}

//! A number over two axes of a grid, as colours.

use super::axis::{Extent, Ruler, Scale};
use super::style::{BASE, INK, MARGIN, MUTED, PAGE, SMALL, TITLE};
use super::svg::{Face, Svg};
use super::ticks::{Decades, Steps};
use crate::number::short;
use holonomy::math;
use std::fmt::Write;

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
/// Colours that are told apart.
const SHADES: usize = 96;
/// Where there is no value.
const MISSING: &str = "#e8e8e8";
const LEFT: f64 = 112.0;
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
        let ruler = self.ruler();
        svg.rectangle([LEFT, TOP], [width, HEIGHT], &format!("fill=\"{MISSING}\""));
        // In units of cells, rows from the top.
        svg.element(&format!(
            "<g transform=\"translate({LEFT} {TOP})scale({} {})\" class=\"scale\" shape-rendering=\"crispEdges\">",
            cell[0], cell[1]
        ));
        for (shade, data) in self.shades(rows, ruler.as_ref()).iter().enumerate() {
            let colour = colour((shade as f64 + 0.5) / SHADES as f64);
            svg.path(data, &format!("fill=\"{colour}\""));
        }
        svg.end_group();
        svg.rectangle(
            [LEFT, TOP],
            [width, HEIGHT],
            &format!("stroke=\"{INK}\" stroke-width=\"1\""),
        );
        let small = Face::new(SMALL).coloured(MUTED);
        let (ticks, factor) = ticks(&self.across.1);
        for (at, text) in ticks {
            let x = LEFT + at * cell[0];
            svg.line(
                [x, TOP + HEIGHT],
                [x, TOP + HEIGHT + 5.0],
                &format!("stroke=\"{INK}\""),
            );
            svg.text([x, TOP + HEIGHT + 22.0], &text, small.anchored("middle"));
        }
        let label = Face::new(BASE).anchored("middle");
        let text = format!("{}{factor}", self.across.0);
        svg.text([LEFT + 0.5 * width, TOP + HEIGHT + 48.0], &text, label);
        let (ticks, factor) = self::ticks(&self.upwards.1);
        for (at, text) in ticks {
            let y = TOP + HEIGHT - at * cell[1];
            svg.line([LEFT - 5.0, y], [LEFT, y], &format!("stroke=\"{INK}\""));
            svg.text([LEFT - 10.0, y + 5.0], &text, small.anchored("end"));
        }
        let text = format!("{}{factor}", self.upwards.0);
        svg.upward_text([MARGIN + 8.0, TOP + 0.5 * HEIGHT], &text, label);
        if let Some(ruler) = &ruler {
            bar(&mut svg, LEFT + width + 24.0, ruler);
        }
        let description = format!("{} over {} and {}", self.title, self.across.0, self.upwards.0);
        svg.document([PAGE, TOP + HEIGHT + BOTTOM], &self.title, &description)
    }

    /// For each shade the cells that have it: those beside each other are one rectangle.
    fn shades(&self, rows: usize, ruler: Option<&Ruler>) -> Vec<String> {
        let mut shades = vec![String::new(); SHADES];
        for (j, row) in self.values.iter().enumerate() {
            let y = rows.saturating_sub(j + 1);
            let shade = |i: usize| {
                row.get(i)
                    .copied()
                    .flatten()
                    .and_then(|value| shade(value, ruler?))
            };
            let mut first = 0;
            while first < row.len() {
                let own = shade(first);
                let length = (first..row.len()).take_while(|i| shade(*i) == own).count();
                if let Some(own) = own {
                    let _ = write!(shades[own], "M{first} {y}h{length}v1h-{length}z");
                }
                first += length;
            }
        }
        shades
    }

    /// What colours measure: all values that there are.
    fn ruler(&self) -> Option<Ruler> {
        let scale = match self.logarithmic {
            true => Scale::Log,
            false => Scale::Linear,
        };
        let values = || self.values.iter().flatten().flatten().copied();
        let extent = values()
            .filter(|value| scale.holds(*value))
            .fold(None, Extent::joined);
        // Where all errors are zero there is nothing to take the logarithm of.
        let (scale, extent) = match (extent, values().next()) {
            (Some(extent), _) => (scale, extent),
            (None, Some(_)) => (Scale::Linear, Extent { low: 0.0, high: 0.0 }),
            (None, None) => return None,
        };
        Some(Ruler::new(scale, extent, 0.0, 5))
    }
}

/// The shade of a value; a zero that has no logarithm has the lowest.
fn shade(value: f64, ruler: &Ruler) -> Option<usize> {
    let place = ruler.place(value).or((value == 0.0).then_some(0.0))?;
    Some(((place * SHADES as f64) as usize).min(SHADES - 1))
}

fn bar(svg: &mut Svg, x: f64, ruler: &Ruler) {
    let part = HEIGHT / SHADES as f64;
    svg.element("<g class=\"scale\" shape-rendering=\"crispEdges\">");
    for k in 0..SHADES {
        let fill = colour((k as f64 + 0.5) / SHADES as f64);
        let y = TOP + HEIGHT - (k + 1) as f64 * part;
        // A hair taller than its part, so that no gap shows between two.
        svg.rectangle([x, y], [BAR, part + 0.3], &format!("fill=\"{fill}\""));
    }
    svg.end_group();
    let small = Face::new(SMALL).coloured(MUTED);
    for tick in &ruler.ticks {
        let y = TOP + HEIGHT * (1.0 - tick.at);
        let right = x + BAR;
        svg.line([right, y], [right + 5.0, y], &format!("stroke=\"{INK}\""));
        svg.text([right + 10.0, y + 5.0], &tick.label, small);
    }
    if let Some(note) = &ruler.note {
        svg.text([PAGE - MARGIN, TOP - 12.0], note, small.anchored("end"));
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

/// Where numbers stand along an axis, in cells, and a power of ten that they leave out: round ones where values are
/// evenly spaced, or their logarithms are, and else those of some cells.
fn ticks(values: &[f64]) -> (Vec<(f64, String)>, String) {
    let count = values.len();
    if count <= TICKS {
        return (at_cells(values, (0..count).collect()), String::new());
    }
    let (first, last) = (values[0], values[count - 1]);
    let at = |value: f64, first: f64, last: f64| (value - first) / (last - first) * (count - 1) as f64 + 0.5;
    if is_even(values.iter().copied()) {
        let (low, high) = (first.min(last), first.max(last));
        let (found, factor) = Steps::over(low, high, TICKS + 1).labelled(low, high);
        let placed = found
            .into_iter()
            .map(|(value, text)| (at(value, first, last), text));
        let factor = factor.map_or_else(String::new, |factor| format!(" ×{factor}"));
        return (placed.collect(), factor);
    }
    if values.iter().all(|value| *value > 0.0) && is_even(values.iter().map(|value| math::log10(*value))) {
        let (first, last) = (math::log10(first), math::log10(last));
        let (low, high) = (first.min(last), first.max(last));
        let decades = Decades {
            first: low.ceil() as i32,
            last: high.floor() as i32,
        };
        let (found, _) = decades.ticks(low, high, TICKS);
        if found.len() > 1 {
            let placed = found
                .into_iter()
                .map(|(value, text)| (at(value, first, last), text));
            return (placed.collect(), String::new());
        }
    }
    let last = count - 1;
    let some = (0..TICKS).map(|k| (k * last + (TICKS - 1) / 2) / (TICKS - 1));
    (at_cells(values, some.collect()), String::new())
}

fn at_cells(values: &[f64], cells: Vec<usize>) -> Vec<(f64, String)> {
    let placed = cells
        .into_iter()
        .map(|cell| (cell as f64 + 0.5, short(values[cell])));
    placed.collect()
}

/// Whether all differences are the same, but for rounding.
pub(crate) fn is_even(values: impl Iterator<Item = f64> + Clone) -> bool {
    let mut differences = values.clone().zip(values.skip(1)).map(|(one, next)| next - one);
    let Some(first) = differences.next() else {
        return false;
    };
    first != 0.0 && differences.all(|difference| (difference - first).abs() <= 1e-6 * first.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(values: &[f64]) -> Vec<String> {
        ticks(values).0.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn numbers_along_an_axis_are_round() {
        let even: Vec<f64> = (0..200).map(|k| -180.0 + 360.0 * f64::from(k) / 199.0).collect();
        assert_eq!(labels(&even), ["−150", "−100", "−50", "0", "50", "100", "150"]);
        let decades: Vec<f64> = (0..16)
            .map(|k| math::powf(10.0, -4.0 + 0.2 * f64::from(k)))
            .collect();
        assert_eq!(labels(&decades), ["10⁻⁴", "10⁻³", "10⁻²", "10⁻¹"]);
        assert_eq!(labels(&[0.1 + 0.2, 1.0, 5.0]), ["0.3", "1", "5"]);
        // The first and the last value stand in the middles of their cells.
        let places: Vec<f64> = ticks(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])
            .0
            .into_iter()
            .map(|(at, _)| at)
            .collect();
        assert_eq!((places[0], places[8]), (0.5, 8.5));
    }

    #[test]
    fn a_large_map_is_a_small_file() {
        let values: Vec<f64> = (0..500).map(f64::from).collect();
        let wave = |i: usize, j: usize| math::sin(0.03 * i as f64) * math::cos(0.05 * j as f64);
        let map = HeatMap {
            title: "wave".into(),
            across: ("x".into(), values.clone()),
            upwards: ("y".into(), values),
            values: (0..500)
                .map(|j| (0..500).map(|i| Some(wave(i, j))).collect())
                .collect(),
            logarithmic: false,
        };
        assert!(map.render().len() < 4_000_000, "{}", map.render().len());
        // Nothing but zeros, and nothing at all.
        for value in [Some(0.0), None] {
            let map = HeatMap {
                values: vec![vec![value; 2]; 2],
                across: ("x".into(), vec![0.0, 1.0]),
                upwards: ("y".into(), vec![0.0, 1.0]),
                logarithmic: true,
                title: String::new(),
            };
            assert!(!map.render().contains("NaN"));
        }
    }
}

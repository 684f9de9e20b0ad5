//! Names of many curves, each beside the end of its own.

use super::chart::Chart;
use super::curve::DrawnCurve;
use super::style::{Look, NAMED, SMALL, marker};
use super::svg::{Face, Pen, Svg};
use super::text::{shorten, width};

/// From the frame to the names, with a bend on the way.
const LEADER: f64 = 26.0;
/// The distance of two names, one below the other.
const ROW: f64 = 1.25 * SMALL;
/// The longest name.
const LONGEST: f64 = 190.0;

/// Names in a column right of the frame.
pub(super) struct Labels {
    entries: Vec<Label>,
    /// The width of the frame.
    edge: f64,
}

struct Label {
    look: Look,
    name: String,
    end: (f64, f64),
    /// The middle of the name.
    y: f64,
}

/// The room that the names of a chart take right of its frame.
pub(super) fn room(chart: &Chart) -> f64 {
    if chart.series.len() <= NAMED {
        return 0.0;
    }
    // A name that comes twice gets a number.
    let names = chart
        .series
        .iter()
        .map(|series| width(&series.name, SMALL) + 30.0);
    LEADER + names.fold(0.0, f64::max).min(LONGEST)
}

/// The height that a frame of the chart needs for them.
pub(super) fn height(chart: &Chart) -> f64 {
    match chart.series.len() {
        ..=NAMED => 0.0,
        count => count as f64 * ROW,
    }
}

impl Labels {
    pub(super) fn new(curves: &[DrawnCurve], names: Vec<String>, [edge, height]: [f64; 2]) -> Self {
        let entry = |(curve, name): (&DrawnCurve, String)| {
            let end = curve.end()?;
            Some(Label {
                look: curve.look.clone(),
                name: shorten(&name, SMALL, LONGEST),
                end,
                y: end.1,
            })
        };
        let mut entries: Vec<Label> = curves.iter().zip(names).filter_map(entry).collect();
        entries.sort_by(|a, b| a.end.1.total_cmp(&b.end.1));
        // Down as far as the one above asks for, and up again as far as the frame does.
        let mut free = 0.5 * ROW;
        for entry in &mut entries {
            entry.y = entry.y.max(free);
            free = entry.y + ROW;
        }
        let mut free = height - 0.5 * ROW;
        for entry in entries.iter_mut().rev() {
            entry.y = entry.y.min(free);
            free = entry.y - ROW;
        }
        Self { entries, edge }
    }

    pub(super) fn draw(&self, svg: &mut Svg) {
        for Label { look, name, end, y } in &self.entries {
            let mut pen = Pen::default();
            let (near, far) = (self.edge + 5.0, self.edge + LEADER - 8.0);
            pen.polyline([*end, (near, end.1), (far, *y)]);
            let colour = look.colour;
            svg.path(pen.data(), &format!("stroke=\"{colour}\" stroke-width=\"1\""));
            let mark = marker(0, [end.0, end.1], 3.0);
            svg.path(&mark, &format!("fill=\"{colour}\" stroke=\"#fff\""));
            svg.text(
                [self.edge + LEADER - 4.0, y + 0.35 * SMALL],
                name,
                Face::new(SMALL),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::well_formed::assert_well_formed;
    use super::super::{Axis, Curve, CurveStyle, Panels};
    use super::*;

    fn chart(count: usize) -> Chart {
        let curve = |k: usize| Curve {
            name: format!("curve {k}"),
            // Half of them end at the same place.
            points: (0..50)
                .map(|i| (f64::from(i), (k / 2) as f64 + 0.1 * f64::from(i)))
                .collect(),
            style: CurveStyle::Line,
        };
        Chart {
            title: String::new(),
            x: Axis::time(),
            y: Axis::linear("y"),
            series: (0..count).map(curve).collect(),
            guides: vec![],
        }
    }

    /// The places of the names in the text of a figure.
    fn places(text: &str) -> Vec<(f64, f64)> {
        let attribute = |line: &str, name: &str| -> f64 {
            let (_, rest) = line.split_once(&format!(" {name}=\"")).expect("an attribute");
            rest.split_once('"')
                .and_then(|(number, _)| number.parse().ok())
                .expect("a number")
        };
        let named = text.lines().filter(|line| line.contains(">curve "));
        named
            .map(|line| (attribute(line, "x"), attribute(line, "y")))
            .collect()
    }

    #[test]
    fn more_than_eight_curves_have_their_names_beside_them() {
        let render = |count: usize| {
            let panels = Panels {
                title: String::new(),
                subtitle: None,
                caption: None,
                charts: vec![chart(count)],
            };
            let text = panels.render_with(100.0);
            assert_well_formed(&text);
            places(&text)
        };
        let legend = render(8);
        assert_eq!(legend.len(), 8);
        let column = render(14);
        assert_eq!(column.len(), 14);
        // In one column, and none on another.
        assert!(column.iter().all(|place| place.0 == column[0].0));
        let mut heights: Vec<f64> = column.iter().map(|place| place.1).collect();
        heights.sort_by(f64::total_cmp);
        assert!(
            heights.windows(2).all(|pair| pair[1] - pair[0] >= SMALL),
            "{heights:?}"
        );
    }
}

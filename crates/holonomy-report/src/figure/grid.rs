//! Charts beside and below each other, each with axes of its own.

use super::axis::Ruler;
use super::chart::{Chart, CurveStyle};
use super::labels;
use super::panels::{Heading, horizontal_ruler, note, vertical_ruler};
use super::plot::Plot;
use super::style::{BASE, LEADING, MARGIN, MUTED, PAGE, SMALL};
use super::svg::{Clock, Face, Svg};
use super::text::{shorten, width};

/// Charts in two columns, or one chart alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// The heading; empty for none.
    pub title: String,
    /// A line below the title.
    pub subtitle: Option<String>,
    /// A line below everything.
    pub caption: Option<String>,
    /// The charts, line by line. Their own titles are not shown.
    pub charts: Vec<Chart>,
    /// Whether a unit is as long upwards as sideways.
    pub equal: bool,
}

/// A chart in its cell.
struct GridCell<'a> {
    chart: &'a Chart,
    x: Option<Ruler>,
    y: Option<Ruler>,
    plot: Plot,
    size: [f64; 2],
    left: f64,
}

impl Grid {
    /// The charts as SVG text.
    pub fn render(&self) -> String {
        const GUTTER: f64 = 20.0;
        let heading = Heading {
            title: &self.title,
            subtitle: self.subtitle.as_deref(),
            caption: self.caption.as_deref(),
        };
        let mut svg = Svg::default();
        let mut bottom = heading.draw(&mut svg) + 12.0;
        let columns = if self.charts.len() > 1 { 2 } else { 1 };
        let room = (PAGE - 2.0 * MARGIN - GUTTER * (columns - 1) as f64) / columns as f64;
        let cells = self.charts.iter().map(|chart| self.cell(chart, room, columns));
        let mut cells: Vec<GridCell> = cells.collect();
        if self.is_of_the_same() {
            let legends = cells.iter_mut().map(|cell| cell.plot.take_legend());
            if let Some(legend) = legends.collect::<Vec<_>>().into_iter().flatten().next() {
                let legend = legend.spread(PAGE - 2.0 * MARGIN);
                legend.draw(&mut svg, [MARGIN, bottom]);
                bottom += legend.size[1] + 10.0;
            }
        }
        for cells in cells.chunks(columns) {
            let above = cells.iter().map(GridCell::above).fold(0.0, f64::max);
            let height = cells.iter().map(|cell| cell.size[1]).fold(0.0, f64::max);
            for (column, cell) in cells.iter().enumerate() {
                let spare = room - cell.left - cell.size[0] - END;
                let start =
                    MARGIN + column as f64 * (room + GUTTER) + if columns == 1 { 0.5 * spare } else { 0.0 };
                cell.draw(&mut svg, [start + cell.left, bottom + above]);
            }
            bottom += above + height + 14.0 + SMALL + 1.2 * BASE * LEADING + BETWEEN;
        }
        let page = heading.draw_caption(&mut svg, bottom - 0.2 * BASE * LEADING - BETWEEN);
        svg.document(
            [PAGE, page],
            heading.title,
            &super::panels::description(&self.charts),
        )
    }

    /// Whether all charts show the same things, so that one legend is enough.
    fn is_of_the_same(&self) -> bool {
        let curves = |chart: &Chart| -> Vec<(String, CurveStyle)> {
            let series = chart.series.iter();
            series.map(|curve| (curve.name.clone(), curve.style)).collect()
        };
        let first = self.charts.first().map(curves);
        self.equal && self.charts.len() > 1 && self.charts.iter().all(|chart| Some(curves(chart)) == first)
    }

    fn cell<'a>(&self, chart: &'a Chart, room: f64, columns: usize) -> GridCell<'a> {
        const TALLEST: f64 = 620.0;
        let mut height: f64 = if columns == 1 { 420.0 } else { 270.0 };
        height = height.max(labels::height(chart));
        let left_of = |y: &Option<Ruler>| {
            let ticks = y.iter().flat_map(|ruler| &ruler.ticks);
            let widest = ticks.map(|tick| width(&tick.label, SMALL)).fold(0.0, f64::max);
            BASE * LEADING + widest + 14.0
        };
        let (mut seen, mut risen) = (chart.seen_across(), chart.seen_upwards());
        if let (true, Some(wide), Some(high)) = (self.equal, seen, risen) {
            // Enough of the shorter way that the frame need not be stretched.
            seen = Some(wide.at_least(NARROWEST * high.range()));
            risen = Some(high.at_least(NARROWEST * wide.range()));
        }
        let upwards = |height: f64| Some(vertical_ruler(chart, risen?, height));
        let sideways = |width: f64| {
            Some(horizontal_ruler(
                &chart.x,
                std::slice::from_ref(chart),
                seen?,
                width,
            ))
        };
        let mut y = upwards(height);
        let left = left_of(&y);
        let room = room - labels::room(chart);
        let mut across = room - left - END;
        let mut x = sideways(across);
        if let (true, Some(wide), Some(high)) = (self.equal, &x, &y) {
            let ratio = high.span() / wide.span();
            height = across * ratio;
            if height > TALLEST {
                (across, height) = ((TALLEST / ratio).max(LEAST), TALLEST);
            }
            height = height.max(LEAST);
            // More or fewer ticks can move the ends; what follows is as long as the data ask for.
            y = upwards(height);
            x = sideways(across);
            if let (Some(wide), Some(high)) = (&x, &y) {
                let ratio = high.span() / wide.span();
                if height >= TALLEST {
                    across = (height / ratio).clamp(LEAST, room - left - END);
                } else {
                    height = (across * ratio).clamp(LEAST, TALLEST);
                }
            }
        }
        let size = [across, height];
        GridCell {
            chart,
            plot: Plot::new(chart, x.as_ref(), y.as_ref(), size, self.equal),
            left: left_of(&y),
            x,
            y,
            size,
        }
    }
}

/// Room between two lines of charts.
const BETWEEN: f64 = 12.0;
/// Room at the right of a frame, for half a label.
const END: f64 = 14.0;
/// The shorter side of a frame with equal axes, as a fraction of the longer one.
const NARROWEST: f64 = 0.4;
/// The least side of a frame.
const LEAST: f64 = 120.0;

impl GridCell<'_> {
    fn note(&self) -> String {
        note(self.chart, self.y.as_ref())
    }

    /// Room above the frame for its note.
    fn noted(&self) -> f64 {
        match self.note().is_empty() {
            true => 0.0,
            false => SMALL * LEADING,
        }
    }

    /// Room above the frame.
    fn above(&self) -> f64 {
        self.noted() + self.plot.legend_height() + 6.0
    }

    fn draw(&self, svg: &mut Svg, [left, top]: [f64; 2]) {
        let Self {
            chart, plot, size, ..
        } = self;
        let clock = self.x.as_ref().filter(|_| chart.x.time).map(|ruler| Clock {
            time: ruler.ends(),
            x: [0.0, size[0]],
            y: [0.0, size[1]],
        });
        svg.clock_group(left, top, clock.as_ref());
        plot.draw(svg, true, -self.noted());
        svg.text([0.0, -8.0], &self.note(), Face::new(SMALL).coloured(MUTED));
        let name = shorten(&chart.y.label, BASE, size[1]);
        svg.upward_text(
            [-self.left + 0.85 * BASE, 0.5 * size[1]],
            &name,
            Face::new(BASE).anchored("middle"),
        );
        let below = size[1] + 14.0 + SMALL + BASE * LEADING;
        let factor = self.x.as_ref().and_then(|ruler| ruler.note.clone());
        let label = match factor {
            Some(factor) => format!("{}, {factor}", chart.x.label),
            None => chart.x.label.clone(),
        };
        svg.text(
            [0.5 * size[0], below],
            &shorten(&label, BASE, size[0]),
            Face::new(BASE).anchored("middle"),
        );
        svg.end_group();
    }
}

#[cfg(test)]
mod tests {
    use super::super::well_formed::assert_well_formed;
    use super::super::{Axis, Curve, CurveStyle};
    use super::*;

    fn chart(name: &str, points: Vec<(f64, f64)>) -> Chart {
        Chart {
            title: String::new(),
            x: Axis::linear(name),
            y: Axis::linear(format!("{name}'")),
            series: vec![Curve {
                name: name.into(),
                points,
                style: CurveStyle::Line,
            }],
            guides: vec![],
        }
    }

    fn grid(charts: Vec<Chart>, equal: bool) -> String {
        let text = Grid {
            title: "All".into(),
            subtitle: None,
            caption: Some("below".into()),
            charts,
            equal,
        }
        .render();
        assert_well_formed(&text);
        text
    }

    #[test]
    fn every_chart_has_axes_of_its_own() {
        let circle: Vec<(f64, f64)> = (0..100).map(|i| (0.1 * f64::from(i)).sin_cos()).collect();
        let text = grid(
            vec![chart("a", circle.clone()), chart("b", circle), chart("c", vec![])],
            false,
        );
        for name in ["a", "b", "c"] {
            assert_eq!(text.matches(&format!(">{name}<")).count(), 1, "{name}");
        }
        assert_eq!(text.matches(">no data<").count(), 1);
    }

    /// How much its axes measure.
    fn spans(cell: &GridCell) -> [f64; 2] {
        [&cell.x, &cell.y].map(|ruler| ruler.as_ref().map_or(f64::NAN, Ruler::span))
    }

    #[test]
    fn a_unit_is_as_long_upwards_as_sideways() {
        for (wide, high) in [(1.0, 1.0), (1.0, 1e-3), (1e-16, 1.0), (3.0, 700.0)] {
            let points = (0..50).map(|i| (wide * f64::from(i), high * f64::from(i).sqrt()));
            let mut chart = chart("x", points.collect());
            chart.x = chart.x.of_size(50.0);
            chart.y = chart.y.of_size(50.0);
            let grid = Grid {
                title: String::new(),
                subtitle: None,
                caption: None,
                charts: vec![],
                equal: true,
            };
            for columns in [1, 2] {
                let cell = grid.cell(&chart, 420.0, columns);
                let [x, y] = spans(&cell);
                let ratio = (cell.size[0] / x) / (cell.size[1] / y);
                assert!((ratio - 1.0).abs() < 1e-9, "{wide} by {high}: {ratio}");
            }
        }
    }

    #[test]
    fn charts_of_the_same_curves_share_one_legend() {
        let circle: Vec<(f64, f64)> = (0..100).map(|i| (0.1 * f64::from(i)).sin_cos()).collect();
        let mut both = chart("a", circle.clone());
        both.series.push(Curve {
            name: "arm".into(),
            points: circle,
            style: CurveStyle::Rods,
        });
        let text = grid(vec![both.clone(), both.clone(), both], true);
        assert_eq!(text.matches(">arm<").count(), 1);
    }

    #[test]
    fn equal_axes_suit_long_and_tall_paths() {
        for (wide, high) in [(1.0, 1.0), (1.0, 1e-9), (1e-9, 1.0), (3.0, 700.0), (0.0, 0.0)] {
            let points = (0..50).map(|i| (wide * f64::from(i), high * f64::from(i).sqrt()));
            grid(vec![chart("x", points.collect())], true);
        }
    }
}

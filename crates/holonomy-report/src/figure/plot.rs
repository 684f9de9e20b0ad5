//! One plotting area, with its own origin at the top left corner of the frame.

use super::axis::{Ruler, Scale};
use super::chart::Chart;
use super::curve::{self, DrawnCurve};
use super::guide::{self, Ground};
use super::labels::Labels;
use super::legend::{Legend, distinct};
use super::obstacles::{Obstacles, Rectangle};
use super::style::{BASE, GRID, INK, Look, MUTED, NAMED, SMALL};
use super::svg::{Face, Pen, Svg};

/// A chart made ready for drawing.
pub(super) struct Plot {
    size: [f64; 2],
    x: Option<Ruler>,
    y: Option<Ruler>,
    curves: Vec<DrawnCurve>,
    guides: Vec<guide::Placed>,
    legend: Option<(Legend, Option<[f64; 2]>)>,
    labels: Option<Labels>,
}

impl Plot {
    /// The plot of a chart in a frame of this size; of `paths` in the plane, where a unit is as long upwards as sideways.
    pub(super) fn new(
        chart: &Chart,
        x: Option<&Ruler>,
        y: Option<&Ruler>,
        size: [f64; 2],
        paths: bool,
    ) -> Self {
        let mut plot = Self {
            size,
            x: x.cloned(),
            y: y.cloned(),
            curves: vec![],
            guides: vec![],
            legend: None,
            labels: None,
        };
        let (Some(x), Some(y)) = (x, y) else { return plot };
        let place = |&(a, b): &(f64, f64)| {
            let edge = (chart.y.scale == Scale::Log && b == 0.0).then_some(0.0);
            Some((x.place(a)? * size[0], (1.0 - y.place(b).or(edge)?) * size[1]))
        };
        let placed = chart
            .series
            .iter()
            .map(|series| (series.style, series.points.iter().map(place)));
        plot.curves = curve::all(placed, size[0], paths);
        let mut obstacles = Obstacles::default();
        plot.curves
            .iter()
            .for_each(|curve| curve.obstruct(&mut obstacles));
        plot.guides = guide::place(chart, &Ground { x, y, size }, &mut obstacles);
        let names = distinct(chart.series.iter().map(|series| series.name.as_str()));
        match names.len() {
            0 | 1 => {}
            2..=NAMED => {
                let looks = plot.curves.iter().map(|curve| curve.look.clone());
                plot.legend = Some(place_legend(looks.zip(names).collect(), size, &obstacles));
            }
            _ => plot.labels = Some(Labels::new(&plot.curves, names, size)),
        }
        plot
    }

    /// Takes the legend away, to be drawn elsewhere.
    pub(super) fn take_legend(&mut self) -> Option<Legend> {
        self.legend.take().map(|(legend, _)| legend)
    }

    /// The height that a legend needs above the frame.
    pub(super) fn legend_height(&self) -> f64 {
        match &self.legend {
            Some((legend, None)) => legend.size[1] + 8.0,
            _ => 0.0,
        }
    }

    /// Draws the frame, and the labels of the horizontal axis if wanted. A legend outside the frame ends at
    /// `above`.
    pub(super) fn draw(&self, svg: &mut Svg, labelled: bool, above: f64) {
        self.draw_frame(svg, labelled);
        curve::draw(svg, &self.curves);
        self.guides.iter().for_each(|guide| guide.draw(svg));
        if let Some(labels) = &self.labels {
            labels.draw(svg);
        }
        match &self.legend {
            None => {}
            Some((legend, None)) => legend.draw(svg, [0.0, above - legend.size[1] - 8.0]),
            Some((legend, Some([x, y]))) => {
                let area = Rectangle::new([*x, *y], legend.size).grown(8.0);
                let size = [area.right - area.left, area.bottom - area.top];
                let frame = format!("fill=\"#fff\" fill-opacity=\"0.9\" stroke=\"{GRID}\" rx=\"4\"");
                svg.rectangle([area.left, area.top], size, &frame);
                legend.draw(svg, [*x, *y]);
            }
        }
        if self.curves.iter().all(DrawnCurve::is_empty) {
            let face = Face::new(BASE).anchored("middle").coloured(MUTED);
            svg.text([0.5 * self.size[0], 0.5 * self.size[1]], "no data", face);
        }
    }

    fn draw_frame(&self, svg: &mut Svg, labelled: bool) {
        let [width, height] = self.size;
        let ticks = |ruler: &Option<Ruler>| ruler.as_ref().map_or(vec![], |ruler| ruler.ticks.clone());
        let minor = |ruler: &Option<Ruler>| ruler.as_ref().map_or(vec![], |ruler| ruler.minor.clone());
        let (across, along) = (ticks(&self.x), ticks(&self.y));
        let mut faint = Pen::default();
        minor(&self.x)
            .iter()
            .for_each(|at| faint.polyline([(at * width, 0.0), (at * width, height)]));
        minor(&self.y)
            .iter()
            .for_each(|at| faint.polyline([(0.0, (1.0 - at) * height), (width, (1.0 - at) * height)]));
        svg.path(faint.data(), "stroke=\"#f3f3f3\"");
        let (mut grid, mut teeth) = (Pen::default(), Pen::default());
        for tick in &across {
            grid.polyline([(tick.at * width, 0.0), (tick.at * width, height)]);
            teeth.polyline([(tick.at * width, height), (tick.at * width, height + 6.0)]);
        }
        for tick in &along {
            let y = (1.0 - tick.at) * height;
            grid.polyline([(0.0, y), (width, y)]);
            teeth.polyline([(-6.0, y), (0.0, y)]);
        }
        svg.path(grid.data(), &format!("stroke=\"{GRID}\""));
        teeth.polyline([(0.0, 0.0), (0.0, height), (width, height)]);
        svg.path(teeth.data(), &format!("stroke=\"{INK}\" stroke-width=\"1.2\""));
        for tick in across.iter().filter(|_| labelled) {
            svg.text(
                [tick.at * width, height + 10.0 + SMALL],
                &tick.label,
                Face::new(SMALL).anchored("middle"),
            );
        }
        for tick in &along {
            svg.text(
                [-11.0, (1.0 - tick.at) * height + 0.35 * SMALL],
                &tick.label,
                Face::new(SMALL).anchored("end"),
            );
        }
    }
}

/// A free corner for the legend, or none if it has to go above the frame.
fn place_legend(
    entries: Vec<(Look, String)>,
    [width, height]: [f64; 2],
    obstacles: &Obstacles,
) -> (Legend, Option<[f64; 2]>) {
    const INSET: f64 = 18.0;
    let column = Legend::column(entries.clone(), 0.6 * width);
    let [right, bottom] = [width - INSET - column.size[0], height - INSET - column.size[1]];
    let corners = [[right, INSET], [INSET, INSET], [right, bottom], [INSET, bottom]];
    let free = corners
        .into_iter()
        .find(|corner| obstacles.free(Rectangle::new(*corner, column.size).grown(12.0)));
    match free {
        Some(corner) if column.size[1] < 0.6 * height => (column, Some(corner)),
        _ => (Legend::rows(entries, width), None),
    }
}

#[cfg(test)]
mod tests {
    use super::super::style::Mark;
    use super::*;

    #[test]
    fn a_legend_in_a_corner_is_free_of_data() {
        let look = Look {
            colour: "#000",
            line: Some(2.0),
            dash: "",
            mark: Mark::Nothing,
        };
        let entries = vec![(look, "name".to_string()); 3];
        let mut obstacles = Obstacles::default();
        obstacles.add_line(&[(0.0, 0.0), (780.0, 400.0)]);
        let (legend, corner) = place_legend(entries.clone(), [780.0, 400.0], &obstacles);
        assert!(corner.is_some_and(|corner| obstacles.free(Rectangle::new(corner, legend.size))));
        obstacles.add_line(&[(0.0, 400.0), (780.0, 0.0)]);
        assert_eq!(place_legend(entries, [780.0, 400.0], &obstacles).1, None);
    }
}

//! Line and point charts.

use super::axis::{Axis, Extent, Scale};
use super::guide::Guide;
use super::panels::{Heading, stack};

/// Curves and points over two axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// The heading; empty for none.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is shown. A legend appears from two series on.
    pub series: Vec<Curve>,
    /// Slopes and levels to compare with.
    pub guides: Vec<Guide>,
}

/// Points that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The name in the legend.
    pub name: String,
    /// Abscissa and ordinate. Values that are not finite leave a gap.
    pub points: Vec<(f64, f64)>,
    /// How the points are drawn.
    pub style: CurveStyle,
}

/// How a series is drawn. Colour, dash pattern and marker follow from its place in the chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveStyle {
    /// A line; the first is full, the next ones have different dashes.
    Line,
    /// A marker at every point.
    Points,
    /// A full line with a marker at every point.
    LineAndPoints,
    /// A line that is never full.
    Dashed,
    /// A thick line with joints, in the colour of mechanisms. It comes behind all others in a chart.
    Rods,
    /// A thin line in the colour of mechanisms. It comes behind all others in a chart.
    Strings,
}

impl Chart {
    /// The chart as SVG text.
    pub fn render(&self) -> String {
        const HEIGHT: f64 = 400.0;
        let untitled = Self {
            title: String::new(),
            ..self.clone()
        };
        stack(
            &Heading {
                title: &self.title,
                subtitle: None,
                caption: None,
            },
            &[untitled],
            HEIGHT,
        )
    }

    /// The points that both axes hold; on a logarithmic vertical axis also those whose ordinate is zero.
    pub(super) fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        self.series
            .iter()
            .flat_map(|series| &series.points)
            .copied()
            .filter(|&(x, y)| {
                self.x.scale.holds(x) && (self.y.scale.holds(y) || (self.y.scale == Scale::Log && y == 0.0))
            })
    }

    pub(super) fn horizontal_extent(&self) -> Option<Extent> {
        self.points()
            .fold(None, |extent, (x, _)| Extent::joined(extent, x))
    }

    /// The extent of the ordinates and of the levels among the guides.
    pub(super) fn vertical_extent(&self) -> Option<Extent> {
        self.horizontal_extent()?;
        let levels = self.guides.iter().filter_map(|guide| match guide {
            Guide::Level { value, .. } => Some(*value),
            Guide::Slope { .. } => None,
        });
        let held = self
            .points()
            .map(|(_, y)| y)
            .chain(levels)
            .filter(|&y| self.y.scale.holds(y));
        let extent = held.fold(None, Extent::joined);
        if !self.has_zeros() {
            return extent;
        }
        // Zeros on a logarithmic axis get a decade of their own, so that they do not touch the other points.
        Some(extent.map_or(
            Extent {
                low: 1e-17,
                high: 1e-15,
            },
            |extent| Extent {
                low: extent.low / 10.0,
                ..extent
            },
        ))
    }

    /// What the horizontal axis shows.
    pub(super) fn seen_across(&self) -> Option<Extent> {
        Some(self.x.shown(self.horizontal_extent()?))
    }

    /// What the vertical axis shows.
    pub(super) fn seen_upwards(&self) -> Option<Extent> {
        Some(self.y.shown(self.vertical_extent()?))
    }

    /// Whether there are points that a logarithmic axis can only show at its edge.
    pub(super) fn has_zeros(&self) -> bool {
        self.y.scale == Scale::Log && self.points().any(|(_, y)| y == 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::well_formed::assert_well_formed;
    use super::*;

    fn chart(points: Vec<(f64, f64)>) -> Chart {
        let series = Curve {
            name: "first".into(),
            points,
            style: CurveStyle::Line,
        };
        Chart {
            title: "Title".into(),
            x: Axis::linear("time (s)"),
            y: Axis::linear("energy (J)"),
            series: vec![series],
            guides: vec![],
        }
    }

    #[test]
    fn text_is_escaped() {
        let mut chart = chart(vec![(0.0, 1.0), (1.0, 2.0)]);
        chart.title = "a < b & c > \"d\"".into();
        chart.series.push(Curve {
            name: "<script>".into(),
            ..chart.series[0].clone()
        });
        let text = chart.render();
        assert_well_formed(&text);
        assert!(text.contains("a &lt; b &amp; c &gt;") && text.contains("&lt;script&gt;"));
    }

    #[test]
    fn without_data_the_figure_says_so() {
        let nothing = [vec![], vec![(f64::NAN, 1.0), (1.0, f64::INFINITY)]];
        for points in nothing {
            let text = chart(points).render();
            assert_well_formed(&text);
            assert!(text.contains("no data") && text.contains("time (s)"));
        }
        let none = Chart {
            series: vec![],
            ..chart(vec![])
        };
        assert_well_formed(&none.render());
    }

    #[test]
    fn values_that_are_not_finite_are_gaps() {
        let text = chart(vec![
            (0.0, 0.0),
            (1.0, 1.0),
            (2.0, f64::NAN),
            (3.0, 1.0),
            (4.0, 0.0),
        ])
        .render();
        assert_well_formed(&text);
        let curve = text.lines().find(|line| line.contains("#0072b2")).unwrap_or("");
        assert_eq!(curve.matches('M').count(), 2, "{curve}");
    }

    #[test]
    fn zeros_on_a_logarithmic_axis_lie_at_the_edge() {
        let mut chart = chart(vec![(0.0, 0.0), (1.0, 1e-9), (2.0, -1.0), (3.0, 1e-12)]);
        chart.y.scale = Scale::Log;
        let text = chart.render();
        assert_well_formed(&text);
        assert!(text.contains("zeros at the lower edge"));
        chart.series[0].points = vec![(0.0, 0.0), (1.0, 0.0)];
        assert_well_formed(&chart.render());
        chart.x.scale = Scale::Log;
        assert_well_formed(&chart.render());
    }

    #[test]
    fn a_million_points_make_a_small_file() {
        let wave = |i: i32| (f64::from(i) * 1e-3, (f64::from(i) * 0.1).sin() * 1e-5);
        let text = chart((0..1_000_000).map(wave).collect()).render();
        assert_well_formed(&text);
        assert!(text.len() < 60_000, "{} bytes", text.len());
        let circle = |i: i32| ((f64::from(i) * 1.1e-3).cos(), (f64::from(i) * 1e-3).sin());
        let text = chart((0..1_000_000).map(circle).collect()).render();
        assert!(text.len() < 150_000, "{} bytes", text.len());
        let broken = |i: i32| if i % 3 == 0 { (f64::NAN, 0.0) } else { wave(i) };
        let text = chart((0..1_000_000).map(broken).collect()).render();
        assert!(text.len() < 150_000, "{} bytes", text.len());
    }

    #[test]
    fn extreme_numbers_render() {
        for scale in [Scale::Linear, Scale::Log] {
            let mut chart = chart(vec![
                (-1e308, 1e308),
                (0.0, 1e-320),
                (1e300, -1e300),
                (1.0, 1.0),
                (2.0, 1e-300),
            ]);
            (chart.x.scale, chart.y.scale) = (scale, scale);
            assert_well_formed(&chart.render());
        }
    }

    #[test]
    fn one_series_has_no_legend_and_two_have() {
        let mut chart = chart(vec![(0.0, 1.0), (1.0, 2.0)]);
        let count = |text: &str| text.matches(">first<").count();
        assert_eq!(count(&chart.render()), 0);
        chart.series.push(Curve {
            name: "second".into(),
            ..chart.series[0].clone()
        });
        assert_eq!(count(&chart.render()), 1);
    }

    #[test]
    fn the_same_data_give_the_same_text() {
        let chart = chart(
            (0..5000)
                .map(|i| (f64::from(i * 37 % 4999), f64::from(i * i % 101)))
                .collect(),
        );
        assert_eq!(chart.render(), chart.render());
    }
}

//! Charts stacked over a common horizontal axis, and the page around them.

use super::axis::{Axis, Extent, Ruler, Scale};
use super::chart::{Chart, Curve, CurveStyle};
use super::labels;
use super::plot::Plot;
use super::style::{BASE, LEADING, MARGIN, MUTED, PAGE, SMALL, TITLE};
use super::svg::{Clock, Face, Svg};
use super::text::{balanced, shorten, width, wrap};

/// Charts below each other that share the horizontal axis of the first; the title of a chart heads its
/// panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Panels {
    /// The heading; empty for none.
    pub title: String,
    /// A line below the title.
    pub subtitle: Option<String>,
    /// A line below everything.
    pub caption: Option<String>,
    /// The panels from top to bottom.
    pub charts: Vec<Chart>,
}

impl Panels {
    /// The panels as SVG text.
    pub fn render(&self) -> String {
        const HEIGHT: f64 = 210.0;
        self.render_with(HEIGHT)
    }

    /// The panels as SVG text, with frames of this height.
    pub fn render_with(&self, height: f64) -> String {
        let heading = Heading {
            title: &self.title,
            subtitle: self.subtitle.as_deref(),
            caption: self.caption.as_deref(),
        };
        stack(&heading, &self.charts, height)
    }
}

/// The text around a figure.
pub(super) struct Heading<'a> {
    pub(super) title: &'a str,
    pub(super) subtitle: Option<&'a str>,
    pub(super) caption: Option<&'a str>,
}

impl Heading<'_> {
    /// Writes the title and the subtitle from the top of the page; gives the height that they take.
    pub(super) fn draw(&self, svg: &mut Svg) -> f64 {
        let title = paragraph(svg, MARGIN, self.title, Face::new(TITLE).bold());
        paragraph(
            svg,
            title,
            self.subtitle.unwrap_or(""),
            Face::new(BASE).coloured(MUTED),
        )
    }

    /// Writes the caption below `top`; gives the height of the page.
    pub(super) fn draw_caption(&self, svg: &mut Svg, top: f64) -> f64 {
        match self.caption.unwrap_or("") {
            "" => top + MARGIN - 6.0,
            caption => paragraph(svg, top + 14.0, caption, Face::new(SMALL).coloured(MUTED)) + MARGIN - 4.0,
        }
    }
}

/// Wrapped text from `top` on; gives where it ends.
fn paragraph(svg: &mut Svg, top: f64, text: &str, face: Face) -> f64 {
    let estimate = if face.bold { 1.1 * face.size } else { face.size };
    let lines = wrap(text, estimate, PAGE - 2.0 * MARGIN);
    for (index, line) in lines.iter().enumerate() {
        svg.text(
            [MARGIN, top + face.size * (0.85 + LEADING * index as f64)],
            line,
            face,
        );
    }
    top + LEADING * face.size * lines.len() as f64
}

/// Draws charts below each other, with frames of this height.
pub(super) fn stack(heading: &Heading, charts: &[Chart], height: f64) -> String {
    let mut svg = Svg::default();
    let mut bottom = heading.draw(&mut svg) + 12.0;
    let height = charts.iter().map(labels::height).fold(height, f64::max);
    let vertical: Vec<Option<Ruler>> = charts
        .iter()
        .map(|chart| Some(vertical_ruler(chart, chart.seen_upwards()?, height)))
        .collect();
    let names: Vec<Vec<String>> = charts
        .iter()
        .map(|chart| balanced(&chart.y.label, BASE, height + 30.0))
        .collect();
    let name_lines = names.iter().map(Vec::len).max().unwrap_or(0) as f64;
    let ticks = vertical.iter().flatten().flat_map(|ruler| &ruler.ticks);
    let widest = ticks.map(|tick| width(&tick.label, SMALL)).fold(0.0, f64::max);
    let left = MARGIN + name_lines * BASE * LEADING + widest + 14.0;
    let beside = charts.iter().map(labels::room).fold(0.0, f64::max);
    let frame = [PAGE - left - MARGIN - 14.0 - beside, height];
    let axis = charts.first().map(|chart| &chart.x);
    let horizontal = axis.and_then(|axis| {
        let extents = charts.iter().filter_map(Chart::horizontal_extent);
        let ends = extents.flat_map(|extent| [extent.low, extent.high]);
        let held = ends.filter(|&end| axis.scale.holds(end));
        let extent = axis.shown(held.fold(None, Extent::joined)?);
        Some(horizontal_ruler(axis, charts, extent, frame[0]))
    });

    let mut first_top = None;
    for (index, chart) in charts.iter().enumerate() {
        let plot = Plot::new(chart, horizontal.as_ref(), vertical[index].as_ref(), frame, false);
        let last = index + 1 == charts.len();
        if !chart.title.is_empty() {
            let title = shorten(&chart.title, 1.1 * BASE, frame[0]);
            svg.text([left, bottom + 0.85 * BASE], &title, Face::new(BASE).bold());
            bottom += BASE * LEADING + 4.0;
        }
        let note = note(chart, vertical[index].as_ref());
        let above = if note.is_empty() {
            0.0
        } else {
            SMALL * LEADING + 2.0
        };
        let top = bottom + plot.legend_height() + above;
        first_top.get_or_insert(top);
        svg.group(left, top);
        plot.draw(&mut svg, last, -above);
        svg.text([0.0, -8.0], &note, Face::new(SMALL).coloured(MUTED));
        for (line, name) in names[index].iter().rev().enumerate() {
            let x = -widest - 22.0 - line as f64 * BASE * LEADING;
            svg.upward_text([x, 0.5 * height], name, Face::new(BASE).anchored("middle"));
        }
        svg.end_group();
        bottom = top + height + if last { 0.0 } else { 24.0 };
    }
    if let (Some(ruler), Some(top), true) = (&horizontal, first_top, axis.is_some_and(|axis| axis.time)) {
        svg.set_clock(&Clock {
            time: ruler.ends(),
            x: [left, left + frame[0]],
            y: [top, bottom],
        });
    }
    match axis {
        None => {
            svg.text(
                [MARGIN, bottom + BASE],
                "no data",
                Face::new(BASE).coloured(MUTED),
            );
            bottom += 2.0 * BASE;
        }
        Some(axis) => {
            bottom += 14.0 + SMALL;
            let note = horizontal
                .as_ref()
                .and_then(|ruler| ruler.note.clone())
                .unwrap_or_default();
            let lines = balanced(&axis.label, BASE, frame[0]);
            let longest = lines.iter().map(|line| width(line, BASE)).fold(0.0, f64::max);
            for line in &lines {
                bottom += BASE * LEADING;
                svg.text(
                    [left + 0.5 * frame[0], bottom],
                    line,
                    Face::new(BASE).anchored("middle"),
                );
            }
            if !note.is_empty() && 0.5 * (frame[0] - longest) < width(&note, SMALL) + 16.0 {
                bottom += BASE * LEADING;
            }
            svg.text(
                [left + frame[0], bottom],
                &note,
                Face::new(SMALL).anchored("end").coloured(MUTED),
            );
        }
    }
    let page = heading.draw_caption(&mut svg, bottom);
    svg.document([PAGE, page], heading.title, &description(charts))
}

/// A ruler with a label every fifty pixels or so, and with two at least: one says nothing of the scale.
pub(super) fn vertical_ruler(chart: &Chart, extent: Extent, height: f64) -> Ruler {
    let target = (height / 48.0) as usize;
    let ruler = |target: usize| Ruler::new(chart.y.scale, extent, 0.05, target);
    let finer = (target..=2 * target + 3).map(ruler);
    let mut enough = finer.filter(|ruler| ruler.ticks.len() > 1);
    enough.next().unwrap_or_else(|| ruler(target))
}

/// The common ruler, with as many ticks as their labels leave room for.
pub(super) fn horizontal_ruler(axis: &Axis, charts: &[Chart], extent: Extent, frame: f64) -> Ruler {
    // A curve over time fills the frame from edge to edge; markers and curves that turn back do not.
    let clear = |series: &Curve| {
        matches!(series.style, CurveStyle::Points | CurveStyle::LineAndPoints)
            || series.points.windows(2).any(|pair| pair[1].0 < pair[0].0)
    };
    let padding = if charts.iter().flat_map(|chart| &chart.series).any(clear) {
        0.03
    } else {
        0.0
    };
    let fits = |ruler: &Ruler| {
        ruler.ticks.windows(2).all(|pair| {
            let room = (pair[1].at - pair[0].at) * frame;
            room > 0.5 * (width(&pair[0].label, SMALL) + width(&pair[1].label, SMALL)) + 16.0
        })
    };
    let mut rulers = (2..=10)
        .rev()
        .map(|target| Ruler::new(axis.scale, extent, padding, target));
    rulers
        .find(fits)
        .unwrap_or_else(|| Ruler::new(axis.scale, extent, padding, 1))
}

pub(super) fn note(chart: &Chart, ruler: Option<&Ruler>) -> String {
    let scale = ruler.and_then(|ruler| ruler.note.clone());
    let zeros = chart.has_zeros().then(|| "zeros at the lower edge".into());
    [scale, zeros]
        .into_iter()
        .flatten()
        .collect::<Vec<String>>()
        .join(", ")
}

/// What a reader who does not see the figure should know.
pub(super) fn description(charts: &[Chart]) -> String {
    let of_chart = |chart: &Chart| {
        let names: Vec<&str> = chart.series.iter().map(|series| series.name.as_str()).collect();
        let range = |extent: Option<Extent>| {
            extent.map_or("no data".into(), |Extent { low, high }| {
                format!("{low:.6e} to {high:.6e}")
            })
        };
        let scale = |axis: &Axis| {
            if axis.scale == Scale::Log {
                ", logarithmic"
            } else {
                ""
            }
        };
        format!(
            "{}Vertical: {} ({}{}). Horizontal: {} ({}{}). Curves: {}.",
            if chart.title.is_empty() {
                String::new()
            } else {
                format!("{}. ", chart.title)
            },
            chart.y.label,
            range(chart.vertical_extent()),
            scale(&chart.y),
            chart.x.label,
            range(chart.horizontal_extent()),
            scale(&chart.x),
            names.join("; "),
        )
    };
    charts.iter().map(of_chart).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::well_formed::assert_well_formed;
    use super::*;

    fn chart(title: &str, points: Vec<(f64, f64)>) -> Chart {
        Chart {
            title: title.into(),
            x: Axis::linear("time (s)"),
            y: Axis::linear("energy (J)"),
            series: vec![Curve {
                name: "only".into(),
                points,
                style: CurveStyle::Line,
            }],
            guides: vec![],
        }
    }

    #[test]
    fn panels_share_one_horizontal_axis() {
        let charts = vec![
            chart("Upper", vec![(0.0, 0.0), (10.0, 1.0)]),
            chart("Lower", vec![(5.0, 0.0), (40.0, 1.0)]),
            chart("Empty", vec![]),
        ];
        let panels = Panels {
            title: "All".into(),
            subtitle: Some("a & b".into()),
            caption: Some("c".into()),
            charts,
        };
        let text = panels.render();
        assert_well_formed(&text);
        assert_eq!(text.matches(">time (s)<").count(), 1);
        assert_eq!(text.matches(">40<").count(), 1);
        assert_eq!(text.matches(">no data<").count(), 1);
        assert!(
            [">Upper<", ">Lower<", ">a &amp; b<"]
                .iter()
                .all(|part| text.contains(part))
        );
    }

    #[test]
    fn no_panels_are_no_data() {
        let text = Panels {
            title: String::new(),
            subtitle: None,
            caption: None,
            charts: vec![],
        }
        .render();
        assert_well_formed(&text);
        assert!(text.contains("no data"));
    }
}

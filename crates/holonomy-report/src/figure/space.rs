//! Paths in three dimensions, with the unit sphere and the mechanism itself.

use super::frame::{Frame, finite};
use super::ghosts::{self, Ghost, draw_strings};
use super::legend::{Legend, distinct, numbered};
use super::obstacles::{Obstacles, Rectangle};
use super::panels::Heading;
use super::sphere;
use super::style::{BASE, Look, MARGIN, MUTED, Mark, NAMED, PAGE, ROD, SMALL, STRING, colour, ramp};
use super::svg::{Face, Pen, Svg};
use super::text::shorten;
use super::trace::{Slices, Trace};
use super::tripod;
use super::view::View;
use crate::number::rough;
use holonomy::math;
use std::f64::consts::TAU;

/// Paths in three dimensions, drawn with equal aspect.
#[derive(Clone, Debug, PartialEq)]
pub struct Space {
    /// The heading; empty for none.
    pub title: String,
    /// A line below the picture; empty for none.
    pub caption: String,
    /// Whether the unit sphere about the origin is drawn.
    pub spheres: bool,
    /// Curves, each from an open circle to a filled one.
    pub paths: Vec<Path>,
    /// Polylines drawn as rods with joints, and one point as a place where something hangs: the mechanism at the end.
    pub links: Vec<Vec<[f64; 3]>>,
    /// Polylines drawn as strings, thin and without joints: what else belongs to the mechanism.
    pub strings: Vec<Vec<[f64; 3]>>,
    /// The direction that is drawn downwards.
    pub down: [f64; 3],
}

/// A curve in space.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// The name in the legend, which appears for two to eight paths; more paths are coloured along a ramp, and have their
    /// names beside them while these can be told apart.
    pub name: String,
    /// The points in order. Points that are not finite leave a gap.
    pub points: Vec<[f64; 3]>,
}

/// The most paths that have their names beside them.
const LABELLED: usize = 24;
/// Points of a path, and of all paths together.
const LIMIT: usize = 3000;
const TOTAL: usize = 15_000;

impl Space {
    /// The figure as SVG text.
    pub fn render(&self) -> String {
        self.render_with(&[])
    }

    /// The figure as SVG text, with the mechanism at other times.
    pub fn render_with(&self, ghosts: &[Ghost]) -> String {
        let view = View::with_down(self.down);
        let points = self
            .paths
            .iter()
            .flat_map(|path| &path.points)
            .chain(self.links.iter().chain(&self.strings).flatten())
            .chain(
                ghosts
                    .iter()
                    .flat_map(|ghost| ghost.links.iter().chain(&ghost.strings).flatten()),
            );
        let frame = Frame::around(points, self.spheres, view);
        let limit = LIMIT.min(TOTAL / self.paths.len().max(1));
        let paths = self.paths.iter().enumerate();
        let traces: Vec<Trace> = paths
            .map(|(index, path)| Trace::new(&path.points, &frame, limit, self.colour(index)))
            .collect();
        let shown = traces.iter().map(|trace| trace.share).fold(1.0, f64::min);
        let caption = match shown < 1.0 {
            true => format!(
                "{} The last {} % of the longest path is drawn.",
                self.caption,
                rough(100.0 * shown)
            ),
            false => self.caption.clone(),
        };
        let heading = Heading {
            title: &self.title,
            subtitle: None,
            caption: Some(caption.trim()),
        };

        let mut svg = Svg::default();
        let top = heading.draw(&mut svg) + 8.0;
        svg.group(0.0, top);
        if self.spheres {
            sphere::draw_back(&mut svg, &view, frame.origin(), frame.scale);
        }
        let slices = Slices::new(&traces, self.spheres);
        slices.draw_back(&mut svg, &traces);
        if self.spheres {
            sphere::draw_front(&mut svg, &view, frame.origin(), frame.scale);
        }
        slices.draw_front(&mut svg, &traces);
        ghosts::draw(&mut svg, &frame, ghosts);
        draw_strings(&mut svg, &frame, &self.strings, STRING);
        self.draw_links(&mut svg, &frame);
        self.draw_ends(&mut svg, &slices, &traces);
        let nothing = self.links.is_empty() && self.strings.is_empty() && ghosts.is_empty() && !self.spheres;
        if traces.iter().all(|trace| trace.is_empty()) && nothing {
            let face = Face::new(BASE).anchored("middle").coloured(MUTED);
            svg.text([0.5 * PAGE, 0.5 * frame.height], "no data", face);
        }
        // The tripod stands in the lower left corner of the picture if that is free, else below.
        let beside = self.corner_is_free(&frame, &traces, ghosts);
        let depth = if beside { 0.0 } else { tripod::SIZE };
        tripod::draw(
            &mut svg,
            &view,
            [
                MARGIN + 0.5 * tripod::SIZE,
                frame.height + depth - 0.5 * tripod::SIZE,
            ],
        );
        svg.end_group();
        let mut bottom = top + frame.height + 8.0;
        let indent = if beside { 0.0 } else { tripod::SIZE + 20.0 };
        let mut legend = self.draw_legend(&mut svg, indent, bottom);
        legend += ghosts::draw_legend(&mut svg, indent, bottom + legend, ghosts);
        bottom += if beside { legend } else { legend.max(tripod::SIZE) };
        let page = heading.draw_caption(&mut svg, bottom);
        svg.document([PAGE, page], &self.title, &self.description())
    }

    fn colour(&self, index: usize) -> String {
        match self.paths.len() {
            ..=NAMED => colour(index).into(),
            count => ramp(index as f64 / (count - 1) as f64),
        }
    }

    fn corner_is_free(&self, frame: &Frame, traces: &[Trace], ghosts: &[Ghost]) -> bool {
        let mut obstacles = Obstacles::default();
        traces.iter().for_each(|trace| trace.obstruct(&mut obstacles));
        let more = ghosts
            .iter()
            .flat_map(|ghost| ghost.links.iter().chain(&ghost.strings));
        for link in self.links.iter().chain(&self.strings).chain(more) {
            let joints = link
                .iter()
                .filter(|joint| finite(joint))
                .map(|joint| frame.place(*joint));
            obstacles.add_line(&joints.map(|[x, y, _]| (x, y)).collect::<Vec<_>>());
        }
        if self.spheres {
            let ([x, y], radius) = (frame.origin(), frame.scale);
            let rim = (0..=48).map(|step| f64::from(step) * TAU / 48.0);
            obstacles.add_line(
                &rim.map(|angle| (x + radius * math::cos(angle), y + radius * math::sin(angle)))
                    .collect::<Vec<_>>(),
            );
        }
        obstacles.free(Rectangle::new([MARGIN, frame.height - tripod::SIZE], [tripod::SIZE; 2]).grown(20.0))
    }

    fn draw_links(&self, svg: &mut Svg, frame: &Frame) {
        // Large ones of many would hide the rods.
        let joint = if self.links.iter().map(Vec::len).sum::<usize>() > 12 {
            4.5
        } else {
            7.0
        };
        for link in &self.links {
            let joints = frame.polyline(link);
            let mut pen = Pen::default();
            pen.polyline(joints.iter().copied());
            let round = "stroke-linecap=\"round\" stroke-linejoin=\"round\"";
            svg.path(
                pen.data(),
                &format!("stroke=\"{ROD}\" stroke-width=\"6\" {round}"),
            );
            svg.path(
                pen.data(),
                &format!("stroke=\"#c9c9c9\" stroke-width=\"3\" {round}"),
            );
            let shown = joints.len() <= ghosts::JOINTS;
            for (index, &(x, y)) in joints.iter().enumerate().filter(|_| shown) {
                let (radius, fill) = if index == 0 { (5.0, "#fff") } else { (joint, ROD) };
                svg.circle(
                    [x, y],
                    radius,
                    &format!("fill=\"{fill}\" stroke=\"{ROD}\" stroke-width=\"2\""),
                );
            }
        }
    }

    fn draw_ends(&self, svg: &mut Svg, slices: &Slices, traces: &[Trace]) {
        let radius = if traces.len() > NAMED { 4.0 } else { 6.0 };
        let ends = || {
            traces
                .iter()
                .enumerate()
                .filter_map(|(index, trace)| Some((index, trace, trace.ends?)))
        };
        let names = distinct(self.paths.iter().map(|path| path.name.as_str()));
        // Among many bodies only where they are now can be seen, and on a sphere only those in front well.
        let many = traces.len() > NAMED;
        for (_, trace, [[x, y, _], _]) in ends().filter(|_| !many) {
            let colour = &trace.colour;
            svg.circle(
                [x, y],
                radius,
                &format!("fill=\"#fff\" stroke=\"{colour}\" stroke-width=\"2.2\""),
            );
        }
        for (index, trace, [_, [x, y, depth]]) in ends().filter(|_| many) {
            let colour = &trace.colour;
            if traces.len() <= LABELLED {
                let face = Face::new(SMALL).halo();
                svg.text([x + 7.0, y - 5.0], &shorten(&names[index], SMALL, 140.0), face);
            }
            match self.spheres && slices.is_behind(depth) {
                true => svg.circle([x, y], 2.0, &format!("fill=\"{colour}\" fill-opacity=\"0.25\"")),
                false => svg.circle(
                    [x, y],
                    radius,
                    &format!("fill=\"{colour}\" stroke=\"#fff\" stroke-width=\"1.2\""),
                ),
            }
        }
        for (index, trace, [_, [x, y, _]]) in ends().filter(|_| !many) {
            let colour = &trace.colour;
            match traces.len() {
                2..=NAMED => numbered(svg, [x, y], index + 1, colour),
                _ => svg.circle(
                    [x, y],
                    radius,
                    &format!("fill=\"{colour}\" stroke=\"#fff\" stroke-width=\"1.2\""),
                ),
            }
        }
    }

    /// Draws the names below the picture; gives their height.
    fn draw_legend(&self, svg: &mut Svg, indent: f64, top: f64) -> f64 {
        let left = MARGIN + indent;
        let available = PAGE - MARGIN - left;
        match self.paths.len() {
            0 | 1 => 0.0,
            2..=NAMED => {
                let look = |index| Look {
                    colour: colour(index),
                    line: Some(2.2),
                    dash: "",
                    mark: Mark::Number(index + 1),
                };
                let names = distinct(self.paths.iter().map(|path| path.name.as_str()));
                let entries = names
                    .into_iter()
                    .enumerate()
                    .map(|(index, name)| (look(index), name));
                let legend = Legend::rows(entries.collect(), available);
                legend.draw(svg, [left + 0.5 * (available - legend.size[0]), top]);
                legend.size[1]
            }
            count => {
                const BAR: f64 = 200.0;
                let names = [&self.paths[0].name, &self.paths[count - 1].name];
                let names = names.map(|name| shorten(name, SMALL, 0.5 * (available - BAR) - 12.0));
                let start = left + 0.5 * (available - BAR);
                for step in 0..count {
                    let (at, size) = (start + BAR * step as f64 / count as f64, BAR / count as f64 + 0.3);
                    let fill = ramp(step as f64 / (count - 1) as f64);
                    svg.rectangle([at, top + 4.0], [size, 14.0], &format!("fill=\"{fill}\""));
                }
                svg.text(
                    [start - 10.0, top + 16.5],
                    &names[0],
                    Face::new(SMALL).anchored("end"),
                );
                svg.text([start + BAR + 10.0, top + 16.5], &names[1], Face::new(SMALL));
                24.0
            }
        }
    }

    fn description(&self) -> String {
        let names: Vec<&str> = self.paths.iter().map(|path| path.name.as_str()).collect();
        let sphere = if self.spheres { " and the unit sphere" } else { "" };
        format!(
            "Paths in three dimensions{sphere}, in orthographic projection: {}. {}A filled circle marks \
             the end of a path. {}",
            names.join("; "),
            if self.paths.len() > NAMED {
                ""
            } else {
                "An open circle marks the start of a path. "
            },
            self.caption
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::well_formed::assert_well_formed;
    use super::*;

    fn space(paths: usize, points: usize) -> Space {
        let point = |path: usize, index: usize| {
            let (angle, tilt) = (index as f64 * 0.05, (path + 1) as f64 * 0.3 + index as f64 * 1e-4);
            [angle.cos() * tilt.sin(), angle.sin() * tilt.sin(), -tilt.cos()]
        };
        let path = |path: usize| Path {
            name: format!("body <{path}>"),
            points: (0..points).map(|index| point(path, index)).collect(),
        };
        Space {
            title: "Spherical & free".into(),
            caption: "From rest.".into(),
            spheres: true,
            paths: (0..paths).map(path).collect(),
            links: vec![vec![[0.0; 3], [0.6, 0.0, -0.8], [1.2, 0.5, -1.0]]],
            strings: vec![vec![[0.0; 3], [1.2, 0.5, -1.0]]],
            down: [0.0, 0.0, -1.0],
        }
    }

    #[test]
    fn paths_are_named_up_to_eight() {
        // Of more than eight each has its name beside it, and the ends of the ramp have theirs.
        for (paths, names) in [(1, 0), (2, 2), (8, 8), (16, 18), (40, 2)] {
            let text = space(paths, 500).render();
            assert_well_formed(&text);
            assert_eq!(text.matches(">body &lt;").count(), names);
            assert_eq!(
                text.matches("fill=\"#fff\" stroke=").count(),
                if paths > NAMED { 1 } else { paths + 1 },
                "open circles and one pivot"
            );
        }
    }

    #[test]
    fn strings_are_thin_and_rods_thick() {
        let text = space(2, 50).render();
        let width = |colour: &str| -> f64 {
            let stroke = format!("stroke=\"{colour}\" stroke-width=\"");
            let (_, rest) = text.split_once(&stroke).expect("a line");
            rest.split_once('"')
                .and_then(|(width, _)| width.parse().ok())
                .expect("a width")
        };
        assert!(
            width(ROD) >= 4.0 * width(STRING),
            "{} {}",
            width(ROD),
            width(STRING)
        );
    }

    #[test]
    fn names_that_repeat_are_told_apart() {
        let mut space = space(3, 50);
        space.paths.iter_mut().for_each(|path| path.name = "arm".into());
        let text = space.render();
        for name in ["arm", "arm (2)", "arm (3)"] {
            assert_eq!(text.matches(&format!(">{name}<")).count(), 1, "{name}");
        }
        let colours: std::collections::BTreeSet<&str> = (0..NAMED).map(colour).collect();
        assert_eq!(colours.len(), NAMED);
    }

    #[test]
    fn many_long_paths_make_a_small_file() {
        for (paths, points) in [(1, 1_000_000), (8, 100_000), (40, 20_000)] {
            let text = space(paths, points).render();
            assert_well_formed(&text);
            assert!(text.len() < 300_000, "{paths} paths: {} bytes", text.len());
            assert!(text.contains("of the longest path"));
        }
    }

    #[test]
    fn nothing_and_non_finite_points_render() {
        let mut space = Space {
            spheres: false,
            links: vec![],
            strings: vec![],
            ..space(0, 0)
        };
        let text = space.render();
        assert_well_formed(&text);
        assert!(text.contains("no data"));
        for points in [
            vec![[f64::NAN; 3], [f64::INFINITY, 0.0, 1e308]],
            vec![[1.0, 2.0, 3.0]],
            vec![],
        ] {
            space.paths = vec![Path {
                name: "p".into(),
                points,
            }];
            assert_well_formed(&space.render());
        }
        space.paths = vec![Path {
            name: "p".into(),
            points: vec![[1e-200; 3], [f64::NAN; 3], [2e-200; 3], [3e-200, 0.0, 0.0]],
        }];
        space.down = [f64::NAN; 3];
        assert_well_formed(&space.render());
    }
}

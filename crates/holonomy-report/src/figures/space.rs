use super::mechanism::{Mechanism, Window, common_sphere, extent};
use super::{line, subtitle};
use crate::{
    figure::{Axis, Chart, Curve, CurveStyle, Ghost, Grid, Path, Space},
    number::{decimal, grouped, short},
    series::{Paths, spread},
    summary::Summary,
};
use holonomy::{
    Vec3, math,
    system::{Base, Layout},
};

/// Paths of the bodies and the mechanism as it is at the end.
///
/// Bodies that share one fixed base and one length move on a sphere, which is drawn, in units of its radius.
pub fn trajectory(title: &str, layout: &Layout, summary: &Summary, paths: &Paths) -> String {
    let sphere = common_sphere(layout, &paths.sites);
    let (origin, scale) = sphere.unwrap_or((Vec3::zeros(), 1.0));
    let place = |point: Vec3| -> [f64; 3] { ((point - origin) / scale).into() };
    let mut mechanism = Mechanism::new(layout, &paths.sites, &paths.snapshots);
    if sphere.is_some() && (layout.drawing.down.is_none() || mechanism.rods.len() > FEW) {
        // Bodies on a sphere are not held by rods; their places are the ends of their paths.
        mechanism = Mechanism::default();
    }
    let mut followed = followed(layout, paths, &mechanism, usize::MAX);
    let curves = layout.drawing.followed() < layout.drawing.bases.len();
    let mut all_there = paths.bodies.len() == layout.drawing.followed();
    if !curves && mechanism.longest() > LONG && followed.len() > 2 {
        // Of a chain of very many links two points are enough.
        all_there = false;
        let last = followed.pop();
        followed = vec![followed.swap_remove(followed.len() / 2)];
        followed.extend(last);
    }
    let cut = cut_strings(&mut [&mut mechanism], &followed);
    let hidden = (!all_there).then(|| (followed.len(), layout.drawing.followed()));
    let drawn: Vec<Path> = followed
        .into_iter()
        .map(|(name, points)| {
            let points: Vec<[f64; 3]> = points.into_iter().map(place).collect();
            Path {
                name,
                points: match sphere {
                    Some(_) => along_great_circles(&points),
                    None => points,
                },
            }
        })
        .collect();
    let polylines = |lines: Vec<Vec<Vec3>>| -> Vec<Vec<[f64; 3]>> {
        let lines = lines.into_iter();
        lines.map(|line| line.into_iter().map(place).collect()).collect()
    };
    Space {
        title: title.to_owned(),
        caption: caption(summary, paths, hidden, sphere) + cut,
        spheres: sphere.is_some(),
        paths: drawn,
        links: polylines(mechanism.rods),
        strings: polylines(mechanism.strings),
        down: down(layout).into(),
    }
    .render()
}

/// What a site is called: by its body too, if others have the same name.
fn name(layout: &Layout, site: usize) -> String {
    let names = match layout.drawing.sites.is_empty() {
        true => &layout.words.bodies[..],
        false => &layout.drawing.sites[..],
    };
    let name = names.get(site).cloned().unwrap_or_default();
    let body = match layout.drawing.bases.get(site) {
        Some(Base::Site(body)) if *body != site => names.get(*body),
        _ => None,
    };
    match body {
        Some(body) if names.iter().filter(|other| **other == name).count() > 1 => format!("{name} of {body}"),
        _ => name,
    }
}

/// The names and latest ways, of at most so many points, of the sites that move and are not where another one always is.
fn followed(layout: &Layout, paths: &Paths, mechanism: &Mechanism, most: usize) -> Vec<(String, Vec<Vec3>)> {
    let ways: Vec<(usize, Vec<Vec3>)> = paths
        .bodies
        .iter()
        .zip(&paths.points)
        .map(|(&body, points)| {
            let skipped = points.len().saturating_sub(most);
            (
                body,
                points.iter().skip(skipped).map(|&point| point.into()).collect(),
            )
        })
        .collect();
    if ways.len() > FEW {
        return ways
            .into_iter()
            .map(|(body, way)| (name(layout, body), way))
            .collect();
    }
    let rounding = AT_REST * extent(ways.iter().flat_map(|(_, way)| way).chain(mechanism.places()));
    let together = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).all(|(a, b)| (a - b).norm() <= rounding);
    let mut kept: Vec<(String, Vec<Vec3>)> = Vec::new();
    for (body, way) in &ways {
        // What is not a number is drawn as gaps.
        let moves = extent(way.iter()) > rounding;
        if moves && !kept.iter().any(|(_, other)| together(other, way)) {
            kept.push((name(layout, *body), way.clone()));
        }
    }
    match kept.is_empty() {
        // Nothing moves: where it is, is what there is to see.
        true => ways
            .into_iter()
            .map(|(body, way)| (name(layout, body), way))
            .collect(),
        false => kept,
    }
}

/// What moves by less of its size is at rest.
const AT_REST: f64 = 1e-8;

/// Cuts off long strings of a mechanism, at one time or at several; what the caption then says.
fn cut_strings(mechanisms: &mut [&mut Mechanism], ways: &[(String, Vec<Vec3>)]) -> &'static str {
    let ways = || ways.iter().flat_map(|(_, way)| way);
    let window = Window::around(
        mechanisms.iter().flat_map(|one| one.places()).chain(ways()),
        mechanisms.iter().flat_map(|one| one.body()).chain(ways()),
    );
    // Where everything is thin, the strings are what there is to see.
    let stiff = mechanisms.iter().any(|one| one.rods() > 0);
    let Some(window) = window.filter(|_| stiff) else {
        return "";
    };
    mechanisms.iter_mut().for_each(|one| one.cut(&window));
    " Strings are cut off."
}

fn down(layout: &Layout) -> Vec3 {
    layout.drawing.down.unwrap_or(-Vec3::z())
}

/// A path on the unit sphere with arcs of great circles between its points, where chords would leave it.
fn along_great_circles(points: &[[f64; 3]]) -> Vec<[f64; 3]> {
    // The longest part, rad, that looks like its chord.
    const PART: f64 = 0.05;
    let mut arcs = Vec::with_capacity(points.len());
    for (k, &point) in points.iter().enumerate() {
        if let Some(&before) = k.checked_sub(1).and_then(|before| points.get(before)) {
            let (from, to) = (Vec3::from(before), Vec3::from(point));
            let chord = (to - from).norm();
            let angle = 2.0 * math::asin((0.5 * chord).min(1.0));
            let parts = (angle / PART).ceil();
            // Longer and shorter ones are as methods that leave the sphere make them.
            for part in 1..if parts.is_finite() { parts as usize } else { 0 } {
                let s = part as f64 / parts;
                let between = from * math::sin((1.0 - s) * angle) + to * math::sin(s * angle);
                let length = (1.0 - s) * from.norm() + s * to.norm();
                arcs.extend(
                    between
                        .try_normalize(1e-6)
                        .map(|way| -> [f64; 3] { (way * length).into() }),
                );
            }
        }
        arcs.push(point);
    }
    arcs
}

/// The paths from the front, from the side and from above, with axes in metres and the mechanism at the end; `None`
/// where nothing moves, or too much to be told apart.
pub fn views(title: &str, layout: &Layout, summary: &Summary, paths: &Paths) -> Option<String> {
    if !paths.moved || paths.bodies.len() > FEW || paths.bodies.is_empty() {
        return None;
    }
    let down = down(layout);
    let up = down.iamax();
    let rises = if down[up] > 0.0 { -1.0 } else { 1.0 };
    let across = [(up + 1) % 3, (up + 2) % 3];
    let held = is_held(layout, paths);
    let mut mechanism = match held {
        true => Mechanism::new(layout, &paths.sites, &paths.snapshots),
        false => Mechanism::default(),
    };
    let mut recent = followed(layout, paths, &mechanism, LONGEST_IN_VIEW);
    let kept = spread(recent.len(), MOST_IN_VIEW);
    let mut index = 0..;
    recent.retain(|_| index.next().is_some_and(|k| kept.contains(&k)));
    recent.iter_mut().for_each(|(_, way)| cut_short(way));
    let cut = cut_strings(&mut [&mut mechanism], &recent).trim_start();
    let size = extent(recent.iter().flat_map(|(_, path)| path).chain(mechanism.places()));
    let chart = |right: usize, above: usize| {
        let sign = if above == up { rises } else { 1.0 };
        let place = |point: &Vec3| (point[right], sign * point[above]);
        let joined = |lines: &[Vec<Vec3>]| -> Vec<(f64, f64)> {
            let ended = |line: &Vec<Vec3>| {
                let gap = (f64::NAN, f64::NAN);
                line.iter().map(place).chain([gap]).collect::<Vec<_>>()
            };
            lines.iter().flat_map(ended).collect()
        };
        let mut series: Vec<Curve> = recent
            .iter()
            .map(|(name, path)| line(name, path.iter().map(place).collect()))
            .collect();
        let mut add = |name: &str, points: Vec<(f64, f64)>, style: CurveStyle| {
            if !points.is_empty() {
                series.push(Curve {
                    name: name.to_owned(),
                    points,
                    style,
                });
            }
        };
        add("strings, slides", joined(&mechanism.strings), CurveStyle::Strings);
        add("at the end", joined(&mechanism.rods), CurveStyle::Rods);
        if !held {
            let ends = recent.iter().filter_map(|(_, path)| path.last());
            add("at the end", ends.map(place).collect(), CurveStyle::Points);
        }
        let letter = |axis: usize, sign: f64| {
            let minus = if sign < 0.0 { "−" } else { "" };
            Axis::linear(format!("{minus}{} (m)", ["x", "y", "z"][axis])).of_size(size)
        };
        Chart {
            title: String::new(),
            x: letter(right, 1.0),
            y: letter(above, sign),
            series,
            guides: vec![],
        }
    };
    let grid = Grid {
        title: title.to_owned(),
        subtitle: Some(subtitle(summary)),
        caption: Some(cut.to_owned()),
        charts: vec![
            chart(across[0], up),
            chart(across[1], up),
            chart(across[0], across[1]),
        ],
        equal: true,
    };
    Some(grid.render())
}

/// Leaves so much of the end of a path that it is not a patch.
fn cut_short(way: &mut Vec<Vec3>) {
    let longest = LONGEST_PATH * extent(way.iter());
    let mut length = 0.0;
    let steps = way.windows(2).rev().take_while(|pair| {
        let step = (pair[1] - pair[0]).norm();
        length += if step.is_finite() { step } else { 0.0 };
        length <= longest
    });
    let kept = steps.count() + 1;
    way.drain(..way.len().saturating_sub(kept));
}

/// Paths in one view, and points of each.
const MOST_IN_VIEW: usize = 3;
const LONGEST_IN_VIEW: usize = 5000;
/// Length of a path in one view, in sizes of the view.
const LONGEST_PATH: f64 = 50.0;

/// Whether rods hold the bodies, rather than a sphere that they move on.
fn is_held(layout: &Layout, paths: &Paths) -> bool {
    layout.drawing.down.is_some() || common_sphere(layout, &paths.sites).is_none()
}

/// The mechanism at several times from the start to the end, pale to dark; `None` where it is not one of rods.
pub fn configurations(title: &str, layout: &Layout, summary: &Summary, paths: &Paths) -> Option<String> {
    let count = Mechanism::new(layout, &paths.sites, &paths.snapshots).rods();
    if !paths.moved || !is_held(layout, paths) || !(1..=MOST_RODS).contains(&count) {
        return None;
    }
    let count = paths.snapshots.len();
    let shown = count.min(SHOWN - 1);
    let mut times: Vec<(f64, &[Vec3])> = (0..shown)
        .map(|k| &paths.snapshots[k * count / shown])
        .map(|(t, sites)| (*t, &sites[..]))
        .collect();
    times.retain(|(t, _)| *t < summary.t_end);
    times.push((summary.t_end, &paths.sites));
    let at = |(_, sites): &(f64, &[Vec3])| Mechanism::new(layout, sites, &paths.snapshots);
    let mut mechanisms: Vec<Mechanism> = times.iter().map(at).collect();
    let cut = cut_strings(&mut mechanisms.iter_mut().collect::<Vec<_>>(), &[]);
    let polylines = |lines: Vec<Vec<Vec3>>| -> Vec<Vec<[f64; 3]>> {
        let lines = lines.into_iter();
        lines
            .map(|line| line.into_iter().map(Into::into).collect())
            .collect()
    };
    let ghosts: Vec<Ghost> = times
        .iter()
        .zip(mechanisms)
        .map(|((t, _), Mechanism { rods, strings })| Ghost {
            name: format!("t = {} s", short(*t)),
            links: polylines(rods),
            strings: polylines(strings),
        })
        .collect();
    let space = Space {
        title: title.to_owned(),
        caption: format!("{}.{cut}", subtitle(summary)),
        spheres: false,
        paths: vec![],
        links: vec![],
        strings: vec![],
        down: down(layout).into(),
    };
    Some(space.render_with(&ghosts))
}

/// Times that are shown.
const SHOWN: usize = 6;
/// Rods that can be told apart.
const MOST_RODS: usize = 40;

/// Where the axis of each turning body points, on the unit sphere: of its three axes the one that moves least; and the
/// axis itself as it is at the end. `None` where no body turns freely.
pub fn attitude(title: &str, layout: &Layout, summary: &Summary, paths: &Paths) -> Option<String> {
    let turning = paths.turning.iter().zip(&layout.rotations);
    let (mut drawn, mut links, mut breaks) = (Vec::new(), Vec::new(), 0);
    for (turning, (_, name)) in turning {
        let Some(path) = turning.steadiest() else {
            continue;
        };
        breaks += path.breaks;
        links.extend(path.points.last().map(|&end| vec![[0.0; 3], end]));
        drawn.push(Path {
            name: format!("axis {} of {name}", path.axis),
            points: path.points,
        });
    }
    if drawn.is_empty() {
        return None;
    }
    let names: Vec<&str> = drawn.iter().map(|path| path.name.as_str()).collect();
    let mut caption = format!("{}; {}.", subtitle(summary), names.join(", "));
    if breaks > 0 {
        caption += &format!(
            " Broken in {} places, where more than half a turn lies between two samples: record more of them (`every`).",
            grouped(breaks as u64)
        );
    }
    let space = Space {
        title: title.to_owned(),
        caption,
        spheres: true,
        paths: drawn,
        links,
        strings: vec![],
        down: down(layout).into(),
    };
    Some(space.render())
}

/// Rods from one point that can be told apart.
const FEW: usize = 8;
/// Joints of a rod that can be told apart.
const LONG: usize = 40;

fn caption(
    summary: &Summary,
    paths: &Paths,
    hidden: Option<(usize, usize)>,
    sphere: Option<(Vec3, f64)>,
) -> String {
    let from = paths.times.front().copied().unwrap_or(0.0);
    let to = paths.times.back().copied().unwrap_or(0.0);
    let mut text = format!(
        "{}, steps of {} s; t = {} … {} s.",
        summary.method,
        decimal(summary.step),
        short(from),
        short(to)
    );
    let kept = paths.times.len() as u64;
    if kept < paths.samples {
        text += &format!(
            " The last {} of {} samples.",
            grouped(kept),
            grouped(paths.samples)
        );
    }
    if let Some((shown, all)) = hidden {
        text += &format!(" Paths of {shown} of {} points.", grouped(all as u64));
    }
    match sphere {
        Some((_, radius)) if (radius - 1.0).abs() > 1e-3 => {
            text += &format!(" Unit of length: {} m.", short(radius))
        }
        _ => {}
    }
    text
}

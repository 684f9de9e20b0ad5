use super::{line, subtitle};
use crate::{
    figure::{Axis, Chart, Curve, CurveStyle, Ghost, Grid, Path, Space},
    number::{decimal, grouped, short},
    series::{Paths, spread},
    summary::Summary,
};
use holonomy::{
    Vec3,
    system::{Base, Layout},
};
use std::collections::VecDeque;

/// Paths of the bodies and the mechanism as it is at the end.
///
/// Bodies that share one fixed base and one length move on a sphere, which is drawn, in units of its radius.
pub fn trajectory(title: &str, layout: &Layout, summary: &Summary, paths: &Paths) -> String {
    let sphere = common_sphere(layout, &paths.sites);
    let (origin, scale) = sphere.unwrap_or((Vec3::zeros(), 1.0));
    let place = |point: Vec3| -> [f64; 3] { ((point - origin) / scale).into() };
    let kept = paths.bodies.iter().zip(&paths.points);
    let names = if layout.drawing.sites.is_empty() {
        &layout.words.bodies[..]
    } else {
        &layout.drawing.sites[..]
    };
    let mut drawn: Vec<Path> = kept
        .map(|(&body, points)| Path {
            name: names.get(body).cloned().unwrap_or_default(),
            points: points.iter().map(|&point| place(point.into())).collect(),
        })
        .collect();

    let mut shown = drawn.len();

    let mut links = rods(layout, &paths.sites);
    let falls = layout.drawing.down.is_some();
    if sphere.is_some() && (!falls || links.len() > FEW) {
        // Bodies on a sphere are not held by rods; their places are the ends of their paths.
        links.clear();
    }
    let curves = layout.drawing.followed() < layout.drawing.bases.len();
    if !curves && links.iter().any(|rod| rod.len() > LONG) {
        // A chain of very many links is a curve.
        let curve = |rod: Vec<Vec3>| Path {
            name: format!("at t = {} s", short(summary.t_end)),
            points: rod.into_iter().map(place).collect(),
        };
        if let (Some(last), true) = (drawn.pop(), drawn.len() > 1) {
            drawn = vec![drawn.swap_remove(drawn.len() / 2), last];
        }
        shown = drawn.len();
        drawn.extend(links.drain(..).map(curve));
    }
    let down = layout.drawing.down.unwrap_or(-Vec3::z());
    Space {
        title: title.to_owned(),
        caption: caption(summary, paths, (shown, layout.drawing.followed()), sphere),
        spheres: sphere.is_some(),
        paths: drawn,
        links: links
            .into_iter()
            .map(|rod| rod.into_iter().map(place).collect())
            .collect(),
        down: down.into(),
    }
    .render()
}

/// The paths from the front, from the side and from above, with axes in metres; `None` where nothing moves, or too much
/// to be told apart.
pub fn views(title: &str, layout: &Layout, summary: &Summary, paths: &Paths) -> Option<String> {
    if !paths.moved || paths.bodies.len() > FEW || paths.bodies.is_empty() {
        return None;
    }
    let names = match layout.drawing.sites.is_empty() {
        true => &layout.words.bodies[..],
        false => &layout.drawing.sites[..],
    };
    let down = layout.drawing.down.unwrap_or(-Vec3::z());
    let up = down.iamax();
    let rises = if down[up] > 0.0 { -1.0 } else { 1.0 };
    let across = [(up + 1) % 3, (up + 2) % 3];
    let mut links = rods(layout, &paths.sites);
    if links.len() > MOST_RODS || !is_held(layout, paths) {
        links.clear();
    }
    let kept = spread(paths.bodies.len(), MOST_IN_VIEW);
    let chart = |right: usize, above: usize| {
        let sign = if above == up { rises } else { 1.0 };
        let place = |point: Vec3| (point[right], sign * point[above]);
        let kept = kept.iter().map(|&k| (&paths.bodies[k], &paths.points[k]));
        // A longer stretch would be a black patch.
        let recent = |points: &VecDeque<[f64; 3]>| -> Vec<(f64, f64)> {
            let skipped = points.len().saturating_sub(LONGEST_IN_VIEW);
            points
                .iter()
                .skip(skipped)
                .map(|&point| place(point.into()))
                .collect()
        };
        let mut series: Vec<Curve> = kept
            .map(|(&body, points)| line(names.get(body).map_or("", String::as_str), recent(points)))
            .filter(|curve| curve.points.windows(2).any(|pair| pair[0] != pair[1]))
            .collect();
        let mut mechanism: Vec<(f64, f64)> = Vec::new();
        for rod in &links {
            mechanism.extend(rod.iter().map(|&joint| place(joint)));
            mechanism.push((f64::NAN, f64::NAN));
        }
        if !links.is_empty() {
            series.push(Curve {
                name: "at the end".to_owned(),
                points: mechanism,
                style: match links.iter().any(|rod| rod.len() > LONG) {
                    true => CurveStyle::Line,
                    false => CurveStyle::LineAndPoints,
                },
            });
        }
        let letter = |axis: usize, sign: f64| {
            let minus = if sign < 0.0 { "−" } else { "" };
            Axis::linear(format!("{minus}{} (m)", ["x", "y", "z"][axis]))
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
        caption: None,
        charts: vec![
            chart(across[0], up),
            chart(across[1], up),
            chart(across[0], across[1]),
        ],
        equal: true,
    };
    Some(grid.render())
}

/// Paths in one view, and points of each.
const MOST_IN_VIEW: usize = 3;
const LONGEST_IN_VIEW: usize = 5000;

/// Whether rods hold the bodies, rather than a sphere that they move on.
fn is_held(layout: &Layout, paths: &Paths) -> bool {
    layout.drawing.down.is_some() || common_sphere(layout, &paths.sites).is_none()
}

/// The mechanism at several times from the start to the end, pale to dark; `None` where it is not one of rods.
pub fn configurations(title: &str, layout: &Layout, summary: &Summary, paths: &Paths) -> Option<String> {
    let count = rods(layout, &paths.sites).len();
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
    let ghosts: Vec<Ghost> = times
        .iter()
        .map(|(t, sites)| Ghost {
            name: format!("t = {} s", short(*t)),
            links: rods(layout, sites)
                .into_iter()
                .map(|rod| rod.into_iter().map(Into::into).collect())
                .collect(),
        })
        .collect();
    let space = Space {
        title: title.to_owned(),
        caption: format!("{}.", subtitle(summary)),
        spheres: false,
        paths: vec![],
        links: vec![],
        down: layout.drawing.down.unwrap_or(-Vec3::z()).into(),
    };
    Some(space.render_with(&ghosts))
}

/// Times that are shown.
const SHOWN: usize = 6;
/// Rods that can be told apart.
const MOST_RODS: usize = 40;

/// Where the axis of each turning body points, on the unit sphere: of its three axes the one that moves least. `None`
/// where no body turns freely.
pub fn attitude(title: &str, layout: &Layout, summary: &Summary, paths: &Paths) -> Option<String> {
    let length = |path: &VecDeque<[f64; 3]>| -> f64 {
        let steps = path.iter().zip(path.iter().skip(1));
        steps.map(|(a, b)| (Vec3::from(*b) - Vec3::from(*a)).norm()).sum()
    };
    let turning = paths.axes.iter().zip(&layout.rotations);
    let drawn: Vec<Path> = turning
        .filter_map(|(axes, (_, name))| {
            let named = axes.iter().zip(["x", "y", "z"]);
            let (path, letter) = named.min_by(|a, b| length(a.0).total_cmp(&length(b.0)))?;
            Some(Path {
                name: format!("axis {letter} of {name}"),
                points: path.iter().copied().collect(),
            })
        })
        .collect();
    if drawn.is_empty() {
        return None;
    }
    let names: Vec<&str> = drawn.iter().map(|path| path.name.as_str()).collect();
    let space = Space {
        title: title.to_owned(),
        caption: format!("{}; {}.", subtitle(summary), names.join(", ")),
        spheres: true,
        paths: drawn,
        links: vec![],
        down: layout.drawing.down.unwrap_or(-Vec3::z()).into(),
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
    (shown, all): (usize, usize),
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
    if shown < all {
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

/// Centre and radius of the sphere that all bodies move on, if there is one.
fn common_sphere(layout: &Layout, sites: &[Vec3]) -> Option<(Vec3, f64)> {
    let Some(&Base::Fixed(centre)) = layout.drawing.bases.first() else {
        return None;
    };
    let radius = (sites.first()? - centre).norm();
    let shared = layout
        .drawing
        .bases
        .iter()
        .all(|base| *base == Base::Fixed(centre));
    // Methods that leave the manifold change the lengths a little.
    let alike = |site: &Vec3| ((site - centre).norm() / radius - 1.0).abs() < 0.05;
    (shared && radius > 0.0 && sites.iter().all(alike)).then_some((centre, radius))
}

/// Links that follow each other, as polylines from their fixed base or from the joint where they branch off, and
/// strings.
fn rods(layout: &Layout, sites: &[Vec3]) -> Vec<Vec<Vec3>> {
    let mut rods: Vec<Vec<Vec3>> = Vec::new();
    // The rod that ends at a site, while no other link goes on from there.
    let mut ends_at: Vec<Option<usize>> = vec![None; sites.len()];
    for (body, (base, &site)) in layout.drawing.bases.iter().zip(sites).enumerate() {
        let rod = match *base {
            Base::Fixed(point) => {
                rods.push(vec![point, site]);
                rods.len() - 1
            }
            Base::Site(parent) if parent == body => continue,
            Base::Site(parent) => match ends_at.get_mut(parent).and_then(Option::take) {
                Some(rod) => {
                    rods[rod].push(site);
                    rod
                }
                None => {
                    rods.push(vec![sites[parent], site]);
                    rods.len() - 1
                }
            },
        };
        ends_at[body] = Some(rod);
    }
    let strings = layout.drawing.strings.iter();
    rods.extend(strings.map(|string| string.iter().map(|site| sites[*site]).collect()));
    rods
}

#[cfg(test)]
mod tests {
    use super::*;
    use holonomy::system::Drawing;

    fn layout(bases: Vec<Base>) -> Layout {
        Layout {
            drawing: Drawing {
                bases,
                ..Drawing::default()
            },
            ..Layout::default()
        }
    }

    #[test]
    fn a_chain_is_one_rod_and_a_branch_another() {
        let sites = [Vec3::x(), 2.0 * Vec3::x(), Vec3::y()];
        let tree = layout(vec![Base::Fixed(Vec3::zeros()), Base::Site(0), Base::Site(0)]);
        let rods = rods(&tree, &sites);
        assert_eq!(rods.len(), 2);
        assert_eq!(rods[0], [Vec3::zeros(), sites[0], sites[1]]);
        assert_eq!(rods[1], [sites[0], sites[2]]);
    }

    #[test]
    fn a_sphere_needs_one_centre_and_one_radius() {
        let here = Base::Fixed(Vec3::z());
        let sites = [Vec3::z() + 2.0 * Vec3::x(), Vec3::z() - 2.0 * Vec3::y()];
        let sphere = common_sphere(&layout(vec![here, here]), &sites);
        assert_eq!(sphere, Some((Vec3::z(), 2.0)));
        assert_eq!(common_sphere(&layout(vec![here, Base::Site(0)]), &sites), None);
        let uneven = [sites[0], Vec3::zeros()];
        assert_eq!(common_sphere(&layout(vec![here, here]), &uneven), None);
    }
}

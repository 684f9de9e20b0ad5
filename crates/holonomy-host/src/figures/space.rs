use super::{grouped, short};
use crate::{
    figure::{Path, Space},
    series::Paths,
    summary::Summary,
};
use holonomy::{
    Vec3,
    system::{Base, Layout},
};

/// Paths of the bodies and the mechanism as it is at the end.
///
/// Bodies that share one fixed base and one length move on a sphere, which is drawn, in units of its radius.
pub fn trajectory(title: &str, layout: &Layout, summary: &Summary, paths: &Paths) -> String {
    let sphere = common_sphere(layout, &paths.sites);
    let (origin, scale) = sphere.unwrap_or((Vec3::zeros(), 1.0));
    let place = |point: Vec3| -> [f64; 3] { ((point - origin) / scale).into() };
    let kept = paths.bodies.iter().zip(&paths.points);
    let names = if layout.sites.is_empty() {
        &layout.bodies
    } else {
        &layout.sites
    };
    let mut drawn: Vec<Path> = kept
        .map(|(&body, points)| Path {
            name: names.get(body).cloned().unwrap_or_default(),
            points: points.iter().map(|&point| place(point.into())).collect(),
        })
        .collect();

    let mut shown = drawn.len();

    let mut links = rods(layout, &paths.sites);
    let falls = layout.down.is_some();
    if sphere.is_some() && (!falls || links.len() > FEW) {
        // Bodies on a sphere are not held by rods; their places are the ends of their paths.
        links.clear();
    }
    if links.iter().any(|rod| rod.len() > LONG) {
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
    let down = layout.down.unwrap_or(-Vec3::z());
    Space {
        title: title.to_owned(),
        caption: caption(summary, paths, shown, sphere),
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

/// Rods from one point that can be told apart.
const FEW: usize = 8;
/// Joints of a rod that can be told apart.
const LONG: usize = 40;

fn caption(summary: &Summary, paths: &Paths, shown: usize, sphere: Option<(Vec3, f64)>) -> String {
    let from = paths.times.front().copied().unwrap_or(0.0);
    let to = paths.times.back().copied().unwrap_or(0.0);
    let mut text = format!(
        "{}, steps of {} s; t = {} … {} s.",
        summary.method,
        summary.step,
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
    if shown < paths.sites.len() {
        text += &format!(
            " Paths of {shown} of {} points.",
            grouped(paths.sites.len() as u64)
        );
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
    let Some(&Base::Fixed(centre)) = layout.bases.first() else {
        return None;
    };
    let radius = (sites.first()? - centre).norm();
    let shared = layout.bases.iter().all(|base| *base == Base::Fixed(centre));
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
    for (body, (base, &site)) in layout.bases.iter().zip(sites).enumerate() {
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
    let strings = layout.strings.iter();
    rods.extend(strings.map(|string| string.iter().map(|site| sites[*site]).collect()));
    rods
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(bases: Vec<Base>) -> Layout {
        Layout {
            bodies: bases.iter().map(|_| String::new()).collect(),
            bases,
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

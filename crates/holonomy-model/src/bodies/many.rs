//! Many bodies in one section: `[chain]`, `[grid]`, `[icosphere]`, `[spiral]`.
use super::{Bodies, End, Shape, read_shape, unit};
use crate::{Place, Problems, Section};
use holonomy::{
    Vec3,
    geometry::{Icosphere, s2},
    math,
    system::Base,
};

pub(super) fn read_chain(section: Section<'_>, all: &mut Bodies) -> Option<()> {
    let problems = section.problems();
    let links = section.required("links").count();
    let shape = read_shape(&section);
    let prefix = read_prefix(&section, "link");
    let held = section.optional("end").vector();
    let is_held = section.has("end");
    let directed = !is_held || section.has("direction") || section.has("end_direction");
    let direction = match directed {
        true => section.required("direction").vector(),
        false => None,
    };
    let direction = direction.and_then(|d| unit(&d, "direction", problems));
    let has_end = section.has("end_direction");
    let end = section.optional("end_direction").vector();
    let end_place = section
        .value_place("end_direction")
        .unwrap_or_else(|| section.place());
    let end = end.and_then(|d| unit(&d, "end_direction", problems));
    let angular = section.optional("angular_velocity").vector();
    let pivot = section.optional("pivot").vector();
    let kind = section.value_place("shape");
    section.finish();
    if let (Some(direction), Some(end)) = (&direction, &end)
        && (direction + end).norm() < 1e-6
    {
        return problems
            .error(
                end_place,
                "`end_direction` is opposite to `direction`: the chain could turn either way",
            )
            .help("tilt one of them")
            .none();
    }
    // Until it is known which way is down.
    let direction = if directed { direction } else { Some(Vec3::z()) };
    let (links, shape, direction) = (links?.value, shape?, direction?);
    if (has_end && end.is_none()) || (is_held && held.is_none()) {
        return None;
    }
    if let Some(kind) = kind.filter(|_| shape.centre == 0.0 && links > 1) {
        return problems
            .error(kind, "needles turn about their centres and cannot be chained")
            .help("use `rod` or `point`; separate needles come from `[[body]]` or `[grid]`")
            .none();
    }
    if has_end && links == 1 {
        problems.note(end_place, "`end_direction` is not used: the chain has one link");
    }
    let pivot = pivot.map_or_else(Vec3::zeros, |p| p.value.into());
    if let Some(held) = held {
        let at = Vec3::from(held.value);
        fits(
            links,
            shape.reach,
            (at - pivot).norm(),
            held.place.clone(),
            problems,
        )?;
        all.end = Some(End {
            at,
            place: held.place,
            directed,
        });
    }
    let mut along = 0.0_f64;
    for i in 0..links {
        let fraction = if links == 1 {
            0.0
        } else {
            i as f64 / (links - 1) as f64
        };
        let direction = end.map_or(direction, |end| between(&direction, &end, fraction));
        let base = if i == 0 {
            Base::Fixed(pivot)
        } else {
            Base::Site(i - 1)
        };
        let name = format!("{prefix}-{}", i + 1);
        let omega = angular.as_ref().map_or_else(Vec3::zeros, |w| {
            let w = Vec3::from(w.value);
            if !directed {
                return w;
            }
            along = along.max((w.dot(&direction) / w.norm()).abs());
            s2::tangent(&direction, &w)
        });
        all.push(name, base, &shape, direction, omega);
    }
    if let Some(angular) = angular.filter(|_| along > 1e-12) {
        let message = "`angular_velocity` has a component along the links; it is removed";
        problems.note(angular.place, message);
    }
    Some(())
}

/// Whether links can reach from end to end and still move.
fn fits(links: usize, length: f64, apart: f64, place: Place, problems: &Problems) -> Option<()> {
    let whole = links as f64 * length;
    let (message, help) = if links == 1 {
        (
            "a single link with both ends held cannot move".to_owned(),
            "give the chain more `links`",
        )
    } else if apart >= whole * (1.0 - 1e-9) {
        (
            format!("the chain is {whole} m long, but its ends are {apart:.6} m apart"),
            "a chain between two points hangs through: give it more or longer links, or move `end`",
        )
    } else if links == 2 && apart <= 1e-9 * whole {
        (
            "two links between ends at one place can turn about each other in every way".to_owned(),
            "give the chain more `links`, or move `end`",
        )
    } else {
        return Some(());
    };
    problems.error(place, message).help(help).none()
}

pub(super) fn read_grid(section: Section<'_>, all: &mut Bodies) -> Option<()> {
    let problems = section.problems();
    let rows = section.required("rows").count();
    let columns = section.required("columns").count();
    let spacing = section.required("spacing").number();
    let shape = read_shape(&section);
    let prefix = read_prefix(&section, "body");
    let direction = section
        .required("direction")
        .vector()
        .and_then(|d| unit(&d, "direction", problems));
    section.finish();
    let (rows, columns, spacing) = (rows?.value, columns?.value, spacing?.value);
    let (shape, direction) = (shape?, direction?);
    for row in 0..rows {
        for column in 0..columns {
            let pivot = Vec3::new(column as f64 * spacing, row as f64 * spacing, 0.0);
            let name = format!("{prefix}-{}", row * columns + column + 1);
            all.push(name, Base::Fixed(pivot), &shape, direction, Vec3::zeros());
        }
    }
    Some(())
}

pub(super) fn read_icosphere(section: Section<'_>, all: &mut Bodies) -> Option<()> {
    let subdivisions = section.required("subdivisions").count();
    let sphere = read_sphere(section)?;
    let vertices = Icosphere::new(subdivisions?.value as u32).vertices;
    all.push_on(&sphere, vertices);
    Some(())
}

/// Points on a spiral from pole to pole, each a golden angle on from the last, with equal areas between them.
pub(super) fn read_spiral(section: Section<'_>, all: &mut Bodies) -> Option<()> {
    let count = section.required("count").count();
    let sphere = read_sphere(section)?;
    let count = count?.value;
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let point = |i: usize| {
        let z = 1.0 - (2 * i + 1) as f64 / count as f64;
        let (sine, cosine) = math::sin_cos(golden * i as f64);
        let around = (1.0 - z * z).sqrt();
        Vec3::new(around * cosine, around * sine, z).normalize()
    };
    all.push_on(&sphere, (0..count).map(point));
    Some(())
}

/// Point masses of one kind on a sphere about the origin.
struct Sphere<'a> {
    shape: Shape,
    prefix: &'a str,
}

fn read_sphere<'a>(section: Section<'a>) -> Option<Sphere<'a>> {
    let mass = section.required("mass").number();
    let radius = section.optional("radius").number();
    let has_radius = section.has("radius");
    let prefix = read_prefix(&section, "body");
    section.finish();
    let mass = mass?.value;
    if has_radius && radius.is_none() {
        return None;
    }
    let length = radius.map_or(1.0, |r| r.value);
    let shape = Shape {
        mass,
        centre: 1.0,
        moment: mass * length * length,
        reach: length,
    };
    Some(Sphere { shape, prefix })
}

impl Bodies {
    fn push_on(&mut self, sphere: &Sphere<'_>, directions: impl IntoIterator<Item = Vec3>) {
        let pivot = Base::Fixed(Vec3::zeros());
        for (i, direction) in directions.into_iter().enumerate() {
            let name = format!("{}-{}", sphere.prefix, i + 1);
            self.push(name, pivot, &sphere.shape, direction, Vec3::zeros());
        }
    }
}

/// What the names of many bodies begin with.
fn read_prefix<'a>(section: &Section<'a>, default: &'a str) -> &'a str {
    section.optional("name").name().map_or(default, |name| name.value)
}

/// The point at a fraction of the great circle from a to b.
fn between(a: &Vec3, b: &Vec3, fraction: f64) -> Vec3 {
    let axis = a.cross(b);
    let angle = math::atan2(axis.norm(), a.dot(b));
    match axis.try_normalize(0.0) {
        Some(axis) => s2::great_circle(a, &(axis * (angle * fraction))),
        None => *a,
    }
}

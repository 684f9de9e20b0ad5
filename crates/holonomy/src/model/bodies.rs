//! What moves: `[[body]]`, `[chain]`, `[grid]`, `[icosphere]`, `inertia`, and how it starts:
//! `[[start]]`, `[[swirl]]`.
use super::{Problems, Section, Spanned, Unit};
use crate::{
    Vec3,
    geometry::{Icosphere, s2},
    spheres::{Body, Inertia, Link, Links},
    system::Base,
};

/// The bodies of a model.
#[derive(Default)]
pub(super) struct Bodies {
    pub(super) bodies: Vec<Body>,
    pub(super) links: Vec<Link>,
    pub(super) inertia: Inertia,
    /// First moment of each body about its base, kg m, and the energy offset per unit gravity:
    /// Σ m × (place of the fixed bases).
    pub(super) first_moments: Vec<f64>,
    pub(super) anchored: Vec3,
    pub(super) directions: Vec<Vec3>,
    pub(super) angular_velocities: Vec<Vec3>,
}

impl Bodies {
    pub(super) fn names(&self) -> Vec<&str> {
        self.bodies.iter().map(|b| b.name.as_str()).collect()
    }
}

pub(super) fn read(root: &Section<'_>) -> Option<Bodies> {
    let mut all = Bodies::default();
    let problems = root.problems();
    let before = problems.len();
    let makers = ["body", "chain", "grid", "icosphere"];
    let given: Vec<&str> = makers.into_iter().filter(|key| root.has(key)).collect();
    let _ = root.has("inertia");
    if let [first, second, ..] = given[..] {
        let span = root.key_span(second).unwrap_or_default();
        problems
            .error(
                span,
                format!("`{first}` and `{second}` cannot stand in one model"),
            )
            .help("bodies come from one of `[[body]]`, `[chain]`, `[grid]`, `[icosphere]`");
        return None;
    }
    let mut ok = true;
    for section in root.optional("body").tables() {
        ok &= read_body(section, &mut all).is_some();
    }
    let one: [(&str, fn(Section<'_>, &mut Bodies) -> Option<()>); 3] = [
        ("chain", read_chain),
        ("grid", read_grid),
        ("icosphere", read_icosphere),
    ];
    for (key, read) in one {
        if let Some(section) = root.optional(key).table() {
            ok &= read(section, &mut all).is_some();
        }
    }
    if all.bodies.is_empty() && ok && problems.len() == before {
        root.error("the model has no bodies")
            .help("add `[[body]]` sections, or `[chain]`, `[grid]` or `[icosphere]` for many at once");
        ok = false;
    }
    if ok {
        for section in root.optional("start").tables() {
            ok &= read_start(section, &mut all).is_some();
        }
        for section in root.optional("swirl").tables() {
            ok &= read_swirl(section, &mut all).is_some();
        }
    } else {
        // They speak of bodies that could not be read.
        let _ = (root.has("start"), root.has("swirl"));
    }
    let links = Links::new(all.links.clone());
    all.first_moments = (0..links.len()).map(|i| links.first_moment(i)).collect();
    all.anchored = anchored_moment(&all);
    all.inertia = match root.optional("inertia").matrix(Unit::KILOGRAM_METRE_SQUARED) {
        Some(matrix) if ok => read_matrix(&matrix, all.bodies.len(), problems)?,
        _ => Inertia::Links(links),
    };
    (ok && !all.bodies.is_empty()).then_some(all)
}

/// Which way a body's mass lies on it.
const SHAPES: [&str; 3] = ["point", "rod", "needle"];

fn read_body(section: Section<'_>, all: &mut Bodies) -> Option<()> {
    let problems = section.problems();
    let name = section.optional("name").name();
    let name = name.map_or_else(
        || (format!("body-{}", all.bodies.len() + 1), section.span()),
        |n| (n.value.to_owned(), n.span),
    );
    let shape = read_shape(&section);
    let direction = section
        .required("direction")
        .vector(Unit::NONE)
        .and_then(|d| unit(&d, "direction", problems));
    let angular = section
        .optional("angular_velocity")
        .vector(Unit::RADIAN_PER_SECOND);
    let pivot = section.optional("pivot").vector(Unit::METRE);
    let parent = section.optional("parent").reference();
    let mut ok = true;
    if let (Some(pivot), Some(_)) = (&pivot, &parent) {
        problems
            .error(
                pivot.span.clone(),
                "a body with a `parent` hangs on its end and has no `pivot`",
            )
            .help("remove one of the two");
        ok = false;
    }
    let has_parent = section.has("parent");
    let parent = parent.and_then(|parent| {
        let names = all.names();
        if parent.value == super::Reference::Name(&name.0) {
            return problems
                .error(parent.span, "a body cannot be its own parent")
                .none();
        }
        parent.resolve("earlier body", &names, problems)
    });
    ok &= parent.is_some() == has_parent;
    if all.bodies.iter().any(|b| b.name == name.0) {
        problems
            .error(name.1.clone(), format!("there are two bodies named `{}`", name.0))
            .help("names must differ");
        ok = false;
    }
    section.finish();
    // A body that cannot be understood still has a name, so that its children can be read.
    let understood = ok && shape.is_some() && direction.is_some();
    let base = parent.map_or_else(
        || Base::Fixed(pivot.map_or_else(Vec3::zeros, |p| p.value.into())),
        Base::Site,
    );
    let direction = direction.unwrap_or_else(Vec3::z);
    let omega = angular.map_or_else(Vec3::zeros, |w| tangent(&w, &direction, &name.0, problems));
    all.push(name.0, base, &shape.unwrap_or_default(), direction, omega);
    understood.then_some(())
}

/// Mass, length and how the mass lies.
#[derive(Clone, Copy, Default)]
struct Shape {
    mass: f64,
    length: f64,
    centre: f64,
    moment: f64,
    /// How far the drawn tip is from the base.
    reach: f64,
}

fn read_shape(section: &Section<'_>) -> Option<Shape> {
    let mass = section.required("mass").positive(Unit::KILOGRAM);
    let length = section.optional("length").positive(Unit::METRE);
    let has_length = section.has("length");
    let kind = section.optional("shape").choice(&SHAPES);
    let has_kind = section.has("shape");
    let moment = section.optional("moment").positive(Unit::KILOGRAM_METRE_SQUARED);
    let has_moment = section.has("moment");
    if length.is_some() != has_length || kind.is_some() != has_kind || moment.is_some() != has_moment {
        return None;
    }
    let mass = mass?.value;
    let length = length.map_or(1.0, |l| l.value);
    let square = mass * length * length;
    let (centre, own, reach) = match kind.map_or("point", |k| k.value) {
        "rod" => (0.5, square / 3.0, length),
        "needle" => (0.0, square / 12.0, 0.5 * length),
        _ => (1.0, square, length),
    };
    let least = square * centre * centre;
    if let Some(moment) = &moment
        && moment.value < least * (1.0 - 1e-12)
    {
        return section
            .problems()
            .error(
                moment.span.clone(),
                format!(
                    "a mass of {mass} kg at {} m cannot have so small a moment of inertia",
                    centre * length
                ),
            )
            .help(format!("it is at least {least} kg m^2"))
            .none();
    }
    Some(Shape {
        mass,
        length,
        centre,
        moment: moment.map_or(own, |m| m.value),
        reach,
    })
}

impl Bodies {
    fn push(&mut self, name: String, base: Base, shape: &Shape, direction: Vec3, omega: Vec3) {
        let Shape {
            mass,
            length,
            centre,
            moment,
            reach,
        } = *shape;
        let parent = match base {
            Base::Fixed(_) => None,
            Base::Site(parent) => Some(parent),
        };
        self.bodies.push(Body {
            name,
            base,
            length: reach,
        });
        self.links.push(Link {
            parent,
            length,
            mass,
            centre,
            moment,
        });
        self.directions.push(direction);
        self.angular_velocities.push(omega);
    }
}

const MOST_BODIES: usize = 1_000_000;

fn read_chain(section: Section<'_>, all: &mut Bodies) -> Option<()> {
    let problems = section.problems();
    let links = section.required("links").count(1..=MOST_BODIES);
    let shape = read_shape(&section);
    let prefix = read_prefix(&section, "link");
    let direction = section
        .required("direction")
        .vector(Unit::NONE)
        .and_then(|d| unit(&d, "direction", problems));
    let has_end = section.has("end_direction");
    let end = section
        .optional("end_direction")
        .vector(Unit::NONE)
        .and_then(|d| unit(&d, "end_direction", problems));
    let angular = section
        .optional("angular_velocity")
        .vector(Unit::RADIAN_PER_SECOND);
    let pivot = section.optional("pivot").vector(Unit::METRE);
    let header = section.key_span("shape").unwrap_or_else(|| section.span());
    section.finish();
    let (links, shape, direction) = (links?.value, shape?, direction?);
    if has_end && end.is_none() {
        return None;
    }
    if shape.centre == 0.0 && links > 1 {
        return problems
            .error(header, "needles turn about their centres and cannot be chained")
            .none();
    }
    let pivot = pivot.map_or_else(Vec3::zeros, |p| p.value.into());
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
        let omega = angular
            .as_ref()
            .map_or_else(Vec3::zeros, |w| s2::tangent(&direction, &w.value.into()));
        all.push(name, base, &shape, direction, omega);
    }
    Some(())
}

fn read_grid(section: Section<'_>, all: &mut Bodies) -> Option<()> {
    let problems = section.problems();
    let rows = section.required("rows").count(1..=1000);
    let columns = section.required("columns").count(1..=1000);
    let spacing = section.required("spacing").positive(Unit::METRE);
    let shape = read_shape(&section);
    let prefix = read_prefix(&section, "body");
    let direction = section
        .required("direction")
        .vector(Unit::NONE)
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

fn read_icosphere(section: Section<'_>, all: &mut Bodies) -> Option<()> {
    let subdivisions = section.required("subdivisions").count(0..=7);
    let mass = section.required("mass").positive(Unit::KILOGRAM);
    let radius = section.optional("radius").positive(Unit::METRE);
    let has_radius = section.has("radius");
    let prefix = read_prefix(&section, "body");
    section.finish();
    let (subdivisions, mass) = (subdivisions?.value, mass?.value);
    if has_radius && radius.is_none() {
        return None;
    }
    let length = radius.map_or(1.0, |r| r.value);
    let shape = Shape {
        mass,
        length,
        centre: 1.0,
        moment: mass * length * length,
        reach: length,
    };
    for (i, vertex) in Icosphere::new(subdivisions as u32)
        .vertices
        .into_iter()
        .enumerate()
    {
        all.push(
            format!("{prefix}-{}", i + 1),
            Base::Fixed(Vec3::zeros()),
            &shape,
            vertex,
            Vec3::zeros(),
        );
    }
    Some(())
}

/// What the names of many bodies begin with.
fn read_prefix<'a>(section: &Section<'a>, default: &'a str) -> &'a str {
    section.optional("name").name().map_or(default, |name| name.value)
}

fn read_start(section: Section<'_>, all: &mut Bodies) -> Option<()> {
    let problems = section.problems();
    let body = section
        .required("body")
        .reference()
        .and_then(|b| b.resolve("body", &all.names(), problems));
    let direction = section.optional("direction").vector(Unit::NONE);
    let angular = section
        .optional("angular_velocity")
        .vector(Unit::RADIAN_PER_SECOND);
    let empty = !(section.has("direction") || section.has("angular_velocity"));
    if empty {
        section
            .error("this start changes nothing")
            .help("give a `direction`, an `angular_velocity` or both");
    }
    section.finish();
    let body = body?;
    if let Some(direction) = direction {
        all.directions[body] = unit(&direction, "direction", problems)?;
        // The angular velocity of the section before stays as perpendicular as it was asked to be.
        all.angular_velocities[body] = s2::tangent(&all.directions[body], &all.angular_velocities[body]);
    }
    if let Some(angular) = angular {
        let name = all.bodies[body].name.clone();
        all.angular_velocities[body] = tangent(&angular, &all.directions[body], &name, problems);
    }
    Some(())
}

/// A whirl about a centre: `v = U (c × q) exp(−(∠(q, c)/w)²)`, added to the velocities of all bodies.
fn read_swirl(section: Section<'_>, all: &mut Bodies) -> Option<()> {
    let problems = section.problems();
    let centre = section
        .required("centre")
        .vector(Unit::NONE)
        .and_then(|c| unit(&c, "centre", problems));
    let rate = section.required("rate").number(Unit::RADIAN_PER_SECOND);
    let width = section.required("width").positive(Unit::RADIAN);
    section.finish();
    let (centre, rate, width) = (centre?, rate?.value, width?.value);
    for (q, omega) in all.directions.iter().zip(&mut all.angular_velocities) {
        let angle = q.cross(&centre).norm().atan2(q.dot(&centre));
        let velocity = centre.cross(q) * (rate * (-(angle / width).powi(2)).exp());
        *omega += q.cross(&velocity);
    }
    Some(())
}

fn read_matrix(matrix: &Spanned<Vec<Vec<f64>>>, bodies: usize, problems: &Problems) -> Option<Inertia> {
    let rows = &matrix.value;
    if rows.len() != bodies {
        let message = format!("`inertia` has {} rows for {bodies} bodies", rows.len());
        return problems
            .error(matrix.span.clone(), message)
            .help("give one row and one column per body")
            .none();
    }
    match Inertia::from_matrix(rows) {
        Ok(inertia) => Some(inertia),
        Err(error) => problems.error(matrix.span.clone(), error.to_string()).none(),
    }
}

/// `Σ m r` of the places where fixed bases are: what gravity sees of them.
fn anchored_moment(all: &Bodies) -> Vec3 {
    let mut carried: Vec<f64> = all.links.iter().map(|l| l.mass).collect();
    let mut moment = Vec3::zeros();
    for i in (0..all.links.len()).rev() {
        match all.bodies[i].base {
            Base::Site(parent) => carried[parent] += carried[i],
            Base::Fixed(r) => moment += r * carried[i],
        }
    }
    moment
}

/// A unit vector: normalised if it nearly is one, refused otherwise.
pub(super) fn unit(vector: &Spanned<[f64; 3]>, key: &str, problems: &Problems) -> Option<Vec3> {
    let v = Vec3::from(vector.value);
    let norm = v.norm();
    if !((norm - 1.0).abs() <= 1e-3) {
        let report = problems.error(
            vector.span.clone(),
            format!("`{key}` has length {}, not 1", brief(norm)),
        );
        let report = if norm > 0.0 && norm.is_finite() {
            let u = v / norm;
            report.help(format!("did you mean `[{}, {}, {}]`?", u.x, u.y, u.z))
        } else {
            report.help("a direction is a unit vector, such as `[0, 0, 1]`")
        };
        return report.none();
    }
    // Digits that end at the sixteenth place are as good as exact.
    if (norm - 1.0).abs() > 1e-12 {
        let message = format!("`{key}` has length {}; it is normalised", brief(norm));
        problems.note(vector.span.clone(), message);
    }
    Some(v / norm)
}

/// An angular velocity perpendicular to the direction.
fn tangent(omega: &Spanned<[f64; 3]>, direction: &Vec3, name: &str, problems: &Problems) -> Vec3 {
    let w = Vec3::from(omega.value);
    let along = w.dot(direction);
    if along.abs() > 1e-12 * w.norm() {
        let message = format!(
            "the angular velocity of `{name}` has a component of {} rad/s along its direction; it is removed",
            brief(along)
        );
        problems.note(omega.span.clone(), message);
    }
    s2::tangent(direction, &w)
}

/// The point at a fraction of the great circle from a to b.
fn between(a: &Vec3, b: &Vec3, fraction: f64) -> Vec3 {
    let axis = a.cross(b);
    let angle = axis.norm().atan2(a.dot(b));
    match axis.try_normalize(0.0) {
        Some(axis) => s2::great_circle(a, &(axis * (angle * fraction))),
        None => *a,
    }
}

/// Enough digits to see what is wrong.
fn brief(x: f64) -> String {
    let text = format!("{x:.6}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

//! What moves: `[[body]]`, `[chain]`, `[grid]`, `[icosphere]`, `[spiral]`, `inertia`, and how it starts:
//! `[[start]]`, `[[swirl]]`.
mod many;
mod start;

use super::{Located, Place, Problems, Reference, Section};
use holonomy::{
    Vec3,
    geometry::s2,
    math,
    spheres::{Body, Inertia, InertiaError},
    system::Base,
};
use many::{read_chain, read_grid, read_icosphere, read_spiral};
use start::{read_start, read_swirl};
use std::collections::{HashMap, HashSet};

/// The bodies of a model.
#[derive(Default)]
pub(super) struct Bodies {
    pub(super) bodies: Vec<Body>,
    /// If it is not that of links joined end to end.
    pub(super) inertia: Option<Inertia>,
    pub(super) directions: Vec<Vec3>,
    pub(super) angular_velocities: Vec<Vec3>,
    /// Where the last of a chain ends, if it is held there.
    pub(super) end: Option<End>,
    /// Whether all of them were understood; if not, only their names can be relied on.
    pub(super) sound: bool,
    /// Which body has a name: the first, if there are two.
    places: HashMap<String, usize>,
}

/// The held end of a chain.
pub(super) struct End {
    pub(super) at: Vec3,
    pub(super) place: Place,
    /// Whether directions are given. If not, the chain starts as it hangs at rest.
    pub(super) directed: bool,
}

impl Bodies {
    pub(super) fn names(&self) -> Vec<&str> {
        self.bodies.iter().map(|b| b.name.as_str()).collect()
    }

    /// Where a point at a distance along a body is at the start.
    pub(super) fn place(&self, body: usize, distance: f64) -> Vec3 {
        let mut place = self.directions[body] * distance;
        let mut inboard = body;
        loop {
            match self.bodies[inboard].base {
                Base::Fixed(pivot) => return place + pivot,
                Base::Site(parent) => {
                    place += self.directions[parent] * self.bodies[parent].length;
                    inboard = parent;
                }
            }
        }
    }

    /// Whether a body turns about its own centre.
    pub(super) fn is_needle(&self, body: usize) -> bool {
        self.bodies[body].centre == 0.0
    }
}

type ReadMany = fn(Section<'_>, &mut Bodies) -> Option<()>;

/// Reads all bodies; `None` if not even their names are known.
pub(super) fn read(root: &Section<'_>) -> Option<Bodies> {
    let mut all = Bodies::default();
    let problems = root.problems();
    let before = problems.len();
    let makers = ["body", "chain", "grid", "icosphere", "spiral"];
    let given: Vec<&str> = makers.into_iter().filter(|key| root.has(key)).collect();
    let _ = root.has("inertia");
    if let [first, second, ..] = given[..] {
        let place = root.key_place(second).unwrap_or_else(|| root.place());
        problems
            .error(
                place,
                format!("`{first}` and `{second}` cannot stand in one model"),
            )
            .help("keep one of them: bodies come from `[[body]]`, `[chain]`, `[grid]`, `[icosphere]` or `[spiral]`");
        let _ = (root.has("start"), root.has("swirl"));
        return None;
    }
    let sections = root.optional("body").tables();
    let written: HashSet<&str> = sections.iter().filter_map(|body| body.text("name")).collect();
    let mut ok = true;
    let mut named = true;
    for section in sections {
        ok &= read_body(section, &mut all, &written).is_some();
    }
    let one: [(&str, ReadMany); 4] = [
        ("chain", read_chain),
        ("grid", read_grid),
        ("icosphere", read_icosphere),
        ("spiral", read_spiral),
    ];
    for (key, read) in one {
        if let Some(section) = root.optional(key).table() {
            named = read(section, &mut all).is_some();
        }
    }
    if all.bodies.is_empty() && problems.len() == before {
        let place = given.first().and_then(|key| root.key_place(key));
        root.lacks(
            &makers,
            place.unwrap_or_else(|| root.place()),
            "the model has no bodies",
        )
        .help(
            "add `[[body]]` sections, or `[chain]`, `[grid]`, `[icosphere]` or `[spiral]` for many at once",
        );
    }
    named &= !all.bodies.is_empty();
    all.sound = ok && named;
    for section in root.optional("start").tables() {
        read_start(section, &mut all, named);
    }
    for section in root.optional("swirl").tables() {
        read_swirl(section, &mut all);
    }
    let matrix = root.optional("inertia").matrix();
    all.inertia = matrix.filter(|_| all.sound).and_then(|matrix| {
        let key = root.key_place("inertia").unwrap_or_else(|| matrix.place.clone());
        read_matrix(&matrix.value, key, all.bodies.len(), problems)
    });
    named.then_some(all)
}

fn read_body(section: Section<'_>, all: &mut Bodies, written: &HashSet<&str>) -> Option<()> {
    let problems = section.problems();
    let name = section.optional("name").name();
    // A name that cannot be used is still the one that others call it by.
    let name = match (name, section.text("name")) {
        (Some(name), _) => (name.value.to_owned(), name.place),
        (None, Some(refused)) if !refused.is_empty() => (refused.to_owned(), section.place()),
        _ => (format!("body-{}", all.bodies.len() + 1), section.place()),
    };
    let shape = read_shape(&section);
    let direction = section
        .required("direction")
        .vector()
        .and_then(|d| unit(&d, "direction", problems));
    let angular = section.optional("angular_velocity").vector();
    let pivot = section.optional("pivot").vector();
    let parent = section.optional("parent").reference();
    let mut ok = true;
    if let (Some(pivot), Some(_)) = (&pivot, &parent) {
        problems
            .error(
                pivot.place.clone(),
                "a body with a `parent` hangs on its end and has no `pivot`",
            )
            .help("remove `pivot` or `parent`");
        ok = false;
    }
    let has_parent = section.has("parent");
    let parent = parent.and_then(|parent| {
        let own = all.bodies.len() + 1;
        let known = |given: &str| all.places.get(given).copied();
        match parent.value {
            Reference::Name(given) if given == name.0 => own_parent(&parent, problems),
            Reference::Index(given) if given == own => own_parent(&parent, problems),
            Reference::Name(given) if written.contains(given) && known(given).is_none() => problems
                .error(parent.place, format!("`{given}` comes after this body"))
                .help(format!(
                    "move the section of `{given}` up: parents come before their children"
                ))
                .none(),
            _ => {
                let found = match parent.value {
                    Reference::Name(given) => known(given),
                    Reference::Index(_) => None,
                };
                let found = found.or_else(|| parent.resolve("earlier body", &all.names(), problems))?;
                // A body that was not understood has no mass, nor a centre.
                if all.is_needle(found) && all.bodies[found].mass > 0.0 {
                    let message = format!(
                        "nothing can hang on `{}`, which is a needle",
                        all.bodies[found].name
                    );
                    return problems
                        .error(parent.place, message)
                        .help("needles turn about their centres; make the parent a `point` or a `rod`")
                        .none();
                }
                Some(found)
            }
        }
    });
    ok &= parent.is_some() == has_parent;
    if all.places.contains_key(&name.0) {
        problems
            .error(name.1.clone(), format!("there are two bodies named `{}`", name.0))
            .help("give one of them another name");
        ok = false;
    }
    section.finish();
    // A body that cannot be understood still has a name, so that its children can be read.
    let understood = ok && shape.is_some() && direction.is_some();
    let base = parent.map_or_else(
        || Base::Fixed(pivot.map_or_else(Vec3::zeros, |p| p.value.into())),
        Base::Site,
    );
    let omega = match (&direction, angular) {
        (Some(direction), Some(angular)) => tangent(&angular, direction, &name.0, problems),
        _ => Vec3::zeros(),
    };
    let direction = direction.unwrap_or_else(Vec3::z);
    all.push(name.0, base, &shape.unwrap_or_default(), direction, omega);
    understood.then_some(())
}

fn own_parent<T>(parent: &Located<Reference<'_>>, problems: &Problems) -> Option<T> {
    problems
        .error(parent.place.clone(), "a body cannot be its own parent")
        .help("name an earlier body, or remove `parent`: without it a body hangs on its `pivot`")
        .none()
}

/// Mass, length and how the mass lies.
#[derive(Clone, Copy, Default)]
struct Shape {
    mass: f64,
    centre: f64,
    moment: f64,
    /// How far the drawn tip is from the base.
    reach: f64,
}

fn read_shape(section: &Section<'_>) -> Option<Shape> {
    let mass = section.required("mass").number();
    let length = section.optional("length").number();
    let has_length = section.has("length");
    let kind = section.optional("shape").choice();
    let has_kind = section.has("shape");
    let moment = section.optional("moment").number();
    let has_moment = section.has("moment");
    if length.is_some() != has_length || kind.is_some() != has_kind || moment.is_some() != has_moment {
        return None;
    }
    let mass = mass?.value;
    let length = length.map_or(1.0, |l| l.value);
    let square = mass * length * length;
    if !square.is_normal() {
        let key = if 2.0 * math::ln(length).abs() > math::ln(mass).abs() {
            "length"
        } else {
            "mass"
        };
        let place = section.value_place(key).unwrap_or_else(|| section.place());
        let message = format!("`mass` times `length` squared is {square:e} kg m^2, out of range");
        return section
            .problems()
            .error(place, message)
            .help("choose numbers nearer to 1")
            .none();
    }
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
                moment.place.clone(),
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
        centre,
        moment: moment.map_or(own, |m| m.value),
        reach,
    })
}

impl Bodies {
    fn push(&mut self, name: String, base: Base, shape: &Shape, direction: Vec3, omega: Vec3) {
        let Shape {
            mass,
            centre,
            moment,
            reach,
        } = *shape;
        self.places.entry(name.clone()).or_insert(self.bodies.len());
        self.bodies.push(Body {
            name,
            base,
            length: reach,
            mass,
            centre,
            moment,
        });
        self.directions.push(direction);
        self.angular_velocities.push(omega);
    }
}

fn read_matrix(
    rows: &[Vec<Located<f64>>],
    key: Place,
    bodies: usize,
    problems: &Problems,
) -> Option<Inertia> {
    if rows.len() != bodies {
        let message = format!(
            "`inertia` is {size} × {size}, but there {} {bodies} {}",
            if bodies == 1 { "is" } else { "are" },
            if bodies == 1 { "body" } else { "bodies" },
            size = rows.len(),
        );
        return problems
            .error(key, message)
            .help("give one row and one column per body")
            .none();
    }
    let values: Vec<Vec<f64>> = rows
        .iter()
        .map(|row| row.iter().map(|x| x.value).collect())
        .collect();
    let error = match Inertia::from_matrix(&values) {
        Ok(inertia) => return Some(inertia),
        Err(error) => error,
    };
    let (row, column, help) = match error {
        InertiaError::NotSquare { row, .. } => (row, 1, "give every row as many entries as there are rows"),
        InertiaError::NotSymmetric { row, column, .. } => (row, column, "both entries must be the same"),
        InertiaError::NotPositiveDefinite { rows } => {
            let help =
                "every motion must have kinetic energy: enlarge the diagonal entry, or make others smaller";
            (rows, rows, help)
        }
    };
    let entry = rows.get(row - 1).and_then(|entries| entries.get(column - 1));
    let place = entry.map_or(key, |entry| entry.place.clone());
    problems.error(place, error.to_string()).help(help).none()
}

/// A unit vector: normalised if it nearly is one, refused otherwise.
pub(super) fn unit(vector: &Located<[f64; 3]>, key: &str, problems: &Problems) -> Option<Vec3> {
    let v = Vec3::from(vector.value);
    let norm = v.norm();
    let Some(unit) = normalised(&v) else {
        let report = problems.error(
            vector.place.clone(),
            format!("`{key}` has length {}, not 1", brief(norm)),
        );
        let report = if norm > 0.0 && norm.is_finite() {
            let u = v / norm;
            report.help(format!("did you mean `[{}, {}, {}]`?", u.x, u.y, u.z))
        } else {
            report.help("a direction is a unit vector, such as `[0, 0, 1]`")
        };
        return report.none();
    };
    // Digits that end at the sixteenth place are as good as exact.
    if (norm - 1.0).abs() > 1e-12 {
        let message = format!("`{key}` has length {}; it is normalised", brief(norm));
        problems.note(vector.place.clone(), message);
    }
    Some(unit)
}

/// A vector that nearly is a unit vector, normalised.
pub(super) fn normalised(v: &Vec3) -> Option<Vec3> {
    let norm = v.norm();
    (norm.is_finite() && (norm - 1.0).abs() <= 1e-3).then(|| v / norm)
}

/// The part of an angular velocity that turns a direction.
pub(super) fn perpendicular(direction: &Vec3, omega: &Vec3) -> Vec3 {
    s2::tangent(direction, omega)
}

/// An angular velocity perpendicular to the direction.
fn tangent(omega: &Located<[f64; 3]>, direction: &Vec3, name: &str, problems: &Problems) -> Vec3 {
    let w = Vec3::from(omega.value);
    let along = w.dot(direction);
    if along.abs() > 1e-12 * w.norm() {
        let message = format!(
            "the angular velocity of `{name}` has a component of {} rad/s along its direction; it is removed",
            brief(along)
        );
        problems.note(omega.place.clone(), message);
    }
    perpendicular(direction, &w)
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

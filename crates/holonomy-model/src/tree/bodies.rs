//! `[[body]]` of a tree: its joint and its inertia.
use super::{
    joint::{self, Placed},
    laws::Laws,
    sites::Sites,
};
use crate::{Located, Place, Problems, Reference, Section, Unit};
use holonomy::{
    Vec3,
    geometry::{Pose, RigidInertia},
};
use nalgebra::Matrix3;
use std::collections::HashMap;

/// A body and where it is written.
pub(super) struct BodyEntry {
    pub(super) name: String,
    pub(super) place: Place,
    pub(super) parent: Option<usize>,
    /// `None` if it was not understood.
    pub(super) placed: Option<Placed>,
    pub(super) inertia: RigidInertia,
    /// The inertia is taken as it is, even if no body has it.
    pub(super) as_given: bool,
    /// Its coordinates are not changed to meet constraints.
    pub(super) keep: bool,
    /// It is a segment of a cable, along its x.
    pub(super) segment: bool,
}

/// All bodies, in their order.
#[derive(Default)]
pub(super) struct TreeBodies {
    pub(super) list: Vec<BodyEntry>,
    /// Which of the written ones has a name: the first, if there are two.
    places: HashMap<String, usize>,
    /// Where each is that is called by its number, if not there.
    numbers: Vec<usize>,
}

/// What stands for no body.
pub(super) const WORLD: &str = "world";

impl TreeBodies {
    pub(super) fn names(&self) -> Vec<&str> {
        self.list.iter().map(|body| body.name.as_str()).collect()
    }

    /// From a body, or the world, to the world at the start; `None` if it was not understood.
    pub(super) fn world_from(&self, body: Option<usize>) -> Option<Pose> {
        let mut pose = Pose::identity();
        let mut next = body;
        // Parents in a circle have been refused.
        for _ in 0..=self.list.len() {
            let Some(body) = next else {
                return Some(pose);
            };
            let entry = self.list.get(body)?;
            pose = entry.placed.as_ref()?.parent_from_body() * pose;
            next = entry.parent;
        }
        None
    }

    /// Whether a body, or one that it hangs on, is such.
    pub(super) fn hangs_on(&self, body: Option<usize>, such: impl Fn(usize) -> bool) -> bool {
        let mut next = body;
        for _ in 0..=self.list.len() {
            match next {
                Some(body) if such(body) => return true,
                Some(body) => next = self.list.get(body).and_then(|entry| entry.parent),
                None => return false,
            }
        }
        false
    }

    /// The bodies have other places than those where they are written.
    pub(super) fn moved(&mut self, places: &[usize]) {
        for place in self.places.values_mut() {
            *place = places[*place];
        }
        self.numbers = places.to_vec();
    }

    /// A body, or the world.
    pub(super) fn resolve(
        &self,
        reference: &Located<Reference<'_>>,
        problems: &Problems,
    ) -> Option<Option<usize>> {
        match reference.value {
            Reference::Name(WORLD) => Some(None),
            Reference::Name(name) if self.places.contains_key(name) => Some(self.places.get(name).copied()),
            _ => {
                let found = reference.resolve("body", &self.names(), problems)?;
                let by_number = matches!(reference.value, Reference::Index(_));
                let moved = self.numbers.get(found).filter(|_| by_number);
                Some(Some(moved.copied().unwrap_or(found)))
            }
        }
    }
}

/// Reads all bodies, and the sites that are written with them; `segments` are the bodies of cables, which come after.
pub(super) fn read<'a>(
    root: &Section<'a>,
    segments: &[String],
    sites: &mut Sites,
    laws: &Laws<'a>,
) -> TreeBodies {
    let mut all = TreeBodies::default();
    let sections = root.optional("body").tables();
    let written: Vec<(&str, Option<&str>)> = sections
        .iter()
        .map(|body| (body.text("name").unwrap_or_default(), body.text("parent")))
        .collect();
    for (index, section) in sections.into_iter().enumerate() {
        let parents = Parents {
            written: &written,
            segments,
        };
        read_body(section, index, &mut all, &parents, (sites, laws));
    }
    all
}

/// What a body may be joined to, by name.
struct Parents<'p> {
    /// Bodies, with what they are joined to.
    written: &'p [(&'p str, Option<&'p str>)],
    /// Bodies of cables.
    segments: &'p [String],
}

fn read_body<'a>(
    section: Section<'a>,
    index: usize,
    all: &mut TreeBodies,
    parents: &Parents<'_>,
    (sites, laws): (&mut Sites, &Laws<'a>),
) {
    let problems = section.problems();
    let name = section.required("name").name();
    let name = match (name, section.text("name")) {
        (Some(name), _) => name.map(str::to_owned),
        (None, Some(refused)) if !refused.is_empty() => Located::new(refused.to_owned(), section.place()),
        _ => Located::new(format!("body-{}", index + 1), section.place()),
    };
    if name.value == WORLD {
        problems
            .error(
                name.place.clone(),
                "`world` is what does not move, and no name for a body",
            )
            .help("give the body another name");
    } else if all.places.contains_key(&name.value) {
        problems
            .error(
                name.place.clone(),
                format!("there are two bodies named `{}`", name.value),
            )
            .help("give one of them another name");
    }
    let parent = section.optional("parent").reference();
    let parent = parent.and_then(|parent| read_parent(&parent, index, &name.value, parents, problems));
    let placed = joint::read(&section, &name.value, laws);
    let as_given = section.optional("as_given").boolean();
    let as_given = as_given.is_some_and(|as_given| as_given.value);
    let inertia = read_inertia(&section, as_given);
    let keep = section.optional("keep").boolean().is_some_and(|keep| keep.value);
    if let Some(own) = section.optional("sites").table() {
        for key in own.keys() {
            if let Some(at) = own.optional(key.value).vector_in(Unit::METRE) {
                sites.push(&key, Some(index), at.value.into(), problems);
            }
        }
        own.finish();
    }
    let place = section.place();
    section.finish();
    all.places.entry(name.value.clone()).or_insert(all.list.len());
    all.list.push(BodyEntry {
        name: name.value,
        place,
        parent,
        placed,
        inertia: inertia.unwrap_or_else(RigidInertia::zero),
        as_given,
        keep,
        segment: false,
    });
}

fn read_parent(
    parent: &Located<Reference<'_>>,
    index: usize,
    name: &str,
    Parents { written, segments }: &Parents<'_>,
    problems: &Problems,
) -> Option<usize> {
    let names = || -> Vec<&str> {
        let bodies = written.iter().map(|(name, _)| *name);
        bodies.chain(segments.iter().map(String::as_str)).collect()
    };
    match parent.value {
        Reference::Name(WORLD) => None,
        Reference::Name(given) if given == name => own_parent(parent, problems),
        Reference::Index(given) if given == index + 1 => own_parent(parent, problems),
        _ => {
            let found = parent.resolve("body", &names(), problems)?;
            let Some(circle) = circle(name, written) else {
                return Some(found);
            };
            // Told with the first of them.
            let first = written.iter().find(|(other, _)| circle.contains(other));
            if first.is_none_or(|(first, _)| *first == name) {
                let way: Vec<String> = circle.iter().map(|name| format!("`{name}`")).collect();
                problems
                    .error(
                        parent.place.clone(),
                        format!("parents go round in a circle: {}", way.join(" → ")),
                    )
                    .help(
                        "one of these bodies is joined to the world; a loop is closed by a `[[constraint]]`",
                    );
            }
            None
        }
    }
}

fn own_parent<T>(parent: &Located<Reference<'_>>, problems: &Problems) -> Option<T> {
    problems
        .error(parent.place.clone(), "a body cannot be its own parent")
        .help("name an earlier body, or remove `parent`: without it a body is joined to the world")
        .none()
}

/// The way from a body back to itself, if its parents lead there.
fn circle<'n>(name: &'n str, written: &[(&'n str, Option<&'n str>)]) -> Option<Vec<&'n str>> {
    let mut way = vec![name];
    let mut now = name;
    for _ in written {
        let (_, parent) = written.iter().find(|(other, _)| *other == now)?;
        now = (*parent)?;
        way.push(now);
        if now == name {
            return Some(way);
        }
    }
    None
}

fn read_inertia(section: &Section<'_>, as_given: bool) -> Option<RigidInertia> {
    let mass = section.required("mass").number();
    let shape = section.optional("shape").choice();
    let has_shape = section.has("shape");
    let shape = shape.map(|shape| shape.value);
    if shape == Some("rod") {
        let to = section.required("to").vector();
        section.refuse(&[
            ("centre", "to other shapes: the middle of a rod is its centre"),
            ("inertia", "to bodies without `shape`"),
        ]);
        return Some(RigidInertia::rod(mass?.value, Vec3::zeros(), to?.value.into()));
    }
    let centre = section.optional("centre").vector();
    let has_centre = section.has("centre");
    let given = match shape {
        Some(_) => Some(None),
        None => read_moment(section),
    };
    let size = match shape {
        Some("box") => Some(section.required("size").vector()),
        _ => None,
    };
    if shape.is_some() {
        section.refuse(&[("inertia", "to bodies without `shape`")]);
    }
    if has_shape && shape.is_none() {
        // Which of these belong to it is not known, and the shape has been refused.
        for key in ["to", "size"] {
            let _ = section.has(key);
        }
        return None;
    }
    if has_centre && centre.is_none() {
        return None;
    }
    let (mass, centre) = (mass?.value, centre.map_or_else(Vec3::zeros, |c| c.value.into()));
    let inertia = match size {
        Some(size) => RigidInertia::cuboid(mass, centre, size?.value.into()),
        None => RigidInertia {
            mass,
            centre,
            moment: given?.unwrap_or_else(Matrix3::zeros),
        },
    };
    if let Err(error) = inertia.check() {
        let keys = ["inertia", "size", "mass"];
        let place = keys.iter().find_map(|key| section.value_place(key));
        let place = place.unwrap_or_else(|| section.place());
        if as_given && inertia.check_numbers().is_ok() {
            let message = format!("{error}; it is taken as given");
            section.problems().note(place, message);
            return Some(inertia);
        }
        return section
            .problems()
            .error(place, error.to_string())
            .help(
                "`inertia` is about the centre of mass: three principal moments, or a symmetric 3 × 3 matrix",
            )
            .none();
    }
    Some(inertia)
}

/// The moment of inertia about the centre: `None` if it is wrong, none if it is not given.
fn read_moment(section: &Section<'_>) -> Option<Option<Matrix3<f64>>> {
    if !section.has("inertia") {
        return Some(None);
    }
    if !section.is_nested("inertia") {
        let moments = section.optional("inertia").vector()?;
        return Some(Some(Matrix3::from_diagonal(&Vec3::from(moments.value))));
    }
    let rows = section.optional("inertia").matrix()?;
    if rows.value.len() != 3 {
        let message = format!("`inertia` is {0} × {0}, not 3 × 3", rows.value.len());
        return section
            .problems()
            .error(rows.place, message)
            .help("give three rows of three numbers, or three principal moments")
            .none();
    }
    let entry = |i: usize, j: usize| rows.value[i][j].value;
    Some(Some(Matrix3::from_fn(entry)))
}

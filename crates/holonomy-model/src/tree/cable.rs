//! `[[cable]]`: many segments in one section.
//!
//! Inextensible: rods joined by revolute joints, or universal ones without `plane`. Elastic, as in the cable report: a
//! massless turn and a slide for each segment, a point mass at its end, springs EA/ℓ in the slides. The bending
//! stiffness of the joints between segments is 4EI/ℓ, that of the document; an elastica would have EI/ℓ. Ends are pinned.
use super::{
    bodies::{self, TreeBodies},
    constraints,
    joint::{Placed, direction},
    sites::Sites,
};
use crate::{Located, Place, Problems, Reference, Section, catenary, spec::CableKind};
use holonomy::{
    Vec3,
    geometry::{Pose, RigidInertia},
    math,
    system::Rope,
    tree::{Constraint, Joint, JointForce},
};
use nalgebra::{Matrix3, Rotation3, UnitQuaternion};

/// A cable as it is written.
pub(super) struct CableText<'a> {
    name: String,
    place: Place,
    segments: usize,
    /// In all, m and kg.
    length: Located<f64>,
    mass: f64,
    /// EA, N, if it stretches.
    stretching: Option<f64>,
    /// EI, N m².
    bending: f64,
    damping: f64,
    from: Option<Located<Reference<'a>>>,
    to: Option<Located<Reference<'a>>>,
    plane: Option<(Vec3, Place)>,
    direction: Option<Vec3>,
    sound: bool,
}

pub(super) fn read<'a>(root: &Section<'a>) -> Vec<CableText<'a>> {
    let sections = root.optional("cable").tables().into_iter().enumerate();
    sections
        .map(|(index, section)| read_cable(section, index))
        .collect()
}

/// Refuses cables whose segments are called like other bodies.
pub(super) fn check_names(cables: &[CableText<'_>], bodies: &TreeBodies, problems: &Problems) {
    for (index, cable) in cables.iter().enumerate() {
        let all = &cables[..index];
        let mut taken = bodies.list.iter().map(|body| body.name.clone());
        let own = cable.body_names();
        let clash = taken.find(|name| own.contains(name));
        if let Some(name) =
            clash.or_else(|| all.iter().find(|c| c.name == cable.name).map(|c| c.name.clone()))
        {
            problems
                .error(
                    cable.place.clone(),
                    format!("there are two bodies named `{name}`"),
                )
                .help("give the cable another name: its segments are called by it, `rope-1`, `rope-2`, …");
        }
    }
}

fn read_cable<'a>(section: Section<'a>, index: usize) -> CableText<'a> {
    let problems = section.problems();
    let before = problems.len();
    let name = section.optional("name").name();
    let kind = section
        .optional("kind")
        .choice_of("kind of cable", CableKind::WORDS);
    let elastic = kind.is_some_and(|kind| kind.value == "elastic");
    let segments = section.required("segments").count();
    let length = section.required("length").number();
    let mass = section.required("mass").number();
    let from = section.required("from").reference();
    let to = section.optional("to").reference();
    let stretching = match elastic {
        true => section.required("EA").number(),
        false => None,
    };
    let bending = section.optional("EI").number();
    let damping = section.optional("damping").number();
    let plane = section.optional("plane").vector();
    let plane =
        plane.and_then(|normal| Some((direction(&normal, "plane", &section)?.normalize(), normal.place)));
    let along = match section.holds("to") {
        true => None,
        false => section.optional("direction").vector(),
    };
    let along = along.and_then(|along| direction(&along, "direction", &section));
    if !elastic {
        section.refuse(&[("EA", "to a cable of `kind = \"elastic\"`")]);
    }
    if section.holds("to") {
        section.refuse(&[(
            "direction",
            "to a cable without `to`: this one runs to its other end",
        )]);
    }
    let place = section.place();
    section.finish();
    let sound = problems.len() == before;
    CableText {
        name: name.map_or_else(|| format!("cable-{}", index + 1), |name| name.value.to_owned()),
        segments: segments.map_or(1, |n| n.value),
        length: length.unwrap_or_else(|| Located::new(1.0, place.clone())),
        mass: mass.map_or(1.0, |mass| mass.value),
        stretching: stretching.map(|stiffness| stiffness.value),
        bending: bending.map_or(0.0, |bending| bending.value),
        damping: damping.map_or(0.0, |damping| damping.value),
        place,
        from,
        to,
        plane,
        direction: along,
        sound,
    }
}

/// How a cable lies at the start: axes x along it, z its normal; angles of the segments in the plane of x and y.
struct Lie {
    axes: Matrix3<f64>,
    angles: Vec<f64>,
    /// Of each segment, m.
    stretch: f64,
}

impl CableText<'_> {
    /// Its name and those of its bodies.
    pub(super) fn named(&self) -> (String, Vec<String>) {
        (self.name.clone(), self.body_names())
    }

    /// The bodies it is made of, in their order.
    pub(super) fn body_names(&self) -> Vec<String> {
        let each = (1..=self.segments).flat_map(|k| {
            let turn = self.stretching.map(|_| format!("{}-{k}-turn", self.name));
            turn.into_iter().chain([format!("{}-{k}", self.name)])
        });
        each.collect()
    }

    /// Its name and what it is, for people.
    pub(super) fn described(&self) -> (String, String) {
        let kind = match (self.stretching, &self.plane) {
            (Some(_), Some(_)) => "elastic, in a plane",
            (Some(_), None) => "elastic",
            (None, Some(_)) => "inextensible, in a plane",
            (None, None) => "inextensible",
        };
        let each = self.length.value / self.segments as f64;
        let words = format!(
            "{} segments of {each:.4} m, {} kg, {kind}",
            self.segments, self.mass
        );
        (self.name.clone(), words)
    }

    /// Where it is written.
    pub(super) fn place(&self) -> &Place {
        &self.place
    }

    /// Whether one of its ends is on such a body, or on one that hangs on it.
    pub(super) fn hangs_on(&self, bodies: &TreeBodies, sites: &Sites, such: impl Fn(usize) -> bool) -> bool {
        let unheard = Problems::new();
        let ends = [&self.from, &self.to].into_iter().flatten();
        let mut found = ends.filter_map(|end| sites.resolve(end, bodies, &unheard));
        found.any(|site| bodies.hangs_on(sites.list[site].body, &such))
    }

    /// Makes its bodies, of which the first is where it says, and its end; gives what holds it there, and what it is if
    /// it stretches.
    pub(super) fn make(
        self,
        first: usize,
        gravity: &Vec3,
        bodies: &mut TreeBodies,
        sites: &mut Sites,
        problems: &Problems,
    ) -> Option<(constraints::ConstraintEntry, Option<Rope>)> {
        self.try_make(first, gravity, bodies, sites, problems)?
    }

    fn try_make(
        &self,
        first: usize,
        gravity: &Vec3,
        bodies: &mut TreeBodies,
        sites: &mut Sites,
        problems: &Problems,
    ) -> Option<Option<(constraints::ConstraintEntry, Option<Rope>)>> {
        let from = (self.from.as_ref()).and_then(|from| sites.resolve(from, bodies, problems));
        let to = (self.to.as_ref()).map(|to| sites.resolve(to, bodies, problems));
        let (from, to) = (from?, to.map_or(Some(None), |to| to.map(Some))?);
        if !self.sound {
            return None;
        }
        let place = |site: usize| {
            let site = &sites.list[site];
            Some((bodies.world_from(site.body)?, site.position))
        };
        let (pose, position) = place(from)?;
        let start = pose.point(&position);
        let end = match to {
            Some(to) => {
                let (pose, position) = place(to)?;
                Some(pose.point(&position))
            }
            None => None,
        };
        let lie = self.lie(start, end, gravity, problems)?;
        let parent = sites.list[from].body;
        let turn = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(lie.axes));
        let at = Pose::translation(position) * Pose::rotation(pose.rotation.inverse() * turn);
        let behind = bodies.list.split_off(first + self.body_names().len());
        bodies.list.truncate(first);
        let tip = self.push(parent, at, &lie, bodies);
        let last = bodies.list.len() - 1;
        bodies.list.extend(behind);
        sites.push(
            &Located::new("end", self.place.clone()),
            Some(last),
            tip,
            problems,
        );
        let end = sites.list.len() - 1;
        Some(to.map(|to| {
            let columns = |k: usize| Vec3::from(lie.axes.column(k));
            let rope = self.stretching.map(|_| Rope {
                name: self.name.clone(),
                between: [from, to],
                length: self.length.value,
            });
            let held = constraints::ConstraintEntry {
                name: self.name.clone(),
                place: self.place.clone(),
                words: "the end of a cable".to_owned(),
                constraint: Constraint::Coincidence {
                    between: [end, to],
                    directions: match &self.plane {
                        Some(_) => vec![columns(0), columns(1)],
                        None => vec![Vec3::x(), Vec3::y(), Vec3::z()],
                    },
                },
            };
            (held, rope)
        }))
    }

    /// Adds the bodies; gives the end of the cable in the frame of the last of them.
    fn push(&self, parent: Option<usize>, at: Pose, lie: &Lie, bodies: &mut TreeBodies) -> Vec3 {
        let n = self.segments as f64;
        let (length, mass) = (self.length.value / n, self.mass / n);
        let (mut parent, mut at, mut before, mut first) = (parent, at, 0.0, true);
        let names = self.body_names();
        let mut names = names.into_iter();
        let tip = match self.stretching {
            Some(_) => Vec3::zeros(),
            None => Vec3::x() * length,
        };
        for angle in &lie.angles {
            let turn = (angle - before + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU)
                - std::f64::consts::PI;
            // Not by way of π, where the angle is exact.
            let turn = if (angle - before).abs() < 3.0 {
                angle - before
            } else {
                turn
            };
            before = *angle;
            let mut forces = Vec::new();
            // Its end is pinned, not clamped.
            if self.bending > 0.0 && !std::mem::take(&mut first) {
                forces.push(JointForce::Spring {
                    stiffness: 4.0 * self.bending / length,
                    rest: 0.0,
                });
            }
            if self.damping > 0.0 {
                forces.push(JointForce::Damper {
                    coefficient: self.damping,
                });
            }
            let (joint, q) = match &self.plane {
                Some(_) => (Joint::Revolute { axis: Vec3::z() }, vec![turn]),
                None => {
                    let axes = [Vec3::z(), Vec3::y()];
                    (Joint::Universal { axes }, vec![turn, 0.0])
                }
            };
            let mut add = |parent, joint, at, q: Vec<f64>, forces, inertia: RigidInertia| {
                bodies.list.push(bodies::BodyEntry {
                    name: names.next().unwrap_or_default(),
                    place: self.place.clone(),
                    parent,
                    placed: Some(Placed {
                        turning: None,
                        joint,
                        at,
                        v: vec![0.0; q.len()],
                        q,
                        forces,
                        armature: None,
                        limits: None,
                        effort: None,
                        name: None,
                    }),
                    segment: inertia.mass > 0.0,
                    inertia,
                    as_given: false,
                    keep: false,
                });
                Some(bodies.list.len() - 1)
            };
            let Some(stiffness) = self.stretching else {
                let rod = RigidInertia::rod(mass, Vec3::zeros(), tip);
                parent = add(parent, joint, at, q, forces, rod);
                at = Pose::translation(tip);
                continue;
            };
            parent = add(parent, joint, at, q, forces, RigidInertia::zero());
            let slide = Joint::Prismatic { axis: Vec3::x() };
            let spring = JointForce::Spring {
                stiffness: stiffness / length,
                rest: 0.0,
            };
            let out = Pose::translation(Vec3::x() * length);
            let point = RigidInertia::point(mass, Vec3::zeros());
            parent = add(parent, slide, out, vec![lie.stretch], vec![spring], point);
            at = Pose::identity();
        }
        tip
    }

    fn lie(&self, start: Vec3, end: Option<Vec3>, gravity: &Vec3, problems: &Problems) -> Option<Lie> {
        let down = gravity.try_normalize(0.0).unwrap_or_else(|| -Vec3::z());
        let straight = |axes, stretch| Lie {
            axes,
            angles: vec![0.0; self.segments],
            stretch,
        };
        let Some(end) = end else {
            let along = self.direction.unwrap_or(down).normalize();
            return Some(straight(self.axes(&along, &down, problems)?, 0.0));
        };
        let (d, length) = (end - start, self.length.value);
        let span = d.norm();
        if self.stretching.is_none() && length < span * (1.0 - 1e-12) {
            return problems
                .error(
                    self.length.place.clone(),
                    format!("the cable is {length} m long, but its ends are {span:.6} m apart"),
                )
                .help("make it longer, move its ends, or make it `kind = \"elastic\"`")
                .none();
        }
        if let Some(stiffness) = self.stretching
            && span > length * (1.0 + 1e-12)
        {
            let strain = span / length - 1.0;
            problems
                .note(
                    self.length.place.clone(),
                    format!(
                        "the cable is {length} m long, and its ends are {span:.6} m apart: it starts stretched by \
                         {:.4} %, with a tension of {:.4} N",
                        100.0 * strain,
                        stiffness * strain
                    ),
                )
                .help("make it longer than that if it should hang; nothing is wrong if it should be tight");
        }
        let level = d - down * d.dot(&down);
        let slack = length > span * (1.0 + 1e-12);
        // Above each other: no catenary has links that fold, so it starts as a loop.
        let folds = span <= 1e-9 * length || (slack && level.norm() <= 1e-6 * length);
        let along = match span > 1e-9 * length {
            true => d / span,
            false => self.downward(&down),
        };
        let axes = self.axes(&along, &down, problems)?;
        if !slack {
            return Some(straight(axes, (span - length) / self.segments as f64));
        }
        if self.segments < 2 {
            return problems
                .error(
                    self.place.clone(),
                    format!("one segment of {length} m does not fit between ends {span:.6} m apart"),
                )
                .help("give it more `segments`")
                .none();
        }
        let (x, y, z) = (axes.column(0), axes.column(1), axes.column(2));
        // Down within the plane; any way if the plane lies flat.
        let fall: Vec3 = down - z * z.dot(&down);
        let fall = if fall.norm() > 1e-9 { fall.normalize() } else { -y };
        let side: Vec3 = z.cross(&fall);
        let side = if side.dot(&d) < 0.0 { -side } else { side };
        let each = length / self.segments as f64;
        let hang = match folds {
            true => catenary::hanging_loop(self.segments, each, -d.dot(&fall)),
            false => catenary::angles(self.segments, each, d.dot(&side), -d.dot(&fall)),
        };
        let angle = |psi: &f64| {
            let (sine, cosine) = math::sin_cos(*psi);
            let along = side * cosine - fall * sine;
            math::atan2(y.dot(&along), x.dot(&along))
        };
        Some(Lie {
            angles: hang.iter().map(angle).collect(),
            axes,
            stretch: 0.0,
        })
    }

    /// The way down, within its plane if it has one; any way there if that lies flat.
    fn downward(&self, down: &Vec3) -> Vec3 {
        let Some((normal, _)) = &self.plane else {
            return *down;
        };
        let within = down - normal * normal.dot(down);
        let any = || normal.cross(&Vec3::ith(normal.iamin(), 1.0)).normalize();
        within.try_normalize(1e-9).unwrap_or_else(any)
    }

    /// Axes with x along the cable and z normal to the plane it lies in.
    fn axes(&self, x: &Vec3, down: &Vec3, problems: &Problems) -> Option<Matrix3<f64>> {
        let z = match &self.plane {
            Some((normal, place)) => {
                if normal.dot(x).abs() > 1e-9 {
                    return problems
                        .error(place.clone(), "the cable does not lie in the plane with this normal")
                        .help("`plane` is perpendicular to the line between the ends; leave it out for a cable that moves in space")
                        .none();
                }
                (normal - x * normal.dot(x)).normalize()
            }
            None => {
                let across = x.cross(down);
                if across.norm() > 1e-6 {
                    -across.normalize()
                } else {
                    let least = x.iamin();
                    x.cross(&Vec3::ith(least, 1.0)).normalize()
                }
            }
        };
        Some(Matrix3::from_columns(&[*x, z.cross(x), z]))
    }
}

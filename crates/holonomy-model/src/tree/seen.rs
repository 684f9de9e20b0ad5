//! What formulas of forces may see of a tree, by name: `[names]`, `[definitions]`, joints and sites.
//!
//! ```text
//! elbow, elbow'                     a joint with one coordinate, or the body on it
//! tip, tip'                         a site: its place and its velocity, vectors
//! w = "drone.angular_velocity"      other things, and names that a formula cannot spell, by names of their own
//! T = "rope.tension"                multipliers, as they are recorded
//! ```
use super::{bodies::TreeBodies, constraints::ConstraintEntry, laws::Laws, sites::Sites};
use crate::{
    FormulaText, Located, Problems, Section,
    lagrangian::{
        names::Names,
        texts::{define, report},
    },
    problem::listed,
};
use holonomy::{
    Vec3,
    formula::{Formula, Kind, Scope, nearest},
    tree::{Act, Constraint, Joint, Point, Seen, Spline, StateForce, StateLaw},
};
use std::sync::Arc;

/// What formulas may see, and the names of it.
pub(super) struct Sightings {
    names: Names,
    /// What is in the slots behind time.
    seen: Vec<Seen>,
    /// Whether names and definitions are sound.
    ok: bool,
}

/// Something that has a name: a number or a vector, perhaps with a velocity.
#[derive(Clone)]
struct Thing {
    value: Vec<Seen>,
    rate: Vec<Seen>,
}

impl Thing {
    fn coordinate(body: usize, number: usize) -> Self {
        Self {
            value: vec![Seen::Coordinate(body, number)],
            rate: vec![Seen::Velocity(body, number)],
        }
    }

    fn vector(value: impl Fn(usize) -> Seen, rate: Option<&dyn Fn(usize) -> Seen>) -> Self {
        Self {
            value: (0..3).map(value).collect(),
            rate: rate.map_or_else(Vec::new, |rate| (0..3).map(rate).collect()),
        }
    }

    fn point(point: Point) -> Self {
        Self::vector(|k| Seen::Place(point, k), Some(&|k| Seen::PlaceRate(point, k)))
    }

    /// What has no velocity.
    fn alone(value: Vec<Seen>) -> Self {
        Self {
            value,
            rate: Vec::new(),
        }
    }

    /// Whether both are one joint, or one site.
    fn is(&self, other: &Self) -> bool {
        let first = (self.value.first(), other.value.first());
        let one = match first {
            (Some(Seen::Coordinate(a, i)), Some(Seen::Coordinate(b, j))) => (a, i) == (b, j),
            (Some(Seen::Place(a, _)), Some(Seen::Place(b, _))) => a == b,
            _ => false,
        };
        one && self.value.len() == other.value.len()
    }

    fn component(self, axis: usize) -> Option<Self> {
        let of = |list: Vec<Seen>| list.into_iter().nth(axis).into_iter().collect::<Vec<Seen>>();
        (self.value.len() == 3).then(|| Self {
            value: of(self.value),
            rate: of(self.rate),
        })
    }
}

/// The words that may stand behind the name of a body.
const OF_A_BODY: [&str; 6] = [
    "velocity",
    "angular_velocity",
    "own_angular_velocity",
    "x_axis",
    "y_axis",
    "z_axis",
];
const AXES: [&str; 3] = ["x", "y", "z"];

/// Whether a joint has one coordinate.
fn is_scalar(joint: &Joint) -> bool {
    matches!(
        joint,
        Joint::Revolute { .. } | Joint::Prismatic { .. } | Joint::Screw { .. } | Joint::Driven { .. }
    )
}

impl Sightings {
    /// Reads `[names]` and `[definitions]`, and gives joints and sites their names.
    pub(super) fn read(
        root: &Section<'_>,
        bodies: &TreeBodies,
        sites: &Sites,
        constraints: &[ConstraintEntry],
        laws: &Laws<'_>,
    ) -> Self {
        let offers = Offers::of(bodies, constraints);
        let mut all = Self {
            names: Names::of(laws.scope(true, &[])),
            seen: Vec::new(),
            ok: true,
        };
        let problems = root.problems();
        let mut given = Vec::new();
        if let Some(table) = root.optional("names").table() {
            for key in table.keys() {
                let thing = table.optional(key.value).string().and_then(|text| {
                    offers
                        .find(&text, problems)
                        .unwrap_or_else(|| find(&text, bodies, sites, problems))
                });
                let entered = match thing {
                    Some(thing) => {
                        given.push((key.clone(), thing.clone()));
                        all.enter(key.value, thing)
                    }
                    None => {
                        all.ok = false;
                        all.scope().broken(key.value)
                    }
                };
                if let Err(error) = entered {
                    all.ok = false;
                    report(error, key.place.clone(), problems);
                }
            }
            table.finish();
        } else {
            all.ok &= !root.has("names");
        }
        all.enter_parts(bodies, sites, &given, problems);
        offers.hint(all.scope());
        // What is seen is known to definitions; `q`, `v`, `length` and `rate` are not.
        all.ok &= define(root, &mut all.names).is_some();
        all
    }

    fn scope(&mut self) -> &mut Scope {
        &mut self.names.scope
    }

    fn enter(&mut self, name: &str, thing: Thing) -> Result<(), holonomy::formula::FormulaError> {
        let kind = match thing.value.len() {
            3 => Kind::Vector,
            _ => Kind::Scalar,
        };
        let (slot, size) = (self.seen.len() + 1, thing.value.len());
        match thing.rate.is_empty() {
            true => self.scope().variable(name, kind, slot)?,
            false => self.scope().coordinate(name, kind, slot, slot + size)?,
        }
        self.seen.extend(thing.value);
        self.seen.extend(thing.rate);
        Ok(())
    }

    /// Joints, bodies and sites by their own names, where nothing else has them. What `[names]` gives the name of one
    /// must be that one: `tip = "rod/tip"`.
    fn enter_parts(
        &mut self,
        bodies: &TreeBodies,
        sites: &Sites,
        given: &[(Located<&str>, Thing)],
        problems: &Problems,
    ) {
        let mut things: Vec<(&str, Option<Thing>)> = Vec::new();
        for (number, body) in bodies.list.iter().enumerate() {
            let placed = body.placed.as_ref();
            let scalar = placed.is_some_and(|placed| is_scalar(&placed.joint));
            let thing = scalar.then(|| Thing::coordinate(number, 0));
            let joint = placed.and_then(|placed| placed.name.as_ref());
            let joint = joint.map(|name| name.value.as_str());
            if let Some(joint) = joint.filter(|joint| *joint != body.name) {
                things.push((joint, thing.clone()));
            }
            things.push((&body.name, thing));
        }
        for (number, site) in sites.list.iter().enumerate() {
            things.push((&site.name, Some(Thing::point(Point::Site(number)))));
        }
        let mut count = std::collections::HashMap::new();
        for (name, _) in &things {
            *count.entry(*name).or_insert(0) += 1;
        }
        for (name, thing) in things {
            let alone = count.get(name) == Some(&1);
            let mine = given.iter().find(|(key, _)| key.value == name);
            if let (true, Some(thing), Some((key, other))) = (alone, &thing, mine)
                && !thing.is(other)
            {
                self.ok = false;
                problems
                    .error(
                        key.place.clone(),
                        format!("`{name}` is the name of a joint or a site already"),
                    )
                    .help("choose another name");
                continue;
            }
            let stem = name.split('-').next().unwrap_or(name);
            match thing {
                _ if name == "q" || name == "v" => {}
                _ if !alone => self.scope().hint(
                    stem,
                    format!("several things are called `{name}`; give the one that is meant a name in `[names]`"),
                ),
                Some(thing) => {
                    if self.enter(name, thing).is_err() {
                        self.scope().hint(
                            stem,
                            format!("a formula cannot spell `{name}`; give it another name: `[names]` with `a = \"{name}\"`"),
                        );
                    }
                }
                None => self.scope().hint(
                    stem,
                    format!(
                        "`{name}` has no single coordinate; name what is meant: `[names]` with `w = \"{name}.angular_velocity\"`, or another of its {}",
                        OF_A_BODY.join(", ")
                    ),
                ),
            }
        }
    }

    /// A force that sees the state; `None` if its formulas were not understood, which is reported.
    pub(super) fn force(
        &self,
        name: String,
        act: Act,
        texts: &[Text<'_>],
        problems: &Problems,
    ) -> Option<StateForce> {
        let mut scope = self.names.scope.clone();
        let mut seen = self.seen.clone();
        let mut add = |name: &str, of: Seen| {
            seen.push(of);
            scope.variable(name, Kind::Scalar, seen.len()).ok();
        };
        match act {
            Act::Effort { body, number } => {
                add("q", Seen::Coordinate(body, number));
                add("v", Seen::Velocity(body, number));
            }
            Act::Tension { between } => {
                add("length", Seen::Distance(between));
                add("rate", Seen::DistanceRate(between));
            }
            Act::Force { .. } | Act::Push { .. } | Act::Wrench { .. } => {
                for name in ["q", "v"] {
                    scope.hint(name, "`q` and `v` are those of a joint, in its `effort`; name the joint: `elbow`, `elbow'`");
                }
            }
        }
        let mut ok = self.ok;
        let mut formulas = Vec::new();
        for text in texts {
            let parsed = match text {
                Text::Written(text) => {
                    Formula::parse_as(Kind::Scalar, text.value, &scope).map_err(|errors| {
                        for error in errors {
                            let place = text.locate(error.span.clone());
                            report(error, place, problems);
                        }
                    })
                }
                Text::Given(spline) => {
                    let spline = spline.clone();
                    seen.push(Seen::Given(Arc::new(move |t| spline.at(t).0)));
                    let mut alone = Scope::new();
                    alone.variable("table", Kind::Scalar, seen.len()).ok();
                    Formula::parse("table", &alone).map_err(|_| ())
                }
                Text::Zero => Formula::parse("0", &scope).map_err(|_| ()),
            };
            ok &= parsed.is_ok();
            formulas.extend(parsed.ok());
        }
        let formulas: Vec<&Formula> = formulas.iter().collect();
        ok.then(|| StateForce {
            name,
            law: StateLaw::new(&formulas, seen),
            act,
        })
    }
}

/// What formulas may see of multipliers, by the names under which it is recorded.
struct Offers {
    list: Vec<(String, Seen)>,
    /// Whether a rigid string may go slack.
    slack: bool,
}

impl Offers {
    fn of(bodies: &TreeBodies, constraints: &[ConstraintEntry]) -> Self {
        let mut list = Vec::new();
        let mut add = |equation: String, pulls: bool| {
            let seen = Seen::Multiplier(equation.clone());
            if pulls {
                list.push((format!("{equation}.tension"), seen.clone()));
            }
            list.push((format!("lambda.{equation}"), seen));
        };
        for body in &bodies.list {
            let Some(placed) = body.placed.as_ref().filter(|placed| placed.turning.is_some()) else {
                continue;
            };
            let label = placed.name.as_ref().map_or(&body.name, |name| &name.value);
            for axis in AXES {
                add(format!("{label}.drive.turn.{axis}"), false);
            }
        }
        for entry in constraints {
            let pulls = matches!(
                entry.constraint,
                Constraint::Distance { .. } | Constraint::Cable { .. } | Constraint::Route(_)
            );
            for suffix in entry.constraint.suffixes() {
                add(format!("{}{suffix}", entry.name), pulls);
            }
        }
        for entry in constraints {
            let Constraint::Route(route) = &entry.constraint else {
                continue;
            };
            for pulley in route.stops.iter().filter_map(|stop| stop.pulley.as_ref()) {
                let seen = Seen::Contact(pulley.name.clone());
                list.push((format!("{}.contact", pulley.name), seen));
            }
        }
        let slack = |entry: &ConstraintEntry| entry.constraint.goes_slack();
        Self {
            list,
            slack: constraints.iter().any(slack),
        }
    }

    /// What a name calls, if it is of a multiplier.
    fn find(&self, text: &Located<&str>, problems: &Problems) -> Option<Option<Thing>> {
        let known = || self.list.iter().map(|(name, _)| name.as_str());
        let found = self.list.iter().find(|(name, _)| name == text.value);
        let looks_so = text.value.starts_with("lambda.")
            || [".tension", ".contact"]
                .iter()
                .any(|end| text.value.ends_with(end));
        if found.is_none() && !looks_so {
            return None;
        }
        if self.slack {
            let message =
                "formulas see no multipliers where a rigid string goes slack, which it does in no time";
            let report = problems.error(text.place.clone(), message);
            return Some(
                report
                    .help("leave out its `slack`, or make it a `[[string]]`")
                    .none(),
            );
        }
        if let Some((_, seen)) = found {
            return Some(Some(Thing::alone(vec![seen.clone()])));
        }
        let message = format!(
            "there is no multiplier or contact force `{}` that formulas see",
            text.value
        );
        let report = problems.error(text.place.clone(), message);
        let report = match (nearest(text.value, known()), self.list.is_empty()) {
            (Some(near), _) => report.help(format!("did you mean `{near}`?")),
            (None, true) => report.help(
                "the model has no constraints; the tension of a spring is a formula of its length, `k*(norm(a - b) - l)`",
            ),
            (None, false) => report.help(format!("there is {}", listed(known()).unwrap_or_default())),
        };
        Some(report.none())
    }

    /// What to do about a constraint or a pulley in a formula.
    fn hint(&self, scope: &mut Scope) {
        let help = |name: &str| format!("a multiplier gets a name in `[names]`: `T = \"{name}\"`");
        for (name, _) in &self.list {
            let stem = name.split('.').next().unwrap_or(name);
            scope.hint(stem, help(name));
        }
    }
}

/// A formula, a table, or nothing.
#[derive(Clone)]
pub(super) enum Text<'a> {
    Written(FormulaText<'a>),
    Given(Arc<Spline>),
    Zero,
}

/// What `[names]` calls: `elbow`, `rod/tip`, `rod/tip.velocity.x`, `drone.angular_velocity`, `hook.1`.
fn find(text: &Located<&str>, bodies: &TreeBodies, sites: &Sites, problems: &Problems) -> Option<Thing> {
    let mut parts = text.value.split('.');
    let name = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    let names = bodies.names();
    let paths: Vec<String> = (0..sites.list.len()).map(|k| sites.path(k, &names)).collect();
    let alone = |name: &str| {
        let mut alike = (0..sites.list.len()).filter(|k| sites.list[*k].name == name);
        alike.next().filter(|_| alike.next().is_none())
    };
    let site = paths.iter().position(|path| path == name);
    let joint = bodies.list.iter().position(|body| {
        let joint = body.placed.as_ref().and_then(|placed| placed.name.as_ref());
        joint.is_some_and(|joint| joint.value == name)
    });
    let body = names.iter().position(|body| *body == name).or(joint);
    let site = site.or_else(|| body.is_none().then(|| alone(name)).flatten());
    let point = match (site, body) {
        (Some(site), _) => Point::Site(site),
        (None, Some(body)) => Point::Body(body),
        (None, None) => {
            let report = problems.error(
                text.place.clone(),
                format!("there is no joint, body or site named `{name}`"),
            );
            let joints = bodies
                .list
                .iter()
                .filter_map(|body| body.placed.as_ref()?.name.as_ref());
            let own = sites.list.iter().map(|site| site.name.as_str());
            let known = names
                .iter()
                .copied()
                .chain(joints.map(|name| name.value.as_str()));
            let known = known.chain(own).chain(paths.iter().map(String::as_str));
            return match nearest(name, known) {
                Some(near) => report.help(format!("did you mean `{near}`?")),
                None => report.help("name a body, its joint, or a site, as `rod/tip`"),
            }
            .none();
        }
    };
    let joint_of = |body: usize| bodies.list[body].placed.as_ref().map(|placed| &placed.joint);
    let carrier = match point {
        Point::Body(body) | Point::On(body, _) => Some(body),
        Point::Site(site) => sites.list[site].body,
    };
    let scalar = match point {
        Point::Body(body) => joint_of(body).is_some_and(is_scalar).then_some(body),
        Point::Site(_) | Point::On(..) => None,
    };
    let universal = match point {
        Point::Body(body) => joint_of(body)
            .is_some_and(|joint| matches!(joint, Joint::Universal { .. } | Joint::DrivenUniversal { .. }))
            .then_some(body),
        Point::Site(_) | Point::On(..) => None,
    };
    let base = || match scalar {
        Some(body) => Thing::coordinate(body, 0),
        None => Thing::point(point),
    };
    let axis = |word: &str| AXES.iter().position(|axis| *axis == word);
    let thing = match (&rest[..], carrier) {
        ([], _) => Some(base()),
        (["position"], _) => Some(Thing::point(point)),
        (["velocity"], _) => Some(Thing::alone(base().rate)),
        (["position", word], _) => axis(word).and_then(|k| Thing::point(point).component(k)),
        (["velocity", word], _) => axis(word).and_then(|k| Thing::alone(base().rate).component(k)),
        (["1"], _) => universal.map(|body| Thing::coordinate(body, 0)),
        (["2"], _) => universal.map(|body| Thing::coordinate(body, 1)),
        ([word, component @ ..], Some(body)) if component.len() <= 1 => {
            let along = |k: usize| Vec3::ith(k, 1.0);
            let turned = |axis: usize| {
                Thing::vector(
                    |k| Seen::Direction(body, along(axis), k),
                    Some(&|k| Seen::DirectionRate(body, along(axis), k)),
                )
            };
            let vector = match *word {
                "angular_velocity" => Some(Thing::vector(|k| Seen::Spin(body, k), None)),
                "own_angular_velocity" => Some(Thing::vector(|k| Seen::OwnSpin(body, along(k)), None)),
                "x_axis" => Some(turned(0)),
                "y_axis" => Some(turned(1)),
                "z_axis" => Some(turned(2)),
                word => axis(word)
                    .filter(|_| component.is_empty())
                    .and_then(|k| Thing::point(point).component(k)),
            };
            match component {
                [word] => axis(word).and_then(|k| vector.and_then(|vector| vector.component(k))),
                _ => vector,
            }
        }
        _ => None,
    };
    if thing.is_some() {
        return thing;
    }
    let given = rest.join(".");
    problems
        .error(
            text.place.clone(),
            format!("`{name}` has no `{given}` that formulas see"),
        )
        .help(match nearest(rest[0], OF_A_BODY) {
            Some(near) if !OF_A_BODY.contains(&rest[0]) => format!("did you mean `{name}.{near}`?"),
            _ => format!(
                "there are `position`, {}; of vectors `.x`, `.y`, `.z`; of universal joints `.1`, `.2`",
                OF_A_BODY.map(|word| format!("`{word}`")).join(", ")
            ),
        })
        .none()
}

//! `space = "tree"`: bodies with joints, sites, constraints, cables and forces.
mod bodies;
mod cable;
mod constraints;
#[cfg(not(target_arch = "wasm32"))]
mod csv;
mod drag;
mod drives;
mod forces;
mod formula;
mod joint;
mod laws;
mod links;
mod order;
mod outline;
mod parts;
mod pulleys;
pub(super) mod rotation;
mod seen;
mod sites;
mod start;
mod stops;
mod tables;

pub(super) use joint::direction;
pub use outline::{OutlineBody, OutlineCoupling, TreeOutline};

use super::{Description, Input, Place, Problems, Section, Watched, input};
use bodies::TreeBodies;
use holonomy::{
    Vec3,
    simulation::Schedule,
    system::{Mechanism, Rope, State, System},
    tree::{
        AppliedWrench, Attitude, Constraint, JointForce, Link, RigidBody, StateForce, Tree, TreeError,
        TreeParts, assemble_at,
    },
};
use laws::Laws;
use seen::Sightings;
use sites::Sites;
use std::sync::Arc;

/// A tree whose text was understood.
pub(super) struct TreeDraft {
    bodies: TreeBodies,
    sites: Sites,
    gravity: Vec3,
    constraints: Vec<constraints::ConstraintEntry>,
    potentials: Vec<forces::PotentialEntry>,
    links: Vec<links::LinkEntry>,
    wrenches: Vec<(AppliedWrench, Place)>,
    /// Efforts and wrenches that see the state, and `[[drag]]`; then `[[force]]`.
    feedback: Vec<(StateForce, Place)>,
    /// Those that act otherwise, for their kinks.
    watched: Vec<StateForce>,
    pulls: Vec<forces::ForceEntry>,
    /// Where `start = "settled"` is written.
    settled: Option<Place>,
    /// For people.
    parameters: Vec<(String, Vec<f64>)>,
    cables: Vec<(String, String)>,
    ropes: Vec<Rope>,
}

/// Keys of models in other spaces.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "chain",
        "in a model with `space = \"spheres\"`; `[[cable]]` makes chains in trees",
    ),
    ("grid", THERE),
    ("icosphere", THERE),
    ("spiral", THERE),
    ("inertia", "in a `[[body]]`"),
    ("swirl", THERE),
    ("coordinates", TYPED),
    ("lagrangian", TYPED),
    ("velocity", "in a `[[body]]`"),
    ("joint", "in a `[[body]]`"),
];
const THERE: &str = "in a model with `space = \"spheres\"`";
const TYPED: &str = "in a model with `space = \"lagrangian\"`";

pub(super) fn read(root: &Section<'_>) -> Option<TreeDraft> {
    let problems = root.problems();
    let laws = Laws::read(root);
    let gravity = root.optional("gravity").vector();
    let gravity = gravity.map_or_else(Vec3::zeros, |gravity| gravity.value.into());
    let settled = read_start(root);
    let mut sites = Sites::default();
    let cables = cable::read(root);
    let segments: Vec<String> = cables.iter().flat_map(cable::CableText::body_names).collect();
    let mut bodies = bodies::read(root, &segments, &mut sites, &laws);
    cable::check_names(&cables, &bodies, problems);
    let names: Vec<String> = bodies
        .names()
        .into_iter()
        .map(str::to_owned)
        .chain(segments)
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    sites::read(root, &names, &mut sites);
    if names.is_empty() && !problems.has_errors() {
        let place = root.value_place("space").unwrap_or_else(|| root.place());
        root.lacks(&["body", "cable"], place, "the model has no bodies")
            .help("add `[[body]]` sections with `joint`, or a `[[cable]]`");
    }
    let described = cables.iter().map(cable::CableText::described).collect();
    let named = cables.iter().map(cable::CableText::named).collect();
    let (closures, ropes) = order::make_cables(cables, &gravity, &mut bodies, &mut sites, problems);
    order::sort(&mut bodies, &mut sites);
    let pulleys = pulleys::read(root, &bodies, &mut sites);
    let mut constraints = constraints::read(root, &bodies, (&sites, &pulleys), &laws);
    constraints.extend(closures);
    let potentials = forces::read_potentials(root, &bodies, &sites, &laws);
    let mut links = links::read(root, &bodies, &sites);
    links.extend(stops::read_strings(root, &bodies, &sites, &laws));
    let sightings = Sightings::read(root, &bodies, &sites, &constraints, &laws);
    let mut feedback = forces::read_efforts(&bodies, laws.put_off(), &sightings, problems);
    // What is wrong with these has been said.
    let own = forces::read_efforts(&bodies, laws.of_own_joints(), &sightings, &Problems::default());
    let mut watched: Vec<StateForce> = own.into_iter().map(|(force, _)| force).collect();
    let pulls = forces::read_forces(root, &bodies, &sites, &sightings);
    parts::check_joints(&bodies, problems);
    let names = potentials.iter().map(|entry| &entry.name);
    let names = names.chain(links.iter().map(|entry| &entry.name));
    let names = names.chain(pulls.iter().map(|entry| &entry.name));
    parts::check(
        names,
        constraints.iter().map(|entry| entry.name.as_str()),
        problems,
    );
    let (wrenches, seeing, of_time) = forces::read_wrenches(root, &bodies, &laws, &sightings);
    feedback.extend(seeing);
    watched.extend(of_time);
    feedback.extend(drag::read(root, &bodies, &named, &laws));
    root.refuse(ELSEWHERE);
    Some(TreeDraft {
        bodies,
        sites,
        gravity,
        constraints,
        potentials,
        links,
        wrenches,
        feedback,
        watched,
        pulls,
        settled,
        parameters: laws.described(),
        cables: described,
        ropes,
    })
}

/// `start = "settled"`: where it is written.
fn read_start(root: &Section<'_>) -> Option<Place> {
    if root.text("start").is_none() {
        root.refuse(&[(
            "start",
            "in the `[[body]]`, as `position` and `velocity`; `start = \"settled\"` starts in equilibrium",
        )]);
        return None;
    }
    let start = root.optional("start").choice()?;
    (start.value == "settled").then_some(start.place)
}

impl TreeDraft {
    pub(super) fn description(&self) -> Description {
        Description {
            potentials: (self.potentials.iter().map(|entry| entry.kind))
                .chain(self.links.iter().map(|entry| entry.kind))
                .chain(self.pulls.iter().map(|_| "force"))
                .collect(),
            constraints: self
                .constraints
                .iter()
                .map(|entry| (entry.name.clone(), entry.words.clone()))
                .collect(),
            parameters: self.parameters.clone(),
            cables: self.cables.clone(),
            ..Description::default()
        }
    }

    /// The tree and where it starts.
    pub(super) fn build(
        self,
        schedule: &Schedule,
        t: f64,
        inputs: Vec<input::Named>,
        problems: &Problems,
    ) -> Option<(Mechanism, State, Vec<Input>)> {
        let (wrenches, wrench_places): (Vec<_>, Vec<_>) = self.wrenches.into_iter().unzip();
        let (feedback, feedback_places): (Vec<_>, Vec<_>) = self.feedback.into_iter().unzip();
        let mut written: Vec<Place> = Vec::new();
        let mut parts = TreeParts {
            gravity: self.gravity,
            sites: self.sites.list,
            wrenches,
            feedback,
            watched: self.watched,
            ropes: self.ropes,
            ..TreeParts::default()
        };
        let (mut q, mut v, mut fixed) = (Vec::new(), Vec::new(), Vec::new());
        let (mut body_places, mut constraint_places) = (Vec::new(), Vec::new());
        let mut turned: Vec<(String, Place, Constraint)> = Vec::new();
        for (index, entry) in self.bodies.list.into_iter().enumerate() {
            let placed = entry.placed?;
            fixed.extend(placed.v.iter().map(|_| entry.keep));
            q.extend(placed.q);
            v.extend(placed.v);
            let effort = placed.effort.unwrap_or_else(|| entry.place.clone());
            written.extend(placed.forces.iter().map(|force| match force {
                JointForce::Effort(_) => effort.clone(),
                _ => entry.place.clone(),
            }));
            parts
                .joint_forces
                .extend(placed.forces.into_iter().map(|force| (index, force)));
            parts
                .armature
                .extend(placed.armature.map(|inertia| (index, inertia)));
            parts.limits.extend(placed.limits.map(|limits| (index, limits)));
            if let Some(turning) = placed.turning {
                let at = placed.at.rotation;
                let relative = Attitude::Driven(Box::new(move |t| {
                    let (rotation, omega, change) = turning(t);
                    (at * rotation, omega, change)
                }));
                let label = placed.name.as_ref().map_or(&entry.name, |name| &name.value);
                let constraint = Constraint::Orientation {
                    from: entry.parent,
                    to: index,
                    relative,
                };
                turned.push((format!("{label}.drive"), entry.place.clone(), constraint));
            }
            body_places.push((entry.name.clone(), entry.place));
            parts.as_given.extend(entry.as_given.then_some(index));
            let joint = placed.name.map(|name| (index, name.value));
            parts.names.joints.extend(joint);
            parts.names.segments.extend(entry.segment.then_some(index));
            parts.bodies.push(RigidBody {
                name: entry.name,
                parent: entry.parent,
                joint: placed.joint,
                parent_from_joint: placed.at,
                joint_from_body: holonomy::geometry::Pose::identity(),
                inertia: entry.inertia,
            });
        }
        for (name, place, constraint) in turned {
            constraint_places.push((name.clone(), place));
            parts.constraints.push((name, constraint));
        }
        for entry in self.constraints {
            constraint_places.push((entry.name.clone(), entry.place));
            parts.constraints.push((entry.name, entry.constraint));
        }
        let mut forces: Vec<Force> = Vec::new();
        for entry in self.potentials {
            forces.push((entry.place, entry.kind, entry.apart));
            parts.names.potentials.push(entry.name.text);
            parts.potentials.push(entry.potential);
        }
        for entry in self.links {
            let apart = match entry.link {
                Link::Damper { between, .. } => Some(between),
                Link::Beam(_) | Link::String(_) => None,
            };
            forces.push((entry.place, entry.kind, apart));
            parts.names.links.push(entry.name.text);
            parts.links.push(entry.link);
        }
        written.extend(wrench_places);
        written.extend(feedback_places);
        for entry in self.pulls {
            written.push(entry.place.clone());
            forces.push((entry.place, "force", entry.between));
            parts.feedback.push(entry.force);
        }
        let mut found = Vec::new();
        let fed = |tree: Tree| {
            found = find_inputs(inputs, &tree, problems);
            let forces = input::state_forces(&found, &tree);
            tree.with_feedback(forces)
        };
        let laid =
            (Tree::new(parts).and_then(fed)).and_then(|mut tree| tree.fit_routes(t, &q).map(|()| tree));
        let tree = match laid {
            Ok(tree) => tree,
            Err(error) => return refuse(&error, &body_places, &constraint_places, problems),
        };
        // Equations that say nothing have been left out of the tree.
        let mut places: Vec<Place> = Vec::new();
        let mut units = Vec::new();
        for ((_, constraint), (_, place)) in tree.constraint_list().zip(&constraint_places) {
            let unit = match constraint {
                Constraint::Orientation { .. } => " rad",
                Constraint::Coupling { .. } => "",
                _ => " m",
            };
            places.extend((0..constraint.rows()).map(|_| place.clone()));
            units.extend((0..constraint.rows()).map(|_| unit));
        }
        // Velocities are given for the equilibrium, if that is where it starts.
        let given = match self.settled {
            Some(_) => vec![0.0; v.len()],
            None => v.clone(),
        };
        let (mut q, closed) = start::close(&tree, (t, &q, &given), &fixed, (&places, &units), problems)?;
        let mut lambda = None;
        if let Some(place) = self.settled {
            let found = start::settle(&tree, (t, &q), &fixed, place, problems)?;
            v = assemble_at(&tree, t, &found.q, &v, &fixed).v;
            (q, lambda) = (found.q, Some(found.lambda));
        } else {
            v = closed;
        }
        start::check_drives(&tree, (t, &q), schedule, &constraint_places, problems)?;
        start::name_dependent(&tree, (t, &q), &constraint_places, problems);
        if let Some((name, place)) = tree.idle_at(&q).and_then(|body| body_places.get(body)) {
            let message =
                format!("where it starts, the joint of body `{name}` moves nothing that has inertia");
            return problems
                .error(place.clone(), message)
                .help("start it, or the joints behind it, elsewhere, or give the body `inertia`")
                .none();
        }
        let mut state = match tree.state(t, &q, &v) {
            Ok(state) => state,
            Err(error) => return problems.error(Place::model(), error.to_string()).none(),
        };
        state.lambda = lambda.unwrap_or(state.lambda);
        check_forces(&tree, &state, &forces, problems)?;
        check_formulas(&tree, (t, &q, &v), &written, problems)?;
        Some((Mechanism::Tree(Arc::new(tree)), state, found))
    }
}

/// What inputs act on and see.
fn find_inputs(inputs: Vec<input::Named>, tree: &Tree, problems: &Problems) -> Vec<Input> {
    let fits = |watched| match watched {
        Watched::Coordinate(place) => tree.scalar_coordinate(place).is_some(),
        Watched::Velocity(place) => tree.scalar_velocity(place).is_some(),
    };
    let otherwise = "name a joint that turns about an axis or slides; a rotation in space is fed back by a `[[wrench]]` that sees it";
    input::find(inputs, tree.layout(), &fits, otherwise, problems)
}

/// An error of the tree, at the text it is about.
fn refuse<T>(
    error: &TreeError,
    bodies: &[(String, Place)],
    constraints: &[(String, Place)],
    problems: &Problems,
) -> Option<T> {
    let find = |list: &[(String, Place)], name: &str| {
        let found = list.iter().find(|(other, _)| other == name);
        found.map_or_else(Place::model, |(_, place)| place.clone())
    };
    let place = match error {
        TreeError::Order { body }
        | TreeError::Axis { body }
        | TreeError::Parallel { body }
        | TreeError::Inertia { body, .. }
        | TreeError::Massless { body }
        | TreeError::Armature { body, .. }
        | TreeError::Force { body, .. } => find(bodies, body),
        TreeError::Constraint { name, .. } => find(constraints, name),
        TreeError::NoBody { .. }
        | TreeError::NotFinite { .. }
        | TreeError::Seen { .. }
        | TreeError::Name(_)
        | TreeError::Link { .. }
        | TreeError::Potential { .. } => Place::model(),
    };
    let report = problems.error(place, error.problem());
    match (error, error.remedy()) {
        (TreeError::Massless { .. }, _) => report.help(
            "give it, or a body behind it, mass off the axis, or `inertia`; a thin rod has none about itself",
        ),
        (_, Some(remedy)) => report.help(remedy),
        (_, None) => report,
    }
    .none()
}

/// Forces must have a value where the tree starts; `written` says where each is, by its number.
fn check_formulas(
    tree: &Tree,
    (t, q, v): (f64, &[f64], &[f64]),
    written: &[Place],
    problems: &Problems,
) -> Option<()> {
    let Some((number, undefined)) = tree.undefined_forces(t, q, v) else {
        return Some(());
    };
    let place = written.get(number).cloned().unwrap_or_else(Place::model);
    problems
        .error(
            place,
            format!("at the start {}", undefined.describe(tree.layout())),
        )
        .help("change the formula, its `parameters`, or how the model starts")
        .none()
}

/// Where a force is written, its kind, and the sites that it must find apart.
type Force = (Place, &'static str, Option<[usize; 2]>);

fn check_forces(tree: &Tree, state: &State, forces: &[Force], problems: &Problems) -> Option<()> {
    let mut places = vec![Vec3::zeros(); tree.layout().drawing.bases.len()];
    tree.sites(state.t, &state.q, &mut places);
    for (place, kind, apart) in forces {
        let Some([a, b]) = apart else { continue };
        if (places[*a] - places[*b]).norm() <= 1e-12 * tree.length() {
            problems
                .error(
                    place.clone(),
                    format!("the ends of this {kind} lie on each other, and it pulls in no direction"),
                )
                .help("move one of them at the start");
        }
    }
    for (number, undefined) in tree.undefined_potentials(&state.q).into_iter().enumerate() {
        let (Some(undefined), Some((place, ..))) = (undefined, forces.get(number)) else {
            continue;
        };
        let message = format!("at the start {}", undefined.describe(tree.layout()));
        return problems
            .error(place.clone(), message)
            .help("change the formula, its `parameters`, or where its sites are at the start")
            .none();
    }
    Some(())
}

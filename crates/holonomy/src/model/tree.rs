//! `space = "tree"`: bodies with joints, sites, constraints, cables and forces.
mod assemble;
mod bodies;
mod cable;
mod catenary;
mod constraints;
mod forces;
mod formula;
mod joint;
mod laws;
mod links;
mod sites;

use super::{Description, Problems, Section, Unit};
use crate::{
    Vec3,
    integrator::catalog::Mechanism,
    system::{State, System},
    tree::{Body, Constraint, Link, Tree, TreeError, TreeParts, Wrench},
};
use bodies::Bodies;
use sites::Sites;
use std::{ops::Range, sync::Arc};

/// A tree whose text was understood.
pub(super) struct Draft {
    bodies: Bodies,
    sites: Sites,
    gravity: Vec3,
    constraints: Vec<constraints::Entry>,
    potentials: Vec<forces::Entry>,
    links: Vec<links::Entry>,
    wrenches: Vec<Wrench>,
}

/// Keys of models in other spaces.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "chain",
        "in a model with `space = \"spheres\"`; `[[cable]]` makes chains in trees",
    ),
    ("grid", THERE),
    ("icosphere", THERE),
    ("inertia", "in a `[[body]]`"),
    ("swirl", THERE),
    ("coordinates", TYPED),
    ("parameters", TYPED),
    ("definitions", TYPED),
    ("lagrangian", TYPED),
    (
        "force",
        "in a `[[wrench]]` on a body, or as `effort` in a `[[body]]`",
    ),
    ("start", "in the `[[body]]`, as `position` and `velocity`"),
    ("velocity", "in a `[[body]]`"),
    ("joint", "in a `[[body]]`"),
];
const THERE: &str = "in a model with `space = \"spheres\"`";
const TYPED: &str = "in a model with `space = \"lagrangian\"`";

pub(super) fn read(root: &Section<'_>) -> Option<Draft> {
    let problems = root.problems();
    let gravity = root.optional("gravity").vector(Unit::METRE_PER_SECOND_SQUARED);
    let gravity = gravity.map_or_else(Vec3::zeros, |gravity| gravity.value.into());
    let mut sites = Sites::default();
    let mut bodies = bodies::read(root, &mut sites);
    let cables = cable::read(root, &bodies);
    let names: Vec<String> = bodies
        .names()
        .into_iter()
        .map(str::to_owned)
        .chain(cables.iter().flat_map(cable::Written::body_names))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    sites::read(root, &names, &mut sites);
    if names.is_empty() && !problems.has_errors() {
        let span = root.value_span("space").unwrap_or_else(|| root.span());
        root.lacks(&["body", "cable"], span, "the model has no bodies")
            .help("add `[[body]]` sections with `joint`, or a `[[cable]]`");
    }
    let mut closures = Vec::new();
    for cable in cables {
        closures.extend(cable.make(&gravity, &mut bodies, &mut sites, problems));
    }
    let mut constraints = constraints::read(root, &bodies, &sites);
    constraints.extend(closures);
    let potentials = forces::read_potentials(root, &bodies, &sites);
    let links = links::read(root, &bodies, &sites);
    let wrenches = forces::read_wrenches(root, &bodies);
    root.refuse(ELSEWHERE);
    Some(Draft {
        bodies,
        sites,
        gravity,
        constraints,
        potentials,
        links,
        wrenches,
    })
}

impl Draft {
    pub(super) fn description(&self) -> Description {
        Description {
            potentials: (self.potentials.iter().map(|entry| entry.kind))
                .chain(self.links.iter().map(|entry| entry.kind))
                .collect(),
            constraints: self
                .constraints
                .iter()
                .map(|entry| (entry.name.clone(), entry.words.clone()))
                .collect(),
            ..Description::default()
        }
    }

    /// The tree and where it starts.
    pub(super) fn build(self, problems: &Problems) -> Option<(Mechanism, State)> {
        let mut parts = TreeParts {
            gravity: self.gravity,
            sites: self.sites.list,
            wrenches: self.wrenches,
            ..TreeParts::default()
        };
        let (mut q, mut v, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        let mut body_spans = Vec::new();
        for (index, entry) in self.bodies.list.into_iter().enumerate() {
            let placed = entry.placed?;
            kept.extend(placed.v.iter().map(|_| entry.keep));
            q.extend(placed.q);
            v.extend(placed.v);
            parts
                .joint_forces
                .extend(placed.forces.into_iter().map(|force| (index, force)));
            body_spans.push((entry.name.clone(), entry.span));
            parts.bodies.push(Body {
                name: entry.name,
                parent: entry.parent,
                joint: placed.joint,
                parent_from_joint: placed.at,
                joint_from_body: crate::geometry::Pose::identity(),
                inertia: entry.inertia,
            });
        }
        let mut spans: Vec<Range<usize>> = Vec::new();
        let mut units = Vec::new();
        let mut constraint_spans = Vec::new();
        for entry in self.constraints {
            let unit = match entry.constraint {
                Constraint::Orientation { .. } => " rad",
                Constraint::Coupling { .. } => "",
                _ => " m",
            };
            spans.extend((0..entry.constraint.rows()).map(|_| entry.span.clone()));
            units.extend((0..entry.constraint.rows()).map(|_| unit));
            constraint_spans.push((entry.name.clone(), entry.span));
            parts.constraints.push((entry.name, entry.constraint));
        }
        let mut forces: Vec<Force> = Vec::new();
        for entry in self.potentials {
            forces.push((entry.span, entry.kind, entry.apart));
            parts.potentials.push(entry.potential);
        }
        for entry in self.links {
            let apart = match entry.link {
                Link::Damper { between, .. } => Some(between),
                Link::Beam(_) => None,
            };
            forces.push((entry.span, entry.kind, apart));
            parts.links.push(entry.link);
        }
        let tree = match Tree::new(parts) {
            Ok(tree) => tree,
            Err(error) => return refuse(&error, &body_spans, &constraint_spans, problems),
        };
        let (q, v) = close(&tree, &q, &v, &kept, (&spans, &units), problems)?;
        let state = tree.state(0.0, &q, &v);
        check_energy(&tree, &state, &forces, problems)?;
        Some((Mechanism::Tree(Arc::new(tree)), state))
    }
}

/// An error of the tree, at the text it is about.
fn refuse<T>(
    error: &TreeError,
    bodies: &[(String, Range<usize>)],
    constraints: &[(String, Range<usize>)],
    problems: &Problems,
) -> Option<T> {
    let find = |list: &[(String, Range<usize>)], name: &str| {
        let found = list.iter().find(|(other, _)| other == name);
        found.map_or(0..0, |(_, span)| span.clone())
    };
    let span = match error {
        TreeError::Order(name)
        | TreeError::Axis(name)
        | TreeError::Parallel(name)
        | TreeError::Inertia(name, _)
        | TreeError::Massless(name)
        | TreeError::Force(name, _) => find(bodies, name),
        TreeError::Constraint(name, _) => find(constraints, name),
        TreeError::NoBody(..) | TreeError::Link(..) | TreeError::Potential(_) => 0..0,
    };
    // Messages of the tree have their advice after a semicolon.
    let text = error.to_string();
    match text.split_once("; ") {
        Some((message, _)) if matches!(error, TreeError::Massless(_)) => problems
            .error(span, message)
            .help("give it, or a body behind it, mass off the axis, or `inertia`; a thin rod has none about itself")
            .none(),
        Some((message, help)) => problems.error(span, message).help(help).none(),
        None => problems.error(span, text).none(),
    }
}

/// Moves the start to where the constraints hold, or says that there is no such place.
fn close(
    tree: &Tree,
    q: &[f64],
    v: &[f64],
    kept: &[bool],
    (spans, units): (&[Range<usize>], &[&str]),
    problems: &Problems,
) -> Option<(Vec<f64>, Vec<f64>)> {
    if spans.is_empty() {
        return Some((q.to_vec(), v.to_vec()));
    }
    let assembly = assemble::assemble(tree, q, v, kept);
    let worst = |errors: &[f64]| {
        let each = errors.iter().enumerate().map(|(row, g)| (row, g.abs()));
        each.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default()
    };
    let name = |row: usize| tree.constraint_name(row).unwrap_or_default();
    if !assembly.closed {
        let (row, open) = worst(&assembly.after);
        let mut open_ones: Vec<&str> = Vec::new();
        for (row, g) in assembly.after.iter().enumerate() {
            if g.abs() > 1e-9 * assembly.length && !open_ones.contains(&name(row)) {
                open_ones.push(name(row));
            }
        }
        let others: Vec<String> = open_ones
            .iter()
            .filter(|other| **other != name(row))
            .map(|other| format!("`{other}`"))
            .collect();
        let together = match &others[..] {
            [] => String::new(),
            _ => format!("; open with it: {}", others.join(", ")),
        };
        return problems
            .error(
                spans[row].clone(),
                format!(
                    "constraint `{}` cannot be met from this start: at the nearest place it is open by {open:.3e}{}{together}",
                    name(row),
                    units[row]
                ),
            )
            .help("change lengths or positions so that the loop closes, or free what has `keep = true`")
            .none();
    }
    let (row, open) = worst(&assembly.before);
    if open > 1e-6 * assembly.length {
        let moved = moved(tree, q, &assembly.q);
        problems.note(
            spans[row].clone(),
            format!(
                "constraint `{}` is open by {open:.3e}{} at the start; it is closed by moving {moved}",
                name(row),
                units[row]
            ),
        );
    }
    if assembly.slowed > 1e-6 {
        let message = format!(
            "velocities at the start do not keep the constraints; they are changed by {:.1} % of the largest",
            100.0 * assembly.slowed
        );
        problems.note(spans[row].clone(), message);
    }
    Some((assembly.q, assembly.v))
}

/// The coordinate that moved most, and by how much.
fn moved(tree: &Tree, from: &[f64], to: &[f64]) -> String {
    let changes = from.iter().zip(to).map(|(a, b)| b - a).enumerate();
    let (k, change) = changes
        .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
        .unwrap_or_default();
    let name = tree.layout().coordinates.get(k).map_or("", String::as_str);
    format!("`{name}` by {change:.3e}, and others by less")
}

/// Where a force is written, its kind, and the sites that it must find apart.
type Force = (Range<usize>, &'static str, Option<[usize; 2]>);

fn check_energy(tree: &Tree, state: &State, forces: &[Force], problems: &Problems) -> Option<()> {
    let mut places = vec![Vec3::zeros(); tree.layout().bases.len()];
    tree.sites(&state.q, &mut places);
    for (span, kind, apart) in forces {
        let Some([a, b]) = apart else { continue };
        if (places[*a] - places[*b]).norm() <= 1e-12 * tree.length() {
            problems
                .error(
                    span.clone(),
                    format!("the ends of this {kind} lie on each other, and it pulls in no direction"),
                )
                .help("move one of them at the start");
        }
    }
    for (number, undefined) in tree.undefined_potentials(&state.q).into_iter().enumerate() {
        let (Some(undefined), Some((span, ..))) = (undefined, forces.get(number)) else {
            continue;
        };
        let message = format!("at the start {}", undefined.describe(tree.layout()));
        return problems
            .error(span.clone(), message)
            .help("change the formula, its `parameters`, or where its sites are at the start")
            .none();
    }
    let energy = tree.energy(state).total();
    if energy.is_finite() && state.is_finite() {
        return Some(());
    }
    let span = forces.first().map_or(0..0, |(span, ..)| span.clone());
    problems
        .error(span, format!("the energy at the start is {energy}"))
        .help("numbers are too large, or too unlike each other")
        .none()
}

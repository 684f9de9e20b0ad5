//! A tree of rigid bodies, explained.
use super::{
    Page, energy,
    lagrangian::{coordinates, parameters},
    momenta,
};
use crate::{
    output::{counted, dim, number},
    table::{Align, Table},
};
use holonomy::{
    Vec3,
    scene::JointShape,
    system::{Measurement, System},
    tree::Tree,
};
use holonomy_model::Model;

/// Coordinates, bodies and constraints that are written out one by one.
const MOST: usize = 24;

pub(super) fn explain(model: &Model, system: &Tree, measured: &Measurement, page: &mut Page) {
    let layout = system.layout();
    page.text += &format!(
        "tree of {} with {}\n",
        counted(system.len(), "body", "bodies"),
        counted(system.velocities(), "velocity", "velocities")
    );
    bodies(model, system, page);
    super::forces::explain(model, page);
    constraints(model, system, measured, page);
    if layout.coordinates.len() <= MOST {
        coordinates(model, layout, &[], measured, page);
    }
    page.section("at the start");
    energy(page, layout, measured.energy);
    momenta(page, layout, measured, "");
    let kept = match layout.conserved.invariants.is_empty() {
        true => ("momenta", format!("none is conserved: {}", system.why_kept())),
        false => ("", format!("conserved: {}", system.why_kept())),
    };
    page.line(kept.0, &kept.1);
    page.section("cost");
    page.line("of a step", &cost(system));
    if is_one_long_cable(system) {
        page.line(
            "",
            "it is one long cable: as a `[chain]` of point masses on spheres its steps cost a fraction, and may be longer",
        );
    }
}

fn bodies(model: &Model, system: &Tree, page: &mut Page) {
    page.section("bodies");
    let names = &system.layout().words.bodies;
    let mut table = Table::new(&[Align::Left, Align::Left, Align::Left, Align::Right, Align::Left]);
    table.row(["", "joined to", "by a joint", "mass", ""].map(dim));
    let whole = names.len() <= MOST;
    let shown = if whole { names.len() } else { MOST / 2 };
    let mut driven = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let body = system.describe(index);
        if body.driven {
            driven.push(name.clone());
        }
        if index >= shown {
            continue;
        }
        let parent = body.parent.map_or("world", |parent| names[parent].as_str());
        let axes: Vec<String> = body.axes.iter().map(axis).collect();
        let about = match (axes.is_empty(), body.joint) {
            (true, _) => String::new(),
            (_, JointShape::Prismatic) => format!(" along {}", axes.join(" and ")),
            _ => format!(" about {}", axes.join(" and ")),
        };
        let is_driven = if body.driven { "driven" } else { "" };
        table.row([
            format!("  {name}"),
            parent.to_owned(),
            format!("{}{about}", body.joint),
            format!("{} kg", number(body.mass)),
            is_driven.to_owned(),
        ]);
    }
    page.text += &table.render();
    if !whole {
        page.text += &format!("  … and {} more\n", names.len() - shown);
    }
    let description = &model.description;
    let sources = &system.layout().conserved.sources;
    if description.cables.len()
        + driven.len()
        + description.potentials.len()
        + description.parameters.len()
        + sources.len()
        > 0
    {
        page.section("with them");
    }
    for (index, (name, words)) in description.cables.iter().enumerate() {
        let what = if index == 0 { "cables" } else { "" };
        page.line(what, &format!("{name}: {words}"));
    }
    if !driven.is_empty() {
        page.list("driven", &driven);
    }
    let potentials: Vec<String> = model
        .description
        .potentials
        .iter()
        .map(|kind| (*kind).to_owned())
        .collect();
    if !potentials.is_empty() {
        page.list("potentials", &potentials);
    }
    if !sources.is_empty() {
        let named: Vec<String> = sources.iter().take(MOST).map(|name| name.to_string()).collect();
        page.list("power from", &named);
    }
    parameters(description, page);
}

/// An axis by its letter, or its components.
fn axis(axis: &Vec3) -> String {
    for (sign, of) in [("", 1.0), ("−", -1.0)] {
        for (letter, e) in [("x", Vec3::x()), ("y", Vec3::y()), ("z", Vec3::z())] {
            if (axis - e * of).norm() < 1e-9 {
                return format!("{sign}{letter}");
            }
        }
    }
    format!("({:.3}, {:.3}, {:.3})", axis.x, axis.y, axis.z)
}

fn constraints(model: &Model, system: &Tree, measured: &Measurement, page: &mut Page) {
    let layout = system.layout();
    if layout.multipliers.is_empty() {
        return;
    }
    page.section("constraints");
    let mut table = Table::new(&[Align::Left, Align::Left, Align::Right, Align::Left]);
    table.row(["", "kind", "equations", "multipliers at the start"].map(dim));
    let kinds = model.description.constraints.iter().map(|(_, kind)| kind);
    let mut row = 0;
    for ((name, constraint), kind) in system.constraint_list().zip(kinds).take(MOST) {
        let each = row..row + constraint.rows();
        row = each.end;
        let values: Vec<String> = measured.multipliers[each.clone()]
            .iter()
            .map(|x| number(*x))
            .collect();
        let unit = layout.multiplier_units[each.start].symbol();
        table.row([
            format!("  {name}"),
            kind.clone(),
            constraint.rows().to_string(),
            format!("{} {unit}", values.join(", ")).trim_end().to_owned(),
        ]);
    }
    page.text += &table.render();
    let count = model.description.constraints.len();
    if count > MOST {
        page.text += &format!("  … and {} more\n", count - MOST);
    }
    let dependent = system.dependences(model.state.t, &model.state.q).len();
    let rank = layout.multipliers.len() - dependent;
    let left = system.velocities().saturating_sub(rank);
    let freedom = counted(left, "degree of freedom", "degrees of freedom");
    let mut text = format!(
        "{} equations, {rank} of them independent: {freedom} left",
        layout.multipliers.len()
    );
    if dependent > 0 {
        text += "; multipliers of those that depend on each other are the shortest that do";
    }
    page.line("in all", &text);
}

/// How the cost of a step grows.
/// Whether it is a single row of many hinges.
fn is_one_long_cable(system: &Tree) -> bool {
    let links = (0..system.len()).map(|body| system.describe(body));
    let mut links = links.enumerate();
    system.len() >= LONG
        && links.all(|(k, body)| {
            body.parent == k.checked_sub(1)
                && !body.driven
                && matches!(body.joint, JointShape::Revolute | JointShape::Universal)
        })
}

/// Segments from which on a cable is long.
const LONG: usize = 20;

fn cost(system: &Tree) -> String {
    let (n, m) = (system.velocities(), system.constraints());
    match m {
        0 => format!("grows as the number of velocities, {n}: no matrix of that size is formed"),
        _ => format!(
            "grows as the number of velocities, {n}, times that of equations of constraint, {m}, and as {m}³ for the multipliers"
        ),
    }
}

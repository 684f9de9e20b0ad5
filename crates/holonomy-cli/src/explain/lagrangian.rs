//! A Lagrangian explained.
use super::{Page, energy, momenta};
use crate::{
    output::{counted, dim, number},
    table::{Align, Table},
};
use holonomy::{
    lagrangian::{Derivatives, GeneralizedForce, HolonomicConstraint, Lagrangian},
    system::{Layout, Measurement, System},
};
use holonomy_model::{Description, Model};

/// Coordinates whose numbers are written out.
pub(super) const MOST: usize = 8;

pub(super) fn explain(model: &Model, system: &Lagrangian, measured: &Measurement, page: &mut Page) {
    let layout = system.layout();
    let mut family = format!(
        "Lagrangian of {}",
        counted(layout.coordinates.len(), "coordinate", "coordinates")
    );
    if !layout.multipliers.is_empty() {
        let count = counted(layout.multipliers.len(), "constraint", "constraints");
        family += &format!(" with {count}");
    }
    page.text += &format!("{family}\n");

    formulas(&model.description, page);
    let cyclic: Vec<usize> = system.cyclic().collect();
    coordinates(model, layout, &cyclic, measured, page);
    start(model, system, measured, page);
}

pub(super) fn formulas(description: &Description, page: &mut Page) {
    page.section("formulas");
    if let Some(lagrangian) = &description.lagrangian {
        page.line("Lagrangian", lagrangian);
    }
    for (index, (name, text)) in description.definitions.iter().enumerate() {
        let what = if index == 0 { "definitions" } else { "" };
        page.line(what, &format!("{name} = {text}"));
    }
    parameters(description, page);
    for (index, (name, text)) in description.forces.iter().enumerate() {
        let what = if index == 0 { "forces" } else { "" };
        page.line(what, &format!("on {name}: {text}"));
    }
    for (index, (name, text)) in description.constraints.iter().enumerate() {
        let what = if index == 0 { "constraints" } else { "" };
        page.line(what, &format!("{name}: {text} = 0"));
    }
    for (index, (name, text)) in description.fields.iter().enumerate() {
        let what = if index == 0 { "fields" } else { "" };
        let kept = if description.constrained.contains(name) {
            ", which stays zero"
        } else {
            ""
        };
        page.line(what, &format!("{text} for {name}{kept}"));
    }
    for (index, (name, text)) in description.invariants.iter().enumerate() {
        let what = if index == 0 { "measured" } else { "" };
        page.line(what, &format!("{name} = {text}"));
    }
    page.line("equations", &general_equations(description));
    for equation in &description.equations {
        page.line("", equation);
    }
}

/// What is solved, for every coordinate q.
/// The parameters with their values.
pub(super) fn parameters(description: &Description, page: &mut Page) {
    let each = description.parameters.iter().map(|(name, value)| {
        let numbers: Vec<String> = value.iter().map(|value| number(*value)).collect();
        match &numbers[..] {
            [only] => format!("{name} = {only}"),
            _ => format!("{name} = [{}]", numbers.join(", ")),
        }
    });
    let each: Vec<String> = each.collect();
    if !each.is_empty() {
        page.list("parameters", &each);
    }
}

fn general_equations(description: &Description) -> String {
    if !description.fields.is_empty() {
        let mut text = "q' = ξⁱuᵢ, d/dt ∂l/∂ξʲ = cᵢⱼᵐ ∂l/∂ξᵐ ξⁱ + uⱼ[l]".to_owned();
        if !description.forces.is_empty() {
            text += " + uⱼ·force";
        }
        if !description.constraints.is_empty() {
            text += " − Σ λ uⱼ[g], with every constraint g = 0";
        }
        return text + " (Hamel)";
    }
    let mut text = "d/dt ∂L/∂q' = ∂L/∂q".to_owned();
    if !description.forces.is_empty() {
        text += " + force";
    }
    if !description.constraints.is_empty() {
        text += " − Σ λ ∂g/∂q, with every constraint g = 0";
    }
    text
}

/// The coordinates and velocities; `cyclic` are the numbers of those that are called so.
pub(super) fn coordinates(
    model: &Model,
    layout: &Layout,
    cyclic: &[usize],
    measured: &Measurement,
    page: &mut Page,
) {
    page.section("coordinates");
    let q = layout.reported(&model.state.q);
    let mut table = Table::new(&[Align::Left, Align::Right, Align::Left]);
    let heads = ["", "at the start", ""];
    table.row(heads.map(dim));
    for (index, (name, value)) in layout.coordinates.iter().zip(q.iter()).enumerate() {
        let periodic = layout.periodic.get(index) == Some(&true);
        let cyclic = cyclic.contains(&index);
        let note = match (periodic, cyclic) {
            (true, true) => "angle, reported within ±π; cyclic",
            (true, false) => "angle, reported within ±π",
            (false, true) => "cyclic",
            (false, false) => "",
        };
        table.row([format!("  {name}"), number(*value), note.to_owned()]);
    }
    for (name, value) in layout.velocities.iter().zip(&measured.velocity) {
        table.row([format!("  {name}"), number(*value), String::new()]);
    }
    page.text += &table.render();
}

fn start(model: &Model, system: &Lagrangian, measured: &Measurement, page: &mut Page) {
    let layout = system.layout();
    let state = &model.state;
    page.section("at the start");
    energy(page, layout, measured.energy);
    let cyclic = system.cyclic().map(|k| layout.coordinates[k].to_string());
    let cyclic: Vec<String> = cyclic.collect();
    match cyclic.is_empty() {
        true => page.line(
            "cyclic",
            "no coordinate: the Lagrangian, a force or a constraint depends on each",
        ),
        false => page.list("cyclic", &cyclic),
    }
    momenta(page, layout, measured, "");

    let (names, v) = (&layout.velocities, &measured.velocity);
    let n = v.len();
    let mechanics = system.mechanics();
    let mut derivatives = Derivatives::default();
    if n <= MOST
        && mechanics
            .lagrangian(state.t, &state.q, v, &mut derivatives)
            .is_ok()
    {
        let rows = derivatives.vv.chunks(n);
        let rows = rows.map(|row| row.iter().map(|entry| number(*entry)).collect());
        matrix(page, "mass matrix", rows.collect());
    }
    let listed = |names: &[String], values: &[f64]| -> Vec<String> {
        let each = names.iter().zip(values);
        each.map(|(name, value)| format!("{name}: {}", number(*value)))
            .collect()
    };
    if n <= MOST {
        page.list("∂L/∂q", &listed(&layout.coordinates, &derivatives.q));
        let mut force = GeneralizedForce::default();
        let acts = !model.description.forces.is_empty();
        if acts && mechanics.force(state.t, &state.q, v, &mut force).is_ok() {
            page.list("forces", &listed(&layout.coordinates, &force.value));
        }
        let (mut dq, mut dv) = (vec![0.0; state.q.len()], vec![0.0; n]);
        system.rate(state.t, &state.q, v, &mut dq, &mut dv, &mut system.scratch());
        let seconds: Vec<String> = names.iter().map(|name| format!("{name}'")).collect();
        page.list("accelerations", &listed(&seconds, &dv));
    }
    constraints(model, system, measured, page);
}

/// Constraints, with their values and multipliers at the start.
pub(super) fn constraints(model: &Model, system: &Lagrangian, measured: &Measurement, page: &mut Page) {
    let (layout, state) = (system.layout(), &model.state);
    let (mut found, mut v) = (HolonomicConstraint::default(), Vec::new());
    system.spread(&measured.velocity, &mut v);
    let value = system.mechanics().constraint(state.t, &state.q, &v, &mut found);
    if layout.multipliers.is_empty() || value.is_err() {
        return;
    }
    let each = layout
        .multipliers
        .iter()
        .zip(found.value.iter().zip(&measured.multipliers));
    for (index, (name, (value, multiplier))) in each.enumerate() {
        let what = if index == 0 { "constraints" } else { "" };
        page.line(
            what,
            &format!("{name}: g = {}, λ = {}", number(*value), number(*multiplier)),
        );
    }
    // The loader refuses constraints that depend on each other.
    let (m, n) = (layout.multipliers.len(), layout.velocities.len());
    page.line(
        "",
        &format!(
            "their gradients have rank {m}: {} left",
            counted(n.saturating_sub(m), "degree of freedom", "degrees of freedom")
        ),
    );
}

/// A matrix with its columns in line.
pub(super) fn matrix(page: &mut Page, what: &str, rows: Vec<Vec<String>>) {
    let widths: Vec<usize> = (0..rows.len())
        .map(|column| {
            rows.iter()
                .filter_map(|row| row.get(column))
                .map(String::len)
                .max()
                .unwrap_or(0)
        })
        .collect();
    let lines: Vec<String> = rows
        .iter()
        .map(|row| {
            let cells = row.iter().zip(&widths);
            let cells: Vec<String> = cells.map(|(cell, width)| format!("{cell:>width$}")).collect();
            format!("[ {} ]", cells.join("  "))
        })
        .collect();
    page.block(what, lines.iter().map(String::as_str));
}

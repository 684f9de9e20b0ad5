//! A Lagrangian in a frame, explained.
use super::{
    Page, energy,
    lagrangian::{MOST, constraints, coordinates, formulas, matrix},
    momenta,
};
use crate::output::{counted, number};
use holonomy::{
    lagrangian::{Brackets, Derivatives, FrameFields, Lagrangian},
    system::{Measurement, System},
};
use holonomy_model::Model;

pub(super) fn explain(model: &Model, system: &Lagrangian, measured: &Measurement, page: &mut Page) {
    let layout = system.layout();
    let mut family = format!(
        "Lagrangian of {} in a frame of {}",
        counted(layout.coordinates.len(), "coordinate", "coordinates"),
        counted(layout.words.fields.len(), "field", "fields")
    );
    let constrained = model.description.constrained.len();
    if constrained > 0 {
        family += &format!(", {constrained} of them constrained");
    }
    if !layout.multipliers.is_empty() {
        let count = counted(layout.multipliers.len(), "constraint", "constraints");
        family += &format!(", with {count}");
    }
    page.text += &format!("{family}\n");
    formulas(&model.description, page);
    coordinates(model, layout, &[], measured, page);

    page.section("at the start");
    energy(page, layout, measured.energy);
    momenta(page, layout, measured, "");
    let (state, v) = (&model.state, &measured.velocity);
    let (mut xi, mut at) = (Vec::new(), Derivatives::default());
    system.spread(v, &mut xi);
    let known = system
        .mechanics()
        .lagrangian(state.t, &state.q, &xi, &mut at)
        .is_ok();
    let k = xi.len();
    if known && k <= MOST {
        let row = |i: &usize| -> Vec<String> {
            let entries = system.free().iter();
            entries.map(|j| number(at.vv[i * k + j])).collect()
        };
        matrix(page, "mass matrix", system.free().iter().map(row).collect());
        let (mut dq, mut dv) = (vec![0.0; state.q.len()], vec![0.0; v.len()]);
        system.rate(state.t, &state.q, v, &mut dq, &mut dv, &mut system.scratch());
        let each = layout.velocities.iter().zip(&dv);
        let each: Vec<String> = each
            .map(|(name, dv)| format!("{name}': {}", number(*dv)))
            .collect();
        page.list("accelerations", &each);
    }
    constraints(model, system, measured, page);
    structure(system, model, page);
}

/// Brackets of the fields in terms of the fields, where they are not zero.
fn structure(system: &Lagrangian, model: &Model, page: &mut Page) {
    let (mut frame, mut brackets) = (FrameFields::default(), Brackets::default());
    let found = system.mechanics().frame(&model.state.q, &mut frame);
    if found.is_err() || system.brackets(&frame, &mut brackets).is_err() {
        return;
    }
    let names = &system.layout().words.fields;
    let k = names.len();
    let mut first = true;
    for (i, j) in (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j))) {
        let parts: Vec<String> = (0..k)
            .map(|m| (brackets.c[(i * k + j) * k + m], &names[m]))
            // What is left of a zero by rounding is no structure.
            .filter(|(c, _)| c.abs() > 1e-14)
            .map(|(c, name)| format!("{} {name}", number(c)))
            .collect();
        if parts.is_empty() {
            continue;
        }
        let what = if first { "brackets" } else { "" };
        first = false;
        page.line(
            what,
            &format!("[{}, {}] = {}", names[i], names[j], parts.join(" + ")),
        );
    }
    if first {
        page.line("brackets", "all zero: the fields commute");
    }
}

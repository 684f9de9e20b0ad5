//! A tree of rigid bodies, explained.
use super::{Page, energy, lagrangian::coordinates, momenta};
use crate::output::counted;
use holonomy::{
    model::Model,
    system::{Measurement, System},
    tree::Tree,
};

/// Coordinates whose numbers are written out.
const MOST: usize = 24;

pub(super) fn explain(model: &Model, system: &Tree, measured: &Measurement, page: &mut Page) {
    let layout = system.layout();
    let mut family = format!(
        "tree of {} with {}",
        counted(system.len(), "body", "bodies"),
        counted(system.velocities(), "degree of freedom", "degrees of freedom")
    );
    if system.constraints() > 0 {
        let count = counted(
            system.constraints(),
            "equation of constraint",
            "equations of constraint",
        );
        family += &format!(" and {count}");
    }
    page.text += &format!("{family}\n");
    if layout.coordinates.len() <= MOST {
        coordinates(model, layout, measured, page);
    }
    page.section("at the start");
    energy(page, layout, measured.energy);
    momenta(page, layout, measured, " kg m²/s");
}

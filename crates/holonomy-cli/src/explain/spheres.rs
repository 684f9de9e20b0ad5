//! Bodies on spheres, explained.
use super::{Page, energy, momenta};
use crate::output::counted;
use holonomy::{
    spheres::{Inertia, Spheres},
    system::{Base, Measurement, System},
};
use holonomy_model::Model;

/// Names that are written out.
const MOST: usize = 8;

pub(super) fn explain(model: &Model, system: &Spheres, measured: &Measurement, page: &mut Page) {
    let layout = system.layout();
    page.text += &format!("{} on unit spheres\n", counted(system.len(), "body", "bodies"));

    page.section("what moves");
    let mut names: Vec<&str> = layout
        .words
        .bodies
        .iter()
        .take(MOST)
        .map(String::as_str)
        .collect();
    if layout.words.bodies.len() > MOST {
        names.push("…");
    }
    page.line("bodies", &names.join(", "));
    let joined = layout
        .drawing
        .bases
        .iter()
        .filter(|base| matches!(base, Base::Site(_)))
        .count();
    let inertia = match (system.inertia(), joined) {
        (Inertia::Dense { .. }, _) => {
            "a full matrix: every body feels the acceleration of every other".to_owned()
        }
        (Inertia::Links(_), 0) => "diagonal: the bodies are separate".to_owned(),
        (Inertia::Links(_), joined) => {
            format!(
                "that of links: {} on another",
                counted(joined, "body begins", "bodies begin")
            )
        }
    };
    page.line("inertia", &inertia);
    if let Some(held) = system.held() {
        let [x, y, z] = [held.at.x, held.at.y, held.at.z];
        let words = format!(
            "`{}` ends at ({x}, {y}, {z}) m and is held there",
            layout.words.bodies[held.body]
        );
        page.line("end", &words);
    }
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for kind in &model.description.potentials {
        match kinds.iter_mut().find(|(known, _)| known == kind) {
            Some((_, count)) => *count += 1,
            None => kinds.push((kind, 1)),
        }
    }
    let kinds: Vec<String> = kinds
        .into_iter()
        .map(|(kind, count)| match count {
            1 => kind.to_owned(),
            _ => format!("{kind} ({count})"),
        })
        .collect();
    match kinds.is_empty() {
        true => page.line("potentials", "none: the bodies move freely"),
        false => page.line("potentials", &kinds.join(", ")),
    }

    super::forces::explain(model, page);
    page.section("at the start");
    energy(page, layout, measured.energy);
    page.line(
        "symmetry",
        match layout.conserved.invariants.len() {
            0 if !system.forces().is_empty() => "not looked for where forces without potential act",
            0 if system.held().is_some() => "none: no rotation leaves the forces and the ends as they are",
            0 => "none: no rotation leaves the forces as they are",
            1 => "rotations about one axis leave the forces as they are",
            _ => "all rotations leave the forces as they are",
        },
    );
    momenta(page, layout, measured, " kg m²/s");
}

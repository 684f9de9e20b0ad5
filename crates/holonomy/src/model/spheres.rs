//! `space = "spheres"`: bodies and potentials.
mod held;

use super::{Description, Problems, Section, bodies, bodies::Bodies, potentials, potentials::Potentials};
use crate::{
    integrator::catalog::Mechanism,
    spheres::{Spheres, view},
    system::{State, System},
};
use std::sync::Arc;

/// A mechanism on spheres whose text was understood.
pub(super) struct Draft {
    bodies: Bodies,
    potentials: Potentials,
}

pub(super) fn read(root: &Section<'_>) -> Option<Draft> {
    let bodies = bodies::read(root);
    let potentials = potentials::read(root, bodies.as_ref());
    let kinds: Vec<(&str, String)> = potentials::kinds()
        .map(|kind| {
            (
                kind,
                format!("in a section `[[potential]]` with `kind = \"{kind}\"`"),
            )
        })
        .collect();
    let homes: Vec<(&str, &str)> = kinds.iter().map(|(kind, home)| (*kind, home.as_str())).collect();
    root.refuse(&homes);
    root.refuse(super::lagrangian::HOMES);
    Some(Draft {
        bodies: bodies?,
        potentials: potentials?,
    })
}

impl Draft {
    pub(super) fn description(&self) -> Description {
        Description {
            potentials: self.potentials.kinds.clone(),
            ..Description::default()
        }
    }

    /// The mechanism and where it starts.
    pub(super) fn build(self, problems: &Problems) -> (Mechanism, State) {
        let Self {
            mut bodies,
            potentials,
        } = self;
        let links = bodies.bodies.len();
        let mut spheres = Spheres::new(
            std::mem::take(&mut bodies.bodies),
            std::mem::take(&mut bodies.inertia),
            potentials.points,
            potentials.list,
        );
        if let Some(end) = bodies.end.take() {
            spheres = spheres.hold(links - 1, end.at);
            held::start(&spheres, &end, &mut bodies, problems);
        }
        let spheres = Arc::new(spheres);
        let energies = spheres.potential_energies(&bodies.directions);
        let undefined = spheres.undefined_potentials(&bodies.directions);
        for ((span, energy), undefined) in potentials.spans.into_iter().zip(energies).zip(undefined) {
            if let Some(undefined) = undefined {
                let message = format!("at the start {}", undefined.describe(spheres.layout()));
                problems
                    .error(span, message)
                    .help("change the formula, its `parameters` or the `direction` of a body");
            } else if !energy.is_finite() {
                problems
                    .error(
                        span,
                        format!("the energy of this potential at the start is {energy}"),
                    )
                    .help("bodies are too near to each other, or its numbers too large");
            }
        }
        let state = spheres.state(&bodies.directions, &bodies.angular_velocities);
        // What is finite in each part may still not be so together.
        let momenta = view(&state.p).iter().zip(&bodies.angular_velocities);
        let kinetic = 0.5 * momenta.map(|(p, omega)| p.dot(omega)).sum::<f64>();
        if !kinetic.is_finite() || !state.is_finite() {
            problems
                .error(0..0, format!("the kinetic energy at the start is {kinetic}"))
                .help("masses, lengths or angular velocities are too large, or too unlike each other");
        }
        (Mechanism::Spheres(spheres), state)
    }
}

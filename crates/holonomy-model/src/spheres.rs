//! `space = "spheres"`: bodies and potentials.
mod forces;
mod held;

use super::{
    Description, Place, Problems, Section, bodies, bodies::Bodies, potentials, potentials::Potentials,
};
use forces::Forces;
use holonomy::{
    spheres::{Spheres, SpheresParts, view},
    system::{Mechanism, State, System},
};
use std::sync::Arc;

/// A mechanism on spheres whose text was understood.
pub(super) struct SpheresDraft {
    bodies: Bodies,
    potentials: Potentials,
    forces: Forces,
}

pub(super) fn read(root: &Section<'_>) -> Option<SpheresDraft> {
    let bodies = bodies::read(root);
    let potentials = potentials::read(root, bodies.as_ref());
    let forces = forces::read(root, bodies.as_ref());
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
    Some(SpheresDraft {
        bodies: bodies?,
        potentials: potentials?,
        forces: forces?,
    })
}

impl SpheresDraft {
    pub(super) fn description(&self) -> Description {
        Description {
            potentials: self.potentials.kinds.clone(),
            ..Description::default()
        }
    }

    /// The mechanism, or the known one, and where it starts.
    pub(super) fn build(
        self,
        known: Option<&Mechanism>,
        t: f64,
        problems: &Problems,
    ) -> Option<(Mechanism, State)> {
        let Self {
            mut bodies,
            potentials,
            mut forces,
        } = self;
        let links = bodies.bodies.len();
        let end = bodies.end.take();
        let made = || {
            Spheres::new(SpheresParts {
                bodies: std::mem::take(&mut bodies.bodies),
                inertia: bodies.inertia.take(),
                points: potentials.points,
                potentials: potentials.list,
                forces: std::mem::take(&mut forces.list),
                held: end.as_ref().map(|end| (links - 1, end.at)),
                ..SpheresParts::default()
            })
        };
        let spheres = match known {
            Some(Mechanism::Spheres(spheres)) => spheres.clone(),
            _ => match made() {
                Ok(spheres) => Arc::new(spheres),
                Err(error) => return problems.error(Place::model(), error.to_string()).none(),
            },
        };
        if let Some(end) = end {
            held::start(&spheres, &end, &mut bodies, problems);
        }
        let energies = spheres.potential_energies(&bodies.directions);
        let undefined = spheres.undefined_potentials(&bodies.directions);
        for ((place, energy), undefined) in potentials.places.into_iter().zip(energies).zip(undefined) {
            if let Some(undefined) = undefined {
                let message = format!("at the start {}", undefined.describe(spheres.layout()));
                problems
                    .error(place, message)
                    .help("change the formula, its `parameters` or the `direction` of a body");
            } else if !energy.is_finite() {
                problems
                    .error(
                        place,
                        format!("the energy of this potential at the start is {energy}"),
                    )
                    .help("bodies are too near to each other, or its numbers too large");
            }
        }
        for (force, place) in forces.places.into_iter().enumerate() {
            if !spheres.force_is_finite(force, t, &bodies.directions, &bodies.angular_velocities) {
                problems
                    .error(place, "this force, or its slope by the velocities, has no value at the start")
                    .help("change its formulas, their `parameters`, or how the bodies start; `norm(u)` has no slope where u is zero: there write `sqrt(dot(u, u) + 1e-12)`");
            }
        }
        let mut state = match spheres.state(&bodies.directions, &bodies.angular_velocities) {
            Ok(state) => state,
            Err(error) => return problems.error(Place::model(), error.to_string()).none(),
        };
        state.t = t;
        // What is finite in each part may still not be so together.
        let momenta = view(&state.p).iter().zip(&bodies.angular_velocities);
        let kinetic = 0.5 * momenta.map(|(p, omega)| p.dot(omega)).sum::<f64>();
        if !kinetic.is_finite() || !state.is_finite() {
            problems
                .error(
                    Place::model(),
                    format!("the kinetic energy at the start is {kinetic}"),
                )
                .help("masses, lengths or angular velocities are too large, or too unlike each other");
        }
        Some((Mechanism::Spheres(spheres), state))
    }
}

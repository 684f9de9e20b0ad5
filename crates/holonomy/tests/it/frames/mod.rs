//! Hamel's formalism: the pendulum of Zenkov–Leok–Bloch, structure functions, nonholonomic constraints.

/// Does Hamel's form agree with Lagrange's?
mod covariance;
/// What happens where a frame has no answer?
mod faults;
/// Are constraints on coordinates kept, and is the motion under them that of Lagrange?
mod held;
/// Are nonholonomic motions those of the books?
mod nonholonomic;
/// Is the pendulum of Zenkov–Leok–Bloch that of the document?
mod pendulum;

use holonomy::{
    diagnostics::{distance, observed_order},
    formula::{Formula, Kind},
    integrator::{Adaptive, DiscreteHamel, Integrator},
    lagrangian::{FormulaMechanics, Formulas, Lagrangian, Slots},
    system::{Measurement, State, System},
};
use std::sync::Arc;

/// A system in a frame as a text would give it, or without one if no quasi-velocity is named. Names that begin with a capital letter are vectors.
#[derive(Clone, Copy, Default)]
struct Text<'a> {
    coordinates: &'a [&'a str],
    quasi_velocities: &'a [&'a str],
    parameters: &'a [(&'a str, f64)],
    definitions: &'a [(&'a str, &'a str)],
    fields: &'a [&'a [&'a str]],
    lagrangian: &'a str,
    forces: &'a [&'a str],
    constraints: &'a [&'a str],
    invariants: &'a [(&'a str, &'a str)],
    constrained: &'a [usize],
}

impl Text<'_> {
    fn system(&self) -> Arc<Lagrangian> {
        let kind = |name: &str| match name.starts_with(char::is_uppercase) {
            true => Kind::Vector,
            false => Kind::Scalar,
        };
        let [a, b] = [self.coordinates, self.quasi_velocities]
            .map(|names| names.iter().map(|name| (*name, kind(name))).collect::<Vec<_>>());
        let (slots, mut scope) = Slots::scope(&a, &b).unwrap();
        for (name, value) in self.parameters {
            scope.parameter(name, *value).unwrap();
        }
        scope.define(self.definitions).unwrap();
        let parse = |text: &&str| Formula::parse(text, &scope).unwrap();
        let fields: Vec<Vec<Formula>> = self
            .fields
            .iter()
            .map(|field| field.iter().map(parse).collect())
            .collect();
        let forces: Vec<Formula> = self.forces.iter().map(parse).collect();
        let constraints: Vec<Formula> = self.constraints.iter().map(parse).collect();
        let invariants: Vec<(String, Formula)> = self
            .invariants
            .iter()
            .map(|(name, text)| ((*name).to_owned(), parse(text)))
            .collect();
        let frame = FormulaMechanics::new(&Formulas {
            slots,
            fields: &fields,
            lagrangian: &parse(&self.lagrangian),
            forces: &forces,
            constraints: &constraints,
            invariants: &invariants,
        })
        .unwrap();
        let names = |list: &[(&str, Kind)]| -> Vec<String> {
            list.iter()
                .flat_map(|(name, kind)| match kind {
                    Kind::Scalar => vec![(*name).to_owned()],
                    Kind::Vector => ["x", "y", "z"].map(|axis| format!("{name}.{axis}")).to_vec(),
                })
                .collect()
        };
        let system = match b.is_empty() {
            true => Lagrangian::new(Box::new(frame), &names(&a)),
            false => Lagrangian::in_frame(Box::new(frame), &names(&a), &names(&b), self.constrained),
        };
        Arc::new(system.unwrap())
    }
}

fn method(system: &Arc<Lagrangian>) -> DiscreteHamel {
    DiscreteHamel::new(system.clone(), 30).unwrap()
}

/// The state after a number of steps.
fn stepped(system: &Arc<Lagrangian>, start: &State, h: f64, steps: u32) -> State {
    let (mut method, mut state) = (method(system), start.clone());
    for _ in 0..steps {
        method.step(&mut state, h).unwrap_or_else(|error| {
            panic!("{}", error.describe(system.layout()));
        });
    }
    state
}

/// The state after a time, to about 1e-13.
fn reference(system: &Arc<Lagrangian>, start: &State, time: f64) -> State {
    let mut state = start.clone();
    let mut method = Adaptive::dop853(system.clone(), 3e-14, 1e-15);
    method.step(&mut state, time).unwrap();
    state
}

fn measured(system: &Lagrangian, state: &State) -> Measurement {
    let mut out = Measurement::default();
    system.measure(state, &mut out, &mut system.scratch());
    out
}

/// Order of the discrete method against a given state after `time`.
fn order(system: &Arc<Lagrangian>, start: &State, exact: &State, time: f64, counts: [u32; 3]) -> f64 {
    let steps = counts.map(|count| time / f64::from(count));
    let errors = counts.map(|count| distance(&stepped(system, start, time / f64::from(count), count), exact));
    println!("errors {errors:?}");
    observed_order(&steps, &errors)
}

//! Methods in generalized coordinates: for a Lagrangian, and for velocities in a frame.
use super::{
    Family, GEOMETRIC, Guarantee, Integrator, Mechanism, Method, NEWTON, Options, Unsupported, composed,
    of_choice, raised,
};
use crate::integrator::{BACKWARD, DiscreteHamel, DiscreteLagrangian, MIDPOINT, Quadrature, TRAPEZOID};

const OF_LAGRANGIANS: Method = Method {
    family: Some(Family::Lagrangian),
    options: NEWTON,
    differentiable: true,
    ..GEOMETRIC
};

/// Nonholonomic systems have no form to keep, nor momenta.
const FRAMED: Method = Method {
    family: Some(Family::Framed),
    symplectic: false,
    bounded_energy: false,
    momentum: Guarantee::No,
    options: NEWTON,
    differentiable: true,
    ..GEOMETRIC
};

pub(super) const METHODS: &[Method] = &[
    Method {
        name: "midpoint",
        summary: "variational integrator of the midpoint rule, any Lagrangian",
        reference: "Marsden & West (2001)",
        build: |m, o| midpoint(m, o, "midpoint", 2),
        ..OF_LAGRANGIANS
    },
    raised!("midpoint", 4, midpoint, OF_LAGRANGIANS),
    raised!("midpoint", 6, midpoint, OF_LAGRANGIANS),
    raised!("midpoint", 8, midpoint, OF_LAGRANGIANS),
    Method {
        name: "trapezoid",
        summary: "variational integrator of the trapezoidal rule, any Lagrangian",
        reference: "Marsden & West (2001)",
        build: |m, o| trapezoid(m, o, "trapezoid", 2),
        ..OF_LAGRANGIANS
    },
    raised!("trapezoid", 4, trapezoid, OF_LAGRANGIANS),
    raised!("trapezoid", 6, trapezoid, OF_LAGRANGIANS),
    raised!("trapezoid", 8, trapezoid, OF_LAGRANGIANS),
    Method {
        name: "backward-difference",
        summary: "variational integrator of the backward difference, as in the cable report",
        reference: "the cable report",
        order: 1,
        symmetric: false,
        build: |m, o| discrete(m, o, "backward-difference", BACKWARD, 1),
        ..OF_LAGRANGIANS
    },
    Method {
        name: "hamel",
        summary: "discrete Hamel equations of Zenkov–Leok–Bloch in any frame, nonholonomic too",
        reference: "Zenkov, Leok & Bloch (2012)",
        build: |m, o| framed(m, o, "hamel", 2),
        ..FRAMED
    },
    raised!("hamel", 4, framed, FRAMED),
];

fn midpoint(
    mechanism: &Mechanism,
    options: &Options,
    method: &'static str,
    order: u32,
) -> Result<Box<dyn Integrator>, Unsupported> {
    discrete(mechanism, options, method, MIDPOINT, order)
}

fn trapezoid(
    mechanism: &Mechanism,
    options: &Options,
    method: &'static str,
    order: u32,
) -> Result<Box<dyn Integrator>, Unsupported> {
    discrete(mechanism, options, method, TRAPEZOID, order)
}

/// A variational integrator for a Lagrangian.
fn discrete(
    mechanism: &Mechanism,
    options: &Options,
    method: &'static str,
    quadrature: Quadrature,
    order: u32,
) -> Result<Box<dyn Integrator>, Unsupported> {
    let max_iterations = options.max_iterations.unwrap_or(30);
    let built = match mechanism {
        Mechanism::Lagrangian(system) => DiscreteLagrangian::new(system.clone(), quadrature, max_iterations),
        _ => None,
    };
    let raised = match order {
        4.. => built.and_then(|method| method.with_order(order)),
        _ => built,
    };
    match raised {
        Some(method) => Ok(Box::new(method)),
        None => Err(Unsupported {
            method,
            needs: "a Lagrangian without a frame (`space = \"lagrangian\"`)",
            instead: of_choice(mechanism),
        }),
    }
}

/// The discrete Hamel integrator.
fn framed(
    mechanism: &Mechanism,
    options: &Options,
    method: &'static str,
    order: u32,
) -> Result<Box<dyn Integrator>, Unsupported> {
    let max_iterations = options.max_iterations.unwrap_or(50);
    let built = match mechanism {
        Mechanism::Lagrangian(system) => DiscreteHamel::new(system.clone(), max_iterations),
        _ => None,
    };
    match built {
        Some(method) => composed(Box::new(method), order),
        None => Err(Unsupported {
            method,
            needs: "quasi-velocities (a `[frame]`)",
            instead: of_choice(mechanism),
        }),
    }
}

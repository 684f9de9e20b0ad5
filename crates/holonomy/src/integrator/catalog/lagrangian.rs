//! Methods in generalized coordinates: for a Lagrangian, and for velocities in a frame.
use super::{
    Family, GEOMETRIC, Integrator, Kept, Mechanism, Method, NEWTON, Options, Unsupported, composed, of_choice,
};
use crate::integrator::{BACKWARD, DiscreteHamel, DiscreteLagrangian, MIDPOINT, Quadrature, TRAPEZOID};

const OF_LAGRANGIANS: Method = Method {
    family: Some(Family::Lagrangian),
    options: NEWTON,
    ..GEOMETRIC
};

/// Nonholonomic systems have no form to keep, nor momenta.
const FRAMED: Method = Method {
    family: Some(Family::Framed),
    symplectic: false,
    bounded_energy: false,
    momentum: Kept::No,
    options: NEWTON,
    ..GEOMETRIC
};

pub(super) const METHODS: &[Method] = &[
    Method {
        name: "midpoint",
        summary: "variational integrator of the midpoint rule, any Lagrangian",
        reference: "Marsden & West (2001)",
        build: |m, o| discrete(m, o, "midpoint", MIDPOINT),
        ..OF_LAGRANGIANS
    },
    Method {
        name: "midpoint-4",
        summary: "midpoint raised to order 4 by Suzuki's five stages",
        reference: "Suzuki (1990)",
        order: 4,
        build: |m, o| composed(discrete(m, o, "midpoint-4", MIDPOINT)?, 4),
        ..OF_LAGRANGIANS
    },
    Method {
        name: "midpoint-6",
        summary: "midpoint raised to order 6 by nine stages",
        reference: "Kahan & Li (1997)",
        order: 6,
        build: |m, o| composed(discrete(m, o, "midpoint-6", MIDPOINT)?, 6),
        ..OF_LAGRANGIANS
    },
    Method {
        name: "midpoint-8",
        summary: "midpoint raised to order 8 by seventeen stages",
        reference: "Kahan & Li (1997)",
        order: 8,
        build: |m, o| composed(discrete(m, o, "midpoint-8", MIDPOINT)?, 8),
        ..OF_LAGRANGIANS
    },
    Method {
        name: "trapezoid",
        summary: "variational integrator of the trapezoidal rule, any Lagrangian",
        reference: "Marsden & West (2001)",
        build: |m, o| discrete(m, o, "trapezoid", TRAPEZOID),
        ..OF_LAGRANGIANS
    },
    Method {
        name: "trapezoid-4",
        summary: "trapezoid raised to order 4 by Suzuki's five stages",
        reference: "Suzuki (1990)",
        order: 4,
        build: |m, o| composed(discrete(m, o, "trapezoid-4", TRAPEZOID)?, 4),
        ..OF_LAGRANGIANS
    },
    Method {
        name: "trapezoid-6",
        summary: "trapezoid raised to order 6 by nine stages",
        reference: "Kahan & Li (1997)",
        order: 6,
        build: |m, o| composed(discrete(m, o, "trapezoid-6", TRAPEZOID)?, 6),
        ..OF_LAGRANGIANS
    },
    Method {
        name: "trapezoid-8",
        summary: "trapezoid raised to order 8 by seventeen stages",
        reference: "Kahan & Li (1997)",
        order: 8,
        build: |m, o| composed(discrete(m, o, "trapezoid-8", TRAPEZOID)?, 8),
        ..OF_LAGRANGIANS
    },
    Method {
        name: "backward-difference",
        summary: "variational integrator of the backward difference, as in document 003",
        reference: "document 003",
        order: 1,
        symmetric: false,
        build: |m, o| discrete(m, o, "backward-difference", BACKWARD),
        ..OF_LAGRANGIANS
    },
    Method {
        name: "hamel",
        summary: "discrete Hamel equations of document 000 in any frame, nonholonomic too",
        reference: "Zenkov, Leok & Bloch (2012)",
        build: |m, o| framed(m, o, "hamel"),
        ..FRAMED
    },
    Method {
        name: "hamel-4",
        summary: "hamel raised to order 4 by Suzuki's five stages",
        reference: "Suzuki (1990)",
        order: 4,
        build: |m, o| composed(framed(m, o, "hamel-4")?, 4),
        ..FRAMED
    },
];

/// A variational integrator for a Lagrangian.
fn discrete(
    mechanism: &Mechanism,
    options: &Options,
    method: &'static str,
    quadrature: Quadrature,
) -> Result<Box<dyn Integrator>, Unsupported> {
    let Mechanism::Lagrangian(lagrangian) = mechanism else {
        return Err(Unsupported {
            method,
            needs: "a Lagrangian without a frame (`space = \"lagrangian\"`)",
            instead: of_choice(mechanism),
        });
    };
    let max_iterations = options.max_iterations.unwrap_or(30);
    let method = DiscreteLagrangian::new(lagrangian.clone(), quadrature, max_iterations);
    Ok(Box::new(method))
}

/// The discrete Hamel integrator.
fn framed(
    mechanism: &Mechanism,
    options: &Options,
    method: &'static str,
) -> Result<Box<dyn Integrator>, Unsupported> {
    let Mechanism::Hamel(hamel) = mechanism else {
        return Err(Unsupported {
            method,
            needs: "quasi-velocities (a `[frame]`)",
            instead: of_choice(mechanism),
        });
    };
    let max_iterations = options.max_iterations.unwrap_or(50);
    Ok(Box::new(DiscreteHamel::new(hamel.clone(), max_iterations)))
}

//! Conventional methods, for any system.
use super::{
    CONVENTIONAL, Family, Integrator, Mechanism, Method, Options, SMALLEST_RTOL, Unsupported,
    spheres::spheres,
};
use crate::integrator::{
    Adaptive, RungeKutta,
    adaptive::Tolerance,
    tableaux::{self, EmbeddedPair, Tableau},
};

/// With error control.
const ADAPTIVE: Method = Method {
    adaptive: true,
    options: &["rtol", "atol", "max_step", "end"],
    ..CONVENTIONAL
};

/// Moved back to the manifold after every step.
const PROJECTED: Method = Method {
    family: Some(Family::Spheres),
    on_manifold: true,
    ..CONVENTIONAL
};

pub(super) const METHODS: &[Method] = &[
    Method {
        name: "euler",
        summary: "explicit Euler",
        reference: "Euler (1768)",
        order: 1,
        build: |m, _| Ok(runge_kutta(m, &tableaux::EULER, false)),
        ..CONVENTIONAL
    },
    Method {
        name: "euler-projected",
        summary: "explicit Euler, moved back to the manifold after every step",
        reference: "Euler (1768)",
        order: 1,
        build: |m, _| projected(m, &tableaux::EULER, "euler-projected", "euler"),
        ..PROJECTED
    },
    Method {
        name: "rk2-midpoint",
        summary: "explicit midpoint rule",
        reference: "Runge (1895)",
        build: |m, _| Ok(runge_kutta(m, &tableaux::MIDPOINT, false)),
        ..CONVENTIONAL
    },
    Method {
        name: "rk2-midpoint-projected",
        summary: "explicit midpoint rule, moved back to the manifold after every step",
        reference: "Runge (1895)",
        build: |m, _| projected(m, &tableaux::MIDPOINT, "rk2-midpoint-projected", "rk2-midpoint"),
        ..PROJECTED
    },
    Method {
        name: "rk2-heun",
        summary: "explicit trapezoidal rule",
        reference: "Heun (1900)",
        build: |m, _| Ok(runge_kutta(m, &tableaux::HEUN, false)),
        ..CONVENTIONAL
    },
    Method {
        name: "rk2-heun-projected",
        summary: "explicit trapezoidal rule, moved back to the manifold after every step",
        reference: "Heun (1900)",
        build: |m, _| projected(m, &tableaux::HEUN, "rk2-heun-projected", "rk2-heun"),
        ..PROJECTED
    },
    Method {
        name: "rk4",
        summary: "classical Runge–Kutta",
        reference: "Kutta (1901)",
        order: 4,
        build: |m, _| Ok(runge_kutta(m, &tableaux::CLASSICAL, false)),
        ..CONVENTIONAL
    },
    Method {
        name: "rkf45",
        summary: "Fehlberg 4(5) with the coefficients of Beckman's notebook, adaptive",
        reference: "Fehlberg (1969)",
        order: 5,
        build: |m, o| adaptive(m, o, tableaux::fehlberg()),
        ..ADAPTIVE
    },
    Method {
        name: "rk45",
        summary: "Dormand–Prince 5(4) with the step control of MATLAB's ode45, adaptive",
        reference: "Dormand & Prince (1980)",
        order: 5,
        build: |m, o| adaptive(m, o, tableaux::dormand_prince()),
        ..ADAPTIVE
    },
    Method {
        name: "dop853",
        summary: "Dormand–Prince 8(5,3), adaptive",
        reference: "Hairer, Nørsett & Wanner (1993)",
        order: 8,
        build: |m, o| adaptive(m, o, tableaux::dop853()),
        ..ADAPTIVE
    },
];

fn runge_kutta(mechanism: &Mechanism, tableau: &'static Tableau, project: bool) -> Box<dyn Integrator> {
    Box::new(RungeKutta::new(mechanism.system(), tableau, project))
}

/// Projection needs a manifold to go back to.
fn projected(
    mechanism: &Mechanism,
    tableau: &'static Tableau,
    method: &'static str,
    instead: &'static str,
) -> Result<Box<dyn Integrator>, Unsupported> {
    spheres(mechanism, method).map_err(|unsupported| Unsupported {
        instead,
        ..unsupported
    })?;
    Ok(runge_kutta(mechanism, tableau, true))
}

fn adaptive(
    mechanism: &Mechanism,
    options: &Options,
    pair: EmbeddedPair,
) -> Result<Box<dyn Integrator>, Unsupported> {
    let tolerance = Tolerance {
        // Below this, rounding in the stages passes for error and the steps collapse.
        relative: options.rtol.unwrap_or(1e-6).max(SMALLEST_RTOL),
        absolute: options.atol.unwrap_or(1e-9),
        max_step: options.max_step.unwrap_or(f64::INFINITY),
        end: options.end,
    };
    Ok(Box::new(Adaptive::new(mechanism.system(), pair, tolerance)))
}

//! Methods on (S²)ⁿ.
use super::{
    Family, GEOMETRIC, Guarantee, Integrator, Mechanism, Method, Options, Unsupported, composed, of_choice,
    raised,
};
use crate::{
    integrator::{
        Rattle, Solver, SphereExplicit, SphereForced, SphereGauss, SphereHamel, SphereImplicit, SphereSplit,
        StormerVerlet,
    },
    spheres::Spheres,
};
use std::sync::Arc;

const SOLVER: &[&str] = &["solver", "tolerance", "max_iterations"];
const SEPARATE: &str = "separate bodies (a diagonal inertia matrix)";

/// Variational or splitting methods: everything is preserved.
const ON_SPHERES: Method = Method {
    reference: "Lee, Leok & McClamroch (2009)",
    family: Some(Family::Spheres),
    differentiable: true,
    ..GEOMETRIC
};

/// Those that solve equations.
const IMPLICIT: Method = Method {
    options: SOLVER,
    ..ON_SPHERES
};

/// Collocation.
const GAUSS: Method = Method {
    reference: "Butcher (1964); Hairer, Lubich & Wanner (2006)",
    options: &["tolerance", "max_iterations"],
    ..ON_SPHERES
};

pub(super) const METHODS: &[Method] = &[
    Method {
        name: "sphere-explicit",
        summary: "explicit variational integrator on (S²)ⁿ, separate bodies",
        verlet: true,
        build: |m, o| explicit(m, o, "sphere-explicit", 2),
        ..ON_SPHERES
    },
    raised!("sphere-explicit", 4, explicit, ON_SPHERES),
    raised!("sphere-explicit", 6, explicit, ON_SPHERES),
    raised!("sphere-explicit", 8, explicit, ON_SPHERES),
    Method {
        name: "sphere-implicit",
        summary: "implicit variational integrator on (S²)ⁿ, any inertia, O(n) for links",
        verlet: true,
        build: |m, o| implicit(m, o, "sphere-implicit", 2),
        ..IMPLICIT
    },
    raised!("sphere-implicit", 4, implicit, IMPLICIT),
    raised!("sphere-implicit", 6, implicit, IMPLICIT),
    raised!("sphere-implicit", 8, implicit, IMPLICIT),
    Method {
        name: "sphere-gauss-8",
        summary: "Gauss collocation on (S²)ⁿ, four stages, any inertia",
        order: 8,
        build: |m, o| gauss(m, o, "sphere-gauss-8", 8),
        ..GAUSS
    },
    Method {
        name: "sphere-gauss-16",
        summary: "Gauss collocation on (S²)ⁿ, eight stages, any inertia",
        order: 16,
        build: |m, o| gauss(m, o, "sphere-gauss-16", 16),
        ..GAUSS
    },
    Method {
        name: "sphere-split",
        summary: "great-circle drifts and kicks, separate bodies, any step",
        reference: "Strang (1968)",
        build: |m, _| split(m, "sphere-split", 2),
        ..ON_SPHERES
    },
    Method {
        name: "sphere-split-4",
        summary: "great-circle splitting of order 4, six optimized stages",
        reference: "Blanes & Moan (2002)",
        order: 4,
        build: |m, _| split(m, "sphere-split-4", 4),
        ..ON_SPHERES
    },
    Method {
        name: "sphere-split-6",
        summary: "great-circle splitting of order 6, eleven optimized stages",
        reference: "Blanes & Moan (2002)",
        order: 6,
        build: |m, _| split(m, "sphere-split-6", 6),
        ..ON_SPHERES
    },
    Method {
        name: "rattle",
        summary: "RATTLE on Cartesian positions, separate bodies, solved exactly",
        reference: "Andersen (1983)",
        verlet: true,
        build: |m, _| {
            unforced(m, "rattle")?;
            separate(m, "rattle", |spheres| Some(Box::new(Rattle::new(spheres)?)))
        },
        ..ON_SPHERES
    },
    Method {
        name: "stormer-verlet",
        summary: "generalized Störmer–Verlet of Zenkov–Leok–Bloch, separate bodies",
        reference: "Zenkov, Leok & Bloch (2012)",
        verlet: true,
        on_manifold: false,
        build: |m, _| {
            if matches!(m, Mechanism::Spheres(_)) {
                unforced(m, "stormer-verlet")?;
            }
            let built = separate(m, "stormer-verlet", |spheres| {
                Some(Box::new(StormerVerlet::new(spheres)?))
            });
            built.map_err(|unsupported| Unsupported {
                // What Störmer and Verlet do, where the kinetic energy is that of masses.
                instead: match m {
                    Mechanism::Lagrangian(lagrangian) if !lagrangian.is_framed() => "trapezoid",
                    _ => unsupported.instead,
                },
                ..unsupported
            })
        },
        ..ON_SPHERES
    },
    Method {
        name: "sphere-hamel",
        summary: "discrete Hamel integrator of Zenkov–Leok–Bloch, separate bodies",
        reference: "Zenkov, Leok & Bloch (2012)",
        symplectic: false,
        momentum: Guarantee::UniformGravity,
        differentiable: false,
        options: &["max_iterations"],
        build: |m, o| {
            unforced(m, "sphere-hamel")?;
            separate(m, "sphere-hamel", |spheres| {
                let iterations = o.max_iterations.unwrap_or(200);
                Some(Box::new(SphereHamel::new(spheres, iterations)?))
            })
        },
        ..ON_SPHERES
    },
];

/// The bodies of a mechanism on spheres.
pub(super) fn spheres(mechanism: &Mechanism, method: &'static str) -> Result<Arc<Spheres>, Unsupported> {
    match mechanism {
        Mechanism::Spheres(spheres) => Ok(spheres.clone()),
        _ => Err(Unsupported {
            method,
            needs: "bodies on spheres (`space = \"spheres\"`)",
            instead: of_choice(mechanism),
        }),
    }
}

/// A method for separate bodies, made by `new`, which refuses others.
fn separate(
    mechanism: &Mechanism,
    method: &'static str,
    new: impl FnOnce(Arc<Spheres>) -> Option<Box<dyn Integrator>>,
) -> Result<Box<dyn Integrator>, Unsupported> {
    new(spheres(mechanism, method)?).ok_or(Unsupported {
        method,
        needs: SEPARATE,
        instead: "sphere-implicit",
    })
}

/// A method that has no place for forces without potential.
fn unforced(mechanism: &Mechanism, method: &'static str) -> Result<Arc<Spheres>, Unsupported> {
    let spheres = spheres(mechanism, method)?;
    match spheres.forces().is_empty() {
        true => Ok(spheres),
        false => Err(Unsupported {
            method,
            needs: "forces that have a potential: no dampers and no `[[force]]`",
            instead: match of_choice(mechanism) {
                "sphere-explicit" => "sphere-explicit",
                _ => "sphere-implicit",
            },
        }),
    }
}

/// A method of order 2 with the impulses of forces, where there are any, raised to an order.
fn forced(
    spheres: Arc<Spheres>,
    order: u32,
    plain: impl FnOnce(Arc<Spheres>, u32) -> Option<Box<dyn Integrator>>,
) -> Option<Box<dyn Integrator>> {
    if spheres.forces().is_empty() {
        return plain(spheres, order);
    }
    let free = plain(spheres.clone(), 2)?;
    composed(Box::new(SphereForced::new(spheres, free)), order).ok()
}

fn explicit(
    mechanism: &Mechanism,
    _: &Options,
    method: &'static str,
    order: u32,
) -> Result<Box<dyn Integrator>, Unsupported> {
    separate(mechanism, method, |spheres| {
        forced(spheres, order, |spheres, order| {
            Some(Box::new(SphereExplicit::of_order(spheres, order)?))
        })
    })
}

fn split(
    mechanism: &Mechanism,
    method: &'static str,
    order: u32,
) -> Result<Box<dyn Integrator>, Unsupported> {
    if order > 2 {
        // Their stages are those of kicks by a potential.
        unforced(mechanism, method)?;
    }
    separate(mechanism, method, |spheres| {
        forced(spheres, order, |spheres, order| {
            Some(Box::new(SphereSplit::of_order(spheres, order)?))
        })
    })
}

fn implicit(
    mechanism: &Mechanism,
    options: &Options,
    method: &'static str,
    order: u32,
) -> Result<Box<dyn Integrator>, Unsupported> {
    let spheres = spheres(mechanism, method)?;
    let solver = if options.fixed_point {
        Solver::FixedPoint {
            tolerance: options.tolerance.unwrap_or(1e-15),
            max_iterations: options.max_iterations.unwrap_or(200),
        }
    } else {
        Solver::Newton {
            max_iterations: options.max_iterations.unwrap_or(30),
        }
    };
    if spheres.held().is_some() && !spheres.forces().is_empty() {
        return Err(Unsupported {
            method,
            needs: "a free end where dampers or a `[[force]]` act (a `[[cable]]` of a tree has both)",
            instead: "dop853",
        });
    }
    let plain = |spheres: Arc<Spheres>, order: u32| -> Option<Box<dyn Integrator>> {
        let plain = SphereImplicit::new(spheres, solver)?;
        match order {
            2 => Some(Box::new(plain)),
            _ => plain.with_order(order),
        }
    };
    forced(spheres, order, plain).ok_or(Unsupported {
        method,
        needs: "point masses where a chain has both ends held, and Newton's solver (rods: a `[[cable]]` of a tree)",
        instead: "dop853",
    })
}

fn gauss(
    mechanism: &Mechanism,
    options: &Options,
    method: &'static str,
    order: u32,
) -> Result<Box<dyn Integrator>, Unsupported> {
    let spheres = unforced(mechanism, method)?;
    match SphereGauss::new(spheres, order, options.tolerance, options.max_iterations) {
        Some(gauss) => Ok(Box::new(gauss)),
        None => Err(Unsupported {
            method,
            needs: "tips that are free",
            instead: "sphere-implicit",
        }),
    }
}

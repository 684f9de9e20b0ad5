//! Every method, once. The command line, the manual and the property tests read this list.
use super::{
    Adaptive, BACKWARD, Composition, DiscreteHamel, DiscreteLagrangian, Forcing, Integrator, MIDPOINT,
    Quadrature, Rattle, RungeKutta, Solver, SphereExplicit, SphereHamel, SphereImplicit, SphereSplit,
    StormerVerlet, TRAPEZOID, TreeOptions, TreeVariational,
    adaptive::Tolerance,
    tableaux::{self, Pair, Tableau},
};
use crate::{hamel::Hamel, lagrangian::Lagrangian, spheres::Spheres, system::System, tree::Tree};
use std::sync::Arc;

/// The families of systems a method may be built for.
#[derive(Clone)]
pub enum Mechanism {
    /// Systems on (S²)ⁿ.
    Spheres(Arc<Spheres>),
    /// Systems in generalized coordinates, given by a Lagrangian.
    Lagrangian(Arc<Lagrangian>),
    /// Systems whose velocities are measured against a frame.
    Hamel(Arc<Hamel>),
    /// Trees of rigid bodies.
    Tree(Arc<Tree>),
}

impl Mechanism {
    /// What all families have in common.
    pub fn system(&self) -> Arc<dyn System> {
        match self {
            Self::Spheres(spheres) => spheres.clone(),
            Self::Lagrangian(lagrangian) => lagrangian.clone(),
            Self::Hamel(hamel) => hamel.clone(),
            Self::Tree(tree) => tree.clone(),
        }
    }
}

/// A family of systems, before there is one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// On (S²)ⁿ.
    Spheres,
    /// In generalized coordinates.
    Lagrangian,
    /// With velocities in a frame.
    Framed,
    /// Trees of rigid bodies.
    Tree,
}

impl Method {
    /// Whether it is made for some system of the family.
    pub fn serves(&self, family: Family) -> bool {
        let starts = |names: &[&str]| names.iter().any(|name| self.name.starts_with(name));
        if starts(&["sphere-", "rattle", "stormer-verlet"]) || self.name.ends_with("-projected") {
            family == Family::Spheres
        } else if starts(&["midpoint", "trapezoid", "backward-difference"]) {
            family == Family::Lagrangian
        } else if starts(&["hamel"]) {
            family == Family::Framed
        } else if starts(&["tree-"]) {
            family == Family::Tree
        } else {
            true
        }
    }
}

/// A numerical method and what it promises. Tests measure every promise, and that what is not
/// promised does not hold.
pub struct Method {
    /// Name in model files and on the command line.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// Order of convergence.
    pub order: u32,
    /// Preserves the symplectic form.
    pub symplectic: bool,
    /// Preserves every momentum map: each momentum that a symmetry of the system keeps.
    pub momentum: Kept,
    /// The error of the energy stays bounded: it does not drift.
    pub bounded_energy: bool,
    /// A step back undoes a step.
    pub symmetric: bool,
    /// Stays on the configuration manifold to the last bit.
    pub on_manifold: bool,
    /// Chooses its own steps; the step asked for is a sampling interval.
    pub adaptive: bool,
    /// Names of the options it takes.
    pub options: &'static [&'static str],
    /// Makes it for a mechanism.
    pub build: Build,
}

/// Where a promise holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// In every system.
    Always,
    /// In uniform gravity and where there is no potential at all, but not in general.
    UniformGravity,
    /// In no system but by chance.
    No,
}

impl Kept {
    /// Whether it is promised for this mechanism.
    pub fn holds(self, mechanism: &Mechanism) -> bool {
        match self {
            Self::Always => true,
            Self::UniformGravity => {
                matches!(mechanism, Mechanism::Spheres(spheres) if spheres.uniform_gradient().is_some())
            }
            Self::No => false,
        }
    }

    /// `always`, `uniform gravity` or `no`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::UniformGravity => "uniform gravity",
            Self::No => "no",
        }
    }
}

/// Makes a method for a mechanism, if it fits.
pub type Build = fn(&Mechanism, &Options) -> Result<Box<dyn Integrator>, Unsupported>;

/// Options of methods; each method reads those it names in `Method::options`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// `solver = "fixed-point"` rather than Newton.
    pub fixed_point: bool,
    /// `forcing = "one-sided"`: forces without potential act at the start of a step only, as in trep.
    pub one_sided: bool,
    /// Tolerance of the fixed-point iteration.
    pub tolerance: Option<f64>,
    /// Iterations after which a solver gives up.
    pub max_iterations: Option<u32>,
    /// Relative tolerance of adaptive methods.
    pub rtol: Option<f64>,
    /// Absolute tolerance of adaptive methods.
    pub atol: Option<f64>,
    /// Longest step of adaptive methods, s.
    pub max_step: Option<f64>,
    /// Time at which the run ends, s; adaptive methods end their mesh there.
    pub end: Option<f64>,
}

/// A method that does not fit a mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{method}` needs {needs}; use `{instead}`")]
pub struct Unsupported {
    /// The method.
    pub method: &'static str,
    /// What it needs.
    pub needs: &'static str,
    /// What to use instead.
    pub instead: &'static str,
}

/// The method of the given name.
pub fn find(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|m| m.name == name)
}

const LEE: &str = "Lee, Leok & McClamroch (2009)";
const SOLVER: &[&str] = &["solver", "tolerance", "max_iterations"];
const NEWTON: &[&str] = &["max_iterations"];
const TREE: &[&str] = &["forcing", "max_iterations"];
/// Smallest relative tolerance that adaptive methods can work to.
pub const SMALLEST_RTOL: f64 = 100.0 * f64::EPSILON;
const ERROR_CONTROL: &[&str] = &["rtol", "atol", "max_step"];

/// Variational or splitting methods: everything is kept.
const GEOMETRIC: Method = Method {
    name: "",
    summary: "",
    reference: LEE,
    order: 2,
    symplectic: true,
    momentum: Kept::Always,
    bounded_energy: true,
    symmetric: true,
    on_manifold: true,
    adaptive: false,
    options: &[],
    build: |_, _| {
        Err(Unsupported {
            method: "",
            needs: "",
            instead: "",
        })
    },
};

/// Conventional methods: nothing is.
const CONVENTIONAL: Method = Method {
    symplectic: false,
    momentum: Kept::No,
    bounded_energy: false,
    symmetric: false,
    on_manifold: false,
    ..GEOMETRIC
};

/// All methods, in the order in which people should consider them.
pub static METHODS: &[Method] = &[
    Method {
        name: "sphere-explicit",
        summary: "explicit variational integrator on (S²)ⁿ, separate bodies",
        build: |m, _| explicit(m, "sphere-explicit"),
        ..GEOMETRIC
    },
    Method {
        name: "sphere-explicit-4",
        summary: "sphere-explicit raised to order 4 by Suzuki's five stages",
        reference: "Suzuki (1990)",
        order: 4,
        build: |m, _| composed(explicit(m, "sphere-explicit-4")?, 4),
        ..GEOMETRIC
    },
    Method {
        name: "sphere-explicit-6",
        summary: "sphere-explicit raised to order 6 by nine stages",
        reference: "Kahan & Li (1997)",
        order: 6,
        build: |m, _| composed(explicit(m, "sphere-explicit-6")?, 6),
        ..GEOMETRIC
    },
    Method {
        name: "sphere-explicit-8",
        summary: "sphere-explicit raised to order 8 by seventeen stages",
        reference: "Kahan & Li (1997)",
        order: 8,
        build: |m, _| composed(explicit(m, "sphere-explicit-8")?, 8),
        ..GEOMETRIC
    },
    Method {
        name: "sphere-implicit",
        summary: "implicit variational integrator on (S²)ⁿ, any inertia, O(n) for links",
        options: SOLVER,
        build: |m, o| implicit(m, o, "sphere-implicit"),
        ..GEOMETRIC
    },
    Method {
        name: "sphere-implicit-4",
        summary: "sphere-implicit raised to order 4 by Suzuki's five stages",
        reference: "Suzuki (1990)",
        order: 4,
        options: SOLVER,
        build: |m, o| composed(implicit(m, o, "sphere-implicit-4")?, 4),
        ..GEOMETRIC
    },
    Method {
        name: "sphere-implicit-6",
        summary: "sphere-implicit raised to order 6 by nine stages",
        reference: "Kahan & Li (1997)",
        order: 6,
        options: SOLVER,
        build: |m, o| composed(implicit(m, o, "sphere-implicit-6")?, 6),
        ..GEOMETRIC
    },
    Method {
        name: "sphere-implicit-8",
        summary: "sphere-implicit raised to order 8 by seventeen stages",
        reference: "Kahan & Li (1997)",
        order: 8,
        options: SOLVER,
        build: |m, o| composed(implicit(m, o, "sphere-implicit-8")?, 8),
        ..GEOMETRIC
    },
    Method {
        name: "sphere-split",
        summary: "great-circle drifts and kicks, separate bodies, any step",
        reference: "Strang (1968)",
        build: |m, _| split(m, "sphere-split", 2),
        ..GEOMETRIC
    },
    Method {
        name: "sphere-split-4",
        summary: "great-circle splitting of order 4, six optimized stages",
        reference: "Blanes & Moan (2002)",
        order: 4,
        build: |m, _| split(m, "sphere-split-4", 4),
        ..GEOMETRIC
    },
    Method {
        name: "sphere-split-6",
        summary: "great-circle splitting of order 6, eleven optimized stages",
        reference: "Blanes & Moan (2002)",
        order: 6,
        build: |m, _| split(m, "sphere-split-6", 6),
        ..GEOMETRIC
    },
    Method {
        name: "rattle",
        summary: "RATTLE on Cartesian positions, separate bodies, solved exactly",
        reference: "Andersen (1983)",
        build: |m, _| separate(m, "rattle", |spheres| Some(Box::new(Rattle::new(spheres)?))),
        ..GEOMETRIC
    },
    Method {
        name: "stormer-verlet",
        summary: "generalized Störmer–Verlet of document 000, separate bodies",
        reference: "Zenkov, Leok & Bloch (2012)",
        on_manifold: false,
        build: |m, _| {
            let built = separate(m, "stormer-verlet", |spheres| {
                Some(Box::new(StormerVerlet::new(spheres)?))
            });
            built.map_err(|unsupported| Unsupported {
                // What Störmer and Verlet do, where the kinetic energy is that of masses.
                instead: match m {
                    Mechanism::Lagrangian(_) => "trapezoid",
                    _ => unsupported.instead,
                },
                ..unsupported
            })
        },
        ..GEOMETRIC
    },
    Method {
        name: "sphere-hamel",
        summary: "discrete Hamel integrator of document 000, separate bodies",
        reference: "Zenkov, Leok & Bloch (2012)",
        symplectic: false,
        momentum: Kept::UniformGravity,
        options: &["max_iterations"],
        build: |m, o| {
            separate(m, "sphere-hamel", |spheres| {
                let iterations = o.max_iterations.unwrap_or(200);
                Some(Box::new(SphereHamel::new(spheres, iterations)?))
            })
        },
        ..GEOMETRIC
    },
    Method {
        name: "midpoint",
        summary: "variational integrator of the midpoint rule, any Lagrangian",
        reference: "Marsden & West (2001)",
        options: NEWTON,
        build: |m, o| discrete(m, o, "midpoint", MIDPOINT),
        ..GEOMETRIC
    },
    Method {
        name: "midpoint-4",
        summary: "midpoint raised to order 4 by Suzuki's five stages",
        reference: "Suzuki (1990)",
        order: 4,
        options: NEWTON,
        build: |m, o| composed(discrete(m, o, "midpoint-4", MIDPOINT)?, 4),
        ..GEOMETRIC
    },
    Method {
        name: "midpoint-6",
        summary: "midpoint raised to order 6 by nine stages",
        reference: "Kahan & Li (1997)",
        order: 6,
        options: NEWTON,
        build: |m, o| composed(discrete(m, o, "midpoint-6", MIDPOINT)?, 6),
        ..GEOMETRIC
    },
    Method {
        name: "midpoint-8",
        summary: "midpoint raised to order 8 by seventeen stages",
        reference: "Kahan & Li (1997)",
        order: 8,
        options: NEWTON,
        build: |m, o| composed(discrete(m, o, "midpoint-8", MIDPOINT)?, 8),
        ..GEOMETRIC
    },
    Method {
        name: "trapezoid",
        summary: "variational integrator of the trapezoidal rule, any Lagrangian",
        reference: "Marsden & West (2001)",
        options: NEWTON,
        build: |m, o| discrete(m, o, "trapezoid", TRAPEZOID),
        ..GEOMETRIC
    },
    Method {
        name: "trapezoid-4",
        summary: "trapezoid raised to order 4 by Suzuki's five stages",
        reference: "Suzuki (1990)",
        order: 4,
        options: NEWTON,
        build: |m, o| composed(discrete(m, o, "trapezoid-4", TRAPEZOID)?, 4),
        ..GEOMETRIC
    },
    Method {
        name: "trapezoid-6",
        summary: "trapezoid raised to order 6 by nine stages",
        reference: "Kahan & Li (1997)",
        order: 6,
        options: NEWTON,
        build: |m, o| composed(discrete(m, o, "trapezoid-6", TRAPEZOID)?, 6),
        ..GEOMETRIC
    },
    Method {
        name: "trapezoid-8",
        summary: "trapezoid raised to order 8 by seventeen stages",
        reference: "Kahan & Li (1997)",
        order: 8,
        options: NEWTON,
        build: |m, o| composed(discrete(m, o, "trapezoid-8", TRAPEZOID)?, 8),
        ..GEOMETRIC
    },
    Method {
        name: "backward-difference",
        summary: "variational integrator of the backward difference, as in document 003",
        reference: "document 003",
        order: 1,
        symmetric: false,
        options: NEWTON,
        build: |m, o| discrete(m, o, "backward-difference", BACKWARD),
        ..GEOMETRIC
    },
    Method {
        name: "hamel",
        summary: "discrete Hamel equations of document 000 in any frame, nonholonomic too",
        reference: "Zenkov, Leok & Bloch (2012)",
        symplectic: false,
        bounded_energy: false,
        momentum: Kept::No,
        options: NEWTON,
        build: |m, o| framed(m, o, "hamel"),
        ..GEOMETRIC
    },
    Method {
        name: "hamel-4",
        summary: "hamel raised to order 4 by Suzuki's five stages",
        reference: "Suzuki (1990)",
        order: 4,
        symplectic: false,
        bounded_energy: false,
        momentum: Kept::No,
        options: NEWTON,
        build: |m, o| composed(framed(m, o, "hamel-4")?, 4),
        ..GEOMETRIC
    },
    Method {
        name: "tree-variational",
        summary: "variational integrator of trees of rigid bodies, O(n), exact constraints",
        reference: "Marsden & West (2001)",
        options: TREE,
        build: |m, o| jointed(m, o, "tree-variational"),
        ..GEOMETRIC
    },
    Method {
        name: "tree-variational-4",
        summary: "tree-variational raised to order 4 by Suzuki's five stages",
        reference: "Suzuki (1990)",
        order: 4,
        options: TREE,
        build: |m, o| composed(jointed(m, o, "tree-variational-4")?, 4),
        ..GEOMETRIC
    },
    Method {
        name: "tree-variational-6",
        summary: "tree-variational raised to order 6 by nine stages",
        reference: "Kahan & Li (1997)",
        order: 6,
        options: TREE,
        build: |m, o| composed(jointed(m, o, "tree-variational-6")?, 6),
        ..GEOMETRIC
    },
    Method {
        name: "tree-variational-8",
        summary: "tree-variational raised to order 8 by seventeen stages",
        reference: "Kahan & Li (1997)",
        order: 8,
        options: TREE,
        build: |m, o| composed(jointed(m, o, "tree-variational-8")?, 8),
        ..GEOMETRIC
    },
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
        on_manifold: true,
        build: |m, _| projected(m, &tableaux::EULER, "euler-projected", "euler"),
        ..CONVENTIONAL
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
        on_manifold: true,
        build: |m, _| projected(m, &tableaux::MIDPOINT, "rk2-midpoint-projected", "rk2-midpoint"),
        ..CONVENTIONAL
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
        on_manifold: true,
        build: |m, _| projected(m, &tableaux::HEUN, "rk2-heun-projected", "rk2-heun"),
        ..CONVENTIONAL
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
        summary: "Fehlberg 4(5) with the coefficients of document 002, adaptive",
        reference: "Fehlberg (1969)",
        order: 5,
        adaptive: true,
        options: ERROR_CONTROL,
        build: |m, o| adaptive(m, o, tableaux::fehlberg()),
        ..CONVENTIONAL
    },
    Method {
        name: "rk45",
        summary: "Dormand–Prince 5(4) with the step control of MATLAB's ode45, adaptive",
        reference: "Dormand & Prince (1980)",
        order: 5,
        adaptive: true,
        options: ERROR_CONTROL,
        build: |m, o| adaptive(m, o, tableaux::dormand_prince()),
        ..CONVENTIONAL
    },
    Method {
        name: "dop853",
        summary: "Dormand–Prince 8(5,3), adaptive",
        reference: "Hairer, Nørsett & Wanner (1993)",
        order: 8,
        adaptive: true,
        options: ERROR_CONTROL,
        build: |m, o| adaptive(m, o, tableaux::dop853()),
        ..CONVENTIONAL
    },
];

const SEPARATE: &str = "separate bodies (a diagonal inertia matrix)";

/// The geometric method to begin with.
pub fn of_choice(mechanism: &Mechanism) -> &'static str {
    match mechanism {
        Mechanism::Spheres(spheres) if spheres.inertia().is_diagonal() => "sphere-explicit",
        Mechanism::Spheres(_) => "sphere-implicit",
        Mechanism::Lagrangian(_) => "midpoint",
        Mechanism::Hamel(_) => "hamel",
        Mechanism::Tree(_) => "tree-variational",
    }
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

/// A variational integrator for a tree.
fn jointed(
    mechanism: &Mechanism,
    options: &Options,
    method: &'static str,
) -> Result<Box<dyn Integrator>, Unsupported> {
    let Mechanism::Tree(tree) = mechanism else {
        return Err(Unsupported {
            method,
            needs: "a tree of rigid bodies (`space = \"tree\"`)",
            instead: of_choice(mechanism),
        });
    };
    let usual = TreeOptions::default();
    let options = TreeOptions {
        forcing: if options.one_sided {
            Forcing::OneSided
        } else {
            usual.forcing
        },
        max_iterations: options.max_iterations.unwrap_or(usual.max_iterations),
        ..usual
    };
    Ok(Box::new(TreeVariational::new(tree.clone(), options)))
}

/// The bodies of a mechanism on spheres.
fn spheres(mechanism: &Mechanism, method: &'static str) -> Result<Arc<Spheres>, Unsupported> {
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

fn explicit(mechanism: &Mechanism, method: &'static str) -> Result<Box<dyn Integrator>, Unsupported> {
    separate(mechanism, method, |spheres| {
        Some(Box::new(SphereExplicit::new(spheres)?))
    })
}

fn split(
    mechanism: &Mechanism,
    method: &'static str,
    order: u32,
) -> Result<Box<dyn Integrator>, Unsupported> {
    separate(mechanism, method, |spheres| {
        Some(Box::new(SphereSplit::new(spheres, order)?))
    })
}

fn implicit(
    mechanism: &Mechanism,
    options: &Options,
    method: &'static str,
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
    Ok(Box::new(SphereImplicit::new(spheres, solver)))
}

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

fn composed(base: Box<dyn Integrator>, order: u32) -> Result<Box<dyn Integrator>, Unsupported> {
    match Composition::new(base, order) {
        Some(composition) => Ok(Box::new(composition)),
        None => unreachable!("the catalog asks for orders 4, 6 and 8"),
    }
}

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
    pair: Pair,
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

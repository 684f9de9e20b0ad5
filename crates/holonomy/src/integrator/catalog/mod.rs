//! Every method, once. The command line, the manual and the property tests read this list; the entries stand in one
//! file per family.
mod conventional;
mod lagrangian;
mod spheres;
mod tree;

use super::{Composition, Integrator};
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

/// A numerical method and what it promises. Tests measure every promise, and that what is not
/// promised does not hold.
#[derive(Clone, Copy)]
pub struct Method {
    /// Name in model files and on the command line.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// The family it is made for; `None` for any.
    pub family: Option<Family>,
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

impl Method {
    /// Whether it is made for some system of the family.
    pub fn serves(&self, family: Family) -> bool {
        self.family.is_none_or(|own| own == family)
    }
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

/// All methods, in the order in which people should consider them.
pub static METHODS: &[Method] = &ALL;

const FAMILIES: [&[Method]; 5] = [
    spheres::METHODS,
    lagrangian::METHODS,
    tree::METHODS,
    conventional::METHODS,
    tree::OF_THE_NOTEBOOK,
];

static ALL: [Method; count(&FAMILIES)] = joined(&FAMILIES);

const fn count(families: &[&[Method]]) -> usize {
    let (mut sum, mut k) = (0, 0);
    while k < families.len() {
        sum += families[k].len();
        k += 1;
    }
    sum
}

const fn joined<const N: usize>(families: &[&[Method]]) -> [Method; N] {
    let mut all = [GEOMETRIC; N];
    let (mut next, mut k) = (0, 0);
    while k < families.len() {
        let mut i = 0;
        while i < families[k].len() {
            all[next] = families[k][i];
            next += 1;
            i += 1;
        }
        k += 1;
    }
    all
}

/// Smallest relative tolerance that adaptive methods can work to.
pub const SMALLEST_RTOL: f64 = 100.0 * f64::EPSILON;
const NEWTON: &[&str] = &["max_iterations"];

/// Variational or splitting methods: everything is kept.
const GEOMETRIC: Method = Method {
    name: "",
    summary: "",
    reference: "",
    family: None,
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

/// The geometric method to begin with.
pub fn of_choice(mechanism: &Mechanism) -> &'static str {
    match mechanism {
        Mechanism::Spheres(spheres) if spheres.are_separate() => "sphere-explicit",
        Mechanism::Spheres(_) => "sphere-implicit",
        Mechanism::Lagrangian(_) => "midpoint",
        Mechanism::Hamel(_) => "hamel",
        Mechanism::Tree(_) => "tree-variational",
    }
}

/// A symmetric method of order 2, raised to a higher order.
fn composed(base: Box<dyn Integrator>, order: u32) -> Result<Box<dyn Integrator>, Unsupported> {
    match Composition::new(base, order) {
        Some(composition) => Ok(Box::new(composition)),
        None => unreachable!("the catalog asks for orders 4, 6 and 8"),
    }
}

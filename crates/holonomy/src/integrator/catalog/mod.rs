//! Every method, once. The command line, the manual and the property tests read this list; the entries stand in one
//! file per family.
//!
//! ```
//! use holonomy::{integrator::catalog, spheres::{Body, Spheres, SpheresParts}, system::Mechanism};
//!
//! let chain = SpheresParts::chain([Body::point("upper", 1.0, 1.0), Body::point("lower", 1.0, 1.0)]);
//! let mechanism = Mechanism::from(Spheres::new(chain)?);
//! let method = catalog::find("sphere-implicit-4")?;
//! assert_eq!((method.order, method.symplectic, method.bounded_energy), (4, true, true));
//! let integrator = method.build(&mechanism)?;
//!
//! // A method for separate bodies does not fit a chain, and says what does.
//! let refused = catalog::find("sphere-explicit")?.build(&mechanism).err().ok_or("it is refused")?;
//! assert_eq!(refused.instead, "sphere-implicit");
//! // A name that is nearly right.
//! let unknown = catalog::find("sphere-implicet").err().ok_or("it is unknown")?;
//! assert_eq!(unknown.suggestion, Some("sphere-implicit"));
//! # let _ = integrator;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
mod conventional;
mod lagrangian;
mod spheres;
mod tree;

use super::{Composition, Integrator};
use crate::{
    formula::nearest,
    system::{Family, Mechanism},
};
use serde::{Deserialize, Serialize};

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
    pub momentum: Guarantee,
    /// The error of the energy stays bounded: it does not drift.
    pub bounded_energy: bool,
    /// Its steps are those of Verlet's scheme in space: what they conserve is known to the second order in the step, by
    /// [`crate::diagnostics::second_term`].
    pub verlet: bool,
    /// A step back undoes a step.
    pub symmetric: bool,
    /// Stays on the configuration manifold to the last bit.
    pub on_manifold: bool,
    /// Chooses its own steps; the step asked for is a sampling interval.
    pub adaptive: bool,
    /// Its steps have [derivatives](crate::derivative), but for what [`Method::without_derivatives`] names.
    pub differentiable: bool,
    /// There only to be compared with: its faults are those of a publication.
    pub for_comparison: bool,
    /// Names of the options it takes.
    pub options: &'static [&'static str],
    /// Makes it for a mechanism.
    pub build: Build,
}

impl Method {
    /// Makes it for a mechanism, with the usual options.
    pub fn build(&self, mechanism: &Mechanism) -> Result<Box<dyn Integrator>, Unsupported> {
        self.build_with(mechanism, &Options::default())
    }

    /// Makes it for a mechanism.
    pub fn build_with(
        &self,
        mechanism: &Mechanism,
        options: &Options,
    ) -> Result<Box<dyn Integrator>, Unsupported> {
        if self.name != SNAPS && may_go_slack(mechanism) {
            return Err(Unsupported {
                method: self.name,
                needs: "constraints that always hold: none with `slack = true`",
                instead: SNAPS,
            });
        }
        (self.build)(mechanism, options)
    }

    /// The same with what it promises under the given options: forces at one end of a step only make it a method of
    /// first order that a step back does not undo, whose energy is not that of a nearby system, and which turns the whole.
    pub fn promising(&self, options: &Options) -> Self {
        let one_sided = options.one_sided && self.options.contains(&"forcing");
        match one_sided {
            true => Self {
                order: 1,
                symmetric: false,
                bounded_energy: false,
                momentum: Guarantee::No,
                ..*self
            },
            false => *self,
        }
    }

    /// The same with what it promises for a mechanism: where velocities are constrained as such there is no form to keep,
    /// and no energy of a nearby system; what snaps tight is taken in the step in which it does, and its energy is gone.
    pub fn promising_on(&self, mechanism: &Mechanism) -> Self {
        match mechanism {
            _ if may_go_slack(mechanism) => Self {
                order: 1,
                symmetric: false,
                symplectic: false,
                bounded_energy: false,
                ..*self
            },
            Mechanism::Tree(tree) if tree.is_nonholonomic() => Self {
                symplectic: false,
                bounded_energy: false,
                ..*self
            },
            _ => *self,
        }
    }

    /// Why its steps have no derivatives for a mechanism, if they have none: what they would need.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn without_derivatives(&self, mechanism: &Mechanism) -> Option<&'static str> {
        match mechanism {
            _ if !self.differentiable => Some("a method with derivatives"),
            Mechanism::Tree(tree) => tree.without_derivatives(),
            Mechanism::Spheres(spheres) => spheres.without_derivatives(),
            Mechanism::Lagrangian(lagrangian) => lagrangian.without_derivatives(),
        }
    }

    /// Whether it has structure of the motion itself: its symplectic form, or no direction of time. Others are
    /// conventional.
    pub fn is_geometric(&self) -> bool {
        self.symplectic || self.symmetric
    }

    /// Whether it is made for some system of the family.
    pub fn serves(&self, family: Family) -> bool {
        self.family.is_none_or(|own| own == family)
    }
}

/// The method that steps what goes slack.
const SNAPS: &str = "tree-variational";

fn may_go_slack(mechanism: &Mechanism) -> bool {
    matches!(mechanism, Mechanism::Tree(tree) if tree.may_go_slack())
}

/// Where a guarantee of a method holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarantee {
    /// In every system.
    Always,
    /// In uniform gravity and where there is no potential at all, but not in general.
    UniformGravity,
    /// In no system but by chance.
    No,
}

impl Guarantee {
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
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
    /// A time at which the mesh of adaptive methods ends a step, s, as `ode45` does at the end of a run.
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

/// A name that no method has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no method is called `{name}`{}", suggestion.map_or_else(String::new, |near| format!("; did you mean `{near}`?")))]
pub struct UnknownMethod {
    /// The name.
    pub name: String,
    /// The method that was perhaps meant.
    pub suggestion: Option<&'static str>,
}

/// The method of the given name.
pub fn find(name: &str) -> Result<&'static Method, UnknownMethod> {
    METHODS
        .iter()
        .find(|m| m.name == name)
        .ok_or_else(|| UnknownMethod {
            name: name.to_owned(),
            suggestion: nearest(name, METHODS.iter().map(|m| m.name)),
        })
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

/// Variational or splitting methods: everything is conserved.
const GEOMETRIC: Method = Method {
    name: "",
    summary: "",
    reference: "",
    family: None,
    order: 2,
    symplectic: true,
    momentum: Guarantee::Always,
    bounded_energy: true,
    verlet: false,
    symmetric: true,
    on_manifold: true,
    adaptive: false,
    differentiable: false,
    for_comparison: false,
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
    momentum: Guarantee::No,
    bounded_energy: false,
    verlet: false,
    symmetric: false,
    on_manifold: false,
    ..GEOMETRIC
};

/// The geometric method to begin with.
pub fn of_choice(mechanism: &Mechanism) -> &'static str {
    match mechanism {
        Mechanism::Spheres(spheres) if spheres.are_separate() => "sphere-explicit",
        Mechanism::Spheres(_) => "sphere-implicit",
        Mechanism::Lagrangian(lagrangian) if lagrangian.is_framed() => "hamel",
        Mechanism::Lagrangian(_) => "midpoint",
        Mechanism::Tree(_) => "tree-variational",
    }
}

/// A symmetric method of order 2, raised to a higher order if that is wanted.
fn composed(base: Box<dyn Integrator>, order: u32) -> Result<Box<dyn Integrator>, Unsupported> {
    if order == 2 {
        return Ok(base);
    }
    match Composition::new(base, order) {
        Some(composition) => Ok(Box::new(composition)),
        None => unreachable!("the catalog asks for orders 4, 6 and 8"),
    }
}

/// The entry of a method of order 2 raised to order 4, 6 or 8. The maker takes mechanism, options, name and order.
macro_rules! raised {
    ($base:literal, $order:tt, $make:path, $like:expr) => {
        Method {
            name: concat!($base, "-", $order),
            summary: concat!($base, " raised to order ", $order, " by ", raised!(stages $order)),
            reference: raised!(reference $order),
            order: $order,
            build: |m, o| $make(m, o, concat!($base, "-", $order), $order),
            ..$like
        }
    };
    (stages 4) => { "Suzuki's five stages" };
    (stages 6) => { "nine stages" };
    (stages 8) => { "seventeen stages" };
    (reference 4) => { "Suzuki (1990)" };
    (reference $order:tt) => { "Kahan & Li (1997)" };
}
use raised;

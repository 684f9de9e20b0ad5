use super::Names;
use crate::{Vec3, formula::SubExpression, output::Recordable};
use std::{borrow::Cow, collections::HashSet, f64::consts::TAU};

/// What the numbers of a state are called, for columns of files and tables; and beside it what figures, verdicts and
/// messages need to know.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// One name per entry of `q`, such as `q.upper.x`.
    pub coordinates: Names,
    /// One name per entry of the velocity, such as `omega.upper.x`.
    pub velocities: Names,
    /// Names of the constraints, one per entry of `lambda`.
    pub multipliers: Vec<String>,
    /// Units of the multipliers; empty where they are not known.
    pub multiplier_units: Vec<MultiplierUnit>,
    /// Which entries of `q` are angles, to be reported within ±π; empty where none is.
    pub periodic: Vec<bool>,
    /// Where in `q` quaternions `[w, x, y, z]` begin, and whose they are.
    pub rotations: Vec<(usize, String)>,
    /// Whether they are generalized coordinates, few and each worth a curve of its own.
    pub generalized: bool,
    /// For figures.
    pub drawing: Drawing,
    /// For what is recorded by name.
    pub recordable: Recordable,
    /// For verdicts.
    pub conserved: Conserved,
    /// For warnings.
    pub expected: Expected,
    /// For messages.
    pub words: Words,
}

/// What a person expects of a motion although nothing in the equations makes it so.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expected {
    /// Multipliers that pull, and do not push: those of strings, which would go slack.
    pub pulling: Vec<usize>,
    /// Multipliers that pull if they are those of strings, and may push if they are those of rods.
    pub perhaps_pulling: Vec<usize>,
    /// Coordinates with the least and largest value that a stop would leave them.
    pub limits: Vec<(usize, [f64; 2])>,
    /// Elastic cables, which hang while their ends are nearer than they are long.
    pub ropes: Vec<Rope>,
}

/// An elastic cable between two sites.
#[derive(Clone, Debug, PartialEq)]
pub struct Rope {
    /// What it is called.
    pub name: String,
    /// Its ends, among the sites of `System::sites`.
    pub between: [usize; 2],
    /// Unstretched, m.
    pub length: f64,
}

/// The points that `System::sites` places, and the lines between them. A viewer finds more in the scene.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    /// Names of the sites; empty where every body has one, called as it is. Sites beyond the last name are parts of
    /// lines: nobody follows their paths.
    pub sites: Vec<String>,
    /// For each site, where the link that ends there begins; at the site itself where there is no link.
    pub bases: Vec<Base>,
    /// Sites with a string or a line between them.
    pub strings: Vec<Vec<usize>>,
    /// Sites with an elastic beam between them.
    pub beams: Vec<[usize; 2]>,
    /// The way things fall, where there is gravity: figures put it downwards.
    pub down: Option<Vec3>,
}

/// What the exact motion conserves.
#[derive(Clone, Debug, Default)]
pub struct Conserved {
    /// Names of the conserved momenta and first integrals, in the order of `Measurement::invariants`.
    pub invariants: Vec<String>,
    /// Whether the motion itself changes the energy: forces act, or something depends on time.
    pub driven: bool,
    /// Names of all that changes it, such as `damper elbow`, in the order of [`State::work`](super::State::work).
    pub sources: Vec<String>,
}

/// What a message calls the parts of a system.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// Names of the bodies.
    pub bodies: Names,
    /// Parts of formulas, by the numbers of [`Undefined`](super::Undefined).
    pub expressions: Vec<SubExpression>,
    /// Names of whole formulas, likewise.
    pub formulas: Vec<String>,
    /// Names of the pulleys of ropes, by the numbers of [`Cause::Rope`](crate::integrator::Cause::Rope).
    pub pulleys: Vec<String>,
    /// Names of the fields of a frame: their quasi-velocities, constrained ones too.
    pub fields: Vec<String>,
}

/// Where a drawn link begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Base {
    /// A point fixed in space.
    Fixed(Vec3),
    /// The site of another body.
    Site(usize),
}

/// The unit of a constraint's multiplier, and with it that of its violation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MultiplierUnit {
    /// A force: the constraint is a length.
    Newton,
    /// A torque: the constraint is an angle.
    NewtonMetre,
    /// Not known, as where lengths and angles are mixed.
    #[default]
    Unknown,
}

impl MultiplierUnit {
    /// Its symbol; nothing where it is not known.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Newton => "N",
            Self::NewtonMetre => "N m",
            Self::Unknown => "",
        }
    }

    /// The symbol of the unit that violations are measured in; nothing where it is not known.
    pub fn of_violation(self) -> &'static str {
        match self {
            Self::Newton => "m",
            Self::NewtonMetre => "rad",
            Self::Unknown => "",
        }
    }
}

impl Drawing {
    /// Whether there is nothing but points and lines between them: no link holds a site.
    pub fn is_a_picture(&self) -> bool {
        let mut bases = self.bases.iter().enumerate();
        bases.all(|(site, base)| *base == Base::Site(site))
    }

    /// How many sites have a path that is worth following: the first ones.
    pub fn followed(&self) -> usize {
        match self.sites.len() {
            0 => self.bases.len(),
            named => named.min(self.bases.len()),
        }
    }
}

impl Conserved {
    /// Names the sources of power; those of one name are numbered.
    pub(crate) fn set_sources(&mut self, names: impl IntoIterator<Item = String>) {
        let mut taken = HashSet::new();
        self.sources.clear();
        for name in names {
            let mut unique = name.clone();
            let mut number = 1;
            while !taken.insert(unique.clone()) {
                number += 1;
                unique = format!("{name} {number}");
            }
            self.sources.push(unique);
        }
        self.driven = !self.sources.is_empty();
    }
}

impl Layout {
    /// Makes the given coordinates angles.
    pub(crate) fn set_periodic(&mut self, coordinates: &[usize]) {
        let all = 0..self.coordinates.len();
        self.periodic = all.map(|i| coordinates.contains(&i)).collect();
    }

    /// What a message calls an equation of constraint.
    pub fn constraint(&self, equation: usize) -> String {
        let name = self.multipliers.get(equation).map_or("", String::as_str);
        format!("constraint `{name}`")
    }

    /// The violation of an equation of constraint, with its unit.
    pub fn violation(&self, equation: usize, violation: f64) -> String {
        let unit = self.multiplier_units.get(equation).copied().unwrap_or_default();
        let text = format!("{violation:.1e} {}", unit.of_violation());
        text.trim_end().to_owned()
    }

    /// A configuration as it is reported: angles within ±π.
    pub fn reported<'q>(&self, q: &'q [f64]) -> Cow<'q, [f64]> {
        if !self.periodic.contains(&true) {
            return Cow::Borrowed(q);
        }
        let wrapped = q.iter().enumerate().map(|(i, q)| match self.periodic.get(i) {
            Some(true) => q - (q / TAU).round() * TAU,
            _ => *q,
        });
        Cow::Owned(wrapped.collect())
    }
}

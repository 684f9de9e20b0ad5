//! What every mechanical system offers: energy, velocities, equations of motion.
mod names;

pub use names::Names;

use crate::{Vec3, lagrangian::Undefined};
use std::{any::Any, borrow::Cow, f64::consts::TAU};

/// Everything that evolves. Integrators keep nothing else between steps, so a
/// checkpoint is a `State` and a restart is exact to the bit.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct State {
    /// Time, s.
    pub t: f64,
    /// Configuration, in its embedding (unit vectors, quaternions, joint angles).
    pub q: Vec<f64>,
    /// Momentum conjugate to the velocity.
    pub p: Vec<f64>,
    /// Constraint multipliers, empty when there are none.
    pub lambda: Vec<f64>,
    /// What a method carries from one step to the next (the mesh of an adaptive method, digits that
    /// rounding would lose, tensions to start an iteration from); empty for most. A method that does not
    /// recognise it starts afresh from `(t, q, p)`.
    pub carry: Vec<f64>,
}

impl State {
    /// A state at time `t` with nothing carried over.
    pub fn new(t: f64, q: Vec<f64>, p: Vec<f64>) -> Self {
        Self {
            t,
            q,
            p,
            lambda: Vec::new(),
            carry: Vec::new(),
        }
    }

    /// Whether every number that matters is finite.
    pub fn is_finite(&self) -> bool {
        self.q.iter().chain(&self.p).all(|x| x.is_finite())
    }

    /// Copies `other` into this state without allocating when the sizes agree.
    pub fn copy_from(&mut self, other: &Self) {
        self.t = other.t;
        self.q.clone_from(&other.q);
        self.p.clone_from(&other.p);
        self.lambda.clone_from(&other.lambda);
        self.carry.clone_from(&other.carry);
    }
}

/// Kinetic and potential energy, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Potential energy.
    pub potential: f64,
}

impl Energy {
    /// Kinetic plus potential.
    pub fn total(self) -> f64 {
        self.kinetic + self.potential
    }
}

/// How far a configuration is from its manifold: for spheres, `|1 − q·q|` of the bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ManifoldError {
    /// Mean over the bodies.
    pub mean: f64,
    /// Largest of the bodies.
    pub max: f64,
}

/// Where a drawn link begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Base {
    /// A point fixed in space.
    Fixed(Vec3),
    /// The site of another body.
    Site(usize),
}

/// Names and shapes of what a state holds, for columns, messages and drawings.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Names of the bodies.
    pub bodies: Names,
    /// One name per entry of `q`, such as `q.upper.x`.
    pub coordinates: Names,
    /// One name per entry of the velocity, such as `omega.upper.x`.
    pub velocities: Names,
    /// Names of the sites; empty where every body has one, called as it is.
    pub sites: Vec<String>,
    /// For each site, where the link that ends there begins; at the site itself where there is no link.
    pub bases: Vec<Base>,
    /// Sites with a string between them, for drawings.
    pub strings: Vec<Vec<usize>>,
    /// Names of the conserved momenta, as `System::invariants` lists them.
    pub invariants: Vec<String>,
    /// Sub-expressions of formulas, as text, for messages.
    pub expressions: Vec<String>,
    /// Names of the fields of a frame: their quasi-velocities, constrained ones too.
    pub fields: Vec<String>,
    /// The way things fall, where there is gravity: drawings put it downwards.
    pub down: Option<Vec3>,
    /// Names of the constraints, one per entry of `lambda`.
    pub multipliers: Vec<String>,
    /// Where in `q` quaternions `[w, x, y, z]` begin, and whose they are.
    pub rotations: Vec<(usize, String)>,
    /// Units of the multipliers, `""` for one that has none; empty where they are not known.
    pub multiplier_units: Vec<&'static str>,
    /// Which entries of `q` are angles, to be reported within ±π; empty where none is.
    pub periodic: Vec<bool>,
    /// Whether the motion itself changes the energy: forces act, or something depends on time.
    pub driven: bool,
}

impl Layout {
    /// Makes the given coordinates angles.
    pub(crate) fn set_periodic(&mut self, coordinates: &[usize]) {
        let all = 0..self.coordinates.len();
        self.periodic = all.map(|i| coordinates.contains(&i)).collect();
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

/// Work space of a system, made once by [`System::scratch`] and reused at every call.
pub type Scratch = Box<dyn Any + Send>;

/// The scratch made by [`System::scratch`]; a foreign one is replaced.
pub(crate) fn workspace<W: Default + Send + 'static>(scratch: &mut Scratch) -> &mut W {
    if !scratch.is::<W>() {
        *scratch = Box::new(W::default());
    }
    match scratch.downcast_mut() {
        Some(work) => work,
        None => unreachable!("just made"),
    }
}

/// What can be measured on a state: energies, momenta, errors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measurement {
    /// Energy, J.
    pub energy: Energy,
    /// Velocity `v = M(q)⁻¹ p`.
    pub velocity: Vec<f64>,
    /// The conserved momenta named in the layout.
    pub invariants: Vec<f64>,
    /// Departure from the configuration manifold.
    pub manifold: ManifoldError,
    /// Largest constraint violation; `None` when there are no constraints.
    pub constraint: Option<f64>,
    /// The multipliers that keep the constraints at this moment, whatever the method; empty where there are none.
    pub multipliers: Vec<f64>,
}

/// A mechanical system: what it is, not where it is or how it is stepped.
pub trait System: Send + Sync {
    /// Names and shapes.
    fn layout(&self) -> &Layout;
    /// Measures a state.
    fn measure(&self, state: &State, out: &mut Measurement, scratch: &mut Scratch);
    /// Velocity `v = M(q)⁻¹ p` (for spheres: angular velocities).
    fn velocity(&self, t: f64, q: &[f64], p: &[f64], v: &mut [f64], scratch: &mut Scratch);
    /// Momentum `p = M(q) v`, the inverse of `velocity`.
    fn momentum(&self, t: f64, q: &[f64], v: &[f64], p: &mut [f64], scratch: &mut Scratch);
    /// Continuous equations of motion `(q̇, v̇)`.
    fn rate(&self, t: f64, q: &[f64], v: &[f64], dq: &mut [f64], dv: &mut [f64], scratch: &mut Scratch);
    /// Moves `(q, v)` to the nearest point of the manifold and its tangent space.
    fn project(&self, q: &mut [f64], v: &mut [f64]);
    /// Positions of the sites: for spheres, the tip of every link.
    fn sites(&self, q: &[f64], out: &mut [Vec3]);
    /// Whether there are canonical coordinates. There are none for redundant coordinates in a frame, or under
    /// constraints on velocities; the two calls below then give what is not a number.
    fn is_canonical(&self) -> bool {
        true
    }
    /// Canonical coordinates `(x, y)` of `(q, p)` near the configuration `origin`, where x is zero.
    fn canonical(&self, origin: &[f64], q: &[f64], p: &[f64]) -> (Vec<f64>, Vec<f64>);
    /// The inverse of `canonical`.
    fn state_from_canonical(&self, origin: &[f64], x: &[f64], y: &[f64]) -> (Vec<f64>, Vec<f64>);
    /// What has no value at a point where [`System::rate`] is not finite, if it is known.
    fn undefined(&self, t: f64, q: &[f64], v: &[f64], scratch: &mut Scratch) -> Option<Undefined> {
        let _ = (t, q, v, scratch);
        None
    }
    /// Work space for the calls above.
    fn scratch(&self) -> Scratch;

    /// Kinetic and potential energy of a state.
    fn energy(&self, state: &State) -> Energy {
        let mut out = Measurement::default();
        self.measure(state, &mut out, &mut self.scratch());
        out.energy
    }
}

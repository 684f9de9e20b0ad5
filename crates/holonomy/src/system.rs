//! What every mechanical system offers: energy, velocities, equations of motion.
mod carry;
mod digest;
mod mechanism;
mod errors;
mod layout;
mod measured;
mod names;
mod transfer;
mod undefined;

pub use carry::{Carry, Tag};
pub use digest::Digest;
pub use errors::{NameError, Named, StateError};
pub(crate) use errors::{check_names, check_names_in};
pub use layout::{Base, Conserved, Drawing, Expected, Layout, MultiplierUnit, Rope, Words};
pub use measured::Measured;
pub use mechanism::{Family, Mechanism};
pub use names::Names;
pub use transfer::{TransferError, carried_over};
pub use undefined::Undefined;

use crate::{
    Vec3,
    output::SiteMotion,
    potential::FaultSlot,
    scene::{Poses, Scene},
};
use serde::{Deserialize, Serialize};
use std::{any::Any, sync::Arc};

/// Everything that evolves. Integrators keep nothing else between steps. With the origin of time and the number of steps
/// since then it is a [`crate::simulation::Checkpoint`], from which a restart is exact to the bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Time, s.
    pub t: f64,
    /// Configuration, in its embedding (unit vectors, quaternions, joint angles).
    pub q: Vec<f64>,
    /// Momentum conjugate to the velocity.
    pub p: Vec<f64>,
    /// Constraint multipliers, empty when there are none.
    pub lambda: Vec<f64>,
    /// Work that each source of power has done since the state was made, J, in the order of
    /// [`Conserved::sources`]; empty where there are none. It follows the motion and never changes it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub work: Vec<f64>,
    /// What a method carries from one step to the next; a method that finds there what is not its own starts afresh.
    pub carry: Carry,
}

impl State {
    /// A state at time `t` with nothing carried over.
    pub fn new(t: f64, q: Vec<f64>, p: Vec<f64>) -> Self {
        Self {
            t,
            q,
            p,
            lambda: Vec::new(),
            work: Vec::new(),
            carry: Carry::default(),
        }
    }

    /// Whether every number that matters is finite.
    pub fn is_finite(&self) -> bool {
        self.q.iter().chain(&self.p).all(|x| x.is_finite())
    }

    /// Adds the work of one step.
    pub(crate) fn add_work(&mut self, done: &[f64]) {
        if done.is_empty() {
            return;
        }
        self.work.resize(done.len(), 0.0);
        for (work, done) in self.work.iter_mut().zip(done) {
            *work += done;
        }
    }

    /// Copies `other` into this state without allocating when the sizes agree.
    pub fn copy_from(&mut self, other: &Self) {
        self.t = other.t;
        self.q.clone_from(&other.q);
        self.p.clone_from(&other.p);
        self.lambda.clone_from(&other.lambda);
        self.work.clone_from(&other.work);
        self.carry.copy_from(&other.carry);
    }
}

/// Kinetic and potential energy, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ManifoldError {
    /// Mean over the bodies.
    pub mean: f64,
    /// Largest of the bodies.
    pub max: f64,
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// The power of each source that [`Conserved::sources`] names, W: what it adds to the energy per second. To be
    /// called right after `rate`, at its point and with its `dv` and scratch, which still holds forces and multipliers.
    fn powers(&self, t: f64, q: &[f64], v: &[f64], dv: &[f64], out: &mut [f64], scratch: &mut Scratch) {
        let _ = (t, q, v, dv, scratch);
        out.fill(0.0);
    }
    /// Moves `(q, v)` to the nearest point of the manifold and its tangent space.
    fn project(&self, q: &mut [f64], v: &mut [f64]);
    /// Positions of the sites: for spheres, the tip of every link. What has no place is not a number.
    fn sites(&self, t: f64, q: &[f64], out: &mut [Vec3]);
    /// How the sites move where the velocity is v, in their order; nothing where it is not known.
    fn site_motions(&self, state: &State, v: &[f64], out: &mut Vec<SiteMotion>, scratch: &mut Scratch) {
        let _ = (state, v, scratch);
        out.clear();
    }
    /// The numbers of all that [`Layout::recordable`] lists beside the sites, at a measured state.
    fn extras(&self, state: &State, measured: &Measurement, out: &mut Vec<f64>, scratch: &mut Scratch) {
        let _ = (state, measured, scratch);
        out.clear();
    }
    /// Where forces have kinks or set in: a name for each number of [`System::sides`].
    fn kinks(&self) -> Vec<String> {
        Vec::new()
    }
    /// What changes its sign where a motion crosses each kink, at a state whose velocity is v.
    fn sides(&self, state: &State, v: &[f64], out: &mut Vec<f64>, scratch: &mut Scratch) {
        let _ = (state, v, scratch);
        out.clear();
    }
    /// What a viewer draws, to be asked for once; empty where there is nothing to see.
    fn scene(&self) -> Scene {
        Scene::default()
    }
    /// Where the scene is in a state. It allocates nothing after the first call.
    fn poses(&self, state: &State, out: &mut Poses, scratch: &mut Scratch) {
        let _ = (state, scratch);
        out.clear();
    }
    /// Whether there are canonical coordinates. There are none in a frame with redundant coordinates or constraints: then
    /// the two calls below give the change of q, and p as it is, which may be fewer numbers. There are none of a chain that
    /// is held at both ends, either.
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
    /// A constraint that nothing near a measured state can meet, because what is driven contradicts it: which of the
    /// equations, and its violation at the nearest place. A violation that a method drifted into is none.
    fn unmet(&self, state: &State, measured: &Measurement) -> Option<(usize, f64)> {
        let _ = (state, measured);
        None
    }
    /// Where potentials written by users report failures; a simulation looks there.
    fn faults(&self) -> Vec<Arc<FaultSlot>> {
        Vec::new()
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

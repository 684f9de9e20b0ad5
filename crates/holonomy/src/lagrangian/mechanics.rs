use super::{Evaluation, FormulaMechanics, formulas::FormulaMemory};
use crate::{formula::SubExpression, system::Undefined};

/// What is particular to a mechanism in generalized coordinates: its Lagrangian, and if it has any, the frame its
/// velocities are measured in, forces and constraints. Matrices are row by row.
pub trait Mechanics: Send + Sync {
    /// Number n of coordinates.
    fn coordinates(&self) -> usize;

    /// Number k of fields of a frame, and of its quasi-velocities; `None` where velocities are the rates of the
    /// coordinates.
    fn fields(&self) -> Option<usize> {
        None
    }

    /// The fields `uᵢ(q)` with their derivatives; without a frame those of the coordinates, which is for general code
    /// and for no step of a plain Lagrangian.
    fn frame(&self, q: &[f64], out: &mut FrameFields) -> Result<(), Undefined> {
        out.coordinate(q.len());
        Ok(())
    }

    /// Their second derivatives, `∂²uᵢᵃ/∂qᵇ∂qᶜ` in place ((i·n + a)·n + b)·n + c, which only derivatives of steps need;
    /// zeros where they are not known.
    fn frame_curvature(
        &self,
        q: &[f64],
        out: &mut Vec<f64>,
        memory: &mut FormulaMemory,
    ) -> Result<(), Undefined> {
        let _ = memory;
        let n = q.len();
        zero(out, self.fields().unwrap_or(n) * n * n * n);
        Ok(())
    }

    /// `L(t, q, v)` with its derivatives, those by q at fixed v.
    fn lagrangian(&self, t: f64, q: &[f64], v: &[f64], out: &mut Derivatives) -> Result<(), Undefined>;

    /// Of these `∂L/∂v` and `∂²L/∂v²` alone, where it is known that the others exist; the rest of `out` may be anything.
    fn momentum(&self, t: f64, q: &[f64], v: &[f64], out: &mut Derivatives) -> Result<(), Undefined> {
        self.lagrangian(t, q, v, out)
    }

    /// Forces `f(t, q, v)` on the coordinates, with their derivatives.
    fn force(&self, t: f64, q: &[f64], v: &[f64], out: &mut GeneralizedForce) -> Result<(), Undefined> {
        let _ = t;
        out.resize(q.len(), v.len());
        Ok(())
    }

    /// Number m of constraints.
    fn constraints(&self) -> usize {
        0
    }

    /// Constraints `g(t, q)` with their derivatives, and how they curve along motions of constant v, all of them.
    fn constraint(
        &self,
        t: f64,
        q: &[f64],
        v: &[f64],
        out: &mut HolonomicConstraint,
    ) -> Result<(), Undefined> {
        let _ = (t, v);
        out.resize(0, q.len());
        Ok(())
    }

    /// Their second derivatives, `∂²gₖ/∂qₐ∂qᵇ` in place (k·n + a)·n + b and `∂²gₖ/∂qₐ∂t` in k·n + a, which only derivatives
    /// of steps in a frame need. The lists are zeros of these lengths, and stay so where they are not known.
    fn constraint_curvature(
        &self,
        t: f64,
        q: &[f64],
        out: (&mut Vec<f64>, &mut Vec<f64>),
        memory: &mut FormulaMemory,
    ) -> Result<(), Undefined> {
        let _ = (t, q, out, memory);
        Ok(())
    }

    /// Whether anything changes the momentum of velocity i: L changes along its field, a force has a part along it, or
    /// a constraint depends on it. If nothing does, and the field commutes with the others, the momentum is conserved.
    fn acts_along(&self, velocity: usize) -> bool {
        let _ = velocity;
        true
    }

    /// All that changes the energy; where there is nothing, it is conserved.
    fn sources(&self) -> PowerSources {
        PowerSources::default()
    }

    /// Names of first integrals that are to be measured.
    fn invariants(&self) -> &[String] {
        &[]
    }

    /// Puts their values at the end of `out`.
    fn invariant(
        &self,
        t: f64,
        q: &[f64],
        v: &[f64],
        out: &mut Vec<f64>,
        memory: &mut FormulaMemory,
    ) -> Result<(), Undefined> {
        let _ = (t, q, v, out, memory);
        Ok(())
    }

    /// How many kinks there are: of `abs`, `min` and `max` in formulas.
    fn kinks(&self) -> usize {
        0
    }

    /// Puts at the end of `out` what changes its sign where a motion crosses each of them.
    fn sides(
        &self,
        t: f64,
        q: &[f64],
        v: &[f64],
        out: &mut Vec<f64>,
        memory: &mut FormulaMemory,
    ) -> Result<(), Undefined> {
        let _ = (t, q, v, out, memory);
        Ok(())
    }

    /// Whether anything depends on time explicitly.
    fn knows_time(&self) -> bool {
        true
    }

    /// The formulas it is made of, where it is made of formulas alone: these can be evaluated for several states at once.
    fn formulas(&self) -> Option<&FormulaMechanics> {
        None
    }

    /// The expressions that [`Undefined`] numbers.
    fn expressions(&self) -> Vec<SubExpression> {
        Vec::new()
    }
}

/// What changes the energy `E = v·∂L/∂v − L`:
///
/// ```text
/// dE/dt = Σ fₐ q̇ᵃ − ∂L/∂t + Σ λₖ ∂gₖ/∂t
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PowerSources {
    /// Coordinates that forces act on.
    pub forces: Vec<usize>,
    /// Whether the Lagrangian depends on time.
    pub time: bool,
    /// Constraints that depend on time.
    pub constraints: Vec<usize>,
}

impl PowerSources {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.forces.len() + usize::from(self.time) + self.constraints.len()
    }

    /// Whether energy is conserved.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds `weight` times the power of the forces and of time, where coordinates change at the rates dq.
    pub(crate) fn add(&self, at: &Evaluation, dq: &[f64], weight: f64, out: &mut [f64]) {
        for (out, a) in out.iter_mut().zip(&self.forces) {
            *out += weight * (at.force.value[*a] * dq[*a]);
        }
        if self.time {
            out[self.forces.len()] -= weight * at.lagrangian.t;
        }
    }

    /// Adds `Σ λₖ ∂gₖ/∂t`, of multipliers or impulses.
    pub(crate) fn add_constraints(&self, lambda: &[f64], rates: &[f64], out: &mut [f64]) {
        let first = self.len() - self.constraints.len();
        for (out, k) in out[first..].iter_mut().zip(&self.constraints) {
            *out += lambda[*k] * rates[*k];
        }
    }
}

/// A Lagrangian and its derivatives at one point; in a frame v are the quasi-velocities ξ.
#[derive(Clone, Debug, Default)]
pub struct Derivatives {
    /// L, J.
    pub value: f64,
    /// `∂L/∂qₐ`.
    pub q: Vec<f64>,
    /// `∂L/∂vᵢ`, the momenta.
    pub v: Vec<f64>,
    /// `∂²L/∂vᵢ∂vⱼ`, the mass matrix.
    pub vv: Vec<f64>,
    /// `∂²L/∂vᵢ∂qₐ`.
    pub vq: Vec<f64>,
    /// `∂²L/∂qₐ∂q_b`.
    pub qq: Vec<f64>,
    /// `∂²L/∂vᵢ∂t`.
    pub vt: Vec<f64>,
    /// `∂L/∂t`, where time is among the [`PowerSources`].
    pub t: f64,
    /// Of formulas.
    pub memory: FormulaMemory,
}

impl Derivatives {
    /// Makes room for n coordinates and k velocities, all zero.
    pub fn resize(&mut self, n: usize, k: usize) {
        (self.value, self.t) = (0.0, 0.0);
        zero(&mut self.q, n);
        zero(&mut self.v, k);
        zero(&mut self.vv, k * k);
        zero(&mut self.vq, k * n);
        zero(&mut self.qq, n * n);
        zero(&mut self.vt, k);
    }
}

/// Forces on the coordinates and their derivatives at one point.
#[derive(Clone, Debug, Default)]
pub struct GeneralizedForce {
    /// `fₐ`.
    pub value: Vec<f64>,
    /// `∂fₐ/∂q_b`.
    pub q: Vec<f64>,
    /// `∂fₐ/∂vᵢ`.
    pub v: Vec<f64>,
    /// Of formulas.
    pub memory: FormulaMemory,
}

impl GeneralizedForce {
    /// Makes room for n coordinates and k velocities, all zero.
    pub fn resize(&mut self, n: usize, k: usize) {
        zero(&mut self.value, n);
        zero(&mut self.q, n * n);
        zero(&mut self.v, n * k);
    }
}

/// Constraints and their derivatives at one point.
#[derive(Clone, Debug, Default)]
pub struct HolonomicConstraint {
    /// `gₖ`.
    pub value: Vec<f64>,
    /// `∂gₖ/∂qₐ`.
    pub jacobian: Vec<f64>,
    /// `∂gₖ/∂t`.
    pub rate: Vec<f64>,
    /// `d²gₖ/dt²` where v, in a frame the quasi-velocities, does not change.
    pub curvature: Vec<f64>,
    /// Of formulas.
    pub memory: FormulaMemory,
}

impl HolonomicConstraint {
    /// Makes room for m constraints on n coordinates, all zero.
    pub fn resize(&mut self, m: usize, n: usize) {
        for list in [&mut self.value, &mut self.rate, &mut self.curvature] {
            zero(list, m);
        }
        zero(&mut self.jacobian, m * n);
    }
}

/// The fields of a frame and their derivatives at one point.
#[derive(Clone, Debug, Default)]
pub struct FrameFields {
    /// `uᵢᵃ` in place i·n + a.
    pub fields: Vec<f64>,
    /// `∂uᵢᵃ/∂qᵇ` in place (i·n + a)·n + b.
    pub slopes: Vec<f64>,
    /// Of formulas.
    pub memory: FormulaMemory,
}

impl FrameFields {
    /// Makes room for k fields on n coordinates, all zero.
    pub fn resize(&mut self, n: usize, k: usize) {
        zero(&mut self.fields, k * n);
        zero(&mut self.slopes, k * n * n);
    }

    /// The fields of n coordinates themselves.
    pub fn coordinate(&mut self, n: usize) {
        self.resize(n, n);
        (0..n).for_each(|i| self.fields[i * n + i] = 1.0);
    }

    /// `ξⁱ uᵢ`.
    pub fn velocity(&self, xi: &[f64], out: &mut [f64]) {
        let n = out.len();
        out.fill(0.0);
        for (field, xi) in self.fields.chunks_exact(n).zip(xi) {
            for (out, u) in out.iter_mut().zip(field) {
                *out += xi * u;
            }
        }
    }
}

fn zero(list: &mut Vec<f64>, length: usize) {
    list.clear();
    list.resize(length, 0.0);
}

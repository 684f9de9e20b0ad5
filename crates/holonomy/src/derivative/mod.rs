//! Derivatives of steps: how a change of the state, or of the equations, goes on, and the transpose of that.
//!
//! ```text
//! a step        F(z, u; θ) = 0   for its unknowns u,      z⁺ = E(z, u; θ)
//! push          δu = −F_u⁻¹ (F_z δz + δF),                δz⁺ = E_z δz + E_u δu + δE
//! pull          μ = −F_u⁻ᵀ E_uᵀ z̄⁺,     z̄ = E_zᵀ z̄⁺ + F_zᵀ μ,      F̄ = μ,  Ē = z̄⁺
//! ```
//! δz = (x, y) in the canonical coordinates of [`System::canonical`](crate::system::System::canonical) about the state
//! that is changed: there the symplectic form is `x·y' − x'·y`, and the transpose is that of a matrix. One factorisation
//! of F_u at the solution serves both. What depends on a parameter θ enters as δF and δE, differences of the equations at
//! a solution that is known: [`Differentiable::equations`].
//!
//! Under constraints a change is one of states that keep them: x is tangent, and y is that of a momentum that leads along
//! them. A gradient is one of such changes: what it has across them means nothing.
#[cfg(not(target_arch = "wasm32"))]
mod certificate;
mod differences;
#[cfg(not(target_arch = "wasm32"))]
mod eigen;
#[cfg(not(target_arch = "wasm32"))]
mod flow;
#[cfg(not(target_arch = "wasm32"))]
mod reduced;
#[cfg(not(target_arch = "wasm32"))]
mod parameters;
#[cfg(not(target_arch = "wasm32"))]
mod spectrum;
#[cfg(not(target_arch = "wasm32"))]
mod tape;

#[cfg(not(target_arch = "wasm32"))]
pub use certificate::{
    GradientCertificate, MEANINGLESS, PulledMomentum, certify, certify_gradient, gradient, momentum_gradient,
};
pub use differences::{Differences, Momenta, OFFSET, along, slope, slope_aside};
#[cfg(not(target_arch = "wasm32"))]
pub use eigen::{Mode, modes};
#[cfg(not(target_arch = "wasm32"))]
pub use flow::{Flow, Lost};
#[cfg(not(target_arch = "wasm32"))]
pub use parameters::{OfParameters, ParameterError, Parameters, Variant, WithParameters};
#[cfg(not(target_arch = "wasm32"))]
pub use reduced::{Minimal, Unreduced, least, least_within, singular};
#[cfg(not(target_arch = "wasm32"))]
pub use spectrum::{Spectrum, SpectrumRun, Tangent, spectrum};
#[cfg(not(target_arch = "wasm32"))]
pub use tape::{Along, Efforts, Step, Tape, TapeFault};

use crate::{
    integrator::{Fault, Integrator},
    system::State,
};

/// A change of a state, or the gradient of a number with respect to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// Of the configuration, in canonical coordinates.
    pub x: Vec<f64>,
    /// Of the momentum, in canonical coordinates.
    pub y: Vec<f64>,
    /// Of the multipliers that the step reports. No step depends on those of the one before it: what a change has here
    /// before it is pushed does not matter, and a gradient that was pulled has zeros. Empty after it where the step
    /// reports none, or none of its own: where all forces act at its start, they are those of the step before, too.
    pub lambda: Vec<f64>,
    /// Of the equations of the step and of what it makes of their solution, as [`Differentiable::equations`] lists them.
    /// Empty is zero.
    pub equations: Vec<f64>,
}

/// A method whose steps have exact derivatives.
pub trait Differentiable: Integrator {
    /// The same method with work space of its own: it can be linearised elsewhere.
    fn another(&mut self) -> Box<dyn Differentiable>;

    /// The unknowns of the step that [`Integrator::attempt`] has just taken, of all its substeps.
    fn solution(&self, out: &mut Vec<f64>);

    /// Goes back to a step from `before` whose unknowns are known, and factorises its equations there. Nothing is solved,
    /// nothing is carried.
    fn linearise(&mut self, before: &State, h: f64, solution: &[f64]) -> Result<(), Fault>;

    /// A change before the step becomes that after it, to first order. Its equations stay what they are.
    fn push(&mut self, change: &mut Change);

    /// A gradient with respect to the state after the step becomes that with respect to the one before it, and with respect
    /// to the equations, which it had none before: the transpose of [`Differentiable::push`].
    fn pull(&mut self, gradient: &mut Change);

    /// The same for many changes.
    fn push_each(&mut self, changes: &mut [Change]) {
        for change in changes {
            self.push(change);
        }
    }

    /// The same for many gradients.
    fn pull_each(&mut self, gradients: &mut [Change]) {
        for gradient in gradients {
            self.pull(gradient);
        }
    }

    /// The values of the equations at given unknowns: zero but for rounding if these solve the step, and not if the step is
    /// that of another mechanism; then what is made of the unknowns, the state after the step.
    fn equations(
        &mut self,
        before: &State,
        h: f64,
        solution: &[f64],
        out: &mut Vec<f64>,
    ) -> Result<(), Fault>;
}

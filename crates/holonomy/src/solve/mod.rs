//! Solvers shared by systems and integrators.
mod dense;
mod lu;
mod newton;
mod stopping;
#[cfg(not(target_arch = "wasm32"))]
mod together;

pub(crate) use dense::SingularValues;
pub use dense::product;
pub use lu::Lu;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use newton::MAX_ITERATIONS;
pub use newton::Newton;
pub use stopping::{Corrections, QUADRATIC, Stop, Unsolved};
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use together::{CorrectionsTogether, solve_together};

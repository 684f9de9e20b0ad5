//! Solvers shared by systems and integrators.
mod lu;
mod newton;

pub use lu::Lu;
pub use newton::Newton;

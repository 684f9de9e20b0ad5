//! Solvers shared by systems and integrators.
mod lu;

pub use lu::Lu;

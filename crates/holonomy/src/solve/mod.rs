//! Solvers shared by systems and integrators.
mod dense;
mod lu;
mod newton;
mod stopping;

pub(crate) use dense::SingularValues;
pub use dense::product;
pub use lu::Lu;
pub use newton::Newton;
pub use stopping::{Corrections, QUADRATIC, Stop, Unsolved};

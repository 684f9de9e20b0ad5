//! Optimal control of a model.
mod boxed;
pub mod horizon;

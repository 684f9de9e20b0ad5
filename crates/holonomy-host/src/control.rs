//! Optimal control: the inputs that bring about what a model asks for, and the feedback that holds it to a motion.
pub(crate) mod boxed;
mod fed;
pub mod horizon;
mod task;
mod written;

pub use fed::Fed;
pub use task::{ControlError, hold, seek};
pub use written::with_inputs;
pub(crate) use written::{units, without_own};

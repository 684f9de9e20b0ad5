//! Optimal control: the inputs that bring about what a model asks for, and the feedback that holds it to a motion.
pub(crate) mod boxed;
pub mod horizon;
mod task;
mod written;

pub use task::{ControlError, hold, seek};
pub use written::with_efforts;

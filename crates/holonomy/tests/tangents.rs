#![allow(dead_code, clippy::unwrap_used, clippy::print_stdout)]
#[path = "it/common.rs"]
mod common;
#[path = "it/step_derivatives.rs"]
mod step_derivatives;
#[path = "it/tapes.rs"]
mod tapes;

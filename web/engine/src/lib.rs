//! The engine as a page loads it: a [`Session`] holds a model and runs of it, side by side on one clock.
//!
//! ```text
//! page ── text, settings ──► load ──► open ──► advance, seek, swarm ──► frames: points, q, v, energy, rows for plots
//!                                                └──► certificate, hash, describe
//! ```
//! Everything is plain Rust that runs natively too; [`exports`] is the thin layer of C around it that WebAssembly has,
//! and `web/src/engine/worker.ts` what calls it. Rare calls are JSON, frames are arrays of numbers in buffers that are
//! filled again and again. Nothing here reads a clock: the caller decides how long a slice of work may take.
#![deny(clippy::disallowed_types)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod bits;
pub mod calls;
mod drag;
pub mod exports;
mod keyframes;
mod knobs;
mod live;
mod loading;
mod places;
mod pull;
mod run;
mod session;
mod settings;
mod swarm;
mod words;

pub use drag::Dragging;
pub use knobs::Slider;
pub use loading::{LagrangianParts, Loaded, from_lagrangian, scenarios};
pub use places::Problem;
pub use run::{RunSpec, Sizes};
pub use session::{Described, Opened, Session};
pub use settings::Setting;
pub use swarm::SwarmSizes;

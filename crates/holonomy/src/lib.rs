//! Structure-preserving simulation of mechanical systems.
//!
//! A [`system::System`] says what moves, a [`system::State`] where it is, an
//! [`integrator::Integrator`] maps a state over one step, and a
//! [`simulation::Simulation`] runs it and shows samples to observers. The modules
//! below stand in reading order.
//!
//! The engine does no input or output and reads no clock, environment or random source.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod threads;
pub mod simd;
pub mod geometry;
pub mod formula;
pub mod system;
pub mod potential;
pub mod spheres;
pub mod lagrangian;
pub mod hamel;
pub mod tree;
pub mod solve;
pub mod integrator;
pub mod simulation;
pub mod diagnostics;
pub mod exact;
pub mod model;

/// A vector of R³.
pub type Vec3 = nalgebra::Vector3<f64>;

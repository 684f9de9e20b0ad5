//! Structure-preserving simulation of mechanical systems.
//!
//! ```
//! use holonomy::{
//!     Vec3,
//!     diagnostics::Record,
//!     integrator::catalog,
//!     simulation::{Schedule, Simulation},
//!     spheres::{Body, Spheres, SpheresParts},
//!     system::Mechanism,
//! };
//!
//! // A double spherical pendulum: what moves, and where it is.
//! let pendulum = Spheres::new(SpheresParts {
//!     gravity: Vec3::new(0.0, 0.0, -9.81),
//!     ..SpheresParts::chain([Body::point("upper", 1.0, 1.0), Body::point("lower", 1.0, 1.0)])
//! })?;
//! let state = pendulum.state(&[Vec3::x(), -Vec3::z()], &[Vec3::zeros(), Vec3::x()])?;
//!
//! // How it is stepped.
//! let mechanism = Mechanism::from(pendulum);
//! let method = catalog::find("sphere-implicit")?.build(&mechanism)?;
//! let mut simulation = Simulation::new(mechanism.system(), method, state, 0.005);
//!
//! // How far it goes, and who is watching.
//! let mut record = Record::default();
//! let schedule = Schedule { step: 0.005, steps: 10_000, every: 10 };
//! simulation.run(&schedule, &mut [&mut record])?;
//!
//! // After 10 000 steps the energy is off by no more than after a few, and the vertical angular momentum is what it was.
//! assert!(record.energy.max_error < 0.05);
//! assert!(record.momenta.iter().all(|(_, change)| *change < 1e-10));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! A [`system::System`] says what moves, a [`system::State`] where it is, an
//! [`integrator::Integrator`] maps a state over one step, and a
//! [`simulation::Simulation`] runs it and shows samples to observers. The modules
//! below stand in reading order. Systems come in three families: [`spheres`], bodies that are directions; [`tree`],
//! jointed rigid bodies; [`lagrangian`], anything that has a Lagrangian, with nonholonomic constraints too.
//!
//! The engine does no input or output and reads no clock, environment or random source.
#![deny(clippy::disallowed_types)]
// Unit tests may check against the functions of the platform.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod decimal;
mod threads;
pub mod math;
pub mod order;
pub mod simd;
pub mod geometry;
pub mod formula;
pub mod scene;
pub mod system;
pub mod output;
pub mod potential;
pub mod spheres;
pub mod lagrangian;
pub mod tree;
pub mod solve;
pub mod integrator;
pub mod derivative;
pub mod simulation;
pub mod diagnostics;
pub mod exact;

pub use decimal::decimal;

/// A vector of R³.
pub type Vec3 = nalgebra::Vector3<f64>;

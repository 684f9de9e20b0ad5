//! Motions known in closed form: truth to measure integrators against.
//!
//! Pendula, in the plane and on the sphere, and free rigid bodies, from any start to any time, by Jacobi's
//! functions and elliptic integrals. Nothing is integrated step by step: the error at time `t` is a rounding of
//! `t`, whatever the number of periods.
pub mod carlson;
pub mod elliptic;
mod free_body;
mod plane_pendulum;
mod spherical_pendulum;
mod horizontal;
mod solution;

pub use free_body::{FreeBody, FreeMotion};
pub use plane_pendulum::{PlaneMotion, PlanePendulum};
pub use solution::{Solution, solution};
pub use spherical_pendulum::{SphericalMotion, SphericalPendulum};

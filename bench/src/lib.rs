//! The work that `cargo xtask bench` measures, as it is done here.
//!
//! - [`kernel`]: straight-line programs, the least that a step can cost,
//! - [`work`]: one piece of work by name, ours through the public API or a kernel, stepped on request,
//! - [`derivatives`]: steps linearised, and gradients of runs,
//! - [`precision`]: one long run of one method, its cost and its energy error,
//! - [`scaling`]: the cost of a step against the number of links.
//!
//! The program `holonomy-bench` serves them over pipes, so that peers in Python are asked in the same way; see
//! `bench/peers/peer.py`.
pub mod derivatives;
pub mod ensemble;
pub mod kernel;
pub mod precision;
pub mod scaling;
pub mod work;

use rustix::time::{ClockId, clock_gettime};

/// Processor time of this process so far, all threads together, ns.
pub fn cpu_ns() -> u64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

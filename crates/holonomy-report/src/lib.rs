//! What is said of a run: summary, certificate, curves, figures and pages, as data and as text.
//!
//! Pure: no clock, file, thread or terminal, so that the browser shows what the command writes.
#![deny(clippy::disallowed_types)]
// Unit tests may check against the functions of the platform.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod base64;
pub mod certificate;
pub mod compare;
#[cfg(not(target_arch = "wasm32"))]
pub mod control;
pub mod converge;
pub mod figure;
pub mod figures;
pub mod film;
#[cfg(not(target_arch = "wasm32"))]
pub mod fit;
#[cfg(not(target_arch = "wasm32"))]
pub mod gradient;
#[cfg(not(target_arch = "wasm32"))]
pub mod inverse;
#[cfg(not(target_arch = "wasm32"))]
pub mod linearize;
pub mod number;
#[cfg(not(target_arch = "wasm32"))]
pub mod orbit;
pub mod outputs;
pub mod page;
pub mod precision;
pub mod report;
pub mod run;
pub mod series;
pub mod summary;
pub mod sweep;
pub mod verdict;
pub mod warmth;
pub mod warning;

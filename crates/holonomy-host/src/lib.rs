//! Files, figures and runs for holonomy.

pub mod figure;

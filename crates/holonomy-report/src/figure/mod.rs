//! Scientific figures as SVG text: plain data in, a `String` out, no files touched.
//!
//! - [`Chart`]: curves and points over linear or logarithmic axes,
//! - [`Panels`]: charts stacked over a common horizontal axis,
//! - [`Grid`]: charts beside each other, each with its own axes,
//! - [`HeatMap`]: a number over two axes of a grid, as colours,
//! - [`Globes`]: values on the faces of a sphere at several moments,
//! - [`Space`]: paths in three dimensions, with the unit sphere and the mechanism itself.
//!
//! The same data always give the same text. Long series are thinned to what can be seen, so a file stays
//! small however long the run was. Curves differ in colour (Okabe–Ito), in dash and in marker, and are told
//! apart without colour vision.

mod axis;
mod chart;
mod curve;
mod frame;
mod ghosts;
mod globe;
mod grid;
mod guide;
mod labels;
mod legend;
mod map;
mod obstacles;
mod panels;
mod plot;
mod space;
mod sphere;
mod style;
mod svg;
mod text;
mod thin;
mod ticks;
mod trace;
mod tripod;
mod view;
#[cfg(test)]
pub(crate) mod well_formed;

pub use axis::{Axis, Scale};
pub use chart::{Chart, Curve, CurveStyle};
pub use ghosts::Ghost;
pub use globe::Globes;
pub use grid::Grid;
pub use guide::Guide;
pub use map::HeatMap;
pub(crate) use map::is_even;
pub use panels::Panels;
pub use space::{Path, Space};
pub use view::View;

//! Spheres: the manifold S² and meshes on it.
mod icosphere;
pub mod s2;

pub use icosphere::Icosphere;

use super::System;
use crate::{lagrangian::Lagrangian, spheres::Spheres, tree::Tree};
use std::sync::Arc;

/// A system of one of the families, for what depends on which: building a method, knowing the motion in closed form.
#[derive(Clone)]
pub enum Mechanism {
    /// Systems on (S²)ⁿ.
    Spheres(Arc<Spheres>),
    /// Systems in generalized coordinates, given by a Lagrangian, their velocities those of a frame or not.
    Lagrangian(Arc<Lagrangian>),
    /// Trees of rigid bodies.
    Tree(Arc<Tree>),
}

impl Mechanism {
    /// What all families have in common.
    pub fn system(&self) -> Arc<dyn System> {
        match self {
            Self::Spheres(spheres) => spheres.clone(),
            Self::Lagrangian(lagrangian) => lagrangian.clone(),
            Self::Tree(tree) => tree.clone(),
        }
    }

    /// Its family.
    pub fn family(&self) -> Family {
        match self {
            Self::Spheres(_) => Family::Spheres,
            Self::Lagrangian(lagrangian) if lagrangian.is_framed() => Family::Framed,
            Self::Lagrangian(_) => Family::Lagrangian,
            Self::Tree(_) => Family::Tree,
        }
    }
}

impl From<Spheres> for Mechanism {
    fn from(spheres: Spheres) -> Self {
        Self::Spheres(Arc::new(spheres))
    }
}

impl From<Lagrangian> for Mechanism {
    fn from(lagrangian: Lagrangian) -> Self {
        Self::Lagrangian(Arc::new(lagrangian))
    }
}

impl From<Tree> for Mechanism {
    fn from(tree: Tree) -> Self {
        Self::Tree(Arc::new(tree))
    }
}

/// A family of systems, before there is one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// On (S²)ⁿ.
    Spheres,
    /// In generalized coordinates and their velocities.
    Lagrangian,
    /// In generalized coordinates and the quasi-velocities of a frame.
    Framed,
    /// Trees of rigid bodies.
    Tree,
}

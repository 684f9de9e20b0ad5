//! What `<compiler>` does to inertias: least values, balance, the mass of all; and which of them no body has.
use super::world::World;
use holonomy::geometry::{RigidInertia, RigidInertiaError};
use nalgebra::{Matrix3, SymmetricEigen};

pub(super) fn settle(world: &mut World<'_>) {
    let masses = &world.globals.masses;
    for body in &mut world.bodies {
        body.inertia.mass = body.inertia.mass.max(masses.least[0]);
        bound(&mut body.inertia, masses.least[1], masses.balance);
    }
    if let Some(total) = masses.total {
        let sum: f64 = world.bodies.iter().map(|body| body.inertia.mass).sum();
        if sum > 0.0 {
            for body in &mut world.bodies {
                body.inertia.mass *= total / sum;
                body.inertia.moment *= total / sum;
            }
        }
    }
    for k in 0..world.bodies.len() {
        let Err(error) = world.bodies[k].inertia.check() else {
            continue;
        };
        if !matches!(
            error,
            RigidInertiaError::Negative(_) | RigidInertiaError::Triangle(..)
        ) {
            continue;
        }
        world.bodies[k].impossible = true;
        let (id, name) = (world.bodies[k].id, world.bodies[k].written.clone());
        world.remark(
            id,
            &name,
            "inertia",
            &error.to_string(),
            "no body has it; taken as given",
        );
    }
}

/// Principal moments are not below the least; where one exceeds the sum of the others, all become their mean.
fn bound(inertia: &mut RigidInertia, least: f64, balance: bool) {
    if (least <= 0.0 && !balance) || inertia.moment.iter().any(|x| !x.is_finite()) {
        return;
    }
    let SymmetricEigen {
        eigenvectors: axes,
        eigenvalues: mut moments,
    } = SymmetricEigen::new(inertia.moment);
    let largest = moments.max();
    let small = moments.iter().any(|moment| *moment < least);
    let slim = balance && 2.0 * largest > moments.sum();
    if !small && !slim {
        return;
    }
    moments.apply(|moment| *moment = moment.max(least));
    if balance && 2.0 * moments.max() > moments.sum() {
        let mean = moments.sum() / 3.0;
        moments.fill(mean);
    }
    inertia.moment = axes * Matrix3::from_diagonal(&moments) * axes.transpose();
}

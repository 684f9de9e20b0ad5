//! A four-bar linkage: three bodies in a row, and the last held at the wall by a constraint.
#![allow(clippy::print_stdout)]
use holonomy::{
    Vec3,
    geometry::RigidInertia,
    integrator::catalog,
    simulation::Simulation,
    system::{Measurement, Mechanism},
    tree::{Constraint, Joint, RigidBody, Site, Tree, TreeParts, assemble},
};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let bar = |name, length: f64| {
        let hinge = Joint::Revolute { axis: Vec3::z() };
        RigidBody::new(
            name,
            hinge,
            RigidInertia::rod(length, Vec3::zeros(), Vec3::x() * length),
        )
    };
    // The end of the rocker is at the wall, in the plane: the hinges see to the rest.
    let (between, directions) = ([0, 1], vec![Vec3::x(), Vec3::y()]);
    let tree = Tree::new(TreeParts {
        bodies: vec![
            bar("crank", 0.4),
            bar("coupler", 1.2).on(0).at(Vec3::x() * 0.4),
            bar("rocker", 0.9).on(1).at(Vec3::x() * 1.2),
        ],
        sites: vec![
            Site::on(2, "end", Vec3::x() * 0.9),
            Site::fixed("wall", Vec3::x()),
        ],
        constraints: vec![(
            "closure".to_owned(),
            Constraint::Coincidence { between, directions },
        )],
        ..TreeParts::default()
    })?;
    // The crank as it is; coupler and rocker go where they must.
    let fit = assemble(&tree, &[1.0, -0.5, -1.5], &[6.0, 0.0, 0.0], &[true, false, false]);
    let state = tree.state(0.0, &fit.q, &fit.v)?;
    let mechanism = Mechanism::from(tree);
    let method = catalog::find("tree-variational")?.build(&mechanism)?;
    let mut simulation = Simulation::new(mechanism.system(), method, state, 0.002);
    let (system, mut measured) = (mechanism.system(), Measurement::default());
    println!("   t, s     crank    rocker    energy, J    violation     force at the wall, N");
    for _ in 0..10 {
        simulation.advance(100)?;
        let state = &simulation.state;
        system.measure(state, &mut measured, &mut system.scratch());
        let (t, crank, rocker) = (state.t, state.q[0], state.q.iter().sum::<f64>());
        let (energy, violation) = (measured.energy.total(), measured.constraint.unwrap_or(0.0));
        let [x, y] = [measured.multipliers[0], measured.multipliers[1]];
        println!(
            "{t:>7.1} {crank:>9.3} {rocker:>9.3} {energy:>12.7} {violation:>12.1e} ({x:>10.4}, {y:>10.4})"
        );
    }
    Ok(())
}

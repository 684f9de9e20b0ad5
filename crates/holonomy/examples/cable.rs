//! Atwood's machine: two masses on a cable over two pulleys. Its tension is in every textbook.
//!
//! Run it with `cargo run --release --package holonomy --example cable`.
#![allow(clippy::print_stdout)]
use holonomy::{
    Vec3,
    geometry::RigidInertia,
    integrator::catalog,
    simulation::Simulation,
    system::{Measurement, Mechanism},
    tree::{Constraint, Joint, Length, RigidBody, Site, Tree, TreeParts},
};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let (light, heavy, g) = (1.0, 1.5, 9.81);
    let mass = |name, mass: f64, x: f64| {
        let up = Joint::Prismatic { axis: Vec3::z() };
        RigidBody::new(name, up, RigidInertia::point(mass, Vec3::zeros())).at(Vec3::new(x, 0.0, -1.0))
    };
    let (through, length) = (vec![0, 1, 2, 3], Length::Fixed(2.4));
    let tree = Tree::new(TreeParts {
        bodies: vec![mass("light", light, -0.2), mass("heavy", heavy, 0.2)],
        sites: vec![
            Site::on(0, "hook", Vec3::zeros()),
            Site::fixed("left pulley", Vec3::x() * -0.2),
            Site::fixed("right pulley", Vec3::x() * 0.2),
            Site::on(1, "hook", Vec3::zeros()),
        ],
        gravity: Vec3::new(0.0, 0.0, -g),
        constraints: vec![("cable".to_owned(), Constraint::Cable { through, length })],
        ..TreeParts::default()
    })?;
    let state = tree.state(0.0, &[0.0, 0.0], &[0.0, 0.0])?;
    let mechanism = Mechanism::from(tree);
    let method = catalog::find("tree-variational")?.build(&mechanism)?;
    let mut simulation = Simulation::new(mechanism.system(), method, state, 0.001);
    simulation.advance(500)?;

    let (system, mut measured) = (mechanism.system(), Measurement::default());
    system.measure(&simulation.state, &mut measured, &mut system.scratch());
    let acceleration = g * (heavy - light) / (heavy + light);
    let tension = 2.0 * g * heavy * light / (heavy + light);
    let (state, tension_now) = (&simulation.state, measured.multipliers[0]);
    println!(
        "after {} s             simulated          in closed form",
        state.t
    );
    println!(
        "light mass is up    {:>12.9} m {:>18.9} m",
        state.q[0],
        0.125 * acceleration
    );
    println!("tension             {tension_now:>12.9} N {tension:>18.9} N");
    Ok(())
}

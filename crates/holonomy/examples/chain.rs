//! A chain of a hundred links, let go: each step costs as much per link as for two.
//!
//! Run it with `cargo run --release --package holonomy --example chain`.
#![allow(clippy::print_stdout)]
use holonomy::{
    Vec3,
    integrator::catalog,
    simulation::Simulation,
    spheres::{Body, Spheres, SpheresParts},
    system::{Mechanism, System},
};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let links = 100;
    // Said once: names, masses, lengths, and that each hangs on the one before.
    let chain = Spheres::new(SpheresParts {
        gravity: Vec3::new(0.0, 0.0, -9.81),
        ..SpheresParts::chain((1..=links).map(|i| Body::point(format!("link-{i}"), 0.01, 0.01)))
    })?;
    // Straight out, a little bent sideways.
    let direction = |i: usize| Vec3::new(1.0, 0.002 * i as f64, 0.0).normalize();
    let directions: Vec<Vec3> = (0..links).map(direction).collect();
    let state = chain.state(&directions, &vec![Vec3::zeros(); links])?;
    let energy = chain.energy(&state).total();

    let mechanism = Mechanism::from(chain);
    let method = catalog::find("sphere-implicit")?.build(&mechanism)?;
    let mut simulation = Simulation::new(mechanism.system(), method, state, 0.001);
    let mut tips = vec![Vec3::zeros(); links];
    for _ in 0..10 {
        let work = simulation.advance(100)?;
        let state = &simulation.state;
        simulation.system().sites(state.t, &state.q, &mut tips);
        let (x, y, z) = (tips[links - 1].x, tips[links - 1].y, tips[links - 1].z);
        let change = simulation.system().energy(state).total() - energy;
        println!(
            "t = {:.1} s   end at ({x:>6.3}, {y:>6.3}, {z:>6.3}) m   energy off by {change:>9.1e} J   {:.1} iterations a step",
            state.t,
            work.iterations as f64 / work.steps as f64
        );
    }
    Ok(())
}

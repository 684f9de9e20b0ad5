//! A spherical pendulum for twenty minutes: what a method conserves decides whether it can be believed.
//!
//! Run it with `cargo run --release --package holonomy --example pendulum`.
#![allow(clippy::print_stdout)]
use holonomy::{
    Vec3,
    diagnostics::Record,
    integrator::catalog,
    simulation::{Schedule, Simulation},
    spheres::{Body, Spheres, SpheresParts},
    system::Mechanism,
};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    // 1 kg at the end of a massless rod of 1 m; it starts level, and moves sideways.
    let pendulum = Spheres::new(SpheresParts {
        bodies: vec![Body::point("bob", 1.0, 1.0)],
        gravity: Vec3::new(0.0, 0.0, -9.81),
        ..SpheresParts::default()
    })?;
    let start = pendulum.state(&[Vec3::x()], &[Vec3::new(0.0, 0.0, 1.5)])?;
    let mechanism = Mechanism::from(pendulum);
    let schedule = Schedule {
        step: 0.05,
        steps: 24_000,
        every: 1,
    };
    println!("{} steps of {} s", schedule.steps, schedule.step);
    println!(
        "{:<17} {:>14} {:>14} {:>14}",
        "method", "energy, J", "momentum", "length"
    );
    for name in ["sphere-explicit", "sphere-split-4", "rk4", "euler"] {
        let method = catalog::find(name)?.build(&mechanism)?;
        let mut simulation = Simulation::new(mechanism.system(), method, start.clone(), schedule.step);
        let mut record = Record::default();
        match simulation.run(&schedule, &mut [&mut record]) {
            Ok(_) => {
                let momentum = record.momenta.first().map_or(0.0, |(_, change)| *change);
                println!(
                    "{name:<17} {:>14.1e} {momentum:>14.1e} {:>14.1e}",
                    record.energy.max_error, record.manifold_max
                );
            }
            Err(error) => println!("{name:<17} {error}"),
        }
    }
    println!("Largest errors of the energy, of the angular momentum about the vertical, and of |q|².");
    Ok(())
}

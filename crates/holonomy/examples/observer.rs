//! An observer of one's own: it watches a double pendulum, counts, and stops the run when it has seen enough.
//!
//! Run it with `cargo run --release --package holonomy --example observer`.
#![allow(clippy::print_stdout)]
use holonomy::{
    Vec3,
    integrator::catalog,
    simulation::{Observer, Sample, Schedule, Simulation},
    spheres::{Body, Spheres, SpheresParts},
    system::Mechanism,
};
use std::{error::Error, ops::ControlFlow};

/// Sees the lower bob rise above the pivot.
struct Flips {
    tips: [Vec3; 2],
    seen: u32,
}

impl Observer for Flips {
    fn observe(&mut self, sample: &Sample) -> ControlFlow<()> {
        let before = self.tips[1].z;
        sample
            .system
            .sites(sample.state.t, &sample.state.q, &mut self.tips);
        let [x, y, z]: [f64; 3] = self.tips[1].into();
        if before < 0.0 && z >= 0.0 {
            self.seen += 1;
            let (t, energy) = (sample.state.t, sample.measured.energy.total());
            println!("t = {t:>6.2} s: up at ({x:>6.3}, {y:>6.3}, {z:>6.3}) m, energy {energy:.6} J");
        }
        match self.seen {
            10 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let pendulum = Spheres::new(SpheresParts {
        gravity: Vec3::new(0.0, 0.0, -9.81),
        ..SpheresParts::chain([Body::point("upper", 1.0, 1.0), Body::point("lower", 1.0, 1.0)])
    })?;
    let start = pendulum.state(&[Vec3::x(), Vec3::z()], &[Vec3::zeros(), Vec3::x() * 0.1])?;
    let mechanism = Mechanism::from(pendulum);
    let method = catalog::find("sphere-implicit-4")?.build(&mechanism)?;
    let mut simulation = Simulation::new(mechanism.system(), method, start, 0.005);
    let tips = [Vec3::zeros(); 2];
    let mut flips = Flips { tips, seen: 0 };
    let (step, steps, every) = (0.005, 1_000_000, 1);
    let report = simulation.run(&Schedule { step, steps, every }, &mut [&mut flips])?;
    println!(
        "{} flips in {} steps; stopped: {}",
        flips.seen, report.work.steps, report.stopped
    );
    Ok(())
}

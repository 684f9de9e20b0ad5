//! The double spherical pendulum without a model file: put a system together, choose a method, watch it run.
//!
//! Run it with `cargo run --release --package holonomy --example double_pendulum`.
use holonomy::{
    Vec3,
    diagnostics::Record,
    integrator::catalog::{self, Mechanism, Options},
    potential::Gravity,
    simulation::{Observer, Sample, Schedule, Simulation},
    spheres::{Body, Inertia, Link, Links, Spheres},
    system::Base,
};
use std::{error::Error, io::Write, ops::ControlFlow, sync::Arc};

/// Prints where the lower bob is, once in a while.
struct Watch<W> {
    out: W,
    every: u64,
}

impl<W: Write> Observer for Watch<W> {
    fn observe(&mut self, sample: &Sample) -> ControlFlow<()> {
        if !sample.step.is_multiple_of(self.every) {
            return ControlFlow::Continue(());
        }
        let mut tips = [Vec3::zeros(); 2];
        sample.system.sites(&sample.state.q, &mut tips);
        let [_, lower] = tips;
        let energy = sample.measured.energy.total();
        let line = format!(
            "{:>6.0} s  lower bob at ({:>7.3}, {:>7.3}, {:>7.3}) m  energy {energy:.6} J",
            sample.state.t, lower.x, lower.y, lower.z
        );
        // A watcher that cannot write stops the run.
        match writeln!(self.out, "{line}") {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // Two point masses of 1 kg on massless rods of 1 m, the second on the end of the first.
    let links = Links::new(vec![Link::point(None, 1.0, 1.0), Link::point(Some(0), 1.0, 1.0)]);
    let gravity = Gravity {
        acceleration: Vec3::new(0.0, 0.0, 9.81),
        weights: (0..links.len()).map(|i| links.first_moment(i)).collect(),
        offset: 0.0,
    };
    let bodies = vec![
        Body {
            name: "upper".to_owned(),
            base: Base::Fixed(Vec3::zeros()),
            length: 1.0,
        },
        Body {
            name: "lower".to_owned(),
            base: Base::Site(0),
            length: 1.0,
        },
    ];
    let spheres = Arc::new(Spheres::new(
        bodies,
        Inertia::Links(links),
        vec![],
        vec![Box::new(gravity)],
    ));
    let state = spheres.state(
        &[Vec3::new(0.6, 0.0, 0.8), Vec3::new(0.0, 0.0, 1.0)],
        &[Vec3::new(-0.8, 0.0, 0.6), Vec3::new(0.0, 1.0, 0.0)],
    );

    let mechanism = Mechanism::Spheres(spheres);
    let method = catalog::find("sphere-implicit-4").ok_or("no such method")?;
    let mut simulation = Simulation {
        system: mechanism.system(),
        integrator: (method.build)(&mechanism, &Options::default())?,
        state,
    };
    let schedule = Schedule {
        step: 0.01,
        steps: 100_000,
        every: 10,
    };
    let mut record = Record::default();
    let mut watch = Watch {
        out: std::io::stdout().lock(),
        every: 20_000,
    };
    let report = simulation.run(&schedule, &mut [&mut record, &mut watch])?;

    let out = &mut watch.out;
    let iterations = report.work.iterations as f64 / report.work.steps as f64;
    writeln!(
        out,
        "{} steps, {iterations:.1} Newton iterations each (five stages)",
        report.work.steps
    )?;
    writeln!(
        out,
        "mean |E - E0| {:.2e} J, largest {:.2e} J",
        record.energy.mean_error, record.energy.max_error
    )?;
    writeln!(out, "largest |1 - q.q| {:.1e}", record.manifold_max)?;
    for (name, (_, change)) in simulation.system.layout().invariants.iter().zip(&record.momenta) {
        writeln!(out, "{name}: changed by at most {change:.1e} kg m^2/s")?;
    }
    Ok(())
}

//! A potential of one's own, from its energy alone: two bodies on a sphere, bound like the atoms of a molecule.
//!
//! ```text
//! V = D (1 − e^{−a(r − r₀)})²,   r = |q₁ − q₂|        (Morse 1929)
//! ```
//! The gradient comes by automatic differentiation, exact to rounding. Run it with
//! `cargo run --release --package holonomy --example custom_potential`.
use holonomy::{
    Vec3,
    diagnostics::Record,
    integrator::catalog::{self, Mechanism, Options},
    potential::{Autodiff, Scalar, SmoothPotential, Symmetry},
    simulation::{Schedule, Simulation},
    spheres::{Body, Inertia, Spheres},
    system::Base,
};
use nalgebra::Vector3;
use std::{error::Error, io::Write, sync::Arc};

struct Morse {
    /// The two points it binds.
    between: [usize; 2],
    /// Depth D, J.
    depth: f64,
    /// Inverse width a, 1/m.
    width: f64,
    /// Distance r₀ at rest, m.
    rest: f64,
}

impl SmoothPotential for Morse {
    fn points(&self) -> &[usize] {
        &self.between
    }

    /// Written once for numbers and for numbers that carry a derivative.
    fn energy<S: Scalar>(&self, points: &[Vector3<S>]) -> S {
        let squares = |k: usize| (points[0][k] - points[1][k]).powi(2);
        let r = (squares(0) + squares(1) + squares(2)).sqrt();
        let well = (-(r - self.rest) * self.width).exp() * -1.0 + 1.0;
        well * well * self.depth
    }

    /// It depends on a distance only, so all three angular momenta are kept, and measured.
    fn symmetry(&self) -> Symmetry {
        Symmetry::All
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let morse = Morse {
        between: [0, 1],
        depth: 1.0,
        width: 3.0,
        rest: 0.8,
    };
    let body = |name: &str| Body {
        name: name.to_owned(),
        base: Base::Fixed(Vec3::zeros()),
        length: 1.0,
    };
    // Points 0 and 1 of the potentials are the directions of the two bodies: positions on the unit sphere.
    let spheres = Arc::new(Spheres::new(
        vec![body("light"), body("heavy")],
        Inertia::diagonal_matrix([1.0, 2.0].into_iter()),
        vec![],
        vec![Box::new(Autodiff::new(morse))],
    ));
    let state = spheres.state(
        &[Vec3::new(0.6, 0.0, 0.8), Vec3::new(0.0, 0.0, 1.0)],
        &[Vec3::new(-0.8, 0.3, 0.6), Vec3::new(0.2, 0.1, 0.0)],
    );
    let mechanism = Mechanism::Spheres(spheres);
    let schedule = Schedule {
        step: 0.02,
        steps: 100_000,
        every: 10,
    };

    let mut out = std::io::stdout().lock();
    writeln!(out, "{} steps of {} s", schedule.steps, schedule.step)?;
    writeln!(
        out,
        "{:<16} {:>12} {:>24} {:>14}",
        "method", "mean |E - E0|", "drift, J/s", "momentum"
    )?;
    for name in ["sphere-explicit", "sphere-split-4", "rk4"] {
        let method = catalog::find(name).ok_or("no such method")?;
        let mut simulation = Simulation {
            system: mechanism.system(),
            integrator: (method.build)(&mechanism, &Options::default())?,
            state: state.clone(),
        };
        let mut record = Record::default();
        simulation.run(&schedule, &mut [&mut record])?;
        let drift = record.energy.drift().ok_or("too few samples")?;
        let momentum = record
            .momenta
            .iter()
            .map(|(_, change)| *change)
            .fold(0.0, f64::max);
        writeln!(
            out,
            "{name:<16} {:>13.2e} {:>12.1e} +- {:>8.1e} {momentum:>14.1e}",
            record.energy.mean_error, drift.slope, drift.standard_error,
        )?;
        // Four standard errors: what is not there is not seen.
        let drifts = drift.slope.abs() > 4.0 * drift.standard_error;
        if drifts == method.bounded_energy {
            return Err(format!("`{name}` does not do what the catalog says: {drift:?}").into());
        }
    }
    Ok(())
}

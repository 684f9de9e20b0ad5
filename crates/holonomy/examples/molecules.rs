//! Molecules on a sphere, bound by a potential of one's own: `V = Σ D (1 − e^{−a(r − r₀)})²` (Morse 1929).
#![allow(clippy::print_stdout)]
use holonomy::{
    diagnostics::Record,
    geometry::Icosphere,
    integrator::catalog,
    potential::{Autodiff, Scalar, SmoothPotential, Symmetry},
    simulation::{Schedule, Simulation},
    spheres::{Body, Spheres, SpheresParts},
    system::Mechanism,
};
use nalgebra::{Vector3, vector};
use std::error::Error;

/// Between all pairs of these points.
struct Morse(Vec<usize>);

impl SmoothPotential for Morse {
    fn points(&self) -> &[usize] {
        &self.0
    }

    /// Written once for numbers and for numbers that carry a derivative: the gradient is exact.
    fn energy<S: Scalar>(&self, points: &[Vector3<S>]) -> S {
        let pairs = (0..points.len()).flat_map(|i| (0..i).map(move |j| points[i] - points[j]));
        pairs.fold(S::from(0.0), |sum, d| {
            let well = S::from(1.0) - ((d.dot(&d).sqrt() - 1.05) * -3.0).exp();
            sum + well * well
        })
    }

    /// All three angular momenta are conserved, and measured.
    fn symmetry(&self) -> Symmetry {
        Symmetry::All
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let places = Icosphere::new(0).vertices;
    let molecule = |i: usize| Body::point(format!("molecule-{i}"), 1.0, 1.0);
    let spheres = Spheres::new(SpheresParts {
        bodies: (1..=places.len()).map(molecule).collect(),
        potentials: vec![Box::new(Autodiff::new(Morse((0..places.len()).collect())))],
        ..SpheresParts::default()
    })?;
    let spins: Vec<_> = places.iter().map(|q| q.cross(&vector![q.y, 0.4, -q.x])).collect();
    let (start, mechanism) = (spheres.state(&places, &spins)?, Mechanism::from(spheres));
    let (step, steps, every) = (0.02, 5000, 5);
    for name in ["sphere-explicit", "sphere-split-4", "rk4"] {
        let method = catalog::find(name)?.build(&mechanism)?;
        let mut simulation = Simulation::new(mechanism.system(), method, start.clone(), step);
        let mut record = Record::default();
        simulation.run(&Schedule { step, steps, every }, &mut [&mut record])?;
        let (energy, momenta) = (record.energy.max_error, record.momenta);
        let momentum = momenta.iter().map(|(_, change)| *change).fold(0.0, f64::max);
        println!("{name:<16} energy within {energy:.1e} J, momenta within {momentum:.1e}");
    }
    Ok(())
}

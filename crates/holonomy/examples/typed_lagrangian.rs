//! A Lagrangian as text: a bead on a hoop that turns about the vertical. Derivatives are exact.
//!
//! Run it with `cargo run --release --package holonomy --example typed_lagrangian`.
#![allow(clippy::print_stdout)]
use holonomy::{
    formula::{Formula, Kind},
    integrator::catalog,
    lagrangian::{FormulaMechanics, Formulas, Lagrangian, Slots},
    simulation::Simulation,
    system::Mechanism,
};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let (slots, mut scope) = Slots::scope(&[("theta", Kind::Scalar)], &[]).map_err(|(_, error)| error)?;
    for (name, value) in [("m", 1.0), ("r", 0.5), ("g", 9.81), ("omega", 6.0)] {
        scope.parameter(name, value)?;
    }
    // θ from the lowest point; the hoop is driven, so the energy that is conserved is Jacobi's: that of this L.
    let text = "0.5*m*r^2*(theta'^2 + omega^2*sin(theta)^2) + m*g*r*cos(theta)";
    let lagrangian = Formula::parse(text, &scope).map_err(|errors| format!("{errors:?}"))?;
    let mechanics = FormulaMechanics::new(&Formulas {
        slots,
        lagrangian: &lagrangian,
        fields: &[],
        forces: &[],
        constraints: &[],
        invariants: &[],
    })?;
    let bead = Lagrangian::new(Box::new(mechanics), &["theta".to_owned()])?;
    // It is let go near the bottom, where it cannot stay: g/(r ω²) < 1.
    let start = bead.state(0.0, &[0.01], &[0.0])?;
    let mechanism = Mechanism::from(bead);
    let system = mechanism.system();
    let energy = system.energy(&start).total();
    let method = catalog::find("midpoint")?.build(&mechanism)?;
    let mut simulation = Simulation::new(system.clone(), method, start, 0.01);

    let balance = (9.81_f64 / (0.5 * 36.0)).acos();
    println!("{text}");
    println!("equilibrium at ±{balance:.4} rad");
    let (mut least, mut most) = (f64::MAX, f64::MIN);
    for _ in 0..100_000 {
        simulation.step()?;
        let theta = simulation.state.q[0];
        (least, most) = (least.min(theta), most.max(theta));
    }
    let change = system.energy(&simulation.state).total() - energy;
    println!(
        "in {:.0} s it went from {least:.4} to {most:.4} rad, about that",
        simulation.state.t
    );
    println!("energy changed by {change:.1e} J");
    Ok(())
}

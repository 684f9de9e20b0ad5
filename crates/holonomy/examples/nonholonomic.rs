//! Chaplygin's sleigh: a blade that goes along itself and not across, pushed backwards. It turns round.
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
    // The blade is at (x, y), the centre of mass a before it; velocities are those along and across it.
    let (coordinates, velocities) = (["x", "y", "theta"], ["forward", "turn", "lateral"]);
    let numbers = |names: [&'static str; 3]| names.map(|name| (name, Kind::Scalar));
    let scope = Slots::scope(&numbers(coordinates), &numbers(velocities));
    let (slots, mut scope) = scope.map_err(|(_, error)| error)?;
    scope.parameter("a", 0.3)?;
    let parse = |text: &str| Formula::parse(text, &scope).map_err(|errors| format!("{text}: {errors:?}"));
    let fields = [
        ["cos(theta)", "sin(theta)", "0"],
        ["0", "0", "1"],
        ["-sin(theta)", "cos(theta)", "0"],
    ];
    let mut parsed = Vec::new();
    for field in fields {
        parsed.push(field.into_iter().map(parse).collect::<Result<Vec<_>, _>>()?);
    }
    let mechanics = FormulaMechanics::new(&Formulas {
        slots,
        lagrangian: &parse(
            "0.5*((x' - a*theta'*sin(theta))^2 + (y' + a*theta'*cos(theta))^2 + 0.5*theta'^2)",
        )?,
        fields: &parsed,
        forces: &[],
        constraints: &[],
        invariants: &[],
    })?;
    let names = |names: [&str; 3]| names.map(str::to_owned);
    // The lateral velocity is zero: a constraint on velocities that none on coordinates could replace.
    let sleigh = Lagrangian::in_frame(Box::new(mechanics), &names(coordinates), &names(velocities), &[2])?;
    let start = sleigh.state(0.0, &[0.0, 0.0, 0.0], &[-1.0, 0.02])?;
    let mechanism = Mechanism::from(sleigh);
    let (system, method) = (mechanism.system(), catalog::find("hamel")?.build(&mechanism)?);
    let mut simulation = Simulation::new(system.clone(), method, start, 0.02);
    println!("  t, s      x, m      y, m   forward      turn    energy, J");
    let mut velocity = [0.0; 2];
    for _ in 0..12 {
        let state = &simulation.state;
        system.velocity(state.t, &state.q, &state.p, &mut velocity, &mut system.scratch());
        let energy = system.energy(state).total();
        let ([v, w], [x, y]) = (velocity, [state.q[0], state.q[1]]);
        println!(
            "{:>6.1} {x:>9.3} {y:>9.3} {v:>9.4} {w:>9.4} {energy:>12.8}",
            state.t
        );
        simulation.advance(100)?;
    }
    Ok(())
}

//! `H̃ = E + h² H₂` of Verlet's scheme in space: the methods that say so conserve it to the fourth order, and no others.
use crate::common::{method, scenario, simulation_by};
use holonomy::{
    diagnostics::second_term,
    integrator::catalog::{METHODS, Method},
    system::{Mechanism, State},
};
use holonomy_model::Model;

/// `E` and `H̃` at every `apart` steps, from the start on.
fn along(model: &Model, method: &Method, h: f64, steps: u64, apart: u64) -> Option<Vec<(f64, f64)>> {
    let Mechanism::Spheres(spheres) = &model.mechanism else {
        panic!("bodies on spheres");
    };
    let integrator = method.build(&model.mechanism).ok()?;
    let mut simulation = simulation_by(model, integrator);
    simulation.set_step(h);
    let mut found = Vec::new();
    for _ in 0..steps / apart {
        simulation.advance(apart - 4).unwrap();
        let five: [State; 5] = std::array::from_fn(|k| {
            if k > 0 {
                simulation.advance(1).unwrap();
            }
            simulation.state.clone()
        });
        let energy = simulation.system().energy(&five[2]).total();
        found.push((energy, energy + second_term(spheres, &five, h)));
    }
    Some(found)
}

fn spread(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().fold(f64::MIN, f64::max) - values.fold(f64::MAX, f64::min)
}

/// Halving the step divides the error of `H̃` by 16 for Verlet's scheme in space. For all others `h² H₂` is an error of
/// the second order put in, which falls by 4. Other terms are a few per cent at these steps; 8 is between the two.
#[test]
fn methods_conserve_it_if_and_only_if_they_say_so() {
    let mut measured = [0, 0];
    for (name, h) in [
        ("spherical-pendulum", 0.02),
        ("double-spherical-pendulum", 0.005),
        ("skipping-rope", 0.002),
    ] {
        let model = scenario(name, &[]);
        // An energy that runs away exponentially hides the power of the step.
        for method in METHODS.iter().filter(|method| method.bounded_energy) {
            let errors = [1, 2].map(|finer| {
                let found = along(&model, method, h / finer as f64, 400 * finer, 5 * finer)?;
                Some(spread(found.iter().map(|(_, modified)| *modified)))
            });
            let [Some(coarse), Some(fine)] = errors else {
                continue;
            };
            let ratio = coarse / fine;
            println!("{name:30} {:20} {ratio:6.2}", method.name);
            assert_eq!(ratio > 8.0, method.verlet, "{} on {name}: {ratio}", method.name);
            measured[usize::from(method.verlet)] += 1;
        }
    }
    assert!(measured[0] > 10 && measured[1] >= 5, "{measured:?}");
}

/// A long chain goes over to shorter waves: the mean of `E` falls, and `H̃` stays. At this step 16 links lose more than
/// 20 times the spread of `E` at the start in 100 s; of `H̃` what remains is of the fourth order.
#[test]
fn what_a_chain_seems_to_lose_is_the_second_term() {
    let model = scenario("pendulum-chain", &["chain.links=16"]);
    let found = along(&model, method("sphere-implicit"), 1e-3, 100_000, 10).unwrap();
    let mean = |part: &[(f64, f64)]| {
        let sum = part
            .iter()
            .fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        (sum.0 / part.len() as f64, sum.1 / part.len() as f64)
    };
    let tenth = found.len() / 10;
    let (first, last) = (mean(&found[..tenth]), mean(&found[found.len() - tenth..]));
    let (fall, kept) = (last.0 - first.0, last.1 - first.1);
    println!("the mean of E changes by {fall:.2e} J, that of E + h²H₂ by {kept:.2e} J");
    assert!(fall < 0.0 && kept.abs() < 0.05 * fall.abs(), "{fall:e}, {kept:e}");
}

/// The whole of it: 512 links, 10⁶ steps of 0.5 ms.
#[test]
#[ignore = "50 s"]
fn overnight_a_long_chain_for_a_long_time() {
    let model = scenario("pendulum-chain", &["chain.links=512"]);
    let found = along(&model, method("sphere-implicit"), 5e-4, 1_000_000, 50).unwrap();
    let start = found[0];
    let windows = found.chunks(found.len() / 200);
    for (k, window) in windows.enumerate() {
        let mean =
            |value: &dyn Fn(&(f64, f64)) -> f64| window.iter().map(value).sum::<f64>() / window.len() as f64;
        let (energy, modified) = (mean(&|one| one.0 - start.0), mean(&|one| one.1 - start.1));
        println!("{:5.1} s {energy:9.4} {modified:9.4}", 2.5 * k as f64);
    }
}

//! Bounds of energy and length over up to a million steps.
use crate::common::{self, Problem, method};
use holonomy::{
    diagnostics::Record,
    integrator::catalog::{Method, Options},
    simulation::Schedule,
};

each_method!(
    energy_drifts_only_where_nothing_is_promised,
    "long: up to a million steps"
);

fn energy_drifts_only_where_nothing_is_promised(m: &Method) {
    println!(
        "claim: the energy error of {} is bounded: {}",
        m.name, m.bounded_energy
    );
    let of_formulas = |name: &str| {
        matches!(
            name,
            "typed" | "framed" | "tree of rigid bodies" | "top" | "hinged"
        )
    };
    let fitting = common::fitting(m);
    // An integrable motion, one that is not (two bodies and a spring), and formulas for methods that need one.
    let problems = match of_formulas(fitting.name) {
        true => vec![fitting],
        false => vec![common::pendulum(), common::separate()],
    };
    for p in problems {
        // The more accurate the method, the larger the step must be for its error to stand above rounding.
        let step = match (m.order, m.name.starts_with("sphere-split")) {
            (1, _) => 1e-3,
            // Not so large that the energy runs away to where it can grow no more.
            (2, _) if !m.bounded_energy => 0.002,
            (2, _) => 0.02,
            (4 | 5, false) => 0.05,
            (6, false) | (4, true) => 0.1,
            // At 0.4 the two bodies are chaotic: their energy wanders, and a start that differs by 1e-14 has
            // another slope, of any sign.
            (6, true) => 0.3,
            _ => 0.2,
        };
        let mut simulation = p.simulation(m, &Options::default()).unwrap();
        let mut record = Record::default();
        let schedule = Schedule {
            step,
            // A step that solves equations costs ten times as much, that of a tree a hundred times.
            steps: match p.name {
                "tree of rigid bodies" | "top" | "hinged" => 40_000,
                name if of_formulas(name) => 150_000,
                _ => 1_000_000,
            },
            every: 7,
        };
        match simulation.run(&schedule, &mut [&mut record]) {
            Ok(_) => {}
            Err(error) => {
                assert!(!m.bounded_energy, "{} on {}: {error}", m.name, p.name);
                continue;
            }
        }
        let fit = record.energy.drift().unwrap();
        println!(
            "{:24} {:16} drift {:.1e} ± {:.1e} max {:.1e} manifold {:.1e}",
            m.name, p.name, fit.slope, fit.standard_error, record.energy.max_error, record.manifold_max
        );
        // Scatter of the block means is not Gaussian; five standard errors leave room for that. A bounded
        // error that beats slowly has a slope, too, but one that explains little of its size.
        let line = fit.slope.abs() * step * schedule.steps as f64;
        // Order 16 shows nothing but rounding, which may have a bias: less than a tenth of a unit in the last place of the
        // energy that moves, in each step, is none of the method's.
        let rounding = 0.1 * f64::EPSILON * record.energy.in_motion();
        let drifts = fit.slope.abs() > 5.0 * fit.standard_error
            && line > 0.1 * record.energy.max_error
            && fit.slope.abs() * step > rounding;
        assert_eq!(m.bounded_energy, !drifts, "{} on {}: {fit:?}", m.name, p.name);
        assert_eq!(
            m.on_manifold,
            record.manifold_max <= 5e-16,
            "{} on {}: {:e}",
            m.name,
            p.name,
            record.manifold_max
        );
    }
}

macro_rules! a_million_steps {
    ($($name:ident: $problem:ident, $method:literal;)+) => {
        mod links_and_dense_inertia_stay_on_the_manifold_for_a_million_steps {$(
            #[test]
            #[ignore = "long: a million steps"]
            fn $name() {
                super::stays_on_the_manifold(crate::common::$problem(), $method);
            }
        )+}
    };
}
a_million_steps! {
    chain_sphere_implicit: chain, "sphere-implicit";
    chain_sphere_implicit_4: chain, "sphere-implicit-4";
    tree_sphere_implicit: tree, "sphere-implicit";
    tree_sphere_implicit_4: tree, "sphere-implicit-4";
    dense_sphere_implicit: dense, "sphere-implicit";
    dense_sphere_implicit_4: dense, "sphere-implicit-4";
}

fn stays_on_the_manifold(p: Problem, name: &str) {
    println!("claim: {name} on {} conserves unit lengths to rounding", p.name);
    let mut simulation = p.simulation(method(name), &Options::default()).unwrap();
    let mut record = Record::default();
    let schedule = Schedule {
        step: 0.004,
        steps: 1_000_000,
        every: 97,
    };
    simulation.run(&schedule, &mut [&mut record]).unwrap();
    assert!(
        record.manifold_max <= 5e-16,
        "{name} on {}: {:e}",
        p.name,
        record.manifold_max
    );
}

macro_rules! rounding {
    ($($method:ident)+) => {
        mod rounding_errors_wander_and_do_not_drift {$(
            #[test]
            #[ignore = "long: a million steps"]
            fn $method() {
                super::rounding_wanders(&stringify!($method).replace('_', "-"));
            }
        )+}
    };
}
rounding!(sphere_explicit_8 sphere_implicit_8 sphere_split_6);

fn rounding_wanders(name: &str) {
    println!("claim: rounding of {name} is a random walk of the energy");
    // Steps so small that nothing but rounding is left of the error.
    let (p, step) = (common::pendulum(), 0.04);
    let mut simulation = p.simulation(method(name), &Options::default()).unwrap();
    let mut record = Record::default();
    simulation
        .run(
            &Schedule {
                step,
                steps: 1_000_000,
                every: 10,
            },
            &mut [&mut record],
        )
        .unwrap();
    let fit = record.energy.drift().unwrap();
    let scale = record.energy.initial.abs() * f64::EPSILON;
    println!(
        "{name:24} {fit:?} max {:.1e} = {:.0} ε|E|",
        record.energy.max_error,
        record.energy.max_error / scale
    );
    // 10⁶ steps of 17 stages: a walk of √(17·10⁶) roundings; a bias of one in 300 would give 5·10⁴.
    assert!(
        record.energy.max_error < 1e4 * scale,
        "{name}: {:e}",
        record.energy.max_error
    );
}

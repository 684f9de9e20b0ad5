//! Every method of the catalog, measured on smooth, nonlinear problems: what its entry promises must
//! hold, and what it denies must not.
use crate::{
    common::{self, Problem, method},
    held,
};
use holonomy::{
    diagnostics::{Record, distance, observed_order, reversal_error, symplecticity_defect},
    integrator::catalog::{METHODS, Method, Options},
    simulation::Schedule,
};
use std::collections::HashSet;

/// All methods on all problems they fit; hinges alone are for those that fit nothing else.
fn cases(problems: &[Problem]) -> impl Iterator<Item = (&'static Method, &Problem)> {
    METHODS
        .iter()
        .flat_map(move |m| problems.iter().map(move |p| (m, p)))
        .filter(|(m, p)| p.name != "hinged" || common::fitting(m).name == "hinged")
        .filter(|(m, p)| {
            // `fitting` fails for a method that fits none.
            p.simulation(m, &Options::default()).is_some() || {
                assert_ne!(common::fitting(m).name, p.name);
                false
            }
        })
}

/// Steps large enough that the truncation error, not rounding, is measured.
fn steps_per_second(method: &Method) -> [u64; 3] {
    match method.order {
        _ if method.name == "sphere-split-6" => [14, 18, 24],
        1 => [2048, 4096, 8192],
        2 => [128, 256, 512],
        4 => [32, 48, 64],
        5 => [96, 128, 192],
        6 => [20, 24, 32],
        _ => [13, 16, 20],
    }
}

#[test]
fn names_and_summaries_are_complete_and_unique() {
    let names: HashSet<&str> = METHODS.iter().map(|m| m.name).collect();
    assert_eq!(names.len(), METHODS.len());
    for m in METHODS {
        assert!(!m.summary.is_empty() && !m.reference.is_empty(), "{}", m.name);
        assert!(
            m.name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
            "{}",
            m.name
        );
    }
}

#[test]
fn measured_order_is_the_declared_one() {
    let problems = common::problems();
    for (m, p) in cases(&problems) {
        // Order 8 is soon at the level of rounding; a longer time gives its error room.
        let seconds = if m.order == 8 { 4 } else { 1 };
        let reference = p.reference(seconds as f64);
        let (steps, errors): (Vec<f64>, Vec<f64>) = steps_per_second(m)
            .into_iter()
            .map(|count| {
                let h = 1.0 / count as f64;
                // An adaptive method that accepts any error takes the longest step it may.
                let options = match m.adaptive {
                    true => Options {
                        rtol: Some(1e9),
                        atol: Some(1e9),
                        max_step: Some(h),
                        ..Options::default()
                    },
                    false => Options::default(),
                };
                let end = p.final_state(m, &options, h, count * seconds).unwrap();
                (h, distance(&end, &reference))
            })
            .unzip();
        let order = observed_order(&steps, &errors);
        println!("{:24} {:22} order {order:.2} errors {errors:?}", m.name, p.name);
        // Between the first terms of its error and rounding, dop853 has room for less than a decade of steps.
        let tolerance = if m.adaptive { 0.3 } else { 0.15 };
        assert!(
            (order - f64::from(m.order)).abs() <= tolerance,
            "{} on {}: {order:.3}",
            m.name,
            p.name
        );
    }
}

#[test]
fn adaptive_methods_meet_their_tolerance() {
    for p in common::problems() {
        let reference = p.reference(1.0);
        for m in METHODS.iter().filter(|m| m.adaptive) {
            for rtol in [1e-5, 1e-8, 1e-11] {
                let options = Options {
                    rtol: Some(rtol),
                    atol: Some(rtol),
                    ..Options::default()
                };
                // Samples much closer than the steps: they come from the dense output.
                let end = p.final_state(m, &options, 1.0 / 256.0, 256).unwrap();
                let error = distance(&end, &reference);
                // The local error is controlled; the global one grows by the problem's own growth.
                assert!(
                    error < 300.0 * rtol,
                    "{} on {} at {rtol:e}: {error:e}",
                    m.name,
                    p.name
                );
            }
        }
    }
}

#[test]
fn dense_output_is_as_good_as_the_steps() {
    let p = common::pendulum();
    for m in METHODS.iter().filter(|m| m.adaptive) {
        let options = Options {
            rtol: Some(1e-9),
            atol: Some(1e-9),
            ..Options::default()
        };
        for k in 1..40 {
            let time = 0.037 * f64::from(k);
            let direct = p.reference(time);
            let sampled = p.final_state(m, &options, time / f64::from(k), k as u64).unwrap();
            let error = distance(&sampled, &direct);
            assert!(error < 3e-7, "{} at {time}: {error:e}", m.name);
        }
    }
}

#[test]
fn a_step_back_undoes_a_step_only_for_symmetric_methods() {
    let problems = common::problems();
    for (m, p) in cases(&problems) {
        let mut simulation = p.simulation(m, &Options::default()).unwrap();
        let error = reversal_error(&mut *simulation.integrator, &p.state, 0.1).unwrap();
        // Two steps with a handful of roundings each; an order-8 step has 17 stages.
        assert_eq!(m.symmetric, error < 1e-13, "{} on {}: {error:e}", m.name, p.name);
    }
}

#[test]
fn the_symplectic_form_is_kept_only_where_it_is_promised() {
    let problems = common::problems();
    for (m, p) in cases(&problems) {
        let mut simulation = p.simulation(m, &Options::default()).unwrap();
        let system = p.mechanism.system();
        let integrator = &mut *simulation.integrator;
        let defect = match system.is_canonical() {
            true => symplecticity_defect(&*system, integrator, &p.state, 0.1).unwrap(),
            false => held::defect_of_form(p, integrator, 0.1),
        };
        println!("{:24} {:22} defect {defect:.1e}", m.name, p.name);
        // Differences of order 6 with offsets of 5e-3 leave errors of 1e-12 to 1e-11.
        assert_eq!(
            m.symplectic,
            defect < 1e-9,
            "{} on {}: {defect:e}",
            m.name,
            p.name
        );
    }
}

#[test]
fn momentum_maps_are_kept_only_where_it_is_promised() {
    let problems = common::problems();
    for (m, p) in cases(&problems) {
        let mut simulation = p.simulation(m, &Options::default()).unwrap();
        let mut record = Record::default();
        let schedule = Schedule {
            step: 0.05,
            steps: 400,
            every: 1,
        };
        if simulation.run(&schedule, &mut [&mut record]).is_err() {
            // Explicit Euler leaves every bound at this step, and so does the notebook's scheme.
            assert!(m.order == 1 && !m.bounded_energy, "{} on {}", m.name, p.name);
            continue;
        }
        let [(first, change)] = record.momenta[..] else {
            // A general inertia matrix is coupled to nothing that gravity could break.
            panic!("{}: {:?}", p.name, record.momenta)
        };
        let relative = change / first.abs();
        println!("{:24} {:22} momentum {relative:.1e}", m.name, p.name);
        assert_eq!(
            m.momentum.holds(&p.mechanism),
            relative < 1e-12,
            "{} on {}: {relative:e}",
            m.name,
            p.name
        );
    }
}

#[test]
fn energy_drifts_only_where_nothing_is_promised() {
    // An integrable motion, one that is not (two bodies and a spring), and formulas for methods that need one.
    for p in [
        common::pendulum(),
        common::separate(),
        common::typed(),
        common::framed(),
        common::jointed(),
        common::top(),
        common::hinged(),
    ] {
        let of_formulas = |name: &str| {
            matches!(
                name,
                "typed" | "framed" | "tree of rigid bodies" | "top" | "hinged"
            )
        };
        let is_for = |m: &&Method| match common::fitting(m).name {
            name if of_formulas(name) => name == p.name,
            _ => !of_formulas(p.name),
        };
        for m in METHODS.iter().filter(is_for) {
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
            let drifts = fit.slope.abs() > 5.0 * fit.standard_error && line > 0.1 * record.energy.max_error;
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
}

#[test]
fn links_and_dense_inertia_stay_on_the_manifold_for_a_million_steps() {
    for p in [common::chain(), common::tree(), common::dense()] {
        for name in ["sphere-implicit", "sphere-implicit-4"] {
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
    }
}

#[test]
fn a_restart_is_exact_to_the_bit() {
    let problems = common::problems();
    for (m, p) in cases(&problems) {
        let schedule = |steps| Schedule {
            step: 0.003,
            steps,
            every: 1,
        };
        let mut straight = p.simulation(m, &Options::default()).unwrap();
        straight.run(&schedule(60), &mut []).unwrap();
        let mut first = p.simulation(m, &Options::default()).unwrap();
        first.run(&schedule(30), &mut []).unwrap();
        // Through text, as a checkpoint would go, into a new integrator.
        let text = serde_json::to_string(&first.state).unwrap();
        let mut second = p.simulation(m, &Options::default()).unwrap();
        second.state = serde_json::from_str(&text).unwrap();
        // Time is t₀ + k h; continue the first run's count rather than start a new one.
        for k in 31..=60 {
            second.integrator.step(&mut second.state, 0.003).unwrap();
            second.state.t = f64::from(k) * 0.003;
        }
        assert_eq!(straight.state, second.state, "{} on {}", m.name, p.name);
    }
}

#[test]
fn a_state_changed_by_hand_is_taken_as_it_is() {
    for m in METHODS {
        let p = common::fitting(m);
        let mut simulation = p.simulation(m, &Options::default()).unwrap();
        simulation.integrator.step(&mut simulation.state, 0.01).unwrap();
        let carry = simulation.state.carry.clone();
        let mut moved = p.state.clone();
        moved.carry = carry;
        simulation.integrator.step(&mut moved, 0.01).unwrap();
        let fresh = p.final_state(m, &Options::default(), 0.01, 1).unwrap();
        assert_eq!((moved.q, moved.p), (fresh.q, fresh.p), "{}", m.name);
    }
}

#[test]
fn rounding_errors_wander_and_do_not_drift() {
    // Steps so small that nothing but rounding is left of the error.
    let p = common::pendulum();
    for (name, step) in [
        ("sphere-explicit-8", 0.04),
        ("sphere-implicit-8", 0.04),
        ("sphere-split-6", 0.04),
    ] {
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
}

#[test]
fn rattle_and_stormer_verlet_are_the_explicit_variational_method_on_the_manifold() {
    // papers.md 3.5: the theorem behind the “surprisingly good” length of Störmer–Verlet in document 000.
    for p in [common::pendulum(), common::separate()] {
        let explicit = p
            .final_state(method("sphere-explicit"), &Options::default(), 0.02, 500)
            .unwrap();
        for name in ["rattle", "stormer-verlet"] {
            let state = p
                .final_state(method(name), &Options::default(), 0.02, 500)
                .unwrap();
            let difference = distance(&state, &explicit);
            assert!(difference < 1e-12, "{name} on {}: {difference:e}", p.name);
        }
    }
}

//! A step that cannot be taken names the body and the largest step that can, and changes nothing.
use crate::common::{self, load, method, run, scenario};
use holonomy::{
    integrator::{
        Cause,
        catalog::{METHODS, Options},
    },
    simulation::Schedule,
};

/// Two bodies fall into each other.
const FALL: &str = r#"
    body = [
        { name = "a", mass = 1.0, direction = [1, 0, 0] },
        { name = "b", mass = 1.0, direction = [0, 1, 0] },
    ]
    potential = [{ kind = "cotangent", strength = 1.0 }]
    method = { name = "sphere-explicit" }
    run = { step = 0.01, steps = 1000 }
"#;

#[test]
fn too_large_a_step_is_refused_with_the_largest_that_works() {
    for (p, names) in [
        (
            common::pendulum(),
            &[
                "sphere-explicit",
                "sphere-explicit-4",
                "sphere-implicit",
                "sphere-implicit-8",
            ][..],
        ),
        (
            common::separate(),
            &["sphere-explicit", "sphere-explicit-8", "sphere-implicit"],
        ),
        (common::chain(), &["sphere-implicit", "sphere-implicit-6"]),
        (common::tree(), &["sphere-implicit", "sphere-implicit-4"]),
        (common::dense(), &["sphere-implicit"]),
    ] {
        for name in names {
            let mut simulation = p.simulation(method(name), &Options::default()).unwrap();
            let error = *simulation.step_by(8.0).unwrap_err().source.step().unwrap();
            assert_eq!(simulation.state, p.state, "{name} on {}", p.name);
            assert!(error.fault.body.is_some(), "{name} on {}: {error:?}", p.name);
            let limit = error.limit.unwrap();
            let mut trial = p.state.clone();
            assert!(
                simulation.integrator().attempt(&mut trial, limit).is_ok(),
                "{name} on {}",
                p.name
            );
            assert!(
                limit < 8.0
                    && simulation
                        .integrator()
                        .attempt(&mut p.state.clone(), 1.1 * limit)
                        .is_err()
            );
        }
    }
}

#[test]
fn the_limit_of_the_explicit_method_is_that_of_its_equation() {
    // A free body: d = hω, so the step must stay below 1/|ω|.
    let text = r#"
        body = [{ name = "rotor", mass = 2.0, direction = [1, 0, 0], angular_velocity = [0, 0, 4] }]
        method = { name = "sphere-explicit" }
        run = { step = 0.3, steps = 10 }
    "#;
    let mut simulation = load("rotor", text, &[]).simulation();
    let error = simulation
        .run(
            &Schedule {
                step: 0.3,
                steps: 10,
                every: 1,
            },
            &mut [],
        )
        .unwrap_err();
    let limit = error.source.step().unwrap().limit.unwrap();
    assert!((0.245..=0.25).contains(&limit), "{limit}");
    let text = error.to_string();
    assert!(
        text.contains("step 1") && text.contains("`rotor`") && text.contains("2.4"),
        "{text}"
    );
}

#[test]
fn a_fault_later_in_a_run_keeps_the_state_before_it() {
    let model = load("fall", FALL, &[]);
    let mut simulation = model.simulation();
    let error = simulation.run(&model.schedule, &mut []).unwrap_err();
    assert_eq!(error.source.step().unwrap().fault.cause, Cause::TooLarge);
    assert!(simulation.state.is_finite());
    assert_eq!(simulation.state.t, error.work.steps as f64 * 0.01);
    // The same steps, taken alone, lead to the same state.
    let mut again = model.simulation();
    let schedule = Schedule {
        steps: error.work.steps,
        ..model.schedule
    };
    again.run(&schedule, &mut []).unwrap();
    assert_eq!(again.state, simulation.state);
}

#[test]
fn a_state_that_is_not_finite_is_refused_by_every_method() {
    for p in common::problems() {
        for m in METHODS {
            let Some(mut simulation) = p.simulation(m, &Options::default()) else {
                continue;
            };
            for (k, bad) in [(0, f64::NAN), (1, f64::INFINITY)] {
                let mut state = p.state.clone();
                state.p[k] = bad;
                let before = state.q.clone();
                assert!(
                    simulation.integrator().step(&mut state, 0.01).is_err(),
                    "{} on {}",
                    m.name,
                    p.name
                );
                assert_eq!(state.q, before, "{} on {}", m.name, p.name);
            }
        }
    }
}

#[test]
#[ignore = "long: steps become ever shorter"]
fn an_adaptive_method_that_meets_a_singularity_says_so() {
    let model = load("fall", FALL, &["run.step=0.5"]);
    for m in METHODS.iter().filter(|m| m.adaptive) {
        // With a loose tolerance a method may step across the singularity without seeing it.
        let options = Options {
            rtol: Some(1e-11),
            atol: Some(1e-11),
            ..Options::default()
        };
        let integrator = m.build_with(&model.mechanism, &options).unwrap();
        let mut simulation = common::simulation_by(&model, integrator);
        let error = simulation.run(&model.schedule, &mut []).unwrap_err();
        assert!(
            matches!(
                error.source.step().unwrap().fault.cause,
                Cause::ToleranceTooTight { .. }
            ),
            "{}: {error}",
            m.name
        );
        assert!(error.to_string().contains("rtol"), "{error}");
    }
}

#[test]
fn an_iteration_that_is_cut_short_is_an_error() {
    let p = common::chain();
    for fixed_point in [false, true] {
        let options = Options {
            fixed_point,
            max_iterations: Some(1),
            ..Options::default()
        };
        let mut simulation = p.simulation(method("sphere-implicit"), &options).unwrap();
        let error = *simulation.step_by(0.1).unwrap_err().source.step().unwrap();
        assert!(matches!(error.fault.cause, Cause::NotConverged { .. }), "{error}");
        assert_eq!(simulation.state, p.state);
    }
}

#[test]
fn a_chain_of_2048_links_runs_its_scenario() {
    // Started from zero tension, Newton's method found another branch at t = 6.9 s.
    let model = scenario("pendulum-chain", &["chain.links=2048", "run.every=1000"]);
    let (_, record, report) = run(&model);
    assert!(report.work.max_iterations <= 6, "{report:?}");
    assert!(record.energy.max_error < 1e-6 * record.energy.initial.abs() && record.manifold_max <= 5e-16);
}

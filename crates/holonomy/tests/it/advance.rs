//! Many steps in one call: the same bits as single steps, and the last good state when one fails.
use crate::common::{self, Problem, load, method, scenario};
use holonomy::{
    diagnostics::distance,
    integrator::{
        Composition, Fault, Integrator, Member, Solver, SphereExplicit, SphereImplicit, Work,
        catalog::{METHODS, Options},
    },
    system::{Mechanism, State},
};

/// A way to take so many steps.
type Go = fn(&mut dyn Integrator, &mut State, f64, u64) -> (Work, Option<Fault>);

/// Calls `advance` until so many steps are taken: methods may take fewer at a time.
fn advance(integrator: &mut dyn Integrator, state: &mut State, h: f64, steps: u64) -> (Work, Option<Fault>) {
    let mut work = Work::default();
    while work.steps < steps {
        let left = steps - work.steps;
        if let Err(fault) = integrator.advance(state, h, left, &mut work) {
            return (work, Some(fault));
        }
    }
    (work, None)
}

/// The same by single steps.
fn step(integrator: &mut dyn Integrator, state: &mut State, h: f64, steps: u64) -> (Work, Option<Fault>) {
    let mut work = Work::default();
    for _ in 0..steps {
        match integrator.attempt(state, h) {
            Ok(info) => work.count(info),
            Err(fault) => return (work, Some(fault)),
        }
    }
    (work, None)
}

fn assert_same(p: &Problem, name: &str, h: f64, steps: u64) -> (Work, Option<Fault>) {
    let of = |go: Go| {
        let simulation = p.simulation(method(name), &Options::default()).unwrap();
        let mut state = simulation.state.clone();
        let result = go(&mut *simulation.into_integrator(), &mut state, h, steps);
        (state, result)
    };
    let (by_rows, by_steps) = (of(advance), of(step));
    assert_eq!(by_rows, by_steps, "{name} on {}", p.name);
    by_rows.1
}

#[test]
fn a_row_of_steps_is_one_after_the_other_to_the_bit() {
    let mut problems = common::problems();
    problems.push(common::typed_on_spheres());
    for p in &problems {
        for m in METHODS {
            if p.simulation(m, &Options::default()).is_some() {
                let (work, fault) = assert_same(p, m.name, 0.003, 37);
                assert_eq!((work.steps, fault), (37, None), "{} on {}", m.name, p.name);
            }
        }
    }
}

#[test]
fn many_states_at_once_are_one_by_one_to_the_bit() {
    for m in METHODS {
        let p = common::fitting(m);
        let new = || p.simulation(m, &Options::default()).unwrap().into_integrator();
        let states = (0..5).map(|k| {
            let mut state = p.state.clone();
            state.p.iter_mut().for_each(|p| *p *= 1.0 - 0.1 * f64::from(k));
            // One of them cannot take a step.
            if k == 3 {
                state.p[0] = f64::NAN;
            }
            state
        });
        let mut members: Vec<Member> = states.map(Member::from).collect();
        let mut alone = members.clone();
        let mut together = new();
        while members[0].work.steps < 20 {
            let left = 20 - members[0].work.steps;
            together.advance_many(&mut members, 0.003, left);
        }
        for Member { state, work, fault } in &mut alone {
            let mut integrator = new();
            while work.steps < 20 && fault.is_none() {
                *fault = integrator.advance(state, 0.003, 20 - work.steps, work).err();
            }
        }
        for (k, (a, b)) in members.iter().zip(&alone).enumerate() {
            assert_eq!(
                (a.fault.is_some(), b.fault.is_some()),
                (k == 3, k == 3),
                "{}",
                m.name
            );
            // What is not a number is not equal to itself. Work differs by gradients that are still at hand.
            if k != 3 {
                assert_eq!((&a.state, a.work.steps), (&b.state, b.work.steps), "{}", m.name);
            }
        }
    }
}

/// Pendula and short chains go side by side, eight in a group: with groups that are not full, with lanes whose solver
/// needs more iterations than others, with members that have another past, and with one that fails on its way.
#[test]
fn lanes_are_single_runs_to_the_bit() {
    for (links, h, methods) in [
        (
            1,
            0.02,
            &[
                "sphere-explicit",
                "sphere-explicit-8",
                "sphere-split-4",
                "rattle",
                "stormer-verlet",
            ][..],
        ),
        (
            1,
            0.3,
            &["sphere-explicit", "sphere-split", "rattle", "stormer-verlet"][..],
        ),
        (1, 0.02, &["sphere-implicit", "sphere-implicit-6"][..]),
        (2, 0.01, &["sphere-implicit", "sphere-implicit-4"][..]),
        (2, 0.17, &["sphere-implicit"][..]),
        (2, 0.3, &["sphere-implicit-4"][..]),
        (3, 0.02, &["sphere-implicit", "sphere-implicit-4"][..]),
        (5, 0.02, &["sphere-implicit"][..]),
    ] {
        let text = format!(
            r#"
            chain = {{ links = {links}, mass = 1, length = 1, direction = [0.6, 0, 0.8] }}
            potential = [{{ kind = "gravity", acceleration = [0, 0, 9.81] }}]
            method = {{ name = "sphere-implicit" }}
            run = {{ step = 0.01, steps = 1 }}
        "#
        );
        let p = problem("short", &text);
        for name in methods {
            let new = || {
                let simulation = p.simulation(method(name), &Options::default()).unwrap();
                simulation.into_integrator()
            };
            let mut members: Vec<Member> = (0..19)
                .map(|k| {
                    let mut state = p.state.clone();
                    // From rest to so fast that some turn over the top.
                    let spin = [0.3 * f64::from(k), 0.1 * f64::from(k % 5), 0.0];
                    let q = state.q.clone();
                    for (q, p) in q.chunks(3).zip(state.p.chunks_mut(3)) {
                        let along = q[0] * spin[0] + q[1] * spin[1] + q[2] * spin[2];
                        (0..3).for_each(|i| p[i] += spin[i] - along * q[i]);
                    }
                    Member::from(state)
                })
                .collect();
            // Two with another past.
            for k in [3, 12] {
                let Member { state, work, fault } = &mut members[k];
                *fault = new().advance(state, 0.5 * h, 2, work).err();
            }
            let mut alone = members.clone();
            let mut together = new();
            for count in [1, 63, 65, 71] {
                together.advance_many(&mut members, h, count);
            }
            for member in &mut alone {
                let mut integrator = new();
                for count in [1, 63, 65, 71] {
                    integrator.advance_many(std::slice::from_mut(member), h, count);
                }
            }
            let faults = alone.iter().filter(|member| member.fault.is_some()).count();
            let expects_some = h > 0.1 && *name != "sphere-split";
            assert_eq!(
                faults > 0,
                expects_some,
                "{name}, {links} links, h = {h}: {faults}"
            );
            assert!(faults < 19 || links > 1, "{name}, {links} links, h = {h}");
            for (k, (a, b)) in members.iter().zip(&alone).enumerate() {
                let what = format!("member {k} by {name}, {links} links, h = {h}");
                assert_eq!(a.state, b.state, "{what}");
                assert_eq!((a.work, &a.fault), (b.work, &b.fault), "{what}");
            }
        }
    }
}

fn problem(name: &'static str, text: &str) -> Problem {
    let model = load(name, text, &[]);
    Problem {
        name,
        mechanism: model.mechanism,
        state: model.state,
    }
}

#[test]
fn a_fault_in_a_row_leaves_the_last_good_state() {
    // They fall from near the top: at the bottom a step turns them too far, √(4g/ℓ) h > 1.
    let alone = problem(
        "alone",
        r#"
            body = [{ name = "bob", mass = 1, direction = [0.1, 0, -0.99498743710662] }]
            potential = [{ kind = "gravity", acceleration = [0, 0, 9.81] }]
            method = { name = "sphere-explicit" }
            run = { step = 0.01, steps = 1 }
        "#,
    );
    let pair = problem(
        "pair",
        r#"
            body = [{ name = "a", mass = 1, direction = [0.1, 0, -0.99498743710662] },
                    { name = "b", mass = 1, direction = [0, 0.6, -0.8] }]
            potential = [{ kind = "gravity", acceleration = [0, 0, 9.81] }]
            method = { name = "sphere-explicit" }
            run = { step = 0.01, steps = 1 }
        "#,
    );
    let coupled = problem(
        "coupled",
        r#"
            body = [{ name = "a", mass = 1, direction = [0.1, 0, -0.99498743710662] },
                    { name = "b", mass = 1, direction = [0, 0.6, -0.8] }]
            potential = [{ kind = "gravity", acceleration = [0, 0, 9.81] }, { kind = "spring", between = ["a", "b"], stiffness = 1, rest_length = 0 }]
            method = { name = "sphere-explicit" }
            run = { step = 0.01, steps = 1 }
        "#,
    );
    let chain = problem(
        "chain",
        r#"
            chain = { links = 5, mass = 1, length = 1, direction = [0.1, 0, -0.99498743710662] }
            potential = [{ kind = "gravity", acceleration = [0, 0, 9.81] }]
            method = { name = "sphere-implicit" }
            run = { step = 0.01, steps = 1 }
        "#,
    );
    let separate = ["sphere-explicit", "sphere-explicit-4", "rattle", "stormer-verlet"];
    let implicit = ["sphere-implicit", "sphere-implicit-4"];
    for (p, names) in [
        (&alone, &separate[..]),
        (&pair, &separate[..]),
        (&coupled, &separate[..]),
        (&alone, &implicit[..]),
        (&chain, &implicit[..]),
    ] {
        for name in names {
            // The longest of the five substeps is 0.66 of the step.
            let h = if name.ends_with("-4") { 0.35 } else { 0.2 };
            let (work, fault) = assert_same(p, name, h, 1000);
            assert!(
                fault.is_some() && work.steps > 1,
                "{name} on {}: {work:?} {fault:?}",
                p.name
            );
        }
    }
}

#[test]
fn methods_that_compose_themselves_are_compositions_to_the_bit() {
    for p in [common::pendulum(), common::separate(), common::chain()] {
        let Mechanism::Spheres(spheres) = &p.mechanism else {
            unreachable!("on spheres")
        };
        for order in [4, 6, 8] {
            let mut pairs: Vec<[Box<dyn Integrator>; 2]> = Vec::new();
            let implicit = || SphereImplicit::new(spheres.clone(), Solver::default()).unwrap();
            pairs.push([
                implicit().with_order(order).unwrap(),
                Box::new(Composition::new(Box::new(implicit()), order).unwrap()),
            ]);
            if let Some(explicit) = SphereExplicit::of_order(spheres.clone(), order) {
                let base = SphereExplicit::new(spheres.clone()).unwrap();
                pairs.push([
                    Box::new(explicit),
                    Box::new(Composition::new(Box::new(base), order).unwrap()),
                ]);
            }
            for mut pair in pairs {
                let [own, composed] = pair.each_mut().map(|method| {
                    let mut state = p.state.clone();
                    for _ in 0..20 {
                        method.attempt(&mut state, 0.02).unwrap();
                    }
                    (state.q, state.p)
                });
                assert_eq!(own, composed, "order {order} on {}", p.name);
            }
        }
    }
}

#[test]
fn what_a_chain_carries_saves_iterations_and_changes_nothing_else() {
    let model = scenario("pendulum-chain", &["chain.links=24"]);
    let h = model.schedule.step;
    let (mut warm, mut fresh) = (model.simulation(), model.simulation());
    let (mut iterations, mut from_scratch) = (0, 0);
    for _ in 0..300 {
        iterations += warm.step_by(h).unwrap().iterations;
        fresh.state.carry.clear();
        from_scratch += fresh.step_by(h).unwrap().iterations;
    }
    assert!(
        iterations <= 620 && from_scratch >= 1000,
        "{iterations} {from_scratch}"
    );
    // Both are solved to rounding, ε; 300 steps of a chain that is not yet chaotic.
    let apart = distance(&warm.state, &fresh.state);
    assert!(apart < 1e-12, "{apart:e}");
}

#[test]
fn a_chain_changed_by_hand_starts_afresh() {
    let model = scenario("pendulum-chain", &["chain.links=6"]);
    let mut simulation = model.simulation();
    for _ in 0..10 {
        simulation.step_by(1e-3).unwrap();
    }
    let mut bare = simulation.state.clone();
    bare.p[4] += 1e-3;
    let mut carrying = bare.clone();
    bare.carry.clear();
    let infos = [&mut bare, &mut carrying].map(|state| simulation.integrator().step(state, 1e-3).unwrap());
    assert_eq!(bare, carrying);
    assert_eq!(infos[0].iterations, infos[1].iterations);
}

#[test]
fn a_guess_never_leads_to_another_solution() {
    // Steps so large that tensions cannot be foreseen: Newton's method finds other roots from there.
    let model = scenario("double-spherical-pendulum", &[]);
    let [mut guesses, mut afresh] = [(); 2].map(|()| model.integrator());
    let mut state = model.state.clone();
    for k in 0..600 {
        let mut other = state.clone();
        other.carry.clear();
        guesses.step(&mut state, 0.3).unwrap();
        afresh.step(&mut other, 0.3).unwrap();
        let apart = distance(&state, &other);
        assert!(apart < 1e-11, "step {k}: {apart:e}");
    }
}

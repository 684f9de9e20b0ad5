//! Gradients against closed forms, and against differences of whole runs.
use super::*;
use holonomy::{
    derivative::{Minimal, slope},
    math,
};
use holonomy_model::{Source, Value, load};
use std::convert::Infallible;

fn text(name: &str, text: &str) -> Model {
    let source = Source::new(name.to_owned(), text.to_owned());
    load(&source).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn scenario(name: &str, sets: &[&str]) -> Model {
    let scenario = holonomy_model::scenario::find(name).expect("a scenario");
    let mut source = scenario.source();
    for set in sets {
        source.with_override(*set);
    }
    load(&source).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn found(model: &Model, of: &str, at: f64, by: &[&str]) -> Gradient {
    asked(model, of, at, by).unwrap_or_else(|error| panic!("{error}"))
}

fn asked(model: &Model, of: &str, at: f64, by: &[&str]) -> Result<Gradient, GradientError> {
    let request = Request {
        of: of.to_owned(),
        at: Some(at),
        by: by.iter().map(|&by| by.to_owned()).collect(),
    };
    Gradient::new(model, "test", &request, &mut |_, _| true)
}

fn by(found: &Gradient, name: &str) -> f64 {
    let own = found.slopes.iter().find(|slope| slope.name == name);
    own.unwrap_or_else(|| panic!("{name} is missing: {:?}", found.slopes))
        .slope
}

/// What an output is after so many steps of a model, pushed by constant inputs.
fn after(model: &Model, of: &str, steps: usize, inputs: &[f64]) -> f64 {
    let (system, h) = (model.mechanism.system(), model.schedule.step);
    let mut integrator = model.integrator();
    let mut state = model.state.clone();
    let push = |state: &mut State| {
        for (input, value) in model.inputs.iter().zip(inputs) {
            state.p[input.velocity] += 0.5 * h * input.scale * value;
        }
    };
    for k in 1..=steps {
        push(&mut state);
        integrator.attempt(&mut state, h).expect("a step");
        push(&mut state);
        state.t = model.state.t + k as f64 * h;
    }
    if !inputs.is_empty() && !system.layout().multipliers.is_empty() {
        // The last impulse, as far as constraints let it act: what the next step would make of it.
        let minimal = Minimal::at(&model.mechanism, &state).expect("coordinates");
        let (x, y) = system.canonical(&state.q, &state.q, &state.p);
        let allowed = minimal.change(&minimal.coordinates(&x, &y));
        state.p = system.state_from_canonical(&state.q, &x, &allowed.y).1;
    }
    let output = output(of, &*system).expect("an output");
    Reader::new(&*system, &output).read(&*system, &state)
}

/// How an output changes with a number of a model, by seven runs.
fn differences(model: &Model, of: &str, steps: usize, key: &str, value: f64) -> f64 {
    let offset = 1e-3 * if value == 0.0 { 0.3 } else { value.abs() };
    let all = slope(offset, |shift| {
        let changed = model.with(key, Value::from(value + shift)).expect("a model");
        Ok::<_, Infallible>(vec![after(&changed, of, steps, &[])])
    });
    let Ok(all) = all;
    all[0]
}

const OSCILLATOR: &str = "coordinates = [\"x\"]\nlagrangian = \"0.5*m*x'^2 - 0.5*k*x^2\"\n\
    [parameters]\nm = \"2 kg\"\nk = \"18 N/m\"\n[start]\nx = 0.7\n[[input]]\nname = \"push\"\non = \"x\"\nscale = 3\n\
    [method]\nname = \"midpoint\"\n[run]\nstep = 0.05\nduration = 2\n";

/// The midpoint rule turns (x, p/mω) by θ = 2 atan(hω/2) a step: all in closed form.
#[test]
fn an_oscillator_in_closed_form() {
    let model = text("oscillator", OSCILLATOR);
    let found = found(&model, "x", 2.0, &[]);
    let (m, k, h, n, x0) = (2.0_f64, 18.0_f64, 0.05, 40.0, 0.7);
    let omega = (k / m).sqrt();
    let theta = 2.0 * math::atan(0.5 * h * omega);
    let by_omega = -math::sin(n * theta) * n * h / (1.0 + 0.25 * h * h * omega * omega) * x0;
    let near = |name: &str, exact: f64| {
        let own = by(&found, name);
        // Rounding of forty steps, and of differences of order 6 of the equations.
        assert!((own - exact).abs() < 1e-12, "{name}: {own} {exact}");
    };
    near("x", math::cos(n * theta));
    near("x'", math::sin(n * theta) / omega);
    near("parameters.k", by_omega * 0.5 * omega / k);
    near("parameters.m", -by_omega * 0.5 * omega / m);
    let pushed = |j: f64| 3.0 * math::sin((n - j) * theta) / (m * omega);
    let held: f64 = (0..=40)
        .map(|j| h * if j == 0 || j == 40 { 0.5 } else { 1.0 } * pushed(f64::from(j)))
        .sum();
    near("push", held);
    let push = &found.pushes[0];
    for (j, (t, own)) in push.curve.iter().enumerate() {
        assert!((t - 0.05 * j as f64).abs() < 1e-12 && (own - pushed(j as f64)).abs() < 1e-12);
    }
    assert!(found.is_meaningful() && found.conclusion().0 == Verdict::Good);
    assert!((found.value - after(&model, "x", 40, &[])).abs() < 1e-15);
    // What one percent does decides the order.
    let percents: Vec<f64> = found.slopes.iter().map(|slope| slope.percent.abs()).collect();
    assert!(percents.windows(2).all(|pair| pair[0] >= pair[1]), "{percents:?}");
}

/// A mass hangs on two strings at −√(l² − e²/4), however long it does; and higher where their end is.
#[test]
fn a_mass_on_two_strings_in_closed_form() {
    let model = text(
        "strings",
        "[chain]\nlinks = 2\nmass = 0.3\nlength = 0.65\nend = [1, 0, 0]\n\
         [[potential]]\nkind = \"gravity\"\nacceleration = [0, 0, -9.81]\n\
         [method]\nname = \"sphere-implicit\"\n[run]\nstep = 0.01\nduration = 1\n",
    );
    let found = found(&model, "link-1.z", 1.0, &[]);
    let depth = (0.65_f64 * 0.65 - 0.25).sqrt();
    // A start is closed to 1e-15, of which differences take 1/650 of a length.
    assert!((found.value + depth).abs() < 1e-13);
    for (name, exact) in [
        ("chain.length", -0.65 / depth),
        ("chain.end.1", 0.25 / depth),
        ("chain.end.3", 0.5),
    ] {
        let own = by(&found, name);
        assert!((own - exact).abs() < 1e-10, "{name}: {own} {exact}");
    }
    assert!(found.is_meaningful());
}

/// Starts, masses, lengths, gravity, places of pins of a loop: against differences of whole runs.
#[test]
fn numbers_of_scenarios_as_runs_have_them() {
    for (name, sets, of, steps, numbers) in [
        (
            "double-plane-pendulum",
            &["velocity.a=0.3"] as &[&str],
            "lower.z",
            200,
            &[
                ("parameters.l1", "parameters.l1", 1.0),
                ("parameters.m2", "parameters.m2", 1.0),
                ("parameters.g", "parameters.g", 9.81),
                ("velocity.a", "a'", 0.3),
                ("start.a", "start.a", 120.0_f64.to_radians()),
            ] as &[(&str, &str, f64)],
        ),
        (
            "double-plane-pendulum",
            &[],
            "energy",
            200,
            &[
                ("parameters.m1", "parameters.m1", 1.0),
                ("parameters.l2", "parameters.l2", 1.0),
            ],
        ),
        (
            "four-bar",
            &[],
            "coupler/pin.x",
            100,
            &[
                ("body.3.mass", "body.3.mass", 0.7),
                ("body.2.joint.at.1", "body.2.joint.at.1", 0.3),
                ("body.2.joint.at.3", "body.2.joint.at.3", 0.0),
                ("body.3.sites.pin.1", "body.3.sites.pin.1", 0.7),
                ("gravity.3", "gravity.3", -9.81),
            ],
        ),
        (
            "double-spherical-pendulum",
            &[],
            "energy",
            50,
            &[
                ("body.1.mass", "body.1.mass", 1.0),
                ("body.2.length", "body.2.length", 9.81),
            ],
        ),
    ] {
        let model = scenario(name, sets);
        let t = steps as f64 * model.schedule.step;
        let keys: Vec<&str> = numbers
            .iter()
            .map(|(_, name, _)| *name)
            .filter(|name| name.contains('.'))
            .collect();
        let mut asked = vec!["start"];
        asked.extend(keys);
        let found = found(&model, of, t, &asked);
        let size = numbers
            .iter()
            .map(|(_, name, _)| by(&found, name).abs())
            .fold(0.0, f64::max);
        for (key, name, value) in numbers {
            let (own, other) = (by(&found, name), differences(&model, of, steps, key, *value));
            // Runs differ by rounding of their solvers, 1e-13, over an offset of a tenth of a percent; loops of four-bars are
            // closed at the start to 1e-12.
            assert!((own - other).abs() <= 1e-8 * size, "{name} {key}: {own} {other}");
        }
        assert!(found.is_meaningful());
    }
}

/// Starts of a loop: along what constraints allow; and a torque held on its crank.
#[test]
fn starts_and_inputs_of_a_loop() {
    let table = "\n[[input]]\nname = \"torque\"\non = \"crank\"\n";
    let own = holonomy_model::scenario::find("four-bar").expect("a scenario");
    let model = text("four-bar", &(own.model.to_owned() + table));
    let (of, steps) = ("omega.rocker", 100);
    let found = found(
        &model,
        of,
        steps as f64 * model.schedule.step,
        &["start", "inputs"],
    );
    let held = slope(5e-3, |push| {
        Ok::<_, Infallible>(vec![after(&model, of, steps, &[push])])
    });
    let Ok(held) = held;
    let torque = by(&found, "torque");
    assert!((torque - held[0]).abs() <= 1e-8 * torque.abs().max(1.0));
    // A coordinate at a velocity that stays, and the velocity: the start made by hand, projected as the loader does.
    let minimal = Minimal::at(&model.mechanism, &model.state).expect("coordinates");
    let system = model.mechanism.system();
    let name = system
        .layout()
        .velocities
        .one(minimal.independent[0])
        .expect("a name");
    let faster = slope(5e-3, |shift| {
        let mut z = vec![0.0; 2];
        let mut measured = Measurement::default();
        system.measure(&model.state, &mut measured, &mut system.scratch());
        // One degree of freedom: a momentum along the basis is a velocity along it.
        let v: Vec<f64> = minimal.basis()[0].x.iter().map(|x| x * shift).collect();
        let mut p = vec![0.0; v.len()];
        system.momentum(0.0, &model.state.q, &v, &mut p, &mut system.scratch());
        z[1] = minimal.coordinates(&vec![0.0; v.len()], &p)[1];
        let state = minimal
            .moved(&model.mechanism, &model.state, &z)
            .expect("a state");
        let started = model.started(state, model.schedule);
        Ok::<_, Infallible>(vec![after(&started, of, steps, &[])])
    });
    let Ok(faster) = faster;
    let own = by(&found, &name);
    assert!((own - faster[0]).abs() <= 1e-8 * own.abs().max(1.0));
}

/// Chaos is said, and where it begins; so is what has no derivatives, no value, or no such name.
#[test]
fn what_means_nothing_is_said() {
    let model = scenario("double-plane-pendulum", &[]);
    let lost = found(&model, "lower.z", 40.0, &["start"]);
    let (verdict, sentence) = lost.conclusion();
    assert!(!lost.is_meaningful() && verdict == Verdict::Bad, "{sentence}");
    assert!(
        sentence.contains("chaos") && sentence.contains("--at"),
        "{sentence}"
    );
    // The time that it names is one where it means something.
    let again = found(
        &model,
        "lower.z",
        lost.earlier(lost.worth.horizon.expect("a horizon")),
        &["start"],
    );
    assert!(again.is_meaningful(), "{:?}", again.conclusion());

    let refused = |of: &str, at: f64, by: &[&str]| asked(&model, of, at, by).expect_err("an error");
    assert!(matches!(
        refused("lwer.z", 1.0, &[]),
        GradientError::Output { .. }
    ));
    assert!(matches!(
        refused("lower", 1.0, &[]),
        GradientError::Several { .. }
    ));
    assert!(matches!(refused("a", -1.0, &[]), GradientError::Before(_)));
    assert!(matches!(refused("a", 1e300, &[]), GradientError::Far(_)));
    assert!(matches!(refused("t", 1.0, &[]), GradientError::Flat(_)));
    assert!(matches!(refused("a", 1.0, &["inputs"]), GradientError::NoInputs));
    let GradientError::By { near, .. } = refused("a", 1.0, &["parameters.l3"]) else {
        panic!("found");
    };
    assert!(near.is_some_and(|near| near.starts_with("parameters.l")));
    let model = scenario("spherical-pendulum", &["method=", "method.name=dop853"]);
    let Err(GradientError::NoDerivatives { others, .. }) = asked(&model, "energy", 1.0, &[]) else {
        panic!("found");
    };
    assert!(others.contains(&"sphere-explicit"), "{others:?}");
    let mut steps = 0;
    let stopped = Gradient::new(
        &scenario("kepler", &[]),
        "test",
        &Request {
            of: "energy".to_owned(),
            ..Request::default()
        },
        &mut |_, _| {
            steps += 1;
            steps < 100
        },
    );
    assert_eq!(stopped, Err(GradientError::Stopped));
}

/// Friction takes the form and the momenta, and nothing is said against that.
#[test]
fn friction_is_no_fault() {
    let model = scenario("damped-pendulum", &[]);
    let found = found(&model, "theta", 2.0, &[]);
    assert!(!found.worth.symplectic && found.worth.pairing > 1e-3);
    assert_eq!(found.conclusion().0, Verdict::Good, "{:?}", found.conclusion());
    // The page holds what the command prints.
    let page = found.page("Damped", "holonomy gradient");
    for part in ["parameters.l", "tangent against adjoint", "size of the gradient"] {
        assert!(page.contains(part), "{part}");
    }
}

//! Gradients and tangents through runs: memory, parameters, efforts, certificates, exponents.
use crate::{common::scenario, step_derivatives::model};
use holonomy::{
    derivative::{
        Along, Change, Efforts, OfParameters, Parameters, SpectrumRun, Tape, Variant, WithParameters,
        certify, slope, spectrum,
    },
    integrator::Fault,
    system::State,
};

fn zero(half: usize) -> Change {
    Change {
        x: vec![0.0; half],
        y: vec![0.0; half],
        ..Change::default()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn pair(a: &Change, b: &Change) -> f64 {
    dot(&a.x, &b.x) + dot(&a.y, &b.y)
}

/// The gradient of `½|q − q∗|²` at every tenth state, for coordinates.
struct Cost {
    total: f64,
    target: f64,
}

impl Cost {
    fn of(&self, k: usize, state: &State) -> f64 {
        let off = state.q.iter().map(|q| (q - self.target) * (q - self.target));
        if k.is_multiple_of(10) {
            0.5 * off.sum::<f64>()
        } else {
            0.0
        }
    }
}

impl Along for Cost {
    fn at(&mut self, k: usize, state: &State, gradients: &mut [Change]) -> Result<(), Fault> {
        self.total += self.of(k, state);
        if k.is_multiple_of(10) {
            for (x, q) in gradients[0].x.iter_mut().zip(&state.q) {
                *x += q - self.target;
            }
        }
        Ok(())
    }
}

const STEPS: usize = 60;

/// By parameters of models in coordinates, forced and not: against differences of whole runs.
#[test]
fn gradients_by_parameters_are_those_of_runs() {
    for (name, keys) in [
        (
            "damped-pendulum",
            &[
                "parameters.m",
                "parameters.l",
                "parameters.c",
                "parameters.torque",
            ] as &[&str],
        ),
        (
            "double-plane-pendulum",
            &["parameters.m1", "parameters.l2", "parameters.g"],
        ),
    ] {
        for method in ["midpoint", "trapezoid-4", "midpoint-6"] {
            let value = |key: &str| match key {
                "parameters.g" => 9.81,
                "parameters.c" => 0.5,
                "parameters.torque" => 4.0,
                _ => 1.0,
            };
            let theta: Vec<f64> = keys.iter().map(|key| value(key)).collect();
            let named = format!("method.name={method}");
            let at = |theta: &[f64]| {
                let mut overrides: Vec<String> = keys
                    .iter()
                    .zip(theta)
                    .map(|(key, theta)| format!("{key}={theta:?}"))
                    .collect();
                overrides.extend([
                    "method=".to_owned(),
                    named.clone(),
                    "velocity.PLACE=1.5".to_owned(),
                ]);
                let coordinate = if name == "damped-pendulum" { "theta" } else { "a" };
                overrides[keys.len() + 2] = format!("velocity.{coordinate}=1.5");
                scenario(name, &overrides.iter().map(String::as_str).collect::<Vec<_>>())
            };
            let own = at(&theta);
            let (system, h) = (own.mechanism.system(), own.schedule.step);
            let mut parameters =
                Parameters::new(&*system, &own.state, &theta, &vec![5e-3; theta.len()], |theta| {
                    let model = at(theta);
                    Ok::<_, ()>(Variant {
                        integrator: model.integrator(),
                        start: model.state,
                    })
                })
                .unwrap();
            let mut integrator = own.integrator();
            let method_of = integrator.differentiable().unwrap();
            let mut tape = Tape::record(method_of, &own.state, h, STEPS, Efforts::default()).unwrap();
            let half = own.state.q.len();
            let mut gradient = [zero(half)];
            let mut found = OfParameters::new(
                &mut parameters,
                1,
                Cost {
                    total: 0.0,
                    target: 0.3,
                },
            );
            tape.pull(method_of, &mut gradient, &mut found).unwrap();
            let found = found.found[0].clone();

            // The same forwards: the last state by each parameter.
            let mut changes: Vec<Change> = (0..theta.len()).map(|i| parameters.start(i).clone()).collect();
            let mut with = WithParameters {
                parameters: &mut parameters,
                also: (),
            };
            tape.push(method_of, &mut changes, &mut with).unwrap();

            for i in 0..theta.len() {
                let (mut ends, cost) = (
                    Vec::new(),
                    Cost {
                        total: 0.0,
                        target: 0.3,
                    },
                );
                let whole = slope(5e-3, |shift| {
                    let mut theta = theta.clone();
                    theta[i] += shift;
                    let model = at(&theta);
                    let mut integrator = model.integrator();
                    let mut state = model.state.clone();
                    let mut total = cost.of(0, &state);
                    for k in 1..=STEPS {
                        integrator.attempt(&mut state, h).unwrap();
                        state.t = k as f64 * h;
                        total += cost.of(k, &state);
                    }
                    ends = [&state.q[..], &state.p].concat();
                    Ok::<_, ()>([&[total], &ends[..]].concat())
                })
                .unwrap();
                let size = whole.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
                let (back, forward) = (
                    (found[i] - whole[0]).abs() / size,
                    [&changes[i].x[..], &changes[i].y]
                        .concat()
                        .iter()
                        .zip(&whole[1..])
                        .fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
                        / size,
                );
                println!("{name} {method} {}: {back:.1e} {forward:.1e}", keys[i]);
                // Rounding of the solver over the offset, summed over the steps.
                assert!(
                    back < 1e-10 && forward < 1e-10,
                    "{name} {method} {}: {back:.1e} {forward:.1e}",
                    keys[i]
                );
            }
        }
    }
}

/// Masses and lengths of chains, a charge, a stiffness: the last directions against differences of whole runs.
#[test]
fn directions_change_with_parameters_as_runs_do() {
    for (name, keys, methods) in [
        (
            "double-spherical-pendulum",
            &[("body.1.mass", 1.0), ("body.2.length", 9.81)] as &[(&str, f64)],
            &["sphere-implicit", "sphere-implicit-4"] as &[&str],
        ),
        (
            "elastic-rod",
            &[("potential.2.stiffness", 10.0)],
            &["sphere-implicit", "sphere-implicit-6"],
        ),
        (
            "springs.toml",
            &[
                ("body.1.mass", 1.0),
                ("body.2.length", 1.5),
                ("potential.1.stiffness", 10.0),
            ],
            &[
                "sphere-explicit",
                "sphere-split",
                "sphere-split-4",
                "rattle",
                "stormer-verlet",
            ],
        ),
    ] {
        for method in methods {
            let theta: Vec<f64> = keys.iter().map(|(_, value)| *value).collect();
            let named = format!("method.name={method}");
            let at = |theta: &[f64]| {
                let mut overrides: Vec<String> = keys
                    .iter()
                    .zip(theta)
                    .map(|((key, _), theta)| format!("{key}={theta:?}"))
                    .collect();
                overrides.extend(["method=".to_owned(), named.clone()]);
                model(name, &overrides.iter().map(String::as_str).collect::<Vec<_>>())
            };
            let own = at(&theta);
            let (system, h) = (own.mechanism.system(), own.schedule.step);
            let offsets: Vec<f64> = theta.iter().map(|theta| 5e-3 * theta).collect();
            let mut parameters = Parameters::new(&*system, &own.state, &theta, &offsets, |theta| {
                let model = at(theta);
                Ok::<_, ()>(Variant {
                    integrator: model.integrator(),
                    start: model.state,
                })
            })
            .unwrap();
            let mut integrator = own.integrator();
            let steps = integrator.differentiable().unwrap();
            let mut tape = Tape::record(steps, &own.state, h, 20, Efforts::default()).unwrap();
            let end = tape.end().clone();
            let mut changes: Vec<Change> = (0..theta.len()).map(|i| parameters.start(i).clone()).collect();
            let mut with = WithParameters {
                parameters: &mut parameters,
                also: (),
            };
            tape.push(steps, &mut changes, &mut with).unwrap();
            // And back: the transpose of that.
            let half = changes[0].x.len();
            let mut gradient = [zero(half)];
            gradient[0]
                .x
                .iter_mut()
                .enumerate()
                .for_each(|(k, x)| *x = (1.0 + k as f64).sin());
            gradient[0]
                .y
                .iter_mut()
                .enumerate()
                .for_each(|(k, y)| *y = (2.0 + k as f64).cos());
            let given = gradient[0].clone();
            let mut of = OfParameters::new(&mut parameters, 1, ());
            tape.pull(steps, &mut gradient, &mut of).unwrap();
            let found = of.found[0].clone();
            for i in 0..theta.len() {
                let whole = slope(offsets[i], |shift| {
                    let mut theta = theta.clone();
                    theta[i] += shift;
                    let model = at(&theta);
                    let mut integrator = model.integrator();
                    let mut state = model.state.clone();
                    for k in 1..=20 {
                        integrator.attempt(&mut state, h).unwrap();
                        state.t = k as f64 * h;
                    }
                    let (x, y) = system.canonical(&end.q, &state.q, &state.p);
                    Ok::<_, ()>([x, y].concat())
                })
                .unwrap();
                let pushed = [&changes[i].x[..], &changes[i].y].concat();
                let size = pushed.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
                let apart = pushed
                    .iter()
                    .zip(&whole)
                    .fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
                    / size;
                println!("{name} {method} {}: {apart:.1e}", keys[i].0);
                // Rounding of runs of twenty steps over the offset.
                assert!(apart < 1e-9, "{name} {method} {}: {apart:.1e}", keys[i].0);
                let (back, forward) = (found[i], pair(&given, &changes[i]));
                let terms = dot(
                    &[&given.x[..], &given.y]
                        .concat()
                        .iter()
                        .map(|x| x.abs())
                        .collect::<Vec<_>>(),
                    &pushed.iter().map(|x| x.abs()).collect::<Vec<_>>(),
                );
                assert!(
                    (back - forward).abs() <= 1e-11 * terms.max(1.0),
                    "{name} {method}: {back} {forward}"
                );
            }
        }
    }
}

/// What trep's example of 2012 prints: a pendulum of unit mass and length, one-sided and symmetric forcing.
#[test]
fn the_pendulum_of_trep() {
    let pendulum = crate::common::load(
        "trep",
        r#"
        space = "lagrangian"
        coordinates = ["theta"]
        lagrangian = "0.5*theta'^2 + 9.8*cos(theta)"
        [start]
        theta = 0.2
        [momentum]
        theta = 0.5
        [method]
        name = "midpoint"
        [run]
        step = 0.1
        duration = 1
        "#,
        &[],
    );
    for (one_sided, a, b) in [
        (
            true,
            Some([
                0.9533343385552,
                0.0976667169278,
                -0.9333132288954,
                0.9533343385552,
            ]),
            [0.0097666716928, 0.0953334338555],
        ),
        (false, None, [0.0048832854598, 0.0976657091953]),
    ] {
        let efforts = Efforts {
            on: vec![0],
            values: vec![0.8],
            one_sided,
        };
        let mut integrator = pendulum.integrator();
        let steps = integrator.differentiable().unwrap();
        let mut tape = Tape::record(steps, &pendulum.state, 0.1, 1, efforts).unwrap();
        let mut changes = [zero(1), zero(1), zero(1)];
        changes[0].x[0] = 1.0;
        changes[1].y[0] = 1.0;
        struct Third;
        impl Along for Third {
            fn efforts(&mut self, _: usize, efforts: &mut [f64]) -> Result<(), Fault> {
                efforts[2] = 1.0;
                Ok(())
            }
        }
        tape.push(steps, &mut changes, &mut Third).unwrap();
        let found = [changes[0].x[0], changes[1].x[0], changes[0].y[0], changes[1].y[0]];
        println!("{found:?} {:?}", [changes[2].x[0], changes[2].y[0]]);
        if let Some(a) = a {
            for (found, a) in found.iter().zip(a) {
                assert!((found - a).abs() < 1e-13, "{found} {a}");
            }
        }
        for (found, b) in [changes[2].x[0], changes[2].y[0]].iter().zip(b) {
            assert!((found - b).abs() < 1e-13, "{found} {b}");
        }
        // Gradients by the effort are the transpose.
        struct Gathered(f64);
        impl Along for Gathered {
            fn efforts(&mut self, _: usize, efforts: &mut [f64]) -> Result<(), Fault> {
                self.0 = efforts[0];
                Ok(())
            }
        }
        for (x, y) in [(1.0, 0.0), (0.0, 1.0)] {
            let mut gradient = [zero(1)];
            (gradient[0].x[0], gradient[0].y[0]) = (x, y);
            let mut gathered = Gathered(0.0);
            tape.pull(steps, &mut gradient, &mut gathered).unwrap();
            let forward = x * changes[2].x[0] + y * changes[2].y[0];
            assert!((gathered.0 - forward).abs() < 1e-15, "{} {forward}", gathered.0);
        }
    }
}

/// A long run keeps few states, and gives the gradient that it gives when all of it is kept.
#[test]
fn memory_grows_as_the_root_and_bits_stay() {
    let model = scenario("pendulum-chain", &["chain.links=512"]);
    let mut integrator = model.integrator();
    let steps = integrator.differentiable().unwrap();
    let h = model.schedule.step;
    // 512 links take about 4600 numbers a step: 16 MB are some 450 steps.
    let count = 1000;
    let mut tape = Tape::record(steps, &model.state, h, count, Efforts::default()).unwrap();
    assert!(tape.kept() < count / 2, "{}", tape.kept());
    let mut straight = model.integrator();
    let mut state = model.state.clone();
    for k in 0..count {
        if [0, 1, 440, 700, 999].contains(&k) {
            let kept = tape.state(steps, k).unwrap();
            assert_eq!((&kept.q, &kept.p, kept.t), (&state.q, &state.p, state.t), "{k}");
        }
        straight.attempt(&mut state, h).unwrap();
        state.t = (k + 1) as f64 * h;
    }
    assert_eq!((&tape.end().q, &tape.end().p), (&state.q, &state.p));
}

/// Momenta come back as themselves, pairings stay, tangents and adjoints agree: regular motions with symmetries.
#[test]
fn certificates_of_regular_motions() {
    for (name, method, momenta) in [
        ("spherical-pendulum", "sphere-explicit", 1),
        ("spherical-pendulum", "sphere-split-6", 1),
        ("double-spherical-pendulum", "sphere-implicit", 1),
        ("double-spherical-pendulum", "sphere-implicit-4", 1),
        ("three-bodies-on-a-sphere", "sphere-explicit-4", 3),
        ("branches.toml", "sphere-implicit-6", 1),
        ("kepler", "midpoint", 1),
        ("kepler", "trapezoid-4", 1),
    ] {
        let model = model(name, &["method=", &format!("method.name={method}")]);
        let system = model.mechanism.system();
        let mut integrator = model.integrator();
        let steps = integrator.differentiable().unwrap();
        let mut tape =
            Tape::record(steps, &model.state, model.schedule.step, 100, Efforts::default()).unwrap();
        let certificate = certify(&*system, steps, &mut tape).unwrap();
        println!(
            "{name} {method}: pairing {:.1e} duality {:.1e} momenta {:?} horizon {:?}",
            certificate.pairing, certificate.duality, certificate.momenta, certificate.horizon
        );
        assert!(
            certificate.pairing <= 1e-13,
            "{name} {method}: {:.1e}",
            certificate.pairing
        );
        assert!(
            certificate.duality <= 1e-13,
            "{name} {method}: {:.1e}",
            certificate.duality
        );
        // Those that the method keeps; first integrals that are none of its momenta change by more than rounding.
        let kept = certificate.momenta.iter();
        let kept: Vec<_> = kept.filter(|momentum| momentum.change.abs() <= 1e-12).collect();
        assert!(kept.len() >= momenta, "{name}: {:?}", certificate.momenta);
        for momentum in kept {
            assert!(momentum.error <= 1e-12, "{name} {method}: {momentum:?}");
        }
        assert_eq!(certificate.horizon, None);
    }
}

/// A method that keeps no momentum is seen: friction takes it, and the pairing with it.
#[test]
fn a_certificate_shows_what_is_lost() {
    let model = scenario("damped-pendulum", &[]);
    let mut integrator = model.integrator();
    let steps = integrator.differentiable().unwrap();
    let mut tape = Tape::record(steps, &model.state, 0.01, 400, Efforts::default()).unwrap();
    let certificate = certify(&*model.mechanism.system(), steps, &mut tape).unwrap();
    assert!(certificate.pairing > 0.1, "{certificate:?}");
    assert!(certificate.duality <= 1e-13, "{certificate:?}");
}

/// In chaos the gradient grows without bound, and the certificate says where it stops to mean anything.
#[test]
fn chaos_has_a_horizon() {
    let model = scenario("double-plane-pendulum", &[]);
    let mut integrator = model.integrator();
    let steps = integrator.differentiable().unwrap();
    let mut tape = Tape::record(steps, &model.state, 0.005, 8000, Efforts::default()).unwrap();
    let certificate = certify(&*model.mechanism.system(), steps, &mut tape).unwrap();
    let (horizon, exponent) = (certificate.horizon.unwrap(), certificate.exponent.unwrap());
    println!(
        "{horizon} {exponent:?} {:.1e} {:.1e}",
        certificate.pairing, certificate.duality
    );
    // e^(λ t) with λ about 0.9/s is 1e8 after some 20 s.
    assert!((5.0..40.0).contains(&horizon), "{horizon}");
    assert!(
        exponent.is_chaotic() && certificate.pairing < 1e-12,
        "{exponent:?}"
    );
}

/// The tangent equations by complex steps in a program of its own gave 0.903 1/s over 2000 s, 0.86 to 0.93 in its parts of
/// 200 s; the exponents of a mechanism come in pairs of opposites, and energy is one that neither grows nor dies.
#[test]
fn the_spectrum_of_the_double_pendulum() {
    let model = scenario("double-plane-pendulum", &[]);
    let mut integrator = model.integrator();
    let steps = integrator.differentiable().unwrap();
    let mut state = model.state.clone();
    let run = SpectrumRun {
        h: 0.005,
        steps: 100_000,
        every: 20,
        count: 4,
        scales: [2.0, 10.0],
    };
    let found = spectrum(&*model.mechanism.system(), steps, &mut state, run).unwrap();
    let exponents = found.exponents.unwrap();
    println!("{exponents:?}");
    let [one, two, three, four] = exponents[..] else {
        unreachable!()
    };
    assert!(
        (one.value - 0.903).abs() <= 2.0 * one.error && one.error < 0.1,
        "{one:?}"
    );
    // Whatever the run, areas stay: to the rounding of 100 000 steps.
    assert!((one.value + four.value).abs() < 1e-2 && (two.value + three.value).abs() < 1e-2);
    assert!(
        two.value.abs() <= two.error.max(0.02) && three.value.abs() <= three.error.max(0.02),
        "{two:?} {three:?}"
    );
}

/// Adjoint and discretisation commute: a gradient is as accurate as the run, order by order.
#[test]
fn gradients_keep_the_order_of_the_method() {
    let gradient = |name: &str, method: &str, h: f64, time: f64| -> Vec<f64> {
        let model = model(name, &["method=", &format!("method.name={method}")]);
        let count = (time / h).round() as usize;
        let mut integrator = model.integrator();
        let steps = integrator.differentiable().unwrap();
        let mut tape = Tape::record(steps, &model.state, h, count, Efforts::default()).unwrap();
        let half = model
            .mechanism
            .system()
            .canonical(&model.state.q, &model.state.q, &model.state.p)
            .0
            .len();
        let mut gradient = [zero(half)];
        // Of a coordinate that is the same whatever the chart: for directions the height of the first.
        match model.state.q.len() == half {
            true => gradient[0].x[0] = 1.0,
            false => {
                let q = holonomy::spheres::view(&tape.end().q)[0];
                let basis = holonomy::geometry::s2::tangent_basis(&q);
                (gradient[0].x[0], gradient[0].x[1]) = (basis[(2, 0)], basis[(2, 1)]);
            }
        }
        tape.pull(steps, &mut gradient, &mut ()).unwrap();
        [&gradient[0].x[..], &gradient[0].y].concat()
    };
    for (name, time, exact, h, orders) in [
        (
            "double-plane-pendulum",
            0.4,
            "midpoint-8",
            0.02,
            &[
                ("midpoint", 2.0),
                ("trapezoid", 2.0),
                ("midpoint-4", 4.0),
                ("midpoint-6", 6.0),
            ] as &[(&str, f64)],
        ),
        (
            "spring-coupled-pendula",
            0.4,
            "sphere-explicit-8",
            0.02,
            &[
                ("sphere-explicit", 2.0),
                ("sphere-explicit-4", 4.0),
                ("sphere-split-4", 4.0),
                ("sphere-split-6", 6.0),
            ],
        ),
    ] {
        let reference = gradient(name, exact, 0.005, time);
        for (method, order) in orders {
            let error = |h: f64| {
                let found = gradient(name, method, h, time);
                found
                    .iter()
                    .zip(&reference)
                    .fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
            };
            let (coarse, fine) = (error(h), error(0.5 * h));
            let observed = (coarse / fine).log2();
            println!("{name} {method}: {coarse:.1e} {fine:.1e} {observed:.2}");
            assert!((observed - order).abs() < 0.4, "{name} {method}: {observed:.2}");
        }
    }
}

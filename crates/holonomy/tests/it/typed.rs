//! Formulas typed into models: the pendula of Beckman's notebook and the cable report, constraints, forces, frames.
use crate::common::{self, load, method, run, scenario};
use holonomy::{
    diagnostics::{distance, observed_order},
    exact::PlanePendulum,
    integrator::{Cause, catalog::Options},
    simulation::{Observer, Sample, Schedule},
    spheres::view,
    system::{Measurement, State, Undefined},
};
use holonomy_model::Model;
use std::{f64::consts::PI, ops::ControlFlow};

/// The state of a model after `time` in steps of `step`, by another method if wanted.
fn after(model: &Model, name: &str, step: f64, time: f64) -> State {
    let integrator = method(name)
        .build_with(&model.mechanism, &Options::default())
        .unwrap();
    let mut simulation = common::simulation_by(model, integrator);
    let schedule = Schedule {
        step,
        steps: (time / step).round() as u64,
        every: u64::MAX,
    };
    simulation
        .run(&schedule, &mut [])
        .unwrap_or_else(|e| panic!("{name}: {e}"));
    simulation.state
}

/// The state to about 1e-12.
fn exact(model: &Model, time: f64) -> State {
    let options = Options {
        rtol: Some(1e-14),
        atol: Some(1e-15),
        ..Options::default()
    };
    let integrator = method("dop853").build_with(&model.mechanism, &options).unwrap();
    let mut simulation = common::simulation_by(model, integrator);
    simulation.step_by(time).unwrap();
    simulation.state
}

/// Does something with every sample.
struct Each<F: FnMut(&Sample)>(F);

impl<F: FnMut(&Sample)> Observer for Each<F> {
    fn observe(&mut self, sample: &Sample) -> ControlFlow<()> {
        (self.0)(sample);
        ControlFlow::Continue(())
    }
}

/// Mean and standard deviation.
fn statistics(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
    (mean, variance.sqrt())
}

#[test]
fn the_plane_pendulum_of_document_003_has_the_errors_of_its_table() {
    // docs/reading.md 5.1: θ₀, root mean square of Euler's error and of the variational one over 10 s.
    for (angle, euler, variational) in [
        ("pi/6", 0.141, 2.7e-4),
        ("pi/4", 0.294, 3.7e-4),
        ("pi/2", 1.274, 4.8e-4),
        ("3*pi/4", 3.73, 2.4e-4),
    ] {
        let root_mean_square = |name: &str| {
            let model = scenario(
                "plane-pendulum",
                &[&format!("start.theta={angle}"), &format!("method.name={name}")],
            );
            let closed = PlanePendulum::new(9.81, model.state.q[0], 0.0);
            let (mut sum, mut count) = (0.0, 0.0);
            let mut each = Each(|sample: &Sample| {
                sum += (sample.state.q[0] - closed.at(sample.state.t).angle).powi(2);
                count += 1.0;
            });
            model.simulation().run(&model.schedule, &mut [&mut each]).unwrap();
            f64::sqrt(sum / count)
        };
        // Both are printed with two or three digits.
        let (found, wanted) = (root_mean_square("euler"), euler);
        assert!((found / wanted - 1.0).abs() < 0.01, "{angle}: Euler {found}");
        let (found, wanted) = (root_mean_square("trapezoid"), variational);
        assert!(
            (found / wanted - 1.0).abs() < 0.03,
            "{angle}: variational {found}"
        );
    }
}

#[test]
fn the_plane_pendulum_keeps_its_amplitude_until_it_is_unstable() {
    let largest = |overrides: &[&str]| {
        let model = scenario("plane-pendulum", overrides);
        let mut largest = 0.0_f64;
        let mut each = Each(|sample: &Sample| largest = largest.max(sample.state.q[0].abs()));
        let ended = model.simulation().run(&model.schedule, &mut [&mut each]);
        ended.map(|_| largest / model.state.q[0])
    };
    let kept = largest(&["run.step=0.2", "run.duration=1000"]).unwrap();
    assert!((kept - 1.0).abs() < 1e-3, "{kept}");
    // The linear limit is 2/√g = 0.6386 s.
    let small = ["start.theta=1e-6", "run.duration=", "run.steps=400"];
    let stable = largest(&[&small[..], &["run.step=0.63"]].concat()).unwrap();
    assert!(stable < 10.0, "{stable}");
    let unstable = largest(&[&small[..], &["run.step=0.64"]].concat()).unwrap();
    assert!(unstable > 1e3, "{unstable}");
}

#[test]
fn the_notebook_of_document_002_measures_its_own_backward_difference() {
    // docs/reading.md 4.1, 25 s at 1 ms: the notebook's energy 11.5487 ± 0.0136; at the middle of the steps ± 5.2e-5.
    let model = scenario("pitch-cone-roll", &["run.every=1"]);
    let (m, c, g) = (1.0, 1.2, 9.81);
    let energy = |q: [f64; 2], v: [f64; 2]| {
        let kinetic = 0.5 * m * c * c * (v[0] * v[0] + (q[0].cos() * v[1]).powi(2));
        kinetic + m * g * c * q[0].cos() * q[1].cos()
    };
    let mut path: Vec<[f64; 2]> = Vec::new();
    let mut each = Each(|sample: &Sample| path.push([sample.state.q[0], sample.state.q[1]]));
    model.simulation().run(&model.schedule, &mut [&mut each]).unwrap();
    let slope = |pair: &[[f64; 2]]| [0, 1].map(|i| (pair[1][i] - pair[0][i]) / model.schedule.step);
    let rest = [energy(path[0], [0.0; 2]), energy(path[1], [0.0; 2])];
    let backward = path[1..].windows(2).map(|pair| energy(pair[1], slope(pair)));
    let notebook: Vec<f64> = rest.into_iter().chain(backward).collect();
    let middle: Vec<f64> = path
        .windows(2)
        .map(|pair| energy([0, 1].map(|i| 0.5 * (pair[0][i] + pair[1][i])), slope(pair)))
        .collect();
    let (mean, deviation) = statistics(&notebook);
    assert!(
        (mean - 11.5487).abs() < 5e-5 && (deviation - 0.0136).abs() < 5e-5,
        "{mean} ± {deviation}"
    );
    let (mean, deviation) = statistics(&middle);
    assert!(
        (mean - 11.549006).abs() < 1e-6 && (deviation - 5.2e-5).abs() < 1e-6,
        "{mean} ± {deviation}"
    );
}

#[test]
fn pitch_and_cone_roll_lose_the_vertical_momentum_and_come_to_the_equator() {
    // docs/reading.md 4.1: J_z, truly 0, is −1.0e-3 after 25 s, −9e-6 with a tenth of the step; cos δ falls to 0.0065 near 60 s.
    let momentum = |overrides: &[&str]| {
        let (_, record, _) = run(&scenario("pitch-cone-roll", overrides));
        record.momenta[0].1
    };
    let (coarse, fine) = (momentum(&[]), momentum(&["run.step=1e-4", "run.every=50"]));
    assert!((coarse / 1.0e-3 - 1.0).abs() < 0.05, "{coarse:e}");
    assert!((fine / 9e-6 - 1.0).abs() < 0.2, "{fine:e}");

    let model = scenario("pitch-cone-roll", &["run.duration=65", "run.every=1"]);
    let (mut nearest, mut when, mut worst, mut calm) = (1.0_f64, 0.0, 0.0_f64, 0.0_f64);
    let energy = model.mechanism.system().energy(&model.state).total();
    let mut each = Each(|sample: &Sample| {
        let off = (sample.measured.energy.total() - energy).abs();
        if sample.state.t < 50.0 {
            calm = calm.max(off);
        }
        worst = worst.max(off);
        let cosine = sample.state.q[0].cos().abs();
        if cosine < nearest {
            (nearest, when) = (cosine, sample.state.t);
        }
    });
    model.simulation().run(&model.schedule, &mut [&mut each]).unwrap();
    println!(
        "cos δ = {nearest:.4} at {when:.2} s; energy off by {calm:.1e} J before 50 s, by {worst:.1e} J at worst"
    );
    assert!(nearest < 0.02 && (when - 60.0).abs() < 4.0, "{nearest} at {when}");
    assert!(calm < 1e-3 && worst > 100.0 * calm, "{calm:e} {worst:e}");
}

#[test]
fn the_same_pendulum_on_the_sphere_keeps_its_momentum_and_passes() {
    // The start of `pitch-cone-roll` as a direction; 9.5e-5 J is the largest error that docs/reading.md 4.1 gives for 1 ms.
    let (delta, eta) = (PI / 18.0, PI / 36.0);
    let direction = format!(
        "[{}, {}, {}]",
        delta.sin(),
        delta.cos() * eta.sin(),
        delta.cos() * eta.cos()
    );
    let text = format!(
        r#"
        body = [{{ mass = 1.0, length = 1.2, direction = {direction} }}]
        potential = [{{ kind = "gravity", acceleration = [0, 0, -9.81] }}]
        method = {{ name = "sphere-explicit" }}
        run = {{ step = 0.001, duration = 100, every = 5 }}
        "#
    );
    let (_, record, _) = run(&load("sphere", &text, &[]));
    let [(start, change)] = record.momenta[..] else {
        panic!("{:?}", record.momenta)
    };
    // 10⁵ steps of rounding.
    assert!(start.abs() < 1e-14 && change < 1e-13, "{start:e} {change:e}");
    assert!(
        (record.energy.max_error / 9.5e-5 - 1.0).abs() < 0.05,
        "{:e}",
        record.energy.max_error
    );
}

/// A double spherical pendulum as two points and two rods.
const DOUBLE: &str = r#"
    space = "lagrangian"
    coordinates = ["a", "b"]
    lagrangian = "0.5*m1*dot(a', a') + 0.5*m2*dot(b', b') + g*(m1*a.z + m2*b.z)"
    parameters = { m1 = 1.0, m2 = 0.7, l1 = 1.0, l2 = 0.8, g = 9.81 }
    constraint = [
        { name = "upper", formula = "0.5*(dot(a, a) - l1^2)" },
        { name = "lower", formula = "0.5*(dot(b - a, b - a) - l2^2)" },
    ]
    start = { a = [0.6, 0, 0.8], b = [0.6, 0.48, 1.44] }
    velocity = { a = [0.4, 0.5, -0.3], b = [0.9, 0.5, -0.3] }
    method = { name = "trapezoid" }
    run = { step = 0.01, duration = 1 }
"#;

/// The same on spheres: ω = q × q̇.
const SPHERES: &str = r#"
    body = [
        { name = "upper", mass = 1.0, length = 1.0, direction = [0.6, 0, 0.8], angular_velocity = [-0.4, 0.5, 0.3] },
        { name = "lower", parent = "upper", mass = 0.7, length = 0.8, direction = [0, 0.6, 0.8], angular_velocity = [0, 0.5, -0.375] },
    ]
    potential = [{ kind = "gravity", acceleration = [0, 0, 9.81] }]
    method = { name = "sphere-implicit" }
    run = { step = 0.01, duration = 1 }
"#;

/// Where the bobs are: the points of one model, the sites of the other.
fn bobs(model: &Model, state: &State) -> Vec<f64> {
    let system = model.mechanism.system();
    let mut sites = vec![holonomy::Vec3::zeros(); system.layout().drawing.bases.len()];
    system.sites(state.t, &state.q, &mut sites);
    match sites.is_empty() {
        true => state.q.clone(),
        false => sites.iter().flat_map(|site| site.iter().copied()).collect(),
    }
}

fn farthest(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn a_double_spherical_pendulum_typed_and_on_spheres() {
    let (typed, spheres) = (load("double", DOUBLE, &[]), load("spheres", SPHERES, &[]));
    let energies = [&typed, &spheres].map(|model| model.mechanism.system().energy(&model.state).total());
    assert!(
        (energies[0] - energies[1]).abs() < 1e-14 * energies[0].abs(),
        "{energies:?}"
    );
    // Trapezoid with multipliers is RATTLE, which on spheres is the variational method: the same map.
    let same = farthest(
        &bobs(&typed, &after(&typed, "trapezoid", 0.01, 2.0)),
        &bobs(&spheres, &after(&spheres, "sphere-implicit", 0.01, 2.0)),
    );
    assert!(same < 1e-12, "{same:e}");
    // Another method agrees to its order.
    let reference = bobs(&spheres, &after(&spheres, "sphere-implicit-8", 0.002, 1.0));
    for (name, steps) in [
        ("midpoint", [0.01, 0.005, 0.0025]),
        ("midpoint-4", [0.02, 0.01, 0.005]),
    ] {
        let errors = steps.map(|h| farthest(&bobs(&typed, &after(&typed, name, h, 1.0)), &reference));
        let order = observed_order(&steps, &errors);
        println!("{name}: order {order:.3}, errors {errors:?}");
        assert!(
            (order - f64::from(method(name).order)).abs() < 0.1,
            "{name}: {order} {errors:?}"
        );
    }
}

#[test]
fn multipliers_are_the_forces_of_the_rods() {
    // A bob at rest below its pivot: with the gradient of length l the multiplier is m g / l.
    let model = load(
        "rod",
        r#"
        space = "lagrangian"
        coordinates = ["x", "z"]
        lagrangian = "0.5*m*(x'^2 + z'^2) + m*9.81*z"
        parameters = { m = 2 }
        constraint = [{ name = "rod", formula = "sqrt(x^2 + z^2) - 0.5" }]
        start = { x = 0, z = 0.5 }
        method = { name = "midpoint" }
        run = { step = 0.01, steps = 10 }
        "#,
        &[],
    );
    assert!(
        (model.state.lambda[0] - 2.0 * 9.81).abs() < 1e-13,
        "{:?}",
        model.state.lambda
    );
    let (simulation, record, _) = run(&model);
    assert!(
        (simulation.state.lambda[0] - 2.0 * 9.81).abs() < 1e-12,
        "{:?}",
        simulation.state.lambda
    );
    assert_eq!(record.constraint, Some(0.0));
}

#[test]
fn a_forced_damped_pendulum_converges_at_its_order() {
    let model = scenario("damped-pendulum", &[]);
    let reference = exact(&model, 4.0);
    for name in ["midpoint", "trapezoid"] {
        let steps = [0.02, 0.01, 0.005];
        let errors = steps.map(|h| distance(&after(&model, name, h, 4.0), &reference));
        let order = observed_order(&steps, &errors);
        println!("{name}: order {order:.3}, errors {errors:?}");
        assert!((order - 2.0).abs() < 0.02, "{name}: {order}");
    }
}

#[test]
fn the_bead_on_the_hoop_depends_on_time_and_converges() {
    let model = scenario("bead-on-a-rotating-hoop", &[]);
    assert!(model.mechanism.system().layout().conserved.driven);
    let reference = exact(&model, 6.0);
    for (name, steps) in [
        ("midpoint", [0.02, 0.01, 0.005]),
        ("midpoint-6", [0.1, 0.08, 0.06]),
    ] {
        let errors = steps.map(|h| distance(&after(&model, name, h, 6.0), &reference));
        let order = observed_order(&steps, &errors);
        println!("{name}: order {order:.3}, errors {errors:?}");
        assert!(
            (order - f64::from(method(name).order)).abs() < 0.2,
            "{name}: {order}"
        );
    }
}

#[test]
fn the_frame_of_formulas_is_the_integrator_on_the_sphere() {
    // Zenkov–Leok–Bloch: Γ³ is the height of the bob. All three rotations are in the frame; with two it is not closed.
    let text = r#"
        space = "lagrangian"
        coordinates = ["Gamma"]
        lagrangian = "0.5*(spin1^2 + spin2^2 + spin3^2) - Gamma.z"
        frame.constrained = ["spin3"]
        frame.fields = { spin1 = "cross(Gamma, [1, 0, 0])", spin2 = "cross(Gamma, [0, 1, 0])", spin3 = "cross(Gamma, [0, 0, 1])" }
        start = { Gamma = [0.3, 0.2, -0.9327379053088815] }
        velocity = { spin1 = 0.6 }
        method = { name = "hamel" }
        run = { step = 0.2, steps = 500 }
    "#;
    let framed = load("frame", text, &[]);
    let (simulation, ..) = run(&framed);
    let (sphere, ..) = run(&scenario("hamel-pendulum", &["run.duration=100"]));
    let difference = (simulation.state.q[2] - view(&sphere.state.q)[0].z).abs();
    // 500 steps of rounding, amplified as the motion does.
    assert!(difference < 1e-12, "{difference:e}");
}

#[test]
fn a_formula_without_a_value_stops_the_run_with_its_text() {
    for name in ["midpoint", "trapezoid-4", "rk4", "dop853"] {
        let model = load(
            "well",
            r#"
            space = "lagrangian"
            coordinates = ["x"]
            lagrangian = "0.5*x'^2 - x + 0.001*log(x)"
            start = { x = 1 }
            velocity = { x = -3 }
            method = { name = "midpoint" }
            run = { step = 0.05, duration = 10 }
            "#,
            &[&format!("method.name={name}"), "run.step=0.2"],
        );
        let mut simulation = model.simulation();
        let Err(error) = simulation.run(&model.schedule, &mut []) else {
            // An adaptive method sees the wall and turns round.
            assert_eq!(name, "dop853");
            continue;
        };
        assert!(
            matches!(
                error.source.step().unwrap().fault.cause,
                Cause::Undefined(Undefined::Expression { .. })
            ),
            "{name}: {error}"
        );
        assert!(error.to_string().contains("log(x)"), "{name}: {error}");
        assert!(simulation.state.is_finite());
    }
}

#[test]
fn a_step_does_not_end_where_the_formula_has_no_value() {
    // The middle of the last step is inside the domain, its end is not.
    let text = r#"
        coordinates = ["x"]
        lagrangian = "0.5*x'^2 + sqrt(x)"
        start = { x = 1 }
        velocity = { x = -3 }
        method = { name = "midpoint" }
        run = { step = 0.15, duration = 3 }
    "#;
    let model = load("root", text, &[]);
    let mut finite = true;
    let mut each = Each(|sample: &Sample| finite &= sample.measured.energy.total().is_finite());
    let error = model
        .simulation()
        .run(&model.schedule, &mut [&mut each])
        .unwrap_err();
    assert!(finite && error.to_string().contains("sqrt(x)"), "{error}");
}

#[test]
fn nonholonomic_scenarios_end_where_their_theory_says() {
    // The sleigh turns round and goes forward; Suslov's body ends on the other side of the line aΩ₁ + bΩ₂ = 0.
    let measured = |name: &str, overrides: &[&str]| {
        let model = scenario(name, overrides);
        let (simulation, record, _) = run(&model);
        let mut out = Measurement::default();
        let system = model.mechanism.system();
        system.measure(&simulation.state, &mut out, &mut system.scratch());
        // The bracket does no work: what is left is rounding.
        assert!(
            record.energy.max_error < 1e-13,
            "{name}: {:e}",
            record.energy.max_error
        );
        out.velocity
    };
    let sleigh = measured("chaplygin-sleigh", &["run.duration=60"]);
    // ½mv² + ½(i + ma²)ω² = 0.60076 J, all of it in the end forward.
    let speed = f64::sqrt(2.0 * 0.6007599999999999 / 1.2);
    assert!(
        (sleigh[0] - speed).abs() < 1e-8 && sleigh[1].abs() < 1e-6,
        "{sleigh:?}"
    );
    let suslov = measured("suslov", &["run.duration=200"]);
    assert!((0.4 * suslov[0] - 0.3 * suslov[1]).abs() < 1e-8, "{suslov:?}");
}

//! Potentials given as formulas: the same as those written in Rust, and honest about symmetry and domain.
use crate::common::{self, load, method};
use holonomy::{
    Vec3,
    formula::{Formula, Kind, Scope},
    integrator::{
        Cause,
        catalog::{METHODS, Options},
    },
    potential::{FormulaPotential, Gravity, Potential, Spring, Symmetry},
    simulation::Schedule,
    spheres::view,
    system::{Mechanism, System},
};
use holonomy_model::Model;

/// A formula of the vectors `a`, `b`, `c`: points 0, 1 and 2.
pub(crate) fn typed(text: &str) -> FormulaPotential {
    let mut scope = Scope::new();
    for (k, name) in ["a", "b", "c"].into_iter().enumerate() {
        scope.variable(name, Kind::Vector, 3 * k).unwrap();
    }
    let formula = Formula::parse_as(Kind::Scalar, text, &scope).unwrap();
    FormulaPotential::new(&formula, |vector| vector)
}

/// Some points without any regularity.
fn places(number: u32) -> Vec<Vec3> {
    let at = |k: u32| f64::from(number * 9 + k);
    let place = |k: u32| {
        Vec3::new(
            (1.3 * at(k)).sin(),
            (2.1 * at(k + 1)).cos(),
            (0.7 * at(k + 2)).sin(),
        )
    };
    (0..3).map(|k| place(3 * k)).collect()
}

fn assert_same(typed: &dyn Potential, written: &dyn Potential) {
    for points in (0..100).map(places) {
        let (value, expected) = (typed.energy(&points), written.energy(&points));
        assert!(
            (value - expected).abs() <= 1e-14 * (1.0 + expected.abs()),
            "{value} {expected}"
        );
        let (mut slopes, mut others) = (vec![Vec3::zeros(); 3], vec![Vec3::zeros(); 3]);
        typed.add_gradient(&points, &mut slopes);
        written.add_gradient(&points, &mut others);
        for (slope, other) in slopes.iter().zip(&others) {
            assert!(
                (slope - other).amax() <= 1e-14 * (1.0 + other.amax()),
                "{slope} {other}"
            );
        }
    }
    assert_eq!(typed.symmetry(), written.symmetry());
    assert_eq!(typed.is_uniform(), written.is_uniform());
}

#[test]
fn a_typed_spring_is_the_spring_and_typed_gravity_is_gravity() {
    let spring = Spring {
        between: [0, 1],
        stiffness: 3.0,
        length: 0.4,
    };
    assert_same(&typed("0.5*3*(norm(a - b) - 0.4)^2"), &spring);
    let gravity = Gravity {
        acceleration: Vec3::z() * 9.81,
        weights: vec![1.0, 0.0, 2.5],
        offset: 0.7,
    };
    assert_same(&typed("0.7 - 9.81*a.z - 2.5*9.81*c.z"), &gravity);
}

/// Two pendula on pivots of their own, with a spring and gravity; twice: as kinds, and as a formula.
fn pendula(pivots: [&str; 2], potentials: &str) -> Model {
    let [first, second] = pivots;
    let text = format!(
        r#"
        body = [
            {{ name = "upper", mass = 1.0, direction = [0.6, 0, 0.8], pivot = {first}, angular_velocity = [-0.4, 0.7, 0.3] }},
            {{ name = "low-1", mass = 2.0, length = 0.8, direction = [0, 0.6, 0.8], pivot = {second} }},
        ]
        potential = [{potentials}]
        method = {{ name = "sphere-split-4" }}
        run = {{ step = 0.01, steps = 1000, every = 10 }}
        "#
    );
    load("pendula", &text.replace(",\n        ]", "]"), &[])
}

const WRITTEN: &str = r#"
    { kind = "spring", between = ["upper", "low-1"], at = [1, 0.5], stiffness = 3, rest_length = 0.4 },
    { kind = "gravity", acceleration = [0, 0, 9.81] }"#;
const TYPED: &str = r#"{ kind = "formula", energy = "0.5*k*stretch^2 - g*(upper.z + 2*lower.z)",
    definitions = { stretch = "norm(upper - mid) - l0" }, parameters = { k = "3 N/m", l0 = "40 cm", g = 9.81 },
    points = { lower = "low-1", mid = { body = 2, at = "50 cm" } } }"#;

#[test]
fn trajectories_of_typed_and_written_potentials() {
    let pivots = ["[0, 0, 0]", "[0.3, 0, 0]"];
    let (written, typed) = (pendula(pivots, WRITTEN), pendula(pivots, TYPED));
    for name in ["sphere-split-4", "sphere-implicit", "rattle", "dop853"] {
        let run = |model: &Model| {
            let integrator = method(name)
                .build_with(&model.mechanism, &Options::default())
                .unwrap();
            let mut simulation = common::simulation_by(model, integrator);
            simulation.run(&model.schedule, &mut []).unwrap();
            simulation.state
        };
        let (a, b) = (run(&written), run(&typed));
        let error = view(&a.q)
            .iter()
            .zip(view(&b.q))
            .map(|(a, b)| (a - b).amax())
            .fold(0.0, f64::max);
        // Differences of rounding, 1e-16 at a time, over 1000 steps of a motion that is not chaotic here.
        assert!(error <= 1e-13, "{name}: {error:e}");
    }
}

fn invariants(model: &Model) -> Vec<String> {
    let Mechanism::Spheres(spheres) = &model.mechanism else {
        panic!("on spheres")
    };
    spheres.layout().conserved.invariants.clone()
}

#[test]
fn momenta_that_are_kept_are_those_of_the_mechanism() {
    let spring = r#"{ kind = "formula", energy = "norm(upper - low)^2", points = { low = "low-1" } }"#;
    let gravity = r#"{ kind = "formula", energy = "9.81*(upper.z + 2*low.z)", points = { low = "low-1" } }"#;
    let central = r#"{ kind = "formula", energy = "norm(upper)^2" }"#;
    let directed =
        r#"{ kind = "formula", energy = "dot(u, v)^2 + v.y", directions = { u = 1, v = "low-1" } }"#;
    let z = "angular momentum z".to_owned();
    let y = "angular momentum y".to_owned();
    let x = "angular momentum x".to_owned();
    let all = vec![x.clone(), y.clone(), z.clone()];
    let here = ["[0, 0, 0]", "[0, 0, 0]"];
    let aside = ["[1, 0, 0]", "[1, 0, 0]"];
    let apart = ["[0, 0, 0]", "[0.3, 0, 0]"];
    for (pivots, potential, kept) in [
        (here, spring, all.clone()),
        (aside, spring, all.clone()),
        (apart, spring, vec![x.clone()]),
        (here, gravity, vec![z.clone()]),
        (apart, gravity, vec![z.clone()]),
        // About the origin, on which the first one hangs; then about a place beside its pivot.
        (here, central, all),
        (aside, central, vec![x]),
        (apart, directed, vec![y]),
    ] {
        assert_eq!(
            invariants(&pendula(pivots, potential)),
            kept,
            "{potential} on {pivots:?}"
        );
    }
    // Together with a kind written in Rust.
    let both = format!(r#"{gravity}, {{ kind = "gravity", acceleration = [0, 0, 1] }}"#);
    assert_eq!(invariants(&pendula(apart, &both)), [z]);
}

#[test]
fn an_obstacle_that_is_seldom_met_breaks_the_symmetry() {
    assert_eq!(
        typed("max(0, 0.01 - norm(a - [0.1, 0, 0]))^2").symmetry(),
        Symmetry::About(Vec3::x())
    );
    let two = "max(0, 0.01 - norm(a - [0.1, 0, 0]))^2 + max(0, 0.01 - norm(b - [0, 0.2, 0.3]))^2";
    assert_eq!(typed(two).symmetry(), Symmetry::None);
    assert_eq!(typed("max(0, 0.01 - norm(a - b))^2").symmetry(), Symmetry::All);
    assert_eq!(
        typed("abs(a.x) + min(b.x, dot(a, b))").symmetry(),
        Symmetry::About(Vec3::x())
    );
    // No value anywhere: nothing is claimed.
    assert_eq!(typed("sqrt(-1 - dot(a, a))").symmetry(), Symmetry::None);
    // An axis that is none of the coordinates'.
    let Symmetry::About(axis) = typed("dot(a, [1, 2, 2]) + norm(a - b)").symmetry() else {
        panic!("an axis")
    };
    assert!(axis.cross(&(Vec3::new(1.0, 2.0, 2.0) / 3.0)).norm() < 1e-14);
}

#[test]
fn typed_uniform_gravity_steps_as_gravity_does() {
    let gravity = r#"{ kind = "gravity", acceleration = [0, 0, 9.81] }"#;
    let formula = r#"{ kind = "formula", energy = "-9.81*(upper.z + 2*low.z)", points = { low = "low-1" } }"#;
    let step = |potential: &str| {
        let model = pendula(["[0, 0, 0]", "[0, 0, 0]"], potential);
        let Mechanism::Spheres(spheres) = &model.mechanism else {
            panic!("on spheres")
        };
        assert!(spheres.uniform_gradient().is_some());
        let mut integrator = method("sphere-hamel")
            .build_with(&model.mechanism, &Options::default())
            .unwrap();
        let mut state = model.state.clone();
        for _ in 0..100 {
            integrator.attempt(&mut state, 0.01).unwrap();
        }
        state.q
    };
    let (written, typed) = (step(gravity), step(formula));
    let error = written.iter().zip(&typed).map(|(a, b)| (a - b).abs());
    assert!(error.fold(0.0, f64::max) < 1e-14);
}

/// Falls through the plane where its energy ends, with finite forces up to there.
const FALL: &str = r#"
    body = [{ name = "bob", mass = 1, direction = [0.8, 0, 0.6] }]
    potential = [{ kind = "formula", energy = "9.81*bob.z + edge", definitions = { edge = "(bob.z + 0.5)^1.5" } }]
    method = { name = "sphere-explicit" }
    run = { step = 0.01, steps = 1000 }
"#;

#[test]
fn a_formula_without_a_value_stops_every_method() {
    let model = load("fall", FALL, &[]);
    let mut met = 0;
    for m in METHODS {
        let Ok(integrator) = m.build_with(&model.mechanism, &Options::default()) else {
            continue;
        };
        let mut simulation = common::simulation_by(&model, integrator);
        let schedule = Schedule {
            step: 0.05,
            steps: 100,
            every: 1,
        };
        let error = simulation.run(&schedule, &mut []).unwrap_err();
        assert!(
            matches!(error.source.step().unwrap().fault.cause, Cause::Undefined(_)),
            "{}: {error}",
            m.name
        );
        let said = error.message;
        assert!(said.contains("(bob.z + 0.5)^1.5` has no value for -"), "{said}");
        assert!(simulation.state.is_finite());
        met += 1;
    }
    assert!(met >= 20, "{met}");
}

#[test]
fn after_a_fault_the_same_step_fails_again() {
    let model = load("fall", FALL, &[]);
    for name in [
        "sphere-explicit",
        "sphere-split",
        "sphere-implicit",
        "sphere-hamel",
    ] {
        let mut integrator = method(name)
            .build_with(&model.mechanism, &Options::default())
            .unwrap();
        let mut state = model.state.clone();
        // Below the plane from the beginning.
        view_down(&mut state.q);
        for _ in 0..2 {
            let fault = integrator.attempt(&mut state, 0.01).unwrap_err();
            assert!(matches!(fault.cause, Cause::Undefined(_)), "{name}: {fault:?}");
        }
    }
}

fn view_down(q: &mut [f64]) {
    q.copy_from_slice(&[0.6, 0.0, -0.8]);
}

#[test]
fn threads_share_a_potential() {
    let potential = typed("0.5*(norm(a - b) - 0.4)^2 + log(2 + dot(b, c))");
    let run = || {
        let mut sum = vec![Vec3::zeros(); 3];
        for points in (0..2000).map(places) {
            potential.add_gradient(&points, &mut sum);
        }
        sum
    };
    let alone = run();
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
        for thread in all {
            assert_eq!(thread.join().unwrap(), alone);
        }
    });
}

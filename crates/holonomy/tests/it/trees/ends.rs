//! What ends a run: constraints that drives contradict, numbers that are not finite, cables with no slack at all.
use holonomy::{
    diagnostics::Record,
    integrator::Cause,
    simulation::{Observer, RunError, RunFault, Sample, SampleFault, Schedule, Simulation},
    system::{Energy, Measured, Measurement},
};
use holonomy_model::{Model, Problem, Source, load};

fn try_load(text: &str, method: &str) -> Result<Model, Vec<Problem>> {
    load(&Source::new("end", text.replace("METHOD", method)))
}

fn model(text: &str, method: &str) -> Model {
    try_load(text, method).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn run(model: &Model) -> (Simulation, Record, Result<u64, RunError>) {
    let (mut simulation, mut record) = (model.simulation(), Record::default());
    let ended = simulation.run(&model.schedule, &mut [&mut record]);
    (simulation, record, ended.map(|report| report.work.steps))
}

/// A driven slider under a rod to the world: x = 0.1 sin t, 1 m above the end of a rod of 1 m.
const AGAINST: &str = r#"
space = "tree"
site = [{ name = "w", at = [0, 0, 0] }]
method = { name = "METHOD" }
run = { step = 0.01, duration = 1 }

[[body]]
name = "slider"
joint = { kind = "prismatic", axis = [1, 0, 0] }
mass = 1
driven = "DRIVEN"
sites = { p = [0, 0, 1] }

[[constraint]]
name = "rod"
kind = "distance"
between = ["slider/p", "world/w"]
length = "LENGTH"
"#;

#[test]
fn a_constraint_that_a_drive_contradicts_is_refused() {
    println!(
        "claim: √(1 + x²) = 1 m is not met by x = 0.1 sin t; `check` said ok, and rk4 ran with |g| = 3.5e-3 m"
    );
    let against = AGAINST.replace("DRIVEN", "0.1*sin(t)").replace("LENGTH", "1");
    for method in ["tree-variational", "rk4", "dop853"] {
        let problems = try_load(&against, method).err().expect("it is refused");
        let text = format!("{problems:?}");
        assert!(text.contains("`rod`") && text.contains("`slider`"), "{text}");
        assert!(problems.iter().all(|problem| !problem.span.is_empty()), "{text}");
    }
    // The same rod as long as the drive wants it, and a drive along the circle: nothing is contradicted.
    let with = AGAINST
        .replace("DRIVEN", "0.1*sin(t)")
        .replace("LENGTH", "sqrt(1 + (0.1*sin(t))^2)");
    let still = AGAINST.replace("DRIVEN", "0*t").replace("LENGTH", "1");
    for text in [with, still] {
        for method in ["tree-variational", "rk4"] {
            let (_, record, steps) = run(&model(&text, method));
            assert_eq!(steps.ok(), Some(100));
            assert!(record.constraint.unwrap() < 1e-12, "{:?}", record.constraint);
        }
    }
}

/// A bead on z, on a rod of 1 m to a slider at x = 2t: out of reach from t = 0.5 s on.
const OUT_OF_REACH: &str = r#"
space = "tree"
method = { name = "METHOD" }
run = { step = 1e-3, duration = 1 }

[[body]]
name = "slider"
joint = { kind = "prismatic", axis = [1, 0, 0] }
mass = 1
driven = "2*t"
sites = { p = [0, 0, 0] }

[[body]]
name = "bead"
joint = { kind = "prismatic", axis = [0, 0, 1] }
mass = 1
position = 1
sites = { p = [0, 0, 0] }

[[constraint]]
name = "rod"
kind = "distance"
between = ["slider/p", "bead/p"]
length = 1
"#;

#[test]
fn a_contradiction_that_comes_later_ends_the_run() {
    println!("claim: a rod of 1 m cannot reach a slider at 2t m after 0.5 s, whatever the method");
    for method in ["tree-variational", "rk4", "dop853"] {
        let (simulation, _, ended) = run(&model(OUT_OF_REACH, method));
        let error = ended.expect_err("it ends");
        println!("{method}: {error}");
        assert!(error.t > 0.4 && error.t < 0.55, "{method}: {error}");
        assert_eq!(error.t, simulation.state.t);
        assert!(
            error.message.contains("`rod`") || method == "dop853",
            "{method}: {error}"
        );
    }
}

/// Only a damper acts: v' = −40 v, and by rk4 with h = 0.1, where z = hλ = −4, v becomes v (1 + z + z²/2 + z³/6 + z⁴/24)
/// = 5 v in each step.
const UNSTABLE: &str = r#"
space = "tree"
site = [{ name = "w", at = [-1, 0, 0] }]
damper = [{ between = ["slider/p", "w"], coefficient = 40 }]
method = { name = "METHOD" }
run = { step = 0.1, steps = 1000 }

[[body]]
name = "slider"
joint = { kind = "prismatic", axis = [1, 0, 0] }
mass = 1
velocity = 1
sites = { p = [0, 0, 0] }
"#;

const UNSTABLE_FORMULA: &str = r#"
space = "lagrangian"
coordinates = ["x"]
lagrangian = "0.5*x'^2"
force = { x = "-40*x'" }
start = { x = 0 }
velocity = { x = 1 }
method = { name = "METHOD" }
run = { step = 0.1, steps = 1000 }
"#;

#[test]
fn an_energy_that_is_not_finite_ends_the_run_at_the_sample_before() {
    println!(
        "claim: ½·25ᵏ J overflows at k = 221; the run ends there with exit 1, its state that of k = 220"
    );
    // A formula has no value beyond the largest number: the step fails there.
    let error = run(&model(UNSTABLE_FORMULA, "rk4")).2.expect_err("it ends");
    assert_eq!((error.step, error.work.steps), (221, 220), "{error}");
    let text = UNSTABLE;
    let (simulation, record, ended) = run(&model(text, "rk4"));
    let error = ended.expect_err("it ends");
    let RunFault::Sample(SampleFault::NotFinite { number, value, t }) = error.source else {
        panic!("{error}");
    };
    assert_eq!((number, value), (Measured::KineticEnergy, f64::INFINITY));
    assert_eq!((error.step, error.work.steps), (221, 220));
    assert!((t - 22.1).abs() < 1e-12, "{t}");
    assert_eq!((simulation.steps(), record.samples), (220, 221));
    let energy = simulation.system().energy(&simulation.state).total();
    assert!(
        energy.is_finite() && energy > 1e306 && record.energy.last == energy,
        "{energy}"
    );
    assert!(error.message.contains("kinetic energy is inf"), "{error}");
    // Looked at every 50 steps only, the run ends at the sample before.
    let mut seldom = model(text, "rk4");
    seldom.schedule = Schedule {
        every: 50,
        ..seldom.schedule
    };
    let (simulation, _, ended) = run(&seldom);
    assert_eq!((ended.expect_err("it ends").step, simulation.steps()), (201, 200));
}

#[test]
fn a_record_does_not_lose_what_is_not_a_number() {
    println!(
        "claim: the largest of errors, one of which is not a number, is not a number: `f64::max` took the others"
    );
    let model = model(UNSTABLE, "rk4");
    let system = model.mechanism.system();
    let mut record = Record::default();
    for energy in [1.0, f64::NAN, 2.0] {
        let measured = Measurement {
            energy: Energy {
                kinetic: energy,
                potential: 0.0,
            },
            constraint: Some(energy),
            ..Measurement::default()
        };
        let sample = Sample {
            step: 0,
            system: &*system,
            state: &model.state,
            measured: &measured,
        };
        let _ = record.observe(&sample);
    }
    assert!(record.energy.max_error.is_nan(), "{:?}", record.energy);
    assert!(record.constraint.unwrap().is_nan(), "{:?}", record.constraint);
}

#[test]
fn a_start_whose_energy_is_not_finite_is_refused_at_the_number_that_makes_it() {
    println!("claim: ½ m v² of 1e200 kg at 1e100 m/s overflows; `check` said ok, energy inf J");
    let text = UNSTABLE
        .replace("mass = 1", "mass = 1e200")
        .replace("velocity = 1", "velocity = 1e100");
    let problems = try_load(&text, "rk4").err().expect("it is refused");
    let text = format!("{problems:?}");
    assert!(text.contains("energy at the start is"), "{text}");
    assert!(!problems[0].span.is_empty() && text.contains("mass"), "{text}");
}

/// A cable exactly as long as its span, across gravity.
const STRETCHED: &str = r#"
space = "tree"
gravity = GRAVITY
site = [{ name = "a", at = [0, 0, 0] }, { name = "b", at = [3, 0, 0] }]
cable = [{ name = "rope", from = "a", to = "b", segments = 5, length = LENGTH, mass = 1, plane = [0, 1, 0] }]
method = { name = "METHOD" }
run = { step = 0.01, steps = 50 }
"#;

#[test]
fn a_cable_exactly_as_long_as_its_span_says_so() {
    println!("claim: no finite tension holds it; the message was \"still moves by 1e-17\"");
    let text = STRETCHED
        .replace("GRAVITY", "[0, 0, -9.81]")
        .replace("LENGTH", "3");
    let (_, _, ended) = run(&model(&text, "tree-variational"));
    let error = ended.expect_err("it ends");
    let cause = error.source.step().unwrap().fault.cause;
    assert!(matches!(cause, Cause::Stretched { .. }), "{error}");
    assert!(error.message.contains("`rope"), "{error}");
    // Nothing pulls it aside, or there is some slack: it runs.
    let slack = STRETCHED
        .replace("GRAVITY", "[0, 0, -9.81]")
        .replace("LENGTH", "3.01");
    let along = STRETCHED
        .replace("GRAVITY", "[9.81, 0, 0]")
        .replace("LENGTH", "3");
    for text in [slack, along] {
        assert_eq!(run(&model(&text, "tree-variational")).2.ok(), Some(50));
    }
}

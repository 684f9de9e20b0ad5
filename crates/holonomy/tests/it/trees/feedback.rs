//! Forces that see the state, in model files: against equations derived by hand and solved by SciPy.
use crate::common::{load, scenario};
use holonomy::system::State;
use holonomy_model::Model;

/// The end of a run of two seconds, and the mean number of iterations of a step.
pub(super) fn ended(model: &Model) -> (State, f64) {
    let mut simulation = model.simulation();
    let mut iterations = 0;
    for _ in 0..model.schedule.steps {
        iterations += simulation.step_by(model.schedule.step).unwrap().iterations;
    }
    let mean = f64::from(iterations) / model.schedule.steps as f64;
    (simulation.state, mean)
}

/// Errors of some coordinates after two seconds, with steps h, h/2 and h/4.
fn errors(name: &str, steps: [&str; 3], first: usize, expected: &[f64]) -> [f64; 3] {
    steps.map(|step| {
        let step = format!("run.step={step}");
        let (state, _) = ended(&scenario(name, &[&step, "run.duration=2"]));
        let found = &state.q[first..first + expected.len()];
        let differences = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
        differences.fold(0.0, f64::max)
    })
}

/// Each half of the step leaves a quarter of the error, up to terms of fourth order.
pub(super) fn assert_second_order(errors: [f64; 3]) {
    for pair in errors.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!((ratio - 4.0).abs() < 0.4, "{errors:?}");
    }
}

/// `python feedback.py`, “arm at 2 s”.
#[test]
fn an_arm_whose_joints_see_each_other_moves_as_its_equations() {
    let expected = [0.8009663811437732, -1.0966530440372093, 0.7066582798827743];
    let errors = errors("feedback-arm", ["0.01", "0.005", "0.0025"], 0, &expected);
    println!("arm: {errors:?}");
    assert_second_order(errors);
}

/// `python feedback.py`, “drone at 2 s”: the place of the drone, its orientation, and the place of the load.
#[test]
fn a_drone_that_holds_itself_in_the_air_moves_as_its_equations() {
    let drone = [
        0.2245894209310363,
        0.31396352731152327,
        0.8679431481095992,
        0.9989065303390849,
        0.022030127235086183,
        -0.007647029978141092,
        0.04052085972002594,
    ];
    let load = [0.30893962936720376, 0.40012535944867295, 0.026824913387472123];
    for (first, expected) in [(0, &drone[..]), (7, &load[..])] {
        let errors = errors("drone", ["0.01", "0.005", "0.0025"], first, expected);
        println!("drone: {errors:?}");
        assert_second_order(errors);
    }
}

/// Energy that has come or gone is the work of the sources, to the order of the step.
#[test]
fn what_forces_that_see_the_state_deliver_is_what_the_energy_gains() {
    for (name, sources) in [("feedback-arm", 3), ("drone", 2)] {
        let open = |step: &str| {
            let step = format!("run.step={step}");
            let model = scenario(name, &[&step, "run.duration=2"]);
            let system = model.mechanism.system();
            assert_eq!(system.layout().conserved.sources.len(), sources, "{name}");
            let energy = |state: &State| system.energy(state).total();
            let (end, _) = ended(&model);
            let work: f64 = end.work.iter().sum();
            (energy(&end) - energy(&model.state) - work, work)
        };
        let ((coarse, work), (fine, _)) = (open("0.01"), open("0.005"));
        println!("{name}: {coarse:e} and {fine:e} of {work}");
        assert!((coarse / fine - 4.0).abs() < 0.4, "{name}: {coarse:e} {fine:e}");
    }
}

/// The same efforts, of the own joint and by names of joints, which are two ways through the engine; and a spring
/// between the angles. All are linear in the state, and none takes an iteration more than another: with a Jacobian made
/// anew for every correction each takes 1.01. What they differ by is how long an old one is used, because a new one costs
/// more corrections where there are terms of low rank (`StepJacobian::cost`).
#[test]
fn linear_feedback_costs_no_iteration() {
    let pendulums = |efforts: [&str; 2]| {
        let text = format!(
            r#"
            space = "tree"
            gravity = [0, 0, -9.81]
            body = [
              {{ name = "left", joint = {{ kind = "revolute", axis = [0, 1, 0] }}, mass = 1.0, shape = "rod",
                to = [0, 0, -1], position = 0.5, effort = "{}" }},
              {{ name = "right", joint = {{ kind = "revolute", axis = [0, 1, 0], at = [0, 1, 0] }}, mass = 1.0,
                shape = "rod", to = [0, 0, -1], position = -0.2, effort = "{}" }},
            ]
            method = {{ name = "tree-variational" }}
            run = {{ step = 0.01, duration = 5.0 }}
            "#,
            efforts[0], efforts[1]
        );
        ended(&load("pendulums", &text, &[]))
    };
    let (a, own) = pendulums(["-8*q - 0.2*v", "-8*q - 0.2*v"]);
    let (b, named) = pendulums(["-8*left - 0.2*left'", "-8*right - 0.2*right'"]);
    let (_, both) = pendulums(["-8*(q - right) - 0.2*v", "-8*(right - left) - 0.2*right'"]);
    println!("{own} iterations of own joints, {named} by name, {both} of both");
    let apart = a.q.iter().zip(&b.q).map(|(a, b)| (a - b).abs());
    // The same equations, each step solved to rounding.
    assert!(apart.fold(0.0, f64::max) < 1e-12, "{:?} {:?}", a.q, b.q);
    for other in [named, both] {
        assert!(other - own < 0.5, "{own} {named} {both}");
    }
}

/// One spring between two carts, each with a pendulum: as a potential between sites, and as efforts that are linear in both
/// joints. The equations are the same, and so are the terms of low rank in the Jacobian. An iteration more in a step would
/// make the means differ by one; rounding decides now and then whether a step takes one more or less.
#[test]
fn linear_feedback_takes_the_iterations_of_the_spring_that_it_writes() {
    let carts = |efforts: [&str; 2], between: &str, step: &str| {
        let text = format!(
            r#"
            space = "tree"
            gravity = [0, 0, -9.81]
            body = [
              {{ name = "left", joint = {{ kind = "prismatic", axis = [1, 0, 0] }}, mass = 1.0, shape = "box",
                size = [0.1, 0.1, 0.1], position = 0.1, sites = {{ a = [0, 0, 0] }}{} }},
              {{ name = "swing", parent = "left", joint = {{ kind = "revolute", axis = [0, 1, 0] }}, mass = 0.7,
                shape = "rod", to = [0, 0, -1], position = 0.9 }},
              {{ name = "right", joint = {{ kind = "prismatic", axis = [1, 0, 0], at = [2, 0, 0] }}, mass = 1.5,
                shape = "box", size = [0.1, 0.1, 0.1], position = 0.3, sites = {{ b = [0, 0, 0] }}{} }},
              {{ name = "sway", parent = "right", joint = {{ kind = "revolute", axis = [0, 1, 0] }}, mass = 0.9,
                shape = "rod", to = [0, 0, -0.6], position = -1.2 }},
            ]
            {between}
            method = {{ name = "tree-variational" }}
            run = {{ step = {step}, duration = 5.0 }}
            "#,
            efforts[0], efforts[1]
        );
        ended(&load("carts", &text, &[]))
    };
    let efforts = [
        r#", effort = "200*(right - left + 0.5)""#,
        r#", effort = "-200*(right - left + 0.5)""#,
    ];
    let spring =
        r#"potential = [{ kind = "spring", between = ["a", "b"], stiffness = 200.0, rest_length = 1.5 }]"#;
    for step in ["0.02", "0.01", "0.005"] {
        let (a, fed) = carts(efforts, "", step);
        let (b, sprung) = carts(["", ""], spring, step);
        println!("{step}: {fed} iterations as efforts, {sprung} as a spring");
        let apart = a.q.iter().zip(&b.q).map(|(a, b)| (a - b).abs());
        // The same forces but for rounding; two pendulums on carts part by powers of ten in five seconds.
        assert!(apart.fold(0.0, f64::max) < 1e-8, "{:?} {:?}", a.q, b.q);
        assert!((fed - sprung).abs() < 0.1, "{step}: {fed} {sprung}");
    }
}

/// A force between sites by its formula is the spring and the damper that it writes.
#[test]
fn a_tension_of_length_and_rate_is_a_spring_and_a_damper() {
    let tied = |force: &str| {
        let text = format!(
            r#"
            space = "tree"
            gravity = [0, 0, -9.81]
            body = [
              {{ name = "left", joint = {{ kind = "spherical" }}, mass = 1.0, shape = "box", size = [0.1, 0.2, 1],
                centre = [0, 0, -0.5], angular_velocity = [0.3, 1, 2], sites = {{ a = [0, 0, -1] }} }},
              {{ name = "right", joint = {{ kind = "revolute", axis = [0, 1, 0.3], at = [1, 0, 0] }}, mass = 1.0,
                shape = "box", size = [0.1, 0.2, 1], centre = [0, 0, -0.5], velocity = 0.5,
                sites = {{ b = [0, 0, -1] }} }},
            ]
            {force}
            method = {{ name = "tree-variational" }}
            run = {{ step = 0.01, duration = 2.0 }}
            "#
        );
        ended(&load("tied", &text, &[]))
    };
    let (a, known) = tied(
        r#"potential = [{ kind = "spring", between = ["a", "b"], stiffness = 300.0, rest_length = 0.8 }]
           damper = [{ between = ["a", "b"], coefficient = 2.0 }]"#,
    );
    let (b, written) = tied(r#"force = [{ between = ["a", "b"], tension = "300*(length - 0.8) + 2*rate" }]"#);
    let apart =
        a.q.iter()
            .zip(&b.q)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
    println!("{apart:e}; {known} and {written} iterations");
    // The same forces but for rounding, 200 steps of a motion that is not chaotic.
    assert!(apart < 1e-9, "{apart:e}");
    assert!((known - written).abs() < 0.5, "{known} {written}");
}

//! Steps in frames: against differences, against their transpose, and by numbers of the model, the frame's among them.
use super::{Errors, errors, some};
use crate::common::load;
use holonomy::{
    derivative::{Change, Parameters, Step, Variant, slope},
    integrator::catalog,
    system::State,
};
use holonomy_model::Model;

/// A mass matrix that varies, a magnetic term, drag and time, in a frame without a pattern.
const CROOKED: &str = r#"
    space = "lagrangian"
    coordinates = ["x", "y", "z"]
    lagrangian = """0.5*(1 + 0.3*sin(y)^2)*x'^2 + 0.7*y'^2 + 0.5*exp(0.2*x)*z'^2 + 0.1*x'*z' + 0.4*(1 + 0.5*sin(t))*x*y'
        - 0.5*stiffness*x^2 - y^2 - cos(z) - 0.2*x*y*z*cos(t)"""
    parameters = { stiffness = 1.2, slant = 0.3 }
    frame.fields.a = ["1 + slant*sin(y)", "0.2*x*y", "0.1*exp(slant*z)"]
    frame.fields.b = ["0.3*z", "1 + 0.1*x^2", "-0.2*cos(x)"]
    frame.fields.c = ["0.1*y*z", "0.2*sin(x + z)", "1.2 + 0.3*cos(y)"]
    force = { x = "-0.1*x'", y = "-0.05*x*y'", z = "0.2*cos(2*t)" }
    start = { x = 0.3, y = -0.2, z = 0.6 }
    velocity = { a = 0.5, b = -0.4, c = 0.3 }
    method = { name = "hamel" }
    run = { step = 0.05, steps = 1 }
"#;

/// A heavy top about a fixed point in Euler's angles, its quasi-velocities those of the body: structure of so(3).
const TOP: &str = r#"
    space = "lagrangian"
    coordinates = ["phi", "theta", "psi"]
    lagrangian = "0.5*(1.1*p^2 + 1.7*q^2 + 0.6*r^2) - 3*cos(theta)"
    frame.fields.p = ["sin(psi)/sin(theta)", "cos(psi)", "-sin(psi)*cos(theta)/sin(theta)"]
    frame.fields.q = ["cos(psi)/sin(theta)", "-sin(psi)", "-cos(psi)*cos(theta)/sin(theta)"]
    frame.fields.r = [0, 0, 1]
    start = { phi = 0.2, theta = 0.9, psi = 0.4 }
    velocity = { p = 0.5, q = -0.4, r = 2.3 }
    method = { name = "hamel" }
    run = { step = 0.05, steps = 1 }
"#;

fn measured(model: &Model, method: &str) -> Errors {
    let mut method = catalog::find(method).unwrap().build(&model.mechanism).unwrap();
    let system = model.mechanism.system();
    let n = model.state.q.len();
    let mut v = vec![0.0; n];
    let start = &model.state;
    system.velocity(start.t, &start.q, &start.p, &mut v, &mut system.scratch());
    let curve = |k: usize| {
        let (by, faster) = (some(k + 1, n), some(k + 51, n));
        let (v, system) = (&v, &system);
        move |s: f64| {
            let q: Vec<f64> = start.q.iter().zip(&by).map(|(q, by)| q + s * by).collect();
            let v: Vec<f64> = v.iter().zip(&faster).map(|(v, by)| v + s * by).collect();
            let mut p = vec![0.0; n];
            system.momentum(start.t, &q, &v, &mut p, &mut system.scratch());
            State::new(start.t, q, p)
        }
    };
    let curves: Vec<_> = (0..3).map(curve).collect();
    let curves: Vec<&dyn Fn(f64) -> State> = curves.iter().map(|c| c as &dyn Fn(f64) -> State).collect();
    errors(&*system, &mut *method, 0.05, &[5e-3, 2e-3, 1e-3], &curves).unwrap()
}

#[test]
fn steps_in_frames_are_linearised() {
    for (name, text) in [("crooked", CROOKED), ("top", TOP)] {
        let model = load(name, text, &[]);
        for method in ["hamel", "hamel-4"] {
            let found = measured(&model, method);
            println!("{name} {method}: {found}");
            // Differences of order 6 over 5e-3: rounding, and corrections that end at 1e-14, over the offset.
            assert!(found.push < 2e-11, "{name} {method}: {found}");
            // One rounding for each of the sums.
            assert!(found.pull < 1e-13, "{name} {method}: {found}");
            // It is not symplectic.
            assert!(found.area > 1e-9, "{name} {method}: {found}");
        }
    }
}

/// By a stiffness, and by a number that stands in the fields: against differences of the step.
#[test]
fn steps_in_frames_have_derivatives_by_parameters() {
    for key in ["parameters.stiffness", "parameters.slant"] {
        let base = load("crooked", CROOKED, &[]);
        let theta = if key.ends_with("slant") { 0.3 } else { 1.2 };
        let with = |value: f64| load("crooked", CROOKED, &[&format!("{key}={value}")]);
        let system = base.mechanism.system();
        let (h, before) = (0.05, base.state.clone());
        let mut method = base.integrator();
        let mut after = before.clone();
        method.attempt(&mut after, h).unwrap();
        let mut solution = Vec::new();
        let known = method.differentiable().unwrap();
        known.solution(&mut solution);
        known.linearise(&before, h, &solution).unwrap();
        let mut parameters = Parameters::new(&*system, &before, &[theta], &[5e-3], |theta| {
            let model = with(theta[0]);
            let (integrator, start) = (model.integrator(), model.state.clone());
            Ok::<_, ()>(Variant { integrator, start })
        })
        .unwrap_or_else(|_| panic!("{key}"));
        let step = Step {
            number: 0,
            before: &before,
            h,
            solution: &solution,
        };
        let mut change = Change {
            equations: parameters.slope(0, &step).unwrap(),
            ..parameters.start(0).clone()
        };
        known.push(&mut change);
        // In the canonical coordinates of the model itself, from the start of each.
        let expected = slope(5e-3, |s| {
            let model = with(theta + s);
            let (mut method, mut state) = (model.integrator(), model.state.clone());
            method.attempt(&mut state, h)?;
            let (mut x, y) = system.canonical(&after.q, &state.q, &state.p);
            x.extend(y);
            Ok::<_, holonomy::integrator::Fault>(x)
        })
        .unwrap();
        let found = change.x.iter().chain(&change.y);
        let off = found
            .zip(&expected)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        let size = expected.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        println!("{key}: {off:.1e} of {size:.1e}");
        // Both are differences of order 6 over 5e-3, with corrections that end at 1e-14.
        assert!(size > 1e-4 && off < 2e-11, "{key}: {off:e} {size:e}");
    }
}

#[test]
fn frames_without_derivatives_say_what_they_would_need() {
    let needs = |model: &Model| {
        catalog::find("hamel")
            .unwrap()
            .without_derivatives(&model.mechanism)
    };
    let sleigh = crate::common::scenario("chaplygin-sleigh", &[]);
    assert!(needs(&sleigh).is_some_and(|why| why.contains("as many free quasi-velocities")));
    assert!(sleigh.integrator().differentiable().is_none());
    let held = r#"constraint = [{ formula = "x + y + z - 0.7" }]
    velocity = { a = 0, b = 0, c = 0 }"#;
    let text = CROOKED.replace("velocity = { a = 0.5, b = -0.4, c = 0.3 }", held);
    let held = load("held", &text, &[]);
    assert!(needs(&held).is_some_and(|why| why.contains("without constraints")));
    assert!(held.integrator().differentiable().is_none());
    assert_eq!(needs(&load("crooked", CROOKED, &[])), None);
}

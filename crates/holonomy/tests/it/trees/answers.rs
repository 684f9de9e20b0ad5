//! Forces that see multipliers: against equations in which these are eliminated by hand.
use super::feedback::{assert_second_order, ended};
use crate::{allocation::allocations, common::load};
use holonomy::{
    integrator::{Cause, StepError, catalog},
    simulation::RunFault,
    system::Undefined,
};
use holonomy_model::Model;

/// A bead on a wire that is a circle of 1 m, pressed on it by weight and speed, with dry friction.
fn bead(method: &str, step: f64) -> Model {
    let text = format!(
        r#"
        space = "tree"
        gravity = [0, 0, -9.81]
        parameters = {{ mu = 0.2, creep = 0.1 }}
        names = {{ T = "wire.tension" }}
        definitions = {{ speed = "x*bead' - bead*x'", rub = "mu*T*tanh(speed/creep)" }}
        site = [{{ name = "centre", at = [0, 0, 0] }}]
        body = [
          {{ name = "x", joint = {{ kind = "prismatic", axis = [1, 0, 0] }}, mass = 0, position = 0.8 }},
          {{ name = "bead", parent = "x", joint = {{ kind = "prismatic", axis = [0, 0, 1] }}, mass = 0.7,
            position = -0.6, sites = {{ b = [0, 0, 0] }} }},
        ]
        constraint = [{{ name = "wire", kind = "distance", between = ["b", "centre"], length = 1.0 }}]
        force = [{{ name = "friction", site = "b", force = ["rub*bead", 0, "-rub*x"] }}]
        method = {{ name = "{method}" }}
        run = {{ step = {step}, duration = 1.5 }}
        "#
    );
    load("bead", &text, &[])
}

/// Masses of 3 and 2 kg on a rope over a wheel whose bearing rubs by its load.
fn brake(method: &str, step: f64, load_of_it: &str) -> Model {
    let text = format!(
        r#"
        space = "tree"
        gravity = [0, 0, -9.81]
        parameters = {{ mu = 0.5, r = 0.08, creep = 2.0 }}
        names = {{ before = "rope.1.tension", after = "lambda.rope.2", contact = "pulley.contact" }}
        body = [
          {{ name = "left", joint = {{ kind = "prismatic", axis = [0, 0, 1], at = [-0.2, 0, -1] }}, mass = 3.0,
            sites = {{ hook = [0, 0, 0] }} }},
          {{ name = "right", joint = {{ kind = "prismatic", axis = [0, 0, 1], at = [0.2, 0, -1.5] }}, mass = 2.0,
            sites = {{ hook = [0, 0, 0] }} }},
          {{ name = "wheel", joint = {{ kind = "revolute", axis = [0, 1, 0] }}, mass = 1.5,
            inertia = [0.03, 0.06, 0.03], effort = "-mu*r*({load_of_it})*tanh(v/creep)" }},
        ]
        pulley = [{{ name = "pulley", body = "wheel", radius = 0.2, side = "over" }}]
        constraint = [{{ name = "rope", kind = "cable", through = ["left/hook", "pulley", "right/hook"] }}]
        method = {{ name = "{method}" }}
        run = {{ step = {step}, duration = 0.5 }}
        "#
    );
    load("brake", &text, &[])
}

/// A load of 2 kg on a drum of 0.2 m with 0.06 kg m², whose motor asks for a tension.
fn winch(method: &str, effort: &str) -> Model {
    let text = format!(
        r#"
        space = "tree"
        gravity = [0, 0, -9.81]
        names = {{ T = "rope.tension" }}
        body = [
          {{ name = "drum", joint = {{ kind = "revolute", axis = [0, 1, 0] }}, mass = 1.0,
            inertia = [0.1, 0.06, 0.1], effort = "{effort}" }},
          {{ name = "load", joint = {{ kind = "prismatic", axis = [0, 0, 1], at = [0.2, 0, -1] }}, mass = 2.0,
            sites = {{ hook = [0, 0, 0] }} }},
        ]
        pulley = [{{ name = "reel", body = "drum", radius = 0.2, side = "left" }}]
        constraint = [{{ name = "rope", kind = "cable", through = ["reel", "load/hook"] }}]
        method = {{ name = "{method}" }}
        run = {{ step = 0.01, duration = 0.5 }}
        "#
    );
    load("winch", &text, &[])
}

/// `(x, v)` after a time, by Runge and Kutta's method in 20 000 steps: the error of order 4 is below rounding.
fn solved(start: f64, duration: f64, acceleration: impl Fn(f64, f64) -> f64) -> f64 {
    let (h, mut x, mut v) = (duration / 20_000.0, start, 0.0);
    for _ in 0..20_000 {
        let k1 = (v, acceleration(x, v));
        let k2 = (
            v + 0.5 * h * k1.1,
            acceleration(x + 0.5 * h * k1.0, v + 0.5 * h * k1.1),
        );
        let k3 = (
            v + 0.5 * h * k2.1,
            acceleration(x + 0.5 * h * k2.0, v + 0.5 * h * k2.1),
        );
        let k4 = (v + h * k3.1, acceleration(x + h * k3.0, v + h * k3.1));
        x += h / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0);
        v += h / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1);
    }
    x
}

/// `θ̈ = −g sin θ − μ (g cos θ + θ̇²) tanh(θ̇/ε)`.
fn bead_angle() -> f64 {
    solved(0.8_f64.atan2(0.6), 1.5, |x: f64, v: f64| {
        -9.81 * x.sin() - 0.2 * (9.81 * x.cos() + v * v) * (v / 0.1).tanh()
    })
}

/// `(m₁ + m₂ + I/R²) a = (m₁ − m₂) g − (μ r/R) (T₁ + T₂) tanh(φ̇/ε)`, `T₁ + T₂ = (m₁ + m₂) g − (m₁ − m₂) a`.
fn brake_fall() -> f64 {
    solved(0.0, 0.5, |_, v: f64| {
        let rub = 0.5 * 0.08 / 0.2 * (v / 0.2 / 2.0).tanh();
        (9.81 - rub * 5.0 * 9.81) / (5.0 + 0.06 / 0.04 - rub)
    })
}

#[test]
fn friction_of_a_bead_by_what_presses_it_is_of_second_order() {
    let expected = bead_angle();
    let errors = [0.02, 0.01, 0.005].map(|step| {
        let (state, iterations) = ended(&bead("tree-variational", step));
        println!("bead: {iterations} iterations a step");
        (state.q[0].atan2(-state.q[1]) - expected).abs()
    });
    println!("bead: {errors:?} from {expected}");
    assert_second_order(errors);
}

#[test]
fn a_brake_by_the_load_of_its_bearing_is_of_second_order_however_the_load_is_called() {
    let expected = brake_fall();
    for load in ["before + after", "contact"] {
        let errors = [0.02, 0.01, 0.005].map(|step| {
            let (state, iterations) = ended(&brake("tree-variational", step, load));
            println!("brake: {iterations} iterations a step");
            (state.q[0] + expected).abs()
        });
        println!("brake by {load}: {errors:?} of {expected}");
        assert_second_order(errors);
    }
}

/// Errors of fourth order with steps of 5 ms; without friction they would be off by 1e-2.
#[test]
fn conventional_methods_see_the_same_multipliers() {
    for method in ["rk4", "dop853"] {
        let (state, _) = ended(&brake(method, 0.005, "contact"));
        assert!((state.q[0] + brake_fall()).abs() < 1e-8, "{method}");
        let (state, _) = ended(&bead(method, 0.005));
        let angle = state.q[0].atan2(-state.q[1]);
        assert!((angle - bead_angle()).abs() < 1e-6, "{method}: {angle}");
    }
}

/// `A = (m g R − κ (T₀ − m g)) / (J + m R² + κ m R)`, the same for all times: a step of the midpoint rule has no error.
#[test]
fn a_winch_that_asks_for_a_tension_moves_as_its_equations() {
    let (m, r, j, g) = (2.0, 0.2, 0.06, 9.81);
    let (gain, wanted) = (0.5, 25.0);
    let turning = (m * g * r - gain * (wanted - m * g)) / (j + m * r * r + gain * m * r);
    let fall = 0.5 * r * turning * 0.5 * 0.5;
    for method in ["tree-variational", "rk4"] {
        let model = winch(method, "-0.5*(25 - T)");
        let (state, _) = ended(&model);
        // 50 steps, each solved to rounding.
        assert!(
            (state.q[1] + fall).abs() < 1e-13,
            "{method}: {} {fall}",
            state.q[1]
        );
        let tension = m * (g - r * turning);
        let mut measured = Default::default();
        let system = model.mechanism.system();
        system.measure(&state, &mut measured, &mut system.scratch());
        assert!((measured.multipliers[0] - tension).abs() < 1e-12);
    }
}

/// `L = −m R / (J + m R²) = −2.857`, and the gain `F L` is one at 87.5 ms: from there on nothing balances that weak forces
/// lead to, and with the size of the tension nothing at all.
#[test]
fn a_force_that_jams_ends_the_run_with_its_name() {
    for effort in ["-4*t*T", "-4*t*abs(T)"] {
        for method in ["tree-variational", "rk4"] {
            let model = winch(method, effort);
            let mut simulation = model.simulation();
            let steps = (0..50).map(|_| simulation.step_by(0.01));
            let error = steps.filter_map(Result::err).next().expect("it jams");
            assert!((0.07..0.1).contains(&error.t), "{method} with {effort}: {error}");
            println!("{error}");
            let RunFault::Step(StepError { fault, .. }) = error.source else {
                panic!("{error}");
            };
            let jammed = matches!(fault.cause, Cause::Undefined(Undefined::Jammed { .. }));
            assert!(jammed, "{method} with {effort}: {fault:?}");
        }
    }
}

/// What friction takes is what is lost, to the order of the step.
#[test]
fn what_friction_takes_is_what_the_energy_loses() {
    let open = |step: f64| {
        let model = bead("tree-variational", step);
        let system = model.mechanism.system();
        let (end, _) = ended(&model);
        let work: f64 = end.work.iter().sum();
        // Of the 2.7 J that it starts with above its lowest place.
        assert!(work < -0.5, "{work}");
        system.energy(&end).total() - system.energy(&model.state).total() - work
    };
    let (coarse, fine) = (open(0.01), open(0.005));
    println!("open: {coarse:e} and {fine:e}");
    assert!((coarse / fine - 4.0).abs() < 0.4, "{coarse:e} {fine:e}");
}

/// A step forth and one back, from everywhere: the rule is symmetric.
#[test]
fn steps_are_undone_by_steps_back() {
    let model = bead("tree-variational", 0.01);
    let (end, _) = ended(&model);
    let method = catalog::find("tree-variational").expect("a method");
    let mut integrator = method.build(&model.mechanism).expect("it fits");
    let mut state = end.clone();
    for h in [0.01, -0.01] {
        integrator.attempt(&mut state, h).expect("a step");
    }
    for (a, b) in state.q.iter().chain(&state.p).zip(end.q.iter().chain(&end.p)) {
        // Two steps, each solved to rounding.
        assert!((a - b).abs() < 1e-13, "{a} {b}");
    }
}

/// A step is a function of the state, and keeps its work space.
#[test]
fn a_restart_is_exact_and_steps_allocate_nothing() {
    let method = catalog::find("tree-variational").expect("a method");
    for model in [
        bead("tree-variational", 0.01),
        brake("tree-variational", 0.01, "contact"),
    ] {
        let build = || method.build(&model.mechanism).expect("it fits");
        let (mut integrator, mut state) = (build(), model.state.clone());
        for _ in 0..20 {
            integrator.attempt(&mut state, 0.01).expect("a step");
        }
        let (mut again, mut other) = (build(), state.clone());
        let allocated = allocations(|| {
            for _ in 0..20 {
                integrator.attempt(&mut state, 0.01).expect("a step");
            }
        });
        assert_eq!(allocated, 0);
        for _ in 0..20 {
            again.attempt(&mut other, 0.01).expect("a step");
        }
        assert_eq!(state, other);
    }
}

#[test]
fn steps_of_forces_that_see_multipliers_have_no_derivatives_and_say_so() {
    let model = bead("tree-variational", 0.01);
    let method = catalog::find("tree-variational").expect("a method");
    let why = method.without_derivatives(&model.mechanism);
    assert_eq!(why, Some("forces that see no multipliers"));
    let mut integrator = method.build(&model.mechanism).expect("it fits");
    assert!(integrator.differentiable().is_none());
}

//! Motions in closed form as states of a mechanism, against a very accurate integration.
use crate::common::{self, Problem, load};
use holonomy::{
    diagnostics::distance,
    exact,
    integrator::{Integrator, catalog::Options},
    system::State,
};

fn problem(bodies: &str, potential: &str) -> Problem {
    let text = format!(
        "body = [{bodies}]\npotential = [{potential}]\nmethod = {{ name = \"rk4\" }}\nrun = {{ step = 0.1, steps = 10 }}"
    );
    let model = load("closed form", &text, &[]);
    Problem {
        name: "closed form",
        mechanism: model.mechanism,
        state: model.state,
    }
}

const GRAVITY: &str = r#"{ kind = "gravity", acceleration = [0, 0, 9.81] }"#;
/// Tilted, so that no axis of space is special.
const TILTED: &str = r#"{ kind = "gravity", acceleration = [3, -2, 5] }"#;

/// What is computed and what is known, 7 s after the start.
fn error(p: &Problem) -> f64 {
    let mut computed = p.state.clone();
    let options = Options {
        rtol: Some(3e-14),
        atol: Some(1e-15),
        ..Options::default()
    };
    let mut integrator: Box<dyn Integrator> = common::method("dop853")
        .build_with(&p.mechanism, &options)
        .unwrap();
    integrator.attempt(&mut computed, 7.0).unwrap();
    let known = exact::solution(&p.mechanism, &p.state)
        .unwrap()
        .at(p.state.t + 7.0);
    assert_eq!(known.t, computed.t);
    distance(&known, &computed)
}

#[test]
fn separate_bodies_in_uniform_gravity_move_as_computed() {
    let cases = [
        // Any motion, of a point mass and of a rod with another weight and inertia.
        r#"{ name = "a", mass = 2, length = 0.7, direction = [0.6, 0, 0.8], angular_velocity = [0, 1.5, 0] }"#,
        r#"{ name = "a", shape = "rod", mass = 2, length = 0.7, direction = [0, 0.6, -0.8], angular_velocity = [1, 0, 0] }"#,
        // Several at once.
        r#"{ name = "a", mass = 2, direction = [0.6, 0, 0.8], angular_velocity = [0.8, 1.5, -0.6] },
           { name = "b", mass = 1, length = 0.3, direction = [0, 1, 0], angular_velocity = [2, 0, 1] }"#,
        // In a plane, over the top.
        r#"{ name = "a", mass = 1, direction = [0, 0, 1], angular_velocity = [9, 0, 0] }"#,
        // On a cone: tan 60° = v²/(g r).
        r#"{ name = "a", mass = 1, direction = [0.8660254037844386, 0, 0.5],
             angular_velocity = [-1.9180067778816632, 0, 3.3220851886141063] }"#,
        // Hanging.
        r#"{ name = "a", mass = 1, direction = [0, 0, 1] }"#,
    ];
    for bodies in cases {
        for potential in [GRAVITY, TILTED, ""] {
            let mut p = problem(bodies, potential);
            p.state.t = 3.0;
            let error = error(&p);
            // The integration is good to about 1e-13 here.
            assert!(error < 2e-12, "{bodies} {potential}: {error:e}");
        }
    }
}

#[test]
fn unstable_motions_are_as_good_as_they_can_be() {
    // The highest point itself: nothing moves, in closed form.
    let p = problem(r#"{ name = "a", mass = 1, direction = [0, 0, -1] }"#, GRAVITY);
    let known = exact::solution(&p.mechanism, &p.state).unwrap().at(7.0);
    assert_eq!((&known.q, &known.p), (&p.state.q, &p.state.p));
    // The motion that ends there, ω² = 4g/l: rounding grows as e^{√(g/l) t}, a thousandfold in 2.2 s.
    let p = problem(
        r#"{ name = "a", mass = 1, direction = [0, 0, 1], angular_velocity = [6.264183905346331, 0, 0] }"#,
        GRAVITY,
    );
    let known = exact::solution(&p.mechanism, &p.state).unwrap().at(2.2);
    let difference = distance(&known, &p.reference(2.2));
    assert!(difference < 1e-10 && known.q[2] < -0.99, "{difference:e}");
}

#[test]
fn other_systems_and_states_have_none() {
    for p in [
        common::separate(),
        common::chain(),
        common::tree(),
        common::dense(),
    ] {
        assert!(exact::solution(&p.mechanism, &p.state).is_none(), "{}", p.name);
    }
    let p = common::pendulum();
    let changed = |change: fn(&mut State)| {
        let mut state = p.state.clone();
        change(&mut state);
        exact::solution(&p.mechanism, &state).is_none()
    };
    assert!(!changed(|_| {}));
    assert!(changed(|state| state.q[0] *= 1.001) && changed(|state| state.p[1] = f64::NAN));
    assert!(changed(|state| state.p[2] += 0.1));
}

fn typed(lagrangian: &str, theta: f64, rate: f64) -> Problem {
    let text = format!(
        "coordinates = [\"theta\"]\nlagrangian = \"{lagrangian}\"\nparameters = {{ m = 2, l = 0.7, g = 9.81 }}\n\
         start = {{ theta = {theta} }}\nvelocity = {{ theta = {rate} }}\nmethod = {{ name = \"rk4\" }}\n\
         run = {{ step = 0.1, steps = 10 }}"
    );
    let model = load("plane", &text, &[]);
    Problem {
        name: "plane",
        mechanism: model.mechanism,
        state: model.state,
    }
}

#[test]
fn a_plane_pendulum_is_recognised_however_it_is_typed() {
    for lagrangian in [
        "0.5*m*l^2*theta'^2 + m*g*l*cos(theta)",
        "m*(l*theta')^2/2 - m*g*l*(1 - cos(theta))",
        // θ from the highest point.
        "0.5*m*l^2*theta'^2 - m*g*l*cos(theta)",
        "m*l*(0.5*l*theta'^2 - 2*g*sin(theta/2)^2)",
    ] {
        for (theta, rate) in [(1.2, 0.4), (0.3, 9.0), (7.0, -1.0)] {
            let error = error(&typed(lagrangian, theta, rate));
            // The motion upside down passes near the top and amplifies what dop853 rounds.
            assert!(error < 3e-10, "{lagrangian} from {theta}, {rate}: {error:e}");
        }
    }
}

#[test]
fn what_is_nearly_a_plane_pendulum_is_not_one() {
    for lagrangian in [
        "0.5*m*l^2*theta'^2 + m*g*l*cos(theta) + 1e-9*theta",
        "0.5*m*l^2*theta'^2*(1 + 1e-9*theta^2) + m*g*l*cos(theta)",
        "0.5*m*l^2*theta'^2 + m*g*l*cos(1.0001*theta)",
        "0.5*m*l^2*theta'^2 + m*g*l*cos(theta) + 1e-9*theta'^4",
        "0.5*m*l^2*theta'^2 + m*g*l*cos(theta)*(1 + 1e-9*t)",
        "0.5*m*l^2*theta'^2",
    ] {
        let p = typed(lagrangian, 1.2, 0.4);
        assert!(exact::solution(&p.mechanism, &p.state).is_none(), "{lagrangian}");
    }
}

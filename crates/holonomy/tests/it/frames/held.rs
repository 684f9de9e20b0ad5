use super::{Text, covariance::CROOKED, measured, method, nonholonomic::SLEIGH, order, reference, stepped};
use holonomy::{
    diagnostics::{observed_order, reversal_error},
    integrator::Integrator,
    lagrangian::{FrameFields, HolonomicConstraint, Lagrangian},
    system::State,
};
use nalgebra::{Matrix3, Vector3};
use std::sync::Arc;

/// The largest |g|, and the largest |dg/dt| over the sum of its terms.
fn violation(system: &Lagrangian, state: &State) -> (f64, f64) {
    let (mut g, mut frame) = (HolonomicConstraint::default(), FrameFields::default());
    let (mut xi, mut across) = (Vec::new(), Vec::new());
    let v = measured(system, state).velocity;
    system.spread(&v, &mut xi);
    let mechanics = system.mechanics();
    mechanics.constraint(state.t, &state.q, &xi, &mut g).unwrap();
    mechanics.frame(&state.q, &mut frame).unwrap();
    system.slopes_along(&frame, &g, &mut across);
    let mut worst = (0.0_f64, 0.0_f64);
    for (k, row) in across.chunks(v.len()).enumerate() {
        let terms = || row.iter().zip(&v).map(|(g, v)| g * v).chain([g.rate[k]]);
        let size: f64 = terms().map(f64::abs).sum();
        worst = (
            worst.0.max(g.value[k].abs()),
            worst.1.max(terms().sum::<f64>().abs() / size),
        );
    }
    worst
}

/// A surface that moves: 0.546 is its value at the start below.
const SURFACE: &[&str] = &["x^2 + 1.5*y^2 + z^2 + 0.2*x*z - 0.546*(1 + 0.2*sin(t))"];

/// The Lagrangian of all terms, with drag and time, on the surface: without a frame, and in one without a pattern. The
/// plain one is integrated by equations that know of no frame.
#[test]
fn motion_under_constraints_is_the_same_in_every_frame() {
    let crooked = Text {
        constraints: SURFACE,
        ..CROOKED
    };
    let plain = Text {
        quasi_velocities: &[],
        fields: &[],
        ..crooked
    };
    let (plain, crooked) = (plain.system(), crooked.system());
    assert!(crooked.is_framed() && !plain.is_framed());
    let q = [0.3, -0.2, 0.6];
    let mut g = HolonomicConstraint::default();
    plain.mechanics().constraint(0.0, &q, &[0.0; 3], &mut g).unwrap();
    assert!(g.value[0].abs() < 1e-15);
    let (slope, wish) = (
        Vector3::from_column_slice(&g.jacobian),
        Vector3::new(0.5, -0.4, 0.3),
    );
    let v = wish - slope * ((slope.dot(&wish) + g.rate[0]) / slope.norm_squared());
    let mut frame = FrameFields::default();
    crooked.mechanics().frame(&q, &mut frame).unwrap();
    // The fields are columns: v = U ξ.
    let xi = Matrix3::from_column_slice(&frame.fields).lu().solve(&v).unwrap();

    let (start, other) = (
        crooked.state(0.0, &q, xi.as_slice()).unwrap(),
        plain.state(0.0, &q, v.as_slice()).unwrap(),
    );
    let lambda = measured(&crooked, &start).multipliers[0];
    assert!((lambda - measured(&plain, &other).multipliers[0]).abs() < 1e-13 && lambda.abs() > 0.1);
    let (there, here) = (reference(&crooked, &start, 2.0), reference(&plain, &other, 2.0));
    crooked.mechanics().frame(&there.q, &mut frame).unwrap();
    // p of the frame is that of the coordinates along its fields.
    let along = frame.fields.chunks_exact(3).map(|field| {
        let each = field.iter().zip(&here.p);
        each.map(|(u, p)| u * p).sum::<f64>()
    });
    let p: Vec<f64> = along.collect();
    let differences = here.q.iter().zip(&there.q).chain(p.iter().zip(&there.p));
    let worst = differences.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    println!("conventional methods: {worst:.1e}");
    // Both to 1e-13, and what leads off the surface grows a little.
    assert!(worst < 3e-12, "{worst:e}");

    let measured_order = order(&crooked, &start, &there, 2.0, [100, 200, 400]);
    assert!((measured_order - 2.0).abs() < 0.05, "{measured_order}");
    let reversal = reversal_error(&mut method(&crooked), &start, 0.05, 1.0).unwrap();
    // Roundings of two steps, of momenta of one.
    assert!(reversal < 1e-14, "{reversal:e}");
    // The multiplier of a step is the mean of the force over it: that of its middle, to order 2.
    let steps = [0.02, 0.01, 0.005];
    let errors = steps.map(|h| {
        let after = stepped(&crooked, &start, h, 1);
        let middle = reference(&crooked, &start, 0.5 * h);
        (after.lambda[0] - measured(&crooked, &middle).multipliers[0]).abs()
    });
    println!("multipliers {errors:?}");
    assert!((observed_order(&steps, &errors) - 2.0).abs() < 0.1, "{errors:?}");
    let mut state = start;
    let iterations = method(&crooked).step(&mut state, 0.02).unwrap().iterations;
    println!("{iterations} iterations in a crooked frame on a surface at h = 0.02 s");
    assert!(iterations <= 8, "{iterations}");
}

/// A sleigh that rides over waves, its height a coordinate that a constraint holds; and without it.
const WAVES: Text = Text {
    coordinates: &["x", "y", "theta", "z"],
    quasi_velocities: &["forward", "turn", "up", "lateral"],
    definitions: &[("h", "0.2*sin(2*x)*cos(y)")],
    fields: &[
        &["cos(theta)", "sin(theta)", "0", "0"],
        &["0", "0", "1", "0"],
        &["0", "0", "0", "1"],
        &["-sin(theta)", "cos(theta)", "0", "0"],
    ],
    lagrangian: "0.5*m*((x' - a*theta'*sin(theta))^2 + (y' + a*theta'*cos(theta))^2 + z'^2) + 0.5*i*theta'^2 - 3*m*z",
    constraints: &["z - h"],
    constrained: &[3],
    ..SLEIGH
};

const WITHOUT_HEIGHT: Text = Text {
    definitions: &[
        ("h", "0.2*sin(2*x)*cos(y)"),
        ("climb", "0.4*cos(2*x)*cos(y)*x' - 0.2*sin(2*x)*sin(y)*y'"),
    ],
    lagrangian: "0.5*m*((x' - a*theta'*sin(theta))^2 + (y' + a*theta'*cos(theta))^2 + climb^2) + 0.5*i*theta'^2 - 3*m*h",
    ..SLEIGH
};

#[test]
fn a_nonholonomic_motion_on_a_surface_is_that_in_minimal_coordinates() {
    let (held, reduced) = (WAVES.system(), WITHOUT_HEIGHT.system());
    let (x, y, theta, forward, turn): (f64, f64, f64, f64, f64) = (0.1, 0.2, 0.4, 1.1, 0.7);
    let height = |x: f64, y: f64| 0.2 * (2.0 * x).sin() * y.cos();
    let up = 0.4 * (2.0 * x).cos() * y.cos() * forward * theta.cos()
        - 0.2 * (2.0 * x).sin() * y.sin() * forward * theta.sin();
    let start = held
        .state(0.0, &[x, y, theta, height(x, y)], &[forward, turn, up])
        .unwrap();
    let here = reduced.state(0.0, &[x, y, theta], &[forward, turn]).unwrap();
    let here = reference(&reduced, &here, 3.0);
    let there = reference(&held, &start, 3.0);
    let far = |state: &State| {
        let apart = |k: usize| (state.q[k] - here.q[k]).abs();
        let speeds = (
            measured(&held, state).velocity,
            measured(&reduced, &here).velocity,
        );
        let apart = (0..3).map(apart).chain([(speeds.0[0] - speeds.1[0]).abs()]);
        apart.fold(0.0, f64::max)
    };
    println!("conventional methods: {:.1e}", far(&there));
    assert!(far(&there) < 3e-12, "{:e}", far(&there));
    // The discrete method, against minimal coordinates: errors fall by four when the step is halved.
    let counts = [150, 300, 600, 1200];
    let errors = counts.map(|count| far(&stepped(&held, &start, 3.0 / f64::from(count), count)));
    println!("errors {errors:?}");
    for pair in errors.windows(2) {
        assert!((pair[0] / pair[1] - 4.0).abs() < 0.2, "{errors:?}");
    }
    let reversal = reversal_error(&mut method(&held), &start, 0.05, 1.0).unwrap();
    assert!(reversal < 1e-14, "{reversal:e}");
}

/// A sleigh whose centre of mass runs on a rail, so that its blade draws a tractrix:
///
/// ```text
/// X = x + a cos θ,   θ̇ = −(Ẋ/a) sin θ:   tan(θ/2) = tan(θ₀/2) exp(−(X − X₀)/a),      E = ½Ẋ²(m + i sin²θ/a²)
/// ```
const ON_A_RAIL: Text = Text {
    constraints: &["y + a*sin(theta)"],
    ..SLEIGH
};

fn on_a_rail(rail: Text) -> (Arc<Lagrangian>, State) {
    let system = rail.system();
    let (a, theta, speed) = (0.3, 2.9_f64, 0.8);
    let (q, v) = (
        [-a * theta.cos(), -a * theta.sin(), theta],
        [speed * theta.cos(), -speed / a * theta.sin()],
    );
    let state = system.state(0.0, &q, &v).unwrap();
    (system, state)
}

#[test]
fn the_blade_of_a_sleigh_on_a_rail_draws_a_tractrix() {
    let (system, start) = on_a_rail(ON_A_RAIL);
    let energy = 0.5 * 0.8 * 0.8 * (1.2 + 0.5 * 2.9_f64.sin().powi(2) / 0.09);
    assert!((measured(&system, &start).energy.total() - energy).abs() < 1e-14);
    // It has turned round by then: θ goes from 2.9 to nearly 0.
    let counts = [100, 200, 400, 800];
    let errors = counts.map(|count| {
        let end = stepped(&system, &start, 2.5 / f64::from(count), count);
        let (centre, theta) = (end.q[0] + 0.3 * end.q[2].cos(), end.q[2]);
        let expected = 2.0 * ((2.9_f64 / 2.0).tan() * (-centre / 0.3).exp()).atan();
        assert!(theta < 0.5 && centre > 1.0, "{theta} {centre}");
        (theta - expected).abs() + (measured(&system, &end).energy.total() - energy).abs()
    });
    println!("tractrix and energy: {errors:?}");
    for pair in errors.windows(2) {
        assert!((pair[0] / pair[1] - 4.0).abs() < 0.3, "{errors:?}");
    }
}

#[test]
fn constraints_in_a_frame_do_not_drift() {
    let waves = WAVES.system();
    let (x, y, theta, forward): (f64, f64, f64, f64) = (0.0, 0.2, 0.4, 1.1);
    let up = 0.4 * y.cos() * forward * theta.cos();
    let start = waves
        .state(0.0, &[x, y, theta, 0.0], &[forward, 0.7, up])
        .unwrap();
    // On a spring, or its turn is soon smaller than any number.
    let rail = on_a_rail(Text {
        lagrangian: "0.5*m*((x' - a*theta'*sin(theta))^2 + (y' + a*theta'*cos(theta))^2) + 0.5*i*theta'^2 \
                     - 3*(x + a*cos(theta))^2",
        ..ON_A_RAIL
    });
    for (system, mut state) in [(waves, start), rail] {
        let mut method = method(&system);
        let halves = [(); 2].map(|()| {
            (0..10_000).fold((0.0_f64, 0.0_f64), |worst, _| {
                method.step(&mut state, 0.02).unwrap();
                let (g, slip) = violation(&system, &state);
                let far = state.q.iter().fold(1.0_f64, |m, q| m.max(q.abs()));
                (worst.0.max(g / far), worst.1.max(slip))
            })
        });
        println!("g over the coordinates, and slip: {halves:.1?} in each half of 20 000 steps");
        // Corrections end at 1e-14 of the coordinates; the momentum is projected to a few roundings.
        for (g, slip) in halves {
            assert!(g < 2e-14 && slip < 1e-14, "{halves:?}");
        }
    }
}

#[test]
fn a_step_under_constraints_allocates_nothing() {
    let (system, mut state) = on_a_rail(ON_A_RAIL);
    let mut method = method(&system);
    let mut steps = |count: u32| {
        for _ in 0..count {
            method.attempt(&mut state, 1e-3).unwrap();
        }
    };
    steps(3);
    assert_eq!(crate::allocation::allocations(|| steps(100)), 0);
}

use super::{Text, measured, method, order, reference, stepped};
use holonomy::{
    Vec3,
    diagnostics::{distance, reversal_error},
    exact::SphericalPendulum,
    geometry::s2,
    integrator::Integrator,
    lagrangian::Lagrangian,
    system::{State, System},
};
use std::sync::Arc;

/// Zenkov–Leok–Bloch with m r² = 1 and g/r = 1: the vertical Γ in a body that turns, and the spin about the
/// pendulum constrained.
const PENDULUM: Text = Text {
    coordinates: &["Gamma"],
    quasi_velocities: &["Omega"],
    parameters: &[],
    definitions: &[],
    fields: &[
        &["cross(Gamma, [1, 0, 0])"],
        &["cross(Gamma, [0, 1, 0])"],
        &["cross(Gamma, [0, 0, 1])"],
    ],
    lagrangian: "0.5*(Omega.x^2 + Omega.y^2) - Gamma.z",
    forces: &[],
    invariants: &[
        ("length", "norm(Gamma)"),
        ("vertical momentum", "Gamma.x*Omega.x + Gamma.y*Omega.y"),
    ],
    constraints: &[],
    constrained: &[2],
};

fn pendulum() -> (Arc<Lagrangian>, State) {
    let system = PENDULUM.system();
    let state = system
        .state(0.0, &[0.3, 0.2, -0.87_f64.sqrt()], &[0.6, 0.0])
        .unwrap();
    (system, state)
}

#[test]
fn steps_are_those_of_the_verified_reading() {
    // docs/reading.md, appendix A: [Ω1, Ω2, Γ1, Γ2, Γ3] after k steps of 0.2 s.
    let printed: [(u32, [f64; 5]); 3] = [
        (
            1,
            [
                0.6284239427649099,
                -0.0594398681983021,
                0.2943986819830209,
                0.08423942764909846,
                -0.9519627801946946,
            ],
        ),
        (
            10,
            [
                -0.013451813447507371,
                -0.2993006035114957,
                -0.08029647947317338,
                -0.5977932040179238,
                -0.7976188065825676,
            ],
        ),
        (
            100,
            [
                0.6223499918073326,
                0.16164006432550346,
                0.27916513569000667,
                0.03873779756621552,
                -0.9594614166577513,
            ],
        ),
    ];
    let (system, start) = pendulum();
    for (steps, expected) in printed {
        let state = stepped(&system, &start, 0.2, steps);
        let found = state.p.iter().chain(&state.q);
        let error = found
            .zip(expected)
            .map(|(x, y)| (x - y).abs())
            .fold(0.0, f64::max);
        // Both computations are to rounding; 100 steps let it grow.
        assert!(error < 1e-13, "{steps}: {error:e}");
    }
}

#[test]
fn length_energy_and_vertical_momentum_are_kept_to_rounding() {
    let (system, mut state) = pendulum();
    let mut method = method(&system);
    let start = measured(&system, &state);
    let (mut worst, mut iterations) = ([0.0_f64; 3], 0);
    for _ in 0..10_000 {
        iterations += method.step(&mut state, 0.2).unwrap().iterations;
        let now = measured(&system, &state);
        let differences = [
            now.energy.total() - start.energy.total(),
            now.invariants[0] - start.invariants[0],
            now.invariants[1] - start.invariants[1],
        ];
        for (worst, difference) in worst.iter_mut().zip(differences) {
            *worst = worst.max(difference.abs());
        }
    }
    println!(
        "energy, length, momentum {worst:?}; {} iterations a step",
        f64::from(iterations) / 1e4
    );
    // 10⁴ roundings of ½ε wander to about 1e-14.
    assert!(worst.iter().all(|worst| *worst < 2e-14), "{worst:?}");
    assert_eq!(
        system.layout().conserved.invariants,
        ["length", "vertical momentum"]
    );
}

#[test]
fn order_and_exact_solution() {
    let (system, start) = pendulum();
    let exact = reference(&system, &start, 5.0);
    // The bob in space, from a rotation R with Rᵀe_z = Γ₀; its height is Γ₃.
    let up = Vec3::new(start.q[0], start.q[1], start.q[2]);
    let basis = s2::tangent_basis(&up);
    let bob = Vec3::new(basis[(2, 0)], basis[(2, 1)], up.z);
    let omega = Vec3::new(basis[(0, 0)], basis[(0, 1)], up.x) * 0.6;
    let closed = SphericalPendulum::new(-Vec3::z(), bob, omega).at(5.0);
    assert!((closed.direction.z - exact.q[2]).abs() < 1e-13);
    let measured = order(&system, &start, &exact, 5.0, [100, 200, 400]);
    assert!((measured - 2.0).abs() < 0.01, "{measured}");
    let reversal = reversal_error(&mut method(&system), &start, 0.2, 1.0).unwrap();
    assert!(reversal < 1e-15, "{reversal:e}");
}

#[test]
fn two_fields_alone_are_not_the_pendulum() {
    // The document names u₁ and u₂ as the frame. Their bracket is −(Γ₁u₁ + Γ₂u₂)/Γ₃, so that the term it says to
    // vanish does not, unless the third field stays in the frame, with a momentum that is zero.
    let (system, start) = pendulum();
    let two = Text {
        quasi_velocities: &["a", "b"],
        fields: &[&["cross(Gamma, [1, 0, 0])"], &["cross(Gamma, [0, 1, 0])"]],
        lagrangian: "0.5*(a^2 + b^2) - Gamma.z",
        invariants: &[],
        constrained: &[],
        ..PENDULUM
    }
    .system();
    let difference = distance(&reference(&system, &start, 1.0), &reference(&two, &start, 1.0));
    assert!(difference > 0.05, "{difference}");
}

#[test]
fn a_frame_that_is_dependent_everywhere_passes_the_equator() {
    let (system, _) = pendulum();
    // Over the top: Γ₃ changes sign, where two fields alone would be singular.
    let start = system.state(0.0, &[0.0, 0.0, -1.0], &[2.5, 0.3]).unwrap();
    for h in [0.2, 1.0] {
        let state = stepped(&system, &start, h, 1000);
        let difference = measured(&system, &state).energy.total() - measured(&system, &start).energy.total();
        assert!(difference.abs() < 1e-12, "{h}: {difference:e}");
        assert!(distance(&state, &start) > 0.1);
    }
}

#[test]
fn the_heavy_top_keeps_its_three_integrals() {
    // Brackets of free fields now: Ṁ = M × Ω + torque. E, |Γ| and Γ·M are quadratic in (M, Γ).
    let top = Text {
        lagrangian: "0.5*(Omega.x^2 + 1.5*Omega.y^2 + 0.6*Omega.z^2 + 0.2*Omega.x*Omega.z) - 0.3*Gamma.x - Gamma.z",
        invariants: &[
            ("length", "norm(Gamma)"),
            (
                "vertical momentum",
                "Gamma.x*(Omega.x + 0.1*Omega.z) + 1.5*Gamma.y*Omega.y + Gamma.z*(0.6*Omega.z + 0.1*Omega.x)",
            ),
        ],
        constrained: &[],
        ..PENDULUM
    };
    let system = top.system();
    let start = system.state(0.0, &[0.6, 0.0, 0.8], &[0.4, -0.7, 3.0]).unwrap();
    let state = stepped(&system, &start, 0.05, 10_000);
    let (before, after) = (measured(&system, &start), measured(&system, &state));
    let energy = (after.energy.total() - before.energy.total()).abs();
    let others = [0, 1].map(|i| (after.invariants[i] - before.invariants[i]).abs());
    println!("heavy top: energy {energy:.1e}, length and momentum {others:?}");
    assert!(
        energy < 1e-12 && others.iter().all(|x| *x < 1e-12),
        "{energy:e} {others:?}"
    );
    let exact = reference(&system, &start, 2.0);
    let measured = order(&system, &start, &exact, 2.0, [100, 200, 400]);
    assert!((measured - 2.0).abs() < 0.02, "{measured}");
}

#[test]
fn what_rests_stays_and_what_is_let_go_falls() {
    let (system, _) = pendulum();
    let hanging = system.state(0.0, &[0.0, 0.0, -1.0], &[0.0, 0.0]).unwrap();
    let later = stepped(&system, &hanging, 0.2, 100);
    assert_eq!((&later.q, &later.p), (&hanging.q, &hanging.p));
    // Velocities that are roundings of zero, next to forces that cancel.
    let nearly = system.state(0.0, &[1e-17, -3e-18, -1.0], &[0.0, 1e-18]).unwrap();
    let still = stepped(&system, &nearly, 0.2, 100);
    let moved = still.q.iter().zip(&hanging.q).map(|(a, b)| (a - b).abs());
    assert!(moved.fold(0.0, f64::max) < 1e-16);
    let raised = system.state(0.0, &[0.6, 0.0, 0.8], &[0.0, 0.0]).unwrap();
    let fallen = stepped(&system, &raised, 0.01, 150);
    assert!(fallen.q[2] < 0.6, "{fallen:?}");
}

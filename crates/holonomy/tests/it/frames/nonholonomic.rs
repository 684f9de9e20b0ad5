use super::{Text, measured, method, order, reference, stepped};
use holonomy::{
    diagnostics::{distance, observed_order, reversal_error, symplecticity_defect},
    integrator::{Composition, Integrator},
    lagrangian::Lagrangian,
    system::{State, System},
};
use std::sync::Arc;

/// Suslov's body: free to turn but about its third axis, to which its inertia is skew.
const SUSLOV: Text = Text {
    coordinates: &["Gamma"],
    quasi_velocities: &["Omega"],
    parameters: &[("i1", 1.0), ("i2", 1.7), ("i3", 2.0), ("a", 0.4), ("b", -0.3)],
    definitions: &[(
        "T",
        "0.5*(i1*Omega.x^2 + i2*Omega.y^2 + i3*Omega.z^2) + (a*Omega.x + b*Omega.y)*Omega.z",
    )],
    fields: &[
        &["cross(Gamma, [1, 0, 0])"],
        &["cross(Gamma, [0, 1, 0])"],
        &["cross(Gamma, [0, 0, 1])"],
    ],
    lagrangian: "T",
    forces: &[],
    invariants: &[("length", "norm(Gamma)")],
    constraints: &[],
    constrained: &[2],
};

/// Ω at time t:
///
/// ```text
/// i1 Ω̇₁ = −(aΩ₁ + bΩ₂) Ω₂,    i2 Ω̇₂ = (aΩ₁ + bΩ₂) Ω₁
/// x = √i1 Ω₁ = R cos(φ₀+ψ),  y = √i2 Ω₂ = R sin(φ₀+ψ):    ψ̇ = Rκ cos ψ,  sin ψ = tanh(Rκt + s)
/// κ (cos φ₀, sin φ₀) = (a/√i1, b/√i2)/√(i1 i2)
/// ```
fn suslov(start: [f64; 2], t: f64) -> [f64; 2] {
    let (i1, i2, a, b) = (1.0_f64, 1.7_f64, 0.4, -0.3);
    let (alpha, beta) = (a / i1.sqrt(), b / i2.sqrt());
    let (kappa, phi) = (
        f64::hypot(alpha, beta) / (i1 * i2).sqrt(),
        f64::atan2(beta, alpha),
    );
    let (x, y) = (i1.sqrt() * start[0], i2.sqrt() * start[1]);
    let r = x.hypot(y);
    let (sin, cos) = (y.atan2(x) - phi).sin_cos();
    assert!(cos > 0.0, "the other half would need sech with a minus");
    let s = sin.atanh() + r * kappa * t;
    let (sin, cos) = (s.tanh(), 1.0 / s.cosh());
    let (x, y) = (
        r * (phi.cos() * cos - phi.sin() * sin),
        r * (phi.sin() * cos + phi.cos() * sin),
    );
    [x / i1.sqrt(), y / i2.sqrt()]
}

/// Chaplygin's sleigh: a blade at (x, y) that goes forward only, the centre of mass at a distance a before it.
pub(super) const SLEIGH: Text = Text {
    coordinates: &["x", "y", "theta"],
    quasi_velocities: &["forward", "turn", "lateral"],
    parameters: &[("m", 1.2), ("i", 0.5), ("a", 0.3)],
    definitions: &[],
    fields: &[
        &["cos(theta)", "sin(theta)", "0"],
        &["0", "0", "1"],
        &["-sin(theta)", "cos(theta)", "0"],
    ],
    lagrangian: "0.5*m*((x' - a*theta'*sin(theta))^2 + (y' + a*theta'*cos(theta))^2) + 0.5*i*theta'^2",
    forces: &[],
    invariants: &[],
    constraints: &[],
    constrained: &[2],
};

/// Forward and angular velocity at time t:
///
/// ```text
/// v̇ = aω²,  ω̇ = −(ma/(i+ma²)) vω;     v² + Jω² = A²,  J = i/m + a²
/// v = A tanh(aAt/J + s),   ω = (A/√J) sech(aAt/J + s)
/// ```
fn sleigh(start: [f64; 2], t: f64) -> [f64; 2] {
    let (m, i, a) = (1.2, 0.5, 0.3);
    let j: f64 = i / m + a * a;
    let speed = start[0].hypot(j.sqrt() * start[1]);
    let s = (start[0] / speed).atanh() + a * speed * t / j;
    [speed * s.tanh(), start[1].signum() * speed / j.sqrt() / s.cosh()]
}

fn velocities(system: &Lagrangian, state: &State) -> Vec<f64> {
    measured(system, state).velocity
}

struct Case {
    name: &'static str,
    system: Arc<Lagrangian>,
    start: State,
    /// Free quasi-velocities at the start.
    v: [f64; 2],
    /// And at any time.
    closed: fn([f64; 2], f64) -> [f64; 2],
}

fn cases() -> [Case; 2] {
    let (body, blade) = (SUSLOV.system(), SLEIGH.system());
    let spin = [1.2, 1.4];
    // Backwards, and turning a little: it will turn round.
    let slide = [-1.0, 0.05];
    let turning = body.state(0.0, &[0.6, 0.0, 0.8], &spin).unwrap();
    let sliding = blade.state(0.0, &[0.0, 0.0, 0.4], &slide).unwrap();
    [
        Case {
            name: "Suslov",
            system: body,
            start: turning,
            v: spin,
            closed: suslov,
        },
        Case {
            name: "Chaplygin",
            system: blade,
            start: sliding,
            v: slide,
            closed: sleigh,
        },
    ]
}

#[test]
fn continuous_equations_are_solved_by_the_closed_forms() {
    for Case {
        name,
        system,
        start,
        v,
        closed,
    } in cases()
    {
        // No canonical coordinates, and no verdict about a symplectic form.
        let defect = symplecticity_defect(&*system, &mut method(&system), &start, 0.1).unwrap();
        assert!(!system.is_canonical() && defect.is_nan());
        for t in [0.5, 2.0, 6.0, 12.0] {
            let found = velocities(&system, &reference(&system, &start, t));
            let expected = closed(v, t);
            let error = (found[0] - expected[0]).abs().max((found[1] - expected[1]).abs());
            assert!(error < 1e-12, "{name} at {t}: {error:e}");
        }
        // The wrong sign of the bracket would run the other way.
        let (ahead, back) = (closed(v, 1.0), closed(v, -1.0));
        assert!((ahead[1] - back[1]).abs() > 1e-2, "{name}");
    }
}

#[test]
fn the_discrete_method_has_order_2_and_keeps_energy() {
    for Case {
        name,
        system,
        start,
        v,
        closed,
    } in cases()
    {
        let exact = reference(&system, &start, 8.0);
        let measured_order = order(&system, &start, &exact, 8.0, [200, 400, 800]);
        assert!((measured_order - 2.0).abs() < 0.02, "{name}: {measured_order}");
        let reversal = reversal_error(&mut method(&system), &start, 0.1, 1.0).unwrap();
        assert!(reversal < 4e-15, "{name}: {reversal:e}");

        let (mut state, mut method) = (start.clone(), method(&system));
        let initial = measured(&system, &start);
        let (mut worst, mut iterations) = (0.0_f64, 0);
        // Long enough to become steady.
        let steps = 1000;
        for _ in 0..steps {
            iterations += method.step(&mut state, 0.1).unwrap().iterations;
            let energy = measured(&system, &state).energy.total();
            worst = worst.max((energy - initial.energy.total()).abs());
        }
        println!(
            "{name}: energy {worst:.1e} in {steps} steps, {:.2} iterations each",
            f64::from(iterations) / f64::from(steps)
        );
        // The mass matrix is constant in the frame: the bracket does no work, and what is left is rounding.
        assert!(worst < 2e-14, "{name}: {worst:e}");

        // Steady in the end, where the closed form ends.
        let (found, expected) = (velocities(&system, &state), closed(v, 1e3));
        let error = (found[0] - expected[0]).abs().max((found[1] - expected[1]).abs());
        assert!(error < 1e-12, "{name}: {error:e}");
    }
}

#[test]
fn the_sleigh_turns_round_and_goes_straight() {
    let system = SLEIGH.system();
    let start = system.state(0.0, &[0.0, 0.0, 0.0], &[-1.0, 0.05]).unwrap();
    let state = stepped(&system, &start, 0.05, 2000);
    let v = velocities(&system, &state);
    let speed = (1.0 + (0.5 / 1.2 + 0.09) * 0.05 * 0.05_f64).sqrt();
    assert!((v[0] - speed).abs() < 1e-12 && v[1].abs() < 1e-12, "{v:?}");
    // Along the blade: no step leaves the line at the end.
    let (s, c) = state.q[2].sin_cos();
    let next = stepped(&system, &state, 0.05, 10);
    let (dx, dy) = (next.q[0] - state.q[0], next.q[1] - state.q[1]);
    assert!((dy * c - dx * s).abs() < 1e-12 && dx * c + dy * s > 0.4);
}

#[test]
fn suslov_in_a_field_keeps_energy_and_length() {
    // A body that is heavy as well: |Γ| and the energy stay, no more is known.
    let system = Text {
        lagrangian: "T - 0.7*Gamma.x - 0.4*Gamma.z",
        ..SUSLOV
    }
    .system();
    let start = system.state(0.0, &[0.6, 0.0, 0.8], &[0.5, -0.4]).unwrap();
    let state = stepped(&system, &start, 0.05, 10_000);
    let (before, after) = (measured(&system, &start), measured(&system, &state));
    let energy = (after.energy.total() - before.energy.total()).abs();
    let length = (after.invariants[0] - 1.0).abs();
    println!("heavy Suslov body: energy {energy:.1e}, length {length:.1e}");
    assert!(energy < 1e-13 && length < 1e-13, "{energy:e} {length:e}");
}

#[test]
fn compositions_reach_order_4_under_constraints() {
    for Case {
        name, system, start, ..
    } in cases()
    {
        let exact = reference(&system, &start, 8.0);
        let counts = [40_u32, 60, 80];
        let errors = counts.map(|count| {
            let mut composed = Composition::new(Box::new(method(&system)), 4).unwrap();
            let mut state = start.clone();
            for _ in 0..count {
                composed.step(&mut state, 8.0 / f64::from(count)).unwrap();
            }
            distance(&state, &exact)
        });
        let order = observed_order(&counts.map(|count| 8.0 / f64::from(count)), &errors);
        assert!((order - 4.0).abs() < 0.2, "{name}: {order} {errors:?}");
    }
}

//! What rolls and cuts, and joints that close loops.
use super::{
    largest,
    loops::{body, measure, site},
    steps::{run, variational},
};
use holonomy::{
    Vec3,
    diagnostics::{observed_order, reversal_error},
    geometry::RigidInertia,
    integrator::{Composition, Integrator, catalog::find},
    system::{Mechanism, State, System},
    tree::{Blade, Closing, ClosingJoint, Constraint, Joint, RigidBody, Rolling, Tree, TreeParts, assemble},
};
use std::sync::Arc;

const RADIUS: f64 = 0.5;
const MASS: f64 = 1.2;
const DIAMETRAL: f64 = 0.07;
const POLAR: f64 = 0.13;
const GRAVITY: f64 = 9.81;

/// A disk with its axis along y on the floor.
fn disk() -> Arc<Tree> {
    let inertia = RigidInertia::diagonal(MASS, Vec3::zeros(), [DIAMETRAL, POLAR, DIAMETRAL]);
    Arc::new(
        Tree::new(TreeParts {
            bodies: vec![RigidBody::new("disk", Joint::Free, inertia)],
            sites: vec![
                site("centre", Some(0), Vec3::zeros()),
                site("floor", None, Vec3::zeros()),
            ],
            gravity: Vec3::z() * -GRAVITY,
            constraints: vec![(
                "wheel".to_owned(),
                Constraint::Rolling(Rolling::disk(0, Vec3::y(), RADIUS, 1, Vec3::z())),
            )],
            ..TreeParts::default()
        })
        .unwrap(),
    )
}

/// Leaning by θ about the way it goes, x, and turning at ω in its own frame before any spin.
fn leaning(tree: &Tree, theta: f64, w: [f64; 3]) -> State {
    let (s, c) = (theta.sin(), theta.cos());
    let q = [
        0.0,
        0.0,
        RADIUS * c,
        (0.5 * theta).cos(),
        (0.5 * theta).sin(),
        0.0,
        0.0,
    ];
    let (along, aside) = (RADIUS * w[1], -RADIUS * w[0]);
    let v = [along, aside * c, aside * s, w[0], w[1], w[2]];
    tree.state(0.0, &q, &v).unwrap()
}

/// Angles ψ, θ, φ (turns about z, x, y) and ω in the axes that lean but do not spin, at t = 2, of
///
/// ```text
/// (A + mr²) ω̇₁ = (C + mr²) ω₂ω₃ − A ω₃² tan θ + mgr sin θ,   (C + mr²) ω̇₂ = −mr² ω₁ω₃,
/// A ω̇₃ = −C ω₁ω₂ + A ω₁ω₃ tan θ,   θ̇ = ω₁,   ψ̇ = ω₃/cos θ,   φ̇ = ω₂ − ω₃ tan θ,
/// ṙ = r ω₂ e₁ − r ω₁ e₂
/// ```
/// by SciPy's DOP853 with rtol = 3e-14, from θ = 0.3, ω = (0.4, 3, −0.8): x, y, z, and the quaternion.
const AT_TWO: [f64; 7] = [
    -0.877605843633362,
    -1.329120333015732,
    0.4238904484458071,
    -0.02762263162199277,
    -0.6526024829268599,
    0.376051117238305,
    0.6572157535572287,
];

fn off(state: &State) -> f64 {
    let mut q = state.q.clone();
    if q[4] > 0.0 {
        q[3..].iter_mut().for_each(|x| *x = -*x);
    }
    largest(&q, &AT_TWO)
}

#[test]
fn a_rolling_disk_moves_as_its_classical_equations_say() {
    let tree = disk();
    let start = leaning(&tree, 0.3, [0.4, 3.0, -0.8]);
    let energy = tree.energy(&start).total();
    // Python's: 7.610110574993317.
    assert!((energy - 7.610110574993317).abs() < 1e-14);
    let steps = [100_u64, 200, 400, 800];
    let (mut errors, mut energies) = (Vec::new(), Vec::new());
    for n in steps {
        let (mut state, mut method) = (start.clone(), variational(&tree));
        let mut worst = 0.0_f64;
        for _ in 0..n {
            method.step(&mut state, 2.0 / n as f64).unwrap();
            worst = worst.max((tree.energy(&state).total() - energy).abs());
        }
        // On the floor, and no slip: metres and metres per second, to rounding.
        assert!(measure(&tree, &state).constraint.unwrap() < 1e-14);
        errors.push(off(&state));
        energies.push(worst / energy);
    }
    let h = steps.map(|n| 2.0 / n as f64);
    let (order, kept) = (observed_order(&h, &errors), observed_order(&h, &energies));
    assert!((order - 2.0).abs() < 0.1, "{errors:?}");
    assert!((kept - 2.0).abs() < 0.2, "{energies:?}");
    // A symmetric step can be composed to order 6, and then meets the numbers of DOP853.
    let mut state = start.clone();
    let mut method = Composition::new(Box::new(variational(&tree)), 6).unwrap();
    run(&mut method, &mut state, 0.005, 400);
    assert!(off(&state) < 1e-9, "{:e}", off(&state));
    // The continuous equations are the same ones.
    let mut state = start;
    let mut method = find("rk4").unwrap().build(&Mechanism::Tree(tree)).unwrap();
    run(&mut *method, &mut state, 0.001, 2000);
    assert!(off(&state) < 1e-9, "{:e}", off(&state));
}

#[test]
fn steps_of_what_rolls_are_undone_by_steps_back() {
    let tree = disk();
    let mut state = leaning(&tree, 0.3, [0.4, 3.0, -0.8]);
    let mut method = variational(&tree);
    for h in [0.01, 0.05] {
        run(&mut method, &mut state, h, 10);
        state.carry.clear();
        let error = reversal_error(&mut method, &state, h, 1.0).unwrap();
        assert!(error < 1e-13, "{error:e}");
    }
}

#[test]
fn a_wheel_rolls_straight_on_and_a_leaning_one_steadily_round() {
    let tree = disk();
    let mut state = leaning(&tree, 0.0, [0.0, 4.0, 0.0]);
    run(&mut variational(&tree), &mut state, 0.01, 1000);
    let measured = measure(&tree, &state);
    // v = r ω: 2 m/s for 10 s. The multipliers are weight and friction.
    assert!((measured.velocity[0] - 2.0).abs() < 1e-12 && measured.velocity[1].abs() < 1e-12);
    assert!(state.q[1].abs() < 1e-11 && (state.q[2] - RADIUS).abs() < 1e-14);
    let force = Vec3::from_column_slice(&state.lambda);
    assert!(
        (force - Vec3::new(MASS * GRAVITY, 0.0, 0.0)).norm() < 1e-10,
        "{force}"
    );
    // Discrete velocities meet v = r ω with hω = 2 sin(hφ̇/2), so that the way has an error of second order.
    let way = |n: u64| {
        let mut state = leaning(&tree, 0.0, [0.0, 4.0, 0.0]);
        run(&mut variational(&tree), &mut state, 10.0 / n as f64, n);
        (state.q[0] - 20.0).abs()
    };
    let errors = [500, 1000, 2000].map(way);
    assert!(
        (observed_order(&[4.0, 2.0, 1.0], &errors) - 2.0).abs() < 0.1,
        "{errors:?}"
    );

    // Steady: (C + mr²) ω₂ω₃ − A ω₃² tan θ + mgr sin θ = 0, which gives ω₂.
    let (theta, w3): (f64, f64) = (0.25, -1.2);
    let push = DIAMETRAL * w3 * w3 * theta.tan() - MASS * GRAVITY * RADIUS * theta.sin();
    let w2 = push / ((POLAR + MASS * RADIUS * RADIUS) * w3);
    let (rate, speed) = (w3 / theta.cos(), RADIUS * w2);
    let curvature = (speed / rate).abs();
    let mut errors = Vec::new();
    for n in [250_u64, 500, 1000] {
        let mut state = leaning(&tree, theta, [0.0, w2, w3]);
        let (mut method, mut off) = (variational(&tree), 0.0_f64);
        for _ in 0..n {
            method.step(&mut state, 5.0 / n as f64).unwrap();
            // About the centre of the circle, at a constant height.
            let from_centre = Vec3::new(state.q[0], state.q[1] - speed / rate, 0.0).norm();
            off = off.max((from_centre - curvature).abs());
            off = off.max((state.q[2] - RADIUS * theta.cos()).abs());
        }
        errors.push(off);
    }
    let order = observed_order(&[4.0, 2.0, 1.0], &errors);
    assert!((order - 2.0).abs() < 0.1, "{errors:?}");
}

/// Chaplygin's sleigh: u and ω of the blade, with `u̇ = a ω²`, `ω̇ = −(κ/a) u ω`, `κ = ma²/(I + ma²)`, so that
/// `u = c tanh(κc(t − t₀)/a)`, `c² = u² + a²ω²/κ`.
#[test]
fn a_sleigh_on_a_blade_turns_round_as_in_closed_form() {
    let (mass, moment, a): (f64, f64, f64) = (1.2, 0.5, 0.3);
    let light = RigidInertia::zero();
    let inertia = RigidInertia::diagonal(mass, Vec3::x() * a, [0.3, 0.3, moment]);
    let slide = |axis| Joint::Prismatic { axis };
    let tree = Tree::new(TreeParts {
        bodies: vec![
            body("x", None, slide(Vec3::x()), Vec3::zeros(), light),
            body("y", Some(0), slide(Vec3::y()), Vec3::zeros(), light),
            body(
                "sleigh",
                Some(1),
                Joint::Revolute { axis: Vec3::z() },
                Vec3::zeros(),
                inertia,
            ),
        ],
        sites: vec![site("blade", Some(2), Vec3::zeros())],
        constraints: vec![(
            "blade".to_owned(),
            Constraint::Blade(Blade {
                site: 0,
                across: Vec3::y() * 2.0,
            }),
        )],
        ..TreeParts::default()
    });
    let tree = Arc::new(tree.unwrap());
    assert!(tree.is_nonholonomic() && tree.layout().conserved.invariants.is_empty());
    let (heading, u, w): (f64, f64, f64) = (0.4, -1.0, 0.2);
    let q = [0.0, 0.0, heading];
    let start = tree
        .state(0.0, &q, &[u * heading.cos(), u * heading.sin(), w])
        .unwrap();
    let kappa = mass * a * a / (moment + mass * a * a);
    let c = (u * u + a * a * w * w / kappa).sqrt();
    let end = 8.0;
    let expected = c * ((u / c).atanh() + kappa * c * end / a).tanh();
    let (mut errors, mut energies) = (Vec::new(), Vec::new());
    for n in [200_u64, 400, 800] {
        let mut state = start.clone();
        run(&mut variational(&tree), &mut state, end / n as f64, n);
        let measured = measure(&tree, &state);
        let (s, c) = state.q[2].sin_cos();
        let [vx, vy] = [measured.velocity[0], measured.velocity[1]];
        assert!((vy * c - vx * s).abs() < 1e-14);
        errors.push((vx * c + vy * s - expected).abs());
        energies.push((tree.energy(&state).total() - tree.energy(&start).total()).abs());
        let back = reversal_error(&mut variational(&tree), &start, end / n as f64, 1.0).unwrap();
        assert!(back < 1e-14, "{back:e}");
    }
    let steps = [4.0, 2.0, 1.0];
    assert!((observed_order(&steps, &errors) - 2.0).abs() < 0.1, "{errors:?}");
    assert!(observed_order(&steps, &energies) > 1.8, "{energies:?}");
}

/// A cart in a plane: the height of its wheel and what it does sideways say nothing, and are left out.
#[test]
fn a_wheel_of_a_plane_cart_is_one_equation() {
    let (m, wheel, moment) = (3.0, 0.5, 0.01);
    let radius = 0.2;
    let tree = Tree::new(TreeParts {
        bodies: vec![
            body(
                "cart",
                None,
                Joint::Prismatic { axis: Vec3::x() },
                Vec3::new(0.0, 0.3, radius),
                RigidInertia::point(m, Vec3::zeros()),
            ),
            body(
                "wheel",
                Some(0),
                Joint::Revolute { axis: Vec3::y() },
                Vec3::zeros(),
                RigidInertia::diagonal(wheel, Vec3::zeros(), [moment; 3]),
            ),
        ],
        sites: vec![
            site("hub", Some(1), Vec3::zeros()),
            site("floor", None, Vec3::zeros()),
        ],
        gravity: Vec3::new(1.0, 0.0, -9.0),
        constraints: vec![(
            "wheel".to_owned(),
            Constraint::Rolling(Rolling::disk(0, Vec3::y(), radius, 1, Vec3::z())),
        )],
        ..TreeParts::default()
    });
    let tree = Arc::new(tree.unwrap());
    assert_eq!(tree.layout().multipliers, ["wheel.friction.1"]);
    let mut state = tree.state(0.0, &[0.0, 0.0], &[0.0, 0.0]).unwrap();
    run(&mut variational(&tree), &mut state, 0.01, 100);
    // Uniform acceleration by the slope: (m + w) g_x/(m + w + I/r²), which steps of second order meet.
    let a = (m + wheel) / (m + wheel + moment / (radius * radius));
    assert!((state.q[0] - 0.5 * a).abs() < 1e-13, "{}", state.q[0]);
    assert!((state.q[0] - radius * state.q[1]).abs() < 1e-14);
    // Friction turns the wheel: F r = −I a/r.
    assert!((state.lambda[0] + moment * a / (radius * radius)).abs() < 1e-12);
}

/// A four-bar linkage in a plane whose normal is no axis, closed by `closing`.
fn four_bar(closing: impl Fn([usize; 2], Vec3, [Vec3; 2]) -> Constraint) -> Arc<Tree> {
    let normal = Vec3::new(0.2, 1.0, -0.3).normalize();
    let along = Vec3::new(1.0, 0.1, 1.0).cross(&normal).normalize();
    let up = normal.cross(&along);
    let rod = |name, parent, at, end: Vec3| {
        let joint = Joint::Revolute { axis: normal };
        body(
            name,
            parent,
            joint,
            at,
            RigidInertia::rod(1.0, Vec3::zeros(), end),
        )
    };
    let zero = Vec3::zeros();
    let tree = Tree::new(TreeParts {
        bodies: vec![
            rod("crank", None, zero, up * 0.4),
            rod("coupler", Some(0), up * 0.4, along * 1.0),
            rod("rocker", None, along * 0.9, up * 0.7),
        ],
        sites: vec![site("a", Some(1), along * 1.0), site("b", Some(2), up * 0.7)],
        gravity: Vec3::z() * -GRAVITY,
        constraints: vec![("pin".to_owned(), closing([0, 1], normal, [along, up]))],
        ..TreeParts::default()
    });
    Arc::new(tree.unwrap())
}

#[test]
fn a_hinge_closes_a_plane_linkage_as_a_pin_in_the_plane_does() {
    let hinged = four_bar(|between, normal, _| {
        Constraint::Closing(Closing::new(ClosingJoint::Hinge, between, [normal, normal]))
    });
    let pinned = four_bar(|between, _, plane| Constraint::Coincidence {
        between,
        directions: plane.to_vec(),
    });
    assert_eq!((hinged.constraints(), pinned.constraints()), (2, 2));
    assert_eq!(hinged.layout().multipliers, ["pin.1", "pin.2"]);
    let mut ends = Vec::new();
    for tree in [&hinged, &pinned] {
        let start = assemble(tree, &[0.3, 0.2, -0.1], &[3.0, 0.0, 0.0], &[true, false, false]);
        assert!(start.closed && tree.dependences(0.0, &start.q).is_empty());
        let mut state = tree.state(0.0, &start.q, &start.v).unwrap();
        let mut method = variational(tree);
        run(&mut method, &mut state, 0.005, 400);
        assert_eq!(method.dependent_constraints(), 0);
        ends.push(state);
    }
    // The same motion to rounding that grows a little in 400 steps.
    assert!(
        largest(&ends[0].q, &ends[1].q) < 1e-10,
        "{:?} {:?}",
        ends[0].q,
        ends[1].q
    );
    // Multipliers in other directions are the same force.
    let size = |tree: &Tree, state: &State| {
        let force = measure(tree, state).multipliers;
        force[0].hypot(force[1])
    };
    let (one, other) = (size(&hinged, &ends[0]), size(&pinned, &ends[1]));
    assert!((one - other).abs() < 1e-8 * other, "{one} {other}");
}

/// A body that a closing hinge joins to the world moves as on a hinge of the tree.
#[test]
fn a_hinge_on_a_free_body_is_a_revolute_joint() {
    let axis = Vec3::new(0.2, 1.0, 0.1);
    let inertia = RigidInertia::diagonal(1.3, Vec3::new(0.3, 0.1, -0.4), [0.05, 0.06, 0.04]);
    let gravity = Vec3::z() * -GRAVITY;
    let jointed = Tree::new(TreeParts {
        bodies: vec![RigidBody::new("a", Joint::Revolute { axis }, inertia)],
        gravity,
        ..TreeParts::default()
    });
    let closed = Tree::new(TreeParts {
        bodies: vec![RigidBody::new("a", Joint::Free, inertia)],
        sites: vec![site("o", None, Vec3::zeros()), site("p", Some(0), Vec3::zeros())],
        gravity,
        constraints: vec![(
            "hinge".to_owned(),
            Constraint::Closing(Closing::new(ClosingJoint::Hinge, [0, 1], [axis, axis])),
        )],
        ..TreeParts::default()
    });
    let (jointed, closed) = (Arc::new(jointed.unwrap()), Arc::new(closed.unwrap()));
    let w = axis.normalize() * 2.0;
    let mut errors = Vec::new();
    for n in [100_u64, 200, 400] {
        let mut one = jointed.state(0.0, &[0.0], &[2.0]).unwrap();
        let mut other = closed
            .state(0.0, &closed.zero(0.0), &[0.0, 0.0, 0.0, w.x, w.y, w.z])
            .unwrap();
        run(&mut variational(&jointed), &mut one, 1.0 / n as f64, n);
        run(&mut variational(&closed), &mut other, 1.0 / n as f64, n);
        let turned = 2.0
            * Vec3::from_column_slice(&other.q[4..])
                .dot(&axis.normalize())
                .atan2(other.q[3]);
        errors.push((turned - one.q[0]).sin().abs());
    }
    // Angles and rotations are different discretisations of second order.
    assert!(
        (observed_order(&[4.0, 2.0, 1.0], &errors) - 2.0).abs() < 0.1,
        "{errors:?}"
    );
}

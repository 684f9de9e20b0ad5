//! Rigid strings that go slack and snap tight: `Constraint::Tether`.
use super::{
    links::{block, blocks, body, measure, moving, site},
    steps::variational,
};
use holonomy::{
    Vec3,
    integrator::{Integrator, catalog},
    system::{Mechanism, State},
    tree::{AppliedWrench, Constraint, Joint, Length, Tree, TreeParts, WrenchFrame},
};
use std::sync::Arc;

const G: f64 = 9.81;
const LENGTH: f64 = 1.0;

/// A particle in a vertical plane on a tether from the origin.
fn particle() -> Arc<Tree> {
    let along = |axis| Joint::Prismatic { axis };
    let none = holonomy::geometry::RigidInertia::zero();
    let bodies = vec![
        body("x".to_owned(), None, along(Vec3::x()), Vec3::zeros(), none),
        body(
            "z".to_owned(),
            Some(0),
            along(Vec3::z()),
            Vec3::zeros(),
            block(2.0),
        ),
    ];
    Arc::new(
        Tree::new(TreeParts {
            gravity: Vec3::new(0.0, 0.0, -G),
            bodies,
            sites: vec![site(None, Vec3::zeros()), site(Some(1), Vec3::zeros())],
            constraints: vec![tether(&[0, 1], LENGTH)],
            ..TreeParts::default()
        })
        .unwrap(),
    )
}

fn tether(through: &[usize], length: f64) -> (String, Constraint) {
    let through = through.to_vec();
    let length = Length::Fixed(length);
    (
        format!("tether-{}-{}", through[0], through[1]),
        Constraint::Tether { through, length },
    )
}

fn after(tree: &Arc<Tree>, start: &State, time: f64, steps: u32) -> State {
    let (mut state, mut method) = (start.clone(), variational(tree));
    for _ in 0..steps {
        method.step(&mut state, time / f64::from(steps)).unwrap();
    }
    state
}

#[test]
fn a_weight_that_drops_on_its_tether_hangs_there_and_its_energy_is_counted() {
    let tree = particle();
    // 0.45 s of free fall; the step in which it is over is cut at no special place.
    for steps in [37, 100, 331] {
        let start = tree.state(0.0, &[0.0, 0.0], &[0.0, 0.0]).unwrap();
        let before = measure(&tree, &start).energy;
        let end = after(&tree, &start, 0.8, steps);
        let now = measure(&tree, &end);
        assert!((end.q[1] + LENGTH).abs() < 1e-14, "{:?}", end.q);
        assert!(end.p[1].abs() < 1e-14, "{:?}", end.p);
        // It hangs, and the tether carries its weight.
        assert!(
            (now.multipliers[0] - 2.0 * G).abs() < 1e-12,
            "{:?}",
            now.multipliers
        );
        // All that fell is gone: 19.62 J, sums of a few hundred numbers of that size.
        let change = now.energy.kinetic + now.energy.potential - before.kinetic - before.potential;
        assert!((change + 2.0 * G * LENGTH).abs() < 1e-12, "{change}");
        assert!((end.work[0] - change).abs() < 1e-11, "{:?} {change}", end.work);
    }
}

/// Where a particle thrown from below with this speed is after a time: up the circle, through the air from where nothing
/// pulls, and down on the circle again with what is left of its velocity.
fn closed_form(speed: f64, time: f64) -> [f64; 2] {
    // On the circle, by the angle from below: θ̈ = −(g/l) sin θ, by RK4 with steps so small that 1e-11 is left.
    let swing = |mut theta: f64, mut rate: f64, mut left: f64, ends: &dyn Fn(f64, f64) -> bool| {
        let h = 1e-5_f64;
        while left > 0.0 && !ends(theta, rate) {
            let h = h.min(left);
            let f = |x: f64| -(G / LENGTH) * x.sin();
            let (a, b) = (rate, f(theta));
            let (c, d) = (rate + 0.5 * h * b, f(theta + 0.5 * h * a));
            let (e, k) = (rate + 0.5 * h * d, f(theta + 0.5 * h * c));
            let (m, n) = (rate + h * k, f(theta + h * e));
            theta += h / 6.0 * (a + 2.0 * c + 2.0 * e + m);
            rate += h / 6.0 * (b + 2.0 * d + 2.0 * k + n);
            left -= h;
        }
        (theta, rate, left)
    };
    // T = m (v²/l + g cos θ), v² = v₀² − 2 g l (1 − cos θ): nothing pulls where cos θ = (2 − v₀²/gl)/3.
    let loose = ((2.0 - speed * speed / (G * LENGTH)) / 3.0).acos();
    let (theta, _, left) = swing(0.0, speed / LENGTH, time, &|theta, _| theta >= loose);
    if left <= 0.0 {
        return [LENGTH * theta.sin(), -LENGTH * theta.cos()];
    }
    let v = (-G * LENGTH * loose.cos()).sqrt();
    let (place, flight) = ([loose.sin(), -loose.cos()], [v * loose.cos(), v * loose.sin()]);
    let at = |t: f64| {
        [
            LENGTH * place[0] + flight[0] * t,
            LENGTH * place[1] + flight[1] * t - 0.5 * G * t * t,
        ]
    };
    let beyond = |t: f64| at(t)[0].hypot(at(t)[1]) - LENGTH;
    // The time that the circle above took is known to a step of 1e-5: its end is computed from the energy instead.
    let (mut a, mut b) = (1e-3, 1e-3);
    while beyond(b) < 0.0 {
        (a, b) = (b, b + 1e-3);
    }
    for _ in 0..100 {
        let middle = 0.5 * (a + b);
        if beyond(middle) < 0.0 {
            a = middle
        } else {
            b = middle
        }
    }
    if left < a {
        return at(left);
    }
    let [x, z] = at(a);
    let (vx, vz) = (flight[0], flight[1] - G * a);
    let (theta, rate) = (x.atan2(-z), (vx * -z + vz * x) / (LENGTH * LENGTH));
    let (theta, ..) = swing(theta, rate, left - a, &|_, _| false);
    [LENGTH * theta.sin(), -LENGTH * theta.cos()]
}

/// What snaps does so up to a step too early or too late: the error falls with the step, not with its square.
#[test]
fn a_particle_leaves_its_circle_flies_and_is_caught_again() {
    let (tree, speed) = (particle(), 6.0);
    let start = tree.state(0.0, &[0.0, -LENGTH], &[speed, 0.0]).unwrap();
    for (time, order) in [(0.15, 2), (0.6, 1), (0.9, 1)] {
        let exact = closed_form(speed, time);
        let mut last = f64::INFINITY;
        for steps in [500_u32, 2000, 8000] {
            let end = after(&tree, &start, time, steps);
            let error = (end.q[0] - exact[0]).hypot(end.q[1] - exact[1]);
            println!("{time} s, {steps} steps: {error:e}");
            // A step of 1e-5 in the closed form leaves that much of where the circle ends.
            let step = time / f64::from(steps);
            let allowed = 40.0 * step.powi(order) + 1e-4 * f64::from(u8::from(order == 1));
            assert!(
                error < allowed && error < last,
                "{time} s, {steps} steps: {error:e}"
            );
            last = error;
        }
    }
}

#[test]
fn tethers_of_free_bodies_pull_only_and_keep_all_momenta() {
    let mut parts = blocks();
    parts.links.clear();
    parts.potentials.clear();
    parts.constraints = vec![tether(&[0, 1], 1.05), tether(&[1, 2], 1.1), tether(&[0, 2], 1.95)];
    let tree = Arc::new(Tree::new(parts).unwrap());
    let start = moving(&tree, 1.5);
    let (mut state, mut method) = (start.clone(), variational(&tree));
    let before = measure(&tree, &start);
    let (mut snaps, mut slack) = ([false; 3], [false; 3]);
    for _ in 0..4000 {
        method.step(&mut state, 2e-3).unwrap();
        for k in 0..3 {
            assert!(state.lambda[k] >= 0.0, "{:?}", state.lambda);
            snaps[k] |= state.lambda[k] > 0.0;
            slack[k] |= state.lambda[k] == 0.0;
        }
    }
    let now = measure(&tree, &state);
    assert!(
        snaps.contains(&true) && slack.contains(&true),
        "{snaps:?} {slack:?}"
    );
    // Sums of thousands of rounded impulses of order one.
    for (a, b) in before.invariants.iter().zip(&now.invariants) {
        assert!((a - b).abs() < 1e-11, "{a} {b}");
    }
    assert!(now.constraint.unwrap() < 1e-12, "{:?}", now.constraint);
    assert!(state.work.iter().sum::<f64>() < -0.01, "{:?}", state.work);
}

#[test]
fn snaps_are_the_same_to_the_bit_after_a_restart() {
    let tree = particle();
    let start = tree.state(0.0, &[0.2, -0.3], &[3.0, 1.0]).unwrap();
    let (mut one, mut method) = (start.clone(), variational(&tree));
    let mut other = start;
    for _ in 0..3000 {
        method.step(&mut one, 1e-3).unwrap();
        variational(&tree).step(&mut other, 1e-3).unwrap();
        assert_eq!((&one.q, &one.p, &one.lambda), (&other.q, &other.p, &other.lambda));
    }
}

#[test]
#[ignore = "long: 10⁶ steps"]
fn a_million_steps_of_snaps_do_not_fail_and_energy_is_accounted_for() {
    let mut parts = TreeParts {
        gravity: Vec3::new(0.0, 0.0, -G),
        bodies: vec![body("b".to_owned(), None, Joint::Free, Vec3::zeros(), block(1.0))],
        sites: vec![
            site(None, Vec3::zeros()),
            site(Some(0), Vec3::new(0.1, 0.0, 0.2)),
            site(None, Vec3::new(1.0, 0.0, 0.0)),
        ],
        constraints: vec![tether(&[0, 1], 1.0), tether(&[2, 1], 1.2)],
        ..TreeParts::default()
    };
    // A force that comes from all sides keeps it going.
    parts.wrenches.push(AppliedWrench {
        body: 0,
        position: Vec3::zeros(),
        frame: WrenchFrame::Mixed,
        value: Box::new(|t| {
            let force = [0.0, 1.0, 2.0].map(|k| 15.0 * ((1.7 + k) * t + k).sin());
            (force.into(), Vec3::zeros())
        }),
    });
    let tree = Arc::new(Tree::new(parts).unwrap());
    let mut q = tree.zero(0.0);
    q[2] = -0.4;
    let (mut state, mut method) = (
        tree.state(0.0, &q, &vec![0.0; tree.velocities()]).unwrap(),
        variational(&tree),
    );
    let energy = |state: &State| {
        let energy = measure(&tree, state).energy;
        energy.kinetic + energy.potential
    };
    let before = energy(&state);
    let (mut snaps, mut was, mut worst) = (0_u32, [false; 2], 0.0_f64);
    for k in 0..1_000_000 {
        method.step(&mut state, 1e-3).unwrap();
        for (was, lambda) in was.iter_mut().zip(&state.lambda) {
            snaps += u32::from(*lambda > 0.0 && !*was);
            *was = *lambda > 0.0;
        }
        if k % 1000 == 0 {
            let open = energy(&state) - before - state.work.iter().sum::<f64>();
            worst = worst.max(open.abs());
        }
    }
    println!("{snaps} snaps, open {worst} J of {:?}", state.work);
    assert!(snaps > 1000, "{snaps}");
    // Sums of a million rounded numbers, up to the 3 kJ that the force has done.
    assert!(worst < 1e-8, "{worst}");
}

#[test]
fn other_methods_say_what_to_use() {
    let mechanism = Mechanism::Tree(particle());
    for method in catalog::METHODS {
        let built = method.build(&mechanism);
        match method.name {
            "tree-variational" => assert!(built.is_ok()),
            _ => assert!(built.is_err(), "{}", method.name),
        }
    }
    let error = catalog::find("dop853").unwrap().build(&mechanism).err().unwrap();
    assert_eq!(error.instead, "tree-variational");
}

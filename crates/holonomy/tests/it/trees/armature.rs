//! Armature: the inertia of rotors that are geared to joints.
use super::{largest, steps};
use holonomy::{
    Vec3,
    geometry::{Pose, RigidInertia},
    system::{State, System},
    tree::{Constraint, Joint, RigidBody, Tree, TreeError, TreeParts},
};
use std::sync::Arc;

/// Two links, the second about another axis, gravity down.
fn arm() -> TreeParts {
    let link = |name: &str, axis: Vec3| {
        let inertia = RigidInertia::cuboid(1.3, Vec3::new(0.1, 0.05, -0.4), Vec3::new(0.1, 0.2, 0.8));
        RigidBody::new(name, Joint::Revolute { axis }, inertia)
    };
    let elbow = link("lower", Vec3::new(0.3, 1.0, 0.2));
    TreeParts {
        bodies: vec![
            link("upper", Vec3::y()),
            elbow.on(0).at(Vec3::new(0.0, 0.0, -0.8)),
        ],
        gravity: Vec3::z() * -9.81,
        ..TreeParts::default()
    }
}

fn start(tree: &Tree, q: &[f64], v: &[f64]) -> State {
    tree.state(0.0, q, v).unwrap()
}

#[test]
fn it_does_what_a_flywheel_behind_a_gear_does() {
    // A wheel that turns n times as fast has the energy ½ J n² v²: armature J n².
    let (armature, gears) = ([0.4, 0.15], [7.0, -5.0]);
    let mut parts = arm();
    parts.armature = vec![(0, armature[0]), (1, armature[1])];
    let armed = Arc::new(Tree::new(parts).unwrap());
    let mut parts = arm();
    for k in 0..2 {
        let inertia = armature[k] / (gears[k] * gears[k]);
        let wheel = RigidInertia::diagonal(1.0, Vec3::zeros(), [inertia, inertia, inertia]);
        let name = format!("wheel-{k}");
        parts
            .bodies
            .push(RigidBody::new(&name, Joint::Revolute { axis: Vec3::x() }, wheel));
        let coupling = Constraint::Coupling {
            terms: vec![(k, 0, gears[k]), (2 + k, 0, -1.0)],
            constant: 0.0,
        };
        parts.constraints.push((name, coupling));
    }
    let geared = Arc::new(Tree::new(parts).unwrap());
    let (q, v) = ([1.1, -0.4], [0.3, 2.0]);
    let with_wheels = |x: [f64; 2]| [x[0], x[1], gears[0] * x[0], gears[1] * x[1]];
    let (mut a, mut b) = (
        start(&armed, &q, &v),
        start(&geared, &with_wheels(q), &with_wheels(v)),
    );
    assert!((armed.energy(&a).kinetic - geared.energy(&b).kinetic).abs() < 1e-14);
    let mut methods = (steps::variational(&armed), steps::variational(&geared));
    // Couplings are linear, so that the discrete equations are the same: what differs is rounding and where Newton ends,
    // some 1e-14 a step, and what the motion makes of it.
    for _ in 0..300 {
        steps::run(&mut methods.0, &mut a, 0.01, 1);
        steps::run(&mut methods.1, &mut b, 0.01, 1);
        assert!(largest(&a.q, &b.q[..2]) < 1e-10, "{} {:?} {:?}", a.t, a.q, b.q);
    }
    // Without it the motion is another.
    let bare = Arc::new(Tree::new(arm()).unwrap());
    let mut c = start(&bare, &q, &v);
    steps::run(&mut steps::variational(&bare), &mut c, 0.01, 300);
    assert!(largest(&a.q, &c.q) > 0.1);
}

#[test]
fn on_a_ball_joint_in_the_world_it_is_a_moment_of_inertia() {
    // There the velocity of the joint is that of the body: both are diag(a, a, a).
    let build = |own: f64, armature: f64| {
        let moments = [0.2 + own, 0.3 + own, 0.4 + own];
        let body = RigidInertia::diagonal(1.0, Vec3::zeros(), moments);
        let mut parts = TreeParts {
            bodies: vec![RigidBody::new("top", Joint::Spherical, body)],
            ..TreeParts::default()
        };
        parts.armature.push((0, armature));
        Arc::new(Tree::new(parts).unwrap())
    };
    let (body, rotor) = (build(0.5, 0.0), build(0.0, 0.5));
    let q = [1.0, 0.0, 0.0, 0.0];
    let (mut a, mut b) = (
        start(&body, &q, &[0.4, 5.0, 0.1]),
        start(&rotor, &q, &[0.4, 5.0, 0.1]),
    );
    steps::run(&mut steps::variational(&body), &mut a, 0.02, 500);
    steps::run(&mut steps::variational(&rotor), &mut b, 0.02, 500);
    // Rounding of 500 steps at ten radians; the middle axis parts what is close a thousandfold.
    assert!(largest(&a.q, &b.q) < 1e-10, "{:?} {:?}", a.q, b.q);
    assert!(largest(&a.p, &b.p) < 1e-10);
    let measured = |tree: &Tree, state: &State| steps::measure(tree, state).invariants;
    assert!(largest(&measured(&body, &a), &measured(&rotor, &b)) < 1e-10);
}

#[test]
fn the_momenta_of_the_whole_contain_it() {
    // A free body with an arm: its armature is inertia against space, that of the arm is not.
    let mut parts = arm();
    parts.gravity = Vec3::zeros();
    parts.bodies[0].joint = Joint::Free;
    parts.armature = vec![(0, 0.4), (1, 0.3)];
    let tree = Arc::new(Tree::new(parts).unwrap());
    assert_eq!(tree.layout().conserved.invariants.len(), 6);
    let q = [0.3, -0.2, 0.5, 0.8, 0.0, 0.6, 0.0, 0.7];
    let v = [0.3, 0.2, -0.4, 1.0, 2.0, -0.5, 3.0];
    let mut state = start(&tree, &q, &v);
    let before = steps::measure(&tree, &state).invariants;
    steps::run(&mut steps::variational(&tree), &mut state, 0.01, 400);
    let after = steps::measure(&tree, &state).invariants;
    // Rounding of momenta of order 10 over 400 steps.
    assert!(largest(&before, &after) < 1e-11, "{before:?} {after:?}");

    // On hinges along gravity, with an offset: the momentum about the first.
    let mut parts = arm();
    parts.bodies[0].joint = Joint::Revolute { axis: Vec3::z() };
    parts.bodies[0].parent_from_joint = Pose::translation(Vec3::new(1.0, 2.0, 3.0));
    parts.armature = vec![(0, 0.4), (1, 0.3)];
    let tree = Arc::new(Tree::new(parts).unwrap());
    assert_eq!(tree.layout().conserved.invariants.len(), 1);
    let mut state = start(&tree, &[0.4, 1.0], &[2.0, -1.0]);
    let before = steps::measure(&tree, &state).invariants;
    assert!(
        (before[0] - state.p[0]).abs() < 1e-12,
        "the momentum of the joint itself"
    );
    steps::run(&mut steps::variational(&tree), &mut state, 0.01, 400);
    assert!(largest(&before, &steps::measure(&tree, &state).invariants) < 1e-11);
}

#[test]
fn a_massless_body_may_have_it_and_a_joint_that_cannot_is_told() {
    let mut parts = arm();
    parts.bodies.push(RigidBody::new(
        "motor",
        Joint::Revolute { axis: Vec3::x() },
        RigidInertia::zero(),
    ));
    parts.armature = vec![(2, 0.2)];
    let tree = Tree::new(parts).unwrap();
    assert_eq!(tree.mass_matrix(&tree.zero(0.0))[8], 0.2);
    for (joint, armature, moves) in [
        (Joint::Fixed, 0.1, false),
        (Joint::Spherical, -0.1, true),
        (Joint::Spherical, f64::NAN, true),
    ] {
        let mut parts = arm();
        parts.bodies[1].joint = joint;
        parts.armature = vec![(1, armature)];
        let body = "lower".to_owned();
        assert_eq!(Tree::new(parts).err(), Some(TreeError::Armature { body, moves }));
    }
    let mut parts = arm();
    parts.armature = vec![(2, 0.1)];
    let text = Tree::new(parts).err().map(|error| error.to_string());
    assert!(text.unwrap().contains("armature number 1 is on body number 3"));
}

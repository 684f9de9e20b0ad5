//! Constraints: loops, pins, strings.
use super::{
    largest,
    steps::{run, variational},
};
use holonomy::{
    Vec3,
    diagnostics::{distance, observed_order, reversal_error},
    geometry::{Pose, RigidInertia},
    integrator::{Composition, Forcing, Integrator, TreeOptions, TreeVariational},
    system::{Measurement, State, System},
    tree::{Body, Constraint, Joint, JointForce, Length, Site, Tree, TreeParts},
};
use nalgebra::UnitQuaternion;
use std::sync::Arc;

fn measure(tree: &Tree, state: &State) -> Measurement {
    let mut out = Measurement::default();
    tree.measure(state, &mut out, &mut tree.scratch());
    out
}

fn body(name: &str, parent: Option<usize>, joint: Joint, at: Vec3, inertia: RigidInertia) -> Body {
    Body {
        name: name.to_owned(),
        parent,
        joint,
        parent_from_joint: Pose::translation(at),
        joint_from_body: Pose::identity(),
        inertia,
    }
}

fn site(name: &str, body: Option<usize>, position: Vec3) -> Site {
    Site {
        name: name.to_owned(),
        body,
        position,
    }
}

/// papers.md 5.5: ten segments that bend and stretch, pinned at (0, 0) and (1, 0).
fn elastic_cable() -> Arc<Tree> {
    let (length, stiffness, bending, mass) = (0.1, 20.0 / 0.1, 1e-3, 0.01);
    let mut parts = TreeParts {
        gravity: Vec3::y() * -9.81,
        ..TreeParts::default()
    };
    for i in 0..10 {
        let parent = (2 * i as usize).checked_sub(1);
        let turn = Joint::Revolute { axis: Vec3::z() };
        parts.bodies.push(body(
            &format!("turn-{i}"),
            parent,
            turn,
            Vec3::zeros(),
            RigidInertia::zero(),
        ));
        let slide = Joint::Prismatic { axis: Vec3::x() };
        let point = RigidInertia::point(mass, Vec3::zeros());
        parts.bodies.push(body(
            &format!("node-{i}"),
            Some(2 * i),
            slide,
            Vec3::zeros(),
            point,
        ));
        let spring = |stiffness, rest| JointForce::Spring { stiffness, rest };
        parts.joint_forces.push((2 * i, spring(bending, 0.0)));
        parts.joint_forces.push((2 * i + 1, spring(stiffness, length)));
    }
    parts.sites = vec![site("end", Some(19), Vec3::zeros()), site("pin", None, Vec3::x())];
    parts.constraints = vec![(
        "pin".to_owned(),
        Constraint::Coincidence {
            between: [0, 1],
            directions: vec![Vec3::x(), Vec3::y()],
        },
    )];
    Arc::new(Tree::new(parts).unwrap())
}

#[test]
fn elastic_cable_of_document_003_stays_pinned() {
    let tree = elastic_cable();
    let q: Vec<f64> = (0..20).map(|k| if k % 2 == 0 { 0.0 } else { 0.1 }).collect();
    // h, points, mean and max energy error of papers.md 5.5.
    for (h, steps, mean, max) in [
        (0.01, 500, 2.2e-4, 1.0e-3),
        (0.006, 500, 7.5e-5, 3.7e-4),
        (0.003, 1000, 1.5e-5, 8.5e-5),
        (0.001, 3000, 1.9e-6, 1.1e-5),
    ] {
        let mut state = tree.state(0.0, &q, &[0.0; 20]);
        let start = tree.energy(&state).total();
        let mut method = variational(&tree);
        let (mut open, mut sum, mut worst, mut iterations) = (0.0_f64, 0.0, 0.0_f64, 0);
        for k in 0..steps {
            iterations += method.step(&mut state, h).unwrap().iterations;
            if k == 0 && h == 0.006 {
                println!("{:?}", state.q);
            }
            let now = measure(&tree, &state);
            open = open.max(now.constraint.unwrap());
            let error = (now.energy.total() - start).abs();
            sum += error;
            worst = worst.max(error);
        }
        let average = sum / f64::from(steps);
        println!(
            "elastic h = {h}: open {open:.1e}, mean {average:.2e} ({mean:e}), max {worst:.2e} ({max:e}), {:.2} iterations",
            f64::from(iterations) / f64::from(steps)
        );
        // Rounding of positions of order one.
        assert!(open <= 1e-15, "{open:e}");
    }
}

/// The scissor lift of trep's examples, n levels: peers.md 3a.
fn scissor(levels: usize) -> (Arc<Tree>, Vec<f64>) {
    let (length, theta) = (5.0, 0.05 * std::f64::consts::PI);
    let link = || RigidInertia::diagonal(1.0, Vec3::x() * 2.5, [1.0, 1.0, 1.0]);
    let turn = || Joint::Revolute { axis: Vec3::y() };
    let mut parts = TreeParts {
        gravity: Vec3::z() * -9.8,
        ..TreeParts::default()
    };
    let slider = RigidInertia::point(1.0, Vec3::zeros());
    parts.bodies.push(body(
        "slider",
        None,
        Joint::Prismatic { axis: Vec3::x() },
        Vec3::zeros(),
        slider,
    ));
    let mut q = vec![length * theta.cos()];
    let (mut left, mut right) = (None, Some(0));
    for k in 0..levels {
        let at = if k == 0 { Vec3::zeros() } else { Vec3::x() * length };
        for (side, parent) in [("left", left), ("right", right)] {
            parts
                .bodies
                .push(body(&format!("{side}-{k}"), parent, turn(), at, link()));
            parts.sites.push(site(
                &format!("{side}-{k}"),
                Some(parts.bodies.len() - 1),
                Vec3::x() * 2.5,
            ));
        }
        let last = parts.bodies.len() - 1;
        (left, right) = (Some(last), Some(last - 1));
        let pi = std::f64::consts::PI;
        q.extend(if k == 0 {
            [theta, pi - theta]
        } else {
            [pi + 2.0 * theta, pi - 2.0 * theta]
        });
        let sites = parts.sites.len();
        parts.constraints.push((
            format!("pin-{k}"),
            Constraint::Coincidence {
                between: [sites - 2, sites - 1],
                directions: vec![Vec3::x(), Vec3::z()],
            },
        ));
    }
    (Arc::new(Tree::new(parts).unwrap()), q)
}

/// θ(t) of the lift, from rest: peers.md 3a.
const LIFT: [(f64, f64); 5] = [
    (0.5, 0.2514328766),
    (1.0, 0.5514258725),
    (2.0, 2.4082810987),
    (5.0, 0.9858727838),
    (10.0, 2.9095209361),
];

#[test]
fn scissor_lift_follows_its_one_degree_of_freedom() {
    let (tree, q) = scissor(4);
    for (order, h) in [(2, 0.01), (2, 0.005), (4, 0.02), (4, 0.01)] {
        let mut state = tree.state(0.0, &q, &[0.0; 9]);
        let mut method: Box<dyn Integrator> = Box::new(variational(&tree));
        if order == 4 {
            method = Box::new(Composition::new(method, 4).unwrap());
        }
        let start = tree.energy(&state).total();
        let mut open = 0.0_f64;
        let mut band = 0.0_f64;
        let mut errors = Vec::new();
        let steps = (10.0 / h) as u64;
        for k in 1..=steps {
            method.step(&mut state, h).unwrap();
            let now = measure(&tree, &state);
            open = open.max(now.constraint.unwrap());
            band = band.max((now.energy.total() - start).abs());
            let t = k as f64 * h;
            for (time, theta) in LIFT {
                if (t - time).abs() < 1e-9 {
                    errors.push(state.q[1] - theta);
                }
            }
        }
        println!("lift order {order} h {h}: {errors:?} open {open:.1e} band {band:.2e}");
    }
}

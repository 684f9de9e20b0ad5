//! The same mechanism in two families, and what symmetry keeps.
use super::{
    random::Random,
    steps::{run, variational},
};
use holonomy::{
    Vec3,
    diagnostics::reversal_error,
    geometry::{Pose, RigidInertia},
    integrator::{Composition, Integrator, Solver, SphereImplicit},
    potential::{Potential, Spring},
    spheres::{self, Spheres, SpheresParts, view},
    system::{Measurement, State, System},
    tree::{Joint, JointForce, RigidBody, Site, Tree, TreeParts},
};
use nalgebra::{Quaternion, UnitQuaternion};
use std::sync::Arc;

const G: f64 = 4.0;

/// Rods on ball joints, z down: as directions, and as bodies that could also spin.
fn rods(links: &[(Option<usize>, f64, f64)]) -> (Arc<Spheres>, Arc<Tree>) {
    let directions = links.iter().enumerate().map(|(i, (parent, mass, length))| {
        let rod = spheres::Body::rod(format!("rod-{i}"), *mass, *length);
        match parent {
            Some(parent) => rod.on(*parent),
            None => rod,
        }
    });
    let spheres = Spheres::new(SpheresParts {
        bodies: directions.collect(),
        gravity: Vec3::z() * G,
        ..SpheresParts::default()
    })
    .unwrap();
    let bodies = links.iter().enumerate().map(|(i, (parent, mass, length))| {
        let transverse = mass * length * length / 12.0;
        RigidBody {
            name: format!("rod-{i}"),
            parent: *parent,
            joint: Joint::Spherical,
            parent_from_joint: Pose::translation(Vec3::z() * parent.map_or(0.0, |p| links[p].2)),
            joint_from_body: Pose::identity(),
            inertia: RigidInertia::diagonal(
                *mass,
                Vec3::z() * (0.5 * length),
                [transverse, transverse, 0.3 * transverse],
            ),
        }
    });
    let tree = Tree::new(TreeParts {
        bodies: bodies.collect(),
        gravity: Vec3::z() * G,
        ..TreeParts::default()
    });
    (Arc::new(spheres), Arc::new(tree.unwrap()))
}

/// The state of the tree whose rods point and turn as given, without spin.
fn tree_state(tree: &Tree, parents: &[Option<usize>], q: &[Vec3], omega: &[Vec3]) -> State {
    let attitude: Vec<UnitQuaternion<f64>> = q
        .iter()
        .map(|q| UnitQuaternion::rotation_between(&Vec3::z(), q).unwrap())
        .collect();
    let (mut coordinates, mut velocities) = (Vec::new(), Vec::new());
    for (i, parent) in parents.iter().enumerate() {
        let (before, turning) = parent.map_or((UnitQuaternion::identity(), Vec3::zeros()), |p| {
            (attitude[p], omega[p])
        });
        let turn = before.inverse() * attitude[i];
        coordinates.extend([turn.w, turn.i, turn.j, turn.k]);
        velocities.extend((attitude[i].inverse() * (omega[i] - turning)).iter());
    }
    tree.state(0.0, &coordinates, &velocities).unwrap()
}

/// Directions of the rods of a tree.
fn directions(parents: &[Option<usize>], q: &[f64]) -> Vec<Vec3> {
    let mut attitude: Vec<UnitQuaternion<f64>> = Vec::new();
    for (parent, q) in parents.iter().zip(q.chunks_exact(4)) {
        let turn = UnitQuaternion::from_quaternion(Quaternion::new(q[0], q[1], q[2], q[3]));
        attitude.push(parent.map_or(turn, |p: usize| attitude[p] * turn));
    }
    attitude.iter().map(|a| a * Vec3::z()).collect()
}

fn measure(system: &dyn System, state: &State) -> Measurement {
    let mut out = Measurement::default();
    system.measure(state, &mut out, &mut system.scratch());
    out
}

const RODS: [(Option<usize>, f64, f64); 4] = [
    (None, 1.0, 1.0),
    (Some(0), 0.7, 0.8),
    (Some(1), 0.5, 1.1),
    (Some(0), 0.9, 0.6),
];

#[test]
fn rods_as_directions_and_as_bodies_have_the_same_energy_and_momentum() {
    let (spheres, tree) = rods(&RODS);
    let parents = RODS.map(|r| r.0);
    let mut random = Random::new(7);
    for _ in 0..200 {
        let q: Vec<Vec3> = (0..4).map(|_| random.vector().normalize()).collect();
        let omega: Vec<Vec3> = q.iter().map(|q| q.cross(&random.vector()) * 2.0).collect();
        let (a, b) = (
            spheres.state(&q, &omega).unwrap(),
            tree_state(&tree, &parents, &q, &omega),
        );
        let (a, b) = (measure(&*spheres, &a), measure(&*tree, &b));
        assert!((a.energy.kinetic - b.energy.kinetic).abs() < 1e-12, "{a:?} {b:?}");
        // The tree counts heights from the origin, and so do the rods.
        assert!(
            (a.energy.potential - b.energy.potential).abs() < 1e-12,
            "{a:?} {b:?}"
        );
        assert_eq!(
            tree.layout().conserved.invariants,
            spheres.layout().conserved.invariants
        );
        assert!((a.invariants[0] - b.invariants[0]).abs() < 1e-12, "{a:?} {b:?}");
    }
}

#[test]
fn rods_as_directions_and_as_bodies_move_alike() {
    let (spheres, tree) = rods(&RODS);
    let parents = RODS.map(|r| r.0);
    let q: Vec<Vec3> = [(0.28, 0.0), (0.0, 0.28), (0.1, -0.2), (-0.3, 0.1)]
        .map(|(x, y): (f64, f64)| Vec3::new(x, y, (1.0 - x * x - y * y).sqrt()))
        .to_vec();
    let omega: Vec<Vec3> = q.iter().map(|q| q.cross(&Vec3::new(0.4, -0.3, 0.5))).collect();
    let start = [
        spheres.state(&q, &omega).unwrap(),
        tree_state(&tree, &parents, &q, &omega),
    ];
    let difference = |order: u32, h: f64, steps: u64| {
        let [mut a, mut b] = start.clone();
        let mut methods: [Box<dyn Integrator>; 2] = [
            Box::new(SphereImplicit::new(spheres.clone(), Solver::default()).unwrap()),
            Box::new(variational(&tree)),
        ];
        if order > 2 {
            methods = methods.map(|m| Box::new(Composition::new(m, order).unwrap()) as Box<dyn Integrator>);
        }
        run(&mut *methods[0], &mut a, h, steps);
        run(&mut *methods[1], &mut b, h, steps);
        let there = directions(&parents, &b.q);
        let apart = view(&a.q).iter().zip(&there).map(|(a, b)| (a - b).norm());
        apart.fold(0.0, f64::max)
    };
    let (coarse, fine) = (difference(2, 0.01, 200), difference(2, 0.005, 400));
    println!(
        "two seconds, order 2: {coarse:.2e} {fine:.2e}; order 6: {:.2e}",
        difference(6, 0.01, 200)
    );
    assert!((coarse / fine - 4.0).abs() < 0.1, "{coarse:e} {fine:e}");
    // Sixth power of h√(g/l) for the quickest mode, about 0.1.
    assert!(difference(6, 0.01, 200) < 1e-9);
}

/// Three bodies that float, joined by a ball joint and a hinge, with springs and damping inside.
fn floating(gravity: Vec3, pushed: bool) -> Arc<Tree> {
    let joints = [
        Joint::Free,
        Joint::Spherical,
        Joint::Revolute {
            axis: Vec3::new(0.3, 1.0, 0.2),
        },
    ];
    let bodies = joints.into_iter().enumerate().map(|(i, joint)| RigidBody {
        name: format!("b{i}"),
        parent: i.checked_sub(1),
        joint,
        parent_from_joint: Pose::translation(Vec3::new(0.5, 0.1, 0.0)),
        joint_from_body: Pose::translation(Vec3::new(0.1, 0.2, 0.0)),
        inertia: RigidInertia::cuboid(1.0, Vec3::new(0.2, 0.05, 0.1), Vec3::new(0.5, 0.3, 0.2)),
    });
    let mut parts = TreeParts {
        bodies: bodies.collect(),
        gravity,
        ..TreeParts::default()
    };
    parts.joint_forces = vec![
        (
            1,
            JointForce::Spring {
                stiffness: 5.0,
                rest: 0.0,
            },
        ),
        (2, JointForce::Damper { coefficient: 0.1 }),
    ];
    if pushed {
        parts
            .joint_forces
            .push((0, JointForce::Damper { coefficient: 0.1 }));
    }
    Arc::new(Tree::new(parts).unwrap())
}

#[test]
fn symmetry_keeps_momentum_to_rounding() {
    let slanted = Vec3::new(1.0, -2.0, 2.0);
    let cases = [(Vec3::zeros(), 6), (Vec3::z() * -9.81, 3), (slanted, 1)];
    for (gravity, kept) in cases {
        let tree = floating(gravity, false);
        assert_eq!(
            tree.layout().conserved.invariants.len(),
            kept,
            "{:?}",
            tree.layout().conserved.invariants
        );
        let v: Vec<f64> = (0..tree.velocities()).map(|k| (1.0 + k as f64).sin()).collect();
        let mut state = tree.state(0.0, &tree.zero(0.0), &v).unwrap();
        let before = measure(&*tree, &state).invariants;
        run(&mut variational(&tree), &mut state, 0.01, 2000);
        let after = measure(&*tree, &state).invariants;
        // Twenty seconds: moments about where it began are differences of numbers as large as the square of
        // how far it has flown or fallen.
        let reach = 50.0 + 0.5 * gravity.norm() * 20.0 * 20.0;
        for (a, b) in before.iter().zip(&after) {
            assert!(
                (a - b).abs() < 1e-15 * reach * reach,
                "{gravity}: {before:?} {after:?}"
            );
        }
    }
    assert!(
        floating(Vec3::zeros(), true)
            .layout()
            .conserved
            .invariants
            .is_empty()
    );
}

#[test]
fn springs_between_sites_converge_whatever_their_stiffness() {
    // Two pendulums of rods whose ends are joined.
    for (stiffness, most) in [(10.0, 5.0), (1000.0, 5.0), (10_000.0, 5.0)] {
        let rod = |name: &str, at: f64| RigidBody {
            name: name.to_owned(),
            parent: None,
            joint: Joint::Spherical,
            parent_from_joint: Pose::translation(Vec3::x() * at),
            joint_from_body: Pose::identity(),
            inertia: RigidInertia::cuboid(1.0, Vec3::z() * 0.5, Vec3::new(0.1, 0.1, 1.0)),
        };
        let end = |body: usize| Site {
            name: format!("end-{body}"),
            body: Some(body),
            position: Vec3::z(),
        };
        let spring = Spring {
            between: [0, 1],
            stiffness,
            length: 0.8,
        };
        let tree = Tree::new(TreeParts {
            bodies: vec![rod("left", 0.0), rod("right", 1.0)],
            sites: vec![end(0), end(1)],
            gravity: Vec3::z() * 9.81,
            potentials: vec![Box::new(spring) as Box<dyn Potential>],
            ..TreeParts::default()
        });
        let tree = Arc::new(tree.unwrap());
        let begin = tree
            .state(0.0, &tree.zero(0.0), &[0.3, 1.0, 2.0, -0.4, 0.2, 0.5])
            .unwrap();
        let phase = |h: f64| h * f64::sqrt(3.0 * stiffness);
        // Iterations, and how far the energy strays in half a second, before chaos.
        let measured = |h: f64| {
            let (mut state, mut method) = (begin.clone(), variational(&tree));
            let start = tree.energy(&state).total();
            let (mut iterations, mut band, steps) = (0, 0.0_f64, (0.5 / h).round() as u32);
            for _ in 0..steps {
                iterations += method.step(&mut state, h).unwrap().iterations;
                band = band.max((tree.energy(&state).total() - start).abs());
                // Solved to rounding, and so the step back is the step undone.
                let reversal = reversal_error(&mut method, &state, h, 1.0).unwrap();
                assert!(reversal < 1e-13, "{stiffness}: {reversal:e}");
            }
            (f64::from(iterations) / f64::from(steps), band)
        };
        let h = 0.005;
        let ((mean, band), (_, finer)) = (measured(h), measured(0.5 * h));
        println!(
            "site spring {stiffness} N/m, hω = {:.2}: {mean:.2} iterations, energy {band:.2e}, {finer:.2e}",
            phase(h)
        );
        assert!(mean < most, "{stiffness}: {mean}");
        // Second order, once the spring is resolved.
        if phase(h) < 0.5 {
            assert!(
                (band / finer - 4.0).abs() < 0.3,
                "{stiffness}: {band:e} {finer:e}"
            );
        }
    }
}

//! Rows, rates and accelerations of closing joints and rolling bodies against differences along a motion.
use super::*;
use crate::{
    geometry::RigidInertia,
    system::System,
    tree::{Closing, ClosingJoint, Dynamics, Joint, RigidBody, Site, TreeParts, assemble},
};
use nalgebra::DVector;

fn bodies() -> Vec<RigidBody> {
    let inertia = RigidInertia::diagonal(1.0, Vec3::new(0.02, 0.01, 0.03), [0.1, 0.2, 0.25]);
    let body = |name: &str, joint| RigidBody::new(name, joint, inertia);
    let axes = [Vec3::new(1.0, 0.2, 0.0), Vec3::new(0.1, 0.0, 1.0)];
    vec![
        body(
            "cart",
            Joint::Prismatic {
                axis: Vec3::new(1.0, 0.3, 0.0),
            },
        ),
        body("tray", Joint::Free).on(0),
        body("disk", Joint::Free).on(0),
        body("arm", Joint::Universal { axes })
            .on(1)
            .at(Vec3::new(0.3, 0.0, 0.1)),
        body("sphere", Joint::Spherical)
            .on(3)
            .at(Vec3::new(0.3, 0.1, 0.2)),
    ]
}

fn tree(constraints: Vec<Constraint>) -> Tree {
    let named = constraints.into_iter().enumerate();
    Tree::new(TreeParts {
        bodies: bodies(),
        sites: vec![
            Site::on(2, "centre", Vec3::new(0.1, 0.0, -0.1)),
            Site::on(1, "top", Vec3::new(0.0, 0.1, 0.2)),
            Site::on(4, "middle", Vec3::new(0.0, 0.1, 0.0)),
            Site::fixed("floor", Vec3::new(0.0, 0.1, 0.2)),
        ],
        constraints: named.map(|(k, c)| (format!("c{k}"), c)).collect(),
        ..TreeParts::default()
    })
    .expect("a tree")
}

/// Values, `A v` and its rate where nothing accelerates, a time s from a start that is special in no way.
fn along(tree: &Tree, s: f64) -> (Vec<f64>, Vec<f64>, Vec<f64>, Vec<f64>) {
    let n = tree.velocities;
    let mut start = tree.zero(0.0);
    for (k, x) in start.iter_mut().enumerate() {
        *x += 0.4 * math::sin(1.0 + 1.3 * k as f64);
    }
    tree.project(&mut start, &mut []);
    let v: Vec<f64> = (0..n).map(|k| math::cos(0.7 + 2.1 * k as f64)).collect();
    // Ball joints turn at a constant rate, seen from the body.
    let mut q = start.clone();
    for node in &tree.nodes {
        let w = &v[node.v..node.v + node.dofs];
        if node.kind == crate::tree::JointKind::Ball {
            let turn = Vec3::new(w[0], w[1], w[2]) * s;
            let about = nalgebra::UnitQuaternion::from_scaled_axis(turn);
            let by = [about.w, about.i, about.j, about.k];
            q[node.q..node.q + 4]
                .copy_from_slice(&crate::geometry::so3::product(&start[node.q..node.q + 4], &by));
        } else {
            (0..node.dofs).for_each(|k| q[node.q + k] += s * w[k]);
        }
    }
    let mut dynamics = Dynamics::default();
    dynamics.kinematics.place(tree, &q);
    dynamics.kinematics.set_moving(tree, &v, &[]);
    tree.load(0.0, &dynamics.kinematics, &mut dynamics.loads);
    let still = vec![0.0; n];
    dynamics.invert(tree, 0.0, &still);
    let accelerations: Vec<Twist> = dynamics.inverse.iter().map(|(a, _)| *a).collect();
    let mut rows = ConstraintRows::default();
    let at = Moving {
        t: 0.0,
        q: &q,
        kinematics: &dynamics.kinematics,
        accelerations: Some((&accelerations, &still)),
    };
    tree.constrain(&at, &mut rows);
    let rates = rows.jacobian.chunks_exact(n);
    let rates: Vec<f64> = rates
        .map(|row| row.iter().zip(&v).map(|(g, v)| g * v).sum())
        .collect();
    let mut slips = rates.clone();
    for row in tree.slip_rows() {
        slips[row.row] = tree.slip(&dynamics.kinematics, row).0;
    }
    (rows.value, rates, slips, rows.second)
}

fn check(tree: &Tree) {
    let e = 1e-3;
    let [a, b, c, d] = [e, -e, 2.0 * e, -2.0 * e].map(|s| along(tree, s));
    let (_, rates, slips, second) = along(tree, 0.0);
    let slope = |a: f64, b: f64, c: f64, d: f64| ((a - b) * 8.0 - (c - d)) / (12.0 * e);
    let velocities: Vec<usize> = tree.slip_rows().map(|row| row.row).collect();
    for k in 0..tree.constraints() {
        // e⁴ times fifth derivatives of order ten, and rounding over e.
        if !velocities.contains(&k) {
            let rate = slope(a.0[k], b.0[k], c.0[k], d.0[k]);
            assert!((rates[k] - rate).abs() < 1e-10, "{k}: {} {rate}", rates[k]);
        }
        assert!(
            (rates[k] - slips[k]).abs() < 1e-14,
            "{k}: {} {}",
            rates[k],
            slips[k]
        );
        let rate = slope(a.1[k], b.1[k], c.1[k], d.1[k]);
        assert!((second[k] - rate).abs() < 1e-9, "{k}: {} {rate}", second[k]);
    }
}

#[test]
fn rolling_bodies_and_blades_have_the_rates_of_their_motion() {
    let tree = tree(vec![
        Constraint::Rolling(Rolling::disk(
            0,
            Vec3::new(0.3, 1.0, 0.1),
            0.4,
            1,
            Vec3::new(0.1, 0.2, 1.0),
        )),
        Constraint::Rolling(Rolling::disk(
            0,
            Vec3::new(0.3, 1.0, 0.1),
            0.4,
            3,
            Vec3::new(0.1, 0.2, 1.0),
        )),
        Constraint::Rolling(Rolling::sphere(2, 0.3, 1, Vec3::z())),
        Constraint::Blade(Blade {
            site: 2,
            across: Vec3::new(0.5, 0.1, 1.0),
        }),
    ]);
    assert_eq!(tree.constraints(), 10);
    check(&tree);
}

#[test]
fn closing_joints_have_the_rates_of_their_motion() {
    let axes = [Vec3::new(0.2, 1.0, 0.3), Vec3::new(0.4, 0.5, -1.0)];
    for joint in [
        ClosingJoint::Hinge,
        ClosingJoint::Universal,
        ClosingJoint::Cylindrical,
        ClosingJoint::Line,
    ] {
        for between in [[0, 2], [2, 0], [0, 3], [3, 2]] {
            check(&tree(vec![Constraint::Closing(Closing::new(
                joint, between, axes,
            ))]));
        }
    }
}

/// A closed joint lets pass what it is called after, and nothing else.
#[test]
fn closing_joints_leave_the_freedoms_they_are_called_after() {
    let axis = Vec3::new(0.2, 1.0, 0.3).normalize();
    let other = Vec3::new(1.0, -0.2, 0.0).normalize();
    for (joint, axes, turns, shifts) in [
        (ClosingJoint::Hinge, [axis, axis], vec![axis], vec![]),
        (ClosingJoint::Universal, [axis, other], vec![axis, other], vec![]),
        (ClosingJoint::Cylindrical, [axis, axis], vec![axis], vec![axis]),
        (
            ClosingJoint::Line,
            [axis, axis],
            vec![Vec3::x(), Vec3::y(), Vec3::z()],
            vec![axis],
        ),
    ] {
        let inertia = RigidInertia::diagonal(1.0, Vec3::new(0.1, 0.2, 0.3), [1.0; 3]);
        let tree = Tree::new(TreeParts {
            bodies: vec![RigidBody::new("a", Joint::Free, inertia)],
            sites: vec![Site::fixed("o", Vec3::zeros()), Site::on(0, "p", Vec3::zeros())],
            constraints: vec![(
                "c".to_owned(),
                Constraint::Closing(Closing::new(joint, [0, 1], axes)),
            )],
            ..TreeParts::default()
        });
        let tree = tree.expect("a tree");
        let mut rows = ConstraintRows::default();
        assemble::evaluate(&tree, 0.0, &tree.zero(0.0), &mut rows);
        let jacobian = nalgebra::DMatrix::from_row_slice(tree.constraints(), 6, &rows.jacobian);
        assert_eq!(jacobian.rank(1e-9), tree.constraints());
        assert_eq!(tree.constraints(), 6 - turns.len() - shifts.len());
        let shifts = shifts.iter().map(|e| [e.x, e.y, e.z, 0.0, 0.0, 0.0]);
        let free = shifts.chain(turns.iter().map(|e| [0.0, 0.0, 0.0, e.x, e.y, e.z]));
        for v in free {
            let moved = &jacobian * DVector::from_column_slice(&v);
            assert!(moved.amax() < 1e-15, "{joint:?} {moved}");
        }
        assert!(rows.value.iter().all(|g| g.abs() < 1e-15));
    }
}

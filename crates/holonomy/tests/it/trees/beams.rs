//! Beams: stiffness, deflection and frequency of cantilevers.
use super::{
    links::{beam, block, blocks, body, moving, site, spring},
    steps::variational,
};
use holonomy::{
    Vec3,
    geometry::RigidInertia,
    integrator::Integrator,
    system::{State, System},
    tree::{AppliedWrench, Beam, Joint, Link, Tree, TreeParts, WrenchFrame},
};
use nalgebra::{DMatrix, DVector, UnitQuaternion};
use std::sync::Arc;

/// A potential energy as a matrix of second derivatives at rest, in canonical coordinates, by differences.
fn curvature(tree: &Tree) -> DMatrix<f64> {
    let n = tree.velocities();
    let (origin, zero) = (tree.zero(0.0), vec![0.0; n]);
    let energy = |x: &[f64]| {
        let (q, p) = tree.state_from_canonical(&origin, x, &zero);
        tree.energy(&State::new(0.0, q, p)).potential
    };
    let e = 1e-4;
    DMatrix::from_fn(n, n, |i, j| {
        let mut sum = 0.0;
        for (a, b) in [(e, e), (-e, -e), (e, -e), (-e, e)] {
            let mut x = zero.clone();
            x[i] += a;
            x[j] += b;
            sum += a.signum() * b.signum() * energy(&x);
        }
        sum / (4.0 * e * e)
    })
}

#[test]
fn small_deformations_have_the_stiffness_matrix_of_the_frame_element() {
    // docs/reading.md 5.4 in the plane of x and y, both ends displaced; and in space, by its planes.
    let (l, ea, ei_y, ei_z, gj) = (0.8, 7.0, 3.0, 2.0, 1.5);
    let link = Link::Beam(Beam {
        tension: ea,
        bending: [ei_y, ei_z],
        torsion: gj,
        ..beam([0, 1], l)
    });
    let tree = Tree::new(TreeParts {
        bodies: vec![
            body("start".to_owned(), None, Joint::Free, Vec3::zeros(), block(1.0)),
            body("end".to_owned(), None, Joint::Free, Vec3::x() * l, block(1.0)),
        ],
        sites: vec![site(Some(0), Vec3::zeros()), site(Some(1), Vec3::zeros())],
        links: vec![link],
        ..TreeParts::default()
    });
    let measured = curvature(&tree.unwrap());
    let mut exact = DMatrix::zeros(12, 12);
    let mut fill = |at: [usize; 2], k: f64| {
        for (i, s) in [(at[0], 1.0), (at[1], -1.0)] {
            for (j, t) in [(at[0], 1.0), (at[1], -1.0)] {
                exact[(i, j)] = s * t * k;
            }
        }
    };
    fill([0, 6], ea / l);
    fill([3, 9], gj / l);
    let (l2, l3) = (l * l, l * l * l);
    // A turn about y is one from z towards x: slopes change sign.
    for (shift, turn, ei, s) in [(1, 5, ei_z, 1.0), (2, 4, ei_y, -1.0)] {
        let places = [shift, turn, 6 + shift, 6 + turn];
        let block = [
            [12.0 / l3, s * 6.0 / l2, -12.0 / l3, s * 6.0 / l2],
            [s * 6.0 / l2, 4.0 / l, -s * 6.0 / l2, 2.0 / l],
            [-12.0 / l3, -s * 6.0 / l2, 12.0 / l3, -s * 6.0 / l2],
            [s * 6.0 / l2, 2.0 / l, -s * 6.0 / l2, 4.0 / l],
        ];
        for (i, row) in places.into_iter().zip(block) {
            for (j, k) in places.into_iter().zip(row) {
                exact[(i, j)] = ei * k;
            }
        }
    }
    // Differences of second order with steps of 1e-4, of numbers near 50; and rounding over 1e-8.
    assert!((&measured - &exact).amax() < 1e-5, "{measured:.3} {exact:.3}");
}

#[test]
fn rigid_motions_leave_the_energy_of_links_as_it_is() {
    let mut parts = blocks();
    parts.potentials = vec![spring([0, 2], 20.0, 1.0)];
    parts.links = vec![Link::Beam(beam([0, 1], 0.9)), Link::Beam(beam([2, 1], 0.8))];
    let tree = Tree::new(parts).unwrap();
    let state = moving(&tree, 0.0);
    let before = tree.energy(&state).potential;
    for k in 0..50 {
        let k = f64::from(k);
        let turn = UnitQuaternion::from_euler_angles(1.3 * k, 0.7 * k, 2.1 * k);
        let shift = Vec3::new(k.sin(), k.cos(), 0.3 * k.sin());
        let mut q = state.q.clone();
        for b in 0..3 {
            let x = b as f64;
            // Joints are at places of their own.
            let base = Vec3::new(0.9 * x, 0.2 * x, -0.1 * x);
            let q = &mut q[7 * b..7 * b + 7];
            let place = turn * (Vec3::new(q[0], q[1], q[2]) + base) + shift - base;
            let own = UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(q[3], q[4], q[5], q[6]));
            let own = turn * own;
            q.copy_from_slice(&[place.x, place.y, place.z, own.w, own.i, own.j, own.k]);
        }
        let after = tree.energy(&State::new(0.0, q, state.p.clone())).potential;
        // Rounding of places of order 1, times the stiffness.
        assert!(
            (after - before).abs() < 1e-14 * (1.0 + before) * 60.0,
            "{before} {after}"
        );
    }
}

/// A cantilever along x of n elements in the plane of x and z: each end is held by two sliders and a hinge.
fn plane_cantilever(n: usize, length: f64, ei: f64, mass: f64, load: f64) -> Arc<Tree> {
    let element = length / n as f64;
    let mut parts = TreeParts::default();
    parts.sites.push(site(None, Vec3::zeros()));
    for k in 0..n {
        let at = Vec3::x() * (element * (k + 1) as f64);
        // The last has half an element.
        let own = mass / n as f64 * if k + 1 == n { 0.5 } else { 1.0 };
        let none = RigidInertia::zero;
        let first = parts.bodies.len();
        let inertia = RigidInertia::diagonal(own, Vec3::zeros(), [1e-8; 3]);
        for (j, (joint, inertia)) in [
            (Joint::Prismatic { axis: Vec3::x() }, none()),
            (Joint::Prismatic { axis: Vec3::z() }, none()),
            (Joint::Revolute { axis: Vec3::y() }, inertia),
        ]
        .into_iter()
        .enumerate()
        {
            let parent = (j > 0).then(|| first + j - 1);
            let at = if j == 0 { at } else { Vec3::zeros() };
            parts
                .bodies
                .push(body(format!("{k}-{j}"), parent, joint, at, inertia));
        }
        parts.sites.push(site(Some(first + 2), Vec3::zeros()));
        parts.links.push(Link::Beam(Beam {
            between: [k, k + 1],
            length: element,
            tension: 1e4 * ei,
            bending: [ei, 0.0],
            torsion: 0.0,
            ..beam([k, k + 1], element)
        }));
    }
    parts.wrenches.push(AppliedWrench {
        body: 3 * n - 1,
        position: Vec3::zeros(),
        frame: WrenchFrame::Mixed,
        value: Box::new(move |_| (Vec3::z() * load, Vec3::zeros())),
    });
    Arc::new(Tree::new(parts).unwrap())
}

/// Generalized forces at rest: `M v̇`.
fn forces(tree: &Tree, q: &[f64]) -> DVector<f64> {
    let n = tree.velocities();
    let (mut dq, mut dv) = (vec![0.0; q.len()], vec![0.0; n]);
    tree.rate(0.0, q, &vec![0.0; n], &mut dq, &mut dv, &mut tree.scratch());
    DMatrix::from_row_slice(n, n, &tree.mass_matrix(q)) * DVector::from_vec(dv)
}

/// `−∂f/∂q` by differences.
fn stiffness(tree: &Tree, q: &[f64]) -> DMatrix<f64> {
    let n = tree.velocities();
    let e = 1e-6;
    let columns: Vec<DVector<f64>> = (0..n)
        .map(|j| {
            let moved = |s: f64| {
                let mut q = q.to_vec();
                q[j] += s;
                forces(tree, &q)
            };
            (moved(-e) - moved(e)) / (2.0 * e)
        })
        .collect();
    DMatrix::from_columns(&columns)
}

/// Deflection of the elastica over its length at P L²/EI = 0.4.
const ELASTICA: f64 = 0.130_975_242_085;

#[test]
fn a_clamped_cantilever_bends_as_it_should() {
    let (length, ei) = (2.0, 5.0);
    for n in [1, 2, 8] {
        for load in [1e-4, 0.5] {
            let tree = plane_cantilever(n, length, ei, 1.0, load);
            let mut q = tree.zero(0.0);
            for _ in 0..20 {
                let correction = stiffness(&tree, &q).lu().solve(&forces(&tree, &q)).unwrap();
                q.iter_mut().zip(correction.iter()).for_each(|(q, x)| *q += x);
            }
            let (w, turn) = (q[3 * n - 2], -q[3 * n - 1]);
            let (small, slope) = (
                load * length.powi(3) / (3.0 * ei),
                load * length.powi(2) / (2.0 * ei),
            );
            println!("{n} elements, {load} N: {w:.6e} m, {:.2e} off", w / small - 1.0);
            if load < 1e-3 {
                // Cubic elements are exact at their ends; slopes of 4e-5 add their square.
                assert!(
                    (w / small - 1.0).abs() < 1e-7 && (turn / slope - 1.0).abs() < 1e-7,
                    "{w} {turn}"
                );
            } else if n == 8 {
                // A slope of 0.2: the elastica θ'' = −a cos θ, a = P L²/EI = 0.4, integrated by itself.
                // Elements turn by an eighth of it each, and forget what is cubic in that.
                assert!((w / length - ELASTICA).abs() < 1e-4, "{w}");
            }
        }
    }
}

#[test]
fn the_first_mode_of_a_cantilever_has_its_frequency() {
    let (length, ei, mass) = (2.0_f64, 5.0, 1.0);
    // βL of cos βL cosh βL = −1.
    let exact = 1.875_104_068_711_961_f64.powi(2) * f64::sqrt(ei / (mass / length * length.powi(4)));
    let mut errors = Vec::new();
    for n in [2, 4, 8, 16] {
        let tree = plane_cantilever(n, length, ei, mass, 0.0);
        let zero = tree.zero(0.0);
        let size = tree.velocities();
        let m = DMatrix::from_row_slice(size, size, &tree.mass_matrix(&zero));
        let k = stiffness(&tree, &zero);
        // The lowest eigenvalue of M⁻¹K, by inverse iteration.
        let (inverse, mut mode) = (k.lu(), DVector::from_element(size, 1.0));
        let mut square = 0.0;
        for _ in 0..60 {
            let next = inverse.solve(&(&m * &mode)).unwrap();
            square = mode.dot(&(&m * &mode)) / mode.dot(&(&m * &next));
            mode = &next / next.dot(&(&m * &next)).sqrt();
        }
        let omega = square.sqrt();
        errors.push(omega / exact - 1.0);
        // The motion itself: the midpoint rule turns the phase by 2 arctan(ωh/2) in each step.
        let (amplitude, h) = (1e-5, 0.05);
        let q: Vec<f64> = mode.iter().map(|x| amplitude * x).collect();
        let mut state = tree.state(0.0, &q, &vec![0.0; size]).unwrap();
        let mut method = variational(&tree);
        for step in 1..=100 {
            method.step(&mut state, h).unwrap();
            let now = DVector::from_row_slice(&state.q).dot(&(&m * &mode)) / amplitude;
            let phase = f64::from(step) * 2.0 * (0.5 * h * omega).atan();
            // Differences gave the mode to about 1e-9; amplitudes of 1e-5 do nothing of their own.
            assert!(
                (now - phase.cos()).abs() < 1e-5,
                "{n}, {step}: {now} {}",
                phase.cos()
            );
        }
    }
    println!("lumped cantilevers: {errors:?}");
    // Lumped masses: second order in the length of an element.
    for pair in errors.windows(2) {
        assert!((pair[0] / pair[1] - 4.0).abs() < 0.7, "{errors:?}");
    }
    assert!(errors[3].abs() < 2e-3, "{errors:?}");
}

#[test]
fn beams_in_space_bend_in_both_planes_and_twist() {
    // One element from the world, along z by its axes: loads in its own y and z, and about its x.
    let (l, ei_y, ei_z, gj) = (1.5, 3.0, 8.0, 2.0);
    let turned = UnitQuaternion::from_euler_angles(0.4, -0.5 * std::f64::consts::PI, 0.0);
    let tree = Tree::new(TreeParts {
        bodies: vec![body(
            "tip".to_owned(),
            None,
            Joint::Free,
            turned * Vec3::x() * l,
            block(1.0),
        )],
        sites: vec![site(None, Vec3::zeros()), site(Some(0), Vec3::zeros())],
        links: vec![Link::Beam(Beam {
            turned: [turned; 2],
            bending: [ei_y, ei_z],
            torsion: gj,
            ..beam([0, 1], l)
        })],
        ..TreeParts::default()
    });
    let k = curvature(&tree.unwrap()).lu();
    let bend = |force: Vec3, moment: Vec3| {
        let (force, moment) = (turned * force, turned * moment);
        let load = DVector::from_row_slice(&[force.x, force.y, force.z, moment.x, moment.y, moment.z]);
        let x = k.solve(&load).unwrap();
        let back = turned.inverse();
        (
            back * Vec3::new(x[0], x[1], x[2]),
            back * Vec3::new(x[3], x[4], x[5]),
        )
    };
    // Relative to the largest: differences of the energy.
    let close = |(d, t): (Vec3, Vec3), shift: Vec3, turn: Vec3| {
        let error = (d - shift).norm() + (t - turn).norm();
        assert!(error < 1e-5, "{d} {t}: {shift} {turn}");
    };
    close(
        bend(Vec3::y(), Vec3::zeros()),
        Vec3::y() * (l.powi(3) / (3.0 * ei_z)),
        Vec3::z() * (l * l / (2.0 * ei_z)),
    );
    close(
        bend(Vec3::z(), Vec3::zeros()),
        Vec3::z() * (l.powi(3) / (3.0 * ei_y)),
        Vec3::y() * (-l * l / (2.0 * ei_y)),
    );
    close(
        bend(Vec3::zeros(), Vec3::x()),
        Vec3::zeros(),
        Vec3::x() * (l / gj),
    );
    close(
        bend(Vec3::zeros(), Vec3::z()),
        Vec3::y() * (l * l / (2.0 * ei_z)),
        Vec3::z() * (l / ei_z),
    );
}

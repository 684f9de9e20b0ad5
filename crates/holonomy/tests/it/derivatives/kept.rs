//! Numbers computed elsewhere, what linearised steps keep, and where there is nothing to linearise.
use super::{curve, some};
use crate::{allocation::allocations, common::scenario};
use holonomy::{
    Vec3,
    derivative::{Change, Differentiable, momentum_gradient, slope},
    geometry::{Pose, RigidInertia},
    integrator::{Cause, Fault, Forcing, Integrator, TreeOptions, TreeVariational},
    potential::{Potential, Symmetry},
    system::{Mechanism, State, System},
    tree::{Constraint, Joint, JointForce, Length, RigidBody, Settling, Site, Tree, TreeParts},
};
use nalgebra::{Complex, DMatrix};
use std::sync::Arc;

fn point_chain(n: usize, effort: f64, gravity: f64) -> Arc<Tree> {
    let bodies = (0..n).map(|k| RigidBody {
        name: format!("link-{k}"),
        parent: k.checked_sub(1),
        joint: Joint::Revolute { axis: -Vec3::y() },
        parent_from_joint: Pose::translation(if k == 0 { Vec3::zeros() } else { -Vec3::z() }),
        joint_from_body: Pose::identity(),
        inertia: RigidInertia::point(1.0, -Vec3::z()),
    });
    let parts = TreeParts {
        bodies: bodies.collect(),
        gravity: Vec3::z() * -gravity,
        joint_forces: vec![(0, JointForce::Effort(Box::new(move |_| [effort, 0.0, 0.0])))],
        ..TreeParts::default()
    };
    Arc::new(Tree::new(parts).unwrap())
}

fn linearised(method: &mut TreeVariational, state: &mut State, h: f64) {
    let before = state.clone();
    method.attempt(state, h).unwrap();
    let mut solution = Vec::new();
    method.solution(&mut solution);
    method.linearise(&before, h, &solution).unwrap();
}

fn unit(n: usize, k: usize) -> Change {
    let mut z = vec![0.0; 2 * n];
    z[k] = 1.0;
    let y = z.split_off(n);
    Change {
        x: z,
        y,
        lambda: vec![],
        equations: vec![],
    }
}

/// The matrix of a linearised step, column by column and row by row.
fn matrices(method: &mut TreeVariational, n: usize) -> [DMatrix<f64>; 2] {
    let mut out = [DMatrix::zeros(2 * n, 2 * n), DMatrix::zeros(2 * n, 2 * n)];
    for k in 0..2 * n {
        let (mut change, mut gradient) = (unit(n, k), unit(n, k));
        method.push(&mut change);
        method.pull(&mut gradient);
        for j in 0..n {
            (out[0][(j, k)], out[0][(n + j, k)]) = (change.x[j], change.y[j]);
            (out[1][(k, j)], out[1][(k, n + j)]) = (gradient.x[j], gradient.y[j]);
        }
    }
    out
}

/// trep's pendulum of its tase2012 example: q = 0.2, p = 0.5, an effort of 0.8, a step of 0.1.
#[test]
fn trep_has_the_same_pendulum() {
    let golden = [
        0.953_334_338_555_2,
        0.097_666_716_927_8,
        -0.933_313_228_895_4,
        0.953_334_338_555_2,
    ];
    let by_effort = [
        (Forcing::Symmetric, [0.004_883_285_459_8, 0.097_665_709_195_3]),
        (Forcing::OneSided, [0.009_766_671_692_8, 0.095_333_433_855_5]),
    ];
    for (forcing, golden_b) in by_effort {
        let options = TreeOptions {
            forcing,
            ..TreeOptions::default()
        };
        let tree = |effort: f64| point_chain(1, effort, 9.8);
        let before = State::new(0.0, vec![0.2], vec![0.5]);
        let mut method = TreeVariational::new(tree(0.8), options);
        linearised(&mut method, &mut before.clone(), 0.1);
        let mut solution = Vec::new();
        method.solution(&mut solution);
        let [a, _] = matrices(&mut method, 1);
        // Printed to thirteen digits, where all forces act at the start.
        if forcing == Forcing::OneSided {
            let row_by_row = a.transpose();
            for (own, golden) in row_by_row.iter().zip(golden) {
                assert!((own - golden).abs() < 1e-12, "{a}");
            }
        }
        let equations = slope(0.1, |change| {
            let mut out = Vec::new();
            let mut other = TreeVariational::new(tree(0.8 + change), options);
            other.equations(&before, 0.1, &solution, &mut out)?;
            Ok::<_, Fault>(out)
        })
        .unwrap();
        let mut change = Change {
            equations,
            ..unit(1, 0)
        };
        change.x[0] = 0.0;
        method.push(&mut change);
        for (own, golden) in [change.x[0], change.y[0]].into_iter().zip(golden_b) {
            assert!((own - golden).abs() < 1e-12, "{forcing:?}: {change:?}");
        }
    }
}

/// Frequencies of a hanging chain: ω²ℓ/g are the zeros of the Laguerre polynomial, eigenvalues of its Jacobi matrix. The
/// multipliers of a step are their Cayley images.
#[test]
fn a_hanging_chain_has_the_zeros_of_laguerre() {
    let (n, h, g) = (10, 0.05, 9.81);
    let tree = point_chain(n, 0.0, g);
    let mut state = tree.state(0.0, &vec![0.0; n], &vec![0.0; n]).unwrap();
    let mut method = TreeVariational::new(tree, TreeOptions::default());
    linearised(&mut method, &mut state, h);
    let [a, transposed] = matrices(&mut method, n);
    assert!((&a - &transposed).amax() <= 1e-12 * a.amax().max(1.0));
    let jacobi = DMatrix::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 => 2.0 * i as f64 + 1.0,
        1 => i.max(j) as f64,
        _ => 0.0,
    });
    let mut zeros: Vec<f64> = jacobi.symmetric_eigenvalues().iter().copied().collect();
    zeros.sort_by(f64::total_cmp);
    assert!((zeros[0] - 0.137_793_470_540).abs() < 1e-12 && (zeros[1] - 0.729_454_549_503).abs() < 1e-12);
    let multipliers = a.complex_eigenvalues();
    let upper = multipliers.iter().filter(|mu| mu.im > 0.0);
    let mut found: Vec<Complex<f64>> = upper.copied().collect();
    found.sort_by(|a, b| b.re.total_cmp(&a.re));
    assert_eq!(found.len(), n);
    for (mu, zero) in found.iter().zip(&zeros) {
        let half = Complex::new(1.0, 0.5 * h * (zero * g).sqrt());
        let cayley = half / half.conj();
        // An eigenvalue of a matrix of 20 rows with entries below 500.
        assert!((mu - cayley).norm() < 1e-11, "{mu} {cayley}");
        assert!((mu.norm() - 1.0).abs() < 1e-12, "{:e}", mu.norm() - 1.0);
    }
}

/// The same chain where it settles, from far off.
#[test]
fn a_chain_that_settles_has_them_too() {
    let (n, g) = (10, 9.81);
    let tree = point_chain(n, 0.0, g);
    let found = tree.settle(&vec![0.1; n], &Settling::default()).unwrap();
    let jacobi = DMatrix::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 => 2.0 * i as f64 + 1.0,
        1 => i.max(j) as f64,
        _ => 0.0,
    });
    let mut zeros: Vec<f64> = jacobi.symmetric_eigenvalues().iter().copied().collect();
    zeros.sort_by(f64::total_cmp);
    let largest = zeros[n - 1] * g;
    let off = found
        .squares
        .iter()
        .zip(&zeros)
        .map(|(square, zero)| (square - zero * g).abs());
    let off = off.fold(0.0, f64::max) / largest;
    println!("squares of frequencies: {off:.1e}");
    // The mass matrix is factorised with a diagonal that is 1e-14 larger, and the fastest motion moves hardly any of the
    // mass: a few thousand times that.
    assert!(off < 1e-10, "{off:e}");
}

/// Changes that go side by side become what they become one by one, and the matrix keeps areas.
#[test]
fn many_changes_are_those_one_by_one() {
    for n in [1, 7, 32] {
        let axes = [Vec3::y(), Vec3::x()];
        let bodies = (0..n).map(|k: usize| RigidBody {
            name: format!("link-{k}"),
            parent: k.checked_sub(1),
            joint: if k % 5 == 3 {
                Joint::Prismatic { axis: Vec3::z() }
            } else {
                Joint::Revolute { axis: axes[k % 2] }
            },
            parent_from_joint: Pose::translation(-Vec3::z()),
            joint_from_body: Pose::identity(),
            inertia: RigidInertia::cuboid(1.0, Vec3::new(0.1, 0.2, -0.5), Vec3::new(0.3, 0.2, 1.0)),
        });
        let parts = TreeParts {
            bodies: bodies.collect(),
            gravity: Vec3::new(1.0, 0.0, -9.0),
            joint_forces: vec![
                (0, JointForce::Damper { coefficient: 0.0 }),
                (
                    0,
                    JointForce::Spring {
                        stiffness: 2.0,
                        rest: 0.1,
                    },
                ),
            ],
            ..TreeParts::default()
        };
        let tree = Arc::new(Tree::new(parts).unwrap());
        let mut state = tree.state(0.0, &some(1, n), &vec![0.0; n]).unwrap();
        let mut method = TreeVariational::new(tree, TreeOptions::default());
        linearised(&mut method, &mut state, 0.01);
        let [a, transposed] = matrices(&mut method, n);
        let mut columns: Vec<Change> = (0..2 * n).map(|k| unit(n, k)).collect();
        method.push_each(&mut columns);
        let together = DMatrix::from_fn(2 * n, 2 * n, |i, k| {
            if i < n {
                columns[k].x[i]
            } else {
                columns[k].y[i - n]
            }
        });
        let size = a.amax().max(1.0);
        assert!(
            (&a - &together).amax() <= 1e-13 * size,
            "{n}: {:e}",
            (&a - &together).amax()
        );
        assert!(
            (&a - &transposed).amax() <= 1e-12 * size,
            "{n}: {:e}",
            (&a - &transposed).amax()
        );
        let form = DMatrix::from_fn(2 * n, 2 * n, |i, k| match (i, k) {
            _ if i + n == k => 1.0,
            _ if k + n == i => -1.0,
            _ => 0.0,
        });
        let defect = (a.transpose() * &form * &a - form).amax();
        println!("{n} joints: entries to {size:.1e}, defect {defect:.1e}");
        // Sums of products of its entries.
        assert!(defect <= 1e-13 * size, "{n}: {defect:e}");
    }
}

/// The gradients of the conserved momenta. Rounding of these is what comes back larger: it grows along the run.
fn momenta(tree: &Tree, state: &State) -> Vec<Change> {
    let count = tree.layout().conserved.invariants.len();
    (0..count).map(|i| momentum_gradient(tree, state, i)).collect()
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Arms {
    Hanging,
    Flying,
    FlyingInALoop,
}

/// Two arms on a body that hangs from a ball joint, or flies where nothing falls.
fn arms(how: Arms) -> Arc<Tree> {
    let edges = Vec3::new(0.4, 0.5, 0.7);
    let inertia = |k: f64| RigidInertia::cuboid(1.0 + 0.2 * k, Vec3::new(0.2, 0.1 * k, -0.3), edges);
    let root = if how == Arms::Hanging {
        Joint::Spherical
    } else {
        Joint::Free
    };
    let universal = Joint::Universal {
        axes: [Vec3::y(), Vec3::x()],
    };
    let joints = [
        (None, root, Vec3::zeros()),
        (Some(0), Joint::Spherical, Vec3::new(1.0, 0.0, -0.5)),
        (Some(0), universal, Vec3::new(-1.0, 0.0, -0.5)),
    ];
    let mut parts = TreeParts::default();
    if how == Arms::Hanging {
        parts.gravity = Vec3::z() * -9.81;
    }
    for (k, (parent, joint, at)) in joints.into_iter().enumerate() {
        parts.bodies.push(RigidBody {
            name: format!("body-{k}"),
            parent,
            joint,
            parent_from_joint: Pose::translation(at),
            joint_from_body: Pose::identity(),
            inertia: inertia(k as f64),
        });
        let position = Vec3::new(0.1, 0.3, -0.8);
        parts.sites.push(Site {
            name: format!("s{k}"),
            body: Some(k),
            position,
        });
    }
    if how == Arms::FlyingInALoop {
        let distance = Constraint::Distance {
            between: [1, 2],
            length: Length::Fixed(2.2),
        };
        parts.constraints = vec![("bar".to_owned(), distance)];
    }
    Arc::new(Tree::new(parts).unwrap())
}

#[test]
fn a_conserved_momentum_pulled_back_is_itself() {
    for how in [Arms::Hanging, Arms::Flying, Arms::FlyingInALoop] {
        let tree = arms(how);
        let n = tree.velocities();
        let zero = tree.zero(0.0);
        // Slow enough not to be chaotic in so many steps.
        let v: Vec<f64> = some(5, n).iter().map(|v| 0.2 * v).collect();
        let curves: Vec<_> = (0..3).map(|k| curve(&tree, &zero, &v, k, 1e-3)).collect();
        let start = curves[0](0.0);
        let (mut state, h, steps) = (start.clone(), 0.01, 1000);
        let mut method = TreeVariational::new(tree.clone(), TreeOptions::default());
        let mut tape = Vec::new();
        for _ in 0..steps {
            let before = state.clone();
            method.attempt(&mut state, h).unwrap();
            let mut solution = Vec::new();
            method.solution(&mut solution);
            tape.push((before, solution));
        }
        let mut ends = momenta(&tree, &state);
        assert!(!ends.is_empty());
        for (before, solution) in tape.iter().rev() {
            method.linearise(before, h, solution).unwrap();
            method.pull_each(&mut ends);
        }
        for (k, (end, begun)) in ends.iter().zip(momenta(&tree, &start)).enumerate() {
            // Under a constraint a gradient is one of changes along it.
            if how == Arms::FlyingInALoop {
                for curve in &curves {
                    let z = |s: f64| {
                        let state = curve(s);
                        let (mut x, y) = tree.canonical(&start.q, &state.q, &state.p);
                        x.extend(y);
                        Ok::<_, Fault>(x)
                    };
                    let change = slope(1e-3, z).unwrap();
                    let sum = |g: &Change| super::dot(&[&g.x[..], &g.y].concat(), &change);
                    let (a, b) = (sum(end), sum(&begun));
                    // What differences make of the change is not quite tangent: 1e-15 over 1e-3.
                    assert!((a.0 - b.0).abs() <= 1e-11 * b.1, "momentum {k}: {a:?} {b:?}");
                }
                continue;
            }
            let off = super::apart(&[&end.x[..], &end.y].concat(), &[&begun.x[..], &begun.y].concat());
            println!("{how:?}, momentum {k}: {off:.1e}");
            assert!(off <= 1e-12, "{how:?}, momentum {k}: {off:e}");
        }
    }
}

/// A parallelogram that lies flat can fold two ways.
#[test]
fn a_singular_configuration_is_refused() {
    let link = |name: &str, parent| RigidBody {
        name: name.to_owned(),
        parent,
        joint: Joint::Revolute { axis: Vec3::y() },
        parent_from_joint: Pose::translation(if parent.is_some() {
            Vec3::x()
        } else {
            Vec3::zeros()
        }),
        joint_from_body: Pose::identity(),
        inertia: RigidInertia::rod(1.0, Vec3::zeros(), Vec3::x()),
    };
    let site = |name: &str, body| Site {
        name: name.to_owned(),
        body,
        position: Vec3::x(),
    };
    let both = Constraint::Coincidence {
        between: [0, 1],
        directions: vec![Vec3::x(), Vec3::z()],
    };
    let parts = TreeParts {
        bodies: vec![link("a", None), link("b", Some(0)), link("c", Some(1))],
        sites: vec![site("end", Some(2)), site("ground", None)],
        constraints: vec![("loop".to_owned(), both)],
        ..TreeParts::default()
    };
    let tree = Arc::new(Tree::new(parts).unwrap());
    let pi = std::f64::consts::PI;
    let mut refused = Vec::new();
    for angle in [0.0, 0.4] {
        // a at the angle, b level, c back parallel to a.
        let q = [angle, -angle, angle - pi];
        let before = tree.state(0.0, &q, &[0.0; 3]).unwrap();
        let mut method = TreeVariational::new(tree.clone(), TreeOptions::default());
        let mut state = before.clone();
        method.attempt(&mut state, 0.01).unwrap();
        let mut solution = Vec::new();
        method.solution(&mut solution);
        refused.push(
            method
                .linearise(&before, 0.01, &solution)
                .map_err(|fault| fault.cause),
        );
    }
    assert!(matches!(refused[0], Err(Cause::Branching { .. })), "{refused:?}");
    assert_eq!(refused[1], Ok(()));
}

/// A force whose second derivatives nobody wrote.
struct Bare;

impl Potential for Bare {
    fn energy(&self, points: &[Vec3]) -> f64 {
        points[0].norm_squared()
    }

    fn add_gradient(&self, points: &[Vec3], gradient: &mut [Vec3]) {
        gradient[0] += points[0] * 2.0;
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::None
    }
}

#[test]
fn every_tree_has_derivatives_but_for_potentials_without_second_ones() {
    for known in holonomy_model::scenario::SCENARIOS {
        let mut model = scenario(known.name, &[]);
        if let Mechanism::Tree(tree) = &model.mechanism {
            assert_eq!(tree.without_derivatives(), None, "{}", known.name);
            model = scenario(known.name, &["method.name=tree-variational"]);
            assert!(model.integrator().differentiable().is_some(), "{}", known.name);
        }
    }
    let mut parts = TreeParts {
        bodies: vec![RigidBody::new(
            "b",
            Joint::Free,
            RigidInertia::cuboid(1.0, Vec3::z(), Vec3::new(0.3, 0.4, 0.5)),
        )],
        ..TreeParts::default()
    };
    parts.sites.push(Site {
        name: "s".to_owned(),
        body: Some(0),
        position: Vec3::x(),
    });
    parts.potentials.push(Box::new(Bare));
    let tree = Arc::new(Tree::new(parts).unwrap());
    assert!(
        tree.without_derivatives()
            .is_some_and(|why| why.contains("second derivatives"))
    );
    let mut method = TreeVariational::new(tree, TreeOptions::default());
    assert!(Integrator::differentiable(&mut method).is_none());
}

#[test]
fn derivatives_allocate_nothing_after_their_first_call() {
    for name in [
        "puppet",
        "four-bar",
        "elastic-cable",
        "ten-link-cable",
        "feedback-arm",
        "cantilever",
        "tower-crane",
        "rolling-disk",
    ] {
        let model = scenario(name, &[]);
        let n = model.state.p.len();
        for method in ["tree-variational", "tree-variational-4"] {
            let mut method = crate::common::method(method).build(&model.mechanism).unwrap();
            let (before, h) = (model.state.clone(), model.schedule.step);
            let mut state = before.clone();
            let (mut solution, mut out) = (Vec::new(), Vec::new());
            let mut change = unit(n, 0);
            let mut all = || {
                state.copy_from(&before);
                method.attempt(&mut state, h).unwrap();
                let method = method.differentiable().unwrap();
                method.solution(&mut solution);
                method.linearise(&before, h, &solution).unwrap();
                method.equations(&before, h, &solution, &mut out).unwrap();
                method.push(&mut change);
                method.pull(&mut change);
            };
            all();
            all();
            assert_eq!(allocations(all), 0, "{name}");
        }
    }
}

//! Forces between bodies: springs, dampers, beams, formulas.
use super::steps::{run, variational};
use holonomy::{
    Vec3,
    diagnostics::{distance, observed_order, reversal_error},
    geometry::{Pose, RigidInertia},
    integrator::{Composition, Forcing, Integrator, TreeOptions, TreeVariational, catalog},
    model,
    potential::{Potential, Spring},
    system::{Measurement, State, System},
    tree::{Beam, Body, Joint, Link, Site, Tree, TreeParts, Wrench, WrenchFrame},
};
use nalgebra::{DMatrix, DVector, UnitQuaternion};
use std::sync::Arc;

fn body(name: String, parent: Option<usize>, joint: Joint, at: Vec3, inertia: RigidInertia) -> Body {
    Body {
        name,
        parent,
        joint,
        parent_from_joint: Pose::translation(at),
        joint_from_body: Pose::identity(),
        inertia,
    }
}

fn site(body: Option<usize>, position: Vec3) -> Site {
    let name = body.map_or_else(|| "world".to_owned(), |body| format!("site-{body}"));
    Site { name, body, position }
}

fn block(mass: f64) -> RigidInertia {
    RigidInertia::cuboid(mass, Vec3::zeros(), Vec3::new(0.3, 0.4, 0.5))
}

fn measure(tree: &Tree, state: &State) -> Measurement {
    let mut out = Measurement::default();
    tree.measure(state, &mut out, &mut tree.scratch());
    out
}

/// Three free blocks near each other, with sites off their centres and one in the world; what acts is added.
fn blocks() -> TreeParts {
    let mut parts = TreeParts::default();
    for k in 0..3 {
        let x = k as f64;
        let at = Vec3::new(0.9 * x, 0.2 * x, -0.1 * x);
        let inertia = block(1.0 + 0.5 * x);
        parts
            .bodies
            .push(body(format!("block-{k}"), None, Joint::Free, at, inertia));
        parts.sites.push(site(Some(k), Vec3::new(0.1, 0.05 * x, -0.08)));
    }
    parts.sites.push(site(None, Vec3::new(0.5, -0.8, 0.3)));
    // Where a beam of 0.8 m to the first begins.
    parts.sites.push(site(None, Vec3::new(-0.7, 0.0, -0.08)));
    parts
}

fn beam(between: [usize; 2], length: f64) -> Beam {
    Beam {
        between,
        turned: [UnitQuaternion::identity(); 2],
        length,
        tension: 60.0,
        bending: [3.0, 4.0],
        torsion: 2.0,
    }
}

fn spring(between: [usize; 2], stiffness: f64, length: f64) -> Box<dyn Potential> {
    Box::new(Spring {
        between,
        stiffness,
        length,
    })
}

fn damper(between: [usize; 2], coefficient: f64) -> Link {
    Link::Damper { between, coefficient }
}

/// What acts, by name.
type Case = (&'static str, Vec<Box<dyn Potential>>, Vec<Link>);

/// A state in motion, special in no way.
fn moving(tree: &Tree, speed: f64) -> State {
    let n = tree.velocities();
    let wave = |k: usize, a: f64| (1.0 + a * k as f64).sin();
    let x: Vec<f64> = (0..n).map(|k| 0.1 * wave(k, 1.7)).collect();
    let v: Vec<f64> = (0..n).map(|k| speed * wave(k, 2.3)).collect();
    let (q, _) = tree.state_from_canonical(&tree.zero(0.0), &x, &vec![0.0; n]);
    tree.state(0.0, &q, &v)
}

#[test]
fn stiff_springs_are_solved_in_few_iterations() {
    // h √(k/m) = 10: far beyond what fixed-point or quasi-Newton iterations can do.
    let h = 0.01;
    let k = 100.0 / (h * h);
    let mut parts = blocks();
    // At rest, and moving.
    let free = Tree::new(blocks()).unwrap();
    let mut places = vec![Vec3::zeros(); free.layout().bases.len()];
    free.sites(&moving(&free, 0.5).q, &mut places);
    for between in [[0, 1], [1, 2], [2, 3]] {
        let length = (places[between[0]] - places[between[1]]).norm();
        parts.potentials.push(spring(between, k, length));
    }
    let tree = Arc::new(Tree::new(parts).unwrap());
    let mut state = moving(&tree, 0.5);
    let mut method = variational(&tree);
    let mut worst = 0;
    for _ in 0..200 {
        worst = worst.max(method.step(&mut state, h).unwrap().iterations);
        // Undone by a step back: lengths are rounded to 1e-16 m, and h k = 1e4 N s/m makes momentum of that.
        let back = reversal_error(&mut method, &state, h).unwrap();
        assert!(back < 1e-10, "{back:e}");
    }
    println!("free blocks, hω = 10: at most {worst} iterations");
    assert!(worst <= 6, "{worst}");

    // Two chains of 100 links, tip to tip, and from a tip to the world.
    let mut parts = TreeParts {
        gravity: Vec3::z() * -9.81,
        ..TreeParts::default()
    };
    for chain in 0..2 {
        for k in 0..100 {
            let parent = (k > 0).then(|| chain * 100 + k - 1);
            let at = if k == 0 {
                Vec3::x() * (0.5 * chain as f64)
            } else {
                Vec3::z() * -0.1
            };
            let inertia = RigidInertia::rod(0.1, Vec3::zeros(), Vec3::z() * -0.1);
            let joint = Joint::Revolute { axis: Vec3::y() };
            parts
                .bodies
                .push(body(format!("{chain}-{k}"), parent, joint, at, inertia));
        }
        parts.sites.push(site(Some(chain * 100 + 99), Vec3::z() * -0.1));
    }
    parts.sites.push(site(None, Vec3::new(-0.4, 0.0, -10.0)));
    let k = 0.1 * 100.0 / (h * h);
    parts.potentials = vec![spring([0, 1], k, 0.5), spring([0, 2], k, 0.4)];
    parts.links = vec![damper([0, 1], 5.0)];
    let tree = Arc::new(Tree::new(parts).unwrap());
    let v: Vec<f64> = (0..200).map(|k| 0.05 * (k as f64).sin()).collect();
    let mut state = tree.state(0.0, &tree.zero(0.0), &v);
    let mut method = variational(&tree);
    let counts: Vec<u32> = (0..100)
        .map(|_| method.step(&mut state, h).unwrap().iterations)
        .collect();
    let worst = *counts.iter().max().unwrap();
    let mean = f64::from(counts.iter().sum::<u32>()) / 100.0;
    println!("two chains of 100 links: {mean} iterations, at most {worst}");
    // The links whip by 0.1 rad in a step, and a few more iterations look at rounding.
    assert!(mean <= 5.5 && worst <= 8, "{mean} {worst}");
}

#[test]
fn links_between_bodies_keep_all_momentum_and_links_to_the_world_do_not() {
    let inner: Vec<Case> = vec![
        ("spring", vec![spring([0, 1], 30.0, 0.7)], vec![]),
        ("damper", vec![], vec![damper([1, 2], 3.0)]),
        ("beam", vec![], vec![Link::Beam(beam([0, 2], 1.8))]),
        (
            "all",
            vec![spring([0, 2], 20.0, 1.0)],
            vec![
                damper([0, 1], 2.0),
                Link::Beam(beam([1, 2], 0.9)),
                Link::Beam(beam([0, 1], 0.9)),
            ],
        ),
    ];
    for (name, potentials, links) in inner {
        let tree = Arc::new(
            Tree::new(TreeParts {
                potentials,
                links,
                ..blocks()
            })
            .unwrap(),
        );
        assert_eq!(
            tree.layout().invariants.len(),
            6,
            "{name}: {:?}",
            tree.layout().invariants
        );
        for forcing in [Forcing::Symmetric, Forcing::OneSided] {
            let options = TreeOptions {
                forcing,
                ..TreeOptions::default()
            };
            let (mut state, mut method) = (moving(&tree, 0.8), TreeVariational::new(tree.clone(), options));
            // Forces that all act at the start are not on the line between the ends there: dampers turn the whole.
            let count = match forcing {
                Forcing::Symmetric => 6,
                Forcing::OneSided => 3,
            };
            let before = measure(&tree, &state).invariants;
            let mut worst = 0.0_f64;
            for _ in 0..1000 {
                method.step(&mut state, 0.01).unwrap();
                let now = measure(&tree, &state).invariants;
                worst = worst.max(super::largest(&now[..count], &before[..count]));
            }
            println!("{name}, {forcing:?}: momentum {worst:.1e}");
            // Rounding of 1000 steps of momenta of order 1, at random.
            assert!(worst < 1e-13, "{name}, {forcing:?}: {worst:e}");
        }
    }
    // What is tied to the world at a point turns about it; a beam holds on to all.
    let outer: Vec<(Case, usize)> = vec![
        (("spring", vec![spring([0, 3], 30.0, 0.5)], vec![]), 3),
        (("damper", vec![], vec![damper([3, 1], 3.0)]), 3),
        (("beam", vec![], vec![Link::Beam(beam([4, 0], 0.8))]), 0),
    ];
    for ((name, potentials, links), kept) in outer {
        let tree = Arc::new(
            Tree::new(TreeParts {
                potentials,
                links,
                ..blocks()
            })
            .unwrap(),
        );
        let invariants = tree.layout().invariants.clone();
        assert_eq!(invariants.len(), kept, "{name}: {invariants:?}");
        let (mut state, mut method) = (moving(&tree, 0.8), variational(&tree));
        let before = measure(&tree, &state).invariants;
        // Momentum along x, of the blocks: none of it is kept.
        let along = |state: &State| [0, 6, 12].map(|k| state.p[k]).iter().sum::<f64>();
        let (began, mut pushed) = (along(&state), 0.0_f64);
        for _ in 0..1000 {
            method.step(&mut state, 0.01).unwrap();
            pushed = pushed.max((along(&state) - began).abs());
            let now = measure(&tree, &state).invariants;
            assert!(
                super::largest(&now, &before) < 3e-13,
                "{name}: {now:?} {before:?}"
            );
        }
        assert!(pushed > 1e-2, "{name}: {pushed}");
    }
}

#[test]
fn energy_with_springs_and_beams_stays_within_bounds() {
    let mut parts = blocks();
    parts.potentials = vec![spring([0, 2], 20.0, 1.5), spring([1, 3], 15.0, 0.5)];
    parts.links = vec![Link::Beam(beam([0, 1], 0.9)), Link::Beam(beam([4, 0], 0.8))];
    let tree = Arc::new(Tree::new(parts).unwrap());
    let error = |h: f64, steps: u32| {
        let (mut state, mut method) = (moving(&tree, 0.3), variational(&tree));
        let start = measure(&tree, &state).energy.total();
        let mut halves = [0.0_f64; 2];
        for k in 0..steps {
            method.step(&mut state, h).unwrap();
            let error = (measure(&tree, &state).energy.total() - start).abs();
            let half = &mut halves[usize::from(2 * k >= steps)];
            *half = half.max(error);
        }
        (halves, start)
    };
    let ([first, second], start) = error(0.01, 20_000);
    let ([coarse, _], _) = error(0.002, 1_000);
    let ([finer, _], _) = error(0.001, 2_000);
    println!("energy {start:.3}: strays by {first:.2e}, then {second:.2e}; {coarse:.2e}, {finer:.2e}");
    // No drift: the second half of the run is like the first. Second order: a quarter.
    assert!(second < 1.3 * first, "{first:e} {second:e}");
    assert!((coarse / finer - 4.0).abs() < 0.3, "{coarse:e} {finer:e}");
}

#[test]
fn orders_are_kept_with_dampers_and_conventional_methods_agree() {
    let mut parts = blocks();
    parts.gravity = Vec3::z() * -2.0;
    parts.potentials = vec![spring([0, 2], 20.0, 1.5)];
    parts.links = vec![
        damper([0, 1], 2.0),
        damper([2, 3], 3.0),
        Link::Beam(beam([1, 2], 0.9)),
        Link::Beam(beam([4, 0], 0.8)),
    ];
    let tree = Arc::new(Tree::new(parts).unwrap());
    let start = moving(&tree, 0.3);
    let time = 0.5;
    let mechanism = catalog::Mechanism::Tree(tree.clone());
    let conventional = |name: &str, step: f64| {
        let options = catalog::Options {
            rtol: Some(1e-13),
            atol: Some(1e-13),
            ..catalog::Options::default()
        };
        let options = if name == "rk4" {
            catalog::Options::default()
        } else {
            options
        };
        let mut method = (catalog::find(name).unwrap().build)(&mechanism, &options).unwrap();
        let mut state = start.clone();
        for _ in 0..(time / step).round() as u32 {
            method.step(&mut state, step).unwrap();
        }
        state
    };
    let reference = conventional("dop853", time);
    let [coarse, fine] = [1e-3, 5e-4].map(|h| distance(&reference, &conventional("rk4", h)));
    assert!(
        fine < 1e-8 && (coarse / fine - 16.0).abs() < 2.0,
        "{coarse:e} {fine:e}"
    );
    for (order, label) in [(2_u32, "midpoint"), (4, "composed")] {
        let errors: Vec<(f64, f64)> = [64, 128, 256]
            .map(|n| {
                let h = time / f64::from(n);
                let mut state = start.clone();
                let mut method: Box<dyn Integrator> = match order {
                    2 => Box::new(variational(&tree)),
                    _ => Box::new(Composition::new(Box::new(variational(&tree)), order).unwrap()),
                };
                run(&mut *method, &mut state, h, n as u64);
                (h, distance(&reference, &state))
            })
            .to_vec();
        let (steps, sizes): (Vec<f64>, Vec<f64>) = errors.iter().copied().unzip();
        let measured = observed_order(&steps, &sizes);
        println!("{label}: {errors:?}, order {measured:.2}");
        assert!((measured - f64::from(order)).abs() < 0.25, "{label}: {measured}");
    }
}

#[test]
fn one_sided_forces_act_at_the_start_of_a_step() {
    // One slider, along x: closed forms of a step.
    let (m, h, c, f, speed) = (2.0, 0.1, 3.0, 5.0, 0.7);
    let step = |forcing: Forcing, frame: WrenchFrame, force: f64, c: f64| {
        let joint = Joint::Prismatic { axis: Vec3::x() };
        let wrench = Wrench {
            body: 0,
            position: Vec3::zeros(),
            frame,
            value: Box::new(move |_| (Vec3::x() * force, Vec3::zeros())),
        };
        let tree = Tree::new(TreeParts {
            bodies: vec![body("slider".to_owned(), None, joint, Vec3::zeros(), block(m))],
            sites: vec![site(Some(0), Vec3::zeros()), site(None, Vec3::x() * -2.0)],
            wrenches: vec![wrench],
            links: vec![damper([0, 1], c)],
            ..TreeParts::default()
        });
        let tree = Arc::new(tree.unwrap());
        let mut state = tree.state(0.0, &[0.3], &[speed]);
        let options = TreeOptions {
            forcing,
            ..TreeOptions::default()
        };
        TreeVariational::new(tree, options).step(&mut state, h).unwrap();
        (state.q[0] - 0.3, state.p[0])
    };
    let close = |(q, p): (f64, f64), v: f64, end: f64| {
        assert!(
            (q - h * v).abs() < 1e-15 && (p - end).abs() < 1e-14,
            "{q} {p}: {v} {end}"
        );
    };
    for frame in [WrenchFrame::World, WrenchFrame::Body] {
        let v = (m * speed + h * f) / m;
        close(step(Forcing::OneSided, frame, f, 0.0), v, m * v);
        let v = (m * speed + 0.5 * h * f) / m;
        close(step(Forcing::Symmetric, frame, f, 0.0), v, m * speed + h * f);
    }
    let v = m * speed / (m + h * c);
    close(step(Forcing::OneSided, WrenchFrame::World, 0.0, c), v, m * v);
    let v = m * speed / (m + 0.5 * h * c);
    close(
        step(Forcing::Symmetric, WrenchFrame::World, 0.0, c),
        v,
        m * speed - h * c * v,
    );
}

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
    // papers.md 5.4 in the plane of x and y, both ends displaced; and in space, by its planes.
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
    parts.wrenches.push(Wrench {
        body: 3 * n - 1,
        position: Vec3::zeros(),
        frame: WrenchFrame::World,
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
        let mut state = tree.state(0.0, &q, &vec![0.0; size]);
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

/// Two pendulums of rods with a force between their ends, by its text.
fn written(force: &str) -> model::Model {
    let text = format!(
        r#"
        space = "tree"
        gravity = [0, 0, -9.81]
        body = [
          {{ name = "left", joint = {{ kind = "spherical" }}, mass = 1.0, shape = "box", size = [0.1, 0.2, 1],
            centre = [0, 0, -0.5], angular_velocity = [0.3, 1, 2], sites = {{ a = [0, 0, -1] }} }},
          {{ name = "right", joint = {{ kind = "revolute", axis = [0, 1, 0.3], at = [1, 0, 0] }}, mass = 1.0,
            shape = "box", size = [0.1, 0.2, 1], centre = [0, 0, -0.5], velocity = 0.5,
            sites = {{ b = [0, 0, -1], "half-way" = [0, 0, -0.5] }} }},
        ]
        site = [{{ name = "nail", at = [0.4, 0.3, -2] }}]
        {force}
        method = {{ name = "tree-variational" }}
        run = {{ step = 0.01, duration = 2.0 }}
        "#
    );
    let source = model::Source::new("model", &text);
    model::load(&source).unwrap_or_else(|problems| panic!("{}", model::render(&source, &problems, false, 50)))
}

/// The end of a run, and the mean number of iterations.
fn ended(model: &model::Model) -> (State, f64) {
    let mut simulation = model.simulation();
    let (mut iterations, h) = (0, model.schedule.step);
    for _ in 0..model.schedule.steps {
        let info = simulation.integrator.step(&mut simulation.state, h).unwrap();
        iterations += info.iterations;
    }
    (
        simulation.state,
        f64::from(iterations) / model.schedule.steps as f64,
    )
}

#[test]
fn a_formula_of_sites_is_the_spring_that_it_writes() {
    let kinds = [
        (
            r#"potential = [{ kind = "spring", between = ["a", "b"], stiffness = 300.0, rest_length = 0.8 }]"#,
            r#"potential = [{ kind = "formula", energy = "0.5*k*(norm(a - b) - l)^2",
               parameters = { k = "300 N/m", l = "0.8 m" } }]"#,
        ),
        (
            r#"potential = [{ kind = "spring", between = ["half-way", "nail"], stiffness = 5e4, rest_length = 0 }]"#,
            r#"potential = [{ kind = "formula", energy = "0.5*k*dot(d, d)", parameters = { k = 5e4 },
               points = { middle = "right/half-way" }, definitions = { d = "middle - nail" } }]"#,
        ),
    ];
    for (spring, formula) in kinds {
        let (spring, formula) = (written(spring), written(formula));
        let ((a, by_spring), (b, by_formula)) = (ended(&spring), ended(&formula));
        let apart = distance(&a, &b);
        println!("spring and formula: {apart:.1e}; {by_spring} and {by_formula} iterations");
        // The same forces but for rounding, 200 steps of a motion that is not chaotic.
        assert!(apart < 1e-9, "{apart:e}");
        assert!(
            by_spring < 6.0 && (by_spring - by_formula).abs() < 0.5,
            "{by_spring} {by_formula}"
        );
    }
}

#[test]
fn a_formula_without_value_stops_the_step_by_its_name() {
    // The ends part until the root has no value.
    let model = written(r#"potential = [{ kind = "formula", energy = "20*sqrt(2 - norm(a - b)^2)" }]"#);
    for name in ["tree-variational", "rk4", "dop853"] {
        let mut simulation = model.simulation();
        simulation.integrator =
            (catalog::find(name).unwrap().build)(&model.mechanism, &model.options).unwrap();
        let stopped = (0..1000).find_map(|_| simulation.integrator.step(&mut simulation.state, 0.01).err());
        let said = stopped
            .expect("it ends")
            .describe(model.mechanism.system().layout());
        println!("{name}: {said}");
        assert!(said.contains("sqrt"), "{name}: {said}");
    }
}

#[test]
fn links_of_a_model_are_those_of_code() {
    let model = written(
        r#"
        damper = [{ between = ["a", "b"], coefficient = "3 N s/m" }]
        beam = [
          { between = ["nail", "left/a"], axis = [0, 0, 2], length = "100 cm", EA = "60 N", EI = [3, 4], GJ = "2 N m^2" },
          { between = ["left/a", "half-way"], turned = { axis = [0, 1, 0], angle = "-90 deg" },
            end_turned = [1, 0, 0, 0], length = 0.5, EA = 10, EI = 1 },
        ]"#,
    );
    let catalog::Mechanism::Tree(read) = &model.mechanism else {
        panic!("a tree")
    };
    let mut parts = TreeParts {
        gravity: Vec3::z() * -9.81,
        sites: vec![
            site(Some(0), Vec3::z() * -1.0),
            site(Some(1), Vec3::z() * -1.0),
            site(Some(1), Vec3::z() * -0.5),
            site(None, Vec3::new(0.4, 0.3, -2.0)),
        ],
        ..TreeParts::default()
    };
    let inertia = RigidInertia::cuboid(1.0, Vec3::z() * -0.5, Vec3::new(0.1, 0.2, 1.0));
    let axis = Vec3::new(0.0, 1.0, 0.3);
    let right = Joint::Revolute { axis };
    parts.bodies = vec![
        body("left".to_owned(), None, Joint::Spherical, Vec3::zeros(), inertia),
        body("right".to_owned(), None, right, Vec3::x(), inertia),
    ];
    let quarter = UnitQuaternion::from_axis_angle(&Vec3::y_axis(), -0.5 * std::f64::consts::PI);
    parts.links = vec![
        damper([0, 1], 3.0),
        Link::Beam(Beam {
            turned: [quarter; 2],
            ..beam([3, 0], 1.0)
        }),
        Link::Beam(Beam {
            turned: [quarter, UnitQuaternion::identity()],
            tension: 10.0,
            bending: [1.0; 2],
            torsion: 0.0,
            ..beam([0, 2], 0.5)
        }),
    ];
    let made = Tree::new(parts).unwrap();
    let state = moving(&made, 0.4);
    let (mut dq, mut ours, mut theirs) = (vec![0.0; 5], vec![0.0; 4], vec![0.0; 4]);
    let v = measure(&made, &state).velocity;
    made.rate(0.0, &state.q, &v, &mut dq, &mut ours, &mut made.scratch());
    read.rate(0.0, &state.q, &v, &mut dq, &mut theirs, &mut read.scratch());
    // Accelerations of order 100, rounded.
    assert!(super::largest(&ours, &theirs) < 1e-11, "{ours:?} {theirs:?}");
    let energies = [made.energy(&state).total(), read.energy(&state).total()];
    assert!((energies[0] - energies[1]).abs() < 1e-12, "{energies:?}");
}

#[test]
fn steps_with_links_allocate_nothing() {
    let formula = "potential = [{ kind = \"formula\", energy = \"norm(a - b)^4 + norm(a - nail)^2\" }]";
    let links = r#"
        damper = [{ between = ["a", "b"], coefficient = 3.0 }, { between = ["a", "nail"], coefficient = 3.0 }]
        beam = [{ between = ["a", "b"], length = 1.0, EA = 50.0, EI = 2.0 }]"#;
    let mut simulation = written(&format!("{formula}\n{links}")).simulation();
    let mut step = || {
        simulation.integrator.step(&mut simulation.state, 0.01).unwrap();
    };
    (0..5).for_each(|_| step());
    let count = crate::allocation::allocations(|| (0..20).for_each(|_| step()));
    assert_eq!(count, 0);
}

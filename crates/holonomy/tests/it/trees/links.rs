//! Forces between bodies: springs, dampers, beams, formulas.
use super::steps::{run, variational};
use holonomy::{
    Vec3,
    diagnostics::{distance, observed_order, reversal_error},
    geometry::{Pose, RigidInertia},
    integrator::{Composition, Forcing, Integrator, TreeOptions, TreeVariational, catalog},
    potential::{Potential, Spring},
    system::{Measurement, Mechanism, State, System},
    tree::{AppliedWrench, Beam, Joint, Link, RigidBody, Site, Tree, TreeParts, WrenchFrame},
};
use nalgebra::UnitQuaternion;
use std::sync::Arc;

pub(super) fn body(
    name: String,
    parent: Option<usize>,
    joint: Joint,
    at: Vec3,
    inertia: RigidInertia,
) -> RigidBody {
    RigidBody {
        name,
        parent,
        joint,
        parent_from_joint: Pose::translation(at),
        joint_from_body: Pose::identity(),
        inertia,
    }
}

pub(super) fn site(body: Option<usize>, position: Vec3) -> Site {
    let on = body.map_or_else(|| "world".to_owned(), |body| body.to_string());
    let [x, y, z] = position.into();
    Site {
        name: format!("{on} at {x}, {y}, {z}"),
        body,
        position,
    }
}

pub(super) fn block(mass: f64) -> RigidInertia {
    RigidInertia::cuboid(mass, Vec3::zeros(), Vec3::new(0.3, 0.4, 0.5))
}

pub(super) fn measure(tree: &Tree, state: &State) -> Measurement {
    let mut out = Measurement::default();
    tree.measure(state, &mut out, &mut tree.scratch());
    out
}

/// Three free blocks near each other, with sites off their centres and one in the world; what acts is added.
pub(super) fn blocks() -> TreeParts {
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

pub(super) fn beam(between: [usize; 2], length: f64) -> Beam {
    Beam {
        between,
        turned: [UnitQuaternion::identity(); 2],
        length,
        tension: 60.0,
        bending: [3.0, 4.0],
        torsion: 2.0,
    }
}

pub(super) fn spring(between: [usize; 2], stiffness: f64, length: f64) -> Box<dyn Potential> {
    Box::new(Spring {
        between,
        stiffness,
        length,
    })
}

pub(super) fn damper(between: [usize; 2], coefficient: f64) -> Link {
    Link::Damper { between, coefficient }
}

/// What acts, by name.
type Case = (&'static str, Vec<Box<dyn Potential>>, Vec<Link>);

/// A state in motion, special in no way.
pub(super) fn moving(tree: &Tree, speed: f64) -> State {
    let n = tree.velocities();
    let wave = |k: usize, a: f64| (1.0 + a * k as f64).sin();
    let x: Vec<f64> = (0..n).map(|k| 0.1 * wave(k, 1.7)).collect();
    let v: Vec<f64> = (0..n).map(|k| speed * wave(k, 2.3)).collect();
    let (q, _) = tree.state_from_canonical(&tree.zero(0.0), &x, &vec![0.0; n]);
    tree.state(0.0, &q, &v).unwrap()
}

/// Newton's method squares the error: from 0.4, the fraction of a step by which links whip, to rounding there are
/// log₂(ln ε / ln 0.4) = 5.3 squarings. One iteration more sees that nothing is left, and one may correct rounding. With
/// a tenth of a term missing from the Jacobian it gains one digit an iteration, and needs 16.
const QUADRATIC: u32 = 8;

#[test]
fn stiff_springs_are_solved_in_few_iterations() {
    // h √(k/m) = 10: far beyond what fixed-point or quasi-Newton iterations can do.
    let h = 0.01;
    let k = 100.0 / (h * h);
    let mut parts = blocks();
    // At rest, and moving.
    let free = Tree::new(blocks()).unwrap();
    let mut places = vec![Vec3::zeros(); free.layout().drawing.bases.len()];
    free.sites(0.0, &moving(&free, 0.5).q, &mut places);
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
        let back = reversal_error(&mut method, &state, h, 1.0).unwrap();
        assert!(back < 1e-10, "{back:e}");
    }
    println!("free blocks, hω = 10: at most {worst} iterations");
    assert!(worst <= QUADRATIC, "{worst}");

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
    let mut state = tree.state(0.0, &tree.zero(0.0), &v).unwrap();
    let mut method = variational(&tree);
    let counts: Vec<u32> = (0..100)
        .map(|_| method.step(&mut state, h).unwrap().iterations)
        .collect();
    let worst = *counts.iter().max().unwrap();
    let mean = f64::from(counts.iter().sum::<u32>()) / 100.0;
    println!("two chains of 100 links: {mean} iterations, at most {worst}");
    assert!(worst <= QUADRATIC, "{mean} {worst}");
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
            tree.layout().conserved.invariants.len(),
            6,
            "{name}: {:?}",
            tree.layout().conserved.invariants
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
        let invariants = tree.layout().conserved.invariants.clone();
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
    // The motion is chaotic. Of 60 starts that differ by 1e-13 two take a beam past half a turn within 200 s, the
    // first after 78 s, where its energy jumps; and 22 stray farther in the second half than the bound below.
    let ([first, second], start) = error(0.01, 5_000);
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
    let mechanism = Mechanism::Tree(tree.clone());
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
        let mut method = catalog::find(name)
            .unwrap()
            .build_with(&mechanism, &options)
            .unwrap();
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
fn a_wrench_is_the_same_in_all_frames_where_they_meet() {
    // A turned, displaced free body: the same force at the same place, written in three ways.
    let turn = UnitQuaternion::from_euler_angles(0.4, -0.7, 1.1);
    let (origin, point) = (Vec3::new(0.3, -0.2, 0.5), Vec3::new(0.2, 0.1, -0.3));
    let (force, moment) = (Vec3::new(1.0, 2.0, -0.5), Vec3::new(-0.3, 0.8, 0.2));
    let acceleration = |frame: WrenchFrame, position: Vec3, force: Vec3, moment: Vec3| {
        let mut parts = TreeParts::default();
        let joint = Joint::Free;
        parts
            .bodies
            .push(body("b".to_owned(), None, joint, Vec3::zeros(), block(2.0)));
        parts.wrenches.push(AppliedWrench {
            body: 0,
            position,
            frame,
            value: Box::new(move |_| (force, moment)),
        });
        let tree = Tree::new(parts).unwrap();
        let q = [origin.x, origin.y, origin.z, turn.w, turn.i, turn.j, turn.k];
        let (mut dq, mut dv) = ([0.0; 7], [0.0; 6]);
        let v = [0.1, 0.2, -0.3, 0.5, -0.4, 0.6];
        tree.rate(0.0, &q, &v, &mut dq, &mut dv, &mut tree.scratch());
        dv
    };
    let mixed = acceleration(WrenchFrame::Mixed, point, force, moment);
    let back = turn.inverse();
    let in_body = acceleration(WrenchFrame::Body, point, back * force, back * moment);
    let in_world = acceleration(WrenchFrame::World, origin + turn * point, force, moment);
    for other in [in_body, in_world] {
        let off = mixed
            .iter()
            .zip(&other)
            .fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        // Rounding of numbers of order ten.
        assert!(off < 1e-13, "{off:e}");
    }
    let elsewhere = acceleration(WrenchFrame::World, point, force, moment);
    assert!((elsewhere[3] - mixed[3]).abs() > 0.1, "the place matters");
}

#[test]
fn one_sided_forces_act_at_the_start_of_a_step() {
    // One slider, along x: closed forms of a step.
    let (m, h, c, f, speed) = (2.0, 0.1, 3.0, 5.0, 0.7);
    let step = |forcing: Forcing, frame: WrenchFrame, force: f64, c: f64| {
        let joint = Joint::Prismatic { axis: Vec3::x() };
        let wrench = AppliedWrench {
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
        let mut state = tree.state(0.0, &[0.3], &[speed]).unwrap();
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
    for frame in [WrenchFrame::Mixed, WrenchFrame::Body, WrenchFrame::World] {
        let v = (m * speed + h * f) / m;
        close(step(Forcing::OneSided, frame, f, 0.0), v, m * v);
        let v = (m * speed + 0.5 * h * f) / m;
        close(step(Forcing::Symmetric, frame, f, 0.0), v, m * speed + h * f);
    }
    let v = m * speed / (m + h * c);
    close(step(Forcing::OneSided, WrenchFrame::Mixed, 0.0, c), v, m * v);
    let v = m * speed / (m + 0.5 * h * c);
    close(
        step(Forcing::Symmetric, WrenchFrame::Mixed, 0.0, c),
        v,
        m * speed - h * c * v,
    );
}

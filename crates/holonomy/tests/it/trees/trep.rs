//! Trajectories and multipliers of trep, from its own examples in its own way: all forces and multipliers
//! at the start of a step.
use super::{
    largest,
    loops::{body, site, with_forcing},
    scissor::scissor,
    steps::run,
};
use holonomy::{
    Vec3,
    geometry::RigidInertia,
    integrator::Forcing,
    system::System,
    tree::{Constraint, Joint, JointForce, Length, Tree, TreeParts, assemble},
};
use std::sync::Arc;

/// q, p and λ of trep at the given steps; λ is an impulse there.
struct Sample {
    step: u64,
    q: Vec<f64>,
    p: Vec<f64>,
    lambda: Vec<f64>,
}

fn trep(text: &str) -> Vec<Sample> {
    let data: serde_json::Value = serde_json::from_str(text).unwrap();
    let list = |x: &serde_json::Value| -> Vec<f64> {
        x.as_array()
            .unwrap()
            .iter()
            .map(|x| x.as_f64().unwrap())
            .collect()
    };
    let samples = data["samples"].as_array().unwrap().iter();
    samples
        .map(|s| Sample {
            step: s["step"].as_u64().unwrap(),
            q: list(&s["q"]),
            p: list(&s["p"]),
            lambda: list(&s["lambda"]),
        })
        .collect()
}

/// Runs in trep's way from equal configurations, which is rest half a step before, and compares to 1e-8;
/// `unit` is what our constraint has to be multiplied with to be trep's.
fn compare_with_trep(tree: &Arc<Tree>, q: &[f64], samples: &[Sample], unit: impl Fn(usize) -> f64) {
    let (h, rest) = (0.01, vec![0.0; tree.velocities()]);
    let mut method = with_forcing(tree, Forcing::OneSided);
    let mut state = tree.state(0.0, q, &rest).unwrap();
    // p = D₂Lᵈ(q, q) = −½ h ∂V/∂q, by differences: rounding over their step, 1e-12.
    for k in 0..q.len() {
        let potential = |s: f64| {
            let mut q = q.to_vec();
            q[k] += s;
            tree.energy(&tree.state(0.0, &q, &rest).unwrap()).potential
        };
        state.p[k] = -0.5 * h * super::random::slope(1e-2, potential);
    }
    let mut done = 1;
    for sample in samples {
        run(&mut method, &mut state, h, sample.step - done);
        done = sample.step;
        let scale = sample.p.iter().fold(1.0_f64, |m, p| m.max(p.abs()));
        let impulses: Vec<f64> = (0..state.lambda.len())
            .map(|k| state.lambda[k] * h / unit(k))
            .collect();
        let p = after_the_constraints(tree, &sample.q, &sample.p);
        let (q, p) = (largest(&state.q, &sample.q), largest(&state.p, &p) / scale);
        let lambda = largest(&impulses, &sample.lambda);
        println!("step {done}: q {q:.1e}, p {p:.1e}, lambda {lambda:.1e}");
        assert!(
            q < 1e-8 && p < 1e-8 && lambda < 1e-8,
            "{done}: {q:e} {p:e} {lambda:e}"
        );
    }
}

/// trep's momenta are those before the constraints act at the end of a step, ours those after: the nearest whose
/// velocities keep them.
fn after_the_constraints(tree: &Tree, q: &[f64], p: &[f64]) -> Vec<f64> {
    let (mut v, mut out) = (vec![0.0; p.len()], vec![0.0; p.len()]);
    tree.velocity(0.0, q, p, &mut v, &mut tree.scratch());
    let kept = assemble(tree, q, &v, &vec![false; v.len()]).v;
    tree.momentum(0.0, q, &kept, &mut out, &mut tree.scratch());
    out
}

#[test]
fn scissor_lift_of_trep() {
    let (tree, q) = scissor(4);
    compare_with_trep(&tree, &q, &trep(include_str!("trep_scissor4.json")), |_| 1.0);
}

/// The marionette of trep's examples, peers.md 3b: 22 joints, damping 0.1 in each, six strings.
fn puppet() -> (Arc<Tree>, Vec<f64>) {
    let mut parts = TreeParts {
        gravity: Vec3::z() * -9.8,
        ..TreeParts::default()
    };
    let (x, y, z) = (Vec3::x(), Vec3::y(), Vec3::z());
    let mut link = |name: &str, parent: Option<usize>, joint: Joint, at: Vec3, inertia: RigidInertia| {
        parts.bodies.push(body(name, parent, joint, at, inertia));
        let k = parts.bodies.len() - 1;
        parts
            .joint_forces
            .push((k, JointForce::Damper { coefficient: 0.1 }));
        k
    };
    let slide = |axis: Vec3| Joint::Prismatic { axis };
    let turn = |axis: Vec3| Joint::Revolute { axis };
    let none = RigidInertia::zero();
    let ball = |m: f64, at: Vec3| RigidInertia::diagonal(m, at, [1.0, 1.0, 1.0]);
    let mut last = link("x", None, slide(x), Vec3::zeros(), none);
    for (name, axis) in [("y", y), ("z", z)] {
        last = link(name, Some(last), slide(axis), Vec3::zeros(), none);
    }
    for (name, axis) in [("psi", z), ("theta", y)] {
        last = link(name, Some(last), turn(axis), Vec3::zeros(), none);
    }
    let trunk = RigidInertia::point(50.0, z * -1.5).and(&ball(10.0, z * 1.4));
    let torso = link("torso", Some(last), turn(x), Vec3::zeros(), trunk);
    let mut hooks = vec![
        site("left torso", Some(torso), Vec3::new(1.011, 0.0, 0.658)),
        site("right torso", Some(torso), Vec3::new(-1.011, 0.0, 0.658)),
    ];
    let limbs = [
        (1.3, 0.4, -0.95, -1.9, -1.0, "arm"),
        (0.5, -3.0, -1.5, -3.0, -1.5, "leg"),
    ];
    for (out, up, centre, length, shin, limb) in limbs {
        for s in [1.0, -1.0] {
            let name = |part: &str| format!("{limb} {s} {part}");
            let at = Vec3::new(out * s, 0.0, up);
            let a = link(&name("psi"), Some(torso), turn(z), at, none);
            let b = link(&name("theta"), Some(a), turn(y), Vec3::zeros(), none);
            let upper = link(
                &name("phi"),
                Some(b),
                turn(x),
                Vec3::zeros(),
                ball(5.0, z * centre),
            );
            let lower = link(
                &name("lower"),
                Some(upper),
                turn(x),
                z * length,
                ball(4.0, z * shin),
            );
            hooks.push(if limb == "arm" {
                site(&name("hook"), Some(lower), Vec3::new(0.14 * s, -0.173, -2.001))
            } else {
                site(&name("hook"), Some(upper), Vec3::new(0.0, -0.322, -2.59))
            });
        }
    }
    // Spindles, in the order of the hooks.
    let spindles = [
        (1.0, 0.0),
        (-1.0, 0.0),
        (1.0, -1.0),
        (-1.0, -1.0),
        (1.0, -2.0),
        (-1.0, -2.0),
    ];
    let count = hooks.len();
    parts.sites = hooks;
    for (k, (x, y)) in spindles.into_iter().enumerate() {
        parts
            .sites
            .push(site(&format!("spindle {k}"), None, Vec3::new(x, y, 14.0)));
        parts.constraints.push((
            format!("string {k}"),
            Constraint::Distance {
                between: [k, count + k],
                length: Length::Fixed(STRINGS[k]),
            },
        ));
    }
    let q = vec![
        0.9982269739914258,
        0.9979225851161774,
        0.015635732910314126,
        0.0022589761367674674,
        -0.0009811194076181878,
        0.020653928006629334,
        -0.00047515635361840486,
        4.946755718824511e-05,
        -0.005090346665651466,
        -1.5751611273798667,
        0.0012417603263551276,
        -0.0034545897932356726,
        0.03299716045457764,
        -1.5354122596183704,
        -0.00020061914876145966,
        -0.31465527042641017,
        -0.788248473763733,
        0.785,
        -0.00020050998861394806,
        0.3152318583955978,
        -0.7892420030077674,
        0.785,
    ];
    (Arc::new(Tree::new(parts).unwrap()), q)
}

const STRINGS: [f64; 6] = [13.4, 13.4, 15.4, 15.5, 18.6, 18.6];

#[test]
fn puppet_of_trep() {
    let (tree, q) = puppet();
    assert!(
        (tree.energy(&tree.state(0.0, &q, &[0.0; 22]).unwrap()).potential + 1660.7458962495523).abs() < 1e-9
    );
    // trep's distance is |d|² − ℓ².
    compare_with_trep(&tree, &q, &trep(include_str!("trep_puppet_basic.json")), |k| {
        2.0 * STRINGS[k]
    });
}

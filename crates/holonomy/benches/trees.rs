//! What a step of a tree costs. `cargo bench --package holonomy --bench trees`; items are joints.
//!
//! ```text
//! hinges, ball_joints   tree-variational on a chain of rods, 16 … 1024 joints
//! velocity, rate        M⁻¹p and the accelerations of the same chain
//! linearised, matrix    its derivative at a solution with one gradient pulled back, and all columns of it
//! scenarios             one step of a built-in model with constraints
//! ```
use divan::{Bencher, counter::ItemsCount};
use holonomy::{
    Vec3,
    derivative::{Change, Differentiable},
    geometry::{Pose, RigidInertia},
    integrator::{Integrator, TreeOptions, TreeVariational},
    system::{State, System},
    tree::{Joint, RigidBody, Tree, TreeParts},
};
use holonomy_model::{self as model, Source};
use std::sync::Arc;

fn main() {
    divan::main();
}

const COUNTS: [usize; 4] = [16, 64, 256, 1024];

/// A straight chain of beams that hangs at 0.3 rad to the vertical and swings.
fn chain(n: usize, joint: impl Fn() -> Joint) -> (Arc<Tree>, State) {
    let link = -Vec3::z();
    let bodies = (0..n).map(|i| RigidBody {
        name: format!("link-{}", i + 1),
        parent: i.checked_sub(1),
        joint: joint(),
        parent_from_joint: Pose::translation(if i == 0 { Vec3::zeros() } else { link }),
        joint_from_body: Pose::identity(),
        inertia: RigidInertia::cuboid(0.1, link * 0.5, Vec3::new(0.3, 0.3, 1.0)),
    });
    let parts = TreeParts {
        bodies: bodies.collect(),
        gravity: Vec3::new(0.3_f64.sin(), 0.0, -0.3_f64.cos()) * 9.81,
        ..TreeParts::default()
    };
    let tree = Arc::new(Tree::new(parts).unwrap_or_else(|e| panic!("{e}")));
    let state = tree
        .state(0.0, &tree.zero(0.0), &vec![0.0; tree.velocities()])
        .unwrap_or_else(|e| panic!("{e}"));
    (tree, state)
}

fn step(bencher: Bencher<'_, '_>, n: usize, joint: impl Fn() -> Joint) {
    let (tree, start) = chain(n, joint);
    let mut method = TreeVariational::new(tree, TreeOptions::default());
    let (mut state, mut steps) = (start.clone(), 0);
    bencher.counter(ItemsCount::new(n)).bench_local(|| {
        if steps == 200 {
            state.copy_from(&start);
            steps = 0;
        }
        steps += 1;
        method.step(&mut state, 0.01)
    });
}

#[divan::bench(args = COUNTS, max_time = 0.5)]
fn hinges(bencher: Bencher<'_, '_>, n: usize) {
    step(bencher, n, || Joint::Revolute { axis: Vec3::y() });
}

#[divan::bench(args = COUNTS, max_time = 0.5)]
fn ball_joints(bencher: Bencher<'_, '_>, n: usize) {
    step(bencher, n, || Joint::Spherical);
}

#[divan::bench(args = COUNTS, max_time = 0.3)]
fn velocity(bencher: Bencher<'_, '_>, n: usize) {
    let (tree, state) = chain(n, || Joint::Revolute { axis: Vec3::y() });
    let (mut v, mut scratch) = (vec![0.0; n], tree.scratch());
    bencher.counter(ItemsCount::new(n)).bench_local(|| {
        tree.velocity(0.0, &state.q, &state.p, &mut v, &mut scratch);
        v[0]
    });
}

#[divan::bench(args = COUNTS, max_time = 0.3)]
fn rate(bencher: Bencher<'_, '_>, n: usize) {
    let (tree, state) = chain(n, || Joint::Revolute { axis: Vec3::y() });
    let (mut dq, mut dv, mut scratch) = (vec![0.0; n], vec![0.0; n], tree.scratch());
    bencher.counter(ItemsCount::new(n)).bench_local(|| {
        tree.rate(0.0, &state.q, &state.p, &mut dq, &mut dv, &mut scratch);
        dv[0]
    });
}

/// A step of an arm whose axes alternate, linearised: the method, where it started and its unknowns.
fn taken(n: usize) -> (TreeVariational, State, Vec<f64>) {
    let axes = std::cell::Cell::new(false);
    let (tree, mut state) = chain(n, || Joint::Revolute {
        axis: if axes.replace(!axes.get()) {
            Vec3::x()
        } else {
            Vec3::y()
        },
    });
    let mut method = TreeVariational::new(tree, TreeOptions::default());
    let (mut before, mut solution) = (state.clone(), Vec::new());
    for _ in 0..20 {
        before.copy_from(&state);
        let _ = method.attempt(&mut state, 0.01);
    }
    method.solution(&mut solution);
    (method, before, solution)
}

fn column(n: usize, k: usize) -> Change {
    let at = |k: Option<usize>| (0..n).map(|j| f64::from(u8::from(Some(j) == k))).collect();
    Change {
        x: at(Some(k)),
        y: at(k.checked_sub(n)),
        ..Change::default()
    }
}

#[divan::bench(args = [7, 8, 32, 128, 512], max_time = 0.3)]
fn linearised(bencher: Bencher<'_, '_>, n: usize) {
    let (mut method, before, solution) = taken(n);
    let given = column(n, 0);
    let mut gradient = given.clone();
    bencher.counter(ItemsCount::new(n)).bench_local(|| {
        let done = method.linearise(&before, 0.01, &solution);
        gradient.x.copy_from_slice(&given.x);
        gradient.y.copy_from_slice(&given.y);
        method.pull(&mut gradient);
        done
    });
}

#[divan::bench(args = [7, 32], max_time = 0.3)]
fn matrix(bencher: Bencher<'_, '_>, n: usize) {
    let (mut method, before, solution) = taken(n);
    let given: Vec<Change> = (0..2 * n).map(|k| column(n, k)).collect();
    let mut columns = given.clone();
    bencher.counter(ItemsCount::new(n)).bench_local(|| {
        let done = method.linearise(&before, 0.01, &solution);
        for (column, given) in columns.iter_mut().zip(&given) {
            column.x.copy_from_slice(&given.x);
            column.y.copy_from_slice(&given.y);
        }
        method.push_each(&mut columns);
        done
    });
}

/// Loops, cables and strings: what trep was measured on, and 34 variables with two constraints.
const SCENARIOS: [(&str, &str); 4] = [
    ("puppet", include_str!("../../../scenarios/puppet/model.toml")),
    (
        "scissor-lift",
        include_str!("../../../scenarios/scissor-lift/model.toml"),
    ),
    ("cable-34", include_str!("../../../scenarios/cable-34/model.toml")),
    ("four-bar", include_str!("../../../scenarios/four-bar/model.toml")),
];

#[divan::bench(args = SCENARIOS.map(|(name, _)| name), max_time = 0.5)]
fn scenarios(bencher: Bencher<'_, '_>, name: &str) {
    let text = SCENARIOS
        .iter()
        .find(|scenario| scenario.0 == name)
        .map_or("", |scenario| scenario.1);
    let model = model::load(&Source::new(name, text)).unwrap_or_else(|p| panic!("{p:?}"));
    let (mut method, h) = (model.integrator(), model.schedule.step);
    let (mut state, mut steps) = (model.state.clone(), 0);
    bencher.bench_local(|| {
        if steps == 500 {
            state.copy_from(&model.state);
            steps = 0;
        }
        steps += 1;
        method.step(&mut state, h)
    });
}

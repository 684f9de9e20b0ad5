//! What a step costs. `cargo bench --package holonomy` takes about a minute.
//!
//! ```text
//! step, step_of_molecules               every method on every scenario it fits, with the scenario's own step
//! chain_of_point_masses, chain_of_rods  sphere-implicit on 64 … 2048 links; items are links
//! alone, side_by_side                   64 states of a typed Lagrangian for 64 steps, one by one and in lanes; items are
//!                                       steps of a state
//! pairs                                 the gradient of Lennard-Jones on 642 molecules; items are pairs
//! near_pairs, near_pairs_moved          with a cut-off at 2.5 σ; items are molecules; `moved` makes lists every time
//! ```
//! For an adaptive method a step is one sampling interval.
use divan::{Bencher, counter::ItemsCount};
use holonomy::{
    Vec3,
    geometry::Icosphere,
    integrator::Member,
    integrator::catalog::{METHODS, Method, Options},
    potential::{Cutoff, LennardJones, NearPairs, Potential},
    spheres::{Workspace, view},
    system::{Mechanism, State},
};
use holonomy_model::{self as model, Model, Source};
use std::{fmt, path::Path};

fn main() {
    divan::main();
}

/// Steps after which a state starts again: long enough to forget the start, short of any near-collision.
const LAP: u64 = 500;

struct Case {
    scenario: String,
    method: &'static Method,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.scenario, self.method.name)
    }
}

const MOLECULES: &str = "molecules-on-a-sphere";

/// Every scenario with every method that fits it. The `…-as-published` ones cost what the others do.
fn cases(wanted: impl Fn(&str) -> bool) -> Vec<Case> {
    let mut all = Vec::new();
    for scenario in scenarios().into_iter().filter(|name| wanted(name)) {
        let model = load(&scenario, &[]);
        for method in METHODS {
            if method.build_with(&model.mechanism, &Options::default()).is_ok() {
                all.push(Case {
                    scenario: scenario.clone(),
                    method,
                });
            }
        }
    }
    all
}

// A sample is a hundred steps in a row: an adaptive method works in some of them and interpolates in the others.
#[divan::bench(args = cases(|name| name != MOLECULES), sample_size = 100, sample_count = 100, max_time = 0.3)]
fn step(bencher: Bencher<'_, '_>, case: &Case) {
    case.run(bencher);
}

#[divan::bench(args = cases(|name| name == MOLECULES), sample_size = 5, sample_count = 20, max_time = 0.3)]
fn step_of_molecules(bencher: Bencher<'_, '_>, case: &Case) {
    case.run(bencher);
}

#[divan::bench(args = [64, 256, 1024, 2048], sample_size = 10, sample_count = 100, max_time = 1.0)]
fn chain_of_point_masses(bencher: Bencher<'_, '_>, links: usize) {
    chain(bencher, links, "point");
}

#[divan::bench(args = [64, 256, 1024, 2048], sample_size = 10, sample_count = 100, max_time = 1.0)]
fn chain_of_rods(bencher: Bencher<'_, '_>, links: usize) {
    chain(bencher, links, "rod");
}

/// Typed Lagrangians, each by a method.
const TYPED: [&str; 8] = [
    "plane-pendulum trapezoid",
    "plane-pendulum midpoint",
    "double-plane-pendulum midpoint",
    "double-plane-pendulum midpoint-4",
    "kepler midpoint",
    "kepler midpoint-4",
    "henon-heiles midpoint",
    "henon-heiles trapezoid-4",
];

#[divan::bench(args = TYPED, sample_size = 1, sample_count = 100, max_time = 1.0)]
fn alone(bencher: Bencher<'_, '_>, case: &str) {
    typed(bencher, case, 1);
}

#[divan::bench(args = TYPED, sample_size = 1, sample_count = 100, max_time = 1.0)]
fn side_by_side(bencher: Bencher<'_, '_>, case: &str) {
    typed(bencher, case, MEMBERS);
}

/// States, and steps of each in a sample.
const MEMBERS: usize = 64;
const ROW: u64 = 64;

fn typed(bencher: Bencher<'_, '_>, case: &str, at_once: usize) {
    let (scenario, method) = case.split_once(' ').expect("a scenario and a method");
    let model = load(scenario, &["method=", &format!("method.name={method}")]);
    let starts: Vec<Member> = (0..MEMBERS)
        .map(|k| {
            let mut state = model.state.clone();
            let share = 1.0 - 0.3 * k as f64 / MEMBERS as f64;
            state.q.iter_mut().chain(&mut state.p).for_each(|x| *x *= share);
            Member::from(state)
        })
        .collect();
    let mut integrator = model.integrator();
    bencher
        .counter(ItemsCount::new(MEMBERS as u64 * ROW))
        .with_inputs(|| starts.clone())
        .bench_local_refs(|members| {
            for some in members.chunks_mut(at_once) {
                while some[0].work.steps < ROW {
                    integrator.advance_many(some, model.schedule.step, ROW - some[0].work.steps);
                }
            }
        });
}

#[divan::bench(sample_size = 5, sample_count = 100, max_time = 1.0)]
fn pairs(bencher: Bencher<'_, '_>) {
    let model = load(MOLECULES, &[]);
    let Mechanism::Spheres(spheres) = &model.mechanism else {
        unreachable!("a scenario on spheres")
    };
    let count = spheres.len();
    let q = view(&model.state.q);
    let mut gradient = q.to_vec();
    let mut work = Workspace::default();
    bencher
        .counter(ItemsCount::new(count * (count - 1) / 2))
        .bench_local(|| spheres.gradient(divan::black_box(q), &mut gradient, &mut work));
}

fn molecules(subdivisions: u32) -> (Vec<Vec3>, NearPairs<LennardJones>) {
    let mesh = Icosphere::new(subdivisions);
    let sigma = mesh.mean_edge() / 2.0_f64.powf(1.0 / 6.0);
    let cutoff = Cutoff::new(2.0 * sigma, 2.5 * sigma, 0.3 * sigma).expect("inner is less than outer");
    let near = NearPairs::new(LennardJones::new(0.01, sigma, 1.0), mesh.vertices.len(), cutoff);
    (mesh.vertices, near)
}

// 10 242 and 40 962 molecules.
#[divan::bench(args = [5, 6], sample_size = 1, sample_count = 200, max_time = 1.0)]
fn near_pairs(bencher: Bencher<'_, '_>, subdivisions: u32) {
    let (q, near) = molecules(subdivisions);
    let mut gradient = q.clone();
    bencher
        .counter(ItemsCount::new(q.len()))
        .bench_local(|| near.add_gradient(divan::black_box(&q), &mut gradient));
}

#[divan::bench(args = [5, 6], sample_size = 1, sample_count = 200, max_time = 1.0)]
fn near_pairs_moved(bencher: Bencher<'_, '_>, subdivisions: u32) {
    let (mut q, near) = molecules(subdivisions);
    let mut gradient = q.clone();
    bencher.counter(ItemsCount::new(q.len())).bench_local(|| {
        // The other side of the sphere: nobody is where he was.
        q.iter_mut().for_each(|q| *q *= -1.0);
        near.add_gradient(divan::black_box(&q), &mut gradient);
    });
}

impl Case {
    fn run(&self, bencher: Bencher<'_, '_>) {
        let name = format!("method.name={}", self.method.name);
        run(bencher, &load(&self.scenario, &["method=", &name]));
    }
}

fn chain(bencher: Bencher<'_, '_>, links: usize, shape: &str) {
    let overrides = [format!("chain.links={links}"), format!("chain.shape={shape}")];
    let model = load("pendulum-chain", &[&overrides[0], &overrides[1]]);
    run(bencher.counter(ItemsCount::new(links)), &model);
}

/// Steps on and on, so that a step finds the gradient of the one before; starts again after a lap or a failed step.
fn run(bencher: Bencher<'_, '_>, model: &Model) {
    let mut integrator = model.integrator();
    let mut state: State = model.state.clone();
    let mut taken = 0;
    bencher.bench_local(|| {
        let failed = integrator.attempt(&mut state, model.schedule.step).is_err();
        taken += 1;
        if failed || taken == LAP {
            state.copy_from(&model.state);
            taken = 0;
        }
    });
}

fn scenarios() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let entries = std::fs::read_dir(folder).expect("the scenarios are in the repository");
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| !name.ends_with("-as-published")).collect();
    names.sort();
    names
}

fn load(name: &str, overrides: &[&str]) -> Model {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let text = std::fs::read_to_string(folder.join(name).join("model.toml")).expect("a scenario has a model");
    let mut source = Source::new(name, text);
    for text in overrides {
        source.with_override(*text);
    }
    match model::load(&source) {
        Ok(model) => model,
        Err(problems) => panic!("{name}: {problems:?}"),
    }
}

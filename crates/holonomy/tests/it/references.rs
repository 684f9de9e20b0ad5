//! Trajectories against references computed by another route (scripts in `references/`): Cartesian
//! coordinates with Lagrange multipliers, Taylor series in 113-bit arithmetic.
use crate::common::{self, load, method, scenario};
use holonomy::{
    Vec3,
    integrator::catalog::Options,
    simulation::{Schedule, Simulation},
    spheres::view,
    system::{Measurement, System},
};
use holonomy_model::Model;
use std::path::Path;

#[derive(serde::Deserialize)]
struct Reference {
    samples: Vec<Sample>,
}

#[derive(serde::Deserialize)]
struct Sample {
    t: f64,
    q: Vec<[f64; 3]>,
    omega: Vec<[f64; 3]>,
    energy: f64,
    /// How much the motion has amplified a small error of the initial data.
    growth: f64,
    angular_momentum_z: Option<f64>,
}

fn reference(name: &str) -> Reference {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it/references")
        .join(name)
        .with_extension("json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn simulation(model: &Model, name: &str, options: &Options) -> Simulation {
    let integrator = method(name).build_with(&model.mechanism, options).unwrap();
    common::simulation_by(model, integrator)
}

/// Largest difference in a direction, and in an angular velocity, to a sample.
fn difference(simulation: &Simulation, sample: &Sample) -> (f64, f64, Measurement) {
    let system: &dyn System = &**simulation.system();
    let mut measured = Measurement::default();
    system.measure(&simulation.state, &mut measured, &mut system.scratch());
    let largest = |ours: &[Vec3], theirs: &[[f64; 3]]| {
        assert_eq!(ours.len(), theirs.len());
        ours.iter()
            .zip(theirs)
            .map(|(a, b)| (a - Vec3::from(*b)).amax())
            .fold(0.0, f64::max)
    };
    let q = largest(view(&simulation.state.q), &sample.q);
    let omega = largest(view(&measured.velocity), &sample.omega);
    (q, omega, measured)
}

/// A method with a small step, within what rounding and the motion's own growth allow.
#[track_caller]
fn agrees(model: &Model, name: &str, file: &str, steps_per_second: u64, tolerance: f64) {
    let mut simulation = simulation(model, name, &Options::default());
    let step = 1.0 / steps_per_second as f64;
    let mut done = 0;
    for sample in reference(file).samples {
        let steps = (sample.t * steps_per_second as f64).round() as u64;
        simulation
            .run(
                &Schedule {
                    step,
                    steps: steps - done,
                    every: u64::MAX,
                },
                &mut [],
            )
            .unwrap();
        done = steps;
        let (q, omega, measured) = difference(&simulation, &sample);
        let bound = tolerance * (1.0 + sample.growth);
        println!(
            "{file:20} {name:18} t = {:4} q {q:.1e} omega {omega:.1e} bound {bound:.1e}",
            sample.t
        );
        assert!(
            q < bound && omega < 30.0 * bound,
            "{file} by {name} at {}: {q:e}, {omega:e}",
            sample.t
        );
        let energy = (measured.energy.total() - sample.energy).abs() / sample.energy.abs();
        assert!(
            energy < bound,
            "{file} by {name} at {}: energy {energy:e}",
            sample.t
        );
        if let Some(expected) = sample.angular_momentum_z {
            let momentum = (measured.invariants.last().unwrap() - expected).abs() / expected.abs();
            assert!(
                momentum < 1e-12 * (1.0 + sample.growth),
                "{file} by {name}: momentum {momentum:e}"
            );
        }
    }
}

const CHAIN: &str = r#"
    body = [
        { name = "a", mass = 1.0, length = 1.0, direction = [0.6, 0, 0.8], angular_velocity = [0, 0.5, 0] },
        { name = "b", parent = "a", mass = 0.5, length = 0.7, direction = [0, 0.8, 0.6], angular_velocity = [1, 0, 0] },
        { name = "c", parent = "b", mass = 2.0, length = 0.4, direction = [0, -0.6, 0.8],
          angular_velocity = [0.3, 0.4, 0.3] },
    ]
    potential = [{ kind = "gravity", acceleration = [0, 0, 9.81] }]
    method = { name = "sphere-implicit" }
    run = { step = 0.01, steps = 10 }
"#;

#[test]
fn double_pendulum() {
    let model = scenario("double-spherical-pendulum-as-published", &[]);
    agrees(&model, "sphere-implicit-8", "double_pendulum", 40, 1e-13);
    agrees(&model, "sphere-implicit-6", "double_pendulum", 200, 1e-13);
}

#[test]
fn chain_of_point_masses() {
    let model = load("chain", CHAIN, &[]);
    agrees(&model, "sphere-implicit-8", "point_chain", 800, 1e-13);
}

#[test]
fn chain_of_rods() {
    let model = load("rods", &CHAIN.replace("mass", "shape = \"rod\", mass"), &[]);
    agrees(&model, "sphere-implicit-8", "rod_chain", 800, 1e-13);
}

#[test]
fn second_order_converges_to_the_references() {
    // At t = 10 s the plain method of order 2 is off by a multiple of h² that the reference shows.
    let model = scenario("double-spherical-pendulum-as-published", &[]);
    let sample = reference("double_pendulum").samples.pop().unwrap();
    let error = |steps_per_second: u64| {
        let mut simulation = simulation(&model, "sphere-implicit", &Options::default());
        let step = 1.0 / steps_per_second as f64;
        simulation
            .run(
                &Schedule {
                    step,
                    steps: 10 * steps_per_second,
                    every: u64::MAX,
                },
                &mut [],
            )
            .unwrap();
        difference(&simulation, &sample).0
    };
    let (coarse, fine) = (error(100), error(400));
    assert!(
        ((coarse / fine).log2() / 2.0 - 2.0).abs() < 0.05,
        "{coarse:e}, {fine:e}"
    );
}

#[test]
fn spherical_pendulum_by_elliptic_functions() {
    let model = scenario("spherical-pendulum", &[]);
    agrees(&model, "sphere-explicit-8", "spherical_pendulum", 100, 1e-13);
    agrees(&model, "sphere-split-6", "spherical_pendulum", 100, 1e-13);
}

#[test]
fn three_bodies() {
    agrees(
        &scenario("three-bodies-on-a-sphere", &[]),
        "sphere-split-6",
        "three_bodies",
        1000,
        1e-13,
    );
}

#[test]
fn spring_coupled_pendula() {
    agrees(
        &scenario("spring-coupled-pendula", &[]),
        "sphere-split-6",
        "spring_pendula",
        1000,
        1e-12,
    );
}

#[test]
fn magnetic_dipoles() {
    agrees(
        &scenario("magnetic-dipoles-as-published", &[]),
        "sphere-split-6",
        "dipoles",
        400,
        1e-13,
    );
}

#[test]
fn conventional_methods_reach_the_same_end() {
    let model = scenario("double-spherical-pendulum-as-published", &[]);
    let sample = reference("double_pendulum").samples.pop().unwrap();
    for (name, tolerance) in [("dop853", 1e-11), ("rk45", 1e-9), ("rkf45", 1e-9)] {
        let options = Options {
            rtol: Some(1e-12),
            atol: Some(1e-13),
            ..Options::default()
        };
        let mut simulation = simulation(&model, name, &options);
        simulation
            .run(
                &Schedule {
                    step: 0.1,
                    steps: 100,
                    every: u64::MAX,
                },
                &mut [],
            )
            .unwrap();
        let (q, ..) = difference(&simulation, &sample);
        assert!(q < tolerance, "{name}: {q:e}");
    }
}

#[test]
fn icosphere_edges() {
    #[derive(serde::Deserialize)]
    struct Facts {
        vertices: usize,
        faces: usize,
        mean_edge: f64,
        edge_lengths: Vec<f64>,
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/references/icosphere.json");
    let facts: Facts = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mesh = holonomy::geometry::Icosphere::new(3);
    assert_eq!(
        (mesh.vertices.len(), mesh.faces.len()),
        (facts.vertices, facts.faces)
    );
    assert!((mesh.mean_edge() - facts.mean_edge).abs() < 1e-12);
    let mut lengths: Vec<f64> = mesh
        .faces
        .iter()
        .flat_map(|[a, b, c]| [(a, b), (b, c), (c, a)])
        .map(|(a, b)| (mesh.vertices[*a] - mesh.vertices[*b]).norm())
        .collect();
    lengths.sort_by(f64::total_cmp);
    lengths.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    assert_eq!(lengths.len(), facts.edge_lengths.len());
    assert!(
        lengths
            .iter()
            .zip(&facts.edge_lengths)
            .all(|(a, b)| (a - b).abs() < 1e-12)
    );
}

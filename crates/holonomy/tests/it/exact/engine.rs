//! The closed form and the engine.
use crate::common::{self, load, method, scenario};
use holonomy::{
    Vec3,
    exact::{SphericalMotion, SphericalPendulum},
    integrator::catalog::Options,
    simulation::{Schedule, Simulation},
    spheres::view,
    system::{Measurement, System},
};
use holonomy_model::Model;
use std::path::Path;

/// A model of one pendulum, l = 1 m, with its closed form.
fn engine(gravity: [f64; 3], direction: [f64; 3], angular_velocity: [f64; 3]) -> (Model, SphericalPendulum) {
    let text = format!(
        r#"
        body = [{{ name = "bob", mass = 1.0, length = 1.0, direction = {direction:?},
                   angular_velocity = {angular_velocity:?} }}]
        potential = [{{ kind = "gravity", acceleration = {gravity:?} }}]
        method = {{ name = "dop853" }}
        run = {{ step = 0.01, steps = 10 }}
        "#
    );
    let pendulum = SphericalPendulum::new(gravity.into(), direction.into(), angular_velocity.into());
    (load("pendulum", &text, &[]), pendulum)
}

/// Largest difference in direction, and in angular velocity, of a simulated state.
fn difference(simulation: &Simulation, expected: &SphericalMotion) -> (f64, f64) {
    let system: &dyn System = &**simulation.system();
    let mut measured = Measurement::default();
    system.measure(&simulation.state, &mut measured, &mut system.scratch());
    let (q, omega): (&[Vec3], &[Vec3]) = (view(&simulation.state.q), view(&measured.velocity));
    (
        (q[0] - expected.direction).amax(),
        (omega[0] - expected.angular_velocity).amax(),
    )
}

#[test]
fn closed_form_and_dop853_agree_over_a_hundred_periods() {
    let starts = [
        ([0.0, 0.0, 9.81], [0.6, 0.0, 0.8], [0.0, 1.0, 0.0]),
        ([0.0, 0.0, 9.81], [0.6, 0.0, 0.8], [-0.8, 0.5, 0.6]),
        ([0.0, 0.0, 9.81], [0.6, 0.0, 0.8], [-4.0, 5.0, 3.0]),
        ([0.0, 0.0, 9.81], [0.0, 1.0, 0.0], [0.0, 0.0, 0.1]),
        ([1.0, 2.0, -2.0], [0.48, 0.6, 0.64], [1.6, 0.0, -1.2]),
        ([1.0, 2.0, -2.0], [0.0, 0.0, 1.0], [0.0, 1e-4, 0.0]),
    ];
    for (gravity, direction, angular_velocity) in starts {
        let (model, pendulum) = engine(gravity, direction, angular_velocity);
        let unit = Vec3::from(gravity).norm().sqrt();
        let [loose, tight] = [1e-12, 1e-13].map(|rtol| {
            let options = Options {
                rtol: Some(rtol),
                atol: Some(rtol / 10.0),
                ..Options::default()
            };
            let integrator = method("dop853").build_with(&model.mechanism, &options).unwrap();
            let mut simulation = common::simulation_by(&model, integrator);
            let schedule = Schedule {
                step: 0.73 * pendulum.nutation_period(),
                steps: 137,
                every: u64::MAX,
            };
            simulation.run(&schedule, &mut []).unwrap();
            let (q, omega) = difference(&simulation, &pendulum.at(simulation.state.t));
            let t = simulation.state.t;
            println!(
                "{direction:?} {angular_velocity:?} rtol {rtol:e}: t = {t:.0} q {q:.1e} omega {omega:.1e}"
            );
            (q, omega / unit)
        });
        let start = format!("{direction:?} {angular_velocity:?}");
        // A hundred periods of ten steps or more, each with an error of up to the tolerance. At a turning point a
        // shift in time shows in the velocity only.
        assert!(tight.0 < 1e-10 && tight.1 < 1e-10, "{start}: {tight:?}");
        // What remains is the integrator's: it falls with the tolerance.
        assert!(
            tight.0 < loose.0 / 4.0 && tight.1 < loose.1 / 4.0,
            "{start}: {loose:?} {tight:?}"
        );
    }
}

#[test]
fn scenario_agrees_with_the_older_reference() {
    #[derive(serde::Deserialize)]
    struct Reference {
        samples: Vec<Sample>,
    }
    #[derive(serde::Deserialize)]
    struct Sample {
        t: f64,
        q: [[f64; 3]; 1],
        omega: [[f64; 3]; 1],
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/references/spherical_pendulum.json");
    let reference: Reference = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let model = scenario("spherical-pendulum", &[]);
    let simulation = model.simulation();
    let start = SphericalPendulum::new(
        Vec3::z() * 9.81,
        view(&simulation.state.q)[0],
        Vec3::new(-1.0, 0.0, 3.0_f64.sqrt()),
    );
    assert!(difference(&simulation, &start.at(0.0)).0 < 1e-15);
    for sample in reference.samples {
        let at = start.at(sample.t);
        let q = (at.direction - Vec3::from(sample.q[0])).amax();
        // In units of √(g/l), as the direction is in those of the length.
        let omega = (at.angular_velocity - Vec3::from(sample.omega[0])).amax() / 9.81_f64.sqrt();
        println!("t = {}: q {q:.1e} omega {omega:.1e}", sample.t);
        assert!(q < 1e-13 && omega < 1e-13, "{q:e} {omega:e}");
    }
}

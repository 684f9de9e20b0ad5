//! The discrete Hamel integrator of Zenkov–Leok–Bloch: m = 1 kg, g/r = 1 s⁻², h = 0.2 s, energies over m r².
use crate::common::{self, Problem, scenario};
use holonomy::{
    Vec3,
    diagnostics::{Record, distance, observed_order, reversal_error, symplecticity_defect},
    geometry::s2,
    integrator::{Integrator, SphereHamel, catalog::Options},
    potential::{Potential, Spring},
    simulation::{Schedule, Simulation},
    spheres::{Body, Spheres, SpheresParts, view},
    system::{Mechanism, State},
};
use std::sync::Arc;

/// A pendulum in gravity along −z, with more potentials.
fn bob(potentials: Vec<Box<dyn Potential>>) -> Spheres {
    Spheres::new(SpheresParts {
        bodies: vec![Body::point("bob", 1.0, 1.0)],
        gravity: -Vec3::z(),
        potentials,
        ..SpheresParts::default()
    })
    .unwrap()
}

/// `Γ₀ = (0.3, 0.2, −√0.87)`, `Ω₀ = (0.6, 0)`, put into space by a rotation R with `Rᵀe_z = Γ₀`.
fn pendulum() -> Problem {
    let spheres = bob(Vec::new());
    let up = Vec3::new(0.3, 0.2, -0.87_f64.sqrt());
    let basis = s2::tangent_basis(&up);
    let q = Vec3::new(basis[(2, 0)], basis[(2, 1)], up.z);
    let omega = Vec3::new(basis[(0, 0)], basis[(0, 1)], up.x) * 0.6;
    Problem::new("hamel pendulum", spheres, &[q], &[omega])
}

fn method(problem: &Problem) -> Box<dyn Integrator> {
    let Mechanism::Spheres(spheres) = &problem.mechanism else {
        panic!("on spheres")
    };
    Box::new(SphereHamel::new(spheres.clone(), 200).unwrap())
}

fn run(problem: &Problem, step: f64, steps: u64) -> (State, Record) {
    let (system, state) = (problem.mechanism.system(), problem.state.clone());
    let mut simulation = Simulation::new(system, method(problem), state, step);
    let mut record = Record::default();
    simulation
        .run(&schedule(step, steps), &mut [&mut record])
        .unwrap();
    (simulation.state, record)
}

fn schedule(step: f64, steps: u64) -> Schedule {
    Schedule {
        step,
        steps,
        every: 1,
    }
}

#[test]
fn first_steps_are_those_of_the_verified_reading() {
    // docs/reading.md, appendix A: Ω¹, Ω² and Γ³ after k steps. Frames differ, |Ω| and Γ³ do not.
    let printed: [(u64, [f64; 2], f64); 3] = [
        (1, [0.6284239427649099, -0.0594398681983021], -0.9519627801946946),
        (
            10,
            [-0.013451813447507371, -0.2993006035114957],
            -0.7976188065825676,
        ),
        (
            100,
            [0.6223499918073326, 0.16164006432550346],
            -0.9594614166577513,
        ),
    ];
    for (steps, [a, b], height) in printed {
        let (state, _) = run(&pendulum(), 0.2, steps);
        let (q, omega) = (view(&state.q)[0], view(&state.p)[0]);
        assert!((q.z - height).abs() < 1e-12, "{steps}: {}", q.z);
        assert!((omega.norm() - a.hypot(b)).abs() < 1e-12, "{steps}");
    }
}

#[test]
fn length_energy_and_vertical_momentum_are_kept_to_rounding() {
    // In SI units, over m r² = 96.04 kg m². One unit in the last place of E is 1.5e-16 of that.
    for (steps, bound) in [(10_000, 1e-15), (1_000_000, 1e-13)] {
        let model = scenario(
            "hamel-pendulum",
            &["run.duration=", &format!("run.steps={steps}")],
        );
        let (_, record, _) = common::run(&model);
        let unit = 9.8 * 9.8;
        let [(_, momentum)] = record.momenta[..] else {
            panic!("one axis of symmetry")
        };
        let errors = [
            record.manifold_max,
            record.energy.max_error / unit,
            momentum / unit,
        ];
        println!(
            "{steps} steps: length {:.1e} energy {:.1e} momentum {:.1e}",
            errors[0], errors[1], errors[2]
        );
        assert!(errors.iter().all(|e| *e <= bound), "{errors:?}");
    }
}

#[test]
#[ignore = "long: a million steps"]
fn elsewhere_than_in_uniform_gravity_only_length_is_kept() {
    // Two bodies and a spring, 10⁶ steps of 0.02 s. The method is symmetric, so the energy does not drift in this
    // motion; it is no longer exact, and the common momentum changes. Both errors are of order 2.
    let p = common::separate();
    let at = |step: f64| {
        let (_, record) = run(&p, step, (2e4 / step) as u64);
        assert!(record.manifold_max <= 5e-16);
        let fit = record.energy.drift().unwrap();
        println!(
            "h {step}: energy {:.1e} {fit:?} momentum {:.1e}",
            record.energy.max_error, record.momenta[0].1
        );
        assert!(fit.slope.abs() < 5.0 * fit.standard_error, "{fit:?}");
        [record.energy.max_error, record.momenta[0].1]
    };
    let (coarse, fine) = (at(0.02), at(0.01));
    for (coarse, fine) in coarse.into_iter().zip(fine) {
        assert!(
            fine > 1e-6 && ((coarse / fine).log2() - 2.0).abs() < 0.3,
            "{coarse:e} {fine:e}"
        );
    }
}

#[test]
fn stormer_verlet_and_rattle_swing_in_energy_and_hold_the_length() {
    // docs/reading.md 3.5: unit length, g = 1, 10⁴ steps of 0.2 s. Zenkov–Leok–Bloch prints 1e-11 and 1e-7 for the lengths.
    let p = pendulum();
    for (name, bound) in [("stormer-verlet", 1e-14), ("rattle", 5e-16)] {
        let mut simulation = p.simulation(common::method(name), &Options::default()).unwrap();
        let mut record = Record::default();
        simulation
            .run(&schedule(0.2, 10_000), &mut [&mut record])
            .unwrap();
        let fit = record.energy.drift().unwrap();
        println!(
            "{name}: length {:.1e} energy max {:.4e} mean {:.3e} {fit:?}",
            record.manifold_max, record.energy.max_error, record.energy.mean_error
        );
        assert!(record.manifold_max <= bound, "{name}: {:e}", record.manifold_max);
        assert!((record.energy.max_error - 1.498e-3).abs() < 5e-7);
        assert!((record.energy.mean_error - 7.5e-4).abs() < 5e-6);
        assert!(fit.slope.abs() < 3.0 * fit.standard_error, "{name}: {fit:?}");
        let defect =
            symplecticity_defect(&*p.mechanism.system(), simulation.integrator(), &p.state, 0.2).unwrap();
        assert!(defect < 1e-10, "{name}: {defect:e}");
    }
}

#[test]
fn it_is_symmetric_of_order_2_and_not_symplectic() {
    let (uniform, any) = (pendulum(), common::separate());
    for p in [&uniform, &any] {
        let reversal = reversal_error(&mut *method(p), &p.state, 0.1, 1.0).unwrap();
        assert!(reversal < 1e-14, "{}: {reversal:e}", p.name);
        let exact = p.reference(1.0);
        let counts = [64_u64, 128, 256];
        let errors = counts.map(|steps| distance(&run(p, 1.0 / steps as f64, steps).0, &exact));
        let order = observed_order(&counts.map(|steps| 1.0 / steps as f64), &errors);
        assert!((order - 2.0).abs() < 0.02, "{}: {order}", p.name);
    }
    // The paper claims zero. The size depends on the state and on the coordinates: 6.9e-4 at the point of docs/reading.md 3.4,
    // 8.7e-4 here in spherical angles, 3.6e-4 here in the coordinates and the unit of momentum of `canonical`. That it
    // is not zero and falls as h³ does not depend on them, nor does det J − 1 = −1.9e-4.
    let system = uniform.mechanism.system();
    let defect = |h| symplecticity_defect(&*system, &mut *method(&uniform), &uniform.state, h).unwrap();
    let (coarse, fine) = (defect(0.2), defect(0.1));
    println!("defect {coarse:.2e} at 0.2 s, {fine:.2e} at 0.1 s");
    assert!(
        (coarse / 3.56e-4 - 1.0).abs() < 0.01 && ((coarse / fine).log2() - 3.0).abs() < 0.05,
        "{coarse:e} {fine:e}"
    );
}

#[test]
fn the_cubic_and_the_iteration_agree() {
    // A spring of no strength takes the path for any potential.
    let p = pendulum();
    let Mechanism::Spheres(spheres) = &p.mechanism else {
        panic!("on spheres")
    };
    assert!(spheres.uniform_gradient().is_some());
    let nothing = Spring {
        between: [0, 0],
        stiffness: 0.0,
        length: 0.0,
    };
    let other = bob(vec![Box::new(nothing)]);
    assert!(other.uniform_gradient().is_none());
    let other = Problem {
        mechanism: Mechanism::Spheres(Arc::new(other)),
        state: p.state.clone(),
        name: "iterated",
    };
    let difference = distance(&run(&p, 0.2, 500).0, &run(&other, 0.2, 500).0);
    assert!(difference < 1e-12, "{difference:e}");
}

#[test]
fn it_passes_equator_and_poles_with_large_steps() {
    let mut p = pendulum();
    let Mechanism::Spheres(spheres) = &p.mechanism else {
        panic!("on spheres")
    };
    // Fast enough to go over the top, through both poles.
    p.state = spheres
        .state(&[Vec3::new(0.0, 0.0, -1.0)], &[Vec3::new(0.0, 2.5, 0.0)])
        .unwrap();
    for step in [0.2, 1.0, 2.5] {
        let (_, record) = run(&p, step, 2000);
        assert!(
            record.energy.max_error < 1e-12,
            "{step}: {:e}",
            record.energy.max_error
        );
    }
}

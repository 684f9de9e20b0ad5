//! Molecules in motion: what a smooth cut-off keeps, what a plain one loses, and restarts.
use super::{Random, bits_of, cutoff, lennard_jones};
use holonomy::{
    Vec3,
    geometry::{Icosphere, s2},
    integrator::catalog::find,
    potential::{Cutoff, LennardJones, NearPairs, PairLaw, Potential, Symmetry},
    simulation::Simulation,
    spheres::{Body, Spheres, SpheresParts},
    system::{Measurement, Mechanism},
};
use std::sync::Arc;

const EPSILON: f64 = 0.01;

/// A plain cut-off: the energy of the law up to a distance, and nothing beyond.
struct Plain {
    law: LennardJones,
    outer: f64,
}

impl Potential for Plain {
    fn energy(&self, points: &[Vec3]) -> f64 {
        let mut total = 0.0;
        for (i, a) in points.iter().enumerate() {
            for b in &points[..i] {
                let s = (a - b).norm_squared();
                total += if s < self.outer * self.outer {
                    self.law.at(s).0
                } else {
                    0.0
                };
            }
        }
        total
    }

    fn add_gradient(&self, points: &[Vec3], gradient: &mut [Vec3]) {
        for (i, a) in points.iter().enumerate() {
            for (j, b) in points[..i].iter().enumerate() {
                let s = (a - b).norm_squared();
                if s < self.outer * self.outer {
                    let on_a = (a - b) * (2.0 * self.law.at(s).1);
                    gradient[i] += on_a;
                    gradient[j] -= on_a;
                }
            }
        }
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::All
    }
}

/// 162 molecules that move at random, fast enough to change neighbours.
fn simulation(potential: impl FnOnce(f64, usize) -> Box<dyn Potential>) -> (Simulation, Arc<Spheres>) {
    let mesh = Icosphere::new(2);
    let sigma = mesh.mean_edge() / 2.0_f64.powf(1.0 / 6.0);
    let q = mesh.vertices;
    let bodies = (0..q.len()).map(|k| Body::point(format!("molecule-{k}"), 1.0, 1.0));
    let spheres = Spheres::new(SpheresParts {
        bodies: bodies.collect(),
        potentials: vec![potential(sigma, q.len())],
        ..SpheresParts::default()
    });
    let spheres = Arc::new(spheres.unwrap());
    let mut random = Random(11);
    let mut part = || 0.3 * (random.next() - 0.5);
    let omega: Vec<Vec3> = q
        .iter()
        .map(|q| s2::tangent(q, &Vec3::new(part(), part(), part())))
        .collect();
    let mechanism = Mechanism::Spheres(spheres.clone());
    let method = find("sphere-explicit").unwrap();
    let integrator = method.build(&mechanism).unwrap();
    let state = spheres.state(&q, &omega).unwrap();
    let simulation = Simulation::new(mechanism.system(), integrator, state, 0.005);
    (simulation, spheres)
}

fn smooth(sigma: f64, count: usize) -> Box<dyn Potential> {
    let cutoff = Cutoff::new(2.0 * sigma, 2.5 * sigma, 0.3 * sigma).unwrap();
    Box::new(NearPairs::new(
        LennardJones::new(EPSILON, sigma, 1.0),
        count,
        cutoff,
    ))
}

fn plain(sigma: f64, _: usize) -> Box<dyn Potential> {
    Box::new(Plain {
        law: LennardJones::new(EPSILON, sigma, 1.0),
        outer: 2.5 * sigma,
    })
}

fn measure(simulation: &Simulation) -> Measurement {
    let mut out = Measurement::default();
    let system = simulation.system();
    system.measure(&simulation.state, &mut out, &mut system.scratch());
    out
}

/// The largest errors of energy and momentum over a run, with steps of `h`.
fn errors(mut simulation: Simulation, h: f64, steps: u32) -> (f64, f64) {
    let start = measure(&simulation);
    let (mut energy, mut momentum) = (0.0_f64, 0.0_f64);
    for step in 1..=steps {
        simulation.step_by(h).unwrap();
        if step % 20 == 0 {
            let now = measure(&simulation);
            energy = energy.max((now.energy.total() - start.energy.total()).abs());
            let changes = now
                .invariants
                .iter()
                .zip(&start.invariants)
                .map(|(a, b)| (a - b).abs());
            momentum = changes.fold(momentum, f64::max);
        }
    }
    (energy, momentum)
}

#[test]
fn smooth_cutoffs_conserve_energy_and_plain_ones_do_not() {
    let run = |potential: fn(f64, usize) -> Box<dyn Potential>, h: f64, steps| {
        let (simulation, spheres) = simulation(potential);
        let (energy, momentum) = errors(simulation, h, steps);
        (energy, momentum, spheres.list_work())
    };
    let (coarse, _, _) = run(smooth, 0.01, 2000);
    let (fine, momentum, work) = run(smooth, 0.0025, 8000);
    let (jumps, _, _) = run(plain, 0.0025, 8000);
    println!("energy: smooth {coarse:e} at 0.01, {fine:e} at 0.0025, plain {jumps:e}; {work:?}");
    // The method has order 2 and conserves a nearby energy: a quarter of the step, a sixteenth of the error. Half of
    // that gain is asked for.
    assert!(fine < coarse / 8.0, "{coarse:e} {fine:e}");
    // The energy of the plain cut-off jumps by f(2.5σ) = 0.0163ε whenever a pair passes it, whatever the step.
    assert!(
        jumps > 10.0 * fine && jumps > 0.0163 * EPSILON,
        "{jumps:e} {fine:e}"
    );
    // Rounding of 162 momenta of size 0.1 in 8000 steps, as a random walk: 1e-17·√(162·8000).
    assert!(momentum < 1e-13, "{momentum:e}");
    let work = work.unwrap();
    assert!(
        work.rebuilds > 5 && work.rebuilds < work.evaluations / 5,
        "{work:?}"
    );
}

#[test]
fn restarts_with_new_lists_are_exact() {
    let (mut straight, _) = simulation(smooth);
    let (mut second, _) = simulation(smooth);
    for k in 0..400 {
        straight.step_by(0.005).unwrap();
        if k % 37 == 0 {
            // A new system, with lists of its own, goes on from here.
            (second, _) = simulation(smooth);
            second.state = straight.state.clone();
        } else {
            second.step_by(0.005).unwrap();
        }
        let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&straight.state.q), bits(&second.state.q), "step {k}");
        assert_eq!(bits(&straight.state.p), bits(&second.state.p), "step {k}");
    }
}

#[test]
fn threads_do_not_change_a_motion() {
    let run = || {
        let mesh = Icosphere::new(4);
        let sigma = mesh.mean_edge() / 2.0_f64.powf(1.0 / 6.0);
        let potential = smooth(sigma, mesh.vertices.len());
        // 2562 molecules: enough for threads to be used.
        let mut q = mesh.vertices.clone();
        let mut gradient = q.clone();
        for _ in 0..30 {
            gradient.fill(Vec3::zeros());
            potential.add_gradient(&q, &mut gradient);
            for (q, g) in q.iter_mut().zip(&gradient) {
                *q = (*q - g * 0.05).normalize();
            }
        }
        let energy = potential.energy(&q);
        q.iter()
            .flat_map(|q| [q.x, q.y, q.z])
            .chain([energy])
            .map(f64::to_bits)
            .collect::<Vec<_>>()
    };
    let alone = run();
    for threads in [2, 3] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        assert!(pool.install(run) == alone, "{threads} threads");
    }
}

#[test]
fn a_few_that_wander_among_many_at_rest() {
    let mut random = Random(9);
    let count = 1000;
    let cutoff = cutoff(count);
    let mut points = random.directions(count);
    let old = NearPairs::new(lennard_jones(count), count, cutoff);
    let wanderers: Vec<(usize, Vec3)> = (0..20).map(|k| (k * 37, random.direction())).collect();
    for step in 0..200 {
        let new = NearPairs::new(lennard_jones(count), count, cutoff);
        assert_eq!(bits_of(&old, &points), bits_of(&new, &points), "step {step}");
        for (k, (wanderer, axis)) in wanderers.iter().enumerate() {
            let q = &mut points[*wanderer];
            // Most go their way around an axis; some are somewhere else at once, and back again.
            *q = match (k, step % 40) {
                (0..4, 20) => -*q,
                _ => (*q + axis.cross(q) * (0.1 * k as f64 * cutoff.skin())).normalize(),
            };
        }
    }
    let work = old.list_work().unwrap();
    // Two evaluations a step. In 200 steps a wanderer goes up to 400 skins and needs a list for every half a skin, if
    // not for the way it is given ahead: 20·400 lists at most, not 400·1000, and as many again if they are sorted.
    assert!(work.evaluations == 400 && work.rebuilds <= 16, "{work:?}");
}

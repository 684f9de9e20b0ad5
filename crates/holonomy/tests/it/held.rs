//! Chains with both ends held, on spheres: against RATTLE written out in positions, closed forms and the catenary.
use crate::common::{self, Problem, load, method};
use holonomy::{
    Vec3,
    diagnostics::Record,
    integrator::{Integrator, catalog::Options},
    simulation::Schedule,
    spheres::view,
    system::{Measurement, State},
};
use nalgebra::{DMatrix, DVector};

/// How much one step changes the symplectic form of two directions in which a held chain can be moved, relative to
/// their sizes. The form is that of all coordinates: states and images are closed.
pub(crate) fn defect_of_form(p: &Problem, integrator: &mut dyn Integrator, h: f64) -> f64 {
    let system = p.mechanism.system();
    let n = p.state.q.len();
    let mut velocity = vec![0.0; n];
    system.velocity(0.0, &p.state.q, &p.state.p, &mut velocity, &mut system.scratch());
    // Any two directions, made possible by the projection.
    let wave = |i: usize, k: f64| (k * i as f64 + 0.4).sin();
    let moved = |by: f64, way: f64| {
        let (mut q, mut v) = (p.state.q.clone(), velocity.clone());
        for i in 0..n {
            q[i] += by * wave(i, 1.3 + way);
            v[i] += by * wave(i, 2.1 - way);
        }
        system.project(&mut q, &mut v);
        let mut momentum = vec![0.0; n];
        system.momentum(0.0, &q, &v, &mut momentum, &mut system.scratch());
        State::new(0.0, q, momentum)
    };
    let mut image = moved(0.0, 0.0);
    let origins = {
        let before = image.q.clone();
        integrator.attempt(&mut image, h).unwrap();
        [before, image.q]
    };
    // Central differences of order 6, as for the full defect.
    let offset = 5e-3;
    let mut ways = [[0.0, 0.6]; 2].map(|ways| ways.map(|_| (DVector::zeros(0), DVector::zeros(0))));
    for (number, way) in [0.0, 0.6].into_iter().enumerate() {
        let mut sums: [Option<(DVector<f64>, DVector<f64>)>; 2] = [None, None];
        for (multiple, weight) in [(1.0, 0.75), (2.0, -0.15), (3.0, 1.0 / 60.0)] {
            for sign in [1.0, -1.0] {
                let mut state = moved(sign * multiple * offset, way);
                for (side, origin) in origins.iter().enumerate() {
                    if side == 1 {
                        integrator.attempt(&mut state, h).unwrap();
                    }
                    let (x, y) = system.canonical(origin, &state.q, &state.p);
                    let factor = sign * weight / offset;
                    let (x, y) = (DVector::from(x) * factor, DVector::from(y) * factor);
                    sums[side] = Some(match sums[side].take() {
                        Some((a, b)) => (a + x, b + y),
                        None => (x, y),
                    });
                }
            }
        }
        for (side, sum) in sums.into_iter().enumerate() {
            ways[side][number] = sum.unwrap();
        }
    }
    let form = |side: usize| {
        let [(x1, y1), (x2, y2)] = &ways[side];
        x1.dot(y2) - x2.dot(y1)
    };
    let sizes: f64 = ways[0].iter().map(|(x, y)| x.norm().max(y.norm())).product();
    (form(1) - form(0)).abs() / sizes
}

/// RATTLE on the positions of the masses between two fixed points, by dense elimination: nothing of it is shared with
/// the engine.
struct Rattle {
    masses: Vec<f64>,
    lengths: Vec<f64>,
    ends: [Vec3; 2],
    gravity: Vec3,
    r: Vec<Vec3>,
    v: Vec<Vec3>,
}

/// From each point to the next, between two ends.
fn links(ends: [Vec3; 2], r: &[Vec3]) -> Vec<Vec3> {
    let all: Vec<Vec3> = [&ends[..1], r, &ends[1..]].concat();
    all.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

impl Rattle {
    /// What forces along the links do to the masses.
    fn act(&self, links: &[Vec3], tensions: &DVector<f64>) -> Vec<Vec3> {
        let pull = |k: usize| links[k] * tensions[k];
        let each = self.masses.iter().enumerate();
        each.map(|(k, mass)| (pull(k + 1) - pull(k)) / *mass).collect()
    }

    /// How much unit tensions lengthen the links along the given vectors.
    fn matrix(&self, now: &[Vec3], along: &[Vec3]) -> DMatrix<f64> {
        let n = now.len();
        let mut matrix = DMatrix::zeros(n, n);
        for j in 0..n {
            let unit = DVector::from_fn(n, |i, _| f64::from(i == j));
            let longer = links([Vec3::zeros(); 2], &self.act(now, &unit));
            (0..n).for_each(|i| matrix[(i, j)] = along[i].dot(&longer[i]));
        }
        matrix
    }

    fn step(&mut self, h: f64) {
        let before = links(self.ends, &self.r);
        let n = before.len();
        let half: Vec<Vec3> = self.v.iter().map(|v| v + self.gravity * (0.5 * h)).collect();
        let mut tensions = DVector::zeros(n);
        let mut next = self.r.clone();
        for _ in 0..30 {
            let moves = self.act(&before, &tensions);
            for k in 0..next.len() {
                next[k] = self.r[k] + half[k] * h + moves[k];
            }
            let now = links(self.ends, &next);
            let longer = |i: usize| 0.5 * (now[i].norm_squared() - self.lengths[i] * self.lengths[i]);
            let residual = DVector::from_fn(n, |i, _| longer(i));
            tensions -= self.matrix(&before, &now).lu().solve(&residual).unwrap();
        }
        for k in 0..next.len() {
            self.v[k] = (next[k] - self.r[k]) / h + self.gravity * (0.5 * h);
        }
        self.r = next;
        // Velocities along the links vanish.
        let now = links(self.ends, &self.r);
        let speeds = links([Vec3::zeros(); 2], &self.v);
        let along = DVector::from_fn(n, |i, _| -now[i].dot(&speeds[i]));
        let impulses = self.matrix(&now, &now).lu().solve(&along).unwrap();
        let change = self.act(&now, &impulses);
        self.v.iter_mut().zip(change).for_each(|(v, change)| *v += change);
    }
}

fn chain(keys: &str, overrides: &[&str]) -> holonomy_model::Model {
    let text = format!(
        "[chain]\nlinks = 7\nmass = 0.2\nlength = 0.3\n{keys}\n[[potential]]\nkind = \"gravity\"\n\
         acceleration = [0, 0, -9.81]\n[method]\nname = \"sphere-implicit\"\n[run]\nstep = 0.002\nduration = 1\n"
    );
    load("held", &text, overrides)
}

const THROWN: &str = "end = [1.1, 0.3, 0.2]\ndirection = [0.8, 0.6, 0]\nend_direction = [0.6, -0.8, 0]\n\
                      angular_velocity = [0.3, 0.4, 1.1]";

#[test]
fn steps_are_those_of_rattle_on_the_positions() {
    let model = chain(THROWN, &[]);
    let system = model.mechanism.system();
    let n = 7;
    let places = |state: &State| {
        let mut sites = vec![Vec3::zeros(); n];
        system.sites(state.t, &state.q, &mut sites);
        sites
    };
    let mut omega = vec![0.0; 3 * n];
    let start = &model.state;
    system.velocity(0.0, &start.q, &start.p, &mut omega, &mut system.scratch());
    let (mut speeds, mut sum) = (Vec::new(), Vec3::zeros());
    for (q, omega) in view(&start.q).iter().zip(view(&omega)) {
        sum += omega.cross(q) * 0.3;
        speeds.push(sum);
    }
    // The projection of the start leaves the end at rest.
    assert!(speeds[n - 1].norm() < 1e-15, "{}", speeds[n - 1]);
    let mut rattle = Rattle {
        masses: vec![0.2; n - 1],
        lengths: vec![0.3; n],
        ends: [Vec3::zeros(), Vec3::new(1.1, 0.3, 0.2)],
        gravity: Vec3::new(0.0, 0.0, -9.81),
        r: places(start)[..n - 1].to_vec(),
        v: speeds[..n - 1].to_vec(),
    };
    let mut simulation = model.simulation();
    for step in 1..=400 {
        simulation.step_by(0.002).unwrap();
        rattle.step(0.002);
        let ours = places(&simulation.state);
        let apart = (0..n - 1).map(|k| (ours[k] - rattle.r[k]).norm());
        let apart = apart.fold(0.0, f64::max);
        // Rounding of 400 steps of a motion whose errors grow about a hundredfold in its 0.8 s.
        assert!(apart < 1e-11, "{step}: {apart:e}");
    }
}

#[test]
fn what_it_carries_saves_iterations() {
    let model = chain(THROWN, &[]);
    let (mut warm, mut fresh) = (model.simulation(), model.simulation());
    let (mut iterations, mut from_scratch) = (0, 0);
    for _ in 0..300 {
        iterations += warm.step_by(0.002).unwrap().iterations;
        fresh.state.carry.clear();
        from_scratch += fresh.step_by(0.002).unwrap().iterations;
    }
    println!("{iterations} with it, {from_scratch} without");
    // About two a step with it, four without.
    assert!(
        iterations <= 620 && from_scratch >= 1000,
        "{iterations} {from_scratch}"
    );
}

#[test]
fn one_mass_between_two_points_is_a_pendulum() {
    // Two links of 0.5 m over 0.6 m: a circle of 0.4 m about the line, which is level.
    let text = r#"
        chain = { links = 2, mass = 1.5, length = 0.5, end = [0.6, 0, 0], direction = [0.6, 0.64, -0.48] }
        potential = [{ kind = "gravity", acceleration = [0, 0, -9.81] }]
        start = [{ body = 2, direction = [0.6, -0.64, 0.48] }]
        method = { name = "dop853", rtol = 1e-13, atol = 1e-13 }
        run = { step = 0.1, steps = 30 }
    "#;
    let model = load("two links", text, &[]);
    let mut simulation = model.simulation();
    simulation.run(&model.schedule, &mut []).unwrap();
    let pendulum = r#"
        body = [{ mass = 1.5, length = 0.4, direction = [0, 0.8, -0.6] }]
        potential = [{ kind = "gravity", acceleration = [0, 0, -9.81] }]
        method = { name = "dop853", rtol = 1e-13, atol = 1e-13 }
        run = { step = 0.1, steps = 30 }
    "#;
    let pendulum = load("pendulum", pendulum, &[]);
    let mut alone = pendulum.simulation();
    alone.run(&pendulum.schedule, &mut []).unwrap();
    let (first, direction) = (view(&simulation.state.q)[0] * 0.5, view(&alone.state.q)[0]);
    let place = Vec3::new(0.3, 0.0, 0.0) + direction * 0.4;
    assert!((first - place).norm() < 1e-10, "{first} {place}");
    // The rod of the pendulum pulls with m (v²/ρ − g·u); half of that at each end, across the line, and the thrust
    // along it that links at this slope have. The second mass rests on its point.
    let mut measured = Measurement::default();
    let system = &simulation.system();
    system.measure(&simulation.state, &mut measured, &mut system.scratch());
    let omega = view(&alone.state.p)[0].norm() / (1.5 * 0.4 * 0.4);
    let pull = 1.5 * (0.4 * omega * omega + 9.81 * -direction.z);
    let weight = Vec3::new(0.0, 0.0, -9.81 * 1.5);
    // g is where the tip is too far, and λ the force on the point: that of the last link and of the mass there.
    let expected = direction * (0.5 * pull) - Vec3::x() * (0.5 * pull * 0.3 / 0.4) + weight;
    let found = Vec3::from_column_slice(&measured.multipliers);
    assert!((found - expected).norm() < 1e-8, "{found} {expected}");
    assert!(measured.constraint.unwrap() < 1e-10);
}

#[test]
fn without_directions_a_chain_hangs_at_rest() {
    let model = chain("end = [1.1, 0.3, 0.2]", &["run.duration=10"]);
    let (simulation, record, _) = common::run(&model);
    let pairs = model.state.q.iter().zip(&simulation.state.q);
    let apart = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    // The shape is found by bisection, to rounding; 5000 steps with rounding errors in the forces.
    assert!(apart < 1e-10, "{apart:e}");
    assert!(record.constraint.unwrap() < 2e-15);
    let mut measured = Measurement::default();
    let system = &simulation.system();
    system.measure(&model.state, &mut measured, &mut system.scratch());
    let mut sites = vec![Vec3::zeros(); 7];
    system.sites(model.state.t, &model.state.q, &mut sites);
    // Moments about the first point: the other bears, across, what balances the weights.
    let span = Vec3::new(1.1, 0.3, 0.2);
    let weight = Vec3::new(0.0, 0.0, -9.81 * 0.2);
    let torque: Vec3 = sites.iter().map(|r| r.cross(&weight)).sum();
    let lambda = Vec3::from_column_slice(&measured.multipliers);
    assert!((span.cross(&lambda) - torque).norm() < 1e-12, "{lambda}");
}

#[test]
fn ends_stay_and_energy_does_not_drift() {
    for name in ["sphere-implicit", "sphere-implicit-4"] {
        let p = common::held();
        let mut simulation = p.simulation(method(name), &Options::default()).unwrap();
        let mut record = Record::default();
        let schedule = Schedule {
            step: 0.01,
            steps: 300_000,
            every: 7,
        };
        simulation.run(&schedule, &mut [&mut record]).unwrap();
        // What rounding opens is closed by every next step.
        assert!(record.constraint.unwrap() < 2e-15, "{:?}", record.constraint);
        let [(first, change)] = record.momenta[..] else {
            panic!("{:?}", record.momenta)
        };
        // A random walk of roundings.
        assert!(change < 1e-12 * first.abs().max(1.0), "{first} {change:e}");
        let fit = record.energy.drift().unwrap();
        let line = fit.slope.abs() * 3000.0;
        println!("{name}: {fit:?} {:e}", record.energy.max_error);
        assert!(line < 0.1 * record.energy.max_error, "{name}: {fit:?}");
    }
}

#[test]
fn a_loop_keeps_all_momenta_without_gravity() {
    let text = r#"
        chain = { links = 6, mass = 0.3, length = 0.4, end = [0, 0, 0], direction = [1, 0, 0], end_direction = [-0.6, 0.8, 0],
                  angular_velocity = [0.5, 0.2, 1] }
        method = { name = "sphere-implicit" }
        run = { step = 0.005, duration = 50 }
    "#;
    let model = load("loop", text, &[]);
    let (_, record, _) = common::run(&model);
    assert_eq!(record.momenta.len(), 3);
    for (first, change) in &record.momenta {
        assert!(*change < 1e-13, "{first} {change:e}");
    }
    assert!(record.constraint.unwrap() < 2e-15);
}

#[test]
fn what_is_near_is_closed_with_velocities_that_leave_it_so() {
    let p = common::held();
    let system = p.mechanism.system();
    let mut q: Vec<f64> = p
        .state
        .q
        .iter()
        .enumerate()
        .map(|(i, q)| q + 0.3 * (i as f64).sin())
        .collect();
    let mut v: Vec<f64> = (0..q.len()).map(|i| (1.7 * i as f64).cos()).collect();
    system.project(&mut q, &mut v);
    let lengths = [1.0, 0.9, 1.1, 0.8];
    let (mut tip, mut speed) = (Vec3::zeros(), Vec3::zeros());
    for ((q, omega), length) in view(&q).iter().zip(view(&v)).zip(lengths) {
        assert!((q.norm() - 1.0).abs() < 4e-16 && q.dot(omega).abs() < 1e-15);
        tip += q * length;
        speed += omega.cross(q) * length;
    }
    assert!((tip - Vec3::new(0.0, 0.0, 3.2)).norm() < 1e-15, "{tip}");
    assert!(speed.norm() < 2e-15, "{speed}");
    // A second time changes nothing but roundings.
    let (mut again, mut v_again) = (q.clone(), v.clone());
    system.project(&mut again, &mut v_again);
    assert!(again.iter().zip(&q).all(|(a, b)| (a - b).abs() < 1e-15));
}

#[test]
fn methods_that_cannot_hold_an_end_say_so() {
    let p = common::held();
    for name in [
        "sphere-explicit",
        "sphere-split",
        "rattle",
        "stormer-verlet",
        "sphere-hamel",
    ] {
        assert!(
            p.simulation(method(name), &Options::default()).is_none(),
            "{name}"
        );
    }
    let options = Options {
        fixed_point: true,
        ..Options::default()
    };
    let refused = method("sphere-implicit")
        .build_with(&p.mechanism, &options)
        .err()
        .unwrap();
    assert!(refused.to_string().contains("both ends held"), "{refused}");
}

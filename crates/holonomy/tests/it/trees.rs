//! Trees of rigid bodies.
mod answers;
mod armature;
mod beams;
mod carry;
mod corners;
mod crane;
mod drag;
mod drives;
mod eight;
mod ends;
mod families;
mod feedback;
mod link_models;
mod links;
mod loops;
mod mujoco;
mod no_value;
mod one_sided;
mod plank;
mod random;
mod rolling;
mod scissor;
mod steps;
mod ropes;
mod stewart;
mod tables;
mod tensioned;
mod tethers;
mod trep;

use holonomy::{
    system::{State, System},
    tree::Tree,
};
use random::{Random, Slow, slope};

/// A configuration and velocities that are special in no way.
fn anywhere(tree: &Tree, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut random = Random::new(seed);
    let mut q = tree.zero(0.7);
    q.iter_mut().for_each(|x| *x += 0.9 * random.next());
    let mut v: Vec<f64> = (0..tree.velocities()).map(|_| 1.5 * random.next()).collect();
    tree.project(&mut q, &mut v);
    (tree.state(0.7, &q, &v).unwrap().q, v)
}

fn largest(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Differences are of order 8 with steps near 0.02; the numbers compared are of order 10 to 1000.
const SLOW: f64 = 1e-9;

#[test]
fn energy_momentum_and_mass_of_random_trees_agree_with_differences_of_positions() {
    for seed in 0..200 {
        let (tree, slow) = random::tree(seed, 10);
        let (q, v) = anywhere(&tree, seed);
        let (t, n) = (0.7, v.len());
        let state = tree.state(t, &q, &v).unwrap();
        let zero = vec![0.0; n];
        let energy = tree.energy(&state);
        let scale = 1.0 + energy.kinetic + energy.potential.abs();
        let (kinetic, potential) = (slow.kinetic(t, &q, &zero, &v), slow.potential(t, &q, &zero));
        assert!(
            (energy.kinetic - kinetic).abs() < SLOW * scale,
            "{seed}: {energy:?} {kinetic}"
        );
        assert!(
            (energy.potential - potential).abs() < 1e-13 * scale,
            "{seed}: {energy:?} {potential}"
        );
        let momentum = slow.momentum(t, &q, &zero, &v);
        assert!(
            largest(&state.p, &momentum) < SLOW * scale,
            "{seed}: {:?} {momentum:?}",
            state.p
        );
        let mut back = vec![0.0; n];
        tree.velocity(t, &q, &state.p, &mut back, &mut tree.scratch());
        assert!(largest(&v, &back) < 1e-11, "{seed}: {v:?} {back:?}");
        let mass = tree.mass_matrix(&q);
        for j in 0..n {
            let mut moved = v.clone();
            moved[j] += 1.0;
            let column: Vec<f64> = slow
                .momentum(t, &q, &zero, &moved)
                .iter()
                .zip(&momentum)
                .map(|(a, b)| a - b)
                .collect();
            let ours: Vec<f64> = (0..n).map(|i| mass[i * n + j]).collect();
            assert!(largest(&ours, &column) < SLOW * scale, "{seed}, column {j}");
        }
    }
}

/// `d/dt ∂L/∂ẋ − ∂L/∂x` in the chart around q, where ẋ = v and ẍ = v̇, all by differences.
fn residual(slow: &Slow, mass: &[f64], q: &[f64], v: &[f64], dv: &[f64]) -> Vec<f64> {
    let (t, n, step) = (0.7, v.len(), 0.02);
    (0..n)
        .map(|i| {
            let inertial: f64 = (0..n).map(|j| mass[i * n + j] * dv[j]).sum();
            let drift = slope(step, |s| {
                let x: Vec<f64> = v.iter().map(|v| s * v).collect();
                slow.momentum(t + s, q, &x, v)[i]
            });
            let force = slope(step, |s| {
                let mut x = vec![0.0; n];
                x[i] = s;
                slow.kinetic(t, q, &x, v) - slow.potential(t, q, &x)
            });
            inertial + drift - force
        })
        .collect()
}

#[test]
fn accelerations_of_random_trees_satisfy_the_equations_of_lagrange() {
    for seed in 0..200 {
        let (tree, slow) = random::tree(seed, 5);
        let (q, v) = anywhere(&tree, seed);
        let (mut dq, mut dv) = (vec![0.0; q.len()], vec![0.0; v.len()]);
        tree.rate(0.7, &q, &v, &mut dq, &mut dv, &mut tree.scratch());
        let mass = tree.mass_matrix(&q);
        let state: State = tree.state(0.7, &q, &v).unwrap();
        let energy = tree.energy(&state);
        let scale = 10.0 + energy.kinetic + energy.potential.abs();
        let left = residual(&slow, &mass, &q, &v, &dv);
        let worst = left.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
        assert!(worst < SLOW * scale, "{seed}: {left:?}");
    }
}

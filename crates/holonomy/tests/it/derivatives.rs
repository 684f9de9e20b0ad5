//! What is measured of a linearised step, for any method: against differences, against its transpose, and as a map that
//! keeps areas.
use crate::common::scenario;
use holonomy::{
    derivative::{Change, along},
    integrator::{Fault, Integrator},
    system::{Mechanism, State, System},
    tree::{Tree, assemble},
};
use holonomy_model::scenario::SCENARIOS;

/// Trees: golden numbers, conserved momenta, what cannot be linearised.
mod trees;

/// The largest errors, each as a fraction of the largest number that it is an error of.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Errors {
    /// Of what is pushed, against differences.
    pub(crate) push: f64,
    /// Of multipliers, likewise.
    pub(crate) lambda: f64,
    /// Of what is pulled against what is pushed.
    pub(crate) pull: f64,
    /// Of the symplectic form.
    pub(crate) area: f64,
}

/// Numbers between −1 and 1 that repeat nothing.
pub(crate) fn some(seed: usize, count: usize) -> Vec<f64> {
    (0..count)
        .map(|k| (1.0 + 1.7 * k as f64 + 2.9 * seed as f64 + 0.3 * (k * seed) as f64).sin())
        .collect()
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let off = a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
    off / largest(b).max(1e-300)
}

/// Sum of products, and of their sizes.
fn dot(a: &[f64], b: &[f64]) -> (f64, f64) {
    a.iter()
        .zip(b)
        .fold((0.0, 0.0), |(s, t), (a, b)| (s + a * b, t + (a * b).abs()))
}

/// Measures a step of size h from the middle of curves of states.
pub(crate) fn errors(
    system: &dyn System,
    method: &mut dyn Integrator,
    h: f64,
    offsets: &[f64],
    curves: &[&dyn Fn(f64) -> State],
) -> Result<Errors, Fault> {
    let mut before = curves[0](0.0);
    before.carry.clear();
    before.lambda.clear();
    let mut after = before.clone();
    method.attempt(&mut after, h)?;
    let mut solution = Vec::new();
    let known = method.differentiable().expect("it has derivatives");
    known.solution(&mut solution);
    known.linearise(&before, h, &solution)?;
    let mut out = Errors::default();
    let mut pairs = Vec::new();
    for (k, curve) in curves.iter().enumerate() {
        let mut best = (f64::INFINITY, f64::INFINITY, None);
        for offset in offsets {
            let (start, end) = along(system, method, h, *offset, curve)?;
            let mut pushed = start.clone();
            method.differentiable().expect("it has").push(&mut pushed);
            let push = apart(&pushed.x, &end.x).max(apart(&pushed.y, &end.y));
            let lambda = if end.lambda.is_empty() {
                0.0
            } else {
                apart(&pushed.lambda, &end.lambda)
            };
            best = (best.0.min(push), best.1.min(lambda), Some((start, pushed)));
        }
        let (push, lambda, Some((start, pushed))) = best else {
            continue;
        };
        out.push = out.push.max(push);
        out.lambda = out.lambda.max(lambda);
        // With a gradient of any direction, in the units of both ends.
        let unit = largest(&pushed.x).max(1e-300) / largest(&pushed.y).max(1e-300);
        let mut gradient = Change {
            x: some(k, pushed.x.len()),
            y: some(k + 7, pushed.y.len()).iter().map(|y| y * unit).collect(),
            lambda: vec![0.0; pushed.lambda.len()],
            equations: Vec::new(),
        };
        let end = [dot(&gradient.x, &pushed.x), dot(&gradient.y, &pushed.y)];
        method.differentiable().expect("it has").pull(&mut gradient);
        let start_sums = [dot(&gradient.x, &start.x), dot(&gradient.y, &start.y)];
        let sum = |parts: [(f64, f64); 2]| (parts[0].0 + parts[1].0, parts[0].1 + parts[1].1);
        let (a, b) = (sum(end), sum(start_sums));
        out.pull = out.pull.max((a.0 - b.0).abs() / a.1.max(b.1));
        pairs.push((start, pushed));
    }
    for (k, (a, pushed_a)) in pairs.iter().enumerate() {
        for (b, pushed_b) in &pairs[..k] {
            let area = |a: &Change, b: &Change| {
                let (xy, yx) = (dot(&a.x, &b.y), dot(&a.y, &b.x));
                (xy.0 - yx.0, xy.1 + yx.1)
            };
            let (start, end) = (area(a, b), area(pushed_a, pushed_b));
            out.area = out.area.max((end.0 - start.0).abs() / end.1.max(start.1));
        }
    }
    Ok(out)
}

/// A curve of states of a tree on its constraints, special in no way.
pub(crate) fn curve(tree: &Tree, q: &[f64], v: &[f64], k: usize) -> impl Fn(f64) -> State {
    let n = tree.velocities();
    let off: Vec<f64> = some(100, n).iter().map(|x| 0.05 * x).collect();
    let (by, faster) = (some(k + 1, n), some(k + 51, n));
    let v: Vec<f64> = v.iter().zip(some(99, n)).map(|(v, x)| v + 0.3 * x).collect();
    move |s| {
        let moved: Vec<f64> = off.iter().zip(&by).map(|(x, by)| x + s * by).collect();
        let q = tree.displaced_on_constraints(q, &moved).expect("it closes");
        let v: Vec<f64> = v.iter().zip(&faster).map(|(v, x)| v + s * x).collect();
        let met = assemble(tree, &q, &v, &vec![false; n]);
        tree.state(0.0, &met.q, &met.v).expect("a state")
    }
}

#[test]
fn explore() {
    for known in SCENARIOS {
        let model = scenario(known.name, &[]);
        let Mechanism::Tree(tree) = &model.mechanism else {
            continue;
        };
        if let Some(why) = tree.without_derivatives() {
            println!("{}: {why}", known.name);
            continue;
        }
        let mut v = vec![0.0; tree.velocities()];
        tree.velocity(0.0, &model.state.q, &model.state.p, &mut v, &mut tree.scratch());
        let curves: Vec<_> = (0..3).map(|k| curve(tree, &model.state.q, &v, k)).collect();
        let curves: Vec<&dyn Fn(f64) -> State> = curves.iter().map(|c| c as &dyn Fn(f64) -> State).collect();
        for name in ["tree-variational", "tree-variational-4"] {
            let mut method = crate::common::method(name)
                .build_with(&model.mechanism, &model.options)
                .unwrap();
            let h = model.schedule.step;
            let found = errors(&**tree, &mut *method, h, &[5e-3, 5e-4, 5e-5], &curves);
            println!(
                "{} {name} n {} m {}: {found:.1?}",
                known.name,
                tree.velocities(),
                tree.constraints()
            );
        }
    }
}

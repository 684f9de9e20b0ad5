//! What is measured of a linearised step, for any method: against differences, against its transpose, and as a map that
//! keeps areas.
use crate::common::{self, scenario};
use holonomy::{
    derivative::{Change, along},
    integrator::{Fault, Integrator, TreeOptions, TreeVariational, catalog::METHODS},
    system::{Mechanism, State, System},
    tree::{Tree, assemble},
};
use holonomy_model::scenario::SCENARIOS;
use std::sync::Arc;

mod frames;
mod kept;
mod ropes;
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

impl std::fmt::Display for Errors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            push,
            lambda,
            pull,
            area,
        } = self;
        write!(
            f,
            "push {push:.1e}, multipliers {lambda:.1e}, pull {pull:.1e}, area {area:.1e}"
        )
    }
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
    after.carry.clear();
    let mut solution = Vec::new();
    let known = method.differentiable().expect("it has derivatives");
    known.solution(&mut solution);
    known.linearise(&before, h, &solution)?;
    let mut out = Errors::default();
    let mut pairs = Vec::new();
    for (k, curve) in curves.iter().enumerate() {
        let mut best = (f64::INFINITY, f64::INFINITY, None);
        for offset in offsets {
            // Far from where it was linearised a step may not be possible.
            let Ok((start, end)) = along(system, method, h, *offset, curve) else {
                continue;
            };
            let mut pushed = start.clone();
            method.differentiable().expect("it has").push(&mut pushed);
            let push = apart(&pushed.x, &end.x).max(apart(&pushed.y, &end.y));
            // Multipliers that stay zero are compared with what momenta change by.
            let least = largest(&end.y);
            let pairs = end.lambda.iter().zip(&pushed.lambda);
            let off = pairs.map(|(a, b)| (a - b).abs());
            let lambda = off.fold(0.0, f64::max) / largest(&end.lambda).max(least);
            assert!(pushed.lambda.is_empty() || pushed.lambda.len() == end.lambda.len());
            best = (best.0.min(push), best.1.min(lambda), Some((start, pushed)));
        }
        let (push, lambda, pair) = best;
        let (start, pushed) = pair.expect("some offset will do");
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
    // What was pushed once keeps the constraints to the last bits: the form is compared over the next step.
    let next = after.clone();
    method.attempt(&mut after, h)?;
    let known = method.differentiable().expect("it has derivatives");
    known.solution(&mut solution);
    known.linearise(&next, h, &solution)?;
    let mut ends: Vec<Change> = pairs.iter().map(|(_, pushed)| pushed.clone()).collect();
    known.push_each(&mut ends);
    for k in 0..ends.len() {
        for l in 0..k {
            let area = |a: &Change, b: &Change| {
                let (xy, yx) = (dot(&a.x, &b.y), dot(&a.y, &b.x));
                (xy.0 - yx.0, xy.1 + yx.1)
            };
            let (start, end) = (area(&pairs[k].1, &pairs[l].1), area(&ends[k], &ends[l]));
            out.area = out.area.max((end.0 - start.0).abs() / end.1.max(start.1));
        }
    }
    Ok(out)
}

/// A curve of states of a tree on its constraints at time zero, about one so far from where it was given.
pub(crate) fn curve(tree: &Tree, q: &[f64], v: &[f64], k: usize, far: f64) -> impl Fn(f64) -> State {
    let n = tree.velocities();
    let off: Vec<f64> = some(100, n).iter().map(|x| far * x).collect();
    let (by, faster) = (some(k + 1, n), some(k + 51, n));
    let v: Vec<f64> = v
        .iter()
        .zip(some(99, n))
        .map(|(v, x)| v + 30.0 * far * x)
        .collect();
    move |s| {
        let moved: Vec<f64> = off.iter().zip(&by).map(|(x, by)| x + s * by).collect();
        let q = tree.displaced_on_constraints(0.0, q, &moved).expect("it closes");
        let v: Vec<f64> = v.iter().zip(&faster).map(|(v, x)| v + s * x).collect();
        let met = assemble(tree, &q, &v, &vec![false; n]);
        tree.state(0.0, &met.q, &met.v).expect("a state")
    }
}

/// The errors of a step of a tree from near a state, along three curves.
pub(crate) fn errors_near(
    tree: &Tree,
    method: &mut dyn Integrator,
    state: &State,
    h: f64,
    far: f64,
) -> Result<Errors, Fault> {
    let mut v = vec![0.0; tree.velocities()];
    tree.velocity(state.t, &state.q, &state.p, &mut v, &mut tree.scratch());
    let curves: Vec<_> = (0..3).map(|k| curve(tree, &state.q, &v, k, far)).collect();
    let curves: Vec<&dyn Fn(f64) -> State> = curves.iter().map(|c| c as &dyn Fn(f64) -> State).collect();
    errors(tree, method, h, &[5e-3, 5e-4, 5e-5, 5e-6, 5e-7], &curves)
}

/// Measures a step from near a state, as it is promised.
fn measured_at(name: &str, tree: &Arc<Tree>, state: &State, far: f64) {
    let mut method = TreeVariational::new(tree.clone(), TreeOptions::default());
    let found = errors_near(tree, &mut method, state, 0.01, far);
    let found = found.unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
    println!("{name}: {found}");
    // As in `trees.rs`.
    assert!(found.push < 1e-9 && found.lambda < 1e-8, "{name}: {found}");
    assert!(found.pull < 1e-13 && found.area < 1e-13, "{name}: {found}");
}

/// Of a state that runs of a method end in, by a test of a scenario.
fn scenario_errors(name: &str, method: &str) -> Option<(Errors, bool)> {
    let model = scenario(name, &[]);
    let Mechanism::Tree(tree) = &model.mechanism else {
        return None;
    };
    let entry = common::method(method);
    let mut method = entry.build_with(&model.mechanism, &model.options).unwrap();
    if let Some(why) = entry.without_derivatives(&model.mechanism) {
        assert!(method.differentiable().is_none(), "{name}: {why}");
        return None;
    }
    let h = model.schedule.step;
    // A stiff cable does not bear all that a four-bar does.
    let found = [1e-2, 1e-3, 1e-4]
        .into_iter()
        .find_map(|far| errors_near(tree, &mut *method, &model.state, h, far).ok());
    let conservative = tree.layout().conserved.sources.is_empty() && !tree.is_nonholonomic();
    Some((found.unwrap_or_else(|| panic!("{name}: no step")), conservative))
}

#[test]
fn steps_of_every_tree_scenario_are_linearised() {
    let mut count = 0;
    for known in SCENARIOS {
        for method in ["tree-variational", "tree-variational-4"] {
            let Some((found, conservative)) = scenario_errors(known.name, method) else {
                continue;
            };
            println!("{} {method}: {found}", known.name);
            count += 1;
            // Rounding of what is divided by an offset: 1e-15 of the terms, which cancel, over 5e-5. The hangers of the
            // bridge tighten within millimetres and want offsets a hundred times less.
            let floor = if known.name == "suspension-bridge" {
                1e-6
            } else {
                1e-8
            };
            assert!(
                found.push < floor && found.lambda < floor,
                "{} {method}",
                known.name
            );
            // One rounding for each of the sums.
            assert!(found.pull < 1e-13, "{} {method}", known.name);
            if conservative {
                assert!(found.area < 1e-13, "{} {method}", known.name);
            }
        }
    }
    assert!(count >= 30, "{count}");
}

/// What the catalog says of derivatives is so, on every problem that a method fits.
#[test]
fn the_catalog_says_which_methods_have_derivatives() {
    for problem in common::problems() {
        for method in METHODS {
            let Ok(mut built) = method.build(&problem.mechanism) else {
                continue;
            };
            let has = built.differentiable().is_some();
            let why = method.without_derivatives(&problem.mechanism);
            assert_eq!(has, why.is_none(), "{} on {}: {why:?}", method.name, problem.name);
            assert!(
                !has || method.differentiable,
                "{} on {}",
                method.name,
                problem.name
            );
        }
    }
}

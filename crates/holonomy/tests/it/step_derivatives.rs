//! Derivatives of steps: against differences of order 6, against their transposes, and against what the method promises.
use crate::common::{load, scenario, simulation_by};
use holonomy::{
    derivative::{Change, Differences, Differentiable, Momenta, OFFSET, along},
    integrator::{
        Integrator,
        catalog::{METHODS, Method},
    },
    system::{Family, Mechanism, State},
};
use holonomy_model::Model;
use nalgebra::DMatrix;
use std::path::Path;

mod spheres;

/// Small systems of both families; those with a suffix are the good models of the language's tests.
const MODELS: &[&str] = &[
    "spherical-pendulum",
    "magnetic-dipoles",
    "spring-coupled-pendula",
    "three-bodies-on-a-sphere",
    "double-spherical-pendulum",
    "elastic-rod",
    "hamel-pendulum",
    "bead-on-a-rotating-hoop",
    "damped-pendulum",
    "double-plane-pendulum",
    "henon-heiles",
    "kepler",
    "pitch-cone-roll",
    "plane-pendulum",
    "branches.toml",
    "dense-inertia.toml",
    "formulas.toml",
    "pairs.toml",
    "rod-chain.toml",
    "sphere-forces.toml",
    "springs.toml",
    "oiled-chain",
    "blown-pendula",
];

/// A scenario, or a good model.
pub(crate) fn model(name: &str, overrides: &[&str]) -> Model {
    if let Some((_, text)) = spheres::MODELS.iter().find(|(own, _)| *own == name) {
        return load(name, text, overrides);
    }
    if !name.ends_with(".toml") {
        return scenario(name, overrides);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../holonomy-model/tests/it/models/good")
        .join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    // Where a law fades out its third derivative jumps, and differences are no measure: all of these are between.
    let smooth = [
        "spiral.count=4",
        "potential.1.cutoff=1.2",
        "potential.1.switch=0.1",
    ];
    let near = [
        "potential.2.cutoff=1.3",
        "potential.2.switch=0.05",
        "potential.2.sigma=0.4",
    ];
    match name {
        "pairs.toml" => load(name, &text, &[&smooth, &near, overrides].concat()),
        _ => load(name, &text, overrides),
    }
}

/// A step of a method on a model, some steps after its start: the state before it, and the method linearised there.
struct Step {
    model: Model,
    method: &'static Method,
    integrator: Box<dyn Integrator>,
    before: State,
    after: State,
    solution: Vec<f64>,
    h: f64,
}

impl Step {
    /// `None` where the method does not fit, or has no derivatives.
    fn of(name: &str, overrides: &[&str], method: &'static Method) -> Option<Self> {
        Self::at(model(name, overrides), method)
    }

    /// Of a model.
    fn at(model: Model, method: &'static Method) -> Option<Self> {
        let integrator = method.build_with(&model.mechanism, &model.options).ok()?;
        let mut simulation = simulation_by(&model, integrator);
        simulation.integrator().differentiable()?;
        simulation
            .advance(3)
            .unwrap_or_else(|e| panic!("{}: {e}", method.name));
        let (before, h) = (simulation.state.clone(), model.schedule.step);
        let mut integrator = simulation.into_integrator();
        let steps = integrator.differentiable()?;
        let (mut after, mut solution) = (before.clone(), Vec::new());
        steps.attempt(&mut after, h).unwrap();
        steps.solution(&mut solution);
        steps.linearise(&before, h, &solution).unwrap();
        Some(Self {
            model,
            method,
            integrator,
            before,
            after,
            solution,
            h,
        })
    }

    fn steps(&mut self) -> &mut dyn Differentiable {
        self.integrator.differentiable().unwrap()
    }

    fn half(&self) -> usize {
        let (x, _) = self
            .model
            .mechanism
            .system()
            .canonical(&self.before.q, &self.before.q, &self.before.p);
        x.len()
    }

    /// The whole derivative, column by column.
    fn pushed(&mut self) -> DMatrix<f64> {
        let half = self.half();
        let columns: Vec<Vec<f64>> = (0..2 * half)
            .map(|k| {
                let mut change = unit(half, k);
                self.steps().push(&mut change);
                [change.x, change.y].concat()
            })
            .collect();
        DMatrix::from_fn(2 * half, 2 * half, |i, k| columns[k][i])
    }

    /// The same, row by row.
    fn pulled(&mut self) -> DMatrix<f64> {
        let half = self.half();
        let rows: Vec<Vec<f64>> = (0..2 * half)
            .map(|k| {
                let mut gradient = unit(half, k);
                self.steps().pull(&mut gradient);
                [gradient.x, gradient.y].concat()
            })
            .collect();
        DMatrix::from_fn(2 * half, 2 * half, |i, k| rows[i][k])
    }
}

fn unit(half: usize, k: usize) -> Change {
    let mut change = Change {
        x: vec![0.0; half],
        y: vec![0.0; half],
        ..Change::default()
    };
    match k < half {
        true => change.x[k] = 1.0,
        false => change.y[k - half] = 1.0,
    }
    change
}

/// Every scenario with every method of its family that has derivatives.
fn each(mut act: impl FnMut(&str, Step)) -> usize {
    let mut count = 0;
    for name in MODELS {
        for method in METHODS {
            if method.family.is_some_and(|family| family != Family::Tree)
                && let Some(step) = Step::of(name, &[], method)
            {
                act(name, step);
                count += 1;
            }
        }
    }
    count
}

/// The derivative in units in which momenta are one, as differences have it.
fn scaled(matrix: &DMatrix<f64>, momenta: &[f64]) -> DMatrix<f64> {
    let half = momenta.len();
    let unit = |k: usize| if k < half { 1.0 } else { momenta[k - half] };
    DMatrix::from_fn(2 * half, 2 * half, |i, k| matrix[(i, k)] * unit(k) / unit(i))
}

/// Differences of a step within an offset. A stiff law is not a polynomial of degree six within the usual one.
fn differences(step: &mut Step, offset: f64) -> Differences {
    let system = step.model.mechanism.system();
    let (before, h) = (step.before.clone(), step.h);
    let units = (offset, 1.0, Momenta::Together);
    Differences::of_step(&*system, &mut *step.integrator, &before, h, units).unwrap()
}

#[test]
fn pushed_changes_are_those_of_differences() {
    let count = each(|name, mut step| {
        let pushed = step.pushed();
        // The best of three: truncation at one end, rounding at the other.
        let apart = [OFFSET, 0.2 * OFFSET, 0.04 * OFFSET].map(|offset| {
            let differences = differences(&mut step, offset);
            let half = differences.momenta.len();
            let found = DMatrix::from_fn(2 * half, 2 * half, |i, k| differences.columns[k][i]);
            let exact = scaled(&pushed, &differences.momenta);
            (&exact - &found).amax() / exact.amax().max(1.0)
        });
        let least = apart.into_iter().fold(f64::INFINITY, f64::min);
        println!("{name} {}: {apart:?}", step.method.name);
        // ε over the offset, of terms of a size of ten or so.
        assert!(least < 1e-11, "{name} {}: {apart:?}", step.method.name);
    });
    assert!(count > 90, "{count}");
}

#[test]
fn pulled_gradients_are_the_transpose() {
    each(|name, mut step| {
        let (pushed, pulled) = (step.pushed(), step.pulled());
        let apart = (&pushed - &pulled).amax();
        assert!(
            apart <= 1e-12 * pushed.amax().max(1.0),
            "{name} {}: {apart:.1e} of {:.1e}",
            step.method.name,
            pushed.amax()
        );
    });
}

#[test]
fn methods_that_promise_it_are_symplectic() {
    let mut count = 0;
    each(|name, mut step| {
        let mechanism = &step.model.mechanism;
        if !step.method.promising_on(mechanism).symplectic
            || !mechanism.system().layout().conserved.sources.is_empty()
        {
            return;
        }
        count += 1;
        let pushed = step.pushed();
        let momenta = differences(&mut step, OFFSET).momenta;
        let (a, half) = (scaled(&pushed, &momenta), momenta.len());
        let form = DMatrix::from_fn(2 * half, 2 * half, |i, k| {
            f64::from(k == i + half) - f64::from(i == k + half)
        });
        let defect = (a.transpose() * &form * &a - &form).amax() / a.amax().powi(2).max(1.0);
        println!("{name} {}: {defect:.1e}", step.method.name);
        // Of seventeen substeps, some of them back in time, twice that of nine.
        let most = if step.method.order == 8 { 2e-13 } else { 1e-13 };
        assert!(defect <= most, "{name} {}: {defect:.1e}", step.method.name);
    });
    assert!(count > 60, "{count}");
    // Friction is seen.
    let mut damped = Step::of(
        "damped-pendulum",
        &[],
        METHODS.iter().find(|m| m.name == "midpoint").unwrap(),
    )
    .unwrap();
    let a = damped.pushed();
    assert!((a.determinant() - 1.0).abs() > 1e-3);
}

#[test]
fn equations_vanish_and_lead_to_the_state_after_the_step() {
    each(|name, mut step| {
        let links =
            matches!(&step.model.mechanism, Mechanism::Spheres(spheres) if spheres.inertia().is_diagonal());
        let spheres = matches!(&step.model.mechanism, Mechanism::Spheres(_));
        let forced = spheres
            && !step
                .model
                .mechanism
                .system()
                .layout()
                .conserved
                .sources
                .is_empty();
        if step.method.name.starts_with("sphere-implicit-")
            && (links || name.ends_with("toml") || name == "elastic-rod")
            || forced && step.method.order > 2
        {
            // A composition of steps that know of none: the states between are among its equations.
            return;
        }
        let system = step.model.mechanism.system();
        let half = step.half();
        let (before, h, solution) = (step.before.clone(), step.h, step.solution.clone());
        let mut all = Vec::new();
        step.steps().equations(&before, h, &solution, &mut all).unwrap();
        let (x, y) = system.canonical(&step.after.q, &step.after.q, &step.after.p);
        let (of_f, of_e) = all.split_at(all.len() - 2 * half);
        let size = y.iter().chain(&x).fold(1.0, |m: f64, z| m.max(z.abs()));
        // Residuals are those that solvers leave: rounding of terms of the size of momenta.
        let left = of_f.iter().fold(0.0, |m: f64, f| m.max(f.abs()));
        assert!(left <= 1e-11 * size, "{name} {}: {left:.1e}", step.method.name);
        let coordinates = match step.model.mechanism {
            Mechanism::Spheres(_) => x,
            _ => step.after.q.clone(),
        };
        let apart = of_e.iter().zip(coordinates.iter().chain(&y));
        let apart = apart.fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        assert!(apart <= 1e-11 * size, "{name} {}: {apart:.1e}", step.method.name);
    });
}

/// What equations change by is pulled as it is pushed.
#[test]
fn gradients_by_equations_are_the_transpose_too() {
    each(|name, mut step| {
        let (half, before, h, solution) = (step.half(), step.before.clone(), step.h, step.solution.clone());
        let mut all = Vec::new();
        step.steps().equations(&before, h, &solution, &mut all).unwrap();
        let list = |seed: f64, count: usize| -> Vec<f64> {
            (0..count).map(|k| (seed + 1.7 * k as f64).sin()).collect()
        };
        let mut change = Change {
            x: vec![0.0; half],
            y: vec![0.0; half],
            equations: list(0.3, all.len()),
            ..Change::default()
        };
        let mut gradient = Change {
            x: list(0.5, half),
            y: list(0.9, half),
            ..Change::default()
        };
        let (given, equations) = (gradient.clone(), change.equations.clone());
        step.steps().push(&mut change);
        step.steps().pull(&mut gradient);
        let dot = |a: &[f64], b: &[f64]| -> (f64, f64) {
            let each = a.iter().zip(b).map(|(a, b)| a * b);
            each.fold((0.0, 0.0), |(sum, size), term| (sum + term, size + term.abs()))
        };
        let forward = dot(
            &[&given.x[..], &given.y].concat(),
            &[&change.x[..], &change.y].concat(),
        );
        let back = dot(&gradient.equations, &equations);
        assert_eq!(gradient.equations.len(), equations.len());
        let apart = (forward.0 - back.0).abs() / forward.1.max(back.1);
        assert!(apart <= 1e-12, "{name} {}: {apart:.1e}", step.method.name);
    });
}

/// Under constraints, still and driven, with and without forces: along curves of states that keep them.
#[test]
fn under_constraints_changes_are_those_along_curves_that_keep_them() {
    let rod = model("lagrangian-constraints.toml", &[]);
    let driven = model("lagrangian-driven.toml", &[]);
    let whirled = load(
        "whirled",
        r#"
        space = "lagrangian"
        coordinates = ["x", "y", "z"]
        lagrangian = "0.5*(1 + 0.3*z^2)*(x'^2 + y'^2 + z'^2) + 0.4*(x*y' - y*x') - 9.81*z"
        [force]
        x = "-0.3*x' + 0.2*sin(t)"
        z = "-0.1*z'*z"
        [[constraint]]
        formula = "x^2 + 2*y^2 + z^2*(1 + 0.1*x) - 1"
        [start]
        x = 0
        y = 0
        z = -1
        [velocity]
        y = 2
        [method]
        name = "midpoint"
        [run]
        step = 0.02
        duration = 1
        "#,
        &[],
    );
    for (name, model) in [("rod", rod), ("driven", driven), ("whirled", whirled)] {
        for method in METHODS {
            let Ok(mut integrator) = method.build(&model.mechanism) else {
                continue;
            };
            if integrator.differentiable().is_none() {
                continue;
            }
            let (Mechanism::Lagrangian(system), h) = (&model.mechanism, model.schedule.step) else {
                unreachable!()
            };
            // The state that a step from one beside it leads to keeps the constraints.
            let mut other = method.build(&model.mechanism).unwrap();
            let mut curve = |s: f64| {
                let mut state = model.state.clone();
                let n = state.q.len();
                let mut v = vec![0.0; n];
                let mut scratch = holonomy::system::System::scratch(&**system);
                use holonomy::system::System as _;
                system.velocity(state.t, &state.q, &state.p, &mut v, &mut scratch);
                state
                    .p
                    .iter_mut()
                    .enumerate()
                    .for_each(|(k, p)| *p += s * (1.0 + k as f64).sin());
                for _ in 0..3 {
                    other.attempt(&mut state, 0.02).unwrap();
                }
                state.carry.clear();
                state
            };
            let (change, exact) = along(&**system, &mut *integrator, h, 0.02, &mut curve).unwrap();
            let before = curve(0.0);
            let steps = integrator.differentiable().unwrap();
            let (mut after, mut solution) = (before.clone(), Vec::new());
            steps.attempt(&mut after, h).unwrap();
            steps.solution(&mut solution);
            steps.linearise(&before, h, &solution).unwrap();
            let mut pushed = change.clone();
            steps.push(&mut pushed);
            let apart = |a: &[f64], b: &[f64]| {
                let size = b.iter().fold(1e-3, |m: f64, b| m.max(b.abs()));
                a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs())) / size
            };
            let errors = [
                apart(&pushed.x, &exact.x),
                apart(&pushed.y, &exact.y),
                apart(&pushed.lambda, &exact.lambda),
            ];
            println!("{name} {}: {errors:?}", method.name);
            assert_eq!(pushed.lambda.len(), exact.lambda.len());
            // Multipliers are impulses over h: rounding of p over h and the offset.
            assert!(
                errors[0] < 1e-10 && errors[1] < 1e-10 && errors[2] < 1e-8,
                "{name} {}: {errors:?}",
                method.name
            );
            // Its transpose, with multipliers.
            let n = before.q.len();
            let wave = |seed: f64, count: usize| -> Vec<f64> {
                (0..count).map(|k| (seed + 1.3 * k as f64).cos()).collect()
            };
            let mut gradient = Change {
                x: wave(0.1, n),
                y: wave(0.2, n),
                lambda: wave(0.3, pushed.lambda.len()),
                ..Change::default()
            };
            let sum = |g: &Change, c: &Change, lambda: bool| -> f64 {
                let all = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
                let own = all(&g.x, &c.x) + all(&g.y, &c.y);
                own + if lambda { all(&g.lambda, &c.lambda) } else { 0.0 }
            };
            let forward = sum(&gradient, &pushed, true);
            steps.pull(&mut gradient);
            let back = sum(&gradient, &change, false);
            let size = pushed.lambda.iter().fold(1.0, |m: f64, l| m.max(l.abs()));
            assert!(
                (forward - back).abs() <= 1e-12 * size,
                "{name} {}: {forward} {back}",
                method.name
            );
        }
    }
}

/// Where there are no derivatives nothing pretends to have some.
#[test]
fn methods_without_derivatives_say_so() {
    let model = scenario("double-spherical-pendulum", &[]);
    for name in ["rk4", "dop853"] {
        let method = METHODS.iter().find(|m| m.name == name).unwrap();
        assert!(
            method.build(&model.mechanism).unwrap().differentiable().is_none(),
            "{name}"
        );
    }
    for name in MODELS {
        let model = self::model(name, &[]);
        for method in METHODS {
            if let Ok(mut integrator) = method.build(&model.mechanism) {
                let (has, lacks) = (
                    integrator.differentiable(),
                    method.without_derivatives(&model.mechanism),
                );
                assert_eq!(
                    has.is_some(),
                    lacks.is_none(),
                    "{name} {}: {lacks:?}",
                    method.name
                );
            }
        }
    }
}

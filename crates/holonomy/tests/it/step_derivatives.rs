//! Derivatives of steps: against differences of order 6, against their transposes, and against what the method promises.
use crate::common::{scenario, simulation_by};
use holonomy::{
    derivative::{Change, Differences, Differentiable, Momenta, OFFSET, along},
    integrator::{
        Integrator,
        catalog::{METHODS, Method},
    },
    spheres::view,
    system::{Family, State, System},
};
use holonomy_model::Model;
use nalgebra::DMatrix;

/// Small systems of both families, with what to change in them so that every kind of term is there.
const SCENARIOS: &[&str] = &[
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
];

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
        let model = scenario(name, overrides);
        let integrator = method.build_with(&model.mechanism, &model.options).ok()?;
        let mut simulation = simulation_by(&model, integrator);
        simulation.integrator().differentiable()?;
        simulation.advance(3).unwrap_or_else(|e| panic!("{name} {}: {e}", method.name));
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
    for name in SCENARIOS {
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

#[test]
fn pushed_changes_are_those_of_differences() {
    let count = each(|name, mut step| {
        let half = step.half();
        let pushed = step.pushed();
        let system = step.model.mechanism.system();
        let (before, h) = (step.before.clone(), step.h);
        let differences = Differences::of_step(
            &*system,
            &mut *step.integrator,
            &before,
            h,
            (OFFSET, 1.0, Momenta::Together),
        )
        .unwrap();
        let unit = |k: usize| if k < half { 1.0 } else { differences.momenta[k - half] };
        let exact = DMatrix::from_fn(2 * half, 2 * half, |i, k| pushed[(i, k)] * unit(k) / unit(i));
        let found = DMatrix::from_fn(2 * half, 2 * half, |i, k| differences.columns[k][i]);
        let apart = (&exact - &found).amax() / exact.amax().max(1.0);
        println!("{name} {}: {apart:.1e} of {:.1e}", step.method.name, exact.amax());
        assert!(apart < 1e-9, "{name} {}: {apart:.1e}", step.method.name);
    });
    assert!(count > 60, "{count}");
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

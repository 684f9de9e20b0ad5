//! Several methods on one model: runs them, and measures what exactness costs.
use crate::precision::{self, Plan};
use crate::run::run_filmed;
use holonomy::integrator::catalog::{self, Method};
use holonomy_model::Model;
use holonomy_report::{
    certificate::Effort,
    compare::{Comparison, Entry, NotRun},
    converge::ConvergeError,
    precision::Precision,
    run::{Control, Progress},
};
use std::sync::atomic::Ordering;

/// Runs every candidate; those that could not be loaded come with the reason. `begin` is told which one is next. The
/// first model that ran comes back too.
pub fn compare(
    scenario: &str,
    candidates: Vec<(String, Result<Model, NotRun>)>,
    begin: &mut dyn FnMut(&str),
    control: Control,
) -> (Comparison, Option<Model>) {
    let mut first = None;
    let mut entries = Vec::with_capacity(candidates.len());
    for (method, model) in candidates {
        let result = model.and_then(|model| {
            if control.stop.load(Ordering::Relaxed) {
                return Err(NotRun::Stopped);
            }
            begin(&method);
            let control = Control {
                stop: control.stop,
                progress: &mut |progress: &Progress| (control.progress)(progress),
                effort: control.effort,
            };
            let outcome = run_filmed(&model, scenario, control, None);
            first.get_or_insert(model);
            Ok(outcome)
        });
        entries.push(Entry { method, result });
    }
    let comparison = Comparison {
        scenario: scenario.to_owned(),
        title: first
            .as_ref()
            .map_or_else(String::new, |model| model.title.clone()),
        entries,
    };
    (comparison, first)
}

/// Steps of the part of a run that work and precision are measured on, and the time that one pass over it takes, s.
const MOST_STEPS: u64 = 2000;
const FEWEST_STEPS: u64 = 32;
const SECONDS: f64 = 0.25;
/// A reference that is less exact than this comes from a motion too chaotic to compare methods on.
const EXACT: f64 = 1e-9;

/// What exactness costs with these methods, on a first part of the run that is short enough to have an exact
/// reference.
pub fn precision(
    comparison: &Comparison,
    mut model: Model,
    begin: &mut dyn FnMut(&str),
    control: Control,
) -> Result<Precision, ConvergeError> {
    let ran = comparison.entries.iter().filter(|entry| entry.result.is_ok());
    let methods: Vec<&'static Method> = ran
        .filter_map(|entry| catalog::find(&entry.method).ok())
        .collect();
    let slowest = comparison
        .entries
        .iter()
        .filter_map(|entry| entry.result.as_ref().ok())
        .map(|outcome| outcome.summary.wall_seconds / outcome.summary.steps.max(1) as f64)
        .fold(1e-9, f64::max);
    let affordable = ((SECONDS / slowest) as u64).clamp(FEWEST_STEPS, MOST_STEPS);
    model.schedule.steps = model.schedule.steps.min(affordable).max(1);
    loop {
        let plan = Plan {
            seconds: SECONDS,
            ..Plan::around(&model)
        };
        let control = Control {
            stop: control.stop,
            progress: &mut |progress: &Progress| (control.progress)(progress),
            effort: Effort::None,
        };
        let measured = precision::measure(&model, &comparison.scenario, &methods, &plan, begin, control);
        let shorter = model.schedule.steps / 4;
        match measured {
            Ok(precision) if precision.reference.accuracy > EXACT && shorter >= FEWEST_STEPS => {
                model.schedule.steps = shorter;
            }
            other => return other,
        }
    }
}

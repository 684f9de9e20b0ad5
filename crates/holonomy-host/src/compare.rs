//! Several methods on one model, side by side.
mod page;

use crate::{
    precision::{self, Plan, Precision},
    run::{Control, Outcome, Progress, run},
    summary::{Summary, json},
};
use holonomy::{
    integrator::catalog::{self, Method},
    model::Model,
};
use serde::Serialize;
use std::sync::atomic::Ordering;

/// Methods side by side.
pub struct Comparison {
    /// Name of the scenario.
    pub scenario: String,
    /// What it is called, for people.
    pub title: String,
    /// The methods, in the order in which they were asked for.
    pub entries: Vec<Entry>,
    /// The first model that ran, until work and precision are measured on it.
    model: Option<Model>,
}

/// One method of a comparison.
pub struct Entry {
    /// Its name.
    pub method: String,
    /// What it did, or why it did not run. A run that failed on its way has an `error` in its summary.
    pub result: Result<Outcome, String>,
}

/// Runs every candidate; those that could not be loaded come with the reason. `begin` is told which one is next.
pub fn compare(
    scenario: &str,
    candidates: Vec<(String, Result<Model, String>)>,
    begin: &mut dyn FnMut(&str),
    control: Control,
) -> Comparison {
    let mut first = None;
    let mut entries = Vec::with_capacity(candidates.len());
    for (method, model) in candidates {
        let result = model.and_then(|model| {
            if control.stop.load(Ordering::Relaxed) {
                return Err("not run: stopped before".to_owned());
            }
            begin(&method);
            let control = Control {
                stop: control.stop,
                progress: &mut |progress: &Progress| (control.progress)(progress),
            };
            let outcome = run(&model, scenario, None, control);
            first.get_or_insert(model);
            Ok(outcome)
        });
        entries.push(Entry { method, result });
    }
    Comparison {
        scenario: scenario.to_owned(),
        title: first
            .as_ref()
            .map_or_else(String::new, |model| model.title.clone()),
        entries,
        model: first,
    }
}

/// Steps of the part of a run that work and precision are measured on, and the time that one pass over it takes, s.
const MOST_STEPS: u64 = 2000;
const FEWEST_STEPS: u64 = 32;
const SECONDS: f64 = 0.25;
/// A reference that is less exact than this comes from a motion too chaotic to compare methods on.
const EXACT: f64 = 1e-9;

impl Comparison {
    /// Whether a method ran to the end of what it was asked for.
    pub fn any_succeeded(&self) -> bool {
        let finished = |outcome: &Outcome| outcome.summary.error.is_none();
        self.entries
            .iter()
            .any(|entry| entry.result.as_ref().is_ok_and(finished))
    }

    /// What exactness costs with these methods, on a first part of the run that is short enough to have an exact
    /// reference.
    pub fn precision(&mut self, begin: &mut dyn FnMut(&str), control: Control) -> Result<Precision, String> {
        let mut model = self.model.take().ok_or("no method ran")?;
        let ran = self.entries.iter().filter(|entry| entry.result.is_ok());
        let methods: Vec<&'static Method> = ran.filter_map(|entry| catalog::find(&entry.method)).collect();
        let dear = self
            .entries
            .iter()
            .filter_map(|entry| entry.result.as_ref().ok())
            .map(|outcome| outcome.summary.wall_seconds / outcome.summary.steps.max(1) as f64)
            .fold(1e-9, f64::max);
        let affordable = ((SECONDS / dear) as u64).clamp(FEWEST_STEPS, MOST_STEPS);
        model.schedule.steps = model.schedule.steps.min(affordable).max(1);
        loop {
            let plan = Plan {
                seconds: SECONDS,
                ..Plan::around(&model)
            };
            let control = Control {
                stop: control.stop,
                progress: &mut |progress: &Progress| (control.progress)(progress),
            };
            let measured = precision::measure(&model, &self.scenario, &methods, &plan, begin, control);
            let shorter = model.schedule.steps / 4;
            match measured {
                Ok(precision) if precision.reference.accuracy > EXACT && shorter >= FEWEST_STEPS => {
                    model.schedule.steps = shorter;
                }
                other => return other.map_err(|error| error.to_string()),
            }
        }
    }

    /// The comparison as JSON text: the summary of every method, or the reason why there is none.
    pub fn to_json(&self) -> String {
        #[derive(Serialize)]
        #[serde(untagged)]
        enum Line<'a> {
            Ran(&'a Summary),
            Refused { method: &'a str, error: &'a str },
        }
        #[derive(Serialize)]
        struct Table<'a> {
            scenario: &'a str,
            methods: Vec<Line<'a>>,
        }
        let methods = self.entries.iter().map(|entry| match &entry.result {
            Ok(outcome) => Line::Ran(&outcome.summary),
            Err(error) => Line::Refused {
                method: &entry.method,
                error,
            },
        });
        json(&Table {
            scenario: &self.scenario,
            methods: methods.collect(),
        })
    }
}

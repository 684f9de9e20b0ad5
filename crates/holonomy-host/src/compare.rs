//! Several methods on one model, side by side.
use crate::{
    run::{Control, Outcome, Progress, run},
    summary::{Summary, json},
};
use holonomy::model::Model;
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
    let title = candidates
        .iter()
        .find_map(|(_, model)| Some(model.as_ref().ok()?.title.clone()));
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
            Ok(run(&model, scenario, None, control))
        });
        entries.push(Entry { method, result });
    }
    Comparison {
        scenario: scenario.to_owned(),
        title: title.unwrap_or_default(),
        entries,
    }
}

impl Comparison {
    /// Whether a method ran to the end of what it was asked for.
    pub fn any_succeeded(&self) -> bool {
        let finished = |outcome: &Outcome| outcome.summary.error.is_none();
        self.entries
            .iter()
            .any(|entry| entry.result.as_ref().is_ok_and(finished))
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

//! A run of a built-in model, changed as one would on the command line.
use crate::ReproduceError;
use holonomy_host::run::run;
use holonomy_model::scenario;
use holonomy_model::{self as model, Model, Problems, Source, Table, Value};
use holonomy_report::{
    certificate::Effort,
    run::{Control, Outcome},
};
use std::sync::atomic::AtomicBool;

/// A scenario or a model text, and values to change in it.
#[derive(Clone, Debug)]
pub struct Study {
    name: String,
    text: String,
    /// Paths and their values; `None` takes one away.
    changes: Vec<(String, Option<Value>)>,
}

impl Study {
    /// Of a scenario.
    pub fn scenario(name: &str) -> Result<Self, ReproduceError> {
        let scenario = scenario::find(name).ok_or_else(|| ReproduceError::NoScenario {
            name: name.to_owned(),
        })?;
        Ok(Self::text(name, scenario.model))
    }

    /// Of a model text.
    pub fn text(name: &str, text: &str) -> Self {
        Self {
            name: name.to_owned(),
            text: text.to_owned(),
            changes: Vec::new(),
        }
    }

    /// The same with a value set by its path, such as `run.step`.
    #[must_use]
    pub fn set(mut self, path: &str, value: impl Into<Value>) -> Self {
        self.changes.push((path.to_owned(), Some(value.into())));
        self
    }

    /// The same without the value at a path.
    #[must_use]
    pub fn unset(mut self, path: &str) -> Self {
        self.changes.push((path.to_owned(), None));
        self
    }

    /// The same with another method, without options.
    #[must_use]
    pub fn method(self, name: &str) -> Self {
        self.set("method", Table::from_iter([("name", name)]))
    }

    /// The same with a method that chooses its steps by these tolerances.
    #[must_use]
    pub fn adaptive(self, name: &str, rtol: f64, atol: f64) -> Self {
        let options = [
            ("name", Value::from(name)),
            ("rtol", rtol.into()),
            ("atol", atol.into()),
        ];
        self.set("method", Table::from_iter(options))
    }

    /// The same with another step and duration, s.
    #[must_use]
    pub fn schedule(self, step: f64, duration: f64) -> Self {
        self.unset("run.steps")
            .set("run.step", step)
            .set("run.duration", duration)
    }

    /// The model.
    pub fn model(&self) -> Result<Model, ReproduceError> {
        let (source, problems) = (Source::new(&self.name, &self.text), Problems::new());
        let Some(document) = model::parse(&source, &problems) else {
            return Err(ReproduceError::BadModel {
                text: model::render(&source, &problems.into_sorted(), false, 5),
            });
        };
        let mut table = document.table().clone();
        for (path, value) in &self.changes {
            match value {
                Some(value) => table.set(path, value.clone()).map(drop),
                None => table.unset(path),
            }
            .map_err(|error| ReproduceError::BadModel {
                text: format!("`{path}`: {error}"),
            })?;
        }
        model::build(&table).map_err(|problems| {
            let list: Vec<String> = problems.iter().map(ToString::to_string).collect();
            ReproduceError::BadModel {
                text: list.join("\n"),
            }
        })
    }

    /// Runs it.
    pub fn run(&self, stop: &AtomicBool) -> Result<Outcome, ReproduceError> {
        let control = Control {
            stop,
            progress: &mut |_| {},
            // Items judge by what was published.
            effort: Effort::None,
        };
        Ok(run(&self.model()?, &self.name, control))
    }

    /// The command that runs it.
    pub fn command(&self) -> String {
        let set = |(path, value): &(String, Option<Value>)| {
            let value = value.as_ref().map(ToString::to_string).unwrap_or_default();
            format!(" --set '{path}={value}'")
        };
        let sets: Vec<String> = self.changes.iter().map(set).collect();
        format!("holonomy run {}{}", self.name, sets.concat())
    }
}

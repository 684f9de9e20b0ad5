//! A run of a built-in model, changed as one would on the command line.
use crate::{
    run::{Control, Outcome, run},
    scenario,
};
use holonomy::model::{self, Model, Source};
use std::sync::atomic::AtomicBool;

/// A scenario or a model text, and keys to change in it.
#[derive(Clone, Debug)]
pub struct Study {
    name: String,
    text: String,
    sets: Vec<String>,
}

impl Study {
    /// Of a scenario.
    pub fn scenario(name: &str) -> Result<Self, String> {
        let scenario = scenario::find(name).ok_or_else(|| format!("there is no scenario `{name}`"))?;
        Ok(Self::text(name, scenario.model))
    }

    /// Of a model text.
    pub fn text(name: &str, text: &str) -> Self {
        Self {
            name: name.to_owned(),
            text: text.to_owned(),
            sets: Vec::new(),
        }
    }

    /// The same with a key set: `run.step=0.01`.
    #[must_use]
    pub fn set(mut self, setting: impl Into<String>) -> Self {
        self.sets.push(setting.into());
        self
    }

    /// The same with another method, without options.
    #[must_use]
    pub fn method(self, name: &str) -> Self {
        self.set(format!("method={{ name = \"{name}\" }}"))
    }

    /// The same with another step and duration, s.
    #[must_use]
    pub fn schedule(self, step: f64, duration: f64) -> Self {
        self.set("run.steps=")
            .set(format!("run.step={step}"))
            .set(format!("run.duration={duration}"))
    }

    /// The model.
    pub fn model(&self) -> Result<Model, String> {
        let mut source = Source::new(&self.name, &self.text);
        for setting in &self.sets {
            source.with_override(setting);
        }
        model::load(&source).map_err(|problems| model::render(&source, &problems, false, 5))
    }

    /// Runs it.
    pub fn run(&self, stop: &AtomicBool) -> Result<Outcome, String> {
        let control = Control {
            stop,
            progress: &mut |_| {},
        };
        Ok(run(&self.model()?, &self.name, None, control))
    }

    /// The command that runs it.
    pub fn command(&self) -> String {
        let sets: Vec<String> = self.sets.iter().map(|set| format!(" --set '{set}'")).collect();
        format!("holonomy run {}{}", self.name, sets.concat())
    }
}

//! What the command says of models, runs and errors, as text for other front ends: the same words everywhere.
use crate::{explain, failure::Failure, input::Input, settle, summary};
use console::strip_ansi_codes;
use holonomy::tree::{Equilibrium, Tree};
use holonomy_host::{
    control::ControlError, fit::FitError, folder::FolderError, inverse::InverseError, report::ReportError,
    resume::GoOnError, start::StartError, sweep::SweepError,
};
use holonomy_model::{Model, Source};
use holonomy_report::{
    converge::ConvergeError, gradient::GradientError, linearize::LinearizeError, orbit::OrbitError,
    summary::Summary,
};
use std::io;

/// A name that leads to no model.
#[derive(Debug)]
pub struct Unopened {
    /// What is wrong, and what helps.
    pub message: String,
    /// What the operating system says, where it is a file.
    pub source: Option<io::Error>,
}

/// The model of a name: a scenario, a file, or a folder with a `model.toml`; and what its run is called.
pub fn opened(name: &str) -> Result<(String, Source), Unopened> {
    match Input::find(name) {
        Ok(input) => Ok((input.name, input.source)),
        Err(failure) => {
            let message = failure.sentence();
            let source = match failure {
                Failure::Unreadable { source, .. } => Some(source),
                _ => None,
            };
            Err(Unopened { message, source })
        }
    }
}

/// What was understood of a model.
pub fn explained(model: &Model, name: &str) -> String {
    plain(&explain::explain(model, name, true, explain::WIDTH))
}

/// What a run did, as the command prints it.
pub fn described(model: &Model, summary: &Summary) -> String {
    plain(&summary::describe(model, summary, None))
}

/// An equilibrium, as JSON.
pub fn settled(name: &str, tree: &Tree, found: &Equilibrium) -> String {
    settle::as_json(name, tree, found)
}

fn plain(text: &str) -> String {
    strip_ansi_codes(text).into_owned()
}

/// An error with what helps.
pub trait Sentence {
    /// What happened, and what to do.
    fn sentence(self) -> String;
}

macro_rules! sentences {
    ($($error:ty),*) => {$(
        impl Sentence for $error {
            fn sentence(self) -> String {
                Failure::from(self).sentence()
            }
        }
    )*};
}

sentences!(
    FolderError,
    GoOnError,
    StartError,
    SweepError,
    ReportError,
    ConvergeError,
    LinearizeError,
    OrbitError,
    ControlError,
    FitError,
    InverseError,
    GradientError
);

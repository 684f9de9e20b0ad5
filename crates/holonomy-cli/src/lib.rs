//! The `holonomy` command as a library: [`main_with`] is the whole of it, and [`words`] what it says of models and runs,
//! for other front ends.
mod check;
mod checkpoint;
mod compare;
mod control;
mod converge;
mod explain;
mod export;
mod failure;
mod files;
mod fit;
mod formula;
mod from;
mod gradient;
mod import;
mod input;
mod interrupt;
mod inverse;
mod linearize;
mod list;
mod methods;
mod orbit;
mod output;
mod page;
mod play;
mod progress;
mod reading;
mod render;
mod report;
mod reproduce;
mod resume;
mod run;
mod settle;
mod show;
mod summary;
mod sweep;
mod table;
mod threads;
mod view;
pub mod words;

use clap::{Parser, Subcommand};
use holonomy_report::certificate::Effort;
use std::ffi::OsString;

/// Simulates mechanical systems for a very long time without losing what the physics conserves.
#[derive(Parser)]
#[command(
    name = "holonomy",
    version,
    arg_required_else_help = true,
    max_term_width = 100
)]
#[command(after_help = "Begin with `holonomy run double-spherical-pendulum`.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    List(list::List),
    Show(show::Show),
    Check(check::Check),
    Explain(explain::Explain),
    Methods(methods::Methods),
    Settle(settle::Settle),
    Linearize(linearize::Linearize),
    Gradient(gradient::Gradient),
    Orbit(orbit::Orbit),
    Run(run::Run),
    Resume(resume::Resume),
    Compare(compare::Compare),
    Converge(converge::Converge),
    Control(control::Control),
    Fit(fit::Fit),
    Inverse(inverse::Inverse),
    Sweep(sweep::Sweep),
    Report(report::Report),
    View(view::View),
    Play(play::Play),
    Render(render::Render),
    Reproduce(reproduce::Reproduce),
    Import(import::Import),
    Export(export::Export),
}

/// Runs the command with these words, the name of the program first; its exit code.
pub fn main_with(words: Vec<OsString>) -> u8 {
    files::remember(&words);
    let arguments = match Arguments::try_parse_from(words) {
        Ok(arguments) => arguments,
        Err(message) => {
            // A closed pipe is no error.
            let _ = message.print();
            return if message.use_stderr() { 2 } else { 0 };
        }
    };
    let done = match arguments.command {
        Command::List(command) => command.run(),
        Command::Show(command) => command.run(),
        Command::Check(command) => command.run(),
        Command::Explain(command) => command.run(),
        Command::Methods(command) => command.run(),
        Command::Settle(command) => command.run(),
        Command::Linearize(command) => command.run(),
        Command::Gradient(command) => command.run(),
        Command::Orbit(command) => command.run(),
        Command::Run(command) => command.what.threads.within(|| command.run()),
        Command::Resume(command) => command.threads.within(|| command.run()),
        Command::Compare(command) => command.threads.within(|| command.run()),
        Command::Converge(command) => command.threads.within(|| command.run()),
        Command::Control(command) => command.run(),
        Command::Inverse(command) => command.run(),
        Command::Fit(command) => command.threads.within(|| command.run()),
        Command::Sweep(command) => command.threads.within(|| command.run()),
        Command::Report(command) => command.run(),
        Command::View(command) => command.what.threads.within(|| command.run()),
        Command::Play(command) => command.run(),
        Command::Render(command) => command.run(),
        Command::Reproduce(command) => command.run(),
        Command::Import(command) => command.run(),
        Command::Export(command) => command.run(),
    };
    match done {
        Ok(()) => 0,
        Err(failure) => {
            failure.report();
            failure.exit_code()
        }
    }
}

/// A text that is not blank: a blank value would take a key of the model away.
fn not_blank(text: &str) -> Result<String, Blank> {
    match text.trim() {
        "" => Err(Blank),
        _ => Ok(text.to_owned()),
    }
}

/// A flag without a value.
#[derive(Debug, thiserror::Error)]
#[error("the value is blank")]
struct Blank;

/// A model to work on and the keys to change in it.
#[derive(clap::Args)]
struct ModelArguments {
    /// Name of a scenario (see `holonomy list`) or path of a model file
    #[arg(value_name = "NAME|FILE", required_unless_present = "lagrangian")]
    model: Option<String>,
    #[command(flatten)]
    formula: formula::FormulaArguments,
    /// Sets any key of the model: chain.links=64, method.rtol=1e-6; nothing after `=` removes the key
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl ModelArguments {
    /// What `NAME --set KEY=VALUE …` says.
    fn named(name: &str, set: &[String]) -> Self {
        Self {
            model: Some(name.to_owned()),
            formula: formula::FormulaArguments::default(),
            set: set.to_owned(),
        }
    }
}

/// How far to go and how often to look.
#[derive(clap::Args)]
struct ScheduleArguments {
    /// Step, s; for adaptive methods the sampling interval
    #[arg(long, value_name = "H", value_parser = not_blank, allow_negative_numbers = true)]
    step: Option<String>,
    /// How long to run, s; `inf` runs until Ctrl-C
    #[arg(long, value_name = "T", value_parser = not_blank, allow_negative_numbers = true)]
    duration: Option<String>,
    /// How many steps to take, instead of a duration
    #[arg(long, value_name = "N", value_parser = not_blank, allow_negative_numbers = true, conflicts_with = "duration")]
    steps: Option<String>,
    /// Record every K-th step
    #[arg(long, value_name = "K", value_parser = not_blank, allow_negative_numbers = true)]
    every: Option<String>,
}

/// How much work a certificate is worth.
#[derive(clap::Args)]
struct CertifyArguments {
    /// How far the certificate takes the steps again: whole short runs and a twentieth of long ones, all, or none
    #[arg(long, value_name = "usual|full|none", value_parser = certify_effort, default_value = "usual", hide_default_value = true)]
    certify: Effort,
}

impl CertifyArguments {
    fn effort(&self) -> Effort {
        self.certify
    }
}

fn certify_effort(text: &str) -> Result<Effort, NoEffort> {
    match text {
        "usual" => Ok(Effort::Usual),
        "full" => Ok(Effort::Full),
        "none" => Ok(Effort::None),
        _ => Err(NoEffort),
    }
}

#[derive(Debug, thiserror::Error)]
#[error("write `usual`, `full` or `none`")]
struct NoEffort;

/// Where results go.
#[derive(clap::Args)]
struct OutputArguments {
    /// Write the files there instead of `runs/NAME`
    #[arg(long, value_name = "DIR")]
    out: Option<std::path::PathBuf>,
    /// Replace the files of an earlier run
    #[arg(long)]
    force: bool,
    /// Write no files
    #[arg(long, conflicts_with_all = ["out", "force"])]
    no_files: bool,
    /// Print the result as JSON and nothing else
    #[arg(long)]
    json: bool,
    /// Show no progress and no notes
    #[arg(long)]
    quiet: bool,
}

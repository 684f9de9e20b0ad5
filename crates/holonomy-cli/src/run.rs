use crate::summary::describe;
use crate::{
    CertifyArguments, ModelArguments, OutputArguments, ScheduleArguments,
    checkpoint::CheckpointArguments,
    failure::Failure,
    files::{command_line, quoted},
    from,
    input::Input,
    interrupt, not_blank,
    output::{self, grouped, note, number},
    progress::Bar,
    threads::ThreadArguments,
};
use holonomy::{integrator::catalog, simulation::Simulation};
use holonomy_host::run::run;
use holonomy_host::{
    archive::{Archive, Archived},
    folder::RUN_FILES,
    view::Live,
};
use holonomy_model::Model;
use holonomy_report::run::{Control, Progress};
use std::path::PathBuf;

/// Runs a model and writes its trajectory, figures, summary and report to `runs/NAME`
#[derive(clap::Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) what: RunArguments,
    #[command(flatten)]
    output: OutputArguments,
}

/// A run to make.
#[derive(clap::Args)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) model: ModelArguments,
    /// Method, see `holonomy methods`; replaces the model's method and its options
    #[arg(long, value_name = "M", value_parser = not_blank)]
    method: Option<String>,
    #[command(flatten)]
    schedule: ScheduleArguments,
    /// Trajectory format: parquet, csv or npz
    #[arg(long, value_name = "F", value_parser = not_blank)]
    format: Option<String>,
    /// Record these outputs: `hand,hand.velocity,arm.effort`; in place of those that the model records
    #[arg(long, value_name = "NAME,…", value_parser = not_blank)]
    record: Option<String>,
    /// Start where the run in a folder ended, or at its recorded sample nearest to t = T
    #[arg(long, value_name = "DIR[@T]", value_parser = not_blank)]
    from: Option<String>,
    #[command(flatten)]
    pub(crate) threads: ThreadArguments,
    #[command(flatten)]
    pub(crate) checkpoint: CheckpointArguments,
    #[command(flatten)]
    pub(crate) certify: CertifyArguments,
}

impl RunArguments {
    /// Whether anything but the name of a model is given.
    pub(crate) fn is_changed(&self) -> bool {
        let ScheduleArguments {
            step,
            duration,
            steps,
            every,
        } = &self.schedule;
        let values = [
            &self.method,
            step,
            duration,
            steps,
            every,
            &self.format,
            &self.record,
            &self.from,
            &self.model.formula.lagrangian,
        ];
        values.into_iter().any(Option::is_some) || !self.model.set.is_empty()
    }

    /// The model, with everything that the flags say. One that is made of a formula is saved if that is wanted.
    pub(crate) fn load(&self, quiet: bool, replace: bool) -> Result<(Input, Model), Failure> {
        let mut input = Input::open(&self.model)?;
        let length = self.schedule.duration.is_some() || self.schedule.steps.is_some();
        input.require(
            &[("--step", self.schedule.step.is_some()), ("--duration", length)],
            &self.model.set,
        )?;
        if let Some(method) = &self.method {
            input.set_method("--method", method);
        }
        input.set_schedule(&self.schedule);
        if let Some(format) = &self.format {
            input.source.with_flag("--format", &["output", "format"], format);
        }
        if let Some(names) = &self.record {
            input.set_record(names);
        }
        input.set(&self.model.set);
        if let Some(from) = &self.from {
            from::start(&mut input, from, quiet)?;
        }
        let model = input.load(quiet)?;
        input.save(&model, replace)?;
        Ok((input, model))
    }
}

impl Run {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let (input, model) = self.what.load(self.output.quiet, self.output.force)?;
        let stop = interrupt::flag();
        let folder = self.output.folder(&input.name, &input.source, RUN_FILES)?;
        let mut bar = Bar::new(self.output.quiet);
        let control = Control {
            stop,
            progress: &mut |progress: &Progress| bar.update(progress),
            effort: self.what.certify.effort(),
        };
        let archived = match folder {
            None => Archived {
                outcome: run(&model, &input.name, control),
                files: Ok(PathBuf::new()),
                kept: None,
                refused: None,
            },
            Some(folder) => {
                let header = header(&quoted(&folder.path().join("model.toml").to_string_lossy()));
                interrupt::at_once(folder.path());
                // Whoever opens `holonomy view` on the folder sees the run go on.
                let live = Live::new("", Some(folder.path()));
                let archive = Archive {
                    folder,
                    model: &model,
                    name: &input.name,
                    header: &header,
                    interval: self.what.checkpoint.interval(),
                    live: &live,
                };
                archive.run(control)?
            }
        };
        bar.clear();
        show(&model, &archived, self.output.json, self.output.quiet)?;
        let Archived {
            outcome, files, kept, ..
        } = archived;
        match (files, outcome.summary.error) {
            (Err(error), _) => Err(Failure::Kept { error, kept }),
            (_, Some(message)) => Err(failed(&model, message, outcome.summary.steps)),
            _ => Ok(()),
        }
    }
}

/// Shows what a run came to.
pub(crate) fn show(model: &Model, archived: &Archived, json: bool, quiet: bool) -> Result<(), Failure> {
    let Archived {
        outcome,
        files,
        refused,
        ..
    } = archived;
    let summary = &outcome.summary;
    if let Some(refused) = refused.as_ref().filter(|_| !quiet) {
        note(&format!("the run could not be kept on its way: {refused}\n"));
    }
    if json {
        return Ok(output::print(&summary.to_json())?);
    }
    let folder = files.as_ref().ok().filter(|path| !path.as_os_str().is_empty());
    if summary.stopped && files.is_ok() && !quiet {
        let further = match folder {
            Some(folder) => format!(
                "; `holonomy resume {}` goes on",
                quoted(&folder.to_string_lossy())
            ),
            None => String::new(),
        };
        note(&format!(
            "stopped at t = {} s, {} of {} steps{further}\n",
            number(summary.t_end),
            grouped(summary.steps),
            grouped(model.schedule.steps)
        ));
    }
    Ok(output::print(&describe(model, summary, folder))?)
}

/// Numbers of the state times steps for which another method is tried.
const MOST_TRIED: u64 = 10_000_000;

/// The failure of a run after so many steps, and what helps: the method of choice is named if it goes on there.
pub(crate) fn failed(model: &Model, message: String, steps: u64) -> Failure {
    let better = catalog::of_choice(&model.mechanism);
    let further = (steps + steps / 10 + 10).min(model.schedule.steps);
    let goes_on = || {
        let integrator = catalog::find(better).ok()?.build(&model.mechanism).ok()?;
        let (system, state) = (model.mechanism.system(), model.state.clone());
        let mut simulation = Simulation::new(system, integrator, state, model.schedule.step);
        simulation.advance(further).ok()
    };
    let cheap = further.saturating_mul(model.state.q.len() as u64) <= MOST_TRIED;
    let named = better != model.method.name && cheap && goes_on().is_some();
    Failure::Run {
        message,
        better: named.then_some(better),
    }
}

/// What stands above the model of a run.
pub(crate) fn header(path: &str) -> String {
    format!(
        "Made by `{}`, holonomy {}.\nRuns again as it is: `holonomy run {path}`.",
        command_line(),
        env!("CARGO_PKG_VERSION")
    )
}

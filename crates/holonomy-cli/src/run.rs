use crate::{
    ModelArguments, OutputArguments, ScheduleArguments,
    failure::Failure,
    files::{command_line, quoted},
    input::Input,
    interrupt, not_blank,
    output::{self, complain, grouped, number},
    progress::Bar,
    summary::describe,
    threads::ThreadArguments,
};
use holonomy::{integrator::catalog, model::Model};
use holonomy_host::{
    archive::{Archived, run_into},
    folder::{FolderError, RUN_FILES},
    run::{Control, Progress, run},
    summary::Summary,
};
use std::path::PathBuf;

/// Runs a model and writes its trajectory, figures, summary and report to `runs/NAME`
#[derive(clap::Args)]
pub(crate) struct Run {
    #[command(flatten)]
    model: ModelArguments,
    /// Method, see `holonomy methods`; replaces the model's method and its options
    #[arg(long, value_name = "M", value_parser = not_blank)]
    method: Option<String>,
    #[command(flatten)]
    schedule: ScheduleArguments,
    /// Trajectory format: parquet, csv or npz
    #[arg(long, value_name = "F", value_parser = not_blank)]
    format: Option<String>,
    #[command(flatten)]
    pub(crate) threads: ThreadArguments,
    #[command(flatten)]
    output: OutputArguments,
}

impl Run {
    pub(crate) fn run(&self) -> Result<(), Failure> {
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
            input.source.with_flag("--format", "output.format", format);
        }
        input.set(&self.model.set);
        let model = input.load(self.output.quiet)?;
        input.save(&model, self.output.force)?;

        let stop = interrupt::flag();
        let folder = self.output.folder(&input.name, &input.source, RUN_FILES)?;
        let mut bar = Bar::new(self.output.quiet);
        let control = Control {
            stop,
            progress: &mut |progress: &Progress| bar.update(progress),
        };
        let (outcome, files) = match folder {
            None => (run(&model, &input.name, None, control), Ok(None)),
            Some(folder) => {
                let header = header(&quoted(&folder.path().join("model.toml").to_string_lossy()));
                let Archived { outcome, files } = run_into(folder, &model, &input.name, &header, control)?;
                (outcome, files.map(Some))
            }
        };
        bar.clear();
        self.show(&model, &outcome.summary, &files)?;
        match (files, outcome.summary.error) {
            (Err(error), _) => Err(error.into()),
            (_, Some(error)) => match catalog::of_choice(&model.mechanism) {
                better if better != model.method.name => Err(Failure::RunWith { error, better }),
                _ => Err(Failure::Run(error)),
            },
            _ => Ok(()),
        }
    }

    fn show(
        &self,
        model: &Model,
        summary: &Summary,
        files: &Result<Option<PathBuf>, FolderError>,
    ) -> Result<(), Failure> {
        if self.output.json {
            return Ok(output::print(&summary.to_json())?);
        }
        if summary.stopped && files.is_ok() && !self.output.quiet {
            complain(&format!(
                "stopped at t = {} s, {} of {} steps\n",
                number(summary.t_end),
                grouped(summary.steps),
                grouped(model.schedule.steps)
            ));
        }
        let folder = files.as_ref().ok().and_then(Option::as_ref);
        Ok(output::print(&describe(model, summary, folder))?)
    }
}

fn header(path: &str) -> String {
    format!(
        "Made by `{}`, holonomy {}.\nRuns again as it is: `holonomy run {path}`.",
        command_line(),
        env!("CARGO_PKG_VERSION")
    )
}

use crate::{
    ModelArguments, OutputArguments, ScheduleArguments,
    failure::Failure,
    files::{command_line, quoted, shown},
    input::Input,
    interrupt, not_blank,
    output::{self, bold, complain, dim, grouped, lasting, number, rough, rounded, scientific, with_error},
    progress::Bar,
    table::{Align, Table},
};
use holonomy::model::Model;
use holonomy_host::{
    archive::{Archived, run_into},
    folder::{FolderError, RUN_FILES},
    run::{Control, Progress, run},
    summary::Summary,
};
use std::path::PathBuf;

/// Runs a model and writes its trajectory, figures and summary to `runs/NAME`
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
    output: OutputArguments,
}

impl Run {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mut input = Input::find(&self.model.model)?;
        if let Some(method) = &self.method {
            input.set_method("--method", method);
        }
        input.set_schedule(&self.schedule);
        if let Some(format) = &self.format {
            input.source.with_flag("--format", "output.format", format);
        }
        input.set(&self.model.set);
        let model = input.load(self.output.quiet)?;

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
            (_, Some(error)) => Err(Failure::Run(error)),
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

/// A run for people.
fn describe(model: &Model, summary: &Summary, folder: Option<&PathBuf>) -> String {
    let title = match model.title.as_str() {
        "" => &summary.scenario,
        title => title,
    };
    let mut table = Table::new(&[Align::Left, Align::Left, Align::Left]);
    let mut row = |group: &str, what: &str, value: String| {
        table.row([format!("  {}", dim(group)), what.to_owned(), value]);
    };
    let energy = &summary.energy;
    row("energy", "at the start", format!("{} J", number(energy.initial)));
    row(
        "",
        "mean |E − E₀|",
        format!("{} J", scientific(energy.mean_abs_error)),
    );
    row(
        "",
        "largest |E − E₀|",
        format!("{} J", scientific(energy.max_abs_error)),
    );
    if let (Some(drift), Some(error)) = (energy.drift_per_second, energy.drift_standard_error) {
        // Three standard errors: a chance of one in four hundred.
        let verdict = if drift.abs() <= 3.0 * error {
            ", zero within its error"
        } else {
            ""
        };
        row("", "drift", format!("{} J/s{verdict}", with_error(drift, error)));
    }
    row(
        "unit length",
        "largest |1 − q·q|",
        rough(summary.manifold.max_error),
    );
    for (index, momentum) in summary.momentum.iter().enumerate() {
        let group = if index == 0 { "momentum" } else { "" };
        let value = format!("changed by at most {} kg m²/s", rough(momentum.max_error));
        row(group, &momentum.name, value);
    }
    if let Some(constraints) = &summary.constraints {
        row("constraints", "largest violation", rough(constraints.max_error));
    }
    let solver = &summary.solver;
    if solver.max_iterations > 0 {
        let value = format!("{:.2}, at most {}", solver.mean_iterations, solver.max_iterations);
        row("solver", "iterations per step", value);
    }
    if let (Some(substeps), Some(rejected)) = (solver.substeps, solver.rejected) {
        let value = format!("{}, and {} rejected", grouped(substeps), grouped(rejected));
        row("solver", "own steps", value);
    }
    let speed = format!(
        "{} in {}",
        rounded(summary.steps_per_second),
        lasting(summary.wall_seconds)
    );
    row("speed", "steps per second", speed);
    if let Some(folder) = folder {
        table.row([format!("  {}", dim("files")), shown(folder)]);
    }
    format!(
        "{}\n{}, {} steps of {} s to t = {} s\n\n{}",
        bold(title),
        summary.method,
        grouped(summary.steps),
        summary.step,
        number(summary.t_end),
        table.render()
    )
}

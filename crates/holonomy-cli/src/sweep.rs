use crate::{
    ModelArguments, OutputArguments, ScheduleArguments, certify_effort,
    failure::Failure,
    files::{command_line, shown},
    input::Input,
    interrupt, not_blank,
    output::{self, bold, counted, grouped, note},
    progress::Bar,
    threads::ThreadArguments,
};
use holonomy_host::sweep::{Axis, MOST_ON_A_PAGE, Plan, Samples, Spread, SweepError, Swept, axes_of_table};
use holonomy_report::{certificate::Effort, run::Progress};
use std::{path::PathBuf, sync::Mutex};

/// Runs many cases of a model, whose keys take the values of axes, into one table
#[derive(clap::Args)]
#[command(after_help = "\
Axes: `start.theta=-180deg:180deg:200` (200 values, both ends), `run.step=log:1e-4:0.1:16`, `method.name=midpoint,rk4`,
`body.bob.mass=normal:1:0.05` and `uniform:0.9:1.1` (random, with --samples). All points of all axes are cases.
The worst cases stand in `sweep.html`, all in `cases.parquet`, which pandas, polars and DuckDB read.
A sweep that was stopped or killed goes on with the same command.")]
pub(crate) struct Sweep {
    #[command(flatten)]
    model: ModelArguments,
    /// A key of the model and its values; may be given several times
    #[arg(long, value_name = "KEY=VALUES", value_parser = not_blank, allow_hyphen_values = true)]
    vary: Vec<String>,
    /// Cases from a table in Parquet or CSV: a column for each key, a row for each case
    #[arg(long, value_name = "FILE", conflicts_with_all = ["vary", "zip"])]
    vary_table: Option<PathBuf>,
    /// Takes the axes together, value by value, instead of all their points
    #[arg(long)]
    zip: bool,
    /// Cases of random axes, for each point of the others
    #[arg(long, value_name = "N")]
    samples: Option<u64>,
    /// Where random numbers come from: the same seed gives the same cases
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Spreads random values evenly: a Latin hypercube
    #[arg(long)]
    latin: bool,
    /// Takes random values from Sobol's sequence, shifted by the seed; fills many axes most evenly with 2ⁿ samples
    #[arg(long, conflicts_with = "latin")]
    sobol: bool,
    /// Measures besides: "max(NAME)", min, mean, final, "first(NAME > X)" of a column or an output, such as hand.z
    #[arg(long, value_name = "WHAT", value_parser = not_blank)]
    measure: Vec<String>,
    /// Keeps the whole trajectory of each case, as `cases/000123.parquet`
    #[arg(long)]
    trajectories: bool,
    /// Gigabytes that trajectories may take; 10 if left out
    #[arg(
        long,
        value_name = "N",
        requires = "trajectories",
        default_value_t = 10.0,
        hide_default_value = true
    )]
    most_gigabytes: f64,
    /// Format of the trajectories: parquet, csv or npz
    #[arg(long, value_name = "F", value_parser = not_blank, requires = "trajectories")]
    format: Option<String>,
    /// Method, see `holonomy methods`
    #[arg(long, value_name = "M", value_parser = not_blank)]
    method: Option<String>,
    #[command(flatten)]
    schedule: ScheduleArguments,
    /// Looks at each case again for its path and its Lyapunov exponent; `none` if left out
    #[arg(long, value_name = "usual|full|none", value_parser = certify_effort, default_value = "none", hide_default_value = true)]
    certify: Effort,
    #[command(flatten)]
    pub(crate) threads: ThreadArguments,
    #[command(flatten)]
    output: OutputArguments,
}

impl Sweep {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        if self.output.no_files {
            return Err(SweepError::NoFiles.into());
        }
        let axes = match &self.vary_table {
            Some(path) => axes_of_table(path)?,
            None => self
                .vary
                .iter()
                .map(|text| Axis::parse(text))
                .collect::<Result<_, _>>()?,
        };
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
        input.set(&self.model.set);
        let model = input.load(self.output.quiet)?;
        input.save(&model, self.output.force)?;
        let samples = Samples {
            count: self.samples,
            seed: self.seed,
            spread: match (self.latin, self.sobol) {
                (true, _) => Spread::Latin,
                (_, true) => Spread::Sobol,
                _ => Spread::Independent,
            },
        };
        let zip = self.zip || self.vary_table.is_some();
        let mut plan = Plan::new(model, axes, zip, samples, &self.measure, self.certify)?;
        if self.trajectories {
            plan.keep_trajectories(self.most_gigabytes * 1e9)?;
        }
        let folder = self.output.out.clone();
        let folder = folder.unwrap_or_else(|| PathBuf::from("runs").join(format!("{}-sweep", input.name)));
        let stop = interrupt::flag();
        let bar = Mutex::new(Bar::new(self.output.quiet));
        if let Ok(mut bar) = bar.lock() {
            bar.counts("cases");
        }
        let progress = |done: u64, cases: u64| {
            if let Ok(mut bar) = bar.try_lock() {
                bar.update(&Progress {
                    step: done,
                    begun: 0,
                    steps: cases,
                    t: f64::NAN,
                    energy_error: f64::NAN,
                });
            }
        };
        let swept = plan.sweep(&folder, self.output.force, &command_line(), stop, &progress);
        if let Ok(mut bar) = bar.lock() {
            bar.clear();
        }
        let swept = swept?;
        if self.output.json {
            return Ok(output::print(&json(&plan, &swept))?);
        }
        Ok(output::print(&described(&plan, &swept, &shown(&folder)))?)
    }
}

/// What came of it, for programs.
fn json(plan: &Plan, swept: &Swept) -> String {
    let text = serde_json::json!({
        "cases": swept.cases,
        "done": swept.done,
        "before": swept.before,
        "failed": swept.failed,
        "whole": swept.whole,
        "description": plan.describe(),
    });
    format!("{text:#}\n")
}

/// What came of it, for people.
fn described(plan: &Plan, swept: &Swept, folder: &str) -> String {
    let title = match plan.model().title.as_str() {
        "" => "sweep",
        title => title,
    };
    let mut text = format!("{}\n", bold(title));
    text += &counted(swept.cases as usize, "case", "cases");
    let axes: Vec<&str> = plan.axes().iter().map(|axis| axis.key.as_str()).collect();
    text += &format!(" of {}\n\n", axes.join(", "));
    if swept.before > 0 {
        text += &format!("  before   {} were finished already\n", grouped(swept.before));
    }
    text += &format!("  done     {}\n", grouped(swept.done));
    if swept.failed > 0 {
        text += &format!(
            "  failed   {}; the column `message` says why\n",
            grouped(swept.failed)
        );
    }
    match swept.whole {
        true => {
            let first = if swept.cases > MOST_ON_A_PAGE {
                "cases.parquet"
            } else {
                "sweep.html"
            };
            text += &format!("  files    {folder}, begin with {first}\n");
        }
        false => note("stopped; the same command goes on\n"),
    }
    text
}

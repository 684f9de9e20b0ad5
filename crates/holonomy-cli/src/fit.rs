//! Numbers of a model from data.
use crate::{
    ModelArguments, OutputArguments, ScheduleArguments,
    failure::Failure,
    files::{command_line, shown},
    input::Input,
    interrupt, not_blank,
    output::{self, bold, counted, dim, number, rough},
    progress::Bar,
    table::{Align, Table},
    threads::ThreadArguments,
};
use holonomy_host::fit::{self, Data, Free, Segments};
use holonomy_report::{fit::Fitted, run::Progress};
use std::{cell::RefCell, path::PathBuf};

/// Finds the numbers of a model with which it comes closest to measured data
#[derive(clap::Args)]
#[command(after_help = "\
The data are a table in CSV or Parquet: a column `t`, s, and one for each output, called as `record` calls it.
Numbers are called as in `--set`: `--free parameters.k --free start.theta=-1:1` (between these bounds).")]
pub(crate) struct Fit {
    /// Name of a scenario (see `holonomy list`) or path of a model file
    #[arg(value_name = "NAME|FILE", value_parser = not_blank)]
    model: String,
    /// The table of what was measured
    #[arg(value_name = "DATA")]
    data: PathBuf,
    /// A number of the model that may change, and between what; may be given several times
    #[arg(
        long,
        value_name = "KEY[=LOW:HIGH]",
        required = true,
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    free: Vec<String>,
    /// Cuts the run into so many stretches, each with a start of its own that is sought until they join: where motion is
    /// chaotic. `auto` takes as many as the motion asks for, one if it is regular
    #[arg(long, value_name = "COUNT|auto", default_value = "auto", value_parser = segments)]
    segments: Segments,
    /// Sets any key of the model, such as the value to begin with: parameters.k=2
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    #[command(flatten)]
    schedule: ScheduleArguments,
    #[command(flatten)]
    pub(crate) threads: ThreadArguments,
    #[command(flatten)]
    output: OutputArguments,
}

const FILES: &[&str] = &["fit.html", "fit.json", "residuals.csv", "model.toml"];

fn segments(text: &str) -> Result<Segments, String> {
    match text {
        "auto" => Ok(Segments::Auto),
        count => (count.parse().map(Segments::Count))
            .map_err(|_| "write a whole number from 1, or `auto`".to_owned()),
    }
}

impl Fit {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mut input = Input::open(&ModelArguments::named(&self.model, &self.set))?;
        input.set_schedule(&self.schedule);
        input.set(&self.set);
        let model = input.load(self.output.quiet)?;
        let data = Data::read(&self.data, &model)?;
        let free: Vec<Free> = (self.free.iter())
            .map(|text| Free::parse(text, &model))
            .collect::<Result<_, _>>()?;
        let stop = interrupt::flag();
        let folder = self
            .output
            .folder(&format!("{}-fit", input.name), &input.source, FILES)?;
        let bar = RefCell::new(Bar::new(self.output.quiet));
        bar.borrow_mut().counts("fits");
        let mut tell = |count: usize, squares: f64| {
            let mut bar = bar.borrow_mut();
            bar.begin_again(&format!("squares {}", rough(squares)));
            bar.update(&Progress {
                step: count as u64,
                begun: 0,
                steps: 2 * count as u64,
                t: f64::NAN,
                energy_error: f64::NAN,
            });
        };
        let watch: (_, &mut dyn FnMut(usize, f64)) = (stop, &mut tell);
        let found = fit::fit_in(&model, &input.name, &data, &free, self.segments, watch);
        bar.borrow_mut().clear();
        let (found, best) = found?;
        let title = match model.title.as_str() {
            "" => &input.name,
            title => title,
        };
        let mut files = None;
        if let Some(mut folder) = folder {
            let command = command_line();
            folder.add("fit.html", &found.page(title, &command))?;
            folder.add("fit.json", &found.to_json())?;
            folder.add("residuals.csv", &found.residuals_csv())?;
            folder.add(
                "model.toml",
                &holonomy_model::to_toml(&best.table, &format!("Made by `{command}`.")),
            )?;
            files = Some(shown(folder.path()));
            folder.commit()?;
        }
        let kept = files.is_some();
        let text = match self.output.json {
            true => found.to_json(),
            false => describe(title, &found, files.as_deref()),
        };
        output::print(&text)?;
        match found.conclusion().0 {
            holonomy_report::verdict::Verdict::Bad => Err(Failure::NotReached { kept }),
            _ if !found.is_over() => Err(Failure::NotReached { kept }),
            _ => Ok(()),
        }
    }
}

fn describe(title: &str, found: &Fitted, files: Option<&str>) -> String {
    let mut text = format!(
        "{}\n{} to {} of {}, after {}\n\n",
        bold(title),
        counted(found.numbers.len(), "number", "numbers"),
        counted(found.columns.len(), "column", "columns"),
        counted(found.times.len(), "row", "rows"),
        counted(found.history.len().saturating_sub(1), "step", "steps"),
    );
    let mut table = Table::new(&[Align::Left, Align::Right, Align::Right, Align::Left, Align::Left]);
    table.row(["number", "before", "now", "", ""].map(dim));
    for found in &found.numbers {
        let note = match (found.at_bound, found.error.is_finite()) {
            (true, _) => "held by its bound",
            (_, false) => "not determined",
            _ => "",
        };
        table.row([
            format!("  {}", found.key),
            number(found.before),
            Fitted::written(found),
            found.unit.clone(),
            note.to_owned(),
        ]);
    }
    text += &table.render();
    let mut table = Table::new(&[Align::Left, Align::Right, Align::Right, Align::Left]);
    table.row(["column", "varies by", "off by", ""].map(dim));
    for column in &found.columns {
        table.row([
            format!("  {}", column.name),
            number(column.spread),
            number(column.off),
            column.unit.clone(),
        ]);
    }
    text += &format!("\n{}\n", table.render());
    let (verdict, sentence) = found.conclusion();
    text += &output::conclusion(verdict, &sentence);
    text += &format!("{}\n", found.manner());
    for direction in &found.undetermined {
        let sentence = format!("Not determined: {}.", direction.sentence());
        text += &output::conclusion(holonomy_report::verdict::Verdict::Doubtful, &sentence);
    }
    if let Some(files) = files {
        text += &format!("{} {files}, begin with fit.html\n", dim("files"));
    }
    text
}

//! Inputs of a given motion.
use crate::{
    ModelArguments, OutputArguments,
    failure::Failure,
    files::{command_line, shown},
    input::Input,
    interrupt, not_blank,
    output::{self, bold, counted, dim, number},
    progress::Bar,
    table::{Align, Table},
};
use holonomy_host::{
    control,
    inverse::{self, Motion},
};
use holonomy_model::{Value, to_toml};
use holonomy_report::{inverse::Inverted, number::decimal, run::Progress};
use std::{cell::RefCell, path::PathBuf};

/// Computes the inputs that produce a given motion, from the equations of the steps
#[derive(clap::Args)]
#[command(after_help = "\
The motion is a table in CSV or Parquet with a column `t`, s, and one for each coordinate, a row for each step of the model;
or the folder of a run or of `holonomy control`. Of inputs that do the same the smallest are taken, within `min` and `max`:
tensions are inputs with `min = …`.")]
pub(crate) struct Inverse {
    /// Name of a scenario (see `holonomy list`) or path of a model file
    #[arg(value_name = "NAME|FILE", value_parser = not_blank)]
    model: String,
    /// The motion: a table, or a folder
    #[arg(value_name = "MOTION")]
    motion: PathBuf,
    /// Sets any key of the model: run.step=0.01
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    #[command(flatten)]
    output: OutputArguments,
}

const FILES: &[&str] = &["inverse.html", "inverse.json", "inputs.csv", "model.toml"];

impl Inverse {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mut input = Input::open(&ModelArguments::named(&self.model, &self.set))?;
        input.set(&self.set);
        let model = input.load(self.output.quiet)?;
        let motion = Motion::read(&self.motion, &model)?;
        let stop = interrupt::flag();
        let folder = self
            .output
            .folder(&format!("{}-inverse", input.name), &input.source, FILES)?;
        let bar = RefCell::new(Bar::new(self.output.quiet));
        let mut tell = |step: usize, steps: usize| {
            bar.borrow_mut().update(&Progress {
                step: step as u64,
                begun: 0,
                steps: steps as u64,
                t: f64::NAN,
                energy_error: f64::NAN,
            });
        };
        let found = inverse::inverse(&model, &input.name, &motion, stop, &mut tell);
        bar.borrow_mut().clear();
        let (found, start) = found?;
        let title = match model.title.as_str() {
            "" => &input.name,
            title => title,
        };
        let mut files = None;
        if let Some(mut folder) = folder {
            let command = command_line();
            folder.add("inverse.html", &found.page(title, &command))?;
            folder.add("inverse.json", &found.to_json())?;
            folder.add("inputs.csv", &found.efforts_csv())?;
            if let Some(mut table) = control::with_inputs(&model, &found.efforts, None) {
                if let Some(start) = start {
                    let list = |values: &[f64]| Value::List(values.iter().map(|x| Value::from(*x)).collect());
                    let system = model.mechanism.system();
                    let mut v = vec![0.0; start.p.len()];
                    system.velocity(start.t, &start.q, &start.p, &mut v, &mut system.scratch());
                    let mut state = holonomy_model::Table::new();
                    state.insert("t", start.t);
                    state.insert("q", list(&start.q));
                    state.insert("v", list(&v));
                    table.insert("state", state);
                }
                folder.add("model.toml", &to_toml(&table, &format!("Made by `{command}`.")))?;
            }
            files = Some(shown(folder.path()));
            folder.commit()?;
        }
        let kept = files.is_some();
        let text = match self.output.json {
            true => found.to_json(),
            false => describe(title, &found, files.as_deref()),
        };
        output::print(&text)?;
        match found.possible {
            true => Ok(()),
            false => Err(Failure::NotReached { kept }),
        }
    }
}

fn describe(title: &str, found: &Inverted, files: Option<&str>) -> String {
    let mut text = format!(
        "{}\n{} of {} s of {}\n\n",
        bold(title),
        counted(found.efforts.len(), "step", "steps"),
        decimal(found.step),
        found.method
    );
    let mut table = Table::new(&[Align::Left, Align::Right, Align::Right, Align::Left]);
    table.row(["input", "least", "most", ""].map(dim));
    for (k, name) in found.inputs.iter().enumerate() {
        let each = found.efforts.iter().map(|efforts| efforts[k]);
        let least = each.clone().fold(f64::INFINITY, f64::min);
        let most = each.fold(f64::NEG_INFINITY, f64::max);
        table.row([
            format!("  {name}"),
            number(least),
            number(most),
            found.input_units.get(k).cloned().unwrap_or_default(),
        ]);
    }
    text += &format!("{}\n", table.render());
    let (verdict, sentence) = found.conclusion();
    text += &output::conclusion(verdict, &sentence);
    if let Some(files) = files {
        text += &format!("{} {files}, begin with inverse.html\n", dim("files"));
    }
    text
}

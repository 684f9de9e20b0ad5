//! The gradient of an output at the end of a run.
use crate::{
    ModelArguments, OutputArguments,
    failure::Failure,
    files::{command_line, shown},
    input::Input,
    interrupt,
    linearize::seconds,
    not_blank,
    output::{self, bold, dim},
    progress::Bar,
    table::{Align, Table},
};
use holonomy_report::{
    gradient::{self, Request, kind},
    number::{decimal, digits, rough},
    run::Progress,
};
use std::{cell::RefCell, sync::atomic::Ordering};

/// What an output at the end of a run depends on: its gradient, exact, and what that is worth
#[derive(clap::Args)]
#[command(after_help = "\
One run, and one way back along it, whatever the number of derivatives. `--by parameters.l1,start` takes some of them: \
the words `start`, `parameters` and `inputs`, and keys as `--set` takes them.")]
pub(crate) struct Gradient {
    #[command(flatten)]
    model: ModelArguments,
    /// The output, by the name under which it is recorded: a coordinate, `energy`, `hand.z`, a definition
    #[arg(long, value_name = "NAME", value_parser = not_blank)]
    of: String,
    /// At this time of the motion, s; at the end of the run if nothing is said
    #[arg(long, value_name = "T", value_parser = not_blank, allow_negative_numbers = true)]
    at: Option<String>,
    /// By what: `start`, `parameters`, `inputs`, keys of numbers; all three words if nothing is said
    #[arg(long, value_name = "WHAT,…", value_delimiter = ',', value_parser = not_blank)]
    by: Vec<String>,
    /// Method, see `holonomy methods`
    #[arg(long, value_name = "M", value_parser = not_blank)]
    method: Option<String>,
    /// Step, s
    #[arg(long, value_name = "H", value_parser = not_blank, allow_negative_numbers = true)]
    step: Option<String>,
    #[command(flatten)]
    output: OutputArguments,
}

const FILES: &[&str] = &["gradient.html", "gradient.json", "gradient.svg", "gradient.csv"];

impl Gradient {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mut input = Input::with_keys(&self.model)?;
        if input.is_formula() && self.at.is_none() {
            return Err(Failure::NoSchedule { flags: vec!["--at"] });
        }
        if let Some(method) = &self.method {
            input.set_method("--method", method);
        }
        if let Some(step) = &self.step {
            input.source.with_flag("--step", &["run", "step"], step);
        }
        input.set(&self.model.set);
        let model = input.load(self.output.quiet || self.output.json)?;
        let at = self.at.as_ref().map(|at| seconds("--at", at)).transpose()?;
        let request = Request {
            of: self.of.trim().to_owned(),
            at,
            by: self.by.iter().map(|by| by.trim().to_owned()).collect(),
        };
        let stop = interrupt::flag();
        let name = format!("{}-gradient", input.name);
        let folder = self.output.folder(&name, &input.source, FILES)?;

        let bar = RefCell::new(Bar::new(self.output.quiet));
        let mut ahead = |step: u64, steps: u64| {
            bar.borrow_mut().update(&Progress {
                step,
                begun: 0,
                steps,
                t: f64::NAN,
                energy_error: f64::NAN,
            });
            !stop.load(Ordering::Relaxed)
        };
        bar.borrow_mut().begin("there and back");
        let found = gradient::Gradient::new(&model, &input.name, &request, &mut ahead);
        bar.borrow_mut().clear();
        let found = found?;

        let title = match model.title.as_str() {
            "" => &input.name,
            title => title,
        };
        let mut files = None;
        if let Some(mut folder) = folder {
            folder.add("gradient.svg", &found.figure(title))?;
            folder.add("gradient.html", &found.page(title, &command_line()))?;
            folder.add("gradient.json", &found.to_json())?;
            folder.add("gradient.csv", &found.csv())?;
            files = Some(shown(folder.path()));
            folder.commit()?;
        }
        let text = match self.output.json {
            true => found.to_json(),
            false => describe(title, &found, files.as_deref()),
        };
        Ok(output::print(&text)?)
    }
}

/// Derivatives that are printed.
const MOST: usize = 30;

fn describe(title: &str, found: &gradient::Gradient, files: Option<&str>) -> String {
    let (verdict, sentence) = found.conclusion();
    let mut text = format!(
        "{}\n{}, step {} s: {}\n\n{}\n",
        bold(title),
        found.method,
        decimal(found.step),
        found.headline(),
        output::conclusion(verdict, &sentence)
    );
    let mut table = Table::new(&[
        Align::Left,
        Align::Left,
        Align::Right,
        Align::Left,
        Align::Right,
        Align::Left,
        Align::Right,
    ]);
    table.row(["by", "", "value", "", "derivative", "", "1 % changes it by"].map(dim));
    for slope in found.shown().take(MOST) {
        table.row([
            format!("  {}", slope.name),
            dim(kind(slope.kind)),
            rough(slope.value),
            slope.unit.clone(),
            digits(slope.slope, 8),
            found.unit_of(slope),
            rough(slope.percent),
        ]);
    }
    text += &table.render();
    let left = found.shown().count().saturating_sub(MOST);
    if left > 0 {
        text += &format!("{}\n", dim(&format!("and {left} more; `--json` has all")));
    }
    let idle = found.idle();
    if !idle.is_empty() {
        let names = output::shortened(&idle.join(", "), 90);
        text += &format!("{} {names}\n", dim("nothing changes with"));
    }
    for left in &found.left_out {
        text += &format!("{} `{}`: {}\n", dim("not by"), left.key, left.why);
    }
    text.push('\n');
    let mut table = Table::new(&[Align::Left, Align::Right, Align::Left]);
    for (verdict, what, value, said) in found.lines() {
        table.row([output::verdict(verdict, &what), value, dim(&said)]);
    }
    text += &table.render();
    if let Some(files) = files {
        text += &format!("{} {files}, begin with gradient.html\n", dim("files"));
    }
    text
}

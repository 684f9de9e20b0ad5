//! Inputs that bring about what a model asks for.
use crate::{
    ModelArguments, OutputArguments, ScheduleArguments,
    failure::Failure,
    files::{command_line, shown},
    input::Input,
    interrupt,
    output::{self, bold, counted, dim, rough},
    progress::Bar,
    table::{Align, Table},
};
use holonomy_host::control;
use holonomy_model::to_toml;
use holonomy_report::{control::Controlled, number, run::Progress};
use std::cell::RefCell;

/// Finds the inputs that reach the goals of a model at the least effort, and the feedback that holds them
#[derive(clap::Args)]
#[command(after_help = "\
The model says what can be chosen, `[[input]]`, what is wanted, `[[goal]]` and `[[bound]]`, and what it may cost,
`[control]`; see the guide, “Control”. The folder holds the inputs, the gains, the motion, and the model whose inputs do by
themselves what was found, feedback included: `holonomy run FOLDER/model.toml`.")]
pub(crate) struct Control {
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    schedule: ScheduleArguments,
    /// Keeps the model's own motion, and finds only the feedback that holds it
    #[arg(long)]
    hold: bool,
    #[command(flatten)]
    output: OutputArguments,
}

const FILES: &[&str] = &[
    "control.html",
    "control.json",
    "inputs.csv",
    "inputs.toml",
    "gains.csv",
    "motion.csv",
    "model.toml",
];

impl Control {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mut input = Input::open(&self.model)?;
        input.set_schedule(&self.schedule);
        input.set(&self.model.set);
        let model = input.load(self.output.quiet)?;
        let stop = interrupt::flag();
        let name = format!("{}-control", input.name);
        let folder = self.output.folder(&name, &input.source, FILES)?;
        let bar = RefCell::new(Bar::new(self.output.quiet));
        bar.borrow_mut().counts("sweeps");
        let most = model.control.as_ref().map_or(0, |control| control.sweeps) as u64;
        let mut tell = |count: usize, sweep: &control::horizon::Sweep| {
            let mut bar = bar.borrow_mut();
            bar.begin_again(&format!(
                "cost {}, off by {}",
                rough(sweep.cost),
                rough(sweep.violation)
            ));
            bar.update(&Progress {
                step: count as u64,
                begun: 0,
                steps: most.max(count as u64),
                t: f64::NAN,
                energy_error: f64::NAN,
            });
        };
        let found = match self.hold {
            true => control::hold(&model, &input.name),
            false => control::seek(&model, &input.name, stop, &mut tell),
        };
        bar.borrow_mut().clear();
        let (found, fed) = found?;
        let title = match model.title.as_str() {
            "" => &input.name,
            title => title,
        };
        let mut files = None;
        if let Some(mut folder) = folder {
            let command = command_line();
            folder.add("control.html", &found.page(title, &command))?;
            folder.add("control.json", &found.to_json())?;
            folder.add("inputs.csv", &found.efforts_csv())?;
            folder.add("inputs.toml", &found.efforts_toml())?;
            folder.add("gains.csv", &found.gains_csv())?;
            folder.add("motion.csv", &found.motion_csv())?;
            if let Some(table) = control::with_inputs(&model, &found.efforts, fed.as_ref()) {
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
        match found.is_good() {
            true => Ok(()),
            false => Err(Failure::NotReached { kept }),
        }
    }
}

fn describe(title: &str, found: &Controlled, files: Option<&str>) -> String {
    let mut text = format!(
        "{}\n{} of {} s of {}, after {}\n\n",
        bold(title),
        counted(found.steps as usize, "step", "steps"),
        number::decimal(found.step),
        found.method,
        counted(found.sweeps.len(), "sweep", "sweeps")
    );
    let mut table = Table::new(&[Align::Left, Align::Right, Align::Right, Align::Left, Align::Left]);
    table.row(["goal", "wanted", "reached", "", ""].map(dim));
    for goal in &found.goals {
        let kind = if goal.exact { "" } else { "has a weight" };
        table.row([
            format!("  {}", goal.of),
            output::number(goal.wanted),
            output::number(goal.reached),
            goal.unit.clone(),
            kind.to_owned(),
        ]);
    }
    text += &table.render();
    let mut table = Table::new(&[Align::Left, Align::Right, Align::Right, Align::Left]);
    table.row(["input", "least", "most", ""].map(dim));
    for (k, name) in found.inputs.iter().enumerate() {
        let each = found.efforts.iter().map(|efforts| efforts[k]);
        let least = each.clone().fold(f64::INFINITY, f64::min);
        let most = each.fold(f64::NEG_INFINITY, f64::max);
        table.row([
            format!("  {name}"),
            output::number(least),
            output::number(most),
            found.input_units.get(k).cloned().unwrap_or_default(),
        ]);
    }
    text += &format!("\n{}\n", table.render());
    let (verdict, sentence) = found.conclusion();
    text += &output::conclusion(verdict, &sentence);
    for warning in found.warnings() {
        text += &output::conclusion(holonomy_report::verdict::Verdict::Doubtful, &warning);
    }
    text += &format!("{} {}\n", dim("cost"), output::number(found.cost));
    text += &format!(
        "{} a deviation at the start grows {}-fold, under the gains {}-fold\n",
        dim("stability"),
        number::rough(found.open_growth),
        number::rough(found.closed_growth)
    );
    if let Some(why) = &found.not_fed {
        text += &format!("{} {why}\n", dim("feedback"));
    }
    if let Some(files) = files {
        text += &format!("{} {files}, begin with control.html\n", dim("files"));
    }
    text
}

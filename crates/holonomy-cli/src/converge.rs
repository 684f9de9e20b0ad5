use crate::{
    ModelArguments, OutputArguments,
    failure::Failure,
    files::{command_line, shown},
    input::Input,
    interrupt, not_blank,
    output::{self, bold, dim, grouped, scientific},
    progress::Bar,
    table::{Align, Table},
    threads::ThreadArguments,
};
use holonomy_model::{Unit, parse_quantity};
use holonomy_report::{
    certificate::Effort,
    converge::{Convergence, converge},
    figures,
    number::decimal,
    run::{Control, Progress},
};
use std::cell::RefCell;

/// Measures how the error of a method falls with its step, against an exact or a very accurate one
#[derive(clap::Args)]
pub(crate) struct Converge {
    #[command(flatten)]
    model: ModelArguments,
    /// Method, see `holonomy methods`
    #[arg(long, value_name = "M", value_parser = not_blank)]
    method: Option<String>,
    /// Steps, s, separated by commas
    #[arg(
        long,
        value_name = "H1,H2,…",
        value_delimiter = ',',
        required = true,
        allow_negative_numbers = true
    )]
    steps: Vec<String>,
    /// Time at which errors are measured, s; keep it short where the motion is chaotic
    #[arg(long, value_name = "T", value_parser = not_blank, allow_negative_numbers = true)]
    duration: Option<String>,
    #[command(flatten)]
    pub(crate) threads: ThreadArguments,
    #[command(flatten)]
    output: OutputArguments,
}

const FILES: &[&str] = &["converge.svg", "converge.html", "converge.json"];

impl Converge {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let steps: Vec<f64> = self
            .steps
            .iter()
            .map(|text| step(text))
            .collect::<Result<_, _>>()?;
        let mut input = Input::open(&self.model)?;
        input.require(&[("--duration", self.duration.is_some())], &self.model.set)?;
        if let (true, Some(first)) = (input.is_formula(), self.steps.first()) {
            input.source.with_flag("--steps", &["run", "step"], first);
        }
        if let Some(method) = &self.method {
            input.set_method("--method", method);
        }
        if let Some(duration) = &self.duration {
            input.set_duration(duration);
        }
        input.set(&self.model.set);
        let model = input.load(self.output.quiet)?;
        input.save(&model, self.output.force)?;
        let stop = interrupt::flag();
        let name = format!("{}-converge", input.name);
        let folder = self.output.folder(&name, &input.source, FILES)?;

        let bar = RefCell::new(Bar::new(self.output.quiet));
        let control = Control {
            stop,
            progress: &mut |progress: &Progress| bar.borrow_mut().update(progress),
            effort: Effort::None,
        };
        let mut begin = |what: &str| bar.borrow_mut().begin(what);
        let convergence = converge(&model, &input.name, &steps, &mut begin, control);
        bar.borrow_mut().clear();
        let convergence = convergence?;

        let title = match model.title.as_str() {
            "" => &input.name,
            title => title,
        };
        let mut files = None;
        if let Some(mut folder) = folder {
            folder.add("converge.svg", &figures::converge(title, &convergence))?;
            folder.add("converge.html", &convergence.page(title, &command_line()))?;
            folder.add("converge.json", &convergence.to_json())?;
            files = Some(shown(folder.path()));
            folder.commit()?;
        }
        let text = if self.output.json {
            convergence.to_json()
        } else {
            describe(title, &convergence, files.as_deref())
        };
        Ok(output::print(&text)?)
    }
}

/// A step from the command line; `10 ms` will do.
fn step(text: &str) -> Result<f64, Failure> {
    let bad = |reason: String, help: Option<String>| Failure::BadValue {
        flag: "--steps",
        value: text.to_owned(),
        reason,
        help,
    };
    match parse_quantity(text.trim(), Unit::SECOND) {
        Ok(step) if step > 0.0 => Ok(step),
        Ok(step) => Err(bad(
            format!("a step of {} s is not positive", decimal(step)),
            Some("give steps in s, separated by commas: `--steps 0.04,0.02,0.01`".to_owned()),
        )),
        Err(error) => Err(bad(error.to_string(), error.help())),
    }
}

fn describe(title: &str, convergence: &Convergence, files: Option<&str>) -> String {
    let mut table = Table::new(&[
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Left,
    ]);
    table.row(["step (s)", "steps", "error", "slope", ""].map(dim));
    for point in &convergence.points {
        let note = match (&point.problem, point.above_floor) {
            (Some(problem), _) => format!("failed {problem}"),
            (None, false) => "at the accuracy of the reference or of rounding".to_owned(),
            (None, true) => String::new(),
        };
        table.row([
            decimal(point.step),
            grouped(point.steps),
            point.error.map_or_else(|| "-".to_owned(), scientific),
            point
                .slope
                .map_or_else(String::new, |slope| format!("{slope:.2}")),
            note,
        ]);
    }
    let reference = &convergence.reference;
    let order = convergence
        .order
        .map_or_else(|| "not measurable".to_owned(), |order| format!("{order:.2}"));
    let (verdict, sentence) = convergence.conclusion();
    let mut text = format!(
        "{}\n{}, errors at t = {} s\n\n{}\n{}{} {order} (declared {})\n{} {reference}, accurate to {}\n",
        bold(title),
        convergence.method,
        decimal(convergence.t_end),
        table.render(),
        output::conclusion(verdict, &sentence),
        dim("order"),
        convergence.declared_order,
        dim("reference"),
        scientific(reference.accuracy),
    );
    if let Some(files) = files {
        text += &format!("{} {files}\n", dim("files"));
    }
    text
}

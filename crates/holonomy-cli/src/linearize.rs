//! A model linearised.
use crate::{
    ModelArguments, OutputArguments,
    failure::Failure,
    files::{command_line, shown},
    input::Input,
    interrupt, not_blank,
    output::{self, bold, dim},
    progress::Bar,
    table::{Align, Table},
};
use holonomy_host::matrices;
use holonomy_model::{Model, Unit, parse_quantity};
use holonomy_report::{
    linearize::{self, Linearization, Place, Spectrum, derivatives, symplectic},
    number::{decimal, rough},
    run::Progress,
};
use std::{cell::RefCell, sync::atomic::Ordering};

/// Linearises a model: matrices of a step and of the equations of motion, poles, frequencies, mode shapes
#[derive(clap::Args)]
pub(crate) struct Linearize {
    #[command(flatten)]
    model: ModelArguments,
    /// At the equilibrium that is found from the start, not at the start itself
    #[arg(long, conflicts_with = "at")]
    settled: bool,
    /// At this time of the motion, s
    #[arg(long, value_name = "T", value_parser = not_blank, allow_negative_numbers = true)]
    at: Option<String>,
    /// Method, see `holonomy methods`
    #[arg(long, value_name = "M", value_parser = not_blank)]
    method: Option<String>,
    /// Step, s
    #[arg(long, value_name = "H", value_parser = not_blank, allow_negative_numbers = true)]
    step: Option<String>,
    /// Outputs, by the names of `[output] record`
    #[arg(long, value_name = "NAME,…", value_parser = not_blank)]
    record: Option<String>,
    /// All Lyapunov exponents too, over the run of the model
    #[arg(long)]
    lyapunov: bool,
    #[command(flatten)]
    output: OutputArguments,
}

const FILES: &[&str] = &[
    "linearize.html",
    "linearize.json",
    "linearize.svg",
    "matrices.npz",
    "A.csv",
    "B.csv",
    "C.csv",
    "D.csv",
    "Ac.csv",
    "Bc.csv",
];

/// The file of a matrix.
const TABLES: &[(&str, &str)] = &[
    ("A", "A.csv"),
    ("B", "B.csv"),
    ("C", "C.csv"),
    ("D", "D.csv"),
    ("Ac", "Ac.csv"),
    ("Bc", "Bc.csv"),
];

impl Linearize {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mut input = Input::with_keys(&self.model)?;
        if let Some(method) = &self.method {
            input.set_method("--method", method);
        }
        if let Some(step) = &self.step {
            input.source.with_flag("--step", &["run", "step"], step);
        }
        if let Some(names) = &self.record {
            input.set_record(names);
        }
        input.set(&self.model.set);
        let model = input.load(self.output.quiet || self.output.json)?;
        let place = match (&self.at, self.settled) {
            (Some(at), _) => Place::At(seconds("--at", at)?),
            (None, true) => Place::Settled,
            (None, false) => Place::Start,
        };
        let stop = interrupt::flag();
        let name = format!("{}-linearize", input.name);
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
        bar.borrow_mut().begin("motion");
        let found = Linearization::new(&model, &input.name, place, &mut ahead).and_then(|mut found| {
            if self.lyapunov {
                bar.borrow_mut().begin("exponents");
                found.lyapunov = Some(Spectrum::new(&model, &mut ahead)?);
            }
            Ok(found)
        });
        bar.borrow_mut().clear();
        let found = found?;

        let title = match model.title.as_str() {
            "" => &input.name,
            title => title,
        };
        let mut files = None;
        if let Some(mut folder) = folder {
            folder.add("linearize.svg", &found.figure(title))?;
            folder.add("linearize.html", &found.page(&model, title, &command_line()))?;
            folder.add("linearize.json", &found.to_json())?;
            let columns = |name: &str| match name {
                "B" | "D" | "Bc" => found.inputs.len(),
                _ => found.states.len(),
            };
            let named = found.named();
            let archive = matrices::npz(named.iter().map(|(name, rows)| (*name, *rows, columns(name))))?;
            folder.add("matrices.npz", &archive)?;
            for (name, file) in TABLES {
                if let Some((_, matrix)) = named.iter().find(|(own, _)| own == name) {
                    folder.add(file, &linearize::csv(matrix))?;
                }
            }
            files = Some(shown(folder.path()));
            folder.commit()?;
        }
        let text = match self.output.json {
            true => found.to_json(),
            false => describe(&model, title, &found, files.as_deref()),
        };
        Ok(output::print(&text)?)
    }
}

/// A time from the command line; `10 ms` will do.
pub(crate) fn seconds(flag: &'static str, text: &str) -> Result<f64, Failure> {
    parse_quantity(text.trim(), Unit::SECOND).map_err(|error| Failure::BadValue {
        flag,
        value: text.to_owned(),
        reason: error.to_string(),
        help: error.help(),
    })
}

/// Modes that are printed.
const MOST: usize = 40;

fn describe(model: &Model, title: &str, found: &Linearization, files: Option<&str>) -> String {
    let (verdict, sentence) = found.conclusion();
    let mut text = format!(
        "{}\n{}, step {} s, at t = {} s\n\n{}\n",
        bold(title),
        found.method,
        decimal(found.step),
        decimal(found.t),
        output::conclusion(verdict, &sentence)
    );
    let mut table = Table::new(&[
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Left,
    ]);
    table.row(
        [
            "mode",
            "Re s (1/s)",
            "Im s (rad/s)",
            "Hz",
            "damping",
            "|μ| − 1",
            "moves most",
        ]
        .map(dim),
    );
    for (number, pole) in found.shown().take(MOST) {
        let damping = match pole.damping.is_finite() {
            true => rough(pole.damping),
            false => "–".to_owned(),
        };
        table.row([
            (number + 1).to_string(),
            linearize::shown(pole.re, pole.error),
            linearize::shown(pole.im, pole.error),
            linearize::shown(pole.frequency, pole.error),
            damping,
            found.image(pole).map_or_else(String::new, linearize::excess),
            found.largest(pole).to_owned(),
        ]);
    }
    text += &table.render();
    let left = found.shown().count().saturating_sub(MOST);
    if left > 0 {
        text += &format!("{}\n", dim(&format!("and {left} more; `--json` has all")));
    }
    text += &format!(
        "\n{} {}\n",
        found.map(),
        linearize::equations(found.continuous_exact)
    );
    text += &format!(
        "{}{}\n",
        derivatives(found.exact),
        symplectic(found.symplectic_defect)
    );
    let list = |names: &[String]| match names.is_empty() {
        true => "none".to_owned(),
        false => output::shortened(&names.join(", "), 100),
    };
    text += &format!("{} {}\n", dim("coordinates"), list(found.coordinates()));
    text += &format!("{} {}\n", dim("inputs"), list(&found.inputs));
    text += &format!("{} {}\n", dim("outputs"), list(&found.outputs));
    if found.redundant > 0 {
        text += &format!(
            "{} {} of the equations of constraint follow from the others\n",
            dim("note"),
            found.redundant
        );
    }
    if model.inputs.is_empty() {
        text += &format!("{} `[[input]]` in the model gives B its columns\n", dim("note"));
    }
    let unknown = found.unknown();
    if !unknown.is_empty() {
        text += &format!(
            "{} D is not known of {}: such an input does nothing by itself in a run\n",
            dim("note"),
            unknown.join(", ")
        );
    }
    if let Some(spectrum) = &found.lyapunov {
        let each: Vec<String> = spectrum.exponents.iter().map(|value| rough(*value)).collect();
        text += &format!(
            "{} {} 1/s, over {} s\n",
            dim("Lyapunov exponents"),
            each.join(", "),
            decimal(spectrum.duration)
        );
    }
    if let Some(files) = files {
        text += &format!("{} {files}\n", dim("files"));
    }
    text
}

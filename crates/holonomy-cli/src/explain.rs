//! What was understood of a model, in words.
mod advice;
mod forces;
mod frame;
mod lagrangian;
mod spheres;
mod tree;

use crate::{
    ModelArguments,
    failure::Failure,
    input::Input,
    output::{self, bold, dim, grouped, number, wrapped},
};
use console::measure_text_width;
use holonomy::{
    decimal,
    system::{Energy, Layout, Measurement, Mechanism},
};
use holonomy_model::Model;
use holonomy_report::verdict::NOT_CONSERVED;

/// Prints what was understood of a model: coordinates, energies, what is conserved, methods that fit
#[derive(clap::Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    model: ModelArguments,
}

impl Explain {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let input = Input::with_keys(&self.model)?;
        let model = input.load(false)?;
        input.save(&model, false)?;
        let width = output::terminal_width().map_or(WIDTH, |width| width.clamp(60, WIDTH));
        let text = explain(&model, &input.name, !input.is_formula(), width);
        Ok(output::print(&text)?)
    }
}

/// The most columns of a screen.
pub(crate) const WIDTH: usize = 100;

pub(crate) fn explain(model: &Model, name: &str, scheduled: bool, width: usize) -> String {
    let title = match model.title.as_str() {
        "" => name,
        title => title,
    };
    let system = model.mechanism.system();
    let mut page = Page::new(width);
    page.text += &format!("{}\n", bold(title));
    let mut measured = Measurement::default();
    system.measure(&model.state, &mut measured, &mut system.scratch());
    match &model.mechanism {
        Mechanism::Spheres(spheres) => spheres::explain(model, spheres, &measured, &mut page),
        Mechanism::Lagrangian(system) if system.is_framed() => {
            frame::explain(model, system, &measured, &mut page)
        }
        Mechanism::Lagrangian(system) => lagrangian::explain(model, system, &measured, &mut page),
        Mechanism::Tree(system) => tree::explain(model, system, &measured, &mut page),
    }
    advice::explain(model, &mut page);
    if scheduled {
        page.section("this model");
        page.line(
            "runs",
            &format!(
                "{} steps of {} s with {}",
                grouped(model.schedule.steps),
                decimal(model.schedule.step),
                model.method.name
            ),
        );
    }
    page.text
}

/// Lines under headings: a word at the left, what there is to say about it at the right.
struct Page {
    text: String,
    width: usize,
}

/// Where the right half of a line begins.
const INDENT: usize = 18;

impl Page {
    fn new(width: usize) -> Self {
        Self {
            text: String::new(),
            width,
        }
    }

    fn section(&mut self, title: &str) {
        self.text += &format!("\n{}\n", dim(title));
    }

    /// A word and what there is to say about it, broken between words.
    fn line(&mut self, what: &str, value: &str) {
        let value = wrapped(value, INDENT, self.width);
        self.block(what, value.trim_end_matches('\n').lines());
    }

    /// A word and a list, broken between its items.
    fn list(&mut self, what: &str, items: &[String]) {
        let mut lines: Vec<String> = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let comma = if index + 1 < items.len() { "," } else { "" };
            let room = self.width.saturating_sub(INDENT + measure_text_width(item) + 2);
            match lines.last_mut() {
                Some(line) if measure_text_width(line) < room => *line += &format!(" {item}{comma}"),
                _ => lines.push(format!("{item}{comma}")),
            }
        }
        self.block(what, lines.iter().map(String::as_str));
    }

    /// A word and lines as they are, each after the indent already or not.
    fn block<'l>(&mut self, what: &str, lines: impl Iterator<Item = &'l str>) {
        for (index, line) in lines.enumerate() {
            let first = if index == 0 { what } else { "" };
            let mut used = 2 + measure_text_width(first);
            self.text += &format!("  {first}");
            if used >= INDENT {
                self.text.push('\n');
                used = 0;
            }
            self.text += &" ".repeat(INDENT - used);
            self.text += line.trim_start_matches(' ').trim_end();
            self.text.push('\n');
        }
    }
}

/// Sources of power that are named.
const MOST_SOURCES: usize = 8;

/// Energies at the start, and whether their sum is conserved.
fn energy(page: &mut Page, layout: &Layout, energy: Energy) {
    page.line(
        "energy",
        &format!(
            "{} J: kinetic {} J, potential {} J",
            number(energy.total()),
            number(energy.kinetic),
            number(energy.potential)
        ),
    );
    match layout.conserved.driven {
        true => {
            page.line("", &format!("not conserved: {NOT_CONSERVED}"));
            let sources = &layout.conserved.sources;
            let shown = sources.len().min(MOST_SOURCES);
            let mut list = sources[..shown].join(", ");
            if shown < sources.len() {
                list += &format!(" and {} more", sources.len() - shown);
            }
            page.line("work", &format!("is measured of {list}"));
        }
        false => page.line(
            "",
            "conserved: all forces have a potential, and nothing depends on time",
        ),
    }
}

/// Conserved momenta and their values.
fn momenta(page: &mut Page, layout: &Layout, measured: &Measurement, unit: &str) {
    let each = layout.conserved.invariants.iter().zip(&measured.invariants);
    for (index, (name, value)) in each.enumerate() {
        let what = if index == 0 { "conserved" } else { "" };
        page.line(what, &format!("{name} = {}{unit}", number(*value)));
    }
}

use crate::{
    failure::Failure,
    output::{self, bold, dim, wrapped},
    table::{Align, Table},
};
use holonomy::integrator::catalog::{Guarantee, METHODS, Method};
use serde::Serialize;

/// Lists the numerical methods and what they preserve
#[derive(clap::Args)]
pub(crate) struct Methods {
    /// Print the catalog as JSON
    #[arg(long)]
    json: bool,
}

impl Methods {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let text = if self.json {
            json()?
        } else {
            let table = table();
            match output::terminal_width() {
                Some(width) if table.width() > width => paragraphs(width.min(100)),
                _ => table.render(),
            }
        };
        Ok(output::print(&text)?)
    }
}

fn table() -> Table {
    let mut columns = [Align::Left; 11];
    columns[1] = Align::Right;
    let mut table = Table::new(&columns);
    let heads = [
        "method",
        "order",
        "symplectic",
        "momentum",
        "energy",
        "manifold",
        "symmetric",
        "adaptive",
        "summary",
        "reference",
        "options",
    ];
    table.row(heads.map(dim));
    let yes = |flag: bool| if flag { "yes" } else { "-" }.to_owned();
    for method in METHODS {
        let momentum = match method.momentum {
            Guarantee::UniformGravity => "uniform gravity".to_owned(),
            guarantee => yes(guarantee == Guarantee::Always),
        };
        table.row([
            bold(method.name),
            method.order.to_string(),
            yes(method.symplectic),
            momentum,
            yes(method.bounded_energy),
            yes(method.on_manifold),
            yes(method.symmetric),
            yes(method.adaptive),
            method.summary.to_owned(),
            method.reference.to_owned(),
            method.options.join(", "),
        ]);
    }
    table
}

/// The same for a narrow terminal.
fn paragraphs(width: usize) -> String {
    let mut text = String::new();
    for method in METHODS {
        text += &format!("{}  {}\n", bold(method.name), dim(&properties(method)));
        text += &wrapped(method.summary, 4, width);
        let mut origin = method.reference.to_owned();
        if !method.options.is_empty() {
            origin += &format!("; options {}", method.options.join(", "));
        }
        text += &dim(&wrapped(&origin, 4, width));
    }
    text
}

/// `order 2, symmetric, no energy drift; preserves momenta`.
fn properties(method: &Method) -> String {
    let momenta = match method.momentum {
        Guarantee::Always => "momenta",
        Guarantee::UniformGravity => "momenta in uniform gravity",
        Guarantee::No => "",
    };
    let kept = [
        (method.symplectic, "the symplectic form"),
        (!momenta.is_empty(), momenta),
        (method.on_manifold, "manifold"),
    ];
    let ways = [
        (method.symmetric, "symmetric"),
        (method.adaptive, "adaptive"),
        (method.bounded_energy, "no energy drift"),
    ];
    let list = |flags: &[(bool, &'static str)]| -> Vec<&'static str> {
        let held = flags.iter().filter(|(holds, _)| *holds);
        held.map(|(_, word)| *word).collect()
    };
    let mut text = format!("order {}", method.order);
    for word in list(&ways) {
        text += &format!(", {word}");
    }
    let kept = list(&kept);
    if !kept.is_empty() {
        text += &format!("; preserves {}", kept.join(", "));
    }
    text
}

fn json() -> Result<String, Failure> {
    #[derive(Serialize)]
    struct Entry {
        name: &'static str,
        order: u32,
        symplectic: bool,
        momentum: &'static str,
        bounded_energy: bool,
        symmetric: bool,
        on_manifold: bool,
        adaptive: bool,
        options: &'static [&'static str],
        summary: &'static str,
        reference: &'static str,
    }
    let entries: Vec<Entry> = METHODS
        .iter()
        .map(|method| Entry {
            name: method.name,
            order: method.order,
            symplectic: method.symplectic,
            momentum: method.momentum.name(),
            bounded_energy: method.bounded_energy,
            symmetric: method.symmetric,
            on_manifold: method.on_manifold,
            adaptive: method.adaptive,
            options: method.options,
            summary: method.summary,
            reference: method.reference,
        })
        .collect();
    let text = serde_json::to_string_pretty(&entries).map_err(std::io::Error::from)?;
    Ok(text + "\n")
}

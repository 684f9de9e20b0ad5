use crate::{
    failure::Failure,
    output::{self, bold, dim, wrapped},
    table::{Align, Table},
};
use holonomy::integrator::catalog::{METHODS, Method};
use serde::Serialize;

/// Lists the numerical methods and what they keep
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
    let mut table = Table::new(&[
        Align::Left,
        Align::Right,
        Align::Left,
        Align::Left,
        Align::Left,
        Align::Left,
        Align::Left,
        Align::Left,
    ]);
    let heads = [
        "method",
        "order",
        "symplectic",
        "symmetric",
        "adaptive",
        "summary",
        "reference",
        "options",
    ];
    table.row(heads.map(dim));
    let yes = |flag: bool| if flag { "yes" } else { "-" };
    for method in METHODS {
        table.row([
            bold(method.name),
            method.order.to_string(),
            yes(method.symplectic).to_owned(),
            yes(method.symmetric).to_owned(),
            yes(method.adaptive).to_owned(),
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

fn properties(method: &Method) -> String {
    let flags = [
        (method.symplectic, "symplectic"),
        (method.symmetric, "symmetric"),
        (method.adaptive, "adaptive"),
    ];
    let mut words = vec![format!("order {}", method.order)];
    words.extend(
        flags
            .into_iter()
            .filter(|(holds, _)| *holds)
            .map(|(_, word)| word.to_owned()),
    );
    words.join(", ")
}

fn json() -> Result<String, Failure> {
    #[derive(Serialize)]
    struct Entry {
        name: &'static str,
        order: u32,
        symplectic: bool,
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

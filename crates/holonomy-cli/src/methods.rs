use crate::{
    failure::Failure,
    output::{self, bold, dim, shortened, wrapped},
    table::{Align, Table},
};
use holonomy::integrator::catalog::{Guarantee, METHODS, Method};
use serde::Serialize;

/// Lists the numerical methods and what they preserve
#[derive(clap::Args)]
pub(crate) struct Methods {
    /// Print all that the catalog says of each, and not one line that fits the terminal
    #[arg(long)]
    full: bool,
    /// Print the catalog as JSON
    #[arg(long, conflicts_with = "full")]
    json: bool,
}

impl Methods {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let text = match (self.json, self.full, output::terminal_width()) {
            (true, ..) => json()?,
            (_, true, width) => paragraphs(width.unwrap_or(100).min(100)),
            (.., Some(width)) => lines(width),
            _ => table().render(),
        };
        Ok(output::print(&text)?)
    }
}

/// What a method keeps, each by its letter; in small letters if only in uniform gravity.
const LETTERS: &str = "S symplectic form, M momenta (m: in uniform gravity), E energy without drift, U unit length and \
                       other manifolds, R symmetric in time, A adaptive steps, \
                       D exact derivatives of a step";

/// One line for each method, whatever the width of the terminal; what does not fit is cut off.
fn lines(width: usize) -> String {
    let mut table = Table::new(&[Align::Left, Align::Right, Align::Left, Align::Left]);
    table.row(["method", "order", "keeps", "summary"].map(dim));
    for method in METHODS {
        table.row([
            bold(method.name),
            method.order.to_string(),
            letters(method),
            method.summary.to_owned(),
        ]);
    }
    let mut text: String = table
        .render()
        .lines()
        .map(|line| shortened(line, width) + "\n")
        .collect();
    text += &dim(&wrapped(LETTERS, 0, width.min(100)));
    text + &dim(&wrapped(
        "`holonomy methods --full` prints the rest, `--json` for programs.",
        0,
        width,
    ))
}

fn letters(method: &Method) -> String {
    let momentum = match method.momentum {
        Guarantee::Always => 'M',
        Guarantee::UniformGravity => 'm',
        Guarantee::No => '-',
    };
    let flag = |holds: bool, letter: char| if holds { letter } else { '-' };
    let flags = [
        flag(method.symplectic, 'S'),
        momentum,
        flag(method.bounded_energy, 'E'),
        flag(method.on_manifold, 'U'),
        flag(method.symmetric, 'R'),
        flag(method.adaptive, 'A'),
        flag(method.differentiable, 'D'),
    ];
    flags.into_iter().collect()
}

fn table() -> Table {
    let mut columns = [Align::Left; 12];
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
        "derivatives",
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
            yes(method.differentiable),
            method.summary.to_owned(),
            method.reference.to_owned(),
            method.options.join(", "),
        ]);
    }
    table
}

/// All that is said of each.
fn paragraphs(width: usize) -> String {
    let mut text = String::new();
    for method in METHODS {
        text += &format!("{}\n", bold(method.name));
        text += &dim(&wrapped(&properties(method), 4, width));
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
        (method.differentiable, "exact derivatives"),
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
        differentiable: bool,
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
            differentiable: method.differentiable,
            options: method.options,
            summary: method.summary,
            reference: method.reference,
        })
        .collect();
    let text = serde_json::to_string_pretty(&entries).map_err(std::io::Error::from)?;
    Ok(text + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use console::measure_text_width;

    #[test]
    fn every_line_fits_the_terminal_and_what_is_cut_is_marked() {
        for width in [60, 80, 120] {
            for text in [lines(width), paragraphs(width)] {
                let widest = text.lines().map(measure_text_width).max().unwrap_or(0);
                assert!(widest <= width, "{widest} of {width} columns");
            }
            let text = lines(width);
            for (method, line) in METHODS.iter().zip(text.lines().skip(1)) {
                let plain = console::strip_ansi_codes(line);
                assert!(plain.starts_with(method.name));
                assert!(plain.ends_with(method.summary) || plain.ends_with('…'), "{plain}");
            }
        }
        let full = paragraphs(80).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(METHODS.iter().all(|method| full.contains(method.summary)));
    }
}

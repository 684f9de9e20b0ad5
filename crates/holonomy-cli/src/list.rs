use crate::{
    failure::Failure,
    output::{self, bold, dim, wrapped},
    table::{Align, Table},
};
use console::measure_text_width;
use holonomy_model::scenario::SCENARIOS;

/// Lists the scenarios that come with the program
#[derive(clap::Args)]
pub(crate) struct List {}

impl List {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let text = match output::terminal_width() {
            Some(width) => paragraphs(width.min(100)),
            None => lines(),
        };
        Ok(output::print(&text)?)
    }
}

fn paragraphs(width: usize) -> String {
    let mut text = String::new();
    for scenario in SCENARIOS {
        let title = scenario.title();
        // Beside the name, or below it.
        let beside = scenario.name.len() + 2 + measure_text_width(&title) <= width;
        text += &match beside {
            true => format!("{}  {}\n", bold(scenario.name), dim(&title)),
            false => format!("{}\n{}", bold(scenario.name), dim(&wrapped(&title, 4, width))),
        };
        text += &wrapped(scenario.summary(), 4, width);
    }
    text
}

fn lines() -> String {
    let mut table = Table::new(&[Align::Left, Align::Left]);
    for scenario in SCENARIOS {
        table.row([scenario.name, scenario.summary()]);
    }
    table.render()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_fits_the_terminal_and_nothing_is_lost() {
        for width in [60, 80, 120] {
            let text = paragraphs(width);
            let widest = text.lines().map(measure_text_width).max().unwrap_or(0);
            assert!(widest <= width, "{widest} of {width} columns");
            let plain = console::strip_ansi_codes(&text).into_owned();
            let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
            for scenario in SCENARIOS {
                assert!(words.contains(&scenario.title()) && words.contains(scenario.summary()));
            }
        }
    }
}

use crate::{
    failure::Failure,
    output::{self, bold, dim, wrapped},
    table::{Align, Table},
};
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
        text += &format!("{}  {}\n", bold(scenario.name), dim(&scenario.title()));
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

//! What the page of a sweep shows.
use super::{Axis, AxisValues, CaseRow, Plan, Setting, case::FIGURES};
use holonomy_report::{
    number::decimal,
    sweep::{SweepAxis, SweepPage, SweptCase},
};

/// Cases up to which there is a page: more are a table.
pub const MOST: u64 = 250_000;
/// The figure that every page shows.
const ERROR: &str = "energy.max_error";

impl Plan {
    /// An empty page, made by this command.
    pub(super) fn page(&self, command: &str) -> SweepPage {
        let measures = self.measures.iter().map(|measure| (measure.text.clone(), false));
        SweepPage {
            title: self.model.title.clone(),
            command: command.to_owned(),
            axes: self.axes.iter().map(shown).collect(),
            product: !self.zip,
            quantities: measures.chain([(ERROR.to_owned(), true)]).collect(),
            cases: Vec::new(),
        }
    }

    /// A case as a page shows it.
    pub(super) fn on_the_page(&self, settings: &[Setting], row: &CaseRow) -> SweptCase {
        let error = FIGURES.iter().position(|name| *name == ERROR);
        let measures = FIGURES.len()..FIGURES.len() + self.measures.len();
        let values = measures
            .chain(error)
            .map(|k| row.numbers.get(k).copied().flatten());
        let word = |k: usize| row.words.get(k).cloned().unwrap_or_default();
        SweptCase {
            case: row.case,
            settings: settings
                .iter()
                .map(|setting| match setting {
                    Setting::Number(number) => decimal(*number),
                    Setting::Word(word) => word.clone(),
                })
                .collect(),
            numbers: settings
                .iter()
                .map(|setting| match setting {
                    Setting::Number(number) => Some(*number),
                    Setting::Word(_) => None,
                })
                .collect(),
            values: values.collect(),
            structure: word(0),
            message: word(2),
        }
    }
}

fn shown(axis: &Axis) -> SweepAxis {
    let written = axis
        .text
        .split_once('=')
        .map_or(axis.text.as_str(), |(_, values)| values);
    SweepAxis {
        key: axis.key.clone(),
        unit: axis.unit.clone(),
        written: written.to_owned(),
        grid: match &axis.values {
            AxisValues::Numbers(values) => Some(values.clone()),
            _ => None,
        },
    }
}

//! What the page of a sweep shows.
use super::{Axis, AxisValues, CaseRow, Plan, Setting, case::FIGURES};
use holonomy_model::Format;
use holonomy_report::sweep::{Standing, SweepAxis, SweepPage, SweepQuantity, SweepValues, SweptCase};
use std::collections::HashMap;

/// Cases up to which there is a page: more are a table.
pub const MOST: u64 = 250_000;
/// The figure that every page shows.
const ERROR: &str = "energy.max_error";

/// A page that takes cases one by one.
pub(super) struct Filling<'p> {
    plan: &'p Plan,
    pub(super) page: SweepPage,
    /// For each axis that takes words the place of each in its list.
    places: Vec<HashMap<&'p str, usize>>,
}

impl Plan {
    /// An empty page: of a sweep made by this command, of a model that another command runs.
    pub(super) fn page(&self, command: &str, alone: &str) -> Filling<'_> {
        let mut quantities: Vec<SweepQuantity> = self
            .measures
            .iter()
            .map(|measure| measured(&measure.text))
            .collect();
        quantities.push(SweepQuantity {
            name: ERROR.to_owned(),
            label: "largest error of the energy (J)".to_owned(),
            is_error: true,
        });
        let page = SweepPage {
            title: self.model.title.clone(),
            command: command.to_owned(),
            alone: alone.to_owned(),
            trajectories: self.trajectories.then_some(match self.model.format {
                Format::Parquet => "parquet",
                Format::Csv => "csv",
                Format::Npz => "npz",
            }),
            axes: self.axes.iter().map(shown).collect(),
            product: !self.zip,
            quantities,
            cases: Vec::new(),
        };
        Filling {
            plan: self,
            page,
            places: self.axes.iter().map(|axis| places(axis).0).collect(),
        }
    }
}

impl Filling<'_> {
    /// Adds a case.
    pub(super) fn push(&mut self, settings: &[Setting], row: &CaseRow) {
        let error = FIGURES.iter().position(|name| *name == ERROR);
        let measures = FIGURES.len()..FIGURES.len() + self.plan.measures.len();
        let values = measures
            .chain(error)
            .map(|k| row.numbers.get(k).copied().flatten());
        let word = |k: usize| row.words.get(k).map_or("", String::as_str);
        let set = settings
            .iter()
            .zip(&self.places)
            .map(|(setting, places)| match setting {
                Setting::Number(number) => *number,
                Setting::Word(word) => places.get(word.as_str()).copied().unwrap_or(0) as f64,
            });
        let case = SweptCase {
            case: row.case,
            settings: set.collect(),
            values: values.collect(),
            structure: Standing::of(word(0)),
            path: Standing::of(word(1)),
            message: word(2).to_owned(),
        };
        self.page.cases.push(case);
    }
}

/// What a measure is, with its unit where that is plain.
fn measured(text: &str) -> SweepQuantity {
    let inside = text.split_once('(').map_or("", |(_, inside)| inside);
    let inside = inside.trim_end_matches(')').trim();
    let energy = matches!(inside, "energy" | "kinetic" | "potential") || inside.starts_with("work.");
    let unit = match text.starts_with("first(") || inside == "t" {
        true => " (s)",
        false if energy => " (J)",
        false => "",
    };
    SweepQuantity {
        name: text.to_owned(),
        label: format!("{text}{unit}"),
        is_error: false,
    }
}

/// The words of an axis, each once, and the place of each.
fn places(axis: &Axis) -> (HashMap<&str, usize>, Vec<String>) {
    let (mut places, mut list) = (HashMap::new(), Vec::new());
    if let AxisValues::Words(words) = &axis.values {
        for word in words {
            places.entry(word.as_str()).or_insert_with(|| {
                list.push(word.clone());
                list.len() - 1
            });
        }
    }
    (places, list)
}

fn shown(axis: &Axis) -> SweepAxis {
    let written = axis
        .text
        .split_once('=')
        .map_or(axis.text.as_str(), |(_, values)| values);
    // What tells one table from another says nothing to a reader.
    let written = match written.split_once(" of a table,") {
        Some((count, _)) => format!("{count} of a table"),
        None => written.to_owned(),
    };
    SweepAxis {
        key: axis.key.clone(),
        unit: axis.unit.clone(),
        written,
        values: match &axis.values {
            AxisValues::Numbers(values) => SweepValues::Numbers(values.clone()),
            AxisValues::Words(_) => SweepValues::Words(places(axis).1),
            AxisValues::Normal { .. } | AxisValues::Uniform { .. } => SweepValues::Random,
        },
    }
}

//! The equilibrium of a tree.
use crate::{
    ModelArguments,
    failure::Failure,
    input::Input,
    output::{self, bold, counted, dim, number, rough},
    table::{Align, Table},
};
use holonomy::{
    system::{Mechanism, System},
    tree::{Equilibrium, Seek, Settling, Stability, Tree},
};
use holonomy_model::Model;
use serde_json::{Map, Value, json};
use std::{f64::consts::TAU, fs, path::PathBuf};

/// Finds where a tree is in equilibrium: coordinates, tensions, energy and stability
#[derive(clap::Args)]
pub(crate) struct Settle {
    #[command(flatten)]
    model: ModelArguments,
    /// Take the equilibrium nearest to the start, even if it is unstable
    #[arg(long)]
    nearest: bool,
    /// Write the model with `start = "settled"` to this file
    #[arg(long, value_name = "FILE", conflicts_with = "nearest")]
    write: Option<PathBuf>,
    /// Print the result as JSON and nothing else
    #[arg(long)]
    json: bool,
}

impl Settle {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let input = Input::with_keys(&self.model)?;
        let model = input.load(self.json)?;
        let Mechanism::Tree(tree) = &model.mechanism else {
            return Err(Failure::NotATree);
        };
        let settling = Settling {
            seek: if self.nearest {
                Seek::Nearest
            } else {
                Seek::Minimum
            },
            ..Settling::default()
        };
        let found = tree.settle(&model.state.q, &settling).map_err(Failure::Settle)?;
        if let Some(path) = &self.write {
            write(path, &input)?;
        }
        let text = match self.json {
            true => as_json(&input.name, tree, &found),
            false => describe(&model, &input.name, tree, &found),
        };
        Ok(output::print(&text)?)
    }
}

fn write(path: &PathBuf, input: &Input) -> Result<(), Failure> {
    if path.exists() {
        return Err(Failure::Saved { path: path.clone() });
    }
    let mut settled = input.again();
    settled.source.with_value(&["start"], "settled");
    let model = settled.load(true)?;
    fs::write(path, model.to_toml()).map_err(|source| Failure::Unwritable {
        path: path.clone(),
        source,
    })
}

fn word(stability: Stability) -> &'static str {
    match stability {
        Stability::Stable => "stable",
        Stability::Neutral => "neutral",
        Stability::Unstable => "unstable",
    }
}

fn describe(model: &Model, name: &str, tree: &Tree, found: &Equilibrium) -> String {
    let title = match model.title.as_str() {
        "" => name,
        title => title,
    };
    let meaning = match found.stability {
        Stability::Stable => "the energy is least here",
        Stability::Neutral => "some motions meet no resistance",
        Stability::Unstable => "a saddle of the energy, which a small push leaves",
    };
    let mut text = format!(
        "{}\n{} equilibrium: {meaning}; found in {}\n\n",
        bold(title),
        word(found.stability),
        counted(found.steps, "step", "steps")
    );
    let mut table = Table::new(&[Align::Left, Align::Left, Align::Left]);
    let mut row = |group: &str, what: &str, value: String| {
        table.row([format!("  {}", dim(group)), what.to_owned(), value]);
    };
    row("energy", "potential", format!("{} J", number(found.energy)));
    row("forces", "residual", rough(found.residual));
    let frequency = |square: f64| format!("{} Hz", number(square.max(0.0).sqrt() / TAU));
    if let (Some(lowest), Some(highest)) = (found.squares.first(), found.squares.last()) {
        let count = found.squares.len();
        let growing = found.squares.iter().filter(|square| **square < 0.0).count();
        let freedom = counted(count, "degree of freedom", "degrees of freedom");
        match found.stability {
            Stability::Stable => {
                let range = match count {
                    1 => frequency(*lowest),
                    _ => format!("{} to {}", frequency(*lowest), frequency(*highest)),
                };
                row("small motions", &freedom, range);
            }
            Stability::Neutral => row(
                "small motions",
                &freedom,
                format!("up to {}", frequency(*highest)),
            ),
            Stability::Unstable => {
                let rate = number((-lowest).sqrt());
                row(
                    "small motions",
                    &freedom,
                    format!("{growing} grow, the fastest by e in 1/{rate} s"),
                );
            }
        }
    } else {
        row(
            "small motions",
            "none",
            "the constraints leave no freedom".to_owned(),
        );
    }
    text += &table.render();
    let layout = tree.layout();
    text += &format!("\n{}\n", dim("coordinates"));
    let mut table = Table::new(&[Align::Left, Align::Right]);
    for (name, value) in layout.coordinates.iter().zip(&found.q) {
        table.row([format!("  {name}"), number(*value)]);
    }
    text += &table.render();
    if !found.lambda.is_empty() {
        text += &format!(
            "\n{}\n",
            dim("forces of the constraints; tensions pull if positive")
        );
        let mut table = Table::new(&[Align::Left, Align::Right, Align::Left]);
        for (index, (name, value)) in layout.multipliers.iter().zip(&found.lambda).enumerate() {
            let unit = layout.multiplier_units.get(index).copied().unwrap_or_default();
            table.row([format!("  {name}"), number(*value), unit.symbol().to_owned()]);
        }
        text += &table.render();
    }
    text
}

pub(crate) fn as_json(name: &str, tree: &Tree, found: &Equilibrium) -> String {
    let layout = tree.layout();
    let named = |names: &[String], values: &[f64]| -> Map<String, Value> {
        let each = names.iter().zip(values);
        each.map(|(name, value)| (name.clone(), json!(value))).collect()
    };
    let value = json!({
        "scenario": name,
        "stability": word(found.stability),
        "energy": found.energy,
        "residual": found.residual,
        "steps": found.steps,
        "coordinates": named(&layout.coordinates, &found.q),
        "multipliers": named(&layout.multipliers, &found.lambda),
        "squared_frequencies": found.squares,
    });
    format!("{value:#}\n")
}

//! `[control]`, `[[goal]]` and `[[bound]]`: what inputs are to bring about. `holonomy control` finds them.
pub use crate::of_time::OfTime;
use crate::{
    Input, Located, Problems, Section, Unit, nearest, of_time::of_time, output_suggestion, problem::excerpt,
};
use holonomy::{output::Output, system::Layout};

/// A task for inputs.
#[derive(Clone, Debug)]
pub struct Control {
    /// The weight of the squared integral of each input.
    pub effort: Vec<f64>,
    /// Where the search begins, for each input.
    pub guess: Vec<Option<OfTime>>,
    /// What outputs are to be.
    pub goals: Vec<Goal>,
    /// Between what they are to stay.
    pub bounds: Vec<Bound>,
    /// How far these may be missed.
    pub tolerance: f64,
    /// After how many sweeps to give up.
    pub sweeps: usize,
}

/// What an output is to be.
#[derive(Clone, Debug)]
pub struct Goal {
    /// The output, a plain number.
    pub of: Output,
    /// What it is to be.
    pub value: OfTime,
    /// Whether that is wanted all the time, and not just at the end.
    pub always: bool,
    /// What missing it costs; without, it is to be met.
    pub weight: Option<f64>,
}

/// Between what an output is to stay.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The output, a plain number.
    pub of: Output,
    /// The least.
    pub min: Option<f64>,
    /// The most.
    pub max: Option<f64>,
}

/// A task as it was read.
#[derive(Default)]
pub(crate) struct Asked {
    effort: Vec<(Located<String>, f64)>,
    guess: Vec<(Located<String>, OfTime)>,
    goals: Vec<(Located<String>, OfTime, bool, Option<f64>)>,
    bounds: Vec<(Located<String>, Option<f64>, Option<f64>)>,
    tolerance: Option<f64>,
    sweeps: Option<usize>,
}

const TOLERANCE: f64 = 1e-8;
const SWEEPS: usize = 500;

/// Reads the task; `None` if there is none.
pub(crate) fn read(root: &Section<'_>) -> Option<Asked> {
    // A page seeks no inputs: its engine is to be small.
    if cfg!(target_arch = "wasm32") {
        let _ = ["control", "goal", "bound"].map(|key| root.has(key));
        return None;
    }
    let control = root.optional("control").table();
    let (goals, bounds) = (root.optional("goal").tables(), root.optional("bound").tables());
    if !root.holds("control") && goals.is_empty() && bounds.is_empty() {
        return None;
    }
    let mut asked = Asked::default();
    if let Some(section) = control {
        if let Some(effort) = section.optional("effort").table() {
            for key in effort.keys() {
                if let Some(weight) = effort.optional(key.value).non_negative(Unit::ANY) {
                    asked.effort.push((key.map(str::to_owned), weight.value));
                }
            }
            effort.finish();
        }
        if let Some(guess) = section.optional("guess").table() {
            for key in guess.keys() {
                if let Some(value) = of_time(&guess, key.value, guess.optional(key.value)) {
                    asked.guess.push((key.map(str::to_owned), value));
                }
            }
            guess.finish();
        }
        asked.tolerance = section
            .optional("tolerance")
            .positive(Unit::NONE)
            .map(|number| number.value);
        asked.sweeps = section.optional("sweeps").count().map(|count| count.value);
        section.finish();
    }
    for section in goals {
        let of = section.required("of").string();
        let value = of_time(&section, "value", section.required("value"));
        let always = section
            .optional("when")
            .choice()
            .is_some_and(|when| when.value == "always");
        let weight = section.optional("weight").positive(Unit::ANY);
        if always && !section.holds("weight") {
            section
                .error("a goal for all the time needs a `weight`: it cannot be met exactly from the start on")
                .help("add `weight = …`, or say with `[[bound]]` how far the output may go");
        }
        section.finish();
        if let (Some(of), Some(value)) = (of, value) {
            let weight = weight.map(|weight| weight.value);
            asked.goals.push((of.map(str::to_owned), value, always, weight));
        }
    }
    for section in bounds {
        let of = section.required("of").string();
        let min = section.optional("min").number();
        let max = section.optional("max").number();
        match (&min, &max) {
            (None, None) if !section.holds("min") && !section.holds("max") => {
                section
                    .error("the bound says neither how little nor how much")
                    .help("add `min = …` or `max = …`");
            }
            (Some(min), Some(max)) if min.value > max.value => {
                let problems = section.problems();
                problems
                    .error(max.place.clone(), "`max` is less than `min`")
                    .help("exchange them");
            }
            _ => {}
        }
        section.finish();
        if let Some(of) = of {
            let value = |number: Option<Located<f64>>| number.map(|number| number.value);
            asked.bounds.push((of.map(str::to_owned), value(min), value(max)));
        }
    }
    Some(asked)
}

/// Finds what a task is about.
pub(crate) fn find(asked: Asked, inputs: &[Input], layout: &Layout, problems: &Problems) -> Control {
    let place_of = |name: &Located<String>| {
        let found = inputs.iter().position(|input| input.name == name.value);
        if found.is_none() {
            let message = format!("there is no input named `{}`", excerpt(&name.value));
            let report = problems.error(name.place.clone(), message);
            match nearest(&name.value, inputs.iter().map(|input| input.name.as_str())) {
                Some(near) => report.help(format!("did you mean `{near}`?")),
                None => report.help("name one that `[[input]]` declares"),
            };
        }
        found
    };
    let mut effort = vec![1.0; inputs.len()];
    for (name, weight) in &asked.effort {
        if let Some(k) = place_of(name) {
            effort[k] = *weight;
        }
    }
    let mut guess = vec![None; inputs.len()];
    for (name, value) in asked.guess {
        if let Some(k) = place_of(&name) {
            guess[k] = Some(value);
        }
    }
    let output = |name: &Located<String>| number_named(name, layout, problems);
    let goals = asked.goals.into_iter().filter_map(|(of, value, always, weight)| {
        Some(Goal {
            of: output(&of)?,
            value,
            always,
            weight,
        })
    });
    let goals = goals.collect();
    let bounds = asked.bounds.into_iter().filter_map(|(of, min, max)| {
        Some(Bound {
            of: output(&of)?,
            min,
            max,
        })
    });
    Control {
        effort,
        guess,
        goals,
        bounds: bounds.collect(),
        tolerance: asked.tolerance.unwrap_or(TOLERANCE),
        sweeps: asked.sweeps.unwrap_or(SWEEPS),
    }
}

/// An output that is one number.
fn number_named(name: &Located<String>, layout: &Layout, problems: &Problems) -> Option<Output> {
    match Output::find(&name.value, layout) {
        Some(output) if output.width() == 1 => Some(output),
        Some(output) => problems
            .error(
                name.place.clone(),
                format!("`{}` is not one number", excerpt(&name.value)),
            )
            .help(format!("name one of {}", output.columns().join(", ")))
            .none(),
        None => problems
            .error(
                name.place.clone(),
                format!("there is no output named `{}`", excerpt(&name.value)),
            )
            .help(output_suggestion(&name.value, layout))
            .none(),
    }
}

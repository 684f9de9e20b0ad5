//! A model with the inputs that were found: as what they do by themselves in every run.
//!
//! ```text
//! u(t) = ū(t) + Σ K(t) (z − z̄(t))        tables through the middles of steps
//! ```
//! A midpoint rule asks for forces in the middle of steps: a run with the same step is then the motion that was found.
use super::fed::Fed;
use holonomy::system::Mechanism;
use holonomy_model::{Input, Model, Table, Value};

/// The units of inputs: of joints, where nothing is scaled.
pub(crate) fn units(model: &Model) -> Vec<String> {
    let layout = model.mechanism.system().layout().clone();
    let unit = |input: &Input| match model.mechanism {
        Mechanism::Tree(_) if input.scale == 1.0 => {
            match layout.velocities[input.velocity].starts_with("omega.") {
                true => "N m",
                false => "N",
            }
        }
        _ => "",
    };
    model.inputs.iter().map(|input| unit(input).to_owned()).collect()
}

/// The same model with inputs that do nothing by themselves; `None` if that is so already.
pub(crate) fn without_own(model: &Model) -> Option<Model> {
    model.inputs.iter().find(|input| input.own.is_some())?;
    let mut inputs = model.table.get("input")?.as_list()?.to_vec();
    for input in &mut inputs {
        if let Value::Table(input) = input {
            for key in ["value", "feedback"] {
                input.remove(key);
            }
        }
    }
    model.with_all([("input", Value::List(inputs))]).ok()
}

/// The model with these inputs, and the feedback if there is one; `None` where an input acts on something that does nothing
/// by itself.
pub fn with_inputs(model: &Model, efforts: &[Vec<f64>], fed: Option<&Fed>) -> Option<Table> {
    let mut table = model.table.clone();
    let (h, start) = (model.schedule.step, model.state.t);
    let layout = model.mechanism.system().layout().clone();
    let times: Vec<f64> = (0..efforts.len()).map(|k| start + (k as f64 + 0.5) * h).collect();
    let curve = |values: &mut dyn Iterator<Item = f64>| -> Value {
        let values: Vec<f64> = values.collect();
        if values.windows(2).all(|pair| pair[0] == pair[1]) {
            return Value::from(values.first().copied().unwrap_or(0.0));
        }
        let list = |numbers: &[f64]| Value::List(numbers.iter().map(|x| Value::from(*x)).collect());
        let mut curve = Table::new();
        curve.insert("times", list(&times));
        curve.insert("values", list(&values));
        Value::Table(curve)
    };
    let mut inputs = Vec::new();
    for (k, input) in model.inputs.iter().enumerate() {
        let fits = match &model.mechanism {
            Mechanism::Tree(tree) => tree.scalar_velocity(input.velocity).is_some(),
            Mechanism::Lagrangian(system) => !system.is_framed(),
            Mechanism::Spheres(_) => false,
        };
        if !fits {
            return None;
        }
        let mut written = Table::new();
        written.insert("name", input.name.as_str());
        written.insert("on", layout.velocities[input.velocity].as_str());
        if input.scale != 1.0 {
            written.insert("scale", input.scale);
        }
        for (key, limit) in [("min", input.limits.0), ("max", input.limits.1)] {
            if limit.is_finite() {
                written.insert(key, limit);
            }
        }
        written.insert("value", curve(&mut efforts.iter().map(|step| step[k])));
        let mut feedback = Vec::new();
        for (place, of) in fed.iter().flat_map(|fed| fed.of.iter().enumerate()) {
            let gain = |fed: &Fed, step: usize| fed.gains[step][(k, place)];
            let steps = fed.map_or(0, |fed| fed.gains.len());
            let Some(fed) = fed.filter(|fed| (0..steps).any(|step| gain(fed, step) != 0.0)) else {
                continue;
            };
            let mut term = Table::new();
            term.insert("of", of.as_str());
            term.insert("gain", curve(&mut (0..steps).map(|step| gain(fed, step))));
            term.insert("about", curve(&mut fed.about.iter().map(|row| row[place])));
            feedback.push(Value::Table(term));
        }
        if !feedback.is_empty() {
            written.insert("feedback", Value::List(feedback));
        }
        inputs.push(Value::Table(written));
    }
    table.insert("input", Value::List(inputs));
    for key in ["control", "goal", "bound"] {
        table.remove(key);
    }
    Some(table)
}

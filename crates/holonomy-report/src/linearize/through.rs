//! What inputs do to outputs at once: forces of constraints and joints answer to a force without delay.
//!
//! ```text
//! y = C z + D u,      D = y(u = 1) − y(u = 0)       at the same q and p: accelerations are affine in forces
//! ```
use holonomy::{
    output::{Output, Readings},
    system::{Measurement, State},
};
use holonomy_model::{Model, Table, Value};
use nalgebra::DMatrix;

/// D: a row for each number of the outputs, a column for each input. Not a number where it is not known: where an output
/// answers to forces, and an input does nothing by itself in a run.
pub(super) fn through(model: &Model, at: &State, outputs: &[Output]) -> DMatrix<f64> {
    let width = outputs.iter().map(Output::width).sum();
    let mut out = DMatrix::zeros(width, model.inputs.len());
    if model.inputs.is_empty() || !outputs.iter().any(Output::answers_to_forces) {
        return out;
    }
    let rest = read(model, at, outputs, None);
    for k in 0..model.inputs.len() {
        let pushed = read(model, at, outputs, Some(k));
        let mut row = 0;
        for (place, output) in outputs.iter().enumerate() {
            for number in 0..output.width() {
                out[(row, k)] = match (output.answers_to_forces(), &rest, &pushed) {
                    (false, ..) => 0.0,
                    (true, Some(rest), Some(pushed)) => pushed[place][number] - rest[place][number],
                    (true, ..) => f64::NAN,
                };
                row += 1;
            }
        }
    }
    out
}

/// The outputs at a state where one of the inputs is one and the others are nothing.
fn read(model: &Model, at: &State, outputs: &[Output], pushed: Option<usize>) -> Option<Vec<Vec<f64>>> {
    let mut inputs = model.table.get("input")?.as_list()?.to_vec();
    for (k, input) in inputs.iter_mut().enumerate() {
        let Value::Table(input) = input else { continue };
        input.remove("feedback");
        input.remove("value");
        if pushed == Some(k) {
            input.insert("value", 1.0);
        }
    }
    let system = model.mechanism.system();
    let mut v = vec![0.0; at.p.len()];
    system.velocity(at.t, &at.q, &at.p, &mut v, &mut system.scratch());
    let list = |numbers: &[f64]| Value::List(numbers.iter().copied().map(Value::from).collect());
    let mut state = Table::new();
    state.insert("t", at.t);
    state.insert("q", list(&at.q));
    state.insert("v", list(&v));
    let mut changes = vec![("input", Value::List(inputs)), ("state", Value::Table(state))];
    // An equilibrium is not to be sought again, under another force.
    if model
        .table
        .get("start")
        .is_some_and(|start| start.as_text().is_some())
    {
        changes.push(("start", Value::from("given")));
    }
    let changed = model.with_all(changes).ok()?;
    let (system, mut measured) = (changed.mechanism.system(), Measurement::default());
    system.measure(&changed.state, &mut measured, &mut system.scratch());
    let mut readings = Readings::default();
    let each = outputs.iter().map(|output| {
        // What a force adds to a layout may have moved it.
        let own = Output::find(&output.name, system.layout())?;
        let read = readings.take(std::slice::from_ref(&own), &*system, &changed.state, &measured);
        Some(read.to_vec())
    });
    each.collect()
}

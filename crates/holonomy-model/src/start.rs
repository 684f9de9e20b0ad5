//! Whether everything can be measured where a model starts.
use crate::{Place, Problems, Table, numbers};
use holonomy::{
    math,
    system::{Measurement, Mechanism, State},
};

/// Refuses a start whose energy, or anything else that is measured on it, is not finite: at the number of the model
/// that is farthest from one, in either direction.
pub(crate) fn check(mechanism: &Mechanism, state: &State, table: &Table, problems: &Problems) {
    let system = mechanism.system();
    let mut measured = Measurement::default();
    system.measure(state, &mut measured, &mut system.scratch());
    let layout = system.layout();
    let found = match measured.not_finite() {
        Some((number, value)) => format!("{} at the start is {value}", number.describe(layout)),
        None if !state.is_finite() => "a momentum at the start is not finite".to_owned(),
        None => return,
    };
    let size = |value: f64| match value.abs() {
        0.0 => 0.0,
        value => math::ln(value).abs(),
    };
    let numbers = numbers(table).into_iter();
    let extreme = numbers.max_by(|a, b| size(a.value).total_cmp(&size(b.value)));
    let (place, suspect) = match extreme {
        Some(knob) => (
            Place::Value(knob.path),
            format!("; {} is the first suspect", knob.label),
        ),
        None => (Place::model(), String::new()),
    };
    problems.error(place, found).help(format!(
        "numbers are too large, too small, or too unlike each other{suspect}"
    ));
}

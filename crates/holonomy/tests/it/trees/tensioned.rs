//! The scenario `tensioned-platform`: a platform on four driven winches, against equations solved by SciPy.
use super::feedback::{assert_second_order, ended};
use crate::common::scenario;
use holonomy::{
    output::{Output, Readings},
    system::{Measurement, State},
};
use holonomy_model::Model;

/// `python tensioned.py`, at 3 s: x, z and the turn of the platform, and the tensions of its cables.
const PLACE: [f64; 3] = [0.282528946845604, 1.0981628235446732, 0.002065436765001416];
const TENSIONS: [f64; 4] = [
    259.78020230077345,
    296.69106590055793,
    132.87666796170726,
    177.66574009725326,
];

/// The tensions of so many cables.
pub(super) fn tensions(model: &Model, state: &State, cables: usize) -> Vec<f64> {
    let system = model.mechanism.system();
    let named = |k| Output::find(&format!("cable-{k}.tension"), system.layout()).unwrap();
    let outputs: Vec<Output> = (1..=cables).map(named).collect();
    let mut measured = Measurement::default();
    system.measure(state, &mut measured, &mut system.scratch());
    let mut readings = Readings::default();
    readings.take(&outputs, &*system, state, &measured).to_vec()
}

#[test]
fn a_platform_on_tight_cables_moves_as_its_equations() {
    let (mut places, mut forces) = (Vec::new(), Vec::new());
    for step in ["0.01", "0.005", "0.0025"] {
        let step = format!("run.step={step}");
        let model = scenario("tensioned-platform", &[&step, "run.duration=3"]);
        let (state, _) = ended(&model);
        let largest = |found: &[f64], expected: &[f64]| {
            let each = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
            each.fold(0.0, f64::max)
        };
        places.push(largest(&state.q[..3], &PLACE));
        forces.push(largest(&tensions(&model, &state, 4), &TENSIONS));
    }
    println!("platform: {places:?} m, {forces:?} N");
    assert_second_order([places[0], places[1], places[2]]);
    assert_second_order([forces[0], forces[1], forces[2]]);
}

#[test]
fn its_cables_stay_tight_all_the_way() {
    let model = scenario("tensioned-platform", &["run.duration=8"]);
    let mut simulation = model.simulation();
    let mut least = f64::INFINITY;
    for _ in 0..model.schedule.steps {
        simulation.step_by(model.schedule.step).unwrap();
        let all = tensions(&model, &simulation.state, 4);
        least = all.into_iter().fold(least, f64::min);
    }
    // SciPy finds 72.44 N; the step of 5 ms leaves 0.1 N of that.
    assert!((least - 72.44).abs() < 0.5, "{least}");
}

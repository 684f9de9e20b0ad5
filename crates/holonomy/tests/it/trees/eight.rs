//! The scenario `eight-cable-robot`: a platform with six freedoms on eight winches, against equations solved by SciPy.
use super::{
    feedback::{assert_second_order, ended},
    tensioned::tensions,
};
use crate::common::scenario;

/// `python eight.py`, at 3 s: place and quaternion of the platform, and the tensions of its cables.
const PLACE: [f64; 7] = [
    0.2827158343629985,
    -0.5017685053986961,
    1.6394585232971757,
    0.9999889156564448,
    -0.004658504346424861,
    -0.0006824445624539383,
    3.421868846415283e-05,
];
const TENSIONS: [f64; 8] = [
    268.1546088612624,
    215.0026926703365,
    294.4452159617849,
    338.90829553524566,
    55.15483419194549,
    48.48953420986226,
    192.74112912573784,
    211.7611740755726,
];

#[test]
fn a_platform_on_eight_winches_moves_as_its_equations() {
    let (mut places, mut turns, mut forces) = (Vec::new(), Vec::new(), Vec::new());
    for step in ["0.01", "0.005", "0.0025"] {
        let step = format!("run.step={step}");
        let model = scenario("eight-cable-robot", &[&step, "run.duration=3"]);
        let (state, _) = ended(&model);
        let largest = |found: &[f64], expected: &[f64]| {
            let each = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
            each.fold(0.0, f64::max)
        };
        places.push(largest(&state.q[..3], &PLACE[..3]));
        turns.push(largest(&state.q[3..7], &PLACE[3..]));
        forces.push(largest(&tensions(&model, &state, 8), &TENSIONS));
    }
    println!("platform: {places:?} m, {turns:?}, {forces:?} N");
    assert_second_order([places[0], places[1], places[2]]);
    assert_second_order([turns[0], turns[1], turns[2]]);
    assert_second_order([forces[0], forces[1], forces[2]]);
}

#[test]
fn its_tensions_stay_between_their_limits() {
    let model = scenario("eight-cable-robot", &["run.duration=8"]);
    let mut simulation = model.simulation();
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for _ in 0..model.schedule.steps {
        simulation.step_by(model.schedule.step).unwrap();
        for tension in tensions(&model, &simulation.state, 8) {
            (least, most) = (least.min(tension), most.max(tension));
        }
    }
    // SciPy finds 45.33 N and 368.72 N; the step of 5 ms leaves 0.1 N of that.
    assert!(
        (least - 45.33).abs() < 0.5 && (most - 368.72).abs() < 0.5,
        "{least} {most}"
    );
}

//! The scenario `tower-crane`: a load on a rope over two pulleys, in wind, against equations solved by SciPy.
use super::feedback::{assert_second_order, ended};
use crate::common::scenario;
use holonomy::{
    output::{Output, Readings},
    system::Measurement,
};

/// `python crane.py`: place of the load, tension of the rope, and its forces on the pulleys.
const LOAD: [f64; 3] = [14.773699927440541, 12.173651165075338, 25.39837080087727];
const TENSION: f64 = 3961.4552930868704;
const CONTACTS: [[f64; 3]; 2] = [
    [-2352.1114322474596, -2627.0257838904163, -3923.156947008998],
    [3366.859987884253, 2702.299907903663, -3933.8510676710953],
];

/// Jumps of the acceleration of what is driven, after 1, 2 and 4 s, are at ends of steps.
#[test]
fn the_load_of_a_crane_swings_as_its_equations() {
    let mut places = Vec::new();
    let mut forces = Vec::new();
    for step in ["0.04", "0.02", "0.01"] {
        let step = format!("run.step={step}");
        let model = scenario("tower-crane", &[&step, "run.duration=12"]);
        let (state, _) = ended(&model);
        let place = state.q[2..5].iter().zip(LOAD).map(|(a, b)| (a - b).abs());
        places.push(place.fold(0.0, f64::max));
        let system = model.mechanism.system();
        let names = ["rope.tension", "inner-sheave.contact", "outer-sheave.contact"];
        let outputs = names.map(|name| Output::find(name, system.layout()).unwrap());
        let mut measured = Measurement::default();
        system.measure(&state, &mut measured, &mut system.scratch());
        let mut readings = Readings::default();
        let found = readings.take(&outputs, &*system, &state, &measured);
        let size = |force: [f64; 3]| force.iter().map(|x| x * x).sum::<f64>().sqrt();
        let expected = [TENSION, size(CONTACTS[0]), size(CONTACTS[1])];
        let differences = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
        forces.push(differences.fold(0.0, f64::max));
    }
    println!("crane: {places:?} m, {forces:?} N");
    assert_second_order(places.try_into().unwrap());
    assert_second_order(forces.try_into().unwrap());
}

use super::*;
use crate::{figure::well_formed::assert_well_formed, reproduce::Study};

#[test]
fn methods_show_their_order_and_a_conventional_one_may_win() {
    let stop = AtomicBool::new(false);
    let study = Study::scenario("double-spherical-pendulum").map(|study| study.schedule(0.02, 4.0));
    let Ok(model) = study.and_then(|study| study.model()) else {
        panic!("the scenario loads");
    };
    let methods = methods(&model);
    assert!(methods.iter().any(|method| method.name == "sphere-implicit-4"));
    assert!(methods.iter().all(|method| method.name != "notebook-rk4"));
    let control = Control {
        stop: &stop,
        progress: &mut |_| {},
    };
    let plan = Plan {
        counts: vec![50, 100, 200, 400],
        tolerances: vec![1e-4, 1e-8, 1e-10],
        seconds: 1.0,
    };
    let result = measure(&model, "double", &methods, &plan, &mut |_| {}, control);
    let Ok(precision) = result else {
        panic!("{result:?}");
    };
    for (name, order) in [("sphere-implicit", 2.0), ("sphere-implicit-4", 4.0)] {
        let curve = precision.curves.iter().find(|curve| curve.method == name);
        let slope = curve.and_then(|curve| curve.slope).unwrap_or(f64::NAN);
        // The longest steps are not yet in the regime of the order.
        assert!((slope - order).abs() < 0.4, "{name}: {slope}");
    }
    // At 1e-10 dop853 is far ahead of everything of order 2, and its curve reaches it by interpolation.
    let winner = precision.winner(1e-9, Error::State, Cost::Evaluations);
    assert!(
        winner.is_some_and(|winner| winner.method == "dop853" && !winner.geometric),
        "{winner:?}"
    );
    assert!(
        precision.conclusion().contains("force evaluations"),
        "{}",
        precision.conclusion()
    );
    assert_well_formed(&precision.figure("", Cost::Seconds));
    let stopped = AtomicBool::new(true);
    let control = Control {
        stop: &stopped,
        progress: &mut |_| {},
    };
    assert!(measure(&model, "double", &methods, &plan, &mut |_| {}, control).is_err());
}

#[test]
fn work_is_interpolated_on_logarithmic_axes() {
    let point = |evaluations: u64, error: f64| Point {
        step: 1.0,
        tolerance: None,
        error: Some(error),
        energy_error: None,
        evaluations,
        seconds: 1.0,
        above_floor: true,
        problem: None,
    };
    let curve = |points: Vec<Point>| Curve {
        method: "x",
        order: 2,
        geometric: true,
        slope: None,
        points,
    };
    let work = |curve: &Curve, target: f64| curve.work_for(target, Error::State, Cost::Evaluations);
    let second = curve(vec![point(100, 1e-2), point(1000, 1e-4), point(10_000, 1e-6)]);
    assert!(work(&second, 1e-3).is_some_and(|work| (work - 316.23).abs() < 0.01));
    assert_eq!(work(&second, 1e-7), None);
    assert_eq!(work(&second, 0.1), Some(100.0));
    // An error that rises again counts from where it stays below.
    let lucky = curve(vec![point(100, 1e-5), point(1000, 1e-3), point(10_000, 1e-5)]);
    assert!(work(&lucky, 1e-4).is_some_and(|work| work > 1000.0));
    assert_eq!(work(&curve(vec![]), 1e-4), None);
}

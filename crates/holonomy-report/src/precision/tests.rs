use super::*;

#[test]
fn work_is_interpolated_on_logarithmic_axes() {
    let point = |evaluations: u64, error: f64| PrecisionRun {
        step: 1.0,
        tolerance: None,
        error: Some(error),
        energy_error: None,
        evaluations,
        seconds: 1.0,
        above_floor: true,
        problem: None,
    };
    let curve = |points: Vec<PrecisionRun>| MethodCurve {
        method: "x".to_owned(),
        order: 2,
        geometric: true,
        slope: None,
        points,
    };
    let work = |curve: &MethodCurve, target: f64| curve.work_for(target, ErrorKind::State, Cost::Evaluations);
    let second = curve(vec![point(100, 1e-2), point(1000, 1e-4), point(10_000, 1e-6)]);
    assert!(work(&second, 1e-3).is_some_and(|work| (work - 316.23).abs() < 0.01));
    assert_eq!(work(&second, 1e-7), None);
    assert_eq!(work(&second, 0.1), Some(100.0));
    // An error that rises again counts from where it stays below.
    let lucky = curve(vec![point(100, 1e-5), point(1000, 1e-3), point(10_000, 1e-5)]);
    assert!(work(&lucky, 1e-4).is_some_and(|work| work > 1000.0));
    assert_eq!(work(&curve(vec![]), 1e-4), None);
}

use holonomy_host::precision::{Plan, measure, methods};
use holonomy_model::{Source, scenario};
use holonomy_report::{
    precision::{Cost, ErrorKind},
    run::Control,
};
use std::sync::atomic::AtomicBool;

#[test]
fn methods_show_their_order_and_a_conventional_one_may_win() {
    let stop = AtomicBool::new(false);
    let scenario = scenario::find("double-spherical-pendulum").expect("a scenario");
    let mut source = Source::new(scenario.name, scenario.model);
    source
        .with_override("run.step=0.02")
        .with_override("run.duration=4");
    let model = holonomy_model::load(&source).unwrap_or_else(|problems| panic!("{problems:?}"));
    let methods = methods(&model);
    assert!(methods.iter().any(|method| method.name == "sphere-implicit-4"));
    assert!(methods.iter().all(|method| method.name != "notebook-rk4"));
    let control = Control {
        stop: &stop,
        progress: &mut |_| {},
        effort: holonomy_report::certificate::Effort::None,
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
    let winner = precision.winner(1e-9, ErrorKind::State, Cost::Evaluations);
    assert!(
        winner.is_some_and(|winner| winner.method == "dop853" && !winner.geometric),
        "{winner:?}"
    );
    assert!(
        precision.conclusion().contains("force evaluations"),
        "{}",
        precision.conclusion()
    );
    let figure = precision.figure("", Cost::Seconds);
    assert!(roxmltree::Document::parse(&figure).is_ok(), "{figure}");
    let stopped = AtomicBool::new(true);
    let control = Control {
        stop: &stopped,
        progress: &mut |_| {},
        effort: holonomy_report::certificate::Effort::None,
    };
    assert!(measure(&model, "double", &methods, &plan, &mut |_| {}, control).is_err());
}

//! Certificates say what is true of a run, good and bad.
use holonomy_host::run::run;
use holonomy_model::scenario;
use holonomy_model::{Model, Source, load};
use holonomy_report::run::{Control, Outcome};
use holonomy_report::{
    certificate::Certificate,
    series::Series,
    summary::Summary,
    verdict::{DriftKind, Evidence, Grounds, Judgement, Promise, Reason, Subject, Verdict},
};
use std::sync::atomic::AtomicBool;

fn model(name: &str, sets: &[&str]) -> Model {
    let text = scenario::find(name).map(|scenario| scenario.model);
    let mut source = Source::new(name, text.unwrap_or_default());
    for set in sets {
        if set.starts_with("run.steps=") {
            source.with_override("run.duration=");
        }
        source.with_override(*set);
    }
    load(&source).unwrap_or_else(|problems| panic!("{name}: {problems:?}"))
}

fn outcome(model: &Model, stop: bool) -> Outcome {
    let control = Control {
        stop: &AtomicBool::new(stop),
        progress: &mut |_| {},
        effort: holonomy_report::certificate::Effort::Usual,
    };
    run(model, "test", control)
}

fn certificate(name: &str, sets: &[&str]) -> Certificate {
    outcome(&model(name, sets), false).summary.certificate
}

fn find<'c>(certificate: &'c Certificate, subject: &Subject) -> &'c Judgement {
    let found = certificate.line(subject);
    found.unwrap_or_else(|| panic!("no line `{subject}` in {certificate:#?}"))
}

fn momentum(name: &str) -> Subject {
    let name = name.to_owned();
    Subject::Momentum { name }
}

#[test]
fn a_variational_run_is_good_line_by_line() {
    let certificate = certificate("double-spherical-pendulum", &["run.steps=2000"]);
    for subject in [
        Subject::Energy,
        momentum("angular momentum z"),
        Subject::UnitLength,
        Subject::Form,
        Subject::Order,
        Subject::Reversal,
    ] {
        let line = find(&certificate, &subject);
        assert_eq!(line.verdict, Verdict::Good, "{line:?}");
    }
    let conclusion = &certificate.conclusion;
    assert_eq!(conclusion.structure, Verdict::Good);
    let Grounds::Held { promised, besides } = &conclusion.grounds else {
        panic!("{certificate:#?}");
    };
    assert_eq!((promised.len(), besides.len()), (6, 0));
    assert!(conclusion.to_string().starts_with("Conserved: "));
    // Every step was recorded or taken again.
    assert!(certificate.watch.all && certificate.watch.all_for.value > 19.99);
}

#[test]
fn a_conventional_run_with_a_large_step_is_bad_and_with_a_small_one_good_for_its_time() {
    let at = |step: &str| {
        let step = format!("run.step={step}");
        certificate(
            "double-spherical-pendulum",
            &[
                "method={ name = \"rk4\" }",
                "run.steps=",
                "run.duration=100",
                &step,
            ],
        )
    };
    let (large, middle, small) = (at("0.2"), at("0.05"), at("0.01"));
    assert_eq!(large.conclusion.verdict, Verdict::Bad, "{large:#?}");
    let Grounds::Drift { total, .. } = &large.conclusion.grounds else {
        panic!("{large:#?}");
    };
    // Over a joule: what the energy loses, not the error of the fit.
    assert!(total.value > 1.0 && total.unit == "J", "{total:?}");
    // Named because it was tried here and was better.
    let better = large
        .conclusion
        .better
        .iter()
        .find_map(|trial| trial.method.as_deref());
    assert!(
        better.is_none_or(|method| method.starts_with("sphere-implicit")),
        "{large:#?}"
    );
    assert_eq!(find(&large, &Subject::UnitLength).verdict, Verdict::Bad);
    assert_eq!(middle.conclusion.structure, Verdict::Doubtful, "{middle:#?}");
    assert_eq!(small.conclusion.structure, Verdict::Good, "{small:#?}");
    assert_eq!(small.conclusion.grounds, Grounds::SmallErrors);
    for certificate in [&large, &middle, &small] {
        let form = find(certificate, &Subject::Form);
        assert_eq!(
            (form.promise, form.reason),
            (Promise::Withheld, Reason::NotPreserved)
        );
    }
}

#[test]
fn a_stiff_system_is_measured_by_small_displacements() {
    // A displacement of 5 mm is far for a beam: differences that wide would call its form broken.
    let certificate = certificate("cantilever", &["run.steps=200"]);
    let form = find(&certificate, &Subject::Form);
    assert_eq!(form.verdict, Verdict::Good, "{form:?}");
}

#[test]
fn a_large_bounded_error_asks_for_a_smaller_step() {
    let certificate = certificate("double-spherical-pendulum", &["run.steps=400", "run.step=0.3"]);
    let energy = find(&certificate, &Subject::Energy);
    assert_eq!(
        (energy.verdict, energy.reason),
        (Verdict::Doubtful, Reason::BoundedButLarge)
    );
    assert_eq!(certificate.conclusion.structure, Verdict::Doubtful);
    // And the path is not that of the pendulum for long.
    assert_ne!(certificate.conclusion.path.verdict, Verdict::Good);
}

/// A method that promises more than it keeps: the line and the conclusion say so.
#[test]
fn a_broken_promise_is_found() {
    let mut model = model(
        "spherical-pendulum",
        &["method={ name = \"rk4\" }", "run.steps=2000", "run.step=0.05"],
    );
    let honest = *model.method;
    let mut liar = holonomy::integrator::catalog::Method {
        symplectic: true,
        symmetric: true,
        on_manifold: true,
        bounded_energy: true,
        momentum: holonomy::integrator::catalog::Guarantee::Always,
        order: 6,
        ..honest
    };
    liar.name = "liar";
    model.method = Box::leak(Box::new(liar));
    let certificate = outcome(&model, false).summary.certificate;
    let broken = [momentum("angular momentum z"), Subject::UnitLength, Subject::Form];
    for subject in &broken {
        assert_eq!(find(&certificate, subject).verdict, Verdict::Bad, "{subject}");
    }
    for subject in [Subject::Energy, Subject::Order] {
        assert_eq!(
            find(&certificate, &subject).verdict,
            Verdict::Doubtful,
            "{subject}"
        );
    }
    assert_eq!(certificate.conclusion.verdict, Verdict::Bad);
    assert_eq!(certificate.conclusion.method, "liar");
    let Grounds::BrokenPromises { subjects } = &certificate.conclusion.grounds else {
        panic!("{certificate:#?}");
    };
    assert!(broken.iter().all(|subject| subjects.contains(subject)));
}

#[test]
fn what_is_no_momentum_of_an_affine_symmetry_is_not_promised() {
    let kepler = certificate("kepler", &["run.steps=2000"]);
    assert_eq!(
        find(&kepler, &momentum("angular-momentum")).promise,
        Promise::Given
    );
    assert_eq!(find(&kepler, &momentum("axis-x")).promise, Promise::Inapplicable);
    assert_eq!(find(&kepler, &momentum("axis-y")).promise, Promise::Inapplicable);
    assert_eq!(kepler.conclusion.path.verdict, Verdict::Good, "{kepler:#?}");
    let bent = certificate("pitch-cone-roll", &["run.steps=2000"]);
    assert_eq!(
        find(&bent, &momentum("vertical-momentum")).promise,
        Promise::Inapplicable
    );
}

#[test]
fn runs_that_fail_or_are_stopped_say_so() {
    let failed = certificate("pendulum-chain", &["run.step=0.02"]);
    assert_eq!(failed.conclusion.verdict, Verdict::Bad);
    assert!(
        failed
            .conclusion
            .to_string()
            .starts_with("This run failed at step")
    );
    assert_eq!(find(&failed, &Subject::End).reason, Reason::Failed);
    let stopped = outcome(&model("spherical-pendulum", &[]), true)
        .summary
        .certificate;
    assert_eq!(find(&stopped, &Subject::End).reason, Reason::Stopped);
    assert!(
        stopped
            .conclusion
            .to_string()
            .starts_with("The run was stopped at 0 s. Until then: ")
    );
}

#[test]
fn a_changing_energy_is_no_error_where_forces_act() {
    let certificate = certificate("damped-pendulum", &["run.steps=1000"]);
    let energy = find(&certificate, &Subject::Energy);
    assert_eq!((energy.verdict, energy.reason), (Verdict::Good, Reason::Balanced));
    assert_eq!(certificate.conclusion.structure, Verdict::Good);
}

#[test]
fn constraints_are_certified_with_what_they_pull() {
    let certificate = certificate("four-bar", &["run.steps=500"]);
    assert_eq!(find(&certificate, &Subject::Constraints).verdict, Verdict::Good);
    let Evidence::Forces { ranges, more: 0 } = &find(&certificate, &Subject::ConstraintForces).evidence
    else {
        panic!("{certificate:#?}");
    };
    assert!(ranges.iter().any(|range| range.name == "pin.x"), "{ranges:?}");
    assert!(
        ranges
            .iter()
            .all(|range| range.largest.unit == "N" && range.least.value < range.largest.value)
    );
}

#[test]
fn nothing_moves_and_nothing_is_wrong() {
    let text = "coordinates = ['x']\nlagrangian = \"0.5*x'^2 - 0.5*x^2\"\n[start]\nx = 0\n\
                [method]\nname = 'midpoint'\n[run]\nstep = 0.01\nsteps = 300\n";
    let model = load(&Source::new("rest", text)).expect("a model");
    let certificate = outcome(&model, false).summary.certificate;
    let energy = find(&certificate, &Subject::Energy);
    assert_eq!((energy.verdict, energy.reason), (Verdict::Good, Reason::AtRest));
    assert_eq!(certificate.conclusion.verdict, Verdict::Good, "{certificate:#?}");
}

/// What is written is what is read back: numbers and curves to the bit, verdicts as data.
#[test]
fn what_a_run_left_is_read_back_as_it_was() {
    for (name, sets) in [
        ("double-spherical-pendulum", vec!["run.steps=300"]),
        ("four-bar", vec!["run.steps=200"]),
        (
            "damped-pendulum",
            vec!["run.steps=200", "method={ name = \"rk45\" }"],
        ),
    ] {
        let Outcome { summary, series, .. } = outcome(&model(name, &sets), false);
        let again: Summary = serde_json::from_str(&summary.to_json()).expect("a summary");
        assert_eq!(again, summary, "{name}");
        assert_eq!(again.to_json(), summary.to_json(), "{name}");
        let written = serde_json::to_string(&series).expect("text");
        let again: Series = serde_json::from_str(&written).expect("a series");
        assert_eq!(format!("{again:?}"), format!("{series:?}"), "{name}");
    }
}

/// A run that flies off ends before what is measured ceases to be finite, and is not trusted; no reader stumbles.
#[test]
fn a_run_that_flies_off_ends_while_it_can_be_measured() {
    let model = model(
        "double-spherical-pendulum",
        &["method={ name = \"euler\" }", "run.steps=20000", "run.step=0.1"],
    );
    let Outcome { summary, series, .. } = outcome(&model, false);
    assert!(summary.error.is_some(), "{summary:?}");
    assert!(summary.energy.mean_abs_error.is_finite(), "{:?}", summary.energy);
    let again: Summary = serde_json::from_str(&summary.to_json()).expect("a summary");
    assert_eq!(again.certificate.conclusion.verdict, Verdict::Bad);
    let written = serde_json::to_string(&series).expect("text");
    assert!(serde_json::from_str::<Series>(&written).is_ok());
}

/// The drift of a line is judged once: the certificate's verdict and its sentence agree with the data.
#[test]
fn a_slope_and_its_verdict_say_the_same_thing() {
    let good = certificate("double-spherical-pendulum", &["run.steps=2000"]);
    let drift = good.drift().expect("a slope");
    assert_ne!(drift.kind, DriftKind::Real);
    let line = find(&good, &Subject::Energy);
    assert!(
        line.measured().contains(&drift.to_string()),
        "{}",
        line.measured()
    );
    let bad = certificate(
        "double-spherical-pendulum",
        &[
            "method={ name = \"rk4\" }",
            "run.steps=",
            "run.duration=100",
            "run.step=0.2",
        ],
    );
    assert_eq!(bad.drift().map(|drift| drift.kind), Some(DriftKind::Real));
}

/// A mass on a spring, pushed about and braked, with quantities to be measured: one that is conserved, and two that
/// are not.
const MEASURED: &str = r#"
coordinates = ["x", "y"]
lagrangian = "0.5*(x'^2 + y'^2) - 0.5*x^2"
force = { x = "FORCE" }
invariants = { across = "y'", along = "x'", area = "x*y' - y*x'" }
start = { x = 1, y = 0 }
velocity = { x = 0, y = 0.5 }
method = { name = "midpoint" }
run = { step = 0.02, duration = 20 }
"#;

#[test]
fn what_a_model_measures_and_motion_changes_is_no_broken_promise() {
    let measured = |force: &str| {
        let source = Source::new("measured", MEASURED.replace("FORCE", force));
        let model = load(&source).unwrap_or_else(|problems| panic!("{problems:?}"));
        outcome(&model, false).summary.certificate
    };
    for force in ["0", "-0.1*x'", "cos(2*t) - 0.1*x'^3"] {
        let certificate = measured(force);
        for name in ["along", "area"] {
            let line = find(&certificate, &momentum(name));
            assert_eq!(
                (line.promise, line.verdict),
                (Promise::Inapplicable, Verdict::Neutral),
                "{force}: {line:?}"
            );
        }
        let across = find(&certificate, &momentum("across"));
        assert_eq!(
            (across.verdict, across.reason),
            (Verdict::Good, Reason::Conserved)
        );
        assert_eq!(certificate.conclusion.verdict, Verdict::Good, "{certificate:#?}");
    }
}

/// A force that pushes to and fro by any amount between samples: what flows through must not excuse that energy doubles.
#[test]
fn a_large_throughput_excuses_no_more_than_there_is() {
    let text = "coordinates = ['x']\nlagrangian = \"0.5*x'^2 - 2*x^2\"\n[start]\nx = 1\n\
        [[input]]\nname = 'u'\non = 'x'\nvalue = 1\n[[input.feedback]]\nof = 'x'\ngain = 1e300\n\
        [method]\nname = 'midpoint'\n[run]\nstep = 0.01\nduration = 2\n";
    let model = load(&Source::new("pushed", text)).unwrap_or_else(|problems| panic!("{problems:?}"));
    let certificate = outcome(&model, false).summary.certificate;
    let line = find(&certificate, &Subject::Energy);
    assert_eq!(
        (line.verdict, line.reason),
        (Verdict::Doubtful, Reason::BalancedRoughly),
        "{line:?}"
    );
}

#[test]
fn energy_that_forces_change_is_judged_by_their_work() {
    let line = |sets: &[&str]| {
        let certificate = certificate("damped-pendulum", sets);
        find(&certificate, &Subject::Energy).clone()
    };
    let judged = |sets: &[&str]| {
        let line = line(sets);
        let Evidence::Balance { share, sources, .. } = &line.evidence else {
            panic!("{line:?}");
        };
        assert_eq!(sources.len(), 1, "{line:?}");
        (share.unwrap_or(f64::NAN), line.verdict, line.reason)
    };
    let rk4 = "method={ name = \"rk4\" }";
    // 113 J go through in 60 s; the share falls as the square of the step, or as its fourth power.
    let (fine, verdict, reason) = judged(&[]);
    assert_eq!((verdict, reason), (Verdict::Good, Reason::Balanced));
    let (coarse, ..) = judged(&["run.step=0.04"]);
    assert!(coarse / fine > 12.0 && coarse / fine < 20.0, "{coarse} {fine}");
    let (coarse, verdict, _) = judged(&[rk4]);
    assert_eq!(verdict, Verdict::Good);
    let (fine, ..) = judged(&[rk4, "run.step=0.0025"]);
    assert!(coarse / fine > 200.0 && coarse / fine < 320.0, "{coarse} {fine}");
    // Euler's method makes energy at this step, many times what there was, and power of its own with it.
    let (_, verdict, reason) = judged(&["method={ name = \"euler\" }", "run.step=0.1", "parameters.c=0.01"]);
    assert_eq!((verdict, reason), (Verdict::Bad, Reason::Unbalanced));
}

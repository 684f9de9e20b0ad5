//! Certificates say what is true of a run, good and bad.
use holonomy::model::{Model, Source, load};
use holonomy_host::{
    certificate::{Certificate, Line},
    page::Verdict,
    run::{Control, Outcome, run},
    scenario,
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
    };
    run(model, "test", None, control)
}

fn certificate(name: &str, sets: &[&str]) -> Certificate {
    outcome(&model(name, sets), false).summary.certificate
}

fn find<'c>(certificate: &'c Certificate, subject: &str) -> &'c Line {
    let mut lines = certificate.lines.iter();
    let found = lines.find(|line| line.subject == subject);
    found.unwrap_or_else(|| panic!("no line `{subject}` in {certificate:#?}"))
}

#[test]
fn a_variational_run_is_good_line_by_line() {
    let certificate = certificate("double-spherical-pendulum", &["run.steps=2000"]);
    for subject in [
        "energy",
        "angular momentum z",
        "unit length",
        "symplectic form",
        "order",
        "reversal",
    ] {
        let line = find(&certificate, subject);
        assert_eq!(line.verdict, Verdict::Good, "{line:?}");
    }
    assert_eq!(certificate.conclusion.verdict, Verdict::Good);
    assert!(certificate.conclusion.measured.starts_with("Trust this run"));
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
    assert!(large.conclusion.measured.starts_with("Do not trust this run"));
    assert!(large.conclusion.measured.contains("--method sphere-implicit"));
    assert_eq!(find(&large, "unit length").verdict, Verdict::Bad);
    assert_eq!(middle.conclusion.verdict, Verdict::Doubtful, "{middle:#?}");
    assert_eq!(small.conclusion.verdict, Verdict::Good, "{small:#?}");
    assert!(small.conclusion.measured.contains("promises nothing for longer"));
    for certificate in [&large, &middle, &small] {
        let form = find(certificate, "symplectic form");
        assert_eq!(
            (form.promised.as_str(), form.word.as_str()),
            ("nothing", "not preserved")
        );
    }
}

#[test]
fn a_stiff_system_is_measured_by_small_displacements() {
    // A displacement of 5 mm is far for a beam: differences that wide would call its form broken.
    let certificate = certificate("cantilever", &["run.steps=200"]);
    let form = find(&certificate, "symplectic form");
    assert_eq!(form.verdict, Verdict::Good, "{form:?}");
}

#[test]
fn a_large_bounded_error_asks_for_a_smaller_step() {
    let certificate = certificate("double-spherical-pendulum", &["run.steps=400", "run.step=0.3"]);
    let energy = find(&certificate, "energy");
    assert_eq!(
        (energy.verdict, energy.word.as_str()),
        (Verdict::Doubtful, "bounded, but large")
    );
    assert_eq!(certificate.conclusion.verdict, Verdict::Doubtful);
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
        momentum: holonomy::integrator::catalog::Kept::Always,
        order: 6,
        ..honest
    };
    liar.name = "liar";
    model.method = Box::leak(Box::new(liar));
    let certificate = outcome(&model, false).summary.certificate;
    for subject in ["angular momentum z", "unit length", "symplectic form"] {
        assert_eq!(find(&certificate, subject).verdict, Verdict::Bad, "{subject}");
    }
    for subject in ["energy", "order"] {
        assert_eq!(
            find(&certificate, subject).verdict,
            Verdict::Doubtful,
            "{subject}"
        );
    }
    assert_eq!(certificate.conclusion.verdict, Verdict::Bad);
    assert!(
        certificate
            .conclusion
            .measured
            .contains("`liar` promises to keep")
    );
}

#[test]
fn what_is_no_momentum_of_an_affine_symmetry_is_not_promised() {
    let kepler = certificate("kepler", &["run.steps=2000"]);
    assert_eq!(find(&kepler, "angular-momentum").promised, "kept");
    assert_eq!(find(&kepler, "axis-x").promised, "nothing");
    assert_eq!(find(&kepler, "axis-y").promised, "nothing");
    assert_eq!(kepler.conclusion.verdict, Verdict::Good, "{kepler:#?}");
    let bent = certificate("pitch-cone-roll", &["run.steps=2000"]);
    assert_eq!(find(&bent, "vertical-momentum").promised, "nothing");
}

/// The plane double pendulum of the scenario is chaotic: two runs part by a factor of 2 to 4 a second. The spherical
/// pendulum is integrable, and its runs part as the time.
#[test]
fn chaos_is_told_from_regular_motion() {
    let chaotic = certificate("double-plane-pendulum", &[]);
    let line = find(&chaotic, "predictability");
    assert_eq!(line.word, "chaotic", "{line:?}");
    assert!(chaotic.conclusion.measured.contains("The motion is chaotic"));
    assert_eq!(chaotic.conclusion.verdict, Verdict::Good);
    let regular = certificate("spherical-pendulum", &[]);
    assert_eq!(find(&regular, "predictability").word, "no chaos seen");
    assert!(!regular.conclusion.measured.contains("chaotic"));
}

#[test]
fn runs_that_fail_or_are_stopped_say_so() {
    let failed = certificate("pendulum-chain", &["run.step=0.02"]);
    assert_eq!(failed.conclusion.verdict, Verdict::Bad);
    assert!(failed.conclusion.measured.starts_with("This run failed at step"));
    assert_eq!(find(&failed, "end of the run").word, "failed");
    let stopped = outcome(&model("spherical-pendulum", &[]), true)
        .summary
        .certificate;
    assert_eq!(find(&stopped, "end of the run").word, "stopped");
    assert!(
        stopped
            .conclusion
            .measured
            .starts_with("The run was stopped at 0 s")
    );
}

#[test]
fn a_changing_energy_is_no_error_where_forces_act() {
    let certificate = certificate("damped-pendulum", &["run.steps=1000"]);
    assert_eq!(find(&certificate, "energy").verdict, Verdict::Neutral);
    assert_eq!(certificate.conclusion.verdict, Verdict::Good);
    assert!(certificate.conclusion.measured.contains("the energy cannot tell"));
}

#[test]
fn constraints_are_certified_with_what_they_pull() {
    let certificate = certificate("four-bar", &["run.steps=500"]);
    assert_eq!(find(&certificate, "constraints").verdict, Verdict::Good);
    let forces = &find(&certificate, "constraint forces").measured;
    assert!(forces.contains("pin.x") && forces.ends_with('N'), "{forces}");
}

#[test]
fn nothing_moves_and_nothing_is_wrong() {
    let text = "coordinates = ['x']\nlagrangian = \"0.5*x'^2 - 0.5*x^2\"\n[start]\nx = 0\n\
                [method]\nname = 'midpoint'\n[run]\nstep = 0.01\nsteps = 300\n";
    let model = load(&Source::new("rest", text)).expect("a model");
    let certificate = outcome(&model, false).summary.certificate;
    let energy = find(&certificate, "energy");
    assert_eq!((energy.verdict, energy.word.as_str()), (Verdict::Good, "at rest"));
    assert_ne!(certificate.conclusion.verdict, Verdict::Bad, "{certificate:#?}");
}

//! Runs that a certificate was caught with: each was trusted and wrong, or right and not trusted.
use holonomy_model::{Model, Source, load, scenario};
use holonomy_report::{
    certificate::Certificate,
    run::run,
    verdict::{DriftKind, Evidence, Reason, Subject, Unmeasured, Verdict},
};

fn certify(model: &Model) -> Certificate {
    run(model, "test").summary.certificate
}

fn text(text: &str) -> Model {
    load(&Source::new("model.toml", text)).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn shipped(name: &str, sets: &[&str]) -> Model {
    let mut source = Source::new(name, scenario::find(name).expect("a scenario").model);
    for set in sets {
        source.with_override(*set);
    }
    load(&source).unwrap_or_else(|problems| panic!("{name}: {problems:?}"))
}

/// Five periods in a step: midpoint conserves the energy of an oscillator whatever the step, and the path is nonsense.
#[test]
fn five_periods_in_a_step_are_not_trusted() {
    let model = text(
        "coordinates = ['x']\nlagrangian = \"0.5*x'^2 - 0.5*x^2\"\n[start]\nx = 1\n[method]\nname = 'midpoint'\n\
         [run]\nstep = 30\nsteps = 300\n",
    );
    let certificate = certify(&model);
    assert_eq!(
        certificate.conclusion.path.verdict,
        Verdict::Bad,
        "{certificate:#?}"
    );
    assert_eq!(certificate.conclusion.verdict, Verdict::Bad);
    let order = certificate.line(&Subject::Order).expect("a line");
    assert_eq!(order.verdict, Verdict::Doubtful, "{order:?}");
}

/// The orbit of the Earth in metres, seconds and kilograms: scales are those of the model. The energy is good to 1e-7.
#[test]
fn the_orbit_of_the_earth_in_si_units_is_trusted() {
    let model = text(
        "coordinates = ['x', 'y']\n\
         lagrangian = \"0.5*m*(x'^2 + y'^2) + G*M*m/sqrt(x^2 + y^2)\"\n\
         [parameters]\nm = 5.972e24\nM = 1.989e30\nG = 6.6743e-11\n\
         [start]\nx = 1.496e11\ny = 0\n[velocity]\nx = 0\ny = 29780\n\
         [method]\nname = 'midpoint'\n[run]\nstep = 86400\nsteps = 1500\n",
    );
    let certificate = certify(&model);
    assert_eq!(
        certificate.conclusion.structure,
        Verdict::Good,
        "{certificate:#?}"
    );
    assert_eq!(
        certificate.conclusion.path.verdict,
        Verdict::Good,
        "{certificate:#?}"
    );
}

/// A flywheel of 2.5 MJ beside a pendulum of some joules that takes steps of a tenth of its period: the large energy does
/// not hide that the small thing is somewhere else.
#[test]
fn a_flywheel_does_not_hide_a_pendulum() {
    let model = text(
        "coordinates = ['a', 'b']\nlagrangian = \"0.5*500*a'^2 + 0.5*b'^2 + 9.81*cos(b)\"\n\
         [start]\na = 0\nb = 2.5\n[velocity]\na = 100\nb = 0\n\
         [method]\nname = 'midpoint'\n[run]\nstep = 0.2\nsteps = 500\n",
    );
    let certificate = certify(&model);
    let Evidence::Path(path) = &certificate.conclusion.path.evidence else {
        panic!("{certificate:#?}");
    };
    assert_eq!(path.largest.part, "b", "{path:?}");
    assert!(path.largest.distance.value > 1.0, "{path:?}");
    assert_ne!(certificate.conclusion.verdict, Verdict::Good);
}

/// Samples once in a period see the same place of an orbit each time; the steps between them are watched too.
#[test]
fn what_is_recorded_once_in_a_period_is_watched_at_every_step() {
    let sets = |every: u64| {
        vec![
            "start.x=0.1".to_owned(),
            "velocity.y=4.358898943540674".to_owned(),
            "run.duration=".to_owned(),
            "run.steps=1257".to_owned(),
            "run.step=0.005".to_owned(),
            format!("run.every={every}"),
        ]
    };
    let largest = |every: u64| {
        let sets = sets(every);
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        let summary = run(&shipped("kepler", &sets), "test").summary;
        let line = summary
            .certificate
            .line(&Subject::Energy)
            .expect("a line")
            .clone();
        let Evidence::EnergyError { largest, .. } = line.evidence else {
            panic!("{line:?}");
        };
        assert!(summary.certificate.watch.all);
        (largest.value, summary.energy.max_abs_error)
    };
    let (judged, recorded) = largest(1257);
    let (every_step, same) = largest(1);
    assert_eq!(every_step, same);
    // The samples saw little of it; the judge saw all.
    assert!(recorded < 0.1 * judged, "{recorded} {judged}");
    assert_eq!(judged, every_step);
}

/// Advice names what was tried on this model and was better: never the method that ran, nor one that is worse.
#[test]
fn advice_was_tried() {
    for (name, sets) in [
        (
            "pitch-cone-roll",
            vec!["method={ name = \"midpoint\" }", "run.step=0.2"],
        ),
        ("kepler", vec!["method={ name = \"rk4\" }", "run.step=0.1"]),
        (
            "chaplygin-sleigh",
            vec!["method={ name = \"hamel\" }", "run.step=0.2"],
        ),
        (
            "double-spherical-pendulum",
            vec!["method={ name = \"rk4\" }", "run.step=0.2"],
        ),
    ] {
        let model = shipped(name, &sets);
        let conclusion = certify(&model).conclusion;
        for trial in &conclusion.better {
            assert_ne!(
                trial.method.as_deref(),
                Some(model.method.name),
                "{name}: {trial:?}"
            );
            assert!(2.0 * trial.share.1 <= trial.share.0, "{name}: {trial:?}");
            if let Some((ours, other)) = &trial.energy {
                assert!(other.value <= ours.value, "{name}: {trial:?}");
            }
            assert!(trial.covered.value > 0.0, "{name}: {trial:?}");
        }
        assert!(
            !conclusion.to_string().contains("--method midpoint "),
            "{name}: {conclusion}"
        );
    }
}

/// A method that chooses its own steps takes others beside the path: what grows there is no exponent of the motion, and
/// Kepler's orbit was said not to be resolved.
#[test]
fn nothing_is_said_of_growth_beside_a_method_with_steps_of_its_own() {
    let certificate = certify(&shipped(
        "kepler",
        &["method={ name = \"dop853\" }", "run.duration=50"],
    ));
    let line = certificate.line(&Subject::Predictability).expect("a line");
    let why = Unmeasured::OwnSteps;
    assert_eq!(line.evidence, Evidence::Missing { why }, "{line:?}");
}

/// Of a long run the beginning is looked at: every answer on the path says how far that reaches.
#[test]
fn a_path_that_was_compared_in_part_says_so() {
    for step in ["run.step=0.005", "run.step=0.05"] {
        let model = shipped("plane-pendulum", &["run.duration=4000", "run.every=1000", step]);
        let conclusion = certify(&model).conclusion;
        let Evidence::Path(path) = &conclusion.path.evidence else {
            panic!("{conclusion:#?}");
        };
        let text = &conclusion.answers()[1].text;
        assert!(
            path.whole || path.lost_from.is_some() || text.contains("not tested"),
            "{text}"
        );
    }
}

/// The mean of the energy of a chain falls as its motion goes over to shorter waves, and E + h²H₂ stays: the certificate
/// tells that from a loss (`modified_energy` of the engine's tests measures it at every instant).
#[test]
fn a_chain_that_goes_over_to_short_waves_loses_nothing() {
    let model = shipped(
        "pendulum-chain",
        &["chain.links=16", "run.duration=100", "run.every=100"],
    );
    let certificate = certify(&model);
    let line = certificate.line(&Subject::Energy).expect("a line");
    let drift = certificate.drift().expect("a slope");
    assert_eq!(drift.kind, DriftKind::Term, "{line:?}");
    assert_eq!(
        (line.verdict, line.reason),
        (Verdict::Good, Reason::FollowsTheMotion)
    );
    let modified = drift.modified.as_ref().expect("it was measured");
    assert!(modified.value < 0.1 * drift.total.value, "{drift:?}");
}

/// A beam that was let down on its load rests: momenta of 1e-17 kg m/s are no unit to measure its form in, and nothing
/// shows an order.
#[test]
fn a_beam_that_rests_breaks_no_promise() {
    let model = text(
        "space = 'tree'\ngravity = [0, 0.3, -1]\nstart = 'settled'\n[[site]]\nname = 'wall'\nat = [0, 0, 0]\n\
         [[body]]\nname = 'tip'\njoint = { kind = 'free' }\nposition = [0.5, 0, 0]\nmass = 0.1\n\
         inertia = [1e-5, 1e-5, 1e-5]\nsites = { e = [0, 0, 0] }\n\
         [[beam]]\nbetween = ['wall', 'e']\nlength = 0.5\nEA = 2e5\nEI = [10.0, 40.0]\nGJ = 20.0\n\
         [method]\nname = 'tree-variational'\n[run]\nstep = 0.001\nduration = 1\n",
    );
    let certificate = certify(&model);
    assert_eq!(
        certificate.conclusion.structure,
        Verdict::Good,
        "{certificate:#?}"
    );
    let form = certificate.line(&Subject::Form).expect("a line");
    assert_ne!(form.verdict, Verdict::Bad, "{form:?}");
    assert!(certificate.line(&Subject::Order).is_none());
}

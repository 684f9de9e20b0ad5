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

/// The summary on the front page gave a cause to a slope of 2.1 standard errors.
#[test]
fn a_slope_that_is_not_told_from_zero_has_no_cause() {
    let certificate = certify(&shipped("double-spherical-pendulum", &[]));
    let drift = certificate.drift().expect("a slope");
    let errors = drift.slope.value.abs() / drift.standard_error.value;
    assert!((2.0..3.0).contains(&errors), "{drift:?}");
    assert_eq!((drift.kind, &drift.modified), (DriftKind::Zero, &None));
    let words = drift.to_string();
    assert!(
        words.contains("not told from zero") && !words.contains("h²"),
        "{words}"
    );
    let line = certificate.line(&Subject::Energy).expect("a line");
    assert_eq!((line.verdict, line.reason), (Verdict::Good, Reason::Bounded));
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

/// 0.5 J of a body that only a damper acts on become 4.6e27 J: the first step is wrong already, for x(t) stays within
/// (1 − e^(−40t))/40. How far the run flies off is no measure of how far there is to go.
#[test]
fn what_blows_up_has_no_path_that_is_known() {
    for lagrangian in ["0.5*x'^2", "0.5*x'^2 + 0.5*y'^2"] {
        let (names, also) = match lagrangian.contains('y') {
            true => ("['x', 'y']", "y = 0\n"),
            false => ("['x']", ""),
        };
        let model = text(&format!(
            "coordinates = {names}\nlagrangian = \"{lagrangian}\"\n[force]\nx = \"-40*x'\"\n[start]\nx = 0\n{also}\
             [velocity]\nx = 1\n{also}[method]\nname = 'rk4'\n[run]\nstep = 0.1\nduration = 2\n"
        ));
        let certificate = certify(&model);
        let path = &certificate.conclusion.path;
        assert_eq!((path.verdict, path.reason), (Verdict::Bad, Reason::LostAtOnce));
        // Nothing is advised by the size of what flew off either.
        assert!(
            certificate
                .conclusion
                .better
                .iter()
                .all(|trial| trial.share.0 > 0.1)
        );
    }
}

/// A flywheel of 7·10⁴ kg m²/s beside a pendulum of some: a step of the midpoint rule is symplectic, whatever it is given.
#[test]
fn a_flywheel_does_not_break_the_form() {
    for (inertia, step) in [(1e3, 0.25), (1e6, 0.25), (1e9, 0.05)] {
        let model = text(&format!(
            "coordinates = ['a', 'b']\nperiodic = ['a', 'b']\n\
             lagrangian = \"0.5*{inertia:e}*a'^2 + 0.5*b'^2 + 9.81*cos(b)\"\n[start]\na = 0\nb = 2.8\n\
             [velocity]\na = 70\nb = 0\n[method]\nname = 'midpoint'\n[run]\nstep = {step}\nsteps = 400\n"
        ));
        let form = certify(&model).line(&Subject::Form).expect("a line").clone();
        assert_eq!(
            (form.verdict, form.reason),
            (Verdict::Good, Reason::Preserved),
            "{form:?}"
        );
    }
    // What is not symplectic is seen in the same units: rk4 with this step.
    let model = text(
        "coordinates = ['a', 'b']\nlagrangian = \"0.5*1e6*a'^2 + 0.5*b'^2 + 9.81*cos(b)\"\n[start]\na = 0\nb = 2.8\n\
         [velocity]\na = 70\nb = 0\n[method]\nname = 'rk4'\n[run]\nstep = 0.25\nsteps = 400\n",
    );
    let form = certify(&model).line(&Subject::Form).expect("a line").clone();
    assert_eq!(form.reason, Reason::NotPreserved, "{form:?}");
}

/// A load of 10 N on a slide that two constraints hold: nothing moves but rounding, 10⁻⁶⁵ J of it, and no energy is there
/// to compare it with.
#[test]
fn what_is_held_at_rest_breaks_no_promise() {
    for mass in [1.0, 1e-9, 1e9] {
        let model = text(
            &"space = 'tree'\ngravity = [10, 0, 0]\nsite = [{ name = 'w', at = [0, 0, 0] }]\n\
             body = [{ name = 'block', joint = { kind = 'prismatic', axis = [1, 0, 0] }, mass = MASS, sites = { p = [0, 0, 0] } }]\n\
             constraint = [{ name = 'straight', kind = 'coincide', between = ['block/p', 'world/w'], directions = [[1, 0, 0]] },\n\
             { name = 'oblique', kind = 'coincide', between = ['block/p', 'world/w'], directions = [[0.1, 0, 1]] }]\n\
             method = { name = 'tree-variational' }\nrun = { step = 0.01, steps = 10 }\n".replace("MASS", &format!("{mass:e}")));
        let certificate = certify(&model);
        let energy = certificate.line(&Subject::Energy).expect("a line");
        assert_eq!(energy.verdict, Verdict::Good, "{energy:?}");
        assert_eq!(certificate.conclusion.path.verdict, Verdict::Good);
        assert_eq!(
            certificate.conclusion.structure,
            Verdict::Good,
            "{certificate:#?}"
        );
    }
}

/// An orbit of eccentricity 0.97 that starts where it is nearest: the first step leaves it with 2.3 times its binding
/// energy, so that half of it is missing. The 33 J near the sun last for a moment, and do not excuse that.
#[test]
fn a_fast_moment_does_not_hide_an_error_that_lasts() {
    let kepler = |step: &str| {
        let steps = format!("run.step={step}");
        certify(&shipped(
            "kepler",
            &[
                "start.x=0.03",
                "velocity.y=8.103497187428813",
                "method={ name = 'midpoint' }",
                &steps,
                "run.duration=20",
            ],
        ))
    };
    let energy = kepler("0.002").line(&Subject::Energy).expect("a line").clone();
    let Evidence::EnergyError { largest, .. } = &energy.evidence else {
        panic!("{energy:?}");
    };
    // Of half a joule that binds it.
    assert!(largest.value > 0.5, "{energy:?}");
    assert_eq!(
        (energy.verdict, energy.reason),
        (Verdict::Doubtful, Reason::BoundedButLarge)
    );
    let energy = kepler("0.0001").line(&Subject::Energy).expect("a line").clone();
    assert_eq!(energy.verdict, Verdict::Good, "{energy:?}");
}

/// What is said of another method is no less than its error, and less than that of the run with half the step which it
/// was compared with: both are closer to the orbit than the run, and Richardson's rule tells where that is.
#[test]
fn a_method_that_is_closer_than_the_companion_is_said_to_be() {
    let model = shipped("kepler", &["method={ name = 'midpoint' }"]);
    let certificate = certify(&model);
    let better = &certificate.conclusion.better;
    let trial = better
        .iter()
        .find(|trial| trial.method.is_some())
        .expect("a method");
    let name = trial.method.as_deref().expect("a name");
    // The exact orbit: x = a (cos E − e), y = a √(1 − e²) sin E, with E − e sin E = t.
    let exact = |t: f64| {
        let mut anomaly = t;
        for _ in 0..50 {
            anomaly -= (anomaly - 0.6 * anomaly.sin() - t) / (1.0 - 0.6 * anomaly.cos());
        }
        [anomaly.cos() - 0.6, 0.8 * anomaly.sin()]
    };
    let sets = [
        format!("method={{ name = '{name}' }}"),
        format!("run.duration={}", trial.covered.value),
    ];
    let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
    let other = shipped("kepler", &sets);
    let mut simulation = other.simulation();
    let mut off = 0.0_f64;
    for _ in 0..(trial.covered.value / other.schedule.step).round() as u64 {
        simulation.step().expect("a step");
        let [x, y] = exact(simulation.state.t);
        // x moves by 2 m, y by 1.6 m, and the place by the diagonal.
        off = off.max((simulation.state.q[0] - x).abs() / 2.0);
        off = off.max((simulation.state.q[1] - y).abs() / 1.6);
    }
    assert!(trial.share.1 >= off, "{trial:?} {off}");
    // Half the step leaves a quarter of the error; the rule leaves the next even power, some tenth of that.
    assert!(trial.share.1 <= 0.25 * 0.25 * trial.share.0, "{trial:?}");
}

/// A drive of 800 Hz on an oscillator that is looked at a hundred times a second: the run, and that with half the step, see
/// it at the same place each time, as a constant force. Truly x = cos t + (A/(1 − ω²)) (cos ωt − cos t), which the drive
/// hardly changes; the run goes to 99 m. A drive that the steps resolve is none of this.
#[test]
fn a_drive_that_steps_and_half_steps_see_alike_is_not_trusted() {
    for (method, beats) in [
        ("midpoint", 4.0),
        ("midpoint", 8.0),
        ("rk4", 4.0),
        ("trapezoid", 4.0),
    ] {
        let step = 0.01;
        let omega = std::f64::consts::TAU * beats / step;
        let model = text(&format!(
            "coordinates = ['x']\nlagrangian = \"0.5*x'^2 - 0.5*x^2\"\n[force]\nx = \"50*cos({omega:e}*t)\"\n\
             [start]\nx = 1\n[method]\nname = '{method}'\n[run]\nstep = {step}\nduration = 10\n"
        ));
        let outcome = run(&model, "test");
        let last = &outcome.summary.final_state;
        let exact = last.t.cos() + 50.0 / (1.0 - omega * omega) * ((omega * last.t).cos() - last.t.cos());
        assert!(
            (last.q[0] - exact).abs() > 10.0,
            "{method}: {} {exact}",
            last.q[0]
        );
        let path = &outcome.summary.certificate.conclusion.path;
        assert_eq!(
            (path.verdict, path.reason),
            (Verdict::Bad, Reason::NotSeen),
            "{method}: {path:?}"
        );
    }
    for method in ["midpoint", "rk4", "midpoint-4"] {
        let model = text(&format!(
            "coordinates = ['x']\nlagrangian = \"0.5*x'^2 - 0.5*x^2\"\n[force]\nx = \"50*cos(31*t)\"\n\
             [start]\nx = 1\n[method]\nname = '{method}'\n[run]\nstep = 0.002\nduration = 10\n"
        ));
        assert_eq!(certify(&model).conclusion.path.verdict, Verdict::Good, "{method}");
    }
}

/// A wall of a tenth of a millimetre and a thousand joules, which steps of a centimetre jump over: truly the body, with
/// half a joule, turns back. One of the steps falls into the wall, so that the energy is wrong; the path cannot be right.
#[test]
fn a_path_through_a_wall_is_not_close() {
    let model = text(
        "coordinates = ['x']\nlagrangian = \"0.5*x'^2 - 1e3*exp(-(x/1e-4)^2)\"\n[start]\nx = -1\n[velocity]\nx = 1\n\
         [method]\nname = 'midpoint'\n[run]\nstep = 0.01\nduration = 3\n",
    );
    let conclusion = certify(&model).conclusion;
    assert_eq!(conclusion.structure, Verdict::Bad, "{conclusion:#?}");
    assert_eq!(
        (conclusion.path.verdict, conclusion.path.reason),
        (Verdict::Bad, Reason::NotSeen)
    );
}

/// x″ = x is as far from chaos as can be, and errors grow as e^t: so does the motion. A pendulum that starts beside its top
/// leaves it in the same way and comes back.
#[test]
fn what_flies_off_is_not_called_chaotic() {
    let model = |lagrangian: &str, start: f64, duration: f64| {
        text(&format!(
            "coordinates = ['x']\nlagrangian = \"{lagrangian}\"\n[start]\nx = {start}\n[method]\nname = 'midpoint'\n\
             [run]\nstep = 0.01\nduration = {duration}\n"
        ))
    };
    for duration in [10.0, 20.0, 40.0] {
        let outlook = certify(&model("0.5*x'^2 + 0.5*x^2", 1e-3, duration))
            .conclusion
            .outlook;
        assert!(
            matches!(outlook.reason, Reason::FliesOff | Reason::Regular),
            "{duration}: {outlook:?}"
        );
    }
    let outlook = certify(&model("0.5*x'^2 + 0.5*x^2", 1e-3, 20.0))
        .conclusion
        .outlook;
    assert_eq!(outlook.reason, Reason::FliesOff, "{outlook:?}");
    let outlook = certify(&model("0.5*x'^2 - 9.81*(1 + cos(x))", 1e-3, 60.0))
        .conclusion
        .outlook;
    assert_eq!(outlook.reason, Reason::Regular, "{outlook:?}");
}

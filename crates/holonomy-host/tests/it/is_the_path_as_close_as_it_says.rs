//! What a certificate says of a path, against the truth: `dop853` with tolerances of 1e-13, another method altogether.
//!
//! Every scenario is run by its own method with its own step and with others, for a few hundred steps: some are right and
//! some are not. None may be called close that is not, and none off that is close; where the estimate is small it is
//! right within a factor of two.
use holonomy::{diagnostics::Parts, integrator::catalog, simulation::Simulation};
use holonomy_model::{Model, Source, load, scenario};
use holonomy_report::{
    run::run,
    verdict::{Evidence, Subject, Verdict},
};

/// Those whose motion a conventional method follows to thirteen digits in a moment: not the stiff ones.
const SCENARIOS: &[&str] = &[
    "spherical-pendulum",
    "double-spherical-pendulum",
    "plane-pendulum",
    "kepler",
    "henon-heiles",
    "hamel-pendulum",
    "three-bodies-on-a-sphere",
    "spring-coupled-pendula",
    "double-plane-pendulum",
    "pitch-cone-roll",
    "heavy-top",
    "tumbling-racket",
    "chaplygin-sleigh",
    "damped-pendulum",
    "four-bar",
    "slider-crank",
    "suslov",
    "bead-on-a-rotating-hoop",
];
/// Evaluations times entries of q that a reference may take.
const MOST_WORK: u64 = 200_000;

struct Case {
    name: &'static str,
    method: Option<&'static str>,
    /// Times the step of the scenario.
    factor: f64,
    steps: u64,
}

fn model(case: &Case) -> Option<Model> {
    let scenario = scenario::find(case.name).expect("a scenario");
    let own = load(&Source::new(case.name, scenario.model)).expect("a scenario that loads");
    let mut source = Source::new(case.name, scenario.model);
    source
        .with_override("run.duration=")
        .with_override(format!("run.steps={}", case.steps));
    source
        .with_override(format!("run.step={:e}", case.factor * own.schedule.step))
        .with_override("run.every=1");
    if let Some(method) = case.method {
        source.with_override(format!("method={{ name = \"{method}\" }}"));
    }
    load(&source).ok()
}

/// The largest error of a path over a run, as a share of how far each part moves; `None` if there is no reference.
fn truth(model: &Model, steps: u64) -> Option<f64> {
    let exact = catalog::find("dop853").expect("it is in the catalog");
    let options = catalog::Options {
        rtol: Some(1e-13),
        atol: Some(1e-15),
        ..catalog::Options::default()
    };
    let exact = exact.build_with(&model.mechanism, &options).ok()?;
    let h = model.schedule.step;
    let mut reference = Simulation::new(model.mechanism.system(), exact, model.state.clone(), h);
    let mut ours = model.simulation();
    let mut parts = Parts::new(&model.mechanism);
    parts.see(ours.state.t, &ours.state.q);
    let mut pairs = Vec::new();
    for _ in 0..steps {
        ours.step().ok()?;
        reference.step().ok()?;
        // Stiff ones would take minutes.
        if reference.work().evaluations * model.state.q.len() as u64 > MOST_WORK {
            return None;
        }
        parts.see(ours.state.t, &ours.state.q);
        pairs.push((ours.state.t, ours.state.q.clone(), reference.state.q.clone()));
    }
    let scales = parts.scales();
    let (mut distances, mut worst) = (Vec::new(), 0.0_f64);
    for (t, one, other) in &pairs {
        parts.distances(*t, one, other, &mut distances);
        let shares = distances
            .iter()
            .zip(&scales)
            .map(|(distance, scale)| distance / scale);
        worst = shares.fold(worst, f64::max);
    }
    Some(worst)
}

#[test]
fn no_path_is_called_close_that_is_not_or_off_that_is_close() {
    let (mut close, mut off, mut wrong) = (0, 0, Vec::new());
    let mut table = String::new();
    for name in SCENARIOS {
        for (method, factor, steps) in [
            (None, 1.0, 100),
            (None, 0.25, 60),
            (None, 6.0, 60),
            (Some("rk2-heun"), 8.0, 60),
            (Some("rk4"), 0.5, 60),
            (Some("euler"), 4.0, 60),
            (Some("rk2-midpoint"), 12.0, 60),
        ] {
            let case = Case {
                name,
                method,
                factor,
                steps,
            };
            let Some(model) = model(&case) else { continue };
            let Some(truth) = truth(&model, steps) else {
                continue;
            };
            let certificate = run(&model, case.name).summary.certificate;
            let line = certificate.line(&Subject::Path).expect("a line on the path");
            let Evidence::Path(found) = &line.evidence else {
                continue;
            };
            let said = found.largest.share;
            let right = match line.verdict {
                Verdict::Good => truth <= 2e-2,
                Verdict::Doubtful | Verdict::Bad => truth >= 5e-3,
                Verdict::Neutral => false,
            };
            // Below, the reference itself and rounding count; above, the first term of the error is not alone.
            let near = !(1e-9..2e-2).contains(&truth) || (0.5..2.0).contains(&(said / truth));
            table += &format!(
                "{:<42} {:<9} ×{factor:<4} said {said:9.2e} true {truth:9.2e} {:?}{}\n",
                case.name,
                method.unwrap_or("own"),
                line.verdict,
                if right && near { "" } else { "  WRONG" }
            );
            match line.verdict {
                Verdict::Good => close += 1,
                _ => off += 1,
            }
            if !(right && near) {
                wrong.push(format!(
                    "{} {method:?} ×{factor}: said {said:.2e}, true {truth:.2e}",
                    case.name
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{table}", wrong.join("\n"));
    assert!(close >= 40 && off >= 40, "{close} close, {off} off\n{table}");
}

//! What a certificate says of the structure, against a run that is ten times as long and watched at every step, by sums
//! that are made here.
//!
//! A run must be called conserved where energy, momenta, length and constraints are good to 10⁻⁷, or where the error of
//! the energy is below half a per cent, no larger in ten times the time and returns to half of it, and nothing else is
//! lost. It must not be where the energy is off by more than two per cent of what moves, where anything else is, or where
//! a step fails.
use holonomy::system::Measurement;
use holonomy_model::{Model, Source, load, scenario};
use holonomy_report::{
    run::run,
    verdict::{Grounds, Subject, Verdict},
};

/// Scenarios whose energy is conserved, small enough to be run ten times as long in a moment.
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
    "four-bar",
    "slider-crank",
    "suslov",
    "magnetic-dipoles",
    "cantilever",
    "elastic-cable",
    "ten-link-cable",
];

fn model(name: &str, method: Option<&str>, factor: f64, steps: u64) -> Option<Model> {
    let scenario = scenario::find(name).expect("a scenario");
    let own = load(&Source::new(name, scenario.model)).expect("a scenario that loads");
    let mut source = Source::new(name, scenario.model);
    source
        .with_override("run.duration=")
        .with_override(format!("run.steps={steps}"))
        .with_override(format!("run.step={:e}", factor * own.schedule.step))
        .with_override("run.every=1");
    if let Some(method) = method {
        source.with_override(format!("method={{ name = \"{method}\" }}"));
    }
    load(&source).ok()
}

/// Largest changes over a run and over ten times as much: of the energy as a share of the largest kinetic energy, and of
/// all else that should stay, as a share of its own size.
struct Seen {
    energy: [f64; 2],
    /// The least error of the energy in the last tenth.
    returns: f64,
    rest: f64,
    fails: bool,
}

fn seen(model: &Model, steps: u64) -> Seen {
    let system = model.mechanism.system();
    let mut simulation = model.simulation();
    let (mut now, mut scratch) = (Measurement::default(), system.scratch());
    system.measure(&simulation.state, &mut now, &mut scratch);
    let (energy, momenta) = (now.energy.total(), now.invariants.clone());
    let largest = |list: &[f64]| list.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    let mut size = largest(&momenta);
    let mut kinetic = 0.0_f64;
    let mut found = Seen {
        energy: [0.0; 2],
        returns: f64::MAX,
        rest: 0.0,
        fails: false,
    };
    for k in 1..=10 * steps {
        let good = simulation.step().is_ok();
        system.measure(&simulation.state, &mut now, &mut scratch);
        // A sum of some tens of numbers is rounded to some tens of units in the last place.
        let error = ((now.energy.total() - energy).abs() - 1e-14 * energy.abs()).max(0.0);
        if !good || !error.is_finite() {
            found.fails = k <= steps;
            break;
        }
        found.energy[1] = found.energy[1].max(error);
        if k <= steps {
            kinetic = kinetic.max(now.energy.kinetic);
            found.energy[0] = found.energy[0].max(error);
            size = size.max(largest(&simulation.state.p));
            for (value, first) in now.invariants.iter().zip(&momenta) {
                found.rest = found
                    .rest
                    .max((value - first).abs() / size.max(f64::MIN_POSITIVE));
            }
            found.rest = found.rest.max(now.manifold.max);
            found.rest = found.rest.max(now.constraint.unwrap_or_default());
        }
        if k > 9 * steps {
            found.returns = found.returns.min(error);
        }
    }
    let share = |error: f64| if error > 0.0 { error / kinetic } else { 0.0 };
    found.energy = found.energy.map(share);
    found.returns = share(found.returns);
    found
}

#[test]
fn no_structure_is_called_conserved_that_is_not_or_lost_that_is_conserved() {
    let (mut trusted, mut refused, mut open, mut wrong) = (0, 0, 0, Vec::new());
    let mut table = String::new();
    for name in SCENARIOS {
        for (method, factor, steps) in [
            (None, 1.0, 200),
            (None, 0.5, 200),
            (None, 5.0, 100),
            (Some("rk4"), 0.25, 100),
            (Some("rk4"), 10.0, 100),
            (Some("euler"), 4.0, 100),
            (Some("rk2-heun"), 15.0, 100),
        ] {
            let Some(model) = model(name, method, factor, steps) else {
                continue;
            };
            let seen = seen(&model, steps);
            let [short, long] = seen.energy;
            let bounded = short <= 5e-3 && long <= 2.0 * short && seen.returns <= 0.5 * short;
            let kept = !seen.fails && seen.rest <= 1e-7 && (short <= 1e-7 || bounded);
            let lost = seen.fails || short > 2e-2 || seen.rest > 2e-2;
            let outcome = run(&model, name);
            let conclusion = &outcome.summary.certificate.conclusion;
            let structure = conclusion.structure;
            // “Conserved, but the step is coarse: look at order” says that it is conserved.
            let coarse =
                matches!(&conclusion.grounds, Grounds::Coarse { subjects } if *subjects == [Subject::Order]);
            let good = structure == Verdict::Good || coarse;
            let right = if good { !lost } else { !kept };
            match (kept, lost) {
                (true, _) => trusted += 1,
                (_, true) => refused += 1,
                _ => open += 1,
            }
            let line = format!(
                "{name:<28} {:<9} ×{factor:<4} energy {short:8.1e}, {long:8.1e} in ten times; rest {:8.1e}{} {structure:?}{}\n",
                method.unwrap_or("own"),
                seen.rest,
                if seen.fails { " fails" } else { "" },
                if right { "" } else { "  WRONG" },
            );
            if !right {
                wrong.push(line.clone());
            }
            table += &line;
        }
    }
    let counts = format!("{trusted} must be trusted, {refused} must not, {open} are between");
    assert!(wrong.is_empty(), "{counts}\n{}\n{table}", wrong.concat());
    assert!(trusted >= 40 && refused >= 40, "{counts}\n{table}");
}

//! What a certificate says of kinks, and of reversal where nothing moves.
use holonomy::{
    diagnostics::reversal_error,
    integrator::{Fault, Integrator, StepInfo},
    system::State,
};
use holonomy_model::{Model, Source, load};
use holonomy_report::{
    certificate::{Certificate, Effort},
    run::run,
    verdict::{Evidence, Judgement, Kinks, Reason, Subject, Verdict},
};
use std::f64::consts::PI;

fn model(text: &str, sets: &[&str]) -> Model {
    let mut source = Source::new("model.toml", text);
    for set in sets {
        source.with_override(*set);
    }
    load(&source)
        .unwrap_or_else(|problems| panic!("{}", holonomy_model::render(&source, &problems, false, 9)))
}

fn line(model: &Model, subject: &Subject) -> Option<Judgement> {
    run(model, "test").summary.certificate.line(subject).cloned()
}

fn kinks(model: &Model) -> (Kinks, Verdict) {
    let line = line(model, &Subject::Kinks).expect("a line");
    match line.evidence {
        Evidence::Kinks(kinks) => (*kinks, line.verdict),
        other => panic!("{other:?}"),
    }
}

/// A mass between two stops without gravity: 1 kg, 1 m/s, 1 m from stop to stop, √(k/m) = 20/s.
const BETWEEN: &str = "space = 'tree'\n[[body]]\nname = 'mass'\nmass = 1\ninertia = [0.1, 0.1, 0.1]\nvelocity = 1\n\
    [body.joint]\nkind = 'prismatic'\naxis = [1, 0, 0]\n\
    limits = { from = -0.5, to = 0.5, stiffness = 400, smoothing = 0 }\n\
    [method]\nname = 'tree-variational'\n[run]\nstep = 0.01\nduration = 10\n";

#[test]
fn crossings_are_counted_and_cost_what_theory_says() {
    let (found, verdict) = kinks(&model(BETWEEN, &[]));
    // Half a metre, then half a period of the spring in the stop and a metre back, again and again.
    let mut crossings = 0;
    let (mut t, mut inside) = (0.5, true);
    while t < 10.0 {
        crossings += 1;
        t += if inside { PI / 20.0 } else { 1.0 };
        inside = !inside;
    }
    assert_eq!(found.crossings, crossings, "{found:?}");
    assert_eq!(found.names, ["stop mass"]);
    // A kink in the middle of a step costs an impulse of k u h²/8 at most, and an arc (hω)²/12 of what a step changes.
    let over = found.over.expect("measured");
    let h_omega: f64 = 0.01 * 20.0;
    let most = h_omega.powi(2) / 8.0 * (1.0 + h_omega);
    assert!(over <= most && over > 0.05 * most, "{over} of {most}");
    assert_eq!(verdict, Verdict::Doubtful);
    // The energy that an impulse brings with a speed of u: u times it.
    let energy = found.energy.expect("measured").value;
    assert!(energy <= most * 1.1 && energy > 0.0, "{energy}");
}

/// The step that is named resolves the kinks: they then cost no more than other steps did.
#[test]
fn the_step_it_names_resolves_them() {
    let (before, _) = kinks(&model(BETWEEN, &[]));
    let step = before.resolving.clone().expect("a step").value;
    let bar = before.beside.expect("measured").max(1e-6);
    assert!(before.over.expect("measured") > 2.0 * bar, "{before:?}");
    let (after, _) = kinks(&model(BETWEEN, &[&format!("run.step={step}")]));
    // Where in a step a kink falls is chance; at worst it costs four times its mean.
    assert!(
        after.over.expect("measured") <= 4.0 * bar,
        "{before:?}\n{after:?}"
    );
}

#[test]
fn strings_and_friction_are_crossed_too() {
    let string = "space = 'tree'\ngravity = [0, 0, -9.81]\n[[site]]\nname = 'hook'\nat = [0, 0, 0]\n\
        [[body]]\nname = 'lamp'\nmass = 0.4\ninertia = [0.001, 0.001, 0.001]\nposition = [0, 0, -0.6]\n\
        joint = { kind = 'free' }\nsites = { ring = [0, 0, 0.05] }\n\
        [[string]]\nthrough = ['hook', 'lamp/ring']\nlength = 1\nstiffness = 400\n\
        [method]\nname = 'tree-variational'\n[run]\nstep = 0.002\nduration = 1\n";
    let (found, _) = kinks(&model(string, &[]));
    assert_eq!(found.names, ["string hook-ring"]);
    // It falls 0.45 m in 0.30 s, is sent back after some 0.1 s, and falls again after 0.6 s: in, out, in.
    assert!((2..=4).contains(&found.crossings), "{found:?}");
    let friction = "space = 'tree'\n[[body]]\nname = 'mass'\nmass = 1\ninertia = [0.1, 0.1, 0.1]\nposition = 1\n\
        friction = 0.3\nfriction_velocity = 0.001\nspring = { stiffness = 1 }\n\
        [body.joint]\nkind = 'prismatic'\naxis = [1, 0, 0]\n\
        [method]\nname = 'tree-variational'\n[run]\nstep = 0.01\nduration = 6\n";
    let (found, _) = kinks(&model(friction, &[]));
    assert_eq!(found.names, ["friction mass"]);
    // It turns back after half periods of π: at 1 − 0.6 and at 0.4 − 0.6 it sticks within f/k.
    assert!(found.crossings >= 1, "{found:?}");
}

/// A weight falls 0.6 m beside its hook, snaps its string after 0.35 s, and swings on. The fall is exact, and the snap shows
/// no order: how far it is off depends on where in a step it falls.
#[test]
fn snaps_are_counted_and_no_order_is_measured_over_them() {
    let text = "space = 'tree'\ngravity = [0, 0, -9.81]\n[[site]]\nname = 'hook'\nat = [0, 0, 0]\n\
        [[body]]\nname = 'x'\njoint = { kind = 'prismatic', axis = [1, 0, 0] }\nmass = 0\nposition = 0.6\n\
        [[body]]\nname = 'weight'\nparent = 'x'\njoint = { kind = 'prismatic', axis = [0, 0, 1] }\nmass = 2\n\
        position = -0.2\nsites = { eye = [0, 0, 0] }\n\
        [[constraint]]\nname = 'cord'\nkind = 'distance'\nbetween = ['hook', 'weight/eye']\nlength = 1\nslack = true\n\
        [method]\nname = 'tree-variational'\n[run]\nstep = 0.002\nduration = 0.6\n";
    let model = model(text, &[]);
    let (found, verdict) = kinks(&model);
    assert_eq!((found.crossings, verdict), (1, Verdict::Doubtful), "{found:?}");
    assert_eq!(found.names, ["rigid string cord"]);
    // A snap takes what goes outwards and leaves the rest: off by (h²), and by (h³) beside it, so that shorter steps resolve it.
    assert!(
        found.over.expect("measured") > found.beside.expect("measured"),
        "{found:?}"
    );
    assert!(
        found.resolving.as_ref().is_some_and(|step| step.value < 0.002),
        "{found:?}"
    );
    let order = line(&model, &Subject::Order).expect("a line");
    assert_eq!(order.verdict, Verdict::Neutral, "{order:?}");
    assert!(
        matches!(order.evidence, Evidence::Order { measured: None, .. }),
        "{order:?}"
    );
}

/// `x'' = −sign x` from rest at 1 m crosses the kink at √2, 3√2, 5√2, … seconds.
#[test]
fn formulas_of_lagrangians_are_followed() {
    let text = "coordinates = ['x']\nlagrangian = \"0.5*x'^2 - abs(x)\"\n[start]\nx = 1\n\
        [method]\nname = 'midpoint'\n[run]\nstep = 0.013\nduration = 20\n";
    let (found, verdict) = kinks(&model(text, &[]));
    let expected = (0..)
        .map(|k| f64::from(2 * k + 1) * 2f64.sqrt())
        .take_while(|t| *t < 20.0)
        .count();
    // Late by some (h²) a crossing: none of them is within that of the end.
    assert_eq!(found.crossings, expected as u64, "{found:?}");
    // Steps beside it are exact: the force is constant there.
    assert!(found.beside.expect("measured") < 1e-12);
    assert_eq!(verdict, Verdict::Doubtful);
}

/// An arm of 0.1 kg m² about its joint, with an effort.
const ARM: &str = "space = 'tree'\n[[body]]\nname = 'arm'\nmass = 1\ninertia = [0.1, 0.1, 0.1]\nposition = 1\n\
    EFFORT\n[body.joint]\nkind = 'revolute'\naxis = [1, 0, 0]\n\
    [method]\nname = 'tree-variational'\n[run]\nstep = 0.01\nduration = 2\n";

/// `q'' = −20 max(q, 0)` from 1 crosses zero once; `q'' = −10 q` cut off at ±10 leaves and enters |q| = 0.2: from 1 at rest
/// after √(1.6/10) s, and then it takes 2 asin(1/3)/√50 s within and 0.8 s outside.
#[test]
fn efforts_and_their_limits_are_followed() {
    let arm = |effort: &str| kinks(&model(&ARM.replace("EFFORT", effort), &[]));
    let (found, verdict) = arm("effort = '-2*max(q, 0)'");
    assert_eq!(
        (&found.names[..], found.crossings),
        (&["formula of effort arm".to_owned()][..], 1)
    );
    assert!(found.unfollowed.is_empty() && found.over.is_some(), "{found:?}");
    assert_eq!(verdict, Verdict::Doubtful);
    let mut expected = 0;
    let (mut t, mut within) = (0.16f64.sqrt(), false);
    while t < 2.0 {
        expected += 1;
        within = !within;
        t += if within {
            2.0 * (1.0f64 / 3.0).asin() / 50f64.sqrt()
        } else {
            0.8
        };
    }
    let (found, _) = arm("effort = '-5*q'\neffort_limit = 1");
    assert_eq!(found.names, ["limit of effort arm"]);
    assert_eq!(found.crossings, expected, "{found:?}");
    assert!(
        found.over > found.beside && found.unfollowed.is_empty(),
        "{found:?}"
    );
    // The same written as a force that sees joints by name; and one that never reaches its limit.
    let (far, _) = arm("effort = '-5*arm'\neffort_limit = 1");
    assert_eq!((far.names, far.crossings), (found.names, found.crossings));
    let (calm, verdict) = arm("effort = '-5*q'\neffort_limit = 100");
    assert_eq!((calm.crossings, verdict), (0, Verdict::Neutral));
}

/// A wrench that sets in after half a second; a force on a body of a sphere that acts on one side.
#[test]
fn wrenches_and_forces_on_spheres_are_followed() {
    let wrench =
        ARM.replace("EFFORT", "") + "[[wrench]]\nbody = 'arm'\nmoment = ['max(0, t - 0.505)', 0, 0]\n";
    let (found, _) = kinks(&model(&wrench, &[]));
    assert_eq!(
        (&found.names[..], found.crossings),
        (&["formula of wrench on arm".to_owned()][..], 1)
    );
    // Half a swing of a pendulum of 1 m is a second: it goes through x = 0 five times in five seconds, once each way.
    let sphere = "space = 'spheres'\n[[body]]\nname = 'bob'\nmass = 1\nlength = 1\ndirection = [0.1, 0, -0.99498743710662]\n\
        [[potential]]\nkind = 'gravity'\nacceleration = [0, 0, -9.869604401089358]\n\
        [[force]]\nname = 'gust'\nbody = 'bob'\nforce = ['0.01*max(bob.x, 0)', 0, 0]\n\
        [method]\nname = 'sphere-implicit'\n[run]\nstep = 0.01\nduration = 5\n";
    let (found, _) = kinks(&model(sphere, &[]));
    assert_eq!(
        (&found.names[..], found.crossings),
        (&["formula of force gust".to_owned()][..], 5)
    );
    assert!(found.unfollowed.is_empty());
}

#[test]
fn what_is_not_measured_is_said_and_what_is_smooth_is_not_mentioned() {
    let adaptive = line(&model(BETWEEN, &["method.name=dop853"]), &Subject::Kinks).expect("a line");
    assert!(
        adaptive.measured().contains("not measured"),
        "{}",
        adaptive.measured()
    );
    assert_eq!(adaptive.verdict, Verdict::Neutral);
    // A spring whose energy is a formula: its kink is not followed.
    let formula = "space = 'tree'\n[[body]]\nname = 'arm'\nmass = 1\ninertia = [0.1, 0.1, 0.1]\nposition = 1\n\
        spring = { energy = 'max(q, 0)^2' }\n[body.joint]\nkind = 'revolute'\naxis = [1, 0, 0]\n\
        [method]\nname = 'tree-variational'\n[run]\nstep = 0.01\nduration = 2\n";
    let found = line(&model(formula, &[]), &Subject::Kinks).expect("a line");
    assert_eq!((found.verdict, found.reason), (Verdict::Neutral, Reason::Unknown));
    assert!(found.measured().contains("not"), "{}", found.measured());
    let smooth = formula.replace("max(q, 0)", "q");
    assert!(line(&model(&smooth, &[]), &Subject::Kinks).is_none());
    // Nothing reaches the stops.
    let far = BETWEEN.replace("velocity = 1", "velocity = 0.01");
    let found = line(&model(&far, &[]), &Subject::Kinks).expect("a line");
    assert_eq!(
        (found.verdict, found.reason),
        (Verdict::Neutral, Reason::NotCrossed)
    );
}

/// A block on a rough slope, whose friction sees what presses: a kink in a multiplier.
const ROUGH: &str = "space = 'tree'\ngravity = [0, 0, -9.81]\n[names]\nfloor = 'lambda.slope'\n\
    [[body]]\nname = 'x'\njoint = { kind = 'prismatic', axis = [1, 0, 0] }\nmass = 0\nvelocity = 3\n\
    [[body]]\nname = 'block'\nparent = 'x'\njoint = { kind = 'prismatic', axis = [0, 0, 1] }\nmass = 2\n\
    sites = { foot = [0, 0, 0] }\n[[site]]\nname = 'ground'\nat = [0, 0, 0]\n\
    [[constraint]]\nname = 'slope'\nkind = 'plane'\nsite = 'block/foot'\non = 'world/ground'\nnormal = [0, 0, 1]\n\
    [[force]]\nname = 'friction'\nsite = 'block/foot'\nforce = ['-0.3*max(0, -floor)', 0, 0]\n\
    [method]\nname = 'tree-variational'\n[run]\nstep = 0.01\nduration = 0.2\n";

#[test]
fn kinks_in_multipliers_are_named() {
    let found = line(&model(ROUGH, &[]), &Subject::Kinks).expect("a line");
    assert_eq!((found.verdict, found.reason), (Verdict::Neutral, Reason::Unknown));
    assert!(found.measured().contains("not"), "{}", found.measured());
    let smooth = ROUGH.replace("max(0, -floor)", "-floor");
    assert!(line(&model(&smooth, &[]), &Subject::Kinks).is_none());
}

/// A cable that hangs at rest between two points, until it is pushed after half a second.
const AT_REST: &str = "space = 'tree'\ngravity = [0, 0, -9.81]\nstart = 'settled'\n\
    [[site]]\nname = 'left'\nat = [-0.7, 0.2, 0]\n[[site]]\nname = 'right'\nat = [0.4, 0.1, 0.3]\n\
    [[cable]]\nname = 'rope'\nfrom = 'left'\nto = 'right'\nlength = 1.4\nsegments = 4\nmass = 1\n\
    [[wrench]]\nbody = 'rope-2'\nforce = ['5*max(0, t - 0.5)^3', 0, 0]\n\
    [method]\nname = 'tree-variational'\n[run]\nstep = 0.002\nduration = 0.7\n";

#[test]
fn rounding_at_rest_is_not_accused() {
    let model = model(AT_REST, &[]);
    // What it was accused of: momenta of rounding, in units of themselves.
    let mut start = model.state.clone();
    let mut method = model.integrator();
    for _ in 0..4 {
        method.attempt(&mut start, 0.002).expect("a step");
    }
    let naive = reversal_error(&mut *method, &start, 0.002, 1.0).expect("two steps");
    assert!(naive > 1e-8, "nothing to be accused of: {naive}");
    let line = line(&model, &Subject::Reversal).expect("a line");
    assert_eq!(
        (line.verdict, line.reason),
        (Verdict::Good, Reason::Undone),
        "{line:?}"
    );
}

/// A method that adds a part of the momentum, or of the force, in each step, whichever way it goes.
struct Irreversible {
    inner: Box<dyn Integrator>,
    part: f64,
}

impl Integrator for Irreversible {
    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        let before = state.p.clone();
        let info = self.inner.attempt(state, h)?;
        for (p, before) in state.p.iter_mut().zip(before) {
            *p += self.part * (before.abs() + p.abs() + 9.81 * h.abs());
        }
        Ok(info)
    }
}

/// Both where a run starts at rest, and where it moves.
#[test]
fn a_method_that_is_not_reversible_is_caught() {
    for (text, duration) in [(AT_REST, "run.duration=0.6"), (BETWEEN, "run.duration=2")] {
        let model = model(text, &[duration]);
        let outcome = run(&model, "test");
        for (part, verdict) in [(0.0, Verdict::Good), (1e-6, Verdict::Bad)] {
            let mut method = Irreversible {
                inner: model.integrator(),
                part,
            };
            let (summary, series) = (&outcome.summary, &outcome.series);
            let certificate = Certificate::new(&model, &mut method, summary, series, Effort::Usual, &|| true);
            let line = certificate.line(&Subject::Reversal).expect("a line");
            assert_eq!(line.verdict, verdict, "{part}: {line:?}");
        }
    }
}

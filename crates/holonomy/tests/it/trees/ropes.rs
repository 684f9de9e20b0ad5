//! Ropes that leave their pulleys.
use super::{links::measure, steps::variational};
use crate::common::load;
use holonomy::{
    diagnostics::distance,
    integrator::{Cause, Integrator, LostRope, StepError},
    output::{Output, Readings},
    simulation::RunFault,
    system::{Mechanism, State, System},
    tree::Tree,
};
use holonomy_model::Model;
use std::sync::Arc;

/// A bob on a rope that comes down from a hook on the left over a pulley at the origin. It is thrown up on the right, and
/// lifts the rope off the pulley.
fn bob(pulley: &str, speed: f64) -> Model {
    let text = format!(
        r#"
space = "tree"
gravity = [0, 0, -9.81]

[[site]]
name = "hook"
at = [-1, 0, -0.2]

[[site]]
name = "centre"
at = [0, 0, 0]

[[body]]
name = "wheel"
joint = {{ kind = "revolute", axis = [0, 1, 0] }}
mass = 1
inertia = [0.01, 0.02, 0.01]

[[body]]
name = "x"
joint = {{ kind = "prismatic", axis = [1, 0, 0] }}
mass = 0
position = 0.1
velocity = {speed}

[[body]]
name = "bob"
parent = "x"
joint = {{ kind = "prismatic", axis = [0, 0, 1] }}
mass = 2
position = -0.9
sites = {{ eye = [0, 0, 0] }}

[[pulley]]
name = "pulley"
{pulley}
radius = 0.1
side = "over"

[[constraint]]
name = "rope"
kind = "cable"
through = ["hook", "pulley", "eye"]

[method]
name = "tree-variational"

[run]
step = 0.001
duration = 1.0
"#
    );
    load("bob", &text, &[])
}

fn tree(model: &Model) -> Arc<Tree> {
    match &model.mechanism {
        Mechanism::Tree(tree) => tree.clone(),
        _ => panic!("a tree"),
    }
}

fn wrap(model: &Model, state: &State) -> f64 {
    let system = model.mechanism.system();
    let output = [Output::find("pulley.wrap", system.layout()).unwrap()];
    let measured = measure(&tree(model), state);
    let mut readings = Readings::default();
    readings.take(&output, &*system, state, &measured)[0]
}

const SLIDES: &str = "site = \"centre\"\naxis = [0, 1, 0]";

#[test]
fn a_rope_leaves_a_pulley_that_it_slides_on_and_comes_back() {
    let model = bob(SLIDES, 6.0);
    let tree = tree(&model);
    let start = model.simulation().state;
    let (mut state, mut method) = (start.clone(), variational(&tree));
    let energy = |state: &State| {
        let energy = measure(&tree, state).energy;
        energy.kinetic + energy.potential
    };
    let before = energy(&state);
    let (mut off, mut returned, mut steps, mut length) = (0, 0, 0, Vec::new());
    while returned < 200 {
        method.step(&mut state, 1e-3).unwrap();
        steps += 1;
        assert!(steps < 3000);
        if wrap(&model, &state) == 0.0 {
            off += 1;
            // Nothing is between the hook and the bob.
            let (x, z) = (state.q[1] + 1.0, state.q[2] + 0.2);
            length.push(x.hypot(z));
        } else if off > 0 {
            returned += 1;
        }
        // The second order of the method: 30 J of motion, and (h ω)²/24 of that at most a few times over.
        assert!(
            (energy(&state) - before).abs() < 1e-3,
            "{}",
            energy(&state) - before
        );
    }
    assert!(off > 100, "{off} steps");
    // All of the rope: straight parts and the arc of where it was laid.
    let laid = {
        let (hook, bob) = ([-1.0_f64, -0.2], [0.1_f64, -0.9]);
        let reach = |p: [f64; 2]| (p[0].hypot(p[1]).powi(2) - 0.01).sqrt();
        // From the centre, an end at the angle a is touched at a ± acos(R/d).
        let touch = |p: [f64; 2], side: f64| p[1].atan2(p[0]) + side * (0.1 / p[0].hypot(p[1])).acos();
        let arc = (touch(hook, -1.0) - touch(bob, 1.0)).rem_euclid(std::f64::consts::TAU);
        reach(hook) + reach(bob) + 0.1 * arc
    };
    for l in length {
        assert!((l - laid).abs() < 1e-13, "{l} {laid}");
    }
    // And back: the step is symmetric, off the pulley as on it. Rounding of 5000 steps.
    let mut back = state.clone();
    let mut method = variational(&tree);
    for _ in 0..steps {
        method.step(&mut back, -1e-3).unwrap();
    }
    let moved = distance(&start, &back);
    assert!(moved < 1e-9, "{moved}");
}

#[test]
fn a_rope_that_leaves_what_it_turns_is_named() {
    let model = bob("body = \"wheel\"", 6.0);
    let mut simulation = model.simulation();
    let error = (0..2500).find_map(|_| simulation.step_by(1e-3).err()).unwrap();
    let time = error.t;
    println!("{error}");
    assert!(error.to_string().contains(&format!("{time:.1}")[..2]), "{error}");
    let RunFault::Step(StepError { fault, .. }) = error.source else {
        panic!("{error:?}");
    };
    let lost = LostRope::Leaves;
    assert!(
        matches!(fault.cause, Cause::Rope { lost: how, .. } if how == lost),
        "{fault:?}"
    );
    let said = error.message;
    assert!(
        said.contains("`rope") && said.contains("`pulley`") && said.contains("leaves"),
        "{said}"
    );
}

#[test]
fn a_rope_that_runs_out_into_its_pulley_is_named() {
    // Straight up, against the pulley.
    let model = load(
        "winch",
        r#"
space = "tree"
gravity = [0, 0, -9.81]

[[site]]
name = "hook"
at = [-1, 0, -0.2]

[[site]]
name = "centre"
at = [0, 0, 0]

[[body]]
name = "load"
joint = { kind = "prismatic", axis = [0, 0, 1], at = [0.05, 0, 0] }
mass = 1
position = -0.8
sites = { eye = [0, 0, 0] }

[[pulley]]
name = "sheave"
site = "centre"
axis = [0, 1, 0]
radius = 0.1
side = "over"

[[constraint]]
name = "hoist"
kind = "cable"
through = ["hook", "sheave", "eye"]
length = "2.0 - 0.5*t"

[method]
name = "tree-variational"

[run]
step = 0.01
duration = 4.0
"#,
        &[],
    );
    let mut simulation = model.simulation();
    let error = (0..400).find_map(|_| simulation.step_by(0.01).err()).unwrap();
    let said = error.to_string();
    assert!(said.contains("`sheave`"), "{said}");
}

/// The model of the guide: a rope round a bollard, with friction as a moment on a light body that turns with it.
fn capstan(overrides: &[&str]) -> Model {
    let guide =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/trees.md")).unwrap();
    let (_, behind) = guide.split_once("```toml file=capstan.toml\n").unwrap();
    load("capstan", behind.split_once("```").unwrap().0, overrides)
}

#[test]
fn a_rope_slips_round_a_bollard_by_the_law_of_the_capstan() {
    let (g, load, end, coil, r, hold) = (9.81, 80.0, 0.01, 1e-4, 0.1, 40.0);
    for (mu, turns) in [(0.3_f64, 1.5_f64), (0.2, 1.0), (0.1, 2.5)] {
        let given = [format!("parameters.mu={mu}"), format!("parameters.turns={turns}")];
        let model = capstan(&[&given[0], &given[1], "parameters.creep=5e-4", "run.duration=0.8"]);
        let state = super::feedback::ended(&model).0;
        // T₁ = T₂ e^(μφ): m (g − a) = hold e^(μφ) + end (g + a) + (coil/R²) a + what the end takes besides `hold`.
        let friction = hold * ((mu * std::f64::consts::TAU * turns).exp() - 1.0);
        let a = (load * g - hold - friction - end * g) / (load + end + coil / (r * r));
        let time = 0.8;
        let speed = -measure(&tree(&model), &state).velocity[0];
        // Friction is all there at a few times 0.5 mrad/s: what is gained before is of that order.
        println!("mu {mu}, {turns} turns: {speed} m/s, {} m/s", a * time);
        assert!(
            (speed - a * time).abs() < 4.0 * r * 5e-4,
            "{mu} {turns}: {speed} {}",
            a * time
        );
    }
}

#[test]
fn what_the_capstan_holds_creeps() {
    let model = capstan(&["parameters.hold=60"]);
    let state = super::feedback::ended(&model).0;
    let system = model.mechanism.system();
    let outputs =
        ["rope.1.tension", "rope.2.tension"].map(|name| Output::find(name, system.layout()).unwrap());
    let measured = measure(&tree(&model), &state);
    let mut readings = Readings::default();
    let tensions = readings.take(&outputs, &*system, &state, &measured);
    // The load hangs: 784.8 N on one side, and what the hand holds with the weight of the end on the other.
    assert!(
        (tensions[0] - 784.8).abs() < 1e-6 && (tensions[1] - 60.0981).abs() < 1e-6,
        "{tensions:?}"
    );
    // Less than e^(μφ) of that.
    assert!(tensions[0] < 60.0 * (0.3 * 3.0 * std::f64::consts::PI).exp());
    // 60 (e^(μφ tanh(v/v₀)) − 1) = 784.8 − 60.0981, and v in a coil of 10 cm.
    let share: f64 = ((784.8 - 60.0981) / 60.0_f64).ln_1p() / (0.3 * 3.0 * std::f64::consts::PI);
    let creep = 0.05 * share.atanh();
    let found = measured.velocity[2];
    assert!((found - creep).abs() < 1e-9, "{found} {creep}");
}

/// A slack cable between ends above each other starts as a loop below them, goes on from there, and settles.
#[test]
fn a_slack_cable_hangs_below_ends_above_each_other() {
    for (from, to) in [
        ("[0, 0, 0.4]", "[0, 0, 0]"),
        ("[0, 0, 0]", "[0, 0, 0]"),
        ("[2, 0, 1]", "[2, 0, 1.3]"),
    ] {
        for (plane, kind) in [
            ("plane = [0, 1, 0]", ""),
            ("", ""),
            ("", "kind = \"elastic\"\nEA = 2000.0"),
        ] {
            for start in ["given", "settled"] {
                // In space, all ways to turn about the line between the ends are alike: nothing is to settle there.
                if start == "settled" && plane.is_empty() {
                    continue;
                }
                let text = format!(
                    r#"
space = "tree"
gravity = [0, 0, -9.81]
start = "{start}"

[[site]]
name = "from"
at = {from}

[[site]]
name = "to"
at = {to}

[[cable]]
name = "rope"
from = "from"
to = "to"
segments = 10
length = 1.0
mass = 0.2
damping = 1e-3
{plane}
{kind}

[method]
name = "tree-variational"

[run]
step = 0.001
duration = 0.3
"#
                );
                let case = format!("{from} {to} {plane} {kind} {start}");
                let model = load(&case, &text, &[]);
                let tree = tree(&model);
                let mut simulation = model.simulation();
                let height = |state: &State| {
                    let mut sites =
                        vec![holonomy::Vec3::zeros(); tree.layout().drawing.sites.len() + tree.len()];
                    tree.sites(0.0, &state.q, &mut sites);
                    sites.iter().fold(f64::INFINITY, |least, site| least.min(site.z))
                };
                let (first, low) = (
                    height(&simulation.state),
                    if from.starts_with("[2") { 1.0 } else { 0.0 },
                );
                // 1 m of it, and at most 0.4 m between its ends: three tenths at least are to spare on each side.
                assert!(first < low - 0.2, "{case}: {first}");
                for k in 0..300 {
                    let stepped = simulation.step_by(1e-3);
                    stepped.unwrap_or_else(|error| panic!("{case}, step {k}: {error}"));
                }
                let measured = measure(&tree, &simulation.state);
                assert!(
                    measured.constraint.unwrap() < 1e-12,
                    "{case}: {:?}",
                    measured.constraint
                );
                if start == "settled" {
                    // Rounding in the balance of 2 N grows with the square of the steps: it stays where it is.
                    assert!((height(&simulation.state) - first).abs() < 1e-7, "{case}");
                }
            }
        }
    }
}

/// A bob that hangs from a rope over a pulley and is pushed across its plane.
#[test]
fn a_rope_that_swings_out_of_the_plane_of_its_pulley_is_named() {
    let swinging = |speed: f64| {
        let text = format!(
            r#"
space = "tree"
gravity = [0, 0, -9.81]

[[site]]
name = "hook"
at = [-1, 0, -0.2]

[[site]]
name = "centre"
at = [0, 0, 0]

[[body]]
name = "bob"
joint = {{ kind = "free" }}
mass = 2
inertia = [0.01, 0.01, 0.01]
position = [0.1, 0, -0.9]
velocity = [0, {speed}, 0]
sites = {{ eye = [0, 0, 0] }}

[[pulley]]
name = "sheave"
site = "centre"
axis = [0, 1, 0]
radius = 0.1
side = "over"

[[constraint]]
name = "rope"
kind = "cable"
through = ["hook", "sheave", "bob/eye"]

[method]
name = "tree-variational"

[run]
step = 0.002
duration = 2.0
"#
        );
        load("bob", &text, &[])
    };
    // Small swings have the amplitude v/√(g/l), here 0.28 v/m, and the rope goes out by that over 0.9 m.
    let mut simulation = swinging(0.15).simulation();
    for _ in 0..1000 {
        simulation.step_by(0.002).unwrap();
    }
    let mut simulation = swinging(0.6).simulation();
    let error = (0..1000).find_map(|_| simulation.step_by(0.002).err()).unwrap();
    let RunFault::Step(StepError { fault, .. }) = error.source else {
        panic!("{error:?}");
    };
    let lost = LostRope::Strays;
    assert!(
        matches!(fault.cause, Cause::Rope { lost: how, .. } if how == lost),
        "{fault:?}"
    );
    let said = error.message;
    assert!(
        said.contains("`rope`") && said.contains("`sheave`") && said.contains("5°"),
        "{said}"
    );
    // The last good state is within the limit, by less than the way of one step.
    let [x, y, z] = [
        simulation.state.q[0],
        simulation.state.q[1],
        simulation.state.q[2],
    ];
    let out = y.abs() / (x * x + y * y + z * z).sqrt();
    assert!(out <= 0.0875 && out > 0.0875 - 0.6 * 0.002 / 0.9, "{out}");
}

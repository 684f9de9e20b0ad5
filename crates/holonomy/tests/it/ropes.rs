//! Ropes over pulleys against closed forms, statics, and SciPy.
use holonomy::{
    integrator::{Integrator, TreeOptions, TreeVariational},
    system::{Measurement, Mechanism, State, System},
    tree::{Settling, Tree},
};
use holonomy_model::{self as model, Model, Source};
use std::sync::Arc;

const G: f64 = 9.81;
const RUN: &str = "\n[method]\nname = \"tree-variational\"\n[run]\nstep = 0.01\nsteps = 10\n";

fn try_load(text: &str) -> Result<Model, String> {
    let text = format!("space = \"tree\"\ngravity = [0, 0, -9.81]\n{text}{RUN}");
    let source = Source::new("model", &text);
    model::load(&source).map_err(|problems| model::render(&source, &problems, false, 50))
}

fn load(text: &str) -> (Arc<Tree>, State) {
    let model = try_load(text).unwrap_or_else(|said| panic!("{said}"));
    match &model.mechanism {
        Mechanism::Tree(tree) => (tree.clone(), model.state.clone()),
        _ => panic!("not a tree"),
    }
}

fn stepped(tree: &Arc<Tree>, start: &State, h: f64, steps: u32) -> State {
    let mut method = TreeVariational::new(tree.clone(), TreeOptions::default());
    let mut state = start.clone();
    for _ in 0..steps {
        method
            .step(&mut state, h)
            .unwrap_or_else(|fault| panic!("{fault:?}"));
    }
    state
}

/// What is recorded under a name.
fn recorded(tree: &Tree, state: &State, name: &str) -> f64 {
    let (mut measured, mut out) = (Measurement::default(), Vec::new());
    let mut scratch = tree.scratch();
    tree.measure(state, &mut measured, &mut scratch);
    tree.extras(state, &measured, &mut out, &mut scratch);
    let mut at = 0;
    for extra in &tree.layout().recordable.extras {
        if extra.name == name {
            return out[at];
        }
        at += extra.components.len().max(1);
    }
    panic!("nothing is called {name}")
}

fn weight(name: &str, mass: f64, at: [f64; 3], axis: [f64; 3]) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\njoint = {{ kind = \"prismatic\", axis = {axis:?}, at = {at:?} }}\n\
         mass = {mass:?}\nsites = {{ hook = [0, 0, 0] }}\n"
    )
}

fn wheel(inertia: f64) -> String {
    format!(
        "[[body]]\nname = \"wheel\"\njoint = {{ kind = \"revolute\", axis = [0, 1, 0] }}\nmass = 1\n\
         inertia = [{inertia:?}, {inertia:?}, {inertia:?}]\n\
         [[pulley]]\nname = \"pulley\"\nbody = \"wheel\"\nradius = 0.2\nside = \"over\"\n"
    )
}

const SLIDES: &str = "[[site]]\nname = \"o\"\nat = [0, 0, 0]\n\
    [[pulley]]\nname = \"pulley\"\nsite = \"o\"\naxis = [0, 1, 0]\nradius = 0.2\nside = \"over\"\n";
const OVER: &str = "[[constraint]]\nname = \"rope\"\nkind = \"cable\"\n\
    through = [\"left/hook\", \"pulley\", \"right/hook\"]\n";

/// Constant accelerations are met by the method to rounding: a thousand roundings of a number of order one.
const ROUNDING: f64 = 1e-11;

#[test]
fn atwoods_machine_falls_as_it_should() {
    let (left, right, up) = (3.0, 2.0, [0.0, 0.0, 1.0]);
    for inertia in [0.0, 0.06] {
        let masses =
            weight("left", left, [-0.2, 0.0, -1.0], up) + &weight("right", right, [0.2, 0.0, -1.5], up);
        let pulley = if inertia > 0.0 {
            wheel(inertia)
        } else {
            SLIDES.to_owned()
        };
        let (tree, start) = load(&(masses + &pulley + OVER));
        let acceleration = G * (left - right) / (left + right + inertia / 0.04);
        let state = stepped(&tree, &start, 0.01, 50);
        let fallen = 0.5 * acceleration * 0.25;
        assert!((state.q[0] + fallen).abs() < ROUNDING, "{} {fallen}", state.q[0]);
        assert!((state.q[1] - fallen).abs() < ROUNDING);
        let tensions = [left * (G - acceleration), right * (G + acceleration)];
        let names = match inertia > 0.0 {
            true => {
                // Over a wheel about +y the rope to the left goes down where the wheel turns backwards.
                assert!(
                    (state.q[2].abs() - fallen / 0.2).abs() < 10.0 * ROUNDING,
                    "{:?}",
                    state.q
                );
                ["rope.1.tension", "rope.2.tension"]
            }
            false => ["rope.tension"; 2],
        };
        for (name, tension) in names.into_iter().zip(tensions) {
            assert!((recorded(&tree, &state, name) - tension).abs() < 1e-10, "{name}");
        }
        let contact = recorded(&tree, &state, "pulley.contact");
        assert!((contact - tensions[0] - tensions[1]).abs() < 1e-10);
        assert!((recorded(&tree, &state, "pulley.wrap") - std::f64::consts::PI).abs() < 1e-12);
    }
}

#[test]
fn a_block_is_pulled_over_an_edge() {
    let (block, load_mass, inertia) = (4.0, 1.5, 0.02);
    let text = weight("left", block, [-3.0, 0.0, 0.2], [1.0, 0.0, 0.0])
        + &weight("right", load_mass, [0.2, 0.0, -1.0], [0.0, 0.0, 1.0]);
    let (tree, start) = load(&(text + &wheel(inertia) + OVER));
    let acceleration = load_mass * G / (block + load_mass + inertia / 0.04);
    let state = stepped(&tree, &start, 0.01, 50);
    assert!((state.q[0] - 0.5 * acceleration * 0.25).abs() < ROUNDING);
    let [pull, hang] = ["rope.1.tension", "rope.2.tension"].map(|name| recorded(&tree, &state, name));
    assert!((pull - block * acceleration).abs() < 1e-10, "{pull}");
    assert!((hang - load_mass * (G - acceleration)).abs() < 1e-10, "{hang}");
    // A quarter turn: both pull on the axle.
    let contact = recorded(&tree, &state, "pulley.contact");
    assert!((contact - (pull * pull + hang * hang).sqrt()).abs() < 1e-10);
}

#[test]
fn swinging_atwoods_machine_is_that_of_scipy_to_second_order() {
    // (M + I/R² + m) ÿ = m s θ̇² − M g + m g cos θ and s θ̈ = −g sin θ − 2 (ẏ + R θ̇) θ̇ + R θ̇², s = 1 + y + R θ,
    // for the way y of the rope and its angle θ from below, from y = 0, θ = 0.6, ẏ = 1.5, θ̇ = 0; by hand.
    // SciPy 1.17.1, solve_ivp with DOP853, rtol 1e-13, atol 1e-14: the place of m after 0.8 s.
    let place = [-0.06894758495112191, -1.4402353704663318];
    let text = weight("left", 2.0, [-0.2, 0.0, -3.0], [0.0, 0.0, 1.0])
        + "velocity = 1.5\n\
           [[body]]\nname = \"x\"\njoint = { kind = \"prismatic\", axis = [1, 0, 0] }\nmass = 0\n\
           position = 0.7974666931843754\nvelocity = 0.8469637100925531\n\
           [[body]]\nname = \"right\"\nparent = \"x\"\njoint = { kind = \"prismatic\", axis = [0, 0, 1] }\nmass = 1\n\
           position = -0.8114473940198327\nvelocity = -1.2380034223645175\nsites = { hook = [0, 0, 0] }\n";
    // What is not given would slow the rest.
    let turning = wheel(0.05).replace("mass = 1\n", "mass = 1\nvelocity = 7.5\n");
    let (tree, start) = load(&(text + &turning + OVER));
    let errors = [80, 160, 320].map(|steps| {
        let state = stepped(&tree, &start, 0.8 / f64::from(steps), steps);
        (state.q[1] - place[0]).abs().max((state.q[2] - place[1]).abs())
    });
    assert!(errors[2] < 1e-4, "{errors:?}");
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((order - 2.0).abs() < 0.1, "{errors:?}");
    }
}

#[test]
fn a_bead_on_a_string_over_a_heavy_pulley_is_that_of_scipy_to_second_order() {
    // From a nail A past the bead b over the pulley: s = |b − A| + ℓ + R φ, ∇s = u_A + u_ℓ, ∇∇s = (1 − u_A u_Aᵀ)/|b − A| +
    // n nᵀ/ℓ. M b̈ + μ s̈ ∇s = −M g ẑ − m g ∇s with μ = m + I/R²; T₁ = μ s̈ + m g, T₂ = m (g + s̈); by hand.
    // SciPy 1.17.1, solve_ivp with DOP853, rtol 1e-13, atol 1e-14: after 0.8 s.
    let place = [-0.7310795685021954, -0.5420157152791493];
    let risen = -0.1548778463662175;
    let tensions = [14.31941051780227, 13.019711274025601];
    let speed = -0.6652804311663795_f64;
    let text = format!(
        "[[site]]\nname = \"nail\"\nat = [-2, 0, 0.1]\n\
         [[body]]\nname = \"x\"\njoint = {{ kind = \"prismatic\", axis = [1, 0, 0] }}\nmass = 0\n\
         position = -1.1\nvelocity = 0.8\n\
         [[body]]\nname = \"bead\"\nparent = \"x\"\njoint = {{ kind = \"prismatic\", axis = [0, 0, 1] }}\nmass = 2\n\
         position = -0.7\nvelocity = 0.5\nsites = {{ eye = [0, 0, 0] }}\n{}velocity = {speed:?}\n{}",
        weight("right", 1.2, [0.2, 0.0, -2.0], [0.0, 0.0, 1.0]),
        wheel(0.05).replace(
            "mass = 1\n",
            &format!("mass = 1\nvelocity = {:?}\n", -speed / 0.2)
        ),
    );
    let rope = OVER.replace("\"left/hook\"", "\"nail\", \"bead/eye\"");
    let (tree, start) = load(&(text + &rope));
    let errors = [80, 160, 320].map(|steps| {
        let state = stepped(&tree, &start, 0.8 / f64::from(steps), steps);
        let off = [state.q[0] - place[0], state.q[1] - place[1], state.q[2] - risen];
        let pulls = ["rope.1.tension", "rope.2.tension"].map(|name| recorded(&tree, &state, name));
        let pulls = [pulls[0] - tensions[0], pulls[1] - tensions[1]];
        let largest = |all: &[f64]| all.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        (largest(&off), largest(&pulls))
    });
    assert!(errors[2].0 < 1e-4 && errors[2].1 < 1e-2, "{errors:?}");
    for pair in errors.windows(2) {
        for ratio in [pair[0].0 / pair[1].0, pair[0].1 / pair[1].1] {
            assert!((ratio.log2() - 2.0).abs() < 0.1, "{errors:?}");
        }
    }
}

/// A load on a rope from a drum over a sheave, all in one plane: whether that swivels is of no account there. The eye that is
/// between them is found to rounding, 1e-16, and a multiplier is an acceleration of 10 m/s² times kilograms: 1e-11 of both
/// after a hundred steps.
#[test]
fn a_drum_beside_a_sheave_that_swivels_is_the_same_in_their_plane() {
    let drum = "[[body]]\nname = \"drum\"\njoint = { kind = \"revolute\", axis = [0, 1, 0], at = [-2, 0, -1] }\nmass = 1\n\
        inertia = [0.1, 0.1, 0.1]\neffort = \"1 - 3*v\"\n\
        [[pulley]]\nname = \"winch\"\nbody = \"drum\"\nradius = 0.3\nside = \"over\"\n\
        [[constraint]]\nname = \"rope\"\nkind = \"cable\"\nthrough = [\"winch\", \"pulley\", \"load/hook\"]\n";
    let swivels = "[[site]]\nname = \"o\"\nat = [0, 0, 0]\n\
        [[pulley]]\nname = \"pulley\"\nsite = \"o\"\nradius = 0.2\nswivel = true\n";
    let [fixed, free] = [SLIDES, swivels].map(|sheave| {
        let text = weight("load", 5.0, [0.2, 0.0, -2.0], [0.0, 0.0, 1.0]) + sheave + drum;
        let (tree, start) = load(&text);
        let state = stepped(&tree, &start, 0.01, 100);
        let names = ["rope.tension", "pulley.wrap"];
        let mut all = names.map(|name| recorded(&tree, &state, name)).to_vec();
        all.extend([state.q[0], state.p[0], state.q[1], state.p[1]]);
        all
    });
    let load_moved = fixed[2];
    assert!(load_moved.abs() > 0.3, "{fixed:?}");
    for (a, b) in fixed.iter().zip(&free) {
        assert!((a - b).abs() < ROUNDING * 10.0, "{fixed:?} {free:?}");
    }
}

/// Two smooth spheres and points that lie in no plane, by the tangent points of the straight part between them, with SciPy's
/// fsolve: `n·(p × u)` of each, as in `wrap.rs` nothing of it is known.
#[test]
fn a_rope_over_two_sheaves_that_swivel_is_as_long_as_one_round_two_spheres() {
    let length = 6.515626311017867;
    let text = format!(
        "[[site]]\nname = \"a\"\nat = [-1.5, 0.3, -0.8]\n[[site]]\nname = \"c1\"\nat = [0, 0, 0]\n\
         [[site]]\nname = \"c2\"\nat = [1.4, 0.5, -1.1]\n{}\
         [[pulley]]\nname = \"first\"\nsite = \"c1\"\nradius = 0.3\nswivel = true\n\
         [[pulley]]\nname = \"second\"\nsite = \"c2\"\nradius = 0.25\nswivel = true\n\
         [[constraint]]\nname = \"rope\"\nkind = \"cable\"\nthrough = [\"a\", \"first\", \"second\", \"load/hook\"]\n\
         length = {length:?}\n",
        weight("load", 1.0, [2.1, -0.2, 0.65], [0.0, 0.0, 1.0])
    );
    let (tree, start) = load(&text);
    // Closed to where the length is right: fsolve leaves 1e-14 of it.
    assert!((start.q[0] + 0.05).abs() < 1e-12, "{:?}", start.q);
    let angles = ["first.wrap", "second.wrap"].map(|name| recorded(&tree, &start, name));
    for (found, expected) in angles.iter().zip([1.7056594455131935, 2.3480099527359624]) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
}

/// Thrown up with u, the right weight makes the rope slack, both fall freely, and after u/g it snaps: the impulse J = μ u,
/// μ = m₁ m₂/(m₁ + m₂), takes ½ μ u², and what is left of the motion is Atwood's. The rope never pushes and is never too
/// long. A snap is off by the part of the step in which it falls: that is of first order, as for any rigid string.
#[test]
fn a_rope_that_goes_slack_over_a_pulley_snaps_as_the_impulse_says() {
    let (left, right, thrown, time) = (3.0, 2.0, 1.0, 0.3);
    let text = weight("left", left, [-0.2, 0.0, -2.0], [0.0, 0.0, 1.0])
        + &weight("right", right, [0.2, 0.0, -2.0], [0.0, 0.0, 1.0])
            .replace("mass = ", &format!("velocity = {thrown:?}\nmass = "))
        + SLIDES
        + OVER
        + "slack = true\n";
    let (tree, start) = load(&text);
    let mu = left * right / (left + right);
    let (falls, energy) = (thrown / G, -0.5 * mu * thrown * thrown);
    let rest = time - falls;
    // The right weight is at rest as the rope snaps, at the top of its flight.
    let (top, jump) = (0.5 * thrown * thrown / G, mu * thrown / right);
    let place = top + jump * rest + 0.5 * G * (left - right) / (left + right) * rest * rest;
    for steps in [50_u32, 200, 800, 3200] {
        let h = time / f64::from(steps);
        let (mut state, mut method) = (
            start.clone(),
            TreeVariational::new(tree.clone(), TreeOptions::default()),
        );
        for _ in 0..steps {
            method.step(&mut state, h).expect("a step");
            // Both hang 2 m deep at first.
            assert!(
                -state.q[0] - state.q[1] < ROUNDING,
                "too long at {}: {:?}",
                state.t,
                state.q
            );
        }
        let tension = recorded(&tree, &state, "rope.tension");
        let atwood = 2.0 * mu * G;
        assert!((tension - atwood).abs() < ROUNDING * 1e3, "{tension} {atwood}");
        // The rate of the error is the change of velocity, μu/m, and of the energy μ u 2g.
        let (off, lost) = (state.q[1] - place, state.work[0] - energy);
        assert!(off.abs() <= 2.0 * jump * h, "{steps}: {off}");
        assert!(lost.abs() <= 2.0 * 2.0 * mu * thrown * G * h, "{steps}: {lost}");
        let mut measured = Measurement::default();
        let mut total = |state: &State| {
            tree.measure(state, &mut measured, &mut tree.scratch());
            measured.energy.kinetic + measured.energy.potential
        };
        let change = total(&state) - total(&start);
        assert!(
            (change - state.work[0]).abs() < ROUNDING * 10.0,
            "{change} {:?}",
            state.work
        );
    }
}

#[test]
fn a_winch_does_the_work_of_lifting() {
    let drum = "[[body]]\nname = \"drum\"\njoint = { kind = \"revolute\", axis = [0, 1, 0] }\nmass = 1\n\
        inertia = [0.1, 0.1, 0.1]\ndriven = \"-1.5*t^2\"\n\
        [[pulley]]\nname = \"winch\"\nbody = \"drum\"\nradius = 0.2\nside = \"over\"\n";
    let text = weight("load", 5.0, [0.2, 0.0, -4.0], [0.0, 0.0, 1.0])
        + drum
        + "[[constraint]]\nname = \"rope\"\nkind = \"cable\"\nthrough = [\"winch\", \"load/hook\"]\n";
    let (tree, start) = load(&text);
    let state = stepped(&tree, &start, 0.01, 100);
    // φ = −1.5 t² about y lifts by 0.3 t², with 0.6 m/s² and 3 rad/s² of the drum.
    assert!((state.q[0] - 0.3).abs() < ROUNDING, "{}", state.q[0]);
    let tension = recorded(&tree, &state, "rope.tension");
    assert!((tension - 5.0 * (G + 0.6)).abs() < 1e-10, "{tension}");
    let work: f64 = state.work.iter().sum();
    let kinetic = 0.5 * 5.0 * 0.36 + 0.5 * 0.1 * 9.0;
    assert!((work - (5.0 * G * 0.3 + kinetic)).abs() < 1e-9, "{work}");
}

#[test]
fn a_block_and_tackle_of_four_parts_holds_four_times_the_force() {
    let mut text = String::from(
        "[[site]]\nname = \"anchor\"\nat = [0, 0, 0]\n[[site]]\nname = \"f1\"\nat = [0.3, 0, 0]\n[[site]]\nname = \"f2\"\nat = [0.7, 0, 0]\n\
         [[body]]\nname = \"block\"\njoint = { kind = \"prismatic\", axis = [0, 0, 1], at = [0.3, 0, -2] }\nmass = 20\n\
         sites = { m1 = [-0.2, 0, 0], m2 = [0.2, 0, 0] }\n\
         [[body]]\nname = \"hand\"\njoint = { kind = \"prismatic\", axis = [0, 0, 1], at = [0.8, 0, -1] }\nmass = 0.5\n\
         spring = { stiffness = 100, rest = 0 }\nsites = { hook = [0, 0, 0] }\n",
    );
    for (name, side) in [("m1", "under"), ("f1", "over"), ("m2", "under"), ("f2", "over")] {
        text += &format!(
            "[[pulley]]\nname = \"p-{name}\"\nsite = \"{name}\"\naxis = [0, -1, 0]\nradius = 0.1\nside = \"{side}\"\n"
        );
    }
    text += "[[constraint]]\nname = \"fall\"\nkind = \"cable\"\n\
             through = [\"anchor\", \"p-m1\", \"p-f1\", \"p-m2\", \"p-f2\", \"hand/hook\"]\n";
    let (tree, start) = load(&text);
    let found = tree
        .settle(&start.q, &Settling::default())
        .unwrap_or_else(|error| panic!("{error}"));
    let tension = 20.0 * G / 4.0;
    assert!((found.lambda[0] - tension).abs() < 1e-8, "{:?}", found.lambda);
    // The hand rises four times as far as the block sinks, against its spring and with its weight.
    let hand = (tension - 0.5 * G) / 100.0;
    assert!((found.q[1] - hand).abs() < 1e-9, "{:?}", found.q);
    assert!((found.q[0] + hand / 4.0).abs() < 1e-9, "{:?}", found.q);
}

#[test]
fn a_rope_is_straight_where_it_has_left_a_pulley_it_slides_on() {
    let lifted = "[[body]]\nname = \"right\"\njoint = { kind = \"prismatic\", axis = [0, 0, 1], at = [2, 0, -0.5] }\nmass = 1\n\
        driven = \"t\"\nsites = { hook = [0, 0, 0] }\n";
    let text = weight("left", 1.0, [-2.0, 0.0, 0.2], [1.0, 0.0, 0.0]) + lifted + SLIDES + OVER;
    let (tree, start) = load(&text);
    let mut method = TreeVariational::new(tree.clone(), TreeOptions::default());
    let mut state = start.clone();
    // From hook to hook, at the heights of 0.2 m and t − 0.5 m: both are as high as the top of the pulley at 0.7 s.
    let straight = |state: &State| (4.0 - state.q[0]).hypot(state.t - 0.7);
    let mut length = None;
    while state.t < 0.95 {
        method.step(&mut state, 0.005).expect("a step");
        let wrap = recorded(&tree, &state, "pulley.wrap");
        if state.t < 0.69 {
            assert!(wrap > 0.0, "{}: {wrap}", state.t);
        } else if state.t > 0.71 {
            assert_eq!(wrap, 0.0, "{}", state.t);
            let off = straight(&state) - *length.get_or_insert(straight(&state));
            assert!(off.abs() < 1e-10, "{}: {off}", state.t);
        }
    }
}

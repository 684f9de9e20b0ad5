//! Corner cases of trees that were once wrong: each against a number that the program does not compute.
use holonomy::system::State;
use holonomy_model::{Model, Source, load};

fn model(text: &str) -> Model {
    load(&Source::new("corner", text)).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// The state after some steps of the model's own method.
fn after(model: &Model, steps: u64) -> State {
    let mut simulation = model.simulation();
    simulation.advance(steps).unwrap();
    simulation.state
}

const ALL_DRIVEN: &str = r#"
space = "tree"
site = [{ name = "w", at = [0, 0, 0] }, { name = "v", at = [0, 0, -1] }]
damper = [{ between = ["slider/p", "world/v"], coefficient = 1 }]
method = { name = "tree-variational" }
run = { step = 0.01, duration = 0.1 }

[[body]]
name = "slider"
joint = { kind = "prismatic", axis = [1, 0, 0] }
mass = 1
driven = "0.1*sin(t)"
sites = { p = [0, 0, 0] }

[[constraint]]
name = "rail"
kind = "coincide"
between = ["slider/p", "world/w"]
directions = [[0, 1, 0], [0, 0, 1]]
"#;

#[test]
fn a_tree_of_which_every_joint_is_driven_can_have_constraints_and_dampers() {
    println!("claim: a tree without velocities of its own steps; it was a panic");
    let model = model(ALL_DRIVEN);
    let state = after(&model, 10);
    // The mechanism does what drives it, at t = 10 · 0.01.
    assert_eq!(state.q, [0.1 * 0.1_f64.sin()]);
    assert!(state.p.is_empty());
}

/// A double pendulum; `um` is a unit of length in metres.
fn levers(um: f64) -> String {
    let inertia = format!("[{0:e}, {0:e}, {1:e}]", um * um / 12.0, um * um / 120.0);
    let body = |name: &str, more: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nmass = 1\ncentre = [0, 0, {:e}]\ninertia = {inertia}\n{more}\n",
            -0.5 * um
        )
    };
    let base = body("base", "joint = { kind = \"revolute\", axis = [0, 1, 0] }");
    let hinge = format!(
        "parent = \"base\"\njoint = {{ kind = \"revolute\", axis = [0, 1, 0], at = [0, 0, {:e}] }}\nposition = 0.3",
        -um
    );
    let lever = body("lever", &hinge);
    format!(
        "space = \"tree\"\ngravity = [0, 0, {:e}]\nmethod = {{ name = \"tree-variational\" }}\nrun = {{ step = 0.01, duration = 1 }}\n{base}{lever}",
        -9.81 * um
    )
}

#[test]
fn a_mechanism_moves_alike_at_any_scale() {
    println!(
        "claim: lengths and gravity times 2⁻²⁰ or 2⁻⁴⁰ give the same angles; 1 µm was refused as massless"
    );
    let metres = after(&model(&levers(1.0)), 100);
    for power in [-20, -40, 20] {
        let small = after(&model(&levers(2.0_f64.powi(power))), 100);
        for (a, b) in metres.q.iter().zip(&small.q) {
            // Powers of two change exponents only; the iteration may end a step earlier or later.
            assert!((a - b).abs() < 1e-12, "2^{power}: {a} {b}");
        }
    }
}

const FAST_DRIVE: &str = r#"
space = "tree"
site = [{ name = "w", at = [0, 0, 0] }]
method = { name = "tree-variational" }
run = { step = 1e-5, duration = 1e-3 }

[[body]]
name = "block"
joint = { kind = "prismatic", axis = [1, 0, 0] }
mass = 1
position = 1
sites = { p = [0, 0, 0] }

[[constraint]]
name = "rod"
kind = "distance"
between = ["block/p", "world/w"]
length = "1 + 0.001*sin(RATE*t)"
"#;

#[test]
fn the_start_has_the_velocity_of_a_driven_length() {
    println!(
        "claim: ẋ = 0.001 m · ω at t = 0, however fast; a difference of 1e-5 s was 0.2 % off at 8000 rad/s"
    );
    for rate in [1e-6, 2000.0, 8000.0, 1e6] {
        let model = model(&FAST_DRIVE.replace("RATE", &format!("{rate:e}")));
        // p = m ẋ, with m = 1 kg.
        let expected = 0.001 * rate;
        assert!(
            (model.state.p[0] - expected).abs() <= 4.0 * f64::EPSILON * expected,
            "{rate}: {}",
            model.state.p[0]
        );
    }
}

const CARRIED: &str = r#"
space = "tree"
method = { name = "tree-variational" }
run = { step = 1e-3, duration = 1 }

[[body]]
name = "slider"
joint = { kind = "prismatic", axis = [1, 0, 0] }
mass = 1
driven = "0.1*sin(20*t)"
sites = { p = [0, 0, 0] }

[[body]]
name = "bead"
joint = { kind = "prismatic", axis = [0, 0, 1] }
mass = 1
position = 1
sites = { p = [0, 0, 0] }

[[constraint]]
name = "rod"
kind = "distance"
between = ["slider/p", "bead/p"]
length = 1
"#;

#[test]
fn velocities_follow_constraints_that_driven_joints_move() {
    println!(
        "claim: a bead on z, joined to a slider at x(t) by a rod of 1 m, has ż = −x ẋ/z after every step"
    );
    let model = model(CARRIED);
    for steps in [0, 1, 10, 250] {
        let state = after(&model, steps);
        let (x, rate) = (0.1 * (20.0 * state.t).sin(), 2.0 * (20.0 * state.t).cos());
        let z = (1.0 - x * x).sqrt();
        assert!((state.q[1] - z).abs() < 1e-14, "{steps}: {}", state.q[1]);
        let expected = -x * rate / z;
        // p = m ż; rounding of a step's impulse.
        assert!(
            (state.p[0] - expected).abs() < 1e-12,
            "{steps}: {} {expected}",
            state.p[0]
        );
    }
}

const ONE_SIDED: &str = r#"
space = "tree"
gravity = [0, 0, -9.81]
site = [{ name = "o", at = [0, 0, 0] }]
method = { name = "tree-variational", forcing = "FORCING" }
run = { step = 0.01, duration = 0.5 }

[[body]]
name = "x"
joint = { kind = "prismatic", axis = [1, 0, 0] }
mass = 0
position = 1

[[body]]
name = "z"
parent = "x"
joint = { kind = "prismatic", axis = [0, 0, 1] }
mass = 1
sites = { p = [0, 0, 0] }

[[constraint]]
name = "rod"
kind = "distance"
between = ["z/p", "o"]
length = 1
"#;

#[test]
fn velocities_keep_the_constraints_with_one_sided_forces_too() {
    println!(
        "claim: x ẋ + z ż = 0 on a rod, and places, velocities and tensions are those of the symmetric rule where no force without potential acts"
    );
    let [symmetric, one_sided] = ["symmetric", "one-sided"].map(|forcing| {
        let model = model(&ONE_SIDED.replace("FORCING", forcing));
        let mut simulation = model.simulation();
        for _ in 0..50 {
            simulation.step().unwrap();
            let State { q, p, .. } = &simulation.state;
            // Both have 1 kg; it was 0.135 m²/s.
            let along = q[0] * p[0] + q[1] * p[1];
            assert!(along.abs() < 1e-13, "{forcing}: {along:e}");
        }
        simulation.state
    });
    for (a, b) in symmetric
        .q
        .iter()
        .zip(&one_sided.q)
        .chain(symmetric.p.iter().zip(&one_sided.p))
    {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }
}

/// A slider with a damper: v = e^{−ct/m}.
const BRAKED: &str = r#"
space = "tree"
method = { name = "METHOD" }
run = { step = 0.1, duration = 1 }

[[body]]
name = "slider"
joint = { kind = "prismatic", axis = [1, 0, 0] }
mass = 1
velocity = 1
damping = 1
"#;

#[test]
fn one_sided_forces_promise_what_they_keep() {
    println!(
        "claim: x(1) = 1 − e⁻¹ is met to first order by one-sided forces, to second by symmetric ones; and the promises say so"
    );
    for (one_sided, order) in [(false, 2), (true, 1)] {
        let mut model = model(&BRAKED.replace("METHOD", "tree-variational"));
        model.options.one_sided = one_sided;
        let error = |steps: u64| {
            let mut integrator = model.integrator();
            let mut state = model.state.clone();
            for _ in 0..steps {
                integrator.attempt(&mut state, 1.0 / steps as f64).unwrap();
            }
            (state.q[0] - (1.0 - (-1.0_f64).exp())).abs()
        };
        let measured = (error(100) / error(200)).log2();
        // The error of the next order is a hundredth of it.
        assert!(
            (measured - f64::from(order)).abs() < 0.05,
            "{one_sided}: {measured}"
        );
        assert_eq!(model.promises().order, order as u32);
        // A step and back: v / (1 − r²) with r = hc/m for what all acts at the start, v else.
        let mut integrator = model.integrator();
        let mut state = model.state.clone();
        integrator.attempt(&mut state, 0.1).unwrap();
        integrator.attempt(&mut state, -0.1).unwrap();
        let off = (state.p[0] - 1.0).abs();
        assert_eq!(model.promises().symmetric, off < 1e-13, "{one_sided}: {off:e}");
        assert_eq!(model.promises().bounded_energy, !one_sided);
    }
}

#[test]
fn orders_above_two_say_that_they_go_back_in_time() {
    println!("claim: with a stiff damper some step fails below one that works, and its message says why");
    let mut model = model(&BRAKED.replace("METHOD", "tree-variational-4"));
    model.options.max_iterations = Some(1);
    let mut integrator = model.integrator();
    let error = integrator.step(&mut model.state.clone(), 0.1).unwrap_err();
    let text = error.describe(model.mechanism.system().layout());
    assert!(error.goes_back && text.contains("back in time"), "{text}");
    // Order 2 does not.
    model.method = holonomy::integrator::catalog::find("tree-variational").unwrap();
    let error = model
        .integrator()
        .step(&mut model.state.clone(), 0.1)
        .unwrap_err();
    let text = error.describe(model.mechanism.system().layout());
    assert!(!error.goes_back && !text.contains("back in time"), "{text}");
}

const TIP: &str = r#"
space = "tree"
gravity = [0, 0.3, -1]
start = "settled"
site = [{ name = "wall", at = [0, 0, 0] }]
beam = [{ between = ["wall", "e"], length = 0.5, EA = 2e5, EI = [10.0, 40.0], GJ = 20.0 }]
method = { name = "tree-variational" }
run = { step = 0.001, duration = 1 }

[[body]]
name = "tip"
joint = { kind = "free" }
position = [0.5, 0, 0]
mass = 0.1
inertia = [1e-5, 1e-5, 1e-5]
sites = { e = [0, 0, 0] }
"#;

#[test]
fn rounding_is_not_out_of_balance() {
    println!("claim: a beam at −PL³/3EI is balanced; it was said to be out of balance by 0.94 of the forces");
    let model = model(TIP);
    let holonomy::system::Mechanism::Tree(tree) = &model.mechanism else {
        panic!("a tree");
    };
    let found = tree.settle(&model.state.q, &Default::default()).unwrap();
    // P = 0.1 kg · 1 m/s², EI = 10 N m²; deflections of a millimetre change their own lever arm by a millionth.
    let deflection = 0.1 * 0.125 / (3.0 * 10.0);
    assert!(
        (found.q[2] + deflection).abs() < 1e-5 * deflection,
        "{}",
        found.q[2]
    );
    // EA·ε is 4e-11 N beside 0.1 N.
    assert!(found.residual < 1e-9, "{:e}", found.residual);
}

//! Steps in frames, free, rolling and held: against differences, against their transpose, by numbers of the model, the
//! frame's among them, and against closed forms.
use super::{Errors, errors, some};
use crate::common::{load, scenario};
use holonomy::{
    derivative::{Change, Efforts, Flow, Minimal, Parameters, Step, Tape, Variant, certify, modes, slope},
    integrator::catalog,
    lagrangian::Lagrangian,
    system::{Mechanism, State},
};
use holonomy_model::Model;
use nalgebra::{Complex, DMatrix};

/// A mass matrix that varies, a magnetic term, drag and time, in a frame without a pattern.
const CROOKED: &str = r#"
    space = "lagrangian"
    coordinates = ["x", "y", "z"]
    lagrangian = """0.5*(1 + 0.3*sin(y)^2)*x'^2 + 0.7*y'^2 + 0.5*exp(0.2*x)*z'^2 + 0.1*x'*z' + 0.4*(1 + 0.5*sin(t))*x*y'
        - 0.5*stiffness*x^2 - y^2 - cos(z) - 0.2*x*y*z*cos(t)"""
    parameters = { stiffness = 1.2, slant = 0.3 }
    frame.fields.a = ["1 + slant*sin(y)", "0.2*x*y", "0.1*exp(slant*z)"]
    frame.fields.b = ["0.3*z", "1 + 0.1*x^2", "-0.2*cos(x)"]
    frame.fields.c = ["0.1*y*z", "0.2*sin(x + z)", "1.2 + 0.3*cos(y)"]
    force = { x = "-0.1*x'", y = "-0.05*x*y'", z = "0.2*cos(2*t)" }
    start = { x = 0.3, y = -0.2, z = 0.6 }
    velocity = { a = 0.5, b = -0.4, c = 0.3 }
    method = { name = "hamel" }
    run = { step = 0.05, steps = 1 }
"#;

/// A heavy top about a fixed point in Euler's angles, its quasi-velocities those of the body: structure of so(3).
const TOP: &str = r#"
    space = "lagrangian"
    coordinates = ["phi", "theta", "psi"]
    lagrangian = "0.5*(1.1*p^2 + 1.7*q^2 + 0.6*r^2) - 3*cos(theta)"
    frame.fields.p = ["sin(psi)/sin(theta)", "cos(psi)", "-sin(psi)*cos(theta)/sin(theta)"]
    frame.fields.q = ["cos(psi)/sin(theta)", "-sin(psi)", "-cos(psi)*cos(theta)/sin(theta)"]
    frame.fields.r = [0, 0, 1]
    start = { phi = 0.2, theta = 0.9, psi = 0.4 }
    velocity = { p = 0.5, q = -0.4, r = 2.3 }
    method = { name = "hamel" }
    run = { step = 0.05, steps = 1 }
"#;

/// The same with a field that is constrained and a constraint that moves: one way is left.
fn held() -> String {
    let constrained = "constrained = [\"c\"]\n    frame.fields.a";
    let constraint = r#"velocity = { a = 0, b = 0 }
    constraint = [{ formula = "x + 0.5*y^2 + z*exp(0.2*x) - 0.32 - 0.6*exp(0.06) - 0.2*(1 - cos(t))" }]"#;
    CROOKED
        .replacen("frame.fields.a", &format!("frame.{constrained}"), 1)
        .replace("velocity = { a = 0.5, b = -0.4, c = 0.3 }", constraint)
}

/// A direction that keeps its length without a constraint, led along a circle by one: three fields of rank two.
const LED: &str = r#"
    space = "lagrangian"
    coordinates = ["Gamma"]
    lagrangian = "0.5*(1.1*p^2 + 1.7*q^2 + 0.6*r^2) + 0.3*p*r - 3*Gamma.z + 0.4*Gamma.x^2"
    frame.fields.p = "cross(Gamma, [1, 0, 0])"
    frame.fields.q = "cross(Gamma, [0, 1, 0])"
    frame.fields.r = "cross(Gamma, [0, 0, 1])"
    constraint = [{ formula = "Gamma.x + 0.5*Gamma.z + 0.2*Gamma.y^2 - 1" }]
    start = { Gamma = [0.6, 0, 0.8] }
    velocity = { p = 0.4, q = 0, r = -0.2 }
    method = { name = "hamel" }
    run = { step = 0.05, steps = 1 }
"#;

/// Two fields along surfaces z − 0.3 y sin x = const, whose structure functions vary: fewer than coordinates.
const SURFACE: &str = r#"
    space = "lagrangian"
    coordinates = ["x", "y", "z"]
    lagrangian = "0.5*(1 + 0.3*sin(y)^2)*x'^2 + 0.7*y'^2 + 0.5*exp(0.2*x)*z'^2 + 0.2*x*y' - x^2 - y^2 - cos(z)"
    frame.fields.a = ["1", "0.2*x*y", "0.3*y*cos(x) + 0.06*x*y*sin(x)"]
    frame.fields.b = ["0.3*cos(y)", "1", "0.09*y*cos(x)*cos(y) + 0.3*sin(x)"]
    force = { x = "-0.1*x'", z = "0.2*x*z'" }
    start = { x = 0.3, y = -0.2, z = 0.6 }
    velocity = { a = 0.5, b = -0.4 }
    method = { name = "hamel" }
    run = { step = 0.05, steps = 1 }
"#;

fn sleigh(sets: &[&str]) -> Model {
    scenario("chaplygin-sleigh", sets)
}

fn in_frame(model: &Model) -> &Lagrangian {
    match &model.mechanism {
        Mechanism::Lagrangian(lagrangian) => lagrangian,
        _ => panic!("it is a Lagrangian"),
    }
}

/// The state some steps after the start.
fn later(model: &Model, count: u64) -> State {
    let mut flow = Flow::new(model.mechanism.clone(), model.integrator(), model.schedule.step);
    let mut state = flow.steps(&model.state, count).unwrap();
    state.carry.clear();
    state
}

/// A step against differences along curves of states that keep what constraints keep.
fn measured(model: &Model, method: &str) -> Errors {
    let mut method = catalog::find(method).unwrap().build(&model.mechanism).unwrap();
    let system = model.mechanism.system();
    let start = later(model, 5);
    let minimal = Minimal::at(&model.mechanism, &start).unwrap();
    let curve = |k: usize| {
        let way = some(k + 1, minimal.size());
        let (minimal, start) = (&minimal, &start);
        move |s: f64| {
            let z: Vec<f64> = way.iter().map(|way| s * way).collect();
            minimal.moved(&model.mechanism, start, &z).unwrap()
        }
    };
    let curves: Vec<_> = (0..3).map(curve).collect();
    let curves: Vec<&dyn Fn(f64) -> State> = curves.iter().map(|c| c as &dyn Fn(f64) -> State).collect();
    errors(&*system, &mut *method, 0.05, &[5e-3, 2e-3, 1e-3], &curves).unwrap()
}

#[test]
fn steps_in_frames_are_linearised() {
    let models = [
        ("crooked", load("crooked", CROOKED, &[])),
        ("top", load("top", TOP, &[])),
        ("sleigh", sleigh(&[])),
        ("suslov", scenario("suslov", &[])),
        ("surface", load("surface", SURFACE, &[])),
        ("held", load("held", &held(), &[])),
        ("led", load("led", LED, &[])),
    ];
    for (name, model) in models {
        for method in ["hamel", "hamel-4"] {
            let found = measured(&model, method);
            println!("{name} {method}: {found}");
            // Differences of order 6 over 5e-3: rounding, and corrections that end at 1e-14, over the offset.
            assert!(found.push < 2e-11, "{name} {method}: {found}");
            // Those over h, too.
            assert!(found.lambda < 1e-9, "{name} {method}: {found}");
            // One rounding for each of the sums.
            assert!(found.pull < 1e-12, "{name} {method}: {found}");
            // It is not symplectic.
            assert!(
                !model.mechanism.system().is_canonical() || found.area > 1e-9,
                "{name} {method}: {found}"
            );
        }
    }
}

/// What equations change by is pushed as they change, and pulled as it is pushed; multipliers go along.
#[test]
fn equations_of_steps_in_frames_vanish_and_are_pulled() {
    for (name, model) in [
        ("sleigh", sleigh(&[])),
        ("suslov", scenario("suslov", &[])),
        ("held", load("held", &held(), &[])),
        ("led", load("led", LED, &[])),
    ] {
        for method_name in ["hamel", "hamel-4"] {
            let mut method = catalog::find(method_name)
                .unwrap()
                .build(&model.mechanism)
                .unwrap();
            let (before, h) = (later(&model, 5), 0.05);
            let (mut after, mut solution, mut all) = (before.clone(), Vec::new(), Vec::new());
            method.attempt(&mut after, h).unwrap();
            let known = method.differentiable().unwrap();
            known.solution(&mut solution);
            known.linearise(&before, h, &solution).unwrap();
            known.equations(&before, h, &solution, &mut all).unwrap();
            let ends = [&after.q[..], &after.p].concat();
            let (of_f, of_e) = all.split_at(all.len() - ends.len());
            // Corrections end at 1e-14. A composition has the states between its substeps among its equations.
            let vanish = method_name == "hamel-4" || of_f.iter().all(|f| f.abs() < 1e-12);
            assert!(vanish, "{name}: {of_f:?}");
            let off = of_e.iter().zip(&ends).map(|(a, b)| (a - b).abs());
            assert!(off.fold(0.0, f64::max) < 1e-12, "{name}");
            known.linearise(&before, h, &solution).unwrap();
            let m = after.lambda.len();
            let mut change = Change {
                x: some(1, before.q.len()),
                y: some(2, before.p.len()),
                lambda: Vec::new(),
                equations: some(3, all.len()),
            };
            let mut gradient = Change {
                x: some(4, before.q.len()),
                y: some(5, before.p.len()),
                lambda: some(6, m),
                equations: Vec::new(),
            };
            let (given, asked) = (change.clone(), gradient.clone());
            known.push(&mut change);
            known.pull(&mut gradient);
            assert_eq!((change.lambda.len(), gradient.equations.len()), (m, all.len()));
            let each = |a: &Change, b: &Change| {
                let lists = [
                    (&a.x, &b.x),
                    (&a.y, &b.y),
                    (&a.lambda, &b.lambda),
                    (&a.equations, &b.equations),
                ];
                let sums = lists.map(|(a, b)| super::dot(a, b));
                sums.iter().fold((0.0, 0.0), |s, t| (s.0 + t.0, s.1 + t.1))
            };
            let (forward, back) = (each(&asked, &change), each(&gradient, &given));
            let apart = (forward.0 - back.0).abs() / forward.1.max(back.1);
            assert!(apart < 1e-12, "{name}: {apart:e}");
        }
    }
}

/// The Cayley image of a pole, through the substeps of a composition.
fn image(s: Complex<f64>, h: f64, substeps: &[f64]) -> Complex<f64> {
    let one = Complex::new(1.0, 0.0);
    let each = substeps.iter().map(|gamma| {
        let half = s * (0.5 * gamma * h);
        (one + half) / (one - half)
    });
    each.product()
}

/// The matrix of a step in minimal coordinates.
fn matrix(model: &Model, method: &str) -> (DMatrix<f64>, f64) {
    let h = model.schedule.step;
    let method = catalog::find(method).unwrap().build(&model.mechanism).unwrap();
    let mut flow = Flow::new(model.mechanism.clone(), method, h);
    assert!(flow.is_exact());
    let minimal = Minimal::at(&model.mechanism, &model.state).unwrap();
    let found = flow.transition(&model.state, &minimal, 1, &mut |_| true).unwrap();
    (found.unwrap().2, h)
}

/// Straight motion of the sleigh at v, by hand: J ω' = −m a v ω, J = i + m a², so that what turns dies out, or grows
/// backwards, at the rate m a v/J; and hamel is a midpoint rule of that. Coordinates, and a momentum for each way it moves.
#[test]
fn a_sleigh_that_goes_straight_turns_as_by_hand() {
    for v in [-1.0, 1.0, 0.7] {
        let forward = format!("velocity.forward={v}");
        let model = sleigh(&["velocity.turn=0", &forward]);
        let s = -1.2 * 0.3 * v / (0.5 + 1.2 * 0.09);
        // Suzuki's five.
        let gamma = 1.0 / (4.0 - 4.0_f64.cbrt());
        let five = vec![gamma, gamma, 1.0 - 4.0 * gamma, gamma, gamma];
        for (method, substeps) in [("hamel", vec![1.0]), ("hamel-4", five)] {
            let (a, h) = matrix(&model, method);
            let turning = image(Complex::new(s, 0.0), h, &substeps).re;
            assert_eq!(a.shape(), (5, 5));
            for k in 0..5 {
                let expected = if k == 4 { turning } else { 0.0 };
                assert!((a[(4, k)] - expected).abs() < 1e-14, "{method} {v}: {a}");
                // The speed stays.
                let expected = f64::from(u8::from(k == 3));
                assert!((a[(3, k)] - expected).abs() < 1e-14, "{method} {v}: {a}");
            }
            assert_eq!(turning > 1.0, v < 0.0);
        }
    }
}

/// A number, its value, and the models that have it.
type Family<'a> = (&'a str, f64, &'a dyn Fn(&[&str]) -> Model);

/// By a stiffness, and by a number that stands in the fields: against differences of the step.
#[test]
fn steps_in_frames_have_derivatives_by_parameters() {
    let held = held();
    let crooked = |text: &'static str| move |sets: &[&str]| load("crooked", text, sets);
    let families: [Family<'_>; 5] = [
        ("parameters.stiffness", 1.2, &crooked(CROOKED)),
        ("parameters.slant", 0.3, &crooked(CROOKED)),
        ("parameters.a", 0.3, &sleigh),
        ("parameters.stiffness", 1.2, &|sets| load("held", &held, sets)),
        ("parameters.slant", 0.3, &|sets| load("held", &held, sets)),
    ];
    for (key, theta, model) in families {
        let base = model(&[]);
        let with = |value: f64| model(&[&format!("{key}={value}")]);
        let system = base.mechanism.system();
        let (h, before) = (0.05, base.state.clone());
        let mut method = base.integrator();
        let mut after = before.clone();
        method.attempt(&mut after, h).unwrap();
        let mut solution = Vec::new();
        let known = method.differentiable().unwrap();
        known.solution(&mut solution);
        known.linearise(&before, h, &solution).unwrap();
        let mut parameters = Parameters::new(&*system, &before, &[theta], &[5e-3], |theta| {
            let model = with(theta[0]);
            let (integrator, start) = (model.integrator(), model.state.clone());
            Ok::<_, ()>(Variant { integrator, start })
        })
        .unwrap_or_else(|_| panic!("{key}"));
        let step = Step {
            number: 0,
            before: &before,
            h,
            solution: &solution,
        };
        let mut change = Change {
            equations: parameters.slope(0, &step).unwrap(),
            ..parameters.start(0).clone()
        };
        known.push(&mut change);
        // In the canonical coordinates of the model itself, from the start of each.
        let expected = slope(5e-3, |s| {
            let model = with(theta + s);
            let (mut method, mut state) = (model.integrator(), model.state.clone());
            method.attempt(&mut state, h)?;
            let (mut x, y) = system.canonical(&after.q, &state.q, &state.p);
            x.extend(y);
            Ok::<_, holonomy::integrator::Fault>(x)
        })
        .unwrap();
        let found = change.x.iter().chain(&change.y);
        let off = found
            .zip(&expected)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        let size = expected.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        println!("{key}: {off:.1e} of {size:.1e}");
        // Both are differences of order 6 over 5e-3, with corrections that end at 1e-14.
        assert!(size > 1e-4 && off < 2e-11, "{key}: {off:e} {size:e}");
    }
}

/// Steady turning of Suslov's body: a·spin₁ + b·spin₂ = 0, the pole |Ω| (a²/i₁ + b²/i₂)/√(a² + b²) of one sign or the other,
/// and the direction along the axis turns at |Ω|. hamel takes the Cayley image of each.
#[test]
fn steady_turns_of_suslovs_body_are_as_by_hand() {
    let (a, b, i1, i2) = (0.4_f64, -0.3_f64, 1.0, 1.7);
    for turn in [2.0, -2.0] {
        let sets = [
            "start.Gamma=[0.6, 0.8, 0]".to_owned(),
            format!("velocity.spin1={}", 0.6 * turn),
            format!("velocity.spin2={}", 0.8 * turn),
        ];
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        let model = scenario("suslov", &sets);
        let (matrix, h) = matrix(&model, "hamel");
        // Two directions across Gamma, not three, and two momenta.
        assert_eq!(matrix.shape(), (4, 4));
        let found: Vec<Complex<f64>> = modes(&matrix).unwrap().iter().map(|mode| mode.value).collect();
        let pole = turn * (a * a / i1 + b * b / i2) / a.hypot(b);
        let wanted = [
            Complex::new(pole, 0.0),
            Complex::new(0.0, 0.0),
            Complex::new(0.0, turn),
            Complex::new(0.0, -turn),
        ];
        // Of one sign or the other: the sense of the frame.
        let near = |wanted: Complex<f64>| {
            let image = image(wanted, h, &[1.0]);
            let off = found.iter().map(|value| (value - image).norm());
            off.fold(f64::INFINITY, f64::min)
        };
        for wanted in &wanted[1..] {
            assert!(near(*wanted) < 1e-12, "{wanted}: {found:?}");
        }
        let off = near(wanted[0]).min(near(-wanted[0]));
        assert!(off < 1e-12, "{pole}: {found:?}");
    }
}

/// The speed of a sleigh is V tanh(m a V/J t + c), V² = v₀² + J ω₀²/m: how it depends on where it starts, forwards and back,
/// through a run in which it turns round.
#[test]
fn a_sleigh_that_turns_round_depends_on_its_start_as_in_closed_form() {
    let (m, inertia, a, end) = (1.2, 0.5, 0.3, 8.0);
    let j: f64 = inertia + m * a * a;
    let speed = |v: f64, w: f64| {
        let most = (v * v + j * w * w / m).sqrt();
        most * (m * a * most / j * end + (v / most).atanh()).tanh()
    };
    // ω₀ of 0.1 is the scale: the sixth power of 1e-3, and rounding over 1e-4.
    let Ok(exact) = slope(1e-4, |s| {
        Ok::<_, std::convert::Infallible>(vec![speed(-1.0 + s, 0.1), speed(-1.0, 0.1 + s)])
    });
    // In momenta: m v and J ω.
    let exact = [exact[0], exact[1] / j * m];
    let found = |method: &str, steps: usize| -> [f64; 2] {
        let model = sleigh(&["velocity.turn=0.1", &format!("method.name={method}")]);
        let mut integrator = model.integrator();
        let method = integrator.differentiable().unwrap();
        let h = end / steps as f64;
        let mut tape = Tape::record(method, &model.state, h, steps, Efforts::default()).unwrap();
        let mut back = [Change {
            x: vec![0.0; 3],
            y: vec![1.0, 0.0],
            ..Change::default()
        }];
        tape.pull(method, &mut back, &mut ()).unwrap();
        let unit = |k: usize| Change {
            x: vec![0.0; 3],
            y: (0..2).map(|i| f64::from(u8::from(i == k))).collect(),
            ..Change::default()
        };
        let mut forward = [unit(0), unit(1)];
        tape.push(method, &mut forward, &mut ()).unwrap();
        for k in 0..2 {
            let off = (forward[k].y[0] - back[0].y[k]).abs();
            assert!(off < 1e-12 * (1.0 + back[0].y[k].abs()), "{off:e}");
        }
        // Where it starts and where it points do not matter.
        assert!(back[0].x.iter().all(|x| x.abs() < 1e-12));
        [back[0].y[0], back[0].y[1]]
    };
    for (method, order, coarse) in [("hamel", 2, 200), ("hamel-4", 4, 100)] {
        let off = |steps: usize| {
            let found = found(method, steps);
            (found[0] - exact[0]).abs().max((found[1] - exact[1]).abs())
        };
        let (one, two) = (off(coarse), off(2 * coarse));
        println!("{method}: {one:.2e} {two:.2e} of {exact:?}");
        let measured = (one / two).log2();
        // The next term of the error is h² of it.
        assert!((measured - f64::from(order)).abs() < 0.1, "{method}: {measured}");
    }
}

/// Energy is kept by each step of the sleigh, and the length of Gamma by each of Suslov's body: their gradients come back as
/// they are there. Nothing of this is a difference of steps.
#[test]
fn gradients_of_what_rolling_keeps_come_back() {
    let model = sleigh(&["velocity.turn=0.3"]);
    let mut integrator = model.integrator();
    let method = integrator.differentiable().unwrap();
    let j = 0.5 + 1.2 * 0.09;
    let energy = |state: &State| Change {
        x: vec![0.0; 3],
        y: vec![state.p[0] / 1.2, state.p[1] / j],
        ..Change::default()
    };
    let mut tape = Tape::record(method, &model.state, 0.05, 400, Efforts::default()).unwrap();
    let mut back = [energy(tape.end())];
    tape.pull(method, &mut back, &mut ()).unwrap();
    let start = energy(&model.state);
    // Rounding of 400 steps.
    for (found, given) in back[0]
        .x
        .iter()
        .chain(&back[0].y)
        .zip(start.x.iter().chain(&start.y))
    {
        assert!((found - given).abs() < 1e-12, "{back:?} {start:?}");
    }

    let model = scenario("suslov", &[]);
    let system = model.mechanism.system();
    let mut integrator = model.integrator();
    let method = integrator.differentiable().unwrap();
    let mut tape = Tape::record(method, &model.state, 0.05, 200, Efforts::default()).unwrap();
    let worth = certify(&*system, method, &mut tape).unwrap();
    println!("{worth:?}");
    let length = worth.momenta.iter().find(|kept| kept.name == "length").unwrap();
    assert!(length.error < 1e-11, "{length:?}");
    assert!(worth.duality < 1e-13);
    // Three coordinates and two momenta have no form.
    assert!(worth.pairing.is_nan());
}

/// A pendulum in the plane held by its length, in a frame that is slanted: hamel is leapfrog there, so that a step at rest has
/// the trace 2 − h² g/l and the determinant 1.
#[test]
fn a_pendulum_that_is_held_in_a_frame_swings_as_by_hand() {
    let (h, l, g) = (0.05, 0.8, 9.81);
    let text = format!(
        r#"
        space = "lagrangian"
        coordinates = ["x", "y"]
        lagrangian = "0.5*1.3*(x'^2 + y'^2) - 1.3*{g}*y"
        frame.fields.a = ["1", "0.4"]
        frame.fields.b = ["-0.3", "0.7"]
        constraint = [{{ formula = "x^2 + y^2 - {l}^2" }}]
        start = {{ x = 0, y = -{l} }}
        velocity = {{ a = 0, b = 0 }}
        method = {{ name = "hamel" }}
        run = {{ step = {h}, steps = 1 }}
        "#
    );
    let (a, _) = matrix(&load("pendulum", &text, &[]), "hamel");
    assert_eq!(a.shape(), (2, 2));
    assert!((a.trace() - (2.0 - h * h * g / l)).abs() < 1e-13, "{a}");
    assert!((a.determinant() - 1.0).abs() < 1e-13, "{a}");
}

/// The same pendulum far from rest in a frame that turns as it goes, against the pendulum in its angle: how the angle at the
/// end depends on both at the start, to the order of the method.
#[test]
fn a_pendulum_that_is_held_depends_on_its_start_as_one_in_its_angle() {
    let free = r#"
        space = "lagrangian"
        coordinates = ["theta"]
        lagrangian = "0.5*theta'^2 + 9.81*cos(theta)"
        start = { theta = 1.1 }
        velocity = { theta = 0.5 }
        method = { name = "midpoint-6" }
        run = { step = 0.001, steps = 1 }
    "#;
    let held = r#"
        space = "lagrangian"
        coordinates = ["x", "y"]
        lagrangian = "0.5*(x'^2 + y'^2) - 9.81*y"
        frame.fields.a = ["cos(x + 2*y)", "sin(x + 2*y)"]
        frame.fields.b = ["-sin(x + 2*y)*(1 + 0.2*x)", "cos(x + 2*y)*(1 + 0.2*x)"]
        constraint = [{ formula = "x^2 + y^2 - 1" }]
        start = { x = "sin(1.1)", y = "-cos(1.1)" }
        velocity = { a = 0, b = 0 }
        method = { name = "hamel" }
        run = { step = 0.01, steps = 1 }
    "#;
    let end = 1.0;
    // θ and θ' at the end by those at the start.
    let free = load("free", free, &[]);
    let mut flow = Flow::new(free.mechanism.clone(), free.integrator(), 0.001);
    let minimal = Minimal::at(&free.mechanism, &free.state).unwrap();
    let exact = flow
        .transition(&free.state, &minimal, 1000, &mut |_| true)
        .unwrap()
        .unwrap()
        .2;
    let angle = |x: f64, y: f64| x.atan2(-y);
    let found = |method: &str, steps: usize| -> DMatrix<f64> {
        let model = load("held", held, &[]);
        let system = model.mechanism.system();
        // States with the angle and its rate, and those of a state.
        let state = |theta: f64, rate: f64| {
            let q = vec![theta.sin(), -theta.cos()];
            let (c, s) = ((q[0] + 2.0 * q[1]).cos(), (q[0] + 2.0 * q[1]).sin());
            let dq = [rate * theta.cos(), rate * theta.sin()];
            let v = [
                c * dq[0] + s * dq[1],
                (c * dq[1] - s * dq[0]) / (1.0 + 0.2 * q[0]),
            ];
            in_frame(&model).state(0.0, &q, &v).unwrap()
        };
        let rate = |state: &State| {
            let mut v = vec![0.0; 2];
            system.velocity(state.t, &state.q, &state.p, &mut v, &mut system.scratch());
            let (c, s) = (
                (state.q[0] + 2.0 * state.q[1]).cos(),
                (state.q[0] + 2.0 * state.q[1]).sin(),
            );
            let b = v[1] * (1.0 + 0.2 * state.q[0]);
            let dq = [c * v[0] - s * b, s * v[0] + c * b];
            -state.q[1] * dq[0] + state.q[0] * dq[1]
        };
        let start = state(1.1, 0.5);
        let method = catalog::find(method).unwrap().build(&model.mechanism).unwrap();
        let mut flow = Flow::new(model.mechanism.clone(), method, end / steps as f64);
        let minimal = Minimal::at(&model.mechanism, &start).unwrap();
        let (last, there, matrix) = flow
            .transition(&start, &minimal, steps as u64, &mut |_| true)
            .unwrap()
            .unwrap();
        let (mut into, mut out) = (DMatrix::zeros(2, 2), DMatrix::zeros(2, 2));
        for k in 0..2 {
            let Ok(column) = slope(1e-3, |s| {
                let moved = if k == 0 {
                    state(1.1 + s, 0.5)
                } else {
                    state(1.1, 0.5 + s)
                };
                Ok::<_, std::convert::Infallible>(minimal.apart(&*system, &start, &moved))
            });
            into.column_mut(k).copy_from_slice(&column);
            let Ok(column) = slope(1e-3, |s| {
                let z: Vec<f64> = (0..2).map(|i| if i == k { s } else { 0.0 }).collect();
                let moved = there.moved(&model.mechanism, &last, &z).unwrap();
                Ok::<_, std::convert::Infallible>(vec![angle(moved.q[0], moved.q[1]), rate(&moved)])
            });
            out.column_mut(k).copy_from_slice(&column);
        }
        out * matrix * into
    };
    for (method, order) in [("hamel", 2), ("hamel-4", 4)] {
        let off = |steps: usize| (found(method, steps) - &exact).amax();
        let (one, two) = (off(100), off(200));
        println!("{method}: {one:.2e} {two:.2e} of {:.2e}", exact.amax());
        let measured = (one / two).log2();
        assert!((measured - f64::from(order)).abs() < 0.15, "{method}: {measured}");
    }
}

/// After the first, a step and its derivatives allocate nothing.
#[test]
fn derivatives_in_frames_allocate_nothing_after_the_first_step() {
    for (name, model) in [
        ("sleigh", sleigh(&[])),
        ("suslov", scenario("suslov", &[])),
        ("held", load("held", &held(), &[])),
    ] {
        for method in ["hamel", "hamel-4"] {
            let mut integrator = catalog::find(method).unwrap().build(&model.mechanism).unwrap();
            let method = integrator.differentiable().unwrap();
            let start = later(&model, 1);
            let mut solution = Vec::new();
            let (mut before, mut state) = (start.clone(), start.clone());
            let mut change = Change {
                x: some(1, start.q.len()),
                y: some(2, start.p.len()),
                ..Change::default()
            };
            let mut gradient = change.clone();
            let mut go = |count: usize| {
                for _ in 0..count {
                    before.copy_from(&state);
                    method.attempt(&mut state, 0.01).unwrap();
                    method.solution(&mut solution);
                    method.linearise(&before, 0.01, &solution).unwrap();
                    method.push(&mut change);
                    gradient.equations.clear();
                    method.pull(&mut gradient);
                }
            };
            go(3);
            assert_eq!(crate::allocation::allocations(|| go(20)), 0, "{name}");
        }
    }
}

/// Fields that a program gives have no second derivatives, and steps along them no derivatives.
#[test]
fn frames_without_derivatives_say_what_they_would_need() {
    struct Turning;
    impl holonomy::lagrangian::Mechanics for Turning {
        fn coordinates(&self) -> usize {
            1
        }
        fn fields(&self) -> Option<usize> {
            Some(1)
        }
        fn lagrangian(
            &self,
            _: f64,
            q: &[f64],
            v: &[f64],
            out: &mut holonomy::lagrangian::Derivatives,
        ) -> Result<(), holonomy::system::Undefined> {
            out.resize(q.len(), v.len());
            out.value = 0.5 * v[0] * v[0];
            (out.v[0], out.vv[0]) = (v[0], 1.0);
            Ok(())
        }
    }
    let names = |name: &str| [name.to_owned()];
    let system = Lagrangian::in_frame(Box::new(Turning), &names("x"), &names("v"), &[]).unwrap();
    assert!(
        system
            .without_derivatives()
            .is_some_and(|why| why.contains("formulas"))
    );
    let mechanism = Mechanism::from(system);
    let hamel = catalog::find("hamel").unwrap();
    assert!(hamel.build(&mechanism).unwrap().differentiable().is_none());
    for model in [
        sleigh(&[]),
        load("held", &held(), &[]),
        load("crooked", CROOKED, &[]),
    ] {
        assert_eq!(hamel.without_derivatives(&model.mechanism), None);
    }
}

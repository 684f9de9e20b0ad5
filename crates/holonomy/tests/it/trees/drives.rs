//! Drives of every kind of joint, against joints in a row, closed forms, and equations derived by hand.
use super::feedback::{assert_second_order, ended};
use crate::common::load;
use holonomy::{Vec3, system::State};
use holonomy_model::Model;

/// What carries a pendulum, of two metres on a hinge, and the pendulum's name for its parent.
fn carried(bodies: &str, parent: &str) -> Model {
    let text = format!(
        r#"
        space = "tree"
        gravity = [0, 0, -9.81]
        {bodies}
        [[body]]
        name = "bob"
        parent = "{parent}"
        joint = {{ kind = "revolute", axis = [0, 1, 0], at = [0.3, 0.1, 0.2] }}
        mass = 0.7
        centre = [0, 0, -0.5]
        position = 0.4
        velocity = 0.5
        damping = 0.1
        [method]
        name = "tree-variational"
        [run]
        step = 0.01
        duration = 2
        "#
    );
    load("carried", &text, &[])
}

const BODY: &str = "mass = 1.3\ncentre = [0.1, 0.2, 0.05]\ninertia = [0.05, 0.06, 0.07]\n";

fn body(name: &str, parent: &str, joint: &str, driven: &str, mass: &str) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nparent = \"{parent}\"\njoint = {joint}\ndriven = {driven}\n{mass}\n"
    )
}

/// The pendulum's angle and momentum, and all the work.
fn bob(model: &Model) -> [f64; 3] {
    let (state, _) = ended(model);
    let (q, p) = (state.q.len() - 1, state.p.len() - 1);
    [state.q[q], state.p[p], state.work.iter().sum()]
}

fn assert_alike(a: &Model, b: &Model, what: &str) {
    let (a, b) = (bob(a), bob(b));
    println!("{what}: {a:?} {b:?}");
    for (a, b) in a.iter().zip(b) {
        // 200 steps, each solved to rounding: constraints to 1e-13 of the lengths.
        assert!((a - b).abs() < 1e-9, "{what}: {a} {b}");
    }
}

#[test]
fn a_driven_universal_joint_is_two_hinges_in_a_row() {
    let angles = [
        "\"0.4*sin(2*t)\"",
        "{ times = [0, 0.7, 1.5], values = [0.1, 0.9, -0.4] }",
    ];
    let joint = "{ kind = \"universal\", axes = [[1, 0, 0.2], [0, 1, 0]], at = [0, 0, 1] }";
    let both = format!("[{}, {}]", angles[0], angles[1]);
    let one = carried(&body("cross", "world", joint, &both, BODY), "cross");
    let first = "{ kind = \"revolute\", axis = [1, 0, 0.2], at = [0, 0, 1] }";
    let second = "{ kind = \"revolute\", axis = [0, 1, 0] }";
    let row = body("first", "world", first, angles[0], "mass = 0")
        + &body("second", "first", second, angles[1], BODY);
    assert_alike(&one, &carried(&row, "second"), "universal");
}

#[test]
fn a_driven_ball_that_turns_about_one_axis_is_a_driven_hinge() {
    let ball = "{ kind = \"spherical\", at = [0, 0, 1], turned = { axis = [1, 0, 0], angle = 0.3 } }";
    let hinge = "{ kind = \"revolute\", axis = [0, 0, 1], at = [0, 0, 1], turned = { axis = [1, 0, 0], angle = 0.3 } }";
    let angle = "\"3*t + 0.8*sin(2*t)\"";
    let vector = format!("{{ rotation = [0, 0, {angle}] }}");
    let one = carried(&body("base", "world", ball, &vector, BODY), "base");
    let other = carried(&body("base", "world", hinge, angle, BODY), "base");
    // A ball joint turns by 2 sin(θ/2) where a hinge turns by θ: both of second order, and not the same.
    let apart = [0.01, 0.005, 0.0025].map(|h| {
        let [a, b] = [&one, &other].map(|model| bob(&model.with("run.step", h).expect("a step")));
        (0..3).map(|k| (a[k] - b[k]).abs()).fold(0.0, f64::max)
    });
    println!("{apart:?}");
    assert_second_order(apart);
}

#[test]
fn a_driven_free_body_is_three_slides_and_a_ball() {
    let place = [
        "\"0.3*cos(2*t)\"",
        "\"0.2*t^2\"",
        "{ times = [0, 2], values = [1, 1.4] }",
    ];
    let turn = "rotation = [\"0.5*sin(t)\", \"t\", \"0.4*t^2\"]";
    let free = format!(
        "{{ position = [{}, {}, {}], {turn} }}",
        place[0], place[1], place[2]
    );
    let one = carried(&body("base", "world", "{ kind = \"free\" }", &free, BODY), "base");
    let slide = |axis: &str| format!("{{ kind = \"prismatic\", axis = {axis} }}");
    let row = body("x", "world", &slide("[1, 0, 0]"), place[0], "mass = 0")
        + &body("y", "x", &slide("[0, 1, 0]"), place[1], "mass = 0")
        + &body("z", "y", &slide("[0, 0, 1]"), place[2], "mass = 0")
        + &body(
            "base",
            "z",
            "{ kind = \"spherical\" }",
            &format!("{{ {turn} }}"),
            BODY,
        );
    assert_alike(&one, &carried(&row, "base"), "free");
}

/// r(t), and its angular velocity in the axes that turn with it by differences of order 8, for the equations by hand.
fn vector(t: f64) -> Vec3 {
    Vec3::new(0.9 * (1.3 * t).sin(), 0.7 * t, 0.4 * t * t - 0.2)
}

fn rotation(t: f64) -> nalgebra::Rotation3<f64> {
    nalgebra::Rotation3::from_scaled_axis(vector(t))
}

fn differences<T>(f: impl Fn(f64) -> T, e: f64) -> T
where
    T: std::ops::Sub<Output = T> + std::ops::Add<Output = T> + std::ops::Mul<f64, Output = T>,
{
    let pair = |k: f64| f(k * e) - f(-k * e);
    let sum = pair(1.0) * (4.0 / 5.0) + pair(2.0) * (-1.0 / 5.0);
    (sum + pair(3.0) * (4.0 / 105.0) + pair(4.0) * (-1.0 / 280.0)) * (1.0 / e)
}

fn spin(t: f64) -> Vec3 {
    let rate = differences(|s| rotation(t + s).into_inner(), 0.01);
    let skew = rotation(t).matrix().transpose() * rate;
    Vec3::new(skew[(2, 1)], skew[(0, 2)], skew[(1, 0)])
}

/// `m b'·(Rᵀ r̈) = m b'·(Rᵀ g) − c θ̇`, `b(θ) = a + l (−sin θ, 0, −cos θ)`, on a base that turns with ω.
fn pendulum_on_a_tumbling_base(t_end: f64) -> [f64; 2] {
    let (m, l, c) = (0.7, 0.5, 0.1);
    let a = Vec3::new(0.3, 0.1, 0.2);
    let rate = |t: f64, y: [f64; 2]| {
        let [theta, v] = y;
        let b = a + l * Vec3::new(-theta.sin(), 0.0, -theta.cos());
        let (b1, b2) = (
            l * Vec3::new(-theta.cos(), 0.0, theta.sin()),
            l * Vec3::new(theta.sin(), 0.0, theta.cos()),
        );
        let (w, dw) = (spin(t), differences(|s| spin(t + s), 0.01));
        let g = rotation(t).inverse() * Vec3::new(0.0, 0.0, -9.81);
        let rest = b2 * v * v + 2.0 * w.cross(&b1) * v + dw.cross(&b) + w.cross(&w.cross(&b));
        [v, (b1.dot(&(g - rest)) - c * v / m) / (l * l)]
    };
    let (steps, mut y) = (2000, [0.4, 0.5]);
    let h = t_end / f64::from(steps);
    let add = |y: [f64; 2], k: [f64; 2], h: f64| [y[0] + h * k[0], y[1] + h * k[1]];
    for step in 0..steps {
        let t = f64::from(step) * h;
        let k1 = rate(t, y);
        let k2 = rate(t + 0.5 * h, add(y, k1, 0.5 * h));
        let k3 = rate(t + 0.5 * h, add(y, k2, 0.5 * h));
        let k4 = rate(t + h, add(y, k3, h));
        for k in 0..2 {
            y[k] += h / 6.0 * (k1[k] + 2.0 * k2[k] + 2.0 * k3[k] + k4[k]);
        }
    }
    y
}

const TUMBLE: &str = r#"{ rotation = ["0.9*sin(1.3*t)", "0.7*t", "0.4*t^2 - 0.2"] }"#;

#[test]
fn a_pendulum_on_a_base_that_tumbles_moves_as_its_equations() {
    let base = body("base", "world", "{ kind = \"spherical\" }", TUMBLE, BODY);
    let [theta, _] = pendulum_on_a_tumbling_base(2.0);
    let model = carried(&base, "base");
    let open = |h: f64| {
        let model = model.with("run.step", h).expect("a step");
        let (state, _) = ended(&model);
        let energy = |state: &State| model.mechanism.system().energy(state).total();
        let work: f64 = state.work.iter().sum();
        let (angle, gain) = (state.q[state.q.len() - 1], energy(&state) - energy(&model.state));
        ((angle - theta).abs(), (gain - work).abs(), work)
    };
    let [a, b, c] = [0.01, 0.005, 0.0025].map(open);
    println!("{a:?} {b:?} {c:?}");
    assert_second_order([a.0, b.0, c.0]);
    // Work and gain of energy differ by terms of second order as well.
    assert_second_order([a.1, b.1, c.1]);
    assert!(a.2.abs() > 1.0, "{a:?}");
}

/// The moment that turns a body alone is `I ω̇ + ω × I ω` in its axes, whatever the method.
#[test]
fn what_drives_a_ball_is_its_moment() {
    let inertia = Vec3::new(0.05, 0.06, 0.07);
    let text = format!(
        "space = \"tree\"\n{}\n[method]\nname = \"tree-variational\"\n[run]\nstep = 0.01\nduration = 1\n",
        body(
            "top",
            "world",
            "{ kind = \"spherical\" }",
            TUMBLE,
            "mass = 1\ninertia = [0.05, 0.06, 0.07]"
        )
    );
    let model = load("top", &text, &[]);
    let system = model.mechanism.system();
    let mut measured = holonomy::system::Measurement::default();
    let (mut simulation, mut scratch) = (model.simulation(), system.scratch());
    for _ in 0..100 {
        simulation.step_by(0.01).expect("a step");
        system.measure(&simulation.state, &mut measured, &mut scratch);
        let (w, dw) = (
            spin(simulation.state.t),
            differences(|s| spin(simulation.state.t + s), 0.01),
        );
        let moment = inertia.component_mul(&dw) + w.cross(&inertia.component_mul(&w));
        let found = -Vec3::from_column_slice(&measured.multipliers);
        // The velocity is that of the method: of second order where the drive is not at rest.
        assert!((found - moment).norm() < 2e-4, "{found} {moment}");
    }
    assert_eq!(
        system.layout().multipliers,
        ["x", "y", "z"].map(|axis| format!("top.drive.turn.{axis}"))
    );
}

/// The same motion by quaternions in a table: through its points, and between them as smooth.
#[test]
fn quaternions_in_a_table_lead_through_their_rotations() {
    let times: Vec<f64> = (0..=8).map(|k| 0.25 * f64::from(k)).collect();
    let rotations: Vec<nalgebra::UnitQuaternion<f64>> = (times.iter())
        .map(|t| nalgebra::UnitQuaternion::from_rotation_matrix(&rotation(*t)))
        .collect();
    let each: Vec<String> = rotations
        .iter()
        .map(|q| format!("[{}, {}, {}, {}]", q.w, q.i, q.j, q.k))
        .collect();
    let driven = format!("{{ times = {times:?}, quaternions = [{}] }}", each.join(", "));
    let base = body("base", "world", "{ kind = \"spherical\" }", &driven, BODY);
    let model = carried(&base, "base");
    let mut simulation = model.simulation();
    for step in 1..=200_usize {
        simulation.step_by(0.01).expect("a step");
        if step % 25 == 0 {
            let q = &simulation.state.q[..4];
            let expected = rotations[step / 25];
            let dot = q[0] * expected.w + q[1] * expected.i + q[2] * expected.j + q[3] * expected.k;
            assert!((dot.abs() - 1.0).abs() < 1e-12, "{step}: {dot}");
        }
    }
}

/// One damper for each velocity; on a ball in its own axes: with equal moments each component decays by itself.
#[test]
fn dampers_of_a_ball_and_of_a_free_body_act_on_each_velocity() {
    let text = |kind: &str, damping: &str| {
        format!(
            r#"
            space = "tree"
            [[body]]
            name = "ball"
            joint = {{ kind = "{kind}" }}
            mass = 2.0
            inertia = [0.5, 0.5, 0.5]
            angular_velocity = [1, 2, 3]
            damping = {damping}
            [method]
            name = "tree-variational"
            [run]
            step = 0.002
            duration = 2
            "#
        )
    };
    let spins = |kind: &str, damping: &str, step: &str| {
        let model = load("ball", &text(kind, damping), &[step]);
        let (state, _) = ended(&model);
        let w: Vec<f64> = state.p[state.p.len() - 3..].iter().map(|p| p / 0.5).collect();
        let energy = |state: &State| model.mechanism.system().energy(state).total();
        let open = energy(&state) - energy(&model.state) - state.work.iter().sum::<f64>();
        (w, open)
    };
    for (kind, damping) in [
        ("spherical", "[0.1, 0.2, 0.4]"),
        ("free", "[1, 2, 3, 0.1, 0.2, 0.4]"),
    ] {
        let (coarse, fine) = ("run.step=0.004", "run.step=0.002");
        let (w, open) = spins(kind, damping, fine);
        for ((w, first), c) in w.iter().zip([1.0, 2.0, 3.0]).zip([0.1, 0.2, 0.4_f64]) {
            let expected = first * (-c * 2.0 / 0.5_f64).exp();
            // h² c³/12 I³ and turns of the axes in a step.
            assert!((w - expected).abs() < 1e-5, "{kind}: {w} {expected}");
        }
        // The energy that is lost is the work, to second order.
        let ratio = spins(kind, damping, coarse).1 / open;
        assert!((ratio - 4.0).abs() < 0.4, "{kind}: {open} {ratio}");
    }
    let step = "run.step=0.002";
    let (pair, six) = (
        spins("free", "[7, 0.3]", step),
        spins("free", "[7, 7, 7, 0.3, 0.3, 0.3]", step),
    );
    assert_eq!(pair.0, six.0);
}

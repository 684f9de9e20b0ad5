//! `[[drag]]`: against closed forms, and against the same forces by their formulas.
use super::feedback::{assert_second_order, ended};
use crate::common::load;
use holonomy::system::State;
use holonomy_model::Model;

fn model(step: f64, parts: &str) -> Model {
    let text = format!(
        r#"
        space = "tree"
        {parts}
        method = {{ name = "tree-variational" }}
        run = {{ step = {step}, duration = 3.0 }}
        "#
    );
    load("drag", &text, &[])
}

fn apart(a: &State, b: &State) -> f64 {
    let differences = a.q.iter().zip(&b.q).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, f64::max)
}

/// `v = √(mg/k) tanh(t √(gk/m))`, and its integral `(m/k) ln cosh(t √(gk/m))`. It starts at rest, where a speed has no
/// derivative.
#[test]
fn what_falls_through_air_nears_its_last_speed() {
    let (m, k, g, t) = (2.0_f64, 0.5, 9.81, 3.0);
    let rate = (g * k / m).sqrt();
    let (speed, way) = (
        (m * g / k).sqrt() * (t * rate).tanh(),
        m / k * (t * rate).cosh().ln(),
    );
    let (mut places, mut speeds) = (Vec::new(), Vec::new());
    for step in [0.1, 0.05, 0.025] {
        let model = model(
            step,
            r#"
            gravity = [0, 0, -9.81]
            body = [{ name = "ball", joint = { kind = "free" }, mass = 2.0, centre = [0.1, 0, 0.2],
                      inertia = [0.1, 0.2, 0.15], angular_velocity = [0, 0, 0] }]
            drag = [{ body = "ball", coefficient = 0.5 }]
            "#,
        );
        assert_eq!(model.mechanism.system().layout().conserved.sources, ["drag ball"]);
        let (state, _) = ended(&model);
        places.push((state.q[2] + way).abs());
        // It does not turn.
        let kinetic = model.mechanism.system().energy(&state).kinetic;
        speeds.push(((2.0 * kinetic / m).sqrt() - speed).abs());
    }
    println!("falls: {places:?} m, {speeds:?} m/s");
    assert_second_order(places.try_into().unwrap());
    assert_second_order(speeds.try_into().unwrap());
}

/// Without weight what was at rest is carried along: `v = w (1 − 1/(1 + k |w| t/m))`.
#[test]
fn wind_carries_what_floats() {
    let (m, k, t, wind) = (0.4_f64, 0.2, 3.0, [2.0, -1.0, 2.0]);
    let pace = k * 3.0 / m;
    let way = t - (1.0 + pace * t).ln() / pace;
    let errors = [0.05, 0.025, 0.0125].map(|step| {
        let model = model(
            step,
            r#"
            body = [{ name = "seed", joint = { kind = "free" }, mass = 0.4, inertia = [0.1, 0.2, 0.15] }]
            drag = [{ body = "seed", coefficient = "0.2 N s^2/m^2", wind = [2, -1, "2 + 0*t"] }]
            "#,
        );
        let (state, _) = ended(&model);
        let off = |axis: usize| (state.q[axis] - wind[axis] * way).abs();
        (0..3).map(off).fold(0.0, f64::max)
    });
    println!("floats: {errors:?} m");
    assert_second_order(errors);
}

/// At a point off the centre of a body that swings and turns, in gusts: the force that a formula writes.
#[test]
fn drag_is_the_force_that_its_formula_writes() {
    let tumbling = |force: &str| {
        let body = r#"
            gravity = [0, 0, -9.81]
            body = [{ name = "sign", joint = { kind = "spherical" }, mass = 1.0, shape = "box", size = [0.1, 0.5, 1],
                      centre = [0, 0, -0.5], angular_velocity = [0.3, 1, 2], sites = { a = [0.2, 0.1, -1] } }]
            "#;
        ended(&model(0.01, &format!("{body}{force}"))).0
    };
    let written = tumbling(
        r#"definitions = { u = "a' - [3, sin(t), 0]", k = "0.3*norm(u)" }
           force = [{ site = "a", force = ["-k*u.x", "-k*u.y", "-k*u.z"] }]"#,
    );
    let given = tumbling(
        r#"drag = [{ body = "sign", at = [0.2, 0.1, -1], coefficient = 0.3, wind = [3, "sin(t)", 0] }]"#,
    );
    let still = tumbling("");
    let distance = apart(&written, &given);
    println!("{distance:e}; {:e} without", apart(&given, &still));
    // The same equations, each step solved to rounding, 300 steps of a motion that is not chaotic.
    assert!(distance < 1e-9, "{distance:e}");
    assert!(apart(&given, &still) > 0.1);
}

/// A cable shares its coefficient among its segments, and is one source; its work is what the energy gains.
#[test]
fn drag_on_a_cable_is_drag_on_each_of_its_segments() {
    let cable = r#"
        gravity = [0, 0, -9.81]
        site = [{ name = "hook", at = [0, 0, 0] }]
        cable = [{ name = "rope", from = "hook", segments = 4, length = 2.0, mass = 0.4, direction = [1, 0, 0] }]
        "#;
    let drags = |each: &str| format!("{cable}drag = [{each}]");
    let whole = drags(r#"{ cable = "rope", coefficient = 0.2, wind = [0, 4, 0] }"#);
    let each = (1..=4).map(|k| format!(r#"{{ body = "rope-{k}", coefficient = 0.05, wind = [0, 4, 0] }}"#));
    let each = drags(&each.collect::<Vec<_>>().join(", "));
    let (whole, each) = ([0.01, 0.005].map(|h| model(h, &whole)), model(0.01, &each));
    let sources = |model: &Model| model.mechanism.system().layout().conserved.sources.clone();
    assert_eq!(sources(&whole[0]), ["drag rope"]);
    assert_eq!(sources(&each).len(), 4);
    let open = whole.each_ref().map(|model| {
        let energy = |state: &State| model.mechanism.system().energy(state).total();
        let end = ended(model).0;
        energy(&end) - energy(&model.state) - end.work[0]
    });
    let (one, four) = (ended(&whole[0]).0, ended(&each).0);
    assert_eq!(one.q, four.q);
    let sum: f64 = four.work.iter().sum();
    println!("{} J and {sum} J; open {open:?} J", one.work[0]);
    // Sums of 1200 numbers in another order.
    assert!(
        (one.work[0] - sum).abs() < 1e-12 * sum.abs(),
        "{} {sum}",
        one.work[0]
    );
    assert!((open[0] / open[1] - 4.0).abs() < 0.4, "{open:?}");
}

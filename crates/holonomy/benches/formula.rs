//! What a formula costs, beside the same written by hand. `cargo bench --package holonomy --bench formula`
//!
//! ```text
//! by_hand, by_formula            L of the double plane pendulum with its gradient and all second derivatives
//! spring, spring_by_formula      the gradient of a spring as a potential
//! ```
//! Fails, unless run with `--test`, if the formula of the pendulum takes more than three times as long as what is written
//! by hand.
#![expect(clippy::print_stdout, reason = "the ratio is what is measured")]
use divan::{Bencher, black_box};
use holonomy::{
    Vec3,
    formula::{Expressions, Formula, Kind, Program, Scope},
    potential::{FormulaPotential, Potential, Spring},
};
use holonomy_model::{self as model, Source};
use std::time::Instant;

const PENDULUM: &str = "0.5*(m1 + m2)*l1^2*a'^2 + 0.5*m2*l2^2*b'^2 + m2*l1*l2*a'*b'*cos(a - b) \
    + (m1 + m2)*g*l1*cos(a) + m2*g*l2*cos(b)";
const PARAMETERS: [(&str, f64); 5] = [("m1", 1.2), ("m2", 0.7), ("l1", 0.9), ("l2", 1.1), ("g", 9.81)];
const X: [f64; 4] = [0.7, -0.4, 1.3, 0.8];
/// L, its gradient by (a, b, a', b'), and the blocks vv, vq, qq of its second derivatives.
const OUTPUTS: usize = 1 + 4 + 12;

fn main() {
    let program = program();
    let mut workspace = program.workspace();
    let (mut written, mut computed) = ([0.0; OUTPUTS], [0.0; OUTPUTS]);
    by_hand_into(&X, &mut written);
    program
        .evaluate(&X, &mut workspace, &mut computed)
        .expect("finite");
    for (written, computed) in written.iter().zip(&computed) {
        assert!(
            (written - computed).abs() <= 1e-14 * written.abs().max(1.0),
            "{written} {computed}"
        );
    }
    // Best of several turns: what else the machine does only adds.
    let (mut hand, mut formula) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..50 {
        hand = hand.min(seconds(|x| by_hand_into(x, &mut written)));
        formula = formula.min(seconds(|x| {
            program
                .evaluate(x, &mut workspace, &mut computed)
                .expect("finite");
        }));
    }
    let ratio = formula / hand;
    println!(
        "double plane pendulum, {} instructions: by hand {:.1} ns, by formula {:.1} ns, ratio {ratio:.2}",
        program.length(),
        hand * 1e9,
        formula * 1e9,
    );
    compare_steps();
    // The gate only runs it: a busy machine must not fail a commit.
    let judged = !std::env::args().any(|argument| argument == "--test");
    assert!(
        !judged || ratio <= MOST,
        "a formula may take {MOST} times as long, not {ratio:.2}"
    );
    divan::main();
}

/// How much longer a formula may take.
const MOST: f64 = 3.0;

/// Whole steps, which do more than evaluate potentials.
fn compare_steps() {
    const WRITTEN: &str = r#"
        { kind = "spring", between = ["a", "b"], stiffness = 3, rest_length = 0.4 },
        { kind = "gravity", acceleration = [0, 0, 9.81] }"#;
    const TYPED: &str = r#"{ kind = "formula", energy = "1.5*(norm(a - b) - 0.4)^2 - 9.81*(a.z + 2*b.z)" }"#;
    for method in ["sphere-explicit", "sphere-implicit", "rk4"] {
        let [written, typed] = [WRITTEN, TYPED].map(|potentials| {
            let text = format!(
                r#"body = [{{ name = "a", mass = 1, direction = [0.6, 0, 0.8] }},
                    {{ name = "b", mass = 2, direction = [0, 0.6, 0.8], pivot = [0.3, 0, 0] }}]
                potential = [{potentials}]
                method = {{ name = "{method}" }}
                run = {{ step = 0.01, steps = 1 }}"#
            );
            let model = model::load(&Source::new("bench", text)).expect("a model");
            let (mut integrator, mut state) = (model.integrator(), model.state.clone());
            let turns = (0..20).map(|_| {
                seconds(|_| {
                    integrator.attempt(&mut state, 0.01).expect("a step");
                })
            });
            turns.fold(f64::INFINITY, f64::min)
        });
        println!(
            "{method} with spring and gravity: as kinds {:.0} ns, as a formula {:.0} ns, ratio {:.2}",
            written * 1e9,
            typed * 1e9,
            typed / written
        );
    }
}

fn written_spring() -> Box<dyn Potential> {
    Box::new(Spring {
        between: [0, 1],
        stiffness: 3.0,
        length: 0.4,
    })
}

fn typed_spring() -> Box<dyn Potential> {
    let mut scope = Scope::new();
    scope.variable("a", Kind::Vector, 0).expect("a name");
    scope.variable("b", Kind::Vector, 3).expect("a name");
    let formula = Formula::parse("1.5*(norm(a - b) - 0.4)^2", &scope).expect("a formula");
    Box::new(FormulaPotential::new(&formula, |vector| vector))
}

fn seconds(mut each: impl FnMut(&[f64; 4])) -> f64 {
    let turns = 20_000;
    let start = Instant::now();
    for k in 0..turns {
        let mut x = X;
        x[0] += f64::from(k) * 1e-5;
        each(black_box(&x));
    }
    start.elapsed().as_secs_f64() / f64::from(turns)
}

#[divan::bench]
fn by_hand(bencher: Bencher<'_, '_>) {
    let mut out = [0.0; OUTPUTS];
    bencher.bench_local(|| by_hand_into(black_box(&X), black_box(&mut out)));
}

#[divan::bench]
fn by_formula(bencher: Bencher<'_, '_>) {
    let program = program();
    let mut workspace = program.workspace();
    let mut out = [0.0; OUTPUTS];
    bencher.bench_local(|| program.evaluate(black_box(&X), &mut workspace, black_box(&mut out)));
}

#[divan::bench]
fn spring(bencher: Bencher<'_, '_>) {
    bench_potential(bencher, &*written_spring());
}

#[divan::bench]
fn spring_by_formula(bencher: Bencher<'_, '_>) {
    bench_potential(bencher, &*typed_spring());
}

fn bench_potential(bencher: Bencher<'_, '_>, potential: &dyn Potential) {
    let points = [Vec3::new(0.3, -0.8, 0.5), Vec3::new(0.9, 0.1, 0.2)];
    let mut gradient = [Vec3::zeros(); 2];
    bencher.bench_local(|| potential.add_gradient(black_box(&points), black_box(&mut gradient)));
}

#[divan::bench]
fn parse_and_differentiate() -> Program {
    program()
}

fn program() -> Program {
    let mut scope = Scope::new();
    scope.coordinate("a", Kind::Scalar, 0, 2).expect("a name");
    scope.coordinate("b", Kind::Scalar, 1, 3).expect("a name");
    for (name, value) in PARAMETERS {
        scope.parameter(name, value).expect("a name");
    }
    let formula = Formula::parse(PENDULUM, &scope).expect("a formula");
    let mut expressions = Expressions::new();
    let value = expressions.scalar(&formula);
    let mut outputs = vec![value];
    outputs.extend(expressions.gradient(value, &[0, 1, 2, 3]));
    let hessian = expressions.hessian(value, &[0, 1, 2, 3]);
    for (i, j) in [(2, 2), (2, 0), (0, 0)] {
        for (k, l) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            outputs.push(hessian[4 * (i + k) + j + l]);
        }
    }
    expressions.compile(&outputs)
}

#[inline(never)]
fn by_hand_into(x: &[f64; 4], out: &mut [f64; OUTPUTS]) {
    let [(_, m1), (_, m2), (_, l1), (_, l2), (_, g)] = black_box(PARAMETERS);
    let [a, b, u, v] = *x;
    let (sin_a, cos_a) = a.sin_cos();
    let (sin_b, cos_b) = b.sin_cos();
    let (sin, cos) = (a - b).sin_cos();
    let (aa, bb, ab) = ((m1 + m2) * l1 * l1, m2 * l2 * l2, m2 * l1 * l2);
    let (fall_a, fall_b) = ((m1 + m2) * g * l1, m2 * g * l2);
    let (ab_cos, ab_sin) = (ab * cos, ab * sin);
    let (swing_cos, swing_sin) = (u * v * ab_cos, u * v * ab_sin);
    *out = [
        0.5 * aa * u * u + 0.5 * bb * v * v + swing_cos + fall_a * cos_a + fall_b * cos_b,
        -swing_sin - fall_a * sin_a,
        swing_sin - fall_b * sin_b,
        aa * u + ab_cos * v,
        bb * v + ab_cos * u,
        aa,
        ab_cos,
        ab_cos,
        bb,
        -ab_sin * v,
        ab_sin * v,
        -ab_sin * u,
        ab_sin * u,
        -swing_cos - fall_a * cos_a,
        swing_cos,
        swing_cos,
        -swing_cos - fall_b * cos_b,
    ];
}

//! What `docs/errata.md` says of the four documents: printed and right formulas, both evaluated.
//!
//! Errata that other tests show by reproducing a published number are named there. These are the rest.
use crate::common;
use holonomy::{
    Vec3,
    geometry::{Pose, se3, so3},
    integrator::catalog::Options,
    spheres::{Body, Links, SpheresParts, view},
    system::Measurement,
};
use nalgebra::{Matrix2, Matrix3, Matrix4, Matrix6, Vector3};

/// Zenkov–Leok–Bloch: the Hamel integrator.
mod hamel;
/// Beckman's notebook: the notebook's schemes.
mod notebook;

#[test]
fn every_test_that_the_page_names_exists() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("../../docs/errata.md")).unwrap();
    let named = page.split('`').skip(1).step_by(2).filter(|span| {
        span.contains("::")
            && span
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_:".contains(c))
            && !span.ends_with(':')
    });
    let mut count = 0;
    for path in named {
        let (module, function) = path.rsplit_once("::").unwrap();
        let file = format!("tests/it/{}.rs", module.replace("::", "/"));
        // Of the engine, or of its models.
        let mut texts = ["", "../holonomy-model/"]
            .map(|place| root.join(place).join(&file))
            .into_iter();
        let text = texts.find_map(|file| std::fs::read_to_string(file).ok());
        let text = text.unwrap_or_else(|| panic!("`{path}`: there is no {file}"));
        let before = text
            .split_once(&format!("\nfn {function}()"))
            .map(|(before, _)| before);
        // Attributes may stand between.
        let mut above = before
            .unwrap_or_default()
            .lines()
            .rev()
            .take_while(|line| line.starts_with("#["));
        assert!(above.any(|line| line == "#[test]"), "there is no test `{path}`");
        count += 1;
    }
    assert!(count > 40, "{count}");
}

/// `dx/dt` by differences of order 4, good to about 1e-10 here.
fn slope(x: impl Fn(f64) -> Vec3, t: f64) -> Vec3 {
    let h = 1e-3;
    ((x(t + h) - x(t - h)) * 8.0 - (x(t + 2.0 * h) - x(t - 2.0 * h))) / (12.0 * h)
}

/// Two paths on the sphere, and a variation of each.
fn path(i: usize, t: f64) -> Vec3 {
    let (a, b) = if i == 0 {
        (0.7 + 0.9 * t, t * t)
    } else {
        (1.9 - t * t, 0.3 - 0.8 * t)
    };
    Vec3::new(a.sin() * b.cos(), a.sin() * b.sin(), a.cos())
}

fn variation(i: usize, t: f64) -> Vec3 {
    let s = i as f64;
    Vec3::new(0.4 + t, s - t * t, 0.5 - s * t)
}

#[test]
fn document_001_boundary_term_is_the_momentum_not_its_derivative() {
    // δ∫T dt = −∫ Σ ξᵢ·(qᵢ × Mᵢⱼq̈ⱼ) dt + Σ ξᵢ·(qᵢ × Mᵢⱼq̇ⱼ)|; printed is the last with q̈ in the place of q̇.
    let m = Matrix2::new(1.5, 0.4, 0.4, 2.0);
    let moved = |i: usize, t: f64, e: f64| {
        let turn = nalgebra::Rotation3::new(variation(i, t) * e);
        turn * path(i, t)
    };
    // Simpson's rule, 200 intervals.
    let integral = |f: &dyn Fn(f64) -> f64| {
        let n = 200;
        (0..=n)
            .map(|k| {
                let weight = [2.0, 4.0][k % 2] - f64::from(k == 0 || k == n);
                weight * f(k as f64 / n as f64) / (3.0 * n as f64)
            })
            .sum::<f64>()
    };
    let action = |e: f64| {
        integral(&|t| {
            let v = [0, 1].map(|i| slope(|t| moved(i, t, e), t));
            (0..4).map(|k| 0.5 * m[k] * v[k / 2].dot(&v[k % 2])).sum()
        })
    };
    let e = 1e-2;
    let first = ((action(e) - action(-e)) * 8.0 - (action(2.0 * e) - action(-2.0 * e))) / (12.0 * e);
    let velocity = |i: usize, t: f64| slope(|t| path(i, t), t);
    let acceleration = |i: usize, t: f64| slope(|t| velocity(i, t), t);
    let pairing = |t: f64, x: &dyn Fn(usize, f64) -> Vec3| -> f64 {
        let term = |k: usize| m[k] * variation(k / 2, t).dot(&path(k / 2, t).cross(&x(k % 2, t)));
        (0..4).map(term).sum()
    };
    let bulk = -integral(&|t| pairing(t, &acceleration));
    let right = pairing(1.0, &velocity) - pairing(0.0, &velocity);
    let printed = pairing(1.0, &acceleration) - pairing(0.0, &acceleration);
    // Differences of order 4 in e = 0.01.
    assert!((first - bulk - right).abs() < 1e-6, "{first} {bulk} {right}");
    assert!((first - bulk - printed).abs() > 0.1, "{printed}");
}

#[test]
fn document_001_determinant_after_2_11() {
    let m = Matrix2::new(1.5, 0.4, 0.4, 2.0);
    let q = [path(0, 0.3), path(1, 0.3)];
    let mut matrix = Matrix6::zeros();
    for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let block = if i == j {
            Matrix3::identity() * m[(i, i)]
        } else {
            -so3::hat(&q[i]) * so3::hat(&q[j]) * m[(i, j)]
        };
        matrix.fixed_view_mut::<3, 3>(3 * i, 3 * j).copy_from(&block);
    }
    let (product, square) = (m[0] * m[3], m[1] * m[2]);
    let cosine = q[0].dot(&q[1]);
    let factors = (product - square * cosine * cosine) * (product - square);
    let found = matrix.determinant();
    assert!((found / (product * factors) - 1.0).abs() < 1e-13, "{found}");
    // The printed prefactor is M₁₁²M₂₂²: too large by M₁₁M₂₂ = 3.
    assert!((product * product * factors / found - 3.0).abs() < 1e-12);
}

#[test]
fn document_001_discrete_equations_3_6_3_8_3_13() {
    // Two bodies with a full inertia matrix, two steps.
    let p = common::dense();
    let h = 0.05;
    let m = Matrix2::new(1.5, 0.4, 0.4, 2.0);
    let gradient = [Vec3::z() * -9.81, Vec3::z() * (-9.81 * 1.6)];
    let method = common::method("sphere-implicit");
    let states = [0, 1, 2].map(|steps| p.final_state(method, &Options::default(), h, steps).unwrap());
    let q = |k: usize, i: usize| view(&states[k].q)[i];
    for i in [0, 1] {
        let j = 1 - i;
        let here = q(1, i);
        let left = here.cross(&q(2, i)) * m[(i, i)] + here.cross(&(q(2, j) - q(1, j))) * m[(i, j)];
        let past = (q(1, i) - q(0, i)) * m[(i, i)] + (q(1, j) - q(0, j)) * m[(i, j)];
        let right = here.cross(&past) - here.cross(&gradient[i]) * (h * h);
        // (3.6) holds, and neither side is the zero at its end.
        assert!(
            (left - right).amax() < 1e-14 && left.amax() > 1e-3,
            "{left:?} {right:?}"
        );

        // The momentum of section 3.2 is the bracket crossed with qᵢ, not with qⱼ.
        let ahead = (q(2, i) - q(1, i)) * m[(i, i)] + (q(2, j) - q(1, j)) * m[(i, j)];
        let bracket = ahead / h + gradient[i] * (0.5 * h);
        let stored = view(&states[1].p)[i];
        assert!((here.cross(&bracket) - stored).amax() < 1e-13);
        assert!((q(1, j).cross(&bracket) - stored).amax() > 0.1);
    }
    // (3.13), row 1: M₁₁ω₁ − M₁₂ q̂₁q̂₂ω₂ = π₁ with both directions at the end of the step.
    let system = p.mechanism.system();
    let mut measured = Measurement::default();
    system.measure(&states[1], &mut measured, &mut system.scratch());
    let omega = view(&measured.velocity);
    let row = |first: Vec3| omega[0] * m[0] - first.cross(&q(1, 1).cross(&omega[1])) * m[1];
    let stored = view(&states[1].p)[0];
    assert!((row(q(1, 0)) - stored).amax() < 1e-13);
    assert!((row(q(0, 0)) - stored).amax() > 1e-3);
}

#[test]
fn document_001_inertia_of_example_4_is_not_that_of_rods() {
    // Kinetic energy of rods from the velocities of their ends, against ½ Σ Mᵢⱼ q̇ᵢ·q̇ⱼ.
    let n = 10;
    let chain = SpheresParts::chain((0..n).map(|_| Body::rod("", 1.0, 1.0)));
    let links = Links::new(&chain.bodies).unwrap_or_else(|e| panic!("{e}"));
    let v: Vec<Vec3> = (0..n).map(|i| variation(i % 3, 0.1 * i as f64)).collect();
    let (mut start, mut direct) = (Vec3::zeros(), 0.0);
    for v in &v {
        let end = start + v;
        direct += (start.norm_squared() + start.dot(&end) + end.norm_squared()) / 6.0;
        start = end;
    }
    let energy = |entry: &dyn Fn(usize, usize) -> f64| -> f64 {
        let term = |k: usize| 0.5 * entry(k / n, k % n) * v[k / n].dot(&v[k % n]);
        (0..n * n).map(term).sum()
    };
    // In units of m l² of one rod; bodies are counted from 1 in the document.
    let beyond = |i: usize, j: usize| (n - 1 - i.max(j)) as f64;
    let right = |i: usize, j: usize| beyond(i, j) + if i == j { 1.0 / 3.0 } else { 0.5 };
    let printed = |i: usize, j: usize| {
        if i == j {
            right(i, i)
        } else {
            0.5 * (beyond(i, j) + 1.0)
        }
    };
    assert!((energy(&right) / direct - 1.0).abs() < 1e-13);
    assert!((energy(&|i, j| links.entry(i, j)) / direct - 1.0).abs() < 1e-13);
    assert!((energy(&printed) / direct - 1.0).abs() > 0.1);
    // The two agree where the larger index is the last.
    assert!((0..n - 1).all(|i| printed(i, n - 1) == right(i, n - 1)));
}

#[test]
fn document_001_bending_energy_has_no_stiffness_at_small_angles() {
    let quartic = |angle: f64| 0.5 * (1.0 - angle.cos()).powi(2);
    let cosine = |angle: f64| 1.0 - angle.cos();
    let curvature = |v: &dyn Fn(f64) -> f64, a: f64| (v(a) - 2.0 * v(0.0) + v(-a)) / (a * a);
    // V''(0) by differences: κ for κ(1 − cos θ), and a²/4 → 0 for the printed law.
    assert!((curvature(&cosine, 1e-3) - 1.0).abs() < 1e-6);
    assert!((curvature(&quartic, 1e-2) - 0.25e-4).abs() < 1e-8);
}

#[test]
fn document_001_printed_vectors_are_rounded() {
    let (q, omega) = (Vec3::new(0.8660, 0.0, 0.5), Vec3::new(-0.4330, 0.0, 0.75));
    assert!((1.0 - q.norm_squared() - 4.4e-5).abs() < 1e-6 && (q.dot(&omega)).abs() > 2e-5);
    let root = 3_f64.sqrt();
    let (q, omega) = (Vec3::new(root / 2.0, 0.0, 0.5), Vec3::new(-root / 4.0, 0.0, 0.75));
    assert!((1.0 - q.norm_squared()).abs() < 1e-15 && q.dot(&omega).abs() < 1e-15);
}

#[test]
fn document_003_indices_of_the_discrete_equations() {
    // (6) is D₂Lᵈ(θ₋, θ) + D₁Lᵈ(θ, θ₊) = 0, not the other way round; θ is from the downward vertical.
    let (h, g) = (0.01, 9.81);
    let first = |a: f64, b: f64| -(b - a) / h - 0.5 * h * g * a.sin();
    let second = |a: f64, b: f64| (b - a) / h - 0.5 * h * g * b.sin();
    let (before, here) = (0.5_f64, 0.51_f64);
    let after = 2.0 * here - before - h * h * g * here.sin();
    assert!((second(before, here) + first(here, after)).abs() < 1e-13);
    assert!((first(before, here) + second(here, after)).abs() > 0.09);
    // The same position from the mechanism: one explicit step of the trapezoidal rule.
    let model = common::scenario(
        "plane-pendulum",
        &["run.duration=", "run.steps=2", "method.name=trapezoid"],
    );
    let mut simulation = model.simulation();
    let mut path = vec![simulation.state.q[0]];
    for _ in 0..2 {
        simulation.step_by(h).unwrap();
        path.push(simulation.state.q[0]);
    }
    let expected = 2.0 * path[1] - path[0] - h * h * g * path[1].sin();
    assert!((path[2] - expected).abs() < 1e-15);
}

/// The matrix of a twist (v, ω) in homogeneous coordinates.
fn hat(twist: &[f64; 6], rotation_first: bool) -> Matrix4<f64> {
    let (v, w) = (
        Vec3::new(twist[0], twist[1], twist[2]),
        Vec3::new(twist[3], twist[4], twist[5]),
    );
    let (v, w) = if rotation_first { (w, v) } else { (v, w) };
    let mut out = Matrix4::zeros();
    out.fixed_view_mut::<3, 3>(0, 0).copy_from(&so3::hat(&w));
    out.fixed_view_mut::<3, 1>(0, 3).copy_from(&v);
    out
}

#[test]
fn document_003_twists_put_the_velocity_first() {
    // A hinge about z through (1, 0, 0): ξ = (−ω × r, ω) in the document's order (T, R).
    let (axis, through) = (Vec3::z(), Vec3::x());
    let v = -axis.cross(&through);
    let twist = [v.x, v.y, v.z, axis.x, axis.y, axis.z];
    let point = Vec3::new(1.0, 0.0, 5.0).push(1.0);
    let moved = |first: bool| ((hat(&twist, first) * 0.7).exp() * point - point).norm();
    // What lies on the axis of a hinge stays there.
    assert!(moved(false) < 1e-15);
    assert!(moved(true) > 0.5);
}

#[test]
fn document_003_columns_of_the_body_jacobian() {
    // Two hinges in space. Column i is Ad⁻¹ of everything from joint i outward, applied to ξᵢ.
    let screw = |axis: Vec3, through: Vec3, q: f64| {
        Pose::translation(through) * Pose::turn(axis, q) * Pose::translation(-through)
    };
    let axes = [Vector3::new(0.0, 0.6, 0.8), Vec3::x()];
    let points = [Vec3::zeros(), Vec3::new(0.3, 0.0, 1.0)];
    let rest = Pose::translation(Vec3::new(0.1, 0.2, 2.0));
    let twists = [0, 1].map(|i| se3::join(&-axes[i].cross(&points[i]), &axes[i]));
    let at = |q: [f64; 2]| screw(axes[0], points[0], q[0]) * screw(axes[1], points[1], q[1]) * rest;
    let q = [0.4, -0.9];
    let outward = [at(q), screw(axes[1], points[1], q[1]) * rest];
    for i in [0, 1] {
        let h = 1e-5;
        let (mut more, mut less) = (q, q);
        more[i] += h;
        less[i] -= h;
        // Body twist of a motion: the change seen from the body.
        let change = at(less).inverse() * at(more);
        let turn = change.rotation.scaled_axis() / (2.0 * h);
        let seen = se3::join(&(change.translation / (2.0 * h)), &turn);
        let right = outward[i].inverse().twist(&twists[i]);
        let printed = outward[i].twist(&twists[i]);
        // The difference is of order h.
        assert!((seen - right).amax() < 3e-5, "{seen} {right}");
        assert!((seen - printed).amax() > 0.5);
    }
}

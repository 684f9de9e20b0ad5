//! Zenkov–Leok–Bloch, in its own variables: Ω and Γ seen from the body, m r² = 1, g/r = 1.
use holonomy::{Vec3, geometry::so3};
use nalgebra::Matrix3;

const START: Vec3 = Vec3::new(0.3, 0.2, -0.932_738);

fn torque(up: &Vec3) -> Vec3 {
    Vec3::new(up.y, -up.x, 0.0)
}

fn energy((omega, up): (Vec3, Vec3)) -> f64 {
    0.5 * omega.norm_squared() + up.z
}

/// A step of (22)–(24) by iteration to a fixed point; `weight` of the torque at the end, ½ in (22) and (23).
fn step((omega, up): (Vec3, Vec3), h: f64, weight: f64, tolerance: f64) -> (Vec3, Vec3) {
    let (mut next_omega, mut next_up) = (omega, up);
    for _ in 0..200 {
        let turned = omega + (torque(&up) * (1.0 - weight) + torque(&next_up) * weight) * h;
        let moved = up + (up + next_up).cross(&(omega + turned)) * (0.25 * h);
        let change = (turned - next_omega).amax().max((moved - next_up).amax());
        (next_omega, next_up) = (turned, moved);
        if change <= tolerance {
            break;
        }
    }
    (next_omega, next_up)
}

#[test]
fn torque_of_20_is_the_mean_of_both_ends() {
    let start = (Vec3::x() * 0.6, START);
    let change = |weight: f64| {
        let end = (0..100).fold(start, |state, _| step(state, 0.2, weight, 1e-16));
        (energy(end) - energy(start)).abs()
    };
    // The mean keeps the energy to the rounding of a hundred steps; either end alone does not.
    assert!(change(0.5) < 1e-14, "{:e}", change(0.5));
    assert!(change(0.0) > 1e-2 && change(1.0) > 1e-2);
}

#[test]
fn cayley_form_has_the_other_sign_and_exists_for_every_step() {
    let h = 0.2;
    let start = (Vec3::x() * 0.6, START);
    let (omega, up) = step(start, h, 0.5, 1e-16);
    let matrix = so3::hat(&(omega + start.0)) * (-0.25 * h);
    let turned = |a: Matrix3<f64>| {
        let inverse = (Matrix3::identity() - a).try_inverse().unwrap();
        inverse * (Matrix3::identity() + a) * START
    };
    assert!((turned(matrix) - up).amax() < 1e-15);
    assert!((turned(-matrix) - up).amax() > 0.1);
    // det(I − A) = 1 + |a|², never zero: the footnote's bound on h is not needed.
    for size in [1.0, 10.0, 1e4] {
        let a = Vec3::new(0.6, -0.3, 0.2) * size;
        let found = (Matrix3::identity() - so3::hat(&a)).determinant();
        assert!((found / (1.0 + a.norm_squared()) - 1.0).abs() < 1e-12);
    }
}

#[test]
fn variations_of_quasi_velocities_of_8() {
    // ∂ξᵏ/∂s = ∂ηᵏ/∂t + cᵢⱼᵏ ξⁱηʲ for q̇ = ξⁱuᵢ, ∂q/∂s = ηⁱuᵢ; u₁ = (1, x), u₂ = (0, g), so c₁₂² = g'/g.
    let g = |x: f64| 1.0 + 0.3 * x.sin();
    let path = |t: f64, s: f64| [t + s * t * t, s - t * t + 0.5 * s * t];
    let slope = |f: &dyn Fn(f64) -> [f64; 2], at: f64| {
        let h = 1e-4;
        [0, 1].map(|i| (f(at + h)[i] - f(at - h)[i]) / (2.0 * h))
    };
    let components = |q: [f64; 2], v: [f64; 2]| [v[0], (v[1] - q[0] * v[0]) / g(q[0])];
    let xi = |t: f64, s: f64| components(path(t, s), slope(&|t| path(t, s), t));
    let eta = |t: f64, s: f64| components(path(t, s), slope(&|s| path(t, s), s));
    let (t, s) = (0.8, 0.4);
    let varied = slope(&|s| xi(t, s), s);
    let (rate, value) = (slope(&|t| eta(t, s), t), eta(t, s));
    let x = path(t, s)[0];
    // [u₁, u₂] = u₁[u₂] − u₂[u₁] = (0, g'): u₂ points along y, and u₁ does not depend on y.
    let c = 0.3 * x.cos() / g(x);
    let bracket = c * (xi(t, s)[0] * value[1] - xi(t, s)[1] * value[0]);
    // Differences of order 2 taken twice, step 1e-4.
    assert!((varied[0] - rate[0]).abs() < 1e-6);
    assert!(
        (varied[1] - rate[1] - bracket).abs() < 1e-6,
        "{varied:?} {rate:?} {bracket}"
    );
    // With η in the place of its rate, as in the text, it does not hold.
    assert!((varied[1] - value[1] - bracket).abs() > 0.1);
}

#[test]
fn equation_26_is_for_unit_length() {
    // On the sphere of radius r, x·ṗ = −|p|²/m must hold: the second derivative of |x|² is zero.
    let (m, g, r) = (1.0, 9.8, 9.8);
    let x = Vec3::new(0.3, 0.2, -0.87_f64.sqrt()) * r;
    let p = Vec3::new(0.0, 0.87_f64.sqrt(), 0.2) * 3.0;
    assert!(x.dot(&p).abs() < 1e-13);
    let strength = m * g * x.z - p.norm_squared() / m;
    let printed = x * strength - Vec3::z() * (m * g);
    let right = x * (strength / (r * r)) - Vec3::z() * (m * g);
    let wanted = -p.norm_squared() / m;
    assert!((x.dot(&right) - wanted).abs() < 1e-12 * wanted.abs());
    assert!((x.dot(&printed) - wanted).abs() > 10.0 * wanted.abs());
}

#[test]
fn first_kick_of_stormer_verlet_is_quadratic() {
    // p½ = p + ½h(f − |p½|²q): its second difference in p½ is not zero, so it is not linear in the unknown.
    let (h, q) = (0.2, Vec3::new(0.6, 0.0, 0.8));
    let residual = |p: Vec3| p + q * (0.5 * h * p.norm_squared());
    let (p, d) = (Vec3::new(0.4, 0.3, -0.3), Vec3::y());
    let second = residual(p + d) - residual(p) * 2.0 + residual(p - d);
    assert!((second - q * h).amax() < 1e-15);
}

#[test]
fn an_iteration_stopped_at_1e_12_explains_the_printed_1e_10() {
    // Zenkov–Leok–Bloch prints 1e-10 for length and energy after 10 000 steps and names rounding as the cause.
    let length = |tolerance: f64| {
        let mut state = (Vec3::x() * 0.6, START);
        let mut worst = 0.0_f64;
        for _ in 0..10_000 {
            state = step(state, 0.2, 0.5, tolerance);
            worst = worst.max((state.1.norm() - START.norm()).abs());
        }
        worst
    };
    let (loose, tight) = (length(1e-12), length(1e-16));
    println!("length after 10⁴ steps: {loose:.1e} with 1e-12, {tight:.1e} with 1e-16");
    assert!((1e-11..1e-9).contains(&loose), "{loose:e}");
    // Rounding alone, 10⁴ steps.
    assert!(tight < 1e-13, "{tight:e}");
}

#[test]
fn printed_start_is_not_a_unit_vector() {
    assert!((START.norm() - 1.0 - 8.83e-8).abs() < 1e-10);
}

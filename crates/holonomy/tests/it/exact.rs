//! Closed forms against tables of 30 digits and more (`references/make_exact.py`), against integration,
//! and against what a motion must satisfy.
use holonomy::{
    Vec3,
    exact::{PlanePendulum, SphericalMotion, SphericalPendulum},
};
use std::{collections::BTreeMap, path::Path};

/// Does integration lead to the same end?
mod engine;
/// Are the special functions exact to rounding?
mod functions;

#[derive(serde::Deserialize)]
struct Tables {
    carlson: BTreeMap<String, Vec<Vec<f64>>>,
    legendre: BTreeMap<String, Vec<Vec<f64>>>,
    plane: Vec<PlaneCase>,
    spherical: Vec<SphericalCase>,
}

#[derive(serde::Deserialize)]
struct PlaneCase {
    gravity: f64,
    angle: f64,
    rate: f64,
    /// t, angle, rate, growth.
    samples: Vec<[f64; 4]>,
}

#[derive(serde::Deserialize)]
struct SphericalCase {
    name: String,
    #[serde(deserialize_with = "vector")]
    gravity: Vec3,
    #[serde(deserialize_with = "vector")]
    direction: Vec3,
    #[serde(deserialize_with = "vector")]
    angular_velocity: Vec3,
    /// t, direction, velocity, growth.
    samples: Vec<[f64; 8]>,
}

fn vector<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec3, D::Error> {
    <[f64; 3] as serde::Deserialize>::deserialize(deserializer).map(Vec3::from)
}

impl SphericalCase {
    fn pendulum(&self) -> SphericalPendulum {
        SphericalPendulum::new(self.gravity, self.direction, self.angular_velocity)
    }

    /// The direction of gravity, if there is any.
    fn down(&self) -> Vec3 {
        let size = self.gravity.amax().max(f64::MIN_POSITIVE);
        (self.gravity / size).try_normalize(0.0).unwrap_or_else(Vec3::z)
    }

    /// The frequency in which the motion's own errors are measured, 1/s.
    fn unit(&self) -> f64 {
        let speed = self.angular_velocity.cross(&self.direction.normalize()).norm();
        let unit = self.gravity.norm().sqrt().max(speed);
        if unit > 0.0 { unit } else { 1.0 }
    }
}

fn tables() -> Tables {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/references/exact.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn relative(value: f64, expected: f64) -> f64 {
    if value == expected {
        0.0
    } else {
        ((value - expected) / expected).abs()
    }
}

#[test]
fn plane_pendulum_agrees_with_its_table() {
    let mut largest: f64 = 0.0;
    let mut plain: f64 = 0.0;
    for case in tables().plane {
        let pendulum = PlanePendulum::new(case.gravity, case.angle, case.rate);
        let unit = case.gravity.abs().sqrt().max(case.rate.abs()).max(1e-300);
        for [t, angle, rate, growth] in case.samples {
            let at = pendulum.at(t);
            let error = (at.angle - angle).abs().max((at.rate - rate).abs() / unit);
            // A rounding error of the start grows, one of the angle is relative to it, and one of the
            // time shifts along the orbit.
            let bound = 4e-16 * (1.0 + growth + angle.abs() + unit * t.abs());
            let (gravity, angle, rate) = (case.gravity, case.angle, case.rate);
            assert!(
                error < bound,
                "γ {gravity} θ {angle} ω {rate} t {t}: {at:?}, {error:e} > {bound:e}"
            );
            largest = largest.max(error / bound);
            if growth < 100.0 && unit * t.abs() < 100.0 {
                plain = plain.max(error / (1.0 + angle.abs()));
            }
        }
    }
    println!("plane pendulum: error {largest:.2} of the bound; {plain:.1e} to t = 47");
    assert!(plain < 1e-13);
}

#[test]
fn plane_pendulum_has_its_period() {
    for (gravity, angle, rate) in [
        (9.81, 1.0, 0.5),
        (9.81, 3.1, 0.0),
        (9.81, 0.3, 9.0),
        (-2.0, 3.0, 0.1),
    ] {
        let pendulum = PlanePendulum::new(gravity, angle, rate);
        let after = pendulum.at(1000.0 * pendulum.period());
        let turns = if pendulum.rotates() {
            1000.0_f64.copysign(rate)
        } else {
            0.0
        };
        assert!(
            (after.angle - angle - turns * std::f64::consts::TAU).abs() < 1e-11,
            "{after:?}"
        );
        assert!((after.rate - rate).abs() < 1e-11, "{after:?}");
    }
    assert_eq!(PlanePendulum::new(1.0, 0.0, 2.0).period(), f64::INFINITY);
    // T = 2π √(l/g) (1 + θ²/16 + …).
    let small = PlanePendulum::new(4.0, 1e-4, 0.0).period();
    assert!(relative(small, std::f64::consts::PI * (1.0 + 1e-8 / 16.0)) < 1e-15);
}

#[test]
fn spherical_pendulum_agrees_with_its_table() {
    let mut largest = (0.0, String::new());
    let mut plain: f64 = 0.0;
    let cases = tables().spherical;
    assert!(cases.len() >= 40);
    for case in &cases {
        let (pendulum, unit) = (case.pendulum(), case.unit());
        for &[t, x, y, z, u, v, w, growth] in &case.samples {
            let at = pendulum.at(t);
            let error = (at.direction - Vec3::new(x, y, z)).amax();
            let error = error.max((at.velocity - Vec3::new(u, v, w)).amax() / unit);
            let bound = 8e-16 * (2.0 + growth + unit * t.abs());
            assert!(
                error < bound,
                "{} at {t}: {at:?}, {error:e} > {bound:e}",
                case.name
            );
            if error / bound > largest.0 {
                largest = (error / bound, format!("{} at {t}", case.name));
            }
            if growth < 100.0 && unit * t.abs() < 100.0 {
                plain = plain.max(error);
            }
        }
    }
    let (ratio, place) = largest;
    println!("spherical pendulum: error {ratio:.2} of the bound, {place}; {plain:.1e} where growth < 100");
    assert!(plain < 1e-13);
}

/// Energy and vertical momentum of a motion, in units of the largest energy and momentum there could be.
fn invariants(case: &SphericalCase, at: &SphericalMotion) -> [f64; 2] {
    let unit = case.unit();
    let energy = 0.5 * at.velocity.norm_squared() - case.gravity.dot(&at.direction);
    [
        energy / (unit * unit),
        case.down().dot(&at.angular_velocity) / unit,
    ]
}

#[test]
fn spherical_pendulum_keeps_energy_and_momentum() {
    let mut largest = [0.0_f64; 2];
    for case in tables().spherical {
        let pendulum = case.pendulum();
        let start = invariants(&case, &pendulum.at(0.0));
        for k in 0..2000 {
            let at = pendulum.at(0.37 * f64::from(k) / case.unit());
            let now = invariants(&case, &at);
            for (worst, (a, b)) in largest.iter_mut().zip(now.into_iter().zip(start)) {
                *worst = worst.max((a - b).abs());
            }
            assert!((at.direction.norm() - 1.0).abs() < 4e-16, "{}", case.name);
            assert!(
                now.iter().zip(start).all(|(a, b)| (a - b).abs() < 1e-14),
                "{} {k}: {now:?} {start:?}",
                case.name
            );
        }
    }
    println!(
        "energy within {:.1e}, momentum within {:.1e}",
        largest[0], largest[1]
    );
}

#[test]
fn invariants_and_flow_hold_from_any_start() {
    // Starts whose components lie many orders of magnitude apart: every degeneracy, nearly.
    let mut seed = 1_u64;
    let mut uniform = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut component = |range: f64| (uniform() - 0.5).signum() * 10.0_f64.powf(-range * uniform());
    let mut largest = [0.0_f64; 3];
    for k in 0..40_000 {
        let range = [0.3, 4.0, 18.0, 100.0][k % 4];
        let mut vector = || Vec3::new(component(range), component(range), component(range));
        let (mut gravity, direction, mut angular_velocity) = (vector(), vector(), vector());
        let q = direction.normalize();
        // A part along q would only add its rounding errors.
        angular_velocity = q.cross(&angular_velocity.cross(&q));
        if k % 3 == 0 {
            gravity = Vec3::z() * gravity.z.abs();
        }
        if k % 7 == 0 {
            // Just as much energy as the highest point needs, to rounding.
            let (v, g) = (angular_velocity.cross(&q).norm(), gravity.norm());
            angular_velocity *= (2.0 * (g + gravity.dot(&q))).max(0.0).sqrt() / v;
        }
        let case = SphericalCase {
            name: format!("{k}"),
            gravity,
            direction,
            angular_velocity,
            samples: vec![],
        };
        let (pendulum, unit) = (case.pendulum(), case.unit());
        let velocity = angular_velocity.cross(&q);
        let start = SphericalMotion {
            direction: q,
            velocity,
            angular_velocity: q.cross(&velocity),
        };
        let expected = invariants(&case, &start);
        for t in [0.0, 0.1, 1.0, 2.0, 3.5, 5.0, 17.0, 80.0] {
            let at = pendulum.at(t / unit);
            let now = invariants(&case, &at);
            // The flow: from here on is the same as from the start on. Errors grow little in this time.
            let again = SphericalPendulum::new(gravity, at.direction, at.angular_velocity).at(0.9 / unit);
            let on = pendulum.at((t + 0.9) / unit);
            let gap = (again.direction - on.direction).norm();
            let gap = gap.max((again.velocity - on.velocity).norm() / unit);
            let errors = [
                (now[0] - expected[0]).abs(),
                (now[1] - expected[1]).abs(),
                gap / (1.0 + t),
            ];
            if t == 0.0 {
                let gap = (at.direction - q)
                    .norm()
                    .max((at.velocity - velocity).norm() / unit);
                assert!(
                    gap < 5e-15,
                    "{gravity:?} {direction:?} {angular_velocity:?}: {gap:e}"
                );
            }
            assert!(
                errors.iter().all(|e| *e < 1e-14),
                "{gravity:?} {direction:?} {angular_velocity:?} {t} {errors:?}"
            );
            largest = std::array::from_fn(|i| largest[i].max(errors[i]));
        }
    }
    println!(
        "energy {:.1e}, momentum {:.1e}, flow {:.1e}",
        largest[0], largest[1], largest[2]
    );
}

#[test]
fn spherical_pendulum_starts_where_it_should() {
    for case in tables().spherical {
        let (at, q) = (case.pendulum().at(0.0), case.direction.normalize());
        let velocity = case.angular_velocity.cross(&q);
        assert!((at.direction - q).norm() < 2e-15, "{}: {at:?}", case.name);
        assert!(
            (at.velocity - velocity).norm() < 4e-15 * case.unit(),
            "{}: {at:?}",
            case.name
        );
    }
}

#[test]
fn spherical_pendulum_moves_by_its_velocity() {
    for case in tables().spherical {
        let (pendulum, step) = (case.pendulum(), 1e-3 / case.unit());
        for k in 0..300 {
            let t = 0.173 * f64::from(k) / case.unit();
            let at = |n: f64| pendulum.at(t + n * step);
            // Central differences of order 8: what is left is rounding, eps/1e-3.
            let weights = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
            let difference = |f: &dyn Fn(SphericalMotion) -> Vec3| {
                let terms = (1..)
                    .zip(weights)
                    .map(|(n, w)| (f(at(f64::from(n))) - f(at(-f64::from(n)))) * w);
                terms.fold(Vec3::zeros(), |a, b| a + b) / step
            };
            let now = at(0.0);
            let tolerance = 3e-12 * case.unit() * (1.0 + case.unit() * t);
            let slope = difference(&|m| m.direction);
            assert!(
                (slope - now.velocity).norm() < tolerance,
                "{} {t}: {slope} {now:?}",
                case.name
            );
            assert!((now.angular_velocity.cross(&now.direction) - now.velocity).norm() < 1e-15 * case.unit());
            // The equation of motion itself.
            let tension = case.gravity.dot(&now.direction) + now.velocity.norm_squared();
            let force = case.gravity - now.direction * tension;
            let slope = difference(&|m| m.velocity);
            assert!(
                (slope - force).norm() < tolerance * case.unit(),
                "{} {t}: {slope} {force}",
                case.name
            );
        }
    }
}

#[test]
fn hamel_example_nutates_and_precesses_as_read() {
    // Γ = Rᵀe_z and Ω in the body frame, the third axis along the pendulum; e_z is up.
    let gamma = Vec3::new(0.3, 0.2, -0.87_f64.sqrt());
    let omega = Vec3::new(0.6, 0.0, 0.0);
    // Seen from the body: gravity along −Γ, the bob at e₃. Angles do not depend on the frame.
    let pendulum = SphericalPendulum::new(-gamma, Vec3::z(), omega);
    println!("{} {}", pendulum.nutation_period(), pendulum.precession());
    assert!((pendulum.nutation_period() - 3.2386312792).abs() < 6e-11);
    assert!((pendulum.precession().abs() - 3.3708162342).abs() < 6e-11);
}

#[test]
fn precession_is_the_azimuth_after_a_nutation() {
    for case in tables().spherical {
        let pendulum = case.pendulum();
        let (period, precession) = (pendulum.nutation_period(), pendulum.precession());
        if !period.is_finite() || case.gravity == Vec3::zeros() {
            continue;
        }
        let down = nalgebra::Unit::new_normalize(case.down());
        let turn = nalgebra::Rotation3::from_axis_angle(&down, precession);
        let (start, after) = (pendulum.at(0.0), pendulum.at(period));
        let tolerance = 4e-15 * (1.0 + case.unit() * period);
        assert!(
            (turn * start.direction - after.direction).norm() < tolerance,
            "{}",
            case.name
        );
        let difference = turn * start.velocity - after.velocity;
        assert!(
            difference.norm() < tolerance * case.unit(),
            "{}: {difference}",
            case.name
        );
        let [lowest, highest] = pendulum.depths();
        let depth = down.dot(&start.direction);
        assert!(
            lowest >= depth - 1e-15 && depth >= highest - 1e-15,
            "{}",
            case.name
        );
    }
}

#[test]
fn plane_and_spherical_pendulum_agree() {
    for (angle, rate) in [
        (1.0, 0.0),
        (0.4, 3.0),
        (-0.2, 8.0),
        (3.1, 0.0),
        (2.0, -0.7),
        (0.0, 1e-3),
    ] {
        let plane = PlanePendulum::new(9.81, angle, rate);
        let q = Vec3::new(angle.sin(), 0.0, angle.cos());
        let sphere = SphericalPendulum::new(Vec3::z() * 9.81, q, Vec3::y() * rate);
        for k in -50..200 {
            let t = 0.31 * f64::from(k);
            let (a, b) = (plane.at(t), sphere.at(t));
            let expected = Vec3::new(a.angle.sin(), 0.0, a.angle.cos());
            assert!(
                (expected - b.direction).norm() < 1e-13 * (1.0 + t.abs()),
                "{angle} {rate} {t}"
            );
            assert!(
                (a.rate - b.angular_velocity.y).abs() < 1e-12 * (1.0 + t.abs()),
                "{angle} {rate} {t}"
            );
        }
    }
}

#[test]
fn extreme_input_neither_panics_nor_fails() {
    let sizes = [0.0, 5e-324, 1e-200, 1e-20, 1.0, 1e20, 1e150];
    for (i, &g) in sizes.iter().enumerate() {
        for (k, &w) in sizes.iter().enumerate() {
            for q in [
                Vec3::z(),
                -Vec3::z(),
                Vec3::new(1e-200, 0.0, 1.0),
                Vec3::new(0.6, 1e-17, -0.8),
                Vec3::x(),
            ] {
                for omega in [Vec3::x() * w, Vec3::new(w, -w, w), Vec3::new(0.0, w, 1e-30 * w)] {
                    let pendulum = SphericalPendulum::new(Vec3::new(0.0, 0.0, g), q, omega);
                    for t in [0.0, 1.0, -1e-30, 1e30] {
                        let at = pendulum.at(t);
                        let length = at.direction.norm();
                        assert!((length - 1.0).abs() < 1e-15, "{i} {k} {q} {omega} {t}: {at:?}");
                        assert!(
                            at.velocity.iter().all(|x| x.is_finite()),
                            "{g} {omega} {t}: {at:?}"
                        );
                    }
                }
            }
            for angle in [0.0, 1e-300, 3.0, std::f64::consts::PI, -1e10] {
                let pendulum = PlanePendulum::new(if k % 2 == 0 { g } else { -g }, angle, w);
                let at = pendulum.at(1.0);
                assert!(
                    at.angle.is_finite() && at.rate.is_finite(),
                    "{g} {angle} {w}: {at:?}"
                );
            }
        }
    }
    // Not finite: no answer, but no panic either.
    let nothing = SphericalPendulum::new(Vec3::z(), Vec3::new(f64::NAN, 0.0, 1.0), Vec3::x());
    assert!(nothing.at(1.0).direction.x.is_nan());
    assert!(PlanePendulum::new(1.0, f64::INFINITY, 0.0).at(1.0).angle.is_nan());
}

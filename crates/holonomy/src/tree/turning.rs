//! Rotations as functions of time: through given ones, or by a rotation vector.
//!
//! ```text
//! Q(t) = s/|s|,  s(t) a spline through unit quaternions           each within half a turn of the one before it
//! Q(t) = exp(r/2) = (cos θ/2, S r),  S = sin(θ/2)/θ, θ = |r|       r(t) a rotation vector: any number of turns
//!
//! ω = 2 Im(s* ṡ)/|s|²,   ω̇ = 2 Im(s* s̈)/|s|² − ω (|s|²)˙/|s|²     in the axes that turn
//! ```
//! Both have a continuous angular acceleration where splines and formulas have continuous second derivatives.
use super::{Motion, Spline, SplineError};
use crate::{Vec3, math};
use nalgebra::{Quaternion, UnitQuaternion};

/// A rotation at a time, its angular velocity in the axes that turn, and the rate of that.
pub type Turning = Box<dyn Fn(f64) -> (UnitQuaternion<f64>, Vec3, Vec3) + Send + Sync>;

/// Through rotations at times, at rest at both ends.
pub fn turning_through(times: &[f64], rotations: &[UnitQuaternion<f64>]) -> Result<Turning, SplineError> {
    let mut sign = 1.0;
    let mut signed: Vec<[f64; 4]> = Vec::new();
    for (k, rotation) in rotations.iter().enumerate() {
        // Of both signs of a quaternion the nearer one.
        if k > 0 && rotations[k - 1].coords.dot(&rotation.coords) < 0.0 {
            sign = -sign;
        }
        signed.push([rotation.w, rotation.i, rotation.j, rotation.k].map(|x| sign * x));
    }
    let part = |k: usize| -> Result<Spline, SplineError> {
        let values: Vec<f64> = signed.iter().map(|s| s[k]).collect();
        Spline::new(times, &values)
    };
    let parts = [part(0)?, part(1)?, part(2)?, part(3)?];
    Ok(Box::new(move |t| turn(&parts.each_ref().map(|part| part.at(t)))))
}

/// By a rotation vector: about its direction by its length.
pub fn turning_by(vector: [Motion; 3]) -> Turning {
    Box::new(move |t| {
        let [x, y, z] = vector.each_ref().map(|part| part(t));
        let r = Vec3::new(x.0, y.0, z.0);
        let (v, a) = (Vec3::new(x.1, y.1, z.1), Vec3::new(x.2, y.2, z.2));
        // Derivatives by u = θ².
        let (u, rate, second) = (r.dot(&r), 2.0 * r.dot(&v), 2.0 * (v.dot(&v) + r.dot(&a)));
        let [c, s, s1, s2] = halves(u);
        let slope = s2 * rate * rate + s1 * second;
        // C' = −S/4
        let w = (c, -0.25 * s * rate, -0.25 * (s1 * rate * rate + s * second));
        let part = |k: usize| {
            (
                s * r[k],
                s1 * rate * r[k] + s * v[k],
                slope * r[k] + 2.0 * s1 * rate * v[k] + s * a[k],
            )
        };
        turn(&[w, part(0), part(1), part(2)])
    })
}

/// `C = cos(θ/2)`, `S = sin(θ/2)/θ`, S' and S'' by θ².
fn halves(u: f64) -> [f64; 4] {
    // Beyond, the differences below keep 13 digits; up to there, eight terms of the series do.
    if u < 1.0 {
        let mut sums = [0.0; 4];
        // (−1)ᵏ uᵏ / 2²ᵏ (2k)!, and / 2²ᵏ⁺¹ (2k + 1)!
        let (mut even, mut power) = (1.0, [1.0, 0.0, 0.0]);
        for k in 0..9 {
            let n = f64::from(k);
            let odd = even / (2.0 * (2.0 * n + 1.0));
            sums[0] += even * power[0];
            sums[1] += odd * power[0];
            sums[2] += odd * n * power[1];
            sums[3] += odd * n * (n - 1.0) * power[2];
            even *= -1.0 / (4.0 * (2.0 * n + 1.0) * (2.0 * n + 2.0));
            power = [power[0] * u, power[0], power[1]];
        }
        return sums;
    }
    let angle = u.sqrt();
    let (sine, c) = math::sin_cos(0.5 * angle);
    let s = sine / angle;
    let s1 = (0.5 * c - s) / (2.0 * u);
    [c, s, s1, -(0.125 * s + 3.0 * s1) / (2.0 * u)]
}

/// Of a quaternion that need not be unit, with its derivatives.
fn turn(parts: &[(f64, f64, f64); 4]) -> (UnitQuaternion<f64>, Vec3, Vec3) {
    let of = |k: fn(&(f64, f64, f64)) -> f64| {
        let [w, x, y, z] = parts.each_ref().map(k);
        Quaternion::new(w, x, y, z)
    };
    let (s, rate, second) = (of(|p| p.0), of(|p| p.1), of(|p| p.2));
    let square = s.norm_squared();
    let growth = 2.0 * s.coords.dot(&rate.coords) / square;
    let back = s.conjugate() * (2.0 / square);
    let omega = (back * rate).imag();
    let change = (back * second).imag() - omega * growth;
    (UnitQuaternion::new_normalize(s), omega, change)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ω and ω̇ against differences of the rotation itself.
    fn check(turning: &Turning, t: f64, bound: f64) {
        let e = 1e-4;
        let spin = |t: f64| {
            let (before, after) = (turning(t - e).0, turning(t + e).0);
            (before.inverse() * after).scaled_axis() / (2.0 * e)
        };
        let (_, omega, change) = turning(t);
        assert!((spin(t) - omega).norm() < bound, "{t}: {} {omega}", spin(t));
        let difference = (turning(t + e).1 - turning(t - e).1) / (2.0 * e);
        assert!((difference - change).norm() < bound, "{t}: {difference} {change}");
    }

    #[test]
    fn angular_velocities_are_those_of_the_rotations() {
        let rotations: Vec<UnitQuaternion<f64>> = (0..6)
            .map(|k| UnitQuaternion::from_euler_angles(0.9 * f64::from(k), 0.5, -0.4 * f64::from(k)))
            .collect();
        let times = [0.0, 0.5, 0.9, 1.4, 2.0, 2.2];
        let through = turning_through(&times, &rotations).expect("in order");
        for (t, rotation) in times.iter().zip(&rotations) {
            // Rounding of the division by |s|.
            assert!(through(*t).0.angle_to(rotation) < 1e-7, "{t}");
        }
        let vector = |f: fn(f64) -> f64, v: fn(f64) -> f64, a: fn(f64) -> f64| -> Motion {
            Box::new(move |t| (f(t), v(t), a(t)))
        };
        let by = turning_by([
            vector(f64::sin, f64::cos, |t| -t.sin()),
            vector(|t| 0.3 * t * t, |t| 0.6 * t, |_| 0.6),
            vector(|t| 2.0 * t, |_| 2.0, |_| 0.0),
        ]);
        // From rotations of nearly nothing to several turns; e² times third derivatives of order 10³ at most.
        for t in [1e-3, 0.11, 0.3, 0.46, 0.7, 1.1, 1.9] {
            check(&through, t, 2e-4);
            check(&by, t, 1e-6);
        }
        let (rotation, omega, _) = by(4.0);
        let expected = Vec3::new(4.0_f64.sin(), 0.3 * 16.0, 8.0);
        assert!(rotation.angle_to(&UnitQuaternion::from_scaled_axis(expected)) < 1e-7);
        assert!(omega.iter().all(|x| x.is_finite()));
    }

    #[test]
    fn series_and_closed_forms_meet() {
        let (below, above) = (halves(1.0 - 1e-12), halves(1.0));
        for (a, b) in below.iter().zip(above) {
            assert!((a - b).abs() < 2e-12, "{a} {b}");
        }
        assert_eq!(halves(0.0), [1.0, 0.5, -1.0 / 48.0, 1.0 / 1920.0]);
    }
}

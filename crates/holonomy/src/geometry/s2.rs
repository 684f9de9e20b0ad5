//! The unit sphere S² ⊂ R³.
//!
//! ```text
//! advance        q⁺ with q × q⁺ = w             q⁺ = w × q + √(1−|w|²) q
//! great circle   q⁺ = exp(ŵ) q                  q⁺ = cos|w| q + sin|w|/|w| w × q
//! Cayley         Δ = (F−I) q, F = cay(f)        Δ = 2 (f × q − |f|² q) / (1+|f|²)
//! ```
//! with `w`, `f` perpendicular to `q`.
use crate::Vec3;
use nalgebra::Matrix3x2;

/// The point `q⁺` within 90° of `q` with `q × q⁺ = w`; `None` when `|w| > 1` (or is not a number).
#[inline]
pub fn advance(q: &Vec3, w: &Vec3) -> Option<Vec3> {
    let cosine_squared = 1.0 - w.norm_squared();
    (cosine_squared >= 0.0).then(|| normalised(&(w.cross(q) + q * cosine_squared.sqrt())))
}

/// The end of the great-circle arc that leaves `q` with the rotation vector `w`.
#[inline]
pub fn great_circle(q: &Vec3, w: &Vec3) -> Vec3 {
    let angle = w.norm();
    // sin x / x to the last bit: the next term x⁴/120 is below 1e-17 here.
    let sinc = if angle < 1e-4 {
        1.0 - angle * angle / 6.0
    } else {
        angle.sin() / angle
    };
    normalised(&(q * angle.cos() + w.cross(q) * sinc))
}

/// `Δ = (cay(f) − I) q`, computed without cancellation.
#[inline]
pub fn cayley_displacement(q: &Vec3, f: &Vec3) -> Vec3 {
    let f2 = f.norm_squared();
    (f.cross(q) - q * f2) * (2.0 / (1.0 + f2))
}

/// One Newton step towards unit length, for `q` that is unit up to rounding.
///
/// The length must be known far better than to rounding: an error of the plain `q·q` depends on the
/// direction of `q`, acts like a tiny force without potential, and makes the energy drift linearly.
#[inline]
pub fn normalised(q: &Vec3) -> Vec3 {
    // q + cq rather than (1+c)q: only the last addition rounds.
    q + q * (0.5 * length_defect(q))
}

/// `1 − q·q` with all the digits that doubles allow, for `q` that is nearly unit.
#[inline]
pub fn length_defect(q: &Vec3) -> f64 {
    let (mut sum, mut rest) = (1.0, 0.0);
    for x in q.iter() {
        let (square, low) = exact_square(*x);
        let next = sum - square;
        // What the subtraction lost (Knuth).
        let back = next - sum;
        rest += (sum - (next - back)) - (square + back) - low;
        sum = next;
    }
    sum + rest
}

/// `x²` as an unevaluated sum of two doubles (Dekker).
#[inline]
fn exact_square(x: f64) -> (f64, f64) {
    let square = x * x;
    let spread = 134_217_729.0 * x; // 2²⁷ + 1
    let high = spread - (spread - x);
    let low = x - high;
    (square, ((high * high - square) + 2.0 * high * low) + low * low)
}

/// `v` without its component along the unit vector `q`.
#[inline]
pub fn tangent(q: &Vec3, v: &Vec3) -> Vec3 {
    v - q * q.dot(v)
}

/// An orthonormal basis `(e₁, e₂)` of the tangent plane with `e₁ × e₂ = q`.
#[inline]
pub fn tangent_basis(q: &Vec3) -> Matrix3x2<f64> {
    // Continuous except across q_z = 0 (Duff et al. 2017); never divides by zero.
    let sign = 1.0_f64.copysign(q.z);
    let a = -1.0 / (sign + q.z);
    let b = q.x * q.y * a;
    Matrix3x2::new(
        1.0 + sign * q.x * q.x * a,
        b,
        sign * b,
        sign + q.y * q.y * a,
        -sign * q.x,
        -q.y,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> impl Iterator<Item = (Vec3, Vec3)> {
        (0..200).map(|k| {
            let k = f64::from(k);
            let q = Vec3::new((1.3 * k).sin(), (2.1 * k + 1.0).cos(), (0.7 * k).cos()).normalize();
            let w = tangent(&q, &Vec3::new((0.3 * k).cos(), (1.7 * k).sin(), (0.9 * k).sin()));
            (q, 0.5 * w)
        })
    }

    #[test]
    fn advance_satisfies_its_defining_equation() {
        for (q, w) in samples() {
            let next = advance(&q, &w).expect("|w| < 1");
            assert!((q.cross(&next) - w).norm() < 1e-15 && (next.norm() - 1.0).abs() < 3e-16);
        }
        assert_eq!(advance(&Vec3::x(), &Vec3::new(0.0, 1.1, 0.0)), None);
        assert_eq!(advance(&Vec3::x(), &Vec3::new(0.0, f64::NAN, 0.0)), None);
    }

    #[test]
    fn length_defect_sees_beyond_rounding() {
        for (q, _) in samples() {
            let exact = |q: &Vec3| {
                let scaled = q.map(|x| (x * f64::powi(2.0, 53)) as i128);
                (1_i128 << 106) - scaled.iter().map(|x| x * x).sum::<i128>()
            };
            // Components rounded to multiples of 2⁻⁵³, where integers tell the truth.
            let q = q.map(|x| (x * f64::powi(2.0, 53)).round() * f64::powi(2.0, -53));
            let truth = exact(&q) as f64 * f64::powi(2.0, -106);
            assert!(
                (length_defect(&q) - truth).abs() <= 1e-31,
                "{:e} {truth:e}",
                length_defect(&q)
            );
        }
    }

    #[test]
    fn cayley_turns_by_twice_the_arctangent() {
        for (q, f) in samples() {
            let next = q + cayley_displacement(&q, &f);
            let angle = 2.0 * f.norm().atan();
            let axis = f.normalize();
            let turned = great_circle(&q, &(axis * angle));
            assert!((next - turned).norm() < 1e-15);
        }
    }

    #[test]
    fn tangent_basis_is_right_handed() {
        for (q, _) in samples().chain([(Vec3::z(), Vec3::x()), (-Vec3::z(), Vec3::x())]) {
            let basis = tangent_basis(&q);
            let (e1, e2): (Vec3, Vec3) = (basis.column(0).into(), basis.column(1).into());
            assert!((e1.cross(&e2) - q).norm() < 1e-15 && e1.dot(&e2).abs() < 1e-15);
        }
    }
}

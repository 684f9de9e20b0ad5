//! The unit sphere S² ⊂ R³.
//!
//! ```text
//! advance        q⁺ with q × q⁺ = w             q⁺ = w × q + √(1−|w|²) q
//! great circle   q⁺ = exp(ŵ) q                  q⁺ = cos|w| q + sin|w|/|w| w × q
//! Cayley         Δ = (F−I) q, F = cay(f)        Δ = 2 (f × q − |f|² q) / (1+|f|²)
//! ```
//! with `w`, `f` perpendicular to `q`. The first two are sums `q⁺ = q + (w × q …)` of which only the last addition
//! rounds, and put back what `q` lacks of unit length.
use crate::{
    Vec3, math,
    simd::{Real, Triple},
};
use nalgebra::Matrix3x2;

/// The point `q⁺` within 90° of `q` with `q × q⁺ = w`; `None` when `|w| > 1` (or is not a number).
#[inline]
pub fn advance(q: &Vec3, w: &Vec3) -> Option<Vec3> {
    let room = 1.0 - w.norm_squared();
    (room >= 0.0).then(|| beside(q.into(), w.cross(q).into(), room.sqrt() - 1.0).into())
}

/// The end of the great-circle arc that leaves `q` with the rotation vector `w`.
#[inline]
pub fn great_circle(q: &Vec3, w: &Vec3) -> Vec3 {
    along_great_circle(q.into(), w.into()).into()
}

/// The same of several side by side.
#[inline(always)]
pub(crate) fn along_great_circle<T: Real>(q: Triple<T>, w: Triple<T>) -> Triple<T> {
    let square = w.norm_squared();
    if square.are_within(1.0) {
        return short_arc(q, w, square);
    }
    let [x, y, z] = T::lane_by_lane([q.x, q.y, q.z, w.x, w.y, w.z], |[qx, qy, qz, wx, wy, wz]| {
        let next = one_arc(&Vec3::new(qx, qy, qz), &Vec3::new(wx, wy, wz));
        [next.x, next.y, next.z]
    });
    Triple { x, y, z }
}

#[inline(always)]
fn short_arc<T: Real>(q: Triple<T>, w: Triple<T>, square: T) -> Triple<T> {
    let (cosine_less_one, sinc) = (
        square * series(&COSINE, square),
        square * series(&SINC, square) + 1.0,
    );
    beside(q, w.cross(q) * sinc, cosine_less_one)
}

/// One arc of any length.
fn one_arc(q: &Vec3, w: &Vec3) -> Vec3 {
    let square = w.norm_squared();
    if square <= 1.0 {
        return short_arc(q.into(), w.into(), square).into();
    }
    let angle = square.sqrt();
    let (sine, cosine) = math::sin_cos(angle);
    normalised(&(q * cosine + w.cross(q) * (sine / angle)))
}

/// `(1 + less) q + side` of unit length, for q that is unit up to rounding: half of what q lacks, times q, is added.
#[inline(always)]
pub(crate) fn beside<T: Real>(q: Triple<T>, side: Triple<T>, less: T) -> Triple<T> {
    q + (side + q * (less + lacking(q) * 0.5))
}

/// Of `(cos x − 1)/x²` and `(sin x/x − 1)/x²` in powers of x²: the next terms are below 1e-18 for x ≤ 1.
const COSINE: [f64; 9] = alternating(2);
const SINC: [f64; 9] = alternating(3);

/// `−1/k!, 1/(k+2)!, −1/(k+4)! …`
const fn alternating(k: u32) -> [f64; 9] {
    let mut all = [0.0; 9];
    let (mut value, mut factor, mut i) = (-1.0, 1, 0);
    while i < 9 {
        while factor <= k + 2 * i {
            value /= factor as f64;
            factor += 1;
        }
        all[i as usize] = value;
        value = -value;
        i += 1;
    }
    all
}

/// `Σ cₖ xᵏ`, in pairs: their sums do not wait for each other.
#[inline(always)]
fn series<T: Real>(c: &[f64; 9], x: T) -> T {
    let x2 = x * x;
    let x4 = x2 * x2;
    let low = (x * c[1] + c[0]) + (x * c[3] + c[2]) * x2;
    let high = (x * c[5] + c[4]) + (x * c[7] + c[6]) * x2;
    low + (high + x4 * c[8]) * x4
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

/// `1 − q·q` to about 1e-23, for `q` that is nearly unit.
///
/// With `x = a + b`, a the multiple of 2⁻²⁶ next to x: `x² = a² + (x + a) b`. Each `a²` and the sums of them are exact,
/// and the rest is so small that its rounding is.
#[inline]
pub fn length_defect(q: &Vec3) -> f64 {
    lacking(q.into())
}

/// The same of several side by side.
#[inline(always)]
pub(crate) fn lacking<T: Real>(q: Triple<T>) -> T {
    // Adding and taking away 1.5·2²⁶ rounds to multiples of 2⁻²⁶.
    const ROUND: f64 = 100_663_296.0;
    let split = |x: T| {
        let a = (x + ROUND) - ROUND;
        (a * a, (x + a) * (x - a))
    };
    let (x, y, z) = (split(q.x), split(q.y), split(q.z));
    (((q.x.constant(1.0) - x.0) - y.0) - z.0) - ((x.1 + y.1) + z.1)
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
                // Three products of size 2⁻²⁶, rounded.
                (length_defect(&q) - truth).abs() <= 1e-23,
                "{:e} {truth:e}",
                length_defect(&q)
            );
        }
    }

    #[test]
    fn great_circles_are_those_of_sine_and_cosine() {
        // Across the bound of the series, |w| = 1.
        for (q, w) in samples() {
            for angle in [1e-9, 1e-4, 0.1, 0.5, 0.999_999, 1.0, 1.000_001, 2.0, 3.0] {
                let axis = w.normalize();
                let next = great_circle(&q, &(axis * angle));
                let exact = q * angle.cos() + axis.cross(&q) * angle.sin();
                // Roundings of axis, angle and both results.
                assert!((next - exact).norm() < 1e-15 && (next.norm() - 1.0).abs() < 3e-16);
            }
        }
    }

    #[test]
    fn what_is_lacking_of_unit_length_is_put_back() {
        for (q, w) in samples() {
            let short = q * (1.0 - 1e-9);
            for next in [
                advance(&short, &(w * 0.1)),
                Some(great_circle(&short, &(w * 0.1))),
            ] {
                let next = next.expect("|w| < 1");
                // All but (1 − cos |w|) of it.
                assert!((next.norm() - 1.0).abs() < 0.5e-9 * 0.01);
            }
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

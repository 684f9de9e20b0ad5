//! Rotations as unit quaternions `(w, v)`, `w = cos θ/2`, `v = sin θ/2 · axis`, and the Cayley map.
//!
//! ```text
//! cay(f) = (1, f)/√(1+f²)                                        turns by 2 arctan |f|
//! cay(f)ᵀ δcay(f) = 2/(1+f²) (δf − f × δf)                       left-trivialised tangent
//! δcay(f) cay(f)ᵀ = 2/(1+f²) (δf + f × δf)                       right-trivialised tangent
//! δf = ½ (ζ + f × ζ + (f·ζ) f),   δf = ½ (ξ − f × ξ + (f·ξ) f)   their inverses
//! ```
//! with ζ, ξ the rotation seen from the moved body and from space. Quaternions are stored `[w, x, y, z]`.
use crate::{Vec3, math};
use nalgebra::{Matrix3, Quaternion, UnitQuaternion};

/// The rotation with Cayley vector f.
#[inline]
pub fn cayley(f: &Vec3) -> UnitQuaternion<f64> {
    let w = 1.0 / (1.0 + f.norm_squared()).sqrt();
    UnitQuaternion::new_unchecked(Quaternion::from_parts(w, f * w))
}

/// The Cayley vector of a rotation by less than 180°.
#[inline]
pub fn inverse_cayley(q: &UnitQuaternion<f64>) -> Vec3 {
    q.imag() / q.w
}

/// The turn by an angle, rad, about a unit vector.
pub fn about(axis: &Vec3, angle: f64) -> UnitQuaternion<f64> {
    let (sine, cosine) = math::sin_cos(0.5 * angle);
    UnitQuaternion::new_unchecked(Quaternion::from_parts(cosine, axis * sine))
}

/// The shortest turn that takes one direction to another; `None` if they are opposite, or one is zero.
pub fn shortest(from: &Vec3, to: &Vec3) -> Option<UnitQuaternion<f64>> {
    let (from, to) = (from.try_normalize(0.0)?, to.try_normalize(0.0)?);
    let (axis, along) = (from.cross(&to), from.dot(&to));
    match axis.try_normalize(f64::EPSILON) {
        Some(unit) => Some(about(&unit, math::atan2(axis.norm(), along))),
        None => (along > 0.0).then(UnitQuaternion::identity),
    }
}

/// Left-trivialised tangent: the rotation ζ, seen from the moved body, that a change of f makes.
#[inline]
pub fn left_tangent(f: &Vec3, change: &Vec3) -> Vec3 {
    (change - f.cross(change)) * (2.0 / (1.0 + f.norm_squared()))
}

/// Right-trivialised tangent: the rotation ξ, seen from space, that a change of f makes.
#[inline]
pub fn right_tangent(f: &Vec3, change: &Vec3) -> Vec3 {
    (change + f.cross(change)) * (2.0 / (1.0 + f.norm_squared()))
}

/// The change of f that a rotation ζ, seen from the moved body, makes.
#[inline]
pub fn left_tangent_inverse(f: &Vec3, zeta: &Vec3) -> Vec3 {
    (zeta + f.cross(zeta) + f * f.dot(zeta)) * 0.5
}

/// The change of f that a rotation ξ, seen from space, makes.
#[inline]
pub fn right_tangent_inverse(f: &Vec3, xi: &Vec3) -> Vec3 {
    (xi - f.cross(xi) + f * f.dot(xi)) * 0.5
}

/// The rotation matrix of a quaternion `[w, x, y, z]` that need not be unit.
#[inline]
pub fn matrix(q: &[f64]) -> Matrix3<f64> {
    let (w, v) = (q[0], Vec3::new(q[1], q[2], q[3]));
    let s = 2.0 / (w * w + v.norm_squared());
    let (x, y, z) = (s * v.x, s * v.y, s * v.z);
    let (wx, wy, wz) = (w * x, w * y, w * z);
    let (xx, xy, xz) = (v.x * x, v.x * y, v.x * z);
    let (yy, yz, zz) = (v.y * y, v.y * z, v.z * z);
    Matrix3::new(
        1.0 - (yy + zz),
        xy - wz,
        xz + wy,
        xy + wz,
        1.0 - (xx + zz),
        yz - wx,
        xz - wy,
        yz + wx,
        1.0 - (xx + yy),
    )
}

/// The product of two quaternions `[w, x, y, z]`.
#[inline]
pub fn product(a: &[f64], b: &[f64]) -> [f64; 4] {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3],
        a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1],
    ]
}

/// One Newton step towards unit length, for q that is unit up to rounding. The length is known far
/// better than to rounding, so that no direction of q is preferred (see [`super::s2::normalised`]).
#[inline]
pub fn normalised(q: [f64; 4]) -> [f64; 4] {
    let correction = 0.5 * length_defect(&q);
    q.map(|x| x + x * correction)
}

/// `1 − q·q` with all the digits that doubles allow, for q that is nearly unit.
#[inline]
pub fn length_defect(q: &[f64; 4]) -> f64 {
    let (mut sum, mut rest) = (1.0, 0.0);
    for x in q {
        // x² as a sum of two doubles (Dekker).
        let square = x * x;
        let spread = 134_217_729.0 * x; // 2²⁷ + 1
        let high = spread - (spread - x);
        let tail = x - high;
        let low = ((high * high - square) + 2.0 * high * tail) + tail * tail;
        let next = sum - square;
        // What the subtraction lost (Knuth).
        let back = next - sum;
        rest += (sum - (next - back)) - (square + back) - low;
        sum = next;
    }
    sum + rest
}

/// The matrix of `v ×`.
#[inline]
pub fn hat(v: &Vec3) -> Matrix3<f64> {
    v.cross_matrix()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> impl Iterator<Item = (Vec3, Vec3)> {
        (0..100).map(|k| {
            let k = f64::from(k);
            let f = Vec3::new((1.3 * k).sin(), (2.1 * k + 1.0).cos(), (0.7 * k).cos());
            (
                f * 1.5,
                Vec3::new((0.3 * k).cos(), (1.7 * k).sin(), (0.9 * k).sin()),
            )
        })
    }

    #[test]
    fn tangents_are_differences_of_the_map() {
        for (f, change) in samples() {
            // Central differences of order 4: the step to the fourth power, and rounding over the step.
            let at = |s: f64| cayley(&(f + change * s)).to_rotation_matrix().into_inner();
            let e = 1e-3;
            let slope = (at(e) - at(-e)) * (2.0 / (3.0 * e)) - (at(2.0 * e) - at(-2.0 * e)) / (12.0 * e);
            let r = at(0.0);
            let left = r.transpose() * slope - hat(&left_tangent(&f, &change));
            let right = slope * r.transpose() - hat(&right_tangent(&f, &change));
            assert!(left.norm() < 1e-9 && right.norm() < 1e-9, "{left} {right}");
            let back = left_tangent_inverse(&f, &left_tangent(&f, &change)) - change;
            let also = right_tangent_inverse(&f, &right_tangent(&f, &change)) - change;
            assert!(back.norm() < 1e-14 && also.norm() < 1e-14);
            assert!((inverse_cayley(&cayley(&f)) - f).norm() < 1e-14);
        }
    }

    #[test]
    fn matrices_and_products_are_those_of_nalgebra_at_any_length() {
        for (f, g) in samples() {
            let (a, b) = (cayley(&f), cayley(&g));
            let list = |q: &UnitQuaternion<f64>| [q.w, q.i, q.j, q.k];
            let ab = product(&list(&a), &list(&b));
            assert!((matrix(&ab) - (a * b).to_rotation_matrix().into_inner()).norm() < 2e-15);
            assert!((matrix(&ab.map(|x| 3.0 * x)) - matrix(&ab)).norm() < 2e-15);
            // Each component is rounded once: twice half a unit in the last place of each.
            assert!(length_defect(&normalised(ab)).abs() < 4.5e-16);
        }
    }

    #[test]
    fn the_shortest_turn_takes_one_direction_to_the_other() {
        for k in (0..40).map(f64::from) {
            let from = Vec3::new((1.3 * k).sin(), (2.1 * k + 1.0).cos(), (0.7 * k).cos());
            let to = Vec3::new((0.3 * k).cos(), (1.7 * k).sin(), (0.9 * k).sin()) * 3.0;
            let turn = shortest(&from, &to).expect("not opposite");
            assert!((turn * from.normalize() - to.normalize()).norm() < 1e-15 * 4.0);
            assert!(
                (turn.angle() - from.angle(&to)).abs() < 1e-7,
                "acos, where it is flat"
            );
            assert!((about(&Vec3::z(), k) * Vec3::x() - Vec3::new(k.cos(), k.sin(), 0.0)).norm() < 1e-15);
        }
        // Close directions, whose angle the arc cosine would not know.
        let (from, to) = (Vec3::x(), Vec3::new(1.0, 1e-9, 0.0));
        assert!((shortest(&from, &to).expect("not opposite").angle() - 1e-9).abs() < 1e-24);
        assert_eq!(shortest(&Vec3::x(), &Vec3::x()), Some(UnitQuaternion::identity()));
        assert_eq!(shortest(&Vec3::x(), &-Vec3::x()), None);
        assert_eq!(shortest(&Vec3::zeros(), &Vec3::x()), None);
    }
}

//! One step of a rotation, `Q⁺ = Q (c, u)`, `c² + u² = 1`, and the halfway rotation `Q̄ = Q H`.
//!
//! ```text
//! H = (k, u/2k),   k = √((1+c)/2)              H² = (c, u)
//! h ω = 2 u                                    discrete velocity; the same vector seen from Q, Q̄ and Q⁺
//! ```
//! Rotations of the ends by a and b, both seen from Q̄, turn the middle and change the velocity by
//!
//! ```text
//! ζ̄  = ½ (a + b) − ½ s × (b − a),   s = u/(1+c)
//! δω = (1/h) K (b − a),             K = 1 − u uᵀ/(1+c),   H K = c + û
//! ```
//! so that with the end alone moving, `b = h K⁻¹ δω`:
//!
//! ```text
//! ζ̄ = ½ h B δω,   B = (1 − ŝ) K⁻¹ = 1 + u uᵀ/(c(1+c)) − û/(1+c)
//! ζ⁺ = h Y δω,    Y = K⁻¹ Hᵀ = (c + û)⁻¹ = c − û + u uᵀ/c            seen from Q⁺
//! ```
//! For one free body `p = Π`, and `Y Π = I ω` is `hΠ + hΠ × f + (hΠ·f) f = 2 I f` with `f = u/c`, the
//! Lie-group integrator of `docs/reading.md` 4.3 (discrete Moser–Veselov), which keeps energy and momentum.
//! With `hω = 2f` instead, it would not keep the energy.
use crate::{Vec3, geometry::so3};
use nalgebra::Matrix3;

/// The rotation of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turn {
    u: Vec3,
    c: f64,
}

impl Turn {
    /// From `u = ½ h ω`; `None` from half a turn on.
    pub(super) fn new(u: Vec3) -> Option<Self> {
        let square = 1.0 - u.norm_squared();
        (square > 0.0).then(|| Self { u, c: square.sqrt() })
    }

    /// `(c, u)`.
    pub(super) fn whole(&self) -> [f64; 4] {
        [self.c, self.u.x, self.u.y, self.u.z]
    }

    /// H.
    pub(super) fn half(&self) -> [f64; 4] {
        let k = (0.5 * (1.0 + self.c)).sqrt();
        let v = self.u * (0.5 / k);
        so3::normalised([k, v.x, v.y, v.z])
    }

    /// Y.
    pub(super) fn start(&self) -> Matrix3<f64> {
        let Self { u, c } = self;
        Matrix3::from_diagonal_element(*c) - u.cross_matrix() + u * u.transpose() / *c
    }

    /// `Y p`.
    pub(super) fn start_of(&self, p: &Vec3) -> Vec3 {
        let Self { u, c } = self;
        p * *c - u.cross(p) + u * (u.dot(p) / *c)
    }

    /// `∂(Y p)/∂u`.
    pub(super) fn start_slope(&self, p: &Vec3) -> Matrix3<f64> {
        let Self { u, c } = self;
        let along = u.dot(p);
        p.cross_matrix()
            + (Matrix3::from_diagonal_element(along) + u * p.transpose() - p * u.transpose()) / *c
            + u * u.transpose() * (along / (c * c * c))
    }

    /// B.
    pub(super) fn middle(&self) -> Matrix3<f64> {
        let Self { u, c } = self;
        Matrix3::identity() + u * u.transpose() / (c * (1.0 + c)) - u.cross_matrix() / (1.0 + c)
    }

    /// `B g`.
    pub(super) fn middle_of(&self, g: &Vec3) -> Vec3 {
        let Self { u, c } = self;
        g + (u * (u.dot(g) / *c) - u.cross(g)) / (1.0 + *c)
    }

    /// `∂(B g)/∂u`.
    pub(super) fn middle_slope(&self, g: &Vec3) -> Matrix3<f64> {
        let Self { u, c } = self;
        let (a, b) = (1.0 / (c * (1.0 + c)), 1.0 / (1.0 + c));
        let along = u.dot(g);
        (Matrix3::from_diagonal_element(along) + u * g.transpose()) * a
            + u * u.transpose() * (along * (1.0 + 2.0 * c) * a * a / c)
            + g.cross_matrix() * b
            - u.cross(g) * u.transpose() * (b * b / c)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Quaternion, UnitQuaternion};

    fn rotation(q: [f64; 4]) -> UnitQuaternion<f64> {
        UnitQuaternion::from_quaternion(Quaternion::new(q[0], q[1], q[2], q[3]))
    }

    /// Central difference of order 4.
    fn slope<T>(f: impl Fn(f64) -> T) -> T
    where
        T: std::ops::Sub<Output = T> + std::ops::Mul<f64, Output = T>,
    {
        let e = 1e-3;
        (f(e) - f(-e)) * (2.0 / (3.0 * e)) - (f(2.0 * e) - f(-2.0 * e)) * (1.0 / (12.0 * e))
    }

    #[test]
    fn slopes_are_differences_and_trivialised_tangents_are_rotations() {
        for k in 0..50 {
            let k = f64::from(k);
            let u = Vec3::new((1.3 * k).sin(), (2.1 * k).cos(), (0.7 * k).sin()) * 0.5;
            let change = Vec3::new((0.3 * k).cos(), (1.7 * k).sin(), (0.9 * k).sin());
            let p = Vec3::new(0.4, (k * 0.2).sin(), -1.1);
            let turn = Turn::new(u).expect("less than half a turn");
            let at = |s: f64| Turn::new(u + change * s).expect("less than half a turn");
            // e⁴ = 1e-12 times fifth derivatives of order 100, and rounding over e.
            let close = |a: Vec3, b: Vec3| assert!((a - b).norm() < 2e-9, "{a} {b}");
            close(turn.start_slope(&p) * change, slope(|s| at(s).start_of(&p)));
            close(turn.middle_slope(&p) * change, slope(|s| at(s).middle_of(&p)));
            close(turn.start() * p, turn.start_of(&p));
            close(turn.middle() * p, turn.middle_of(&p));
            // With h = 2 a change of u is one of ω.
            let seen = |f: &dyn Fn(&Turn) -> [f64; 4]| {
                let here = rotation(f(&turn)).inverse();
                slope(|s| (here * rotation(f(&at(s)))).scaled_axis())
            };
            close(seen(&Turn::whole), turn.start() * change * 2.0);
            close(seen(&Turn::half), turn.middle() * change);
        }
    }
}

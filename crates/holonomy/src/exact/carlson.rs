//! Carlson's symmetric elliptic integrals, by duplication.
//!
//! ```text
//! R_F(x, y, z)    = ½ ∫₀^∞ dt / √((t+x)(t+y)(t+z))                R_C(x, y)    = R_F(x, y, y)
//! R_J(x, y, z, p) = ³⁄₂ ∫₀^∞ dt / ((t+p) √((t+x)(t+y)(t+z)))       R_D(x, y, z) = R_J(x, y, z, z)
//!
//! λ = √x√y + √x√z + √y√z,   x ← (x+λ)/4,  y ← (y+λ)/4,  z ← (z+λ)/4,  p ← (p+λ)/4   leaves
//!     R_F  as it is
//!     R_D = (R_D of the new arguments)/4 + 3 / (√z (z+λ))
//!     R_J = (R_J of the new arguments)/4 + 6 R_C(1, α)/d,
//!           d = (√p+√x)(√p+√y)(√p+√z),   α = 2√p (p+λ)/d
//! ```
//! Every duplication divides the distances of the arguments from their mean by 4; once these are
//! small, a Taylor series of degree 7 in them ends the computation (Carlson 1995; DLMF 19.36).
//! Carlson's `1 + eₙ` is written as `α`, a sum of positive terms, so that a small `p` costs no digits.
//! All other sums have positive terms, too: results are good to a few units in the last place, in any
//! part of the domain where squares of the arguments neither overflow nor underflow.
//!
//! Outside its domain a function is not a number; at a pole it is infinite.
//!
//! Not by a crate: `ellip` 1.2.3 is as accurate on the tables of the tests (1e-15), but takes its logarithm and
//! arctangent from the platform by way of `num-traits`: its bits would not be the same everywhere (see [`crate::math`]).

use crate::math;

/// Spread of the arguments about their mean at which the series takes over: 0.005⁸ < 1e-18.
const SPREAD: f64 = 0.005;
/// The largest gap between arguments, 2¹⁰⁰⁰, closes in 10 duplications, and five more end it; but a large `p`
/// takes no part in `λ` and comes down by factors of 4.
const DUPLICATIONS: usize = 600;

/// `R_F(x, y, z)` for arguments of which at most one is zero and none negative.
pub fn r_f(x: f64, y: f64, z: f64) -> f64 {
    if !in_domain(x, y, z) {
        return f64::NAN;
    }
    if x + y == 0.0 || x + z == 0.0 || y + z == 0.0 {
        return f64::INFINITY;
    }
    let start = (x + y + z) / 3.0;
    let (dx, dy) = (start - x, start - y);
    let spread = largest([dx, dy, start - z]);
    let (mut v, mut mean, mut scale) = ([x, y, z], start, 1.0);
    for _ in 0..DUPLICATIONS {
        if spread * scale <= SPREAD * mean {
            break;
        }
        let (_, lambda) = roots(v);
        v = v.map(|x| (x + lambda) / 4.0);
        mean = (mean + lambda) / 4.0;
        scale /= 4.0;
    }
    let (x, y) = (dx * scale / mean, dy * scale / mean);
    let z = -x - y;
    let (e2, e3) = (x * y - z * z, x * y * z);
    let series = e2 * (-1.0 / 10.0 + e2 / 24.0 - 3.0 * e3 / 44.0 - 5.0 * e2 * e2 / 208.0 + e2 * e3 / 16.0)
        + e3 * (1.0 / 14.0 + 3.0 * e3 / 104.0);
    (1.0 + series) / mean.sqrt()
}

/// `R_C(x, y)` for `x ≥ 0`, `y ≠ 0`; the principal value for `y < 0`.
///
/// ```text
/// R_C(x, y) = arctan √((y−x)/x) / √(y−x),  x < y      artanh √((x−y)/x) / √(x−y),  0 < y < x
///           = √(x/(x−y)) R_C(x−y, −y),     y < 0
/// ```
pub fn r_c(x: f64, y: f64) -> f64 {
    if !(x >= 0.0) || y.is_nan() {
        return f64::NAN;
    }
    if y == 0.0 {
        return f64::INFINITY;
    }
    if y < 0.0 {
        return (x / (x - y)).sqrt() * r_c(x - y, -y);
    }
    if x == 0.0 {
        return std::f64::consts::FRAC_PI_2 / y.sqrt();
    }
    // The differences of close numbers are exact, hence so is the ratio.
    if y >= x {
        let tangent = ((y - x) / x).sqrt();
        ratio(math::atan(tangent), tangent) / x.sqrt()
    } else {
        let tangent = ((x - y) / x).sqrt();
        // artanh z = ln((1+z)/√(1−z²)), where 1−z² = y/x is known without cancellation.
        let area = if tangent < 0.5 {
            math::atanh(tangent)
        } else {
            math::ln((1.0 + tangent) * (x / y).sqrt())
        };
        ratio(area, tangent) / x.sqrt()
    }
}

/// `R_D(x, y, z)` for `x, y ≥ 0`, at most one of them zero, and `z > 0`.
pub fn r_d(x: f64, y: f64, z: f64) -> f64 {
    if !in_domain(x, y, z) {
        return f64::NAN;
    }
    if x + y == 0.0 || z == 0.0 {
        return f64::INFINITY;
    }
    let start = (x + y + 3.0 * z) / 5.0;
    let (dx, dy) = (start - x, start - y);
    let spread = largest([dx, dy, start - z]);
    let (mut v, mut mean, mut scale, mut sum) = ([x, y, z], start, 1.0, 0.0);
    for _ in 0..DUPLICATIONS {
        if spread * scale <= SPREAD * mean {
            break;
        }
        let ([.., root], lambda) = roots(v);
        sum += scale / (root * (v[2] + lambda));
        v = v.map(|x| (x + lambda) / 4.0);
        mean = (mean + lambda) / 4.0;
        scale /= 4.0;
    }
    let (x, y) = (dx * scale / mean, dy * scale / mean);
    let z = -(x + y) / 3.0;
    let (xy, zz) = (x * y, z * z);
    let e = [
        xy - 6.0 * zz,
        (3.0 * xy - 8.0 * zz) * z,
        3.0 * (xy - zz) * zz,
        xy * z * zz,
    ];
    scale * (1.0 + series(e)) / (mean * mean.sqrt()) + 3.0 * sum
}

/// `R_J(x, y, z, p)` for `x, y, z ≥ 0`, at most one of them zero, and `p > 0`.
pub fn r_j(x: f64, y: f64, z: f64, p: f64) -> f64 {
    if !in_domain(x, y, z) || !(p >= 0.0) {
        return f64::NAN;
    }
    if x + y == 0.0 || x + z == 0.0 || y + z == 0.0 || p == 0.0 {
        return f64::INFINITY;
    }
    let start = (x + y + z + 2.0 * p) / 5.0;
    let (dx, dy, dz) = (start - x, start - y, start - z);
    let spread = largest([dx, dy, dz]).max((start - p).abs());
    let (mut v, mut p, mut mean, mut scale, mut sum) = ([x, y, z], p, start, 1.0, 0.0);
    for _ in 0..DUPLICATIONS {
        if spread * scale <= SPREAD * mean {
            break;
        }
        let (root, lambda) = roots(v);
        let root_p = p.sqrt();
        let d = (root_p + root[0]) * (root_p + root[1]) * (root_p + root[2]);
        sum += scale / d * r_c(1.0, 2.0 * root_p * (p + lambda) / d);
        v = v.map(|x| (x + lambda) / 4.0);
        p = (p + lambda) / 4.0;
        mean = (mean + lambda) / 4.0;
        scale /= 4.0;
    }
    let [x, y, z] = [dx, dy, dz].map(|d| d * scale / mean);
    let p = -(x + y + z) / 2.0;
    let (xyz, pp) = (x * y * z, p * p);
    let e2 = x * y + x * z + y * z - 3.0 * pp;
    let e = [
        e2,
        xyz + 2.0 * e2 * p + 4.0 * p * pp,
        (2.0 * xyz + e2 * p + 3.0 * p * pp) * p,
        xyz * pp,
    ];
    scale * (1.0 + series(e)) / (mean * mean.sqrt()) + 6.0 * sum
}

/// The series of `R_J` and `R_D` without its leading 1 (DLMF 19.36.2).
fn series([e2, e3, e4, e5]: [f64; 4]) -> f64 {
    -3.0 * e2 / 14.0 + e3 / 6.0 + 9.0 * e2 * e2 / 88.0 - 3.0 * e4 / 22.0 - 9.0 * e2 * e3 / 52.0
        + 3.0 * e5 / 26.0
        - e2 * e2 * e2 / 16.0
        + 3.0 * e3 * e3 / 40.0
        + 3.0 * e2 * e4 / 20.0
        + 45.0 * e2 * e2 * e3 / 272.0
        - 9.0 * (e3 * e4 + e2 * e5) / 68.0
}

/// Square roots of three arguments, and `λ`.
fn roots(v: [f64; 3]) -> ([f64; 3], f64) {
    let [x, y, z] = v.map(f64::sqrt);
    ([x, y, z], x * y + x * z + y * z)
}

fn in_domain(x: f64, y: f64, z: f64) -> bool {
    x >= 0.0 && y >= 0.0 && z >= 0.0
}

fn largest(v: [f64; 3]) -> f64 {
    v.iter().fold(0.0, |m, x| x.abs().max(m))
}

/// `f(z)/z` of an odd function with `f'(0) = 1`.
fn ratio(f: f64, z: f64) -> f64 {
    if z == 0.0 { 1.0 } else { f / z }
}

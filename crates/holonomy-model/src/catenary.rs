//! The shape in which equal links hang at rest.
//!
//! ```text
//! tan ψ_i = c + s (i − (n − 1)/2)        angle of link i against the horizontal
//! Σ ℓ cos ψ_i = x,  Σ ℓ sin ψ_i = z      its ends: two equations for c and s
//! ```
//! The pull has a constant horizontal part, and a vertical one that grows by the weight of a link.

use holonomy::math;

/// Angles of n links of the given length that hang between (0, 0) and (x, z), x > 0, z up.
pub(super) fn angles(n: usize, length: f64, x: f64, z: f64) -> Vec<f64> {
    let tangents = |c: f64, s: f64| {
        let middle = (n as f64 - 1.0) / 2.0;
        (0..n).map(move |i| c + s * (i as f64 - middle))
    };
    let height = |c: f64, s: f64| -> f64 { tangents(c, s).map(|u| length * u / math::hypot(u, 1.0)).sum() };
    let level = |s: f64| {
        let mut reach = 1.0;
        while (height(-reach, s) > z || height(reach, s) < z) && reach < 1e12 {
            reach *= 2.0;
        }
        bisect(-reach, reach, |c| height(c, s) < z)
    };
    let width = |s: f64| -> f64 {
        let c = level(s);
        tangents(c, s).map(|u| length / math::hypot(u, 1.0)).sum()
    };
    let s = math::exp(bisect(-30.0, 30.0, |log| width(math::exp(log)) > x));
    tangents(level(s), s).map(math::atan).collect()
}

/// Angles, against the line between ends at a distance x, of n links of the given length on an arc of a circle: n > 1.
pub(super) fn bow(n: usize, length: f64, x: f64) -> Vec<f64> {
    let last = (n - 1) as f64;
    let angles = |most: f64| (0..n).map(move |k| most * (1.0 - 2.0 * k as f64 / last));
    let width = |most: f64| -> f64 { angles(most).map(|angle| length * math::cos(angle)).sum() };
    // From a straight line to a regular polygon.
    let closed = std::f64::consts::PI * (1.0 - 1.0 / n as f64);
    angles(bisect(0.0, closed, |most| width(most) > x)).collect()
}

/// Where a condition that holds on the left ceases to.
fn bisect(mut left: f64, mut right: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..120 {
        let middle = 0.5 * (left + right);
        if middle <= left || middle >= right {
            break;
        }
        if holds(middle) {
            left = middle;
        } else {
            right = middle;
        }
    }
    0.5 * (left + right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bow_reaches_from_end_to_end() {
        for (n, x) in [(2, 0.3), (2, 0.0), (3, 0.9), (7, 0.0), (10, 0.5), (11, 0.999)] {
            let length = 1.0 / n as f64;
            let angles = bow(n, length, x);
            let ends = angles.iter().fold((0.0, 0.0), |(a, b), t| {
                (a + length * t.cos(), b + length * t.sin())
            });
            assert!(
                (ends.0 - x).abs() < 1e-14 && ends.1.abs() < 1e-14,
                "{n} {x} {ends:?}"
            );
        }
    }

    #[test]
    fn links_reach_from_end_to_end_and_many_of_them_form_a_catenary() {
        for (n, x, z) in [(2, 0.9, 0.1), (7, 0.3, -0.5), (20, 0.99, 0.0), (40, 0.01, 0.2)] {
            let length = 1.0 / n as f64;
            let angles = angles(n, length, x, z);
            let ends = angles.iter().fold((0.0, 0.0), |(a, b), t| {
                (a + length * t.cos(), b + length * t.sin())
            });
            assert!((ends.0 - x).abs() < 1e-9 && (ends.1 - z).abs() < 1e-9, "{ends:?}");
        }
        // 2a sinh(x/2a) = length; sag = a (cosh(x/2a) − 1).
        let (x, n) = (0.8, 2000);
        let a = bisect(0.01, 10.0, |a| 2.0 * a * (x / (2.0 * a)).sinh() > 1.0);
        let angles = angles(n, 1.0 / n as f64, x, 0.0);
        let sag: f64 = angles[..n / 2].iter().map(|t| t.sin() / n as f64).sum();
        assert!(
            (sag + a * ((x / (2.0 * a)).cosh() - 1.0)).abs() < 1e-6,
            "{sag} {a}"
        );
    }
}

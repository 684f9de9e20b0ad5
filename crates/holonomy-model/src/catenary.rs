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

/// Angles, as above, of n links of the given length that hang in a loop between (0, 0) and (0, z): n > 1. No links in
/// equilibrium do; these hang nearly straight down, turn below, and go up again, a little apart.
///
/// ```text
/// ψ_i = a tanh κ(s_i − c),  s_i from −1 to 1        two equations for a and c
/// ```
pub(super) fn hanging_loop(n: usize, length: f64, z: f64) -> Vec<f64> {
    let sharp = (n as f64 / 4.0).clamp(1.0, SHARPEST);
    let turns = |c: f64| {
        let last = (n - 1) as f64;
        (0..n).map(move |i| math::tanh(sharp * (2.0 * i as f64 / last - 1.0 - c)))
    };
    let open = |c: f64| {
        let most = turns(c).fold(0.0_f64, |most, turn| most.max(turn.abs()));
        let width = |a: f64| -> f64 { turns(c).map(|turn| math::cos(a * turn)).sum() };
        bisect(0.0, std::f64::consts::PI / most, |a| width(a) > 0.0)
    };
    let height = |c: f64| -> f64 {
        let a = open(c);
        turns(c).map(|turn| length * math::sin(a * turn)).sum()
    };
    let c = bisect(-FARTHEST, FARTHEST, |c| height(c) > z);
    let a = open(c);
    turns(c).map(|turn| a * turn).collect()
}

/// How sharply a long loop turns, and how far off the middle of its turn may be.
const SHARPEST: f64 = 4.0;
const FARTHEST: f64 = 6.0;

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
    fn a_loop_reaches_from_end_to_end_and_hangs_below() {
        for n in [2, 3, 4, 5, 7, 10, 11, 20, 41, 200] {
            for z in [-0.999, -0.7, -0.3, 0.0, 0.1, 0.5, 0.9] {
                let length = 1.0 / n as f64;
                let angles = hanging_loop(n, length, z);
                let (mut x, mut y, mut lowest, mut middle) = (0.0, 0.0, 0.0_f64, 0.0);
                for angle in &angles {
                    x += length * angle.cos();
                    middle += length * (y + 0.5 * length * angle.sin());
                    y += length * angle.sin();
                    lowest = lowest.min(y);
                }
                // Bisection leaves the rounding of angles, some of them near a turn.
                assert!(x.abs() < 1e-12 && (y - z).abs() < 1e-11, "{n} {z}: {x} {y}");
                let free = 0.5 * (1.0 - z.abs());
                // An arc aside would have its middle half way between the ends.
                if free > 2.0 * length {
                    assert!(lowest < z.min(0.0), "{n} {z}: {lowest}");
                    assert!(middle < 0.5 * z - 0.5 * free * free, "{n} {z}: {middle}");
                }
            }
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

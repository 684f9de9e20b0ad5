//! A spring and a damper that act on one side only: stops of joints, strings that can go slack.
//!
//! ```text
//! x ≤ 0         F = 0,             V = 0,                     s = 0
//! 0 ≤ x ≤ w     F = k x²/(2w),     V = k x³/(6w),             s = x/w
//! x ≥ w         F = k (x − w/2),   V = ½k (x − w/2)² + k w²/24,   s = 1
//!
//! D = max(c s(x) ẋ, −F)            so that F + D ≥ 0: it never pulls back
//! ```
//! V has two continuous derivatives, F is its slope and k s its curvature. Without a width, w = 0, it has one, and the
//! damper sets in with a jump: a step across the kink is then of first order where c is not zero.

/// A spring and a damper beyond a point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OneSided {
    /// Stiffness k, N/m or N m/rad.
    pub stiffness: f64,
    /// Damping c, N s/m or N m s/rad.
    pub damping: f64,
    /// The way w over which both set in, m or rad.
    pub smoothing: f64,
}

impl OneSided {
    /// Whether it is finite, its stiffness positive and nothing negative.
    pub fn is_sound(&self) -> bool {
        let Self {
            stiffness,
            damping,
            smoothing,
        } = *self;
        stiffness > 0.0 && damping >= 0.0 && smoothing >= 0.0 && (stiffness + damping + smoothing).is_finite()
    }

    /// V, F and k s at a penetration.
    pub(super) fn elastic(&self, x: f64) -> [f64; 3] {
        let (k, w) = (self.stiffness, self.smoothing);
        if x <= 0.0 {
            return [0.0; 3];
        }
        if x < w {
            return [k * x * x * x / (6.0 * w), k * x * x / (2.0 * w), k * x / w];
        }
        let stretch = x - 0.5 * w;
        [0.5 * k * stretch * stretch + k * w * w / 24.0, k * stretch, k]
    }

    /// D and its derivatives by x and ẋ.
    pub(super) fn damped(&self, x: f64, rate: f64) -> [f64; 3] {
        let (c, w) = (self.damping, self.smoothing);
        if x <= 0.0 || c == 0.0 {
            return [0.0; 3];
        }
        let (share, slope) = if x < w { (x / w, 1.0 / w) } else { (1.0, 0.0) };
        let [_, force, stiffness] = self.elastic(x);
        let damped = c * share * rate;
        if damped < -force {
            return [-force, -stiffness, 0.0];
        }
        [damped, c * slope * rate, c * share]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAW: OneSided = OneSided {
        stiffness: 50.0,
        damping: 3.0,
        smoothing: 0.02,
    };

    #[test]
    fn derivatives_are_those_of_the_energy_and_of_the_damper() {
        // On both sides of each kink, never across one.
        for x in [-0.01, 0.004, 0.015, 0.03, 0.2] {
            for rate in [-40.0, -0.3, 0.0, 0.8] {
                let e = 1e-6;
                let slope = |f: &dyn Fn(f64) -> f64| (f(e) - f(-e)) / (2.0 * e);
                let [_, force, curvature] = LAW.elastic(x);
                let [_, by_x, by_rate] = LAW.damped(x, rate);
                // Differences of second order: e² times third derivatives, k/w and c v/w² at most, and rounding over e.
                let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-7, "{x}, {rate}: {a} {b}");
                near(slope(&|e| LAW.elastic(x + e)[0]), force);
                near(slope(&|e| LAW.elastic(x + e)[1]), curvature);
                near(slope(&|e| LAW.damped(x + e, rate)[0]), by_x);
                near(slope(&|e| LAW.damped(x, rate + e)[0]), by_rate);
            }
        }
    }

    #[test]
    fn energy_force_and_stiffness_are_continuous_and_nothing_pulls() {
        let w = LAW.smoothing;
        for edge in [0.0, w] {
            let [before, after] = [edge - 1e-13, edge + 1e-13].map(|x| LAW.elastic(x));
            for (a, b) in before.into_iter().zip(after) {
                // The steepest is the stiffness, k/w = 2500 per metre.
                assert!((a - b).abs() < 1e-9, "{edge}: {a} {b}");
            }
        }
        for k in 0..400 {
            let (x, rate) = (-0.01 + 0.0002 * f64::from(k), f64::from(k % 23) - 11.0);
            let force = LAW.elastic(x)[1] + LAW.damped(x, rate)[0];
            assert!(force >= 0.0, "{x}, {rate}: {force}");
            assert!(
                LAW.damped(x, rate)[0] * rate >= 0.0,
                "it gives energy at {x}, {rate}"
            );
        }
    }
}

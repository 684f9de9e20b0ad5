//! A motion through given points: a cubic spline that begins and ends at rest.
//!
//! ```text
//! s(t) = aᵢ + bᵢ τ + cᵢ τ² + dᵢ τ³,   τ = t − tᵢ           between two times
//! s, s', s'' are continuous;  s'(t₀) = s'(tₙ) = 0           a tridiagonal system for the slopes bᵢ
//! ```
//! Before the first time and after the last it stands still.
use super::Motion;

/// A cubic spline through points, at rest at both ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Spline {
    times: Vec<f64>,
    values: Vec<f64>,
    slopes: Vec<f64>,
}

/// Why points make no spline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SplineError {
    /// Fewer than two points.
    #[error("a table needs two points or more")]
    TooFew,
    /// Not as many values as times.
    #[error("there are not as many values as times")]
    Sizes,
    /// A time that is not later than the one before it.
    #[error("time {0} is not later than the one before it")]
    NotIncreasing(usize),
    /// A number that is not finite.
    #[error("a number is not finite")]
    NotFinite,
}

impl Spline {
    /// The spline through the points.
    pub fn new(times: &[f64], values: &[f64]) -> Result<Self, SplineError> {
        let n = times.len();
        if n != values.len() {
            return Err(SplineError::Sizes);
        }
        if n < 2 {
            return Err(SplineError::TooFew);
        }
        if !times.iter().chain(values).all(|x| x.is_finite()) {
            return Err(SplineError::NotFinite);
        }
        if let Some(k) = times.windows(2).position(|pair| !(pair[1] > pair[0])) {
            return Err(SplineError::NotIncreasing(k + 2));
        }
        // Slopes m: w₋ (mₖ₋₁ + 2 mₖ) + w₊ (2 mₖ + mₖ₊₁) = 3 (w₋ d₋ + w₊ d₊), w = 1/h, d = Δ/h.
        let width: Vec<f64> = times.windows(2).map(|t| t[1] - t[0]).collect();
        let secant: Vec<f64> = (values.windows(2).zip(&width))
            .map(|(v, h)| (v[1] - v[0]) / h)
            .collect();
        let mut slopes = vec![0.0; n];
        let mut upper = vec![0.0; n];
        for k in 1..n - 1 {
            let (before, after) = (1.0 / width[k - 1], 1.0 / width[k]);
            let pivot = 2.0 * (before + after) - before * upper[k - 1];
            upper[k] = after / pivot;
            let right = 3.0 * (before * secant[k - 1] + after * secant[k]);
            slopes[k] = (right - before * slopes[k - 1]) / pivot;
        }
        slopes[n - 1] = 0.0;
        for k in (1..n - 1).rev() {
            slopes[k] -= upper[k] * slopes[k + 1];
        }
        Ok(Self {
            times: times.to_vec(),
            values: values.to_vec(),
            slopes,
        })
    }

    /// Value, rate and acceleration at a time.
    pub fn at(&self, t: f64) -> (f64, f64, f64) {
        let last = self.times.len() - 1;
        if !(t > self.times[0]) {
            return (self.values[0], 0.0, 0.0);
        }
        if t >= self.times[last] {
            return (self.values[last], 0.0, 0.0);
        }
        let k = self.times.partition_point(|time| *time <= t) - 1;
        let (h, tau) = (self.times[k + 1] - self.times[k], t - self.times[k]);
        let secant = (self.values[k + 1] - self.values[k]) / h;
        let (b, next) = (self.slopes[k], self.slopes[k + 1]);
        let c = (3.0 * secant - 2.0 * b - next) / h;
        let d = (b + next - 2.0 * secant) / (h * h);
        (
            self.values[k] + tau * (b + tau * (c + tau * d)),
            b + tau * (2.0 * c + 3.0 * d * tau),
            2.0 * c + 6.0 * d * tau,
        )
    }

    /// The spline as the motion of a joint or a length.
    pub fn into_motion(self) -> Motion {
        Box::new(move |t| self.at(t))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_passes_through_its_points_smoothly_and_rests_at_its_ends() {
        let (times, values) = ([0.0, 0.4, 1.1, 1.3, 2.0], [1.0, 0.2, 0.7, 0.9, -0.3]);
        let spline = Spline::new(&times, &values).expect("points in order");
        for (t, value) in times.iter().zip(values) {
            // Slopes and second derivatives are of order 10: e times that.
            let e = 1e-9;
            let (at, left, right) = (spline.at(*t), spline.at(t - e), spline.at(t + e));
            assert!((at.0 - value).abs() < 1e-15, "{at:?} {value}");
            assert!((left.1 - right.1).abs() < 1e-6, "{left:?} {right:?}");
            let inner = *t > times[0] && *t < times[4];
            assert!(!inner || (left.2 - right.2).abs() < 1e-5, "{left:?} {right:?}");
        }
        for t in [-1.0, 0.0, 2.0, 5.0] {
            let (_, rate, second) = spline.at(t);
            assert_eq!((rate, second), (0.0, 0.0));
        }
        assert!(spline.at(2.0 - 1e-9).1.abs() < 1e-6);
    }

    #[test]
    fn it_is_of_order_four_for_motions_that_begin_and_end_at_rest() {
        let error = |n: usize| {
            let times: Vec<f64> = (0..=n).map(|k| k as f64 / n as f64).collect();
            let f = |t: f64| (std::f64::consts::PI * t).cos();
            let values: Vec<f64> = times.iter().map(|t| f(*t)).collect();
            let spline = Spline::new(&times, &values).expect("points in order");
            let each = (0..500).map(|k| k as f64 / 500.0);
            each.map(|t| (spline.at(t).0 - f(t)).abs()).fold(0.0, f64::max)
        };
        let order = (error(20) / error(40)).log2();
        assert!((order - 4.0).abs() < 0.1, "{order}");
    }
}

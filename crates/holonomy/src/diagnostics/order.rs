use crate::{
    integrator::{Fault, Integrator},
    math,
    system::State,
};

/// Slope of log error against log step, least squares.
pub fn observed_order(steps: &[f64], errors: &[f64]) -> f64 {
    let n = steps.len() as f64;
    let (x, y): (Vec<f64>, Vec<f64>) = steps
        .iter()
        .zip(errors)
        .map(|(h, e)| (math::ln(*h), math::ln(*e)))
        .unzip();
    let (mean_x, mean_y) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let covariance: f64 = x.iter().zip(&y).map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    covariance / x.iter().map(|x| math::powi(x - mean_x, 2)).sum::<f64>()
}

/// `|Φ₋ₕ(Φₕ(x)) − x|`, coordinates in units of `unit`: at the level of rounding for a symmetric method.
pub fn reversal_error(
    integrator: &mut dyn Integrator,
    state: &State,
    h: f64,
    unit: f64,
) -> Result<f64, Fault> {
    let mut there = state.clone();
    integrator.attempt(&mut there, h)?;
    integrator.attempt(&mut there, -h)?;
    Ok(distance_in(&there, state, unit))
}

/// Largest difference of two states: components of q, and of p in units of the largest of both. Not a number where a
/// component is none.
pub fn distance(a: &State, b: &State) -> f64 {
    distance_in(a, b, 1.0)
}

/// The same, with coordinates in units of `unit`.
pub fn distance_in(a: &State, b: &State, unit: f64) -> f64 {
    // Unlike `f64::max` this does not pass over what is not a number.
    let larger = |m: f64, x: f64| if m.is_nan() || x <= m { m } else { x };
    let largest = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - y).abs()).fold(0.0, larger);
    let scale = a.p.iter().chain(&b.p).fold(0.0_f64, |m, p| m.max(p.abs()));
    let momentum = largest(&a.p, &b.p);
    let position = largest(&a.q, &b.q) / unit;
    if position.is_nan() || momentum.is_nan() {
        return f64::NAN;
    }
    position.max(if scale > 0.0 { momentum / scale } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_number_is_not_close() {
        let state = |q: [f64; 3], p: [f64; 2]| State::new(0.0, q.to_vec(), p.to_vec());
        let here = state([1.0, 2.0, 3.0], [4.0, 0.0]);
        assert_eq!(distance(&here, &state([1.0, 2.5, 3.0], [2.0, 0.0])), 0.5);
        for q in [[f64::NAN, 2.0, 3.0], [1.0, 2.0, f64::NAN], [1.0, f64::NAN, 9.0]] {
            assert!(distance(&here, &state(q, [4.0, 0.0])).is_nan());
        }
        assert!(distance(&here, &state([1.0, 2.0, 3.0], [f64::NAN, 1.0])).is_nan());
    }
}

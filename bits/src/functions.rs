//! Every elementary function of the engine at many numbers.
use holonomy::math;

/// Gives the values to `see`, one after the other.
pub(crate) fn all(mut see: impl FnMut(f64)) {
    let unary: [fn(f64) -> f64; 19] = [
        math::sin,
        math::cos,
        math::tan,
        math::asin,
        math::acos,
        math::atan,
        math::sinh,
        math::cosh,
        math::tanh,
        math::asinh,
        math::acosh,
        math::atanh,
        math::exp,
        math::exp_m1,
        math::ln,
        math::ln_1p,
        math::log2,
        math::log10,
        math::cbrt,
    ];
    let binary: [fn(f64, f64) -> f64; 3] = [math::atan2, math::hypot, math::powf];
    let mut numbers = Numbers(1);
    for k in 0..2000 {
        let (x, y, z) = (numbers.next(), numbers.next(), numbers.next());
        unary.iter().for_each(|function| see(number(function(x))));
        binary
            .iter()
            .for_each(|function| see(number(function(x.abs(), y))));
        let (sine, cosine) = math::sin_cos(x);
        let others = [sine, cosine, math::mul_add(x, y, z), math::powi(x, k % 41 - 20)];
        others.into_iter().for_each(|x| see(number(x)));
    }
}

/// What is not a number has many patterns of bits, and no meaning in any.
fn number(x: f64) -> f64 {
    if x.is_nan() { f64::NAN } else { x }
}

/// Of either sign, half of them within ±1 and the others up to 2²⁰ (Knuth's linear congruence).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let fraction = (self.0 >> 12) as f64 / (1_u64 << 51) as f64 - 1.0;
        let large = self.0 >> 11 & 1 == 1;
        fraction
            * if large {
                (1 << (self.0 >> 6 & 31).min(20)) as f64
            } else {
                1.0
            }
    }
}

//! Elementary functions with the same bits on every machine.
//!
//! IEEE 754 fixes the rounding of `+ − × ÷ √`, of the fused product and of rounding to whole numbers, but not that of
//! `sin` and its kin: the standard library takes them from the platform, and glibc's differ even between processors
//! with and without fused products. Those of this module are plain arithmetic of the crate `libm`, whose version is
//! pinned: a run gives the same bits natively and in WebAssembly, whatever the processor. All are within 1 ulp or so.
//!
//! The engine computes with these alone; `clippy.toml` forbids those of `f64`. A potential written in Rust should use
//! them, too. `f64::sqrt`, `abs`, `floor`, `round`, `rem_euclid`, `min` and `max` are exact and stay.

/// Functions of one number under the names of `f64`'s methods.
macro_rules! unary {
    ($($(#[$doc:meta])* $name:ident = $libm:ident;)*) => {
        $(
            $(#[$doc])*
            #[inline]
            #[must_use]
            pub fn $name(x: f64) -> f64 {
                libm::$libm(x)
            }
        )*
    };
}

unary! {
    /// The sine of an angle, rad.
    sin = sin;
    /// The cosine of an angle, rad.
    cos = cos;
    /// The tangent of an angle, rad.
    tan = tan;
    /// The angle, from −π/2 to π/2, with the given sine.
    asin = asin;
    /// The angle, from 0 to π, with the given cosine.
    acos = acos;
    /// The angle, from −π/2 to π/2, with the given tangent.
    atan = atan;
    /// The hyperbolic sine.
    sinh = sinh;
    /// The hyperbolic cosine.
    cosh = cosh;
    /// The hyperbolic tangent.
    tanh = tanh;
    /// The inverse of [`sinh`].
    asinh = asinh;
    /// The inverse of [`cosh`], not negative.
    acosh = acosh;
    /// The inverse of [`tanh`].
    atanh = atanh;
    /// eˣ.
    exp = exp;
    /// eˣ − 1, without cancellation for small x.
    exp_m1 = expm1;
    /// The natural logarithm.
    ln = log;
    /// ln(1 + x), without cancellation for small x.
    ln_1p = log1p;
    /// The logarithm to base 2.
    log2 = log2;
    /// The logarithm to base 10.
    log10 = log10;
    /// The real cube root.
    cbrt = cbrt;
}

/// Sine and cosine of an angle, rad: those of [`sin`] and [`cos`], with one reduction of the angle.
#[inline]
#[must_use]
pub fn sin_cos(x: f64) -> (f64, f64) {
    libm::sincos(x)
}

/// The angle of the point (x, y), from −π to π.
#[inline]
#[must_use]
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// √(x² + y²), where the squares may overflow.
#[inline]
#[must_use]
pub fn hypot(x: f64, y: f64) -> f64 {
    libm::hypot(x, y)
}

/// `a b + c`, rounded once.
#[inline]
#[must_use]
pub fn mul_add(a: f64, b: f64, c: f64) -> f64 {
    libm::fma(a, b, c)
}

/// `base` to a real power.
#[inline]
#[must_use]
pub fn powf(base: f64, power: f64) -> f64 {
    libm::pow(base, power)
}

/// The larger of two numbers, and what is not a number if one of them is not: `f64::max` would lose it.
#[inline]
#[must_use]
pub fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

/// `base` to a whole power: products of repeated squares, and the reciprocal of these for a negative power.
///
/// What the compiler makes of `f64::powi` is not specified.
#[inline]
#[must_use]
pub fn powi(base: f64, power: i32) -> f64 {
    let (mut square, mut rest, mut product) = (base, power.unsigned_abs(), 1.0);
    loop {
        if rest & 1 == 1 {
            product *= square;
        }
        rest >>= 1;
        if rest == 0 {
            break;
        }
        square *= square;
    }
    if power < 0 { 1.0 / product } else { product }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distance in units of the last place of the second.
    fn ulps(a: f64, b: f64) -> f64 {
        let unit = (f64::from_bits(b.abs().to_bits() + 1) - b.abs()).max(f64::MIN_POSITIVE);
        if a == b { 0.0 } else { (a - b).abs() / unit }
    }

    #[test]
    fn functions_are_those_of_the_platform_up_to_the_last_bits() {
        type Unary = fn(f64) -> f64;
        let pairs: [(Unary, Unary); 19] = [
            (sin, f64::sin),
            (cos, f64::cos),
            (tan, f64::tan),
            (asin, f64::asin),
            (acos, f64::acos),
            (atan, f64::atan),
            (sinh, f64::sinh),
            (cosh, f64::cosh),
            (tanh, f64::tanh),
            (asinh, f64::asinh),
            (acosh, f64::acosh),
            (atanh, f64::atanh),
            (exp, f64::exp),
            (exp_m1, f64::exp_m1),
            (ln, f64::ln),
            (ln_1p, f64::ln_1p),
            (log2, f64::log2),
            (log10, f64::log10),
            (cbrt, f64::cbrt),
        ];
        for k in 1..4000 {
            let x = f64::from(k) * 0.7312 - 1462.0;
            for x in [x, x / 1500.0, x / 100.0] {
                for (index, (own, platform)) in pairs.iter().enumerate() {
                    let (a, b) = (own(x), platform(x));
                    // Both are within 2 of the truth; but std's own atanh loses a factor 1/(1−|x|), its kin less.
                    let bound = if (9..12).contains(&index) { 2000.0 } else { 4.0 };
                    assert!(
                        a.is_nan() && b.is_nan() || ulps(a, b) <= bound,
                        "{index} at {x}: {a:e} {b:e}"
                    );
                }
                let (sine, cosine) = sin_cos(x);
                assert_eq!(
                    [sine, cosine].map(f64::to_bits),
                    [sin(x), cos(x)].map(f64::to_bits)
                );
                let y = 3.0 - 0.01 * x;
                assert!(ulps(atan2(x, y), x.atan2(y)) <= 2.0);
                assert!(ulps(hypot(x, y), x.hypot(y)) <= 2.0);
                assert!(ulps(powf(x.abs(), y), x.abs().powf(y)) <= 2.0);
                assert_eq!(mul_add(x, y, -1.0).to_bits(), x.mul_add(y, -1.0).to_bits());
            }
        }
    }

    #[test]
    fn whole_powers_are_products_of_squares() {
        for x in [-1.7, 0.3, 1.0 + 1e-9] {
            assert_eq!(powi(x, 0), 1.0);
            assert_eq!(powi(x, 1), x);
            assert_eq!(powi(x, 2), x * x);
            assert_eq!(powi(x, 3), x * (x * x));
            assert_eq!(powi(x, 6), (x * x) * ((x * x) * (x * x)));
            assert_eq!(powi(x, -3), 1.0 / (x * (x * x)));
            // Each of up to 12 products of 40 squares rounds.
            assert!(ulps(powi(x, 40), powf(x, 40.0)) < 60.0);
        }
        assert_eq!(powi(2.0, -52), f64::EPSILON);
        assert_eq!(powi(1.0, i32::MIN), 1.0);
    }
}

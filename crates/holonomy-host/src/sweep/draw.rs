//! Random numbers that depend on a seed and on their place alone: the k-th case is the same in every order.
use holonomy::math;

/// A uniform number in (0, 1) of a seed, an axis and a case.
pub(super) fn uniform(seed: u64, axis: u64, case: u64) -> f64 {
    unit(bits(seed, axis, case))
}

/// Random bits of a seed, an axis and a case.
pub(super) fn bits(seed: u64, axis: u64, case: u64) -> u64 {
    mixed(mixed(mixed(seed) ^ axis) ^ case)
}

/// A number in (0, 1) of bits, the first the highest: never 0 and never 1.
pub(super) fn unit(bits: u64) -> f64 {
    // 52 bits and a half are exact; with one bit more the largest would be rounded to 1.
    ((bits >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
}

/// The finalizer of SplitMix64 (Steele, Lea & Flood 2014).
fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A random order of the numbers below `count`.
pub(super) fn shuffled(seed: u64, axis: u64, count: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    for k in (1..count).rev() {
        let other = (uniform(seed ^ 0x5bd1_e995, axis, k as u64) * (k + 1) as f64) as usize;
        order.swap(k, other.min(k));
    }
    order
}

/// The number below which a standard normal one is with probability p in (0, 1): Newton's method on the distribution
/// from the initial guess of Hastings, good to 4.5e-4.
pub(super) fn normal_quantile(p: f64) -> f64 {
    if p > 0.5 {
        return -normal_quantile(1.0 - p);
    }
    let t = (-2.0 * math::ln(p)).sqrt();
    let above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let below = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    let mut x = above / below - t;
    for _ in 0..3 {
        let density = math::exp(-0.5 * x * x) / (2.0 * std::f64::consts::PI).sqrt();
        let step = (lower_tail(x) - p) / density;
        // Halley's correction: the density has the slope −x.
        x -= step / (1.0 + 0.5 * x * step);
    }
    x
}

/// Φ(x) for x ≤ 0, by the series of the density near zero and by a continued fraction beyond.
fn lower_tail(x: f64) -> f64 {
    let density = math::exp(-0.5 * x * x) / (2.0 * std::f64::consts::PI).sqrt();
    if x > -3.0 {
        let (mut term, mut sum) = (x, x);
        let mut k = 1.0;
        while term.abs() > 1e-18 * sum.abs() && k < 400.0 {
            k += 2.0;
            term *= x * x / k;
            sum += term;
        }
        return 0.5 + density * sum;
    }
    let mut fraction = 0.0;
    for k in (1..=80).rev() {
        fraction = f64::from(k) / (-x + fraction);
    }
    density / (-x + fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published quantiles of the normal distribution.
    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (p, exact) in [
            (0.5, 0.0),
            (0.975, 1.959_963_984_540_054),
            (0.995, 2.575_829_303_548_901),
            (0.001, -3.090_232_306_167_813),
            (1e-6, -4.753_424_308_822_899),
            (0.841_344_746_068_542_9, 1.0),
        ] {
            assert!(
                (normal_quantile(p) - exact).abs() < 1e-12,
                "{p}: {}",
                normal_quantile(p)
            );
        }
    }

    #[test]
    fn an_order_has_every_number_once() {
        let mut order = shuffled(7, 1, 1000);
        assert_ne!(order, shuffled(8, 1, 1000));
        order.sort_unstable();
        assert!(order.iter().enumerate().all(|(k, number)| *number == k as u32));
        // Mean and variance of 10⁵ uniform numbers: within four standard errors.
        let numbers: Vec<f64> = (0..100_000).map(|k| uniform(3, 0, k)).collect();
        let mean = numbers.iter().sum::<f64>() / 1e5;
        let variance = numbers.iter().map(|x| (x - 0.5).powi(2)).sum::<f64>() / 1e5;
        assert!((mean - 0.5).abs() < 4.0 * (1.0_f64 / 12.0 / 1e5).sqrt(), "{mean}");
        assert!(
            (variance - 1.0 / 12.0).abs() < 4.0 * (1.0_f64 / 180.0 / 1e5).sqrt(),
            "{variance}"
        );
    }
}

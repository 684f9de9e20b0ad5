//! Round numbers: the ticks of an axis and the offset of data that are almost constant.

use super::text::{fixed, power_of_ten};
use holonomy::math;

/// Data ranges below this fraction of the magnitude are shown as differences.
const NEARLY_CONSTANT: f64 = 2e-4;

/// A round number near data that are almost constant, with its text.
pub(super) fn offset(low: f64, high: f64) -> Option<(f64, String)> {
    let (range, magnitude) = (high - low, low.abs().max(high.abs()));
    if range == 0.0 || range >= NEARLY_CONSTANT * magnitude {
        return None;
    }
    let (middle, order) = (0.5 * (low + high), math::log10(magnitude).floor() as i32);
    (0..17)
        .map(|digits| rounded(middle, order, digits))
        .find(|(value, _)| (value - middle).abs() <= range)
}

/// A number to this many digits after its first, with its text.
fn rounded(value: f64, order: i32, digits: i32) -> (f64, String) {
    // Parsing gives the double nearest to the decimal number, which scaling by a power of ten does not.
    let scientific = format!("{value:.*e}", digits.unsigned_abs() as usize);
    let nearest = scientific.parse().unwrap_or(value);
    let text = if (-4..6).contains(&order) {
        fixed(nearest, (digits - order).max(0).unsigned_abs() as usize)
    } else {
        let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
        format!(
            "{}×{}",
            mantissa.replace('-', "−"),
            power_of_ten(exponent.parse().unwrap_or(order))
        )
    };
    (nearest, text)
}

/// Multiples of 1, 2 or 5 times a power of ten.
pub(super) struct Steps {
    digit: f64,
    exponent: i32,
}

impl Steps {
    /// The finest steps of which at most `target` fit.
    pub(super) fn over(low: f64, high: f64, target: usize) -> Self {
        let raw = ((high - low) / target.max(1) as f64).max(1e-290);
        let mut exponent = math::log10(raw).floor() as i32;
        let mantissa = raw / power(exponent);
        let digit = [1.0, 2.0, 5.0]
            .into_iter()
            .find(|digit| mantissa <= digit * (1.0 + 1e-9));
        if digit.is_none() {
            exponent += 1;
        }
        Self {
            digit: digit.unwrap_or(1.0),
            exponent,
        }
    }

    fn size(&self) -> f64 {
        self.digit * power(self.exponent)
    }

    /// Ends moved outwards to a multiple, where one is near.
    pub(super) fn snapped(&self, low: f64, high: f64) -> (f64, f64) {
        let (first, last) = (
            (low / self.size()).floor() * self.size(),
            (high / self.size()).ceil() * self.size(),
        );
        let near = 0.45 * self.size();
        (
            if low - first < near { first } else { low },
            if last - high < near { last } else { high },
        )
    }

    /// The multiples between the ends with their labels, and the power of ten that the labels leave out.
    pub(super) fn labelled(&self, low: f64, high: f64) -> (Vec<(f64, String)>, Option<String>) {
        let slack = 1e-6;
        let first = (low / self.size() - slack).ceil() as i64;
        let last = (high / self.size() + slack).floor() as i64;
        let largest = first.unsigned_abs().max(last.unsigned_abs()) as f64 * self.digit;
        let order = if largest > 0.0 {
            math::log10(largest * 1.000001).floor() as i32 + self.exponent
        } else {
            0
        };
        let shift = match order {
            -2..=4 => 0,
            // Labels up to 15 read better than up to 1.5.
            _ if order > self.exponent && largest < 1.5001 * power(order - self.exponent) => order - 1,
            _ => order,
        };
        let decimals = (shift - self.exponent).max(0).unsigned_abs() as usize;
        let multiples = (first..=last).map(|multiple| {
            let digits = multiple as f64 * self.digit;
            (
                digits * power(self.exponent),
                fixed(digits * power(self.exponent - shift), decimals),
            )
        });
        (multiples.collect(), (shift != 0).then(|| power_of_ten(shift)))
    }
}

fn power(exponent: i32) -> f64 {
    math::powi(10.0, exponent)
}

/// The whole powers of ten on a logarithmic ruler.
pub(super) struct Decades {
    pub(super) first: i32,
    pub(super) last: i32,
}

impl Decades {
    /// Logarithms of the labelled values with their labels, and of the values without one: the finest of a
    /// few patterns that has at most `target` labels.
    pub(super) fn ticks(&self, low: f64, high: f64, target: usize) -> (Vec<(f64, String)>, Vec<f64>) {
        let inside = |value: f64| value >= low - 1e-9 && value <= high + 1e-9;
        let multiples = |digits: &[i32], stride: i32| -> Vec<(i32, i32)> {
            let all = (self.first - 1..=self.last + 1).filter(|decade| decade.rem_euclid(stride) == 0);
            let all = all.flat_map(|decade| digits.iter().map(move |digit| (*digit, decade)));
            all.filter(|(digit, decade)| inside(logarithm(*digit, *decade)))
                .collect()
        };
        let strides = [1, 2, 3, 4, 5, 10, 20, 50, 100, 200, 500];
        let patterns = std::iter::once((&[1, 2, 5][..], 1)).chain(strides.map(|stride| (&[1][..], stride)));
        let (labelled, stride) = patterns
            .map(|(digits, stride)| (multiples(digits, stride), stride))
            .find(|(labelled, _)| labelled.len() <= target)
            .unwrap_or_default();
        let minor: &[i32] = if stride == 1 {
            &[2, 3, 4, 5, 6, 7, 8, 9]
        } else {
            &[1]
        };
        let minor = multiples(minor, 1)
            .into_iter()
            .filter(|tick| !labelled.contains(tick));
        let minor = minor.map(|(digit, decade)| logarithm(digit, decade)).collect();
        let plain = labelled.iter().all(|(_, decade)| (-3..=3).contains(decade));
        let label = |(digit, decade): (i32, i32)| match (plain, digit) {
            (true, _) => fixed(
                f64::from(digit) * power(decade),
                (-decade).max(0).unsigned_abs() as usize,
            ),
            (false, 1) => power_of_ten(decade),
            (false, _) => format!("{digit}×{}", power_of_ten(decade)),
        };
        (
            labelled
                .into_iter()
                .map(|(digit, decade)| (logarithm(digit, decade), label((digit, decade))))
                .collect(),
            minor,
        )
    }
}

fn logarithm(digit: i32, decade: i32) -> f64 {
    math::log10(f64::from(digit)) + f64::from(decade)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_one_two_or_five() {
        for (high, target, size) in [
            (10.0, 10, 1.0),
            (10.0, 9, 2.0),
            (1.1e-7, 5, 5e-8),
            (6e20, 10, 1e20),
        ] {
            let steps = Steps::over(0.0, high, target);
            assert!(
                (steps.size() / size - 1.0).abs() < 1e-12,
                "{high} in {target}: {}",
                steps.size()
            );
        }
    }

    #[test]
    fn offsets_are_as_short_as_they_can_be() {
        let text = |low, high| offset(low, high).map(|(_, text)| text);
        assert_eq!(text(1.0, 2.0), None);
        assert_eq!(text(-0.750_000_01, -0.75).as_deref(), Some("−0.75"));
        assert_eq!(text(2.4515e6, 2.4515e6 + 20.0).as_deref(), Some("2.4515×10⁶"));
        assert_eq!(text(1e-7, 1.000_001e-7).as_deref(), Some("1×10⁻⁷"));
    }
}

//! Numbers as people read them, and as they are written where they may not be finite.
pub(crate) mod nullable;

pub use holonomy::decimal;

use holonomy::math;

/// A number for people: six digits, no trailing zeros.
pub(crate) fn short(value: f64) -> String {
    if value == 0.0 || (1e-3..1e6).contains(&value.abs()) {
        let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
        format!("{rounded}").replace('-', "−")
    } else {
        power(value)
    }
}

/// A number for people: three digits, with a power of ten where it is very large or small.
pub fn rough(value: f64) -> String {
    match value.abs() {
        1e-3..1e5 => {
            let rounded: f64 = format!("{value:.2e}").parse().unwrap_or(value);
            rounded.to_string().replace('-', "−")
        }
        _ => power(value),
    }
}

/// A number to so many digits, or whole if it is; with a power of ten where it is very large or small.
pub fn digits(value: f64, count: usize) -> String {
    match value.abs() {
        1e-3..1e5 => {
            let before = math::log10(value.abs()).floor() as i64 + 1;
            let decimals = match value.fract() == 0.0 {
                true => 0,
                false => (count as i64 - before).max(0) as usize,
            };
            format!("{value:.decimals$}").replace('-', "−")
        }
        _ => power_to(value, count),
    }
}

/// A number with its power of ten, such as `2.16×10⁻⁵`.
pub(crate) fn power(value: f64) -> String {
    power_to(value, 3)
}

fn power_to(value: f64, count: usize) -> String {
    let text = format!("{value:.*e}", count.saturating_sub(1));
    let Some((digits, exponent)) = text.split_once('e').filter(|_| value != 0.0) else {
        return if value == 0.0 { "0".to_owned() } else { text };
    };
    let digits = digits.replace('-', "−");
    let exponent: String = exponent.chars().map(superscript).collect();
    match exponent.as_str() {
        "⁰" => digits,
        _ => format!("{digits}×10{exponent}"),
    }
}

/// A number with its standard error in the same power of ten, such as `(−1.1 ± 0.1)×10⁻³`: digits as far as the
/// error leaves them.
pub fn uncertain(value: f64, error: f64) -> String {
    let largest = value.abs().max(error.abs());
    if !(largest > 0.0 && largest.is_finite()) {
        return format!("{} ± {}", power(value), power(error));
    }
    let exponent = math::log10(largest).floor();
    let unit = math::powf(10.0, exponent);
    let (value, error) = (value / unit, error.abs() / unit);
    // Below a thousandth of the value the error would ask for digits that nobody reads.
    let digits = (-math::log10(error).floor()).clamp(1.0, 3.0) as usize;
    let mut text = format!("{value:.digits$} ± {error:.digits$}").replace('-', "−");
    // What is rounded to zero has no sign.
    if let Some(rest) = text
        .strip_prefix('−')
        .filter(|_| value.abs() < 0.5 * math::powi(0.1, digits as i32))
    {
        text = rest.to_owned();
    }
    match exponent as i32 {
        0 => text,
        exponent => {
            let exponent: String = exponent.to_string().chars().map(superscript).collect();
            format!("({text})×10{exponent}")
        }
    }
}

fn superscript(character: char) -> char {
    match character {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        // The other superscript digits are consecutive in Unicode, from U+2070.
        digit => char::from_u32(0x2070 + digit.to_digit(10).unwrap_or(0)).unwrap_or(digit),
    }
}

/// A count with thousands apart.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && digits.len() > 4 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{2009}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!(power(2.164e-5), "2.16×10⁻⁵");
        assert_eq!(power(-3.0), "−3.00");
        assert_eq!((power(0.0), power(f64::NAN)), ("0".into(), "NaN".into()));
        assert_eq!(short(-0.75), "−0.75");
        assert_eq!(uncertain(-1.12e-3, 9e-5), "(−1.12 ± 0.09)×10⁻³");
        assert_eq!(uncertain(2.1e-7, 1.04e-6), "(0.2 ± 1.0)×10⁻⁶");
        assert_eq!(uncertain(-2.1e-9, 1.04e-6), "(0.0 ± 1.0)×10⁻⁶");
        assert_eq!(uncertain(-0.04, 1.0), "0.0 ± 1.0");
        assert_eq!(uncertain(3.25, 0.1), "3.2 ± 0.1");
        assert_eq!(
            (uncertain(0.0, 0.0), uncertain(1e-5, 0.0)),
            ("0 ± 0".into(), "(1.000 ± 0.000)×10⁻⁵".into())
        );
        assert_eq!(
            (digits(11.54904, 6), digits(500.0, 9)),
            ("11.5490".into(), "500".into())
        );
        assert_eq!(
            (digits(-2.16409e-5, 5), digits(0.0, 5)),
            ("−2.1641×10⁻⁵".into(), "0".into())
        );
        assert_eq!(rough(-0.25199), "−0.252");
        assert_eq!(
            (rough(12_345.0), rough(1e-9)),
            ("12300".into(), "1.00×10⁻⁹".into())
        );
        assert_eq!(short(9.81 * 9.81), "96.2361");
        assert_eq!(grouped(1_000_000), "1\u{2009}000\u{2009}000");
        assert_eq!(grouped(1000), "1000");
    }
}

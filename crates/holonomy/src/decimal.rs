//! Computed numbers in messages.

/// A computed number as a person would write it: 38 × 0.1 is `3.8`, not `3.8000000000000003`. Twelve digits, without
/// zeros at the end; an exponent where it is very large or small.
pub fn decimal(value: f64) -> String {
    let rounded: f64 = format!("{value:.11e}").parse().unwrap_or(value);
    match rounded.abs() {
        0.0 => "0".to_owned(),
        1e-5..1e12 => rounded.to_string(),
        _ => format!("{rounded:e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_decimals_read_as_they_are_meant() {
        assert_ne!((38.0 * 0.1_f64).to_string(), "3.8");
        assert_eq!(decimal(38.0 * 0.1), "3.8");
        assert_eq!(decimal(0.1 + 0.2), "0.3");
        assert_eq!(decimal(-1234.5), "-1234.5");
        assert_eq!((decimal(100.0), decimal(-0.0)), ("100".into(), "0".into()));
        assert_eq!((decimal(1e-9), decimal(2.5e15)), ("1e-9".into(), "2.5e15".into()));
        assert_eq!(
            (decimal(f64::NAN), decimal(f64::INFINITY)),
            ("NaN".into(), "inf".into())
        );
        // A third has no end; it is cut.
        assert_eq!(decimal(1.0 / 3.0), "0.333333333333");
    }
}

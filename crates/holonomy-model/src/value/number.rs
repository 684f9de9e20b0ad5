use std::fmt;

/// A number as it was written, so that what is written back has the same digits.
///
/// Decimal (`1`, `-2.5e-3`), whole in another base (`0xFF`), `inf` or `nan`. One made from a double has the fewest
/// digits that give back the same double.
#[derive(Clone, Debug)]
pub struct Number {
    text: Box<str>,
}

impl Number {
    /// Of digits that are known to be a number.
    pub(crate) fn written(text: impl Into<Box<str>>) -> Self {
        Self { text: text.into() }
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The nearest double; infinite beyond the largest one.
    pub fn value(&self) -> f64 {
        match self.in_base() {
            Some((digits, base)) => {
                u128::from_str_radix(digits, base).map_or(f64::INFINITY, |whole| whole as f64)
            }
            None => self.text.parse().unwrap_or(f64::NAN),
        }
    }

    /// Whether it is written as a whole number, without point or exponent.
    pub fn is_whole(&self) -> bool {
        let digits = self.text.strip_prefix(['+', '-']).unwrap_or(&self.text);
        self.in_base().is_some() || digits.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// The whole number, if it is written as one and not too large.
    pub fn whole(&self) -> Option<i128> {
        match self.in_base() {
            Some((digits, base)) => i128::from_str_radix(digits, base).ok(),
            None => self.text.parse().ok(),
        }
    }

    /// The digits and the base, if it is not ten.
    fn in_base(&self) -> Option<(&str, u32)> {
        [("0x", 16), ("0o", 8), ("0b", 2)]
            .into_iter()
            .find_map(|(prefix, base)| Some((self.text.strip_prefix(prefix)?, base)))
    }
}

/// Equal to the bit, and both written as whole numbers or neither.
impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
            || (self.is_whole() == other.is_whole() && self.value().to_bits() == other.value().to_bits())
    }
}

impl fmt::Display for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl From<f64> for Number {
    fn from(number: f64) -> Self {
        Self::written(match () {
            () if number.is_nan() => "nan".to_owned(),
            () => format!("{number:?}"),
        })
    }
}

impl From<i64> for Number {
    fn from(number: i64) -> Self {
        Self::written(number.to_string())
    }
}

impl From<u64> for Number {
    fn from(number: u64) -> Self {
        Self::written(number.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_double_keeps_its_bits() {
        for number in [
            0.0,
            -0.0,
            0.1,
            1.0,
            1e22,
            5e-324,
            -1.797_693_134_862_315_7e308,
            1.0 / 3.0,
            f64::INFINITY,
        ] {
            let written = Number::from(number);
            assert_eq!(written.value().to_bits(), number.to_bits(), "{written}");
            assert!(!written.is_whole(), "{written}");
        }
        assert!(Number::from(f64::NAN).value().is_nan());
    }

    #[test]
    fn whole_numbers_are_told_from_others() {
        assert_eq!(Number::from(7_i64).whole(), Some(7));
        assert_eq!(Number::written("0xFF").whole(), Some(255));
        assert_eq!(Number::written("0xFF").value(), 255.0);
        assert_eq!(Number::written("1.0").whole(), None);
        assert_ne!(Number::written("1.0"), Number::written("1"));
        assert_eq!(Number::written("1e3"), Number::written("1000.0"));
    }
}

use super::Unit;
use super::symbols::{ATOMS, Factor, atom};
use crate::problem::excerpt;
use holonomy::formula::nearest;

/// The SI value of a quantity such as `30 deg`, `9.81 m/s^2`, `0.1 kg m²` or `5 ms`; without a unit, SI is meant.
///
/// Powers of ten are applied to the decimal text, so `0.3 mm` is the very number that `0.0003` is.
pub fn parse_quantity(text: &str, expected: Unit) -> Result<f64, QuantityError> {
    let (number, rest) = split_number(text, expected)?;
    let units = rest.trim();
    let Factor {
        dimension,
        ten,
        times,
        over,
    } = if units.is_empty() {
        Factor::ONE
    } else {
        parse_units(units)?
    };
    if !units.is_empty() && !dimension.serves_for(expected.dimension) {
        return Err(QuantityError::WrongDimension {
            found: dimension.describe(&excerpt(units)),
            expected: expected.describe(),
            example: expected.example(),
        });
    }
    let value = number.times_ten_to(ten).map(|value| value * times / over);
    value
        .filter(|value| value.is_finite())
        .ok_or_else(|| QuantityError::NotFinite { text: excerpt(text) })
}

/// What is wrong with the text of a quantity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    /// The text does not begin with a number.
    #[error("there is no number in `{text}`")]
    MissingNumber {
        /// The text as given.
        text: String,
        /// A text that would do.
        example: String,
    },
    /// The number has a decimal comma.
    #[error("`{number}` has a decimal comma")]
    DecimalComma {
        /// The number as given.
        number: String,
    },
    /// The number is too large.
    #[error("`{text}` is not finite")]
    NotFinite {
        /// The text as given.
        text: String,
    },
    /// A unit that is not in the table.
    #[error("unknown unit `{unit}`")]
    UnknownUnit {
        /// The unit as given.
        unit: String,
        /// A unit that was perhaps meant.
        suggestion: Option<&'static str>,
    },
    /// A unit that measures something else.
    #[error("expected {expected}, got {found}")]
    WrongDimension {
        /// What the text measures.
        found: String,
        /// What was expected.
        expected: String,
        /// A text that would do.
        example: String,
    },
    /// A product after a quotient, which is read in two ways.
    #[error("`{units}` is ambiguous")]
    Ambiguous {
        /// The units as given.
        units: String,
    },
    /// Something that is neither a unit nor an operator.
    #[error("unexpected `{rest}` after the quantity")]
    TrailingText {
        /// What was not understood.
        rest: String,
    },
}

impl QuantityError {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::MissingNumber { example, .. } => Some(format!("write a number, such as `{example}`")),
            Self::DecimalComma { number } => {
                Some(format!("write a decimal point: `{}`", number.replace(',', ".")))
            }
            Self::NotFinite { .. } => None,
            Self::UnknownUnit {
                suggestion: Some(near),
                ..
            } => Some(format!("did you mean `{near}`?")),
            Self::UnknownUnit { suggestion: None, .. } => {
                let symbols: Vec<&str> = ATOMS.iter().map(|atom| atom.symbol).collect();
                Some(format!("known units: {}", symbols.join(" ")))
            }
            Self::WrongDimension { example, .. } if example.contains(' ') => {
                Some(format!("for example `{example}`"))
            }
            Self::WrongDimension { example, .. } => {
                Some(format!("write a plain number, such as `{example}`"))
            }
            Self::Ambiguous { .. } => Some("write `/` before every divisor: `N/m/s`".to_owned()),
            Self::TrailingText { .. } => Some("powers are written `m^2`, quotients `m/s`".to_owned()),
        }
    }
}

/// Products (blank, `*`, `·`) and quotients (`/`) of powers (`^2`, `²`) of atoms.
fn parse_units(units: &str) -> Result<Factor, QuantityError> {
    let mut factor = Factor::ONE;
    let mut rest = units;
    let mut divided = false;
    let mut first = true;
    while !rest.is_empty() {
        let (operator, operand) = match rest.chars().next() {
            Some(sign @ ('/' | '*' | '·' | '⋅')) => (sign, rest[sign.len_utf8()..].trim_start()),
            _ => ('*', rest),
        };
        let starts = first && operator != '/' && operand.len() < rest.len();
        if starts || (divided && operator != '/') {
            return Err(match starts {
                true => QuantityError::TrailingText { rest: excerpt(rest) },
                false => QuantityError::Ambiguous {
                    units: excerpt(units),
                },
            });
        }
        divided |= operator == '/';
        let sign = if operator == '/' { -1 } else { 1 };
        let length = operand
            .find(|letter: char| !letter.is_alphabetic() && letter != '°')
            .unwrap_or(operand.len());
        let (symbol, after) = operand.split_at(length);
        if symbol.is_empty() {
            // The one of `1/s`.
            match operand.strip_prefix('1').filter(|_| first) {
                Some(after) if after.trim_start().starts_with('/') => rest = after.trim_start(),
                _ => return Err(QuantityError::TrailingText { rest: excerpt(rest) }),
            }
        } else {
            let (power, after) = split_power(after)?;
            let atom = atom(symbol).ok_or_else(|| QuantityError::UnknownUnit {
                unit: excerpt(symbol),
                suggestion: nearest(symbol, ATOMS.iter().map(|atom| atom.symbol)),
            })?;
            factor = factor.times(atom, sign * power);
            rest = after.trim_start();
        }
        first = false;
    }
    Ok(factor)
}

/// `^2`, `^-1`, `²`, `⁻¹` or nothing, and what follows.
fn split_power(text: &str) -> Result<(i32, &str), QuantityError> {
    let raised = |letter: char| "⁻⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|digit| digit == letter);
    let (digits, rest): (String, &str) = if let Some(after) = text.strip_prefix('^') {
        let end = after
            .find(|letter: char| !letter.is_ascii_digit() && letter != '-')
            .unwrap_or(after.len());
        (after[..end].to_owned(), &after[end..])
    } else {
        let end = text.find(|letter| raised(letter).is_none()).unwrap_or(text.len());
        let plain = text[..end]
            .chars()
            .filter_map(|letter| "-0123456789".chars().nth(raised(letter)?));
        (plain.collect(), &text[end..])
    };
    match digits.parse::<i32>() {
        Ok(power) if (-9..=9).contains(&power) => Ok((power, rest)),
        Err(_) if digits.is_empty() && !text.starts_with('^') => Ok((1, rest)),
        _ => Err(QuantityError::TrailingText { rest: excerpt(text) }),
    }
}

/// A decimal number as text, split before its exponent.
struct Decimal {
    mantissa: String,
    exponent: i32,
}

impl Decimal {
    /// The nearest double to the number times a power of ten.
    fn times_ten_to(&self, ten: i32) -> Option<f64> {
        format!("{}e{}", self.mantissa, self.exponent.saturating_add(ten))
            .parse()
            .ok()
    }
}

/// The number at the beginning and what follows it.
fn split_number(text: &str, expected: Unit) -> Result<(Decimal, &str), QuantityError> {
    let missing = || QuantityError::MissingNumber {
        text: excerpt(text),
        example: expected.example(),
    };
    let trimmed = text.trim_start();
    let (sign, unsigned) = match trimmed.chars().next() {
        Some(minus @ ('-' | '−')) => ("-", &trimmed[minus.len_utf8()..]),
        Some('+') => ("", &trimmed[1..]),
        _ => ("", trimmed),
    };
    let digits = |text: &str| {
        text.find(|letter: char| !letter.is_ascii_digit())
            .unwrap_or(text.len())
    };
    let whole = digits(unsigned);
    let fraction = match unsigned[whole..].strip_prefix('.') {
        Some(after) => 1 + digits(after),
        None => 0,
    };
    let (mantissa, rest) = unsigned.split_at(whole + fraction);
    if mantissa.trim_matches('.').is_empty() {
        return Err(missing());
    }
    if let Some(after) = rest.strip_prefix(',') {
        let number = mantissa.len() + 1 + digits(after);
        return Err(QuantityError::DecimalComma {
            number: excerpt(&unsigned[..number]),
        });
    }
    let mut exponent = 0;
    let mut units = rest;
    if let Some(power) = rest.strip_prefix(['e', 'E']) {
        let signed = power.strip_prefix(['+', '-']).unwrap_or(power);
        let length = digits(signed);
        if length > 0 {
            let end = power.len() - signed.len() + length;
            let limit = if power.starts_with('-') {
                i32::MIN / 4
            } else {
                i32::MAX / 4
            };
            exponent = power[..end].parse().unwrap_or(limit);
            units = &power[end..];
        }
    }
    Ok((
        Decimal {
            mantissa: format!("{sign}{mantissa}"),
            exponent,
        },
        units,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn quantities_are_converted_to_si() {
        for (text, unit, value) in [
            ("30 deg", Unit::RADIAN, 30.0 * PI / 180.0),
            ("30°", Unit::RADIAN, 30.0 * PI / 180.0),
            ("0.5", Unit::RADIAN, 0.5),
            ("20 deg/s", Unit::RADIAN_PER_SECOND, 20.0 * PI / 180.0),
            ("20 1/s", Unit::RADIAN_PER_SECOND, 20.0),
            ("30 rev/min", Unit::RADIAN_PER_SECOND, 30.0 * (2.0 * PI) / 60.0),
            ("9.81 m/s^2", Unit::METRE_PER_SECOND_SQUARED, 9.81),
            ("9.81 m/s²", Unit::METRE_PER_SECOND_SQUARED, 9.81),
            ("9.81 m s⁻²", Unit::METRE_PER_SECOND_SQUARED, 9.81),
            ("9.81 m/s/s", Unit::METRE_PER_SECOND_SQUARED, 9.81),
            ("36 km/h", Unit::METRE_PER_SECOND, 10.0),
            ("1e3 N/m", Unit::NEWTON_PER_METRE, 1000.0),
            ("1e3N/m", Unit::NEWTON_PER_METRE, 1000.0),
            ("0.1 kg m^2", Unit::KILOGRAM_METRE_SQUARED, 0.1),
            ("0.1 kg·m^2", Unit::KILOGRAM_METRE_SQUARED, 0.1),
            ("0.1 kg*m^2", Unit::KILOGRAM_METRE_SQUARED, 0.1),
            ("3 g cm^2", Unit::KILOGRAM_METRE_SQUARED, 3e-7),
            ("2 N m", Unit::JOULE, 2.0),
            ("2 J/T", Unit::AMPERE_METRE_SQUARED, 2.0),
            ("-.5", Unit::NONE, -0.5),
            ("−5 deg", Unit::RADIAN, -5.0 * PI / 180.0),
            ("+5. m", Unit::METRE, 5.0),
            ("2 min", Unit::SECOND, 120.0),
            ("7 µs", Unit::SECOND, 7e-6),
            ("2 1/s", Unit::PER_SECOND, 2.0),
            ("2 /s", Unit::PER_SECOND, 2.0),
        ] {
            assert_eq!(parse_quantity(text, unit), Ok(value), "{text}");
        }
    }

    #[test]
    fn decimal_prefixes_give_the_double_of_the_decimal_literal() {
        for digits in (1..3000).map(|k| format!("{}.{}", k / 7, k % 97)) {
            for (unit, ten) in [("mm", -3), ("cm", -2), ("km", 3)] {
                let literal: f64 = format!("{digits}e{ten}").parse().expect("a number");
                assert_eq!(
                    parse_quantity(&format!("{digits} {unit}"), Unit::METRE),
                    Ok(literal)
                );
            }
        }
        assert_eq!(parse_quantity("5 ms", Unit::SECOND), Ok(0.005));
        assert_eq!(parse_quantity("0.3 mm", Unit::METRE), Ok(0.0003));
    }

    #[test]
    fn each_mistake_has_its_own_message_and_help() {
        let fails = |text: &str, unit: Unit| {
            let error = parse_quantity(text, unit).expect_err(text);
            (error.to_string(), error.help().unwrap_or_default())
        };
        let check = |text: &str, unit: Unit, message: &str, help: &str| {
            let (said, helped) = fails(text, unit);
            assert_eq!(said, message, "{text}");
            assert!(helped.contains(help), "{text}: {helped}");
        };
        check("heavy", Unit::KILOGRAM, "there is no number in `heavy`", "2.5 kg");
        check("", Unit::KILOGRAM, "there is no number in ``", "");
        check("--5", Unit::NONE, "there is no number in `--5`", "");
        check("nan", Unit::NONE, "there is no number in `nan`", "");
        check("9,81 m/s^2", Unit::METRE, "`9,81` has a decimal comma", "`9.81`");
        check("1e999 m", Unit::METRE, "`1e999 m` is not finite", "");
        check("1 Kg", Unit::KILOGRAM, "unknown unit `Kg`", "did you mean `kg`?");
        check(
            "1 degs",
            Unit::RADIAN,
            "unknown unit `degs`",
            "did you mean `deg`?",
        );
        check(
            "1 furlong",
            Unit::METRE,
            "unknown unit `furlong`",
            "known units: m km",
        );
        check(
            "30 deg",
            Unit::NONE,
            "expected a number without unit, got an angle in `deg`",
            "2.5",
        );
        check(
            "2 m",
            Unit::KILOGRAM,
            "expected a mass in kg, got a length in `m`",
            "`2.5 kg`",
        );
        check(
            "2 m^7",
            Unit::RADIAN,
            "expected an angle in rad, got `m^7`",
            "`30 deg`",
        );
        check(
            "2 kg/m s",
            Unit::KILOGRAM,
            "`kg/m s` is ambiguous",
            "before every divisor",
        );
        check("2 m 3", Unit::METRE, "unexpected `3` after the quantity", "m^2");
        check("2 m^", Unit::METRE, "unexpected `^` after the quantity", "m^2");
        check(
            "2 m^99",
            Unit::METRE,
            "unexpected `^99` after the quantity",
            "m^2",
        );
        check("2 * m", Unit::METRE, "unexpected `* m` after the quantity", "m^2");
        check("2 m/", Unit::METRE, "unexpected `/` after the quantity", "m^2");
        check("1 2", Unit::NONE, "unexpected `2` after the quantity", "m^2");
    }

    #[test]
    fn any_text_is_answered() {
        let pieces = [
            "1", "-", ".", "e", "9", " ", "m", "/", "^", "²", "⁻", "°", "µ", "·", "*", ",", "deg", "é", "\0",
        ];
        let mut seed = 1_u64;
        for _ in 0..50_000 {
            let mut text = String::new();
            for _ in 0..8 {
                seed = seed
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                text.push_str(pieces[(seed >> 33) as usize % pieces.len()]);
            }
            if let Err(error) = parse_quantity(&text, Unit::METRE) {
                assert!(!error.to_string().is_empty());
                error.help();
            }
        }
        assert!(parse_quantity(&format!("1{}", " km^9".repeat(100_000)), Unit::METRE).is_err());
        assert!(parse_quantity(&"9".repeat(100_000), Unit::NONE).is_err());
    }
}

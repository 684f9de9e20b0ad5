use std::ops::RangeInclusive;

use toml::de::{DeArray, DeInteger, DeValue};

use super::{Field, Spanned, kind};
use crate::model::problem::excerpt;
use crate::model::units::{Unit, parse_quantity};

impl<'a> Field<'_, 'a> {
    /// A finite number in SI, or a quantity such as `"30 deg"`.
    pub fn number(self, unit: Unit) -> Option<Spanned<f64>> {
        let value = self.quantity("…", unit)?;
        self.number_of(&value, None, unit)
            .map(|number| Spanned::new(number, value.span))
    }

    /// A number greater than zero.
    pub fn positive(self, unit: Unit) -> Option<Spanned<f64>> {
        self.number_that(unit, "positive", |number| number > 0.0)
    }

    /// A number not less than zero.
    pub fn non_negative(self, unit: Unit) -> Option<Spanned<f64>> {
        self.number_that(unit, "zero or positive", |number| number >= 0.0)
    }

    /// A whole number within the range.
    pub fn count(self, range: RangeInclusive<usize>) -> Option<Spanned<usize>> {
        let value = self.value_or(
            || self.shown_key(),
            || format!("add `{} = …`, a whole number", self.shown_key()),
        )?;
        let whole = match value.value {
            DeValue::Integer(digits) => i128::from_str_radix(digits.as_str(), digits.radix()).ok(),
            DeValue::Float(number) => match number.as_str().parse::<f64>() {
                Ok(number) if number.fract() == 0.0 && number.abs() <= EXACT => Some(number as i128),
                Ok(number) if number.fract() != 0.0 => {
                    let message = format!(
                        "`{}` must be a whole number, got {}",
                        self.shown_key(),
                        written(value.value)
                    );
                    return self.error(value.span, message).none();
                }
                _ => None,
            },
            _ => return self.wrong_type(&value, "a whole number").none(),
        };
        let count = whole
            .and_then(|whole| usize::try_from(whole).ok())
            .filter(|count| range.contains(count));
        if count.is_none() {
            let limits = match (*range.start(), *range.end()) {
                (least, usize::MAX) => format!("at least {least}"),
                (least, most) => format!("between {least} and {most}"),
            };
            let message = format!(
                "`{}` must be {limits}, got {}",
                self.shown_key(),
                written(value.value)
            );
            self.error(value.span.clone(), message);
        }
        count.map(|count| Spanned::new(count, value.span))
    }

    /// Three numbers.
    pub fn vector(self, unit: Unit) -> Option<Spanned<[f64; 3]>> {
        let value = self.quantity("[x, y, z]", unit)?;
        self.vector_of(&value, unit)
            .map(|vector| Spanned::new(vector, value.span))
    }

    /// A list of vectors of three numbers each.
    pub fn vectors(self, unit: Unit) -> Option<Spanned<Vec<[f64; 3]>>> {
        let value = self.quantity("[[x, y, z], …]", unit)?;
        let array = self.array_of(&value, "an array of vectors", "[[x, y, z], …]")?;
        let vectors: Vec<_> = elements(array)
            .map(|element| self.vector_of(&element, unit))
            .collect();
        Some(Spanned::new(
            vectors.into_iter().collect::<Option<_>>()?,
            value.span,
        ))
    }

    /// As many numbers as are expected.
    pub fn vector_n(self, count: usize, unit: Unit) -> Option<Spanned<Vec<f64>>> {
        let value = self.quantity("[…]", unit)?;
        self.components_of(&value, count, unit)
            .map(|numbers| Spanned::new(numbers, value.span))
    }

    /// Any number of numbers.
    pub fn numbers(self, unit: Unit) -> Option<Spanned<Vec<Spanned<f64>>>> {
        let value = self.quantity("[…]", unit)?;
        self.numbers_of(&value, unit)
            .map(|numbers| Spanned::new(numbers, value.span))
    }

    /// A square matrix by its rows.
    pub fn matrix(self, unit: Unit) -> Option<Spanned<Vec<Vec<Spanned<f64>>>>> {
        let value = self.quantity("[[…], …]", unit)?;
        let array = self.array_of(&value, "a matrix", "[[1, 0], [0, 1]]")?;
        let size = array.len();
        if size == 0 {
            return self
                .error(value.span, format!("`{}` is empty", self.shown_key()))
                .help(format!("write `{} = [[1, 0], [0, 1]]`", self.shown_key()))
                .none();
        }
        let rows: Vec<Option<Vec<Spanned<f64>>>> = elements(array)
            .enumerate()
            .map(|(index, row)| {
                let numbers = self.array_of(&row, "a matrix", "[[1, 0], [0, 1]]")?;
                if numbers.len() != size {
                    let message = format!(
                        "`{}` must be square: row {} has length {}, but there are {size} rows",
                        self.shown_key(),
                        index + 1,
                        numbers.len(),
                    );
                    return self
                        .error(row.span, message)
                        .help(format!("give every row {size} numbers"))
                        .none();
                }
                self.numbers_of(&row, unit)
            })
            .collect();
        Some(Spanned::new(rows.into_iter().collect::<Option<_>>()?, value.span))
    }

    fn number_that(self, unit: Unit, sign: &str, holds: impl Fn(f64) -> bool) -> Option<Spanned<f64>> {
        let value = self.quantity("…", unit)?;
        let number = self.number_of(&value, None, unit)?;
        if !holds(number) {
            let message = format!(
                "`{}` must be {sign}, got {}",
                self.shown_key(),
                written(value.value)
            );
            return self.error(value.span, message).none();
        }
        Some(Spanned::new(number, value.span))
    }

    fn vector_of(&self, value: &Spanned<&'a DeValue<'a>>, unit: Unit) -> Option<[f64; 3]> {
        self.components_of(value, 3, unit)?.try_into().ok()
    }

    fn components_of(&self, value: &Spanned<&'a DeValue<'a>>, count: usize, unit: Unit) -> Option<Vec<f64>> {
        let array = self.array_of(
            value,
            &format!("{count} numbers"),
            if count == 3 { "[x, y, z]" } else { "[…]" },
        )?;
        let numbers = self.numbers_of(value, unit);
        let numbers = numbers.map(|numbers| numbers.into_iter().map(|number| number.value).collect());
        if array.len() != count {
            let message = format!(
                "`{}`: expected {count} components, got {}",
                self.shown_key(),
                array.len()
            );
            let letters = if count == 3 { "[x, y, z]" } else { "[…]" };
            // `9,81` looks like two whole numbers.
            let whole = |value: &toml::Spanned<DeValue<'_>>| matches!(value.get_ref(), DeValue::Integer(_));
            let comma = array.len() > count && array.windows(2).any(|pair| pair.iter().all(whole));
            let commas = if comma {
                "; decimals have a point: `9.81`"
            } else {
                ""
            };
            return self
                .error(value.span.clone(), message)
                .help(format!("write `{} = {letters}`{commas}", self.shown_key()))
                .none();
        }
        numbers
    }

    fn numbers_of(&self, value: &Spanned<&'a DeValue<'a>>, unit: Unit) -> Option<Vec<Spanned<f64>>> {
        let array = self.array_of(value, "an array of numbers", "[…]")?;
        let numbers: Vec<Option<Spanned<f64>>> = elements(array)
            .enumerate()
            .map(|(index, element)| {
                let number = self.number_of(&element, Some(index), unit)?;
                Some(Spanned::new(number, element.span))
            })
            .collect();
        numbers.into_iter().collect()
    }

    fn array_of(
        &self,
        value: &Spanned<&'a DeValue<'a>>,
        expected: &str,
        example: &str,
    ) -> Option<&'a DeArray<'a>> {
        match value.value {
            DeValue::Array(array) => Some(array),
            DeValue::Integer(_) | DeValue::Float(_) if expected.ends_with("numbers") => {
                let message = format!("`{}` must be {expected}, got one", self.shown_key());
                self.error(value.span.clone(), message)
                    .help(format!("write `{} = {example}`", self.shown_key()))
                    .none()
            }
            _ => self
                .wrong_type(value, expected)
                .help(format!("write `{} = {example}`", self.shown_key()))
                .none(),
        }
    }

    /// A number, either the value of the key itself or one component of it.
    fn number_of(&self, value: &Spanned<&DeValue<'_>>, component: Option<usize>, unit: Unit) -> Option<f64> {
        let name = || match component {
            Some(index) => format!("component {} of `{}`", index + 1, self.shown_key()),
            None => format!("`{}`", self.shown_key()),
        };
        let number = match value.value {
            DeValue::Integer(digits) => integer(digits),
            DeValue::Float(number) => number.as_str().parse().ok(),
            DeValue::String(text) => match parse_quantity(text, unit) {
                Ok(number) => Some(number),
                Err(error) => {
                    let report = self.error(value.span.clone(), format!("{}: {error}", name()));
                    return match error.help() {
                        Some(help) => report.help(help).none(),
                        None => report.none(),
                    };
                }
            },
            other => {
                let message = format!("{} must be a number, got {}", name(), kind(other));
                return self.error(value.span.clone(), message).none();
            }
        };
        let finite = number.filter(|number| number.is_finite());
        if finite.is_none() {
            self.error(
                value.span.clone(),
                format!("{} must be finite, got {}", name(), written(value.value)),
            )
            .help("write a number that is not too large, and not `nan` or `inf`");
        }
        finite
    }
}

/// Whole numbers up to here are exact in a double.
const EXACT: f64 = 9_007_199_254_740_992.0;

fn elements<'a>(array: &'a DeArray<'a>) -> impl Iterator<Item = Spanned<&'a DeValue<'a>>> {
    array
        .iter()
        .map(|element| Spanned::new(element.get_ref(), element.span()))
}

fn integer(digits: &DeInteger<'_>) -> Option<f64> {
    match digits.radix() {
        10 => digits.as_str().parse().ok(),
        radix => u128::from_str_radix(digits.as_str(), radix)
            .ok()
            .map(|number| number as f64),
    }
}

/// A number or a quantity as the author wrote it.
fn written(value: &DeValue<'_>) -> String {
    match value {
        DeValue::Integer(digits) => excerpt(&digits.to_string()),
        DeValue::Float(number) => excerpt(number.as_str()),
        DeValue::String(text) => format!("\"{}\"", excerpt(text)),
        other => kind(other).to_owned(),
    }
}

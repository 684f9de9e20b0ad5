use std::ops::RangeInclusive;

use super::{Field, Given, Located, elements};
use crate::path::Place;
use crate::problem::excerpt;
use crate::spec::{Bound, Kind};
use crate::units::{Unit, parse_quantity};
use crate::value::{Number, Value};
use holonomy::formula::{self, Formula, Program};

impl<'a> Field<'_, 'a> {
    /// A number in the unit and within the bounds that the table of keys says.
    pub fn number(self) -> Option<Located<f64>> {
        let unit = self.unit();
        match self.kind() {
            Some(Kind::Number(_, Bound::Positive) | Kind::Numbers(_, Bound::Positive)) => self.positive(unit),
            Some(Kind::Number(_, Bound::NotNegative) | Kind::Numbers(_, Bound::NotNegative)) => {
                self.non_negative(unit)
            }
            _ => self.number_in(unit),
        }
    }

    /// A whole number within the bounds that the table of keys says.
    pub fn count(self) -> Option<Located<usize>> {
        match self.kind() {
            Some(Kind::Count(least, most)) => self.count_in(least..=most),
            _ => self.count_in(0..=usize::MAX),
        }
    }

    /// Three numbers in the unit that the table of keys says.
    pub fn vector(self) -> Option<Located<[f64; 3]>> {
        let unit = self.unit();
        self.vector_in(unit)
    }

    /// A list of vectors in the unit that the table of keys says.
    pub fn vectors(self) -> Option<Located<Vec<[f64; 3]>>> {
        let unit = self.unit();
        self.vectors_in(unit)
    }

    /// Any number of numbers in the unit that the table of keys says.
    pub fn numbers(self) -> Option<Located<Vec<Located<f64>>>> {
        let unit = self.unit();
        self.numbers_in(unit)
    }

    /// A square matrix in the unit that the table of keys says.
    pub fn matrix(self) -> Option<Located<Vec<Vec<Located<f64>>>>> {
        let unit = self.unit();
        self.matrix_in(unit)
    }

    /// The unit that the table of keys says.
    fn unit(&self) -> Unit {
        match self.kind() {
            Some(
                Kind::Number(unit, _)
                | Kind::Numbers(unit, _)
                | Kind::Vector(unit)
                | Kind::Vectors(unit)
                | Kind::Matrix(unit)
                | Kind::Motion(unit),
            ) => unit,
            _ => Unit::ANY,
        }
    }

    /// A finite number in SI, or a quantity such as `"30 deg"`.
    pub fn number_in(self, unit: Unit) -> Option<Located<f64>> {
        let value = self.quantity("…", unit)?;
        self.number_of(&value, None, unit, Bound::Finite)
            .map(|number| Located::new(number, value.place()))
    }

    /// A number greater than zero.
    pub fn positive(self, unit: Unit) -> Option<Located<f64>> {
        self.number_that(unit, Bound::Positive, "positive", |number| number > 0.0)
    }

    /// A number not less than zero.
    pub fn non_negative(self, unit: Unit) -> Option<Located<f64>> {
        self.number_that(unit, Bound::NotNegative, "zero or positive", |number| {
            number >= 0.0
        })
    }

    /// A whole number within the range.
    pub fn count_in(self, range: RangeInclusive<usize>) -> Option<Located<usize>> {
        let value = self.value_or(
            || self.shown_key(),
            || format!("add `{} = …`, a whole number", self.shown_key()),
        )?;
        let whole = match value.value {
            Value::Number(number) if number.is_whole() => number.whole(),
            Value::Number(number) => match number.value() {
                number if number.fract() == 0.0 && number.abs() <= EXACT => Some(number as i128),
                number if number.fract() != 0.0 => {
                    let message = format!(
                        "`{}` must be a whole number, got {}",
                        self.shown_key(),
                        written(value.value)
                    );
                    return self.error(value.place(), message).none();
                }
                _ => None,
            },
            _ => return self.wrong_type(&value, "a whole number").none(),
        };
        let count = whole
            .and_then(|whole| usize::try_from(whole).ok())
            .filter(|count| range.contains(count));
        if count.is_none() {
            // What is no number here may be too large for one.
            let large = whole.map_or(
                matches!(value.value, Value::Number(number) if number.value() > 0.0),
                |whole| whole > 0,
            );
            let limits = match (*range.start(), *range.end()) {
                (_, usize::MAX) if large => format!("at most {}", usize::MAX),
                (least, usize::MAX) => format!("at least {least}"),
                (least, most) => format!("between {least} and {most}"),
            };
            let message = format!(
                "`{}` must be {limits}, got {}",
                self.shown_key(),
                written(value.value)
            );
            self.error(value.place(), message);
        }
        if let Some(count) = count {
            self.record(&value, None, |knob| knob.count(count, &range));
        }
        count.map(|count| Located::new(count, value.place()))
    }

    /// Three numbers.
    pub fn vector_in(self, unit: Unit) -> Option<Located<[f64; 3]>> {
        let value = self.quantity("[x, y, z]", unit)?;
        self.vector_of(&value, unit)
            .map(|vector| Located::new(vector, value.place()))
    }

    /// A list of vectors of three numbers each.
    pub fn vectors_in(self, unit: Unit) -> Option<Located<Vec<[f64; 3]>>> {
        let value = self.quantity("[[x, y, z], …]", unit)?;
        let array = self.array_of(&value, "an array of vectors", "[[x, y, z], …]")?;
        let vectors: Vec<_> = elements(array, &value.path)
            .map(|element| self.vector_of(&element, unit))
            .collect();
        Some(Located::new(
            vectors.into_iter().collect::<Option<_>>()?,
            value.place(),
        ))
    }

    /// As many numbers as are expected.
    pub fn vector_n(self, count: usize, unit: Unit) -> Option<Located<Vec<f64>>> {
        let value = self.quantity("[…]", unit)?;
        self.components_of(&value, count, unit)
            .map(|numbers| Located::new(numbers, value.place()))
    }

    /// Any number of numbers.
    pub fn numbers_in(self, unit: Unit) -> Option<Located<Vec<Located<f64>>>> {
        let value = self.quantity("[…]", unit)?;
        self.numbers_of(&value, unit)
            .map(|numbers| Located::new(numbers, value.place()))
    }

    /// A square matrix by its rows.
    pub fn matrix_in(self, unit: Unit) -> Option<Located<Vec<Vec<Located<f64>>>>> {
        let value = self.quantity("[[…], …]", unit)?;
        let array = self.array_of(&value, "a matrix", "[[1, 0], [0, 1]]")?;
        let size = array.len();
        if size == 0 {
            return self
                .error(value.place(), format!("`{}` is empty", self.shown_key()))
                .help(format!("write `{} = [[1, 0], [0, 1]]`", self.shown_key()))
                .none();
        }
        let rows: Vec<Option<Vec<Located<f64>>>> = elements(array, &value.path)
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
                        .error(row.place(), message)
                        .help(format!("give every row {size} numbers"))
                        .none();
                }
                self.numbers_of(&row, unit)
            })
            .collect();
        Some(Located::new(
            rows.into_iter().collect::<Option<_>>()?,
            value.place(),
        ))
    }

    /// Rows of as many numbers each.
    pub(crate) fn rows_in(self, length: usize, unit: Unit) -> Option<Located<Vec<Vec<f64>>>> {
        let value = self.quantity("[[…], …]", unit)?;
        let array = self.array_of(&value, "rows of numbers", "[[…], …]")?;
        let rows: Vec<Option<Vec<f64>>> = elements(array, &value.path)
            .map(|row| self.components_of(&row, length, unit))
            .collect();
        Some(Located::new(
            rows.into_iter().collect::<Option<_>>()?,
            value.place(),
        ))
    }

    fn number_that(
        self,
        unit: Unit,
        bound: Bound,
        sign: &str,
        holds: impl Fn(f64) -> bool,
    ) -> Option<Located<f64>> {
        let value = self.quantity("…", unit)?;
        let number = self.number_of(&value, None, unit, bound)?;
        if !holds(number) {
            let message = format!(
                "`{}` must be {sign}, got {}",
                self.shown_key(),
                written(value.value)
            );
            return self.error(value.place(), message).none();
        }
        Some(Located::new(number, value.place()))
    }

    fn vector_of(&self, value: &Given<'a>, unit: Unit) -> Option<[f64; 3]> {
        self.components_of(value, 3, unit)?.try_into().ok()
    }

    fn components_of(&self, value: &Given<'a>, count: usize, unit: Unit) -> Option<Vec<f64>> {
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
            let whole = |value: &Value| value.as_number().is_some_and(Number::is_whole);
            let comma = array.len() > count && array.windows(2).any(|pair| pair.iter().all(whole));
            let commas = if comma {
                "; decimals have a point: `9.81`"
            } else {
                ""
            };
            return self
                .error(value.place(), message)
                .help(format!("write `{} = {letters}`{commas}", self.shown_key()))
                .none();
        }
        numbers
    }

    fn numbers_of(&self, value: &Given<'a>, unit: Unit) -> Option<Vec<Located<f64>>> {
        let array = self.array_of(value, "an array of numbers", "[…]")?;
        let numbers: Vec<Option<Located<f64>>> = elements(array, &value.path)
            .enumerate()
            .map(|(index, element)| {
                let number = self.number_of(&element, Some(index), unit, Bound::Finite)?;
                Some(Located::new(number, element.place()))
            })
            .collect();
        numbers.into_iter().collect()
    }

    fn array_of(&self, value: &Given<'a>, expected: &str, example: &str) -> Option<&'a [Value]> {
        match value.value {
            Value::List(list) => Some(list),
            Value::Number(_) if expected.ends_with("numbers") => {
                let message = format!("`{}` must be {expected}, got one", self.shown_key());
                self.error(value.place(), message)
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
    fn number_of(
        &self,
        value: &Given<'_>,
        component: Option<usize>,
        unit: Unit,
        bound: Bound,
    ) -> Option<f64> {
        let name = || match component {
            Some(index) => format!("component {} of `{}`", index + 1, self.shown_key()),
            None => format!("`{}`", self.shown_key()),
        };
        let number = match value.value {
            Value::Number(number) => Some(number.value()),
            Value::Text(text) => match parse_quantity(text, unit) {
                Ok(number) => Some(number),
                Err(_) if self.is_formula(text) => {
                    return self.constant_of(value, text, &name());
                }
                Err(error) => {
                    let report = self.error(value.place(), format!("{}: {error}", name()));
                    return match error.help() {
                        Some(help) => report.help(help).none(),
                        None => report.none(),
                    };
                }
            },
            other => {
                let message = format!("{} must be a number, got {}", name(), other.kind());
                return self.error(value.place(), message).none();
            }
        };
        let finite = number.filter(|number| number.is_finite());
        if finite.is_none() {
            self.error(
                value.place(),
                format!("{} must be finite, got {}", name(), written(value.value)),
            )
            .help("write a number that is not too large, and not `nan` or `inf`");
        }
        if let Some(number) = finite {
            self.record(value, component, |knob| knob.number(number, unit, bound));
        }
        finite
    }
}

impl Field<'_, '_> {
    /// Whether a text that is no quantity is a formula of numbers and parameters, or was meant to be one.
    fn is_formula(&self, text: &str) -> bool {
        let scope = self.section.problems.constants();
        let mut words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        let known = |word: &str| scope.names().any(|name| name == word);
        Formula::parse(text, &scope).is_ok() || words.any(known)
    }

    /// The value of a formula of numbers and parameters.
    fn constant_of(&self, value: &Given<'_>, text: &str, name: &str) -> Option<f64> {
        let formula = match Formula::parse_as(formula::Kind::Scalar, text, &self.section.problems.constants())
        {
            Ok(formula) => formula,
            Err(errors) => {
                for error in errors {
                    let place = Place::Within(value.path.clone(), error.span);
                    let report = self.error(place, format!("{name}: {}", error.message));
                    if let Some(help) = error.help {
                        report.help(help);
                    }
                }
                return None;
            }
        };
        let program = Program::values(&[&formula]);
        let mut number = [0.0];
        let known = program.evaluate(&[], &mut program.workspace(), &mut number);
        match (known, number) {
            (Ok(()), [number]) if number.is_finite() => Some(number),
            _ => self
                .error(value.place(), format!("{name} has no value"))
                .help("change it, or the parameters it is made of")
                .none(),
        }
    }
}

/// Whole numbers up to here are exact in a double.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A number or a quantity as the author wrote it.
fn written(value: &Value) -> String {
    match value {
        Value::Number(number) => excerpt(number.as_str()),
        Value::Text(text) => format!("\"{}\"", excerpt(text)),
        other => other.kind().to_owned(),
    }
}

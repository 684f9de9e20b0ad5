//! Axes of a sweep: which key of a model takes which values.
//!
//! ```text
//! start.theta=-180deg:180deg:200      200 values, evenly spaced, both ends included
//! run.step=log:1e-4:1e-1:16           the same, evenly spaced in the logarithm
//! method.name=midpoint,rk4            a list
//! body.bob.mass=normal:1:0.05         random: mean and standard deviation
//! body.bob.mass=uniform:0.9:1.1       random: from … to
//! ```
use super::SweepError;
use holonomy::math;
use holonomy_model::Value;

/// A key of the model and what it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Path of the key, such as `body.upper.mass`.
    pub key: String,
    /// What it was read from.
    pub text: String,
    /// The unit in which its numbers are written, such as `deg`; empty where there is none.
    pub unit: String,
    /// What it takes.
    pub values: AxisValues,
}

/// What a key takes.
#[derive(Clone, Debug, PartialEq)]
pub enum AxisValues {
    /// Numbers, one after the other.
    Numbers(Vec<f64>),
    /// Words, one after the other.
    Words(Vec<String>),
    /// A random number of a normal distribution.
    Normal {
        /// Its mean.
        mean: f64,
        /// Its standard deviation.
        deviation: f64,
    },
    /// A random number between two.
    Uniform {
        /// The least.
        least: f64,
        /// The largest.
        most: f64,
    },
}

/// What a key takes in one case.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// A number.
    Number(f64),
    /// A word.
    Word(String),
}

/// More values on one axis than anybody wants are a slip.
const MOST_VALUES: usize = 100_000_000;

impl Axis {
    /// Reads `KEY=VALUES`.
    pub fn parse(text: &str) -> Result<Self, SweepError> {
        let bad = |reason: &'static str| SweepError::Axis {
            text: text.to_owned(),
            reason,
        };
        let (key, values) = text.split_once('=').ok_or_else(|| bad("there is no `=` in it"))?;
        let (key, values) = (key.trim(), values.trim());
        if key.is_empty() {
            return Err(bad("there is no key before the `=`"));
        }
        if values.is_empty() {
            return Err(bad("it has no values"));
        }
        let parts: Vec<&str> = values.split(':').map(str::trim).collect();
        let (unit, values) = match parts.as_slice() {
            ["normal", mean, deviation] => {
                let (unit, [mean, deviation]) = numbers([mean, deviation]).map_err(bad)?;
                if !(deviation >= 0.0) {
                    return Err(bad("a standard deviation is not negative"));
                }
                (unit, AxisValues::Normal { mean, deviation })
            }
            ["uniform", least, most] => {
                let (unit, [least, most]) = numbers([least, most]).map_err(bad)?;
                if !(least <= most) {
                    return Err(bad("the first number is larger than the second"));
                }
                (unit, AxisValues::Uniform { least, most })
            }
            ["log", first, last, count] => {
                let (unit, ends) = numbers([first, last]).map_err(bad)?;
                if !(ends[0] > 0.0 && ends[1] > 0.0) {
                    return Err(bad("both ends of a logarithmic axis are positive"));
                }
                let logarithms = spaced(ends.map(math::ln), counted(count).map_err(bad)?);
                let mut values: Vec<f64> = logarithms
                    .into_iter()
                    .map(|logarithm| rounded(math::exp(logarithm)))
                    .collect();
                // The ends are what was written, to the bit.
                if let Some(first) = values.first_mut() {
                    *first = ends[0];
                }
                if let (true, Some(last)) = (values.len() > 1, values.last_mut()) {
                    *last = ends[1];
                }
                (unit, AxisValues::Numbers(values))
            }
            [first, last, count] => {
                let (unit, ends) = numbers([first, last]).map_err(bad)?;
                (
                    unit,
                    AxisValues::Numbers(spaced(ends, counted(count).map_err(bad)?)),
                )
            }
            [_] => list(values).map_err(bad)?,
            _ => {
                return Err(bad(
                    "write FROM:TO:COUNT, log:FROM:TO:COUNT, normal:MEAN:DEVIATION, uniform:FROM:TO, or A,B,C",
                ));
            }
        };
        Ok(Self {
            key: key.to_owned(),
            text: text.to_owned(),
            unit,
            values,
        })
    }

    /// How many values there are; `None` for a random axis.
    pub fn count(&self) -> Option<usize> {
        match &self.values {
            AxisValues::Numbers(values) => Some(values.len()),
            AxisValues::Words(words) => Some(words.len()),
            AxisValues::Normal { .. } | AxisValues::Uniform { .. } => None,
        }
    }

    /// Whether its values are words.
    pub fn has_words(&self) -> bool {
        matches!(self.values, AxisValues::Words(_))
    }

    /// A number of it as the model takes it.
    pub fn value(&self, setting: &Setting) -> Value {
        match setting {
            Setting::Word(word) => match word.as_str() {
                "true" => true.into(),
                "false" => false.into(),
                word => word.into(),
            },
            Setting::Number(number) if !self.unit.is_empty() => format!("{number:?} {}", self.unit).into(),
            // Counts are whole numbers.
            Setting::Number(number) if *number == number.trunc() && number.abs() < 1e15 => {
                (*number as i64).into()
            }
            Setting::Number(number) => (*number).into(),
        }
    }
}

/// Numbers with one unit, which need not be written twice.
fn numbers<const N: usize>(texts: [&&str; N]) -> Result<(String, [f64; N]), &'static str> {
    let mut unit = String::new();
    let mut found = [0.0; N];
    for (text, number) in texts.into_iter().zip(&mut found) {
        let (value, own) = quantity(text).ok_or("a number was expected, such as 0.5 or 30deg")?;
        if !unit.is_empty() && !own.is_empty() && unit != own {
            return Err("its numbers have different units");
        }
        if unit.is_empty() {
            own.clone_into(&mut unit);
        }
        *number = value;
    }
    Ok((unit, found))
}

/// A finite number and the unit behind it.
fn quantity(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    // The longest beginning that is a number: `1e3m`, `30deg`, `-5`.
    let ends = (1..=text.len()).rev().filter(|end| text.is_char_boundary(*end));
    let (number, unit) = ends
        .map(|end| text.split_at(end))
        .find_map(|(number, unit)| Some((number.parse::<f64>().ok()?, unit.trim())))?;
    let is_unit = unit.chars().next().is_none_or(|first| !first.is_ascii_digit());
    (number.is_finite() && is_unit).then_some((number, unit))
}

fn counted(text: &str) -> Result<usize, &'static str> {
    match text.trim().parse::<usize>() {
        Ok(0) => Err("it has no values"),
        Ok(count) if count <= MOST_VALUES => Ok(count),
        Ok(_) => Err("that is more values than 100 million"),
        Err(_) => Err("the number of values is a whole number"),
    }
}

/// The number that was meant, where rounding left 0.30000000000000004: 15 digits are sure, and if the last few of them are
/// zeros so are all behind.
fn rounded(number: f64) -> f64 {
    let text = format!("{number:.14e}");
    let digits = text.split_once('e').map_or("", |(digits, _)| digits);
    match digits.trim_end_matches('0').len() <= 14 {
        true => text.parse().unwrap_or(number),
        false => number,
    }
}

/// So many values from one end to the other.
fn spaced([first, last]: [f64; 2], count: usize) -> Vec<f64> {
    let at = |k: usize| match k {
        0 => first,
        k if k + 1 == count => last,
        k => rounded(first + (last - first) * (k as f64 / (count - 1) as f64)),
    };
    (0..count).map(at).collect()
}

/// Values between commas: numbers if all are.
fn list(text: &str) -> Result<(String, AxisValues), &'static str> {
    let texts: Vec<&str> = text.split(',').map(str::trim).collect();
    if texts.iter().any(|text| text.is_empty()) {
        return Err("there is nothing between two commas");
    }
    let found: Option<Vec<(f64, &str)>> = texts.iter().map(|text| quantity(text)).collect();
    let Some(found) = found else {
        let words = texts.into_iter().map(str::to_owned).collect();
        return Ok((String::new(), AxisValues::Words(words)));
    };
    let unit = found.iter().map(|(_, unit)| *unit).find(|unit| !unit.is_empty());
    let unit = unit.unwrap_or_default();
    if found.iter().any(|(_, own)| !own.is_empty() && *own != unit) {
        return Err("its numbers have different units");
    }
    let values = found.iter().map(|(number, _)| *number).collect();
    Ok((unit.to_owned(), AxisValues::Numbers(values)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers_of(text: &str) -> (String, Vec<f64>) {
        match Axis::parse(text) {
            Ok(Axis {
                unit,
                values: AxisValues::Numbers(values),
                ..
            }) => (unit, values),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn axes_are_what_they_say() {
        assert_eq!(
            numbers_of("start.theta=-180deg:180deg:5"),
            ("deg".into(), vec![-180.0, -90.0, 0.0, 90.0, 180.0])
        );
        assert_eq!(numbers_of("a=0:1 m:3"), ("m".into(), vec![0.0, 0.5, 1.0]));
        assert_eq!(numbers_of("a=3:4:1"), (String::new(), vec![3.0]));
        assert_eq!(numbers_of("a=1, 2,5"), (String::new(), vec![1.0, 2.0, 5.0]));
        let (_, decades) = numbers_of("a=log:1e-4:1:5");
        for (found, exact) in decades.iter().zip([1e-4, 1e-3, 1e-2, 1e-1, 1.0]) {
            assert!((found / exact - 1.0).abs() < 1e-14, "{decades:?}");
        }
        // Decimal numbers come out as they are written, and others with all their digits.
        let (_, tenths) = numbers_of("a=0.2:2.8:27");
        assert!(
            tenths.iter().all(|value| format!("{value}").len() <= 3),
            "{tenths:?}"
        );
        assert_eq!(numbers_of("a=log:1e-4:1:5").1[1], 1e-3);
        assert_eq!(numbers_of("a=0:1:4").1[1], 1.0 / 3.0);
        let words = Axis::parse("method.name=midpoint,rk4").expect("a list");
        assert_eq!(
            words.values,
            AxisValues::Words(vec!["midpoint".into(), "rk4".into()])
        );
    }

    #[test]
    fn what_is_wrong_with_an_axis_is_said() {
        for (text, word) in [
            ("start.theta", "`=`"),
            ("=1:2:3", "key"),
            ("a=", "no values"),
            ("a=1:2:0", "no values"),
            ("a=1:2:x", "whole number"),
            ("a=1:two:3", "a number"),
            ("a=1m:2s:3", "different units"),
            ("a=log:0:1:3", "positive"),
            ("a=1,,2", "two commas"),
            ("a=normal:1:-1", "not negative"),
            ("a=uniform:2:1", "larger"),
            ("a=1:2:3:4:5", "FROM:TO:COUNT"),
            ("a=inf:2:3", "a number"),
        ] {
            let message = Axis::parse(text).expect_err(text).to_string();
            assert!(message.contains(word), "{text}: {message}");
        }
    }
}

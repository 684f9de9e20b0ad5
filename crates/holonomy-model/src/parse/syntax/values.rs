//! What is wrong with a value.
use super::{BETWEEN_ELEMENTS, EQUALS_IN_ARRAY, Explanation, NOTHING_BETWEEN_COMMAS, Slip};
use crate::problem::excerpt;
use std::ops::Range;

impl Slip<'_, '_> {
    pub(super) fn explain_value(&self) -> Option<Explanation> {
        let rest = self.rest_of_statement();
        let Some(first) = self.around.first else {
            // Nothing stands before the slip.
            return Some(match rest.chars().next() {
                None => ("a value is missing", "write one after the `=`").into(),
                Some(',') if self.in_array() => NOTHING_BETWEEN_COMMAS.into(),
                Some(',' | '}') if self.bracket().is_some() => {
                    ("a value is missing", "write one after the `=`").into()
                }
                Some('=') if self.in_array() => EQUALS_IN_ARRAY.into(),
                Some('=') => ("there is an `=` too many", "remove one of the two").into(),
                Some(mark @ (']' | '}')) => (format!("unexpected `{mark}`"), "remove the bracket").into(),
                Some(mark)
                    if self.span.is_empty()
                        && !"\"'".contains(mark)
                        && self.value().ends_with(['"', '\'']) =>
                {
                    ("the string has no opening quote", "add one").into()
                }
                Some(_) => {
                    let word = self.word();
                    explain_bare_value(self, self.span.start..word.end.max(self.span.end))
                }
            });
        };
        let word = self.word();
        if word.start == first && self.span.start > first {
            let slip = explain_number(&self.text[word.clone()]);
            if let Some(slip) = slip {
                return Some(slip.at(word));
            }
            if self.span.start < word.end {
                return Some(explain_bare_value(self, word));
            }
        }
        match self.bracket() {
            Some(('[', _)) if rest.starts_with('=') => Some(EQUALS_IN_ARRAY.into()),
            Some(('[', _)) if rest.starts_with('}') => {
                Some(("unexpected `}` in the array", "arrays are closed by `]`").into())
            }
            Some(('[', _)) => Some(("a comma is missing", BETWEEN_ELEMENTS).into()),
            Some(_) if rest.starts_with(']') => Some(
                (
                    "unexpected `]` in the inline table",
                    "inline tables are closed by `}`",
                )
                    .into(),
            ),
            Some(_) if rest.starts_with('=') => None,
            Some(_) => Some(
                (
                    "a comma is missing",
                    "put one between the keys: `{ a = 1, b = 2 }`",
                )
                    .into(),
            ),
            None => Some(self.explain_rest_of_line(first)),
        }
    }

    /// What stands at a value's end on the same line.
    fn explain_rest_of_line(&self, first: usize) -> Explanation {
        let rest = self.rest_of_statement();
        let span = self.span.start..(self.span.start + rest.len()).max(self.span.end);
        let fraction = rest.strip_prefix(',').unwrap_or_default();
        let digits = fraction.len()
            - fraction
                .trim_start_matches(|letter: char| letter.is_ascii_digit())
                .len();
        let word = self.word();
        if digits > 0
            && word.start == first
            && self.text[..word.end].ends_with(|letter: char| letter.is_ascii_digit())
        {
            let number = word.start..self.span.start + 1 + digits;
            let shown = excerpt(&self.text[number.clone()]);
            let help = format!("write a decimal point: `{}`", shown.replace(',', "."));
            return Explanation::from((format!("`{shown}` has a decimal comma"), help)).at(number);
        }
        let help = if rest.starts_with([']', '}', ')']) {
            "remove the bracket"
        } else if rest == "," || rest == ";" {
            "remove it: lines end without a mark"
        } else if rest.starts_with(['*', '+', '/', '^']) {
            "write formulas and other text between quotes"
        } else {
            "put each key on its own line; comments begin with `#`"
        };
        Explanation::from((format!("unexpected `{}` after the value", excerpt(rest)), help)).at(span)
    }
}

/// A slip in a number; `None` if there is none or it is not a number.
fn explain_number(word: &str) -> Option<Explanation> {
    let number = word.trim_start_matches(['+', '-']);
    let digit = |letter: char| letter.is_ascii_digit();
    let after_point = number.split_once('.').map(|(_, fraction)| fraction);
    if after_point.is_some() && number.starts_with('.') {
        let help = format!("write `{}`", excerpt(&word.replacen('.', "0.", 1)));
        Some(("a number must begin with a digit", help).into())
    } else if !number.starts_with(digit) {
        None
    } else if after_point.is_some_and(|fraction| !fraction.starts_with(digit)) {
        Some(("a digit must follow the decimal point", "write `5.0` for `5.`").into())
    } else if number.trim_end_matches(['+', '-']).ends_with(['e', 'E']) {
        Some(("a digit must follow the exponent mark", "write `1e3`").into())
    } else if number.starts_with('0') && number[1..].starts_with(digit) {
        Some(("a number must not begin with a zero", "remove the leading zero").into())
    } else {
        None
    }
}

/// What is neither a number nor a text between quotes.
fn explain_bare_value(slip: &Slip<'_, '_>, span: Range<usize>) -> Explanation {
    let value = slip.text[span.clone()].trim();
    let shown = excerpt(value);
    let number_first = value.starts_with(|letter: char| letter.is_ascii_digit() || "+-.".contains(letter));
    let is_not = |what: &str| format!("`{shown}` {what}");
    let explanation: Explanation = if value.contains("//") {
        (is_not("is not a value"), "comments begin with `#`").into()
    } else if value.contains(['“', '”', '„', '‘', '’']) {
        (is_not("has typographic quotes"), "use straight quotes: \"…\"").into()
    } else if value.starts_with('−') {
        (
            is_not("has a typographic minus"),
            "use the minus of the keyboard: `-`",
        )
            .into()
    } else if value.starts_with('(') {
        (
            is_not("is not a value"),
            "vectors have square brackets: `[x, y, z]`",
        )
            .into()
    } else if is_formula(value) {
        let help = "formulas are not evaluated: write the number itself";
        (is_not("is not a number"), help).into()
    } else if let Some(slip) = explain_number(value) {
        slip
    } else if slip.in_array()
        && number_first
        && value.contains([' ', '\t', ';'])
        && !value.contains(char::is_alphabetic)
    {
        (is_not("is not a number"), BETWEEN_ELEMENTS).into()
    } else if number_first && value.contains(char::is_alphabetic) {
        let help = format!("write a quantity with its unit as \"{shown}\"");
        (is_not("must be quoted"), help).into()
    } else if number_first {
        (is_not("is not a number"), "write it as `9.81` or `1e-3`").into()
    } else if ["true", "false", "inf", "nan"].contains(&value.to_ascii_lowercase().as_str()) {
        let help = format!("write `{}`", value.to_ascii_lowercase());
        (is_not("is not a value"), help).into()
    } else {
        (
            format!("the text `{shown}` must be quoted"),
            format!("write \"{shown}\""),
        )
            .into()
    };
    explanation.at(span)
}

/// Whether a value is an expression rather than a quantity: `2*pi`, `1/3`, `sin(0.5)`.
fn is_formula(value: &str) -> bool {
    let after = value.trim_start_matches(|letter: char| letter.is_ascii_digit() || "+-._ ".contains(letter));
    let operator = after.len() < value.len() && after.starts_with(['*', '/', '^']);
    operator || value.contains('(') || after == "pi" || after.starts_with("pi/") || after.starts_with("pi*")
}

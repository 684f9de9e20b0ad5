use std::ops::Range;

use toml::de::Error;

use crate::model::LISTS;
use crate::model::problem::{Problems, excerpt};

/// Reports what the TOML parser found wrong with the text, in words for people who do not know TOML.
///
/// One error per line, since one slip often causes several; nothing after a bracket that is never closed.
pub(super) fn report(text: &str, errors: &[Error], problems: &Problems) {
    let mut slips: Vec<Slip<'_>> = errors
        .iter()
        .take(MOST)
        .map(|error| Slip::new(text, error))
        .collect();
    slips.sort_by_key(|slip| slip.span.start);
    let mut reported_up_to = 0;
    let mut repeated_up_to = 0;
    for slip in slips {
        let repeated = slip.message.starts_with("duplicate key");
        if slip.span.start < reported_up_to || (repeated && slip.span.start < repeated_up_to) {
            continue;
        }
        if repeated && slip.in_header() {
            // The keys of a repeated section are repeated too.
            let section = &text[slip.line.end..];
            repeated_up_to = slip.line.end + section.find("\n[").unwrap_or(section.len());
        }
        if let Some(open) = slip.open_bracket() {
            let kind = if text[open..].starts_with('{') {
                ("inline table", '}')
            } else {
                ("array", ']')
            };
            let message = format!("the {} opened here is not closed", kind.0);
            problems
                .error(open..open + 1, message)
                .help(format!("add a `{}`", kind.1));
            return;
        }
        reported_up_to = slip.line.end + 1;
        let Explanation { message, help, span } = slip.explain();
        let report = problems.error(span.unwrap_or(slip.span), message);
        if let Some(help) = help {
            report.help(help);
        }
    }
}

/// More errors than this are not looked at; the author will not either.
const MOST: usize = 200;

/// What is wrong, what to do, and where, if not at the place that the parser gives.
struct Explanation {
    message: String,
    help: Option<String>,
    span: Option<Range<usize>>,
}

impl<M: Into<String>, H: Into<String>> From<(M, H)> for Explanation {
    fn from((message, help): (M, H)) -> Self {
        Self {
            message: message.into(),
            help: Some(help.into()),
            span: None,
        }
    }
}

impl Explanation {
    fn without_help(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            help: None,
            span: None,
        }
    }

    fn at(self, span: Range<usize>) -> Self {
        Self {
            span: Some(span),
            ..self
        }
    }
}

/// An error of the parser and the line it is in.
struct Slip<'t> {
    text: &'t str,
    message: &'t str,
    span: Range<usize>,
    line: Range<usize>,
}

impl<'t> Slip<'t> {
    fn new(text: &'t str, error: &'t Error) -> Self {
        let span = error.span().unwrap_or(0..0);
        let start = text.floor_char_boundary(span.start);
        let end = text.ceil_char_boundary(span.end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..]
            .find('\n')
            .map_or(text.len(), |newline| start + newline);
        Self {
            text,
            message: error.message(),
            span: start..end,
            line: line_start..line_end,
        }
    }

    /// The text of the line before the error.
    fn before(&self) -> &'t str {
        &self.text[self.line.start..self.span.start]
    }

    /// The text of the line from the error on.
    fn rest(&self) -> &'t str {
        &self.text[self.span.start..self.line.end]
    }

    /// Whether the error is in the header of a section.
    fn in_header(&self) -> bool {
        self.before().trim_start().starts_with('[')
    }

    /// The word or number around the error.
    fn token(&self) -> Range<usize> {
        let part = |letter: char| letter.is_alphanumeric() || "+-._".contains(letter);
        let before = self.before();
        let start = self.line.start + before.trim_end_matches(part).len();
        let rest = self.rest();
        let end = self.line.end - rest.trim_start_matches(part).len();
        start..end
    }

    /// What was wrong, and what to do.
    fn explain(&self) -> Explanation {
        let says = |part: &str| self.message.starts_with(part);
        let token = || self.text[self.token()].to_owned();
        if says("string values must be quoted") {
            self.explain_bare_value(self.text[self.span.clone()].trim())
        } else if says("key with no value") || says("invalid unquoted key") {
            self.explain_bare_key()
        } else if says("unexpected key or value") {
            self.explain_rest_of_line()
        } else if says("duplicate key") {
            let key = excerpt(&self.text[self.span.clone()]);
            let help = if !self.in_header() {
                "remove one of the two".to_owned()
            } else if LISTS.contains(&key.as_str()) && !(key == "start" && self.text.contains("\nlagrangian"))
            {
                format!("write `[[{key}]]` for each of them")
            } else {
                format!("merge the two sections into one `[{key}]`")
            };
            (format!("`{key}` is given twice"), help).into()
        } else if says("unclosed table") || says("unclosed array table") {
            let line = self.text[self.line.clone()].split('#').next().unwrap_or_default();
            let name = excerpt(line.trim().trim_matches(['[', ']']));
            let help = if line.trim().starts_with("[[") {
                format!("write `[[{name}]]`")
            } else {
                format!("write `[{name}]`")
            };
            ("the section header is not closed", help).into()
        } else if self.message.contains("string, expected `\"`")
            || self.message.contains("string, expected `'`")
        {
            ("the string is not closed", "add the closing quote").into()
        } else if says("invalid mantissa") {
            let help = format!("write `{}`", excerpt(&token().replacen('.', "0.", 1)));
            Explanation::from(("a number must begin with a digit", help)).at(self.token())
        } else if says("invalid fraction") {
            Explanation::from(("a digit must follow the decimal point", "write `5.0` for `5.`"))
                .at(self.token())
        } else if says("invalid exponent") {
            Explanation::from(("a digit must follow the exponent mark", "write `1e3`")).at(self.token())
        } else if says("unexpected leading zero") {
            Explanation::from(("a number must not begin with a zero", "remove the leading zero"))
                .at(self.token())
        } else if says("invalid boolean") {
            Explanation::without_help("`true` and `false` are written in lower case")
        } else if says("missing escaped value") {
            let help = "write `\\\\` for a backslash, or use single quotes: 'C:\\data'";
            ("unknown escape in the string", help).into()
        } else if says("extra comma") {
            ("there is nothing between the commas", "remove one of the commas").into()
        } else if says("extra `=`") {
            ("there is an `=` too many", "remove one of the two").into()
        } else if says("carriage return must be followed by newline") {
            let help = "the file may have been damaged; retype the line";
            ("there is a stray carriage return", help).into()
        } else if says("invalid comment character") {
            ("there is a control character in the comment", "remove it").into()
        } else if self.message.ends_with("expected nothing") {
            self.explain_rest_of_line()
        } else if self.message.contains("recurs") {
            Explanation::without_help("tables and arrays are nested too deeply")
        } else {
            Explanation::without_help(self.message)
        }
    }

    fn explain_bare_value(&self, value: &str) -> Explanation {
        let in_array = self.before().contains('[');
        let shown = excerpt(value);
        let number_first =
            value.starts_with(|letter: char| letter.is_ascii_digit() || "+-.".contains(letter));
        if value.is_empty() {
            return ("a value is missing", "write one after the `=`").into();
        }
        if value.contains("//") {
            (format!("`{shown}` is not a value"), "comments begin with `#`").into()
        } else if value.contains(['“', '”', '„', '‘', '’']) {
            (
                format!("`{shown}` has typographic quotes"),
                "use straight quotes: \"…\"",
            )
                .into()
        } else if value.starts_with('−') {
            (
                format!("`{shown}` has a typographic minus"),
                "use the minus of the keyboard: `-`",
            )
                .into()
        } else if value.starts_with('(') {
            (
                format!("`{shown}` is not a value"),
                "vectors have square brackets: `[x, y, z]`",
            )
                .into()
        } else if is_formula(value) {
            (
                format!("`{shown}` is not a number"),
                "formulas are not evaluated: write the number itself",
            )
                .into()
        } else if in_array && number_first && !value.contains(char::is_alphabetic) {
            (
                format!("`{shown}` is not a number"),
                "put a comma between the elements: `[1, 2, 3]`",
            )
                .into()
        } else if number_first && value.contains(char::is_alphabetic) {
            (
                format!("`{shown}` must be quoted"),
                format!("write a quantity with its unit as \"{shown}\""),
            )
                .into()
        } else if number_first {
            (
                format!("`{shown}` is not a number"),
                "write it as `9.81` or `1e-3`",
            )
                .into()
        } else {
            (
                format!("the text `{shown}` must be quoted"),
                format!("write \"{shown}\""),
            )
                .into()
        }
    }

    fn explain_bare_key(&self) -> Explanation {
        let line = self.text[self.line.clone()].trim();
        let key = line
            .split([' ', '\t', '=', ':', '{', ','])
            .next()
            .unwrap_or_default();
        let start = self.line.end - self.text[self.line.clone()].trim_start().len();
        let span = match self.span.is_empty() {
            true => start..start + key.len(),
            false => self.span.clone(),
        };
        let help = if line.starts_with("//") || line.starts_with(';') || line.starts_with('%') {
            "comments begin with `#`".to_owned()
        } else if line.contains(':') && !line.contains('=') {
            "write `=` instead of `:`".to_owned()
        } else if line.contains('=') && self.message.starts_with("invalid unquoted key") {
            "keys consist of letters, digits, `-` and `_`".to_owned()
        } else if line.contains('=') {
            "a key is one word; write `_` for a blank".to_owned()
        } else {
            format!("write `{} = …`", excerpt(key))
        };
        let message = format!("`{}` is not followed by `=` and a value", excerpt(key));
        Explanation::from((message, help)).at(span)
    }

    fn explain_rest_of_line(&self) -> Explanation {
        let rest = self.rest().split('#').next().unwrap_or_default().trim_end();
        let span = self.span.start..(self.span.start + rest.len()).max(self.span.end);
        let digits = |text: &str| {
            text.trim_start_matches(|letter: char| letter.is_ascii_digit())
                .len()
        };
        let token = self.token();
        let whole = &self.text[token.start..self.span.start];
        let fraction = rest.strip_prefix(',').unwrap_or_default();
        let length = fraction.len() - digits(fraction);
        if length > 0 && whole.ends_with(|letter: char| letter.is_ascii_digit()) {
            let number = token.start..self.span.start + 1 + length;
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

    /// The bracket that this error comes from, if it is one that is never closed or closed too late.
    fn open_bracket(&self) -> Option<usize> {
        let unclosed =
            self.message.starts_with("unclosed array,") || self.message.starts_with("unclosed inline table");
        let swallowed = self.message.starts_with("missing comma between array elements")
            || self.message.starts_with("unexpected `=` in array")
            || self.message.starts_with("string values must be quoted")
            || self.message.starts_with("missing comma between key-value pairs");
        let line = self.text[self.line.clone()].trim_start();
        let line_is_an_assignment = line.split_once('=').is_some_and(|(key, _)| is_key(key.trim()));
        let open = if unclosed || (swallowed && (line_is_an_assignment || line.starts_with('['))) {
            innermost_open(&self.text[..self.span.start])?
        } else {
            return None;
        };
        (unclosed || open < self.line.start).then_some(open)
    }
}

fn is_key(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|letter| letter.is_alphanumeric() || "-_.".contains(letter))
}

/// Whether a value is an expression rather than a quantity: `2*pi`, `1/3`, `sin(0.5)`.
fn is_formula(value: &str) -> bool {
    let after = value.trim_start_matches(|letter: char| letter.is_ascii_digit() || "+-._ ".contains(letter));
    let operator = after.len() < value.len() && after.starts_with(['*', '/', '^']);
    operator || value.contains('(') || after == "pi" || after.starts_with("pi/") || after.starts_with("pi*")
}

/// The last bracket or brace of the text that is still open at its end.
fn innermost_open(text: &str) -> Option<usize> {
    let mut open: Vec<usize> = Vec::new();
    let mut letters = text.char_indices();
    let mut header = false;
    while let Some((at, letter)) = letters.next() {
        match letter {
            '#' => while letters.next().is_some_and(|(_, letter)| letter != '\n') {},
            '"' | '\'' if text[at..].starts_with(&letter.to_string().repeat(3)) => {
                let inside = at + 3;
                let length = text[inside..]
                    .find(&text[at..inside])
                    .map_or(text.len() - inside, |length| length + 3);
                while letters.offset() < inside + length && letters.next().is_some() {}
            }
            '"' | '\'' => {
                let mut escaped = false;
                for (_, inner) in letters.by_ref() {
                    if inner == '\n' || (inner == letter && !escaped) {
                        break;
                    }
                    escaped = letter == '"' && inner == '\\' && !escaped;
                }
            }
            '[' | '{' => open.push(at),
            ']' | '}' => {
                open.pop();
            }
            // A header or value that was not closed on its line does not reach into the next assignment.
            '\n' if header => open.clear(),
            _ => {}
        }
        if letter == '\n' {
            header = false;
        } else if letter == '[' && open.len() == 1 {
            header = text[..at]
                .rsplit('\n')
                .next()
                .is_some_and(|line| line.trim().is_empty());
        }
    }
    open.last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use toml::de::DeTable;

    /// The underlined text, message and help of every error.
    fn explained(text: &str) -> Vec<(String, String, String)> {
        let problems = Problems::new();
        report(text, &DeTable::parse_recoverable(text).1, &problems);
        let shown = |span: Range<usize>| text.get(span).expect("a span in range").to_owned();
        problems
            .into_sorted()
            .into_iter()
            .map(|problem| {
                (
                    shown(problem.span),
                    problem.message,
                    problem.help.unwrap_or_default(),
                )
            })
            .collect()
    }

    #[test]
    fn common_slips_are_recognised() {
        for (text, message, help) in [
            ("name = rk4", "the text `rk4` must be quoted", "write \"rk4\""),
            (
                "a = 30 deg",
                "`30 deg` must be quoted",
                "write a quantity with its unit as \"30 deg\"",
            ),
            ("a =", "a value is missing", "write one after the `=`"),
            (
                "a = “b”",
                "`“b”` has typographic quotes",
                "use straight quotes: \"…\"",
            ),
            (
                "a = −5",
                "`−5` has a typographic minus",
                "use the minus of the keyboard: `-`",
            ),
            (
                "a = 1 // one",
                "`1 // one` is not a value",
                "comments begin with `#`",
            ),
            (
                "// one",
                "`//` is not followed by `=` and a value",
                "comments begin with `#`",
            ),
            (
                "a = [1 2 3]",
                "`1 2 3` is not a number",
                "put a comma between the elements: `[1, 2, 3]`",
            ),
            (
                "a = [1; 2]",
                "`1; 2` is not a number",
                "put a comma between the elements: `[1, 2, 3]`",
            ),
            (
                "mass 1.0",
                "`mass` is not followed by `=` and a value",
                "write `mass = …`",
            ),
            (
                "mass: 1.0",
                "`mass` is not followed by `=` and a value",
                "write `=` instead of `:`",
            ),
            (
                "total mass = 1",
                "`total` is not followed by `=` and a value",
                "a key is one word; write `_` for a blank",
            ),
            (
                "g = 9,81",
                "`9,81` has a decimal comma",
                "write a decimal point: `9.81`",
            ),
            (
                "a = [1, 2]]",
                "unexpected `]` after the value",
                "remove the bracket",
            ),
            ("a = 1\na = 2", "`a` is given twice", "remove one of the two"),
            (
                "[b]\n[b]",
                "`b` is given twice",
                "merge the two sections into one `[b]`",
            ),
            (
                "[body]\na = 1\n[body]\na = 2\n",
                "`body` is given twice",
                "write `[[body]]` for each of them",
            ),
            (
                "a = 2*pi",
                "`2*pi` is not a number",
                "formulas are not evaluated: write the number itself",
            ),
            (
                "a = [1/3, 0]",
                "`1/3` is not a number",
                "formulas are not evaluated: write the number itself",
            ),
            (
                "a = 1.5;",
                "unexpected `;` after the value",
                "remove it: lines end without a mark",
            ),
            (
                "a = [1,, 2]",
                "there is nothing between the commas",
                "remove one of the commas",
            ),
            (
                "v = [1, 2\nx = 3\n[run]\n",
                "the array opened here is not closed",
                "add a `]`",
            ),
            (
                "v = [1, 2\n[run]\nx = 3\n",
                "the array opened here is not closed",
                "add a `]`",
            ),
            (
                "v = [1, [2, 3], 4",
                "the array opened here is not closed",
                "add a `]`",
            ),
            (
                "v = {a = 1\nx = 3\n",
                "the inline table opened here is not closed",
                "add a `}`",
            ),
            ("[run\nx = 1", "the section header is not closed", "write `[run]`"),
            (
                "[[body]\nx = 1",
                "the section header is not closed",
                "write `[[body]]`",
            ),
            (
                "a = \"b\nc = 1",
                "the string is not closed",
                "add the closing quote",
            ),
            (
                "a = 'b\nc = 1",
                "the string is not closed",
                "add the closing quote",
            ),
            ("a = .5", "a number must begin with a digit", "write `0.5`"),
            (
                "a = 5.",
                "a digit must follow the decimal point",
                "write `5.0` for `5.`",
            ),
            ("a = 1e", "a digit must follow the exponent mark", "write `1e3`"),
            (
                "a = 007",
                "a number must not begin with a zero",
                "remove the leading zero",
            ),
            ("a = True", "`true` and `false` are written in lower case", ""),
        ] {
            let found = explained(text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert_eq!(
                (found[0].1.as_str(), found[0].2.as_str()),
                (message, help),
                "{text}"
            );
        }
    }

    #[test]
    fn an_open_bracket_is_pointed_at() {
        let text = "w = [1] # [\nv = [1, \"]\",\nx = 3\n";
        assert_eq!(explained(text)[0].0, "[");
        let problems = Problems::new();
        report(text, &DeTable::parse_recoverable(text).1, &problems);
        assert_eq!(
            problems.into_sorted()[0].span.start,
            text.find("v = [").expect("there") + 4
        );
    }
}

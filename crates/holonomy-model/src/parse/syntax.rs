//! What is wrong with a text that is not TOML, in words for people who do not know TOML.
//!
//! The parser says where something is wrong. What that is, is read off the text there: [`Surroundings`] knows whether
//! the place is in a string, a header, an array, a key or a value. The parser's own words are the last resort.
use std::ops::Range;

use toml::de::Error;

use super::surroundings::{Surroundings, Within};
use crate::problem::{Problems, excerpt};
use crate::run::ONE_OUTPUT;
use crate::spec;
use crate::value::DEEPEST;

#[cfg(test)]
mod tests;
mod values;

/// Reports what the TOML parser found wrong with the text.
///
/// One error per line, since one slip often causes several; nothing after a bracket or a string that is never closed.
pub(super) fn report(text: &str, errors: &[Error], problems: &Problems) {
    let mut slips: Vec<(Range<usize>, &str)> = errors
        .iter()
        .take(MOST)
        .map(|error| {
            let span = error.span().unwrap_or(0..0);
            let start = text.floor_char_boundary(span.start);
            (
                start..text.ceil_char_boundary(span.end).max(start),
                error.message(),
            )
        })
        .collect();
    holonomy::order::sort_by_key(&mut slips, |(span, _)| span.start);
    let mut around = Surroundings::new(text);
    let mut reported_up_to = 0;
    let mut repeated_up_to = 0;
    for (span, said) in slips {
        if span.start < reported_up_to {
            continue;
        }
        around.advance(span.start);
        let slip = Slip::new(text, span, &around);
        let repeated = slip.repeats_a_key();
        if repeated && slip.span.start < repeated_up_to {
            continue;
        }
        if repeated && around.header {
            // The keys of a repeated section are repeated too.
            let section = &text[slip.line.end..];
            repeated_up_to = slip.line.end + section.find("\n[").unwrap_or(section.len());
        }
        reported_up_to = slip.line.end + 1;
        let Explanation {
            message,
            help,
            span,
            last,
        } = slip.explain().unwrap_or_else(|| said.into());
        let report = problems.error(span.unwrap_or(slip.span), message);
        if let Some(help) = help {
            report.help(help);
        }
        if last {
            return;
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
    /// Whether what the parser says of the rest of the text follows from this.
    last: bool,
}

impl From<&str> for Explanation {
    fn from(message: &str) -> Self {
        Self {
            message: message.to_owned(),
            help: None,
            span: None,
            last: false,
        }
    }
}

impl<M: Into<String>, H: Into<String>> From<(M, H)> for Explanation {
    fn from((message, help): (M, H)) -> Self {
        Self {
            message: message.into(),
            help: Some(help.into()),
            span: None,
            last: false,
        }
    }
}

impl Explanation {
    fn at(self, span: Range<usize>) -> Self {
        Self {
            span: Some(span),
            ..self
        }
    }

    fn last(self) -> Self {
        Self { last: true, ..self }
    }
}

/// A place where the parser stumbled, and the line it is in.
struct Slip<'t, 's> {
    text: &'t str,
    span: Range<usize>,
    line: Range<usize>,
    around: &'s Surroundings<'t>,
}

impl<'t, 's> Slip<'t, 's> {
    fn new(text: &'t str, span: Range<usize>, around: &'s Surroundings<'t>) -> Self {
        let line_start = text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[span.start..]
            .find('\n')
            .map_or(text.len(), |newline| span.start + newline);
        Self {
            text,
            span,
            line: line_start..line_end,
            around,
        }
    }

    /// The text of the line from the slip on.
    fn rest(&self) -> &'t str {
        &self.text[self.span.start..self.line.end]
    }

    /// The same without the comment.
    fn rest_of_statement(&self) -> &'t str {
        self.rest().split('#').next().unwrap_or_default().trim_end()
    }

    /// The value or element that begins at the slip.
    fn value(&self) -> &'t str {
        self.rest()
            .split([',', ']', '}', '#'])
            .next()
            .unwrap_or_default()
            .trim_end()
    }

    /// The last mark before the slip that is not a blank.
    fn mark_before(&self) -> Option<char> {
        self.text[..self.span.start].trim_end().chars().next_back()
    }

    /// The bracket around the slip, and where it was opened.
    fn bracket(&self) -> Option<(char, usize)> {
        let open = *self.around.open.last()?;
        Some((self.text[open..].chars().next()?, open))
    }

    fn in_array(&self) -> bool {
        matches!(self.bracket(), Some(('[', _)))
    }

    /// Whether a key is expected here, or has just been read.
    fn in_key(&self) -> bool {
        !self.around.header && !self.around.assigned && !self.in_array()
    }

    /// Whether the slip is a whole key: nothing can be wrong with it but that it is there already.
    fn repeats_a_key(&self) -> bool {
        let key = &self.text[self.span.clone()];
        let quoted = |quote: char| {
            let inner = key.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
            inner.is_some_and(|inner| !inner.starts_with(quote))
        };
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
        let whole = quoted('"') || quoted('\'') || (!key.is_empty() && key.chars().all(plain));
        whole && (self.in_key() || (self.around.header && !self.around.closed))
    }

    /// What is wrong and what to do; `None` if the text does not tell.
    fn explain(&self) -> Option<Explanation> {
        let rest = self.rest();
        if let Within::String { from } = self.around.within {
            return self.explain_string(from);
        }
        if self.text[..self.span.start].ends_with('\r') && !rest.is_empty() {
            let help = "the file may have been damaged; retype the line";
            return Some(("there is a stray carriage return", help).into());
        }
        if rest.starts_with(is_unwanted) {
            return Some(("there is a control character in the text", "remove it").into());
        }
        if self.around.open.len() >= DEEPEST || self.text[self.line.clone()].matches('.').count() >= DEEPEST {
            return Some("tables and arrays are nested too deeply".into());
        }
        if self.around.within == Within::Comment {
            return None;
        }
        if self.repeats_a_key() {
            return Some(self.explain_repeated_key());
        }
        if self.around.header {
            return Some(self.explain_header());
        }
        if let Some(unclosed) = self.explain_unclosed_bracket() {
            return Some(unclosed);
        }
        if self.in_key() {
            return Some(self.explain_key());
        }
        self.explain_value()
    }

    fn explain_string(&self, from: usize) -> Option<Explanation> {
        let before = &self.text[from..self.span.start];
        if self.rest().trim_end_matches('\r').is_empty() {
            let explanation = Explanation::from(("the string is not closed", "add the closing quote"));
            return Some(match self.around.open.is_empty() {
                true => explanation,
                false => explanation.last(),
            });
        }
        if before.ends_with('\\') {
            let help = "write `\\\\` for a backslash, or use single quotes: 'C:\\data'";
            return Some(("unknown escape in the string", help).into());
        }
        let unwanted = self.rest().starts_with(is_unwanted);
        unwanted.then(|| ("there is a control character in the text", "remove it").into())
    }

    fn explain_repeated_key(&self) -> Explanation {
        let key = excerpt(&self.text[self.span.clone()]);
        let help = if !self.around.header {
            "remove one of the two".to_owned()
        } else if key == "output" {
            ONE_OUTPUT.to_owned()
        } else if spec::is_list(&key) && !(key == "start" && self.text.contains("\nlagrangian")) {
            format!("write `[[{key}]]` for each of them")
        } else {
            format!("merge the two sections into one `[{key}]`")
        };
        (format!("`{key}` is given twice"), help).into()
    }

    fn explain_header(&self) -> Explanation {
        let rest = self.rest_of_statement();
        if self.around.closed {
            let span = self.span.start..(self.span.start + rest.len()).max(self.span.end);
            let message = format!("unexpected `{}` after the header", excerpt(rest));
            return Explanation::from((message, "put each key on its own line; comments begin with `#`"))
                .at(span);
        }
        let line = self.text[self.line.clone()].split('#').next().unwrap_or_default();
        let line = line.trim();
        let close = if line.starts_with("[[") { "]]" } else { "]" };
        let name = excerpt(line.trim_matches(['[', ']']));
        let blank = self.text[..self.span.start].ends_with(char::is_whitespace)
            || rest.starts_with(char::is_whitespace);
        let incomplete = matches!(self.mark_before(), Some('[' | '.')) || rest.starts_with('.');
        if line.ends_with(close) && blank {
            ("the name of a section is one word", "write `_` for a blank").into()
        } else if line.ends_with(close) && incomplete && self.span.is_empty() {
            (
                "the name of the section is missing",
                "write one between the brackets",
            )
                .into()
        } else if line.ends_with(close) && !self.span.is_empty() {
            (format!("`{name}` is not the name of a section"), KEYS).into()
        } else {
            let help = match close {
                "]]" => format!("write `[[{name}]]`"),
                _ => format!("write `[{name}]`"),
            };
            ("the section header is not closed", help).into()
        }
    }

    /// The bracket that this slip comes from, if it is one that is never closed or closed too late.
    fn explain_unclosed_bracket(&self) -> Option<Explanation> {
        let (bracket, open) = self.bracket()?;
        let line = self.text[self.line.clone()].trim_start();
        let at_line_start = self.text[self.line.start..self.span.start].trim().is_empty();
        let unseparated = at_line_start && !matches!(self.mark_before(), Some(',' | '{'));
        let next_statement = open < self.line.start
            && (is_header(line) || is_assignment(line) && (bracket == '[' || unseparated));
        let mut left = self.text[self.span.start..].lines();
        let at_the_end = left.all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
        if !next_statement && !at_the_end {
            return None;
        }
        let (kind, close) = if bracket == '{' {
            ("inline table", '}')
        } else {
            ("array", ']')
        };
        let message = format!("the {kind} opened here is not closed");
        let explanation = Explanation::from((message, format!("add a `{close}`")));
        Some(explanation.at(open..open + 1).last())
    }

    fn explain_key(&self) -> Explanation {
        let rest = self.rest();
        let start = self.around.first.unwrap_or(self.span.start);
        let in_table = self.bracket().is_some();
        let statement = self.text[start..self.line.end]
            .split(|letter| in_table && ",}".contains(letter))
            .next()
            .unwrap_or_default();
        let key = statement
            .split([' ', '\t', '=', ':', '{', '}', '[', ']', ','])
            .next()
            .unwrap_or_default();
        if rest.starts_with('.') || self.mark_before() == Some('.') {
            let help = "write a word on both sides of the dot";
            return ("a part of the key is missing", help).into();
        }
        if key.is_empty() {
            let mark = statement.chars().next();
            let unexpected = |mark: char| format!("unexpected `{mark}`");
            return match mark.or_else(|| rest.chars().next()) {
                Some('=') => ("a key is missing", "write one before the `=`").into(),
                Some(',') if in_table => NOTHING_BETWEEN_COMMAS.into(),
                Some(mark @ (']' | '}')) => (unexpected(mark), "remove the bracket").into(),
                Some(mark) => (unexpected(mark), "write `key = value`").into(),
                None => ("a key is missing", "write `key = value`").into(),
            };
        }
        let comment = ["//", ";", "%"].iter().any(|mark| statement.starts_with(mark));
        let assigned = statement.contains('=');
        let help = if comment {
            "comments begin with `#`".to_owned()
        } else if statement.contains(':') && !assigned {
            "write `=` instead of `:`".to_owned()
        } else if assigned && !self.span.is_empty() {
            KEYS.to_owned()
        } else if assigned {
            "a key is one word; write `_` for a blank".to_owned()
        } else {
            format!("write `{} = …`", excerpt(key))
        };
        let message = format!("`{}` is not followed by `=` and a value", excerpt(key));
        let span = match self.span.is_empty() {
            true => start..start + key.len(),
            false => self.span.clone(),
        };
        Explanation::from((message, help)).at(span)
    }

    /// The word or number around the slip.
    fn word(&self) -> Range<usize> {
        let part = |letter: char| letter.is_alphanumeric() || "+-._".contains(letter);
        let before = &self.text[self.line.start..self.span.start];
        let start = self.line.start + before.trim_end_matches(part).len();
        let end = self.line.end - self.rest().trim_start_matches(part).len();
        start..end
    }
}

const KEYS: &str = "keys consist of letters, digits, `-` and `_`";
const BETWEEN_ELEMENTS: &str = "put a comma between the elements: `[1, 2, 3]`";
const NOTHING_BETWEEN_COMMAS: (&str, &str) =
    ("there is nothing between the commas", "remove one of the commas");
const EQUALS_IN_ARRAY: (&str, &str) = (
    "unexpected `=` in the array",
    "tables have braces: `{ key = value }`",
);

/// Whether a line begins with `key =`.
fn is_assignment(line: &str) -> bool {
    line.split_once('=').is_some_and(|(key, _)| is_key(key.trim()))
}

/// Whether a line begins with `[name]` or `[[name]]`, rather than an array of numbers.
fn is_header(line: &str) -> bool {
    let name = line.trim_start_matches('[');
    let named = name.split_once(']').is_some_and(|(name, _)| is_key(name.trim()));
    named && line.starts_with('[') && name.starts_with(char::is_alphabetic)
}

fn is_key(text: &str) -> bool {
    let part = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
    !text.is_empty() && text.chars().all(part)
}

/// Characters that TOML has nowhere.
fn is_unwanted(letter: char) -> bool {
    letter.is_control() && !"\n\r\t".contains(letter)
}

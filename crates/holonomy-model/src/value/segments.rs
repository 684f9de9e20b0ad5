//! Paths as text: keys joined by dots.
use super::EditError;
use crate::problem::excerpt;
use std::ops::Range;

/// One key of a path, and where it is written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Segment {
    pub(crate) key: String,
    pub(crate) span: Range<usize>,
}

/// The keys of a path that ends with the text; with an error, where it is.
pub(super) fn segments_of(text: &str) -> Result<Vec<Segment>, (Range<usize>, EditError)> {
    if text.trim().is_empty() {
        return Err((0..0, EditError::NoKey));
    }
    let (segments, end) = split_path(text)?;
    match end < text.len() {
        true => Err((end..end + 1, EditError::NotAKey { key: excerpt(text) })),
        false => Ok(segments),
    }
}

/// The keys before an `=` or the end of the text, and where that is.
pub(crate) fn split_path(text: &str) -> Result<(Vec<Segment>, usize), (Range<usize>, EditError)> {
    let mut path = Vec::new();
    let mut at = 0;
    loop {
        at = text.len() - text[at..].trim_start().len();
        let rest = &text[at..];
        let length = segment_length(rest);
        let written = rest[..length].trim_end();
        let span = at..at + written.len();
        let key = match written.strip_prefix(['"', '\'']) {
            Some(_) => crate::parse::quoted_key(written),
            None if written.contains(['"', '\'']) => None,
            None => Some(written.to_owned()),
        };
        let Some(key) = key else {
            let key = excerpt(written);
            return Err((span, EditError::NotAKey { key }));
        };
        if written.is_empty() && (length < rest.len() || !path.is_empty()) {
            let error = match rest.starts_with('.') || !path.is_empty() {
                true => EditError::EmptyKey,
                false => EditError::NoKey,
            };
            return Err((span.start..(span.end + 1).min(text.len()), error));
        }
        path.push(Segment { key, span });
        at += length;
        match text[at..].chars().next() {
            Some('.') => at += 1,
            _ => return Ok((path, at)),
        }
    }
}

/// The length of the text before the next dot or equals sign outside quotes.
fn segment_length(text: &str) -> usize {
    let mut quote = None;
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        match quote {
            None if letter == '.' || letter == '=' => return at,
            None if letter == '"' || letter == '\'' => quote = Some(letter),
            Some(open) if letter == open && !escaped => quote = None,
            _ => {}
        }
        escaped = quote == Some('"') && letter == '\\' && !escaped;
    }
    text.len()
}

use std::ops::Range;

use crate::files::Files;
use crate::parse::Marked;
use crate::value::{Segment, Value};

/// The text of a model with its name, and what the command line changes in it.
///
/// All texts share one span space: the model occupies `0..len`, and the words of each change follow at a higher offset
/// with a gap of one byte, so that a span alone tells which text it is about.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    /// The first is that of the model.
    texts: Vec<Text>,
    changes: Vec<Change>,
    /// What stands beside it.
    files: Files,
}

/// A text and where it lies in the span space.
#[derive(Clone, Debug)]
struct Text {
    /// Where it comes from, for people.
    origin: String,
    text: String,
    start: usize,
}

/// A change to the model, to be made when it is read.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// `path=value`, in these bytes.
    Override(Range<usize>),
    /// The value at a path; `None` takes it away.
    Set(Vec<Segment>, Option<NewValue>),
}

/// A value that is given by a change.
#[derive(Clone, Debug)]
pub(crate) enum NewValue {
    /// Understood as that of an override is.
    Words(Range<usize>),
    Value(Marked),
}

/// Where a span lies, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location<'a> {
    /// The name of the model, or the override as it was given: `--set chain.links=64`.
    pub origin: &'a str,
    /// The whole text that the span is about.
    pub text: &'a str,
    /// The span within [`text`](Self::text); both ends lie on character boundaries.
    pub local: Range<usize>,
    /// The line of its start, counted from 1.
    pub line: usize,
    /// The column of its start, counted in characters from 1.
    pub column: usize,
}

impl Source {
    /// The text of a model. The name is the path of its file or the name of a built-in scenario.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let name = name.into();
        let model = Text {
            origin: name.clone(),
            text: text.into(),
            start: 0,
        };
        Self {
            name,
            texts: vec![model],
            changes: Vec::new(),
            files: Files::default(),
        }
    }

    /// The same with the files that stand beside it, which it may name.
    #[must_use]
    pub fn beside(self, files: Files) -> Self {
        Self { files, ..self }
    }

    pub(crate) fn files(&self) -> &Files {
        &self.files
    }

    /// Adds an override such as `chain.links=64`; later ones win.
    pub fn with_override(&mut self, text: impl Into<String>) -> &mut Self {
        let text = text.into();
        let span = self.push(format!("--set {text}"), text);
        self.changes.push(Change::Override(span));
        self
    }

    /// Sets the value at a path by a flag of its own: `--step 0.01` sets `run.step`. Problems with it are shown in the
    /// words of the flag.
    pub fn with_flag(&mut self, flag: &str, path: &[&str], value: &str) -> &mut Self {
        let words = self.with_words(format!("{flag} {value}"));
        let path = path.iter().map(|key| Segment {
            key: (*key).to_owned(),
            span: words.start..words.start + flag.len(),
        });
        let value = NewValue::Words(words.start + flag.len() + 1..words.end);
        self.changes.push(Change::Set(path.collect(), Some(value)));
        self
    }

    /// Sets the value at a path of keys. It was written nowhere, so problems with it are shown without a place.
    pub fn with_value(&mut self, path: &[&str], value: impl Into<Value>) -> &mut Self {
        let path = path.iter().map(|key| (*key, 0..0));
        let value = Marked::unwritten(value.into());
        self.with_marked(path, value)
    }

    /// Takes the key at a path of keys away, if it is there.
    pub fn without(&mut self, path: &[&str]) -> &mut Self {
        let path = path.iter().map(|key| Segment {
            key: (*key).to_owned(),
            span: 0..0,
        });
        self.changes.push(Change::Set(path.collect(), None));
        self
    }

    /// Adds words of the command line, to which parts of values can then be traced back; gives their span.
    pub fn with_words(&mut self, words: impl Into<String>) -> Range<usize> {
        self.push(COMMAND_LINE.to_owned(), words.into())
    }

    /// Sets the value at a path of keys, each with the words it comes from, as the value has.
    pub fn with_marked<'k>(
        &mut self,
        path: impl IntoIterator<Item = (&'k str, Range<usize>)>,
        value: Marked,
    ) -> &mut Self {
        let path = path.into_iter().map(|(key, span)| Segment {
            key: key.to_owned(),
            span,
        });
        self.changes
            .push(Change::Set(path.collect(), Some(NewValue::Value(value))));
        self
    }

    /// As [`with_marked`](Self::with_marked) for a value that is yet to be understood, as that of an override is.
    pub fn with_unread<'k>(
        &mut self,
        path: impl IntoIterator<Item = (&'k str, Range<usize>)>,
        value: Range<usize>,
    ) -> &mut Self {
        let path = path.into_iter().map(|(key, span)| Segment {
            key: key.to_owned(),
            span,
        });
        self.changes
            .push(Change::Set(path.collect(), Some(NewValue::Words(value))));
        self
    }

    fn push(&mut self, origin: String, text: String) -> Range<usize> {
        let start = self.end() + 1;
        let span = start..start + text.len();
        self.texts.push(Text { origin, text, start });
        span
    }

    /// The end of the span space.
    pub(crate) fn end(&self) -> usize {
        self.texts.last().map_or(0, |last| last.start + last.text.len())
    }

    /// The path of the file or the name of the scenario.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text of the model, without overrides.
    pub fn text(&self) -> &str {
        &self.texts[0].text
    }

    pub(crate) fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The bytes of a span that lies in one text.
    pub(crate) fn slice(&self, span: &Range<usize>) -> &str {
        let Text { text, start, .. } = self.text_at(span.start);
        text.get(span.start - start..span.end - start).unwrap_or_default()
    }

    fn text_at(&self, at: usize) -> &Text {
        let found = self.texts.iter().rev().find(|text| text.start <= at);
        found.unwrap_or(&self.texts[0])
    }

    /// Finds the text, line and column of a span. Spans out of range are moved to the nearest place in range.
    pub fn locate(&self, span: Range<usize>) -> Location<'_> {
        let Text { origin, text, start } = self.text_at(span.start);
        let from = text.floor_char_boundary(span.start - start);
        let to = text.ceil_char_boundary(span.end.saturating_sub(*start)).max(from);
        let before = &text[..from];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Location {
            origin,
            text,
            local: from..to,
            line: before.matches('\n').count() + 1,
            column: before[line_start..]
                .chars()
                .filter(|&letter| letter != BYTE_ORDER_MARK)
                .count()
                + 1,
        }
    }
}

/// Where problems with flags are.
const COMMAND_LINE: &str = "command line";

/// Invisible mark that some editors put first in a file.
const BYTE_ORDER_MARK: char = '\u{feff}';

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_find_their_text() {
        let mut source = Source::new("pendulum.toml", "a = 1\nb = 'µm' # x\n");
        source.with_override("chain.links=64").with_override("b=2");
        let x = source.text().find('x').expect("there");
        let location = source.locate(x..x + 1);
        assert_eq!(
            (location.origin, location.line, location.column),
            ("pendulum.toml", 2, 12)
        );
        assert_eq!(&location.text[location.local], "x");

        let starts: Vec<usize> = source.texts.iter().map(|text| text.start).collect();
        let location = source.locate(starts[1] + 12..starts[1] + 14);
        assert_eq!(location.origin, "--set chain.links=64");
        assert_eq!((location.line, location.column), (1, 13));
        assert_eq!(&location.text[location.local], "64");
        assert_eq!(source.locate(starts[2]..starts[2] + 1).origin, "--set b=2");
    }

    #[test]
    fn the_end_of_the_model_is_not_the_first_override() {
        let mut source = Source::new("m", "a = [");
        source.with_override("b=2");
        assert_eq!(source.locate(5..5).origin, "m");
        assert_eq!(source.locate(6..6).origin, "--set b=2");
    }

    #[test]
    fn any_span_is_located() {
        let mut source = Source::new("m", "é\nµ");
        source.with_override("é=µ").with_flag("--é", &["a"], "µ");
        for start in 0..30 {
            for end in 0..30 {
                let location = source.locate(start..end);
                assert!(location.text.get(location.local).is_some());
            }
        }
        source.locate(usize::MAX..usize::MAX);
        assert_eq!(Source::new("m", "\u{feff}a").locate(3..4).column, 1);
    }
}

use std::{ops::Range, sync::Arc};

/// The text of a model with its name, and the overrides to be merged into it.
///
/// All texts share one span space: the model occupies `0..len`, and each override follows at a higher offset with a
/// gap of one byte, so that a span alone tells which text it is about.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
    overrides: Vec<Override>,
    parts: Vec<Part>,
}

/// A part of the text that was written elsewhere, and where.
#[derive(Clone, Debug)]
struct Part {
    part: Range<usize>,
    words: Arc<str>,
    place: Range<usize>,
}

/// One `path=value` text and where it lies in the span space of its [`Source`].
#[derive(Clone, Debug)]
pub struct Override {
    label: String,
    text: String,
    start: usize,
    /// Length of the flag and of the path that it stands for, if it was given by a flag of its own.
    flag: Option<(usize, usize)>,
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
        Self {
            name: name.into(),
            text: text.into(),
            overrides: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// Says that a part of the text was composed of words of the command line: problems with it are shown at their
    /// place in those words. If both are equally long they correspond byte by byte; the innermost part counts.
    pub fn with_words(&mut self, part: Range<usize>, words: &Arc<str>, place: Range<usize>) -> &mut Self {
        self.parts.push(Part {
            part,
            words: words.clone(),
            place,
        });
        self
    }

    /// Adds an override such as `chain.links=64`; later ones win.
    pub fn with_override(&mut self, text: impl Into<String>) -> &mut Self {
        let text = text.into();
        let label = format!("--set {text}");
        self.push(label, text, None)
    }

    /// Adds an override that was given by a flag of its own: `--step 0.01` stands for `run.step=0.01`. Problems with
    /// it are shown in the words of the flag.
    pub fn with_flag(&mut self, flag: &str, path: &str, value: &str) -> &mut Self {
        let lengths = Some((flag.len(), path.len()));
        self.push(format!("{flag} {value}"), format!("{path}={value}"), lengths)
    }

    fn push(&mut self, label: String, text: String, flag: Option<(usize, usize)>) -> &mut Self {
        let start = self.overrides.last().map_or(self.text.len(), Override::end) + 1;
        self.overrides.push(Override {
            label,
            text,
            start,
            flag,
        });
        self
    }

    /// The path of the file or the name of the scenario.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text of the model, without overrides.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The overrides in the order they were given.
    pub fn overrides(&self) -> &[Override] {
        &self.overrides
    }

    /// Finds the text, line and column of a span. Spans out of range are moved to the nearest place in range.
    pub fn locate(&self, span: Range<usize>) -> Location<'_> {
        let found = self
            .overrides
            .iter()
            .rev()
            .find(|given| given.start <= span.start);
        let part = match found {
            None => self.innermost(&span),
            Some(_) => None,
        };
        let (origin, text, start, span) = match (found, part) {
            (Some(given), _) if given.flag.is_some() => (
                COMMAND_LINE,
                given.label.as_str(),
                given.start,
                given.as_written(span),
            ),
            (Some(given), _) => (given.label.as_str(), given.text.as_str(), given.start, span),
            (None, Some(part)) => (COMMAND_LINE, &*part.words, 0, part.as_written(span)),
            (None, None) => (self.name.as_str(), self.text.as_str(), 0, span),
        };
        let from = text.floor_char_boundary(span.start - start);
        let to = text.ceil_char_boundary(span.end.saturating_sub(start)).max(from);
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

    /// The shortest part that holds the span.
    fn innermost(&self, span: &Range<usize>) -> Option<&Part> {
        let holds = |part: &&Part| part.part.start <= span.start && span.end <= part.part.end;
        self.parts.iter().filter(holds).min_by_key(|part| part.part.len())
    }
}

impl Part {
    fn as_written(&self, span: Range<usize>) -> Range<usize> {
        if self.part.len() != self.place.len() {
            return self.place.clone();
        }
        let moved = |at: usize| self.place.start + (at - self.part.start);
        // A span may end before it starts; `locate` copes.
        moved(span.start)..moved(span.end.max(span.start))
    }
}

impl Override {
    /// The text as it was given: `path=value`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where its first byte lies in the span space of the source.
    pub fn start(&self) -> usize {
        self.start
    }

    fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// The span in the words of the flag, if there is one: the path becomes the flag, the value stays.
    fn as_written(&self, span: Range<usize>) -> Range<usize> {
        let Some((flag, path)) = self.flag else {
            return span;
        };
        let value = self.start + path + 1;
        if span.start < value {
            return self.start..self.start + flag;
        }
        let written = self.start + flag + 1;
        let moved = |at: usize| written.saturating_add(at.saturating_sub(value));
        moved(span.start)..moved(span.end)
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

        let first = source.overrides()[0].start();
        let location = source.locate(first + 12..first + 14);
        assert_eq!(location.origin, "--set chain.links=64");
        assert_eq!((location.line, location.column), (1, 13));
        assert_eq!(&location.text[location.local], "64");

        let second = source.overrides()[1].start();
        assert_eq!(source.locate(second..second + 1).origin, "--set b=2");
    }

    #[test]
    fn a_flag_is_shown_as_it_was_written() {
        let mut source = Source::new("m", "a = 1");
        source.with_flag("--step", "run.step", "-1");
        let given = &source.overrides()[0];
        assert_eq!(given.text(), "run.step=-1");
        let value = given.start() + 9;
        let location = source.locate(value..value + 2);
        assert_eq!((location.origin, location.column), ("command line", 8));
        assert_eq!(
            (location.text, &location.text[location.local.clone()]),
            ("--step -1", "-1")
        );
        let path = source.locate(given.start()..given.start() + 8);
        assert_eq!(&path.text[path.local.clone()], "--step");
        for start in 0..30 {
            for end in 0..30 {
                let location = source.locate(start..end);
                assert!(location.text.get(location.local).is_some());
            }
        }
        source.locate(usize::MAX..usize::MAX);
    }

    #[test]
    fn parts_are_shown_where_they_were_written() {
        let words: Arc<str> = "--start a=1, b=x".into();
        let mut source = Source::new("command line", "[start]\na = 1\nb = \"x\"\n");
        source.with_words(0..7, &words, 8..16);
        source.with_words(18..21, &words, 15..16);
        source.with_words(19..20, &words, 15..16);
        let at = |span: Range<usize>| {
            let location = source.locate(span);
            assert_eq!(location.text, &*words);
            location.text[location.local].to_owned()
        };
        assert_eq!(at(0..7), "a=1, b=x");
        assert_eq!(at(18..21), "x");
        assert_eq!(at(19..20), "x");
        assert_eq!(source.locate(12..13).text, source.text());
        let mut source = Source::new("m", "é\nµ");
        source.with_words(0..3, &words, 0..3);
        source.with_words(1..1, &words, 40..50);
        for start in 0..20 {
            for end in 0..20 {
                let location = source.locate(start..end);
                assert!(location.text.get(location.local).is_some());
            }
        }
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
        source.with_override("é=µ");
        for start in 0..20 {
            for end in 0..20 {
                let location = source.locate(start..end);
                assert!(location.text.get(location.local).is_some());
            }
        }
        source.locate(usize::MAX..usize::MAX);
        assert_eq!(Source::new("m", "\u{feff}a").locate(3..4).column, 1);
    }
}

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::overrides;
use super::path::{Path, Place};
use super::problem::{Problem, Problems};
use super::repeat::{self, Origins};
use super::source::Source;
use super::value::{Table, Value};

pub use spans::Marked;
pub(super) use spans::Spans;

pub(super) mod nesting;
mod spans;
mod surroundings;
mod syntax;

#[cfg(test)]
mod fuzz;

/// A model as a table of values, with all changes made, and where each value is written.
#[derive(Debug)]
pub struct Document {
    pub(super) table: Table,
    pub(super) spans: Spans,
    /// Which sections were made from which.
    pub(super) origins: Origins,
}

/// Parses the text of a model and makes the changes of the command line in it.
///
/// Gives `None` if the text is not TOML. A wrong override is reported and left out, so that the rest can still be
/// checked: ask [`Problems::has_errors`] before using what was read.
pub fn parse(source: &Source, problems: &Problems) -> Option<Document> {
    let size = source.text().len();
    if size > LARGEST {
        let message = format!(
            "the model has {} MB, more than the {} MB allowed",
            size >> 20,
            LARGEST >> 20
        );
        return problems
            .error(0..0, message)
            .help("make many bodies by a `[chain]`")
            .none();
    }
    let (root, errors) = DeTable::parse_recoverable(source.text());
    let table = root.into_inner();
    if !errors.is_empty() {
        syntax::report(source.text(), &errors, problems);
        nesting::dismantle(table);
        return None;
    }
    if let Some(span) = nesting::too_deep(&table) {
        nesting::dismantle(table);
        return problems
            .error(span, "tables and arrays are nested too deeply")
            .none();
    }
    let (table, parts) = Marked::of_table(table, 0);
    let mut document = Document {
        table,
        spans: Spans::root(parts),
        origins: Origins::default(),
    };
    let done = overrides::merge_repeats(&mut document, source);
    repeat::expand(&mut document, problems);
    overrides::merge(&mut document, source, &done, problems);
    // An override may have given a whole section.
    repeat::expand(&mut document, problems);
    Some(document)
}

impl Document {
    /// A model that was written nowhere, with its repeated sections made.
    pub(super) fn of_data(table: &Table, problems: &Problems) -> Self {
        let Marked { value, spans } = Marked::unwritten(Value::Table(table.clone()));
        let mut document = Self {
            table: match value {
                Value::Table(table) => table,
                _ => Table::new(),
            },
            spans,
            origins: Origins::default(),
        };
        repeat::expand(&mut document, problems);
        document
    }

    /// A value that is there, with where it is written.
    pub(super) fn marked(&self, path: &Path) -> Option<Marked> {
        let value = self.table.at(path)?.clone();
        let spans = self.spans.of(&self.table, path)?.clone();
        Some(Marked { value, spans })
    }

    /// Puts other elements into a list at the top.
    pub(super) fn put(&mut self, key: &str, list: Marked) {
        let Marked { value, spans } = list;
        let path = Path::root().key(key);
        let number = self.table.numbers(&path).first().copied();
        if let Some(old) = number.and_then(|number| self.spans.parts.get_mut(number)) {
            old.parts = spans.parts;
            self.table.put(&path, value);
        }
    }

    /// The model as data.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Where a place in the model is written.
    pub fn find(&self, place: &Place) -> Range<usize> {
        self.spans.find(&self.table, place)
    }

    /// Problems with the model, in the order of the text.
    pub fn located(&self, problems: Problems) -> Vec<Problem> {
        let list = problems.into_located(|place| self.find(place));
        self.origins.gather(list)
    }
}

/// A key between quotes; `None` if it is not a string.
pub(super) fn quoted_key(text: &str) -> Option<String> {
    match DeValue::parse(text).map(toml::Spanned::into_inner) {
        Ok(DeValue::String(key)) => Some(key.into_owned()),
        _ => None,
    }
}

/// Longest text of a model, in bytes.
const LARGEST: usize = 64 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Problem;

    fn problems_of(text: &str) -> Vec<Problem> {
        let problems = Problems::new();
        let source = Source::new("test", text);
        let document = parse(&source, &problems);
        assert_eq!(document.is_none(), problems.has_errors(), "{text}");
        problems.into_sorted()
    }

    #[test]
    fn a_good_text_has_no_problems() {
        for text in [
            "",
            "# nothing",
            "a = 1\r\n[[body]]\nb = { c = 2 }\n",
            "\u{feff}a = 1",
        ] {
            assert_eq!(problems_of(text), [], "{text}");
        }
    }

    #[test]
    fn a_text_that_is_too_large_is_refused() {
        let problems = problems_of(&"#".repeat(LARGEST + 1));
        assert_eq!(
            problems[0].message,
            "the model has 64 MB, more than the 64 MB allowed"
        );
    }

    #[test]
    fn deep_nesting_is_refused_on_a_small_stack() {
        let dotted = vec!["a"; 79].join(".");
        let inline = |levels: usize| {
            format!(
                "{}1{}",
                format!("{{{dotted} = ").repeat(levels),
                "}".repeat(levels)
            )
        };
        let texts = [
            format!("x = {}{}", "[".repeat(1_000_000), "]".repeat(1_000_000)),
            format!("x = {}1{}", "{a=".repeat(100_000), "}".repeat(100_000)),
            format!("[{dotted}]\n{dotted} = {}", inline(75)),
            format!("[{dotted}]\n{dotted} = {} oops", inline(75)),
            format!("{}a = 1", "a.".repeat(100_000)),
            format!("x = {}1", "[".repeat(70)),
            format!("x = {}1{}", "[".repeat(70), "]".repeat(70)),
        ];
        let check = move || {
            texts
                .iter()
                .for_each(|text| assert!(!problems_of(text).is_empty()))
        };
        let thread = std::thread::Builder::new()
            .stack_size(1 << 20)
            .spawn(check)
            .expect("a thread");
        assert!(thread.join().is_ok());
    }

    #[test]
    fn all_syntax_errors_are_reported_at_once() {
        let problems = problems_of("a = rk4\nb = 1\nc = 9,81\nd = 2\nmass 1.0\n");
        let lines: Vec<usize> = problems.iter().map(|problem| problem.span.start).collect();
        assert_eq!(lines.len(), 3, "{problems:?}");
    }

    #[test]
    fn wrong_overrides_do_not_hide_the_model() {
        let mut source = Source::new("test", "a = 1");
        source.with_override("nonsense").with_override("b=2");
        let problems = Problems::new();
        let document = parse(&source, &problems).expect("a table");
        assert_eq!(document.table.len(), 2);
        assert!(problems.has_errors());
    }
}

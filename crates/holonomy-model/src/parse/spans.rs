//! Where the values of a model are written.
use crate::path::{Path, Place};
use crate::value::{Number, Table, Value};
use std::borrow::Cow;
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// Where a value and the parts of it are written, in the span space of a [`Source`](crate::Source).
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Spans {
    key: Range<usize>,
    /// Of a section, its header.
    value: Range<usize>,
    /// Where the inside of a text begins, if it is written byte for byte.
    pub(crate) inside: Option<usize>,
    /// Of its entries or elements, in their order.
    pub(crate) parts: Vec<Spans>,
}

/// A value, and where it and its parts are written.
#[derive(Clone, Debug, PartialEq)]
pub struct Marked {
    pub(crate) value: Value,
    pub(crate) spans: Spans,
}

impl Marked {
    /// A text that is written in these bytes, without quotes.
    pub fn text(text: impl Into<String>, span: Range<usize>) -> Self {
        let spans = Spans {
            inside: Some(span.start),
            value: span,
            ..Spans::default()
        };
        Self {
            value: Value::Text(text.into()),
            spans,
        }
    }

    /// A number or a truth, or what has no parts that are written on their own.
    pub fn plain(value: impl Into<Value>, span: Range<usize>) -> Self {
        let mut marked = Self::unwritten(value.into());
        marked.spans.value = span;
        marked
    }

    /// A list of values.
    pub fn list(elements: impl IntoIterator<Item = Marked>, span: Range<usize>) -> Self {
        let (list, parts) = elements.into_iter().map(|each| (each.value, each.spans)).unzip();
        let spans = Spans {
            value: span,
            parts,
            ..Spans::default()
        };
        Self {
            value: Value::List(list),
            spans,
        }
    }

    /// A table: keys, where they are written, and their values.
    pub fn table<'k>(
        entries: impl IntoIterator<Item = (&'k str, Range<usize>, Marked)>,
        span: Range<usize>,
    ) -> Self {
        let mut parts = Vec::new();
        let each = entries.into_iter().map(|(key, at, mut marked)| {
            marked.spans.key = at;
            parts.push(marked.spans);
            (key, marked.value)
        });
        let table: Table = each.collect();
        let spans = Spans {
            value: span,
            parts,
            ..Spans::default()
        };
        Self {
            value: Value::Table(table),
            spans,
        }
    }

    /// A value that was written nowhere.
    pub(crate) fn unwritten(value: Value) -> Self {
        fn nowhere(value: &Value) -> Spans {
            let parts = match value {
                Value::List(list) => list.iter().map(nowhere).collect(),
                Value::Table(table) => table.iter().map(|(_, value)| nowhere(value)).collect(),
                _ => Vec::new(),
            };
            Spans {
                parts,
                ..Spans::default()
            }
        }
        let spans = nowhere(&value);
        Self { value, spans }
    }

    /// A table without some of its keys.
    pub(crate) fn without(self, keys: &[&str]) -> Self {
        let Self { value, mut spans } = self;
        let Value::Table(mut table) = value else {
            return Self { value, spans };
        };
        for key in keys {
            let number = table.keys().position(|other| other == *key);
            if let Some(number) = number {
                table.remove(key);
                spans.parts.remove(number);
            }
        }
        let value = Value::Table(table);
        Self { value, spans }
    }

    /// A table of TOML, whose depth has been checked.
    pub(crate) fn of_table(table: DeTable<'_>, shift: usize) -> (Table, Vec<Spans>) {
        let mut parts = Vec::with_capacity(table.len());
        let entries = table.into_iter().map(|(key, value)| {
            let mut marked = Self::of(value, shift);
            marked.spans.key = shifted(key.span(), shift);
            parts.push(marked.spans);
            (key.into_inner().into_owned(), marked.value)
        });
        let table = entries.collect();
        (table, parts)
    }

    /// A value of TOML, whose depth has been checked, from a text that lies at an offset.
    pub(crate) fn of(value: toml::Spanned<DeValue<'_>>, shift: usize) -> Self {
        let span = shifted(value.span(), shift);
        let mut spans = Spans {
            value: span.clone(),
            ..Spans::default()
        };
        let value = match value.into_inner() {
            DeValue::String(text) => {
                let plain = matches!(text, Cow::Borrowed(_));
                spans.inside = inside(&span, text.len()).filter(|_| plain);
                Value::Text(text.into_owned())
            }
            DeValue::Integer(digits) => {
                spans.inside = inside(&span, digits.as_str().len());
                Value::Number(Number::written(digits.to_string()))
            }
            DeValue::Float(digits) => {
                spans.inside = inside(&span, digits.as_str().len());
                Value::Number(Number::written(digits.as_str()))
            }
            DeValue::Boolean(answer) => Value::Boolean(answer),
            DeValue::Datetime(date) => Value::Date(date.to_string()),
            DeValue::Array(array) => {
                let each = array.into_iter().map(|element| Self::of(element, shift));
                return Self::list(each, span);
            }
            DeValue::Table(table) => {
                let (table, parts) = Self::of_table(table, shift);
                spans.parts = parts;
                Value::Table(table)
            }
        };
        Self { value, spans }
    }
}

/// Where the inside of a text begins that has quotes around it: none (an override, a number), one, or three and perhaps
/// a line break.
fn inside(span: &Range<usize>, length: usize) -> Option<usize> {
    match span.len().checked_sub(length) {
        Some(0) => Some(span.start),
        Some(2) => Some(span.start + 1),
        Some(around @ 6..=8) => Some(span.start + around - 3),
        _ => None,
    }
}

fn shifted(span: Range<usize>, by: usize) -> Range<usize> {
    span.start + by..span.end + by
}

impl Spans {
    /// Of a whole model.
    pub(crate) fn root(parts: Vec<Spans>) -> Self {
        Self {
            parts,
            ..Self::default()
        }
    }

    /// Where a place in a model is written; of what is not there, the nearest table around it.
    pub(crate) fn find(&self, table: &Table, place: &Place) -> Range<usize> {
        let found = |path: &Path| self.at(table, path);
        match place {
            Place::Text(span) => span.clone(),
            Place::Value(path) => found(path).1.value.clone(),
            Place::Missing(path) => found(path.parent().unwrap_or(path)).1.value.clone(),
            Place::Key(path) => match found(path) {
                (true, spans) => spans.key.clone(),
                (false, spans) => spans.value.clone(),
            },
            Place::Within(path, part) => match found(path) {
                (true, spans) => spans.within(table.at(path), part),
                (false, spans) => spans.value.clone(),
            },
        }
    }

    /// Where a part of a text is written, in bytes of it; the whole value if that is not known. The end is the quote
    /// behind the text, if there is one.
    fn within(&self, value: Option<&Value>, part: &Range<usize>) -> Range<usize> {
        let empty = value.and_then(Value::as_text).is_some_and(str::is_empty);
        match self.inside.filter(|_| !empty) {
            Some(start) if part.is_empty() => start + part.start..(start + part.end + 1).min(self.value.end),
            Some(start) => start + part.start..start + part.end,
            None => self.value.clone(),
        }
    }

    /// The spans of what is at a path.
    pub(crate) fn of(&self, table: &Table, path: &Path) -> Option<&Spans> {
        let (there, spans) = self.at(table, path);
        there.then_some(spans)
    }

    /// The spans at a path, or of what is nearest to it and there.
    fn at(&self, table: &Table, path: &Path) -> (bool, &Spans) {
        let mut spans = self;
        let numbers = table.numbers(path);
        for number in &numbers {
            match spans.parts.get(*number) {
                Some(next) => spans = next,
                None => return (false, spans),
            }
        }
        (numbers.len() == path.steps().len(), spans)
    }

    /// Sets the spans at a path of a table that has a value there already; `keys` has those of its keys.
    pub(crate) fn put(&mut self, table: &Table, path: &Path, keys: &[Range<usize>], new: Spans) {
        let mut spans = self;
        for (number, key) in table.numbers(path).into_iter().zip(keys) {
            if number == spans.parts.len() {
                // A table that was made on the way.
                spans.parts.push(Spans {
                    key: key.clone(),
                    value: key.clone(),
                    ..Spans::default()
                });
            }
            match spans.parts.get_mut(number) {
                Some(next) => spans = next,
                None => return,
            }
        }
        let key = std::mem::take(&mut spans.key);
        *spans = Spans { key, ..new };
    }

    /// Forgets the spans of a key that is about to be taken away.
    pub(crate) fn take(&mut self, table: &Table, path: &Path) {
        let numbers = table.numbers(path);
        let Some((last, before)) = numbers
            .split_last()
            .filter(|_| numbers.len() == path.steps().len())
        else {
            return;
        };
        let mut spans = self;
        for number in before {
            match spans.parts.get_mut(*number) {
                Some(next) => spans = next,
                None => return,
            }
        }
        if *last < spans.parts.len() {
            spans.parts.remove(*last);
        }
    }
}

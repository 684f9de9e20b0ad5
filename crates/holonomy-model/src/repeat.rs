//! `repeat`: one section of a list that stands for many, made before anything in it is understood.
//!
//! ```text
//! [[body]]
//! repeat = 9                        nine bodies, i = 2, 3, …, 10
//! first = 2                         1 if left out
//! index = "i"                       `i` if left out
//! name = "deck-{i}"                 what stands in braces is a formula of the index
//! parent = "deck-{i-1}"
//! mass = "{0.5*i}"                  nothing but braces: the number itself
//! ```
mod origins;
mod pattern;

pub(crate) use origins::Origins;

use crate::parse::{Document, Marked};
use crate::path::{Path, Place};
use crate::problem::{Problem, Problems};
use crate::reader::Section;
use crate::value::{Table, Value};
use origins::Origin;
use pattern::Pattern;
use std::sync::Arc;

/// Keys of a section that is repeated.
pub(crate) const KEYS: [&str; 3] = ["repeat", "first", "index"];
/// Most sections that one stands for, and that all of them make.
pub(crate) const MOST: usize = 100_000;
/// Most bytes of text that they make.
const LARGEST: usize = 64 << 20;
/// What the index is called.
const INDEX: &str = "i";

/// Whether some section of a model is repeated.
pub(crate) fn is_in(table: &Table) -> bool {
    table.iter().any(|(_, value)| repeated(value))
}

/// Whether it is a list of sections of which some is repeated.
fn repeated(value: &Value) -> bool {
    let list = value.as_list().filter(|_| value.is_list_of_tables());
    let mut tables = list.unwrap_or_default().iter().filter_map(Value::as_table);
    tables.any(|table| table.contains_key(KEYS[0]))
}

/// Puts the sections that repeated ones stand for in their places. What is wrong is reported, and the section then
/// taken once, so that the rest of it can be checked.
pub(crate) fn expand(document: &mut Document, problems: &Problems) {
    let keys: Vec<String> = document
        .table
        .iter()
        .filter(|(_, value)| repeated(value))
        .map(|(key, _)| key.to_owned())
        .collect();
    let mut room = Room {
        sections: MOST,
        bytes: LARGEST,
    };
    for key in keys {
        expand_list(document, &key, &mut room, problems);
    }
}

/// How much may still be made.
struct Room {
    sections: usize,
    bytes: usize,
}

fn expand_list(document: &mut Document, key: &str, room: &mut Room, problems: &Problems) {
    // Problems have places in the table as it is written, which is about to change.
    let found = Problems::new();
    let mut patterns: Vec<(Pattern, Times)> = Vec::new();
    {
        let root = Section::root(&document.table, &found);
        let path = Path::root().key(key);
        for (number, section) in root.optional(key).tables().into_iter().enumerate() {
            let path = path.element(number);
            let Some(marked) = document.marked(&path) else {
                continue;
            };
            let times = Times::read(&section);
            let marked = marked.without(if times.given { &KEYS } else { &[] });
            let pattern = Pattern::new(marked, &path, times.given.then_some(&*times.index), &found);
            let times = room.take(times, &pattern, &section);
            patterns.push((pattern, times));
        }
    }
    let (mut made, mut origins) = (Vec::new(), Vec::new());
    let mut starts = Vec::new();
    for (number, (pattern, times)) in patterns.iter().enumerate() {
        starts.push(made.len());
        let before = found.len();
        for index in times.first..times.first + times.count {
            made.push(pattern.at(index, &found));
            let index = times.given.then(|| (times.index.clone(), index));
            origins.push(Origin { entry: number, index });
            if found.len() > before {
                break;
            }
        }
    }
    for problem in found.into_located(|place| document.find(place)) {
        transfer(problem, &starts, problems);
    }
    document.put(key, Marked::list(made, 0..0));
    document.origins.put(key, origins);
}

/// Reports a problem of a section as it is written with its place among those that are made.
fn transfer(problem: Problem, starts: &[usize], problems: &Problems) {
    let written = !problem.span.is_empty();
    let place = match written {
        true => Place::Text(problem.span),
        false => origins::moved(&problem.place, |number| starts.get(number).copied()),
    };
    let report = problems.error(place, problem.message);
    if let Some(help) = problem.help {
        report.help(help);
    }
}

/// How often a section is taken.
struct Times {
    /// Whether it is said at all.
    given: bool,
    count: usize,
    first: usize,
    index: Arc<str>,
}

impl Times {
    fn read(section: &Section<'_>) -> Self {
        let given = section.holds(KEYS[0]);
        let once = Self {
            given,
            count: 1,
            first: 1,
            index: INDEX.into(),
        };
        if !given {
            return once;
        }
        let count = section.optional(KEYS[0]).count_in(1..=MOST);
        let first = section.optional(KEYS[1]).count_in(0..=FARTHEST);
        let index = section.optional(KEYS[2]).name();
        Self {
            given,
            count: count.map_or(1, |count| count.value),
            first: first.map_or(1, |first| first.value),
            index: index.map_or(once.index, |index| index.value.into()),
        }
    }
}

/// The largest `first`.
pub(crate) const FARTHEST: usize = 1_000_000_000;

impl Room {
    /// As often as there is room for it.
    fn take(&mut self, times: Times, pattern: &Pattern, section: &Section<'_>) -> Times {
        let bytes = pattern.bytes().saturating_mul(times.count);
        if !times.given || (times.count <= self.sections && bytes <= self.bytes) {
            if times.given {
                self.sections -= times.count;
                self.bytes -= bytes;
            }
            return times;
        }
        let place = section.value_place(KEYS[0]).unwrap_or_else(|| section.place());
        let message = match times.count > self.sections {
            true => format!("repeated sections make more than the {MOST} allowed"),
            false => format!(
                "repeated sections make more than the {} MB allowed",
                LARGEST >> 20
            ),
        };
        section.problems().error(place, message).help("repeat less");
        Times { count: 1, ..times }
    }
}

#[cfg(test)]
mod tests;

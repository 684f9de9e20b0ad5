use crate::given_functions::Functions;
use crate::knob::Reading;
use crate::path::{Path, Place};
use crate::value::{Table, Value};
use holonomy::{
    formula::{Scope, nearest},
    order,
};
use std::cell::{Ref, RefCell};
use std::fmt;
use std::ops::Range;

/// Something the author of a model should know, with the place it is about.
///
/// The message says what happened, in one sentence that starts in lower case and has no final period; the help says
/// what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Whether the model can be used all the same.
    pub severity: Severity,
    /// What it is about.
    pub place: Place,
    /// Where that is written, in the span space of the [`Source`](crate::Source); empty and at 0 for the model as a
    /// whole, and for models that are not text.
    pub span: Range<usize>,
    /// What happened.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// For models that are not text: the path, the message and the help.
impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place.path().filter(|path| **path != Path::root()) {
            Some(path) => write!(formatter, "{path}: {}", self.message)?,
            None => formatter.write_str(&self.message)?,
        }
        match &self.help {
            Some(help) => write!(formatter, " ({help})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Problem {}

/// How bad a [`Problem`] is. Errors come before notes at the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The model cannot be used.
    Error,
    /// The model is used, but not exactly as it was written.
    Note,
}

/// A sink for problems. It is shared by reference, so that reading goes on after an error and all are reported at once.
#[derive(Debug, Default)]
pub struct Problems {
    list: RefCell<Vec<Reported>>,
    /// What was read, if that is wanted.
    readings: Option<RefCell<Vec<Reading>>>,
    /// What a program hands over.
    functions: Functions,
    /// What numbers may be made of: the parameters of the model, once they are read.
    constants: RefCell<Scope>,
    /// Tables that were in files, and where they stand in the model.
    inlined: RefCell<Vec<(Path, Table)>>,
}

#[derive(Debug)]
struct Reported {
    problem: Problem,
    /// Another place that is as much to blame: the later one of the two is shown.
    other: Option<Place>,
}

impl Problems {
    /// A sink with nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// A sink for a model that may name these functions.
    pub(crate) fn with_functions(functions: &Functions) -> Self {
        Self {
            functions: functions.clone(),
            ..Self::default()
        }
    }

    /// What a program hands over.
    pub(crate) fn functions(&self) -> &Functions {
        &self.functions
    }

    /// Has a table stand in the model that was in a file.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn inline(&self, path: &Path, table: Table) {
        self.inlined.borrow_mut().push((path.clone(), table));
    }

    /// Puts what was in files into the model.
    pub(crate) fn put_inlined(&self, table: &mut Table) {
        for (path, inner) in self.inlined.take() {
            table.put(&path, Value::Table(inner));
        }
    }

    /// What numbers may be made of from now on.
    pub(crate) fn set_constants(&self, scope: Scope) {
        *self.constants.borrow_mut() = scope;
    }

    /// What numbers may be made of.
    pub(crate) fn constants(&self) -> Ref<'_, Scope> {
        self.constants.borrow()
    }

    /// A sink that also remembers what was read.
    pub(crate) fn recording() -> Self {
        Self {
            readings: Some(RefCell::default()),
            ..Self::default()
        }
    }

    /// Remembers what was read, if that is wanted.
    pub(crate) fn record(&self, reading: impl FnOnce() -> Reading) {
        if let Some(readings) = &self.readings {
            readings.borrow_mut().push(reading());
        }
    }

    /// What was read.
    pub(crate) fn into_readings(self) -> Vec<Reading> {
        self.readings.map(RefCell::into_inner).unwrap_or_default()
    }

    /// Reports an error; chain [`Report::help`] to say what to do.
    pub fn error(&self, place: impl Into<Place>, message: impl Into<String>) -> Report<'_> {
        self.report(Severity::Error, place.into(), message.into())
    }

    /// Reports a note; chain [`Report::help`] to say what to do.
    pub fn note(&self, place: impl Into<Place>, message: impl Into<String>) -> Report<'_> {
        self.report(Severity::Note, place.into(), message.into())
    }

    /// Reports an error in place of an earlier problem that it explains better.
    pub(super) fn instead_of(&self, index: usize, place: Place, message: String) -> Report<'_> {
        if let Some(reported) = self.list.borrow_mut().get_mut(index) {
            *reported = Reported::new(Severity::Error, place, message);
        }
        Report {
            problems: self,
            index,
        }
    }

    /// Whether an error was reported; notes do not count.
    pub fn has_errors(&self) -> bool {
        self.list
            .borrow()
            .iter()
            .any(|reported| reported.problem.severity == Severity::Error)
    }

    /// How many problems of any severity were reported.
    pub fn len(&self) -> usize {
        self.list.borrow().len()
    }

    /// Whether nothing was reported.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The problems in the order of the text they are about, where they were reported with its spans.
    pub fn into_sorted(self) -> Vec<Problem> {
        self.into_located(|place| match place {
            Place::Text(span) => span.clone(),
            _ => 0..0,
        })
    }

    /// The problems in the order of the text they are about; the function finds places in it.
    pub(super) fn into_located(self, find: impl Fn(&Place) -> Range<usize>) -> Vec<Problem> {
        let each = self.list.into_inner().into_iter().map(|reported| {
            let Reported { mut problem, other } = reported;
            problem.span = find(&problem.place);
            if let Some(other) = other {
                let span = find(&other);
                if span.start > problem.span.start {
                    (problem.place, problem.span) = (other, span);
                }
            }
            problem
        });
        let mut list: Vec<Problem> = each.collect();
        order::sort_by_key(&mut list, |problem| {
            (problem.span.start, problem.severity, problem.span.end)
        });
        list
    }

    /// The problems of a model that is not text, in the order of its values.
    pub(super) fn into_ordered(self, table: &Table) -> Vec<Problem> {
        let each = self
            .list
            .into_inner()
            .into_iter()
            .map(|reported| reported.problem);
        let numbers = |place: &Place| place.path().map_or_else(Vec::new, |path| table.numbers(path));
        let mut list: Vec<_> = each.map(|problem| (numbers(&problem.place), problem)).collect();
        order::sort_by(&mut list, |(here, a), (there, b)| {
            here.cmp(there).then(a.severity.cmp(&b.severity))
        });
        list.into_iter().map(|(_, problem)| problem).collect()
    }

    fn report(&self, severity: Severity, place: Place, message: String) -> Report<'_> {
        let mut list = self.list.borrow_mut();
        list.push(Reported::new(severity, place, message));
        Report {
            problems: self,
            index: list.len() - 1,
        }
    }
}

impl Reported {
    fn new(severity: Severity, place: Place, message: String) -> Self {
        let problem = Problem {
            severity,
            place,
            span: 0..0,
            message,
            help: None,
        };
        Self { problem, other: None }
    }
}

/// A problem just reported, to which help can be added.
#[derive(Debug)]
pub struct Report<'a> {
    problems: &'a Problems,
    index: usize,
}

impl Report<'_> {
    /// Says what to do about the problem.
    pub fn help(self, help: impl Into<String>) -> Self {
        if let Some(reported) = self.problems.list.borrow_mut().get_mut(self.index) {
            reported.problem.help = Some(help.into());
        }
        self
    }

    /// Names another place that is as much to blame: the later one in the text is shown.
    pub fn or_at(self, place: Place) -> Self {
        if let Some(reported) = self.problems.list.borrow_mut().get_mut(self.index) {
            reported.other = Some(place);
        }
        self
    }

    /// Suggests the candidate nearest to `word`, or else lists the candidates.
    pub fn suggest<'c, I>(self, word: &str, candidates: I) -> Self
    where
        I: IntoIterator<Item = &'c str>,
        I::IntoIter: Clone,
    {
        match suggestion(word, candidates.into_iter()) {
            Some(help) => self.help(help),
            None => self,
        }
    }

    /// Which of the problems it is.
    pub(super) fn index(&self) -> usize {
        self.index
    }

    /// Ends a report where a value was wanted: `return problems.error(…).none();`
    pub fn none<T>(self) -> Option<T> {
        None
    }
}

/// The candidate nearest to a word, or else all of them, as help.
pub(super) fn suggestion<'c>(
    word: &str,
    candidates: impl Iterator<Item = &'c str> + Clone,
) -> Option<String> {
    match nearest(word, candidates.clone()) {
        Some(near) => Some(format!("did you mean `{near}`?")),
        None => listed(candidates).map(|list| format!("known here: {list}")),
    }
}

/// The names in quotes, not too many of them; `None` if there are none.
pub(super) fn listed<'c>(names: impl Iterator<Item = &'c str>) -> Option<String> {
    let mut shown: Vec<String> = Vec::new();
    let mut rest = 0_usize;
    for name in names {
        if shown.len() < LISTED {
            shown.push(format!("`{}`", excerpt(name)));
        } else {
            rest += 1;
        }
    }
    let list = shown.join(", ");
    match (shown.is_empty(), rest) {
        (true, _) => None,
        (false, 0) => Some(list),
        (false, _) => Some(format!("{list}, and {rest} more")),
    }
}

/// The text on one line and not too long, to be shown in a message.
pub(super) fn excerpt(text: &str) -> String {
    let mut shown: String = text.trim().chars().take(EXCERPT).flat_map(visible).collect();
    if text.trim().chars().nth(EXCERPT).is_some() {
        shown.push('…');
    }
    shown
}

fn visible(letter: char) -> impl Iterator<Item = char> {
    let escape = letter.is_control().then(|| letter.escape_default());
    let plain = escape.is_none().then_some(letter);
    escape.into_iter().flatten().chain(plain)
}

/// Letters of an excerpt.
const EXCERPT: usize = 40;
/// More candidates than this are not listed.
const LISTED: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_come_sorted_by_position_with_errors_first() {
        let problems = Problems::new();
        problems.error(9..10, "third");
        problems.note(3..4, "second").help("do this");
        assert!(!Problems::new().has_errors());
        assert!(problems.has_errors());
        problems.error(3..9, "first");
        let sorted = problems.into_sorted();
        let messages: Vec<&str> = sorted.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(messages, ["first", "second", "third"]);
        assert_eq!(sorted[1].help.as_deref(), Some("do this"));
    }

    #[test]
    fn a_note_is_not_an_error() {
        let problems = Problems::new();
        problems.note(0..0, "normalised");
        assert!(!problems.has_errors());
        assert!(!problems.is_empty());
    }

    #[test]
    fn excerpts_are_short_and_on_one_line() {
        assert_eq!(excerpt(" a\nb\u{7}é "), "a\\nb\\u{7}é");
        assert_eq!(excerpt(&"µ".repeat(41)), format!("{}…", "µ".repeat(40)));
    }

    #[test]
    fn suggestions_fall_back_to_the_list() {
        let problems = Problems::new();
        problems.error(0..0, "a").suggest("colour", ["mass", "length"]);
        problems.error(1..1, "b").suggest("colour", []);
        let sorted = problems.into_sorted();
        assert_eq!(sorted[0].help.as_deref(), Some("known here: `mass`, `length`"));
        assert_eq!(sorted[1].help, None);
    }
}

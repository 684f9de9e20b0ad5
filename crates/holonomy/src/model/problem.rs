use std::cell::RefCell;
use std::ops::Range;

/// Something the author of a model should know, with the place it is about.
///
/// The message says what happened, in one sentence that starts in lower case and has no final period; the help says
/// what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Whether the model can be used all the same.
    pub severity: Severity,
    /// The text it is about, in the span space of the [`Source`](super::source::Source).
    pub span: Range<usize>,
    /// What happened.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

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
    list: RefCell<Vec<Problem>>,
}

impl Problems {
    /// A sink with nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reports an error; chain [`Report::help`] to say what to do.
    pub fn error(&self, span: Range<usize>, message: impl Into<String>) -> Report<'_> {
        self.report(Severity::Error, span, message.into())
    }

    /// Reports a note; chain [`Report::help`] to say what to do.
    pub fn note(&self, span: Range<usize>, message: impl Into<String>) -> Report<'_> {
        self.report(Severity::Note, span, message.into())
    }

    /// Reports an error in place of an earlier problem that it explains better.
    pub(super) fn instead_of(&self, index: usize, span: Range<usize>, message: String) -> Report<'_> {
        if let Some(problem) = self.list.borrow_mut().get_mut(index) {
            *problem = Problem {
                severity: Severity::Error,
                span,
                message,
                help: None,
            };
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
            .any(|problem| problem.severity == Severity::Error)
    }

    /// How many problems of any severity were reported.
    pub fn len(&self) -> usize {
        self.list.borrow().len()
    }

    /// Whether nothing was reported.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The problems in the order of the text they are about.
    pub fn into_sorted(self) -> Vec<Problem> {
        let mut list = self.list.into_inner();
        list.sort_by_key(|problem| (problem.span.start, problem.severity, problem.span.end));
        list
    }

    fn report(&self, severity: Severity, span: Range<usize>, message: String) -> Report<'_> {
        let mut list = self.list.borrow_mut();
        list.push(Problem {
            severity,
            span,
            message,
            help: None,
        });
        Report {
            problems: self,
            index: list.len() - 1,
        }
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
        if let Some(problem) = self.problems.list.borrow_mut().get_mut(self.index) {
            problem.help = Some(help.into());
        }
        self
    }

    /// Suggests the candidate nearest to `word`, or else lists the candidates.
    pub fn suggest<'c, I>(self, word: &str, candidates: I) -> Self
    where
        I: IntoIterator<Item = &'c str>,
        I::IntoIter: Clone,
    {
        let candidates = candidates.into_iter();
        if let Some(near) = nearest(word, candidates.clone()) {
            return self.help(format!("did you mean `{near}`?"));
        }
        match listed(candidates) {
            Some(list) => self.help(format!("known here: {list}")),
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

/// The candidate that `word` was most likely meant to be, if one is near enough.
///
/// Letter case is ignored. Near is one slip (a wrong, missing, extra or swapped letter) per three letters, at most
/// three; or else `word` begins exactly one of the candidates, or is the plural in `-ies` of one.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let singular = word.strip_suffix("ies").map(|stem| format!("{stem}y"));
    let word: Vec<char> = word
        .chars()
        .flat_map(char::to_lowercase)
        .take(LONGEST + 1)
        .collect();
    if word.is_empty() || word.len() > LONGEST {
        return None;
    }
    let allowed = ((word.len() + 1) / 3).min(3);
    let mut best: Option<(usize, &str)> = None;
    let mut begun: Vec<&str> = Vec::new();
    for candidate in candidates {
        if singular.as_deref() == Some(candidate) {
            return Some(candidate);
        }
        let letters: Vec<char> = candidate
            .chars()
            .flat_map(char::to_lowercase)
            .take(LONGEST + 1)
            .collect();
        if word.len() >= 3 && letters.starts_with(&word) && !begun.contains(&candidate) {
            begun.push(candidate);
        }
        if letters.len().abs_diff(word.len()) > allowed {
            continue;
        }
        let slips = slips(&word, &letters);
        if slips <= allowed && slips < letters.len() && best.is_none_or(|(least, _)| slips < least) {
            best = Some((slips, candidate));
        }
    }
    match (best, begun.as_slice()) {
        (Some((_, candidate)), _) => Some(candidate),
        (None, [only]) => Some(only),
        _ => None,
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
/// Words longer than this are not compared.
const LONGEST: usize = 64;
/// More candidates than this are not listed.
const LISTED: usize = 24;

/// Edit distance with insertion, deletion, substitution and transposition of neighbours.
fn slips(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let substituted = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = substituted.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

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
    fn nearest_finds_slips_of_the_pen() {
        let known = ["mass", "length", "direction", "angular_velocity", "kg", "body"];
        for (word, meant) in [
            ("mases", "mass"),
            ("msas", "mass"),
            ("MASS", "mass"),
            ("lenght", "length"),
            ("angular-velocity", "angular_velocity"),
            ("angular", "angular_velocity"),
            ("dir", "direction"),
            ("Kg", "kg"),
            ("bodies", "body"),
        ] {
            assert_eq!(nearest(word, known), Some(meant), "{word}");
        }
        for word in ["", "x", "colour", "zz", &"m".repeat(1000)] {
            assert_eq!(nearest(word, known), None, "{word}");
        }
    }

    #[test]
    fn a_prefix_of_two_candidates_suggests_neither() {
        assert_eq!(nearest("sphere", ["sphere-explicit", "sphere-implicit"]), None);
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

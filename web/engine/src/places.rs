//! Problems of models, with places as editors count them.
use holonomy_model::{Path, Severity, Source};
use serde::Serialize;

/// Something the author of a model should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// `error` or `note`.
    pub severity: &'static str,
    /// What happened.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The key it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Where that is in the model's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The setting it comes from, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setting: Option<String>,
}

/// A range of a text. Lines and columns count from 1, columns in UTF-16 units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    /// Line of its start.
    pub line: usize,
    /// Column of its start.
    pub column: usize,
    /// Line of its end.
    pub end_line: usize,
    /// Column just behind it.
    pub end_column: usize,
}

impl Problem {
    /// A sentence that is about nothing in particular.
    pub(crate) fn plain(message: impl Into<String>) -> Self {
        Self {
            severity: "error",
            message: message.into(),
            help: None,
            path: None,
            place: None,
            setting: None,
        }
    }

    pub(crate) fn new(source: &Source, problem: &holonomy_model::Problem) -> Self {
        let location = source.locate(problem.span.clone());
        let whole = problem.span.is_empty() && problem.span.start == 0;
        let of_model = location.text == source.text() && location.origin == source.name();
        let position = |at: usize| {
            let before = &location.text[..at];
            let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
            let column = before[line_start..].chars().map(char::len_utf16).sum::<usize>();
            (before.matches('\n').count() + 1, column + 1)
        };
        let ((line, column), (end_line, end_column)) =
            (position(location.local.start), position(location.local.end));
        let place = Place {
            line,
            column,
            end_line,
            end_column,
        };
        Self {
            severity: match problem.severity {
                Severity::Error => "error",
                Severity::Note => "note",
            },
            message: problem.message.clone(),
            help: problem.help.clone(),
            path: (problem.place.path())
                .filter(|path| **path != Path::root())
                .map(ToString::to_string),
            place: (of_model && !whole).then_some(place),
            setting: (!of_model).then(|| location.origin.to_owned()),
        }
    }

    pub(crate) fn list(source: &Source, problems: &[holonomy_model::Problem]) -> Vec<Self> {
        problems
            .iter()
            .map(|problem| Self::new(source, problem))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_as_editors_do() {
        // The letter before the mistake takes two UTF-16 units and four bytes.
        let source = Source::new("m", "title = '\u{1d70b}'\nx = '\u{1d70b}' = 3\n");
        let problems = holonomy_model::load(&source).err().expect("problems");
        let problem = Problem::new(&source, &problems[0]);
        let place = problem.place.expect("a place");
        assert_eq!((place.line, place.column), (2, 10), "{problem:?}");
    }

    #[test]
    fn a_problem_of_a_setting_has_no_place_in_the_text() {
        let scenario = holonomy_model::scenario::find("spherical-pendulum").expect("there");
        let mut source = scenario.source();
        source.with_override("body.bob.mass=-1");
        let problems = holonomy_model::load(&source).err().expect("problems");
        let problem = Problem::new(&source, &problems[0]);
        assert_eq!(problem.place, None);
        assert_eq!(problem.setting.as_deref(), Some("--set body.bob.mass=-1"));
        assert_eq!(problem.path.as_deref(), Some("body.1.mass"));
    }
}

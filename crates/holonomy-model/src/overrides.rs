use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::parse::{Document, Marked, nesting};
use super::path::Step;
use super::problem::{Problems, excerpt};
use super::repeat;
use super::source::{Change, NewValue, Source};
use super::value::{DEEPEST, EditError, Segment, USAGE, split_path};

/// Makes the changes of the source in the model, in their order. A wrong one is reported and left out.
///
/// A path is made of keys joined by dots. Tables that are not there are made. Elements of arrays are addressed by
/// their number from 1 (`body.2.mass=3`), or by their `name` or `kind` (`body.upper.mass=2`). What does not look like a
/// TOML value is text (`method.name=rk4`); no value at all takes the key away (`run.duration=`).
///
/// Those that `done` numbers have been made.
pub(super) fn merge(document: &mut Document, source: &Source, done: &[usize], problems: &Problems) {
    let changes = source.changes().iter().enumerate();
    for (_, change) in changes.filter(|(number, _)| !done.contains(number)) {
        let (path, value) = match change {
            Change::Set(path, value) => (path.clone(), value.clone()),
            Change::Override(span) => match split(source, span, problems) {
                Some((path, value)) => (path, Some(NewValue::Words(value))),
                None => continue,
            },
        };
        let value = match value {
            None => None,
            Some(NewValue::Value(marked)) => Some(marked),
            Some(NewValue::Words(span)) => match understood(source, span, path.len(), problems) {
                Some(value) => value,
                None => continue,
            },
        };
        if let Err((number, error)) = apply(document, &path, value) {
            let at = path.get(number).map_or(0..0, |segment| segment.span.clone());
            report(&error, at, problems);
        }
    }
}

/// Makes those changes that say how often a section is repeated, as `body.deck-{i}.repeat=20` does, before that is done;
/// gives their numbers. The others are left to [`merge`], and what is wrong with them.
pub(super) fn merge_repeats(document: &mut Document, source: &Source) -> Vec<usize> {
    let unheard = Problems::new();
    let mut done = Vec::new();
    for (number, change) in source.changes().iter().enumerate() {
        let found = match change {
            Change::Override(span) => split(source, span, &unheard),
            Change::Set(path, Some(NewValue::Words(span))) => Some((path.clone(), span.clone())),
            Change::Set(..) => None,
        };
        let Some((path, span)) = found.filter(|(path, _)| counts(path)) else {
            continue;
        };
        if let Some(Some(value)) = understood(source, span, path.len(), &unheard) {
            let made = apply(document, &path, Some(value));
            done.extend(made.ok().map(|()| number));
        }
    }
    done
}

/// Whether a path leads to how often a section is repeated.
fn counts(path: &[Segment]) -> bool {
    let last = path.get(2).filter(|_| path.len() == 3);
    last.is_some_and(|last| repeat::KEYS.contains(&last.key.as_str()))
}

fn report(error: &EditError, span: Range<usize>, problems: &Problems) {
    let report = problems.error(span, error.to_string());
    if let Some(help) = error.help() {
        report.help(help);
    }
}

/// The path of an override, and where its value is written.
fn split(source: &Source, span: &Range<usize>, problems: &Problems) -> Option<(Vec<Segment>, Range<usize>)> {
    let text = source.slice(span);
    let moved = |part: Range<usize>| span.start + part.start..span.start + part.end;
    let (path, end) = match split_path(text) {
        Ok(found) => found,
        Err((part, error)) => {
            report(&error, moved(part), problems);
            return None;
        }
    };
    if end == text.len() {
        return problems
            .error(span.clone(), "there is no `=` in the override")
            .help(USAGE)
            .none();
    }
    let path = path.into_iter().map(|segment| Segment {
        span: moved(segment.span),
        ..segment
    });
    Some((path.collect(), moved(end + 1..text.len())))
}

/// A value as it is written in an override, within `depth` tables; within, `None` if there is none.
fn understood(
    source: &Source,
    span: Range<usize>,
    depth: usize,
    problems: &Problems,
) -> Option<Option<Marked>> {
    let text = source.slice(&span);
    let start = span.start + (text.len() - text.trim_start().len());
    let text = text.trim();
    let span = start..start + text.len();
    if text.is_empty() {
        return Some(None);
    }
    if depth > DEEPEST / 2 {
        return problems.error(span, "the path has too many keys").none();
    }
    let (value, errors) = DeValue::parse_recoverable(text);
    if nesting::too_deep_within(&value, depth) {
        let key = Spanned::new(0..0, "".into());
        nesting::dismantle(DeTable::from_iter([(key, value)]));
        return problems.error(span, "the value is nested too deeply").none();
    }
    match errors.first() {
        None => Some(Some(Marked::of(value, start))),
        Some(error) if text.starts_with(['[', '{', '"', '\'']) => {
            let at = error
                .span()
                .map_or(span, |span| start + span.start..start + span.end);
            let message = format!("`{}` is not a value: {}", excerpt(text), error.message());
            problems.error(at, message).none()
        }
        Some(_) => Some(Some(Marked::text(text, span))),
    }
}

/// Sets or takes away a value; with an error, the number of the key that is wrong.
fn apply(document: &mut Document, path: &[Segment], value: Option<Marked>) -> Result<(), (usize, EditError)> {
    let Document { table, spans, .. } = document;
    let found = table.resolve(path)?;
    let Some(Marked { value, spans: new }) = value else {
        if let Some(Step::Element(_)) = found.last() {
            return Err((path.len() - 1, EditError::Element));
        }
        spans.take(table, &found);
        table.take(&found);
        return Ok(());
    };
    table.put(&found, value);
    let keys: Vec<Range<usize>> = path.iter().map(|segment| segment.span.clone()).collect();
    spans.put(table, &found, &keys, new);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;
    use crate::path::{Path, Place};
    use crate::resolved::write;
    use crate::value::Value;

    const MODEL: &str = "title = \"t\"\nx = [1, 2]\n[[body]]\nname = \"upper\"\nmass = 1\n[[body]]\nname = \"lower\"\n\
                         [[potential]]\nkind = \"gravity\"\n[[potential]]\nkind = \"spring\"\n[[potential]]\nkind = \"spring\"\n\
                         [method]\nname = \"a\"\n";

    /// The model after the overrides, and the problems with the text they point at.
    fn merged(overrides: &[&str]) -> (String, Vec<(String, String, String)>) {
        let mut source = Source::new("test", MODEL);
        for text in overrides {
            source.with_override(*text);
        }
        let problems = Problems::new();
        let document = parse(&source, &problems).expect("good TOML");
        let text = write(&document.table, "");
        let shown = |span: Range<usize>| {
            let location = source.locate(span);
            location.text[location.local].to_owned()
        };
        let problems = document.located(problems).into_iter();
        let told = problems.map(|problem| {
            (
                shown(problem.span),
                problem.message,
                problem.help.unwrap_or_default(),
            )
        });
        (text, told.collect())
    }

    #[test]
    fn values_are_set_by_path() {
        for (text, line) in [
            ("title=new", "title = \"new\"\n"),
            ("title = \"a = b\"", "title = \"a = b\"\n"),
            ("method.name=rk4", "[method]\nname = \"rk4\"\n"),
            ("method.rtol=1e-6", "[method]\nname = \"a\"\nrtol = 1e-6\n"),
            ("run.step=5 ms", "[run]\nstep = \"5 ms\"\n"),
            ("chain.links=64", "[chain]\nlinks = 64\n"),
            ("body.1.mass=3", "name = \"upper\"\nmass = 3\n"),
            ("body.upper.mass=2.0", "name = \"upper\"\nmass = 2.0\n"),
            ("body.lower.mass=2", "name = \"lower\"\nmass = 2\n"),
            (
                "potential.gravity.acceleration=[0, 0, 1]",
                "kind = \"gravity\"\nacceleration = [0, 0, 1]\n",
            ),
            ("x.2=7", "x = [1, 7]\n"),
            ("\"od.d\".'ke=y'=1", "[\"od.d\"]\n\"ke=y\" = 1\n"),
            (" run . step = .5 ", "[run]\nstep = \".5\"\n"),
            (
                "body.2.joint.axis=[0,1,0]",
                "name = \"lower\"\njoint = { axis = [0, 1, 0] }\n",
            ),
        ] {
            let (model, problems) = merged(&[text]);
            assert_eq!(problems, [], "{text}");
            assert!(model.contains(line), "{text}: {model}");
        }
    }

    #[test]
    fn later_overrides_win_and_see_earlier_ones() {
        let (model, problems) = merged(&["run.a.b=1", "run.a.b=2", "body.1.name=top", "body.top.mass=9"]);
        assert_eq!(problems, []);
        assert!(model.contains("b = 2") && model.contains("mass = 9"), "{model}");
    }

    #[test]
    fn mistakes_point_into_the_override() {
        for (text, at, message, help) in [
            ("run.step", "run.step", "there is no `=` in the override", USAGE),
            ("", "", "there is no `=` in the override", USAGE),
            ("=3", "=", "there is no key", USAGE),
            ("run..step=3", ".", "a key is empty", USAGE),
            ("run.=3", "=", "a key is empty", USAGE),
            ("body.1=", "1", "an element of a list cannot be taken away", ""),
            ("a\"b=3", "a\"b=3", "`a\"b=3` is not a key", ""),
            (
                "body.5.mass=3",
                "5",
                "`body` has no element 5",
                "they are numbered 1 to 2",
            ),
            (
                "body.0.mass=3",
                "0",
                "`body` has no element 0",
                "they are numbered 1 to 2",
            ),
            (
                "body.uper.mass=3",
                "uper",
                "`body` has no element called `uper`",
                "did you mean `upper`?",
            ),
            (
                "potential.spring.k=3",
                "spring",
                "2 elements of `potential` are called `spring`",
                "give a number, such as `potential.2`",
            ),
            (
                "x.first=3",
                "first",
                "`x` has no element called `first`",
                "give a number, such as `x.1`",
            ),
            (
                "title.a=3",
                "a",
                "`title` is a string, so it has no `a`",
                "write `title=…`",
            ),
            (
                "bodies.1.mass=3",
                "bodies",
                "there is no list `bodies`",
                "did you mean `body`?",
            ),
            (
                "x=[1, 2",
                "",
                "`[1, 2` is not a value: unclosed array, expected `]`",
                "",
            ),
        ] {
            let (_, problems) = merged(&["method.z=1", text]);
            let expected = (at.to_owned(), message.to_owned(), help.to_owned());
            assert_eq!(problems, [expected], "{text}");
        }
    }

    #[test]
    fn values_carry_spans_of_the_override() {
        let mut source = Source::new("test", MODEL);
        source.with_override("method={ name = 'b', v = [1, 22] }");
        let document = parse(&source, &Problems::new()).expect("good TOML");
        let second = Path::root().key("method").key("v").element(1);
        let location = source.locate(document.find(&Place::Value(second)));
        assert_eq!(&location.text[location.local], "22");
    }

    #[test]
    fn a_flag_is_shown_as_it_was_written() {
        let mut source = Source::new("m", "run = 3");
        source.with_flag("--step", &["run", "step"], "-1");
        source
            .without(&["run"])
            .with_flag("--step", &["run", "step"], "-1");
        let problems = Problems::new();
        let document = parse(&source, &problems).expect("good TOML");
        let shown = |span: Range<usize>| {
            let location = source.locate(span);
            (
                location.text.to_owned(),
                location.text[location.local].to_owned(),
                location.origin.to_owned(),
            )
        };
        let words = |part: &str| ("--step -1".to_owned(), part.to_owned(), "command line".to_owned());
        let wrong = document.located(problems);
        assert_eq!(wrong.len(), 1);
        assert_eq!(shown(wrong[0].span.clone()), words("--step"));
        let step = Path::root().key("run").key("step");
        assert_eq!(document.table.at(&step).map(Value::kind), Some("a number"));
        assert_eq!(shown(document.find(&Place::Value(step.clone()))), words("-1"));
        assert_eq!(shown(document.find(&Place::Key(step))), words("--step"));
    }

    #[test]
    fn deep_overrides_are_refused() {
        for text in [
            format!("a={}1{}", "[".repeat(60), "]".repeat(60)),
            format!("{}a=1", "a.".repeat(100_000)),
        ] {
            assert_eq!(merged(&[&text]).1.len(), 1);
        }
    }
}

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::parse::nesting;
use super::problem::{Problems, excerpt};
use super::reader::kind;
use super::source::{Override, Source};

/// Merges the overrides of the source into the table, in their order. A wrong one is reported and left out.
///
/// A path is made of keys joined by dots. Tables that are not there are made. Elements of arrays are addressed by
/// their number from 1 (`body.2.mass=3`), or by their `name` or `kind` (`body.upper.mass=2`). What does not look like a
/// TOML value is text (`method.name=rk4`); no value at all takes the key away (`run.duration=`).
pub(super) fn merge<'a>(table: &mut DeTable<'a>, source: &'a Source, problems: &Problems) {
    for given in source.overrides() {
        if let Some(assignment) = Assignment::parse(given, problems) {
            assignment.apply(table, problems);
        }
    }
}

/// One override, understood.
struct Assignment<'a> {
    path: Vec<Segment<'a>>,
    /// `None` takes the key away.
    value: Option<Spanned<DeValue<'a>>>,
}

/// One key of a path and where it is written.
struct Segment<'a> {
    key: Cow<'a, str>,
    span: Range<usize>,
}

/// The place in the model that a path has reached.
enum Place<'t, 'a> {
    Table(&'t mut DeTable<'a>),
    Array(&'t mut DeArray<'a>),
}

impl<'a> Assignment<'a> {
    fn parse(given: &'a Override, problems: &Problems) -> Option<Self> {
        let (path, value_start) = parse_path(given, problems)?;
        let text = &given.text()[value_start..];
        let start = given.start() + value_start + (text.len() - text.trim_start().len());
        let text = text.trim();
        let span = start..start + text.len();
        if text.is_empty() {
            return Some(Self { path, value: None });
        }
        if path.len() > nesting::DEEPEST / 2 {
            return problems.error(span, "the path has too many keys").none();
        }
        let (value, errors) = DeValue::parse_recoverable(text);
        if nesting::too_deep_within(&value, path.len()) {
            nesting::dismantle(DeTable::from_iter([(
                Spanned::new(0..0, Cow::Borrowed("")),
                value,
            )]));
            return problems.error(span, "the value is nested too deeply").none();
        }
        let value = match errors.first() {
            None => shifted(value, start),
            Some(error) if text.starts_with(['[', '{', '"', '\'']) => {
                let at = error
                    .span()
                    .map_or(span, |span| start + span.start..start + span.end);
                return problems
                    .error(
                        at,
                        format!("`{}` is not a value: {}", excerpt(text), error.message()),
                    )
                    .none();
            }
            Some(_) => Spanned::new(span, DeValue::String(Cow::Borrowed(text))),
        };
        Some(Self {
            path,
            value: Some(value),
        })
    }

    fn apply(self, table: &mut DeTable<'a>, problems: &Problems) {
        let mut place = Place::Table(table);
        let mut segments = self.path.into_iter().peekable();
        let mut trail = String::new();
        while let Some(segment) = segments.next() {
            let next = segments.peek();
            if let (Place::Table(table), None, None) = (&mut place, next, &self.value) {
                table.remove(segment.key.as_ref());
                return;
            }
            let Some(slot) = place.slot(&segment, next, &trail, problems) else {
                return;
            };
            if !trail.is_empty() {
                trail.push('.');
            }
            trail.push_str(&segment.key);
            let Some(next) = next else {
                match self.value {
                    Some(value) => *slot = value,
                    None => {
                        problems.error(segment.span, "an element of a list cannot be taken away");
                    }
                }
                return;
            };
            place = match slot.get_mut() {
                DeValue::Table(table) => Place::Table(table),
                DeValue::Array(array) => Place::Array(array),
                other => {
                    let message = format!(
                        "`{}` is {}, so it has no `{}`",
                        excerpt(&trail),
                        kind(other),
                        excerpt(&next.key)
                    );
                    problems
                        .error(next.span.clone(), message)
                        .help(format!("write `{}=…`", excerpt(&trail)));
                    return;
                }
            };
        }
    }
}

impl<'t, 'a> Place<'t, 'a> {
    /// The value that a segment of the path names, made if it is a key that is not there.
    fn slot(
        self,
        segment: &Segment<'a>,
        next: Option<&Segment<'a>>,
        trail: &str,
        problems: &Problems,
    ) -> Option<&'t mut Spanned<DeValue<'a>>> {
        match self {
            Place::Array(array) => {
                let index = element(array, segment, trail, problems)?;
                array.get_mut(index)
            }
            Place::Table(table) => {
                let absent = !table.contains_key(segment.key.as_ref());
                if absent && next.is_some_and(|next| is_number(&next.key)) {
                    let message = format!("there is no list `{}`", excerpt(&segment.key));
                    let lists = table.iter().filter(|(_, value)| value.get_ref().is_array());
                    let names: Vec<&str> = lists.map(|(key, _)| key.get_ref().as_ref()).collect();
                    return problems
                        .error(segment.span.clone(), message)
                        .suggest(&segment.key, names)
                        .none();
                }
                if absent {
                    let key = Spanned::new(segment.span.clone(), segment.key.clone());
                    table.insert(
                        key,
                        Spanned::new(segment.span.clone(), DeValue::Table(DeTable::new())),
                    );
                }
                table.get_mut(segment.key.as_ref())
            }
        }
    }
}

/// The index of the element of an array that a segment of the path names.
fn element(array: &DeArray<'_>, segment: &Segment<'_>, trail: &str, problems: &Problems) -> Option<usize> {
    let key = segment.key.as_ref();
    let trail = excerpt(trail);
    let error = |message: String| problems.error(segment.span.clone(), message);
    if is_number(key) {
        let index = key
            .parse::<usize>()
            .ok()
            .filter(|number| (1..=array.len()).contains(number));
        return match (index, array.len()) {
            (Some(number), _) => Some(number - 1),
            (None, 0) => error(format!("`{trail}` is empty")).none(),
            (None, 1) => error(format!("`{trail}` has no element {key}"))
                .help("there is only 1")
                .none(),
            (None, count) => error(format!("`{trail}` has no element {key}"))
                .help(format!("they are numbered 1 to {count}"))
                .none(),
        };
    }
    let called = |attribute: &str| -> Vec<(usize, &str)> {
        let tables = array
            .iter()
            .enumerate()
            .filter_map(|(index, value)| Some((index, value.get_ref().as_table()?)));
        tables
            .filter_map(|(index, table)| Some((index, table.get(attribute)?.get_ref().as_str()?)))
            .collect()
    };
    let (names, kinds) = (called("name"), called("kind"));
    for known in [&names, &kinds] {
        let mut matches = known
            .iter()
            .filter(|(_, name)| *name == key)
            .map(|(index, _)| *index);
        match (matches.next(), matches.count()) {
            (None, _) => {}
            (Some(index), 0) => return Some(index),
            (Some(index), others) => {
                let message = format!(
                    "{} elements of `{trail}` are called `{}`",
                    others + 1,
                    excerpt(key)
                );
                return error(message)
                    .help(format!("give a number, such as `{trail}.{}`", index + 1))
                    .none();
            }
        }
    }
    let report = error(format!("`{trail}` has no element called `{}`", excerpt(key)));
    if names.is_empty() && kinds.is_empty() {
        return report.help(format!("give a number, such as `{trail}.1`")).none();
    }
    report
        .suggest(key, names.iter().chain(&kinds).map(|(_, name)| *name))
        .none()
}

/// The keys before the `=`, and where the value begins.
fn parse_path<'a>(given: &'a Override, problems: &Problems) -> Option<(Vec<Segment<'a>>, usize)> {
    let text = given.text();
    let mut path = Vec::new();
    let mut at = 0;
    loop {
        at = text.len() - text[at..].trim_start().len();
        let rest = &text[at..];
        let length = segment_length(rest);
        let written = rest[..length].trim_end();
        let span = given.start() + at..given.start() + at + written.len();
        let key = match DeValue::parse(written).map(Spanned::into_inner) {
            Ok(DeValue::String(key)) if written.starts_with(['"', '\'']) => key,
            _ if written.contains(['"', '\'']) => {
                return problems
                    .error(span, format!("`{}` is not a key", excerpt(written)))
                    .none();
            }
            _ if written.is_empty() && length < rest.len() => {
                let message = if rest.starts_with('.') || !path.is_empty() {
                    "a key is empty"
                } else {
                    "there is no key"
                };
                return problems
                    .error(span.start..span.end + 1, message)
                    .help(USAGE)
                    .none();
            }
            _ => Cow::Borrowed(written),
        };
        path.push(Segment { key, span });
        at += length;
        match text[at..].chars().next() {
            Some('.') => at += 1,
            Some(_) => return Some((path, at + 1)),
            None => {
                let span = given.start()..given.start() + text.len();
                return problems
                    .error(span, "there is no `=` in the override")
                    .help(USAGE)
                    .none();
            }
        }
    }
}

const USAGE: &str = "write a path and a value, such as `run.step=0.01`";

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

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit())
}

/// The value with all its spans moved to where the override lies; its depth has been checked.
fn shifted(value: Spanned<DeValue<'_>>, by: usize) -> Spanned<DeValue<'_>> {
    let moved = |span: Range<usize>| span.start + by..span.end + by;
    let span = moved(value.span());
    let value = match value.into_inner() {
        DeValue::Array(array) => DeValue::Array(array.into_iter().map(|value| shifted(value, by)).collect()),
        DeValue::Table(table) => {
            let entries = table.into_iter().map(|(key, value)| {
                let span = moved(key.span());
                (Spanned::new(span, key.into_inner()), shifted(value, by))
            });
            DeValue::Table(entries.collect())
        }
        scalar => scalar,
    };
    Spanned::new(span, value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::parse::parse;

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
        let text = parse(&source, &problems).expect("good TOML").to_toml("");
        let shown = |span: Range<usize>| {
            let location = source.locate(span);
            location.text[location.local].to_owned()
        };
        let problems = problems.into_sorted().into_iter();
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
        let mut table = DeTable::new();
        let problems = Problems::new();
        merge(&mut table, &source, &problems);
        let second = &table["method"].get_ref()["v"].get_ref()[1];
        let location = source.locate(second.span());
        assert_eq!(&location.text[location.local], "22");
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

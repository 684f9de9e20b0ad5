//! A Lagrangian from the command line, as a model.
//!
//! Every value of it remembers the words it was made of, so that problems are shown there.
use crate::failure::Failure;
use holonomy_model::{Marked, Problems, Source, Table};
use std::{ops::Range, path::PathBuf};

/// A formula instead of a model
#[derive(clap::Args, Clone, Default)]
pub(crate) struct FormulaArguments {
    /// Lagrangian: "0.5*m*x'^2 - 0.5*k*x^2"; x' is the velocity of x
    #[arg(short = 'e', long, help_heading = HEADING, value_name = "FORMULA", allow_hyphen_values = true)]
    pub(crate) lagrangian: Option<String>,
    /// Parameters of the formulas: m=1, or "m=1, g=9.81 m/s^2"
    #[arg(long, help_heading = HEADING, value_name = "NAME=VALUE", requires = "lagrangian")]
    param: Vec<String>,
    /// Where coordinates and velocities start: "x=1, x'=0"; the names without a prime are the coordinates
    #[arg(long, help_heading = HEADING, value_name = "NAME=VALUE", requires = "lagrangian")]
    start: Vec<String>,
    /// Generalized force on a coordinate: x="-c*x'"
    #[arg(long, help_heading = HEADING, value_name = "NAME=FORMULA", requires = "lagrangian")]
    force_on: Vec<String>,
    /// Formula of coordinates and time that stays zero: "x^2 + y^2 - 1"
    #[arg(
        long,
        help_heading = HEADING,
        value_name = "FORMULA",
        requires = "lagrangian",
        allow_hyphen_values = true
    )]
    constraint: Vec<String>,
    /// Coordinates that are angles, to be reported within ±π
    #[arg(
        long,
        help_heading = HEADING,
        value_name = "NAME,…",
        requires = "lagrangian",
        value_delimiter = ','
    )]
    periodic: Vec<String>,
    /// A point that is drawn, by its place: bob="l*sin(theta), 0, -l*cos(theta)", or one formula that is a vector
    #[arg(long, help_heading = HEADING, value_name = "NAME=X,Y,Z", requires = "lagrangian")]
    point: Vec<String>,
    /// Points with a line through them
    #[arg(long, help_heading = HEADING, value_name = "NAME,NAME,…", requires = "lagrangian")]
    line: Vec<String>,
    /// Save the model that the formula stands for
    #[arg(long, help_heading = HEADING, value_name = "FILE", requires = "lagrangian")]
    pub(crate) save: Option<PathBuf>,
}

/// The section of places: their values are lists without brackets.
const POINTS: &str = "points";
const HEADING: &str = "A formula instead of a model";

/// What models made of a formula are called in messages.
pub(crate) const NAME: &str = "command line";

impl FormulaArguments {
    /// The model that the formula and its flags stand for; it has no `[run]`.
    pub(crate) fn source(&self, lagrangian: &str) -> Result<Source, Failure> {
        let start = Words::assignments("--start", &self.start, true)?;
        let parameters = Words::assignments("--param", &self.param, true)?;
        let forces = Words::assignments("--force-on", &self.force_on, false)?;
        let points = Words::assignments("--point", &self.point, false)?;
        let (velocities, coordinates): (Vec<&Pair>, Vec<&Pair>) =
            start.pairs.iter().partition(|pair| start.is_primed(pair));

        let mut model = Composer::new();
        model.source.with_value(&["title"], title(lagrangian));
        model.source.with_value(&["space"], "lagrangian");
        let formula = Words::plain("-e", &[lagrangian.to_owned()]);
        let names: Vec<Range<usize>> = coordinates.iter().map(|pair| start.stem(&pair.name)).collect();
        let start_at = model.words(&start);
        model.list("coordinates", &start, start_at, &names);
        if !self.periodic.is_empty() {
            let words = Words::plain("--periodic", &self.periodic);
            let at = model.words(&words);
            let names: Vec<Range<usize>> = words.pairs.iter().map(|pair| pair.value.clone()).collect();
            model.list("periodic", &words, at, &names);
        }
        let formula_at = model.words(&formula);
        for pair in &formula.pairs {
            let text = formula.marked(&pair.value, formula_at);
            model
                .source
                .with_marked([("lagrangian", formula_at..formula_at)], text);
        }
        let formula_at = formula_at + "-e ".len();
        let at = model.words(&parameters);
        model.section("parameters", &parameters, at, parameters.pairs.iter());
        let at = model.words(&forces);
        model.section("force", &forces, at, forces.pairs.iter());
        let constraints = Words::plain("--constraint", &self.constraint);
        let at = model.words(&constraints);
        model.constraints(&constraints, at);
        let at = model.words(&points);
        model.section(POINTS, &points, at, points.pairs.iter());
        let lines = Words::plain("--line", &self.line);
        let at = model.words(&lines);
        model.lines(&lines, at);
        model.section("start", &start, start_at, coordinates.iter().copied());
        model.section("velocity", &start, start_at, velocities.iter().copied());
        model.source.with_value(&["method", "name"], "midpoint");
        let Composer { source, problems } = model;

        let known: Vec<&str> = coordinates
            .iter()
            .map(|pair| &start.text[pair.name.clone()])
            .collect();
        without_start(lagrangian, &known, formula_at, &problems);
        let problems = problems.into_sorted();
        match problems.is_empty() {
            true if known.is_empty() => Err(Failure::NoStart),
            true => Ok(source),
            false => Err(Failure::BadModel {
                text: Box::new(source),
                problems,
            }),
        }
    }
}

/// The words of one flag, as often as it was given, and the pairs in them.
struct Words {
    text: String,
    pairs: Vec<Pair>,
}

/// Where a name and its value lie in the words. What has no name has an empty one.
struct Pair {
    name: Range<usize>,
    value: Range<usize>,
}

impl Words {
    /// `NAME=VALUE`, or a list of them separated by commas.
    fn assignments(flag: &'static str, given: &[String], lists: bool) -> Result<Self, Failure> {
        let mut words = Self::plain(flag, given);
        let mut pairs = Vec::new();
        for Pair { value, .. } in &words.pairs {
            for part in split(&words.text[value.clone()], lists) {
                let part = trimmed(&words.text, value.start + part.start..value.start + part.end);
                let bad = |reason: &str| Failure::BadValue {
                    flag,
                    value: words.text[value.clone()].to_owned(),
                    reason: reason.to_owned(),
                    help: Some(format!("write a name and a value: `{flag} {}`", example(flag))),
                };
                let Some(equals) = words.text[part.clone()].find('=') else {
                    return Err(bad("there is no `=`"));
                };
                let name = trimmed(&words.text, part.start..part.start + equals);
                let value = trimmed(&words.text, part.start + equals + 1..part.end);
                if name.is_empty() || value.is_empty() {
                    return Err(bad(match name.is_empty() {
                        true => "there is no name before `=`",
                        false => "there is no value after `=`",
                    }));
                }
                pairs.push(Pair { name, value });
            }
        }
        words.pairs = pairs;
        Ok(words)
    }

    /// Values as they stand.
    fn plain(flag: &str, given: &[String]) -> Self {
        let mut text = String::new();
        let mut pairs = Vec::new();
        for value in given {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(flag);
            text.push(' ');
            let start = text.len();
            // Excerpts are shown in one line.
            text.extend(
                value
                    .chars()
                    .map(|letter| if letter.is_control() { ' ' } else { letter }),
            );
            pairs.push(Pair {
                name: start..start,
                value: trimmed(&text, start..text.len()),
            });
        }
        Self { text, pairs }
    }

    /// A name without its prime.
    fn stem(&self, name: &Range<usize>) -> Range<usize> {
        let text = &self.text[name.clone()];
        name.start..name.start + text.strip_suffix('\'').unwrap_or(text).len()
    }

    /// A text in the words, which lie at an offset.
    fn marked(&self, text: &Range<usize>, at: usize) -> Marked {
        Marked::text(&self.text[text.clone()], moved(text, at))
    }

    /// The parts between commas, each marked.
    fn parts(&self, value: &Range<usize>, at: usize) -> Vec<Marked> {
        let parts = split(&self.text[value.clone()], true).into_iter();
        let parts = parts.map(|part| trimmed(&self.text, value.start + part.start..value.start + part.end));
        parts.map(|part| self.marked(&part, at)).collect()
    }

    /// Formulas between commas, or one formula.
    fn place(&self, value: &Range<usize>, at: usize) -> Marked {
        match self.parts(value, at) {
            parts if parts.len() > 1 => Marked::list(parts, moved(value, at)),
            _ => self.marked(value, at),
        }
    }

    fn is_primed(&self, pair: &Pair) -> bool {
        self.text[pair.name.clone()].ends_with('\'')
    }
}

fn example(flag: &str) -> &'static str {
    match flag {
        "--start" => "\"x=1, x'=0\"",
        "--param" => "m=1",
        "--point" => "bob=\"l*sin(theta), 0, -l*cos(theta)\"",
        _ => "x=\"-c*x'\"",
    }
}

/// The parts between commas that are not in brackets.
fn split(text: &str, lists: bool) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let (mut start, mut depth) = (0, 0_i32);
    for (at, letter) in text.char_indices().filter(|_| lists) {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth <= 0 => {
                parts.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(start..text.len());
    parts
}

/// The range without blanks at its ends.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    start..(start + part.trim().len())
}

/// A model that is being made of words.
struct Composer {
    source: Source,
    problems: Problems,
}

impl Composer {
    fn new() -> Self {
        Self {
            source: Source::new(NAME, ""),
            problems: Problems::new(),
        }
    }

    /// Where the words lie, to which parts of the model can then be traced back.
    fn words(&mut self, words: &Words) -> usize {
        self.source.with_words(words.text.as_str()).start
    }

    /// A list of names.
    fn list(&mut self, key: &str, words: &Words, at: usize, names: &[Range<usize>]) {
        let all = at..at + words.text.len();
        let each = names.iter().map(|name| words.marked(name, at));
        let list = Marked::list(each, all.clone());
        self.source.with_marked([(key, all)], list);
    }

    /// A section of keys and values, if there are any; its header stands for all words of the flag.
    fn section<'p>(&mut self, name: &str, words: &Words, at: usize, pairs: impl Iterator<Item = &'p Pair>) {
        let mut pairs = pairs.peekable();
        if pairs.peek().is_none() {
            return;
        }
        let all = at..at + words.text.len();
        let empty = Marked::plain(Table::new(), all.clone());
        self.source.with_marked([(name, all.clone())], empty);
        let mut given: Vec<&str> = Vec::new();
        for Pair { name: key, value } in pairs {
            let stem = words.stem(key);
            let key = &words.text[stem.clone()];
            if given.contains(&key) {
                let message = format!("`{key}` is given twice");
                self.problems
                    .error(moved(&stem, at), message)
                    .help("remove one of the two");
            }
            given.push(key);
            let path = [(name, all.clone()), (key, moved(&stem, at))];
            let text = &words.text[value.clone()];
            if name == POINTS {
                let place = words.place(value, at);
                self.source.with_marked(path, place);
            } else if is_number(text) || text.starts_with('[') {
                self.source.with_unread(path, moved(value, at));
            } else {
                self.source.with_marked(path, words.marked(value, at));
            }
        }
    }

    /// Lines through points, if there are any.
    fn lines(&mut self, words: &Words, at: usize) {
        if words.pairs.is_empty() {
            return;
        }
        let all = at..at + words.text.len();
        let each = words.pairs.iter().map(|pair| {
            let span = moved(&pair.value, at);
            let points = Marked::list(words.parts(&pair.value, at), span.clone());
            Marked::table([("through", span.clone(), points)], span)
        });
        let list = Marked::list(each, all.clone());
        self.source.with_marked([("line", all)], list);
    }

    /// Constraints, if there are any.
    fn constraints(&mut self, words: &Words, at: usize) {
        if words.pairs.is_empty() {
            return;
        }
        let all = at..at + words.text.len();
        let each = words.pairs.iter().map(|pair| {
            let span = moved(&pair.value, at);
            let formula = words.marked(&pair.value, at);
            Marked::table([("formula", span.clone(), formula)], span)
        });
        let list = Marked::list(each, all.clone());
        self.source.with_marked([("constraint", all)], list);
    }
}

fn moved(span: &Range<usize>, by: usize) -> Range<usize> {
    span.start + by..span.end + by
}

/// Whether a text is a number as TOML writes them.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let whole = digits.split(['.', 'e', 'E']).next().unwrap_or_default();
    let plain = !whole.is_empty() && (whole == "0" || !whole.starts_with('0'));
    let fraction = digits.split_once('.').map(|(_, rest)| rest);
    let fraction = fraction.is_none_or(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()));
    plain && fraction && whole.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<f64>().is_ok()
}

fn title(lagrangian: &str) -> String {
    const LONGEST: usize = 72;
    let text: Vec<&str> = lagrangian.split_whitespace().collect();
    let text = text.join(" ");
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("L = {}…", &text[..end]),
        None => format!("L = {text}"),
    }
}

/// Velocities in a formula whose coordinates have no start. Its words begin at `at`.
fn without_start(formula: &str, known: &[&str], at: usize, problems: &Problems) {
    let mut reported: Vec<&str> = Vec::new();
    for (prime, _) in formula.match_indices('\'') {
        let before = &formula[..prime];
        let stem = before.trim_end_matches(|letter: char| letter.is_alphanumeric() || letter == '_');
        let name = &before[stem.len()..];
        let is_name = name.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
        if !is_name || known.contains(&name) || reported.contains(&name) {
            continue;
        }
        reported.push(name);
        let message = format!("`{name}'` is a velocity, but the coordinate `{name}` has no start");
        problems
            .error(at + stem.len()..at + prime + 1, message)
            .help(format!("add `--start {name}=…`"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use holonomy_model::{Path, Place};

    fn arguments(param: &[&str], start: &[&str]) -> FormulaArguments {
        let list = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        FormulaArguments {
            param: list(param),
            start: list(start),
            ..FormulaArguments::default()
        }
    }

    #[test]
    fn words_become_a_model() {
        let given = arguments(
            &["m=1, g = 9.81 m/s^2", "v=[0, 0, 1], k=2*m"],
            &["x=1, y=atan2(1, 2)", "x'=.5"],
        );
        let given = FormulaArguments {
            force_on: vec!["x=-m*x'".to_owned()],
            ..given
        };
        let source = given.source(" 0.5*m*(x'^2 + y'^2) ").expect("a model");
        let table = holonomy_model::parse(&source, &Problems::new()).expect("a model");
        assert_eq!(
            holonomy_model::to_toml(table.table(), ""),
            "title = \"L = 0.5*m*(x'^2 + y'^2)\"\nspace = \"lagrangian\"\ncoordinates = [\"x\", \"y\"]\n\
             lagrangian = \"0.5*m*(x'^2 + y'^2)\"\n\n[parameters]\nm = 1\ng = \"9.81 m/s^2\"\nv = [0, 0, 1]\n\
             k = \"2*m\"\n\n[force]\nx = \"-m*x'\"\n\n[start]\nx = 1\ny = \"atan2(1, 2)\"\n\n[velocity]\nx = \".5\"\n\n\
             [method]\nname = \"midpoint\"\n"
        );
        let k = Place::Value(Path::root().key("parameters").key("k"));
        let location = source.locate(table.find(&k));
        assert_eq!(
            location.text,
            "--param m=1, g = 9.81 m/s^2 --param v=[0, 0, 1], k=2*m"
        );
        assert_eq!(location.column, 52);
    }

    #[test]
    fn a_velocity_without_a_start_is_underlined() {
        let problems = arguments(&[], &["y=1"]).source("  x'^2 + y'^2 + x'");
        let Err(Failure::BadModel { text, problems }) = problems else {
            panic!("a problem");
        };
        assert_eq!(problems.len(), 1);
        let location = text.locate(problems[0].span.clone());
        assert_eq!(&location.text[location.local], "x'");
    }

    #[test]
    fn numbers_are_those_of_toml() {
        for number in ["0", "1", "-1.5", "+2e3", "1e-3", "0.5"] {
            assert!(is_number(number), "{number}");
        }
        for text in [
            "", ".5", "1.", "1.e3", "007", "inf", "nan", "1 m", "pi", "1_0", "0x1",
        ] {
            assert!(!is_number(text), "{text}");
        }
    }
}

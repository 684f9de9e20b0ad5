//! A Lagrangian from the command line, as the text of a model.
//!
//! The text is what the user could have written into a file; every part of it remembers the words it was made of, so
//! that problems are shown there.
use crate::failure::Failure;
use holonomy::model::{Problem, Severity, Source};
use std::{ops::Range, path::PathBuf, sync::Arc};

/// A formula instead of a model
#[derive(clap::Args, Clone, Default)]
pub(crate) struct FormulaArguments {
    /// Lagrangian: "0.5*m*x'^2 - 0.5*k*x^2"; x' is the velocity of x
    #[arg(short = 'e', long, help_heading = HEADING, value_name = "FORMULA", allow_hyphen_values = true)]
    pub(crate) lagrangian: Option<String>,
    /// Parameters of the formulas: m=1, or "g=9.81 m/s^2"
    #[arg(long, help_heading = HEADING, value_name = "NAME=VALUE", requires = "lagrangian")]
    param: Vec<String>,
    /// Where coordinates and velocities start: "x=1, x'=0"; the names without a prime are the coordinates
    #[arg(long, help_heading = HEADING, value_name = "NAME=VALUE", requires = "lagrangian")]
    start: Vec<String>,
    /// Generalized force on a coordinate: x="-c*x'"
    #[arg(long, help_heading = HEADING, value_name = "NAME=FORMULA", requires = "lagrangian")]
    force_on: Vec<String>,
    /// Formula of coordinates and time, kept at zero: "x^2 + y^2 - 1"
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
    /// Save the model that the formula stands for
    #[arg(long, help_heading = HEADING, value_name = "FILE", requires = "lagrangian")]
    pub(crate) save: Option<PathBuf>,
}

const HEADING: &str = "A formula instead of a model";

/// What models made of a formula are called in messages.
pub(crate) const NAME: &str = "command line";

impl FormulaArguments {
    /// The model that the formula and its flags stand for; it has no `[run]`.
    pub(crate) fn source(&self, lagrangian: &str) -> Result<Source, Failure> {
        let start = Words::assignments("--start", &self.start, true)?;
        let parameters = Words::assignments("--param", &self.param, false)?;
        let forces = Words::assignments("--force-on", &self.force_on, false)?;
        let (velocities, coordinates): (Vec<&Pair>, Vec<&Pair>) =
            start.pairs.iter().partition(|pair| start.is_primed(pair));

        let mut text = Composer::default();
        text.plain(&format!("title = {}\n", quoted(&title(lagrangian))));
        text.plain("space = \"lagrangian\"\ncoordinates = [");
        for (index, pair) in coordinates.iter().enumerate() {
            text.plain(if index > 0 { ", " } else { "" });
            text.quoted(&start, &start.stem(&pair.name));
        }
        text.plain("]\n");
        if !self.periodic.is_empty() {
            let words = Words::plain("--periodic", &self.periodic);
            text.plain("periodic = [");
            for (index, pair) in words.pairs.iter().enumerate() {
                text.plain(if index > 0 { ", " } else { "" });
                text.quoted(&words, &pair.value);
            }
            text.plain("]\n");
        }
        text.plain("lagrangian = ");
        let formula = Words::plain("-e", &[lagrangian.to_owned()]);
        let formula_at = text.text.len() + 1;
        for pair in &formula.pairs {
            text.quoted(&formula, &pair.value);
        }
        text.plain("\n");
        text.section("parameters", &parameters, parameters.pairs.iter());
        text.section("force", &forces, forces.pairs.iter());
        let constraints = Words::plain("--constraint", &self.constraint);
        for pair in &constraints.pairs {
            text.plain("\n[[constraint]]\nformula = ");
            text.quoted(&constraints, &pair.value);
            text.plain("\n");
        }
        text.section("start", &start, coordinates.iter().copied());
        text.section("velocity", &start, velocities.iter().copied());
        text.plain("\n[method]\nname = \"midpoint\"\n");
        let source = text.source();

        let known: Vec<&str> = coordinates
            .iter()
            .map(|pair| &start.text[pair.name.clone()])
            .collect();
        let problems = without_start(lagrangian, &known, formula_at);
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
    text: Arc<str>,
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
        Self {
            text: text.into(),
            pairs,
        }
    }

    /// A name without its prime.
    fn stem(&self, name: &Range<usize>) -> Range<usize> {
        let text = &self.text[name.clone()];
        name.start..name.start + text.strip_suffix('\'').unwrap_or(text).len()
    }

    fn is_primed(&self, pair: &Pair) -> bool {
        self.text[pair.name.clone()].ends_with('\'')
    }
}

fn example(flag: &str) -> &'static str {
    match flag {
        "--start" => "\"x=1, x'=0\"",
        "--param" => "m=1",
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

/// A text that is being written, and which words its parts come from.
#[derive(Default)]
struct Composer {
    text: String,
    parts: Vec<(Range<usize>, Arc<str>, Range<usize>)>,
}

impl Composer {
    fn plain(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// A string; its inside corresponds to the words byte by byte, unless something had to be escaped.
    fn quoted(&mut self, words: &Words, place: &Range<usize>) {
        let place = place.clone();
        let start = self.text.len();
        self.text.push_str(&quoted(&words.text[place.clone()]));
        let end = self.text.len();
        self.parts.push((start..end, words.text.clone(), place.clone()));
        self.parts.push((start + 1..end - 1, words.text.clone(), place));
    }

    /// A section of keys and values, if there are any; its header stands for all words of the flag.
    fn section<'p>(&mut self, name: &str, words: &Words, pairs: impl Iterator<Item = &'p Pair>) {
        let mut pairs = pairs.peekable();
        if pairs.peek().is_none() {
            return;
        }
        self.plain("\n");
        let start = self.text.len();
        self.plain(&format!("[{name}]"));
        let all = 0..words.text.len();
        self.parts.push((start..self.text.len(), words.text.clone(), all));
        self.plain("\n");
        for Pair { name, value } in pairs {
            let name = words.stem(name);
            let key = &words.text[name.clone()];
            let bare = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
            if key.chars().all(bare) {
                let start = self.text.len();
                self.plain(key);
                let end = self.text.len();
                self.parts.push((start..end, words.text.clone(), name));
            } else {
                self.quoted(words, &name);
            }
            self.plain(" = ");
            let text = &words.text[value.clone()];
            if is_number(text) || text.starts_with('[') {
                let start = self.text.len();
                self.plain(text);
                self.parts
                    .push((start..self.text.len(), words.text.clone(), value.clone()));
            } else {
                self.quoted(words, value);
            }
            self.plain("\n");
        }
    }

    fn source(self) -> Source {
        let mut source = Source::new(NAME, self.text);
        for (part, words, place) in self.parts {
            source.with_words(part, &words, place);
        }
        source
    }
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

/// A TOML string.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
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

/// Velocities in a formula whose coordinates have no start. The formula begins at `at`.
fn without_start(formula: &str, known: &[&str], at: usize) -> Vec<Problem> {
    let offset = at.wrapping_sub(formula.len() - formula.trim_start().len());
    let mut problems: Vec<Problem> = Vec::new();
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
        problems.push(Problem {
            severity: Severity::Error,
            span: offset.wrapping_add(stem.len())..offset.wrapping_add(prime + 1),
            message: format!("`{name}'` is a velocity, but the coordinate `{name}` has no start"),
            help: Some(format!("add `--start {name}=…`")),
        });
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

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
            &["m=1", "g = 9.81 m/s^2", "v=[0, 0, 1]", "k=2*m"],
            &["x=1, y=atan2(1, 2)", "x'=.5"],
        );
        let given = FormulaArguments {
            force_on: vec!["x=-m*x'".to_owned()],
            ..given
        };
        let source = given.source(" 0.5*m*(x'^2 + y'^2) ").expect("a model");
        assert_eq!(
            source.text(),
            "title = \"L = 0.5*m*(x'^2 + y'^2)\"\nspace = \"lagrangian\"\ncoordinates = [\"x\", \"y\"]\n\
             lagrangian = \"0.5*m*(x'^2 + y'^2)\"\n\n[parameters]\nm = 1\ng = \"9.81 m/s^2\"\nv = [0, 0, 1]\n\
             k = \"2*m\"\n\n[force]\nx = \"-m*x'\"\n\n[start]\nx = 1\ny = \"atan2(1, 2)\"\n\n[velocity]\nx = \".5\"\n\n\
             [method]\nname = \"midpoint\"\n"
        );
        let at = source.text().find("2*m").expect("there");
        let location = source.locate(at..at + 3);
        assert_eq!(
            location.text,
            "--param m=1 --param g = 9.81 m/s^2 --param v=[0, 0, 1] --param k=2*m"
        );
        assert_eq!(location.column, 66);
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

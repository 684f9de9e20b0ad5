//! A section with formulas of an index in its texts.
use crate::parse::{Marked, Spans};
use crate::path::{Path, Place};
use crate::problem::{Problems, excerpt};
use crate::value::{Number, Table, Value};
use holonomy::formula::{Formula, FormulaError, Kind, Program, Scope};

/// A repeated section, to be made for each index.
pub(super) struct Pattern {
    part: Part,
    /// Where it is written; texts that change have no inside.
    spans: Spans,
}

enum Part {
    /// For each index the same.
    Same(Value),
    Text(Template),
    List(Vec<Part>),
    Table(Vec<(Template, Part)>),
}

/// A text with formulas of the index in it.
struct Template {
    /// Each with the text before it.
    formulas: Vec<(String, Program)>,
    end: String,
    path: Path,
}

impl Pattern {
    /// Of a section; without an index nothing in it changes.
    pub(super) fn new(section: Marked, path: &Path, index: Option<&str>, problems: &Problems) -> Self {
        let Marked { value, mut spans } = section;
        let Some(index) = index else {
            return Self {
                part: Part::Same(value),
                spans,
            };
        };
        let mut scope = Scope::new();
        if let Err(error) = scope.variable(index, Kind::Scalar, 0) {
            report(error, Place::Value(path.key("index")), problems);
            return Self {
                part: Part::Same(value),
                spans,
            };
        }
        let reader = Reader {
            index,
            scope,
            problems,
        };
        let part = reader.part(value, &mut spans, path);
        Self { part, spans }
    }

    /// The section for an index.
    pub(super) fn at(&self, index: usize, problems: &Problems) -> Marked {
        Marked {
            value: self.part.at(index, problems),
            spans: self.spans.clone(),
        }
    }

    /// About how many bytes of text a section is.
    pub(super) fn bytes(&self) -> usize {
        self.part.bytes()
    }
}

impl Part {
    fn at(&self, index: usize, problems: &Problems) -> Value {
        match self {
            Self::Same(value) => value.clone(),
            Self::Text(template) => template.value(index, problems),
            Self::List(list) => Value::List(list.iter().map(|part| part.at(index, problems)).collect()),
            Self::Table(entries) => {
                let mut table = Table::new();
                for (key, part) in entries {
                    let text = key.text(index, problems);
                    if table.contains_key(&text) {
                        let message = format!("the key `{}` is there twice", excerpt(&text));
                        problems
                            .error(Place::Key(key.path.clone()), message)
                            .help("give one of them another name");
                    }
                    table.insert(text, part.at(index, problems));
                }
                table.into()
            }
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Same(value) => bytes(value),
            Self::Text(template) => template.bytes(),
            Self::List(list) => list.iter().map(|part| 1 + part.bytes()).sum(),
            Self::Table(entries) => {
                let each = entries.iter();
                each.map(|(key, part)| 1 + key.bytes() + part.bytes()).sum()
            }
        }
    }
}

/// About how many bytes of text a value is.
fn bytes(value: &Value) -> usize {
    match value {
        Value::Text(text) | Value::Date(text) => text.len(),
        Value::Number(number) => number.as_str().len(),
        Value::Boolean(_) => 1,
        Value::List(list) => list.iter().map(|value| 1 + bytes(value)).sum(),
        Value::Table(table) => table
            .iter()
            .map(|(key, value)| 1 + key.len() + bytes(value))
            .sum(),
    }
}

/// Finds the formulas in a section.
struct Reader<'r> {
    index: &'r str,
    scope: Scope,
    problems: &'r Problems,
}

impl Reader<'_> {
    fn part(&self, value: Value, spans: &mut Spans, path: &Path) -> Part {
        match value {
            Value::Text(text) if text.contains(['{', '}']) => {
                let template = self.template(&text, path, |part| Place::Within(path.clone(), part));
                spans.inside = None;
                // A number that was not understood has been reported.
                let number = text.starts_with('{') && text.ends_with('}');
                template.map_or_else(
                    || {
                        Part::Same(match number {
                            true => Value::from(1_i64),
                            false => Value::Text(text),
                        })
                    },
                    Part::Text,
                )
            }
            Value::List(list) => {
                let each = list.into_iter().zip(&mut spans.parts).enumerate();
                Part::List(
                    each.map(|(number, (value, spans))| self.part(value, spans, &path.element(number)))
                        .collect(),
                )
            }
            Value::Table(table) => {
                let each = table.into_iter().zip(&mut spans.parts);
                let entries = each.map(|((key, value), spans)| {
                    let path = path.key(&key);
                    let template = self.template(&key, &path, |_| Place::Key(path.clone()));
                    let part = self.part(value, spans, &path);
                    (template.unwrap_or_else(|| Template::plain(key, path)), part)
                });
                Part::Table(entries.collect())
            }
            value => Part::Same(value),
        }
    }

    /// A text with its formulas; `None` if something is wrong, which has been reported.
    fn template(
        &self,
        text: &str,
        path: &Path,
        place: impl Fn(std::ops::Range<usize>) -> Place,
    ) -> Option<Template> {
        let mut template = Template::plain(String::new(), path.clone());
        let mut at = 0;
        while let Some(open) = text[at..].find(['{', '}']).map(|open| at + open) {
            let inside = text[open..].strip_prefix('{');
            let Some((inside, length)) = inside.and_then(|inside| Some((inside, inside.find('}')?))) else {
                let message = "in a repeated section, braces stand around formulas of the index";
                return self
                    .problems
                    .error(place(open..open + 1), message)
                    .help(format!("write `{{{0}}}`, or `{{{0}-1}}`", self.index))
                    .none();
            };
            let formula = match Formula::parse_as(Kind::Scalar, &inside[..length], &self.scope) {
                Ok(formula) => formula,
                Err(errors) => {
                    for error in errors {
                        let span = open + 1 + error.span.start..open + 1 + error.span.end;
                        self.explain(error, place(span));
                    }
                    return None;
                }
            };
            let before = text[at..open].to_owned();
            template.formulas.push((before, Program::values(&[&formula])));
            at = open + 1 + length + 1;
        }
        template.end = text[at..].to_owned();
        Some(template)
    }

    fn explain(&self, error: FormulaError, place: Place) {
        let help = format!(
            "braces know the index `{}` and numbers; parameters stand outside: `\"l*{{{0}}}\"`",
            self.index
        );
        let help = match error.message.ends_with("has no meaning here") {
            true => Some(help),
            false => error.help,
        };
        report(FormulaError { help, ..error }, place, self.problems);
    }
}

fn report(error: FormulaError, place: Place, problems: &Problems) {
    let report = problems.error(place, error.message);
    if let Some(help) = error.help {
        report.help(help);
    }
}

impl Template {
    fn plain(text: String, path: Path) -> Self {
        Self {
            formulas: Vec::new(),
            end: text,
            path,
        }
    }

    /// A number if there is nothing around the formula, and a text otherwise.
    fn value(&self, index: usize, problems: &Problems) -> Value {
        match &self.formulas[..] {
            [(before, formula)] if before.is_empty() && self.end.is_empty() => {
                Value::Number(self.number(formula, index, problems))
            }
            _ => self.text(index, problems).into(),
        }
    }

    fn text(&self, index: usize, problems: &Problems) -> String {
        let mut text = String::new();
        for (before, formula) in &self.formulas {
            text += before;
            text += self.number(formula, index, problems).as_str();
        }
        text + &self.end
    }

    /// A formula for an index, whole where it is.
    fn number(&self, formula: &Program, index: usize, problems: &Problems) -> Number {
        let mut value = [0.0];
        let known = formula.evaluate(&[index as f64], &mut formula.workspace(), &mut value);
        let [value] = value;
        if known.is_err() || !value.is_finite() {
            let message = format!("a formula in braces has no value for {index}");
            problems
                .error(Place::Value(self.path.clone()), message)
                .help("change it, `first` or `repeat`");
            return 0_i64.into();
        }
        match value.fract() == 0.0 && value.abs() < EXACT {
            true => (value as i64).into(),
            false => value.into(),
        }
    }

    fn bytes(&self) -> usize {
        let each = self.formulas.iter();
        each.map(|(before, _)| before.len() + DIGITS).sum::<usize>() + self.end.len()
    }
}

/// Whole numbers below are exact in a double.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// Most digits of a number, about.
const DIGITS: usize = 24;

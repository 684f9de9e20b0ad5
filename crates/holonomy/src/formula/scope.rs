use super::error::FormulaError;
use super::function::Function;
use super::kinds::Kind;
use super::lexer::is_name;
use super::nearest;
use super::tree::{Meaning, SyntaxTree};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// What the names in a formula mean.
///
/// Variables are slots of the slice that programs are evaluated with; a vector takes three slots in a row.
///
/// ```
/// # use holonomy::formula::{Kind, Scope};
/// let mut scope = Scope::new();
/// scope.coordinate("theta", Kind::Scalar, 0, 1)?; // x[0], and its velocity theta' = x[1]
/// scope.time(2);                                  // t = x[2]
/// scope.parameter("m", 1.5)?;
/// # Ok::<(), holonomy::formula::FormulaError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Scope {
    pub(super) names: BTreeMap<String, Entry>,
    time: Option<usize>,
    /// Each uses only those before it.
    pub(super) definitions: Arc<Vec<Definition>>,
    /// What to do instead, for names without a meaning.
    hints: BTreeMap<String, String>,
}

#[derive(Clone, Debug)]
pub(super) enum Entry {
    Variable {
        kind: Kind,
        slot: usize,
        velocity: Option<usize>,
    },
    Parameter {
        kind: Kind,
        value: [f64; 3],
    },
    Definition(usize),
    /// A definition with errors, which have been reported.
    Broken,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Definition {
    pub(super) name: String,
    pub(super) tree: SyntaxTree,
}

impl Scope {
    /// A scope in which only `pi` and the functions are known.
    pub fn new() -> Self {
        Self::default()
    }

    /// A variable without a velocity.
    ///
    /// The error, here and below, is about the name: its span is in bytes of it.
    pub fn variable(&mut self, name: &str, kind: Kind, slot: usize) -> Result<(), FormulaError> {
        let velocity = None;
        self.insert(name, Entry::Variable { kind, slot, velocity })
    }

    /// A coordinate `name`, whose velocity is `name'`.
    pub fn coordinate(
        &mut self,
        name: &str,
        kind: Kind,
        slot: usize,
        velocity: usize,
    ) -> Result<(), FormulaError> {
        let velocity = Some(velocity);
        self.insert(name, Entry::Variable { kind, slot, velocity })
    }

    /// Time, under the name `t`.
    pub fn time(&mut self, slot: usize) {
        self.time = Some(slot);
    }

    /// A number that does not change.
    pub fn parameter(&mut self, name: &str, value: f64) -> Result<(), FormulaError> {
        self.constant(name, Kind::Scalar, [value, 0.0, 0.0])
    }

    /// A vector that does not change.
    pub fn vector_parameter(&mut self, name: &str, value: [f64; 3]) -> Result<(), FormulaError> {
        self.constant(name, Kind::Vector, value)
    }

    /// A name whose value is wrong, which has been reported: formulas that use it are not blamed for it.
    pub fn broken(&mut self, name: &str) -> Result<(), FormulaError> {
        self.insert(name, Entry::Broken)
    }

    /// What to tell who uses a name that has no meaning here, be it a velocity `name'` or time. The first hint stays.
    pub fn hint(&mut self, name: &str, help: impl Into<String>) {
        self.hints.entry(name.to_owned()).or_insert_with(|| help.into());
    }

    /// The names that have been given a meaning, with `t` and `pi`.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        let given = self.names.keys().map(String::as_str);
        given.chain(self.time.map(|_| "t")).chain(["pi"])
    }

    /// The definitions and their texts, each after those that it uses.
    pub fn definitions(&self) -> impl Iterator<Item = (String, String)> {
        let each = self.definitions.iter();
        each.map(|definition| (definition.name.clone(), definition.tree.to_string()))
    }

    pub(super) fn knows(&self, name: &str) -> bool {
        self.names().any(|known| known == name) || name == "π"
    }

    /// What a name means; no error if what is wrong has been reported where the name was defined.
    pub(super) fn meaning(
        &self,
        name: &str,
        primes: usize,
        span: Range<usize>,
    ) -> Result<(Meaning, Option<Kind>), Option<FormulaError>> {
        let error = |message: String| FormulaError::new(span.clone(), message);
        if primes > 1 {
            let message = "velocities have one prime; accelerations do not occur in formulas";
            return Err(Some(error(message.to_owned()).help(format!("write `{name}'`"))));
        }
        let primed = primes == 1;
        let constant = |value| (Meaning::Value([value, 0.0, 0.0]), Some(Kind::Scalar));
        match (name, self.time, self.names.get(name)) {
            ("pi" | "π", ..) if !primed => Ok(constant(std::f64::consts::PI)),
            ("t", Some(slot), _) if !primed => Ok((Meaning::Slot(slot), Some(Kind::Scalar))),
            ("t", None, None) => Err(Some(
                self.hinted("t", error("time `t` has no meaning here".to_owned())),
            )),
            (_, _, Some(Entry::Variable { kind, velocity, slot })) => match (primed, velocity) {
                (false, _) => Ok((Meaning::Slot(*slot), Some(*kind))),
                (true, Some(velocity)) => Ok((Meaning::Slot(*velocity), Some(*kind))),
                (true, None) => {
                    let error = error(format!("the velocity `{name}'` has no meaning here"));
                    let name = format!("{name}'");
                    let plain = error
                        .clone()
                        .help(format!("write `{}`, without the prime", &name[..name.len() - 1]));
                    Err(Some(if self.hints.contains_key(&name) {
                        self.hinted(&name, error)
                    } else {
                        plain
                    }))
                }
            },
            (_, _, Some(Entry::Broken)) => Err(None),
            (_, _, Some(Entry::Parameter { kind, value })) if !primed => {
                Ok((Meaning::Value(*value), Some(*kind)))
            }
            (_, _, Some(Entry::Definition(index))) if !primed => {
                let kind = self.definitions[*index].tree.kind();
                Ok((Meaning::Definition(*index), Some(kind)))
            }
            (_, _, Some(Entry::Definition(_))) => {
                let error = error(format!("`{name}` is not a coordinate: it has no velocity"));
                Err(Some(error.help("write out the derivative of its definition")))
            }
            (_, _, Some(_)) | ("pi" | "π" | "t", ..) => Err(Some(error(format!(
                "`{name}` is not a coordinate: it has no velocity"
            )))),
            (_, _, None) => Err(Some(self.unknown(name, span))),
        }
    }

    pub(super) fn insert(&mut self, name: &str, entry: Entry) -> Result<(), FormulaError> {
        let span = 0..name.len();
        if !is_name(name) {
            let error = FormulaError::new(span, "this is not a name");
            return Err(error.help("names are made of letters, digits and `_`, and start with a letter"));
        }
        let meant = match name {
            "t" => Some("time"),
            "pi" | "π" => Some("the number π"),
            _ => Function::named(name).map(|_| "a function"),
        };
        if let Some(meant) = meant {
            return Err(
                FormulaError::new(span, format!("`{name}` is {meant} in every formula"))
                    .help("choose another name"),
            );
        }
        let taken = self.names.get(name).map(|entry| match entry {
            Entry::Variable {
                velocity: Some(_), ..
            } => "is a coordinate already",
            Entry::Variable { velocity: None, .. } => "is a variable already",
            Entry::Parameter { .. } => "is a parameter already",
            Entry::Definition(_) | Entry::Broken => "has a meaning already",
        });
        if let Some(taken) = taken {
            return Err(FormulaError::new(span, format!("`{name}` {taken}")).help("choose another name"));
        }
        self.names.insert(name.to_owned(), entry);
        Ok(())
    }

    fn constant(&mut self, name: &str, kind: Kind, value: [f64; 3]) -> Result<(), FormulaError> {
        if let Some(number) = value.iter().find(|number| !number.is_finite()) {
            let message = format!("the value of `{name}` is {number}");
            return Err(FormulaError::new(0..name.len(), message));
        }
        self.insert(name, Entry::Parameter { kind, value })
    }

    fn hinted(&self, name: &str, error: FormulaError) -> FormulaError {
        match self.hints.get(name) {
            Some(help) => error.help(help),
            None => error,
        }
    }

    fn unknown(&self, name: &str, span: Range<usize>) -> FormulaError {
        let error = FormulaError::new(span, format!("`{name}` has no meaning here"));
        if self.hints.contains_key(name) {
            return self.hinted(name, error);
        }
        if let Some(coordinate) = self.dotted(name) {
            return error.help(format!(
                "the velocity of `{coordinate}` is written `{coordinate}'`"
            ));
        }
        if name == "e" {
            return error.help("Euler's number is written `exp(1)`");
        }
        if let Some(near) = nearest(name, self.names()) {
            return error.help(format!("did you mean `{near}`?"));
        }
        let most = 24;
        let mut known: Vec<String> = self
            .names()
            .take(most + 1)
            .map(|name| format!("`{name}`"))
            .collect();
        if known.len() > most {
            known[most] = "…".to_owned();
        }
        error.help(format!("known here: {}", known.join(", ")))
    }

    /// The coordinate whose velocity `name` spells without a prime.
    fn dotted(&self, name: &str) -> Option<&str> {
        let stem = ["_dot", "dot", "_prime", "_d", "_velocity"]
            .iter()
            .find_map(|suffix| name.strip_suffix(suffix))
            .or_else(|| name.strip_prefix("d_"))
            .or_else(|| name.strip_prefix('d'))?;
        let stem = stem
            .strip_suffix("_dt")
            .or(stem.strip_suffix("dt"))
            .unwrap_or(stem);
        let (known, entry) = self.names.get_key_value(stem)?;
        matches!(
            entry,
            Entry::Variable {
                velocity: Some(_),
                ..
            }
        )
        .then_some(known)
    }
}

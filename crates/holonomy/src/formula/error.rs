use std::fmt;
use std::ops::Range;

/// What is wrong with the text of a formula, and where.
///
/// The message is one sentence that starts in lower case and has no final period, as those of models are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaError {
    /// The text it is about, in bytes of the formula.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl FormulaError {
    pub(super) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            help: None,
        }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for FormulaError {}

/// What is wrong with one of several definitions; see [`Scope::define`](super::Scope::define).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("definition {index}: {error}")]
pub struct DefinitionError {
    /// Which of the definitions, counted from 0.
    pub index: usize,
    /// Whether the span is in the definition's name; if not, it is in its text.
    pub in_name: bool,
    /// What is wrong.
    #[source]
    pub error: FormulaError,
}

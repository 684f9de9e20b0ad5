use super::expressions::{Origin, Source};
use super::program::{Code, Program};
use std::fmt;

/// An expression has no value, or no derivative, where it was evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct DomainError {
    /// The expression, as it was written.
    pub expression: String,
    /// Its place in [`Program::expressions`].
    pub number: u32,
    /// The definition that it was written in.
    pub definition: Option<String>,
    /// How many times it was differentiated; 0 if it is its value that does not exist.
    pub order: u8,
    /// Why there is none.
    pub reason: Reason,
    /// The number that the reason is about.
    pub argument: f64,
}

/// A part of a formula, or a derivative of one. Printed as `` `x` `` or ``the derivative of `x` ``.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubExpression {
    /// The part, as it was written; its ends if it is long.
    pub text: String,
    /// How many times it is differentiated.
    pub order: u8,
    /// What the whole formula is, where that has a name.
    pub of: Option<String>,
}

impl SubExpression {
    /// The same of a formula with a name.
    #[must_use]
    pub(crate) fn within(self, whole: String) -> Self {
        Self {
            of: Some(whole),
            ..self
        }
    }
}

impl fmt::Display for SubExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        match self.order {
            0 => write!(f, "`{text}`"),
            1 => write!(f, "the derivative of `{text}`"),
            _ => write!(f, "the second derivative of `{text}`"),
        }?;
        match &self.of {
            Some(whole) => write!(f, " in {whole}"),
            None => Ok(()),
        }
    }
}

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A variable is itself not a finite number.
    Variable,
    /// Something is divided by zero.
    DivisionByZero,
    /// The logarithm of a number that is not positive.
    Logarithm,
    /// The square root of a negative number.
    SquareRoot,
    /// The arc sine or cosine of a number beyond ±1.
    ArcBeyondOne,
    /// Zero to a negative power.
    ZeroToNegative,
    /// A negative number to a power that is not whole.
    NegativeToFraction,
    /// The result is too large for a number.
    Overflow,
}

impl fmt::Display for DomainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.order {
            0 => write!(f, "`{}`", self.expression)?,
            1 => write!(f, "the derivative of `{}`", self.expression)?,
            _ => write!(f, "the second derivative of `{}`", self.expression)?,
        }
        if let Some(definition) = &self.definition {
            write!(f, " in `{definition}`")?;
        }
        let argument = self.argument;
        match self.reason {
            Reason::Variable => write!(f, " is {argument}"),
            Reason::DivisionByZero => write!(f, " divides by zero"),
            Reason::Logarithm => write!(f, " takes the logarithm of {argument}"),
            Reason::SquareRoot => write!(f, " takes the square root of {argument}"),
            Reason::ArcBeyondOne => write!(f, " takes the arc sine or cosine of {argument}, beyond ±1"),
            Reason::ZeroToNegative => write!(f, " takes a negative power of zero"),
            Reason::NegativeToFraction => write!(f, " takes a power of {argument} that is not whole"),
            Reason::Overflow => write!(f, " is too large for a number, with the argument {argument}"),
        }
    }
}

impl std::error::Error for DomainError {}

/// What a sentence can hold of a part of a formula: a long one has as many parts as letters, and all of them together
/// would take the square of its length.
fn shortened(text: &str) -> String {
    const END: usize = 80;
    let cut = |at: usize| (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    match text.len() > 3 * END {
        true => format!("{} … {}", &text[..cut(END)], &text[cut(text.len() - END)..]),
        false => text.to_owned(),
    }
}

impl Program {
    /// Everything that it computes on the way, as it was written.
    pub fn expressions(&self) -> Vec<SubExpression> {
        let part = |origin: &Origin| SubExpression {
            text: shortened(self.text(origin.source)),
            order: origin.source.order,
            of: None,
        };
        self.origins.iter().map(part).collect()
    }

    fn text(&self, source: Source) -> &str {
        let written = self.texts.get(source.text as usize).map(|written| &written.text);
        let part = written.and_then(|text| text.get(source.start as usize..source.end as usize));
        part.unwrap_or_default()
    }

    /// Names the first expression without a finite value, after a sweep in which there is one.
    pub(super) fn diagnose(&self, registers: &[f64]) -> DomainError {
        // In the order in which expressions were made, which is not that of the registers.
        let unsound = registers[self.constants.len()..]
            .iter()
            .map(|value| !value.is_finite());
        let first = unsound
            .zip(&self.origins)
            .enumerate()
            .filter(|(_, (unsound, _))| *unsound);
        let first = first.min_by_key(|(_, (_, origin))| origin.rank);
        let (place, origin) = first.map_or((0, Origin::UNUSED), |(place, (_, origin))| (place, *origin));
        let written = self.texts.get(origin.source.text as usize);
        let (reason, argument) = self.reason(self.constants.len() + place, registers);
        DomainError {
            expression: shortened(self.text(origin.source)),
            number: place as u32,
            definition: written.and_then(|written| written.definition.clone()),
            order: origin.source.order,
            reason,
            argument,
        }
    }

    /// Why a register is not finite, what it was computed from being finite.
    fn reason(&self, register: usize, registers: &[f64]) -> (Reason, f64) {
        let value = |register: u32| registers.get(register as usize).copied().unwrap_or(0.0);
        let mut rest = self.operands.as_slice();
        let mut first = self.constants.len() + self.variables;
        for run in &self.runs {
            let operands;
            (operands, rest) = rest.split_at(run.length as usize);
            let Some([a, b]) = register.checked_sub(first).and_then(|place| operands.get(place)) else {
                first += operands.len() * if run.code == Code::SineCosine { 2 } else { 1 };
                continue;
            };
            let (a, b) = (value(*a), value(*b));
            return match run.code {
                Code::Divide if b == 0.0 => (Reason::DivisionByZero, b),
                Code::Reciprocal if a == 0.0 => (Reason::DivisionByZero, a),
                Code::WholePower | Code::Power if a == 0.0 => (Reason::ZeroToNegative, a),
                Code::Power if a < 0.0 => (Reason::NegativeToFraction, a),
                Code::SquareRoot => (Reason::SquareRoot, a),
                Code::Logarithm => (Reason::Logarithm, a),
                Code::ArcSine | Code::ArcCosine => (Reason::ArcBeyondOne, a),
                _ => (Reason::Overflow, a),
            };
        }
        (Reason::Variable, registers[register])
    }
}

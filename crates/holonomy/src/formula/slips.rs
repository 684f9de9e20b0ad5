//! What people write who come from mathematics or another language, and what to write instead.
use super::error::FormulaError;
use super::function::Function;
use super::lexer::Token;
use super::nearest;
use super::parser::Parser;
use std::ops::Range;

impl Parser<'_> {
    /// A complete operand is followed by something that continues nothing.
    pub(super) fn unexpected(&self) -> FormulaError {
        let span = self.span();
        let written = &self.text[span.clone()];
        let Some(before) = self.at.checked_sub(1).and_then(|before| self.tokens.get(before)) else {
            return FormulaError::new(span, format!("`{written}` cannot stand here"));
        };
        let both = before.span.start..span.end;
        let missing = |span| FormulaError::new(span, "an operator is missing here");
        match (before.token, self.peek()) {
            (Token::Name(..) | Token::Symbol(_), Token::Symbol('[')) => {
                let error = FormulaError::new(span, "`[` cannot follow a value");
                error.help("components are written `.x`, `.y` and `.z`")
            }
            (first, Token::Symbol(',')) => {
                let error = FormulaError::new(span, "a comma separates arguments; here are none");
                match (first, self.second()) {
                    (Token::Number(_), Some(Token::Number(_))) => error.help("the decimal mark is a point"),
                    _ => error,
                }
            }
            (Token::Symbol(_), _) | (_, Token::Symbol(_)) => {
                missing(span).help("multiplication is written out: `*`")
            }
            (Token::Number(number), Token::Name("deg" | "degree" | "degrees", 0)) => {
                FormulaError::new(both, "angles are in radians").help(format!("write `{number}*pi/180`"))
            }
            (Token::Number(_), Token::Name(name, 0))
                if !self.scope.knows(name) && Function::named(name).is_none() =>
            {
                missing(both).help("multiplication is written out, `*`; numbers have no units here")
            }
            _ => missing(both).help(format!("write `{}*{written}`", &self.text[before.span.clone()])),
        }
    }

    /// The name of a function without arguments.
    pub(super) fn uncalled(&self, function: Function, span: Range<usize>) -> FormulaError {
        let name = function.name();
        let error = FormulaError::new(span, format!("`{name}` needs its argument in parentheses"));
        match self.peek() {
            Token::Symbol('^') => error.help(format!("write `{name}(x)^2`")),
            Token::Name(..) | Token::Number(_) => {
                error.help(format!("write `{name}({})`", &self.text[self.span()]))
            }
            _ => error,
        }
    }

    /// A name with `(` behind it that is not a function.
    pub(super) fn no_function(&self, name: &str, span: Range<usize>) -> FormulaError {
        if self.scope.knows(name) {
            let error = FormulaError::new(span, format!("`{name}` is not a function"));
            let tokens = self.tokens[self.at..].iter().map(|lexeme| lexeme.token);
            let of_time = [Token::Symbol('('), Token::Name("t", 0), Token::Symbol(')')];
            return if tokens.take(3).eq(of_time) {
                error.help(format!("write `{name}`: that it depends on time is understood"))
            } else {
                error.help(format!("to multiply, write `{name}*(…)`"))
            };
        }
        let error = FormulaError::new(span, format!("there is no function `{name}`"));
        if let Some(help) = elsewhere(name) {
            return error.help(help);
        }
        match nearest(name, Function::names()) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => {
                let names: Vec<&str> = Function::names().collect();
                error.help(format!("the functions are {}", names.join(", ")))
            }
        }
    }

    /// The name of a library with a point and one of its names behind it.
    pub(super) fn prefix(&self, name: &str, span: Range<usize>) -> Option<FormulaError> {
        let (Token::Symbol('.'), Some(Token::Name(member, _))) = (self.peek(), self.second()) else {
            return None;
        };
        let known = Function::named(member).is_some() || elsewhere(member).is_some();
        if self.scope.knows(name) || !(known || member == "pi") {
            return None;
        }
        let error = FormulaError::new(span.start..self.span().end, "names have no prefix here");
        let parentheses = if known { "(…)" } else { "" };
        Some(error.help(format!("write `{member}{parentheses}`")))
    }
}

/// What to write for a function of other languages, if it goes by another name here or is left out.
fn elsewhere(name: &str) -> Option<&'static str> {
    Some(match name {
        "ln" | "Log" => "the natural logarithm is written `log(x)`",
        "log10" | "lg" => "write `log(x)/log(10)`",
        "log2" | "ld" => "write `log(x)/log(2)`",
        "arcsin" => "write `asin(x)`",
        "arccos" => "write `acos(x)`",
        "arctan" | "atg" => "write `atan(x)`",
        "arctan2" => "write `atan2(y, x)`",
        "tg" => "write `tan(x)`",
        "cot" => "write `1/tan(x)`",
        "sec" => "write `1/cos(x)`",
        "csc" => "write `1/sin(x)`",
        "pow" | "power" => "write `x^y`",
        "sqr" | "square" => "write `x^2`",
        "cbrt" => "write `x^(1/3)`",
        "fabs" => "write `abs(x)`",
        "length" | "mag" | "magnitude" => "write `norm(v)`",
        "sign" | "sgn" | "heaviside" => {
            "it jumps, and a Lagrangian must be smooth; `tanh(x/0.01)` nearly does"
        }
        "floor" | "ceil" | "round" | "mod" | "fmod" => "it jumps, and a Lagrangian must be smooth",
        _ => return None,
    })
}

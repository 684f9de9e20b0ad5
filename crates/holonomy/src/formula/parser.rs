//! Tokens → tree, by precedence climbing.
//!
//! ```text
//! formula    = expression
//! expression = operand { operator expression }      binding: 1: + -   2: * /   3: - in front   4: ^ (to the right)
//! operand    = ( "-" | "+" ) expression             binding at least as -: -x^2 = -(x^2), -x*y = (-x)*y, 2^-1 = 2^(-1)
//!            | atom { "." ( "x" | "y" | "z" ) }
//! atom       = number | name | function "(" list ")" | "(" expression ")" | "[" list of three "]"
//! list       = expression { "," expression }
//! ```
//! A postfix tree is fixed by its forms and their arities, so nodes are just appended as they are read.
use super::error::FormulaError;
use super::function::{Function, Kind, elsewhere};
use super::lexer::{Lexeme, Token, tokens};
use super::scope::Scope;
use super::tree::{Axis, Form, Meaning, Node, Tree};
use crate::model::nearest;
use std::ops::Range;

/// Parentheses, calls, signs and exponents within each other, at most.
const DEEPEST: usize = 256;

const SUM: u8 = 1;
const PRODUCT: u8 = 2;
const NEGATE: u8 = 3;
const POWER: u8 = 4;

/// A tree, or everything that is wrong with the text. The list is empty if all that is wrong is the use of
/// definitions that have errors themselves.
pub(super) fn parse(text: &str, scope: &Scope) -> Result<Tree, Vec<FormulaError>> {
    let tokens = tokens(text).map_err(|error| vec![error])?;
    let mut parser = Parser {
        text,
        tokens: &tokens,
        at: 0,
        depth: 0,
        nodes: Vec::new(),
        errors: Vec::new(),
        scope,
    };
    if let Err(error) = parser.formula() {
        parser.errors.push(error);
    }
    let sound = parser.nodes.iter().all(|node| node.kind.is_some());
    if sound && parser.errors.is_empty() {
        Ok(Tree {
            text: text.into(),
            nodes: parser.nodes,
        })
    } else {
        parser
            .errors
            .sort_by_key(|error| (error.span.start, error.span.end));
        Err(parser.errors)
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Lexeme<'a>],
    at: usize,
    depth: usize,
    nodes: Vec<Node>,
    /// What does not keep the rest from being read.
    errors: Vec<FormulaError>,
    scope: &'a Scope,
}

/// The last node of what was read, or an error after which nothing more can be understood.
type Read = Result<usize, FormulaError>;

impl<'a> Parser<'a> {
    fn formula(&mut self) -> Read {
        if self.peek() == Token::End {
            return Err(FormulaError::new(0..self.text.len(), "the formula is empty"));
        }
        let whole = self.expression(SUM)?;
        match self.peek() {
            Token::End => Ok(whole),
            Token::Symbol(')' | ']') => {
                let span = self.span();
                let message = format!("this `{}` closes nothing", &self.text[span.clone()]);
                Err(FormulaError::new(span, message))
            }
            _ => Err(self.unexpected()),
        }
    }

    fn expression(&mut self, least: u8) -> Read {
        if self.depth == DEEPEST {
            let message = format!("parts are nested more than {DEEPEST} deep");
            return Err(FormulaError::new(self.span(), message).help("name parts of it as definitions"));
        }
        self.depth += 1;
        let mut left = self.operand()?;
        while let Token::Symbol(symbol) = self.peek() {
            // The right operand of a left-associative operator binds tighter than the operator itself.
            let (form, binding, right) = match symbol {
                '+' => (Form::Sum, SUM, PRODUCT),
                '-' => (Form::Difference, SUM, PRODUCT),
                '*' => (Form::Product, PRODUCT, NEGATE),
                '/' => (Form::Quotient, PRODUCT, NEGATE),
                '^' => (Form::Power, POWER, POWER),
                _ => break,
            };
            if binding < least {
                break;
            }
            self.at += 1;
            let right = self.expression(right)?;
            left = self.binary(form, left, right);
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operand(&mut self) -> Read {
        let sign = self.span();
        match self.peek() {
            Token::Symbol('-') => {
                self.at += 1;
                let operand = self.expression(NEGATE)?;
                let node = &self.nodes[operand];
                let (kind, span) = (node.kind, sign.start..node.span.end);
                Ok(self.push(Form::Negate, kind, span))
            }
            Token::Symbol('+') => {
                self.at += 1;
                self.expression(NEGATE)
            }
            _ => {
                let mut operand = self.atom()?;
                while self.peek() == Token::Symbol('.') {
                    operand = self.component(operand)?;
                }
                Ok(operand)
            }
        }
    }

    fn atom(&mut self) -> Read {
        let span = self.span();
        match self.peek() {
            Token::Number(value) => {
                self.at += 1;
                Ok(self.push(Form::Number(value), Some(Kind::Scalar), span))
            }
            Token::Name(name, primes) => {
                self.at += 1;
                if self.peek() == Token::Symbol('(') {
                    self.call(name, primes, span)
                } else {
                    self.name(name, primes, span)
                }
            }
            Token::Symbol('(') => {
                self.at += 1;
                let inner = self.expression(SUM)?;
                let end = self.close(')', span.clone())?;
                self.nodes[inner].span = span.start..end;
                Ok(inner)
            }
            Token::Symbol('[') => self.vector(),
            Token::End => Err(FormulaError::new(
                span,
                "the formula ends where a number or a name should follow",
            )),
            Token::Symbol(symbol) => Err(FormulaError::new(
                span,
                format!("`{symbol}` stands where a number or a name should be"),
            )),
        }
    }

    fn name(&mut self, name: &'a str, primes: usize, span: Range<usize>) -> Read {
        if let Some(function) = Function::named(name) {
            return Err(self.uncalled(function, span));
        }
        if let (Token::Symbol('.'), Some(Token::Name(member, _))) = (self.peek(), self.second())
            && !self.scope.knows(name)
            && (Function::named(member).is_some() || elsewhere(member).is_some() || member == "pi")
        {
            let prefix = span.start..self.span().end;
            let error = FormulaError::new(prefix, "names have no prefix here");
            let parentheses = if member == "pi" { "" } else { "(…)" };
            return Err(error.help(format!("write `{member}{parentheses}`")));
        }
        let (meaning, kind) = match self.scope.meaning(name, primes, span.clone()) {
            Ok(found) => found,
            Err(error) => {
                self.errors.extend(error);
                (Meaning::Unknown, None)
            }
        };
        let form = Form::Name {
            name: name.into(),
            primed: primes > 0,
            meaning,
        };
        Ok(self.push(form, kind, span))
    }

    /// A name with `(` behind it.
    fn call(&mut self, name: &str, primes: usize, span: Range<usize>) -> Read {
        let function = Function::named(name).filter(|_| primes == 0);
        if function.is_none() {
            let error = FormulaError::new(span.clone(), format!("there is no function `{name}`"));
            let known = self.scope.knows(name);
            self.errors.push(if known {
                let error = FormulaError::new(span.clone(), format!("`{name}` is not a function"));
                match (self.tokens.get(self.at + 1), self.tokens.get(self.at + 2)) {
                    (Some(inner), Some(end))
                        if inner.token == Token::Name("t", 0) && end.token == Token::Symbol(')') =>
                    {
                        error.help(format!("write `{name}`: that it depends on time is understood"))
                    }
                    _ => error.help(format!("to multiply, write `{name}*(…)`")),
                }
            } else if let Some(help) = elsewhere(name) {
                error.help(help)
            } else if let Some(near) = nearest(name, Function::names()) {
                error.help(format!("did you mean `{near}`?"))
            } else {
                let names: Vec<&str> = Function::names().collect();
                error.help(format!("the functions are {}", names.join(", ")))
            });
        }
        let list = self.list(')')?;
        let whole = span.start..list.span.end;
        let Some(function) = function else {
            // Already reported: one node in place of all arguments.
            self.nodes.truncate(list.first);
            let unknown = Form::Name {
                name: name.into(),
                primed: false,
                meaning: Meaning::Unknown,
            };
            return Ok(self.push(unknown, None, whole));
        };
        if list.roots.len() != function.arity() {
            let wanted = match function.arity() {
                1 => "one argument",
                _ => "two arguments",
            };
            let message = format!("`{name}` takes {wanted}; here are {}", list.roots.len());
            return Err(FormulaError::new(whole, message));
        }
        let mut sound = true;
        for root in list.roots {
            let node = &self.nodes[root];
            sound &= node.kind.is_some();
            if node.kind.is_some_and(|kind| kind != function.argument()) {
                sound = false;
                self.errors.push(misfit(function, node.span.clone()));
            }
        }
        Ok(self.push(Form::Call(function), sound.then(|| function.result()), whole))
    }

    fn vector(&mut self) -> Read {
        let list = self.list(']')?;
        if list.roots.len() != 3 {
            let message = format!("a vector has three components; here are {}", list.roots.len());
            return Err(FormulaError::new(list.span, message));
        }
        let mut sound = true;
        for root in list.roots {
            let node = &self.nodes[root];
            sound &= node.kind == Some(Kind::Scalar);
            if node.kind == Some(Kind::Vector) {
                let message = "a component of a vector is a number; this is a vector";
                self.errors.push(FormulaError::new(node.span.clone(), message));
            }
        }
        Ok(self.push(Form::Vector, sound.then_some(Kind::Vector), list.span))
    }

    fn component(&mut self, vector: usize) -> Read {
        let dot = self.span();
        self.at += 1;
        let span = self.span();
        let axis = match self.peek() {
            Token::Name("x", 0) => Axis::X,
            Token::Name("y", 0) => Axis::Y,
            Token::Name("z", 0) => Axis::Z,
            Token::Name(axis @ ("x" | "y" | "z"), _) => {
                let name = &self.text[self.nodes[vector].span.clone()];
                let error = FormulaError::new(dot.start..span.end, "the prime stands behind the wrong name");
                return Err(error.help(format!("write `{name}'.{axis}`")));
            }
            _ => {
                let error = FormulaError::new(
                    dot.start..span.end,
                    "only the components of a vector follow a point",
                );
                return Err(error.help("they are `.x`, `.y` and `.z`"));
            }
        };
        self.at += 1;
        let node = &self.nodes[vector];
        let whole = node.span.start..span.end;
        if node.kind == Some(Kind::Scalar) {
            let message = "this is a number: it has no components";
            self.errors.push(FormulaError::new(node.span.clone(), message));
        }
        let kind = (node.kind == Some(Kind::Vector)).then_some(Kind::Scalar);
        Ok(self.push(Form::Component(axis), kind, whole))
    }

    fn binary(&mut self, form: Form, left: usize, right: usize) -> usize {
        let (a, b) = (&self.nodes[left], &self.nodes[right]);
        let span = a.span.start..b.span.end;
        let kind = match (a.kind, b.kind) {
            (Some(a), Some(b)) => combined(&form, a, b).map_err(|(message, help)| {
                let error = FormulaError::new(span.clone(), message);
                self.errors
                    .push(if help.is_empty() { error } else { error.help(help) });
            }),
            _ => Err(()),
        };
        self.push(form, kind.ok(), span)
    }

    /// What stands between brackets, separated by commas; the opening bracket comes next.
    fn list(&mut self, closing: char) -> Result<List, FormulaError> {
        let open = self.span();
        let first = self.nodes.len();
        let mut roots = Vec::new();
        self.at += 1;
        if self.peek() != Token::Symbol(closing) {
            roots.push(self.expression(SUM)?);
            while self.peek() == Token::Symbol(',') {
                self.at += 1;
                roots.push(self.expression(SUM)?);
            }
        }
        let end = self.close(closing, open.clone())?;
        Ok(List {
            roots,
            first,
            span: open.start..end,
        })
    }

    /// Steps over a closing bracket; gives its end.
    fn close(&mut self, closing: char, open: Range<usize>) -> Result<usize, FormulaError> {
        let span = self.span();
        match self.peek() {
            Token::Symbol(symbol) if symbol == closing => {
                self.at += 1;
                Ok(span.end)
            }
            Token::End => {
                let message = format!("this `{}` is never closed", &self.text[open.clone()]);
                Err(FormulaError::new(open, message))
            }
            Token::Symbol(other @ (')' | ']')) => Err(FormulaError::new(
                span,
                format!("`{other}` stands where `{closing}` should close the bracket"),
            )),
            _ => Err(self.unexpected()),
        }
    }

    fn peek(&self) -> Token<'a> {
        self.tokens.get(self.at).map_or(Token::End, |lexeme| lexeme.token)
    }

    fn second(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at + 1).map(|lexeme| lexeme.token)
    }

    fn span(&self) -> Range<usize> {
        let end = self.text.len();
        self.tokens
            .get(self.at)
            .map_or(end..end, |lexeme| lexeme.span.clone())
    }

    fn push(&mut self, form: Form, kind: Option<Kind>, span: Range<usize>) -> usize {
        let mut first = self.nodes.len();
        for _ in 0..form.arity() {
            first = self.nodes[first - 1].first;
        }
        self.nodes.push(Node {
            form,
            kind,
            first,
            span,
        });
        self.nodes.len() - 1
    }

    /// A complete operand is followed by something that continues nothing.
    fn unexpected(&self) -> FormulaError {
        let span = self.span();
        let written = &self.text[span.clone()];
        let before = match self.at.checked_sub(1).and_then(|before| self.tokens.get(before)) {
            Some(lexeme) => lexeme,
            None => return FormulaError::new(span, format!("`{written}` cannot stand here")),
        };
        let previous = &self.text[before.span.clone()];
        match (before.token, self.peek()) {
            (Token::Name(..) | Token::Symbol(_), Token::Symbol('[')) => {
                FormulaError::new(span, "`[` cannot follow a value")
                    .help("components are written `.x`, `.y` and `.z`")
            }
            (Token::Number(_), Token::Symbol(',')) if matches!(self.second(), Some(Token::Number(_))) => {
                FormulaError::new(span, "a comma separates arguments; here are none")
                    .help("the decimal mark is a point")
            }
            (_, Token::Symbol(',')) => FormulaError::new(span, "a comma separates arguments; here are none"),
            (Token::Symbol(_), _) | (_, Token::Symbol(_)) => {
                FormulaError::new(span, "an operator is missing here")
                    .help("multiplication is written out: `*`")
            }
            _ => FormulaError::new(before.span.start..span.end, "an operator is missing here")
                .help(format!("write `{previous}*{written}`")),
        }
    }

    /// The name of a function without arguments.
    fn uncalled(&self, function: Function, span: Range<usize>) -> FormulaError {
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
}

struct List {
    roots: Vec<usize>,
    /// The first node of all of it.
    first: usize,
    span: Range<usize>,
}

/// What an operator gives, or why it gives nothing and what to do.
fn combined(form: &Form, a: Kind, b: Kind) -> Result<Kind, (&'static str, &'static str)> {
    use Kind::{Scalar, Vector};
    match (form, a, b) {
        (Form::Sum | Form::Difference, a, b) if a == b => Ok(a),
        (Form::Product, Scalar, other) | (Form::Product, other, Scalar) => Ok(other),
        (Form::Quotient, any, Scalar) => Ok(any),
        (Form::Power, Scalar, Scalar) => Ok(Scalar),
        (Form::Sum, ..) => Err(("a number and a vector have no sum", "")),
        (Form::Difference, ..) => Err(("a number and a vector have no difference", "")),
        (Form::Product, ..) => Err((
            "`*` does not multiply two vectors",
            "write `dot(a, b)` or `cross(a, b)`",
        )),
        (Form::Power, Vector, _) => Err(("a vector has no powers", "write `dot(v, v)` for its square")),
        _ => Err(("a vector cannot stand here", "write `norm(v)` for its length")),
    }
}

fn misfit(function: Function, span: Range<usize>) -> FormulaError {
    let (name, wanted) = (function.name(), function.argument());
    let given = match wanted {
        Kind::Scalar => Kind::Vector,
        Kind::Vector => Kind::Scalar,
    };
    let message = format!("`{name}` takes a {}; this is a {}", wanted.noun(), given.noun());
    let error = FormulaError::new(span, message);
    match function {
        Function::Norm => error.help("write `abs(x)` for a number"),
        Function::Abs => error.help("write `norm(v)` for a vector"),
        _ => error,
    }
}

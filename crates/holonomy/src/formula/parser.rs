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
use super::function::Function;
use super::kinds::{Kind, combined, misfit};
use super::lexer::{Lexeme, Token, tokens};
use super::scope::Scope;
use super::tree::{Component, Form, Meaning, SyntaxNode, SyntaxTree};
use std::ops::Range;

/// Parentheses, calls, signs and exponents within each other, at most.
const DEEPEST: usize = 256;

const SUM: u8 = 1;
const PRODUCT: u8 = 2;
const NEGATE: u8 = 3;
const POWER: u8 = 4;

/// A tree, or everything that is wrong with the text. The list is empty if all that is wrong is the use of
/// definitions that have errors themselves.
pub(super) fn parse(text: &str, scope: &Scope) -> Result<SyntaxTree, Vec<FormulaError>> {
    let tokens = tokens(text).map_err(|error| vec![error])?;
    let mut parser = Parser {
        text,
        tokens: &tokens,
        at: 0,
        depth: 0,
        nodes: Vec::new(),
        outer: Vec::new(),
        errors: Vec::new(),
        scope,
    };
    if let Err(error) = parser.formula() {
        // What ends where nothing more was understood may not have been read to its end.
        let last = parser.at.checked_sub(1).and_then(|at| tokens.get(at));
        if let Some(last) = last {
            let whole = |e: &FormulaError| e.span.end != last.span.end || e.span.start == last.span.start;
            parser.errors.retain(whole);
        }
        parser.errors.push(error);
    }
    let sound = parser.nodes.iter().all(|node| node.kind.is_some());
    if sound && parser.errors.is_empty() {
        Ok(SyntaxTree {
            text: text.into(),
            nodes: parser.nodes,
        })
    } else {
        crate::order::sort_by_key(&mut parser.errors, |error| (error.span.start, error.span.end));
        Err(parser.errors)
    }
}

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Lexeme<'a>],
    /// The next token.
    pub(super) at: usize,
    depth: usize,
    nodes: Vec<SyntaxNode>,
    /// The span of each node with the parentheses around it.
    outer: Vec<Range<usize>>,
    /// What does not keep the rest from being read.
    errors: Vec<FormulaError>,
    pub(super) scope: &'a Scope,
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
                Err(FormulaError::new(span, message).help("remove it, or open one before it"))
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
                let kind = self.nodes[operand].kind;
                let span = sign.start..self.outer[operand].end;
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
                self.outer[inner] = span.start..end;
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
        if let Some(error) = self.prefix(name, span.clone()) {
            return Err(error);
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
            self.errors.push(self.no_function(name, span.clone()));
        }
        let list = self.list(')')?;
        let whole = span.start..list.span.end;
        let Some(function) = function else {
            // Already reported: one node in place of all arguments.
            self.nodes.truncate(list.first);
            self.outer.truncate(list.first);
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
                2 => "two arguments",
                _ => "three arguments",
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
            Token::Name("x", 0) => Component::X,
            Token::Name("y", 0) => Component::Y,
            Token::Name("z", 0) => Component::Z,
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
        let whole = self.outer[vector].start..span.end;
        if node.kind == Some(Kind::Scalar) {
            let message = "this is a number: it has no components";
            self.errors.push(FormulaError::new(node.span.clone(), message));
        }
        let kind = (node.kind == Some(Kind::Vector)).then_some(Kind::Scalar);
        Ok(self.push(Form::Component(axis), kind, whole))
    }

    fn binary(&mut self, form: Form, left: usize, right: usize) -> usize {
        let (a, b) = (&self.nodes[left], &self.nodes[right]);
        let span = self.outer[left].start..self.outer[right].end;
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
                Err(FormulaError::new(open, message).help(format!("add a `{closing}`")))
            }
            Token::Symbol(other @ (')' | ']')) => Err(FormulaError::new(
                span,
                format!("`{other}` stands where `{closing}` should close the bracket"),
            )),
            _ => Err(self.unexpected()),
        }
    }

    pub(super) fn peek(&self) -> Token<'a> {
        self.tokens.get(self.at).map_or(Token::End, |lexeme| lexeme.token)
    }

    pub(super) fn second(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at + 1).map(|lexeme| lexeme.token)
    }

    pub(super) fn span(&self) -> Range<usize> {
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
        self.outer.push(span.clone());
        self.nodes.push(SyntaxNode {
            form,
            kind,
            first,
            span,
        });
        self.nodes.len() - 1
    }
}

struct List {
    roots: Vec<usize>,
    /// The first node of all of it.
    first: usize,
    span: Range<usize>,
}

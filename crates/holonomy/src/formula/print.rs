//! Tree → text with no more parentheses than needed: reading it again gives the same tree.
//!
//! ```text
//! binding of a form    sum, difference 1   product, quotient 2   negation 3   power 4   all else 5
//! least binding        left of + -: 1   right of + -: 2   left of * /: 2   right of * /: 3   behind a sign: 3
//! without parentheses  base: 5   exponent: 3   before a component: 5   in brackets: 0
//! ```
use super::tree::{Component, Form, SyntaxTree};
use std::fmt;

impl fmt::Display for SyntaxTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What is still to be written, the next one last.
        let mut rest = match self.nodes.len().checked_sub(1) {
            Some(node) => vec![Piece::Node { node, least: 0 }],
            None => Vec::new(),
        };
        while let Some(piece) = rest.pop() {
            match piece {
                Piece::Text(text) => f.write_str(text)?,
                Piece::Node { node, least } => self.write(node, least, f, &mut rest)?,
            }
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum Piece {
    Text(&'static str),
    Node { node: usize, least: u8 },
}

impl SyntaxTree {
    /// Writes the beginning of a node and leaves the others of its pieces to be written.
    fn write(
        &self,
        node: usize,
        least: u8,
        f: &mut fmt::Formatter<'_>,
        rest: &mut Vec<Piece>,
    ) -> fmt::Result {
        let form = &self.nodes[node].form;
        if binding(form) < least {
            f.write_str("(")?;
            rest.push(Piece::Text(")"));
        }
        let mut operands = self.operands(node);
        let mut operand = |least| operands.next().map(|node| Piece::Node { node, least });
        match form {
            Form::Number(value) => write_number(*value, f)?,
            Form::Name { name, primed, .. } => {
                f.write_str(name)?;
                f.write_str(if *primed { "'" } else { "" })?;
            }
            Form::Negate => {
                f.write_str("-")?;
                rest.extend(operand(3));
            }
            Form::Sum | Form::Difference | Form::Product | Form::Quotient | Form::Power => {
                let (right, sign, left) = match form {
                    Form::Sum => (2, " + ", 1),
                    Form::Difference => (2, " - ", 1),
                    Form::Product => (3, "*", 2),
                    Form::Quotient => (3, "/", 2),
                    _ => (3, "^", 5),
                };
                rest.extend(operand(right));
                rest.push(Piece::Text(sign));
                rest.extend(operand(left));
            }
            Form::Call(function) => {
                f.write_str(function.name())?;
                f.write_str("(")?;
                rest.push(Piece::Text(")"));
                separated(form.arity(), operand, rest);
            }
            Form::Vector => {
                f.write_str("[")?;
                rest.push(Piece::Text("]"));
                separated(form.arity(), operand, rest);
            }
            Form::Component(axis) => {
                rest.push(Piece::Text(match axis {
                    Component::X => ".x",
                    Component::Y => ".y",
                    Component::Z => ".z",
                }));
                rest.extend(operand(5));
            }
        }
        Ok(())
    }
}

fn separated(count: usize, mut operand: impl FnMut(u8) -> Option<Piece>, rest: &mut Vec<Piece>) {
    for place in 0..count {
        if place > 0 {
            rest.push(Piece::Text(", "));
        }
        rest.extend(operand(0));
    }
}

fn binding(form: &Form) -> u8 {
    match form {
        Form::Sum | Form::Difference => 1,
        Form::Product | Form::Quotient => 2,
        Form::Negate => 3,
        Form::Power => 4,
        _ => 5,
    }
}

/// The shortest digits that give the number back.
fn write_number(value: f64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if value == 0.0 || (1e-5..1e16).contains(&value) {
        write!(f, "{value}")
    } else {
        write!(f, "{value:e}")
    }
}

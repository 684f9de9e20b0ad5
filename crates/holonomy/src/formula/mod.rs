//! Formulas: text → tree → expressions and their exact derivatives → a straight-line program.
//!
//! ```text
//! 0.5*m*l^2*theta'^2 + m*g*l*cos(theta)
//!
//! +  -  *  /  ^          as in mathematics: -x^2 = -(x^2), 2^3^2 = 2^(3^2); multiplication is always written
//! theta'                 the velocity of theta
//! t  pi                  time, and π
//! [a, b, c]   v.x        a vector of R³, and a component
//! dot(v, w)  cross(v, w)  norm(v)  v + w  s*v  v/s
//! sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt hypot     angles in radians, log is natural
//! abs min max            have kinks: the derivative there is the mean of those on both sides
//! ```
//!
//! A [`Scope`] says what the names mean, a [`Formula`] is a text that was understood, [`Expressions`] hold its parts
//! and derivatives, and a [`Program`] computes them without allocating.
//!
//! ```
//! use holonomy::formula::{Expressions, Formula, Kind, Scope};
//!
//! // x = (theta, theta', t)
//! let mut scope = Scope::new();
//! scope.coordinate("theta", Kind::Scalar, 0, 1).unwrap();
//! scope.time(2);
//! scope.parameter("m", 1.0).unwrap();
//! scope.parameter("g", 9.81).unwrap();
//! scope.define(&[("L", "T - V"), ("T", "0.5*m*theta'^2"), ("V", "-m*g*cos(theta)")]).unwrap();
//! let formula = Formula::parse_as(Kind::Scalar, "L", &scope).unwrap();
//!
//! let mut expressions = Expressions::new();
//! let lagrangian = expressions.scalar(&formula);
//! let [force, momentum] = expressions.gradient(lagrangian, &[0, 1])[..] else { unreachable!() };
//! let mass = expressions.gradient(momentum, &[1])[0];
//! assert_eq!(expressions.known_value(mass), Some(1.0));
//!
//! let program = expressions.compile(&[force, momentum, mass]);
//! let (mut workspace, mut out) = (program.workspace(), [0.0; 3]);
//! program.evaluate(&[0.0, 2.0, 0.0], &mut workspace, &mut out).unwrap();
//! assert_eq!(out, [0.0, 2.0, 1.0]);
//! ```
mod error;
mod scope;
mod definitions;
mod lexer;
mod function;
mod kinds;
mod tree;
mod parser;
mod slips;
mod nearest;
mod print;
mod expressions;
mod algebra;
mod derivative;
mod substitute;
mod smooth;
mod program;
#[cfg(not(target_arch = "wasm32"))]
mod along;
mod batch;
#[cfg(not(target_arch = "wasm32"))]
mod together;
mod compile;
mod schedule;
mod domain;
mod spell;

pub(crate) use batch::Batch;
pub use domain::{DomainError, Reason, SubExpression};
pub use error::{DefinitionError, FormulaError};
pub use expressions::{Expression, Expressions};
pub use kinds::Kind;
pub use nearest::nearest;
pub use program::{Program, Registers};
pub use scope::Scope;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use together::Together;

use scope::Definition;
use std::fmt;
use std::sync::Arc;
use tree::SyntaxTree;

/// A text that was understood. It prints with no more parentheses than needed.
///
/// Formulas are equal if they have the same tree, however they were spaced and bracketed.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    tree: SyntaxTree,
    definitions: Arc<Vec<Definition>>,
}

impl Formula {
    /// Reads a formula, which may be a number or a vector.
    ///
    /// The list of errors is sorted by position. It is empty only if all that is wrong are definitions that the
    /// formula uses, whose errors [`Scope::define`] has reported.
    pub fn parse(text: &str, scope: &Scope) -> Result<Self, Vec<FormulaError>> {
        match parser::parse(text, scope) {
            Ok(tree) => Ok(Self {
                tree,
                definitions: scope.definitions.clone(),
            }),
            Err(errors) => Err(errors),
        }
    }

    /// Reads a formula that must be a number, or must be a vector.
    pub fn parse_as(kind: Kind, text: &str, scope: &Scope) -> Result<Self, Vec<FormulaError>> {
        let formula = Self::parse(text, scope)?;
        if formula.kind() == kind {
            return Ok(formula);
        }
        let message = format!("this is a {}; a {} is wanted", formula.kind().noun(), kind.noun());
        let error = FormulaError::new(0..text.len(), message);
        Err(vec![match kind {
            Kind::Scalar => error.help("take a component, as `v.x`, or its length, `norm(v)`"),
            Kind::Vector => error.help("write a vector as `[a, b, c]`"),
        }])
    }

    /// Whether it is a number or a vector.
    pub fn kind(&self) -> Kind {
        self.tree.kind()
    }

    /// The text it was read from.
    pub fn text(&self) -> &str {
        &self.tree.text
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tree.fmt(f)
    }
}

use super::error::FormulaError;
use super::function::Function;
use super::tree::Form;
use std::ops::Range;

/// A number or a vector of R³.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A number.
    Scalar,
    /// Three numbers.
    Vector,
}

impl Kind {
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Scalar => "number",
            Self::Vector => "vector",
        }
    }
}

/// What an operator gives, or why it gives nothing and what to do.
pub(super) fn combined(form: &Form, a: Kind, b: Kind) -> Result<Kind, (&'static str, &'static str)> {
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

/// An argument that the function does not take.
pub(super) fn misfit(function: Function, span: Range<usize>) -> FormulaError {
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
        _ if wanted == Kind::Vector => error.help("vectors are written `[a, b, c]`"),
        _ => error,
    }
}

//! What makes expressions, with the simplifications that are worth their name.
//!
//! ```text
//! constants      f(c) = its value, if finite       x + 0 = x       1·x = x       0·x = 0       x^0 = 1       x^1 = x
//! like terms     a·x + b·x = (a + b)·x      a·(b·x) = (a·b)·x      (a·x)^n = a^n·x^n      x·x = x^2      (−x)·y = −(x·y)
//! powers         (x^p)^q = x^(p·q)                 for whole p > 0 and q, and for any if x ≥ 0: norm(v)^2 = dot(v, v)
//! ```
//! `0·x = 0` also where x has no value: what is multiplied by zero is not there.
use super::expressions::{Expression, Expressions, Operation};
use super::function::Function;
use crate::math;

impl Expressions {
    /// A number that is the same everywhere.
    ///
    /// # Panics
    /// If it is not finite.
    pub fn constant(&mut self, value: f64) -> Expression {
        assert!(value.is_finite(), "{value} is not a number of a formula");
        // There is one zero.
        self.intern(Operation::Constant((value + 0.0).to_bits()))
    }

    /// The variable in a slot.
    pub fn variable(&mut self, slot: usize) -> Expression {
        self.intern(Operation::Variable(slot as u32))
    }

    /// The sum of two expressions.
    pub fn add(&mut self, a: Expression, b: Expression) -> Expression {
        match (self.known_value(a), self.known_value(b)) {
            (Some(x), Some(y)) if (x + y).is_finite() => return self.constant(x + y),
            (Some(0.0), _) => return b,
            (_, Some(0.0)) => return a,
            _ => {}
        }
        let ((p, x), (q, y)) = (self.scaled(a), self.scaled(b));
        if x == y && (p + q).is_finite() {
            return self.scale(p + q, x);
        }
        self.intern(Operation::Add(a.min(b), a.max(b)))
    }

    pub(super) fn subtract(&mut self, a: Expression, b: Expression) -> Expression {
        let b = self.negate(b);
        self.add(a, b)
    }

    pub(super) fn negate(&mut self, a: Expression) -> Expression {
        let (factor, x) = self.scaled(a);
        self.scale(-factor, x)
    }

    pub(super) fn multiply(&mut self, a: Expression, b: Expression) -> Expression {
        let ((p, x), (q, y)) = (self.scaled(a), self.scaled(b));
        match (self.known_value(a), self.known_value(b)) {
            (Some(0.0), _) | (_, Some(0.0)) => return self.constant(0.0),
            (Some(_), _) if (p * q).is_normal() => return self.scale(p * q, y),
            (_, Some(_)) if (p * q).is_normal() => return self.scale(p * q, x),
            _ if a == b => return self.power(a, 2.0),
            _ => {}
        }
        // Factors stay where they are, next to what they are shared with, unless they cancel.
        let (a, b) = if (p * q).abs() == 1.0 {
            (x, y)
        } else {
            (self.size(a), self.size(b))
        };
        let product = self.intern(Operation::Multiply(a.min(b), a.max(b)));
        self.scale(p.signum() * q.signum(), product)
    }

    pub(super) fn divide(&mut self, a: Expression, b: Expression) -> Expression {
        let ((p, x), (q, y)) = (self.scaled(a), self.scaled(b));
        match (self.known_value(a), self.known_value(b)) {
            (Some(0.0), value) if value != Some(0.0) => return self.constant(0.0),
            (_, Some(_)) if (p / q).is_normal() => return self.scale(p / q, x),
            (Some(_), None) if (p / q).is_normal() => {
                let reciprocal = self.power(y, -1.0);
                return self.scale(p / q, reciprocal);
            }
            _ => {}
        }
        let (a, b) = if (p / q).abs() == 1.0 {
            (x, y)
        } else {
            (self.size(a), self.size(b))
        };
        let quotient = self.intern(Operation::Divide(a, b));
        self.scale(p.signum() * q.signum(), quotient)
    }

    pub(super) fn power(&mut self, base: Expression, exponent: f64) -> Expression {
        if exponent == 0.0 {
            return self.constant(1.0);
        }
        if exponent == 1.0 {
            return base;
        }
        if let Some(value) = self.known_value(base)
            && math::powf(value, exponent).is_finite()
        {
            return self.constant(math::powf(value, exponent));
        }
        let whole = exponent.fract() == 0.0;
        match self.operation(base) {
            Operation::Power(inner, first) => {
                let first = f64::from_bits(first);
                let both = first.fract() == 0.0 && whole;
                let allowed = both || self.nodes[inner.index()].nonnegative;
                // The reciprocal of a square is a division.
                let division = both && exponent == -1.0;
                if first > 0.0 && allowed && !division && (first * exponent).is_finite() {
                    return self.power(inner, first * exponent);
                }
            }
            Operation::Multiply(factor, rest) if whole => {
                let factor = self.known_value(factor).map(|value| math::powf(value, exponent));
                if let Some(factor) = factor.filter(|factor| factor.is_normal()) {
                    let rest = self.power(rest, exponent);
                    let factor = self.constant(factor);
                    return self.multiply(factor, rest);
                }
            }
            _ => {}
        }
        // Halves are computed from the square root.
        if !whole && (2.0 * exponent).fract() == 0.0 {
            self.intern(Operation::Power(base, 0.5_f64.to_bits()));
        }
        self.intern(Operation::Power(base, exponent.to_bits()))
    }

    pub(super) fn power_of(&mut self, base: Expression, exponent: Expression) -> Expression {
        match self.known_value(exponent) {
            Some(exponent) => self.power(base, exponent),
            None => self.intern(Operation::PowerOf(base, exponent)),
        }
    }

    pub(super) fn apply(&mut self, function: Function, argument: Expression) -> Expression {
        if function == Function::Sqrt {
            return self.power(argument, 0.5);
        }
        match self.known_value(argument).map(|value| function.of(value)) {
            Some(value) if value.is_finite() => self.constant(value),
            _ => self.intern(Operation::Apply(function, argument)),
        }
    }

    pub(super) fn apply2(&mut self, function: Function, a: Expression, b: Expression) -> Expression {
        match (self.known_value(a), self.known_value(b)) {
            (Some(a), Some(b)) => self.constant(function.of_two(a, b)),
            _ => self.intern(Operation::Apply2(function, a, b)),
        }
    }

    pub(super) fn sign(&mut self, argument: Expression) -> Expression {
        match self.known_value(argument) {
            Some(value) => self.constant(sign(value)),
            None => self.intern(Operation::Sign(argument)),
        }
    }

    pub(super) fn scale(&mut self, factor: f64, x: Expression) -> Expression {
        if let Some(value) = self.known_value(x)
            && (factor * value).is_finite()
        {
            return self.constant(factor * value);
        }
        if factor == 0.0 {
            return self.constant(0.0);
        }
        if factor == 1.0 {
            return x;
        }
        // The sign stands apart: sums then subtract, and what differs by it alone is shared.
        let size = self.constant(factor.abs());
        let positive = match factor.abs() {
            1.0 => x,
            _ => self.intern(Operation::Multiply(size, x)),
        };
        if factor > 0.0 {
            return positive;
        }
        let minus = self.constant(-1.0);
        self.intern(Operation::Multiply(minus, positive))
    }

    /// An expression without its sign.
    fn size(&mut self, x: Expression) -> Expression {
        let (factor, rest) = self.scaled(x);
        if factor < 0.0 {
            self.scale(-factor, rest)
        } else {
            x
        }
    }

    /// A factor and what it multiplies; of a constant, itself and one.
    pub(super) fn scaled(&mut self, x: Expression) -> (f64, Expression) {
        if let Some(value) = self.known_value(x) {
            return (value, self.constant(1.0));
        }
        let mut factor = 1.0;
        let mut rest = x;
        while let Operation::Multiply(a, b) = self.operation(rest)
            && let Some(value) = self.known_value(a)
            && self.known_value(b).is_none()
            && (factor * value).is_normal()
        {
            factor *= value;
            rest = b;
        }
        (factor, rest)
    }
}

impl Function {
    /// The value of a function of one number.
    #[inline]
    pub(super) fn of(self, x: f64) -> f64 {
        match self {
            Self::Sin => math::sin(x),
            Self::Cos => math::cos(x),
            Self::Tan => math::tan(x),
            Self::Asin => math::asin(x),
            Self::Acos => math::acos(x),
            Self::Atan => math::atan(x),
            Self::Sinh => math::sinh(x),
            Self::Cosh => math::cosh(x),
            Self::Tanh => math::tanh(x),
            Self::Exp => math::exp(x),
            Self::Log => math::ln(x),
            Self::Sqrt => x.sqrt(),
            _ => x.abs(),
        }
    }

    /// The value of a function of two numbers.
    #[inline]
    pub(super) fn of_two(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Atan2 => math::atan2(a, b),
            Self::Min => a.min(b),
            Self::Max => a.max(b),
            _ => math::hypot(a, b),
        }
    }
}

/// −1, 0 or 1.
#[inline]
pub(super) fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

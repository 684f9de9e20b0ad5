//! Expressions → text, for people: numbers have six digits, and what is too long is not written at all.
use super::expressions::{Expression, Expressions, Operation};

/// A text without its sign, and how strongly it binds: sum 1, product 2, power 4, all else 5.
struct Spelled {
    negative: bool,
    text: String,
    binding: u8,
}

impl Expressions {
    /// An expression as text, with a name for every variable; `None` if it would be longer than `longest` letters.
    pub fn text(&self, expression: Expression, names: &[String], longest: usize) -> Option<String> {
        // Every operation writes a letter or more, so this bounds the depth too.
        let mut left = longest;
        Some(self.spell(expression, names, &mut left)?.signed())
    }

    fn spell(&self, expression: Expression, names: &[String], left: &mut usize) -> Option<Spelled> {
        *left = left.checked_sub(1)?;
        let mut of = |expression: Expression| self.spell(expression, names, left);
        let spelled = match self.operation(expression) {
            Operation::Constant(bits) => Spelled::number(f64::from_bits(bits)),
            Operation::Variable(slot) => Spelled::whole(names.get(slot as usize)?.clone()),
            Operation::Add(a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                let sign = if b.negative { '-' } else { '+' };
                let least = if b.negative { 2 } else { 1 };
                Spelled::new(1, format!("{} {sign} {}", a.signed(), b.within(least)))
            }
            Operation::Multiply(a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                let negative = a.negative != b.negative;
                let (text, binding) = match (a.text.as_str(), b.text.as_str()) {
                    ("1", _) => (b.text, b.binding),
                    (_, "1") => (a.text, a.binding),
                    _ => (format!("{}*{}", a.within(2), b.within(2)), 2),
                };
                Spelled {
                    negative,
                    text,
                    binding,
                }
            }
            Operation::Divide(a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                let negative = a.negative != b.negative;
                Spelled {
                    negative,
                    ..Spelled::new(2, format!("{}/{}", a.within(2), b.within(3)))
                }
            }
            Operation::Power(base, exponent) => {
                let (base, exponent) = (of(base)?, f64::from_bits(exponent));
                match exponent {
                    0.5 => Spelled::whole(format!("sqrt({})", base.signed())),
                    -1.0 => Spelled::new(2, format!("1/{}", base.factor(3))),
                    _ => Spelled::new(
                        4,
                        format!("{}^{}", base.factor(5), Spelled::number(exponent).signed()),
                    ),
                }
            }
            Operation::PowerOf(base, exponent) => {
                let (base, exponent) = (of(base)?, of(exponent)?);
                Spelled::new(4, format!("{}^{}", base.factor(5), exponent.factor(5)))
            }
            Operation::Apply(function, a) => {
                Spelled::whole(format!("{}({})", function.name(), of(a)?.signed()))
            }
            Operation::Sign(a) => Spelled::whole(format!("sign({})", of(a)?.signed())),
            Operation::Apply2(function, a, b) => {
                let (a, b) = (of(a)?.signed(), of(b)?.signed());
                Spelled::whole(format!("{}({a}, {b})", function.name()))
            }
        };
        *left = left.checked_sub(spelled.text.len() / 8)?;
        Some(spelled)
    }
}

impl Spelled {
    fn new(binding: u8, text: String) -> Self {
        Self {
            negative: false,
            text,
            binding,
        }
    }

    fn whole(text: String) -> Self {
        Self::new(5, text)
    }

    fn number(value: f64) -> Self {
        let magnitude = value.abs();
        let rounded: f64 = format!("{magnitude:.5e}").parse().unwrap_or(magnitude);
        let text = match rounded == 0.0 || (1e-4..1e7).contains(&rounded) {
            true => rounded.to_string(),
            false => format!("{rounded:e}"),
        };
        Self {
            negative: value < 0.0,
            ..Self::whole(text)
        }
    }

    /// With its sign, standing alone.
    fn signed(&self) -> String {
        match self.negative {
            true => format!("-{}", self.within(2)),
            false => self.text.clone(),
        }
    }

    /// Without its sign, as an operand that must bind so strongly.
    fn within(&self, least: u8) -> String {
        match self.binding < least {
            true => format!("({})", self.text),
            false => self.text.clone(),
        }
    }

    /// With its sign, as an operand that must bind so strongly.
    fn factor(&self, least: u8) -> String {
        match self.negative {
            true => format!("({})", self.signed()),
            false => self.within(least),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Formula, Kind, Scope};
    use super::*;

    fn told(text: &str) -> Option<String> {
        let mut scope = Scope::new();
        scope.variable("x", Kind::Scalar, 0).expect("a name");
        scope.variable("y", Kind::Scalar, 1).expect("a name");
        let formula = Formula::parse(text, &scope).expect("a formula");
        let mut expressions = Expressions::new();
        let value = expressions.scalar(&formula);
        expressions.text(value, &["x".to_owned(), "y".to_owned()], 200)
    }

    #[test]
    fn expressions_are_written_as_people_do() {
        for (text, expected) in [
            ("x - y", "x - y"),
            ("-x*(y - 2)", "-x*(y - 2)"),
            ("x - (y - 3)", "x - (y - 3)"),
            ("2*x^2/(1 + y)", "2*x^2/(1 + y)"),
            ("sqrt(x)*exp(-x)", "sqrt(x)*exp(-x)"),
            ("(x + y)^-2", "(x + y)^-2"),
            ("9.81*2*sin(x)", "19.62*sin(x)"),
            ("1/3*x", "0.333333*x"),
            ("atan2(x, -y)", "atan2(x, -y)"),
            ("x^y", "x^y"),
        ] {
            assert_eq!(told(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_written_means_the_same() {
        for text in [
            "x - (y - (x*y - 2)/(x - y)^3)",
            "-(x - 1)*(y + 2)*-x",
            "x/(y/(x*y))",
            "(-x)^3 - (-y)^2",
        ] {
            let told = told(text).expect("short");
            let mut scope = Scope::new();
            scope.variable("x", Kind::Scalar, 0).expect("a name");
            scope.variable("y", Kind::Scalar, 1).expect("a name");
            let values = [text, &told].map(|text| {
                let formula = Formula::parse(text, &scope).expect("a formula");
                let program = super::super::Program::values(&[&formula]);
                let mut out = [0.0];
                program
                    .evaluate(&[1.7, -0.6], &mut program.workspace(), &mut out)
                    .expect("a value");
                out[0]
            });
            assert!((values[0] - values[1]).abs() < 1e-12, "{text}: {told}");
        }
    }

    #[test]
    fn what_is_too_long_is_not_written() {
        let long = vec!["sin(x)*cos(y)"; 60].join(" + x*");
        assert_eq!(told(&long), None);
    }
}

//! Expressions in place of variables.
//!
//! ```text
//! f(…, xₛ, …)   →   f(…, gₛ, …)          all at once: what is put in is not looked into again
//! ```
use super::expressions::{Expression, Expressions, Operation};

impl Expressions {
    /// An expression with the variables in the given slots replaced.
    ///
    /// With `q'` replaced by the velocity of a frame, a Lagrangian of coordinates becomes one of quasi-velocities.
    pub fn substitute(&mut self, of: Expression, replacements: &[(usize, Expression)]) -> Expression {
        let before = self.current;
        let count = of.index() + 1;
        let mut needed = vec![false; count];
        needed[of.index()] = true;
        for index in (0..count).rev() {
            if needed[index] {
                for operand in self.nodes[index].operation.operands() {
                    needed[operand.index()] = true;
                }
            }
        }
        let mut images: Vec<Expression> = (0..count as u32).map(Expression).collect();
        for index in 0..count {
            let node = self.nodes[index];
            let changed = |operand: Expression| images[operand.index()] != operand;
            if let Operation::Variable(slot) = node.operation {
                let found = replacements.iter().find(|(place, _)| *place == slot as usize);
                images[index] = found.map_or(images[index], |(_, replacement)| *replacement);
            } else if needed[index] && node.operation.operands().any(changed) {
                self.current = node.source;
                images[index] = self.rebuilt(node.operation, &images);
            }
        }
        self.current = before;
        images[of.index()]
    }

    /// The sum of the products of pairs.
    pub fn combination(&mut self, terms: impl IntoIterator<Item = (Expression, Expression)>) -> Expression {
        let mut sum = self.constant(0.0);
        for (a, b) in terms {
            let term = self.multiply(a, b);
            sum = self.add(sum, term);
        }
        sum
    }

    pub(super) fn rebuilt(&mut self, operation: Operation, images: &[Expression]) -> Expression {
        let of = |operand: Expression| images[operand.index()];
        match operation {
            Operation::Constant(_) | Operation::Variable(_) => self.intern(operation),
            Operation::Add(a, b) => self.add(of(a), of(b)),
            Operation::Multiply(a, b) => self.multiply(of(a), of(b)),
            Operation::Divide(a, b) => self.divide(of(a), of(b)),
            Operation::Power(a, exponent) => self.power(of(a), f64::from_bits(exponent)),
            Operation::PowerOf(a, b) => self.power_of(of(a), of(b)),
            Operation::Apply(function, a) => self.apply(function, of(a)),
            Operation::Sign(a) => self.sign(of(a)),
            Operation::Apply2(function, a, b) => self.apply2(function, of(a), of(b)),
        }
    }
}

#[cfg(test)]
#[expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop where it is"
)]
mod tests {
    use crate::formula::{Expressions, Formula, Kind, Scope};

    #[test]
    fn a_formula_with_replaced_variables_is_the_formula_at_the_replacements() {
        let mut scope = Scope::new();
        for (slot, name) in ["x", "y", "z"].into_iter().enumerate() {
            scope.variable(name, Kind::Scalar, slot).unwrap();
        }
        scope.define(&[("d", "sqrt(x*x + y^2)")]).unwrap();
        let parse = |text: &str| Formula::parse(text, &scope).unwrap();
        let outer = parse("d*sin(x/y) + atan2(y, x)^z - abs(x - y)/exp(max(x, z)) + y^x");
        // x and y trade places and more; z stays.
        let inner = [parse("y + 2*z"), parse("x*z + 3")];

        let mut expressions = Expressions::new();
        let before = expressions.scalar(&outer);
        let [x, y] = inner.each_ref().map(|formula| expressions.scalar(formula));
        let after = expressions.substitute(before, &[(0, x), (1, y)]);
        let program = expressions.compile(&[before, x, y, after]);
        let evaluate = |at: [f64; 3]| {
            let mut out = [0.0; 4];
            program.evaluate(&at, &mut program.workspace(), &mut out).unwrap();
            out
        };
        let [_, x, y, after] = evaluate([0.7, 1.3, 0.4]);
        let [expected, ..] = evaluate([x, y, 0.4]);
        assert!(
            (after - expected).abs() <= 4.0 * f64::EPSILON * expected.abs(),
            "{after} {expected}"
        );
        // Nothing to replace: the same expression.
        assert_eq!(expressions.substitute(before, &[(7, before)]), before);
    }

    #[test]
    fn what_depends_on_nothing_afterwards_is_a_constant() {
        let mut scope = Scope::new();
        scope.variable("x", Kind::Scalar, 0).unwrap();
        let formula = Formula::parse("cos(x) + x^2", &scope).unwrap();
        let mut expressions = Expressions::new();
        let value = expressions.scalar(&formula);
        let zero = expressions.constant(0.0);
        let value = expressions.substitute(value, &[(0, zero)]);
        assert_eq!(expressions.known_value(value), Some(1.0));
    }
}

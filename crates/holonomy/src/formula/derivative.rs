//! Exact derivatives, as expressions again.
//!
//! ```text
//! y = f(a, b)     ā += ȳ ∂f/∂a     b̄ += ȳ ∂f/∂b          from the end to the variables (reverse accumulation)
//!
//! a + b: 1, 1          a·b: b, a          a/b: 1/b, −y/b       a^c: c a^(c−1)       a^b: b a^(b−1), y log a
//! sin: cos             cos: −sin          tan: 1 + y²          asin: 1/√(1 − a²)    acos: −1/√(1 − a²)
//! atan: 1/(1 + a²)     sinh: cosh         cosh: sinh           tanh: 1 − y²         exp: y         log: 1/a
//! atan2: b/(a² + b²), −a/(a² + b²)        |a|: sign a          sign: 0
//! min: ½ − ½ sign(a − b), ½ + ½ sign(a − b)                    max: the other way round
//! ```
//! At a kink of `abs`, `min` and `max` the derivative is the mean of those on both sides.
use super::expressions::{Expression, Expressions, Operation};
use super::function::Function;

impl Expressions {
    /// The derivatives of an expression by the variables in the given slots.
    pub fn gradient(&mut self, of: Expression, slots: &[usize]) -> Vec<Expression> {
        let order = self.nodes[of.index()].source.order;
        self.differentiate(of, slots, order.saturating_add(1))
    }

    /// A gradient; `order` counts how many times the formulas have been differentiated then.
    fn differentiate(&mut self, of: Expression, slots: &[usize], order: u8) -> Vec<Expression> {
        let before = self.current;
        let zero = self.constant(0.0);
        let count = of.index() + 1;
        let mut varies = vec![false; count];
        for index in 0..count {
            varies[index] = match self.nodes[index].operation {
                Operation::Variable(slot) => slots.contains(&(slot as usize)),
                operation => operation.operands().any(|operand| varies[operand.index()]),
            };
        }
        // ȳ of each expression that varies with the variables.
        let mut weights: Vec<Option<Expression>> = vec![None; count];
        weights[of.index()] = Some(self.constant(1.0));
        for index in (0..count).rev() {
            let (true, Some(weight)) = (varies[index], weights[index]) else {
                continue;
            };
            let node = self.nodes[index];
            self.current = node.source;
            self.current.order = order;
            let y = Expression(index as u32);
            for (place, operand) in node.operation.operands().enumerate() {
                if varies[operand.index()] {
                    let term = self.pulled_back(y, node.operation, place, weight);
                    let sum = weights[operand.index()].map_or(term, |sum| self.add(sum, term));
                    weights[operand.index()] = Some(sum);
                }
            }
        }
        self.current = before;
        let of_slot = |slot: &usize| {
            let variable = self.find(Operation::Variable(*slot as u32));
            let weight = variable.and_then(|variable| weights.get(variable.index()).copied().flatten());
            weight.unwrap_or(zero)
        };
        slots.iter().map(of_slot).collect()
    }

    /// The derivative of an expression when the variables in the given slots change at the given rates.
    ///
    /// With velocities as rates of coordinates and one as that of time, it is the derivative by time.
    pub fn derivative_along(&mut self, of: Expression, rates: &[(usize, Expression)]) -> Expression {
        let slots: Vec<usize> = rates.iter().map(|(slot, _)| *slot).collect();
        let gradient = self.gradient(of, &slots);
        let mut sum = self.constant(0.0);
        for (slope, (_, rate)) in gradient.into_iter().zip(rates) {
            let term = self.multiply(slope, *rate);
            sum = self.add(sum, term);
        }
        sum
    }

    /// The second derivatives of an expression, row by row. Symmetric entries are the same expression.
    pub fn hessian(&mut self, of: Expression, slots: &[usize]) -> Vec<Expression> {
        let gradient = self.gradient(of, slots);
        let size = slots.len();
        let mut hessian = vec![of; size * size];
        for i in 0..size {
            let row = self.differentiate(gradient[i], &slots[i..], 2);
            for (j, entry) in (i..).zip(row) {
                hessian[i * size + j] = entry;
                hessian[j * size + i] = entry;
            }
        }
        hessian
    }

    /// ȳ ∂y/∂a for one of the operands a.
    fn pulled_back(
        &mut self,
        y: Expression,
        operation: Operation,
        place: usize,
        weight: Expression,
    ) -> Expression {
        let one = self.constant(1.0);
        match (operation, place) {
            (Operation::Constant(_) | Operation::Variable(_) | Operation::Sign(_), _) => self.constant(0.0),
            (Operation::Add(..), _) => weight,
            (Operation::Multiply(_, b), 0) => self.multiply(weight, b),
            (Operation::Multiply(a, _), _) => self.multiply(weight, a),
            (Operation::Divide(_, b), 0) => self.divide(weight, b),
            (Operation::Divide(_, b), _) => {
                let quotient = self.divide(weight, b);
                let product = self.multiply(quotient, y);
                self.negate(product)
            }
            (Operation::Power(a, exponent), _) => {
                let exponent = f64::from_bits(exponent);
                let slope = self.power(a, exponent - 1.0);
                let slope = self.scale(exponent, slope);
                self.multiply(weight, slope)
            }
            (Operation::PowerOf(a, b), 0) => {
                let less = self.constant(-1.0);
                let less = self.add(b, less);
                let slope = self.power_of(a, less);
                let slope = self.multiply(b, slope);
                self.multiply(weight, slope)
            }
            (Operation::PowerOf(a, _), _) => {
                let log = self.apply(Function::Log, a);
                let slope = self.multiply(y, log);
                self.multiply(weight, slope)
            }
            (Operation::Apply(function, a), _) => self.slope(function, a, y, weight),
            (Operation::Apply2(Function::Atan2, a, b), _) => {
                let (square, other) = (self.power(a, 2.0), self.power(b, 2.0));
                let square = self.add(square, other);
                let leg = if place == 0 { b } else { self.negate(a) };
                let slope = self.divide(leg, square);
                self.multiply(weight, slope)
            }
            (Operation::Apply2(function, a, b), _) => {
                let difference = self.subtract(a, b);
                let sign = self.sign(difference);
                // Of the smaller one: the first, if it is smaller; the second, if it is not.
                let toward = (function == Function::Min) == (place == 0);
                let part = if toward { self.negate(sign) } else { sign };
                let part = self.add(one, part);
                let half = self.scale(0.5, part);
                self.multiply(weight, half)
            }
        }
    }

    /// ȳ f′(a) for a function of one number.
    fn slope(&mut self, function: Function, a: Expression, y: Expression, weight: Expression) -> Expression {
        let one = self.constant(1.0);
        let slope = match function {
            Function::Sin => self.apply(Function::Cos, a),
            Function::Cos => {
                let sin = self.apply(Function::Sin, a);
                self.negate(sin)
            }
            Function::Tan => {
                let square = self.power(y, 2.0);
                self.add(one, square)
            }
            Function::Asin | Function::Acos => {
                let square = self.power(a, 2.0);
                let rest = self.subtract(one, square);
                let slope = self.power(rest, -0.5);
                match function {
                    Function::Asin => slope,
                    _ => self.negate(slope),
                }
            }
            Function::Atan => {
                let square = self.power(a, 2.0);
                let sum = self.add(one, square);
                self.power(sum, -1.0)
            }
            Function::Sinh => self.apply(Function::Cosh, a),
            Function::Cosh => self.apply(Function::Sinh, a),
            Function::Tanh => {
                let square = self.power(y, 2.0);
                self.subtract(one, square)
            }
            Function::Exp => y,
            Function::Log => return self.divide(weight, a),
            _ => self.sign(a),
        };
        self.multiply(weight, slope)
    }
}

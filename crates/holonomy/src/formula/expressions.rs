//! Expressions as a graph in which equal ones exist once.
use super::Formula;
use super::function::Function;
use super::kinds::Kind;
use super::program::Program;
use super::tree::{Component, Form, Meaning, SyntaxTree};
use std::collections::HashMap;
use std::sync::Arc;

/// Numbers as expressions of variables: the components of formulas, their derivatives, and what the parts share.
///
/// ```
/// # use holonomy::formula::{Expressions, Formula, Kind, Scope};
/// let mut scope = Scope::new();
/// scope.variable("x", Kind::Scalar, 0)?;
/// scope.variable("y", Kind::Scalar, 1)?;
/// let formula = Formula::parse("x*sin(y)", &scope).map_err(|errors| errors[0].clone())?;
///
/// let mut expressions = Expressions::new();
/// let value = expressions.scalar(&formula);
/// let gradient = expressions.gradient(value, &[0, 1]);
/// let program = expressions.compile(&[value, gradient[0], gradient[1]]);
///
/// let mut out = [0.0; 3];
/// program.evaluate(&[2.0, 0.0], &mut program.workspace(), &mut out)?;
/// assert_eq!(out, [0.0, 0.0, 2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Expressions {
    pub(super) nodes: Vec<ExpressionNode>,
    known: HashMap<Operation, Expression>,
    /// What is being added or differentiated.
    pub(super) current: Source,
    pub(super) texts: Vec<SourceText>,
}

/// One of the [`Expressions`] that gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Expression(pub(super) u32);

impl Expression {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ExpressionNode {
    pub(super) operation: Operation,
    pub(super) source: Source,
    /// Whether it cannot be negative, whatever the variables are.
    pub(super) nonnegative: bool,
}

/// Operands come before their operation. Differences and negatives are sums and products with −1, divisions by
/// constants are products, and a constant factor stands on the left of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operation {
    /// The bits of a finite number.
    Constant(u64),
    Variable(u32),
    Add(Expression, Expression),
    Multiply(Expression, Expression),
    Divide(Expression, Expression),
    /// To a constant power, given by its bits. Square roots are such.
    Power(Expression, u64),
    PowerOf(Expression, Expression),
    /// A function of one number.
    Apply(Function, Expression),
    /// −1, 0 or 1: the derivative of the absolute value.
    Sign(Expression),
    /// A function of two numbers: `atan2`, `min` or `max`.
    Apply2(Function, Expression, Expression),
}

impl Operation {
    pub(super) fn operands(self) -> impl Iterator<Item = Expression> {
        let (a, b) = match self {
            Self::Constant(_) | Self::Variable(_) => (None, None),
            Self::Power(a, _) | Self::Apply(_, a) | Self::Sign(a) => (Some(a), None),
            Self::Add(a, b)
            | Self::Multiply(a, b)
            | Self::Divide(a, b)
            | Self::PowerOf(a, b)
            | Self::Apply2(_, a, b) => (Some(a), Some(b)),
        };
        a.into_iter().chain(b)
    }
}

/// The text that an expression comes from: itself, or what it is a derivative of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Source {
    pub(super) text: u32,
    pub(super) start: u32,
    pub(super) end: u32,
    /// How many times it has been differentiated.
    pub(super) order: u8,
}

/// Where the number in a register of a program comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub(super) source: Source,
    /// Its number among the expressions: what it needs has a lower one.
    pub(super) rank: u32,
}

impl Origin {
    /// That of a variable that no expression has.
    pub(super) const UNUSED: Self = Self {
        source: Source {
            text: u32::MAX,
            start: 0,
            end: 0,
            order: 0,
        },
        rank: u32::MAX,
    };
}

#[derive(Clone, Debug)]
pub(super) struct SourceText {
    pub(super) text: Arc<str>,
    /// The definition it belongs to.
    pub(super) definition: Option<String>,
}

impl Expressions {
    /// No expressions yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The components of a formula: one, or three if it is a vector.
    pub fn components(&mut self, formula: &Formula) -> Vec<Expression> {
        // Definitions are added once, and only those that are used.
        let mut used = vec![false; formula.definitions.len()];
        mark(&formula.tree, &mut used);
        for (index, definition) in formula.definitions.iter().enumerate().rev() {
            if used[index] {
                mark(&definition.tree, &mut used);
            }
        }
        let zero = self.constant(0.0);
        let mut definitions = Vec::with_capacity(used.len());
        for (definition, used) in formula.definitions.iter().zip(used) {
            definitions.push(if used {
                self.add_tree(&definition.tree, Some(&definition.name), &definitions)
            } else {
                [zero; 3]
            });
        }
        let value = self.add_tree(&formula.tree, None, &definitions);
        match formula.kind() {
            Kind::Scalar => vec![value[0]],
            Kind::Vector => value.to_vec(),
        }
    }

    /// The value of a formula that is a number; of a vector, its first component.
    pub fn scalar(&mut self, formula: &Formula) -> Expression {
        self.components(formula)[0]
    }

    /// The value of an expression that depends on no variable. A derivative that is zero everywhere is such.
    pub fn known_value(&self, expression: Expression) -> Option<f64> {
        match self.operation(expression) {
            Operation::Constant(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// A program that computes the given expressions, in this order.
    pub fn compile(&self, outputs: &[Expression]) -> Program {
        Program::new(self, outputs)
    }

    pub(super) fn operation(&self, expression: Expression) -> Operation {
        self.nodes[expression.index()].operation
    }

    pub(super) fn origin(&self, expression: Expression) -> Origin {
        Origin {
            source: self.nodes[expression.index()].source,
            rank: expression.0,
        }
    }

    /// The expression of an operation as it is, without simplification.
    pub(super) fn intern(&mut self, operation: Operation) -> Expression {
        if let Some(known) = self.known.get(&operation) {
            return *known;
        }
        let expression = Expression(self.nodes.len() as u32);
        let nonnegative = self.is_nonnegative(operation);
        self.nodes.push(ExpressionNode {
            operation,
            source: self.current,
            nonnegative,
        });
        self.known.insert(operation, expression);
        expression
    }

    /// The expression of an operation, if there is one.
    pub(super) fn find(&self, operation: Operation) -> Option<Expression> {
        self.known.get(&operation).copied()
    }

    fn is_nonnegative(&self, operation: Operation) -> bool {
        let of = |expression: Expression| self.nodes[expression.index()].nonnegative;
        match operation {
            Operation::Constant(bits) => f64::from_bits(bits) >= 0.0,
            Operation::Power(base, exponent) => of(base) || f64::from_bits(exponent) % 2.0 == 0.0,
            Operation::Apply(function, _) => {
                matches!(
                    function,
                    Function::Exp | Function::Cosh | Function::Abs | Function::Acos
                )
            }
            Operation::Add(a, b) | Operation::Multiply(a, b) | Operation::Divide(a, b) => of(a) && of(b),
            _ => false,
        }
    }

    /// A number has its value in the first place.
    fn add_tree(
        &mut self,
        tree: &SyntaxTree,
        definition: Option<&String>,
        definitions: &[[Expression; 3]],
    ) -> [Expression; 3] {
        self.texts.push(SourceText {
            text: tree.text.clone(),
            definition: definition.cloned(),
        });
        let text = self.texts.len() as u32 - 1;
        let zero = self.constant(0.0);
        let mut values: Vec<[Expression; 3]> = Vec::with_capacity(tree.nodes.len());
        for (index, node) in tree.nodes.iter().enumerate() {
            self.current = Source {
                text,
                start: node.span.start as u32,
                end: node.span.end as u32,
                order: 0,
            };
            let vector = node.kind == Some(Kind::Vector);
            let operands: Vec<usize> = tree.operands(index).collect();
            // The last operand comes first.
            let value = match (&node.form, operands.as_slice()) {
                (Form::Number(value), _) => [self.constant(*value), zero, zero],
                (Form::Name { meaning, .. }, _) => self.name(*meaning, vector, definitions),
                (Form::Component(axis), [operand]) => {
                    let [x, y, z] = values[*operand];
                    match axis {
                        Component::X => [x, zero, zero],
                        Component::Y => [y, zero, zero],
                        Component::Z => [z, zero, zero],
                    }
                }
                (Form::Call(Function::Clamp), [most, least, x]) => {
                    let raised = self.apply2(Function::Max, values[*x][0], values[*least][0]);
                    [self.apply2(Function::Min, raised, values[*most][0]), zero, zero]
                }
                (Form::Vector, [z, y, x]) => [values[*x][0], values[*y][0], values[*z][0]],
                (Form::Negate, [operand]) => values[*operand].map(|part| self.negate(part)),
                (form, [right, left]) => {
                    let kinds = [left, right].map(|operand| tree.nodes[*operand].kind == Some(Kind::Vector));
                    self.binary(form, values[*left], values[*right], kinds)
                }
                (Form::Call(Function::Norm), [operand]) => {
                    let square = self.dot(values[*operand], values[*operand]);
                    [self.power(square, 0.5), zero, zero]
                }
                (Form::Call(function), [operand]) => [self.apply(*function, values[*operand][0]), zero, zero],
                _ => [zero; 3],
            };
            values.push(value);
        }
        values.pop().unwrap_or([zero; 3])
    }

    fn name(&mut self, meaning: Meaning, vector: bool, definitions: &[[Expression; 3]]) -> [Expression; 3] {
        let zero = self.constant(0.0);
        match meaning {
            Meaning::Slot(slot) if vector => [slot, slot + 1, slot + 2].map(|slot| self.variable(slot)),
            Meaning::Slot(slot) => [self.variable(slot), zero, zero],
            Meaning::Value(value) => value.map(|part| self.constant(part)),
            Meaning::Definition(index) => definitions[index],
            Meaning::Unknown => [zero; 3],
        }
    }

    fn binary(
        &mut self,
        form: &Form,
        a: [Expression; 3],
        b: [Expression; 3],
        vectors: [bool; 2],
    ) -> [Expression; 3] {
        let zero = self.constant(0.0);
        let mut each = |act: fn(&mut Self, Expression, Expression) -> Expression| {
            let both = |place: usize| match vectors {
                [true, true] => (a[place], b[place]),
                [true, false] => (a[place], b[0]),
                [false, true] => (a[0], b[place]),
                [false, false] => (a[0], b[0]),
            };
            let count = if vectors.contains(&true) { 3 } else { 1 };
            let mut value = [zero; 3];
            for place in 0..count {
                let (a, b) = both(place);
                value[place] = act(self, a, b);
            }
            value
        };
        match form {
            Form::Sum => each(Self::add),
            Form::Difference => each(Self::subtract),
            Form::Product => each(Self::multiply),
            Form::Quotient => each(Self::divide),
            Form::Power => each(Self::power_of),
            Form::Call(Function::Dot) => [self.dot(a, b), zero, zero],
            Form::Call(Function::Cross) => [(1, 2), (2, 0), (0, 1)].map(|(i, j)| {
                let (forth, back) = (self.multiply(a[i], b[j]), self.multiply(a[j], b[i]));
                self.subtract(forth, back)
            }),
            Form::Call(Function::Hypot) => {
                let (a, b) = (self.multiply(a[0], a[0]), self.multiply(b[0], b[0]));
                let square = self.add(a, b);
                [self.power(square, 0.5), zero, zero]
            }
            Form::Call(Function::Saturate) => {
                let part = self.divide(a[0], b[0]);
                let part = self.apply(Function::Tanh, part);
                [self.multiply(b[0], part), zero, zero]
            }
            Form::Call(function) => [self.apply2(*function, a[0], b[0]), zero, zero],
            _ => [zero; 3],
        }
    }

    fn dot(&mut self, a: [Expression; 3], b: [Expression; 3]) -> Expression {
        let mut sum = self.multiply(a[0], b[0]);
        for place in 1..3 {
            let term = self.multiply(a[place], b[place]);
            sum = self.add(sum, term);
        }
        sum
    }
}

/// Marks the definitions that a tree names.
fn mark(tree: &SyntaxTree, used: &mut [bool]) {
    for node in &tree.nodes {
        if let Form::Name {
            meaning: Meaning::Definition(index),
            ..
        } = node.form
        {
            used[index] = true;
        }
    }
}

//! Kinks taken out, to look for symmetries.
//!
//! ```text
//! |a| → a²        min(a, b), max(a, b) → a + φ b
//! ```
//! What is left is analytic: what holds at some points taken at random holds everywhere. It is not the same
//! function, but one of the same arguments: what leaves it alone leaves the arguments alone, and so the original.
use super::expressions::{Expression, Expressions, Operation};
use super::function::Function;

impl Expressions {
    /// The slots of all variables among them, in rising order.
    pub fn slots(&self) -> Vec<usize> {
        let variables = self.nodes.iter().filter_map(|node| match node.operation {
            Operation::Variable(slot) => Some(slot as usize),
            _ => None,
        });
        let mut slots: Vec<usize> = variables.collect();
        crate::order::sort_by_key(&mut slots, |slot| *slot);
        slots
    }

    /// What changes its sign at the kinks of some expressions: `a` of `|a|`, `a − b` of `min(a, b)` and `max(a, b)`.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn kinks(&mut self, of: &[Expression]) -> Vec<Expression> {
        let mut reached = vec![false; self.nodes.len()];
        let mut waiting = of.to_vec();
        while let Some(expression) = waiting.pop() {
            if !std::mem::replace(&mut reached[expression.index()], true) {
                waiting.extend(self.nodes[expression.index()].operation.operands());
            }
        }
        let mut kinks = Vec::new();
        for index in (0..reached.len()).filter(|index| reached[*index]) {
            let kink = match self.nodes[index].operation {
                Operation::Apply(Function::Abs, a) => a,
                Operation::Apply2(Function::Min | Function::Max, a, b) => self.subtract(a, b),
                _ => continue,
            };
            if self.known_value(kink).is_none() && !kinks.contains(&kink) {
                kinks.push(kink);
            }
        }
        kinks
    }

    /// An analytic expression of the same arguments; itself if it has no kinks.
    pub fn smooth(&mut self, of: Expression) -> Expression {
        /// Nothing that occurs in a formula by itself.
        const PHI: f64 = 0.618_033_988_749_894_9;
        let before = self.current;
        let count = of.index() + 1;
        let mut images: Vec<Expression> = (0..count as u32).map(Expression).collect();
        for index in 0..count {
            let node = self.nodes[index];
            let image = |operand: Expression| images[operand.index()];
            self.current = node.source;
            images[index] = match node.operation {
                Operation::Apply(Function::Abs, a) => {
                    let a = image(a);
                    self.power(a, 2.0)
                }
                Operation::Apply2(Function::Min | Function::Max, a, b) => {
                    let (a, b) = (image(a), image(b));
                    let part = self.scale(PHI, b);
                    self.add(a, part)
                }
                operation if operation.operands().any(|operand| image(operand) != operand) => {
                    self.rebuilt(operation, &images)
                }
                _ => images[index],
            };
        }
        self.current = before;
        images[of.index()]
    }
}

//! The tree of a formula, in postfix order: the operands of a node stand before it, so that everything done with a
//! tree is a loop, however deep it is.
use super::function::Function;
use super::kinds::Kind;
use std::ops::Range;
use std::sync::Arc;

/// The tree with the text it was read from.
#[derive(Clone, Debug)]
pub(super) struct SyntaxTree {
    pub(super) text: Arc<str>,
    pub(super) nodes: Vec<SyntaxNode>,
}

#[derive(Clone, Debug)]
pub(super) struct SyntaxNode {
    pub(super) form: Form,
    /// `None` only while a text with errors is being read.
    pub(super) kind: Option<Kind>,
    /// The first node of the subtree that ends here.
    pub(super) first: usize,
    pub(super) span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Form {
    /// Not negative, and finite.
    Number(f64),
    Name {
        name: Box<str>,
        primed: bool,
        meaning: Meaning,
    },
    Negate,
    Sum,
    Difference,
    Product,
    Quotient,
    Power,
    Call(Function),
    Vector,
    Component(Component),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Meaning {
    /// One variable, or the first of three.
    Slot(usize),
    /// A number, in the first place, or a vector.
    Value([f64; 3]),
    /// A definition of the scope.
    Definition(usize),
    /// Reported as an error.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    X,
    Y,
    Z,
}

impl Form {
    pub(super) fn arity(&self) -> usize {
        match self {
            Self::Number(_) | Self::Name { .. } => 0,
            Self::Negate | Self::Component(_) => 1,
            Self::Sum | Self::Difference | Self::Product | Self::Quotient | Self::Power => 2,
            Self::Call(function) => function.arity(),
            Self::Vector => 3,
        }
    }
}

impl SyntaxTree {
    /// The operands of a node, the last one first.
    pub(super) fn operands(&self, node: usize) -> impl Iterator<Item = usize> {
        let mut end = node;
        (0..self.nodes[node].form.arity()).map(move |_| {
            let operand = end - 1;
            end = self.nodes[operand].first;
            operand
        })
    }

    pub(super) fn kind(&self) -> Kind {
        let last = self.nodes.last().and_then(|node| node.kind);
        last.unwrap_or(Kind::Scalar)
    }
}

/// Trees are the same if they say the same, wherever it stands in their texts.
impl PartialEq for SyntaxTree {
    fn eq(&self, other: &Self) -> bool {
        self.nodes.len() == other.nodes.len()
            && self
                .nodes
                .iter()
                .zip(&other.nodes)
                .all(|(mine, theirs)| mine.form == theirs.form)
    }
}

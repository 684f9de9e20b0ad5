use super::kinds::Kind;

/// The functions of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Function {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Log,
    Sqrt,
    Abs,
    Min,
    Max,
    Hypot,
    Clamp,
    Saturate,
    Dot,
    Cross,
    Norm,
}

impl Function {
    /// Every function under its name, in the order in which they are listed to people.
    pub(super) const ALL: [(&'static str, Self); 22] = [
        ("sin", Self::Sin),
        ("cos", Self::Cos),
        ("tan", Self::Tan),
        ("asin", Self::Asin),
        ("acos", Self::Acos),
        ("atan", Self::Atan),
        ("atan2", Self::Atan2),
        ("sinh", Self::Sinh),
        ("cosh", Self::Cosh),
        ("tanh", Self::Tanh),
        ("exp", Self::Exp),
        ("log", Self::Log),
        ("sqrt", Self::Sqrt),
        ("abs", Self::Abs),
        ("min", Self::Min),
        ("max", Self::Max),
        ("hypot", Self::Hypot),
        ("clamp", Self::Clamp),
        ("saturate", Self::Saturate),
        ("dot", Self::Dot),
        ("cross", Self::Cross),
        ("norm", Self::Norm),
    ];

    pub(super) fn names() -> impl Iterator<Item = &'static str> + Clone {
        Self::ALL.iter().map(|(name, _)| *name)
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name);
        found.map(|(_, function)| *function)
    }

    pub(super) fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, function)| *function == self);
        found.map_or("", |(name, _)| *name)
    }

    /// How many arguments it takes.
    pub(super) fn arity(self) -> usize {
        match self {
            Self::Clamp => 3,
            Self::Atan2 | Self::Min | Self::Max | Self::Hypot | Self::Saturate | Self::Dot | Self::Cross => 2,
            _ => 1,
        }
    }

    /// What its arguments are.
    pub(super) fn argument(self) -> Kind {
        match self {
            Self::Dot | Self::Cross | Self::Norm => Kind::Vector,
            _ => Kind::Scalar,
        }
    }

    /// What it gives.
    pub(super) fn result(self) -> Kind {
        match self {
            Self::Cross => Kind::Vector,
            _ => Kind::Scalar,
        }
    }
}

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
    Dot,
    Cross,
    Norm,
}

impl Function {
    /// Every function under its name, in the order in which they are listed to people.
    pub(super) const ALL: [(&'static str, Self); 20] = [
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
            Self::Atan2 | Self::Min | Self::Max | Self::Hypot | Self::Dot | Self::Cross => 2,
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

/// What to write for a function of other languages, if it goes by another name here or is left out.
pub(super) fn elsewhere(name: &str) -> Option<&'static str> {
    Some(match name {
        "ln" | "Log" => "the natural logarithm is written `log(x)`",
        "log10" | "lg" => "write `log(x)/log(10)`",
        "log2" | "ld" => "write `log(x)/log(2)`",
        "arcsin" => "write `asin(x)`",
        "arccos" => "write `acos(x)`",
        "arctan" | "atg" => "write `atan(x)`",
        "arctan2" => "write `atan2(y, x)`",
        "tg" => "write `tan(x)`",
        "cot" => "write `1/tan(x)`",
        "sec" => "write `1/cos(x)`",
        "csc" => "write `1/sin(x)`",
        "pow" | "power" => "write `x^y`",
        "sqr" | "square" => "write `x^2`",
        "cbrt" => "write `x^(1/3)`",
        "fabs" => "write `abs(x)`",
        "length" | "mag" | "magnitude" => "write `norm(v)`",
        "sign" | "sgn" | "heaviside" => {
            "it jumps, and a Lagrangian must be smooth; `tanh(x/0.01)` nearly does"
        }
        "floor" | "ceil" | "round" | "mod" | "fmod" => "it jumps, and a Lagrangian must be smooth",
        _ => return None,
    })
}
